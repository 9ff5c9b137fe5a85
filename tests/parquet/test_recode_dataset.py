"""Data sets: every file as `recode` makes it, whatever becomes of workers; which files are taken, what is refused."""

import io
import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import conftest
import dask
import distributed
import fsspec
import object_store
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import colcodec as cc
from colcodec import cli
from colcodec.parquet import recode

ROOT = Path(__file__).parents[2]
ROWS = 20_000 if conftest.JIT else 100


def make_table(seed, rows=30):
    return pa.table(
        {"id": range(rows), "url": [f"https://example.org/{seed}/{i * 7919 % rows:06}" for i in range(rows)]}
    )


def write(path, seed=0, rows=30, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(make_table(seed, rows), path, **options)
    return path


def contents(folder):
    """The files below a folder, hidden ones too."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def recoded_alone(folder, target, **options):
    """What becomes of a folder's files by one after the other."""
    for path in folder.rglob("*.parquet"):
        goal = target / path.relative_to(folder)
        goal.parent.mkdir(parents=True, exist_ok=True)
        recode(path, goal, **options)
    return contents(target)


@pytest.fixture
def client():
    """Stand in for Dask where it is not about that."""
    with ThreadPoolExecutor(1) as executor:
        yield executor


# --- Dask ------------------------------------------------------------------------------------------------------------


@contextmanager
def two_processes():
    """Run two workers; the limit of time tells a broken machine from one that is slow."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=300)
        yield client


@pytest.fixture(scope="module")
def workers():
    with two_processes() as client:
        yield client


def test_a_worker_that_is_killed(tmp_path):
    """In the middle of its work: another does it, to the very bytes, and nothing is lost or left half done."""
    for i in range(8):
        write(tmp_path / "in" / f"part={i}" / "0.parquet", i, ROWS + i)
    killed = []

    def kill_one(done, total, name):
        assert total == 8
        assert name == "0.parquet"
        if done == 2 and not killed:
            pids = client.run(os.getpid)
            address = next(worker for worker, keys in client.processing().items() if keys)
            killed.append(pids[address])
            os.kill(pids[address], signal.SIGKILL)

    with two_processes() as client:
        done = cc.parquet.recode_dataset(tmp_path / "in", tmp_path / "out", client=client, progress=kill_one)
        assert killed
        assert killed[0] not in client.run(os.getpid).values()
    assert done.failures == {}
    assert len(done.files) == 8
    found = {name: data for name, data in contents(tmp_path / "out").items() if "/." not in name}
    assert found == recoded_alone(tmp_path / "in", tmp_path / "alone")


class Deadly(ThreadPoolExecutor):
    """What Dask does where a file kills each worker that has it: it gives that up, and what waited beside it."""

    def __init__(self):
        super().__init__(1)
        self.submitted = Counter()

    def submit(self, function, call):
        name = Path(call.source).name
        self.submitted[name] += 1
        if name == "1.parquet" or (name == "2.parquet" and self.submitted[name] == 1):
            future = Future()
            future.set_exception(distributed.KilledWorker(name, SimpleNamespace(address="tcp://127.0.0.1:1"), 3))
            return future
        return super().submit(function, call)


def test_a_file_that_kills_its_workers(tmp_path):
    """It fails, with a reason; what waited where it killed is done all the same."""
    for i in range(4):
        write(tmp_path / "in" / f"{i}.parquet", i)
    with Deadly() as client:
        done = cc.parquet.recode_dataset(tmp_path / "in", tmp_path / "out", client=client)
    names = [str(tmp_path / "in" / f"{i}.parquet") for i in range(4)]
    assert [*done.files] == [names[0], *names[2:]]
    assert [*done.failures] == names[1:2]
    assert done.failures[names[1]].startswith("KilledWorker: ")
    assert client.submitted == {"0.parquet": 1, "1.parquet": 2, "2.parquet": 2, "3.parquet": 1}


def test_an_object_store(workers):
    """S3 from one end to the other, and a damaged file in the middle."""
    with object_store.serving() as environment, object_store.bucket() as store:
        workers.run(_set_environment, environment)
        for i in range(3):
            with store.open(f"bucket/in/part={i}/0.parquet", "wb") as file:
                pq.write_table(make_table(i), file)
        store.pipe("bucket/in/part=1/0.parquet", b"PAR1 and no more")
        done = cc.parquet.recode_dataset("s3://bucket/in", "s3://bucket/out", client=workers)
        assert done.failures == {
            "s3://bucket/in/part=1/0.parquet": "not a Parquet file: it ends in b'more', not in b'PAR1'"
        }
        store.invalidate_cache()
        assert store.find("bucket/out") == [f"bucket/out/part={i}/0.parquet" for i in (0, 2)]
        for i in (0, 2):
            with store.open(f"bucket/out/part={i}/0.parquet") as file:
                assert pq.read_table(file).equals(make_table(i))


def _set_environment(values):
    os.environ.update(values)


def test_the_command(workers, tmp_path):
    for i in range(3):
        write(tmp_path / "in" / f"{i}.parquet", i)
    (tmp_path / "in" / "broken.parquet").write_bytes(b"none")
    command = ["recode", tmp_path / "in", tmp_path / "out", "--engine", "dask"]
    result = CliRunner().invoke(cli.app, [*map(str, command), "--scheduler", workers.scheduler.address])
    assert result.exit_code == 1, result.stderr
    assert "broken.parquet: not a Parquet file" in result.stderr
    assert result.stderr.endswith("colcodec: 1 of 4 files failed\n")
    assert " in 3 files became " in result.stdout
    (tmp_path / "in" / "broken.parquet").unlink()
    assert contents(tmp_path / "out") == recoded_alone(tmp_path / "in", tmp_path / "alone")


@pytest.mark.skipif(not conftest.JIT, reason="takes the time of new processes")
def test_a_cluster_of_its_own(tmp_path):
    """Started by the command, and ended."""
    write(tmp_path / "in" / "0.parquet")
    command = [sys.executable, "-m", "colcodec", "recode", tmp_path / "in", tmp_path / "out", "--engine", "dask"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert contents(tmp_path / "out") == recoded_alone(tmp_path / "in", tmp_path / "alone")


def test_no_scheduler(tmp_path):
    write(tmp_path / "in" / "0.parquet")
    command = ["recode", tmp_path / "in", "--dry-run", "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"]
    with dask.config.set({"distributed.comm.timeouts.connect": "0.1s"}):
        result = CliRunner().invoke(cli.app, [*map(str, command)])
    assert result.exit_code == 2
    assert result.stderr.startswith("colcodec: tcp://127.0.0.1:1: Timed out trying to connect")


# --- Which files, and where to ---------------------------------------------------------------------------------------


def recode_all(client, source, target=None, **options):
    """Recode a data set that has no faults; give the names below the target."""
    done = cc.parquet.recode_dataset(source, target, client=client, **options)
    assert done.failures == {}
    return sorted(contents(target)) if target is not None else [*done.files]


@pytest.fixture
def hive(tmp_path):
    """Return a folder with partitions, and with what lies beside them."""
    folder = tmp_path / "in"
    for name in ("year=2024/a.parquet", "year=2025/_m=1/b.PARQ", "c.pq", ".d.parquet", "_e.parquet", "_old/f.parquet"):
        write(folder / name, seed=len(name))
    for name in ("_SUCCESS", "notes.txt", "year=2024/_common_metadata", ".hidden/g.parquet"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"")
    return folder


DATA = ["c.pq", "year=2024/a.parquet", "year=2025/_m=1/b.PARQ"]


def test_a_folder_keeps_its_layout(hive, client, tmp_path):
    """Without what hides in it, and what is no Parquet file."""
    assert recode_all(client, hive, tmp_path / "out") == DATA
    before, after = (
        ds.dataset(folder, partitioning="hive", exclude_invalid_files=True).to_table().sort_by("id")
        for folder in (hive, tmp_path / "out")
    )
    assert before.num_rows == 60  # Arrow leaves out _m=1, which Spark reads
    assert {*before["year"].to_pylist()} == {2024, None}
    assert before.sort_by("url").equals(after.sort_by("url"))


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("year=*/*.parquet", ["year=2024/a.parquet"]),
        ("**/*.[pP]*", DATA),
        ("year=202?/**/[ab].*", DATA[1:]),
        ("_old/*", ["f.parquet"]),
        ("*.pq", ["c.pq"]),
    ],
)
def test_a_pattern(hive, client, tmp_path, pattern, names):
    """Names are those from where it begins."""
    assert recode_all(client, f"{hive}/{pattern}", tmp_path / "out") == names


def test_several_sources(hive, client, tmp_path):
    sources = [hive / "year=2025", str(hive / "c.pq"), hive.as_uri() + "/year=2024/*"]
    assert recode_all(client, sources, tmp_path / "out") == ["_m=1/b.PARQ", "a.parquet", "c.pq"]


def test_relative_paths(hive, client, tmp_path, monkeypatch):
    """Are those of this process, wherever the workers are."""
    monkeypatch.chdir(tmp_path)
    done = cc.parquet.recode_dataset("in/*.pq", "out", client=client)
    assert [*done.files] == [str(hive / "c.pq")]
    assert [*contents(tmp_path / "out")] == ["c.pq"]


def test_in_place(hive, client):
    before = contents(hive)
    names = recode_all(client, hive, in_place=True, encoding="DELTA_BYTE_ARRAY")
    assert names == [str(hive / name) for name in DATA]
    after = contents(hive)
    assert {name for name in after if after[name] != before.get(name)} == {*DATA}
    assert cc.parquet.inspect(hive / "c.pq").columns[1].encodings == {"DELTA_BYTE_ARRAY": 1}
    assert pq.read_table(hive / "c.pq").equals(make_table(len("c.pq")))


# --- Large files -----------------------------------------------------------------------------------------------------


@pytest.fixture
def large(tmp_path):
    """Write a file of ten row groups, with all that there can be beside pages."""
    options = {"row_group_size": 300, "write_page_index": True, "data_page_size": 1000, "write_batch_size": 50}
    filters = {"bloom_filter_options": {"url": {"ndv": 300, "fpp": 0.01}}}
    try:
        return write(tmp_path / "in" / "large.parquet", rows=3000, **options, **filters)
    except TypeError:  # a pyarrow that cannot write bloom filters
        return write(tmp_path / "in" / "large.parquet", rows=3000, **options)


@pytest.mark.parametrize("part_size", [1, 6000, 10**9])
@pytest.mark.parametrize("options", [{}, {"columns": "url", "encoding": "DELTA_LENGTH_BYTE_ARRAY", "check": False}])
def test_parts(large, tmp_path, part_size, options):
    """Whatever parts there are, the file is the one that `recode` writes, and nothing else is left."""
    calls = []
    with SimpleExecutor(calls) as client:
        done = cc.parquet.recode_dataset(
            large.parent, tmp_path / "out", client=client, part_size=part_size, progress=lambda *_: None, **options
        )
    assert len(calls) == {1: 11, 6000: len(calls), 10**9: 1}[part_size]
    assert part_size != 6000 or 3 < len(calls) < 11
    alone = recode(large, tmp_path / "alone.parquet", **options)
    assert contents(tmp_path / "out") == {"large.parquet": (tmp_path / "alone.parquet").read_bytes()}
    file = done.files[str(large)]
    assert file.columns == alone.columns
    assert (file.size_before, file.size_after, file.num_row_groups) == (alone.size_before, alone.size_after, 10)


class SimpleExecutor(ThreadPoolExecutor):
    """Two threads; `calls` are the functions that they call."""

    def __init__(self, calls):
        super().__init__(2)
        self.calls = calls

    def submit(self, function, call):
        self.calls.append(call.function.__name__)
        return super().submit(function, call)


def test_parts_in_place(large, client):
    before = pq.read_table(large)
    done = cc.parquet.recode_dataset(large, in_place=True, client=client, part_size=1)
    assert done.failures == {}
    assert [*contents(large.parent)] == ["large.parquet"]
    assert pq.read_table(large).equals(before)
    assert "DELTA_BYTE_ARRAY" in cc.parquet.inspect(large).columns[1].encodings


def test_a_dry_run_of_parts(large, client):
    done = cc.parquet.recode_dataset(large, dry_run=True, client=client, part_size=1)
    assert [*contents(large.parent)] == ["large.parquet"]
    (column,) = done.columns
    assert column == recode(large, io.BytesIO()).columns[0]


def test_a_part_that_fails(large, client, tmp_path):
    """The file fails with the reason of that part, and nothing is left of the others."""
    data = bytearray(large.read_bytes())
    column = pq.read_metadata(large).row_group(7).column(1)
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + 20] = b"\xff" * 20
    large.write_bytes(data)
    done = cc.parquet.recode_dataset(large, tmp_path / "out", client=client, part_size=1)
    assert done.files == {}
    assert "column 'url', row group 7" in done.failures[str(large)]
    assert contents(tmp_path / "out") == {}


def test_a_file_that_changes_between_its_parts(large, tmp_path):
    class Changing(ThreadPoolExecutor):
        def submit(self, function, call):
            if call.arguments[0].row_groups.start == 5:
                write(tmp_path / "other", 1, rows=3000, row_group_size=100).replace(large)
            return super().submit(function, call)

    with Changing(1) as client:
        done = cc.parquet.recode_dataset(large, tmp_path / "out", client=client, part_size=1)
    assert done.failures == {str(large): "the file was changed meanwhile"}
    assert contents(tmp_path / "out") == {}


def test_parts_by_processes(workers, large, tmp_path):
    done = cc.parquet.recode_dataset(large, tmp_path / "out", client=workers, part_size=1)
    assert done.failures == {}
    recode(large, tmp_path / "alone.parquet")
    assert contents(tmp_path / "out") == {"large.parquet": (tmp_path / "alone.parquet").read_bytes()}


def test_no_size_of_parts(large, client, tmp_path):
    with pytest.raises(ValueError, match="part_size"):
        cc.parquet.recode_dataset(large, tmp_path / "out", client=client, part_size=-1)


def test_a_dry_run(hive, client):
    before = contents(hive.parent)
    assert recode_all(client, hive, dry_run=True) == [str(hive / name) for name in DATA]
    cc.parquet.recode_dataset(hive, hive.parent / "out", client=client, dry_run=True)
    assert contents(hive.parent) == before


def test_in_memory(client):
    """For threads and Dask's workers in this process alone."""
    for i in range(2):
        with fsspec.open(f"memory://in/x={i}/a.parquet", "wb") as file:
            pq.write_table(make_table(i), file)
    done = cc.parquet.recode_dataset("memory://in", "memory://", client=client)
    assert done.failures == {}
    store = fsspec.filesystem("memory")
    for i in range(2):
        assert pq.read_table(io.BytesIO(store.cat(f"/x={i}/a.parquet"))).equals(make_table(i))
    with ProcessPoolExecutor(1) as executor, pytest.raises(ValueError, match="known to this process alone"):
        cc.parquet.recode_dataset("memory://in", "memory://out", client=executor)
    with pytest.raises(ValueError, match="known to this process alone"):
        cc.parquet.recode_dataset("memory://in", "memory://out")
    store.rm("/", recursive=True)


@pytest.mark.parametrize(
    ("source", "target", "error", "message"),
    [
        ("", ".", ValueError, "c.pq is read, and would be replaced"),
        ("", "out", ValueError, "/in/out is inside of what is read"),
        ("link", "out", ValueError, "/in/out is inside of what is read"),
        ("**/*.pq", "out", ValueError, "/in/out is inside of what is read"),
        ("*.pq", ".", ValueError, "c.pq is read, and would be replaced"),
        (["c.pq", "year=2025/_m=1"], "year=2025/_m=1", ValueError, "b.PARQ is read, and would be replaced"),
        (["c.pq", "*.pq"], "../out", ValueError, "c.pq is there twice"),
        (["c.pq", "copy"], "../out", ValueError, r"/in/c.pq and .*/in/copy/c.pq would both become .*/out/c.pq"),
        ("c.pq", "notes.txt", NotADirectoryError, "notes.txt is a file"),
        ("none.parquet", "../out", FileNotFoundError, "none.parquet"),
        ("empty", "../out", FileNotFoundError, "no files with .parquet"),
        ("*.x", "../out", FileNotFoundError, r"\*.x: no files$"),
        ("", None, TypeError, "a target is needed"),
        (5, "../out", TypeError, "must be an iterable, not int"),
    ],
)
def test_refusals(hive, client, source, target, error, message):
    """Before anything is done."""
    (hive / "copy").mkdir()
    (hive / "copy" / "c.pq").write_bytes((hive / "c.pq").read_bytes())
    (hive / "link").symlink_to(hive)
    (hive / "empty").mkdir()
    before = contents(hive.parent)
    match source:
        case str():
            source = hive / source
        case list():
            source = [hive / name for name in source]
    with pytest.raises(error, match=message):
        cc.parquet.recode_dataset(source, None if target is None else hive / target, client=client)
    assert contents(hive.parent) == before


@pytest.mark.parametrize("name", ["_metadata", "year=2024/_delta_log/0.json"])
def test_in_place_where_that_is_known_elsewhere(hive, client, name):
    path = hive / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"")
    before = contents(hive)
    for source in (hive, f"{hive}/*/*.parquet", [hive / "year=2024" / "a.parquet", hive / "c.pq"]):
        with pytest.raises(ValueError, match=f"{name.split('/0')[0]} has sizes"):
            cc.parquet.recode_dataset(source, in_place=True, client=client)
    assert contents(hive) == before
    assert recode_all(client, hive, hive.parent / "out") == DATA


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"encoding": "FAST"}, ValueError, "unknown encoding 'FAST'"),
        ({"compression": "fast"}, ValueError, "compression must be one of"),
        ({"encoding": "DELTA_BYTE_ARRAY", "readers": iter(["hive"])}, ValueError, "is not read by hive"),
        ({"wrong": 1}, TypeError, "unexpected keyword argument 'wrong'"),
        ({"progress": None, "in_place": True}, TypeError, "what is done in place has none"),
    ],
)
def test_wrong_options_are_told_once(hive, client, options, error, message):
    """Not for each file."""
    with pytest.raises(error, match=message):
        cc.parquet.recode_dataset(hive, hive.parent / "out", client=client, **options)
    assert not (hive.parent / "out").exists()


# --- What is told ----------------------------------------------------------------------------------------------------


def test_what_is_told(client, tmp_path):
    """Sums by column, and for each file that failed why."""
    for i in range(2):
        write(tmp_path / "in" / f"{i}.parquet", i)
    pq.write_table(pa.table({"word": ["a", "b"]}), tmp_path / "in" / "2.parquet")
    (tmp_path / "in" / "3.parquet").write_bytes(b"none")
    folder = tmp_path / "out"
    (folder / "1.parquet").mkdir(parents=True)
    done = cc.parquet.recode_dataset(tmp_path / "in", folder, client=client, columns=iter(["url"]), encoding="PLAIN")
    names = [str(tmp_path / "in" / f"{i}.parquet") for i in range(4)]
    assert [*done.files] == names[:1]
    assert done.files[names[0]].size_after == (folder / "0.parquet").stat().st_size == done.size_after
    assert done.failures[names[1]].startswith("Is a directory: ")
    assert done.failures[names[2]] == "no column 'url'; there are 'word'"
    assert done.failures[names[3]] == "not a Parquet file: 4 bytes, of 12 at least"
    assert repr(done) == f"RecodedDataset(1 files, {done.size_before} bytes became {done.size_after}, 3 failed)"
    assert sorted(contents(folder)) == ["0.parquet"]


def test_columns_are_added_up(client, tmp_path):
    for i in range(3):
        write(tmp_path / f"{i}.parquet", i, use_dictionary=i > 0)
    done = cc.parquet.recode_dataset(tmp_path, client=client, dry_run=True, encoding="DELTA_LENGTH_BYTE_ARRAY")
    (column,) = done.columns
    alone = [recode(tmp_path / f"{i}.parquet", dry_run=True, encoding="DELTA_LENGTH_BYTE_ARRAY") for i in range(3)]
    assert column.name == "url"
    assert column.encodings_before == {"PLAIN": 1, "RLE_DICTIONARY": 2}
    assert column.encodings_after == {"DELTA_LENGTH_BYTE_ARRAY": 3}
    assert column.size_before == sum(file.columns[0].size_before for file in alone)
    assert column.size_after == sum(file.columns[0].size_after for file in alone)
    assert done.size_before == sum(file.size_before for file in alone)
