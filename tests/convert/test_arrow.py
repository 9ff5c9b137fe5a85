"""Arrow data of every library to columns and back: against plain Python, with the memory that is shared and kept."""

import gc
import struct
import subprocess
import sys
import uuid
import weakref
from pathlib import Path

import duckdb
import nanoarrow as na
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nanoarrow.c_array_stream import CArrayStream
from strategies import byte_columns, text_columns

import colcodec as cc
from colcodec.convert.arrow import from_arrow

TEXT_TYPES = (pa.string(), pa.large_string(), pa.string_view())
BYTES_TYPES = (pa.binary(), pa.large_binary(), pa.binary_view())
INDEX_TYPES = (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64())
TYPES = (*TEXT_TYPES, *BYTES_TYPES, *[pa.dictionary(index, pa.string()) for index in INDEX_TYPES])
TYPES += tuple(pa.dictionary(pa.int16(), kind) for kind in (pa.large_string(), *BYTES_TYPES[:2]))

COLUMNS = {
    "empty": [],
    "nothing": [None] * 20,
    "one": ["é"],
    "short": ["a", "", "123456789012"] * 40,
    "long": ["1234567890123", "x" * 100, "日本語🎈" * 9] * 40,
    "mixed": ["axis", None, "", "babble" * 7, "a\0b", None, "\0", "123456789012", "1234567890123", "🎈"] * 13,
}
SLICES = (slice(None), slice(1, None), slice(3, -2), slice(9, 20), slice(5, 5))


def is_binary(kind):
    """Tell whether an Arrow type, or that of a dictionary, is of bytes."""
    kind = getattr(kind, "value_type", kind)
    return "binary" in str(kind)


def encoded(values):
    """Encode text."""
    return [None if value is None else value.encode() for value in values]


class Wrapped:
    """An object that offers nothing but an array, or a stream."""

    def __init__(self, array, method):
        setattr(type(self), method, lambda self, requested_schema=None: getattr(array, method)(requested_schema))


# --- The way in ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.parametrize("name", COLUMNS)
def test_arrays_and_streams_of_pyarrow(kind, name):
    """Of every type; whole, sliced, in chunks, without chunks."""
    values = encoded(COLUMNS[name]) if is_binary(kind) else COLUMNS[name]
    array = pa.array(values, kind)
    chunks = []
    for part in SLICES:
        column = from_arrow(array[part])
        assert column.to_pylist() == values[part]
        assert column.utf8 is not is_binary(kind)
        column.validate()
        assert from_arrow(pa.chunked_array([array[part]])) == column
        chunks.append(array[part])
        assert from_arrow(pa.chunked_array(chunks, kind)).to_pylist() == [
            value for chunk in chunks for value in chunk.to_pylist()
        ]
    none = from_arrow(pa.chunked_array([], kind))
    assert (len(none), none.utf8) == (0, not is_binary(kind))


@pytest.mark.parametrize("name", COLUMNS)
def test_other_producers(name):
    """As each of them holds strings: polars as views, pandas as it likes, DuckDB, nanoarrow."""
    values = COLUMNS[name]
    strings = pa.table({"column": pa.array(values, pa.string())})
    categories = [value for value in dict.fromkeys(values) if value is not None]
    for make in (
        lambda: pl.Series(values, dtype=pl.String),
        lambda: pl.Series(values, dtype=pl.Categorical),
        lambda: pl.Series(values, dtype=pl.Enum(categories)),
        lambda: pd.Series(values, dtype="str"),
        lambda: pd.Series(values, dtype="string[pyarrow]"),
        lambda: pd.Series(pd.Categorical(values, pd.Index(categories, dtype="str"))),
        lambda: pd.Series(values, dtype=pd.ArrowDtype(pa.string_view())),
        lambda: duckdb.from_arrow(strings).to_arrow_table()["column"],
        lambda: na.Array(values, na.string()),
        lambda: na.Array(values, na.large_string()),
        lambda: na.c_array(values, na.string_view()),
        lambda: na.ArrayStream(na.Array(values, na.string())),
    ):
        column = cc.column(make())
        assert column.to_pylist() == values
        assert column.utf8
    assert cc.column(pl.Series(encoded(values), dtype=pl.Binary)).to_pylist() == encoded(values)
    for part in SLICES:
        assert cc.column(pl.Series(values, dtype=pl.String)[part]).to_pylist() == values[part]
        assert cc.column(pl.Series(values, dtype=pl.Categorical)[part]).to_pylist() == values[part]
        assert cc.column(pd.Series(values, dtype="str")[part]).to_pylist() == values[part]
    both = pl.concat([pl.Series(values, dtype=pl.String)[1:], pl.Series(["behind"])], rechunk=False)
    assert cc.column(both).to_pylist() == [*values[1:], "behind"]


def test_only_what_an_object_offers_is_called():
    """An array or a stream; without a requested schema, or with None for it."""
    array = pa.array(["a", None])
    assert from_arrow(Wrapped(array, "__arrow_c_array__")).to_pylist() == ["a", None]
    assert from_arrow(Wrapped(pa.chunked_array([array]), "__arrow_c_stream__")).to_pylist() == ["a", None]


@given(text_columns() | byte_columns(), st.data())
def test_slices(values, data):
    """Of arrays of any type, at any bit of the bitmap, sliced twice, and chunks of such slices."""
    text = any(isinstance(value, str) for value in values)
    kinds = (*TEXT_TYPES, pa.dictionary(pa.int16(), pa.string())) if text else BYTES_TYPES
    array = pa.array(values, data.draw(st.sampled_from(kinds)))
    chunks = []
    for _ in range(data.draw(st.integers(1, 3))):
        start, length = data.draw(st.integers(0, len(values))), data.draw(st.integers(0, len(values)))
        again = data.draw(st.integers(0, 9))
        chunk = array.slice(start, length).slice(again)
        assert from_arrow(chunk).to_pylist() == values[start : start + length][again:]
        chunks.append(chunk)
    column = from_arrow(pa.chunked_array(chunks))
    assert column.to_pylist() == [value for chunk in chunks for value in chunk.to_pylist()]
    assert column.null_count == sum(value is None for value in column)


@pytest.mark.parametrize("length", [0, 1, 5, 16])
def test_fixed_size_binary(length):
    """Bytes are shared, of a slice as well; nulls have bytes too. Such a column can be a FIXED_LEN_BYTE_ARRAY."""
    values = [bytes([i] * length) if i % 3 else None for i in range(20)]
    array = pa.array(values, pa.binary(length))
    column = from_arrow(array[3:18])
    assert column.to_pylist() == values[3:18]
    assert from_arrow(pa.chunked_array([array, array[7:]])).to_pylist() == [*values, *values[7:]]
    if length:
        assert column.data.ctypes.data == array.buffers()[1].address + 3 * length
        assert cc.decode(cc.encode(array, "BYTE_STREAM_SPLIT", type_length=length)).to_pylist() == values


def test_null_type():
    """Nothing but nulls is text; so are the values of a dictionary without any."""
    for array in (pa.nulls(11), pa.nulls(11)[2:], pa.nulls(0), pa.chunked_array([pa.nulls(3), pa.nulls(4)])):
        column = cc.column(array)
        assert column.to_pylist() == [None] * len(array)
        assert (column.utf8, column.null_count) == (True, len(array))
    empty = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int8()), pa.array([], pa.string()))
    assert cc.column(empty).to_pylist() == [None, None]
    assert cc.column(pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.nulls(1))).to_pylist() == [None, None]


def test_dictionaries():
    """Nulls in the indices and in a dictionary, which may be a slice, and the indices too."""
    words = pa.array(["never", "on", None, "off" * 9, "never"])[1:4]
    array = pa.DictionaryArray.from_arrays(pa.array([2, None, 1, 0, 0, None, 2], pa.uint8()), words)
    expected = ["off" * 9, None, None, "on", "on", None, "off" * 9]
    for part in (slice(None), slice(1, 5), slice(3, None)):
        assert cc.column(array[part]).to_pylist() == expected[part]
    views = pa.DictionaryArray.from_arrays(array.indices, words.cast(pa.string_view()))
    assert cc.column(views).to_pylist() == expected
    other = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.uint8()), pa.array(["a", "b"]))
    assert cc.column(pa.chunked_array([array, other])).to_pylist() == [*expected, "a", "b"]


def dictionary_of(dtype, indices, validity=None, words=("a", "b")):
    """Make a dictionary array, with indices that pyarrow would refuse."""
    kind = pa.from_numpy_dtype(dtype)
    buffers = [None if validity is None else pa.py_buffer(bytes([validity])), pa.py_buffer(np.array(indices, dtype))]
    places = pa.Array.from_buffers(kind, len(indices), buffers)
    return pa.DictionaryArray.from_arrays(places, pa.array(words, pa.string()), safe=False)


@pytest.mark.parametrize(
    ("dtype", "wild"), [("i1", -1), ("i8", 2), ("u8", 2**64 - 1), ("u4", 2**32 - 1), ("i8", 2**32)]
)
def test_indices_outside_of_the_dictionary(dtype, wild):
    """They have an index in all the chunks; under a null they may be anything."""
    bad = dictionary_of(dtype, [0, 1, wild])
    with pytest.raises(cc.InvalidColumnError, match=r"value 2 has the index .* 2 values") as caught:
        cc.column(bad)
    assert caught.value.index == 2
    with pytest.raises(cc.InvalidColumnError, match="value 5 has the index"):
        cc.column(pa.chunked_array([dictionary_of(dtype, [0, 1, 0]), bad]))
    assert cc.column(dictionary_of(dtype, [0, 1, wild], 0b011)).to_pylist() == ["a", "b", None]


def test_extension_types_are_what_they_are_stored_as():
    """arrow.json is text, arrow.uuid is 16 bytes."""
    names = [uuid.UUID(int=i) for i in range(3)]
    assert cc.column(pa.array(['{"a": 1}', None], pa.json_())).to_pylist() == ['{"a": 1}', None]
    column = cc.column(pa.array([name.bytes for name in names], pa.uuid()))
    assert column.to_pylist() == [name.bytes for name in names]


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (pa.array([1]), "int64"),
        (pa.array([1.5]), "double"),
        (pa.array([["a"]]), "list"),
        (pa.array([1, 1]).dictionary_encode(), "int64"),
        (pa.array([], pa.run_end_encoded(pa.int32(), pa.string())), "run_end_encoded"),
        (pa.array([], pa.list_view(pa.string())), "list_view"),
        (pa.chunked_array([], pa.timestamp("s", "UTC")), "timestamp"),
        (pa.table({"a": ["b"]}), r"struct \(choose a column, or see cc.encode_frame\)"),
        (pa.record_batch({"a": ["b"]}), "struct"),
        (pl.DataFrame({"a": ["b"]}), "struct"),
    ],
)
def test_other_types_are_refused_by_name(values, name):
    """Also without values."""
    with pytest.raises(cc.InvalidTypeError, match=f"Arrow data of type {name}.*; expected string, binary"):
        cc.column(values)


# Arrays as other libraries have written them, right and wrong


def from_buffers(kind, length, buffers, **given):
    """Make an array of buffers, unchecked."""
    return na.c_array_from_buffers(kind, length, buffers, validation_level="none", **given)


@pytest.mark.parametrize(
    "kind", [na.string(), na.binary(), na.large_string(), na.string_view(), na.fixed_size_binary(3)]
)
def test_no_values_need_no_buffers(kind):
    """They may be missing, and offsets may begin anywhere."""
    for buffers in ([], [None, np.array([123], np.int32)], [None, np.array([123]), None]):
        for offset in (0, 7):
            assert cc.column(from_buffers(kind, 0, buffers, null_count=0, offset=offset)).to_pylist() == []


def test_offsets_need_not_begin_at_zero():
    """Neither those of a slice nor those of an array."""
    offsets = np.array([9, 3, 4, 4, 8], np.int32)
    array = from_buffers(na.string(), 3, [bytes([0b10110]), offsets, b"???abcde"], offset=1)
    assert cc.column(array).to_pylist() == ["a", "", None]
    assert cc.encode(array, "PLAIN").data.tobytes() == b"\1\0\0\0a\0\0\0\0"


def test_unaligned_buffers_are_copied():
    """Kernels are compiled for aligned arrays."""
    whole = np.zeros(25, np.uint8)
    whole[1:].view(np.int64)[:] = [0, 1, 3]
    column = cc.column(from_buffers(na.large_string(), 2, [None, whole[1:], b"abc"]))
    assert column.offsets.flags.aligned
    assert column.to_pylist() == ["a", "bc"]
    assert cc.decode(cc.encode(column, "PLAIN")) == column


def test_a_null_count_is_not_believed():
    """-1, and one that is wrong."""
    for null_count in (-1, 0, 2):
        column = cc.column(
            from_buffers(na.string(), 2, [b"\1", np.array([0, 1, 2], np.int32), b"ab"], null_count=null_count)
        )
        assert column.to_pylist() == ["a", None]
        assert column.null_count == 1


@pytest.mark.parametrize(
    ("buffers", "message"),
    [
        ([None, None, b"ab"], "buffer 1"),
        ([None, np.array([0, 2]), None], "buffer 2"),
        ([None, np.array([0, -2]), b"ab"], "buffer 2"),
    ],
)
def test_missing_buffers(buffers, message):
    """Where there are values, they are looked for."""
    with pytest.raises(cc.InvalidColumnError, match=f"{message} of an Arrow array is missing"):
        cc.column(from_buffers(na.large_string(), 1, buffers, null_count=0))


def test_offsets_that_decrease_are_found_where_they_are_used():
    """They are not looked at on the way in, which takes no time."""
    column = cc.column(from_buffers(na.large_string(), 3, [None, np.array([0, 9, 1, 2]), b"ab"], null_count=0))
    for use in (
        column.validate,
        lambda: cc.encode(column, "PLAIN"),
        column.__arrow_c_array__,
        column.__arrow_c_stream__,
    ):
        with pytest.raises(cc.InvalidColumnError):
            use()


GOOD_VIEW = struct.pack("<i4sii", 20, b"bbbb", 0, 10)


@pytest.mark.parametrize(
    "view",
    [
        (-1, 0, 0),
        (-(2**31), 0, 0),
        (31, 0, 0),
        (2**31 - 1, 0, 0),
        (20, 1, 0),
        (20, -1, 0),
        (20, 2**31 - 1, 0),
        (20, 0, -1),
        (20, 0, 11),
    ],
)
def test_malformed_views(view):
    """The error has the view, and its index in all chunks; under a null it may be anything."""
    length, number, place = view
    views = GOOD_VIEW + struct.pack("<iiii", length, 0, number, place) + GOOD_VIEW

    def make(validity=None):
        return from_buffers(na.string_view(), 3, [validity, views, b"b" * 30, np.array([30])])

    message = f"has a view of {length} bytes from byte {place} of buffer {number}"
    with pytest.raises(cc.InvalidColumnError, match=f"value 1 {message}; expected one that lies") as caught:
        cc.column(make())
    assert caught.value.index == 1
    good = from_buffers(na.string_view(), 2, [None, GOOD_VIEW * 2, b"b" * 30, np.array([30])])
    stream = CArrayStream.from_c_arrays([good, make()], good.schema, move=True, validate=False)
    with pytest.raises(cc.InvalidColumnError, match=f"value 3 {message}"):
        cc.column(stream)
    assert cc.column(make(b"\5")).to_pylist() == ["b" * 20, None, "b" * 20]


# --- Memory that is shared -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [pa.large_string(), pa.large_binary()], ids=str)
def test_large_strings_are_not_copied(kind):
    """Offsets, data and bitmap lie where the producer has them, those of a slice too."""
    array = pa.array(["axis", None, "axle"] * 10, pa.string()).cast(kind)
    validity, offsets, data = (buffer.address for buffer in array.buffers())
    for start in (0, 8, 13):
        for form in (array[start:], pa.chunked_array([array[start:]])):
            column = from_arrow(form)
            assert column.offsets.ctypes.data == offsets + 8 * start
            assert column.data.ctypes.data == data
            assert column._bitmap.ctypes.data == validity + start // 8
            assert not any(array.flags.writeable for array in (column.offsets, column.data, column.validity))


def test_bytes_of_strings_are_not_copied():
    """Their offsets become 64 bits wide."""
    array = pa.array(["axis", "axle"])
    assert from_arrow(array).data.ctypes.data == array.buffers()[2].address


def test_a_column_keeps_what_it_shares():
    """The producer may be deleted, its memory stays as long as any array of the column."""
    gc.collect()
    before = pa.total_allocated_bytes()
    array = pa.array([f"value {i}" for i in range(10_000)], pa.large_string())
    size = pa.total_allocated_bytes() - before
    assert size > 100_000
    column = cc.column(array)
    data, offsets = column[9_999:].data, column.offsets
    del array, column
    gc.collect()
    assert pa.total_allocated_bytes() - before >= size
    assert data[offsets[9_999] :].tobytes() == b"value 9999"
    del data, offsets
    gc.collect()
    assert pa.total_allocated_bytes() == before


class Recorded(np.ndarray):
    """An array of which it can be seen whether it lives."""


def test_an_array_keeps_what_it_shares():
    """The column may be deleted; the consumer's array has its memory, and lets it go in the end."""
    data = np.frombuffer(b"axisaxle", np.uint8).view(Recorded)
    alive = weakref.ref(data)
    column = cc.StringColumn._trusted(np.array([0, 4, 8]), data)
    consumers = [pa.array(column), pa.chunked_array(column), na.c_array(column)]
    assert consumers[0].buffers()[2].address == consumers[2].buffers[2] == data.ctypes.data
    assert consumers[0].buffers()[1].address == column.offsets.ctypes.data
    del column, data
    gc.collect()
    assert alive() is not None
    assert consumers[0].to_pylist() == consumers[1].to_pylist() == ["axis", "axle"]
    consumers.clear()
    gc.collect()
    assert alive() is None


def test_capsules_that_nobody_takes_let_go():
    """Of an array and of a stream."""
    data = np.frombuffer(b"axisaxle", np.uint8).view(Recorded)
    alive = weakref.ref(data)
    column = cc.StringColumn._trusted(np.array([0, 4, 8]), data)
    capsules = [column.__arrow_c_schema__(), column.__arrow_c_array__(), column.__arrow_c_stream__()]
    del column, data, capsules
    gc.collect()
    assert alive() is None


# --- The way out -----------------------------------------------------------------------------------------------------


def consumed(column):
    """List a column's values, as each consumer sees them."""
    table = pa.table({"column": pa.chunked_array(column)})
    yield pa.array(column).to_pylist()
    yield table["column"].to_pylist()
    yield pl.Series(column).to_list()
    yield pl.from_arrow(pa.array(column)).to_list()
    yield [row[0] for row in duckdb.from_arrow(table).fetchall()]
    yield na.Array(column).to_pylist()
    yield na.ArrayStream(column).read_all().to_pylist()
    yield from_arrow(column).to_pylist()


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("binary", [False, True])
def test_consumers(name, binary):
    """Whole and sliced, with nulls at any bit."""
    values = encoded(COLUMNS[name]) if binary else COLUMNS[name]
    whole = cc.column(values)
    whole = cc.StringColumn(whole.offsets, whole.data, whole.validity, utf8=not binary)
    for part in SLICES:
        column = whole[part]
        kind = pa.large_binary() if binary else pa.large_string()
        assert pa.array(column).type == kind
        assert pa.field(column).type == kind
        pa.array(column).validate(full=True)
        assert column.to_arrow().equals(pa.array(column))
        for found in consumed(column):
            assert found == values[part]


@given(text_columns() | byte_columns(), st.integers(0, 9), st.integers(0, 300))
def test_columns_go_out_and_come_back(values, start, stop):
    """Any column, sliced."""
    column = cc.column(values)[start:stop]
    assert from_arrow(column) == from_arrow(pa.array(column)) == from_arrow(pl.Series(column)) == column


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()], ids=str)
@pytest.mark.parametrize("utf8", [False, True])
def test_requested_types(kind, utf8):
    """Offsets of 32 bits, text as bytes, bytes as text."""
    values = ["axis", None, "é", "", "axle"]
    whole = cc.column(values)
    for part in SLICES:
        column = cc.StringColumn(whole.offsets, whole.data, whole.validity, utf8=utf8)[part]
        expected = encoded(values[part]) if is_binary(kind) else values[part]
        array = pa.array(column, kind)
        array.validate(full=True)
        assert array.to_pylist() == expected
        schema, _ = column.__arrow_c_array__(kind.__arrow_c_schema__())
        assert na.c_schema(schema).format == na.c_schema(kind).format
        assert pa.chunked_array(column, kind).to_pylist() == expected


def test_types_that_are_not_made():
    """Views and dictionaries are not: large_string comes instead, as the interface allows. Numbers are refused."""
    column = cc.column(["axis", None])
    for kind in (pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        schema, _ = column.__arrow_c_array__(kind.__arrow_c_schema__())
        assert na.c_schema(schema).format == "U"
        assert pa.chunked_array(column, kind).type == kind
    for kind in (pa.int64(), pa.list_(pa.string()), pa.struct({"a": pa.string()})):
        with pytest.raises(cc.InvalidTypeError, match="got Arrow data of type"):
            column.__arrow_c_array__(kind.__arrow_c_schema__())


def test_offsets_that_do_not_fit():
    """More than 2**31 - 1 bytes stay large, but not a slice that has less."""
    column = cc.StringColumn([0, 2**30, 2**31, 2**31 + 2], np.zeros(2**31 + 2, np.uint8), utf8=False)
    for part, expected in ((column, "Z"), (column[2:], "z")):
        schema, _ = part.__arrow_c_array__(pa.binary().__arrow_c_schema__())
        assert na.c_schema(schema).format == expected
    assert pa.array(column[2:], pa.binary()).to_pylist() == [b"\0\0"]


def test_text_that_is_none_does_not_go_out():
    """Who gets the array would believe it; bytes go out as they are."""
    broken = cc.StringColumn([0, 2, 3], b"ab\xff")
    for use in (pa.array, pl.Series, lambda column: column.__arrow_c_stream__()):
        with pytest.raises(cc.InvalidColumnError, match=r"value 1 is b'.xff'; expected valid UTF-8") as caught:
            use(broken)
        assert caught.value.index == 1
    assert pa.array(broken, pa.binary()).to_pylist() == [b"ab", b"\xff"]
    binary = cc.StringColumn([0, 2, 3], b"ab\xff", utf8=False)
    assert pa.array(binary).to_pylist() == [b"ab", b"\xff"]
    with pytest.raises(cc.InvalidColumnError, match="value 1"):
        pa.array(binary, pa.string())
    with pytest.raises(cc.InvalidColumnError, match="value 1"):
        cc.DictionaryColumn(np.zeros(3, np.int32), broken).to_arrow()


def test_nothing_that_is_no_text_lies_under_nulls():
    """Some libraries look at the bytes of all values, null or not."""
    column = cc.StringColumn([0, 1, 3, 5], b"a\xff\xfebc", [True, False, True])
    array = pa.array(column)
    assert array.to_pylist() == ["a", None, "bc"]
    assert array.buffers()[2].to_pybytes() == b"abc"
    assert pl.Series(column[1:]).to_list() == [None, "bc"]


def test_arrays_that_were_written_to_are_checked():
    """By whoever made them, after they became a column."""
    offsets, data = np.array([0, 2, 4]), np.frombuffer(bytearray(b"abcd"), np.uint8)
    column = cc.StringColumn._trusted(offsets, data)
    offsets[1] = 40
    with pytest.raises(cc.InvalidColumnError):
        column.__arrow_c_array__()
    offsets[1] = 2
    data[3] = 0xFF
    with pytest.raises(cc.InvalidColumnError, match="value 1"):
        column.__arrow_c_array__()


def test_no_library_is_imported():
    """Nothing but nanoarrow is that is needed, both ways."""
    code = """
import sys, nanoarrow as na, colcodec as cc
column = cc.column(na.Array(["a", None], na.string()))
assert na.Array(column).to_pylist() == ["a", None]
assert not {"pyarrow", "pandas", "polars"} & {*sys.modules}
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
