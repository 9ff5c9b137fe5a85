"""A page has at most 2**31 - 1 bytes; here it is 100, so that nobody needs the memory."""

import numpy as np
import pytest

import colcodec as cc
from colcodec import _checks
from colcodec.compare import compare

TOO_LARGE = "a page would have {} bytes; expected at most 100, as in Parquet"


@pytest.fixture(autouse=True)
def small_pages(monkeypatch):
    monkeypatch.setattr(_checks, "MAX_PAGE_SIZE", 100)


def sized(encoding, size):
    """Give a value whose page has so many bytes."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(_checks, "MAX_PAGE_SIZE", 1000)
        return next(value for value in (["x" * i] for i in range(size)) if cc.encode(value, encoding).nbytes == size)


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
def test_a_page_is_as_large_as_it_can_be(encoding):
    assert cc.encode(sized(encoding, 100), encoding).nbytes == 100
    out = np.empty(10_000, np.uint8)
    for more in ({}, {"out": out}):
        with pytest.raises(cc.InvalidColumnError, match=TOO_LARGE.format(101)):
            cc.encode(sized(encoding, 101), encoding, **more)
    with pytest.raises(cc.InvalidColumnError, match=TOO_LARGE.format(101)):
        cc.encode_pages([*sized(encoding, 30), *sized(encoding, 101)], encoding, rows_per_page=1)


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
def test_a_writer_keeps_what_is_too_large(encoding):
    """Until it is to forget it."""
    writer = cc.PageWriter(encoding)
    writer.write(sized(encoding, 100))
    writer.write(["y"])
    for _ in range(2):
        with pytest.raises(cc.InvalidColumnError, match=TOO_LARGE.format(writer.size)):
            writer.finish()
    assert writer.num_values == 2
    writer.reset()
    writer.write(sized(encoding, 100))
    assert writer.finish().nbytes == 100


def test_indices_and_dictionaries():
    """Each has a page."""
    values = [f"{i:06}" for i in range(10)]
    assert cc.encode(values, "RLE_DICTIONARY").dictionary.nbytes == 100
    for encode in (cc.encode, cc.encode_pages):
        with pytest.raises(cc.InvalidColumnError, match=TOO_LARGE.format(110)):
            encode([*values, "000010"], "RLE_DICTIONARY")
        with pytest.raises(cc.InvalidColumnError, match=TOO_LARGE.format(".*")):
            encode(values * 40, "RLE_DICTIONARY")
    writer = cc.PageWriter("RLE_DICTIONARY")
    writer.write([*values, "000010"])
    with pytest.raises(cc.InvalidColumnError, match=TOO_LARGE.format(110)):
        writer.finish()
    assert writer.num_values == 11


def test_values_of_one_length():
    for encoding in ("PLAIN", "BYTE_STREAM_SPLIT"):
        assert cc.encode(["x" * 20] * 5, encoding, type_length=20).nbytes == 100
        with pytest.raises(cc.InvalidColumnError, match=TOO_LARGE.format(120)):
            cc.encode(["x" * 20] * 6, encoding, type_length=20)


def test_integers():
    values = np.random.default_rng(0).integers(-(2**62), 2**62, 30)
    assert cc.encode(np.arange(100), "DELTA_BINARY_PACKED").nbytes < 100
    with pytest.raises(cc.InvalidColumnError, match=TOO_LARGE.format(".*")):
        cc.encode(values, "DELTA_BINARY_PACKED")


def test_pages_that_are_read_are_not_held_to_it():
    """What is behind their last value may have any size."""
    page = bytes(1) + cc.encode(["axis"], "PLAIN").data.tobytes() + bytes(200)
    assert cc.decode(page[1:], encoding="PLAIN", num_values=1).to_pylist() == [b"axis"]


def test_a_comparison_goes_on():
    """A column of many values may fit in a page in one encoding, and in another not."""
    plain, *others = compare(cc.column(["x" * 8] * 12), compression="none", seconds=0)
    assert plain.reason is not None
    assert "a page would have 144 bytes" in plain.reason
    assert (plain.size, plain.equal) == (None, None)
    assert any(other.equal for other in others)
