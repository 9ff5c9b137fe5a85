"""NumPy's StringDType, whose strings only NumPy's own functions can find: 16 packed bytes each, and an arena.

`functions` holds the addresses of those functions, for a kernel with one as its constant could not be cached. The
allocator's lock is taken and given back within a kernel: whoever held it and waited for the GIL could wait forever.
"""

import ctypes

from llvmlite import ir
from numba.core import cgutils, types

from ._jit import intrinsic, kernel
from .address import address_of, copy_from, pointer_at
from .memory import I32, I64
from .validity import is_valid

LOAD, PACK, PACK_NULL, ACQUIRE, RELEASE = range(5)
"""Places in `functions` of NpyString_load, _pack, _pack_null, _acquire_allocator and _release_allocator."""

PACKED_SIZE = 16
"""Bytes of an element: a string of up to 15 lies in it, a longer one elsewhere."""

NULL = 1
"""What NpyString_load returns for a null; for a string 0, and -1 where it failed."""


class _Unpacked(ctypes.Structure):
    """npy_static_string."""

    _fields_ = (("size", ctypes.c_size_t), ("address", ctypes.c_void_p))


def _call(builder, function, result, args):
    kind = ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(pointer_at(builder, function, kind), args)


def _typed_acquire(typing_context, function, descriptor):
    return types.int64(types.int64, types.int64), lambda context, builder, signature, args: _call(
        builder, args[0], I64, args[1:]
    )


@intrinsic(_typed_acquire)
def _acquire(function, descriptor):
    """Lock the allocator of a StringDType, and give its address."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(int(function))(int(descriptor))


def _typed_release(typing_context, function, allocator):
    def generate(context, builder, signature, args):
        _call(builder, args[0], ir.VoidType(), args[1:])
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), generate


@intrinsic(_typed_release)
def _release(function, allocator):
    """Unlock an allocator."""
    ctypes.CFUNCTYPE(None, ctypes.c_int64)(int(function))(int(allocator))


def _typed_load(typing_context, function, allocator, packed):
    def generate(context, builder, signature, args):
        unpacked = cgutils.alloca_once(builder, ir.LiteralStructType([I64, I64]))
        status = builder.sext(_call(builder, args[0], I32, [args[1], args[2], builder.ptrtoint(unpacked, I64)]), I64)
        fields = [builder.load(cgutils.gep_inbounds(builder, unpacked, 0, i)) for i in range(2)]
        return context.make_tuple(builder, signature.return_type, [status, *fields])

    return types.UniTuple(types.int64, 3)(types.int64, types.int64, types.int64), generate


@intrinsic(_typed_load)
def _load(function, allocator, packed):
    """Give status, size and address of the string in the element at `packed`; a null has size 0."""
    unpacked = _Unpacked()
    load = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)(int(function))
    status = load(int(allocator), int(packed), ctypes.addressof(unpacked))
    return status, unpacked.size, unpacked.address or 0


def _typed_pack(typing_context, function, allocator, packed, string, size):
    return types.int64(*[types.int64] * 5), lambda context, builder, signature, args: builder.sext(
        _call(builder, args[0], I32, args[1:]), I64
    )


@intrinsic(_typed_pack)
def _pack(function, allocator, packed, string, size):
    """Set the element at `packed` to `size` bytes at the address `string`; gives 0, or -1 without memory."""
    pack = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_int64] * 4)(int(function))
    return pack(int(allocator), int(packed), int(string), int(size))


def _typed_pack_null(typing_context, function, allocator, packed):
    return types.int64(*[types.int64] * 3), lambda context, builder, signature, args: builder.sext(
        _call(builder, args[0], I32, args[1:]), I64
    )


@intrinsic(_typed_pack_null)
def _pack_null(function, allocator, packed):
    """Set the element at `packed` to null; gives 0, or -1."""
    return ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_int64] * 2)(int(function))(int(allocator), int(packed))


@kernel
def read_strings(functions, descriptor, address, stride, null_text, is_valid, offsets, data):
    """Read strings, end to end; each is found once, so that it may change at any time.

    Parameters: functions int64[5]; addresses of a StringDType and of its first element; `stride` bytes from one
    element to the next; null_text uint8, which stands for each null; results is_valid bool[num_values]; offsets
    int64[num_values + 1], of which the first is given; data uint8, all of which may be written from there on.

    Returns ``(index, size)``: num_values; or the string for which `data` has no room, with its size; or that which
    NumPy does not find, with -1.
    """
    num_values = is_valid.size
    pos = offsets[0]
    index = num_values
    missing = 0
    allocator = _acquire(functions[ACQUIRE], descriptor)
    for i in range(num_values):
        packed = address + i * stride
        status, size, string = _load(functions[LOAD], allocator, packed)
        is_valid[i] = status != NULL
        if status == NULL:
            size = null_text.size
            string = address_of(null_text, 0)
        if status < 0 or size > data.size - pos:
            index = i
            missing = size if status >= 0 else -1
            break
        if string == packed and pos + PACKED_SIZE <= data.size:
            copy_from(packed, PACKED_SIZE, data, pos)  # all of the element, whatever part of it is the string
        else:
            copy_from(string, size, data, pos)
        pos += size
        offsets[i + 1] = pos
    _release(functions[RELEASE], allocator)
    return index, missing


@kernel
def pack_strings(functions, descriptor, address, offsets, data, validity, null_text, null_size):
    """Set the elements of a new array; gives how many were, fewer than num_values if memory ran out.

    Parameters: functions int64[5]; addresses of a StringDType and of the first of num_values elements, end to end;
    offsets int64[num_values + 1], which lie in data uint8; validity uint8[(num_values + 7) // 8], or [0] without nulls;
    `null_size` -1 for nulls that stay null, or that of null_text uint8, which takes their place.
    """
    allocator = _acquire(functions[ACQUIRE], descriptor)
    packed = offsets.size - 1
    for i in range(packed):
        element = address + i * PACKED_SIZE
        if validity.size == 0 or is_valid(validity, i):
            size = offsets[i + 1] - offsets[i]
            status = _pack(functions[PACK], allocator, element, address_of(data, offsets[i]), size)
        elif null_size >= 0:
            status = _pack(functions[PACK], allocator, element, address_of(null_text, 0), null_size)
        else:
            status = _pack_null(functions[PACK_NULL], allocator, element)
        if status < 0:
            packed = i
            break
    _release(functions[RELEASE], allocator)
    return packed
