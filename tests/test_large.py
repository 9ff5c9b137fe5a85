"""Columns of more than 2**31 bytes; run with COLCODEC_LARGE=1, for they take some 12 GB of memory."""

import os

import numpy as np
import pytest

import colcodec as cc

pytestmark = pytest.mark.skipif(
    os.environ.get("COLCODEC_LARGE") != "1", reason="needs COLCODEC_LARGE=1 and 12 GB of memory"
)

LENGTH = 30_011
COUNT = 2**31 // LENGTH + 1000


@pytest.fixture(scope="module")
def column():
    """Give values of which each is the one before but for its last 4,011 bytes, which tell its index."""
    data = np.full(COUNT * LENGTH, ord("x"), np.uint8)
    data.reshape(COUNT, LENGTH)[:, -4011:-4003] = np.arange(COUNT, dtype="<u8").view(np.uint8).reshape(COUNT, 8)
    return cc.StringColumn(np.arange(COUNT + 1) * LENGTH, data, utf8=False)


def test_more_than_an_int32_of_bytes(column):
    """F1: 64-bit offsets all the way; what the default limit refuses, a larger one lets through."""
    assert column.data.size > 2**31
    page = cc.encode(column, "DELTA_BYTE_ARRAY")
    with pytest.raises(cc.LimitError, match=str(2**31 - 1)):
        cc.decode(page)
    decoded = cc.decode(page, max_data_size=2**32)
    assert np.array_equal(decoded.offsets, column.offsets)
    assert np.array_equal(decoded.data, column.data)


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY"])
def test_more_than_a_page_can_have(column, encoding):
    """F1: one page is refused, many of them are not."""
    with pytest.raises(cc.InvalidColumnError, match=r"a page would have .*; expected at most 2147483647"):
        cc.encode(column, encoding)
    writer = cc.PageWriter(encoding)
    for start in range(0, COUNT, 10_000):
        writer.write(column[start : start + 10_000])
    with pytest.raises(cc.InvalidColumnError, match=f"a page would have {writer.size} bytes"):
        writer.finish()
    del writer
    pages = cc.encode_pages(column, encoding, rows_per_page=10_000)
    decoded = cc.decode_pages(pages, max_data_size=2**32)
    assert np.array_equal(decoded.offsets, column.offsets)
    assert np.array_equal(decoded.data, column.data)


def test_values_beyond_an_int32(column):
    """F1: 64-bit places also of values that are few."""
    last = column[COUNT - 3 :]
    assert last.offsets[0] > 2**31
    assert cc.decode(cc.encode(last, "RLE_DICTIONARY")).to_pylist() == last.to_pylist()
    whole = cc.StringColumn([0, column.data.size], column.data, utf8=False)
    for encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"):
        with pytest.raises(cc.InvalidColumnError, match=f"value 0 has {column.data.size} bytes"):
            cc.encode(whole, encoding, max_dictionary_size=2**40)
    with pytest.raises(cc.InvalidColumnError, match="value 0 has"):
        cc.PageWriter("PLAIN").write_slices(column.data, [0], [2**31])
