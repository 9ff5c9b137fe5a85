"""Columns to pyarrow, whose arrays share their memory."""

from typing import TYPE_CHECKING

from .._checks import max_length_bits
from ..dictionary_column import DictionaryColumn

if TYPE_CHECKING:
    import pyarrow as pa


def to_dictionary_array(column: DictionaryColumn) -> "pa.DictionaryArray":
    """Make a dictionary array; see `DictionaryColumn.to_arrow`.

    Parameters
    ----------
    column : DictionaryColumn
        The values.

    Returns
    -------
    pyarrow.DictionaryArray
        Of large_string or large_binary, with int32 indices.
    """
    import pyarrow as pa  # noqa: PLC0415 - not needed to import colcodec

    indices, dictionary = column
    max_length_bits(dictionary.offsets, dictionary.data)
    kind = pa.large_string() if dictionary.utf8 else pa.large_binary()
    buffers = [None, pa.py_buffer(dictionary.offsets), pa.py_buffer(dictionary.data)]
    values = pa.Array.from_buffers(kind, len(dictionary), buffers)
    is_null = indices < 0
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=is_null if is_null.any() else None), values)
