"""UTF-8: whether the values of a column are valid, each on its own.

Specification: RFC 3629, section 4; what is valid there is what Python's decoder takes.
"""

import numpy as np

from ._jit import kernel
from .memory import bit_width
from .vector import at_least64

ZERO = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)
THREE = np.uint64(3)

LAST1 = ~ZERO << np.uint64(63)
LAST2 = ~ZERO << np.uint64(62)
LAST3 = ~ZERO << np.uint64(61)

BLOCK = 64


@kernel
def is_continuation(data, pos):
    """Tell whether the byte at `pos` belongs to a character that begins before it."""
    return data[pos] & 0xC0 == 0x80


@kernel
def character_size(data, pos, end):
    """Give the bytes of the valid character at ``data[pos:end]``, at least one byte; 0 where there is none."""
    lead = np.int64(data[pos])
    if lead < 0x80:
        return 1
    size = 2 + (lead >= 0xE0) + (lead >= 0xF0)
    if lead < 0xC2 or lead > 0xF4 or end - pos < size:
        return 0
    second = np.int64(data[pos + 1])
    # Neither longer forms than need be (E0, F0), nor surrogates (ED), nor what lies above Unicode (F4).
    lowest = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
    highest = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
    if second < lowest or second > highest:
        return 0
    for i in range(2, size):
        if not is_continuation(data, pos + i):
            return 0
    return size


@kernel
def block_size(data, pos):
    """Give the bytes of the characters that lie wholly in the 64 bytes at `pos`, where one begins; 0 if one is invalid.

    The rules are those of :func:`character_size`, for all bytes at once: a bit for each, the first the lowest.
    """
    high = at_least64(data, pos, 0x80)
    if high == ZERO:
        return BLOCK
    leads = at_least64(data, pos, 0xC0)
    leads3 = at_least64(data, pos, 0xE0)
    leads4 = at_least64(data, pos, 0xF0)
    faults = (high & ~leads) ^ (leads << ONE | leads3 << TWO | leads4 << THREE)
    faults |= leads & ~at_least64(data, pos, 0xC2)
    if leads3 != ZERO:
        above_f4 = at_least64(data, pos, 0xF5)
        leads_ed = at_least64(data, pos, 0xED) & ~at_least64(data, pos, 0xEE)
        leads_f4 = at_least64(data, pos, 0xF4) & ~above_f4
        # What follows E0 is to be A0 or more, what follows ED less; so with F0, F4 and 90. Of `x & ~a | y & a` LLVM
        # would make a choice within vectors, five times slower where a processor has no masks; of this it does not.
        bounded3 = leads3 & ~at_least64(data, pos, 0xE1) | leads_ed
        bounded4 = leads4 & ~at_least64(data, pos, 0xF1) | leads_f4
        faults |= bounded3 << ONE & ~(at_least64(data, pos, 0xA0) ^ leads_ed << ONE)
        faults |= bounded4 << ONE & ~(at_least64(data, pos, 0x90) ^ leads_f4 << ONE)
        faults |= above_f4
    if faults != ZERO:
        return 0
    cut = leads & LAST1 | leads3 & LAST2 | leads4 & LAST3  # the lead whose character goes on behind the block
    return BLOCK if cut == ZERO else bit_width(cut) - 1


@kernel
def ascii_end(data, start, end):
    """Give the end of the ASCII characters from `start` on."""
    pos = start
    while end - pos >= BLOCK and at_least64(data, pos, 0x80) == ZERO:
        pos += BLOCK
    while pos < end and data[pos] < 0x80:
        pos += 1
    return pos


@kernel
def valid_end(data, start, end):
    """Give the end of the valid characters from `start` on: `end` where ``data[start:end]`` is valid as a whole."""
    pos = start
    while end - pos >= BLOCK:
        size = block_size(data, pos)
        if size == 0:
            break
        pos += size
    while pos < end:
        size = character_size(data, pos, end)
        if size == 0:
            break
        pos += size
    return pos


@kernel
def find_invalid(offsets, data):
    """Find the first value of `offsets`, int64[n + 1], and `data` that is not valid UTF-8 on its own; -1 if none.

    All bytes together are valid, and no value ends within a character: one pass over the bytes, and one over the values
    where not all is ASCII.
    """
    num_values = offsets.size - 1
    last = offsets[num_values]
    end = ascii_end(data, offsets[0], last)
    if end == last:
        return -1
    end = valid_end(data, end, last)
    for i in range(num_values):
        stop = offsets[i + 1]
        if stop > offsets[i] and (stop > end or (stop < end and is_continuation(data, stop))):
            return i
    return -1
