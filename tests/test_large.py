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


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
def test_more_than_an_int32_of_bytes(column, encoding):
    """F1: 64-bit offsets all the way; what the default limit refuses, a larger one lets through."""
    assert column.data.size > 2**31
    page = cc.encode(column, encoding)
    with pytest.raises(cc.LimitError, match=str(2**31 - 1)):
        cc.decode(page)
    decoded = cc.decode(page, max_data_size=2**32)
    assert decoded.offsets[-1] == COUNT * LENGTH
    assert np.array_equal(decoded.offsets, column.offsets)
    assert np.array_equal(decoded.data, column.data)


def test_many_pages(column):
    """The same in pages of a size that Parquet allows."""
    pages = cc.encode_pages(column, "DELTA_BYTE_ARRAY", rows_per_page=10_000)
    assert cc.decode_pages(pages, max_data_size=2**32).offsets[-1] == COUNT * LENGTH
