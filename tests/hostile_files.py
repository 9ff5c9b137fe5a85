"""Files whose footers and page headers are hostile, each with the values that it may yield.

Everything is written here, in Thrift's compact protocol, from one small file: column "c", optional, PLAIN.
"""

import itertools
from collections.abc import Iterator

import naive
from parquet_file import DATA_PAGE, DATA_PAGE_V2, DICTIONARY_PAGE, I64, MAGIC, levels_bytes, thrift_bytes, with_footer

VALUES = [b"axis", None, b"axle"]
BODY = levels_bytes([value is not None for value in VALUES]) + naive.encode([b"axis", b"axle"], "PLAIN", "binary")
HEADER = {1: DATA_PAGE, 2: len(BODY), 3: len(BODY), 5: {1: 3, 2: 0, 3: 3, 4: 3}}
RIGHT = [VALUES]
REFUSED = [None]
EITHER = [VALUES, None]
HUGE = (2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1)
ENDLESS = b"\xff" * 11

LIST, STRUCT = 9, 12


class Raw(bytes):
    """Bytes of a field with its type in front, as they are."""


def struct(fields, more=b""):
    """Write a struct whose fields can be Raw, with more bytes before its end."""
    out, before = b"", 0
    for number, value in sorted(fields.items()):
        if isinstance(value, Raw):
            out += bytes([(number - before) << 4 | value[0]]) + value[1:]
        elif isinstance(value, dict):
            out += bytes([(number - before) << 4 | STRUCT]) + struct(value)
        else:
            out += thrift_bytes({number - before: value})[:-1]
        before = number
    return out + more + b"\0"


def file(header=HEADER, body=BODY, *, footer=None, raw_header=None, **changed):
    """Write a file; what is given replaces the struct of that name, or its bytes."""
    pages = (struct(header) if raw_header is None else raw_header) + body
    return with_footer(MAGIC + pages, footer_bytes(len(pages), **changed) if footer is None else footer)


def footer_bytes(size, *, column=(), leaf=(), root=(), chunk=(), row_group=(), metadata=(), more=b""):
    """Write the footer of a file with `size` bytes of pages, with fields of its structs replaced."""
    own = {1: 6, 2: [0, 3], 3: [b"c"], 4: 0, 5: I64(3), 6: I64(size), 7: I64(size), 9: I64(4)} | dict(column)
    elements = [{4: b"schema", 5: 1} | dict(root), {1: 6, 3: 1, 4: b"c"} | dict(leaf)]
    chunk = {2: I64(0), 3: own} | dict(chunk)
    group = {1: structs([chunk]), 2: I64(size), 3: I64(3)} | dict(row_group)
    return struct({1: 2, 2: structs(elements), 3: I64(3), 4: structs([group])} | dict(metadata), more)


def structs(elements):
    """Write a list of structs."""
    return Raw(bytes([LIST, len(elements) << 4 | STRUCT]) + b"".join(map(struct, elements)))


def list_of(kind, size, items=b""):
    """Write a list that claims any size."""
    return Raw(bytes([LIST, 0xF0 | kind]) + naive.encode_uleb128(size) + items)


def files() -> Iterator[tuple[str, str, bytes, list | None]]:
    """Give group, name, bytes, and the values that may come out, None among them for an error; None for anything."""
    yield "made: footers", "valid", file(), RIGHT
    for group, cases in (("footers", footers()), ("page headers", page_headers()), ("bombs", bombs())):
        for name, data, expected in cases:
            yield f"made: {group}", name, data, expected
    for name, data, expected in cuts_and_changes():
        yield "made: every byte", name, data, expected


def footers():
    """Footers with a fault each, or with what later writers may add."""
    good = file()
    for size in (0, 3, 4, 8, 11):
        yield f"{size} bytes", good[:size], REFUSED
    for size in (0, 1, len(good) - 12, len(good) - 11, len(good), 2**31 - 1, 2**31, 2**32 - 1):
        yield f"footer size {size}", good[:-8] + size.to_bytes(4, "little") + MAGIC, REFUSED
    for magic in (b"PARE", b"PAR2", b"\0\0\0\0"):
        yield f"magic {magic!r}", good[:-4] + magic, REFUSED
    footer = footer_bytes(len(good) - 12)  # any: what is tested comes before its offsets are looked at
    for cut in range(len(footer)):
        yield f"footer cut at {cut}", file(footer=footer[:cut]), REFUSED
    yield "endless varint", file(footer=b"\x15" + ENDLESS), REFUSED
    yield "endless field number", file(footer=b"\x05" + ENDLESS), REFUSED
    for number, kind in itertools.product((1, 2, 3, 4, 5), (1, 3, 4, 5, 7, 8, 9, 12, 13, 14, 15)):
        value = Raw(bytes([kind]) + (b"" if kind == 1 else bytes(16)))
        if not (number == 1 and kind == 5):
            yield f"field {number} of type {kind}", file(metadata={number: value}), [VALUES, [], None]
    for number, kind, size in itertools.product((2, 4, 5), (1, 5, 8, 9, 12), HUGE):
        yield f"field {number}: {size} of type {kind}", file(metadata={number: list_of(kind, size)}), REFUSED
    for size in HUGE:
        yield f"created_by of {size}", file(metadata={6: Raw(b"\x08" + naive.encode_uleb128(size))}), REFUSED
        yield f"name of {size}", file(leaf={4: Raw(b"\x08" + naive.encode_uleb128(size))}), REFUSED
    for depth in (5, 31, 33, 500, 5000, 100_000):
        deep = b"\x1c" * depth + b"\0" * depth
        lists = b"\x19" * depth
        expected = RIGHT if depth == 5 else EITHER
        yield f"unknown structs {depth} deep", file(metadata={9: Raw(b"\x0c" + deep + b"\0")}), expected
        yield f"unknown lists {depth} deep", file(metadata={9: Raw(b"\x09" + lists + b"\x15\x02")}), EITHER
        yield f"lists without end, {depth} deep", file(metadata={9: Raw(b"\x09" + lists)}), REFUSED
    yield "unknown fields", file(metadata={9: 7, 10: b"new", 11: {1: [1, 2], 2: True}}), RIGHT
    yield "unknown fields of a column", file(column={12: {}, 20: b"new"}, leaf={11: {1: 5}}), RIGHT
    yield from schemas()
    yield from chunks()


def schemas():
    """Schemas that are no tree, or name what the format does not have."""
    for kind in (0, 1, 2, 3, 4, 5, 8, 99, -1, 2**31 - 1):
        yield f"type {kind}", file(leaf={1: kind}, column={1: kind}), REFUSED
        yield f"type {kind} of the chunk", file(column={1: kind}), REFUSED
    for kind in (2, 3, 7, -1, 2**31 - 1):
        yield f"repetition {kind}", file(leaf={3: kind}), REFUSED
    for length in (-1, 0, 2**31 - 1):
        yield f"fixed length {length}", file(leaf={1: 7, 2: length}, column={1: 7}), REFUSED
    for kind in (22, 99, -1):
        yield f"converted type {kind}", file(leaf={6: kind}), RIGHT
    yield "unknown logical type", file(leaf={10: {15: {}}}), RIGHT
    for children in (0, 2, 1000, -1, 2**31 - 1):
        yield f"{children} children of the root", file(root={5: children}), REFUSED
    for children in (1, -1, 2**31 - 1):
        yield f"{children} children of the leaf", file(leaf={5: children}), REFUSED
    elements = [{4: b"schema", 5: 1}, *({4: b"g", 5: 1, 3: 1} for _ in range(2000)), {1: 6, 3: 1, 4: b"c"}]
    many = Raw(bytes([LIST, 0xFC]) + naive.encode_uleb128(len(elements)) + b"".join(map(struct, elements)))
    yield "2000 groups deep", file(metadata={2: many}), REFUSED
    yield "no schema", file(metadata={2: Raw(b"\x09\x0c")}), REFUSED


def chunks():
    """Row groups and column chunks with sizes, counts and places that cannot be."""
    wild = (-1, -(2**63), 0, 2, 4, 2**31, 2**62, 2**63 - 1)
    for value in wild:
        yield f"num_values {value}", file(column={5: I64(value)}), REFUSED if value else [[]]
        yield f"compressed size {value}", file(column={7: I64(value)}), REFUSED
        yield f"data page at {value}", file(column={9: I64(value)}), RIGHT if value == 4 else REFUSED
        if value != 4:
            yield f"dictionary page at {value}", file(column={11: I64(value)}), EITHER
        yield f"uncompressed size {value}", file(column={6: I64(value)}), EITHER
        yield f"num_rows {value}", file(row_group={3: I64(value)}, metadata={3: I64(value)}), EITHER
        for number in (4, 6):
            index = {number: I64(value), number + 1: 100}
            yield f"index at {value} by field {number}", file(chunk=index), RIGHT
        yield f"bloom filter at {value}", file(column={14: I64(value), 15: 100}), RIGHT
    for codec in (1, 2, 3, 4, 5, 6, 7, 8, -1, 2**31 - 1):
        yield f"codec {codec}", file(column={4: codec}), REFUSED
    yield "no columns", file(row_group={1: Raw(b"\x09\x0c")}), REFUSED
    yield "no metadata of the chunk", file(footer=footer_bytes(10, chunk={3: Raw(b"\x01")})), REFUSED
    yield "another file", file(chunk={1: b"other.parquet"}), REFUSED
    yield "encrypted", file(chunk={8: {1: {}}}), REFUSED
    groups = structs([])[:1] + bytes([0xFC]) + naive.encode_uleb128(1_000) + b"\0" * 1_000
    yield "1,000 empty row groups", file(metadata={4: Raw(groups)}), REFUSED


def page_headers():
    """Page headers with a fault each."""
    good = struct(HEADER)
    for cut in range(len(good)):
        yield f"cut at {cut}", file(raw_header=good[:cut], body=b""), REFUSED
    yield "endless varint", file(raw_header=b"\x15" + ENDLESS), REFUSED
    yield "nothing but structs", file(raw_header=b"\x1c" * 5000), REFUSED
    yield "nothing but lists", file(raw_header=b"\x19\x1c" + b"\xfc\xff\xff\xff\x07" * 900), REFUSED
    wild = (-(2**31), -1, 0, 1, len(BODY) - 1, len(BODY) + 1, 2**31 - 1)
    for size in wild:
        yield f"compressed size {size}", file(HEADER | {3: size}), REFUSED
        yield f"uncompressed size {size}", file(HEADER | {2: size}), REFUSED
        yield f"both sizes {size}", file(HEADER | {2: size, 3: size}), REFUSED
    for kind in (1, 4, 99, -1, 2**31 - 1):
        yield f"page type {kind}", file(HEADER | {1: kind}), REFUSED
    yield "type of another header", file(HEADER | {1: DATA_PAGE_V2}), REFUSED
    yield "a dictionary alone", file({1: DICTIONARY_PAGE, 2: len(BODY), 3: len(BODY), 7: {1: 2, 2: 0}}), REFUSED
    for count in (-(2**31), -1, 3, 2**31 - 1):
        dictionary = struct({1: DICTIONARY_PAGE, 2: 0, 3: 0, 7: {1: count, 2: 0}})
        yield f"a dictionary of {count} values", file(raw_header=dictionary + struct(HEADER)), EITHER
        indices = HEADER | {5: HEADER[5] | {2: 8}}
        yield f"indices of a dictionary of {count} values", file(raw_header=dictionary + struct(indices)), REFUSED
    data = HEADER[5]
    for count in (-(2**31), -1, 0, 2, 4, 2**31 - 1):
        yield f"{count} values", file(HEADER | {5: data | {1: count}}), REFUSED
        claimed = file(HEADER | {5: data | {1: count}}, column={5: I64(count)})
        yield f"{count} values, here and there", claimed, [[], [b"axis", None], [*VALUES, None], None]
    for encoding in (1, 2, 4, 5, 6, 7, 8, 9, 10, 99, -1, 2**31 - 1):
        yield f"encoding {encoding}", file(HEADER | {5: data | {2: encoding}}), REFUSED
    for encoding in (0, 4, 99, -1):
        yield f"definition levels in {encoding}", file(HEADER | {5: data | {3: encoding}}), REFUSED
        yield f"repetition levels in {encoding}", file(HEADER | {5: data | {4: encoding}}), RIGHT
    for size in (-(2**31), -1, 0, 1, len(BODY) - 4, len(BODY) - 3, 2**31 - 1):
        if size != len(BODY) - 4:
            body = size.to_bytes(4, "little", signed=True) + BODY[4:]
            yield f"levels of {size} bytes", file(body=body), REFUSED
    yield "unknown fields", file(HEADER | {9: b"new", 10: {1: [1]}}), RIGHT
    yield "a statistic of 2**31", file(HEADER | {5: data | {5: {5: Raw(b"\x08\xff\xff\xff\xff\x07")}}}), REFUSED
    yield from version_2()


def version_2():
    """Headers of version 2, whose levels have sizes of their own."""
    levels, values = BODY[4:-16], BODY[-16:]
    body = levels + values
    data = {1: 3, 2: 1, 3: 3, 4: 0, 5: len(levels), 6: 0, 7: False}

    def version_2_file(**changed):
        own = data | {int(name[1:]): value for name, value in changed.items()}
        return file({1: DATA_PAGE_V2, 2: len(body), 3: len(body), 8: own}, body)

    yield "version 2", version_2_file(), RIGHT
    for size in (-(2**31), -1, 0, len(levels) - 1, len(levels) + 1, len(body) + 1, 2**31 - 1):
        yield f"version 2, levels of {size}", version_2_file(_5=size), REFUSED
    for size in (-(2**31), -1, 1, len(body), 2**31 - 1):
        yield f"version 2, repetition levels of {size}", version_2_file(_6=size), REFUSED
    for nulls in (-(2**31), -1, 0, 2, 3, 4, 2**31 - 1):
        yield f"version 2, {nulls} nulls", version_2_file(_2=nulls), REFUSED
    for rows in (-1, 0, 2, 2**31 - 1):
        yield f"version 2, {rows} rows", version_2_file(_3=rows), EITHER


def bombs():
    """Little files that claim much, by numbers that the rest of the file bears out."""
    for count in (2**20, 2**24 + 1, 2**31 - 1, 2**31, 2**40):
        header, body = page_of_nulls(min(count, 2**31 - 1))
        expected = [[None] * count, None] if count == 2**20 else REFUSED
        yield f"{count} nulls", file(header, body, column={5: I64(count)}), expected
    yield "300 row groups of 2**19 nulls", many_row_groups(300, 2**19), REFUSED
    page = struct({1: DATA_PAGE, 2: 0, 3: 0, 5: {1: 0, 2: 0, 3: 3, 4: 3}})
    yield "1,000 pages of nothing", file(raw_header=page * 1_000, body=b""), REFUSED
    for size in (2**16 + 1, 2**24, 2**31 - 1):
        header = HEADER | {2: size}
        for codec in (1, 2, 4, 5, 6, 7):
            yield f"{size} bytes of codec {codec}", file(header, column={4: codec}), REFUSED
    one = naive.encode([b"B" * 1000], "PLAIN", "binary")
    indices = b"\0" + naive.encode_uleb128(250_000 << 1)
    dictionary = struct({1: DICTIONARY_PAGE, 2: len(one), 3: len(one), 7: {1: 1, 2: 0}}) + one
    count = {1: 250_000, 2: 8, 3: 3, 4: 3}
    data = struct({1: DATA_PAGE, 2: len(indices), 3: len(indices), 5: count}) + indices
    bomb = file(raw_header=dictionary + data, body=b"", leaf={3: 0}, column={5: I64(250_000)})
    yield "250 MB of one value of a dictionary", bomb, REFUSED
    lengths = naive.encode_delta_binary_packed([0] + [60_000] * 50_000, 32)
    lengths += naive.encode_delta_binary_packed([60_000] + [0] * 50_000, 32)
    body = lengths + b"B" * 60_000
    header = {1: DATA_PAGE, 2: len(body), 3: len(body), 5: {1: 50_001, 2: 7, 3: 3, 4: 3}}
    yield "3 GB of prefixes", file(header, body, leaf={3: 0}, column={5: I64(50_001)}), REFUSED


def page_of_nulls(count):
    """Give header and body of a page of so many nulls: a run of them takes six bytes."""
    run = naive.encode_uleb128(count << 1) + b"\0"
    body = len(run).to_bytes(4, "little") + run
    return {1: DATA_PAGE, 2: len(body), 3: len(body), 5: {1: count, 2: 0, 3: 3, 4: 3}}, body


def many_row_groups(number, count):
    """Write a file of so many row groups, each of a page of `count` nulls."""
    header, body = page_of_nulls(count)
    page = struct(header) + body
    size, groups = I64(len(page)), b""
    for i in range(number):
        column = {1: 6, 2: [0, 3], 3: [b"c"], 4: 0, 5: I64(count), 6: size, 7: size, 9: I64(4 + i * size)}
        groups += struct({1: structs([{2: I64(0), 3: column}]), 2: size, 3: I64(count)})
    footer = footer_bytes(size, metadata={3: I64(number * count), 4: list_of(STRUCT, number, groups)})
    return file(raw_header=page * number, body=b"", footer=footer)


def cuts_and_changes():
    """The file cut anywhere, and with each byte changed: of the footer and the pages, whatever that makes of it."""
    good = file()
    for size in range(len(good)):
        yield f"cut to {size}", good[:size], REFUSED
    for position in range(len(good)):
        for change in (*(1 << bit for bit in range(8)), 0x7F, 0xFF):
            data = good[:position] + bytes([good[position] ^ change]) + good[position + 1 :]
            is_header = len(MAGIC) <= position < len(MAGIC) + len(struct(HEADER))
            yield f"byte {position} ^ {change:#x}", data, EITHER if is_header else None
