"""From any values to a page, and back: `column`, `encode`, `decode`, and `warmup` for those who measure."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from ._checks import as_bitmap, as_bytes, as_count, as_size, read_only
from ._kernels.validity import count_valid, spread_offsets
from ._spec import DEFAULT_MAX_DATA_SIZE, Encoding
from .convert.numpy import from_list, from_numpy
from .encodings import delta_binary_packed, delta_byte_array, delta_length_byte_array, plain
from .errors import InvalidTypeError
from .string_column import StringColumn

DType: TypeAlias = Literal["utf8", "binary", "int32", "int64"]
Integers: TypeAlias = npt.NDArray[np.int32] | npt.NDArray[np.int64]

BYTE_ARRAY_ENCODINGS: Final = {
    Encoding.PLAIN: plain,
    Encoding.DELTA_LENGTH_BYTE_ARRAY: delta_length_byte_array,
    Encoding.DELTA_BYTE_ARRAY: delta_byte_array,
}
"""The encodings of strings, each with the module that knows it."""

BYTE_ARRAY_DTYPES: Final = ("utf8", "binary")
INTEGER_DTYPES: Final = ("int32", "int64")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EncodedPage:
    """The values of a Parquet data page, and what a reader must know beside them.

    Parameters
    ----------
    encoding : Encoding
        How the values are encoded.
    data : ndarray
        uint8, read-only: exactly the values section of a data page, without levels. Nulls are not in it.
    num_values : int
        Number of values, nulls included.
    validity : ndarray, optional
        uint8[(num_values + 7) // 8], least significant bit first, bit set where a value is present; None where all are.
    dictionary : ndarray, optional
        uint8, the PLAIN values of the dictionary page, for dictionary encodings.
    dtype : str
        What was encoded: "utf8", "binary", "int32" or "int64".
    """

    encoding: Encoding
    data: npt.NDArray[np.uint8]
    num_values: int
    validity: npt.NDArray[np.uint8] | None = None
    dictionary: npt.NDArray[np.uint8] | None = None
    dtype: DType = "binary"

    @property
    def nbytes(self) -> int:
        """Bytes of `data`."""
        return int(self.data.size)

    def __repr__(self) -> str:
        nulls = ", with nulls" if self.validity is not None else ""
        return (
            f"EncodedPage({self.encoding.name}, {self.num_values} {self.dtype} values{nulls}, {self.data.size} bytes)"
        )


def column(values: Any, /) -> StringColumn:
    """Make a string column of values in any of the forms that Python programs hold them in.

    Parameters
    ----------
    values : array_like
        A StringColumn (given back as it is); a NumPy array of dtype ``S``, ``U``, ``object`` or ``StringDType``; a list
        or tuple of str or of bytes. None, NaN, NaT, pandas.NA and the ``na_object`` of a StringDType are null.

    Returns
    -------
    StringColumn
        Text for str, ``U`` and ``StringDType``; binary for bytes and ``S``.

    Raises
    ------
    InvalidTypeError
        If a value is neither text, nor bytes, nor null, if text and bytes are mixed, or for another kind of `values`.
    InvalidColumnError
        If text cannot be written as UTF-8 (a lone surrogate).

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.column(["axis", None, "axle"])
    StringColumn(utf8, 3 values, 1 null: ['axis', None, 'axle'])
    """
    if isinstance(values, StringColumn):
        return values
    if isinstance(values, np.ndarray):
        return from_numpy(values)
    if isinstance(values, (list, tuple)):
        return from_list(values)
    raise InvalidTypeError(
        f"cannot make a string column of {type(values).__name__}; expected a StringColumn, a NumPy array of dtype S, "
        "U, object or StringDType, or a list of str or bytes"
    )


def encode(values: Any, encoding: Encoding | str, /) -> EncodedPage:
    """Encode values as the body of a Parquet data page.

    Parameters
    ----------
    values : array_like
        Whatever `column` takes. For DELTA_BINARY_PACKED: an int32 or int64 array, or a list of integers (int64).
    encoding : Encoding or str
        The encoding, or its name in the format: "PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", or
        "DELTA_BINARY_PACKED" for integers.

    Returns
    -------
    EncodedPage
        The page; the same bytes that Arrow C++ writes in blocks of 128 values.

    Raises
    ------
    InvalidTypeError
        If the values are not of a type that the encoding takes.
    InvalidColumnError
        If a value cannot be encoded: no UTF-8, or 2**31 bytes and more.
    ValueError
        If there is no such encoding.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.encode(["axis", "axle", "babble", "babyhood"], "DELTA_BYTE_ARRAY")
    EncodedPage(DELTA_BYTE_ARRAY, 4 utf8 values, 61 bytes)
    """
    encoding = _as_encoding(encoding)
    if encoding is Encoding.DELTA_BINARY_PACKED:
        integers = _as_integers(values)
        data = delta_binary_packed.encode(integers)
        return EncodedPage(encoding, read_only(data), integers.size, dtype=integers.dtype.name)  # type: ignore[arg-type]
    strings = column(values)
    data = BYTE_ARRAY_ENCODINGS[encoding].encode(*strings._present())
    validity = strings.validity if strings.null_count else None
    return EncodedPage(encoding, read_only(data), len(strings), validity, dtype="utf8" if strings.utf8 else "binary")


@overload
def decode(
    page: EncodedPage, /, *, copy: bool = True, max_data_size: int = DEFAULT_MAX_DATA_SIZE
) -> StringColumn | Integers: ...


@overload
def decode(
    buf: Any,
    /,
    *,
    encoding: Encoding | str,
    num_values: int,
    validity: npt.ArrayLike | None = None,
    dtype: DType | None = None,
    copy: bool = True,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
) -> StringColumn | Integers: ...


def decode(
    page: Any,
    /,
    *,
    encoding: Encoding | str | None = None,
    num_values: int | None = None,
    validity: npt.ArrayLike | None = None,
    dtype: DType | None = None,
    copy: bool = True,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
) -> StringColumn | Integers:
    r"""Decode the body of a Parquet data page.

    Parameters
    ----------
    page : EncodedPage or buffer
        A page that `encode` made, which needs no more than itself; or the values section of any data page, without
        levels, as any contiguous buffer. Bytes behind the last value are not looked at.
    encoding : Encoding or str, optional
        How a buffer is encoded.
    num_values : int, optional
        Number of values of a buffer, nulls included.
    validity : array_like, optional
        Which of these are present: uint8[(num_values + 7) // 8], a bitmap with the least significant bit first, or
        bool[num_values]. All are, where it is not given. The buffer holds only those that are.
    dtype : str, optional
        What a buffer holds: "utf8" or "binary" (the default: a Parquet BYTE_ARRAY is bytes), and for
        DELTA_BINARY_PACKED "int32" or "int64", which must be told.
    copy : bool, optional
        Without it, DELTA_LENGTH_BYTE_ARRAY gives a column whose data is a view of the buffer. It must then not change.
    max_data_size : int, optional
        The most bytes that the decoded values may have in all. It bounds the memory that a hostile page can ask for.

    Returns
    -------
    StringColumn or ndarray
        The column; for DELTA_BINARY_PACKED the integers, int32[num_values] or int64[num_values].

    Raises
    ------
    MalformedPageError
        If the bytes are no such page; the error tells where and why.
    LimitError
        If the values have more than `max_data_size` bytes.
    TypeError, ValueError
        If an argument is missing or of no use here.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.decode(cc.encode(["axis", None, "axle"], "PLAIN")).to_pylist()
    ['axis', None, 'axle']
    >>> cc.decode(b"\x02\x00\x00\x00hi", encoding="PLAIN", num_values=1, dtype="utf8").to_pylist()
    ['hi']
    """
    if isinstance(page, EncodedPage):
        if not encoding is num_values is validity is dtype is None:
            raise TypeError("an EncodedPage knows its encoding, num_values, validity and dtype; do not give them again")
        encoding, num_values, validity, dtype = page.encoding, page.num_values, page.validity, page.dtype
        page = page.data
    if encoding is None or num_values is None:
        raise TypeError("a buffer needs encoding= and num_values= to be decoded")
    encoding = _as_encoding(encoding)
    num_values = as_count(num_values, "num_values")
    max_data_size = as_size(max_data_size, "max_data_size")
    buf = as_bytes(page, "page")
    if encoding is Encoding.DELTA_BINARY_PACKED:
        if dtype not in INTEGER_DTYPES:
            raise ValueError(f"DELTA_BINARY_PACKED needs dtype='int32' or 'int64', got {dtype!r}")
        if validity is not None:
            raise TypeError("integers are decoded without validity; give num_values without nulls")
        return delta_binary_packed.decode(buf, num_values, dtype, max_data_size=max_data_size)[0]
    if dtype not in (None, *BYTE_ARRAY_DTYPES):
        raise ValueError(f"{encoding.name} needs dtype='utf8' or 'binary', got {dtype!r}")
    bitmap = None if validity is None else as_bitmap(validity, num_values)
    num_valid = num_values if bitmap is None else int(count_valid(bitmap, num_values))
    offsets, data, _ = BYTE_ARRAY_ENCODINGS[encoding].decode(buf, num_valid, max_data_size=max_data_size, copy=copy)
    if bitmap is not None and num_valid < num_values:
        dense, offsets = offsets, np.empty(num_values + 1, np.int64)
        spread_offsets(dense, bitmap, offsets)
    return StringColumn._trusted(offsets, data, bitmap, utf8=dtype == "utf8", null_count=num_values - num_valid)


def warmup(progress: Callable[[int, int, str], None] | None = None) -> float:
    """Compile every kernel, or load it from the cache on disk, so that no later call has to.

    Parameters
    ----------
    progress : callable, optional
        Called as ``progress(done, total, what)`` before each step, and once at the end with ``done == total``.

    Returns
    -------
    float
        Seconds that it took: some tens the first time on a machine, less than one after that.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.warmup() < 300
    True
    """
    started = time.perf_counter()
    strings = column(["warm", None, "up", "upper"])
    samples: list[tuple[Any, Encoding]] = [(strings, encoding) for encoding in BYTE_ARRAY_ENCODINGS]
    samples += [(np.arange(3, dtype=dtype), Encoding.DELTA_BINARY_PACKED) for dtype in INTEGER_DTYPES]
    for done, (values, encoding) in enumerate(samples):
        if progress is not None:
            progress(done, len(samples), encoding.name)
        decode(encode(values, encoding))
    if progress is not None:
        progress(len(samples), len(samples), "done")
    return time.perf_counter() - started


def _as_encoding(encoding: Any) -> Encoding:
    if isinstance(encoding, Encoding):
        return encoding
    names = Encoding.__members__
    if not isinstance(encoding, str):
        given = type(encoding).__name__
        raise TypeError(f"encoding must be an Encoding or its name ({', '.join(names)}), got {given}")
    if encoding not in names:
        raise ValueError(f"unknown encoding {encoding!r}; expected one of {', '.join(names)}")
    return names[encoding]


def _as_integers(values: Any) -> Integers:
    array = np.asarray(values)
    if isinstance(values, (list, tuple)) and not values:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.name not in INTEGER_DTYPES:
        given = f"{type(values).__name__} of dtype {array.dtype}, {array.ndim}-dimensional"
        raise InvalidTypeError(f"DELTA_BINARY_PACKED takes one-dimensional int32 or int64 integers, got {given}")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))
