"""PLAIN: each value behind its length. Docstrings name the reports of the same fault elsewhere (known-faults)."""

import battery
import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import colcodec as cc

ENCODING = "PLAIN"


@given(strategies.byte_columns())
def test_any_bytes(column):
    """Any bytes have naive's page and come back."""
    battery.check_encodes(column, ENCODING)


@given(strategies.text_columns())
def test_any_text(column):
    """Any text has naive's page and comes back as text."""
    battery.check_encodes(column, ENCODING)


@given(strategies.pages((ENCODING,)))
def test_any_legal_page(page):
    """Values are read, and nothing behind them."""
    battery.check_decodes(page)


@pytest.mark.parametrize("length", strategies.EDGE_LENGTHS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_lengths_where_copies_change_their_way(length, count):
    """Values of every length near 8, 16, 32 and 64, at the very end of the page and before others."""
    for column in ([b"\xc3" * length] * count, [b"x" * length, b"", b"yz"] * count):
        battery.check_encodes(column, ENCODING)


def test_nulls_are_not_in_the_page():
    """C2: only present values are encoded; all-null and empty columns have no bytes."""
    battery.check_encodes(["a", None, "", None], ENCODING)
    for column in ([], [None] * 20):
        battery.check_encodes(column, ENCODING)
        assert cc.encode(column, ENCODING).nbytes == 0


@pytest.mark.parametrize("column", [[], [b""], [b"a", b"bb"] * 100])
def test_bound_is_the_size(column):
    """C12: what an encoder sets aside is what it needs."""
    size = 4 * len(column) + sum(map(len, column))
    assert cc.encode(column, ENCODING).nbytes == cc.encoded_size_bound(column, ENCODING) == size


def test_zero_padding_after_the_values():
    """Some writers append 8 zero bytes to a page; they hold no value."""
    page = strategies.Page(ENCODING, "binary", naive.encode_plain([b"xx", b"abc"]), [b"xx", b"abc"])
    battery.check_decodes(page)
    assert battery.decode(page.data + bytes(8), ENCODING, 2) == page.values


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (b"", 1),
        (b"\x01\x00\x00", 1),
        (naive.encode_plain([b"ok"]) + b"\x01\x00", 2),
        (b"\x04\x00\x00\x00abc", 1),
        (naive.encode_plain([b"ok"]) + b"\xe8\x03\x00\x00xxxx", 2),
        (bytes(40), 11),
        (b"\xff\xff\xff\x7fabc", 1),
    ],
)
def test_cut_pages(data, count):
    """A length or a value that is cut short, or not there at all."""
    battery.check_rejects(data, ENCODING, count, "TRUNCATED")


@pytest.mark.parametrize("length", [2**31, 2**32 - 4, 2**32 - 1])
@pytest.mark.parametrize("count", [1, 2])
def test_negative_lengths(length, count):
    """A length is signed: -4 may not walk back onto itself."""
    data = length.to_bytes(4, "little") + b"abcd" * count
    assert battery.check_rejects(data, ENCODING, count, "NEGATIVE_LENGTH").index == 0


@pytest.mark.parametrize("count", [11, 2**30 + 2, 2**31 - 1])
def test_counts_that_overflow_32_bits(count):
    """F8: 4 * num_values is compared with the page in 64 bits, before anything is allocated."""
    battery.check_rejects(bytes(40), ENCODING, count, "TRUNCATED")


def test_max_data_size():
    """F8: values may take the limit, and not a byte more."""
    data = naive.encode_plain([b"abc", b"", b"de"])
    assert battery.decode(data, ENCODING, 3, max_data_size=5) == [b"abc", b"", b"de"]
    for limit in (0, 2, 4):
        battery.check_rejects(data, ENCODING, 3, "LIMIT", max_data_size=limit)


# --- Values of one length --------------------------------------------------------------------------------------------


@given(st.data())
def test_any_values_of_one_length(data):
    """Values of any length, with and without nulls, stand end to end."""
    length = data.draw(st.integers(1, 40))
    columns = strategies.fixed_length_columns(length)
    battery.check_encodes(data.draw(columns | strategies.with_nulls(columns)), ENCODING, length)


@pytest.mark.parametrize(("size", "count", "length"), [(5, 3, 2), (0, 1, 1), (4, 2**30 + 1, 4), (0, *[2**31 - 1] * 2)])
def test_cut_pages_of_one_length(size, count, length):
    """F8: num_values * type_length is compared with the page in 64 bits, before anything is allocated."""
    battery.check_rejects(bytes(size), ENCODING, count, "TRUNCATED", length)


def test_max_data_size_of_one_length():
    """F8: values may take the limit, and not a byte more; bytes behind them do not count."""
    assert battery.decode(b"abcdefgh", ENCODING, 3, 2, max_data_size=6) == [b"ab", b"cd", b"ef"]
    battery.check_rejects(b"abcdefgh", ENCODING, 3, "LIMIT", 2, max_data_size=5)


def test_values_of_one_length_can_be_viewed():
    """Without a copy, the data is the page's own, from its first byte on; with one, it is not."""
    buf = np.frombuffer(b"abcdefgh", np.uint8)
    known = {"encoding": ENCODING, "num_values": 3, "type_length": 2}
    viewed, copied = (cc.decode(buf, copy=copy, **known) for copy in (False, True))
    assert viewed == copied
    assert np.shares_memory(viewed.data, buf)
    assert not np.shares_memory(copied.data, buf)
    assert viewed.data.size == 6
    nulls = cc.decode(buf, copy=False, **known | {"num_values": 5}, validity=[True, False, True, False, True])
    assert nulls.to_pylist() == [b"ab", None, b"cd", None, b"ef"]
    assert np.shares_memory(nulls.data, buf)
