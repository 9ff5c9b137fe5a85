"""Arguments become canonical arrays, and a kernel's status becomes an exception, here and nowhere else."""

from collections.abc import Iterable
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt

from ._arrays import empty
from ._kernels.byte_array import scan_offsets
from ._spec import MAX_INT32, MAX_INT64, MAX_PAGE_SIZE, MAX_VALUE_LENGTH, Encoding, Status
from .errors import InvalidColumnError, InvalidTypeError, LimitError, MalformedPageError

UINT8: Final = np.dtype(np.uint8)  # to be compared with: a type would become one each time

MESSAGES: Final = {
    Status.TRUNCATED: "the page ends before the data that it announces",
    Status.BAD_VARINT: "an integer takes more bytes, or more bits, than its type has",
    Status.BAD_HEADER: (
        "the header names a block that the format does not allow: the block size must be a positive multiple of 128, "
        "the miniblocks must divide it into equal multiples of 32, and every field must be below 2**31"
    ),
    Status.BIT_WIDTH: "a bit width, or a value of a run, is wider than the type of the values",
    Status.COUNT_MISMATCH: "the page holds another number of values than were expected",
    Status.NEGATIVE_LENGTH: "a length is negative; lengths are 0 to 2**31 - 1",
    Status.PREFIX: "a prefix is negative or longer than the value before it",
    Status.FIRST_PREFIX: (
        "the first value has a prefix, but no value comes before it in the page "
        "(writers of parquet-mr before 1.8 did this: PARQUET-246)"
    ),
    Status.LIMIT: "the values take more bytes than max_data_size allows",
    Status.BAD_RUN: "a run has no values, or more than 2**31 - 1",
    Status.INDEX_RANGE: "an index points behind the end of the dictionary",
    Status.LEVEL_RANGE: "a level is above the highest that the column has",
    Status.FIXED_LENGTH: "a value has another length than the type_length of the column",
}
"""What each status says to a reader of the error."""

FEW_BYTES: Final = 8
"""Bytes of a page that an error shows."""


def raise_for_status(
    encoding: Encoding,
    status: int,
    position: int,
    index: int = -1,
    *,
    found: str | None = None,
    limit: int | None = None,
    buf: npt.NDArray[np.uint8] | None = None,
) -> NoReturn:
    """Turn what a kernel returned into the exception that tells it.

    Parameters
    ----------
    encoding : Encoding
        The encoding that was being read.
    status : int
        A Status other than OK.
    position : int
        The byte of the page at which the kernel stopped.
    index : int, optional
        The value that it could not read, -1 for none.
    found : str, optional
        The numbers behind the fault.
    limit : int, optional
        What `max_data_size` was, for Status.LIMIT.
    buf : ndarray, optional
        uint8: the page, where its bytes at `position` are what is wrong.

    Raises
    ------
    LimitError
        For Status.LIMIT.
    MalformedPageError
        For every other.
    """
    kind = Status(int(status))
    where = f"byte {int(position)}" + (f", value {int(index)}" if index >= 0 else "")
    limited = f"{limit} bytes allowed" if kind is Status.LIMIT and limit is not None else ""
    there = ""
    if buf is not None and kind is not Status.LIMIT:
        there = f"found {buf[position : position + FEW_BYTES].tobytes().hex(' ') or 'no more bytes'}"
    detail = ", ".join(filter(None, (found, there, limited)))
    message = f"{encoding.name} page, {where}: {MESSAGES[kind]}" + (f" ({detail})" if detail else "")
    error = LimitError if kind is Status.LIMIT else MalformedPageError
    raise error(
        message, encoding=encoding, status=kind, position=int(position), index=int(index) if index >= 0 else None
    )


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give a read-only view of `array`, or `array` itself where it is one already.

    Parameters
    ----------
    array : ndarray
        Any array.

    Returns
    -------
    ndarray
        The same memory. Kernels take their inputs read-only, so that each is compiled once.
    """
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def as_bytes(buf: Any, name: str) -> npt.NDArray[np.uint8]:
    """View a buffer as bytes, without a copy where it is contiguous.

    Parameters
    ----------
    buf : buffer
        A one-dimensional array of uint8, int8 or S1, or anything with the buffer protocol: bytes, bytearray, mmap, ...
    name : str
        What to call it in an error.

    Returns
    -------
    ndarray
        uint8[n], contiguous and read-only.

    Raises
    ------
    InvalidTypeError
        If `buf` is no buffer of single bytes.
    InvalidColumnError
        If it has more than one dimension.
    """
    if type(buf) is np.ndarray and buf.dtype == UINT8 and buf.ndim == 1 and buf.flags.c_contiguous:
        return read_only(buf)  # what most callers have, without the microseconds of what follows
    try:
        array = np.asarray(buf if isinstance(buf, np.ndarray) else memoryview(buf))
    except (TypeError, ValueError, BufferError):
        message = f"{name} is of type {type(buf).__name__}; expected an array of uint8, or bytes"
        raise InvalidTypeError(message) from None
    if array.dtype.kind not in "iuS" or array.dtype.itemsize != 1:
        raise InvalidTypeError(f"{name} has dtype {array.dtype}; expected uint8 (or int8 or S1, which are viewed)")
    if array.ndim != 1:
        raise InvalidColumnError(f"{name} has {array.ndim} dimensions; expected 1")
    return read_only(np.ascontiguousarray(array).view(np.uint8))


def as_int64(values: Any, name: str) -> npt.NDArray[np.int64]:
    """Make an array of int64, in memory that nobody else writes to while a kernel believes it.

    Parameters
    ----------
    values : array_like
        What the caller gave.
    name : str
        What to call it in an error.

    Returns
    -------
    ndarray
        int64[n], contiguous and read-only. A uint64 above 2**63 - 1 becomes negative.

    Raises
    ------
    InvalidTypeError
        If `values` are no integers.
    InvalidColumnError
        If they have more than one dimension.
    """
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise InvalidTypeError(f"{name} are of dtype {array.dtype}; expected integers")
    if array.ndim != 1:
        raise InvalidColumnError(f"{name} have {array.ndim} dimensions; expected 1")
    own = empty(array.size, np.int64)
    own[:] = array
    return read_only(own)


def as_bitmap(validity: Any, num_values: int) -> npt.NDArray[np.uint8]:
    """Copy a bitmap, or pack the bools that stand for one.

    Parameters
    ----------
    validity : array_like
        uint8 of at least ``(num_values + 7) // 8`` elements, least significant bit first; or bool[num_values].
    num_values : int
        Number of values, nulls included.

    Returns
    -------
    ndarray
        uint8[(num_values + 7) // 8], read-only, in memory that nobody else writes to while a kernel believes it.

    Raises
    ------
    InvalidTypeError
        If it is neither.
    InvalidColumnError
        If it is too short, or is bool[n] for another n.
    """
    is_array_like = isinstance(validity, (list, tuple)) or hasattr(validity, "__array__")
    array = np.asarray(validity) if is_array_like and not isinstance(validity, np.ndarray) else validity
    if isinstance(array, np.ndarray) and (array.dtype == np.bool_ or array.shape == (0,)):
        if array.shape != (num_values,):
            raise InvalidColumnError(
                f"validity of shape {array.shape}; expected a bool for each of {num_values} values"
            )
        return read_only(np.packbits(array.astype(np.bool_), bitorder="little"))
    try:
        bitmap = as_bytes(array, "validity")
    except InvalidTypeError as error:
        raise InvalidTypeError(f"{error}, a bitmap; or a bool for each value") from None
    size = (num_values + 7) // 8
    if len(bitmap) < size:
        raise InvalidColumnError(f"a validity bitmap of {len(bitmap)} bytes; expected {size}, a bit for each value")
    return read_only(bitmap[:size].copy())


def as_count(value: Any, name: str) -> int:
    """Check a number of values.

    Parameters
    ----------
    value : int
        What the caller gave.
    name : str
        What to call it in an error.

    Returns
    -------
    int
        The number, 0 to 2**31 - 1.

    Raises
    ------
    TypeError
        If it is no integer.
    ValueError
        If a Parquet page cannot hold that many values.
    """
    count = as_size(value, name)
    if count > MAX_INT32:
        raise ValueError(f"{name} must be at most 2**31 - 1, the most values that a page can hold, got {value}")
    return count


def as_type_length(value: Any) -> int | None:
    """Check the length of the values of a FIXED_LEN_BYTE_ARRAY.

    Parameters
    ----------
    value : int or None
        What the caller gave; None for a BYTE_ARRAY.

    Returns
    -------
    int or None
        Bytes of each value, 1 to 2**31 - 1; None for a BYTE_ARRAY.

    Raises
    ------
    TypeError
        If it is no integer.
    ValueError
        If it is none that the format allows.
    """
    if value is None:
        return None
    length = as_size(value, "type_length")
    if not 1 <= length <= MAX_VALUE_LENGTH:
        raise ValueError(f"type_length must be 1 to 2**31 - 1 bytes, got {value}")
    return length


def as_size(value: Any, name: str) -> int:
    """Check a number of bytes or values.

    Parameters
    ----------
    value : int
        What the caller gave.
    name : str
        What to call it in an error.

    Returns
    -------
    int
        The number, 0 to 2**63 - 1; a larger one is that, as no array has more.

    Raises
    ------
    TypeError
        If it is no integer.
    ValueError
        If it is negative.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {type(value).__name__}")
    if value < 0:
        raise ValueError(f"{name} must not be negative, got {value}")
    return min(int(value), MAX_INT64)


def check_page_size(size: int) -> None:
    """Check the size of a page that is to be.

    Parameters
    ----------
    size : int
        Bytes of its values, or of all that it holds.

    Raises
    ------
    InvalidColumnError
        If it is larger than a page of the format can be.
    """
    if size > MAX_PAGE_SIZE:
        raise InvalidColumnError(
            f"a page would have {size} bytes; expected at most {MAX_PAGE_SIZE}, as in Parquet: take fewer values for it"
        )


def check_out(out: Any, dtype: npt.DTypeLike, size: int, name: str) -> None:
    """Check an array that a caller gave to be written to.

    Parameters
    ----------
    out : ndarray
        What the caller gave.
    dtype : dtype
        What it must be of.
    size : int
        How many elements it must have at least.
    name : str
        What to call it in an error.

    Raises
    ------
    TypeError
        If it is no one-dimensional, contiguous, aligned and writeable array of that dtype.
    ValueError
        If it is too small.
    """
    expected = f"a writeable, contiguous array of {np.dtype(dtype)}"
    if type(out) is not np.ndarray:
        raise TypeError(f"{name} must be {expected}, got {type(out).__name__}")
    if out.dtype != dtype or not out.dtype.isnative or out.ndim != 1 or not (out.flags.carray or out.size == 0):
        raise TypeError(f"{name} must be {expected}, got {out.dtype}{list(out.shape)} with strides {list(out.strides)}")
    if not out.flags.writeable:
        raise TypeError(f"{name} must be {expected}, got a read-only one")
    if out.size < size:
        raise ValueError(f"{name} must have at least {size} elements, got {out.size}")


def check_apart(out: npt.NDArray[Any], others: Iterable[npt.NDArray[Any] | None], name: str) -> None:
    """Check that nothing is read, or written beside it, where a caller lets us write.

    Parameters
    ----------
    out : ndarray
        What is to be written to; contiguous.
    others : iterable of ndarray
        What else there is in the call, contiguous as well; None for what there is not.
    name : str
        What to call `out` in an error.

    Raises
    ------
    ValueError
        If `out` and another have a byte in common.
    """
    if any(other is not None and np.may_share_memory(out, other) for other in others):
        raise ValueError(f"{name} shares memory with what is read, or with another array that is written to")


def max_length_bits(offsets: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> int:
    """Check that values can be encoded, whatever has happened to their arrays since they were made a column.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1], read-only.
    data : ndarray
        uint8, the bytes that `offsets` point into.

    Returns
    -------
    int
        Bits that the length of the longest value takes, 0 to 31.

    Raises
    ------
    InvalidColumnError
        If an offset lies outside of `data` or before the one before it, or a value has 2**31 bytes or more.
    """
    bits: int = scan_offsets(offsets, data.size)
    if 0 <= bits <= MAX_VALUE_LENGTH:
        return int(bits).bit_length()
    wrong = (offsets[1:] < offsets[:-1]) | (np.diff(offsets) > MAX_VALUE_LENGTH)
    if not wrong.any():
        raise InvalidColumnError(f"offsets {offsets[0]} to {offsets[-1]} leave the data of {data.size} bytes")
    index = int(np.argmax(wrong))
    length = int(offsets[index + 1]) - int(offsets[index])
    raise InvalidColumnError(f"value {index} has {length} bytes; a Parquet value has 0 to 2**31 - 1", index=index)
