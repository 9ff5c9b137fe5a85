"""What the commands share: the application, errors in one line, a progress bar."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

try:
    import typer
    from rich.console import Console
    from rich.measure import Measurement as Width
    from rich.progress import Progress as ProgressBar
    from rich.table import Table
except ModuleNotFoundError as missing:
    # The command is installed with the core, what it is made of is an extra.
    sys.stderr.write(f'colcodec: the command line needs {missing.name}: pip install "colcodec[cli]"\n')
    sys.exit(2)

from ..compare import Progress
from ..errors import ColcodecError
from ..plots import SUFFIXES, check_plot
from ..readers import check_readers

WIDEST = 10_000  # characters that a table may have in a line

app = typer.Typer(
    help="What Parquet's string encodings make of your data.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        try:
            typer.echo(f"colcodec {version('colcodec')}")
        except PackageNotFoundError:
            typer.echo("colcodec, not installed: running from its sources")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def as_readers(readers: list[str]) -> list[str]:
    """Check names of readers that were given as an option.

    Parameters
    ----------
    readers : list of str
        The names.

    Returns
    -------
    list of str
        The same.

    Raises
    ------
    BadParameter
        If a name is not known.
    """
    try:
        check_readers(readers)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return readers


def as_plot(path: Path | None) -> Path | None:
    """Check that a picture can be made where an option says.

    Parameters
    ----------
    path : Path or None
        Where to.

    Returns
    -------
    Path or None
        The same.

    Raises
    ------
    BadParameter
        If its suffix is not known.
    Exit
        If matplotlib is not installed.
    """
    if path is not None:
        try:
            with errors_in_one_line():
                check_plot(path)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    return path


PlotOption = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        show_default=False,
        callback=as_plot,
        help=f"Draw it as well, into a file that ends in {' or '.join(SUFFIXES)}.",
    ),
]


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Show what goes wrong with data, files and packages in a line, and exit with 2.

    Raises
    ------
    Exit
        In place of such an error.
    """
    try:
        yield
    except (ColcodecError, ImportError, MemoryError) as error:
        message = str(error) or "not enough memory"
        typer.echo(f"colcodec: {message}".replace("\n", " "), err=True)
        raise typer.Exit(2) from error


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Show a bar on stderr while something runs, if somebody is there to see it.

    Parameters
    ----------
    title : str
        What is done.

    Yields
    ------
    callable
        To be called as ``show(done, total, what comes next)``.
    """
    console = Console(stderr=True)
    # Without auto_refresh no thread wakes up beside the code that is being timed.
    with ProgressBar(console=console, transient=True, auto_refresh=False, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{title} {what}", refresh=True)

        yield show


def printable(name: str) -> str:
    """Escape what a terminal cannot show or would obey: bytes that are not UTF-8, control characters, other scripts.

    Parameters
    ----------
    name : str
        Text from elsewhere.

    Returns
    -------
    str
        The text, with escapes of Python in it.
    """
    visible = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
    return visible.encode(sys.stdout.encoding, "backslashreplace").decode(sys.stdout.encoding)


def show(parts: Iterable[str | Table], foldable: int) -> None:
    """Print lines and tables to stdout.

    No number is ever cut: a pipe takes a table as it is, and a narrow terminal folds the names alone.

    Parameters
    ----------
    parts : iterable of str or Table
        What to print.
    foldable : int
        By how many characters folding can make a table narrower.
    """
    console = Console(highlight=False, markup=False, emoji=False)
    own_width = console.width
    for part in parts:
        if isinstance(part, str):
            console.print(part, soft_wrap=True)
            continue
        natural_width = Width.get(console, console.options.update(max_width=WIDEST), part).maximum
        console.width = max(own_width, natural_width - foldable) if console.is_terminal else natural_width
        console.print(part)
