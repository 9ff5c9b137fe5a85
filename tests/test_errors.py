"""Errors of data: what they are, what they know, and what they say."""

import copy
import pickle
import re

import conftest
import naive
import numpy as np
import pytest

import colcodec as cc
from colcodec._checks import MESSAGES, raise_for_status

FAULTS = [status for status in cc.Status if status is not cc.Status.OK]
HI = naive.encode_plain([b"hi"])


def caught(kind, function, *args, **options):
    """Give the error that a call ends with, which is of exactly this class."""
    with pytest.raises(kind) as found:
        function(*args, **options)
    assert type(found.value) is kind
    return found.value


def malformed():
    """Make an error by decoding a bad page."""
    return caught(cc.MalformedPageError, cc.decode, HI + b"\x05\0\0\0", encoding="PLAIN", num_values=2)


def test_family():
    """One base, under which misuse of the API is not; and what each is to a caller who knows only Python's own."""
    assert issubclass(cc.LimitError, cc.MalformedPageError)
    for kind in (cc.MalformedPageError, cc.InvalidColumnError):
        assert kind.__mro__[1:3] == (cc.ColcodecError, ValueError)
    assert cc.InvalidTypeError.__mro__[1:3] == (cc.ColcodecError, TypeError)
    assert cc.ColcodecError.__bases__ == (Exception,)


# --- Faults of a page ------------------------------------------------------------------------------------------------


def test_every_status_has_a_message():
    """Each tells what was found, in other words than any other."""
    assert set(MESSAGES) == set(FAULTS)
    assert len(set(MESSAGES.values())) == len(FAULTS)


def test_readme_has_every_status_and_kind_of_error():
    """The tables of the README are in step with the code."""
    readme = (conftest.ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("## Errors")[2].partition("## ")[0]
    named = re.findall(r"^\| `(\w+)`", section, re.MULTILINE)
    kinds = [
        name
        for name in cc.__all__
        if isinstance(getattr(cc, name), type) and issubclass(getattr(cc, name), cc.ColcodecError)
    ]
    kinds.remove("ColcodecError")
    assert sorted(named) == sorted([*kinds, "status", *(status.name for status in FAULTS)])


@pytest.mark.parametrize("encoding", cc.Encoding)
@pytest.mark.parametrize("status", FAULTS)
def test_what_an_error_tells(status, encoding):
    """The encoding, the byte, the value and the fault: as attributes for programs, as text for people."""
    kind = cc.LimitError if status is cc.Status.LIMIT else cc.MalformedPageError
    error = caught(kind, raise_for_status, encoding, np.int64(status), np.int64(17), np.int64(4), found="what")
    assert (error.encoding, error.status, error.position, error.index) == (encoding, status, 17, 4)
    assert [type(value) for value in (error.status, error.position, error.index)] == [cc.Status, int, int]
    assert str(error) == f"{encoding.name} page, byte 17, value 4: {MESSAGES[status]} (what)"


def test_an_error_without_a_value():
    """A fault of the page as a whole belongs to no value."""
    error = caught(cc.MalformedPageError, raise_for_status, cc.Encoding.PLAIN, cc.Status.TRUNCATED, 0)
    assert error.index is None
    assert str(error).startswith("PLAIN page, byte 0: the page ends")


@pytest.mark.parametrize(
    ("data", "encoding", "status", "position", "index"),
    [
        (HI + b"\x05\0\0\0", "PLAIN", "TRUNCATED", 6, 1),
        (HI, "PLAIN", "TRUNCATED", 6, None),
        (HI + b"\xff\xff\xff\xff", "PLAIN", "NEGATIVE_LENGTH", 6, 1),
        (b"\x80", "DELTA_LENGTH_BYTE_ARRAY", "TRUNCATED", 1, None),
        (b"\xff" * 9, "DELTA_LENGTH_BYTE_ARRAY", "BAD_VARINT", 4, None),
        (b"\x80\x01\x03\x02\x00", "DELTA_LENGTH_BYTE_ARRAY", "BAD_HEADER", 2, None),
        (b"\x80\x01\x04\x02\x00\x00\x21\0\0\0", "DELTA_LENGTH_BYTE_ARRAY", "BIT_WIDTH", 6, 1),
        (b"\x80\x01\x04\x07\x00", "DELTA_LENGTH_BYTE_ARRAY", "COUNT_MISMATCH", 0, 2),
        (b"\x80\x01\x04\x02\x04\x09\0\0\0\0h", "DELTA_LENGTH_BYTE_ARRAY", "TRUNCATED", 10, 0),
        (b"\x80\x01\x04\x02\x00\x01\0\0\0\0", "DELTA_LENGTH_BYTE_ARRAY", "NEGATIVE_LENGTH", 10, 1),
        (b"\x80\x01\x04\x02\x02\x00\0\0\0\0" * 2, "DELTA_BYTE_ARRAY", "FIRST_PREFIX", 20, 0),
        (
            b"\x80\x01\x04\x02\x00\x02\0\0\0\0" + b"\x80\x01\x04\x02\x00\x00\0\0\0\0",
            "DELTA_BYTE_ARRAY",
            "PREFIX",
            20,
            1,
        ),
    ],
)
def test_faults_of_pages(data, encoding, status, position, index):
    """A page of two values with each fault: the error names the byte and the value."""
    error = caught(cc.MalformedPageError, cc.decode, data, encoding=encoding, num_values=2)
    found = (error.encoding.name, error.status.name, error.position, error.index)
    assert found == (encoding, status, position, index)
    assert f"{encoding} page, byte {position}" in str(error)


@pytest.mark.parametrize(
    ("data", "encoding", "found"),
    [
        (HI + b"\x05\0\0\0", "PLAIN", "found 05 00 00 00"),
        (HI, "PLAIN", "6 bytes cannot hold 2 values"),
        (b"\x80", "DELTA_LENGTH_BYTE_ARRAY", "in the lengths, 2 expected, found no more bytes"),
        (b"\x81" * 9, "DELTA_LENGTH_BYTE_ARRAY", "in the lengths, 2 expected, found 81 81 81 81 81"),
        (b"\x81\x01" + b"\0" * 9, "DELTA_LENGTH_BYTE_ARRAY", "in the lengths, 2 expected, found 81 01" + " 00" * 6),
        (b"\x80\x01\x04\x07\0", "DELTA_BYTE_ARRAY", "in the prefix lengths, 2 expected, 7 told, found 80 01 04 07 00"),
        (b"\x80\x01\x04\x02\x04\x09\0\0\0\0h", "DELTA_LENGTH_BYTE_ARRAY", "a length of 2, of 1 bytes left"),
        (b"\x80\x01\x04\x02\0\x01\0\0\0\0", "DELTA_LENGTH_BYTE_ARRAY", "a length of -1, of 0 bytes left"),
        (b"\x80\x01\x04\x02\x02\0\0\0\0\0" * 2, "DELTA_BYTE_ARRAY", "a prefix of 1, of 0 bytes before it"),
        (
            b"\x80\x01\x04\x02\0\0\0\0\0\0\x80\x01\x04\x02\x06\0\0\0\0\0",
            "DELTA_BYTE_ARRAY",
            "a suffix of 3, of 0 bytes left",
        ),
    ],
)
def test_what_was_found(data, encoding, found):
    """Behind the fault stands what there is in its place."""
    error = caught(cc.MalformedPageError, cc.decode, data, encoding=encoding, num_values=2)
    assert str(error).endswith(f"({found})")


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
def test_limit(encoding):
    """A page that is right, but larger than the caller allows; to the byte."""
    page = cc.encode([b"axis", b"", b"axle"], encoding)
    assert len(cc.decode(page, max_data_size=8)) == 3
    error = caught(cc.LimitError, cc.decode, page, max_data_size=7)
    assert (error.encoding.name, error.status.name, error.index) == (encoding, "LIMIT", 2)
    assert "max_data_size" in str(error)


def test_limit_of_integers():
    """Integers count with the bytes that their type takes."""
    page = cc.encode(np.arange(4, dtype=np.int32), "DELTA_BINARY_PACKED")
    assert cc.decode(page, max_data_size=16).size == 4
    error = caught(cc.LimitError, cc.decode, page, max_data_size=15)
    assert (error.encoding.name, error.status.name) == ("DELTA_BINARY_PACKED", "LIMIT")


# --- Faults of a column ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "values", "index", "fragments"),
    [
        (cc.InvalidTypeError, ["a", 7], 1, ["value 1", "7 of type int", "expected str"]),
        (cc.InvalidTypeError, ["a", None, b"b"], 2, ["value 2", "of type bytes", "expected str"]),
        (cc.InvalidTypeError, [b"a", "b"], 1, ["value 1", "of type str", "expected bytes"]),
        (cc.InvalidColumnError, ["a", "\ud800"], 1, ["value 1", "surrogate", "0xd800"]),
    ],
)
def test_faults_of_values(kind, values, index, fragments):
    """The value at fault is named, and what was expected in its place."""
    for given in (values, np.array(values, object)):
        error = caught(kind, cc.column, given)
        assert error.index == index
        assert [fragment for fragment in fragments if fragment not in str(error)] == []


# --- Errors on their way to another process --------------------------------------------------------------------------


@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize(
    "make",
    [
        malformed,
        lambda: caught(cc.InvalidColumnError, cc.column, ["\ud800"]),
        lambda: caught(cc.InvalidTypeError, cc.column, [1]),
    ],
)
def test_errors_are_pickled_and_copied(make, again):
    """An error of a worker process arrives with all that it knows."""
    error = make()
    second = again(error)
    assert (type(second), str(second), vars(second)) == (type(error), str(error), vars(error))
