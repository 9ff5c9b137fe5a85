"""A column chunk whose values are encoded anew.

Its pages stay what they were, one for one, with the same levels.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from .._checks import check_page_size
from .._spec import DEFAULT_MAX_DATA_SIZE, Encoding
from ..choice import choose
from ..column_chunk import decode_pages, encode_slices, workers
from ..compression import Compression, as_compression, find_compressor
from ..errors import DictionaryTooLarge, InvalidColumnError, LimitError, MalformedFileError, located
from ..page import FIXED_LEN_BYTE_ARRAY_ENCODINGS, EncodedPage
from ..readers import why_unreadable
from ..string_column import StringColumn
from .byte_arrays import as_encoded, check_decompressed_size, check_number_of_values, read_dictionary_page, read_levels
from .checks import encoding_name
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
    read_data_page,
    walk,
)
from .schema import Leaf
from .structs import DataPageHeader, PageType


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


class Options(NamedTuple):
    """How columns are encoded anew.

    Parameters
    ----------
    encoding : Encoding or None
        What pages are to have; None for what takes the least space.
    compression : str or None
        What compresses them; None for what does so already.
    readers : tuple of str
        Who must be able to read them.
    threads : int or None
        Number of threads; None for one for each processor.
    """

    encoding: Encoding | None
    compression: str | None
    readers: tuple[str, ...]
    threads: int | None


@dataclass
class Report:
    """What is told of a column, while it grows; the fields are those of :class:`RecodedColumn`."""

    name: str
    size_before: int = 0
    size_after: int = 0
    encodings_before: Counter[str] = field(default_factory=Counter)
    encodings_after: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def finished(self) -> RecodedColumn:
        """Give all of it."""
        before, after = dict(self.encodings_before), dict(self.encodings_after)
        return RecodedColumn(self.name, self.size_before, self.size_after, before, after, tuple(self.notes))


class ReadChunk(NamedTuple):
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


def read_pages(chunk: Chunk, leaf: Leaf) -> ReadChunk:
    """Decode all pages of a column chunk.

    Parameters
    ----------
    chunk : Chunk
        The chunk.
    leaf : Leaf
        Its column.

    Returns
    -------
    ReadChunk
        The pages, their levels and their values.

    Raises
    ------
    LimitError
        If that would take more than 2**31 bytes.
    MalformedFileError, MalformedPageError
        If the chunk breaks the rules of the format, or a page does not fit its checksum.
    """
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
    return ReadChunk(pages, data_pages, decode_pages(all_encoded), ends)


def have_same_values(before: ReadChunk, after: ReadChunk) -> bool:
    """Compare values and levels, page by page.

    Parameters
    ----------
    before, after : ReadChunk
        What to compare.

    Returns
    -------
    bool
        Whether all of them are equal.
    """
    if len(before.data_pages) != len(after.data_pages):
        return False
    same_levels = all(
        np.array_equal(old.repetition_levels, new.repetition_levels)
        and np.array_equal(old.definition_levels, new.definition_levels)
        and old.num_values == new.num_values
        for old, new in zip(before.data_pages, after.data_pages, strict=True)
    )
    return same_levels and before.ends == after.ends and before.values == after.values


class EncodedPart(NamedTuple):
    """A page that is written.

    Parameters
    ----------
    kind : int
        Its PageType.
    encoding : int
        Of its values.
    data : bytes
        Header and body.
    uncompressed_size : int
        What it would take without compression.
    old : int, optional
        Where the page begins in whose place it is.
    """

    kind: int
    encoding: int
    data: bytes
    uncompressed_size: int
    old: int | None = None


class EncodedChunk(NamedTuple):
    """A column chunk that was encoded anew.

    Parameters
    ----------
    codec : int
        What its pages are compressed with, in the numbers of the format.
    parts : list of EncodedPart
        Its pages.
    level_encodings : list of int
        Of its levels.
    """

    codec: int
    parts: list[EncodedPart]
    level_encodings: list[int]

    @property
    def size(self) -> int:
        """Bytes of all pages."""
        return sum(len(part.data) for part in self.parts)

    @property
    def data_parts(self) -> list[EncodedPart]:
        """The pages without that of the dictionary."""
        return [part for part in self.parts if part.kind != PageType.DICTIONARY_PAGE]


def _encode(read: ReadChunk, encoding: Encoding, compression: str, leaf: Leaf, threads: Any) -> EncodedChunk:
    kind, _ = as_compression(compression)
    compress = None if kind is Compression.NONE else find_compressor(compression)
    encoded = encode_slices(read.values, read.ends, encoding, threads=threads, type_length=leaf.type_length)
    parts = []
    dictionary = encoded[0].dictionary
    if isinstance(dictionary, EncodedPage):
        body = dictionary.data if compress is None else compress(dictionary.data)
        page = make_page(dictionary_page_header(dictionary.num_values), body, dictionary.data.size)
        raw_size = len(page) - body.size + dictionary.data.size
        parts.append(EncodedPart(PageType.DICTIONARY_PAGE, Encoding.PLAIN, page, raw_size))

    def make(i: int) -> EncodedPart:
        return _make_data_page(read.pages[i], read.data_pages[i], encoded[i], compress)

    with workers(threads) as run:
        parts += run(make, range(len(encoded)))
    levels = dict.fromkeys(number for page in read.pages for number in _level_encodings(page))
    return EncodedChunk(codec_number(kind), parts, [*levels])


def _make_data_page(page: Page, data_page: DataPage, encoded: EncodedPage, compress: Any) -> EncodedPart:
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
    return EncodedPart(header.type, encoded.encoding, made, len(made) - body.size + raw_size, page.start)


def _level_encodings(page: Page) -> tuple[int, ...]:
    header = page.data_header
    if isinstance(header, DataPageHeader):
        return (header.definition_level_encoding, header.repetition_level_encoding)
    return (Encoding.RLE,)


class _StaysError(Exception):
    """Why a column chunk cannot be encoded anew, though the file is in order."""


def recode_chunk(chunk: Chunk, leaf: Leaf, i: int, options: Options, report: Report) -> EncodedChunk | None:
    """Encode a column chunk anew.

    Parameters
    ----------
    chunk : Chunk
        The chunk.
    leaf : Leaf
        Its column.
    i : int
        Number of its row group.
    options : Options
        How.
    report : Report
        Is told what became of it.

    Returns
    -------
    EncodedChunk or None
        Its new pages; None where it is to stay as it is.

    Raises
    ------
    MalformedFileError, MalformedPageError
        If the chunk breaks the rules of the format, or a page does not fit its checksum.
    """
    pages = [*walk(chunk, known=True)]
    size = sum(page.nbytes for page in pages)
    before = Counter(encoding_name(page.encoding or 0) for page in pages if page.data_header is not None)
    encoded = None
    try:
        if pages and not _stays(chunk, before, options):
            encoded = _find_encoded(chunk, leaf, i, options, report, size)
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


def _stays(chunk: Chunk, encodings: Counter[str], options: Options) -> bool:
    """Whether a column chunk is already as it should be."""
    wanted, compression, *_ = options
    if chunk.codec == HADOOP_LZ4 and compression is None:
        raise _StaysError(f"{codec_name(chunk.codec)}, that of Hadoop, is not written")
    if chunk.codec not in (*CODECS, HADOOP_LZ4):
        raise _StaysError(f"{codec_name(chunk.codec)} is not read")
    return compression is None and wanted is not None and [*encodings] == [wanted.name]


def _find_encoded(chunk: Chunk, leaf: Leaf, i: int, options: Options, report: Report, size: int) -> EncodedChunk | None:
    wanted, compression, readers, threads = options
    read = read_pages(chunk, leaf)
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
