"""Pages put together by hand: found whatever the footer says of them, and refused wherever sizes or counts lie.

Docstrings name the reports of the same fault elsewhere (known-faults).
"""

import io
import struct
import zlib

import battery
import hypothesis.strategies as st
import naive
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from parquet_edit import edit
from parquet_file import with_footer

import colcodec as cc
from colcodec import ColcodecError, MalformedFileError
from colcodec.compression import Compression
from colcodec.parquet import RepeatedColumn, inspect, read_column, recode
from colcodec.parquet._thrift import Struct
from colcodec.parquet.footer import read_footer
from colcodec.parquet.pages import (
    CODECS,
    codec_name,
    codec_number,
    dictionary_page_header,
    make_page,
    read_chunk,
    read_data_page,
    read_dictionary,
    walk,
)
from colcodec.parquet.schema import leaves
from colcodec.parquet.structs import (
    ColumnChunk,
    ColumnMetaData,
    DataPageHeader,
    DataPageHeaderV2,
    DictionaryPageHeader,
    FileMetaData,
    LogicalType,
    PageHeader,
    RowGroup,
    SchemaElement,
)

ARROW_CODECS = {1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
VERSIONS = pytest.mark.parametrize("version", [1, 2])
EACH_CODEC = pytest.mark.parametrize("codec", [0, *ARROW_CODECS])
PLAIN, RLE, BIT_PACKED, RLE_DICTIONARY = 0, 3, 4, 8
REQUIRED, OPTIONAL, REPEATED = range(3)
DATA, INDEX, DICTIONARY, DATA_V2 = range(4)
WORDS = [b"axis", b"axle", b"", b"babble"]


# --- Pages -----------------------------------------------------------------------------------------------------------


def plain(values):
    """Encode values."""
    return b"".join(struct.pack("<I", len(value)) + value for value in values)


def levels(values, bit_width=1):
    """Encode levels, in one run."""
    return naive.encode_literal(values, bit_width) if values else b""


def compress(codec, data):
    """Compress as Arrow does."""
    return pa.Codec(ARROW_CODECS[codec]).compress(data, asbytes=True) if codec else data


def data_page(version, values, *, num_values, definition=None, repetition=None, codec=0, sizes=(0, 0), **fields):
    """Make a data page; `fields` are those of its header, and `sizes` is what is added to its two sizes."""
    parts = [None if part is None else levels(part) for part in (repetition, definition)]
    if version == 1:
        body = b"".join(struct.pack("<I", len(part)) + part for part in parts if part is not None) + values
        stored, size = compress(codec, body), len(body)
        own = {"num_values": num_values, "encoding": PLAIN} | dict.fromkeys(
            ("definition_level_encoding", "repetition_level_encoding"), RLE
        )
        header = PageHeader(type=DATA, data_page_header=DataPageHeader(**own | fields))
    else:
        before = b"".join(part for part in parts if part is not None)
        stored, size = before + (compress(codec, values) if values else b""), len(before) + len(values)
        own = {
            "num_values": num_values,
            "num_nulls": 0 if definition is None else definition.count(0),
            "num_rows": num_values if repetition is None else repetition.count(0),
            "encoding": PLAIN,
            "definition_levels_byte_length": len(parts[1] or b""),
            "repetition_levels_byte_length": len(parts[0] or b""),
        }
        header = PageHeader(type=DATA_V2, data_page_header_v2=DataPageHeaderV2(**own | fields))
    header.uncompressed_page_size, header.compressed_page_size = size + sizes[0], len(stored) + sizes[1]
    return bytes(header) + stored


def word_page(version, values=WORDS, **options):
    """Make a data page of a required column."""
    return data_page(version, plain(values), num_values=len(values), **options)


def dictionary_page(values, *, codec=0, sizes=(0, 0), **fields):
    body = plain(values)
    stored = compress(codec, body)
    own = DictionaryPageHeader(**{"num_values": len(values), "encoding": PLAIN} | fields)
    header = PageHeader(type=DICTIONARY, dictionary_page_header=own)
    header.uncompressed_page_size, header.compressed_page_size = len(body) + sizes[0], len(stored) + sizes[1]
    return bytes(header) + stored


def index_page(version, indices, **options):
    """Make a data page of indices of two bits."""
    values = bytes([2]) + naive.encode_literal(indices, 2)
    return data_page(version, values, num_values=len(indices), encoding=RLE_DICTIONARY, **options)


def odd_page(kind, body=b"whatever"):
    """Make a page of a type that there is not, or that nobody writes."""
    header = PageHeader(type=kind, uncompressed_page_size=len(body), compressed_page_size=len(body))
    return bytes(header) + body


def make_file(pages, num_values=4, *, codec=0, repetition=REQUIRED, by=b"colcodec tests version 1.0", **fields):
    """Write a file of one column "c"; `fields` are those of its metadata."""
    body = b"PAR1" + b"".join(pages)
    own = {
        "type": 6,
        "encodings": [PLAIN, RLE],
        "path_in_schema": [b"c"],
        "codec": codec,
        "num_values": num_values,
        "total_uncompressed_size": len(body) - 4,
        "total_compressed_size": len(body) - 4,
        "data_page_offset": 4,
    }
    row_group = RowGroup(
        columns=[ColumnChunk(file_offset=0, meta_data=ColumnMetaData(**own | fields))],
        total_byte_size=len(body) - 4,
        num_rows=num_values,
    )
    leaf = SchemaElement(name=b"c", type=6, repetition_type=repetition, logical_type=LogicalType(STRING=Struct()))
    root = SchemaElement(name=b"schema", num_children=1)
    footer = FileMetaData(version=2, schema=[root, leaf], num_rows=num_values, row_groups=[row_group], created_by=by)
    return with_footer(body, bytes(footer))


def chunk_of(data):
    """Cut the column chunk out of a file, with its leaf."""
    footer = read_footer(io.BytesIO(data))
    column = footer.metadata.row_groups[0].columns[0].meta_data
    return read_chunk(io.BytesIO(data), column, footer), leaves(footer.metadata)[0]


def read(data, **options):
    column = read_column(io.BytesIO(data), "c", **options)
    return (column.values if isinstance(column, RepeatedColumn) else column).to_pylist()


def read_by_arrow(data, **options):
    return pq.read_table(io.BytesIO(data), **options)["c"].to_pylist()


def texts(values):
    return [None if value is None else value.decode() for value in values]


def check_refused(data, message=None):
    """Check that nothing comes out of a file, but an error of it.

    A page may say that it becomes 2 GiB, which the default limit allows: they are asked for, but not touched.
    """
    with battery.limited_memory(6 << 30):
        with pytest.raises(ColcodecError, match=message):
            read(data)
        with pytest.raises(ColcodecError, match=message):
            recode(io.BytesIO(data), io.BytesIO(), encoding="DELTA_LENGTH_BYTE_ARRAY")
        assert inspect(io.BytesIO(data)).is_damaged


# --- Pages that are in order -----------------------------------------------------------------------------------------


@VERSIONS
@EACH_CODEC
def test_required_values(version, codec):
    data = make_file([word_page(version, codec=codec)], codec=codec)
    assert read(data) == read_by_arrow(data) == texts(WORDS)
    chunk, leaf = chunk_of(data)
    (page,) = walk(chunk)
    parts = read_data_page(page, chunk, leaf)
    assert (parts.version, parts.num_values, parts.encoding) == (version, 4, cc.Encoding.PLAIN)
    assert parts.values.tobytes() == plain(WORDS)
    assert parts.repetition_levels.size == parts.definition_levels.size == 0
    assert parts.num_nulls == (None if version == 1 else 0)


@VERSIONS
@EACH_CODEC
def test_optional_values(version, codec):
    """In version 2 the levels are not compressed, in version 1 they are."""
    page = data_page(version, plain([b"axis", b"axle"]), num_values=4, definition=[1, 0, 0, 1], codec=codec)
    data = make_file([page], codec=codec, repetition=OPTIONAL)
    assert read(data) == read_by_arrow(data) == ["axis", None, None, "axle"]
    chunk, leaf = chunk_of(data)
    parts = read_data_page(next(walk(chunk)), chunk, leaf)
    before = struct.pack("<I", 2) if version == 1 else b""
    assert parts.definition_levels.tobytes() == before + levels([1, 0, 0, 1])
    assert parts.values.tobytes() == plain([b"axis", b"axle"])


@VERSIONS
@EACH_CODEC
def test_repeated_values(version, codec):
    """Repetition levels go before definition levels."""
    some = {"num_values": 4, "repetition": [0, 1, 0, 0], "definition": [1, 1, 0, 1]}
    page = data_page(version, plain([b"a", b"b", b"c"]), **some, codec=codec)
    data = edit(make_file([page], codec=codec, repetition=REPEATED), lambda metadata: set_rows(metadata, 3))
    column = read_column(io.BytesIO(data), "c")
    assert column.values.to_pylist() == ["a", "b", "c"]
    assert (column.def_levels.tolist(), column.rep_levels.tolist()) == ([1, 1, 0, 1], [0, 1, 0, 0])
    assert read_by_arrow(data) == [["a", "b"], [], ["c"]]


def set_rows(metadata, count):
    metadata.num_rows = metadata.row_groups[0].num_rows = count


@VERSIONS
@EACH_CODEC
def test_dictionaries(version, codec):
    pages = [dictionary_page(WORDS, codec=codec), index_page(version, [3, 0, 0, 2, 1], codec=codec)]
    data = make_file(pages, 5, codec=codec, encodings=[PLAIN, RLE, RLE_DICTIONARY], dictionary_page_offset=4)
    expected = ["babble", "axis", "axis", "", "axle"]
    assert read(data) == expected
    fixed = edit(data, lambda metadata: set_column(metadata, data_page_offset=4 + len(pages[0])))
    assert read(fixed) == read_by_arrow(fixed) == expected
    chunk, _ = chunk_of(data)
    first, second = walk(chunk)
    body, count = read_dictionary(first, chunk)
    assert (body.tobytes(), count) == (plain(WORDS), 4)
    assert [page.start for page in (first, second)] == [4, 4 + len(pages[0])]
    assert [page.nbytes for page in (first, second)] == [len(page) for page in pages]
    assert [page.num_values for page in (first, second)] == [0, 5]
    assert [page.encoding for page in (first, second)] == [PLAIN, RLE_DICTIONARY]


def set_column(metadata, **fields):
    for name, value in fields.items():
        setattr(metadata.row_groups[0].columns[0].meta_data, name, value)


@EACH_CODEC
def test_pages_that_are_not_compressed(codec):
    """Of version 2, if they say so; it is compressed that is meant where nothing is said."""
    values = plain(WORDS)
    left = data_page(2, values, num_values=4, is_compressed=False)
    done = data_page(2, values, num_values=4, codec=codec, is_compressed=True)
    data = make_file([left, done, word_page(2, codec=codec), left], 16, codec=codec)
    assert read(data) == read_by_arrow(data) == texts(WORDS * 4)


@EACH_CODEC
def test_old_arrow_compressed_whatever_it_said(codec):
    """Up to 2.0 it said that pages of version 2 were not compressed, and they were."""
    page = word_page(2, codec=codec, is_compressed=False)
    for by in (b"parquet-cpp-arrow version 2.0.0", b"parquet-cpp-arrow version 0.17.1", b"parquet-cpp version 1.5.1"):
        data = make_file([page], codec=codec, by=by)
        assert read(data) == texts(WORDS)
        assert chunk_of(data)[0].is_always_compressed
    for by in (
        b"parquet-cpp-arrow version 3.0.0",
        b"parquet-cpp-arrow version 20.0.0",
        b"parquet-mr version 1.0",
        None,
    ):
        data = make_file([page], codec=codec, by=by)
        assert not chunk_of(data)[0].is_always_compressed
        if codec:
            check_refused(data, r"\d+ bytes of values, but should be \d+|Snappy|PLAIN")


@VERSIONS
@EACH_CODEC
def test_pages_of_nulls_alone(version, codec):
    """E3, F13: no values are no bytes, which nobody should decompress; old parquet-java decompressed them."""
    page = data_page(version, b"", num_values=9, definition=[0] * 9, codec=codec)
    data = make_file([page], 9, codec=codec, repetition=OPTIONAL)
    assert read(data) == read_by_arrow(data) == [None] * 9
    target = io.BytesIO()
    recode(io.BytesIO(data), target, encoding="DELTA_BYTE_ARRAY")
    assert read(target.getvalue()) == read_by_arrow(target.getvalue()) == [None] * 9


@VERSIONS
def test_pages_of_nothing(version):
    """A page may be empty, at the beginning, between others and at the end."""
    none = word_page(version, [])
    data = make_file([none, word_page(version), none, none, word_page(version), none], 8)
    assert read(data) == texts(WORDS * 2)
    assert len([*walk(chunk_of(data)[0])]) == 5  # what is behind the last value is not looked at


def test_pages_of_nothing_alone():
    """They hold no values, however many they are."""
    data = make_file([word_page(1, [])] * 1000, 4)
    check_refused(data, "the pages end with 0 values, of 4 that the column chunk should have")


@pytest.mark.parametrize("size", [0, 20])
def test_chunks_without_values(size):
    """E16: nothing is read of them, wherever they should be; bytes that they have must be there."""
    data = make_file([], 0, total_compressed_size=0, data_page_offset=0)
    assert read(data) == []
    data = make_file([dictionary_page([])], 0)
    assert read(data) == []
    assert chunk_of(data)[0].num_values == 0


# --- Checksums -------------------------------------------------------------------------------------------------------


@given(st.binary(max_size=100), st.integers(0, 1000))
def test_any_page_is_made_with_its_checksum(body, size):
    """I16: signed, as the format has it, of the bytes as they are stored; the header that was given stays."""
    header = dictionary_page_header(7)
    before = bytes(header)
    made = make_page(header, np.frombuffer(body, np.uint8), size)
    assert bytes(header) == before
    found, end = PageHeader.read(made)
    assert made[end:] == body
    assert (found.uncompressed_page_size, found.compressed_page_size) == (size, len(body))
    assert found.crc == struct.unpack("<i", struct.pack("<I", zlib.crc32(body)))[0]
    assert (found.type, found.dictionary_page_header.num_values) == (DICTIONARY, 7)


def with_checksum(page, wrong=0):
    """Add a checksum to a page."""
    header, end = PageHeader.read(page)
    header.crc = struct.unpack("<i", struct.pack("<I", zlib.crc32(page[end:]) ^ wrong))[0]
    return bytes(header) + page[end:]


@VERSIONS
@pytest.mark.parametrize("codec", [0, 6])
def test_checksums(version, codec):
    """I16: of dictionary and data pages, compressed or not; Arrow agrees. Who writes a page anew always looks."""
    pages = [dictionary_page(WORDS, codec=codec), index_page(version, [0, 1, 2, 3], codec=codec)]
    fields = {"codec": codec, "dictionary_page_offset": 4, "encodings": [PLAIN, RLE, RLE_DICTIONARY]}
    for wrong in (None, 0, 1):
        made = [page if i == wrong else with_checksum(page) for i, page in enumerate(pages)]
        offset = {"data_page_offset": 4 + len(made[0])}
        data = make_file(made, **fields, **offset)
        assert read(data, check_crc=True) == texts(WORDS)
        assert read_by_arrow(data, page_checksum_verification=True) == texts(WORDS)
        assert [page.is_intact() for page in walk(chunk_of(data)[0])] == [None if i == wrong else True for i in (0, 1)]
        if wrong is None:
            continue
        made = [with_checksum(page, 1 << 31 if i == wrong else 0) for i, page in enumerate(pages)]
        data = make_file(made, **fields, data_page_offset=4 + len(made[0]))
        assert read(data) == texts(WORDS)
        assert [page.is_intact() for page in walk(chunk_of(data)[0])] == [i != wrong for i in (0, 1)]
        at = 4 if wrong == 0 else 4 + len(made[0])
        with pytest.raises(MalformedFileError, match=f"column 'c': page at byte {at}: its bytes do not fit its check"):
            read(data, check_crc=True)
        with pytest.raises(MalformedFileError, match="do not fit its checksum"):
            recode(io.BytesIO(data), io.BytesIO(), encoding="PLAIN")
        with pytest.raises(OSError, match="CRC checksum"):
            read_by_arrow(data, page_checksum_verification=True)


# --- Sizes that lie --------------------------------------------------------------------------------------------------

LIES = [-(2**31), -1000, -1, 1, 100, 2**31 - 1]


def lie(page, name, number):
    """Set a size in the header of a page: to `number` where that is of its own, else so much beside what it is."""
    header, end = PageHeader.read(page)
    own = getattr(header, name)
    setattr(header, name, number if abs(number) == 2**31 or number == 2**31 - 1 else own + number)
    return bytes(header) + page[end:]


@VERSIONS
@EACH_CODEC
@pytest.mark.parametrize("number", LIES)
def test_decompressed_sizes_that_lie(version, codec, number):
    """F5, F8: what becomes of a page is held against its header, and no memory is taken for what it says."""
    pages = [dictionary_page(WORDS, codec=codec), index_page(version, [0, 1, 2, 3], codec=codec)]
    for i in (0, 1):
        made = [lie(page, "uncompressed_page_size", number) if i == j else page for j, page in enumerate(pages)]
        check_refused(make_file(made, codec=codec, dictionary_page_offset=4))


@VERSIONS
@pytest.mark.parametrize("number", LIES)
def test_stored_sizes_that_lie(version, number):
    """Pages go on where they should not, or beyond the chunk."""
    pages = [dictionary_page(WORDS), index_page(version, [0, 1, 2, 3])]
    for i in (0, 1):
        made = [lie(page, "compressed_page_size", number) if i == j else page for j, page in enumerate(pages)]
        check_refused(make_file(made, dictionary_page_offset=4))


@VERSIONS
@pytest.mark.parametrize("count", [-(2**31), -1, 5, 2**31 - 1])
def test_numbers_of_values_that_lie(version, count):
    """A20, F8, G2: fewer than none, or more than the chunk has, or than the page."""
    page = data_page(version, plain(WORDS), num_values=count)
    check_refused(make_file([page]))
    with battery.limited_memory(), pytest.raises(ColcodecError):
        read(make_file([page], count))


@EACH_CODEC
def test_dictionaries_are_held_against_the_limit(codec):
    """F8: before anything is decompressed, or there is room for it."""
    page = dictionary_page([b"a" * 10_000], codec=codec)
    pages = [page, index_page(1, [0], codec=codec)]
    assert read(make_file(pages, 1, codec=codec), max_data_size=10_000) == ["a" * 10_000]
    for made in (page, lie(page, "uncompressed_page_size", 2**31 - 1)):
        data = make_file([made, pages[1]], 1, codec=codec)
        with battery.limited_memory(), pytest.raises(cc.LimitError, match="column 'c': "):
            read(data, max_data_size=9_000)


@VERSIONS
def test_fewer_values_than_there_are(version):
    """What is behind them is not looked at: fastparquet pads its pages. But the chunk must have its values."""
    page = data_page(version, plain(WORDS), num_values=3)
    assert read(make_file([page], 3)) == texts(WORDS[:3])
    check_refused(make_file([page]), "the pages end with 3 values, of 4")


@VERSIONS
def test_chunks_that_are_cut_anywhere(version):
    """Be it in the middle of a header: what is behind the chunk is not taken for a part of it."""
    pages = [dictionary_page(WORDS), index_page(version, [0, 1, 2, 3])]
    whole = sum(map(len, pages))
    for size in range(whole):
        data = make_file(pages, dictionary_page_offset=4, total_compressed_size=size)
        with pytest.raises(MalformedFileError, match=r"^column 'c'(, row group 0)?: "):
            read(data)
        with pytest.raises(MalformedFileError):
            recode(io.BytesIO(data), io.BytesIO())
    assert read(make_file(pages, dictionary_page_offset=4, total_compressed_size=whole)) == texts(WORDS)


@pytest.mark.parametrize("size", [-1, -(2**63), 2**62, 2**63 - 1, 10_000])
def test_sizes_of_chunks_that_lie(size):
    """Beyond the file, or less than nothing."""
    for fields in (
        {"total_compressed_size": size},
        {"num_values": size} if size < 0 else {"total_compressed_size": size},
    ):
        check_refused(make_file([word_page(1)], **fields), "a column chunk of")


def test_sizes_of_old_parquet_mr():
    """It left out the header of the dictionary page: so much may a chunk have beyond its size, within the file."""
    pages = [dictionary_page(WORDS), index_page(1, [0, 1, 2, 3])]
    untold = len(pages[0]) - len(plain(WORDS))
    size = sum(map(len, pages)) - untold
    fields = {"dictionary_page_offset": 4, "total_compressed_size": size}
    assert read(make_file(pages, by=b"parquet-mr version 1.6.0 (build 6)", **fields)) == texts(WORDS)
    check_refused(make_file(pages, **fields))


# --- Offsets in the footer that are wrong ----------------------------------------------------------------------------

OTHER = word_page(1, [b"wrong", b"wrong", b"wrong", b"wrong"])
OFFSETS = [
    # What is added to where the dictionary page begins (D), or the data page (P), or another number.
    ("P", "D"),
    ("D", "D"),  # I4: all old parquet-mr
    ("D", None),  # and others
    ("D", 0),
    ("D", "P"),
    ("D", -1),
    ("D", 2**62),
    (0, "D"),
    (-1, "D"),
    (2**63 - 1, "D"),
    ("end", "D"),
    ("P+1", "D"),
]


@VERSIONS
@pytest.mark.parametrize(("first", "dictionary"), OFFSETS)
def test_offsets_with_a_dictionary(version, first, dictionary):
    """I4, I7, I9: pages are walked from the smallest offset that can be, and are what they say."""
    pages = [dictionary_page(WORDS), index_page(version, [0, 1, 2, 3])]
    start = 4 + len(OTHER)
    places = {"D": start, "P": start + len(pages[0]), "P+1": start + len(pages[0]) + 1, "end": 100_000}
    fields = {
        "data_page_offset": places.get(first, first),
        "dictionary_page_offset": places.get(dictionary, dictionary),
        "total_compressed_size": sum(map(len, pages)),
        "encodings": [PLAIN, RLE, RLE_DICTIONARY],
    }
    data = make_file([OTHER, *pages], **fields)
    assert read(data) == texts(WORDS)
    assert chunk_of(data)[0].start == start
    info = inspect(io.BytesIO(data))
    assert not info.is_damaged
    said = {finding.kind for finding in info.columns[0].chunks[0].findings} & {
        "data_page_offset",
        "dictionary_page_offset",
    }
    assert said == {
        name
        for name, right in (("data_page_offset", places["P"]), ("dictionary_page_offset", start))
        if fields[name] != right
    }
    for encoding in ("RLE_DICTIONARY", "PLAIN"):
        check_offsets_of_recoded(data, encoding)


@VERSIONS
@pytest.mark.parametrize("dictionary", [None, 0, "P", -1, 2**62, "behind", "before"])
def test_offsets_of_dictionaries_that_are_not_there(version, dictionary):
    """I8, I9: zero, that of the data page, or one out of which the chunk would end before its own pages."""
    page = word_page(version)
    start = 4 + len(OTHER)
    assert len(OTHER) >= len(page)
    places = {"P": start, "behind": start + len(page), "before": 4}
    fields = {
        "data_page_offset": start,
        "dictionary_page_offset": places.get(dictionary, dictionary),
        "total_compressed_size": len(page),
    }
    data = make_file([OTHER, page, OTHER], **fields)
    assert read(data) == texts(WORDS)
    assert inspect(io.BytesIO(data)).is_damaged is False
    for encoding in ("PLAIN", "DELTA_BYTE_ARRAY"):
        check_offsets_of_recoded(data, encoding)


def check_offsets_of_recoded(data, encoding):
    """Check that offsets are those of the pages afterwards, by their headers, and that Arrow follows them."""
    target = io.BytesIO()
    recode(io.BytesIO(data), target, encoding=encoding)
    result = target.getvalue()
    assert read(result) == read_by_arrow(result) == texts(WORDS)
    row_group = read_footer(target).metadata.row_groups[0]
    column = row_group.columns[0].meta_data
    header, _ = PageHeader.read(result, column.data_page_offset)
    assert header.type in (DATA, DATA_V2)
    start = column.data_page_offset
    if column.dictionary_page_offset is not None:
        header, end = PageHeader.read(result, column.dictionary_page_offset)
        assert header.type == DICTIONARY
        start = column.dictionary_page_offset
        assert end + header.compressed_page_size == column.data_page_offset
    assert row_group.file_offset == start
    assert not [found for found in inspect(target).columns[0].chunks[0].findings if found.kind.endswith("_offset")]


@pytest.mark.parametrize("first", [0, 3, -1, 2**62])
@pytest.mark.parametrize("dictionary", [None, 0, -5, 2**40])
def test_no_offset_at_all(first, dictionary):
    data = make_file([word_page(1)], data_page_offset=first, dictionary_page_offset=dictionary)
    check_refused(data, f"no page offset inside the file: data_page_offset is {first}")


# --- Pages of other types --------------------------------------------------------------------------------------------


@VERSIONS
@pytest.mark.parametrize("kind", [INDEX, 4, 99, -1, 2**31 - 1])
def test_pages_that_nobody_knows(version, kind):
    """They are left out where values are read, and stay where a file is written again: their column as it is."""
    odd = odd_page(kind)
    pages = [dictionary_page(WORDS), odd, index_page(version, [0, 1]), odd, odd_page(kind, b""), word_page(version)]
    fields = {"dictionary_page_offset": 4, "encodings": [PLAIN, RLE, RLE_DICTIONARY]}
    data = make_file(pages, 6, data_page_offset=4 + len(pages[0]), **fields)
    assert read(data) == texts([*WORDS[:2], *WORDS])
    chunk, leaf = chunk_of(data)
    found = [*walk(chunk)]
    assert [page.header.type for page in found] == [PageHeader.read(page)[0].type for page in pages]
    assert (found[1].data_header, found[1].encoding, found[1].num_values) == (None, None, 0)
    with pytest.raises(MalformedFileError, match=f"no data page, but of type {kind}"):
        read_data_page(found[1], chunk, leaf)
    target = io.BytesIO()
    (report,) = recode(io.BytesIO(data), target, encoding="PLAIN").columns
    assert report.notes == (f"row group 0: left as it is; there is a page of type {kind}, of which nothing is known",)
    start = read_footer(io.BytesIO(data)).start
    assert target.getvalue()[:start] == data[:start]
    assert not inspect(io.BytesIO(data)).is_damaged


def test_unknown_fields_of_headers():
    """They are there for who writes a page again, and left out for others."""
    header, end = PageHeader.read(word_page(1))
    header._fields[50] = (8, 123)
    header.data_page_header._fields[60] = (11, b"new")
    chunk, _ = chunk_of(make_file([bytes(header) + word_page(1)[end:]]))
    (page,), (known,) = walk(chunk), walk(chunk, known=True)
    assert page.header == header
    assert known.header.data_page_header.num_values == 4
    assert known.header._fields.keys() == {1, 2, 3, 5}
    assert (page.header_size, known.header_size) == (len(bytes(header)),) * 2


@pytest.mark.parametrize("kind", [DATA, DATA_V2])
def test_data_pages_without_their_header(kind):
    name = "data_page_header" if kind == DATA else "data_page_header_v2"
    check_refused(make_file([odd_page(kind)]), f"page at byte 4: a data page without {name}$")


# --- Dictionaries ----------------------------------------------------------------------------------------------------


@VERSIONS
@pytest.mark.parametrize(
    ("first", "message"),
    [
        (odd_page(DICTIONARY), "dictionary page at byte 4: it has no dictionary_page_header"),
        (dictionary_page(WORDS, num_values=-1), "dictionary page at byte 4: -1 values"),
        (dictionary_page(WORDS, num_values=-(2**31)), "dictionary page at byte 4: -2147483648 values"),
        (dictionary_page(WORDS, encoding=RLE_DICTIONARY), "encoding 8; a dictionary is PLAIN"),
        (dictionary_page(WORDS, encoding=77), "encoding 77; a dictionary is PLAIN"),
        (dictionary_page(WORDS, num_values=5), None),
        (dictionary_page(WORDS, num_values=2**31 - 1), None),
        (dictionary_page(WORDS, num_values=3), None),  # E19: an index that is none
        (dictionary_page(WORDS, num_values=0), None),
        (dictionary_page([]), None),
        (dictionary_page(WORDS) + dictionary_page(WORDS), "a (second )?dictionary page"),
        (word_page(1, []) + dictionary_page(WORDS), "a dictionary page"),
        (b"", None),
    ],
)
def test_dictionaries_that_lie(version, first, message):
    """E4, E18, E19: dictionaries that are none, of other sizes, twice, too late, or not there."""
    check_refused(make_file([first, index_page(version, [0, 1, 2, 3])]), message)


@VERSIONS
def test_old_names_of_the_dictionary(version):
    """PLAIN_DICTIONARY is what old writers call the dictionary and the indices."""
    pages = [dictionary_page(WORDS, encoding=2, is_sorted=True), index_page(version, [0, 1, 2, 3])]
    header, end = PageHeader.read(pages[1])
    (header.data_page_header or header.data_page_header_v2).encoding = 2
    data = make_file(
        [pages[0], bytes(header) + pages[1][end:]], data_page_offset=4 + len(pages[0]), dictionary_page_offset=4
    )
    assert read(data) == read_by_arrow(data) == texts(WORDS)


# --- Levels that lie -------------------------------------------------------------------------------------------------


@VERSIONS
@pytest.mark.parametrize("encoding", [1, 10, 77, -1])
def test_encodings_that_there_are_not(version, encoding):
    page = data_page(version, plain(WORDS), num_values=4, encoding=encoding)
    check_refused(make_file([page]), f"data page at byte 4: encoding {encoding}, which colcodec does not know")


@VERSIONS
@pytest.mark.parametrize("encoding", [RLE, 5, 9])
def test_encodings_that_are_not_for_strings(version, encoding):
    page = data_page(version, plain(WORDS), num_values=4, encoding=encoding)
    check_refused(make_file([page]), "column 'c'.*page at byte 4: ")


def level_page(body, definition=RLE, repetition=RLE):
    """Make a page of version 1 of three values out of its whole body."""
    own = DataPageHeader(
        num_values=3, encoding=PLAIN, definition_level_encoding=definition, repetition_level_encoding=repetition
    )
    sizes = {"uncompressed_page_size": len(body), "compressed_page_size": len(body)}
    return bytes(PageHeader(type=DATA, data_page_header=own, **sizes)) + body


@pytest.mark.parametrize("size", [-1, -(2**31), 100, 2**31 - 1, 17, 1, 0])
def test_sizes_of_levels_that_lie_in_version_1(size):
    """G2: negative, beyond the page, in the middle of the levels or of the values."""
    body = struct.pack("<i", size) + levels([1, 1, 0]) + plain([b"axis", b""])
    assert len(body) - 4 < 17
    for kind in (OPTIONAL, REPEATED):
        check_refused(make_file([level_page(body)], 3, repetition=kind))


@pytest.mark.parametrize("size", range(4))
def test_bodies_without_a_size_of_levels(size):
    check_refused(make_file([level_page(bytes(size))], 3, repetition=OPTIONAL), "of definition levels, of which 0 are")
    check_refused(make_file([level_page(bytes(size))], 3, repetition=REPEATED), "of repetition levels, of which 0 are")


@pytest.mark.parametrize("encoding", [BIT_PACKED, 0, 99])
def test_levels_in_other_encodings(encoding):
    """BIT_PACKED was given up long ago. Of a column without levels, nobody asks how they would be encoded."""
    body = struct.pack("<i", 2) + levels([1, 1, 0]) + plain([b"axis", b""])
    page = level_page(body, definition=encoding)
    check_refused(make_file([page], 3, repetition=OPTIONAL), f"definition levels in encoding {encoding}; only RLE")
    page = level_page(body, repetition=encoding)
    check_refused(make_file([page], 3, repetition=REPEATED), f"repetition levels in encoding {encoding}; only RLE")
    data = make_file([level_page(plain(WORDS[:3]), encoding, encoding)], 3)
    assert read(data) == texts(WORDS[:3])


@EACH_CODEC
@pytest.mark.parametrize(
    "fields",
    [
        {"definition_levels_byte_length": -1},
        {"definition_levels_byte_length": -(2**31)},
        {"definition_levels_byte_length": 2**31 - 1},
        {"definition_levels_byte_length": 0},
        {"definition_levels_byte_length": 1},
        {"repetition_levels_byte_length": -2},
        {"repetition_levels_byte_length": 1},
        {"repetition_levels_byte_length": 2**31 - 1},
        {"definition_levels_byte_length": 10**6, "repetition_levels_byte_length": -(10**6)},
        {"num_nulls": 0},
        {"num_nulls": 2},
        {"num_nulls": 3},
        {"num_nulls": -1},
        {"num_nulls": 2**31 - 1},
    ],
)
def test_levels_that_lie_in_version_2(codec, fields):
    """G2, G4: sizes that are negative, or beyond the page, or its values; nulls that are none."""
    options = {"num_values": 3, "definition": [1, 0, 1], "codec": codec}
    assert read(make_file([data_page(2, plain([b"a", b"b"]), **options)], 3, codec=codec, repetition=OPTIONAL))
    page = data_page(2, plain([b"a", b"b"]), **options | fields)
    check_refused(make_file([page], 3, codec=codec, repetition=OPTIONAL))


@VERSIONS
@pytest.mark.parametrize("definition", [[], [1, 0], [1, 1, 1]])
def test_levels_and_values_that_do_not_fit(version, definition):
    """G2: fewer levels than values; more values by the levels than are there."""
    fields = {"num_nulls": 3 - definition.count(1)} if version == 2 else {}
    page = data_page(version, plain([b"a"]), num_values=3, definition=definition, **fields)
    if len(definition) == 2:  # a run is of eight, and those behind the last are zeros
        data = make_file([page], 3, repetition=OPTIONAL)
        assert read(data) == ["a", None, None]
        return
    check_refused(make_file([page], 3, repetition=OPTIONAL))


@VERSIONS
def test_a_chunk_begins_with_a_row(version):
    """G2: its first repetition level is 0."""
    page = data_page(version, plain([b"a", b"b"]), num_values=2, repetition=[1, 0], definition=[1, 1])
    data = make_file([page], 2, repetition=REPEATED)
    with pytest.raises(MalformedFileError, match="the first repetition level is 1, but 0 begins a row"):
        read(data)


# --- Names of codecs -------------------------------------------------------------------------------------------------


def test_codecs():
    assert [codec_name(number) for number in range(8)] == [
        "UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW",
    ]  # fmt: skip
    assert (codec_name(8), codec_name(-1)) == ("codec 8", "codec -1")
    for kind in Compression:
        assert CODECS[codec_number(kind)] is kind


@VERSIONS
@pytest.mark.parametrize("codec", [3, 8, 99, -1])
def test_codecs_that_are_not_read(version, codec):
    data = make_file([word_page(version)], codec=codec)
    with pytest.raises(MalformedFileError, match=f"compressed with {codec_name(codec)}, which is not read"):
        read(data)
