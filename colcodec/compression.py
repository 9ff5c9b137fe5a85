"""What follows an encoding: the compression of a page's bytes, which is cramjam's work."""

from collections.abc import Callable
from enum import StrEnum
from types import ModuleType
from typing import Any, Final, TypeAlias

import numpy as np

from ._arrays import empty
from .encodings import Bytes

Compressor: TypeAlias = Callable[[Bytes], Bytes]
"""From the bytes of a page to the bytes that are stored."""


class Compression(StrEnum):
    """Page compressions that can follow an encoding, each as Parquet stores it.

    ``zstd`` at level 3, ``gzip`` at level 6 (what their libraries choose) and ``brotli`` at level 8 (what Arrow
    does) where no level is told, ``snappy`` and ``lz4`` as raw blocks (Parquet's SNAPPY and LZ4_RAW), ``none`` for
    none.
    """

    ZSTD = "zstd"
    SNAPPY = "snappy"
    LZ4 = "lz4"
    GZIP = "gzip"
    BROTLI = "brotli"
    NONE = "none"


LEVELS: Final[dict[Compression, tuple[int, int, int]]] = {
    Compression.ZSTD: (1, 22, 3),
    Compression.GZIP: (0, 9, 6),
    Compression.BROTLI: (0, 11, 8),
}
"""The lowest level, the highest, and the one that is taken where none is told, of those that have levels."""

EXPANSION: Final = {
    Compression.ZSTD: 1 << 15,  # a block has 128 KiB at most, and 4 bytes at least
    Compression.SNAPPY: 22,  # a copy of 64 bytes takes 3
    Compression.LZ4: 255,  # what a byte can add to the length of a match
    Compression.GZIP: 1032,  # a match has 258 bytes at most, and 2 bits at least
    Compression.BROTLI: 1 << 23,  # a meta-block has 16 MiB at most, and its header takes more than 2 bytes
    Compression.NONE: 1,
}
"""The most bytes that a compressed byte can become: what says that it has more needs no memory to be found out."""

HADOOP_FRAME_SIZE: Final = 8
"""Before each block of Hadoop's LZ4: its size decompressed and compressed, 32 bits each, big-endian."""


class DecompressionError(ValueError):
    """Bytes that are not compressed as they are said to be, or decompress to another size."""


def as_compression(compression: str) -> tuple[Compression, int | None]:
    """Find a compression by its name, which may have a level.

    Parameters
    ----------
    compression : str
        A name of :class:`Compression`, alone or as "zstd:9".

    Returns
    -------
    compression : Compression
        The compression.
    level : int or None
        The level; the usual one where none is told, None for a compression that has no levels.

    Raises
    ------
    ValueError
        If there is no such compression, or no such level of it.
    """
    name, colon, level = compression.partition(":")
    if name not in tuple(Compression):
        raise ValueError(f"compression must be one of {', '.join(Compression)}, not {name!r}")
    known = Compression(name)
    if known not in LEVELS:
        if colon:
            raise ValueError(f"{known} has no levels")
        return known, None
    lowest, highest, usual = LEVELS[known]
    if not colon:
        return known, usual
    if not level.isdecimal() or not lowest <= int(level) <= highest:
        raise ValueError(f"{known} has levels {lowest} to {highest}, not {level!r}")
    return known, int(level)


def find_compressor(compression: str) -> Compressor:
    """Find out how to compress a page.

    Parameters
    ----------
    compression : str
        A name of :class:`Compression`, alone or with a level, as "zstd:9".

    Returns
    -------
    callable
        Gives what a page's bytes, uint8[n], become.

    Raises
    ------
    ValueError
        If there is no such compression, or no such level of it.
    ImportError
        If cramjam is needed, as for all but ``"none"``, and not installed.
    """
    kind, level = as_compression(compression)
    if kind is Compression.NONE:
        return lambda page: page
    cramjam = _import_cramjam(f'compression "{kind}"')
    compressors: dict[Compression, Callable[[memoryview], Any]] = {
        Compression.ZSTD: lambda page: cramjam.zstd.compress(page, level=level),
        Compression.SNAPPY: cramjam.snappy.compress_raw,
        Compression.LZ4: lambda page: cramjam.lz4.compress_block(page, store_size=False),
        Compression.GZIP: lambda page: cramjam.gzip.compress(page, level=level),
        Compression.BROTLI: lambda page: cramjam.brotli.compress(page, level=level),
    }
    compress = compressors[kind]
    return lambda page: np.frombuffer(compress(page.data), np.uint8)


def check_expansion(page: Bytes, compression: Compression, size: int) -> None:
    """Check that a page can have so many bytes decompressed.

    Parameters
    ----------
    page : ndarray
        uint8[n], what is stored.
    compression : Compression
        How it is compressed.
    size : int
        Bytes that it is said to have once decompressed.

    Raises
    ------
    DecompressionError
        If no bytes that are so few become so many.
    """
    most = EXPANSION[compression] * page.size
    if size > most:
        found = f"{page.size} bytes of {compression} are {most} decompressed at the most"
        raise DecompressionError(f"{found}, but should be {size}")


def decompress(page: Bytes, compression: Compression, size: int, out: Bytes | None = None) -> Bytes:
    """Decompress a page.

    Parameters
    ----------
    page : ndarray
        uint8[n], what is stored.
    compression : Compression
        How it is compressed.
    size : int
        Bytes that it has once decompressed. So many are allocated, and written to no further than the page goes.
    out : ndarray, optional
        uint8 of at least `size` bytes, to write to in place of a new array; not needed where nothing is compressed.

    Returns
    -------
    ndarray
        uint8[size].

    Raises
    ------
    DecompressionError
        If the bytes are not compressed so, or become more or fewer than `size`.
    ImportError
        If cramjam is needed and not installed.
    """
    if compression is Compression.NONE:
        if page.size != size:
            raise DecompressionError(f"{page.size} bytes that are not compressed, but should be {size}")
        return page
    if page.size == 0 and size == 0:  # a page of nulls alone, which some writers do not compress to anything
        return page
    cramjam = _import_cramjam(f'compression "{compression}"')
    decompressors = {
        Compression.ZSTD: cramjam.zstd.decompress_into,
        Compression.SNAPPY: cramjam.snappy.decompress_raw_into,
        Compression.LZ4: cramjam.lz4.decompress_block_into,
        Compression.GZIP: cramjam.gzip.decompress_into,
        Compression.BROTLI: cramjam.brotli.decompress_into,
    }
    check_expansion(page, compression, size)
    out = empty(size, np.uint8) if out is None else out[:size]
    try:
        written = decompressors[compression](page.data, out)
    except cramjam.DecompressionError as error:
        raise DecompressionError(f"{page.size} bytes are no {compression} of {size} ({error})") from None
    if written != size:
        raise DecompressionError(f"{page.size} bytes of {compression} are {written} decompressed, but should be {size}")
    return out


def decompress_hadoop_lz4(page: Bytes, size: int, out: Bytes | None = None) -> Bytes:
    """Decompress what Parquet's old LZ4 can be: blocks in Hadoop's frames, or, of some writers, one block without any.

    Parameters
    ----------
    page : ndarray
        uint8[n], what is stored.
    size : int
        Bytes that it has once decompressed.
    out : ndarray, optional
        uint8 of at least `size` bytes, to write to in place of a new array.

    Returns
    -------
    ndarray
        uint8[size].

    Raises
    ------
    DecompressionError
        If it is neither.
    ImportError
        If cramjam is not installed.
    """
    check_expansion(page, Compression.LZ4, size)
    out = empty(size, np.uint8) if out is None else out[:size]
    try:
        _decompress_frames(page, out)
    except DecompressionError:
        return decompress(page, Compression.LZ4, size, out)
    return out


def _decompress_frames(page: Bytes, out: Bytes) -> None:
    """Decompress blocks in frames, which have to fill all of `out`."""
    size = out.size
    position = written = 0
    while position < page.size:
        frame = page[position : position + HADOOP_FRAME_SIZE]
        if frame.size < HADOOP_FRAME_SIZE:
            raise DecompressionError("a frame of LZ4 without its sizes")
        raw_size, stored_size = (int(number) for number in frame.view(">u4"))
        position += HADOOP_FRAME_SIZE
        if stored_size > page.size - position or raw_size > size - written:
            raise DecompressionError("a frame of LZ4 is larger than the page")
        stored = page[position : position + stored_size]
        decompress(stored, Compression.LZ4, raw_size, out[written:])
        position += stored_size
        written += raw_size
    if written != size:
        raise DecompressionError(f"frames of LZ4 with {written} bytes, but should have {size}")


def _import_cramjam(what: str) -> ModuleType:
    try:
        import cramjam  # noqa: PLC0415 -- an extra, needed here alone
    except ModuleNotFoundError:
        raise ImportError(f'{what} needs cramjam: pip install "colcodec[parquet]"') from None
    return cramjam
