"""Any bytes at all: a right value or a ColcodecError, nothing else, and no memory that the caller did not allow."""

import time

import battery
import conftest
import naive
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import colcodec as cc

WORDS = [b"axis", b"axle", b"babble", b"", b"babyhood"]
FOURS = [b"axis", b"axle", b"axle", bytes(4), b"babe"]
ODD = naive.Liberties(256, 4, unused_widths=(3, 33, 65, 165), padding=1, varint_size=2, spare_bits=1)
SMALL_PAGES = [
    strategies.Page(encoding, dtype, naive.encode(values, encoding, dtype, liberties), values)
    for encoding, dtype, values in [
        *((encoding, "binary", WORDS) for encoding in strategies.STRING_ENCODINGS),
        *((encoding, 4, FOURS) for encoding in strategies.FIXED_LENGTH_ENCODINGS),
        *(("DELTA_BINARY_PACKED", dtype, [7, 5, 3, 1, 2, 3, 4, 5]) for dtype in naive.BITS),
        ("DELTA_BINARY_PACKED", "int32", [0] * 129 + [2**31 - 1]),
        ("DELTA_BINARY_PACKED", "int64", [-(2**63), 2**63 - 1, 1]),
    ]
    for liberties in (naive.CANONICAL, ODD)
    if encoding.startswith("DELTA") or liberties is naive.CANONICAL
]
LARGER_PAGES = [
    strategies.Page(encoding, dtype, naive.encode(values, encoding, dtype), values)
    for encoding, dtype, values in [
        *(
            (encoding, "binary", [b"key-%04d" % (i * i) for i in range(140)])
            for encoding in strategies.STRING_ENCODINGS
        ),
        *((encoding, 8, [b"key-%04d" % i for i in range(140)]) for encoding in strategies.FIXED_LENGTH_ENCODINGS),
        *(("DELTA_BINARY_PACKED", dtype, [i * i * i for i in range(140)]) for dtype in naive.BITS),
    ]
]


def named(pages):
    """Give parametrised pages their names."""
    return [pytest.param(page, id=f"{page.encoding}-{page.dtype}-{len(page.data)}") for page in pages]


@pytest.mark.parametrize("page", named(SMALL_PAGES + LARGER_PAGES))
def test_every_prefix(page):
    """A page cut anywhere; the counts around the right one as well."""
    step = 1 if conftest.JIT else 1 + len(page.data) // 50
    for size in range(0, len(page.data) + 1, step):
        battery.check_agrees_with_naive(page.data[:size], page.encoding, len(page.values), page.dtype)
    for count in {0, 1, len(page.values) - 1, len(page.values) + 1, len(page.values) + 1000}:
        battery.check_agrees_with_naive(page.data, page.encoding, count, page.dtype)


@pytest.mark.parametrize("page", named(SMALL_PAGES))
def test_every_single_byte_change(page):
    """Each byte of a small page in turn becomes every other byte (interpreted: each bit flips)."""
    for position, byte in enumerate(page.data):
        for other in range(256) if conftest.JIT else {byte ^ 1 << bit for bit in range(8)}:
            changed = page.data[:position] + bytes([other]) + page.data[position + 1 :]
            battery.check_agrees_with_naive(changed, page.encoding, len(page.values), page.dtype)


@given(strategies.broken_pages())
def test_broken_pages(broken):
    """Pages of any writer that were cut, changed, spliced or miscounted."""
    page, count = broken
    battery.check_agrees_with_naive(page.data, page.encoding, count, page.dtype)


@given(
    st.sampled_from([*((encoding, "binary") for encoding in strategies.STRING_ENCODINGS)])
    | st.sampled_from([*((encoding, length) for encoding in strategies.FIXED_LENGTH_ENCODINGS for length in (1, 4))])
    | st.sampled_from([("DELTA_BINARY_PACKED", dtype) for dtype in naive.BITS]),
    st.integers(0, 5),
    st.sampled_from([b"", b"\x80\x01\x04", b"\x80\x01\x01", b"\x80\x10\x08"]),
    st.binary(max_size=80),
)
def test_random_bytes(kind, count, geometry, rest):
    """Random bytes, most of them behind the start of a header that lets them get further."""
    encoding, dtype = kind
    data = geometry + bytes([count]) * (geometry != b"") + rest
    battery.check_agrees_with_naive(data, encoding, count, dtype)


# --- Memory and time -------------------------------------------------------------------------------------------------


def bomb(length, repeats):
    """Write one value and its repeats by prefix alone: little page, much data."""
    prefix_lengths = naive.encode_delta_binary_packed([0] + [length] * repeats, 32)
    suffix_lengths = naive.encode_delta_binary_packed([length] + [0] * repeats, 32)
    return prefix_lengths + suffix_lengths + b"B" * length


@pytest.mark.parametrize("limit", [0, 10**6, 2**31 - 1])
def test_decompression_bomb(limit):
    """6.5 GB of data from a page of some 80 KB are refused before they are built."""
    repeats = 100_000 if conftest.JIT else 40_000
    data = bomb(65_536, repeats)

    def refused():
        started = time.perf_counter()
        battery.check_rejects(data, "DELTA_BYTE_ARRAY", repeats + 1, "LIMIT", max_data_size=limit)
        return time.perf_counter() - started

    seconds = battery.check_little_memory(refused)
    assert seconds < 2 or not conftest.JIT


def test_other_lengths_are_found_before_there_is_memory_for_them():
    """D18: a page of 6.5 GB of values that are all one byte too long, where the caller allows that much."""
    repeats = 100_000 if conftest.JIT else 40_000
    data = bomb(65_536, repeats)

    def refused():
        limit = {"max_data_size": 2**40}
        return battery.check_rejects(data, "DELTA_BYTE_ARRAY", repeats + 1, "FIXED_LENGTH", 65_535, **limit).index

    assert battery.check_little_memory(refused) == 0


@pytest.mark.parametrize("dtype", naive.BITS)
def test_max_data_size_of_integers(dtype):
    """The limit holds for integers, which a few bytes can make many: 4 or 8 bytes a value."""
    data = naive.encode([7] * 1000, "DELTA_BINARY_PACKED", dtype)
    exact = 1000 * naive.BITS[dtype] // 8
    assert battery.decode(data, "DELTA_BINARY_PACKED", 1000, dtype, max_data_size=exact) == [7] * 1000
    battery.check_rejects(data, "DELTA_BINARY_PACKED", 1000, "LIMIT", dtype, max_data_size=exact - 1)


def claim(count, *, block_size=128, blocks=b""):
    """Write a header that claims `count` values, and the blocks that follow it."""
    return b"".join(map(naive.encode_uleb128, (block_size, 4, count, 0))) + blocks


EMPTY_BLOCKS = bytes(5 * 50)  # width 0: 128 values in 5 bytes
INTEGER_KINDS = [("DELTA_BINARY_PACKED", dtype) for dtype in naive.BITS]
DELTA_KINDS = [
    *INTEGER_KINDS,
    ("DELTA_LENGTH_BYTE_ARRAY", "binary"),
    ("DELTA_BYTE_ARRAY", "binary"),
    ("DELTA_BYTE_ARRAY", 16),
]
CLAIMS = [
    (("PLAIN", "binary"), bytes(40), 2**31 - 1),
    *(((encoding, length), bytes(40), 2**31 - 1) for encoding in ("PLAIN", "BYTE_STREAM_SPLIT") for length in (1, 16)),
    *((kind, claim(count), count) for kind in DELTA_KINDS for count in (10**8, 10**9)),
    *((kind, claim(count, blocks=EMPTY_BLOCKS), count) for kind in DELTA_KINDS for count in (10**8, 10**9)),
    *((kind, claim(10**8, block_size=2**31 - 128), 10**8) for kind in DELTA_KINDS),
    *((kind, claim(2**31 - 1) + b"\xff" * 40, 2**31 - 1) for kind in DELTA_KINDS),
    *((kind, claim(5, blocks=EMPTY_BLOCKS), 10**8) for kind in DELTA_KINDS),
]


@pytest.mark.parametrize(
    ("kind", "data", "count"),
    [pytest.param(*claimed, id="-".join(map(str, (*claimed[0], i)))) for i, claimed in enumerate(CLAIMS)],
)
def test_claims_without_bytes(kind, data, count):
    """A20, A21, F8: a page that claims what its bytes cannot hold is refused without memory for it."""
    encoding, dtype = kind

    def refused():
        with pytest.raises(cc.MalformedPageError) as caught:
            battery.decode(data, encoding, count, dtype)
        return caught.value.status.name

    assert battery.check_little_memory(refused, 16 << 20) in ("LIMIT", naive_kind(data, encoding, dtype, count))


def naive_kind(data, encoding, dtype, count):
    """Tell what naive finds wrong."""
    with pytest.raises(naive.MalformedError) as caught:
        naive.decode(data, encoding, count, dtype)
    return caught.value.kind


@pytest.mark.parametrize("miniblocks", [2**31 - 1, (2**31 - 128) // 32])
def test_millions_of_miniblocks(miniblocks):
    """A21: a legal number of miniblocks may be 67 million; their widths are not copied anywhere."""
    fields = (2**31 - 128, miniblocks, 10, 0)
    data = b"".join(map(naive.encode_uleb128, fields)) + bytes(100)
    status = naive_kind(data, "DELTA_BINARY_PACKED", "int64", 10)
    battery.check_little_memory(
        lambda: battery.check_rejects(data, "DELTA_BINARY_PACKED", 10, status, "int64"), 1 << 20
    )


def test_long_miniblocks_are_unpacked_only_as_far_as_needed():
    """A33: a block of 2**31 - 128 values of width 0 for the sake of ten: work is bounded by what is wanted."""
    data = claim(10, block_size=2**31 - 128, blocks=b"\x02" + bytes(4))
    started = time.perf_counter()
    assert battery.decode(data, "DELTA_BINARY_PACKED", 10, "int32") == list(range(10))
    assert time.perf_counter() - started < 2
