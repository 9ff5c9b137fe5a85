"""Nulls leave a column, and come back: each kernel against a list of bools."""

import conftest
import naive
import numpy as np
import pytest
import strategies
from framed import STATUS, as_column, as_values, framed, frozen, outcome, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels.bitpack import STORE_SLACK
from colcodec._kernels.rle import MAX_GROUPS, hybrid_bound
from colcodec._kernels.validity import (
    count_mixed,
    count_present,
    count_valid,
    decode_validity,
    drop_null_data,
    drop_null_offsets,
    encode_validity,
    is_valid,
    load_bits,
    spread_offsets,
)


def as_bitmap(present, rest=0):
    """Pack bools, with the bits behind the last all 0 or all 1."""
    padding = [rest] * (-len(present) % 8)
    return frozen(np.packbits(np.array([*present, *padding], bool), bitorder="little"))


presence = st.lists(st.booleans(), max_size=130)


@given(presence, st.integers(0, 1))
def test_counts(present, rest):
    """Bits behind the last value do not count, and there is no byte behind them."""
    bitmap = as_bitmap(present, rest)
    assert [is_valid(bitmap, i) for i in range(len(present))] == present
    assert count_valid(bitmap, len(present)) == sum(present)
    assert count_valid(bitmap, len(present) // 2) == sum(present[: len(present) // 2])


def test_counts_of_every_length():
    """All lengths from 0 to 200: all present, none, and in a pattern that no two words or bytes share."""
    mixed = [i * i % 7 < 3 or i % 11 == 0 for i in range(200)]
    for size in range(201):
        assert count_valid(as_bitmap([True] * size, 1), size) == size
        assert count_valid(as_bitmap([False] * size, 1), size) == 0
        assert count_valid(as_bitmap(mixed[:size], 1), size) == sum(mixed[:size])


@given(strategies.with_nulls(strategies.columns_without_nulls()), st.binary(max_size=9), st.integers(0, 9))
def test_drops(column, under_null, shift):
    """Present values stay, and the bytes that lie under nulls go."""
    offsets, data = as_column([under_null if value is None else value for value in column], shift)
    bitmap = as_bitmap([value is not None for value in column], 1)
    present = [value for value in column if value is not None]
    with framed(len(present) + 1, np.int64) as dense:
        size = drop_null_offsets(offsets, bitmap, dense)
        assert size == dense[-1] == sum(map(len, present))
        with framed(size) as out:
            drop_null_data(offsets, data, bitmap, out)
            assert as_values(dense, out) == present


@given(strategies.with_nulls(strategies.columns_without_nulls()))
def test_spreads(column):
    """Nulls are empty, and each value is where it was."""
    dense, data = as_column([value for value in column if value is not None], 3)
    with framed(len(column) + 1, np.int64) as offsets:
        spread_offsets(dense, as_bitmap([value is not None for value in column], 1), offsets)
        assert untouched(offsets[:1])  # it may be the end of another page's values
        offsets[0] = dense[0]
        assert as_values(offsets, data) == [value or b"" for value in column]


def test_no_values():
    """A column without values has one offset."""
    nothing = as_bitmap([])
    with framed(1, np.int64) as offsets:
        assert drop_null_offsets(frozen([5], np.int64), nothing, offsets) == 0
        assert offsets[0] == 0
        spread_offsets(frozen([7], np.int64), nothing, offsets)
        assert offsets[0] == 0
    with framed(4) as out:
        drop_null_data(frozen([5], np.int64), frozen(b"bytes"), nothing, out)
        assert untouched(out)


# --- Definition levels -----------------------------------------------------------------------------------------------


def check_encode(levels, rest=1, pos=0):
    """Check that a bitmap is encoded as naive encodes levels, with at most the bound touched; give the bytes."""
    bound = hybrid_bound(len(levels), 1)
    with framed(pos + bound) as out:
        end = encode_validity(as_bitmap(levels, rest), len(levels), out, pos)
        assert end <= pos + bound
        assert out[pos:end].tobytes() == naive.encode_hybrid(levels, 1)
        assert untouched(out[:pos])
        return out[pos:end].tobytes()


def decode(data, num_values, pos=0, behind=b""):
    """Decode levels in the middle of a buffer; give status, place, index and, where all went well, the levels."""
    buf, end = frozen(data + behind), len(data)
    size = (num_values + 7) // 8
    with framed(size + STORE_SLACK) as validity:
        status, after, index = decode_validity(buf, pos, end, num_values, validity)
        counted = count_present(buf, pos, end, num_values)
        assert counted[:3] == (status, after, index)
        if STATUS[status] != "OK":
            return STATUS[status], after, index, None
        levels = np.unpackbits(validity[:size], bitorder="little").tolist()
        assert counted[3] == sum(levels)  # bits behind the last are zero
        return "OK", after, index, levels[:num_values]


def check_decode(data, num_values):
    """Check that any bytes give what the format's letter gives, whatever lies behind them, or its fault."""
    expected, error = outcome(naive.decode_hybrid, data, 0, 1, num_values)
    for behind in (b"", b"\xff" * 40):
        status, pos, index, levels = decode(data, num_values, 0, behind)
        assert 0 <= pos <= len(data)
        if error is None:
            assert (status, index, (levels, pos)) == ("OK", -1, expected)
        else:
            assert status == error.kind
            assert error.index in (None, index)


def test_load_bits():
    """From every bit of a word on: nothing behind the last byte is read."""
    body = bytes(range(101, 120))
    for size in (1, 2, 7, 8, 9, 10, 19):
        bits = int.from_bytes(body[:size], "little")
        for index in range(8 * size + 9):
            assert load_bits(frozen(body[:size]), index) == bits >> index & (1 << 64) - 1


def test_count_mixed():
    """Any byte may be the first that is all the same, whatever is above it."""
    others = (b"\x01", b"\x80", b"\xfe", b"\x7f", b"\x55")
    for place in range(9):
        for other in others:
            for above in (b"\x00", b"\xff", *others):
                for same in (b"\x00", b"\xff"):
                    word = (other * place + same + above * 8)[:8]
                    assert count_mixed(np.uint64(int.from_bytes(word, "little"))) == 8 * place


@given(strategies.repeating(1), st.integers(0, 1), st.integers(0, 9))
def test_encodes_levels(levels, rest, pos):
    """Any levels, whatever the bits behind the last; and what is encoded comes back."""
    encoded = check_encode(levels, rest, pos)
    assert decode(encoded, len(levels)) == ("OK", len(encoded), -1, levels)


@pytest.mark.parametrize("before", [0, 1, 5, 8, 11, 64, 8 * MAX_GROUPS - 8, 8 * MAX_GROUPS, 8 * MAX_GROUPS + 8])
def test_encodes_levels_of_every_length(before):
    """Runs of any length behind bit-packed groups and behind runs that end within a byte."""
    mixed = [i * i % 7 < 3 or i % 11 == 0 for i in range(before)]
    for count in range(0, 140, 1 if conftest.JIT else 9):
        for start in (mixed, [True] * before, [False] * before):
            for last in ([True], [False], [True, False], [False] * 9):
                check_encode([*map(int, (*start, *[True] * count, *last))])
                check_encode([*map(int, (*start, *[False] * count, *last))], 0)


@given(st.data())
def test_decodes_levels_of_any_runs(data):
    """Runs of any kind and length, so that all but the first begin within a byte."""
    encoded, levels = data.draw(strategies.hybrids(1))
    check_decode(encoded, len(levels))
    check_decode(encoded, data.draw(st.integers(0, len(levels) + 9)))
    before = data.draw(st.binary(max_size=9))
    expected = ("OK", len(before + encoded), -1, levels)
    assert decode(before + encoded, len(levels), len(before), b"\xff" * 9) == expected


@pytest.mark.parametrize("shift", range(9))
def test_decodes_levels_from_every_bit_on(shift):
    """A run of either kind and every length up to two words, behind a run of `shift` values."""
    body = bytes(i * 37 % 256 for i in range(17))
    start = naive.encode_uleb128(shift << 1) + b"\1" if shift else b""
    for count in range(1, 131, 1 if conftest.JIT else 9):
        groups = (count + 7) // 8
        check_decode(start + naive.encode_uleb128(groups << 1 | 1) + body[:groups], shift + count)
        for level in (b"\0", b"\1"):
            check_decode(start + naive.encode_uleb128(count << 1) + level + b"\x03\x99", shift + count + 5)


SMALL = naive.encode_hybrid([1] * 9 + [1, 0, 0, 1, 1, 1, 0] * 3 + [0] * 20 + [1, 0], 1)


def test_every_prefix_of_levels():
    """A stream cut anywhere; the counts around the right one as well."""
    for size in range(len(SMALL) + 1):
        for count in (0, 1, 30, 51, 52, 53, 60, 1000):
            check_decode(SMALL[:size], count)


def test_every_single_byte_change_of_levels():
    """Each byte in turn becomes every other byte."""
    for position in range(len(SMALL)):
        for other in range(256):
            check_decode(SMALL[:position] + bytes([other]) + SMALL[position + 1 :], 52)
