"""StringColumn: offsets, data and validity, as Arrow lays them out; immutable, and sliced without copying."""

import operator
import reprlib
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
import numpy.typing as npt

from ._checks import as_bitmap, as_bytes, as_int64, max_length_bits, read_only
from ._html import ends, make_table, shorten
from ._kernels.byte_array import copy_slices, scan_offsets
from ._kernels.objects import IS_KNOWN_PYTHON, POINTS, make_objects, place_of
from ._kernels.utf8 import find_invalid
from ._kernels.validity import count_valid, drop_null_data, drop_null_offsets
from .errors import DictionaryTooLarge, InvalidColumnError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Offsets = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Value = str | bytes | None

# Values turned into Python objects in one go while somebody iterates over a column.
_CHUNK = 1 << 16


class StringColumn:
    """A column of strings (``utf8``) or byte strings (``binary``), some of which may be null.

    Value ``i`` is ``data[offsets[i] : offsets[i + 1]]``. Offsets and validity are copied, so that they stay as they
    were checked; `data` is viewed, and whoever can write to it must not do so afterwards. All are shown read-only.
    Columns compare by value and are therefore not hashable. Whether text is valid UTF-8 is looked at only by `validate`
    and where text is made.

    Every library that knows the Arrow PyCapsule interface takes a column, as large_string or large_binary, and shares
    its memory: ``pyarrow.array(column)``, ``polars.Series(column)``. ``numpy.asarray(column)`` makes Python objects.

    Parameters
    ----------
    offsets : int64[num_values + 1]
        Where each value starts in `data` (bytes), and the end of the last. The first may be above 0. Integers of any
        dtype, and lists of them.
    data : uint8[data_size]
        The bytes of all values; any other one-dimensional buffer of single bytes is viewed.
    validity : uint8[ceil(num_values / 8)] or bool[num_values], optional
        A bitmap, least significant bit first, in which a set bit means "not null" (bytes past the needed ones are
        dropped); or a bool for each value, which is packed. Without it nothing is null.
    utf8 : bool, default True
        Whether the values are text. If not, they are bytes.

    Raises
    ------
    InvalidColumnError
        Offsets that are negative, decrease, or pass the end of `data`; a `validity` of the wrong length; an array of
        more than one dimension.
    InvalidTypeError
        An argument that is no array of the kind above.

    Examples
    --------
    >>> column = StringColumn([0, 4, 8, 8], b"axisaxle", [True, True, False])
    >>> column
    StringColumn(utf8, 3 values, 1 null: ['axis', 'axle', None])
    >>> column[1], column[1:].to_pylist()
    ('axle', ['axle', None])
    """

    __slots__ = ("_bit_offset", "_bitmap", "_data", "_null_count", "_offsets", "_utf8")

    _offsets: Offsets
    _data: Bytes
    _bitmap: Bytes | None  # value 0 is its bit `_bit_offset`, which is below 8
    _bit_offset: int
    _utf8: bool
    _null_count: int | None  # None until somebody asks

    def __new__(
        cls, offsets: npt.ArrayLike, data: Any, validity: npt.ArrayLike | None = None, *, utf8: bool = True
    ) -> Self:
        """Check the arguments and keep them; see the class."""
        offsets = _as_offsets(offsets)
        data = as_bytes(data, "data")
        _check_offsets(offsets, len(data))
        bitmap = None if validity is None else as_bitmap(validity, len(offsets) - 1)
        return cls._trusted(offsets, data, bitmap, utf8=bool(utf8))

    @classmethod
    def _trusted(
        cls,
        offsets: Offsets,
        data: Bytes,
        validity: Bytes | None = None,
        *,
        utf8: bool = True,
        null_count: int | None = None,
        bit_offset: int = 0,
    ) -> Self:
        """Make a column of canonical arrays that the caller knows to be right; nothing is checked."""
        column = object.__new__(cls)
        column._offsets = read_only(offsets)
        column._data = read_only(data)
        column._bitmap = None if validity is None else read_only(validity)
        column._bit_offset = bit_offset
        column._utf8 = utf8
        column._null_count = 0 if validity is None else null_count
        return column

    @property
    def offsets(self) -> Offsets:
        """int64[num_values + 1]: where each value starts in `data`, and the end of the last; read-only."""
        return self._offsets

    @property
    def data(self) -> Bytes:
        """uint8[data_size]: the bytes that `offsets` points into; read-only, and shared by all slices."""
        return self._data

    @property
    def validity(self) -> Bytes | None:
        """uint8[ceil(num_values / 8)]: a set bit means "not null"; bits past the last value may be anything."""
        if self._bitmap is None or self._bit_offset == 0:
            return self._bitmap
        return read_only(np.packbits(self._is_valid(), bitorder="little"))

    @property
    def utf8(self) -> bool:
        """Whether the values are text; if not, they are bytes."""
        return self._utf8

    @property
    def null_count(self) -> int:
        """How many values are null."""
        if self._null_count is None:
            self._null_count = len(self) - int(count_valid(self.validity, len(self)))
        return self._null_count

    @property
    def nbytes(self) -> int:
        """Bytes that this column's values, offsets and validity take; what lies outside a slice does not count."""
        data_size = int(self._offsets[-1] - self._offsets[0])
        return data_size + self._offsets.nbytes + (0 if self._bitmap is None else (len(self) + 7) // 8)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, key: int) -> Value: ...
    @overload
    def __getitem__(self, key: slice) -> "StringColumn": ...
    def __getitem__(self, key: int | slice) -> "StringColumn | Value":
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            return self._slice(start, max(start, stop)) if step == 1 else self._take(np.arange(start, stop, step))
        if isinstance(key, bool | np.bool_) or not hasattr(key, "__index__"):
            raise TypeError(f"a StringColumn is indexed by an int or a slice, not by a {type(key).__name__}")
        index = operator.index(key)
        if not -len(self) <= index < len(self):
            raise IndexError(f"value {index} of a StringColumn of {_counted(len(self), 'value')}")
        return self._value(index % len(self))

    def __iter__(self) -> Iterator[Value]:
        return chain.from_iterable(self._chunks())

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StringColumn):
            return NotImplemented
        if self._utf8 != other._utf8 or len(self) != len(other) or self.null_count != other.null_count:
            return False
        if self.null_count and not np.array_equal(self._is_valid(), other._is_valid()):
            return False
        (offsets, data), (other_offsets, other_data) = self._present(), other._present()
        return np.array_equal(np.diff(offsets), np.diff(other_offsets)) and np.array_equal(
            data[offsets[0] : offsets[-1]], other_data[other_offsets[0] : other_offsets[-1]]
        )

    def __repr__(self) -> str:
        shown = [reprlib.repr(self._value(i, "backslashreplace")) for i in range(min(len(self), 3))]
        if len(self) > len(shown):
            shown.append("…")
        return f"StringColumn({self._describe()}: [{', '.join(shown)}])"

    def _repr_html_(self) -> str:
        rows = [
            ("…", "…") if i is None else (f"{i:,}", shorten(self._value(i, "backslashreplace")))
            for i in ends(len(self))
        ]
        return make_table(f"StringColumn: {self._describe()}", ("", "value"), rows, texts=(1,))

    def _describe(self) -> str:
        nulls = f", {_counted(self.null_count, 'null')}" if self.null_count else ""
        return f"{'utf8' if self._utf8 else 'binary'}, {_counted(len(self), 'value')}{nulls}"

    def __reduce__(self) -> tuple[Any, ...]:
        start, end = self._offsets[0], self._offsets[-1]  # a slice leaves the rest of its data at home
        return partial(StringColumn, utf8=self._utf8), (self._offsets - start, self._data[start:end], self.validity)

    def to_pylist(self) -> list[Value]:
        """Make a list of Python objects.

        Returns
        -------
        list of str, bytes or None
            str for a utf8 column, bytes for a binary one, None for a null.

        Raises
        ------
        InvalidColumnError
            A value of a utf8 column is not valid UTF-8; the error has its index.
        """
        values: list[Value] = [None] * len(self)
        self._put(values)
        return values

    def to_numpy(self, dtype: npt.DTypeLike = "T", *, fill: str | bytes | None = None) -> npt.NDArray[Any]:
        """Make a NumPy array.

        Parameters
        ----------
        dtype : {"T", "U", "S", "O"} or dtype, default "T"
            StringDType(na_object=None), text or bytes as wide as the longest value, or Python objects; ``str``,
            ``bytes``, ``object`` and ``StringDType`` are the same.
        fill : str or bytes, optional
            What takes the place of nulls. Needed for "U" and "S", which have no null of their own.

        Returns
        -------
        ndarray[num_values]
            A new array.

        Raises
        ------
        InvalidColumnError
            Nulls without `fill` for "U" or "S", a value that ends in NUL for "U" or "S" (NumPy would drop it), or
            bytes that are not UTF-8 where text is asked for.
        InvalidTypeError
            A `fill` that is of another type than the values.
        ValueError
            Another `dtype`, or a `fill` with a lone surrogate.
        """
        from .convert.numpy import to_numpy  # noqa: PLC0415 - up the ladder: this method is the face of that module

        return to_numpy(self, dtype, fill)

    def to_arrow(self) -> "pa.Array":
        """Make an array of pyarrow.

        Returns
        -------
        pyarrow.Array
            large_string for a utf8 column, large_binary for a binary one; it shares the column's memory.

        Raises
        ------
        InvalidColumnError
            A value of a utf8 column is not valid UTF-8; the error has its index.
        ImportError
            pyarrow is not installed.
        """
        from .convert.arrow import to_pyarrow  # noqa: PLC0415 - as above

        return to_pyarrow(self)

    def to_pandas(self) -> "pd.Series[Any]":
        """Make a Series of pandas.

        Returns
        -------
        pandas.Series
            Of the dtype that pandas gives to text: str, or object before pandas 3; object for bytes. Where the dtype
            leaves the values to pyarrow, they are not copied.

        Raises
        ------
        InvalidColumnError
            A value of a utf8 column is not valid UTF-8; the error has its index.
        ImportError
            pandas is not installed.
        """
        from .convert.pandas import to_pandas  # noqa: PLC0415 - as above

        return to_pandas(self)

    def to_polars(self) -> "pl.Series":
        """Make a Series of polars.

        Returns
        -------
        polars.Series
            String for a utf8 column, Binary for a binary one.

        Raises
        ------
        InvalidColumnError
            A value of a utf8 column is not valid UTF-8; the error has its index.
        ImportError
            polars is not installed.
        """
        from .convert.polars import to_polars  # noqa: PLC0415 - as above

        return to_polars(self)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("an array of a StringColumn is always a new one")
        return self.to_numpy("O").astype(object if dtype is None else dtype, copy=False)

    def __arrow_c_schema__(self) -> object:
        from .convert.arrow import to_schema  # noqa: PLC0415 - as above

        return to_schema(self)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        from .convert.arrow import to_array  # noqa: PLC0415 - as above

        return to_array(self, requested_schema)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from .convert.arrow import to_stream  # noqa: PLC0415 - as above

        return to_stream(self, requested_schema)

    def validate(self) -> None:
        """Check offsets and validity again, and that each text is valid UTF-8 on its own.

        Raises
        ------
        InvalidColumnError
            The column breaks a rule of the constructor, or a value of a utf8 column is not valid UTF-8, be it that
            the bytes of all values together are. The error has the index of the first such value.
        """
        _check_offsets(self._offsets, len(self._data))
        if self._bitmap is not None:
            as_bitmap(self._bitmap, self._bit_offset + len(self))
        if self._utf8 and (bad := find_invalid(*self._present())) >= 0:
            raise self._utf8_error(bad)

    def _value(self, index: int, errors: str = "strict") -> Value:
        bit = self._bit_offset + index
        if self._bitmap is not None and not self._bitmap[bit >> 3] >> (bit & 7) & 1:
            return None
        value = self._data[self._offsets[index] : self._offsets[index + 1]].tobytes()
        try:
            return value.decode(errors=errors) if self._utf8 else value
        except UnicodeDecodeError:
            raise _invalid_utf8(value, index) from None

    def _slice(self, start: int, stop: int) -> "StringColumn":
        """Share every array with values `start` to `stop`."""
        first_bit, last_bit = self._bit_offset + start, self._bit_offset + stop
        return StringColumn._trusted(
            self._offsets[start : stop + 1],
            self._data,
            None if self._bitmap is None else self._bitmap[first_bit >> 3 : (last_bit + 7) >> 3],
            utf8=self._utf8,
            null_count=0 if self._null_count == 0 else None,
            bit_offset=first_bit & 7,
        )

    def _take(self, indices: npt.NDArray[np.intp]) -> "StringColumn":
        """Copy the values at `indices`."""
        _check_offsets(self._offsets, len(self._data))  # else they might tell of more values' bytes than there are
        starts, ends = read_only(self._offsets[indices]), read_only(self._offsets[indices + 1])
        offsets = _offsets_of(ends - starts)
        data = np.empty(offsets[-1], np.uint8)
        copy_slices(starts, ends, self._data, data, 0)
        validity = None if self._bitmap is None else np.packbits(self._is_valid()[indices], bitorder="little")
        return StringColumn._trusted(offsets, data, validity, utf8=self._utf8)

    def _is_valid(self) -> npt.NDArray[np.bool_]:
        """bool[num_values]: False where a value is null."""
        if self._bitmap is None:
            return np.ones(len(self), np.bool_)
        bits = np.unpackbits(self._bitmap, count=self._bit_offset + len(self), bitorder="little")
        return bits[self._bit_offset :].view(np.bool_)

    def _present(self) -> tuple[Offsets, Bytes]:
        """Give offsets and data of the values that are not null, without the bytes that may lie under nulls."""
        if self.null_count == 0:
            return self._offsets, self._data
        # The kernels believe offsets and bitmap, but whoever made these arrays may have written to them since.
        max_length_bits(self._offsets, self._data)
        validity = read_only(np.array(self.validity))
        dense = np.empty(count_valid(validity, len(self)) + 1, np.int64)
        size = drop_null_offsets(self._offsets, validity, dense)
        data = self._data[self._offsets[0] : self._offsets[-1]]
        if size < data.size:
            data = np.empty(size, np.uint8)
            drop_null_data(self._offsets, self._data, validity, data)
        return read_only(dense), read_only(data)

    def _chunks(self) -> Iterator[list[Value]]:
        """Make Python objects, a list at a time."""
        for start in range(0, len(self), _CHUNK):
            values: list[Value] = [None] * min(_CHUNK, len(self) - start)
            self._put(values, start)
            yield values

    def _put(self, objects: list[Value] | npt.NDArray[np.object_], first: int = 0) -> None:
        """Put the values from `first` on into a new list or array, and leave what is there in the place of nulls."""
        part = self._slice(first, first + len(objects))
        is_valid = read_only(part._is_valid())
        points = np.empty(POINTS, np.uint32)
        address, stride = place_of(objects)
        index = 0
        while index < len(objects):
            if IS_KNOWN_PYTHON:
                index = make_objects(part._offsets, self._data, is_valid, self._utf8, points, index, address, stride)
                if index == len(objects):
                    break
                _check_offsets(self._offsets, len(self._data))  # which the kernel does not believe
            if is_valid[index]:
                objects[index] = self._value(first + index)  # the error that this value is worth, or another chance
            index += 1

    def _utf8_error(self, bad: int) -> InvalidColumnError:
        """Make the error for value `bad` of those that are not null."""
        offsets, data = self._present()
        return _invalid_utf8(data[offsets[bad] : offsets[bad + 1]].tobytes(), self._place(bad))

    def _place(self, index: int) -> int:
        """Tell which value of the column is value `index` of those that are not null."""
        return int(np.flatnonzero(self._is_valid())[index])

    def _counting_nulls(self, error: DictionaryTooLarge) -> DictionaryTooLarge:
        """Let an error about one of the values that are not null have its place in the column."""
        place = self._place(error.index)
        return DictionaryTooLarge(str(error).replace(f"value {error.index} ", f"value {place} "), index=place)


def _invalid_utf8(value: bytes, index: int) -> InvalidColumnError:
    shown = repr(value) if len(value) <= 40 else f"{value[:40]!r}…"
    return InvalidColumnError(f"value {index} is {shown}; expected valid UTF-8, as the column is utf8", index=index)


def _offsets_of(lengths: npt.NDArray[np.integer[Any]]) -> Offsets:
    """Add up the lengths of values that lie end to end."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _as_offsets(offsets: npt.ArrayLike) -> Offsets:
    """Make int64 of offsets, as `as_int64` does, and say what cannot be any."""
    array = np.asarray(offsets)
    if array.ndim != 1 or array.size == 0:
        raise InvalidColumnError(
            f"offsets of shape {array.shape}; expected one dimension and num_values + 1 elements, so at least 1"
        )
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        index = int(np.argmax(array > np.iinfo(np.int64).max))
        raise InvalidColumnError(f"offsets[{index}] is {array[index]}; expected at most 2**63 - 1", index=index)
    return as_int64(array, "offsets")


def _check_offsets(offsets: Offsets, data_size: int) -> None:
    if scan_offsets(offsets, data_size) >= 0:
        return
    if offsets[0] < 0:
        raise InvalidColumnError(f"offsets[0] is {offsets[0]}; expected 0 or more", index=0)
    decreases = offsets[1:] < offsets[:-1]
    if decreases.any():
        index = int(np.argmax(decreases))
        found = f"offsets[{index + 1}] is {offsets[index + 1]}, below offsets[{index}], which is {offsets[index]}"
        raise InvalidColumnError(f"{found}; expected offsets that never decrease", index=index)
    if offsets[-1] > data_size:
        end = int(np.searchsorted(offsets, data_size, side="right"))
        found = f"offsets[{end}] is {offsets[end]}, past the end of data"
        raise InvalidColumnError(f"{found}; expected at most {data_size}", index=max(end - 1, 0))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
