"""One module for each of Parquet's encodings, with the same names in each.

``encode`` gives a page's bytes, and ``encoded_bound`` tells beforehand how many they can be. ``measure`` checks a page
and finds how large its values are, so that they can be written to where the caller wants them; ``decode`` does both.
Nulls are not in a page: these functions see only values that are there.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Offsets: TypeAlias = npt.NDArray[np.int64]


class ByteArrays(NamedTuple):
    """Decoded values of a byte-array column.

    Parameters
    ----------
    offsets : ndarray
        int64[n + 1]; the first is 0.
    data : ndarray
        uint8[offsets[n]].
    consumed : int
        Bytes of the page that the values took; what follows was not looked at.
    """

    offsets: Offsets
    data: Bytes
    consumed: int


class Measured(NamedTuple):
    """A page of which all is known but the values.

    Parameters
    ----------
    num_values : int
        Number of values.
    data_size : int
        Bytes of all values together; of a PLAIN page, bytes that they cannot exceed, which is the same unless the page
        goes on behind its last value.
    fill : callable
        ``fill(offsets, data)`` writes the values into int64[num_values + 1], of which the first is 0 and left alone,
        and uint8[data_size]; and returns the bytes of the page that they took.
    view : ndarray, optional
        uint8[data_size]: the bytes of the values where the page has them end to end. ``fill`` then takes None for
        `data`, and writes offsets alone.
    """

    num_values: int
    data_size: int
    fill: Callable[[Offsets, Bytes | None], int]
    view: Bytes | None = None

    def decode(self, *, copy: bool = True) -> ByteArrays:
        """Write the values into new arrays of the exact size.

        Parameters
        ----------
        copy : bool, optional
            Without it, the data is a view of the page where that can be.

        Returns
        -------
        ByteArrays
            The values, and the bytes that they took.
        """
        offsets = np.empty(self.num_values + 1, np.int64)
        offsets[0] = 0
        if self.view is not None and not copy:
            return ByteArrays(offsets, self.view, self.fill(offsets, None))
        data = np.empty(self.data_size, np.uint8)
        consumed = self.fill(offsets, data)
        return ByteArrays(offsets, data[: offsets[-1]], consumed)


class ByteArrayEncoding(Protocol):
    """What the module of an encoding of byte arrays has."""

    def encoded_bound(self, offsets: Offsets, data: Bytes) -> int:
        """Tell how large a page can be."""

    def encode(self, offsets: Offsets, data: Bytes, out: Bytes | None = None) -> Bytes:
        """Encode values."""

    def measure(self, buf: Bytes, num_values: int, *, max_data_size: int) -> Measured:
        """Check a page, and find how large its values are."""


class FixedLenByteArrayEncoding(Protocol):
    """What the module of an encoding has that takes values of one length: the same, told that length."""

    def encoded_bound(self, offsets: Offsets, data: Bytes, type_length: int | None) -> int:
        """Tell how large a page can be."""

    def encode(self, offsets: Offsets, data: Bytes, out: Bytes | None, type_length: int | None) -> Bytes:
        """Encode values."""

    def measure(self, buf: Bytes, num_values: int, *, max_data_size: int, type_length: int | None) -> Measured:
        """Check a page, and find how large its values are."""
