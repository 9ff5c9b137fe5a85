"""EncodedPage: the values of a Parquet data page, with what a reader must know beside them."""

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from ._checks import as_bitmap, as_bytes, as_count, read_only
from ._kernels.validity import count_valid, spread_offsets
from ._spec import Encoding
from .encodings import ByteArrayEncoding, Bytes, Measured, Offsets, delta_byte_array, delta_length_byte_array, plain

DType: TypeAlias = Literal["utf8", "binary", "int32", "int64"]

BYTE_ARRAY_ENCODINGS: Final[dict[Encoding, ByteArrayEncoding]] = {
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
    dictionary : ndarray, optional
        uint8, the PLAIN values of the dictionary page, for dictionary encodings.
    dtype : str, optional
        What the values are: "utf8" or "binary" (the default: a Parquet BYTE_ARRAY is bytes); for DELTA_BINARY_PACKED,
        "int32" or "int64".

    Raises
    ------
    TypeError, ValueError
        If an argument is not of that kind.
    """

    encoding: Encoding
    data: Bytes
    num_values: int
    validity: Bytes | None = None
    dictionary: Bytes | None = None
    dtype: DType = "binary"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "encoding", as_encoding(self.encoding))
        put(self, "data", as_bytes(self.data, "data"))
        put(self, "num_values", as_count(self.num_values, "num_values"))
        if self.validity is not None:
            put(self, "validity", as_bitmap(self.validity, self.num_values))
        if self.holds_integers and self.validity is not None:
            raise TypeError("integers have no validity; leave nulls out of num_values")
        expected = INTEGER_DTYPES if self.holds_integers else BYTE_ARRAY_DTYPES
        if self.dtype not in expected:
            raise ValueError(
                f"{self.encoding.name} needs dtype={expected[0]!r} or dtype={expected[1]!r}, got {self.dtype!r}"
            )

    @classmethod
    def _trusted(
        cls, encoding: Encoding, data: Bytes, num_values: int, validity: Bytes | None, dtype: DType
    ) -> "EncodedPage":
        """Make a page of canonical arguments that the caller knows to be right; nothing is checked."""
        page = object.__new__(cls)
        put = object.__setattr__
        put(page, "encoding", encoding)
        put(page, "data", read_only(data))
        put(page, "num_values", num_values)
        put(page, "validity", validity)
        put(page, "dictionary", None)
        put(page, "dtype", dtype)
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
        return (
            f"EncodedPage({self.encoding.name}, {self.num_values} {self.dtype} values{nulls}, {self.data.size} bytes)"
        )


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


def measure(page: EncodedPage, max_data_size: int) -> Measured:
    """Check a page of byte arrays, and find how large its values are.

    Parameters
    ----------
    page : EncodedPage
        A page that holds no integers.
    max_data_size : int
        The most bytes that all values together may have.

    Returns
    -------
    Measured
        The values that are present.

    Raises
    ------
    MalformedPageError
        If the bytes are no such page.
    LimitError
        If the values have more than `max_data_size` bytes.
    """
    return BYTE_ARRAY_ENCODINGS[page.encoding].measure(page.data, page.num_valid, max_data_size=max_data_size)


def fill(page: EncodedPage, measured: Measured, offsets: Offsets, data: Bytes | None) -> int:
    """Write the values of a page, and empty values in place of its nulls.

    Parameters
    ----------
    page : EncodedPage
        The page.
    measured : Measured
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
