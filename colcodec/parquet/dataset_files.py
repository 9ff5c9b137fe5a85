"""The files of a data set: which of a folder's belong to it, and where each is to go."""

import glob
import os
import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from fsspec.implementations.local import LocalFileSystem

from .files import find_file_system

AnyPath: TypeAlias = str | os.PathLike[str]

SUFFIXES: Final = (".parquet", ".parq", ".pq")

PLACES_ELSEWHERE: Final = ("_metadata", "_delta_log")
"""What tells where pages begin in the files around it, or how long these are, and would be wrong once they change."""


class Task(NamedTuple):
    """A file to be recoded, and where to; None where it is only tried.

    Parameters
    ----------
    source, target : str
        URLs, or absolute paths of this machine.
    size : int
        Bytes of the source.
    """

    source: str
    target: str | None
    size: int


def is_several(source: AnyPath) -> bool:
    """Tell whether a path or a URL stands for more than a file: whether it is a folder or a pattern.

    Parameters
    ----------
    source : str or path
        The path or URL.

    Returns
    -------
    bool
        Whether it is. What is nowhere counts as a file, which is told where it is opened.
    """
    file_system, name = find_file_system(source)
    return not file_system.isfile(name) and (glob.has_magic(name) or bool(file_system.isdir(name)))


def plan(source: AnyPath | Iterable[AnyPath], target: AnyPath | None, *, in_place: bool, dry_run: bool) -> list[Task]:
    """Find all files and name their targets.

    Parameters
    ----------
    source : str, path or iterable of these
        Folders, patterns and files.
    target : str, path or None
        The folder to write to.
    in_place : bool
        Whether files are replaced by what they become.
    dry_run : bool
        Whether a target can be missing; then there is none in the tasks.

    Returns
    -------
    list of Task
        The largest first, so that none of them is left alone at the end.

    Raises
    ------
    FileNotFoundError
        If a folder or a pattern has no files, or a file is not there.
    NotADirectoryError
        If the target is a file.
    TypeError
        If it is not clear where to write.
    ValueError
        If two files would become one, or one that is read would be replaced or found by the next run.
    """
    if in_place and target is not None:
        raise TypeError("a target is given, but what is done in place has none")
    if target is None and not in_place and not dry_run:
        raise TypeError("a target is needed, but in place or for a dry run")
    sources = [source] if isinstance(source, (str, os.PathLike)) else [*source]
    found: dict[str, _Found] = {}
    for one in sources:
        for file in _find(one, target, in_place=in_place):
            if file.name in found:
                raise ValueError(f"{file.name} is there twice")
            found[file.name] = file
    if target is not None:
        tasks = _name_targets(found, target)
    else:
        tasks = [Task(name, name if in_place else None, file.size) for name, file in found.items()]
    return sorted(tasks, key=lambda task: (-task.size, task.source))


def make_folders(tasks: Iterable[Task]) -> None:
    """Make the folders that files are to be written to.

    Parameters
    ----------
    tasks : iterable of Task
        The files.

    Raises
    ------
    OSError
        If one cannot be made.
    """
    # Stores of objects have no folders: theirs come with the files.
    parents = {Path(task.target).parent for task in tasks if task.target is not None and "://" not in task.target}
    for parent in sorted(parents):
        parent.mkdir(parents=True, exist_ok=True)


# --- What is read ----------------------------------------------------------------------------------------------------


class _Found(NamedTuple):
    """A file: its whole name, what it is called in its data set, and its size in bytes."""

    name: str
    own_name: str
    size: int


def _full_name(file_system: Any, name: str) -> str:
    """Make what can be opened anywhere of a name in a file system."""
    return name if isinstance(file_system, LocalFileSystem) else str(file_system.unstrip_protocol(name))


def _find(source: AnyPath, target: AnyPath | None, *, in_place: bool) -> Iterator[_Found]:
    """Give the files that a path or a URL stands for."""
    file_system, name = find_file_system(source)
    file_system.invalidate_cache()
    is_folder = False
    if not is_several(source):
        base, files = posixpath.dirname(name), {name: file_system.info(name)}
    else:
        is_folder = bool(file_system.isdir(name))
        found = file_system.find(name, detail=True) if is_folder else file_system.glob(name, detail=True)
        base = name
        while not is_folder and glob.has_magic(base):
            base = posixpath.dirname(base)
        files = {
            file: info
            for file, info in found.items()
            if info["type"] == "file"
            and _is_of_data_set(posixpath.relpath(file, base or "/"))
            and (not is_folder or file.lower().endswith(SUFFIXES))
        }
    if not files:
        raise FileNotFoundError(f"{os.fspath(source)}: no files{f' with {SUFFIXES[0]}' if is_folder else ''}")
    if in_place:
        _check_in_place(file_system, base, files)
    elif target is not None and (is_folder or "**" in name):
        _check_outside(file_system, base, target)
    for file, info in sorted(files.items()):
        yield _Found(_full_name(file_system, file), posixpath.relpath(file, base or "/"), info["size"] or 0)


def _is_of_data_set(own_name: str) -> bool:
    """Whether readers of data sets take a file for one of its files: they leave out what is hidden or beside them."""
    return not any(
        part.startswith(".") or (part.startswith("_") and "=" not in part)  # a column of Hive's may begin with that
        for part in own_name.split("/")
    )


def _check_in_place(file_system: Any, base: str, files: Iterable[str]) -> None:
    folders = {base}
    for file in files:
        folder = posixpath.dirname(file)
        while folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    for folder in sorted(folders):
        for path in file_system.ls(folder, detail=False):  # what was listed before, so that this costs nothing
            if posixpath.basename(path) in PLACES_ELSEWHERE:
                raise ValueError(f"{path} has sizes or places in the files around it, which would not fit any more")


def _check_outside(file_system: Any, base: str, target: AnyPath) -> None:
    other, name = find_file_system(target)
    if isinstance(other, LocalFileSystem):
        base, name = os.path.realpath(base), os.path.realpath(name)
    if other == file_system and name != base and name.startswith(base.rstrip("/") + "/"):
        raise ValueError(f"{os.fspath(target)} is inside of what is read, and the next run would read it too")


# --- What is written -------------------------------------------------------------------------------------------------


def _name_targets(found: dict[str, _Found], target: AnyPath) -> list[Task]:
    """Put the names that files have in their data set behind that of another folder."""
    file_system, folder = find_file_system(target)
    if file_system.isfile(folder):
        raise NotADirectoryError(f"{os.fspath(target)} is a file, but the target must be a folder")
    read = {_identity(name): name for name in found}
    sources: dict[str, str] = {}
    tasks = []
    for name, file in found.items():
        goal = _full_name(file_system, posixpath.join(folder, file.own_name))
        if goal in sources:
            raise ValueError(f"{sources[goal]} and {name} would both become {goal}")
        if _identity(goal) in read:
            raise ValueError(f"{goal} is read, and would be replaced; where that is wanted, say that it is in place")
        sources[goal] = name
        tasks.append(Task(name, goal, file.size))
    return tasks


def _identity(name: str) -> str:
    """Give the same for all names that a file has on this machine."""
    return name if "://" in name else os.path.realpath(name)
