"""Large files that several workers recode: each some row groups, as a file of its own, which are joined at the end."""

import posixpath
import secrets
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

from ..errors import ColcodecError
from .dataset_files import Task
from .files import find_file_system, open_file, replacing
from .footer import read_footer
from .recode import AUTO, KEEP, RecodedFile, as_options, open_target, rewrite
from .rewriter import Output, Rewriter, write_file
from .structs import RowGroup


class Part(NamedTuple):
    """Some row groups of a file.

    Parameters
    ----------
    source : str
        The file.
    row_groups : range
        Which of its row groups.
    target : str or None
        The hidden file that they become; None where nothing is written.
    """

    source: str
    row_groups: range
    target: str | None


def split(task: Task, part_size: int) -> list[Part]:
    """Divide a file that is large.

    Parameters
    ----------
    task : Task
        The file.
    part_size : int
        Bytes that each part has at least, but for the last.

    Returns
    -------
    list of Part
        All of the file; none where it is best left whole, or cannot be read: those who recode it tell why.
    """
    if task.size <= part_size:
        return []
    try:
        with open_file(task.source) as file:
            row_groups = read_footer(file, known=True).metadata.row_groups
    except (ColcodecError, OSError):
        return []
    ranges = list(_cut(row_groups, part_size))
    if len(ranges) < 2:
        return []
    if task.target is None:
        return [Part(task.source, row_groups, None) for row_groups in ranges]
    hidden = posixpath.join(posixpath.dirname(task.target), f".colcodec-{secrets.token_hex(8)}")
    return [Part(task.source, row_groups, f"{hidden}-{i}.part") for i, row_groups in enumerate(ranges)]


def _cut(row_groups: list[RowGroup], part_size: int) -> Iterator[range]:
    start = size = 0
    for end, row_group in enumerate(row_groups, 1):
        size += sum(chunk.meta_data.total_compressed_size for chunk in row_group.columns if chunk.meta_data is not None)
        if size >= part_size or end == len(row_groups):
            yield range(start, end)
            start, size = end, 0


def recode_part(part: Part, options: dict[str, Any]) -> RecodedFile:
    """Recode some row groups of a file.

    Parameters
    ----------
    part : Part
        The row groups.
    options : dict
        All that :func:`recode` takes beside files.

    Returns
    -------
    RecodedFile
        What was done.
    """
    how = as_options(*(options[name] for name in ("encoding", "compression", "readers", "threads")))
    check = options["check"] and not options["dry_run"]
    writing = open_target(part.source, part.target, dry_run=options["dry_run"])
    return rewrite(part.source, writing, options["columns"], how, part.row_groups, check=check)


def join_parts(target: str, parts: Iterable[str], check: bool) -> int:
    """Make a file of its parts, which stay: the same, to the byte, as if it had been recoded as a whole.

    Parameters
    ----------
    target : str
        The file, which takes its name once it is whole.
    parts : iterable of str
        The parts, in order.
    check : bool
        Whether to read what was written again, and to compare it with the parts.

    Returns
    -------
    int
        Bytes of the file.
    """
    nothing_anew = as_options(AUTO, KEEP, None, None)
    with ExitStack() as stack:
        rewriters = []
        for part in parts:
            file = stack.enter_context(open_file(part))
            footer = read_footer(file)
            rewriters.append(Rewriter(file, footer, [], nothing_anew, range(len(footer.metadata.row_groups))))
        with replacing(target) as out:
            output = Output(out)
            write_file(rewriters, output)
            if check:
                for rewriter in rewriters:
                    rewriter.check(out, None)
    return output.position


def remove(parts: Iterable[Part]) -> None:
    """Remove what was written of parts.

    Parameters
    ----------
    parts : iterable of Part
        The parts.
    """
    for part in parts:
        if part.target is not None:
            file_system, name = find_file_system(part.target)
            if file_system.exists(name):
                file_system.rm_file(name)
