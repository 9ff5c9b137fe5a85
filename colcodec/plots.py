"""Pictures, by matplotlib: the encodings of a column beside each other, and what takes the room in a Parquet file.

matplotlib is imported once a picture is made, and nothing of it is set that another picture could see.
"""

import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .compare import Measurement

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .parquet import ColumnInfo, FileInfo

SUFFIXES: Final = (".png", ".svg")

MAX_BARS: Final = 40
MAX_NAME: Final = 44  # characters

COLOURS: Final = {
    "PLAIN": "#999999",
    "DELTA_LENGTH_BYTE_ARRAY": "#56b4e9",
    "DELTA_BYTE_ARRAY": "#0072b2",
    "RLE_DICTIONARY": "#e69f00",
    "dictionary page": "#f5d58a",
    "DELTA_BINARY_PACKED": "#009e73",
    "BYTE_STREAM_SPLIT": "#cc79a7",
    "PLAIN_DICTIONARY": "#d55e00",
    "RLE": "#000000",
}
"""Those of Okabe and Ito, which people tell apart who see fewer colours, and a light one for dictionaries."""
OTHER_COLOUR: Final = "#882255"
MARKERS: Final = "sD^ov"


def check_plot(path: Path) -> None:
    """Tell whether a picture can be made, before the work for it begins.

    Parameters
    ----------
    path : Path
        Where it is to be.

    Raises
    ------
    ValueError
        If its suffix is none of `SUFFIXES`.
    ImportError
        If matplotlib is not installed.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{path.name!r} does not end in {' or '.join(SUFFIXES)}")
    _make_figure(1)


def save(figure: "Figure", path: Path) -> None:
    """Write a picture.

    Parameters
    ----------
    figure : Figure
        The picture.
    path : Path
        Where to; its suffix says in which format.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # a name in a script that the font does not have
        figure.savefig(path, dpi=150)


def draw_comparison(measurements: Sequence[Measurement], name: str, compression: str) -> "Figure":
    """Draw size against decode speed, a place for each encoding, with and without compression.

    Parameters
    ----------
    measurements : sequence of Measurement
        What `compare` found.
    name : str
        What the column is called.
    compression : str
        What compressed the pages; "none" for nothing.

    Returns
    -------
    Figure
        The picture. Encodings that cannot take the column are told of, without a place.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    figure = _make_figure(4.8)
    axes = figure.subplots()
    behind = axes.get_facecolor()
    sizes: list[int] = []
    for row, marker in zip(measurements, MARKERS, strict=False):
        colour = COLOURS[row.encoding.name]
        if row.size is None or row.compressed_size is None or row.decode_mb_per_s is None:
            axes.plot([], [], linestyle="none", label=f"{row.encoding.name}: cannot take this column")
            continue
        style: dict[str, Any] = {
            "color": colour,
            "marker": marker,
            "markersize": 10,
            "linestyle": "none",
            "clip_on": False,
        }
        speed = row.decode_mb_per_s
        sizes.append(row.size)
        axes.plot(
            [speed], [row.size], markerfacecolor=behind, markeredgewidth=2, zorder=3, label=row.encoding.name, **style
        )
        if compression != "none":
            sizes.append(row.compressed_size)
            axes.plot([speed, speed], [row.size, row.compressed_size], color=colour, linewidth=1, alpha=0.6)
            axes.plot([speed], [row.compressed_size], zorder=4, **style)
    with_codec = "" if compression == "none" else f"; hollow: as encoded, filled: with {compression}"
    axes.set_title(f"{_shorten(name)}{with_codec}", parse_math=False)
    axes.set_xlabel("decode speed, without decompression (MB/s of string data)")
    axes.set_ylabel("size")
    axes.set_xlim(0, 1.08 * max((row.decode_mb_per_s or 0 for row in measurements), default=0) or 10)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    if sizes and min(sizes) > 0:
        axes.set_yscale("log")
        axes.set_ylim(min(sizes) / 1.5, max(sizes) * 1.5)
    else:
        axes.set_ylim(0, max(sizes, default=0) * 1.1 or 10)
    _show_bytes(axes, "y")
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def draw_file(info: "FileInfo", name: str) -> "Figure":
    """Draw how much of a Parquet file each column takes, and each encoding in it.

    Parameters
    ----------
    info : FileInfo
        What `inspect` found, with ``pages=True``.
    name : str
        What the file is called.

    Returns
    -------
    Figure
        The picture: a bar for each column, the largest first; small ones share a bar where there are many.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If the pages were not kept.
    """
    columns = sorted(info.columns, key=lambda column: -column.compressed_size)
    bars = [(_shorten(column.name), _sizes_by_encoding(column)) for column in columns]
    if len(bars) > MAX_BARS:
        rest: Counter[str] = Counter()
        for _, sizes in bars[MAX_BARS - 1 :]:
            rest.update(sizes)
        bars[MAX_BARS - 1 :] = [(f"{len(bars) - MAX_BARS + 1:,} smaller columns", rest)]
    encodings = sorted({encoding for _, sizes in bars for encoding in sizes}, key=_place)
    figure = _make_figure(1.9 + 0.26 * max(len(bars), 2) + 0.2 * -(-len(encodings) // 3))
    axes = figure.subplots()
    places = range(len(bars))
    lefts = [0] * len(bars)
    for encoding in encodings:
        widths = [sizes[encoding] for _, sizes in bars]
        colour = COLOURS.get(encoding, OTHER_COLOUR)
        axes.barh(places, widths, left=lefts, color=colour, edgecolor="white", linewidth=0.4, label=encoding)
        lefts = [left + width for left, width in zip(lefts, widths, strict=True)]
    for place, size in zip(places, lefts, strict=True):
        axes.annotate(f"{size / info.size:.1%}", (size, place), (4, 0), textcoords="offset points", va="center")
    axes.set_yticks(places, [label for label, _ in bars], parse_math=False)
    axes.set_ylim(max(len(bars), 2) - 0.4, -0.6)  # the first on top
    axes.set_xlim(0, 1.15 * max(lefts, default=0) or 10)
    rows = f"{info.num_rows:,} row{'' if info.num_rows == 1 else 's'}"
    axes.set_title(f"{_shorten(name)}: {info.size:,} bytes, {rows}", parse_math=False)
    axes.set_xlabel("size in the file, and share of the file")
    _show_bytes(axes, "x")
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    if encodings:
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


def _make_figure(height: float) -> "Figure":
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra, which only a picture needs
    except ModuleNotFoundError as error:
        name = str(error.name).partition(".")[0]
        raise ModuleNotFoundError(f'a picture needs {name}: pip install "colcodec[plot]"', name=name) from error
    return Figure((8, height), layout="constrained")


def _show_bytes(axes: "Axes", which: str) -> None:
    """Label an axis with bytes, kB and MB, where it is logarithmic at 1, 2 and 5."""
    from matplotlib.ticker import EngFormatter, LogLocator, NullLocator  # noqa: PLC0415 - as above

    axis = axes.yaxis if which == "y" else axes.xaxis
    if axis.get_scale() == "log":
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(EngFormatter(unit="B"))


def _sizes_by_encoding(column: "ColumnInfo") -> Counter[str]:
    """Add up the bytes in the file of all pages of an encoding, with their headers."""
    sizes: Counter[str] = Counter()
    for chunk in column.chunks:
        if chunk.pages is None:
            raise ValueError("a picture of a file needs its pages: inspect(..., pages=True)")
        for page in chunk.pages:
            encoding = page.encoding if page.kind == "data" else f"{page.kind} page"
            sizes[encoding or "unknown"] += page.header_size + page.compressed_size
    return sizes


def _place(encoding: str) -> tuple[int, str]:
    known = list(COLOURS)
    return (known.index(encoding) if encoding in known else len(known)), encoding


def _shorten(name: str) -> str:
    """Leave out the middle of a long name, and escape what cannot be drawn."""
    visible = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
    if len(visible) <= MAX_NAME:
        return visible
    half = (MAX_NAME - 1) // 2
    return f"{visible[:half]}…{visible[-half:]}"
