"""Distinct values and what is put together from them: each kernel against dicts and lists."""

from itertools import accumulate

import naive
import numpy as np
import pytest
import strategies
from framed import STATUS, as_column, as_values, framed, frozen
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels.dictionary import (
    DONE,
    FULL,
    KNOWN,
    KNOWN_SLACK,
    OVERHEAD,
    ROOM,
    ROW,
    SEED,
    SLOTS_PER_VALUE,
    STATE_SIZE,
    TOO_LARGE,
    add_lengths,
    fill_table,
    find_distinct,
    find_plain_spans,
    find_spans,
    find_wild,
    gather,
    hash_value,
    is_known,
    spread_indices,
)

FIRST, SECOND = np.uint64(0xB8E5C6BCC4FA57AF), np.uint64(0x7C7BE7CBF5900973)  # seeds as chance gave them
PLENTY = 1 << 40


def new_state(room=PLENTY, overhead=0):
    """Make the state of a search that has not begun."""
    state = np.zeros(STATE_SIZE, np.int64)
    state[ROOM], state[OVERHEAD], state[SEED] = room, overhead, FIRST.view(np.int64)
    return state


def first_seen(values):
    """Index values by the order in which they are first seen, as a dict does it."""
    places = {}
    return [places.setdefault(value, len(places)) for value in values], list(places)


def search(values, table_size=2048, shift=0, **state):
    """Run a search with room for all: status, state, indices and distinct values."""
    offsets, data = as_column(values, shift)
    state = new_state(**state)
    keys = np.zeros(table_size // SLOTS_PER_VALUE, np.uint64)
    known_offsets = np.zeros(keys.size + 1, np.int64)
    known_data = np.zeros(sum(map(len, values)) + KNOWN_SLACK, np.uint8)
    with framed(len(values), np.uint32) as indices:
        table = np.zeros(table_size, np.uint32)
        status = find_distinct(offsets, data, state, table, keys, known_offsets, known_data, indices)
        found = indices.tolist()
    return status, state, found, as_values(known_offsets[: state[KNOWN] + 1], known_data)


@given(strategies.columns_without_nulls(), st.integers(0, 9))
def test_first_seen_order(values, shift):
    """Every value has the index of the first that equals it, counted by distinct values."""
    status, state, indices, known = search(values, shift=shift)
    assert (status, state[ROW]) == (DONE, len(values))
    assert (indices, known) == first_seen(values)


@pytest.mark.parametrize("size", [0, 1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 48, 49, 300])
def test_values_that_differ_in_one_byte_or_in_length(size):
    """Every byte counts, and so does how many there are, be they zeros."""
    values = [bytes(size), bytes(size + 1), *(bytes(i) + b"\1" + bytes(size - i - 1) for i in range(size))]
    status, _, indices, known = search(values * 2)
    assert status == DONE
    assert (indices, known) == first_seen(values * 2)


@given(
    st.lists(st.tuples(strategies.byte_strings(), st.sampled_from([1, 2, 3, 5, 60, 64, 65, 130])), max_size=12),
    st.binary(max_size=20),
)
def test_runs(runs, after):
    """Columns of long runs, of short ones, and of both, with and without bytes behind the last value."""
    values = [value for value, count in runs for _ in range(count)]
    offsets, data = as_column(values)
    for whole in (data, frozen(data.tobytes() + after)):
        with framed(len(values), np.uint32) as indices:
            known_offsets, known_data = np.zeros(513, np.int64), np.zeros(data.size + KNOWN_SLACK, np.uint8)
            table, keys, state = np.zeros(2048, np.uint32), np.zeros(512, np.uint64), new_state()
            assert find_distinct(offsets, whole, state, table, keys, known_offsets, known_data, indices) == DONE
            assert indices.tolist() == first_seen(values)[0]


def test_values_that_end_a_run():
    """What differs from the value before it in its first byte, its last, or its length, is no repeat of it."""
    for size in (0, 1, 15, 16, 17, 40):
        run = [b"x" * size] * 200
        rest = b"x" * max(size - 1, 0)
        for end in (b"x" * (size + 1), rest, rest + b"y", b"y" + rest):
            values = [*run, end, *run, *[b"filler"] * 9]
            assert search(values)[2] == first_seen(values)[0]


def test_a_run_that_ends_the_column():
    """The last values of a slice, behind which the data goes on."""
    offsets, data = as_column([*[b"run"] * 200, b"x" * 40])
    offsets = frozen(offsets[:-1], np.int64)
    known_offsets, known_data = np.zeros(513, np.int64), np.zeros(1000, np.uint8)
    with framed(200, np.uint32) as indices:
        table, keys, state = np.zeros(2048, np.uint32), np.zeros(512, np.uint64), new_state()
        assert find_distinct(offsets, data, state, table, keys, known_offsets, known_data, indices) == DONE
        assert not indices.any()


def test_values_in_one_slot():
    """A table in which as many slots are taken as may be: values push each other on, around its end."""
    values = [b"%d" % i for i in range(512)]
    status, _, indices, known = search(values * 2)
    assert status == DONE
    assert (indices, known) == first_seen(values * 2)


def test_a_search_stops_where_there_is_no_room_and_goes_on_with_more():
    """The table and the bytes: whatever is full, nothing is lost, and the indices are those of one search."""
    values = [b"value-%d" % (i * i % 700) for i in range(2000)]
    offsets, data = as_column(values)
    state, table, keys = new_state(), np.zeros(4, np.uint32), np.zeros(1, np.uint64)
    known_offsets, known_data = np.zeros(2, np.int64), np.zeros(KNOWN_SLACK, np.uint8)
    indices = np.zeros(len(values), np.uint32)
    stops = 0
    while find_distinct(offsets, data, state, table, keys, known_offsets, known_data, indices) == FULL:
        stops += 1
        known = int(state[KNOWN])
        table = np.zeros(2 * table.size, np.uint32)
        fill_table(keys[:known], table)
        assert sorted(table[table > 0].tolist()) == list(range(1, known + 1))
        keys = np.append(keys, np.zeros_like(keys))
        known_offsets = np.append(known_offsets, np.zeros(keys.size + 1 - known_offsets.size, np.int64))
        known_data = np.append(known_data, np.zeros(known_data.size, np.uint8))
    assert stops > 5
    assert (indices.tolist(), as_values(known_offsets[: state[KNOWN] + 1], known_data)) == first_seen(values)


@pytest.mark.parametrize("overhead", [0, 4])
def test_a_search_stops_at_the_size_of_the_page(overhead):
    """The value that no longer fits is told, and none behind it has been looked at."""
    values = [b"one", b"two", b"one", b"three", b"one", b"four"]
    room = 11 + 3 * overhead
    status, state, indices, known = search(values[:5], room=room, overhead=overhead)
    assert (status, state[ROOM]) == (DONE, 0)
    assert (indices, known) == first_seen(values[:5])
    status, state, indices, known = search(values, room=room, overhead=overhead)
    assert (status, state[ROW], known) == (TOO_LARGE, 5, [b"one", b"two", b"three"])
    assert indices[:5] == [0, 1, 0, 2, 0]
    status, state, _, known = search(values, room=room - 1, overhead=overhead)
    assert (status, state[ROW], known) == (TOO_LARGE, 3, [b"one", b"two"])


@given(st.binary(max_size=70), st.binary(max_size=40), st.integers(0, 9))
def test_hashes_are_of_the_bytes_alone(value, after, shift):
    """What lies before and behind a value does not count, nor whether there is anything."""
    alone = hash_value(frozen(value), 0, len(value), FIRST, SECOND)
    among = hash_value(frozen(bytes(shift) + value + after), shift, len(value), FIRST, SECOND)
    assert among == alone
    assert hash_value(frozen(value), 0, len(value), SECOND, FIRST) != alone or not value


def test_hashes_differ():
    """Short values, long ones, zeros: no two of some thousands have the same upper half, which is what is kept."""
    values = {bytes(i) for i in range(100)} | {b"%d" % i for i in range(2000)} | {b"%d" % i * 9 for i in range(2000)}
    halves = {int(hash_value(frozen(value), 0, len(value), FIRST, SECOND)) >> 32 for value in values}
    assert len(halves) == len(values)


@given(st.binary(max_size=70), st.integers(0, 69), st.integers(0, 9))
def test_is_known(value, at, shift):
    """Equal bytes are known; bytes that differ anywhere are not."""
    known = frozen(bytes(shift) + value + b"\xff" * KNOWN_SLACK)
    data = frozen(b"\1" * 3 + value)
    assert is_known(data, 3, len(value), known, shift)
    if at < len(value):
        changed = frozen(b"\1" * 3 + value[:at] + bytes([value[at] ^ 0x40]) + value[at + 1 :])
        assert not is_known(changed, 3, len(value), known, shift)


@given(st.lists(st.integers(0, 2**32 - 1), max_size=40), st.integers(0, 2**31))
def test_find_wild(indices, num_known):
    """The first index that is too large, as an unsigned number."""
    wild = [i for i, index in enumerate(indices) if index >= num_known]
    assert find_wild(frozen(indices, np.uint32), num_known) == (wild[0] if wild else -1)


def spans_of(offsets, data):
    """Find where values lie, and check what a span tells."""
    with framed(offsets.size - 1, np.uint64) as spans:
        find_spans(offsets, data, spans)
        starts, lengths = (spans >> 32).tolist(), (spans & 0x7FFFFFFF).tolist()
        assert starts == offsets[:-1].tolist()
        assert lengths == np.diff(offsets).tolist()
        assert ((spans >> 31) & 1).tolist() == [data.size - start < 32 for start in starts]
        return frozen(spans, np.uint64)


@given(strategies.columns_without_nulls(), st.integers(0, 40), st.integers(0, 40), st.data())
def test_gathers(known, shift, spare, data):
    """A column of values of another, in any order, with and without bytes to spare behind these."""
    picked = data.draw(st.lists(st.integers(0, len(known) - 1), max_size=60)) if known else []
    known_offsets, known_data = as_column(known, shift)
    known_data = frozen(known_data.tobytes() + b"\xee" * spare)
    indices, spans = frozen(picked, np.uint32), spans_of(known_offsets, known_data)
    expected = [known[i] for i in picked]
    size = add_lengths(indices, spans)
    assert size == sum(map(len, expected))
    with framed(len(picked) + 1, np.int64) as offsets, framed(size) as out:
        offsets[0] = 0
        gather(indices, spans, known_data, offsets, out)
        assert as_values(offsets, out) == expected


@pytest.mark.parametrize("count", range(12))
def test_gathers_short_and_long_values(count):
    """Groups of values that are copied in one go, and groups in which one is too long for that."""
    known = [b"x" * 32, b"y" * 33, b"", b"z" * 31, b"w" * 200]
    known_offsets, known_data = as_column(known)
    for spare in (0, 32):
        roomy = frozen(known_data.tobytes() + bytes(spare))
        spans = spans_of(known_offsets, roomy)
        for long in range(count + 1):
            picked = [0, 3, 2] * 60 + [4] * 4 + [0] * count
            picked[-1 - long] = 1
            expected = [known[i] for i in picked]
            with framed(len(picked) + 1, np.int64) as offsets, framed(sum(map(len, expected))) as out:
                offsets[0] = 0
                gather(frozen(picked, np.uint32), spans, roomy, offsets, out)
                assert as_values(offsets, out) == expected


@given(strategies.columns_without_nulls(), st.integers(0, 40))
def test_plain_spans(values, spare):
    """Where the values of a PLAIN page lie; cut anywhere, it is refused where the first missing value begins."""
    page = naive.encode_plain(values)
    buf = frozen(page + bytes(spare))
    with framed(len(values), np.uint64) as spans:
        assert find_plain_spans(buf, len(page), spans) == (0, len(page), -1)
        starts, lengths = (spans >> 32).tolist(), (spans & 0x7FFFFFFF).tolist()
        assert [page[start : start + length] for start, length in zip(starts, lengths, strict=True)] == values
    ends = list(accumulate(4 + len(value) for value in values))
    for end in {0, min(1, len(page)), len(page) // 2, max(len(page) - 1, 0)}:
        whole = sum(value_end <= end for value_end in ends)
        with framed(len(values), np.uint64) as spans:
            status, _, index = find_plain_spans(buf, end, spans)
            assert (STATUS[status], index) == (("OK", -1) if whole == len(values) else ("TRUNCATED", whole))


def test_plain_spans_of_a_negative_length():
    """Refused before it is believed."""
    with framed(1, np.uint64) as spans:
        assert STATUS[find_plain_spans(frozen(b"\xff\xff\xff\xffabcd"), 8, spans)[0]] == "NEGATIVE_LENGTH"


@given(st.lists(st.none() | st.integers(0, 2**31 - 1), max_size=70))
def test_spread_indices(indices):
    """Nulls are -1."""
    present = [index is not None for index in indices]
    dense = frozen([index for index in indices if index is not None], np.uint32)
    validity = frozen(np.packbits(np.array(present, bool), bitorder="little"))
    with framed(len(indices), np.int32) as out:
        spread_indices(dense, validity, out)
        assert out.tolist() == [-1 if index is None else index for index in indices]
