"""Columns to polars; the way in is that of every Arrow array, but for what only looks like one."""

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dictionary_column import DictionaryColumn
from ..errors import InvalidTypeError
from ..string_column import StringColumn
from .indices import own_indices

if TYPE_CHECKING:
    import polars as pl


def refuse_objects(values: Any) -> None:
    """Refuse Python objects, which polars gives to others as their addresses, 8 bytes each.

    Parameters
    ----------
    values : object
        Anything; polars is not imported for it.

    Raises
    ------
    InvalidTypeError
        A Series of dtype Object.
    """
    pl = sys.modules.get("polars")
    if pl is not None and isinstance(values, pl.Series) and values.dtype == pl.Object:
        raise InvalidTypeError("got a Series of dtype Object; expected String, Binary, ... (see its .to_list())")


def to_polars(column: StringColumn) -> "pl.Series":
    """Make a Series of a column; see `StringColumn.to_polars`.

    Parameters
    ----------
    column : StringColumn
        The values.

    Returns
    -------
    polars.Series
        Of dtype String or Binary.
    """
    import polars as pl  # noqa: PLC0415 - not needed to import colcodec

    return pl.Series(column)  # through its __arrow_c_array__, which checks text for UTF-8 before polars believes it


def to_categorical(column: DictionaryColumn) -> "pl.Series":
    """Make a categorical Series; see `DictionaryColumn.to_polars`.

    Parameters
    ----------
    column : DictionaryColumn
        The values.

    Returns
    -------
    polars.Series
        Of dtype Categorical, or Binary.
    """
    import polars as pl  # noqa: PLC0415 - as above

    indices, is_valid = own_indices(*column)
    values = to_polars(column.dictionary)
    if column.dictionary.utf8:
        values = values.cast(pl.Categorical)
    return values.gather(pl.Series(indices.astype(np.int32)).set(pl.Series(~is_valid), None))
