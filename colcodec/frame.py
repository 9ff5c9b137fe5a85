"""Dataframes: a page for each of their string columns, and the dataframe again."""

import reprlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from ._checks import as_size
from ._spec import DEFAULT_MAX_DATA_SIZE, MAX_INT32, Encoding
from .choice import choose
from .codec import column, decode, decode_indices, encode
from .convert.arrow import struct_columns, to_pyarrow
from .convert.pandas import is_pandas, to_pandas
from .convert.polars import to_polars
from .errors import InvalidColumnError, InvalidTypeError, naming
from .page import DICTIONARY_ENCODINGS, EncodedPage, as_writable_encoding
from .string_column import StringColumn

Library: TypeAlias = Literal["pandas", "polars", "arrow"]


class Kind(NamedTuple):
    """What a column of a dataframe was, as far as its page cannot tell.

    Parameters
    ----------
    dtype : object
        Its dtype as the dataframe's library has it, a field for pyarrow; None where nobody told.
    null : object
        What its first null was, if that library is pandas.
    """

    dtype: Any = None
    null: Any = None


class Origin(NamedTuple):
    """What a dataframe was, as far as its pages cannot tell.

    Parameters
    ----------
    library : {"pandas", "polars", "arrow"}
        Whose it was; "arrow" for all but the first two.
    kinds : dict of Kind
        What each column was, by its name.
    index : pandas.Index, optional
        The index, if that library is pandas.
    names : pandas.Index, optional
        The names of all columns, likewise.
    """

    library: Library
    kinds: dict[Any, Kind]
    index: Any = None
    names: Any = None


class EncodedFrame(dict[Any, EncodedPage]):
    """The pages of the string columns of a dataframe, by their names: a dict, which can be pickled.

    Parameters
    ----------
    pages : mapping of EncodedPage
        A page for each column.
    origin : Origin
        What the dataframe was; a copy that is a plain dict does not know it.
    """

    __slots__ = ("origin",)

    def __init__(self, pages: Mapping[Any, EncodedPage], origin: Origin) -> None:
        super().__init__(pages)
        self.origin = origin


def encode_frame(
    df: Any, /, encodings: Encoding | str | Mapping[Any, Encoding | str | None] | None = None
) -> EncodedFrame:
    """Encode the string columns of a dataframe, each as a page.

    Parameters
    ----------
    df : dataframe
        A DataFrame of pandas or polars, a Table or RecordBatch of pyarrow, or anything else that gives structs through
        ``__arrow_c_stream__``.
    encodings : Encoding, str or mapping, optional
        The encoding of all string columns, or its name; or a mapping that has the names of the columns to encode, and
        the encoding of each. In place of an encoding, None is the one in which `choose` finds the column's pages to be
        the smallest, without a compression after it.

    Returns
    -------
    EncodedFrame
        A page for each column by its name, in the order of `encodings` if that is a mapping and of `df` if not. What
        else `decode_frame` needs to make the same dataframe again is in its `origin`.

        Columns that `column` refuses for the type of their values are left out, unless a mapping names them: all that
        are no strings, and of pandas' dtype object also those in which there is anything but str and nulls, or but
        bytes and nulls.

    Raises
    ------
    InvalidTypeError
        If `df` is no dataframe, or the values of a column named in `encodings` are no strings.
    InvalidColumnError, DictionaryTooLarge
        If a column cannot be encoded, or not so. The message begins with its name, as that of any error about a column.
    KeyError
        If `encodings` names a column that there is not.
    TypeError, ValueError
        If there is no such encoding of strings, or two columns have one name.

    Examples
    --------
    >>> import colcodec as cc
    >>> import pandas as pd
    >>> df = pd.DataFrame({"state": ["Ohio", "Iowa", "Ohio"], "year": [2000, 2001, 2002]})
    >>> pages = cc.encode_frame(df, "RLE_DICTIONARY")
    >>> pages
    {'state': EncodedPage(RLE_DICTIONARY, 3 utf8 values, 2 distinct, 3 bytes)}
    >>> cc.decode_frame(pages).equals(df[["state"]])
    True
    """
    columns, origin = _opened(df)
    named = isinstance(encodings, Mapping)
    wanted = encodings if isinstance(encodings, Mapping) else dict.fromkeys(columns, encodings)
    pages: dict[Any, EncodedPage] = {}
    kinds: dict[Any, Kind] = {}
    for name, encoding in wanted.items():
        if name not in columns:
            raise KeyError(f"no column {name!r} among {reprlib.repr(list(columns))}")
        with naming(name):
            chosen = None if encoding is None else as_writable_encoding(encoding)
            try:
                strings = column(columns[name])
            except InvalidTypeError:
                if named:
                    raise
                continue
            if chosen is None:
                chosen = choose(strings, compression="none").encoding
            pages[name] = encode(strings, chosen)
        kinds[name] = origin.kinds.get(name, Kind())
        if origin.library == "pandas" and strings.null_count:
            kinds[name] = kinds[name]._replace(null=columns[name].iloc[int(np.argmin(strings._is_valid()))])
    return EncodedFrame(pages, origin._replace(kinds=kinds))


def decode_frame(
    pages: Mapping[Any, EncodedPage], /, *, to: Library | None = None, max_data_size: int = DEFAULT_MAX_DATA_SIZE
) -> Any:
    """Decode pages, and make a dataframe of them.

    Parameters
    ----------
    pages : EncodedFrame or mapping of EncodedPage
        What `encode_frame` made, or pages of strings by the names of their columns.
    to : {"pandas", "polars", "arrow"}, optional
        What to make: a DataFrame of pandas or polars, or a Table of pyarrow. Needed for a mapping that is no
        EncodedFrame; without it, the dataframe is of the library that it came from.
    max_data_size : int, optional
        The most bytes that the decoded values of each column may have.

    Returns
    -------
    DataFrame or Table
        The columns in the order of `pages`. In the library that an EncodedFrame came from they have the dtypes, the
        categories and the index that they had; of pandas' dtype object, all nulls are what the first one was. In any
        other they are text or bytes.

    Raises
    ------
    MalformedPageError, LimitError
        As `decode` does; the message begins with the name of the column.
    InvalidColumnError
        If a value of a text column is not valid UTF-8, or in a page put into an EncodedFrame is none of the categories.
    TypeError, ValueError
        If `to` is missing or unknown, a page holds no strings or another number of values than the first, or a name is
        not a str, which only pandas takes.
    ImportError
        If the library is not installed.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.decode_frame({"state": cc.encode(["Ohio", "Iowa"], "PLAIN")}, to="polars")["state"].to_list()
    ['Ohio', 'Iowa']
    """
    limit = as_size(max_data_size, "max_data_size")
    if not isinstance(pages, Mapping):
        raise TypeError(f"expected pages by the names of their columns, got a {type(pages).__name__}")
    origin = pages.origin if isinstance(pages, EncodedFrame) else None
    if to is None and origin is None:
        raise TypeError("a mapping of pages needs to='pandas', to='polars' or to='arrow'")
    if to is not None and to not in _LIBRARIES:
        raise ValueError(f"to is {to!r}; expected one of {', '.join(map(repr, _LIBRARIES))}")
    if origin is None or (to is not None and to != origin.library):
        origin = Origin(cast("Library", to), {})
    decoded, assembled = _LIBRARIES[origin.library]
    _check_pages(pages, origin.library)
    columns = {}
    for name, page in pages.items():
        with naming(name):
            columns[name] = decoded(page, origin.kinds.get(name, Kind()), limit)
    return assembled(columns, origin)


def _opened(df: Any) -> tuple[dict[Any, Any], Origin]:
    """Give the columns of a dataframe, each as `column` takes it, and what the dataframe is."""
    pd, pl, pa = (sys.modules.get(name) for name in ("pandas", "polars", "pyarrow"))
    if pd is not None and isinstance(df, pd.DataFrame):
        columns = _by_name(df.columns, (df.iloc[:, i] for i in range(df.shape[1])))
        kinds = {name: Kind(series.dtype) for name, series in columns.items()}
        return columns, Origin("pandas", kinds, df.index, df.columns)
    if pl is not None and isinstance(df, pl.LazyFrame):
        raise InvalidTypeError("got a LazyFrame; expected a DataFrame, which its .collect() gives")
    if pl is not None and isinstance(df, pl.DataFrame):
        columns = _by_name(df.columns, df)
        return columns, Origin("polars", {name: Kind(series.dtype) for name, series in columns.items()})
    if pa is not None and isinstance(df, (pa.Table, pa.RecordBatch)):
        columns = _by_name(df.column_names, df.columns)
        return columns, Origin("arrow", {field.name: Kind(field) for field in df.schema})
    if is_pandas(df) or not (hasattr(df, "__arrow_c_stream__") or hasattr(df, "__arrow_c_array__")):
        expected = "a DataFrame of pandas or polars, a Table of pyarrow, or what gives Arrow structs"
        raise InvalidTypeError(f"got a {type(df).__name__}; expected {expected}")
    return _by_name(*struct_columns(df)), Origin("arrow", {})


def _by_name(names: Iterable[Any], columns: Iterable[Any]) -> dict[Any, Any]:
    names = list(names)
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(f"two columns have the name {twice!r}; expected a name of its own for each")
    return dict(zip(names, columns, strict=True))


def _check_pages(pages: Mapping[Any, EncodedPage], library: Library) -> None:
    first = None
    for name, page in pages.items():
        with naming(name):
            if not isinstance(page, EncodedPage) or page.holds_integers:
                raise TypeError(f"expected an EncodedPage of strings, got {page!r:.80}")
            if library != "pandas" and not isinstance(name, str):
                raise TypeError(f"expected a str as the name, got {type(name).__name__}, which only pandas takes")
            first = first or (name, page.num_values)
            if page.num_values != first[1]:
                raise ValueError(f"expected {first[1]} values, as column {first[0]!r} has, got {page.num_values}")


def _strings_of(page: EncodedPage, limit: int) -> StringColumn:
    return cast("StringColumn", decode(page, max_data_size=limit))


def _pandas_series(page: EncodedPage, kind: Kind, limit: int) -> Any:
    import pandas as pd  # noqa: PLC0415 - not needed to import colcodec

    if isinstance(kind.dtype, pd.CategoricalDtype):
        if page.encoding not in DICTIONARY_ENCODINGS:  # the distinct values are found sooner than by pandas
            page = encode(_strings_of(page, limit), Encoding.RLE_DICTIONARY, max_dictionary_size=MAX_INT32)
        found = decode_indices(page, max_data_size=limit).to_pandas()
        series = found.cat.set_categories(kind.dtype.categories, ordered=kind.dtype.ordered)
        if series.count() < page.num_valid:  # pandas makes nulls of what it does not know
            raise InvalidColumnError("a value is none of the categories that the column had")
        return series
    return to_pandas(_strings_of(page, limit), kind.dtype, kind.null)


def _pandas_frame(columns: dict[Any, Any], origin: Origin) -> Any:
    import pandas as pd  # noqa: PLC0415 - not needed to import colcodec

    frame = pd.DataFrame(dict(enumerate(columns.values())), copy=False)
    frame.columns = list(columns)
    if origin.names is not None:
        frame.index = origin.index
        places = {name: i for i, name in enumerate(origin.names)}
        if columns.keys() <= places.keys():  # so that they have the type and the name that they had
            frame.columns = origin.names[[places[name] for name in columns]]
    return frame


def _polars_series(page: EncodedPage, kind: Kind, limit: int) -> Any:
    series = to_polars(_strings_of(page, limit))
    return series if kind.dtype is None else series.cast(kind.dtype)


def _polars_frame(columns: dict[Any, Any], _: Origin) -> Any:
    import polars as pl  # noqa: PLC0415 - not needed to import colcodec

    return pl.DataFrame(columns)


def _arrow_array(page: EncodedPage, kind: Kind, limit: int) -> Any:
    return to_pyarrow(_strings_of(page, limit), None if kind.dtype is None else kind.dtype.type)


def _arrow_table(columns: dict[Any, Any], origin: Origin) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - not needed to import colcodec

    known = {name: kind.dtype for name, kind in origin.kinds.items()}
    fields = [known.get(name) or pa.field(name, array.type) for name, array in columns.items()]
    return pa.Table.from_arrays(list(columns.values()), schema=pa.schema(fields))


_LIBRARIES: Final[dict[Library, tuple[Callable[..., Any], Callable[..., Any]]]] = {
    "pandas": (_pandas_series, _pandas_frame),
    "polars": (_polars_series, _polars_frame),
    "arrow": (_arrow_array, _arrow_table),
}
"""How a page becomes a column of each library, and columns a dataframe."""
