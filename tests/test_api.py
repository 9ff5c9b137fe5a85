"""What users see: names, signatures, docstrings, and what each misuse is answered with."""

import builtins
import inspect
import re
from types import ModuleType

import numpy as np
import pytest

import colcodec as cc

PUBLIC = {name: getattr(cc, name) for name in cc.__all__}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
METHODS = {
    f"{name}.{method}": value
    for name, kind in PUBLIC.items()
    if inspect.isclass(kind) and kind.__module__.startswith("colcodec.")
    for method, value in vars(kind).items()
    if not method.startswith("_") and inspect.isfunction(value)
}
CLASSES = [
    cc.EncodedPage,
    cc.EncodedFrame,
    cc.StringColumn,
    cc.DictionaryColumn,
    cc.DecodedLevels,
    cc.DecodedValidity,
    cc.PageReader,
    cc.PageWriter,
    cc.MalformedPageError,
    cc.InvalidColumnError,
    cc.InvalidTypeError,
    cc.DictionaryTooLarge,
]
ENCODINGS = ", ".join(cc.Encoding.__members__)

PAGE = cc.encode(["a", "bb", None], "PLAIN")
TWO = {"encoding": "PLAIN", "num_values": 2}
INTEGERS = cc.encode([1, 2], "DELTA_BINARY_PACKED").data
TWO_INTEGERS = {"encoding": "DELTA_BINARY_PACKED", "num_values": 2}


# --- Names and signatures --------------------------------------------------------------------------------------------


def test_all_names():
    """`__all__` is sorted and holds every public name that is no module."""
    visible = {
        name for name, value in vars(cc).items() if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert list(cc.__all__) == sorted(visible)


def test_a_page_can_be_held_against_an_encoding_by_name():
    """Members carry the numbers of parquet.thrift."""
    assert {encoding.name: encoding.value for encoding in cc.Encoding} == {
        "PLAIN": 0,
        "PLAIN_DICTIONARY": 2,
        "RLE": 3,
        "DELTA_BINARY_PACKED": 5,
        "DELTA_LENGTH_BYTE_ARRAY": 6,
        "DELTA_BYTE_ARRAY": 7,
        "RLE_DICTIONARY": 8,
        "BYTE_STREAM_SPLIT": 9,
    }


@pytest.mark.parametrize(
    ("name", "positional", "keywords"),
    [
        ("column", ["values"], {}),
        (
            "encode",
            ["values", "encoding"],
            {"out": None, "type_length": None, "max_dictionary_size": 2**20},
        ),
        ("encoded_size_bound", ["values", "encoding"], {"type_length": None}),
        (
            "decode",
            ["page"],
            {
                "encoding": None,
                "num_values": None,
                "validity": None,
                "dtype": None,
                "dictionary": None,
                "type_length": None,
                "copy": True,
                "max_data_size": 2**31 - 1,
                "out": None,
            },
        ),
        *(
            (
                name,
                ["page"],
                {
                    "encoding": None,
                    "num_values": None,
                    "validity": None,
                    "dtype": None,
                    "dictionary": None,
                    "type_length": None,
                    "max_data_size": 2**31 - 1,
                },
            )
            for name in ("decoded_size", "decode_indices", "PageReader")
        ),
        (
            "encode_pages",
            ["values", "encoding"],
            {"rows_per_page": 65_536, "threads": None, "type_length": None, "max_dictionary_size": 2**20},
        ),
        ("encode_validity", ["validity", "num_values"], {"page_version": 1}),
        ("decode_validity", ["buf", "num_values"], {"page_version": 1, "max_data_size": 2**31 - 1}),
        ("encode_levels", ["levels", "max_level"], {"page_version": 1}),
        ("decode_levels", ["buf", "num_values", "max_level"], {"page_version": 1, "max_data_size": 2**31 - 1}),
        ("PageWriter", ["encoding"], {"dtype": None, "type_length": None, "max_dictionary_size": 2**20}),
        ("decode_frame", ["pages"], {"to": None, "max_data_size": 2**31 - 1}),
        ("decode_pages", ["pages"], {"threads": None, "max_data_size": 2**31 - 1}),
    ],
)
def test_signatures(name, positional, keywords):
    """What is given comes by position alone, how to treat it by keyword alone."""
    parameters = inspect.signature(PUBLIC[name]).parameters.values()
    assert [each.name for each in parameters if each.kind is each.POSITIONAL_ONLY] == positional
    assert {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY} == keywords
    assert len(parameters) == len(positional) + len(keywords)


# --- Docstrings ------------------------------------------------------------------------------------------------------


def section(doc, title):
    """Give the lines under a heading of a NumPy docstring."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", inspect.cleandoc(doc), re.MULTILINE | re.DOTALL)
    return found.group(1) if found else ""


def heads(doc, title):
    """List what a section tells of: its lines that are not indented, without their types."""
    lines = [line for line in section(doc, title).splitlines() if line and not line.startswith(" ")]
    return [name.strip() for line in lines for name in line.split(" : ")[0].split(",")]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_name_has_a_docstring(name):
    """The first line is a sentence."""
    assert PUBLIC[name].__doc__.splitlines()[0].endswith(".")


@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS])
def test_docstrings_of_functions(name):
    """Every parameter is told, in order; the result; and errors by names that exist."""
    function = {**FUNCTIONS, **METHODS}[name]
    signature = inspect.signature(function)
    assert heads(function.__doc__, "Parameters") == [each for each in signature.parameters if each != "self"]
    assert bool(section(function.__doc__, "Returns")) == (signature.return_annotation not in (None, "None"))
    errors = heads(function.__doc__, "Raises")
    assert [error for error in errors if not (hasattr(builtins, error) or error in PUBLIC)] == []
    # Everything refuses something, but for what takes nothing that could be wrong.
    assert bool(errors) != (name in {"warmup", "PageWriter.reset"})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_examples(name):
    """Which are run as doctests."""
    assert ">>> " in section(FUNCTIONS[name].__doc__, "Examples")


@pytest.mark.parametrize("kind", CLASSES)
def test_docstrings_of_classes(kind):
    """Every parameter is told."""
    expected = [each for each in inspect.signature(kind).parameters if each != "self"]
    assert heads(kind.__doc__, "Parameters") == expected


def test_properties_have_docstrings():
    """Each is told in a sentence."""
    for kind in (cc.EncodedPage, cc.StringColumn):
        for name, value in vars(kind).items():
            if isinstance(value, property):
                assert value.__doc__.endswith("."), name


# --- Misuse ----------------------------------------------------------------------------------------------------------


def check_refused(kind, fragments, function, *args, **options):
    """Check that a call ends with exactly this error, and that its text tells what was given and what was expected."""
    with pytest.raises(kind) as caught:
        function(*args, **options)
    assert type(caught.value) is kind
    text = str(caught.value)
    assert [fragment for fragment in fragments if fragment not in text] == [], text


@pytest.mark.parametrize(
    ("values", "kind", "fragments"),
    [
        ("text", cc.InvalidTypeError, ["of str", "a list of str or bytes"]),
        (b"bytes", cc.InvalidTypeError, ["of bytes", "a list of str or bytes"]),
        (None, cc.InvalidTypeError, ["of NoneType", "a list of str or bytes"]),
        (7, cc.InvalidTypeError, ["of int", "a list of str or bytes"]),
        ({"a": 1}, cc.InvalidTypeError, ["of dict", "a list of str or bytes"]),
        ({"a"}, cc.InvalidTypeError, ["of set", "a list of str or bytes"]),
        ((text for text in "ab"), cc.InvalidTypeError, ["of generator", "a list of str or bytes"]),
        ([1, 2], cc.InvalidTypeError, ["value 0 is 1 of type int", "expected str, bytes"]),
        (["a", b"b"], cc.InvalidTypeError, ["value 1 is b'b' of type bytes", "expected str"]),
        (np.arange(3), cc.InvalidTypeError, ["dtype int64", "expected S, U, StringDType or object"]),
        (np.array([["a"]]), cc.InvalidColumnError, ["2 dimensions", "expected 1"]),
        (["a", "\ud800"], cc.InvalidColumnError, ["value 1", "surrogate", "expected Unicode"]),
    ],
)
def test_values_that_are_no_column(values, kind, fragments):
    """What `column` refuses, `encode` refuses too, for every encoding of strings."""
    check_refused(kind, fragments, cc.column, values)
    if not inspect.isgenerator(values):
        for encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"):
            check_refused(kind, fragments, cc.encode, values, encoding)
            check_refused(kind, fragments, cc.encoded_size_bound, values, encoding)


@pytest.mark.parametrize(
    ("values", "fragments"),
    [
        (["a"], ["list of dtype <U1"]),
        (cc.column(["a"]), ["StringColumn"]),
        (np.arange(3, dtype=np.uint64), ["dtype uint64"]),
        (np.arange(3, dtype=np.uint32), ["dtype uint32"]),
        (np.arange(3, dtype=np.int16), ["dtype int16"]),
        (np.zeros((2, 2), np.int32), ["dtype int32, 2-dimensional"]),
        (np.zeros((2, 0), np.int64), ["dtype int64, 2-dimensional"]),
        (np.int32(3), ["0-dimensional"]),
        (3, ["0-dimensional"]),
        ([1.5], ["dtype float64"]),
        (np.array([]), ["dtype float64"]),
        ([True], ["dtype bool"]),
        ([1, None], ["dtype object"]),
        ([2**63], ["dtype uint64"]),
        ([2**64], ["dtype object"]),
        (np.array(["2020-01-01"], "M8[D]"), ["dtype datetime64[D]"]),
    ],
)
def test_values_that_are_no_integers(values, fragments):
    """Unsigned, narrow and fractional numbers are not turned into something else."""
    fragments = ["DELTA_BINARY_PACKED takes one-dimensional int32 or int64 integers, got ", *fragments]
    check_refused(cc.InvalidTypeError, fragments, cc.encode, values, "DELTA_BINARY_PACKED")
    check_refused(cc.InvalidTypeError, fragments, cc.encoded_size_bound, values, "DELTA_BINARY_PACKED")


@pytest.mark.parametrize(
    ("encoding", "kind", "given"),
    [
        ("DELTA", ValueError, "unknown encoding 'DELTA'"),
        ("plain", ValueError, "unknown encoding 'plain'"),
        ("", ValueError, "unknown encoding ''"),
        (0, TypeError, "got int"),
        (b"PLAIN", TypeError, "got bytes"),
        (cc.Status.OK, TypeError, "got Status"),
    ],
)
def test_unknown_encodings(encoding, kind, given):
    """What was given and all that there is."""
    check_refused(kind, [given, ENCODINGS], cc.encode, ["a"], encoding)
    check_refused(kind, [given, ENCODINGS], cc.encoded_size_bound, ["a"], encoding)
    check_refused(kind, [given, ENCODINGS], cc.encode_pages, ["a"], encoding)
    for decode in (cc.decode, cc.decoded_size):
        check_refused(kind, [given, ENCODINGS], decode, PAGE.data, encoding=encoding, num_values=2)
    check_refused(kind, [given, ENCODINGS], cc.EncodedPage, encoding, PAGE.data, 2)


@pytest.mark.parametrize(
    ("encoding", "options", "fragments"),
    [
        ("PLAIN_DICTIONARY", {}, ["only read", "write RLE_DICTIONARY"]),
        ("RLE", {}, ["levels", "encode_levels"]),
        ("BYTE_STREAM_SPLIT", {}, ["needs type_length="]),
        ("DELTA_LENGTH_BYTE_ARRAY", {"type_length": 1}, ["not for values of a type_length", "RLE_DICTIONARY"]),
        ("DELTA_BINARY_PACKED", {"type_length": 1}, ["not for values of a type_length"]),
        ("PLAIN", {"type_length": 0}, ["type_length must be 1 to 2**31 - 1"]),
        ("PLAIN", {"type_length": 2**31}, ["type_length must be 1 to 2**31 - 1"]),
    ],
)
def test_encodings_that_are_not_for_such_values(encoding, options, fragments):
    """The format has no such pages, or nobody should write them any more."""
    check_refused(ValueError, fragments, cc.encode, ["a"], encoding, **options)
    check_refused(ValueError, fragments, cc.encoded_size_bound, ["a"], encoding, **options)
    check_refused(ValueError, fragments, cc.encode_pages, ["a"], encoding, **options)


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT", "RLE_DICTIONARY"])
@pytest.mark.parametrize("encode", [cc.encode, cc.encoded_size_bound, cc.encode_pages])
def test_values_of_another_length(encode, encoding):
    """The first of them is told, with nulls counted; bytes that lie under a null do not matter."""
    for values, index in (
        ([b"abc", None, b"ab"], 2),
        ([b"abcd", b"abc"], 0),
        (cc.column([b"abc", b""])[::-1], 0),
        (cc.StringColumn([0, 3, 4, 6], b"abcdef", [True, False, True]), 2),
        (["aä", "ää"], 1),
        (np.array([b"abcd"]), 0),
    ):
        with pytest.raises(cc.InvalidColumnError, match=f"value {index} has .*expected .*3") as caught:
            encode(values, encoding, type_length=3)
        assert caught.value.index == index
    encode(cc.StringColumn([0, 3, 4, 7], b"abcdefg", [True, False, True]), encoding, type_length=3)
    encode(["aä", None, "äa"], encoding, type_length=3)
    encode(np.array([b"a", b"abc"]), encoding, type_length=3)


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT", "RLE_DICTIONARY"])
def test_small_integers_of_numpy_are_numbers_like_others(encoding):
    """Numbers that come out of a small array do not overflow in what is reckoned with them."""
    values, length, rows = np.array([b"abc", b"abd"] * 500), np.int8(3), np.int8(100)
    page = cc.encode(values, encoding, type_length=3)
    assert cc.decode(cc.encode(values, encoding, type_length=length)) == cc.decode(page)
    assert cc.encoded_size_bound(values, encoding, type_length=length) >= page.nbytes
    pages = cc.encode_pages(values, encoding, type_length=length, rows_per_page=rows)
    assert cc.decode_pages(pages) == cc.decode(page)
    assert [page.type_length for page in pages] == [3] * 10


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"])
@pytest.mark.parametrize("size", [2**63, 2**64, 10**30])
def test_sizes_may_be_as_large_as_anybody_likes(encoding, size):
    """They are for those who want no limit."""
    page = cc.encode(["a", "b"], encoding, max_dictionary_size=size)
    assert cc.decode(page, max_data_size=size).to_pylist() == ["a", "b"]
    assert cc.decode_pages([page], max_data_size=size).to_pylist() == ["a", "b"]
    reader = cc.PageReader(page, max_data_size=size)
    assert reader.skip(1) == 1
    assert reader.read(size).to_pylist() == ["b"]


def test_arguments_in_the_wrong_place():
    """Python's own errors name them."""
    check_refused(TypeError, ["encoding"], cc.encode, ["a"])
    check_refused(TypeError, ["positional", "encoding"], cc.encode, ["a"], encoding="PLAIN")
    check_refused(TypeError, ["positional", "values"], cc.column, values=["a"])
    check_refused(TypeError, ["1 positional argument"], cc.decode, PAGE.data, "PLAIN", 2)
    check_refused(TypeError, ["unexpected", "level"], cc.decode, PAGE, level=1)
    check_refused(TypeError, ["unexpected", "levels"], cc.EncodedPage, cc.Encoding.PLAIN, PAGE.data, 2, levels=1)
    check_refused(TypeError, ["num_values"], cc.EncodedPage, cc.Encoding.PLAIN, PAGE.data)


@pytest.mark.parametrize(
    "options", [{"encoding": "PLAIN"}, {"num_values": 3}, {"validity": PAGE.validity}, {"dtype": "utf8"}]
)
def test_pages_know_these(options):
    """Even where what is given agrees with the page."""
    for decode in (cc.decode, cc.decoded_size):
        check_refused(TypeError, ["an EncodedPage knows", "do not give them again", *options], decode, PAGE, **options)


@pytest.mark.parametrize("options", [{}, {"encoding": "PLAIN"}, {"num_values": 2}, {**TWO, "num_values": None}])
def test_buffers_need_these(options):
    """A buffer knows nothing of itself."""
    for decode in (cc.decode, cc.decoded_size):
        check_refused(TypeError, ["encoding=", "num_values="], decode, PAGE.data, **options)


@pytest.mark.parametrize(
    ("options", "kind", "fragments"),
    [
        ({"num_values": -1}, ValueError, ["num_values must not be negative", "-1"]),
        ({"num_values": 2**31}, ValueError, ["num_values must be at most 2**31 - 1", "2147483648"]),
        ({"num_values": True}, TypeError, ["num_values must be an integer", "bool"]),
        ({"num_values": 2.0}, TypeError, ["num_values must be an integer", "float"]),
        ({"num_values": "2"}, TypeError, ["num_values must be an integer", "str"]),
        ({"max_data_size": -1}, ValueError, ["max_data_size must not be negative", "-1"]),
        ({"max_data_size": True}, TypeError, ["max_data_size must be an integer", "bool"]),
        ({"max_data_size": None}, TypeError, ["max_data_size must be an integer", "NoneType"]),
        ({"num_values": 9, "validity": b"\xff"}, cc.InvalidColumnError, ["bitmap of 1 bytes", "expected 2"]),
        ({"validity": [True]}, cc.InvalidColumnError, ["shape (1,)", "each of 2 values"]),
        ({"validity": [True] * 3}, cc.InvalidColumnError, ["shape (3,)", "each of 2 values"]),
        ({"validity": [1, 1]}, cc.InvalidTypeError, ["validity has dtype int64", "expected uint8"]),
        ({"validity": [1.0, 1.0]}, cc.InvalidTypeError, ["validity has dtype float64", "expected uint8"]),
        ({"validity": np.ones((2, 1), bool)}, cc.InvalidColumnError, ["shape (2, 1)", "each of 2 values"]),
        ({"dtype": "int32"}, ValueError, ["PLAIN needs dtype='utf8'", "'binary'", "got 'int32'"]),
        ({"dtype": "text"}, ValueError, ["PLAIN needs dtype='utf8'", "'binary'", "got 'text'"]),
        ({"dtype": bytes}, ValueError, ["PLAIN needs dtype='utf8'", "'binary'", "got <class 'bytes'>"]),
        (TWO_INTEGERS, ValueError, ["DELTA_BINARY_PACKED needs dtype='int32'", "'int64'"]),
        ({**TWO_INTEGERS, "dtype": "utf8"}, ValueError, ["DELTA_BINARY_PACKED needs dtype='int32'", "got 'utf8'"]),
        ({**TWO_INTEGERS, "dtype": np.int32}, ValueError, ["DELTA_BINARY_PACKED needs dtype='int32'", "numpy.int32"]),
        ({**TWO_INTEGERS, "dtype": "int64", "validity": [True] * 2}, TypeError, ["integers", "validity"]),
    ],
)
def test_options_of_decode(options, kind, fragments):
    """Each names the option, what was given and what was expected; before a byte of the page is read."""
    buf = INTEGERS if "DELTA" in options.get("encoding", "") else PAGE.data
    check_refused(kind, fragments, cc.decode, buf, **{**TWO, **options})
    check_refused(kind, fragments, cc.decode, b"", **{**TWO, **options})


def test_limit_is_checked_for_integers_too():
    """An option of no use is not silently taken."""
    options = {**TWO_INTEGERS, "dtype": "int64"}
    assert cc.decode(INTEGERS, **options).tolist() == [1, 2]
    check_refused(TypeError, ["max_data_size", "str"], cc.decode, INTEGERS, **options, max_data_size="2")


@pytest.mark.parametrize(
    ("buf", "kind", "fragments"),
    [
        ("text", cc.InvalidTypeError, ["of type str", "expected an array of uint8, or bytes"]),
        ([1, 2], cc.InvalidTypeError, ["of type list", "expected an array of uint8, or bytes"]),
        (None, cc.InvalidTypeError, ["of type NoneType", "expected an array of uint8, or bytes"]),
        (cc.column(["a"]), cc.InvalidTypeError, ["of type StringColumn", "expected an array of uint8, or bytes"]),
        (np.zeros(4, np.int32), cc.InvalidTypeError, ["dtype int32", "expected uint8"]),
        (np.array([b"a"], object), cc.InvalidTypeError, ["dtype object", "expected uint8"]),
        (np.zeros((2, 4), np.uint8), cc.InvalidColumnError, ["2 dimensions", "expected 1"]),
    ],
)
def test_buffers_that_are_no_bytes(buf, kind, fragments):
    """What is no run of bytes is not read as one."""
    check_refused(kind, fragments, cc.decode, buf, **TWO)
    check_refused(kind, fragments, cc.EncodedPage, "PLAIN", buf, 2)


def test_strided_buffers_are_read():
    """They are made contiguous, as everything else that NumPy takes."""
    spread = np.repeat(PAGE.data, 2)
    for buf in (spread[::2], memoryview(spread)[::2], memoryview(bytes(spread))[::2]):
        assert cc.decode(buf, **TWO, dtype="utf8").to_pylist() == ["a", "bb"]


def test_pages_are_checked_and_frozen():
    """A page made by hand is as good as one of `encode`; it compares by identity."""
    page = cc.EncodedPage("PLAIN", bytes(PAGE.data), np.int64(3), [True, True, False], dtype="utf8")
    assert page.encoding is cc.Encoding.PLAIN
    assert type(page.num_values) is int
    assert repr(page) == repr(PAGE)
    assert cc.decode(page) == cc.decode(PAGE)
    assert page != PAGE
    with pytest.raises(AttributeError, match="num_values"):
        page.num_values = 2
    with pytest.raises(ValueError, match="read-only"):
        page.data[0] = 1
    check_refused(cc.MalformedPageError, ["11 bytes", "5 values"], cc.decode, cc.EncodedPage("PLAIN", PAGE.data, 5))


def test_ragged_lists_of_integers():
    """Lists of lists are refused in our own words."""
    check_refused(cc.InvalidTypeError, ["int32 or int64"], cc.encode, [[1], [1, 2]], "DELTA_BINARY_PACKED")


def test_masked_integers():
    """Nulls must not become values in silence."""
    masked = np.ma.array([1, 2], mask=[False, True])
    check_refused(cc.InvalidTypeError, ["mask"], cc.encode, masked, "DELTA_BINARY_PACKED")
