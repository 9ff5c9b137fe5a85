"""StringColumn against plain Python lists: construction, slices, equality, null counts, UTF-8 at value boundaries."""

import copy
import pickle
from array import array
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colcodec import string_column
from colcodec._kernels.utf8 import find_invalid
from colcodec.errors import InvalidColumnError, InvalidTypeError
from colcodec.string_column import StringColumn

TEXTS = st.lists(st.none() | st.text(max_size=5), max_size=40)
BYTE_STRINGS = st.lists(st.none() | st.binary(max_size=5), max_size=40)
BOUNDS = st.none() | st.integers(-45, 45)


def column_of(values, *, utf8=True, under_nulls=b"", before=b"", after=b""):
    """Lay a list out by hand; `under_nulls` is what null slots hold, `before` and `after` surround the values."""
    parts = [under_nulls if value is None else value.encode() if utf8 else value for value in values]
    offsets = list(accumulate(map(len, parts), initial=len(before)))
    validity = [value is not None for value in values]
    return StringColumn(offsets, before + b"".join(parts) + after, validity, utf8=utf8)


AXES = ["axis", "äxle", None, "", "🪓"]


# Construction


def test_data_is_viewed_and_the_rest_copied_and_all_shown_read_only():
    """What kernels believe cannot be written to by the caller; `data`, which they do not believe, is used as it is."""
    offsets, data, bitmap = np.array([0, 1, 3]), np.frombuffer(bytearray(b"abc"), np.uint8), np.array([3], np.uint8)
    column = StringColumn(offsets, data, bitmap)
    for given_array, shown in ((offsets, column.offsets), (data, column.data), (bitmap, column.validity)):
        assert np.shares_memory(given_array, shown) is (given_array is data)
        assert not shown.flags.writeable
        assert given_array.flags.writeable  # the caller's own array is left alone
        with pytest.raises(ValueError, match="read-only"):
            shown[0] = 1
    with pytest.raises(AttributeError):
        column.offsets = offsets
    with pytest.raises(AttributeError):
        column.other = 1


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i2", "<u4", ">i8", "u8"])
def test_offsets_of_any_integer_dtype_become_int64(dtype):
    """Every width, sign, byte order and stride of offsets."""
    column = StringColumn(np.array([0, 9, 2, 9, 3], dtype)[::2], b"abc")
    assert column.offsets.dtype == np.int64
    assert column.offsets.dtype.isnative
    assert column.offsets.flags.c_contiguous
    assert column.to_pylist() == ["ab", "c"]


def test_unaligned_offsets_are_aligned():
    """As they come from the middle of a file; Numba would compile its kernels once more for them."""
    offsets = np.frombuffer(b"." + np.array([0, 2, 3]).tobytes(), np.int64, offset=1)
    assert not offsets.flags.aligned
    assert StringColumn(offsets, b"abc").offsets.flags.aligned
    assert StringColumn(offsets, b"abc").to_pylist() == ["ab", "c"]


@pytest.mark.parametrize(
    "data",
    [
        b"abc",
        bytearray(b"abc"),
        memoryview(b"abc"),
        memoryview(b"a-b-c")[::2],
        array("b", b"abc"),
        np.frombuffer(b"abc", np.int8),
        np.array([b"a", b"b", b"c"]),
        np.frombuffer(b"cba", np.uint8)[::-1],
    ],
    ids=lambda data: type(data).__name__,
)
def test_data_may_be_any_buffer_of_single_bytes(data):
    """bytes, memoryviews, arrays of one-byte types, strided ones too."""
    column = StringColumn([0, 1, 3], data)
    assert column.data.dtype == np.uint8
    assert column.data.flags.c_contiguous
    assert column.to_pylist() == ["a", "bc"]


@pytest.mark.parametrize("data", [np.frombuffer(b"abc", np.int8), np.array([b"a", b"b", b"c"]), bytearray(b"abc")])
def test_single_bytes_of_another_kind_are_viewed(data):
    """int8, S1 and bytearray become uint8 without a copy."""
    assert np.shares_memory(StringColumn([0, 3], data).data, np.asarray(memoryview(data)))


@pytest.mark.parametrize(
    "validity",
    [[True, False, True], (True, False, True), np.array([True, False, True]), b"\x05", np.array([5, 255], "u1")],
)
def test_validity_may_be_bools_or_a_bitmap(validity):
    """Bools are packed, bytes past the needed ones are dropped."""
    column = StringColumn([0, 1, 2, 3], b"abc", validity)
    assert column.validity.dtype == np.uint8
    assert column.validity.tolist() == [5]
    assert column.to_pylist() == ["a", None, "c"]
    assert column.null_count == 1


def test_validity_of_strided_bools():
    """A bool array need not be contiguous."""
    assert StringColumn([0, 1, 2], b"ab", np.array([True, True, False, True])[::2]).to_pylist() == ["a", None]


def test_a_column_of_no_values():
    """One lone offset, wherever it points, is an empty column."""
    for column in (StringColumn([0], b""), StringColumn([3], b"abc", []), StringColumn(np.zeros(1, "u8"), b"", b"")):
        assert len(column) == column.null_count == 0
        assert column.to_pylist() == []
        column.validate()
        assert column == StringColumn([0], b"")


@pytest.mark.parametrize(
    ("offsets", "index", "message"),
    [
        ([-1, 2], 0, r"offsets\[0\] is -1; expected 0 or more"),
        ([0, 2, 1, 3], 1, r"offsets\[2\] is 1, below offsets\[1\], which is 2; expected .* never decrease"),
        ([0, 1, 4, 9], 1, r"offsets\[2\] is 4, past the end of data; expected at most 3"),
        ([4], 0, r"offsets\[0\] is 4, past the end"),
        (np.array([0, 2**63], "u8"), 1, r"offsets\[1\] is 9223372036854775808; expected at most 2\*\*63 - 1"),
        (np.array([2**62, -(2**63)]), 0, r"below offsets\[0\]"),  # a difference that wraps
        ([], None, r"shape \(0,\); expected one dimension"),
        ([[0, 1]], None, r"shape \(1, 2\)"),
        (3, None, r"shape \(\)"),
    ],
)
def test_bad_offsets_name_the_place(offsets, index, message):
    """The message has the offset, what it is and what it may be; the error has the value."""
    with pytest.raises(InvalidColumnError, match=message) as caught:
        StringColumn(offsets, b"abc")
    assert caught.value.index == index


@pytest.mark.parametrize(
    ("offsets", "data", "validity", "error", "message"),
    [
        ([0.0, 1.0], b"abc", None, InvalidTypeError, "offsets are of dtype float64; expected integers"),
        ([False, True], b"abc", None, InvalidTypeError, "offsets are of dtype bool"),
        (["0"], b"abc", None, InvalidTypeError, "offsets are of dtype <U1"),
        ([0], "abc", None, InvalidTypeError, "data is of type str; expected an array of uint8, or bytes"),
        ([0], [1, 2], None, InvalidTypeError, "data is of type list"),
        ([0], np.zeros(3, np.int64), None, InvalidTypeError, "data has dtype int64"),
        ([0], np.zeros(3, np.bool_), None, InvalidTypeError, "data has dtype bool"),
        ([0], np.zeros((1, 3), np.uint8), None, InvalidColumnError, "data has 2 dimensions; expected 1"),
        ([0, 1], b"abc", [1], InvalidTypeError, "validity has dtype int64"),
        ([0, 1], b"abc", [True, False], InvalidColumnError, r"validity of shape \(2,\); expected a bool for each of 1"),
        ([0, 1], b"abc", [[True]], InvalidColumnError, r"validity of shape \(1, 1\)"),
        ([0, 1], b"abc", b"", InvalidColumnError, "bitmap of 0 bytes; expected 1"),
        ([0] * 10, b"", b"\xff", InvalidColumnError, "bitmap of 1 bytes; expected 2"),
        ([0, 1], b"abc", 7, InvalidTypeError, "validity is of type int"),
    ],
)
def test_unusable_arguments_are_refused(offsets, data, validity, error, message):
    """Wrong types and wrong shapes, told apart."""
    with pytest.raises(error, match=message):
        StringColumn(offsets, data, validity)


# Values out


@given(TEXTS)
def test_text_comes_back(values):
    """Text as a list, one by one and iterated, among junk that is no text."""
    column = column_of(values, under_nulls=b"\xff?", before=b"\xbf", after=b"\xe2\x82")
    assert column.to_pylist() == list(column) == values
    assert [column[i] for i in range(len(values))] == values
    assert column.null_count == values.count(None)
    column.validate()


@given(BYTE_STRINGS)
def test_byte_strings_come_back(values):
    """Bytes as a list, one by one from the end and iterated, among junk."""
    column = column_of(values, utf8=False, under_nulls=b"\xff?", before=b"\xbf")
    assert column.to_pylist() == list(column) == values
    assert [column[i - len(values)] for i in range(len(values))] == values
    column.validate()


def test_values_come_back_over_several_chunks(monkeypatch):
    """The cut between two chunks shows neither in values nor in the index of a fault."""
    monkeypatch.setattr(string_column, "_CHUNK", 3)
    values = ["a", None, "ü", "", "b", None, None, None, "c", "d"]
    assert list(column_of(values, under_nulls=b"\xff")) == values
    column = StringColumn(range(9), b"abcdefg\xff")
    with pytest.raises(InvalidColumnError, match="value 7 is") as caught:
        list(column)
    assert caught.value.index == 7


@pytest.mark.parametrize("index", [0, 2, -5, -3, np.int8(0), np.uint64(2), np.array(2)])
def test_an_index_may_be_any_integer(index):
    """NumPy's integers count, and negative ones count from the end."""
    assert column_of(AXES)[index] == AXES[int(index)]


@pytest.mark.parametrize("index", [5, -6, 2**70, np.int64(5)])
def test_an_index_out_of_range(index):
    """One past either end, and far out."""
    with pytest.raises(IndexError, match="of a StringColumn of 5 values"):
        column_of(AXES)[index]


@pytest.mark.parametrize("index", [True, np.True_, 1.0, "1", None, (1,), [1], np.array([1, 2])])
def test_an_index_of_another_type(index):
    """A bool is no index, nor is an array."""
    with pytest.raises(TypeError):
        column_of(AXES)[index]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (["axis", "axle", None, "axes", "b"], "StringColumn(utf8, 5 values, 1 null: ['axis', 'axle', None, …])"),
        ([None, None], "StringColumn(utf8, 2 values, 2 nulls: [None, None])"),
        (["a"], "StringColumn(utf8, 1 value: ['a'])"),
        ([], "StringColumn(utf8, 0 values: [])"),
    ],
)
def test_repr(values, shown):
    """Kind, counts and the first values."""
    assert repr(column_of(values)) == shown


def test_repr_is_short_and_never_fails():
    """Long values are cut and invalid text is escaped."""
    assert repr(StringColumn([0, 2], b"a\xff", utf8=False)) == r"StringColumn(binary, 1 value: [b'a\xff'])"
    assert "\\xff" in repr(StringColumn([0, 2], b"a\xff"))
    assert len(repr(StringColumn([0, 10**4, 2 * 10**4], b"x" * 2 * 10**4))) < 120


# Slices


@given(TEXTS, BOUNDS, BOUNDS, st.none() | st.integers(-4, 4).filter(bool), st.booleans())
def test_slices_are_those_of_a_list(values, start, stop, step, nullable):
    """Any start, stop and step, with nulls and without."""
    values = values if nullable else [value or "" for value in values]
    column = column_of(values, under_nulls=b"\xff", before=b"...")
    sliced, expected = column[start:stop:step], values[start:stop:step]
    assert sliced.to_pylist() == expected
    assert [sliced[i] for i in range(len(expected))] == expected
    assert sliced.null_count == expected.count(None)
    assert sliced == column_of(expected)
    assert StringColumn(sliced.offsets, sliced.data, sliced.validity) == sliced
    sliced.validate()


@given(TEXTS, *[st.integers(0, 45)] * 4)
def test_slices_of_slices(values, start, stop, inner_start, inner_stop):
    """A bitmap that starts inside a byte twice over, shown from bit 0."""
    column = column_of(values)[start:stop][inner_start:inner_stop]
    assert column.to_pylist() == values[start:stop][inner_start:inner_stop]
    assert column.validity.shape == ((len(column) + 7) // 8,)
    assert np.unpackbits(column.validity, count=len(column), bitorder="little").tolist() == [
        value is not None for value in column
    ]


def test_a_slice_copies_nothing():
    """Offsets, data and bitmap are shared, at whole bytes of the bitmap even in what is shown."""
    column = column_of([None if i % 5 == 0 else str(i) for i in range(1000)])
    for start in (0, 3, 8, 501):
        sliced = column[start:900]
        assert np.shares_memory(sliced.offsets, column.offsets)
        assert sliced.data is column.data
        assert np.shares_memory(sliced._bitmap, column.validity)
    assert np.shares_memory(column[16:].validity, column.validity)
    assert not column[3:].validity.flags.writeable


def test_a_slice_knows_that_it_has_no_nulls():
    """Counted before the parent was, and after; and without a bitmap at all."""
    column = column_of(["a", "b", "c"])
    assert column[1:].null_count == 0
    assert column.null_count == 0
    assert column[1:].null_count == 0
    assert StringColumn([0, 1, 2], b"ab").validity is None
    assert StringColumn([0, 1, 2], b"ab")[::-1].validity is None


def test_nbytes_counts_the_slice_alone():
    """Data, offsets and bitmap of the values in the slice."""
    column = column_of(["abc", None, "de"] * 10, before=b"....")
    assert column.nbytes == 5 * 10 + 31 * 8 + 4
    assert column[3:5].nbytes == 3 + 3 * 8 + 1
    assert StringColumn([1, 2], b"abc").nbytes == 1 + 2 * 8


# Equality


@given(TEXTS, TEXTS)
def test_equality_is_that_of_lists(values, others):
    """Equal exactly where the lists are."""
    assert (column_of(values) == column_of(others)) is (values == others)
    assert (column_of(values) != column_of(others)) is (values != others)


@given(TEXTS, st.binary(max_size=3), st.binary(max_size=3), st.binary(max_size=4))
def test_equality_sees_values_not_layouts(values, under_nulls, before, after):
    """What lies under nulls, before and after the values does not count."""
    plain = column_of(values)
    other = column_of(values, under_nulls=under_nulls, before=before, after=after)
    assert plain == other
    if None not in values:
        assert plain == StringColumn(plain.offsets, plain.data)


@pytest.mark.parametrize(
    ("values", "others"),
    [
        (["a", "bc"], ["ab", "c"]),
        (["", "a"], ["a", ""]),
        ([None, ""], ["", None]),
        ([None], [""]),
        (["a"], ["a", "a"]),
        (["ab"], ["ac"]),
        ([None, "a", "b"], [None, "a", "c"]),
    ],
)
def test_columns_that_look_alike_are_not_equal(values, others):
    """The same bytes cut elsewhere, a null beside an empty value."""
    assert column_of(values, under_nulls=b"") != column_of(others, under_nulls=b"")


def test_text_is_not_bytes():
    """The same bytes as utf8 and as binary, and no bytes at all."""
    assert column_of(["a"]) != column_of([b"a"], utf8=False)
    assert column_of([]) != column_of([], utf8=False)


def test_other_types_are_not_equal_and_columns_not_hashable():
    """A list gets its say; a set cannot hold columns."""
    assert column_of(["a"]).__eq__(["a"]) is NotImplemented
    assert column_of(["a"]) != ["a"]
    with pytest.raises(TypeError, match="unhashable"):
        hash(column_of(["a"]))


# Pickles and copies


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda column: pickle.loads(pickle.dumps(column))])
@pytest.mark.parametrize("utf8", [True, False])
def test_pickles_and_copies(again, utf8):
    """Of a slice whose bitmap starts inside a byte."""
    values = ["a", None, "", "ü"] * 5 if utf8 else [b"a", None, b"", b"\xff"] * 5
    column = column_of(values, utf8=utf8)[3:]
    found = again(column)
    assert found == column
    assert found.to_pylist() == values[3:]
    assert (found.utf8, found.data.flags.writeable, found.offsets[0]) == (utf8, False, 0)


def test_a_pickled_slice_leaves_the_rest_at_home():
    """Ten values take no more than ten values' bytes."""
    column = StringColumn(range(100_001), bytes(100_000), np.ones(100_000, np.bool_))
    assert len(pickle.dumps(column[5000:5010])) < 1000


# Validation


@pytest.mark.parametrize(
    ("values", "index"),
    [
        ([b"\xc3", b"\xa9"], 0),  # one character over two values
        ([b"a", b"\xe2\x82", b"\xac"], 1),
        ([b"\xc3", b"", b"\xa9"], 0),
        ([b"ok", b"\xf0\x9f", b"\x92\xa9", b"ok"], 1),
        ([b"\xa9"], 0),  # a continuation byte alone
        ([b"ok", b"\xc0\x80"], 1),  # overlong
        ([b"ok", b"\xe0\x80\x80"], 1),
        ([b"\xed\xa0\x80"], 0),  # a surrogate
        ([b"a", b"b", b"\xf4\x90\x80\x80"], 2),  # above U+10FFFF
        ([b"\xff", b"\xfe"], 0),
        ([None, b"a", None, b"\xff", None], 3),
        ([b"a"] * 100 + [b"\xff"] + [b"a"] * 100 + [b"\xff"], 100),
    ],
)
@pytest.mark.parametrize("under_nulls", [b"", b"\xff"])
def test_invalid_text_is_found_by_value(values, index, under_nulls):
    """Cut characters, overlong forms, surrogates: each way to read says which value."""
    binary = column_of(values, utf8=False, under_nulls=under_nulls)
    binary.validate()
    column = StringColumn(binary.offsets, binary.data, binary.validity)
    for read in (column.validate, column.to_pylist, lambda: column[index]):
        with pytest.raises(InvalidColumnError, match=rf"value {index} is b'.*; expected valid UTF-8") as caught:
            read()
        assert caught.value.index == index


@given(st.lists(st.binary(max_size=3) | st.sampled_from(["é", "€", "🪓"]).map(str.encode), max_size=30))
def test_the_first_invalid_value_is_found(values):
    """The same answer as decoding value by value."""
    column = column_of(values, utf8=False)
    expected = next((i for i, value in enumerate(values) if value.decode(errors="replace").encode() != value), -1)
    assert find_invalid(column.offsets, column.data) == expected


def test_a_long_invalid_value_is_cut_in_the_message():
    """A message is for reading."""
    with pytest.raises(InvalidColumnError) as caught:
        StringColumn([0, 10**4], b"\xff" * 10**4).validate()
    assert len(str(caught.value)) < 250


def test_bytes_outside_of_the_slice_do_not_count():
    """Invalid neighbours do not make a slice invalid."""
    column = StringColumn([0, 1, 2, 3], b"\xffa\xff")
    column[1:2].validate()
    assert column[1:2].to_pylist() == ["a"]


def test_validate_sees_what_was_written_since():
    """Whoever made the arrays can still write to them."""
    offsets = np.array([0, 1, 2])
    column = StringColumn._trusted(offsets, np.frombuffer(b"ab", np.uint8))
    offsets[1] = 9
    with pytest.raises(InvalidColumnError, match=r"offsets\[2\] is 2, below offsets\[1\]"):
        column.validate()


def test_validate_checks_what_was_trusted():
    """Columns made without a check."""
    offsets, data = np.array([0] * 10), np.zeros(0, np.uint8)
    with pytest.raises(InvalidColumnError, match="bitmap of 1 bytes; expected 2"):
        StringColumn._trusted(offsets, data, np.zeros(1, np.uint8)).validate()
    with pytest.raises(InvalidColumnError, match="past the end"):
        StringColumn._trusted(np.array([0, 1]), data).validate()


@pytest.mark.parametrize("offsets", [[0, 2**40, 2, 3], [-8, 0, 1, 3], [0, 3, 1, 3], [0, 1, 2, 4]])
def test_a_step_checks_what_was_trusted(offsets):
    """Before it makes room for as many bytes as the offsets tell of, or looks for bytes that there are not."""
    column = StringColumn._trusted(np.array(offsets), np.zeros(3, np.uint8))
    with pytest.raises(InvalidColumnError, match="expected"):
        column[::2]
    with pytest.raises(InvalidColumnError, match="expected"):
        column[::-1]


def test_to_numpy_is_that_of_convert():
    """The method, its default kind and its fill."""
    column = column_of(["a", None])
    assert column.to_numpy().dtype == np.dtypes.StringDType(na_object=None)
    assert column.to_numpy().tolist() == ["a", None]
    assert column.to_numpy("U", fill="-").tolist() == ["a", "-"]


def test_numpy_takes_a_column():
    """As objects, so that NULs at the ends stay; or as what is asked for."""
    column = column_of(["a\0", None, "b"])
    assert np.asarray(column).dtype == object
    assert np.array(column, copy=True).tolist() == ["a\0", None, "b"]
    assert np.asarray(column, np.dtypes.StringDType(na_object=None)).tolist() == ["a\0", None, "b"]
    assert np.asarray(column_of(["a", "bc"]), "U").tolist() == ["a", "bc"]
    with pytest.raises(ValueError, match="always a new one"):
        np.asarray(column, copy=False)


def test_a_bitmap_that_is_written_to_afterwards_harms_nothing():
    """Whoever made the arrays may still write to them: the number of nulls that was counted before is not believed."""
    size = 1000
    bitmap = np.zeros(size // 8, np.uint8)
    column = StringColumn._trusted(np.arange(size + 1), (np.arange(size) % 251).astype(np.uint8), bitmap, utf8=False)
    assert column.null_count == size
    bitmap[:] = 0xFF
    offsets, data = column._present()
    assert offsets.tolist() == list(range(size + 1))
    assert data.tolist() == [i % 251 for i in range(size)]
