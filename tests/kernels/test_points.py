"""Code points in vectors: the instructions against Python's own codecs, with nothing touched beside them."""

import conftest
import numba
import numpy as np
import pytest
from framed import framed, frozen, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels import points
from colcodec._kernels._jit import CHECKED

compiled = numba.njit(cache=True, error_model="numpy", _nrt=False)

TEXTS = st.text(
    st.sampled_from("a\0\x7f\x80é߿ࠀ€\ud7ff\ue000￿𐀀🪓\U0010ffff") | st.characters(codec="utf-8"), max_size=64
)


@compiled
def narrow16(values, start, out, pos):
    points.narrow16(values, start, out, pos)


@compiled
def widen16(buf, pos, count, out, start):
    points.widen16(buf, pos, count, out, start)


@compiled
def write_points8(values, start, count, out, pos):
    return points.write_points8(values, start, count, out, pos)


@compiled
def read_points8(buf, pos, leads, out, start):
    return points.read_points8(buf, pos, leads, out, start)


@given(st.lists(st.integers(0, 2**32 - 1), min_size=16, max_size=16), st.integers(0, 5), st.integers(0, 5))
def test_narrow16(values, start, pos):
    """The low byte of each."""
    with framed(pos + 16) as out:
        narrow16(frozen([1] * start + values, np.uint32), start, out, pos)
        assert out[pos:].tolist() == [value & 0xFF for value in values]
        assert untouched(out[:pos])


@pytest.mark.parametrize("count", [*range(17), 100])
def test_widen16(count):
    """Each byte up to the last that is wanted."""
    buf = bytes(range(240, 256))
    for pos in range(5):
        with framed(pos + 16, np.uint32) as out:
            widen16(frozen(bytes(pos) + buf), pos, count, out, pos)
            assert out[pos:].tolist() == [*buf[:count], *bytes(16 - min(count, 16))]
            assert untouched(out[:pos])


@given(TEXTS.filter(bool), st.integers(0, 5))
def test_write_points8(text, start):
    """As Python encodes them, however many are wanted, and 4 bytes behind them at most."""
    eight = (text * 8)[:8]
    values = frozen([0xD800] * start + [ord(point) for point in eight], np.uint32)
    for count in (*range(9), 20):
        expected = eight[:count].encode()
        with framed(3 + len(expected) + 4) as out:
            assert write_points8(values, start, count, out, 3) == 3 + len(expected)
            assert out[3 : 3 + len(expected)].tobytes() == expected
            assert untouched(out[:3])


@pytest.mark.parametrize("point", [0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0x110000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
def test_write_points8_refuses_what_is_no_text(point):
    """At each place, if it is wanted."""
    for place in range(8):
        values = np.full(8, 0x10FFFF, np.uint32)
        values[place] = point
        for count in range(1, 9):
            with framed(36) as out:
                assert (write_points8(values, 0, count, out, 0) == -1) == (place < count)


@given(TEXTS, st.integers(0, 5))
def test_read_points8(text, pos):
    """Eight and eight, zeros behind the last."""
    encoded = text.encode()[:64].decode(errors="ignore").encode()
    expected = [ord(point) for point in encoded.decode()]
    buf = frozen(b"\xff" * pos + encoded + b"a" * (68 - len(encoded)))
    leads = np.uint64(sum(1 << i for i, byte in enumerate(encoded) if byte & 0xC0 != 0x80))
    for start in range(0, len(expected) + 8, 8):
        with framed(start + 8, np.uint32) as out:
            leads = read_points8(buf, pos, leads, out, start)
            assert out[start:].tolist() == [*expected[start : start + 8], *[0] * 8][:8]
            assert untouched(out[:start])
    assert leads == 0


@given(st.binary(min_size=68, max_size=68), st.integers(0, 2**64 - 1))
def test_read_points8_of_anything(block, leads):
    """Bytes that are no text make numbers that mean nothing, and touch nothing else."""
    with framed(8, np.uint32) as out:
        assert read_points8(frozen(block), 0, np.uint64(leads), out, 0).bit_count() == max(leads.bit_count() - 8, 0)
        assert (out < 1 << 21).all()


ACCESSES = {
    "narrow16 from": (16, np.uint32, lambda array, pos: narrow16(array, pos, np.zeros(16, np.uint8), 0)),
    "narrow16 to": (16, np.uint8, lambda array, pos: narrow16(np.zeros(16, np.uint32), 0, array, pos)),
    "widen16 from": (16, np.uint8, lambda array, pos: widen16(array, pos, 3, np.zeros(16, np.uint32), 0)),
    "widen16 to": (16, np.uint32, lambda array, pos: widen16(np.zeros(16, np.uint8), 0, 3, array, pos)),
    "write_points8 from": (8, np.uint32, lambda array, pos: write_points8(array, pos, 3, np.zeros(40, np.uint8), 0)),
    "write_points8 to": (12, np.uint8, lambda array, pos: write_points8(np.zeros(8, np.uint32), 0, 8, array, pos)),
    "read_points8 from": (68, np.uint8, lambda array, pos: read_points8(array, pos, ALL, np.zeros(8, np.uint32), 0)),
    "read_points8 to": (8, np.uint32, lambda array, pos: read_points8(np.zeros(68, np.uint8), 0, ALL, array, pos)),
}
ALL = ~np.uint64(0)


@pytest.mark.skipif(conftest.JIT and not CHECKED, reason="compiled kernels do not test their bounds")
@pytest.mark.parametrize("name", ACCESSES)
def test_accesses_outside_of_an_array_are_seen(name):
    """With the JIT off, and under NUMBA_BOUNDSCHECK=1."""
    size, dtype, access = ACCESSES[name]
    for pos in (-size, size, 1 << 40):
        with pytest.raises(IndexError):
            access(np.full(size, 0x61, dtype), pos)
