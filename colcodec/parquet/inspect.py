"""What is in a Parquet file: its pages as they are found, and what the metadata says of them that is not so.

Every page is decompressed, its levels are decoded and, of byte arrays, the lengths of its values. Of a damaged file all
that can be read is told, with what cannot.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .._checks import as_size
from .._html import make_table
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding
from ..compare import Progress
from ..encodings.rle_dictionary import Known, known_of_page
from ..errors import MalformedFileError, MalformedPageError, located
from ..page import EncodedPage, measure
from .byte_arrays import as_byte_array_leaf, check_decompressed_size, read_dictionary_page, read_levels, read_page
from .checks import Finding, PageInfo, check_chunk, check_row_groups, encoding_name, page_kind, total
from .files import File, open_file
from .footer import Footer, file_size, read_footer
from .pages import Chunk, Page, codec_name, read_chunk, read_data_page, read_dictionary, walk
from .schema import Leaf, column_metadata, find_leaf, leaves
from .structs import DataPageHeader, PageType, PhysicalType, Repetition

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

MAX_SHOWN: Final = 20
"""Findings that a notebook shows."""


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
    def type(self) -> str:
        """How values are stored, and what they mean, in a few words."""
        length = "" if self.type_length is None else f"({self.type_length})"
        meaning = "" if self.logical_type is None else f" {self.logical_type}"
        return f"{self.repetition} {self.physical_type}{length}{meaning}"

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
        return total(chunk.null_count for chunk in self.chunks)

    @property
    def raw_size(self) -> int | None:
        """Bytes of the values without any encoding; None where a page could not be read."""
        return total(chunk.raw_size for chunk in self.chunks)

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
        return any(finding.level == "error" for _, finding in self._all_findings())

    def _all_findings(self) -> Iterator[tuple[str, Finding]]:
        """Give all that is worth to be told, with the name of its column."""
        yield from (("", finding) for finding in self.findings)
        for column in self.columns:
            yield from ((column.name, finding) for chunk in column.chunks for finding in chunk.findings)

    def _repr_html_(self) -> str:
        def number(value: int | None) -> str:
            return "?" if value is None else f"{value:,}"

        figures = ("values", "nulls", "raw bytes", "encoded bytes", "compressed bytes", "of file")
        rows = []
        for column in self.columns:
            pages = ", ".join(f"{encoding} x{count:,}" for encoding, count in column.encodings.items())
            sizes = column.raw_size, column.encoded_size, column.compressed_size
            numbers = map(number, (column.num_values, column.null_count, *sizes))
            texts = column.name, column.type, pages or "-", ", ".join(column.codecs) or "-"
            rows.append((*texts, *numbers, f"{column.compressed_size / self.size:.1%}"))
        caption = f"Parquet file: {self.size:,} bytes, {self.num_rows:,} rows"
        shown = make_table(caption, ("column", "type", "data pages", "codec", *figures), rows, texts=range(4))
        found: list[tuple[str, str, str]] = [
            (finding.level, name, finding.message) for name, finding in self._all_findings()
        ]
        if len(found) > MAX_SHOWN:
            found[MAX_SHOWN:] = [("…", "", f"{len(found) - MAX_SHOWN:,} more")]
        return shown + (make_table("Findings", ("level", "column", "what"), found, texts=range(3)) if found else "")


def inspect(
    file: File,
    /,
    *,
    columns: Iterable[str] | None = None,
    pages: bool = False,
    progress: Progress | None = None,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
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
    max_data_size : int, optional
        The most bytes that the values of a page may have, and a dictionary: it bounds the memory that a hostile file
        can ask for. A page with more is one that cannot be read.

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
    TypeError, ValueError
        If an argument is not of its kind.

    Examples
    --------
    >>> import colcodec as cc
    >>> import io
    >>> file = io.BytesIO()
    >>> cc.parquet.write_columns(file, {"state": ["Ohio", None, "Iowa"]}, encodings="DELTA_BYTE_ARRAY")
    >>> [(column.name, column.encodings, column.null_count) for column in cc.parquet.inspect(file).columns]
    [('state', {'DELTA_BYTE_ARRAY': 1}, 1)]
    """
    max_data_size = as_size(max_data_size, "max_data_size")
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
                chunks[j].append(_inspect_chunk(opened, footer, i, leaf, pages, max_data_size))
        by = metadata.created_by
        return FileInfo(
            size=file_size(opened),
            footer_size=file_size(opened) - footer.start,
            num_rows=metadata.num_rows,
            num_row_groups=len(metadata.row_groups),
            created_by=None if by is None else by.decode("utf-8", "backslashreplace"),
            columns=tuple(_as_column(leaf, own) for leaf, own in zip(chosen, chunks, strict=True)),
            findings=tuple(check_row_groups(footer)),
        )


def _as_column(leaf: Leaf, chunks: list[ChunkInfo]) -> ColumnInfo:
    kind = leaf.element.repetition_type or Repetition.REQUIRED
    return ColumnInfo(
        name=leaf.name,
        index=leaf.index,
        physical_type=leaf.physical_type,
        type_length=leaf.type_length,
        logical_type=leaf.logical_type,
        repetition=Repetition(kind).name.lower() if kind in tuple(Repetition) else f"repetition {kind}",
        max_definition_level=leaf.max_definition_level,
        max_repetition_level=leaf.max_repetition_level,
        chunks=tuple(chunks),
    )


# --- Pages -----------------------------------------------------------------------------------------------------------


def _inspect_chunk(
    file: BinaryIO, footer: Footer, number: int, leaf: Leaf, with_pages: bool, max_data_size: int
) -> ChunkInfo:
    row_group = footer.metadata.row_groups[number]
    findings: list[Finding] = []
    pages: list[PageInfo] = []
    codec, claimed, is_whole = None, [], False
    try:
        column = column_metadata(row_group, leaf)
        codec, claimed = codec_name(column.codec), [encoding_name(encoding) for encoding in column.encodings]
        for found in _inspect_pages(read_chunk(file, column, footer), leaf, max_data_size):
            if isinstance(found, Finding):
                findings.append(found)
            else:
                pages.append(found)
        is_whole = True
        findings += check_chunk(file, row_group, leaf, pages)
    except MalformedFileError as error:
        findings.append(Finding("error", "unreadable", str(error)))
    data = [page for page in pages if page.kind == "data"]
    return ChunkInfo(
        row_group=number,
        codec=codec,
        encodings=dict(Counter(str(page.encoding) for page in data)),
        claimed_encodings=tuple(claimed),
        num_values=sum(page.num_values for page in data),
        null_count=total(page.null_count for page in data) if is_whole else None,
        raw_size=total(page.raw_size for page in data) if is_whole else None,
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


def _inspect_pages(chunk: Chunk, leaf: Leaf, max_data_size: int) -> Iterator[PageInfo | Finding]:
    is_byte_array = leaf.type in (PhysicalType.BYTE_ARRAY, PhysicalType.FIXED_LEN_BYTE_ARRAY)
    if is_byte_array:
        as_byte_array_leaf(leaf)
    dictionary, known = None, None
    is_first = True
    for page in walk(chunk):
        contents, is_intact = _Contents(), page.is_intact()
        try:
            if page.header.type == PageType.DICTIONARY_PAGE:
                if not is_first:
                    raise MalformedFileError(f"page at byte {page.start}: a dictionary page that is not the first page")
                _check_size(page, chunk.num_values, max_data_size)
                if is_byte_array:
                    dictionary = read_dictionary_page(page, chunk, leaf)
                    with located(f"dictionary page at byte {page.start}"):
                        known = known_of_page(dictionary.data, dictionary.num_values, leaf.type_length)
                else:
                    read_dictionary(page, chunk)
            elif page.data_header is not None and is_byte_array:
                contents = _read_byte_arrays(page, chunk, leaf, dictionary, known, max_data_size)
            elif page.data_header is not None:
                contents = _read_others(page, chunk, leaf, max_data_size)
        except (MalformedFileError, MalformedPageError) as error:
            yield Finding("error", "unreadable", str(error))
        if is_intact is False:
            yield Finding("error", "checksum", f"page at byte {page.start}: its bytes do not fit its checksum")
        yield _as_page(page, contents, is_intact)
        is_first = False


def _check_size(page: Page, num_values: int, max_data_size: int) -> None:
    with located(f"page at byte {page.start}"):
        check_decompressed_size(page.header.uncompressed_page_size, num_values, 1, max_data_size)


def _read_byte_arrays(
    page: Page, chunk: Chunk, leaf: Leaf, dictionary: EncodedPage | None, known: Known | None, max_data_size: int
) -> _Contents:
    _check_size(page, page.num_values, max_data_size)
    read = read_page(page, chunk, leaf, dictionary, max_data_size)
    with located(f"page at byte {page.start}"):
        values = measure(read.encoded, max_data_size, known)
        raw_size = values.size_of(values.num_values)  # of PLAIN pages, only this looks at each value
    return _Contents(_count_rows(page, read.rep_levels), page.num_values - values.num_values, raw_size)


def _read_others(page: Page, chunk: Chunk, leaf: Leaf, max_data_size: int) -> _Contents:
    _check_size(page, page.num_values, max_data_size)
    data_page = read_data_page(page, chunk, leaf)
    with located(f"page at byte {page.start}"):
        levels = read_levels(data_page, leaf, max_data_size)
    width, count = BITS.get(leaf.type), page.num_values - levels.null_count
    raw_size = None if width is None else (width * count + 7) // 8
    if raw_size is not None and data_page.encoding is Encoding.PLAIN and data_page.values.size < raw_size:
        found = f"{data_page.values.size} bytes in PLAIN cannot hold {count} values of {raw_size} bytes together"
        raise MalformedFileError(f"page at byte {page.start}: {found}")
    return _Contents(_count_rows(page, levels.rep_levels), levels.null_count, raw_size)


def _count_rows(page: Page, rep_levels: npt.NDArray[np.int16] | None) -> int:
    return page.num_values if rep_levels is None else int(np.count_nonzero(rep_levels == 0))


def _as_page(page: Page, contents: _Contents, is_intact: bool | None) -> PageInfo:
    header, data_header = page.header, page.data_header
    dictionary_header = header.dictionary_page_header if header.type == PageType.DICTIONARY_PAGE else None
    level_encodings: tuple[int, ...] = ()
    if isinstance(data_header, DataPageHeader):
        level_encodings = (data_header.definition_level_encoding, data_header.repetition_level_encoding)
    elif data_header is not None:
        level_encodings = (Encoding.RLE, Encoding.RLE)
    return PageInfo(
        offset=page.start,
        kind=page_kind(header.type),
        version=VERSIONS.get(header.type),
        encoding=None if page.encoding is None else encoding_name(page.encoding),
        level_encodings=tuple(map(encoding_name, level_encodings)),
        num_values=page.num_values if dictionary_header is None else dictionary_header.num_values,
        num_rows=contents.num_rows,
        null_count=contents.null_count,
        raw_size=contents.raw_size,
        header_size=page.header_size,
        compressed_size=page.body.size,
        uncompressed_size=header.uncompressed_page_size,
        is_intact=is_intact,
    )
