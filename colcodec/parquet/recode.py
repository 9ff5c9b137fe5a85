"""String columns of a Parquet file encoded anew, and all else copied as it is.

Pages stay what they were, one for one, with the same levels, so that column indexes and filters remain true. What is
not chosen is not decoded; offsets in the metadata follow. Row groups stream: a column chunk at a time is in memory.
"""

import os
import re
import struct
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, BinaryIO, Final, NamedTuple

import numpy as np

from .._checks import check_page_size
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding
from ..choice import choose
from ..column_chunk import decode_pages, encode_slices, workers
from ..compare import Progress
from ..compression import Compression, as_compression, find_compressor
from ..encodings import Bytes
from ..errors import ColcodecError, DictionaryTooLarge, InvalidColumnError, LimitError, MalformedFileError, located
from ..page import FIXED_LEN_BYTE_ARRAY_ENCODINGS, EncodedPage, as_writable_encoding, check_encoding
from ..readers import check_readers, why_unreadable
from ..string_column import StringColumn
from .checks import encoding_name
from .files import File, open_file, replacing
from .footer import MAGIC, Footer, created_by, file_size, read_array, read_footer, read_range
from .pages import (
    CODECS,
    HADOOP_LZ4,
    Chunk,
    DataPage,
    Page,
    codec_name,
    codec_number,
    dictionary_page_header,
    make_page,
    read_chunk,
    read_data_page,
    walk,
)
from .reader import (
    as_byte_array_leaf,
    as_encoded,
    check_decompressed_size,
    check_number_of_values,
    read_dictionary_page,
    read_levels,
)
from .schema import Leaf, column_metadata, find_leaf, leaves
from .structs import (
    BloomFilterHeader,
    ColumnChunk,
    ColumnMetaData,
    DataPageHeader,
    FileMetaData,
    OffsetIndex,
    PageEncodingStats,
    PageType,
    PhysicalType,
    RowGroup,
)

KEEP: Final = "keep"
"""The compression that each column chunk has already."""

AUTO: Final = "auto"

STRING_TYPES: Final = (None, "STRING", "ENUM", "JSON")
"""What BYTE_ARRAYs mean that are encoded anew without being named: decimals are no strings."""

BLOOM_HEADER_SIZE: Final = 64
"""Bytes that the header of a bloom filter has at most; real ones have some 20."""

UNCERTAIN: Final = {b"parquet-mr": (1, 10), b"parquet-cpp": (1, 3)}
"""Versions before which writers ordered byte arrays as signed, or not at all, in what metadata calls min and max."""

CHAINED: Final = {b"parquet-mr": (1, 8)}
"""Versions before which a page of DELTA_BYTE_ARRAY can begin with a prefix of the page before it (PARQUET-246)."""


@dataclass(frozen=True, slots=True)
class RecodedColumn:
    """A column that was to be encoded anew.

    Parameters
    ----------
    name : str
        Its path with dots.
    size_before, size_after : int
        Bytes of its pages, headers included.
    encodings_before, encodings_after : dict of str to int
        Of how many data pages each encoding is.
    notes : tuple of str
        What was not done as it was asked for, and why.
    """

    name: str
    size_before: int
    size_after: int
    encodings_before: dict[str, int]
    encodings_after: dict[str, int]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecodedFile:
    """A file whose columns were encoded anew.

    Parameters
    ----------
    size_before, size_after : int
        Bytes of the file.
    num_row_groups : int
        Number of its row groups.
    columns : tuple of RecodedColumn
        The columns that were chosen.
    seconds : float
        How long it took, with the check.
    """

    size_before: int
    size_after: int
    num_row_groups: int
    columns: tuple[RecodedColumn, ...]
    seconds: float


def recode(
    source: File,
    target: str | os.PathLike[str] | BinaryIO | None = None,
    /,
    *,
    columns: str | Iterable[str] | None = None,
    encoding: Encoding | str = AUTO,
    compression: str = KEEP,
    readers: str | Iterable[str] | None = None,
    check: bool = True,
    dry_run: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RecodedFile:
    """Encode string columns of a Parquet file anew, and copy the rest byte for byte.

    A process that is killed may leave a hidden file beside the target, ".colcodec-....part", which can be deleted.

    Parameters
    ----------
    source : str, path or file object
        The file: a path, a URL that fsspec knows, or a binary file that can seek. It is only read.
    target : str, path or file object
        Where to write: a path or a URL, which can be that of `source` and gets the file once that is whole and checked;
        or a binary file, empty so far, that can be read. Not needed with `dry_run`.
    columns : str or iterable of str, optional
        Paths of columns in the schema, as "a.b.c": of BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY. By default each BYTE_ARRAY
        that is STRING, ENUM, JSON or of no logical type.
    encoding : Encoding or str, optional
        What each page of these columns is to have. "auto" finds for each column chunk what takes the least space, as
        :func:`colcodec.choose` does, and leaves the chunk as it is where nothing is saved. Where RLE_DICTIONARY would
        need a dictionary of more than 1 MiB, the chunk has what "auto" finds; one of nulls alone has PLAIN then.
    compression : str, optional
        What compresses the pages of these columns: "zstd", "snappy", "lz4", "gzip", "brotli" or "none", also with a
        level, as "zstd:9"; or "keep". The old LZ4 of Hadoop is not written: what has it is left alone by "keep". So is
        a column chunk of more than 2**31 bytes of values, or with a page that would become as large.
    readers : str or iterable of str, optional
        Who must be able to read these columns, such as "spark" or ["impala", "duckdb"].
    check : bool, optional
        Whether to read what was written again, and to compare it with the source, before it takes its name.
    dry_run : bool, optional
        Whether to write nothing, and only tell what would come of it.
    threads : int, optional
        Number of threads that encode and compress. By default one for each processor of this process.
    progress : callable, optional
        Called as ``progress(done, total, what comes next)`` with numbers of column chunks.

    Returns
    -------
    RecodedFile
        What was done.

    Raises
    ------
    KeyError
        If there is no such column.
    InvalidTypeError
        If a column is not of byte arrays.
    MalformedFileError, MalformedPageError
        If the file breaks the rules of the format, is encrypted, or has a page that does not fit its checksum.
    ColcodecError
        If the check finds a difference.
    TypeError, ValueError
        If an argument is not of its kind, or the encoding is not for these columns or not for these readers.
    OSError
        If the file cannot be read or written. After any error `target` is what it was before.

    Examples
    --------
    >>> import colcodec as cc
    >>> import io
    >>> file, smaller = io.BytesIO(), io.BytesIO()
    >>> words = [f"word {i:05}" for i in range(1000)]
    >>> cc.parquet.write_columns(file, {"word": words}, encodings="PLAIN", compression="none")
    >>> done = cc.parquet.recode(file, smaller, columns="word")
    >>> done.columns[0].encodings_before, done.columns[0].encodings_after
    ({'PLAIN': 1}, {'DELTA_BYTE_ARRAY': 1})
    """
    began = time.perf_counter()
    options = as_options(encoding, compression, readers, threads)
    writing = _open_target(source, target, dry_run=dry_run)
    with open_file(source) as file:
        footer = read_footer(file)
        if footer.metadata.encryption_algorithm is not None:
            raise MalformedFileError("the file has encrypted columns, or a signed footer; colcodec does not decrypt")
        chosen = _choose_leaves(footer.metadata, columns, options)
        rewriter = _Rewriter(file, footer, chosen, options)
        checks = check and not dry_run
        with writing as out:
            rewriter.write(out, progress, parts=2 if checks else 1)
            if checks:
                rewriter.check(out, progress)
        return RecodedFile(
            size_before=file_size(file),
            size_after=rewriter.position,
            num_row_groups=len(footer.metadata.row_groups),
            columns=tuple(rewriter.reports[leaf.index].finished() for leaf in chosen),
            seconds=time.perf_counter() - began,
        )


# --- Arguments -------------------------------------------------------------------------------------------------------


class Options(NamedTuple):
    """How columns are encoded anew; None for an encoding that is to be found, and for a compression that stays."""

    encoding: Encoding | None
    compression: str | None
    readers: tuple[str, ...]
    threads: int | None


class _Nowhere:
    """What takes the bytes of a dry run."""

    def write(self, data: Any) -> int:
        return len(data)


def as_options(
    encoding: Encoding | str, compression: str, readers: str | Iterable[str] | None, threads: int | None
) -> Options:
    """Check how columns are to be encoded anew.

    Parameters
    ----------
    encoding, compression, readers, threads
        As :func:`recode` takes them.

    Returns
    -------
    Options
        What they mean.

    Raises
    ------
    TypeError, ValueError
        If one is not of its kind, or the encoding is not for these readers.
    """
    names = check_readers(readers)
    known = None if encoding == AUTO else as_writable_encoding(encoding, _length_for(encoding))
    if known is Encoding.DELTA_BINARY_PACKED:
        raise ValueError("DELTA_BINARY_PACKED is for integers")
    if known is not None and (reason := why_unreadable(known, names)):
        raise ValueError(f"{known.name} is {reason}")
    if compression != KEEP:
        as_compression(compression)
    return Options(known, None if compression == KEEP else compression, names, threads)


def _length_for(encoding: Encoding | str) -> int | None:
    """Give the length of values for which an encoding can be; whether it is for a column is found out with that."""
    return 1 if encoding in (Encoding.BYTE_STREAM_SPLIT, Encoding.BYTE_STREAM_SPLIT.name) else None


def _open_target(source: Any, target: Any, *, dry_run: bool) -> AbstractContextManager[Any]:
    if dry_run:
        return nullcontext(_Nowhere())
    if target is None:
        raise TypeError("a target is needed, but for a dry run")
    if target is source and hasattr(target, "write"):
        raise ValueError("the target is the file that is read; only a path or a URL can be replaced")
    return replacing(target)


def _choose_leaves(metadata: FileMetaData, columns: str | Iterable[str] | None, options: Options) -> list[Leaf]:
    if columns is None:
        chosen = [
            leaf
            for leaf in leaves(metadata)
            if leaf.type == PhysicalType.BYTE_ARRAY and leaf.logical_type in STRING_TYPES
        ]
    else:
        names = [columns] if isinstance(columns, str) else columns
        chosen = [as_byte_array_leaf(find_leaf(metadata, name)) for name in dict.fromkeys(names)]
    for leaf in chosen:
        if options.encoding is not None:
            check_encoding(options.encoding, leaf.type_length)
    return chosen


# --- A column chunk --------------------------------------------------------------------------------------------------


class _Read(NamedTuple):
    """The pages of a column chunk that is encoded anew: their levels, and the values of all that are present.

    Parameters
    ----------
    pages : list of Page
        The data pages as they are in the file.
    data_pages : list of DataPage
        The same, decompressed, without their values.
    values : StringColumn
        The values of them all, without nulls.
    ends : list of int
        0, and where the values of each page end.
    """

    pages: list[Page]
    data_pages: list[DataPage]
    values: StringColumn
    ends: list[int]


def _read_pages(chunk: Chunk, leaf: Leaf) -> _Read:
    pages, data_pages, all_encoded = [], [], []
    dictionary: EncodedPage | None = None
    size = 0
    check_number_of_values(chunk.num_values, DEFAULT_MAX_DATA_SIZE)
    for i, page in enumerate(walk(chunk)):
        if page.is_intact() is False:  # a new checksum must not hide that
            raise MalformedFileError(f"page at byte {page.start}: its bytes do not fit its checksum")
        size += page.header.uncompressed_page_size
        check_decompressed_size(size, chunk.num_values, i + 1, DEFAULT_MAX_DATA_SIZE)
        if page.header.type == PageType.DICTIONARY_PAGE:
            if i > 0:
                raise MalformedFileError(f"page at byte {page.start}: a dictionary page that is not the first page")
            dictionary = read_dictionary_page(page, chunk, leaf)
            continue
        if page.data_header is None:
            raise _StaysError(f"there is a page of type {page.header.type}, of which nothing is known")
        data_page = read_data_page(page, chunk, leaf)
        with located(f"page at byte {page.start}"):
            levels = read_levels(data_page, leaf, DEFAULT_MAX_DATA_SIZE)
            encoded = as_encoded(data_page, data_page.num_values - levels.null_count, None, leaf, dictionary)
        pages.append(page)
        # Copies, so that what was decompressed goes once the values are decoded.
        levels_alone = {name: getattr(data_page, name).copy() for name in ("repetition_levels", "definition_levels")}
        data_pages.append(replace(data_page, values=data_page.values[:0].copy(), **levels_alone))
        all_encoded.append(encoded)
    ends = [0, *accumulate(encoded.num_values for encoded in all_encoded)]
    return _Read(pages, data_pages, decode_pages(all_encoded), ends)


class _Part(NamedTuple):
    """A page that is written, with what it would take without compression; `old` is the start of the one it is for."""

    kind: int
    encoding: int
    data: bytes
    uncompressed_size: int
    old: int | None = None


class _Encoded(NamedTuple):
    """A column chunk that was encoded anew."""

    codec: int
    parts: list[_Part]
    level_encodings: list[int]

    @property
    def size(self) -> int:
        """Bytes of all pages."""
        return sum(len(part.data) for part in self.parts)

    @property
    def data_parts(self) -> list[_Part]:
        """The pages without that of the dictionary."""
        return [part for part in self.parts if part.kind != PageType.DICTIONARY_PAGE]


def _encode(read: _Read, encoding: Encoding, compression: str, leaf: Leaf, threads: Any) -> _Encoded:
    kind, _ = as_compression(compression)
    compress = None if kind is Compression.NONE else find_compressor(compression)
    encoded = encode_slices(read.values, read.ends, encoding, threads=threads, type_length=leaf.type_length)
    parts = []
    dictionary = encoded[0].dictionary
    if isinstance(dictionary, EncodedPage):
        body = dictionary.data if compress is None else compress(dictionary.data)
        page = make_page(dictionary_page_header(dictionary.num_values), body, dictionary.data.size)
        raw_size = len(page) - body.size + dictionary.data.size
        parts.append(_Part(PageType.DICTIONARY_PAGE, Encoding.PLAIN, page, raw_size))

    def make(i: int) -> _Part:
        return _make_data_page(read.pages[i], read.data_pages[i], encoded[i], compress)

    with workers(threads) as run:
        parts += run(make, range(len(encoded)))
    levels = dict.fromkeys(number for page in read.pages for number in _level_encodings(page))
    return _Encoded(codec_number(kind), parts, [*levels])


def _make_data_page(page: Page, data_page: DataPage, encoded: EncodedPage, compress: Any) -> _Part:
    """Put new values behind the levels of a data page, under its header."""
    levels, values = (data_page.repetition_levels, data_page.definition_levels), encoded.data
    raw_size = sum(part.size for part in (*levels, values))
    check_page_size(raw_size)
    header = page.header.copy()
    if header.type == PageType.DATA_PAGE and header.data_page_header is not None:
        own = header.data_page_header = header.data_page_header.copy()
        own.encoding = int(encoded.encoding)
        body = np.concatenate([*levels, values])
        body = body if compress is None else compress(body)
    elif header.data_page_header_v2 is not None:
        own_2 = header.data_page_header_v2 = header.data_page_header_v2.copy()
        own_2.encoding = int(encoded.encoding)
        # Some readers give nothing to their decompressor, which fails on it.
        own_2.is_compressed = compress is not None and values.size > 0
        body = np.concatenate([*levels, compress(values) if own_2.is_compressed else values])
    made = make_page(header, body, raw_size)
    return _Part(header.type, encoded.encoding, made, len(made) - body.size + raw_size, page.start)


class _StaysError(Exception):
    """Why a column chunk cannot be encoded anew, though the file is in order."""


def _level_encodings(page: Page) -> tuple[int, ...]:
    header = page.data_header
    if isinstance(header, DataPageHeader):
        return (header.definition_level_encoding, header.repetition_level_encoding)
    return (Encoding.RLE,)


def _is_older(metadata: FileMetaData, than: dict[bytes, tuple[int, int]]) -> bool:
    """Whether a file is by a writer older than the version that is told of it."""
    found = re.match(rb"([\w-]+) version (\d+)\.(\d+)", metadata.created_by or b"")
    return found is not None and (int(found[2]), int(found[3])) < than.get(found[1], (0, 0))


def _has_uncertain_extremes(metadata: FileMetaData) -> bool:
    """Whether readers do not believe what a file has as min and max of byte arrays, for the sake of who wrote it."""
    by = metadata.created_by or b""
    return metadata.column_orders is None and (
        re.match(rb".+ version .*\d", by) is None or _is_older(metadata, UNCERTAIN)
    )


# --- A file ----------------------------------------------------------------------------------------------------------


@dataclass
class _Report:
    """What is told of a column, while it grows."""

    name: str
    size_before: int = 0
    size_after: int = 0
    encodings_before: Counter[str] = field(default_factory=Counter)
    encodings_after: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def finished(self) -> RecodedColumn:
        before, after = dict(self.encodings_before), dict(self.encodings_after)
        return RecodedColumn(self.name, self.size_before, self.size_after, before, after, tuple(self.notes))


class _Copy(NamedTuple):
    """A column chunk that was copied as it is: where it was, and where it is."""

    old: int
    new: int
    size: int


class _Rewriter:
    """Writes a file again.

    Parameters
    ----------
    file : file object
        What is read.
    footer : Footer
        Its footer. It becomes that of the file that is written.
    chosen : list of Leaf
        The columns that are encoded anew.
    options : Options
        How.
    """

    def __init__(self, file: BinaryIO, footer: Footer, chosen: list[Leaf], options: Options) -> None:
        self.file = file
        self.footer = footer
        self.leaves = leaves(footer.metadata)
        self.options = options
        self.reports = {leaf.index: _Report(leaf.name) for leaf in chosen}
        self.position = 0
        self._copies: dict[tuple[int, int], _Copy] = {}
        self._offset_indexes: list[tuple[ColumnChunk, bytes]] = []
        self._has_uncertain_extremes = _has_uncertain_extremes(footer.metadata)
        self._has_chained_pages = _is_older(footer.metadata, CHAINED)
        for i, row_group in enumerate(footer.metadata.row_groups):
            if len(row_group.columns) != len(self.leaves):
                found = f"{len(row_group.columns)} columns, but the schema {len(self.leaves)}"
                raise MalformedFileError(f"row group {i} has {found}")

    def write(self, out: BinaryIO, progress: Progress | None, parts: int) -> None:
        """Write the file."""
        self._out = out
        metadata = self.footer.metadata
        self._put(MAGIC)
        for i, leaf in self._each_chunk(progress, 0, parts):
            with located(f"column {leaf.name!r}, row group {i}"):
                self._write_chunk(i, leaf)
        chunks = [chunk for row_group in metadata.row_groups for chunk in row_group.columns]
        for chunk in chunks:
            self._copy_bloom_filter(chunk)
        for chunk in chunks:
            self._copy_column_index(chunk)
        for chunk, index in self._offset_indexes:
            chunk.offset_index_offset, chunk.offset_index_length = self.position, len(index)
            self._put(index)
        for row_group in metadata.row_groups:
            _sum_up(row_group)
        metadata.created_by = created_by()
        written = bytes(metadata)
        self._put(written)
        self._put(struct.pack("<I4s", len(written), MAGIC))

    def _each_chunk(self, progress: Progress | None, part: int, parts: int) -> Iterator[tuple[int, Leaf]]:
        count = len(self.footer.metadata.row_groups) * len(self.leaves)
        for i in range(len(self.footer.metadata.row_groups)):
            for leaf in self.leaves:
                if progress is not None:
                    progress(part * count + i * len(self.leaves) + leaf.index, parts * count, leaf.name)
                yield i, leaf

    def _put(self, data: bytes | Bytes) -> None:
        self._out.write(data)  # type: ignore[arg-type] # an array is a buffer
        self.position += len(data)

    def _write_chunk(self, i: int, leaf: Leaf) -> None:
        row_group = self.footer.metadata.row_groups[i]
        column_chunk, column = row_group.columns[leaf.index], column_metadata(row_group, leaf)
        chunk = read_chunk(self.file, column, self.footer)
        report = self.reports.get(leaf.index)
        encoded = None if report is None else self._recode_chunk(chunk, leaf, i, report)
        start = self.position
        if encoded is None:
            self._copy_chunk(i, leaf, chunk)
        else:
            self._write_encoded(column_chunk, column, encoded)
        if column_chunk.file_offset:  # deprecated; it never was the same thing for all writers
            column_chunk.file_offset = start
        row_group.columns[leaf.index] = column_chunk
        statistics = column.statistics
        is_byte_array = leaf.type in (PhysicalType.BYTE_ARRAY, PhysicalType.FIXED_LEN_BYTE_ARRAY)
        if statistics is not None and is_byte_array and self._has_uncertain_extremes:
            # Under another name of who wrote the file, readers would believe them.
            statistics.min = statistics.max = None

    # A chunk that is chosen

    def _recode_chunk(self, chunk: Chunk, leaf: Leaf, i: int, report: _Report) -> _Encoded | None:
        """Encode a column chunk anew; None where it is to stay as it is."""
        pages = [*walk(chunk, known=True)]
        size = sum(page.nbytes for page in pages)
        before = Counter(encoding_name(page.encoding or 0) for page in pages if page.data_header is not None)
        encoded = None
        try:
            if pages and not self._stays(chunk, before):
                encoded = self._find_encoded(chunk, leaf, i, report, size)
        except (_StaysError, LimitError, InvalidColumnError) as error:
            report.notes.append(f"row group {i}: left as it is; {error}")
        report.size_before += size
        report.encodings_before += before
        if encoded is None:
            report.size_after += size
            report.encodings_after += before
        else:
            report.size_after += encoded.size
            report.encodings_after += Counter(encoding_name(part.encoding) for part in encoded.data_parts)
        return encoded

    def _stays(self, chunk: Chunk, encodings: Counter[str]) -> bool:
        """Whether a column chunk is already as it should be."""
        wanted, compression, *_ = self.options
        if chunk.codec == HADOOP_LZ4 and compression is None:
            raise _StaysError(f"{codec_name(chunk.codec)}, that of Hadoop, is not written")
        if chunk.codec not in (*CODECS, HADOOP_LZ4):
            raise _StaysError(f"{codec_name(chunk.codec)} is not read")
        return compression is None and wanted is not None and [*encodings] == [wanted.name]

    def _find_encoded(self, chunk: Chunk, leaf: Leaf, i: int, report: _Report, size: int) -> _Encoded | None:
        wanted, compression, readers, threads = self.options
        read = _read_pages(chunk, leaf)
        kept = compression is None and all(_is_readable(page.encoding, readers) for page in read.data_pages)
        compression = CODECS[chunk.codec].value if compression is None else compression
        if wanted is Encoding.RLE_DICTIONARY and len(read.values) == 0:
            wanted = Encoding.PLAIN
        if wanted is not None:
            try:
                return _encode(read, wanted, compression, leaf, threads)
            except DictionaryTooLarge as error:
                reason = str(error)
        found = _find_encoding(read.values, leaf, compression, readers)
        if wanted is not None:
            report.notes.append(f"row group {i}: {found.name} in place of {wanted.name}; {reason}")
        encoded = _encode(read, found, compression, leaf, threads)
        return None if wanted is None and kept and encoded.size >= size else encoded

    def _write_encoded(self, column_chunk: ColumnChunk, column: ColumnMetaData, encoded: _Encoded) -> None:
        places = {}
        column.dictionary_page_offset = column.index_page_offset = None
        column.data_page_offset = self.position
        for part in encoded.parts:
            if part.kind == PageType.DICTIONARY_PAGE:
                column.dictionary_page_offset = self.position
                column.data_page_offset = self.position + len(part.data)
            else:
                places[part.old] = (self.position, len(part.data))
            self._put(part.data)
        column.codec = encoded.codec
        column.total_compressed_size = encoded.size
        column.total_uncompressed_size = sum(part.uncompressed_size for part in encoded.parts)
        column.encodings = [*dict.fromkeys([*(int(part.encoding) for part in encoded.parts), *encoded.level_encodings])]
        kinds = Counter((int(part.kind), int(part.encoding)) for part in encoded.parts)
        column.encoding_stats = [
            PageEncodingStats(page_type=kind, encoding=encoding, count=count)
            for (kind, encoding), count in kinds.items()
        ]
        index = self._read_offset_index(column_chunk)
        if index is not None:
            for location in index.page_locations:
                if location.offset not in places:
                    raise MalformedFileError(f"the offset index has a page at byte {location.offset}, which is none")
                location.offset, location.compressed_page_size = places[location.offset]
            self._offset_indexes.append((column_chunk, bytes(index)))

    # A chunk that stays as it is

    def _copy_chunk(self, i: int, leaf: Leaf, chunk: Chunk) -> None:
        row_group = self.footer.metadata.row_groups[i]
        column_chunk, column = row_group.columns[leaf.index], column_metadata(row_group, leaf)
        pages = [*walk(chunk, known=True)]
        self._check_pages(chunk, pages)
        walked = sum(page.nbytes for page in pages)
        size = max(walked, column.total_compressed_size)
        moved = self.position - chunk.start
        dictionary, first = column.dictionary_page_offset, column.data_page_offset
        if pages:
            found = {page.header.type: page.start for page in reversed(pages)}
            dictionary = found.get(PageType.DICTIONARY_PAGE)
            first = min(page.start for page in pages if page.data_header is not None)
            # Old parquet-mr left the header of the dictionary page out of both sizes.
            beside = size - walked
            column.total_uncompressed_size = beside + sum(
                page.header_size + page.header.uncompressed_page_size for page in pages
            )
        inside = range(chunk.start, chunk.start + size)
        column.data_page_offset = first + moved if first in inside else self.position
        column.dictionary_page_offset = None if dictionary not in inside or dictionary is None else dictionary + moved
        column.index_page_offset = None
        column.total_compressed_size = size
        index = self._read_offset_index(column_chunk)
        if index is not None:
            for location in index.page_locations:
                location.offset += moved
            self._offset_indexes.append((column_chunk, bytes(index)))
        self._copies[i, leaf.index] = _Copy(chunk.start, self.position, size)
        self._put(chunk.buf[:size])

    def _check_pages(self, chunk: Chunk, pages: Sequence[Page]) -> None:
        """Refuse what readers would take for something else once another writer is named in the footer."""
        headers = [page.header.data_page_header_v2 for page in pages if page.header.type == PageType.DATA_PAGE_V2]
        is_compressed = chunk.is_always_compressed and chunk.codec != codec_number(Compression.NONE)
        if is_compressed and any(header is not None and header.is_compressed is False for header in headers):
            raise MalformedFileError("pages that are compressed, though by their headers not, as by old Arrow")
        encodings = [page.encoding for page in pages if page.data_header is not None]
        if self._has_chained_pages and encodings.count(Encoding.DELTA_BYTE_ARRAY) > 1:
            raise MalformedFileError("pages of DELTA_BYTE_ARRAY that go on from each other, as by old parquet-mr")

    # What is beside the pages

    def _read_offset_index(self, column_chunk: ColumnChunk) -> OffsetIndex | None:
        start, size = column_chunk.offset_index_offset, column_chunk.offset_index_length
        if start is None or size is None:
            column_chunk.offset_index_offset = column_chunk.offset_index_length = None
            return None
        index, _ = OffsetIndex.read(read_range(self.file, start, size, "the offset index"))
        return index

    def _copy_column_index(self, column_chunk: ColumnChunk) -> None:
        start, size = column_chunk.column_index_offset, column_chunk.column_index_length
        if start is None or size is None:
            column_chunk.column_index_offset = column_chunk.column_index_length = None
            return
        index = read_range(self.file, start, size, "a column index")
        column_chunk.column_index_offset = self.position
        self._put(index)

    def _copy_bloom_filter(self, column_chunk: ColumnChunk) -> None:
        column = column_chunk.meta_data
        if column is None or column.bloom_filter_offset is None:
            return
        start, size = column.bloom_filter_offset, column.bloom_filter_length
        if size is None:
            most = min(BLOOM_HEADER_SIZE, self.footer.start - start)
            header, header_size = BloomFilterHeader.read(read_range(self.file, start, most, "a bloom filter"))
            size = header_size + header.num_bytes
        bits = read_range(self.file, start, size, "a bloom filter")
        column.bloom_filter_offset = self.position
        self._put(bits)

    # The check

    def check(self, written: BinaryIO, progress: Progress | None) -> None:
        """Compare what was written with what was read."""
        written.flush()
        new, old = read_footer(written), read_footer(self.file)
        for i, leaf in self._each_chunk(progress, 1, 2):
            with located(f"column {leaf.name!r}, row group {i}"):
                copy = self._copies.get((i, leaf.index))
                if copy is None:
                    chunks = (
                        read_chunk(file, column_metadata(footer.metadata.row_groups[i], leaf), footer)
                        for file, footer in ((self.file, old), (written, new))
                    )
                    before, after = (_read_pages(chunk, leaf) for chunk in chunks)
                    is_equal = _have_same_values(before, after)
                else:
                    before_bytes, after_bytes = (
                        read_array(file, start, copy.size, "column chunk")
                        for file, start in ((self.file, copy.old), (written, copy.new))
                    )
                    is_equal = np.array_equal(before_bytes, after_bytes)
            if not is_equal:
                found = f"column {leaf.name!r}, row group {i}: what was written is not what was read"
                raise ColcodecError(f"{found}; nothing has been replaced")


def _have_same_values(before: _Read, after: _Read) -> bool:
    """Compare values and levels, page by page."""
    if len(before.data_pages) != len(after.data_pages):
        return False
    same_levels = all(
        np.array_equal(old.repetition_levels, new.repetition_levels)
        and np.array_equal(old.definition_levels, new.definition_levels)
        and old.num_values == new.num_values
        for old, new in zip(before.data_pages, after.data_pages, strict=True)
    )
    return same_levels and before.ends == after.ends and before.values == after.values


def _find_encoding(values: StringColumn, leaf: Leaf, compression: str, readers: tuple[str, ...]) -> Encoding:
    """Choose what takes the least space, of what is for the column."""
    choice = choose(values, compression=compression, readers=readers)
    if leaf.type_length is None or choice.encoding in FIXED_LEN_BYTE_ARRAY_ENCODINGS:
        return choice.encoding
    sizes = {
        figure.encoding: figure.compressed_size
        for figure in choice.figures
        if figure.compressed_size is not None and figure.encoding is not Encoding.DELTA_LENGTH_BYTE_ARRAY
    }
    return min(sizes, key=lambda encoding: sizes[encoding])


def _is_readable(encoding: Encoding, readers: tuple[str, ...]) -> bool:
    known = Encoding.RLE_DICTIONARY if encoding is Encoding.PLAIN_DICTIONARY else encoding  # the same bytes
    return why_unreadable(known, readers) is None


def _sum_up(row_group: RowGroup) -> None:
    """Set what a row group says of all its columns."""
    columns = [chunk.meta_data for chunk in row_group.columns if chunk.meta_data is not None]
    row_group.total_compressed_size = sum(column.total_compressed_size for column in columns)
    row_group.total_byte_size = sum(column.total_uncompressed_size for column in columns)
    if columns:
        first = columns[0]
        offset = first.dictionary_page_offset
        row_group.file_offset = first.data_page_offset if offset is None else offset
