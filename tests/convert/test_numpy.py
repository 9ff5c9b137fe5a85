"""NumPy arrays in and out, against plain Python lists: strides, byte orders, NULs, nulls, faults."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import BYTES, LAYOUTS, TEXT, laid_out

from colcodec.convert.fixed_width import from_slots
from colcodec.convert.numpy import from_numpy, to_numpy
from colcodec.convert.objects import from_list
from colcodec.errors import InvalidColumnError, InvalidTypeError
from colcodec.string_column import StringColumn

StringDType = np.dtypes.StringDType

# Arrays of fixed width


@given(st.lists(TEXT, max_size=30), LAYOUTS)
def test_text_of_fixed_width(values, layout):
    """U in any layout."""
    column = from_numpy(laid_out(np.array(values, np.str_), layout))
    assert column.to_pylist() == [value.rstrip("\0") for value in values]
    assert (column.utf8, column.validity) == (True, None)
    column.validate()


@given(st.lists(BYTES, max_size=30), LAYOUTS)
def test_bytes_of_fixed_width(values, layout):
    """S in any layout."""
    column = from_numpy(laid_out(np.array(values, np.bytes_), layout))
    assert column.to_pylist() == [value.rstrip(b"\0") for value in values]
    assert (column.utf8, column.validity) == (False, None)
    column.validate()


def test_trailing_nuls_are_padding_and_others_are_text():
    """What other converters cut at the first NUL (arrow#41388)."""
    assert from_numpy(np.array(["a\0b", "\0x", "a\0\0", "", "abc"])).to_pylist() == ["a\0b", "\0x", "a", "", "abc"]
    assert from_numpy(np.array([b"a\0b", b"\0x", b"a\0\0", b""])).to_pylist() == [b"a\0b", b"\0x", b"a", b""]


@pytest.mark.parametrize("dtype", ["S0", "U0", "S1", ">U1"])
@pytest.mark.parametrize("num_values", [0, 1, 3])
def test_values_of_no_width(dtype, num_values):
    """An itemsize of 0, in a strided array."""
    array = np.zeros(2 * num_values, np.dtype([("a", "i4"), ("text", dtype)]))["text"][::2]
    assert array.dtype == dtype  # np.zeros itself would widen S0 to S1
    column = from_numpy(array)
    assert column.to_pylist() == [b"" if dtype[0] == "S" else ""] * num_values
    column.validate()


def test_a_field_and_a_transposed_row():
    """Memory that is neither aligned nor contiguous."""
    table = np.array([(1, "ü"), (2, "bc")], [("number", "i1"), ("text", ">U3")])  # unaligned, too
    assert from_numpy(table["text"]).to_pylist() == ["ü", "bc"]
    assert from_numpy(np.array([["a", "b"], ["c", "d"]]).T[0]).to_pylist() == ["a", "c"]


@pytest.mark.parametrize("point", [0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF])
@pytest.mark.parametrize("byte_order", "<>")
def test_code_points_that_are_no_text(point, byte_order):
    """Surrogates and what is above Unicode, which a view can put into U."""
    points = np.array([[0x61, 0], [0x61, 0x61], [0, 0], [0x61, point], [point, 0]], f"{byte_order}u4")
    with pytest.raises(
        InvalidColumnError, match=rf"value 3 holds the code point {point:#x}; expected Unicode"
    ) as caught:
        from_numpy(points.view(f"{byte_order}U2").ravel())
    assert caught.value.index == 3


@pytest.mark.parametrize("point", [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFEFF, 0xFFFF, 0x10000, 0x10FFFF])
def test_code_points_at_the_edges(point):
    """The first and last code point of each UTF-8 width, and the byte order mark."""
    assert from_numpy(np.array(["a", chr(point) * 2, "é"])).to_pylist() == ["a", chr(point) * 2, "é"]


# StringDType


@given(st.lists(TEXT | st.none(), max_size=30), LAYOUTS)
def test_string_dtype(values, layout):
    """StringDType in any layout."""
    column = from_numpy(laid_out(np.array(values, StringDType(na_object=None)), layout))
    assert column.to_pylist() == values
    assert column.utf8


@pytest.mark.parametrize(
    "na_object", [None, np.nan, float("nan"), pd.NA, 7, object()], ids=["None", "nan", "nan1", "NA", "7", "object"]
)
def test_na_object_is_null(na_object):
    """Whatever the missing value is, text that spells it stays text."""
    array = np.array(["a", na_object, "nan", "NA"], StringDType(na_object=na_object))
    assert from_numpy(array).to_pylist() == ["a", None, "nan", "NA"]


@pytest.mark.parametrize("na_object", ["", "NA"])
def test_na_object_that_is_text_stays_text(na_object):
    """NumPy itself reports such a missing value as its text."""
    column = from_numpy(np.array(["a", na_object], StringDType(na_object=na_object)))
    assert column.to_pylist() == ["a", na_object]
    assert column.null_count == 0


# Slots of arrays of fixed width


@pytest.mark.parametrize("kind", ["S", "V"])
@given(st.lists(st.binary(min_size=3, max_size=3) | st.sampled_from([b"a\0\0", bytes(3)]), max_size=30), LAYOUTS)
def test_slots_are_taken_whole(kind, values, layout):
    """NULs at the end included, in any layout."""
    column = from_slots(laid_out(np.array(values, "S3").view(f"{kind}3"), layout), 3)
    assert column.to_pylist() == values
    assert (column.utf8, column.validity) == (False, None)


def test_slots_are_not_copied():
    """Where they are contiguous; else they have to be."""
    for array in (np.array([b"abc", b"ab", b""]), np.array([b"abc", b"ab", b""]).view("V3")):
        assert np.shares_memory(from_slots(array, 3).data, array)
        assert np.shares_memory(from_slots(array[1:], 3).data, array)
        assert from_slots(array[::2], 3).data.tobytes() == b"abc\0\0\0"


def test_masked_slots_are_null_and_others_whole():
    """What lies under a mask stays where it is."""
    array = np.ma.MaskedArray(np.array([b"abc", b"a", b"xyz"]), [False, False, True])
    assert from_slots(array, 3).to_pylist() == [b"abc", b"a\0\0", None]
    assert from_slots(np.ma.MaskedArray(array.data), 3).validity is None


def test_slots_of_another_length_are_refused():
    """The length is the array's, whatever its values look like; an array without values has none."""
    for dtype in ("S2", "S4", "V4"):
        with pytest.raises(
            InvalidColumnError, match=rf"value 0 has {dtype[1]} bytes, as all of dtype .*; expected 3"
        ) as caught:
            from_slots(np.array([b"ab", b"c"], "S").astype("S4").astype(dtype), 3)
        assert caught.value.index == 0
        assert from_slots(np.empty(0, dtype), 3).to_pylist() == []


def test_slots_with_fields_are_refused():
    """Fields may have gaps between them, or hold objects."""
    with pytest.raises(
        InvalidTypeError, match=r"with the fields a, b; expected plain bytes \(see its \.view\('V3'\)\)"
    ):
        from_slots(np.zeros(2, [("a", "S1"), ("b", "i2")]), 3)
    with pytest.raises(InvalidColumnError, match="of 2 dimensions; expected 1"):
        from_slots(np.zeros((2, 2), "S3"), 3)


# Arrays that are no string columns, or only with a mask


@pytest.mark.parametrize("shape", [(), (1, 2), (2, 0)])
@pytest.mark.parametrize("dtype", ["S2", "U2", object, StringDType(), "f8"])
def test_arrays_of_other_dimensions_are_refused(shape, dtype):
    """Zero and two dimensions, of any dtype."""
    with pytest.raises(InvalidColumnError, match=rf"of {len(shape)} dimensions; expected 1 \(see its .ravel\(\)\)"):
        from_numpy(np.zeros(shape, dtype))


@pytest.mark.parametrize("dtype", ["i4", "f8", "?", "c16", "M8[s]", "V3", [("a", "S1")]])
def test_arrays_of_other_dtypes_are_refused(dtype):
    """Numbers, dates, raw bytes, records; and what is no array."""
    with pytest.raises(InvalidTypeError, match="expected S, U, StringDType or object"):
        from_numpy(np.zeros(2, dtype))
    with pytest.raises(InvalidTypeError, match="got a list; expected a NumPy array"):
        from_numpy([1])


@pytest.mark.parametrize("dtype", ["U2", ">U3", StringDType(), StringDType(na_object=None), object])
def test_masked_slots_are_null(dtype):
    """For every dtype; the masked array itself is left alone."""
    array = np.ma.MaskedArray(np.array(["a", "b", "", "c"], dtype), [False, True, True, False])
    assert from_numpy(array).to_pylist() == ["a", None, None, "c"]
    assert array.data.tolist() == ["a", "b", "", "c"]
    assert from_numpy(np.ma.MaskedArray(np.array(["a"], dtype))).to_pylist() == ["a"]


def test_what_lies_under_a_mask_does_not_matter():
    """Not even if it could be no value at all."""
    points = np.array([0x61, 0xD800], np.uint32).view("U1")
    assert from_numpy(np.ma.MaskedArray(points, [False, True])).to_pylist() == ["a", None]
    objects = np.ma.MaskedArray(np.array([None, 5, "a", b"b"], object), [False, True, False, True])
    assert from_numpy(objects).to_pylist() == [None, None, "a", None]
    assert from_numpy(np.ma.MaskedArray(np.array([b"a", b"b"]), [True, False])).to_pylist() == [None, b"b"]
    missing = np.ma.MaskedArray(np.array(["a", None, "b"], StringDType(na_object=None)), [False, False, True])
    assert from_numpy(missing).to_pylist() == ["a", None, None]


# The way out


@given(st.lists(TEXT | st.none(), max_size=30))
def test_text_goes_out_and_comes_back(values):
    """As StringDType and as objects, with nulls and with a fill."""
    column = from_list(values)
    for kind, dtype in (("T", StringDType(na_object=None)), ("O", np.dtype(object))):
        array = to_numpy(column, kind, None)
        assert array.dtype == dtype
        assert array.tolist() == values
        assert from_numpy(array) == column
        assert to_numpy(column, kind, "x").tolist() == ["x" if value is None else value for value in values]


@given(st.lists(BYTES | st.none(), max_size=30))
def test_bytes_go_out_and_come_back(values):
    """As objects."""
    column = from_list([*values, b"!"])
    array = to_numpy(column, "O", None)
    assert array.tolist() == [*values, b"!"]
    assert from_numpy(array) == column


@given(st.lists(TEXT.map(lambda value: value.rstrip("\0")), max_size=30))
def test_fixed_width_goes_out_and_comes_back(values):
    """As U and as S."""
    column = from_list(values)
    array = to_numpy(column, "U", None)
    assert array.dtype.kind == "U"
    assert array.tolist() == values
    assert from_numpy(array) == column
    array = to_numpy(column, "S", None)
    assert array.dtype.kind == "S"
    assert array.tolist() == [value.encode() for value in values]
    assert from_numpy(array).to_pylist() == array.tolist()


@pytest.mark.parametrize("kind", "US")
def test_fixed_width_holds_no_nulls_without_fill(kind):
    """The error names the null; a fill may be wider than every value."""
    column = from_list(["a", None, "é"])
    with pytest.raises(InvalidColumnError, match=f"value 1 is null, which dtype {kind} cannot hold") as caught:
        to_numpy(column, kind, None)
    assert caught.value.index == 1
    assert to_numpy(column, "U", "long fill").tolist() == ["a", "long fill", "é"]
    assert to_numpy(column, "S", b"\xff").tolist() == [b"a", b"\xff", "é".encode()]
    assert to_numpy(column, "S", "ü").tolist() == [b"a", "ü".encode(), "é".encode()]


@pytest.mark.parametrize("kind", "US")
@pytest.mark.parametrize("values", [["a", "b\0c", "d\0"], [b"a", b"", b"\0"]])
def test_fixed_width_refuses_values_that_would_not_come_back(kind, values):
    """NumPy drops NULs at the end, of a fill too."""
    with pytest.raises(InvalidColumnError, match="value 2 ends in NUL") as caught:
        to_numpy(from_list(values), kind, None)
    assert caught.value.index == 2
    with pytest.raises(InvalidColumnError, match="value 1 ends in NUL"):
        to_numpy(from_list(["a", None]), kind, "x\0")


@pytest.mark.parametrize("kind", "TU")
def test_bytes_go_out_as_text_if_they_are_text(kind):
    """A binary column as text, or the index of what is none."""
    column = from_list(["é".encode(), b"a"])
    assert to_numpy(column, kind, None).tolist() == ["é", "a"]
    with pytest.raises(InvalidColumnError, match=r"value 1 is b'.xff'; expected valid UTF-8") as caught:
        to_numpy(from_list([None, b"\xff"]), kind, "x")
    assert caught.value.index == 1


def test_objects_are_of_the_column_s_own_kind():
    """Text of utf8, bytes of binary; S takes either as bytes."""
    assert to_numpy(from_list([b"a", None]), "O", b"x").tolist() == [b"a", b"x"]
    assert to_numpy(StringColumn([0, 1], b"\xff", utf8=False), "S", None).tolist() == [b"\xff"]
    with pytest.raises(InvalidColumnError, match="value 0"):
        to_numpy(StringColumn([0, 1], b"\xff"), "O", None)
    assert to_numpy(StringColumn([0, 1], b"\xff"), "S", None).tolist() == [b"\xff"]


@pytest.mark.parametrize(
    ("kind", "fill", "message"),
    [
        ("T", b"x", "fill is b'x' of type bytes; expected str"),
        ("U", b"x", "expected str"),
        ("O", b"x", "expected str"),
        ("S", 5, "fill is 5 of type int; expected bytes"),
        ("T", 5, "expected str"),
    ],
)
def test_fill_of_another_type_is_refused(kind, fill, message):
    """Even if there is nothing to fill."""
    with pytest.raises(InvalidTypeError, match=message):
        to_numpy(from_list(["a"]), kind, fill)


@pytest.mark.parametrize("kind", ["T", "U", "S", "O"])
def test_fill_that_is_no_text_is_refused(kind):
    """Lone surrogates come out of no column."""
    with pytest.raises(ValueError, match=r"fill is 'a.ud800' of type str; expected Unicode text"):
        to_numpy(from_list(["a", None]), kind, "a\ud800")


@pytest.mark.parametrize("kind", ["T", "U", "S", "O"])
def test_fill_of_a_subclass_is_what_it_holds(kind):
    """Whatever its methods say."""

    class Fill(bytes if kind == "S" else str):
        def __len__(self):
            return 1

        def __str__(self):
            return "lie"

        def __bytes__(self):
            return b"lie"

    fill = b"long fill" if kind == "S" else "long fill"
    filled = to_numpy(from_list([fill[:1], None]), kind, Fill(fill)).tolist()
    assert filled == [fill[:1], fill]
    assert type(filled[1]) is type(fill)


@pytest.mark.parametrize(
    "dtype", ["X", "", "TU", None, "<U5", int, list, [], np.dtype("S3"), StringDType(na_object=7)], ids=repr
)
def test_other_dtypes_are_not_made(dtype):
    """The message has the four that there are."""
    with pytest.raises(ValueError, match="expected one of 'T', 'U', 'S', 'O'"):
        to_numpy(from_list(["a"]), dtype, None)


@pytest.mark.parametrize(
    ("kind", "dtypes"),
    [
        ("T", [StringDType, StringDType(), StringDType(na_object=None)]),
        ("U", [str, np.dtype("U"), np.dtype(str)]),
        ("S", [bytes, np.dtype("S")]),
        ("O", [object, np.dtype(object)]),
    ],
)
def test_dtypes_by_other_names(kind, dtypes):
    """As NumPy has them."""
    for dtype in dtypes:
        array = from_list(["a", "bc"]).to_numpy(dtype=dtype)
        assert array.dtype == to_numpy(from_list(["a", "bc"]), kind, None).dtype


def test_sliced_columns_go_out():
    """Only the slice, with its nulls."""
    column = from_list(["a", None, "é", "d", None, "f"])[1:5]
    assert to_numpy(column, "T", None).tolist() == [None, "é", "d", None]
    assert to_numpy(column, "U", "").tolist() == ["", "é", "d", ""]
