"""Python in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import colcodec

PACKAGE = Path(colcodec.__file__).parent


def run_python(source, cache, root=PACKAGE.parent, **variables):
    """Run a program with the package that is in `root`; give what it prints."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(root)} | variables
    command = [sys.executable, "-W", "error", "-c", source]
    done = subprocess.run(command, env=environment, cwd=cache, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
