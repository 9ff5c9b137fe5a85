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
def mask_of(width):
    """Give a uint64 with the low `width` bits set; 0 <= `width` <= 64."""
    return ZERO if width == 0 else ~ZERO >> np.uint64(WORD_BITS - width)


@kernel
def unpack(buf, pos, end, width, out, start, count):
    """Unpack `count` values of `width` bits, 0 to 64, from ``buf[pos:]`` into ``out[start : start + count]``.

    `out` is an unsigned integer array; what does not fit is cut off. The packed bytes are all there: ``pos +
    (count * width + 7) // 8 <= end``, which the caller has tested.
    """
    mask = mask_of(width)
    done = 0
    if width <= 8:
        # A word holds eight values; as long as all of it lies in the buffer, take them with one load.
        whole = min(count >> 3, (end - pos) // max(width, 1) - 8)
        for group in range(whole):
            word = load_u64(buf, pos + group * width)
            for i in range(8):
                out[start + 8 * group + i] = (word >> np.uint64(i * width)) & mask
        done = max(8 * whole, 0)
    elif width <= 57:
        # Any value lies within the eight bytes from its first on.
        done = min(count, max((8 * (end - pos - 8)) // width, 0))
        for i in range(done):
            bit = i * width
            out[start + i] = (load_u64(buf, pos + (bit >> 3)) >> np.uint64(bit & 7)) & mask
    for i in range(done, count):
        bit = i * width
        first = pos + (bit >> 3)
        shift = bit & 7
        word = read_word(buf, first, end) >> np.uint64(shift)
        if shift + width > WORD_BITS:
            word |= np.uint64(buf[first + 8]) << np.uint64(WORD_BITS - shift)  # in bounds: the value reaches into it
        out[start + i] = word & mask


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
