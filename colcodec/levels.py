"""Definition and repetition levels, which stand before the values of a data page and tell its nulls and its lists.

Levels are in the RLE / bit-packed hybrid, as wide as the highest that the column can have. In a data page of version 1
the size of the levels of each kind goes before them; that of version 2 has it in its header. A column whose highest
level is 0 has none.

Specification: Encodings.md, "Run Length Encoding / Bit-Packing Hybrid (RLE = 3)"; the format's README.md, "Nulls",
"Nested Encoding" and "Data Pages".
"""

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ._checks import as_bitmap, as_bytes, as_count, as_size, raise_for_status, read_only
from ._kernels import validity as bitmaps
from ._kernels.bitpack import STORE_SLACK
from ._kernels.dictionary import find_wild
from ._kernels.rle import check_runs, decode_hybrid, encode_hybrid, hybrid_bound, write_run
from ._spec import DEFAULT_MAX_DATA_SIZE, MAX_LEVEL, Encoding, Status
from .errors import InvalidColumnError, InvalidTypeError

Bytes = npt.NDArray[np.uint8]
Levels = npt.NDArray[np.int16]

SIZE_SIZE: Final = 4
"""Bytes of the size that goes before levels in a data page of version 1."""

LEVEL_SIZE: Final = np.dtype(np.int16).itemsize

_fail = partial(raise_for_status, Encoding.RLE)


class DecodedValidity(NamedTuple):
    """Which values of a flat optional column are present.

    Parameters
    ----------
    validity : ndarray or None
        uint8[(num_values + 7) // 8], read-only, least significant bit first, bit set where a value is present; None
        where all are.
    null_count : int
        Number of values that are not.
    consumed : int
        Bytes that the levels took, with their size before them; where they end, the values of the page begin.
    """

    validity: Bytes | None
    null_count: int
    consumed: int


class DecodedLevels(NamedTuple):
    """Levels, and how many bytes they took.

    Parameters
    ----------
    levels : ndarray
        int16[num_values].
    consumed : int
        Bytes that the levels took, with their size before them; where they end, the next section of the page begins.
    """

    levels: Levels
    consumed: int


def encode_validity(validity: npt.ArrayLike | None, num_values: int, /, *, page_version: int = 1) -> Bytes:
    r"""Encode the definition levels of a flat optional column.

    Parameters
    ----------
    validity : array_like or None
        Which values are present: uint8 of at least ``(num_values + 7) // 8`` elements, a bitmap with the least
        significant bit first; or bool[num_values]. None where all are.
    num_values : int
        Number of values, nulls included.
    page_version : int, optional
        1 or 2, of the data page; in one of version 1 the size of the levels goes before them, as 4 bytes.

    Returns
    -------
    ndarray
        uint8, what goes before the values in the page; the same bytes that Arrow C++ writes.

    Raises
    ------
    InvalidTypeError, InvalidColumnError
        If `validity` is no bitmap of that many values.
    TypeError, ValueError
        If there are no such pages.

    Examples
    --------
    >>> import colcodec as cc
    >>> page = cc.encode(["axis", None, "axle"], "PLAIN")
    >>> cc.encode_validity(page.validity, page.num_values).tobytes() + page.data.tobytes()
    b'\x02\x00\x00\x00\x03\x05\x04\x00\x00\x00axis\x04\x00\x00\x00axle'
    """
    num_values = as_count(num_values, "num_values")
    start = _size_of_size(page_version)
    if validity is None:
        out = np.empty(start + hybrid_bound(0, 1), np.uint8)
        end = write_run(np.uint32(1), num_values, 1, out, start) if num_values else start
    else:
        bitmap = as_bitmap(validity, num_values)
        out = np.empty(start + hybrid_bound(num_values, 1), np.uint8)
        end = bitmaps.encode_validity(bitmap, num_values, out, start)
    return _with_size(out[:end], start)


def decode_validity(
    buf: Any,
    num_values: int,
    /,
    *,
    page_version: int = 1,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
) -> DecodedValidity:
    r"""Decode the definition levels of a flat optional column.

    Parameters
    ----------
    buf : buffer
        Of a data page of version 1, all from the size of these levels on; of one of version 2, as many bytes as its
        header gives to them.
    num_values : int
        Number of values, nulls included.
    page_version : int, optional
        1 or 2.
    max_data_size : int, optional
        The most bytes that the bitmap may have.

    Returns
    -------
    DecodedValidity
        The bitmap, the number of nulls, and the place where the levels end.

    Raises
    ------
    MalformedPageError
        If the bytes are no levels of so many values; the error tells where and why.
    LimitError
        If the bitmap has more than `max_data_size` bytes.
    TypeError, ValueError
        If there are no such pages.

    Examples
    --------
    >>> import colcodec as cc
    >>> body = b"\x02\x00\x00\x00\x03\x05\x04\x00\x00\x00axis\x04\x00\x00\x00axle"
    >>> validity, null_count, consumed = cc.decode_validity(body, 3)
    >>> cc.decode(body[consumed:], encoding="PLAIN", num_values=3, validity=validity, dtype="utf8").to_pylist()
    ['axis', None, 'axle']
    """
    buf, num_values = as_bytes(buf, "buf"), as_count(num_values, "num_values")
    start = _size_of_size(page_version)
    end = _find_end(buf, start)
    status, pos, index, num_valid = bitmaps.count_present(buf, start, end, num_values)
    if status == Status.OK:
        if num_valid == num_values:
            return DecodedValidity(None, 0, end)
        size = (num_values + 7) // 8
        _check_size(size, start, max_data_size)
        bitmap = np.empty(size + STORE_SLACK, np.uint8)
        status, pos, index = bitmaps.decode_validity(buf, start, end, num_values, bitmap)
    if status != Status.OK:
        _fail(status, pos, index, buf=buf[:end])
    return DecodedValidity(read_only(bitmap[:size]), num_values - int(num_valid), end)


def encode_levels(levels: npt.ArrayLike, max_level: int, /, *, page_version: int = 1) -> Bytes:
    """Encode definition or repetition levels.

    Parameters
    ----------
    levels : array_like
        Integers of any dtype, one-dimensional, each 0 to `max_level`.
    max_level : int
        The highest level of the column, 0 to 2**15 - 1.
    page_version : int, optional
        1 or 2, of the data page; in one of version 1 the size of the levels goes before them, as 4 bytes.

    Returns
    -------
    ndarray
        uint8, what goes into the page; the same bytes that Arrow C++ writes. None for a `max_level` of 0.

    Raises
    ------
    InvalidTypeError
        If levels are no integers.
    InvalidColumnError
        If one is out of range.
    TypeError, ValueError
        If there are no such levels or pages.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.encode_levels([2, 2, 0, 1, 2], 2, page_version=2)
    array([ 3, 74,  2], dtype=uint8)
    """
    max_level, start = _as_max_level(max_level), _size_of_size(page_version)
    width = max_level.bit_length()
    values = _as_levels(levels, max_level)
    if max_level == 0:
        return np.empty(0, np.uint8)
    out = np.empty(start + hybrid_bound(values.size, width), np.uint8)
    return _with_size(out[: encode_hybrid(values, width, out, start)], start)


def decode_levels(
    buf: Any,
    num_values: int,
    max_level: int,
    /,
    *,
    page_version: int = 1,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
) -> DecodedLevels:
    """Decode definition or repetition levels.

    Parameters
    ----------
    buf : buffer
        Of a data page of version 1, all from the size of these levels on; of one of version 2, as many bytes as its
        header gives to them. It is not looked at for a `max_level` of 0.
    num_values : int
        Number of levels, which the page's header has as its number of values.
    max_level : int
        The highest level of the column, 0 to 2**15 - 1.
    page_version : int, optional
        1 or 2.
    max_data_size : int, optional
        The most bytes that the decoded levels may have.

    Returns
    -------
    DecodedLevels
        The levels, and the place where they end.

    Raises
    ------
    MalformedPageError
        If the bytes are no such levels, or a level is above `max_level`; the error tells where and why.
    LimitError
        If the levels have more than `max_data_size` bytes.
    TypeError, ValueError
        If there are no such levels or pages.

    Examples
    --------
    >>> import colcodec as cc
    >>> levels, consumed = cc.decode_levels(cc.encode_levels([2, 2, 0, 1, 2], 2), 5, 2)
    >>> levels
    array([2, 2, 0, 1, 2], dtype=int16)
    >>> consumed
    7
    """
    buf, num_values = as_bytes(buf, "buf"), as_count(num_values, "num_values")
    max_level, start = _as_max_level(max_level), _size_of_size(page_version)
    width = max_level.bit_length()
    size = num_values * LEVEL_SIZE
    if max_level == 0:
        _check_size(size, 0, max_data_size)
        return DecodedLevels(np.zeros(num_values, np.int16), 0)
    end = _find_end(buf, start)
    status, pos, index = check_runs(buf, start, end, width, num_values)
    if status == Status.OK:
        _check_size(size, start, max_data_size)
        levels = np.empty(num_values, np.uint16)
        status, pos, index = decode_hybrid(buf, start, end, width, levels)
    if status != Status.OK:
        _fail(status, pos, index, buf=buf[:end])
    wild = find_wild(levels, max_level + 1)
    if wild >= 0:
        _fail(Status.LEVEL_RANGE, start, wild, found=f"level {levels[wild]} of at most {max_level}")
    return DecodedLevels(levels.view(np.int16), end)


def _size_of_size(page_version: int) -> int:
    if page_version not in (1, 2):
        raise ValueError(f"page_version must be 1 or 2, got {page_version!r}")
    return SIZE_SIZE if page_version == 1 else 0


def _with_size(out: Bytes, start: int) -> Bytes:
    out[:start].view("<i4")[:] = out.size - start
    return out


def _find_end(buf: Bytes, start: int) -> int:
    if start == 0:
        return buf.size
    if buf.size < start:
        _fail(Status.TRUNCATED, buf.size, found=f"{buf.size} bytes, of {start} for the size of the levels")
    size = int(buf[:start].view("<i4")[0])
    if size < 0:
        _fail(Status.NEGATIVE_LENGTH, 0, found=f"{size} bytes of levels")
    if size > buf.size - start:
        _fail(Status.TRUNCATED, start, found=f"{size} bytes of levels, of which {buf.size - start} are there")
    return start + size


def _check_size(size: int, pos: int, max_data_size: int) -> None:
    limit = as_size(max_data_size, "max_data_size")
    if size > limit:
        _fail(Status.LIMIT, pos, found=f"{size} bytes", limit=limit)


def _as_max_level(max_level: Any) -> int:
    level = as_size(max_level, "max_level")
    if level > MAX_LEVEL:
        raise ValueError(f"max_level must be 0 to 2**15 - 1, got {max_level}")
    return level


def _as_levels(levels: npt.ArrayLike, max_level: int) -> npt.NDArray[np.uint32]:
    try:
        array = np.asarray(levels)
    except ValueError:  # lists of different lengths
        array = np.asarray(levels, object)
    if array.size == 0 and isinstance(levels, (list, tuple)):
        array = array.astype(np.int16)
    if isinstance(levels, np.ma.MaskedArray) or array.ndim != 1 or array.dtype.kind not in "iu":
        given = f"{type(levels).__name__} of dtype {array.dtype}, {array.ndim}-dimensional"
        raise InvalidTypeError(f"levels are one-dimensional integers, got {given}")
    if array.size > 0 and (array.min() < 0 or array.max() > max_level):
        index = int(np.argmax((array < 0) | (array > max_level)))
        raise InvalidColumnError(f"level {index} is {array[index]}; expected 0 to {max_level}", index=index)
    return array.astype(np.uint32)
