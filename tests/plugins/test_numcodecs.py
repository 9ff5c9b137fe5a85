"""The codecs of numcodecs: against numcodecs' own for strings, and what its users expect of any codec."""

import array
import contextlib
import copy
import importlib.metadata
import json
import pickle
import struct
import tomllib

import naive
import numcodecs
import numpy as np
import pytest
from battery import check_little_memory
from conftest import JIT, ROOT
from hypothesis import given
from hypothesis import strategies as st
from numcodecs.vlen import VLenBytes, VLenUTF8
from strategies import byte_columns, text_columns

import colcodec as cc
from colcodec.plugins.numcodecs import Strings, VLenStrings

ENCODINGS = ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY")
GREETINGS = ["¡Hola mundo!", "Hej Världen!", "", "Γεια σου κόσμε!", "こんにちは世界", "Hello\0", "🎈"]
StringDType = np.dtypes.StringDType


def objects(values):
    """Make an array of objects, one-dimensional whatever they are."""
    made = np.empty(len(values), object)
    made[:] = values
    return made


# --- Arrays ----------------------------------------------------------------------------------------------------------

ARRAYS = {
    "empty": objects([]),
    "one": objects(["axis"]),
    "few distinct": objects(["foo", "bar", "baz"] * (300 if JIT else 20)),
    "many scripts": objects(GREETINGS * (50 if JIT else 5)),
    "sorted": objects([f"/item/{i:06}" for i in range(1000 if JIT else 150)]),
    "two dimensions": objects(GREETINGS * 4).reshape(4, 7),
    "in the order of Fortran": np.asfortranarray(objects(GREETINGS * 12).reshape(3, 7, 4)),
    "no order": objects(GREETINGS * 4).reshape(4, 7)[::2, ::-1],
    "no dimension": np.array("axis", object),
    "U": np.array(["axis", "ä", "🎈"]),
    "StringDType": np.array([*GREETINGS, "a string that is too long to lie within the array"], "T"),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("values", ARRAYS.values(), ids=ARRAYS)
def test_arrays_of_text_come_back_as_from_vlen_utf8(values, encoding):
    """With the same values in the same order, as objects and as StringDType."""
    expected = VLenUTF8().decode(VLenUTF8().encode(values))
    data = Strings(encoding).encode(values)
    decoded = Strings(encoding).decode(data)
    assert (decoded.dtype, decoded.shape) == (object, expected.shape)
    assert decoded.tolist() == expected.tolist()
    strings = Strings(encoding, dtype="T").decode(data)
    assert strings.dtype == StringDType()
    assert strings.tolist() == expected.tolist()


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(values=text_columns())
def test_text(encoding, values):
    """Nulls are empty, as they are to VLenUTF8, or stay null if they are to."""
    expected = VLenUTF8().decode(VLenUTF8().encode(objects(values))).tolist()
    null = StringDType(na_object=None)
    for array_ in (objects(values), np.array(values, null)):
        for dtype in "OT":
            codec = Strings(encoding, dtype)
            assert codec.decode(codec.encode(array_)).tolist() == expected
            codec = Strings(encoding, dtype, keep_nulls=True)
            decoded = codec.decode(codec.encode(array_))
            assert decoded.dtype == {"O": object, "T": null}[dtype]
            assert decoded.tolist() == values


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(values=byte_columns())
def test_bytes(encoding, values):
    """As those of VLenBytes; but where there is nothing but nulls, they are text."""
    expected = VLenBytes().decode(VLenBytes().encode(objects(values))).tolist()
    if all(value is None for value in values):
        expected = [""] * len(values)
    codec = Strings(encoding)
    assert codec.decode(codec.encode(objects(values))).tolist() == expected
    codec = Strings(encoding, keep_nulls=True)
    assert codec.decode(codec.encode(objects(values))).tolist() == values


def test_what_is_null():
    """None, and 0 with which NumPy fills arrays of objects; other kinds of missing values as well."""
    values = objects(["a", None, 0, np.int64(0), "b"])
    assert VLenUTF8().decode(VLenUTF8().encode(values)).tolist() == ["a", "", "", "", "b"]
    assert Strings().decode(Strings().encode(values)).tolist() == ["a", "", "", "", "b"]
    kept = Strings(keep_nulls=True)
    assert kept.decode(kept.encode(values)).tolist() == ["a", None, None, None, "b"]
    assert kept.decode(kept.encode(np.zeros(3, object))).tolist() == [None] * 3
    assert kept.decode(kept.encode(objects([0, float("nan"), b"\xff"]))).tolist() == [None, None, b"\xff"]


def test_masked_values_are_null():
    """Whatever lies under the mask."""
    for values in (objects(["a", "hidden", "c"]), np.array(["a", "hidden", "c"])):
        masked = np.ma.masked_array(values, [False, True, False])
        assert Strings().decode(Strings().encode(masked)).tolist() == ["a", "", "c"]
        assert Strings().encode(masked) == Strings().encode(["a", None, "c"])
    zeros = np.ma.masked_array(objects(["a", 1, 0, "d"]), [False, True, False, False])
    assert Strings().decode(Strings().encode(zeros)).tolist() == ["a", "", "", "d"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_nulls_are_kept_or_dropped_where_they_are_decoded(encoding):
    """The bytes always have them."""
    data = Strings(encoding).encode(objects(["a", None]))
    assert data == Strings(encoding, keep_nulls=True).encode(objects(["a", None]))
    assert Strings(keep_nulls=True).decode(data).tolist() == ["a", None]
    assert Strings().decode(data).tolist() == ["a", ""]
    assert Strings(dtype="T").decode(data).tolist() == ["a", ""]


def test_values_of_a_dictionary_are_one_object_each():
    """Which takes a fraction of the time and of the memory of making each anew."""
    values = Strings().decode(Strings("RLE_DICTIONARY").encode(["axis", "axle", "axis", "axle"] * 5))
    assert len(set(map(id, values))) == 2


def test_bytes_as_text():
    """Where they are UTF-8."""
    codec = Strings(dtype="T")
    assert codec.decode(codec.encode(objects(["ä".encode()]))).tolist() == ["ä"]
    with pytest.raises(cc.InvalidColumnError, match="UTF-8"):
        codec.decode(codec.encode(objects([b"\xff"])))


@pytest.mark.parametrize(
    ("values", "error"),
    [
        (1234, TypeError),
        ([1234, 5678], TypeError),
        (np.ones(10, "i4"), TypeError),
        (objects(["a", 1]), TypeError),
        (objects(["a", b"b"]), TypeError),
        (objects(["a", "\ud800"]), ValueError),
    ],
)
def test_other_values_are_refused(values, error):
    """With an error of the same kind as from VLenUTF8."""
    with pytest.raises(error):
        VLenUTF8().encode(values)
    with pytest.raises(error) as caught:
        Strings().encode(values)
    assert isinstance(caught.value, cc.ColcodecError)


@pytest.mark.parametrize("value", ["abc", b"abc", bytearray(b"abc"), memoryview(b"abc")])
def test_buffers_are_refused(value):
    """They are what other codecs give; that for those of VLenUTF8 is named."""
    with pytest.raises(cc.InvalidTypeError, match=r"colcodec\.strings"):
        Strings().encode(value)


# --- out= ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [object, StringDType(), StringDType(na_object=None), StringDType(na_object=np.nan)])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("encoding", ["DELTA_LENGTH_BYTE_ARRAY", "RLE_DICTIONARY"])
def test_out(encoding, order, dtype):
    """Any array of the right size is filled in the order of its memory, whatever was in it, and given back."""
    values = np.array(GREETINGS * 4, dtype).reshape(4, 7).astype(dtype, order=order)
    out = np.full((4, 7), "what was there, too long to lie within the array", dtype, order=order)
    assert Strings().decode(Strings(encoding).encode(values), out=out) is out
    assert out.tolist() == values.tolist()


@pytest.mark.parametrize("encoding", ["DELTA_LENGTH_BYTE_ARRAY", "RLE_DICTIONARY"])
def test_out_with_nulls(encoding):
    """They are None among objects, and what the dtype has for them in StringDType."""
    codec = Strings(encoding, keep_nulls=True)
    data = codec.encode(objects(["a", None]))
    assert codec.decode(data, out=np.full(2, "x", object)).tolist() == ["a", None]
    assert codec.decode(data, out=np.full(2, "x", StringDType(na_object=None))).tolist() == ["a", None]
    assert np.isnan(codec.decode(data, out=np.full(2, "x", StringDType(na_object=np.nan)))[1])
    with pytest.raises(cc.InvalidColumnError, match="no na_object"):
        codec.decode(data, out=np.full(2, "x", "T"))


def test_other_outs_are_refused():
    """With the errors of VLenUTF8; an array that is too large is none of the right size."""
    data = Strings().encode(["a", "b"])
    for out in (b"foo", "foo", 123):
        with pytest.raises(TypeError, match="out must be an array of objects"):
            Strings().decode(data, out=out)
    fixed = np.empty(2, object)
    fixed.flags.writeable = False
    for out in (np.zeros(2, "i4"), np.zeros(2, "U1"), fixed):
        with pytest.raises(ValueError, match="out must"):
            Strings().decode(data, out=out)
    for size in (1, 3):
        with pytest.raises(cc.InvalidColumnError, match=f"the column has 2 values; expected {size}"):
            Strings().decode(data, out=np.empty(size, object))
    with pytest.raises(ValueError, match="contiguous"):
        Strings().decode(data, out=np.empty(4, object)[::2])


# --- Codecs ----------------------------------------------------------------------------------------------------------

CODECS = [
    Strings(),
    Strings("RLE_DICTIONARY", dtype="T", keep_nulls=True),
    Strings(cc.Encoding.PLAIN),
    VLenStrings(),
    VLenStrings("DELTA_LENGTH_BYTE_ARRAY"),
]


@pytest.mark.parametrize("codec", CODECS, ids=repr)
def test_codecs(codec):
    """Config through JSON, repr, pickles, copies and equality."""
    config = json.loads(json.dumps(codec.get_config()))
    others = (numcodecs.get_codec(config), pickle.loads(pickle.dumps(codec)), copy.deepcopy(codec), eval(repr(codec)))
    for other in others:
        assert other == codec
        assert type(other) is type(codec)
        assert other.get_config() == config
    assert [codec == other for other in CODECS].count(True) == 1


def test_config():
    """The parameters by their names, and the defaults."""
    assert Strings().get_config() == {
        "id": "colcodec",
        "encoding": "DELTA_BYTE_ARRAY",
        "dtype": "O",
        "keep_nulls": False,
    }
    assert VLenStrings().get_config() == {"id": "colcodec.strings", "encoding": "DELTA_BYTE_ARRAY"}
    assert numcodecs.get_codec({"id": "colcodec"}) == Strings()


@pytest.mark.parametrize("encoding", ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT", "PLAIN_DICTIONARY", "RLE", "zstd"])
def test_other_encodings_are_refused(encoding):
    """Those that are not for strings."""
    for codec in (Strings, VLenStrings):
        with pytest.raises(ValueError, match=f"{encoding}.*expected one of"):
            codec(encoding)
    with pytest.raises(TypeError, match="encoding"):
        Strings(1)
    with pytest.raises(ValueError, match="dtype is 'U'"):
        Strings(dtype="U")


def test_entry_points():
    """Those of pyproject.toml are what an installed colcodec has, under the ids of the codecs."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["numcodecs.codecs"]
    for name, value in points.items():
        codec = importlib.metadata.EntryPoint(name, value, "numcodecs.codecs").load()
        assert codec.codec_id == name
        assert codec in (Strings, VLenStrings)
    assert len(points) == 2


# --- Bytes -----------------------------------------------------------------------------------------------------------


def header(encoding=0, flags=1, count=0, magic=b"colc", version=1, reserved=0):
    return magic + struct.pack("<BBBBI", version, encoding, flags, reserved, count)


def test_bytes_by_hand():
    """What the module tells of them."""
    values = objects(["axis", None, "axle"])
    page = naive.encode([b"axis", b"axle"], "DELTA_BYTE_ARRAY", "binary")
    assert Strings(keep_nulls=True).encode(values) == header(7, 3, 3) + b"\x05" + page
    assert Strings("PLAIN").encode(objects([b"hi"])) == header(0, 0, 1) + b"\x02\0\0\0hi"
    assert (
        Strings("RLE_DICTIONARY").encode(objects(["a", "a"]))[:21] == header(8, 1, 2) + b"\x05\0\0\0" + b"\x01\0\0\0a"
    )


def test_any_buffer_is_decoded():
    """As by every codec."""
    data = Strings().encode(objects(GREETINGS))
    for buf in (data, bytearray(data), memoryview(data), array.array("b", data), np.frombuffer(data, np.uint8)):
        assert Strings().decode(buf).tolist() == GREETINGS
    for buf in (1234, "foo"):
        with pytest.raises(TypeError):
            Strings().decode(buf)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes are no column"),
        (header()[:-1], "11 bytes are no column"),
        (header(magic=b"colx"), "begin with b'colx'"),
        (header(version=2), "version 2"),
        (header(encoding=5), "encoding 5"),
        (header(encoding=2), "encoding 2"),
        (header(flags=4), "flags 4"),
        (header(reserved=1), "1 in place of 0"),
        (header(count=2**31), "2147483648 values"),
        (header(flags=3, count=9) + b"\0", "the validity bitmap would be bytes 12 to 14 of a column of 13 bytes"),
        (header(encoding=8) + b"\0\0\0", "the size of the dictionary would be bytes 12 to 16 of a column of 15 bytes"),
        (header(encoding=8) + b"\5\0\0\0aaaa", "the dictionary would be bytes 16 to 21 of a column of 20 bytes"),
        (header(count=1), "PLAIN page"),
        (header(count=1) + b"\1\0\0\0\xff", "UTF-8"),
        (header(encoding=8, count=2**31 - 1) + struct.pack("<III", 4, 0, 0), "RLE_DICTIONARY page"),
        (
            header(encoding=8, count=2**31 - 1) + struct.pack("<II", 4, 0) + b"\1\xfe\xff\xff\xff\x0f\0",
            "RLE_DICTIONARY",
        ),
        (header(encoding=6, count=2**31 - 1) + b"\x80\x01\4\xff\xff\xff\xff\7\0", "2147483647 expected"),
        (header(encoding=7, count=2**31 - 1) + b"\x80\x01\4\xff\xff\xff\xff\7\0" * 2, "2147483647 expected"),
    ],
)
def test_bytes_that_are_no_column(data, message):
    """A ValueError, as from VLenUTF8, that tells what is wrong; little is allocated."""
    codecs = [Strings(), Strings(dtype="T")]
    if message != "UTF-8":  # which is nothing to a codec of bytes
        codecs.append(VLenStrings())

    def refused():
        for codec in codecs:
            with pytest.raises(cc.ColcodecError, match=message) as caught:
                codec.decode(data)
            assert isinstance(caught.value, ValueError)

    check_little_memory(refused)


@given(st.data())
def test_harmed_bytes(data):
    """Cut or changed, they are decoded to something of so many values, or refused."""
    encoding = data.draw(st.sampled_from(ENCODINGS))
    whole = bytearray(Strings(encoding, keep_nulls=True).encode(objects(data.draw(text_columns()))))
    at = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        del whole[at:]
    else:
        whole[at] = data.draw(st.integers(0, 255))
    for codec in (Strings(), Strings(dtype="T", keep_nulls=True), VLenStrings()):
        with contextlib.suppress(cc.ColcodecError):
            decoded = codec.decode(whole)
            (count,) = struct.unpack_from("<I", whole, 8)
            assert count == (len(decoded) if isinstance(codec, Strings) else int(decoded[:4].view("<u4")[0]))


# --- The streams of VLenUTF8 and VLenBytes ---------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(values=byte_columns() | text_columns())
def test_streams(encoding, values):
    """They come back byte for byte, and Strings reads them too."""
    is_text = any(isinstance(value, str) for value in values)
    stream = bytes((VLenUTF8() if is_text else VLenBytes()).encode(objects(values)))
    data = VLenStrings(encoding).encode(stream)
    assert VLenStrings().decode(data).tobytes() == stream
    assert Strings().decode(data).tolist() == [(value or "").encode() if is_text else value or b"" for value in values]


def test_streams_of_arrays_with_nulls():
    """What Strings wrote, read as a stream, has empty values in their place."""
    values = objects(["a", None, "c"])
    stream = VLenStrings().decode(Strings(keep_nulls=True).encode(values))
    assert stream.tobytes() == bytes(VLenUTF8().encode(values))


def test_out_of_streams():
    """A buffer of the right size is filled."""
    stream = bytes(VLenUTF8().encode(objects(GREETINGS)))
    data = VLenStrings().encode(stream)
    out = bytearray(len(stream))
    VLenStrings().decode(data, out=out)
    assert out == stream
    with pytest.raises(ValueError, match="shape"):
        VLenStrings().decode(data, out=bytearray(len(stream) + 1))


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (b"\1\0\0", "got 3 bytes"),
        (b"\2\0\0\0", "cannot hold 2 values"),
        (b"\1\0\0\0\5\0\0\0abcd", "value 0"),
        (b"\1\0\0\0\1\0\0\0abc", "1 values end at byte 9"),
        (b"\xff" * 12, r"at most 2\*\*31 - 1"),
        (b"\1\0\0\0\xff\xff\xff\xff", "negative"),
        (np.arange(20, dtype="i4"), "0 values end at byte 4"),
        (np.linspace(0, 1, 20), "VLenUTF8"),
    ],
)
def test_what_is_no_stream(stream, message):
    """The bytes of an array of another dtype are refused, and told what was expected."""
    with pytest.raises(cc.InvalidColumnError, match=r"expected the number of values.*VLenUTF8") as caught:
        VLenStrings().encode(stream)
    assert caught.match(message)
