"""Distinct values and what is put together from them: each kernel against dicts and lists."""

import numpy as np
import pytest
import strategies
from framed import as_column, as_values, framed, frozen
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
    STATE_SIZE,
    TOO_LARGE,
    add_lengths,
    find_distinct,
    find_wild,
    gather,
    hash_value,
    is_known,
    move_slots,
    spread_indices,
)

SEED, SALT = np.uint64(0xB8E5C6BCC4FA57AF), np.uint64(0x7C7BE7CBF5900973)  # as chance gave them
PLENTY = 1 << 40


def new_state(room=PLENTY, overhead=0):
    """Make the state of a search that has not begun."""
    state = np.zeros(STATE_SIZE, np.int64)
    state[ROOM], state[OVERHEAD] = room, overhead
    return state


def first_seen(values):
    """Index values by the order in which they are first seen, as a dict does it."""
    places = {}
    return [places.setdefault(value, len(places)) for value in values], list(places)


def search(values, table_size=1024, shift=0, **state):
    """Run a search with room for all: status, state, indices and distinct values."""
    offsets, data = as_column(values, shift)
    state = new_state(**state)
    known_offsets = np.zeros(table_size // 2 + 1, np.int64)
    known_data = np.zeros(sum(map(len, values)) + KNOWN_SLACK, np.uint8)
    with framed(len(values), np.uint32) as indices:
        table = np.zeros(table_size, np.uint64)
        status = find_distinct(offsets, data, state, SEED, table, known_offsets, known_data, indices)
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
    status, _, indices, known = search(values * 2, table_size=2048)
    assert status == DONE
    assert (indices, known) == first_seen(values * 2)


def test_values_in_one_slot():
    """A table in which every second slot is taken: values push each other on, around its end."""
    values = [b"%d" % i for i in range(512)]
    status, _, indices, known = search(values * 2)
    assert status == DONE
    assert (indices, known) == first_seen(values * 2)


def test_a_search_stops_where_there_is_no_room_and_goes_on_with_more():
    """The table and the bytes: whatever is full, nothing is lost, and the indices are those of one search."""
    values = [b"value-%d" % (i * i % 700) for i in range(2000)]
    offsets, data = as_column(values)
    state, table = new_state(), np.zeros(4, np.uint64)
    known_offsets, known_data = np.zeros(3, np.int64), np.zeros(KNOWN_SLACK, np.uint8)
    indices = np.zeros(len(values), np.uint32)
    stops = 0
    while find_distinct(offsets, data, state, SEED, table, known_offsets, known_data, indices) == FULL:
        stops += 1
        larger = np.zeros(2 * table.size, np.uint64)
        move_slots(table, larger)
        assert sorted(larger[larger > 0]) == sorted(table[table > 0])
        table = larger
        known_offsets = np.append(known_offsets, np.zeros(table.size // 2 + 1 - known_offsets.size, np.int64))
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
    alone = hash_value(frozen(value), 0, len(value), SEED, SALT)
    among = hash_value(frozen(bytes(shift) + value + after), shift, len(value), SEED, SALT)
    assert among == alone
    assert hash_value(frozen(value), 0, len(value), SALT, SEED) != alone or not value


def test_hashes_differ():
    """Short values, long ones, zeros: no two of some thousands have the same upper half, which is what is kept."""
    values = {bytes(i) for i in range(100)} | {b"%d" % i for i in range(2000)} | {b"%d" % i * 9 for i in range(2000)}
    halves = {int(hash_value(frozen(value), 0, len(value), SEED, SALT)) >> 32 for value in values}
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


@given(strategies.columns_without_nulls(), st.integers(0, 40), st.integers(0, 40), st.data())
def test_gathers(known, shift, spare, data):
    """A column of values of another, in any order, with and without bytes to spare behind these."""
    picked = data.draw(st.lists(st.integers(0, len(known) - 1), max_size=60)) if known else []
    known_offsets, known_data = as_column(known, shift)
    known_data = frozen(known_data.tobytes() + b"\xee" * spare)
    indices = frozen(picked, np.uint32)
    expected = [known[i] for i in picked]
    size = add_lengths(indices, known_offsets)
    assert size == sum(map(len, expected))
    with framed(len(picked) + 1, np.int64) as offsets, framed(size) as out:
        offsets[0] = 0
        gather(indices, known_offsets, known_data, offsets, out)
        assert as_values(offsets, out) == expected


@given(st.lists(st.none() | st.integers(0, 2**31 - 1), max_size=70))
def test_spread_indices(indices):
    """Nulls are -1."""
    present = [index is not None for index in indices]
    dense = frozen([index for index in indices if index is not None], np.uint32)
    validity = frozen(np.packbits(np.array(present, bool), bitorder="little"))
    with framed(len(indices), np.int32) as out:
        spread_indices(dense, validity, out)
        assert out.tolist() == [-1 if index is None else index for index in indices]
