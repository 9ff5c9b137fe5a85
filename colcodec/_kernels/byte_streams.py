"""Values of one length, byte by byte: all first bytes, then all second ones, and back.

Specification: Encodings.md, "Byte Stream Split (BYTE_STREAM_SPLIT = 9)".

A page is a table of bytes, values by places, turned over. It is turned in tiles of 64 or 32 values by 16 places, or 8,
4 or 2 where the values are shorter. A tile that would leave the table is moved back into it, and does some bytes again.
As in memory.py, the plain definitions are what the instructions must equal, and arrays are not tested for their bounds
when compiled.
"""

import numpy as np
from llvmlite import ir
from numba.core import types

from ._jit import intrinsic, kernel
from .memory import I32, I64, U8, copy_exact, load_elements, store_elements, window

SPLIT = 64
"""Values of a tile that is split. It writes whole cache lines, as streams may well begin 2**16 bytes apart: such lines
drive each other out of the cache, and one that is half written has to come back.
"""

JOIN = 32
"""Values of a tile that is joined."""

LANE = 16
"""Bytes within which processors interleave two vectors; the vectors of a tile have several such lanes."""


# ------------------------------------------------------------------------------------------ code generation


def pick(builder, first, second, places):
    """Give a vector of the bytes at `places` of two vectors, those of the second behind those of the first."""
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(I32, len(places)), places))


def join_vectors(builder, vectors):
    """Put vectors, a power of two of them, end to end."""
    while len(vectors) > 1:
        places = list(range(2 * vectors[0].type.count))
        vectors = [pick(builder, *vectors[i : i + 2], places) for i in range(0, len(vectors), 2)]
    return vectors[0]


def interleave(builder, vectors, times):
    """Interleave the first half of the vectors with the second, byte by byte in each lane, so many times.

    Each time takes the upper bit of a byte's place among all bytes of a lane, vector by vector, to its lower end. Once
    for every bit of a row's number, and rows are columns.
    """
    half, size = len(vectors) // 2, vectors[0].type.count
    low = [place for lane in range(0, size, LANE) for i in range(lane, lane + LANE // 2) for place in (i, size + i)]
    high = [place + LANE // 2 for place in low]
    for _ in range(times):
        vectors = [pick(builder, vectors[i], vectors[half + i], side) for i in range(half) for side in (low, high)]
    return vectors


def rows_of(vector, num_places, tile):  # pragma: compiled only
    """List the values of a tile of which the vector with that number holds `num_places` bytes each."""
    first, count = vector * LANE // num_places, LANE // num_places
    return [lane + i for lane in range(0, tile, LANE) for i in range(first, first + count)]


def _typed_split(num_places):
    def typed(typing_context, data, pos, length, out, out_pos, num_values):
        def generate(context, builder, signature, args):
            source, start, stride, target, target_start, target_stride = args
            row, vectors = ir.VectorType(U8, num_places), []
            for i in range(num_places):
                places = [
                    builder.add(start, builder.mul(stride, I64(value))) for value in rows_of(i, num_places, SPLIT)
                ]
                rows = [load_elements(context, builder, data, source, place, row, num_places) for place in places]
                vectors.append(join_vectors(builder, rows))
            for j, stream in enumerate(interleave(builder, vectors, LANE.bit_length() - 1)):
                place = builder.add(target_start, builder.mul(target_stride, I64(j)))
                store_elements(context, builder, out, target, place, stream, SPLIT)
            return context.get_dummy_value()

        return types.none(data, types.int64, types.int64, out, types.int64, types.int64), generate

    return typed


def _typed_join(num_places):
    def typed(typing_context, buf, pos, num_values, out, out_pos, length):
        def generate(context, builder, signature, args):
            source, start, stride, target, target_start, target_stride = args
            stream = ir.VectorType(U8, JOIN)
            places = [builder.add(start, builder.mul(stride, I64(j))) for j in range(num_places)]
            vectors = [load_elements(context, builder, buf, source, place, stream, JOIN) for place in places]
            for i, rows in enumerate(interleave(builder, vectors, num_places.bit_length() - 1)):
                for k, value in enumerate(rows_of(i, num_places, JOIN)):
                    row = pick(builder, rows, rows, list(range(k * num_places, (k + 1) * num_places)))
                    place = builder.add(target_start, builder.mul(target_stride, I64(value)))
                    store_elements(context, builder, out, target, place, row, num_places)
            return context.get_dummy_value()

        return types.none(buf, types.int64, types.int64, out, types.int64, types.int64), generate

    return typed


def _turn(src, pos, stride, size, out, out_pos, out_stride, count):
    """Write `size` bytes at each of `count` strides as `count` bytes at each of `size` strides."""
    rows = np.stack([window(src, pos + i * stride, size) for i in range(count)])
    for j in range(size):
        window(out, out_pos + j * out_stride, count)[:] = rows[:, j]


# ------------------------------------------------------------------------------------------ tiles


@intrinsic(_typed_split(16))
def split16(data, pos, length, out, out_pos, num_values):
    """Write byte j, of 16, of 64 values that are `length` apart to ``out[out_pos + j * num_values :]``.

    Touches 16 bytes at ``data[pos:]`` and at each of the next 63 lengths from there, and 64 bytes of each stream.
    """
    _turn(data, pos, length, 16, out, out_pos, num_values, SPLIT)


@intrinsic(_typed_split(8))
def split8(data, pos, length, out, out_pos, num_values):
    """Do the same for 8 bytes of each value."""
    _turn(data, pos, length, 8, out, out_pos, num_values, SPLIT)


@intrinsic(_typed_split(4))
def split4(data, pos, length, out, out_pos, num_values):
    """Do the same for 4 bytes of each value."""
    _turn(data, pos, length, 4, out, out_pos, num_values, SPLIT)


@intrinsic(_typed_split(2))
def split2(data, pos, length, out, out_pos, num_values):
    """Do the same for 2 bytes of each value."""
    _turn(data, pos, length, 2, out, out_pos, num_values, SPLIT)


@intrinsic(_typed_join(16))
def join16(buf, pos, num_values, out, out_pos, length):
    """Write byte i, of 32, of 16 streams that are `num_values` apart to ``out[out_pos + i * length :]``.

    Touches 32 bytes at ``buf[pos:]`` and in each of the next 15 streams, and 16 bytes of each value.
    """
    _turn(buf, pos, num_values, JOIN, out, out_pos, length, 16)


@intrinsic(_typed_join(8))
def join8(buf, pos, num_values, out, out_pos, length):
    """Do the same for 8 streams."""
    _turn(buf, pos, num_values, JOIN, out, out_pos, length, 8)


@intrinsic(_typed_join(4))
def join4(buf, pos, num_values, out, out_pos, length):
    """Do the same for 4 streams."""
    _turn(buf, pos, num_values, JOIN, out, out_pos, length, 4)


@intrinsic(_typed_join(2))
def join2(buf, pos, num_values, out, out_pos, length):
    """Do the same for 2 streams."""
    _turn(buf, pos, num_values, JOIN, out, out_pos, length, 2)


# ------------------------------------------------------------------------------------------ tables


@kernel
def places_of_tile(length):
    """Give the number of places in the tiles of values of `length` bytes: 16, 8, 4, 2 or 1."""
    num_places = LANE
    while num_places > length:
        num_places >>= 1
    return num_places


@kernel
def split_streams(data, length, out):
    """Write the values of `length` bytes in `data` as that many streams, one for each place, end to end.

    `data` and `out` have the same size, a multiple of `length`.
    """
    num_values = data.size // length
    num_places = places_of_tile(length)
    if num_places == 1:
        copy_exact(data, 0, out, 0, data.size)
    elif num_values < SPLIT:
        for i in range(num_values):
            for j in range(length):
                out[j * num_values + i] = data[i * length + j]
    else:
        for first in range(0, num_values, SPLIT):
            i = min(first, num_values - SPLIT)  # in bounds, and so is j: a tile fits in behind them
            for place in range(0, length, num_places):
                j = min(place, length - num_places)
                if num_places == 16:
                    split16(data, i * length + j, length, out, j * num_values + i, num_values)
                elif num_places == 8:
                    split8(data, i * length + j, length, out, j * num_values + i, num_values)
                elif num_places == 4:
                    split4(data, i * length + j, length, out, j * num_values + i, num_values)
                else:
                    split2(data, i * length + j, length, out, j * num_values + i, num_values)


@kernel
def join_streams(buf, length, start, out):
    """Write the values, from number `start` on, of which `buf` has `length` streams, one for each place.

    The sizes of `buf` and `out` are multiples of `length`, and `buf` has as many values behind `start` as `out`.
    """
    num_values = buf.size // length
    count = out.size // length
    num_places = places_of_tile(length)
    if num_places == 1:
        copy_exact(buf, start, out, 0, out.size)
    elif count < JOIN:
        for i in range(count):
            for j in range(length):
                out[i * length + j] = buf[j * num_values + start + i]
    else:
        for first in range(0, count, JOIN):
            i = min(first, count - JOIN)  # in bounds, and so is j: a tile fits in behind them
            for place in range(0, length, num_places):
                j = min(place, length - num_places)
                if num_places == 16:
                    join16(buf, j * num_values + start + i, num_values, out, i * length + j, length)
                elif num_places == 8:
                    join8(buf, j * num_values + start + i, num_values, out, i * length + j, length)
                elif num_places == 4:
                    join4(buf, j * num_values + start + i, num_values, out, i * length + j, length)
                else:
                    join2(buf, j * num_values + start + i, num_values, out, i * length + j, length)
