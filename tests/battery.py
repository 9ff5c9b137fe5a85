"""The checks that every encoding must pass. A test is data and a call of one of these.

Columns are lists of bytes or str and None; integers come with their dtype, and values of one length with that length in
its place. What is right comes from `naive`, from a
golden file, or from the test itself.
"""

import time
import tracemalloc
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import naive
import numpy as np
import pytest
from strategies import Page

import colcodec as cc
from colcodec._arrays import release
from colcodec.encodings import byte_stream_split, delta_binary_packed, delta_byte_array, delta_length_byte_array, plain

try:
    import resource
except ImportError:  # Windows
    resource = None

MODULES = {
    "PLAIN": plain,
    "DELTA_LENGTH_BYTE_ARRAY": delta_length_byte_array,
    "DELTA_BYTE_ARRAY": delta_byte_array,
}
FIXED_LENGTH_MODULES = {
    "PLAIN": plain,
    "DELTA_BYTE_ARRAY": delta_byte_array,
    "BYTE_STREAM_SPLIT": byte_stream_split,
}


def told(dtype):
    """Give what has to be told of values beside a buffer: their dtype, or the length that all of them have."""
    return {"type_length": dtype} if isinstance(dtype, int) else {"dtype": dtype}


def encode(column, encoding, dtype="binary"):
    """Encode a column, or integers of a dtype, with colcodec."""
    if isinstance(dtype, int):
        return cc.encode(column, encoding, type_length=dtype)
    return cc.encode(np.array(column, dtype) if dtype in naive.BITS else column, encoding)


def decode(data, encoding, num_values, dtype="binary", **options):
    """Decode the values section of a page with colcodec into a list."""
    decoded = cc.decode(data, encoding=encoding, num_values=num_values, **told(dtype), **options)
    return as_list(decoded)


def as_list(decoded):
    """List what was decoded: the values of a column, or integers."""
    return decoded.to_pylist() if isinstance(decoded, cc.StringColumn) else decoded.tolist()


def consumed(data, encoding, num_values, dtype="binary"):
    """Count the bytes that colcodec reads of a page."""
    buf = np.frombuffer(data, np.uint8)
    if encoding == "DELTA_BINARY_PACKED":
        return delta_binary_packed.decode(buf, num_values, np.dtype(dtype))[1]
    if isinstance(dtype, int):
        return FIXED_LENGTH_MODULES[encoding].decode(buf, num_values, type_length=dtype).consumed
    return MODULES[encoding].decode(buf, num_values).consumed


def encoded_values(column):
    """List what a page holds of a column: its values as bytes, without nulls."""
    return [value.encode() if isinstance(value, str) else value for value in column if value is not None]


def check_round_trip(column, encoding, dtype="binary"):
    """Check that a column comes back as it was, nulls in their places."""
    page = encode(column, encoding, dtype)
    assert page.num_values == len(column)
    present = [value is not None for value in column]
    if page.validity is None:
        assert all(present)
    else:
        assert np.unpackbits(page.validity, count=len(column), bitorder="little").tolist() == present
    assert as_list(cc.decode(page)) == column


def check_matches_naive(column, encoding, dtype="binary"):
    """Check that a page has the bytes that the format's letter and Arrow's choices lead to."""
    expected = naive.encode(encoded_values(column), encoding, dtype)
    assert encode(column, encoding, dtype).data.tobytes() == expected


def check_deterministic(column, encoding, dtype="binary"):
    """Check that encoding is a function of the values alone: another page in between changes nothing."""
    first = encode(column, encoding, dtype)
    other = [7, 1] if dtype in naive.BITS else [bytes(dtype)] if isinstance(dtype, int) else [b"other", b"values"]
    encode(other, encoding, dtype)
    assert encode(column, encoding, dtype).data.tobytes() == first.data.tobytes()


def check_encodes(column, encoding, dtype="binary"):
    """Check all that an encoder must do with a column."""
    check_matches_naive(column, encoding, dtype)
    check_round_trip(column, encoding, dtype)
    check_deterministic(column, encoding, dtype)


def check_decodes(page: Page):
    """Check that a legal page gives its values, and that its own bytes are read and none of those that follow."""
    count = len(page.values)
    assert decode(page.data, page.encoding, count, page.dtype) == page.values
    assert consumed(page.data, page.encoding, count, page.dtype) == len(page.data)
    followed = page.data + b"\xff" * 40
    if page.encoding == "BYTE_STREAM_SPLIT":  # where its streams begin follows from its size
        check_rejects(followed, page.encoding, count, "COUNT_MISMATCH", page.dtype)
        return
    assert decode(followed, page.encoding, count, page.dtype) == page.values
    assert consumed(followed, page.encoding, count, page.dtype) == len(page.data)


def check_rejects(data, encoding, num_values, status, dtype="binary", **options):
    """Check that a bad page is refused for the right reason, at a byte that is in it; give the error."""
    with pytest.raises(cc.MalformedPageError) as caught:
        decode(data, encoding, num_values, dtype, **options)
    assert caught.value.status.name == status
    assert caught.value.encoding.name == encoding
    assert 0 <= caught.value.position <= len(data)
    return caught.value


def check_agrees_with_naive(data, encoding, num_values, dtype="binary"):
    """Check that any bytes give what the format's letter gives, or an error where it gives nothing."""
    try:
        expected = naive.decode(data, encoding, num_values, dtype).values
    except naive.MalformedError:
        with pytest.raises(cc.MalformedPageError) as caught:
            decode(data, encoding, num_values, dtype)
        assert 0 <= caught.value.position <= len(data)
    else:
        assert decode(data, encoding, num_values, dtype) == expected


def check_little_memory(call, allowed=64 << 20):
    """Check that a call allocates few bytes; give what it returns.

    The first of two calls compiles what it needs, and cannot take the machine's memory where the system can prevent it.
    """
    with limited_memory():
        call()
        with measured() as cost:
            result = call()
    assert cost.memory <= allowed
    return result


@dataclass
class Cost:
    """What something took: seconds of the processor, and bytes of memory at the most."""

    seconds: float = 0.0
    memory: int = 0


@contextmanager
def measured():
    """Measure a block: its Cost, which is known at its end."""
    cost = Cost()
    release()  # memory that is kept for arrays to come would not be counted
    tracemalloc.start()
    start = time.process_time()
    try:
        yield cost
    finally:
        cost.seconds = time.process_time() - start
        cost.memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


@contextmanager
def limited_memory(margin=1 << 30):
    """Let the process take no more than `margin` bytes beyond what it has, on Linux."""
    statm = Path("/proc/self/statm")
    if resource is None or not statm.exists():
        yield
        return
    limits = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(statm.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + margin, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
