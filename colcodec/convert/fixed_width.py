"""NumPy arrays of fixed width, S, U and slots of bytes, to `StringColumn` and back."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .._arrays import empty
from .._checks import max_length_bits, read_only
from .._kernels.byte_array import fill_offsets
from .._kernels.transcode import (
    POINT_SIZE,
    SLACK,
    decode_text,
    encode_text,
    fill_slots,
    find_final_nul,
    most_bytes,
    most_points,
    trim_slots,
)
from .._kernels.utf8 import find_invalid
from ..errors import InvalidColumnError, InvalidTypeError
from ..string_column import StringColumn


def check_dimensions(array: npt.NDArray[Any]) -> None:
    """Refuse what is no row of values.

    Parameters
    ----------
    array : ndarray
        Any array.

    Raises
    ------
    InvalidColumnError
        More or fewer dimensions than 1.
    """
    if array.ndim != 1:
        raise InvalidColumnError(f"got an array of {array.ndim} dimensions; expected 1 (see its .ravel())")


def from_fixed_bytes(array: npt.NDArray[np.bytes_]) -> StringColumn:
    r"""Make a column of an array of S, without the NULs at the end of its values.

    Parameters
    ----------
    array : S[num_values]
        Bytes, in any stride and read-only state.

    Returns
    -------
    StringColumn
        Binary.

    Examples
    --------
    >>> import numpy as np
    >>> from_fixed_bytes(np.array([b"axis", b"a\0b"])).to_pylist()
    [b'axis', b'a\x00b']
    """
    slots = _units_of(array, np.uint8)
    offsets = empty(len(array) + 1, np.int64)
    data = np.empty(slots.size + SLACK, np.uint8)
    trim_slots(slots, array.itemsize, offsets, data)
    return StringColumn._trusted(offsets, _trimmed(data, offsets), utf8=False)


def from_fixed_text(array: npt.NDArray[np.str_]) -> StringColumn:
    r"""Make a column of an array of U, without the NULs at the end of its values.

    Parameters
    ----------
    array : U[num_values]
        Text, in any stride, byte order and read-only state.

    Returns
    -------
    StringColumn
        utf8.

    Raises
    ------
    InvalidColumnError
        Code points that are not Unicode text, or that have changed during the call; with the index.

    Examples
    --------
    >>> import numpy as np
    >>> from_fixed_text(np.array(["axis", "a\0b"])).to_pylist()
    ['axis', 'a\x00b']
    """
    points = _units_of(array.astype(array.dtype.newbyteorder("="), copy=False), np.uint32)
    width = array.itemsize // 4
    offsets = empty(len(array) + 1, np.int64)
    # As many bytes as the array has: only what is written of them takes memory, and the others are given back.
    data = np.empty(POINT_SIZE * points.size + SLACK, np.uint8)
    bad = int(encode_text(points, width, offsets, data))
    if bad >= 0:
        value = points[bad * width : (bad + 1) * width]
        wrong = value[(value >= 0xD800) & ((value < 0xE000) | (value > 0x10FFFF))]
        if wrong.size == 0:
            raise _changed(bad)
        message = f"value {bad} holds the code point {wrong[0]:#x}; expected Unicode text without surrogates"
        raise InvalidColumnError(message, index=bad)
    return StringColumn._trusted(offsets, _trimmed(data, offsets))


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
    check_dimensions(array)
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


def to_fixed_width(column: StringColumn, fill: str | bytes | None) -> npt.NDArray[Any]:
    """Make an array of U of a column that is utf8, and of S of a binary one.

    Parameters
    ----------
    column : StringColumn
        The values.
    fill : str or bytes or None
        What takes the place of nulls, of the type of the values.

    Returns
    -------
    U[num_values] or S[num_values]
        A new array, as wide as its longest value and at least 1.

    Raises
    ------
    InvalidColumnError
        Nulls without `fill`, a value that ends in NUL, one of a utf8 column that is not valid UTF-8, or one that has
        changed during the call; with the index.

    Examples
    --------
    >>> to_fixed_width(StringColumn([0, 4, 4], b"axis", [True, False]), "")
    array(['axis', ''], dtype='<U4')
    """
    offsets, data = column._present()
    max_length_bits(offsets, data)  # whoever made these arrays may have written to them since
    if column.utf8 and (bad := find_invalid(offsets, data)) >= 0:
        raise column._utf8_error(bad)
    kind = "U" if column.utf8 else "S"
    _check_nulls(column, kind, fill)
    if (bad := find_final_nul(offsets, data)) >= 0:
        raise _final_nul(int(np.flatnonzero(column._is_valid())[bad]), kind)
    width = max(1, int(most_points(offsets, data) if column.utf8 else most_bytes(offsets)))
    if fill is not None and column.null_count:
        width = max(width, len(fill))
    array = empty(len(offsets) - 1, f"{kind}{width}")
    if column.utf8:
        bad = decode_text(offsets, data, width, array.view(np.uint32))
    else:
        bad = fill_slots(offsets, data, width, array.view(np.uint8))
    if bad >= 0:
        raise _changed(bad)
    if column.null_count == 0:
        return array
    filled = np.full(len(column), fill, array.dtype)
    filled[column._is_valid()] = array
    return filled


def _units_of(array: npt.NDArray[Any], unit: type[np.unsignedinteger[Any]]) -> npt.NDArray[Any]:
    """View what values are made of, end to end."""
    if array.itemsize == 0:  # of these NumPy makes no view
        return read_only(np.zeros(0, unit))
    return read_only(np.require(array, requirements=["C", "A", "E"]).view(unit))


def _trimmed(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """Give back the memory behind the values."""
    data.resize(offsets[-1], refcheck=False)
    return data


def _check_nulls(column: StringColumn, kind: str, fill: str | bytes | None) -> None:
    """Refuse nulls without anything that takes their place, or with something that would not come back."""
    if column.null_count == 0:
        return
    index = int(np.argmin(column._is_valid()))
    if fill is None:
        message = f"value {index} is null, which dtype {kind} cannot hold; expected fill= or another dtype"
        raise InvalidColumnError(message, index=index)
    if fill[-1:] in ("\0", b"\0"):
        raise _final_nul(index, kind)


def _changed(index: int) -> InvalidColumnError:
    return InvalidColumnError(f"value {index} changed during the call", index=index)


def _final_nul(index: int, kind: str) -> InvalidColumnError:
    message = f"value {index} ends in NUL, which dtype {kind} would drop; expected dtype 'T' or 'O' for such values"
    return InvalidColumnError(message, index=index)
