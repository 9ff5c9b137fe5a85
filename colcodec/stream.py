"""Pages bit by bit: `PageReader` gives the values of a page some at a time."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ._checks import as_size, read_only
from ._kernels.validity import count_valid, spread_offsets
from ._spec import DEFAULT_MAX_DATA_SIZE, Encoding
from .codec import Integers, as_page
from .encodings import Bytes, delta_binary_packed
from .page import DType, EncodedPage, measure
from .string_column import StringColumn


class PageReader:
    """The values of a page, some at a time: what `decode` gives, without room for all of it at once.

    Beside the page, memory is taken for the values of one call, and for 4 bytes a value of the whole page (8 for
    DELTA_BYTE_ARRAY, none for PLAIN and DELTA_BINARY_PACKED). The lengths or indices of a page are read and checked at
    the start; the values of PLAIN and DELTA_BINARY_PACKED are checked as they come. After an error the reader is where
    it was before the call.

    Parameters
    ----------
    page : EncodedPage or buffer
        As for `decode`, and so are the other parameters.
    encoding : Encoding or str, optional
        How a buffer is encoded.
    num_values : int, optional
        Number of values of a buffer, nulls included.
    validity : array_like, optional
        Which of these are present.
    dtype : str, optional
        What a buffer holds.
    dictionary : EncodedPage, StringColumn or buffer, optional
        What the indices in a buffer mean.
    type_length : int, optional
        Bytes of each value, if a buffer holds a FIXED_LEN_BYTE_ARRAY.
    max_data_size : int, optional
        The most bytes that the values of the page may have in all, as for `decode`, so that batches of any size meet it
        alike. It may be far above what fits memory, if the batches are small.

    Raises
    ------
    MalformedPageError, LimitError, TypeError, ValueError
        As `decode` does.

    Examples
    --------
    >>> import colcodec as cc
    >>> reader = cc.PageReader(cc.encode(["axis", "axle", None, "babble"], "DELTA_BYTE_ARRAY"))
    >>> reader.read(2).to_pylist(), reader.skip(1), reader.read(100).to_pylist()
    (['axis', 'axle'], 1, ['babble'])
    """

    __slots__ = ("_page", "_position", "_reader")

    def __init__(
        self,
        page: Any,
        /,
        *,
        encoding: Encoding | str | None = None,
        num_values: int | None = None,
        validity: npt.ArrayLike | None = None,
        dtype: DType | None = None,
        dictionary: Any = None,
        type_length: int | None = None,
        max_data_size: int = DEFAULT_MAX_DATA_SIZE,
    ) -> None:
        given: EncodedPage = as_page(page, encoding, num_values, validity, dtype, dictionary, type_length)
        limit = as_size(max_data_size, "max_data_size")
        if given.validity is not None:  # else somebody could write to it between two calls, and more values be present
            given = replace(given, validity=given.validity.copy())
        self._page = given
        self._position = 0
        self._reader = (
            delta_binary_packed.Reader(given.data, given.num_values, given.dtype, max_data_size=limit)
            if given.holds_integers
            else measure(given, limit)
        )

    @property
    def num_values(self) -> int:
        """Number of values of the page, nulls included."""
        return int(self._page.num_values)

    @property
    def position(self) -> int:
        """Number of values, nulls included, that have been read or skipped."""
        return self._position

    def read(self, count: int, /) -> StringColumn | Integers:
        """Give the next values.

        Parameters
        ----------
        count : int
            How many, nulls included. Where the page has fewer left, it gives these; at its end, an empty column.

        Returns
        -------
        StringColumn or ndarray
            A column of its own memory; for DELTA_BINARY_PACKED the integers.

        Raises
        ------
        MalformedPageError
            If one of these values is broken.
        LimitError
            If with these the values have more than `max_data_size` bytes.
        TypeError, ValueError
            If `count` is no number of values.
        """
        count = self._limited(count)
        if isinstance(self._reader, delta_binary_packed.Reader):
            integers: Integers = self._reader.read(count)
            self._position += count
            return integers
        validity, present = self._next(count)
        offsets, data = self._reader.read(present)
        if present < count:
            dense, offsets = offsets, np.empty(count + 1, np.int64)
            offsets[0] = 0
            spread_offsets(read_only(dense), validity, offsets)
        self._position += count
        utf8 = self._page.dtype == "utf8"
        return StringColumn._trusted(offsets, data, validity, utf8=utf8, null_count=count - present)

    def skip(self, count: int, /) -> int:
        """Go on behind the next values, which are checked as far as the values behind them need it.

        Parameters
        ----------
        count : int
            How many, nulls included.

        Returns
        -------
        int
            How many there were, `count` or what was left of the page.

        Raises
        ------
        MalformedPageError, LimitError, TypeError, ValueError
            As `read` does.
        """
        count = self._limited(count)
        self._reader.skip(self._next(count)[1])
        self._position += count
        return count

    def _limited(self, count: int) -> int:
        return min(as_size(count, "count"), self.num_values - self._position)

    def _next(self, count: int) -> tuple[Bytes | None, int]:
        """Give the bitmap of the next values, None where all are present; and how many are."""
        start, end = self._position, self._position + count
        if self._page.validity is None:
            return None, count
        bitmap = self._page.validity[start >> 3 : (end + 7) >> 3]
        if start & 7:
            bits = np.unpackbits(bitmap, count=(start & 7) + count, bitorder="little")
            bitmap = read_only(np.packbits(bits[start & 7 :], bitorder="little"))
        return bitmap, int(count_valid(bitmap, count))

    def __repr__(self) -> str:
        return f"PageReader({self._page!r}, at value {self._position})"
