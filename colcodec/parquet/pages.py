"""The pages of a column chunk: found in the file, checked, decompressed, and parted into levels and values; and made.

Pages are found by walking from the smallest offset that the metadata gives, and are what their headers say: in real
files, offsets are often wrong ("Data Pages" and ``PageHeader`` of ``parquet.thrift``).
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, Final, NamedTuple

import numpy as np

from .._checks import check_page_size
from .._spec import Encoding
from ..compression import Compression, DecompressionError, check_expansion, decompress, decompress_hadoop_lz4
from ..encodings import Bytes
from ..errors import MalformedFileError
from .footer import MAGIC, Footer, read_array
from .schema import Leaf
from .structs import ColumnMetaData, DataPageHeader, DataPageHeaderV2, DictionaryPageHeader, PageHeader, PageType

CODECS: Final = {
    0: Compression.NONE,
    1: Compression.SNAPPY,
    2: Compression.GZIP,
    4: Compression.BROTLI,
    6: Compression.ZSTD,
    7: Compression.LZ4,
}
"""``CompressionCodec`` of ``parquet.thrift``: the codecs that are written and read."""

HADOOP_LZ4: Final = 5
"""Once called LZ4, and written in three ways: it is read alone."""

CODEC_NAMES: Final = {
    0: "UNCOMPRESSED",
    1: "SNAPPY",
    2: "GZIP",
    3: "LZO",
    4: "BROTLI",
    HADOOP_LZ4: "LZ4",
    6: "ZSTD",
    7: "LZ4_RAW",
}

UNTRUE_SIZE: Final = 100
"""Bytes by which old parquet-mr tells the size of a chunk too small: it left out the header of the dictionary page."""

LEVELS_SIZE: Final = 4
"""Bytes before the levels of a data page of version 1, for their size."""


def codec_name(codec: int) -> str:
    """Name a compression as Parquet does.

    Parameters
    ----------
    codec : int
        Its number in ``parquet.thrift``.

    Returns
    -------
    str
        As "ZSTD", or the number where there is no such codec.
    """
    return CODEC_NAMES.get(codec, f"codec {codec}")


def codec_number(compression: Compression) -> int:
    """Find the number of a compression.

    Parameters
    ----------
    compression : Compression
        The compression.

    Returns
    -------
    int
        Its number in ``parquet.thrift``.
    """
    return next(number for number, known in CODECS.items() if known is compression)


class Chunk(NamedTuple):
    """The bytes of a column chunk.

    Parameters
    ----------
    start : int
        The byte of the file at which it begins.
    buf : ndarray
        uint8[n]: all its pages.
    num_values : int
        How many values they have, nulls included.
    codec : int
        How the pages are compressed.
    is_always_compressed : bool
        Whether pages are compressed even where their headers say that they are not, as those of Arrow before 3.0.
    """

    start: int
    buf: Bytes
    num_values: int
    codec: int
    is_always_compressed: bool


@dataclass(frozen=True)
class Page:
    """A page as it is in the file.

    Parameters
    ----------
    header : PageHeader
        Its header.
    start : int
        The byte of the file at which that begins.
    header_size : int
        Bytes of the header.
    body : ndarray
        uint8[header.compressed_page_size], what follows it.
    """

    header: PageHeader
    start: int
    header_size: int
    body: Bytes

    @property
    def nbytes(self) -> int:
        """Bytes of header and body."""
        return self.header_size + self.body.size

    @cached_property
    def data_header(self) -> DataPageHeader | DataPageHeaderV2 | None:
        """What is in the header for a data page; None for other pages."""
        found: DataPageHeader | DataPageHeaderV2 | None
        match self.header.type:
            case PageType.DATA_PAGE:
                found, name = self.header.data_page_header, "data_page_header"
            case PageType.DATA_PAGE_V2:
                found, name = self.header.data_page_header_v2, "data_page_header_v2"
            case _:
                return None
        if found is None:
            raise MalformedFileError(f"page at byte {self.start}: a data page without {name}")
        return found

    @cached_property
    def num_values(self) -> int:
        """Values of a data page, nulls included; 0 for other pages."""
        header = self.data_header
        return 0 if header is None else header.num_values

    @property
    def encoding(self) -> int | None:
        """Number of the encoding of the values; None of a page that has none."""
        if self.header.type == PageType.DICTIONARY_PAGE:
            header = self.header.dictionary_page_header
            return None if header is None else header.encoding
        data_header = self.data_header
        return None if data_header is None else data_header.encoding

    def is_intact(self) -> bool | None:
        """Hold the body against its checksum.

        Returns
        -------
        bool or None
            Whether it is what was written; None where the header has no checksum.
        """
        crc = self.header.crc
        return None if crc is None else zlib.crc32(self.body.data) == crc & 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class DataPage:
    """A data page, decompressed, and parted.

    Parameters
    ----------
    version : int
        1 or 2.
    num_values : int
        Number of values, nulls included: of levels, where there are some.
    encoding : Encoding
        How the values are encoded.
    repetition_levels, definition_levels : ndarray
        uint8[n]: the levels as they are, in version 1 with their size in front; empty where the column has none.
    values : ndarray
        uint8[n]: the values section.
    num_nulls : int or None
        How many nulls there are by the header; None in version 1, which does not say.
    """

    version: int
    num_values: int
    encoding: Encoding
    repetition_levels: Bytes
    definition_levels: Bytes
    values: Bytes
    num_nulls: int | None


def chunk_start(column: ColumnMetaData, footer: Footer) -> int:
    """Find where the pages of a column chunk begin.

    Parameters
    ----------
    column : ColumnMetaData
        What the footer says of the chunk.
    footer : Footer
        The footer.

    Returns
    -------
    int
        The smallest offset that can be one: data_page_offset is often that of the dictionary page, and
        dictionary_page_offset 0, or that of a page that is not there, or of another column.

    Raises
    ------
    MalformedFileError
        If none is inside the file.
    """
    offsets = (column.data_page_offset, column.dictionary_page_offset)
    valid = [offset for offset in offsets if offset is not None and len(MAGIC) <= offset < footer.start]
    if len(valid) == 2 and valid[0] - valid[1] >= column.total_compressed_size + _untold_size(footer):
        return valid[0]  # from the other one, the chunk would end before its data pages
    if not valid:
        raise MalformedFileError(f"no page offset inside the file: data_page_offset is {column.data_page_offset}")
    return min(valid)


def _untold_size(footer: Footer) -> int:
    """Count the bytes that a chunk may have beyond the size that the footer says."""
    return UNTRUE_SIZE if (footer.metadata.created_by or b"").startswith(b"parquet-mr") else 0


def read_chunk(file: BinaryIO, column: ColumnMetaData, footer: Footer) -> Chunk:
    """Read a column chunk.

    Parameters
    ----------
    file : file object
        Binary, seekable.
    column : ColumnMetaData
        What the footer says of the chunk.
    footer : Footer
        The footer.

    Returns
    -------
    Chunk
        All its bytes.

    Raises
    ------
    MalformedFileError
        If it is not inside the file.
    """
    num_values, size = column.num_values, column.total_compressed_size
    if num_values < 0 or size < 0:
        raise MalformedFileError(f"a column chunk of {num_values} values in {size} bytes")
    by = footer.metadata.created_by or b""
    always = re.match(rb"parquet-cpp(-arrow version [012]\.| )", by) is not None
    if num_values == 0 and size == 0:
        return Chunk(0, np.empty(0, np.uint8), 0, column.codec, always)
    start = chunk_start(column, footer)
    if size > footer.start - start:
        raise MalformedFileError(f"a column chunk of {size} bytes at byte {start} goes beyond byte {footer.start}")
    size = min(size + _untold_size(footer), footer.start - start)
    return Chunk(start, read_array(file, start, size, "column chunk"), num_values, column.codec, always)


def walk(chunk: Chunk, *, known: bool = False) -> Iterator[Page]:
    """Walk from page to page.

    Parameters
    ----------
    chunk : Chunk
        The column chunk.
    known : bool, optional
        Whether to leave out the fields of headers that no struct here knows: for those who do not write them again.

    Yields
    ------
    Page
        Each page, up to the one with the chunk's last value.

    Raises
    ------
    MalformedFileError
        If the bytes are no pages, or have another number of values than the chunk is said to have.
    """
    array = chunk.buf
    position = num_values = 0
    while num_values < chunk.num_values:
        start = chunk.start + position
        if position >= array.size:
            found = f"{num_values} values, of {chunk.num_values} that the column chunk should have"
            raise MalformedFileError(f"page at byte {start}: the pages end with {found}")
        header, end = PageHeader.read(chunk.buf, position, known=known)
        size = header.compressed_page_size
        if not 0 <= size <= array.size - end or header.uncompressed_page_size < 0:
            sizes = f"{size} bytes, {header.uncompressed_page_size} decompressed"
            raise MalformedFileError(f"page at byte {start}: {sizes}; there are {array.size - end} left")
        page = Page(header, start, end - position, array[end : end + size])
        if page.num_values < 0 or page.num_values > chunk.num_values - num_values:
            found = f"a page of {page.num_values} values after {num_values}"
            raise MalformedFileError(f"page at byte {start}: {found}, in a column chunk of {chunk.num_values}")
        yield page
        num_values += page.num_values
        position = end + size


def read_dictionary(page: Page, chunk: Chunk) -> tuple[Bytes, int]:
    """Decompress a dictionary page.

    Parameters
    ----------
    page : Page
        The page.
    chunk : Chunk
        What it is in.

    Returns
    -------
    data : ndarray
        uint8[n]: values in PLAIN.
    num_values : int
        How many there should be.

    Raises
    ------
    MalformedFileError
        If it is no dictionary page of a kind that there is.
    """
    where = f"dictionary page at byte {page.start}"
    header = page.header.dictionary_page_header
    if header is None:
        raise MalformedFileError(f"{where}: it has no dictionary_page_header")
    if header.num_values < 0:
        raise MalformedFileError(f"{where}: {header.num_values} values")
    if header.encoding not in (Encoding.PLAIN, Encoding.PLAIN_DICTIONARY):
        raise MalformedFileError(f"{where}: encoding {header.encoding}; a dictionary is PLAIN")
    return _decompress(page.body, chunk.codec, page.header.uncompressed_page_size, where), header.num_values


def read_data_page(page: Page, chunk: Chunk, leaf: Leaf, out: Bytes | None = None) -> DataPage:
    """Decompress a data page, and part it.

    Parameters
    ----------
    page : Page
        The page.
    chunk : Chunk
        What it is in.
    leaf : Leaf
        The column.
    out : ndarray, optional
        uint8 of at least header.uncompressed_page_size bytes, to decompress to in place of a new array.

    Returns
    -------
    DataPage
        Its parts.

    Raises
    ------
    MalformedFileError
        If it is no data page, or of a kind that is not read: levels in BIT_PACKED.
    """
    header = page.data_header
    if isinstance(header, DataPageHeader):
        return _read_version_1(page, header, chunk, leaf, out)
    if isinstance(header, DataPageHeaderV2):
        return _read_version_2(page, header, chunk, out)
    raise MalformedFileError(f"page at byte {page.start}: no data page, but of type {page.header.type}")


def _read_version_1(page: Page, header: DataPageHeader, chunk: Chunk, leaf: Leaf, out: Bytes | None) -> DataPage:
    where = f"data page at byte {page.start}"
    body = _decompress(page.body, chunk.codec, page.header.uncompressed_page_size, where, out)
    position = 0
    parts = []
    for max_level, encoding, kind in (
        (leaf.max_repetition_level, header.repetition_level_encoding, "repetition"),
        (leaf.max_definition_level, header.definition_level_encoding, "definition"),
    ):
        start = position
        if max_level:
            if encoding != Encoding.RLE:
                raise MalformedFileError(f"{where}: {kind} levels in encoding {encoding}; only RLE (3) is read")
            size = int.from_bytes(body[start : start + LEVELS_SIZE].tobytes(), "little", signed=True)
            if body.size - start < LEVELS_SIZE or not 0 <= size <= body.size - start - LEVELS_SIZE:
                left = max(body.size - start - LEVELS_SIZE, 0)
                raise MalformedFileError(f"{where}: {size} bytes of {kind} levels, of which {left} are there")
            position += LEVELS_SIZE + size
        parts.append(body[start:position])
    repetition, definition = parts
    encoding = _encoding(header.encoding, where)
    return DataPage(1, header.num_values, encoding, repetition, definition, body[position:], None)


def _read_version_2(page: Page, header: DataPageHeaderV2, chunk: Chunk, out: Bytes | None) -> DataPage:
    where = f"data page at byte {page.start}"
    repetition, definition = header.repetition_levels_byte_length, header.definition_levels_byte_length
    levels = repetition + definition
    size = page.header.uncompressed_page_size - levels
    if repetition < 0 or definition < 0 or levels > page.body.size or size < 0:
        sizes = f"{repetition} and {definition} bytes of levels, in {page.body.size} bytes"
        raise MalformedFileError(f"{where}: {sizes}, {page.header.uncompressed_page_size} decompressed")
    values = page.body[levels:]
    # Nothing is often left as it is, whatever the header says of compression.
    if values.size and (header.is_compressed is not False or chunk.is_always_compressed):
        values = _decompress(values, chunk.codec, size, where, out)
    elif values.size != size:
        raise MalformedFileError(f"{where}: {values.size} bytes of values, but should be {size}")
    encoding = _encoding(header.encoding, where)
    body = page.body
    return DataPage(
        2, header.num_values, encoding, body[:repetition], body[repetition:levels], values, header.num_nulls
    )


def _encoding(number: int, where: str) -> Encoding:
    try:
        return Encoding(number)
    except ValueError:
        raise MalformedFileError(f"{where}: encoding {number}, which colcodec does not know") from None


def check_room(page: Page, chunk: Chunk) -> None:
    """Check that a page can become what its header says, before there is room for that.

    Parameters
    ----------
    page : Page
        The page.
    chunk : Chunk
        What it is in.

    Raises
    ------
    MalformedFileError
        If its compression cannot make so many bytes of so few.
    """
    compression = Compression.LZ4 if chunk.codec == HADOOP_LZ4 else CODECS.get(chunk.codec)
    if compression is not None:
        try:
            check_expansion(page.body, compression, page.header.uncompressed_page_size)
        except DecompressionError as error:
            raise MalformedFileError(f"page at byte {page.start}: {error}") from None


def _decompress(body: Bytes, codec: int, size: int, where: str, out: Bytes | None = None) -> Bytes:
    try:
        if codec == HADOOP_LZ4:
            return decompress_hadoop_lz4(body, size, out)
        if codec in CODECS:
            return decompress(body, CODECS[codec], size, out)
    except DecompressionError as error:
        raise MalformedFileError(f"{where}: {error}") from None
    raise MalformedFileError(f"{where}: compressed with {codec_name(codec)}, which is not read")


def make_page(header: PageHeader, body: Bytes, uncompressed_size: int) -> bytes:
    """Put a page together, with its sizes and its checksum.

    Parameters
    ----------
    header : PageHeader
        Its header, all but for the sizes and the checksum; it is not changed.
    body : ndarray
        uint8[n], what is stored: compressed, if it is to be.
    uncompressed_size : int
        Bytes of the body before that.

    Returns
    -------
    bytes
        Header and body.

    Raises
    ------
    InvalidColumnError
        If it is larger than a page of the format can be, compressed or not.
    """
    check_page_size(max(uncompressed_size, body.size))
    header = header.copy()
    header.uncompressed_page_size, header.compressed_page_size = uncompressed_size, body.size
    crc = zlib.crc32(body.data)
    header.crc = crc - 2**32 if crc >= 2**31 else crc  # the format has it as a signed number
    return bytes(header) + body.tobytes()


def dictionary_page_header(num_values: int) -> PageHeader:
    """Begin the header of a dictionary page.

    Parameters
    ----------
    num_values : int
        Number of its values.

    Returns
    -------
    PageHeader
        What :func:`make_page` takes.
    """
    own = DictionaryPageHeader(num_values=num_values, encoding=int(Encoding.PLAIN))
    return PageHeader(type=int(PageType.DICTIONARY_PAGE), dictionary_page_header=own)
