"""Distinct values of a column, in the order in which they are first seen, and columns put together from such values.

Specification: Encodings.md, "Dictionary Encoding".
"""

import numpy as np

from .._spec import Status
from ._jit import kernel
from .bitpack import read_word
from .byte_array import LENGTH_SIZE
from .memory import (
    COPY_SLACK,
    as_signed,
    as_unsigned,
    copy32,
    copy_bytes,
    fold_multiply,
    is_same16,
    load_i32,
    load_pair,
    load_u64,
    prefetch,
)
from .validity import is_valid

OK = Status.OK.value
TRUNCATED = Status.TRUNCATED.value
NEGATIVE_LENGTH = Status.NEGATIVE_LENGTH.value

ZERO = np.uint64(0)
ONE = np.uint64(1)
SALT = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
LENGTH = np.uint64(0x7FFFFFFF)
FAR = np.uint64(0x80000000)

GROUP = np.uint64(4)
QUICK = np.uint64(32)
"""Values that are copied in one go, if none has more than so many bytes."""

QUICK_ROOM = 4 * 32

KNOWN_SLACK = 16
"""Bytes behind the values of a growing dictionary, so that two loads take any short one."""

SLOTS_PER_VALUE = 4
"""Slots that the hash table has at least for each distinct value: the fewer are taken, the fewer branches surprise."""

BLOCK = np.uint64(64)
"""Values that are hashed ahead, so that their slots are on their way from memory when they are looked at."""

SHORT_RUN = np.uint64(4)
"""Repeats below which the runs of a column are taken to have ended."""

# What a search remembers from one call to the next, by its place in the state.
ROW = 0  # the next value of the column to look at
KNOWN = 1  # distinct values so far
ROOM = 2  # bytes that the dictionary page may still take
OVERHEAD = 3  # bytes that each value takes there beside its own
SEED = 4  # the bits of a uint64
STATE_SIZE = 5

DONE = 0
FULL = 1  # the table, or an array of the dictionary: to be made larger
TOO_LARGE = 2  # the dictionary page, with this value


@kernel
def load_tail(data, start, size):
    """Load the last bytes of a value, at most 16, as two uint64 that end in zeros."""
    if data.size - start >= 16:
        return load_pair(data, start, size)
    return read_word(data, start, start + size), read_word(data, start + 8, start + size)


@kernel
def hash_value(data, start, size, seed, salt):
    """Hash ``data[start : start + size]``; nobody who does not know the two uint64 can make values that collide."""
    result = seed
    left = size
    while left > 16:
        result = fold_multiply(load_u64(data, start) ^ result, load_u64(data, start + 8) ^ salt)
        start += 16
        left -= 16
    first, second = load_tail(data, start, left)
    return fold_multiply(first ^ result, second ^ (salt + SALT * np.uint64(size)))


@kernel
def is_known(data, start, size, known_data, known_start):
    """Tell whether `size` bytes are the same; `known_data` has KNOWN_SLACK bytes behind them."""
    end = start + size
    while end - start > 16:
        if load_u64(data, start) != load_u64(known_data, known_start):
            return False
        start += 8
        known_start += 8
    if data.size - start >= 16:
        return is_same16(data, start, known_data, known_start, end - start)
    first, second = load_pair(known_data, known_start, end - start)
    return read_word(data, start, end) ^ first | read_word(data, start + 8, end) ^ second == ZERO


@kernel
def hash_values(offsets, data, first, last, seed, table, indices):
    """Write the upper halves of the hashes of some values over their ``indices``, and call up their slots."""
    mask = np.uint64(table.size - 1)
    salt = fold_multiply(seed ^ SALT, SALT)
    for i in range(first, last):
        start = offsets[i]
        tag = hash_value(data, start, offsets[i + ONE] - start, seed, salt) >> HALF
        indices[i] = tag
        prefetch(table, as_signed(tag & mask))


@kernel
def find_slot(key, table, keys, data, start, size, known_offsets, known_data):
    """Find the slot of a value, or the empty one where it belongs; one is empty.

    A `key` is the upper half of a value's hash, and its size below.

    Returns ``(place, number)``, both uint64; `number` is 1 more than the value's index, and 0 if it is not known.
    """
    mask = np.uint64(table.size - 1)
    place = key >> HALF & mask
    number = np.uint64(table[place])
    while number != ZERO:
        if keys[number - ONE] == key and is_known(data, start, size, known_data, known_offsets[number - ONE]):
            break
        place = (place + ONE) & mask
        number = np.uint64(table[place])
    return place, number


@kernel
def find_distinct(offsets, data, state, table, keys, known_offsets, known_data, indices):
    """Find which distinct value each value in `offsets`, int64[n + 1], and `data` is; goes on from ``state[ROW]``.

    `table` is uint32, of a power of two of slots: 0, or 1 more than the index of a value. The distinct values so far,
    ``state[KNOWN]``, are those of `known_offsets`, int64, from 0 on, and `known_data`, uint8, and `keys`, uint64, are
    the keys of :func:`find_slot`; new ones join them. There is room for a value for each SLOTS_PER_VALUE slots. Writes
    ``indices``, uint32[n].

    Returns DONE, FULL or TOO_LARGE; the last two leave ``state[ROW]`` at the value that found no room.
    """
    known, num_values = state[KNOWN], np.uint64(indices.size)
    row, block = np.uint64(state[ROW]), BLOCK
    while row < num_values:
        if block == ONE:  # in a column of runs, what is not like the value before it comes alone
            run = row
            row = copy_repeats(offsets, data, row, indices)
            block = ONE if row - run >= SHORT_RUN else BLOCK
        stop = min(row + block, num_values)
        hash_values(offsets, data, row, stop, as_unsigned(state[SEED]), table, indices)
        for i in range(row, stop):
            start = offsets[i]
            size = offsets[i + ONE] - start
            key = np.uint64(indices[i]) << HALF | as_unsigned(size)
            place, number = find_slot(key, table, keys, data, start, size, known_offsets, known_data)
            if number == ZERO:
                status = find_room(state, size, known, table, known_offsets, known_data)
                if status != DONE:
                    state[ROW], state[KNOWN] = i, known
                    return status
                keys[known] = key
                copy_bytes(data, start, known_data, known_offsets[known], size)
                known_offsets[known + 1] = known_offsets[known] + size
                known += 1
                number = np.uint64(known)
                table[place] = number
            indices[i] = number - ONE
        if block == BLOCK and has_runs(indices, row, stop):
            block = ONE
        row = stop
    state[ROW], state[KNOWN] = indices.size, known
    return DONE


@kernel
def has_runs(indices, first, last):
    """Tell whether three of four of ``indices[first:last]`` are like the one before; `first` < `last`."""
    repeats = ZERO
    for i in range(first + ONE, last):
        repeats += np.uint64(indices[i] == indices[i - ONE])
    return repeats * np.uint64(4) >= (last - first) * np.uint64(3)


@kernel
def copy_repeats(offsets, data, row, indices):
    """Give values that are the same as the one before them its index, from `row` > 0 on; returns the first that is not.

    It stops before the last bytes of `data` as well, which cannot be loaded in twos of eight.
    """
    before = offsets[row - ONE]
    size = offsets[row] - before
    while row < np.uint64(indices.size):
        start = offsets[row]
        if offsets[row + ONE] - start != size or data.size - start - size < KNOWN_SLACK:
            break
        if not is_known(data, start, size, data, before):
            break
        indices[row] = indices[row - ONE]
        row += ONE
    return row


@kernel
def find_room(state, size, known, table, known_offsets, known_data):
    """Tell whether there is room for one more value, of `size` bytes, and take it from the page."""
    if size + state[OVERHEAD] > state[ROOM]:
        return TOO_LARGE
    if SLOTS_PER_VALUE * known >= table.size or size + KNOWN_SLACK > known_data.size - known_offsets[known]:
        return FULL
    state[ROOM] -= size + state[OVERHEAD]
    return DONE


@kernel
def fill_table(keys, table):
    """Put the values with these keys into an empty table."""
    mask = np.uint64(table.size - 1)
    for i in range(np.uint64(keys.size)):
        place = keys[i] >> HALF & mask
        while table[place] != 0:
            place = (place + ONE) & mask
        table[place] = i + ONE


@kernel
def find_wild(indices, num_known):
    """Give the first of `indices`, uint16[n] or uint32[n], that is not below `num_known`; -1 where there is none."""
    most = np.uint32(0)
    for i in range(np.uint64(indices.size)):
        most = max(most, indices[i])
    if indices.size == 0 or most < num_known:
        return -1
    index = 0
    while indices[index] < num_known:  # in bounds: one of them is not
        index += 1
    return index


@kernel
def make_span(start, length, data_size):
    """Put where a value begins into the upper half of a uint64, and its bytes, at most 2**31 - 1, into the lower.

    The bit between them is set where there are too few bytes from `start` on for a wide copy.
    """
    span = as_unsigned(start) << HALF | as_unsigned(length)
    return span | FAR if data_size - start < COPY_SLACK else span


@kernel
def find_plain_spans(buf, end, spans):
    """Find where the values of a PLAIN page, ``buf[:end]``, lie; writes ``spans``, uint64[n] of :func:`make_span`.

    Returns ``(status, pos, index)``: OK, TRUNCATED or NEGATIVE_LENGTH, with `pos` at the value's length.
    """
    pos = np.int64(0)
    for i in range(spans.size):
        if end - pos < LENGTH_SIZE:
            return TRUNCATED, pos, i
        length = load_i32(buf, pos)
        if length < 0:
            return NEGATIVE_LENGTH, pos, i
        if length > end - pos - LENGTH_SIZE:
            return TRUNCATED, pos, i
        pos += LENGTH_SIZE
        spans[i] = make_span(pos, length, buf.size)
        pos += length
    return OK, pos, -1


@kernel
def find_spans(offsets, data, spans):
    """Find where the values of `offsets`, int64[n + 1] below 2**32, and `data` lie; writes ``spans``, uint64[n]."""
    for i in range(np.uint64(spans.size)):
        spans[i] = make_span(offsets[i], offsets[i + ONE] - offsets[i], data.size)


@kernel
def add_lengths(indices, spans):
    """Add up the lengths of the values that `indices`, uint32[n], mean; they have passed :func:`find_wild`."""
    total = ZERO
    for i in range(np.uint64(indices.size)):
        total += spans[np.uint64(indices[i])] & LENGTH
    return as_signed(total)


@kernel
def gather(indices, spans, known_data, offsets, data):
    """Write the values that `indices`, uint32[n], mean into ``offsets[1:]``, int64[n + 1], and `data`.

    The indices have passed :func:`find_wild`, and `data` has as many bytes as :func:`add_lengths` tells.
    """
    pos = np.int64(0)
    whole = np.uint64(indices.size) // GROUP * GROUP
    for first in range(ZERO, whole, GROUP):
        # One test for several values: a test for each takes as long as its copy.
        any_span = ZERO
        for k in range(GROUP):
            any_span |= spans[np.uint64(indices[first + k])]
        is_quick = any_span & LOW_HALF <= QUICK and data.size - pos >= QUICK_ROOM
        for k in range(GROUP):
            span = spans[np.uint64(indices[first + k])]
            if is_quick:
                copy32(known_data, as_signed(span >> HALF), data, pos)
            else:
                copy_bytes(known_data, as_signed(span >> HALF), data, pos, as_signed(span & LENGTH))
            pos += as_signed(span & LENGTH)
            offsets[first + k + ONE] = pos
    for i in range(whole, np.uint64(indices.size)):
        span = spans[np.uint64(indices[i])]
        copy_bytes(known_data, as_signed(span >> HALF), data, pos, as_signed(span & LENGTH))
        pos += as_signed(span & LENGTH)
        offsets[i + ONE] = pos


@kernel
def spread_indices(dense, validity, indices):
    """Spread `dense`, the uint32 indices of the values present, over `indices`, int32[n]; nulls become -1.

    `validity` has as many values present among its first n as `dense` has elements.
    """
    source = np.int64(0)
    last = dense.size - 1
    for i in range(indices.size):
        present = is_valid(validity, i)  # no branch: nulls come in no order that a processor could foresee
        index = np.int64(dense[min(source, last)]) if last >= 0 else np.int64(0)
        indices[i] = index | (present - 1)
        source += present
