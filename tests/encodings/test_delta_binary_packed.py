"""DELTA_BINARY_PACKED: integers. Docstrings name the reports of the same fault elsewhere (known-faults, A and B)."""

from dataclasses import replace

import battery
import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import colcodec as cc
from colcodec.encodings import delta_binary_packed

ENCODING = "DELTA_BINARY_PACKED"
LOW = {"int32": -(2**31), "int64": -(2**63)}
HIGH = {"int32": 2**31 - 1, "int64": 2**63 - 1}
BLOCK_SIZE = 128
ILLEGAL_GEOMETRIES = (
    *((0, 4), (128, 0), (0, 0), (64, 2), (192, 6), (136, 4)),  # a block of no multiple of 128
    *((128, 3), (1280, 39), (128, 8), (128, 128), (128, 256)),  # miniblocks that do not divide it into multiples of 32
    *((2**31, 4), (2**32 - 128, 4), (128, 2**31 - 1), (128, 2**31), (128, 2**32 - 1)),
)

both_dtypes = pytest.mark.parametrize("dtype", ["int32", "int64"])


def header(block_size=128, miniblocks_per_block=4, total_count=2, first_value=0):
    """Write a header with any numbers in it."""
    fields = (block_size, miniblocks_per_block, total_count, naive.encode_zigzag(first_value))
    return b"".join(map(naive.encode_uleb128, fields))


def check_odd(values, dtype, **liberties):
    """Check that an odd but legal page is read; give its bytes."""
    data = naive.encode(values, ENCODING, dtype, naive.Liberties(**liberties))
    battery.check_decodes(strategies.Page(ENCODING, dtype, data, values))
    return data


# --- Encoding --------------------------------------------------------------------------------------------------------


@given(st.one_of(*(st.tuples(strategies.integer_columns(naive.BITS[dtype]), st.just(dtype)) for dtype in naive.BITS)))
def test_any_integers(drawn):
    """Any integers have naive's bytes and come back."""
    values, dtype = drawn
    battery.check_encodes(values, ENCODING, dtype)


@both_dtypes
@pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, 34, 65, 127, 128, 129, 130, 256, 257, 258, 1000])
def test_sizes_at_the_edges_of_blocks(count, dtype):
    """0, 1, block_size and block_size +- 1 values (A3, A4, A8, A10, A33)."""
    battery.check_encodes([i * i % 1009 - 500 for i in range(count)], ENCODING, dtype)


@both_dtypes
def test_deltas_wrap(dtype):
    """Deltas are taken modulo the type's size (B1, B2, B3, B4, B6)."""
    low, high = LOW[dtype], HIGH[dtype]
    battery.check_encodes([low, high, low, 0, -1, high, high, low, 1, -high], ENCODING, dtype)
    battery.check_encodes([high, low] * 100, ENCODING, dtype)


def test_int32_widths_stay_within_32_bits():
    """B1: deltas that need 33 bits when they are not wrapped; the last miniblock's width byte must be at most 32."""
    values = [863490391, -816295192, 1613070492, -1166045478, 1856530847]
    battery.check_encodes(values, ENCODING, "int32")
    data = battery.encode(values, ENCODING, "int32").data.tobytes()
    _, start = naive.decode_zigzag_varint(data, len(header(total_count=5, first_value=values[0])), 32)
    assert data[start : start + 4] == bytes([32, 0, 0, 0])


@both_dtypes
def test_every_bit_width(dtype):
    """B8: the width is that of the largest delta above the smallest, as an unsigned number."""
    for width in range(naive.BITS[dtype] + 1):
        values = [0, 0]
        for step in ((1 << width) - 1, 0, 0):
            values.append(naive.wrap(values[-1] + step, naive.BITS[dtype]))
        battery.check_encodes(values, ENCODING, dtype)


@both_dtypes
def test_negative_deltas(dtype):
    """B6: min_delta is signed, so falling values are as narrow as rising ones."""
    values = list(range(1000, 0, -7))
    battery.check_encodes(values, ENCODING, dtype)
    assert battery.encode(values, ENCODING, dtype).nbytes == len(header(total_count=143, first_value=1000)) + 2 * 5


@both_dtypes
def test_constant_columns_take_no_bits(dtype):
    """A22, A23: width 0 has no body; 50,000 equal values are some blocks of five bytes."""
    values = [7] * 50_000
    battery.check_round_trip(values, ENCODING, dtype)
    blocks = -(-49_999 // BLOCK_SIZE)
    assert battery.encode(values, ENCODING, dtype).nbytes == len(header(total_count=50_000, first_value=7)) + 5 * blocks


@both_dtypes
def test_pages_are_independent(dtype):
    """A29, A30: nothing of a page, full blocks or not, is left for the next."""
    first, second = list(range(300)), [9, -9, 9]
    for values in (first, second, first, [], second, [5]):
        battery.check_matches_naive(values, ENCODING, dtype)


@both_dtypes
@pytest.mark.parametrize("count", [0, 1, 2, 128, 129, 130, 5000])
def test_bound_holds(count, dtype):
    """C12: what an encoder sets aside is enough, even for the widest integers."""
    values = np.array([LOW[dtype], HIGH[dtype], 1] * count, dtype)[:count]
    assert cc.encode(values, ENCODING).nbytes <= delta_binary_packed.encoded_bound(count, 8 * values.itemsize)


def test_input_forms():
    """Lists are int64; strides, byte orders and read-only arrays make no difference."""
    expected = naive.encode([3, 1, 4, 1, 5], ENCODING, "int64")
    array = np.array([3, 1, 4, 1, 5])
    frozen = array.copy()
    frozen.flags.writeable = False
    for values in ([3, 1, 4, 1, 5], array, array.astype(">i8"), np.repeat(array, 2)[::2], frozen):
        page = cc.encode(values, ENCODING)
        assert (page.data.tobytes(), page.dtype) == (expected, "int64")


# --- Decoding what other writers may write ---------------------------------------------------------------------------


@given(strategies.pages((ENCODING,)))
def test_any_legal_page(page):
    """Any geometry, any leftovers, any varint length (A1, A2, A24, A26)."""
    battery.check_decodes(page)


@both_dtypes
@pytest.mark.parametrize("geometry", strategies.GEOMETRIES)
def test_geometries(geometry, dtype):
    """A24, A26: miniblocks of any multiple of 32, 1 to 32 of them in a block."""
    block_size, miniblocks_per_block = geometry
    values = [i * 7919 % 10007 - 5000 for i in range(4200)]
    check_odd(values, dtype, block_size=block_size, miniblocks_per_block=miniblocks_per_block)


@both_dtypes
def test_junk_widths_of_unused_miniblocks(dtype):
    """A1, A2: width bytes that belong to no value may be anything, and have no body."""
    data = check_odd([i * i for i in range(65)], dtype, unused_widths=(9, 9, 165))
    assert 165 in data


@both_dtypes
def test_junk_padding(dtype):
    """Padding bits of the last miniblock may be ones."""
    assert check_odd([0, 5, 1, 9, 2], dtype, padding=1) != naive.encode([0, 5, 1, 9, 2], ENCODING, dtype)


def test_padding_is_consumed():
    """A4, A5: the last used miniblock is read as a whole: 34 bytes, not the 11 that hold values."""
    data = naive.encode([29, 43, 89], ENCODING, "int32")
    assert len(data) == 34
    assert battery.consumed(data + b"next", ENCODING, 3, "int32") == 34


@pytest.mark.parametrize("stale", [0, 5, -1, 2**31 - 1])
@pytest.mark.parametrize("geometry", strategies.GEOMETRIES)
def test_no_values(stale, geometry):
    """A11, A12, A13: a header for 0 values is legal whatever first value is left in it, and so is no byte at all."""
    data = header(*geometry, total_count=0, first_value=stale)
    battery.check_decodes(strategies.Page(ENCODING, "int32", data, []))
    assert battery.decode(b"", ENCODING, 0, "int32") == []


@both_dtypes
def test_one_value_has_no_block(dtype):
    """A8: what follows the header of a single value is not looked at."""
    data = header(total_count=1, first_value=-42)
    battery.check_decodes(strategies.Page(ENCODING, dtype, data, [-42]))


@both_dtypes
def test_min_delta_need_not_be_the_smallest(dtype):
    """A wider miniblock above a lower minimum means the same values."""
    check_odd([0, 5, 1, 9, 2] * 30, dtype, lower_min_delta=3, spare_bits=7)


# --- Refusing what nobody may write ----------------------------------------------------------------------------------


@both_dtypes
@pytest.mark.parametrize("geometry", ILLEGAL_GEOMETRIES)
@pytest.mark.parametrize("total_count", [0, 1, 2, 33])
def test_illegal_geometry(geometry, total_count, dtype):
    """A17, A27: no division by zero, no block of another size than the format allows, even where no block follows."""
    data = header(*geometry, total_count=total_count) + bytes(40)
    battery.check_rejects(data, ENCODING, total_count, "BAD_HEADER", dtype)


@both_dtypes
@pytest.mark.parametrize("expected", [0, 1, 4, 6, 1000])
def test_another_count_than_expected(expected, dtype):
    """A15, A16: a page holds as many values as its caller knows of, not fewer and not more."""
    battery.check_rejects(naive.encode(range(5), ENCODING, dtype), ENCODING, expected, "COUNT_MISMATCH", dtype)


@both_dtypes
@pytest.mark.parametrize("width", [65, 66, 127, 128, 165, 255])
def test_width_beyond_the_type(width, dtype):
    """A18, B10: a miniblock that is used may not be wider than 64 bits."""
    data = header() + b"\0" + bytes([width, 0, 0, 0]) + bytes(32 * 255)
    battery.check_rejects(data, ENCODING, 2, "BIT_WIDTH", dtype)


@pytest.mark.parametrize("width", [33, 34, 63, 64])
def test_int32_width_beyond_32_bits(width):
    """B1, B3: nor wider than 32 bits for int32, where int64 is fine."""
    data = header() + b"\0" + bytes([width, 0, 0, 0]) + bytes(32 * 8)
    battery.check_rejects(data, ENCODING, 2, "BIT_WIDTH", "int32")
    assert battery.decode(data, ENCODING, 2, "int64") == [0, 0]


def test_int32_deltas_computed_in_64_bits():
    """B1, B3: a minimum that no int32 delta can have."""
    data = naive.encode([2**31 - 1, -(2**31), 5], ENCODING, "int64")
    battery.check_rejects(data, ENCODING, 3, "BAD_VARINT", "int32")


@both_dtypes
@pytest.mark.parametrize("used", range(4))
def test_width_is_checked_in_each_used_miniblock(used, dtype):
    """Whichever of the four miniblocks is too wide: the error names its width byte, and no value behind it."""
    widths = [3, 3, 3, 3]
    widths[used] = 99
    start = header(total_count=129) + b"\0"
    error = battery.check_rejects(start + bytes(widths) + b"\x11" * 1300, ENCODING, 129, "BIT_WIDTH", dtype)
    assert error.position == len(start) + used
    assert 1 <= error.index <= 1 + 32 * used


@both_dtypes
@pytest.mark.parametrize("size", [6, 9, 10, 11, 64])
def test_long_varints(size, dtype):
    """B9: zero-padded varints are read up to 5 or 10 bytes, and not one byte further."""
    most = 5 if dtype == "int32" else 10
    one = naive.encode_uleb128(128) + b"\x04\x01"
    first_value = one + naive.encode_uleb128(6, size)
    min_delta = header(first_value=3) + naive.encode_uleb128(2, size) + bytes(4)
    if size <= most:
        assert battery.decode(first_value, ENCODING, 1, dtype) == [3]
        assert battery.decode(min_delta, ENCODING, 2, dtype) == [3, 4]
    else:
        battery.check_rejects(first_value, ENCODING, 1, "BAD_VARINT", dtype)
        battery.check_rejects(min_delta, ENCODING, 2, "BAD_VARINT", dtype)
    battery.check_rejects(naive.encode_uleb128(128, size) + b"\x04\x01\x06", ENCODING, 1, "BAD_VARINT", dtype)


@both_dtypes
def test_varints_with_bits_beyond_the_type(dtype):
    """B9: a varint may not hold more than the type does."""
    beyond = naive.encode_uleb128(1 << naive.BITS[dtype])
    start = naive.encode_uleb128(128) + b"\x04"
    battery.check_rejects(start + b"\x01" + beyond, ENCODING, 1, "BAD_VARINT", dtype)
    battery.check_rejects(start + b"\x02\x00" + beyond + bytes(4), ENCODING, 2, "BAD_VARINT", dtype)
    battery.check_rejects(naive.encode_uleb128(1 << 32) + b"\x04\x01\x00", ENCODING, 1, "BAD_VARINT", dtype)
    battery.check_rejects(b"\xff" * 300, ENCODING, 1, "BAD_VARINT", dtype)


@both_dtypes
def test_last_miniblock_without_its_padding(dtype):
    """A4: the last used miniblock is whole or the page is cut."""
    data = naive.encode([3, 1, 4, 1, 5, 9, 2, 6], ENCODING, dtype)
    battery.check_rejects(data[:-1], ENCODING, 8, "TRUNCATED", dtype)


@both_dtypes
def test_missing_pieces(dtype):
    """A14: nothing where values are expected; no block, no widths, some widths, no body."""
    block = header() + b"\0"
    for data in (b"", header(total_count=2), block, block + bytes(3), block + b"\x07\0\0\0"):
        battery.check_rejects(data, ENCODING, 2, "TRUNCATED", dtype)


@both_dtypes
@pytest.mark.parametrize("total_count", [2**31, 2**32 - 1])
def test_counts_beyond_int32(total_count, dtype):
    """Counts are signed 32-bit numbers in the format."""
    battery.check_rejects(header(total_count=total_count) + bytes(40), ENCODING, 10, "BAD_HEADER", dtype)


def test_liberties_change_the_bytes():
    """What the tests above vary does vary, one thing at a time."""
    values = [i * i for i in range(60)]
    changes = [
        {"block_size": 256},
        {"unused_widths": (1,)},
        {"padding": 1},
        {"varint_size": 2},
        {"spare_bits": 1},
        {"lower_min_delta": 1},
    ]
    pages = {naive.encode(values, ENCODING, "int32", replace(naive.CANONICAL, **change)) for change in [{}, *changes]}
    assert len(pages) == 1 + len(changes)
