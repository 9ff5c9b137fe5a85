"""Lists and object arrays in and out, against plain Python: kinds of nulls, subclasses, buffers, faults, threads."""

import enum
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import BYTES, LAYOUTS, TEXT, laid_out

from colcodec import string_column
from colcodec.convert import objects
from colcodec.convert.numpy import from_numpy, to_numpy
from colcodec.convert.objects import from_list, from_objects
from colcodec.errors import InvalidColumnError, InvalidTypeError
from colcodec.string_column import StringColumn


@pytest.fixture(autouse=True, params=["kernels", "plain"])
def way(request, monkeypatch):
    """Both ways: kernels that know this Python, and what is left where they do not."""
    if request.param == "plain":
        monkeypatch.setattr(objects, "IS_KNOWN_PYTHON", False)
        monkeypatch.setattr(string_column, "IS_KNOWN_PYTHON", False)
    return request.param


@given(st.lists(TEXT | st.none(), max_size=30), LAYOUTS)
def test_objects_of_text(values, layout):
    """Objects in any layout, and the list of them."""
    assert from_numpy(laid_out(np.array(values, object), layout)).to_pylist() == values
    assert from_list(values).to_pylist() == values


@given(st.lists(BYTES | st.none(), max_size=30), LAYOUTS)
def test_objects_of_bytes(values, layout):
    """Bytes keep all their NULs as objects."""
    column = from_numpy(laid_out(np.array(values, object), layout))
    assert column.to_pylist() == from_list(values).to_pylist() == values
    assert column.utf8 is all(value is None for value in values)


NULLS = [
    None,
    float("nan"),
    np.nan,
    np.float32("nan"),
    np.float64("nan"),
    pd.NA,
    pd.NaT,
    np.datetime64("NaT"),
    np.timedelta64("NaT"),
    np.ma.masked,
]


def test_all_kinds_of_null_together():
    """J7, J8: none of them becomes text, nor is any refused beside the others."""
    values = [value for null in NULLS for value in (null, "a")]
    array = np.empty(len(values), object)
    array[:] = values
    for column in (from_list(values), from_numpy(array)):
        assert column.to_pylist() == [None, "a"] * len(NULLS)


@pytest.mark.parametrize("null", NULLS, ids=lambda null: f"{type(null).__name__} {null}")
def test_every_kind_of_null(null):
    """Between texts and before bytes."""
    array = np.empty(3, object)
    array[:] = ["a", None, "b"]
    array[1] = null
    assert from_numpy(array).to_pylist() == from_list(["a", null, "b"]).to_pylist() == ["a", None, "b"]
    assert from_list([null, b"a"]).to_pylist() == [None, b"a"]


@pytest.mark.parametrize("values", [[], NULLS, (), iter([])])
def test_nothing_but_nulls_is_text(values):
    """No value decides, so it is utf8."""
    column = from_list(values)
    assert column.utf8
    assert column.null_count == len(column) == (len(NULLS) if values is NULLS else 0)


class Color(enum.StrEnum):
    RED = "rot"


def test_subclasses_and_buffers_are_taken_for_what_they_hold():
    """NumPy's scalars, enums, bytearray, memoryview, generators."""
    assert from_list([np.str_("a"), Color.RED, "é"]).to_pylist() == ["a", "rot", "é"]
    assert from_list([np.str_("a"), Color.RED]).to_pylist() == ["a", "rot"]
    found = from_list([np.bytes_(b"a\0"), bytearray(b"b"), memoryview(b"c-d")[::2], b"e"])
    assert found.to_pylist() == [b"a\0", b"b", b"cd", b"e"]
    assert from_list(value for value in ("a", "b")).to_pylist() == ["a", "b"]


@pytest.mark.parametrize("make", [from_list, lambda values: from_numpy(np.array(values, object))])
@pytest.mark.parametrize(
    ("values", "index", "message"),
    [
        (["a", None, b"b"], 2, "value 2 is b'b' of type bytes; expected str"),
        ([b"a", "b"], 1, "value 1 is 'b' of type str; expected bytes"),
        (["a", 5], 1, "value 1 is 5 of type int; expected str, bytes or a null"),
        ([None, 0], 1, "value 1 is 0 of type int"),
        (["a", 1.5], 1, "value 1 is 1.5 of type float"),
        ([True], 0, "of type bool"),
        (["a", ("b",)], 1, "of type tuple"),
        (["é", object()], 1, "of type object"),
        (["a", np.datetime64("2020-01-01")], 1, "of type datetime64"),
        (["a", complex("nan")], 1, "of type complex"),
    ],
)
def test_values_of_another_type_are_refused(make, values, index, message):
    """The error has the index, the value, its type and what was expected."""
    if values == ["a", ("b",)]:
        make = from_list  # NumPy would make it two-dimensional
    with pytest.raises(InvalidTypeError, match=message) as caught:
        make(values)
    assert caught.value.index == index


@pytest.mark.parametrize("point", [0xD800, 0xDFFF])
def test_lone_surrogates_are_refused(point):
    """A str that has no UTF-8."""
    surrogate = chr(point)
    for values in (["ok", "é", "a" + surrogate, surrogate], [None, None, surrogate]):
        with pytest.raises(InvalidColumnError, match=f"value 2 holds the lone surrogate {point:#x}") as caught:
            from_list(values)
        assert caught.value.index == 2


class Text(str):
    """A str whose methods lie."""

    __slots__ = ()

    def encode(self, *_):
        return b"lie"

    def __getitem__(self, _):
        return "lie"

    def __len__(self):
        return 1

    def __str__(self):
        return "lie"


class Bytes(bytes):
    """Bytes whose methods lie."""

    __slots__ = ()

    def __bytes__(self):
        return b"lie"

    def __len__(self):
        return 1


@pytest.mark.parametrize("before", [None, np.float32("nan")])
def test_subclasses_are_what_they_hold(before):
    """Whichever way they are read: behind a value that the kernel leaves to Python, too."""
    assert from_list([before, Text("axis"), Text("ä\0")]).to_pylist() == [None, "axis", "ä\0"]
    assert from_list([before, Bytes(b"axis"), bytearray(b"axle"), Bytes(b"")]).to_pylist() == [
        None,
        b"axis",
        b"axle",
        b"",
    ]
    with pytest.raises(InvalidColumnError, match="value 1 holds the lone surrogate 0xd800 at 2"):
        from_list([before, Text("ab\ud800")])


@pytest.mark.parametrize("kind", [str, bytes])
def test_what_only_says_to_be_of_a_type_is_refused(kind):
    """As a mock does."""
    with pytest.raises(InvalidTypeError, match="of type Mock") as caught:
        from_list([None, Mock(kind)])
    assert caught.value.index == 1


@pytest.mark.parametrize("value", ["abc", b"abc", bytearray(b"abc"), 5, None])
def test_one_value_is_no_list(value):
    """A str is a sequence of str, but never meant as one."""
    with pytest.raises(InvalidTypeError, match="expected a list"):
        from_list(value)


# Many values


def test_usual_and_unusual_values_in_turn():
    """Wherever the kernel stops, what comes behind is read as well."""
    parts = ["text", np.float64("nan"), "", None, np.float32("nan"), pd.NaT, np.str_("é"), np.datetime64("NaT"), "end"]
    expected = ["text", None, "", None, None, None, "é", None, "end"]
    rng = np.random.default_rng(3)
    for _ in range(30):
        order = rng.integers(0, len(parts), 50)
        assert from_list([parts[i] for i in order]).to_pylist() == [expected[i] for i in order]


def test_room_grows_as_values_need_it():
    """For one value that is longer than all before, and for many."""
    for values in (["x" * 10**6], ["", "ab" * 3000, "c"] * 30, ["é" * 100] * 100, [bytearray(5000), b"x" * 5000] * 9):
        column = from_list(values)
        assert column.to_pylist() == [bytes(v) if isinstance(v, bytearray) else v for v in values]
        assert column.data.size == column.offsets[-1]


@pytest.mark.parametrize("step", [0, 1, -3])
def test_masked_objects(step):
    """Whatever lies under the mask is not looked at, and the array is left as it is."""
    values = np.empty(4 * max(abs(step), 1), object)[:: step or None][:4]
    values[:] = ["a", 5, "\ud800", None]
    array = np.ma.MaskedArray(values, [False, True, True, False])
    assert from_numpy(array).to_pylist() == ["a", None, None, None]
    assert array.data.tolist() == ["a", 5, "\ud800", None]


# Other threads


@pytest.mark.parametrize("num_left", [0, 2, 3, 4])
def test_a_list_that_is_changed_meanwhile(monkeypatch, num_left):
    """Shorter, it is refused; longer, the values that it had are read."""
    values = ["a", "b", np.float32("nan"), "c", np.float64("nan")]

    def shorten(value):
        del values[num_left:]
        return True

    monkeypatch.setattr(objects, "_is_null", shorten)
    with pytest.raises(InvalidColumnError, match=f"the list has {num_left} values; it had 5 when the call began"):
        from_list(values)
    values[:] = ["a", np.float32("nan")]
    monkeypatch.setattr(objects, "_is_null", lambda value: values.extend("more") is None)
    assert from_list(values).to_pylist() == ["a", None]


def test_values_that_are_replaced_meanwhile(monkeypatch):
    """Each is looked at once: an array is what it was, or what it has become, and nothing else."""
    array = np.array(["a", np.float32("nan"), "c"], object)

    def replace(value):
        array[:] = ["no longer looked at", "nor this", "é" * 5000]
        return True

    monkeypatch.setattr(objects, "_is_null", replace)
    assert from_objects(array).to_pylist() == ["a", None, "é" * 5000]


# The way out


@pytest.mark.parametrize("utf8", [True, False])
def test_every_way_out(monkeypatch, utf8):
    """Whole, sliced, in chunks, one by one, as an array, with a fill."""
    monkeypatch.setattr(string_column, "_CHUNK", 4)
    values = ["a", None, "", "text of some length", "é", None, "a\0b", "𐀀" * 100, "\0", "x" * 300, None]
    values = values if utf8 else [value if value is None else value.encode() + b"\xff" for value in values]
    fill = "fill" if utf8 else b"fill"
    column = from_list(values)
    for start, stop in [(0, 11), (1, 11), (3, 9), (5, 6), (10, 11), (4, 4)]:
        part, expected = column[start:stop], values[start:stop]
        assert part.to_pylist() == list(part) == [part[i] for i in range(len(part))] == expected
        assert to_numpy(part, "O", None).tolist() == expected
        assert to_numpy(part, "O", fill).tolist() == [fill if value is None else value for value in expected]


def test_faults_have_their_index():
    """Of the whole column, in each way out."""
    column = StringColumn([0, 1, 2, 3, 5, 6], b"abc\xc3\x28d", [True, False, True, True, True])
    for read in (column.to_pylist, lambda: list(column), lambda: to_numpy(column, "O", "fill")):
        with pytest.raises(InvalidColumnError, match=r"value 3 is b'.xc3\('; expected valid UTF-8") as caught:
            read()
        assert caught.value.index == 3


def test_offsets_that_somebody_has_written_to(way):
    """The kernel does not follow them, and says so."""
    offsets = np.array([0, 1, 2, 3])
    column = StringColumn._trusted(offsets, np.frombuffer(b"abc", np.uint8))
    offsets[2] = 2**62
    if way == "kernels":
        with pytest.raises(InvalidColumnError, match=r"offsets\[3\] is 3, below"):
            column.to_pylist()


def test_a_lack_of_memory_is_told_as_such(monkeypatch, way):
    """What the kernel could not make is tried again, and fails as it does or does not."""
    if way == "kernels":
        monkeypatch.setattr(string_column, "make_objects", lambda *args: args[5])
    column = from_list(["a", None, "b"])
    assert column.to_pylist() == ["a", None, "b"]

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(StringColumn, "_value", fail)
    with pytest.raises(MemoryError):
        column.to_pylist()


def test_pandas_is_not_imported():
    """The nulls of pandas are known by name alone."""
    code = "import sys, colcodec.convert.objects as c; c.from_list(['a', None]); assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
