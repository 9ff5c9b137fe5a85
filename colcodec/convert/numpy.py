"""NumPy arrays to `StringColumn` and back."""

from typing import Any

import numpy as np
import numpy.typing as npt

from colcodec._kernels.byte_array import fill_offsets
from colcodec.errors import InvalidColumnError, InvalidTypeError
from colcodec.string_column import StringColumn, _offsets_of

from .objects import described, from_list
from .string_dtype import from_string_dtype, to_string_dtype

_NUMPY_KINDS = ("T", "U", "S", "O")


def from_numpy(array: npt.NDArray[Any]) -> StringColumn:
    r"""Make a column of a NumPy array.

    Parameters
    ----------
    array : S, U, StringDType or object[num_values]
        Text or bytes, in any stride, byte order and read-only state. Trailing NULs of "S" and "U" are padding, others
        are text. Masked slots, `StringDType`'s `na_object` unless it is a str (which NumPy itself takes for text), and
        in object arrays what `from_list` takes for null, are null.

    Returns
    -------
    StringColumn
        Binary for "S", utf8 for "U" and StringDType; for object, what `from_list` makes of its values.

    Raises
    ------
    InvalidTypeError
        No ndarray, another dtype, or an object array with values that `from_list` refuses.
    InvalidColumnError
        More or fewer dimensions than 1, or code points that are not Unicode text; the latter with the index.

    Examples
    --------
    >>> import numpy as np
    >>> from_numpy(np.array(["axis", "a\0b"])).to_pylist()
    ['axis', 'a\x00b']
    """
    if not isinstance(array, np.ndarray):
        raise InvalidTypeError(f"got a {type(array).__name__}; expected a NumPy array")
    _check_dimensions(array)
    if array.dtype.kind not in "SUTO":
        raise InvalidTypeError(f"got an array of dtype {array.dtype}; expected S, U, StringDType or object")
    if isinstance(array, np.ma.MaskedArray):
        return _from_masked(array)
    if array.dtype.kind == "S":
        return _from_fixed_bytes(array)
    if array.dtype.kind == "U":
        return _from_fixed_text(array)
    if array.dtype.kind == "T":
        return from_string_dtype(array)
    return from_list(array.tolist())


def from_slots(array: npt.NDArray[Any], length: int) -> StringColumn:
    r"""Make a column of the slots of a NumPy array, whole: a NUL at the end is a byte like any other.

    Parameters
    ----------
    array : S or V[num_values]
        Bytes, in any stride and read-only state, without a copy where they are contiguous. Masked slots are null.
    length : int
        Bytes of each slot, at least 1.

    Returns
    -------
    StringColumn
        Binary.

    Raises
    ------
    InvalidTypeError
        An array whose slots have fields.
    InvalidColumnError
        More or fewer dimensions than 1, or slots of another length.

    Examples
    --------
    >>> import numpy as np
    >>> from_slots(np.array([b"ab\0", b"abc"]), 3).to_pylist()
    [b'ab\x00', b'abc']
    """
    _check_dimensions(array)
    if array.dtype.names is not None:
        expected = f"plain bytes (see its .view('V{array.dtype.itemsize}'))"
        raise InvalidTypeError(f"got an array with the fields {', '.join(array.dtype.names)}; expected {expected}")
    if array.size == 0:
        return StringColumn([0], b"", utf8=False)
    if array.dtype.itemsize != length:
        message = f"value 0 has {array.dtype.itemsize} bytes, as all of dtype {array.dtype}; expected {length}"
        raise InvalidColumnError(message, index=0)
    data = np.ascontiguousarray(np.ma.getdata(array)).view(np.uint8)
    validity = None if not np.ma.is_masked(array) else np.packbits(~np.ma.getmaskarray(array), bitorder="little")
    offsets = np.zeros(array.size + 1, np.int64)
    fill_offsets(length, offsets)
    return StringColumn._trusted(offsets, data, validity, utf8=False)


def to_numpy(column: StringColumn, kind: str, fill: str | bytes | None) -> npt.NDArray[Any]:
    """Make a NumPy array of a column; see `StringColumn.to_numpy`.

    Parameters
    ----------
    column : StringColumn
        The values.
    kind : {"T", "U", "S", "O"}
        StringDType(na_object=None), fixed-width text, fixed-width bytes, or Python objects.
    fill : str or bytes or None
        What takes the place of nulls; None keeps them.

    Returns
    -------
    ndarray[num_values]
        A new array.

    Raises
    ------
    InvalidColumnError
        Nulls without `fill` for "U" or "S", a value that ends in NUL for "U" or "S", or bytes that are not UTF-8
        where text is asked for.
    InvalidTypeError
        A `fill` that is of another type than the values.
    ValueError
        An unknown `kind`.
    """
    if kind not in _NUMPY_KINDS:
        raise ValueError(f"kind is {kind!r}; expected one of {', '.join(map(repr, _NUMPY_KINDS))}")
    utf8 = column.utf8 if kind == "O" else kind != "S"
    if column.utf8 != utf8:
        column = StringColumn._trusted(column.offsets, column.data, column.validity, utf8=utf8)
    if fill is not None:
        fill = _as_fill(fill, utf8=utf8)
    if kind == "T":
        return to_string_dtype(column, None if fill is None else str(fill).encode())
    values = column.to_pylist()
    if fill is not None:
        values = [fill if value is None else value for value in values]
    if kind in "US":
        _check_fixed_width(values, kind)
        return np.array(values, kind)
    return np.array(values, object)


def _check_dimensions(array: npt.NDArray[Any]) -> None:
    if array.ndim != 1:
        raise InvalidColumnError(f"got an array of {array.ndim} dimensions; expected 1 (see its .ravel())")


def _from_masked(array: np.ma.MaskedArray[Any, Any]) -> StringColumn:
    masked = np.ma.getmaskarray(array)
    plain = np.array(array.data)
    plain[masked] = {"O": None, "S": b""}.get(plain.dtype.kind, "")  # what lies there may be no text at all
    column = from_numpy(plain)
    is_valid = ~masked
    if column.validity is not None:
        is_valid &= np.unpackbits(column.validity, count=len(column), bitorder="little").view(np.bool_)
    return StringColumn(column.offsets, column.data, is_valid, utf8=column.utf8)


def _from_fixed_bytes(array: npt.NDArray[np.bytes_]) -> StringColumn:
    offsets, data = _without_padding(array, np.uint8)
    return StringColumn._trusted(offsets, data, utf8=False)


def _from_fixed_text(array: npt.NDArray[np.str_]) -> StringColumn:
    offsets, points = _without_padding(array.astype(array.dtype.newbyteorder("="), copy=False), np.uint32)
    if not points.size or points.max() < 0x80:
        return StringColumn._trusted(offsets, points.astype(np.uint8))
    # The subtraction wraps, so that the comparison holds for 0xD800 to 0xDFFF only.
    is_bad = (points - np.uint32(0xD800) < 0x800) | (points > 0x10FFFF)
    if is_bad.any():
        position = int(np.argmax(is_bad))
        index = int(np.searchsorted(offsets, position, side="right")) - 1
        found = f"value {index} holds the code point {points[position]:#x}"
        raise InvalidColumnError(f"{found}; expected Unicode text without surrogates", index=index)
    sizes = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
    data = points.astype("<u4").tobytes().decode("utf-32-le").encode()
    return StringColumn._trusted(_offsets_of(sizes)[offsets], np.frombuffer(data, np.uint8))


def _without_padding(array: npt.NDArray[Any], unit: type[np.unsignedinteger[Any]]) -> tuple[Any, Any]:
    """Offsets (in units) and units of fixed-width values, end to end, without their trailing NULs."""
    lengths = np.strings.str_len(array).astype(np.int64)
    if not lengths.any():
        return _offsets_of(lengths), np.zeros(0, unit)
    units = np.ascontiguousarray(array).view(unit).reshape(len(array), -1)
    return _offsets_of(lengths), units[np.arange(units.shape[1]) < lengths[:, None]]


def _as_fill(fill: Any, *, utf8: bool) -> str | bytes:
    if utf8 and isinstance(fill, str):
        return fill
    if not utf8 and isinstance(fill, (str, bytes)):
        return fill.encode() if isinstance(fill, str) else fill
    raise InvalidTypeError(f"fill is {described(fill)}; expected {'str' if utf8 else 'bytes'}, as the array holds it")


def _check_fixed_width(values: list[Any], kind: str) -> None:
    """Refuse what a fixed-width array cannot give back: nulls, and NULs at the end."""
    nul = "\0" if kind == "U" else b"\0"
    for i, value in enumerate(values):
        if value is None:
            message = f"value {i} is null, which dtype {kind} cannot hold; expected fill= or another kind"
            raise InvalidColumnError(message, index=i)
        if value.endswith(nul):
            message = f"value {i} ends in NUL, which dtype {kind} would drop; expected kind 'T' or 'O' for such values"
            raise InvalidColumnError(message, index=i)
