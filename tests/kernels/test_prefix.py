"""Common prefixes: what they are, what is left, and values made of both again."""

import naive
import numpy as np
import pytest
import strategies
from framed import STATUS, as_column, framed, frozen, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels.prefix import (
    check_prefixes,
    count_common,
    find_fault,
    find_other_sum,
    find_prefixes,
    gather_suffixes,
    rebuild_last,
    rebuild_offsets,
    rebuild_values,
    split_slices,
)

EDGES = (0, 1, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 63, 64, 65, 130)
MUCH = 1 << 40


def split(values):
    """List the prefix lengths and the suffixes of values."""
    prefixes = [naive.common_prefix(before, value) for before, value in zip([b"", *values], values, strict=False)]
    return prefixes, [value[prefix:] for value, prefix in zip(values, prefixes, strict=True)]


# --- Finding ---------------------------------------------------------------------------------------------------------


def common(data_before, before, data, start, limit):
    """Count in two places, of which the one with more bytes behind it comes first."""
    places = (data_before, before), (data, start)
    (first, first_start), (second, second_start) = sorted(places, key=lambda place: place[1] - len(place[0]))
    return count_common(frozen(first), first_start, frozen(second), second_start, limit)


@pytest.mark.parametrize("shared", EDGES)
def test_count_common(shared):
    """Any number of equal bytes, with the difference, the limit or the end of the data behind them."""
    equal = bytes(range(1, 1 + shared))
    for limit in {0, shared // 2, shared}:
        assert common(equal + equal, 0, equal + equal, shared, limit) == limit
        assert common(equal, 0, b"?" + equal + equal, 1, limit) == limit
    for rest in (1, 7, 8, 9, 30):
        data = equal + b"\x80" + b"x" * rest + equal + b"\x81" + b"x" * rest
        for limit in {0, shared // 2, shared, shared + 1, shared + 1 + rest}:
            assert common(data, 0, data, shared + 1 + rest, limit) == min(shared, limit)


@given(st.binary(max_size=40), st.binary(max_size=40), st.booleans(), st.data())
def test_count_common_of_any_bytes(data, other, is_same, draw):
    """Any two places, the same place among them, and any limit that both can have."""
    other = data if is_same else other
    before, start = draw.draw(st.integers(0, len(other))), draw.draw(st.integers(0, len(data)))
    limit = draw.draw(st.integers(0, min(len(other) - before, len(data) - start)))
    expected = naive.common_prefix(other[before:], data[start : start + limit])
    assert common(other, before, data, start, limit) == expected


@given(strategies.columns_without_nulls(), st.integers(0, 9))
def test_splits(values, shift):
    """Prefix lengths are naive's, and the suffixes stand end to end."""
    offsets, data = as_column(values, shift)
    prefixes, suffixes = split(values)
    with framed(len(values), np.int32) as prefix_lengths:
        total = find_prefixes(offsets, data, prefix_lengths)
        assert prefix_lengths.tolist() == prefixes
        assert total == sum(map(len, suffixes))
    for spare in (0, 40):
        with framed(shift + total + spare) as out:
            assert gather_suffixes(offsets, data, frozen(prefixes, np.int32), out, shift) == shift + total
            assert out[shift : shift + total].tobytes() == b"".join(suffixes)
            assert untouched(out[:shift])
            assert untouched(out[shift + total + 32 :])


@given(strategies.columns_without_nulls() | strategies.chained_columns(), st.data())
def test_splits_slices(values, data):
    """Values in any order in the data, behind a value that came before, which lies elsewhere."""
    before = data.draw(st.sampled_from([b"", b"x" * 40, *values]))
    order = data.draw(st.permutations(range(len(values))))
    starts, buf = [0] * len(values), b""
    for i in order:
        starts[i] = len(buf)
        buf += values[i]
    ends = [start + len(value) for start, value in zip(starts, values, strict=True)]
    buf += bytes(data.draw(st.sampled_from((0, 40))))
    prefixes, suffixes = ([*each][1:] for each in split([before, *values]))
    expected = b"".join(suffixes)
    with (
        framed(len(values), np.uint32) as prefix_lengths,
        framed(len(values), np.uint32) as suffix_lengths,
        framed(5 + len(expected)) as out,
    ):
        spans = frozen(starts, np.int64), frozen(ends, np.int64)
        end = split_slices(*spans, frozen(buf), frozen(before), prefix_lengths, suffix_lengths, out, 5)
        assert prefix_lengths.tolist() == prefixes
        assert suffix_lengths.tolist() == [*map(len, suffixes)]
        assert out[5:end].tobytes() == expected
        assert untouched(out[:5])


# --- Checking --------------------------------------------------------------------------------------------------------


def expected_fault(prefixes, suffixes, room, limit):
    """Find the first value that cannot be, and why, one at a time."""
    length = total = 0
    for i, (prefix, suffix) in enumerate(zip(prefixes, suffixes, strict=True)):
        room -= suffix
        total += prefix + suffix
        if not 0 <= prefix <= length:
            return "PREFIX" if i else "FIRST_PREFIX", i
        if suffix < 0:
            return "NEGATIVE_LENGTH", i
        if room < 0:
            return "TRUNCATED", i
        if total > limit:
            return "LIMIT", i
        length = prefix + suffix
    return "OK", -1


def check_fault(prefixes, suffixes, room, limit):
    """Check lengths against the walk above, and make offsets of good ones; give the status."""
    lengths = frozen(prefixes, np.int32), frozen(suffixes, np.int32)
    expected = expected_fault(prefixes, suffixes, room, limit)
    status, index, total = check_prefixes(*lengths, room, limit)
    assert (STATUS[status], index) == expected
    if expected[0] != "OK":
        assert total == sum(suffixes[:index])
        assert find_fault(*lengths, room, limit) == (status, index, total)
        return expected[0]
    assert total == sum(prefixes) + sum(suffixes)
    with framed(len(prefixes) + 1, np.int64) as offsets:
        rebuild_offsets(*lengths, offsets)
        assert untouched(offsets[:1])  # it may be the end of another page's values
        assert offsets[1:].tolist() == np.cumsum(np.add(prefixes, suffixes)).tolist()
    return expected[0]


@given(strategies.columns_without_nulls(), st.data())
def test_checks_of_any_values(values, data):
    """Lengths that fit; one that is changed; and room or limit that end at any byte."""
    prefixes, suffixes = split(values)
    suffixes = list(map(len, suffixes))
    room, limit = sum(suffixes), sum(map(len, values))
    assert check_fault(prefixes, suffixes, room, limit) == "OK"
    check_fault(prefixes, suffixes, data.draw(st.integers(0, room)), MUCH)
    check_fault(prefixes, suffixes, MUCH, data.draw(st.integers(0, limit)))
    if values:
        changed = data.draw(st.sampled_from((prefixes, suffixes)))
        place = data.draw(st.integers(0, len(values) - 1))
        changed[place] = data.draw(strategies.integers(32))
        check_fault(prefixes, suffixes, MUCH, MUCH)
        check_fault(prefixes, suffixes, room, limit)


@given(st.lists(st.tuples(strategies.integers(32), strategies.integers(32)), max_size=5))
def test_checks_of_any_lengths(lengths):
    """Any lengths at all."""
    check_fault([prefix for prefix, _ in lengths], [suffix for _, suffix in lengths], 2**31 - 1, 2**31 - 1)


def test_other_sums():
    """The first value whose parts do not come to a length, of those that pass the checks; in 64 bits."""
    prefixes, suffixes = [0, 2, 3, 0], [3, 1, 0, 3]
    assert find_other_sum(frozen([], np.int32), frozen([], np.int32), 3) == -1
    assert find_other_sum(frozen(prefixes, np.int32), frozen(suffixes, np.int32), 3) == -1
    assert find_other_sum(frozen(prefixes, np.int32), frozen(suffixes, np.int32), 4) == 0
    for i in range(4):
        wrong = [*suffixes[:i], suffixes[i] + 1, *suffixes[i + 1 :]]
        assert find_other_sum(frozen(prefixes, np.int32), frozen(wrong, np.int32), 3) == i
    most = 2**31 - 1
    assert find_other_sum(frozen([0, most], np.int32), frozen([most, 1], np.int32), most) == 1


def test_faults():
    """Each fault by itself, and the value that has it."""
    for prefixes, suffixes, room, limit, expected in [
        ([], [], 0, 0, ("OK", -1)),
        ([0, 2], [2, 0], 2, 4, ("OK", -1)),
        ([1, 0], [2, 0], 9, 9, ("FIRST_PREFIX", 0)),
        ([-1, 0], [2, 0], 9, 9, ("FIRST_PREFIX", 0)),
        ([0, 3], [2, 0], 9, 9, ("PREFIX", 1)),
        ([0, -1], [2, 0], 9, 9, ("PREFIX", 1)),
        ([0, 1, 2], [2, 0, 0], 9, 9, ("PREFIX", 2)),
        ([0, 0], [2, -1], 9, 9, ("NEGATIVE_LENGTH", 1)),
        ([0, 0, 0], [2, 2, 2], 5, 9, ("TRUNCATED", 2)),
        ([0, 2, 2], [2, 0, 0], 2, 5, ("LIMIT", 2)),
        ([0, 0], [2**31 - 1, 2**31 - 1], MUCH, MUCH, ("OK", -1)),
        ([0, 2**31 - 1], [2**31 - 1, 2**31 - 1], MUCH, MUCH, ("OK", -1)),
    ]:
        assert expected_fault(prefixes, suffixes, room, limit) == expected
        check_fault(prefixes, suffixes, room, limit)


# --- Rebuilding ------------------------------------------------------------------------------------------------------


def check_values(values, before, behind):
    """Check values of suffixes that have so many bytes before and behind them in the page."""
    prefixes, suffixes = split(values)
    offsets, data = as_column(values)
    body = b"".join(suffixes)
    buf = frozen(b"\x99" * before + body + b"\x88" * behind)
    ends = frozen([-1, *offsets[1:]], np.int64)  # the first may be the end of another page's values
    for spare in (0, 40):
        with framed(data.size + spare) as out:
            assert rebuild_values(buf, before, frozen(prefixes, np.int32), ends, frozen(b""), out) == before + len(body)
            assert out[: data.size].tobytes() == data.tobytes()
            assert untouched(out[data.size + 32 :])


def check_batches(values, first, spare):
    """Check values behind the first few: they go on from the last of these, and so does a walk to the last value."""
    prefixes, suffixes = split(values)
    before = values[first - 1] if first else b""
    buf = frozen(b"".join(suffixes) + bytes(spare))
    pos, end = (sum(map(len, suffixes[:count])) for count in (first, len(values)))
    offsets, data = as_column(values[first:])
    some = frozen(prefixes[first:], np.int32)
    with framed(data.size + spare) as out:
        assert rebuild_values(buf, pos, some, np.array(offsets), frozen(before), out) == end
        assert out[: data.size].tobytes() == data.tobytes()
        assert untouched(out[data.size + 32 :])
    with framed(max(map(len, [before, *values[first:]])) + spare) as value:
        value[: len(before)] = np.frombuffer(before, np.uint8)
        assert rebuild_last(buf, pos, some, frozen([*map(len, suffixes[first:])], np.int32), value) == end
        last = [before, *values[first:]][-1]
        assert value[: len(last)].tobytes() == last


@given(strategies.columns_without_nulls() | strategies.chained_columns(), st.sampled_from((0, 40)), st.data())
def test_goes_on_behind_any_value(values, spare, data):
    """D10, D16: the chain of prefixes holds across batches."""
    check_batches(values, data.draw(st.integers(0, len(values))), spare)


@given(strategies.columns_without_nulls(), st.integers(0, 40), st.integers(0, 40))
def test_rebuilds_any_values(values, before, behind):
    """Values of any length, suffixes at any place of the page, to its first and last byte."""
    check_values(values, before, behind)


@given(strategies.chained_columns(), st.integers(0, 40), st.integers(0, 40))
def test_rebuilds_chains(values, before, behind):
    """Values that share much with the one before."""
    check_values(values, before, behind)


@pytest.mark.parametrize("length", EDGES)
def test_rebuilds_every_prefix(length):
    """Long and short values in turn, around the 32 bytes that fit a register."""
    for prefix in range(min(length, 40) + 1):
        for other in (0, 5, 31, 32, 33, 70):
            first = bytes(range(1, 1 + length))
            second = first[:prefix] + b"\xf0" * other
            third = second[: len(second) // 2] + b"\xf1"
            for spare in (0, 70):
                check_values([first, second, third, first, first, b"", second], spare, spare)
                check_values([first, second, third, b"x" * spare], 0, 0)
