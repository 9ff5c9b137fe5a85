"""One module for each of Parquet's encodings, with the same names in each.

``encode`` gives a page's bytes, and ``encoded_bound`` tells beforehand how many they can be. ``measure`` checks a page
and finds how large its values are; the ``Reader`` that it gives writes them to where the caller wants them, all at once
or some at a time. ``decode`` does both. ``Writer`` makes a page of values that come batch by batch.
Nulls are not in a page: these functions see only values that are there.
"""

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


class Reader:
    """The values of a page, from the first to the last; what ``measure`` gives. Each module has its own.

    All is checked that can be before the values are written; what goes wrong later leaves the reader where it was.

    Parameters
    ----------
    num_values : int
        Number of values.
    data_size : int
        Bytes of all values together; of a PLAIN page, bytes that they cannot exceed, which is the same unless the page
        goes on behind its last value.
    view : ndarray, optional
        uint8[data_size]: the bytes of the values where the page has them end to end.
    """

    __slots__ = ("data_size", "num_values", "position", "view")

    def __init__(self, num_values: int, data_size: int, view: Bytes | None = None) -> None:
        self.num_values = num_values
        self.data_size = data_size
        self.view = view
        self.position = 0
        """Number of values behind which it stands."""

    def size_of(self, count: int) -> int:
        """Tell how many bytes the next `count` values have together.

        Parameters
        ----------
        count : int
            Number of values, no more than are left.

        Returns
        -------
        int
            Bytes of all of them.
        """
        raise NotImplementedError

    def fill(self, offsets: Offsets, data: Bytes | None) -> int:
        """Write the next values, and go on behind them.

        Parameters
        ----------
        offsets : ndarray
            int64[count + 1], of which the first is 0 and left alone.
        data : ndarray or None
            uint8 of as many bytes as :func:`size_of` tells, or `data_size` for all values. None leaves them to `view`.

        Returns
        -------
        int
            Where the values end in the page.
        """
        raise NotImplementedError

    def skip(self, count: int) -> None:
        """Go on behind the next `count` values. A reader that checks values as they come checks these as well."""
        self.position += count

    def read(self, count: int) -> tuple[Offsets, Bytes]:
        """Write the next `count` values into new arrays: int64[count + 1] and uint8."""
        data = np.empty(self.size_of(count), np.uint8)
        offsets = np.empty(count + 1, np.int64)
        offsets[0] = 0
        self.fill(offsets, data)
        return offsets, data

    def decode(self, *, copy: bool = True) -> ByteArrays:
        """Write all values into new arrays of the exact size.

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


class Writer(Protocol):
    """A page that is written batch by batch. Each module has its own."""

    @property
    def size(self) -> int:
        """Bytes that the page would have if it ended here."""

    def add(self, offsets: Offsets, data: Bytes) -> None:
        """Write the values of a column.

        Parameters
        ----------
        offsets : ndarray
            int64[n + 1], read-only, checked to fit `data`.
        data : ndarray
            uint8, read-only.
        """

    def add_slices(self, starts: Offsets, ends: Offsets, data: Bytes, size: int) -> None:
        """Write values that lie anywhere in `data`.

        Parameters
        ----------
        starts, ends : ndarray
            int64[n] each, read-only, checked: value i is ``data[starts[i] : ends[i]]``.
        data : ndarray
            uint8, read-only.
        size : int
            Bytes of all of these values together.
        """

    def finish(self) -> Bytes:
        """Give the page, uint8, in memory of its own, and begin the next."""

    def clear(self) -> None:
        """Begin anew."""


class ByteArrayEncoding(Protocol):
    """What the module of an encoding of byte arrays has."""

    def encoded_bound(self, offsets: Offsets, data: Bytes) -> int:
        """Tell how large a page can be."""

    def encode(self, offsets: Offsets, data: Bytes, out: Bytes | None = None) -> Bytes:
        """Encode values."""

    def measure(self, buf: Bytes, num_values: int, *, max_data_size: int) -> Reader:
        """Check a page, and find how large its values are."""


class FixedLenByteArrayEncoding(Protocol):
    """What the module of an encoding has that takes values of one length: the same, told that length."""

    def encoded_bound(self, offsets: Offsets, data: Bytes, type_length: int) -> int:
        """Tell how large a page can be."""

    def encode(self, offsets: Offsets, data: Bytes, out: Bytes | None, type_length: int) -> Bytes:
        """Encode values."""

    def measure(self, buf: Bytes, num_values: int, *, max_data_size: int, type_length: int) -> Reader:
        """Check a page, and find how large its values are."""
