"""The least and the greatest of values, as metadata holds them: found without a look at each value, and cut short.

Specification: ``Statistics``, ``ColumnIndex`` and ``ColumnOrder`` of ``parquet.thrift``; PageIndex.md.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..encodings import Bytes, Offsets
from .structs import BoundaryOrder

MAX_SIZE: Final = 64
"""Bytes to which the least and the greatest value are cut, as other writers do."""

WORD_SIZE: Final = 8

MASKS: Final = np.array([2**64 - 2 ** (64 - 8 * size) for size in range(WORD_SIZE + 1)], np.uint64)
"""What is left of a big-endian word of which so many bytes count."""

MAX_CODE_POINT: Final = 0x10FFFF
SURROGATES: Final = range(0xD800, 0xE000)

Indices = npt.NDArray[np.intp]


def find_extremes(offsets: Offsets, data: Bytes, prefix_lengths: npt.NDArray[np.int32]) -> tuple[bytes, bytes]:
    """Find the least and the greatest of some values, as their bytes compare without sign.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1]: the starts of the values in `data`, one at least, and the end of the last.
    data : ndarray
        uint8.
    prefix_lengths : ndarray
        int32[n], how many bytes each shares with the one before it; that of the first is not looked at.

    Returns
    -------
    least, greatest : bytes
        Their first bytes: MAX_SIZE, and one more where there are more.
    """
    # What all share need not be compared, and of the rest eight bytes at a time leave few values to look further at.
    common = min(int(prefix_lengths[1:].min(initial=MAX_SIZE)), MAX_SIZE)
    words, longest = _load_words(offsets[:-1], offsets[1:], common, data)
    found = []
    for pick in (np.min, np.max):
        which = np.flatnonzero(words == pick(words))
        position, left = common + WORD_SIZE, longest
        while which.size > 1 and position < MAX_SIZE and left > WORD_SIZE:
            more, left = _load_words(offsets[which], offsets[which + 1], position, data)
            which = which[more == pick(more)]
            position += WORD_SIZE
        # Those that are left differ by nothing but NULs at their ends, or behind all that is kept.
        lengths = offsets[which + 1] - offsets[which]
        index = which[np.argmax(lengths == pick(lengths))]
        start, end = int(offsets[index]), int(offsets[index + 1])
        found.append(data[start : min(end, start + MAX_SIZE + 1)].tobytes())
    return found[0], found[1]


def _load_words(starts: Offsets, ends: Offsets, position: int, data: Bytes) -> tuple[npt.NDArray[np.uint64], int]:
    """Load eight bytes of each value, 0 behind its end, as numbers that compare as they do; and what most have left."""
    starts = starts + position
    left = ends - starts
    longest = int(left.max())
    if longest <= 0:
        return np.zeros(starts.size, np.uint64), longest
    if data.size < WORD_SIZE:
        data = np.concatenate([data, np.zeros(WORD_SIZE, np.uint8)])
    last = data.size - WORD_SIZE
    at_each_byte = np.ndarray((last + 1,), "<u8", data, strides=(1,))
    late = starts[np.searchsorted(starts, last, "right") :]
    words = at_each_byte[np.minimum(starts, last) if late.size else starts].byteswap(inplace=True)
    if late.size:  # what comes before the value has to go
        words[-late.size :] <<= (8 * np.minimum(late - last, WORD_SIZE)).astype(np.uint64)
    if left.min() < WORD_SIZE:
        words &= MASKS[left.clip(0, WORD_SIZE)]
    return words, longest


def cut_least(value: bytes, *, utf8: bool) -> bytes:
    """Cut the least value to MAX_SIZE bytes: what is left is no greater.

    Parameters
    ----------
    value : bytes
        The value, or as much of it as :func:`find_extremes` gives.
    utf8 : bool
        Whether it is text, and is to be cut between characters.

    Returns
    -------
    bytes
        The value or its beginning.
    """
    if len(value) <= MAX_SIZE:
        return value
    end = MAX_SIZE
    while utf8 and value[end] & 0xC0 == 0x80:  # within a character
        end -= 1
    return value[:end]


def cut_greatest(value: bytes, *, utf8: bool) -> bytes | None:
    """Cut the greatest value to MAX_SIZE bytes, and put the last of these that can be up: what is left is greater.

    Parameters
    ----------
    value : bytes
        The value, or as much of it as :func:`find_extremes` gives.
    utf8 : bool
        Whether it is text, and is to stay text.

    Returns
    -------
    bytes or None
        The value if it is short enough, else something greater; None where there is nothing greater.
    """
    if len(value) <= MAX_SIZE:
        return value
    start = cut_least(value, utf8=utf8)
    return _next_text(start.decode()) if utf8 else _next_bytes(start)


def _next_bytes(value: bytes) -> bytes | None:
    value = value.rstrip(b"\xff")
    return value[:-1] + bytes([value[-1] + 1]) if value else None


def _next_text(text: str) -> bytes | None:
    text = text.rstrip(chr(MAX_CODE_POINT))
    if not text:
        return None
    code = ord(text[-1]) + 1
    return (text[:-1] + chr(SURROGATES.stop if code in SURROGATES else code)).encode()


def find_boundary_order(least: Sequence[Any], greatest: Sequence[Any]) -> BoundaryOrder:
    """Find how pages are sorted.

    Parameters
    ----------
    least, greatest : sequence
        Of each page that has some, the least and the greatest value as the index has them.

    Returns
    -------
    BoundaryOrder
        ASCENDING also where all are the same.
    """
    if all(one <= other for values in (least, greatest) for one, other in pairwise(values)):
        return BoundaryOrder.ASCENDING
    if all(one >= other for values in (least, greatest) for one, other in pairwise(values)):
        return BoundaryOrder.DESCENDING
    return BoundaryOrder.UNORDERED
