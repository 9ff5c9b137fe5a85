"""DictionaryColumn: the distinct values of a column, and for each of its values which of them it is."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from .string_column import StringColumn

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class DictionaryColumn(NamedTuple):
    """A column whose values stand once: what a dictionary array is to Arrow, and a categorical to pandas and polars.

    `column` makes a StringColumn of it, and so does whatever else takes values.

    Parameters
    ----------
    indices : ndarray
        int32[num_values], read-only: for each value its place in `dictionary`; -1 for a null. Where somebody else made
        them, integers of any type, which are checked and copied by whatever uses them; all below 0 are null.
    dictionary : StringColumn
        The values, without nulls. As the page has them: some may be the same, and some may not be used.

    Examples
    --------
    >>> import colcodec as cc
    >>> indices, dictionary = cc.decode_indices(cc.encode(["on", "off", None, "on"], "RLE_DICTIONARY"))
    >>> indices, dictionary.to_pylist()
    (array([ 0,  1, -1,  0], dtype=int32), ['on', 'off'])
    """

    indices: npt.NDArray[np.int32]
    dictionary: StringColumn

    def to_arrow(self) -> "pa.DictionaryArray":
        """Make a dictionary array of pyarrow.

        Returns
        -------
        pyarrow.DictionaryArray
            Of large_string or large_binary, with int32 indices; it shares the column's memory.

        Raises
        ------
        ImportError
            pyarrow is not installed.
        InvalidColumnError
            A value of a utf8 dictionary is not valid UTF-8, its arrays do not fit each other any more, or an index lies
            outside of it.
        """
        from .convert.arrow import to_dictionary_array  # noqa: PLC0415 - this method is the face of that module

        return to_dictionary_array(self)

    def to_pandas(self) -> "pd.Series[str]":
        """Make a categorical Series of pandas.

        Returns
        -------
        pandas.Series
            Of dtype category, the categories in the order of the dictionary. A value that the dictionary has more than
            once is one category.

        Raises
        ------
        ImportError
            pandas is not installed.
        InvalidColumnError
            A value of a utf8 dictionary is not valid UTF-8, its arrays do not fit each other any more, or an index lies
            outside of it.
        """
        from .convert.pandas import to_categorical  # noqa: PLC0415 - this method is the face of that module

        return to_categorical(self)

    def to_polars(self) -> "pl.Series":
        """Make a categorical Series of polars.

        Returns
        -------
        polars.Series
            Of dtype Categorical; of dtype Binary for a binary dictionary, as polars has categories of text only.

        Raises
        ------
        ImportError
            polars is not installed.
        InvalidColumnError
            A value of a utf8 dictionary is not valid UTF-8, its arrays do not fit each other any more, or an index lies
            outside of it.
        """
        from .convert.polars import to_categorical  # noqa: PLC0415 - this method is the face of that module

        return to_categorical(self)
