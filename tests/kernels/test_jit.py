"""The decorator of every kernel: what is compiled, when, and how often."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import conftest
import pytest
from processes import run_python

import colcodec
from colcodec._kernels._jit import CHECKED

PACKAGE = Path(colcodec.__file__).parent
SOURCES = sorted((PACKAGE / "_kernels").glob("*.py"))
FOR_BOTH_SIZES = {  # the integers of DELTA_BINARY_PACKED are uint32 or uint64
    "bitpack.pack",
    "delta.decode_delta",
    "delta.decode_groups",
    "delta.decode_miniblock",
    "delta.encode_block",
    "delta.encode_delta",
    "delta.encode_ends",
    "delta.extend_delta",
    "delta.read_delta",
}
FROM_HERE_AND_THERE = {
    "dictionary.is_known",  # from a growing dictionary, or from a column
    "dictionary.find_wild",  # in levels, uint16, or in indices, uint32
    "memory.copy_wide",  # from a page, or from the value before: read-only, and not
    "rle.decode_hybrid",  # levels or indices
    "rle.unpack",
    "vector.add_up",  # lengths in an array of their own, or in the place of the offsets
}

compiled_only = pytest.mark.skipif(not conftest.JIT, reason="nothing is compiled")

EVERYTHING = """
import importlib, io, json, pkgutil
import nanoarrow as na
import numpy as np
from numba.core import event, types
import colcodec as cc
import colcodec._kernels as kernels

cc.warmup()
events = event.install_recorder("numba:compile")
recorder = events.__enter__()
many = [*map(str, range(9000))]
for values in (["warm", None, "up", "upper"], many, [b"x" * 40, b"x" * 90, None], np.array(["a", "bc"]), []):
    strings = cc.column(values)
    for encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"):
        for part in (strings, strings[1:], strings[:-1], strings[::-1]):
            cc.decode(cc.encode(part, encoding), copy=False)
        page = cc.encode(strings, encoding)
        writer = cc.PageWriter(encoding)
        for part in (strings, strings[:1], strings[1:]):
            writer.write(part)
            writer.write_slices(bytearray(b"warm"), [1, 0], [2, 4])
            writer.size, writer.finish()
        reader = cc.PageReader(page)
        for _ in range(4):
            reader.read(1)
            reader.skip(1)
        given = {"num_values": page.num_values, "validity": page.validity}
        if page.dictionary is not None:
            cc.decode_indices(page)
            given["dictionary"] = bytearray(page.dictionary.data)
        cc.decode(bytearray(page.data), encoding=encoding, **given)
for encoding in ("PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT", "RLE_DICTIONARY"):
    for values in (np.array([b"abc", b"ab"]), np.array([b"abc", b"ab"])[::-1], [b"abc", None, b"abd"], []):
        page = cc.encode(values, encoding, type_length=3)
        cc.decode(page, copy=False)
        cc.PageReader(page).read(2)
        try:
            cc.encode([b"ab", b"abc"], encoding, type_length=2)
        except cc.InvalidColumnError:
            pass
for na_object in (None, "text"):
    array = np.array(["a", "b" * 300, na_object], np.dtypes.StringDType(na_object=na_object))
    for part in (array, array[::-1], array[:0]):
        for fill in (None, "fill"):
            cc.column(part).to_numpy("T", fill=fill)
for views in (["short"], ["too long for its view"], ["either", None, "or not in its view"], []):
    cc.column(na.c_array(views, na.string_view()))
for array in (np.array(["a", "é" * 90, ""]), np.array([b"a", b"b" * 90, b""])):
    for part in (array, array[::-1], array[:0], array.astype(">U9")):
        for strings in (cc.column(part), cc.column(part)[1:]):
            for kind in "US":
                strings.validate(), strings.to_numpy(kind)
for values in (["téxt", None], [b"bytes", float("nan")], [np.float32("nan")], [], ["long" * 100] * 100):
    for part in (values, np.array(values, object)[::-1]):
        cc.column(part).to_pylist()
        cc.column(part).to_numpy("O")
with_bytes_under_null = cc.StringColumn([0, 1, 3], b"abc", [True, False])
cc.decode(cc.encode(with_bytes_under_null, "PLAIN"))
for dtype in ("int32", "int64"):
    values = np.arange(300, dtype=dtype)
    for part in (values, values[1:], values[::2], values[:0]):
        page = cc.encode(part, "DELTA_BINARY_PACKED")
        cc.decode(page)
        writer = cc.PageWriter("DELTA_BINARY_PACKED")
        writer.write(part)
        writer.size, writer.finish()
        cc.PageReader(page).skip(3)
        cc.PageReader(page).read(3)
for version in (1, 2):
    for validity in (None, [], [True] * 300, [False, True] * 300, bytearray(9)):
        count = 72 if validity is None or isinstance(validity, bytearray) else len(validity)
        levels = cc.encode_validity(validity, count, page_version=version)
        cc.decode_validity(bytearray(levels), count, page_version=version)
    for levels in (np.arange(300) % 4, np.arange(100, dtype=np.int8)[::-30], [3]):
        cc.decode_levels(cc.encode_levels(levels, 300, page_version=version), len(levels), 300, page_version=version)
for values in (["axis", None, "axle"], ["axis", "axle"], [b"b" * 90] * 3, many):
    for encoding in ("PLAIN", "RLE_DICTIONARY", "DELTA_BYTE_ARRAY", "auto"):
        file = io.BytesIO()
        cc.parquet.write_columns(file, {"a": values, "i": np.arange(len(values))}, encodings={"a": encoding})
        cc.parquet.read_column(file, "a")
for broken in (b"", b"\\x01\\x00\\x00\\x00", b"\\x80\\x01\\x04\\x01\\x7f", b"\\x80\\x01\\x04\\x02\\x7f"):
    for encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"):
        try:
            cc.decode(broken, encoding=encoding, num_values=1)
        except cc.MalformedPageError:
            pass
offsets = np.array([0, 2**31, 2**31 + 1])
try:
    cc.encode(cc.StringColumn._trusted(offsets, np.zeros(1, np.uint8)), "PLAIN")
except cc.InvalidColumnError:
    pass

found = {}
for module in pkgutil.iter_modules(kernels.__path__):
    for name, value in vars(importlib.import_module(f"colcodec._kernels.{module.name}")).items():
        if hasattr(value, "signatures") and value.__module__.endswith(module.name):
            # While a loop is typed, a number may be taken for a constant first: that is no second kind of argument.
            kinds = {tuple(map(types.unliteral, signature)) for signature in value.signatures}
            found[f"{module.name}.{name}"] = sorted(map(str, kinds))
late = sorted({data.data["dispatcher"].__name__ for _, data in recorder.buffer})
print(json.dumps({"kinds": found, "late": late}))
"""


# --- What is compiled ------------------------------------------------------------------------------------------------


@compiled_only
def test_each_kernel_is_compiled_once(tmp_path):
    """Whatever form arguments have, kernels see one, and `warmup` knows it.

    A second would cost seconds, and would be a way that no test takes.
    """
    found = json.loads(run_python(EVERYTHING, tmp_path))
    assert found["late"] == []
    for name, kinds in found["kinds"].items():
        expected = 2 if name in FOR_BOTH_SIZES | FROM_HERE_AND_THERE else 1
        assert len(kinds) == expected, f"{name} is compiled for {kinds}"
        if name in FOR_BOTH_SIZES:
            assert ["uint32" in kinds[0], "uint64" in kinds[1]] == [True, True]


@compiled_only
def test_import_compiles_nothing_and_loads_nothing_else(tmp_path):
    """`import colcodec` is quick: no kernel is compiled, and no optional package is looked for."""
    source = """
import sys
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    import colcodec
print(len(recorder.buffer))
print(*{"pyarrow", "pandas", "polars", "duckdb", "typer", "rich", "cramjam"} & set(sys.modules))
"""
    assert run_python(source, tmp_path).split() == ["0"]
    assert not list(tmp_path.rglob("*.nbc"))


def test_optional_packages_are_not_imported(tmp_path):
    """The same with the JIT off."""
    source = (
        "import sys, colcodec; print(*{'pyarrow', 'pandas', 'polars', 'typer', 'rich', 'cramjam'} & {*sys.modules})"
    )
    assert run_python(source, tmp_path).split() == []


@compiled_only
def test_this_run_checks_bounds_if_it_was_told_to():
    """NUMBA_BOUNDSCHECK=1 reaches the intrinsics, which Numba's own checks do not."""
    assert os.environ.get("NUMBA_BOUNDSCHECK", "0") == str(int(CHECKED))


# --- The sources -----------------------------------------------------------------------------------------------------


def test_machines_of_the_other_byte_order_are_refused():
    """At the import, before any number of a page is read in the wrong order (arrow#48213)."""
    code = "import sys, numba, nanoarrow; sys.byteorder = 'big'; import colcodec"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=PACKAGE.parent)
    assert "ImportError: colcodec needs a little-endian machine" in done.stderr


def kernels_of(path):
    """List the kernels of a file as trees."""
    functions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
    return [node for node in functions if any("kernel" in ast.unparse(mark) for mark in node.decorator_list)]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_kernels_allocate_nothing_and_raise_nothing(path):
    """A kernel returns a status, and its caller owns all memory; only plain definitions raise, with the JIT off."""
    forbidden = (ast.Raise, ast.Assert, ast.Try, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.JoinedStr, ast.Lambda)
    makers = {"empty", "zeros", "ones", "full", "array", "copy", "concatenate", "arange", "append", "print"}
    for function in kernels_of(path):
        for node in ast.walk(function):
            assert not isinstance(node, forbidden), f"{function.name}, line {node.lineno}: {ast.unparse(node)}"
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                assert called not in makers, f"{function.name}, line {node.lineno}: {ast.unparse(node)}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_kernels_are_small_and_told(path):
    """At most 8 arguments and 40 lines, with a docstring; only intrinsics and what compiles name Numba."""
    for function in kernels_of(path):
        assert ast.get_docstring(function), function.name
        assert len(function.args.args) <= 8, function.name
        body = function.body[1:]
        assert body[-1].end_lineno - body[0].lineno < 40, function.name
    imported = {
        (node.module or "").split(".")[0]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.level == 0
    }
    with_intrinsics = {
        "_cache",
        "_jit",
        "address",
        "byte_streams",
        "memory",
        "objects",
        "packed_strings",
        "points",
        "vector",
    }
    assert path.stem in with_intrinsics or not imported & {"numba", "llvmlite"}


def test_every_module_of_kernels_has_its_tests():
    """A test file for each."""
    here = Path(__file__).parent
    modules = {path.stem.lstrip("_") for path in SOURCES if path.stem != "__init__"}
    assert modules == {path.stem.removeprefix("test_") for path in here.glob("test_*.py")}
