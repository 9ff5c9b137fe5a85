"""BYTE_STREAM_SPLIT of values of one length. Docstrings name the reports of the same fault elsewhere (known-faults)."""

import battery
import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import colcodec as cc

ENCODING = "BYTE_STREAM_SPLIT"
UUIDS = [bytes((i * i * 31 + j * 7) % 256 for j in range(15)) + b"\0" for i in range(300)]


@given(st.data())
def test_any_values(data):
    """Values of any length, with and without nulls, have naive's page and come back."""
    length = data.draw(st.integers(1, 40))
    columns = strategies.fixed_length_columns(length)
    battery.check_encodes(data.draw(columns | strategies.with_nulls(columns)), ENCODING, length)


@given(strategies.pages((ENCODING,)))
def test_any_legal_page(page):
    """Values are read, and a page that goes on behind them is refused."""
    battery.check_decodes(page)


@pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 300])
def test_counts_at_the_edges_of_tiles(count):
    """Pages of fewer values than a tile has, and of tiles that overlap."""
    for length in (1, 2, 3, 4, 5, 8, 12, 16):
        battery.check_encodes([value[-length:] for value in UUIDS[:count]], ENCODING, length)


def test_the_example_of_the_format():
    """Three values of four bytes, as Encodings.md has them."""
    values = [b"\xaa\xbb\xcc\xdd", b"\x00\x11\x22\x33", b"\xa3\xb4\xc5\xd6"]
    page = cc.encode(values, ENCODING, type_length=4)
    assert page.data.tobytes() == bytes.fromhex("aa00a3 bb11b4 cc22c5 dd33d6")
    assert cc.decode(page).to_pylist() == values


@pytest.mark.parametrize("column", [[], [None], [None] * 200])
def test_no_values(column):
    """An empty or all-null column has no bytes; any length of the values will do."""
    battery.check_encodes(column, ENCODING, 16)
    assert cc.encode(column, ENCODING, type_length=16).nbytes == 0
    assert battery.decode(b"", ENCODING, 0, 2**31 - 1) == []


def test_bound_is_the_size():
    """C12: what an encoder sets aside is what it needs; bytes of `out` behind the page are left alone."""
    assert cc.encoded_size_bound([*UUIDS, None], ENCODING, type_length=16) == 16 * len(UUIDS)
    out = np.full(16 * len(UUIDS) + 9, 7, np.uint8)
    page = cc.encode(UUIDS, ENCODING, type_length=16, out=out)
    assert np.shares_memory(page.data, out)
    assert page.data.tobytes() == naive.encode(UUIDS, ENCODING, 16)
    assert out[page.nbytes :].tolist() == [7] * 9


def test_decodes_into_memory_of_the_caller():
    """Exactly as many bytes as the values have."""
    page = cc.encode(UUIDS, ENCODING, type_length=16)
    data = np.full(cc.decoded_size(page) + 9, 7, np.uint8)
    assert cc.decode(page, out=(np.empty(301, np.int64), data)).to_pylist() == UUIDS
    assert data[-9:].tolist() == [7] * 9


def test_many_pages():
    """Pages are encoded and put together again by threads, each into its own part."""
    column = [None if i % 7 == 3 else value for i, value in enumerate(UUIDS)]
    pages = cc.encode_pages(column, ENCODING, type_length=16, rows_per_page=77, threads=2)
    assert [page.type_length for page in pages] == [16] * 4
    assert cc.decode_pages(pages, threads=2).to_pylist() == column


@pytest.mark.parametrize("missing", [1, 15, 16, 17, 32, 47, 48])
def test_cut_pages(missing):
    """A page is as large as its values: streams of a shorter one would begin elsewhere."""
    data = naive.encode(UUIDS[:3], ENCODING, 16)
    error = battery.check_rejects(data[: len(data) - missing], ENCODING, 3, "TRUNCATED", 16)
    assert error.position == len(data) - missing
    assert "bytes for 3 values of 16" in str(error)


@pytest.mark.parametrize("more", [1, 8, 15, 16, 32])
@pytest.mark.parametrize("count", [0, 3])
def test_pages_of_another_size(more, count):
    """Whole values too many as well: others split such a page into longer streams, and read different values."""
    data = naive.encode(UUIDS[:count], ENCODING, 16)
    assert battery.check_rejects(data + bytes(more), ENCODING, count, "COUNT_MISMATCH", 16).position == len(data)


@pytest.mark.parametrize(("count", "length"), [(2**30 + 1, 4), (2**31 - 1, 2**31 - 1), (2**31 - 1, 1)])
def test_sizes_that_overflow_32_bits(count, length):
    """F8: num_values * type_length is compared with the page in 64 bits, before anything is allocated."""
    battery.check_rejects(b"abcd", ENCODING, count, "TRUNCATED", length)


def test_max_data_size():
    """F8: values may take the limit, and not a byte more."""
    data = naive.encode(UUIDS[:3], ENCODING, 16)
    assert battery.decode(data, ENCODING, 3, 16, max_data_size=48) == UUIDS[:3]
    for limit in (0, 16, 47):
        battery.check_rejects(data, ENCODING, 3, "LIMIT", 16, max_data_size=limit)
