"""Values of a column as Python objects."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt


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
        A value is not valid UTF-8; the kernel `find_invalid` says which.
    """
    buf = data[offsets[0] : offsets[-1]].tobytes()
    if not buf.isascii():
        return [value.decode() for value in make_byte_strings(offsets, data)]
    text = buf.decode("ascii")
    return [text[i:j] for i, j in pairwise((offsets - offsets[0]).tolist())]
