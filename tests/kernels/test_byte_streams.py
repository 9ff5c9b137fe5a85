"""Streams of bytes: tables turned over, against the table itself."""

import naive
import numba
import numpy as np
import pytest
from framed import framed, frozen, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels import byte_streams as kernels

compiled = numba.njit(cache=True, error_model="numpy", _nrt=False)

LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 50)
COUNTS = (0, 1, 2, 31, 32, 33, 63, 64, 65, 100, 128, 191)


def some_bytes(size, seed=0):
    """Give so many bytes, of which those that are near each other differ."""
    return np.random.default_rng(seed).integers(0, 256, size, np.uint8).tobytes()


def check_split(values, length):
    """Check the streams of values."""
    data = frozen(b"".join(values))
    with framed(data.size) as out:
        kernels.split_streams(data, length, out)
        assert out.tobytes() == naive.encode_byte_stream_split(values, length)


def check_join(values, length, start=0, end=None):
    """Check the values of streams, or some of them, starting anywhere."""
    expected = values[start:end]
    buf = frozen(naive.encode_byte_stream_split(values, length))
    with framed(length * len(expected)) as out:
        kernels.join_streams(buf, length, start, out)
        assert out.tobytes() == b"".join(expected)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("count", COUNTS)
def test_any_table(length, count):
    """Tables smaller than a tile, of whole tiles, and of tiles that overlap, both ways."""
    data = some_bytes(length * count, length)
    values = [data[i : i + length] for i in range(0, len(data), length)]
    check_split(values, length)
    check_join(values, length)
    check_join(values, length, count // 3)
    check_join(values, length, count // 5, count - count // 4)


@given(st.integers(1, 40), st.data())
def test_any_bytes(length, data):
    """Any values, and any range of them."""
    few = data.draw(st.lists(st.binary(min_size=length, max_size=length), max_size=9))
    values = (few * 30)[: data.draw(st.integers(0, 150))]
    check_split(values, length)
    start = data.draw(st.integers(0, len(values)))
    check_join(values, length, start, data.draw(st.integers(start, len(values))))


@pytest.mark.parametrize(
    ("length", "expected"),
    [(1, 1), (2, 2), (3, 2), (4, 4), (7, 4), (8, 8), (15, 8), (16, 16), (17, 16), (2**31 - 1, 16)],
)
def test_places_of_tile(length, expected):
    """As many as fit into a value."""
    assert kernels.places_of_tile(length) == expected


# --- Tiles -----------------------------------------------------------------------------------------------------------


@compiled
def split16(data, pos, length, out, out_pos, num_values):
    kernels.split16(data, pos, length, out, out_pos, num_values)


@compiled
def split8(data, pos, length, out, out_pos, num_values):
    kernels.split8(data, pos, length, out, out_pos, num_values)


@compiled
def split4(data, pos, length, out, out_pos, num_values):
    kernels.split4(data, pos, length, out, out_pos, num_values)


@compiled
def split2(data, pos, length, out, out_pos, num_values):
    kernels.split2(data, pos, length, out, out_pos, num_values)


@compiled
def join16(buf, pos, num_values, out, out_pos, length):
    kernels.join16(buf, pos, num_values, out, out_pos, length)


@compiled
def join8(buf, pos, num_values, out, out_pos, length):
    kernels.join8(buf, pos, num_values, out, out_pos, length)


@compiled
def join4(buf, pos, num_values, out, out_pos, length):
    kernels.join4(buf, pos, num_values, out, out_pos, length)


@compiled
def join2(buf, pos, num_values, out, out_pos, length):
    kernels.join2(buf, pos, num_values, out, out_pos, length)


def check_turn(turn, rows, columns, apart, out_apart, pos, out_pos):
    """Check a tile in arrays that end where the contract says that no more is touched; what is between is left."""
    src = frozen(some_bytes(pos + (rows - 1) * apart + columns))
    with framed(out_pos + (columns - 1) * out_apart + rows) as out:
        turn(src, pos, apart, out, out_pos, out_apart)
        assert untouched(out[:out_pos])
        for j in range(columns):
            start = out_pos + j * out_apart
            assert (
                out[start : start + rows].tolist() == src[pos + j : pos + j + (rows - 1) * apart + 1 : apart].tolist()
            )
            assert untouched(out[start + rows : start + out_apart])


@pytest.mark.parametrize(("split", "places"), [(split16, 16), (split8, 8), (split4, 4), (split2, 2)])
def test_tiles_that_are_split(split, places):
    """Every width, in any place of tables of any size."""
    for length in (places, places + 1, 3 * places):
        for num_values in (kernels.SPLIT, kernels.SPLIT + 1, 200):
            check_turn(split, kernels.SPLIT, places, length, num_values, length % 5, num_values % 7)


@pytest.mark.parametrize(("join", "places"), [(join16, 16), (join8, 8), (join4, 4), (join2, 2)])
def test_tiles_that_are_joined(join, places):
    """The same the other way."""
    for length in (places, places + 1, 3 * places):
        for num_values in (kernels.JOIN, kernels.JOIN + 1, 200):
            check_turn(join, places, kernels.JOIN, num_values, length, num_values % 7, length % 5)
