"""Pages with known right bytes, both ways: worked out by hand, and written by others (see golden/README.md)."""

import battery
import golden_pages
import naive
import numpy as np
import pytest

import colcodec as cc

HAND_MADE = golden_pages.hand_made()
PRODUCED = golden_pages.produced(*golden_pages.PRODUCERS)
ARROW = [page for page in golden_pages.produced("pyarrow") if page.dtype != "int64"]  # there Arrow has blocks of 256
PEERS = sorted((golden_pages.GOLDEN / "peers").iterdir())


def named(pages):
    """Give parametrised pages their names."""
    return [pytest.param(page, id=page.name) for page in pages]


@pytest.mark.parametrize("page", named(HAND_MADE))
def test_pages_made_by_hand(page):
    """The worked examples of the format, byte by byte."""
    assert battery.encode(page.column, page.encoding, page.dtype).data.tobytes() == page.data
    assert battery.decode(page.data, page.encoding, len(page.column), page.dtype) == page.column
    assert naive.encode(page.column, page.encoding, page.dtype) == page.data


@pytest.mark.parametrize("page", named(PRODUCED))
def test_pages_of_other_writers_are_read(page):
    """What pyarrow, DuckDB and polars wrote comes back as what they were given."""
    column = page.column
    if page.dtype in naive.BITS:  # integers are decoded without their nulls
        column = [value for value in column if value is not None]
        assert battery.decode(page.data, page.encoding, len(column), page.dtype) == column
    else:
        validity = None if page.validity is None else np.array(page.validity)
        beside = {} if page.dictionary is None else {"dictionary": cc.EncodedPage("PLAIN", *page.dictionary[::-1])}
        assert battery.decode(page.data, page.encoding, len(column), page.dtype, validity=validity, **beside) == column
    count = len(battery.encoded_values(page.column))
    if page.dictionary is None:
        assert battery.consumed(page.data, page.encoding, count, page.dtype) == len(page.data)


@pytest.mark.parametrize("page", named(ARROW))
def test_pages_are_those_of_arrow(page):
    """What pyarrow was given, we encode to the bytes that it wrote."""
    column = page.column
    if page.dtype in naive.BITS:
        column = [value for value in column if value is not None]
    encoded = battery.encode(column, page.encoding, page.dtype)
    assert encoded.data.tobytes() == page.data
    if page.dictionary is not None:
        assert (encoded.dictionary.num_values, encoded.dictionary.data.tobytes()) == page.dictionary
    if page.validity is not None and encoded.validity is not None:
        bits = np.unpackbits(encoded.validity, count=len(column), bitorder="little")
        assert bits.astype(bool).tolist() == page.validity


def encoded_like_peer(column, encoding):
    """Encode a column as the peers did: DELTA_BINARY_PACKED holds the lengths of the values."""
    if encoding == "DELTA_BINARY_PACKED":
        return battery.encode([len(value) for value in column if value is not None], encoding, "int32")
    return battery.encode(column, encoding)


def check_peers(folder):
    """Our bytes are Arrow's, and parquet-java's but for what is left over in its padding; both are read."""
    column, pages, dictionaries = golden_pages.peer_column(folder)
    values = battery.encoded_values(column)
    for (peer, encoding), data in pages.items():
        if encoding not in cc.Encoding.__members__:
            continue  # parquet-java's page of offsets
        if encoding == "RLE_DICTIONARY":
            check_dictionary(column, peer, data, dictionaries[peer])
            continue
        ours = encoded_like_peer(column, encoding).data.tobytes()
        assert ours == (data if peer == "arrow-cpp" else without_leftovers(data, encoding, len(values))), (
            peer,
            encoding,
        )
        if encoding == "DELTA_BINARY_PACKED":
            assert battery.decode(data, encoding, len(values), "int32") == list(map(len, values))
        else:
            assert battery.decode(data, encoding, len(values)) == values


def check_dictionary(column, peer, data, dictionary):
    """Our dictionary is that of both; our indices are those of Arrow, and of parquet-java where it chooses as Arrow."""
    page, values = cc.encode(column, "RLE_DICTIONARY"), battery.encoded_values(column)
    assert page.dictionary.data.tobytes() == dictionary
    beside = {"num_values": len(values), "dictionary": dictionary}
    assert cc.decode(data, encoding="RLE_DICTIONARY", **beside).to_pylist() == values
    if peer == "arrow-cpp" or (page.dictionary.num_values > 1 and len(values) % 8 == 0):
        assert page.data.tobytes() == data


def without_leftovers(data, encoding, num_values):
    """Zero the padding and the widths of unused miniblocks in a page."""
    if encoding == "PLAIN":
        return data
    out, pos = b"", 0
    for _ in range(2 if encoding == "DELTA_BYTE_ARRAY" else 1):
        stream, pos = stream_without_leftovers(data, pos, num_values)
        out += stream
    return out + data[pos:]


def stream_without_leftovers(data, pos, num_values):
    """Zero the same in one DELTA_BINARY_PACKED stream: its bytes and the position after it."""
    start = pos
    block_size, miniblocks_per_block, _, pos = naive.decode_header(data, pos, 32, num_values)
    miniblock_size = block_size // miniblocks_per_block
    out, left = data[start:pos], num_values - 1
    while left > 0:
        start = pos
        _, pos = naive.decode_zigzag_varint(data, pos, 32)
        used = min(-(-left // miniblock_size), miniblocks_per_block)
        widths = data[pos : pos + used]
        out += data[start:pos] + widths + bytes(miniblocks_per_block - used)
        pos += miniblocks_per_block
        for width in widths:
            size, count = miniblock_size * width // 8, min(miniblock_size, left)
            deltas = naive.unpack(data[pos : pos + size], width, count)
            out += naive.pack(deltas + [0] * (miniblock_size - count), width)
            pos += size
            left -= count
    return out, pos


@pytest.mark.parametrize("folder", [pytest.param(folder, id=folder.name) for folder in PEERS])
def test_pages_of_arrow_and_parquet_java(folder):
    """Small columns, as Arrow C++ 26 and parquet-java 1.17 encode them."""
    check_peers(folder)


@pytest.mark.parametrize("name", ["arrow-delta-64-2048-90", "dev-mixed"])
def test_larger_pages_of_arrow_and_parquet_java(shared, name):
    """The columns of the shared corpus that are too large for the repository."""
    check_peers(shared / "corpus" / "pages" / name)


def test_null_slots_may_hold_bytes(shared):
    """Arrow lets a null slot hold bytes; the pages of both peers leave them out, and so do ours."""
    folder = shared / "corpus" / "pages" / "dev-nulls"
    offsets = np.fromfile(folder / "input" / "offsets.i32", "<i4").astype(np.int64)
    data = np.fromfile(folder / "input" / "data.u8", np.uint8)
    is_valid = np.fromfile(folder / "input" / "validity.u8", np.uint8).astype(bool)
    assert offsets[-1] > len(golden_pages.peer_column(folder).pages["arrow-cpp", "PLAIN"])
    column = cc.StringColumn(offsets, data, np.packbits(is_valid, bitorder="little"), utf8=False)
    for encoding in battery.MODULES:
        page = cc.encode(column, encoding)
        assert page.data.tobytes() == (folder / "arrow-cpp" / f"{encoding}.bin").read_bytes()
        assert cc.decode(page) == column


@pytest.mark.parametrize(("value", "digits"), golden_pages.vectors()["uleb128"])
def test_naive_varints(value, digits):
    """The second opinion knows the varints of the format."""
    assert naive.encode_uleb128(value).hex() == digits
    assert naive.decode_uleb128(bytes.fromhex(digits), 0, 64) == (value, len(digits) // 2)


@pytest.mark.parametrize(("value", "digits"), golden_pages.vectors()["zigzag"])
def test_naive_zigzag(value, digits):
    """The second opinion knows the signed varints of the format."""
    assert naive.encode_uleb128(naive.encode_zigzag(value)).hex() == digits
    assert naive.decode_zigzag_varint(bytes.fromhex(digits), 0, 64) == (value, len(digits) // 2)


@pytest.mark.parametrize(("values", "width", "digits"), golden_pages.vectors()["packed"])
def test_naive_packing(values, width, digits):
    """The second opinion packs bits as the format does."""
    assert naive.pack(values, width).hex() == digits
    assert naive.unpack(bytes.fromhex(digits), width, len(values)) == values
