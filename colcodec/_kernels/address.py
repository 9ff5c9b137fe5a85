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
from .memory import I64, U8, pointer_to, window

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
        return builder.ptrtoint(pointer_to(context, builder, signature.args[0], args[0], args[1], I64(0)), I64)

    return types.int64(array, types.int64), generate


@intrinsic(_typed_address_of)
def address_of(array, index):
    """Give the address of ``array[index]``; `index` may be the array's size."""
    window(array, index, 0)
    return np.int64(array.ctypes.data + index * array.itemsize)


def _typed_move(size):
    type_ = ir.IntType(8 * size) if size <= 8 else ir.VectorType(U8, size)

    def typed(typing_context, address, out, pos):
        def generate(context, builder, signature, args):
            value = builder.load(pointer_at(builder, args[0], type_), align=1)
            target = pointer_to(context, builder, signature.args[1], args[1], args[2], I64(size))
            builder.store(value, builder.bitcast(target, type_.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.none(types.int64, out, types.int64), generate

    return typed


@intrinsic(_typed_move(16))
def move16(address, out, pos):
    """Copy 16 bytes to ``out[pos : pos + 16]``."""
    window(out, pos, 16)[:] = bytes_at(address, 16)


@intrinsic(_typed_move(8))
def _move8(address, out, pos):
    """Copy 8 bytes to ``out[pos : pos + 8]``."""
    window(out, pos, 8)[:] = bytes_at(address, 8)


@intrinsic(_typed_move(4))
def _move4(address, out, pos):
    """Copy 4 bytes to ``out[pos : pos + 4]``."""
    window(out, pos, 4)[:] = bytes_at(address, 4)


@intrinsic(_typed_move(2))
def _move2(address, out, pos):
    """Copy 2 bytes to ``out[pos : pos + 2]``."""
    window(out, pos, 2)[:] = bytes_at(address, 2)


@intrinsic(_typed_move(1))
def _move1(address, out, pos):
    """Copy 1 byte to ``out[pos]``."""
    window(out, pos, 1)[:] = bytes_at(address, 1)


def _typed_move_all(typing_context, address, size, out, pos):
    def generate(context, builder, signature, args):
        target = pointer_to(context, builder, signature.args[2], args[2], args[3], args[1])
        cgutils.raw_memcpy(builder, target, pointer_at(builder, args[0], U8), args[1], 1)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, out, types.int64), generate


@intrinsic(_typed_move_all)
def _move_all(address, size, out, pos):
    """Copy `size` bytes to ``out[pos : pos + size]`` with a call of memcpy."""
    window(out, pos, size)[:] = bytes_at(address, size)


@kernel
def copy_from(address, size, out, pos):
    """Copy `size` bytes at an address to ``out[pos : pos + size]``, and touch no others on either side.

    The last move overlaps the one before it: two for each power of two instead of one for each byte.
    """
    if size > 16:
        if size >= COPY_CALL:
            _move_all(address, size, out, pos)
            return
        last = size - 16
        done = 0
        while done < last:
            move16(address + done, out, pos + done)
            done += 16
        move16(address + last, out, pos + last)
    elif size >= 8:
        _move8(address, out, pos)
        _move8(address + size - 8, out, pos + size - 8)
    elif size >= 4:
        _move4(address, out, pos)
        _move4(address + size - 4, out, pos + size - 4)
    elif size >= 2:
        _move2(address, out, pos)
        _move2(address + size - 2, out, pos + size - 2)
    elif size == 1:
        _move1(address, out, pos)
