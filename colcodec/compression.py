"""What follows an encoding: the compression of a page's bytes, as far as their size goes."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from .encodings import Bytes

CompressedSize: TypeAlias = Callable[[Bytes], int]
"""From the bytes of a page to their number once compressed."""


class Compression(StrEnum):
    """Page compressions that can follow an encoding, each as Parquet stores it.

    ``zstd`` at level 3 and ``gzip`` at level 6 (what their libraries choose), ``snappy`` and ``lz4`` as raw blocks
    (Parquet's SNAPPY and LZ4_RAW), ``none`` for none.
    """

    ZSTD = "zstd"
    SNAPPY = "snappy"
    LZ4 = "lz4"
    GZIP = "gzip"
    NONE = "none"


def find_compressor(compression: str) -> CompressedSize:
    """Find out how to compress a page.

    Parameters
    ----------
    compression : str
        A name of :class:`Compression`.

    Returns
    -------
    callable
        Tells how many bytes a page has once compressed.

    Raises
    ------
    ValueError
        If there is no such compression.
    ImportError
        If cramjam is needed, as for all but ``"none"``, and not installed.
    """
    if compression not in tuple(Compression):
        raise ValueError(f"compression must be one of {', '.join(Compression)}, not {compression!r}")
    if compression == Compression.NONE:
        return len
    try:
        import cramjam  # noqa: PLC0415 -- an extra, needed here alone
    except ModuleNotFoundError:
        raise ImportError(f'compression "{compression}" needs cramjam: pip install "colcodec[cli]"') from None

    compressors: dict[str, Callable[[memoryview], cramjam.Buffer]] = {
        Compression.ZSTD: lambda page: cramjam.zstd.compress(page, level=3),
        Compression.SNAPPY: cramjam.snappy.compress_raw,
        Compression.LZ4: lambda page: cramjam.lz4.compress_block(page, store_size=False),
        Compression.GZIP: lambda page: cramjam.gzip.compress(page, level=6),
    }
    compress = compressors[compression]
    return lambda page: len(compress(page.data))
