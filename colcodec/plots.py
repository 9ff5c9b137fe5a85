"""Pictures, by matplotlib: the encodings of a column beside each other, and what takes the room in a Parquet file.

matplotlib is imported once a picture is made, and nothing of it is set that another picture could see.
"""

import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from .compare import Measurement

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .parquet import ColumnInfo, FileInfo

SUFFIXES: Final = (".png", ".svg")

MAX_BARS: Final = 40
MAX_NAME: Final = 44  # characters
MAX_TITLE: Final = 70

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

SVG_SETTINGS: Final[dict[Any, str]] = {
    "svg.hashsalt": "colcodec",  # names within the file, otherwise drawn at random
    "svg.fonttype": "none",  # text stays text, in a font that has its letters
}


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
    import matplotlib as mpl  # noqa: PLC0415 - an extra, which only a picture needs

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # a name in a script that the font does not have
        if path.suffix.lower() == ".svg":
            with mpl.rc_context(SVG_SETTINGS):
                figure.savefig(path, metadata={"Creator": None, "Date": None})
        else:
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
    figure = _make_figure(5)
    axes = figure.subplots()
    has_codec = compression != "none"
    speeds: list[float] = []
    sizes: list[int] = []
    for row, marker in zip(measurements, MARKERS, strict=False):
        if row.size is None or row.compressed_size is None or row.decode_mb_per_s is None or row.read_mb_per_s is None:
            axes.plot([], [], linestyle="none", label=f"{row.encoding.name}: cannot take this column")
            continue
        places = [(row.decode_mb_per_s, row.size), (row.read_mb_per_s, row.compressed_size)][: 1 + has_codec]
        _draw_places(axes, places, row.encoding.name, marker)
        speeds += [speed for speed, _ in places]
        sizes += [size for _, size in places]
    axes.set_title(_shorten(name, MAX_TITLE), parse_math=False)
    axes.set_xlabel("decode speed (MB of string data a second)")
    axes.set_ylabel("size of the page")
    _set_range(axes, "x", speeds)
    _set_range(axes, "y", sizes)
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    if has_codec and sizes:
        colour = axes.xaxis.label.get_color()
        style: dict[str, Any] = {"marker": "o", "markersize": 8, "linestyle": "none", "color": colour}
        axes.plot([], [], markerfacecolor="none", label="hollow: as encoded", **style)
        axes.plot([], [], label=f"filled: with {compression}, and decompression", **style)
    if measurements:
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
    from matplotlib.ticker import EngFormatter, MaxNLocator  # noqa: PLC0415 - as above

    columns = sorted(info.columns, key=lambda column: -column.compressed_size)
    bars = [(_shorten(column.name, MAX_NAME), _sizes_by_encoding(column)) for column in columns]
    if len(bars) > MAX_BARS:
        rest: Counter[str] = Counter()
        for _, sizes in bars[MAX_BARS - 1 :]:
            rest.update(sizes)
        bars[MAX_BARS - 1 :] = [(f"{len(bars) - MAX_BARS + 1:,} smaller columns", rest)]
    encodings = sorted({encoding for _, sizes in bars for encoding in sizes}, key=_place)
    figure = _make_figure(1.9 + 0.26 * max(len(bars), 1) + 0.2 * -(-len(encodings) // 3))
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
    axes.set_ylim(max(len(bars), 1) - 0.4, -0.6)  # the first on top
    axes.set_xlim(0, 1.15 * max(lefts, default=0) or 10)
    rows = f"{info.num_rows:,} row{'' if info.num_rows == 1 else 's'}"
    axes.set_title(f"{_shorten(name, MAX_NAME)}: {info.size:,} bytes, {rows}", parse_math=False)
    axes.set_xlabel("size in the file, and share of the file")
    axes.xaxis.set_major_locator(MaxNLocator(5, min_n_ticks=2))
    axes.xaxis.set_major_formatter(EngFormatter(unit="B"))
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


def _draw_places(axes: "Axes", places: Sequence[tuple[float, int]], name: str, marker: str) -> None:
    """Draw an encoding: hollow without compression, filled with it, and a line from the one to the other."""
    colour = COLOURS[name]
    style: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 10, "linestyle": "none"}
    hollow: dict[str, Any] = {"markerfacecolor": axes.get_facecolor(), "markeredgewidth": 2}
    axes.plot(*zip(*places, strict=True), color=colour, linewidth=1, alpha=0.6)
    axes.plot(*places[0], zorder=3, label=name, **style, **hollow)
    for place in places[1:]:
        axes.plot(*place, zorder=4, **style)


def _set_range(axes: "Axes", which: Literal["x", "y"], values: Sequence[float]) -> None:
    """Give an axis room for all values, on a logarithmic scale unless there are zeros."""
    from matplotlib.ticker import EngFormatter, LogLocator, NullLocator, StrMethodFormatter  # noqa: PLC0415 - as above

    axis = axes.xaxis if which == "x" else axes.yaxis
    if values and min(values) > 0:
        axes.set(**{f"{which}scale": "log", f"{which}lim": (min(values) / 1.5, max(values) * 1.5)})
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_minor_locator(NullLocator())
    else:
        highest = max(values, default=0) or 10
        axes.set(**{f"{which}lim": (-0.1 * highest, 1.1 * highest)})
    axis.set_major_formatter(EngFormatter(unit="B") if which == "y" else StrMethodFormatter("{x:,.6g}"))


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


def _shorten(name: str, length: int) -> str:
    """Leave out the middle of a long name, and escape what cannot be drawn."""
    visible = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
    if len(visible) <= length:
        return visible
    half = (length - 1) // 2
    return f"{visible[:half]}…{visible[-half:]}"
