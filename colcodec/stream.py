"""Pages bit by bit: `PageWriter` makes one of values that come batch by batch, `PageReader` gives them like that."""

from threading import Lock
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ._checks import as_bytes, as_count, as_int64, as_size, as_type_length, check_page_size, max_length_bits, read_only
from ._growing import Growing
from ._kernels.byte_array import check_slices
from ._kernels.validity import count_valid, spread_offsets
from ._spec import DEFAULT_MAX_DATA_SIZE, DEFAULT_MAX_DICTIONARY_SIZE, Encoding
from .codec import INTEGER_DTYPE_OF_SIZE, Integers, as_integers, as_page, column, fixed_length_column
from .encodings import (
    Bytes,
    Writer,
    byte_stream_split,
    delta_binary_packed,
    delta_byte_array,
    delta_length_byte_array,
    plain,
    rle_dictionary,
)
from .errors import DictionaryTooLarge, InvalidColumnError, InvalidTypeError
from .page import DType, EncodedPage, as_writable_encoding, check_dtype, make_dictionary_page, measure
from .string_column import StringColumn


class PageWriter:
    """A page that is written batch by batch: what `encode` makes of all of them together, whatever their sizes.

    A writer is for the pages of a column, one after another: `finish` ends a page, and the values behind it go into the
    next one. The next page is of the same type, and its indices are those of the same dictionary, which the values of
    RLE_DICTIONARY go on adding to: so the dictionary of the last page is that of all pages. `reset` begins anew. A
    write that fails leaves the writer as it was. Threads may share a writer: a batch is written whole before the next.

    Parameters
    ----------
    encoding : Encoding or str
        The encoding, or its name in the format.
    dtype : str, optional
        What the values are: "utf8" or "binary", or for DELTA_BINARY_PACKED "int32" or "int64". What is written first
        decides where it is not given; bytes of `write_slices` are then "binary".
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.
    max_dictionary_size : int, optional
        The most bytes that the dictionary page of RLE_DICTIONARY may have.

    Raises
    ------
    TypeError, ValueError
        If there is no such encoding of such values.

    Examples
    --------
    >>> import colcodec as cc
    >>> writer = cc.PageWriter("DELTA_BYTE_ARRAY")
    >>> for batch in (["axis", "axle"], ["babble", None]):
    ...     writer.write(batch)
    >>> writer.num_values, writer.size
    (4, 56)
    >>> writer.finish()
    EncodedPage(DELTA_BYTE_ARRAY, 4 utf8 values, with nulls, 56 bytes)
    """

    __slots__ = (
        "_dictionary",
        "_dtype",
        "_encoding",
        "_given_dtype",
        "_is_settled",
        "_is_valid",
        "_lock",
        "_num_values",
        "_type_length",
        "_writer",
    )

    _dtype: DType
    _is_settled: bool  # whether values are there, or the caller's word, so that values of another type do not fit
    _dictionary: EncodedPage | None  # of the page before
    _num_values: int

    def __init__(
        self,
        encoding: Encoding | str,
        /,
        *,
        dtype: DType | None = None,
        type_length: int | None = None,
        max_dictionary_size: int = DEFAULT_MAX_DICTIONARY_SIZE,
    ) -> None:
        self._lock = Lock()  # what kernels write to must not be put in other memory meanwhile
        self._type_length = as_type_length(type_length)
        self._encoding = as_writable_encoding(encoding, self._type_length)
        if dtype is not None:
            check_dtype(dtype, self._encoding)
        self._given_dtype = dtype
        limit = as_size(max_dictionary_size, "max_dictionary_size")
        self._writer = _make_writer(self._encoding, dtype or "int64", self._type_length, limit)
        self._is_valid = Growing(np.bool_)  # of the values up to the last batch with nulls
        self.reset()

    @property
    def num_values(self) -> int:
        """Number of values of the page so far, nulls included."""
        return self._num_values

    @property
    def size(self) -> int:
        """Bytes that the data of the page would have if it ended here.

        To tell them takes a microsecond or two, however many values there are; those of RLE_DICTIONARY are gone
        through, each once. The dictionary is not counted.
        """
        with self._lock:
            return self._writer.size

    def write(self, values: Any, /) -> None:
        """Write a batch of values.

        Parameters
        ----------
        values : array_like
            Whatever `encode` takes.

        Raises
        ------
        DictionaryTooLarge
            If the dictionary page would exceed `max_dictionary_size`. The page so far can still be finished, and the
            batch be encoded in another way.
        InvalidTypeError
            If the values are not of a type that the encoding takes, or of another than those before.
        InvalidColumnError
            If a value cannot be encoded.
        ValueError
            If the page would have 2**31 values.
        """
        if isinstance(self._writer, delta_binary_packed.Writer):
            self._write_integers(as_integers(values))
            return
        strings = column(values) if self._type_length is None else fixed_length_column(values, self._type_length)
        offsets, data = strings._present()
        max_length_bits(offsets, data)
        with self._lock:
            dtype = self._agree("utf8" if strings.utf8 else "binary", offsets.size > 1)
            end = as_count(self._num_values + len(strings), "num_values")
            is_valid = self._is_valid.room(end - self._is_valid.size) if strings.null_count else None
            try:
                self._writer.add(offsets, data)
            except DictionaryTooLarge as error:
                raise strings._counting_nulls(error) from None
            if is_valid is not None:
                is_valid[self._is_valid.size : self._num_values] = True
                is_valid[self._num_values : end] = strings._is_valid()
                self._is_valid.size = end
            self._go_on(dtype, end, offsets.size > 1)

    def write_slices(self, data: Any, offsets: npt.ArrayLike, lengths: npt.ArrayLike, /) -> None:
        """Write a batch of values out of bytes that the caller has, which are free to change afterwards.

        Parameters
        ----------
        data : buffer
            Any contiguous buffer of bytes, with the values anywhere in it.
        offsets : array_like
            int64[n]: where each value begins in `data`. Other integers are converted.
        lengths : array_like
            int64[n]: the bytes of each value. Other integers are converted.

        Raises
        ------
        DictionaryTooLarge, ValueError
            As `write` does.
        InvalidColumnError
            If a value does not lie within `data`, has 2**31 bytes or more, or not those of the `type_length`; with its
            index.
        InvalidTypeError
            If the arguments are no such arrays, or the page is of integers.
        """
        if isinstance(self._writer, delta_binary_packed.Writer):
            raise InvalidTypeError("DELTA_BINARY_PACKED takes integers, not slices of bytes")
        buf, starts, sizes = as_bytes(data, "data"), as_int64(offsets, "offsets"), as_int64(lengths, "lengths")
        if starts.size != sizes.size:
            raise InvalidColumnError(f"{starts.size} offsets and {sizes.size} lengths; expected as many of both")
        ends = np.empty(starts.size, np.int64)
        index, total = check_slices(starts, sizes, buf.size, ends)
        if index >= 0:
            found = f"value {index} has {sizes[index]} bytes from {starts[index]} on"
            expected = f"0 to 2**31 - 1 bytes within the {buf.size} of data"
            raise InvalidColumnError(f"{found}; expected {expected}", index=int(index))
        if self._type_length is not None and (wrong := sizes != self._type_length).any():
            index = int(np.argmax(wrong))
            found = f"value {index} has {sizes[index]} bytes"
            raise InvalidColumnError(f"{found}; expected type_length={self._type_length}", index=index)
        ends.flags.writeable = False
        with self._lock:
            dtype: DType = self._dtype if self._is_settled else "binary"
            end = as_count(self._num_values + starts.size, "num_values")
            self._writer.add_slices(starts, ends, buf, total)
            self._go_on(dtype, end, starts.size > 0)

    def finish(self) -> EncodedPage:
        """End the page, and begin the next one of the column.

        Returns
        -------
        EncodedPage
            All values since the page before: the bytes that `encode` gives for them in one go, in memory of its own.

        Raises
        ------
        InvalidColumnError
            If the page has more than 2**31 - 1 bytes, see `size`. It stays as it is, and `reset` forgets it.
        """
        with self._lock:
            check_page_size(self._writer.size)
            validity = None
            if self._is_valid.size:
                is_valid = self._is_valid.room(self._num_values - self._is_valid.size)[: self._num_values]
                is_valid[self._is_valid.size :] = True
                validity = read_only(np.packbits(is_valid, bitorder="little"))
            if isinstance(self._writer, rle_dictionary.Writer):
                known = self._writer.dictionary
                if self._dictionary is None or self._dictionary.num_values < len(known):
                    self._dictionary = make_dictionary_page(known, self._dtype)
            page = EncodedPage._trusted(
                self._encoding,
                self._writer.finish(),
                self._num_values,
                validity,
                self._dtype,
                dictionary=self._dictionary,
                type_length=self._type_length,
            )
            self._begin_page()
            return page

    def reset(self) -> None:
        """Forget all that has been written, so that the writer is as new; its memory is kept to be used again."""
        with self._lock:
            self._writer.clear()
            self._dictionary = None
            self._dtype = self._given_dtype or ("int64" if self._encoding is Encoding.DELTA_BINARY_PACKED else "utf8")
            self._is_settled = self._given_dtype is not None
            self._begin_page()

    def _begin_page(self) -> None:
        self._num_values = 0
        self._is_valid.size = 0

    def _write_integers(self, integers: Integers) -> None:
        with self._lock:
            dtype = self._agree(INTEGER_DTYPE_OF_SIZE[integers.itemsize], integers.size > 0)
            end = as_count(self._num_values + integers.size, "num_values")
            writer = cast("delta_binary_packed.Writer", self._writer)
            if dtype != writer.dtype:
                writer = delta_binary_packed.Writer(dtype)
            writer.add(integers.astype(dtype, copy=False))  # another dtype only if there are none
            self._writer = writer
            self._go_on(dtype, end, integers.size > 0)

    def _agree(self, dtype: DType, has_values: bool) -> DType:
        """Give the type of the page with a batch of this one."""
        if not self._is_settled:
            return dtype
        if has_values and dtype != self._dtype:
            raise InvalidTypeError(f"the page is of {self._dtype} values, the batch of {dtype}; they do not mix")
        return self._dtype

    def _go_on(self, dtype: DType, end: int, has_values: bool) -> None:
        self._dtype = dtype
        self._is_settled |= has_values
        self._num_values = end

    def __repr__(self) -> str:
        return f"PageWriter({self._encoding.name}, {self._num_values} {self._dtype} values, {self.size} bytes)"


def _make_writer(
    encoding: Encoding, dtype: DType, type_length: int | None, max_dictionary_size: int
) -> Writer | delta_binary_packed.Writer:
    if encoding is Encoding.DELTA_BINARY_PACKED:
        return delta_binary_packed.Writer(dtype)
    if encoding is Encoding.RLE_DICTIONARY:
        return rle_dictionary.Writer(max_dictionary_size, type_length)
    if encoding is Encoding.BYTE_STREAM_SPLIT and type_length is not None:
        return byte_stream_split.Writer(type_length)
    if encoding is Encoding.PLAIN:
        return plain.Writer(type_length)
    if encoding is Encoding.DELTA_LENGTH_BYTE_ARRAY:
        return delta_length_byte_array.Writer()
    return delta_byte_array.Writer()


class PageReader:
    """The values of a page, some at a time: what `decode` gives, without room for all of it at once.

    Beside the page, memory is taken for the values of one call, and for 4 bytes a value of the whole page (8 for
    DELTA_BYTE_ARRAY, none for PLAIN and DELTA_BINARY_PACKED). The lengths or indices of a page are read and checked at
    the start; the values of PLAIN and DELTA_BINARY_PACKED are checked as they come. After an error the reader is where
    it was before the call. Threads may share a reader: each call gives the values behind those of the call before.

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

    __slots__ = ("_lock", "_page", "_position", "_reader")

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
        self._lock = Lock()
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
        with self._lock:
            count = self._limited(count)
            if isinstance(self._reader, delta_binary_packed.Reader):
                integers: Integers = self._reader.read(count)
                self._position += count
                return integers
            validity, present = self._next(count)
            offsets, data = self._reader.read(present)
            self._position += count
        if present < count:
            dense, offsets = offsets, np.empty(count + 1, np.int64)
            offsets[0] = 0
            spread_offsets(read_only(dense), validity, offsets)
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
        with self._lock:
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
