"""Nulls leave a column, and come back: each kernel against a list of bools."""

import numpy as np
import strategies
from framed import as_column, as_values, framed, frozen, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels.validity import (
    count_valid,
    drop_null_data,
    drop_null_offsets,
    is_valid,
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
