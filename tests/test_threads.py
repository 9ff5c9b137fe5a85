"""A short round of threads that share columns, and of inputs that change during calls."""

import subprocess
import sys
from pathlib import Path

import conftest


def test_a_round():
    """In a process of its own: what goes wrong may end it."""
    sizes = ["--count", "3000", "--large", "100000"] if conftest.JIT else ["--count", "20", "--large", "30"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.threads", "--seconds", "4", *sizes],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" calls in 4 s") == (2 if conftest.JIT else 1)
