"""The one decorator of every kernel."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.extending import intrinsic as numba_intrinsic

from ._cache import cache_of

if sys.byteorder != "little":
    # Parquet is little-endian and the kernels load and store its numbers as they stand in memory.
    raise ImportError("colcodec needs a little-endian machine")

F = TypeVar("F", bound=Callable[..., Any])

JIT_DISABLED: bool = bool(numba.config.DISABLE_JIT)
CHECKED: bool = bool(numba.config.BOUNDSCHECK)
"""True under NUMBA_BOUNDSCHECK=1: the intrinsics of memory.py then test every access, as Numba does with indexing."""


def kernel(function: F) -> F:
    """Compile `function` at its first call: no GIL, cached on disk, errors as in C.

    A kernel that is called by another becomes part of it, and none counts references, for they allocate nothing: a
    call that counts one for every array that it passes costs more than unpacking a miniblock.
    """
    return _compiled(function, nogil=True)


def object_kernel(function: F) -> F:
    """Compile `function` as a `kernel` that holds the GIL, for it calls functions of Python that need it.

    Nobody else runs meanwhile, so the objects that it finds in a list or an array are alive until it returns, and no
    longer.
    """
    return _compiled(function, nogil=False)


def _compiled(function: F, *, nogil: bool) -> F:
    if JIT_DISABLED:
        return np.errstate(over="ignore")(function)  # integers wrap in silence, as they do compiled
    # Numba's own types do not know `_nrt`; tests/kernels/test_jit.py fails where a release of Numba drops it.
    compile_: Any = numba.njit
    dispatcher = compile_(nogil=nogil, error_model="numpy", forceinline=True, _nrt=False)(function)
    dispatcher._cache = cache_of(function)  # which is all that `cache=True` does
    return cast("F", dispatcher)


def intrinsic(typed: Callable[..., Any]) -> Callable[[F], F]:
    """Give a plain Python function a body of LLVM instructions for compiled code.

    With the JIT off the plain function itself runs: it is the definition that the instructions must equal, and it
    tests its bounds. `typed` is what :func:`numba.extending.intrinsic` takes: ``(typing context, *types) -> (signature,
    code generator)``.
    """

    def decorate(plain: F) -> F:
        if JIT_DISABLED:
            return plain
        typed.__doc__ = plain.__doc__
        return cast("F", numba_intrinsic(typed))

    return decorate
