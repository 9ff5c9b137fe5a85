"""Growing: an array that is written from its start to its end, and has no end."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

FIRST_SIZE: Final = 1024


class Growing:
    """Elements one behind another; when the room for them is used up, it doubles.

    Parameters
    ----------
    dtype : dtype
        What the elements are.
    """

    __slots__ = ("_array", "size")

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self._array: npt.NDArray[Any] = np.empty(FIRST_SIZE, dtype)
        self.size = 0
        """Number of elements that have been written. Whoever writes more of them sets it."""

    def room(self, count: int) -> npt.NDArray[Any]:
        """Make room for more elements.

        Parameters
        ----------
        count : int
            How many.

        Returns
        -------
        ndarray
            What has been written, and room for so many elements at least behind it. It holds until the next call.
        """
        needed = self.size + count
        if needed > self._array.size:
            larger = np.empty(max(needed, 2 * self._array.size), self._array.dtype)
            larger[: self.size] = self.written
            self._array = larger
        return self._array

    @property
    def written(self) -> npt.NDArray[Any]:
        """What has been written: a view that holds until more is."""
        return self._array[: self.size]
