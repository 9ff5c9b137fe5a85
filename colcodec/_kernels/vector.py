"""Eight integers at a time, in LLVM vectors: what the compiler does not find by itself in loops over bit fields.

LLVM lowers these vectors to whatever the processor has, down to none at all. As in memory.py, the plain definitions are
what the instructions must equal, and arrays are not tested for their bounds when compiled.
"""

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from ._jit import intrinsic
from .memory import I32, I64, load_elements, splat, store_elements, window

LANES = 8
VECTOR = ir.VectorType(I64, LANES)


def _typed_unpack8(words):
    """Type an unpacking of eight values by way of `words` loads of 64 bits, which hold as many of the values each."""
    values = LANES // words

    def typed(typing_context, buf, pos, width, out, start):
        def generate(context, builder, signature, args):
            buf_value, pos_value, bits, target, target_start = args
            word_bits, shifts = ir.Constant(VECTOR, ir.Undefined), ir.Constant(VECTOR, ir.Undefined)
            for word in range(words):
                first = builder.mul(bits, I64(word * values))
                place = builder.add(pos_value, builder.lshr(first, I64(3)))
                loaded = load_elements(context, builder, signature.args[0], buf_value, place, I64, 8)
                for i in range(values):
                    shift = builder.add(builder.and_(first, I64(7)), builder.mul(bits, I64(i)))
                    lane = I32(word * values + i)
                    word_bits = builder.insert_element(word_bits, loaded, lane)
                    shifts = builder.insert_element(shifts, shift, lane)
            mask = builder.not_(builder.shl(I64(-1), bits))
            unpacked = builder.and_(builder.lshr(word_bits, shifts), splat(builder, mask, LANES))
            element = ir.IntType(signature.args[3].dtype.bitwidth)
            if element != I64:
                unpacked = builder.trunc(unpacked, ir.VectorType(element, LANES))
            store_elements(context, builder, signature.args[3], target, target_start, unpacked, LANES)
            return context.get_dummy_value()

        return types.none(buf, types.int64, types.int64, out, types.int64), generate

    return typed


def _unpack8(buf, pos, width, out, start):
    width = int(width)
    number = int.from_bytes(window(buf, pos, width + 8).tobytes(), "little")
    for i in range(LANES):
        out[start + i] = out.dtype.type((number >> i * width) & ((1 << min(width, 8 * out.itemsize)) - 1))


@intrinsic(_typed_unpack8(1))
def unpack8_narrow(buf, pos, width, out, start):
    """Unpack eight values of 1 to 8 bits at ``buf[pos:]`` into ``out[start : start + 8]``, uint32 or uint64.

    Touches at most ``buf[pos : pos + width + 8]``.
    """
    _unpack8(buf, pos, width, out, start)


@intrinsic(_typed_unpack8(2))
def unpack8_medium(buf, pos, width, out, start):
    """Do the same for 1 to 16 bits."""
    _unpack8(buf, pos, width, out, start)


@intrinsic(_typed_unpack8(8))
def unpack8_wide(buf, pos, width, out, start):
    """Do the same for 1 to 57 bits."""
    _unpack8(buf, pos, width, out, start)


def _typed_add_up8(typing_context, value, min_delta, out, start):
    def generate(context, builder, signature, args):
        before, least, target, target_start = args
        element = ir.IntType(signature.args[2].dtype.bitwidth)
        vector = ir.VectorType(element, LANES)
        if element != I64:
            before, least = builder.trunc(before, element), builder.trunc(least, element)
        sums = load_elements(context, builder, signature.args[2], target, target_start, vector, LANES)
        sums = builder.add(sums, splat(builder, least, LANES))
        zeros = ir.Constant(vector, [0] * LANES)
        for step in (1, 2, 4):
            # Lane i of the shuffle is lane i - step of the sums, or zero where there is none.
            lanes = [LANES + i if i < step else i - step for i in range(LANES)]
            moved = builder.shuffle_vector(sums, zeros, ir.Constant(ir.VectorType(I32, LANES), lanes))
            sums = builder.add(sums, moved)
        # The sum of the eight does not wait for `before`, so that one addition is all that links one call to the next.
        after = builder.add(before, builder.extract_element(sums, I32(LANES - 1)))
        values = builder.add(sums, splat(builder, before, LANES))
        store_elements(context, builder, signature.args[2], target, target_start, values, LANES)
        return after if element == I64 else builder.zext(after, I64)

    return types.uint64(types.uint64, types.uint64, out, types.int64), generate


@intrinsic(_typed_add_up8)
def add_up8(value, min_delta, out, start):
    """Add `min_delta` to each of ``out[start : start + 8]``, uint32 or uint64, and all of that up from `value` on.

    Wraps at the width of `out`. Returns the last of the eight, as a uint64.
    """
    mask = (1 << 8 * out.itemsize) - 1
    for i, delta in enumerate(window(out, start, LANES).tolist()):
        value = (int(value) + int(min_delta) + delta) & mask
        out[start + i] = out.dtype.type(value)
    return np.uint64(value)


MANY = 32


def _typed_any_bits32(typing_context, values, start):
    def generate(context, builder, signature, args):
        element = ir.IntType(signature.args[0].dtype.bitwidth)
        vector = ir.VectorType(element, MANY)
        loaded = load_elements(context, builder, signature.args[0], args[0], args[1], vector, MANY)
        name = f"llvm.vector.reduce.or.v{MANY}i{element.width}"
        reduce = cgutils.get_or_insert_function(builder.module, ir.FunctionType(element, [vector]), name)
        bits = builder.call(reduce, [loaded])
        return bits if element == I64 else builder.zext(bits, I64)

    return types.uint64(values, types.int64), generate


@intrinsic(_typed_any_bits32)
def any_bits32(values, start):
    """Give the bitwise or of ``values[start : start + 32]``, uint32 or uint64, as a uint64."""
    return np.bitwise_or.reduce(window(values, start, MANY)).astype(np.uint64)
