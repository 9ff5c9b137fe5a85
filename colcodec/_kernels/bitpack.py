"""Bit packing, least significant bit first: eight values of `width` bits fill `width` bytes.

Specification: Encodings.md, "Run Length Encoding / Bit-Packing Hybrid", note 1; DELTA_BINARY_PACKED packs the same way.
"""

import numpy as np

from ._jit import kernel
from .memory import load_u64, store_u64

ZERO = np.uint64(0)
ONE = np.uint64(1)
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
    """Count the groups of eight, of `count` values of `width` bits, 1 to 64, at `pos`, that ``unpack8_*`` can take.

    That loads up to eight bytes more than a group has, and takes up to 57 bits; :func:`read_bits` takes the rest.
    """
    groups = count >> 3
    if width > 57:
        return 0
    if groups * width + 8 > end - pos:
        groups = max((end - pos - 8) // width, 0)
    return groups


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
    if width <= 16:
        half = np.uint64(4 * width)  # bits of four values, which a word holds
        for group in range(count >> 3):
            first = second = ZERO
            for i in range(4):
                first |= np.uint64(values[start + 8 * group + i]) << np.uint64(i * width)
                second |= np.uint64(values[start + 8 * group + 4 + i]) << np.uint64(i * width)
            store_u64(out, pos, first | second << (half - ONE) << ONE)  # in two steps: half can be 64
            store_u64(out, pos + 8, second >> (np.uint64(WORD_BITS) - half))
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
