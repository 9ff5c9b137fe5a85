"""Values of a column as Python objects, and whether each of them is valid UTF-8 on its own."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

# Values decoded in one go to check them: bounds the text that is held beside the column.
_CHUNK = 1 << 16


def make_byte_strings(offsets: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> list[bytes]:
    """Make bytes of each value.

    Parameters
    ----------
    offsets : int64[num_values + 1]
        Where each value starts in `data`, and the end of the last.
    data : uint8[data_size]
        The bytes of the values.

    Returns
    -------
    list of bytes
        The values.
    """
    buf = data[offsets[0] : offsets[-1]].tobytes()
    return [buf[i:j] for i, j in pairwise((offsets - offsets[0]).tolist())]


def make_texts(offsets: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> list[str]:
    """Make a str of each value.

    Parameters
    ----------
    offsets : int64[num_values + 1]
        Where each value starts in `data`, and the end of the last.
    data : uint8[data_size]
        The bytes of the values.

    Returns
    -------
    list of str
        The values.

    Raises
    ------
    UnicodeDecodeError
        A value is not valid UTF-8; `find_invalid` says which.
    """
    buf = data[offsets[0] : offsets[-1]].tobytes()
    if not buf.isascii():
        return [value.decode() for value in make_byte_strings(offsets, data)]
    text = buf.decode("ascii")
    return [text[i:j] for i, j in pairwise((offsets - offsets[0]).tolist())]


def find_invalid(offsets: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> int:
    """Find the first value that is not valid UTF-8 on its own.

    Parameters
    ----------
    offsets : int64[num_values + 1]
        Where each value starts in `data`, and the end of the last.
    data : uint8[data_size]
        The bytes of the values.

    Returns
    -------
    int
        Its index, -1 if there is no such value.
    """
    num_values = len(offsets) - 1
    for start in range(0, num_values, _CHUNK):
        first, end = start, min(start + _CHUNK, num_values)
        if _are_valid(offsets[first : end + 1], data):
            continue
        while end - first > 1:  # the first fault is in [first, end)
            middle = (first + end) // 2
            if _are_valid(offsets[first : middle + 1], data):
                first = middle
            else:
                end = middle
        return first
    return -1


def _are_valid(offsets: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> bool:
    """Tell whether all bytes together are valid UTF-8 and no value starts inside a character."""
    end = offsets[-1]
    try:
        text = str(data[offsets[0] : end].data, "utf-8")
    except UnicodeDecodeError:
        return False
    if text.isascii():
        return True
    first_bytes = data[offsets[: np.searchsorted(offsets, end)]]  # values at `end` are empty
    return not ((first_bytes & 0xC0) == 0x80).any()
