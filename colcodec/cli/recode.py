"""``colcodec recode``."""

import multiprocessing
import posixpath
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated, Any, Final

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from .._sources import SourceError, errors_of
from ..compare import Progress
from ..errors import ColcodecError
from ..parquet import RecodedDataset, recode, recode_dataset
from ..parquet.dataset import open_client
from ..parquet.dataset_files import is_several
from ..parquet.files import find_file_system
from ..readers import READERS
from ._app import app, as_readers, errors_in_one_line, printable, progress_bar, show

LEAST_WIDTH: Final = 12  # characters of a column of names in a terminal that is too narrow for all of it


class Engine(StrEnum):
    """Who recodes several files."""

    PROCESSES = "processes"
    DASK = "dask"


@app.command("recode")
def _recode(  # noqa: PLR0913, PLR0917 - an argument for each option
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            show_default=False,
            help="A Parquet file; or a folder or a glob pattern, for all files in it. A path or a URL.",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="OUT",
            show_default=False,
            help="The file to write, which can be IN itself; a folder, if IN is one or a pattern. "
            "Not needed with --in-place and --dry-run.",
        ),
    ] = None,
    columns: Annotated[
        list[str],
        typer.Option(
            "--column",
            metavar="NAME",
            show_default=False,
            help='A column of byte arrays, as "a.b.c"; may be given several times. '
            "By default all of STRING, ENUM, JSON or without a logical type.",
        ),
    ] = [],  # noqa: B006 - typer's way to tell an option that may be repeated
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help='What pages are to have, or "auto" for what takes the least space.')
    ] = "auto",
    compression: Annotated[
        str, typer.Option(metavar="NAME", help='What compresses the columns: "keep", or a name as "zstd" or "zstd:9".')
    ] = "keep",
    readers: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            show_default=False,
            callback=as_readers,
            help=f"Write only what this reader can read; may be given several times. Known are {', '.join(READERS)}.",
        ),
    ] = [],  # noqa: B006
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Replace each file by what it becomes, once that is whole and checked.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing, only show what would come of it.")] = False,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Read what was written again, and compare it with IN.")
    ] = True,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, show_default=False, help="Files at a time; by default one for each processor."),
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="What recodes several files: processes of this machine, or Dask.")
    ] = Engine.PROCESSES,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            show_default=False,
            help="Dask's scheduler, as tcp://host:8786; by default a cluster on this machine is started.",
        ),
    ] = None,
) -> None:
    """Encode string columns of Parquet files anew, and copy all else byte for byte.

    A file takes its name once it is whole, on disk and checked: after an error, or if this is killed, there is what was
    there before.

    Exit codes: 1 if some of several files could not be recoded, 2 if the only one could not.
    """
    _check_together(target, in_place=in_place, dry_run=dry_run, jobs=jobs, engine=engine, scheduler=scheduler)
    options: dict[str, Any] = {
        "columns": columns or None,
        "encoding": encoding if encoding == "auto" else encoding.upper(),
        "compression": compression,
        "readers": readers,
        "check": check,
        "dry_run": dry_run,
    }
    with errors_in_one_line():
        with _naming(source):
            several = is_several(source)
            if engine is Engine.DASK and not several:
                raise ValueError("not a folder or a pattern, but Dask is for several files")
        with (
            _open_engine(engine, jobs, scheduler, several=several) as client,
            _naming(source),
            progress_bar("Recoding") as progress,
        ):
            if several:
                options |= {"in_place": in_place, "threads": None if jobs == 1 and engine is not Engine.DASK else 1}
                done = recode_dataset(source, target, client=client, progress=progress, **options)
            else:
                done = _recode_one(source, source if in_place else target, options, progress)
    if done.files:
        table, foldable = _make_table(done)
        show([table, *_notes(done), _sum_up(source, done, dry_run=dry_run)], foldable)
    for file, reason in done.failures.items():
        typer.echo(f"colcodec: {file}: {reason}".replace("\n", " "), err=True)
    if done.failures:
        total = len(done.failures) + len(done.files)
        typer.echo(f"colcodec: {len(done.failures):,} of {total:,} files failed", err=True)
        raise typer.Exit(1)


def _check_together(
    target: str | None, *, in_place: bool, dry_run: bool, jobs: int | None, engine: Engine, scheduler: str | None
) -> None:
    """Refuse arguments that do not go together."""
    if target is None and not in_place and not dry_run:
        raise typer.BadParameter("needed, but for --in-place and --dry-run", param_hint="OUT")
    if target is not None and in_place:
        raise typer.BadParameter("not with OUT", param_hint="--in-place")
    if scheduler is not None and engine is not Engine.DASK:
        raise typer.BadParameter("needs --engine dask", param_hint="--scheduler")
    if scheduler is not None and jobs is not None:
        raise typer.BadParameter("the workers of --scheduler are as many as they are", param_hint="--jobs")


@contextmanager
def _naming(source: str) -> Iterator[None]:
    """Say of which file an error is."""
    with errors_of(source):
        try:
            yield
        except ValueError as error:
            if isinstance(error, (ColcodecError, OSError)):
                raise
            raise SourceError(f"{source}: {error}") from error


# --- Who does it -----------------------------------------------------------------------------------------------------


@contextmanager
def _open_engine(engine: Engine, jobs: int | None, scheduler: str | None, *, several: bool) -> Iterator[Any]:
    """Give what recodes several files; None for the one that is the default of `recode_dataset`."""
    if engine is Engine.DASK and (jobs is not None or scheduler is not None):
        with errors_of(scheduler or "Dask"), open_client(scheduler, jobs) as client:
            yield client
    elif engine is Engine.DASK or not several:
        yield None
    elif jobs == 1:
        with ThreadPoolExecutor(1) as executor:
            yield executor
    else:
        # Not fork: threads, of which this process may have some, do not survive it.
        with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as executor:
            yield executor


def _recode_one(source: str, target: str | None, options: dict[str, Any], progress: Progress) -> RecodedDataset:
    if target is not None:
        with errors_of(target):
            file_system, name = find_file_system(target)
            is_folder = file_system.isdir(name)
        if is_folder:
            target = posixpath.join(target, posixpath.basename(find_file_system(source)[1]))
    file = recode(source, target, progress=progress, **options)
    return RecodedDataset({source: file}, {}, file.seconds)


# --- What is shown ---------------------------------------------------------------------------------------------------


def _make_table(done: RecodedDataset) -> tuple[Table, int]:
    """Make a table, and tell by how much its names can be folded."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for name in ("column", "data pages before", "after"):
        table.add_column(name, overflow="fold")
    for name in ("bytes\nbefore", "bytes\nafter", "saved"):
        table.add_column(name, justify="right", no_wrap=True)
    widths = [0, 0, 0]
    for column in done.columns:
        cells = [printable(column.name), _pages(column.encodings_before), _pages(column.encodings_after)]
        widths = [max(width, len(cell)) for width, cell in zip(widths, cells, strict=True)]
        sizes = (column.size_before, column.size_after)
        table.add_row(*cells, *(f"{size:,}" for size in sizes), _saved(*sizes))
    return table, sum(max(width - LEAST_WIDTH, 0) for width in widths)


def _pages(encodings: dict[str, int]) -> str:
    return ", ".join(f"{name} x{count:,}" for name, count in encodings.items()) or "-"


def _saved(before: int, after: int) -> str:
    return f"{1 - after / before:.1%}" if before else "-"


def _notes(done: RecodedDataset) -> Iterator[str]:
    for column in done.columns:
        if column.notes:
            first, *others = column.notes
            more = f" (and {len(others):,} more)" if others else ""
            yield printable(f"Note: {column.name}, {first}{more}")


def _sum_up(source: str, done: RecodedDataset, *, dry_run: bool) -> str:
    before, after = done.size_before, done.size_after
    files = "" if len(done.files) == 1 else f" in {len(done.files):,} files"
    what = "would become" if dry_run else "became"
    return printable(
        f"{source}: {before:,} bytes{files} {what} {after:,}, {_saved(before, after)} saved, in {done.seconds:.1f} s"
    )
