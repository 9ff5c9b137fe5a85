"""Common prefixes: what DELTA_BYTE_ARRAY leaves out of each value, and puts back.

Specification: Encodings.md, "Delta Strings" (incremental encoding, front compression).
"""

import numpy as np

from .._spec import Status
from ._jit import kernel
from .memory import copy_bytes, copy_exact, copy_wide, load32, load_u64, merge32, store32, trailing_zeros, zeros32
from .vector import add_up

OK = Status.OK.value
TRUNCATED = Status.TRUNCATED.value
NEGATIVE_LENGTH = Status.NEGATIVE_LENGTH.value
PREFIX = Status.PREFIX.value
FIRST_PREFIX = Status.FIRST_PREFIX.value
LIMIT = Status.LIMIT.value

ZERO = np.uint64(0)


@kernel
def count_common(data_before, before, data, start, limit):
    """Count the equal bytes, at most `limit`, from ``data_before[before]`` and ``data[start]`` on.

    There are no more bytes from `start` on in `data` than from `before` on in the other, which may be the same.
    """
    done = 0
    while data.size - start - done >= 8:
        common = trailing_zeros(load_u64(data_before, before + done) ^ load_u64(data, start + done)) >> 3
        if common < 8 or limit - done <= 8:
            return min(limit, done + common)
        done += 8
    # In bounds: both values have `limit` bytes.
    while done < limit and data_before[before + done] == data[start + done]:
        done += 1
    return done


@kernel
def find_prefixes(offsets, data, prefix_lengths):
    """Find how many bytes each value in `offsets`, int64[n + 1], and `data` shares with the one before.

    Writes ``prefix_lengths``, int32[n]; returns the bytes of all that is left of the values. No value is above
    MAX_VALUE_LENGTH.
    """
    total = np.int64(0)
    before = offsets[0]
    length_before = np.int64(0)
    for i in range(prefix_lengths.size):
        start = offsets[i]
        length = offsets[i + 1] - start
        prefix = count_common(data, before, data, start, min(length, length_before))
        prefix_lengths[i] = prefix
        total += length - prefix
        before = start
        length_before = length
    return total


@kernel
def split_slices(starts, ends, data, value_before, prefix_lengths, suffix_lengths, out, pos):
    """Split each of the values ``data[starts[i] : ends[i]]``, int64[n] each, at the end of what it shares.

    Writes how many bytes it shares with the one before, which for the first is `value_before`, how many are left, both
    uint32[n], and these into `out`; returns `pos`. No value is above MAX_VALUE_LENGTH.
    """
    before = np.int64(0)
    length_before = np.int64(value_before.size)
    for i in range(starts.size):
        start = starts[i]
        length = ends[i] - start
        limit = min(length, length_before)
        if i > 0:
            prefix = count_common(data, min(before, start), data, max(before, start), limit)
        elif value_before.size < data.size - start:
            prefix = count_common(data, start, value_before, 0, limit)
        else:
            prefix = count_common(value_before, 0, data, start, limit)
        prefix_lengths[i] = prefix
        suffix_lengths[i] = length - prefix
        copy_bytes(data, start + prefix, out, pos, length - prefix)
        pos += length - prefix
        before = start
        length_before = length
    return pos


@kernel
def gather_suffixes(offsets, data, prefix_lengths, out, pos):
    """Write the bytes of each value in `offsets`, int64[n + 1], behind its prefix; returns `pos`."""
    for i in range(prefix_lengths.size):
        start = offsets[i] + prefix_lengths[i]
        size = offsets[i + 1] - start
        copy_bytes(data, start, out, pos, size)
        pos += size
    return pos


@kernel
def check_prefixes(prefix_lengths, suffix_lengths, room, limit):
    """Check prefix and suffix lengths, int32[n], of values for which a page has `room` suffix bytes.

    `limit` is the number of bytes that all values together may take.

    Returns ``(status, index, total)``: OK, FIRST_PREFIX (the first value has none before it), PREFIX (negative, or
    longer than the value before), NEGATIVE_LENGTH (a suffix), TRUNCATED (suffixes that end behind `room`) or LIMIT; and
    the bytes of all values together, or where there is a fault, of the suffixes before it.
    """
    num_values = prefix_lengths.size
    any_bits = np.int64(0)
    suffix_total = np.int64(0)
    prefix_total = np.int64(prefix_lengths[0]) if num_values > 0 else np.int64(0)
    for i in range(num_values):
        any_bits |= np.int64(suffix_lengths[i])
        suffix_total += np.int64(suffix_lengths[i])
    first_prefix = prefix_total
    for i in range(1, num_values):
        prefix = np.int64(prefix_lengths[i])
        before = np.int64(prefix_lengths[i - 1]) + np.int64(suffix_lengths[i - 1])
        any_bits |= prefix | (before - prefix)  # negative where the prefix is, or the value before is shorter
        prefix_total += prefix
    total = prefix_total + suffix_total
    if any_bits >= 0 and first_prefix == 0 and suffix_total <= room and total <= limit:
        return OK, -1, total
    return find_fault(prefix_lengths, suffix_lengths, room, limit)


@kernel
def find_fault(prefix_lengths, suffix_lengths, room, limit):
    """Find the first value that does not pass :func:`check_prefixes`, and return what that does."""
    length = np.int64(0)
    total = np.int64(0)
    suffix_total = np.int64(0)
    index = 0
    status = FIRST_PREFIX if prefix_lengths[0] != 0 else OK
    while status == OK:  # in bounds: the caller has seen that there is a fault
        prefix = np.int64(prefix_lengths[index])
        suffix = np.int64(suffix_lengths[index])
        if prefix < 0 or prefix > length:
            status = PREFIX
        elif suffix < 0:
            status = NEGATIVE_LENGTH
        elif suffix > room - suffix_total:
            status = TRUNCATED
        elif prefix + suffix > limit - total:
            status = LIMIT
        else:
            length = prefix + suffix
            total += length
            suffix_total += suffix
            index += 1
    return status, index, suffix_total


@kernel
def find_other_sum(prefix_lengths, suffix_lengths, length):
    """Find the first value whose prefix and suffix lengths, int32[n], do not come to `length`; -1 where all do."""
    any_bits = np.int64(0)
    for i in range(prefix_lengths.size):
        any_bits |= (np.int64(prefix_lengths[i]) + np.int64(suffix_lengths[i])) ^ length
    if any_bits == 0:
        return -1
    index = 0
    while np.int64(prefix_lengths[index]) + np.int64(suffix_lengths[index]) == length:  # in bounds: one fails this
        index += 1
    return index


@kernel
def rebuild_offsets(prefix_lengths, suffix_lengths, offsets):
    """Add up lengths that have passed :func:`check_prefixes` into ``offsets[1:]``, int64[n + 1], of whole values."""
    for i in range(prefix_lengths.size):
        offsets[i + 1] = np.int64(prefix_lengths[i]) + np.int64(suffix_lengths[i])
    add_up(offsets[1:], offsets)


@kernel
def rebuild_values(buf, pos, prefix_lengths, offsets, value_before, data):
    """Write each value: its prefix from the value before, its suffix from ``buf[pos:]``; returns `pos`.

    `prefix_lengths`, int32[n], have passed :func:`check_prefixes`, maybe together with those of values before these,
    the last of which is `value_before`; ``offsets[1:]`` are of :func:`rebuild_offsets`, and `data` has at least
    ``offsets[n]`` bytes.
    """
    num_values = prefix_lengths.size
    before = np.int64(0)
    start = np.int64(0)
    i = 0
    if num_values > 0 and prefix_lengths[0] > 0:
        copy_exact(value_before, 0, data, 0, np.int64(prefix_lengths[0]))  # as if this were the value before
    while i < num_values:
        # A value before of up to 32 bytes stays in a register, as reading it back would wait for its store. No call
        # stands in the inner loop, for a call would put the register on the stack.
        value = load32(data, before) if data.size - before >= 32 else zeros32()
        while i < num_values:
            prefix = np.int64(prefix_lengths[i])
            length = offsets[i + 1] - start
            if buf.size - pos - (length - prefix) < 32 or data.size - start - length < 32:
                break
            if length <= 32:
                # A byte's place in the value is `prefix` on from its place in the suffix: load that much earlier. In
                # bounds: no value is longer than all suffixes up to it, which lie before `pos`.
                value = merge32(value, load32(buf, pos - prefix), prefix)
                store32(data, start, value)
            else:
                copy_wide(data, before, data, start, prefix)
                copy_wide(buf, pos, data, start + prefix, length - prefix)
                value = load32(data, start)
            pos += length - prefix
            before = start
            start += length
            i += 1
        if i < num_values:
            prefix = np.int64(prefix_lengths[i])
            length = offsets[i + 1] - start
            copy_exact(data, before, data, start, prefix)
            copy_exact(buf, pos, data, start + prefix, length - prefix)
            pos += length - prefix
            before = start
            start += length
            i += 1
    return pos


@kernel
def rebuild_last(buf, pos, prefix_lengths, suffix_lengths, value):
    """Make the last of some values out of the one before them, in `value`, which has room for the longest.

    The lengths, int32[n], have passed :func:`check_prefixes`, and the suffixes begin at ``buf[pos]``; returns `pos`.
    """
    for i in range(prefix_lengths.size):
        size = np.int64(suffix_lengths[i])
        copy_bytes(buf, pos, value, np.int64(prefix_lengths[i]), size)
        pos += size
    return pos
