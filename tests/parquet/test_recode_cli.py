"""``colcodec recode``: what it prints, which files it takes, and what it refuses."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from colcodec import cli
from colcodec.parquet import inspect

ROOT = Path(__file__).parents[2]
ROWS = 300
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS)),
        "url": pa.array([f"https://example.org/{i:06}" for i in range(ROWS)]),
        "place": pa.array([{"city": "Paris"} if i % 3 else None for i in range(ROWS)]),
    }
)


def write(path, table=TABLE, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="zstd", **options)
    return path


def run(*arguments):
    result = CliRunner().invoke(cli.app, ["recode", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def encodings(path):
    return {column.name: {*column.encodings} for column in inspect(path).columns}


def test_a_file(tmp_path):
    source, target = write(tmp_path / "in.parquet"), tmp_path / "out.parquet"
    code, out, err = run(source, target)
    assert (code, err) == (0, "")
    assert pq.read_table(target).equals(TABLE)
    before, after = (inspect(path) for path in (source, target))
    header, _, *lines = out.splitlines()[1:]
    assert header.split() == ["column", "data", "pages", "before", "after", "before", "after", "saved"]
    sizes = [{column.name: column.compressed_size for column in info.columns} for info in (before, after)]
    for line, name in zip(lines, ["url", "place.city"], strict=False):
        cells = line.split()
        assert cells[0] == name
        assert cells[-3:-1] == [f"{size[name]:,}" for size in sizes]
    assert "RLE_DICTIONARY x1" in lines[0]
    (chosen,) = encodings(target)["url"] - {"RLE_DICTIONARY"}
    assert f"{chosen} x1" in lines[0]
    saved = 1 - after.size / before.size
    assert lines[-1].startswith(f"{source}: {before.size:,} bytes became {after.size:,}, {saved:.1%} saved, in ")
    assert len(lines) == 3


def test_options(tmp_path):
    source, target = write(tmp_path / "in.parquet"), tmp_path / "out.parquet"
    arguments = ["--column", "url", "--encoding", "delta_length_byte_array", "--compression", "gzip:9", "--no-check"]
    code, out, _ = run(source, target, *arguments)
    assert code == 0
    assert "place.city" not in out
    assert encodings(target)["url"] == {"DELTA_LENGTH_BYTE_ARRAY"}
    assert {column.name: column.codecs for column in inspect(target).columns} == {
        "id": ("ZSTD",),
        "url": ("GZIP",),
        "place.city": ("ZSTD",),
    }
    code, *_ = run(source, target, "--readers", "impala", "--readers", "duckdb")
    assert code == 0
    assert encodings(target)["url"] <= {"PLAIN", "RLE_DICTIONARY"}


def test_a_dry_run_writes_nothing(tmp_path):
    source = write(tmp_path / "in.parquet")
    for arguments in ([source], [source, tmp_path / "out"]):
        code, out, _ = run(*arguments, "--dry-run", "--encoding", "PLAIN")
        assert code == 0
        assert " would become " in out
        assert "PLAIN x1" in out
    assert [*tmp_path.iterdir()] == [source]


def test_a_folder_as_the_target_of_a_file(tmp_path):
    source = write(tmp_path / "in.parquet")
    (tmp_path / "out").mkdir()
    assert run(source, tmp_path / "out")[0] == 0
    assert pq.read_table(tmp_path / "out" / "in.parquet").equals(TABLE)


@pytest.mark.parametrize("by", ["name", "option"])
def test_in_place(tmp_path, by):
    path = write(tmp_path / "in.parquet")
    size = path.stat().st_size
    assert run(path, path if by == "name" else "--in-place")[0] == 0
    assert path.stat().st_size < size
    assert pq.read_table(path).equals(TABLE)


@pytest.mark.parametrize("as_pattern", [False, True])
def test_several_files(tmp_path, as_pattern):
    """Their names relative to the folder stay; one that fails is told, and the others go on."""
    folder, target = tmp_path / "in", tmp_path / "out"
    names = ["a.parquet", "year=2024/b.parquet", "year=2025/deep/c.parquet"]
    for i, name in enumerate(names):
        write(folder / name, TABLE[: 100 * (i + 1)])
    (folder / "year=2024" / "broken.parquet").write_bytes(b"PAR1 is not all of it")
    (folder / "notes.txt").write_text("not Parquet")
    source = f"{folder}/**/*.parquet" if as_pattern else folder
    code, out, err = run(source, target, "--jobs", "1", "--encoding", "DELTA_BYTE_ARRAY")
    assert code == 1
    assert "broken.parquet: not a Parquet file" in err
    assert err.endswith("colcodec: 1 of 4 files failed\n")
    assert " in 3 files became " in out
    assert "DELTA_BYTE_ARRAY x3" in out
    found = [path for path in target.rglob("*") if path.is_file()]
    assert sorted(str(path.relative_to(target)) for path in found) == names
    for i, name in enumerate(names):
        assert pq.ParquetFile(target / name).read().equals(TABLE[: 100 * (i + 1)])


def test_several_files_in_place(tmp_path):
    for name in ("a.parquet", "b.parq"):
        write(tmp_path / name)
    assert run(tmp_path, "--in-place", "--jobs", "1", "--encoding", "DELTA_BYTE_ARRAY")[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "b.parq"]
    for path in tmp_path.iterdir():
        assert encodings(path)["url"] == {"DELTA_BYTE_ARRAY"}


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="takes the time of new processes")
def test_processes(tmp_path):
    """One real command, whose files are recoded by others, gives what it gives alone."""
    folder = tmp_path / "in"
    for i in range(3):
        write(folder / f"{i}.parquet", TABLE[i * 50 :])
    (folder / "broken.parquet").write_bytes(b"none")
    command = [sys.executable, "-m", "colcodec", "recode", folder, tmp_path / "two", "--jobs", "2"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stderr
    assert "broken.parquet: not a Parquet file" in ended.stderr
    assert " in 3 files became " in ended.stdout
    assert run(folder, tmp_path / "one", "--jobs", "1")[0] == 1
    for i in range(3):
        assert (tmp_path / "two" / f"{i}.parquet").read_bytes() == (tmp_path / "one" / f"{i}.parquet").read_bytes()


def test_notes_are_shown(tmp_path):
    values = [f"{i:06}".rjust(300) for i in range(4000)]
    source = write(tmp_path / "in.parquet", pa.table({"word": values}), use_dictionary=False)
    code, out, _ = run(source, "--dry-run", "--encoding", "RLE_DICTIONARY")
    assert code == 0
    assert "Note: word, row group 0: DELTA_BYTE_ARRAY in place of RLE_DICTIONARY; the dictionary takes more" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{none}", "{out}"], "none.parquet: No such file or directory"),
        (["{in}", "{out}", "--column", "none"], "has no column 'none'; there are 'id', 'url', 'place.city'"),
        (["{in}", "{out}", "--column", "id"], "column 'id' is of INT64; expected BYTE_ARRAY"),
        (["{in}", "{out}", "--encoding", "fast"], "unknown encoding 'FAST'"),
        (["{in}", "{out}", "--compression", "fast"], "compression must be one of"),
        (["{in}", "{out}", "--encoding", "DELTA_BYTE_ARRAY", "--readers", "hive"], "is not read by hive"),
        (["{in}", "nowhere://x"], "nowhere://x: Protocol not known: nowhere"),
        (["nowhere://x", "{out}"], "nowhere://x: Protocol not known: nowhere"),
        (["{in}", "{out}", "--engine", "dask"], "in.parquet: not a folder or a pattern, but Dask is for several files"),
        (["{empty}", "{out}"], "no files with .parquet"),
        (["{empty}/*.parquet", "{out}"], "no files"),
        (["{folder}", "{in}"], "the target must be a folder"),
        (["{folder}", "{folder}"], "x.parquet is read, and would be replaced"),
        (["{folder}", "{folder}/out"], "is inside of what is read"),
    ],
)
def test_refusals_are_one_line(tmp_path, arguments, message):
    places = {
        "none": tmp_path / "none.parquet",
        "in": write(tmp_path / "in.parquet"),
        "out": tmp_path / "out.parquet",
        "empty": tmp_path / "empty",
        "folder": write(tmp_path / "folder" / "x.parquet").parent,
    }
    places["empty"].mkdir()
    code, out, err = run(*(argument.format(**places) for argument in arguments))
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not places["out"].exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "needed, but for --in-place and --dry-run"),
        (["x", "--in-place"], "not with OUT"),
        (["x", "--readers", "nobody"], "unknown reader"),
        (["x", "--engine", "spark"], "is not one of 'processes', 'dask'"),
        (["x", "--scheduler", "tcp://127.0.0.1:8786"], "needs --engine dask"),
        (["x", "--engine", "dask", "--scheduler", "tcp://127.0.0.1:8786", "--jobs", "2"], "the workers of --scheduler"),
    ],
)
def test_arguments_that_do_not_go_together(tmp_path, arguments, message):
    code, _, err = run(tmp_path, *arguments)
    assert code == 2
    assert message in " ".join(err.replace("│", " ").split())
