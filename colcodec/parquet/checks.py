"""Where the metadata of a Parquet file says of its pages what is not so."""

import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, Final, Literal

from .._spec import Encoding
from ..errors import MalformedFileError
from ..page import DICTIONARY_ENCODINGS
from .footer import Footer, read_range
from .pages import chunk_start
from .schema import Leaf, column_metadata
from .structs import ColumnChunk, ColumnIndex, ColumnMetaData, OffsetIndex, PageType, PhysicalType, RowGroup, Statistics

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

UNKNOWN_COUNT: Final = -1
"""What parquet-mr writes for nulls that it did not count."""

SHOWN_SIZE: Final = 24
"""Bytes of a value that are shown, at most."""


@dataclass(frozen=True, slots=True)
class Finding:
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

    level: Literal["note", "warning", "error"]
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


def encoding_name(number: int) -> str:
    """Name an encoding.

    Parameters
    ----------
    number : int
        Its number in ``parquet.thrift``.

    Returns
    -------
    str
        As "RLE_DICTIONARY", or the number where there is no such encoding.
    """
    return ENCODING_NAMES.get(number, f"encoding {number}")


def page_kind(number: int) -> str:
    """Name a type of page.

    Parameters
    ----------
    number : int
        Its number in ``parquet.thrift``.

    Returns
    -------
    str
        "data" of both versions, "dictionary", "index", or the number where there is no such type.
    """
    return PAGE_KINDS.get(number, f"type {number}")


def total(parts: Iterable[int | None]) -> int | None:
    """Sum what may not be known.

    Parameters
    ----------
    parts : iterable of int or None
        The parts.

    Returns
    -------
    int or None
        Their sum; None if one is not known.
    """
    known = list(parts)
    return None if None in known else sum(part for part in known if part is not None)


def _count(number: int) -> str:
    return f"{number} data page{'' if number == 1 else 's'}"


# --- Column chunks ---------------------------------------------------------------------------------------------------


def check_chunk(file: BinaryIO, row_group: RowGroup, leaf: Leaf, pages: Sequence[PageInfo]) -> Iterator[Finding]:
    """Hold what the metadata says of a column chunk against its pages.

    Parameters
    ----------
    file : file object
        Binary, seekable.
    row_group : RowGroup
        What the chunk is in.
    leaf : Leaf
        Its column.
    pages : sequence of PageInfo
        All its pages.

    Yields
    ------
    Finding
        What is not so, and a dictionary that was given up.

    Raises
    ------
    MalformedFileError
        If the metadata breaks the rules of the format.
    """
    column_chunk, column = row_group.columns[leaf.index], column_metadata(row_group, leaf)
    data = [page for page in pages if page.kind == "data"]
    if data:
        yield from _find_fallback(pages, data)
        yield from _check_offsets(column, pages, data)
        yield from _check_encodings(column, pages, data)
        yield from _check_sizes(column, pages)
    yield from _check_counts(column, row_group, leaf, data)
    if column.statistics is not None:
        yield from _check_statistics(column.statistics, leaf)
    yield from _check_indexes(file, column_chunk, leaf, data)


def _find_fallback(pages: Sequence[PageInfo], data: Sequence[PageInfo]) -> Iterator[Finding]:
    if all(page.kind != "dictionary" for page in pages):
        return
    others = [page for page in data if page.encoding not in DICTIONARY_NAMES]
    if len(others) == len(data):
        yield Finding("warning", "fallback", "there is a dictionary page, but no data page has indices into it")
    elif others:
        names = ", ".join(dict.fromkeys(str(page.encoding) for page in others))
        found = f"{len(others)} of {_count(len(data))} fell back from the dictionary to {names}"
        yield Finding("note", "fallback", found)


def _check_offsets(column: ColumnMetaData, pages: Sequence[PageInfo], data: Sequence[PageInfo]) -> Iterator[Finding]:
    dictionary = next((page for page in pages if page.kind == "dictionary"), None)
    yield from _check_offset("data_page_offset", column.data_page_offset, data[0], pages)
    name, offset = "dictionary_page_offset", column.dictionary_page_offset
    if dictionary is not None:
        yield from _check_offset(name, offset, dictionary, pages)
    elif offset:
        yield Finding("warning", name, f"{name} is {offset}, but there is no dictionary page")
    elif any(page.encoding in DICTIONARY_NAMES and page.null_count != page.num_values for page in data):
        yield Finding(
            "warning",
            name,
            f"{name} is {'absent' if offset is None else offset}, but data pages have indices into a dictionary",
        )


def _check_offset(name: str, offset: int | None, first: PageInfo, pages: Sequence[PageInfo]) -> Iterator[Finding]:
    if offset != first.offset:
        kind = next((page.kind for page in pages if page.offset == offset), None)
        what = "where no page begins" if kind is None else f"where a {kind} page is"
        said = "absent" if offset is None else f"{offset}, {what}"
        yield Finding("warning", name, f"{name} is {said}; the first {first.kind} page is at byte {first.offset}")


def _check_encodings(column: ColumnMetaData, pages: Sequence[PageInfo], data: Sequence[PageInfo]) -> Iterator[Finding]:
    claimed = [encoding_name(encoding) for encoding in column.encodings]
    # Headers name encodings also of levels that there are not. Writers repeat these in the footer or leave them out,
    # and that of the dictionary too: what is missing there is looked for in the values alone.
    used = {name for page in pages for name in (page.encoding, *page.level_encodings)}
    unused = [name for name in claimed if name not in used]
    unclaimed = [name for name in dict.fromkeys(str(page.encoding) for page in data) if name not in claimed]
    if unused:
        yield Finding("warning", "encodings", f"the footer claims {', '.join(unused)}, which no page has")
    if unclaimed:
        found = f"the footer does not claim {', '.join(unclaimed)}, which data pages have"
        yield Finding("warning", "encodings", found)
    if column.encoding_stats is not None:
        said = Counter[tuple[str, str]]()
        for part in column.encoding_stats:
            said[page_kind(part.page_type), encoding_name(part.encoding)] += part.count
        there = Counter((page.kind, str(page.encoding)) for page in pages if page.encoding is not None)
        if said != there:
            found = f"encoding_stats has {_listed(said)}; there are {_listed(there)}"
            yield Finding("warning", "encoding_stats", found)


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
    rows = total(page.num_rows for page in data)
    if rows is not None and rows != row_group.num_rows:
        yield Finding("warning", "num_rows", f"{rows} rows, in a row group of {row_group.num_rows}")
    nulls, claimed = total(page.null_count for page in data), column.statistics and column.statistics.null_count
    # Writers do not agree on whether a list that is empty or null counts.
    if not leaf.max_repetition_level and None not in (nulls, claimed) and nulls != claimed:
        yield Finding("warning", "null_count", f"the statistics have {claimed} nulls; there are {nulls}")
    raw, sizes = total(page.raw_size for page in data), column.size_statistics
    raw_claimed = sizes and sizes.unencoded_byte_array_data_bytes
    if leaf.type == PhysicalType.BYTE_ARRAY and None not in (raw, raw_claimed) and raw != raw_claimed:
        found = f"unencoded_byte_array_data_bytes is {raw_claimed}; the values have {raw} bytes"
        yield Finding("warning", "size_statistics", found)


def _check_statistics(statistics: Statistics, leaf: Leaf) -> Iterator[Finding]:
    order = _order(leaf)
    if order is None:
        return
    pairs = [("min_value", statistics.min_value, "max_value", statistics.max_value)]
    if leaf.type in FORMATS and not leaf.is_unsigned:  # the old fields are in the order of signed bytes elsewhere
        pairs.append(("min", statistics.min, "max", statistics.max))
    for low_name, low, high_name, high in pairs:
        if low is None or high is None:
            continue
        try:
            is_wrong = order(low) > order(high)
        except struct.error:
            sizes = f"{low_name} of {len(low)} and a {high_name} of {len(high)} bytes"
            yield Finding("warning", "statistics", f"the statistics have a {sizes}, which is no {leaf.physical_type}")
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


def _check_indexes(
    file: BinaryIO, column_chunk: ColumnChunk, leaf: Leaf, data: Sequence[PageInfo]
) -> Iterator[Finding]:
    checks: dict[str, Callable[[], str | None]] = {
        "offset_index": lambda: _check_offset_index(file, column_chunk, data),
        "column_index": lambda: _check_column_index(file, column_chunk, leaf, data),
    }
    for name, check in checks.items():
        try:
            message = check()
        except MalformedFileError as error:
            message = f"the {name.replace('_', ' ')}: {error}"
        if message is not None:
            yield Finding("warning", name, message)


def _check_offset_index(file: BinaryIO, column_chunk: ColumnChunk, data: Sequence[PageInfo]) -> str | None:
    start, size = column_chunk.offset_index_offset, column_chunk.offset_index_length
    if start is None:
        return None
    index, _ = OffsetIndex.read(read_range(file, start, size or 0, "its place"))
    said = [(page.offset, page.compressed_page_size, page.first_row_index) for page in index.page_locations]
    if len(said) != len(data):
        return f"the offset index has {_count(len(said))}; there are {len(data)}"
    first_row: int | None = 0
    for i, (own, page) in enumerate(zip(said, data, strict=True)):
        found = (page.offset, page.header_size + page.compressed_size, own[2] if first_row is None else first_row)
        if own != found:
            both = [f"{size} bytes at byte {offset} from row {row}" for offset, size, row in (own, found)]
            return f"the offset index has data page {i} as {both[0]}; it is {both[1]}"
        first_row = None if first_row is None or page.num_rows is None else first_row + page.num_rows
    return None


def _check_column_index(file: BinaryIO, column_chunk: ColumnChunk, leaf: Leaf, data: Sequence[PageInfo]) -> str | None:
    start, size = column_chunk.column_index_offset, column_chunk.column_index_length
    if start is None:
        return None
    index, _ = ColumnIndex.read(read_range(file, start, size or 0, "its place"))
    if len(index.null_pages) != len(data):
        return f"the column index has {_count(len(index.null_pages))}; there are {len(data)}"
    counts = [] if leaf.max_repetition_level else index.null_counts or []
    for i, (said, page) in enumerate(zip(counts, data, strict=False)):
        if page.null_count is not None and said not in (page.null_count, UNKNOWN_COUNT):
            return f"the column index has {said} nulls for data page {i}; there are {page.null_count}"
    return None


# --- Row groups ------------------------------------------------------------------------------------------------------


def check_row_groups(footer: Footer) -> Iterator[Finding]:
    """Hold what the footer says of row groups against what it says of their columns.

    Parameters
    ----------
    footer : Footer
        The footer.

    Yields
    ------
    Finding
        What is not so.

    Raises
    ------
    MalformedFileError
        If the metadata breaks the rules of the format.
    """
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
        with suppress(MalformedFileError):  # what is wrong with a chunk is told there
            column = column_chunk.meta_data
            if column is not None and column_chunk.file_path is None and column.num_values > 0:
                starts.append(chunk_start(column, footer))
    return min(starts, default=None)
