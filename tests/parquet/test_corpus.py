"""All files of the shared corpus: the values that pyarrow, or another reader, found in them, or an error of the file.

``PYTHONPATH=.:tests python tests/parquet/test_corpus.py`` says what became of each.
"""

import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import battery
import conftest
import pytest

import colcodec as cc
from colcodec import ColcodecError, StringColumn
from colcodec.parquet import RepeatedColumn, iter_column, read_column
from colcodec.parquet.byte_arrays import read_levels
from colcodec.parquet.footer import read_footer
from colcodec.parquet.pages import read_chunk, read_data_page, walk
from colcodec.parquet.schema import column_metadata, leaves
from colcodec.parquet.structs import PhysicalType, Repetition

CORPUS = conftest.SHARED / "corpus"
LARGEST = (
    10**9 if conftest.JIT else 10_000
)  # bytes of a file: without the compiler a value takes a thousand times longer

# pyarrow reads a chunk that goes on into the footer, where the format has none.
REFUSED = {"clusterfuzz-testcase-minimized-parquet-arrow-fuzz-5068991573000192"}


class Case(NamedTuple):
    """A file, and by name the columns that somebody could read: what is in them."""

    path: Path
    columns: dict

    @property
    def kind(self):
        """Name the folder: data, bad_data, fuzzing."""
        return self.path.relative_to(CORPUS).parts[-2]


class Read(NamedTuple):
    """What came out of a file: of each column of byte arrays its slots, or the error."""

    error: ColcodecError | None
    columns: list


def cases():
    """List the files of the corpus."""
    index = json.loads((CORPUS / "expected" / "INDEX.json").read_text())
    found = [(CORPUS / entry["file"], json.loads((CORPUS / entry["expected"]).read_text())) for entry in index]
    return [Case(path, expected["columns"]) for path, expected in found if path.stat().st_size <= LARGEST]


def slot_level(schema, path):
    """Find the definition level from which there is a slot: that of the innermost list."""
    level = slot = 0
    position = 1
    for name in path:
        while schema[position].name.decode("utf-8", "backslashreplace") != name:
            position = next_sibling(schema, position)
        level += schema[position].repetition_type != Repetition.REQUIRED
        if schema[position].repetition_type == Repetition.REPEATED:
            slot = level
        position += 1
    return slot


def next_sibling(schema, position):
    """Step over an element of the schema and all in it."""
    end = position + 1
    for _ in range(schema[position].num_children or 0):
        end = next_sibling(schema, end)
    return end


def raw_values(column):
    """Give values as bytes, whether they are UTF-8 or not."""
    return StringColumn(column.offsets, column.data, column.validity, utf8=False).to_pylist()


def slots(column, leaf, schema):
    """Give the values of a column, None for those that are null; empty lists have no slot."""
    if not isinstance(column, RepeatedColumn):
        return raw_values(column)
    values = iter(raw_values(column.values))
    least = slot_level(schema, leaf.path)
    there = [level for level in column.def_levels.tolist() if level >= least]
    found = [next(values) if level == leaf.max_definition_level else None for level in there]
    assert next(values, None) is None
    return found


def read(path):
    """Read each column of byte arrays of a file."""
    try:
        with path.open("rb") as file:
            metadata = read_footer(file).metadata
        found = leaves(metadata)
    except ColcodecError as error:
        return Read(error, [])
    columns = []
    for leaf in found:
        if leaf.type in (PhysicalType.BYTE_ARRAY, PhysicalType.FIXED_LEN_BYTE_ARRAY):
            try:
                columns.append((leaf, slots(read_column(path, leaf.name), leaf, metadata.schema)))
            except ColcodecError as error:
                columns.append((leaf, error))
    return Read(None, columns)


def digest(values):
    """Hash values as the corpus does."""
    canonical = (b"\0" if value is None else b"\1" + len(value).to_bytes(4, "little") + value for value in values)
    return hashlib.sha256(b"".join(canonical)).hexdigest()


def fault(values, leaf, expected):
    """Say what is wrong with the slots of a column, if anything."""
    if isinstance(values, ColcodecError):
        return f"refused: {values}"
    if leaf.logical_type == "DECIMAL":  # the corpus has their integers as text
        values = [
            None if value is None else str(int.from_bytes(value, "big", signed=True)).encode() for value in values
        ]
    if (len(values), values.count(None)) != (expected["n"], expected["null_count"]):
        return f"{len(values)} values, {values.count(None)} of them null"
    if sum(len(value) for value in values if value is not None) != expected["total_bytes"]:
        return "other values"
    validity = "".join("0" if value is None else "1" for value in values)
    if expected.get("validity", validity) != validity:
        return "other nulls"
    return None if digest(values) == expected["sha256_canonical"] else "other values"


def faults(case, outcome):
    """Say what is wrong with what came out of a file, by column."""
    if outcome.error is not None:
        return {"": f"refused: {outcome.error}"} if case.columns else {}
    if not case.columns:
        return {}
    assert len(case.columns) == len(outcome.columns)  # in the order of the schema; names of lists are not the file's
    of_each = zip(case.columns.items(), outcome.columns, strict=True)
    return {
        name: found
        for (name, expected), (leaf, values) in of_each
        if (found := fault(values, leaf, expected)) is not None
    }


@pytest.fixture(scope="module")
def outcomes(shared):
    """Read every file: the cases, and what came out of them."""
    with battery.limited_memory():
        return [(case, read(case.path)) for case in cases()]


def reason(error):
    """Say why a column or a file is refused, without what differs from one to the next."""
    message = re.sub(r"^(column '.*?'(, row group \d+)?|page( at byte)? \d+): ", "", str(error), flags=re.DOTALL)
    message = re.sub(r"^((data |dictionary )?page( at byte)? \d+|\w+ at byte \d+): ", "", message)
    return re.sub(r"column \w+|b?'[^' ]*'|-?\d+", "#", message)


def summary(outcomes):
    """Say how many files and columns were read, and why the others were not."""
    whole = sum(outcome.error is None for _, outcome in outcomes)
    columns = [values for _, outcome in outcomes for _, values in outcome.columns]
    refused = [values for values in columns if isinstance(values, ColcodecError)]
    lines = [f"{len(outcomes)} files: {whole} read, {len(outcomes) - whole} refused:"]
    lines += counted(outcome.error for _, outcome in outcomes if outcome.error is not None)
    lines.append(f"{len(columns)} columns of byte arrays: {len(columns) - len(refused)} read, {len(refused)} refused:")
    return "\n".join([*lines, *counted(refused), ""])


def counted(errors):
    """List errors with how many there are of each kind."""
    counts = Counter(f"{type(error).__name__}: {reason(error)}" for error in errors)
    return [f"  {count:3} {what}" for what, count in counts.most_common()]


def test_values_are_those_that_others_found(outcomes):
    """Of every column that pyarrow, or arrow-rs where pyarrow cannot, reads: count, nulls and each byte."""
    wrong = {case.path.name: found for case, outcome in outcomes if (found := faults(case, outcome))}
    assert wrong.keys() <= REFUSED, wrong
    assert sum(bool(case.columns) for case, _ in outcomes) > 20
    assert summary(outcomes).startswith(f"{len(outcomes)} files: ")


def test_ordinary_files_are_read(outcomes):
    """Whatever is not made to be wrong is read whole, columns included that the corpus has no values of."""
    refused = [
        (case.path.name, leaf.name, values)
        for case, outcome in outcomes
        for leaf, values in [(None, outcome.error), *outcome.columns]
        if case.kind not in ("fuzzing", "encoding-fuzzing", "bad_data") and isinstance(values, ColcodecError)
    ]
    assert not refused


def test_errors_say_where(outcomes):
    """A column that is refused is named, but where the footer cannot be read at all."""
    for case, outcome in outcomes:
        for leaf, values in outcome.columns:
            if isinstance(values, ColcodecError):
                assert str(values).startswith((f"column {leaf.name!r}", "FileMetaData at byte 0: ")), case
                assert len(str(values)) < 400 + len(leaf.name)


def page_faults(path):
    """Walk through the pages of every column of any type: where a page, or its levels, are not in order."""
    found = set()
    with path.open("rb") as file:
        footer = read_footer(file)
        for leaf in leaves(footer.metadata):
            for row_group in footer.metadata.row_groups:
                try:
                    chunk = read_chunk(file, column_metadata(row_group, leaf), footer)
                    pages = [page for page in walk(chunk) if page.data_header is not None]
                    for page in pages:
                        read_levels(read_data_page(page, chunk, leaf), leaf, 1 << 30)
                    assert sum(page.num_values for page in pages) == chunk.num_values
                except ColcodecError:
                    found.add(leaf.name)
    return found


BAD = {
    "ARROW-GH-41321.parquet": {"int64", "large_binary", "fixed_size_list_float64.list.item"},  # too few levels
    "ARROW-GH-41317.parquet": {"timestamp_us_no_tz"},  # too few values
    "ARROW-RS-GH-6229-LEVELS.parquet": {"outer.list.item.c"},  # too many
}


def test_pages_of_all_types(shared):
    """E1, E16, F13, G2, G6, G11: pages and levels of columns of any type are in order, but for those made not to be."""
    paths = [case.path for case in cases() if case.kind not in ("fuzzing", "encoding-fuzzing")]
    wrong = {path.name: found for path in paths if (found := page_faults(path))}
    assert wrong == {name: found for name, found in BAD.items() if any(path.name == name for path in paths)}


@pytest.mark.parametrize("threads", [1, 3])
def test_a_row_group_at_a_time(shared, threads):
    """Row groups are the column, and so is the column read by several threads."""
    for case in cases():
        if case.kind == "data":
            for leaf, values in read(case.path).columns:
                parts = iter_column(case.path, leaf.name, threads=threads)
                with case.path.open("rb") as file:
                    schema = read_footer(file).metadata.schema
                assert [slot for part in parts for slot in slots(part, leaf, schema)] == values


def test_checksums(shared):
    """I16: checksums are held against pages, those of dictionaries too, if asked for; and only then."""
    folder = CORPUS / "parquet-testing" / "data"
    for name in ("plain-dict-uncompressed-checksum", "rle-dict-snappy-checksum"):
        path = folder / f"{name}.parquet"
        assert read_column(path, "binary_field", check_crc=True) == read_column(path, "binary_field")
    path = folder / "rle-dict-uncompressed-corrupt-checksum.parquet"
    assert len(read_column(path, "binary_field")) == 1000
    with pytest.raises(cc.MalformedFileError, match="checksum"):
        read_column(path, "binary_field", check_crc=True)


if __name__ == "__main__":
    sys.stdout.write(summary([(case, read(case.path)) for case in cases()]))
