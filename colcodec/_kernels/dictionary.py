"""Distinct values of a column, in the order in which they are first seen, and columns put together from such values.

Specification: Encodings.md, "Dictionary Encoding".
"""

import numpy as np

from ._jit import kernel
from .bitpack import read_word
from .memory import copy_bytes, fold_multiply, load_pair, load_u64
from .validity import is_valid

ZERO = np.uint64(0)
ONE = np.uint64(1)
SALT = np.uint64(0x9E3779B97F4A7C15)

# A slot of the hash table is 0, or the upper half of a value's hash with 1 more than its index below.
INDEX_BITS = np.uint64(32)
INDEX_MASK = np.uint64(0xFFFFFFFF)

KNOWN_SLACK = 16
"""Bytes behind the values of a growing dictionary, so that two loads take any short one."""

# What a search remembers from one call to the next, by its place in the state.
ROW = 0  # the next value of the column to look at
KNOWN = 1  # distinct values so far
ROOM = 2  # bytes that the dictionary page may still take
OVERHEAD = 3  # bytes that each value takes there beside its own
STATE_SIZE = 4

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
    return fold_multiply(fold_multiply(first ^ result, second ^ salt) ^ np.uint64(size), salt)


@kernel
def is_known(data, start, size, known_data, known_start):
    """Tell whether `size` bytes are the same; `known_data` has KNOWN_SLACK bytes behind them."""
    left = size
    while left > 16:
        if load_u64(data, start) != load_u64(known_data, known_start):
            return False
        start += 8
        known_start += 8
        left -= 8
    first, second = load_tail(data, start, left)
    known_first, known_second = load_pair(known_data, known_start, left)
    return first ^ known_first | second ^ known_second == ZERO


@kernel
def find_slot(tag, table, data, start, size, known_offsets, known_data):
    """Find the slot of a value with the hash `tag`, or the empty one where it belongs; one is empty.

    Returns ``(place, number)``, both uint64; `number` is 1 more than the value's index, and 0 if it is not known.
    """
    mask = np.uint64(table.size - 1)
    place = tag & mask
    while True:
        slot = table[place]
        if slot == ZERO:
            return place, ZERO
        if slot >> INDEX_BITS == tag:
            number = slot & INDEX_MASK
            known_start = known_offsets[number - ONE]
            if known_offsets[number] - known_start == size and is_known(data, start, size, known_data, known_start):
                return place, number
        place = (place + ONE) & mask


@kernel
def find_distinct(offsets, data, state, seed, table, known_offsets, known_data, indices):
    """Find which distinct value each value in `offsets`, int64[n + 1], and `data` is; goes on from ``state[ROW]``.

    `table` is uint64, of a power of two of slots, of which at most half are taken. The distinct values so far,
    ``state[KNOWN]``, are those of `known_offsets`, int64 with room for one for each of these, from 0 on, and
    `known_data`, uint8; new ones join them. Writes ``indices``, uint32[n].

    Returns DONE, FULL or TOO_LARGE; the last two leave ``state[ROW]`` at the value that found no room.
    """
    salt = fold_multiply(seed ^ SALT, SALT) | ONE  # odd, so that no bit is multiplied away
    known = state[KNOWN]
    for row in range(np.uint64(state[ROW]), np.uint64(indices.size)):
        start = offsets[row]
        size = offsets[row + ONE] - start
        tag = hash_value(data, start, size, seed, salt) >> INDEX_BITS
        place, number = find_slot(tag, table, data, start, size, known_offsets, known_data)
        if number == ZERO:
            status = DONE
            end = known_offsets[known]
            if size + state[OVERHEAD] > state[ROOM]:
                status = TOO_LARGE
            elif 2 * known >= table.size or size + KNOWN_SLACK > known_data.size - end:
                status = FULL
            if status != DONE:
                state[ROW], state[KNOWN] = row, known
                return status
            known += 1
            number = np.uint64(known)
            table[place] = tag << INDEX_BITS | number
            copy_bytes(data, start, known_data, end, size)
            known_offsets[known] = end + size
            state[ROOM] -= size + state[OVERHEAD]
        indices[row] = number - ONE
    state[ROW], state[KNOWN] = indices.size, known
    return DONE


@kernel
def move_slots(table, larger):
    """Move all slots of a table, uint64, to an empty one that is at least as large."""
    mask = np.uint64(larger.size - 1)
    for i in range(table.size):
        slot = table[i]
        if slot != ZERO:
            place = (slot >> INDEX_BITS) & mask
            while larger[place] != ZERO:
                place = (place + ONE) & mask
            larger[place] = slot


@kernel
def find_wild(indices, num_known):
    """Give the first of `indices`, uint32[n], that is not below `num_known`; -1 where there is none."""
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
def add_lengths(indices, known_offsets):
    """Add up the lengths of the values that `indices`, uint32[n], of `known_offsets` mean; all are below its last."""
    total = np.int64(0)
    for i in range(np.uint64(indices.size)):
        index = np.uint64(indices[i])
        total += known_offsets[index + ONE] - known_offsets[index]
    return total


@kernel
def gather(indices, known_offsets, known_data, offsets, data):
    """Write the values that `indices`, uint32[n], mean into ``offsets[1:]``, int64[n + 1], and `data`.

    The indices have passed :func:`find_wild`, and `data` has as many bytes as :func:`add_lengths` tells.
    """
    pos = np.int64(0)
    for i in range(np.uint64(indices.size)):
        index = np.uint64(indices[i])
        start = known_offsets[index]
        size = known_offsets[index + ONE] - start
        copy_bytes(known_data, start, data, pos, size)
        pos += size
        offsets[i + ONE] = pos


@kernel
def spread_indices(dense, validity, indices):
    """Spread `dense`, the uint32 indices of the values present, over `indices`, int32[n]; nulls become -1.

    `validity` has as many values present among its first n as `dense` has elements.
    """
    source = 0
    for i in range(indices.size):
        if is_valid(validity, i):
            indices[i] = dense[source]
            source += 1
        else:
            indices[i] = -1
