"""Arrays of NumPy's StringDType to `StringColumn` and back."""

import ctypes
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numpy._core import _multiarray_umath  # type: ignore[attr-defined] # where its headers find the table too

from .._checks import read_only
from .._growing import Growing
from .._kernels._jit import JIT_DISABLED
from .._kernels.packed_strings import (
    ACQUIRE,
    LOAD,
    PACK,
    PACK_NULL,
    RELEASE,
    pack_strings,
    read_strings,
)
from ..errors import InvalidColumnError
from ..string_column import StringColumn
from .objects import EXPECTED_LENGTH, from_list

# Places in NumPy's C API table, from numpy/__multiarray_api.h: part of its stable ABI since 2.0, API version 0x12.
_GET_FEATURE_VERSION: Final = 211
_FIRST_FEATURE_VERSION: Final = 0x12
_PLACES: Final = {LOAD: 313, PACK: 314, PACK_NULL: 315, ACQUIRE: 316, RELEASE: 318}

_NOTHING: Final = read_only(np.zeros(0, np.uint8))


def _find_functions() -> npt.NDArray[np.int64] | None:
    """Addresses of NumPy's functions for packed strings, in the order that the kernels have them; None without them."""
    capsule = getattr(_multiarray_umath, "_ARRAY_API", None)
    if capsule is None:
        return None
    kind = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    get_pointer = kind(("PyCapsule_GetPointer", ctypes.pythonapi))
    table = ctypes.cast(get_pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    if ctypes.CFUNCTYPE(ctypes.c_uint)(table[_GET_FEATURE_VERSION])() < _FIRST_FEATURE_VERSION:
        return None
    return read_only(np.array([table[_PLACES[i]] for i in range(len(_PLACES))], np.int64))


# Kernels that are plain Python would wait for the GIL with NumPy's lock in their hands.
_FUNCTIONS: Final = None if JIT_DISABLED else _find_functions()


def from_string_dtype(array: npt.NDArray[Any]) -> StringColumn:
    """Make a column of an array of StringDType.

    Each string is looked at once, so another thread may change them meanwhile.

    Parameters
    ----------
    array : StringDType[num_values]
        Text, in any stride and read-only state. What is missing is null, unless `na_object` is a str: then it is that
        text, as it is to NumPy.

    Returns
    -------
    StringColumn
        utf8.

    Raises
    ------
    InvalidColumnError
        NumPy does not find a string, which it should; with the index.

    Examples
    --------
    >>> import numpy as np
    >>> from_string_dtype(np.array(["axis", None], np.dtypes.StringDType(na_object=None)))
    StringColumn(utf8, 2 values, 1 null: ['axis', None])
    """
    na_object = getattr(array.dtype, "na_object", "")  # without it nothing can be missing
    has_nulls = not isinstance(na_object, str)
    if _FUNCTIONS is None:
        values = array.tolist()
        return from_list([None if value is na_object else value for value in values] if has_nulls else values)
    null_text = _NOTHING if has_nulls else np.frombuffer(na_object.encode(), np.uint8)
    is_valid = np.empty(array.size, np.bool_)
    offsets = np.zeros(array.size + 1, np.int64)
    data = Growing(np.uint8)
    data.room(EXPECTED_LENGTH * array.size)
    stride = array.strides[0]
    read = size = 0
    while read < array.size:
        place = array.ctypes.data + read * stride
        where = _FUNCTIONS, id(array.dtype), place, stride, null_text
        more, size = read_strings(*where, is_valid[read:], offsets[read:], data.room(size))
        read += more
        if size < 0:
            raise InvalidColumnError(f"value {read} is not found by NumPy", index=read)
        data.size = int(offsets[read])
    validity = np.packbits(is_valid, bitorder="little") if has_nulls and not is_valid.all() else None
    return StringColumn._trusted(offsets, data.written, validity)


def to_string_dtype(column: StringColumn, fill: bytes | None) -> npt.NDArray[Any]:
    """Make an array of ``StringDType(na_object=None)``.

    Parameters
    ----------
    column : StringColumn
        The values.
    fill : bytes or None
        UTF-8 that takes the place of nulls; None keeps them.

    Returns
    -------
    StringDType[num_values]
        A new array.

    Raises
    ------
    InvalidColumnError
        A value is not valid UTF-8.
    MemoryError
        NumPy had none for a value.

    Examples
    --------
    >>> to_string_dtype(StringColumn([0, 4, 4], b"axis", [True, False]), None)
    array(['axis', None], dtype=StringDType(na_object=None))
    """
    array = np.empty(len(column), np.dtypes.StringDType(na_object=None))
    put_strings(column, array, fill)
    return array


def put_strings(column: StringColumn, array: npt.NDArray[Any], fill: bytes | None = None) -> None:
    """Write a column into an array of StringDType.

    Parameters
    ----------
    column : StringColumn
        The values, text.
    array : StringDType[num_values]
        The array, contiguous; what is in it goes.
    fill : bytes, optional
        UTF-8 that takes the place of nulls; without it nulls are the array's `na_object`.

    Raises
    ------
    InvalidColumnError
        A value is not valid UTF-8, or is null and the array has no `na_object`.
    MemoryError
        NumPy had none for a value.

    Examples
    --------
    >>> array = np.array(["", "axle"], "T")
    >>> put_strings(StringColumn([0, 4, 4], b"axis"), array)
    >>> array.tolist()
    ['axis', '']
    """
    column.validate()
    if fill is None and column.null_count and not hasattr(array.dtype, "na_object"):
        raise InvalidColumnError(f"{column.null_count} values are null, but {array.dtype} has no na_object")
    if _FUNCTIONS is None:
        null = getattr(array.dtype, "na_object", None) if fill is None else fill.decode()
        array[:] = [null if value is None else value for value in column]
        return
    validity = _NOTHING if column.null_count == 0 else column.validity
    where = _FUNCTIONS, id(array.dtype), array.ctypes.data
    packed = pack_strings(*where, column.offsets, column.data, validity, *_as_null_text(fill))
    if packed < array.size:
        raise MemoryError(f"NumPy has no memory for value {packed}")


def _as_null_text(text: bytes | None) -> tuple[npt.NDArray[np.uint8], int]:
    """Text that stands for nulls, and its size; -1 where nulls are null."""
    return (_NOTHING, -1) if text is None else (np.frombuffer(text, np.uint8), len(text))
