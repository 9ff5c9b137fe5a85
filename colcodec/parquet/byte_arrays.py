"""Data pages of byte arrays, ready to be decoded: their levels, and their values as encoded pages."""

from functools import partial
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .._checks import raise_for_status, read_only
from .._spec import Encoding, Status
from ..encodings import Bytes
from ..errors import InvalidTypeError, MalformedFileError, located
from ..levels import decode_levels, decode_validity
from ..page import DICTIONARY_ENCODINGS, DType, EncodedPage, check_encoding
from .pages import Chunk, DataPage, Page, read_data_page, read_dictionary
from .schema import Leaf
from .structs import PhysicalType

Levels = npt.NDArray[np.int16]

BYTES_BESIDE_VALUE = 16
"""Bytes that a page can have for each value beside that itself: its lengths, its levels, its share of headers."""

OFFSET_SIZE: Final = 8

FREE_VALUES: Final = 1 << 24
"""Values that there may always be, however few bytes are allowed: nulls take none, but have an offset each."""


class ReadPage(NamedTuple):
    """A data page, ready to be decoded, with its levels.

    Parameters
    ----------
    encoded : EncodedPage
        Its values; those of a repeated column without nulls.
    def_levels, rep_levels : ndarray or None
        int16[num_values], of a repeated column.
    """

    encoded: EncodedPage
    def_levels: Levels | None
    rep_levels: Levels | None


def as_byte_array_leaf(leaf: Leaf) -> Leaf:
    """Check that a column is one of byte arrays.

    Parameters
    ----------
    leaf : Leaf
        The column.

    Returns
    -------
    Leaf
        The same.

    Raises
    ------
    InvalidTypeError
        If it is not.
    MalformedFileError
        If it is a FIXED_LEN_BYTE_ARRAY of no length.
    """
    if leaf.type not in (PhysicalType.BYTE_ARRAY, PhysicalType.FIXED_LEN_BYTE_ARRAY):
        found = f"column {leaf.name!r} is of {leaf.physical_type}"
        raise InvalidTypeError(f"{found}; expected BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY")
    if leaf.type == PhysicalType.FIXED_LEN_BYTE_ARRAY and (leaf.type_length or 0) <= 0:
        raise MalformedFileError(f"column {leaf.name!r}: a FIXED_LEN_BYTE_ARRAY of length {leaf.type_length}")
    return leaf


def check_number_of_values(num_values: int, max_data_size: int) -> None:
    """Check that the offsets of values do not become too large, nulls included.

    Parameters
    ----------
    num_values : int
        How many there are.
    max_data_size : int
        The most bytes that their offsets may have, but for a number of values that is always allowed.

    Raises
    ------
    LimitError
        If they have more.
    """
    if num_values > max(max_data_size // OFFSET_SIZE, FREE_VALUES):
        found = f"the offsets of {num_values} values"
        raise_for_status(Encoding.PLAIN, Status.LIMIT, 0, found=found, limit=max_data_size)


def check_decompressed_size(size: int, num_values: int, num_pages: int, max_data_size: int) -> None:
    """Check that pages do not become too large, before they are decompressed.

    Parameters
    ----------
    size : int
        Bytes of them all, by their headers.
    num_values : int
        How many values they have, nulls included.
    num_pages : int
        How many they are.
    max_data_size : int
        The most bytes that they may have, beside what they need for levels and lengths.

    Raises
    ------
    LimitError
        If they have more.
    """
    if size > max_data_size + BYTES_BESIDE_VALUE * (num_values + num_pages):
        raise_for_status(Encoding.PLAIN, Status.LIMIT, 0, found=f"{size} bytes decompressed", limit=max_data_size)


def read_dictionary_page(page: Page, chunk: Chunk, leaf: Leaf) -> EncodedPage:
    """Decompress a dictionary page of byte arrays.

    Parameters
    ----------
    page : Page
        The page.
    chunk : Chunk
        What it is in.
    leaf : Leaf
        The column.

    Returns
    -------
    EncodedPage
        The dictionary, in PLAIN.

    Raises
    ------
    MalformedFileError
        If it is no dictionary page.
    """
    return _dictionary(*read_dictionary(page, chunk), leaf)


def _dictionary(data: Bytes, num_values: int, leaf: Leaf) -> EncodedPage:
    length = leaf.type_length
    return EncodedPage._trusted(Encoding.PLAIN, data, num_values, None, _dtype(leaf), type_length=length)


def _dtype(leaf: Leaf) -> DType:
    return "utf8" if leaf.is_text else "binary"


def read_page(
    page: Page,
    chunk: Chunk,
    leaf: Leaf,
    dictionary: EncodedPage | None,
    max_data_size: int,
    out: Bytes | None = None,
) -> ReadPage:
    """Decompress a data page of byte arrays, and decode its levels.

    Parameters
    ----------
    page : Page
        The page.
    chunk : Chunk
        What it is in.
    leaf : Leaf
        The column.
    dictionary : EncodedPage or None
        The dictionary of the chunk, if it has one.
    max_data_size : int
        The most bytes that the decoded levels may have.
    out : ndarray, optional
        uint8 of at least header.uncompressed_page_size bytes, to decompress to in place of a new array.

    Returns
    -------
    ReadPage
        The page.

    Raises
    ------
    MalformedFileError, MalformedPageError, LimitError
        As :func:`read_column` does.
    """
    data_page = read_data_page(page, chunk, leaf, out)
    with located(f"page at byte {page.start}"):
        levels = read_levels(data_page, leaf, max_data_size)
        count = data_page.num_values if levels.def_levels is None else data_page.num_values - levels.null_count
        encoded = as_encoded(data_page, count, levels.validity, leaf, dictionary)
    return ReadPage(encoded, levels.def_levels, levels.rep_levels)


class PageLevels(NamedTuple):
    """The levels of a page: a bitmap of a column that is not repeated, else the levels themselves.

    Parameters
    ----------
    null_count : int
        How many values are not there, whatever part of the path is missing.
    validity : ndarray or None
        uint8[(num_values + 7) // 8] of a column that is not repeated; None where all values are there.
    def_levels, rep_levels : ndarray or None
        int16[num_values], of a repeated column.
    """

    null_count: int
    validity: Bytes | None = None
    def_levels: Levels | None = None
    rep_levels: Levels | None = None


def read_levels(page: DataPage, leaf: Leaf, max_data_size: int) -> PageLevels:
    """Decode the levels of a data page.

    Parameters
    ----------
    page : DataPage
        The page.
    leaf : Leaf
        The column, of any type.
    max_data_size : int
        The most bytes that the decoded levels may have.

    Returns
    -------
    PageLevels
        The levels.

    Raises
    ------
    MalformedFileError
        If the header counts other nulls.
    MalformedPageError
        If they are no levels.
    LimitError
        If they have more than `max_data_size` bytes.
    """
    count, highest = page.num_values, leaf.max_definition_level
    decode = partial(decode_levels, page_version=page.version, max_data_size=max_data_size)
    if leaf.max_repetition_level:
        rep_levels = decode(page.repetition_levels, count, leaf.max_repetition_level).levels
        def_levels = decode(page.definition_levels, count, highest).levels
        nulls = count - int(np.count_nonzero(def_levels == highest))
        return PageLevels(nulls, None, read_only(def_levels), read_only(rep_levels))
    nulls, validity = 0, None
    if highest == 1:
        bits = decode_validity(page.definition_levels, count, page_version=page.version, max_data_size=max_data_size)
        nulls, validity = bits.null_count, bits.validity
    elif highest:
        is_valid = decode(page.definition_levels, count, highest).levels == highest
        nulls = count - int(np.count_nonzero(is_valid))
        validity = read_only(np.packbits(is_valid, bitorder="little")) if nulls else None
    if page.num_nulls is not None and page.num_nulls != nulls:
        raise MalformedFileError(f"{page.num_nulls} nulls by its header, but {nulls} by its levels")
    return PageLevels(nulls, validity)


def as_encoded(
    page: DataPage, num_values: int, validity: Bytes | None, leaf: Leaf, dictionary: EncodedPage | None
) -> EncodedPage:
    """Take the values out of a data page.

    Parameters
    ----------
    page : DataPage
        The page.
    num_values : int
        Number of values, those included that `validity` says are null.
    validity : ndarray or None
        uint8[(num_values + 7) // 8]; None where all are present.
    leaf : Leaf
        The column, of byte arrays.
    dictionary : EncodedPage or None
        The dictionary of the chunk, if it has one.

    Returns
    -------
    EncodedPage
        The values.

    Raises
    ------
    MalformedFileError
        If the format does not have that encoding for byte arrays.
    """
    try:
        if page.encoding is Encoding.DELTA_BINARY_PACKED:
            raise ValueError("DELTA_BINARY_PACKED is for integers")
        check_encoding(page.encoding, leaf.type_length)
    except ValueError as error:
        raise MalformedFileError(str(error)) from None
    own = None
    if page.encoding in DICTIONARY_ENCODINGS:  # a chunk of nulls alone may do without a dictionary page
        own = dictionary if dictionary is not None else _dictionary(np.empty(0, np.uint8), 0, leaf)
    return EncodedPage._trusted(
        page.encoding,
        page.values,
        num_values,
        validity,
        _dtype(leaf),
        dictionary=own,
        type_length=leaf.type_length,
    )
