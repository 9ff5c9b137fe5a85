"""Both ways between colcodec and other implementations, through files of one column."""

import uuid

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
FIXED_COLUMNS = {
    "uuids": (16, [bytes((i * i * 31 + j) % 256 for j in range(15)) + b"\0" for i in range(1000)]),
    "uuids_nulls": (16, [None if i % 3 == 1 else bytes([i % 256]) * 16 for i in range(1000)]),
    "decimals": (5, [(i * i * 7919 - 10**6).to_bytes(5, "big", signed=True) for i in range(500)]),
    "halves": (2, [b"\0\x3c", b"\0\xbc", None, b"\0\0"] * 50),
    "bytes": (1, [b"a", b"\0", b"\xff"] * 50),
    "long": (300, [b"a" * 300, b"a" * 299 + b"b", bytes(300)]),
    "none": (3, []),
    "all_null": (3, [None] * 300),
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


UNREADABLE = {  # what it takes to find out that this has changed
    ("polars", "DELTA_BYTE_ARRAY"): (pl.exceptions.ComputeError, "Not yet supported"),
    ("polars", "BYTE_STREAM_SPLIT"): (pl.exceptions.ComputeError, "Not yet supported"),
    ("duckdb", "BYTE_STREAM_SPLIT"): (duckdb.Error, "only supported for FLOAT, DOUBLE, INT32 or INT64"),
}


@each_reader
@pytest.mark.parametrize("encoding", [*strategies.FIXED_LENGTH_ENCODINGS, "RLE_DICTIONARY"])
@pytest.mark.parametrize("name", FIXED_COLUMNS)
def test_values_of_one_length_are_read_by(reader, encoding, name, tmp_path):
    """D18, D19: a page of a FIXED_LEN_BYTE_ARRAY, by those who know its encoding for such values."""
    length, column = FIXED_COLUMNS[name]
    page, path = cc.encode(column, encoding, type_length=length), tmp_path / "page.parquet"
    present = [value is not None for value in column] if None in column else None
    kept = page.dictionary and parquet_file.Dictionary(page.dictionary.num_values, page.dictionary.data.tobytes())
    parquet_file.write_file(path, page.data.tobytes(), encoding, length, page.num_values, present, kept)
    if (reader, encoding) not in UNREADABLE:
        assert READERS[reader](path) == column
    elif any(value is not None for value in column):
        error, message = UNREADABLE[reader, encoding]
        with pytest.raises(error, match=message):
            READERS[reader](path)


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


def pages_of_pyarrow(path, column, field, encoding, page_version):
    """Have pyarrow write a column, several pages to a file, and cut these out."""
    pq.write_table(
        pa.table({"c": column}, schema=pa.schema([field])),
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
    return pages


@each_encoding
@pytest.mark.parametrize("page_version", ["1.0", "2.0"])
@pytest.mark.parametrize("name", STRING_COLUMNS)
def test_strings_of_pyarrow(encoding, page_version, name, tmp_path):
    """Pages of pyarrow, optional and, where it can be, required; several to a file."""
    column, path = STRING_COLUMNS[name], tmp_path / "page.parquet"
    for nullable in {True, None in column}:
        field = pa.field("c", ARROW_TYPES[dtype_of(name)], nullable=nullable)
        pages = pages_of_pyarrow(path, column, field, encoding, page_version)
        assert decoded(pages, dtype_of(name)) == column
        if len(column) == 1000:
            assert len(pages) > 1


@pytest.mark.parametrize("encoding", strategies.FIXED_LENGTH_ENCODINGS)
@pytest.mark.parametrize("page_version", ["1.0", "2.0"])
@pytest.mark.parametrize("name", FIXED_COLUMNS)
def test_values_of_one_length_of_pyarrow(encoding, page_version, name, tmp_path):
    """D18: pages of pyarrow, several to a file, with every length checked; and ours are the same bytes."""
    (length, column), path = FIXED_COLUMNS[name], tmp_path / "page.parquet"
    for nullable in {True, None in column}:
        field = pa.field("c", pa.binary(length), nullable=nullable)
        pages = pages_of_pyarrow(path, column, field, encoding, page_version)
        assert decoded(pages, length) == column
        for page in pages:
            values = decoded([page], length)
            assert cc.encode(values, encoding, type_length=length).data.tobytes() == page.data
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


def test_uuids_of_duckdb(tmp_path):
    """A UUID column is a FIXED_LEN_BYTE_ARRAY."""
    path = tmp_path / "page.parquet"
    column = [None if i % 5 == 2 else uuid.UUID(int=i**40 % 2**128) for i in range(1000)]
    options = "FORMAT parquet, DICTIONARY_SIZE_LIMIT 1, COMPRESSION uncompressed"
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (c UUID)")
        connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in column])
        connection.execute(f"COPY t TO '{path}' ({options})")
    pages = parquet_file.cut_pages(path)
    assert {page.encoding for page in pages} == {"PLAIN"}
    assert decoded(pages, 16) == [value and value.bytes for value in column]


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
    assert {page.encoding for page in pages} == {"RLE_DICTIONARY", "PLAIN"}
    assert dictionary_decoded(pages, "utf8") == URLS


# --- Dictionaries, both ways -----------------------------------------------------------------------------------------


def repeated(column):
    """Repeat the values of a column in an order that has runs and none."""
    return column * 3 + [value for value in column[:50] for _ in range(9)]


def our_page(page, dtype):
    """Make a page of ours of one that somebody else wrote."""
    validity = None if page.is_valid is None else np.array(page.is_valid, bool)
    dictionary = None
    if page.dictionary is not None and page.encoding in ("RLE_DICTIONARY", "PLAIN_DICTIONARY"):
        dictionary = cc.EncodedPage("PLAIN", page.dictionary.data, page.dictionary.num_values, dtype=dtype)
    return cc.EncodedPage(page.encoding, page.data, page.num_values, validity, dictionary, dtype)


def dictionary_decoded(pages, dtype):
    """Decode pages, of which some have a dictionary, as one column; each alone gives the same."""
    ours = [our_page(page, dtype) for page in pages]
    column = cc.decode_pages(ours).to_pylist()
    assert [value for page in ours for value in cc.decode(page)] == column
    return column


@each_reader
@pytest.mark.parametrize("name", STRING_COLUMNS)
def test_dictionaries_are_read_by(reader, name, tmp_path):
    """A dictionary page and a page of indices, in a file of an optional column."""
    column = repeated(STRING_COLUMNS[name])
    page = cc.encode(column, "RLE_DICTIONARY")
    present = [value is not None for value in column]
    path = tmp_path / "page.parquet"
    dictionary = parquet_file.Dictionary(page.dictionary.num_values, page.dictionary.data.tobytes())
    parquet_file.write_file(
        path, page.data.tobytes(), "RLE_DICTIONARY", dtype_of(name), page.num_values, present, dictionary
    )
    assert READERS[reader](path) == column


@pytest.mark.parametrize("page_version", ["1.0", "2.0"])
@pytest.mark.parametrize("name", STRING_COLUMNS)
def test_dictionaries_are_those_of_pyarrow(page_version, name, tmp_path):
    """G11: dictionary and indices of pyarrow, in v1 and v2 pages: read, and written byte for byte."""
    column, path = repeated(STRING_COLUMNS[name]), tmp_path / "page.parquet"
    schema = pa.schema([pa.field("c", ARROW_TYPES[dtype_of(name)])])
    pq.write_table(pa.table({"c": column}, schema=schema), path, compression="none", data_page_version=page_version)
    pages = parquet_file.cut_pages(path)
    assert dictionary_decoded(pages, dtype_of(name)) == column
    if column:
        (page,) = pages
        ours = cc.encode(column, "RLE_DICTIONARY")
        assert ours.data.tobytes() == page.data
        assert (ours.dictionary.num_values, ours.dictionary.data.tobytes()) == page.dictionary


def test_pages_of_a_dictionary_are_those_of_pyarrow(tmp_path):
    """Several pages of one dictionary that grows from page to page: the indices of each are as wide as pyarrow's."""
    column, path = [f"v{i * i % 7919}" for i in range(10_000)], tmp_path / "page.parquet"
    options = {"compression": "none", "data_page_size": 1, "write_batch_size": 1000}
    pq.write_table(pa.table({"c": column}), path, **options)
    pages = parquet_file.cut_pages(path)
    ours = cc.encode_pages(column, "RLE_DICTIONARY", rows_per_page=1000)
    assert [page.data.tobytes() for page in ours] == [page.data for page in pages]
    assert len({page.data[0] for page in ours}) > 1
    assert dictionary_decoded(pages, "utf8") == column


@pytest.mark.parametrize("name", STRING_COLUMNS)
def test_dictionaries_of_duckdb(name, tmp_path):
    """Bit-packed runs that are longer than the page's values; PLAIN where DuckDB finds a dictionary too large."""
    column, path = repeated(STRING_COLUMNS[name]), tmp_path / "page.parquet"
    with duckdb.connect() as connection:
        connection.register("t", pa.table({"c": pa.array(column, ARROW_TYPES[dtype_of(name)])}))
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet, COMPRESSION uncompressed)")
    pages = parquet_file.cut_pages(path)
    assert dictionary_decoded(pages, dtype_of(name)) == column


@pytest.mark.parametrize("name", STRING_COLUMNS)
def test_dictionaries_of_polars(name, tmp_path):
    """Its own runs; an index page of one byte where there are no values."""
    column, path = repeated(STRING_COLUMNS[name]), tmp_path / "page.parquet"
    kind = pl.String if dtype_of(name) == "utf8" else pl.Binary
    pl.DataFrame({"c": pl.Series(column, dtype=kind)}).write_parquet(path, compression="uncompressed")
    pages = parquet_file.cut_pages(path)
    assert dictionary_decoded(pages, dtype_of(name)) == column


# --- Files of the Parquet project ------------------------------------------------------------------------------------


def corpus_file(shared, name):
    """Return a file of parquet-testing."""
    return shared / "corpus" / "parquet-testing" / "data" / f"{name}.parquet"


def test_fixed_length_byte_array_of_parquet_java(shared):
    """G10: a thousand values of four bytes, with nulls, in ten pages; a page that is cut is no shorter column."""
    path = corpus_file(shared, "fixed_length_byte_array")
    pages = parquet_file.cut_pages(path)
    assert decoded(pages, 4) == pq.read_table(path)["flba_field"].to_pylist()
    for page in pages:
        battery.check_rejects(page.data[:-1], page.encoding, sum(page.is_valid), "TRUNCATED", 4)


@pytest.mark.parametrize(("name", "length"), [("fixed_length_decimal", 11), ("fixed_length_decimal_legacy", 6)])
def test_decimals(shared, name, length):
    """Decimals as old writers wrote them: numbers with the upper byte first."""
    path = corpus_file(shared, name)
    values = decoded(parquet_file.cut_pages(path), length)
    numbers = [int.from_bytes(value, "big", signed=True) for value in values]
    assert numbers == [int(100 * value) for value in pq.read_table(path)["value"].to_pylist()]


@pytest.mark.parametrize(("plain", "length"), [("float16_plain", 2), ("flba5_plain", 5), ("decimal_plain", 4)])
def test_byte_stream_split_of_arrow(shared, plain, length):
    """Columns that stand in the file twice, PLAIN and in streams."""
    path = corpus_file(shared, "byte_stream_split_extended.gzip")
    names = pq.read_schema(path).names
    split = plain.replace("plain", "byte_stream_split")
    pages, split_pages = (parquet_file.cut_pages(path, names.index(name)) for name in (plain, split))
    assert {page.encoding for page in split_pages} == {"BYTE_STREAM_SPLIT"}
    assert decoded(split_pages, length) == decoded(pages, length)
    assert sum(page.num_values for page in split_pages) == 200
