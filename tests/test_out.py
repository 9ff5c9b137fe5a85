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
