"""Measure a string column under every encoding: sizes before and after compression, speeds, equality."""

import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Final, NamedTuple, TypeVar

from ._html import make_table
from ._spec import Encoding
from .choice import STRING_ENCODINGS
from .codec import decode, encode
from .compression import Compression, Compressor, find_compressor
from .errors import DictionaryTooLarge
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
    equal: bool | None = None
    reason: str | None = None


class Comparison(list[Measurement]):
    """Measurements of a column, one for each encoding; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        def number(value: float | None) -> str:
            return "-" if value is None else f"{value:,.0f}"

        head = ("encoding", "bytes", "compressed", "encode MB/s", "decode MB/s", "equal", "")
        equal = {True: "yes", False: "NO", None: "-"}
        rows = [
            (
                row.encoding.name,
                *map(number, (row.size, row.compressed_size, row.encode_mb_per_s, row.decode_mb_per_s)),
                equal[row.equal],
                row.reason or "",
            )
            for row in self
        ]
        return make_table("Encodings of the column", head, rows, texts=(0, 6))


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
        Time in seconds for each encode and each decode; a speed is the median of as many runs as fit, at least three.
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
    compress = find_compressor(compression)
    measurements = Comparison()
    for done, encoding in enumerate(STRING_ENCODINGS):
        if progress is not None:
            progress(done, len(STRING_ENCODINGS), encoding.name)
        try:
            measurements.append(_measure(column, encoding, compress, seconds))
        except DictionaryTooLarge as error:
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


def _measure(column: StringColumn, encoding: Encoding, compress: Compressor, seconds: float) -> Measurement:
    page, encode_seconds = _time(lambda: encode(column, encoding), seconds)
    # Indices of many values can be few bytes: their offsets count as well, to the limit that is there for strangers.
    decoded, decode_seconds = _time(lambda: decode(page, max_data_size=column.nbytes), seconds)
    bodies = [page.data]
    if isinstance(page.dictionary, EncodedPage):
        bodies.append(page.dictionary.data)
    megabytes = data_size(column) / 1e6
    return Measurement(
        encoding=encoding,
        size=sum(body.size for body in bodies),
        compressed_size=sum(compress(body).size for body in bodies),
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
