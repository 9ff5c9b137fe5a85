"""Series of polars in and out, of every dtype that holds strings, against plain Python lists."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_series_equal

import colcodec as cc

TEXT = ["a", "", None, "ä\0\0", "a text that is longer than a view holds 🎈", "a", None, "zebra"]
BYTES = [b"a", b"", None, b"\xff\0", b"more bytes than a view holds", None, b"zebra"]
DTYPES = {
    "String": (pl.String, TEXT),
    "Categorical": (pl.Categorical, TEXT),
    "Enum": (pl.Enum(["never", *dict.fromkeys(filter(None, [*TEXT, "later"])), ""]), TEXT),
    "Binary": (pl.Binary, BYTES),
}


# --- The way in ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [0, 1, 3, 6])
@pytest.mark.parametrize("dtype", DTYPES)
def test_slices(dtype, start):
    """Nulls, empty values, NULs and other scripts."""
    dtype, values = DTYPES[dtype]
    column = cc.column(pl.Series(values, dtype=dtype)[start : start + 4])
    assert (column.to_pylist(), column.utf8) == (values[start : start + 4], dtype != pl.Binary)
    column.validate()


@pytest.mark.parametrize("dtype", DTYPES)
def test_chunks(dtype):
    """As concatenated Series have them, cut within two of them."""
    dtype, values = DTYPES[dtype]
    series = pl.concat([pl.Series(part, dtype=dtype) for part in (values[:3], [], values, values[2:])], rechunk=False)
    assert series.n_chunks() >= 3
    assert cc.column(series).to_pylist() == [*values[:3], *values, *values[2:]]
    assert cc.column(series[1:-2]).to_pylist() == [*values[:3], *values, *values[2:]][1:-2]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("values", [[], [None], [None, None]], ids=str)
def test_nothing_and_nulls(dtype, values):
    """Text or bytes, as the dtype says."""
    column = cc.column(pl.Series(values, dtype=DTYPES[dtype][0]))
    assert (column.to_pylist(), column.utf8) == (values, dtype != "Binary")


def test_the_dtype_of_nulls():
    """Which holds nothing else."""
    assert cc.column(pl.Series([None, None])).to_pylist() == [None, None]


@pytest.mark.parametrize("values", [[1], [1.5], [True], [["a"]], [{"a": "b"}]], ids=str)
def test_other_dtypes(values):
    """Are refused, also where strings are inside."""
    with pytest.raises(cc.InvalidTypeError, match="got Arrow data of type "):
        cc.column(pl.Series(values))


def test_objects_are_refused():
    """For Arrow polars makes bytes of them: their addresses."""
    series = pl.Series("a", [object(), "a"], dtype=pl.Object)
    with pytest.raises(cc.InvalidTypeError, match=r"dtype Object; .* \(see its \.to_list\(\)\)"):
        cc.column(series)
    assert list(cc.encode_frame(pl.DataFrame([series, pl.Series("b", ["x", "y"])]), "PLAIN")) == ["b"]


def test_a_dataframe_is_no_column():
    """The error says what else there is."""
    with pytest.raises(cc.InvalidTypeError, match=r"choose a column, or see cc\.encode_frame"):
        cc.column(pl.DataFrame({"a": ["a"]}))


# --- The way out -----------------------------------------------------------------------------------------------------


@given(st.lists(st.none() | st.text(max_size=20), max_size=30), st.integers(0, 9), st.booleans())
def test_there_and_back(values, start, utf8):
    """Text and bytes, whole and sliced."""
    if not utf8:
        values = [None if value is None else value.encode("utf-16") for value in values]
    series = pl.Series(values, dtype=pl.String if utf8 else pl.Binary)[start:]
    column = cc.StringColumn([0], b"", utf8=utf8) if not values else cc.column(pl.Series(values, dtype=series.dtype))
    assert_series_equal(column[start:].to_polars(), series)


@pytest.mark.parametrize("valid", [True, False])
def test_text_that_is_no_utf8(valid):
    """Polars would believe it; under a null it does not matter."""
    column = cc.StringColumn([0, 1, 2], b"a\xff", [True, valid])
    if valid:
        with pytest.raises(cc.InvalidColumnError, match=r"value 1 is .* expected valid UTF-8") as caught:
            column.to_polars()
        assert caught.value.index == 1
    else:
        assert column.to_polars().to_list() == ["a", None]
