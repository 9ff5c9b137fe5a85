"""Packing and unpacking at every width, alignment and length, in buffers that end with the last packed byte."""

import conftest
import naive
import numpy as np
import pytest
from framed import PATTERN, framed, frozen, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels.bitpack import STORE_SLACK, count_groups, pack, read_bits, read_word, unpack8, unpack_rest

WIDTHS = range(1, 65)
COUNTS = range(131) if conftest.JIT else (0, 1, 7, 8, 9, 31, 32, 33, 130)
JUNK = bytes(range(255, 0, -1)) * 5  # 1,275 bytes: 130 values of 64 bits and more
unsigned = pytest.mark.parametrize("dtype", [np.uint32, np.uint64])


def packed_size(count, width):
    return (count * width + 7) // 8


@pytest.mark.parametrize("shift", range(8))
def test_read_word(shift):
    """Bytes past `end` count as zero, whether they are there or not."""
    for size in range(10):
        expected = int.from_bytes(JUNK[shift : shift + min(size, 8)], "little")
        assert read_word(frozen(JUNK[: shift + size]), shift, shift + size) == expected
        assert read_word(frozen(JUNK), shift, shift + size) == expected


@pytest.mark.parametrize("width", WIDTHS)
def test_read_bits(width):
    """The last value ends in the last byte."""
    count = 1 + 64 // width
    expected = naive.unpack(JUNK[3:], width, count)
    for index, value in enumerate(expected):
        end = 3 + packed_size(index + 1, width)
        assert read_bits(frozen(JUNK[:end]), 3, end, width, index) == value


def unpack(buf, pos, end, width, out):
    """Unpack as a miniblock is: eight values at a time while that is allowed, and the rest one at a time."""
    groups = count_groups(pos, end, width, out.size)
    for i in range(groups):
        unpack8(buf, pos + i * width, width, out, 8 * i)
    unpack_rest(buf, pos, end, width, out, 8 * groups, out.size)


def check_unpack(buf, pos, end, width, count, dtype):
    """Check that values come out, cut to the type, and nothing else is written."""
    mask = (1 << 8 * np.dtype(dtype).itemsize) - 1
    with framed(count, dtype) as out:
        unpack(buf, pos, end, width, out)
        assert out.tolist() == [value & mask for value in naive.unpack(buf[pos:end].tobytes(), width, count)]


@pytest.mark.parametrize("width", WIDTHS)
def test_count_groups(width):
    """As many groups as there are, each with eight more bytes behind its own."""
    for count in COUNTS:
        for room in (packed_size(count, width) + spare for spare in (0, 1, 7, 8, 9, 70)):
            fit = [n for n in range(count // 8 + 1) if n == 0 or n * width + 8 <= room]
            assert count_groups(5, 5 + room, width, count) == (max(fit) if width <= 57 else 0)


@unsigned
@pytest.mark.parametrize("width", WIDTHS)
def test_unpack(width, dtype):
    """Buffers that end with the last packed byte, just behind it, and far behind it."""
    for count in COUNTS:
        pos = count % 9
        end = pos + packed_size(count, width)
        for spare in {0, count % 15, 40} if conftest.JIT else {count % 15}:
            check_unpack(frozen(JUNK[: end + spare]), pos, end + spare, width, count, dtype)


@pytest.mark.parametrize("width", WIDTHS)
def test_unpack_at_every_alignment(width):
    """The place in memory makes no difference, and `end` may come before the end of the buffer."""
    for shift in range(16):
        check_unpack(frozen(JUNK, shift=shift), 1, 1 + packed_size(33, width), width, 33, np.uint64)


@unsigned
@given(st.data())
def test_unpack_any_bytes(dtype, data):
    """Any bytes, any place, any width, any room behind them."""
    width = data.draw(st.integers(1, 64))
    count = data.draw(st.integers(0, 130))
    pos = data.draw(st.integers(0, 9))
    size = pos + packed_size(count, width)
    body = data.draw(st.binary(min_size=1, max_size=40))
    buf = (body * (size // len(body) + 1))[:size] + data.draw(st.binary(max_size=70))
    check_unpack(frozen(buf), pos, data.draw(st.integers(size, len(buf))), width, count, dtype)


def check_pack(values, width, pos, dtype):
    """Check that values are packed as naive does, with at most the slack behind them touched, and that with zeros."""
    size = packed_size(len(values), width)
    with framed(pos + size + STORE_SLACK) as out:
        end = pack(frozen([PATTERN, *values], dtype), 1, len(values), width, out, pos)
        assert end == pos + size
        assert out[pos:end].tobytes() == naive.pack(values, width)
        assert untouched(out[:pos])
        assert set(out[end:].tolist()) <= {0, PATTERN}
        assert untouched(out[end:]) or width > 0


@pytest.mark.parametrize(
    ("width", "dtype"),
    [(width, dtype) for dtype, most in ((np.uint32, 32), (np.uint64, 64)) for width in range(most + 1)],
)
def test_pack(width, dtype):
    """All ones, and mixed bits, of every width that the type has."""
    mixed = [naive.wrap(i * 0x9E3779B97F4A7C15, 64) & (1 << width) - 1 for i in range(128)]
    for count in range(0, 129, 8 if conftest.JIT else 64):
        check_pack(mixed[:count], width, count // 8, dtype)
        check_pack([(1 << width) - 1] * count, width, 0, dtype)


@unsigned
@given(st.data())
def test_pack_any_values(dtype, data):
    """Any values below ``2**width``."""
    width = data.draw(st.integers(0, 8 * np.dtype(dtype).itemsize))
    few = data.draw(st.lists(st.integers(0, (1 << width) - 1), min_size=8, max_size=8))
    check_pack(few * data.draw(st.integers(0, 4)), width, data.draw(st.integers(0, 9)), dtype)
