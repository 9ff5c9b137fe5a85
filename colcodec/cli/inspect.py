"""``colcodec inspect``."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from .._sources import errors_of
from ..parquet import ChunkInfo, ColumnInfo, FileInfo, Finding, inspect
from ..plots import draw_file, save
from ._app import PlotOption, app, errors_in_one_line, printable, progress_bar, show

LEAST_WIDTH = 12  # characters of a column of names in a terminal that is too narrow for all of it
TOTALS = ("codecs", "encodings", "num_values", "null_count", "raw_size", "encoded_size", "compressed_size")


@app.command("inspect")
def _inspect(
    file: Annotated[str, typer.Argument(metavar="FILE", show_default=False, help="A Parquet file: a path, or a URL.")],
    columns: Annotated[
        list[str],
        typer.Option(
            "--column",
            metavar="NAME",
            show_default=False,
            help='A column alone, as "a.b.c"; may be given several times.',
        ),
    ] = [],  # noqa: B006 - typer's way to tell an option that may be repeated
    row_groups: Annotated[bool, typer.Option("--row-groups", help="A line for each row group of a column.")] = False,
    pages: Annotated[bool, typer.Option("--pages", help="A line for each page.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object in place of the table.")] = False,
    plot: PlotOption = None,
) -> None:
    """Show how the columns of a Parquet file are stored, as it is found in the pages, and where the metadata is wrong.

    Every page is decompressed, and its levels and the lengths of its strings are decoded. Bytes are "raw" without any
    encoding, "encoded" before compression, and "compressed" in the file, the latter two with page headers and levels.

    Exit codes: 1 if something in the file cannot be read, 2 if the file cannot be used.
    """
    with errors_in_one_line(), errors_of(file), progress_bar("Reading") as progress:
        info = inspect(file, columns=columns or None, pages=pages or plot is not None, progress=progress)
    if as_json:
        typer.echo(_as_json(file, info, pages))
    else:
        table, foldable = _pages_table(info) if pages else _columns_table(info, row_groups)
        show([_describe(file, info), table, *_notes(info, grouped=not (pages or row_groups))], foldable)
    if plot is not None:
        with errors_in_one_line(), errors_of(str(plot)):
            save(draw_file(info, Path(file).name), plot)
    if info.is_damaged:
        raise typer.Exit(1)


def _as_json(file: str, info: FileInfo, with_pages: bool) -> str:
    plain = {"file": file} | asdict(info)
    for column, own in zip(info.columns, plain["columns"], strict=True):
        chunks = own.pop("chunks")
        if not with_pages:  # which a picture needs all the same
            for chunk in chunks:
                chunk["pages"] = None
        own.update({name: getattr(column, name) for name in TOTALS}, chunks=chunks)
    return json.dumps(plain)


def _describe(file: str, info: FileInfo) -> str:
    rows = f"{info.num_rows:,} rows in {info.num_row_groups:,} row group{'' if info.num_row_groups == 1 else 's'}"
    by = "" if info.created_by is None else f", written by {info.created_by}"
    return printable(f"{file}: {info.size:,} bytes, {rows}, footer {info.footer_size:,} bytes{by}")


def _columns_table(info: FileInfo, by_row_group: bool) -> tuple[Table, int]:
    rows = []
    for column in info.columns:
        parts: Sequence[ColumnInfo | ChunkInfo] = column.chunks if by_row_group else [column]
        for part in parts:
            codecs = part.codecs if isinstance(part, ColumnInfo) else [part.codec or "?"]
            pages = ", ".join(f"{encoding} x{count:,}" for encoding, count in part.encodings.items())
            numbers = [part.num_values, part.null_count, part.raw_size, part.encoded_size, part.compressed_size]
            group = [] if isinstance(part, ColumnInfo) else [str(part.row_group)]
            names = [column.name, column.type, pages or "-", ", ".join(codecs) or "-"]
            rows.append((names, [*group, *map(_number, numbers), f"{part.compressed_size / info.size:.1%}"]))
    group = ["row\ngroup"] if by_row_group else []
    figures = ["values", "nulls", "raw\nbytes", "encoded\nbytes", "compressed\nbytes", "of\nfile"]
    return _make_table(["column", "type", "data pages", "codec"], [*group, *figures], rows)


def _pages_table(info: FileInfo) -> tuple[Table, int]:
    rows = []
    for column in info.columns:
        for chunk in column.chunks:
            for page in chunk.pages or ():
                version = "" if page.version is None else f" v{page.version}"
                nulls = "-" if page.kind != "data" else _number(page.null_count)
                sizes = (page.header_size, page.uncompressed_size, page.compressed_size)
                checksum = {True: "ok", False: "WRONG", None: "absent"}[page.is_intact]
                names = [column.name, page.kind + version, page.encoding or "-", chunk.codec or "?"]
                counts = [f"{chunk.row_group}", _number(page.offset), _number(page.num_values), nulls]
                rows.append((names, [*counts, *map(_number, sizes), checksum]))
    figures = ["row\ngroup", "at byte", "values", "nulls", "header\nbytes", "encoded\nbytes", "compressed\nbytes"]
    return _make_table(["column", "page", "encoding", "codec"], [*figures, "checksum"], rows)


def _number(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def _make_table(
    names: Sequence[str], figures: Sequence[str], rows: Sequence[tuple[list[str], list[str]]]
) -> tuple[Table, int]:
    """Make a table, and tell by how much its names can be folded."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for name in names:
        table.add_column(name, overflow="fold")
    for figure in figures:
        table.add_column(figure, justify="right", no_wrap=True)
    widths = [len(name) for name in names]
    for texts, numbers in rows:
        cells = [printable(text) for text in texts]
        widths = [max(width, len(cell)) for width, cell in zip(widths, cells, strict=True)]
        table.add_row(*cells, *numbers)
    return table, sum(max(width - LEAST_WIDTH, 0) for width in widths)


def _notes(info: FileInfo, *, grouped: bool) -> Iterator[str]:
    """Tell what was found; grouped, what is of one kind in a column is told once."""
    yield from _of_one_kind("", [(None, finding) for finding in info.findings], grouped)
    for column in info.columns:
        own = [(chunk.row_group, finding) for chunk in column.chunks for finding in chunk.findings]
        numbers = own if info.num_row_groups > 1 else [(None, finding) for _, finding in own]
        yield from _of_one_kind(f"{column.name}: ", numbers, grouped)


def _of_one_kind(name: str, found: Sequence[tuple[int | None, Finding]], grouped: bool) -> Iterator[str]:
    groups: dict[Any, list[tuple[int | None, Finding]]] = {}
    for i, (row_group, finding) in enumerate(found):
        groups.setdefault((finding.level, finding.kind) if grouped else i, []).append((row_group, finding))
    for (row_group, finding), *others in groups.values():
        where = [] if row_group is None else [f"row group {row_group}"]
        more = [f"and {len(others):,} more"] if others else []
        suffix = f" ({', '.join(where + more)})" if where or more else ""
        yield printable(f"{finding.level.capitalize()}: {name}{finding.message}{suffix}")
