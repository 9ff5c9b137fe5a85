"""The RLE / bit-packed hybrid: runs of one value, and runs of values bit-packed in groups of eight.

Specification: Encodings.md, "Run Length Encoding / Bit-Packing Hybrid (RLE = 3)"::

    run : header (ULEB128), body
    even header: header >> 1 values that are all the same, the value in as many bytes as its width needs
    odd header: header >> 1 groups of eight values, bit-packed
"""

import numpy as np

from .._spec import MAX_INT32, Status
from ._jit import kernel
from .bitpack import STORE_SLACK, count_groups, pack, read_bits, read_word
from .memory import as_signed, bit_width
from .varint import MAX_SIZE_32, read_uleb128, write_uleb128
from .vector import are_same8, unpack8_medium, unpack8_narrow, unpack8_wide

OK = Status.OK.value
TRUNCATED = Status.TRUNCATED.value
BIT_WIDTH = Status.BIT_WIDTH.value
BAD_RUN = Status.BAD_RUN.value

ZERO = np.uint64(0)
ONE = np.uint64(1)

GROUP = 8
MAX_GROUPS = 63
"""Groups of the longest bit-packed run that we write, as others do: its header is one byte."""

# What is known of values that are measured while they become more.
SETTLED = 0  # values whose runs are known
RUN_END = 1  # how far the run behind these has been looked at, if it is one of the same value
PACKED = 2  # bit-packed runs among them
GROUPS = 3  # groups in these
REPEATED = 4  # runs of the same value
HEADERS = 5  # bytes of the headers of these
MEASURE_STATE_SIZE = 6


def hybrid_bound(num_values: int, width: int) -> int:
    """Bound the bytes that :func:`encode_hybrid` writes, and touches, for values of `width` bits."""
    # Eight values take no more than a run of their own: a header of one byte, and a group or a value.
    return (num_values + GROUP - 1) // GROUP * (1 + width) + MAX_SIZE_32 + STORE_SLACK


@kernel
def find_run_end(values, start):
    """Give the first place behind `start` where `values` differ from that at `start`."""
    value = values[start]
    i = start
    while values.size - i >= GROUP and values[i] == value and are_same8(values, i):
        i += GROUP
    while i < values.size and values[i] == value:
        i += 1
    return i


@kernel
def find_literal_end(values, start):
    """Give the end of the bit-packed run that begins at `start`, or `start` where a run of one value does.

    That is where the next eight values are the same, or the last ones, if they are fewer. A bit-packed run takes up
    the last values, whatever they are, and is full with MAX_GROUPS.
    """
    i = start
    most = min(values.size, start + GROUP * MAX_GROUPS)
    while most - i >= GROUP:
        if are_same8(values, i):
            return i
        i += GROUP
    if i < most and (i > start or find_run_end(values, i) < most):
        return most
    return i


@kernel
def write_run(value, count, width, out, pos):
    """Write a run of `count` times the same value; returns `pos`."""
    pos = write_uleb128(np.uint64(count) << ONE, out, pos)
    for i in range((width + 7) >> 3):
        out[pos] = np.uint8((np.uint64(value) >> np.uint64(8 * i)) & np.uint64(0xFF))
        pos += 1
    return pos


@kernel
def write_literals(values, start, end, width, out, pos):
    """Write a bit-packed run of ``values[start:end]``, and of zeros that fill its last group; returns `pos`."""
    groups = (end - start) >> 3
    whole_end = start + GROUP * groups
    out[pos] = np.uint8((groups + (whole_end < end)) << 1 | 1)
    pos = pack(values, start, GROUP * groups, width, out, pos + 1)
    return pos if whole_end == end else pack_tail(values, whole_end, width, out, pos)


@kernel
def pack_tail(values, start, width, out, pos):
    """Bit-pack the last values, fewer than eight of at most 32 bits, and zeros behind them; returns `pos`."""
    end = pos + width
    word = ZERO
    filled = 0
    for i in range(start, values.size):
        word |= np.uint64(values[i]) << np.uint64(filled)
        filled += width
        while filled >= 8:
            out[pos] = np.uint8(word & np.uint64(0xFF))
            pos += 1
            word >>= np.uint64(8)
            filled -= 8
    while pos < end:
        out[pos] = np.uint8(word)
        pos += 1
        word = ZERO
    return end


@kernel
def encode_hybrid(values, width, out, pos):
    """Encode `values`, uint32[n], of `width` bits, 0 to 32; returns `pos`.

    `out` has :func:`hybrid_bound` bytes from `pos` on. Eight values or more that are the same become a run if they
    begin where a group would; so do the last values, if all are the same and no bit-packed run is open. That is what
    Arrow C++ writes.
    """
    start = 0
    while start < values.size:
        end = find_literal_end(values, start)
        if end > start:
            pos = write_literals(values, start, end, width, out, pos)
        else:
            end = find_run_end(values, start)
            pos = write_run(values[start], end - start, width, out, pos)
        start = end
    return pos


@kernel
def measure_hybrid(values, width, state):
    """Tell how many bytes :func:`encode_hybrid` takes for `values`.

    `state`, int64[MEASURE_STATE_SIZE], begins as zeros and remembers what does not change when more values follow, so
    that it need not be looked at again.
    """
    start, run_end, pending = state[SETTLED], state[RUN_END], 0
    while start < values.size:
        if run_end == start:
            end = find_literal_end(values, start)
            if start < end == values.size and end - start < GROUP * MAX_GROUPS:
                pending = 1 + ((end - start + GROUP - 1) >> 3) * width
                break
            if end > start:
                state[PACKED] += 1
                state[GROUPS] += (end - start) >> 3
                start = run_end = end
                continue
            run_end = start + 1
        run_end = find_run_end(values, run_end - 1)
        if run_end == values.size:
            pending = run_size(run_end - start, width)
            break
        state[REPEATED] += 1
        state[HEADERS] += run_size(run_end - start, 0)
        start = run_end
    state[SETTLED] = start
    state[RUN_END] = run_end if run_end - start >= GROUP else start  # fewer may yet become a part of a bit-packed run
    packed = state[PACKED] + state[GROUPS] * width
    return packed + state[HEADERS] + state[REPEATED] * ((width + 7) >> 3) + pending


@kernel
def run_size(count, width):
    """Tell how many bytes a run of `count` times the same value takes."""
    return (bit_width(np.uint64(count)) + 7) // 7 + ((width + 7) >> 3)


@kernel
def read_run(buf, pos, end, width, wanted):
    """Read the header of a run at ``buf[pos:end]``, and see that its body is there.

    The last group of a bit-packed run may be cut if the bytes that are there hold all values still `wanted`: one writer
    did that.

    Returns ``(status, pos, after, count, is_packed)``: OK, TRUNCATED, BAD_VARINT, BAD_RUN or BIT_WIDTH (a value that is
    too large); where the body begins and ends, and how many values it has.
    """
    start = pos
    status, pos, header = read_uleb128(buf, pos, end, 32)
    if status != OK:
        return status, pos, pos, 0, False
    count = as_signed(header >> ONE)
    is_packed = header & ONE != ZERO
    if count == 0 or (is_packed and count > MAX_INT32 // GROUP):
        return BAD_RUN, start, start, 0, is_packed
    size = count * width if is_packed else (width + 7) >> 3
    if is_packed:
        count *= GROUP
    if size > end - pos:
        held = 8 * (end - pos) // width if is_packed else 0  # no division by zero: a body of no bytes is always there
        if held < wanted or held <= count - GROUP:
            return TRUNCATED, end, end, 0, is_packed
        size = end - pos
    if not is_packed and read_word(buf, pos, pos + size) >> np.uint64(width) != ZERO:
        return BIT_WIDTH, pos, pos, 0, is_packed
    return OK, pos, pos + size, count, is_packed


@kernel
def check_runs(buf, pos, end, width, num_values):
    """Go through the headers of runs at ``buf[pos:end]`` that hold `num_values` values of `width` bits, 0 to 32.

    Returns ``(status, pos, index)``: what :func:`decode_hybrid` would, without any values.
    """
    done = 0
    while done < num_values:
        status, body, after, count, _ = read_run(buf, pos, end, width, num_values - done)
        if status != OK:
            return status, body, done
        pos = after
        done += count
    return OK, pos, -1


@kernel
def decode_hybrid(buf, pos, end, width, out):
    """Decode the values of `width` bits, 0 to 32, at ``buf[pos:end]`` into `out`, uint32[n] or, of 0 to 16, uint16[n].

    Values that a run has beyond these are left out.

    Returns ``(status, pos, index)``: OK, TRUNCATED, BAD_VARINT, BAD_RUN or BIT_WIDTH; with OK, where the last run ends.
    """
    done = 0
    while done < out.size:
        status, body, after, count, is_packed = read_run(buf, pos, end, width, out.size - done)
        if status != OK:
            return status, body, done
        count = min(count, out.size - done)
        if is_packed and width > 0:
            unpack(buf, body, end, width, out[done : done + count])
        else:
            value = read_word(buf, body, after) if width > 0 else ZERO
            for i in range(np.uint64(done), np.uint64(done + count)):
                out[i] = value
        pos = after
        done += count
    return OK, pos, -1


@kernel
def unpack(buf, pos, end, width, out):
    """Unpack values of `width` bits, 1 to 32, at ``buf[pos:end]``, which holds them all, into `out`."""
    groups = count_groups(pos, end, width, out.size)
    if width <= 8:
        for i in range(groups):
            unpack8_narrow(buf, pos + i * width, width, out, GROUP * i)
    elif width <= 16:
        for i in range(groups):
            unpack8_medium(buf, pos + i * width, width, out, GROUP * i)
    else:
        for i in range(groups):
            unpack8_wide(buf, pos + i * width, width, out, GROUP * i)
    for i in range(GROUP * groups, out.size):
        out[i] = read_bits(buf, pos, end, width, i)
