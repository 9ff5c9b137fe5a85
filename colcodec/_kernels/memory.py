"""Unaligned loads and stores, wide copies, and the processor's bit counts.

Each function is a plain Python definition together with the LLVM instructions that compiled kernels run in its place.
None of them tests its bounds when compiled (they do with the JIT off and under NUMBA_BOUNDSCHECK=1): the contract of
each says how many bytes it touches, and the caller has shown that they are there. Arrays are ``uint8[n]`` unless said
otherwise; positions are int64. Vector loads and stores are plain LLVM vectors, so that every processor has them.
"""

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import models, register_model

from ._jit import CHECKED, intrinsic, kernel

U8 = ir.IntType(8)
I32 = ir.IntType(32)
I64 = ir.IntType(64)

COPY_SLACK = 32
"""Bytes behind source and target with which :func:`copy_bytes` copies in the quick way."""


# ------------------------------------------------------------------------------------------ code generation


def pointer_to(context, builder, array_type, array, index, count):
    """Give the address of element `index`, an i64, as i8*; the caller touches `count` elements from there on."""
    fields = context.make_array(array_type)(context, builder, array)
    if CHECKED:
        beyond = builder.icmp_signed(">", builder.add(index, count), builder.extract_value(fields.shape, 0))
        with builder.if_then(builder.or_(builder.icmp_signed("<", index, I64(0)), beyond), likely=False):
            context.call_conv.return_user_exc(builder, IndexError, ("access outside of an array",))
    return builder.bitcast(builder.gep(fields.data, [index]), U8.as_pointer())


def load_elements(context, builder, array_type, array, index, type_, count):
    """Load `count` elements, together an LLVM value of `type_`."""
    pointer = pointer_to(context, builder, array_type, array, index, I64(count))
    return builder.load(builder.bitcast(pointer, type_.as_pointer()), align=1)


def store_elements(context, builder, array_type, array, index, value, count):
    """Store an LLVM value that is `count` elements."""
    pointer = pointer_to(context, builder, array_type, array, index, I64(count))
    builder.store(value, builder.bitcast(pointer, value.type.as_pointer()), align=1)


def call_prefetch(builder, pointer, *, to_write):
    """Call up what lies at an i8*, which need not be there, to stay in the caches."""
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, I32, I32, I32])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
    builder.call(function, [pointer, I32(int(to_write)), I32(3), I32(1)])


def splat(builder, value, lanes):
    """Give a vector of `lanes` times the same LLVM value."""
    undefined = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    one = builder.insert_element(undefined, value, I32(0))
    return builder.shuffle_vector(one, undefined, ir.Constant(ir.VectorType(I32, lanes), [0] * lanes))


def window(array, pos, size):
    """Give the `size` bytes at `pos` to a plain definition, which must not leave the array either."""
    if pos < 0 or pos + size > array.size:
        raise IndexError(f"bytes {pos} to {pos + size} of an array of {array.size}")
    return array[pos : pos + size]


# ------------------------------------------------------------------------------------------ numbers


def _typed_load_u64(typing_context, buf, pos):
    def generate(context, builder, signature, args):
        return load_elements(context, builder, signature.args[0], args[0], args[1], I64, 8)

    return types.uint64(buf, types.int64), generate


@intrinsic(_typed_load_u64)
def load_u64(buf, pos):
    """Load a little-endian uint64; touches ``buf[pos : pos + 8]``."""
    return window(buf, pos, 8).view("<u8")[0]


def _typed_load_i32(typing_context, buf, pos):
    def generate(context, builder, signature, args):
        return builder.sext(load_elements(context, builder, signature.args[0], args[0], args[1], I32, 4), I64)

    return types.int64(buf, types.int64), generate


@intrinsic(_typed_load_i32)
def load_i32(buf, pos):
    """Load a little-endian int32 as an int64; touches ``buf[pos : pos + 4]``."""
    return np.int64(window(buf, pos, 4).view("<i4")[0])


def _typed_load_pair(typing_context, buf, pos, count):
    vector = ir.VectorType(U8, 16)
    places = ir.Constant(vector, list(range(16)))

    def generate(context, builder, signature, args):
        loaded = load_elements(context, builder, signature.args[0], args[0], args[1], vector, 16)
        most = builder.select(builder.icmp_signed("<", args[2], I64(16)), args[2], I64(16))
        wanted = builder.icmp_unsigned("<", places, splat(builder, builder.trunc(most, U8), 16))
        kept = builder.select(wanted, loaded, ir.Constant(vector, [0] * 16))
        words = builder.bitcast(kept, ir.VectorType(I64, 2))
        return context.make_tuple(
            builder, signature.return_type, [builder.extract_element(words, I32(i)) for i in range(2)]
        )

    return types.UniTuple(types.uint64, 2)(buf, types.int64, types.int64), generate


@intrinsic(_typed_load_pair)
def load_pair(buf, pos, count):
    """Load two little-endian uint64, of whose bytes those behind the first `count` are zero; touches 16 bytes."""
    kept = np.zeros(16, np.uint8)
    kept[:count] = window(buf, pos, 16)[:count]
    return tuple(kept.view("<u8"))


def _typed_is_same16(typing_context, left, left_pos, right, right_pos, count):
    vector = ir.VectorType(U8, 16)
    mask = ir.IntType(16)

    def generate(context, builder, signature, args):
        pair = [load_elements(context, builder, signature.args[k], args[k], args[k + 1], vector, 16) for k in (0, 2)]
        different = builder.zext(builder.bitcast(builder.icmp_unsigned("!=", *pair), mask), I64)
        wanted = builder.not_(builder.shl(I64(-1), args[4]))
        return builder.icmp_unsigned("==", builder.and_(different, wanted), I64(0))

    return types.boolean(left, types.int64, right, types.int64, types.int64), generate


@intrinsic(_typed_is_same16)
def is_same16(left, left_pos, right, right_pos, count):
    """Tell whether the first `count` bytes, 0 to 16, of two places are the same; touches 16 bytes of both."""
    return bool((window(left, left_pos, 16)[:count] == window(right, right_pos, 16)[:count]).all())


def _typed_store_u64(typing_context, out, pos, value):
    def generate(context, builder, signature, args):
        store_elements(context, builder, signature.args[0], args[0], args[1], args[2], 8)
        return context.get_dummy_value()

    return types.none(out, types.int64, types.uint64), generate


@intrinsic(_typed_store_u64)
def store_u64(out, pos, value):
    """Store a uint64, little-endian; touches ``out[pos : pos + 8]``."""
    window(out, pos, 8).view("<u8")[0] = value


def _typed_store_i32(typing_context, out, pos, value):
    def generate(context, builder, signature, args):
        store_elements(context, builder, signature.args[0], args[0], args[1], builder.trunc(args[2], I32), 4)
        return context.get_dummy_value()

    return types.none(out, types.int64, types.int64), generate


@intrinsic(_typed_store_i32)
def store_i32(out, pos, value):
    """Store an int64 that fits an int32, little-endian; touches ``out[pos : pos + 4]``."""
    window(out, pos, 4).view("<i4")[0] = value


def _typed_prefetch(typing_context, array, index):
    def generate(context, builder, signature, args):
        pointer = pointer_to(context, builder, signature.args[0], args[0], args[1], I64(1))
        call_prefetch(builder, pointer, to_write=True)
        return context.get_dummy_value()

    return types.none(array, types.int64), generate


@intrinsic(_typed_prefetch)
def prefetch(array, index):
    """Call up an element of an array of any type into the caches."""


# ------------------------------------------------------------------------------------------ copies


def _typed_copy(size):
    vector = ir.VectorType(U8, size)

    def typed(typing_context, src, src_pos, out, pos):
        def generate(context, builder, signature, args):
            value = load_elements(context, builder, signature.args[0], args[0], args[1], vector, size)
            store_elements(context, builder, signature.args[2], args[2], args[3], value, size)
            return context.get_dummy_value()

        return types.none(src, types.int64, out, types.int64), generate

    return typed


@intrinsic(_typed_copy(16))
def copy16(src, src_pos, out, pos):
    """Copy 16 bytes; touches ``src[src_pos : src_pos + 16]`` and ``out[pos : pos + 16]``."""
    window(out, pos, 16)[:] = window(src, src_pos, 16).copy()


@intrinsic(_typed_copy(32))
def copy32(src, src_pos, out, pos):
    """Copy 32 bytes; touches ``src[src_pos : src_pos + 32]`` and ``out[pos : pos + 32]``."""
    window(out, pos, 32)[:] = window(src, src_pos, 32).copy()


def _typed_copy_exact(typing_context, src, src_pos, out, pos, size):
    def generate(context, builder, signature, args):
        source = pointer_to(context, builder, signature.args[0], args[0], args[1], args[4])
        target = pointer_to(context, builder, signature.args[2], args[2], args[3], args[4])
        cgutils.raw_memcpy(builder, target, source, args[4], 1)
        return context.get_dummy_value()

    return types.none(src, types.int64, out, types.int64, types.int64), generate


@intrinsic(_typed_copy_exact)
def copy_exact(src, src_pos, out, pos, size):
    """Copy `size` bytes and touch no others; the two ranges do not overlap."""
    window(out, pos, size)[:] = window(src, src_pos, size)


# ------------------------------------------------------------------------------------------ 32 bytes in a register


class Bytes32(types.Type):
    """The type of 32 bytes that a kernel holds in a register; a plain definition holds a uint8[32]."""


BYTES32 = Bytes32("bytes32")
VECTOR32 = ir.VectorType(U8, 32)


@register_model(Bytes32)
class _Bytes32Model(models.PrimitiveModel):
    def __init__(self, manager, type_):  # pragma: compiled only
        super().__init__(manager, type_, VECTOR32)


def _typed_zeros32(typing_context):
    return BYTES32(), lambda context, builder, signature, args: ir.Constant(VECTOR32, [0] * 32)


@intrinsic(_typed_zeros32)
def zeros32():
    """Give 32 zero bytes."""
    return np.zeros(32, np.uint8)


def _typed_load32(typing_context, buf, pos):
    def generate(context, builder, signature, args):
        return load_elements(context, builder, signature.args[0], args[0], args[1], VECTOR32, 32)

    return BYTES32(buf, types.int64), generate


@intrinsic(_typed_load32)
def load32(buf, pos):
    """Load 32 bytes; touches ``buf[pos : pos + 32]``."""
    return window(buf, pos, 32).copy()


def _typed_store32(typing_context, out, pos, value):
    def generate(context, builder, signature, args):
        store_elements(context, builder, signature.args[0], args[0], args[1], args[2], 32)
        return context.get_dummy_value()

    return types.none(out, types.int64, BYTES32), generate


@intrinsic(_typed_store32)
def store32(out, pos, value):
    """Store 32 bytes; touches ``out[pos : pos + 32]``."""
    window(out, pos, 32)[:] = value


def _typed_merge32(typing_context, first, second, count):
    places = ir.Constant(VECTOR32, list(range(32)))

    def generate(context, builder, signature, args):
        limit = splat(builder, builder.trunc(args[2], U8), 32)
        return builder.select(builder.icmp_unsigned("<", places, limit), args[0], args[1])

    return BYTES32(BYTES32, BYTES32, types.int64), generate


@intrinsic(_typed_merge32)
def merge32(first, second, count):
    """Take the leading `count` bytes, 0 to 32, of `first`, and the others of `second`."""
    return np.concatenate([first[:count], second[count:]])


# ------------------------------------------------------------------------------------------ bits


def _typed_trailing_zeros(typing_context, value):
    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic(_typed_trailing_zeros)
def trailing_zeros(value):
    """Count the zero bits below the lowest set bit of a uint64; 64 for 0."""
    number = int(value)
    return (number & -number).bit_length() - 1 if number else 64


def _typed_bit_width(typing_context, value):
    def generate(context, builder, signature, args):
        return builder.sub(I64(64), builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0)))

    return types.int64(types.uint64), generate


@intrinsic(_typed_bit_width)
def bit_width(value):
    """Count the bits that a uint64 needs; 0 for 0."""
    return int(value).bit_length()


def _typed_count_ones(typing_context, value):
    return types.int64(types.uint64), lambda context, builder, signature, args: builder.ctpop(args[0])


@intrinsic(_typed_count_ones)
def count_ones(value):
    """Count the set bits of a uint64."""
    return int(value).bit_count()


def _typed_fold_multiply(typing_context, left, right):
    wide = ir.IntType(128)

    def generate(context, builder, signature, args):
        product = builder.mul(*(builder.zext(arg, wide) for arg in args))
        return builder.xor(builder.trunc(builder.lshr(product, wide(64)), I64), builder.trunc(product, I64))

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic(_typed_fold_multiply)
def fold_multiply(left, right):
    """Multiply two uint64, and give the exclusive or of the upper and lower 64 bits of the product."""
    product = int(left) * int(right)
    return np.uint64(product >> 64 ^ product & 0xFFFFFFFFFFFFFFFF)


def _typed_as_signed(typing_context, value):
    return types.int64(types.uint64), lambda context, builder, signature, args: args[0]


@intrinsic(_typed_as_signed)
def as_signed(value):
    """Read the bits of a uint64 as an int64."""
    return np.uint64(value).view(np.int64)


def _typed_as_unsigned(typing_context, value):
    return types.uint64(types.int64), lambda context, builder, signature, args: args[0]


@intrinsic(_typed_as_unsigned)
def as_unsigned(value):
    """Read the bits of an int64 as a uint64."""
    return np.int64(value).view(np.uint64)


def _typed_low32_as_signed(typing_context, value):
    def generate(context, builder, signature, args):
        return builder.sext(builder.trunc(args[0], I32), I64)

    return types.int64(types.uint64), generate


@intrinsic(_typed_low32_as_signed)
def low32_as_signed(value):
    """Read the low 32 bits of a uint64 as an int32, and give that as an int64."""
    return np.int64((np.uint64(value) & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32))


# ------------------------------------------------------------------------------------------ from these


@kernel
def copy_wide(src, src_pos, out, pos, size):
    """Copy `size` bytes, 32 at a time; both arrays have 32 bytes behind them, and up to 31 of those are touched.

    Source and target may be parts of one array, if the target begins at or behind the source's end.
    """
    done = 0
    while done < size:
        copy32(src, src_pos + done, out, pos + done)
        done += 32


@kernel
def copy_bytes(src, src_pos, out, pos, size):
    """Copy `size` bytes: those of short values with one or two wide moves that also touch what follows.

    Touches up to 32 bytes behind the last byte wherever both arrays have them, so `out` is to be written in ascending
    order, and source and target may be parts of one array where the target begins at or behind the source's end.
    """
    if src.size - src_pos - size >= COPY_SLACK and out.size - pos - size >= COPY_SLACK:
        copy16(src, src_pos, out, pos)
        if size > 16:
            copy16(src, src_pos + 16, out, pos + 16)
            done = 32
            while done < size:
                copy32(src, src_pos + done, out, pos + done)
                done += 32
    else:
        copy_exact(src, src_pos, out, pos, size)
