"""Pages bit by bit: what comes of them is the same for batches of any size."""

from dataclasses import replace
from itertools import cycle

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


# --- Writing ---------------------------------------------------------------------------------------------------------


def sizes():
    """Draw sizes of batches, which are taken in turn."""
    return st.lists(st.integers(0, 9) | st.integers(0, 300), min_size=1, max_size=4).map(lambda some: [*some, 1])


def batches(values, counts):
    """Cut values into batches of these sizes in turn."""
    done = 0
    for count in cycle(counts):
        if done >= len(values):
            return
        yield values[done : done + count]
        done += count


def as_slices(values):
    """Give a batch of byte strings as a caller may hold them: apart from each other, the last of them first."""
    data = np.frombuffer(b"".join(b"<" + value + b">" for value in reversed(values)), np.uint8).copy()
    lengths = np.array([*map(len, values)], np.int64)
    starts = np.cumsum((lengths + 2)[::-1])[::-1] - lengths - 1
    return data, starts, lengths


def check_page(page, expected):
    """Check that a page is another, in memory of its own."""
    assert page.data.tobytes() == expected.data.tobytes()
    assert (page.encoding, page.num_values, page.dtype, page.type_length) == (
        expected.encoding,
        expected.num_values,
        expected.dtype,
        expected.type_length,
    )
    assert (page.validity is None) == (expected.validity is None)
    if page.validity is not None:
        present = [np.unpackbits(each.validity, count=each.num_values, bitorder="little") for each in (page, expected)]
        assert present[0].tolist() == present[1].tolist()
    assert (page.dictionary is None) == (expected.dictionary is None)
    if page.dictionary is not None:
        check_page(page.dictionary, expected.dictionary)
    assert not page.data.flags.writeable


@given(strategies.byte_columns() | strategies.text_columns(), st.sampled_from(ENCODINGS), sizes())
def test_pages_do_not_depend_on_the_batches(values, encoding, counts):
    """And at any time, `size` is that of a page of the values so far."""
    writer = cc.PageWriter(encoding)
    written = 0
    for batch in batches(values, counts):
        writer.write(batch)
        written += len(batch)
        assert writer.num_values == written
        assert writer.size == cc.encode(values[:written], encoding).data.size
    check_page(writer.finish(), cc.encode(values, encoding))


@given(st.sampled_from(sorted(naive.BITS)), st.data())
def test_integers_do_not_depend_on_the_batches(dtype, data):
    """Differences go on from batch to batch, and wrap."""
    values = np.array(data.draw(strategies.integer_columns(naive.BITS[dtype])), dtype)
    writer = cc.PageWriter("DELTA_BINARY_PACKED", dtype=dtype)
    written = 0
    for batch in batches(values, data.draw(sizes())):
        writer.write(batch)
        written += batch.size
        assert writer.size == cc.encode(values[:written], "DELTA_BINARY_PACKED").data.size
    check_page(writer.finish(), cc.encode(values, "DELTA_BINARY_PACKED"))


@given(strategies.columns_without_nulls(), st.sampled_from(ENCODINGS), sizes())
def test_slices_are_values(values, encoding, counts):
    """Bytes from anywhere, which the caller may write to at once; beside batches of the other kind."""
    writer = cc.PageWriter(encoding)
    for i, batch in enumerate(batches(values, counts)):
        data, starts, lengths = as_slices(batch)
        if i % 3 == 2:
            writer.write(batch)
        else:
            writer.write_slices(data, starts, lengths)
        for array in (data, starts, lengths):
            array[:] = 99
    assert writer.size == cc.encode(values, encoding).data.size
    if values:
        check_page(writer.finish(), cc.encode(values, encoding))


@given(st.binary(max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=30), st.data())
def test_slices_may_overlap(data, spans, draw):
    """Any places of the data, in any order."""
    spans = [(start, end) for start, end in spans if start <= end <= len(data)]
    encoding = draw.draw(st.sampled_from(ENCODINGS))
    writer = cc.PageWriter(encoding, dtype="binary")
    writer.write([data[:3]])
    writer.write_slices(data, [start for start, _ in spans], [end - start for start, end in spans])
    check_page(writer.finish(), cc.encode([data[:3], *(data[start:end] for start, end in spans)], encoding))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_many_values_in_any_batches(encoding):
    """One by one, by seven, by 100,000: the same page."""
    count = 200_000 if conftest.JIT else 2000
    lengths = np.random.default_rng(4).integers(0, 12, count)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    data = (np.arange(ends[-1]) // 7 % 5).astype(np.uint8)  # long repeats
    expected = cc.encode(cc.StringColumn([0, *ends], data, utf8=False), encoding)
    for size in (1, 7, 100_000):
        writer = cc.PageWriter(encoding)
        for i in range(0, count, size):
            writer.write_slices(data, starts[i : i + size], lengths[i : i + size])
        assert writer.size == expected.data.size
        check_page(writer.finish(), expected)


@pytest.mark.parametrize("encoding", [*strategies.FIXED_LENGTH_ENCODINGS, "RLE_DICTIONARY"])
def test_values_of_one_length_are_written(encoding):
    """Without their lengths, which are checked."""
    values = [None, *(b"%04d" % (i % 7) for i in range(50)), None]
    writer = cc.PageWriter(encoding, type_length=4)
    for batch in batches(values[:-1], [3]):
        writer.write(batch)
    for wrong in ([b"12345"], [b"1234", b"123"]):
        index = len(wrong) - 1
        for call in (writer.write, lambda batch: writer.write_slices(*as_slices(batch))):
            with pytest.raises(cc.InvalidColumnError, match=f"value {index} has") as caught:
                call(wrong)
            assert caught.value.index == index
    writer.write_slices(*as_slices([b"abcd"]))
    writer.write(values[-1:])
    values[-1:-1] = [b"abcd"]
    check_page(writer.finish(), cc.encode(values, encoding, type_length=4))


@given(strategies.byte_columns(), strategies.byte_columns(), st.sampled_from(ENCODINGS), st.booleans())
def test_a_reset_writer_is_as_new(before, values, encoding, finish):
    """Nothing of one page shows in another."""
    writer = cc.PageWriter(encoding)
    writer.write(before)
    if finish:
        writer.finish()
    writer.reset()
    assert (writer.num_values, writer.size) == (0, cc.encode([], encoding).data.size)
    writer.write(values)
    check_page(writer.finish(), cc.encode(values, encoding))
    writer.reset()
    check_page(writer.finish(), cc.encode([], encoding))


@given(strategies.byte_columns(), st.sampled_from(ENCODINGS), st.integers(1, 40))
def test_page_after_page(values, encoding, rows):
    """A writer that is finished goes on with the next page of the column, with the same dictionary."""
    writer = cc.PageWriter(encoding, dtype="binary")
    pages = []
    for i in range(0, max(len(values), 1), rows):
        writer.write(values[i : i + rows])
        assert writer.size == cc.encode_pages(values[: i + rows], encoding, rows_per_page=rows)[-1].data.size
        pages.append(writer.finish())
    expected = cc.encode_pages(values, encoding, rows_per_page=rows)
    assert [page.data.tobytes() for page in pages] == [page.data.tobytes() for page in expected]
    assert cc.decode_pages(pages).to_pylist() == values
    if encoding == "RLE_DICTIONARY":
        check_page(pages[-1].dictionary, replace(expected[-1].dictionary, dtype="binary"))
        assert len({id(page.dictionary) for page in pages}) == len({page.dictionary.num_values for page in pages})


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_write_that_fails_leaves_no_trace(encoding):
    """The values before it and behind it are the page."""
    writer = cc.PageWriter(encoding)
    writer.write(["axis", None, "axle"])
    data = np.zeros(4, np.uint8)
    for call in (
        lambda: writer.write(["babble", 1]),
        lambda: writer.write(["babble", "\ud800"]),
        lambda: writer.write([b"babble"]),
        lambda: writer.write(cc.StringColumn._trusted(np.array([0, 9]), data)),
        lambda: writer.write_slices(data, [0, 1], [1, 4]),
    ):
        with pytest.raises(cc.ColcodecError):
            call()
    writer.write(["babyhood"])
    check_page(writer.finish(), cc.encode(["axis", None, "axle", "babyhood"], encoding))


@pytest.mark.parametrize("is_slices", [False, True])
def test_a_dictionary_that_gets_too_large(is_slices):
    """The batch is not in the page, and new values that it had are not in the dictionary."""
    writer = cc.PageWriter("RLE_DICTIONARY", max_dictionary_size=40)
    first, second, third = [b"a%03d" % (i % 3) for i in range(20)], [b"b000", b"b001", b"b002"], [b"b002", b"a001"]
    writer.write(first)
    with pytest.raises(cc.DictionaryTooLarge, match="value 2 has no room") as caught:
        writer.write_slices(*as_slices(second)) if is_slices else writer.write(second)
    assert caught.value.index == 2
    writer.write(third)
    check_page(writer.finish(), cc.encode(first + third, "RLE_DICTIONARY"))


def test_dictionaries_grow_in_few_steps():
    """However small the batches: values of 2000 bytes, one by one."""
    writer = cc.PageWriter("RLE_DICTIONARY")
    data = np.random.default_rng(1).integers(0, 256, 2500, np.uint8)
    one = np.array([2000])
    seen = set()
    for i in range(400):
        writer.write_slices(data, np.array([i]), one)
        seen.add(id(writer._writer.dictionary._data))
    assert len(seen) < 12


def test_values_of_one_type():
    """What comes first decides; nulls alone do not, and neither does an empty batch."""
    writer = cc.PageWriter("PLAIN")
    writer.write([None])
    writer.write([b"a", None])
    writer.write([None])
    with pytest.raises(cc.InvalidTypeError, match="is of binary values, the batch of utf8"):
        writer.write(["a"])
    assert writer.finish().dtype == "binary"
    with pytest.raises(cc.InvalidTypeError, match="is of binary values"):
        writer.write(["a"])
    writer.reset()
    writer.write(["a"])
    writer.write_slices(b"b", [0], [1])
    page = writer.finish()
    assert (page.dtype, cc.decode(page).to_pylist()) == ("utf8", ["a", "b"])
    writer = cc.PageWriter("PLAIN", dtype="utf8")
    writer.write_slices(b"b", [0], [1])
    with pytest.raises(cc.InvalidTypeError, match="is of utf8 values, the batch of binary"):
        writer.write([b"a"])
    writer.write(cc.column([b"a"])[:0])
    assert cc.decode(writer.finish()).to_pylist() == ["b"]


def test_integers_of_one_type():
    """What comes first decides, where the caller does not."""
    writer = cc.PageWriter("DELTA_BINARY_PACKED")
    writer.write([])
    writer.write(np.array([1, 2], np.int32))
    with pytest.raises(cc.InvalidTypeError, match="is of int32 values, the batch of int64"):
        writer.write([3])
    writer.write([])
    check_page(writer.finish(), cc.encode(np.array([1, 2], np.int32), "DELTA_BINARY_PACKED"))
    writer.reset()
    writer.write([3])
    check_page(writer.finish(), cc.encode([3], "DELTA_BINARY_PACKED"))


def test_writer_is_shown_with_what_it_has():
    """Values and bytes so far."""
    writer = cc.PageWriter("PLAIN")
    writer.write(["a", None])
    assert repr(writer) == "PageWriter(PLAIN, 2 utf8 values, 5 bytes)"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("data", [0], [1]), cc.InvalidTypeError, "data is of type str"),
        ((b"data", [0.0], [1]), cc.InvalidTypeError, "offsets are of dtype float64"),
        ((b"data", [[0]], [1]), cc.InvalidColumnError, "offsets have 2 dimensions"),
        ((b"data", [0, 1], [1]), cc.InvalidColumnError, "2 offsets and 1 lengths"),
        ((b"data", [0, 2], [4, 3]), cc.InvalidColumnError, "value 1 has 3 bytes from 2 on; .* within the 4 of data"),
        ((b"data", [0, -1], [4, 1]), cc.InvalidColumnError, "value 1 has 1 bytes from -1 on"),
        ((b"data", [0, 1], [4, -1]), cc.InvalidColumnError, "value 1 has -1 bytes"),
        ((b"data", [2**63 - 1], [2**31 - 1]), cc.InvalidColumnError, "value 0 has"),
        ((b"data", np.array([2**64 - 1], np.uint64), [1]), cc.InvalidColumnError, "value 0 has 1 bytes from -1 on"),
    ],
)
def test_misuse_of_slices(arguments, error, message):
    """Slices lie within the data."""
    writer = cc.PageWriter("PLAIN")
    with pytest.raises(error, match=message):
        writer.write_slices(*arguments)
    assert writer.num_values == 0


def test_slices_of_any_integers():
    """Arrow's int32, a stride, and no slices at all."""
    writer = cc.PageWriter("PLAIN")
    writer.write_slices(b"abcd", np.array([0, 2], np.int32), np.array([1, 0, 2], np.int64)[::2])
    writer.write_slices(b"", [], [])
    assert battery.as_list(cc.decode(writer.finish())) == [b"a", b"cd"]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("PLAIN_DICTIONARY",), {}, ValueError, "only read"),
        (("PLAIN",), {"dtype": "int32"}, ValueError, "dtype='utf8' or dtype='binary', got 'int32'"),
        (("DELTA_BINARY_PACKED",), {"dtype": "utf8"}, ValueError, "dtype='int32'"),
        (("PLAIN",), {"type_length": 0}, ValueError, "type_length"),
        (("RLE_DICTIONARY",), {"max_dictionary_size": -1}, ValueError, "max_dictionary_size"),
    ],
)
def test_misuse_of_a_writer(arguments, options, error, message):
    """What `encode` refuses."""
    with pytest.raises(error, match=message):
        cc.PageWriter(*arguments, **options)


def test_pages_have_an_end():
    """2**31 - 1 values are the most."""
    writer = cc.PageWriter("PLAIN")
    writer._num_values = 2**31 - 2
    writer.write(["a"])
    for call in (lambda: writer.write([None]), lambda: writer.write_slices(b"", [0], [0])):
        with pytest.raises(ValueError, match=r"at most 2\*\*31 - 1"):
            call()
    with pytest.raises(cc.InvalidTypeError, match="takes integers"):
        cc.PageWriter("DELTA_BINARY_PACKED").write_slices(b"", [], [])


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
            assert battery.as_list(reader.read(count)) == expected
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
    expected = outcome(lambda: battery.as_list(cc.decode(data, **known)))
    found = []

    def read():
        reader = cc.PageReader(data, **known)
        while reader.position < num_values:
            before = reader.position
            for count in counts:
                try:
                    found.extend(battery.as_list(reader.read(count)))
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
    assert battery.as_list(reader.read(2)) == [b"a", b"b"]


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
    assert set(battery.as_list(first)) == set(battery.as_list(last)) == {b"B" * 65_536}
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
    assert battery.as_list(reader.read(5)) == ["a", None, "b"]


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
