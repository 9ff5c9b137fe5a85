"""Packing, and reading what is packed, at every width, alignment and length, in buffers that end with the last byte."""

import conftest
import naive
import numpy as np
import pytest
from framed import PATTERN, framed, frozen, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels.bitpack import STORE_SLACK, count_groups, pack, read_bits, read_word

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


@pytest.mark.parametrize("width", WIDTHS)
def test_count_groups(width):
    """As many groups as there are, each with eight more bytes behind its own."""
    for count in COUNTS:
        for room in (packed_size(count, width) + spare for spare in (0, 1, 7, 8, 9, 70)):
            fit = [n for n in range(count // 8 + 1) if n == 0 or n * width + 8 <= room]
            assert count_groups(5, 5 + room, width, count) == (max(fit) if width <= 57 else 0)


@given(st.data())
def test_read_any_bits(data):
    """Any bytes, any place, any room behind them, whether it is used or not."""
    width, index = data.draw(st.integers(1, 64)), data.draw(st.integers(0, 9))
    pos, shift = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 15))
    needed = pos + packed_size(index + 1, width)
    buf = (data.draw(st.binary(min_size=1, max_size=40)) * 90)[: needed + data.draw(st.integers(0, 20))]
    end = data.draw(st.integers(needed, len(buf)))
    expected = naive.unpack(buf[pos:], width, index + 1)[index]
    assert read_bits(frozen(buf, shift=shift), pos, end, width, index) == expected


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


@pytest.mark.parametrize("width", [1, 17, 32, 57])
def test_bits_beyond_2_to_the_31(width):
    """E5: positions are counted with 64 bits. The memory before the values is zeros that nobody touches."""
    first = (2**31 // width + 8) // 8 * 8
    start = first * width // 8
    values = [1, (1 << width) - 1, 0, (1 << width) // 3 + 1, 1, 0, 1, 1]
    packed = sum(value << i * width for i, value in enumerate(values)).to_bytes(width, "little")
    buf = np.zeros(start + width, np.uint8)
    buf[start:] = np.frombuffer(packed, np.uint8)
    buf.flags.writeable = False
    assert 8 * start >= 2**31
    assert [read_bits(buf, 0, buf.size, width, first + i) for i in range(8)] == values
    assert count_groups(0, buf.size + 8, width, first + 8) == first // 8 + 1
