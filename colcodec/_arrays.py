"""Where large arrays lie: in huge pages, and in memory that earlier ones have left.

Fresh memory is half of the time of a decode: the system clears it page by page. In huge pages that takes a tenth, and
memory that was touched before needs it not at all; malloc gives large blocks back to the system, so some are kept here.
"""

import os
import threading
import weakref
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Block = npt.NDArray[np.uint8]

HUGE_PAGE: Final = 1 << 21

LARGE: Final = 1 << 20
"""Bytes from which an array is worth it. The pages that it touches can be 2 MiB larger than it is."""

FEW: Final = 1 << 13
"""Elements below which nobody asks how large an array is: most calls make small ones, in a third of the time."""

SPARE: Final = 2 * HUGE_PAGE
"""More than is needed to align an array: NumPy asks for huge pages from 4 MiB on, and memory not touched is free."""

KEPT: Final = 128 << 20
"""The most bytes of memory that are kept for the arrays to come."""

_lock = threading.Lock()
_kept: list[Block] = []
"""Blocks whose arrays are gone, the latest last."""


def _renew_lock() -> None:
    global _lock  # noqa: PLW0603 # there is no other way to let go of a lock that another process's thread holds
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def empty(size: int, dtype: npt.DTypeLike, offset: int = 0) -> npt.NDArray[Any]:
    """Make an array as `numpy.empty` does; a large one where a huge page begins.

    Parameters
    ----------
    size : int
        Number of elements.
    dtype : dtype
        Their type.
    offset : int, optional
        Bytes behind the beginning of the huge page at which the array begins, a multiple of the type's alignment.

    Returns
    -------
    ndarray
        dtype[size], not initialized.
    """
    if size < FEW:
        return np.empty(size, dtype)
    dtype = np.dtype(dtype)
    nbytes = size * dtype.itemsize
    if nbytes < LARGE:
        return np.empty(size, dtype)
    block = _take(nbytes + SPARE)
    room = np.frombuffer(block.data, np.uint8)  # every view of it has it as its base, for its own is no array
    weakref.finalize(room, _leave, block).atexit = False
    start = (offset - room.ctypes.data) % HUGE_PAGE
    return room[start : start + nbytes].view(dtype)


def release() -> None:
    """Give the memory that is kept back to the system."""
    with _lock:
        _kept.clear()


def _take(nbytes: int) -> Block:
    """Find the smallest block that is large enough, and not twice as large; or make one."""
    with _lock:
        fitting = [i for i, block in enumerate(_kept) if nbytes <= block.size <= 2 * nbytes]
        if fitting:
            return _kept.pop(min(fitting, key=lambda i: _kept[i].size))
    return np.empty(nbytes, np.uint8)


def _leave(block: Block) -> None:
    """Keep the block of an array that is gone, unless the lock is held: by this very thread, it may be."""
    if block.size > KEPT or not _lock.acquire(blocking=False):
        return
    try:
        _kept.append(block)
        while sum(kept.size for kept in _kept) > KEPT:
            del _kept[0]
    finally:
        _lock.release()
