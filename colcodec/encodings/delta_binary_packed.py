"""DELTA_BINARY_PACKED: integers as bit-packed differences; it also carries the lengths of the other delta encodings.

Specification: Encodings.md, "Delta Encoding (DELTA_BINARY_PACKED = 5)", INT32 and INT64.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .._checks import raise_for_status, read_only
from .._kernels.delta import decode_delta, delta_bound, encode_delta
from .._spec import BLOCK_SIZE, Encoding, Status

UNSIGNED: Final = {4: np.uint32, 8: np.uint64}
"""What kernels see values and differences as, by their size: arithmetic wraps, and that is defined for these alone."""


def encoded_bound(num_values: int, max_bits: int) -> int:
    """Bound the size of a stream.

    Parameters
    ----------
    num_values : int
        Number of values.
    max_bits : int
        Bits that the difference of two differences can take, at most 32 or 64 by the type; for lengths below ``2**k``
        that is ``k + 1``.

    Returns
    -------
    int
        Bytes that the stream cannot exceed.
    """
    return delta_bound(num_values, max_bits)


def write(values: npt.NDArray[Any], out: npt.NDArray[np.uint8], pos: int) -> int:
    """Write a stream into a page.

    Parameters
    ----------
    values : ndarray
        int32[n] or int64[n], contiguous and of this machine's byte order.
    out : ndarray
        uint8, with :func:`encoded_bound` bytes from `pos` on.
    pos : int
        Where to begin.

    Returns
    -------
    int
        Where the stream ends.
    """
    deltas = np.empty(BLOCK_SIZE, UNSIGNED[values.itemsize])
    return int(encode_delta(read_only(values.view(deltas.dtype)), deltas, deltas.view(values.dtype), out, pos))


def read(
    buf: npt.NDArray[np.uint8], pos: int, num_values: int, dtype: npt.DTypeLike, encoding: Encoding, part: str
) -> tuple[npt.NDArray[Any], int]:
    """Read a stream out of a page.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only.
    pos : int
        Where the stream begins.
    num_values : int
        Number of values that it must hold.
    dtype : dtype
        int32 or int64.
    encoding : Encoding
        The encoding of the page, for the error.
    part : str
        What the stream is in that page, for the error.

    Returns
    -------
    tuple of ndarray and int
        int32[n] or int64[n], and the place where the stream ends, padding included.

    Raises
    ------
    MalformedPageError
        If the bytes are no stream of `num_values` values.
    """
    if num_values == 0 and buf.size == 0:  # no header is no legal page, but known writers emit it for no values
        return np.empty(0, dtype), 0
    end = buf.size
    dtype = np.dtype(dtype)
    unsigned = UNSIGNED[dtype.itemsize]
    status, after, index = Status.OK, pos, -1
    if num_values > 16 * (end - pos):
        # Many values in few bytes are fine (equal differences take no bits), but walk the stream before believing it.
        status, after, index = decode_delta(buf, pos, end, num_values, np.empty(0, unsigned))
    values = np.empty(num_values if status == Status.OK else 0, unsigned)
    if status == Status.OK:
        status, after, index = decode_delta(buf, pos, end, num_values, values)
    if status != Status.OK:
        raise_for_status(encoding, status, after, index, found=f"in the {part}, {num_values} expected")
    return values.view(dtype), int(after)


def encode(values: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Encode integers.

    Parameters
    ----------
    values : ndarray
        int32[n] or int64[n].

    Returns
    -------
    ndarray
        uint8, the values of a page.
    """
    out = np.empty(encoded_bound(values.size, 8 * values.itemsize), np.uint8)
    return out[: write(values, out, 0)]


def decode(buf: npt.NDArray[np.uint8], num_values: int, dtype: npt.DTypeLike) -> tuple[npt.NDArray[Any], int]:
    """Decode integers.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page; bytes behind the last value are not looked at.
    num_values : int
        Number of values that the page holds.
    dtype : dtype
        int32 or int64.

    Returns
    -------
    tuple of ndarray and int
        int32[n] or int64[n], and the number of bytes that they took.

    Raises
    ------
    MalformedPageError
        If the bytes are no page of `num_values` values.
    """
    return read(buf, 0, num_values, dtype, Encoding.DELTA_BINARY_PACKED, "values")
