"""Where large arrays lie: in huge pages, whose first touch costs a tenth of that of small ones."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

HUGE_PAGE: Final = 1 << 21

LARGE: Final = 1 << 20
"""Bytes from which an array is worth it. The pages that it touches can be 2 MiB larger than it is."""

SPARE: Final = 2 * HUGE_PAGE
"""More than is needed to align an array: NumPy asks for huge pages from 4 MiB on, and memory not touched is free."""


def empty(size: int, dtype: npt.DTypeLike, offset: int = 0) -> npt.NDArray[Any]:
    """Make an array as `numpy.empty` does; a large one where a huge page begins.

    Fresh memory is half of the time of a decode: the kernel clears it page by page, 4 KiB at a time if nobody asks for
    more. NumPy does, but what malloc gives it begins anywhere, so that megabytes at both ends stay in small pages.

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
    dtype = np.dtype(dtype)
    nbytes = size * dtype.itemsize
    if nbytes < LARGE:
        return np.empty(size, dtype)
    room = np.empty(nbytes + SPARE, np.uint8)
    start = (offset - room.ctypes.data) % HUGE_PAGE
    return room[start : start + nbytes].view(dtype)
