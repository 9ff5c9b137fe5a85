"""pandas to `StringColumn` and back."""

import sys
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from .._checks import max_length_bits
from .._spec import MAX_INT32
from ..dictionary import Dictionary
from ..dictionary_column import DictionaryColumn
from ..errors import InvalidColumnError, InvalidTypeError
from ..string_column import StringColumn
from .arrow import from_arrow, to_pyarrow
from .indices import from_indices, own_indices
from .numpy import from_numpy
from .objects import from_list

if TYPE_CHECKING:
    import pandas as pd

OBJECT: Final = np.dtype(object)


def is_pandas(values: Any) -> bool:
    """Tell whether something is of pandas, without importing it.

    Parameters
    ----------
    values : object
        Anything.

    Returns
    -------
    bool
        True for a Series, an Index, an ExtensionArray and a DataFrame.
    """
    pd = sys.modules.get("pandas")
    return pd is not None and isinstance(values, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray, pd.DataFrame))


def from_pandas(values: Any) -> StringColumn:
    """Make a column of a Series of pandas, or of what else holds values there.

    Parameters
    ----------
    values : pandas.Series, pandas.Index or pandas.api.extensions.ExtensionArray
        Of dtype str, string, object, ArrowDtype or category. None, NaN, NaT and NA are null, whatever the dtype.

    Returns
    -------
    StringColumn
        utf8 for text, binary for bytes. What pyarrow holds is not copied, but for several chunks.

    Raises
    ------
    InvalidTypeError
        Another dtype, values that are neither text nor bytes, or a DataFrame.
    InvalidColumnError
        A str with a lone surrogate, which has no UTF-8; with the index.

    Examples
    --------
    >>> import pandas as pd
    >>> from_pandas(pd.Series(["axis", None, "axle"]))
    StringColumn(utf8, 3 values, 1 null: ['axis', None, 'axle'])
    """
    import pandas as pd  # noqa: PLC0415 - not needed to import colcodec

    if isinstance(values, pd.DataFrame):
        raise InvalidTypeError("got a DataFrame; expected one of its columns (encode_frame takes all of them)")
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        # Without a category all is null, of whatever dtype pandas has the categories then.
        dictionary = _from_categories(dtype.categories) if len(dtype.categories) else from_list([])
        return from_indices(getattr(values, "array", values).codes, dictionary)
    if is_of_pyarrow(dtype):
        return from_arrow(getattr(values, "array", values).__arrow_array__())
    if isinstance(dtype, pd.StringDtype) or getattr(dtype, "numpy_dtype", dtype) == OBJECT:
        return from_numpy(np.asarray(values, object))
    expected = "str, string, object, category, or an ArrowDtype of strings"
    raise InvalidTypeError(f"got a {type(values).__name__} of dtype {dtype}; expected {expected}")


def to_pandas(column: StringColumn, dtype: Any = None, null: Any = None) -> "pd.Series[Any]":
    """Make a Series of a column; see `StringColumn.to_pandas`.

    Parameters
    ----------
    column : StringColumn
        The values.
    dtype : pandas dtype, optional
        One that `from_pandas` takes; without it, object for bytes, and for text what pandas makes of str.
    null : object, optional
        What is null in a Series of dtype object.

    Returns
    -------
    pandas.Series
        With the default index.
    """
    import pandas as pd  # noqa: PLC0415 - not needed to import colcodec

    if dtype is None:
        dtype = pd.Series([""]).dtype if column.utf8 else OBJECT
    series: pd.Series[Any]
    if is_of_pyarrow(dtype):
        kind = dtype.pyarrow_dtype if isinstance(dtype, pd.ArrowDtype) else None
        series = pd.Series(dtype.__from_arrow__(to_pyarrow(column, kind)))
    else:
        values = column.to_numpy("O")
        if null is not None:
            values[~column._is_valid()] = null
        series = pd.Series(values, dtype=dtype, copy=False)
    return series


def is_of_pyarrow(dtype: Any) -> bool:
    """Tell whether pyarrow holds the values of a dtype of pandas.

    Parameters
    ----------
    dtype : pandas dtype
        Any.

    Returns
    -------
    bool
        True for an ArrowDtype, and for a StringDtype unless its values are Python objects.
    """
    import pandas as pd  # noqa: PLC0415 - not needed to import colcodec

    return isinstance(dtype, pd.ArrowDtype) or (isinstance(dtype, pd.StringDtype) and dtype.storage != "python")


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

    indices, is_valid = own_indices(*column)
    codes, dictionary = np.where(is_valid, indices, -1), column.dictionary
    max_length_bits(dictionary.offsets, dictionary.data)
    distinct = Dictionary(MAX_INT32)
    places = np.empty(len(dictionary), np.uint32)
    distinct.add(dictionary.offsets, dictionary.data, places)
    if len(distinct) < len(dictionary):
        codes = np.where(codes < 0, codes, places.view(np.int32)[codes])
        dictionary = StringColumn._trusted(*distinct.values, utf8=dictionary.utf8)
    categories = pd.Index(dictionary.to_numpy("O"), dtype="str" if dictionary.utf8 else object)
    return pd.Series(pd.Categorical.from_codes(codes, categories))


def _from_categories(categories: Any) -> StringColumn:
    try:
        return from_pandas(categories)
    except (InvalidTypeError, InvalidColumnError) as error:  # whose index is none of a value
        raise type(error)(f"in the categories: {error}") from None
