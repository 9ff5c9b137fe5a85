"""Targets: what is compressed, Thrift's structs, and whole files: read, looked into and encoded anew."""

import io
from collections import Counter
from dataclasses import replace

import naive
import numpy as np
import parquet_file
import pyarrow as pa
import pyarrow.parquet as pq

import colcodec as cc
from colcodec.compression import Compression, DecompressionError, decompress, decompress_hadoop_lz4, find_compressor
from colcodec.parquet import RepeatedColumn, inspect, iter_column, read_column, recode, write_columns
from colcodec.parquet.footer import read_footer
from colcodec.parquet.schema import leaves
from colcodec.parquet.structs import FileMetaData, PageHeader

from . import columns
from .case import VALUE_SIZE, Case, Wrong, attempt, same
from .mutate import LARGEST, Field, listed, mutate, number, page_fields, thrift_fields

MAX_DATA_SIZE = 1 << 20
OBJECTS = 400  # bytes that a byte of a struct may become: a number is a tuple in a dict
FREE_VALUES = 1 << 24  # of a row group, whose offsets may be made whatever `max_data_size` is
LARGEST_PAGE = 1 << 31  # bytes that a page may be said to have: allocated, but not written to


def footer_start(data):
    """Find where the footer begins."""
    return max(len(data) - 8 - int.from_bytes(data[-8:-4], "little"), 4)


def page_starts(data):
    """Find the pages of a file whose pages have no gaps: where header and body of each begin, and the end."""
    pos, end = 4, footer_start(data)
    found = []
    try:
        while pos < end and len(found) < 100:
            reader = parquet_file.ThriftReader(data, pos)
            header = reader.struct()
            found.append((pos, reader.pos, reader.pos + header[3]))
            pos = found[-1][2]
    except (naive.MalformedError, IndexError, KeyError, TypeError, RecursionError):
        pass  # something else begins here
    return found


def mutate_struct(rng, data, other):
    """Change a struct."""
    return mutate(rng, data, listed(thrift_fields(data, 0), len(data)), other)


class CompressedTarget:
    """What is compressed: exactly as many bytes as are expected, or an error."""

    name = "compressed"

    def seed(self, rng):
        """Compress some bytes, which repeat or do not."""
        codec = rng.choice([*(one for one in Compression if one is not Compression.NONE), "hadoop"])
        raw = rng.randbytes(rng.randint(0, 50)) * rng.randint(0, 40)
        data = bytes(find_compressor("lz4" if codec == "hadoop" else codec)(np.frombuffer(raw, np.uint8)))
        if codec == "hadoop":
            data = len(raw).to_bytes(4, "big") + len(data).to_bytes(4, "big") + data
        return Case(self.name, {"codec": codec, "size": len(raw), "raw": raw.hex()}, data)

    def mutate(self, rng, case, other):
        """Change the bytes, or how many they should become."""
        params = case.params | {"raw": None}
        if rng.random() < 0.2:
            params["size"] = number(rng, params["size"]) % MAX_DATA_SIZE
        changed = mutate(rng, case.data, [Field("byte", i, i + 1) for i in range(min(len(case.data), 12))], other.data)
        return replace(case, params=params, data=changed)

    def check(self, case, peer):
        """Decompress, also into memory of which nothing else may be written to."""
        codec, size, raw = (case.params[name] for name in ("codec", "size", "raw"))
        page = np.frombuffer(case.data, np.uint8)
        room = np.full(size + 64, 0xA5, np.uint8)

        def call(out=None):
            try:
                if codec == "hadoop":
                    return decompress_hadoop_lz4(page, size, out)
                return decompress(page, Compression(codec), size, out)
            except DecompressionError:
                return None

        found, _ = attempt(call, size + len(case.data))
        again, _ = attempt(lambda: call(room[:size]), size + len(case.data))
        same(set(room[size:].tolist()), {0xA5}, "what is behind out")
        if raw is not None and (found is None or found.tobytes().hex() != raw):
            raise Wrong("disagreement", "what was compressed does not come back")
        same(again is None or bytes(again), found is None or bytes(found), "what is written to out")
        if found is not None:
            same(found.size, size, "size")
        return "refused" if found is None else "accepted"


class ThriftTarget:
    """Footers and page headers: structs that are the same when written and read again, or an error."""

    name = "thrift"

    def __init__(self, pool):
        self.pool = pool

    def seed(self, rng):
        """Take the footer or a header of a page of a file."""
        data = rng.choice(self.pool())
        start, end, kind = footer_start(data), len(data) - 8, "footer"
        if rng.random() < 0.5 and (pages := page_starts(data)):
            (start, end, _), kind = rng.choice(pages), "header"
        return Case(self.name, {"kind": kind}, data[start:end])

    def mutate(self, rng, case, other):
        """Change fields."""
        return replace(case, data=mutate_struct(rng, case.data, other.data))

    def check(self, case, peer):
        """Read both in the quick way and in the one that keeps all, write it, and read it again."""
        cls = FileMetaData if case.params["kind"] == "footer" else PageHeader
        allowed = OBJECTS * len(case.data)
        whole, error = attempt(lambda: cls.read(case.data), allowed)
        quick, hurried = attempt(lambda: cls.read(case.data, known=True), allowed)
        if error is None:
            struct, end = whole
            again, _ = attempt(lambda: cls.read(bytes(struct)), 2 * allowed)
            # A NaN is not equal to itself, and bytes are.
            same(bytes(again[0]), bytes(struct), "struct written again")
            if hurried is None:
                same(quick[1], end, "end")
        return "refused" if error is not None else "accepted"


class FileTarget:
    """Whole files: read at once and by row groups, looked into, encoded anew."""

    name = "file"

    def __init__(self, pool, pages):
        self.pool, self.pages = pool, pages

    def seed(self, rng):
        """Take a file of the pool, or make one around a page."""
        if rng.random() < 0.4:
            return Case(self.name, {}, rng.choice(self.pool()))
        target = self.pages[rng.choice([name for name in sorted(self.pages) if "packed" not in name])]
        page = target.seed(rng)
        return Case(self.name, {}, self._around(rng, target, page))

    def _around(self, rng, target, page):
        for _ in range(rng.randint(0, 2)):
            page = target.mutate(rng, page, page)
        is_valid = None
        count = page.params["count"] % 2**20
        if count < 1000 and rng.random() < 0.5:
            is_valid = [True] * count
            for _ in range(rng.randint(0, 3)):
                is_valid.insert(rng.randint(0, count), False)
            count = len(is_valid)
        return parquet_file.file_of(page.data, target.encoding, page.params["dtype"], count, is_valid, page.dictionary)

    def mutate(self, rng, case, other):
        """Change the footer, a page's header, its body, or any bytes."""
        data, pages = case.data, page_starts(case.data)
        how = rng.random()
        if how < 0.35:
            start = footer_start(data)
            footer = mutate_struct(rng, data[start:-8], other.data[footer_start(other.data) :])
            size = len(footer).to_bytes(4, "little") if rng.random() < 0.95 else data[-8:-4]
            data = data[:start] + footer + size + data[-4:]
        elif how < 0.65 and pages:
            start, end, _ = rng.choice(pages)
            data = data[:start] + mutate_struct(rng, data[start:end], data[start:end]) + data[end:]
        elif how < 0.9 and pages:
            _, start, end = rng.choice(pages)
            body = data[start:end]
            encoding = rng.choice(("PLAIN", "RLE_DICTIONARY", "DELTA_BYTE_ARRAY"))
            changed = mutate(rng, body, listed(page_fields(body, encoding, "binary", 300), len(body)), body)
            if rng.random() < 0.8:  # of the same size, so that nothing else is wrong
                changed = changed[: len(body)].ljust(len(body), b"\0")
            data = data[:start] + changed + data[end:]
        else:
            data = mutate(rng, data, [], other.data)
        return replace(case, data=data[:LARGEST])

    def check(self, case, peer):
        """Read all columns, and do all else that is done with files."""
        file = case.data
        claimed = sum(min(max(self._claims(file, start), 0), FREE_VALUES) for start, _, _ in page_starts(file))
        allowed = 2 * MAX_DATA_SIZE + OBJECTS * len(file) + 2 * VALUE_SIZE * claimed
        limit = {"max_data_size": MAX_DATA_SIZE, "threads": 1}
        found, error = attempt(lambda: leaves(read_footer(io.BytesIO(file), known=True).metadata), allowed)
        columns_read = {}
        names = Counter(leaf.name for leaf in found or [])
        for name in [name for name, many in names.items() if many == 1]:  # of others there is no telling which is meant
            call = lambda name=name: read_column(io.BytesIO(file), name, **limit)  # noqa: E731
            whole, error = attempt(call, allowed)
            call = lambda name=name: list(iter_column(io.BytesIO(file), name, **limit))  # noqa: E731
            parts, part_error = attempt(call, allowed)
            if (whole is None) != (parts is None) and not isinstance(error, cc.LimitError):
                raise Wrong("disagreement", f"read_column: {error!r}, iter_column: {part_error!r}")
            if whole is not None:
                columns_read[name] = values = listed_column(whole)
                same(joined(parts), values, "values by row groups")
        # What only reads leaves alone what it does not need, so that these may refuse what it accepts.
        attempt(lambda: inspect(io.BytesIO(file), pages=True), allowed + LARGEST_PAGE)
        self.check_recode(file, columns_read, allowed + LARGEST_PAGE)
        return "accepted" if columns_read else "refused"

    @staticmethod
    def _claims(file, start):
        """Tell how many values a page is said to have."""
        fields = parquet_file.ThriftReader(file, start).struct()
        counts = [fields[number].get(1) for number in (5, 7, 8) if isinstance(fields.get(number), dict)]
        return max((count for count in counts if isinstance(count, int)), default=0)

    def check_recode(self, file, columns_read, allowed):
        """Encode a file anew: its columns have the same values, or it is refused."""
        target = io.BytesIO()
        options = {"encoding": "DELTA_BYTE_ARRAY", "threads": 1}
        recoded, _ = attempt(lambda: recode(io.BytesIO(file), target, **options), 3 * allowed)
        if recoded is None:
            return
        for name, values in columns_read.items():
            same(listed_column(read_column(target, name, threads=1)), values, f"values of {name} encoded anew")


def listed_column(column):
    """List the values of a column as bytes, whether they are text or not, and its levels where it has any."""
    values = column.values if isinstance(column, RepeatedColumn) else column
    found = cc.StringColumn(values.offsets, values.data, values.validity, utf8=False).to_pylist()
    levels = [] if values is column else [*zip(column.def_levels.tolist(), column.rep_levels.tolist(), strict=True)]
    return found, levels


def joined(parts):
    """List the values and the levels of all parts of a column."""
    listed_parts = [listed_column(part) for part in parts]
    return [value for part, _ in listed_parts for value in part], [level for _, part in listed_parts for level in part]


class FilePool:
    """Legal files of several writers, made once."""

    def __init__(self, rng):
        self.rng, self.files = rng, []

    def __call__(self):
        """Give them."""
        if not self.files:
            self.files = [*self._of_colcodec(), *self._of_arrow()]
        return self.files

    def _of_colcodec(self):
        for compression in Compression:
            for encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"):
                words = columns.strings(self.rng)
                texts = columns.nulls(self.rng, [word.hex() for word in words])
                file = io.BytesIO()
                options = {"page_version": self.rng.choice((1, 2)), "row_group_size": self.rng.choice((7, 1000))}
                named = {"c": texts, "d": words, "i": np.arange(len(words))}
                write_columns(file, named, encodings={"c": encoding}, compression=compression, threads=1, **options)
                yield file.getvalue()

    def _of_arrow(self):
        for version in ("1.0", "2.0"):
            for codec in ("none", "snappy", "zstd"):
                words = columns.nulls(self.rng, [word.hex() for word in columns.strings(self.rng)])
                lists = [None if word is None else [word[:4], None, word] * (len(word) % 3) for word in words]
                fixed = columns.nulls(self.rng, columns.fixed(self.rng, 4))
                file = pa.BufferOutputStream()
                table = pa.table({"c": words, "l": lists, "s": [{"t": word} for word in words]})
                pq.write_table(table, file, compression=codec, data_page_version=version, row_group_size=50)
                yield file.getvalue().to_pybytes()
                file = pa.BufferOutputStream()
                split = {"c": self.rng.choice(("PLAIN", "BYTE_STREAM_SPLIT", "DELTA_BYTE_ARRAY"))}
                table = pa.table({"c": pa.array(fixed, pa.binary(4))})
                options = {"use_dictionary": False, "column_encoding": split, "write_page_checksum": True}
                pq.write_table(table, file, compression=codec, data_page_version=version, **options)
                yield file.getvalue().to_pybytes()
