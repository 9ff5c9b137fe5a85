"""``colcodec inspect``: what it prints, and what it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import fsspec
import parquet_edit
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from colcodec import cli
from colcodec.parquet import inspect

ROOT = Path(__file__).parents[2]
ROWS = 100


def make(rows=ROWS, **columns):
    values = {
        "word": pa.array(["axis" if i % 4 else None for i in range(rows)]),
        "url": pa.array([f"https://example.org/{i:04}" for i in range(rows)]),
        "id": pa.array(range(rows)),
        "tags": pa.array([["a"] * (i % 3) for i in range(rows)]),
    }
    return pa.table(values | columns)


def write(path, table=None, **options):
    options = {"row_group_size": 60, "write_batch_size": 20, "data_page_size": 1, "compression": "zstd"} | options
    pq.write_table(make() if table is None else table, path, **options)
    return path


def edit(path, change):
    path.write_bytes(parquet_edit.edit(path.read_bytes(), change))
    return path


def forget_dictionary(metadata):
    for row_group in metadata.row_groups:
        own = row_group.columns[0].meta_data
        own.data_page_offset, own.dictionary_page_offset = own.dictionary_page_offset, None


def forget_one_dictionary(metadata):
    forget_dictionary(metadata)
    own = metadata.row_groups[1].columns[0].meta_data
    own.dictionary_page_offset = own.data_page_offset


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command as its entry point does: arguments -> code, stdout, stderr."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["colcodec", "inspect", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_info:
            cli.main()
        return exit_info.value.code or 0, *capsys.readouterr()

    return run


def rows_of(out, first):
    return [line.split() for line in out.splitlines() if line.startswith(first)]


# --- What it prints


def test_a_line_for_the_file_and_one_for_each_column(run, tmp_path):
    path = write(tmp_path / "x.parquet")
    code, out, err = run(path)
    info = inspect(path)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    size, by = path.stat().st_size, pq.read_metadata(path).created_by
    footer = f"footer {info.footer_size:,} bytes, written by {by}"
    assert lines[0] == f"{path}: {size:,} bytes, 100 rows in 2 row groups, {footer}"
    assert [line.split()[0] for line in lines[4:]] == ["word", "url", "id", "tags.list.element"]
    word = info.columns[0]
    names = ["word", "optional", "BYTE_ARRAY", "STRING", "RLE_DICTIONARY", "x5", "ZSTD"]
    sizes = [f"{75 * 4}", f"{word.encoded_size}", f"{word.compressed_size}", f"{word.compressed_size / info.size:.1%}"]
    assert rows_of(out, "word") == [[*names, "100", "25", *sizes]]
    assert rows_of(out, "id ")[0][:4] == ["id", "optional", "INT64", "RLE_DICTIONARY"]
    assert rows_of(out, "tags")[0][7:9] == [f"{sum(max(i % 3, 1) for i in range(ROWS))}", "34"]


def test_a_line_for_each_row_group(run, tmp_path):
    path = write(tmp_path / "x.parquet")
    code, out, _ = run(path, "--row-groups", "--column", "word", "--column", "id")
    assert code == 0
    assert len(out.splitlines()) == 4 + 4
    rows = [*rows_of(out, "word"), *rows_of(out, "id ")]
    sizes = [
        chunk.compressed_size for column in inspect(path, columns=["word", "id"]).columns for chunk in column.chunks
    ]
    assert [int(row[-2]) for row in rows] == sizes
    assert [row[-7:-4] for row in rows_of(out, "word")] == [["0", "60", "15"], ["1", "40", "10"]]


def test_a_line_for_each_page(run, tmp_path):
    path = write(tmp_path / "x.parquet", compression="none", write_page_checksum=True)
    code, out, _ = run(path, "--pages", "--column", "word")
    pages = [page for chunk in inspect(path, pages=True).columns[0].chunks for page in chunk.pages]
    assert code == 0
    rows = rows_of(out, "word")
    assert len(rows) == len(pages) == 2 + 5
    for row, page in zip(rows, pages, strict=True):
        assert row[-1] == "ok"
        sizes = [page.header_size, page.uncompressed_size, page.compressed_size]
        nulls = "-" if page.null_count is None else f"{page.null_count}"
        assert row[-7:-1] == [f"{page.offset:,}", f"{page.num_values}", nulls, *map(str, sizes)]
    assert rows[0][:4] == ["word", "dictionary", "PLAIN", "UNCOMPRESSED"]
    assert rows[1][:5] == ["word", "data", "v1", "RLE_DICTIONARY", "UNCOMPRESSED"]
    second = run(write(path, data_page_version="2.0"), "--pages", "--column", "word")[1]
    assert rows_of(second, "word")[1][:3] == ["word", "data", "v2"]
    assert rows_of(second, "word")[1][-1] == "absent"


def test_json_is_all_there_is(run, tmp_path):
    path = write(tmp_path / "x.parquet")
    code, out, err = run(path, "--pages", "--json")
    assert (code, err) == (0, "")
    result, info = json.loads(out), inspect(path, pages=True)
    columns = result.pop("columns")
    assert result == {
        "file": str(path),
        "size": info.size,
        "footer_size": info.footer_size,
        "num_rows": 100,
        "num_row_groups": 2,
        "created_by": info.created_by,
        "findings": [],
    }
    for own, column in zip(columns, info.columns, strict=True):
        chunks = own.pop("chunks")
        assert own == {
            "name": column.name,
            "index": column.index,
            "physical_type": column.physical_type,
            "type_length": None,
            "logical_type": column.logical_type,
            "repetition": "optional",
            "max_definition_level": column.max_definition_level,
            "max_repetition_level": column.max_repetition_level,
            "codecs": ["ZSTD"],
            "encodings": column.encodings,
            "num_values": column.num_values,
            "null_count": column.null_count,
            "raw_size": column.raw_size,
            "encoded_size": column.encoded_size,
            "compressed_size": column.compressed_size,
        }
        for theirs, chunk in zip(chunks, column.chunks, strict=True):
            pages = theirs.pop("pages")
            names = ("row_group", "codec", "encodings", "num_values", "null_count", "raw_size")
            assert {name: theirs[name] for name in names} == {name: getattr(chunk, name) for name in names}
            assert theirs["claimed_encodings"] == list(chunk.claimed_encodings)
            assert theirs["findings"] == []
            for page, found in zip(pages, chunk.pages, strict=True):
                assert page.pop("level_encodings") == list(found.level_encodings)
                assert page == {name: getattr(found, name) for name in page}
                assert set(page) == set(found.__slots__) - {"level_encodings"}
    assert json.loads(run(path, "--json")[1])["columns"][0]["chunks"][0]["pages"] is None


def test_what_is_wrong_is_told_below(run, tmp_path):
    path = edit(write(tmp_path / "x.parquet"), forget_dictionary)
    code, out, err = run(path)
    assert (code, err) == (0, "")
    warnings = [line for line in out.splitlines() if line.startswith("Warning: ")]
    assert warnings[0].startswith("Warning: word: data_page_offset is 4, where a dictionary page is; ")
    found = "dictionary_page_offset is absent; the first dictionary page is at byte 4"
    assert warnings[1] == f"Warning: word: {found} (row group 0, and 1 more)"
    assert len(warnings) == 2
    for option in ("--row-groups", "--pages"):
        each = [line for line in run(path, option)[1].splitlines() if line.startswith("Warning: ")]
        assert len(each) == 4
        assert each[3].endswith("(row group 1)")
    found = json.loads(run(path, "--json")[1])["columns"][0]["chunks"][1]["findings"]
    assert [(one["level"], one["kind"]) for one in found] == [
        ("warning", "data_page_offset"),
        ("warning", "dictionary_page_offset"),
    ]


def test_of_one_row_group_none_is_named(run, tmp_path):
    path = edit(write(tmp_path / "x.parquet", row_group_size=1000), forget_dictionary)
    assert "(row group" not in run(path)[1]
    once = edit(write(tmp_path / "y.parquet"), forget_one_dictionary)
    assert "byte 4 (row group 0)\n" in run(once)[1]


def test_what_is_wrong_with_the_file(run, tmp_path):
    def change(metadata):
        metadata.num_rows += 1
        for row_group in metadata.row_groups:
            row_group.file_offset = 1

    code, out, _ = run(edit(write(tmp_path / "x.parquet"), change))
    assert code == 0
    assert "\nWarning: the footer has 101 rows; its row groups have 100\n" in out
    assert "\nWarning: row group 0: file_offset is 1; its first page is at byte 4 (and 1 more)\n" in out


def test_a_dictionary_that_was_given_up_is_a_note(run, tmp_path):
    path = write(tmp_path / "x.parquet", dictionary_pagesize_limit=100, row_group_size=100)
    code, out, _ = run(path, "--column", "url")
    assert code == 0
    assert "RLE_DICTIONARY x1, PLAIN x4" in out
    assert out.splitlines()[-1] == "Note: url: 4 of 5 data pages fell back from the dictionary to PLAIN"


@pytest.mark.parametrize("option", [None, "--row-groups", "--pages", "--json"])
def test_a_damaged_column_ends_with_code_1_and_the_others_are_shown(run, tmp_path, option):
    path = write(tmp_path / "x.parquet")
    whole = inspect(path, pages=True)
    page = whole.columns[0].chunks[1].pages[1]
    data = bytearray(path.read_bytes())
    data[page.offset + page.header_size : page.offset + page.header_size + 4] = b"\0\0\0\0"
    path.write_bytes(data)
    code, out, err = run(path, *([] if option is None else [option]))
    assert (code, err) == (1, "")
    if option == "--json":
        columns = json.loads(out)["columns"]
        assert columns[0]["null_count"] is None
        assert columns[1]["null_count"] == 0
    else:
        assert [line for line in out.splitlines() if line.startswith(f"Error: word: data page at byte {page.offset}: ")]
        assert "?" in [cell for row in rows_of(out, "word") for cell in row]
        assert rows_of(out, "url")


def test_a_column_that_cannot_be_read_at_all(run, tmp_path):
    def change(metadata):
        metadata.row_groups[0].columns[0].meta_data = None

    code, out, _ = run(edit(write(tmp_path / "x.parquet", row_group_size=100), change))
    assert code == 1
    assert rows_of(out, "word")[0][4:] == ["-", "-", "0", "?", "?", "0", "0", "0.0%"]
    assert "\nError: word: column word has no metadata\n" in out


def test_a_file_anywhere(run, tmp_path):
    path = write(tmp_path / "x.parquet")
    fsspec.filesystem("memory").pipe("/cli.parquet", path.read_bytes())
    code, out, _ = run("memory://cli.parquet")
    assert code == 0
    assert out.splitlines()[1:] == run(path)[1].splitlines()[1:]


def test_an_empty_file(run, tmp_path):
    path = tmp_path / "x.parquet"
    pq.ParquetWriter(path, make().schema).close()
    code, out, _ = run(path)
    assert code == 0
    assert "0 rows in 0 row groups" in out
    assert rows_of(out, "word")[0][4:] == ["-", "-", "0", "0", "0", "0", "0", "0.0%"]


# --- Names

NAMES = ["[red]x[/red]", ":smile:", "a\nb", "\x1b[31mx", "naïve", "日本", "a" * 200]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("option", [None, "--pages"])
def test_names_are_shown_as_they_are(run, tmp_path, name, option):
    """But for what a terminal would obey."""
    path = write(tmp_path / "x.parquet", pa.table({name: ["a"] * 5}))
    code, out, _ = run(path, *([] if option is None else [option]))
    assert code == 0
    shown = {"a\nb": "a\\nb", "\x1b[31mx": "\\x1b[31mx"}.get(name, name)
    assert out.splitlines()[4].startswith(f"{shown} ")


def run_process(*arguments, **environment):
    command = [sys.executable, "-W", "error", "-m", "colcodec", "inspect", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, check=False, timeout=300
    )


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_pipe_gets_plain_text_in_any_encoding(tmp_path, encoding):
    name = os.fsdecode(b"caf\xe9.parquet")
    path = tmp_path / name
    path.write_bytes(write(tmp_path / "x.parquet", make(naïve=pa.array(["ä"] * ROWS))).read_bytes())
    done = run_process(path, PYTHONIOENCODING=encoding, COLUMNS="30", TERM="xterm", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    out = done.stdout.decode(encoding)
    assert "\x1b" not in out
    assert out.splitlines()[0].startswith(f"{tmp_path}/caf\\udce9.parquet: ")
    columns = ["word", "url", "id", "tags.list.element", "naïve" if encoding == "utf-8" else "na\\xefve"]
    assert [line.split()[0] for line in out.splitlines()[4:]] == columns
    as_json = run_process(path, "--json", PYTHONIOENCODING=encoding)
    assert json.loads(as_json.stdout)["file"] == str(path)


def test_a_narrow_terminal_folds_names_and_no_numbers(tmp_path, monkeypatch):
    pty = pytest.importorskip("pty")
    path = write(tmp_path / "x.parquet", make(200))
    master, slave = pty.openpty()
    environment = os.environ | {"COLUMNS": "90", "TERM": "xterm", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "colcodec", "inspect", str(path), "--column", "tags.list.element"]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=slave, stderr=subprocess.PIPE, check=False)
    os.close(slave)
    out = os.read(master, 1 << 16).decode()
    os.close(master)
    assert done.returncode == 0, done.stderr
    assert "…" not in out
    info = inspect(path, columns=["tags.list.element"])
    row = next(line.split() for line in out.splitlines() if line.startswith("tags.list.e"))
    assert row[0] != "tags.list.element"
    assert row[-2:] == [f"{info.columns[0].compressed_size:,}", f"{info.columns[0].compressed_size / info.size:.1%}"]


# --- What it refuses: one line on stderr, exit code 2


def put(folder, content):
    path = folder / "x.parquet"
    path.write_bytes(content)
    return path


REFUSED = [
    ("missing", lambda folder: folder / "no", [], "no: No such file or directory"),
    ("directory", lambda folder: folder, [], "Is a directory"),
    ("text", lambda folder: put(folder, b"axis and more\n"), [], "x.parquet: not a Parquet file: it ends in b'ore\\n'"),
    ("empty", lambda folder: put(folder, b""), [], "not a Parquet file: 0 bytes"),
    (
        "encrypted",
        lambda folder: put(folder, b"PARE" + bytes(9) + b"PARE"),
        [],
        "the file is encrypted, footer included",
    ),
    (
        "unknown column",
        lambda folder: write(folder / "x"),
        ["--column", "b"],
        "x has no column 'b'; there are 'word',",
    ),
    ("unknown URL", lambda _: "nowhere://x.parquet", [], "nowhere://x.parquet: Protocol not known: nowhere"),
    ("URL of nothing", lambda _: "memory://missing.parquet", [], "memory://missing.parquet: "),
    ("line break in the name", lambda folder: folder / "a\nb", [], "No such file"),
]


@pytest.mark.parametrize(("make_file", "options", "message"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_a_file_that_cannot_be_used_gets_one_line(run, tmp_path, make_file, options, message):
    code, out, err = run(make_file(tmp_path), *options)
    assert (code, out) == (2, "")
    assert err.startswith("colcodec: ")
    assert err.splitlines(keepends=True) == [err]
    assert message in err


def test_help(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "Usage: colcodec inspect" in out
