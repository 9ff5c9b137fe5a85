"""RLE_DICTIONARY: distinct values, and which each is. Docstrings name the reports of the same fault elsewhere."""

import battery
import naive
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import colcodec as cc

NAMES = ("RLE_DICTIONARY", "PLAIN_DICTIONARY")
WORDS = [b"axis", b"axle", b"axis", b"", b"axle", b"babble"]


def decode(data, num_values, dictionary, **options):
    """Decode a page of indices into a list of bytes."""
    page = naive.encode_plain(dictionary)
    options = {"encoding": "RLE_DICTIONARY", "dictionary": page} | options
    return cc.decode(data, num_values=num_values, **options).to_pylist()


def check_rejects(data, num_values, dictionary, status, **options):
    """Check that a bad page is refused for the right reason, at a byte that is in it; give the error."""
    with pytest.raises(cc.MalformedPageError) as caught:
        decode(data, num_values, dictionary, **options)
    assert caught.value.status.name == status
    assert caught.value.encoding is cc.Encoding.RLE_DICTIONARY
    assert 0 <= caught.value.position <= len(data)
    return caught.value


def check_agrees_with_naive(data, num_values, dictionary):
    """Check that any bytes give what the format's letter gives, or an error where it gives nothing."""
    try:
        expected = naive.decode_rle_dictionary(data, num_values, dictionary).values
    except naive.MalformedError:
        with pytest.raises(cc.MalformedPageError):
            decode(data, num_values, dictionary)
    else:
        assert decode(data, num_values, dictionary) == expected


# --- Both ways -------------------------------------------------------------------------------------------------------


@given(strategies.byte_columns() | strategies.text_columns())
def test_any_column(column):
    """Any column has naive's pages and comes back."""
    data, dictionary = naive.encode_rle_dictionary(battery.encoded_values(column))
    page = cc.encode(column, "RLE_DICTIONARY")
    assert page.data.tobytes() == data
    assert page.dictionary.encoding is cc.Encoding.PLAIN
    assert page.dictionary.num_values == len(dictionary)
    assert page.dictionary.data.tobytes() == naive.encode_plain(dictionary)
    assert cc.decode(page).to_pylist() == column
    assert cc.decoded_size(page) == sum(map(len, battery.encoded_values(column)))
    assert cc.encode(column, "RLE_DICTIONARY").data.tobytes() == data
    assert len(data) <= cc.encoded_size_bound(column, "RLE_DICTIONARY")


@given(strategies.byte_columns(), st.sampled_from(NAMES), st.sampled_from(["page", "bytes", "column", "old name"]))
def test_a_dictionary_in_any_form(column, name, form):
    """What encode made, the bytes of a dictionary page, or a column: the same values."""
    page = cc.encode(column, "RLE_DICTIONARY")
    dictionary = {"page": page.dictionary, "bytes": page.dictionary.data, "column": cc.decode(page.dictionary)}
    named = cc.EncodedPage("PLAIN_DICTIONARY", page.dictionary.data, page.dictionary.num_values)
    dictionary = (dictionary | {"old name": named})[form]
    known = {"num_values": len(column), "validity": page.validity, "dictionary": dictionary}
    assert cc.decode(page.data, encoding=name, **known).to_pylist() == column
    rebuilt = cc.EncodedPage(name, page.data, len(column), page.validity, dictionary)
    assert cc.decode(rebuilt).to_pylist() == column
    assert cc.decode_indices(rebuilt).indices.tolist() == cc.decode_indices(page).indices.tolist()


@pytest.mark.parametrize("num_known", [1, 2, 3, 4, 5, 15, 16, 17, 255, 256, 257, 65_536, 65_537])
def test_widths_of_indices(num_known):
    """E26, E29: dictionaries at the edges of a width; one value has a width of 1, as Arrow writes it."""
    column = [b"%d" % i for i in range(num_known)] * 2
    page = cc.encode(column, "RLE_DICTIONARY", max_dictionary_size=2**24)
    assert page.data[0] == max((num_known - 1).bit_length(), 1)
    assert page.dictionary.num_values == num_known
    assert cc.decode(page).to_pylist() == column


def test_long_runs():
    """E8, E26: runs of hundreds of thousands, between values that do not repeat."""
    column = [b"a"] * 300_000 + [b"b", b"c"] * 9 + [b"c"] * 100_001
    page = cc.encode(column, "RLE_DICTIONARY")
    assert page.nbytes < 30
    assert cc.decode(page).to_pylist() == column


def test_empty_strings_and_nulls():
    """E14, E15: an empty string is a value and a null is none."""
    for column in ([""], [None], ["", None, ""], [None, "a", ""], []):
        page = cc.encode(column, "RLE_DICTIONARY")
        assert page.dictionary.num_values == len({value for value in column if value is not None})
        assert cc.decode(page).to_pylist() == column


def test_pages_share_a_dictionary():
    """A column of many pages has one dictionary, and each page is as wide as what it has seen needs."""
    column = [f"v{i * i % 7919}" if i % 7 else None for i in range(10_000)]
    pages = cc.encode_pages(column, "RLE_DICTIONARY", rows_per_page=300)
    assert len({id(page.dictionary) for page in pages}) == 1
    assert pages[0].data[0] < pages[-1].data[0]
    assert cc.decode_pages(pages).to_pylist() == column
    whole = cc.encode(column, "RLE_DICTIONARY")
    assert pages[0].dictionary.data.tobytes() == whole.dictionary.data.tobytes()
    for i, page in enumerate(pages):
        assert cc.decode(page).to_pylist() == column[300 * i : 300 * (i + 1)]


def test_pages_of_several_kinds():
    """E20, E21: what follows a dictionary that grew too large: pages of another encoding, and other dictionaries."""
    pages = [
        cc.encode(["a", "b", "a"], "RLE_DICTIONARY"),
        cc.encode(["c"], "PLAIN"),
        cc.encode(["b"], "RLE_DICTIONARY"),
    ]
    assert cc.decode_pages(pages).to_pylist() == ["a", "b", "a", "c", "b"]


def test_out():
    """A page into the caller's memory, and its values."""
    bound = cc.encoded_size_bound(WORDS, "RLE_DICTIONARY")
    out = np.full(bound, 0xA5, np.uint8)
    page = cc.encode(WORDS, "RLE_DICTIONARY", out=out)
    assert np.shares_memory(page.data, out)
    assert page.data.tobytes() == cc.encode(WORDS, "RLE_DICTIONARY").data.tobytes()
    places = np.empty(len(WORDS) + 1, np.int64), np.empty(cc.decoded_size(page), np.uint8)
    assert cc.decode(page, out=places).to_pylist() == WORDS
    with pytest.raises(ValueError, match="at least"):
        cc.encode(WORDS, "RLE_DICTIONARY", out=out[: bound - 1])


# --- Fixed lengths ---------------------------------------------------------------------------------------------------


def test_fixed_lengths_have_none_in_the_dictionary():
    """The dictionary page of a FIXED_LEN_BYTE_ARRAY is its values end to end."""
    column = [b"abc", b"xyz", None, b"abc"]
    page = cc.encode(column, "RLE_DICTIONARY", type_length=3)
    assert page.dictionary.data.tobytes() == b"abcxyz"
    assert (page.type_length, page.dictionary.type_length) == (3, 3)
    decoded = cc.decode(page)
    assert decoded.to_pylist() == column
    known = {"num_values": 4, "validity": page.validity, "dictionary": b"abcxyz", "type_length": 3}
    assert cc.decode(page.data, encoding="RLE_DICTIONARY", **known).to_pylist() == column
    assert cc.decode_indices(page).dictionary.to_pylist() == [b"abc", b"xyz"]
    with pytest.raises(cc.MalformedPageError, match="byte 3, value 1"):
        cc.decode(page.data, encoding="RLE_DICTIONARY", **known | {"dictionary": b"abcxy"})
    assert (
        cc.decode(page.data, encoding="RLE_DICTIONARY", **known | {"dictionary": cc.column([b"abc", b"xyz"])})
        == decoded
    )
    with pytest.raises(ValueError, match="type_length=3 has value 1 of another length"):
        cc.decode(page.data, encoding="RLE_DICTIONARY", **known | {"dictionary": cc.column([b"abc", b"xy"])})


# --- Indices ---------------------------------------------------------------------------------------------------------


@given(strategies.byte_columns() | strategies.text_columns())
def test_indices(column):
    """What the values are put together from."""
    indices, dictionary = cc.decode_indices(cc.encode(column, "RLE_DICTIONARY"))
    known = dictionary.to_pylist()
    assert [None if i < 0 else known[i] for i in indices.tolist()] == column
    assert (indices.dtype, indices.flags.writeable) == (np.int32, False)
    assert dictionary.data.size == dictionary.offsets[-1]


@pytest.mark.parametrize("column", [["on", "off", None, "on"], [b"\xff", None, b"", b"\xff"], [None, None], []])
def test_to_other_libraries(column):
    """A dictionary array and categoricals, nulls in their places; polars has none of bytes."""
    found = cc.decode_indices(cc.encode(column, "RLE_DICTIONARY"))
    array = found.to_arrow()
    array.validate(full=True)
    assert pa.types.is_dictionary(array.type)
    assert array.to_pylist() == column
    series = found.to_pandas()
    assert isinstance(series.dtype, pd.CategoricalDtype)
    assert [None if pd.isna(value) else value for value in series] == column
    assert list(series.cat.categories) == found.dictionary.to_pylist()
    series = found.to_polars()
    assert series.dtype == (pl.Categorical if found.dictionary.utf8 else pl.Binary)
    assert series.to_list() == column
    assert cc.column(found) == cc.column(column)
    assert cc.encode(found, "PLAIN").data.tobytes() == cc.encode(column, "PLAIN").data.tobytes()


def test_dictionaries_with_repeats():
    """The format does not forbid them; pandas has each category once."""
    data = b"\x02" + naive.encode_hybrid([0, 1, 2, 3], 2)
    dictionary = [b"a", b"b", b"a", b"c"]
    assert decode(data, 4, dictionary) == dictionary
    found = cc.decode_indices(
        data, encoding="RLE_DICTIONARY", num_values=4, dtype="utf8", dictionary=naive.encode_plain(dictionary)
    )
    assert found.to_arrow().to_pylist() == ["a", "b", "a", "c"]
    assert found.to_polars().to_list() == cc.column(found).to_pylist() == ["a", "b", "a", "c"]
    assert found.to_pandas().tolist() == ["a", "b", "a", "c"]
    assert found.to_pandas().cat.categories.tolist() == ["a", "b", "c"]


def test_only_indices_have_indices():
    """Other pages are refused."""
    with pytest.raises(ValueError, match="a page of PLAIN has no indices"):
        cc.decode_indices(cc.encode(["a"], "PLAIN"))


# --- Too large -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type_length", [None, 3])
def test_dictionaries_have_a_largest_size(type_length):
    """A dictionary page of exactly so many bytes is fine; one more is told with the value that was too much."""
    column = [b"abc", b"def", b"abc", b"ghi", b"abc"]
    size = 9 if type_length else 21
    page = cc.encode(column, "RLE_DICTIONARY", type_length=type_length, max_dictionary_size=size)
    assert page.dictionary.nbytes == size
    with pytest.raises(cc.DictionaryTooLarge, match=f"more than {size - 1} bytes: value 3") as caught:
        cc.encode(column, "RLE_DICTIONARY", type_length=type_length, max_dictionary_size=size - 1)
    assert caught.value.index == 3
    assert isinstance(caught.value, cc.ColcodecError)


@pytest.mark.parametrize(
    "encode",
    [
        lambda values, **limit: cc.encode(values, "RLE_DICTIONARY", **limit),
        lambda values, **limit: cc.encode_pages(values, "RLE_DICTIONARY", rows_per_page=2, **limit),
        lambda values, **limit: cc.PageWriter("RLE_DICTIONARY", **limit).write(values),
    ],
)
@pytest.mark.parametrize("start", [0, 1, 3])
def test_the_value_that_was_too_much_is_counted_with_nulls(encode, start):
    """As the caller sees it: in a slice, from where that begins."""
    values = cc.column([None, "abc", None, None, "def", "abc", None, "ghi", None])[start:]
    for form in (values, values.to_pylist()):
        with pytest.raises(cc.DictionaryTooLarge, match=f"more than 20 bytes: value {7 - start} has no") as caught:
            encode(form, max_dictionary_size=20)
        assert caught.value.index == 7 - start
    figures = cc.choose(values, max_dictionary_size=20).figures
    assert figures[-1].reason == f"the dictionary takes more than 20 bytes: value {7 - start} has no room left in it"


def test_one_mebibyte_unless_told_otherwise():
    """As parquet-java and Arrow C++ have it."""
    column = cc.column([b"%012d" % i for i in range(2**16)])
    assert cc.encode(column, "RLE_DICTIONARY").dictionary.nbytes == 2**20
    with pytest.raises(cc.DictionaryTooLarge):
        cc.encode([*column, b""], "RLE_DICTIONARY")


def test_too_large_is_told_early():
    """Nothing behind the value that was too much has been looked at: not even whether it is there."""
    offsets = np.arange(0, 12 * 2**20 + 1, 12)
    data = np.frombuffer(b"".join(b"%012d" % i for i in range(2**20)), np.uint8)
    with pytest.raises(cc.DictionaryTooLarge) as caught:
        cc.encode(cc.StringColumn(offsets, data), "RLE_DICTIONARY")
    assert caught.value.index == 2**16


# --- Pages of other writers ------------------------------------------------------------------------------------------


def test_a_width_of_zero():
    """E1: an index of no bits is 0, in a run of either kind."""
    for run in (b"\x14", b"\x05"):
        assert decode(b"\x00" + run, 10, [b"only"]) == [b"only"] * 10


def test_widths_need_not_be_the_least():
    """A writer may use more bits than it needs, 32 at most."""
    for width in range(3, 33):
        data = bytes([width]) + naive.encode_hybrid([0, 4, 1, 3, 2, *[4] * 20], width)
        assert decode(data, 25, [b"a", b"b", b"c", b"d", b"e"]) == [b"a", b"e", b"b", b"d", b"c", *[b"e"] * 20]


def test_pages_without_values():
    """E3, E16, E17: parquet-java leaves out the width, others all but the width; the dictionary may be empty."""
    for data in (b"", b"\x00", b"\x01", b"\x20\x03\xff"):
        for dictionary in (b"", naive.encode_plain([b"unused"]), None):
            for num_values, validity in ((0, None), (20, [False] * 20)):
                known = {"num_values": num_values, "validity": validity, "dictionary": dictionary}
                expected = [None] * num_values
                assert cc.decode(data, encoding="RLE_DICTIONARY", **known).to_pylist() == expected
    check_rejects(b"\x21\x00", 0, [], "BIT_WIDTH")


def test_values_need_a_dictionary():
    """Without one, nothing can be told."""
    with pytest.raises(TypeError, match="needs dictionary="):
        cc.decode(b"\x00\x02", encoding="RLE_DICTIONARY", num_values=1)
    check_rejects(b"\x00\x02", 1, [], "INDEX_RANGE")


def test_padding_is_not_looked_at():
    """E7, E8: indices that fill up the last group may point anywhere, and zeros may follow the last run."""
    data = b"\x02" + b"\x03" + naive.pack([0, 1, 2, 3, 3, 3, 3, 3], 2)
    assert decode(data, 3, [b"a", b"b", b"c"]) == [b"a", b"b", b"c"]
    assert decode(data + bytes(8), 3, [b"a", b"b", b"c"]) == [b"a", b"b", b"c"]
    check_rejects(data, 4, [b"a", b"b", b"c"], "INDEX_RANGE")


# --- Broken pages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [33, 35, 64, 128, 255])
def test_widths_above_32(width):
    """E4: refused before anything is read."""
    error = check_rejects(bytes([width]) + bytes(40), 3, WORDS, "BIT_WIDTH")
    assert error.position == 0


def test_no_bytes():
    """E4: an empty page has no values."""
    check_rejects(b"", 1, WORDS, "TRUNCATED")
    check_rejects(b"\x01", 1, WORDS, "TRUNCATED")


@pytest.mark.parametrize("index", [5, 6, 2**31 - 1, 2**31, 2**32 - 1])
def test_indices_behind_the_dictionary(index):
    """E19: the value is told, be the index negative as a signed number."""
    data = b"\x20" + naive.encode_hybrid([0, 4, index, 0], 32)
    error = check_rejects(data, 4, [b"a", b"b", b"c", b"d", b"e"], "INDEX_RANGE")
    assert error.index == 2
    assert f"index {index} of a dictionary of 5 values" in str(error)


def test_runs_of_nothing():
    """E12: a run without values would go on for ever."""
    check_rejects(b"\x01\x00\x00\x00\x00", 8, WORDS, "BAD_RUN")


def test_dictionaries_that_are_none():
    """A page that does not end where a value does; nulls; another encoding; another length."""
    page = cc.encode(WORDS, "RLE_DICTIONARY")
    for broken in (b"\x01", b"\x01\x00\x00\x00", b"\xff\xff\xff\xffaaaa", page.dictionary.data.tobytes() + b"\x00"):
        with pytest.raises(cc.MalformedPageError) as caught:
            cc.decode(page.data, encoding="RLE_DICTIONARY", num_values=6, dictionary=broken)
        assert caught.value.encoding is cc.Encoding.PLAIN
    for wrong in (cc.column([b"a", None]), cc.encode([b"a", None], "PLAIN")):
        with pytest.raises(ValueError, match="no nulls"):
            cc.decode(page.data, encoding="RLE_DICTIONARY", num_values=6, dictionary=wrong)
    for wrong in (cc.encode([b"a"], "DELTA_BYTE_ARRAY"), cc.encode([b"a"], "PLAIN", type_length=1)):
        with pytest.raises(ValueError, match="a dictionary is a PLAIN page"):
            cc.decode(page.data, encoding="RLE_DICTIONARY", num_values=6, dictionary=wrong)
    with pytest.raises(TypeError, match="has no dictionary"):
        cc.decode(page.data, encoding="PLAIN", num_values=6, dictionary=page.dictionary)
    with pytest.raises(TypeError, match="do not give them again"):
        cc.decode(page, dictionary=page.dictionary)
    count = cc.EncodedPage("PLAIN", page.dictionary.data, 5)
    with pytest.raises(cc.MalformedPageError, match="PLAIN page"):
        cc.decode(page.data, encoding="RLE_DICTIONARY", num_values=6, dictionary=count)


def test_a_dictionary_that_was_written_to():
    """A column's arrays are believed only as long as they fit each other."""
    offsets = np.array([0, 1, 2])
    dictionary = cc.StringColumn._trusted(offsets, np.frombuffer(b"ab", np.uint8))
    page = cc.EncodedPage("RLE_DICTIONARY", b"\x01\x02\x01", 1, dictionary=dictionary)
    assert cc.decode(page).to_pylist() == [b"b"]
    offsets[2] = 1 << 40
    with pytest.raises(cc.InvalidColumnError):
        cc.decode(page)


def test_indices_of_a_dictionary_that_was_written_to():
    """What goes to pyarrow and pandas is looked at once more: search and gather believe offsets."""
    offsets = np.arange(100)
    page = cc.encode([f"{i}" for i in range(99)], "RLE_DICTIONARY")
    column = cc.StringColumn._trusted(offsets, np.frombuffer(b"a" * 99, np.uint8))
    found = cc.decode_indices(cc.EncodedPage("RLE_DICTIONARY", page.data, 99, dictionary=column, dtype="utf8"))
    offsets[50] = 100_000
    for convert in (found.to_arrow, found.to_pandas, found.to_polars):
        with pytest.raises(cc.InvalidColumnError):
            convert()


@pytest.mark.parametrize(("dtype", "expected"), [("utf8", ["a", "b"]), ("binary", [b"a", b"b"])])
def test_the_page_tells_whether_values_are_text(dtype, expected):
    """Whatever the column that is given as its dictionary thinks of itself."""
    for column in (cc.column(["a", "b"]), cc.column([b"a", b"b"])):
        page = cc.EncodedPage("RLE_DICTIONARY", b"\x01\x03\x02", 2, dictionary=column, dtype=dtype)
        assert cc.decode_indices(page).dictionary.to_pylist() == expected
        assert cc.decode(page).to_pylist() == expected


@pytest.mark.parametrize(
    ("length", "count"), [(2**16, 2**16), (2**20, 2**12 + 1), (2**31 - 1, 2**31 - 1), (3, 2**31 - 1)]
)
def test_sizes_of_dictionaries_do_not_wrap(length, count):
    """E24: numbers and lengths of values whose product is 0, or little, in 32 bits."""
    dictionary = cc.EncodedPage("PLAIN", bytes(2**16), count, type_length=length)
    with pytest.raises(cc.MalformedPageError, match=f"65536 bytes cannot hold {count} values"):
        cc.decode(b"\x01\x02\x00", encoding="RLE_DICTIONARY", num_values=1, dictionary=dictionary, type_length=length)


def test_dictionary_pages_that_are_larger_than_a_page_can_be():
    """E24: beyond 2**31 - 1 bytes: refused, not wrapped. The memory is zeros that nobody touches."""
    page = np.zeros(2**31 + 16, np.uint8)
    page[:4] = np.frombuffer((2**31 - 2).to_bytes(4, "little"), np.uint8)
    for count in (1, 2):
        dictionary = cc.EncodedPage("PLAIN", page, count)
        with pytest.raises(cc.InvalidColumnError, match="2\\*\\*31 - 1 at most"):
            cc.decode(b"\x01\x02\x00", encoding="RLE_DICTIONARY", num_values=1, dictionary=dictionary)


def test_limits():
    """Many values from few bytes: what the caller allows bounds them, and room is made for no more."""
    data = b"\x00" + naive.encode_uleb128((2**31 - 1) << 1)
    dictionary = [b"x" * 1000]

    def refuse():
        return check_rejects(data, 2**31 - 1, dictionary, "LIMIT")

    battery.check_little_memory(refuse)
    with pytest.raises(cc.LimitError):
        decode(b"\x00" + naive.encode_uleb128(10 << 1), 10, dictionary, max_data_size=9999)
    assert len(decode(b"\x00" + naive.encode_uleb128(10 << 1), 10, dictionary, max_data_size=10_000)) == 10
    battery.check_little_memory(lambda: check_rejects(b"\x00\x14", 2**31 - 1, dictionary, "TRUNCATED"))


SMALL = naive.encode_rle_dictionary([*WORDS, *[b"axle"] * 9, b"axis", *[b""] * 8])


def test_every_prefix():
    """A page cut anywhere; the counts around the right one as well."""
    data, dictionary = SMALL
    for size in range(len(data) + 1):
        for count in (0, 1, 23, 24, 25, 1000):
            check_agrees_with_naive(data[:size], count, dictionary)


def test_every_single_byte_change():
    """Each byte of a small page in turn becomes every other byte."""
    data, dictionary = SMALL
    for position in range(len(data)):
        for other in range(256):
            check_agrees_with_naive(data[:position] + bytes([other]) + data[position + 1 :], 24, dictionary)


@given(st.integers(0, 40), st.binary(max_size=40), st.integers(0, 60))
def test_random_bytes(width, data, count):
    """Random bytes behind a width."""
    check_agrees_with_naive(bytes([width]) + data, count, [b"%d" % i for i in range(20)])
