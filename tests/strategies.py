"""The one home of Hypothesis strategies: columns, integers, pages as any writer may write them, and broken pages."""

from itertools import cycle, islice
from typing import NamedTuple

import naive
from hypothesis import strategies as st

STRING_ENCODINGS = ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY")
FIXED_LENGTH_ENCODINGS = ("PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT")
GEOMETRIES = ((128, 1), (128, 2), (128, 4), (256, 4), (256, 8), (1024, 32), (2048, 8), (4096, 1))

# Around a miniblock, a block, two blocks; around 16 and 32 bytes, where a copy changes its way.
EDGE_COUNTS = (0, 1, 2, 32, 33, 34, 127, 128, 129, 130, 255, 256, 257, 258)
EDGE_LENGTHS = (0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65)


class Page(NamedTuple):
    """The values section of a page, with what has to be known from outside and what has to come out.

    The dtype of values of one length is that length.
    """

    encoding: str
    dtype: str | int
    data: bytes
    values: list


# --- Columns of byte strings -----------------------------------------------------------------------------------------


def stretched(values):
    """Repeat a few values until a column has a size at the edge of a block: long columns from short draws."""
    few = st.lists(values, min_size=1, max_size=7)
    return st.builds(lambda some, count: list(islice(cycle(some), count)), few, st.sampled_from(EDGE_COUNTS))


def patterned(lengths):
    """Repeat a short pattern, which need not be UTF-8, to one of the given lengths."""
    pattern = st.binary(min_size=1, max_size=3)
    return st.builds(lambda some, length: (some * length)[:length], pattern, lengths)


def byte_strings():
    """Draw one value: short, at an edge of a length, long, or text."""
    return st.one_of(
        st.binary(max_size=6),
        patterned(st.sampled_from(EDGE_LENGTHS)),
        patterned(st.integers(300, 700)),
        st.text(max_size=6).map(str.encode),
    )


@st.composite
def chained_columns(draw):
    """Keep a part of each value for the next: shared prefixes, repeats, proper prefixes of the value before."""
    column, before = [], b""
    for quarters, suffix in draw(st.lists(st.tuples(st.integers(0, 4), st.binary(max_size=9)), max_size=40)):
        before = before[: len(before) * quarters // 4] + suffix
        column.append(before)
    return column


def columns_without_nulls():
    """Draw a column in which every slot holds a value."""
    return st.one_of(
        st.lists(byte_strings(), max_size=20),
        st.lists(byte_strings(), max_size=20).map(sorted),
        stretched(byte_strings()),
        chained_columns(),
    )


def fixed_length_columns(length):
    """Draw a column in which every slot holds a value of so many bytes; some begin like the one before."""
    values = st.binary(min_size=length, max_size=length) | patterned(st.just(length))
    alike = st.tuples(st.binary(max_size=2), st.lists(values, max_size=20)).map(
        lambda drawn: [(drawn[0] + value)[:length] for value in drawn[1]]
    )
    return st.one_of(st.lists(values, max_size=20), alike, stretched(values))


@st.composite
def with_nulls(draw, columns):
    """Put nulls into some slots, into all, or at the front of a column."""
    column = draw(columns)
    pattern = draw(st.lists(st.booleans(), min_size=1, max_size=9))
    leading = draw(st.sampled_from((0, 0, 0, len(column) // 2)))
    kept = islice(cycle(pattern), len(column))
    return [value if keep and i >= leading else None for i, (value, keep) in enumerate(zip(column, kept, strict=True))]


def byte_columns():
    """Draw a column of bytes, with or without nulls."""
    return st.one_of(columns_without_nulls(), with_nulls(columns_without_nulls()))


def text_columns():
    """Draw a column of text, with or without nulls."""
    texts = st.one_of(st.text(max_size=8), st.text("aä語🎈", max_size=40))
    columns = st.one_of(st.lists(texts, max_size=20), st.lists(texts, max_size=20).map(sorted), stretched(texts))
    return st.one_of(columns, with_nulls(columns))


# --- Columns of integers ---------------------------------------------------------------------------------------------


def integers(bits):
    """Draw one integer, often at the ends of the type."""
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    return st.one_of(
        st.sampled_from((low, low + 1, -1, 0, 1, high - 1, high)), st.integers(-9, 9), st.integers(low, high)
    )


def integer_columns(bits):
    """Draw a column: anything, anything repeated past a block, or equal steps that wrap around."""
    steps = st.builds(
        lambda start, step, count: [naive.wrap(start + step * i, bits) for i in range(count)],
        integers(bits),
        integers(bits),
        st.sampled_from(EDGE_COUNTS),
    )
    return st.one_of(st.lists(integers(bits), max_size=40), stretched(integers(bits)), steps)


# --- The RLE / bit-packed hybrid -------------------------------------------------------------------------------------


def repeating(width):
    """Draw values of `width` bits, some of them many times in a row."""
    value = st.sampled_from((0, 1, (1 << width) - 1)).map(lambda few: min(few, (1 << width) - 1)) | st.integers(
        0, (1 << width) - 1
    )
    run = st.builds(lambda some, count: [some] * count, value, st.sampled_from((1, 2, 7, 8, 9, 16, 17, 70)))
    mixed = st.builds(
        lambda some, count: list(islice(cycle(some), count)),
        st.lists(value, min_size=2, max_size=9),
        st.sampled_from((8, 15, 64, 503, 504, 505, 520)),
    )
    return st.lists(run | run | run | mixed, max_size=12).map(lambda runs: [value for run in runs for value in run])


@st.composite
def hybrids(draw, width):
    """Draw values of `width` bits in runs as no writer may have thought of them: the bytes and the values."""
    data, values = b"", []
    for _ in range(draw(st.integers(0, 6))):
        size = draw(st.integers(1, 5))  # of the header
        if draw(st.booleans()):
            value, count = draw(st.integers(0, (1 << width) - 1)), draw(st.integers(1, 40))
            data += naive.encode_uleb128(count << 1, size) + value.to_bytes((width + 7) // 8, "little")
            values += [value] * count
        else:
            few = draw(st.lists(st.integers(0, (1 << width) - 1), min_size=1, max_size=5))
            part = list(islice(cycle(few), 8 * draw(st.integers(1, 8))))
            data += naive.encode_uleb128(len(part) // 8 << 1 | 1, size) + naive.pack(part, width)
            values += part
    return data, values


# --- Pages -----------------------------------------------------------------------------------------------------------


@st.composite
def liberties(draw):
    """Draw one of the many ways in which a writer may write a legal page."""
    block_size, miniblocks_per_block = draw(st.sampled_from(GEOMETRIES))
    return naive.Liberties(
        block_size=block_size,
        miniblocks_per_block=miniblocks_per_block,
        unused_widths=draw(st.sampled_from(((0,), (255,), (3, 33, 65, 165)))),
        padding=draw(st.integers(0, 1)),
        varint_size=draw(st.integers(1, 5)),
        spare_bits=draw(st.sampled_from((0, 0, 1, 7, 64))),
        lower_min_delta=draw(st.integers(0, 3)),
        stale_first_value=draw(st.integers(-9, 9)),
        prefix_cap=draw(st.sampled_from((naive.MAX_INT32, 0, 1, 5))),
    )


@st.composite
def pages(draw, encodings=(*STRING_ENCODINGS, "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"), how=None):
    """Draw a legal page of one of the encodings, without nulls, canonical or as some other writer may write it."""
    encoding = draw(st.sampled_from(encodings))
    is_fixed = encoding == "BYTE_STREAM_SPLIT" or (encoding in FIXED_LENGTH_ENCODINGS and draw(st.booleans()))
    if encoding == "DELTA_BINARY_PACKED":
        dtype = draw(st.sampled_from(("int32", "int64")))
        values = draw(integer_columns(naive.BITS[dtype]))
    elif is_fixed:
        dtype = draw(st.sampled_from(range(1, 35)))
        values = draw(fixed_length_columns(dtype))
    else:
        dtype, values = "binary", draw(columns_without_nulls())
    choices = draw(st.just(naive.CANONICAL) | liberties() if how is None else how)
    return Page(encoding, dtype, naive.encode(values, encoding, dtype, choices), values)


@st.composite
def broken_pages(draw):
    """Draw a page and harm it: cut it, change or insert bytes, swap a part for one of another page, miscount it."""
    page = draw(pages())
    data = bytearray(page.data)
    at = draw(st.integers(0, len(data)))
    harm = draw(st.sampled_from(("cut", "change", "insert", "splice", "count")))
    count = len(page.values)
    if harm == "cut":
        del data[at:]
    elif harm == "change":
        data[at : at + 1] = draw(st.binary(min_size=1, max_size=1))
    elif harm == "insert":
        data[at:at] = draw(st.binary(min_size=1, max_size=4))
    elif harm == "splice":
        data[at:] = draw(pages((page.encoding,))).data[at:]
    else:
        count = draw(st.sampled_from((0, max(count - 1, 0), count + 1, count + 1000)))
    return page._replace(data=bytes(data), values=[]), count
