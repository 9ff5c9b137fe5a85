"""Validity bitmaps, least significant bit first: bit set, value present. Nulls leave a column here, and come back.

The definition levels of a flat optional column are the same bits: a 1 for each value that is present, in the RLE /
bit-packed hybrid. Bitmaps are made into them and of them 64 values at a time.
"""

import numpy as np

from .._spec import Status
from ._jit import kernel
from .bitpack import read_word
from .memory import copy_bytes, count_ones, load_u64, store_u64, trailing_zeros
from .rle import GROUP, MAX_GROUPS, read_run, write_run

OK = Status.OK.value

ZERO = np.uint64(0)
ONE = np.uint64(1)
ONES = ~ZERO
WORD_BITS = 64

LOW_BITS = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)


@kernel
def is_valid(validity, index):
    """Tell as 1 or 0 whether value `index` is present in `validity`, uint8[(n + 7) // 8]."""
    return np.int64((validity[index >> 3] >> (index & 7)) & 1)


@kernel
def count_valid(validity, num_values):
    """Count the values present among the first `num_values` of `validity`, uint8[(num_values + 7) // 8]."""
    return count_bits(validity, 0, validity.size, num_values)


@kernel
def count_bits(buf, pos, end, num_values):
    """Count the bits that are set among the first `num_values` at ``buf[pos:end]``, which holds them all."""
    count = np.int64(0)
    words = num_values >> 6
    for i in range(words):
        count += count_ones(load_u64(buf, pos + 8 * i))
    rest = num_values & (WORD_BITS - 1)
    return count + count_ones(read_word(buf, pos + 8 * words, end) & ~(ONES << np.uint64(rest)))


@kernel
def drop_null_offsets(offsets, validity, dense):
    """Write offsets, from 0 on, of the values of `offsets`, int64[n + 1], that are present into `dense`.

    `dense` is int64 with one element more than there are values present. Returns their bytes.
    """
    total = np.int64(0)
    count = np.int64(0)
    dense[0] = 0
    for i in range(offsets.size - 1):
        present = is_valid(validity, i)  # no branch: nulls come in no order that a processor could foresee
        total += present * (offsets[i + 1] - offsets[i])
        count += present
        dense[count] = total
    return total


@kernel
def drop_null_data(offsets, data, validity, out):
    """Write the bytes of the values of `offsets`, int64[n + 1], and `data` that are present, end to end, into `out`."""
    pos = np.int64(0)
    for i in range(offsets.size - 1):
        if is_valid(validity, i):
            size = offsets[i + 1] - offsets[i]
            copy_bytes(data, offsets[i], out, pos, size)
            pos += size


@kernel
def spread_offsets(dense, validity, offsets):
    """Spread `dense`, the offsets of the values present, over ``offsets[1:]``, int64[n + 1]; nulls become empty.

    `dense`, from 0 on, is int64 with one element more than `validity` has values present among its first n.
    """
    source = np.int64(0)
    for i in range(offsets.size - 1):
        source += is_valid(validity, i)
        offsets[i + 1] = dense[source]


# ------------------------------------------------------------------------------------------ to definition levels


@kernel
def load_bits(validity, index):
    """Load the 64 bits of `validity` from that of value `index` on, and zeros for those behind its end."""
    first = index >> 3
    shift = index & 7
    word = read_word(validity, first, validity.size) >> np.uint64(shift)
    if shift > 0 and validity.size - first > 8:
        word |= np.uint64(validity[first + 8]) << np.uint64(WORD_BITS - shift)
    return word


@kernel
def find_same_end(validity, start, num_values):
    """Give the first of `num_values` values behind `start` that is present where that is null, or the reverse."""
    flip = ONES if is_valid(validity, start) else ZERO
    i = start
    while i < num_values:
        other = load_bits(validity, i) ^ flip
        if other != ZERO:
            return min(i + trailing_zeros(other), num_values)
        i += WORD_BITS
    return num_values


@kernel
def count_mixed(word):
    """Count the bits below the first byte of `word` that is all zeros or all ones; 64 where there is none."""
    # Subtracting takes from the byte above only where a byte is zero: the lowest of the marks is always right.
    zeros = (word - LOW_BITS) & ~word & HIGH_BITS
    ones = (~word - LOW_BITS) & word & HIGH_BITS
    return trailing_zeros(zeros | ones) & ~7


@kernel
def find_mixed_end(validity, start, num_values):
    """Give the end of the bit-packed run that begins at `start`, by the rules of :func:`rle.find_literal_end`."""
    most = min(num_values, start + GROUP * MAX_GROUPS)
    whole = start + (most - start & ~7)
    i = start
    while i < whole:
        mixed = count_mixed(load_bits(validity, i))
        i += mixed
        if mixed < WORD_BITS:
            break
    if i < whole:
        return i
    if whole < most and (whole > start or find_same_end(validity, whole, num_values) < most):
        return most
    return whole


@kernel
def write_bits(validity, start, end, out, pos):
    """Write a bit-packed run of the values from `start` to `end`, and of zeros that fill its last group.

    Returns `pos`.
    """
    groups = (end - start + 7) >> 3
    out[pos] = np.uint8(groups << 1 | 1)
    pos += 1
    for i in range(0, groups, 8):
        store_u64(out, pos + i, load_bits(validity, start + GROUP * i))
    pos += groups
    out[pos - 1] &= np.uint8(0xFF >> (-(end - start) & 7))
    return pos


@kernel
def encode_validity(validity, num_values, out, pos):
    """Encode levels of 1 bit for `num_values` values, of `validity`, uint8[(num_values + 7) // 8]; returns `pos`.

    `out` has ``hybrid_bound(num_values, 1)`` bytes from `pos` on. The bytes are those of :func:`rle.encode_hybrid`.
    """
    start = 0
    while start < num_values:
        end = find_mixed_end(validity, start, num_values)
        if end > start:
            pos = write_bits(validity, start, end, out, pos)
        else:
            end = find_same_end(validity, start, num_values)
            pos = write_run(np.uint32(is_valid(validity, start)), end - start, 1, out, pos)
        start = end
    return pos


# ------------------------------------------------------------------------------------------ from definition levels


@kernel
def count_present(buf, pos, end, num_values):
    """Count the ones among `num_values` levels of 1 bit at ``buf[pos:end]``.

    Returns ``(status, pos, index, count)``: the first three as :func:`rle.decode_hybrid` would.
    """
    count = np.int64(0)
    done = 0
    while done < num_values:
        status, body, after, length, is_packed = read_run(buf, pos, end, 1, num_values - done)
        if status != OK:
            return status, body, done, count
        length = min(length, num_values - done)
        count += count_bits(buf, body, end, length) if is_packed else length * np.int64(buf[body])
        pos = after
        done += length
    return OK, pos, -1, count


@kernel
def decode_validity(buf, pos, end, num_values, validity):
    """Decode `num_values` levels of 1 bit at ``buf[pos:end]`` into `validity`, whose bits behind the last become zero.

    `validity` is uint8[(num_values + 7) // 8 + STORE_SLACK].

    Returns ``(status, pos, index)``: what :func:`rle.decode_hybrid` would.
    """
    done = 0
    while done < num_values:
        status, body, after, count, is_packed = read_run(buf, pos, end, 1, num_values - done)
        if status != OK:
            return status, body, done
        count = min(count, num_values - done)
        if is_packed:
            copy_bits(buf, body, end, count, validity, done)
        else:
            fill_bits(ONES if buf[body] else ZERO, count, validity, done)
        pos = after
        done += count
    validity[num_values >> 3] &= np.uint8((1 << (num_values & 7)) - 1)
    return OK, pos, -1


@kernel
def bits_before(validity, index):
    """Give the bits of `validity` that share a byte with that of value `index`, and come before it."""
    return np.uint64(validity[index >> 3]) & ~(ONES << np.uint64(index & 7))


@kernel
def fill_bits(word, count, validity, start):
    """Set the bits of `count` values from `start` on as those of `word`, which are all the same.

    Touches up to STORE_SLACK bytes behind them.
    """
    first = start >> 3
    store_u64(validity, first, bits_before(validity, start) | word << np.uint64(start & 7))
    for i in range(first + 8, (start + count + 7) >> 3, 8):
        store_u64(validity, i, word)


@kernel
def copy_bits(buf, pos, end, count, validity, start):
    """Set the bits of `count` values, at least 1, from `start` on as they are at ``buf[pos:end]``.

    Touches up to STORE_SLACK bytes behind them.
    """
    first = start >> 3
    shift = start & 7
    low = bits_before(validity, start)
    for i in range(0, (count + 7) >> 3, 8):
        word = read_word(buf, pos + i, end)
        store_u64(validity, first + i, low | word << np.uint64(shift))
        low = word >> ONE >> np.uint64(WORD_BITS - 1 - shift)
    validity[first + ((count + WORD_BITS - 1) >> 6 << 3)] = np.uint8(low)
