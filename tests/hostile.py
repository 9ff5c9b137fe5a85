"""Hostile pages and files, each with what it must yield, and within which time and memory.

``python tests/hostile.py`` runs them all, and prints a table. Pages are those of ``../shared/corpus/hostile.py``; files
are those of ``hostile_files.py``, and the bad ones of ``../shared/corpus``.
"""

import base64
import hashlib
import io
import json
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import conftest  # before anything imports Numba

# isort: split
import battery
import hostile_files
import numpy as np

import colcodec as cc
from colcodec._arrays import LARGE, SPARE
from colcodec._checks import MESSAGES
from colcodec._kernels.rle import check_runs, decode_hybrid
from colcodec.encodings import rle_dictionary
from colcodec.parquet.footer import read_footer
from colcodec.parquet.schema import leaves

DTYPES = {"BYTE_ARRAY": "binary", "INT32": "int32", "INT64": "int64", "FIXED_LEN_BYTE_ARRAY": None}

MAX_DATA_SIZE = 1 << 16
"""Bytes of values that a case may have, if it does not say so itself."""

FOREIGN = "arrow-testing/data/parquet/encoding-fuzzing"

MAX_SECONDS = 1  # of the processor: the machine may be busy with other tests
BYTES_BESIDE_VALUE = 16
OBJECTS = 1 << 16
"""Bytes of Python's own objects: an error, its traceback, columns and pages."""

FILE_OBJECTS = 4 << 20
"""The same for files: modules of codecs, structs of the footer, and what is told of each page."""


class Case(NamedTuple):
    """What is decoded, and what must come of it.

    Parameters
    ----------
    name : str
        What it is called.
    size : int
        Bytes of input.
    allowed : int
        The most bytes of memory that may be taken.
    decode : callable
        Does what is measured.
    fault : callable
        Says what is wrong with what `decode` gave, or with the error that it raised; None where nothing is.
    """

    name: str
    size: int
    allowed: int
    decode: Callable[[], Any]
    fault: Callable[[Any], str | None]


class Outcome(NamedTuple):
    """What came of a case: what is wrong with it, if anything, and what it took."""

    name: str
    fault: str | None
    seconds: float
    memory: int


def run(case: Case) -> Outcome:
    """Run a case; what takes too much is run again, for kernels are compiled when they are first used."""
    for _ in range(2):
        crash = None
        with battery.measured() as cost:
            try:
                result = case.decode()
            except cc.ColcodecError as error:
                result = error
            except Exception as error:
                crash = f"crash: {type(error).__name__}: {error}"
        if cost.seconds < MAX_SECONDS and cost.memory <= case.allowed:
            break
    fault = crash or case.fault(result)
    if fault is None and cost.seconds > MAX_SECONDS and conftest.JIT:
        fault = f"{cost.seconds:.1f} s"
    if fault is None and cost.memory > case.allowed:
        fault = f"{cost.memory} bytes of memory, {case.allowed} allowed"
    return Outcome(case.name, fault, cost.seconds, cost.memory)


def allowed_memory(size: int, num_values: int, max_data_size: int) -> int:
    """Tell how much memory a page may take; arrays that are large have room beside them that nobody touches."""
    own = max_data_size + size + BYTES_BESIDE_VALUE * num_values
    return own + OBJECTS + (2 * SPARE if own >= LARGE else 0)


# --- Pages -----------------------------------------------------------------------------------------------------------


def make_pages(folder: Path) -> dict[str, list[Case]]:
    """Make the corpus of pages in a folder: its cases, by encoding and physical type."""
    script = conftest.SHARED / "corpus" / "hostile.py"
    subprocess.run([sys.executable, script, folder], check=True, stdout=subprocess.DEVNULL)
    groups: dict[str, list[Case]] = {}
    for told in json.loads((folder / "manifest.json").read_text())["cases"]:
        kind = told["params"].get("physical_type", "")
        name = told["encoding"] + (f" {kind}" if kind and told["encoding"] != "RLE_DICTIONARY" else "")
        groups.setdefault(name + (", heavy" if told.get("heavy") else ""), []).append(page_case(folder, told))
    return groups


def page_case(folder: Path, told: dict[str, Any]) -> Case:
    """Make a case of what the manifest tells."""
    params, encoding = told["params"], told["encoding"]
    data = (folder / told["file"]).read_bytes()
    count, limit = params["num_values"], params.get("max_output_bytes", MAX_DATA_SIZE)
    if encoding == "RLE_DICTIONARY":
        dictionary = cc.EncodedPage("PLAIN", (folder / params["dict_file"]).read_bytes(), params["dict_num_values"])
        decode, values_of = dictionary_page(data, count, dictionary, limit)
    elif encoding == "RLE_HYBRID":
        decode, values_of = bare_runs(data, count, params["bit_width"], limit)
    elif encoding.startswith("LEVELS"):
        size = params.get("levels_byte_length", len(data))
        decode, values_of = levels(data, size, count, params["max_level"], int(encoding[-1]), limit)
    else:
        dtype = DTYPES[params["physical_type"]] or params["type_length"]
        decode, values_of = values(data, encoding, count, dtype, limit)

    def fault(result: Any) -> str | None:
        if isinstance(result, cc.ColcodecError):
            return f"refused: {result}" if told["expect"] == "accept" else untold(result)
        if told["expect"] == "error":
            return "accepted"
        return wrong(*values_of(result), told)

    return Case(told["id"], len(data), allowed_memory(len(data), count, limit), decode, fault)


def untold(error: cc.ColcodecError) -> str | None:
    """Say that an error of a page does not tell the encoding, the byte, the value, the fault, and what was found."""
    if not isinstance(error, cc.MalformedPageError):
        return None
    value = "" if error.index is None else f", value {error.index}"
    told = f"{error.encoding.name} page, byte {error.position}{value}: {MESSAGES[error.status]} ("
    return None if told in str(error) and ")" in str(error) else f"tells too little: {error}"


def wrong(values: list[Any] | None, consumed: int | None, told: dict[str, Any]) -> str | None:
    """Say how values and the bytes that they took differ from those of the manifest, which may have a digest alone."""
    if values is None:
        return "values differ from one way to the other"
    if len(values) != told["n"]:
        return f"{len(values)} values"
    digest = hashlib.sha256()
    for value in values:
        is_int = isinstance(value, int)
        digest.update(struct.pack("<q", value) if is_int else b"\1" + struct.pack("<I", len(value)) + value)
    if digest.hexdigest() != told["values_sha256"]:
        return "wrong values"
    if "values" in told and values != [base64.b64decode(v) if isinstance(v, str) else v for v in told["values"]]:
        return "wrong values, with the right digest"
    return None if consumed == told["consumed"] else f"consumed {consumed}, not {told['consumed']}"


def values(data, encoding, count, dtype, limit):
    """Decode values."""

    def decode():
        return cc.decode(data, encoding=encoding, num_values=count, max_data_size=limit, **battery.told(dtype))

    def values_of(decoded):
        return battery.as_list(decoded), battery.consumed(data, encoding, count, dtype)

    return decode, values_of


def dictionary_page(data, count, dictionary, limit):
    """Decode indices and the values that they mean."""
    known = {"encoding": "RLE_DICTIONARY", "num_values": count, "dictionary": dictionary, "max_data_size": limit}

    def decode():
        return cc.decode(data, **known), cc.decode_indices(data, **known)

    def values_of(decoded):
        column, found = decoded
        indices, distinct = found.indices.tolist(), found.dictionary.to_pylist()
        if column.to_pylist() != [distinct[index] for index in indices]:
            return None, None
        return indices, rle_dictionary.read_indices(np.frombuffer(data, np.uint8), count, len(distinct), limit)[1]

    return decode, values_of


def bare_runs(data, count, width, limit):
    """Decode runs as their readers do, who refuse widths that there are not, and more values than they are to give."""
    buf = np.frombuffer(data, np.uint8)

    def decode():
        if width > 32:
            raise cc.InvalidColumnError("no such width")
        status, end, _ = check_runs(buf, 0, buf.size, width, count)
        if status != cc.Status.OK or 4 * count > limit:
            raise cc.InvalidColumnError("no such runs")
        out = np.empty(count, np.uint32)
        return out, decode_hybrid(buf, 0, buf.size, width, out)[:2] == (cc.Status.OK, end), end

    def values_of(decoded):
        out, agree, end = decoded
        return (out.tolist() if agree else None), end

    return decode, values_of


def levels(data, size, count, max_level, version, limit):
    """Decode levels, and where they may be validity, that as well."""
    buf = np.frombuffer(data, np.uint8)[: max(size, 0)]
    known = {"page_version": version, "max_data_size": limit}

    def decode():
        if size != buf.size:
            raise cc.InvalidColumnError("whoever reads the header of a page refuses the size of its levels")
        if max_level > 1:
            return cc.decode_levels(buf, count, max_level, **known), None
        try:
            bits = cc.decode_validity(buf, count, **known)
        except cc.MalformedPageError as error:
            bits = error
        try:
            return cc.decode_levels(buf, count, max_level, **known), bits
        except cc.MalformedPageError:
            assert isinstance(bits, cc.MalformedPageError)
            raise

    def values_of(decoded):
        (found, consumed), bits = decoded
        if bits is None:
            return found.tolist(), consumed
        present = [1] * count
        if bits.validity is not None:
            present = np.unpackbits(bits.validity, count=count, bitorder="little").tolist()
        if (present, bits.null_count, bits.consumed) != (found.tolist(), (found == 0).sum(), consumed):
            return None, None
        return found.tolist(), consumed

    return decode, values_of


# --- Files -----------------------------------------------------------------------------------------------------------


def made_files():
    """Give the files of `hostile_files`: their cases, by group."""
    groups = {}
    for group, name, data, expected in hostile_files.files():
        groups.setdefault(f"{group}, read", []).append(reading(name, data, "c", MAX_DATA_SIZE, expected))
        groups.setdefault(f"{group}, inspected", []).append(inspecting(name, data, MAX_DATA_SIZE))
    return groups


def reading(name, data, column, max_data_size, expected):
    """Make a case of a column, which must be one of `expected`: None among them is an error, None alone anything."""

    def decode():
        try:
            return cc.parquet.read_column(io.BytesIO(data), column, threads=1, max_data_size=max_data_size)
        except KeyError:  # there is no such column: nothing is wrong with the file
            return None

    def fault(result):
        if expected is None or (None in expected and not isinstance(result, cc.StringColumn)):
            return untold(result) if isinstance(result, cc.MalformedPageError) else None
        if isinstance(result, cc.StringColumn):
            return None if result.to_pylist() in expected else f"accepted: {result!r}"
        return f"refused: {result}"

    return Case(name, len(data), 2 * max_data_size + len(data) + FILE_OBJECTS, decode, fault)


def inspecting(name, data, max_data_size):
    """Make a case of a file that is looked into, whatever is found."""
    inspect = partial(cc.parquet.inspect, max_data_size=max_data_size)
    allowed = 2 * max_data_size + len(data) + FILE_OBJECTS
    return Case(name, len(data), allowed, lambda: inspect(io.BytesIO(data)), lambda _: None)


def corpus_files():
    """Give the bad files of the corpus, and each of their columns: what they hold is for `parquet/test_corpus.py`."""
    corpus = conftest.SHARED / "corpus"
    groups = {}
    for folder in ("parquet-testing/bad_data", "arrow-testing/data/parquet/fuzzing", FOREIGN):
        group = folder.rpartition("/")[2]
        for path in sorted((corpus / folder).iterdir()):
            if path.suffix != ".md":
                data = path.read_bytes()
                groups.setdefault(f"{group}, inspected", []).append(inspecting(path.name, data, 1 << 26))
                columns = [reading(f"{path.name}: {name}", data, name, 1 << 26, None) for name in column_names(data)]
                groups.setdefault(f"{group}, read", []).extend(columns)
    return {group: cases for group, cases in groups.items() if cases}


def column_names(data):
    """List the columns of a file, none where that cannot be known."""
    try:
        return [leaf.name for leaf in leaves(read_footer(io.BytesIO(data)).metadata)]
    except cc.ColcodecError:
        return []


# --- The table -------------------------------------------------------------------------------------------------------


def faults(outcomes):
    """Give what is wrong, by case."""
    return {outcome.name: outcome.fault for outcome in outcomes if outcome.fault is not None}


def table_row(group, outcomes):
    """Tell of a group: cases, right results, wrong ones, crashes, the slowest case, and the largest memory."""
    wrong = faults(outcomes)
    crashes = sum(fault.startswith("crash") for fault in wrong.values())
    slowest = max(outcome.seconds for outcome in outcomes)
    memory = max(outcome.memory for outcome in outcomes)
    right = len(outcomes) - len(wrong)
    counts = f"{len(outcomes):6} {right:6} {len(wrong) - crashes:6} {crashes:7}"
    return f"{group:44} {counts} {slowest:9.3f} {memory / 1e6:9.2f}"


def main():
    """Run all cases, and print the table."""
    lines = [f"{'group':44} {'cases':>6} {'right':>6} {'wrong':>6} {'crashes':>7} {'slowest s':>9} {'memory MB':>9}"]
    everything, wrong = [], {}
    with tempfile.TemporaryDirectory() as folder, battery.limited_memory(4 << 30):
        pages = make_pages(Path(folder))
        for group, cases in {**pages, **made_files(), **corpus_files()}.items():
            outcomes = [run(case) for case in cases]
            lines.append(table_row(group, outcomes))
            everything += outcomes
            wrong |= faults(outcomes)
    lines.append(table_row("all", everything))
    sys.stdout.write("\n".join([*lines, *(f"{name}: {fault}" for name, fault in wrong.items()), ""]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
