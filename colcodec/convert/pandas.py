"""Columns to pandas."""

from typing import TYPE_CHECKING

import numpy as np

from .._checks import max_length_bits
from .._spec import MAX_INT32
from ..dictionary import Dictionary
from ..dictionary_column import DictionaryColumn
from ..string_column import StringColumn

if TYPE_CHECKING:
    import pandas as pd


def to_categorical(column: DictionaryColumn) -> "pd.Series[str]":
    """Make a categorical Series; see `DictionaryColumn.to_pandas`.

    Parameters
    ----------
    column : DictionaryColumn
        The values.

    Returns
    -------
    pandas.Series
        Of dtype category.
    """
    import pandas as pd  # noqa: PLC0415 - not needed to import colcodec

    codes, dictionary = column
    max_length_bits(dictionary.offsets, dictionary.data)
    distinct = Dictionary(MAX_INT32)
    places = np.empty(len(dictionary), np.uint32)
    distinct.add(dictionary.offsets, dictionary.data, places)
    if len(distinct) < len(dictionary):
        codes = np.where(codes < 0, codes, places.view(np.int32)[codes])
        dictionary = StringColumn._trusted(*distinct.values, utf8=dictionary.utf8)
    categories = pd.Index(dictionary.to_numpy("O"), dtype="str" if dictionary.utf8 else object)
    return pd.Series(pd.Categorical.from_codes(codes, categories))
