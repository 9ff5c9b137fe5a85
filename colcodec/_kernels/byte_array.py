"""Values of a byte-array column: lengths and offsets, and PLAIN in and out.

Specification: Encodings.md, "Plain" (BYTE_ARRAY: a four-byte length before each value).
"""

import numpy as np

from .._spec import MAX_VALUE_LENGTH, Status
from ._jit import kernel
from .memory import as_unsigned, copy_bytes, load_i32, store_i32

NEGATIVE = np.int64(-(2**63))

OK = Status.OK.value
TRUNCATED = Status.TRUNCATED.value
NEGATIVE_LENGTH = Status.NEGATIVE_LENGTH.value
LIMIT = Status.LIMIT.value

LENGTH_SIZE = 4
"""Bytes of the length before a PLAIN value."""


@kernel
def scan_offsets(offsets, data_size):
    """Give the bitwise or of all lengths in `offsets`, int64[n + 1], whose bit width is that of the longest value.

    It is negative where any offset is, or is below the one before, or is above `data_size`.
    """
    any_length = np.int64(0)
    any_offset = offsets[0]
    for i in range(offsets.size - 1):
        any_length |= offsets[i + 1] - offsets[i]
        any_offset |= offsets[i + 1]
    if any_offset < 0:  # lengths of negative offsets can wrap to what looks well
        return any_offset
    return any_length | (data_size - offsets[offsets.size - 1]) & NEGATIVE


@kernel
def find_other_length(offsets, length):
    """Find the first value in `offsets`, int64[n + 1], that has not `length` bytes; -1 where all have.

    The offsets may be any numbers.
    """
    any_bits = np.int64(0)
    for i in range(offsets.size - 1):
        any_bits |= (offsets[i + 1] - offsets[i]) ^ length
    if any_bits == 0:
        return -1
    index = 0
    while offsets[index + 1] - offsets[index] == length:  # in bounds: one of them fails this
        index += 1
    return index


@kernel
def fill_offsets(length, offsets):
    """Write the ends of values of `length` bytes each into ``offsets[1:]``, int64[n + 1]."""
    for i in range(1, offsets.size):
        offsets[i] = i * length


@kernel
def check_lengths(lengths, room, limit):
    """Check `lengths`, int32[n], of values for which a page has `room` bytes and the caller allows `limit`.

    Returns ``(status, index, total)``: OK, NEGATIVE_LENGTH, TRUNCATED (the values end behind `room`) or LIMIT; and the
    sum of the lengths, up to the value at fault.
    """
    total = np.int64(0)
    any_bits = np.int64(0)
    for i in range(lengths.size):
        any_bits |= np.int64(lengths[i])
        total += np.int64(lengths[i])
    if any_bits >= 0 and total <= min(room, limit):
        return OK, -1, total
    total = np.int64(0)
    index = 0
    while lengths[index] >= 0 and total + lengths[index] <= min(room, limit):  # in bounds: one of them fails this
        total += lengths[index]
        index += 1
    if lengths[index] < 0:
        return NEGATIVE_LENGTH, index, total
    return TRUNCATED if total + lengths[index] > room else LIMIT, index, total


@kernel
def sum_lengths(lengths):
    """Add up `lengths`, int32[n]."""
    total = np.int64(0)
    for i in range(np.uint64(lengths.size)):
        total += np.int64(lengths[i])
    return total


@kernel
def check_slices(starts, lengths, data_size, ends):
    """Check values that begin at `starts`, int64[n], and have `lengths`, int64[n], in data of `data_size` bytes.

    Writes where they end, ``ends``, int64[n]. Returns ``(index, total)``: the first value that is negative, longer than
    MAX_VALUE_LENGTH or not within the data, -1 where there is none; and the sum of all lengths.
    """
    any_bits = np.int64(0)
    total = np.int64(0)
    for i in range(np.uint64(starts.size)):
        any_bits |= slice_fault(starts[i], lengths[i], data_size)
        total += lengths[i]
        ends[i] = starts[i] + lengths[i]
    if any_bits >= 0:
        return -1, total
    index = 0
    while slice_fault(starts[index], lengths[index], data_size) >= 0:  # in bounds: one of them fails this
        index += 1
    return index, total


@kernel
def slice_fault(start, length, data_size):
    """Give a negative number where a slice does not lie within the data, or is too long for a value."""
    left = data_size - start  # where this or what follows wraps to what looks well, something else is negative
    return start | length | left | (left - length) | (MAX_VALUE_LENGTH - length)


@kernel
def take_lengths(starts, ends, lengths):
    """Write the lengths of the values ``data[starts[i] : ends[i]]``, none above MAX_VALUE_LENGTH, as uint32[n]."""
    for i in range(np.uint64(lengths.size)):
        lengths[i] = as_unsigned(ends[i] - starts[i])


@kernel
def copy_slices(starts, ends, data, out, pos):
    """Write the bytes of the values ``data[starts[i] : ends[i]]``, int64[n] each, end to end; returns `pos`.

    Those that lie end to end in `data` as well are copied in one go.
    """
    i = 0
    while i < starts.size:
        start = starts[i]
        end = ends[i]
        i += 1
        while i < starts.size and starts[i] == end:
            end = ends[i]
            i += 1
        copy_bytes(data, start, out, pos, end - start)
        pos += end - start
    return pos


@kernel
def write_plain(data, start, length, out, pos):
    """Write ``data[start : start + length]`` behind its length; returns `pos`."""
    store_i32(out, pos, length)
    copy_bytes(data, start, out, pos + LENGTH_SIZE, length)
    return pos + LENGTH_SIZE + length


@kernel
def encode_plain(offsets, data, out, pos):
    """Write the values of `offsets`, int64[n + 1], and `data`, each behind its length, into `out`; returns `pos`.

    `out` has 4 bytes a value and the values' bytes from `pos` on; no value is above MAX_VALUE_LENGTH.
    """
    for i in range(offsets.size - 1):
        pos = write_plain(data, offsets[i], offsets[i + 1] - offsets[i], out, pos)
    return pos


@kernel
def encode_plain_slices(starts, ends, data, out, pos):
    """Do the same with the values ``data[starts[i] : ends[i]]``, int64[n] each, which takes a tenth longer."""
    for i in range(starts.size):
        pos = write_plain(data, starts[i], ends[i] - starts[i], out, pos)
    return pos


@kernel
def decode_plain(buf, pos, end, offsets, data):
    """Decode the values at ``buf[pos:end]`` into ``offsets[1:]``, int64[n + 1], and `data`.

    The buffer has at least 4 bytes for each value; `data` has room for all other bytes of the buffer, or for as many as
    the caller allows. A value that would leave too few bytes for the lengths of those behind it is truncated, so that
    one comparison a value is enough.

    Returns ``(status, pos, index)``: OK, TRUNCATED, NEGATIVE_LENGTH or LIMIT, with `pos` at the value's length.
    """
    num_values = offsets.size - 1
    size = np.int64(0)
    for i in range(num_values):
        length = load_i32(buf, pos)  # in bounds: 4 bytes for each value still to come have been kept
        if as_unsigned(length) > as_unsigned(data.size - size):
            if length < 0:
                return NEGATIVE_LENGTH, pos, i
            truncated = length > end - pos - LENGTH_SIZE * (num_values - i)
            return TRUNCATED if truncated else LIMIT, pos, i
        pos += LENGTH_SIZE
        copy_bytes(buf, pos, data, size, length)
        pos += length
        size += length
        offsets[i + 1] = size
    return OK, pos, -1


@kernel
def scan_plain(buf, pos, num_values, room, limit):
    """Find the end of the next `num_values` values at ``buf[pos:]``.

    Beside the lengths of all values still to come, the page has `room` bytes, and the caller allows `limit`.

    Returns ``(status, pos, index)``, as :func:`decode_plain` does of the same values.
    """
    most = min(room, limit)
    for i in range(num_values):
        length = load_i32(buf, pos)  # in bounds: 4 bytes for each value still to come have been kept
        if as_unsigned(length) > as_unsigned(most):
            if length < 0:
                return NEGATIVE_LENGTH, pos, i
            return TRUNCATED if length > room else LIMIT, pos, i
        pos += LENGTH_SIZE + length
        room -= length
        most -= length
    return OK, pos, -1


@kernel
def count_plain(buf, pos, end):
    """Count the values at ``buf[pos:end]``, up to the end.

    Returns ``(status, pos, count)``: OK; or TRUNCATED or NEGATIVE_LENGTH with `pos` at the length of a broken value.
    """
    count = 0
    while pos < end:
        if end - pos < LENGTH_SIZE:
            return TRUNCATED, pos, count
        length = load_i32(buf, pos)
        if length < 0:
            return NEGATIVE_LENGTH, pos, count
        if length > end - pos - LENGTH_SIZE:
            return TRUNCATED, pos, count
        pos += LENGTH_SIZE + length
        count += 1
    return OK, pos, count
