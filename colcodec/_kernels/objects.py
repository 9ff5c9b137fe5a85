"""Python's str and bytes, in lists and object arrays: read into a column, and made of one.

These kernels hold the GIL and call functions of Python's C API by their names, as Numba's own code does, so that they
can be cached. Within a call no Python code runs, so the objects that a kernel finds stay where they are until it
returns; behind that it keeps neither a reference nor an exception. Objects are int64, their addresses.
"""

import ctypes
import inspect
import sys
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from ._jit import intrinsic, object_kernel
from .address import (
    COPY_CALL,
    address_of_part,
    copy_from,
    copy_short,
    load_i64_at,
    prefetch_at,
    store_i64_at,
)
from .memory import I32, I64, U8
from .transcode import READ_SLACK, count_points, decode_slot, decode_slot_plainly
from .utf8 import valid_end

AHEAD = 12
"""Values that are called up before their turn. Objects may lie anywhere: a value takes 21 ns then, and 65 without."""

CACHE_LINE = 64

IN_A_LIST = np.int64(-(2**63))
"""The stride of a list, whose objects only Python knows how to find."""

NONE = 0  # no value that is not null has been seen
TEXT = 1
BYTES = 2
NULL = 3
OTHER = 4
"""Kinds of objects."""

TEXT_FLAG = np.uint32(1 << 28)
BYTES_FLAG = np.uint32(1 << 27)
"""Py_TPFLAGS_UNICODE_SUBCLASS and Py_TPFLAGS_BYTES_SUBCLASS."""

ASCII = np.uint32(0x7F)
NOT_ASCII = np.uint64(0x8080808080808080)
ZERO = np.uint64(0)

POINT_SIZE = np.int32(4)
"""Bytes of a code point, and what PyUnicode_FromKindAndData calls the kind of text that has them."""

POINTS = COPY_CALL + 15
"""Elements that are needed to make text; the last 15 may be touched but are not used."""

TYPE_OFFSET = object.__basicsize__ - ctypes.sizeof(ctypes.c_void_p)
"""Where an object has its type: in the last of the fields that every object has."""

TEXT_OFFSET = sys.getsizeof("") - 1
"""Where a str that is ASCII has its characters: behind its header, and before a NUL."""


def _is_known_python() -> bool:
    for value in ("", "ascii", b"", 0.5, None):
        if ctypes.c_void_p.from_address(id(value) + TYPE_OFFSET).value != id(type(value)):
            return False
    return ctypes.string_at(id("ascii") + TEXT_OFFSET) == b"ascii" and getattr(sys, "_is_gil_enabled", lambda: True)()


IS_KNOWN_PYTHON: bool = _is_known_python()
"""Whether these kernels may run: there is a GIL, and objects are laid out as they take them to be."""


def place_of(objects):
    """Give the address of the first object, and the stride, of a list or of a one-dimensional array of objects."""
    if isinstance(objects, list):
        return id(objects), IN_A_LIST
    return objects.ctypes.data, objects.strides[0]


# ------------------------------------------------------------------------------------------ functions of Python


class _Type(NamedTuple):
    """A type of C, as ctypes, LLVM and kernels have it."""

    plain: type | None
    llvm: ir.Type
    kernel: types.Type


_POINTER = _Type(ctypes.c_void_p, U8.as_pointer(), types.int64)
_SIZE_POINTER = _Type(ctypes.c_void_p, I64.as_pointer(), types.int64)
_SIZE = _Type(ctypes.c_ssize_t, I64, types.int64)
_BITS = _Type(ctypes.c_uint32, I32, types.uint32)
_INT = _Type(ctypes.c_int, I32, types.int32)
_DOUBLE = _Type(ctypes.c_double, ir.DoubleType(), types.float64)
_VOID = _Type(None, ir.VoidType(), types.none)


def _function_of_python(name, result, *arguments):
    """Let kernels call a function of Python; where it gives a null pointer, its exception is cleared."""
    function_type = ir.FunctionType(result.llvm, [argument.llvm for argument in arguments])

    def generate(context, builder, signature, args):
        function = cgutils.get_or_insert_function(builder.module, function_type, name)
        pairs = zip(args, function_type.args, strict=True)
        given = [builder.inttoptr(arg, type_) if type_.is_pointer else arg for arg, type_ in pairs]
        found = builder.call(function, given)
        if result is _VOID:
            return context.get_dummy_value()
        if result is not _POINTER:
            return found
        with builder.if_then(cgutils.is_null(builder, found), likely=False):
            clear = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, clear, "PyErr_Clear"), [])
        return builder.ptrtoint(found, I64)

    def typed(typing_context, *args):
        return result.kernel(*(argument.kernel for argument in arguments)), generate

    names = ["typing_context", *(f"argument{i}" for i in range(len(arguments)))]
    typed.__signature__ = inspect.Signature(
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names
    )
    call = ctypes.PYFUNCTYPE(result.plain, *(argument.plain for argument in arguments))((name, ctypes.pythonapi))

    def plain(*args):
        try:
            return call(*map(int, args)) or 0
        except Exception:
            return 0

    return intrinsic(typed)(plain)


item_of_list = _function_of_python("PyList_GetItem", _POINTER, _POINTER, _SIZE)
set_item_of_list = _function_of_python("PyList_SetItem", _VOID, _POINTER, _SIZE, _POINTER)
flags_of_type = _function_of_python("PyType_GetFlags", _BITS, _POINTER)  # of an unsigned long, the lower half
number_of_float = _function_of_python("PyFloat_AsDouble", _DOUBLE, _POINTER)
utf8_of_text = _function_of_python("PyUnicode_AsUTF8AndSize", _POINTER, _POINTER, _SIZE_POINTER)
address_of_bytes = _function_of_python("PyBytes_AsString", _POINTER, _POINTER)
size_of_bytes = _function_of_python("PyBytes_Size", _SIZE, _POINTER)
new_room_for_text = _function_of_python("PyUnicode_New", _POINTER, _SIZE, _BITS)
new_text = _function_of_python("PyUnicode_FromStringAndSize", _POINTER, _POINTER, _SIZE)
new_text_of_points = _function_of_python("PyUnicode_FromKindAndData", _POINTER, _INT, _POINTER, _SIZE)
new_bytes = _function_of_python("PyBytes_FromStringAndSize", _POINTER, _POINTER, _SIZE)
release = _function_of_python("Py_DecRef", _VOID, _POINTER)


# ------------------------------------------------------------------------------------------ objects to a column


@object_kernel
def object_at(source, stride, index):
    """Give object `index` of a list, or of slots that are `stride` bytes apart; 0 where there is none."""
    if stride == IN_A_LIST:
        return item_of_list(source, index)
    return load_i64_at(source + index * stride)


@object_kernel
def find_kind(value, known):
    """Tell what an object is: TEXT, BYTES, NULL or OTHER, which it may be although it is a null.

    `known`, int64, has the addresses of the types str, bytes, float and numpy.float64, a subclass of float, and of
    objects that are nulls, None first.
    """
    if value == 0 or value == known[4]:  # an empty slot is None to NumPy
        return NULL
    type_ = load_i64_at(value + TYPE_OFFSET)
    if type_ == known[0]:
        return TEXT
    if type_ == known[1]:
        return BYTES
    if type_ == known[2] or type_ == known[3]:
        return NULL if np.isnan(number_of_float(value)) else OTHER
    for i in range(5, known.size):
        if value == known[i]:
            return NULL
    flags = flags_of_type(type_)
    if flags & TEXT_FLAG:
        return TEXT
    return BYTES if flags & BYTES_FLAG else OTHER


@object_kernel
def find_bytes(value, kind, sizes, index):
    """Give the address of the bytes of an object that is TEXT or BYTES, 0 if it has none, and ``sizes[index]``, int64.

    Text that is not ASCII gets its UTF-8 made by this, and keeps it.
    """
    if kind == TEXT:
        return utf8_of_text(value, address_of_part(sizes, index, 1))
    sizes[index] = size_of_bytes(value)
    return address_of_bytes(value)


@object_kernel
def read_objects(source, stride, start, known, kind, is_valid, offsets, data):
    """Read the objects from `start` on of a list or of slots; each is read once, so that it may change at any time.

    `is_valid`, bool[n], is False for those that are not looked at, and becomes so for nulls. Their bytes go into `data`
    from ``offsets[start]`` on, their ends into `offsets`, int64[n + 1]. `source`, `stride` and `known` as above; `kind`
    is that of the values before, NONE, TEXT or BYTES.

    Returns ``(index, kind, size)``: n; or the value that is of another kind, has no UTF-8 or is not there any more,
    with 0; or the value for which `data` has no room, with its size.
    """
    num_values = is_valid.size
    pos = offsets[start]
    if stride == IN_A_LIST and item_of_list(source, num_values - 1) == 0:
        return start, kind, 0  # the list is shorter than it was, or has been empty all along
    for i in range(start, num_values):
        ahead = object_at(source, stride, min(i + AHEAD, num_values - 1))
        prefetch_at(ahead)
        prefetch_at(ahead + CACHE_LINE)
        if is_valid[i]:
            value = object_at(source, stride, i)
            found = find_kind(value, known)
            if found == NULL:
                is_valid[i] = False
            else:
                if found != kind and (found == OTHER or kind != NONE):
                    return i, kind, 0
                address = find_bytes(value, found, offsets, i + 1)
                size = offsets[i + 1]
                if address == 0 or size > data.size - pos:
                    return i, kind, size if address != 0 else 0
                kind = found
                copy_from(address, size, data, pos)
                pos += size
        offsets[i + 1] = pos
    return num_values, kind, 0


# ------------------------------------------------------------------------------------------ a column to objects


@object_kernel
def make_ascii(data, start, size):
    """Make a str of ``data[start : start + size]`` if it is ASCII; 0 if not, or if memory is short."""
    value = new_room_for_text(size, ASCII)
    if value != 0 and copy_short(address_of_part(data, start, size), size, value + TEXT_OFFSET) & NOT_ASCII != ZERO:
        release(value)  # nobody has seen it
        return 0
    return value


@object_kernel
def make_text(data, start, end, points):
    """Make a str of ``data[start:end]``, at most as many bytes as `points` has room for; 0 if it is not UTF-8."""
    if valid_end(data, start, end) < end:
        return 0
    count = count_points(data, start, end)
    if data.size - end >= READ_SLACK:
        decode_slot(data, start, end, points, 0, count)
    else:
        decode_slot_plainly(data, start, end, points, 0, count)
    return new_text_of_points(POINT_SIZE, address_of_part(points, 0, count), count)


@object_kernel
def make_object(data, start, end, utf8, points):
    """Make a str or bytes of ``data[start:end]``; 0 where it is not UTF-8 or memory is short.

    Python itself takes twice the time for text of up to COPY_CALL bytes, but has a str of each character and of none.
    """
    size = end - start
    if utf8 and 1 < size < COPY_CALL:
        value = make_ascii(data, start, size) if data[start] <= ASCII else 0
        return value if value != 0 else make_text(data, start, end, points)
    address = address_of_part(data, start, size)
    return new_text(address, size) if utf8 else new_bytes(address, size)


@object_kernel
def make_objects(offsets, data, is_valid, utf8, points, start, target, stride):
    """Make objects of values from `start` on, and put them into a list or into slots, in place of what is there.

    `offsets`, int64[n + 1], may be any numbers; where `is_valid`, bool[n], is False, nothing is put. `target` and
    `stride` as above. `points`, uint32[POINTS], is for the kernel's own use.

    Returns the index of the value that could not be made, or n.
    """
    for i in range(start, is_valid.size):
        if not is_valid[i]:
            continue
        begin = offsets[i]
        end = offsets[i + 1]
        if begin < 0 or end < begin or end > data.size:  # compared, for a difference could wrap
            return i
        value = make_object(data, begin, end, utf8, points)
        if value == 0:
            return i
        if stride == IN_A_LIST:
            set_item_of_list(target, i, value)
        else:
            slot = target + i * stride
            old = load_i64_at(slot)
            store_i64_at(slot, value)
            release(old)
    return is_valid.size
