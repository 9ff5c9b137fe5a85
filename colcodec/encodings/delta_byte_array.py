"""DELTA_BYTE_ARRAY: what each value shares with the one before it is left out.

A page is the lengths of the shared prefixes as DELTA_BINARY_PACKED, then the rest of each value as
DELTA_LENGTH_BYTE_ARRAY.

Specification: Encodings.md, "Delta Strings (DELTA_BYTE_ARRAY = 7)", BYTE_ARRAY.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from .._checks import max_length_bits, raise_for_status
from .._kernels.prefix import find_prefixes, gather_suffixes, rebuild_offsets, rebuild_values
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding, Status
from . import ByteArrays, delta_binary_packed, delta_length_byte_array

PREFIXES: Final = delta_binary_packed.Stream(Encoding.DELTA_BYTE_ARRAY, "prefix lengths", holds_lengths=True)
SUFFIXES: Final = delta_binary_packed.Stream(Encoding.DELTA_BYTE_ARRAY, "suffix lengths", holds_lengths=True)


def encoded_bound(num_values: int, suffix_size: int, length_bits: int) -> int:
    """Bound the size of a page.

    Parameters
    ----------
    num_values : int
        Number of values.
    suffix_size : int
        Bytes of all suffixes; the bytes of all values bound them.
    length_bits : int
        Bits that the length of the longest value takes.

    Returns
    -------
    int
        Bytes that the page cannot exceed.
    """
    prefixes = delta_binary_packed.encoded_bound(num_values, length_bits + 1)
    return prefixes + delta_length_byte_array.encoded_bound(num_values, suffix_size, length_bits)


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
    num_values = offsets.size - 1
    prefix_lengths = np.empty(num_values, np.int32)
    suffix_lengths = np.empty(num_values, np.int32)
    suffix_size = int(find_prefixes(offsets, data, prefix_lengths, suffix_lengths))
    out = np.empty(encoded_bound(num_values, suffix_size, length_bits), np.uint8)
    pos = delta_binary_packed.write(prefix_lengths, out, 0)
    pos = delta_binary_packed.write(suffix_lengths, out, pos)
    return out[: gather_suffixes(offsets, data, prefix_lengths, out, pos)]


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
        The most bytes that all values together may have. A page of this encoding can be many times smaller than its
        values, so this is what bounds the memory that they take.
    copy : bool, optional
        Without meaning here: values that share bytes in the page cannot be viewed as one run of bytes.

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
    read = delta_binary_packed.read
    prefix_lengths, pos = read(buf, 0, num_values, np.int32, PREFIXES, max_data_size)
    suffix_lengths, pos = read(buf, pos, num_values, np.int32, SUFFIXES, max_data_size)
    offsets = np.empty(num_values + 1, np.int64)
    status, index = rebuild_offsets(prefix_lengths, suffix_lengths, buf.size - pos, max_data_size, offsets)
    if status != Status.OK:
        position = pos + int(suffix_lengths[:index].sum(dtype=np.int64))
        raise_for_status(SUFFIXES.encoding, status, position, index)
    data = np.empty(offsets[-1], np.uint8)
    consumed = rebuild_values(buf, pos, prefix_lengths, offsets, data)
    return ByteArrays(offsets, data, int(consumed))
