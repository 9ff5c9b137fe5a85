"""The codec of zarr: real arrays in memory, in folders and in archives, against NumPy's, and in a new process."""

import importlib.metadata
import json
import os
import struct
import subprocess
import sys
import tomllib

import naive
import numcodecs
import numpy as np
import pytest
import zarr
from conftest import JIT, ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from zarr.codecs import GzipCodec, ZstdCodec
from zarr.storage import LocalStore, MemoryStore, ZipStore

import colcodec as cc
from colcodec.plugins.numcodecs import VLenStrings
from colcodec.plugins.zarr import NAME, StringsCodec

ENCODINGS = ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY")
COUNT = 1000 if JIT else 200
CHUNK = COUNT // 10
VALUES = np.array([f"/item/{i:06}/ä" if i % 7 else "" for i in range(COUNT)], "T")


def create(store, codec=None, version=3, **how):
    """Make an array of strings, empty so far."""
    codec = codec or StringsCodec()
    if version == 3:
        codecs = {"compressors": [codec, ZstdCodec()]}
    else:
        codecs = {"filters": [numcodecs.VLenUTF8(), VLenStrings(codec.encoding)], "compressors": numcodecs.Zstd()}
    return zarr.create_array(
        store, **({"shape": (COUNT,), "chunks": (CHUNK,), "dtype": str} | codecs | how), zarr_format=version
    )


# --- Arrays ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("kind", ["memory", "folder", "archive"])
def test_stores(kind, version, tmp_path):
    """An array is written, opened again, and read: all of it, parts, and single values."""
    path = tmp_path / "array.zip"
    make = {"memory": MemoryStore, "folder": lambda: LocalStore(path), "archive": lambda: ZipStore(path, mode="w")}
    store = make[kind]()
    create(store, version=version)[:] = VALUES
    if kind == "archive":
        store.close()
        store = ZipStore(path, mode="r")
    array = zarr.open_array(store, mode="r")
    assert array.dtype == VALUES.dtype
    assert array[:].tolist() == VALUES.tolist()
    assert array[CHUNK - 3 : 3 * CHUNK + 5 : 7].tolist() == VALUES[CHUNK - 3 : 3 * CHUNK + 5 : 7].tolist()
    assert array[-1] == VALUES[-1]
    assert array.oindex[[5, COUNT - 1, CHUNK]].tolist() == VALUES[[5, COUNT - 1, CHUNK]].tolist()
    store.close()


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("version", [2, 3])
def test_encodings(version, encoding):
    """Each encoding is what the metadata tells and what the chunks hold, as the format in plain Python has it."""
    store = {}
    create(store, StringsCodec(encoding), version)[:] = VALUES
    if version == 3:
        codecs = json.loads(store["zarr.json"].to_bytes())["codecs"]
        assert [codec["name"] for codec in codecs] == ["vlen-utf8", NAME, "zstd"]
        assert codecs[1]["configuration"] == {"encoding": encoding}
    else:
        filters = json.loads(store[".zarray"].to_bytes())["filters"]
        assert filters == [{"id": "vlen-utf8"}, {"id": NAME, "encoding": encoding}]
    chunk = numcodecs.Zstd().decode(store["c/1" if version == 3 else "1"].to_bytes())
    kind = cc.Encoding[encoding]
    assert chunk[:12] == b"colc" + struct.pack("<BBBBI", 1, kind, 0, 0, CHUNK)
    values = [value.encode() for value in VALUES[CHUNK : 2 * CHUNK]]
    if kind is not cc.Encoding.RLE_DICTIONARY:
        assert chunk[12:] == naive.encode(values, encoding, "binary")
    array = zarr.open_array(store, mode="r")
    assert array[:].tolist() == VALUES.tolist()


@pytest.mark.parametrize(("version", "order"), [(2, "C"), (2, "F"), (3, None)])
def test_dimensions(version, order):
    """Chunks of two dimensions, those at the edges cut off, in both orders that the format 2 has."""
    values = VALUES[: COUNT - COUNT % 7].reshape(-1, 7)
    for codec in (StringsCodec(), StringsCodec("RLE_DICTIONARY")):
        array = create({}, codec, version, shape=values.shape, chunks=(10, 3), order=order)
        array[:] = values
        assert array[:].tolist() == values.tolist()
        assert array[3:14, 2:5].tolist() == values[3:14, 2:5].tolist()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_shards(encoding):
    """Chunks within shards, read and written in part."""
    store = {}
    array = create(store, StringsCodec(encoding), shards=(5 * CHUNK,))
    array[:] = VALUES
    array[CHUNK + 1 : CHUNK + 4] = ["x", "y", "z"]
    expected = VALUES.copy()
    expected[CHUNK + 1 : CHUNK + 4] = ["x", "y", "z"]
    assert array[:].tolist() == expected.tolist()
    assert array[CHUNK - 5 : CHUNK + 5].tolist() == expected[CHUNK - 5 : CHUNK + 5].tolist()
    assert sorted(store) == ["c/0", "c/1", "zarr.json"]


@pytest.mark.parametrize("version", [2, 3])
def test_appending_and_resizing(version):
    """What is new has the fill value; what was cut off is gone."""
    array = create({}, version=version, fill_value="none")
    array[: COUNT // 2] = VALUES[: COUNT // 2]
    assert array[COUNT // 2 :].tolist() == ["none"] * (COUNT - COUNT // 2)
    array.append(np.array(["more", ""], "T"))
    assert array[-3:].tolist() == ["none", "more", ""]
    array.resize(7)
    array.resize(9)
    assert array[:].tolist() == [*VALUES[:7].tolist(), *(["none"] * 2 if CHUNK <= 7 else VALUES[7:9].tolist())]


@pytest.mark.parametrize("version", [2, 3])
def test_empty_chunks(version):
    """They are not stored, unless they are asked for; an array without values has none."""
    for write_empty_chunks, count in ((False, 1), (True, 10)):
        store = {}
        array = create(store, version=version, config={"write_empty_chunks": write_empty_chunks})
        array[:] = ""
        array[CHUNK] = "axis"
        assert len([name for name in store if name[-1].isdigit()]) == count
        assert array[CHUNK - 1 : CHUNK + 2].tolist() == ["", "axis", ""]
    array = create({}, version=version, shape=0, chunks=1)
    assert array[:].tolist() == []


@pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning")
def test_bytes():
    """Bytes of variable length, which zarr puts through vlen-bytes."""
    array = create({}, shape=3, chunks=2, dtype=zarr.dtype.VariableLengthBytes())
    array[:] = np.array([b"\xff\0", b"", b"axis"], object)
    assert array[:].tolist() == [b"\xff\0", b"", b"axis"]


@settings(max_examples=20 if JIT else 5)
@given(st.data())
def test_any_writes(data):
    """Slices written in any order over one another, as to an array of NumPy."""
    size = data.draw(st.integers(1, 40))
    array = create({}, shape=size, chunks=data.draw(st.integers(1, 12)))
    expected = np.full(size, "", "T")
    for start, values in data.draw(
        st.lists(st.tuples(st.integers(0, size - 1), st.lists(st.text(), min_size=1, max_size=20)))
    ):
        stop = min(start + len(values), size)
        array[start:stop] = expected[start:stop] = np.array(values[: stop - start], "T")
    assert array[:].tolist() == expected.tolist()


def test_sorted_values_take_less():
    """Than with zstd alone, which is what the codec is for."""
    values = np.array([f"user:{i:09}" for i in range(1000)], "T")
    sizes = []
    for compressors in ([StringsCodec(), ZstdCodec()], [ZstdCodec()]):
        store = {}
        create(store, shape=values.shape, chunks=values.shape, compressors=compressors)[:] = values
        sizes.append(len(store["c/0"]))
    assert sizes[0] < sizes[1]


# --- New processes ---------------------------------------------------------------------------------------------------

READ = """
import sys, zarr.storage
assert not any(name.startswith("colcodec") for name in sys.modules)
sys.stdout.reconfigure(encoding="utf-8")
store = zarr.storage.ZipStore(sys.argv[1], mode="r") if sys.argv[1].endswith(".zip") else sys.argv[1]
print(*zarr.open_array(store, mode="r")[:], sep="|")
"""


def read_elsewhere(path, *folders, code=READ):
    """Read an array in a new process, which knows colcodec by its entry points alone."""
    command = [sys.executable, "-W", "error", "-c", code, str(path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders))}
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=environment)


def installed(folder):
    """Give the folders of an installed colcodec: none if it is, else a folder that says so, and the sources."""
    try:
        if importlib.metadata.distribution("colcodec").entry_points.select(group="zarr.codecs"):
            return []
    except importlib.metadata.PackageNotFoundError:
        pass
    about = folder / "site" / "colcodec-0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: colcodec\nVersion: 0\n")
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in groups.items()
    ]
    (about / "entry_points.txt").write_text("\n".join(lines))
    return [about.parent, ROOT]


@pytest.mark.parametrize(("version", "suffix"), [(2, ""), (3, ""), (3, ".zip")])
def test_a_new_process_reads_an_array(version, suffix, tmp_path):
    """It finds the codec by its name; without colcodec, it says what is missing."""
    path = tmp_path / f"array{suffix}"
    store = ZipStore(path, mode="w") if suffix else LocalStore(path)
    create(store, version=version)[:] = VALUES
    store.close()
    done = read_elsewhere(path, *installed(tmp_path))
    assert done.stderr == ""
    assert done.stdout == "|".join(VALUES) + "\n"
    if not suffix:
        done = read_elsewhere(path, code="import sys\nsys.modules['colcodec'] = None\n" + READ.replace("assert", "#"))
        assert done.returncode == 1
        assert "colcodec" in done.stderr.splitlines()[-1]


# --- Codecs ----------------------------------------------------------------------------------------------------------


def test_metadata():
    """Name and configuration, there and back."""
    for codec in (StringsCodec(), StringsCodec("PLAIN"), StringsCodec(encoding=cc.Encoding.RLE_DICTIONARY)):
        data = json.loads(json.dumps(codec.to_dict()))
        assert data == {"name": "colcodec.strings", "configuration": {"encoding": codec.encoding}}
        assert StringsCodec.from_dict(data) == codec
    assert StringsCodec.from_dict({"name": NAME}) == StringsCodec()
    with pytest.raises(ValueError, match=r"expected a codec 'colcodec\.strings', got 'zstd'"):
        StringsCodec.from_dict({"name": "zstd"})
    with pytest.raises(ValueError, match="DELTA_BINARY_PACKED is no encoding of strings"):
        StringsCodec("DELTA_BINARY_PACKED")
    with pytest.raises(NotImplementedError):
        StringsCodec().compute_encoded_size(1, None)


@pytest.mark.parametrize("dtype", ["i4", "f8", "U5", "S5", "bool"])
def test_arrays_of_another_dtype_are_refused(dtype):
    """Before anything is written."""
    with pytest.raises(TypeError, match=r"colcodec\.strings is for arrays of strings of variable length"):
        create({}, dtype=dtype)


@pytest.mark.parametrize("before", [ZstdCodec(), GzipCodec()])
def test_a_compressor_before_it_is_refused(before):
    """What it made is no stream of strings."""
    array = create({}, compressors=[before, StringsCodec()])
    with pytest.raises(cc.InvalidColumnError, match="expected the number of values"):
        array[:] = VALUES


def test_numbers_in_a_shard_are_refused():
    """Where zarr checks no dtype, the codec sees that there are no strings."""
    with pytest.raises((TypeError, cc.InvalidColumnError)):
        create({}, shards=(5 * CHUNK,), dtype="i4")[:] = np.arange(COUNT)


def test_a_damaged_chunk():
    """Is an error of colcodec."""
    store = {}
    array = create(store, compressors=[StringsCodec()])
    array[:] = VALUES
    whole = store["c/0"].to_bytes()
    for damaged in (whole[:5], whole[:40], b"x" + whole[1:], whole[:8] + b"\xff" + whole[9:]):
        store["c/0"] = type(store["c/0"]).from_bytes(damaged)
        with pytest.raises(cc.ColcodecError):
            array[0]
    store["c/0"] = type(store["c/0"]).from_bytes(whole[:8] + struct.pack("<I", CHUNK + 1) + whole[12:])
    with pytest.raises(cc.InvalidColumnError, match=f"the column has {CHUNK + 1} values; expected {CHUNK}"):
        array[0]
    assert array[CHUNK] == VALUES[CHUNK]
