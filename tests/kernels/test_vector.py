"""Eight integers at a time: the instructions against one integer at a time."""

import conftest
import naive
import numba
import numpy as np
import pytest
import strategies
from framed import framed, frozen, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels import vector

compiled = numba.njit(cache=True, error_model="numpy", _nrt=False)
unsigned = pytest.mark.parametrize("dtype", [np.uint32, np.uint64])


@compiled
def unpack8_narrow(buf, pos, width, out, start):
    vector.unpack8_narrow(buf, pos, width, out, start)


@compiled
def unpack8_medium(buf, pos, width, out, start):
    vector.unpack8_medium(buf, pos, width, out, start)


@compiled
def unpack8_wide(buf, pos, width, out, start):
    vector.unpack8_wide(buf, pos, width, out, start)


@compiled
def add_up8(value, step, src, src_start, out, start):
    return vector.add_up8(value, step, src, src_start, out, start)


@compiled
def any_bits32(values, start):
    return vector.any_bits32(values, start)


@compiled
def are_same8(values, start):
    return vector.are_same8(values, start)


@compiled
def at_least16(values, start, limit):
    return vector.at_least16(values, start, limit)


@compiled
def at_least32(values, start, limit):
    return vector.at_least32(values, start, limit)


@compiled
def at_least64(values, start, limit):
    return vector.at_least64(values, start, limit)


AT_LEAST = {16: at_least16, 32: at_least32, 64: at_least64}


def check_unpack8(unpack8, width, body, pos, shift, start, dtype):
    """Check eight values of a buffer that ends where the contract says that no more is touched."""
    mask = (1 << 8 * np.dtype(dtype).itemsize) - 1
    buf = frozen((body * 10)[: pos + width + 8], shift=shift)
    with framed(start + 10, dtype) as out:
        unpack8(buf, pos, width, out, start)
        expected = naive.unpack(buf[pos : pos + width].tobytes(), width, 8)
        assert out[start : start + 8].tolist() == [value & mask for value in expected]
        assert untouched(out[:start])
        assert untouched(out[start + 8 :])


@unsigned
@pytest.mark.parametrize(("unpack8", "widest"), [(unpack8_narrow, 8), (unpack8_medium, 16), (unpack8_wide, 57)])
def test_unpack8(unpack8, widest, dtype):
    """Every width, in every place."""
    for width in range(1, widest + 1):
        for shift in range(8):
            check_unpack8(unpack8, width, bytes(range(101, 256)), shift, 0, shift % 3, dtype)
            check_unpack8(unpack8, width, b"\xff" * 10, 0, shift, 0, dtype)


@unsigned
@given(st.data())
def test_unpack8_any_bytes(dtype, data):
    """Any bytes."""
    unpack8, widest = data.draw(st.sampled_from([(unpack8_narrow, 8), (unpack8_medium, 16), (unpack8_wide, 57)]))
    width = data.draw(st.integers(1, widest))
    body, pos = data.draw(st.binary(min_size=9, max_size=80)), data.draw(st.integers(0, 9))
    check_unpack8(unpack8, width, body, pos, 0, 0, dtype)


def check_add_up8(value, step, numbers, src, src_start, out, start):
    """Check eight sums of the numbers that are at `src_start`; give what was returned."""
    bits = 8 * out.itemsize
    expected = [naive.wrap(value + (i + 1) * step + sum(numbers[: i + 1]), bits) for i in range(8)]
    last = add_up8(np.uint64(value), np.uint64(step), src, src_start, out, start)
    assert [naive.wrap(sum_, bits) for sum_ in out[start : start + 8].tolist()] == expected
    assert int(last) == expected[-1] % 2**bits
    assert untouched(out[:start])
    assert untouched(out[start + 8 :])


@unsigned
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.data())
def test_add_up8_in_place(dtype, value, step, data):
    """Sums take the place of the numbers and wrap at the type's width."""
    highest = np.iinfo(dtype).max
    numbers = data.draw(st.lists(st.integers(0, int(highest)), min_size=8, max_size=8))
    start = data.draw(st.integers(0, 3))
    with framed(start + 9, dtype) as out:
        out[start : start + 8] = numbers
        check_add_up8(value, step, numbers, out, start, out, start)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@given(st.integers(0, 2**64 - 1), st.data())
def test_add_up8_of_signed_numbers(dtype, value, data):
    """Lengths of 32 bits are added up in 64, with their sign; the arrays end with the last of them."""
    numbers = data.draw(st.lists(strategies.integers(8 * np.dtype(dtype).itemsize), min_size=8, max_size=8))
    src_start, start = data.draw(st.integers(0, 3)), data.draw(st.integers(0, 3))
    src = np.array([7] * src_start + numbers, dtype)
    with framed(start + 8, np.int64) as out:
        check_add_up8(value, 0, numbers, src, src_start, out, start)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@given(st.data())
def test_add_up(dtype, data):
    """Offsets of any number of lengths, from an array of their own or from the offsets' own place."""
    few = data.draw(st.lists(strategies.integers(8 * np.dtype(dtype).itemsize), min_size=1, max_size=9))
    numbers = (few * 20)[: data.draw(st.integers(0, 130))]
    expected = [naive.wrap(sum(numbers[:i]), 64) for i in range(len(numbers) + 1)]
    with framed(len(numbers) + 1, np.int64) as offsets:
        if dtype is np.int32:
            total = vector.add_up(frozen(numbers, np.int32), offsets)
        else:
            offsets[1:] = numbers
            total = vector.add_up(offsets[1:], offsets)
        assert total == expected[-1]
        assert untouched(offsets[:1])  # it may be the end of another page's values
        assert offsets[1:].tolist() == expected[1:]


@unsigned
def test_are_same8(dtype):
    """Each of the eight counts, each bit counts, and none of the others does."""
    bits = 8 * np.dtype(dtype).itemsize
    for value in (0, 5, 2**bits - 1):
        for place in range(10):
            for bit in (0, 1, bits - 1):
                values = np.full(10, value, dtype)
                values[place] ^= dtype(1 << bit)
                assert are_same8(values, 1) is (not 1 <= place <= 8)


@unsigned
def test_any_bits32(dtype):
    """Each of the 32 counts, each bit counts, and none of the others does."""
    bits = 8 * np.dtype(dtype).itemsize
    for place in range(34):
        for bit in range(bits) if conftest.JIT else (0, 31, bits - 1):
            values = np.zeros(34, dtype)
            values[place] = 1 << bit
            assert any_bits32(values, 1) == (1 << bit if 1 <= place <= 32 else 0)


@unsigned
@given(st.data())
def test_any_bits32_of_any_values(dtype, data):
    """The bitwise or of any values."""
    bits = 8 * np.dtype(dtype).itemsize
    few = data.draw(st.lists(st.integers(0, 2**bits - 1), min_size=4, max_size=4))
    expected = few[0] | few[1] | few[2] | few[3]
    assert any_bits32(np.array(few * 8, dtype), 0) == expected


@pytest.mark.parametrize(("lanes", "dtype"), [(16, np.uint32), (16, np.uint8), (32, np.uint8), (64, np.uint8)])
@given(data=st.data())
def test_at_least(lanes, dtype, data):
    """A bit for each, by unsigned comparison."""
    most = np.iinfo(dtype).max
    limit = data.draw(st.sampled_from([0, 1, 0x7F, 0x80, most - 1, most]))
    numbers = st.integers(0, most) | st.sampled_from([limit, max(limit - 1, 0)])
    values = data.draw(st.lists(numbers, min_size=lanes + 1, max_size=lanes + 1))
    expected = sum((value >= limit) << i for i, value in enumerate(values[1:]))
    assert AT_LEAST[lanes](frozen(values, dtype), 1, limit) == expected
