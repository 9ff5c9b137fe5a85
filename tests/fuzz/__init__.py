"""Hostile pages, files and columns, made by mutation: ``python -m tests.fuzz --seconds 60``.

What is made is held against `naive`, against pyarrow where both accept it, and against bounds of time and memory. It
runs in a child process, so that what crashes is found as all else is, and is kept as a file.
"""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]

if str(TESTS) not in sys.path:  # run as a module, nobody has put the folder of `naive` there, as pytest does
    sys.path.insert(0, str(TESTS))

import conftest  # noqa: E402, F401 -- names the compile cache before anything imports Numba
