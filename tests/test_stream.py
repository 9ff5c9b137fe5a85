"""Pages bit by bit: what comes of them is the same for batches of any size."""

import battery
import conftest
import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from test_malformed import LARGER_PAGES, SMALL_PAGES, bomb, claim, named

import colcodec as cc

ENCODINGS = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"]


def as_list(values):
    """Make a list of a column or of integers."""
    return values.to_pylist() if isinstance(values, cc.StringColumn) else values.tolist()


# --- Reading ---------------------------------------------------------------------------------------------------------


def steps():
    """Draw calls of a reader: whether to skip, and how many values."""
    return st.lists(st.tuples(st.booleans(), st.integers(0, 9) | st.integers(0, 300)), min_size=1, max_size=12)


def check_reads(reader, values, calls):
    """Check that calls give slices of the values, and that all are there at the end."""
    done = 0
    for is_skip, count in [*calls, (False, len(values) + 1), (False, 5), (True, 5)]:
        expected = values[done : done + count]
        if is_skip:
            assert reader.skip(count) == len(expected)
        else:
            assert as_list(reader.read(count)) == expected
        done += len(expected)
        assert reader.position == done
    assert reader.num_values == len(values)


@given(strategies.byte_columns() | strategies.text_columns(), st.sampled_from(ENCODINGS), steps())
def test_batches_are_slices_of_the_column(values, encoding, calls):
    """A9, C6, D10: reads and skips in any order, with nulls anywhere."""
    page = cc.encode(values, encoding)
    check_reads(cc.PageReader(page), values, calls)
    column = cc.PageReader(page).read(len(values))
    assert column == cc.decode(page)
    assert column.null_count == values.count(None)


@given(strategies.pages(), st.binary(max_size=40), steps())
def test_pages_of_any_writer(page, behind, calls):
    """Any geometry, and bytes behind the page where it can end before them."""
    behind = b"" if page.encoding == "BYTE_STREAM_SPLIT" else behind
    reader = cc.PageReader(
        page.data + behind, encoding=page.encoding, num_values=len(page.values), **battery.told(page.dtype)
    )
    check_reads(reader, page.values, calls)


@pytest.mark.parametrize("encoding", [*strategies.FIXED_LENGTH_ENCODINGS, "RLE_DICTIONARY"])
def test_values_of_one_length(encoding):
    """Values that stand without their lengths."""
    values = [None, *(b"%04d" % (i % 7) for i in range(50)), None]
    page = cc.encode(values, encoding, type_length=4)
    check_reads(cc.PageReader(page), values, [(False, 3), (True, 11), (False, 0), (False, 20)])


def outcome(call):
    """Give what a call returns, or what is wrong with the page."""
    try:
        return call()
    except cc.MalformedPageError as error:
        return error.status, error.position, error.index


def check_like_decode(data, encoding, num_values, dtype, counts, **options):
    """Check that batches, read or skipped, give what `decode` gives, after right values its very error."""
    known = {"encoding": encoding, "num_values": num_values, **battery.told(dtype), **options}
    expected = outcome(lambda: as_list(cc.decode(data, **known)))
    found = []

    def read():
        reader = cc.PageReader(data, **known)
        while reader.position < num_values:
            before = reader.position
            for count in counts:
                try:
                    found.extend(as_list(reader.read(count)))
                except cc.MalformedPageError:
                    assert reader.position == before
                    raise
                before = reader.position
        return found

    def skip():
        reader = cc.PageReader(data, **known)
        while reader.position < num_values:
            for count in counts:
                reader.skip(count)
        return expected

    assert outcome(read) == expected
    assert outcome(skip) == expected
    return found


@pytest.mark.parametrize("page", named(SMALL_PAGES + LARGER_PAGES))
def test_every_prefix(page):
    """C4: a page cut anywhere gives right values and then the error of `decode`, to those who skip as well."""
    count = len(page.values)
    step = 1 if conftest.JIT else 1 + len(page.data) // 12
    for size in range(0, len(page.data) + 1, step):
        for counts in ((1,), (3, 0, 40)):
            found = check_like_decode(page.data[:size], page.encoding, count, page.dtype, counts)
            assert found == page.values[: len(found)]


@given(strategies.broken_pages(), st.lists(st.integers(1, 50), min_size=1, max_size=4))
def test_broken_pages(broken, counts):
    """Pages of any writer that were cut, changed, spliced or miscounted."""
    page, count = broken
    check_like_decode(page.data, page.encoding, count, page.dtype, counts)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_limit_is_that_of_the_page(encoding):
    """So it does not depend on the batches either."""
    page = cc.encode([b"%03d" % (i % 4) for i in range(20)], encoding)
    known = {} if page.dictionary is None else {"dictionary": page.dictionary}
    for limit in (60, 59, 0):
        check_like_decode(page.data, encoding, 20, "binary", (7,), max_data_size=limit, **known)
    with pytest.raises(cc.LimitError):
        cc.PageReader(page, max_data_size=59).read(20)


@pytest.mark.parametrize("dtype", naive.BITS)
def test_the_limit_of_integers(dtype):
    """4 or 8 bytes a value."""
    page = cc.encode(np.arange(20, dtype=dtype), "DELTA_BINARY_PACKED")
    size = 20 * naive.BITS[dtype] // 8
    assert cc.PageReader(page, max_data_size=size).skip(30) == 20
    with pytest.raises(cc.LimitError):
        cc.PageReader(page, max_data_size=size - 1)


def test_a_reader_stays_where_it_was_after_an_error():
    """The values before the fault can still be had."""
    data = cc.encode(["a", "b"], "PLAIN").data.tobytes() + b"\xff\xff\xff\xff"
    reader = cc.PageReader(data, encoding="PLAIN", num_values=3)
    for call in (reader.read, reader.skip) * 2:
        with pytest.raises(cc.MalformedPageError, match="value 2: a length is negative") as caught:
            call(3)
        assert (caught.value.position, caught.value.index) == (10, 2)
    assert as_list(reader.read(2)) == [b"a", b"b"]


def test_values_are_made_batch_by_batch():
    """6.5 GB of values in a page of some 80 KB."""
    repeats = 100_000 if conftest.JIT else 4000
    data = bomb(65_536, repeats)

    def some():
        reader = cc.PageReader(data, encoding="DELTA_BYTE_ARRAY", num_values=repeats + 1, max_data_size=10**12)
        first = reader.read(3)
        assert reader.skip(repeats - 10) == repeats - 10
        return first, reader.read(10)

    first, last = battery.check_little_memory(some, 4 << 20)
    assert set(as_list(first)) == set(as_list(last)) == {b"B" * 65_536}
    assert len(last) == 8


def test_integers_that_are_not_there_take_no_memory():
    """A few bytes that claim 10**8 values, all of which are asked for at once."""
    data = claim(10**8, blocks=bytes(250))

    def refused():
        reader = cc.PageReader(data, encoding="DELTA_BINARY_PACKED", num_values=10**8, dtype="int32")
        with pytest.raises(cc.MalformedPageError, match="ends before"):
            reader.read(10**8)
        return reader.read(6400)

    assert not battery.check_little_memory(refused, 16 << 20).any()


def test_what_a_reader_was_given_may_be_written_to():
    """It has copies of what it believes without looking again; the bytes of the page it never believes."""
    validity = np.array([0b0101], np.uint8)
    offsets = np.array([0, 1, 2])
    dictionary = cc.StringColumn(offsets, b"ab")
    indices = cc.encode(["a", "b"], "RLE_DICTIONARY").data
    reader = cc.PageReader(
        indices, encoding="RLE_DICTIONARY", num_values=3, validity=validity, dictionary=dictionary, dtype="utf8"
    )
    validity[:] = 0xFF
    offsets[:] = 2**40
    assert as_list(reader.read(5)) == ["a", None, "b"]


def test_reader_is_shown_with_its_place():
    """The page, and how far it is read."""
    reader = cc.PageReader(cc.encode(["a", "b"], "PLAIN"))
    reader.skip(1)
    assert repr(reader) == "PageReader(EncodedPage(PLAIN, 2 utf8 values, 10 bytes), at value 1)"


@pytest.mark.parametrize(("count", "error"), [(-1, ValueError), (1.0, TypeError), (None, TypeError)])
def test_misuse_of_a_reader(count, error):
    """A count is a number of values."""
    reader = cc.PageReader(cc.encode(["a", "b"], "PLAIN"))
    for call in (reader.read, reader.skip):
        with pytest.raises(error, match="count must"):
            call(count)
    assert reader.position == 0
