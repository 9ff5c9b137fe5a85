"""DELTA_BYTE_ARRAY: what each value shares with the one before it is left out.

A page is the lengths of the shared prefixes as DELTA_BINARY_PACKED, then the rest of each value as
DELTA_LENGTH_BYTE_ARRAY.

Specification: Encodings.md, "Delta Strings (DELTA_BYTE_ARRAY = 7)", BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY.
"""

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import encodings
from .._arrays import empty
from .._checks import max_length_bits, raise_for_status, read_only
from .._growing import Growing
from .._kernels.byte_array import sum_lengths
from .._kernels.memory import COPY_SLACK
from .._kernels.prefix import (
    check_prefixes,
    find_other_sum,
    find_prefixes,
    gather_suffixes,
    rebuild_last,
    rebuild_offsets,
    rebuild_values,
    split_slices,
)
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding, Status
from . import ByteArrays, Bytes, Offsets, delta_binary_packed

Lengths: TypeAlias = npt.NDArray[np.int32]

NO_BYTES: Final = read_only(np.empty(0, np.uint8))

PREFIXES: Final = delta_binary_packed.Stream(Encoding.DELTA_BYTE_ARRAY, "prefix lengths", holds_lengths=True)
SUFFIXES: Final = delta_binary_packed.Stream(Encoding.DELTA_BYTE_ARRAY, "suffix lengths", holds_lengths=True)


def encoded_bound(offsets: Offsets, data: Bytes, type_length: int | None = None) -> int:
    """Tell how large a page can be.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only: the starts of the values in `data`, and the end of the last.
    data : ndarray
        uint8, read-only.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY; the page has the lengths all the same.

    Returns
    -------
    int
        Bytes that the page cannot exceed; writing may touch as many.

    Raises
    ------
    InvalidColumnError
        If the offsets do not fit the data, or a value has 2**31 bytes or more.
    """
    return _bound(offsets.size - 1, max_length_bits(offsets, data), int(offsets[-1] - offsets[0]))


def _bound(num_values: int, length_bits: int, suffix_size: int) -> int:
    return 2 * delta_binary_packed.encoded_bound(num_values, length_bits + 1) + suffix_size


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
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY; the page has the lengths all the same.

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
    prefix_lengths = empty(num_values, np.int32)
    suffix_size = int(find_prefixes(offsets, data, prefix_lengths))
    out = empty(_bound(num_values, length_bits, suffix_size), np.uint8) if out is None else out
    pos = delta_binary_packed.write(prefix_lengths, out, 0)
    pos = delta_binary_packed.write_lengths(offsets, out, pos, prefix_lengths)
    return out[: gather_suffixes(offsets, data, prefix_lengths, out, pos)]


class Writer:
    """A page that is written batch by batch: the streams of both lengths, the suffixes, and the last value so far."""

    __slots__ = ("_last", "_prefix_lengths", "_suffix_lengths", "_suffixes")

    def __init__(self) -> None:
        self._prefix_lengths = delta_binary_packed.Writer(np.int32)
        self._suffix_lengths = delta_binary_packed.Writer(np.int32)
        self._suffixes = Growing(np.uint8)
        self._last = NO_BYTES

    @property
    def size(self) -> int:
        """Bytes that the page would have if it ended here."""
        return self._prefix_lengths.size + self._suffix_lengths.size + self._suffixes.size

    def add(self, offsets: Offsets, data: Bytes) -> None:
        """Write the values of a column."""
        self.add_slices(offsets[:-1], offsets[1:], data, int(offsets[-1] - offsets[0]))

    def add_slices(self, starts: Offsets, ends: Offsets, data: Bytes, size: int) -> None:
        """Write values that lie anywhere in `data`."""
        if starts.size == 0:
            return
        prefix_lengths, suffix_lengths = empty(starts.size, np.uint32), empty(starts.size, np.uint32)
        last = read_only(data[starts[-1] : ends[-1]].copy())
        self._suffix_lengths.reserve(starts.size)
        out, pos = self._suffixes.room(size), self._suffixes.size
        pos = split_slices(starts, ends, data, self._last, prefix_lengths, suffix_lengths, out, pos)
        prefix_lengths.flags.writeable = suffix_lengths.flags.writeable = False
        self._prefix_lengths.add_bits(prefix_lengths)
        self._suffix_lengths.add_bits(suffix_lengths)
        self._suffixes.size = int(pos)
        self._last = last

    def finish(self) -> Bytes:
        """Give the page, in memory of its own, and begin the next."""
        page = np.concatenate((*self._prefix_lengths.parts(), *self._suffix_lengths.parts(), self._suffixes.written))
        self.clear()
        return page

    def clear(self) -> None:
        """Begin anew."""
        self._prefix_lengths.clear()
        self._suffix_lengths.clear()
        self._suffixes.size = 0
        self._last = NO_BYTES


class Reader(encodings.Reader):
    """Values whose prefix and suffix lengths have been read.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the page.
    pos : int
        Where the suffixes begin in it.
    prefix_lengths, suffix_lengths : ndarray
        int32[n]: checked.
    data_size : int
        Bytes of all values together.
    """

    __slots__ = ("_before", "_buf", "_pos", "_prefix_lengths", "_suffix_lengths")

    def __init__(self, buf: Bytes, pos: int, prefix_lengths: Lengths, suffix_lengths: Lengths, data_size: int) -> None:
        super().__init__(prefix_lengths.size, data_size)
        self._buf = buf
        self._pos = pos
        self._prefix_lengths = prefix_lengths
        self._suffix_lengths = suffix_lengths
        self._before = NO_BYTES  # the value behind which it stands

    def size_of(self, count: int) -> int:
        """Tell how many bytes the next `count` values have together."""
        return sum(int(sum_lengths(lengths)) for lengths in self._next(count))

    def fill(self, offsets: Offsets, data: Bytes | None) -> int:
        """Write the next values, and go on behind them."""
        prefix_lengths, suffix_lengths = self._next(offsets.size - 1)
        rebuild_offsets(prefix_lengths, suffix_lengths, offsets)
        self._pos = int(rebuild_values(self._buf, self._pos, prefix_lengths, offsets, self._before, data))
        self.position += prefix_lengths.size
        if data is not None and prefix_lengths.size and self.position < self.num_values:
            self._before = read_only(data[offsets[-2] : offsets[-1]].copy())  # without the other values
        return self._pos

    def skip(self, count: int) -> None:
        """Go on behind the next `count` values."""
        prefix_lengths, suffix_lengths = self._next(count)
        if count:
            longest = np.add(prefix_lengths, suffix_lengths, dtype=np.int64).max()
            value = np.empty(max(longest, self._before.size) + COPY_SLACK, np.uint8)
            value[: self._before.size] = self._before
            self._pos = int(rebuild_last(self._buf, self._pos, prefix_lengths, suffix_lengths, value))
            self._before = read_only(value[: int(prefix_lengths[-1]) + int(suffix_lengths[-1])])
        self.position += count

    def _next(self, count: int) -> tuple[Lengths, Lengths]:
        end = self.position + count
        return self._prefix_lengths[self.position : end], self._suffix_lengths[self.position : end]


def measure(
    buf: Bytes, num_values: int, *, max_data_size: int = DEFAULT_MAX_DATA_SIZE, type_length: int | None = None
) -> Reader:
    """Check a page, and find how large its values are.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page; bytes behind the last value are not looked at.
    num_values : int
        Number of values that the page holds.
    max_data_size : int, optional
        The most bytes that all values together may have. A page of this encoding can be many times smaller than its
        values, so this is what bounds the memory that they take.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY, which every value is checked to have.

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
    prefix_lengths, pos = delta_binary_packed.read(buf, 0, num_values, np.int32, PREFIXES, max_data_size)
    suffix_lengths, pos = delta_binary_packed.read(buf, pos, num_values, np.int32, SUFFIXES, max_data_size)
    status, index, size = check_prefixes(prefix_lengths, suffix_lengths, buf.size - pos, max_data_size)
    if status != Status.OK:
        if status in (Status.PREFIX, Status.FIRST_PREFIX):
            before = int(prefix_lengths[index - 1]) + int(suffix_lengths[index - 1]) if index > 0 else 0
            found = f"a prefix of {prefix_lengths[index]}, of {before} bytes before it"
        elif status == Status.LIMIT:
            found = f"a value of {int(prefix_lengths[index]) + int(suffix_lengths[index])} bytes"
        else:
            found = f"a suffix of {suffix_lengths[index]}, of {buf.size - pos - size} bytes left"
        raise_for_status(SUFFIXES.encoding, status, pos + size, index, found=found, limit=max_data_size)
    if type_length is not None and (index := find_other_sum(prefix_lengths, suffix_lengths, type_length)) >= 0:
        before = int(suffix_lengths[:index].sum(dtype=np.int64))
        found = f"{int(prefix_lengths[index]) + int(suffix_lengths[index])} bytes, {type_length} expected"
        raise_for_status(SUFFIXES.encoding, Status.FIXED_LENGTH, pos + before, index, found=found)
    return Reader(buf, pos, prefix_lengths, suffix_lengths, int(size))


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
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY, which every value is checked to have.
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
    return measure(buf, num_values, max_data_size=max_data_size, type_length=type_length).decode(copy=copy)
