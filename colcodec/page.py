"""EncodedPage: the values of a Parquet data page, with what a reader must know beside them."""

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from ._checks import as_bitmap, as_bytes, as_count, as_type_length, check_page_size, read_only
from ._kernels.byte_array import find_other_length
from ._kernels.validity import count_valid, spread_offsets
from ._spec import MAX_INT32, Encoding
from .dictionary import Dictionary
from .encodings import (
    ByteArrayEncoding,
    Bytes,
    FixedLenByteArrayEncoding,
    Offsets,
    Reader,
    byte_stream_split,
    delta_byte_array,
    delta_length_byte_array,
    plain,
    rle_dictionary,
)
from .string_column import StringColumn

DType: TypeAlias = Literal["utf8", "binary", "int32", "int64"]

BYTE_ARRAY_ENCODINGS: Final[dict[Encoding, ByteArrayEncoding]] = {
    Encoding.PLAIN: plain,
    Encoding.DELTA_LENGTH_BYTE_ARRAY: delta_length_byte_array,
    Encoding.DELTA_BYTE_ARRAY: delta_byte_array,
}
"""The encodings of strings in one page, each with the module that knows it."""

FIXED_LEN_BYTE_ARRAY_ENCODINGS: Final[dict[Encoding, FixedLenByteArrayEncoding]] = {
    Encoding.PLAIN: plain,
    Encoding.DELTA_BYTE_ARRAY: delta_byte_array,
    Encoding.BYTE_STREAM_SPLIT: byte_stream_split,
}
"""Those of values that all have the same length, which the page then need not hold."""

DICTIONARY_ENCODINGS: Final = (Encoding.RLE_DICTIONARY, Encoding.PLAIN_DICTIONARY)
"""Those whose values stand once, in a page of their own."""

BYTE_ARRAY_DTYPES: Final = ("utf8", "binary")
INTEGER_DTYPES: Final = ("int32", "int64")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EncodedPage:
    """The values of a Parquet data page, and what a reader must know beside them.

    Parameters
    ----------
    encoding : Encoding or str
        How the values are encoded, or the encoding's name in the format.
    data : ndarray
        uint8, read-only: exactly the values section of a data page, without levels. Nulls are not in it. Any buffer of
        bytes is viewed.
    num_values : int
        Number of values, nulls included.
    validity : ndarray, optional
        uint8[(num_values + 7) // 8], least significant bit first, bit set where a value is present; None where all are.
        bool[num_values] is packed.
    dictionary : EncodedPage, StringColumn or buffer, optional
        For RLE_DICTIONARY, the values that the page's indices mean, without nulls: a dictionary page, which is PLAIN,
        or its bytes; or a column, which saves decoding a dictionary again for each of its pages.
    dtype : str, optional
        What the values are: "utf8" or "binary" (the default: a Parquet BYTE_ARRAY is bytes); for DELTA_BINARY_PACKED,
        "int32" or "int64".
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY; None for a BYTE_ARRAY.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of that kind.
    """

    encoding: Encoding
    data: Bytes
    num_values: int
    validity: Bytes | None = None
    dictionary: "EncodedPage | StringColumn | None" = None
    dtype: DType = "binary"
    type_length: int | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "encoding", as_encoding(self.encoding))
        put(self, "data", as_bytes(self.data, "data"))
        put(self, "num_values", as_count(self.num_values, "num_values"))
        if self.validity is not None:
            put(self, "validity", as_bitmap(self.validity, self.num_values))
        if self.holds_integers and self.validity is not None:
            raise TypeError("integers have no validity; leave nulls out of num_values")
        check_dtype(self.dtype, self.encoding)
        put(self, "type_length", as_type_length(self.type_length))
        check_encoding(self.encoding, self.type_length)
        if self.dictionary is not None:
            put(self, "dictionary", _as_dictionary(self.dictionary, self))

    @classmethod
    def _trusted(
        cls,
        encoding: Encoding,
        data: Bytes,
        num_values: int,
        validity: Bytes | None,
        dtype: DType,
        *,
        dictionary: "EncodedPage | None" = None,
        type_length: int | None = None,
    ) -> "EncodedPage":
        """Make a page of canonical arguments that the caller knows to be right; only the size is checked."""
        check_page_size(data.size)
        page = object.__new__(cls)
        put = object.__setattr__
        put(page, "encoding", encoding)
        put(page, "data", read_only(data))
        put(page, "num_values", num_values)
        put(page, "validity", validity)
        put(page, "dictionary", dictionary)
        put(page, "dtype", dtype)
        put(page, "type_length", type_length)
        return page

    @property
    def holds_integers(self) -> bool:
        """Whether the values are integers."""
        return self.encoding is Encoding.DELTA_BINARY_PACKED

    @property
    def num_valid(self) -> int:
        """Number of values that are present."""
        return self.num_values if self.validity is None else int(count_valid(self.validity, self.num_values))

    @property
    def nbytes(self) -> int:
        """Bytes of `data`."""
        return int(self.data.size)

    def __repr__(self) -> str:
        nulls = ", with nulls" if self.validity is not None else ""
        fixed = "" if self.type_length is None else f" of {self.type_length} bytes"
        distinct = f", {_counted(self.dictionary)} distinct" if self.dictionary is not None else ""
        values = f"{self.num_values} {self.dtype} values{fixed}{nulls}{distinct}"
        return f"EncodedPage({self.encoding.name}, {values}, {self.data.size} bytes)"


def _counted(dictionary: EncodedPage | StringColumn) -> int:
    return dictionary.num_values if isinstance(dictionary, EncodedPage) else len(dictionary)


def _as_dictionary(dictionary: Any, page: EncodedPage) -> EncodedPage | StringColumn:
    """Check the dictionary of a page, or make a page of the bytes of one."""
    if page.encoding not in DICTIONARY_ENCODINGS:
        raise TypeError(f"a page of {page.encoding.name} has no dictionary")
    length = page.type_length
    if not isinstance(dictionary, (StringColumn, EncodedPage)):
        data = as_bytes(dictionary, "dictionary")
        count = plain.count_values(data, length)
        return EncodedPage(Encoding.PLAIN, data, count, dtype=page.dtype, type_length=length)
    if isinstance(dictionary, StringColumn):
        nulls = dictionary.null_count
        if length is not None and (other := find_other_length(dictionary.offsets, length)) >= 0:
            raise ValueError(f"a dictionary of type_length={length} has value {other} of another length")
    else:
        nulls = dictionary.num_values - dictionary.num_valid
        if dictionary.encoding is Encoding.PLAIN_DICTIONARY:  # what old writers call the PLAIN of a dictionary page
            return _as_dictionary(replace(dictionary, encoding=Encoding.PLAIN), page)
        if (dictionary.encoding, dictionary.type_length) != (Encoding.PLAIN, length):
            raise ValueError(f"a dictionary is a PLAIN page of type_length={length}, got {dictionary!r}")
    if nulls:
        raise ValueError(f"a dictionary has no nulls, got one with {nulls}")
    return dictionary


def as_encoding(encoding: Any) -> Encoding:
    """Find an encoding by its name.

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
    TypeError
        If it is neither.
    ValueError
        If there is no encoding of that name.
    """
    if isinstance(encoding, Encoding):
        return encoding
    names = Encoding.__members__
    if not isinstance(encoding, str):
        given = type(encoding).__name__
        raise TypeError(f"encoding must be an Encoding or its name ({', '.join(names)}), got {given}")
    if encoding not in names:
        raise ValueError(f"unknown encoding {encoding!r}; expected one of {', '.join(names)}")
    return names[encoding]


def as_writable_encoding(encoding: Any, type_length: int | None = None) -> Encoding:
    """Find an encoding by its name, to encode values in it.

    Parameters
    ----------
    encoding : Encoding or str
        The encoding, or its name in the format.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.

    Returns
    -------
    Encoding
        The encoding.

    Raises
    ------
    TypeError
        If it is neither.
    ValueError
        If there is no encoding of that name, or it is not for such values or not written any more.
    """
    known = as_encoding(encoding)
    if type_length is None and known in BYTE_ARRAY_ENCODINGS:  # the most usual, without the tests that follow
        return known
    if known is Encoding.PLAIN_DICTIONARY:
        raise ValueError("PLAIN_DICTIONARY is an old name that is only read; write RLE_DICTIONARY, the same bytes")
    check_encoding(known, type_length)
    return known


def check_dtype(dtype: Any, encoding: Encoding) -> None:
    """Check what values are said to be.

    Parameters
    ----------
    dtype : str
        What the caller gave.
    encoding : Encoding
        How the values are encoded.

    Raises
    ------
    ValueError
        If such values are not what the encoding is for.
    """
    expected = INTEGER_DTYPES if encoding is Encoding.DELTA_BINARY_PACKED else BYTE_ARRAY_DTYPES
    if dtype not in expected:
        raise ValueError(f"{encoding.name} needs dtype={expected[0]!r} or dtype={expected[1]!r}, got {dtype!r}")


def check_encoding(encoding: Encoding, type_length: int | None) -> None:
    """Check that values can be encoded so.

    Parameters
    ----------
    encoding : Encoding
        The encoding.
    type_length : int or None
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.

    Raises
    ------
    ValueError
        If the format does not have that encoding for such values.
    """
    if encoding is Encoding.RLE:
        raise ValueError("RLE holds levels, which encode_levels and decode_levels deal with")
    if encoding in DICTIONARY_ENCODINGS:
        return
    if type_length is not None and encoding not in FIXED_LEN_BYTE_ARRAY_ENCODINGS:
        names = ", ".join(kind.name for kind in (*FIXED_LEN_BYTE_ARRAY_ENCODINGS, Encoding.RLE_DICTIONARY))
        raise ValueError(f"{encoding.name} is not for values of a type_length; expected one of {names}")
    if type_length is None and encoding is Encoding.BYTE_STREAM_SPLIT:
        raise ValueError("BYTE_STREAM_SPLIT is for values of one length, and needs type_length=")


def make_dictionary_page(dictionary: Dictionary, dtype: DType) -> EncodedPage:
    """Write the page that goes before pages of indices.

    Parameters
    ----------
    dictionary : Dictionary
        The distinct values.
    dtype : str
        What they are: "utf8" or "binary".

    Returns
    -------
    EncodedPage
        The dictionary page, PLAIN.
    """
    data = plain.encode(*dictionary.values, None, dictionary.type_length)
    length = dictionary.type_length
    return EncodedPage._trusted(Encoding.PLAIN, data, len(dictionary), None, dtype, type_length=length)


def decode_dictionary(page: EncodedPage) -> StringColumn:
    """Decode the dictionary of a page.

    Parameters
    ----------
    page : EncodedPage
        A page of indices.

    Returns
    -------
    StringColumn
        The dictionary, text or bytes as the page is; empty where there is none and the page has no values.

    Raises
    ------
    MalformedPageError
        If the dictionary is no PLAIN page.
    TypeError
        If the page has values and no dictionary.
    """
    dictionary = _dictionary_of(page)
    utf8 = page.dtype == "utf8"
    if isinstance(dictionary, StringColumn):
        if dictionary.utf8 is utf8:
            return dictionary
        return StringColumn._trusted(dictionary.offsets, dictionary.data, utf8=utf8)
    offsets, data, _ = measure(dictionary, MAX_INT32).decode()
    return StringColumn._trusted(offsets, data, utf8=utf8)


def _dictionary_of(page: EncodedPage) -> EncodedPage | StringColumn:
    if page.dictionary is None and page.num_valid:
        raise TypeError(f"a page of {page.encoding.name} needs dictionary= to be decoded")
    return StringColumn([0], b"", utf8=page.dtype == "utf8") if page.dictionary is None else page.dictionary


def known_values(page: EncodedPage) -> rle_dictionary.Known:
    """Find the values that the indices of a page mean.

    Parameters
    ----------
    page : EncodedPage
        A page of indices.

    Returns
    -------
    Known
        The values of its dictionary, for all pages that share it.

    Raises
    ------
    MalformedPageError
        If the dictionary is no PLAIN page.
    TypeError
        If the page has values and no dictionary.
    """
    dictionary = _dictionary_of(page)
    if isinstance(dictionary, StringColumn):
        return rle_dictionary.known_of_column(dictionary)
    return rle_dictionary.known_of_page(dictionary.data, dictionary.num_values, dictionary.type_length)


def measure(page: EncodedPage, max_data_size: int, known: rle_dictionary.Known | None = None) -> Reader:
    """Check a page of byte arrays, and find how large its values are.

    Parameters
    ----------
    page : EncodedPage
        A page that holds no integers.
    max_data_size : int
        The most bytes that all values together may have.
    known : Known, optional
        What :func:`known_values` made of the dictionary, where several pages share it.

    Returns
    -------
    Reader
        The values that are present.

    Raises
    ------
    MalformedPageError
        If the bytes are no such page.
    LimitError
        If the values have more than `max_data_size` bytes.
    """
    limit = max_data_size
    if page.encoding in DICTIONARY_ENCODINGS:
        known = known_values(page) if known is None else known
        return rle_dictionary.measure(page.data, page.num_valid, known, max_data_size=limit)
    if page.type_length is None:
        return BYTE_ARRAY_ENCODINGS[page.encoding].measure(page.data, page.num_valid, max_data_size=limit)
    module = FIXED_LEN_BYTE_ARRAY_ENCODINGS[page.encoding]
    return module.measure(page.data, page.num_valid, max_data_size=limit, type_length=page.type_length)


def fill(page: EncodedPage, measured: Reader, offsets: Offsets, data: Bytes | None) -> int:
    """Write the values of a page, and empty values in place of its nulls.

    Parameters
    ----------
    page : EncodedPage
        The page.
    measured : Reader
        What :func:`measure` made of it.
    offsets : ndarray
        int64[page.num_values + 1], to write to; the first is 0 and left alone.
    data : ndarray or None
        uint8[measured.data_size], to write to; None where the view of the page is what is wanted.

    Returns
    -------
    int
        Bytes of all values together.

    Raises
    ------
    MalformedPageError
        If a value of a PLAIN page is found to be broken.
    LimitError
        If the values of a PLAIN page are found to be too large.
    """
    if measured.num_values == page.num_values:
        measured.fill(offsets, data)
    else:
        dense = np.empty(measured.num_values + 1, np.int64)
        dense[0] = 0
        measured.fill(dense, data)
        spread_offsets(read_only(dense), page.validity, offsets)
    return int(offsets[-1]) if page.num_values else 0
