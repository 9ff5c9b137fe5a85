"""Files, wherever they are: paths, URLs that fsspec knows, and files that the caller has open."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

import fsspec

File: TypeAlias = str | os.PathLike[str] | BinaryIO
"""A path, a URL such as "s3://bucket/name.parquet", or a binary file that can seek."""


@contextmanager
def open_file(file: File) -> Iterator[BinaryIO]:
    """Open a file to read it.

    Parameters
    ----------
    file : str, path or file object
        What to open. A file that is open already is not closed afterwards.

    Yields
    ------
    file object
        Binary, seekable.

    Raises
    ------
    OSError
        If it cannot be opened.
    TypeError
        If `file` is nothing of that kind.
    """
    if isinstance(file, str) and "://" in file:
        with fsspec.open(file, "rb") as opened:
            yield opened
    elif isinstance(file, (str, os.PathLike)):
        with Path(file).open("rb") as opened:
            yield opened
    elif hasattr(file, "readinto") and hasattr(file, "seek"):  # a file of text has no readinto
        yield file
    else:
        raise TypeError(f"expected a path, a URL or a binary file, got {type(file).__name__}")


@contextmanager
def replacing(file: File) -> Iterator[BinaryIO]:
    """Open a file to write it, so that nobody ever sees a part of it.

    What is written takes the name of the file at the end, once it is on disk; after an error, or where the process is
    killed, there is what was there before. Of a URL the same holds as far as its file system can do it.

    Parameters
    ----------
    file : str, path or file object
        What to write. A file that is open already is written to as it is, and not closed afterwards.

    Yields
    ------
    file object
        Binary, empty; a path's can be read too.

    Raises
    ------
    OSError
        If it cannot be written.
    TypeError
        If `file` is nothing of that kind.
    """
    if isinstance(file, str) and "://" in file:
        with _replacing_remote(file) as opened:
            yield opened
    elif isinstance(file, (str, os.PathLike)):
        with _replacing_local(Path(os.path.realpath(file))) as opened:
            yield opened
    elif hasattr(file, "write"):
        yield file
    else:
        raise TypeError(f"expected a path, a URL or a binary file, got {type(file).__name__}")


@contextmanager
def _replacing_remote(url: str) -> Iterator[BinaryIO]:
    file_system, path = fsspec.url_to_fs(url)
    opened = file_system.open(path, "wb", autocommit=False)
    try:
        with opened:
            yield opened
    except BaseException:
        opened.discard()
        raise
    opened.commit()


@contextmanager
def _replacing_local(target: Path) -> Iterator[BinaryIO]:
    if target.exists() and not target.is_file():  # a pipe or a device, which is to be written to, not replaced
        with target.open("wb") as opened:
            yield opened
        return
    part = target.with_name(f".colcodec-{secrets.token_hex(8)}.part")
    try:
        with part.open("x+b") as opened:
            if target.exists():  # before there is anything in it that others should not read
                shutil.copymode(target, part)
            yield opened
            opened.flush()
            os.fsync(opened.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # so that the name is on disk too
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
