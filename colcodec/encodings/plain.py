"""PLAIN: each value behind its length.

Specification: Encodings.md, "Plain (PLAIN = 0)", BYTE_ARRAY.
"""

from functools import partial

import numpy as np

from .._checks import max_length_bits, raise_for_status
from .._kernels.byte_array import LENGTH_SIZE, decode_plain, encode_plain
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding, Status
from . import ByteArrays, Bytes, Measured, Offsets


def encoded_bound(offsets: Offsets, data: Bytes) -> int:
    """Tell the size of a page, which for this encoding is exact.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only: the starts of the values in `data`, and the end of the last.
    data : ndarray
        uint8, read-only.

    Returns
    -------
    int
        Bytes of the page.

    Raises
    ------
    InvalidColumnError
        If the offsets do not fit the data, or a value has 2**31 bytes or more.
    """
    max_length_bits(offsets, data)
    return LENGTH_SIZE * (offsets.size - 1) + int(offsets[-1] - offsets[0])


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
    size = encoded_bound(offsets, data)
    out = np.empty(size, np.uint8) if out is None else out[:size]
    encode_plain(offsets, data, out)
    return out


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
    room = buf.size - LENGTH_SIZE * num_values
    if room < 0:
        found = f"{buf.size} bytes cannot hold {num_values} values"
        raise_for_status(Encoding.PLAIN, Status.TRUNCATED, buf.size, found=found)
    return Measured(num_values, min(room, max_data_size), partial(_fill, buf))


def _fill(buf: Bytes, offsets: Offsets, data: Bytes | None) -> int:
    status, pos, index = decode_plain(buf, 0, buf.size, offsets, data)
    if status != Status.OK:
        raise_for_status(Encoding.PLAIN, status, pos, index, limit=None if data is None else data.size)
    return int(pos)


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
        Without meaning here: values that stand behind their lengths cannot be viewed as one run of bytes.

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
