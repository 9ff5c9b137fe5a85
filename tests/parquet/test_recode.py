"""Columns encoded anew: all readers see the same table, what is not chosen is the same bytes, metadata is true."""

import errno
import io
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from parquet_edit import edit
from parquet_file import with_footer

import colcodec as cc
from colcodec import ColcodecError, InvalidTypeError, MalformedFileError, _checks
from colcodec.parquet import chunk_recoder, inspect, recode, rewriter, write_columns
from colcodec.parquet._thrift import Struct
from colcodec.parquet.footer import created_by, read_footer
from colcodec.parquet.pages import make_page, read_chunk, read_data_page, walk
from colcodec.parquet.schema import column_metadata, leaves
from colcodec.parquet.structs import BloomFilterHeader, OffsetIndex, PageHeader, SortingColumn

ROOT = Path(__file__).parents[2]
WORDS = ["axis", None, "axle", "", "babble", "naïve", None, "axis"]
ROWS = 120
ENCODINGS = ["auto", "PLAIN", "RLE_DICTIONARY", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]
STRINGS = ["word", "must", "tags.list.element", "place.city", "pairs.key_value.key", "pairs.key_value.value", "void"]
CODECS = ["none", "snappy", "gzip", "zstd", "brotli", "lz4"]


def table(rows=ROWS):
    numbers = np.arange(rows)
    return pa.table(
        {
            "number": pa.array(numbers, mask=numbers % 5 == 0),
            "word": pa.array([WORDS[i % len(WORDS)] for i in range(rows)]),
            "must": pa.array([f"key-{i:05}" for i in range(rows)]),
            "tags": pa.array([None if i % 7 == 0 else ["x", None, "yy"][: i % 4] for i in range(rows)]),
            "place": pa.array([None if i % 4 == 0 else {"city": WORDS[i % 8]} for i in range(rows)]),
            "pairs": pa.array(
                [[(f"k{j}", WORDS[j]) for j in range(i % 3)] for i in range(rows)], pa.map_(pa.string(), pa.string())
            ),
            "void": pa.array([None] * rows, pa.string()),
            "id": pa.array([bytes([i % 256]) * 5 for i in range(rows)]),
            "price": pa.array([Decimal(i - 50) / 4 for i in range(rows)]),
        },
        schema=pa.schema(
            [
                ("number", pa.int64()),
                ("word", pa.string()),
                pa.field("must", pa.string(), nullable=False),
                ("tags", pa.list_(pa.string())),
                ("place", pa.struct([("city", pa.string())])),
                ("pairs", pa.map_(pa.string(), pa.string())),
                ("void", pa.string()),
                ("id", pa.binary(5)),
                ("price", pa.decimal128(20, 2)),
            ]
        ),
    )


def write(values, **options):
    """Write a file of two row groups, in pages of 30 rows."""
    sink = io.BytesIO()
    options = {"row_group_size": 80, "write_batch_size": 30, "data_page_size": 1, "compression": "none"} | options
    pq.write_table(values, sink, **options)
    return sink.getvalue()


def recoded(data, **options):
    target = io.BytesIO()
    report = recode(io.BytesIO(data), target, **options)
    assert report.size_before == len(data)
    assert report.size_after == len(target.getvalue())
    return target.getvalue()


def read(data):
    return pq.read_table(io.BytesIO(data))


def warnings(data):
    info = inspect(io.BytesIO(data))
    found = [finding for column in info.columns for chunk in column.chunks for finding in chunk.findings]
    return [finding for finding in [*info.findings, *found] if finding.level != "note"]


def chunks(data):
    """Give the bytes of each column chunk, by the name of its column."""
    footer = read_footer(io.BytesIO(data))
    found = {}
    for leaf in leaves(footer.metadata):
        own = [group.columns[leaf.index].meta_data for group in footer.metadata.row_groups]
        found[leaf.name] = [read_chunk(io.BytesIO(data), column, footer).buf.tobytes() for column in own]
    return found


def encodings(data, name):
    (column,) = inspect(io.BytesIO(data), columns=[name]).columns
    return {*column.encodings}


# --- Files by pyarrow ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", CODECS)
def test_the_table_stays(compression, version, encoding):
    values = table()
    data = write(
        values,
        compression=compression,
        data_page_version=version,
        write_page_index=True,
        write_page_checksum=version == "1.0",
    )
    assert warnings(data) == []
    result = recoded(data, encoding=encoding)
    assert read(result).equals(values)
    assert pq.ParquetFile(io.BytesIO(result), page_checksum_verification=True).read().equals(values)
    assert warnings(result) == []
    before, after = chunks(data), chunks(result)
    for name in ("number", "id", "price"):
        assert before[name] == after[name]
    assert read_footer(io.BytesIO(result)).metadata.created_by == created_by()
    if encoding != "auto":
        for name in STRINGS:
            assert encodings(result, name) == {encoding}


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_pages_stay_one_for_one(version):
    """With the same rows, the same levels, and the same fields in their headers."""
    data = write(table(), data_page_version=version)
    result = recoded(data, encoding="DELTA_BYTE_ARRAY")
    old, new = (inspect(io.BytesIO(file), pages=True).columns for file in (data, result))
    for before, after in zip(old, new, strict=True):
        for chunk, other in zip(before.chunks, after.chunks, strict=True):
            kept = [
                [(page.version, page.num_values, page.num_rows, page.null_count) for page in own.pages if page.version]
                for own in (chunk, other)
            ]
            assert kept[0] == kept[1]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_levels_stay_byte_for_byte(version):
    """I17: as they are in the pages of the source, however they could be written."""
    data = write(table(), data_page_version=version)

    def levels(file):
        footer = read_footer(io.BytesIO(file))
        found = []
        for row_group in footer.metadata.row_groups:
            for leaf in leaves(footer.metadata):
                chunk = read_chunk(io.BytesIO(file), column_metadata(row_group, leaf), footer)
                pages = [read_data_page(page, chunk, leaf) for page in walk(chunk) if page.data_header is not None]
                found += [(page.repetition_levels.tobytes(), page.definition_levels.tobytes()) for page in pages]
        return found

    before = levels(data)
    assert any(repetition for repetition, _ in before)
    assert levels(recoded(data, encoding="DELTA_BYTE_ARRAY")) == before


def test_page_headers_keep_what_else_is_in_them():
    """Statistics, and fields that nobody knows yet."""
    data = write(table().select(["word"]), compression="none", use_dictionary=False, row_group_size=1000)
    footer = read_footer(io.BytesIO(data))
    column = footer.metadata.row_groups[0].columns[0].meta_data
    pages = []
    for page in walk(read_chunk(io.BytesIO(data), column, footer)):
        page.header._fields[77] = (8, 1234)
        page.header.data_page_header._fields[99] = (11, b"of tomorrow")
        pages.append(make_page(page.header, page.body, page.header.uncompressed_page_size))
    body = b"".join(pages)
    column.total_compressed_size = column.total_uncompressed_size = len(body)
    column._fields[55] = (11, b"of the footer")
    data = with_footer(b"PAR1" + body, bytes(footer.metadata))
    result = recoded(data, encoding="DELTA_BYTE_ARRAY")
    footer = read_footer(io.BytesIO(result))
    column = footer.metadata.row_groups[0].columns[0].meta_data
    assert column._fields[55] == (11, b"of the footer")
    found = [*walk(read_chunk(io.BytesIO(result), column, footer))]
    assert len(found) == len(pages) > 1
    for page in found:
        assert page.header._fields[77] == (8, 1234)
        assert page.header.data_page_header._fields[99] == (11, b"of tomorrow")
        assert page.header.data_page_header.encoding == 7
        assert page.is_intact() is True
    assert read(result).equals(table().select(["word"]))


def test_metadata_that_is_not_of_places_stays():
    values = table().replace_schema_metadata({"who": "me"})
    data = write(
        values, write_page_index=True, sorting_columns=[pq.SortingColumn(2)], bloom_filter_options={"must": {}}
    )
    old, new = (read_footer(io.BytesIO(file)).metadata for file in (data, recoded(data, encoding="PLAIN")))
    assert old.key_value_metadata == new.key_value_metadata
    assert old.column_orders == new.column_orders
    assert old.schema == new.schema
    for before, after in zip(old.row_groups, new.row_groups, strict=True):
        assert before.num_rows == after.num_rows
        assert (
            before.sorting_columns
            == after.sorting_columns
            == [SortingColumn(column_idx=2, descending=False, nulls_first=False)]
        )
        for chunk, other in zip(before.columns, after.columns, strict=True):
            assert chunk.meta_data.statistics == other.meta_data.statistics
            assert chunk.meta_data.size_statistics == other.meta_data.size_statistics
            assert chunk.meta_data.path_in_schema == other.meta_data.path_in_schema


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_offsets_and_sums(encoding):
    result = recoded(write(table(), compression="zstd", write_page_index=True), encoding=encoding, compression="snappy")
    footer = read_footer(io.BytesIO(result))
    position = 4
    for row_group in footer.metadata.row_groups:
        assert row_group.file_offset == position
        columns = [chunk.meta_data for chunk in row_group.columns]
        assert row_group.total_compressed_size == sum(column.total_compressed_size for column in columns)
        assert row_group.total_byte_size == sum(column.total_uncompressed_size for column in columns)
        for leaf, column in zip(leaves(footer.metadata), columns, strict=True):
            pages = [*walk(read_chunk(io.BytesIO(result), column, footer))]
            dictionaries = [page.start for page in pages if page.header.type == 2]
            assert column.dictionary_page_offset == (dictionaries[0] if dictionaries else None)
            assert column.data_page_offset == pages[len(dictionaries)].start
            assert pages[0].start == position
            position += column.total_compressed_size
            assert sum(page.nbytes for page in pages) == column.total_compressed_size
            if leaf.name in STRINGS and leaf.name != "void":
                stats = {(part.page_type, part.encoding): part.count for part in column.encoding_stats}
                assert stats == Counter((page.header.type, page.encoding) for page in pages)
                assert column.codec == 1


def test_columns_are_chosen():
    data = write(table())
    before, after = chunks(data), chunks(recoded(data, columns=["must", "place.city"], encoding="DELTA_BYTE_ARRAY"))
    assert {name for name in before if before[name] != after[name]} == {"must", "place.city"}
    after = chunks(recoded(data, columns="word", encoding="PLAIN"))
    assert {name for name in before if before[name] != after[name]} == {"word"}


@pytest.mark.parametrize("encoding", ["auto", "PLAIN", "RLE_DICTIONARY", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_values_of_one_length_are_encoded_when_named(encoding, dictionary):
    values = table()
    data = write(values, use_dictionary=dictionary, compression="zstd")
    result = recoded(data, columns=["id", "price"], encoding=encoding)
    assert read(result).equals(values)
    assert warnings(result) == []
    if encoding != "auto":
        assert encodings(result, "id") == encodings(result, "price") == {encoding}


def test_decimals_are_strings_only_when_named():
    values = pa.table({"price": pa.array([Decimal(i) for i in range(50)], pa.decimal128(38, 0))})
    data = write(values)
    assert recode(io.BytesIO(data), dry_run=True).columns == ()
    (column,) = recode(io.BytesIO(data), columns=["price"], encoding="PLAIN", dry_run=True).columns
    assert column.encodings_after == {"PLAIN": 2}


def test_dictionary_that_was_given_up():
    """Pages with indices, and then PLAIN ones."""
    values = pa.table({"url": [f"https://example.org/{i:07}" for i in range(600)]})
    data = write(values, dictionary_pagesize_limit=2000, row_group_size=1000)
    assert encodings(data, "url") == {"RLE_DICTIONARY", "PLAIN"}
    for encoding in ENCODINGS:
        result = recoded(data, encoding=encoding)
        assert read(result).equals(values)
        assert warnings(result) == []
        assert len(encodings(result, "url")) == 1


def test_a_dictionary_too_large():
    """Something else is found for the chunk, and told."""
    values = pa.table({"url": [f"{i:07}".rjust(300) for i in range(4000)] + ["x"] * 4000})
    data = write(values, use_dictionary=False, row_group_size=4000, write_batch_size=4000)
    target = io.BytesIO()
    report = recode(io.BytesIO(data), target, encoding="RLE_DICTIONARY")
    (note,) = report.columns[0].notes
    assert note.startswith("row group 0: DELTA_BYTE_ARRAY in place of RLE_DICTIONARY; the dictionary takes more than")
    assert set(report.columns[0].encodings_after) == {"DELTA_BYTE_ARRAY", "RLE_DICTIONARY"}
    assert read(target.getvalue()).equals(values)


def test_auto_leaves_what_would_not_get_smaller():
    values = pa.table({"word": ["a"] * 500})
    data = write(values, row_group_size=1000, write_batch_size=1000)
    assert chunks(recoded(data)) == chunks(data)
    again = recoded(recoded(write(table(), compression="zstd")))
    assert chunks(recoded(again)) == chunks(again)


def test_auto_for_readers():
    """Leaves nothing that these cannot read, whatever it takes."""
    values = pa.table({"url": [f"https://example.org/{i:07}" for i in range(500)]})
    delta = recoded(write(values), encoding="DELTA_BYTE_ARRAY")
    assert chunks(recoded(delta)) == chunks(delta)
    result = recoded(delta, readers="impala")
    assert encodings(result, "url") <= {"PLAIN", "RLE_DICTIONARY"}
    assert len(result) > len(delta)
    assert read(result).equals(values)


def test_what_is_so_already_stays():
    data = write(table(), column_encoding={"word": "DELTA_BYTE_ARRAY"}, use_dictionary=False, compression="gzip")
    assert chunks(recoded(data, encoding="DELTA_BYTE_ARRAY"))["word"] == chunks(data)["word"]
    other = recoded(data, encoding="DELTA_BYTE_ARRAY", compression="zstd")
    assert chunks(other)["word"] != chunks(data)["word"]
    assert read(other).equals(table())


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip:1", "zstd:19", "brotli", "lz4"])
def test_compression_is_changed(compression):
    data = write(table(), compression="snappy", data_page_version="2.0")
    result = recoded(data, compression=compression)
    assert read(result).equals(table())
    assert warnings(result) == []
    info = {column.name: column.codecs for column in inspect(io.BytesIO(result)).columns}
    codec = {"none": "UNCOMPRESSED", "lz4": "LZ4_RAW"}.get(compression, compression.partition(":")[0].upper())
    assert {info[name] for name in STRINGS} == {(codec,)}
    assert info["number"] == ("SNAPPY",)


def test_old_lz4_is_left_alone_or_written_anew(shared):
    path = shared / "corpus" / "parquet-testing" / "data" / "hadoop_lz4_compressed.parquet"
    if not path.exists():
        (path,) = (shared / "corpus").rglob("hadoop_lz4_compressed.parquet")
    data = path.read_bytes()
    report = recode(io.BytesIO(data), dry_run=True, encoding="PLAIN")
    notes = [note for column in report.columns for note in column.notes]
    assert set(notes) == {"row group 0: left as it is; LZ4, that of Hadoop, is not written"}
    assert read(recoded(data)).equals(read(data))
    result = recoded(data, compression="zstd", encoding="DELTA_BYTE_ARRAY")
    assert read(result).equals(read(data))


# --- Edges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_nothing_to_encode(encoding, version):
    for values in (table(0), table().slice(0, 0), pa.table({"word": pa.array([None] * 50, pa.string())})):
        data = write(values, data_page_version=version, compression="zstd")
        result = recoded(data, encoding=encoding)
        assert read(result).equals(values)
        assert warnings(result) == warnings(data)


def test_a_row_group_without_rows():
    sink = io.BytesIO()
    values = table()
    with pq.ParquetWriter(sink, values.schema, compression="zstd") as writer:
        for part in (values[:50], values[:0], values[50:]):
            writer.write_table(part)
    assert pq.read_metadata(sink).num_row_groups == 3
    result = recoded(sink.getvalue(), encoding="DELTA_BYTE_ARRAY")
    assert pq.read_metadata(io.BytesIO(result)).num_row_groups == 3
    assert read(result).equals(values)


def test_pages_of_nulls_alone():
    values = pa.table({"word": [None] * 30 + ["x"] * 30 + [None] * 30})
    for version in ("1.0", "2.0"):
        for compression in CODECS:
            data = write(values, data_page_version=version, compression=compression)
            for encoding in ENCODINGS[1:]:
                result = recoded(data, encoding=encoding)
                assert read(result).equals(values)
                polars = pytest.importorskip("polars")
                assert polars.read_parquet(io.BytesIO(result))["word"].to_list() == values["word"].to_pylist()


def test_nulls_alone_need_no_dictionary():
    values = pa.table({"void": pa.array([None] * 50, pa.string())})
    result = recoded(write(values, use_dictionary=False), encoding="RLE_DICTIONARY", compression="zstd")
    assert encodings(result, "void") == {"PLAIN"}
    assert read(result).equals(values)


def test_what_is_too_large_is_left_alone(monkeypatch):
    """A chunk with more bytes than can be decoded, and a page that would have more than the format can hold."""
    data = write(table())
    monkeypatch.setattr(chunk_recoder, "DEFAULT_MAX_DATA_SIZE", -1000)
    (column,) = recode(io.BytesIO(data), columns="must", encoding="PLAIN", dry_run=True).columns
    assert column.encodings_after == {"RLE_DICTIONARY": 5}
    assert len(column.notes) == 2
    assert "row group 1: left as it is; " in column.notes[1]
    assert "decompressed" in column.notes[1]
    monkeypatch.undo()
    monkeypatch.setattr(_checks, "MAX_PAGE_SIZE", 350)
    (column,) = recode(io.BytesIO(data), columns="must", encoding="PLAIN", dry_run=True).columns
    told = r"a page would have \d+ bytes; expected at most 350, as in Parquet"
    assert re.match(f"row group 0: left as it is; {told}", column.notes[0])


def test_text_that_is_not_utf8_stays():
    column = pa.array([b"\xff", b"\xc3", b"ok"] * 20)
    data = write(pa.table({"word": column}))

    def call_it_text(metadata):
        metadata.schema[1].converted_type = 0
        metadata.key_value_metadata = None

    data = edit(data, call_it_text)
    result = recoded(data, encoding="DELTA_BYTE_ARRAY")
    assert (
        read(edit(result, lambda metadata: metadata.schema[1].__setattr__("converted_type", None)))["word"].to_pylist()
        == column.to_pylist()
    )


# --- Metadata that is wrong, old or foreign --------------------------------------------------------------------------


def each_chunk(change):
    """Make a change of a footer out of one of a ColumnChunk."""

    def edited(metadata):
        for row_group in metadata.row_groups:
            for chunk in row_group.columns:
                change(chunk)

    return edited


def test_wrong_offsets_become_right():
    def lie(chunk):
        own = chunk.meta_data
        if own.dictionary_page_offset is not None:
            own.data_page_offset, own.dictionary_page_offset = own.dictionary_page_offset, None
        chunk.file_offset = own.data_page_offset

    def lie_about_groups(metadata):
        each_chunk(lie)(metadata)
        for row_group in metadata.row_groups:
            row_group.file_offset, row_group.total_compressed_size = 1, 2

    data = edit(write(table(), compression="zstd"), lie_about_groups)
    assert warnings(data)
    result = recoded(data, encoding="DELTA_BYTE_ARRAY")
    assert warnings(result) == []
    assert read(result).equals(table())


def test_sizes_of_old_parquet_mr_become_right():
    """They leave the header of the dictionary page out."""

    def shrink(metadata):
        metadata.created_by = b"parquet-mr version 1.8.1 (build x)"
        for row_group in metadata.row_groups:
            for chunk in row_group.columns:
                if chunk.meta_data.dictionary_page_offset is not None:
                    chunk.meta_data.total_compressed_size -= 14
                    chunk.meta_data.total_uncompressed_size -= 14

    data = write(table(), compression="zstd")
    result = recoded(edit(data, shrink), columns="must", encoding="PLAIN")
    assert warnings(result) == []
    before, after = chunks(data), chunks(result)
    assert {name for name in before if before[name] != after[name]} == {"must"}


@pytest.mark.parametrize(
    ("by", "orders", "stay"),
    [
        (b"parquet-mr version 1.8.1 (build 4aba4da)", False, False),
        (b"parquet-mr version 1.8.1 (build 4aba4da)", True, True),
        (b"parquet-mr version 1.10.0 (build x)", False, True),
        (b"parquet-cpp version 1.2.9", False, False),
        (b"parquet-cpp version 1.5.1-SNAPSHOT", False, True),
        (b"impala version 3.2.0 (build x)", False, True),
        (b"DuckDB", False, False),
        (None, False, False),
    ],
)
def test_extremes_that_readers_do_not_believe(by, orders, stay):
    """They are not made believable by another name of who wrote the file."""

    def make_old(metadata):
        metadata.created_by = by
        if not orders:
            metadata.column_orders = None
        for row_group in metadata.row_groups:
            for chunk in row_group.columns:
                statistics = chunk.meta_data.statistics
                statistics.min = statistics.max = b"12345678"

    result = recoded(edit(write(table().select(["number", "must", "id"])), make_old), columns="must")
    for row_group in read_footer(io.BytesIO(result)).metadata.row_groups:
        number, *others = [chunk.meta_data.statistics for chunk in row_group.columns]
        assert number.min == number.max == b"12345678"
        for statistics in others:
            assert statistics.min == statistics.max == (b"12345678" if stay else None)
            assert statistics.min_value is not None


def test_pages_whose_meaning_hangs_on_who_wrote_them():
    """They cannot be copied into a file that names somebody else."""
    data = write(table().select(["must", "word"]), use_dictionary=False, column_encoding="DELTA_BYTE_ARRAY")
    old = edit(data, lambda metadata: setattr(metadata, "created_by", b"parquet-mr version 1.7.0 (build x)"))
    with pytest.raises(MalformedFileError, match=r"column 'word', row group 0: pages of DELTA_BYTE_ARRAY that go on"):
        recoded(old, columns="must", encoding="PLAIN")
    assert read(recoded(old, encoding="PLAIN")).equals(table().select(["must", "word"]))


def test_bloom_filters_move():
    values = table()
    try:
        data = write(values, bloom_filter_options={"must": {"ndv": 100, "fpp": 0.01}, "number": {}})
    except TypeError:
        pytest.skip("this pyarrow writes none")

    def forget_length(chunk):
        chunk.meta_data.bloom_filter_length = None

    def filters(file):
        found = {}
        for i, row_group in enumerate(read_footer(io.BytesIO(file)).metadata.row_groups):
            for chunk in row_group.columns:
                start = chunk.meta_data.bloom_filter_offset
                if start is not None:
                    header, end = BloomFilterHeader.read(file, start)
                    found[i, *chunk.meta_data.path_in_schema] = file[start : end + header.num_bytes]
        return found

    assert len(filters(data)) == 4
    for file in (data, edit(data, each_chunk(forget_length))):
        result = recoded(file, encoding="DELTA_BYTE_ARRAY")
        assert filters(result) == filters(data)
        assert read(result).equals(values)


def test_indexes_move():
    data = write(table(), write_page_index=True)
    result = recoded(data, encoding="DELTA_BYTE_ARRAY", columns=["must", "word"])
    old, new = (read_footer(io.BytesIO(file)).metadata for file in (data, result))
    for before, after in zip(old.row_groups, new.row_groups, strict=True):
        for chunk, other in zip(before.columns, after.columns, strict=True):
            rows = []
            for file, own in ((data, chunk), (result, other)):
                index, end = OffsetIndex.read(file, own.offset_index_offset)
                assert end - own.offset_index_offset == own.offset_index_length
                rows.append([location.first_row_index for location in index.page_locations])
                for location in index.page_locations:
                    header, end = PageHeader.read(file, location.offset)
                    assert end - location.offset + header.compressed_page_size == location.compressed_page_size
            assert rows[0] == rows[1]
            assert len(rows[0]) > 1
            indexes = [
                file[own.column_index_offset :][: own.column_index_length]
                for file, own in ((data, chunk), (result, other))
            ]
            assert indexes[0] == indexes[1] != b""


def test_an_offset_index_of_pages_that_are_not_there():
    data = bytearray(write(table().select(["must"]), write_page_index=True))
    chunk = read_footer(io.BytesIO(data)).metadata.row_groups[0].columns[0]
    start, size = chunk.offset_index_offset, chunk.offset_index_length
    index, _ = OffsetIndex.read(data, start)
    index.page_locations[1].offset += 1
    assert len(bytes(index)) == size
    data[start : start + size] = bytes(index)
    with pytest.raises(MalformedFileError, match="the offset index has a page at byte"):
        recoded(bytes(data), encoding="PLAIN")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda chunk: setattr(chunk, "file_path", b"other"), "in another file"),
        (lambda chunk: setattr(chunk, "crypto_metadata", Struct()), "encrypted"),
        (lambda chunk: setattr(chunk, "meta_data", None), "no metadata"),
    ],
)
def test_columns_that_are_not_in_the_file(change, message):
    with pytest.raises(MalformedFileError, match=message):
        recoded(edit(write(table()), each_chunk(change)))


def test_encrypted_columns_or_a_signed_footer():
    data = edit(write(table()), lambda metadata: setattr(metadata, "encryption_algorithm", Struct()))
    with pytest.raises(MalformedFileError, match="encrypted columns, or a signed footer"):
        recoded(data)


def test_row_groups_of_too_few_columns():
    def cut(metadata):
        metadata.row_groups[1].columns = metadata.row_groups[1].columns[:-1]

    with pytest.raises(MalformedFileError, match="row group 1 has 9 columns, but the schema 10"):
        recoded(edit(write(table()), cut))


def test_a_page_that_does_not_fit_its_checksum():
    data = bytearray(write(table().select(["must"]), write_page_checksum=True, use_dictionary=False))
    data[data.index(b"key-00007") + 3] ^= 1
    with pytest.raises(MalformedFileError, match="do not fit its checksum"):
        recoded(bytes(data), encoding="DELTA_BYTE_ARRAY")


def test_dictionaries_that_are_not_first():
    data = write(table().select(["word"]), row_group_size=1000)
    footer = read_footer(io.BytesIO(data))
    column = footer.metadata.row_groups[0].columns[0].meta_data
    chunk = read_chunk(io.BytesIO(data), column, footer)
    dictionary, *_ = walk(chunk)
    own = chunk.buf.tobytes()
    doubled = own[: dictionary.nbytes] + own
    column.total_compressed_size = len(doubled)
    column.dictionary_page_offset = 4
    data = with_footer(b"PAR1" + doubled, bytes(footer.metadata))
    with pytest.raises(MalformedFileError, match="a dictionary page that is not the first page"):
        recoded(data, encoding="PLAIN")


# --- Misuse ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"columns": ["none"]}, KeyError, "no column 'none'"),
        ({"columns": ["word", "number"]}, InvalidTypeError, "column 'number' is of INT64"),
        ({"encoding": "FAST"}, ValueError, "unknown encoding 'FAST'"),
        ({"encoding": "DELTA_BINARY_PACKED"}, ValueError, "for integers"),
        ({"encoding": "PLAIN_DICTIONARY"}, ValueError, "only read"),
        ({"encoding": "BYTE_STREAM_SPLIT"}, ValueError, "one length"),
        ({"encoding": "DELTA_LENGTH_BYTE_ARRAY", "columns": "id"}, ValueError, "not for values of a type_length"),
        ({"encoding": "DELTA_BYTE_ARRAY", "readers": ["impala"]}, ValueError, "not read by impala"),
        ({"compression": "fast"}, ValueError, "compression must be one of"),
        ({"compression": "zstd:99"}, ValueError, "levels 1 to 22"),
        ({"readers": "nobody"}, ValueError, "unknown reader"),
    ],
)
def test_misuse_is_told_before_anything_is_written(tmp_path, options, error, message):
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(write(table()))
    with pytest.raises(error, match=message):
        recode(source, target, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_targets_that_cannot_be():
    file = io.BytesIO(write(table()))
    with pytest.raises(TypeError, match="a target is needed"):
        recode(file)
    with pytest.raises(OSError, match="http://localhost/file cannot be written"):
        recode(file, "http://localhost/file")
    with pytest.raises(ValueError, match="only a path or a URL can be replaced"):
        recode(file, file)


# --- The report ------------------------------------------------------------------------------------------------------


def test_the_report():
    data = write(table().select(["number", "must"]), row_group_size=60)
    seen = []
    report = recode(
        io.BytesIO(data), io.BytesIO(), encoding="DELTA_BYTE_ARRAY", progress=lambda *args: seen.append(args)
    )
    (column,) = report.columns
    assert (column.name, column.notes) == ("must", ())
    assert (column.encodings_before, column.encodings_after) == ({"RLE_DICTIONARY": 4}, {"DELTA_BYTE_ARRAY": 4})
    assert column.size_before == sum(map(len, chunks(data)["must"]))
    assert report.size_before - column.size_before > report.size_after - column.size_after - 200
    assert report.num_row_groups == 2
    assert report.seconds > 0
    assert seen == [(i, 8, name) for i, name in enumerate(["number", "must"] * 4)]


def test_a_dry_run_tells_what_a_run_does():
    data = write(table(), compression="zstd")
    told = recode(io.BytesIO(data), dry_run=True)
    done = recode(io.BytesIO(data), io.BytesIO())
    assert (told.size_after, told.columns) == (done.size_after, done.columns)


# --- Other writers and readers ---------------------------------------------------------------------------------------


def by_polars(values, path):
    pl = pytest.importorskip("polars")
    pl.from_arrow(values.drop_columns(["pairs", "void", "price"])).write_parquet(
        path, row_group_size=50, data_page_size=300, compression="zstd"
    )


def by_duckdb(values, path):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("t", values.combine_chunks())
        connection.execute(f"copy t to '{path}' (format parquet, row_group_size 2048, compression zstd)")


def by_arro3(values, path):
    arro3 = pytest.importorskip("arro3.io")
    arro3.write_parquet(values.to_reader(), str(path), compression="zstd(3)", max_row_group_size=50)


def by_fastparquet(values, path):
    fastparquet = pytest.importorskip("fastparquet")
    fastparquet.write(str(path), values.select(["number", "must"]).to_pandas(), row_group_offsets=[0, 50])


def by_colcodec(values, path):
    columns = {name: values[name] for name in ("word", "must")}
    write_columns(path, columns, row_group_size=50, encodings="PLAIN", page_version=2)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("write_file", [by_polars, by_duckdb, by_arro3, by_fastparquet, by_colcodec])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_files_of_other_writers(tmp_path, write_file, encoding):
    """Every reader sees in the result what it sees in the source."""
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    write_file(table(), source)
    report = recode(source, target, encoding=encoding)
    assert report.columns
    assert pq.read_table(target).equals(pq.read_table(source))
    pl = pytest.importorskip("polars")
    assert pl.read_parquet(target).equals(pl.read_parquet(source))
    duckdb = pytest.importorskip("duckdb")
    before, after = (duckdb.sql(f"select * from '{path}'").fetchall() for path in (source, target))
    assert before == after
    if write_file is not by_fastparquet:
        assert warnings(target.read_bytes()) == []


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"])
def test_filters_find_the_same_rows(tmp_path, encoding):
    """By column indexes, offset indexes, statistics and bloom filters."""
    rows = 2000
    values = pa.table(
        {"id": range(rows), "url": [f"u{i:06}" for i in range(rows)], "n": [f"{i % 9}" for i in range(rows)]}
    )
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(
        values, source, row_group_size=1000, write_batch_size=50, data_page_size=1, write_page_index=True,
        compression="zstd", use_dictionary=False,
    )  # fmt: skip
    recode(source, target, encoding=encoding)
    duckdb, pl = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    for low, high in (("u000000", "u000001"), ("u000777", "u001234"), ("u001999", "u001999"), ("v", "w")):
        expected = [i for i in range(rows) if low <= f"u{i:06}" <= high]
        found = duckdb.sql(f"select id from '{target}' where url between '{low}' and '{high}' order by id").fetchall()
        assert [row for (row,) in found] == expected
        frame = pl.scan_parquet(target).filter(pl.col("url").is_between(pl.lit(low), pl.lit(high))).collect()
        assert frame["id"].to_list() == expected
        own = pq.read_table(target, filters=[("url", ">=", low), ("url", "<=", high)])
        assert own["id"].to_pylist() == expected


def test_bloom_filters_of_duckdb_still_filter(tmp_path):
    """A value that is there is found, and one that is not leaves out its row groups."""
    duckdb = pytest.importorskip("duckdb")
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            "copy (select 'w' || ((i * 7919) % 100) as word from range(6000) t(i)) "
            f"to '{source}' (format parquet, row_group_size 2048)"
        )
        probe = "select * from parquet_bloom_probe('{}', 'word', '{}')"
        before = connection.execute(probe.format(source, "absent")).fetchall()
        recode(source, target, encoding="DELTA_BYTE_ARRAY")
        after = connection.execute(probe.format(target, "absent")).fetchall()
        assert [row[1:] for row in before] == [row[1:] for row in after]
        assert all(row[-1] for row in after)
        count = connection.execute(f"select count(*) from '{target}' where word = 'w7'").fetchone()
        assert count == connection.execute(f"select count(*) from '{source}' where word = 'w7'").fetchone() != (0,)


# --- The corpus, whole and damaged -----------------------------------------------------------------------------------


def corpus_files(shared):
    for path in sorted((shared / "corpus").rglob("*")):
        if path.is_file() and path.suffix != ".json" and path.stat().st_size < 1_000_000:
            data = path.read_bytes()
            if data[:4] == b"PAR1":
                yield path, data


REFUSED = {
    "ARROW-17100.parquet",  # pages of version 2 by Arrow before 3.0, which only its name tells to be compressed
    "rle-dict-uncompressed-corrupt-checksum.parquet",
    "clusterfuzz-testcase-minimized-parquet-arrow-fuzz-5068991573000192",  # a chunk larger than the file
}


def test_the_corpus(shared):
    """What pyarrow reads, it reads after recoding too, whatever the encoding."""
    done = 0
    for path, data in corpus_files(shared):
        try:
            values = read(data)
        except (OSError, ValueError, NotImplementedError):
            values = None
        for encoding in ENCODINGS if cc_is_compiled() else ENCODINGS[-1:]:
            try:
                result = recoded(data, encoding=encoding)
            except ColcodecError:
                assert values is None or path.name in REFUSED, path
                continue
            if values is not None:
                again = read(result)
                # What holds NaN is not equal to itself.
                assert again.equals(values) or str(again.to_pydict()) == str(values.to_pydict()), path
                done += 1
    assert done > 20


def cc_is_compiled():
    return os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_damage_is_an_error_or_changes_nothing(tmp_path, version):
    """A file that is cut, or has a bit that is another, becomes no file, or one that reads as it does itself."""
    values = table(40)
    data = write(values, data_page_version=version, compression="zstd", write_page_index=True, write_page_checksum=True)
    target = tmp_path / "out"
    rng = random.Random(int(version[0]))
    damaged = [data[: rng.randrange(len(data))] for _ in range(15)]
    for _ in range(100 if cc_is_compiled() else 20):
        flipped = bytearray(data)
        flipped[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        damaged.append(bytes(flipped))
    refused = 0
    for file in damaged:
        try:
            recode(io.BytesIO(file), target, encoding="DELTA_BYTE_ARRAY")
        except ColcodecError:
            refused += 1
            assert [*tmp_path.iterdir()] == []
            continue
        try:
            expected = read(file)
        except (OSError, ValueError):
            expected = None
        if expected is not None:
            assert read(target.read_bytes()).equals(expected)
        target.unlink()
    assert refused >= 15


# --- Files take their names whole ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [str, Path])
def test_in_place(tmp_path, kind):
    path = tmp_path / "file"
    path.write_bytes(write(table()))
    path.chmod(0o640)
    recode(kind(path), kind(path), encoding="DELTA_BYTE_ARRAY")
    assert encodings(path.read_bytes(), "must") == {"DELTA_BYTE_ARRAY"}
    assert pq.read_table(path).equals(table())
    assert path.stat().st_mode & 0o777 == 0o640
    assert [own.name for own in tmp_path.iterdir()] == ["file"]


def test_a_url_is_read(tmp_path):
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(write(table()))
    recode(f"file://{source}", target)
    assert pq.read_table(target).equals(table())


def test_a_difference_leaves_no_file(tmp_path, monkeypatch):
    """Were an encoder wrong, the check would find it."""
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(write(table()))
    own = chunk_recoder.encode_slices

    def wrong(strings, ends, *args, **options):
        return own(cc.column([b"?"] * len(strings)), ends, *args, **options)

    monkeypatch.setattr(chunk_recoder, "encode_slices", wrong)
    with pytest.raises(ColcodecError, match=r"column 'word', row group 0: what was written is not what was read"):
        recode(source, target, encoding="PLAIN")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    recode(source, target, encoding="PLAIN", check=False)
    assert target.exists()


def test_a_copy_that_differs_leaves_no_file(tmp_path, monkeypatch):
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(write(table().select(["number", "must"])))
    copy = rewriter.Rewriter._copy_chunk

    def wrong(self, output, *args):
        copy(self, output, *args)
        output.file.seek(-1, 1)
        output.file.write(b"?")

    monkeypatch.setattr(rewriter.Rewriter, "_copy_chunk", wrong)
    with pytest.raises(ColcodecError, match="column 'number', row group 0: "):
        recode(source, target)
    assert not target.exists()


class FullDisk(io.BytesIO):
    def write(self, data):
        if self.tell() + len(data) > 5000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data)


def test_a_full_disk():
    with pytest.raises(OSError, match="No space left"):
        recode(io.BytesIO(write(table())), FullDisk())


LIMITED = """
import resource, signal, sys
from colcodec.parquet import recode
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = int(sys.argv[3])
try:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    recode(sys.argv[1], sys.argv[2], encoding="PLAIN", threads=1)
except OSError as error:
    sys.exit(f"refused: {error.errno}")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ") or not cc_is_compiled(), reason="needs limits, and its time")
@pytest.mark.parametrize("in_place", [False, True])
def test_no_room_for_the_file(tmp_path, in_place):
    source = tmp_path / "in"
    target = source if in_place else tmp_path / "out"
    data = write(table(2000))
    source.write_bytes(data)
    command = [sys.executable, "-c", LIMITED, source, target, "20000"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stderr
    assert f"refused: {errno.EFBIG}" in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert source.read_bytes() == data


REPEATED = """
import sys
from colcodec.parquet import recode
encodings = ["PLAIN", "DELTA_BYTE_ARRAY"]
print("ready", flush=True)
while True:
    for encoding in encodings:
        recode(sys.argv[1], sys.argv[2], encoding=encoding, threads=1)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL") or not cc_is_compiled(), reason="needs signals, and their time")
@pytest.mark.parametrize("in_place", [False, True])
def test_killed_at_any_moment(tmp_path, in_place):
    """There is a whole file or none, and the source is what it was."""
    values = table(1000)
    source = tmp_path / "in"
    target = source if in_place else tmp_path / "out"
    data = write(values)
    source.write_bytes(data)
    rng = random.Random(5)
    for _ in range(4):
        command = [sys.executable, "-c", REPEATED, source, target]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(rng.uniform(0.02, 0.6))
            process.kill()
        if target.exists():
            assert pq.read_table(target).equals(values)
        if not in_place:
            assert source.read_bytes() == data
    assert {path.name for path in tmp_path.iterdir() if path.suffix != ".part"} <= {"in", "out"}
