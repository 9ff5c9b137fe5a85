"""Columns of many pages: the same values and bytes for any number of pages and threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import byte_columns

import colcodec as cc
from colcodec import column_chunk

ENCODINGS = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]


@given(byte_columns(), st.sampled_from(ENCODINGS), st.integers(1, 40), st.integers(1, 3))
def test_pages_hold_the_rows_of_the_column(values, encoding, rows, threads):
    pages = cc.encode_pages(values, encoding, rows_per_page=rows, threads=threads)
    expected = [values[i : i + rows] for i in range(0, max(len(values), 1), rows)]
    assert [cc.decode(page).to_pylist() for page in pages] == expected
    assert [page.num_values for page in pages] == [len(part) for part in expected]


@given(byte_columns(), st.sampled_from(ENCODINGS), st.integers(1, 40), st.integers(1, 3))
def test_pages_decode_into_one_column(values, encoding, rows, threads):
    column = cc.column(values)
    pages = cc.encode_pages(column, encoding, rows_per_page=rows)
    decoded = cc.decode_pages(pages, threads=threads)
    assert decoded == column
    assert decoded.to_pylist() == values
    assert decoded.offsets.size == len(values) + 1
    assert decoded.offsets[0] == 0
    assert decoded.data.size == decoded.offsets[-1]


def test_pages_are_the_same_for_any_number_of_threads():
    values = [f"value {i // 3}" for i in range(5000)]
    one, many = (cc.encode_pages(values, "DELTA_BYTE_ARRAY", rows_per_page=333, threads=n) for n in (1, 4))
    assert [page.data.tobytes() for page in one] == [page.data.tobytes() for page in many]


def test_pages_of_different_encodings_make_one_column():
    values = [["a", None], ["bc", "bcd"], [None, None], ["e" * 50]]
    encodings = ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"]
    pages = [cc.encode(part, encoding) for part, encoding in zip(values, encodings, strict=True)]
    assert cc.decode_pages(pages).to_pylist() == [value for part in values for value in part]


def test_a_dictionary_is_read_once_for_all_its_pages(monkeypatch):
    """However many pages share it; it can be larger than each of them."""
    read = []
    original = column_chunk.known_values
    monkeypatch.setattr(column_chunk, "known_values", lambda page: read.append(page) or original(page))
    values = [f"value {i % 70}" for i in range(200)]
    pages = cc.encode_pages(values, "RLE_DICTIONARY", rows_per_page=20)
    others = cc.encode_pages(values, "RLE_DICTIONARY", rows_per_page=100)
    assert cc.decode_pages([*pages, *others]).to_pylist() == values * 2
    assert len(read) == 2


def test_no_pages_make_an_empty_column():
    assert cc.decode_pages([]).to_pylist() == []
    assert [page.num_values for page in cc.encode_pages([], "PLAIN")] == [0]


def test_bytes_behind_the_values_of_plain_pages_leave_no_gap():
    """Real writers (fastparquet) append zeros to PLAIN pages."""
    parts = [["abc", "de"], ["f" * 40], [], ["g"]]
    pages = [
        cc.EncodedPage("PLAIN", bytes(cc.encode(part, "PLAIN").data) + bytes(8), len(part), dtype="utf8")
        for part in parts
    ]
    decoded = cc.decode_pages(pages)
    assert decoded.to_pylist() == [value for part in parts for value in part]
    assert decoded.data.tobytes() == b"abcde" + b"f" * 40 + b"g"


def test_all_pages_together_stay_within_the_limit():
    pages = cc.encode_pages(["x" * 10] * 10, "DELTA_BYTE_ARRAY", rows_per_page=3)
    assert len(cc.decode_pages(pages, max_data_size=100)) == 10
    with pytest.raises(cc.LimitError, match="100 bytes in 4 pages"):
        cc.decode_pages(pages, max_data_size=99)


def test_a_broken_page_among_others_is_told():
    pages = cc.encode_pages(["abc"] * 6, "PLAIN", rows_per_page=3)
    broken = cc.EncodedPage("PLAIN", b"\xff\xff\xff\xff" + bytes(20), 3, dtype="utf8")
    with pytest.raises(cc.MalformedPageError, match="length is negative"):
        cc.decode_pages([pages[0], broken, pages[1]])


def test_text_and_bytes_do_not_mix():
    with pytest.raises(cc.InvalidTypeError, match="binary, utf8"):
        cc.decode_pages([cc.encode(["a"], "PLAIN"), cc.encode([b"a"], "PLAIN")])
    with pytest.raises(cc.InvalidTypeError, match="int64"):
        cc.decode_pages([cc.encode([1], "DELTA_BINARY_PACKED")])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"rows_per_page": 0}, ValueError),
        ({"rows_per_page": -1}, ValueError),
        ({"rows_per_page": 2.0}, TypeError),
        ({"threads": 0}, ValueError),
        ({"threads": "2"}, TypeError),
    ],
)
def test_misuse_is_told(options, error):
    with pytest.raises(error, match=next(iter(options))):
        cc.encode_pages(["a"], "PLAIN", **options)


def test_integers_have_no_pages_here():
    with pytest.raises(cc.InvalidTypeError, match="strings"):
        cc.encode_pages(np.arange(3), "DELTA_BINARY_PACKED")


def test_a_value_too_long_for_the_format_is_told_by_its_place_in_the_column():
    """F4: not by that in its page."""
    column = cc.StringColumn(np.array([0, 1, 1, 3, 2**31 + 3]), np.zeros(2**31 + 3, np.uint8), utf8=False)
    for encoding in ("PLAIN", "RLE_DICTIONARY"):
        with pytest.raises(cc.InvalidColumnError, match="value 3 has 2147483648 bytes") as caught:
            cc.encode_pages(column, encoding, rows_per_page=2)
        assert caught.value.index == 3
