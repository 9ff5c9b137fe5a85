"""Parquet files of flat columns: strings in any encoding, and integers; with statistics, page indexes and checksums."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, BinaryIO, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from .._checks import as_size, max_length_bits
from .._kernels.byte_array import LENGTH_SIZE
from .._kernels.prefix import find_prefixes
from .._spec import DEFAULT_MAX_DICTIONARY_SIZE, MAX_INT32, Encoding
from ..choice import MAX_PAGE_SIZE, choose
from ..codec import Integers, as_integers, column
from ..column_chunk import Run, workers
from ..compression import Compression, Compressor, as_compression, find_compressor
from ..dictionary import Dictionary
from ..encodings import Bytes, Offsets, delta_binary_packed
from ..encodings.rle_dictionary import encode_indices, index_width
from ..errors import DictionaryTooLarge, InvalidColumnError, InvalidTypeError, naming
from ..levels import encode_validity
from ..page import BYTE_ARRAY_ENCODINGS, EncodedPage, as_writable_encoding, make_dictionary_page
from ..readers import check_readers, why_unreadable
from ..string_column import StringColumn, _offsets_of
from ._thrift import Struct
from .files import File, replacing
from .metadata import (
    MAGIC,
    ColumnChunk,
    ColumnIndex,
    ColumnMetaData,
    ColumnOrder,
    ConvertedType,
    DataPageHeader,
    DataPageHeaderV2,
    FileMetaData,
    KeyValue,
    LogicalType,
    OffsetIndex,
    PageEncodingStats,
    PageHeader,
    PageLocation,
    PageType,
    PhysicalType,
    Repetition,
    RowGroup,
    SchemaElement,
    Statistics,
    created_by,
)
from .pages import codec_number, dictionary_page_header, make_page
from .statistics import cut_greatest, cut_least, find_boundary_order, find_extremes

DEFAULT_ROW_GROUP_SIZE: Final = 2**20
MAX_ROWS_PER_PAGE: Final = 20_000
"""As parquet-java, Arrow C++ and arrow-rs have it: readers that filter by the page index leave out whole pages."""

VERSION: Final = 2
"""Of the format, in the footer: that which has the delta encodings."""

MAX_USUAL_PAGE_SIZE: Final = 2**30
"""Bytes at which pages end at last, however large they may be: far from the 2**31 that a page cannot have."""

INTEGER_ENCODINGS: Final = (Encoding.DELTA_BINARY_PACKED, Encoding.PLAIN)
INTEGER_NAMES: Final = " and ".join(encoding.name for encoding in INTEGER_ENCODINGS)
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


def write_columns(
    file: File,
    columns: Mapping[str, Any],
    /,
    *,
    encodings: Encoding | str | Mapping[str, Encoding | str] = "auto",
    compression: str = Compression.ZSTD,
    readers: str | Iterable[str] | None = None,
    row_group_size: int = DEFAULT_ROW_GROUP_SIZE,
    page_size: int = MAX_PAGE_SIZE,
    page_version: int = 1,
    key_value_metadata: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> None:
    """Write columns of strings, and of integers, to a Parquet file.

    A column of strings is optional in the schema, whether or not it has nulls, so that files of a data set agree; one
    of integers is required. Pages have checksums, and column chunks statistics and page indexes, in which values are
    cut to 64 bytes.

    Parameters
    ----------
    file : str, path or file object
        A path, which gets the file once it is whole; a URL that fsspec knows; or a binary file, empty so far.
    columns : mapping of str to array_like
        Columns of the same length by their names. Each is whatever `column` takes, of text (STRING in the schema) or of
        bytes; or int32[n] or int64[n], or a list of integers.
    encodings : Encoding, str or mapping, optional
        An encoding, or its name in the format, of all columns of strings; or by the names of columns, which can be
        DELTA_BINARY_PACKED and PLAIN for those of integers. "auto", as for every column that is not named, finds what
        takes the least space in each row group, as :func:`colcodec.choose` does; for integers it is
        DELTA_BINARY_PACKED, or PLAIN for readers that do not know it. Where a dictionary would take more than 1 MiB,
        a row group has what "auto" finds in place of RLE_DICTIONARY; one of nulls alone is PLAIN.
    compression : str, optional
        What compresses pages: "zstd", "snappy", "lz4", "gzip", "brotli" or "none", also with a level, as "zstd:9".
    readers : str or iterable of str, optional
        Who must be able to read the file, such as "spark" or ["impala", "duckdb"].
    row_group_size : int, optional
        Rows of each row group but the last.
    page_size : int, optional
        Bytes of encoded values, before they are compressed, at which a page ends; it has one row at least, and 20,000
        at most.
    page_version : int, optional
        1 or 2, of the data pages; all readers know those of version 1.
    key_value_metadata : mapping of str to str, optional
        What the footer is to hold beside that.
    threads : int, optional
        Number of threads that encode and compress. By default one for each processor of this process.

    Raises
    ------
    InvalidTypeError, InvalidColumnError
        If a column is none of strings or of integers, its text is not UTF-8, or a value is too large for a page.
    KeyError
        If `encodings` has a name that `columns` does not have.
    TypeError, ValueError
        If there are no columns, these have different lengths, or an argument is not of its kind.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import colcodec as cc
    >>> import io
    >>> file = io.BytesIO()
    >>> cc.parquet.write_columns(file, {"word": ["axis", "axle", None], "id": [1, 2, 3]})
    >>> cc.parquet.read_column(file, "word").to_pylist()
    ['axis', 'axle', None]
    """
    taken = _as_columns(columns)
    names = check_readers(readers)
    compressor = find_compressor(compression)
    wanted = _as_encodings(encodings, taken, names)
    row_group_size, page_size = as_size(row_group_size, "row_group_size"), as_size(page_size, "page_size")
    if row_group_size == 0 or page_size == 0:
        raise ValueError(f"{'row_group_size' if row_group_size == 0 else 'page_size'} must be at least 1, got 0")
    if page_version not in (1, 2):
        raise ValueError(f"page_version must be 1 or 2, got {page_version!r}")
    metadata = FileMetaData(
        version=VERSION,
        schema=_make_schema(taken),
        num_rows=len(next(iter(taken.values()))),
        key_value_metadata=_as_key_values(key_value_metadata),
        created_by=created_by(),
        column_orders=[ColumnOrder(type_order=Struct())] * len(taken),
    )
    with workers(threads) as run, replacing(file) as opened:
        codec, _ = as_compression(compression)
        page_size = min(page_size, MAX_USUAL_PAGE_SIZE)
        writer = _FileWriter(opened, Options(compression, codec, compressor, names, page_size, page_version, run))
        for start in range(0, metadata.num_rows, row_group_size):
            part = {name: values[start : start + row_group_size] for name, values in taken.items()}
            writer.write_row_group(part, wanted)
        writer.write_footer(metadata)


# --- Arguments -------------------------------------------------------------------------------------------------------


def _as_columns(columns: Mapping[str, Any]) -> dict[str, StringColumn | Integers]:
    if not isinstance(columns, Mapping):
        raise TypeError(f"expected values by the names of their columns, got a {type(columns).__name__}")
    if not columns:
        raise ValueError("no columns; a file has one at least")
    taken: dict[str, StringColumn | Integers] = {}
    for name, values in columns.items():
        if not isinstance(name, str):
            raise TypeError(f"the name of a column must be a str, got {name!r}")
        with naming(name):
            _encoded_text(name)
            taken[name] = _as_values(values)
    first, *others = taken
    for name in others:
        if len(taken[name]) != len(taken[first]):
            lengths = f"{first!r} has {len(taken[first])} values, {name!r} {len(taken[name])}"
            raise ValueError(f"columns of different lengths: {lengths}")
    return taken


def _as_values(values: Any) -> StringColumn | Integers:
    dtype = getattr(values, "dtype", None)
    if isinstance(values, (list, tuple)) and values and isinstance(values[0], (int, np.integer)):
        return as_integers(values)
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":
        return as_integers(values)
    strings = column(values)
    strings.validate()
    return strings


def _as_encodings(
    encodings: Any, columns: Mapping[str, StringColumn | Integers], readers: tuple[str, ...]
) -> dict[str, Encoding | None]:
    """Find the encoding of each column: None for one that is to be found."""
    if isinstance(encodings, Mapping):
        for name in encodings:
            if name not in columns:
                raise KeyError(f"encodings has {name!r}; the columns are {', '.join(map(repr, columns))}")
        asked = dict(encodings)
    else:
        asked = {name: encodings for name, values in columns.items() if isinstance(values, StringColumn)}
        if not asked:
            _as_encoding(encodings)
    found = {}
    for name, values in columns.items():
        with naming(name):
            encoding = _as_encoding(asked.get(name, "auto"))
            if isinstance(values, StringColumn):
                if encoding is Encoding.DELTA_BINARY_PACKED:
                    raise InvalidTypeError("DELTA_BINARY_PACKED is for integers")
            elif encoding is None:
                usable = [known for known in INTEGER_ENCODINGS if not why_unreadable(known, readers)]
                encoding = usable[0]
            elif encoding not in INTEGER_ENCODINGS:
                raise InvalidTypeError(f"{encoding.name} is for strings; of integers are written {INTEGER_NAMES}")
            if encoding is not None and (reason := why_unreadable(encoding, readers)):
                raise ValueError(f"{encoding.name} is {reason}")
            found[name] = encoding
    return found


def _as_encoding(encoding: Any) -> Encoding | None:
    return None if encoding == "auto" else as_writable_encoding(encoding)


def _as_key_values(pairs: Mapping[str, str] | None) -> list[KeyValue] | None:
    if pairs is None:
        return None
    if not isinstance(pairs, Mapping):
        raise TypeError(f"key_value_metadata must be a mapping, got a {type(pairs).__name__}")
    for key, value in pairs.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(f"key_value_metadata must be of str to str, got {key!r}: {value!r}")
    return [KeyValue(key=_encoded_text(key), value=_encoded_text(value)) for key, value in pairs.items()]


def _encoded_text(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} has a lone surrogate, and cannot be UTF-8") from None


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
        return _Integers(values, INTEGER_ENCODINGS[0] if encoding is None else encoding)
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


def _make_data_page(values: _Values, rows: Rows, start: int, end: int, options: Options) -> MadePage:
    first, last = int(rows.before[start]), int(rows.before[end])
    num_rows, null_count = end - start, end - start - (last - first)
    encoded = values.encode(first, last)
    levels = np.empty(0, np.uint8)
    if rows.is_optional:
        is_valid = rows.is_valid[start:end] if rows.is_valid is not None and null_count else None
        levels = encode_validity(is_valid, num_rows, page_version=options.page_version)
    raw_size = levels.size + encoded.size
    if raw_size > MAX_INT32:
        raise InvalidColumnError(f"value {start} is too large: its page would have {raw_size} bytes", index=start)
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


def _make_schema(columns: Mapping[str, StringColumn | Integers]) -> list[SchemaElement]:
    leaves = [_make_leaf(name, values) for name, values in columns.items()]
    return [SchemaElement(name=b"schema", num_children=len(leaves)), *leaves]


def _make_leaf(name: str, values: StringColumn | Integers) -> SchemaElement:
    is_string = isinstance(values, StringColumn)
    is_text = isinstance(values, StringColumn) and values.utf8
    return SchemaElement(
        type=int(_type_of(values)),
        repetition_type=int(Repetition.OPTIONAL if is_string else Repetition.REQUIRED),
        name=name.encode(),
        converted_type=int(ConvertedType.UTF8) if is_text else None,
        logical_type=LogicalType(STRING=Struct()) if is_text else None,
    )


def _type_of(values: StringColumn | Integers) -> PhysicalType:
    return PhysicalType.BYTE_ARRAY if isinstance(values, StringColumn) else INTEGER_TYPES[values.itemsize]


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


# --- The file --------------------------------------------------------------------------------------------------------


class _FileWriter:
    """Writes row groups one after another, then their indexes and the footer."""

    def __init__(self, file: BinaryIO, options: Options) -> None:
        self._file = file
        self._options = options
        self._position = 0
        self._row_groups: list[RowGroup] = []
        self._indexes: list[tuple[ColumnIndex | None, OffsetIndex]] = []
        self._write(MAGIC)

    def _write(self, data: bytes) -> int:
        """Write bytes, and tell where they begin."""
        self._file.write(data)
        start = self._position
        self._position += len(data)
        return start

    def write_row_group(
        self, columns: Mapping[str, StringColumn | Integers], encodings: Mapping[str, Encoding | None]
    ) -> None:
        """Write a column chunk of each column."""
        start = self._position
        chunks = []
        for name, values in columns.items():
            with naming(name):
                chunks.append(self._write_chunk(name, values, encodings[name]))
        row_group = RowGroup(
            columns=[ColumnChunk(file_offset=0, meta_data=chunk) for chunk in chunks],
            total_byte_size=sum(chunk.total_uncompressed_size for chunk in chunks),
            num_rows=chunks[0].num_values,
            file_offset=start,
            total_compressed_size=self._position - start,
        )
        self._row_groups.append(row_group)

    def _write_chunk(self, name: str, column: StringColumn | Integers, encoding: Encoding | None) -> ColumnMetaData:
        options = self._options
        values, rows = _find_values(column, encoding, options), _rows_of(column)
        cuts = _cut(values.sizes()[rows.before], options.page_size)
        pages = options.run(lambda cut: _make_data_page(values, rows, *cut, options), cuts)
        dictionary = [] if values.dictionary is None else [_make_dictionary_page(values.dictionary, options)]
        dictionary_offset = self._write(dictionary[0].data) if dictionary else None
        locations = [
            PageLocation(offset=self._write(page.data), compressed_page_size=len(page.data), first_row_index=start)
            for page, (start, _) in zip(pages, cuts, strict=True)
        ]
        self._indexes.append((_make_column_index(values, pages), OffsetIndex(page_locations=locations)))
        return ColumnMetaData(
            type=int(_type_of(column)),
            encodings=_encodings_of(values, rows),
            path_in_schema=[name.encode()],
            codec=codec_number(options.codec),
            num_values=len(column),
            total_uncompressed_size=sum(page.raw_size for page in (*dictionary, *pages)),
            total_compressed_size=sum(len(page.data) for page in (*dictionary, *pages)),
            data_page_offset=locations[0].offset,
            dictionary_page_offset=dictionary_offset,
            statistics=_make_statistics(values, pages),
            encoding_stats=_encoding_stats(values, len(pages), options),
        )

    def write_footer(self, metadata: FileMetaData) -> None:
        """Write the indexes, and behind them the footer."""
        chunks = [chunk for row_group in self._row_groups for chunk in row_group.columns]
        for chunk, (column_index, _) in zip(chunks, self._indexes, strict=True):
            if column_index is not None:
                data = bytes(column_index)
                chunk.column_index_offset, chunk.column_index_length = self._write(data), len(data)
        for chunk, (_, offset_index) in zip(chunks, self._indexes, strict=True):
            data = bytes(offset_index)
            chunk.offset_index_offset, chunk.offset_index_length = self._write(data), len(data)
        metadata.row_groups = self._row_groups
        footer = bytes(metadata)
        self._write(footer + struct.pack("<I4s", len(footer), MAGIC))


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
