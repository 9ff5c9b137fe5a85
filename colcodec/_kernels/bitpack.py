"""Bit packing, least significant bit first: eight values of `width` bits fill `width` bytes.

Specification: Encodings.md, "Run Length Encoding / Bit-Packing Hybrid", note 1; DELTA_BINARY_PACKED packs the same way.
"""

import numpy as np

from ._jit import kernel
from .memory import load_u64, store_u64
from .vector import unpack8_medium, unpack8_narrow, unpack8_wide

ZERO = np.uint64(0)
WORD_BITS = 64

STORE_SLACK = 8
"""Bytes behind the last packed one that :func:`pack` may write zeros into."""


@kernel
def read_word(buf, pos, end):
    """Load the 8 bytes at ``buf[pos:end]``, taking those past `end` as zero."""
    if end - pos >= 8:
        return load_u64(buf, pos)
    word = ZERO
    for i in range(end - pos):
        word |= np.uint64(buf[pos + i]) << np.uint64(8 * i)
    return word


@kernel
def read_bits(buf, pos, end, width, index):
    """Read value `index` of those of `width` bits, 1 to 64, that begin at ``buf[pos]`` and end before `end`."""
    bit = index * width
    first = pos + (bit >> 3)
    shift = bit & 7
    word = read_word(buf, first, end) >> np.uint64(shift)
    if shift + width > WORD_BITS:
        word |= np.uint64(buf[first + 8]) << np.uint64(WORD_BITS - shift)  # in bounds: the value reaches into it
    return word & (~ZERO >> np.uint64(WORD_BITS - width))


@kernel
def count_groups(pos, end, width, count):
    """Count the groups of eight, of `count` values of `width` bits, 1 to 64, at `pos`, that :func:`unpack8` can take.

    It loads up to eight bytes more than a group has, and takes no more than 57 bits.
    """
    groups = count >> 3
    if width > 57:
        return 0
    if groups * width + 8 > end - pos:
        groups = max((end - pos - 8) // width, 0)
    return groups


@kernel
def unpack8(buf, pos, width, out, start):
    """Unpack eight values of 1 to 57 bits at ``buf[pos:]`` into ``out[start : start + 8]``."""
    if width <= 8:
        unpack8_narrow(buf, pos, width, out, start)
    elif width <= 16:
        unpack8_medium(buf, pos, width, out, start)
    else:
        unpack8_wide(buf, pos, width, out, start)


@kernel
def unpack_rest(buf, pos, end, width, out, done, count):
    """Unpack those of `count` values of 1 to 64 bits that follow the first `done` into ``out[done:count]``."""
    for i in range(done, count):
        out[i] = read_bits(buf, pos, end, width, i)


@kernel
def pack(values, start, count, width, out, pos):
    """Pack ``values[start : start + count]``, each below ``2**width``, into ``out[pos:]``; returns `pos`.

    `values` is an unsigned integer array, `count` a multiple of 8. Writes ``count * width // 8`` bytes, and zeros into
    up to STORE_SLACK bytes behind them.
    """
    if width == 0:
        return pos
    if width <= 8:
        for group in range(count >> 3):
            word = ZERO
            for i in range(8):
                word |= np.uint64(values[start + 8 * group + i]) << np.uint64(i * width)
            store_u64(out, pos, word)
            pos += width
        return pos
    word = ZERO
    filled = 0
    for i in range(start, start + count):
        value = np.uint64(values[i])
        word |= value << np.uint64(filled)
        filled += width
        if filled >= WORD_BITS:
            store_u64(out, pos, word)
            pos += 8
            filled -= WORD_BITS
            word = value >> np.uint64(width - filled) if filled > 0 else ZERO
    store_u64(out, pos, word)
    return pos + (filled >> 3)
