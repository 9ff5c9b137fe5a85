"""NumPy arrays to `StringColumn` and back."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..errors import InvalidColumnError, InvalidTypeError
from ..string_column import StringColumn
from .fixed_width import check_dimensions, from_fixed_bytes, from_fixed_text, to_fixed_width
from .objects import described, from_objects
from .string_dtype import from_string_dtype, to_string_dtype

_StringDType = np.dtypes.StringDType
_KIND_OF_DTYPE: Final[dict[Any, str]] = {_StringDType(na_object=None): "T"} | {
    dtype: kind
    for kind, scalar in (("T", _StringDType), ("U", str), ("S", bytes), ("O", object))
    for dtype in (kind, scalar, np.dtype(kind))
}
"""What `to_numpy` makes; not all that NumPy takes for a dtype, which is object for any class that it does not know."""


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
    check_dimensions(array)
    if array.dtype.kind not in "SUTO":
        raise InvalidTypeError(f"got an array of dtype {array.dtype}; expected S, U, StringDType or object")
    if isinstance(array, np.ma.MaskedArray):
        return _from_masked(array)
    if array.dtype.kind == "S":
        return from_fixed_bytes(array)
    if array.dtype.kind == "U":
        return from_fixed_text(array)
    if array.dtype.kind == "T":
        return from_string_dtype(array)
    return from_objects(np.asarray(array))


def to_numpy(column: StringColumn, dtype: npt.DTypeLike, fill: str | bytes | None) -> npt.NDArray[Any]:
    """Make a NumPy array of a column; see `StringColumn.to_numpy`.

    Parameters
    ----------
    column : StringColumn
        The values.
    dtype : {"T", "U", "S", "O"} or dtype
        StringDType(na_object=None), text or bytes as wide as the longest value, or Python objects.
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
        Another `dtype`, or a `fill` with a lone surrogate.
    """
    kind = _kind_of(dtype)
    utf8 = column.utf8 if kind == "O" else kind != "S"
    if column.utf8 != utf8:
        column = StringColumn._trusted(column.offsets, column.data, column.validity, utf8=utf8)
    if fill is not None:
        fill = _as_fill(fill, utf8=utf8)
    if kind == "T":
        return to_string_dtype(column, None if fill is None else str(fill).encode())
    if kind in "US":
        return to_fixed_width(column, fill)
    objects = np.full(len(column), fill, object)
    column._put(objects)
    return objects


def _kind_of(dtype: npt.DTypeLike) -> str:
    try:
        return _KIND_OF_DTYPE[dtype]
    except (TypeError, KeyError):  # the first for what has no hash
        raise ValueError(f"dtype is {dtype!r}; expected one of 'T', 'U', 'S', 'O'") from None


def _from_masked(array: np.ma.MaskedArray[Any, Any]) -> StringColumn:
    is_valid = ~np.ma.getmaskarray(array)
    plain = np.asarray(array.data)
    if plain.dtype.kind == "O":
        return from_objects(plain, is_valid)
    try:
        column = from_numpy(plain)
    except InvalidColumnError:  # what lies under the mask may be no text at all
        column = from_numpy(np.where(is_valid, plain, ""))
    if column.null_count:
        is_valid &= column._is_valid()
    return StringColumn(column.offsets, column.data, is_valid, utf8=column.utf8)


def _as_fill(fill: Any, *, utf8: bool) -> str | bytes:
    """Check a fill, and make plain str or bytes of it, whatever its type has for methods of these."""
    if isinstance(fill, bytes) and not utf8:
        return memoryview(fill).tobytes()
    if not isinstance(fill, str):
        raise InvalidTypeError(
            f"fill is {described(fill)}; expected {'str' if utf8 else 'bytes'}, as the array holds it"
        )
    try:
        encoded = str.encode(fill)
    except UnicodeEncodeError:
        raise ValueError(f"fill is {described(fill)}; expected Unicode text, without surrogates") from None
    return encoded.decode() if utf8 else encoded
