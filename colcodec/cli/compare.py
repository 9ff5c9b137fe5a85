"""``colcodec compare``."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from .._sources import Source, errors_of, read_source
from .._spec import Encoding
from .._warmup import warmup
from ..choice import MAX_PAGE_SIZE, Choice, Figure, choose
from ..column_chunk import DEFAULT_ROWS_PER_PAGE
from ..compare import Measurement, compare, data_size
from ..compression import Compression
from ..plots import draw_comparison, save
from ..readers import READERS
from ._app import PlotOption, app, as_readers, errors_in_one_line, printable, progress_bar, show

FOLDABLE = 12  # characters that the longest encoding name can give up by folding


@app.command("compare")
def _compare(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="A text file (a value a line), .csv or .tsv with a header line (an empty field is an empty string), "
            ".npy, .npz, or a Parquet file. Without it: the sorted paths of the running Python installation.",
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default=False, help="Which column of a .csv, .tsv, .npz or Parquet file."),
    ] = None,
    compression: Annotated[Compression, typer.Option(help="What compresses the encoded bytes.")] = Compression.ZSTD,
    readers: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            show_default=False,
            callback=as_readers,
            help="Recommend only what this reader can read; may be given several times. "
            f"Known are {', '.join(READERS)}.",
        ),
    ] = [],  # noqa: B006 - typer's way to tell an option that may be repeated
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object in place of the table.")] = False,
    plot: PlotOption = None,
) -> None:
    """Encode a string column under every encoding, decode it again, show sizes and speeds, and recommend one.

    Speeds are medians, in MB (10^6 bytes of string data) a second, after the kernels have been compiled.

    Exit codes: 1 if a decoded column differs from the one that was encoded, 2 if the file cannot be used.
    """
    with errors_in_one_line():
        source = read_source(file, column)
        with progress_bar("Compiling") as progress:
            warmup(progress)
        with progress_bar("Measuring") as progress:
            measurements = compare(source.column, compression=compression, progress=progress)
        choice = choose(source.column, compression=compression, readers=readers)
    if as_json:
        typer.echo(_as_json(source, measurements, choice, compression, readers))
    else:
        _print_table(source, measurements, choice, compression, readers)
    if plot is not None:
        with errors_in_one_line(), errors_of(str(plot)):
            save(draw_comparison(measurements, source.name, compression), plot)
    different = [row.encoding.name for row in measurements if row.equal is False]
    if different:
        typer.echo(f"colcodec: decoded values differ from the column under {', '.join(different)}", err=True)
        raise typer.Exit(1)


def _as_json(
    source: Source, measurements: list[Measurement], choice: Choice, compression: Compression, readers: list[str]
) -> str:
    def named(row: Measurement | Figure) -> dict[str, Any]:
        return row._asdict() | {"encoding": row.encoding.name}

    return json.dumps(
        {
            "column": source.name,
            "num_values": len(source.column),
            "null_count": source.column.null_count,
            "data_size": data_size(source.column),
            "stored": source.stored and source.stored._asdict(),
            "utf8": source.column.utf8,
            "compression": compression.value,
            "encodings": [named(row) for row in measurements],
            "choice": {
                "encoding": choice.encoding.name,
                "readers": readers,
                "num_sampled": choice.num_sampled,
                "figures": [named(row) for row in choice.figures],
            },
        }
    )


def _print_table(
    source: Source, measurements: list[Measurement], choice: Choice, compression: Compression, readers: list[str]
) -> None:
    raw_size = data_size(source.column)
    table = _make_table(measurements, raw_size, compression)
    notes = [f"{row.encoding.name}: {row.reason}" for row in measurements if row.reason is not None]
    notes += ["* Smallest, each as a single page.", *_recommend(source, choice, compression, readers)]
    show([*_describe(source, raw_size), table, *notes], FOLDABLE)


def _describe(source: Source, raw_size: int) -> list[str]:
    column, stored = source.column, source.stored
    kind = "text" if column.utf8 else "binary (not UTF-8)"
    counts = f"{kind}, {len(column):,} values, {column.null_count:,} nulls, {raw_size:,} bytes raw"
    lines = [f"{printable(source.name)}: {counts}"]
    if stored is not None:
        pages = ", ".join(f"{encoding} x{count}" for encoding, count in stored.encodings.items()) or "no pages"
        codecs = [codec for codec in stored.codecs if codec != "UNCOMPRESSED"]
        compressed = f", {stored.compressed_size:,} with {' and '.join(codecs)}" if codecs else ""
        lines.append(f"In the file: {pages}; {stored.encoded_size:,} bytes{compressed}, headers and levels included")
    return lines


def _make_table(measurements: list[Measurement], raw_size: int, compression: Compression) -> Table:
    has_compression = compression is not Compression.NONE
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("encoding", overflow="fold")
    headers = ["bytes", "of raw", *([f"{compression}\nbytes", "of raw"] if has_compression else [])]
    for header in (*headers, "encode\nMB/s", "decode\nMB/s"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("equal", justify="center", no_wrap=True)
    smallest = min((row.size for row in measurements if row.size is not None), default=0)
    smallest_compressed = min(
        (row.compressed_size for row in measurements if row.compressed_size is not None), default=0
    )
    yes = "✓" if sys.stdout.encoding.lower().startswith("utf") else "yes"
    for row in measurements:
        cells = _size_cells(row.size, smallest, raw_size)
        if has_compression:
            cells += _size_cells(row.compressed_size, smallest_compressed, raw_size)
        cells += ["-" if speed is None else f"{speed:,.0f}" for speed in (row.encode_mb_per_s, row.decode_mb_per_s)]
        table.add_row(row.encoding.name, *cells, {True: yes, False: "NO", None: "-"}[row.equal])
    return table


def _size_cells(size: int | None, smallest: int, raw_size: int) -> list[str]:
    if size is None:
        return ["-", "-"]
    mark = "* " if size == smallest else ""
    return [f"{mark}{size:,}", f"{size / raw_size:.1%}" if raw_size else "-"]


def _recommend(source: Source, choice: Choice, compression: Compression, readers: list[str]) -> list[str]:
    sizes = {figure.encoding: figure.compressed_size or 0 for figure in choice.figures}
    size, plain = sizes[choice.encoding], sizes[Encoding.PLAIN]
    num_values = len(source.column) - source.column.null_count
    estimated = choice.num_sampled < num_values
    whom = f" for {', '.join(readers)}" if readers else ""
    how = "without compression" if compression is Compression.NONE else f"with {compression}"
    times = f"; PLAIN takes {plain / size:.2f} times as many" if size and choice.encoding is not Encoding.PLAIN else ""
    basis = f"estimated from {choice.num_sampled:,} of {num_values:,} values" if estimated else "measured on all values"
    return [
        f"Recommended{whom}: {choice.encoding.name}, {'about ' if estimated else ''}{size:,} bytes {how}{times}.",
        f"That is in pages of up to {MAX_PAGE_SIZE >> 20} MiB and {DEFAULT_ROWS_PER_PAGE:,} rows, {basis}.",
    ]
