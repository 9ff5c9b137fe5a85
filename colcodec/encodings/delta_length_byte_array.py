"""DELTA_LENGTH_BYTE_ARRAY: all lengths as DELTA_BINARY_PACKED, then the bytes of all values.

Specification: Encodings.md, "Delta-length byte array (DELTA_LENGTH_BYTE_ARRAY = 6)", BYTE_ARRAY.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from .. import encodings
from .._arrays import empty
from .._checks import max_length_bits, raise_for_status
from .._growing import Growing
from .._kernels.byte_array import check_lengths, copy_slices, sum_lengths, take_lengths
from .._kernels.vector import add_up
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding, Status
from . import ByteArrays, Bytes, Offsets, delta_binary_packed

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
    out = empty(bound, np.uint8) if out is None else out
    pos = delta_binary_packed.write_lengths(offsets, out, 0)
    start, end = int(offsets[0]), int(offsets[-1])
    out[pos : pos + end - start] = data[start:end]
    return out[: pos + end - start]


class Writer:
    """A page that is written batch by batch: the stream of the lengths, and the bytes of all values."""

    __slots__ = ("_data", "_lengths")

    def __init__(self) -> None:
        self._lengths = delta_binary_packed.Writer(np.int32)
        self._data = Growing(np.uint8)

    @property
    def size(self) -> int:
        """Bytes that the page would have if it ended here."""
        return self._lengths.size + self._data.size

    def add(self, offsets: Offsets, data: Bytes) -> None:
        """Write the values of a column."""
        self.add_slices(offsets[:-1], offsets[1:], data, int(offsets[-1] - offsets[0]))

    def add_slices(self, starts: Offsets, ends: Offsets, data: Bytes, size: int) -> None:
        """Write values that lie anywhere in `data`."""
        lengths = empty(starts.size, np.uint32)
        take_lengths(starts, ends, lengths)
        lengths.flags.writeable = False
        out = self._data.room(size)
        self._lengths.add_bits(lengths)
        self._data.size = int(copy_slices(starts, ends, data, out, self._data.size))

    def finish(self) -> Bytes:
        """Give the page, in memory of its own, and begin the next."""
        page = np.concatenate((*self._lengths.parts(), self._data.written))
        self.clear()
        return page

    def clear(self) -> None:
        """Begin anew."""
        self._lengths.clear()
        self._data.size = 0


class Reader(encodings.Reader):
    """Values whose lengths have been read.

    Parameters
    ----------
    lengths : ndarray
        int32[n]: checked.
    view : ndarray
        uint8, read-only: the bytes of all values.
    pos : int
        Where these begin in the page.
    """

    __slots__ = ("_done", "_lengths", "_pos", "_values")

    def __init__(self, lengths: npt.NDArray[np.int32], view: Bytes, pos: int) -> None:
        super().__init__(lengths.size, view.size, view)
        self._lengths = lengths
        self._values = view
        self._pos = pos
        self._done = 0  # bytes of the values behind which it stands

    def size_of(self, count: int) -> int:
        """Tell how many bytes the next `count` values have together."""
        return int(sum_lengths(self._lengths[self.position : self.position + count]))

    def fill(self, offsets: Offsets, data: Bytes | None) -> int:
        """Write the next values, and go on behind them."""
        count = offsets.size - 1
        end = self._done + int(add_up(self._lengths[self.position : self.position + count], offsets))
        if data is not None:
            data[:] = self._values[self._done : end]
        self.position += count
        self._done = end
        return self._pos + end

    def skip(self, count: int) -> None:
        """Go on behind the next `count` values."""
        self._done += self.size_of(count)
        self.position += count


def measure(buf: Bytes, num_values: int, *, max_data_size: int = DEFAULT_MAX_DATA_SIZE) -> Reader:
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
    Reader
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
        found = f"a length of {lengths[index]}, of {buf.size - pos - size} bytes left"
        raise_for_status(LENGTHS.encoding, status, pos + size, index, found=found, limit=max_data_size)
    return Reader(lengths, buf[pos : pos + size], pos)


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
