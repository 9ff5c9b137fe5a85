"""DELTA_BINARY_PACKED streams: every legal one, every fault by its byte, and blocks in their bounds."""

from itertools import accumulate, cycle

import conftest
import naive
import numpy as np
import pytest
import strategies
from framed import PATTERN, STATUS, framed, frozen, outcome, untouched
from hypothesis import given
from hypothesis import strategies as st

from colcodec._kernels.delta import (
    STATE_SIZE,
    WRITER_STATE_SIZE,
    decode_miniblock,
    delta_bound,
    encode_block,
    encode_delta,
    encode_ends,
    encode_lengths,
    extend_delta,
    open_delta,
    read_delta,
    read_header,
)
from colcodec._spec import BLOCK_SIZE

UNSIGNED = {32: np.uint32, 64: np.uint64}
SIGNED = {32: np.int32, 64: np.int64}
COUNTS = range(131) if conftest.JIT else strategies.EDGE_COUNTS
both_sizes = pytest.mark.parametrize("bits", [32, 64])


def signed(values, bits):
    """List numbers of an unsigned array as signed ones."""
    return values.view(SIGNED[bits]).tolist()


def decode(buf, pos, end, num_values, bits, part=None):
    """Decode, in parts of so many values or in one; give status, place, index and values."""
    buf = frozen(buf)
    state = np.full(STATE_SIZE, PATTERN, np.int64)
    status, after, index = open_delta(buf, pos, end, num_values, bits, state)
    assert pos <= after <= end
    values = []
    while STATUS[status] == "OK" and (len(values) < num_values or num_values == 0):
        count = min(part or num_values, num_values - len(values))
        with framed(count, UNSIGNED[bits]) as out:
            status, after, index = read_delta(buf, end, state, out)
            assert pos <= after <= end
            known = count if STATUS[status] == "OK" else index - len(values)
            values += signed(out[:known], bits)
        if num_values == 0:
            break
    return STATUS[status], after, index, values


# --- Decoding --------------------------------------------------------------------------------------------------------


@both_sizes
@given(st.data())
def test_decodes_any_legal_stream(bits, data):
    """Any geometry and any leftovers, whatever lies around, to the last byte of the buffer."""
    values = data.draw(strategies.integer_columns(bits))
    stream = naive.encode_delta_binary_packed(values, bits, data.draw(strategies.liberties()))
    before, behind = data.draw(st.binary(max_size=9)), data.draw(st.binary(max_size=70))
    start, end = len(before), len(before) + len(stream)
    assert decode(before + stream, start, end, len(values), bits) == ("OK", end, -1, values)
    assert decode(before + stream + behind, start, end, len(values), bits) == ("OK", end, -1, values)
    assert decode(before + stream + behind, start, end + len(behind), len(values), bits) == ("OK", end, -1, values)


@both_sizes
@pytest.mark.parametrize("width", range(65))
def test_decodes_every_width_and_length(bits, width):
    """All widths that the type has, all lengths to just over a block."""
    width = min(width, bits)
    values = [0]
    for i in range(max(COUNTS)):
        values.append(naive.wrap(values[-1] + (i * 0x9E3779B97F4A7C15 & (1 << width) - 1), bits))
    for count in COUNTS:
        stream = naive.encode_delta_binary_packed(values[:count], bits)
        assert decode(stream, 0, len(stream), count, bits) == ("OK", len(stream), -1, values[:count])


@both_sizes
@given(st.data())
def test_decodes_any_bytes(bits, data):
    """A changed, cut or continued stream has naive's values, or is refused where naive refuses it."""
    values = data.draw(strategies.integer_columns(bits))
    stream = bytearray(naive.encode_delta_binary_packed(values, bits, data.draw(strategies.liberties())))
    place = data.draw(st.integers(0, len(stream) - 1))
    stream[place : place + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    count = len(values) + data.draw(st.sampled_from((0, 0, 0, 1)))
    status, after, index, found = decode(bytes(stream), 0, len(stream), count, bits)
    expected, error = outcome(naive.decode_delta_binary_packed, bytes(stream), 0, bits, count)
    if error is None:
        assert (status, after, index, found) == ("OK", expected[1], -1, expected[0])
    else:
        assert status != "OK"
        if error.index is not None:
            assert (status, index) == (error.kind, error.index)
            assert after == error.position
    assert decode(bytes(stream), 0, len(stream), count, bits, part=37) == (status, after, index, found)


def field(*numbers):
    """Write varints."""
    return b"".join(map(naive.encode_uleb128, numbers))


def test_faults():
    """Each fault, at the byte and the value that have it."""
    head = field(128, 4, 3, 0)
    two_blocks = field(128, 1, 131, 0)  # widths of one byte: short streams
    for stream, count, bits, expected in [
        (b"", 0, 32, ("TRUNCATED", 0, -1)),
        (field(128, 4, 0, 7), 0, 32, ("OK", 5, -1)),
        (b"", 1, 32, ("TRUNCATED", 0, -1)),
        (b"\x80", 1, 32, ("TRUNCATED", 1, -1)),
        (field(128), 1, 32, ("TRUNCATED", 2, -1)),
        (field(128, 4), 1, 32, ("TRUNCATED", 3, -1)),
        (field(128, 4, 1), 1, 32, ("TRUNCATED", 4, -1)),
        (b"\xff" * 9, 1, 32, ("BAD_VARINT", 4, -1)),
        (field(128) + b"\xff" * 9, 1, 32, ("BAD_VARINT", 6, -1)),
        (field(128, 4) + b"\xff" * 9, 1, 32, ("BAD_VARINT", 7, -1)),
        (field(128, 4, 1, 1 << 32), 1, 32, ("BAD_VARINT", 8, -1)),
        (field(128, 4, 1, 1 << 32), 1, 64, ("OK", 9, -1)),
        (field(0, 4, 1, 0), 1, 32, ("BAD_HEADER", 0, -1)),
        (field(64, 2, 1, 0), 1, 32, ("BAD_HEADER", 0, -1)),
        (field(1 << 31, 4, 1, 0), 1, 32, ("BAD_HEADER", 0, -1)),
        (field(128, 0, 1, 0), 1, 32, ("BAD_HEADER", 2, -1)),
        (field(128, 3, 1, 0), 1, 32, ("BAD_HEADER", 2, -1)),
        (field(128, 8, 1, 0), 1, 32, ("BAD_HEADER", 2, -1)),
        (field(128, 4, 1 << 31, 0), 1, 32, ("BAD_HEADER", 3, -1)),
        (field(128, 4, 2, 0), 1, 32, ("COUNT_MISMATCH", 0, 1)),
        (field(128, 4, 1, 0), 2, 32, ("COUNT_MISMATCH", 0, 1)),
        (head, 3, 32, ("TRUNCATED", 5, 1)),
        (head + b"\xff" * 9, 3, 32, ("BAD_VARINT", 9, 1)),
        (head + b"\x00" + bytes(3), 3, 32, ("TRUNCATED", 6, 1)),
        (head + b"\x00" + bytes([1, 0, 0, 0]) + bytes(3), 3, 32, ("TRUNCATED", 10, 1)),
        (head + b"\x00" + bytes([33, 0, 0, 0]) + bytes(132), 3, 32, ("BIT_WIDTH", 6, 1)),
        (head + b"\x00" + bytes([33, 0, 0, 0]) + bytes(132), 3, 64, ("OK", 142, -1)),
        (head + b"\x00" + bytes([65, 0, 0, 0]) + bytes(260), 3, 64, ("BIT_WIDTH", 6, 1)),
        (head + b"\x00" + bytes([0, 255, 255, 255]), 3, 64, ("OK", 10, -1)),
        (field(128, 4, 34, 0) + b"\x00" + bytes([1, 33, 0, 0]) + bytes(136), 34, 32, ("BIT_WIDTH", 7, 33)),
        (two_blocks + b"\x00\x00", 131, 32, ("TRUNCATED", 8, 129)),
        (two_blocks + b"\x00\x00\x00\x40", 131, 32, ("BIT_WIDTH", 9, 129)),
    ]:
        assert decode(stream, 0, len(stream), count, bits)[:3] == expected, stream


@both_sizes
@given(st.data())
def test_read_header(bits, data):
    """Any header of any writer, and any numbers in its place."""
    numbers = st.sampled_from((0, 1, 2, 3, 4, 8, 32, 64, 128, 160, 256, 1024, 2**31 - 128, 2**31, 2**32 - 128, 2**32))
    fields = data.draw(st.tuples(numbers, numbers, st.integers(0, 9) | numbers, st.integers(0, 2**bits)))
    header = b"".join(naive.encode_uleb128(value, data.draw(st.integers(1, 5))) for value in fields)
    header = header[: data.draw(st.just(99) | st.integers(0, len(header)))]
    status, pos, miniblock_size, miniblocks, total_count, first_value = read_header(
        frozen(b"??" + header), 2, 2 + len(header), bits
    )
    assert 2 <= pos <= 2 + len(header)
    expected, error = outcome(naive.decode_header, header, 0, bits, fields[2])
    if error is not None:
        assert STATUS[status] in ("TRUNCATED", "BAD_VARINT", "BAD_HEADER")
    else:
        block_size, miniblocks_per_block, first, end = expected
        assert (STATUS[status], pos) == ("OK", 2 + end)
        assert (miniblock_size, miniblocks) == (block_size // miniblocks_per_block, miniblocks_per_block)
        assert (total_count, first_value) == (fields[2], first)


@both_sizes
@given(st.data())
def test_reads_in_parts(bits, data):
    """Parts of any size, at any place of a miniblock, together are the whole."""
    values = data.draw(strategies.integer_columns(bits))
    stream = naive.encode_delta_binary_packed(values, bits, data.draw(strategies.liberties()))
    part = data.draw(st.sampled_from((1, 2, 7, 8, 9, 31, 32, 33, 100, 128)))
    assert decode(stream, 0, len(stream), len(values), bits, part) == ("OK", len(stream), -1, values)


def check_miniblock(bits, width, taken, count, first, min_delta, body, spare):
    """Check values that follow `first`, of a buffer that ends so many bytes behind the packed ones."""
    pos = spare % 9
    end = pos + ((taken + count) * width + 7) // 8
    buf = frozen((b"?" * pos + body)[:end] + b"\xcc" * spare)
    deltas = naive.unpack(body, width, taken + count)[taken:]
    sums = accumulate(deltas, lambda value, delta: naive.wrap(value + min_delta + delta, bits), initial=first)
    expected = list(sums)
    with framed(count, UNSIGNED[bits]) as out:
        value, step = np.uint64(first % 2**64), np.uint64(min_delta % 2**64)
        last = decode_miniblock(buf, pos, end + spare, width, value, step, taken, out)
        assert signed(out, bits) == expected[1:]
        assert naive.wrap(int(last), bits) == expected[-1]


@both_sizes
@pytest.mark.parametrize("width", range(65))
def test_decode_miniblock(bits, width):
    """Every width and number of values, wrapping at the type's width."""
    if width <= bits:
        body = bytes(i * 167 % 256 for i in range(8 * max(COUNTS) + 150))
        for count in COUNTS:
            check_miniblock(bits, width, count % 17, count, (1 << bits - 1) - 3, -5, body, count % 15)


@both_sizes
@given(st.data())
def test_decode_any_miniblock(bits, data):
    """Any bits, any first value, any least delta."""
    width, count = data.draw(st.integers(0, bits)), data.draw(st.sampled_from((1, 7, 8, 9, 31, 32, 64)))
    first, min_delta = data.draw(strategies.integers(bits)), data.draw(strategies.integers(bits))
    body = (data.draw(st.binary(min_size=1, max_size=40)) * 512)[:512]
    taken, spare = data.draw(st.integers(0, 32)), data.draw(st.integers(0, 40))
    check_miniblock(bits, width, taken, count, first, min_delta, body * 2, spare)


# --- Encoding --------------------------------------------------------------------------------------------------------


def check_encode(values, bits, max_width, pos=0):
    """Check a stream against naive's, written into no more than its bound."""
    expected = naive.encode_delta_binary_packed(values, bits)
    bound = delta_bound(len(values), max_width)
    deltas = np.full(BLOCK_SIZE, PATTERN, UNSIGNED[bits])
    unsigned = frozen(np.array(values, SIGNED[bits]).view(UNSIGNED[bits]), UNSIGNED[bits])
    with framed(pos + bound) as out:
        end = encode_delta(unsigned, deltas, deltas.view(SIGNED[bits]), out, pos)
        assert out[pos:end].tobytes() == expected
        assert end - pos <= bound
        assert untouched(out[:pos])
        assert set(out[end:].tolist()) <= {0, PATTERN}
        assert untouched(out[end + 8 :])


@given(st.lists(st.integers(0, 300), max_size=300), st.integers(0, 9), st.booleans(), st.data())
def test_encodes_lengths(lengths, shift, share, data):
    """The lengths of offsets that begin anywhere, whole or less a prefix of each."""
    lengths = [*lengths, *lengths, 2**31 - 1] if data.draw(st.booleans()) else lengths
    prefixes = [data.draw(st.integers(0, 9)) % (length + 1) for length in lengths] if share else []
    kept = [length - prefix for length, prefix in zip(lengths, prefixes, strict=True)] if share else lengths
    offsets = frozen(np.cumsum([shift, *lengths]), np.int64)
    deltas = np.full(BLOCK_SIZE, PATTERN, np.uint32)
    with framed(delta_bound(len(lengths), 32)) as out:
        end = encode_lengths(offsets, np.array(prefixes, np.int32), deltas, deltas.view(np.int32), out, 0)
        assert out[:end].tobytes() == naive.encode_delta_binary_packed(kept, 32)


@both_sizes
@given(st.data())
def test_encodes_any_values(bits, data):
    """Any values are within the bound for the type."""
    check_encode(data.draw(strategies.integer_columns(bits)), bits, bits, data.draw(st.integers(0, 9)))


@both_sizes
@given(st.data())
def test_extends_a_stream(bits, data):
    """Values in parts of any size: at any time, ends and blocks are the stream so far, within the bound of blocks."""
    values = data.draw(strategies.integer_columns(bits))
    sizes = data.draw(st.lists(st.integers(0, 140), min_size=1, max_size=4))
    state = np.zeros(WRITER_STATE_SIZE, np.int64)
    deltas, scratch = (np.full(BLOCK_SIZE, PATTERN, UNSIGNED[bits]) for _ in range(2))
    blocks, done = b"", 0
    for size in cycle([*sizes, 1]):
        part = frozen(np.array(values[done : done + size], SIGNED[bits]).view(UNSIGNED[bits]), UNSIGNED[bits])
        with framed(delta_bound(part.size + BLOCK_SIZE, bits)) as out:
            end = extend_delta(part, state, deltas, deltas.view(SIGNED[bits]), out, 0)
            assert untouched(out[end + 8 :])
            blocks += out[:end].tobytes()
        done += part.size
        with framed(delta_bound(BLOCK_SIZE + 1, bits)) as out:
            header_end, end = encode_ends(state, deltas, scratch, scratch.view(SIGNED[bits]), out)
            stream = out[:header_end].tobytes() + blocks + out[header_end:end].tobytes()
            assert stream == naive.encode_delta_binary_packed(values[:done], bits)
        if done == len(values):
            break


@both_sizes
@pytest.mark.parametrize("width", range(65))
def test_encodes_every_width_and_length(bits, width):
    """The worst values for each width: the bound for ``width`` bits must hold whatever they are."""
    width = min(width, bits)
    values = [0]
    for i in range(max(COUNTS)):
        values.append(naive.wrap(values[-1] + ((1 << width) - 1 if i % 2 == 0 else 0), bits))
    for count in COUNTS:
        check_encode(values[:count], bits, width)


@pytest.mark.parametrize("length_bits", range(32))
def test_bound_of_lengths(length_bits):
    """Lengths below ``2**k`` have differences of differences of at most k + 1 bits."""
    high = (1 << length_bits) - 1
    for count in (1, 2, 128, 129, 130, 258):
        check_encode(([0, high, high, 0, high] * 52)[:count], 32, length_bits + 1)


@both_sizes
@given(st.data())
def test_encode_block(bits, data):
    """A block of any number of deltas is naive's, with zeros where no deltas are, whatever the scratch held before."""
    few = data.draw(st.lists(strategies.integers(bits), min_size=1, max_size=9))
    count = data.draw(st.sampled_from((1, 31, 32, 33, 64, 96, 97, 127, 128)))
    block = (few * 128)[:count]
    deltas = np.full(BLOCK_SIZE, PATTERN, UNSIGNED[bits])
    deltas.view(SIGNED[bits])[:count] = block
    expected = naive.encode_block(block, bits, naive.CANONICAL)
    with framed(len(expected) + 8) as out:
        end = encode_block(count, deltas, deltas.view(SIGNED[bits]), out, 0)
        assert out[:end].tobytes() == expected
        assert set(out[end:].tolist()) <= {0, PATTERN}
