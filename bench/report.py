"""What came out: tables on the screen or in Markdown, JSON, and a plot."""

import importlib.metadata
import json
import os
import platform
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .suite import OURS, Protocol, Row

MEMCPY = ("memcpy fresh", "memcpy", "memcpy misaligned")
CONTENDERS = ("before", "arrow", "arrow bytearray", "arrow integers", "parquet-java", "pyarrow file", "numcodecs")
"""Every contender that can stand beside ours, in the order of the tables."""
VERSIONS = ("numpy", "numba", "pyarrow", "numcodecs", "zarr", "pandas", "polars", "duckdb", "arro3-io", "distributed")


def machine() -> dict[str, Any]:
    """Tell what the figures were measured on and with."""
    cpuinfo = Path("/proc/cpuinfo")
    processor = re.search(r"^model name\s*:\s*(.*)$", cpuinfo.read_text() if cpuinfo.exists() else "", re.MULTILINE)
    versions: dict[str, str | None] = {}
    for package in VERSIONS:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    return {
        "processor": processor[1] if processor else platform.processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": versions,
    }


def versions(about: Mapping[str, Any]) -> str:
    """List the versions of the packages that stand beside each other.

    Parameters
    ----------
    about : mapping
        What `machine` told.

    Returns
    -------
    str
        Those that are installed.
    """
    return ", ".join(f"{package} {version}" for package, version in about["versions"].items() if version)


def as_json(
    rows: Sequence[Row],
    about: Mapping[str, Any],
    protocol: Protocol,
    peers: Mapping[str, str],
    missing: Mapping[str, str],
) -> str:
    """Give all figures as one JSON object.

    Parameters
    ----------
    rows : sequence of Row
        The rows.
    about : mapping
        What `machine` told at the start.
    protocol : Protocol
        How it was measured.
    peers, missing : mapping
        Versions of the peers that ran, and why the others did not.

    Returns
    -------
    str
        JSON; `ratio` is the contender's time by ours.
    """
    return json.dumps(
        {
            "machine": about,
            "rounds": protocol.rounds,
            "seconds": protocol.seconds,
            "peers": peers,
            "missing": missing,
            "rows": [_as_dict(row) for row in rows],
        },
        indent=1,
    )


def _as_dict(row: Row) -> dict[str, Any]:
    subject = row.case.subject
    return {
        "column": subject.column.name,
        "crc32": subject.column.crc32,
        "encoding": subject.encoding,
        "operation": row.case.operation,
        "num_values": subject.num_values,
        "null_count": subject.null_count,
        "data_size": subject.data.size,
        "page_size": sum(section.size for section in subject.sections.values()),
        "results": {
            name: {
                "ns_per_value": round(row.ns_per_value(name), 4),
                "gb_per_s": round(row.gb_per_s(name), 3),
                "ratio": round(row.ratio(name), 3),
                "ns_by_round": times,
            }
            for name, times in row.times.items()
        },
    }


def table(lines: Mapping[Any, Row], first: Sequence[str]) -> list[list[str]]:
    """Lay rows out as cells.

    Parameters
    ----------
    lines : mapping
        Rows by what stands in their first cells, a tuple of str.
    first : sequence of str
        Heads of the first cells.

    Returns
    -------
    list of list of str
        The head and the rows. A peer's cell is its ns a value, and how many times ours that is; a cell of memcpy is
        how many times its time ours is.
    """
    names = [name for name in CONTENDERS if any(name in row.times for row in lines.values())]
    cells = [[*first, f"{OURS} ns", "GB/s", *names, *(f"/ {name}" for name in MEMCPY)]]
    for start, row in lines.items():
        ours = [_number(row.ns_per_value(OURS)), _number(row.gb_per_s(OURS))]
        peers = [f"{_number(row.ns_per_value(n))} ({_times(row.ratio(n))})" if n in row.times else "-" for n in names]
        cells.append([*start, *ours, *peers, *(_times(1 / row.ratio(name)) for name in MEMCPY)])
    return cells


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def _times(ratio: float) -> str:
    return f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.1f}x"


def show(title: str, cells: list[list[str]], markdown: bool = False) -> None:
    """Print a table, with rich where it is installed.

    Parameters
    ----------
    title : str
        What it is about.
    cells : list of list of str
        Head and rows.
    markdown : bool, optional
        As Markdown.
    """
    try:
        from rich.console import Console  # noqa: PLC0415 (not needed to measure)
        from rich.table import Table  # noqa: PLC0415
    except ImportError:
        markdown = True
    if markdown:
        rule = ["---", *("--:" if cell[:1].isdigit() else "---" for cell in cells[1][1:])]
        lines = ["| " + " | ".join(row) + " |" for row in (cells[0], rule, *cells[1:])]
        print(f"\n{title}\n", *lines, sep="\n")
        return
    grid = Table(*cells[0], title=title, title_justify="left")
    for head, cell in zip(grid.columns, cells[1], strict=True):
        head.justify = "right" if cell[:1].isdigit() else "left"
        head.no_wrap = True
    for row in cells[1:]:
        grid.add_row(*row)
    console = Console()
    Console(width=None if console.is_terminal else 240).print(grid)


def plot(rows: Sequence[Row], path: Path) -> None:
    """Draw ns a value of every contender: a panel for each operation of each encoding, a place for each column.

    Parameters
    ----------
    rows : sequence of Row
        The rows.
    path : Path
        Where to; the ending says in which format.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 (not needed to measure)

    panels = list(dict.fromkeys((row.case.subject.encoding, row.case.operation) for row in rows))
    columns = list(dict.fromkeys(row.case.subject.column.name for row in rows))
    across = min(3, len(panels))
    down = -(-len(panels) // across)
    figure = Figure((5 * across, 3.2 * down + 1), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False, sharex=True).ravel()
    for name in (OURS, *CONTENDERS, "memcpy fresh"):
        for axis, panel in zip(axes, panels, strict=False):
            found = [row for row in rows if _is(row, *panel) and name in row.times]
            places = [columns.index(row.case.subject.column.name) for row in found]
            axis.plot(places, [row.ns_per_value(name) for row in found], "D" if name == OURS else ".", label=name)
    for axis in axes[len(panels) :]:
        axis.remove()
    for axis, panel in zip(axes, panels, strict=False):
        axis.set(title=", ".join(panel), yscale="log", ylabel="ns a value")
        axis.set_xticks(range(len(columns)), columns, rotation=90)
        axis.grid(alpha=0.3)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=8)
    figure.savefig(path)


def _is(row: Row, encoding: str, operation: str) -> bool:
    return row.case.subject.encoding == encoding and row.case.operation == operation
