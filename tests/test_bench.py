"""The bench runs: its columns are those of before, results are checked, and a small run ends in tables and JSON."""

import json
import re

import conftest
import numpy as np
import pytest

import colcodec as cc
from bench import before, corpora
from bench.__main__ import main
from bench.cases import ENCODINGS, Indices, Integers, Levels, cases
from bench.columns import Column, from_list
from bench.measure import Function, UnequalError, interleave, ratio
from bench.report import MEMCPY
from bench.seeds import plain_decoding

CRC32 = {
    "seed-arrow-1024": "7a6e05f8",
    "seed-arrow-65536-nulls10": "d3b69c61",
    "java-short-low": "0bb97dbb",
    "java-short-high": "5bda2bcd",
    "uuids": "28b83171",
    "distinct-100-nulls10": "190790b2",
    "distinct-all": "1f9edd80",
    "empty-and-long": "7f431f61",
    "arrow-delta-8-2048-90": "3cf04471",
}


@pytest.fixture
def tiny(monkeypatch):
    """Put a column of a few values with a null into the registry."""
    offsets, data, _ = from_list([b"axis", b"axle", b"", b"", b"babble"])
    validity = np.array([1, 1, 0, 1, 1], np.uint8)
    monkeypatch.setitem(corpora.COLUMNS, "tiny", (lambda rng: (offsets, data, validity), "five values"))
    return Column("tiny", offsets, data, validity)


@pytest.mark.parametrize("name", CRC32)
def test_columns_never_change(name):
    """Figures of different days can be compared: the bytes are those that they were measured on."""
    assert corpora.make(name).crc32 == CRC32[name]


def test_main_table(tiny, tmp_path, capsys):
    """Every operation of every encoding is a row, and the JSON holds it."""
    file = tmp_path / "out.json"
    assert main(["--columns", "tiny", "--peers", "none", "--rounds", "2", "--seconds", "0", "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    assert all(encoding in printed for encoding in ENCODINGS)
    written = json.loads(file.read_text())
    assert len(written["rows"]) == len(list(cases(tiny))) == 14
    for row in written["rows"]:
        assert set(row["results"]) == {"colcodec", *MEMCPY}
        assert row["results"]["colcodec"]["ratio"] == 1
        assert all(len(result["ns_by_round"]) == 2 for result in row["results"].values())


def test_seeds(tiny, tmp_path, monkeypatch, capsys):
    """Both tables come out, with "before" beside ours."""
    monkeypatch.setattr("bench.seeds.make", lambda name: Column(name, tiny.offsets, tiny.data))
    file = tmp_path / "out.json"
    assert main(["seeds", "--peers", "none", "--rounds", "1", "--seconds", "0", "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "DecodeArrowNonNull_Dense/65536" in printed
    assert "encodeDeltaByteArray 1000 HIGH" in printed
    rows = json.loads(file.read_text())["rows"]
    assert len(rows) == 2 * 4 + 2 * 6
    assert all("before" in row["results"] for row in rows)


def test_plot(tiny, tmp_path):
    """A drawing is written."""
    pytest.importorskip("matplotlib")
    file = tmp_path / "out.svg"
    main(["--columns", "tiny", "--peers", "none", "--rounds", "1", "--seconds", "0", "--plot", str(file)])
    drawn = file.read_text()
    assert all(text in drawn for text in ("<!-- tiny -->", "<!-- PLAIN, decode -->", "<!-- memcpy fresh -->"))


def test_a_wrong_result_is_not_timed(tiny, monkeypatch):
    """A contender that makes something else of the column ends the run."""
    case = next(case for case in cases(tiny) if case.operation == "decode")
    monkeypatch.setattr(before, "decode_plain", lambda page, count: (np.zeros(count + 1, np.int64), page[:0]))
    with pytest.raises(UnequalError, match="before decodes PLAIN of tiny"):
        plain_decoding("line", case)


def test_wrong_indices_are_not_timed(tiny):
    """Indices are looked up in their dictionary and compared with the column, nulls too."""
    subject = Indices(tiny, "RLE_DICTIONARY")
    indices, dictionary = cc.decode_indices(subject.page)
    subject.check(cc.DictionaryColumn(indices, dictionary), "one")
    for i in range(len(indices)):
        wrong = indices.copy()
        wrong[i] = 0 if indices[i] else 1
        with pytest.raises(UnequalError, match="one decodes RLE_DICTIONARY of tiny"):
            subject.check(cc.DictionaryColumn(wrong, dictionary), "one")


def test_pages_of_others_are_decoded(tiny):
    """What another wrote is put in the place of ours, section by section."""
    subject = Indices(tiny, "RLE_DICTIONARY")
    assert subject.equals(cc.decode(subject.page_of(subject.sections)))
    longer = b"\x04\0\0\0oxen" + subject.sections[".dictionary"].tobytes()[8:]
    other = subject.page_of(subject.sections | {".dictionary": np.frombuffer(longer, np.uint8)})
    assert cc.decode(other).to_pylist() == [b"oxen", b"axle", None, b"", b"babble"]


def test_levels(tiny):
    """Levels are compared with the bitmap; None is one of ones."""
    levels = Levels(tiny, "levels")
    assert levels.equals(levels.operations["decode"]())
    assert not levels.equals(cc.decode_validity(cc.encode_validity(None, 5), 5))
    full = Column("full", tiny.offsets, tiny.data, np.ones(5, np.uint8))
    assert Levels(full, "levels").equals(cc.decode_validity(cc.encode_validity(None, 5), 5))


def test_a_column_has_only_some_cases(tiny):
    """Without validity there are no levels, and of nothing but nulls there are only these."""
    plain = Column("plain", tiny.offsets, tiny.data)
    assert {case.subject.encoding for case in cases(plain)} == set(ENCODINGS) - {"levels"}
    null = Column("null", tiny.offsets * 0, tiny.data[:0], np.zeros(5, np.uint8))
    assert {case.subject.encoding for case in cases(null)} == {"levels"}


def test_files_of_pyarrow(tiny, tmp_path, capsys):
    """Whole files stand beside every operation but those on levels."""
    pytest.importorskip("pyarrow")
    file = tmp_path / "out.json"
    arguments = ["--columns", "tiny", "--peers", "pyarrow file", "--rounds", "1", "--seconds", "0", "--json", str(file)]
    assert main(arguments) == 0
    rows = json.loads(file.read_text())["rows"]
    assert all(("pyarrow file" in row["results"]) == (row["encoding"] != "levels") for row in rows)


def test_a_missing_peer_is_named(tiny, monkeypatch, capsys):
    """A peer that cannot be built is told with the reason."""
    monkeypatch.setenv("PATH", "")
    assert main(["--columns", "tiny", "--peers", "parquet-java", "--rounds", "1", "--seconds", "0"]) == 0
    assert "missing: parquet-java: java is not installed" in capsys.readouterr().out


def test_unknown_names_are_refused(capsys):
    """A wrong name is told with the known ones."""
    with pytest.raises(SystemExit, match="2"):
        main(["--columns", "nothing"])
    assert "no 'nothing' in seed-arrow-1024" in capsys.readouterr().err


def test_before_equals_after(tiny):
    """The slow ways come to the same bytes."""
    strings = cc.column([b"axis", b"axle", b"", b"babble", b"babyhood"])
    for encoding, encode in (
        ("DELTA_BYTE_ARRAY", before.encode_delta_byte_array),
        ("DELTA_LENGTH_BYTE_ARRAY", before.encode_delta_length_byte_array),
    ):
        assert encode(strings.offsets, strings.data).tobytes() == cc.encode(strings, encoding).data.tobytes()


def test_nulls_hold_no_bytes(tiny):
    """The lengths that DELTA_BINARY_PACKED is measured on are those of the values that are present."""
    assert tiny.lengths.tolist() == [4, 4, 0, 6]
    assert tiny.strings.to_pylist() == [b"axis", b"axle", None, b"", b"babble"]
    assert Integers(tiny, "DELTA_BINARY_PACKED").data.size == 16


def test_rounds_are_interleaved():
    """Each round runs every contender once, after one run of each that does not count."""
    calls = []
    contenders = {name: Function(lambda name=name: calls.append(name)) for name in "ab"}
    times = interleave(contenders, rounds=2, seconds=0)
    assert "".join(calls) == ("a" * 3 + "b" * 3) * 3
    assert {name: len(rounds) for name, rounds in times.items()} == {"a": 2, "b": 2}
    assert ratio([2, 20, 6], [1, 10, 2]) == 2


def test_scale(capsys):
    """Sizes, memory, memory used again, and threads: a table each."""
    assert main(["scale", "--quick", "--markdown"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n| --- |") == 4
    assert printed.count("| DELTA_BYTE_ARRAY |") == 8


def test_convert(capsys):
    """Every way in and out, checked and beside another that does the same."""
    pytest.importorskip("numcodecs")
    assert main(["convert", "--quick", "--markdown"]) == 0
    printed = capsys.readouterr().out
    for kind in ("list", "object", "StringDType", "U", "S", "pandas str", "polars String"):
        assert printed.count(f"| {kind} | in |") == printed.count(f"| {kind} | out |") == 1
    assert "| Arrow string_view | in |" in printed


def test_parquet(capsys):
    """Every encoding with every compression, read by all."""
    pytest.importorskip("arro3.io")
    assert main(["parquet", "--quick", "--markdown"]) == 0
    printed = capsys.readouterr().out
    for encoding in ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN", "RLE_DICTIONARY"):
        assert printed.count(f"| {encoding} | none |") == printed.count(f"| {encoding} | zstd |") == 2


def test_sizes(capsys):
    """Values in order share more than others, with zstd too."""
    assert main(["sizes", "--quick", "--markdown"]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("| 500,000 keys"))
    plain, _, delta = (cell.strip().split("%, ") for cell in row.split("|")[3:6])
    assert float(delta[0]) < float(plain[0]) / 3
    assert float(delta[1].rstrip("%")) < float(plain[1].rstrip("%")) * 0.7


@pytest.mark.skipif(not conftest.JIT, reason="takes the time of new processes")
def test_dataset(capsys):
    """One worker, and as many as there are."""
    assert main(["dataset", "--quick", "--markdown"]) == 0
    printed = capsys.readouterr().out
    assert "8 files of 1,000 URLs" in printed
    assert re.search(r"^\| 1 \| .* \| 1\.00 x \|$", printed, re.MULTILINE)


def test_numcodecs(capsys):
    """Every kind of array by every codec, alone and compressed."""
    assert main(["numcodecs", "--quick", "--markdown"]) == 0
    printed = capsys.readouterr().out
    for codec in ("VLenUTF8", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"):
        for kind in ("object", "StringDType"):
            assert printed.count(f"| {kind} | {codec} |") == printed.count(f"| {kind} | {codec} + zstd |") == 2
        assert printed.count(f"| zarr | {codec} + zstd |") == 2
    assert printed.count(" | 1.00 x |") >= 10  # VLenUTF8 beside itself


def test_a_codec_that_gives_something_else_back_is_not_timed():
    """Other values, or an array of another kind."""
    numcodecs = pytest.importorskip("bench.numcodecs")
    values = np.array(["axis", "axle"], "T")
    same = numcodecs.Way(len, lambda data: values.copy())
    assert list(numcodecs.encode(values, {"same": same})) == ["same"]
    for wrong in (values[::-1], values.astype(object), values[:1]):
        other = numcodecs.Way(len, lambda data, wrong=wrong: wrong)
        with pytest.raises(UnequalError, match="other gives something else back"):
            numcodecs.encode(values, {"same": same, "other": other})


def test_pictures(tmp_path, monkeypatch, capsys):
    """One of each column, and one of a file."""
    pictures = pytest.importorskip("bench.pictures", exc_type=ImportError)
    monkeypatch.setattr(pictures, "FOLDER", tmp_path / "new" / "pictures")
    monkeypatch.setattr(pictures, "COLUMNS", ("distinct-100",))
    assert main(["pictures", "--quick", "--markdown"]) == 0
    assert "| distinct-100.svg |" in capsys.readouterr().out
    made = {path.name: path.read_text("utf-8") for path in pictures.FOLDER.iterdir()}
    assert set(made) == {"distinct-100.svg", "file.svg"}
    assert ">RLE_DICTIONARY</text>" in made["distinct-100.svg"]
    assert ">distinct-100</text>" in made["file.svg"]


def test_a_wrong_conversion_is_not_timed():
    """Neither ours nor another's."""
    convert = pytest.importorskip("bench.convert")
    convert.check(convert.Conversion("list", "in", lambda: ["a", None], {"other": lambda: ["a", ""]}), ["a", None])
    with pytest.raises(UnequalError, match="other makes something else of list, in"):
        convert.check(convert.Conversion("list", "in", lambda: ["a"], {"other": lambda: ["b"]}), ["a"])
