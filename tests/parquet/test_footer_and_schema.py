"""Footers and schemas: of many writers as pyarrow sees them, and of nobody: cut, encrypted, or lying."""

import base64
import io
import itertools
import struct

import battery
import duckdb
import hypothesis.strategies as st
import numpy as np
import parquet_file
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from parquet_edit import edit
from parquet_file import with_footer

import colcodec as cc
from colcodec import MalformedFileError
from colcodec.parquet import footer as module
from colcodec.parquet import inspect, read_column, recode, write_columns
from colcodec.parquet._thrift import List, Struct
from colcodec.parquet.footer import created_by, read_array, read_footer, read_range
from colcodec.parquet.schema import column_metadata, find_leaf, leaves
from colcodec.parquet.structs import (
    ColumnChunk,
    ColumnMetaData,
    FileMetaData,
    IntType,
    LogicalType,
    PhysicalType,
    Repetition,
    RowGroup,
    SchemaElement,
)

ENCODINGS = parquet_file.ENCODINGS | {"BIT_PACKED": 4}
CODECS = {"UNCOMPRESSED": 0, "SNAPPY": 1, "GZIP": 2, "BROTLI": 4, "ZSTD": 6}


def table(rows=30):
    words = [None if i % 5 == 0 else f"w{i % 4}" for i in range(rows)]
    return pa.table(
        {
            "word": words,
            "number": pa.array(range(rows), pa.int32()),
            "tags": [words[i : i + i % 3] for i in range(rows)],
            "place": [{"city": word, "at": {"x": 1.5}} for word in words],
        }
    )


def read(data, **options):
    return read_footer(io.BytesIO(data), **options)


# --- Files of many writers -------------------------------------------------------------------------------------------


def by_pyarrow(values, path):
    pq.write_table(values, path, row_group_size=20, compression="zstd", data_page_version="2.0")


def by_pyarrow_with_everything(values, path):
    """Page indexes and size statistics, sorted columns, metadata of keys and values."""
    sorting = [pq.SortingColumn(1)]
    pq.write_table(
        values.replace_schema_metadata({"a": "b" * 300}), path, write_page_index=True, sorting_columns=sorting
    )


def by_polars(values, path):
    pl.from_arrow(values).write_parquet(path, row_group_size=20)


def by_duckdb(values, path):
    with duckdb.connect() as connection:
        connection.register("source", values)
        connection.execute(f"copy source to '{path}' (format parquet, compression gzip)")


def by_arro3(values, path):
    pytest.importorskip("arro3.io").write_parquet(values.to_reader(), str(path), max_row_group_size=20)


def by_fastparquet(values, path):
    frame = values.select(["word", "number"]).to_pandas()
    pytest.importorskip("fastparquet").write(str(path), frame, row_group_offsets=[0, 20])


def by_colcodec(values, path):
    columns = {"word": values["word"], "number": np.arange(len(values))}
    write_columns(path, columns, row_group_size=20, compression="brotli")


WRITERS = [by_pyarrow, by_pyarrow_with_everything, by_polars, by_duckdb, by_arro3, by_fastparquet, by_colcodec]


def written(writer, tmp_path):
    path = tmp_path / "file.parquet"
    writer(table(), path)
    return path.read_bytes()


@pytest.mark.parametrize("writer", WRITERS)
def test_footers_are_as_pyarrow_sees_them(tmp_path, writer):
    """Every number that pyarrow tells, of columns of all types."""
    data = written(writer, tmp_path)
    theirs = pq.read_metadata(io.BytesIO(data))
    metadata, start = read(data)
    assert start == len(data) - theirs.serialized_size - 8
    assert (metadata.num_rows, len(metadata.row_groups)) == (theirs.num_rows, theirs.num_row_groups)
    assert metadata.created_by.decode() == theirs.created_by
    pairs = {pair.key: pair.value for pair in metadata.key_value_metadata or []}
    assert pairs == (theirs.metadata or {})
    found = leaves(metadata)
    assert len(found) == theirs.num_columns
    for leaf, (i, row_group) in itertools.product(found, enumerate(metadata.row_groups)):
        own, other = column_metadata(row_group, leaf), theirs.row_group(i).column(leaf.index)
        assert row_group.num_rows == theirs.row_group(i).num_rows
        assert leaf.name == b".".join(own.path_in_schema).decode() == other.path_in_schema
        assert leaf.physical_type == other.physical_type
        assert own.num_values == other.num_values
        assert own.codec == CODECS[other.compression]
        assert set(own.encodings) == {ENCODINGS[name] for name in other.encodings}
        assert own.data_page_offset == other.data_page_offset
        if other.has_dictionary_page:
            assert own.dictionary_page_offset == other.dictionary_page_offset
        sizes = own.total_compressed_size, own.total_uncompressed_size
        assert sizes == (other.total_compressed_size, other.total_uncompressed_size)
        if other.is_stats_set and other.statistics.has_null_count:
            assert own.statistics.null_count == other.statistics.null_count


LOGICAL_TYPES = {"String": "STRING", "None": None, "Int(bitWidth=32, isSigned=true)": "INTEGER"}


@pytest.mark.parametrize("writer", WRITERS)
def test_schemas_are_as_pyarrow_sees_them(tmp_path, writer):
    """The path of each leaf, its levels, and what its values mean."""
    data = written(writer, tmp_path)
    schema = pq.read_schema(io.BytesIO(data)), pq.ParquetFile(io.BytesIO(data)).schema
    metadata = read(data).metadata
    for leaf in leaves(metadata):
        other = schema[1].column(leaf.index)
        assert leaf.name == other.path
        assert leaf.max_definition_level == other.max_definition_level
        assert leaf.max_repetition_level == other.max_repetition_level
        expected = LOGICAL_TYPES.get(str(other.logical_type), str(other.logical_type))
        assert leaf.logical_type == expected or leaf.logical_type in ("INT_32", "INT_64", "INTEGER")
        assert find_leaf(metadata, leaf.name) == leaf


@pytest.mark.parametrize("writer", WRITERS)
def test_footers_are_written_again_as_they_were(tmp_path, writer):
    """And what a reader needs of them is there, whether it reads all or what it knows."""
    data = written(writer, tmp_path)
    footer = read(data)
    again = with_footer(data[: footer.start], bytes(footer.metadata))
    assert pq.read_metadata(io.BytesIO(again)).to_dict() == pq.read_metadata(io.BytesIO(data)).to_dict() | {
        "serialized_size": len(bytes(footer.metadata))
    }
    assert read(again).metadata == footer.metadata
    known = read(data, known=True)
    assert known.start == footer.start
    assert leaves(known.metadata) == leaves(footer.metadata)
    assert [group.num_rows for group in known.metadata.row_groups] == [
        group.num_rows for group in footer.metadata.row_groups
    ]


# --- What nobody here knows of ---------------------------------------------------------------------------------------


def element(name, **fields):
    return SchemaElement(name=name.encode(), **fields)


def plain_schema(*elements):
    return FileMetaData(version=2, num_rows=0, row_groups=[], schema=[element("root", num_children=1), *elements])


def test_unknown_fields_and_numbers_survive():
    """A field, an element of a union, an encoding, a codec, a type: kept through a rewrite that does not need them."""
    sink = io.BytesIO()
    pq.write_table(table().select(["word", "number"]), sink)

    def change(metadata):
        own = metadata.row_groups[0].columns[1].meta_data
        own.codec, own.encodings = 99, [77, 3]
        own._fields[30] = (11 + 1, Struct())
        metadata.schema[2].converted_type = 50
        metadata.schema[2].logical_type = LogicalType()
        metadata.schema[2].logical_type._fields[40] = (8, 5)
        metadata._fields[1000] = (15, List(11, [b"new", b""]))

    data = edit(sink.getvalue(), change)
    target = io.BytesIO()
    recode(io.BytesIO(data), target, columns="word", encoding="DELTA_BYTE_ARRAY")
    before, after = read(data).metadata, read(target.getvalue()).metadata
    assert after.schema == before.schema
    assert after._fields[1000][1].items == [b"new", b""]
    own = after.row_groups[0].columns[1].meta_data
    assert (own.codec, own.encodings) == (99, [77, 3])
    assert own._fields[30] == (12, Struct())
    assert leaves(after)[1].logical_type == "field 40"
    assert read_column(target, "word").to_pylist() == table()["word"].to_pylist()


def test_a_codec_that_there_is_not(small):
    """It is refused by its number where values are wanted, and copied where they need not be."""
    data = edit(small, lambda metadata: setattr(metadata.row_groups[0].columns[0].meta_data, "codec", 99))
    with pytest.raises(MalformedFileError, match="compressed with codec 99, which is not read"):
        read_column(io.BytesIO(data), "c")
    target = io.BytesIO()
    (report,) = recode(io.BytesIO(data), target, encoding="DELTA_BYTE_ARRAY").columns
    assert report.notes == ("row group 0: left as it is; codec 99 is not read",)
    assert target.getvalue()[: read(data).start] == data[: read(data).start]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, None),
        ({"converted_type": 0}, "STRING"),
        ({"converted_type": 4}, "ENUM"),
        ({"converted_type": 5}, "DECIMAL"),
        ({"converted_type": 21}, "INTERVAL"),
        ({"converted_type": 22}, "ConvertedType 22"),
        ({"converted_type": -1}, "ConvertedType -1"),
        ({"logical_type": LogicalType(JSON=Struct())}, "JSON"),
        ({"logical_type": LogicalType(UUID=Struct()), "converted_type": 0}, "UUID"),
        ({"logical_type": LogicalType(), "converted_type": 19}, "JSON"),
        ({"logical_type": LogicalType()}, None),
    ],
)
def test_logical_types(fields, expected):
    """The new way to say it goes before the old one; a union without a field says nothing."""
    (leaf,) = leaves(plain_schema(element("c", type=6, **fields)))
    assert leaf.logical_type == expected
    assert leaf.is_text == (expected in ("STRING", "ENUM", "JSON"))
    (integer,) = leaves(plain_schema(element("c", type=1, **fields)))
    assert not integer.is_text


def test_unsigned_integers():
    for fields, expected in [
        ({}, False),
        ({"converted_type": 10}, False),
        ({"converted_type": 11}, True),
        ({"converted_type": 14}, True),
        ({"converted_type": 15}, False),
        ({"logical_type": LogicalType(INTEGER=IntType(bit_width=8, is_signed=False)), "converted_type": 15}, True),
        ({"logical_type": LogicalType(INTEGER=IntType(bit_width=8, is_signed=True)), "converted_type": 11}, False),
        ({"logical_type": LogicalType(DATE=Struct()), "converted_type": 13}, True),
    ]:
        (leaf,) = leaves(plain_schema(element("c", type=1, **fields)))
        assert leaf.is_unsigned == expected, fields


@pytest.mark.parametrize("number", [-1, 8, 2**31 - 1])
def test_types_that_there_are_not(number):
    """They are named by their number, and are no byte arrays."""
    metadata = plain_schema(element("c", type=number))
    (leaf,) = leaves(metadata)
    assert leaf.physical_type == f"type {number}"
    with pytest.raises(cc.InvalidTypeError, match=f"'c' is of type {number}; expected BYTE_ARRAY"):
        read_column(io.BytesIO(with_footer(b"PAR1", bytes(metadata))), "c")


@pytest.mark.parametrize("length", [None, 0, -1, -(2**31)])
def test_values_of_no_length(length):
    """F10: a FIXED_LEN_BYTE_ARRAY has a length; one of a BYTE_ARRAY means nothing."""
    file = io.BytesIO(with_footer(b"PAR1", bytes(plain_schema(element("c", type=7, type_length=length)))))
    with pytest.raises(MalformedFileError, match=f"FIXED_LEN_BYTE_ARRAY of length {length}"):
        read_column(file, "c")
    (leaf,) = leaves(plain_schema(element("c", type=6, type_length=length)))
    assert leaf.type_length is None


# --- Files that are cut, or say that they are longer -----------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    """Return a file with a footer and hardly more."""
    sink = io.BytesIO()
    write_columns(sink, {"c": ["axis", None, "axle"]})
    return sink.getvalue()


def test_a_file_that_is_cut_anywhere(small):
    """No part of a file is one."""
    for end in range(len(small)):
        with pytest.raises(MalformedFileError):
            read(small[:end])


def test_a_footer_that_is_cut_anywhere(small):
    """Be its size what is left of it, or what it was."""
    start = read(small).start
    footer = small[start:-8]
    for end in range(len(footer)):
        with pytest.raises(MalformedFileError):
            read(with_footer(small[:start], footer[:end]))
    for size in range(len(small) - 12):
        data = small[:-8] + struct.pack("<I4s", size, b"PAR1")
        if size != len(footer):  # bytes from the middle of a footer may be one, of other columns
            with pytest.raises((MalformedFileError, KeyError)):
                read_column(io.BytesIO(data), "c")


@pytest.mark.parametrize("size", [0, 2**31 - 1, 2**31, 2**32 - 1])
def test_sizes_of_footers_that_cannot_be(small, size):
    """None, negative as a signed number, beyond the file: no memory is taken for them."""
    with (
        battery.limited_memory(),
        pytest.raises(MalformedFileError, match=r"FileMetaData at byte 0|has .* bytes by its"),
    ):
        read(small[:-8] + struct.pack("<I4s", size, b"PAR1"))


def test_a_footer_may_be_all_that_there_is(small):
    """From the magic at the beginning to that at the end; a byte more is too much."""
    footer = bytes(FileMetaData(version=1, num_rows=0, row_groups=[], schema=[element("root")]))
    assert read(with_footer(b"PAR1", footer)).start == 4
    assert leaves(read(with_footer(b"PAR1", footer)).metadata) == []
    with pytest.raises(MalformedFileError, match="the footer has"):
        read(with_footer(b"PAR", footer))


@pytest.mark.parametrize("magic", [b"PAR2", b"par1", b"\0\0\0\0", b"1RAP"])
def test_other_magic(small, magic):
    with pytest.raises(MalformedFileError, match="not a Parquet file: it ends in"):
        read(small[:-4] + magic)


@pytest.mark.parametrize("data", [b"", b"P", b"PAR1", b"PAR1PAR1", b"PAR1" * 2 + b"PAR"])
def test_files_that_are_too_small(data):
    with pytest.raises(MalformedFileError, match=f"not a Parquet file: {len(data)} bytes, of 12 at least"):
        read(data)


def without(data, name):
    return edit(data, lambda metadata: metadata._fields.__delitem__(getattr(FileMetaData, name).number))


@pytest.mark.parametrize("name", ["schema", "num_rows", "row_groups"])
def test_what_a_footer_must_have(small, name):
    """Whoever needs a field is told that there is none."""
    with pytest.raises(MalformedFileError, match=f"FileMetaData has no {name}, which the format requires"):
        inspect(io.BytesIO(without(small, name)))


@pytest.mark.parametrize("name", ["version", "num_rows", "created_by"])
def test_what_a_column_can_be_read_without(small, name):
    assert read_column(io.BytesIO(without(small, name)), "c").to_pylist() == ["axis", None, "axle"]


def test_a_schema_without_a_root():
    data = with_footer(b"PAR1", bytes(FileMetaData(version=1, num_rows=0, row_groups=[], schema=[])))
    for known in (False, True):
        with pytest.raises(MalformedFileError, match="the schema is empty"):
            read(data, known=known)


# --- Files that are encrypted ----------------------------------------------------------------------------------------


def encrypted(**options):
    """Write a file with a key for the footer, and one for the column "secret"."""
    encryption = pytest.importorskip("pyarrow.parquet.encryption")

    class Keys(encryption.KmsClient):
        def wrap_key(self, key_bytes, master_key_identifier):
            return base64.b64encode(key_bytes)

        def unwrap_key(self, wrapped_key, master_key_identifier):
            return base64.b64decode(wrapped_key)

    factory = encryption.CryptoFactory(lambda config: Keys())
    config = encryption.EncryptionConfiguration(footer_key="footer", column_keys={"column": ["secret"]}, **options)
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), config)
    sink = io.BytesIO()
    values = pa.table({"open": ["axis", "axle"], "secret": ["a", "b"]})
    with pq.ParquetWriter(sink, values.schema, encryption_properties=properties) as writer:
        writer.write_table(values)
    return sink


def test_an_encrypted_footer():
    """The file ends in PARE, and nothing of it can be read."""
    file = encrypted()
    assert file.getvalue().endswith(b"PARE")
    for call in (read_footer, inspect, lambda file: read_column(file, "open"), lambda file: recode(file, io.BytesIO())):
        with pytest.raises(MalformedFileError, match="encrypted, footer included; colcodec does not decrypt"):
            call(file)


def test_an_encrypted_column():
    """A footer that can be read: the column is refused, the others are read, and the file is not written again."""
    file = encrypted(plaintext_footer=True)
    assert file.getvalue().endswith(b"PAR1")
    assert read_column(file, "open").to_pylist() == ["axis", "axle"]
    with pytest.raises(MalformedFileError, match="column secret is encrypted; colcodec does not decrypt"):
        read_column(file, "secret")
    with pytest.raises(MalformedFileError, match="encrypted columns, or a signed footer"):
        recode(file, io.BytesIO(), columns="open")


# --- Column chunks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"crypto_metadata": Struct()}, "column c is encrypted"),
        ({"encrypted_column_metadata": b"\1\2"}, "column c is encrypted"),
        ({"file_path": b"part-0.parquet"}, "column c is in another file, b'part-0.parquet'"),
        ({"meta_data": None}, "column c has no metadata"),
        ({"meta_data": ColumnMetaData(type=1)}, "column c is of type 1, but of 6 in the schema"),
        ({"meta_data": ColumnMetaData()}, "ColumnMetaData has no type, which the format requires"),
    ],
)
def test_column_chunks_that_are_not_read(fields, message):
    (leaf,) = leaves(plain_schema(element("c", type=6)))
    chunk = ColumnChunk(**{"file_offset": 0, "meta_data": ColumnMetaData(type=6)} | fields)
    with pytest.raises(MalformedFileError, match=message):
        column_metadata(RowGroup(columns=[chunk]), leaf)
    with pytest.raises(MalformedFileError, match="column c: the row group has only 0 columns"):
        column_metadata(RowGroup(columns=[]), leaf)


@pytest.mark.parametrize("count", [2**31, 2**40, 2**62, 2**63 - 1, -1, -(2**63)])
def test_numbers_of_values_that_cannot_be(small, count):
    """A20, F8, G3: more than the pages have, or fewer than none: an error, and no memory for them."""

    def change(metadata):
        metadata.num_rows = metadata.row_groups[0].num_rows = count
        metadata.row_groups[0].columns[0].meta_data.num_values = count

    data = edit(small, change)
    with battery.limited_memory(), pytest.raises(cc.ColcodecError):
        read_column(io.BytesIO(data), "c")
    with battery.limited_memory(), pytest.raises(cc.ColcodecError):
        recode(io.BytesIO(data), io.BytesIO())
    assert inspect(io.BytesIO(data)).is_damaged


@pytest.mark.parametrize("count", [0, 2, 4, 10**6])
def test_numbers_of_rows_that_are_wrong(small, count):
    """G3: a column has the values of its pages, whatever rows the row group or the file would have."""

    def change(metadata):
        metadata.num_rows = metadata.row_groups[0].num_rows = count

    assert read_column(io.BytesIO(edit(small, change)), "c").to_pylist() == ["axis", None, "axle"]
    assert [finding.kind for finding in inspect(io.BytesIO(edit(small, change))).columns[0].chunks[0].findings]


# --- The schema ------------------------------------------------------------------------------------------------------

KINDS = st.sampled_from([None, *Repetition])
TREES = st.recursive(
    st.tuples(KINDS, st.none()), lambda trees: st.tuples(KINDS, st.lists(trees, max_size=4)), max_leaves=12
)


def flatten(trees, path, definition, repetition, elements, expected):
    """List the elements of trees, each before its children, and what its leaves are."""
    for i, (kind, children) in enumerate(trees):
        own = (*path, f"f{i}")
        levels = definition + (kind in (1, 2)), repetition + (kind == 2)
        fields = {"repetition_type": kind, "num_children": None if children is None else len(children)}
        elements.append(element(own[-1], type=6 if children is None else None, **fields))
        if children is None:
            expected.append((own, *levels))
        else:
            flatten(children, own, *levels, elements, expected)


@given(st.lists(TREES, max_size=4), st.sampled_from([None, 0, 1, 2]))
def test_any_schema(trees, kind):
    """Groups in groups, also empty ones, which are no columns; what the root says of repetition means nothing."""
    elements, expected = [element("root", num_children=len(trees), repetition_type=kind)], []
    flatten(trees, (), 0, 0, elements, expected)
    found = leaves(FileMetaData(schema=elements))
    assert [(leaf.path, leaf.max_definition_level, leaf.max_repetition_level) for leaf in found] == expected
    assert [leaf.index for leaf in found] == list(range(len(found)))


@given(st.lists(TREES, min_size=1, max_size=3), st.data())
def test_children_that_are_not_there(trees, data):
    """One child more or fewer than there are, anywhere, and the list is no tree any more."""
    elements = [element("root", num_children=len(trees))]
    flatten(trees, (), 0, 0, elements, [])
    changed = data.draw(st.sampled_from(elements))
    before = changed.num_children or 0
    changed.num_children = data.draw(st.sampled_from([before - 1, before + 1, before + 100, 2**31 - 1, -(2**31)]))
    with pytest.raises(MalformedFileError, match="schema"):
        leaves(FileMetaData(schema=elements))


@pytest.mark.parametrize("kind", [-1, 3, 2**31 - 1])
def test_repetition_types_that_there_are_not(kind):
    with pytest.raises(MalformedFileError, match=f"element 'c' of the schema has repetition type {kind}"):
        leaves(plain_schema(element("c", type=6, repetition_type=kind)))


def test_depth():
    """A hundred fields inside each other are read; of a hundred thousand the time and memory are not the square."""

    def nested(depth):
        return [*(element("g", num_children=1, repetition_type=1) for _ in range(depth)), element("c", type=6)]

    (leaf,) = leaves(plain_schema(*nested(99)))
    assert (len(leaf.path), leaf.max_definition_level) == (100, 99)
    for depth in (100, 100_000):
        with battery.limited_memory(), pytest.raises(MalformedFileError, match="nested more than 100 deep"):
            leaves(plain_schema(*nested(depth)))


def test_names_that_are_no_text():
    """They can be told and asked for; of two columns of one name neither is meant."""
    metadata = plain_schema(SchemaElement(name=b"a\xff.b", type=6))
    assert leaves(metadata)[0].name == "a\\xff.b"
    assert find_leaf(metadata, "a\\xff.b").element.name == b"a\xff.b"
    metadata.schema = [element("root", num_children=2), element("c", type=6), element("c", type=1)]
    with pytest.raises(KeyError, match=r"2 columns 'c'; there are 'c', 'c'"):
        find_leaf(metadata, "c")
    metadata.schema = [element("root")]
    with pytest.raises(KeyError, match="no column 'c'"):
        find_leaf(metadata, "c")


# --- Bytes of files, and who writes them -----------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "size"), [(0, 0), (0, 100), (7, 93), (63, 2), (64, 1), (100, 0)])
def test_ranges_of_files(start, size):
    data = bytes(range(100))
    found = read_array(io.BytesIO(data), start, size, "bytes")
    assert (found.tobytes(), found.dtype, found.flags.writeable) == (data[start : start + size], np.uint8, False)
    assert read_range(io.BytesIO(data), start, size, "bytes") == data[start : start + size]


def test_large_ranges_lie_as_far_into_a_cache_line_as_in_the_file():
    file = io.BytesIO(np.arange(1 << 20, dtype=np.uint16).tobytes())
    for start in (0, 7, 63, 64, 1000):
        found = read_array(file, start, 1 << 20, "bytes")
        assert found.ctypes.data % 64 == start % 64
        assert found.tobytes() == file.getvalue()[start : start + (1 << 20)]


@pytest.mark.parametrize(
    ("start", "size"), [(0, 101), (100, 1), (101, 0), (-1, 5), (5, -1), (2**63, 1), (1, 2**63), (2**64, -(2**64))]
)
def test_ranges_that_are_not_in_the_file(start, size):
    """Memory is taken only for what can be there."""
    expected = f"^bytes: {size} bytes at byte {start} are not in a file of 100 bytes"
    with battery.limited_memory(), pytest.raises(MalformedFileError, match=expected):
        read_array(io.BytesIO(bytes(100)), start, size, "bytes")


def test_who_writes_without_being_installed(monkeypatch):
    """There is a version all the same, or readers would not believe statistics."""
    own = module.version

    def version(name):
        if name == "colcodec":
            raise module.PackageNotFoundError(name)
        return own(name)

    monkeypatch.setattr(module, "version", version)
    assert created_by() == b"colcodec version 0.0.0 (build numba-" + own("numba").encode() + b")"
    assert PhysicalType(6).name == "BYTE_ARRAY"
