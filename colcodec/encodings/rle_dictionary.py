"""RLE_DICTIONARY: each distinct value once, in a PLAIN page of its own, and for each value which of them it is.

A page is the width of the indices in a byte, then the indices in the RLE / bit-packed hybrid.

Specification: Encodings.md, "Dictionary Encoding (PLAIN_DICTIONARY = 2 and RLE_DICTIONARY = 8)".
"""

from functools import partial
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import encodings
from .._arrays import empty
from .._checks import max_length_bits, raise_for_status, read_only
from .._growing import Growing
from .._kernels.byte_array import copy_slices
from .._kernels.dictionary import add_lengths, find_plain_spans, find_spans, find_wild, gather
from .._kernels.memory import COPY_SLACK
from .._kernels.rle import MEASURE_STATE_SIZE, check_runs, decode_hybrid, encode_hybrid, hybrid_bound, measure_hybrid
from .._kernels.vector import add_up
from .._spec import DEFAULT_MAX_DATA_SIZE, DEFAULT_MAX_DICTIONARY_SIZE, MAX_INDEX_WIDTH, MAX_INT32, Encoding, Status
from ..dictionary import Dictionary
from ..errors import DictionaryTooLarge, InvalidColumnError
from ..string_column import StringColumn
from . import ByteArrays, Bytes, Offsets, delta_binary_packed, plain

OFFSET_SIZE: Final = 8

Indices = npt.NDArray[np.uint32]

SMALL: Final = 1 << 16
"""Bytes of a dictionary that is worth a copy with bytes to spare, so that its last values are copied quickly too."""


class Writer:
    """A page of indices that is written batch by batch; its dictionary goes on growing from page to page.

    Parameters
    ----------
    max_dictionary_size : int
        The most bytes that the dictionary page may have.
    type_length : int, optional
        Bytes of each value, if they all have the same.
    """

    __slots__ = ("_indices", "_measured", "dictionary")

    def __init__(self, max_dictionary_size: int, type_length: int | None = None) -> None:
        self.dictionary = Dictionary(max_dictionary_size, type_length)
        self._indices = Growing(np.uint32)
        self._measured = np.zeros(MEASURE_STATE_SIZE, np.int64)

    @property
    def size(self) -> int:
        """Bytes that the page would have if it ended here."""
        return 1 + int(measure_hybrid(self._indices.written, index_width(len(self.dictionary)), self._measured))

    def add(self, offsets: Offsets, data: Bytes) -> None:
        """Write the values of a column."""
        count, num_known = offsets.size - 1, len(self.dictionary)
        indices = self._indices.room(count)[self._indices.size :][:count]
        try:
            self.dictionary.add(offsets, data, indices)
        except (DictionaryTooLarge, MemoryError):
            self.dictionary.forget(num_known)
            raise
        self._indices.size += count

    def add_slices(self, starts: Offsets, ends: Offsets, data: Bytes, size: int) -> None:
        """Write values that lie anywhere in `data`."""
        offsets, gathered = np.zeros(starts.size + 1, np.int64), empty(size, np.uint8)
        add_up(ends - starts, offsets)
        copy_slices(starts, ends, data, gathered, 0)
        self.add(read_only(offsets), read_only(gathered))

    def finish(self) -> Bytes:
        """Give the page, in memory of its own, and begin the next."""
        page = encode_indices(self._indices.written, len(self.dictionary))
        self._begin()
        return page.copy()

    def clear(self) -> None:
        """Begin anew, with an empty dictionary."""
        self.dictionary.forget(0)
        self._begin()

    def _begin(self) -> None:
        self._indices.size = 0
        self._measured[:] = 0


def encoded_bound(num_values: int, num_known: int | None = None) -> int:
    """Bound the size of a page of indices.

    Parameters
    ----------
    num_values : int
        Number of values.
    num_known : int, optional
        Number of distinct values; as many as there are values where it is not known.

    Returns
    -------
    int
        Bytes that the page cannot exceed.
    """
    return 1 + int(hybrid_bound(num_values, index_width(num_values if num_known is None else num_known)))


def index_width(num_known: int) -> int:
    """Tell how wide indices are.

    Parameters
    ----------
    num_known : int
        Number of distinct values.

    Returns
    -------
    int
        Bits of an index, as Arrow C++ writes them: 1 for a single value, where none would do.
    """
    return num_known if num_known < 2 else (num_known - 1).bit_length()


def encode_indices(indices: Indices, num_known: int, out: Bytes | None = None) -> Bytes:
    """Encode indices.

    Parameters
    ----------
    indices : ndarray
        uint32[n], writeable like the differences that :func:`pack` is compiled for; nothing is written to it.
    num_known : int
        Number of distinct values of the dictionary when the page ends; all indices are below it.
    out : ndarray, optional
        uint8 of at least :func:`encoded_bound` bytes to write to; a new array without it.

    Returns
    -------
    ndarray
        uint8, the values of a page.
    """
    width = index_width(num_known)
    out = empty(1 + hybrid_bound(indices.size, width), np.uint8) if out is None else out
    out[0] = width
    return out[: encode_hybrid(indices, width, out, 1)]


def encode(
    offsets: Offsets,
    data: Bytes,
    out: Bytes | None = None,
    *,
    max_dictionary_size: int = DEFAULT_MAX_DICTIONARY_SIZE,
    type_length: int | None = None,
) -> tuple[Bytes, Dictionary]:
    """Encode values.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only: the starts of the values in `data`, and the end of the last.
    data : ndarray
        uint8, read-only.
    out : ndarray, optional
        uint8 of at least :func:`encoded_bound` bytes to write to; a new array without it.
    max_dictionary_size : int, optional
        The most bytes that the dictionary page may have.
    type_length : int, optional
        Bytes of each value, if they all have the same.

    Returns
    -------
    tuple of ndarray and Dictionary
        uint8, the values of a page; and the distinct values, whose PLAIN page goes before it.

    Raises
    ------
    DictionaryTooLarge
        If the dictionary takes more than `max_dictionary_size` bytes; as soon as it does.
    InvalidColumnError
        If the offsets do not fit the data, or a value has 2**31 bytes or more.
    """
    max_length_bits(offsets, data)
    dictionary = Dictionary(max_dictionary_size, type_length)
    indices = empty(offsets.size - 1, np.uint32)
    dictionary.add(offsets, data, indices)
    return encode_indices(indices, len(dictionary), out), dictionary


def read_indices(buf: Bytes, num_values: int, num_known: int, max_data_size: int) -> tuple[Indices, int]:
    """Read the indices of a page.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page; bytes behind the last value are not looked at.
    num_values : int
        Number of values that the page holds.
    num_known : int
        Number of values of the dictionary.
    max_data_size : int
        The most bytes that the offsets of the values may take, where the page claims more of them than are likely in
        its size.

    Returns
    -------
    tuple of ndarray and int
        uint32[num_values], each below `num_known`, and the place where they end in the page.

    Raises
    ------
    MalformedPageError
        If the bytes are no such page.
    LimitError
        If the offsets exceed `max_data_size`.
    """
    fail = partial(raise_for_status, Encoding.RLE_DICTIONARY)
    if num_values == 0 and buf.size <= 1:  # some writers leave out even the width; others write any
        return np.empty(0, np.uint32), buf.size
    if buf.size == 0:
        fail(Status.TRUNCATED, 0, found=f"no bytes for {num_values} values")
    width = int(buf[0])
    if width > MAX_INDEX_WIDTH:
        fail(Status.BIT_WIDTH, 0, found=f"indices of {width} bits, at most {MAX_INDEX_WIDTH} allowed")
    status, pos, index = check_runs(buf, 1, buf.size, width, num_values)
    if status == Status.OK:
        if OFFSET_SIZE * num_values > max_data_size and not delta_binary_packed.is_likely(num_values, buf):
            fail(Status.LIMIT, 0, found=f"{num_values} values", limit=max_data_size)
        indices = empty(num_values, np.uint32)
        status, pos, index = decode_hybrid(buf, 1, buf.size, width, indices)
    if status != Status.OK:
        fail(status, pos, index, buf=buf)
    wild = find_wild(indices, num_known)
    if wild >= 0:
        fail(Status.INDEX_RANGE, 1, wild, found=f"index {indices[wild]} of a dictionary of {num_known} values")
    return indices, int(pos)


class Known(NamedTuple):
    """The values that indices mean, wherever they lie.

    Parameters
    ----------
    spans : ndarray
        uint64[num_known], read-only: where each value lies in `data`, as :func:`make_span` tells it.
    data : ndarray
        uint8, read-only.
    """

    spans: npt.NDArray[np.uint64]
    data: Bytes


def known_of_page(buf: Bytes, num_values: int, type_length: int | None = None) -> Known:
    """Find the values of a dictionary page, and leave them where they are.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: a PLAIN page; bytes behind the last value are not looked at.
    num_values : int
        Number of values that the page holds.
    type_length : int, optional
        Bytes of each value, if they all have the same.

    Returns
    -------
    Known
        The values.

    Raises
    ------
    MalformedPageError
        If the bytes are no page of `num_values` values.
    InvalidColumnError
        If these have more bytes than a page can have.
    """
    plain.check_room(buf, num_values, type_length)
    data = _with_slack(buf, buf.size)
    spans = empty(num_values, np.uint64)
    if type_length is None:
        status, pos, index = find_plain_spans(data, buf.size, spans)
        if status != Status.OK:
            raise_for_status(Encoding.PLAIN, status, pos, index, buf=buf)
    else:
        pos = type_length * num_values
        find_spans(read_only(np.arange(num_values + 1) * type_length), data, spans)
    if pos > MAX_INT32:  # a span has 32 bits for where a value begins
        raise InvalidColumnError(f"a dictionary in a page of {pos} bytes; a page has 2**31 - 1 at most")
    return Known(read_only(spans), data)


def known_of_column(column: StringColumn) -> Known:
    """Find the values of a column.

    Parameters
    ----------
    column : StringColumn
        A dictionary without nulls.

    Returns
    -------
    Known
        The values.

    Raises
    ------
    InvalidColumnError
        If the arrays of the column do not fit each other any more, or lie beyond what a page can hold.
    """
    offsets, data = column.offsets, column.data
    max_length_bits(offsets, data)
    if offsets[-1] > MAX_INT32:
        raise InvalidColumnError(f"a dictionary in {offsets[-1]} bytes of data; a page has 2**31 - 1 at most")
    data = _with_slack(data, int(offsets[-1]))
    spans = empty(len(column), np.uint64)
    find_spans(offsets, data, spans)
    return Known(read_only(spans), data)


def _with_slack(data: Bytes, size: int) -> Bytes:
    if data.size - size >= COPY_SLACK or size > SMALL:
        return data
    roomy = np.zeros(size + COPY_SLACK, np.uint8)
    roomy[:size] = data[:size]
    return read_only(roomy)


class Reader(encodings.Reader):
    """Values whose indices have been read.

    Parameters
    ----------
    indices : ndarray
        uint32[n], read-only: checked.
    pos : int
        Where they end in the page.
    known : Known
        What they mean.
    data_size : int
        Bytes of all values together.
    """

    __slots__ = ("_indices", "_known", "_pos")

    def __init__(self, indices: Indices, pos: int, known: Known, data_size: int) -> None:
        super().__init__(indices.size, data_size)
        self._indices = indices
        self._pos = pos
        self._known = known

    def size_of(self, count: int) -> int:
        """Tell how many bytes the next `count` values have together."""
        return int(add_lengths(self._indices[self.position : self.position + count], self._known.spans))

    def fill(self, offsets: Offsets, data: Bytes | None) -> int:
        """Write the next values, and go on behind them."""
        end = self.position + offsets.size - 1
        gather(self._indices[self.position : end], *self._known, offsets, data)
        self.position = end
        return self._pos


def measure(buf: Bytes, num_values: int, known: Known, *, max_data_size: int = DEFAULT_MAX_DATA_SIZE) -> Reader:
    """Check a page, and find how large its values are.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page; bytes behind the last value are not looked at.
    num_values : int
        Number of values that the page holds.
    known : Known
        What the indices mean.
    max_data_size : int, optional
        The most bytes that all values together may have. They can be many times larger than page and dictionary.

    Returns
    -------
    Reader
        The page, ready to be written to where the caller wants it.

    Raises
    ------
    MalformedPageError
        If the bytes are no page of `num_values` values of that dictionary.
    LimitError
        If the values have more than `max_data_size` bytes.
    """
    indices, pos = read_indices(buf, num_values, known.spans.size, max_data_size)
    size = int(add_lengths(read_only(indices), known.spans))
    if size > max_data_size:
        raise_for_status(Encoding.RLE_DICTIONARY, Status.LIMIT, pos, found=f"{size} bytes", limit=max_data_size)
    return Reader(read_only(indices), pos, known, size)


def decode(buf: Bytes, num_values: int, known: Known, *, max_data_size: int = DEFAULT_MAX_DATA_SIZE) -> ByteArrays:
    """Decode values.

    Parameters
    ----------
    buf : ndarray
        uint8, read-only: the values of a page; bytes behind the last value are not looked at.
    num_values : int
        Number of values that the page holds.
    known : Known
        What the indices mean.
    max_data_size : int, optional
        The most bytes that all values together may have.

    Returns
    -------
    ByteArrays
        The values, and the bytes that they took.

    Raises
    ------
    MalformedPageError
        If the bytes are no page of `num_values` values of that dictionary.
    LimitError
        If the values have more than `max_data_size` bytes.
    """
    return measure(buf, num_values, known, max_data_size=max_data_size).decode()
