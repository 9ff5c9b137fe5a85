"""Memory that is in no array of ours, by its address: strings that belong to NumPy, Python or Arrow.

Addresses are int64. Nothing here can test its bounds, compiled or not: who calls has the address and the size from the
owner of the memory, and keeps the owner alive. Of such memory nothing but the bytes asked for is read, not even
behind a short string, for the next page may not be there.
"""

import ctypes

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from ._jit import intrinsic, kernel
from .memory import I32, I64, U8, call_prefetch, pointer_to, window

ZERO = np.uint64(0)

COPY_CALL = 256
"""Bytes from which a copy is left to memcpy, whose call costs more than a few moves."""


def pointer_at(builder, address, type_):
    """Give an i64 as a pointer to an LLVM type."""
    return builder.inttoptr(address, type_.as_pointer())


def bytes_at(address, size):
    """Give the bytes at an address to a plain definition, as an array that shares them."""
    return np.frombuffer((ctypes.c_uint8 * int(size)).from_address(int(address)), np.uint8)


def _typed_load_i64_at(typing_context, address):
    def generate(context, builder, signature, args):
        return builder.load(pointer_at(builder, args[0], I64), align=1)

    return types.int64(types.int64), generate


@intrinsic(_typed_load_i64_at)
def load_i64_at(address):
    """Load an int64, such as a pointer; touches 8 bytes."""
    return bytes_at(address, 8).view(np.int64)[0]


def _typed_store_i64_at(typing_context, address, value):
    def generate(context, builder, signature, args):
        builder.store(args[1], pointer_at(builder, args[0], I64), align=1)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), generate


@intrinsic(_typed_store_i64_at)
def store_i64_at(address, value):
    """Store an int64, such as a pointer; touches 8 bytes."""
    bytes_at(address, 8).view(np.int64)[0] = value


def _typed_address_of(typing_context, array, index):
    def generate(context, builder, signature, args):
        return builder.ptrtoint(pointer_to(context, builder, signature.args[0], *args, I64(0)), I64)

    return types.int64(array, types.int64), generate


@intrinsic(_typed_address_of)
def address_of(array, index):
    """Give the address of ``array[index]``; `index` may be the array's size."""
    window(array, index, 0)
    return np.int64(array.ctypes.data + index * array.itemsize)


def _typed_address_of_part(typing_context, array, index, count):
    def generate(context, builder, signature, args):
        return builder.ptrtoint(pointer_to(context, builder, signature.args[0], *args), I64)

    return types.int64(array, types.int64, types.int64), generate


@intrinsic(_typed_address_of_part)
def address_of_part(array, index, count):
    """Give the address of ``array[index : index + count]``, all of which is there."""
    window(array, index, count)
    return np.int64(array.ctypes.data + index * array.itemsize)


def _typed_prefetch_at(typing_context, address):
    def generate(context, builder, signature, args):
        call_prefetch(builder, pointer_at(builder, args[0], U8), to_write=False)
        return context.get_dummy_value()

    return types.none(types.int64), generate


@intrinsic(_typed_prefetch_at)
def prefetch_at(address):
    """Call up what lies at an address into the caches; there need not be anything."""


def _typed_move(size):
    type_ = ir.IntType(8 * size) if size <= 8 else ir.VectorType(I64, size // 8)

    def typed(typing_context, source, target):
        def generate(context, builder, signature, args):
            value = builder.load(pointer_at(builder, args[0], type_), align=1)
            builder.store(value, pointer_at(builder, args[1], type_), align=1)
            if size <= 8:
                return builder.zext(value, I64)
            return builder.or_(*(builder.extract_element(value, I32(i)) for i in range(2)))

        return types.uint64(types.int64, types.int64), generate

    return typed


def _moved(source, size, target):
    """Copy bytes, and give the or of their words, as a plain definition."""
    found = bytes_at(source, size).copy()
    bytes_at(target, size)[:] = found
    words = np.zeros(16, np.uint8)
    words[:size] = found
    return np.bitwise_or.reduce(words.view(np.uint64))


@intrinsic(_typed_move(16))
def move16(source, target):
    """Copy 16 bytes from one address to another; gives the or of their two words."""
    return _moved(source, 16, target)


@intrinsic(_typed_move(8))
def _move8(source, target):
    """Copy 8 bytes, and give them."""
    return _moved(source, 8, target)


@intrinsic(_typed_move(4))
def _move4(source, target):
    """Copy 4 bytes, and give them."""
    return _moved(source, 4, target)


@intrinsic(_typed_move(2))
def _move2(source, target):
    """Copy 2 bytes, and give them."""
    return _moved(source, 2, target)


@intrinsic(_typed_move(1))
def _move1(source, target):
    """Copy 1 byte, and give it."""
    return _moved(source, 1, target)


def _typed_move_all(typing_context, source, size, target):
    def generate(context, builder, signature, args):
        cgutils.raw_memcpy(builder, pointer_at(builder, args[2], U8), pointer_at(builder, args[0], U8), args[1], 1)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.int64), generate


@intrinsic(_typed_move_all)
def _move_all(source, size, target):
    """Copy `size` bytes with a call of memcpy."""
    bytes_at(target, size)[:] = bytes_at(source, size)


@kernel
def copy_short(source, size, target):
    """Copy `size` bytes from one address to another, and touch no others on either side.

    The last move overlaps the one before it: two for each power of two instead of one for each byte. Returns a uint64
    that has in bits 0x80 of its bytes whether any byte that was copied has such a bit: whether it is not ASCII.
    """
    bits = ZERO
    if size > 16:
        last = size - 16
        for done in range(0, last, 16):
            bits |= move16(source + done, target + done)
        bits |= move16(source + last, target + last)
    elif size >= 8:
        bits = _move8(source, target) | _move8(source + size - 8, target + size - 8)
    elif size >= 4:
        bits = _move4(source, target) | _move4(source + size - 4, target + size - 4)
    elif size >= 2:
        bits = _move2(source, target) | _move2(source + size - 2, target + size - 2)
    elif size == 1:
        bits = _move1(source, target)
    return bits


@kernel
def copy_from(address, size, out, pos):
    """Copy `size` bytes at an address to ``out[pos : pos + size]``, and touch no others on either side."""
    target = address_of_part(out, pos, size)
    if size < COPY_CALL:
        copy_short(address, size, target)
    else:
        _move_all(address, size, target)
