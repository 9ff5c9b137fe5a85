"""PLAIN: each value behind its length; or, where all have the same, the values alone.

Specification: Encodings.md, "Plain (PLAIN = 0)", BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY.
"""

import numpy as np

from .. import encodings
from .._arrays import empty
from .._checks import max_length_bits, raise_for_status
from .._growing import Growing
from .._kernels.byte_array import (
    LENGTH_SIZE,
    copy_slices,
    count_plain,
    decode_plain,
    encode_plain,
    encode_plain_slices,
    fill_offsets,
    scan_plain,
)
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding, Status
from . import ByteArrays, Bytes, Offsets


def encoded_bound(offsets: Offsets, data: Bytes, type_length: int | None = None) -> int:
    """Tell the size of a page, which for this encoding is exact.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only: the starts of the values in `data`, and the end of the last.
    data : ndarray
        uint8, read-only.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.

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
    length_size = LENGTH_SIZE if type_length is None else 0
    return length_size * (offsets.size - 1) + int(offsets[-1] - offsets[0])


def encode(offsets: Offsets, data: Bytes, out: Bytes | None = None, type_length: int | None = None) -> Bytes:
    """Encode values.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only: the starts of the values in `data`, and the end of the last.
    data : ndarray
        uint8, read-only.
    out : ndarray, optional
        uint8 of at least :func:`encoded_bound` bytes to write to; a new array without it.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.

    Returns
    -------
    ndarray
        uint8, the values of a page.

    Raises
    ------
    InvalidColumnError
        If the offsets do not fit the data, or a value has 2**31 bytes or more.
    """
    size = encoded_bound(offsets, data, type_length)
    out = empty(size, np.uint8) if out is None else out[:size]
    if type_length is None:
        encode_plain(offsets, data, out, 0)
    else:
        out[:] = data[offsets[0] : offsets[-1]]
    return out


class Writer:
    """A page that is written batch by batch.

    Parameters
    ----------
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.
    """

    __slots__ = ("_length_size", "_page")

    def __init__(self, type_length: int | None = None) -> None:
        self._length_size = LENGTH_SIZE if type_length is None else 0
        self._page = Growing(np.uint8)

    @property
    def size(self) -> int:
        """Bytes that the page would have if it ended here."""
        return self._page.size

    def add(self, offsets: Offsets, data: Bytes) -> None:
        """Write the values of a column."""
        size = int(offsets[-1] - offsets[0])
        if self._length_size:
            out = self._page.room(LENGTH_SIZE * (offsets.size - 1) + size)
            self._page.size = int(encode_plain(offsets, data, out, self._page.size))
        else:
            self.add_slices(offsets[:-1], offsets[1:], data, size)

    def add_slices(self, starts: Offsets, ends: Offsets, data: Bytes, size: int) -> None:
        """Write values that lie anywhere in `data`."""
        out = self._page.room(self._length_size * starts.size + size)
        if self._length_size:
            self._page.size = int(encode_plain_slices(starts, ends, data, out, self._page.size))
        else:
            self._page.size = int(copy_slices(starts, ends, data, out, self._page.size))

    def finish(self) -> Bytes:
        """Give the page, in memory of its own, and begin the next."""
        page = self._page.written.copy()
        self.clear()
        return page

    def clear(self) -> None:
        """Begin anew."""
        self._page.size = 0


def count_values(buf: Bytes, type_length: int | None = None) -> int:
    """Count the values of a page that nothing follows.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.

    Returns
    -------
    int
        Number of values.

    Raises
    ------
    MalformedPageError
        If the page does not end where a value does.
    """
    if type_length is None:
        status, pos, count = count_plain(buf, 0, buf.size)
    else:
        count, rest = divmod(buf.size, type_length)
        status, pos = (Status.TRUNCATED if rest else Status.OK), buf.size - rest
    if status != Status.OK:
        raise_for_status(Encoding.PLAIN, status, pos, count, buf=buf)
    return int(count)


def check_room(buf: Bytes, num_values: int, type_length: int | None = None) -> None:
    """Check that a page has room for so many values, before anything is allocated for them.

    Parameters
    ----------
    buf : ndarray
        uint8: the values of a page.
    num_values : int
        Number of values that the page is to hold.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.

    Raises
    ------
    MalformedPageError
        If it has not.
    """
    if (LENGTH_SIZE if type_length is None else type_length) * num_values > buf.size:
        found = f"{buf.size} bytes cannot hold {num_values} values"
        raise_for_status(Encoding.PLAIN, Status.TRUNCATED, buf.size, found=found)


class Reader(encodings.Reader):
    """Values that stand behind their lengths, which are looked at as they come.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the page, with bytes for the length of each value at least.
    num_values : int
        Number of values.
    max_data_size : int
        The most bytes that all values together may have.
    """

    __slots__ = ("_buf", "_limit", "_pos")

    def __init__(self, buf: Bytes, num_values: int, max_data_size: int) -> None:
        super().__init__(num_values, min(buf.size - LENGTH_SIZE * num_values, max_data_size))
        self._buf = buf
        self._pos = 0
        self._limit = max_data_size

    def size_of(self, count: int) -> int:
        """Tell how many bytes the next `count` values have together."""
        return self._scan(count) - self._pos - LENGTH_SIZE * count

    def fill(self, offsets: Offsets, data: Bytes | None) -> int:
        """Write the next values, and go on behind them."""
        end = self._checked(*decode_plain(self._buf, self._pos, self._buf.size, offsets, data))
        return self._go_on(offsets.size - 1, end)

    def skip(self, count: int) -> None:
        """Go on behind the next `count` values."""
        self._go_on(count, self._scan(count))

    def _scan(self, count: int) -> int:
        """Find where the next `count` values end."""
        room = self._buf.size - self._pos - LENGTH_SIZE * (self.num_values - self.position)
        limit = self._limit - (self._pos - LENGTH_SIZE * self.position)
        return self._checked(*scan_plain(self._buf, self._pos, count, room, limit))

    def _checked(self, status: int, pos: int, index: int) -> int:
        if status != Status.OK:
            index += self.position
            raise_for_status(Encoding.PLAIN, status, pos, index, limit=self._limit, buf=self._buf)
        return int(pos)

    def _go_on(self, count: int, pos: int) -> int:
        self.position += count
        self._pos = pos
        return pos


class FixedLengthReader(encodings.Reader):
    """Values that all have the same length, and stand end to end.

    Parameters
    ----------
    num_values : int
        Number of values.
    view : ndarray
        uint8[num_values * type_length], read-only.
    type_length : int
        Bytes of each value.
    """

    __slots__ = ("_type_length", "_values")

    def __init__(self, num_values: int, view: Bytes, type_length: int) -> None:
        super().__init__(num_values, view.size, view)
        self._values = view
        self._type_length = type_length

    def size_of(self, count: int) -> int:
        """Tell how many bytes the next `count` values have together."""
        return count * self._type_length

    def fill(self, offsets: Offsets, data: Bytes | None) -> int:
        """Write the next values, and go on behind them."""
        start = self.position * self._type_length
        self.skip(offsets.size - 1)
        end = self.position * self._type_length
        fill_offsets(self._type_length, offsets)
        if data is not None:
            data[:] = self._values[start:end]
        return end


def measure(
    buf: Bytes, num_values: int, *, max_data_size: int = DEFAULT_MAX_DATA_SIZE, type_length: int | None = None
) -> Reader | FixedLengthReader:
    """Check a page, and find how large its values are.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page; bytes behind the last value are not looked at.
    num_values : int
        Number of values that the page holds.
    max_data_size : int, optional
        The most bytes that all values together may have.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.

    Returns
    -------
    Reader or FixedLengthReader
        The page, ready to be written to where the caller wants it.

    Raises
    ------
    MalformedPageError
        If the bytes are no page of `num_values` values.
    LimitError
        If the values have more than `max_data_size` bytes.
    """
    check_room(buf, num_values, type_length)
    if type_length is not None:
        view = buf[: num_values * type_length]
        if view.size > max_data_size:
            found = f"{view.size} bytes"
            raise_for_status(Encoding.PLAIN, Status.LIMIT, 0, found=found, limit=max_data_size)
        return FixedLengthReader(num_values, view, type_length)
    return Reader(buf, num_values, max_data_size)


def decode(
    buf: Bytes,
    num_values: int,
    *,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
    type_length: int | None = None,
    copy: bool = True,
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
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.
    copy : bool, optional
        Without it, the data of a FIXED_LEN_BYTE_ARRAY is a view of `buf`. Values that stand behind their lengths cannot
        be viewed as one run of bytes.

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
    return measure(buf, num_values, max_data_size=max_data_size, type_length=type_length).decode(copy=copy)
