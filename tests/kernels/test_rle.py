"""The RLE / bit-packed hybrid: what Arrow C++ writes, what any writer may write, and every way to break it."""

from itertools import cycle

import conftest
import naive
import numpy as np
import pytest
import strategies
from framed import STATUS, framed, frozen, outcome, untouched
from hypothesis import example, given
from hypothesis import strategies as st

from colcodec._kernels.rle import (
    MAX_GROUPS,
    MEASURE_STATE_SIZE,
    check_runs,
    decode_hybrid,
    encode_hybrid,
    hybrid_bound,
    measure_hybrid,
)

WIDTHS = range(33)
COUNTS = (*range(35), 8 * MAX_GROUPS - 1, 8 * MAX_GROUPS, 8 * MAX_GROUPS + 1, 8 * MAX_GROUPS + 8, 1100)
widths = st.integers(0, 32)


def mixed(count, width):
    """List values that hardly repeat, where the width lets them."""
    return [(i * 0x9E3779B97F4A7C15 >> 7) & (1 << width) - 1 for i in range(count)]


def check_encode(values, width, pos=0):
    """Check that values are encoded as naive does, with at most the bound touched; give the bytes."""
    bound = hybrid_bound(len(values), width)
    with framed(pos + bound) as out:
        end = encode_hybrid(np.array(values, np.uint32), width, out, pos)
        assert end <= pos + bound
        assert out[pos:end].tobytes() == naive.encode_hybrid(values, width)
        assert untouched(out[:pos])
        return out[pos:end].tobytes()


def decode(data, width, num_values, pos=0, behind=b""):
    """Decode in the middle of a buffer; give status, place, index and values, which `check_runs` must agree with."""
    buf, end = frozen(data + behind), len(data)
    found = []
    for dtype in (np.uint16, np.uint32) if width <= 16 else (np.uint32,):
        with framed(num_values, dtype) as out:
            status, after, index = decode_hybrid(buf, pos, end, width, out)
            assert check_runs(buf, pos, end, width, num_values) == (status, after, index)
            known = num_values if index < 0 else index
            assert untouched(out[known:])
            found.append((STATUS[status], after, index, out[:known].tolist()))
    assert found[0] == found[-1]
    return found[0]


def check_decode(data, width, num_values):
    """Check that any bytes give what the format's letter gives, whatever lies behind them, or its fault."""
    expected, error = outcome(naive.decode_hybrid, data, 0, width, num_values)
    for behind in (b"", b"\xff" * 40):
        status, pos, index, values = decode(data, width, num_values, 0, behind)
        assert 0 <= pos <= len(data)
        if error is None:
            assert (status, index, (values, pos)) == ("OK", -1, expected)
        else:
            assert status == error.kind
            assert error.index in (None, index)


# --- Measuring -------------------------------------------------------------------------------------------------------


def check_measure(values, width, counts):
    """Check what values would take, each time that some more are there."""
    array, state = np.array(values, np.uint32), np.zeros(MEASURE_STATE_SIZE, np.int64)
    done = 0
    for count in cycle(counts):
        done = min(done + count, len(values))
        for _ in range(2):
            assert measure_hybrid(array[:done], width, state) == len(naive.encode_hybrid(values[:done], width))
        if done == len(values):
            break


@given(st.data())
def test_measures(data):
    """Runs that become longer, or turn out to be a part of a bit-packed one."""
    width = data.draw(widths)
    counts = data.draw(st.lists(st.integers(1, 30) | st.integers(1, 700), min_size=1, max_size=3))
    check_measure(data.draw(strategies.repeating(width)), width, counts)


def test_measures_one_by_one():
    """Ends of runs at every place of a group."""
    for run in range(1, 20):
        for before in range(0, 20, 1 if conftest.JIT else 7):
            check_measure([*(i % 3 for i in range(before)), *[5] * run, 1, 1, *[2] * 9], 3, [1])
    check_measure([*(i % 3 for i in range(1020)), *[5] * 500, 1], 3, [1 if conftest.JIT else 99])


def test_what_was_measured_is_not_looked_at_again():
    """A run of the same value goes on from where it was seen to end."""
    values, state = np.zeros(10**4, np.uint32), np.zeros(MEASURE_STATE_SIZE, np.int64)
    expected = measure_hybrid(values, 1, state)
    values[1:-1] = 1
    assert measure_hybrid(values, 1, state) == expected


# --- Encoding --------------------------------------------------------------------------------------------------------


@given(st.data())
def test_encodes(data):
    """Any values, and what is encoded comes back."""
    width = data.draw(widths)
    values = data.draw(strategies.repeating(width))
    encoded = check_encode(values, width, data.draw(st.integers(0, 9)))
    assert decode(encoded, width, len(values)) == ("OK", len(encoded), -1, values)


@pytest.mark.parametrize("width", WIDTHS)
def test_encodes_every_width(width):
    """All lengths around a group and around the longest bit-packed run; all the same, and mixed."""
    for count in COUNTS if conftest.JIT else COUNTS[::5]:
        check_encode([(1 << width) - 1] * count, width)
        values = mixed(count, width)
        encoded = check_encode(values, width)
        assert decode(encoded, width, count) == ("OK", len(encoded), -1, values)


@pytest.mark.parametrize("before", [0, 1, 7, 8, 8 * MAX_GROUPS - 8, 8 * MAX_GROUPS, 8 * MAX_GROUPS + 8])
def test_runs_behind_bit_packed_groups(before):
    """A run begins where a group would, and the longest bit-packed run is closed before the last values come."""
    for count in range(34):
        for after in (0, 1, 8, 9):
            check_encode([*mixed(before, 5), *[9] * count, *mixed(after, 5)], 5)
            check_encode([9] * count + mixed(before, 5) + [9] * after, 5)


def test_long_runs_need_longer_headers():
    """A header of one, two and three bytes."""
    for count in (63, 64, 8191, 8192, 1 << 17 if conftest.JIT else 8200):
        encoded = check_encode([6] * count, 3)
        assert len(encoded) == len(naive.encode_uleb128(count << 1)) + 1


def test_bound_is_reached_within_a_few_bytes():
    """Nothing is wasted: groups that cannot be joined take their bound."""
    values = [value for i in range(200) for value in ([i % 2] * 8, [0, 1] * 4)[i % 2]]
    assert hybrid_bound(len(values), 1) - len(check_encode(values, 1)) < 16
    assert hybrid_bound(0, 32) < 16


# --- Decoding --------------------------------------------------------------------------------------------------------


@given(st.data())
def test_decodes_any_runs(data):
    """Runs of any kind and length, with padded headers, and as many of their values as are wanted."""
    width = data.draw(widths)
    encoded, values = data.draw(strategies.hybrids(width))
    check_decode(encoded, width, len(values))
    check_decode(encoded, width, data.draw(st.integers(0, len(values) + 9)))
    before = data.draw(st.binary(max_size=9))
    expected = ("OK", len(before + encoded), -1, values)
    assert decode(before + encoded, width, len(values), len(before), b"\xff" * 9) == expected


@pytest.mark.parametrize("width", WIDTHS)
def test_bodies_that_are_cut(width):
    """The last group may be cut behind the last value that is wanted; a body that is any shorter is refused."""
    data = naive.encode_literal(mixed(24, width), width)
    for size in range(len(data) + 1):
        for count in range(25):
            check_decode(data[:size], width, count)


@pytest.mark.parametrize("width", WIDTHS)
def test_values_of_runs(width):
    """The bytes of a run's value: all there, and no bit of them above the width (E11, E29)."""
    size = (width + 7) // 8
    most = (1 << width) - 1
    for value in {0, 1 & most, most, most ^ most >> 1}:
        check_decode(b"\x28" + value.to_bytes(size, "little"), width, 20)
    for bit in range(width, 8 * size):
        check_decode(b"\x28" + (1 << bit).to_bytes(size, "little"), width, 20)
        assert decode(b"\x28" + (1 << bit).to_bytes(size, "little"), width, 20)[:3] == ("BIT_WIDTH", 1, 0)
    if width:
        assert decode(b"\x28" + bytes(size - 1), width, 20)[:3] == ("TRUNCATED", size, 0)


@pytest.mark.parametrize("width", [0, 1, 3, 32])
@pytest.mark.parametrize(
    ("header", "status"),
    [
        (0, "BAD_RUN"),
        (1, "BAD_RUN"),
        ((2**31 - 1) << 1, "OK"),
        (2**32, "BAD_VARINT"),
        ((2**28 - 1) << 1 | 1, "OK"),
        (2**28 << 1 | 1, "BAD_RUN"),
        ((2**31 - 1) << 1 | 1, "BAD_RUN"),
    ],
)
def test_limits_of_headers(width, header, status):
    """E12: a run has 1 to 2**31 - 1 values, and neither product of its header wraps."""
    start = b"\x02" + bytes((width + 7) // 8)
    data = start + naive.encode_uleb128(header)
    if status == "OK" and header & 1 and width:
        status = "TRUNCATED"  # nobody has the bytes
    found = decode(data + bytes(8), width, 9)
    assert (found[0], found[2]) == (status, -1 if status == "OK" else 1)
    assert status != "BAD_RUN" or found[1] == len(start)


def test_headers_may_be_padded_to_five_bytes():
    """No more: a sixth byte is refused."""
    for size in range(1, 6):
        assert decode(naive.encode_uleb128(16, size) + b"\1", 3, 8)[0] == "OK"
    for size in (6, 10, 200):
        assert decode(naive.encode_uleb128(16, size) + b"\1", 3, 8)[0] == "BAD_VARINT"


def test_no_values():
    """Nothing is read where nothing is wanted."""
    for data in (b"", b"\0", b"\xff" * 9):
        assert decode(data, 3, 0) == ("OK", 0, -1, [])


def test_runs_of_nothing_end():
    """E12: where a run of no values took no byte off what is left, a decoder would go on for ever."""
    for data in (b"\0" * 64, b"\1" * 64):
        for width in (0, 3):
            assert decode(data, width, 8) == ("BAD_RUN", 0, 0, [])


SMALL = naive.encode_hybrid([5] * 9 + mixed(17, 3) + [1] * 20 + [2, 3], 3)


def test_every_prefix():
    """A stream cut anywhere; the counts around the right one as well."""
    for size in range(len(SMALL) + 1):
        for count in (0, 1, 26, 47, 48, 49, 56, 57, 1000):
            check_decode(SMALL[:size], 3, count)


def test_every_single_byte_change():
    """Each byte in turn becomes every other byte."""
    for position in range(len(SMALL)):
        for other in range(256):
            check_decode(SMALL[:position] + bytes([other]) + SMALL[position + 1 :], 3, 48)


@given(widths, st.binary(max_size=60), st.integers(0, 70))
@example(0, b"\x03", 8)
def test_random_bytes(width, data, count):
    """Random bytes, of which the first headers are small often enough."""
    check_decode(data, width, count)
    check_decode(bytes(byte & 0x1F for byte in data), width, count)
