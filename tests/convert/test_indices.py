"""Indices into a dictionary, as categoricals and Arrow's dictionary arrays hold them."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import byte_columns

import colcodec as cc
from colcodec.convert.indices import from_indices
from colcodec.convert.objects import from_list
from colcodec.errors import InvalidColumnError, InvalidTypeError
from colcodec.string_column import StringColumn


@given(byte_columns(), st.lists(st.integers(-2, 40), max_size=70), st.sampled_from("bhilBHIL"))
def test_indices(dictionary, drawn, dtype):
    """Of every integer type, nulls among them and in the dictionary, against a list."""
    indices = np.array([i for i in drawn if i < len(dictionary) and (i >= 0 or dtype.islower())], dtype)
    column = from_indices(indices, from_list(dictionary))
    assert column.to_pylist() == [dictionary[i] if i >= 0 else None for i in indices.tolist()]
    column.validate()


@pytest.mark.parametrize("size", [1, 30, 33, 70_000])
def test_bytes_under_nulls_and_around_a_slice(size):
    """A dictionary cut out of more bytes, one of whose nulls lies over some."""
    whole = StringColumn([0, size, size + 3, size + 6], b"x" * (size + 6) + b"tail", [True, False, True])
    column = from_indices(np.array([1, 0, -1, 1, 1, 0], np.int8), whole[1:])
    assert column.to_pylist() == ["xxx", None, None, "xxx", "xxx", None]
    assert column.data.tobytes() == b"x" * 9


def test_more_values_than_the_type_of_the_indices_can_count():
    """A dictionary of 300 values, of which int8 reaches 128."""
    known = from_list([str(i) for i in range(300)])
    assert from_indices(np.array([127, -1], np.int8), known).to_pylist() == ["127", None]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
@pytest.mark.parametrize("known", [0, 3])
def test_indices_behind_the_end(dtype, known):
    """Also those that 32 bits would make a good one of."""
    wild = (1 << 32) + 1 if dtype.endswith("64") else 3
    with pytest.raises(InvalidColumnError, match=f"value 0 has the index {wild}; .* of {known} values") as caught:
        from_indices(np.array([wild], dtype), from_list(["a"] * known))
    assert caught.value.index == 0


def test_nulls_that_are_told():
    """Have any index; where they are told, one below 0 is none, and its place is that of the caller."""
    dictionary, is_valid = from_list(["a", "b"]), np.array([True, False, True])
    assert from_indices(np.array([1, 99, 0]), dictionary, is_valid).to_pylist() == ["b", None, "a"]
    with pytest.raises(InvalidColumnError, match="value 12 has the index -1; expected one of a dictionary") as caught:
        from_indices(np.array([1, -1, -1]), dictionary, is_valid, first_index=10)
    assert caught.value.index == 12


def test_no_indices():
    """And no dictionary."""
    column = from_indices(np.empty(0, np.int8), StringColumn([0], b"", utf8=False))
    assert (len(column), column.utf8, column.validity) == (0, False, None)


def test_the_indices_may_be_read_only_and_strided():
    """As pandas gives codes, and as a view of a table has them."""
    indices = np.array([1, 7, 0, 7, -1], np.int16)[::2]
    indices.flags.writeable = False
    assert from_indices(indices, from_list(["a", "b"])).to_pylist() == ["b", "a", None]


@pytest.mark.parametrize("use", [cc.column, *map(operator.methodcaller, ("to_arrow", "to_pandas", "to_polars"))])
def test_a_dictionary_column_of_anything(use):
    """Each of its uses refuses the same, and takes the same."""
    known = cc.column(["on", "off"])
    for indices in ([1, -1, 0], np.array([1, -7, 0], ">i2"), np.array([1, 9, -1, 9, 0])[::2]):
        made = use(cc.DictionaryColumn(indices, known))
        values = made.to_list() if hasattr(made, "to_list") else made.to_pylist()
        assert [value if isinstance(value, str) else None for value in values] == ["off", None, "on"]
    for indices in ([0.5], [float("nan")], ["0"], [True], [None], None, [[0]], np.array([0, None], object)):
        with pytest.raises(
            (InvalidTypeError, InvalidColumnError), match=r"indices (are of dtype .*; expected int|have 2)"
        ):
            use(cc.DictionaryColumn(indices, known))
    for wild in (2, 2**31, np.uint64(2**63), np.uint64(2**64 - 1)):
        with pytest.raises(
            InvalidColumnError, match=f"value 0 has the index {wild}; expected one of a dictionary of 2"
        ):
            use(cc.DictionaryColumn(np.array([wild]), known))
    for dictionary in (["on", "off"], None):
        with pytest.raises(InvalidTypeError, match="a dictionary is of type"):
            use(cc.DictionaryColumn([0], dictionary))
