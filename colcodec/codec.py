"""From any values to a page, and back: `column`, `encode`, `decode`, and their sizes."""

from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ._arrays import empty
from ._checks import as_size, as_type_length, check_apart, check_out, read_only
from ._kernels.byte_array import find_other_length
from ._kernels.dictionary import spread_indices
from ._spec import DEFAULT_MAX_DATA_SIZE, DEFAULT_MAX_DICTIONARY_SIZE, Encoding
from .convert.arrow import from_arrow
from .convert.fixed_width import from_slots
from .convert.indices import from_indices
from .convert.numpy import from_numpy
from .convert.objects import from_list
from .convert.pandas import from_pandas, is_pandas
from .convert.polars import refuse_objects
from .dictionary_column import DictionaryColumn
from .encodings import Bytes, Offsets, Reader, delta_binary_packed, rle_dictionary
from .errors import DictionaryTooLarge, InvalidColumnError, InvalidTypeError
from .page import (
    BYTE_ARRAY_ENCODINGS,
    DICTIONARY_ENCODINGS,
    FIXED_LEN_BYTE_ARRAY_ENCODINGS,
    DType,
    EncodedPage,
    as_encoding,
    as_writable_encoding,
    decode_dictionary,
    fill,
    make_dictionary_page,
    measure,
)
from .string_column import StringColumn

Integers: TypeAlias = npt.NDArray[np.int32] | npt.NDArray[np.int64]

INTEGER_DTYPE_OF_SIZE: Final[dict[int, DType]] = {4: "int32", 8: "int64"}


def column(values: Any, /) -> StringColumn:
    """Make a string column of values in any of the forms that Python programs hold them in.

    Parameters
    ----------
    values : array_like
        A StringColumn (given back as it is); a DictionaryColumn; a NumPy array of dtype ``S``, ``U``, ``object`` or
        ``StringDType``; a list or tuple of str or of bytes; a Series or Index of pandas; anything that holds Arrow
        strings or binary, of which large_string is not copied (pyarrow, polars, DuckDB, ...). None, NaN, NaT, pandas.NA
        and the ``na_object`` of a StringDType are null.

    Returns
    -------
    StringColumn
        Text for str, ``U``, ``StringDType`` and Arrow strings; binary for bytes, ``S`` and Arrow binary.

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
    if isinstance(values, DictionaryColumn):
        return from_indices(*values)
    if isinstance(values, np.ndarray):
        return from_numpy(values)
    if isinstance(values, (list, tuple)):
        return from_list(values)
    if is_pandas(values):
        return from_pandas(values)
    refuse_objects(values)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return from_arrow(values)
    raise InvalidTypeError(
        f"cannot make a string column of {type(values).__name__}; expected a StringColumn, a NumPy array of dtype S, "
        "U, object or StringDType, a list of str or bytes, a Series, or Arrow data"
    )


def encode(
    values: Any,
    encoding: Encoding | str,
    /,
    *,
    out: Bytes | None = None,
    type_length: int | None = None,
    max_dictionary_size: int = DEFAULT_MAX_DICTIONARY_SIZE,
) -> EncodedPage:
    """Encode values as the body of a Parquet data page.

    Parameters
    ----------
    values : array_like
        Whatever `column` takes. For DELTA_BINARY_PACKED: an int32 or int64 array, or a list of integers (int64). With
        a `type_length`, NumPy arrays of dtype ``S`` and ``V`` are taken slot by slot, NULs at the end included.
    encoding : Encoding or str
        The encoding, or its name in the format: "PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
        "RLE_DICTIONARY", "BYTE_STREAM_SPLIT", or "DELTA_BINARY_PACKED" for integers.
    out : ndarray, optional
        uint8 of at least :func:`encoded_size_bound` bytes, contiguous and writeable, to write the page to. The page is
        then a view of it.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY, which PLAIN, DELTA_BYTE_ARRAY, RLE_DICTIONARY and
        BYTE_STREAM_SPLIT can encode; the last is for nothing else.
    max_dictionary_size : int, optional
        The most bytes that the dictionary page of RLE_DICTIONARY may have.

    Returns
    -------
    EncodedPage
        The page; the same bytes that Arrow C++ writes in blocks of 128 values. That of RLE_DICTIONARY holds indices
        into its `dictionary`, the PLAIN page of the distinct values in the order in which they are first seen.

    Raises
    ------
    DictionaryTooLarge
        If the dictionary page would exceed `max_dictionary_size`; early, so that there is time for another encoding.
    InvalidTypeError
        If the values are not of a type that the encoding takes.
    InvalidColumnError
        If a value cannot be encoded: no UTF-8, 2**31 bytes and more, or not of the type_length; or if the page would
        have 2**31 bytes and more, which `encode_pages` helps against.
    TypeError, ValueError
        If there is no such encoding of such values, or `out` is of another type, too small, or where the values are.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.encode(["axis", "axle", "babble", "babyhood"], "DELTA_BYTE_ARRAY")
    EncodedPage(DELTA_BYTE_ARRAY, 4 utf8 values, 61 bytes)
    """
    type_length = as_type_length(type_length)
    encoding = as_writable_encoding(encoding, type_length)
    if encoding is Encoding.DELTA_BINARY_PACKED:
        integers = as_integers(values)
        if out is not None:
            check_out(out, np.uint8, encoded_size_bound(integers, encoding), "out")
            check_apart(out, [integers], "out")
        data = delta_binary_packed.encode(integers, out)
        return EncodedPage._trusted(encoding, data, integers.size, None, INTEGER_DTYPE_OF_SIZE[integers.itemsize])
    strings = column(values) if type_length is None else fixed_length_column(values, type_length)
    present = strings._present()
    validity = strings.validity if strings.null_count else None
    dtype: DType = "utf8" if strings.utf8 else "binary"
    if out is not None:
        check_out(out, np.uint8, _encoded_bound(*present, encoding, type_length), "out")
        check_apart(out, [*present, validity], "out")
    dictionary = None
    if encoding is Encoding.RLE_DICTIONARY:
        limit = as_size(max_dictionary_size, "max_dictionary_size")
        try:
            data, distinct = rle_dictionary.encode(*present, out, max_dictionary_size=limit, type_length=type_length)
        except DictionaryTooLarge as error:
            raise strings._counting_nulls(error) from None
        dictionary = make_dictionary_page(distinct, dtype)
    elif type_length is None:
        data = BYTE_ARRAY_ENCODINGS[encoding].encode(*present, out)
    else:
        data = FIXED_LEN_BYTE_ARRAY_ENCODINGS[encoding].encode(*present, out, type_length)
    return EncodedPage._trusted(
        encoding, data, len(strings), validity, dtype, dictionary=dictionary, type_length=type_length
    )


def encoded_size_bound(values: Any, encoding: Encoding | str, /, *, type_length: int | None = None) -> int:
    """Tell how large a page of these values can be.

    Parameters
    ----------
    values : array_like
        What is to be encoded, as for `encode`.
    encoding : Encoding or str
        The encoding, or its name in the format.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.

    Returns
    -------
    int
        Bytes that `encode` needs in `out`; the page has no more, and of PLAIN exactly as many. The dictionary page of
        RLE_DICTIONARY is not in it.

    Raises
    ------
    InvalidTypeError, InvalidColumnError, TypeError, ValueError
        As `encode` does.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.encoded_size_bound(["axis", "axle"], "PLAIN")
    16
    """
    type_length = as_type_length(type_length)
    encoding = as_writable_encoding(encoding, type_length)
    if encoding is Encoding.DELTA_BINARY_PACKED:
        integers = as_integers(values)
        return delta_binary_packed.encoded_bound(integers.size, 8 * integers.itemsize)
    strings = column(values) if type_length is None else fixed_length_column(values, type_length)
    return _encoded_bound(*strings._present(), encoding, type_length)


def decode(
    page: Any,
    /,
    *,
    encoding: Encoding | str | None = None,
    num_values: int | None = None,
    validity: npt.ArrayLike | None = None,
    dtype: DType | None = None,
    dictionary: Any = None,
    type_length: int | None = None,
    copy: bool = True,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
    out: tuple[Offsets, Bytes] | Integers | None = None,
) -> StringColumn | Integers:
    r"""Decode the body of a Parquet data page.

    Parameters
    ----------
    page : EncodedPage or buffer
        A page that `encode` made, which needs no more than itself; or the values section of any data page, without
        levels, as any contiguous buffer. Bytes behind the last value are not looked at; in BYTE_STREAM_SPLIT there is
        no such place, and a page must have exactly the size of its values.
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
    dictionary : EncodedPage, StringColumn or buffer, optional
        What the indices in a buffer of RLE_DICTIONARY or PLAIN_DICTIONARY mean: the dictionary page, as an EncodedPage
        of PLAIN or its bytes; or a column, so that the pages that share a dictionary need not decode it each.
    type_length : int, optional
        Bytes of each value, if a buffer holds a FIXED_LEN_BYTE_ARRAY.
    copy : bool, optional
        Without it, DELTA_LENGTH_BYTE_ARRAY, and PLAIN with a `type_length`, give a column whose data is a view of the
        buffer. It must then not change.
    max_data_size : int, optional
        The most bytes that the decoded values may have in all. It bounds the memory that a hostile page can ask for.
    out : tuple of ndarray, optional
        Where to write instead of into new arrays: offsets, int64[num_values + 1], and data, uint8 of at least
        :func:`decoded_size` bytes; for integers one array of at least `num_values` of them. The result is a view of
        these, so it changes with them: no other thread may write to the offsets while a call uses the column.

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
        If an argument is missing, of no use here, or too small, or `out` is where the page is.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.decode(cc.encode(["axis", None, "axle"], "PLAIN")).to_pylist()
    ['axis', None, 'axle']
    >>> cc.decode(b"\x02\x00\x00\x00hi", encoding="PLAIN", num_values=1, dtype="utf8").to_pylist()
    ['hi']
    """
    page = as_page(page, encoding, num_values, validity, dtype, dictionary, type_length)
    max_data_size = as_size(max_data_size, "max_data_size")
    if page.holds_integers:
        if out is not None:
            check_out(out, np.dtype(page.dtype), page.num_values, "out")
            check_apart(cast("Integers", out), [page.data], "out")
        return delta_binary_packed.decode(
            page.data, page.num_values, page.dtype, max_data_size=max_data_size, out=cast("Integers | None", out)
        )[0]
    measured = measure(page, max_data_size)
    offsets, data = _make_room(page, measured, copy, out)
    offsets[0] = 0
    size = fill(page, measured, offsets, data)
    shown = cast("Bytes", measured.view) if data is None else data[:size]
    offsets.flags.writeable = shown.flags.writeable = False  # these views are ours, also where `out` is the caller's
    nulls = page.num_values - measured.num_values
    return StringColumn._trusted(offsets, shown, page.validity, utf8=page.dtype == "utf8", null_count=nulls)


def decoded_size(
    page: Any,
    /,
    *,
    encoding: Encoding | str | None = None,
    num_values: int | None = None,
    validity: npt.ArrayLike | None = None,
    dtype: DType | None = None,
    dictionary: Any = None,
    type_length: int | None = None,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
) -> int:
    """Tell how many bytes the values of a page have, or the integers.

    Parameters
    ----------
    page : EncodedPage or buffer
        As for `decode`, and so are the other parameters.
    encoding : Encoding or str, optional
        How a buffer is encoded.
    num_values : int, optional
        Number of values of a buffer, nulls included.
    validity : array_like, optional
        Which of these are present.
    dtype : str, optional
        What a buffer holds.
    dictionary : EncodedPage, StringColumn or buffer, optional
        What the indices in a buffer mean.
    type_length : int, optional
        Bytes of each value, if a buffer holds a FIXED_LEN_BYTE_ARRAY.
    max_data_size : int, optional
        The most bytes that the decoded values may have in all.

    Returns
    -------
    int
        Bytes of data that `decode` needs in `out`. The lengths in the page are read for it: of the delta encodings,
        about half of a decode.

    Raises
    ------
    MalformedPageError, LimitError, TypeError, ValueError
        As `decode` does.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.decoded_size(cc.encode(["axis", None, "axle"], "DELTA_BYTE_ARRAY"))
    8
    """
    page = as_page(page, encoding, num_values, validity, dtype, dictionary, type_length)
    if page.holds_integers:
        return int(page.num_values * np.dtype(page.dtype).itemsize)
    return measure(page, as_size(max_data_size, "max_data_size")).data_size


def decode_indices(
    page: Any,
    /,
    *,
    encoding: Encoding | str | None = None,
    num_values: int | None = None,
    validity: npt.ArrayLike | None = None,
    dtype: DType | None = None,
    dictionary: Any = None,
    type_length: int | None = None,
    max_data_size: int = DEFAULT_MAX_DATA_SIZE,
) -> DictionaryColumn:
    """Decode a page of RLE_DICTIONARY, but leave its values where they are, in the dictionary.

    Parameters
    ----------
    page : EncodedPage or buffer
        As for `decode`, and so are the other parameters.
    encoding : Encoding or str, optional
        How a buffer is encoded: "RLE_DICTIONARY" or "PLAIN_DICTIONARY".
    num_values : int, optional
        Number of values of a buffer, nulls included.
    validity : array_like, optional
        Which of these are present.
    dtype : str, optional
        What the dictionary holds.
    dictionary : EncodedPage, StringColumn or buffer, optional
        What the indices in a buffer mean.
    type_length : int, optional
        Bytes of each value, if the dictionary holds a FIXED_LEN_BYTE_ARRAY.
    max_data_size : int, optional
        The most bytes that the indices may take, where a page claims more of them than are likely in its size.

    Returns
    -------
    DictionaryColumn
        The indices and the dictionary: ``to_arrow()`` makes a dictionary array of them, ``to_pandas()`` a categorical.

    Raises
    ------
    MalformedPageError, LimitError, TypeError, ValueError
        As `decode` does, and for a page in another encoding.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.decode_indices(cc.encode(["on", "off", None, "on"], "RLE_DICTIONARY")).indices
    array([ 0,  1, -1,  0], dtype=int32)
    """
    page = as_page(page, encoding, num_values, validity, dtype, dictionary, type_length)
    if page.encoding not in DICTIONARY_ENCODINGS:
        raise ValueError(f"a page of {page.encoding.name} has no indices")
    limit = as_size(max_data_size, "max_data_size")
    values = decode_dictionary(page)
    dense, _ = rle_dictionary.read_indices(page.data, page.num_valid, len(values), limit)
    indices = dense.view(np.int32)
    if dense.size < page.num_values:
        indices = empty(page.num_values, np.int32)
        spread_indices(read_only(dense), page.validity, indices)
    return DictionaryColumn(read_only(indices), values)


def as_page(
    page: Any,
    encoding: Encoding | str | None,
    num_values: int | None,
    validity: npt.ArrayLike | None,
    dtype: DType | None,
    dictionary: Any,
    type_length: int | None,
) -> EncodedPage:
    """Make a page of a buffer and what has to be known beside it; see `decode`.

    Parameters
    ----------
    page : EncodedPage or buffer
        A page, or the values section of one.
    encoding : Encoding or str or None
        How a buffer is encoded.
    num_values : int or None
        Number of values of a buffer, nulls included.
    validity : array_like or None
        Which of these are present.
    dtype : str or None
        What a buffer holds.
    dictionary : EncodedPage, StringColumn, buffer or None
        What the indices in a buffer mean.
    type_length : int or None
        Bytes of each value, if a buffer holds a FIXED_LEN_BYTE_ARRAY.

    Returns
    -------
    EncodedPage
        The page.

    Raises
    ------
    TypeError, ValueError
        If something is missing, or told twice.
    """
    if isinstance(page, EncodedPage):
        if not encoding is num_values is validity is dtype is dictionary is type_length is None:
            raise TypeError(
                "an EncodedPage knows its encoding, num_values, validity, dtype, dictionary and type_length; "
                "do not give them again"
            )
        return page
    if encoding is None or num_values is None:
        raise TypeError("a buffer needs encoding= and num_values= to be decoded")
    if dtype is None and as_encoding(encoding) is Encoding.DELTA_BINARY_PACKED:
        raise ValueError("a buffer of DELTA_BINARY_PACKED needs dtype='int32' or dtype='int64' to be decoded")
    return EncodedPage(
        as_encoding(encoding),
        page,
        num_values,
        cast("Bytes | None", validity),
        dictionary,
        "binary" if dtype is None else dtype,
        type_length,
    )


def fixed_length_column(values: Any, type_length: int) -> StringColumn:
    """Make a column of values that all have the same length.

    Parameters
    ----------
    values : array_like
        Whatever `column` takes; NumPy arrays of dtype ``S`` and ``V`` are taken slot by slot, NULs at the end included.
    type_length : int
        Bytes of each value.

    Returns
    -------
    StringColumn
        The column.

    Raises
    ------
    InvalidColumnError
        If a value has another length.
    InvalidTypeError
        As `column` does.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "SV":
        return from_slots(values, type_length)
    strings = column(values)
    offsets, _ = strings._present()
    other = find_other_length(offsets, type_length)
    if other >= 0:
        index = strings._place(other)
        length = offsets[other + 1] - offsets[other]
        raise InvalidColumnError(f"value {index} has {length} bytes; expected type_length={type_length}", index=index)
    return strings


def _encoded_bound(offsets: Offsets, data: Bytes, encoding: Encoding, type_length: int | None) -> int:
    if encoding is Encoding.RLE_DICTIONARY:
        return rle_dictionary.encoded_bound(offsets.size - 1)
    if type_length is None:
        return BYTE_ARRAY_ENCODINGS[encoding].encoded_bound(offsets, data)
    return FIXED_LEN_BYTE_ARRAY_ENCODINGS[encoding].encoded_bound(offsets, data, type_length)


def _make_room(page: EncodedPage, measured: Reader, copy: bool, out: Any) -> tuple[Offsets, Bytes | None]:
    if out is None:
        offsets = empty(page.num_values + 1, np.int64)
        return offsets, None if measured.view is not None and not copy else empty(measured.data_size, np.uint8)
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(f"out must be a tuple of offsets and data, got {type(out).__name__}")
    offsets, data = out
    check_out(offsets, np.int64, page.num_values + 1, "out[0]")
    check_out(data, np.uint8, measured.data_size, "out[1]")
    read = _memory_of(page)
    check_apart(offsets, [data, *read], "out[0]")
    check_apart(data, read, "out[1]")
    return offsets[: page.num_values + 1], data[: measured.data_size]


def _memory_of(page: EncodedPage) -> list[npt.NDArray[Any] | None]:
    """List the arrays that are read when a page is decoded."""
    arrays: list[npt.NDArray[Any] | None] = [page.data, page.validity]
    if isinstance(page.dictionary, StringColumn):
        arrays += [page.dictionary.offsets, page.dictionary.data]
    elif page.dictionary is not None:
        arrays.append(page.dictionary.data)
    return arrays


def as_integers(values: Any) -> Integers:
    """Make an array of integers that can be encoded.

    Parameters
    ----------
    values : array_like
        An int32 or int64 array, or a list of integers (int64).

    Returns
    -------
    ndarray
        int32[n] or int64[n], contiguous and of this machine's byte order.

    Raises
    ------
    InvalidTypeError
        If `values` is something else.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise InvalidTypeError("DELTA_BINARY_PACKED takes integers without nulls, got a masked array")
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        array = np.asarray(values, object)
    if isinstance(values, (list, tuple)) and not values:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind != "i" or array.itemsize not in INTEGER_DTYPE_OF_SIZE:
        given = f"{type(values).__name__} of dtype {array.dtype}, {array.ndim}-dimensional"
        raise InvalidTypeError(f"DELTA_BINARY_PACKED takes one-dimensional int32 or int64 integers, got {given}")
    if array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative:
        return array
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))
