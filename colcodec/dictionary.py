"""Dictionary: the distinct values of a column, found batch by batch."""

import secrets
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ._checks import read_only
from ._kernels.byte_array import LENGTH_SIZE
from ._kernels.dictionary import (
    DONE,
    KNOWN,
    KNOWN_SLACK,
    OVERHEAD,
    ROOM,
    ROW,
    SEED,
    SLOTS_PER_VALUE,
    STATE_SIZE,
    TOO_LARGE,
    fill_table,
    find_distinct,
)
from .errors import DictionaryTooLarge

FIRST_ROOM: Final = 512
FIRST_DATA_SIZE: Final = 32 * FIRST_ROOM
GROWTH: Final = 16
"""Values, and their bytes, that a new dictionary has room for; and how many times as many there are at most next."""

PROCESS_SEED: Final = secrets.randbits(63)
"""Of this process: what collides here collides nowhere else. No byte that is written depends on it."""


class Dictionary:
    """The distinct values of a column, batch by batch, in the order in which they are first seen.

    Parameters
    ----------
    max_size : int
        The most bytes that the dictionary page may have.
    type_length : int, optional
        Bytes of each value, if they all have the same; their lengths are then not in the page.
    """

    __slots__ = ("_data", "_keys", "_offsets", "_state", "_table", "max_size", "type_length")

    def __init__(self, max_size: int, type_length: int | None = None) -> None:
        self.max_size = max_size
        self.type_length = type_length
        self._table = np.zeros(SLOTS_PER_VALUE * FIRST_ROOM, np.uint32)
        self._keys = np.zeros(FIRST_ROOM, np.uint64)
        self._offsets = np.zeros(FIRST_ROOM + 1, np.int64)
        self._data = np.zeros(FIRST_DATA_SIZE, np.uint8)
        self._state = np.zeros(STATE_SIZE, np.int64)
        self._state[ROOM] = max_size
        self._state[OVERHEAD] = LENGTH_SIZE if type_length is None else 0
        self._state[SEED] = PROCESS_SEED

    def __len__(self) -> int:
        return int(self._state[KNOWN])

    @property
    def values(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        """int64[len(self) + 1] and uint8: the distinct values, read-only; views of what goes on growing."""
        offsets = self._offsets[: len(self) + 1]
        return read_only(offsets), read_only(self._data[: offsets[-1]])

    def add(self, offsets: npt.NDArray[np.int64], data: npt.NDArray[np.uint8], indices: npt.NDArray[np.uint32]) -> None:
        """Find which distinct value each value of a batch is.

        Parameters
        ----------
        offsets : ndarray
            int64[n + 1], read-only, checked to fit `data`.
        data : ndarray
            uint8, read-only.
        indices : ndarray
            uint32[n], to write to.

        Raises
        ------
        DictionaryTooLarge
            If a value is new and there is no room for it; the values before it have been taken up.
        """
        self._state[ROW] = 0
        while True:
            status = find_distinct(
                offsets, data, self._state, self._table, self._keys, self._offsets, self._data, indices
            )
            if status == DONE:
                return
            row = int(self._state[ROW])
            if status == TOO_LARGE:
                message = f"the dictionary takes more than {self.max_size} bytes: value {row} has no room left in it"
                raise DictionaryTooLarge(message, index=row)
            self._grow(offsets[row:])

    def _grow(self, offsets: npt.NDArray[np.int64]) -> None:
        """Make room for at least one more of the values of `offsets`, and for no more than all of them."""
        known, end = len(self), int(self._offsets[len(self)])
        if known == self._keys.size:
            wanted = min(GROWTH * known, known + offsets.size - 1)
            room = 1 << (wanted - 1).bit_length()
            table = np.zeros(SLOTS_PER_VALUE * room, np.uint32)
            keys, starts = _enlarged(self._keys, room, known), _enlarged(self._offsets, room + 1, known + 1)
            fill_table(keys[:known], table)
            self._table, self._keys, self._offsets = table, keys, starts  # together, or none for want of memory
        if offsets[1] - offsets[0] + KNOWN_SLACK > self._data.size - end:
            most = end + min(max(int(offsets[-1] - offsets[0]), end), int(self._state[ROOM]))
            wanted = min(max(GROWTH * end, end + int(offsets[1] - offsets[0])), most)
            self._data = _enlarged(self._data, wanted + KNOWN_SLACK, end)

    def forget(self, num_known: int) -> None:
        """Leave only the first values, as if no others had ever been seen.

        Parameters
        ----------
        num_known : int
            How many.
        """
        freed = self._offsets[len(self)] - self._offsets[num_known]
        self._state[ROOM] += freed + (len(self) - num_known) * self._state[OVERHEAD]
        self._state[KNOWN] = num_known
        self._table[:] = 0
        fill_table(self._keys[:num_known], self._table)


def _enlarged(array: npt.NDArray[Any], size: int, used: int) -> npt.NDArray[Any]:
    larger = np.zeros(size, array.dtype)
    larger[:used] = array[:used]
    return larger
