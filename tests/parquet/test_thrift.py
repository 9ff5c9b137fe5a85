"""Structs of Thrift's compact protocol: held against a writer in plain Python, and read from bytes that are none."""

import math
import re
import struct
import uuid

import battery
import hypothesis.strategies as st
import naive
import pytest
from hypothesis import given
from thrift.Thrift import TType

from colcodec import MalformedFileError
from colcodec.parquet._thrift import Field, Struct

# Types as the compact protocol numbers them; the first is also that of a bool in a list.
TRUE, FALSE, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID = range(1, 14)
BOTH = pytest.mark.parametrize("known", [False, True], ids=["all fields", "known fields"])


class Inner(Struct):
    number = Field[int | None](1, TType.I32)
    required = Field[int](2, TType.I32, required=True)


class Outer(Struct):
    flag = Field[bool | None](1, TType.BOOL)
    small = Field[int | None](2, TType.BYTE)
    short = Field[int | None](3, TType.I16)
    integer = Field[int | None](4, TType.I32)
    long = Field[int | None](5, TType.I64)
    real = Field[float | None](6, TType.DOUBLE)
    text = Field[bytes | None](7, TType.STRING)
    inner = Field[Inner | None](8, TType.STRUCT, Inner)
    integers = Field[list[int] | None](9, TType.I32, many=True)
    texts = Field[list[bytes] | None](10, TType.STRING, many=True)
    inners = Field[list[Inner] | None](11, TType.STRUCT, Inner, many=True)
    flags = Field[list[bool] | None](12, TType.BOOL, many=True)


FIELDS = [name for name, field in vars(Outer).items() if isinstance(field, Field)]


# --- A writer: a struct is a dict from field numbers to types and values, a list a type and values -------------------


def write(kind, value, long_form=False):
    """Write a value; the long form of headers is always allowed, but only needed where the short one does not do."""
    match kind:
        case 1 | 2:
            return bytes([TRUE if value else FALSE])
        case 3:
            return struct.pack("<b", value)
        case 4 | 5 | 6:
            return naive.encode_uleb128(naive.encode_zigzag(value))
        case 7:
            return struct.pack("<d", value)
        case 8:
            return naive.encode_uleb128(len(value)) + value
        case 9 | 10:
            return write_list(*value, long_form)
        case 12:
            return write_struct(value, long_form)
        case _:
            return value.bytes


def write_list(kind, items, long_form=False):
    short = len(items) < 15 and not long_form
    head = bytes([(len(items) if short else 15) << 4 | kind])
    size = b"" if short else naive.encode_uleb128(len(items))
    return head + size + b"".join(write(kind, item, long_form) for item in items)


def write_struct(fields, long_form=False):
    """Write a struct; in the long form, the last field first."""
    out, before = b"", 0
    for number, (kind, value) in sorted(fields.items(), reverse=long_form):
        is_bool = kind in (TRUE, FALSE)
        own = (TRUE if value else FALSE) if is_bool else kind
        short = 0 < number - before < 16 and not long_form
        out += bytes([number - before << 4 | own]) if short else bytes([own]) + write(I16, number)
        out += b"" if is_bool else write(kind, value, long_form)
        before = number
    return out + b"\0"


# --- Structs of any kind ---------------------------------------------------------------------------------------------


def integers(bits):
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


SCALARS = {
    TRUE: st.booleans(),
    I8: integers(8),
    I16: integers(16),
    I32: integers(32),
    I64: integers(64),
    DOUBLE: st.floats(allow_nan=False),
    BINARY: st.binary(max_size=20),
    UUID: st.uuids(),
}


def of_one_kind(values, how):
    """Draw a type, and what `how` makes of the strategy for its values."""
    return st.sampled_from(sorted(values)).flatmap(lambda kind: st.tuples(st.just(kind), how(values[kind])))


def lists(values):
    return of_one_kind(values, lambda value: st.lists(value, max_size=3) | st.lists(value, min_size=14, max_size=17))


def structs(values, numbers):
    return st.dictionaries(numbers, of_one_kind(values, lambda value: value), max_size=5)


def any_struct(numbers):
    """Draw a struct with scalars, lists, sets and structs, three deep."""
    values = SCALARS
    for _ in range(2):
        inside = values
        values = SCALARS | {LIST: lists(inside), SET: lists(inside), STRUCT: structs(inside, st.integers(1, 40))}
    return structs(values, numbers)


@given(any_struct(st.integers(1, 40) | st.integers(1, 2**15 - 1)), st.booleans(), st.binary(max_size=9))
def test_any_struct_is_written_again_as_it_was(fields, long_form, around):
    """Whatever the fields are, nobody has to know them; the longer forms become the shorter ones."""
    data = write_struct(fields, long_form)
    read, end = Struct.read(around + data + around, len(around))
    assert end == len(around) + len(data)
    assert bytes(read) == write_struct(fields)
    assert Struct.read(bytes(read))[0] == read


OUTER = {
    1: (TRUE, True), 2: (I8, -7), 3: (I16, -300), 4: (I32, 2**31 - 1), 5: (I64, -(2**63)), 6: (DOUBLE, -0.5),
    7: (BINARY, b"axis"), 8: (STRUCT, {1: (I32, 5), 2: (I32, 0)}), 9: (LIST, (I32, [1, -1])),
    10: (LIST, (BINARY, [b"axle", b""] * 9)), 11: (LIST, (STRUCT, [{2: (I32, 1)}, {2: (I32, 2)}])),
    12: (LIST, (TRUE, [True, False, True])),
}  # fmt: skip
UNKNOWN = {
    13: (TRUE, False), 20: (STRUCT, {1: (LIST, (LIST, [(I16, [1]), (I16, [])])), 3: (SET, (BINARY, [b"x"] * 20))}),
    21: (UUID, uuid.UUID(int=5)), 22: (DOUBLE, math.pi), 300: (LIST, (UUID, [uuid.UUID(int=6)])),
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("long_form", [False, True])
def test_known_fields(known, long_form):
    """Fields have their names, in structs and lists too; others are there, or left out where nobody wants them."""
    data = write_struct(OUTER | UNKNOWN, long_form)
    read, end = Outer.read(b"before" + data + b"\x15\x02", 6, known=known)
    assert end == 6 + len(data)
    assert (read.flag, read.small, read.short, read.integer, read.long) == (True, -7, -300, 2**31 - 1, -(2**63))
    assert (read.real, read.text, read.inner.number, read.inner.required) == (-0.5, b"axis", 5, 0)
    assert (read.integers, read.texts, read.flags) == ([1, -1], [b"axle", b""] * 9, [True, False, True])
    assert [(inner.number, inner.required) for inner in read.inners] == [(None, 1), (None, 2)]
    assert bytes(read) == write_struct(OUTER if known else OUTER | UNKNOWN)


@BOTH
def test_unknown_fields_of_known_structs(known):
    inner = {1: (I32, 5), 2: (I32, 0)}
    new = inner | {9: (BINARY, b"new"), 10: (LIST, (STRUCT, [{1: (TRUE, True)}, {}]))}
    read, _ = Outer.read(write_struct({8: (STRUCT, new), 11: (LIST, (STRUCT, [new, new]))}), known=known)
    assert bytes(read.inner) == bytes(read.inners[1]) == write_struct(inner if known else new)


@given(any_struct(st.integers(13, 300)), st.sets(st.sampled_from(sorted(OUTER))))
def test_unknown_fields_are_stepped_over(unknown, numbers):
    """What comes behind a field that nobody knows is read from where it begins."""
    fields = {number: OUTER[number] for number in numbers}
    data = write_struct(unknown | fields)
    read, end = Outer.read(data, known=True)
    assert end == len(data)
    assert bytes(read) == write_struct(fields)
    assert [getattr(read, name) for name in FIELDS] == [getattr(Outer.read(data)[0], name) for name in FIELDS]


def test_fields_are_set_and_taken_away():
    """A field that is set is written, and one that is set to None is not; what was copied knows nothing of it."""
    read, _ = Outer.read(write_struct(OUTER | UNKNOWN))
    copy = read.copy()
    copy.text, copy.integers, copy.inners, copy.flag = None, [], [Inner(required=3)], False
    changed = OUTER | UNKNOWN | {1: (TRUE, False), 9: (LIST, (I32, [])), 11: (LIST, (STRUCT, [{2: (I32, 3)}]))}
    del changed[7]
    assert bytes(copy) == write_struct(changed)
    assert bytes(read) == write_struct(OUTER | UNKNOWN)
    assert copy != read
    named = [name for name in FIELDS if name != "text"]
    assert copy.names() == named + [f"field {number}" for number in sorted(UNKNOWN)]


def test_repr_names_fields():
    read, _ = Outer.read(write_struct({4: (I32, 5), 9: (LIST, (I32, [1])), 13: (BINARY, b"x")}))
    assert repr(read) == "Outer(integer=5, integers=[1], field 13=b'x')"


@BOTH
def test_empty_list_without_a_type(known):
    """I14: an empty list is one byte of 0, whatever it would be a list of."""
    for number in (9, 10, 11, 12, 13):
        data = bytes([LIST, number << 1, 0, 0x15, 0, 0])
        read, end = Outer.read(data, known=known)
        assert end == len(data)
        assert number == 13 or getattr(read, FIELDS[number - 1]) == []
        assert known or bytes(read) == bytes([number << 4 | LIST, 0, 0x15, 0, 0])


@BOTH
def test_the_last_of_fields_with_the_same_number_counts(known):
    read, _ = Outer.read(bytes([I32, 8, 2, I32, 8, 4, 0]), known=known)
    assert read.integer == 2


# --- Bytes that are no struct, or another than they should be --------------------------------------------------------


def test_required_field_is_missing():
    read, _ = Outer.read(write_struct({8: (STRUCT, {1: (I32, 1)})}))
    with pytest.raises(MalformedFileError, match=r"^Inner has no required, which the format requires$"):
        _ = read.inner.required


@pytest.mark.parametrize(
    ("number", "field", "message"),
    [
        (4, (I64, 5), "Outer.integer is of i64; expected i32"),
        (4, (BINARY, b"5"), "Outer.integer is of binary; expected i32"),
        (4, (UUID, uuid.UUID(int=0)), "Outer.integer is of type 16; expected i32"),
        (7, (LIST, (I32, [5])), "Outer.text is of list; expected binary"),
        (8, (LIST, (STRUCT, [{}])), "Outer.inner is of list; expected struct"),
        (9, (LIST, (BINARY, [b"5"])), "Outer.integers is of binary; expected i32"),
        (9, (I32, 5), "Outer.integers is of i32; expected list"),
        (11, (STRUCT, {}), "Outer.inners is of struct; expected list"),
        (12, (LIST, (I8, [1])), "Outer.flags is of i8; expected bool"),
    ],
)
def test_field_of_another_type(number, field, message):
    """I15: a field of another type is written again as it was, but whoever wants it is told."""
    data = write_struct({number: field})
    read, _ = Outer.read(data)
    assert bytes(read) == data
    with pytest.raises(MalformedFileError, match=f"^{re.escape(message)}$"):
        getattr(read, FIELDS[number - 1])
    assert written(Outer, data, known=True) in (None, b"\0")


@pytest.mark.parametrize("byte", [3, 7, 0x80, 0xFF])
def test_bad_bool_in_a_list(byte):
    """I15: true is 1, false 2 or, of some writers, 0."""
    with pytest.raises(MalformedFileError, match="is no bool"):
        Outer.read(bytes([0xC0 | LIST, 0x10 | TRUE, byte, 0]))
    for false in (0, 2):
        assert Outer.read(bytes([0xC0 | LIST, 0x20 | TRUE, 1, false, 0]))[0].flags == [True, False]


@BOTH
@pytest.mark.parametrize(
    "data",
    [
        bytes([I16, 6, 0x80, 0x80, 4, 0]),
        bytes([I32, 8, *[0x80] * 4, 0x20, 0]),
        bytes([I64, 10, *[0x80] * 9, 2, 0]),
        bytes([I64, 10, *[0x80] * 10, 0, 0]),
        bytes([I64, 10, *[0x80] * 5000]),
        bytes([I32, *[0x80] * 4, 0x20, 2, 0]),
        bytes([I32, 0xFE, 0xFF, 3, 2, 0x10 | I32, 2, 0]),
    ],
    ids=["i16", "i32", "i64", "11 bytes", "5000 bytes", "number of a field", "number after the last"],
)
def test_integers_that_are_too_large(data, known):
    """I15: an integer beyond its type is refused, or cut to it, but never comes out so that none could write it."""
    outcome = written(Outer, data, known)
    assert known or outcome is None


@BOTH
@pytest.mark.parametrize("kind", [14, 15])
def test_types_that_there_are_not(kind, known):
    """I15: in a field, in a list, in a struct that nobody knows."""
    for data in (
        bytes([kind | 0x10, 0]),
        bytes([LIST | 0x90, 0x10 | kind, 0, 0]),
        bytes([STRUCT, 100, 0x10 | kind, 0, 0]),
        bytes([LIST, 100, 0x10 | kind, 0, 0]),
    ):
        with pytest.raises(MalformedFileError, match=r"^Outer at byte 0: not Thrift's compact protocol"):
            Outer.read(data, known=known)


@BOTH
@pytest.mark.parametrize("number", [7, 9, 11, 12, 100])
def test_lengths_that_are_too_large(number, known):
    """I15, F8: lengths are held against the bytes that there are, before anything is allocated."""
    sizes = [naive.encode_uleb128(size) for size in (10_001, 2**31 - 1, 2**32 - 1, 2**63)]
    kinds = [kind for kind in range(1, 14) if kind != MAP]
    field = write(I16, number)
    cases = [bytes([BINARY]) + field + size for size in sizes]
    for kind in kinds:
        cases += [bytes([outer]) + field + bytes([0xF0 | kind]) + size for outer in (LIST, SET) for size in sizes]
        cases += [bytes([MAP]) + field + size + bytes([I8 << 4 | kind]) for size in sizes]

    def read_all():
        return [written(Outer, case + bytes(1000), known) for case in cases]

    assert set(battery.check_little_memory(read_all, 1 << 20)) <= {None, b"\0"}


@BOTH
@pytest.mark.parametrize(
    "level", [b"\x1c", b"\x19", b"\x1c\x19\x1c", b"\x1b\x01\xbb"], ids=["structs", "lists", "both", "maps"]
)
def test_deep_nesting(level, known):
    """What is nested in itself has an end, far from that of the stack: in a known field, and where nobody knows it."""
    for first in (b"", bytes([level[0] & 15, 100]), bytes([STRUCT, 16]), bytes([LIST, 22])):
        for count in (100, 1000, 200_000):
            with pytest.raises(MalformedFileError):
                Outer.read(first + level * count, known=known)
            with pytest.raises(MalformedFileError):
                Outer.read(bytes([STRUCT, 100]) + level * count + bytes(count + 2), known=known)


def test_nesting_that_is_not_too_deep():
    data = bytes([STRUCT | 0x10]) * 30 + bytes(31)
    assert bytes(Struct.read(data)[0]) == data


def test_maps_are_refused():
    """Parquet's metadata has none, so that nobody has to write one again."""
    with pytest.raises(MalformedFileError, match="a map"):
        Outer.read(bytes([MAP, 100, 0, 0]))


def written(cls, data, known):
    """Read a struct, with nothing but an error of the file if it is none, and write it again; None if it is none."""
    try:
        read, end = cls.read(data, known=known)
    except MalformedFileError:
        return None
    assert 0 < end <= len(data)
    again = bytes(read)
    assert cls.read(again)[1] == len(again)
    assert bytes(cls.read(again)[0]) == again
    assert repr(read)
    for name, field in vars(cls).items():
        if isinstance(field, Field):
            try:
                getattr(read, name)
            except MalformedFileError:
                assert field.number in read._fields
    return again


@BOTH
def test_truncated_at_every_byte(known):
    """A struct without its end is none."""
    data = write_struct(OUTER | UNKNOWN)
    for size in range(len(data)):
        with pytest.raises(MalformedFileError, match=r"^Outer at byte 3: "):
            Outer.read(b"xyz" + data[:size], 3, known=known)


@BOTH
def test_every_byte_changed(known):
    """I15: whatever becomes of a byte, there is a struct or an error of the file, and nothing else."""
    data = write_struct(OUTER | UNKNOWN)
    outcomes = []
    for i in range(len(data)):
        for change in (1, 2, 4, 8, 16, 32, 64, 128, 0x7F, 0xFF, data[i]):
            changed = data[:i] + bytes([data[i] ^ change]) + data[i + 1 :]
            outcomes.append(written(Outer, changed, known) is None)
    assert any(outcomes)
    assert not all(outcomes)


@BOTH
@given(data=st.binary(max_size=60))
def test_any_bytes(data, known):
    written(Outer, data, known)
    written(Struct, data, known)
