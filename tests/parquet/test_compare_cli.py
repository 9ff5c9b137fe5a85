"""``colcodec compare`` on columns of Parquet files."""

import functools
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from colcodec import cli
from colcodec._sources import SourceError, read_source
from colcodec.compare import compare
from colcodec.parquet import inspect

WORDS = ["axis", None, "axle", "naïve"] * 25
TABLE = pa.table(
    {
        "id": pa.array(range(100)),
        "word": pa.array(WORDS),
        "blob": pa.array([b"\xff\xfe"] * 100),
        "key": pa.array([bytes([i]) * 3 for i in range(100)], pa.binary(3)),
        "place": pa.array([{"city": word} if i % 5 else None for i, word in enumerate(WORDS)]),
        "tags": pa.array([["x", None, "yy"][: i % 4] for i in range(100)]),
    }
)


def write(folder, columns, name="x.parquet", **options):
    path = folder / name
    pq.write_table(TABLE.select(columns), path, **options)
    return path


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command without waiting for good timings: arguments -> code, stdout, stderr."""
    monkeypatch.setattr(cli.compare, "compare", functools.partial(compare, seconds=0))

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["colcodec", "compare", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_info:
            cli.main()
        return exit_info.value.code or 0, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("columns", "name", "values"),
    [
        (["word"], None, WORDS),
        (["id", "word"], None, WORDS),
        (["blob", "word", "key"], None, WORDS),  # the only one of text
        (["id", "blob"], None, [b"\xff\xfe"] * 100),
        (["word", "blob"], "blob", [b"\xff\xfe"] * 100),
        (["word", "key"], "key", [bytes([i]) * 3 for i in range(100)]),
        (["word", "place"], "place.city", [word if i % 5 else None for i, word in enumerate(WORDS)]),
        (["tags"], None, [tag for i in range(100) for tag in ["x", None, "yy"][: i % 4] if tag is not None]),
    ],
)
def test_columns_of_parquet_files(tmp_path, columns, name, values):
    """The named one, or the only one of text, or of bytes."""
    path = write(tmp_path, columns)
    source = read_source(path, name)
    assert source.column.to_pylist() == values
    assert source.column.utf8 is all(isinstance(value, (str, type(None))) for value in values)
    (own,) = inspect(path, columns=[source.name]).columns
    assert source.stored == (own.encodings, own.codecs, own.encoded_size, own.compressed_size)


@pytest.mark.parametrize("name", ["words", "words.csv", "words.npy", "words.txt"])
def test_a_parquet_file_is_known_by_its_first_bytes(tmp_path, name):
    """Whatever it is called."""
    source = read_source(write(tmp_path, ["word"], name), None)
    assert (source.name, source.column.to_pylist()) == ("word", WORDS)


@pytest.mark.parametrize(
    ("columns", "name", "message"),
    [
        (
            ["id", "word", "place", "key"],
            None,
            "x.parquet has 3 columns, name one with --column: 'word', 'place.city', 'key'",
        ),
        (["blob", "key"], None, "has 2 columns, name one with --column: 'blob', 'key'"),
        (["word", "place"], "place", "x.parquet has no column 'place': 'word', 'place.city'"),
        (["id"], None, "x.parquet has no column of strings"),
    ],
)
def test_columns_that_cannot_be_chosen(tmp_path, columns, name, message):
    """With those that can."""
    with pytest.raises(SourceError, match="has ") as caught:
        read_source(write(tmp_path, columns), name)
    assert message in str(caught.value)


def test_a_column_of_numbers_gets_one_line(run, tmp_path):
    code, out, err = run(write(tmp_path, ["id", "word"]), "--column", "id")
    assert (code, out) == (2, "")
    assert err == "colcodec: column 'id' is of INT64; expected BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY\n"


def test_table_says_how_the_column_is_stored(run, tmp_path):
    path = write(tmp_path, ["word"], compression="snappy")
    code, out, err = run(path)
    (own,) = inspect(path).columns
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == f"word: text, 100 values, 25 nulls, {25 * (4 + 4 + 6)} bytes raw"
    sizes = f"{own.encoded_size} bytes, {own.compressed_size} with SNAPPY, headers and levels included"
    assert lines[1] == f"In the file: RLE_DICTIONARY x1; {sizes}"
    assert lines[-2].startswith("Recommended: ")
    none = run(write(tmp_path, ["word"], compression="none", use_dictionary=False))[1].splitlines()[1]
    assert none == f"In the file: PLAIN x1; {inspect(path).columns[0].encoded_size} bytes, headers and levels included"


def test_json_says_how_the_column_is_stored(run, tmp_path):
    path = write(tmp_path, ["id", "word"], row_group_size=50)
    code, out, _ = run(path, "--json")
    (own,) = inspect(path, columns=["word"]).columns
    assert code == 0
    assert json.loads(out)["stored"] == {
        "encodings": {"RLE_DICTIONARY": 2},
        "codecs": ["SNAPPY"],
        "encoded_size": own.encoded_size,
        "compressed_size": own.compressed_size,
    }


def test_a_damaged_file_gets_one_line(run, tmp_path):
    path = write(tmp_path, ["word"], compression="zstd")
    data = bytearray(path.read_bytes())
    data[30:60] = bytes(30)
    path.write_bytes(data)
    code, out, err = run(path)
    assert (code, out) == (2, "")
    assert err.startswith(f"colcodec: {path}: ")
    assert err.count("\n") == 1


def test_an_encrypted_file_gets_one_line(run, tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PARE" + bytes(20) + b"PARE")
    assert run(path) == (
        2,
        "",
        f"colcodec: {path}: the file is encrypted, footer included; colcodec does not decrypt\n",
    )


def test_text_files_need_no_thrift(run, tmp_path, monkeypatch):
    """Parquet files do, and say what to install."""
    path = write(tmp_path, ["word"])
    text = tmp_path / "x.txt"
    text.write_text("axis\naxle\n")
    for name in [name for name in sys.modules if name.startswith("colcodec.parquet")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "thrift", None)
    assert run(text)[0] == 0
    assert run(path) == (2, "", 'colcodec: colcodec.parquet needs thrift: pip install "colcodec[parquet]"\n')
