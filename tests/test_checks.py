"""Arguments on their way to the kernels: canonical, read-only, without a copy where none is needed, or refused."""

import array
import mmap

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import colcodec as cc
from colcodec._checks import (
    as_bitmap,
    as_bytes,
    as_count,
    as_int64,
    as_size,
    as_type_length,
    max_length_bits,
    read_only,
)

DATA = b"\x00\x01\x80\xff"


def is_canonical(result):
    """Tell whether kernels can take an array of bytes without being compiled once more."""
    flags = result.flags
    return type(result) is np.ndarray and result.dtype == np.uint8 and flags.c_contiguous and not flags.writeable


# --- read_only -------------------------------------------------------------------------------------------------------


def test_read_only():
    """A view that cannot be written, of an array that still can; an array that cannot is given back."""
    values = np.arange(3)
    view = read_only(values)
    assert values.flags.writeable
    assert not view.flags.writeable
    values[0] = 7
    assert view[0] == 7
    assert read_only(view) is view


# --- as_int64 --------------------------------------------------------------------------------------------------------


def test_as_int64():
    """One form for kernels, in memory of its own; other integers become it."""
    values = np.arange(6)
    assert not np.shares_memory(as_int64(values, "offsets"), values)
    unaligned = np.zeros(33, np.uint8)[1:].view(np.int64)
    for other in (
        [0, 1],
        values,
        values[::2],
        values[::-1],
        values.astype(np.int32),
        values.astype(">i8"),
        unaligned,
        [],
        range(3),
    ):
        array = as_int64(other, "offsets")
        assert array.tolist() == list(other)
        assert (array.dtype, array.flags.c_contiguous, array.flags.aligned) == (np.dtype(np.int64), True, True)
        assert not array.flags.writeable
    for wrong in ([0.5], ["a"], [None], [True]):
        with pytest.raises(cc.InvalidTypeError, match=r"offsets are of dtype .*; expected integers"):
            as_int64(wrong, "offsets")
    for wrong in (values.reshape(2, 3), np.int64(3)):
        with pytest.raises(cc.InvalidColumnError, match="offsets have"):
            as_int64(wrong, "offsets")


# --- as_bytes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        bytes,
        bytearray,
        memoryview,
        lambda data: memoryview(bytearray(data)),
        lambda data: array.array("B", data),
        lambda data: array.array("b", data),
        lambda data: np.frombuffer(data, np.uint8),
        lambda data: np.frombuffer(data, np.uint8).copy(),
        lambda data: np.frombuffer(data, np.int8),
        lambda data: np.frombuffer(data, "S1"),
        lambda data: np.frombuffer(data, np.uint8).view(np.memmap),
    ],
)
def test_as_bytes_views(make):
    """Any buffer of single bytes is viewed where it is; an empty one too."""
    buf = make(DATA)
    result = as_bytes(buf, "page")
    assert result.tobytes() == DATA
    assert is_canonical(result)
    assert np.shares_memory(result, np.asarray(buf if isinstance(buf, np.ndarray) else memoryview(buf)))
    empty = as_bytes(make(b""), "page")
    assert is_canonical(empty)
    assert empty.size == 0


def test_as_bytes_of_mapped_memory():
    """A memory map, without a copy."""
    with mmap.mmap(-1, 4) as mapped:
        mapped[:] = DATA
        result = as_bytes(mapped, "page")
        assert result.tobytes() == DATA
        mapped[0:1] = b"\x07"
        assert result[0] == 7
        del result  # or the map could not be closed


def test_as_bytes_copies_only_what_is_strided():
    """Steps and turns are gone, in arrays and in memory views."""
    spread = np.repeat(np.frombuffer(DATA, np.uint8), 2)
    for buf, expected in [
        (spread[::2], DATA),
        (spread[::-2], DATA[::-1]),
        (memoryview(spread)[::2], DATA),
        (spread.reshape(4, 2)[:, 1], DATA),
    ]:
        result = as_bytes(buf, "page")
        assert result.tobytes() == expected
        assert is_canonical(result)


@pytest.mark.parametrize(
    ("buf", "kind", "found"),
    [
        ("text", cc.InvalidTypeError, "str"),
        ([1, 2], cc.InvalidTypeError, "list"),
        (None, cc.InvalidTypeError, "NoneType"),
        (7, cc.InvalidTypeError, "int"),
        (np.uint8(7), cc.InvalidColumnError, "0 dimensions"),
        (np.zeros(3, np.int32), cc.InvalidTypeError, "int32"),
        (np.zeros(3, np.bool_), cc.InvalidTypeError, "bool"),
        (np.zeros(3, np.float16), cc.InvalidTypeError, "float16"),
        (np.zeros(3, "S2"), cc.InvalidTypeError, "S2"),
        (np.zeros(3, "U1"), cc.InvalidTypeError, "U1"),
        (np.zeros(3, "M8[s]"), cc.InvalidTypeError, "datetime64[s]"),
        (np.array([b"a", None], object), cc.InvalidTypeError, "object"),
        (np.array(["a"], np.dtypes.StringDType()), cc.InvalidTypeError, "StringDType"),
        (array.array("i", [1]), cc.InvalidTypeError, "int32"),
        (np.zeros((2, 2), np.uint8), cc.InvalidColumnError, "2 dimensions"),
        (memoryview(DATA).cast("B", (2, 2)), cc.InvalidColumnError, "2 dimensions"),
    ],
)
def test_as_bytes_refuses(buf, kind, found):
    """Anything else is named by the argument's name and its own type, with what was expected."""
    with pytest.raises(kind) as caught:
        as_bytes(buf, "page")
    text = str(caught.value)
    assert text.startswith("page ")
    assert found in text
    assert "expected" in text


# --- as_bitmap -------------------------------------------------------------------------------------------------------


@given(st.lists(st.booleans(), max_size=40), st.binary(max_size=3))
def test_as_bitmap(bools, more):
    """Bools, their bitmap, and a bitmap with more bytes than needed come to the same."""
    expected = np.packbits(np.array(bools, bool), bitorder="little").tobytes()
    for given_ in (bools, tuple(bools), np.array(bools, bool), expected, bytearray(expected + more)):
        result = as_bitmap(given_, len(bools))
        assert is_canonical(result)
        assert result.tobytes() == expected


def test_as_bitmap_of_other_libraries():
    """Bools as each of them holds them; none of them may be missing."""
    bools = [True, False, True]
    for make in (pd.Series, pd.array, pl.Series, pa.array):
        assert as_bitmap(make(bools), 3).tolist() == [5]
    with pytest.raises(cc.InvalidTypeError, match="validity has dtype object"):
        as_bitmap(pa.array([True, None]), 2)


def test_as_bitmap_is_a_copy():
    """Kernels believe it; strided bools and bitmaps are not a hindrance."""
    bitmap = np.array([5, 1], np.uint8)
    assert not np.shares_memory(as_bitmap(bitmap, 9), bitmap)
    assert as_bitmap(np.repeat(bitmap, 2)[::2], 9).tolist() == [5, 1]
    assert as_bitmap(np.array([True, False, False, True, True])[::2], 3).tolist() == [5]


@pytest.mark.parametrize(
    ("validity", "num_values", "kind", "fragments"),
    [
        (b"\xff", 9, cc.InvalidColumnError, ["1 bytes", "expected 2"]),
        (b"", 1, cc.InvalidColumnError, ["0 bytes", "expected 1"]),
        ([True] * 3, 4, cc.InvalidColumnError, ["(3,)", "4 values"]),
        ([True] * 4, 3, cc.InvalidColumnError, ["(4,)", "3 values"]),
        ([], 1, cc.InvalidColumnError, ["(0,)", "1 value"]),
        (np.ones((3, 1), bool), 3, cc.InvalidColumnError, ["(3, 1)", "3 values"]),
        (np.ones((1, 1), np.uint8), 3, cc.InvalidColumnError, ["2 dimensions", "expected 1"]),
        ([1, 1, 0], 3, cc.InvalidTypeError, ["validity has dtype int64", "expected"]),
        ([1.0, 0.0], 2, cc.InvalidTypeError, ["validity has dtype float64", "expected"]),
        ([None, True], 2, cc.InvalidTypeError, ["validity has dtype object", "expected"]),
        ("yes", 3, cc.InvalidTypeError, ["validity is of type str", "expected"]),
        (True, 1, cc.InvalidTypeError, ["validity is of type bool", "expected"]),
    ],
)
def test_as_bitmap_refuses(validity, num_values, kind, fragments):
    """What is too short, of another length, or no bitmap at all."""
    with pytest.raises(kind) as caught:
        as_bitmap(validity, num_values)
    assert [fragment for fragment in fragments if fragment not in str(caught.value)] == []


# --- as_count, as_size -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 1, 2**31 - 1, np.int64(7), np.uint8(7)])
def test_counts(value):
    """Integers of Python and NumPy, as a Python integer."""
    for check in (as_count, as_size):
        assert check(value, "n") == value
        assert type(check(value, "n")) is int


@pytest.mark.parametrize("value", [True, np.True_, 1.0, np.float64(1), "1", None, [1], np.array([1])])
def test_counts_of_another_type(value):
    """A bool is no number, and neither is a float that happens to be whole."""
    for check in (as_count, as_size):
        with pytest.raises(TypeError, match=f"n must be an integer, got {type(value).__name__}"):
            check(value, "n")


def test_counts_out_of_range():
    """A size may be large; a count of values may not."""
    for check in (as_count, as_size):
        with pytest.raises(ValueError, match="n must not be negative, got -1"):
            check(-1, "n")
    assert as_size(2**40, "n") == 2**40
    assert as_size(2**100, "n") == as_size(np.uint64(2**63), "n") == 2**63 - 1  # what kernels can take
    for value in (2**31, np.uint64(2**63), 2**100):
        with pytest.raises(ValueError, match=rf"n must be at most 2\*\*31 - 1, .* got {value}"):
            as_count(value, "n")
        with pytest.raises(ValueError, match=rf"type_length must be 1 to 2\*\*31 - 1 bytes, got {value}"):
            as_type_length(value)


# --- max_length_bits -------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 300), max_size=9), st.integers(0, 9))
def test_max_length_bits(lengths, shift):
    """The bits of the longest value's length."""
    offsets = read_only(np.cumsum([shift, *lengths]))
    data = read_only(np.zeros(int(offsets[-1]), np.uint8))
    assert max_length_bits(offsets, data) == max(lengths, default=0).bit_length()


@pytest.mark.parametrize(
    ("offsets", "index", "fragments"),
    [
        ([0, 2**31], 0, ["value 0 has 2147483648 bytes", "2**31 - 1"]),
        ([0, 1, 2**40], 1, ["value 1 has"]),
        ([0, 2, 1], 1, ["value 1 has -1 bytes"]),
        ([-1, 1], None, ["offsets -1 to 1", "data of 3 bytes"]),
        ([0, 4], None, ["offsets 0 to 4", "data of 3 bytes"]),
        ([5, 5], None, ["offsets 5 to 5", "data of 3 bytes"]),
        ([0, -(2**63)], 0, ["value 0 has"]),
        ([2**63 - 1, -(2**63)], 0, [str(1 - 2**64)]),  # the difference wraps to 1
    ],
)
def test_max_length_bits_refuses(offsets, index, fragments):
    """Offsets that do not fit the data, as when someone wrote to them, and values that are too long."""
    with pytest.raises(cc.InvalidColumnError) as caught:
        max_length_bits(read_only(np.array(offsets)), read_only(np.zeros(3, np.uint8)))
    assert caught.value.index == index
    assert [fragment for fragment in fragments if fragment not in str(caught.value)] == []
