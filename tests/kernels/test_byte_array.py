"""Lengths, offsets and PLAIN: against lists of bytes."""

from itertools import pairwise

import naive
import numpy as np
import strategies
from framed import MARGIN, STATUS, as_column, as_values, framed, frozen, outcome, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels.byte_array import (
    LENGTH_SIZE,
    check_lengths,
    check_slices,
    copy_slices,
    decode_plain,
    encode_plain,
    encode_plain_slices,
    fill_offsets,
    find_other_length,
    scan_offsets,
    scan_plain,
    sum_lengths,
    take_lengths,
)

MUCH = 1 << 40


# --- Lengths and offsets ---------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=9), st.integers(0, 2**40), st.booleans())
def test_scan(offsets, size, rising):
    """Any offsets, rising or not: one that falls or passes the data shows, and else the bits of the longest value."""
    offsets = sorted(offsets) if rising else offsets
    lengths = np.diff(offsets).tolist()
    bits = scan_offsets(frozen(offsets, np.int64), size)
    assert (bits < 0) == (any(length < 0 for length in lengths) or offsets[-1] > size)
    if bits >= 0:
        assert int(bits).bit_length() == max(lengths, default=0).bit_length()


@given(st.lists(strategies.integers(64), min_size=1, max_size=5), st.integers(0, 2**63 - 1))
def test_scan_of_wild_offsets(offsets, size):
    """Differences may wrap: what is negative, falls or passes the data shows all the same."""
    wild = offsets[0] < 0 or offsets != sorted(offsets) or offsets[-1] > size
    assert (scan_offsets(frozen(offsets, np.int64), size) < 0) == wild


def expected_fault(lengths, room, limit):
    """Find the first length that cannot be, and why, one at a time."""
    total = 0
    for i, length in enumerate(lengths):
        total += length
        if length < 0:
            return "NEGATIVE_LENGTH", i
        if total > room:
            return "TRUNCATED", i
        if total > limit:
            return "LIMIT", i
    return "OK", -1


def check_fault(lengths, room, limit):
    """Check lengths against the walk above, and what they add up to before the fault."""
    status, index, total = check_lengths(frozen(lengths, np.int32), room, limit)
    assert (STATUS[status], index) == expected_fault(lengths, room, limit)
    assert total == sum(lengths[: len(lengths) if index < 0 else index])


@given(st.lists(st.integers(-1, 40) | strategies.integers(32), max_size=9), st.integers(0, 99), st.integers(0, 99))
def test_checks_of_any_lengths(lengths, room, limit):
    """Any lengths, room and limit."""
    check_fault(lengths, room, limit)
    check_fault(lengths, MUCH, limit)
    check_fault(lengths, room, MUCH)
    check_fault(lengths, MUCH, MUCH)


@given(st.lists(strategies.integers(32), max_size=40))
def test_sums(lengths):
    """Sums do not wrap at the width of the lengths."""
    assert sum_lengths(np.array(lengths, np.int32)) == sum(lengths)


@given(st.lists(st.integers(0, 3), max_size=9), st.integers(0, 3), st.integers(0, 9))
def test_other_lengths(lengths, length, start):
    """The first value of another length, wherever the offsets begin."""
    offsets = frozen(np.cumsum([start, *lengths]), np.int64)
    expected = next((i for i, other in enumerate(lengths) if other != length), -1)
    assert find_other_length(offsets, length) == expected
    assert find_other_length(frozen(np.arange(10) * 3 + start, np.int64), 3) == -1


@given(st.lists(strategies.integers(64), min_size=1, max_size=5))
def test_other_lengths_of_wild_offsets(offsets):
    """Any numbers: the differences wrap."""
    lengths = [naive.wrap(after - before, 64) for before, after in pairwise(offsets)]
    for length in (1, *(length for length in lengths if length > 0)):
        expected = next((i for i, other in enumerate(lengths) if other != length), -1)
        assert find_other_length(frozen(offsets, np.int64), length) == expected


@given(st.integers(1, 2**31 - 1), st.integers(0, 40))
def test_fills_offsets(length, count):
    """Multiples of the length behind the first."""
    with framed(count + 1, np.int64) as offsets:
        fill_offsets(length, offsets)
        assert offsets[1:].tolist() == [length * (i + 1) for i in range(count)]
        assert untouched(offsets[:1])


# --- Slices ----------------------------------------------------------------------------------------------------------


def check_slice_faults(slices, size):
    """Check slices of data of so many bytes, one at a time."""
    starts, lengths = (frozen([one[i] for one in slices], np.int64) for i in range(2))
    wrong = [not (start >= 0 <= length < 2**31 and start + length <= size) for start, length in slices]
    with framed(len(slices), np.int64) as ends:
        index, total = check_slices(starts, lengths, size, ends)
        assert index == (wrong.index(True) if True in wrong else -1)
        if index < 0:
            assert total == sum(length for _, length in slices)
            assert ends.tolist() == [start + length for start, length in slices]


@given(st.lists(st.tuples(strategies.integers(64), strategies.integers(64)), max_size=4), st.integers(0, 2**63 - 1))
def test_slices_of_any_numbers(slices, size):
    """The first that is negative, too long, or not within the data, whatever sums and differences wrap to."""
    check_slice_faults(slices, size)


@given(st.lists(st.tuples(st.integers(-1, 9), st.integers(-1, 9)), max_size=9), st.integers(0, 12))
def test_slices_of_small_numbers(slices, size):
    """The same where most are right."""
    check_slice_faults(slices, size)
    check_slice_faults([(abs(start), abs(length)) for start, length in slices], size + 18)


@given(st.binary(max_size=80), st.lists(st.integers(0, 80), max_size=20).map(sorted), st.booleans(), st.data())
def test_copies_slices(data, cuts, is_joined, draw):
    """Slices in a row and apart, with and without bytes to spare."""
    slices = list(pairwise(cut for cut in cuts if cut <= len(data)))
    slices = slices if is_joined else draw.draw(st.permutations(slices))
    starts, ends = (frozen([one[i] for one in slices], np.int64) for i in range(2))
    expected = b"".join(data[start:end] for start, end in slices)
    with framed(len(slices), np.uint32) as lengths:
        take_lengths(starts, ends, lengths)
        assert lengths.tolist() == [end - start for start, end in slices]
    for spare in (0, 40):
        with framed(3 + len(expected) + spare) as out:
            assert copy_slices(starts, ends, frozen(data), out, 3) == 3 + len(expected)
            assert out[3 : 3 + len(expected)].tobytes() == expected
            assert untouched(out[:3])
            assert untouched(out[3 + len(expected) + 32 :])


# --- PLAIN -----------------------------------------------------------------------------------------------------------


@given(strategies.columns_without_nulls(), st.integers(0, 40))
def test_encodes(values, shift):
    """The page is naive's, in exactly its bytes."""
    offsets, data = as_column(values, shift)
    expected = naive.encode_plain(values)
    with framed(LENGTH_SIZE * len(values) + data.size - shift) as out:
        assert encode_plain(offsets, data, out, 0) == out.size
        assert out.tobytes() == expected
    with framed(3 + len(expected)) as out:
        assert encode_plain_slices(offsets[:-1], offsets[1:], data, out, 3) == out.size
        assert out[3:].tobytes() == expected
        assert untouched(out[:3])


def decode(buf, pos, end, num_values, limit=MUCH):
    """Decode as the encoding's module calls it; give the status, place, index and values.

    A scan tells the same, in one go or behind some of the values.
    """
    room = end - pos - LENGTH_SIZE * num_values
    with framed(num_values + 1, np.int64) as offsets, framed(min(room, limit)) as data:
        status, after, index = decode_plain(frozen(buf), pos, end, offsets, data)
        assert untouched(offsets[:1])  # it may be the end of another page's values
        offsets[0] = 0
        known = num_values if index < 0 else index
        assert pos <= after <= end
        assert scan_plain(frozen(buf), pos, num_values, room, limit) == (status, after, index)
        some = known // 2
        _, half, _ = scan_plain(frozen(buf), pos, some, room, limit)
        done = half - pos - LENGTH_SIZE * some
        status_behind, after_behind, left = scan_plain(frozen(buf), half, num_values - some, room - done, limit - done)
        assert (status_behind, after_behind, left) == (status, after, index - some if index >= 0 else -1)
        assert untouched(data[offsets[known] + 32 :])
        return STATUS[status], after, index, as_values(offsets[: known + 1], data)


@given(strategies.columns_without_nulls(), st.binary(max_size=3), st.binary(max_size=70), st.booleans())
def test_decodes(values, before, behind, spare):
    """Values come out, whatever lies around them, and a page may end with its last byte."""
    page = before + naive.encode_plain(values)
    end = len(page) + (len(behind) if spare else 0)
    assert decode(page + behind, len(before), end, len(values)) == ("OK", len(page), -1, values)


@given(strategies.columns_without_nulls(), st.data())
def test_limit(values, data):
    """The first value with which there are more bytes than allowed is told, with the place of its length."""
    page = naive.encode_plain(values)
    total = sum(map(len, values))
    limit = data.draw(st.integers(0, total))
    _, index = expected_fault(list(map(len, values)), MUCH, limit)
    if index < 0:
        assert decode(page, 0, len(page), len(values), limit) == ("OK", len(page), -1, values)
    else:
        place = len(naive.encode_plain(values[:index]))
        assert decode(page, 0, len(page), len(values), limit) == ("LIMIT", place, index, values[:index])


@given(strategies.columns_without_nulls(), st.data())
def test_any_bytes(values, data):
    """One changed length, or random bytes: naive's values, or a fault no later than naive's."""
    page = bytearray(naive.encode_plain(values) + data.draw(st.binary(max_size=12)))
    if values:
        place = len(naive.encode_plain(values[: data.draw(st.integers(0, len(values) - 1))]))
        page[place : place + 4] = data.draw(st.integers(0, 99) | st.integers(0, 2**32 - 1)).to_bytes(4, "little")
    status, after, index, found = decode(bytes(page), 0, len(page), len(values))
    expected, error = outcome(naive.decode_plain, bytes(page), len(values))
    if error is None:
        assert (status, after, index, found) == ("OK", expected.consumed, -1, expected.values)
    else:
        assert status in ("TRUNCATED", "NEGATIVE_LENGTH")
        assert (after, index) <= (error.position, error.index)
        if index == error.index:
            assert status == error.kind


def test_faults():
    """Each fault by itself: its place is that of the value's length."""

    def length(number):
        return number.to_bytes(4, "little", signed=True)

    hi = length(2) + b"hi"
    for page, count, limit, expected in [
        (b"", 0, MUCH, ("OK", 0, -1, [])),
        (hi + length(2) + b"h", 2, MUCH, ("TRUNCATED", 6, 1, [b"hi"])),
        (hi + length(-1) + b"hi", 2, MUCH, ("NEGATIVE_LENGTH", 6, 1, [b"hi"])),
        (hi + length(-(2**31)), 2, MUCH, ("NEGATIVE_LENGTH", 6, 1, [b"hi"])),
        (hi + length(2**31 - 1), 2, MUCH, ("TRUNCATED", 6, 1, [b"hi"])),
        (length(3) + b"h" + length(0), 2, MUCH, ("TRUNCATED", 0, 0, [])),  # leaves 2 bytes for the length behind it
        (hi + hi, 2, 3, ("LIMIT", 6, 1, [b"hi"])),
        (hi + length(5) + b"hi", 2, 3, ("TRUNCATED", 6, 1, [b"hi"])),  # too long for the page before too long for us
        (hi + hi, 2, 0, ("LIMIT", 0, 0, [])),
    ]:
        assert decode(page, 0, len(page), count, limit) == expected
    assert MARGIN > 32
