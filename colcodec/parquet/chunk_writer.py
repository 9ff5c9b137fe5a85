"""A column chunk as it is written: its values in an encoding, cut into pages, and what metadata says of them."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from .._checks import max_length_bits
from .._kernels.byte_array import LENGTH_SIZE
from .._kernels.prefix import find_prefixes
from .._spec import DEFAULT_MAX_DICTIONARY_SIZE, Encoding
from ..choice import choose
from ..codec import Integers
from ..column_chunk import Run
from ..compression import Compression, Compressor
from ..dictionary import Dictionary
from ..encodings import Bytes, Offsets, delta_binary_packed
from ..encodings.rle_dictionary import encode_indices, index_width
from ..errors import DictionaryTooLarge
from ..levels import encode_validity
from ..page import BYTE_ARRAY_ENCODINGS, EncodedPage, make_dictionary_page
from ..string_column import StringColumn, _offsets_of
from .pages import codec_number, dictionary_page_header, make_page
from .statistics import cut_greatest, cut_least, find_boundary_order, find_extremes
from .structs import (
    ColumnIndex,
    ColumnMetaData,
    DataPageHeader,
    DataPageHeaderV2,
    PageEncodingStats,
    PageHeader,
    PageType,
    PhysicalType,
    Statistics,
)

MAX_ROWS_PER_PAGE: Final = 20_000
"""As parquet-java, Arrow C++ and arrow-rs have it: readers that filter by the page index leave out whole pages."""

INTEGER_TYPES: Final = {4: PhysicalType.INT32, 8: PhysicalType.INT64}

NUM_LENGTHS: Final = {Encoding.DELTA_LENGTH_BYTE_ARRAY: 1, Encoding.DELTA_BYTE_ARRAY: 2}
"""Lengths that an encoding packs for each value."""

Extremes = tuple[bytes, bytes] | tuple[int, int]
"""The least and the greatest value; of strings, as much as :func:`find_extremes` gives."""


class Options(NamedTuple):
    """How a file is written.

    Parameters
    ----------
    compression : str
        What compresses pages, as it was told.
    codec : Compression
        The same without its level.
    compress : callable
        Compresses a page.
    readers : tuple of str
        Who must be able to read the file.
    page_size : int
        Bytes of encoded values at which a page ends.
    page_version : int
        1 or 2, of data pages.
    run : callable
        Maps a function over pages in several threads.
    """

    compression: str
    codec: Compression
    compress: Compressor
    readers: tuple[str, ...]
    page_size: int
    page_version: int
    run: Run


class MadePage(NamedTuple):
    """A data page, and what metadata says of it.

    Parameters
    ----------
    data : bytes
        Header and body.
    raw_size : int
        Bytes of both before compression.
    num_rows, null_count : int
        Rows, and how many of them are null.
    extremes : tuple or None
        The least and the greatest value; None where all are null.
    """

    data: bytes
    raw_size: int
    num_rows: int
    null_count: int
    extremes: Extremes | None


class MadeChunk(NamedTuple):
    """A column chunk, to be put anywhere in a file.

    Parameters
    ----------
    dictionary : MadePage or None
        Its dictionary page, which goes before the others.
    pages : list of MadePage
        Its data pages.
    metadata : ColumnMetaData
        What the footer says of it, all but for offsets.
    column_index : ColumnIndex or None
        Its index; None if a page has a greatest value that cannot be told.
    """

    dictionary: MadePage | None
    pages: list[MadePage]
    metadata: ColumnMetaData
    column_index: ColumnIndex | None


def make_chunk(name: str, column: StringColumn | Integers, encoding: Encoding | None, options: Options) -> MadeChunk:
    """Make the pages of a column chunk.

    Parameters
    ----------
    name : str
        The name of the column.
    column : StringColumn or ndarray
        Its values, one at least; int32[n] or int64[n].
    encoding : Encoding or None
        How they are encoded; None for what takes the least space.
    options : Options
        How the file is written.

    Returns
    -------
    MadeChunk
        The pages, and what metadata says of them.
    """
    values, rows = _find_values(column, encoding, options), _rows_of(column)
    cuts = _cut(values.sizes()[rows.before], options.page_size)
    pages = options.run(lambda cut: _make_data_page(values, rows, *cut, options), cuts)
    dictionary = None if values.dictionary is None else _make_dictionary_page(values.dictionary, options)
    all_pages = pages if dictionary is None else [dictionary, *pages]
    metadata = ColumnMetaData(
        type=int(type_of(column)),
        encodings=_encodings_of(values, rows),
        path_in_schema=[name.encode()],
        codec=codec_number(options.codec),
        num_values=len(column),
        total_uncompressed_size=sum(page.raw_size for page in all_pages),
        total_compressed_size=sum(len(page.data) for page in all_pages),
        statistics=_make_statistics(values, pages),
        encoding_stats=_encoding_stats(values, len(pages), options),
    )
    return MadeChunk(dictionary, pages, metadata, _make_column_index(values, pages))


def type_of(values: StringColumn | Integers) -> PhysicalType:
    """Tell how values are stored.

    Parameters
    ----------
    values : StringColumn or ndarray
        The values of a column.

    Returns
    -------
    PhysicalType
        BYTE_ARRAY, INT32 or INT64.
    """
    return PhysicalType.BYTE_ARRAY if isinstance(values, StringColumn) else INTEGER_TYPES[values.itemsize]


# --- The values of a column chunk, in one encoding -------------------------------------------------------------------


class Bounds(NamedTuple):
    """What metadata says of the least and the greatest value; None for a greatest that cannot be told."""

    least: bytes
    greatest: bytes | None
    is_least_exact: bool
    is_greatest_exact: bool


class _Values(Protocol):
    """The values of a column chunk that are present, ready to be encoded."""

    encoding: Encoding
    dictionary: EncodedPage | None

    def sizes(self) -> npt.NDArray[np.int64]:
        """Give int64[n + 1]: about how many bytes the values before each take, and all of them."""

    def encode(self, start: int, end: int) -> Bytes:
        """Encode values as a page."""

    def extremes(self, start: int, end: int) -> Extremes:
        """Find the least and the greatest of one value or more."""

    def bounds(self, extremes: Any) -> Bounds:
        """Write these as metadata has them."""


class _Integers:
    """Integers, in DELTA_BINARY_PACKED or PLAIN."""

    dictionary: EncodedPage | None = None

    def __init__(self, integers: Integers, encoding: Encoding) -> None:
        self.encoding = encoding
        self._integers = integers

    def sizes(self) -> npt.NDArray[np.int64]:
        return np.arange(self._integers.size + 1) * self._integers.itemsize

    def encode(self, start: int, end: int) -> Bytes:
        part = self._integers[start:end]
        return part.view(np.uint8) if self.encoding is Encoding.PLAIN else delta_binary_packed.encode(part)

    def extremes(self, start: int, end: int) -> tuple[int, int]:
        part = self._integers[start:end]
        return int(part.min()), int(part.max())

    def bounds(self, extremes: tuple[int, int]) -> Bounds:
        least, greatest = (value.to_bytes(self._integers.itemsize, "little", signed=True) for value in extremes)
        return Bounds(least, greatest, is_least_exact=True, is_greatest_exact=True)


class _Strings:
    """Strings, in one of the encodings without a dictionary."""

    dictionary: EncodedPage | None = None

    def __init__(self, offsets: Offsets, data: Bytes, encoding: Encoding, *, utf8: bool) -> None:
        self.encoding = encoding
        self._utf8 = utf8
        self._length_bits = max_length_bits(offsets, data)
        self._offsets, self._data = offsets, data
        self._prefix_lengths = np.empty(offsets.size - 1, np.int32)
        find_prefixes(offsets, data, self._prefix_lengths)

    def sizes(self) -> npt.NDArray[np.int64]:
        sizes: npt.NDArray[np.int64] = self._offsets - self._offsets[0]
        if self.encoding is Encoding.DELTA_BYTE_ARRAY:
            sizes[1:] -= np.cumsum(self._prefix_lengths, dtype=np.int64)
        bits = 8 * LENGTH_SIZE if self.encoding is Encoding.PLAIN else NUM_LENGTHS[self.encoding] * self._length_bits
        sizes += np.arange(sizes.size) * bits // 8
        return sizes

    def encode(self, start: int, end: int) -> Bytes:
        return BYTE_ARRAY_ENCODINGS[self.encoding].encode(self._offsets[start : end + 1], self._data)

    def extremes(self, start: int, end: int) -> tuple[bytes, bytes]:
        return find_extremes(self._offsets[start : end + 1], self._data, self._prefix_lengths[start:end])

    def bounds(self, extremes: tuple[bytes, bytes]) -> Bounds:
        least, greatest = extremes
        known = cut_least(least, utf8=self._utf8), cut_greatest(greatest, utf8=self._utf8)
        return Bounds(*known, is_least_exact=known[0] == least, is_greatest_exact=known[1] == greatest)


class _Indices(_Strings):
    """Strings, in a dictionary."""

    def __init__(self, offsets: Offsets, data: Bytes, *, utf8: bool) -> None:
        max_length_bits(offsets, data)
        dictionary = Dictionary(DEFAULT_MAX_DICTIONARY_SIZE)
        self._indices = np.empty(offsets.size - 1, np.uint32)
        dictionary.add(offsets, data, self._indices)  # fails early if it does
        super().__init__(offsets, data, Encoding.RLE_DICTIONARY, utf8=utf8)
        self.dictionary = make_dictionary_page(dictionary, "utf8" if utf8 else "binary")
        self._num_known = len(dictionary)

    def sizes(self) -> npt.NDArray[np.int64]:
        return np.arange(self._indices.size + 1) * index_width(self._num_known) // 8

    def encode(self, start: int, end: int) -> Bytes:
        return encode_indices(self._indices[start:end], self._num_known if end > start else 0)


def _find_values(values: StringColumn | Integers, encoding: Encoding | None, options: Options) -> _Values:
    """Find out how the values of a column chunk are to be encoded."""
    if not isinstance(values, StringColumn):
        return _Integers(values, Encoding.DELTA_BINARY_PACKED if encoding is None else encoding)
    offsets, data = values._present()
    if encoding in (None, Encoding.RLE_DICTIONARY) and offsets.size == 1:
        encoding = Encoding.PLAIN  # a dictionary of nothing would be a page that some readers stumble over
    limit = DEFAULT_MAX_DICTIONARY_SIZE
    if encoding is Encoding.RLE_DICTIONARY:
        try:
            return _Indices(offsets, data, utf8=values.utf8)
        except DictionaryTooLarge:
            encoding, limit = None, 0
    if encoding is None:
        choice = choose(values, compression=options.compression, readers=options.readers, max_dictionary_size=limit)
        encoding = choice.encoding
    if encoding is Encoding.RLE_DICTIONARY:
        return _Indices(offsets, data, utf8=values.utf8)
    return _Strings(offsets, data, encoding, utf8=values.utf8)


# --- Pages -----------------------------------------------------------------------------------------------------------


class Rows(NamedTuple):
    """Which rows of a column chunk have a value.

    Parameters
    ----------
    is_valid : ndarray or None
        bool[num_rows]; None where all have.
    before : ndarray
        int64[num_rows + 1]: how many values there are before each row, and in all.
    is_optional : bool
        Whether there could be rows without, so that pages have levels.
    """

    is_valid: npt.NDArray[np.bool_] | None
    before: npt.NDArray[np.int64]
    is_optional: bool


def _rows_of(values: StringColumn | Integers) -> Rows:
    if not isinstance(values, StringColumn):
        return Rows(None, np.arange(values.size + 1), is_optional=False)
    if values.null_count == 0:
        return Rows(None, np.arange(len(values) + 1), is_optional=True)
    is_valid = values._is_valid()
    return Rows(is_valid, _offsets_of(is_valid.view(np.int8)), is_optional=True)


def _cut(sizes: npt.NDArray[np.int64], page_size: int) -> list[tuple[int, int]]:
    """Cut rows into pages: the first of each, and the one behind its last."""
    found, start, num_rows = [], 0, sizes.size - 1
    while start < num_rows:
        end = int(np.searchsorted(sizes, sizes[start] + page_size, "right")) - 1
        end = min(max(end, start + 1), start + MAX_ROWS_PER_PAGE)
        found.append((start, end))
        start = end
    return found


def _make_data_page(values: _Values, rows: Rows, start: int, end: int, options: Options) -> MadePage:
    first, last = int(rows.before[start]), int(rows.before[end])
    num_rows, null_count = end - start, end - start - (last - first)
    encoded = values.encode(first, last)
    levels = np.empty(0, np.uint8)
    if rows.is_optional:
        is_valid = rows.is_valid[start:end] if rows.is_valid is not None and null_count else None
        levels = encode_validity(is_valid, num_rows, page_version=options.page_version)
    raw_size = levels.size + encoded.size
    if options.page_version == 1:
        body = options.compress(np.concatenate([levels, encoded]))
        header = PageHeader(
            type=int(PageType.DATA_PAGE),
            data_page_header=DataPageHeader(
                num_values=num_rows,
                encoding=int(values.encoding),
                definition_level_encoding=int(Encoding.RLE),
                repetition_level_encoding=int(Encoding.RLE),
            ),
        )
    else:
        is_compressed = options.codec is not Compression.NONE and encoded.size > 0
        body = np.concatenate([levels, options.compress(encoded) if is_compressed else encoded])
        header = PageHeader(
            type=int(PageType.DATA_PAGE_V2),
            data_page_header_v2=DataPageHeaderV2(
                num_values=num_rows,
                num_nulls=null_count,
                num_rows=num_rows,
                encoding=int(values.encoding),
                definition_levels_byte_length=levels.size,
                repetition_levels_byte_length=0,
                is_compressed=is_compressed,
            ),
        )
    page = make_page(header, body, raw_size)
    extremes = values.extremes(first, last) if last > first else None
    return MadePage(page, len(page) - body.size + raw_size, num_rows, null_count, extremes)


def _make_dictionary_page(dictionary: EncodedPage, options: Options) -> MadePage:
    body = options.compress(dictionary.data)
    page = make_page(dictionary_page_header(dictionary.num_values), body, dictionary.nbytes)
    return MadePage(page, len(page) - body.size + dictionary.nbytes, 0, 0, None)


# --- Metadata --------------------------------------------------------------------------------------------------------


def _encodings_of(values: _Values, rows: Rows) -> list[int]:
    found = [values.encoding]
    if values.dictionary is not None:
        found.append(Encoding.PLAIN)
    if rows.is_optional:
        found.append(Encoding.RLE)
    return sorted(map(int, found))


def _encoding_stats(values: _Values, num_pages: int, options: Options) -> list[PageEncodingStats]:
    kind = PageType.DATA_PAGE if options.page_version == 1 else PageType.DATA_PAGE_V2
    found = [PageEncodingStats(page_type=int(kind), encoding=int(values.encoding), count=num_pages)]
    if values.dictionary is not None:
        own = PageEncodingStats(page_type=int(PageType.DICTIONARY_PAGE), encoding=int(Encoding.PLAIN), count=1)
        found.insert(0, own)
    return found


def _make_statistics(values: _Values, pages: Sequence[MadePage]) -> Statistics:
    statistics = Statistics(null_count=sum(page.null_count for page in pages))
    found = [page.extremes for page in pages if page.extremes is not None]
    if found:
        bounds = values.bounds((min(least for least, _ in found), max(greatest for _, greatest in found)))
        statistics.min_value, statistics.is_min_value_exact = bounds.least, bounds.is_least_exact
        if bounds.greatest is not None:
            statistics.max_value, statistics.is_max_value_exact = bounds.greatest, bounds.is_greatest_exact
    return statistics


def _make_column_index(values: _Values, pages: Sequence[MadePage]) -> ColumnIndex | None:
    """Make the index of a column chunk, or none if a page has a greatest value that cannot be told."""
    least, greatest, compared = [], [], []
    for page in pages:
        low, high = b"", b""
        if page.extremes is not None:
            bounds = values.bounds(page.extremes)
            if bounds.greatest is None:
                return None
            low, high = bounds.least, bounds.greatest
            compared.append(page.extremes if isinstance(page.extremes[0], int) else (low, high))
        least.append(low)
        greatest.append(high)
    return ColumnIndex(
        null_pages=[page.extremes is None for page in pages],
        min_values=least,
        max_values=greatest,
        boundary_order=int(find_boundary_order([low for low, _ in compared], [high for _, high in compared])),
        null_counts=[page.null_count for page in pages],
    )
