"""Both ways between colcodec and other implementations, through files of one column."""

import battery
import duckdb
import naive
import numpy as np
import parquet_file
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import strategies
from hypothesis import given, settings

import colcodec as cc

URLS = sorted(f"https://www.example.org/{'abc'[i % 3]}/{i * i % 7919:04d}?q={i % 10}" for i in range(1000))
TEXT_COLUMNS = {
    "empty": [],
    "one": ["solo"],
    "all_null": [None] * 300,
    "nulls": ["Hello", None, "World", "", None, None, "Foobar", "ABCDEF", None] * 40,
    "late": [None] * 200 + ["first", "fist"],
    "urls": URLS,
    "shuffled": [URLS[i * 389 % 1000] for i in range(1000)],
    "long": ["x" * 70_000, "x" * 70_000 + "y", "", "z" * 300],
    "not_ascii": ["日本語", "日本", "naïve", "na", "🎈", "", "🎈🎉"] * 20,
    "empty_strings": [""] * 300,
    "prefixes": ["a" * i for i in range(70)] + ["a" * i for i in range(70, 0, -3)],
}
BINARY_COLUMNS = {"bytes": [b"\xff\x00\xfe", b"\xff\x00", None, b"", b"\0", b"\x80" * 40, b"\x80" * 41] * 20}
STRING_COLUMNS = TEXT_COLUMNS | BINARY_COLUMNS
INTEGERS = {
    "none": [],
    "one": [42],
    "steps": list(range(1000)),
    "squares": [i * i % 1009 - 500 for i in range(300)],
    "ends": [0, -1, 1, "low", "high", "low", 5, "high", "high"],
}
ARROW_TYPES = {"utf8": pa.string(), "binary": pa.binary(), "int32": pa.int32(), "int64": pa.int64()}


def integers(name, dtype):
    """Return a column of integers, with the ends of the type put in."""
    ends = {"low": int(np.iinfo(dtype).min), "high": int(np.iinfo(dtype).max)}
    return [ends.get(value, value) for value in INTEGERS[name]]


def dtype_of(name):
    """Return the dtype of a string column."""
    return "binary" if name in BINARY_COLUMNS else "utf8"


def read_with_pyarrow(path):
    """Read column "c"."""
    return pq.read_table(path)["c"].to_pylist()


def read_with_polars(path):
    """Read column "c"."""
    return pl.read_parquet(path)["c"].to_list()


def read_with_duckdb(path):
    """Read column "c"."""
    with duckdb.connect() as connection:
        return [row[0] for row in connection.execute("SELECT c FROM read_parquet(?)", [str(path)]).fetchall()]


READERS = {"pyarrow": read_with_pyarrow, "polars": read_with_polars, "duckdb": read_with_duckdb}
each_reader = pytest.mark.parametrize("reader", READERS)
each_encoding = pytest.mark.parametrize("encoding", strategies.STRING_ENCODINGS)

# --- Our pages, read by others ---------------------------------------------------------------------------------------


@each_reader
@each_encoding
@pytest.mark.parametrize("name", STRING_COLUMNS)
def test_strings_are_read_by(reader, encoding, name, tmp_path):
    """A page of strings in a file of an optional column."""
    column = STRING_COLUMNS[name]
    page = cc.encode(column, encoding)
    present = [value is not None for value in column]
    path = tmp_path / "page.parquet"
    parquet_file.write_file(path, page.data.tobytes(), encoding, dtype_of(name), page.num_values, present)
    assert READERS[reader](path) == column


@each_reader
@each_encoding
def test_required_strings_are_read_by(reader, encoding, tmp_path):
    """D21: a page of strings in a file of a required column."""
    page = cc.encode(URLS, encoding)
    path = tmp_path / "page.parquet"
    parquet_file.write_file(path, page.data.tobytes(), encoding, "utf8", page.num_values, None)
    assert READERS[reader](path) == URLS


@each_reader
@pytest.mark.parametrize("dtype", naive.BITS)
@pytest.mark.parametrize("name", INTEGERS)
def test_integers_are_read_by(reader, dtype, name, tmp_path):
    """A page of integers in a file of a required column."""
    values = integers(name, dtype)
    page = cc.encode(np.array(values, dtype), "DELTA_BINARY_PACKED")
    path = tmp_path / "page.parquet"
    parquet_file.write_file(path, page.data.tobytes(), "DELTA_BINARY_PACKED", dtype, page.num_values, None)
    assert READERS[reader](path) == values


@settings(max_examples=25)
@given(strategies.pages(how=strategies.liberties()))
def test_odd_pages_are_legal(tmp_path_factory, page):
    """What the tests call odd but legal is read by pyarrow as well: the second opinion has a second opinion."""
    path = tmp_path_factory.mktemp("odd") / "page.parquet"
    parquet_file.write_file(path, page.data, page.encoding, page.dtype, len(page.values), None)
    assert read_with_pyarrow(path) == page.values


# --- Pages of others, read by us -------------------------------------------------------------------------------------


def decoded(pages, dtype):
    """Decode pages with colcodec and put them end to end."""
    column = []
    for page in pages:
        validity = None if page.is_valid is None else np.array(page.is_valid, bool)
        column += battery.decode(page.data, page.encoding, page.num_values, dtype, validity=validity)
    return column


@each_encoding
@pytest.mark.parametrize("page_version", ["1.0", "2.0"])
@pytest.mark.parametrize("name", STRING_COLUMNS)
def test_strings_of_pyarrow(encoding, page_version, name, tmp_path):
    """Pages of pyarrow, optional and, where it can be, required; several to a file."""
    column, path = STRING_COLUMNS[name], tmp_path / "page.parquet"
    for nullable in {True, None in column}:
        schema = pa.schema([pa.field("c", ARROW_TYPES[dtype_of(name)], nullable=nullable)])
        pq.write_table(
            pa.table({"c": column}, schema=schema),
            path,
            use_dictionary=False,
            column_encoding={"c": encoding},
            compression="none",
            data_page_version=page_version,
            data_page_size=4096,
            write_batch_size=100,
        )
        pages = parquet_file.cut_pages(path)
        assert {page.encoding for page in pages} <= {encoding}
        assert decoded(pages, dtype_of(name)) == column
        if len(column) == 1000:
            assert len(pages) > 1


@pytest.mark.parametrize("dtype", naive.BITS)
@pytest.mark.parametrize("name", INTEGERS)
def test_integers_of_pyarrow(dtype, name, tmp_path):
    """Integers in blocks of 128 / 4 and, for int64, of 256 / 4."""
    values, path = integers(name, dtype), tmp_path / "page.parquet"
    schema = pa.schema([pa.field("c", ARROW_TYPES[dtype], nullable=False)])
    encodings = {"c": "DELTA_BINARY_PACKED"}
    table = pa.table({"c": values}, schema=schema)
    pq.write_table(table, path, use_dictionary=False, column_encoding=encodings, compression="none")
    assert decoded(parquet_file.cut_pages(path), dtype) == values


@pytest.mark.parametrize("version", ["V1", "V2"])
@pytest.mark.parametrize("name", sorted(STRING_COLUMNS.keys() - {"empty", "one", "empty_strings"}))
def test_strings_of_duckdb(version, name, tmp_path):
    """A24, A26: PLAIN, and DELTA_LENGTH_BYTE_ARRAY in blocks of 2048 / 8, for all that DuckDB puts in no dictionary."""
    column, path = STRING_COLUMNS[name], tmp_path / "page.parquet"
    options = f"FORMAT parquet, PARQUET_VERSION {version}, DICTIONARY_SIZE_LIMIT 1, COMPRESSION uncompressed"
    with duckdb.connect() as connection:
        connection.register("t", pa.table({"c": pa.array(column, ARROW_TYPES[dtype_of(name)])}))
        connection.execute(f"COPY t TO '{path}' ({options})")
    pages = parquet_file.cut_pages(path)
    assert {page.encoding for page in pages} == {"PLAIN" if version == "V1" else "DELTA_LENGTH_BYTE_ARRAY"}
    assert decoded(pages, dtype_of(name)) == column


@pytest.mark.parametrize("name", ["urls", "shuffled"])
def test_strings_of_polars(name, tmp_path):
    """PLAIN, where a dictionary does not pay."""
    column, path = STRING_COLUMNS[name], tmp_path / "page.parquet"
    pl.DataFrame({"c": column}).write_parquet(path, compression="uncompressed", data_page_size=4096)
    pages = parquet_file.cut_pages(path)
    assert {page.encoding for page in pages} == {"PLAIN"}
    assert decoded(pages, "utf8") == column


def test_pages_may_change_their_encoding(tmp_path):
    """D20, E20: a column that starts with a dictionary goes on in PLAIN, and each page is read by its own encoding."""
    path = tmp_path / "page.parquet"
    table = pa.table({"c": URLS})
    pq.write_table(
        table, path, compression="none", dictionary_pagesize_limit=2000, data_page_size=2000, write_batch_size=50
    )
    pages = parquet_file.cut_pages(path)
    assert pages[0].encoding == "RLE_DICTIONARY"
    plain = [page for page in pages if page.encoding == "PLAIN"]
    column = decoded(plain, "utf8")
    assert column
    assert column == URLS[-len(column) :]
