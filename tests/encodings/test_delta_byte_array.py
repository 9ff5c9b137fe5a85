"""DELTA_BYTE_ARRAY: shared prefixes. Docstrings name the reports of the same fault elsewhere (known-faults)."""

import battery
import naive
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import colcodec as cc

ENCODING = "DELTA_BYTE_ARRAY"
URLS = [b"https://www.example.org/%s/%04d" % (b"abc"[i % 3 :], i) for i in range(300)]


def page_of(prefix_lengths, suffix_lengths, data=b""):
    """Write a page whose lengths need not fit each other or its bytes."""
    streams = [naive.encode_delta_binary_packed(lengths, 32) for lengths in (prefix_lengths, suffix_lengths)]
    return b"".join(streams) + data


# --- Encoding --------------------------------------------------------------------------------------------------------


@given(strategies.byte_columns())
def test_any_bytes(column):
    """Any bytes have naive's page and come back."""
    battery.check_encodes(column, ENCODING)


@given(strategies.text_columns())
def test_any_text(column):
    """Any text has naive's page and comes back as text; a prefix may end inside a character."""
    battery.check_encodes(column, ENCODING)


@pytest.mark.parametrize("count", [0, 1, 2, 32, 33, 34, 127, 128, 129, 130, 256, 257, 258])
def test_sizes_at_the_edges_of_blocks(count):
    """0, 1, block_size and block_size +- 1 values."""
    battery.check_encodes(URLS[:count], ENCODING)


def test_proper_prefix_of_the_value_before():
    """The shared prefix is bounded by the shorter value, whichever that is."""
    battery.check_encodes([b"Hello", b"He", b"Hello", b"", b"H", b"Hello, World"], ENCODING)


@pytest.mark.parametrize("length", strategies.EDGE_LENGTHS)
def test_prefixes_where_comparisons_change_their_way(length):
    """Values that part after any number of bytes near 8, 16, 32 and 64; equal ones; and one that only goes on."""
    stem = bytes(range(7, 7 + length))
    battery.check_encodes([stem, stem, stem + b"a", stem + b"b" * 40, stem + b"c" * 40, stem, stem[:-1]], ENCODING)


def test_prefixes_do_not_reach_beyond_a_value():
    """Bytes that follow in memory are not shared: "ab" | "abcd" | "ab" | "abcd"."""
    battery.check_encodes([b"ab", b"ab", b"cd", b"ab", b"abcd", b"ab", b"cdab"], ENCODING)


def test_prefix_of_the_last_value_that_is_present():
    """Nulls do not break the chain: the value before is the last one that is there."""
    column = ["prefix-a", None, None, "prefix-b", None, "prefix"]
    battery.check_encodes(column, ENCODING)
    assert cc.encode(column, ENCODING).data.tobytes() == naive.encode([b"prefix-a", b"prefix-b", b"prefix"], ENCODING)


@pytest.mark.parametrize("column", [[], [None], [None] * 200])
def test_no_values(column):
    """C3, A11, A12, A13: an empty or all-null column is two headers for 0 values."""
    battery.check_encodes(column, ENCODING)
    assert cc.encode(column, ENCODING).data.tobytes() == bytes.fromhex("8001040000" * 2)


def test_empty_strings():
    """Empty strings, all of them or between others."""
    battery.check_encodes([""] * 1000, ENCODING)
    battery.check_encodes(["", "a", "", "ab", ""], ENCODING)


def test_more_leading_nulls_than_a_block():
    """A31: the first value may come after any number of nulls."""
    battery.check_encodes([None] * 1000 + ["first", "fist"], ENCODING)


def test_pages_are_independent():
    """D3, D9, D20, A29: a page knows nothing of the page before, of this encoding or another."""
    for values in (URLS, [b"https://other"], URLS[:3], [], URLS):
        battery.check_matches_naive(values, ENCODING)
        battery.check_round_trip(values, "PLAIN")
        battery.check_round_trip(values, ENCODING)


@pytest.mark.parametrize("count", [14_335, 14_336, 14_337])
def test_many_whole_blocks(count):
    """D8: as many values as go in, whether or not they fill their blocks."""
    battery.check_round_trip([b"row-%06d" % i for i in range(count)], ENCODING)


@pytest.mark.parametrize("column", [[], [b""], [b"x" * 70_000], [b"", b"y" * 1000] * 200, URLS])
def test_bound_holds(column):
    """C12: what an encoder sets aside is enough."""
    assert cc.encode(column, ENCODING).nbytes <= cc.encoded_size_bound(column, ENCODING)


# --- Decoding --------------------------------------------------------------------------------------------------------


@given(strategies.pages((ENCODING,)))
def test_any_legal_page(page):
    """Any geometry, any leftovers, any prefixes that are not the longest."""
    battery.check_decodes(page)


@pytest.mark.parametrize("prefix_cap", [0, 1, 7, 31])
def test_prefixes_need_not_be_the_longest(prefix_cap):
    """A writer may share less than it could, or nothing."""
    data = naive.encode(URLS, ENCODING, liberties=naive.Liberties(prefix_cap=prefix_cap))
    battery.check_decodes(strategies.Page(ENCODING, "binary", data, URLS))


def test_data_begins_after_both_streams():
    """A5: each of the two streams is padded on its own."""
    liberties = naive.Liberties(2048, 8, unused_widths=(77,), padding=1)
    data = naive.encode(URLS, ENCODING, liberties=liberties)
    battery.check_decodes(strategies.Page(ENCODING, "binary", data, URLS))


def test_no_values_and_no_bytes():
    """A11, A13, A14: 0 values need no header, but not half of one; 1 value needs both."""
    assert battery.decode(b"", ENCODING, 0) == []
    header = bytes.fromhex("8001040000")
    battery.check_rejects(header, ENCODING, 0, "TRUNCATED")
    battery.check_rejects(b"", ENCODING, 1, "TRUNCATED")
    stale = bytes.fromhex("8001040000800104000a")
    battery.check_decodes(strategies.Page(ENCODING, "binary", stale, []))


def test_repeats_by_prefix_alone():
    """A suffix may be empty, and a prefix the whole value before."""
    data = page_of([0, 4, 4, 2, 0], [4, 0, 1, 0, 0], b"axisX")
    values = [b"axis", b"axis", b"axisX", b"ax", b""]
    battery.check_decodes(strategies.Page(ENCODING, "binary", data, values))


@pytest.mark.parametrize("prefix", [1, 3, 2**31 - 1])
def test_first_prefix_is_zero(prefix):
    """D1, D2, D3: no value comes before the first of a page; the error names the old writers that thought so."""
    error = battery.check_rejects(page_of([prefix], [3], b"abc"), ENCODING, 1, "FIRST_PREFIX")
    assert "PARQUET-246" in str(error)
    assert error.index == 0


@pytest.mark.parametrize("prefix", [5, 100, 2**31 - 1])
def test_prefix_longer_than_the_value_before(prefix):
    """D4, D5, D14: a prefix is within the value before, not within any earlier one."""
    assert battery.check_rejects(page_of([0, prefix], [4, 1], b"axisX"), ENCODING, 2, "PREFIX").index == 1
    assert battery.check_rejects(page_of([0, 1, prefix], [9, 0, 1], b"axisaxisX"), ENCODING, 3, "PREFIX").index == 2


@pytest.mark.parametrize("prefix", [-1, -4, -(2**31)])
def test_negative_prefixes(prefix):
    """D4, D5: a negative prefix is refused, though a longer suffix makes up for it."""
    error = battery.check_rejects(page_of([0, prefix], [4, 9], b"axis" + b"x" * 9), ENCODING, 2, "PREFIX")
    assert error.index == 1


@pytest.mark.parametrize(
    ("prefix_lengths", "suffix_lengths"),
    [([0, 2], [4, -1]), ([0, 4], [4, -4]), ([0, 4096], [4096, -4096]), ([0, 4096, 0], [4096, -4000, 4000])],
)
def test_negative_suffixes(prefix_lengths, suffix_lengths):
    """C1, D13: a suffix that cancels its prefix, or another suffix, is still negative."""
    data = page_of(prefix_lengths, suffix_lengths, b"Q" * 4096)
    assert battery.check_rejects(data, ENCODING, len(prefix_lengths), "NEGATIVE_LENGTH").index == 1


@pytest.mark.parametrize(
    ("prefix_lengths", "suffix_lengths"),
    [([0, 2], [4, 2]), ([0, 2], [4, 2**31 - 1]), ([0] * 5, [2**30] * 4 + [5]), ([0, 4], [4, 2**31 - 2])],
)
def test_suffixes_beyond_the_bytes(prefix_lengths, suffix_lengths):
    """D6, D13: suffixes are added in 64 bits and may not take more bytes than there are."""
    data = page_of(prefix_lengths, suffix_lengths, b"axisX")
    battery.check_rejects(data, ENCODING, len(prefix_lengths), "TRUNCATED")


@pytest.mark.parametrize("counts", [(3, 2), (2, 3), (0, 1), (1, 0)])
def test_counts_that_differ(counts):
    """D15: as many suffixes as prefixes, or the page is refused whichever of them was expected."""
    prefixes, suffixes = counts
    data = page_of([0] * prefixes, [1] * suffixes, b"abc")
    for expected in counts:
        battery.check_rejects(data, ENCODING, expected, "COUNT_MISMATCH")


@pytest.mark.parametrize("expected", [0, 3, 5, 2**31 - 1])
def test_another_count_than_expected(expected):
    """A15, D8: one value more or fewer is another page."""
    battery.check_rejects(naive.encode([b"a"] * 4, ENCODING), ENCODING, expected, "COUNT_MISMATCH")


def test_suffix_stream_is_missing():
    """D14: prefixes alone are no page."""
    battery.check_rejects(naive.encode_delta_binary_packed([0, 0], 32), ENCODING, 2, "TRUNCATED")


@pytest.mark.parametrize("geometry", [(0, 4), (128, 0), (136, 4), (128, 3), (2**31, 4)])
@pytest.mark.parametrize("stream", ["prefix", "suffix"])
def test_illegal_geometry_in_either_stream(geometry, stream):
    """A17: both streams have a header, and both are checked."""
    fields = b"".join(map(naive.encode_uleb128, (*geometry, 2, 0, 0)))
    bad, good = fields + bytes(4), naive.encode_delta_binary_packed([0, 0], 32)
    battery.check_rejects(bad + good if stream == "prefix" else good + bad, ENCODING, 2, "BAD_HEADER")


def test_max_data_size():
    """D23, F8: the limit is on the values, which a few bytes of page can make many; it is exact."""
    data = page_of([0] + [1000] * 999, [1000] + [0] * 999, b"B" * 1000)
    assert battery.decode(data, ENCODING, 1000, max_data_size=1_000_000) == [b"B" * 1000] * 1000
    for limit in (0, 999, 1000, 999_999):
        battery.check_rejects(data, ENCODING, 1000, "LIMIT", max_data_size=limit)


# --- Values of one length --------------------------------------------------------------------------------------------


@given(st.data())
def test_any_values_of_one_length(data):
    """D18: the page is that of any other values, with all the lengths."""
    length = data.draw(st.integers(1, 40))
    columns = strategies.fixed_length_columns(length)
    column = data.draw(columns | strategies.with_nulls(columns))
    battery.check_encodes(column, ENCODING, length)
    assert cc.encode(column, ENCODING, type_length=length).data.tobytes() == cc.encode(column, ENCODING).data.tobytes()


@pytest.mark.parametrize("wrong", [b"", b"abc", b"abcde", b"abcd" * 20])
@pytest.mark.parametrize("index", [0, 1, 200, 299])
def test_every_value_has_the_length(wrong, index):
    """D18: one value that is shorter or longer is found, wherever it stands, at its suffix."""
    values = [b"%04d" % (7 * i) for i in range(300)]
    values[index] = wrong
    error = battery.check_rejects(naive.encode(values, ENCODING), ENCODING, 300, "FIXED_LENGTH", 4)
    assert error.index == index
    assert f"{len(wrong)} bytes, 4 expected" in str(error)
    assert battery.decode(naive.encode(values, ENCODING), ENCODING, 300) == values
    data_start = len(naive.encode(values, ENCODING)) - sum(len(suffix) for suffix in suffixes_of(values))
    assert error.position == data_start + sum(len(suffix) for suffix in suffixes_of(values)[:index])


def suffixes_of(values):
    """List what is left of values behind the prefixes that they share with the value before."""
    pairs = zip([b"", *values], values, strict=False)
    return [value[naive.common_prefix(before, value) :] for before, value in pairs]


def test_another_length_than_all_values_have():
    """D18, F10: the length of a schema that does not fit the page is not believed."""
    data = naive.encode([b"aaaa", b"aaab", b"zzzz"], ENCODING)
    for length in (1, 3, 5, 2**31 - 1):
        assert battery.check_rejects(data, ENCODING, 3, "FIXED_LENGTH", length).index == 0


def test_lengths_that_cancel_each_other():
    """A long value does not make up for a short one, nor a sum that leaves 32 bits for a length."""
    data = page_of([0, 1, 2], [3, 1, 2], b"aaabbb")
    assert battery.check_rejects(data, ENCODING, 3, "FIXED_LENGTH", 3).index == 1
    data = page_of([0, 4, 0], [4, 2**31 - 1, 4], b"aaaabbbb")
    battery.check_rejects(data, ENCODING, 3, "TRUNCATED", 4)
