"""Pictures: what is in them is what was measured or found, and the command line makes them."""

import functools
import html
import io
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from processes import run_python

import colcodec as cc
from colcodec import cli, plots
from colcodec.compare import Comparison, Measurement, compare

matplotlib = pytest.importorskip("matplotlib")

MEASURED = [
    Measurement(cc.Encoding.PLAIN, 1000, 100, 50.0, 60.0, 40.0, True),
    Measurement(cc.Encoding.DELTA_BYTE_ARRAY, 400, 80, 20.0, 30.0, 25.0, True),
    Measurement(cc.Encoding.RLE_DICTIONARY, reason="too <large>"),
]
LEFT_CELL = '<td style="text-align: left">'


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command without waiting for good timings: arguments -> code, stdout, stderr."""
    monkeypatch.setattr(cli.compare, "compare", functools.partial(compare, seconds=0))

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["colcodec", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_info:
            cli.main()
        return exit_info.value.code or 0, *capsys.readouterr()

    return run


def points(figure):
    """Give what each marker of the picture stands for."""
    lines = [line for line in figure.axes[0].lines if line.get_marker() not in ("None", "")]
    return [(x, y) for line in lines for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def inspected(columns, **options):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return cc.parquet.inspect(file, pages=True)


def test_a_place_for_each_encoding_with_and_without_compression():
    figure = plots.draw_comparison(MEASURED, "url", "zstd")
    assert points(figure) == [(60, 1000), (40, 100), (30, 400), (25, 80)]
    assert legend(figure) == [
        "PLAIN",
        "DELTA_BYTE_ARRAY",
        "RLE_DICTIONARY: cannot take this column",
        "hollow: as encoded",
        "filled: with zstd, and decompression",
    ]
    assert figure.axes[0].get_xscale() == figure.axes[0].get_yscale() == "log"
    assert figure.axes[0].get_title() == "url"


def test_without_compression_there_is_one_place():
    figure = plots.draw_comparison(MEASURED, "url", "none")
    assert points(figure) == [(60, 1000), (30, 400)]
    assert legend(figure) == ["PLAIN", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY: cannot take this column"]


def test_sizes_of_zero_are_drawn(tmp_path):
    none = [Measurement(cc.Encoding.PLAIN, 0, 9, 0.0, 0.0, 0.0, True)]
    figure = plots.draw_comparison(none, "nothing", "zstd")
    assert figure.axes[0].get_yscale() == "linear"
    plots.save(figure, tmp_path / "x.png")
    plots.save(plots.draw_comparison(MEASURED[2:], "refused", "zstd"), tmp_path / "y.png")


def test_bars_are_the_bytes_of_pages_by_encoding():
    """The largest column first, and all of its bytes."""
    info = inspected({"few": ["on", "off"] * 50, "many": [f"{i:040}" for i in range(100)]}, use_dictionary=["few"])
    figure = plots.draw_file(info, "x.parquet")
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["many", "few"]
    widths = {bars.get_label(): [bar.get_width() for bar in bars] for bars in axes.containers}
    few, many = info.columns
    dictionary, indices = (page.header_size + page.compressed_size for page in few.chunks[0].pages)
    assert widths == {
        "PLAIN": [many.compressed_size, 0],
        "RLE_DICTIONARY": [0, indices],
        "dictionary page": [0, dictionary],
    }
    assert dictionary + indices == few.compressed_size
    shares = [f"{column.compressed_size / info.size:.1%}" for column in (many, few)]
    assert [text.get_text() for text in axes.texts] == shares


def test_an_svg_is_the_same_each_time_and_its_text_is_text(tmp_path):
    """And what is in force for other pictures is what it was."""
    before = dict(matplotlib.rcParams)
    first, second = tmp_path / "1.svg", tmp_path / "2.svg"
    for path in (first, second):
        plots.save(plots.draw_comparison(MEASURED, "<日本> & url", "zstd"), path)
    assert first.read_bytes() == second.read_bytes()
    assert ">&lt;日本&gt; &amp; url</text>" in first.read_text("utf-8")
    assert ">DELTA_BYTE_ARRAY</text>" in first.read_text("utf-8")
    assert "dc:date" not in first.read_text("utf-8")
    assert dict(matplotlib.rcParams) == before


def test_a_picture_needs_no_display_and_leaves_pyplot_alone(tmp_path):
    source = """
import sys
from colcodec import plots
plots.save(plots.draw_comparison([], "nothing", "zstd"), plots.Path("x.png"))
print("matplotlib.pyplot" in sys.modules)
"""
    assert run_python(source, tmp_path, DISPLAY="", MPLBACKEND="tkagg") == "False\n"
    assert (tmp_path / "x.png").stat().st_size > 1000


def test_many_columns_share_a_bar_and_long_names_are_shortened(tmp_path):
    columns = {f"a ${i}$ \n" + "x" * 100: ["a"] * (i + 1) for i in [5]}
    columns |= {f"c{i}": ["a"] * 6 for i in range(59)}
    figure = plots.draw_file(inspected(columns), "日本.parquet")
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(labels) == plots.MAX_BARS
    assert labels[0] == "a $5$ \\nxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxxxxx"
    assert labels[-1] == "21 smaller columns"
    plots.save(figure, tmp_path / "x.png")  # neither mathematics nor a missing glyph is in the way


def test_a_file_without_columns_or_pages(tmp_path):
    file = io.BytesIO()
    cc.parquet.write_columns(file, {"a": ["x"]})
    with pytest.raises(ValueError, match="needs its pages"):
        plots.draw_file(cc.parquet.inspect(file), "x")
    plots.save(plots.draw_file(cc.parquet.inspect(file, columns=[], pages=True), "x"), tmp_path / "x.svg")


@pytest.mark.parametrize(("name", "magic"), [("x.png", b"\x89PNG\r\n"), ("X.SVG", b"<?xml")])
def test_the_commands_draw(run, tmp_path, name, magic):
    words, file, picture = tmp_path / "words.txt", tmp_path / "x.parquet", tmp_path / name
    words.write_bytes(b"axis\naxle\n")
    cc.parquet.write_columns(file, {"a": ["x"]})
    for command, source in (("compare", words), ("inspect", file)):
        code, out, err = run(command, source, "--plot", picture)
        assert (code, err) == (0, "")
        assert "PLAIN" in out
        assert picture.read_bytes().startswith(magic)
        picture.unlink()


def test_a_picture_does_not_change_what_is_printed(run, tmp_path):
    cc.parquet.write_columns(tmp_path / "x.parquet", {"a": ["x"]})
    plain = run("inspect", tmp_path / "x.parquet", "--json")
    assert run("inspect", tmp_path / "x.parquet", "--json", "--plot", tmp_path / "x.png") == plain


@pytest.mark.parametrize("command", ["compare", "inspect"])
def test_a_picture_that_cannot_be_made_is_told_before_the_work(run, tmp_path, monkeypatch, command):
    code, out, err = run(command, tmp_path / "missing", "--plot", "x.jpg")
    assert (code, out) == (2, "")
    assert "does not end in .png or .svg" in " ".join(err.replace("│", " ").split())
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = run(command, tmp_path / "missing", "--plot", "x.png")
    assert (code, out) == (2, "")
    assert err == 'colcodec: a picture needs matplotlib: pip install "colcodec[plot]"\n'


def test_a_picture_that_cannot_be_written(run, tmp_path):
    cc.parquet.write_columns(tmp_path / "x.parquet", {"a": ["x"]})
    code, _, err = run("inspect", tmp_path / "x.parquet", "--plot", tmp_path / "no" / "x.png")
    assert code == 2
    assert err == f"colcodec: {tmp_path / 'no' / 'x.png'}: No such file or directory\n"


def test_a_notebook_shows_a_comparison():
    shown = Comparison(MEASURED)._repr_html_()
    assert shown.count("<tr>") == 4
    assert "<td>1,000</td><td>100</td><td>50</td><td>60</td><td>40</td><td>yes</td>" in shown
    assert "<td>-</td>" * 6 in shown
    assert "too &lt;large&gt;" in shown
    assert isinstance(compare(cc.column(["a"]), compression="none", seconds=0), Comparison)


def test_a_notebook_shows_what_is_in_a_file():
    """With what is wrong in it, and with all names escaped."""
    file = io.BytesIO()
    columns = {"<script>alert(1)</script>": ["a", None], "b&c": ["d", "e"]}
    pq.write_table(pa.table(columns), file, use_dictionary=False, column_encoding="DELTA_BYTE_ARRAY")
    info = cc.parquet.inspect(file)
    shown = info._repr_html_()
    assert f"Parquet file: {info.size:,} bytes, 2 rows" in shown
    assert shown.count("<tr>") == 3
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert ">b&amp;c<" in shown
    assert "<script" not in shown
    assert ">optional BYTE_ARRAY STRING<" in shown
    assert ">DELTA_BYTE_ARRAY x1<" in shown
    first, _ = info.columns
    sizes = first.raw_size, first.encoded_size, first.compressed_size
    figures = "".join(f"<td>{figure}</td>" for figure in (2, 1, *sizes, f"{first.compressed_size / info.size:.1%}"))
    assert figures in shown
    damaged = bytearray(file.getvalue())
    damaged[4] ^= 0xFF
    info = cc.parquet.inspect(io.BytesIO(damaged))
    assert info.is_damaged
    (message,) = (finding.message for chunk in info.columns[0].chunks for finding in chunk.findings)
    assert (
        f">error</td>{LEFT_CELL}&lt;script&gt;alert(1)&lt;/script&gt;</td>{LEFT_CELL}{html.escape(message)}</td>"
        in (info._repr_html_())
    )


def test_a_notebook_shows_the_ends_of_a_column():
    """Escaped and shortened, whatever is in it."""
    values = ["<script>&\"'", None, "x" * 100, *map(str, range(100, 1100))]
    shown = cc.column(values)._repr_html_()
    assert "StringColumn: utf8, 1003 values, 1 null" in shown
    assert "&#x27;&lt;script&gt;&amp;" in shown
    assert "<script" not in shown
    assert ">None<" in shown
    assert "x" * 61 not in shown
    assert shown.count("<tr>") == 1 + 5 + 1 + 5
    assert "<td>1,002</td>" in shown
    assert "<td>5</td>" not in shown
    assert cc.StringColumn([0, 1], b"\xff")._repr_html_().count("\\\\xff") == 1  # is not UTF-8, and shown still
    assert cc.column([b"\xff<"])._repr_html_().count("b&#x27;\\xff&lt;&#x27;") == 1
    assert cc.column([])._repr_html_().count("<tr>") == 1
