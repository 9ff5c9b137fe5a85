"""Python objects to `StringColumn`."""

import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from colcodec.errors import InvalidColumnError, InvalidTypeError
from colcodec.string_column import StringColumn, _offsets_of

# pandas' nulls, known by name so that pandas need not be imported.
_PANDAS_NULLS = ("NAType", "NaTType")


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
    values = values if isinstance(values, list) else list(values)
    try:
        text = "".join(values)
    except TypeError:  # not str alone
        return _from_objects(values)
    if not text.isascii():
        return _from_objects(values)
    lengths = np.fromiter(map(len, values), np.int64, len(values))
    return StringColumn._trusted(_offsets_of(lengths), _bytes_of(text.encode("ascii")))


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


def _from_objects(values: list[Any]) -> StringColumn:
    """Value by value, so that a fault has its index."""
    encoded = []
    is_valid = np.ones(len(values), np.bool_)
    kind: type | None = None
    for i, value in enumerate(values):
        found = str if isinstance(value, str) else bytes if isinstance(value, (bytes, bytearray, memoryview)) else None
        if found is None:
            if not _is_null(value):
                message = f"value {i} is {described(value)}; expected str, bytes or a null such as None"
                raise InvalidTypeError(message, index=i)
            is_valid[i] = False
            encoded.append(b"")
            continue
        kind = kind or found
        if found is not kind:
            message = f"value {i} is {described(value)}; expected {kind.__name__}, as the values before it"
            raise InvalidTypeError(message, index=i)
        encoded.append(_encoded(value, i) if found is str else bytes(value))
    offsets = _offsets_of(np.fromiter(map(len, encoded), np.int64, len(encoded)))
    validity = None if is_valid.all() else np.packbits(is_valid, bitorder="little")
    return StringColumn._trusted(offsets, _bytes_of(b"".join(encoded)), validity, utf8=kind is not bytes)


def _encoded(value: str, index: int) -> bytes:
    try:
        return str.encode(value)
    except UnicodeEncodeError as error:
        point = ord(value[error.start])
        message = f"value {index} holds the lone surrogate {point:#x} at {error.start}; expected Unicode text"
        raise InvalidColumnError(message, index=index) from None


def _is_null(value: Any) -> bool:
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    kind = type(value)
    return kind.__name__ in _PANDAS_NULLS and kind.__module__.startswith("pandas.")


def _bytes_of(data: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8)
