"""A Parquet file written again: some column chunks encoded anew, all else copied as it is.

What is not encoded anew is not decoded; offsets in the metadata follow. Row groups stream: a column chunk at a time is
in memory.
"""

import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final, NamedTuple

import numpy as np

from .._spec import Encoding
from ..compare import Progress
from ..compression import Compression
from ..encodings import Bytes
from ..errors import ColcodecError, MalformedFileError, located
from .chunk_recoder import EncodedChunk, Options, Report, have_same_values, read_pages, recode_chunk
from .footer import MAGIC, Footer, created_by, read_array, read_footer, read_range
from .pages import Chunk, Page, codec_number, read_chunk, walk
from .schema import Leaf, column_metadata, leaves
from .structs import (
    BloomFilterHeader,
    ColumnChunk,
    ColumnMetaData,
    FileMetaData,
    OffsetIndex,
    PageEncodingStats,
    PageType,
    PhysicalType,
    RowGroup,
)

BLOOM_HEADER_SIZE: Final = 64
"""Bytes that the header of a bloom filter has at most; real ones have some 20."""

UNCERTAIN: Final = {b"parquet-mr": (1, 10), b"parquet-cpp": (1, 3)}
"""Versions before which writers ordered byte arrays as signed, or not at all, in what metadata calls min and max."""

CHAINED: Final = {b"parquet-mr": (1, 8)}
"""Versions before which a page of DELTA_BYTE_ARRAY can begin with a prefix of the page before it (PARQUET-246)."""


class _Copy(NamedTuple):
    """A column chunk that was copied as it is: where it was, and where it is."""

    old: int
    new: int
    size: int


class Output:
    """A file that is written, and how far it has come.

    Parameters
    ----------
    file : file object
        Binary, empty.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.position = 0

    def put(self, data: bytes | Bytes) -> None:
        """Write bytes.

        Parameters
        ----------
        data : bytes or ndarray
            The bytes.
        """
        self.file.write(data)  # type: ignore[arg-type] # an array is a buffer
        self.position += len(data)


class Rewriter:
    """Writes row groups of a file again.

    Parameters
    ----------
    file : file object
        What is read.
    footer : Footer
        Its footer. What it says of the row groups becomes what is said of them in the file that is written.
    chosen : list of Leaf
        The columns that are encoded anew.
    options : Options
        How.
    row_groups : sequence of int
        Which row groups are written, in that order, each once.
    """

    def __init__(
        self, file: BinaryIO, footer: Footer, chosen: list[Leaf], options: Options, row_groups: Sequence[int]
    ) -> None:
        self.file = file
        self.footer = footer
        self.row_groups = {i: footer.metadata.row_groups[i] for i in row_groups}
        self.leaves = leaves(footer.metadata)
        self.options = options
        self.reports = {leaf.index: Report(leaf.name) for leaf in chosen}
        self._copies: dict[tuple[int, int], _Copy] = {}
        self._offset_indexes: list[tuple[ColumnChunk, bytes]] = []
        self._has_uncertain_extremes = _has_uncertain_extremes(footer.metadata)
        self._has_chained_pages = _is_older(footer.metadata, CHAINED)
        for i, row_group in self.row_groups.items():
            if len(row_group.columns) != len(self.leaves):
                found = f"{len(row_group.columns)} columns, but the schema {len(self.leaves)}"
                raise MalformedFileError(f"row group {i} has {found}")

    def write_chunks(self, output: Output, progress: Progress | None = None, parts: int = 1) -> None:
        """Write the column chunks.

        Parameters
        ----------
        output : Output
            Where to.
        progress : callable, optional
            Called as ``progress(done, total, what comes next)``.
        parts : int, optional
            Of how many equal parts of the work this is the first.
        """
        for i, leaf in self._each_chunk(progress, 0, parts):
            with located(f"column {leaf.name!r}, row group {i}"):
                self._write_chunk(output, i, leaf)
        for row_group in self.row_groups.values():
            _sum_up(row_group)

    def write_bloom_filters(self, output: Output) -> None:
        """Copy the bloom filters.

        Parameters
        ----------
        output : Output
            Where to.
        """
        for column_chunk in self._column_chunks():
            self._copy_bloom_filter(output, column_chunk)

    def write_column_indexes(self, output: Output) -> None:
        """Copy the column indexes.

        Parameters
        ----------
        output : Output
            Where to.
        """
        for column_chunk in self._column_chunks():
            self._copy_column_index(output, column_chunk)

    def write_offset_indexes(self, output: Output) -> None:
        """Write the offset indexes, of pages where they are now.

        Parameters
        ----------
        output : Output
            Where to.
        """
        for column_chunk, index in self._offset_indexes:
            column_chunk.offset_index_offset, column_chunk.offset_index_length = output.position, len(index)
            output.put(index)

    def _column_chunks(self) -> Iterator[ColumnChunk]:
        for row_group in self.row_groups.values():
            yield from row_group.columns

    def _each_chunk(self, progress: Progress | None, part: int, parts: int) -> Iterator[tuple[int, Leaf]]:
        count = len(self.row_groups) * len(self.leaves)
        for done, i in enumerate(self.row_groups):
            for leaf in self.leaves:
                if progress is not None:
                    progress(part * count + done * len(self.leaves) + leaf.index, parts * count, leaf.name)
                yield i, leaf

    def _write_chunk(self, output: Output, i: int, leaf: Leaf) -> None:
        row_group = self.row_groups[i]
        column_chunk, column = row_group.columns[leaf.index], column_metadata(row_group, leaf)
        chunk = read_chunk(self.file, column, self.footer)
        report = self.reports.get(leaf.index)
        encoded = None if report is None else recode_chunk(chunk, leaf, i, self.options, report)
        start = output.position
        if encoded is None:
            self._copy_chunk(output, i, leaf, chunk)
        else:
            self._write_encoded(output, column_chunk, column, encoded)
        if column_chunk.file_offset:  # deprecated; it never was the same thing for all writers
            column_chunk.file_offset = start
        row_group.columns[leaf.index] = column_chunk
        statistics = column.statistics
        is_byte_array = leaf.type in (PhysicalType.BYTE_ARRAY, PhysicalType.FIXED_LEN_BYTE_ARRAY)
        if statistics is not None and is_byte_array and self._has_uncertain_extremes:
            # Under another name of who wrote the file, readers would believe them.
            statistics.min = statistics.max = None

    # A chunk that is encoded anew

    def _write_encoded(
        self, output: Output, column_chunk: ColumnChunk, column: ColumnMetaData, encoded: EncodedChunk
    ) -> None:
        places = {}
        column.dictionary_page_offset = column.index_page_offset = None
        column.data_page_offset = output.position
        for part in encoded.parts:
            if part.kind == PageType.DICTIONARY_PAGE:
                column.dictionary_page_offset = output.position
                column.data_page_offset = output.position + len(part.data)
            else:
                places[part.old] = (output.position, len(part.data))
            output.put(part.data)
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

    def _copy_chunk(self, output: Output, i: int, leaf: Leaf, chunk: Chunk) -> None:
        row_group = self.row_groups[i]
        column_chunk, column = row_group.columns[leaf.index], column_metadata(row_group, leaf)
        pages = [*walk(chunk, known=True)]
        self._check_pages(chunk, pages)
        walked = sum(page.nbytes for page in pages)
        size = max(walked, column.total_compressed_size)
        moved = output.position - chunk.start
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
        column.data_page_offset = first + moved if first in inside else output.position
        column.dictionary_page_offset = None if dictionary not in inside or dictionary is None else dictionary + moved
        column.index_page_offset = None
        column.total_compressed_size = size
        index = self._read_offset_index(column_chunk)
        if index is not None:
            for location in index.page_locations:
                location.offset += moved
            self._offset_indexes.append((column_chunk, bytes(index)))
        self._copies[i, leaf.index] = _Copy(chunk.start, output.position, size)
        output.put(chunk.buf[:size])

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

    def _copy_column_index(self, output: Output, column_chunk: ColumnChunk) -> None:
        start, size = column_chunk.column_index_offset, column_chunk.column_index_length
        if start is None or size is None:
            column_chunk.column_index_offset = column_chunk.column_index_length = None
            return
        index = read_range(self.file, start, size, "a column index")
        column_chunk.column_index_offset = output.position
        output.put(index)

    def _copy_bloom_filter(self, output: Output, column_chunk: ColumnChunk) -> None:
        column = column_chunk.meta_data
        if column is None or column.bloom_filter_offset is None:
            return
        start, size = column.bloom_filter_offset, column.bloom_filter_length
        if size is None:
            most = min(BLOOM_HEADER_SIZE, self.footer.start - start)
            header, header_size = BloomFilterHeader.read(read_range(self.file, start, most, "a bloom filter"))
            size = header_size + header.num_bytes
        bits = read_range(self.file, start, size, "a bloom filter")
        column.bloom_filter_offset = output.position
        output.put(bits)

    # The check

    def check(self, written: BinaryIO, progress: Progress | None) -> None:
        """Compare what was written with what was read, as the second of two parts of the work.

        Parameters
        ----------
        written : file object
            What was written.
        progress : callable or None
            Called as ``progress(done, total, what comes next)``.

        Raises
        ------
        ColcodecError
            If there is a difference.
        """
        written.flush()
        new, old = read_footer(written), read_footer(self.file)
        places = {i: place for place, i in enumerate(self.row_groups)}
        for i, leaf in self._each_chunk(progress, 1, 2):
            with located(f"column {leaf.name!r}, row group {i}"):
                copy = self._copies.get((i, leaf.index))
                if copy is None:
                    chunks = (
                        read_chunk(file, column_metadata(footer.metadata.row_groups[place], leaf), footer)
                        for file, footer, place in ((self.file, old, i), (written, new, places[i]))
                    )
                    before, after = (read_pages(chunk, leaf) for chunk in chunks)
                    is_equal = have_same_values(before, after)
                else:
                    before_bytes, after_bytes = (
                        read_array(file, start, copy.size, "column chunk")
                        for file, start in ((self.file, copy.old), (written, copy.new))
                    )
                    is_equal = np.array_equal(before_bytes, after_bytes)
            if not is_equal:
                found = f"column {leaf.name!r}, row group {i}: what was written is not what was read"
                raise ColcodecError(f"{found}; nothing has been replaced")


def write_file(rewriters: Sequence[Rewriter], output: Output, progress: Progress | None = None, parts: int = 1) -> None:
    """Write a file: the row groups of one, or those of several with the same schema, one after the other.

    Parameters
    ----------
    rewriters : sequence of Rewriter
        What writes the row groups.
    output : Output
        Where to.
    progress, parts
        As :meth:`Rewriter.write_chunks` takes them.
    """
    output.put(MAGIC)
    for rewriter in rewriters:
        rewriter.write_chunks(output, progress, parts)
    for write in (Rewriter.write_bloom_filters, Rewriter.write_column_indexes, Rewriter.write_offset_indexes):
        for rewriter in rewriters:
            write(rewriter, output)
    metadata = rewriters[0].footer.metadata
    row_groups = [row_group for rewriter in rewriters for row_group in rewriter.row_groups.values()]
    if row_groups != metadata.row_groups:
        metadata.row_groups = row_groups
        metadata.num_rows = sum(row_group.num_rows for row_group in row_groups)
    metadata.created_by = created_by()
    written = bytes(metadata)
    output.put(written)
    output.put(struct.pack("<I4s", len(written), MAGIC))


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


def _sum_up(row_group: RowGroup) -> None:
    """Set what a row group says of all its columns."""
    columns = [chunk.meta_data for chunk in row_group.columns if chunk.meta_data is not None]
    row_group.total_compressed_size = sum(column.total_compressed_size for column in columns)
    row_group.total_byte_size = sum(column.total_uncompressed_size for column in columns)
    if columns:
        first = columns[0]
        offset = first.dictionary_page_offset
        row_group.file_offset = first.data_page_offset if offset is None else offset
