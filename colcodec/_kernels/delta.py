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
from .bitpack import STORE_SLACK, count_groups, pack, read_bits
from .memory import as_signed, as_unsigned, bit_width, low32_as_signed
from .varint import MAX_SIZE_32, MAX_SIZE_64, read_uleb128, read_zigzag, write_uleb128, write_zigzag
from .vector import add_up8, any_bits32, unpack8_medium, unpack8_narrow, unpack8_wide

OK = Status.OK.value
TRUNCATED = Status.TRUNCATED.value
BAD_HEADER = Status.BAD_HEADER.value
BIT_WIDTH = Status.BIT_WIDTH.value
COUNT_MISMATCH = Status.COUNT_MISMATCH.value

# What an open stream remembers, by its place in the state.
AFTER = 0  # where the current miniblock ends in the buffer
DONE = 1  # values given out
VALUE = 2  # the last of them; at first the one to come
MINIBLOCK_VALUES = 3
MINIBLOCKS = 4  # in a block
MINIBLOCK = 5  # the current one of its block
TAKEN = 6  # values given out of it
MIN_DELTA = 7  # of the block
WIDTHS = 8  # where the block's width bytes are in the buffer
WIDTH = 9  # of the miniblock's values
STATE_SIZE = 10

# What a stream remembers that is written batch by batch.
COUNT = 0  # values so far
FIRST = 1
LAST = 2  # its bits
PENDING = 3  # deltas of the open block
WRITER_STATE_SIZE = 4

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
def open_delta(buf, pos, end, num_values, bits, state):
    """Read the header of a stream of exactly `num_values` values at ``buf[pos:end]`` for :func:`read_delta`.

    `state` is int64[STATE_SIZE]; `bits` is 32 or 64, the width of the values.

    Returns ``(status, pos, index)``: OK, TRUNCATED, BAD_VARINT, BAD_HEADER or COUNT_MISMATCH.
    """
    start = pos
    status, pos, miniblock_size, miniblocks, total_count, first_value = read_header(buf, pos, end, bits)
    if status != OK:
        return status, pos, -1
    if total_count != num_values:
        return COUNT_MISMATCH, start, min(total_count, num_values)
    state[AFTER] = pos
    state[DONE] = 0
    state[VALUE] = first_value
    state[MINIBLOCK_VALUES] = miniblock_size
    state[MINIBLOCKS] = miniblocks
    state[MINIBLOCK] = miniblocks  # as if a block had just ended
    state[TAKEN] = miniblock_size
    return OK, pos, -1


@kernel
def read_delta(buf, end, state, out):
    """Decode the next ``out.size`` values of an open stream into `out`, uint32 or uint64: the bits of the values.

    The caller asks for no more values than the stream has. Width bytes of miniblocks that hold no values are not looked
    at; the last that does is padded to its full size, and the stream ends behind the padding.

    Returns ``(status, pos, index)``: OK, TRUNCATED, BAD_VARINT or BIT_WIDTH; where the stream goes on, or ends.
    """
    bits = 8 * out.itemsize
    after, done, value, min_delta = state[AFTER], state[DONE], as_unsigned(state[VALUE]), state[MIN_DELTA]
    miniblock_size, miniblocks = state[MINIBLOCK_VALUES], state[MINIBLOCKS]
    miniblock, taken, widths, width = state[MINIBLOCK], state[TAKEN], state[WIDTHS], state[WIDTH]
    index = 0
    if done == 0 and out.size > 0:
        out[0] = value
        index = 1
    while index < out.size:
        if taken == miniblock_size:
            taken = 0
            miniblock += 1
            if miniblock >= miniblocks:
                status, after, min_delta = read_zigzag(buf, after, end, bits)
                if status != OK:
                    return status, after, done + index
                if miniblocks > end - after:
                    return TRUNCATED, after, done + index
                miniblock = 0
                widths = after
                after += miniblocks
            width = np.int64(buf[widths + miniblock])  # in bounds: miniblock < miniblocks <= end - widths
            if width > bits:
                return BIT_WIDTH, widths + miniblock, done + index
            if (miniblock_size >> 3) * width > end - after:
                return TRUNCATED, after, done + index
            after += (miniblock_size >> 3) * width
        pos = after - (miniblock_size >> 3) * width
        count = min(miniblock_size - taken, out.size - index)
        value = decode_miniblock(buf, pos, end, width, value, as_unsigned(min_delta), taken, out[index : index + count])
        taken += count
        index += count
    state[AFTER], state[DONE], state[VALUE], state[MIN_DELTA] = after, done + out.size, as_signed(value), min_delta
    state[MINIBLOCK], state[TAKEN], state[WIDTHS], state[WIDTH] = miniblock, taken, widths, width
    return OK, after, -1


@kernel
def decode_delta(buf, pos, end, state, out):
    """Decode a stream of exactly ``out.size`` values at ``buf[pos:end]``; `state` is scratch.

    Returns ``(status, pos, index)`` of :func:`open_delta` or :func:`read_delta`.
    """
    status, pos, index = open_delta(buf, pos, end, out.size, 8 * out.itemsize, state)
    if status != OK:
        return status, pos, index
    return read_delta(buf, end, state, out)


@kernel
def decode_miniblock(buf, pos, end, width, value, min_delta, taken, out):
    """Decode values of a miniblock at ``buf[pos:end]``, deltas of `width` bits, into `out`, behind the `taken` first.

    All of its bytes are there. Returns the last value.
    """
    if width == 0:
        for i in range(np.uint64(out.size)):
            out[i] = value + min_delta * (i + ONE)
        return value + min_delta * np.uint64(out.size)
    # Groups of eight begin at whole bytes: values before the first of them, and those behind the last, come one by one.
    ahead = min(-taken & 7, out.size)
    for i in range(ahead):
        value += min_delta + read_bits(buf, pos, end, width, taken + i)
        out[i] = value
    pos += ((taken + ahead) >> 3) * width
    groups = count_groups(pos, end, width, out.size - ahead)
    value = decode_groups(buf, pos, width, value, min_delta, out[ahead:], groups)
    for i in range(8 * groups, out.size - ahead):
        value += min_delta + read_bits(buf, pos, end, width, i)
        out[ahead + i] = value
    return value


@kernel
def decode_groups(buf, pos, width, value, min_delta, out, groups):
    """Decode `groups` times eight deltas of 1 to 57 bits into `out`; returns the last value."""
    # A loop for each way to unpack: in one loop, LLVM would prepare the vectors of all three for every miniblock.
    if width <= 8:
        for i in range(groups):
            unpack8_narrow(buf, pos + i * width, width, out, 8 * i)
            value = add_up8(value, min_delta, out, 8 * i, out, 8 * i)
    elif width <= 16:
        for i in range(groups):
            unpack8_medium(buf, pos + i * width, width, out, 8 * i)
            value = add_up8(value, min_delta, out, 8 * i, out, 8 * i)
    else:
        for i in range(groups):
            unpack8_wide(buf, pos + i * width, width, out, 8 * i)
            value = add_up8(value, min_delta, out, 8 * i, out, 8 * i)
    return value


@kernel
def encode_header(num_values, first_value, out, pos):
    """Write the header of a stream in the geometry that we write; returns `pos`."""
    pos = write_uleb128(np.uint64(BLOCK_SIZE), out, pos)
    pos = write_uleb128(np.uint64(MINIBLOCKS_PER_BLOCK), out, pos)
    pos = write_uleb128(np.uint64(num_values), out, pos)
    return write_zigzag(first_value, out, pos)


@kernel
def encode_delta(values, deltas, signed_deltas, out, pos):
    """Encode `values`, uint32[n] or uint64[n] (the bits of int32 or int64 values), in blocks; returns `pos`.

    `deltas` is scratch: BLOCK_SIZE numbers of the same type, of which `signed_deltas` is a signed view. `out` has
    :func:`delta_bound` bytes from `pos` on. Widths of miniblocks without values, and padding, are zero.
    """
    if values.size == 0:
        return encode_header(0, np.int64(0), out, pos)
    first_value = low32_as_signed(np.uint64(values[0])) if values.itemsize == 4 else as_signed(np.uint64(values[0]))
    pos = encode_header(values.size, first_value, out, pos)
    index = 1
    while index < values.size:
        count = min(BLOCK_SIZE, values.size - index)
        # Unsigned indices: Numba tests signed ones for being negative, and LLVM then uses no vectors.
        first = np.uint64(index)
        for i in range(np.uint64(count)):
            deltas[i] = values[first + i] - values[first + i - ONE]
        pos = encode_block(count, deltas, signed_deltas, out, pos)
        index += count
    return pos


@kernel
def extend_delta(values, state, deltas, signed_deltas, out, pos):
    """Go on with a stream whose end is not known yet: encode the blocks that `values` fill; returns `pos`.

    `values` is as for :func:`encode_delta`; `state`, int64[WRITER_STATE_SIZE], begins as zeros. `deltas`, with its
    signed view, are those of the block that is open, and kept from call to call. `out` has :func:`delta_bound` bytes
    of a block more than the values' from `pos` on.
    """
    if values.size == 0:
        return pos
    index = 0
    if state[COUNT] == 0:
        first_value = np.uint64(values[0])
        state[FIRST] = low32_as_signed(first_value) if values.itemsize == 4 else as_signed(first_value)
        state[LAST] = state[FIRST]
        index = 1
    pending = state[PENDING]
    while index < values.size:
        count = min(BLOCK_SIZE - pending, values.size - index)
        first, place = np.uint64(index), np.uint64(pending)
        deltas[place] = np.uint64(values[first]) - as_unsigned(state[LAST])
        for i in range(ONE, np.uint64(count)):
            deltas[place + i] = values[first + i] - values[first + i - ONE]
        index += count
        pending += count
        state[LAST] = as_signed(np.uint64(values[index - 1]))
        if pending == BLOCK_SIZE:
            pos = encode_block(BLOCK_SIZE, deltas, signed_deltas, out, pos)
            pending = 0
    state[PENDING] = pending
    state[COUNT] += values.size
    return pos


@kernel
def encode_ends(state, deltas, scratch, signed_scratch, out):
    """Write the header of a stream that :func:`extend_delta` made, and behind it the block that is open, as `out`.

    The open block stays open: `scratch` is BLOCK_SIZE numbers to be spent in place of `deltas`. `out` has
    :func:`delta_bound` bytes of a block.

    Returns ``(header_end, end)``; what comes between the two is to follow the blocks of :func:`extend_delta`.
    """
    header_end = encode_header(state[COUNT], state[FIRST], out, 0)
    if state[PENDING] == 0:
        return header_end, header_end
    for i in range(state[PENDING]):
        scratch[i] = deltas[i]
    return header_end, encode_block(state[PENDING], scratch, signed_scratch, out, header_end)


@kernel
def encode_lengths(offsets, prefix_lengths, deltas, signed_deltas, out, pos):
    """Encode the lengths of the values in `offsets`, int64[n + 1], without an array of them; returns `pos`.

    `prefix_lengths`, int32[n], are taken off the lengths, if there are any. No length is above MAX_VALUE_LENGTH. The
    other arguments are those of :func:`encode_delta`, with `deltas` of uint32.
    """
    num_values = offsets.size - 1
    if num_values == 0:
        return encode_header(0, np.int64(0), out, pos)
    first_value = offsets[1] - offsets[0] - (np.int64(prefix_lengths[0]) if prefix_lengths.size > 0 else np.int64(0))
    pos = encode_header(num_values, first_value, out, pos)
    index = 1
    while index < num_values:
        count = min(BLOCK_SIZE, num_values - index)
        first = np.uint64(index)
        for i in range(np.uint64(count)):
            length = as_unsigned(offsets[first + i + ONE] - offsets[first + i])
            deltas[i] = length - as_unsigned(offsets[first + i] - offsets[first + i - ONE])
        if prefix_lengths.size > 0:
            for i in range(np.uint64(count)):
                prefix = as_unsigned(np.int64(prefix_lengths[first + i]))
                deltas[i] -= prefix - as_unsigned(np.int64(prefix_lengths[first + i - ONE]))
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
