"""StringDType in and out, against the lists that NumPy itself makes of such arrays."""

import math
from concurrent.futures import ThreadPoolExecutor

import conftest
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colcodec.convert import string_dtype
from colcodec.convert.numpy import from_numpy, to_numpy
from colcodec.convert.objects import from_list
from colcodec.errors import InvalidColumnError
from colcodec.string_column import StringColumn

compiled_only = pytest.mark.skipif(not conftest.JIT, reason="the plain way is taken")

StringDType = np.dtypes.StringDType

# Strings of up to 15 bytes lie in the array, of up to 255 in the arena with a short header, others with a long one.
TEXTS = st.builds(
    "".join,
    st.lists(st.sampled_from(["", "a", "\0", "é", "€", "𐀀", "fifteen bytes..", "x" * 240, "y" * 300]), max_size=3),
)
STEPS = st.sampled_from([1, 2, 3, -1, -2])


@pytest.fixture(params=["kernels", "plain"])
def way(request, monkeypatch):
    """Both ways: NumPy's functions, and what is left where NumPy's table does not have them."""
    if request.param == "plain":
        monkeypatch.setattr(string_dtype, "_FUNCTIONS", None)
    return request.param


class Missing:
    """An `na_object` of no special kind."""

    def __bool__(self):
        raise ValueError("neither true nor false, as pandas.NA")


MISSING = Missing()


@pytest.mark.parametrize("na_object", [None, math.nan, MISSING], ids=["None", "nan", "object"])
def test_missing_is_null(way, na_object):
    """Whatever stands for it."""

    @given(st.lists(TEXTS | st.none(), max_size=30), STEPS, st.booleans())
    def check(values, step, read_only):
        array = np.array([na_object if value is None else value for value in values], StringDType(na_object=na_object))
        array = array[::step]
        array.flags.writeable = not read_only
        column = from_numpy(array)
        assert column.to_pylist() == values[::step]
        assert column.utf8
        assert column.null_count == values[::step].count(None)
        column.validate()

    check()


@pytest.mark.parametrize("na_object", ["", "N/A", "a text of more than fifteen bytes"])
@pytest.mark.parametrize("step", [1, -2])
def test_missing_that_is_text_is_text(way, na_object, step):
    """As NumPy takes it: such an array has no nulls."""
    array = np.array(["a", na_object, "b" * 20, na_object, ""], StringDType(na_object=na_object))[::step]
    column = from_numpy(array)
    assert column.to_pylist() == array.tolist()
    assert column.validity is None


@pytest.mark.parametrize("coerce", [True, False])
def test_nothing_is_missing_without_na_object(way, coerce):
    """Not even what nobody has set."""
    array = np.empty(5, StringDType(coerce=coerce))
    array[1:3] = ["é", "x" * 400]
    assert from_numpy(array).to_pylist() == ["", "é", "x" * 400, "", ""]
    assert from_numpy(array[5:]).to_pylist() == []


def test_strings_on_the_heap(way):
    """Where a string goes that has outgrown its place in the arena."""
    array = np.array(["a" * 20, "b" * 300, "c"], StringDType())
    for i in range(3):
        array[i] = array[i] * 50
    assert from_numpy(array).to_pylist() == ["a" * 1000, "b" * 15000, "c" * 50]


def test_fields_and_broadcast_arrays(way):
    """Strides of 0; an array of several dimensions only through its rows."""
    array = np.array(["a", "x" * 40], StringDType())
    assert from_numpy(np.broadcast_to(array[1], 3)).to_pylist() == ["x" * 40] * 3
    assert from_numpy(np.array([["a", "b"], ["c", "d"]], StringDType())[:, 1]).to_pylist() == ["b", "d"]


@given(st.lists(TEXTS | st.none(), max_size=30), st.sampled_from([None, "", "é", "x" * 300]))
def test_text_goes_out(values, fill):
    """Nulls stay, or something takes their place; NULs are bytes like others."""
    for column in (from_list([*values, "!"])[:-1], from_list(["a", *values])[1:]):
        array = to_numpy(column, "T", fill)
        assert array.dtype == StringDType(na_object=None)
        assert array.tolist() == [fill if value is None else value for value in values]
        assert from_numpy(array).to_pylist() == array.tolist()


def test_text_goes_out_in_the_plain_way(way):
    """With the same results."""
    column = from_list(["é", None, "x" * 300])
    assert to_numpy(column, "T", None).tolist() == ["é", None, "x" * 300]
    assert to_numpy(column, "T", "").tolist() == ["é", "", "x" * 300]


def test_what_lies_under_a_null_is_not_looked_at(way):
    """Be it no text at all."""
    column = StringColumn([0, 1, 3, 4], b"a\xff\xfeb", [True, False, True])
    assert to_numpy(column, "T", None).tolist() == ["a", None, "b"]


def test_no_text_goes_out_that_is_none(way):
    """The value is named; nothing comes of the others."""
    column = StringColumn([0, 1, 1, 3, 4], b"a\xc3\xa9\xff", [True, False, True, True])
    with pytest.raises(InvalidColumnError, match=r"value 3 is b'.xff'; expected valid UTF-8") as caught:
        to_numpy(column, "T", None)
    assert caught.value.index == 3


@compiled_only
def test_a_string_that_numpy_does_not_find(monkeypatch):
    """Is named."""
    monkeypatch.setattr(string_dtype, "read_strings", lambda *args: (1, -1))
    with pytest.raises(InvalidColumnError, match="value 1 is not found by NumPy") as caught:
        from_numpy(np.array(["a", "b"], StringDType()))
    assert caught.value.index == 1


@pytest.mark.parametrize("step", [1, -3])
def test_long_strings_behind_short_ones(way, step):
    """Room for the bytes grows as often as it has to."""
    values = ["a", None, *("é" * 2**size for size in range(15)), None, *("b" * 2**size for size in range(15))][::step]
    assert from_numpy(np.array(values, StringDType(na_object=None))).to_pylist() == values


@compiled_only
def test_no_memory_is_told(monkeypatch):
    """NumPy says so, and so do we."""
    monkeypatch.setattr(string_dtype, "pack_strings", lambda *args: 1)
    with pytest.raises(MemoryError, match="no memory for value 1"):
        to_numpy(from_list(["a", "b"]), "T", None)


@compiled_only
def test_the_plain_way_is_taken_without_the_functions(monkeypatch):
    """A NumPy whose table is older, or hidden."""
    monkeypatch.setattr(string_dtype._multiarray_umath, "_ARRAY_API", None, raising=False)
    assert string_dtype._find_functions() is None
    monkeypatch.undo()
    monkeypatch.setattr(string_dtype, "_FIRST_FEATURE_VERSION", 1 << 20)
    assert string_dtype._find_functions() is None


def test_threads_share_an_array():
    """One allocator, one lock, several readers and NumPy itself."""
    array = np.array(["a", "b" * 30, None] * 300, StringDType(na_object=None))
    expected = array.tolist()

    def read(_):
        return from_numpy(array).to_pylist() == expected == array.tolist()

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, range(80)))
