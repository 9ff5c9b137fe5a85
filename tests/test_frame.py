"""Dataframes of pandas, polars and Arrow, to pages and back."""

import pickle

import duckdb
import nanoarrow as na
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from polars.testing import assert_frame_equal as assert_polars_equal

import colcodec as cc

ENCODINGS = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", None]
TEXT = ["a", None, "", "ä\0", "a", "🎈"]
BYTES = [b"a", None, b"", b"\xff\0", b"a", b"b"]
STRINGS = ["object", "bytes", "python", "pyarrow", "category", "ordered", "arrow", "nulls"]


def pandas_frame():
    """Make columns of every dtype of strings among others, under an index that is no range."""
    return pd.DataFrame(
        {
            "number": range(6),
            "object": pd.Series(["a", np.nan, "", "ä\0", np.nan, "🎈"], dtype=object),
            "bytes": pd.Series(BYTES, dtype=object),
            "mixed": pd.Series(["a", b"b", None, 1, "c", "d"], dtype=object),
            "python": pd.Series(TEXT, dtype="string[python]"),
            "pyarrow": pd.Series(TEXT, dtype="string[pyarrow]"),
            "category": pd.Series(TEXT, dtype="category"),
            "ordered": pd.Categorical.from_codes([1, 0, -1, 1, 0, 1], ["high", "low", "never"][::-1], ordered=True),
            "numbers": pd.Series([1, 2, 1, 1, 2, 2], dtype="category"),
            "arrow": pd.Series(TEXT, dtype=pd.ArrowDtype(pa.string())),
            "nulls": pd.Series([None] * 6, dtype=object),
            "time": pd.date_range("2020", periods=6),
        }
    ).set_axis(pd.MultiIndex.from_product([["x", "y"], [1, 2, 3]], names=["letter", None]))


def polars_frame():
    """Make columns of every dtype of strings among others, in two chunks."""
    frame = pl.DataFrame(
        {
            "number": range(6),
            "text": TEXT,
            "bytes": BYTES,
            "category": pl.Series(TEXT, dtype=pl.Categorical),
            "enum": pl.Series(["low", "high", None] * 2, dtype=pl.Enum(["never", "low", "high"])),
            "nulls": [None] * 6,
            "list": [["a"]] * 6,
        }
    )
    return pl.concat([frame[:2], frame[2:]], rechunk=False)


def arrow_table():
    """Make columns of every type of strings among others, in two chunks."""
    columns = {
        "number": pa.array(range(6)),
        "string": pa.array(TEXT),
        "large": pa.array(TEXT, pa.large_string()),
        "view": pa.array(TEXT, pa.string_view()),
        "binary": pa.array(BYTES),
        "fixed": pa.array([b"ab", None, b"cd"] * 2, pa.binary(2)),
        "nulls": pa.nulls(6),
    }
    table = pa.table(columns).replace_schema_metadata({"what": "ever"})
    return pa.concat_tables([table[:2], table[2:]])


# --- There and back --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("rows", [slice(None), slice(3, 4), slice(0, 0), slice(None, None, -2)], ids=str)
def test_pandas(rows, encoding):
    """The string columns come back with index, dtypes and categories."""
    df = pandas_frame()[rows]
    pages = cc.encode_frame(df, encodings=encoding)
    expected = df[STRINGS] if len(df) else df[[*STRINGS[:2], "mixed", *STRINGS[2:]]]  # nothing is no number
    assert list(pages) == list(expected)
    assert_frame_equal(cc.decode_frame(pages), expected)
    assert {name: page.num_values for name, page in pages.items()} == dict.fromkeys(expected, len(df))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("rows", [slice(None), slice(3, 4), slice(0, 0), slice(1, 4)], ids=str)
def test_polars(rows, encoding):
    """The string columns come back with dtypes and categories."""
    df = polars_frame()[rows]
    pages = cc.encode_frame(df, encodings=encoding)
    assert_polars_equal(cc.decode_frame(pages), df.drop("number", "list"))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("rows", [slice(None), slice(3, 4), slice(0, 0), slice(1, 4)], ids=str)
def test_arrow(rows, encoding):
    """The string columns come back with their types; a batch is a table then."""
    table = arrow_table()[rows]
    expected = table.drop_columns("number")
    assert cc.decode_frame(cc.encode_frame(table, encodings=encoding)).equals(expected)
    batch = table.combine_chunks().to_batches()[0] if len(table) else table.schema.empty_table().to_batches()
    if batch:
        assert cc.decode_frame(cc.encode_frame(batch, encodings=encoding)).equals(expected)


def test_fields_of_arrow():
    """Keep what is told of them."""
    field = pa.field("a", pa.string(), nullable=False, metadata={"unit": "m"})
    table = cc.decode_frame(cc.encode_frame(pa.table([pa.array(["x"])], pa.schema([field]))))
    assert table.field(0).equals(field, check_metadata=True)


def test_dictionaries_of_arrow():
    """Are made anew, of the same type."""
    array = pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), ["b", "a", "never"])
    table = cc.decode_frame(cc.encode_frame(pa.table({"a": array})))
    assert (table["a"].type, table["a"].to_pylist()) == (array.type, ["a", None, "b"])


def test_other_libraries():
    """Whatever gives structs by Arrow's interface becomes a table."""
    relation = duckdb.sql("SELECT * FROM (VALUES ('a', 1, 'x'::BLOB), (NULL, 2, NULL)) AS t(text, number, bytes)")
    table = cc.decode_frame(cc.encode_frame(relation))
    expected = pa.table({"text": ["a", None], "bytes": [b"x", None]})
    assert table.equals(expected.cast(pa.schema({"text": pa.large_string(), "bytes": pa.large_binary()})))


def test_slices_of_structs():
    """Whose children do not know that they are sliced."""
    structs = pa.array([{"a": str(i), "b": i, "c": "xy"[i % 2]} for i in range(9)])
    pages = cc.encode_frame(structs[3:8], encodings="PLAIN")
    assert cc.decode(pages["a"]).to_pylist() == list("34567")
    assert cc.decode(pages["c"]).to_pylist() == list("yxyxy")
    stream = na.c_array_stream(pa.chunked_array([structs[1:2], structs[:0], structs[7:]]))
    assert cc.decode(cc.encode_frame(stream)["a"]).to_pylist() == list("178")


@given(st.lists(st.none() | st.text(max_size=9), max_size=20), st.sampled_from(ENCODINGS))
def test_any_column(values, encoding):
    """In all libraries at once."""
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        df = make({"a": pd.Series(values, dtype="string") if make is pd.DataFrame else pa.array(values, pa.string())})
        assert cc.decode_frame(cc.encode_frame(df, encodings=encoding)).equals(df)


def test_pickle():
    """Pages and what they cannot tell travel together."""
    for df in (pandas_frame(), polars_frame(), arrow_table()):
        pages = pickle.loads(pickle.dumps(cc.encode_frame(df, encodings="DELTA_BYTE_ARRAY")))
        assert isinstance(pages, cc.EncodedFrame)
        assert cc.decode_frame(pages).equals(cc.decode_frame(cc.encode_frame(df)))


def test_nothing_to_encode():
    """A dataframe without string columns has no pages, but its index."""
    df = pd.DataFrame({"a": [1, 2]}, index=["x", "y"])
    pages = cc.encode_frame(df)
    assert pages == {}
    assert_frame_equal(cc.decode_frame(pages), df[[]])
    for make in (pd.DataFrame, pl.DataFrame, lambda data: pa.table({})):
        df = make({})
        assert cc.decode_frame(cc.encode_frame(df)).equals(df)


# --- Encodings -------------------------------------------------------------------------------------------------------


def test_encodings_of_each():
    """A mapping tells which columns, in which order, and how; None leaves it to `choose`."""
    pages = cc.encode_frame(pandas_frame(), encodings={"python": "PLAIN", "object": cc.Encoding.DELTA_BYTE_ARRAY})
    assert [(name, page.encoding.name) for name, page in pages.items()] == [
        ("python", "PLAIN"),
        ("object", "DELTA_BYTE_ARRAY"),
    ]
    assert_frame_equal(cc.decode_frame(pages), pandas_frame()[["python", "object"]])
    words = [f"word {i % 7}" for i in range(5000)]
    for encodings in (None, {"words": None}):
        page = cc.encode_frame(pl.DataFrame({"words": words}), encodings)["words"]
        assert page.encoding is cc.choose(words, compression="none").encoding


def test_a_dictionary_that_is_too_large():
    """Is never chosen, and refused where it is asked for."""
    df = pl.DataFrame({"few": ["a"] * 200_000, "many": [f"{i:08}" for i in range(200_000)]})
    pages = cc.encode_frame(df)
    assert (pages["few"].encoding.name, pages["many"].dictionary) == ("RLE_DICTIONARY", None)
    with pytest.raises(cc.DictionaryTooLarge, match="column 'many': the dictionary takes more than") as caught:
        cc.encode_frame(df, encodings="RLE_DICTIONARY")
    assert caught.value.index > 0


def test_columns_that_are_no_strings_are_not_named_in_vain():
    """The error has the name, and the place where there is one."""
    for df in (pandas_frame(), polars_frame(), arrow_table()):
        with pytest.raises(cc.InvalidTypeError, match=r"column 'number': got .*int64"):
            cc.encode_frame(df, encodings={"number": "PLAIN"})
    with pytest.raises(cc.InvalidTypeError, match="column 'mixed': value 1 is b'b' of type bytes") as caught:
        cc.encode_frame(pandas_frame(), encodings={"object": "PLAIN", "mixed": "PLAIN"})
    assert caught.value.index == 1


@pytest.mark.parametrize(
    ("encodings", "kind", "message"),
    [
        ({"b": "PLAIN"}, KeyError, r"no column 'b' among \['a'\]"),
        ({"a": "FOO"}, ValueError, "column 'a': unknown encoding 'FOO'"),
        ({"a": 7}, TypeError, "column 'a': encoding must be an Encoding or its name"),
        ("FOO", ValueError, "unknown encoding 'FOO'"),
        (["PLAIN"], TypeError, "encoding must be an Encoding or its name .* got list"),
        ("BYTE_STREAM_SPLIT", ValueError, "BYTE_STREAM_SPLIT is for values of one length"),
        ({"a": "DELTA_BINARY_PACKED"}, cc.InvalidTypeError, "column 'a': DELTA_BINARY_PACKED takes .* integers"),
    ],
)
def test_encodings_that_are_not(encodings, kind, message):
    """By what the fault is in."""
    with pytest.raises(kind, match=message) as caught:
        cc.encode_frame(pl.DataFrame({"a": ["x"]}), encodings=encodings)
    assert type(caught.value) is kind


# --- Names and dataframes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        pd.RangeIndex(3),
        pd.Index([2, "two", None], dtype=object),
        pd.Index(["a", "b", "c"], name="letters", dtype=object),
        pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["x", "y"]),
        pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]),
    ],
    ids=lambda names: type(names).__name__,
)
def test_names_of_pandas(names):
    """Need not be str, nor does their index lose its name or its type."""
    df = pd.DataFrame([["a", 1, "b"], ["c", 2, None]])
    df.columns = names
    pages = cc.encode_frame(df, encodings="PLAIN")
    assert list(pages) == [names[0], names[2]]
    assert_frame_equal(cc.decode_frame(pages), df.iloc[:, [0, 2]])
    assert_frame_equal(cc.decode_frame(cc.encode_frame(df, encodings={names[2]: "PLAIN"})), df.iloc[:, [2]])


def test_names_that_are_not_unique():
    """Cannot be those of a dict."""
    df = pd.DataFrame([["a", 1, "b"]], columns=["x", "y", "x"])
    for frame in (df, pa.Table.from_arrays([pa.array(["a"])] * 2, ["x", "x"])):
        with pytest.raises(ValueError, match="two columns have the name 'x'"):
            cc.encode_frame(frame)


def test_names_that_only_pandas_has():
    """The others have str alone."""
    pages = cc.encode_frame(pd.DataFrame({0: ["a"]}))
    for to in ("polars", "arrow"):
        with pytest.raises(TypeError, match="column 0: expected a str as the name, got int"):
            cc.decode_frame(pages, to=to)


@pytest.mark.parametrize(
    "df",
    [["a"], {"a": ["b"]}, None, "a", pd.Series(["a"]), pd.Index(["a"]), np.array(["a"]), cc.StringColumn([0], b"")],
    ids=lambda df: type(df).__name__,
)
def test_what_is_no_dataframe(df):
    """Is told what would be one."""
    with pytest.raises(cc.InvalidTypeError, match=r"got .*; expected (a DataFrame|struct, a dataframe)"):
        cc.encode_frame(df)


def test_frames_to_be_collected():
    """Have no values yet."""
    with pytest.raises(cc.InvalidTypeError, match=r"got a LazyFrame; .*\.collect"):
        cc.encode_frame(pl.LazyFrame({"a": ["b"]}))


def test_structs_that_are_null():
    """Are no rows of a dataframe."""
    with pytest.raises(cc.InvalidColumnError, match="structs that are null"):
        cc.encode_frame(pa.array([{"a": "b"}, None]))


def test_values_that_cannot_be_encoded():
    """An error of the column, which is not left out."""
    df = pd.DataFrame({"a": [1], "b": pd.Series(["\ud800"], dtype=object)})
    with pytest.raises(cc.InvalidColumnError, match="column 'b': value 0 holds the lone surrogate") as caught:
        cc.encode_frame(df)
    assert caught.value.index == 0


# --- Plain dicts of pages --------------------------------------------------------------------------------------------


def test_pages_of_a_dict():
    """As somebody read them from a file, to the library that is asked for."""
    pages = {"text": cc.encode(TEXT, "DELTA_BYTE_ARRAY"), "bytes": cc.encode(BYTES, "RLE_DICTIONARY")}
    expected = pd.DataFrame({"text": cc.column(TEXT).to_pandas(), "bytes": pd.Series(BYTES, dtype=object)})
    assert_frame_equal(cc.decode_frame(pages, to="pandas"), expected)
    assert_polars_equal(cc.decode_frame(pages, to="polars"), pl.DataFrame({"text": TEXT, "bytes": BYTES}))
    schema = pa.schema({"text": pa.large_string(), "bytes": pa.large_binary()})
    assert cc.decode_frame(pages, to="arrow").equals(pa.table({"text": TEXT, "bytes": BYTES}).cast(schema))


def test_to_another_library():
    """The values alone can go there."""
    pages = cc.encode_frame(pandas_frame()[["object", "category"]])
    values = {"object": ["a", None, "", "ä\0", None, "🎈"], "category": TEXT}
    assert_polars_equal(cc.decode_frame(pages, to="polars"), pl.DataFrame(values))
    assert cc.decode_frame(pages, to="arrow").to_pydict() == values
    assert_frame_equal(cc.decode_frame(pages, to="pandas"), cc.decode_frame(pages))


def test_an_encoded_frame_is_a_dict():
    """Pages may be taken out and put in."""
    pages = cc.encode_frame(pandas_frame()[["object", "category"]])
    pages["more"] = pages.pop("object")
    df = cc.decode_frame(pages)
    assert (list(df.columns), df["more"].tolist()[:1]) == (["category", "more"], ["a"])
    del pages["more"]
    assert_frame_equal(cc.decode_frame(pages), pandas_frame()[["category"]])


@pytest.mark.parametrize("encoding", ["PLAIN", "RLE_DICTIONARY"])
def test_categories_are_those_that_there_were(encoding):
    """A page that was put in may have no others."""
    pages = cc.encode_frame(pandas_frame()[["ordered"]])
    pages["ordered"] = cc.encode(["high", None, "low", "never", "low", "low"], encoding)
    assert cc.decode_frame(pages)["ordered"].cat.codes.tolist() == [2, -1, 1, 0, 1, 1]
    pages["ordered"] = cc.encode(["high", None, "low", "NEVER", "low", "low"], encoding)
    with pytest.raises(cc.InvalidColumnError, match="column 'ordered': a value is none of the categories"):
        cc.decode_frame(pages)


@pytest.mark.parametrize(
    ("pages", "options", "kind", "message"),
    [
        ([], {"to": "pandas"}, TypeError, "expected pages by the names of their columns, got a list"),
        ({}, {}, TypeError, "a mapping of pages needs to='pandas', to='polars' or to='arrow'"),
        ({}, {"to": "spark"}, ValueError, "to is 'spark'; expected one of 'pandas', 'polars', 'arrow'"),
        ({}, {"to": "arrow", "max_data_size": -1}, ValueError, "max_data_size must not be negative"),
        ({"a": b"bytes"}, {"to": "pandas"}, TypeError, "column 'a': expected an EncodedPage of strings, got b'bytes'"),
        (
            {"a": cc.encode([1], "DELTA_BINARY_PACKED")},
            {"to": "pandas"},
            TypeError,
            "column 'a': expected an EncodedPage of strings, got EncodedPage.DELTA_BINARY",
        ),
        (
            {"a": cc.encode(["x"], "PLAIN"), "b": cc.encode(["x", None], "PLAIN")},
            {"to": "polars"},
            ValueError,
            "column 'b': expected 1 values, as column 'a' has, got 2",
        ),
        (
            {"a": cc.EncodedPage("PLAIN", b"\5\0\0\0a", 1)},
            {"to": "pandas"},
            cc.MalformedPageError,
            "column 'a': PLAIN page, byte 0",
        ),
        ({"a": cc.encode(["xyz"], "PLAIN")}, {"to": "arrow", "max_data_size": 2}, cc.LimitError, "column 'a': PLAIN"),
        *(
            (
                {"a": cc.EncodedPage("PLAIN", b"\1\0\0\0\xff", 1, dtype="utf8")},
                {"to": to},
                cc.InvalidColumnError,
                "column 'a': value 0 is b'.xff'; expected valid UTF-8",
            )
            for to in ("pandas", "polars", "arrow")
        ),
    ],
)
def test_what_cannot_be_decoded(pages, options, kind, message):
    """The column is named, where it is the column's fault."""
    with pytest.raises(kind, match=message) as caught:
        cc.decode_frame(pages, **options)
    assert type(caught.value) is kind
