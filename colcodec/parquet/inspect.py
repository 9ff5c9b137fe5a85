"""What is in a Parquet file: its pages as they are found, and what the metadata says of them that is not so.

Every page is decompressed, its levels are decoded and, of byte arrays, the lengths of its values. Of a damaged file all
that can be read is told, with what cannot.
"""

import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding
from ..compare import Progress
from ..encodings.rle_dictionary import Known, known_of_page
from ..errors import MalformedFileError, MalformedPageError, located
from ..page import DICTIONARY_ENCODINGS, EncodedPage, measure
from .files import File, open_file
from .metadata import (
    ColumnChunk,
    ColumnIndex,
    ColumnMetaData,
    DataPageHeader,
    Footer,
    Leaf,
    OffsetIndex,
    PageType,
    PhysicalType,
    Repetition,
    RowGroup,
    Statistics,
    column_metadata,
    file_size,
    find_leaf,
    leaves,
    read_footer,
    read_range,
)
from .pages import Chunk, Page, chunk_start, codec_name, read_chunk, read_data_page, read_dictionary, walk
from .reader import read_dictionary_page, read_levels, read_page

Level = Literal["note", "warning", "error"]

BIT_PACKED: Final = 4
"""An old encoding of levels, which nothing here reads."""

ENCODING_NAMES: Final = {int(encoding): encoding.name for encoding in Encoding} | {BIT_PACKED: "BIT_PACKED"}

DICTIONARY_NAMES: Final = {encoding.name for encoding in DICTIONARY_ENCODINGS}

PAGE_KINDS: Final[dict[int, str]] = {
    PageType.DATA_PAGE: "data",
    PageType.DATA_PAGE_V2: "data",
    PageType.DICTIONARY_PAGE: "dictionary",
    PageType.INDEX_PAGE: "index",
}
VERSIONS: Final[dict[int, int]] = {PageType.DATA_PAGE: 1, PageType.DATA_PAGE_V2: 2}

BITS: Final[dict[int, int]] = {
    PhysicalType.BOOLEAN: 1,
    PhysicalType.INT32: 32,
    PhysicalType.INT64: 64,
    PhysicalType.INT96: 96,
    PhysicalType.FLOAT: 32,
    PhysicalType.DOUBLE: 64,
}
"""Of each value in PLAIN, where all are of one size."""

FORMATS: Final[dict[int, str]] = {
    PhysicalType.BOOLEAN: "<?",
    PhysicalType.INT32: "<i",
    PhysicalType.INT64: "<q",
    PhysicalType.FLOAT: "<f",
    PhysicalType.DOUBLE: "<d",
}
"""Of a value in statistics, as the module struct has it; in upper case without a sign."""

UNORDERED: Final = {"INTERVAL", "GEOMETRY", "GEOGRAPHY", "VARIANT", "UNKNOWN"}
"""Logical types whose least and greatest values mean nothing."""


SHOWN_SIZE: Final = 24
"""Bytes of a value that are shown, at most."""


class Finding(NamedTuple):
    """Something that is worth to be told.

    Parameters
    ----------
    level : str
        "note" for what is in order; "warning" for metadata that is wrong, which may mislead a reader; "error" for what
        cannot be read.
    kind : str
        What it is about, as "fallback", "data_page_offset" or "checksum".
    message : str
        What was found, and what should be.
    """

    level: Level
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class PageInfo:
    """A page.

    Parameters
    ----------
    offset : int
        The byte of the file at which its header begins.
    kind : str
        "data", "dictionary", "index", or the number of another type.
    version : int or None
        1 or 2 of a data page.
    encoding : str or None
        How its values are encoded.
    level_encodings : tuple of str
        How the definition levels of a data page are encoded, and the repetition levels, by its header: it names both,
        also where there are none.
    num_values : int
        Number of values, nulls included.
    num_rows : int or None
        Number of rows that begin in a data page; None where it could not be read.
    null_count : int or None
        How many values of a data page are null; an empty list counts as one, as in Parquet's own counts.
    raw_size : int or None
        Bytes of the values of a data page without any encoding.
    header_size : int
        Bytes of the header.
    compressed_size, uncompressed_size : int
        Bytes of what follows it.
    is_intact : bool or None
        Whether that fits its checksum; None where it has none.
    """

    offset: int
    kind: str
    version: int | None
    encoding: str | None
    level_encodings: tuple[str, ...]
    num_values: int
    num_rows: int | None
    null_count: int | None
    raw_size: int | None
    header_size: int
    compressed_size: int
    uncompressed_size: int
    is_intact: bool | None


@dataclass(frozen=True, slots=True)
class ChunkInfo:
    """A column chunk: what a row group has of a column.

    Parameters
    ----------
    row_group : int
        Which row group it is in.
    codec : str or None
        What compresses its pages, by Parquet's name; None where not even that can be read.
    encodings : dict
        Of how many data pages each encoding was found, in the order of the pages.
    claimed_encodings : tuple of str
        What the footer says: levels and the dictionary have encodings as well.
    num_values : int
        Number of values in its data pages, nulls included.
    null_count, raw_size : int or None
        As of its pages, together; None where one could not be read.
    encoded_size : int
        Bytes of its pages without compression, with their headers.
    compressed_size : int
        Bytes of its pages as they are in the file, with their headers.
    findings : tuple of Finding
        What is worth to be told.
    pages : tuple of PageInfo or None
        All its pages, if they were asked for.
    """

    row_group: int
    codec: str | None
    encodings: dict[str, int]
    claimed_encodings: tuple[str, ...]
    num_values: int
    null_count: int | None
    raw_size: int | None
    encoded_size: int
    compressed_size: int
    findings: tuple[Finding, ...]
    pages: tuple[PageInfo, ...] | None


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column, with what all of its chunks take.

    Parameters
    ----------
    name : str
        Its path in the schema, as "a.b.c".
    index : int
        Which column it is.
    physical_type : str
        How values are stored.
    type_length : int or None
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.
    logical_type : str or None
        What values mean; None where nothing is said.
    repetition : str
        "required", "optional" or "repeated", of the last part of the path.
    max_definition_level, max_repetition_level : int
        How many parts of the path may be absent, and how many are repeated.
    chunks : tuple of ChunkInfo
        One for each row group.
    """

    name: str
    index: int
    physical_type: str
    type_length: int | None
    logical_type: str | None
    repetition: str
    max_definition_level: int
    max_repetition_level: int
    chunks: tuple[ChunkInfo, ...]

    @property
    def codecs(self) -> tuple[str, ...]:
        """What compresses the pages."""
        return tuple(dict.fromkeys(chunk.codec for chunk in self.chunks if chunk.codec is not None))

    @property
    def encodings(self) -> dict[str, int]:
        """Of how many data pages each encoding was found."""
        return dict(sum((Counter(chunk.encodings) for chunk in self.chunks), Counter()))

    @property
    def num_values(self) -> int:
        """Number of values, nulls included."""
        return sum(chunk.num_values for chunk in self.chunks)

    @property
    def null_count(self) -> int | None:
        """How many values are null; None where a page could not be read."""
        return _total(chunk.null_count for chunk in self.chunks)

    @property
    def raw_size(self) -> int | None:
        """Bytes of the values without any encoding; None where a page could not be read."""
        return _total(chunk.raw_size for chunk in self.chunks)

    @property
    def encoded_size(self) -> int:
        """Bytes of the pages without compression."""
        return sum(chunk.encoded_size for chunk in self.chunks)

    @property
    def compressed_size(self) -> int:
        """Bytes of the pages as they are in the file."""
        return sum(chunk.compressed_size for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A Parquet file.

    Parameters
    ----------
    size, footer_size : int
        Bytes of the file, and of its footer.
    num_rows : int
        Number of rows, by the footer.
    num_row_groups : int
        Number of row groups.
    created_by : str or None
        Who wrote it.
    columns : tuple of ColumnInfo
        Its columns, or those that were asked for.
    findings : tuple of Finding
        What is worth to be told of the whole file and its row groups; that of columns is in their chunks.
    """

    size: int
    footer_size: int
    num_rows: int
    num_row_groups: int
    created_by: str | None
    columns: tuple[ColumnInfo, ...]
    findings: tuple[Finding, ...]

    @property
    def is_damaged(self) -> bool:
        """Whether something cannot be read."""
        of_chunks = (finding for column in self.columns for chunk in column.chunks for finding in chunk.findings)
        return any(finding.level == "error" for finding in (*self.findings, *of_chunks))


def inspect(
    file: File,
    /,
    *,
    columns: Iterable[str] | None = None,
    pages: bool = False,
    progress: Progress | None = None,
) -> FileInfo:
    """Look into a Parquet file: what its pages are, and what its metadata says of them that is not so.

    Parameters
    ----------
    file : str, path or file object
        A path, a URL that fsspec knows, or a binary file that can seek.
    columns : iterable of str, optional
        Paths of columns in the schema, as "a.b.c"; all by default.
    pages : bool, optional
        Whether to keep every page.
    progress : callable, optional
        Called as ``progress(done, total, what comes next)`` with numbers of column chunks.

    Returns
    -------
    FileInfo
        What was found. What cannot be read is a finding of its chunk, and the others go on.

    Raises
    ------
    KeyError
        If there is no such column.
    MalformedFileError
        If it is no Parquet file, its footer cannot be read, or that is encrypted.
    """
    with open_file(file) as opened:
        footer = read_footer(opened)
        metadata = footer.metadata
        if columns is None:
            chosen = leaves(metadata)
        else:
            chosen = [find_leaf(metadata, name) for name in ([columns] if isinstance(columns, str) else columns)]
        chunks: list[list[ChunkInfo]] = [[] for _ in chosen]
        for i in range(len(metadata.row_groups)):
            for j, leaf in enumerate(chosen):
                if progress is not None:
                    progress(i * len(chosen) + j, len(metadata.row_groups) * len(chosen), leaf.name)
                chunks[j].append(_inspect_chunk(opened, footer, i, leaf, pages))
        by = metadata.created_by
        return FileInfo(
            size=file_size(opened),
            footer_size=file_size(opened) - footer.start,
            num_rows=metadata.num_rows,
            num_row_groups=len(metadata.row_groups),
            created_by=None if by is None else by.decode("utf-8", "backslashreplace"),
            columns=tuple(_as_column(leaf, own) for leaf, own in zip(chosen, chunks, strict=True)),
            findings=tuple(_check_row_groups(footer)),
        )


def _total(parts: Iterable[int | None]) -> int | None:
    known = list(parts)
    return None if None in known else sum(part for part in known if part is not None)


def _as_column(leaf: Leaf, chunks: list[ChunkInfo]) -> ColumnInfo:
    kind = leaf.element.repetition_type or Repetition.REQUIRED
    return ColumnInfo(
        name=leaf.name,
        index=leaf.index,
        physical_type=_physical_type(leaf),
        type_length=leaf.type_length,
        logical_type=leaf.logical_type,
        repetition=Repetition(kind).name.lower() if kind in tuple(Repetition) else f"repetition {kind}",
        max_definition_level=leaf.max_definition_level,
        max_repetition_level=leaf.max_repetition_level,
        chunks=tuple(chunks),
    )


def _physical_type(leaf: Leaf) -> str:
    return PhysicalType(leaf.type).name if leaf.type in tuple(PhysicalType) else f"type {leaf.type}"


def _encoding_name(number: int) -> str:
    return ENCODING_NAMES.get(number, f"encoding {number}")


def _count(number: int) -> str:
    return f"{number} data page{'' if number == 1 else 's'}"


# --- Pages -----------------------------------------------------------------------------------------------------------


def _inspect_chunk(file: BinaryIO, footer: Footer, number: int, leaf: Leaf, with_pages: bool) -> ChunkInfo:
    row_group = footer.metadata.row_groups[number]
    findings: list[Finding] = []
    pages: list[PageInfo] = []
    codec, claimed = None, []
    try:
        column = column_metadata(row_group, leaf)
        codec, claimed = codec_name(column.codec), [_encoding_name(encoding) for encoding in column.encodings]
        for found in _inspect_pages(read_chunk(file, column, footer), leaf):
            if isinstance(found, Finding):
                findings.append(found)
            else:
                pages.append(found)
        findings += _check_chunk(file, row_group, leaf, pages)
    except MalformedFileError as error:
        findings.append(Finding("error", "unreadable", str(error)))
    data = [page for page in pages if page.kind == "data"]
    return ChunkInfo(
        row_group=number,
        codec=codec,
        encodings=dict(Counter(str(page.encoding) for page in data)),
        claimed_encodings=tuple(claimed),
        num_values=sum(page.num_values for page in data),
        null_count=_total(page.null_count for page in data),
        raw_size=_total(page.raw_size for page in data),
        encoded_size=sum(page.header_size + page.uncompressed_size for page in pages),
        compressed_size=sum(page.header_size + page.compressed_size for page in pages),
        findings=tuple(findings),
        pages=tuple(pages) if with_pages else None,
    )


class _Contents(NamedTuple):
    """What is in a data page, and in another none of it."""

    num_rows: int | None = None
    null_count: int | None = None
    raw_size: int | None = None


def _inspect_pages(chunk: Chunk, leaf: Leaf) -> Iterator[PageInfo | Finding]:
    dictionary, known = None, None
    is_first = True
    for page in walk(chunk):
        contents = _Contents()
        try:
            if page.header.type == PageType.DICTIONARY_PAGE:
                if not is_first:
                    raise MalformedFileError(f"page at byte {page.start}: a dictionary page that is not the first page")
                if leaf.type == PhysicalType.BYTE_ARRAY:
                    dictionary = read_dictionary_page(page, chunk, leaf)
                    known = known_of_page(dictionary.data, dictionary.num_values)
                else:
                    read_dictionary(page, chunk)
            elif page.data_header is not None and leaf.type == PhysicalType.BYTE_ARRAY:
                contents = _read_byte_arrays(page, chunk, leaf, dictionary, known)
            elif page.data_header is not None:
                contents = _read_others(page, chunk, leaf)
        except (MalformedFileError, MalformedPageError) as error:
            yield Finding("error", "unreadable", str(error))
        if page.is_intact() is False:
            yield Finding("error", "checksum", f"page at byte {page.start}: its bytes do not fit its checksum")
        yield _as_page(page, contents)
        is_first = False


def _read_byte_arrays(
    page: Page, chunk: Chunk, leaf: Leaf, dictionary: EncodedPage | None, known: Known | None
) -> _Contents:
    read = read_page(page, chunk, leaf, dictionary, DEFAULT_MAX_DATA_SIZE)
    with located(f"page at byte {page.start}"):
        raw_size = measure(read.encoded, DEFAULT_MAX_DATA_SIZE, known).data_size
    return _Contents(_count_rows(page, read.rep_levels), page.num_values - read.encoded.num_valid, raw_size)


def _read_others(page: Page, chunk: Chunk, leaf: Leaf) -> _Contents:
    data_page = read_data_page(page, chunk, leaf)
    with located(f"page at byte {page.start}"):
        levels = read_levels(data_page, leaf, DEFAULT_MAX_DATA_SIZE)
    width = BITS.get(leaf.type) if leaf.type_length is None else 8 * leaf.type_length
    raw_size = None if width is None else (width * (page.num_values - levels.null_count) + 7) // 8
    return _Contents(_count_rows(page, levels.rep_levels), levels.null_count, raw_size)


def _count_rows(page: Page, rep_levels: npt.NDArray[np.int16] | None) -> int:
    return page.num_values if rep_levels is None else int(np.count_nonzero(rep_levels == 0))


def _as_page(page: Page, contents: _Contents) -> PageInfo:
    header, data_header = page.header, page.data_header
    dictionary_header = header.dictionary_page_header if header.type == PageType.DICTIONARY_PAGE else None
    level_encodings: tuple[int, ...] = ()
    if isinstance(data_header, DataPageHeader):
        level_encodings = (data_header.definition_level_encoding, data_header.repetition_level_encoding)
    elif data_header is not None:
        level_encodings = (Encoding.RLE, Encoding.RLE)
    return PageInfo(
        offset=page.start,
        kind=PAGE_KINDS.get(header.type, f"type {header.type}"),
        version=VERSIONS.get(header.type),
        encoding=None if page.encoding is None else _encoding_name(page.encoding),
        level_encodings=tuple(map(_encoding_name, level_encodings)),
        num_values=page.num_values if dictionary_header is None else dictionary_header.num_values,
        num_rows=contents.num_rows,
        null_count=contents.null_count,
        raw_size=contents.raw_size,
        header_size=page.header_size,
        compressed_size=page.body.size,
        uncompressed_size=header.uncompressed_page_size,
        is_intact=page.is_intact(),
    )


# --- What the metadata says of them ----------------------------------------------------------------------------------


def _check_chunk(file: BinaryIO, row_group: RowGroup, leaf: Leaf, pages: Sequence[PageInfo]) -> Iterator[Finding]:
    column_chunk, column = row_group.columns[leaf.index], column_metadata(row_group, leaf)
    data = [page for page in pages if page.kind == "data"]
    if data:
        yield from _find_fallback(pages, data)
        yield from _check_offsets(column, pages, data)
        yield from _check_encodings(column, leaf, pages, data)
        yield from _check_sizes(column, pages)
    yield from _check_counts(column, row_group, leaf, data)
    if column.statistics is not None:
        yield from _check_statistics(column.statistics, leaf)
    yield from _check_indexes(file, column_chunk, data)


def _find_fallback(pages: Sequence[PageInfo], data: Sequence[PageInfo]) -> Iterator[Finding]:
    if all(page.kind != "dictionary" for page in pages):
        return
    others = [page for page in data if page.encoding not in DICTIONARY_NAMES]
    if len(others) == len(data):
        yield Finding("warning", "fallback", "there is a dictionary page, but no data page has indices into it")
    elif others:
        names = ", ".join(dict.fromkeys(str(page.encoding) for page in others))
        yield Finding(
            "note", "fallback", f"{len(others)} of {_count(len(data))} fell back from the dictionary to {names}"
        )


def _check_offsets(column: ColumnMetaData, pages: Sequence[PageInfo], data: Sequence[PageInfo]) -> Iterator[Finding]:
    starts = {page.offset: page.kind for page in pages}
    dictionary = next((page for page in pages if page.kind == "dictionary"), None)
    for name, first, offset in (
        ("data_page_offset", data[0], column.data_page_offset),
        ("dictionary_page_offset", dictionary, column.dictionary_page_offset),
    ):
        if first is not None and offset != first.offset:
            what = f"where a {starts[offset]} page is" if offset in starts else "where no page begins"
            said = "absent" if offset is None else f"{offset}, {what}"
            yield Finding("warning", name, f"{name} is {said}; the first {first.kind} page is at byte {first.offset}")
        elif first is None and offset:
            yield Finding("warning", name, f"{name} is {offset}, but there is no dictionary page")


def _check_encodings(
    column: ColumnMetaData, leaf: Leaf, pages: Sequence[PageInfo], data: Sequence[PageInfo]
) -> Iterator[Finding]:
    claimed = {_encoding_name(encoding): None for encoding in column.encodings}
    of_values = {page.encoding: None for page in pages if page.encoding is not None}
    of_levels = {name: None for page in data for name in page.level_encodings}
    # Headers name encodings of levels that a column has not, and footers repeat them: no harm is done.
    unused = [name for name in claimed if name not in of_values and name not in of_levels]
    needed = of_values | (of_levels if leaf.max_definition_level else {})
    unclaimed = [name for name in needed if name not in claimed]
    if unused:
        yield Finding("warning", "encodings", f"the footer claims {', '.join(unused)}, which no page has")
    if unclaimed:
        yield Finding("warning", "encodings", f"the footer does not tell of {', '.join(unclaimed)}, which pages have")
    if column.encoding_stats is not None:
        said = Counter[tuple[str, str]]()
        for part in column.encoding_stats:
            said[PAGE_KINDS.get(part.page_type, str(part.page_type)), _encoding_name(part.encoding)] += part.count
        found = Counter((page.kind, str(page.encoding)) for page in pages if page.encoding is not None)
        if said != found:
            message = f"encoding_stats has {_listed(said)}; there are {_listed(found)}"
            yield Finding("warning", "encoding_stats", message)


def _listed(pages: Counter[tuple[str, str]]) -> str:
    return ", ".join(f"{kind} {encoding} x{count}" for (kind, encoding), count in pages.items()) or "nothing"


def _check_sizes(column: ColumnMetaData, pages: Sequence[PageInfo]) -> Iterator[Finding]:
    headers = sum(page.header_size for page in pages)
    for name, said, found in (
        ("total_compressed_size", column.total_compressed_size, sum(page.compressed_size for page in pages)),
        ("total_uncompressed_size", column.total_uncompressed_size, sum(page.uncompressed_size for page in pages)),
    ):
        if said != headers + found:
            yield Finding("warning", name, f"{name} is {said}; the pages take {headers + found} bytes")


def _check_counts(
    column: ColumnMetaData, row_group: RowGroup, leaf: Leaf, data: Sequence[PageInfo]
) -> Iterator[Finding]:
    rows = _total(page.num_rows for page in data)
    if rows is not None and rows != row_group.num_rows:
        yield Finding("warning", "num_rows", f"{rows} rows, in a row group of {row_group.num_rows}")
    nulls, claimed = _total(page.null_count for page in data), column.statistics and column.statistics.null_count
    if None not in (nulls, claimed) and nulls != claimed:
        yield Finding("warning", "null_count", f"the statistics have {claimed} nulls; there are {nulls}")
    raw, sizes = _total(page.raw_size for page in data), column.size_statistics
    raw_claimed = sizes and sizes.unencoded_byte_array_data_bytes
    if leaf.type == PhysicalType.BYTE_ARRAY and None not in (raw, raw_claimed) and raw != raw_claimed:
        found = f"unencoded_byte_array_data_bytes is {raw_claimed}; the values have {raw} bytes"
        yield Finding("warning", "size_statistics", found)


def _check_statistics(statistics: Statistics, leaf: Leaf) -> Iterator[Finding]:
    order = _order(leaf)
    if order is None:
        return
    pairs = [("min_value", statistics.min_value, "max_value", statistics.max_value)]
    if leaf.type in BITS and not leaf.is_unsigned:  # the old fields are in the order of signed bytes elsewhere
        pairs.append(("min", statistics.min, "max", statistics.max))
    for low_name, low, high_name, high in pairs:
        if low is None or high is None:
            continue
        try:
            is_wrong = order(low) > order(high)
        except struct.error:
            sizes = f"{low_name} of {len(low)} and a {high_name} of {len(high)} bytes"
            yield Finding("warning", "statistics", f"the statistics have a {sizes}, which is no {_physical_type(leaf)}")
            continue
        if is_wrong:
            found = f"{low_name} {_shown(low)} is above {high_name} {_shown(high)}"
            yield Finding("warning", "statistics", f"the statistics' {found}")


def _shown(value: bytes) -> str:
    return repr(value if len(value) <= SHOWN_SIZE else value[:SHOWN_SIZE] + b"...")


def _order(leaf: Leaf) -> Callable[[bytes], Any] | None:
    """Find by what the values of a column are ordered; None where nothing is sure."""
    kind, meaning = leaf.type, leaf.logical_type
    if meaning in UNORDERED or kind == PhysicalType.INT96:
        return None
    if kind in FORMATS:
        layout = FORMATS[kind]
        return partial(struct.unpack, layout.upper() if leaf.is_unsigned else layout)
    if meaning == "FLOAT16":
        return partial(struct.unpack, "<e")
    if meaning == "DECIMAL":
        return partial(int.from_bytes, byteorder="big", signed=True)
    return bytes


def _check_indexes(file: BinaryIO, column_chunk: ColumnChunk, data: Sequence[PageInfo]) -> Iterator[Finding]:
    for name, check in (("offset_index", _check_offset_index), ("column_index", _check_column_index)):
        try:
            message = check(file, column_chunk, data)
        except MalformedFileError as error:
            message = str(error)
        if message is not None:
            yield Finding("warning", name, message)


def _check_offset_index(file: BinaryIO, column_chunk: ColumnChunk, data: Sequence[PageInfo]) -> str | None:
    start, size = column_chunk.offset_index_offset, column_chunk.offset_index_length
    if start is None:
        return None
    index, _ = OffsetIndex.read(read_range(file, start, size or 0, "the offset index"))
    said = [(page.offset, page.compressed_page_size, page.first_row_index) for page in index.page_locations]
    if len(said) != len(data):
        return f"the offset index has {_count(len(said))}; there are {len(data)}"
    first_row: int | None = 0
    for i, (own, page) in enumerate(zip(said, data, strict=True)):
        found = (page.offset, page.header_size + page.compressed_size, own[2] if first_row is None else first_row)
        if own != found:
            names = ("byte", "size", "first row")
            both = (
                ", ".join(f"{name} {number}" for name, number in zip(names, own_or_found, strict=True))
                for own_or_found in (own, found)
            )
            return "the offset index has data page {} at {}; it is at {}".format(i, *both)
        first_row = None if first_row is None or page.num_rows is None else first_row + page.num_rows
    return None


def _check_column_index(file: BinaryIO, column_chunk: ColumnChunk, data: Sequence[PageInfo]) -> str | None:
    start, size = column_chunk.column_index_offset, column_chunk.column_index_length
    if start is None:
        return None
    index, _ = ColumnIndex.read(read_range(file, start, size or 0, "the column index"))
    if len(index.null_pages) != len(data):
        return f"the column index has {_count(len(index.null_pages))}; there are {len(data)}"
    for i, (said, page) in enumerate(zip(index.null_counts or [], data, strict=False)):
        if page.null_count is not None and said != page.null_count:
            return f"the column index has {said} nulls for data page {i}; there are {page.null_count}"
    return None


def _check_row_groups(footer: Footer) -> Iterator[Finding]:
    row_groups = footer.metadata.row_groups
    rows = sum(row_group.num_rows for row_group in row_groups)
    if rows != footer.metadata.num_rows:
        found = f"the footer has {footer.metadata.num_rows} rows; its row groups have {rows}"
        yield Finding("warning", "num_rows", found)
    for i, row_group in enumerate(row_groups):
        said, first = row_group.file_offset, _first_page(row_group, footer)
        if None not in (said, first) and said != first:
            found = f"row group {i}: file_offset is {said}; its first page is at byte {first}"
            yield Finding("warning", "file_offset", found)


def _first_page(row_group: RowGroup, footer: Footer) -> int | None:
    starts = []
    for column_chunk in row_group.columns:
        column = column_chunk.meta_data
        if column is not None and column_chunk.file_path is None and column.num_values > 0:
            with suppress(MalformedFileError):  # what is wrong with a chunk is told there
                starts.append(chunk_start(column, footer))
    return min(starts, default=None)
