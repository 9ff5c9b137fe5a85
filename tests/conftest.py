"""What every test shares: a compile cache of its own, the Hypothesis profiles, and the folder of shared test data."""

import hashlib
import os
from pathlib import Path

import hypothesis
import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
JIT = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


def cache_folder() -> Path:
    """Name a compile cache after all that decides what is compiled.

    Numba's own cache notices neither an edited callee in another file nor a switched bounds check.
    """
    digest = hashlib.sha256()
    for name in ("NUMBA_BOUNDSCHECK", "NUMBA_CPU_NAME"):
        digest.update(f"{name}={os.environ.get(name)}\n".encode())
    for path in sorted((ROOT / "colcodec" / "_kernels").rglob("*.py")):
        digest.update(path.read_bytes())
    return ROOT / ".numba_cache" / digest.hexdigest()[:16]


os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder()))  # before anything imports Numba

# Compiled, an example costs microseconds; interpreted, the same example costs milliseconds.
hypothesis.settings.register_profile("default", max_examples=200 if JIT else 20, deadline=None)
hypothesis.settings.register_profile("ci", max_examples=200 if JIT else 30, deadline=None, derandomize=True)
hypothesis.settings.register_profile("nightly", max_examples=10_000, deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=not JIT)
def wrapping_integers():
    """Let integers wrap silently, as compiled code does."""
    with np.errstate(over="ignore"):
        yield


@pytest.fixture(scope="session")
def shared():
    """Return the folder of test data that is too large for the repository."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared (hostile pages, and pages of Arrow C++ and parquet-java)")
    return SHARED
