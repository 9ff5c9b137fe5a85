"""Python objects in and out of kernels: values, kinds, faults, and that no reference is lost, kept or given twice."""

import enum
import gc
import sys
import tracemalloc

import numpy as np
import pytest
from framed import as_values, framed, frozen, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels import objects
from colcodec._kernels.address import COPY_CALL
from colcodec._kernels.objects import (
    AHEAD,
    BYTES,
    NONE,
    POINTS,
    TEXT,
    make_objects,
    place_of,
    read_objects,
)

NA = object()
KNOWN = frozen([*map(id, (str, bytes, float, np.float64, None, NA))], np.int64)

TEXTS = st.text(st.sampled_from("a\0é\x7f\x80߿ࠀ￿𐀀\U0010ffff"), max_size=40)
MANY = 3 * AHEAD
ROUNDS = 200


class Name(str):
    __slots__ = ()


class Color(enum.StrEnum):
    RED = "rot"


class Key(bytes):
    __slots__ = ()


def as_array(values, step=1):
    """Give an array of these objects, `step` slots apart."""
    spread = np.empty(max(len(values) * abs(step), 1), object)
    array = spread[:: abs(step)][: len(values)][:: 1 if step > 0 else -1]
    for i, value in enumerate(values):
        array[i] = value
    return array


def read(values, room=1 << 12, kind=NONE, start=0, masked=(), num_values=None):
    """Read objects; give where the kernel stopped and why, the kind, and what has been read."""
    num_values = len(values) if num_values is None else num_values
    is_valid = np.array([i not in masked for i in range(num_values)], np.bool_)
    with framed(num_values + 1, np.int64) as offsets, framed(room) as data:
        offsets[start] = 0
        index, kind, size = read_objects(*place_of(values), start, KNOWN, kind, is_valid, offsets, data)
        assert untouched(data[offsets[index] :])
        found = as_values(offsets[start : index + 1], data)
    return index, size, kind, [part if valid else None for part, valid in zip(found, is_valid[start:], strict=False)]


def make(values, utf8=True, target=None, start=0, is_valid=None):
    """Make objects of byte strings, in a list unless a target is given; give it, and where the kernel stopped."""
    offsets = frozen(np.cumsum([3, *map(len, values)]), np.int64)
    data = frozen(b"xyz" + b"".join(values))
    target = [None] * len(values) if target is None else target
    valid = frozen([True] * len(values) if is_valid is None else is_valid, np.bool_)
    with framed(POINTS, np.uint32) as points:
        return target, make_objects(offsets, data, valid, utf8, points, start, *place_of(target))


@pytest.mark.parametrize(
    ("owner", "name", "value"),
    [(objects, "TYPE_OFFSET", 0), (objects, "TEXT_OFFSET", 0), (sys, "_is_gil_enabled", lambda: False)],
)
def test_this_python_is_known_and_others_are_not(monkeypatch, owner, name, value):
    """One with other layouts, or without a GIL."""
    assert objects.IS_KNOWN_PYTHON
    monkeypatch.setattr(owner, name, value, raising=False)
    assert not objects._is_known_python()


# --- Objects to a column ---------------------------------------------------------------------------------------------


@given(st.lists(TEXTS | st.none(), max_size=MANY), st.sampled_from([0, 1, 2, -1, -3]))
def test_texts_are_read(values, step):
    """From lists, and from arrays in any stride."""
    expected = [None if value is None else value.encode() for value in values]
    index, size, kind, found = read(as_array(values, step) if step else values)
    assert (index, size, found) == (len(values), 0, expected)
    assert kind == (TEXT if any(value is not None for value in values) else NONE)


@given(st.lists(st.binary(max_size=40) | st.none(), max_size=MANY), st.sampled_from([0, 1, -2]))
def test_byte_strings_are_read(values, step):
    """The same."""
    index, size, kind, found = read(as_array(values, step) if step else values)
    assert (index, size, found) == (len(values), 0, values)
    assert kind == (BYTES if any(value is not None for value in values) else NONE)


@pytest.mark.parametrize("size", [0, 1, 16, 17, COPY_CALL - 1, COPY_CALL, 4000])
def test_any_size(size):
    """Of text that is ASCII, of text that is not, and of bytes."""
    for value in ("x" * size, "é" * size, b"\xff" * size):
        encoded = value.encode() if isinstance(value, str) else value
        assert read([value], room=len(encoded))[3] == [encoded]


@pytest.mark.parametrize("values", [["a", Name("b"), np.str_("é"), Color.RED], [Key(b"a"), np.bytes_(b"b\0"), b"c"]])
def test_subclasses_are_what_they_hold(values):
    """Among others, and first."""
    expected = [str.encode(value) if isinstance(value, str) else bytes(value) for value in values]
    assert read(values)[3] == expected
    assert read(values[::-1])[3] == expected[::-1]


@pytest.mark.parametrize("null", [None, NA, float("nan"), -float("nan"), np.float64("nan")])
def test_nulls(null):
    """By what they are, or as a float that is no number; they are of no kind."""
    assert read([null, "a", null]) == (3, 0, TEXT, [None, b"a", None])
    assert read(as_array([null, null])) == (2, 0, NONE, [None, None])


def test_empty_slots_are_none():
    """NumPy takes a null pointer for None."""
    slots = np.zeros(3, np.int64)
    is_valid = np.ones(3, np.bool_)
    offsets = np.zeros(4, np.int64)
    stopped = read_objects(slots.ctypes.data, 8, 0, KNOWN, NONE, is_valid, offsets, np.empty(0, np.uint8))
    assert tuple(stopped) == (3, NONE, 0)
    assert not is_valid.any()


def test_what_is_masked_is_not_looked_at():
    """Whatever it is."""
    for values in (["a", 5, "\ud800", b"b", "c"], as_array(["a", (), "\ud800", b"b", "c"])):
        assert read(values, masked=(1, 2, 3)) == (5, 0, TEXT, [b"a", None, None, None, b"c"])


@pytest.mark.parametrize(
    "other", [5, 1.5, b"b", bytearray(b"b"), object(), np.float64(1.5), np.float32("nan"), "\ud800", "é\udfff"]
)
def test_other_values_stop_it(other):
    """At their index and without an exception; those behind can still be read."""
    values = ["a", None, other, "c"]
    for source in (values, as_array(values)):
        assert read(source) == (2, 0, TEXT, [b"a", None])
        assert read(source, start=3) == (4, 0, TEXT, [b"c"])
    assert read([b"a", "b"]) == (1, 0, BYTES, [b"a"])
    assert read(["a"], kind=BYTES) == (0, 0, BYTES, [])


@pytest.mark.parametrize("values", [["abc", "é", "12345", "x"], [b"abc", b"ab", b"12345", b"x"]])
def test_it_stops_where_the_room_ends(values):
    """With the size that is wanted, and goes on from there."""
    kind = TEXT if isinstance(values[0], str) else BYTES
    assert read(values, room=9)[:3] == (2, 5, kind)
    assert read(values, room=11)[:3] == (4, 0, kind)
    assert read(values, room=6, start=2)[3] == [b"12345", b"x"]
    assert read(values, room=0)[:2] == (0, 3)


def test_a_list_that_has_become_shorter():
    """Is not read at all; one that has become longer is read as far as it was."""
    assert read(["a", "b"], num_values=3) == (0, 0, NONE, [])
    assert read(["a", "b"], num_values=3, start=1) == (1, 0, NONE, [])
    assert read([], num_values=1) == (0, 0, NONE, [])
    assert read(["a", "b"], num_values=1) == (1, 0, TEXT, [b"a"])


# --- A column to objects ---------------------------------------------------------------------------------------------


@given(st.lists(TEXTS, max_size=MANY))
def test_texts_are_made(values):
    """Into lists and into arrays, as texts and as bytes."""
    encoded = [value.encode() for value in values]
    assert make(encoded) == (values, len(values))
    assert make(encoded, utf8=False) == (encoded, len(values))
    array, stop = make(encoded, target=as_array([None] * len(values), 2))
    assert (array.tolist(), stop) == (values, len(values))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, COPY_CALL - 1, COPY_CALL, COPY_CALL + 1])
def test_a_character_that_is_not_ascii_anywhere(size):
    """Of each size, at each place, as the first byte and behind others, and with bytes enough behind it or not."""
    text = "x" * size
    places = range(size + 1) if size < 40 else (0, 1, size // 2, size)
    values = [text, *(text[:i] + character + text[i:] for i in places for character in "é€𐀀")]
    found, _ = make([value.encode() for value in values])
    assert found == values
    assert [value.isascii() for value in found] == [value.isascii() for value in values]


def test_texts_are_as_python_makes_them():
    """In size, in hash, in their UTF-8, and those that Python shares are shared."""
    text = "some ascii text"
    (found, character, nothing), _ = make([text.encode(), b"a", b""])
    assert sys.getsizeof(found) == sys.getsizeof(text)
    assert {found: 1}[text] == 1
    assert found.encode() == text.encode()
    assert (found + "é")[:-1] == text
    assert character is chr(97)
    assert nothing is text[:0]


@pytest.mark.parametrize("bad", [b"\xff", b"ab\xff", b"\xc3", b"a" * 20 + b"\xed\xa0\x80", b"x" * 300 + b"\x80"])
def test_it_stops_at_what_is_no_utf8(bad):
    """Without an exception; what is left is left alone."""
    for target in ([0] * 3, as_array([0] * 3)):
        found, stop = make([b"a", bad, b"c"], target=target)
        assert stop == 1
        assert list(found) == ["a", 0, 0]
        found, stop = make([b"a", bad, b"c"], target=target, start=2)
        assert stop == 3
        assert list(found) == ["a", 0, "c"]
    assert make([bad], utf8=False) == ([bad], 1)


def test_nulls_are_left_alone():
    """Whatever they hold, and whatever is in their place."""
    for target in (["fill"] * 4, as_array(["fill"] * 4)):
        found, stop = make([b"\xff", b"b", b"cc", b"\xff"], target=target, is_valid=[False, True, True, False])
        assert stop == 4
        assert list(found) == ["fill", "b", "cc", "fill"]


@pytest.mark.parametrize(
    "pair", [(-1, 2), (2, 1), (0, 4), (4, 4), (-(2**63), 2**63 - 1), (2**63 - 1, -(2**63)), (5, 9)]
)
def test_offsets_are_not_believed(pair):
    """Whatever numbers they are, nothing outside of the data is read."""
    for utf8 in (True, False):
        target = [None]
        where = frozen(pair, np.int64), frozen(b"abc"), frozen([True], np.bool_)
        stop = make_objects(*where, utf8, np.empty(POINTS, np.uint32), 0, *place_of(target))
        assert (stop, target) == (0, [None])


# --- References ------------------------------------------------------------------------------------------------------


def counts_of(objects):
    gc.collect()  # or what other tests have left behind would be let go between two counts
    return [sys.getrefcount(value) for value in objects]


@pytest.mark.parametrize("container", [list, as_array])
def test_reading_keeps_no_reference(container):
    """To values, nulls, types, or what it stopped at."""
    values = [Name(f"value {i}") for i in range(5)] + [NA, Key(b"x"), "\ud800" * 2, float("nan"), object()]
    source = container(values)
    watched, shared = [*values, source], [str, bytes, float, None]
    read(source)  # so that everything is compiled
    before, shared_before = counts_of(watched), counts_of(shared)
    for _ in range(ROUNDS):
        for start in range(5, 10):
            read(source, start=start)
        read(source)
        read(source, room=3)
    assert counts_of(watched) == before
    assert max(np.abs(np.subtract(counts_of(shared), shared_before))) < ROUNDS  # others use them too


@pytest.mark.parametrize("container", [list, as_array])
def test_made_objects_belong_to_their_container_alone(container):
    """And what was in their place is let go, once."""
    old = object()
    texts = [f"text number {i}" for i in range(3)]
    before = sys.getrefcount(old), *counts_of(container(texts))
    found, _ = make([text.encode() for text in texts], target=container([old] * 3))
    assert (sys.getrefcount(old), *counts_of(found)) == (before[0], *np.subtract(before[1:], 1))


def memory_of_kernels():
    """Tell how many bytes are held of what kernels, and this module, have taken: other threads take some as well."""
    gc.collect()
    where = [tracemalloc.Filter(True, pattern) for pattern in (__file__, "*/colcodec/_kernels/*")]
    return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces(where).traces)


def test_no_memory_is_lost():
    """Over many rounds of values that are made, of values that fail, and of values that are read."""
    values = [b"ascii text", "é".encode(), b"looks like ascii, \xc3\xa9", b"\xff", b"ascii, then \xff", b"", b"x"]
    texts = ["ascii text", "\ud800", b"x", 5, None] * 3

    def rounds(count):
        for _ in range(count):
            for utf8 in (True, False):
                for start in range(len(values)):
                    make(values, utf8=utf8, start=start)
                    make(values, utf8=utf8, start=start, target=as_array([None] * len(values)))
            for start in range(len(texts)):
                read(texts, start=start)

    growths = []
    tracemalloc.start()
    try:
        for count in (ROUNDS // 4, ROUNDS, ROUNDS, ROUNDS):
            before = memory_of_kernels()
            rounds(count)
            growths.append(memory_of_kernels() - before)
    finally:
        tracemalloc.stop()
    assert min(growths[1:]) < ROUNDS * 33  # as much as the smallest object, lost once in each round
