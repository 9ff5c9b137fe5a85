"""BYTE_STREAM_SPLIT: the first bytes of all values, then the second ones, up to the last.

The page is as large as the values; what compresses it finds bytes of one kind together.

Specification: Encodings.md, "Byte Stream Split (BYTE_STREAM_SPLIT = 9)", FIXED_LEN_BYTE_ARRAY.
"""

import numpy as np

from .. import encodings
from .._arrays import empty
from .._checks import max_length_bits, raise_for_status, read_only
from .._kernels.byte_array import fill_offsets
from .._kernels.byte_streams import join_streams, split_streams
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding, Status
from . import ByteArrays, Bytes, Offsets, plain


def encoded_bound(offsets: Offsets, data: Bytes, type_length: int) -> int:
    """Tell the size of a page, which for this encoding is exact.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only: the starts of the values in `data`, and the end of the last.
    data : ndarray
        uint8, read-only.
    type_length : int
        Bytes of each value.

    Returns
    -------
    int
        Bytes of the page.

    Raises
    ------
    InvalidColumnError
        If the offsets do not fit the data.
    """
    max_length_bits(offsets, data)
    return int(offsets[-1] - offsets[0])


def encode(offsets: Offsets, data: Bytes, out: Bytes | None, type_length: int) -> Bytes:
    """Encode values.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only: the starts of the values in `data`, and the end of the last.
    data : ndarray
        uint8, read-only.
    out : ndarray or None
        uint8 of at least :func:`encoded_bound` bytes to write to; a new array without it.
    type_length : int
        Bytes of each value.

    Returns
    -------
    ndarray
        uint8, the values of a page.

    Raises
    ------
    InvalidColumnError
        If the offsets do not fit the data.
    """
    size = encoded_bound(offsets, data, type_length)
    out = empty(size, np.uint8) if out is None else out[:size]
    split_streams(data[offsets[0] : offsets[-1]], type_length, out)
    return out


class Writer(plain.Writer):
    """A page that is written batch by batch: its values, whose bytes are split up when all are there.

    Parameters
    ----------
    type_length : int
        Bytes of each value.
    """

    __slots__ = ("_type_length",)

    def __init__(self, type_length: int) -> None:
        super().__init__(type_length)
        self._type_length = type_length

    def finish(self) -> Bytes:
        """Give the page, in memory of its own, and begin the next."""
        values = super().finish()
        page = empty(values.size, np.uint8)
        split_streams(read_only(values), self._type_length, page)
        return page


class Reader(encodings.Reader):
    """Values whose bytes stand in as many streams as a value has bytes.

    Parameters
    ----------
    buf : ndarray
        uint8[num_values * type_length], read-only: the page.
    num_values : int
        Number of values.
    type_length : int
        Bytes of each value.
    """

    __slots__ = ("_buf", "_type_length")

    def __init__(self, buf: Bytes, num_values: int, type_length: int) -> None:
        super().__init__(num_values, buf.size)
        self._buf = buf
        self._type_length = type_length

    def size_of(self, count: int) -> int:
        """Tell how many bytes the next `count` values have together."""
        return count * self._type_length

    def fill(self, offsets: Offsets, data: Bytes | None) -> int:
        """Write the next values, and go on behind them."""
        fill_offsets(self._type_length, offsets)
        join_streams(self._buf, self._type_length, self.position, data)
        self.skip(offsets.size - 1)
        return self._buf.size


def measure(buf: Bytes, num_values: int, *, max_data_size: int = DEFAULT_MAX_DATA_SIZE, type_length: int) -> Reader:
    """Check a page, and find how large its values are.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page, and nothing behind them. Where a stream begins follows from the number
        of values. Other readers take it from the size of the page instead, so a page of another size would be read as
        other values by each of them.
    num_values : int
        Number of values that the page holds.
    max_data_size : int, optional
        The most bytes that all values together may have.
    type_length : int
        Bytes of each value.

    Returns
    -------
    Reader
        The page, ready to be written to where the caller wants it.

    Raises
    ------
    MalformedPageError
        If the page has another size than `num_values` values.
    LimitError
        If the values have more than `max_data_size` bytes.
    """
    size = num_values * type_length
    if buf.size != size:
        status = Status.TRUNCATED if buf.size < size else Status.COUNT_MISMATCH
        found = f"{buf.size} bytes for {num_values} values of {type_length}"
        raise_for_status(Encoding.BYTE_STREAM_SPLIT, status, min(buf.size, size), found=found)
    if size > max_data_size:
        raise_for_status(Encoding.BYTE_STREAM_SPLIT, Status.LIMIT, 0, found=f"{size} bytes", limit=max_data_size)
    return Reader(buf, num_values, type_length)


def decode(
    buf: Bytes,
    num_values: int,
    *,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
    type_length: int,
    copy: bool = True,
) -> ByteArrays:
    """Decode values.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page, and nothing behind them.
    num_values : int
        Number of values that the page holds.
    max_data_size : int, optional
        The most bytes that all values together may have.
    type_length : int
        Bytes of each value.
    copy : bool, optional
        Of no effect: the bytes of a value are never together in the page.

    Returns
    -------
    ByteArrays
        The values, and the bytes that they took.

    Raises
    ------
    MalformedPageError
        If the page has another size than `num_values` values.
    LimitError
        If the values have more than `max_data_size` bytes.
    """
    return measure(buf, num_values, max_data_size=max_data_size, type_length=type_length).decode()
