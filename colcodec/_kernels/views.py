"""Arrow's views of strings and of bytes, 16 bytes for each value: they hold it if it is short, or tell where it lies.

Specification: Arrow's columnar format, "Variable-size Binary View Layout". A view is four int32: a length; then either
up to 12 bytes of value; or its first 4 bytes, the number of a buffer, and the place in that buffer where it begins.
"""

import numpy as np

from ._jit import kernel
from .address import address_of, address_of_part, copy_from, move16
from .memory import as_unsigned, load_i32
from .validity import load_bits

VIEW_SIZE = 16
MAX_INLINE = 12
INLINE_AT = 4
NUMBER_AT = 8
PLACE_AT = 12

WORD_BITS = 64
ONE = np.uint64(1)
ALL_VALID = ~np.uint64(0)

WIDE = 32
"""Bytes that are moved at a time where as many are left behind a value, to be read and to be written."""


@kernel
def find_view_offsets(views, validity, first_bit, longest, offsets):
    """Add up the lengths in `views`, uint8[16 * n], into ``offsets[1:]``, int64[n + 1]; nulls become empty.

    Value 0 has bit `first_bit` of `validity`, uint8, which is empty where nothing is null. Returns a negative number if
    the length of a value is negative or above `longest`, a number below 2**31.
    """
    any_bits = np.int64(0)
    total = np.int64(0)
    word = ALL_VALID
    for i in range(offsets.size - 1):
        if validity.size > 0 and i & (WORD_BITS - 1) == 0:
            word = load_bits(validity, first_bit + i)
        # No branch: nulls come in no order that a processor could foresee.
        length = load_i32(views, VIEW_SIZE * i) & -np.int64(word & ONE)
        if validity.size > 0:
            word >>= ONE
        any_bits |= length | (longest - length)
        total += length
        offsets[i + 1] = total
    return any_bits


@kernel
def copy_views(views, offsets, addresses, sizes, data):
    """Copy the values of `views`, uint8[16 * n], to where `offsets`, int64[n + 1], have room for them in `data`.

    `addresses` and `sizes`, both int64, are those of the buffers. Nothing that a view tells is believed, nor that it is
    what :func:`find_view_offsets` saw.

    Returns the first value that does not lie within a buffer, -1 where there is none.
    """
    for i in range(offsets.size - 1):
        pos = offsets[i]
        size = offsets[i + 1] - pos
        view = VIEW_SIZE * i
        if size <= MAX_INLINE:
            copy_value(address_of(views, view + INLINE_AT), views.size - view - INLINE_AT, size, data, pos)
        else:
            number = load_i32(views, view + NUMBER_AT)
            place = load_i32(views, view + PLACE_AT)
            if as_unsigned(number) >= as_unsigned(sizes.size):
                return i
            room = sizes[number] - place
            if place < 0 or size > room:
                return i
            copy_value(addresses[number] + place, room, size, data, pos)
    return -1


@kernel
def copy_value(address, room, size, out, pos):
    """Copy `size` bytes at an address to `out`; `room` bytes may be read there, and may all be written that follow.

    Touches up to WIDE bytes behind the last byte where both have them.
    """
    if min(room, out.size - pos) - size < WIDE:
        copy_from(address, size, out, pos)
        return
    target = address_of_part(out, pos, size + WIDE)
    move16(address, target)
    move16(address + 16, target + 16)
    done = WIDE
    while done < size:
        move16(address + done, target + done)
        move16(address + done + 16, target + done + 16)
        done += WIDE
