"""DELTA_BINARY_PACKED: integers as bit-packed differences; it also carries the lengths of the other delta encodings.

Specification: Encodings.md, "Delta Encoding (DELTA_BINARY_PACKED = 5)", INT32 and INT64.
"""

from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from .._arrays import empty
from .._checks import raise_for_status, read_only
from .._growing import Growing
from .._kernels.delta import (
    STATE_SIZE,
    WRITER_STATE_SIZE,
    decode_delta,
    delta_bound,
    encode_delta,
    encode_ends,
    encode_lengths,
    extend_delta,
    open_delta,
    read_delta,
    read_header,
)
from .._spec import BLOCK_SIZE, DEFAULT_MAX_DATA_SIZE, Encoding, Status

LIKELY_VALUES: Final = 2**20
LIKELY_VALUES_PER_BYTE: Final = 16
"""A page that claims more values than these, in all and for each of its bytes, is measured before it is decoded."""

OFFSET_SIZE: Final = 8

NO_PREFIXES: Final = np.empty(0, np.int32)

UNSIGNED: Final = {4: np.uint32, 8: np.uint64}
"""What kernels see values and differences as, by their size: arithmetic wraps, and that is defined for these alone."""


def is_likely(num_values: int, buf: npt.NDArray[np.uint8]) -> bool:
    """Tell whether an honest page is likely to hold so many values.

    Parameters
    ----------
    num_values : int
        Number of values that the page claims.
    buf : ndarray
        uint8: the page.

    Returns
    -------
    bool
        False where the caller's limits are to be looked at before room for all of the values is allocated.
    """
    return num_values <= max(LIKELY_VALUES, LIKELY_VALUES_PER_BYTE * buf.size)


def encoded_bound(num_values: int, max_bits: int) -> int:
    """Bound the size of a stream.

    Parameters
    ----------
    num_values : int
        Number of values.
    max_bits : int
        Bits that the difference of two differences can take, at most 32 or 64 by the type; for lengths below ``2**k``
        that is ``k + 1``.

    Returns
    -------
    int
        Bytes that the stream cannot exceed.
    """
    return delta_bound(num_values, max_bits)


def write(values: npt.NDArray[Any], out: npt.NDArray[np.uint8], pos: int) -> int:
    """Write a stream into a page.

    Parameters
    ----------
    values : ndarray
        int32[n] or int64[n], contiguous and of this machine's byte order.
    out : ndarray
        uint8, with :func:`encoded_bound` bytes from `pos` on.
    pos : int
        Where to begin.

    Returns
    -------
    int
        Where the stream ends.
    """
    deltas = np.empty(BLOCK_SIZE, UNSIGNED[values.itemsize])
    return int(encode_delta(read_only(values.view(deltas.dtype)), deltas, deltas.view(values.dtype), out, pos))


def write_lengths(
    offsets: npt.NDArray[np.int64],
    out: npt.NDArray[np.uint8],
    pos: int,
    prefix_lengths: npt.NDArray[np.int32] = NO_PREFIXES,
) -> int:
    """Write the stream of the lengths of values into a page.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only.
    out : ndarray
        uint8, with :func:`encoded_bound` bytes from `pos` on.
    pos : int
        Where to begin.
    prefix_lengths : ndarray, optional
        int32[n]: bytes at the start of each value that do not count.

    Returns
    -------
    int
        Where the stream ends.
    """
    deltas = np.empty(BLOCK_SIZE, np.uint32)
    return int(encode_lengths(offsets, prefix_lengths, deltas, deltas.view(np.int32), out, pos))


class Stream(NamedTuple):
    """What a stream in a page is to the page.

    Parameters
    ----------
    encoding : Encoding
        The encoding of the page, for errors.
    part : str
        What the stream is in it, for errors.
    holds_lengths : bool
        Whether it holds lengths, which are not negative and add up to no more than the values may have bytes.
    """

    encoding: Encoding
    part: str
    holds_lengths: bool


VALUES: Final = Stream(Encoding.DELTA_BINARY_PACKED, "values", holds_lengths=False)


def read(
    buf: npt.NDArray[np.uint8],
    pos: int,
    num_values: int,
    dtype: npt.DTypeLike,
    stream: Stream,
    max_data_size: int,
    out: npt.NDArray[Any] | None = None,
) -> tuple[npt.NDArray[Any], int]:
    """Read a stream out of a page.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only.
    pos : int
        Where the stream begins.
    num_values : int
        Number of values that it must hold.
    dtype : dtype
        int32 or int64; int32 for lengths.
    stream : Stream
        What it is to the page.
    max_data_size : int
        The most bytes that integers may take, or the values whose lengths these are; and their offsets, where the page
        claims more values than are likely in its size.
    out : ndarray, optional
        Where to write: n elements of `dtype`. A new array without it.

    Returns
    -------
    tuple of ndarray and int
        int32[n] or int64[n], and the place where the stream ends, padding included.

    Raises
    ------
    MalformedPageError
        If the bytes are no stream of `num_values` values.
    LimitError
        If the values exceed `max_data_size`.
    """
    if num_values == 0 and buf.size == 0:  # no header is no legal page, but known writers emit it for no values
        return np.empty(0, dtype), 0
    state = np.empty(STATE_SIZE, np.int64)
    if not is_likely(num_values, buf):
        _measure(buf, pos, state, num_values, dtype, stream, max_data_size)
    elif not stream.holds_lengths and np.dtype(dtype).itemsize * num_values > max_data_size:
        _raise(stream, Status.LIMIT, pos, -1, num_values, buf, max_data_size)
    values = empty(num_values, dtype) if out is None else out[:num_values]
    status, after, index = decode_delta(buf, pos, buf.size, state, values.view(UNSIGNED[values.itemsize]))
    if status != Status.OK:
        _raise(stream, status, after, index, num_values, buf, max_data_size)
    return values, int(after)


def _measure(
    buf: npt.NDArray[np.uint8],
    pos: int,
    state: npt.NDArray[np.int64],
    num_values: int,
    dtype: npt.DTypeLike,
    stream: Stream,
    max_data_size: int,
) -> None:
    """Read a stream to its end without keeping it, or to where it is seen to be wrong.

    Equal differences take no bits, so a few bytes can claim any number of values: find out whether the page holds what
    they would stand for before room for all of them is allocated.
    """
    total = 0
    values = np.empty(LIKELY_VALUES, dtype)
    status, after, index = open_delta(buf, pos, buf.size, num_values, 8 * values.itemsize, state)
    if status == Status.OK and (OFFSET_SIZE if stream.holds_lengths else values.itemsize) * num_values > max_data_size:
        status, after, index = Status.LIMIT, pos, -1
    for start in range(0, num_values, LIKELY_VALUES):
        values = values[: num_values - start]
        if status == Status.OK:
            status, after, index = read_delta(buf, buf.size, state, values.view(UNSIGNED[values.itemsize]))
        if status != Status.OK:
            _raise(stream, status, after, index, num_values, buf, max_data_size)
        if stream.holds_lengths:
            total += int(values.sum(dtype=np.int64))
            if values.min() < 0:
                index = start + int(np.argmax(values < 0))
                _raise(stream, Status.NEGATIVE_LENGTH, after, index, num_values, buf, max_data_size)
            if total > max_data_size:
                _raise(stream, Status.LIMIT, after, start, num_values, buf, max_data_size)


def _raise(
    stream: Stream,
    status: int,
    position: int,
    index: int,
    num_values: int,
    buf: npt.NDArray[np.uint8],
    max_data_size: int,
) -> NoReturn:
    found = f"in the {stream.part}, {num_values} expected"
    if status == Status.COUNT_MISMATCH:
        found += f", {read_header(buf, position, buf.size, 64)[4]} told"
    raise_for_status(stream.encoding, status, position, index, found=found, limit=max_data_size, buf=buf)


def encode(values: npt.NDArray[Any], out: npt.NDArray[np.uint8] | None = None) -> npt.NDArray[np.uint8]:
    """Encode integers.

    Parameters
    ----------
    values : ndarray
        int32[n] or int64[n].
    out : ndarray, optional
        uint8 of at least :func:`encoded_bound` bytes to write to; a new array without it.

    Returns
    -------
    ndarray
        uint8, the values of a page.
    """
    if out is None:
        out = empty(encoded_bound(values.size, 8 * values.itemsize), np.uint8)
    return out[: write(values, out, 0)]


def decode(
    buf: npt.NDArray[np.uint8],
    num_values: int,
    dtype: npt.DTypeLike,
    *,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
    out: npt.NDArray[Any] | None = None,
) -> tuple[npt.NDArray[Any], int]:
    """Decode integers.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page; bytes behind the last value are not looked at.
    num_values : int
        Number of values that the page holds.
    dtype : dtype
        int32 or int64.
    max_data_size : int, optional
        The most bytes that the integers may take.
    out : ndarray, optional
        Where to write: at least n elements of `dtype`. A new array without it.

    Returns
    -------
    tuple of ndarray and int
        int32[n] or int64[n], and the number of bytes that they took.

    Raises
    ------
    MalformedPageError
        If the bytes are no page of `num_values` values.
    LimitError
        If the integers take more than `max_data_size` bytes.
    """
    return read(buf, 0, num_values, dtype, VALUES, max_data_size, out)


class Reader:
    """Integers of a page, from the first to the last, of which no more is decoded than is asked for.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page; bytes behind the last value are not looked at.
    num_values : int
        Number of values that the page holds.
    dtype : dtype
        int32 or int64.
    max_data_size : int, optional
        The most bytes that the integers may take.

    Raises
    ------
    MalformedPageError
        If the page does not begin as one of `num_values` values.
    LimitError
        If the integers take more than `max_data_size` bytes.
    """

    __slots__ = ("_buf", "_dtype", "_limit", "_state", "num_values", "position")

    def __init__(
        self, buf: npt.NDArray[np.uint8], num_values: int, dtype: npt.DTypeLike, *, max_data_size: int
    ) -> None:
        self._buf = buf
        self._dtype = np.dtype(dtype)
        self._limit = max_data_size
        self._state = np.zeros(STATE_SIZE, np.int64)
        self.num_values = num_values
        self.position = 0
        if num_values or buf.size:
            status, pos, index = open_delta(buf, 0, buf.size, num_values, 8 * self._dtype.itemsize, self._state)
            if status == Status.OK and num_values * self._dtype.itemsize > max_data_size:
                status = Status.LIMIT
            self._check(status, pos, index)

    def read(self, count: int) -> npt.NDArray[Any]:
        """Give the next `count` values, int32[count] or int64[count]; with an error, they are still the next."""
        if not is_likely(count, self._buf):
            self._walk(count)
        values = np.empty(count, self._dtype)
        self._decode(self._state, values)
        self.position += count
        return values

    def skip(self, count: int) -> None:
        """Go on behind the next `count` values, checking what reading them would."""
        self._state = self._walk(count)
        self.position += count

    def _walk(self, count: int) -> npt.NDArray[np.int64]:
        """Decode the next values without keeping them; give the state behind them."""
        state = self._state.copy()
        values = np.empty(min(count, LIKELY_VALUES), self._dtype)
        for start in range(0, count, LIKELY_VALUES):
            self._decode(state, values[: count - start])
        return state

    def _decode(self, state: npt.NDArray[np.int64], values: npt.NDArray[Any]) -> None:
        self._check(*read_delta(self._buf, self._buf.size, state, values.view(UNSIGNED[values.itemsize])))

    def _check(self, status: int, pos: int, index: int) -> None:
        if status != Status.OK:
            _raise(VALUES, status, pos, index, self.num_values, self._buf, self._limit)


class Writer:
    """A stream that is written batch by batch: finished blocks, and the differences of the one that is open.

    Parameters
    ----------
    dtype : dtype
        int32 or int64.
    """

    __slots__ = ("_blocks", "_deltas", "_ends", "_scratch", "_signed_deltas", "_signed_scratch", "_state", "dtype")

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        unsigned = UNSIGNED[self.dtype.itemsize]
        self._deltas = np.empty(BLOCK_SIZE, unsigned)
        self._scratch = np.empty(BLOCK_SIZE, unsigned)
        self._signed_deltas, self._signed_scratch = self._deltas.view(dtype), self._scratch.view(dtype)
        self._state = np.zeros(WRITER_STATE_SIZE, np.int64)
        self._blocks = Growing(np.uint8)
        self._ends = np.empty(encoded_bound(BLOCK_SIZE + 1, 8 * self.dtype.itemsize), np.uint8)

    @property
    def size(self) -> int:
        """Bytes that the stream would have if it ended here."""
        return self._blocks.size + self._encode_ends()[1]

    def reserve(self, count: int) -> npt.NDArray[np.uint8]:
        """Make room for the blocks that `count` more values can fill, so that :func:`add` cannot fail."""
        return self._blocks.room((count // BLOCK_SIZE + 1) * self._ends.size)

    def add(self, values: npt.NDArray[Any]) -> None:
        """Write integers of the writer's dtype, contiguous and of this machine's byte order."""
        self.add_bits(read_only(values.view(self._deltas.dtype)))

    def add_bits(self, values: npt.NDArray[Any]) -> None:
        """Write integers that are seen as unsigned ones, uint32[n] or uint64[n], read-only."""
        out, pos = self.reserve(values.size), self._blocks.size
        self._blocks.size = int(extend_delta(values, self._state, self._deltas, self._signed_deltas, out, pos))

    def parts(self) -> tuple[npt.NDArray[np.uint8], ...]:
        """Give the stream, as if it ended here, in three views that hold until more is written."""
        header_end, end = self._encode_ends()
        return self._ends[:header_end], self._blocks.written, self._ends[header_end:end]

    def finish(self) -> npt.NDArray[np.uint8]:
        """Give the stream, uint8, in memory of its own, and begin the next."""
        stream = np.concatenate(self.parts())
        self.clear()
        return stream

    def clear(self) -> None:
        """Begin anew."""
        self._state[:] = 0
        self._blocks.size = 0

    def _encode_ends(self) -> tuple[int, int]:
        header_end, end = encode_ends(self._state, self._deltas, self._scratch, self._signed_scratch, self._ends)
        return int(header_end), int(end)
