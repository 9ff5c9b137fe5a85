"""The command line: one module for each command of ``colcodec``."""

from ._app import app  # before the others: it tells what to install where a part is missing

# isort: split
from . import compare, inspect, recode, warmup  # noqa: F401 -- the application knows a command once its module is imported


def main() -> None:
    """Run the command line."""
    app(prog_name="colcodec")
