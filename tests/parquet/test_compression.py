"""The compression of pages, both ways against Arrow's codecs; what is not compressed so, or not of that size."""

import gzip
import struct

import battery
import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from colcodec.compression import (
    EXPANSION,
    Compression,
    DecompressionError,
    as_compression,
    decompress,
    decompress_hadoop_lz4,
    find_compressor,
)

THEIRS = {
    Compression.ZSTD: "zstd",
    Compression.SNAPPY: "snappy",
    Compression.LZ4: "lz4_raw",
    Compression.GZIP: "gzip",
    Compression.BROTLI: "brotli",
}
EACH = pytest.mark.parametrize("kind", THEIRS)
TEXT = b"".join(b"axis %d axle " % (i * i) for i in range(200))
PAGES = [b"a", b"axle", TEXT, bytes(100_000), np.random.default_rng(5).bytes(3000)]
SPARE = 64


def page_of(data):
    return np.frombuffer(data, np.uint8)


def theirs(kind):
    return pa.Codec(THEIRS[kind])


def compressed(kind, data):
    return np.frombuffer(theirs(kind).compress(data), np.uint8)


def pages():
    """Draw what may be compressed: anything, and what repeats."""
    repeated = st.builds(lambda some, count: some * count, st.binary(max_size=9), st.integers(0, 300))
    return st.one_of(st.binary(max_size=60), repeated, st.sampled_from([*PAGES, b""]))


@EACH
@given(data=pages())
def test_arrow_reads_what_is_compressed(kind, data):
    stored = find_compressor(kind)(page_of(data))
    assert stored.dtype == np.uint8
    if data:
        assert theirs(kind).decompress(stored.tobytes(), len(data), asbytes=True) == data
    assert decompress(stored, kind, len(data)).tobytes() == data


@EACH
@given(data=pages())
def test_what_arrow_compresses_is_read(kind, data):
    assert decompress(compressed(kind, data), kind, len(data)).tobytes() == data


@EACH
@given(data=pages(), wrong=st.integers(-70, 70))
def test_sizes_that_lie(kind, data, wrong):
    """F5: what becomes more or fewer bytes than it should is an error, and nothing behind them is written to."""
    size = max(len(data) + wrong, 0)
    out = np.full(size + SPARE, 0xA5, np.uint8)
    stored = compressed(kind, data)
    if size == len(data):
        assert decompress(stored, kind, size, out).tobytes() == data
    else:
        with pytest.raises(DecompressionError, match=kind.value):
            decompress(stored, kind, size, out)
    assert (out[size:] == 0xA5).all()


@EACH
def test_pages_without_bytes(kind):
    """F13: nothing stays nothing, and what was made of it is nothing again; no bytes come out of it."""
    nothing = page_of(b"")
    assert decompress(nothing, kind, 0).size == 0
    for size in (1, 100):
        with pytest.raises(DecompressionError):
            decompress(nothing, kind, size)
    for stored in (compressed(kind, b""), find_compressor(kind)(nothing)):
        assert decompress(stored, kind, 0).size == 0


@EACH
@pytest.mark.parametrize("data", PAGES[1:], ids=len)
def test_truncated(kind, data):
    stored = compressed(kind, data)
    for size in sorted({*range(min(stored.size, 40)), *range(0, stored.size, 97), stored.size - 1}):
        with pytest.raises(DecompressionError):
            decompress(stored[:size], kind, len(data))


def outcome(kind, stored, size):
    """Decompress what may be anything, with nothing but our error if it is not compressed so."""
    out = np.full(size + SPARE, 0xA5, np.uint8)
    decompressor = decompress_hadoop_lz4 if kind == "hadoop" else lambda *args: decompress(args[0], kind, *args[1:])
    try:
        found = decompressor(stored, size, out)
    except DecompressionError:
        found = None
    assert (out[size:] == 0xA5).all()
    assert found is None or found.size == size


ANY = pytest.mark.parametrize("kind", [*THEIRS, "hadoop"])


@ANY
@given(stored=st.binary(max_size=80), size=st.integers(0, 300))
def test_any_bytes(kind, stored, size):
    outcome(kind, page_of(stored), size)


@ANY
@given(data=st.data())
def test_bytes_that_were_changed(kind, data):
    page = data.draw(st.sampled_from([*PAGES[:3], bytes(3000)]))
    stored = framed([page]) if kind == "hadoop" else compressed(kind, page).copy()
    for at in data.draw(st.lists(st.integers(0, stored.size - 1), min_size=1, max_size=3)):
        stored[at] = data.draw(st.integers(0, 255))
    outcome(kind, stored, len(page))


@EACH
def test_bombs(kind):
    """F8: what would become far more than it should is given up within the bytes that it should have."""
    stored = compressed(kind, bytes(50_000_000))

    def inflate():
        with pytest.raises(DecompressionError):
            decompress(stored, kind, 1000)

    battery.check_little_memory(inflate, 1 << 20)


@EACH
def test_sizes_that_no_page_has(kind):
    """F8: what no bytes that are so few can become needs no memory to be refused."""
    stored = compressed(kind, TEXT)[:20]
    size = EXPANSION[kind] * stored.size + 1

    def refuse():
        with pytest.raises(DecompressionError, match=f"^20 bytes of {kind} are {size - 1} .* should be {size}$"):
            decompress(stored, kind, size)
        if kind == "lz4":
            with pytest.raises(DecompressionError, match=f"^20 bytes of lz4 are {size - 1} "):
                decompress_hadoop_lz4(stored, size)

    battery.check_little_memory(refuse, 1 << 16)


@EACH
def test_pages_that_become_as_much_as_they_can(kind):
    """Zeros, at the highest level; each block of zstd 4 bytes, of gzip 2 bits for each match."""
    data = bytes(20_000_000)
    level = {"zstd": 22, "gzip": 9, "brotli": 11}.get(kind)
    stored = theirs(kind).compress(data) if level is None else pa.Codec(THEIRS[kind], level).compress(data)
    if kind == "zstd":
        blocks = [(i == 152) | 1 << 1 | (1 << 17 if i < 152 else 77_056) << 3 for i in range(153)]
        stored = b"\x28\xb5\x2f\xfd\0\x58" + b"".join(block.to_bytes(3, "little") + b"\0" for block in blocks)
    assert decompress(page_of(stored), kind, len(data)).tobytes() == data
    closest = {"zstd": 0.98, "gzip": 0.95, "lz4": 0.95, "snappy": 0.9, "brotli": 0.05}[kind]
    assert closest < len(data) / len(stored) / EXPANSION[kind] <= 1


def test_not_compressed():
    page = page_of(TEXT)
    assert decompress(page, Compression.NONE, page.size) is page
    assert find_compressor("none")(page) is page
    for size in (0, page.size - 1, page.size + 1):
        with pytest.raises(
            DecompressionError, match=f"^{page.size} bytes that are not compressed, but should be {size}$"
        ):
            decompress(page, Compression.NONE, size)


def test_several_members_of_gzip():
    """Gzip may be several files behind each other."""
    stored = page_of(gzip.compress(TEXT[:50]) + gzip.compress(b"") + gzip.compress(TEXT[50:]))
    assert decompress(stored, Compression.GZIP, len(TEXT)).tobytes() == TEXT


def test_several_frames_of_zstd():
    stored = np.concatenate([compressed(Compression.ZSTD, part) for part in (TEXT[:50], TEXT[50:])])
    assert decompress(stored, Compression.ZSTD, len(TEXT)).tobytes() == TEXT


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("zstd:1", (1, 22)), ("gzip:1", (1, 9)), ("brotli:0", (0, 11))],
)
def test_levels(name, sizes):
    """Every level is read by Arrow, and the highest is smaller than the lowest."""
    kind, _ = as_compression(name)
    stored = [find_compressor(f"{kind}:{level}")(page_of(TEXT)) for level in sizes]
    assert stored[1].size < stored[0].size
    assert all(theirs(kind).decompress(some.tobytes(), len(TEXT), asbytes=True) == TEXT for some in stored)


# --- Hadoop's LZ4 ----------------------------------------------------------------------------------------------------


def framed(parts):
    """Compress parts of a page, each in a frame."""
    blocks = [(part, compressed(Compression.LZ4, part).tobytes()) for part in parts]
    return np.frombuffer(
        bytearray().join(struct.pack(">II", len(part), len(block)) + block for part, block in blocks), np.uint8
    ).copy()


@given(parts=st.lists(pages(), max_size=4))
def test_frames(parts):
    data = b"".join(parts)
    assert decompress_hadoop_lz4(framed(parts), len(data)).tobytes() == data


@given(data=pages())
def test_a_block_without_a_frame(data):
    """Some writers of the old LZ4 left the frames out."""
    assert decompress_hadoop_lz4(compressed(Compression.LZ4, data), len(data)).tobytes() == data


def test_frames_that_lie():
    """F5, F8: sizes beyond the page, or beyond what is there, or of nothing at all."""
    data = TEXT[:300]
    stored = framed([data[:100], data[100:]])
    out = np.full(len(data) + SPARE, 0xA5, np.uint8)
    assert decompress_hadoop_lz4(stored, len(data), out).tobytes() == data
    cases = [stored[:size] for size in range(stored.size)]
    for at, value in ((0, 0xFF), (3, 101), (3, 99), (4, 0xFF), (7, stored[7] + 1), (7, stored[7] - 1), (7, 0)):
        case = stored.copy()
        case[at] = value
        cases.append(case)
    for case in [*cases, np.concatenate([stored, stored]), np.concatenate([stored, page_of(bytes(7))])]:
        with pytest.raises(DecompressionError):
            decompress_hadoop_lz4(case, len(data), out)
    for size in (0, 1, len(data) - 1, len(data) + 1):
        with pytest.raises(DecompressionError):
            decompress_hadoop_lz4(stored, size, out)
    assert (out[len(data) :] == 0xA5).all()


# --- Names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("zstd", (Compression.ZSTD, 3)),
        ("zstd:22", (Compression.ZSTD, 22)),
        ("gzip", (Compression.GZIP, 6)),
        ("gzip:0", (Compression.GZIP, 0)),
        ("brotli", (Compression.BROTLI, 8)),
        ("brotli:11", (Compression.BROTLI, 11)),
        ("snappy", (Compression.SNAPPY, None)),
        ("lz4", (Compression.LZ4, None)),
        ("none", (Compression.NONE, None)),
    ],
)
def test_names(name, expected):
    assert as_compression(name) == expected
    assert find_compressor(name)(page_of(TEXT)).size > 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "compression must be one of zstd, snappy, lz4, gzip, brotli, none, not ''"),
        ("ZSTD", "not 'ZSTD'"),
        ("lzo", "not 'lzo'"),
        ("snappy:1", "snappy has no levels"),
        ("none:", "none has no levels"),
        ("zstd:", "zstd has levels 1 to 22, not ''"),
        ("zstd:0", "zstd has levels 1 to 22, not '0'"),
        ("zstd:23", "not '23'"),
        ("zstd:-1", "not '-1'"),
        ("zstd:1.5", "not '1.5'"),
        ("zstd: 1", "not ' 1'"),
        ("gzip:10", "gzip has levels 0 to 9, not '10'"),
        ("brotli:12", "brotli has levels 0 to 11, not '12'"),
    ],
)
def test_names_that_there_are_not(name, message):
    for function in (as_compression, find_compressor):
        with pytest.raises(ValueError, match=message):
            function(name)
