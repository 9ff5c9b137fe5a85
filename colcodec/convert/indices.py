"""Indices and the values that they mean, as categoricals and Arrow's dictionary arrays hold them, to `StringColumn`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .._arrays import empty
from .._checks import read_only
from .._kernels.dictionary import add_lengths, gather
from ..encodings.rle_dictionary import known_of_column
from ..errors import InvalidColumnError, InvalidTypeError
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
    InvalidTypeError, InvalidColumnError
        As `own_indices` does; or a dictionary that is too large.

    Examples
    --------
    >>> import numpy as np
    >>> from_indices(np.array([1, 0, -1, 1]), StringColumn([0, 2, 5], b"onoff")).to_pylist()
    ['off', 'on', None, 'off']
    """
    indices, is_valid = own_indices(indices, dictionary, is_valid, first_index)
    num_known = len(dictionary)
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


def own_indices(
    indices: npt.NDArray[np.integer[Any]],
    dictionary: StringColumn,
    is_valid: npt.NDArray[np.bool_] | None = None,
    first_index: int = 0,
) -> tuple[npt.NDArray[np.integer[Any]], npt.NDArray[np.bool_]]:
    """Copy indices, so that nobody else writes to them, and check them.

    Parameters
    ----------
    indices : ndarray[num_values]
        As for `from_indices`, and so are the other parameters.
    dictionary : StringColumn
        The values.
    is_valid : bool[num_values], optional
        False for a null.
    first_index : int, optional
        The index of the first value in an error.

    Returns
    -------
    tuple of ndarray
        The indices, and which of them mean a value.

    Raises
    ------
    InvalidTypeError
        Indices that are no integers, or a dictionary that is no column.
    InvalidColumnError
        An index outside of the dictionary, with the place where it stands; or more dimensions than one.
    """
    indices = np.array(indices)
    if not isinstance(dictionary, StringColumn):
        raise InvalidTypeError(f"a dictionary is of type {type(dictionary).__name__}; expected a StringColumn")
    if indices.size and indices.dtype.kind not in "iu":
        raise InvalidTypeError(f"indices are of dtype {indices.dtype}; expected integers")
    if indices.ndim != 1:
        raise InvalidColumnError(f"indices have {indices.ndim} dimensions; expected 1")
    if is_valid is None:
        is_valid = indices >= 0
    is_wild = is_valid & ((indices < 0) | (indices >= len(dictionary)))
    if is_wild.any():
        place = int(np.argmax(is_wild))
        index = first_index + place
        expected = f"one of a dictionary of {len(dictionary)} values"
        raise InvalidColumnError(f"value {index} has the index {indices[place]}; expected {expected}", index=index)
    return indices, is_valid
