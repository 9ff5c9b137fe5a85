"""Code points, as UCS-4 and as UTF-8, many at a time in LLVM vectors.

As in memory.py, the plain definitions are what the instructions must equal, and arrays are not tested for their bounds
when compiled. Points are uint32, bytes uint8.
"""

import numpy as np
from llvmlite import ir
from numba.core import types

from ._jit import intrinsic
from .memory import I32, I64, U8, load_elements, splat, store_elements, window

NARROW = ir.VectorType(U8, 16)
WIDE = ir.VectorType(I32, 16)
EIGHT = ir.VectorType(I32, 8)

FORMS = ((1, 0x80, 0x80C0), (2, 0x800, 0x8080E0), (3, 0x10000, 0x808080F0))
"""Of UTF-8: bytes behind the first, the lowest code point that takes so many, and the bits that mark these bytes."""


def constant(vector, value):  # pragma: compiled only
    """Give a vector of the same number in each lane."""
    return ir.Constant(vector, [value] * vector.count)


def are_first(builder, vector, count):
    """Tell of each lane whether it is one of the first `count`, an i64."""
    lanes = ir.Constant(vector, list(range(vector.count)))
    return builder.icmp_signed("<", lanes, splat(builder, builder.trunc(count, I32), vector.count))


def take_bits(builder, lanes, first, count, place):
    """Take the `count` bits of each lane from bit `first` on, and move them to bit `place`."""
    taken = builder.and_(builder.lshr(lanes, constant(EIGHT, first)), constant(EIGHT, (1 << count) - 1))
    return builder.shl(taken, constant(EIGHT, place))


def _typed_narrow16(typing_context, points, start, out, pos):
    def generate(context, builder, signature, args):
        loaded = load_elements(context, builder, signature.args[0], args[0], args[1], WIDE, 16)
        store_elements(context, builder, signature.args[2], args[2], args[3], builder.trunc(loaded, NARROW), 16)
        return context.get_dummy_value()

    return types.none(points, types.int64, out, types.int64), generate


@intrinsic(_typed_narrow16)
def narrow16(points, start, out, pos):
    """Write the low bytes of ``points[start : start + 16]`` as ``out[pos : pos + 16]``."""
    window(out, pos, 16)[:] = window(points, start, 16).astype(np.uint8)


def _typed_widen16(typing_context, buf, pos, count, points, start):
    def generate(context, builder, signature, args):
        loaded = load_elements(context, builder, signature.args[0], args[0], args[1], NARROW, 16)
        wide = builder.select(are_first(builder, WIDE, args[2]), builder.zext(loaded, WIDE), constant(WIDE, 0))
        store_elements(context, builder, signature.args[3], args[3], args[4], wide, 16)
        return context.get_dummy_value()

    return types.none(buf, types.int64, types.int64, points, types.int64), generate


@intrinsic(_typed_widen16)
def widen16(buf, pos, count, points, start):
    """Write the first `count` of ``buf[pos : pos + 16]``, and zeros, as ``points[start : start + 16]``."""
    wide = window(buf, pos, 16).astype(np.uint32)
    wide[count:] = 0
    window(points, start, 16)[:] = wide


def _typed_write_points8(typing_context, points, start, count, out, pos):
    def generate(context, builder, signature, args):
        loaded = load_elements(context, builder, signature.args[0], args[0], args[1], EIGHT, 8)
        is_wanted = are_first(builder, EIGHT, args[2])
        words, sizes = loaded, constant(EIGHT, 1)
        for following, lowest, marks in FORMS:
            form = constant(EIGHT, marks)
            for place in range(following + 1):
                form = builder.or_(form, take_bits(builder, loaded, 6 * (following - place), 6, 8 * place))
            is_longer = builder.icmp_unsigned(">=", loaded, constant(EIGHT, lowest))
            words = builder.select(is_longer, form, words)
            sizes = builder.add(sizes, builder.zext(is_longer, EIGHT))
        sizes = builder.select(is_wanted, sizes, constant(EIGHT, 0))
        end = args[4]
        for lane in range(8):
            word = builder.extract_element(words, I32(lane))
            store_elements(context, builder, signature.args[3], args[3], end, word, 4)
            end = builder.add(end, builder.zext(builder.extract_element(sizes, I32(lane)), I64))
        # The subtraction wraps, so that the comparison holds for 0xD800 to 0xDFFF only.
        is_surrogate = builder.icmp_unsigned("<", builder.sub(loaded, constant(EIGHT, 0xD800)), constant(EIGHT, 0x800))
        is_fault = builder.or_(is_surrogate, builder.icmp_unsigned(">", loaded, constant(EIGHT, 0x10FFFF)))
        faults = builder.bitcast(builder.and_(is_fault, is_wanted), U8)
        return builder.select(builder.icmp_unsigned("==", faults, U8(0)), end, I64(-1))

    return types.int64(points, types.int64, types.int64, out, types.int64), generate


@intrinsic(_typed_write_points8)
def write_points8(points, start, count, out, pos):
    """Write the first `count` of ``points[start : start + 8]`` as UTF-8, and touch 4 bytes behind them; returns `pos`.

    It is -1 where one of them is no text: a surrogate, or above what Unicode has.
    """
    try:
        text = window(points, start, 8)[:count].tobytes().decode("utf-32-le").encode()
    except UnicodeDecodeError:
        return -1
    window(out, pos, len(text) + 4)[: len(text)] = np.frombuffer(text, np.uint8)
    return pos + len(text)


def _typed_read_points8(typing_context, buf, pos, leads, points, start):
    def generate(context, builder, signature, args):
        words, left = ir.Constant(EIGHT, ir.Undefined), args[2]
        for lane in range(8):
            place = builder.add(args[1], builder.cttz(left, ir.Constant(ir.IntType(1), 0)))
            word = load_elements(context, builder, signature.args[0], args[0], place, I32, 4)
            words = builder.insert_element(words, word, I32(lane))
            left = builder.and_(left, builder.sub(left, I64(1)))
        lead = read = take_bits(builder, words, 0, 8, 0)
        for following, _, marks in FORMS:
            form = take_bits(builder, words, 0, 6 - following, 6 * following)
            for place in range(1, following + 1):
                form = builder.or_(form, take_bits(builder, words, 8 * place, 6, 6 * (following - place)))
            read = builder.select(builder.icmp_unsigned(">=", lead, constant(EIGHT, marks & 0xFF)), form, read)
        read = builder.select(are_first(builder, EIGHT, builder.ctpop(args[2])), read, constant(EIGHT, 0))
        store_elements(context, builder, signature.args[3], args[3], args[4], read, 8)
        return left

    return types.uint64(buf, types.int64, types.uint64, points, types.int64), generate


@intrinsic(_typed_read_points8)
def read_points8(buf, pos, leads, points, start):
    """Write the code points of eight characters of UTF-8, or zeros for want of them, as ``points[start : start + 8]``.

    They begin where the lowest bits of `leads` are set, bit i for ``buf[pos + i]``; returns `leads` without those bits.
    Touches ``buf[pos : pos + 68]``.
    """
    block = window(buf, pos, 68).tolist()
    places = [i for i in range(64) if int(leads) >> i & 1]
    read = [0] * 8
    for i, place in enumerate(places[:8]):
        lead = block[place]
        following = (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)
        read[i] = lead & 0x3F >> following if following else lead
        for byte in block[place + 1 : place + 1 + following]:
            read[i] = read[i] << 6 | byte & 0x3F
    window(points, start, 8)[:] = read
    return np.uint64(sum(1 << place for place in places[8:]))
