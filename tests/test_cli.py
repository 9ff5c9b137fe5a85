"""The command line: every kind of file it reads, and one line with exit code 2 for every kind that it does not."""

import functools
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import colcodec as cc
from colcodec import cli
from colcodec._sources import read_source
from colcodec.compare import compare

ROOT = Path(__file__).parents[1]
ENCODINGS = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"]


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command as its entry point does, without waiting for good timings: arguments -> code, stdout, stderr."""
    monkeypatch.setattr(cli.compare, "compare", functools.partial(compare, seconds=0))

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["colcodec", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_info:
            cli.main()
        return exit_info.value.code or 0, *capsys.readouterr()

    return run


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


def save(folder, name, *arrays, **named):
    path = folder / name
    np.savez(path, **named) if named else np.save(path, *arrays)
    return path


# --- What it reads

TEXT = [
    ("lf", b"axis\naxle\n", ["axis", "axle"]),
    ("crlf", b"axis\r\naxle\r\n", ["axis", "axle"]),
    ("no newline at the end", b"axis\naxle", ["axis", "axle"]),
    ("blank lines are empty strings", b"\na\n\n", ["", "a", ""]),
    ("one blank line", b"\n", [""]),
    ("empty file", b"", []),
    ("lone CR is text", b"a\rb\n", ["a\rb"]),
    ("byte order mark", b"\xef\xbb\xbfa\nb\n", ["a", "b"]),
    ("unicode", "naïve\n日本\n".encode(), ["naïve", "日本"]),
    ("not UTF-8", b"ok\n\xff\xfe\n", [b"ok", b"\xff\xfe"]),
    ("NUL is a character", b"a\0b\n", ["a\0b"]),
]


@pytest.mark.parametrize(("content", "values"), [case[1:] for case in TEXT], ids=[case[0] for case in TEXT])
def test_text_file_has_a_value_a_line(tmp_path, content, values):
    source = read_source(write(tmp_path, "words.txt", content), None)
    assert source.name == "words.txt"
    assert source.column.to_pylist() == values
    assert source.column.utf8 is not any(isinstance(value, bytes) for value in values)


CSV = [
    ("one column is taken", "x.csv", b"name\na\nb\n", None, "name", ["a", "b"]),
    ("named column", "x.csv", b"id,name\n1,a\n2,\n", "name", "name", ["a", ""]),
    ("quoted newline, comma and quote", "x.csv", b'id,name\n1,"a\r\nb,""c"""\n', "name", "name", ['a\r\nb,"c"']),
    ("byte order mark and CRLF", "x.csv", b"\xef\xbb\xbfname,id\r\na,1\r\n", "name", "name", ["a"]),
    ("blank lines are passed over", "x.csv", b"name\na\n\nb\n\n", None, "name", ["a", "b"]),
    ("header alone", "x.csv", b"name\n", None, "name", []),
    ("not UTF-8", "x.csv", b"name\na\n\xff\n", None, "name", [b"a", b"\xff"]),
    ("upper-case suffix", "X.CSV", b"name\na\n", None, "name", ["a"]),
    ("tabs", "x.tsv", b"id\tname\n1\ta,b\n", "name", "name", ["a,b"]),
    ("field over 128 KiB", "x.csv", b"name\n" + b"x" * 200_000, None, "name", ["x" * 200_000]),
]


@pytest.mark.parametrize(
    ("file", "content", "column", "name", "values"), [case[1:] for case in CSV], ids=[c[0] for c in CSV]
)
def test_csv_and_tsv_have_columns_with_names(tmp_path, file, content, column, name, values):
    source = read_source(write(tmp_path, file, content), column)
    assert (source.name, source.column.to_pylist()) == (name, values)


def test_npy_of_text_and_of_bytes(tmp_path):
    text = read_source(save(tmp_path, "u.npy", np.array(["naïve", "", "a\0b"])), None)
    assert (text.name, text.column.to_pylist()) == ("u.npy", ["naïve", "", "a\0b"])
    binary = read_source(save(tmp_path, "s.npy", np.array([b"\xff", b"ab"])), None)
    assert (binary.column.utf8, binary.column.to_pylist()) == (False, [b"\xff", b"ab"])
    swapped = read_source(save(tmp_path, "b.npy", np.array(["axis"], ">U4")), None)
    assert swapped.column.to_pylist() == ["axis"]


def test_npz_has_arrays_with_names(tmp_path):
    one = save(tmp_path, "one.npz", words=np.array(["a", "b"]))
    assert read_source(one, None).name == "words"
    two = save(tmp_path, "two.npz", words=np.array(["a", "b"]), numbers=np.arange(2))
    assert read_source(two, "words").column.to_pylist() == ["a", "b"]


def test_without_a_file_it_reads_the_paths_of_this_python():
    column = read_source(None, None).column
    paths = column.to_pylist()
    assert len(paths) > 1000
    assert paths == sorted(paths)
    assert len(set(paths)) == len(paths)
    assert all(Path(os.fsdecode(path)).is_absolute() for path in paths[::100])


def test_a_path_that_is_not_utf8_makes_the_column_binary(tmp_path, monkeypatch):
    (tmp_path / os.fsdecode(b"caf\xe9.py")).touch()
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    assert read_source(None, None).column.to_pylist() == [os.fsencode(tmp_path) + b"/caf\xe9.py"]


# --- What it refuses: one line on stderr, exit code 2


def make_bad_npy(folder):
    return write(folder, "x.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': '<U")


def make_truncated_npy(folder):
    path = save(folder, "t.npy", np.array(["axis"] * 100))
    return write(folder, "x.npy", path.read_bytes()[:-50])


def make_object_npy(folder):
    np.save(folder / "x.npy", np.array(["a", None], object))
    return folder / "x.npy"


def make_bad_npz(folder):
    path = save(folder, "t.npz", words=np.array(["axis"] * 100))
    return write(folder, "x.npz", path.read_bytes()[:60])


REFUSED = [
    ("missing", lambda folder: folder / "no", [], "No such file"),
    ("directory", lambda folder: folder, [], "Is a directory"),
    ("directory.npy", lambda folder: (folder / "d.npy").mkdir() or folder / "d.npy", [], "Is a directory"),
    ("broken Parquet", lambda folder: write(folder, "x.txt", b"PAR1\x15"), [], "x.txt: not a Parquet file: 5 bytes"),
    ("gzip", lambda folder: write(folder, "x.txt.gz", gzip.compress(b"a\n")), [], "compressed with gzip"),
    ("npy by another name", lambda folder: write(folder, "x.dat", b"\x93NUMPY\x01\0"), [], "without the suffix .npy"),
    ("text with --column", lambda folder: write(folder, "x.txt", b"a\n"), ["--column", "a"], "without a name"),
    ("no file with --column", lambda _: None, ["--column", "a"], "without a name"),
    ("empty CSV", lambda folder: write(folder, "x.csv", b""), [], "no header line"),
    (
        "CSV of several columns",
        lambda folder: write(folder, "x.csv", b"id,name\n1,a\n"),
        [],
        "2 columns, name one with",
    ),
    (
        "unknown column",
        lambda folder: write(folder, "x.csv", b"id,name\n1,a\n"),
        ["--column", "b"],
        "no column 'b': 'id', 'name'",
    ),
    (
        "ambiguous column",
        lambda folder: write(folder, "x.csv", b"a,a\n1,2\n"),
        ["--column", "a"],
        "several columns 'a'",
    ),
    ("short row", lambda folder: write(folder, "x.csv", b"a,b\n1,2\n3\n"), ["--column", "a"], "line 3: 1 fields, but"),
    ("long row", lambda folder: write(folder, "x.tsv", b"a\n1\t2\n"), [], "line 2: 2 fields, but the header has 1"),
    ("open quote", lambda folder: write(folder, "x.csv", b'a\n"b\n'), [], "line 2: unexpected end of data"),
    ("header over two lines", lambda folder: write(folder, "x.csv", b'"a\nb",c\n1,2\n'), [], r"'a\nb', 'c'"),
    ("numbers", lambda folder: save(folder, "x.npy", np.arange(3)), [], "found dtype int64 and shape (3,)"),
    ("two dimensions", lambda folder: save(folder, "x.npy", np.array([["a"]])), [], "shape (1, 1)"),
    ("no dimension", lambda folder: save(folder, "x.npy", np.array("a")), [], "shape ()"),
    (
        "structs",
        lambda folder: save(folder, "x.npy", np.zeros(2, [("a", "U3")])),
        [],
        "one-dimensional array of strings",
    ),
    ("surrogate", lambda folder: save(folder, "x.npy", np.array(["a", "\ud800"])), [], "1"),
    ("objects", make_object_npy, [], "pickled Python objects are not read"),
    ("broken npy", make_bad_npy, [], "not a NumPy file that can be read"),
    ("truncated npy", make_truncated_npy, [], "not a NumPy file that can be read"),
    ("empty npy", lambda folder: write(folder, "x.npy", b""), [], "not a NumPy file that can be read"),
    ("text as npy", lambda folder: write(folder, "x.npy", b"axis\n"), [], "npy"),
    ("truncated npz", make_bad_npz, [], "not a NumPy file that can be read"),
    ("npy with --column", lambda folder: save(folder, "x.npy", np.array(["a"])), ["--column", "a"], "without a name"),
    ("npz of several", lambda folder: save(folder, "x.npz", a=np.array(["a"]), b=np.array(["b"])), [], "2 columns"),
    (
        "npz, unknown array",
        lambda folder: save(folder, "x.npz", a=np.array(["a"])),
        ["--column", "b"],
        "no column 'b': 'a'",
    ),
    ("line break in the name", lambda folder: folder / "a\nb", [], "No such file"),
]


@pytest.mark.parametrize(("make", "options", "message"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_a_file_that_cannot_be_used_gets_one_line(run, tmp_path, make, options, message):
    path = make(tmp_path)
    code, out, err = run("compare", *([] if path is None else [path]), *options)
    assert (code, out) == (2, "")
    assert err.startswith("colcodec: ")
    assert err.splitlines(keepends=True) == [err]
    assert message in err


def test_an_unreadable_file_gets_one_line(run, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path, "x.txt", b"a\n")
    monkeypatch.setattr(Path, "open", refuse)  # root may read anything, so the mode of a file does not do here
    assert run("compare", path) == (2, "", f"colcodec: {path}: Permission denied\n")


def test_missing_cramjam_gets_one_line(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cramjam", None)
    path = write(tmp_path, "x.txt", b"a\n")
    code, out, err = run("compare", path)
    assert (code, out) == (2, "")
    assert err == 'colcodec: compression "zstd" needs cramjam: pip install "colcodec[parquet]"\n'
    assert run("compare", path, "--compression", "none")[0] == 0


# --- What it prints


def test_json_is_one_object_with_sizes_that_can_be_counted(run, tmp_path):
    path = write(tmp_path, "x.csv", b"id,key\n" + b"".join(b"%d,key-%05d\n" % (i, i) for i in range(1000)))
    code, out, err = run("compare", path, "--column", "key", "--compression", "snappy", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    encodings = result.pop("encodings")
    choice = result.pop("choice")
    assert result == {
        "column": "key",
        "num_values": 1000,
        "null_count": 0,
        "data_size": 9000,
        "utf8": True,
        "stored": None,
        "compression": "snappy",
    }
    assert [row["encoding"] for row in encodings] == ENCODINGS
    for row in encodings:
        assert {key: type(value) for key, value in row.items()} == {
            "encoding": str,
            "size": int,
            "compressed_size": int,
            "encode_mb_per_s": float,
            "decode_mb_per_s": float,
            "read_mb_per_s": float,
            "equal": bool,
            "reason": type(None),
        }
        assert row["equal"]
    # PLAIN: 4 bytes a length. DELTA_LENGTH_BYTE_ARRAY: equal lengths are a header and 8 blocks of width 0.
    header = len(bytes.fromhex("8001 04 e807 12"))
    assert encodings[0]["size"] == 9000 + 4 * 1000
    assert encodings[1]["size"] == 9000 + header + 8 * (1 + 4)
    # A sample that is the whole column, which fits one page, is measured as that page is.
    assert choice == {
        "encoding": "DELTA_BYTE_ARRAY",
        "readers": [],
        "num_sampled": 1000,
        "figures": [{key: row[key] for key in ("encoding", "size", "compressed_size", "reason")} for row in encodings],
    }


def many_distinct(folder):
    return write(folder, "long.txt", b"".join(b"%0100d\n" % i for i in range(12_000)))


def test_json_says_why_there_are_no_figures(run, tmp_path):
    code, out, _ = run("compare", many_distinct(tmp_path), "--compression", "none", "--json")
    result = json.loads(out)
    reason = "the dictionary takes more than 1048576 bytes: value 10082 has no room left in it"
    assert code == 0
    assert result["encodings"][-1] == {
        "encoding": "RLE_DICTIONARY",
        "size": None,
        "compressed_size": None,
        "encode_mb_per_s": None,
        "decode_mb_per_s": None,
        "read_mb_per_s": None,
        "equal": None,
        "reason": reason,
    }
    assert result["choice"]["figures"][-1]["reason"] == reason


def test_table_says_why_there_are_no_figures(run, tmp_path):
    code, out, _ = run("compare", many_distinct(tmp_path), "--compression", "none")
    lines = out.splitlines()
    assert code == 0
    assert next(line for line in lines if line.startswith("RLE_DICTIONARY ")).split()[1:] == ["-"] * 5
    assert lines[-4].startswith("RLE_DICTIONARY: the dictionary takes more than 1048576 bytes")


@pytest.mark.parametrize("as_json", [True, False], ids=["json", "table"])
def test_readers_limit_what_is_recommended(run, tmp_path, as_json):
    path = write(tmp_path, "x.txt", b"".join(b"key-%06d\n" % i for i in range(3000)))
    options = ("--readers", "impala", "--readers", "hive", *(["--json"] if as_json else []))
    code, out, _ = run("compare", path, *options)
    assert code == 0
    if as_json:
        choice = json.loads(out)["choice"]
        assert (choice["encoding"], choice["readers"]) == ("PLAIN", ["impala", "hive"])
        assert choice["figures"][2]["reason"] == "not read by impala"
    else:
        assert out.splitlines()[-2].startswith("Recommended for impala, hive: PLAIN, ")


def test_an_unknown_reader_is_refused_with_the_names(run, tmp_path):
    code, out, err = run("compare", write(tmp_path, "x.txt", b"a\n"), "--readers", "excel")
    assert (code, out) == (2, "")
    assert "unknown reader 'excel'" in err
    assert "fastparquet" in err


def test_json_of_no_values_has_zeros(run, tmp_path):
    code, out, _ = run("compare", write(tmp_path, "x.txt", b""), "--json")
    result = json.loads(out)
    assert code == 0
    assert (result["num_values"], result["data_size"]) == (0, 0)
    assert {row["encode_mb_per_s"] for row in result["encodings"]} == {0}


def test_table_names_the_smallest_and_compares_it_with_plain(run, tmp_path):
    words = [b"prefix-%06d" % i for i in range(3000)]
    code, out, err = run("compare", write(tmp_path, "words.txt", b"\n".join(words)), "--compression", "none")
    lines = [line.rstrip() for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert lines[0] == "words.txt: text, 3,000 values, 0 nulls, 39,000 bytes raw"
    pages = [cc.encode(words, encoding) for encoding in ENCODINGS]
    sizes = [page.nbytes + (0 if page.dictionary is None else page.dictionary.nbytes) for page in pages]
    rows = [line.split() for line in lines if line.startswith(tuple(ENCODINGS))]
    assert [row[0] for row in rows] == ENCODINGS
    assert [row[1] for row in rows] == [f"{sizes[0]:,}", f"{sizes[1]:,}", "*", f"{sizes[3]:,}"]
    assert rows[0][2] == f"{sizes[0] / 39_000:.1%}"
    assert {row[-1] for row in rows} <= {"✓", "yes"}
    assert lines[-3:] == [
        "* Smallest, each as a single page.",
        f"Recommended: DELTA_BYTE_ARRAY, {sizes[2]:,} bytes without compression; "
        f"PLAIN takes {sizes[0] / sizes[2]:.2f} times as many.",
        "That is in pages of up to 1 MiB and 65,536 rows, measured on all values.",
    ]


def test_table_says_what_an_estimate_comes_from(run, tmp_path):
    path = write(tmp_path, "x.txt", b"".join(b"key-%06d\n" % i for i in range(70_000)))
    code, out, _ = run("compare", path)
    lines = out.splitlines()
    assert code == 0
    assert lines[-2].startswith("Recommended: DELTA_BYTE_ARRAY, about ")
    assert lines[-1] == ("That is in pages of up to 1 MiB and 65,536 rows, estimated from 65,536 of 70,000 values.")


def test_table_says_when_plain_is_the_smallest_and_when_bytes_are_not_text(run, tmp_path):
    code, out, _ = run("compare", write(tmp_path, "x.txt", b"\xff"), "--compression", "none")
    assert code == 0
    assert "x.txt: binary (not UTF-8), 1 values" in out
    assert "Recommended: PLAIN, 5 bytes without compression.\n" in out


@pytest.mark.parametrize("compression", ["zstd", "snappy", "lz4", "gzip"])
def test_table_names_the_codec(run, tmp_path, compression):
    code, out, _ = run("compare", write(tmp_path, "x.txt", b"axis\n" * 100), "--compression", compression)
    assert code == 0
    assert compression in out.splitlines()[1]
    assert f" bytes with {compression}" in out.splitlines()[-2]


def test_a_decode_that_differs_ends_with_code_1(run, tmp_path, monkeypatch):
    monkeypatch.setattr("colcodec.compare.decode", lambda *_, **__: cc.column(["b"]))
    code, out, err = run("compare", write(tmp_path, "x.txt", b"a\n"))
    assert code == 1
    assert out.count(" NO") == 4
    assert err == f"colcodec: decoded values differ from the column under {', '.join(ENCODINGS)}\n"


def test_warmup_says_how_long_it_took(run):
    code, out, err = run("warmup")
    assert (code, err) == (0, "")
    assert out.startswith("Kernels ready in ")


def test_version_and_help(run):
    assert run("--version")[1].startswith("colcodec")
    for arguments in (["--help"], ["compare", "--help"], ["warmup", "--help"]):
        code, out, _ = run(*arguments)
        assert code == 0
        assert "Usage: colcodec" in out


def run_process(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize(
    ("line", "completed"), [("colcodec comp", "compare"), ("colcodec inspect --row", "--row-groups")]
)
def test_shells_complete_commands_and_options(line, completed):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    done = run_process("-m", "colcodec", _COLCODEC_COMPLETE="complete_bash", **words)
    assert (done.returncode, done.stdout.decode().split()) == (0, [completed])


def test_the_process_prints_to_a_pipe_without_escapes_in_any_encoding(tmp_path):
    path = write(tmp_path, "naïve.txt", b"axis\naxle\n")
    for encoding, tick in (("utf-8", "✓"), ("ascii", "yes")):
        done = run_process("-m", "colcodec", "compare", path, PYTHONIOENCODING=encoding, COLUMNS="30", TERM="xterm")
        assert (done.returncode, done.stderr) == (0, b"")
        out = done.stdout.decode(encoding)
        assert "\x1b" not in out
        assert [line.split()[0] for line in out.splitlines()[4:8]] == ENCODINGS
        assert out.count(tick) == 4


def test_without_its_parts_the_command_says_what_to_install():
    hide = "import sys; sys.modules['typer'] = None; from colcodec.cli import main; main()"
    done = run_process("-c", hide)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == 'colcodec: the command line needs typer: pip install "colcodec[cli]"\n'
