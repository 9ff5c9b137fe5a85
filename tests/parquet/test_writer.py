"""Files of `write_columns`: what other readers make of them, and what their metadata says, against plain Python."""

import io
import itertools
import os
import re
import shutil
import struct

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import colcodec as cc
from colcodec.parquet.chunk_writer import MAX_ROWS_PER_PAGE
from colcodec.parquet.footer import read_footer, read_range
from colcodec.parquet.pages import Chunk, dictionary_page_header, make_page, read_chunk, read_data_page, walk
from colcodec.parquet.schema import column_metadata
from colcodec.parquet.schema import leaves as schema_leaves
from colcodec.parquet.structs import BoundaryOrder, ColumnIndex, OffsetIndex, PageType

ENCODINGS = ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY")
COMPRESSIONS = ("none", "zstd", "snappy", "lz4", "gzip", "brotli")
COLUMNS = {
    "valid": [f"/item/{i * i % 101:03}" for i in range(300)],
    "nulls": [None if i % 3 == 1 else "väl" * (i % 5) for i in range(300)],
    "all null": [None] * 300,
    "runs": ["a"] * 100 + [None] * 150 + ["b"] * 50,
    "long": ["x" * (i % 200) for i in range(300)],
}
BYTES = [None if i % 7 == 1 else bytes([i % 256]) * (i % 90) for i in range(300)]


def write(columns, **options):
    """Write a file into memory."""
    file = io.BytesIO()
    cc.parquet.write_columns(file, columns, **options)
    return file.getvalue()


def read_pyarrow(path):
    return pq.read_table(path, page_checksum_verification=True).to_pydict()


def read_polars(path):
    return pl.read_parquet(path).to_dict(as_series=False)


def read_duckdb(path):
    with duckdb.connect() as connection:
        relation = connection.read_parquet(str(path))
        return dict(zip(relation.columns, map(list, zip(*relation.fetchall(), strict=True)), strict=True))


def read_arro3(path):
    arro3 = pytest.importorskip("arro3.io")
    return pa.table(arro3.read_parquet(path).read_all()).to_pydict()


READERS = {"pyarrow": read_pyarrow, "polars": read_polars, "duckdb": read_duckdb, "arro3": read_arro3}


def check_with_all(path, columns):
    """Read a file with every reader."""
    for name, read in READERS.items():
        assert read(path) == columns, name
    for name, values in columns.items():
        if not isinstance(next((value for value in values if value is not None), None), int):
            assert cc.parquet.read_column(path, name, check_crc=True).to_pylist() == values


# --- Read back -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page_version", [1, 2])
@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("encoding", [*ENCODINGS, "auto"])
def test_every_reader_reads_every_kind(tmp_path, encoding, compression, page_version):
    """In several row groups and pages."""
    columns = COLUMNS | {"bytes": BYTES, "int32": list(range(300)), "int64": [2**40 * i for i in range(300)]}
    given = columns | {"int32": np.arange(300, dtype=np.int32)}
    path = tmp_path / "f.parquet"
    cc.parquet.write_columns(
        path,
        given,
        encodings=encoding,
        compression=compression,
        page_version=page_version,
        row_group_size=128,
        page_size=300,
    )
    check_with_all(path, columns)


@pytest.mark.parametrize("page_version", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("encoding", [*ENCODINGS, "auto"])
def test_hardly_any_rows(tmp_path, encoding, count, page_version):
    """None, one, a null."""
    columns = {"a": ["axis", "axle"][:count], "b": [None, ""][:count], "i": [7, -7][:count]}
    path = tmp_path / "f.parquet"
    integers = np.array(columns["i"], np.int64)
    cc.parquet.write_columns(path, columns | {"i": integers}, encodings=encoding, page_version=page_version)
    if count:
        check_with_all(path, columns)
    table = pq.read_table(path)
    assert table.to_pydict() == columns
    assert table.schema.types == [pa.string(), pa.string(), pa.int64()]
    assert pl.read_parquet(path).height == count
    assert pq.read_metadata(path).num_row_groups == (1 if count else 0)
    with duckdb.connect() as connection:
        assert connection.read_parquet(str(path)).fetchall() == list(zip(*columns.values(), strict=True))
    assert cc.parquet.read_column(path, "b").to_pylist() == columns["b"]


@pytest.mark.parametrize("encoding", ["PLAIN", "RLE_DICTIONARY"])
@pytest.mark.filterwarnings("ignore")
def test_fastparquet_reads_what_it_knows(tmp_path, encoding):
    """The old encodings, which `readers` limits a file to."""
    fastparquet = pytest.importorskip("fastparquet")
    path = tmp_path / "f.parquet"
    columns = {name: values for name, values in COLUMNS.items() if name != "all null"}
    cc.parquet.write_columns(path, columns, encodings=encoding, compression="snappy", row_group_size=200)
    frame = fastparquet.ParquetFile(str(path)).to_pandas()
    assert {name: [None if pd.isna(value) else value for value in frame[name]] for name in columns} == columns


@pytest.mark.filterwarnings("ignore")  # what Spark and its bridge to Java do is not ours
def test_spark_reads_a_file(tmp_path):
    """Through parquet-java, with and without its vectorized reader: what is written, and what is recoded."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java")
    columns = COLUMNS | {"int32": list(range(300)), "int64": [2**40 * i for i in range(300)]}
    given = columns | {"int32": np.arange(300, dtype=np.int32)}
    session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        for encoding, version in itertools.product(ENCODINGS, (1, 2)):
            path, recoded = (tmp_path / f"{encoding}{version}{name}.parquet" for name in ("", "recoded"))
            cc.parquet.write_columns(path, given, encodings=encoding, page_version=version, page_size=300)
            other = ENCODINGS[ENCODINGS.index(encoding) - 1]
            cc.parquet.recode(path, recoded, encoding=other, compression="zstd")
            for vectorized, file in itertools.product(("true", "false"), (path, recoded)):
                session.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
                rows = session.read.parquet(str(file)).collect()
                assert {name: [row[name] for row in rows] for name in columns} == columns
    finally:
        session.stop()


@pytest.mark.parametrize(
    "values",
    [
        np.array(["a", "b\0c"]),
        np.array([b"a", b"b\0c"]),
        np.array(["a", None], object),
        np.array(["a", None], np.dtypes.StringDType(na_object=None)),
        pd.Series(["a", None]),
        pd.Series(["a", None], dtype="category"),
        pl.Series(["a", None]),
        pl.Series(["a", "b"], dtype=pl.Categorical),
        pa.array(["a", None]),
        pa.chunked_array([["a"], [None]]),
        pa.array(["a", None]).dictionary_encode(),
        cc.column(["a", None]),
        cc.decode_indices(cc.encode(["a", None], "RLE_DICTIONARY")),
        ("a", None),
    ],
)
def test_values_of_every_kind(values):
    """Whatever `column` takes."""
    file = io.BytesIO()
    cc.parquet.write_columns(file, {"a": values})
    assert cc.parquet.read_column(file, "a") == cc.column(values)


def test_dataframes(tmp_path):
    """As mappings, which they nearly are."""
    columns = {"state": ["Ohio", None, "Iowa"], "year": [1803, 1845, 1846]}
    frame = pd.DataFrame(columns)
    small = pl.DataFrame(columns, schema_overrides={"year": pl.Int32})
    for i, mapping in enumerate((dict(frame), small.to_dict(), dict(pa.table(columns).to_pydict()))):
        cc.parquet.write_columns(tmp_path / str(i), mapping)
        assert read_pyarrow(tmp_path / str(i)) == columns
    with pytest.raises(TypeError, match="by the names of their columns, got a DataFrame"):
        cc.parquet.write_columns(tmp_path / "f", frame)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("encoding", ["DELTA_BINARY_PACKED", "PLAIN", "auto"])
def test_integers(tmp_path, dtype, encoding):
    """With the ends of their type."""
    info = np.iinfo(dtype)
    values = np.array([info.min, info.max, 0, -1, info.max, info.min, *range(1000)], dtype)
    path = tmp_path / "f.parquet"
    cc.parquet.write_columns(path, {"i": values}, encodings={"i": encoding}, page_size=500, row_group_size=700)
    check_with_all(path, {"i": values.tolist()})
    column = pq.read_metadata(path).row_group(0).column(0)
    assert column.physical_type == dtype.upper()
    assert (column.statistics.min, column.statistics.max) == (info.min, info.max)
    assert column.statistics.null_count == 0
    assert pq.read_schema(path).field("i").nullable is False
    assert column.encodings == ("PLAIN" if encoding == "PLAIN" else "DELTA_BINARY_PACKED",)


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([1, -2]),
        pd.Series([1, -2], dtype="Int64"),
        pd.Index([1, -2]),
        pl.Series([1, -2]),
        pa.chunked_array([[1], [-2]], pa.int32()),
        np.array([1, -2], ">i8"),
        np.array([1, 0, -2, 0])[::2],
        [1, -2],
    ],
)
def test_integers_of_every_kind(values):
    """Arrays of other byte orders and strides too."""
    assert pq.read_table(io.BytesIO(write({"i": values})))["i"].to_pylist() == [1, -2]


@settings(max_examples=60)
@given(
    st.lists(strategies.text_columns() | strategies.byte_columns(), min_size=1, max_size=3),
    st.sampled_from([*ENCODINGS, "auto"]),
    st.sampled_from(["none", "zstd"]),
    st.sampled_from([1, 2]),
    st.sampled_from([1, 40, 2**20]),
    st.sampled_from([1, 30, 2**20]),
)
def test_any_columns(columns, encoding, compression, page_version, page_size, row_group_size):
    """Read by pyarrow and by us, with checksums and statistics that hold."""
    count = min(map(len, columns))
    columns = {f"c{i}": values[:count] for i, values in enumerate(columns)}
    data = write(
        columns,
        encodings=encoding,
        compression=compression,
        page_version=page_version,
        page_size=page_size,
        row_group_size=max(row_group_size, count // 20 + 1),
        threads=1,
    )
    assert pq.read_table(io.BytesIO(data), page_checksum_verification=True).to_pydict() == columns
    for name, values in columns.items():
        assert cc.parquet.read_column(io.BytesIO(data), name, check_crc=True).to_pylist() == values
    check_metadata(data, columns)


# --- Metadata --------------------------------------------------------------------------------------------------------


def as_bytes(value):
    return value.encode() if isinstance(value, str) else value


def check_bounds(values, least, greatest, is_least_exact=None, is_greatest_exact=None):
    """Hold what is said of the least and the greatest value against all values."""
    values = sorted(as_bytes(value) for value in values if value is not None)
    if not values:
        assert not least
        assert not greatest
        return
    assert values[0].startswith(least)
    assert (values[0] == least) == (len(values[0]) <= 64)
    assert is_least_exact in (None, values[0] == least)
    if greatest is not None:
        assert greatest >= values[-1]
        assert (greatest == values[-1]) == (len(values[-1]) <= 64)
        assert is_greatest_exact in (None, greatest == values[-1])
        assert len(greatest) <= 64 + 3
    else:
        assert values[-1][:60].strip(b"\xff\xf4\x8f\xbf") == b""


def order_of(pairs):
    """Find the order of pages as the specification has it."""
    lows, highs = [low for low, _ in pairs], [high for _, high in pairs]
    if lows == sorted(lows) and highs == sorted(highs):
        return BoundaryOrder.ASCENDING
    if lows[::-1] == sorted(lows) and highs[::-1] == sorted(highs):
        return BoundaryOrder.DESCENDING
    return BoundaryOrder.UNORDERED


def check_metadata(data, columns):
    """Walk all pages of a file of strings; hold all that is said of them against them."""
    file = io.BytesIO(data)
    footer = read_footer(file)
    metadata = footer.metadata
    leaves = schema_leaves(metadata)
    assert [leaf.name for leaf in leaves] == list(columns)
    assert metadata.num_rows == sum(group.num_rows for group in metadata.row_groups)
    assert [order.type_order is not None for order in metadata.column_orders] == [True] * len(columns)
    position, row = 4, 0
    for group in metadata.row_groups:
        assert group.file_offset == position
        raw = 0
        for leaf, chunk in zip(leaves, group.columns, strict=True):
            column = column_metadata(group, leaf)
            values = columns[leaf.name][row : row + group.num_rows]
            read = read_chunk(file, column, footer)
            assert read.start == position
            assert read.num_values == column.num_values == group.num_rows
            pages = list(walk(read))
            check_chunk(column, read, leaf, pages, values)
            check_indexes(file, chunk, pages, values)
            position += column.total_compressed_size
            raw += column.total_uncompressed_size
        assert group.total_byte_size == raw
        assert group.total_compressed_size == position - group.file_offset
        row += group.num_rows


def check_chunk(column, chunk: Chunk, leaf, pages, values):
    """Hold the metadata of a column chunk against its pages."""
    kinds = [PageType(page.header.type) for page in pages]
    has_dictionary = PageType.DICTIONARY_PAGE in kinds
    data_pages = pages[has_dictionary:]
    assert len(set(kinds[has_dictionary:])) == 1
    assert (column.dictionary_page_offset is not None) == has_dictionary
    if has_dictionary:
        assert column.dictionary_page_offset == pages[0].start < column.data_page_offset
    assert column.data_page_offset == data_pages[0].start
    assert sum(page.nbytes for page in pages) == column.total_compressed_size
    raw = sum(page.header_size + page.header.uncompressed_page_size for page in pages)
    assert raw == column.total_uncompressed_size
    assert all(page.is_intact() for page in pages)
    used = {page.encoding for page in pages} | {cc.Encoding.RLE}
    assert column.encodings == sorted(used)
    counts = {(stats.page_type, stats.encoding): stats.count for stats in column.encoding_stats}
    found = [(page.header.type, page.encoding) for page in pages]
    assert counts == {key: found.count(key) for key in found}
    first = 0
    for page in data_pages:
        nulls = values[first : first + page.num_values].count(None)
        parts = read_data_page(page, chunk, leaf)
        assert parts.num_nulls in (None, nulls)
        assert page.num_values <= MAX_ROWS_PER_PAGE
        first += page.num_values
    statistics = column.statistics
    assert statistics.null_count == values.count(None)
    assert statistics.min is statistics.max is None
    exact = statistics.is_min_value_exact, statistics.is_max_value_exact
    check_bounds(values, statistics.min_value, statistics.max_value, *exact)


def read_index(file, kind, offset, length):
    """Read an index and nothing behind it."""
    data = read_range(file, offset, length, "index")
    index, end = kind.read(data)
    assert end == length
    return index


def check_indexes(file, chunk, pages, values):
    """Hold the page indexes of a column chunk against its pages."""
    pages = [page for page in pages if page.data_header is not None]
    offsets = read_index(file, OffsetIndex, chunk.offset_index_offset, chunk.offset_index_length)
    starts = [0, *itertools.accumulate(page.num_values for page in pages)]
    locations = [(place.offset, place.compressed_page_size, place.first_row_index) for place in offsets.page_locations]
    assert locations == [(page.start, page.nbytes, start) for page, start in zip(pages, starts, strict=False)]
    parts = [values[start:end] for start, end in itertools.pairwise(starts)]
    if chunk.column_index_offset is None:
        assert any(set(max(map(as_bytes, filter(None, part)))[:60]) <= set(b"\xff\xf4\x8f\xbf") for part in parts)
        return
    index = read_index(file, ColumnIndex, chunk.column_index_offset, chunk.column_index_length)
    assert index.null_pages == [part.count(None) == len(part) for part in parts]
    assert index.null_counts == [part.count(None) for part in parts]
    for part, least, greatest in zip(parts, index.min_values, index.max_values, strict=True):
        check_bounds(part, least, greatest)
    bounds = zip(index.min_values, index.max_values, index.null_pages, strict=True)
    assert index.boundary_order == order_of([(low, high) for low, high, is_null in bounds if not is_null])


@pytest.mark.parametrize("page_version", [1, 2])
@pytest.mark.parametrize("encoding", [*ENCODINGS, "auto"])
def test_metadata_of_many_pages(encoding, page_version):
    """Null pages among others, and values longer than what is kept."""
    columns = COLUMNS | {
        "bytes": BYTES,
        "FFs": [b"\xff" * (i % 100) for i in range(300)],
        "far": [chr(0x10FFFF) * 17] * 300,
        "sorted": sorted("p" * 70 + str(i) for i in range(300)),
        "falling": sorted((str(i) for i in range(300)), reverse=True),
    }
    data = write(columns, encodings=encoding, page_version=page_version, row_group_size=170, page_size=120)
    check_metadata(data, columns)
    group = read_footer(io.BytesIO(data)).metadata.row_groups[0]
    for name, order in (("sorted", "ASCENDING"), ("falling", "DESCENDING"), ("valid", "UNORDERED")):
        chunk = group.columns[list(columns).index(name)]
        index = read_index(io.BytesIO(data), ColumnIndex, chunk.column_index_offset, chunk.column_index_length)
        if len(index.null_pages) > 1:
            assert BoundaryOrder(index.boundary_order).name == order
    assert group.columns[list(columns).index("FFs")].column_index_offset is None


@pytest.mark.parametrize("encoding", ["RLE_DICTIONARY", "DELTA_BYTE_ARRAY"])
def test_statistics_are_of_the_values_of_a_row_group(encoding):
    """E28: of all of its pages, not of the last; of the values that it has, not of others; and nulls are counted."""
    groups = [["m", None, "b"] + ["k"] * 40, ["z", None, None] + ["y"] * 40, ["n"] * 40 + [None, "c", "d"]]
    values = [value for group in groups for value in group]
    data = write({"c": values}, encodings=encoding, row_group_size=43, page_size=2)
    metadata = pq.read_metadata(io.BytesIO(data))
    for i, values in enumerate(groups):
        present = [value for value in values if value is not None]
        statistics = metadata.row_group(i).column(0).statistics
        found = (statistics.min, statistics.max, statistics.null_count, statistics.num_values)
        assert found == (min(present), max(present), values.count(None), len(present))


def test_other_readers_see_the_same_statistics(tmp_path):
    """H4: exactness of what is cut, as pyarrow and DuckDB tell it."""
    path = tmp_path / "f.parquet"
    columns = {"long": ["b" * 70, None, "a" * 65], "short": ["b", None, "a"], "none": [None] * 3}
    cc.parquet.write_columns(path, columns)
    group = pq.read_metadata(path).row_group(0)
    long, short, none = (group.column(i).statistics for i in range(3))
    assert (long.min, long.max, long.null_count) == ("a" * 64, "b" * 63 + "c", 1)
    assert (short.min, short.max, short.null_count) == ("a", "b", 1)
    assert (none.has_min_max, none.null_count) == (False, 3)
    if hasattr(long, "is_min_value_exact"):
        assert (long.is_min_value_exact, long.is_max_value_exact) == (False, False)
        assert (short.is_min_value_exact, short.is_max_value_exact) == (True, True)
    assert [group.column(i).has_column_index for i in range(3)] == [True] * 3
    assert [group.column(i).has_offset_index for i in range(3)] == [True] * 3
    with duckdb.connect() as connection:
        found = connection.execute(
            "select stats_min_value, stats_max_value, stats_null_count from parquet_metadata(?)", [str(path)]
        ).fetchall()
    assert found == [("a" * 64, "b" * 63 + "c", 1), ("a", "b", 1), (None, None, 3)]


@pytest.mark.parametrize("order", ["ascending", "descending", "shuffled"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_filters_find_their_rows(tmp_path, encoding, order):
    """By the statistics and the page index, with values that are cut there."""
    values = [f"{'prefix' * 11}{i:05}" if i % 2 else f"{i:05}" for i in range(3000)]
    values.sort(reverse=order == "descending")
    if order == "shuffled":
        values = [values[i * 1009 % 3000] for i in range(3000)]
    path = tmp_path / "f.parquet"
    cc.parquet.write_columns(
        path, {"s": values, "i": np.arange(3000)}, encodings=encoding, row_group_size=1000, page_size=900
    )
    for low, high in (("00500", "00510"), ("prefix" * 11 + "00777", "prefix" * 11 + "00801"), ("x", "y"), ("", "zz")):
        expected = [i for i, value in enumerate(values) if low <= value < high]
        found = ds.dataset(path).to_table(filter=(ds.field("s") >= low) & (ds.field("s") < high))
        assert found["i"].to_pylist() == expected
        between = (pl.col("s") >= low) & (pl.col("s") < high)
        assert pl.scan_parquet(path).filter(between).collect()["i"].to_list() == expected
        with duckdb.connect() as connection:
            query = "select i from read_parquet(?) where s >= ? and s < ? order by i"
            rows = connection.execute(query, [str(path), low, high]).fetchall()
        assert [i for (i,) in rows] == expected
    some = values[17]
    with duckdb.connect() as connection:
        assert connection.execute("select i from read_parquet(?) where s = ?", [str(path), some]).fetchall() == [(17,)]
    assert pl.scan_parquet(path).filter(pl.col("i") == 2222)["s":"s"] if False else True


def test_pages_end_where_they_should():
    """At so many bytes or rows, whatever comes first; a value that is larger has a page of its own."""
    values = ["x" * 100] * 50 + ["y" * 5000] + ["z" * 100] * 50
    for encoding in ENCODINGS:
        data = write({"a": values}, encodings=encoding, page_size=1000, compression="none")
        sizes = page_sizes(data)
        if encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY"):
            assert len(sizes) == 13
            assert sorted(sizes)[-2] < 1100
        else:
            assert len(sizes) <= 3
    data = write({"a": [None] * (2 * MAX_ROWS_PER_PAGE + 1)})
    assert [page.num_values for page in pages_of(data)] == [MAX_ROWS_PER_PAGE, MAX_ROWS_PER_PAGE, 1]


def pages_of(data):
    """Walk the pages of the first column chunk."""
    file = io.BytesIO(data)
    footer = read_footer(file)
    return list(walk(read_chunk(file, footer.metadata.row_groups[0].columns[0].meta_data, footer)))


def page_sizes(data):
    """Give the sizes of its data pages."""
    return [page.header.uncompressed_page_size for page in pages_of(data) if page.num_values]


def test_created_by_can_be_parsed():
    """By the pattern of parquet-java, which does not believe statistics of nobody."""
    by = read_footer(io.BytesIO(write({"a": ["x"]}))).metadata.created_by.decode()
    parsed = re.fullmatch(r"(.*?)\s+version\s*(?:([^(]*?)\s*(?:\(\s*build\s*([^)]*?)\s*\))?)?", by)
    assert parsed[1] == "colcodec"
    assert re.fullmatch(r"\d+\.\d+\.\d+", parsed[2])
    assert parsed[3]


def test_key_value_metadata():
    """As it was given."""
    pairs = {"who": "nöbody", "": "", "json": '{"a": [1]}'}
    data = write({"a": ["x"]}, key_value_metadata=pairs)
    found = pq.read_metadata(io.BytesIO(data)).metadata
    assert {key.decode(): value.decode() for key, value in found.items()} == pairs
    for pairs in (None, {}):
        assert pq.read_metadata(io.BytesIO(write({"a": ["x"]}, key_value_metadata=pairs))).metadata is None


# --- Encodings -------------------------------------------------------------------------------------------------------


def encodings_of(data):
    """Tell the encodings of data pages, by row group and column."""
    metadata = read_footer(io.BytesIO(data)).metadata
    return [
        [cc.Encoding(chunk.meta_data.encoding_stats[-1].encoding).name for chunk in group.columns]
        for group in metadata.row_groups
    ]


def test_encodings_are_chosen():
    """As `choose` does, for each row group."""
    urls = [f"https://www.example.org/items/{i:08}" for i in range(2000)]
    states = np.random.default_rng(0).choice(["Ohio", "Utah", "Iowa", "Maine"], 4000).tolist()
    data = write({"a": urls + states[:2000], "b": states}, row_group_size=2000)
    chosen = [cc.choose(part).encoding.name for part in (urls, states[:2000], states[:2000])]
    assert encodings_of(data) == [[chosen[0], chosen[2]], [chosen[1], chosen[2]]]
    assert chosen == ["DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "RLE_DICTIONARY"]


def test_encodings_by_name():
    """What is not named is found; integers keep their own."""
    columns = {"a": ["x", "y"], "b": ["x", "y"], "i": np.arange(2)}
    assert encodings_of(write(columns, encodings="DELTA_BYTE_ARRAY")) == [
        ["DELTA_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "DELTA_BINARY_PACKED"]
    ]
    found = encodings_of(write(columns, encodings={"b": cc.Encoding.DELTA_LENGTH_BYTE_ARRAY, "i": "PLAIN"}))
    assert found == [[cc.choose(["x", "y"]).encoding.name, "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"]]


def test_readers_limit_what_is_chosen():
    """Strings and integers."""
    urls = [f"https://www.example.org/items/{i:08}" for i in range(2000)]
    columns = {"a": urls, "i": np.arange(2000)}
    assert encodings_of(write(columns, readers="impala"))[0][0] in ("PLAIN", "RLE_DICTIONARY")
    assert encodings_of(write(columns, readers=["spark", "impala"]))[0][1] == "PLAIN"
    with pytest.raises(ValueError, match="column 'a': DELTA_BYTE_ARRAY is not read by impala"):
        write(columns, encodings="DELTA_BYTE_ARRAY", readers="impala")


@pytest.mark.parametrize("readers", [None, "impala"])
def test_a_dictionary_may_become_too_large(readers):
    """In one row group of three; the others have theirs."""
    small = [f"{i % 50}" for i in range(1500)]
    large = [f"{i:01000}" for i in range(1500)]
    data = write({"a": small + large + small}, encodings="RLE_DICTIONARY", row_group_size=1500, readers=readers)
    found = [row[0] for row in encodings_of(data)]
    assert found[0] == found[2] == "RLE_DICTIONARY"
    assert found[1] == ("PLAIN" if readers else "DELTA_BYTE_ARRAY")
    assert cc.parquet.read_column(io.BytesIO(data), "a").to_pylist() == small + large + small


def test_a_dictionary_of_nothing_is_not_written():
    """Readers stumble over one."""
    data = write({"a": [None] * 3}, encodings="RLE_DICTIONARY")
    assert encodings_of(data) == [["PLAIN"]]
    assert read_footer(io.BytesIO(data)).metadata.row_groups[0].columns[0].meta_data.dictionary_page_offset is None


def test_threads_change_nothing():
    """Not a byte."""
    columns = {"a": [f"{i * 7 % 3001}" for i in range(9000)], "i": np.arange(9000)}
    assert write(columns, threads=1, page_size=1000) == write(columns, threads=3, page_size=1000)


# --- Names, files, and what is refused -------------------------------------------------------------------------------


def test_odd_names(tmp_path):
    """Dots, spaces, other scripts, quotes, and none at all."""
    names = ["a.b", "a b", "日本", '"', "a", "A", "element", "'; --", "x" * 300, "\t"]
    columns = {name: [name, None] for name in names}
    path = tmp_path / "f.parquet"
    cc.parquet.write_columns(path, columns)
    assert read_pyarrow(path) == columns
    assert read_polars(path) == columns
    assert read_arro3(path) == columns
    for name in names:
        assert cc.parquet.read_column(path, name).to_pylist() == [name, None]
    assert read_pyarrow(io.BytesIO(write({"": ["x"]}))) == {"": ["x"]}


def test_paths_urls_and_files(tmp_path):
    """All the same bytes."""
    fsspec = pytest.importorskip("fsspec")
    columns = {"a": ["x", None]}
    expected = write(columns)
    cc.parquet.write_columns(tmp_path / "a", columns)
    cc.parquet.write_columns(str(tmp_path / "b"), columns)
    cc.parquet.write_columns("memory://folder/c", columns)
    with (tmp_path / "d").open("wb") as file:
        cc.parquet.write_columns(file, columns)
    assert fsspec.filesystem("memory").cat("/folder/c") == expected
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {expected}
    assert struct.unpack("<4s", expected[:4]) == (b"PAR1",)


@pytest.mark.parametrize(
    ("columns", "options", "error", "message"),
    [
        ({}, {}, ValueError, "no columns"),
        ([("a", ["x"])], {}, TypeError, "by the names of their columns, got a list"),
        ({1: ["x"]}, {}, TypeError, "name of a column must be a str, got 1"),
        ({"\ud800": ["x"]}, {}, ValueError, "lone surrogate"),
        ({"a": ["x"], "b": ["x", "y"]}, {}, ValueError, "'a' has 1 values, 'b' 2"),
        ({"a": ["x", 1]}, {}, TypeError, "column 'a': value 1"),
        ({"a": ["\ud800"]}, {}, ValueError, "column 'a': value 0"),
        ({"a": cc.StringColumn([0, 1], b"\xff", utf8=True)}, {}, ValueError, "column 'a': value 0 .* UTF-8"),
        ({"a": np.array([1.0])}, {}, TypeError, "column 'a'"),
        ({"a": np.array([1], np.uint32)}, {}, TypeError, "column 'a': .* uint32"),
        ({"a": [1, None]}, {}, TypeError, "column 'a': value 0"),
        ({"a": pl.Series([1, None])}, {}, TypeError, "column 'a'"),
        ({"a": [True]}, {}, TypeError, "column 'a': value 0"),
        ({"a": pd.Series(pd.to_datetime(["2020-01-01"]))}, {}, TypeError, "column 'a'"),
        ({"a": ["x"]}, {"encodings": "ZIP"}, ValueError, "ZIP"),
        ({"a": [1]}, {"encodings": "ZIP"}, ValueError, "ZIP"),
        ({"a": ["x"]}, {"encodings": 7.5}, TypeError, "encoding"),
        ({"a": ["x"]}, {"encodings": {"b": "PLAIN"}}, KeyError, "encodings has 'b'; the columns are 'a'"),
        ({"a": ["x"]}, {"encodings": "DELTA_BINARY_PACKED"}, TypeError, "column 'a': .* for integers"),
        ({"a": [1]}, {"encodings": {"a": "DELTA_BYTE_ARRAY"}}, TypeError, "column 'a': DELTA_BYTE_ARRAY is for str"),
        ({"a": ["x"]}, {"encodings": "BYTE_STREAM_SPLIT"}, ValueError, "BYTE_STREAM_SPLIT"),
        ({"a": ["x"]}, {"compression": "lzo"}, ValueError, "lzo"),
        ({"a": ["x"]}, {"compression": "zstd:99"}, ValueError, "1 to 22"),
        ({"a": ["x"]}, {"readers": "nobody"}, ValueError, "unknown reader 'nobody'"),
        ({"a": ["x"]}, {"row_group_size": 0}, ValueError, "row_group_size must be at least 1"),
        ({"a": ["x"]}, {"page_size": 0}, ValueError, "page_size must be at least 1"),
        ({"a": ["x"]}, {"page_size": 1.5}, TypeError, "page_size must be an integer"),
        ({"a": ["x"]}, {"page_version": 3}, ValueError, "page_version must be 1 or 2"),
        ({"a": ["x"]}, {"key_value_metadata": [("a", "b")]}, TypeError, "must be a mapping"),
        ({"a": ["x"]}, {"key_value_metadata": {"a": 1}}, TypeError, "'a': 1"),
        ({"a": ["x"]}, {"key_value_metadata": {"a": "\ud800"}}, ValueError, "lone surrogate"),
        ({"a": ["x"]}, {"threads": 0}, ValueError, "threads must be at least 1"),
    ],
)
def test_misuse(tmp_path, columns, options, error, message):
    """With a clear word, and before there is a file."""
    path = tmp_path / "f.parquet"
    with pytest.raises(error, match=message):
        cc.parquet.write_columns(path, columns, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_value_too_large_for_a_page(tmp_path):
    """Is told before there is a file."""
    size = 3 * 2**29 + 1
    values = cc.StringColumn([0, 1, 1 + size], np.zeros(1 + size, np.uint8), utf8=False)
    with pytest.raises(cc.InvalidColumnError, match=f"column 'a': value 1 has {size} bytes") as caught:
        cc.parquet.write_columns(tmp_path / "f.parquet", {"a": values})
    assert caught.value.index == 1
    assert list(tmp_path.iterdir()) == []


def test_what_takes_no_file(tmp_path):
    """Neither a number nor a folder."""
    with pytest.raises(TypeError, match="expected a path, a URL or a binary file, got int"):
        cc.parquet.write_columns(7, {"a": ["x"]})
    with pytest.raises(OSError, match="nowhere"):
        cc.parquet.write_columns(tmp_path / "nowhere" / "f", {"a": ["x"]})
    with pytest.raises(IsADirectoryError):
        cc.parquet.write_columns(tmp_path, {"a": ["x"]})


def test_a_page_too_large_for_its_header():
    """F6: sizes are 32 bits wide; one that would not fit is refused, not cut."""
    body = np.zeros(3, np.uint8)
    assert make_page(dictionary_page_header(1), body, 2**31 - 1).endswith(bytes(3))
    with pytest.raises(cc.InvalidColumnError, match="2147483648 bytes"):
        make_page(dictionary_page_header(1), body, 2**31)
