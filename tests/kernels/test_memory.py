"""Loads, stores, copies and bit counts: the instructions against the bytes, with nothing touched beside them."""

import conftest
import naive
import numba
import numpy as np
import pytest
from framed import PATTERN, framed, frozen, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels import memory
from colcodec._kernels._jit import CHECKED

compiled = numba.njit(cache=True, error_model="numpy", _nrt=False)

JUNK = bytes(range(251, 0, -2)) + bytes(range(1, 256))
SIZES = (*range(36), 47, 48, 49, 63, 64, 65, 95, 96, 97, 130)


@compiled
def load_u64(buf, pos):
    return memory.load_u64(buf, pos)


@compiled
def load_i32(buf, pos):
    return memory.load_i32(buf, pos)


@compiled
def store_u64(out, pos, value):
    memory.store_u64(out, pos, value)


@compiled
def store_i32(out, pos, value):
    memory.store_i32(out, pos, value)


@compiled
def copy16(src, src_pos, out, pos):
    memory.copy16(src, src_pos, out, pos)


@compiled
def copy32(src, src_pos, out, pos):
    memory.copy32(src, src_pos, out, pos)


@compiled
def copy_exact(src, src_pos, out, pos, size):
    memory.copy_exact(src, src_pos, out, pos, size)


@compiled
def copy_by_register(src, src_pos, out, pos):
    memory.store32(out, pos, memory.load32(src, src_pos))


@compiled
def merge32(first, second, count, out):
    memory.store32(out, 0, memory.merge32(memory.load32(first, 0), memory.load32(second, 0), count))


@compiled
def store_zeros32(out):
    memory.store32(out, 0, memory.zeros32())


@compiled
def trailing_zeros(value):
    return memory.trailing_zeros(value)


@compiled
def bit_width(value):
    return memory.bit_width(value)


@compiled
def count_ones(value):
    return memory.count_ones(value)


@compiled
def load_pair(buf, pos, count):
    return memory.load_pair(buf, pos, count)


@compiled
def is_same16(left, left_pos, right, right_pos, count):
    return memory.is_same16(left, left_pos, right, right_pos, count)


@compiled
def prefetch(array, index):
    memory.prefetch(array, index)


@compiled
def fold_multiply(left, right):
    return memory.fold_multiply(left, right)


@compiled
def as_signed(value):
    return memory.as_signed(value)


@compiled
def as_unsigned(value):
    return memory.as_unsigned(value)


@compiled
def low32_as_signed(value):
    return memory.low32_as_signed(value)


# --- Loads and stores ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", range(16))
def test_loads(shift):
    """Any place, to the last byte of the array."""
    for pos in range(9):
        buf = frozen(JUNK[: pos + 8], shift=shift)
        assert load_u64(buf, pos) == int.from_bytes(JUNK[pos : pos + 8], "little")
        buf = frozen(JUNK[: pos + 4], shift=shift)
        assert load_i32(buf, pos) == int.from_bytes(JUNK[pos : pos + 4], "little", signed=True)


@pytest.mark.parametrize("count", range(20))
def test_load_pair(count):
    """The first bytes as they are, and zeros; a count above 16 is all of them."""
    for pos in range(9):
        buf = frozen(JUNK[: pos + 16], shift=pos)
        kept = JUNK[pos : pos + 16][:count].ljust(16, b"\0")
        assert load_pair(buf, pos, count) == (
            int.from_bytes(kept[:8], "little"),
            int.from_bytes(kept[8:], "little"),
        )


@pytest.mark.parametrize("count", range(17))
def test_is_same16(count):
    """The first bytes, and no others."""
    buf = frozen(JUNK)
    for pos in range(3):
        for at in range(17):
            other = bytearray(JUNK[pos : pos + 16] + b"x")
            other[at] ^= 0x80
            assert is_same16(buf, pos, frozen(bytes(5) + other[:16]), 5, count) == (at >= count)


def test_prefetch():
    """It can be called, and does nothing that could be seen."""
    with framed(3, np.uint32) as out:
        prefetch(out, 2)
        assert untouched(out)


@given(st.integers(0, 2**64 - 1), st.integers(-(2**31), 2**31 - 1), st.integers(0, 9))
def test_stores(unsigned, signed, pos):
    """Little-endian, and what was stored is what is loaded."""
    with framed(pos + 8) as out:
        store_u64(out, pos, np.uint64(unsigned))
        assert out[pos:].tobytes() == unsigned.to_bytes(8, "little")
        assert untouched(out[:pos])
        assert load_u64(out, pos) == unsigned
    with framed(pos + 4) as out:
        store_i32(out, pos, np.int64(signed))
        assert out[pos:].tobytes() == signed.to_bytes(4, "little", signed=True)
        assert untouched(out[:pos])
        assert load_i32(out, pos) == signed


# --- Copies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("copy", "size"), [(copy16, 16), (copy32, 32), (copy_by_register, 32)])
def test_copies(copy, size):
    """From and to any place, to the last byte of both arrays."""
    for src_pos in range(17):
        for pos in range(9):
            with framed(pos + size) as out:
                copy(frozen(JUNK[: src_pos + size]), src_pos, out, pos)
                assert out[pos:].tobytes() == JUNK[src_pos : src_pos + size]
                assert untouched(out[:pos])


@pytest.mark.parametrize("size", SIZES)
def test_copy_exact(size):
    """No byte more, of any size."""
    with framed(size + 5) as out:
        copy_exact(frozen(JUNK[: size + 3]), 3, out, 2, size)
        assert out[2 : 2 + size].tobytes() == JUNK[3 : 3 + size]
        assert untouched(out[:2])
        assert untouched(out[2 + size :])


def check_copy_bytes(size, src_room, out_room, src_pos=3, pos=2):
    """Check a copy between arrays that have so many bytes behind it."""
    with framed(pos + size + out_room) as out:
        memory.copy_bytes(frozen(JUNK[: src_pos + size + src_room]), src_pos, out, pos, size)
        assert out[pos : pos + size].tobytes() == JUNK[src_pos : src_pos + size]
        assert untouched(out[:pos])
        assert untouched(out[pos + size + 32 :])
        if min(src_room, out_room) < 32:
            assert untouched(out[pos + size :])


@pytest.mark.parametrize("size", SIZES)
def test_copy_bytes(size):
    """At most 32 bytes more, and none where either array does not have them."""
    for src_room, out_room in [(0, 0), (0, 40), (40, 0), (31, 32), (32, 31), (32, 32), (40, 90)]:
        check_copy_bytes(size, src_room, out_room)


@given(st.integers(0, 130), st.integers(0, 40), st.integers(0, 40), st.integers(0, 16), st.integers(0, 16))
def test_copy_bytes_anywhere(size, src_room, out_room, src_pos, pos):
    """Any size, place and room."""
    check_copy_bytes(size, src_room, out_room, src_pos, pos)


@pytest.mark.parametrize("size", SIZES)
def test_copy_wide(size):
    """Between arrays that end 32 bytes behind the copy, of which the last is left alone."""
    with framed(2 + size + 32) as out:
        memory.copy_wide(frozen(JUNK[: 3 + size + 32]), 3, out, 2, size)
        assert out[2 : 2 + size].tobytes() == JUNK[3 : 3 + size]
        assert untouched(out[:2])
        assert untouched(out[2 + size + 31 :])


@pytest.mark.parametrize("copy", [memory.copy_bytes, memory.copy_wide])
@pytest.mark.parametrize("size", SIZES)
def test_copies_within_an_array(size, copy):
    """The target may begin where the source ends, as a prefix does behind the value before it."""
    for gap in (0, 1, 20):
        for room in (0, 31, 32, 70) if copy is memory.copy_bytes else (32, 70):
            with framed(size + gap + size + room) as out:
                out[:size] = frozen(JUNK[:size])
                copy(out, 0, out, size + gap, size)
                assert out[:size].tobytes() == JUNK[:size]
                assert untouched(out[size : size + gap])
                assert out[size + gap : size + gap + size].tobytes() == JUNK[:size]
                assert untouched(out[size + gap + size + 32 :])


# --- 32 bytes in a register ------------------------------------------------------------------------------------------


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_merge32(first, second):
    """Every count of leading bytes, none and all among them."""
    for count in range(33):
        with framed(32) as out:
            merge32(frozen(first), frozen(second), count, out)
            assert out.tobytes() == first[:count] + second[count:]


def test_zeros32():
    """All of the 32 bytes are zero."""
    with framed(32) as out:
        store_zeros32(out)
        assert not out.any()


# --- Numbers ---------------------------------------------------------------------------------------------------------


@given(
    st.integers(0, 2**64 - 1)
    | st.sampled_from([(1 << k) - step for k in range(65) for step in (0, 1) if k < 64 or step])
)
def test_bits_of_a_number(number):
    """Zero bits below, bits in all, and the same bits read as another type."""
    value = np.uint64(number)
    digits = f"{number:b}"
    assert trailing_zeros(value) == (len(digits) - len(digits.rstrip("0")) if number else 64)
    assert bit_width(value) == (len(digits) if number else 0)
    assert count_ones(value) == digits.count("1")
    assert as_signed(value) == naive.wrap(number, 64)
    assert as_unsigned(np.int64(naive.wrap(number, 64))) == number
    assert low32_as_signed(value) == naive.wrap(number, 32)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_fold_multiply(left, right):
    """All 128 bits of the product, of two unsigned numbers."""
    product = left * right
    assert fold_multiply(np.uint64(left), np.uint64(right)) == (product >> 64) ^ (product % 2**64)


def test_bits_of_every_power_of_two():
    """The same for each single bit."""
    for k in range(64):
        assert trailing_zeros(np.uint64(1 << k)) == k
        assert bit_width(np.uint64(1 << k)) == k + 1
        assert bit_width(np.uint64((1 << k) - 1)) == k


# --- Bounds ----------------------------------------------------------------------------------------------------------


ACCESSES = {
    "load_u64": (8, load_u64),
    "load_i32": (4, load_i32),
    "store_u64": (8, lambda array, pos: store_u64(array, pos, np.uint64(0))),
    "load_pair": (16, lambda array, pos: load_pair(array, pos, 3)),
    "is_same16 left": (16, lambda array, pos: is_same16(array, pos, np.zeros(16, np.uint8), 0, 3)),
    "is_same16 right": (16, lambda array, pos: is_same16(np.zeros(16, np.uint8), 0, array, pos, 3)),
    "store_i32": (4, lambda array, pos: store_i32(array, pos, np.int64(0))),
    "copy16 from": (16, lambda array, pos: copy16(array, pos, np.zeros(16, np.uint8), 0)),
    "copy16 to": (16, lambda array, pos: copy16(np.zeros(16, np.uint8), 0, array, pos)),
    "copy32 from": (32, lambda array, pos: copy32(array, pos, np.zeros(32, np.uint8), 0)),
    "copy32 to": (32, lambda array, pos: copy32(np.zeros(32, np.uint8), 0, array, pos)),
    "load32": (32, lambda array, pos: copy_by_register(array, pos, np.zeros(32, np.uint8), 0)),
    "store32": (32, lambda array, pos: copy_by_register(np.zeros(32, np.uint8), 0, array, pos)),
    "copy_exact from": (5, lambda array, pos: copy_exact(array, pos, np.zeros(5, np.uint8), 0, 5)),
    "copy_exact to": (5, lambda array, pos: copy_exact(np.zeros(5, np.uint8), 0, array, pos, 5)),
}


@pytest.mark.skipif(conftest.JIT and not CHECKED, reason="compiled kernels do not test their bounds")
@pytest.mark.parametrize("name", ACCESSES)
def test_accesses_outside_of_an_array_are_seen(name):
    """With the JIT off, and under NUMBA_BOUNDSCHECK=1: this is what lets the other tests see a read past the end."""
    size, access = ACCESSES[name]
    for pos in (-1, -size, 1, size, 1 << 40):
        array = np.full(size, PATTERN, np.uint8)
        with pytest.raises(IndexError):
            access(array, pos)
        assert untouched(array)
