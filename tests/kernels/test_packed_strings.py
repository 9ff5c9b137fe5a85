"""NumPy's packed strings through NumPy's own functions, and through functions that fail as those could."""

import ctypes

import numpy as np
import pytest
from framed import framed, frozen

from colcodec._kernels.packed_strings import (
    ACQUIRE,
    LOAD,
    PACK,
    PACK_NULL,
    PACKED_SIZE,
    RELEASE,
    copy_strings,
    measure_strings,
    pack_strings,
)
from colcodec.convert.string_dtype import _find_functions

FUNCTIONS = _find_functions()
NO_TEXT = frozen(b"")
VALUES = ["", "short", None, "of fifteen byte", "sixteen bytes is", "é" * 200, "x" * 5000, None, "last"]


def make(values=VALUES, **options):
    return np.array(values, np.dtypes.StringDType(**{"na_object": None} | options))


def place(array, functions=FUNCTIONS):
    """Say where an array is, as kernels are told."""
    return functions, id(array.dtype), array.ctypes.data, array.strides[0]


def measure(array, null_size=-1):
    offsets = np.empty(array.size + 1, np.int64)
    with framed((array.size + 7) // 8) as validity:
        read, nulls = measure_strings(*place(array), null_size, offsets, validity)
        return read, nulls, frozen(offsets, np.int64), validity.copy()


def sizes_of(values, null_size=0):
    return [null_size if value is None else len(value.encode()) for value in values]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9])
@pytest.mark.parametrize("step", [1, -1, 2])
def test_strings_are_measured_and_copied(count, step):
    """Short, medium and long ones, at any stride; bitmaps of whole and of part bytes."""
    array = make()[:count][::step]
    values = array.tolist()
    read, nulls, offsets, validity = measure(array)
    assert (read, nulls) == (array.size, values.count(None))
    assert np.diff(offsets).tolist() == sizes_of(values)
    assert np.unpackbits(validity, bitorder="little").tolist() == [value is not None for value in values] + [0] * (
        -array.size % 8
    )
    for slack in (0, PACKED_SIZE):
        with framed(offsets[-1] + slack) as data:
            assert copy_strings(*place(array), NO_TEXT, offsets, data) == array.size
            assert data[: offsets[-1]].tobytes() == "".join(value or "" for value in values).encode()


def test_nulls_may_have_a_text():
    """They are no nulls then."""
    array = make()
    read, nulls, offsets, validity = measure(array, 2)
    assert (read, nulls) == (9, 0)
    assert np.diff(offsets).tolist() == sizes_of(VALUES, 2)
    assert np.unpackbits(validity, bitorder="little").tolist() == [1] * 9 + [0] * 7
    with framed(offsets[-1]) as data:
        assert copy_strings(*place(array), frozen(b"NA"), offsets, data) == 9
        assert data.tobytes() == "".join("NA" if value is None else value for value in VALUES).encode()


@pytest.mark.parametrize("index", range(9))
@pytest.mark.parametrize("new", ["a", "y" * 30, None])
def test_a_string_that_changed_is_not_copied(index, new):
    """Where what was measured is no longer there, the copy stops, writes nowhere else, and gives the lock back."""
    array = make(["of five and twenty bytes."] * 9)
    _, _, offsets, _ = measure(array)
    array[index] = new
    with framed(offsets[-1]) as data:
        assert copy_strings(*place(array), NO_TEXT, offsets, data) == index
    array[index] = "the lock is free"
    assert array[index] == "the lock is free"


@pytest.mark.parametrize("coerce", [True, False])
@pytest.mark.parametrize("fill", [None, b"", b"NA", b"of more than fifteen bytes"])
def test_strings_are_packed(coerce, fill):
    """NumPy reads what was packed, nulls or what takes their place."""
    encoded = [("under a null" if value is None else value).encode() for value in VALUES]
    offsets = frozen(np.cumsum([0, *map(len, encoded)]), np.int64)
    validity = frozen(np.packbits([value is not None for value in VALUES], bitorder="little"))
    array = np.empty(len(VALUES), np.dtypes.StringDType(na_object=None, coerce=coerce))
    text, size = (NO_TEXT, -1) if fill is None else (frozen(fill), len(fill))
    data = frozen(b"".join(encoded))
    assert pack_strings(*place(array)[:3], offsets, data, validity, text, size) == 9
    expected = None if fill is None else fill.decode()
    assert array.tolist() == [expected if value is None else value for value in VALUES]
    assert pack_strings(*place(array)[:3], offsets, data, NO_TEXT, text, size) == 9  # over what was there
    assert array.tolist() == [value.decode() for value in encoded]


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
def fail_to_load(allocator, packed, unpacked):
    return -1


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
def fail_to_pack(allocator, packed, string, size):
    return -1


@pytest.mark.parametrize("place_of", [LOAD, PACK, PACK_NULL])
def test_functions_that_fail_end_the_loop(place_of):
    """At the value that failed, with the lock given back."""
    functions = FUNCTIONS.copy()
    failing = {LOAD: fail_to_load, PACK: fail_to_pack, PACK_NULL: fail_to_load}[place_of]
    functions[place_of] = ctypes.cast(failing, ctypes.c_void_p).value
    functions.flags.writeable = False
    array = make([None, "a", None])
    where = place(array, functions)
    offsets = np.zeros(4, np.int64)
    if place_of == LOAD:
        assert measure_strings(*where, -1, offsets, np.zeros(1, np.uint8)) == (0, 0)
        assert copy_strings(*where, NO_TEXT, frozen(offsets, np.int64), np.zeros(9, np.uint8)) == 0
    else:
        validity = frozen([0b110 if place_of == PACK_NULL else 0b011])
        expected = 0
        assert pack_strings(*where[:3], frozen(offsets, np.int64), NO_TEXT, validity, NO_TEXT, -1) == expected
    array[:] = ["the", "lock", "is free"]
    assert array.tolist() == ["the", "lock", "is free"]


def test_places_are_those_of_the_table():
    """All of them, and no two the same."""
    assert sorted([LOAD, PACK, PACK_NULL, ACQUIRE, RELEASE]) == list(range(FUNCTIONS.size))
    assert len(set(FUNCTIONS.tolist())) == FUNCTIONS.size
