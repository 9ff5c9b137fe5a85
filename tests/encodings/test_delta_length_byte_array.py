"""DELTA_LENGTH_BYTE_ARRAY: lengths, bytes. Docstrings name the reports of the same fault elsewhere (known-faults)."""

import battery
import naive
import numpy as np
import pytest
import strategies
from hypothesis import given

import colcodec as cc

ENCODING = "DELTA_LENGTH_BYTE_ARRAY"


def page_of(lengths, data=b""):
    """Write a page whose lengths need not fit its bytes."""
    return naive.encode_delta_binary_packed(lengths, 32) + data


# --- Encoding --------------------------------------------------------------------------------------------------------


@given(strategies.byte_columns())
def test_any_bytes(column):
    """Any bytes have naive's page and come back."""
    battery.check_encodes(column, ENCODING)


@given(strategies.text_columns())
def test_any_text(column):
    """Any text has naive's page and comes back as text."""
    battery.check_encodes(column, ENCODING)


@pytest.mark.parametrize("count", [0, 1, 2, 32, 33, 34, 127, 128, 129, 130, 256, 257, 258])
def test_sizes_at_the_edges_of_blocks(count):
    """0, 1, block_size and block_size +- 1 values."""
    battery.check_encodes([b"%d" % (i * i) for i in range(count)], ENCODING)


def test_empty_strings():
    """A14: empty strings are values; a page of nothing else is lengths of no bits."""
    battery.check_encodes([""] * 1000, ENCODING)


@pytest.mark.parametrize("column", [[], [None], [None] * 200])
def test_no_values(column):
    """C3, A11, A12, A13: an empty or all-null column is a header for 0 values."""
    battery.check_encodes(column, ENCODING)
    assert cc.encode(column, ENCODING).data.tobytes() == bytes.fromhex("8001040000")


def test_lengths_of_present_values_alone():
    """C2, C11: the header counts values, not slots, and nulls have no length."""
    column = ["a", None, "bb", None, None, ""]
    battery.check_encodes(column, ENCODING)
    assert cc.encode(column, ENCODING).data.tobytes()[:4] == bytes.fromhex("80010403")


def test_more_leading_nulls_than_a_block():
    """A31: the first value may come after any number of nulls."""
    battery.check_encodes([None] * 1000 + ["first", "second"], ENCODING)


@pytest.mark.parametrize("column", [[], [b""], [b"x" * 70_000], [b"", b"y" * 1000] * 200])
def test_bound_holds(column):
    """C12: what an encoder sets aside is enough."""
    assert cc.encode(column, ENCODING).nbytes <= cc.encoded_size_bound(column, ENCODING)


def test_a_value_too_long_for_the_format():
    """F4: 2**31 bytes are one too many; the error names the value and its length."""
    data = np.zeros(2**31 + 3, np.uint8)  # never touched, so never there
    column = cc.StringColumn(np.array([0, 3, 2**31 + 3]), data, utf8=False)
    for encoding in battery.MODULES:
        with pytest.raises(cc.InvalidColumnError, match=str(2**31)) as caught:
            cc.encode(column, encoding)
        assert caught.value.index == 1


# --- Decoding --------------------------------------------------------------------------------------------------------


@given(strategies.pages((ENCODING,)))
def test_any_legal_page(page):
    """Any geometry, any leftovers; the bytes begin right after the padded lengths."""
    battery.check_decodes(page)
    values = cc.decode(page.data, encoding=ENCODING, num_values=len(page.values), copy=False)
    assert values.to_pylist() == page.values


@pytest.mark.parametrize("geometry", strategies.GEOMETRIES)
@pytest.mark.parametrize("count", [2, 40, 300])
def test_data_begins_after_the_used_miniblocks(geometry, count):
    """A5, A7: unused miniblocks have no body, used ones are whole, whatever their number in a block."""
    values = [b"v" * (i * i % 23) for i in range(count)]
    liberties = naive.Liberties(*geometry, unused_widths=(77,), padding=1)
    data = naive.encode(values, ENCODING, liberties=liberties)
    battery.check_decodes(strategies.Page(ENCODING, "binary", data, values))


def test_no_values_and_no_bytes():
    """A11, A14: 0 values need no header; 1 value does."""
    assert battery.decode(b"", ENCODING, 0) == []
    battery.check_rejects(b"", ENCODING, 1, "TRUNCATED")


def test_without_copy():
    """A view of the page when the caller allows it, a column of its own otherwise."""
    buf = np.frombuffer(naive.encode([b"abc", b"de"], ENCODING), np.uint8)
    for copy in (True, False):
        column = cc.decode(buf, encoding=ENCODING, num_values=2, copy=copy)
        assert np.shares_memory(column.data, buf) is not copy
        assert column.to_pylist() == [b"abc", b"de"]


def test_more_than_2_gib():
    """F1: offsets have 64 bits; a page beyond 2**31 bytes of data is read where the caller allows it."""
    lengths = [2**30, 2**30, 2**30, 5]
    header = page_of(lengths)
    buf = np.zeros(len(header) + sum(lengths), np.uint8)  # only its first bytes are ever touched
    buf[: len(header)] = np.frombuffer(header, np.uint8)
    column = cc.decode(buf, encoding=ENCODING, num_values=4, copy=False, max_data_size=2**32)
    assert column.offsets.tolist() == [0, 2**30, 2**31, 3 * 2**30, 3 * 2**30 + 5]
    battery.check_rejects(buf, ENCODING, 4, "LIMIT", copy=False)


@pytest.mark.parametrize(
    "lengths",
    [[-1], [3, -2, 3], [-(2**31)], [5, -5, 5], [0, -1, 1]],
)
def test_negative_lengths(lengths):
    """C1: a negative length is refused where it stands, though others may cancel it."""
    error = battery.check_rejects(page_of(lengths, b"abcdefgh"), ENCODING, len(lengths), "NEGATIVE_LENGTH")
    assert error.index == next(i for i, length in enumerate(lengths) if length < 0)


@pytest.mark.parametrize(
    ("lengths", "data"),
    [
        ([2, 2], b"abc"),
        ([2**31 - 1], b"abc"),
        ([2**30, 2**30, 2**30], b"abc"),
        ([2**30] * 4, b""),
        ([2**30] * 4 + [3], b"abc"),
        ([2**31 - 1, -(2**31) + 6], b"hello"),
    ],
)
def test_lengths_beyond_the_bytes(lengths, data):
    """C1, D13: lengths are added in 64 bits: sums of 2**32 and 2**32 + 3 are neither 0 nor 3."""
    battery.check_rejects(page_of(lengths, data), ENCODING, len(lengths), "TRUNCATED")


@pytest.mark.parametrize("cut", [1, 3, 13])
def test_page_cut_in_its_bytes(cut):
    """C4: bytes missing at the end are missed."""
    data = naive.encode([b"Hello", b"World", b"Foobar"], ENCODING)
    battery.check_rejects(data[:-cut], ENCODING, 3, "TRUNCATED")


@pytest.mark.parametrize("expected", [0, 2, 4, 2**31 - 1])
def test_another_count_than_expected(expected):
    """A15, C1: the count of the page is that of the values that are present, or the page is refused."""
    battery.check_rejects(naive.encode([b"a"] * 3, ENCODING), ENCODING, expected, "COUNT_MISMATCH")


@pytest.mark.parametrize("width", [33, 64, 65, 255])
def test_lengths_wider_than_32_bits(width):
    """B1: lengths are int32."""
    data = bytes.fromhex("8001040202") + b"\0" + bytes([width, 0, 0, 0]) + bytes(4 * width) + b"ab"
    battery.check_rejects(data, ENCODING, 2, "BIT_WIDTH")


def test_wrapping_deltas_of_lengths():
    """B2: lengths 2, 3, 2 written with a minimum of -2**31 and deltas beyond 2**31."""
    block = naive.encode_uleb128(naive.encode_zigzag(-(2**31))) + bytes([32, 0, 0, 0])
    body = naive.pack([2**31 + 1, 2**31 - 1] + [0] * 30, 32)
    data = bytes.fromhex("8001040304") + block + body + b"aabbbcc"
    battery.check_decodes(strategies.Page(ENCODING, "binary", data, [b"aa", b"bbb", b"cc"]))


def test_text_is_checked_by_value():
    """C7, C9, C10: a character that is split over two values is invalid in both, though all bytes together are text."""
    data = naive.encode([b"ok", b"\xc3", b"\xa4"], ENCODING)
    column = cc.decode(data, encoding=ENCODING, num_values=3, dtype="utf8")
    with pytest.raises(cc.InvalidColumnError) as caught:
        column.validate()
    assert caught.value.index == 1


def test_max_data_size():
    """F8: values may take the limit, and not a byte more."""
    data = naive.encode([b"abc", b"", b"de"], ENCODING)
    assert battery.decode(data, ENCODING, 3, max_data_size=5) == [b"abc", b"", b"de"]
    for limit in (0, 2, 4):
        battery.check_rejects(data, ENCODING, 3, "LIMIT", max_data_size=limit)
