"""Measure a string column under every encoding: sizes before and after compression, speeds, equality."""

import statistics
from collections.abc import Callable
from enum import StrEnum
from time import perf_counter
from typing import Final, NamedTuple, TypeVar

import numpy as np

from ._spec import Encoding
from .codec import decode, encode
from .page import BYTE_ARRAY_ENCODINGS
from .string_column import StringColumn

T = TypeVar("T")

Progress = Callable[[int, int, str], None]
"""What long work calls as it goes on: ``progress(done, total, what comes next)``."""

MIN_RUNS: Final = 3


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


class Measurement(NamedTuple):
    """What one encoding makes of a column.

    Sizes are bytes of the page's values section. Speeds are in MB/s: 10^6 bytes of decoded string data a second, 0 for
    a column without any. `equal` says whether the decoded column equals the one that was encoded.
    """

    encoding: Encoding
    size: int
    compressed_size: int
    encode_mb_per_s: float
    decode_mb_per_s: float
    equal: bool


def compare(
    column: StringColumn,
    /,
    *,
    compression: str = Compression.ZSTD,
    seconds: float = 0.3,
    progress: Progress | None = None,
) -> list[Measurement]:
    """Encode, compress and decode `column` under every string encoding.

    Parameters
    ----------
    column : StringColumn
        The column to measure.
    compression : str, default "zstd"
        What compresses the encoded pages, a name of :class:`Compression`. Every one but ``"none"`` needs cramjam.
    seconds : float, default 0.3
        Time in seconds for each encode and each decode; a speed is the median of as many runs as fit, at least three.
    progress : callable, optional
        Called as ``progress(done, total, name of the next encoding)``.

    Returns
    -------
    list of Measurement
        One for each encoding of strings, PLAIN first.

    Raises
    ------
    ValueError
        `compression` is not one of the names.
    ImportError
        cramjam is needed and not installed.
    """
    compressed_size = _find_compressor(compression)
    measurements = []
    for done, encoding in enumerate(BYTE_ARRAY_ENCODINGS):
        if progress is not None:
            progress(done, len(BYTE_ARRAY_ENCODINGS), encoding.name)
        measurements.append(_measure(column, encoding, compressed_size, seconds))
    return measurements


def data_size(column: StringColumn, /) -> int:
    """Count the bytes of a column's values, without the bytes that null slots may hold.

    Parameters
    ----------
    column : StringColumn
        Any column.

    Returns
    -------
    int
        Bytes of string data, the "raw" size that shares and speeds refer to.
    """
    lengths = np.diff(column.offsets)
    if column.validity is not None:
        lengths = lengths[np.unpackbits(column.validity, count=len(column), bitorder="little").view(np.bool_)]
    return int(lengths.sum())


def _measure(
    column: StringColumn, encoding: Encoding, compressed_size: Callable[[memoryview], int], seconds: float
) -> Measurement:
    raw_size = data_size(column)
    page, encode_seconds = _time(lambda: encode(column, encoding), seconds)
    decoded, decode_seconds = _time(lambda: decode(page, max_data_size=raw_size), seconds)
    megabytes = raw_size / 1e6
    return Measurement(
        encoding=encoding,
        size=page.data.nbytes,
        compressed_size=compressed_size(page.data.data),
        encode_mb_per_s=megabytes / encode_seconds,
        decode_mb_per_s=megabytes / decode_seconds,
        equal=bool(decoded == column),
    )


def _time(function: Callable[[], T], seconds: float) -> tuple[T, float]:
    """Call `function` once for its result, then again and again for the median time of a call."""
    result = function()
    times: list[float] = []
    end = perf_counter() + seconds
    while len(times) < MIN_RUNS or perf_counter() < end:
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return result, statistics.median(times)


def _find_compressor(compression: str) -> Callable[[memoryview], int]:
    """Return a function from a page to its size in bytes once compressed."""
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
    return lambda page: len(compress(page))
