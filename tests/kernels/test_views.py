"""Arrow's views: offsets and bytes against plain Python, and nothing read that no buffer has."""

import struct

import numpy as np
import pytest
from framed import framed, frozen, untouched
from hypothesis import given
from hypothesis import strategies as st
from strategies import byte_columns

from colcodec._kernels.views import MAX_INLINE, copy_value, copy_views, find_view_offsets

LONGEST = 1000
lengths = st.integers(0, 100) | st.sampled_from([11, 12, 13, 31, 32, 33, 63, 64, 65, 255, 256, 257, 700])


def make_view(value, buffers, k):
    """Make the view of a value, and put what it does not hold into one of the buffers."""
    if len(value) <= MAX_INLINE:
        return struct.pack("<i12s", len(value), value)
    number = k % len(buffers)
    place = len(buffers[number])
    buffers[number] += value
    return struct.pack("<i4sii", len(value), value[:4], number, place)


def make_views(column, num_buffers=3, garbage=b"\xff" * 16):
    """Make views of a column, of whose nulls nothing is known, and the buffers."""
    buffers = [bytearray(b"xy"[:k]) for k in range(num_buffers)]
    views = [garbage if value is None else make_view(value, buffers, k) for k, value in enumerate(column)]
    return frozen(b"".join(views)), [frozen(bytes(buffer)) for buffer in buffers]


def as_bitmap(column, first_bit):
    """Pack which values are present, behind some other bits."""
    present = [*[True, False] * 4][:first_bit] + [value is not None for value in column]
    return frozen(np.packbits(np.array(present, bool), bitorder="little"))


def tables(buffers):
    """Give the addresses and the sizes of buffers."""
    return frozen([buffer.ctypes.data for buffer in buffers], np.int64), frozen([b.size for b in buffers], np.int64)


def copy(views, buffers, offsets):
    """Copy the values into an array that has just as many bytes; give the result and the bytes."""
    with framed(offsets[-1]) as data:
        return copy_views(views, frozen(offsets, np.int64), *tables(buffers), data), data.tobytes()


@given(byte_columns(), st.integers(0, 7), st.integers(1, 4))
def test_columns(column, first_bit, num_buffers):
    """With nulls and without, inline and in several buffers; the last value ends where its buffer does."""
    views, buffers = make_views(column, num_buffers)
    validity = as_bitmap(column, first_bit) if None in column else frozen(b"")
    expected = np.cumsum([0, *[len(value or b"") for value in column]])
    with framed(len(column) + 1, np.int64) as offsets:
        offsets[0] = 0
        assert find_view_offsets(views, validity, first_bit, LONGEST, offsets) >= 0
        assert offsets.tolist() == expected.tolist()
    assert copy(views, buffers, expected) == (-1, b"".join(value or b"" for value in column))


@pytest.mark.parametrize("length", [-1, LONGEST + 1, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("index", [0, 70, 199])
def test_lengths_that_no_buffer_has(length, index):
    """Negative ones, and those above the longest buffer; not where a null hides them."""
    column = [b"a", b"b" * 20] * 100
    views, _ = make_views(column)
    broken = bytearray(views)
    broken[16 * index : 16 * index + 4] = struct.pack("<i", length)
    with framed(201, np.int64) as offsets:
        assert find_view_offsets(frozen(bytes(broken)), frozen(b""), 0, LONGEST, offsets) < 0
        column[index] = None
        assert find_view_offsets(frozen(bytes(broken)), as_bitmap(column, 3), 3, LONGEST, offsets) >= 0


@pytest.mark.parametrize(
    ("number", "place"), [(-1, 0), (2, 0), (2**31 - 1, 0), (-(2**31), 0), (0, -1), (0, 1), (1, 11), (1, 2**31 - 1)]
)
def test_places_outside_of_the_buffers(number, place):
    """The value at fault is told, and no byte behind it is written."""
    buffers = [frozen(b"a" * 20), frozen(b"b" * 30)]
    good = struct.pack("<i4sii", 20, b"bbbb", 1, 10)
    views = frozen(good + struct.pack("<i4sii", 20, b"????", number, place) + good)
    with framed(60) as data:
        assert copy_views(views, frozen([0, 20, 40, 60], np.int64), *tables(buffers), data) == 1
        assert data[:20].tobytes() == b"b" * 20
        assert untouched(data[52:])


def test_no_buffers():
    """All values are inline; one that is not lies nowhere."""
    views, _ = make_views([b"abc", b"", b"123456789012"], 1)
    assert copy(views, [], [0, 3, 3, 15]) == (-1, b"abc123456789012")
    assert copy(frozen(struct.pack("<i4sii", 13, b"abcd", 0, 0)), [], [0, 13])[0] == 0


def test_views_that_changed_after_they_were_added_up():
    """Lengths are those that room was made for, whatever the views say now."""
    views, buffers = make_views([b"a" * 40, b"b", b"c" * 5], 1)
    assert copy(views, buffers, [0, 0, 1, 1]) == (-1, b"b")
    assert copy(views, buffers, [0, 2, 22, 25]) == (-1, b"aa" + b"a" * 20 + b"ccc")  # "b" has zeros for a place
    assert copy(views, buffers, [0, 2, 43, 46])[0] == 1


@given(lengths, st.integers(0, 40), st.integers(0, 40))
def test_copies_of_a_value(size, room, out_room):
    """At most 32 bytes more, and none where either side does not have them."""
    source = frozen(np.arange(size + room) % 251)
    with framed(2 + size + out_room) as out:
        copy_value(source.ctypes.data, size + room, size, out, 2)
        assert out[2 : 2 + size].tobytes() == source[:size].tobytes()
        assert untouched(out[:2])
        assert untouched(out[2 + size + 32 :])
        if min(room, out_room) < 32:
            assert untouched(out[2 + size :])
