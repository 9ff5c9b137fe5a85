"""Measure a string column under every encoding: sizes before and after compression, speeds, equality."""

import statistics
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Final, NamedTuple, TypeVar

from ._html import make_table
from ._spec import Encoding
from .choice import STRING_ENCODINGS
from .codec import decode, encode
from .compression import Compression, Compressor, as_compression, decompress, find_compressor
from .errors import DictionaryTooLarge, InvalidColumnError
from .page import EncodedPage
from .string_column import StringColumn

T = TypeVar("T")

Progress = Callable[[int, int, str], None]
"""What long work calls as it goes on: ``progress(done, total, what comes next)``."""

MIN_RUNS: Final = 3


class Measurement(NamedTuple):
    """What one encoding makes of a column.

    Parameters
    ----------
    encoding : Encoding
        The encoding.
    size : int or None
        Bytes of the page's values section; of RLE_DICTIONARY, those of the dictionary page included.
    compressed_size : int or None
        Bytes of the page once compressed, and of the dictionary page on its own.
    encode_mb_per_s, decode_mb_per_s : float or None
        10^6 bytes of decoded string data a second; 0 for a column without any.
    read_mb_per_s : float or None
        The same of decompressing and decoding, one after the other.
    equal : bool or None
        Whether the decoded column equals the one that was encoded.
    reason : str or None
        Why the column cannot be encoded so; all the figures are None then.
    """

    encoding: Encoding
    size: int | None = None
    compressed_size: int | None = None
    encode_mb_per_s: float | None = None
    decode_mb_per_s: float | None = None
    read_mb_per_s: float | None = None
    equal: bool | None = None
    reason: str | None = None


class Comparison(list[Measurement]):
    """Measurements of a column, one for each encoding; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        def number(value: float | None) -> str:
            return "-" if value is None else f"{value:,.0f}"

        speeds = ("encode MB/s", "decode MB/s", "decompress and decode MB/s")
        head = ("encoding", "bytes", "compressed", *speeds, "equal", "")
        equal = {True: "yes", False: "NO", None: "-"}
        rows = []
        for row in self:
            figures = row.size, row.compressed_size, row.encode_mb_per_s, row.decode_mb_per_s, row.read_mb_per_s
            rows.append((row.encoding.name, *map(number, figures), equal[row.equal], row.reason or ""))
        return make_table("Encodings of the column", head, rows, texts=(0, 7))


def compare(
    column: StringColumn,
    /,
    *,
    compression: str = Compression.ZSTD,
    seconds: float = 0.3,
    progress: Progress | None = None,
) -> Comparison:
    """Encode, compress and decode `column` under every string encoding.

    Parameters
    ----------
    column : StringColumn
        The column to measure.
    compression : str, default "zstd"
        What compresses the encoded pages, a name of :class:`Compression`. Every one but ``"none"`` needs cramjam.
    seconds : float, default 0.3
        Time in seconds for each encode, decompression and decode; a speed is the median of as many runs as fit, at
        least three.
    progress : callable, optional
        Called as ``progress(done, total, name of the next encoding)``.

    Returns
    -------
    Comparison
        A list with a Measurement for each encoding of strings, PLAIN first.

    Raises
    ------
    ValueError
        `compression` is not one of the names.
    ImportError
        cramjam is needed and not installed.
    """
    compress, (kind, _) = find_compressor(compression), as_compression(compression)
    measurements = Comparison()
    for done, encoding in enumerate(STRING_ENCODINGS):
        if progress is not None:
            progress(done, len(STRING_ENCODINGS), encoding.name)
        try:
            measurements.append(_measure(column, encoding, compress, kind, seconds))
        except (DictionaryTooLarge, InvalidColumnError) as error:  # of the second kind is a page that is too large
            measurements.append(Measurement(encoding, reason=str(error)))
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
    offsets, _ = column._present()
    return int(offsets[-1] - offsets[0])


def _measure(
    column: StringColumn, encoding: Encoding, compress: Compressor, compression: Compression, seconds: float
) -> Measurement:
    page, encode_seconds = _time(lambda: encode(column, encoding), seconds)
    # Indices of many values can be few bytes: their offsets count as well, to the limit that is there for strangers.
    decoded, decode_seconds = _time(lambda: decode(page, max_data_size=column.nbytes), seconds)
    bodies = [page.data]
    if isinstance(page.dictionary, EncodedPage):
        bodies.append(page.dictionary.data)
    compressed = [compress(body) for body in bodies]
    sizes = [body.size for body in bodies]
    decompress_seconds = 0.0
    if compression is not Compression.NONE:
        pages = [partial(decompress, stored, compression, size) for stored, size in zip(compressed, sizes, strict=True)]
        _, decompress_seconds = _time(lambda: [page() for page in pages], seconds)
    megabytes = data_size(column) / 1e6
    return Measurement(
        encoding=encoding,
        size=sum(sizes),
        compressed_size=sum(stored.size for stored in compressed),
        encode_mb_per_s=megabytes / encode_seconds,
        decode_mb_per_s=megabytes / decode_seconds,
        read_mb_per_s=megabytes / (decompress_seconds + decode_seconds),
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
