"""The least and the greatest of values, and what is left of them once they are cut, against plain Python."""

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import colcodec as cc
from colcodec._kernels.prefix import find_prefixes
from colcodec.parquet.statistics import MAX_SIZE, cut_greatest, cut_least, find_boundary_order, find_extremes
from colcodec.parquet.structs import BoundaryOrder

HARD = {
    "one": [b"axis"],
    "one empty": [b""],
    "all empty": [b""] * 3,
    "empty and not": [b"", b"\0", b""],
    "NULs at the end": [b"a\0\0", b"a", b"a\0", b"a\0\0\0\0\0\0\0\0", b"a\0\0\0"],
    "NULs at the beginning": [b"\0\0", b"\0", b"\0\0\0\0\0\0\0\0\0", b"\0" * 40],
    "not signed": [b"\x7f", b"\x80", b"\xff", b"\0"],
    "ends of the data": [b"ab", b"aa", b"a"],
    "less than a word": [b"b", b"", b"a"],
    "same": [b"0123456789abcdef"] * 5,
    "common": [b"https://www.example.org/" + bytes([i * 7 % 26 + 97]) for i in range(26)],
    "proper prefixes": [b"a" * i for i in range(100)][::-1],
    "differ in byte 64": [b"x" * 63 + b"b", b"x" * 63 + b"a", b"x" * 63 + b"c"],
    "differ in byte 65": [b"x" * 64 + b"b", b"x" * 64 + b"a", b"x" * 64 + b"c"],
    "64 and more": [b"x" * 64, b"x" * 65, b"x" * 64 + b"\0"],
    "63 to 66": [b"x" * 66, b"x" * 63, b"x" * 65, b"x" * 64],
    "FFs": [b"\xff" * i for i in (3, 64, 65, 66, 200)],
    "two kinds": [b"a", b"b" + b"c" * 60] * 40,
    "differ in each word": [b"a" * 8 * i + b"b" for i in range(9)] + [b"a" * 8 * i + b"0" for i in range(9)],
}


def extremes(values):
    """Find the extremes of values, which follow something else in their array."""
    strings = cc.column([b"before!", *values])[1:]
    offsets, data = strings._present()
    prefix_lengths = np.empty(len(strings), np.int32)
    find_prefixes(offsets, data, prefix_lengths)
    prefix_lengths[0] = 99
    return find_extremes(offsets, data, prefix_lengths)


def check(values):
    """Hold extremes against those of plain Python: the same as far as they are kept, and as to whether more follows."""
    for found, expected in zip(extremes(values), (min(values), max(values)), strict=True):
        assert found[:MAX_SIZE] == expected[:MAX_SIZE]
        assert (len(found) > MAX_SIZE) == (len(expected) > MAX_SIZE)
        assert len(found) <= MAX_SIZE + 1


@pytest.mark.parametrize("values", HARD.values(), ids=HARD.keys())
def test_extremes_of_hard_columns(values):
    """Each way round."""
    check(values)
    check(values[::-1])
    check(sorted(values))


@given(st.lists(strategies.byte_strings(), min_size=1, max_size=40), strategies.byte_strings())
def test_extremes_of_any_column(values, common):
    """With and without something that all have in common."""
    check(values)
    check([common + value for value in values])


@given(strategies.chained_columns().filter(bool))
def test_extremes_of_values_that_share(values):
    """Where each begins like the one before."""
    check(values)


@given(st.lists(st.binary(max_size=3).map(lambda value: value.replace(b"1", b"\0")), min_size=1))
def test_extremes_of_short_values(values):
    """Where there is less than a word of data in all."""
    check(values)


# --- Cut --------------------------------------------------------------------------------------------------------------


def longer(values):
    """Stretch drawn values beyond what is kept."""
    return st.builds(lambda value, times: value * times, values, st.integers(1, 40))


LAST = chr(0x10FFFF)
texts = longer(
    st.text(st.sampled_from(["a", "\x7f", "é", "\ud7ff", "\ue000", "日", "\uffff", "🎈", LAST, "\0"]), max_size=9)
)
binaries = longer(st.binary(max_size=9) | st.binary(max_size=3).map(lambda start: start + b"\xff" * 90))


@given(binaries)
def test_bytes_are_cut(value):
    """The least is a beginning; the greatest the next number of as many bytes."""
    assert cut_least(value, utf8=False) == value[:MAX_SIZE]
    greatest = cut_greatest(value, utf8=False)
    if len(value) <= MAX_SIZE:
        assert greatest == value
    elif value[:MAX_SIZE] == b"\xff" * MAX_SIZE:
        assert greatest is None
    else:
        kept = value[:MAX_SIZE].rstrip(b"\xff")
        assert greatest == (int.from_bytes(kept, "big") + 1).to_bytes(len(kept), "big")
        assert greatest > value


@given(texts)
def test_text_is_cut(text):
    """Likewise, and it stays text."""
    value = text.encode()
    least, greatest = cut_least(value, utf8=True), cut_greatest(value, utf8=True)
    if len(value) <= MAX_SIZE:
        assert (least, greatest) == (value, value)
        return
    assert text.startswith(least.decode())
    assert MAX_SIZE - 3 <= len(least) <= MAX_SIZE
    if set(least.decode()) == {LAST}:
        assert greatest is None
    else:
        greatest.decode()
        assert greatest > value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a" * 65, "a" * 63 + "b"),
        ("a" * 64, "a" * 64),
        ("a" * 63 + "é", "a" * 62 + "b"),
        ("é" * 33, "é" * 31 + "ê"),
        ("a" + "é" * 33, "a" + "é" * 30 + "ê"),
        ("a" * 61 + "\ud7ff" + "b", "a" * 61 + "\ue000"),
        ("a" * 60 + LAST + "b", "a" * 59 + "b"),
        ("a" * 63 + "\x7fb", "a" * 63 + "\x80"),
        (LAST * 17, None),
    ],
)
def test_the_greatest_text(text, expected):
    """By hand: the last character goes up, over the surrogates, or gives way to the one before."""
    assert cut_greatest(text.encode(), utf8=True) == (None if expected is None else expected.encode())


@pytest.mark.parametrize(
    ("least", "greatest", "expected"),
    [
        ([], [], BoundaryOrder.ASCENDING),
        ([3], [4], BoundaryOrder.ASCENDING),
        ([1, 1, 2], [5, 5, 5], BoundaryOrder.ASCENDING),
        ([2, 1, 1], [5, 4, 4], BoundaryOrder.DESCENDING),
        ([1, 2], [5, 4], BoundaryOrder.UNORDERED),
        ([2, 1], [4, 5], BoundaryOrder.UNORDERED),
        ([b"a", b"b", b"a"], [b"c", b"c", b"c"], BoundaryOrder.UNORDERED),
        ([-1, 2], [-1, 2], BoundaryOrder.ASCENDING),
    ],
)
def test_boundary_order(least, greatest, expected):
    """Both the least and the greatest must be sorted, in the same way."""
    assert find_boundary_order(least, greatest) is expected
