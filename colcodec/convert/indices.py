"""Indices and the values that they mean, as categoricals and Arrow's dictionary arrays hold them, to `StringColumn`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from colcodec._checks import read_only
from colcodec._kernels.dictionary import add_lengths, gather
from colcodec.encodings.rle_dictionary import known_of_column
from colcodec.errors import InvalidColumnError
from colcodec.string_column import StringColumn


def from_indices(indices: npt.NDArray[np.integer[Any]], dictionary: StringColumn) -> StringColumn:
    """Make a column of values that stand in a dictionary.

    Parameters
    ----------
    indices : ndarray[num_values]
        Integers of any dtype: for each value its place in `dictionary`; below 0 for a null.
    dictionary : StringColumn
        The values, of at most 2**31 - 1 bytes together. What is null among them is null in the column as well.

    Returns
    -------
    StringColumn
        Text or bytes, as the dictionary is.

    Raises
    ------
    InvalidColumnError
        An index behind the end of the dictionary, with the place where it stands; or a dictionary that is too large.

    Examples
    --------
    >>> import numpy as np
    >>> from_indices(np.array([1, 0, -1, 1]), StringColumn([0, 2, 5], b"onoff")).to_pylist()
    ['off', 'on', None, 'off']
    """
    indices = np.array(indices)  # so that nobody else writes to them
    num_known = len(dictionary)
    is_wild = indices >= num_known
    if is_wild.any():
        index = int(np.argmax(is_wild))
        message = f"value {index} has the index {indices[index]}; expected one of a dictionary of {num_known} values"
        raise InvalidColumnError(message, index=index)
    known = known_of_column(dictionary)
    is_known = np.append(dictionary._is_valid(), False)  # the last stands for all nulls, as an empty value
    spans = np.append(known.spans, np.uint64(0))
    spans[~is_known] = 0
    places = indices.astype(np.uint32)
    places[indices < 0] = num_known
    places, spans = read_only(places), read_only(spans)
    offsets = np.zeros(indices.size + 1, np.int64)
    data = np.empty(add_lengths(places, spans), np.uint8)
    gather(places, spans, known.data, offsets, data)
    is_valid = is_known[places]
    validity = None if is_valid.all() else np.packbits(is_valid, bitorder="little")
    return StringColumn._trusted(offsets, data, validity, utf8=dictionary.utf8)
