"""Eight integers at a time, in LLVM vectors: what the compiler does not find by itself in loops over bit fields.

LLVM lowers these vectors to whatever the processor has, down to none at all. As in memory.py, the plain definitions are
what the instructions must equal, and arrays are not tested for their bounds when compiled.
"""

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from ._jit import intrinsic, kernel
from .memory import I32, I64, as_signed, as_unsigned, load_elements, splat, store_elements, window

ZERO = np.uint64(0)

LANES = 8
VECTOR = ir.VectorType(I64, LANES)


def _typed_unpack8(words):
    """Type an unpacking of eight values by way of `words` loads of 64 bits, which hold as many of the values each."""
    values = LANES // words

    def typed(typing_context, buf, pos, width, out, start):
        def generate(context, builder, signature, args):
            buf_value, pos_value, bits, target, target_start = args
            # Value i begins at bit i * width; its word, at the byte of the first of the word's values.
            narrow_bits = splat(builder, builder.trunc(bits, I32), LANES)
            lanes = ir.Constant(narrow_bits.type, [i % values for i in range(LANES)])
            shifts = builder.zext(builder.mul(narrow_bits, lanes), VECTOR)
            loaded, first_shifts = ir.Constant(VECTOR, ir.Undefined), ir.Constant(VECTOR, [0] * LANES)
            for word in range(words):
                first = builder.mul(bits, I64(word * values))
                place = builder.add(pos_value, builder.lshr(first, I64(3)))
                word_bits = load_elements(context, builder, signature.args[0], buf_value, place, I64, 8)
                for lane in range(word * values, (word + 1) * values):
                    loaded = builder.insert_element(loaded, word_bits, I32(lane))
                    if word > 0:
                        first_shifts = builder.insert_element(first_shifts, builder.and_(first, I64(7)), I32(lane))
            if words > 1:
                shifts = builder.add(shifts, first_shifts)
            mask = splat(builder, builder.not_(builder.shl(I64(-1), bits)), LANES)
            unpacked = builder.and_(builder.lshr(loaded, shifts), mask)
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
    """Unpack eight values of 1 to 8 bits at ``buf[pos:]`` into ``out[start : start + 8]``, uint16, uint32 or uint64.

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


def _typed_add_up8(typing_context, value, step, src, src_start, out, start):
    def generate(context, builder, signature, args):
        before, each, source, source_start, target, target_start = args
        source_type, target_type = (ir.IntType(signature.args[i].dtype.bitwidth) for i in (2, 4))
        vector = ir.VectorType(target_type, LANES)
        if target_type != I64:
            before, each = builder.trunc(before, target_type), builder.trunc(each, target_type)
        sums = load_elements(
            context, builder, signature.args[2], source, source_start, ir.VectorType(source_type, LANES), LANES
        )
        if source_type != target_type:
            sums = builder.sext(sums, vector)
        sums = builder.add(sums, splat(builder, each, LANES))
        zeros = ir.Constant(vector, [0] * LANES)
        for distance in (1, 2, 4):
            # Lane i of the shuffle is lane i - distance of the sums, or zero where there is none.
            lanes = [LANES + i if i < distance else i - distance for i in range(LANES)]
            moved = builder.shuffle_vector(sums, zeros, ir.Constant(ir.VectorType(I32, LANES), lanes))
            sums = builder.add(sums, moved)
        # The sum of the eight does not wait for `before`, so that one addition is all that links one call to the next.
        after = builder.add(before, builder.extract_element(sums, I32(LANES - 1)))
        values = builder.add(sums, splat(builder, before, LANES))
        store_elements(context, builder, signature.args[4], target, target_start, values, LANES)
        return after if target_type == I64 else builder.zext(after, I64)

    return types.uint64(types.uint64, types.uint64, src, types.int64, out, types.int64), generate


@intrinsic(_typed_add_up8)
def add_up8(value, step, src, src_start, out, start):
    """Add up eight numbers from `value` on, and `step` with each of them.

    ``out[start + i]`` becomes `value` and the sum of ``src[src_start : src_start + i + 1]`` and ``i + 1`` times `step`,
    wrapping at the width of `out`. `src` may be `out`, or int32 where `out` is int64. Returns the last of the eight,
    a uint64.
    """
    mask = (1 << 8 * out.itemsize) - 1
    for i, number in enumerate(window(src, src_start, LANES).tolist()):
        value = (int(value) + int(step) + number) & mask
        out[start + i] = np.uint64(value).astype(out.dtype)
    return np.uint64(value)


def _typed_are_same8(typing_context, values, start):
    def generate(context, builder, signature, args):
        vector = ir.VectorType(ir.IntType(signature.args[0].dtype.bitwidth), LANES)
        loaded = load_elements(context, builder, signature.args[0], args[0], args[1], vector, LANES)
        first = splat(builder, builder.extract_element(loaded, I32(0)), LANES)
        others = builder.bitcast(builder.icmp_unsigned("!=", loaded, first), ir.IntType(LANES))
        return builder.icmp_unsigned("==", others, ir.Constant(others.type, 0))

    return types.boolean(values, types.int64), generate


@intrinsic(_typed_are_same8)
def are_same8(values, start):
    """Tell whether the integers ``values[start : start + 8]`` are all the same."""
    eight = window(values, start, LANES)
    return bool((eight == eight[0]).all())


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


def _typed_at_least(lanes):
    def typed(typing_context, values, start, limit):
        element = ir.IntType(values.dtype.bitwidth)
        vector = ir.VectorType(element, lanes)

        def generate(context, builder, signature, args):
            loaded = load_elements(context, builder, signature.args[0], args[0], args[1], vector, lanes)
            limits = splat(builder, builder.trunc(args[2], element), lanes)
            bits = builder.bitcast(builder.icmp_unsigned(">=", loaded, limits), ir.IntType(lanes))
            return bits if lanes == 64 else builder.zext(bits, I64)

        return types.uint64(values, types.int64, types.int64), generate

    return typed


def _at_least(values, start, limit, lanes):
    bits = np.packbits(window(values, start, lanes) >= limit, bitorder="little")
    return np.uint64(int.from_bytes(bits.tobytes(), "little"))


@intrinsic(_typed_at_least(16))
def at_least16(values, start, limit):
    """Give bits, the first the lowest: which of ``values[start : start + 16]`` are `limit` or more."""
    return _at_least(values, start, limit, 16)


@intrinsic(_typed_at_least(32))
def at_least32(values, start, limit):
    """Do the same with 32 values."""
    return _at_least(values, start, limit, 32)


@intrinsic(_typed_at_least(64))
def at_least64(values, start, limit):
    """Do the same with 64 values."""
    return _at_least(values, start, limit, 64)


@kernel
def add_up(lengths, offsets):
    """Add up `lengths`, int32[n] or int64[n], into ``offsets[1:]``, int64[n + 1]; returns the sum.

    `lengths` may be ``offsets[1:]``.
    """
    whole = lengths.size & ~7
    total = ZERO
    for i in range(0, whole, 8):
        total = add_up8(total, ZERO, lengths, i, offsets, i + 1)
    for i in range(whole, lengths.size):
        total += as_unsigned(np.int64(lengths[i]))
        offsets[i + 1] = as_signed(total)
    return as_signed(total)
