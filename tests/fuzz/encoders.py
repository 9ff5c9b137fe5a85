"""Targets: columns of any values, encoded and decoded; columns of any buffers; and conversions."""

from dataclasses import replace

import naive
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import colcodec as cc

from . import columns
from .case import VALUE_SIZE, Case, Wrong, attempt, same
from .mutate import Field, mutate, number

ENCODINGS = ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY")


def column_of(case):
    """Give the values of a case: its bytes, cut into the lengths that it has; -1 is a null."""
    values, pos = [], 0
    for length in case.params["lengths"]:
        values.append(None if length < 0 else case.data[pos : pos + length])
        pos += max(length, 0)
    return values


def column_case(name, values, **params):
    """Make a case of values."""
    lengths = [-1 if value is None else len(value) for value in values]
    return Case(name, params | {"lengths": lengths}, b"".join(value for value in values if value is not None))


class EncodeTarget:
    """Columns of byte strings: the pages that `naive` has of them, at once and in batches, and back."""

    name = "encode"

    def seed(self, rng):
        """Make a column."""
        batch = rng.choice((1, 3, 8, 33, 1000))
        if rng.random() < 0.3:
            length = rng.choice(columns.TYPE_LENGTHS)
            encoding = rng.choice(("PLAIN", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"))
            values = columns.fixed(rng, length)
        else:
            length, encoding, values = None, rng.choice(ENCODINGS), columns.strings(rng)
        return column_case(self.name, columns.nulls(rng, values), encoding=encoding, length=length, batch=batch)

    def mutate(self, rng, case, other):
        """Change lengths or bytes; the lengths that remain are those of a column."""
        lengths = list(case.params["lengths"])
        if lengths and rng.random() < 0.5:
            lengths[rng.randrange(len(lengths))] = rng.choice((-1, 0, 1, rng.randint(0, 300)))
        if rng.random() < 0.3:
            lengths = (lengths * 3)[: rng.choice((33, 129, 257))]
        return replace(case, params=case.params | {"lengths": lengths}, data=mutate(rng, case.data, [], other.data))

    def check(self, case, peer):
        """Encode, compare, decode."""
        values, encoding, length = column_of(case), case.params["encoding"], case.params["length"]
        present = [value for value in values if value is not None]
        allowed = 8 * (len(case.data) + VALUE_SIZE * len(values)) + 4096
        known = {} if length is None else {"type_length": length}
        page, error = attempt(lambda: cc.encode(values, encoding, **known), allowed)
        if length is not None and any(len(value) != length for value in present):
            if not isinstance(error, cc.InvalidColumnError):
                raise Wrong("disagreement", f"a value of another length than {length} gives {error!r}")
            return "refused"
        if error is not None:
            raise Wrong("error", repr(error))
        if encoding == "RLE_DICTIONARY":
            data, dictionary = naive.encode_rle_dictionary(present)
            same(page.dictionary.data.tobytes(), naive.encode(dictionary, "PLAIN", length or "binary"), "dictionary")
        else:
            data = naive.encode(present, encoding, "binary" if length is None else length)
        same(page.data.tobytes(), data, "page")
        back, _ = attempt(lambda: cc.decode(page), allowed)
        same(back.to_pylist(), values, "values")
        self.check_batches(case, values, known, page)
        return "accepted"

    def check_batches(self, case, values, known, page):
        """Write a page in batches, or several pages at once: the same values, and of one page the same bytes."""
        encoding, size = case.params["encoding"], case.params["batch"]
        writer = cc.PageWriter(encoding, dtype="binary", **known)
        for start in range(0, len(values), size):
            writer.write(values[start : start + size])
        announced = writer.size
        written = writer.finish()
        same((written.data.tobytes(), announced), (page.data.tobytes(), page.nbytes), "page in batches")
        pages = cc.encode_pages(values, encoding, rows_per_page=max(size, 3), threads=1, **known)
        same(cc.decode_pages(pages, threads=1).to_pylist() if pages else [], values, "values of pages")


class IntegersTarget:
    """Integers of both sizes: the pages that `naive` has of them, and back."""

    name = "encode-integers"

    def seed(self, rng):
        """Make integers."""
        dtype = rng.choice(sorted(naive.BITS))
        return Case(self.name, {"dtype": dtype}, np.array(columns.integers(rng, naive.BITS[dtype]), dtype).tobytes())

    def mutate(self, rng, case, other):
        """Change some."""
        size = naive.BITS[case.params["dtype"]] // 8
        fields = [Field("body", i, i + size) for i in range(0, len(case.data) - size + 1, size)]
        return replace(case, data=mutate(rng, case.data, fields, other.data))

    def check(self, case, peer):
        """Encode, compare, decode; in batches too."""
        dtype = np.dtype(case.params["dtype"])
        values = np.frombuffer(case.data[: len(case.data) // dtype.itemsize * dtype.itemsize], dtype)
        page, error = attempt(
            lambda: cc.encode(values, "DELTA_BINARY_PACKED"), 4 * len(case.data) + VALUE_SIZE * values.size + 1024
        )
        if error is not None:
            raise Wrong("error", repr(error))
        same(page.data.tobytes(), naive.encode(values.tolist(), "DELTA_BINARY_PACKED", dtype.name), "page")
        same(cc.decode(page).tolist(), values.tolist(), "values")
        writer = cc.PageWriter("DELTA_BINARY_PACKED", dtype=dtype.name)
        for start in range(0, values.size, 29):
            writer.write(values[start : start + 29])
        same(writer.finish().data.tobytes(), page.data.tobytes(), "page in batches")
        return "accepted"


class BuffersTarget:
    """A column of any offsets, bytes and bitmap, as a caller may have them: refused, or right."""

    name = "buffers"

    def seed(self, rng):
        """Make legal buffers."""
        values = columns.strings(rng)
        offsets = np.cumsum([rng.choice((0, 0, 3)), *map(len, values)]).tolist()
        bitmap = rng.choice((None, rng.randbytes((len(values) + 7) // 8).hex()))
        dtype = rng.choice(("int64", "int32", "uint64", "object"))
        return Case(self.name, {"offsets": offsets, "bitmap": bitmap, "dtype": dtype}, bytes(3) + b"".join(values))

    def mutate(self, rng, case, other):
        """Change an offset, the bitmap's size or the bytes."""
        params, data = dict(case.params), case.data
        offsets = list(params["offsets"])
        how = rng.randrange(4)
        if how < 2 and offsets:
            at = rng.randrange(len(offsets))
            offsets[at] = min(number(rng, abs(offsets[at])), 2**63 - 1) * rng.choice((1, 1, -1))
        elif how == 2:
            data = data[: rng.randint(0, len(data))]
        elif params["bitmap"] is not None:
            params["bitmap"] = params["bitmap"][: 2 * rng.randint(0, 3)]
        else:
            del offsets[rng.randint(0, len(offsets)) :]
        return replace(case, params=params | {"offsets": offsets}, data=data)

    def check(self, case, peer):
        """Make the column, and encode and show it where that succeeds."""
        offsets, bitmap = case.params["offsets"], case.params["bitmap"]
        legal = (
            len(offsets) > 0
            and all(before <= after for before, after in zip([0, *offsets], [*offsets, len(case.data)], strict=True))
            and (bitmap is None or 4 * len(bitmap) >= len(offsets) - 1)
        )
        dtype = case.params["dtype"]
        if dtype != "object" and any(not np.iinfo(dtype).min <= one <= np.iinfo(dtype).max for one in offsets):
            dtype = "object"
        validity = None if bitmap is None else np.frombuffer(bytes.fromhex(bitmap), np.uint8)
        given = offsets if dtype == "object" else np.array(offsets, dtype)
        allowed = 8 * (len(case.data) + VALUE_SIZE * len(offsets))
        column, error = attempt(lambda: cc.StringColumn(given, case.data, validity, utf8=False), allowed)
        if legal != (error is None):
            raise Wrong("disagreement", f"buffers that are {'legal' if legal else 'no column'} give {error!r}")
        if error is not None:
            return "refused"
        bits = [1] * len(column) if validity is None else np.unpackbits(validity, bitorder="little")
        values = [case.data[offsets[i] : offsets[i + 1]] if bits[i] else None for i in range(len(offsets) - 1)]
        same(column.to_pylist(), values, "values")
        for encoding in ENCODINGS:
            page, _ = attempt(lambda encoding=encoding: cc.encode(column, encoding), allowed + 1024)
            same(cc.decode(page).to_pylist(), values, encoding)
        return "accepted"


class ConvertTarget:
    """Columns in the forms of NumPy, Arrow, pandas and polars, from bytes that may be no text."""

    name = "convert"

    def seed(self, rng):
        """Make a column of text, with nulls."""
        some = [
            rng.choice(("", "a", "axis", "ä", "語言", "🎈x", "\0", "b" * 20, "é" * 9))
            for _ in range(columns.count(rng))
        ]
        texts = ["".join(rng.choices(some, k=rng.randint(0, 3))).encode() for _ in some]
        return column_case(self.name, columns.nulls(rng, texts))

    mutate = EncodeTarget.mutate

    def check(self, case, peer):
        """Take the values in all forms, and give them back in all."""
        values = column_of(case)
        allowed = 64 * (len(case.data) + VALUE_SIZE * len(values)) + (1 << 20)  # Python's objects
        binary, _ = attempt(lambda: cc.column(values), allowed)
        same(binary.to_pylist(), values, "bytes")
        same(cc.column(binary.to_arrow()).to_pylist(), values, "bytes by Arrow")
        same(cc.column(pa.array(values, pa.binary())).to_pylist(), values, "binary of Arrow")
        self.check_dictionary(values)
        text = cc.StringColumn(binary.offsets, binary.data, binary.validity)
        try:
            expected = [None if value is None else value.decode() for value in values]
        except UnicodeDecodeError:
            _, error = attempt(text.validate, allowed)
            _, unshown = attempt(text.to_pylist, allowed)
            for refused in (error, unshown):
                if not isinstance(refused, cc.InvalidColumnError):
                    raise Wrong("disagreement", f"what is no UTF-8 gives {refused!r}") from None
            return "refused"
        attempt(text.validate, allowed)
        same(text.to_pylist(), expected, "text")
        self.check_text(text, expected)
        return "accepted"

    def check_dictionary(self, values):
        """Go by way of a dictionary."""
        page = cc.encode(values, "RLE_DICTIONARY")
        indices = cc.decode_indices(page)
        same(cc.column(indices).to_pylist(), values, "indices")
        same(indices.to_arrow().to_pylist(), values, "indices to Arrow")

    def check_text(self, text, expected):
        """Take text in all forms and give it back."""
        without_nulls = [value or "" for value in expected]
        for form in (
            expected,
            np.array(expected, object),
            np.array(expected, np.dtypes.StringDType(na_object=None)),
            pa.array(expected, pa.string()),
            pa.array(expected, pa.string_view()),
            pl.Series(expected, dtype=pl.String),
            pd.Series(expected, dtype="string"),
        ):
            same(cc.column(form).to_pylist(), expected, f"from {type(form)}")
        bare = [value.rstrip("\0") for value in without_nulls]
        if without_nulls:
            same(cc.column(np.array(without_nulls, "U")).to_pylist(), bare, "from U")
        if bare == without_nulls:  # NULs at the end are padding there
            same(text.to_numpy("U", fill="").tolist(), bare, "to U")
        same(text.to_numpy("O").tolist(), expected, "to O")
        same(text.to_numpy("T").tolist(), expected, "to T")
        same(text.to_arrow().to_pylist(), expected, "to Arrow")
        same(text.to_polars().to_list(), expected, "to polars")


ENCODER_TARGETS = [EncodeTarget(), IntegersTarget(), BuffersTarget(), ConvertTarget()]
