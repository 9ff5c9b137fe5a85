"""Parquet files of one column, in as little code as will do: to show our pages to other readers, and to cut theirs out.

Uncompressed, flat, required or optional: nothing else. Field numbers are those of ``parquet.thrift``.
"""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import naive

MAGIC = b"PAR1"
DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = 0, 2, 3
PHYSICAL_TYPES = {"binary": 6, "utf8": 6, "int32": 1, "int64": 2}
FIXED_LEN_BYTE_ARRAY = 7
DECOMPRESSORS = {0: bytes, 2: gzip.decompress}
ENCODINGS = {
    "PLAIN": 0,
    "PLAIN_DICTIONARY": 2,
    "RLE": 3,
    "DELTA_BINARY_PACKED": 5,
    "DELTA_LENGTH_BYTE_ARRAY": 6,
    "DELTA_BYTE_ARRAY": 7,
    "RLE_DICTIONARY": 8,
    "BYTE_STREAM_SPLIT": 9,
}


class Dictionary(NamedTuple):
    """A dictionary page: the number of its values, and their bytes."""

    num_values: int
    data: bytes


class Page(NamedTuple):
    """A data page without its levels: the validity of each slot (None in a required column) and the values section."""

    version: int
    encoding: str
    num_values: int
    is_valid: list[bool] | None
    data: bytes
    dictionary: Dictionary | None


# --- Thrift's compact protocol ---------------------------------------------------------------------------------------


class I64(int):
    """An integer that Thrift writes as i64; a plain one is an i32."""


def thrift_type(value: Any) -> int:
    """Return the compact protocol's number for the type of a value."""
    if isinstance(value, bool):
        return 1 if value else 2
    for kind, number in ((I64, 6), (int, 5), (bytes, 8), (list, 9), (dict, 12)):
        if isinstance(value, kind):
            return number
    raise TypeError(type(value))


def thrift_bytes(value: Any) -> bytes:
    """Write a value; a struct is a dict from field numbers, all less than 16 apart, to values."""
    if isinstance(value, bool):
        return b""
    if isinstance(value, int):
        return naive.encode_uleb128(naive.encode_zigzag(value))
    if isinstance(value, bytes):
        return naive.encode_uleb128(len(value)) + value
    if isinstance(value, list):
        return bytes([len(value) << 4 | thrift_type(value[0])]) + b"".join(map(thrift_bytes, value))
    out, before = b"", 0
    for number, field in value.items():
        out += bytes([(number - before) << 4 | thrift_type(field)]) + thrift_bytes(field)
        before = number
    return out + b"\0"


class ThriftReader:
    """Reads any struct into the shape that `thrift_bytes` takes."""

    def __init__(self, buf: bytes, pos: int) -> None:
        self.buf, self.pos = buf, pos

    def byte(self) -> int:
        """Take one byte."""
        self.pos += 1
        return self.buf[self.pos - 1]

    def varint(self) -> int:
        """Take an unsigned varint."""
        value, self.pos = naive.decode_uleb128(self.buf, self.pos, 64)
        return value

    def bytes(self, size: int) -> bytes:
        """Take `size` bytes."""
        self.pos += size
        return self.buf[self.pos - size : self.pos]

    def value(self, kind: int) -> Any:
        """Take a value of a compact protocol type."""
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return naive.decode_zigzag(self.varint())
        if kind == 7:
            return self.bytes(8)
        if kind == 8:
            return self.bytes(self.varint())
        if kind in (9, 10):
            head = self.byte()
            size = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(self.byte() if head & 15 in (1, 2) else head & 15) for _ in range(size)]
        return self.struct()

    def struct(self) -> dict[int, Any]:
        """Take a struct: its fields by number."""
        fields, number = {}, 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else naive.decode_zigzag(self.varint())
            fields[number] = self.value(head & 15)
        return fields


# --- Definition levels of a flat optional column: 1 for a value, 0 for a null ----------------------------------------


def levels_bytes(is_valid: list[bool]) -> bytes:
    """Write the levels as one bit-packed run, with their size in front."""
    run = naive.encode_literal([*map(int, is_valid)], 1)
    return len(run).to_bytes(4, "little") + run


# --- Files -----------------------------------------------------------------------------------------------------------


def write_file(path: Path, *page: Any) -> None:
    """Write a file with one page, which is told as for `file_of`."""
    path.write_bytes(file_of(*page))


def file_of(
    data: bytes,
    encoding: str,
    dtype: str | int,
    num_values: int,
    is_valid: list[bool] | None,
    dictionary: Dictionary | None = None,
) -> bytes:
    """Make a file with one page: column "c" of `num_values` slots, required when `is_valid` is None.

    Parameters
    ----------
    data : bytes
        The values section of the page.
    encoding : str
        Its encoding.
    dtype : str
        "binary", "utf8", "int32", "int64", or the length of the values of a FIXED_LEN_BYTE_ARRAY.
    num_values : int
        Slots, nulls included.
    is_valid : list of bool or None
        Whether each slot holds a value.
    dictionary : Dictionary, optional
        What goes before a page of indices.
    """
    dictionary_page = b""
    if dictionary is not None:
        size, fields = len(dictionary.data), {1: dictionary.num_values, 2: ENCODINGS["PLAIN"]}
        dictionary_page = thrift_bytes({1: DICTIONARY_PAGE, 2: size, 3: size, 7: fields}) + dictionary.data
    body = data if is_valid is None else levels_bytes(is_valid) + data
    number, rle, size = ENCODINGS[encoding], ENCODINGS["RLE"], len(body)
    header = thrift_bytes({1: DATA_PAGE, 2: size, 3: size, 5: {1: num_values, 2: number, 3: rle, 4: rle}})
    page_size = I64(len(dictionary_page) + len(header) + size)
    column = {
        1: PHYSICAL_TYPES.get(dtype, FIXED_LEN_BYTE_ARRAY),
        2: [number, rle],
        3: [b"c"],
        4: 0,
        5: I64(num_values),
        6: page_size,
        7: page_size,
        9: I64(len(MAGIC) + len(dictionary_page)),
    }
    if dictionary is not None:
        column[11] = I64(len(MAGIC))
    length = {2: dtype} if isinstance(dtype, int) else {}
    leaf = {1: column[1], **length, 3: 0 if is_valid is None else 1, 4: b"c"}
    if dtype == "utf8":
        leaf |= {6: 0, 10: {1: {}}}
    row_group = {1: [{2: I64(0), 3: column}], 2: page_size, 3: I64(num_values)}
    schema = [{4: b"schema", 5: 1}, leaf]
    footer = thrift_bytes({1: 2, 2: schema, 3: I64(num_values), 4: [row_group], 6: b"colcodec tests"})
    return with_footer(MAGIC + dictionary_page + header + body, footer)


def with_footer(body: bytes, footer: bytes) -> bytes:
    """Put a footer, of whatever bytes, behind the bytes of a file."""
    return body + footer + len(footer).to_bytes(4, "little") + MAGIC


def raw_pages(path: Path, index: int = 0) -> Iterator[tuple[dict[int, Any], bytes, Dictionary | None]]:
    """Yield header, body and dictionary of each data page of a column, not compressed, or in v1 pages with gzip."""
    buf = path.read_bytes()
    for row_group in footer_of(buf)[4]:
        column = row_group[1][index][3]
        unpack = DECOMPRESSORS[column[4]]
        # The dictionary page comes first; a chunk without values may have no page at all.
        pos = min((offset for offset in (column[9], column.get(11)) if offset), default=0)
        end, dictionary = pos + column[7], None
        while pos < end:
            reader = ThriftReader(buf, pos)
            header = reader.struct()
            body = unpack(reader.bytes(header[3]))
            pos = reader.pos
            if header[1] == DICTIONARY_PAGE:
                dictionary = Dictionary(header[7][1], body)
            else:
                yield header, body, dictionary


def footer_of(buf: bytes) -> dict[int, Any]:
    """Read the metadata of a file."""
    return ThriftReader(buf, len(buf) - 8 - int.from_bytes(buf[-8:-4], "little")).struct()


def cut_pages(path: Path, index: int = 0) -> list[Page]:
    """Cut the data pages of a column out of a file of flat columns; see `raw_pages`."""
    optional = footer_of(path.read_bytes())[2][1 + index][3] == 1
    return [split_page(header, body, optional, dictionary) for header, body, dictionary in raw_pages(path, index)]


def split_page(header: dict[int, Any], body: bytes, optional: bool, dictionary: Dictionary | None) -> Page:
    """Part the levels of a data page from its values section."""
    names = {number: name for name, number in ENCODINGS.items()}
    if header[1] == DATA_PAGE_V2:
        fields = header[8]
        start, size = fields[6], fields[5]
        encoding = names[fields[4]]
    else:
        fields = header[5]
        start, size = (4, int.from_bytes(body[:4], "little")) if optional else (0, 0)
        encoding = names[fields[2]]
    levels = naive.decode_hybrid(body[: start + size], start, 1, fields[1])[0] if optional else None
    is_valid = None if levels is None else [level == 1 for level in levels]
    version = 2 if header[1] == DATA_PAGE_V2 else 1
    return Page(version, encoding, fields[1], is_valid, body[start + size :], dictionary)
