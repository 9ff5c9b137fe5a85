"""The command line: one module for each command of ``colcodec``."""

from ._app import app

# isort: split -- the module above tells what to install, where that is missing; commands are known once imported
from . import compare, warmup  # noqa: F401


def main() -> None:
    """Run the command line."""
    app(prog_name="colcodec")
