"""Structures of the Arrow C data interface that no honest producer hands over: each is refused, or does no harm."""

import ctypes

import numpy as np
import pytest

import colcodec as cc


class Schema(ctypes.Structure):
    """ArrowSchema."""


class Array(ctypes.Structure):
    """ArrowArray."""


def fields(structure, *of_this_kind):
    """Lay out a structure; both end alike."""
    release = ctypes.CFUNCTYPE(None, ctypes.POINTER(structure))
    structure._fields_ = [
        *of_this_kind,
        ("dictionary", ctypes.c_void_p),
        ("release", release),
        ("data", ctypes.c_void_p),
    ]

    @release
    def mark_released(pointer):
        pointer.contents.release = release()

    return mark_released


NUMBER, TEXT, POINTER = ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p
RELEASE_SCHEMA = fields(
    Schema,
    *[(name, TEXT) for name in ("format", "name", "metadata")],
    *[(name, NUMBER) for name in ("flags", "n_children")],
    ("children", POINTER),
)
RELEASE_ARRAY = fields(
    Array,
    *[(name, NUMBER) for name in ("length", "null_count", "offset", "n_buffers", "n_children")],
    *[(name, POINTER) for name in ("buffers", "children")],
)

new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, POINTER, TEXT, POINTER)(("PyCapsule_New", ctypes.pythonapi))


KEPT = []


class Producer:
    """An array of any format, buffers and counts, alone or with a dictionary; its memory is there for good."""

    def __init__(self, kind, length, *buffers, offset=0, null_count=0, n_buffers=None, dictionary=None):
        KEPT.append(self)
        self.buffers = buffers
        self.addresses = (POINTER * max(len(buffers), 1))(
            *[None if one is None else one.ctypes.data for one in buffers]
        )
        self.schema = Schema(format=kind.encode(), name=b"", release=RELEASE_SCHEMA)
        n_buffers = len(buffers) if n_buffers is None else n_buffers
        self.array = Array(
            length, null_count, offset, n_buffers, 0, ctypes.addressof(self.addresses), release=RELEASE_ARRAY
        )
        self.dictionary = dictionary
        if dictionary is not None:
            self.schema.dictionary = ctypes.addressof(dictionary.schema)
            self.array.dictionary = ctypes.addressof(dictionary.array)

    def __arrow_c_array__(self, requested_schema=None):
        return (
            new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
            new_capsule(ctypes.addressof(self.array), b"arrow_array", None),
        )


def ints(*values, dtype=np.int64):
    return np.array(values, dtype)


def view(length, number=0, place=0):
    return ints(length, 0, number, place, dtype=np.int32)


DATA = np.frombuffer(b"abcdefghij" * 10, np.uint8)
GOOD = ints(0, 1, 3)
SIZES = ints(100)


def known():
    return Producer("U", 2, None, GOOD, DATA)


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (lambda: Producer("U", 2, None, GOOD, DATA), ["a", "bc"]),
        (lambda: Producer("U", 2, None, ints(5, 5, 5), None), None),
        (lambda: Producer("U", 2, None, ints(0, 0, 0), None), ["", ""]),
        (lambda: Producer("U", 2, ints(1, dtype=np.uint8), GOOD, DATA, null_count=0), ["a", None]),
        (lambda: Producer("U", 2, ints(1, dtype=np.uint8), GOOD, DATA, null_count=-7), ["a", None]),
        (lambda: Producer("U", 2, ints(3, dtype=np.uint8), GOOD, DATA, null_count=2**62), ["a", "bc"]),
        (lambda: Producer("U", 2, None, GOOD, DATA, null_count=2), ["a", "bc"]),
        (lambda: Producer("w:0", 2, None, DATA), [b"", b""]),
        (lambda: Producer("n", 2), [None, None]),
        (lambda: Producer("n", 2, None), [None, None]),  # as Arrow had it before 1.0
        (lambda: Producer("vz", 1, None, view(20, 0, 5), DATA, SIZES), [DATA[5:25].tobytes()]),
        (lambda: Producer("i", 3, None, ints(0, 1, 0, dtype=np.int32), dictionary=known()), ["a", "bc", "a"]),
    ],
)
def test_what_is_odd_but_right(make, values):
    if values is None:
        with pytest.raises(cc.InvalidColumnError):
            cc.column(make())
    else:
        assert cc.column(make()).to_pylist() == values


@pytest.mark.parametrize(
    "make",
    [
        lambda: Producer("U", 3, None, ints(0, 5, 2, 6), DATA),
        lambda: Producer("u", 3, None, ints(0, 5, 2, 6, dtype=np.int32), DATA),
        lambda: Producer("U", 2, None, ints(-5, 1, 3), DATA),
        lambda: Producer("U", 2, None, ints(0, 1, -3), DATA),
        lambda: Producer("U", 2, None, ints(0, -1, 3), DATA),
        lambda: Producer("U", 2, None, ints(0, -(2**63), 3), DATA),
        lambda: Producer("U", 2, None, None, DATA),
        lambda: Producer("U", 2, None, GOOD, None),
        lambda: Producer("U", -(2**63), None, GOOD, DATA),
        lambda: Producer("U", -2, None, GOOD, DATA),
        lambda: Producer("U", 2**63 - 1, None, GOOD, DATA),
        lambda: Producer("U", 1, None, GOOD, DATA, offset=-1),
        lambda: Producer("U", 1, None, GOOD, DATA, offset=2**63 - 1),
        lambda: Producer("n", 2**62),
        lambda: Producer("w:4", 2**61, None, DATA),
        lambda: Producer("U", 2, None, GOOD),
        lambda: Producer("U", 2, n_buffers=0),
        lambda: Producer("U", 2, None, GOOD, DATA, n_buffers=-1),
        lambda: Producer("w:1", 2, None),
        lambda: Producer("vu", 1, None, view(3)),
        lambda: Producer("vu", 1, None, view(20, 1, 5), DATA, SIZES),
        lambda: Producer("vu", 1, None, view(20, -1, 5), DATA, SIZES),
        lambda: Producer("vu", 1, None, view(20, 0, 81), DATA, SIZES),
        lambda: Producer("vu", 1, None, view(20, 0, -1), DATA, SIZES),
        lambda: Producer("vu", 1, None, view(-20, 0, 0), DATA, SIZES),
        lambda: Producer("vu", 1, None, view(2**31 - 1, 0, 0), DATA, SIZES),
        lambda: Producer("vu", 1, None, view(20, 0, 0), DATA, ints(-1)),
        lambda: Producer("vu", 1, None, view(20, 0, 0), DATA, None),
        lambda: Producer("vu", 1, None, view(20, 0, 0), None, SIZES),
        lambda: Producer("vu", 1, None, None, DATA, SIZES),
        lambda: Producer("i", 3, None, ints(0, 2, 0, dtype=np.int32), dictionary=known()),
        lambda: Producer("i", 3, None, ints(0, -1, 0, dtype=np.int32), dictionary=known()),
        lambda: Producer("L", 1, None, ints(2**63, dtype=np.uint64), dictionary=known()),
        lambda: Producer("i", 1, None, ints(1, dtype=np.int32), dictionary=Producer("U", 2, None, ints(0, 9, 3), DATA)),
        lambda: Producer("i", 1, None, ints(0, dtype=np.int32), dictionary=Producer("U", 0, None, None, None)),
    ],
)
def test_what_is_wrong_is_refused(make):
    """Where it is read, or where it is used at last."""
    with pytest.raises(cc.InvalidColumnError):
        cc.encode(make(), "PLAIN")


@pytest.mark.parametrize(
    "make",
    [
        *[
            lambda kind=kind: Producer(kind, 2, None, DATA)
            for kind in ("w:-5", "w:x", "w:", "w", "w:4294967296", "w:²")
        ],
        lambda: Producer("f", 2, None, DATA, dictionary=known()),
        lambda: Producer("U", 2, None, GOOD, DATA, dictionary=known()),
        lambda: Producer("l", 2, None, GOOD),
    ],
)
def test_types_that_are_none_are_refused(make):
    with pytest.raises(cc.InvalidTypeError):
        cc.column(make())


def test_indices_without_their_dictionary():
    array = Producer("i", 1, None, ints(0, dtype=np.int32), dictionary=known())
    array.array.dictionary = None
    with pytest.raises(cc.InvalidColumnError, match="without the dictionary"):
        cc.column(array)


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"])
def test_offsets_that_decrease_reach_no_kernel(encoding):
    column = cc.column(Producer("Z", 3, None, ints(0, 9, 1, 2), DATA))
    for use in (
        lambda: cc.encode(column, encoding),
        lambda: cc.encode_pages(column, encoding, rows_per_page=2),
        lambda: cc.PageWriter(encoding).write(column),
        lambda: column.to_numpy("S"),
        lambda: column[::-1],
        lambda: cc.choose(column),
        column.to_pylist,
        column.to_arrow,
        column.to_polars,
    ):
        with pytest.raises(cc.InvalidColumnError):
            use()


def structs(length, *children, offset=0, n_children=None):
    """Make a producer of structs, whose schema has all of the children."""
    made = Producer("+s", length, None, offset=offset)
    for structure, parts in ((made.schema, [c.schema for c in children]), (made.array, [c.array for c in children])):
        addresses = (POINTER * len(parts))(*map(ctypes.addressof, parts))
        KEPT.append(addresses)
        structure.n_children, structure.children = len(parts), ctypes.addressof(addresses)
    if n_children is not None:
        made.array.n_children = n_children
    for i, child in enumerate(children):
        child.schema.name = b"column %d" % i
    return made


def test_structs():
    for length, offset in ((2, 0), (1, 1), (0, 0)):
        pages = cc.encode_frame(structs(length, known(), known(), offset=offset), "PLAIN")
        values = ["a", "bc"][offset:][:length]
        assert {name: cc.decode(page).to_pylist() for name, page in pages.items()} == {
            "column 0": values,
            "column 1": values,
        }


@pytest.mark.parametrize(
    ("length", "more"),
    [
        (3, {}),
        (2, {"offset": 1}),
        (1, {"offset": -1}),
        (-2, {}),
        (2**62, {}),
        (2, {"n_children": 1}),
        (2, {"n_children": -1}),
    ],
)
def test_structs_that_are_not_as_their_fields(length, more):
    with pytest.raises(cc.InvalidColumnError):
        cc.encode_frame(structs(length, known(), known(), **more), "PLAIN")
