"""Columns out of files that others wrote: values as pyarrow reads them, levels as plain Python works them out.

Docstrings name the reports of the same fault elsewhere (known-faults).
"""

import io
import itertools
import pathlib
import struct

import battery
import conftest
import duckdb
import fsspec
import hypothesis.strategies as st
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from parquet_edit import edit

import colcodec as cc
from colcodec import InvalidTypeError, LimitError, MalformedFileError
from colcodec.parquet import RepeatedColumn, iter_column, read_column
from colcodec.parquet.footer import read_footer
from colcodec.parquet.pages import read_chunk, walk
from colcodec.parquet.schema import leaves

ROWS = 200
WORDS = ["axis", "axle", "", "babble", "babbled", "naïve", "语", "z" * 40]


def write(table, **options):
    """Write a file with several row groups, of several pages."""
    sink = io.BytesIO()
    options = {"row_group_size": 90, "write_batch_size": 25, "data_page_size": 1, "compression": "none"} | options
    pq.write_table(table, sink, **options)
    return sink


def encodings(file, name):
    """List the encodings of the data pages of a column, row group by row group."""
    footer = read_footer(file)
    (leaf,) = (leaf for leaf in leaves(footer.metadata) if leaf.name == name)
    chunks = [read_chunk(file, group.columns[leaf.index].meta_data, footer) for group in footer.metadata.row_groups]
    return [[cc.Encoding(page.encoding).name for page in walk(chunk) if page.num_values] for chunk in chunks]


def check(file, table, **options):
    """Hold each column of a file against what is in it."""
    for name in table.column_names:
        values = read_column(file, name, **options)
        assert values.to_pylist() == table[name].to_pylist(), name
        assert values.null_count == table[name].null_count
        assert values.utf8 == (pa.types.is_string(table.schema.field(name).type))


# --- Flat columns ----------------------------------------------------------------------------------------------------


def texts(rows=ROWS):
    return [f"{WORDS[i % len(WORDS)]}{i // 9 if i % 3 else ''}" for i in range(rows)]


def flat_table(kind, rows=ROWS):
    """Make columns of one type: required, without nulls, with some, with nulls alone, of one value, of empty ones."""
    if kind == "fixed":
        data_type = pa.binary(5)
        values = [f"{text[-4:]:*>5}".encode()[-5:] for text in texts(rows)]
        empty = bytes(5)
    else:
        data_type = pa.string() if kind == "text" else pa.binary()
        values = texts(rows) if kind == "text" else [text.encode()[::-1] for text in texts(rows)]
        empty = values[2][:0]
    columns = {
        "required": values,
        "full": values,
        "some": [None if i % 7 in (0, 3) or 40 < i < 80 else value for i, value in enumerate(values)],
        "last": [None] * (rows - 1) + values[-1:],
        "nulls": [None] * rows,
        "one": [values[0]] * rows,
        "empty": [empty] * rows,
    }
    fields = [pa.field(name, data_type, nullable=name != "required") for name in columns]
    return pa.table([pa.array(some, data_type) for some in columns.values()], pa.schema(fields))


STRING_ENCODINGS = ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY")
FIXED_ENCODINGS = ("PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT", "RLE_DICTIONARY")
ENCODINGS = [
    *itertools.product(("text", "binary"), STRING_ENCODINGS),
    *itertools.product(("fixed",), FIXED_ENCODINGS),
]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
@pytest.mark.parametrize(("kind", "encoding"), ENCODINGS)
def test_flat_columns(kind, encoding, compression, version):
    """E1, E3, E14, E15, E17, F13, G6, G7, G11: every encoding in every codec and page, whatever is null or empty."""
    table = flat_table(kind)
    is_dictionary = encoding == "RLE_DICTIONARY"
    how = {} if is_dictionary else {"column_encoding": dict.fromkeys(table.column_names, encoding)}
    file = write(table, compression=compression, data_page_version=version, use_dictionary=is_dictionary, **how)
    assert encodings(file, "full") == [[encoding] * 4, [encoding] * 4, [encoding]]
    check(file, table)


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("kind", ["text", "binary", "fixed"])
def test_few_rows(kind, version, rows):
    """E16, G8: no row group, or one without rows, or of one row."""
    table = flat_table(kind, 9)[:rows]
    check(write(table, data_page_version=version), table)
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, table.schema, data_page_version=version) as writer:
        for part in (table[:0], table, table[:0], table):
            writer.write_table(part)
    check(sink, pa.concat_tables([table, table]))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_dictionary_that_is_given_up(version):
    """E20, E21: encodings are those of the pages, and each row group begins again with its own dictionary."""
    table = pa.table({"word": [f"{i * 7919 % 1000:03}" if i % 90 < 60 else "again" for i in range(ROWS)]})
    file = write(table, data_page_version=version, dictionary_pagesize_limit=300, compression="snappy")
    found = encodings(file, "word")
    assert [some[0] for some in found] == ["RLE_DICTIONARY"] * 3
    assert [some[-1] for some in found] == ["PLAIN", "PLAIN", "RLE_DICTIONARY"]
    check(file, table)


@pytest.mark.parametrize("count", [1, 2, 3, 128, 129, 256, 257, 700])
def test_dictionaries_of_many_sizes(count):
    """E1, E11, E29: indices of 0 bits to 10, in runs and packed."""
    indices = [i if i < count else (i // 30) % count for i in range(max(2 * count, 100))]
    table = pa.table({"word": [f"w{i}" for i in indices]})
    check(write(table, row_group_size=10_000, write_batch_size=150), table)


@pytest.mark.parametrize("rows_per_group", [1, 3])
def test_many_row_groups(rows_per_group):
    """E22: a hundred row groups, each with its own dictionary."""
    table = flat_table("text", 100)
    check(write(table, row_group_size=rows_per_group), table, threads=2)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@given(
    values=st.lists(st.none() | st.text(max_size=6) | st.sampled_from(WORDS), max_size=60),
    encoding=st.sampled_from(STRING_ENCODINGS),
    rows_per_group=st.integers(1, 70),
    batch=st.integers(1, 40),
    compression=st.sampled_from(["none", "snappy", "zstd"]),
)
def test_any_column(values, encoding, rows_per_group, batch, compression, version):
    how = {"column_encoding": {"c": encoding}, "use_dictionary": False} if encoding != "RLE_DICTIONARY" else {}
    options = {"row_group_size": rows_per_group, "write_batch_size": batch, "compression": compression} | how
    table = pa.table({"c": pa.array(values, pa.string())})
    check(write(table, data_page_version=version, **options), table)


def test_types_that_are_stored_as_byte_arrays():
    """What is no text is bytes, as they are in the file: decimals, UUIDs, half floats."""
    table = pa.table(
        {
            "decimal": pa.array([1, None, -2], pa.decimal128(30, 0)),
            "half": pa.array(np.array([1, 2, 4], np.float16)),
            "json": pa.array(["{}", "[]", None], pa.json_()) if hasattr(pa, "json_") else ["{}", "[]", None],
        }
    )
    file = write(table)
    length = read_footer(file).metadata.schema[1].type_length
    assert read_column(file, "decimal").to_pylist() == [
        n.to_bytes(length, "big", signed=True) if n else None for n in (1, 0, -2)
    ]
    assert read_column(file, "half").to_pylist() == [struct.pack("<e", number) for number in (1, 2, 4)]
    assert read_column(file, "json").to_pylist() == ["{}", "[]", None]


def test_text_that_is_not_utf8():
    """H2: it is read, and is not text once somebody wants it as such."""
    file = write(pa.table({"c": pa.array([b"ok", b"\xff\xfe", None]).cast(pa.binary()).view(pa.string())}))
    column = read_column(file, "c")
    assert (column.utf8, column.null_count) == (True, 1)
    assert cc.StringColumn(column.offsets, column.data, column.validity, utf8=False).to_pylist() == [
        b"ok",
        b"\xff\xfe",
        None,
    ]
    with pytest.raises(cc.InvalidColumnError):
        column.to_pylist()


# --- Structs and lists: levels worked out in plain Python ------------------------------------------------------------


def shred(values, field, path):
    """Take a leaf out of nested values: values that are present, definition levels, repetition levels."""
    found = []
    for value in values:
        step(value, field, list(path), 0, 0, 0, found)
    present = [value for value, is_there, *_ in found if is_there]
    return present, [level for *_, level, _ in found], [level for *_, level in found]


def step(value, field, path, rep, defined, lists, found):
    """Go down a path: `rep` is where a list goes on, `defined` how much of the path is there, `lists` its lists."""
    if field.nullable:
        if value is None:
            found.append((None, False, defined, rep))
            return
        defined += 1
    kind = field.type
    if pa.types.is_struct(kind):
        step(value[path[0]], kind.field(path[0]), path[1:], rep, defined, lists, found)
    elif pa.types.is_map(kind):
        items = [dict(zip(("key", "value"), item, strict=True))[path[1]] for item in value]
        inner = kind.key_field if path[1] == "key" else kind.item_field
        step_list(items, inner, path[2:], rep, defined, lists, found)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        step_list(value, kind.value_field, path[2:], rep, defined, lists, found)
    else:
        found.append((value, True, defined, rep))


def step_list(items, field, path, rep, defined, lists, found):
    if not items:
        found.append((None, False, defined, rep))
    for i, item in enumerate(items):
        step(item, field, path, lists + 1 if i else rep, defined + 1, lists + 1, found)


def check_nested(file, table):
    """Hold each leaf of a file against what plain Python makes of its values."""
    found = leaves(read_footer(file).metadata)
    for leaf in found:
        field = table.schema.field(leaf.path[0])
        present, def_levels, rep_levels = shred(table[leaf.path[0]].to_pylist(), field, leaf.path[1:])
        column = read_column(file, leaf.name)
        parts = list(iter_column(file, leaf.name))
        if leaf.max_repetition_level == 0:
            values = iter(present)
            slots = [next(values) if level == leaf.max_definition_level else None for level in def_levels]
            assert column.to_pylist() == [slot for part in parts for slot in part.to_pylist()] == slots
            continue
        assert isinstance(column, RepeatedColumn)
        assert column.values.to_pylist() == present
        assert column.def_levels.tolist() == def_levels
        assert column.rep_levels.tolist() == rep_levels
        assert column.def_levels.dtype == column.rep_levels.dtype == np.int16
        assert not column.def_levels.flags.writeable
        assert not column.rep_levels.flags.writeable
        for i in (1, 2):
            assert np.array_equal(np.concatenate([part[i] for part in parts] or [column[i]]), column[i])
        assert [value for part in parts for value in part.values.to_pylist()] == present
    return len(found)


TEXT = pa.string()
NESTED = {
    "struct": (pa.struct([("a", TEXT), pa.field("b", TEXT, nullable=False)]), 2),
    "structs": (pa.struct([("a", pa.struct([("b", pa.struct([("c", TEXT)])), ("d", pa.binary(2))]))]), 2),
    "required": (pa.struct([pa.field("a", pa.struct([pa.field("b", TEXT, nullable=False)]), nullable=False)]), 1),
    "list": (pa.list_(TEXT), 1),
    "list of required": (pa.list_(pa.field("element", TEXT, nullable=False)), 1),
    "list of lists": (pa.list_(pa.list_(pa.list_(TEXT))), 1),
    "list of structs": (pa.list_(pa.struct([("a", TEXT), ("b", pa.list_(TEXT))])), 2),
    "struct of lists": (pa.struct([("a", pa.list_(pa.binary(3))), ("b", pa.struct([("c", pa.list_(TEXT))]))]), 2),
    "map": (pa.map_(TEXT, TEXT), 2),
    "map of lists": (pa.map_(TEXT, pa.list_(pa.struct([("a", TEXT)]))), 2),
}


def values_of(field):
    """Draw values of a field, with nulls wherever they may be."""
    kind = field.type
    if pa.types.is_struct(kind):
        values = st.fixed_dictionaries({inner.name: values_of(inner) for inner in kind})
    elif pa.types.is_map(kind):
        values = st.lists(st.tuples(values_of(kind.key_field), values_of(kind.item_field)), max_size=3)
    elif pa.types.is_list(kind):
        values = st.lists(values_of(kind.value_field), max_size=3)
    elif pa.types.is_fixed_size_binary(kind):
        values = st.binary(min_size=kind.byte_width, max_size=kind.byte_width)
    else:
        values = st.sampled_from(WORDS) | st.text(max_size=3)
    return st.none() | values | values if field.nullable else values


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("name", NESTED)
@settings(max_examples=40 if conftest.JIT else 10)
@given(data=st.data())
def test_nested_columns(name, version, data):
    """G2, G4: structs 1 to 3 deep, lists, maps, and each in another: values, definition and repetition levels."""
    kind, count = NESTED[name]
    field = pa.field("c", kind, nullable=data.draw(st.booleans()))
    rows = data.draw(st.lists(values_of(field), max_size=12))
    table = pa.table([pa.array(rows, kind)], pa.schema([field]))
    options = data.draw(
        st.fixed_dictionaries(
            {
                "row_group_size": st.integers(1, 12),
                "write_batch_size": st.integers(1, 6),
                "use_dictionary": st.booleans(),
                "compression": st.sampled_from(["none", "zstd"]),
            }
        )
    )
    assert check_nested(write(table, data_page_version=version, **options), table) == count


def test_lists_over_many_pages():
    """Rows of many values, across pages and runs of levels of every length."""
    rows = [None if i % 11 == 0 else [WORDS[j % 8] if j % 5 else None for j in range(i % 40)] for i in range(60)]
    table = pa.table({"c": pa.array(rows, pa.list_(TEXT))})
    for version in ("1.0", "2.0"):
        assert check_nested(write(table, data_page_version=version, row_group_size=25), table) == 1


def test_nothing_but_nulls_and_empty_lists():
    table = pa.table({"c": pa.array([[], None, []] * 20, pa.list_(TEXT))})
    for version in ("1.0", "2.0"):
        file = write(table, data_page_version=version)
        assert check_nested(file, table) == 1
    empty = read_column(file, "c.list.element", row_groups=[])
    assert (len(empty.values), empty.def_levels.tolist(), empty.rep_levels.tolist()) == (0, [], [])


# --- Other writers ---------------------------------------------------------------------------------------------------


def plain_table():
    full, some = texts(), flat_table("text")["some"].to_pylist()
    binary = [text.encode() for text in full]
    lists = [None if i % 7 == 0 else full[i : i + i % 4] for i in range(ROWS)]
    place = [None if i % 5 == 0 else {"city": some[i]} for i in range(ROWS)]
    return pa.table(
        {"full": full, "some": some, "binary": binary, "lists": lists, "place": place, "same": ["x"] * ROWS}
    )


def check_against_pyarrow(path):
    """Hold each leaf of byte arrays against what pyarrow reads, whatever names the lists have."""
    table = pq.read_table(path)
    assert table.num_rows == ROWS
    assert check_nested(io.BytesIO(path.read_bytes()), table) == 6


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"])
def test_polars(tmp_path, compression):
    path = tmp_path / "polars.parquet"
    pl.from_arrow(plain_table()).write_parquet(path, compression=compression, row_group_size=70, data_page_size=200)
    check_against_pyarrow(path)


@pytest.mark.parametrize("version", ["V1", "V2"])
@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4_raw"])
def test_duckdb(tmp_path, compression, version):
    path = tmp_path / "duckdb.parquet"
    with duckdb.connect() as connection:
        connection.register("source", plain_table())
        options = f"compression {compression}, parquet_version {version}, dictionary_size_limit 20"
        connection.execute(f"copy source to '{path}' (format parquet, {options})")
    check_against_pyarrow(path)


@pytest.mark.parametrize("encoding", ["plain", "delta_length_byte_array", "delta_byte_array", None])
@pytest.mark.parametrize("version", ["parquet_1_0", "parquet_2_0"])
def test_arrow_rs(tmp_path, version, encoding):
    arro3 = pytest.importorskip("arro3.io")
    path = tmp_path / "arro3.parquet"
    how = {} if encoding is None else {"encoding": encoding, "dictionary_enabled": False}
    options = {
        "writer_version": version,
        "compression": "snappy",
        "max_row_group_size": 70,
        "data_page_row_count_limit": 30,
    }
    arro3.write_parquet(plain_table().to_reader(), str(path), **options, **how)
    check_against_pyarrow(path)


def test_pandas(tmp_path):
    path = tmp_path / "pandas.parquet"
    table = plain_table()
    table.to_pandas().to_parquet(path, engine="pyarrow", compression="zstd")
    check_against_pyarrow(path)


@pytest.mark.parametrize("compression", [None, "SNAPPY", "ZSTD", "GZIP"])
def test_fastparquet(tmp_path, compression):
    """E8, E9, E26: zeros behind values and runs, which nobody should read; categories; values of one length."""
    fastparquet = pytest.importorskip("fastparquet")
    path = tmp_path / "fastparquet.parquet"
    frame = plain_table().select(["full", "some", "same"]).to_pandas()
    frame["kind"] = frame["full"].str[:1].astype("category")
    frame["fixed"] = [b"%05d" % i for i in range(ROWS)]
    frame["bytes"] = plain_table()["binary"].to_pylist()
    kinds = {"fixed": "bytes", "bytes": "bytes"}
    encoding = {name: kinds.get(name, "utf8") for name in frame.columns if name != "kind"}
    options = {"compression": compression, "row_group_offsets": [0, 70, 140], "fixed_text": {"fixed": 5}}
    fastparquet.write(str(path), frame, object_encoding=encoding, **options)
    table = pq.read_table(path)
    for name in frame.columns:
        values = read_column(path, name).to_pylist()
        theirs = table[name].to_pylist()
        assert values == [
            value.encode() if isinstance(values[0], bytes) and isinstance(value, str) else value for value in theirs
        ]


# --- Which file, which rows, how -------------------------------------------------------------------------------------


def test_kinds_of_files(tmp_path):
    """A path, a string, a URL, and whatever is open: which stays open."""
    table = flat_table("text", 20)
    data = write(table).getvalue()
    path = tmp_path / "file.parquet"
    path.write_bytes(data)
    with fsspec.open("memory://colcodec-tests/file.parquet", "wb") as target:
        target.write(data)
    for file in (path, str(path), pathlib.PurePath(path), "memory://colcodec-tests/file.parquet", path.as_uri()):
        check(file, table)
        assert [part.to_pylist() for part in iter_column(file, "one")] == [table["one"].to_pylist()]
    with path.open("rb") as raw, path.open("rb", buffering=0) as unbuffered, pa.OSFile(str(path)) as theirs:
        for file in (io.BytesIO(data), raw, unbuffered, theirs):
            check(file, table)
            check(file, table)
            assert not file.closed


def test_a_file_is_read_no_further_than_needed():
    """Of the file only the footer and the chunks of the column are read, whichever row groups are wanted."""

    class Counting(io.BytesIO):
        count = 0

        def readinto(self, buffer):
            count = super().readinto(buffer)
            Counting.count += count
            return count

    table = pa.table({"small": ["x"] * 300, "large": [f"{i:0500}" for i in range(300)]})
    data = write(table, row_group_size=100).getvalue()
    read_column(Counting(data), "small")
    assert Counting.count < 5_000 + len(data) - read_footer(io.BytesIO(data)).start
    Counting.count = 0
    read_column(Counting(data), "large", row_groups=[1])
    assert Counting.count < 55_000 + len(data) - read_footer(io.BytesIO(data)).start


def test_files_that_tell_less_than_is_asked_for():
    """Whoever opens a file may give a few bytes at a time."""

    class Slow(io.BytesIO):
        def readinto(self, buffer):
            return super().readinto(memoryview(buffer)[:7])

    table = flat_table("binary", 50)
    check(Slow(write(table).getvalue()), table)


def test_a_file_that_ends_while_it_is_read():
    class Ending(io.BytesIO):
        def readinto(self, buffer):
            return super().readinto(buffer) if self.tell() > 100 else 0

    with pytest.raises(MalformedFileError, match="of which 0 could be read"):
        read_column(Ending(write(flat_table("text")).getvalue()), "required")


@pytest.mark.parametrize("row_groups", [None, [0], [2], [1, 0], [2, 2, 2], [], range(3), (i for i in (0, 2))])
def test_row_groups(row_groups):
    """Those that are named, in that order, as often as they are."""
    table = flat_table("text")
    wanted = list(range(3)) if row_groups is None else [*row_groups]
    parts = [table[90 * i : 90 * i + 90] for i in wanted]
    file = write(table)
    check(file, pa.concat_tables([table[:0], *parts]), row_groups=None if row_groups is None else wanted)
    found = [part.to_pylist() for part in iter_column(file, "some", row_groups=wanted)]
    assert found == [part["some"].to_pylist() for part in parts]


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_threads(threads):
    for kind in ("text", "fixed"):
        table = flat_table(kind)
        check(write(table, compression="zstd"), table, threads=threads)


def test_no_name_of_a_parent_is_enough_and_dots_may_be_in_names():
    rows = pa.table({"a.b": ["dotted"], "c": [{"d": "inner"}], "e": [["x"]]})
    file = write(rows)
    assert read_column(file, "a.b").to_pylist() == ["dotted"]
    assert read_column(file, "c.d").to_pylist() == ["inner"]
    for name in ("c", "e", "a", "b", "d", "c.", ".c.d", ""):
        with pytest.raises(KeyError, match=r"there are 'a\.b', 'c\.d', 'e\.list\.element'"):
            read_column(file, name)


def test_names_that_are_there_twice():
    table = pa.table([["x"], [{"b": "y"}]], names=["a.b", "a"])
    with pytest.raises(KeyError, match=r"2 columns 'a\.b'"):
        read_column(write(table), "a.b")


def test_many_names_are_not_all_told():
    names = [f"column {i}" for i in range(50)]
    with pytest.raises(KeyError) as caught:
        read_column(write(pa.table([["x"]] * 50, names=names)), "word")
    message = str(caught.value)
    assert "'column 19' and 30 more" in message
    assert "column 20" not in message


@pytest.mark.parametrize(
    ("name", "kind"), [("int", "INT32"), ("long", "INT64"), ("real", "DOUBLE"), ("flag", "BOOLEAN"), ("time", "INT96")]
)
def test_columns_of_other_types(name, kind):
    table = pa.table(
        {
            "int": pa.array([1], pa.int32()),
            "long": [1],
            "real": [1.0],
            "flag": [True],
            "time": pa.array([1], pa.timestamp("ns")),
        }
    )
    file = write(table, use_deprecated_int96_timestamps=True)
    for read in (read_column, lambda *args: next(iter_column(*args))):
        with pytest.raises(InvalidTypeError, match=f"^column '{name}' is of {kind}; expected BYTE_ARRAY or"):
            read(file, name)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"row_groups": [3]}, ValueError, "row group 3 of a file that has 3"),
        ({"row_groups": [0, 10**30]}, ValueError, "row group"),
        ({"row_groups": [-1]}, ValueError, "row_groups"),
        ({"row_groups": 1}, TypeError, "not iterable"),
        ({"row_groups": ["0"]}, TypeError, "row_groups"),
        ({"row_groups": [0.0]}, TypeError, "row_groups"),
        ({"threads": 0}, ValueError, "threads"),
        ({"threads": "2"}, TypeError, "threads"),
        ({"max_data_size": -1}, ValueError, "max_data_size"),
        ({"max_data_size": 1.5}, TypeError, "max_data_size"),
    ],
)
def test_misuse(options, error, message):
    file = write(flat_table("text"))
    with pytest.raises(error, match=message):
        read_column(file, "full", **options)
    with pytest.raises(error, match=message):
        list(iter_column(file, "full", **options))


@pytest.mark.parametrize("file", [None, 5, b"PAR1", ["a.parquet"], io.StringIO("PAR1")])
def test_what_is_no_file(file):
    with pytest.raises(TypeError, match="expected a path, a URL or a binary file"):
        read_column(file, "c")


def test_files_that_are_not_there(tmp_path):
    for file in (tmp_path / "none.parquet", str(tmp_path / "none.parquet"), "memory://colcodec-tests/none.parquet"):
        with pytest.raises(FileNotFoundError):
            read_column(file, "c")


@pytest.mark.parametrize("encoding", STRING_ENCODINGS)
def test_limit(encoding):
    """F8: of each row group, not of them all, and of what the values are, not of what is in the file."""
    table = pa.table({"c": ["abcdefghij" * 10] * 90})
    is_dictionary = encoding == "RLE_DICTIONARY"
    how = {} if is_dictionary else {"column_encoding": {"c": encoding}}
    file = write(pa.concat_tables([table] * 2), use_dictionary=is_dictionary, **how)
    check(file, pa.concat_tables([table] * 2), max_data_size=9000)
    for limit in (8999, 100, 0):
        with pytest.raises(LimitError, match="column 'c'"):
            read_column(file, "c", max_data_size=limit)
        with pytest.raises(LimitError, match="column 'c'"):
            next(iter_column(file, "c", max_data_size=limit))


def test_limit_of_many_row_groups():
    """F8: what is small in the file may not become as much as `max_data_size` in each row group of it."""
    table = pa.table({"c": ["a" * 10_000] * 80})
    file = write(table, row_group_size=10, compression="zstd", use_dictionary=False)
    check(file, table, max_data_size=800_000)
    message = r"column 'c': .*max_data_size.* allow more by max_data_size=, or read fewer row groups .*row_groups="
    with pytest.raises(LimitError, match=message):
        read_column(file, "c", max_data_size=110_000)
    assert [len(part) for part in iter_column(file, "c", max_data_size=110_000)] == [10] * 8
    assert len(read_column(file, "c", row_groups=[3], max_data_size=110_000)) == 10
    with pytest.raises(LimitError, match=r"allow more by max_data_size=$"):
        read_column(file, "c", row_groups=[3], max_data_size=90_000)


def test_many_nulls():
    """F8: a few are free in all, not in each row group; what `max_data_size` has room for can be read."""
    rows = 20 << 20
    file = write(pa.table({"c": pa.nulls(rows, pa.string())}), row_group_size=1 << 20, write_batch_size=1 << 20)
    with battery.limited_memory(), pytest.raises(LimitError, match=r"the offsets of 20971520 values, .*row_groups="):
        read_column(file, "c", max_data_size=8 * rows - 1)
    if conftest.JIT:  # walks all of them
        assert read_column(file, "c", max_data_size=8 * rows).null_count == rows


def test_row_groups_that_share_their_pages():
    """However many row groups a footer has, no more is read than there is; one that is asked for twice is read once."""
    table = pa.table({"c": [f"{i:0300}" for i in range(30)]})
    file = write(table, row_group_size=10)
    assert read_column(file, "c", row_groups=[1] * 50).to_pylist() == table["c"].to_pylist()[10:20] * 50

    def share(metadata):
        metadata.row_groups = metadata.row_groups[:1] * 5

    changed = edit(file.getvalue(), share)
    with pytest.raises(MalformedFileError, match="column 'c': its row groups have more bytes than the file"):
        read_column(io.BytesIO(changed), "c")


def test_a_file_stays_open_while_it_is_iterated(tmp_path):
    """A file that we open is closed with the iterator, however that ends."""
    path = tmp_path / "c.parquet"
    path.write_bytes(write(flat_table("text")).getvalue())
    parts = iter_column(path, "full")
    assert len(next(parts)) == 90
    parts.close()
    with pytest.raises(StopIteration):
        next(parts)


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY"])
def test_a_value_of_more_than_64_mib(encoding):
    """F12: a page is as large as its only value."""
    values = [b"a", bytes(2**26 + 1), b"b" * 3]
    file = write(pa.table({"c": values}), use_dictionary=False, column_encoding={"c": encoding}, compression="snappy")
    column = read_column(file, "c")
    assert np.diff(column.offsets).tolist() == [1, 2**26 + 1, 3]
    assert column[2] == b"bbb"
    assert not column.data[1:-3].any()
