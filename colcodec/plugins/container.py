"""A string column as bytes that tell what they are, for libraries that keep nothing else.

All numbers are little-endian:

====================================  ==================================================================================
bytes                                 what
====================================  ==================================================================================
4                                     ``colc``
1                                     version, 1
1                                     encoding, the number that it has in the format
1                                     flags: 1 for text, without which the values are bytes; 2 for a validity bitmap
1                                     0
4                                     number of values, nulls included
``(number + 7) // 8``, if there       validity: a bit for each value, least significant first, set where it is present
4, for RLE_DICTIONARY                 size of the dictionary page
of that size                          the dictionary page, PLAIN
the rest                              the body of a Parquet data page: the values that are present
====================================  ==================================================================================
"""

import struct
from typing import Any, Final, cast

from .._spec import MAX_INT32, Encoding
from ..choice import STRING_ENCODINGS
from ..codec import encode
from ..encodings import Bytes
from ..errors import InvalidColumnError
from ..page import DType, EncodedPage, as_encoding
from ..string_column import StringColumn

HEADER: Final = struct.Struct("<4sBBBBI")
SIZE: Final = struct.Struct("<I")
MAGIC: Final = b"colc"
VERSION: Final = 1
TEXT: Final = 1
VALIDITY: Final = 2


def as_string_encoding(encoding: Any) -> Encoding:
    """Find an encoding of strings by its name.

    Parameters
    ----------
    encoding : Encoding or str
        The encoding, or its name in the format.

    Returns
    -------
    Encoding
        The encoding.

    Raises
    ------
    TypeError, ValueError
        If it is none that strings can have.
    """
    known = as_encoding(encoding)
    if known not in STRING_ENCODINGS:
        names = ", ".join(kind.name for kind in STRING_ENCODINGS)
        raise ValueError(f"{known.name} is no encoding of strings; expected one of {names}")
    return known


def to_bytes(strings: StringColumn, encoding: Encoding) -> bytes:
    """Encode a column.

    Parameters
    ----------
    strings : StringColumn
        The column.
    encoding : Encoding
        An encoding of strings.

    Returns
    -------
    bytes
        The column, as above.

    Raises
    ------
    InvalidColumnError
        If a value has 2**31 bytes and more.
    """
    page = encode(strings, encoding, max_dictionary_size=MAX_INT32)
    flags = (TEXT if strings.utf8 else 0) | (0 if page.validity is None else VALIDITY)
    parts: list[bytes | memoryview] = [HEADER.pack(MAGIC, VERSION, encoding, flags, 0, page.num_values)]
    if page.validity is not None:
        parts.append(page.validity.data)
    if page.dictionary is not None:
        dictionary = cast("EncodedPage", page.dictionary).data
        parts += SIZE.pack(dictionary.size), dictionary.data
    return b"".join([*parts, page.data.data])


def from_bytes(buf: Bytes, expected: int | None = None) -> EncodedPage:
    """Find the page of a column.

    Parameters
    ----------
    buf : ndarray
        uint8, what :func:`to_bytes` gave. Bytes behind the last value are not looked at.
    expected : int, optional
        How many values there must be, where the caller knows: others are refused before there is memory for them.

    Returns
    -------
    EncodedPage
        Views of `buf`, of which nothing is decoded yet.

    Raises
    ------
    InvalidColumnError
        If the bytes have another header, end too early, or hold another number of values.
    """
    encoding, flags, num_values = _read_header(buf)
    if expected not in (None, num_values):
        raise InvalidColumnError(f"the column has {num_values} values; expected {expected}")
    pos = HEADER.size
    validity = dictionary = None
    if flags & VALIDITY:
        validity = _section(buf, pos, (num_values + 7) // 8, "the validity bitmap")
        pos += validity.size
    if encoding is Encoding.RLE_DICTIONARY:
        (size,) = SIZE.unpack_from(_section(buf, pos, SIZE.size, "the size of the dictionary").data)
        pos += SIZE.size
        dictionary = _section(buf, pos, size, "the dictionary")
        pos += size
    dtype: DType = "utf8" if flags & TEXT else "binary"
    return EncodedPage(encoding, buf[pos:], num_values, validity, cast("EncodedPage", dictionary), dtype)


def _section(buf: Bytes, start: int, size: int, what: str) -> Bytes:
    """Give a part of the bytes, if they have it."""
    if size > buf.size - start:
        raise InvalidColumnError(f"{what} would be bytes {start} to {start + size} of a column of {buf.size} bytes")
    return buf[start : start + size]


def _read_header(buf: Bytes) -> tuple[Encoding, int, int]:
    """Give the encoding, the flags and the number of values."""
    if buf.size < HEADER.size:
        raise InvalidColumnError(f"{buf.size} bytes are no column of colcodec, whose header has {HEADER.size}")
    magic, version, encoding, flags, reserved, num_values = HEADER.unpack_from(buf.data)
    if magic != MAGIC:
        raise InvalidColumnError(f"the bytes begin with {magic!r}; a column of colcodec begins with {MAGIC!r}")
    if version != VERSION:
        raise InvalidColumnError(f"the bytes are of version {version}; this colcodec knows version {VERSION}")
    if encoding not in STRING_ENCODINGS or flags > TEXT | VALIDITY or reserved or num_values > MAX_INT32:
        found = f"encoding {encoding}, flags {flags}, {reserved} in place of 0, {num_values} values"
        raise InvalidColumnError(f"the header of the column holds what no version 1 has: {found}")
    return Encoding(encoding), flags, num_values
