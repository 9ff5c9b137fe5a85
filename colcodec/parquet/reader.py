"""String columns out of Parquet files, each decoded straight into arrays of its exact size."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO, Final, NamedTuple

import numpy as np

from .._arrays import empty
from .._checks import as_size, read_only
from .._spec import DEFAULT_MAX_DATA_SIZE
from ..column_chunk import decode_pages, workers
from ..compression import Compression
from ..errors import LimitError, MalformedFileError, located
from ..string_column import StringColumn
from .byte_arrays import (
    Levels,
    ReadPage,
    as_byte_array_leaf,
    check_decompressed_size,
    check_number_of_values,
    read_dictionary_page,
    read_page,
)
from .files import File, open_file
from .footer import Footer, as_row_groups, read_footer
from .pages import CODECS, UNTRUE_SIZE, Chunk, Page, check_room, read_chunk, walk
from .schema import Leaf, column_metadata, find_leaf
from .structs import PageType

EXPANSION: Final = 256
"""Bytes that each byte of a file may become beyond `max_data_size`, where several row groups are read at once."""


class RepeatedColumn(NamedTuple):
    """A column inside lists or maps: its values, and the levels that tell where they belong.

    Parameters
    ----------
    values : StringColumn
        The values that are present; those whose definition level is the highest.
    def_levels : ndarray
        int16[n], read-only: how much of the path is there, for each value and each place where there could be one.
    rep_levels : ndarray
        int16[n], read-only: at which list of the path each of these goes on; 0 begins a row.
    """

    values: StringColumn
    def_levels: Levels
    rep_levels: Levels


def read_column(
    file: File,
    name: str,
    /,
    *,
    row_groups: Iterable[int] | None = None,
    threads: int | None = None,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
    check_crc: bool = False,
) -> StringColumn | RepeatedColumn:
    """Read a column of byte arrays from a Parquet file.

    Parameters
    ----------
    file : str, path or file object
        A path, a URL that fsspec knows, or a binary file that can seek.
    name : str
        The path of the column in the schema, as "a.b.c": a BYTE_ARRAY or a FIXED_LEN_BYTE_ARRAY.
    row_groups : iterable of int, optional
        Which row groups to read, in that order; all by default.
    threads : int, optional
        Number of threads that decompress and decode. By default one for each processor of this process.
    max_data_size : int, optional
        The most bytes that the values of a row group may have; their offsets too, 8 bytes each, where there are more
        than 2**24. All row groups together may have so many each, but beyond `max_data_size` itself no more than 256
        for each byte that they take in the file: it bounds the memory that a hostile file can ask for.
    check_crc : bool, optional
        Whether pages that have a checksum are held against it.

    Returns
    -------
    StringColumn or RepeatedColumn
        All values, null wherever a part of the path is: text where the file says so (STRING, ENUM, JSON), else bytes.
        Of a column inside lists or maps the values that are present, with their levels.

    Raises
    ------
    KeyError
        If there is no such column.
    InvalidTypeError
        If it is no column of byte arrays.
    MalformedFileError
        If the file is no Parquet file, breaks the rules of the format, or is encrypted.
    MalformedPageError
        If the values of a page break those of their encoding.
    LimitError
        If there are more bytes of values, or of offsets, than `max_data_size` allows.
    TypeError, ValueError
        If `row_groups` are none, or another argument is not of its kind.
    """
    with open_file(file) as opened:
        footer = read_footer(opened, known=True)
        leaf = as_byte_array_leaf(find_leaf(footer.metadata, name))
        indices = as_row_groups(row_groups, footer.metadata)
        by_row_group: dict[int, Chunk] = {}
        left = footer.start
        for i in dict.fromkeys(indices):
            by_row_group[i] = _read(opened, footer, leaf, i)
            left -= by_row_group[i].buf.size - UNTRUE_SIZE
            if left < 0:
                raise MalformedFileError(f"column {name!r}: its row groups have more bytes than the file")
        chunks = [by_row_group[i] for i in indices]
    return decode_chunks(chunks, leaf, threads=threads, max_data_size=max_data_size, check_crc=check_crc)


def iter_column(
    file: File,
    name: str,
    /,
    *,
    row_groups: Iterable[int] | None = None,
    threads: int | None = None,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
    check_crc: bool = False,
) -> Iterator[StringColumn | RepeatedColumn]:
    """Read a column of byte arrays from a Parquet file, a row group at a time.

    Parameters
    ----------
    file : str, path or file object
        As for :func:`read_column`, and so are the other parameters. It stays open until the last row group is read.
    name : str
        The path of the column in the schema.
    row_groups : iterable of int, optional
        Which row groups to read, in that order; all by default.
    threads : int, optional
        Number of threads that decompress and decode.
    max_data_size : int, optional
        The most bytes that the values of a row group may have.
    check_crc : bool, optional
        Whether pages that have a checksum are held against it.

    Yields
    ------
    StringColumn or RepeatedColumn
        The values of each row group.

    Raises
    ------
    KeyError, InvalidTypeError, MalformedFileError, MalformedPageError, LimitError, TypeError, ValueError
        As :func:`read_column` does.
    """
    with open_file(file) as opened:
        footer = read_footer(opened, known=True)
        leaf = as_byte_array_leaf(find_leaf(footer.metadata, name))
        for i in as_row_groups(row_groups, footer.metadata):
            chunk = _read(opened, footer, leaf, i)
            yield decode_chunks([chunk], leaf, threads=threads, max_data_size=max_data_size, check_crc=check_crc)


def _read(file: BinaryIO, footer: Footer, leaf: Leaf, row_group: int) -> Chunk:
    with located(f"column {leaf.name!r}, row group {row_group}"):
        return read_chunk(file, column_metadata(footer.metadata.row_groups[row_group], leaf), footer)


def decode_chunks(
    chunks: Sequence[Chunk],
    leaf: Leaf,
    *,
    threads: int | None = None,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
    check_crc: bool = False,
) -> StringColumn | RepeatedColumn:
    """Decode column chunks of a column into one.

    Parameters
    ----------
    chunks : sequence of Chunk
        Its chunks, in order.
    leaf : Leaf
        The column, of byte arrays.
    threads : int, optional
        Number of threads that decompress and decode. By default one for each processor of this process.
    max_data_size : int, optional
        The most bytes that the values of a chunk may have; of all, see :func:`read_column`.
    check_crc : bool, optional
        Whether pages that have a checksum are held against it.

    Returns
    -------
    StringColumn or RepeatedColumn
        As of :func:`read_column`.

    Raises
    ------
    MalformedFileError, MalformedPageError, LimitError
        As :func:`read_column` does.
    """
    max_data_size = as_size(max_data_size, "max_data_size")
    read: list[ReadPage] = []
    with located(f"column {leaf.name!r}"), _telling_how_to_read_more(len(chunks)):
        all_pages = [_find_pages(chunk, max_data_size, check_crc) for chunk in chunks]
        allowed = _check_together(all_pages, max_data_size)
        for pages in all_pages:
            read += _read_pages(pages, leaf, threads, max_data_size)
        encoded = [page.encoded for page in read]
        if not encoded:
            values = StringColumn([0], b"", utf8=leaf.is_text)
        else:
            values = decode_pages(encoded, threads=threads, max_data_size=allowed)
    if leaf.max_repetition_level == 0:
        return values
    none = [np.empty(0, np.int16)]
    def_levels = np.concatenate(none + [page.def_levels for page in read if page.def_levels is not None])
    rep_levels = np.concatenate(none + [page.rep_levels for page in read if page.rep_levels is not None])
    return RepeatedColumn(values, read_only(def_levels), read_only(rep_levels))


@contextmanager
def _telling_how_to_read_more(num_chunks: int) -> Iterator[None]:
    try:
        yield
    except LimitError as error:
        fewer = ", or read fewer row groups at a time (row_groups=, iter_column)" if num_chunks > 1 else ""
        error.args = (f"{error}; allow more by max_data_size={fewer}",)
        raise


class _ChunkPages(NamedTuple):
    """The pages of a column chunk, as they are in the file; `ends` is 0, and where each data page ends decompressed."""

    chunk: Chunk
    dictionary: Page | None
    data: list[Page]
    ends: list[int]

    @property
    def size(self) -> int:
        """Bytes of them all, decompressed, by their headers."""
        return self.ends[-1] + (0 if self.dictionary is None else self.dictionary.header.uncompressed_page_size)


def _find_pages(chunk: Chunk, max_data_size: int, check_crc: bool) -> _ChunkPages:
    dictionary: Page | None = None
    data: list[Page] = []
    ends = [0]
    for page in walk(chunk, known=True):
        if check_crc and page.is_intact() is False:
            raise MalformedFileError(f"page at byte {page.start}: its bytes do not fit its checksum")
        if page.header.type == PageType.DICTIONARY_PAGE:
            if dictionary is not None or data:
                found = "a second dictionary page" if dictionary else "a dictionary page behind data pages"
                raise MalformedFileError(f"page at byte {page.start}: {found}")
            dictionary = page
        elif page.data_header is not None:
            check_room(page, chunk)
            data.append(page)
            ends.append(ends[-1] + page.header.uncompressed_page_size)
    pages = _ChunkPages(chunk, dictionary, data, ends)
    check_number_of_values(chunk.num_values, max_data_size)
    check_decompressed_size(pages.size, chunk.num_values, len(ends), max_data_size)
    return pages


def _check_together(all_pages: Sequence[_ChunkPages], max_data_size: int) -> int:
    """Check that chunks do not become too large together; give the most bytes that their values may have."""
    in_file = sum(pages.chunk.buf.size for pages in all_pages)
    allowed = max(max_data_size, min(max_data_size * len(all_pages), EXPANSION * in_file))
    size = sum(pages.size for pages in all_pages)
    num_values = sum(pages.chunk.num_values for pages in all_pages)
    num_pages = sum(len(pages.ends) for pages in all_pages)
    check_number_of_values(num_values, allowed)
    check_decompressed_size(size, num_values, num_pages, allowed)
    return allowed


def _read_pages(pages: _ChunkPages, leaf: Leaf, threads: int | None, max_data_size: int) -> list[ReadPage]:
    chunk, ends = pages.chunk, pages.ends
    dictionary = None if pages.dictionary is None else read_dictionary_page(pages.dictionary, chunk, leaf)
    # One array for all pages, which stay until they have been decoded together: it lies in huge pages.
    room = empty(ends[-1], np.uint8) if CODECS.get(chunk.codec) is not Compression.NONE else None

    def read(i: int) -> ReadPage:
        out = None if room is None else room[ends[i] : ends[i + 1]]
        return read_page(pages.data[i], chunk, leaf, dictionary, max_data_size, out)

    with workers(threads) as run:
        done = run(read, range(len(pages.data)))
    levels = (page.rep_levels for page in done if page.rep_levels is not None)
    begun = next((some[0] for some in levels if some.size), 0)
    if begun != 0:
        raise MalformedFileError(f"the first repetition level is {begun}, but 0 begins a row")
    return done
