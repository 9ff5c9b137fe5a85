"""Parquet's byte-array encodings in slow, plain Python: the second opinion on everything colcodec does.

Written from the format's ``Encodings.md`` (its sections are named below), for reading and not for speed. It imports
nothing of colcodec. Values are ``bytes`` and ``int``, a page is ``bytes``; nulls are not part of a page, so not here.

The encoders write what Arrow C++ writes. A `Liberties` makes them write something else that is just as legal. The
decoders follow the letter of the format and raise `MalformedError`, except that a page of 0 values may have no bytes,
that varints may be zero-padded, and that bytes after the last value are left alone: how many were read is told.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

MAX_INT32 = 2**31 - 1
BITS = {"int32": 32, "int64": 64}


class MalformedError(Exception):
    """A page that breaks the rules: the kind of fault (a name of ``Status``), its byte and, where it has one, value."""

    def __init__(self, kind: str, position: int, index: int | None = None) -> None:
        super().__init__(f"{kind} at byte {position}, value {index}")
        self.kind, self.position, self.index = kind, position, index


class Decoded(NamedTuple):
    """The values of a page and the number of bytes that held them."""

    values: list
    consumed: int


@dataclass(frozen=True)
class Liberties:
    """What the format leaves to a writer ("Delta Encoding"); the defaults are the choices of Arrow C++ for int32."""

    block_size: int = 128
    miniblocks_per_block: int = 4
    unused_widths: tuple[int, ...] = (0,)  # width bytes of miniblocks that hold nothing: any byte, in turn
    padding: int = 0  # every bit after the last value: 0 or 1
    varint_size: int = 1  # zero-pad varints to so many bytes; 5 is the most that every field may have
    spare_bits: int = 0  # make miniblocks wider than they need to be
    lower_min_delta: int = 0  # make min_delta smaller than the smallest delta
    stale_first_value: int = 0  # the first value of a stream without values
    prefix_cap: int = MAX_INT32  # share no more bytes than this with the value before


CANONICAL = Liberties()


# --- Primitives: ULEB128, zigzag, bit packing, two's complement ------------------------------------------------------


def encode_uleb128(value: int, size: int = 1) -> bytes:
    """Seven bits a byte, low bits first, the high bit set while more follow; zero-padded to `size` bytes."""
    out = bytearray()
    while value > 0x7F or len(out) + 1 < size:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def decode_uleb128(buf: bytes, pos: int, bits: int) -> tuple[int, int]:
    """Read a varint of at most `bits` bits: the value and the position after it."""
    for size in range(1, (bits + 6) // 7 + 1):
        if size > len(buf) - pos:
            raise MalformedError("TRUNCATED", pos)
        if buf[pos + size - 1] < 0x80:
            value = sum((byte & 0x7F) << 7 * i for i, byte in enumerate(buf[pos : pos + size]))
            if value < 1 << bits:
                return value, pos + size
            break
    raise MalformedError("BAD_VARINT", pos)


def encode_zigzag(value: int) -> int:
    """Map 0, -1, 1, -2, ... to 0, 1, 2, 3, ..."""
    return 2 * value if value >= 0 else -2 * value - 1


def decode_zigzag(value: int) -> int:
    """Map 0, 1, 2, 3, ... to 0, -1, 1, -2, ..."""
    return value // 2 if value % 2 == 0 else -(value + 1) // 2


def decode_zigzag_varint(buf: bytes, pos: int, bits: int) -> tuple[int, int]:
    """Read a signed varint of `bits` bits: the value and the position after it."""
    value, pos = decode_uleb128(buf, pos, bits)
    return decode_zigzag(value), pos


def pack(values: Sequence[int], width: int) -> bytes:
    """Put `width` bits of each value end to end, low bits first ("RLE", note 1)."""
    bits = sum(value << i * width for i, value in enumerate(values))
    return bits.to_bytes((len(values) * width + 7) // 8, "little")


def unpack(body: bytes, width: int, count: int) -> list[int]:
    """Take `count` values of `width` bits from packed bytes."""
    bits = int.from_bytes(body, "little")
    return [bits >> i * width & (1 << width) - 1 for i in range(count)]


def wrap(value: int, bits: int) -> int:
    """Keep the low bits of a number, as two's complement does."""
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


# --- The RLE / bit-packed hybrid ("Run Length Encoding / Bit-Packing Hybrid") ----------------------------------------


def encode_hybrid(values: Sequence[int], width: int) -> bytes:
    """Encode values as Arrow C++ does: group by group, unless eight values or more are the same."""
    out, literal, rest = b"", [], list(values)
    while rest:
        run = next((i for i, value in enumerate(rest) if value != rest[0]), len(rest))
        if run >= 8 or (run == len(rest) and not literal):
            out += encode_literal(literal, width)
            out += encode_uleb128(run << 1) + rest[0].to_bytes((width + 7) // 8, "little")
            literal, rest = [], rest[run:]
        else:
            literal, rest = literal + rest[:8], rest[8:]
            if len(literal) == 63 * 8:
                out += encode_literal(literal, width)
                literal = []
    return out + encode_literal(literal, width)


def encode_literal(values: Sequence[int], width: int) -> bytes:
    """Bit-pack a run, and zeros that fill its last group."""
    groups = (len(values) + 7) // 8
    return (
        encode_uleb128(groups << 1 | 1) + pack([*values, *[0] * (8 * groups - len(values))], width) if values else b""
    )


def decode_hybrid(buf: bytes, pos: int, width: int, num_values: int) -> tuple[list[int], int]:
    """Decode `num_values` values: these and the position after the last run."""
    values = []
    while len(values) < num_values:
        start = pos
        header, pos = decode_uleb128(buf, pos, 32)
        count, wanted = header >> 1, num_values - len(values)
        if count == 0 or (header & 1 and 8 * count > MAX_INT32):
            raise MalformedError("BAD_RUN", start, len(values))
        if header & 1:
            body = buf[pos : pos + count * width]
            held = 8 * len(body) // width if len(body) < count * width else 8 * count
            if held < min(wanted, 8 * count) or held <= 8 * (count - 1):  # the last group may be cut
                raise MalformedError("TRUNCATED", len(buf), len(values))
            values += unpack(body, width, min(wanted, held))
            pos += len(body)
        else:
            body = buf[pos : pos + (width + 7) // 8]
            if len(body) < (width + 7) // 8:
                raise MalformedError("TRUNCATED", len(buf), len(values))
            if int.from_bytes(body, "little") >> width:
                raise MalformedError("BIT_WIDTH", pos, len(values))
            values += [int.from_bytes(body, "little")] * min(count, wanted)
            pos += len(body)
    return values, pos


# --- Levels ("Data Pages" in the format's README.md) -----------------------------------------------------------------


def encode_levels(levels: Sequence[int], max_level: int, page_version: int) -> bytes:
    """Encode levels; their size goes before them in a data page of version 1, and level 0 takes no bytes at all."""
    if max_level == 0:
        return b""
    data = encode_hybrid(levels, max_level.bit_length())
    return len(data).to_bytes(4, "little") + data if page_version == 1 else data


def decode_levels(buf: bytes, num_values: int, max_level: int, page_version: int) -> Decoded:
    """Decode `num_values` levels."""
    if max_level == 0:
        return Decoded([0] * num_values, 0)
    start, end = 0, len(buf)
    if page_version == 1:
        size = int.from_bytes(buf[:4], "little", signed=True)
        if len(buf) < 4:
            raise MalformedError("TRUNCATED", len(buf))
        if size < 0:
            raise MalformedError("NEGATIVE_LENGTH", 0)
        start, end = 4, 4 + size
        if end > len(buf):
            raise MalformedError("TRUNCATED", len(buf))
    levels, _ = decode_hybrid(buf[:end], start, max_level.bit_length(), num_values)
    for index, level in enumerate(levels):
        if level > max_level:
            raise MalformedError("LEVEL_RANGE", start, index)
    return Decoded(levels, end)


# --- DELTA_BINARY_PACKED = 5 ("Delta Encoding") ----------------------------------------------------------------------


def encode_delta_binary_packed(values: Sequence[int], bits: int, liberties: Liberties = CANONICAL) -> bytes:
    """Encode integers of 32 or 64 bits: a header, then blocks of deltas."""
    size = liberties.varint_size
    first = values[0] if values else liberties.stale_first_value
    out = bytearray()
    for field in (liberties.block_size, liberties.miniblocks_per_block, len(values), encode_zigzag(first)):
        out += encode_uleb128(field, size)
    deltas = [wrap(after - before, bits) for before, after in pairwise(values)]
    for start in range(0, len(deltas), liberties.block_size):
        out += encode_block(deltas[start : start + liberties.block_size], bits, liberties)
    return bytes(out)


def encode_block(deltas: Sequence[int], bits: int, liberties: Liberties) -> bytes:
    """Encode up to `block_size` deltas: the smallest, a width for each miniblock, the miniblocks that hold any."""
    miniblock_size = liberties.block_size // liberties.miniblocks_per_block
    min_delta = max(min(deltas) - liberties.lower_min_delta, -(1 << bits - 1))
    widths, bodies = [], []
    for i in range(liberties.miniblocks_per_block):
        part = [(delta - min_delta) % (1 << bits) for delta in deltas[i * miniblock_size : (i + 1) * miniblock_size]]
        if not part:
            widths.append(liberties.unused_widths[i % len(liberties.unused_widths)])
            continue
        width = min(max(part).bit_length() + liberties.spare_bits, bits)
        widths.append(width)
        fill = (1 << width) - 1 if liberties.padding else 0
        bodies.append(pack(part + [fill] * (miniblock_size - len(part)), width))
    return encode_uleb128(encode_zigzag(min_delta), liberties.varint_size) + bytes(widths) + b"".join(bodies)


def decode_delta_binary_packed(buf: bytes, pos: int, bits: int, num_values: int) -> tuple[list[int], int]:
    """Decode exactly `num_values` integers: the values and the position after the last, padded miniblock."""
    block_size, miniblocks_per_block, first_value, pos = decode_header(buf, pos, bits, num_values)
    miniblock_size = block_size // miniblocks_per_block
    values = [first_value][:num_values]
    while len(values) < num_values:
        min_delta, pos = decode_zigzag_varint(buf, pos, bits)
        widths = buf[pos : pos + miniblocks_per_block]
        if len(widths) < miniblocks_per_block:
            raise MalformedError("TRUNCATED", pos, len(values))
        widths_pos = pos
        pos += miniblocks_per_block
        for i, width in enumerate(widths):
            count = min(miniblock_size, num_values - len(values))
            if count == 0:
                break  # the widths of miniblocks that hold nothing mean nothing
            if width > bits:
                raise MalformedError("BIT_WIDTH", widths_pos + i, len(values))
            body_size = miniblock_size * width // 8
            if body_size > len(buf) - pos:
                raise MalformedError("TRUNCATED", pos, len(values))
            for packed in unpack(buf[pos : pos + body_size], width, count):
                values.append(wrap(values[-1] + min_delta + packed, bits))
            pos += body_size
    return values, pos


def decode_header(buf: bytes, pos: int, bits: int, num_values: int) -> tuple[int, int, int, int]:
    """Read and check a header: the block size, miniblocks per block, first value and position after it."""
    start = pos
    block_size, pos = decode_uleb128(buf, pos, 32)
    miniblocks_per_block, pos = decode_uleb128(buf, pos, 32)
    total_count, pos = decode_uleb128(buf, pos, 32)
    first_value, pos = decode_zigzag_varint(buf, pos, bits)
    if max(block_size, miniblocks_per_block, total_count) > MAX_INT32:
        raise MalformedError("BAD_HEADER", start)
    if block_size == 0 or block_size % 128 or miniblocks_per_block == 0 or block_size % miniblocks_per_block:
        raise MalformedError("BAD_HEADER", start)
    if block_size // miniblocks_per_block % 32:
        raise MalformedError("BAD_HEADER", start)
    if total_count != num_values:
        raise MalformedError("COUNT_MISMATCH", start)
    return block_size, miniblocks_per_block, first_value, pos


# --- PLAIN = 0 ("Plain"), BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY --------------------------------------------------------


def encode_plain(values: Sequence[bytes]) -> bytes:
    """Encode each value as its length in 4 bytes, little-endian, and its bytes."""
    return b"".join(len(value).to_bytes(4, "little") + value for value in values)


def decode_plain(buf: bytes, num_values: int) -> Decoded:
    """Decode `num_values` values."""
    values, pos = [], 0
    if 4 * num_values > len(buf):
        raise MalformedError("TRUNCATED", len(buf))
    for index in range(num_values):
        if len(buf) - pos < 4:
            raise MalformedError("TRUNCATED", pos, index)
        length = int.from_bytes(buf[pos : pos + 4], "little")
        if length > MAX_INT32:
            raise MalformedError("NEGATIVE_LENGTH", pos, index)
        pos += 4
        if length > len(buf) - pos:
            raise MalformedError("TRUNCATED", pos, index)
        values.append(buf[pos : pos + length])
        pos += length
    return Decoded(values, pos)


def decode_plain_fixed(buf: bytes, num_values: int, type_length: int) -> Decoded:
    """Decode `num_values` values of `type_length` bytes, which stand end to end."""
    size = num_values * type_length
    if size > len(buf):
        raise MalformedError("TRUNCATED", len(buf))
    return Decoded([buf[i : i + type_length] for i in range(0, size, type_length)], size)


# --- BYTE_STREAM_SPLIT = 9 ("Byte Stream Split"), FIXED_LEN_BYTE_ARRAY -----------------------------------------------


def encode_byte_stream_split(values: Sequence[bytes], type_length: int) -> bytes:
    """Encode the first bytes of all values, then the second ones, up to the last."""
    return b"".join(bytes(value[i] for value in values) for i in range(type_length))


def decode_byte_stream_split(buf: bytes, num_values: int, type_length: int) -> Decoded:
    """Decode `num_values` values of `type_length` bytes, which are all that the page holds."""
    size = num_values * type_length
    if len(buf) != size:
        raise MalformedError("TRUNCATED" if len(buf) < size else "COUNT_MISMATCH", min(len(buf), size))
    return Decoded([buf[i::num_values] for i in range(num_values)], size)


# --- DELTA_LENGTH_BYTE_ARRAY = 6 ("Delta-length byte array") ---------------------------------------------------------


def encode_delta_length_byte_array(values: Sequence[bytes], liberties: Liberties = CANONICAL) -> bytes:
    """Encode all lengths, then all bytes."""
    return encode_delta_binary_packed([len(value) for value in values], 32, liberties) + b"".join(values)


def decode_delta_length_byte_array(buf: bytes, num_values: int, pos: int = 0) -> Decoded:
    """Decode `num_values` values."""
    lengths, pos = decode_delta_binary_packed(buf, pos, 32, num_values)
    check_lengths(lengths, buf, pos)
    values = []
    for length in lengths:
        values.append(buf[pos : pos + length])
        pos += length
    return Decoded(values, pos)


def check_lengths(lengths: Sequence[int], buf: bytes, pos: int) -> None:
    """Refuse lengths that are negative or come to more bytes than there are."""
    for index, length in enumerate(lengths):
        if length < 0:
            raise MalformedError("NEGATIVE_LENGTH", pos, index)
        if length > len(buf) - pos:
            raise MalformedError("TRUNCATED", pos, index)
        pos += length


# --- DELTA_BYTE_ARRAY = 7 ("Delta Strings") --------------------------------------------------------------------------


def common_prefix(left: bytes, right: bytes) -> int:
    """Count the leading bytes that two values share."""
    count = 0
    while count < min(len(left), len(right)) and left[count] == right[count]:
        count += 1
    return count


def encode_delta_byte_array(values: Sequence[bytes], liberties: Liberties = CANONICAL) -> bytes:
    """Encode the lengths of the prefixes shared with the value before, then what is left of each value."""
    prefixes = [min(common_prefix(*pair), liberties.prefix_cap) for pair in pairwise([b"", *values])]
    suffixes = [value[prefix:] for value, prefix in zip(values, prefixes, strict=True)]
    return encode_delta_binary_packed(prefixes, 32, liberties) + encode_delta_length_byte_array(suffixes, liberties)


def decode_delta_byte_array(
    buf: bytes, num_values: int, max_data_size: int = MAX_INT32, type_length: int | None = None
) -> Decoded:
    """Decode `num_values` values that come to no more than `max_data_size` bytes, maybe of `type_length` bytes each."""
    prefixes, start = decode_delta_binary_packed(buf, 0, 32, num_values)
    suffix_lengths, pos = decode_delta_binary_packed(buf, start, 32, num_values)
    check_lengths(suffix_lengths, buf, pos)
    length = data_size = 0
    for index, (prefix, suffix_length) in enumerate(zip(prefixes, suffix_lengths, strict=True)):
        if not 0 <= prefix <= length:
            raise MalformedError("PREFIX" if index else "FIRST_PREFIX", 0, index)
        length = prefix + suffix_length
        data_size += length
        if data_size > max_data_size:
            raise MalformedError("LIMIT", 0, index)
        if type_length not in (None, length):
            raise MalformedError("FIXED_LENGTH", 0, index)
    values = [b""]
    for prefix, suffix_length in zip(prefixes, suffix_lengths, strict=True):
        values.append(values[-1][:prefix] + buf[pos : pos + suffix_length])
        pos += suffix_length
    return Decoded(values[1:], pos)


# --- RLE_DICTIONARY = 8 ("Dictionary Encoding") ----------------------------------------------------------------------


def encode_rle_dictionary(values: Sequence[bytes]) -> tuple[bytes, list[bytes]]:
    """Encode indices, and list the distinct values in the order in which they are first seen."""
    places = {}
    indices = [places.setdefault(value, len(places)) for value in values]
    width = len(places) if len(places) < 2 else (len(places) - 1).bit_length()  # Arrow writes 1 bit for one value
    return bytes([width]) + encode_hybrid(indices, width), list(places)


def decode_rle_dictionary(buf: bytes, num_values: int, dictionary: Sequence[bytes]) -> Decoded:
    """Decode `num_values` values of a dictionary; without any, the page may lack everything behind its width."""
    if num_values == 0 and len(buf) <= 1:
        return Decoded([], len(buf))
    if not buf:
        raise MalformedError("TRUNCATED", 0)
    if buf[0] > 32:
        raise MalformedError("BIT_WIDTH", 0)
    indices, pos = decode_hybrid(buf, 1, buf[0], num_values)
    for i, index in enumerate(indices):
        if index >= len(dictionary):
            raise MalformedError("INDEX_RANGE", 1, i)
    return Decoded([dictionary[index] for index in indices], pos)


# --- Any page --------------------------------------------------------------------------------------------------------


def encode(values: Sequence, encoding: str, dtype: str | int = "binary", liberties: Liberties = CANONICAL) -> bytes:
    """Encode values as the values section of a page.

    `dtype` is "binary", "int32", "int64", or the length that all values of a FIXED_LEN_BYTE_ARRAY have.
    """
    if encoding == "DELTA_BINARY_PACKED":
        return encode_delta_binary_packed(values, BITS[dtype], liberties)
    if encoding == "DELTA_LENGTH_BYTE_ARRAY":
        return encode_delta_length_byte_array(values, liberties)
    if encoding == "DELTA_BYTE_ARRAY":
        return encode_delta_byte_array(values, liberties)
    if encoding == "BYTE_STREAM_SPLIT":
        return encode_byte_stream_split(values, dtype)
    return b"".join(values) if isinstance(dtype, int) else encode_plain(values)


def decode(
    buf: bytes, encoding: str, num_values: int, dtype: str | int = "binary", max_data_size: int = MAX_INT32
) -> Decoded:
    """Decode the values section of a page that holds `num_values` values, nulls not counted."""
    if num_values == 0 and not buf:
        return Decoded([], 0)
    if encoding == "DELTA_BINARY_PACKED":
        decoded = Decoded(*decode_delta_binary_packed(buf, 0, BITS[dtype], num_values))
        data_size = len(decoded.values) * BITS[dtype] // 8
    elif encoding == "DELTA_BYTE_ARRAY":
        return decode_delta_byte_array(buf, num_values, max_data_size, dtype if isinstance(dtype, int) else None)
    elif isinstance(dtype, int):
        decode_fixed = decode_plain_fixed if encoding == "PLAIN" else decode_byte_stream_split
        decoded = decode_fixed(buf, num_values, dtype)
        data_size = decoded.consumed
    else:
        decode_strings = decode_plain if encoding == "PLAIN" else decode_delta_length_byte_array
        decoded = decode_strings(buf, num_values)
        data_size = sum(map(len, decoded.values))
    if data_size > max_data_size:
        raise MalformedError("LIMIT", 0)
    return decoded
