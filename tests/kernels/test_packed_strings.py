"""NumPy's packed strings through NumPy's own functions, and through functions that fail as those could."""

import ctypes

import numpy as np
import pytest
from framed import framed, frozen, untouched

from colcodec._kernels.packed_strings import (
    ACQUIRE,
    LOAD,
    PACK,
    PACK_NULL,
    PACKED_SIZE,
    RELEASE,
    pack_strings,
    read_strings,
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


def texts_of(values, null_text=""):
    return [null_text if value is None else value for value in values]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9])
@pytest.mark.parametrize("step", [1, -1, 2])
@pytest.mark.parametrize("null_text", ["", "N/A", "of more than fifteen bytes"])
@pytest.mark.parametrize("slack", [0, PACKED_SIZE])
def test_strings_are_read(count, step, null_text, slack):
    """Short, medium and long ones, at any stride, behind what is there already."""
    array = make()[:count][::step]
    values = array.tolist()
    text = "".join(texts_of(values, null_text)).encode()
    is_valid = np.empty(array.size, np.bool_)
    offsets = np.full(array.size + 1, 3, np.int64)
    with framed(3 + len(text) + slack) as data:
        found = read_strings(*place(array), frozen(null_text.encode()), is_valid, offsets, data)
        assert found == (array.size, 0)
        assert untouched(data[:3])
        assert data[3 : offsets[-1]].tobytes() == text
    assert is_valid.tolist() == [value is not None for value in values]
    assert np.diff(offsets).tolist() == [len(value.encode()) for value in texts_of(values, null_text)]


@pytest.mark.parametrize("room", range(0, 96, 5))
def test_reading_stops_where_there_is_no_room(room):
    """Before the string that does not fit, whose size is told; what has been read is right."""
    array = make()
    sizes = [len(value.encode()) for value in texts_of(VALUES)]
    ends = np.cumsum([0, *sizes])
    fitting = int(np.argmax(ends[1:] > room))
    is_valid = np.empty(array.size, np.bool_)
    offsets = np.zeros(array.size + 1, np.int64)
    with framed(room) as data:
        assert read_strings(*place(array), NO_TEXT, is_valid, offsets, data) == (fitting, sizes[fitting])
        assert data[: ends[fitting]].tobytes() == "".join(texts_of(VALUES[:fitting])).encode()
    assert offsets[: fitting + 1].tolist() == ends[: fitting + 1].tolist()
    array[0] = "the lock is free"
    assert array[0] == "the lock is free"


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
        assert read_strings(*where, NO_TEXT, np.empty(3, np.bool_), offsets, np.zeros(9, np.uint8)) == (0, -1)
    else:
        validity = frozen([0b110 if place_of == PACK_NULL else 0b011])
        assert pack_strings(*where[:3], frozen(offsets, np.int64), NO_TEXT, validity, NO_TEXT, -1) == 0
    array[:] = ["the", "lock", "is free"]
    assert array.tolist() == ["the", "lock", "is free"]


def test_places_are_those_of_the_table():
    """All of them, and no two the same."""
    assert sorted([LOAD, PACK, PACK_NULL, ACQUIRE, RELEASE]) == list(range(FUNCTIONS.size))
    assert len(set(FUNCTIONS.tolist())) == FUNCTIONS.size
