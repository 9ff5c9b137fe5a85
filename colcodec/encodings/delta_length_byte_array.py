"""DELTA_LENGTH_BYTE_ARRAY: all lengths as DELTA_BINARY_PACKED, then the bytes of all values.

Specification: Encodings.md, "Delta-length byte array (DELTA_LENGTH_BYTE_ARRAY = 6)", BYTE_ARRAY.
"""

from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from .._checks import max_length_bits, raise_for_status
from .._kernels.byte_array import check_lengths
from .._kernels.vector import add_up
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding, Status
from . import ByteArrays, Bytes, Measured, Offsets, delta_binary_packed

LENGTHS: Final = delta_binary_packed.Stream(Encoding.DELTA_LENGTH_BYTE_ARRAY, "lengths", holds_lengths=True)


def encoded_bound(offsets: Offsets, data: Bytes) -> int:
    """Tell how large a page can be.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only: the starts of the values in `data`, and the end of the last.
    data : ndarray
        uint8, read-only.

    Returns
    -------
    int
        Bytes that the page cannot exceed; writing may touch as many.

    Raises
    ------
    InvalidColumnError
        If the offsets do not fit the data, or a value has 2**31 bytes or more.
    """
    lengths = delta_binary_packed.encoded_bound(offsets.size - 1, max_length_bits(offsets, data) + 1)
    return lengths + int(offsets[-1] - offsets[0])


def encode(offsets: Offsets, data: Bytes, out: Bytes | None = None) -> Bytes:
    """Encode values.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only: the starts of the values in `data`, and the end of the last.
    data : ndarray
        uint8, read-only.
    out : ndarray, optional
        uint8 of at least :func:`encoded_bound` bytes to write to; a new array without it.

    Returns
    -------
    ndarray
        uint8, the values of a page.

    Raises
    ------
    InvalidColumnError
        If the offsets do not fit the data, or a value has 2**31 bytes or more.
    """
    bound = encoded_bound(offsets, data)
    out = np.empty(bound, np.uint8) if out is None else out
    pos = delta_binary_packed.write_lengths(offsets, out, 0)
    start, end = int(offsets[0]), int(offsets[-1])
    out[pos : pos + end - start] = data[start:end]
    return out[: pos + end - start]


def measure(buf: Bytes, num_values: int, *, max_data_size: int = DEFAULT_MAX_DATA_SIZE) -> Measured:
    """Check a page, and find how large its values are.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page; bytes behind the last value are not looked at.
    num_values : int
        Number of values that the page holds.
    max_data_size : int, optional
        The most bytes that all values together may have.

    Returns
    -------
    Measured
        The page, ready to be written to where the caller wants it.

    Raises
    ------
    MalformedPageError
        If the bytes are no page of `num_values` values.
    LimitError
        If the values have more than `max_data_size` bytes.
    """
    lengths, pos = delta_binary_packed.read(buf, 0, num_values, np.int32, LENGTHS, max_data_size)
    status, index, size = check_lengths(lengths, buf.size - pos, max_data_size)
    if status != Status.OK:
        raise_for_status(LENGTHS.encoding, status, pos + size, index, limit=max_data_size)
    view = buf[pos : pos + size]
    return Measured(num_values, view.size, partial(_fill, lengths, view, pos), view)


def _fill(lengths: npt.NDArray[np.int32], view: Bytes, pos: int, offsets: Offsets, data: Bytes | None) -> int:
    add_up(lengths, offsets)
    if data is not None:
        data[:] = view
    return pos + view.size


def decode(buf: Bytes, num_values: int, *, max_data_size: int = DEFAULT_MAX_DATA_SIZE, copy: bool = True) -> ByteArrays:
    """Decode values.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page; bytes behind the last value are not looked at.
    num_values : int
        Number of values that the page holds.
    max_data_size : int, optional
        The most bytes that all values together may have.
    copy : bool, optional
        Without it, the data is a view of `buf`.

    Returns
    -------
    ByteArrays
        The values, and the bytes that they took.

    Raises
    ------
    MalformedPageError
        If the bytes are no page of `num_values` values.
    LimitError
        If the values have more than `max_data_size` bytes.
    """
    return measure(buf, num_values, max_data_size=max_data_size).decode(copy=copy)
