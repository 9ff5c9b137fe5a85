"""Series of pandas in and out, of every dtype that holds strings, against plain Python lists."""

import datetime
import decimal
from itertools import chain

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import colcodec as cc
from colcodec.convert.pandas import from_pandas, to_pandas

VERSION = tuple(map(int, pd.__version__.split(".")[:2]))
PANDAS_3 = VERSION >= (3, 0)

TEXT_DTYPES = {
    "object": object,
    "string[python]": pd.StringDtype("python"),
    "string[pyarrow]": pd.StringDtype("pyarrow"),
    "category": "category",
    "category of pyarrow": pd.CategoricalDtype(pd.Index(["", "zebra", "ä\0\0", "a", "🎈"], dtype="string[pyarrow]")),
    "string": pd.ArrowDtype(pa.string()),
    "large_string": pd.ArrowDtype(pa.large_string()),
    "dictionary": pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())),
}
if VERSION >= (2, 3):
    TEXT_DTYPES["str of python"] = pd.StringDtype("python", na_value=np.nan)
    TEXT_DTYPES["str of pyarrow"] = pd.StringDtype("pyarrow", na_value=np.nan)
BYTES_DTYPES = {
    "object": object,
    "category": "category",
    "binary": pd.ArrowDtype(pa.binary()),
    "large_binary": pd.ArrowDtype(pa.large_binary()),
}

TEXT = ["a", "", None, "ä\0\0", "🎈", "a", None, "zebra"]
BYTES = [b"a", b"", None, b"\xff\0", b"a", None, b"zebra"]
LAYOUTS = [slice(None), slice(3, 6), slice(1, None, 2), slice(None, None, -1), slice(2, 3), slice(0, 0)]


def is_text(dtype):
    return dtype not in ("binary", "large_binary")


# --- The way in ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("make", [pd.Series, pd.Index, pd.array], ids=["Series", "Index", "array"])
@pytest.mark.parametrize("dtype", TEXT_DTYPES)
def test_text(dtype, make, layout):
    """Nulls, empty values, NULs and other scripts, in slices and steps."""
    column = cc.column(make(TEXT, dtype=TEXT_DTYPES[dtype])[layout])
    assert (column.to_pylist(), column.utf8) == (TEXT[layout], True)
    column.validate()


@pytest.mark.parametrize("layout", LAYOUTS[:4], ids=str)
@pytest.mark.parametrize("make", [pd.Series, pd.Index], ids=["Series", "Index"])
@pytest.mark.parametrize("dtype", BYTES_DTYPES)
def test_bytes(dtype, make, layout):
    """Which are binary, and need not be UTF-8."""
    column = cc.column(make(BYTES, dtype=BYTES_DTYPES[dtype])[layout])
    assert (column.to_pylist(), column.utf8) == (BYTES[layout], False)


@pytest.mark.parametrize("null", [None, np.nan, pd.NA, pd.NaT, float("nan"), np.float64("nan")], ids=repr)
@pytest.mark.parametrize("dtype", ["object", "string[python]", "string[pyarrow]", "category"])
def test_what_is_missing(dtype, null):
    """None, NaN, NA and NaT, in whatever dtype takes them."""
    if null is pd.NaT and dtype.startswith("string"):
        pytest.skip("pandas itself makes text of it, or refuses it")
    series = pd.Series(["a", null, "b"], dtype=TEXT_DTYPES[dtype])
    assert series.isna().tolist() == [False, True, False]
    assert cc.column(series).to_pylist() == ["a", None, "b"]


@pytest.mark.parametrize("dtype", ["object", "category", "string[python]", "string[pyarrow]", "string"])
@pytest.mark.parametrize("values", [[], [None], [None, None]], ids=str)
def test_nothing_and_nulls(dtype, values):
    """A column of text, as it is of lists."""
    column = cc.column(pd.Series(values, dtype=TEXT_DTYPES[dtype]))
    assert (column.to_pylist(), column.utf8) == (values, True)


@given(
    st.lists(st.none() | st.text(st.sampled_from("a\0é🎈"), max_size=20), max_size=30), st.sampled_from([*TEXT_DTYPES])
)
def test_any_text(values, dtype):
    """There and back, in every dtype."""
    dtype = "category" if dtype == "category of pyarrow" else TEXT_DTYPES[dtype]
    series = pd.Series(values, dtype=dtype)
    column = from_pandas(series)
    assert column.to_pylist() == [None if pd.isna(value) else value for value in series]  # pandas 2.2 loses NULs
    pd.testing.assert_series_equal(to_pandas(column, series.dtype), series)


def test_chunks():
    """As concatenated Series of pyarrow have them."""
    parts = [pd.Series(part, dtype="string[pyarrow]") for part in (["a", None], [], ["b", "🎈"])]
    assert cc.column(pd.concat(parts)[1:]).to_pylist() == [None, "b", "🎈"]


def test_text_of_pyarrow_is_not_copied():
    """A Series of one chunk of large_string shares its memory."""
    chunk = pa.array(["axis", None, "axle"], pa.large_string())
    column = cc.column(pd.Series(chunk, dtype=pd.ArrowDtype(chunk.type)))
    assert column.data.ctypes.data == chunk.buffers()[2].address
    del chunk
    assert column.to_pylist() == ["axis", None, "axle"]


def test_a_category_that_no_value_has():
    """Categories are no values."""
    series = pd.Series(pd.Categorical.from_codes([1, -1, 1], ["never", "always"], ordered=True))
    assert cc.column(series).to_pylist() == ["always", None, "always"]
    assert cc.column(series.cat.codes.index.astype(str)).to_pylist() == ["0", "1", "2"]


def test_codes_that_are_wrong():
    """Which pandas does not look at when told not to."""
    codes = pd.Categorical.from_codes(np.array([0, 3], np.int8), ["a"], validate=False)
    with pytest.raises(cc.InvalidColumnError, match="value 1 has the index 3; expected one of a dictionary of 1 value"):
        cc.column(codes)


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([1, 2]),
        pd.Series([1.5, None]),
        pd.Series([True]),
        pd.Series([pd.Timestamp(0)]),
        pd.Series([1, None], dtype="Int64"),
        pd.Index([1, 2]),
        pd.array([1, 2]),
        pd.Series(pd.arrays.SparseArray(["a"])),
        pd.period_range("2020", periods=2, freq="D"),
    ],
    ids=lambda values: str(values.dtype),
)
def test_other_dtypes(values):
    """Are named."""
    with pytest.raises(cc.InvalidTypeError) as caught:
        cc.column(values)
    expected = "expected str, string, object, category, or an ArrowDtype of strings"
    assert str(caught.value) == f"got a {type(values).__name__} of dtype {values.dtype}; {expected}"


def test_other_dtypes_of_pyarrow_and_of_categories():
    """Are named as well."""
    with pytest.raises(cc.InvalidTypeError, match="got Arrow data of type int64"):
        cc.column(pd.Series([1], dtype=pd.ArrowDtype(pa.int64())))
    with pytest.raises(cc.InvalidTypeError, match=r"in the categories: got a .*Index of dtype int64"):
        cc.column(pd.Series([1], dtype="category"))


@pytest.mark.parametrize("value", [1, 1.5, True, datetime.date(2020, 1, 1), decimal.Decimal(1), ("a",), b"b"], ids=repr)
def test_objects_that_are_no_strings(value):
    """The error has the place, whatever the index says."""
    with pytest.raises(cc.InvalidTypeError, match="value 2 is ") as caught:
        cc.column(pd.Series(["a", None, value], index=[7, 8, 9], dtype=object))
    assert caught.value.index == 2


@pytest.mark.parametrize(("wrong", "kind"), [(1, cc.InvalidTypeError), ("\ud800", cc.InvalidColumnError)])
def test_categories_that_are_no_strings(wrong, kind):
    """Have a place among the categories, which is none of a value."""
    categories = pd.Index(["a", wrong], dtype=object)
    with pytest.raises(kind, match="in the categories: value 1 ") as caught:
        cc.column(pd.Series(["a", "a", None], dtype=pd.CategoricalDtype(categories)))
    assert caught.value.index is None


def test_a_lone_surrogate():
    """Has no UTF-8 (pandas#22610)."""
    with pytest.raises(cc.InvalidColumnError, match="value 1 holds the lone surrogate 0xd800"):
        cc.column(pd.Series(["a", "\ud800"], dtype=object))


def test_an_index_of_several_levels():
    """Holds tuples."""
    with pytest.raises(cc.InvalidTypeError, match="of type tuple"):
        cc.column(pd.MultiIndex.from_tuples([("a", "b")]))


def test_a_dataframe_is_no_column():
    """The error says what else there is."""
    with pytest.raises(cc.InvalidTypeError, match=r"expected one of its columns .encode_frame"):
        cc.column(pd.DataFrame({"a": ["a"]}))


def test_subclasses():
    """As geopandas makes them."""

    class Named(pd.Series):
        pass

    assert cc.column(Named(["a", None], dtype=object)).to_pylist() == ["a", None]


# --- The way out -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [TEXT, TEXT[:1], [], [None]], ids=str)
def test_text_out(values):
    """Of the dtype that pandas itself gives to text."""
    series = cc.column(values).to_pandas()
    assert series.dtype == ("str" if PANDAS_3 else object)
    pd.testing.assert_series_equal(series, pd.Series(values, dtype="str" if PANDAS_3 else object))
    assert cc.column(series).to_pylist() == values


def test_bytes_out():
    """Are objects."""
    series = cc.column(BYTES).to_pandas()
    assert (series.dtype, series.tolist()) == (object, BYTES)


@pytest.mark.parametrize("make", [pd.Series, pd.Index, pd.array])
@pytest.mark.parametrize("dtype", [None, "str", "object", "string", "string[python]", "string[pyarrow]", "category"])
def test_pandas_takes_a_column(make, dtype):
    """Itself, by what it finds: `__array__`, `to_numpy(dtype=object)`, iteration."""
    found = make(cc.column(TEXT), dtype=dtype)
    if dtype != "str" or PANDAS_3:  # before, pandas makes text of nulls
        assert [None if pd.isna(value) else value for value in found] == TEXT


def test_text_out_to_pyarrow_is_not_copied():
    """The Series keeps the memory of the column."""
    column = cc.column(["axis", None, "axle"])
    address = column.data.ctypes.data
    series = to_pandas(column, pd.StringDtype("pyarrow"))
    del column
    chunk = series.array.__arrow_array__().chunk(0)
    assert chunk.buffers()[2].address == address
    assert chunk.to_pylist() == ["axis", None, "axle"]


def test_a_slice_out():
    """Begins where the slice does, also in the middle of a byte of the bitmap."""
    assert cc.column(TEXT)[1:6].to_pandas().fillna("-").tolist() == ["", "-", "ä\0\0", "🎈", "a"]


@pytest.mark.skipif(VERSION < (2, 3), reason="pandas gives no dtype of its own to text")
@pytest.mark.parametrize("storage", ["python", "pyarrow"])
def test_the_storage_that_users_chose(storage):
    """By pandas' own options, which also make pandas 2 give a dtype to text."""
    options = {"mode.string_storage": storage} | ({} if PANDAS_3 else {"future.infer_string": True})
    with pd.option_context(*chain.from_iterable(options.items())):
        series = cc.column(["a", None]).to_pandas()
        assert series.dtype == pd.Series(["a"]).dtype
    assert (series.dtype.storage, series.isna().tolist()) == (storage, [False, True])


@pytest.mark.parametrize("dtype", ["object", "string[python]", "string[pyarrow]", None])
def test_text_that_is_no_utf8(dtype):
    """Is found before pandas gets it."""
    column = cc.StringColumn([0, 1, 2], b"a\xff")
    with pytest.raises(cc.InvalidColumnError, match=r"value 1 is b'.xff'; expected valid UTF-8") as caught:
        to_pandas(column, TEXT_DTYPES.get(dtype))
    assert caught.value.index == 1


def test_nulls_are_what_was_asked_for():
    """J16: of what missing values come back as, the output decides: None, NaN, or what NumPy is told."""
    column = cc.column(pl.Series(["a", None, "longer than what a view holds"]))  # views
    assert column.to_pylist()[1] is column.to_numpy("O")[1] is column.to_numpy("T")[1] is None
    assert column.to_pandas().isna().tolist() == [False, True, False]
    assert (column.to_pandas()[1] is None) == (not PANDAS_3)
    frame = pd.DataFrame(
        {name: pd.Series(["a", null], dtype=object) for name, null in (("None", None), ("nan", np.nan))}
    )
    decoded = cc.decode_frame(cc.encode_frame(frame, "PLAIN"))
    assert decoded["None"][1] is None
    assert isinstance(decoded["nan"][1], float)
