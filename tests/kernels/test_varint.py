"""ULEB128 and zigzag against naive: any bytes in, and the fewest bytes out."""

import naive
import numpy as np
import pytest
from framed import STATUS, framed, frozen, outcome, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels.varint import (
    MAX_SIZE_32,
    MAX_SIZE_64,
    read_uleb128,
    read_zigzag,
    write_uleb128,
    write_zigzag,
)

EDGES = sorted({(1 << k) + step for k in range(65) for step in (-1, 0, 1) if (1 << k) + step < 1 << 64})
MAX_SIZE = {32: MAX_SIZE_32, 64: MAX_SIZE_64}
# Mostly bytes that go on, and among the last ones those at the edges of what still fits.
varints = st.one_of(
    st.binary(max_size=12),
    st.builds(
        lambda more, last: bytes(more) + last,
        st.lists(st.sampled_from((0x80, 0x81, 0xFF)), max_size=11),
        st.sampled_from((b"", b"\x00", b"\x01", b"\x02", b"\x0f", b"\x10", b"\x7f")),
    ),
)
both_sizes = pytest.mark.parametrize("bits", [32, 64])


def check_read(read, naive_read, before, varint, behind, bits):
    """Check one read that may use all of `varint`, but nothing that lies around it."""
    buf = before + varint + behind
    end = len(before + varint)
    status, pos, value = read(frozen(buf), len(before), end, bits)
    expected, error = outcome(naive_read, buf[:end], len(before), bits)
    if error is None:
        assert (STATUS[status], int(value), pos) == ("OK", *expected)
    else:
        assert STATUS[status] == error.kind
        assert len(before) <= pos <= end


@both_sizes
@given(st.binary(max_size=3), varints, st.binary(max_size=2))
def test_reads_any_bytes(bits, before, varint, behind):
    """Values, ends and faults are those of naive, and bytes behind `end` are not looked at."""
    check_read(read_uleb128, naive.decode_uleb128, before, varint, behind, bits)
    check_read(read_zigzag, naive.decode_zigzag_varint, before, varint, behind, bits)


@both_sizes
def test_reads_every_length_of_every_power_of_two(bits):
    """Zero-padded forms are taken up to the most bytes that the type can need, and no further."""
    for value in EDGES:
        for size in range(1, MAX_SIZE[bits] + 2):
            varint = naive.encode_uleb128(value, size)
            check_read(read_uleb128, naive.decode_uleb128, b"", varint, b"", bits)
            check_read(read_zigzag, naive.decode_zigzag_varint, b"", varint, b"", bits)


def test_faults_tell_their_byte():
    """TRUNCATED stops at `end`; BAD_VARINT at the first byte that is too many, or has too many bits."""
    for varint, bits, status, position in [
        (b"", 32, "TRUNCATED", 0),
        (b"\x80\x80", 32, "TRUNCATED", 2),
        (b"\xff\xff\xff\xff\x10", 32, "BAD_VARINT", 4),
        (b"\x80\x80\x80\x80\x80\x00", 32, "BAD_VARINT", 4),
        (b"\xff" * 9 + b"\x02", 64, "BAD_VARINT", 9),
        (b"\x80" * 10 + b"\x00", 64, "BAD_VARINT", 9),
    ]:
        found, pos, value = read_uleb128(frozen(varint), 0, len(varint), bits)
        assert (STATUS[found], pos, value) == (status, position, 0)


def check_written(write, value, expected):
    """Check that a number is written as expected, from any place, and nothing behind it."""
    for pos in (0, 1, 7):
        with framed(pos + 10) as out:
            end = write(value, out, pos)
            assert out[pos:end].tobytes() == expected
            assert untouched(out[:pos])
            assert untouched(out[end:])


@given(st.integers(0, 2**64 - 1) | st.sampled_from(EDGES))
def test_writes_the_fewest_bytes(number):
    """Any number of 64 bits, unsigned and signed, has naive's bytes."""
    check_written(write_uleb128, np.uint64(number), naive.encode_uleb128(number))
    signed = naive.wrap(number, 64)
    check_written(write_zigzag, np.int64(signed), naive.encode_uleb128(naive.encode_zigzag(signed)))


def test_writes_every_power_of_two():
    """The same at every edge, and no more bytes than the bounds tell."""
    for number in EDGES:
        check_written(write_uleb128, np.uint64(number), naive.encode_uleb128(number))
        signed = naive.wrap(number, 64)
        check_written(write_zigzag, np.int64(signed), naive.encode_uleb128(naive.encode_zigzag(signed)))
    for bits, size in MAX_SIZE.items():
        with framed(size) as out:
            assert write_uleb128(np.uint64((1 << bits) - 1), out, 0) == size
            assert write_zigzag(np.int64(-(1 << bits - 1)), out, 0) == size
