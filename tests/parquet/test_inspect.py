"""Looking into Parquet files: held against what pyarrow says of its own; each warning, against a footer made wrong."""

import io
import json
import re
import struct
from collections import Counter
from decimal import Decimal

import battery
import fsspec
import hypothesis.strategies as st
import naive
import numpy as np
import parquet_edit
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from parquet_file import file_of

import colcodec as cc
from colcodec import MalformedFileError
from colcodec.parquet import inspect
from colcodec.parquet._thrift import Struct
from colcodec.parquet.footer import read_footer
from colcodec.parquet.pages import dictionary_page_header, make_page
from colcodec.parquet.structs import (
    ColumnIndex,
    OffsetIndex,
    PageEncodingStats,
    PageType,
    PhysicalType,
    SizeStatistics,
    Statistics,
)

WORDS = ["axis", None, "axle", "", "babble", "naïve", None, "axis"]
ROWS = 160
PAGE_ROWS = 40


def table(rows=ROWS):
    numbers = np.arange(rows)
    lists = [None if i % 7 == 0 else ["x"] * (i % 3) for i in range(rows)]
    return pa.table(
        {
            "word": pa.array([WORDS[i % len(WORDS)] for i in range(rows)]),
            "must": pa.array([f"key-{i:03}" for i in range(rows)]),
            "number": pa.array(numbers, mask=numbers % 5 == 0),
            "small": pa.array(numbers % 200, pa.uint8()),
            "real": pa.array(numbers / 3),
            "flag": pa.array(numbers % 2 == 0),
            "id": pa.array([bytes([i % 256]) * 5 for i in range(rows)], pa.binary(5)),
            "price": pa.array([Decimal(i - 50) / 4 for i in range(rows)], pa.decimal128(20, 2)),
            "tags": pa.array(lists),
            "place": pa.array([None if i % 4 == 0 else {"city": WORDS[i % 8]} for i in range(rows)]),
        },
        schema=pa.schema(
            [
                ("word", pa.string()),
                pa.field("must", pa.string(), nullable=False),
                ("number", pa.int64()),
                ("small", pa.uint8()),
                ("real", pa.float64()),
                ("flag", pa.bool_()),
                ("id", pa.binary(5)),
                ("price", pa.decimal128(20, 2)),
                ("tags", pa.list_(pa.string())),
                ("place", pa.struct([("city", pa.string())])),
            ]
        ),
    )


def write(values, **options):
    """Write a file with pages of PAGE_ROWS rows."""
    sink = io.BytesIO()
    options = {"write_batch_size": PAGE_ROWS, "data_page_size": 1, "compression": "none"} | options
    pq.write_table(values, sink, **options)
    return sink.getvalue()


def edit(data, change):
    """Change the footer; bytes that `change` returns go before it, and it is given the byte at which they will be."""
    start = read_footer(io.BytesIO(data)).start
    return parquet_edit.edit(data, lambda metadata: change(metadata, start))


def look(data, **options):
    return inspect(io.BytesIO(data), **options)


def found(info, *levels):
    """List where something was found, and of what kind."""
    own = [("", finding) for finding in info.findings]
    own += [(column.name, finding) for column in info.columns for chunk in column.chunks for finding in chunk.findings]
    return [(name, finding.kind) for name, finding in own if not levels or finding.level in levels]


def messages(info):
    chunks = [chunk for column in info.columns for chunk in column.chunks]
    return [finding.message for part in (info, *chunks) for finding in part.findings]


# --- Files that are in order -----------------------------------------------------------------------------------------

CODECS = {
    "none": "UNCOMPRESSED",
    "snappy": "SNAPPY",
    "gzip": "GZIP",
    "zstd": "ZSTD",
    "brotli": "BROTLI",
    "lz4": "LZ4_RAW",
}


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", CODECS)
def test_columns_are_as_pyarrow_says(version, compression):
    """Sizes, values, nulls and encodings of every chunk; and there is nothing to warn of."""
    values = table()
    options = {"write_page_checksum": True, "write_page_index": True, "row_group_size": 100}
    data = write(values, compression=compression, data_page_version=version, **options)
    info, theirs = look(data, pages=True), pq.read_metadata(io.BytesIO(data))
    assert found(info) == []
    assert not info.is_damaged
    assert (info.size, info.num_rows, info.num_row_groups) == (len(data), ROWS, 2)
    assert info.footer_size == theirs.serialized_size + 8
    assert info.created_by == theirs.created_by
    assert [column.name for column in info.columns] == [theirs.schema.column(i).path for i in range(theirs.num_columns)]
    for i, column in enumerate(info.columns):
        leaf = theirs.schema.column(i)
        assert (column.index, column.physical_type) == (i, leaf.physical_type)
        assert (column.max_definition_level, column.max_repetition_level) == (
            leaf.max_definition_level,
            leaf.max_repetition_level,
        )
        for j, chunk in enumerate(column.chunks):
            own = theirs.row_group(j).column(i)
            assert (chunk.row_group, chunk.codec) == (j, CODECS[compression])
            assert chunk.num_values == own.num_values
            assert chunk.encoded_size == own.total_uncompressed_size
            assert chunk.compressed_size == own.total_compressed_size
            assert chunk.claimed_encodings == own.encodings
            assert set(chunk.encodings) <= set(own.encodings)
            if column.max_repetition_level == 0:
                assert chunk.null_count == own.statistics.null_count
        assert column.num_values == sum(chunk.num_values for chunk in column.chunks)
        assert column.compressed_size == sum(chunk.compressed_size for chunk in column.chunks)
        assert column.codecs == (CODECS[compression],)


@pytest.mark.parametrize("version", [1, 2])
def test_pages_follow_each_other(version):
    """From the first to the last chunk, without a byte between them, each with its rows."""
    data = write(table(), data_page_version=f"{version}.0", write_page_checksum=True)
    position = 4
    for column in look(data, pages=True).columns:
        (chunk,) = column.chunks
        kinds = [(page.kind, page.version) for page in chunk.pages]
        has_dictionary = column.name != "flag"
        assert kinds[:has_dictionary] == [("dictionary", None)] * has_dictionary
        assert kinds[has_dictionary:] == [("data", version)] * sum(chunk.encodings.values())
        for page in chunk.pages:
            assert page.offset == position
            position += page.header_size + page.compressed_size
            assert page.is_intact is True
        rows = [page.num_rows for page in chunk.pages if page.kind == "data"]
        assert sum(rows) == ROWS
        if column.max_repetition_level == 0:
            assert set(rows) == {PAGE_ROWS}
            assert [page.num_values for page in chunk.pages if page.kind == "data"] == rows
    assert position == read_footer(io.BytesIO(data)).start


def test_types_are_named():
    """Physical, logical and repetition."""
    types = {
        column.name: (column.physical_type, column.type_length, column.logical_type, column.repetition)
        for column in look(write(table())).columns
    }
    assert types == {
        "word": ("BYTE_ARRAY", None, "STRING", "optional"),
        "must": ("BYTE_ARRAY", None, "STRING", "required"),
        "number": ("INT64", None, None, "optional"),
        "small": ("INT32", None, "INTEGER", "optional"),
        "real": ("DOUBLE", None, None, "optional"),
        "flag": ("BOOLEAN", None, None, "optional"),
        "id": ("FIXED_LEN_BYTE_ARRAY", 5, None, "optional"),
        "price": ("FIXED_LEN_BYTE_ARRAY", 9, "DECIMAL", "optional"),
        "tags.list.element": ("BYTE_ARRAY", None, "STRING", "optional"),
        "place.city": ("BYTE_ARRAY", None, "STRING", "optional"),
    }


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_raw_bytes_and_nulls_are_those_of_the_values(version, dictionary):
    """Of byte arrays the sum of their lengths, of others what they take in memory."""
    values = table()
    info = look(write(values, data_page_version=version, use_dictionary=dictionary))
    columns = {column.name: column for column in info.columns}
    valid = {name: [value for value in values[name].to_pylist() if value is not None] for name in values.column_names}
    cities = [place["city"] for place in valid["place"] if place["city"] is not None]
    for name, texts in (("word", valid["word"]), ("must", valid["must"]), ("place.city", cities)):
        assert columns[name].raw_size == sum(len(text.encode()) for text in texts)
        assert columns[name].null_count == ROWS - len(texts)
    tags = columns["tags.list.element"]
    assert tags.raw_size == sum(map(len, valid["tags"]))
    assert tags.num_values - tags.null_count == tags.raw_size
    widths = {"number": 8, "small": 4, "real": 8, "id": 5, "price": 9}
    assert {name: columns[name].raw_size for name in widths} == {
        name: widths[name] * len(valid[name]) for name in widths
    }
    assert columns["flag"].raw_size == ROWS // PAGE_ROWS * (PAGE_ROWS // 8)


def test_encodings_are_those_of_the_pages():
    """Also such as colcodec does not decode."""
    encodings = {
        "word": "DELTA_BYTE_ARRAY",
        "must": "DELTA_LENGTH_BYTE_ARRAY",
        "number": "DELTA_BINARY_PACKED",
        "real": "BYTE_STREAM_SPLIT",
        "id": "DELTA_BYTE_ARRAY",
        "flag": "RLE",
    }
    columns = list(encodings)
    info = look(write(table().select(columns), use_dictionary=False, column_encoding=encodings), pages=True)
    assert {column.name: column.encodings for column in info.columns} == {
        name: {encoding: ROWS // PAGE_ROWS} for name, encoding in encodings.items()
    }
    # Arrow 26 counts what DELTA_BYTE_ARRAY leaves of the values.
    assert set(found(info)) <= {("word", "size_statistics")}


def test_a_dictionary_that_is_given_up_is_a_note():
    """With the pages that have it and those that have not."""
    info = look(write(table().select(["must"]), dictionary_pagesize_limit=500))
    (column,) = info.columns
    assert list(column.encodings) == ["RLE_DICTIONARY", "PLAIN"]
    assert found(info, "note") == found(info) == [("must", "fallback")]
    (message,) = messages(info)
    assert message == f"{column.encodings['PLAIN']} of 4 data pages fell back from the dictionary to PLAIN"


def test_files_of_any_kind(tmp_path):
    """Paths, URLs and open files, which stay open."""
    data = write(table())
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    fsspec.filesystem("memory").pipe("/inspect.parquet", data)
    expected = look(data)
    assert inspect(path) == inspect(str(path)) == inspect("memory://inspect.parquet") == expected
    with path.open("rb") as file:
        assert inspect(file) == expected
        assert not file.closed


def test_columns_are_those_that_were_asked_for():
    """In that order; what is not there is an error."""
    data = write(table())
    whole = look(data)
    chosen = look(data, columns=["place.city", "word"])
    assert chosen.columns == (whole.columns[-1], whole.columns[0])
    assert look(data, columns="word").columns == whole.columns[:1]
    assert look(data, columns=[]).columns == ()
    with pytest.raises(KeyError, match="no column 'place'; there are 'word', 'must'"):
        look(data, columns=["place"])


def test_pages_are_kept_where_they_are_asked_for():
    """And nothing else changes."""
    data = write(table().select(["word"]))
    (without,), (chunk,) = look(data).columns[0].chunks, look(data, pages=True).columns[0].chunks
    assert without.pages is None
    assert len(chunk.pages) == 1 + ROWS // PAGE_ROWS
    assert chunk.pages[0].num_values == len(set(WORDS)) - 1
    assert {page.level_encodings for page in chunk.pages[1:]} == {("RLE", "RLE")}
    assert {page.is_intact for page in chunk.pages} == {None}


def test_progress_is_told_for_each_chunk():
    """Before it is read."""
    told = []
    look(write(table(), row_group_size=80), columns=["word", "id"], progress=lambda *now: told.append(now))
    assert told == [(0, 4, "word"), (1, 4, "id"), (2, 4, "word"), (3, 4, "id")]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_columns_of_nothing(version):
    """No rows, no row groups, and only nulls."""
    empty = look(write(table(0), data_page_version=version), pages=True)
    assert found(empty) == []
    assert {column.num_values for column in empty.columns} == {0}
    sink = io.BytesIO()
    pq.ParquetWriter(sink, table(0).schema).close()
    none = look(sink.getvalue())
    assert (none.num_row_groups, none.columns[0].chunks, none.columns[0].encodings) == (0, (), {})
    nulls = look(write(pa.table({"a": pa.array([None] * 5, pa.string())}), data_page_version=version))
    assert (nulls.columns[0].null_count, nulls.columns[0].raw_size) == (5, 0)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"])
def test_what_colcodec_writes_is_in_order(encoding, version):
    """With checksums, and indexes that are right."""
    file = io.BytesIO()
    values = {"word": table()["word"], "id": np.arange(ROWS)}
    options = {"row_group_size": 100, "page_size": 100, "page_version": version, "compression": "snappy"}
    cc.parquet.write_columns(file, values, encodings={"word": encoding}, **options)
    info = inspect(file, pages=True)
    assert found(info) == []
    word, number = info.columns
    assert list(word.encodings) == [encoding]
    assert list(number.encodings) == ["DELTA_BINARY_PACKED"]
    assert (word.null_count, word.raw_size, number.null_count, number.raw_size) == (40, 480, 0, 8 * ROWS)
    pages = [page for own in info.columns for chunk in own.chunks for page in chunk.pages]
    assert {page.is_intact for page in pages} == {True}
    assert {page.version for page in pages} - {None} == {version}


# --- Metadata that is wrong ------------------------------------------------------------------------------------------


def column(metadata, i=0, row_group=0):
    return metadata.row_groups[row_group].columns[i].meta_data


def set_offset(name, number):
    def change(metadata, _):
        own = column(metadata)
        setattr(own, name, number(own) if callable(number) else number)

    return change


def set_only_offset(other):
    def change(metadata, _):
        own = column(metadata)
        own.data_page_offset, own.dictionary_page_offset = own.dictionary_page_offset, other

    return change


def set_encodings(*added, dropped=()):
    def change(metadata, _):
        own = column(metadata)
        own.encodings = [encoding for encoding in own.encodings if encoding not in dropped] + list(added)

    return change


def set_statistics(**fields):
    def change(metadata, _):
        for name, value in fields.items():
            setattr(column(metadata).statistics, name, value)

    return change


def set_encoding_stats(metadata, _):
    stats = [PageEncodingStats(page_type=int(PageType.DATA_PAGE), encoding=99, count=3)]
    column(metadata).encoding_stats = stats


def set_size_statistics(metadata, _):
    column(metadata).size_statistics = SizeStatistics(unencoded_byte_array_data_bytes=7)


def set_rows_of_row_group(metadata, _):
    metadata.row_groups[0].num_rows += 1
    metadata.num_rows += 1


def set_rows(metadata, _):
    metadata.num_rows += 1


def set_file_offset(metadata, _):
    metadata.row_groups[0].file_offset = 77


def keep_values(count):
    def change(metadata, _):
        column(metadata).num_values = count

    return change


WRONG = [
    (
        set_offset("data_page_offset", lambda own: own.dictionary_page_offset),
        "data_page_offset",
        r"data_page_offset is 4, where a dictionary page is; the first data page is at byte \d+",
    ),
    (
        set_offset("data_page_offset", lambda own: own.data_page_offset + 1),
        "data_page_offset",
        r"data_page_offset is \d+, where no page begins; the first data page is at byte \d+",
    ),
    (
        set_only_offset(None),
        "data_page_offset dictionary_page_offset",
        "dictionary_page_offset is absent; the first dictionary page is at byte 4",
    ),
    (
        set_only_offset(0),
        "data_page_offset dictionary_page_offset",
        "dictionary_page_offset is 0, where no page begins; the first dictionary page is at byte 4",
    ),
    (set_encodings(4, 7), "encodings", "the footer claims BIT_PACKED, DELTA_BYTE_ARRAY, which no page has"),
    (set_encodings(99), "encodings", "the footer claims encoding 99, which no page has"),
    (
        set_encodings(dropped=[8]),
        "encodings",
        "the footer does not claim RLE_DICTIONARY, which data pages have",
    ),
    (
        set_encoding_stats,
        "encoding_stats",
        "encoding_stats has data encoding 99 x3; there are dictionary PLAIN x1, data RLE_DICTIONARY x4",
    ),
    (
        set_offset("total_compressed_size", lambda own: own.total_compressed_size + 1),
        "total_compressed_size",
        r"total_compressed_size is \d+; the pages take \d+ bytes",
    ),
    (
        set_offset("total_uncompressed_size", 1),
        "total_uncompressed_size",
        r"total_uncompressed_size is 1; the pages take \d+ bytes",
    ),
    (set_statistics(null_count=3), "null_count", "the statistics have 3 nulls; there are 40"),
    (
        set_statistics(min_value=b"b", max_value=b"a" * 40),
        "statistics",
        "the statistics' min_value b'b' is above max_value b'aaaaaaaaaaaaaaaaaaaaaaaa...'",
    ),
    (set_size_statistics, "size_statistics", "unencoded_byte_array_data_bytes is 7; the values have 480 bytes"),
    (set_rows, "num_rows", "the footer has 161 rows; its row groups have 160"),
    (set_rows_of_row_group, "num_rows", "160 rows, in a row group of 161"),
    (set_file_offset, "file_offset", "row group 0: file_offset is 77; its first page is at byte 4"),
    (
        keep_values(2 * PAGE_ROWS),
        "encoding_stats null_count num_rows size_statistics total_compressed_size total_uncompressed_size",
        "80 rows, in a row group of 160",
    ),
]


@pytest.mark.parametrize(("change", "kinds", "message"), WRONG, ids=range(len(WRONG)))
def test_what_the_footer_has_wrong(change, kinds, message):
    """Is a warning of its kind, and of no other, for that column alone."""
    data = write(table().select(["word", "must"]))

    def with_all(metadata, start):
        # What older versions of pyarrow do not write.
        column(metadata).size_statistics = SizeStatistics(unencoded_byte_array_data_bytes=480)

    data = edit(data, with_all)
    assert found(look(data)) == []
    info = look(edit(data, change))
    kinds = set(kinds.split())
    if column_is_of_file := kinds & {"file_offset"} or change is set_rows:
        assert found(info) == [("", kind) for kind in kinds], column_is_of_file
    else:
        assert {own for own in found(info, "warning") if own[0] == "word"} == {("word", kind) for kind in kinds}
        assert [own for own in found(info) if own[0] == "must"] == [("must", "num_rows")] * (
            change is set_rows_of_row_group
        )
    assert not info.is_damaged
    assert any(re.fullmatch(message, text) for text in messages(info)), messages(info)


def test_a_dictionary_page_offset_without_a_dictionary_page():
    """As old writers left it where they had given the dictionary up."""
    data = write(table().select(["word"]), use_dictionary=False)
    assert found(look(data)) == []
    info = look(edit(data, set_offset("dictionary_page_offset", lambda own: own.data_page_offset)))
    assert found(info, "warning") == [("word", "dictionary_page_offset")]
    assert messages(info) == ["dictionary_page_offset is 4, but there is no dictionary page"]


@pytest.mark.parametrize("offset", [None, 0])
def test_a_dictionary_that_is_not_told_of(offset):
    """Is not found, so that the values cannot be either."""
    info = look(edit(write(table().select(["word", "must"])), set_offset("dictionary_page_offset", offset)))
    said = "absent" if offset is None else "0"
    assert f"dictionary_page_offset is {said}, but data pages have indices into a dictionary" in messages(info)
    assert set(found(info, "error")) == {("word", "unreadable")}
    nulls = pa.table({"word": pa.array([None] * 5, pa.string()), "must": ["x"] * 5})
    assert found(look(edit(write(nulls), set_offset("dictionary_page_offset", None))), "error") == []


def test_a_dictionary_page_that_no_page_needs():
    """Takes its bytes for nothing."""
    data = write(table().select(["word"]), use_dictionary=False, store_schema=False)
    page = make_page(dictionary_page_header(1), np.frombuffer(b"\1\0\0\0a", np.uint8), 5)

    def shift(metadata, _):
        own = column(metadata)
        own.dictionary_page_offset = own.data_page_offset
        own.data_page_offset += len(page)
        own.total_compressed_size += len(page)
        own.total_uncompressed_size += len(page)
        own.encoding_stats = None

    info = look(edit(data[:4] + page + data[4:], shift))
    assert messages(info) == ["there is a dictionary page, but no data page has indices into it"]
    assert found(info, "warning") == [("word", "fallback")]


STATISTICS = [
    ("number", "<q", 5, -5),
    ("small", "<I", 2**32 - 1, 1),
    ("real", "<d", 0.5, -0.5),
    ("flag", "<?", True, False),
]


@pytest.mark.parametrize(("name", "layout", "high", "low"), STATISTICS, ids=[case[0] for case in STATISTICS])
def test_the_least_value_is_held_against_the_greatest_in_their_own_order(name, layout, high, low):
    """Numbers as numbers, with or without a sign."""
    data = write(table().select([name]))
    high, low = struct.pack(layout, high), struct.pack(layout, low)
    assert found(look(edit(data, set_statistics(min_value=low, max_value=high)))) == []
    assert found(look(edit(data, set_statistics(min_value=high, max_value=low)))) == [(name, "statistics")]
    (message,) = messages(look(edit(data, set_statistics(min_value=b"", max_value=high))))
    assert message.startswith(
        f"the statistics have a min_value of 0 and a max_value of {len(high)} bytes, which is no "
    )
    assert found(look(edit(data, set_statistics(min_value=None, max_value=high)))) == []
    old = set_statistics(min_value=None, max_value=None, min=high, max=low)
    assert found(look(edit(data, old))) == ([] if name == "small" else [(name, "statistics")])


def test_the_least_decimal_and_the_least_bytes():
    """Decimals are signed and big-endian, other bytes are not; deprecated statistics of bytes have no order."""
    data = write(table().select(["price"]))
    minus, plus = (-1).to_bytes(9, "big", signed=True), (1).to_bytes(9, "big", signed=True)
    assert found(look(edit(data, set_statistics(min_value=minus, max_value=plus)))) == []
    assert found(look(edit(data, set_statistics(min_value=plus, max_value=minus)))) == [("price", "statistics")]
    data = write(table().select(["id"]))
    assert found(look(edit(data, set_statistics(min_value=minus, max_value=plus)))) == [("id", "statistics")]
    assert found(look(edit(data, set_statistics(min=minus, max=plus)))) == []


def test_statistics_without_an_order_are_left_alone():
    """INT96, which nobody ordered."""
    times = pa.table({"time": pa.array([0, 1, 2], pa.timestamp("ns"))})
    data = write(times, use_deprecated_int96_timestamps=True)

    def change(metadata, _):
        column(metadata).statistics = Statistics(min_value=b"b" * 12, max_value=b"a" * 12)

    info = look(edit(data, change))
    assert info.columns[0].physical_type == "INT96"
    assert info.columns[0].raw_size == 3 * 12
    assert found(info) == []


def change_index(kind, offset, length, change):
    """Write an index of the first column anew, changed."""

    def edited(metadata, start, data):
        chunk = metadata.row_groups[0].columns[0]
        index, _ = kind.read(data[getattr(chunk, offset) :])
        change(index)
        setattr(chunk, offset, start)
        setattr(chunk, length, len(bytes(index)))
        return bytes(index)

    return lambda data: edit(data, lambda metadata, start: edited(metadata, start, data))


def change_offset_index(change):
    return change_index(OffsetIndex, "offset_index_offset", "offset_index_length", change)


def change_column_index(change):
    return change_index(ColumnIndex, "column_index_offset", "column_index_length", change)


def set_location(**fields):
    def change(index):
        for name, value in fields.items():
            setattr(index.page_locations[2], name, value)

    return change


def drop_location(index):
    index.page_locations = index.page_locations[:-1]


def drop_null_page(index):
    index.null_pages = index.null_pages[:1]


def set_null_count(index):
    index.null_counts = [10, 10, 9, 10]


def set_unknown_null_counts(index):
    index.null_counts = [-1, 10, -1, -1]


INDEXES = [
    (
        change_offset_index(set_location(offset=5)),
        "offset_index",
        r"the offset index has data page 2 as \d+ bytes at byte 5 from row 80; it is \d+ bytes at byte \d+ from row 80",
    ),
    (
        change_offset_index(set_location(compressed_page_size=9)),
        "offset_index",
        r"the offset index has data page 2 as 9 bytes at byte \d+ from row 80; it is \d\d+ bytes at .*",
    ),
    (
        change_offset_index(set_location(first_row_index=1)),
        "offset_index",
        r"the offset index has data page 2 as \d+ bytes at byte \d+ from row 1; it is .* from row 80",
    ),
    (change_offset_index(drop_location), "offset_index", "the offset index has 3 data pages; there are 4"),
    (change_column_index(drop_null_page), "column_index", "the column index has 1 data page; there are 4"),
    (change_column_index(set_null_count), "column_index", "the column index has 9 nulls for data page 2; there are 10"),
    (change_column_index(set_unknown_null_counts), None, None),
]


@pytest.mark.parametrize(("change", "kind", "message"), INDEXES, ids=range(len(INDEXES)))
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_what_an_index_has_wrong(change, kind, message, version):
    """Is a warning."""
    data = write(table().select(["word", "must"]), write_page_index=True, data_page_version=version)
    assert found(look(data)) == []
    info = look(change(data))
    if kind is None:
        assert found(info) == []
    else:
        assert found(info) == found(info, "warning") == [("word", kind)]
        assert re.fullmatch(message, messages(info)[0]), messages(info)


@pytest.mark.parametrize("name", ["offset_index", "column_index"])
def test_an_index_that_cannot_be_read(name):
    """Behind the end of the file, or no such struct."""
    data = write(table().select(["word"]), write_page_index=True)

    def move(offset, size):
        def change(metadata, _):
            setattr(metadata.row_groups[0].columns[0], f"{name}_offset", offset)
            setattr(metadata.row_groups[0].columns[0], f"{name}_length", size)

        return found(look(edit(data, change)))

    assert move(10**9, 10) == move(4, 2) == move(4, 10**9) == move(4, None) == [("word", name)]


def test_rows_of_lists_are_counted_by_their_repetition_levels():
    """So that an offset index of lists can be checked, which has rows and not values."""
    for version in ("1.0", "2.0"):
        data = write(table().select(["tags"]), write_page_index=True, data_page_version=version)
        assert found(look(data)) == []
        assert found(look(change_offset_index(set_location(first_row_index=81))(data))) == [
            ("tags.list.element", "offset_index")
        ]


# --- Files that are damaged ------------------------------------------------------------------------------------------


def test_a_wrong_checksum_is_an_error():
    """The values are there all the same."""
    data = bytearray(write(table().select(["must"]), use_dictionary=False, write_page_checksum=True))
    data[data.index(b"key-003") + 4] ^= 1
    info = look(bytes(data), pages=True)
    assert found(info) == found(info, "error") == [("must", "checksum")]
    assert info.is_damaged
    assert messages(info) == ["page at byte 4: its bytes do not fit its checksum"]
    assert [page.is_intact for page in info.columns[0].chunks[0].pages] == [False, True, True, True]
    assert info.columns[0].raw_size == 7 * ROWS


@pytest.mark.parametrize("name", ["must", "number"])
def test_a_page_that_cannot_be_decompressed(name):
    """Leaves the others as they are."""
    data = bytearray(write(table().select([name, "word"]), compression="zstd", use_dictionary=False))
    (chunk,) = look(bytes(data), pages=True).columns[0].chunks
    bad = chunk.pages[1]
    start = bad.offset + bad.header_size
    data[start : start + 4] = b"\0\0\0\0"
    info = look(bytes(data), pages=True)
    (damaged,) = info.columns[0].chunks
    assert found(info) == found(info, "error") == [(name, "unreadable")]
    assert f"page at byte {bad.offset}" in messages(info)[0]
    assert (damaged.num_values, damaged.null_count, damaged.raw_size) == (ROWS, None, None)
    assert damaged.encodings == chunk.encodings
    assert [page.null_count is None for page in damaged.pages] == [False, True, False, False]
    assert info.columns[1].null_count == 40


@pytest.mark.parametrize(
    ("data", "dtype", "message"),
    [
        (naive.encode_plain([b"axis", b"babble", b"axle"]), "utf8", "PLAIN page, byte 18, value 2: the page ends"),
        (naive.encode_plain([b"", b"", b"", b"axle"])[:-1], "utf8", "PLAIN page, byte 12, value 3: the page ends"),
        (naive.encode_plain([b"axis", b"", b""])[:-1], "utf8", "PLAIN page, byte 15: .*15 bytes cannot hold 4 values"),
        (b"axisaxle" * 2 + b"axe", 5, "PLAIN page, byte 19: .*19 bytes cannot hold 4 values"),
        (bytes(15), "int32", "15 bytes in PLAIN cannot hold 4 values of 16 bytes together"),
        (bytes(31), "int64", "31 bytes in PLAIN cannot hold 4 values of 32 bytes together"),
    ],
)
@pytest.mark.parametrize("is_valid", [None, [True, False, True, True, True]])
def test_a_page_with_fewer_values_than_its_header_says(data, dtype, message, is_valid):
    """Is told of, as it is where it is read."""
    file = file_of(data, "PLAIN", dtype, 4 if is_valid is None else 5, is_valid)
    info = look(file)
    assert found(info) == found(info, "error") == [("c", "unreadable")]
    assert re.match(f"page at byte 4: {message}", messages(info)[0]), messages(info)
    assert (info.columns[0].num_values, info.columns[0].raw_size) == (4 if is_valid is None else 5, None)


def test_what_follows_the_values_of_a_page_does_not_count():
    """Fastparquet pads its pages."""
    data = naive.encode_plain([b"axis", b"axle"])
    info = look(file_of(data + bytes(100), "PLAIN", "utf8", 2, None))
    assert (found(info), info.columns[0].raw_size) == ([], 8)
    info = look(file_of(bytes(100), "PLAIN", "int64", 2, None))
    assert (found(info), info.columns[0].raw_size) == ([], 16)


def test_pages_of_more_than_max_data_size_cannot_be_read():
    """The others can."""
    data = write(table().select(["must", "number"]), use_dictionary=False, compression="zstd")
    whole = look(data)
    assert look(data, max_data_size=280) == whole
    info = look(data, max_data_size=279)
    assert found(info) == found(info, "error") == [("must", "unreadable")] * 4
    assert re.fullmatch(
        r"page at byte 4: PLAIN page, byte 429, value 39: .* max_data_size allows .*", messages(info)[0]
    )
    assert info.columns[1] == whole.columns[1]
    for limit, error in ((-1, ValueError), (1.5, TypeError), (None, TypeError)):
        with pytest.raises(error, match="max_data_size"):
            look(data, max_data_size=limit)


@pytest.mark.parametrize("compression", [name for name in CODECS if name != "none"])
@pytest.mark.parametrize("kind", ["dictionary", "strings", "numbers"])
def test_what_is_too_large_is_not_decompressed(compression, kind):
    """F8: however few bytes it has in the file."""
    values = pa.table({"c": ["a" * 5_000_000]})
    data = write(values, compression=compression, use_dictionary=kind == "dictionary", write_statistics=False)
    if kind == "numbers":

        def retype(metadata):
            metadata.schema[1].type = metadata.row_groups[0].columns[0].meta_data.type = PhysicalType.INT32

        data = parquet_edit.edit(data, retype)
    assert len(data) < 500_000

    def refuse():
        message = r"page at byte 4: PLAIN page, byte 0: .* \(50000\d\d bytes decompressed, 10000 bytes allowed\)"
        assert re.fullmatch(message, messages(look(data, max_data_size=10_000))[0])

    battery.check_little_memory(refuse, 1 << 20)
    assert found(look(data, max_data_size=5_000_000), "error") == []


def test_pages_that_end_in_the_middle():
    """Those before are told, and the other columns go on."""
    data = bytearray(write(table().select(["word", "must"])))
    whole = look(bytes(data), pages=True)
    third = whole.columns[0].chunks[0].pages[3]
    data[third.offset : third.offset + third.header_size] = bytes(third.header_size)
    info = look(bytes(data), pages=True)
    assert info.columns[1] == whole.columns[1]
    (chunk,) = info.columns[0].chunks
    assert chunk.pages == whole.columns[0].chunks[0].pages[:3]
    assert (chunk.num_values, chunk.null_count, chunk.raw_size) == (2 * PAGE_ROWS, None, None)
    assert found(info) == found(info, "error") == [("word", "unreadable")]


@pytest.mark.parametrize("name", ["must", "id"])
def test_a_dictionary_that_cannot_be_read(name):
    """Nor can the pages that need it."""
    data = bytearray(write(table().select([name])))
    (chunk,) = look(bytes(data), pages=True).columns[0].chunks
    start = chunk.pages[0].offset + chunk.pages[0].header_size
    end = start + chunk.pages[0].compressed_size
    # What is not compressed is nothing that zstd knows.
    info = look(edit(bytes(data), lambda metadata, _: setattr(column(metadata), "codec", 6)))
    assert len(found(info, "error")) == 1 + ROWS // PAGE_ROWS
    if name == "must":
        data[start:end] = b"\xff" * (end - start)
        own = messages(look(bytes(data)))
        assert own[0].startswith(f"dictionary page at byte {chunk.pages[0].offset}: PLAIN page, byte 0, ")
        assert len(own) == 1 + ROWS // PAGE_ROWS


def test_more_values_than_there_are():
    """The pages end before them."""
    info = look(edit(write(table().select(["word"])), keep_values(10**6)))
    assert found(info, "error") == found(info) == [("word", "unreadable")]
    assert "160 values, of 1000000" in messages(info)[0]


def test_a_second_dictionary_page_is_an_error():
    """And so is one behind data pages."""
    data = write(table().select(["word"]), use_dictionary=False, store_schema=False)
    page = make_page(dictionary_page_header(1), np.frombuffer(b"\1\0\0\0a", np.uint8), 5)

    def shift(metadata, _):
        own = column(metadata)
        own.dictionary_page_offset = 4
        own.data_page_offset = 4 + 2 * len(page)
        own.total_compressed_size += 2 * len(page)

    info = look(edit(data[:4] + 2 * page + data[4:], shift))
    assert found(info, "error") == [("word", "unreadable")]
    assert messages(info)[0] == f"page at byte {4 + len(page)}: a dictionary page that is not the first page"


def hide(metadata, _):
    metadata.row_groups[0].columns[1].crypto_metadata = Struct()


def test_an_encrypted_column_is_told_and_the_others_are_read():
    """It is not decrypted."""
    info = look(edit(write(table().select(["word", "must"])), hide))
    assert found(info) == found(info, "error") == [("must", "unreadable")]
    assert messages(info) == ["column must is encrypted; colcodec does not decrypt"]
    assert (info.columns[1].codecs, info.columns[1].num_values, info.columns[1].null_count) == ((), 0, None)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a Parquet file: 0 bytes"),
        (b"PAR1 and more, but no footer", "not a Parquet file: it ends in"),
        (b"PARE" + bytes(20) + b"PARE", "the file is encrypted, footer included"),
        (b"PAR1" + b"\xff\xff\xff\x7fPAR1", "the footer has 2147483647 bytes"),
        (b"PAR1\x15\x02\x19\x03\0\0\0PAR1", "FileMetaData"),
    ],
)
def test_what_is_no_parquet_file(data, message):
    """Is an error at once."""
    with pytest.raises(MalformedFileError, match=message):
        look(data)


SMALL = write(table(24), write_batch_size=12, compression="snappy", write_page_index=True, write_page_checksum=True)


@given(st.integers(0, len(SMALL) - 1), st.integers(1, 255))
def test_a_changed_byte_gives_an_answer_or_an_error_of_the_file(position, change):
    """Whatever byte it is."""
    data = bytearray(SMALL)
    data[position] ^= change
    try:
        info = look(bytes(data), pages=True)
    except MalformedFileError:
        return
    assert info.size == len(SMALL)
    for part in info.columns:
        assert len(part.chunks) == info.num_row_groups
        for chunk in part.chunks:
            assert chunk.num_values == sum(page.num_values for page in chunk.pages if page.kind == "data")


# --- The files of others ---------------------------------------------------------------------------------------------

KINDS = {
    ("data", 1): "DATA_PAGE",
    ("data", 2): "DATA_PAGE_V2",
    ("dictionary", None): "DICTIONARY_PAGE",
    ("index", None): "INDEX_PAGE",
}


def test_pages_and_encodings_of_the_corpus(shared):
    """Are those that an independent parser found, wherever both could read a column."""
    num_columns = 0
    for path in sorted((shared / "corpus" / "expected").glob("*.json")):
        expected = json.loads(path.read_text())
        if "INDEX" in path.name or not expected.get("structure") or expected.get("parse_error"):
            continue
        try:
            info = inspect(shared / "corpus" / expected["file"], pages=True)
        except MalformedFileError:
            assert "fuzz" in expected["file"], path.name
            continue
        structure = {own["path"]: own for own in expected["structure"]}
        for own in info.columns:
            theirs = structure.get(own.name, {"walk_error": "names that are not UTF-8"})
            if "walk_error" in theirs or any(finding.level == "error" for c in own.chunks for finding in c.findings):
                continue
            pages = [page for chunk in own.chunks for page in chunk.pages]
            if any((page.kind, page.version) not in KINDS for page in pages):  # in files of a fuzzer alone
                assert "fuzz" in expected["file"]
                continue
            names = Counter(f"{KINDS[page.kind, page.version]}:{page.encoding}" for page in pages)
            assert names == theirs.get("pages", {}), (path.name, own.name)
            assert own.physical_type == theirs["physical"]
            if own.repetition in ("required", "optional", "repeated"):
                assert (own.max_definition_level, own.max_repetition_level) == (theirs["max_def"], theirs["max_rep"])
            assert set(own.codecs) <= set(theirs["codecs"])
            num_columns += 1
    assert num_columns > 500


DAMAGED = {
    "ARROW-GH-41317.parquet",
    "ARROW-GH-41321.parquet",
    "ARROW-RS-GH-6229-LEVELS.parquet",
    "datapage_v1-corrupt-checksum.parquet",
    "rle-dict-uncompressed-corrupt-checksum.parquet",
}


def test_the_corpus_is_read_but_for_what_is_damaged_on_purpose(shared):
    """Null counts are those of pyarrow, too."""
    damaged = set()
    folders = [shared / "corpus" / "parquet-testing", shared / "corpus" / "arrow-testing" / "data" / "parquet"]
    paths = [path for folder in folders for path in folder.rglob("*.parquet") if "fuzzing" not in str(path)]
    for path in paths:
        info = inspect(path)
        if info.is_damaged:
            damaged.add(path.name)
            continue
        expected = json.loads(
            (
                shared / "corpus" / "expected" / f"{'__'.join(path.relative_to(shared / 'corpus').parts)}.json"
            ).read_text()
        )
        for own in info.columns:
            values = expected["columns"].get(own.name)
            if values is not None and own.max_repetition_level == 0:
                assert (own.num_values, own.null_count) == (values["n"], values["null_count"]), (path.name, own.name)
                if own.physical_type.endswith("BYTE_ARRAY") and own.logical_type not in ("DECIMAL", "FLOAT16"):
                    assert own.raw_size == values["total_bytes"], (path.name, own.name)
    assert damaged == DAMAGED


def test_it_is_public():
    """As cc.parquet.inspect."""
    assert cc.parquet.inspect is inspect
