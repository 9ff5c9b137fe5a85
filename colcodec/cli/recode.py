"""``colcodec recode``."""

import glob
import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from .._sources import SourceError, errors_of
from ..compare import Progress
from ..errors import ColcodecError
from ..parquet import RecodedFile, recode
from ..readers import READERS
from ._app import app, as_readers, errors_in_one_line, printable, progress_bar, show

SUFFIXES: Final = (".parquet", ".parq", ".pq")
LEAST_WIDTH: Final = 12  # characters of a column of names in a terminal that is too narrow for all of it


class _Task(NamedTuple):
    """A file to be recoded, and where to; None in a dry run."""

    source: str
    target: Path | None


@dataclass
class _Total:
    """What became of a column in all files."""

    size_before: int = 0
    size_after: int = 0
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)


@app.command("recode")
def _recode(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            show_default=False,
            help="A Parquet file, as a path or a URL; or a folder or a glob pattern, for all files in it.",
        ),
    ],
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="OUT",
            show_default=False,
            help="The file to write, which can be IN itself; a folder, if IN is one or a pattern. "
            "Not needed with --dry-run.",
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
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing, only show what would come of it.")] = False,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Read what was written again, and compare it with IN.")
    ] = True,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, show_default=False, help="Files at a time; by default one for each processor."),
    ] = None,
) -> None:
    """Encode string columns of Parquet files anew, and copy all else byte for byte.

    A file takes its name once it is whole, on disk and checked: after an error, or if this is killed, there is what was
    there before.

    Exit codes: 1 if some of several files could not be recoded, 2 if the only one could not.
    """
    if target is None and not dry_run:
        raise typer.BadParameter("needed, but for --dry-run", param_hint="OUT")
    options = {
        "columns": columns or None,
        "encoding": encoding if encoding == "auto" else encoding.upper(),
        "compression": compression,
        "readers": readers,
        "check": check,
        "dry_run": dry_run,
    }
    with errors_in_one_line():
        tasks = _find_tasks(source, target)
        failures: list[str] = []
        if tasks is None:
            single = _Task(source, target / Path(source).name if target is not None and target.is_dir() else target)
            with progress_bar("Recoding") as progress:
                done = [_run(single, options, progress)]
        else:
            with progress_bar("Recoding") as progress:
                done, failures = _run_all(tasks, options, jobs, progress)
    if done:
        table, foldable = _make_table(done)
        show([table, *_notes(done), _sum_up(source, done, dry_run=dry_run)], foldable)
    for failure in failures:
        typer.echo(f"colcodec: {failure}".replace("\n", " "), err=True)
    if failures:
        typer.echo(f"colcodec: {len(failures):,} of {len(failures) + len(done):,} files failed", err=True)
        raise typer.Exit(1)


# --- Files -----------------------------------------------------------------------------------------------------------


def _find_tasks(source: str, target: Path | None) -> list[_Task] | None:
    """Find the files of a folder or of a pattern; None where `source` is a file."""
    path = Path(source)
    if "://" in source or path.is_file():
        return None
    if path.is_dir():
        base = path
        found = [file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES]
    elif glob.has_magic(source):
        fixed = [*path.parts]
        while any(map(glob.has_magic, fixed)):
            fixed.pop()
        base = Path(*fixed)
        found = [Path(name) for name in glob.glob(source, recursive=True)]  # noqa: PTH207 - of any pattern, also an absolute one
    else:
        return None  # that there is no such file is told where it is opened
    files = sorted(file for file in found if file.is_file() and not file.name.startswith("."))
    if not files:
        raise SourceError(f"{source}: no files{f' with {SUFFIXES[0]}' if path.is_dir() else ''}")
    if target is not None and target.exists() and not target.is_dir():
        raise SourceError(f"{target} is a file, but {source} stands for {len(files):,}: OUT must be a folder")
    return [_Task(str(file), None if target is None else target / file.relative_to(base)) for file in files]


def _run(task: _Task, options: dict[str, Any], progress: Progress | None = None) -> RecodedFile:
    with errors_of(task.source):
        try:
            return recode(task.source, task.target, progress=progress, **options)
        except ValueError as error:
            if isinstance(error, ColcodecError):
                raise
            raise SourceError(f"{task.source}: {error}") from error


def _run_all(
    tasks: Sequence[_Task], options: dict[str, Any], jobs: int | None, progress: Progress
) -> tuple[list[RecodedFile], list[str]]:
    """Recode files, and tell of each that could not be why."""
    done: list[RecodedFile] = []
    failures: list[str] = []
    for task in tasks:
        if task.target is not None:
            with errors_of(str(task.target)):
                task.target.parent.mkdir(parents=True, exist_ok=True)
    for i, (task, result) in enumerate(_results(tasks, options, jobs)):
        progress(i, len(tasks), Path(task.source).name)
        try:
            done.append(result())
        except BrokenProcessPool:
            failures.append(f"{task.source}: its process was ended from elsewhere")
        except (ColcodecError, ImportError, MemoryError) as error:
            failures.append(str(error) or f"{task.source}: not enough memory")
    return done, failures


def _results(
    tasks: Sequence[_Task], options: dict[str, Any], jobs: int | None
) -> Iterator[tuple[_Task, Callable[[], RecodedFile]]]:
    """Give what makes or gets each result, as they become ready."""
    if jobs == 1 or len(tasks) == 1:
        for task in tasks:
            yield task, lambda task=task: _run(task, options)  # type: ignore[misc]
        return
    # Not fork: threads, of which this process may have some, do not survive it.
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        running: dict[Future[RecodedFile], _Task] = {
            pool.submit(_run, task, options | {"threads": 1}): task for task in tasks
        }
        for future in as_completed(running):
            yield running[future], future.result
    finally:
        pool.shutdown(cancel_futures=True)


# --- What is shown ---------------------------------------------------------------------------------------------------


def _make_table(done: Sequence[RecodedFile]) -> tuple[Table, int]:
    """Make a table, and tell by how much its names can be folded."""
    totals: dict[str, _Total] = {}
    for file in done:
        for column in file.columns:
            total = totals.setdefault(column.name, _Total())
            total.size_before += column.size_before
            total.size_after += column.size_after
            total.before += Counter(column.encodings_before)
            total.after += Counter(column.encodings_after)
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for name in ("column", "data pages before", "after"):
        table.add_column(name, overflow="fold")
    for name in ("bytes\nbefore", "bytes\nafter", "saved"):
        table.add_column(name, justify="right", no_wrap=True)
    widths = [0, 0, 0]
    for name, total in totals.items():
        cells = [printable(name), _pages(total.before), _pages(total.after)]
        widths = [max(width, len(cell)) for width, cell in zip(widths, cells, strict=True)]
        sizes = (total.size_before, total.size_after)
        table.add_row(*cells, *(f"{size:,}" for size in sizes), _saved(*sizes))
    return table, sum(max(width - LEAST_WIDTH, 0) for width in widths)


def _pages(encodings: Counter[str]) -> str:
    return ", ".join(f"{name} x{count:,}" for name, count in encodings.items()) or "-"


def _saved(before: int, after: int) -> str:
    return f"{1 - after / before:.1%}" if before else "-"


def _notes(done: Sequence[RecodedFile]) -> Iterator[str]:
    for file in done:
        for column in file.columns:
            if column.notes:
                first, *others = column.notes
                more = f" (and {len(others):,} more)" if others else ""
                yield printable(f"Note: {column.name}, {first}{more}")


def _sum_up(source: str, done: Sequence[RecodedFile], *, dry_run: bool) -> str:
    before, after = sum(file.size_before for file in done), sum(file.size_after for file in done)
    files = "" if len(done) == 1 else f" in {len(done):,} files"
    seconds = sum(file.seconds for file in done)
    what = "would become" if dry_run else "became"
    return printable(
        f"{source}: {before:,} bytes{files} {what} {after:,}, {_saved(before, after)} saved, in {seconds:.1f} s"
    )
