"""Indices and the values that they mean, as categoricals and Arrow's dictionary arrays hold them, to `StringColumn`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .._arrays import empty
from .._checks import read_only
from .._kernels.dictionary import add_lengths, gather
from ..encodings.rle_dictionary import known_of_column
from ..errors import InvalidColumnError
from ..string_column import StringColumn


def from_indices(
    indices: npt.NDArray[np.integer[Any]],
    dictionary: StringColumn,
    is_valid: npt.NDArray[np.bool_] | None = None,
    first_index: int = 0,
) -> StringColumn:
    """Make a column of values that stand in a dictionary.

    Parameters
    ----------
    indices : ndarray[num_values]
        Integers of any dtype: for each value its place in `dictionary`.
    dictionary : StringColumn
        The values, of at most 2**31 - 1 bytes together. What is null among them is null in the column as well.
    is_valid : bool[num_values], optional
        False for a null, whatever index it has. Without it, nulls have indices below 0.
    first_index : int, optional
        The index of the first value in an error.

    Returns
    -------
    StringColumn
        Text or bytes, as the dictionary is.

    Raises
    ------
    InvalidColumnError
        An index outside of the dictionary, with the place where it stands; or a dictionary that is too large.

    Examples
    --------
    >>> import numpy as np
    >>> from_indices(np.array([1, 0, -1, 1]), StringColumn([0, 2, 5], b"onoff")).to_pylist()
    ['off', 'on', None, 'off']
    """
    indices = np.array(indices)  # so that nobody else writes to them
    if is_valid is None:
        is_valid = indices >= 0
    num_known = len(dictionary)
    is_wild = is_valid & ((indices < 0) | (indices >= num_known))
    if is_wild.any():
        place = int(np.argmax(is_wild))
        index = first_index + place
        message = f"value {index} has the index {indices[place]}; expected one of a dictionary of {num_known} values"
        raise InvalidColumnError(message, index=index)
    known = known_of_column(dictionary)
    is_known = np.append(dictionary._is_valid(), False)  # the last stands for all nulls, as an empty value
    spans = np.append(known.spans, np.uint64(0))
    spans[~is_known] = 0
    places = indices.astype(np.uint32)
    places[~is_valid] = num_known
    places, spans = read_only(places), read_only(spans)
    offsets = np.zeros(indices.size + 1, np.int64)
    data = empty(add_lengths(places, spans), np.uint8)
    gather(places, spans, known.data, offsets, data)
    is_present = is_known[places]
    validity = None if is_present.all() else np.packbits(is_present, bitorder="little")
    return StringColumn._trusted(offsets, data, validity, utf8=dictionary.utf8)
