"""One module for each of Parquet's encodings, with the same names in each.

``encode`` gives a page's bytes and ``decode`` the values back, with the number of bytes that they took;
``encoded_bound`` tells beforehand how large a page can get. Nulls are not in a page: these functions see only values
that are there.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


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

    offsets: npt.NDArray[np.int64]
    data: npt.NDArray[np.uint8]
    consumed: int
