"""Slots of fixed width, NumPy's U and S, to the values of a column and back: UCS-4 to UTF-8, and bytes to bytes.

A slot that is longer than its value ends in NULs; NULs before those are part of the value. A quick way takes the same
steps for each slot, whatever its value, because lengths come in no order that a processor could foresee: it loads and
stores more than the value has, and what is too much is stored again with the next slot. The last slots, which have
nothing behind them, go the plain way.
"""

import numpy as np

from ._jit import kernel
from .memory import bit_width, copy_exact, count_ones, load32, merge32, store32, zeros32
from .points import narrow16, read_points8, widen16, write_points8
from .utf8 import is_continuation
from .vector import at_least16, at_least32, at_least64

ZERO = np.uint64(0)
ONES = ~ZERO

SLACK = 32
"""Bytes that are touched behind the values of a column that is made of slots."""

POINT_SIZE = 4
"""Bytes that a code point takes at most in UTF-8."""

READ_SLACK = 72
"""Bytes behind a value with which it goes the quick way into a slot."""


@kernel
def low_bits(count, most):
    """Give a word whose lowest `count` bits are set, 0 to `most` of them, which is below 64."""
    return ~(ONES << np.uint64(max(0, min(count, most))))


# ------------------------------------------------------------------------------------------ to a column


@kernel
def write_point(point, data, pos):
    """Write a code point, an int64, as UTF-8; returns `pos`, or -1 where it is no text."""
    if point < 0x80:
        data[pos] = point
        return pos + 1
    if 0xD800 <= point < 0xE000 or point > 0x10FFFF:
        return -1
    size = 2 + (point >= 0x800) + (point >= 0x10000)
    for i in range(size - 1, 0, -1):
        data[pos + i] = 0x80 | point & 0x3F
        point >>= 6
    data[pos] = (0xF00 >> size & 0xFF) | point
    return pos + size


@kernel
def encode_slot_plainly(points, start, end, data, pos):
    """Write the value of the slot ``points[start:end]`` as :func:`encode_slot` does, and touch nothing else."""
    while end > start and points[end - 1] == 0:
        end -= 1
    for i in range(start, end):
        pos = write_point(np.int64(points[i]), data, pos)
        if pos < 0:
            break
    return pos


@kernel
def encode_slot(points, start, end, data, pos):
    """Write the value of the slot ``points[start:end]`` as UTF-8; returns `pos`, or -1 where it is no text.

    Touches 15 elements behind the slot, and as many bytes as it has elements, and 15.
    """
    length = np.int64(0)
    above_ascii = ZERO
    for i in range(0, end - start, 16):
        lanes = low_bits(end - start - i, 16)
        narrow16(points, start + i, data, pos + i)
        above_ascii |= at_least16(points, start + i, 0x80) & lanes
        used = at_least16(points, start + i, 1) & lanes
        if used != ZERO:
            length = i + bit_width(used)
    if above_ascii == ZERO:
        return pos + length
    for i in range(0, length, 8):
        pos = write_points8(points, start + i, length - i, data, pos)
        if pos < 0:
            break
    return pos


@kernel
def encode_text(points, width, offsets, data):
    """Write the values of `points`, uint32[n * width], as UTF-8 into `offsets`, int64[n + 1], and `data`.

    `data` has POINT_SIZE bytes for each code point, and SLACK. Returns the index of a value that is not Unicode text;
    -1 where all are.
    """
    pos = np.int64(0)
    offsets[0] = pos
    for i in range(offsets.size - 1):
        end = (i + 1) * width
        if points.size - end >= 15:  # for the last 16 that begin within the slot
            pos = encode_slot(points, end - width, end, data, pos)
        else:
            pos = encode_slot_plainly(points, end - width, end, data, pos)
        if pos < 0:
            return i
        offsets[i + 1] = pos
    return -1


@kernel
def trim_slots(slots, width, offsets, data):
    """Write the values of `slots`, uint8[n * width], into `offsets`, int64[n + 1], and `data`.

    `data` has as many bytes as `slots`, and SLACK.
    """
    pos = np.int64(0)
    offsets[0] = pos
    for i in range(offsets.size - 1):
        start = i * width
        length = np.int64(0)
        if slots.size - start - width >= 31:  # for the last 32 that begin within the slot
            for k in range(0, width, 32):
                store32(data, pos + k, load32(slots, start + k))
                used = at_least32(slots, start + k, 1) & low_bits(width - k, 32)
                if used != ZERO:
                    length = k + bit_width(used)
        else:
            length = width
            while length > 0 and slots[start + length - 1] == 0:
                length -= 1
            copy_exact(slots, start, data, pos, length)
        pos += length
        offsets[i + 1] = pos


# ------------------------------------------------------------------------------------------ from a column


@kernel
def find_final_nul(offsets, data):
    """Find the first value of `offsets`, int64[n + 1], and `data` whose last byte is NUL; -1 if there is none."""
    for i in range(offsets.size - 1):
        end = offsets[i + 1]
        if end > offsets[i] and data[end - 1] == 0:
            return i
    return -1


@kernel
def most_bytes(offsets):
    """Give the bytes of the longest value of `offsets`, int64[n + 1]."""
    most = np.int64(0)
    for i in range(offsets.size - 1):
        most = max(most, offsets[i + 1] - offsets[i])
    return most


@kernel
def most_points(offsets, data):
    """Give the most code points that a value of `offsets`, int64[n + 1], and `data`, valid UTF-8, has."""
    most = np.int64(0)
    for i in range(offsets.size - 1):
        if offsets[i + 1] - offsets[i] > most:  # only then can it have more code points
            most = max(most, count_points(data, offsets[i], offsets[i + 1]))
    return most


@kernel
def count_points(data, start, end):
    """Count the characters of UTF-8 that begin in ``data[start:end]``."""
    count = np.int64(0)
    pos = start
    while pos < end and data.size - pos >= 64:
        count += count_ones(find_leads(data, pos, end))
        pos += 64
    for i in range(pos, end):
        count += not is_continuation(data, i)
    return count


@kernel
def find_leads(data, pos, end):
    """Give bits, the first the lowest: which of the 64 bytes at `pos` begin a character, of those before `end`."""
    leads = ~at_least64(data, pos, 0x80) | at_least64(data, pos, 0xC0)
    return leads if end - pos >= 64 else leads & low_bits(end - pos, 63)


@kernel
def read_point(data, pos, end):
    """Read the code point of the character of UTF-8 that begins at `pos`, of the bytes before `end`."""
    lead = np.int64(data[pos])
    size = 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)
    point = lead if size == 1 else lead & 0x7F >> size
    for i in range(pos + 1, min(pos + size, end)):
        point = point << 6 | np.int64(data[i] & 0x3F)
    return point


@kernel
def decode_slot_plainly(data, start, end, out, at, stop):
    """Write the value ``data[start:end]`` as :func:`decode_slot` does, and touch nothing else."""
    for i in range(start, end):
        if not is_continuation(data, i):
            if at == stop:
                return False
            out[at] = read_point(data, i, end)
            at += 1
    for i in range(at, stop):
        out[i] = 0
    return True


@kernel
def decode_slot(data, start, end, out, at, stop):
    """Write the value ``data[start:end]``, UTF-8, into the slot ``out[at:stop]``, and zeros behind it.

    Touches 15 elements behind the slot, and READ_SLACK bytes behind the value. Tells whether the slot is long enough.
    """
    above_ascii = ZERO
    for i in range(0, stop - at, 16):
        pos = min(start + i, end)
        widen16(data, pos, end - pos, out, at + i)
        above_ascii |= at_least16(data, pos, 0x80) & low_bits(end - pos, 16)
    if above_ascii == ZERO and end - start <= stop - at:
        return True
    for i in range(0, stop - at, 16):
        widen16(data, end, 0, out, at + i)  # all zeros
    for pos in range(start, end, 64):
        leads = find_leads(data, pos, end)
        after = at + count_ones(leads)
        if after > stop:
            return False
        while at < after:
            leads = read_points8(data, pos, leads, out, at)
            at += 8
        at = after
    return True


@kernel
def decode_text(offsets, data, width, out):
    """Write the values of `offsets`, int64[n + 1], and `data`, UTF-8, into `out`, uint32[n * width], and zeros.

    Returns the index of a value that does not lie within `data` or has more than `width` code points, -1 if there is
    none: they have been looked at before, but another thread may have written to them since.
    """
    for i in range(offsets.size - 1):
        start, end = offsets[i], offsets[i + 1]
        at, stop = i * width, (i + 1) * width
        if start < 0 or end < start or end > data.size:
            return i
        if data.size - end >= READ_SLACK and out.size - stop >= 15:  # as decode_slot says
            fits = decode_slot(data, start, end, out, at, stop)
        else:
            fits = decode_slot_plainly(data, start, end, out, at, stop)
        if not fits:
            return i
    return -1


@kernel
def fill_slots(offsets, data, width, out):
    """Write the values of `offsets`, int64[n + 1], and `data` into `out`, uint8[n * width], and zeros.

    Returns as :func:`decode_text` does.
    """
    for i in range(offsets.size - 1):
        start, end = offsets[i], offsets[i + 1]
        at, stop = i * width, (i + 1) * width
        if start < 0 or end < start or end > data.size or end - start > width:
            return i
        if data.size - end >= 32 and out.size - stop >= 31:  # for a load at the end, a store in the slot's last byte
            for k in range(0, width, 32):
                pos = min(start + k, end)
                store32(out, at + k, merge32(load32(data, pos), zeros32(), min(end - pos, 32)))
        else:
            copy_exact(data, start, out, at, end - start)
            for k in range(at + end - start, stop):
                out[k] = 0
    return -1
