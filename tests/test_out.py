"""Arrays that the caller gives to be written to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import byte_columns

import colcodec as cc

ENCODINGS = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]


@given(byte_columns(), st.sampled_from(ENCODINGS), st.integers(0, 40))
def test_a_page_is_written_into_what_is_given(values, encoding, spare):
    bound = cc.encoded_size_bound(values, encoding)
    out = np.full(bound + spare, 0xAA, np.uint8)
    page = cc.encode(values, encoding, out=out)
    assert page.data.tobytes() == cc.encode(values, encoding).data.tobytes()
    assert page.data.size <= bound
    assert page.data.size == 0 or np.shares_memory(page.data, out)
    assert (out[bound:] == 0xAA).all()


@given(byte_columns(), st.sampled_from(ENCODINGS), st.integers(0, 40))
def test_a_column_is_written_into_what_is_given(values, encoding, spare):
    page = cc.encode(values, encoding)
    size = cc.decoded_size(page)
    assert size == sum(len(value) for value in values if value is not None)
    offsets, data = np.full(len(values) + 1 + spare, -1, np.int64), np.full(size + spare, 0xAA, np.uint8)
    column = cc.decode(page, out=(offsets, data))
    assert column.to_pylist() == values
    assert np.shares_memory(column.offsets, offsets)
    assert (offsets[len(values) + 1 :] == -1).all()
    assert (data[size:] == 0xAA).all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_are_written_into_what_is_given(dtype):
    values = np.arange(300, dtype=dtype) * 7
    page = cc.encode(values, "DELTA_BINARY_PACKED", out=np.empty(5000, np.uint8))
    assert page.data.tobytes() == cc.encode(values, "DELTA_BINARY_PACKED").data.tobytes()
    assert cc.decoded_size(page) == values.nbytes
    out = np.full(310, -1, dtype)
    decoded = cc.decode(page, out=out)
    assert np.shares_memory(decoded, out)
    assert (decoded == values).all()
    assert (out[300:] == -1).all()


def test_the_bound_of_plain_is_exact():
    assert cc.encoded_size_bound(["axis", None, ""], "PLAIN") == 12 == cc.encode(["axis", None, ""], "PLAIN").nbytes


@pytest.mark.parametrize(
    ("out", "error", "told"),
    [
        (np.empty(11, np.uint8), ValueError, "at least 12"),
        (np.empty(12, np.int8), TypeError, "uint8"),
        (np.empty(24, np.uint8)[::2], TypeError, "strides"),
        (np.empty((12, 1), np.uint8), TypeError, "uint8"),
        (bytearray(12), TypeError, "bytearray"),
        (np.frombuffer(bytes(12), np.uint8), TypeError, "writeable"),
    ],
)
def test_what_cannot_be_written_to_is_refused(out, error, told):
    with pytest.raises(error, match=told):
        cc.encode(["axis", ""], "PLAIN", out=out)
    page = cc.encode([b"x" * 12], "PLAIN")
    with pytest.raises(error, match=told):
        cc.decode(page, out=(np.empty(2, np.int64), out))


@pytest.mark.parametrize(
    ("out", "error", "told"),
    [
        ((np.empty(1, np.int64), np.empty(4, np.uint8)), ValueError, r"out\[0\] must have at least 2"),
        ((np.empty(2, np.int32), np.empty(4, np.uint8)), TypeError, "int64"),
        ((np.empty(2, ">i8"), np.empty(4, np.uint8)), TypeError, "int64"),
        (np.empty(4, np.uint8), TypeError, "tuple"),
    ],
)
def test_offsets_that_cannot_be_written_to_are_refused(out, error, told):
    with pytest.raises(error, match=told):
        cc.decode(cc.encode(["axis"], "PLAIN"), out=out)


def test_integers_do_not_go_into_another_type():
    page = cc.encode(np.arange(3), "DELTA_BINARY_PACKED")
    with pytest.raises(TypeError, match="int64"):
        cc.decode(page, out=np.empty(3, np.int32))
    with pytest.raises(ValueError, match="at least 3"):
        cc.decode(page, out=np.empty(2, np.int64))


def test_what_is_read_is_not_written_to():
    """Else what was checked would have other bytes by the time that it is believed."""
    memory = np.zeros(4000, np.uint8)
    memory[:8] = np.frombuffer(b"\x01\0\0\0a\0\0\0", np.uint8)
    column = cc.StringColumn([0, 4, 8], memory[:8])
    for out in (memory[:100], memory[7:]):
        with pytest.raises(ValueError, match="out shares memory"):
            cc.encode(column, "PLAIN", out=out)
    assert cc.encode(column, "PLAIN", out=memory[8:]).data.tobytes() == cc.encode(column, "PLAIN").data.tobytes()
    with pytest.raises(ValueError, match="out shares memory"):
        cc.encode(memory[-8:].view(np.int64), "DELTA_BINARY_PACKED", out=memory)


def test_a_column_is_not_written_to_where_its_page_is():
    memory = np.zeros(4000, np.uint8)
    memory[:13] = np.frombuffer(b"\x04\0\0\0axis\x01\0\0\0a", np.uint8)
    page = cc.EncodedPage("PLAIN", memory[:13], 2)
    offsets, data = np.empty(3, np.int64), np.empty(5, np.uint8)
    for out, name in (
        ((memory[:24].view(np.int64), data), r"out\[0\]"),
        ((offsets, memory[12:]), r"out\[1\]"),
        ((offsets, offsets.view(np.uint8)), r"out\[0\]"),
    ):
        with pytest.raises(ValueError, match=name + " shares memory"):
            cc.decode(page, out=out)
    assert cc.decode(page, out=(memory[16:40].view(np.int64), memory[40:])).to_pylist() == [b"axis", b"a"]


def test_a_column_is_not_written_to_where_its_dictionary_is():
    offsets, data = np.zeros(40, np.int64), np.zeros(40, np.uint8)
    known = cc.decode(cc.encode(["on", "off"], "PLAIN"), out=(offsets, data))
    for dictionary in (known, cc.encode(["on", "off"], "PLAIN", out=data)):
        page = cc.EncodedPage("RLE_DICTIONARY", b"\x01\x04\x01", 2, dictionary=dictionary, dtype="utf8")
        with pytest.raises(ValueError, match=r"out\[1\] shares memory"):
            cc.decode(page, out=(np.empty(3, np.int64), data))
    with pytest.raises(ValueError, match=r"out\[0\] shares memory"):
        cc.decode(
            cc.EncodedPage("RLE_DICTIONARY", b"\x01\x04\x01", 2, dictionary=known, dtype="utf8"),
            out=(offsets, np.empty(9, np.uint8)),
        )


def test_integers_are_not_written_to_where_their_page_is():
    memory = np.zeros(500, np.int64)
    page = cc.encode(np.arange(20), "DELTA_BINARY_PACKED", out=memory.view(np.uint8))
    with pytest.raises(ValueError, match="out shares memory"):
        cc.decode(page, out=memory)
