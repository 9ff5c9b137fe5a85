"""PLAIN: each value behind its length.

Specification: Encodings.md, "Plain (PLAIN = 0)", BYTE_ARRAY.
"""

import numpy as np
import numpy.typing as npt

from .._checks import max_length_bits, raise_for_status
from .._kernels.byte_array import LENGTH_SIZE, decode_plain, encode_plain
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding, Status
from . import ByteArrays


def encoded_bound(num_values: int, data_size: int) -> int:
    """Tell the size of a page, which for this encoding is exact.

    Parameters
    ----------
    num_values : int
        Number of values.
    data_size : int
        Bytes of all values.

    Returns
    -------
    int
        Bytes of the page.
    """
    return LENGTH_SIZE * num_values + data_size


def encode(offsets: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Encode values.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only: the starts of the values in `data`, and the end of the last.
    data : ndarray
        uint8, read-only.

    Returns
    -------
    ndarray
        uint8, the values of a page.

    Raises
    ------
    InvalidColumnError
        If the offsets do not fit the data, or a value has 2**31 bytes or more.
    """
    max_length_bits(offsets, data)
    out = np.empty(encoded_bound(offsets.size - 1, int(offsets[-1] - offsets[0])), np.uint8)
    encode_plain(offsets, data, out)
    return out


def decode(
    buf: npt.NDArray[np.uint8], num_values: int, *, max_data_size: int = DEFAULT_MAX_DATA_SIZE, copy: bool = True
) -> ByteArrays:
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
    room = buf.size - LENGTH_SIZE * num_values
    if room < 0:
        raise_for_status(
            Encoding.PLAIN, Status.TRUNCATED, buf.size, found=f"{buf.size} bytes cannot hold {num_values} values"
        )
    offsets = np.empty(num_values + 1, np.int64)
    data = np.empty(min(room, max_data_size), np.uint8)
    status, pos, index = decode_plain(buf, 0, buf.size, offsets, data)
    if status != Status.OK:
        raise_for_status(Encoding.PLAIN, status, pos, index)
    return ByteArrays(offsets, data[: offsets[-1]], int(pos))
