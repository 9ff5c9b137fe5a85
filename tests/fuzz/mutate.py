"""Mutations that know where the fields of pages and of Thrift's structs are, and those that know nothing."""

from typing import NamedTuple

import naive

INTERESTING = (
    *range(10), 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 1000, 2**14 - 1, 2**14, 2**15, 2**16,
    2**24, 2**28, 2**31 - 128, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1,
)  # fmt: skip
MOST_FIELDS = 400
LARGEST = 1 << 16  # bytes of a mutated page


class Field(NamedTuple):
    """A part of a page: a "varint", a "byte" such as a width, an "int32" as PLAIN has it, or a "body"."""

    kind: str
    start: int
    end: int


# --- Where the fields are --------------------------------------------------------------------------------------------


def varint_field(buf, pos):
    """Read a varint: its field and its value."""
    value, end = naive.decode_uleb128(buf, pos, 64)
    return Field("varint", pos, end), value


def delta_fields(buf, pos, count):
    """Walk over integers in DELTA_BINARY_PACKED; return where they end."""
    header = []
    for _ in range(4):
        field, value = varint_field(buf, pos)
        yield field
        header.append(value)
        pos = field.end
    block_size, miniblocks = header[:2]
    seen = 1
    while seen < count and 0 < miniblocks <= MOST_FIELDS:
        field, _ = varint_field(buf, pos)
        yield field
        widths = range(field.end, min(field.end + miniblocks, len(buf)))
        pos = field.end + miniblocks
        for at in widths:
            yield Field("byte", at, at + 1)
            if seen < count:
                size = block_size // miniblocks * buf[at] // 8
                yield Field("body", pos, pos + size)
                pos += size
                seen += block_size // miniblocks
    return pos


def hybrid_fields(buf, pos, width):
    """Walk over runs, to the end of the page."""
    while pos < len(buf):
        field, header = varint_field(buf, pos)
        yield field
        size = (header >> 1) * width if header & 1 else (width + 7) // 8
        yield Field("body", field.end, field.end + size)
        pos = field.end + size


def plain_fields(buf, pos):
    """Walk over lengths and values, to the end of the page."""
    while pos + 4 <= len(buf):
        length = int.from_bytes(buf[pos : pos + 4], "little")
        yield Field("int32", pos, pos + 4)
        yield Field("body", pos + 4, pos + 4 + length)
        pos += 4 + length


def page_fields(buf, encoding, dtype, count):
    """Walk over a page of an encoding."""
    if encoding == "RLE_DICTIONARY":
        yield Field("byte", 0, 1)
        yield from hybrid_fields(buf, 1, buf[0])
    elif encoding == "PLAIN" and not isinstance(dtype, int):
        yield from plain_fields(buf, 0)
    elif encoding.startswith("DELTA"):
        pos = yield from delta_fields(buf, 0, count)
        if encoding == "DELTA_BYTE_ARRAY":
            pos = yield from delta_fields(buf, pos, count)
        yield Field("body", pos, len(buf))


def thrift_fields(buf, pos, depth=0):
    """Walk over a struct of the compact protocol; return where it ends."""
    while depth < 40:
        yield Field("byte", pos, pos + 1)
        head = buf[pos]
        pos += 1
        if head == 0:
            break
        if head >> 4 == 0:
            field, _ = varint_field(buf, pos)
            yield field
            pos = field.end
        pos = yield from thrift_value(buf, pos, head & 15, depth)
    return pos


def thrift_value(buf, pos, kind, depth):
    """Walk over a value of the compact protocol; return where it ends."""
    if kind in (4, 5, 6, 8):
        field, value = varint_field(buf, pos)
        yield field
        pos = field.end
        if kind == 8:
            yield Field("body", pos, pos + value)
            pos += value
    elif kind in (9, 10):
        yield Field("byte", pos, pos + 1)
        count, kind, pos = buf[pos] >> 4, buf[pos] & 15, pos + 1
        if count == 15:
            field, count = varint_field(buf, pos)
            yield field
            pos = field.end
        for _ in range(min(count, MOST_FIELDS)):
            pos = yield from thrift_value(buf, pos, kind, depth + 1)
    elif kind == 12:
        pos = yield from thrift_fields(buf, pos, depth + 1)
    elif kind in (3, 7):
        pos += 1 if kind == 3 else 8
    return pos


def listed(fields, size):
    """List the fields of a walk as far as it gets and they are in the page, which may be broken."""
    found = []
    try:
        for field in fields:
            if field.end > size or len(found) == MOST_FIELDS:
                break
            if field.start < field.end:
                found.append(field)
    except (naive.MalformedError, IndexError):
        pass  # the rest has no fields that are known
    return found


# --- What becomes of them --------------------------------------------------------------------------------------------


def number(rng, near):
    """Draw an integer: an interesting one, or one near another."""
    if rng.random() < 0.4:
        return max(near + rng.choice((-2, -1, 1, 2)), 0)
    return rng.choice(INTERESTING) if rng.random() < 0.8 else rng.getrandbits(rng.randint(1, 64))


def change(rng, data, field):
    """Give a field another content."""
    old = bytes(data[field.start : field.end])
    if field.kind == "varint":
        size = rng.choice((1, 1, 1, len(old), 5, 10))
        new = naive.encode_uleb128(number(rng, naive.decode_uleb128(old, 0, 64)[0] if old[-1] < 128 else 0), size)
    elif field.kind == "byte":
        new = bytes([number(rng, old[0]) % 256])
    elif field.kind == "int32":
        new = (number(rng, int.from_bytes(old, "little")) % 2**32).to_bytes(4, "little")
    else:
        filled = rng.choice((b"\0", b"\xff", b"\x80", b"\x7f")) * len(old)
        new = rng.choice((filled, rng.randbytes(len(old)), old[:-1], old + b"\0", old[len(old) // 2 :], old + old))
    data[field.start : field.end] = new


def flip(rng, data):
    """Flip a few bits."""
    for _ in range(rng.randint(1, 3) if data else 0):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def shorten(rng, data):
    """Cut it off somewhere, or take a piece out."""
    start = rng.randint(0, len(data))
    del data[start : len(data) if rng.random() < 0.5 else start + rng.randint(1, 9)]


def lengthen(rng, data):
    """Put a few bytes in somewhere."""
    start = rng.randint(0, len(data))
    data[start:start] = rng.choice((rng.randbytes(rng.randint(1, 9)), b"\x80" * rng.randint(1, 11), bytes(8)))


def splice(rng, data, other):
    """Go on as another page does."""
    data[rng.randint(0, len(data)) :] = other[rng.randint(0, len(other)) :]


def rearrange(rng, data, fields):
    """Take out, repeat or swap fields; or repeat all of a range of them."""
    first, second = sorted(rng.choices(fields, k=2))
    how = rng.randrange(4)
    if how == 0:
        del data[first.start : first.end]
    elif how == 1:
        data[first.start : first.start] = data[first.start : first.end] * rng.choice((1, 2, 50))
    elif how == 2:
        data[second.start : second.start] = data[first.start : second.start]
    elif first.end <= second.start:
        swapped = data[second.start : second.end] + data[first.end : second.start] + data[first.start : first.end]
        data[first.start : second.end] = swapped


def mutate(rng, data, fields, other):
    """Change bytes in one way: a field, the order of fields, or any bytes; `other` is to be spliced with."""
    changed = bytearray(data)
    if fields and rng.random() < 0.7:
        if rng.random() < 0.75:
            change(rng, changed, rng.choice(fields))
        else:
            rearrange(rng, changed, fields)
    else:
        blind = rng.choice((flip, flip, shorten, lengthen, splice))
        blind(rng, changed, *([other] if blind is splice else []))
    return bytes(changed[:LARGEST])
