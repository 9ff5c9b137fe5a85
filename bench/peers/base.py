"""What the suite asks of another implementation, and where its files lie."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from ..cases import Case, Subject
from ..columns import Bytes, Column
from ..measure import Contender, Process

BUILD = Path(__file__).parents[2] / ".bench"
"""Where programs are built and columns are written; not under version control."""


class MissingError(Exception):
    """A peer cannot run here; the message says why."""


class Peer(Protocol):
    """Another implementation of the encodings."""

    name: str

    def prepare(self) -> str:
        """Build or import what is needed and give the versions; raise MissingError where that cannot be done."""
        ...

    def contenders(self, case: Case, stack: ExitStack) -> dict[str, Contender]:
        """Give the contenders of a case, checked, or none where the peer does not do it.

        The stack ends what they start.
        """
        ...


def build(script: Path, target: Path, tools: Sequence[str]) -> None:
    """Run the build script of a peer, unless it has run before.

    Parameters
    ----------
    script : Path
        A script that takes the target and the Python to use.
    target : Path
        What it makes; made again if anything beside the script is newer.
    tools : sequence of str
        Commands that it needs.

    Raises
    ------
    MissingError
        If a command is not there, or the script fails.
    """
    newest = max(path.stat().st_mtime for path in script.parent.iterdir() if path.is_file())
    stamp = target.with_name(f"{target.name}.built")  # a script that fails may leave a part of the target
    if stamp.exists() and stamp.stat().st_mtime > newest:
        return
    for tool in ("bash", *tools):
        if shutil.which(tool) is None:
            raise MissingError(f"{tool} is not installed")
    print(f"building {target.name} ...", file=sys.stderr)
    target.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["bash", script, target, sys.executable], capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingError(f"{script.parent.name}/{script.name} failed: {done.stderr.strip()[-500:]}")
    stamp.touch()


@lru_cache(maxsize=1)
def files_of(column: Column) -> Path:
    """Write a column for the peers, unless it was the last that was written, and give its folder."""
    return column.write(BUILD / "columns")


def dump(process: Process, subject: Subject) -> dict[str, Bytes]:
    """Let a peer's program encode a column, and read what it wrote.

    Parameters
    ----------
    process : Process
        The program.
    subject : Subject
        What it encodes.

    Returns
    -------
    dict
        The bytes, as `subject.sections` has them.
    """
    file = BUILD / "page.bin"
    process.ask("dump", subject.encoding, file)
    return {name: np.fromfile(f"{file}{name}", np.uint8) for name in subject.sections}
