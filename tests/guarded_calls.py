"""Public functions, all of whose arrays are guarded: what the caller gives, what comes back, and all in between."""

from contextlib import suppress

import naive
import nanoarrow as na
import numpy as np
from strategies import FIXED_LENGTH_ENCODINGS, STRING_ENCODINGS

import colcodec as cc
from colcodec import _growing, dictionary
from colcodec.encodings import rle_dictionary

CALLS = {}
"""Function, and what it is called for -> what runs a case of it."""

LIMIT = 1 << 16  # of decoded bytes: a few hostile bytes can ask for more than a case should take


def make_tight():
    """Let arrays that grow begin without room to spare, behind which nothing would be seen."""
    _growing.FIRST_SIZE = 0
    dictionary.FIRST_ROOM, dictionary.FIRST_DATA_SIZE = 2, dictionary.KNOWN_SLACK


def call(*names):
    """Name a function that runs a case, once for each parameter or as it is; its arrays are then guarded."""

    def register(function):
        for name, *given in names:
            CALLS[name] = guarded(function, given)
        return function

    return register


def guarded(function, given):
    """Run with all arrays guarded. What is refused as it should be is refused."""

    def run(case):
        with case.memory.switched_on(), suppress(cc.ColcodecError):
            function(case, *given)

    return run


def check(found, expected):
    if found != expected:
        raise AssertionError(f"{found!r} in place of {expected!r}")


# --- Pages -----------------------------------------------------------------------------------------------------------


def make_column(case, values=None):
    """Give a column, with nulls or not, maybe a slice of a longer one; and its values."""
    values = case.values() if values is None else values
    validity, bits = case.bitmap(len(values))
    kept = [value if bit else None for value, bit in zip(values, bits, strict=True)]
    has_nulls = case.below(2)
    strings = cc.StringColumn(*case.column(values), validity if has_nulls else None, utf8=False)
    kept = kept if has_nulls else values
    if case.below(3) == 0:
        start = case.below(len(values) + 1)
        return strings[start:], kept[start:]
    return strings, kept


def fixed_values(case):
    """Give values of one length, and that."""
    length = 1 + case.below(40)
    return [case.bytes(length) for _ in range(case.choose((case.length // length, min(case.length, 70))))], length


def check_encode(case, strings, values, encoding, type_length=None):
    """Encode into as much room as is asked for, and decode into as much."""
    bound = cc.encoded_size_bound(strings, encoding, type_length=type_length)
    out = case.output(bound) if case.below(2) else None
    page = cc.encode(strings, encoding, out=out, type_length=type_length)
    room = case.output(page.num_values + 1, np.int64), case.output(cc.decoded_size(page))
    check(cc.decode(page, out=room if case.below(2) else None).to_pylist(), values)
    copy = case.input(page.data)
    given = {"validity": page.validity, "dictionary": page.dictionary, "type_length": type_length}
    found = cc.decode(copy, encoding=encoding, num_values=page.num_values, copy=False, **given)
    check(found.to_pylist(), values)


@call(*((f"encode.{encoding}", encoding) for encoding in (*STRING_ENCODINGS, "RLE_DICTIONARY")))
def _(case, encoding):
    check_encode(case, *make_column(case), encoding)


@call(*((f"encode.fixed.{encoding}", encoding) for encoding in (*FIXED_LENGTH_ENCODINGS, "RLE_DICTIONARY")))
def _(case, encoding):
    values, length = fixed_values(case)
    check_encode(case, *make_column(case, values), encoding, length)


@call(("encode.DELTA_BINARY_PACKED",))
def _(case):
    bits = case.choose((32, 64))
    values = case.input(case.integers(case.length, bits), f"i{bits // 8}")
    out = case.output(cc.encoded_size_bound(values, "DELTA_BINARY_PACKED")) if case.below(2) else None
    page = cc.encode(values, "DELTA_BINARY_PACKED", out=out)
    room = case.output(values.size, values.dtype) if case.below(2) else None
    check(cc.decode(page, out=room).tolist(), values.tolist())


def decode_into(case, data, **given):
    """Decode into new arrays, and into arrays that have just the size that is asked for."""
    given["max_data_size"] = LIMIT
    if case.below(2):
        out = case.output(given["num_values"] + 1, np.int64), case.output(cc.decoded_size(data, **given))
        cc.decode(data, out=out, **given)
    cc.decode(data, copy=bool(case.below(2)), **given)


def absent(case, count):
    """Give the number of values of a column that has nulls among those of a page, and its bitmap."""
    if case.below(2) or count > 4000:
        return {"num_values": count}
    bits = [1] * count + [0] * case.below(40)
    case.random.shuffle(bits)
    packed = np.packbits(np.array(bits, np.uint8), bitorder="little")
    return {"num_values": len(bits), "validity": case.input(packed)}


@call(*((f"decode.{encoding}", encoding) for encoding in STRING_ENCODINGS))
def _(case, encoding):
    data, count = case.harm(*case.page(encoding))
    buf, pos, end = case.buffer(data)
    decode_into(case, buf[pos:end], encoding=encoding, **absent(case, count))


@call(*((f"decode.fixed.{encoding}", encoding) for encoding in FIXED_LENGTH_ENCODINGS))
def _(case, encoding):
    values, length = fixed_values(case)
    data, count = case.harm(*case.page(encoding, values, length))
    buf, pos, end = case.buffer(data)
    decode_into(case, buf[pos:end], encoding=encoding, type_length=length, **absent(case, count))


@call(("decode.DELTA_BINARY_PACKED",))
def _(case):
    bits = case.choose((32, 64))
    data, count = case.harm(*case.delta_stream(bits))
    buf, pos, end = case.buffer(data)
    out = case.output(count, f"i{bits // 8}") if case.below(2) else None
    cc.decode(buf[pos:end], encoding="DELTA_BINARY_PACKED", num_values=count, dtype=f"int{bits}", out=out)


def make_dictionary_page(case):
    """Give indices, that may be harmed, their number, and the dictionary that they are of."""
    values = [*case.values(), b"one"]
    width = max((len(values) - 1).bit_length(), case.below(3))
    data, count = case.harm(*case.hybrid(width, case.length))
    if case.below(2):  # mostly within the dictionary
        indices = [case.below(len(values)) for _ in range(case.length)]
        data, count = naive.encode_hybrid(indices, width), len(indices)
    plain, num_values = naive.encode_plain(values), len(values)
    if case.below(6) == 0:
        plain, num_values = case.harm(plain, num_values)
    return bytes([width]) + data, count, cc.EncodedPage("PLAIN", case.input(plain), num_values)


@call(("decode.RLE_DICTIONARY",))
def _(case):
    data, count, known = make_dictionary_page(case)
    buf, pos, end = case.buffer(data)
    decode_into(case, buf[pos:end], encoding="RLE_DICTIONARY", num_values=count, dictionary=known)


@call(("decode_indices",))
def _(case):
    data, count, known = make_dictionary_page(case)
    buf, pos, end = case.buffer(data)
    cc.decode_indices(buf[pos:end], encoding="RLE_DICTIONARY", num_values=count, dictionary=known)


@call(("read_indices",))
def _(case):
    data, count, known = make_dictionary_page(case)
    rle_dictionary.read_indices(case.input(data), count, known.num_values, LIMIT)


@call(*((f"pages.{encoding}", encoding) for encoding in (*STRING_ENCODINGS, "RLE_DICTIONARY")))
def _(case, encoding):
    strings, values = make_column(case)
    pages = cc.encode_pages(strings, encoding, rows_per_page=1 + case.below(60), threads=1)
    check(cc.decode_pages(pages, threads=1).to_pylist(), values)


@call(*((f"stream.{encoding}", encoding) for encoding in (*STRING_ENCODINGS, "RLE_DICTIONARY")))
def _(case, encoding):
    strings, values = make_column(case)
    writer = cc.PageWriter(encoding)
    cut = case.below(len(values) + 1)
    for part in (strings[:cut], strings[cut:]):
        writer.write(part)
        check(writer.size >= 0, True)
    starts, ends, data, _ = case.slices()
    writer.write_slices(data, starts, ends - starts)
    page = writer.finish()
    taken = [data[start:end].tobytes() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    check(cc.decode(page).to_pylist(), values + taken)
    read_through(case, cc.PageReader(page), values + taken)


def read_through(case, reader, expected=None):
    """Read a page bit by bit, and leave some out."""
    while reader.position < reader.num_values:
        count, before = 1 + case.below(60), reader.position
        if case.below(3) == 0:
            reader.skip(count)
        else:
            found = reader.read(count).to_pylist()
            if expected is not None:
                check(found, expected[before : before + count])


@call(*((f"reader.{encoding}", encoding) for encoding in STRING_ENCODINGS))
def _(case, encoding):
    data, count = case.harm(*case.page(encoding))
    buf, pos, end = case.buffer(data)
    read_through(case, cc.PageReader(buf[pos:end], encoding=encoding, max_data_size=LIMIT, **absent(case, count)))


@call(("stream.DELTA_BINARY_PACKED",))
def _(case):
    bits = case.choose((32, 64))
    values = case.input(case.integers(case.length, bits), f"i{bits // 8}")
    writer, cut = cc.PageWriter("DELTA_BINARY_PACKED"), case.below(case.length + 1)
    writer.write(values[:cut])
    writer.write(values[cut:])
    reader, found = cc.PageReader(writer.finish()), []
    while reader.position < reader.num_values:
        found += reader.read(1 + case.below(60)).tolist()
    check(found, values.tolist())


# --- Levels ----------------------------------------------------------------------------------------------------------


@call(("levels",))
def _(case):
    most, version = case.choose((1, 2, 3, 255, 2**15 - 1)), case.choose((1, 2))
    levels = [case.below(most + 1) for _ in range(case.length)]
    encoded = cc.encode_levels(case.input(levels, np.int16), most, page_version=version)
    check(cc.decode_levels(case.input(encoded), len(levels), most, page_version=version).levels.tolist(), levels)


@call(("levels.validity",))
def _(case):
    count, version = case.choose((case.length, 8 * case.length)), case.choose((1, 2))
    validity, bits = case.bitmap(count)
    encoded = cc.encode_validity(validity, count, page_version=version)
    found = cc.decode_validity(case.input(encoded), count, page_version=version)
    shown = [1] * count if found.validity is None else np.unpackbits(found.validity, bitorder="little")[:count].tolist()
    check(shown, bits)


@call(("levels.hostile",))
def _(case):
    most, version = case.choose((1, 1, 2, 255, 2**15 - 1)), case.choose((1, 2))
    data, count = case.harm(*case.hybrid(most.bit_length()))
    if version == 1:
        data = case.choose((len(data), len(data), case.below(len(data) + 9))).to_bytes(4, "little") + data
    buf, pos, end = case.buffer(data)
    if most == 1:
        cc.decode_validity(buf[pos:end], count, page_version=version)
    cc.decode_levels(buf[pos:end], count, most, page_version=version)


# --- Conversions -----------------------------------------------------------------------------------------------------


def make_texts(case):
    """Give texts of so many bytes in all, without NULs, which at the end of a slot would be none of its value."""
    text, values = case.text(case.length).decode().replace("\0", "x"), []
    while text:
        size = case.choose((0, 1, 3, 16, 40, 100))
        values.append(text[:size])
        text = text[size:]
    return values


@call(("numpy.U", "U"), ("numpy.S", "S"), ("numpy.T", "T"), ("numpy.O", "O"))
def _(case, kind):
    values = make_texts(case)
    if kind == "S":
        values = [value.encode() for value in values]
    array = np.array(values, np.dtypes.StringDType() if kind == "T" else kind)
    if kind in "US" and array.size:
        case.memory.protect(array)
    step = case.choose((1, 1, -1, 2))
    strings, expected = cc.column(array[::step]), values[::step]
    strings.validate()
    if case.below(3) == 0:
        strings, expected = strings[1:], expected[1:]
    check(strings.to_pylist(), expected)
    check(strings.to_numpy(kind).tolist(), expected)


@call(("to_numpy.U", "U"), ("to_numpy.S", "S"), ("to_numpy.T", "T"), ("to_numpy.O", "O"), ("to_pylist", None))
def _(case, kind):
    texts = [value.encode() for value in make_texts(case)]
    validity = case.bitmap(len(texts))[0] if case.below(2) else None
    strings = cc.StringColumn(*case.column(texts), validity, utf8=kind != "S" or case.below(2) == 0)
    if kind is None:
        strings.to_pylist()
    else:
        strings.to_numpy(kind, fill="" if kind in "US" else case.choose((None, "nothing")))


@call(("validate",))
def _(case):
    cc.StringColumn(*case.column(), utf8=True).validate()


def arrow_array(type_, length, *buffers):
    """Give an Arrow array of these buffers."""
    return na.c_array_from_buffers(type_, length, buffers, validation_level="none")


@call(("arrow.large_string", na.large_string(), np.int64), ("arrow.string", na.string(), np.int32))
def _(case, type_, dtype):
    texts = [value.encode() for value in make_texts(case)]
    offsets, data = case.column(texts)
    validity, bits = case.bitmap(len(texts))
    array = arrow_array(type_, len(texts), validity, case.input(offsets, dtype), data)
    expected = [text.decode() if bit else None for text, bit in zip(texts, bits, strict=True)]
    strings = cc.column(array)
    check(strings.to_pylist(), expected)
    check(na.Array(strings).to_pylist(), expected)
    check(na.Array(strings, schema=na.string()).to_pylist(), expected)


@call(("arrow.fixed_size_binary",))
def _(case):
    values, length = fixed_values(case)
    validity, bits = case.bitmap(len(values))
    array = arrow_array(na.fixed_size_binary(length), len(values), validity, case.input(b"".join(values)))
    expected = [value if bit else None for value, bit in zip(values, bits, strict=True)]
    check(cc.column(array).to_pylist(), expected)


@call(("arrow.string_view",))
def _(case):
    import guarded_kernels

    texts = [value.encode() for value in make_texts(case)]
    views, buffers = guarded_kernels.make_views(case, texts)
    validity, bits = case.bitmap(len(texts))
    expected = [text.decode() if bit else None for text, bit in zip(texts, bits, strict=True)]
    sizes = case.input([buffer.size for buffer in buffers], np.int64)
    array = arrow_array(na.string_view(), len(texts), validity, case.input(views), *buffers, sizes)
    check(cc.column(array).to_pylist(), expected)
