"""Some 14,000 hostile and odd streams of the shared corpus, each with what it must yield."""

import base64
import hashlib
import json
import struct
import subprocess
import sys

import battery
import conftest
import naive
import numpy as np
import pytest
import strategies

import colcodec as cc
from colcodec._kernels.rle import check_runs, decode_hybrid
from colcodec.encodings import rle_dictionary

ENCODINGS = (*strategies.STRING_ENCODINGS, "DELTA_BINARY_PACKED")
HYBRIDS = ("RLE_HYBRID", "LEVELS_V1", "LEVELS_V2")
DTYPES = {"BYTE_ARRAY": "binary", "INT32": "int32", "INT64": "int64", "FIXED_LEN_BYTE_ARRAY": None}
SAMPLE = 1 if conftest.JIT else 20


@pytest.fixture(scope="module")
def hostile_folder(shared, tmp_path_factory):
    """Make the corpus, and give its folder."""
    folder = tmp_path_factory.mktemp("hostile")
    script = shared / "corpus" / "hostile.py"
    subprocess.run([sys.executable, script, folder], check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="module")
def corpus(hostile_folder):
    """Give the corpus' folder and, by encoding, the cases of types that are supported."""
    folder = hostile_folder
    cases = {encoding: [] for encoding in (*ENCODINGS, *HYBRIDS)}
    for case in json.loads((folder / "manifest.json").read_text())["cases"]:
        if case["encoding"] in cases and case["params"].get("physical_type", "INT32") in DTYPES:
            cases[case["encoding"]].append(case)
    return folder, cases


def outcome(data, case):
    """Decode a case: its values and the bytes they took, or None where it is refused."""
    params, encoding = case["params"], case["encoding"]
    count, dtype = params["num_values"], DTYPES[params["physical_type"]] or params["type_length"]
    limit = params.get("max_output_bytes", naive.MAX_INT32)
    try:
        values = battery.decode(data, encoding, count, dtype, max_data_size=limit)
        return values, battery.consumed(data, encoding, count, dtype)
    except cc.ColcodecError:
        return None


def is_right(values, case):
    """Tell whether values are those of the manifest, which has them or their digest."""
    if len(values) != case["n"]:
        return False
    if "values" in case:
        expected = [base64.b64decode(value) if isinstance(value, str) else value for value in case["values"]]
        return values == expected
    digest = hashlib.sha256()
    for value in values:
        is_int = isinstance(value, int)
        digest.update(struct.pack("<q", value) if is_int else b"\1" + struct.pack("<I", len(value)) + value)
    return digest.hexdigest() == case["values_sha256"]


def fault(data, case, decode=outcome):
    """Say what is wrong with what a case yields, if anything."""
    result = decode(data, case)
    if result is None:
        return "refused" if case["expect"] == "accept" else None
    if case["expect"] == "error":
        return "accepted"
    values, consumed = result
    if not is_right(values, case):
        return "wrong values"
    return None if consumed == case["consumed"] else f"consumed {consumed}, not {case['consumed']}"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_hostile_streams(corpus, encoding):
    """No wrong value, no stream refused that is legal, none accepted that is not, nothing but a ColcodecError."""
    folder, cases = corpus
    faults = {}
    for case in cases[encoding][::SAMPLE]:
        if not case.get("heavy") and (found := fault((folder / case["file"]).read_bytes(), case)):
            faults[case["id"]] = found
    assert not faults


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_heavy_hostile_streams(corpus, encoding):
    """The same where the caller's own count is in the millions: within little memory."""
    if not conftest.JIT:
        pytest.skip("needs compiled kernels: walks billions of values")
    folder, cases = corpus
    faults = {}
    for case in cases[encoding]:
        if case.get("heavy"):
            data = (folder / case["file"]).read_bytes()
            faults[case["id"]] = battery.check_little_memory(lambda data=data, case=case: fault(data, case))
    assert not any(faults.values()), faults


def hybrid_outcome(data, case):
    """Decode runs, bare or as levels: the values and the bytes they took, or None where they are refused."""
    params, count = case["params"], case["params"]["num_values"]
    buf = np.frombuffer(data, np.uint8)
    if case["encoding"] == "RLE_HYBRID":
        if params["bit_width"] > 32:
            return None  # whoever reads a width has to refuse it
        status = check_runs(buf, 0, buf.size, params["bit_width"], count)
        out = np.empty(count if status[0] == cc.Status.OK else 0, np.uint32)
        assert status[0] != cc.Status.OK or decode_hybrid(buf, 0, buf.size, params["bit_width"], out) == status
        return (out.tolist(), status[1]) if status[0] == cc.Status.OK else None
    size = params.get("levels_byte_length", buf.size)
    if not 0 <= size <= buf.size:
        return None  # whoever reads a page's header has to refuse it
    buf, version, most = buf[:size], int(case["encoding"][-1]), params["max_level"]
    try:
        levels, consumed = cc.decode_levels(buf, count, most, page_version=version)
    except cc.MalformedPageError:
        if most == 1:
            with pytest.raises(cc.MalformedPageError):
                cc.decode_validity(buf, count, page_version=version)
        return None
    if most == 1:
        found = cc.decode_validity(buf, count, page_version=version)
        bits = [1] * count if found.validity is None else np.unpackbits(found.validity, count=count, bitorder="little")
        assert (list(bits), found.null_count, found.consumed) == (levels.tolist(), (levels == 0).sum(), consumed)
    return levels.tolist(), consumed


@pytest.mark.parametrize("encoding", HYBRIDS)
def test_hostile_runs(corpus, encoding):
    """The same for bare runs, and for levels in pages of both versions."""
    folder, cases = corpus
    faults = {
        case["id"]: fault((folder / case["file"]).read_bytes(), case, hybrid_outcome)
        for case in cases[encoding][::SAMPLE]
        if not case.get("heavy")
    }
    assert len(faults) > 20
    assert {case: found for case, found in faults.items() if found} == {}


@pytest.fixture(scope="module")
def dictionary_cases(hostile_folder):
    """Read the cases of RLE_DICTIONARY, each with the values of its dictionary."""
    cases = json.loads((hostile_folder / "manifest.json").read_text())["cases"]
    return [case for case in cases if case["encoding"] == "RLE_DICTIONARY"]


def dictionary_fault(folder, case):
    """Say what is wrong with the indices or the values that a page of a dictionary yields, if anything."""
    params = case["params"]
    data = np.frombuffer((folder / case["file"]).read_bytes(), np.uint8)
    dictionary = cc.EncodedPage("PLAIN", (folder / params["dict_file"]).read_bytes(), params["dict_num_values"])
    known = {"encoding": "RLE_DICTIONARY", "num_values": params["num_values"], "dictionary": dictionary}
    try:
        values, found = cc.decode(data, **known).to_pylist(), cc.decode_indices(data, **known)
        consumed = rle_dictionary.read_indices(data, case["params"]["num_values"], len(found.dictionary), 2**31)[1]
    except cc.ColcodecError:
        return "refused" if case["expect"] == "accept" else None
    if case["expect"] == "error":
        return "accepted"
    indices, distinct = found.indices.tolist(), found.dictionary.to_pylist()
    if values != [distinct[index] for index in indices]:
        return "indices and values differ"
    if not is_right(indices, case):
        return "wrong indices"
    return None if consumed == case["consumed"] else f"consumed {consumed}, not {case['consumed']}"


def test_hostile_dictionary_pages(hostile_folder, dictionary_cases):
    """The same for pages of a dictionary: indices and values."""
    faults = {case["id"]: dictionary_fault(hostile_folder, case) for case in dictionary_cases[::SAMPLE]}
    assert len(faults) > 100
    assert {case: fault for case, fault in faults.items() if fault} == {}
