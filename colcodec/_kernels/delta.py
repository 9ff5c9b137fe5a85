"""DELTA_BINARY_PACKED: a header, then blocks of bit-packed differences.

Specification: Encodings.md, "Delta Encoding"::

    header : block size (ULEB128), miniblocks per block (ULEB128), total count (ULEB128), first value (zigzag)
    block  : least delta (zigzag), a width byte for each miniblock, the miniblocks

All arithmetic wraps at the width of the type, 32 or 64 bits.
"""

import numpy as np

from .._spec import (
    BLOCK_SIZE,
    BLOCK_SIZE_MULTIPLE,
    MAX_INT32,
    MINIBLOCK_SIZE,
    MINIBLOCK_SIZE_MULTIPLE,
    MINIBLOCKS_PER_BLOCK,
    Status,
)
from ._jit import kernel
from .bitpack import STORE_SLACK, count_groups, pack, unpack8, unpack_rest
from .memory import as_signed, as_unsigned, bit_width, low32_as_signed
from .varint import MAX_SIZE_32, MAX_SIZE_64, read_uleb128, read_zigzag, write_uleb128, write_zigzag
from .vector import add_up8, any_bits32

OK = Status.OK.value
TRUNCATED = Status.TRUNCATED.value
BAD_HEADER = Status.BAD_HEADER.value
BIT_WIDTH = Status.BIT_WIDTH.value
COUNT_MISMATCH = Status.COUNT_MISMATCH.value

ZERO = np.uint64(0)
ONE = np.uint64(1)


def delta_bound(num_values: int, max_width: int) -> int:
    """Bound the bytes that :func:`encode_delta` writes, and touches, for values whose deltas take `max_width` bits."""
    blocks = max(num_values - 1 + BLOCK_SIZE - 1, 0) // BLOCK_SIZE
    header = 3 * MAX_SIZE_32 + MAX_SIZE_64
    return header + blocks * (MAX_SIZE_64 + MINIBLOCKS_PER_BLOCK + BLOCK_SIZE * max_width // 8) + STORE_SLACK


@kernel
def read_header(buf, pos, end, bits):
    """Read and check a header.

    Returns ``(status, pos, miniblock_size, miniblocks_per_block, total_count, first_value)``: OK, TRUNCATED, BAD_VARINT
    or BAD_HEADER (with `pos` at the field that is wrong); `miniblock_size` is in values.
    """
    start = pos
    status, pos, block_size = read_uleb128(buf, pos, end, 32)
    if status != OK:
        return status, pos, 0, 0, 0, 0
    if block_size == ZERO or block_size > np.uint64(MAX_INT32) or block_size % np.uint64(BLOCK_SIZE_MULTIPLE) != ZERO:
        return BAD_HEADER, start, 0, 0, 0, 0
    start = pos
    status, pos, miniblocks = read_uleb128(buf, pos, end, 32)
    if status != OK:
        return status, pos, 0, 0, 0, 0
    if miniblocks == ZERO or block_size % miniblocks != ZERO:
        return BAD_HEADER, start, 0, 0, 0, 0
    miniblock_size = block_size // miniblocks
    if miniblock_size % np.uint64(MINIBLOCK_SIZE_MULTIPLE) != ZERO:
        return BAD_HEADER, start, 0, 0, 0, 0
    start = pos
    status, pos, total_count = read_uleb128(buf, pos, end, 32)
    if status != OK:
        return status, pos, 0, 0, 0, 0
    if total_count > np.uint64(MAX_INT32):
        return BAD_HEADER, start, 0, 0, 0, 0
    status, pos, first_value = read_zigzag(buf, pos, end, bits)
    return status, pos, as_signed(miniblock_size), as_signed(miniblocks), as_signed(total_count), first_value


@kernel
def decode_miniblock(buf, pos, end, width, value, min_delta, out):
    """Decode a miniblock, or what is wanted of it, of deltas of `width` bits at ``buf[pos:end]`` into `out`.

    All of its bytes are there. Returns the last value.
    """
    if width == 0:
        for i in range(np.uint64(out.size)):
            out[i] = value + min_delta * (i + ONE)
        return value + min_delta * np.uint64(out.size)
    groups = count_groups(pos, end, width, out.size)
    for i in range(groups):
        unpack8(buf, pos + i * width, width, out, 8 * i)
        value = add_up8(value, min_delta, out, 8 * i)
    unpack_rest(buf, pos, end, width, out, 8 * groups, out.size)
    for i in range(8 * groups, out.size):
        value += min_delta + np.uint64(out[i])
        out[i] = value
    return value


@kernel
def decode_delta(buf, pos, end, num_values, out):
    """Decode a stream of exactly `num_values` values at ``buf[pos:end]`` into `out`.

    `out` is uint32 or uint64 (the bits of int32 or int64 values) and has `num_values` elements; or none, and then the
    stream is checked and measured but not unpacked: in that way a caller who was promised more values than there are
    bytes finds out before allocating room for them.

    Returns ``(status, pos, index)``: OK, TRUNCATED, BAD_VARINT, BAD_HEADER, BIT_WIDTH or COUNT_MISMATCH.
    """
    bits = 8 * out.itemsize
    start = pos
    status, pos, miniblock_size, miniblocks, total_count, first_value = read_header(buf, pos, end, bits)
    if status != OK:
        return status, pos, -1
    if total_count != num_values:
        return COUNT_MISMATCH, start, min(total_count, num_values)
    if num_values == 0:
        return OK, pos, -1
    value = as_unsigned(first_value)
    if out.size > 0:
        out[0] = value
    index = 1
    while index < num_values:
        count = min(miniblock_size * miniblocks, num_values - index)
        block = out[index : index + count]
        status, pos, value = decode_block(buf, pos, end, miniblock_size, miniblocks, count, value, block)
        if status != OK:
            return status, pos, index
        index += count
    return OK, pos, -1


@kernel
def decode_block(buf, pos, end, miniblock_size, miniblocks, count, value, out):
    """Decode the `count` values of a block, which follow `value`, into `out`; or only check it, where `out` is empty.

    Width bytes of miniblocks that hold no values are not looked at; the last that does is padded to its full size.

    Returns ``(status, pos, value)``: OK, TRUNCATED, BAD_VARINT or BIT_WIDTH, and the last value.
    """
    bits = 8 * out.itemsize
    status, pos, min_delta = read_zigzag(buf, pos, end, bits)
    if status != OK:
        return status, pos, value
    if miniblocks > end - pos:
        return TRUNCATED, pos, value
    widths = pos
    pos += miniblocks
    for i in range((count + miniblock_size - 1) // miniblock_size):
        width = np.int64(buf[widths + i])  # in bounds: i < miniblocks <= end - widths
        if width > bits:
            return BIT_WIDTH, widths + i, value
        size = (miniblock_size >> 3) * width
        if size > end - pos:
            return TRUNCATED, pos, value
        if out.size > 0:
            start = i * miniblock_size
            miniblock = out[start : min(start + miniblock_size, count)]
            value = decode_miniblock(buf, pos, end, width, value, as_unsigned(min_delta), miniblock)
        pos += size
    return OK, pos, value


@kernel
def encode_delta(values, deltas, signed_deltas, out, pos):
    """Encode `values`, uint32[n] or uint64[n] (the bits of int32 or int64 values), in blocks; returns `pos`.

    `deltas` is scratch: BLOCK_SIZE numbers of the same type, of which `signed_deltas` is a signed view. `out` has
    :func:`delta_bound` bytes from `pos` on. Widths of miniblocks without values, and padding, are zero.
    """
    num_values = values.size
    pos = write_uleb128(np.uint64(BLOCK_SIZE), out, pos)
    pos = write_uleb128(np.uint64(MINIBLOCKS_PER_BLOCK), out, pos)
    pos = write_uleb128(np.uint64(num_values), out, pos)
    if num_values == 0:
        return write_zigzag(np.int64(0), out, pos)
    first_value = low32_as_signed(np.uint64(values[0])) if values.itemsize == 4 else as_signed(np.uint64(values[0]))
    pos = write_zigzag(first_value, out, pos)
    index = 1
    while index < num_values:
        count = min(BLOCK_SIZE, num_values - index)
        # Unsigned indices: Numba tests signed ones for being negative, and LLVM then uses no vectors.
        first = np.uint64(index)
        for i in range(np.uint64(count)):
            deltas[i] = values[first + i] - values[first + i - ONE]
        pos = encode_block(count, deltas, signed_deltas, out, pos)
        index += count
    return pos


@kernel
def encode_block(count, deltas, signed_deltas, out, pos):
    """Encode the block of the first `count` of `deltas`, which it spends; returns `pos`."""
    # One pass a step, each over the numbers' own type: a load wider than the store before it has to wait for it.
    min_delta = signed_deltas[0]
    for i in range(count):
        min_delta = min(min_delta, signed_deltas[i])
    least = as_unsigned(np.int64(min_delta))
    for i in range(count):
        deltas[i] -= least
    for i in range(np.uint64(count), np.uint64(BLOCK_SIZE)):
        deltas[i] = ZERO
    pos = write_zigzag(np.int64(min_delta), out, pos)
    widths = pos
    pos += MINIBLOCKS_PER_BLOCK
    for i in range(MINIBLOCKS_PER_BLOCK):
        width = bit_width(any_bits32(deltas, i * MINIBLOCK_SIZE))
        out[widths + i] = np.uint8(width)
        pos = pack(deltas, i * MINIBLOCK_SIZE, MINIBLOCK_SIZE, width, out, pos)
    return pos
