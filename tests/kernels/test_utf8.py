"""UTF-8: the same answer as Python's decoder, value by value."""

from itertools import pairwise, product

import pytest
from framed import as_column, frozen
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels import utf8

# The first and last byte of each range that the rules know, and those beside them.
EDGES = bytes.fromhex("00 41 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 e1 ec ed ee ef f0 f1 f3 f4 f5 ff")
LAST = bytes.fromhex("7f 80 bf c0")
CHARACTERS = [*"a\0\x7f\x80é߿ࠀ€퟿\ue000￿𐀀🪓\U0010ffff"]
BROKEN = [  # cut characters, overlong forms, surrogates, above Unicode
    *(b"\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\xaa", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf"),
    *(b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xff", b"a\xbf", b"\xc3a"),
]
PIECES = st.sampled_from([b"a" * 20, b"a" * 63, b"a" * 64, *map(str.encode, CHARACTERS)])


def is_text(value):
    """Ask Python."""
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def first_invalid(values):
    """Ask Python for each value."""
    return next((i for i, value in enumerate(values) if not is_text(value)), -1)


def check(values, shift=0):
    """Check an answer of the kernel."""
    assert utf8.find_invalid(*as_column(values, shift)) == first_invalid(values), values


def test_every_character_of_edges():
    """Up to three bytes, each at the edge of a rule; and what is cut."""
    for size in (1, 2, 3):
        for value in map(bytes, product(EDGES, repeat=size)):
            sizes = [n for n in range(1, size + 1) if is_text(value[:n])]
            assert utf8.character_size(frozen(value), 0, size) == (sizes or [0])[0], value


def test_every_character_of_four_bytes():
    """The last two bytes only have to go on."""
    for value in map(bytes, product(EDGES[13:], EDGES, LAST, LAST)):
        assert (utf8.character_size(frozen(value), 0, 4) == 4) == (is_text(value) and value[0] >= 0xF0), value


@pytest.mark.parametrize("place", [*range(5), 29, 30, 31, 32, *range(58, 64)])
def test_blocks_know_the_same_rules(place):
    """The bytes of each edge at any place of a block, and over its end."""
    for value in map(bytes, product(EDGES, EDGES, LAST, LAST)):
        block = (b"a" * place + value + b"a" * 64)[:64]
        expected = next((64 - cut for cut in range(4) if is_text(block[: 64 - cut]) and is_text_so_far(block)), 0)
        assert utf8.block_size(frozen(block), 0) == expected, value


def is_text_so_far(block):
    """Tell whether something could follow that makes text of it."""
    try:
        block.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 127, 128, 129, 200])
def test_ascii_ends_where_something_else_begins(size):
    """At every place of a block, and behind the last whole block."""
    for pos in (0, 3):
        data = frozen(b"x" * pos + b"a" * size + b"\x80" + b"a" * 70)
        assert utf8.ascii_end(data, pos, data.size) == pos + size
        assert utf8.ascii_end(data, pos, pos + size) == pos + size


@pytest.mark.parametrize("broken", BROKEN)
def test_what_is_no_text_is_found(broken):
    """Whatever is around it, in the value and in others."""
    for before, behind in product(("", "a", "é", "a" * 61, "a" * 63, "é" * 40, "€" * 50), ("", "a", "€" * 30)):
        for others in ([], [b""], [b"a", "é".encode()]):
            check([*others, before.encode() + broken + behind.encode(), b"", *others], shift=2)


@pytest.mark.parametrize("character", ["é", "€", "🪓"])
def test_values_that_are_text_only_together(character):
    """A character that two or more values share: the first of them is at fault."""
    encoded = character.encode()
    for cut in range(1, len(encoded)):
        for others in ([b""], [b"a" * 70], ["é".encode() * 50]):
            check([*others, encoded[:cut], encoded[cut:], *others])
            check([*others, encoded[:cut], b"", encoded[cut:], *others])
    check([b"a", *(encoded[i : i + 1] for i in range(len(encoded)))])


def test_only_the_values_are_looked_at():
    """Neither what lies before them nor what lies behind."""
    data = frozen(b"\xc3aa\xc3\xa9\xa9")
    assert utf8.find_invalid(frozen([1, 3, 3, 5], "i8"), data) == -1
    assert utf8.find_invalid(frozen([1, 3, 4], "i8"), data) == 1
    assert utf8.find_invalid(frozen([4], "i8"), data) == -1


@given(st.lists(st.lists(PIECES | st.sampled_from(BROKEN), max_size=5).map(b"".join), max_size=6), st.integers(0, 70))
def test_any_values(values, shift):
    """Long runs of ASCII, characters of every size and what is none, in any order."""
    check(values, shift)


@given(st.lists(PIECES, max_size=30).map(b"".join), st.lists(st.integers(0, 400), max_size=8))
def test_text_cut_anywhere(text, cuts):
    """The values of one text, cut at any byte."""
    cuts = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    check([text[i:j] for i, j in pairwise(cuts)])
