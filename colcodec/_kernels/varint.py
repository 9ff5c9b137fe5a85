"""ULEB128 and zigzag: Parquet's integers of varying size.

Specification: Encodings.md, "Delta Encoding" (ULEB128; signed numbers are zigzag-coded first).
"""

import numpy as np

from .._spec import Status
from ._jit import kernel
from .memory import as_signed, as_unsigned

OK = Status.OK.value
TRUNCATED = Status.TRUNCATED.value
BAD_VARINT = Status.BAD_VARINT.value

ZERO = np.uint64(0)
ONE = np.uint64(1)
SEVEN = np.uint64(7)
LOW7 = np.uint64(0x7F)
MORE = np.uint64(0x80)

MAX_SIZE_32 = 5
MAX_SIZE_64 = 10


@kernel
def read_uleb128(buf, pos, end, bits):
    """Read an unsigned number of at most `bits` bits (32 or 64) at ``buf[pos:end]``.

    Zero-padded forms are taken up to the 5 or 10 bytes that `bits` bits can need.

    Returns ``(status, pos, value)``: OK, TRUNCATED or BAD_VARINT; `value` is a uint64.
    """
    value = ZERO
    shift = 0
    while True:
        if pos >= end:
            return TRUNCATED, pos, ZERO
        byte = np.uint64(buf[pos])  # in bounds: pos < end
        room = bits - shift
        if room < 7 and (byte & LOW7) >> np.uint64(room) != ZERO:
            return BAD_VARINT, pos, ZERO
        value |= (byte & LOW7) << np.uint64(shift)  # shift <= 63: a further byte of 64 bits is refused below
        if byte & MORE == ZERO:
            return OK, pos + 1, value
        shift += 7
        if shift >= bits:
            return BAD_VARINT, pos, ZERO
        pos += 1


@kernel
def read_zigzag(buf, pos, end, bits):
    """Read a signed number of at most `bits` bits (32 or 64) at ``buf[pos:end]``.

    Returns ``(status, pos, value)``: OK, TRUNCATED or BAD_VARINT; `value` is an int64.
    """
    status, pos, value = read_uleb128(buf, pos, end, bits)
    return status, pos, as_signed((value >> ONE) ^ (ZERO - (value & ONE)))


@kernel
def write_uleb128(value, out, pos):
    """Write a uint64 in as few bytes as it needs, at most 10; returns `pos`."""
    while value >= MORE:
        out[pos] = np.uint8((value & LOW7) | MORE)
        pos += 1
        value >>= SEVEN
    out[pos] = np.uint8(value)
    return pos + 1


@kernel
def write_zigzag(value, out, pos):
    """Write an int64 as a signed number, at most 10 bytes; returns `pos`."""
    return write_uleb128((as_unsigned(value) << ONE) ^ as_unsigned(value >> 63), out, pos)
