"""Slots of fixed width: against Python's own codecs, on both ways, with nothing written beside the arrays."""

import numpy as np
import pytest
from framed import as_column, as_values, framed, frozen, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels import transcode

# Few characters, so that NULs stand at every place; of each UTF-8 width and its edges. Many slots are all ASCII.
ASCII = st.text(st.sampled_from("ab\0\x7f"), max_size=40)
TEXTS = ASCII | st.text(st.sampled_from("a\0\x7f\x80é߿ࠀ€\ud7ff\ue000￿𐀀🪓\U0010ffff"), max_size=40)
BYTES = st.lists(st.sampled_from([b"a", b"\0", b"\xff", b"x" * 9, bytes(9)]), max_size=8).map(b"".join)
MORE = st.sampled_from([0, 1, 20])  # elements that a slot is wider than need be
BEHIND = "value" * 20  # with it behind them, the values before it go the quick way


def slots_of(values, width, dtype):
    """Give the values in slots, end to end."""
    return frozen([unit for value in values for unit in [*value, *[0] * (width - len(value))]], dtype)


def points_of(values):
    """List the code points of each text."""
    return [[ord(point) for point in value] for value in values]


def width_of(values, more):
    """Give a width that is enough."""
    return max(map(len, values), default=0) + more


# --- To a column -----------------------------------------------------------------------------------------------------


def check_encode_text(values, width):
    """Check a column of slots of text."""
    points = slots_of(points_of(values), width, np.uint32)
    with framed(len(values) + 1, np.int64) as offsets, framed(4 * points.size + transcode.SLACK) as data:
        assert transcode.encode_text(points, width, offsets, data) == -1
        assert as_values(offsets, data) == [value.rstrip("\0").encode() for value in values]


@given(st.lists(TEXTS, max_size=8), MORE)
def test_encode_text(values, more):
    """Any width and any character; NULs at the end are dropped, and no others."""
    check_encode_text(values, width_of(values, more))


@pytest.mark.parametrize("width", [0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 48])
@pytest.mark.parametrize("character", ["a", "é", "€", "🪓"])
def test_encode_text_of_each_length(width, character):
    """Every length, in order and in reverse order, so that what is written behind one is written again."""
    values = [character * length for length in range(width + 1)]
    check_encode_text(values + values[::-1], width)
    check_encode_text(["a" * length + character for length in range(width)], width)


@pytest.mark.parametrize("point", [0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF])
def test_encode_text_finds_what_is_no_text(point):
    """The first value that holds such a code point, whichever way it goes."""
    for width in (1, 5, 20):
        for bad in range(8):
            values = [[0x61] * min(i, width) for i in range(8)]
            values[bad] = [0x20AC] * (width - 1) + [point]
            points = slots_of([*values, [point] * width], width, np.uint32)
            with framed(10, np.int64) as offsets, framed(4 * points.size + transcode.SLACK) as data:
                assert transcode.encode_text(points, width, offsets, data) == bad


@given(st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 0x120000), max_size=60), st.integers(1, 20))
def test_encode_text_of_any_numbers(numbers, width):
    """The ways agree, and write nothing beside the arrays."""
    rows = len(numbers) // width
    points = frozen(numbers[: rows * width], np.uint32)
    texts = [bytes(points[i * width : (i + 1) * width].data) for i in range(rows)]
    with framed(rows + 1, np.int64) as offsets, framed(4 * points.size + transcode.SLACK) as data:
        bad = transcode.encode_text(points, width, offsets, data)
        good = rows if bad < 0 else bad
        expected = [text.decode("utf-32-le").rstrip("\0").encode() for text in texts[:good]]
        assert as_values(offsets[: good + 1], data) == expected
        if bad >= 0:
            with pytest.raises(UnicodeDecodeError):
                texts[bad].decode("utf-32-le")


def check_trim_slots(values, width):
    """Check a column of slots of bytes."""
    slots = slots_of(values, width, np.uint8)
    with framed(len(values) + 1, np.int64) as offsets, framed(slots.size + transcode.SLACK) as data:
        transcode.trim_slots(slots, width, offsets, data)
        assert as_values(offsets, data) == [value.rstrip(b"\0") for value in values]


@given(st.lists(BYTES, max_size=8), MORE)
def test_trim_slots(values, more):
    """Any width; NULs at the end are dropped, and no others."""
    check_trim_slots(values, width_of(values, more))


@pytest.mark.parametrize("width", [0, 1, 7, 31, 32, 33, 63, 64, 65, 100])
def test_trim_slots_of_each_length(width):
    """Every length, in order and in reverse order."""
    values = [b"\xff" * length for length in range(width + 1)]
    check_trim_slots(values + values[::-1], width)


# --- From a column ---------------------------------------------------------------------------------------------------


@given(st.lists(TEXTS | st.just("🪓" * 70), max_size=8), st.integers(0, 3))
def test_what_a_slot_has_to_hold(values, shift):
    """The most code points and the most bytes, and the first NUL that would be lost."""
    encoded = [value.encode() for value in values]
    offsets, data = as_column(encoded, shift)
    assert transcode.most_points(offsets, data) == max(map(len, values), default=0)
    assert transcode.most_bytes(offsets) == max(map(len, encoded), default=0)
    expected = next((i for i, value in enumerate(values) if value.endswith("\0")), -1)
    assert transcode.find_final_nul(offsets, data) == expected


def check_decode_text(values, width):
    """Check slots of text."""
    offsets, data = as_column([value.encode() for value in values], shift=2)
    with framed(len(values) * width, np.uint32) as out:
        assert transcode.decode_text(offsets, data, width, out) == -1
        assert out.tolist() == slots_of(points_of(values), width, np.uint32).tolist()


@given(st.lists(TEXTS, max_size=8), MORE, st.sampled_from([[], [BEHIND], [BEHIND, ""], ["€" * 30, *[""] * 30]]))
def test_decode_text(values, more, behind):
    """Any width and any character, with and without values behind them; zeros up to the end of a slot."""
    values = values + behind
    check_decode_text(values, width_of(values, more))


@pytest.mark.parametrize("width", [1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100])
@pytest.mark.parametrize("character", ["a", "é", "€", "🪓"])
def test_decode_text_of_each_length(width, character):
    """Every length, in order and in reverse order."""
    values = [character * length for length in range(width + 1)]
    check_decode_text([*values, *values[::-1], *["x" * width] * 80], width)
    check_decode_text([*("a" * length + character for length in range(width)), *["x" * width] * 80], width)


@pytest.mark.parametrize("behind", [[], [BEHIND]])
@pytest.mark.parametrize("value", ["a" * 21, "é" * 21, "a" * 20 + "€", "🪓" * 64 + "a"])
def test_decode_text_stops_at_what_has_become_too_long(behind, value):
    """Another thread may have written to the column since the width was found; the slots are as wide as they are."""
    offsets, data = as_column([item.encode() for item in ["a" * 20, value, *behind]])
    width = min(len(value) - 1, 20)
    with framed((len(offsets) - 1) * width, np.uint32) as out:
        assert transcode.decode_text(offsets, data, width, out) == 1
        assert untouched(out[4 * width :])


@given(st.lists(st.binary(max_size=80), min_size=1, max_size=8), st.integers(0, 90), st.booleans())
def test_decode_text_of_anything(values, width, is_quick):
    """Bytes that have become no text end up as anything, within the slots."""
    offsets, data = as_column([*values, b"a" * 80 * is_quick])
    with framed((len(values) + 1) * width, np.uint32) as out:
        bad = transcode.decode_text(offsets, data, width, out)
        assert -1 <= bad <= len(values)
        assert (bad == -1) or len(values[bad] if bad < len(values) else b"a" * 80) > width


def check_fill_slots(values, width):
    """Check slots of bytes."""
    offsets, data = as_column(values, shift=2)
    with framed(len(values) * width) as out:
        assert transcode.fill_slots(offsets, data, width, out) == -1
        assert out.tobytes() == b"".join(value.ljust(width, b"\0") for value in values)


@given(st.lists(BYTES, max_size=8), MORE, st.sampled_from([[], [BEHIND.encode()], [b"a" * 32, *[b""] * 30]]))
def test_fill_slots(values, more, behind):
    """Any width; zeros up to the end of a slot."""
    values = values + behind
    check_fill_slots(values, width_of(values, more))


@pytest.mark.parametrize("width", [0, 1, 7, 31, 32, 33, 63, 64, 65, 100])
def test_fill_slots_of_each_length(width):
    """Every length, in order and in reverse order."""
    values = [b"\xff" * length for length in range(width + 1)]
    check_fill_slots(values + values[::-1], width)


def decode_text(*args):
    with framed(40, np.uint32) as out:
        return transcode.decode_text(*args, 10, out)


def fill_slots(*args):
    with framed(40) as out:
        return transcode.fill_slots(*args, 10, out)


@pytest.mark.parametrize("make", [decode_text, fill_slots])
@pytest.mark.parametrize(
    "offsets", [[0, 3, -1, 5, 9], [0, 3, 2, 5, 9], [0, 3, 201, 9, 9], [0, 3, 2**63 - 1, -(2**63), 0]]
)
def test_slots_stop_at_offsets_that_have_become_wrong(make, offsets):
    """Those that leave the data, or decrease."""
    assert make(frozen(offsets, np.int64), frozen(b"a" * 200)) == 1


def test_fill_slots_stops_at_what_has_become_too_long():
    """A slot is as wide as it is."""
    assert fill_slots(*as_column([b"a" * 10, b"b" * 11, b"c"])) == 1
