"""DELTA_LENGTH_BYTE_ARRAY: all lengths as DELTA_BINARY_PACKED, then the bytes of all values.

Specification: Encodings.md, "Delta-length byte array (DELTA_LENGTH_BYTE_ARRAY = 6)", BYTE_ARRAY.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from .._checks import max_length_bits, raise_for_status
from .._kernels.byte_array import lengths_from_offsets, offsets_from_lengths
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding, Status
from . import ByteArrays, delta_binary_packed

LENGTHS: Final = delta_binary_packed.Stream(Encoding.DELTA_LENGTH_BYTE_ARRAY, "lengths", holds_lengths=True)


def encoded_bound(num_values: int, data_size: int, length_bits: int) -> int:
    """Bound the size of a page.

    Parameters
    ----------
    num_values : int
        Number of values.
    data_size : int
        Bytes of all values.
    length_bits : int
        Bits that the length of the longest value takes.

    Returns
    -------
    int
        Bytes that the page cannot exceed.
    """
    return delta_binary_packed.encoded_bound(num_values, length_bits + 1) + data_size


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
    length_bits = max_length_bits(offsets, data)
    start, end = int(offsets[0]), int(offsets[-1])
    lengths = np.empty(offsets.size - 1, np.int32)
    lengths_from_offsets(offsets, lengths)
    out = np.empty(encoded_bound(lengths.size, end - start, length_bits), np.uint8)
    pos = delta_binary_packed.write(lengths, out, 0)
    out[pos : pos + end - start] = data[start:end]
    return out[: pos + end - start]


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
    lengths, pos = delta_binary_packed.read(buf, 0, num_values, np.int32, LENGTHS, max_data_size)
    offsets = np.empty(num_values + 1, np.int64)
    status, index = offsets_from_lengths(lengths, buf.size - pos, max_data_size, offsets)
    if status != Status.OK:
        raise_for_status(LENGTHS.encoding, status, pos + int(offsets[index]), index)
    end = pos + int(offsets[-1])
    data = buf[pos:end]
    return ByteArrays(offsets, data.copy() if copy else data, end)
