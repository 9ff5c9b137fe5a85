"""Python objects to `StringColumn`."""

import reprlib
import sys
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from .._checks import read_only
from .._growing import Growing
from .._kernels.objects import BYTES, IS_KNOWN_PYTHON, NONE, OTHER, TEXT, place_of, read_objects
from ..errors import InvalidColumnError, InvalidTypeError
from ..string_column import StringColumn

EXPECTED_LENGTH = 16
"""Bytes for which there is room before it has to grow, for each value."""


def from_list(values: Iterable[Any]) -> StringColumn:
    """Make a column of Python values.

    Parameters
    ----------
    values : iterable of str, or of bytes
        None, NaN, NaT and pandas' NA are null among them. bytearray and memoryview count as bytes.

    Returns
    -------
    StringColumn
        utf8 for str, binary for bytes; utf8 where there are only nulls or nothing.

    Raises
    ------
    InvalidTypeError
        A value of another type, or str and bytes in one list; with the index.
    InvalidColumnError
        A str with a lone surrogate, which has no UTF-8; with the index.

    Examples
    --------
    >>> from_list(["axis", None, "axle"])
    StringColumn(utf8, 3 values, 1 null: ['axis', None, 'axle'])
    """
    if isinstance(values, (str, bytes, bytearray, memoryview)) or not isinstance(values, Iterable):
        raise InvalidTypeError(f"got one {type(values).__name__}; expected a list of str or of bytes")
    return from_objects(values if type(values) is list else list(values))


def from_objects(
    values: list[Any] | npt.NDArray[np.object_], is_valid: npt.NDArray[np.bool_] | None = None
) -> StringColumn:
    """Make a column of Python objects.

    Each is looked at once, so another thread may change them meanwhile. A str that is not ASCII keeps the UTF-8 that
    Python makes of it for this, as it does for pyarrow.

    Parameters
    ----------
    values : list or object[num_values]
        The values, an array in any stride; see `from_list`.
    is_valid : bool[num_values], optional
        False for what is null, whatever lies there; it is written to.

    Returns
    -------
    StringColumn
        utf8 for str, binary for bytes; utf8 where there are only nulls or nothing.

    Raises
    ------
    InvalidTypeError
        A value of another type, or str and bytes together; with the index.
    InvalidColumnError
        A str with a lone surrogate, with the index; or a list that has lost values during the call.
    """
    num_values = len(values)
    if is_valid is None:
        is_valid = np.ones(num_values, np.bool_)
    nulls = _null_objects()
    known = read_only(np.array([*map(id, (str, bytes, float, np.float64, *nulls))]))
    offsets = np.zeros(num_values + 1, np.int64)
    data = Growing(np.uint8)
    data.room(EXPECTED_LENGTH * num_values)
    address, stride = place_of(values)
    index, kind = 0, NONE
    while index < num_values:
        if IS_KNOWN_PYTHON:
            index, kind, size = read_objects(address, stride, index, known, kind, is_valid, offsets, data.room(0))
            data.size = int(offsets[index])
            if size or index == num_values:
                data.room(size)
                continue
        index, kind = _read_others(values, index, kind, is_valid, offsets, data)
    validity = None if is_valid.all() else np.packbits(is_valid, bitorder="little")
    return StringColumn._trusted(offsets, data.written, validity, utf8=kind != BYTES)


def described(value: Any) -> str:
    """Show a value in an error.

    Parameters
    ----------
    value : object
        What was found.

    Returns
    -------
    str
        It, shortened, and its type.
    """
    return f"{reprlib.repr(value)} of type {type(value).__name__}"


def _read_others(
    values: list[Any] | npt.NDArray[np.object_],
    start: int,
    kind: int,
    is_valid: npt.NDArray[np.bool_],
    offsets: npt.NDArray[np.int64],
    data: Growing,
) -> tuple[int, int]:
    """Do what the kernel does, from a value at which it stopped up to the next one at which it will not."""
    encoded: list[bytes] = []
    for index in range(start, len(is_valid)):
        if index >= len(values):
            raise InvalidColumnError(f"the list has {len(values)} values; it had {len(is_valid)} when the call began")
        value = values[index]
        if IS_KNOWN_PYTHON and encoded and type(value) in (str, bytes):
            break
        part = None
        if is_valid[index]:
            kind, part = _encoded(value, kind, index)
            is_valid[index] = part is not None
        encoded.append(part or b"")
    ends = [*accumulate(map(len, encoded), initial=data.size)]
    offsets[start : start + len(ends)] = ends
    data.room(ends[-1] - ends[0])[ends[0] : ends[-1]] = np.frombuffer(b"".join(encoded), np.uint8)
    data.size = ends[-1]
    return start + len(encoded), kind


def _encoded(value: Any, kind: int, index: int) -> tuple[int, bytes | None]:
    """Give the kind and the bytes of a value that comes behind others of `kind`; None for a null.

    As in the kernel, it is the type that counts, and what the value holds: a subclass may have methods that lie.
    """
    type_ = type(value)
    found = TEXT if issubclass(type_, str) else BYTES if issubclass(type_, (bytes, bytearray, memoryview)) else OTHER
    if found == OTHER and _is_null(value):
        return kind, None
    if found == OTHER or kind not in (NONE, found):
        wanted = f"{'str' if kind == TEXT else 'bytes'}, as the values before it"
        expected = "str, bytes or a null such as None" if found == OTHER else wanted
        raise InvalidTypeError(f"value {index} is {described(value)}; expected {expected}", index=index)
    return found, _utf8_of(value, index) if found == TEXT else memoryview(value).tobytes()


def _utf8_of(value: str, index: int) -> bytes:
    try:
        return str.encode(value)
    except UnicodeEncodeError as error:
        point = ord(str.__getitem__(value, error.start))
        message = f"value {index} holds the lone surrogate {point:#x} at {error.start}; expected Unicode text"
        raise InvalidColumnError(message, index=index) from None


def _null_objects() -> list[Any]:
    """List the objects that are nulls, None first; those of pandas only if somebody has imported it."""
    pandas = sys.modules.get("pandas")
    return [None, np.ma.masked, getattr(pandas, "NA", None), getattr(pandas, "NaT", None)]


def _is_null(value: Any) -> bool:
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return any(value is null for null in _null_objects())
