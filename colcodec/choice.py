"""Choosing an encoding for a column: by what each makes of a sample, in pages as writers cut and compress them."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from ._checks import as_size, max_length_bits, read_only
from ._spec import DEFAULT_MAX_DICTIONARY_SIZE, Encoding
from .codec import column
from .column_chunk import DEFAULT_ROWS_PER_PAGE
from .compression import Compression, Compressor, find_compressor
from .dictionary import Dictionary
from .encodings import Bytes, plain
from .encodings.rle_dictionary import encode_indices
from .errors import DictionaryTooLarge
from .page import BYTE_ARRAY_ENCODINGS
from .readers import check_readers, count_readers, why_unreadable
from .string_column import StringColumn, _offsets_of

STRING_ENCODINGS: Final = (*BYTE_ARRAY_ENCODINGS, Encoding.RLE_DICTIONARY)
"""The encodings of strings, in the order of their numbers."""

MAX_PAGE_SIZE: Final = 2**20
"""Bytes of values at which parquet-java and Arrow C++ end a page, unless told otherwise."""

DEFAULT_SAMPLE: Final = 65_536
NUM_RUNS: Final = 16
"""Runs of values in a sample: enough to meet what differs along a column, and each long enough to be like a page."""


class Figure(NamedTuple):
    """What a column would take in one encoding.

    Parameters
    ----------
    encoding : Encoding
        The encoding.
    size : int or None
        Bytes of all pages, that of the dictionary included; estimated where the sample is not all of the column.
    compressed_size : int or None
        Bytes of all pages once each is compressed; estimated likewise.
    reason : str or None
        Why the encoding cannot be used; there are no sizes then.
    """

    encoding: Encoding
    size: int | None = None
    compressed_size: int | None = None
    reason: str | None = None


class Choice(NamedTuple):
    """The encoding that makes the least of a column, and what was compared.

    Parameters
    ----------
    encoding : Encoding
        The encoding with the smallest compressed size.
    figures : tuple of Figure
        One for each encoding of strings, in the order of their numbers.
    num_sampled : int
        Number of values that were measured, nulls not counted.
    """

    encoding: Encoding
    figures: tuple[Figure, ...]
    num_sampled: int


class Pages(NamedTuple):
    """Bytes that pages take, as they are encoded and once each is compressed."""

    size: int
    compressed_size: int

    def scaled(self, whole: int, part: int) -> "Pages":
        """Conclude from a part to the whole of something; nothing has no parts, and is all of itself.

        Parameters
        ----------
        whole, part : int
            Sizes of both, in any unit.

        Returns
        -------
        Pages
            What the whole takes.
        """
        factor = whole / part if part else 1
        return Pages(round(self.size * factor), round(self.compressed_size * factor))


def choose(
    values: Any,
    /,
    *,
    compression: str = Compression.ZSTD,
    readers: str | Iterable[str] | None = None,
    sample: int | None = DEFAULT_SAMPLE,
    max_dictionary_size: int = DEFAULT_MAX_DICTIONARY_SIZE,
) -> Choice:
    """Find the encoding in which a column takes the least space once compressed.

    Each encoding is measured on runs of values spread evenly over the column, cut into pages of 1 MiB or 65,536 rows.
    Of RLE_DICTIONARY, only the indices: its dictionary is that of the whole column, since it is paid for once.

    Parameters
    ----------
    values : array_like
        Whatever `column` takes.
    compression : str, optional
        What compresses the pages: "zstd", "snappy", "lz4", "gzip" or "none". Every one but "none" needs cramjam.
    readers : str or iterable of str, optional
        Who must be able to read the column, such as "spark" or ["impala", "duckdb"]; each has to have read the encoding
        for two years. Without it any encoding will do.
    sample : int, optional
        Number of values that are measured, nulls not counted; None for all of them.
    max_dictionary_size : int, optional
        The most bytes that the dictionary page of RLE_DICTIONARY may have.

    Returns
    -------
    Choice
        The encoding, with the sizes of each. Of the same size, that which more readers know. The same column gives the
        same choice every time.

    Raises
    ------
    InvalidTypeError, InvalidColumnError
        If the values are no column of strings, or have 2**31 bytes and more each.
    TypeError, ValueError
        If there is no such compression or reader, or a number is not one.
    ImportError
        If cramjam is needed and not installed.

    Examples
    --------
    >>> import colcodec as cc
    >>> states = ["Ohio", "Iowa", "Utah", "Iowa"] * 1000
    >>> cc.choose(states, compression="none").encoding
    <Encoding.RLE_DICTIONARY: 8>
    >>> cc.choose(["axis-1", "axis-2", "axis-3"] * 1000, compression="none").figures[0]
    Figure(encoding=<Encoding.PLAIN: 0>, size=30000, compressed_size=30000, reason=None)
    """
    compress = find_compressor(compression)
    names = check_readers(readers)
    limit = as_size(max_dictionary_size, "max_dictionary_size")
    sample = None if sample is None else as_size(sample, "sample")
    if sample == 0:
        raise ValueError("sample must be at least 1, got 0")
    part = _Sample(column(values), sample, compress)

    def find_figure(encoding: Encoding) -> Figure:
        if reason := why_unreadable(encoding, names):
            return Figure(encoding, reason=reason)
        try:
            return Figure(encoding, *part.estimate(encoding, limit))
        except DictionaryTooLarge as error:
            return Figure(encoding, reason=str(error))

    figures = tuple(map(find_figure, STRING_ENCODINGS))
    usable = [
        (found.compressed_size, -count_readers(found.encoding), found.encoding)
        for found in figures
        if found.compressed_size is not None
    ]
    return Choice(min(usable)[-1], figures, part.num_values)


class _Sample:
    """Runs of a column's values, and what pages of them take.

    Parameters
    ----------
    strings : StringColumn
        The column.
    most : int or None
        The most values to take; None for all.
    compress : callable
        How pages are compressed.
    """

    def __init__(self, strings: StringColumn, most: int | None, compress: Compressor) -> None:
        self._compress = compress
        self._strings = strings
        self._whole = offsets, data = strings._present()
        max_length_bits(offsets, data)
        count = offsets.size - 1
        self._runs = _spread_runs(count, count if most is None else most)
        lengths = np.concatenate([np.diff(offsets[start : end + 1]) for start, end in self._runs])
        values = np.concatenate([data[offsets[start] : offsets[end]] for start, end in self._runs])
        self._part = read_only(_offsets_of(lengths)), read_only(values)
        self.num_values = lengths.size
        self._num_rows = lengths.size * len(strings) // max(count, 1)

    def estimate(self, encoding: Encoding, max_dictionary_size: int) -> Pages:
        """Estimate what the whole column takes in an encoding."""
        if encoding is Encoding.RLE_DICTIONARY:
            return self._estimate_dictionary(max_dictionary_size)
        module = BYTE_ARRAY_ENCODINGS[encoding]
        offsets, data = self._part
        pages = self._measure(lambda start, end: module.encode(offsets[start : end + 1], data))
        # What a value takes grows with its length: of PLAIN, this is exact.
        return pages.scaled(plain.encoded_bound(*self._whole), plain.encoded_bound(offsets, data))

    def _estimate_dictionary(self, max_size: int) -> Pages:
        """Find the dictionary of the whole column, and estimate what the indices take."""
        dictionary = Dictionary(max_size)
        indices = np.empty(self._whole[0].size - 1, np.uint32)
        try:
            dictionary.add(*self._whole, indices)
        except DictionaryTooLarge as error:
            raise self._strings._counting_nulls(error) from None
        part = np.concatenate([indices[start:end] for start, end in self._runs])
        pages = self._measure(lambda start, end: encode_indices(part[start:end], len(dictionary)))
        scaled = pages.scaled(indices.size, part.size)
        page = plain.encode(*dictionary.values)
        return Pages(page.size + scaled.size, self._compress(page).size + scaled.compressed_size)

    def _measure(self, encode: Callable[[int, int], Bytes]) -> Pages:
        """Encode the values in pages of the same number of them, no larger than writers make them."""
        size = encode(0, self.num_values).size
        num_pages = max(-(-size // MAX_PAGE_SIZE), -(-self._num_rows // DEFAULT_ROWS_PER_PAGE))
        num_pages = max(min(num_pages, self.num_values), 1)
        ends = [self.num_values * i // num_pages for i in range(num_pages + 1)]
        pages = [encode(start, end) for start, end in pairwise(ends)]
        return Pages(sum(page.size for page in pages), sum(self._compress(page).size for page in pages))


def _spread_runs(count: int, most: int) -> list[tuple[int, int]]:
    """Spread runs of equal length evenly over so many values, from the first to the last: starts and ends."""
    if count <= most:
        return [(0, count)]
    num_runs = min(NUM_RUNS, most)
    length = most // num_runs
    return [(int(start), int(start) + length) for start in np.linspace(0, count - length, num_runs)]
