"""Nothing is printed but what a command was asked for, no warning leaks, and little input takes little memory."""

import io
import subprocess
import sys
from contextlib import suppress

import battery
import conftest
import hostile_files
import pytest

import colcodec as cc

EVERYTHING = """
import io, pickle
import colcodec as cc
values = ["axis", None, "axle", "", "naïve"]
for encoding in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"):
    page = cc.encode(values, encoding)
    assert cc.decode(page).to_pylist() == cc.decode_pages(cc.encode_pages(values, encoding, threads=2)).to_pylist()
    assert cc.PageReader(pickle.loads(pickle.dumps(page))).read(9).to_pylist() == values
    file = io.BytesIO()
    cc.parquet.write_columns(file, {"c": values}, encodings=encoding)
    assert cc.parquet.read_column(file, "c", threads=2).to_pylist() == values
    assert not cc.parquet.inspect(file).is_damaged
    cc.parquet.recode(file, io.BytesIO(), columns=["c"], encoding="PLAIN")
    try:
        cc.decode(bytes(page.data[:-1]), encoding=encoding, num_values=9, dictionary=page.dictionary)
        raise SystemExit("accepted")
    except (cc.ColcodecError, TypeError):
        pass
cc.choose(values)
cc.column(values).to_numpy("T"), cc.column(values).to_numpy("U", fill="")
"""


def run(*command):
    """Run Python in development mode, where every warning is an error; give what it printed."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", *command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_calls_print_nothing_and_warn_of_nothing():
    """From the import to the end of the process; files and threads are closed."""
    assert run("-c", EVERYTHING) == ""


@pytest.mark.parametrize("command", ["inspect", "compare", "recode", "--version"])
def test_commands_print_to_stdout_alone(tmp_path, command):
    """What went well leaves stderr empty, so that it can be watched."""
    path = tmp_path / "c.parquet"
    cc.parquet.write_columns(path, {"c": ["axis", None, "axle"]})
    more = {"inspect": [path], "compare": [path], "recode": [path, tmp_path / "new.parquet"]}
    assert run("-m", "colcodec", command, *map(str, more.get(command, []))) != ""


def test_hostile_input_prints_nothing(capfd):
    """Neither do the libraries that decompress it."""
    for _, _, data, _ in list(hostile_files.files())[:: 20 if conftest.JIT else 100]:
        for call in (cc.parquet.inspect, lambda file: cc.parquet.read_column(file, "c", max_data_size=1 << 20)):
            with suppress(cc.ColcodecError, KeyError):
                call(io.BytesIO(data))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("bomb", [*hostile_files.bombs()], ids=lambda bomb: bomb[0])
def test_little_input_is_never_a_memory_error(bomb):
    """F8: what a file claims is refused before there is room for it, where that would be too much."""
    name, data, _ = bomb
    assert len(data) < 200_000

    if not conftest.JIT and ("nulls" in name or "250 MB" in name):
        pytest.skip("needs compiled kernels: walks millions of values")
    for call in (cc.parquet.inspect, lambda file, **limit: cc.parquet.read_column(file, "c", **limit)):
        with battery.limited_memory(1 << 30), suppress(cc.ColcodecError):
            call(io.BytesIO(data), max_data_size=1 << 28)
