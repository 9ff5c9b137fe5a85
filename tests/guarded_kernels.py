"""Arguments of every kernel, with what its docstring asks for and not a byte more; encoded bytes may be any."""

import ctypes
import importlib
import pkgutil
from itertools import pairwise

import naive
import numpy as np
from guarded_cases import HUGE

import colcodec._kernels as package
from colcodec._kernels import bitpack, delta, dictionary, memory, objects, rle, transcode, views
from colcodec._kernels.bitpack import STORE_SLACK
from colcodec._spec import BLOCK_SIZE
from colcodec.convert.string_dtype import _find_functions

CASES = {}
"""Kernel, as "module.name" -> what gives its arguments for a case."""

TOUCH_NOTHING = {
    "bitpack.count_groups",
    "byte_array.slice_fault",
    "byte_streams.places_of_tile",
    "dictionary.make_span",
    "rle.run_size",
    "transcode.low_bits",
    "validity.count_mixed",
}
"""Kernels that take no memory, only numbers."""

U16, U32, U64, I32, I64, BOOL = np.uint16, np.uint32, np.uint64, np.int32, np.int64, np.bool_


def kernels():
    """Find every kernel that is compiled, by its module and name."""
    found = {}
    for module in pkgutil.iter_modules(package.__path__):
        for name, value in vars(importlib.import_module(f"{package.__name__}.{module.name}")).items():
            if hasattr(value, "signatures") and value.__module__.endswith(f".{module.name}"):
                found[f"{module.name}.{name}"] = value
    return found


def of(*names):
    """Say which kernels take the arguments that a function gives."""

    def register(function):
        CASES.update(dict.fromkeys(names, function))
        return function

    return register


def any_pair(case):
    """Give two numbers that may be small or huge."""
    return tuple(case.choose((case.below(200), 2**31 - 1, 2**62)) for _ in range(2))


def uleb_size(value):
    return max((int(value).bit_length() + 6) // 7, 1)


# --- varint, bitpack -------------------------------------------------------------------------------------------------


@of("varint.read_uleb128", "varint.read_zigzag")
def _(case):
    data = naive.encode_uleb128(case.choose(HUGE), case.choose((1, 5, 10)))[: case.below(11)]
    return *case.buffer(case.choose((data, bytes([0x80]) * case.below(12), case.bytes(case.below(12))))), case.choose(
        (32, 64)
    )


@of("varint.write_uleb128")
def _(case):
    value = case.choose(HUGE) >> case.below(8)
    return U64(value), case.output(case.shift + uleb_size(value)), case.shift


@of("varint.write_zigzag")
def _(case):
    value = naive.wrap(case.choose(HUGE) >> case.below(8), 64)
    return value, case.output(case.shift + uleb_size(naive.encode_zigzag(value))), case.shift


@of("bitpack.read_word")
def _(case):
    return case.buffer(case.bytes(case.length))


@of("bitpack.read_bits")
def _(case):
    width, count = 1 + case.below(64), 1 + case.length
    buf, pos, end = case.buffer(case.bytes((count * width + 7) // 8))
    return buf, pos, end, width, case.choose((count - 1, case.below(count)))


@of("bitpack.pack")
def _(case):
    dtype = case.choose((U32, U64))
    width = case.below(8 * np.dtype(dtype).itemsize + 1)
    start, count = case.below(9), case.length & ~7
    values = case.numbers(start + count, width) if width else [0] * (start + count)
    out = case.output(case.shift + count * width // 8 + STORE_SLACK)
    return case.input(values, dtype), start, count, width, out, case.shift


# --- byte_array ------------------------------------------------------------------------------------------------------


@of("byte_array.scan_offsets")
def _(case):
    offsets, data = case.column()
    if case.below(3) == 0:
        offsets = case.input(case.integers(1 + case.length, 64), I64)
    return offsets, data.size


@of("byte_array.find_other_length")
def _(case):
    offsets = np.arange(1 + case.length) * 7
    offsets[case.below(offsets.size) :] += case.choose((0, 0, 1))
    return case.input(offsets, I64), 7


@of("byte_array.fill_offsets")
def _(case):
    return case.below(40), case.output(1 + case.length, I64)


@of("byte_array.check_lengths")
def _(case):
    return case.input(some_lengths(case), I32), *any_pair(case)


@of("byte_array.sum_lengths")
def _(case):
    return (case.input(some_lengths(case), I32),)


def some_lengths(case):
    """Give lengths as a page may claim them."""
    lengths = [case.below(20) for _ in range(case.length)]
    if lengths and case.below(2):
        lengths[case.below(len(lengths))] = case.choose((-1, -(2**31), 2**31 - 1))
    return lengths


@of("byte_array.check_slices")
def _(case):
    starts, ends, data, _ = case.slices()
    lengths = ends - starts
    if lengths.size and case.below(2):
        lengths[case.below(lengths.size)] = case.choose((-1, 2**31, 2**62, -(2**63)))
    return starts, case.input(lengths, I64), data.size, case.output(starts.size, I64)


@of("byte_array.take_lengths")
def _(case):
    starts, ends, _, _ = case.slices()
    return starts, ends, case.output(starts.size, U32)


@of("byte_array.copy_slices")
def _(case):
    starts, ends, data, size = case.slices()
    return starts, ends, data, case.output(case.shift + size + case.gap()), case.shift


@of("byte_array.write_plain")
def _(case):
    start, length = case.below(20), case.length
    data = case.input(case.bytes(start + length + case.gap()))
    return data, start, length, case.output(case.shift + 4 + length + case.gap()), case.shift


@of("byte_array.encode_plain")
def _(case):
    offsets, data = case.column()
    size = 4 * (offsets.size - 1) + int(offsets[-1] - offsets[0])
    return offsets, data, case.output(case.shift + size + case.gap()), case.shift


@of("byte_array.encode_plain_slices")
def _(case):
    starts, ends, data, size = case.slices()
    return starts, ends, data, case.output(case.shift + 4 * starts.size + size + case.gap()), case.shift


def plain_page(case):
    """Give a PLAIN page, whole or not, that has at least 4 bytes for each of its values."""
    data, count = case.harm(*case.page("PLAIN"))
    return data, min(count, len(data) // 4)


@of("byte_array.decode_plain")
def _(case):
    data, count = plain_page(case)
    room = len(data) - 4 * count
    allowed = case.choose((room, room, case.below(room + 1)))
    return *case.buffer(data, case.gap()), case.output(count + 1, I64), case.output(allowed)


@of("byte_array.scan_plain")
def _(case):
    data, count = plain_page(case)
    buf, pos, _ = case.buffer(data)
    room = len(data) - 4 * count
    return buf, pos, case.below(count + 1), room, case.choose((room, case.below(room + 1)))


@of("byte_array.count_plain")
def _(case):
    return case.buffer(case.harm(*case.page("PLAIN"))[0])


# --- byte_streams ----------------------------------------------------------------------------------------------------


@of("byte_streams.split_streams")
def _(case):
    length = 1 + case.below(40)
    size = length * case.length
    return case.input(case.bytes(size)), length, case.output(size)


@of("byte_streams.join_streams")
def _(case):
    length = 1 + case.below(40)
    start = case.below(case.length + 1)
    count = case.choose((case.length - start, case.below(case.length - start + 1)))
    return case.input(case.bytes(length * case.length)), length, start, case.output(length * count)


# --- delta -----------------------------------------------------------------------------------------------------------


def delta_page(case, bits):
    """Give a stream that may be harmed, in a buffer; and how many values are to be read of it."""
    data, count = case.harm(*case.delta_stream(bits))
    return case.buffer(data, case.choose((0, 0, 40))), count


def scratch(case, bits):
    """Give the deltas of a block, and a view of them as signed numbers."""
    deltas = case.output(BLOCK_SIZE, f"u{bits // 8}")
    return deltas, deltas.view(f"i{bits // 8}")


def unsigned_values(case, bits, count=None):
    """Give integers of so many bits or fewer, and how many bits the difference of two of their differences can take."""
    few = case.choose((1, 7, bits // 2, bits - 1, bits))
    values = case.numbers(case.length if count is None else count, few)
    return case.input(values, f"u{bits // 8}"), min(few + 1, bits)


@of("delta.read_header")
def _(case):
    bits = case.choose((32, 64))
    return *delta_page(case, bits)[0], bits


@of("delta.open_delta")
def _(case):
    bits = case.choose((32, 64))
    where, count = delta_page(case, bits)
    return *where, count, bits, case.output(delta.STATE_SIZE, I64)


@of("delta.read_delta")
def _(case):
    bits = case.choose((32, 64))
    (buf, pos, end), count = delta_page(case, bits)
    state = case.output(delta.STATE_SIZE, I64)
    state[:] = 0
    status, _, _ = delta.open_delta(buf, pos, end, count, bits, state)
    left = count if status == 0 else 0
    while status == 0 and left > 1 and case.below(3):
        size = case.below(left)
        status, _, _ = delta.read_delta(buf, end, state, case.output(size, f"u{bits // 8}"))
        left = left - size if status == 0 else 0
    return buf, end, state, case.output(case.choose((left, case.below(left + 1))), f"u{bits // 8}")


@of("delta.decode_delta")
def _(case):
    bits = case.choose((32, 64))
    where, count = delta_page(case, bits)
    return *where, case.output(delta.STATE_SIZE, I64), case.output(count, f"u{bits // 8}")


@of("delta.decode_miniblock")
def _(case):
    bits = case.choose((32, 64))
    width, size = case.below(bits + 1), case.choose((32, 64, 128, 256))
    taken = case.below(size)
    count = case.choose((size - taken, case.below(size - taken + 1)))
    where = case.buffer(case.bytes(size * width // 8), case.choose((0, 0, 0, 1, 7, 8)))
    return *where, width, U64(case.choose(HUGE)), U64(case.choose(HUGE)), taken, case.output(count, f"u{bits // 8}")


@of("delta.decode_groups")
def _(case):
    bits = case.choose((32, 64))
    width = 1 + case.below(min(bits, 57))
    buf, pos, end = case.buffer(case.bytes(case.length * width // 8))
    groups = bitpack.count_groups(pos, end, width, case.length)
    out = case.output(8 * groups, f"u{bits // 8}")
    return buf, pos, width, U64(case.choose(HUGE)), U64(case.choose(HUGE)), out, groups


@of("delta.encode_header")
def _(case):
    count, first = case.below(2**31), naive.wrap(case.choose(HUGE), 64)
    size = 2 + 1 + uleb_size(count) + uleb_size(naive.encode_zigzag(first))
    return count, first, case.output(case.shift + size), case.shift


@of("delta.encode_delta")
def _(case):
    bits = case.choose((32, 64))
    values, width = unsigned_values(case, bits)
    out = case.output(case.shift + delta.delta_bound(values.size, width))
    return values, *scratch(case, bits), out, case.shift


def writer(case, bits):
    """Give the state of a stream of some values, with its deltas."""
    state, deltas = case.output(delta.WRITER_STATE_SIZE, I64), scratch(case, bits)
    state[:] = 0
    for _ in range(case.below(3)):
        values, _ = unsigned_values(case, bits, case.below(200))
        delta.extend_delta(values, state, *deltas, case.output(delta.delta_bound(values.size + BLOCK_SIZE, bits)), 0)
    return state, deltas


@of("delta.extend_delta")
def _(case):
    bits = case.choose((32, 64))
    state, deltas = writer(case, bits)
    values, _ = unsigned_values(case, bits)
    bound = delta.delta_bound(values.size + BLOCK_SIZE, bits)
    return values, state, *deltas, case.output(case.shift + bound), case.shift


@of("delta.encode_ends")
def _(case):
    bits = case.choose((32, 64))
    state, (deltas, _) = writer(case, bits)
    return state, deltas, *scratch(case, bits), case.output(delta.delta_bound(BLOCK_SIZE + 1, bits))


@of("delta.encode_lengths")
def _(case):
    values = case.values() if case.below(2) else [b"ab"[: case.below(3)] for _ in range(case.length)]
    longest = max(map(len, values), default=0)
    prefixes = [case.below(len(value) + 1) for value in values] if case.below(2) else []
    out = case.output(case.shift + delta.delta_bound(len(values), longest.bit_length() + 1))
    return case.offsets(values, case.shift), case.input(prefixes, I32), *scratch(case, 32), out, case.shift


@of("delta.encode_block")
def _(case):
    bits = case.choose((32, 64))
    deltas, signed = scratch(case, bits)
    count = 1 + case.below(BLOCK_SIZE)
    deltas[:count] = case.numbers(count, bits)
    least, most = int(signed[:count].min()), int(signed[:count].max())
    size = uleb_size(naive.encode_zigzag(least)) + 4 + 4 * 4 * (most - least).bit_length()
    return count, deltas, signed, case.output(case.shift + size + STORE_SLACK), case.shift


# --- dictionary ------------------------------------------------------------------------------------------------------


@of("dictionary.load_tail")
def _(case):
    size = case.below(17)
    return case.input(case.bytes(case.shift + size + case.choose((0, case.below(20))))), case.shift, size


@of("dictionary.hash_value")
def _(case):
    return case.buffer(case.bytes(case.length), case.gap())[0], case.shift, case.length, U64(case.choose(HUGE)), U64(7)


@of("dictionary.is_known")
def _(case):
    value = case.bytes(case.length)
    known = value if case.below(2) else case.bytes(case.length)
    start = case.below(20)
    known_data = case.input(bytes(start) + known + bytes(dictionary.KNOWN_SLACK))
    return case.buffer(value, case.gap())[0], case.shift, case.length, known_data, start


class Known:
    """A dictionary that has taken up some values, with room for a few more."""

    def __init__(self, case):
        offsets, data = case.column()
        room = case.choose((1, 2, 8, 64, 256))
        self.state = case.output(dictionary.STATE_SIZE, I64)
        self.state[:] = 0
        self.state[dictionary.ROOM] = case.choose((2**40, 2**40, case.below(300)))
        self.state[dictionary.OVERHEAD] = case.choose((0, 4))
        self.state[dictionary.SEED] = case.choose((0, 12345678901234567))
        self.table = case.output(dictionary.SLOTS_PER_VALUE * room, U32)
        self.table[:] = 0
        self.keys = case.output(room, U64)
        self.offsets = case.output(room + 1, I64)
        self.offsets[0] = 0
        self.data = case.output(case.choose((case.below(400), data.size + dictionary.KNOWN_SLACK)))
        self.add(case, offsets[: 1 + case.below(offsets.size)], data)

    def add(self, case, offsets, data):
        dictionary.find_distinct(*self.arguments(case, case.input(offsets, I64), data))

    def arguments(self, case, offsets, data):
        self.state[dictionary.ROW] = 0
        indices = case.output(offsets.size - 1, U32)
        return offsets, data, self.state, self.table, self.keys, self.offsets, self.data, indices


@of("dictionary.find_distinct")
def _(case):
    known = Known(case)
    values = case.values()
    if case.below(3) == 0:
        values = [value for value in values for _ in range(1 + case.below(80))]
    return known.arguments(case, *case.column(values))


@of("dictionary.hash_values")
def _(case):
    offsets, data = case.column()
    count = offsets.size - 1
    first = case.below(count + 1)
    last = first + case.below(count - first + 1)
    table = case.output(case.choose((1, 4, 64)), U32)
    return offsets, data, U64(first), U64(last), U64(case.choose(HUGE)), table, case.output(count, U32)


@of("dictionary.find_slot")
def _(case):
    known = Known(case)
    value = case.bytes(case.below(40))
    data, start, _ = case.buffer(value, case.gap())
    count = known.state[dictionary.KNOWN]
    key = U64(case.choose(HUGE))
    if count and case.below(4):
        number = case.below(count)  # a value that is there, as far as its key tells
        key = known.keys[number]
        size = int(known.offsets[number + 1] - known.offsets[number])
        data, start, _ = case.buffer(known.data[known.offsets[number] :][:size].tobytes(), case.gap())
        value = bytes(size)
    return key, known.table, known.keys, data, start, len(value), known.offsets, known.data


@of("dictionary.has_runs")
def _(case):
    count = 1 + case.length
    first = case.below(count)
    return case.input(case.numbers(count, 3), U32), U64(first), U64(first + 1 + case.below(count - first))


@of("dictionary.copy_repeats")
def _(case):
    value = case.bytes(case.below(40))
    values = [value] * (1 + case.below(9)) + case.values()
    offsets, data = case.column(values)
    indices = case.output(len(values), U32)
    return offsets, data, U64(1 + case.below(len(values))), indices


@of("dictionary.find_room")
def _(case):
    known = Known(case)
    count = int(known.state[dictionary.KNOWN])
    return known.state, case.length, count, known.table, known.offsets, known.data


@of("dictionary.fill_table")
def _(case):
    keys = case.input(case.numbers(case.length, 64), U64)
    table = case.output(1 << (4 * max(case.length, 1) - 1).bit_length(), U32)
    table[:] = 0
    return keys, table


@of("dictionary.find_wild")
def _(case):
    return case.input(case.numbers(case.length, 8), index_type(case, 8)), case.choose((0, 1, 200, 255, 2**31))


@of("dictionary.find_plain_spans")
def _(case):
    data, count = case.harm(*case.page("PLAIN"))
    return case.input(data + bytes(case.gap())), len(data), case.output(count, U64)


@of("dictionary.find_spans")
def _(case):
    offsets, data = case.column()
    return offsets, data, case.output(offsets.size - 1, U64)


def chosen(case):
    """Give indices into a column, and the spans and the data of it."""
    offsets, data = case.column([*case.values(case.choose((case.length, case.below(200)))), b"one at least"])
    spans = case.output(offsets.size - 1, U64)
    dictionary.find_spans(offsets, data, spans)
    lengths = np.diff(offsets)
    indices = [case.below(spans.size) for _ in range(case.below(case.length + 1))]
    size = int(lengths[indices].sum()) if indices else 0
    return case.input(indices, U32), case.input(spans, U64), data, size


@of("dictionary.add_lengths")
def _(case):
    return chosen(case)[:2]


@of("dictionary.gather")
def _(case):
    indices, spans, data, size = chosen(case)
    return indices, spans, data, case.output(indices.size + 1, I64), case.output(size)


@of("dictionary.spread_indices")
def _(case):
    validity, bits = case.bitmap(case.length)
    return case.input(case.numbers(sum(bits), 20), U32), validity, case.output(case.length, I32)


# --- memory, address, views ------------------------------------------------------------------------------------------


@of("memory.copy_wide")
def _(case):
    start = case.below(64)
    src = case.input(case.bytes(start + case.length + 32))
    return src, start, case.output(case.shift + case.length + 32), case.shift, case.length


@of("memory.copy_bytes")
def _(case):
    start = case.below(64)
    src = case.input(case.bytes(start + case.length + case.gap()))
    return src, start, case.output(case.shift + case.length + case.gap()), case.shift, case.length


def source(case, gap=0):
    """Give the address of so many bytes."""
    array = case.input(case.bytes(case.length + gap))
    case.kept.append(array)
    return array.ctypes.data


@of("address.copy_short")
def _(case):
    out = case.output(case.shift + case.length)
    case.kept.append(out)
    return source(case), case.length, out.ctypes.data + case.shift


@of("address.copy_from")
def _(case):
    size = case.length + case.choose((0, 0, 100))
    array = case.input(case.bytes(size))
    case.kept.append(array)
    return array.ctypes.data, size, case.output(case.shift + size), case.shift


@of("views.copy_value")
def _(case):
    gap = case.gap()
    out = case.output(case.shift + case.length + case.gap())
    return source(case, gap), case.length + gap, case.length, out, case.shift


def make_views(case, values):
    """Give the views of values, and the buffers in which the longer of them lie."""
    buffers = [bytearray() for _ in range(1 + case.below(3))]
    parts = []
    for value in values:
        if len(value) <= views.MAX_INLINE:
            parts.append(len(value).to_bytes(4, "little") + value + bytes(12 - len(value)))
            continue
        number = case.below(len(buffers))
        fields = (len(value), int.from_bytes(value[:4], "little"), number, len(buffers[number]))
        parts.append(b"".join(field.to_bytes(4, "little") for field in fields))
        buffers[number] += value
    return b"".join(parts), [case.input(bytes(buffer) + bytes(case.gap())) for buffer in buffers]


@of("views.find_view_offsets")
def _(case):
    count = case.length
    parts, _ = make_views(case, [case.bytes(case.below(20)) for _ in range(count)])
    first = case.below(8)
    validity = case.bitmap(first + count)[0] if case.below(2) else case.input(b"")
    found = case.choose((parts, case.bytes(16 * count)))
    return case.input(found), validity, first, case.choose((0, 30, 2**31 - 1)), case.output(count + 1, I64)


@of("views.copy_views")
def _(case):
    values = case.values()
    parts, buffers = make_views(case, values)
    case.kept += buffers
    offsets = case.offsets(values)
    if parts and case.below(3) == 0:  # views may change behind the one who added them up
        parts = bytearray(parts)
        for _ in range(1 + case.below(9)):
            at = case.below(len(parts) // 4) * 4
            parts[at : at + 4] = case.choose((case.below(300), 2**31 - 1, 2**31, 2**32 - 1)).to_bytes(4, "little")
    addresses = case.input([buffer.ctypes.data for buffer in buffers], I64)
    sizes = case.input([buffer.size for buffer in buffers], I64)
    return case.input(bytes(parts)), offsets, addresses, sizes, case.output(int(offsets[-1]))


# --- prefix ----------------------------------------------------------------------------------------------------------


@of("prefix.count_common")
def _(case):
    value = case.bytes(case.length)
    other = value[: case.below(case.length + 1)] + case.bytes(9)
    before, after = case.below(9), case.below(9)
    limit = case.below(min(len(value), len(other)) + 1)
    left = case.input(bytes(before) + value + case.bytes(case.gap() + 9))
    rest = left.size - before - limit
    right = case.input(bytes(after) + other[:limit] + case.bytes(case.choose((0, case.below(rest + 1)))))
    return left, before, right, after, limit


@of("prefix.find_prefixes")
def _(case):
    offsets, data = case.column()
    return offsets, data, case.output(offsets.size - 1, I32)


@of("prefix.split_slices")
def _(case):
    starts, ends, data, size = case.slices()
    lengths = case.output(starts.size, U32), case.output(starts.size, U32)
    before = data[: case.below(data.size + 1)] if case.below(2) else case.bytes(case.below(40))
    before = case.input(before if isinstance(before, bytes) else before.tobytes())
    return starts, ends, data, before, *lengths, case.output(case.shift + size + case.gap()), case.shift


def prefixes_of(case, values):
    """Give what each value shares with the one before, or less than that."""
    shared = [naive.common_prefix(*pair) for pair in pairwise([b"", *values])]
    return [case.choose((prefix, prefix, case.below(prefix + 1))) for prefix in shared]


@of("prefix.gather_suffixes")
def _(case):
    values = case.values()
    prefixes = prefixes_of(case, values)
    size = sum(map(len, values)) - sum(prefixes)
    out = case.output(case.shift + size + case.gap())
    return *case.column(values), case.input(prefixes, I32), out, case.shift


def claimed_lengths(case):
    """Give prefix and suffix lengths, of values or as a page may claim them."""
    values = case.values()
    prefixes = prefixes_of(case, values)
    suffixes = [len(value) - prefix for value, prefix in zip(values, prefixes, strict=True)]
    for lengths in (prefixes, suffixes):
        if lengths and case.below(2):
            lengths[case.below(len(lengths))] = case.choose((-1, 0, 5, 2**31 - 1, -(2**31)))
    return case.input(prefixes, I32), case.input(suffixes, I32)


@of("prefix.check_prefixes")
def _(case):
    return *claimed_lengths(case), *any_pair(case)


@of("prefix.find_fault")
def _(case):
    prefixes, suffixes = claimed_lengths(case)
    count = prefixes.size + 1
    at_fault = case.input([*prefixes, -1], I32)  # so that there is one, as the caller has seen
    return at_fault, case.input([*suffixes, 0][:count], I32), *any_pair(case)


@of("prefix.find_other_sum")
def _(case):
    prefixes, suffixes = claimed_lengths(case)
    return prefixes, suffixes, case.below(9)


@of("prefix.rebuild_offsets")
def _(case):
    prefixes, suffixes = claimed_lengths(case)
    return prefixes, suffixes, case.output(prefixes.size + 1, I64)


def front_coded(case):
    """Give some values behind others: the buffer, where their suffixes begin, both lengths, and the value before."""
    values = case.values()
    if case.below(2):  # a chain in which each value begins with most of the one before
        values = [case.bytes(case.below(70))]
        while sum(map(len, values)) < 8 * case.length:
            kept = values[-1][: len(values[-1]) - case.below(4)]
            values.append(kept + case.bytes(case.choose((1, 2, 3, 40, case.below(40)))))
    prefixes = prefixes_of(case, values)
    suffixes = [value[prefix:] for value, prefix in zip(values, prefixes, strict=True)]
    skipped = case.choose((0, 0, case.below(len(values) + 1)))
    buf, pos, _ = case.buffer(b"".join(suffixes), case.gap())
    pos += sum(map(len, suffixes[:skipped]))
    before = values[skipped - 1] if skipped else b""
    return buf, pos, values[skipped:], prefixes[skipped:], [len(suffix) for suffix in suffixes[skipped:]], before


@of("prefix.rebuild_values")
def _(case):
    buf, pos, values, prefixes, _, before = front_coded(case)
    size = sum(map(len, values))
    data = case.output(size + case.choose((0, 0, case.gap())))
    return buf, pos, case.input(prefixes, I32), case.offsets(values), case.input(before), data


@of("prefix.rebuild_last")
def _(case):
    buf, pos, values, prefixes, suffixes, before = front_coded(case)
    longest = max([len(before), *map(len, values)])
    value = case.output(longest + case.choose((0, memory.COPY_SLACK)))
    value[: len(before)] = list(before)
    return buf, pos, case.input(prefixes, I32), case.input(suffixes, I32), value


# --- rle -------------------------------------------------------------------------------------------------------------


def runs(case, width, count=None):
    """Give values of `width` bits, in runs or not."""
    count = case.length if count is None else count
    values = []
    while len(values) < count:
        value = case.below(1 << width)
        size = case.choose((1, 7, 8, 9, 40))
        values += [value] * size if case.below(2) else [case.below(1 << width) for _ in range(size)]
    return values[:count]


@of("rle.find_run_end", "rle.find_literal_end")
def _(case):
    values = runs(case, 2, case.length + 1)
    return case.input(values, U32), case.below(len(values))


@of("rle.write_run")
def _(case):
    width, count = case.below(33), 1 + case.below(2**31 - 1)
    size = uleb_size(count << 1) + (width + 7) // 8
    return U32(case.below(1 << width)), count, width, case.output(case.shift + size), case.shift


@of("rle.write_literals")
def _(case):
    width = case.below(33)
    start, count = case.below(9), 1 + case.length
    values = case.input(runs(case, width, start + count), U32)
    out = case.output(case.shift + 1 + (count + 7) // 8 * width + STORE_SLACK)
    return values, start, start + count, width, out, case.shift


@of("rle.pack_tail")
def _(case):
    width, count = case.below(33), 1 + case.below(7)
    values = case.input(runs(case, width, case.length + count), U32)
    return values, case.length, width, case.output(case.shift + width), case.shift


@of("rle.encode_hybrid")
def _(case):
    width = case.below(33)
    values = runs(case, width)
    return case.input(values, U32), width, case.output(case.shift + rle.hybrid_bound(len(values), width)), case.shift


@of("rle.measure_hybrid")
def _(case):
    width = case.below(33)
    values, state = runs(case, width), case.output(rle.MEASURE_STATE_SIZE, I64)
    state[:] = 0
    rle.measure_hybrid(case.input(values[: case.below(len(values) + 1)], U32), width, state)
    return case.input(values, U32), width, state


def hybrid_page(case, width):
    """Give runs that may be harmed, in a buffer; and how many values are to be read of them."""
    data, count = case.harm(*case.hybrid(width))
    return case.buffer(data, case.choose((0, 0, 40))), count


@of("rle.read_run")
def _(case):
    width = case.below(33)
    where, count = hybrid_page(case, width)
    return *where, width, case.choose((1, count + 1))


@of("rle.check_runs")
def _(case):
    width = case.below(33)
    where, count = hybrid_page(case, width)
    return *where, width, count


def index_type(case, width):
    """Give a type for values of `width` bits: levels have 16, indices 32."""
    return case.choose((U16, U32)) if width <= 16 else U32


@of("rle.decode_hybrid")
def _(case):
    width = case.below(33)
    where, count = hybrid_page(case, width)
    return *where, width, case.output(count, index_type(case, width))


@of("rle.unpack")
def _(case):
    width = 1 + case.below(32)
    where = case.buffer(case.bytes((case.length * width + 7) // 8))
    return *where, width, case.output(case.length, index_type(case, width))


# --- points and slots ------------------------------------------------------------------------------------------------


def points_of(case, count):
    """Give code points, most of them text, padded with NULs at some places."""
    kinds = case.choose(("a", "aé", "a\0é€🪓", "\0", "🪓"))
    found = [ord(case.choose(kinds)) for _ in range(count)]
    if count and case.below(6) == 0:
        found[case.below(count)] = case.choose((0xD800, 0x110000, 2**32 - 1))
    return found


@of("transcode.write_point")
def _(case):
    point = case.choose((0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD800, 0xFFFF, 0x10000, 0x10FFFF, 0x110000, 2**32 - 1))
    size = 4 if point > 0xFFFF else 3 if point > 0x7FF else 2 if point > 0x7F else 1
    return point, case.output(case.shift + size), case.shift


def size_of_points(points):
    return sum(4 if point > 0xFFFF else 3 if point > 0x7FF else 2 if point > 0x7F else 1 for point in points)


@of("transcode.encode_slot_plainly")
def _(case):
    start, points = case.below(9), points_of(case, case.length)
    while points and points[-1] == 0:
        points.pop()
    padded = points + [0] * (case.length - len(points))
    out = case.output(case.shift + size_of_points(points))
    return case.input([*range(start), *padded], U32), start, start + case.length, out, case.shift


@of("transcode.encode_slot")
def _(case):
    start, points = case.below(9), points_of(case, case.length)
    behind = points_of(case, 15)
    size = max(size_of_points(points) + 4, case.length + 15)
    return (
        case.input([*range(start), *points, *behind], U32),
        start,
        start + case.length,
        case.output(case.shift + size),
        case.shift,
    )


@of("transcode.encode_text")
def _(case):
    width = case.choose((1, 2, 3, 4, 5, 15, 16, 17, 33, 1 + case.length))
    count = case.length // width
    points = case.input(points_of(case, count * width), U32)
    out = case.output(transcode.POINT_SIZE * points.size + transcode.SLACK)
    return points, width, case.output(count + 1, I64), out


@of("transcode.trim_slots")
def _(case):
    width = case.choose((1, 2, 3, 8, 31, 32, 33, 40, 1 + case.length))
    count = case.length // width
    slots = b"".join(case.bytes(case.below(width + 1)).ljust(width, b"\0") for _ in range(count))
    return case.input(slots), width, case.output(count + 1, I64), case.output(len(slots) + transcode.SLACK)


def text_column(case):
    """Give offsets and data of valid text, in values of some length, and the values."""
    text, values = case.text(case.length).decode(), []
    sizes = case.choose(((1,), (0, 1, 2), (0, 1, 3, 16, 40, 100)))
    while text:
        size = case.choose(sizes)
        values.append(text[:size].encode())
        text = text[size:]
    return *case.column(values, gap=case.choose((None, transcode.READ_SLACK, 200))), values


def fewer_or_more(case, most):
    """Give a width of slots: mostly that of the longest value."""
    return max(case.choose((most, most, most, most + case.below(40), most - 1)), 1)


@of("transcode.find_final_nul", "transcode.most_points", "utf8.find_invalid")
def _(case):
    if case.below(2):
        return case.column()
    return text_column(case)[:2]


@of("transcode.most_bytes")
def _(case):
    return case.column()[:1]


@of("transcode.count_points", "utf8.ascii_end", "utf8.valid_end")
def _(case):
    buf, pos, end = case.buffer(case.choose((case.bytes, case.text))(case.length), case.choose((0, 0, 1, 31, 63, 64)))
    return buf, pos, end


@of("transcode.find_leads")
def _(case):
    buf, pos, _ = case.buffer(case.bytes(64))
    return buf, pos, pos + case.below(80)


@of("transcode.read_point", "utf8.character_size")
def _(case):
    return case.buffer(case.choose(("a", "é", "€", "🪓")).encode()[: 1 + case.below(4)] + case.bytes(case.below(3)))


def slot(case, out_gap, data_gap):
    value = case.choose((case.text, case.bytes))(case.length)
    data, start, end = case.buffer(value, data_gap)
    at, count = case.below(9), sum(byte & 0xC0 != 0x80 for byte in value)
    width = case.choose((count, count, case.below(count + 1), count + case.below(40)))
    return data, start, end, case.output(at + width + out_gap, U32), at, at + width


@of("transcode.decode_slot_plainly")
def _(case):
    return slot(case, 0, 0)


@of("transcode.decode_slot")
def _(case):
    return slot(case, 15, transcode.READ_SLACK)


@of("transcode.decode_text")
def _(case):
    offsets, data, values = text_column(case)
    width = fewer_or_more(case, max((len(value.decode()) for value in values), default=1))
    return hostile_offsets(case, offsets), data, width, case.output(width * (offsets.size - 1), U32)


@of("transcode.fill_slots")
def _(case):
    offsets, data = case.column()
    width = fewer_or_more(case, int(np.diff(offsets).max(initial=1)))
    return hostile_offsets(case, offsets), data, width, case.output(width * (offsets.size - 1))


def hostile_offsets(case, offsets):
    """Give offsets that another thread may have written to."""
    if case.below(4):
        return offsets
    changed = offsets.copy()
    changed[case.below(changed.size)] = case.choose((-1, -(2**63), 2**63 - 1, 0, 200))
    return case.input(changed, I64)


@of("utf8.is_continuation")
def _(case):
    data = case.input(case.bytes(1 + case.length))
    return data, case.choose((0, case.length))


@of("utf8.block_size")
def _(case):
    buf, pos, _ = case.buffer(case.choose((case.text, case.bytes))(64))
    return buf, pos


# --- validity --------------------------------------------------------------------------------------------------------


@of("validity.is_valid", "validity.bits_before")
def _(case):
    count = 1 + case.length
    return case.bitmap(count)[0], case.choose((0, count - 1, case.below(count)))


@of("validity.load_bits")
def _(case):
    count = 1 + case.length
    return case.bitmap(count)[0], case.choose((0, count - 1, case.below(count)))


@of("validity.count_valid")
def _(case):
    return case.bitmap(case.length)[0], case.length


@of("validity.count_bits")
def _(case):
    bits = 8 * case.length
    return *case.buffer(case.bytes(case.length)), case.choose(
        (bits, max(bits - case.below(8), 0), case.below(bits + 1))
    )


@of("validity.drop_null_offsets")
def _(case):
    offsets, _ = case.column()
    validity, bits = case.bitmap(offsets.size - 1)
    return offsets, validity, case.output(sum(bits) + 1, I64)


@of("validity.drop_null_data")
def _(case):
    offsets, data = case.column()
    validity, bits = case.bitmap(offsets.size - 1)
    size = int(np.diff(offsets)[np.array(bits, bool)].sum())
    return offsets, data, validity, case.output(size)


@of("validity.spread_offsets")
def _(case):
    validity, bits = case.bitmap(case.length)
    return (
        case.offsets([b"abc"[: case.below(4)] for _ in range(sum(bits))]),
        validity,
        case.output(case.length + 1, I64),
    )


@of("validity.find_same_end", "validity.find_mixed_end")
def _(case):
    count = 1 + case.length
    return case.bitmap(count)[0], case.below(count), count


@of("validity.write_bits")
def _(case):
    start, count = case.below(64), 1 + case.length
    out = case.output(case.shift + 1 + (count + 7) // 8 + STORE_SLACK)
    return case.bitmap(start + count)[0], start, start + count, out, case.shift


@of("validity.encode_validity")
def _(case):
    count = case.choose((case.length, 8 * case.length))
    return case.bitmap(count)[0], count, case.output(case.shift + rle.hybrid_bound(count, 1)), case.shift


@of("validity.count_present")
def _(case):
    where, count = hybrid_page(case, 1)
    return *where, count


@of("validity.decode_validity")
def _(case):
    where, count = hybrid_page(case, 1)
    return *where, count, case.output((count + 7) // 8 + STORE_SLACK)


@of("validity.fill_bits")
def _(case):
    start, count = case.below(64), case.choose((case.length, 8 * case.length))
    word = case.choose((0, 2**64 - 1))
    return U64(word), count, case.output((start + count + 7) // 8 + STORE_SLACK), start


@of("validity.copy_bits")
def _(case):
    start, count = case.below(64), 1 + case.choose((case.length, 8 * case.length))
    where = case.buffer(case.bytes((count + 7) // 8))
    return *where, count, case.output((start + count + 7) // 8 + STORE_SLACK), start


@of("vector.add_up")
def _(case):
    if case.below(2):
        return case.input(case.numbers(case.length, 31), I32), case.output(case.length + 1, I64)
    offsets = case.output(case.length + 1, I64)
    return offsets[1:], offsets


# --- objects ---------------------------------------------------------------------------------------------------------

KNOWN_OBJECTS = np.array([*map(id, (str, bytes, float, np.float64, None, NotImplemented))], I64)


def make_values(case, count):
    """Give objects of one kind, with nulls, and now and then one that is no value."""
    make = case.choose((lambda: case.text(case.below(40)).decode(), lambda: case.bytes(case.below(40))))
    values = [case.choose((make(), make(), make(), None, float("nan"))) for _ in range(count)]
    if values and case.below(4) == 0:
        values[case.below(count)] = case.choose((5, object(), "\ud800", "x" * 300, b"y" * 300))
    return values


def place_of(case, values):
    """Put objects into a list or an array; give its address and stride."""
    if case.below(2):
        case.kept.append(values)
        return objects.place_of(values)
    with case.memory.switched_on():
        array = np.empty(len(values), object)
    array[:] = values
    case.kept += [values, array]
    return objects.place_of(array)


@of("objects.object_at")
def _(case):
    return *place_of(case, make_values(case, 1 + case.length)), case.choose((0, case.length))


@of("objects.find_kind")
def _(case):
    values = make_values(case, 1)
    case.kept.append(values)
    return id(values[0]), case.input(KNOWN_OBJECTS, I64)


@of("objects.find_bytes")
def _(case):
    value = case.choose((case.text(case.length).decode(), case.bytes(case.length)))
    case.kept.append(value)
    kind = objects.TEXT if isinstance(value, str) else objects.BYTES
    return id(value), kind, case.output(1 + case.shift, I64), case.shift


@of("objects.read_objects")
def _(case):
    values = make_values(case, case.length)
    texts = [value.encode(errors="replace") if isinstance(value, str) else value for value in values]
    size = sum(len(text) for text in texts if isinstance(text, bytes))
    is_valid, offsets = case.output(len(values), BOOL), case.output(len(values) + 1, I64)
    is_valid[:] = [case.below(9) > 0 for _ in values]
    start = case.below(len(values) + 1) if case.below(3) == 0 else 0
    offsets[start] = case.below(3)
    room = offsets[start] + size
    data = case.output(int(case.choose((room, room, case.below(room + 1) + 3))))
    return *place_of(case, values), start, case.input(KNOWN_OBJECTS, I64), objects.NONE, is_valid, offsets, data


def let_go(address):
    """Let an object go that a kernel has made, so that Python's own allocator looks at what lies around it."""
    if address:
        release = ctypes.pythonapi.Py_DecRef
        release.argtypes, release.restype = (ctypes.c_void_p,), None
        release(address)


@of("objects.make_ascii")
def _(case):
    case.after = let_go
    size = 2 + case.length
    buf, pos, _ = case.buffer(case.choose((case.bytes(size), b"ascii" * 41))[:size])
    return buf, pos, min(size, buf.size - pos)


@of("objects.make_text")
def _(case):
    case.after = let_go
    return *case.buffer(case.choose((case.text, case.bytes))(case.length), case.gap()), case.output(objects.POINTS, U32)


@of("objects.make_object")
def _(case):
    case.after = let_go
    where = case.buffer(case.choose((case.text, case.bytes))(case.length + case.choose((0, 100))), case.gap())
    return *where, bool(case.below(2)), case.output(objects.POINTS, U32)


@of("objects.make_objects")
def _(case):
    offsets, data, values = text_column(case)
    offsets = hostile_offsets(case, offsets)
    valid = case.input([case.below(5) > 0 for _ in values], BOOL)
    target = place_of(case, [None] * len(values))
    points = case.output(objects.POINTS, U32)
    return offsets, data, valid, bool(case.below(2)), points, case.choose((0, case.below(len(values) + 1))), *target


# --- packed_strings --------------------------------------------------------------------------------------------------


def string_array(case, values):
    """Give an array of StringDType."""
    with case.memory.switched_on():
        array = np.empty(len(values), np.dtypes.StringDType(na_object=None))
    array[:] = values
    case.kept.append(array)
    return array


@of("packed_strings.read_strings")
def _(case):
    values = [case.text(case.choose((0, 3, 15, 16, 40, 300))).decode() for _ in range(case.length)]
    values = [case.choose((value, value, None)) for value in values]
    array = string_array(case, values)
    if array.size:
        case.memory.protect(array)
        case.after = lambda _: case.memory.unprotect(array)
    text = case.text(case.below(20))
    size = sum(len(text if value is None else value.encode()) for value in values)
    offsets = case.output(len(values) + 1, I64)
    offsets[0] = case.below(3)
    room = size + int(offsets[0])
    data = case.output(case.choose((room, room, room + 16, case.below(room + 1) + 3)))
    where = FUNCTIONS, id(array.dtype), array.ctypes.data, array.strides[0]
    return *where, case.input(text), case.output(len(values), BOOL), offsets, data


@of("packed_strings.pack_strings")
def _(case):
    offsets, data, values = text_column(case)
    array = string_array(case, [""] * len(values))
    validity = case.bitmap(len(values))[0] if case.below(2) else case.input(b"")
    text = case.text(case.below(20))
    size = case.choose((len(text), -1))
    return FUNCTIONS, id(array.dtype), array.ctypes.data, offsets, data, validity, case.input(text), size


FUNCTIONS = _find_functions()
