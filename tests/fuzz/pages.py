"""Targets: pages of every encoding, read at once and in batches; and levels."""

from dataclasses import replace

import battery
import naive
import numpy as np

import colcodec as cc
from colcodec.encodings import rle_dictionary

from . import columns
from .case import VALUE_SIZE, Case, Wrong, attempt, same
from .mutate import hybrid_fields, listed, mutate, number, page_fields

MAX_DATA_SIZE = 1 << 20
MOST_FOR_NAIVE = 1 << 14  # values; of more it is only looked at whether the bounds hold
CANARY = 0xA5


def spliced(rng, case, other, fields):
    """Mutate a case's bytes, splicing them with those of another case."""
    return replace(case, data=mutate(rng, case.data, listed(fields, len(case.data)), other.data))


class PageTarget:
    """Pages of one encoding: as `naive` has them, or refused as it refuses them."""

    def __init__(self, encoding, dtypes):
        self.encoding, self.dtypes = encoding, dtypes
        self.name = f"{encoding}{'-FIXED' * (isinstance(dtypes[0], int) and encoding != 'BYTE_STREAM_SPLIT')}".lower()

    def seed(self, rng):
        """Make a legal page."""
        dtype = rng.choice(self.dtypes)
        params = {"dtype": dtype, "limit": MAX_DATA_SIZE}
        if self.encoding == "RLE_DICTIONARY":
            values = columns.strings(rng) if dtype == "binary" else columns.fixed(rng, dtype)
            data, dictionary = naive.encode_rle_dictionary(values)
            if rng.random() < 0.5:
                width = rng.choice((data[0], rng.randint(0, 32)))
                data, total = columns.runs(rng, width)
                data, values = bytes([width]) + data, [None] * total
            params["dictionary"] = [word.hex() for word in dictionary]
        else:
            if dtype in naive.BITS:
                values = columns.integers(rng, naive.BITS[dtype])
            else:
                values = columns.strings(rng) if dtype == "binary" else columns.fixed(rng, dtype)
            data = naive.encode(values, self.encoding, dtype, columns.liberties(rng))
        return Case(self.name, params | {"count": len(values)}, data)

    def mutate(self, rng, case, other):
        """Change the page, or what is known of it."""
        if rng.random() < 0.85:
            count, dtype = case.params["count"], case.params["dtype"]
            return spliced(rng, case, other, page_fields(case.data, self.encoding, dtype, min(count, MOST_FOR_NAIVE)))
        params = dict(case.params)
        if rng.random() < 0.7:
            params["count"] = number(rng, params["count"]) % 2**31
        else:
            params["limit"] = rng.choice((0, 1, 100, 1000, MAX_DATA_SIZE))
        return replace(case, params=params)

    def expected(self, case):
        """Give what naive finds, or None where it refuses the page."""
        count, limit = case.params["count"], case.params["limit"]
        try:
            if self.encoding != "RLE_DICTIONARY":
                return naive.decode(case.data, self.encoding, count, case.params["dtype"], limit)
            decoded = naive.decode_rle_dictionary(case.data, count, case.words)
        except naive.MalformedError:
            return None
        return decoded if sum(map(len, decoded.values)) <= limit else None

    def check(self, case, peer):
        """Decode a page in all ways there are."""
        count, limit = case.params["count"], case.params["limit"]
        allowed = limit + len(case.data) + VALUE_SIZE * count + len(str(case.params))
        known = told(case, self.encoding)
        found, error = attempt(lambda: cc.decode(case.data, **known), allowed)
        if error is not None and not isinstance(error, cc.MalformedPageError):
            raise Wrong("error", f"a page is refused with {error!r}")
        if error is not None and not 0 <= error.position <= len(case.data):
            raise Wrong("error", f"a position outside the page: {error!r}")
        if count > MOST_FOR_NAIVE:
            return "refused" if found is None else "accepted"
        expected = self.expected(case)
        if error is not None:
            # What is likely to be a bomb of empty values is refused for what their offsets would take.
            if expected is not None and not (isinstance(error, cc.LimitError) and 8 * count > limit):
                raise Wrong("disagreement", f"naive accepts it, colcodec does not: {error!r}")
            peer.page(case, self.encoding, None)
            return "refused"
        if expected is None:
            raise Wrong("disagreement", "naive refuses it, colcodec does not")
        same(battery.as_list(found), expected.values, "values")
        same(self.consumed(case), expected.consumed, "bytes consumed")
        self.check_out(case, known, expected.values, allowed)
        peer.page(case, self.encoding, expected.values)
        return "accepted"

    def consumed(self, case):
        """Count the bytes that are read."""
        count, dtype = case.params["count"], case.params["dtype"]
        if self.encoding != "RLE_DICTIONARY":
            return battery.consumed(case.data, self.encoding, count, dtype)
        known = rle_dictionary.known_of_column(cc.column(case.words))
        return rle_dictionary.decode(np.frombuffer(case.data, np.uint8), count, known).consumed

    def check_out(self, case, known, values, allowed):
        """Decode into arrays of the caller, of which nothing else may be written to, and without a copy."""
        if known.get("dtype") in naive.BITS:
            room = np.full(len(values) + 4, CANARY, known["dtype"])
            attempt(lambda: cc.decode(case.data, **known, out=room[: len(values)]), allowed)
            same((room[: len(values)].tolist(), set(room[len(values) :].tolist())), (values, {CANARY}), "values in out")
            return
        size, _ = attempt(lambda: cc.decoded_size(case.data, **known), allowed)
        needed = sum(map(len, values))
        if self.encoding != "PLAIN":
            same(size, needed, "size")
        elif not needed <= size <= len(case.data):  # the lengths of PLAIN are read once, by decode itself
            raise Wrong("disagreement", f"a size of {size} bytes, {needed} needed")
        offsets, data = np.full(len(values) + 5, CANARY, np.int64), np.full(size + 64, CANARY, np.uint8)
        out = offsets[: len(values) + 1], data[:size]
        found, _ = attempt(lambda: cc.decode(case.data, **known, out=out), allowed)
        same(found.to_pylist(), values, "values in out")
        same({*offsets[len(values) + 1 :].tolist(), *data[size:].tolist()}, {CANARY}, "what is behind out")
        found, _ = attempt(lambda: cc.decode(case.data, **known, copy=False), allowed)
        same(found.to_pylist(), values, "values that are not copied")


def told(case, encoding):
    """Give what colcodec has to be told of a page."""
    params = case.params
    known = {"encoding": encoding, "num_values": params["count"], "max_data_size": params["limit"]}
    if "dictionary" in params:
        known["dictionary"] = cc.column(case.words)
        return known | ({"type_length": params["dtype"]} if isinstance(params["dtype"], int) and case.words else {})
    return known | battery.told(params["dtype"])


class BatchTarget:
    """Pages of all encodings read some values at a time: what `decode` gives, whatever the sizes of the batches."""

    name = "batches"

    def __init__(self, targets):
        self.targets = targets

    def seed(self, rng):
        """Make a legal page, and steps of reading or skipping."""
        target = rng.choice(sorted(self.targets))
        return self._wrapped(target, self.targets[target].seed(rng), rng)

    def _wrapped(self, target, case, rng):
        steps = [[rng.random() < 0.7, rng.choice((0, 1, 2, 7, 8, 31, 32, 33, 127, 128, 129, 1000))] for _ in range(6)]
        return Case(self.name, {"page": target, "steps": steps, "inner": case.params}, case.data)

    def mutate(self, rng, case, other):
        """Change the page as its own target does."""
        target = case.params["page"]
        inner = self.targets[target].mutate(rng, Case(target, case.params["inner"], case.data), other)
        return self._wrapped(target, inner, rng)

    def check(self, case, peer):
        """Read in steps, and the rest at once."""
        target = self.targets[case.params["page"]]
        params = case.params["inner"]
        known = told(Case(target.name, params, case.data), target.encoding)
        if params["count"] > MOST_FOR_NAIVE:
            return "refused"
        allowed = 2 * params["limit"] + len(case.data) + 2 * VALUE_SIZE * params["count"] + len(str(case.params))
        whole, _ = attempt(lambda: cc.decode(case.data, **known), allowed)
        steps = [*case.params["steps"], [True, params["count"]]]
        parts, error = attempt(lambda: list(read_steps(case.data, known, steps)), allowed)
        if whole is None:
            if error is None and all(read for read, _ in steps):
                raise Wrong("disagreement", "decode refuses the page, PageReader does not")
            return "refused"
        if error is not None:
            raise Wrong("disagreement", f"decode accepts the page, PageReader does not: {error!r}")
        values = battery.as_list(whole)
        for start, size, part in parts:
            same(part, values[start : start + size], f"values from {start} on")
        return "accepted"


def read_steps(data, known, steps):
    """Read or skip so many values in turn: yield where each batch starts, its size and its values."""
    reader = cc.PageReader(data, **known)
    for read, size in steps:
        start = reader.position
        if read:
            yield start, size, battery.as_list(reader.read(size))
        else:
            reader.skip(size)


class LevelsTarget:
    """Levels of pages of both versions, and as bitmaps."""

    name = "levels"

    def seed(self, rng):
        """Make legal levels, or at least legal runs."""
        version, most = rng.choice((1, 2)), rng.choice((0, 1, 1, 1, 2, 3, 4, 7, 8, 255, 256, 2**15 - 1))
        if rng.random() < 0.5:
            levels = [rng.choice((0, most, most, rng.randint(0, most))) for _ in range(columns.count(rng))]
            data, count = naive.encode_levels(levels, most, version), len(levels)
        else:
            data, count = columns.runs(rng, most.bit_length())
            data = len(data).to_bytes(4, "little") + data if version == 1 else data
        return Case(self.name, {"version": version, "most": most, "count": count}, data)

    def mutate(self, rng, case, other):
        """Change the levels, or how many there are."""
        if rng.random() < 0.15:
            return replace(case, params=case.params | {"count": number(rng, case.params["count"]) % 2**31})
        start = 4 if case.params["version"] == 1 else 0
        changed = spliced(rng, case, other, hybrid_fields(case.data, start, case.params["most"].bit_length()))
        if start and rng.random() < 0.7:
            body = changed.data[start:]
            changed = replace(changed, data=len(body).to_bytes(4, "little") + body)
        return changed

    def check(self, case, peer):
        """Decode levels, and those of optional columns to a bitmap as well."""
        count, most, version = (case.params[name] for name in ("count", "most", "version"))
        limit = {"page_version": version, "max_data_size": MAX_DATA_SIZE}
        allowed = MAX_DATA_SIZE + len(case.data) + VALUE_SIZE * min(count, MAX_DATA_SIZE)
        found, error = attempt(lambda: cc.decode_levels(case.data, count, most, **limit), allowed)
        bitmap, no_bitmap = attempt(lambda: cc.decode_validity(case.data, count, **limit), allowed)
        if count > MOST_FOR_NAIVE:
            return "accepted" if error is None else "refused"
        try:
            expected = naive.decode_levels(case.data, count, most, version)
        except naive.MalformedError:
            if error is None or (most == 1 and no_bitmap is None):
                raise Wrong("disagreement", "naive refuses it, colcodec does not") from None
            return "refused"
        if error is not None or (most == 1 and no_bitmap is not None):
            raise Wrong("disagreement", f"naive accepts it, colcodec does not: {error!r} {no_bitmap!r}")
        same((found.levels.tolist(), found.consumed), tuple(expected), "levels and bytes consumed")
        if most == 1:
            bits = np.ones(count, int)
            if bitmap.validity is not None:
                bits = np.unpackbits(bitmap.validity, count=count, bitorder="little")
            same((bits.tolist(), bitmap.null_count), (expected.values, expected.values.count(0)), "bitmap")
        return "accepted"


PAGE_TARGETS = [
    *(PageTarget(encoding, ("binary",)) for encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY")),
    *(PageTarget(encoding, columns.TYPE_LENGTHS) for encoding in ("PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT")),
    PageTarget("DELTA_BINARY_PACKED", ("int32", "int64")),
    PageTarget("RLE_DICTIONARY", ("binary", *columns.TYPE_LENGTHS[:3])),
]
