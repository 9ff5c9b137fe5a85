"""Measuring a column: sizes that can be counted by hand, speeds that are numbers, compression that can be undone."""

import sys

import cramjam
import numpy as np
import pytest

import colcodec as cc
from colcodec.compare import compare, data_size
from colcodec.compression import Compression

ENCODINGS = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"]
COLUMNS = {
    "words": ["axis", "axle", "babble", "babyhood"] * 40,
    "nulls": ["a", None, "", "abc", None],
    "bytes": [b"\xff\xfe", b"", None, b"\x00"],
    "no values": [],
    "all null": [None] * 9,
    "all empty": [""] * 300,
}


def bodies(values, encoding):
    """Encode a column as the bodies of its pages, as a file has them: a dictionary page is one of its own."""
    page = cc.encode(values, encoding)
    return [page.data.tobytes()] + ([] if page.dictionary is None else [page.dictionary.data.tobytes()])


DECOMPRESSORS = {
    "zstd": cramjam.zstd.decompress,
    "snappy": cramjam.snappy.decompress_raw,
    "gzip": cramjam.gzip.decompress,
}


@pytest.mark.parametrize("name", COLUMNS)
def test_sizes_are_those_of_the_pages(name):
    values = COLUMNS[name]
    present = [value.encode() if isinstance(value, str) else value for value in values if value is not None]
    rows = compare(cc.column(values), compression="none", seconds=0)
    assert [row.encoding.name for row in rows] == ENCODINGS
    assert rows[0].size == sum(map(len, present)) + 4 * len(present)
    for row in rows:
        assert row.equal is True
        assert row.size == row.compressed_size == sum(map(len, bodies(values, row.encoding)))


def test_raw_size_leaves_out_the_bytes_of_null_slots():
    column = cc.StringColumn([0, 2, 5, 6], b"abXXXc", [True, False, True])
    assert data_size(column) == 3
    assert data_size(column[1:]) == 1
    assert data_size(column[:0]) == 0
    assert all(row.equal for row in compare(column, seconds=0))


def test_speeds_are_positive_and_zero_without_data():
    for row in compare(cc.column(["abc"] * 1000), seconds=0):
        assert min(row.encode_mb_per_s, row.decode_mb_per_s, row.read_mb_per_s) > 0
        assert row.read_mb_per_s <= row.decode_mb_per_s
    for row in compare(cc.column(["", None]), seconds=0):
        assert row.encode_mb_per_s == row.decode_mb_per_s == row.read_mb_per_s == 0


@pytest.mark.parametrize("compression", DECOMPRESSORS)
def test_compressed_size_is_of_bytes_that_come_back(compression):
    values = COLUMNS["words"]
    for row in compare(cc.column(values), compression=compression, seconds=0):
        pages = bodies(values, row.encoding)
        if compression == "snappy":
            compressed = [bytes(cramjam.snappy.compress_raw(page)) for page in pages]
        else:
            level = {"zstd": 3, "gzip": 6}[compression]
            compressed = [bytes(getattr(cramjam, compression).compress(page, level=level)) for page in pages]
        assert [bytes(DECOMPRESSORS[compression](each)) for each in compressed] == pages
        assert row.compressed_size == sum(map(len, compressed))
        assert row.size == sum(map(len, pages))


def test_compressed_size_of_lz4_is_a_raw_block_as_parquet_stores_it():
    values = ["axis"] * 1000
    plain = compare(cc.column(values), compression="lz4", seconds=0)[0]
    pa = pytest.importorskip("pyarrow")
    page = cc.encode(values, "PLAIN").data.tobytes()
    block = pa.Codec("lz4_raw").compress(page, asbytes=True)
    # Two builds of LZ4 may choose other matches; a frame or a stored size would add 4 to 15 bytes.
    assert abs(plain.compressed_size - len(block)) <= 3


def test_progress_names_each_encoding_before_it_is_measured():
    calls = []
    compare(cc.column(["a"]), seconds=0, progress=lambda *call: calls.append(call))
    assert calls == [(done, 4, name) for done, name in enumerate(ENCODINGS)]


def test_a_decode_that_differs_is_told(monkeypatch):
    monkeypatch.setattr("colcodec.compare.decode", lambda *_, **__: cc.column(["b"]))
    assert [row.equal for row in compare(cc.column(["a"]), seconds=0)] == [False] * 4


def test_unknown_compression_is_refused_with_the_names():
    with pytest.raises(ValueError, match="one of zstd, snappy, lz4, gzip, brotli, none, not 'lzo'"):
        compare(cc.column(["a"]), compression="lzo")


def test_missing_cramjam_is_told_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "cramjam", None)
    with pytest.raises(ImportError, match=r'pip install "colcodec\[parquet\]"'):
        compare(cc.column(["a"]))
    assert len(compare(cc.column(["a"]), compression=Compression.NONE, seconds=0)) == 4


def test_a_slice_is_measured_as_itself():
    column = cc.column(np.array([f"key-{i:04}" for i in range(500)]))
    assert compare(column[100:200], seconds=0)[0].size == 100 * (4 + 8)


def test_a_dictionary_that_grows_too_large_is_told_in_place_of_figures():
    values = [f"{i:0100}" for i in range(12_000)]
    *others, row = compare(cc.column(values), compression="none", seconds=0)
    assert all(other.equal and other.reason is None for other in others)
    assert row.encoding is cc.Encoding.RLE_DICTIONARY
    assert row[1:-1] == (None,) * 6
    assert row.reason == "the dictionary takes more than 1048576 bytes: value 10082 has no room left in it"
