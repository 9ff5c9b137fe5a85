"""What colcodec does not do, to show what that is worth: a builder that grows, and a slice for each value, in Numba.

The lengths are packed by colcodec here too, so that the difference is the builder and the slices alone.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

import colcodec as cc

Bytes = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int64]

FIRST_CAPACITY = 64


def decode_plain(page: Bytes, num_values: int) -> tuple[Offsets, Bytes]:
    """Decode PLAIN value by value.

    Parameters
    ----------
    page : ndarray
        uint8, a valid page.
    num_values : int
        Number of values in it.

    Returns
    -------
    offsets : ndarray
        int64[num_values + 1].
    data : ndarray
        uint8, as much as needed of the builder's buffer.
    """
    return _decode_plain(page, num_values)


def encode_delta_length_byte_array(offsets: Offsets, data: Bytes) -> Bytes:
    """Encode DELTA_LENGTH_BYTE_ARRAY value by value.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1].
    data : ndarray
        uint8, the bytes of the values.

    Returns
    -------
    ndarray
        uint8, the page.
    """
    lengths, joined = _join(offsets, data)
    return np.concatenate([_packed(lengths), joined])


def encode_delta_byte_array(offsets: Offsets, data: Bytes) -> Bytes:
    """Encode DELTA_BYTE_ARRAY value by value.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1].
    data : ndarray
        uint8, the bytes of the values.

    Returns
    -------
    ndarray
        uint8, the page.
    """
    prefixes, lengths, suffixes = _split(offsets, data)
    return np.concatenate([_packed(prefixes), _packed(lengths), suffixes])


def _packed(lengths: npt.NDArray[np.int32]) -> Bytes:
    return cc.encode(lengths, "DELTA_BINARY_PACKED").data


@njit(cache=True)
def _grown(buffer, used, added):  # noqa: ANN001, ANN202 (any dtype)
    """Give the buffer, or one at least twice as large with the same contents, with room for what is added."""
    if used + added <= len(buffer):
        return buffer
    larger = np.empty(max(2 * len(buffer), used + added), buffer.dtype)
    larger[:used] = buffer[:used]
    return larger


@njit(cache=True)
def _decode_plain(page, num_values):  # noqa: ANN001, ANN202 (compiled)
    offsets = np.empty(FIRST_CAPACITY, np.int64)
    data = np.empty(FIRST_CAPACITY, np.uint8)
    offsets[0] = 0
    end = pos = 0
    for i in range(num_values):
        length = 0
        for k in range(4):
            length |= np.int64(page[pos + k]) << (8 * k)
        value = page[pos + 4 : pos + 4 + length]
        pos += 4 + length
        data = _grown(data, end, length)
        data[end : end + length] = value
        end += length
        offsets = _grown(offsets, i + 1, 1)
        offsets[i + 1] = end
    return offsets[: num_values + 1], data[:end]


@njit(cache=True)
def _join(offsets, data):  # noqa: ANN001, ANN202 (compiled)
    lengths = np.empty(FIRST_CAPACITY, np.int32)
    joined = np.empty(FIRST_CAPACITY, np.uint8)
    end = 0
    for i in range(len(offsets) - 1):
        value = data[offsets[i] : offsets[i + 1]]
        lengths = _grown(lengths, i, 1)
        lengths[i] = len(value)
        joined = _grown(joined, end, len(value))
        joined[end : end + len(value)] = value
        end += len(value)
    return lengths[: len(offsets) - 1], joined[:end]


@njit(cache=True)
def _split(offsets, data):  # noqa: ANN001, ANN202 (compiled)
    prefixes = np.empty(FIRST_CAPACITY, np.int32)
    lengths = np.empty(FIRST_CAPACITY, np.int32)
    suffixes = np.empty(FIRST_CAPACITY, np.uint8)
    previous = data[:0]
    end = 0
    for i in range(len(offsets) - 1):
        value = data[offsets[i] : offsets[i + 1]]
        prefix = 0
        while prefix < min(len(value), len(previous)) and value[prefix] == previous[prefix]:
            prefix += 1
        suffix = value[prefix:]
        prefixes = _grown(prefixes, i, 1)
        prefixes[i] = prefix
        lengths = _grown(lengths, i, 1)
        lengths[i] = len(suffix)
        suffixes = _grown(suffixes, end, len(suffix))
        suffixes[end : end + len(suffix)] = suffix
        end += len(suffix)
        previous = value
    return prefixes[: len(offsets) - 1], lengths[: len(offsets) - 1], suffixes[:end]
