"""Files, wherever they are: paths, URLs that fsspec knows, and files that the caller has open."""

import io
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import fsspec
from fsspec.implementations.local import LocalFileSystem

File: TypeAlias = str | os.PathLike[str] | BinaryIO
"""A path, a URL such as "s3://bucket/name.parquet", or a binary file that can seek."""

COPIED_AT_ONCE: Final = 1 << 20
"""Bytes that go to a remote file in one call."""


def find_file_system(file: str | os.PathLike[str]) -> tuple[Any, str]:
    """Find out who keeps a file or a folder.

    Parameters
    ----------
    file : str or path
        A path of this machine, or a URL.

    Returns
    -------
    AbstractFileSystem
        A file system of fsspec.
    str
        The name that the file has there; of this machine, an absolute path.

    Raises
    ------
    ImportError
        If the file system of a URL is not installed.
    ValueError
        If fsspec does not know it.
    """
    if isinstance(file, str) and "://" in file:
        file_system, name = fsspec.url_to_fs(file)
        return file_system, name
    return LocalFileSystem(), Path(os.path.abspath(file)).as_posix()  # noqa: PTH100 - resolve would follow links


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
    killed, there is what was there before. What is for a URL is collected in a temporary file, and goes there as a
    whole at the end: the same holds where the file system can do that in one step, as S3 can.

    Parameters
    ----------
    file : str, path or file object
        What to write. A file that is open already is written to as it is, and not closed afterwards.

    Yields
    ------
    file object
        Binary, empty; that of a path or of a URL can be read too.

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
    file_system, name = find_file_system(url)
    if isinstance(file_system, LocalFileSystem):
        with _replacing_local(Path(os.path.realpath(name))) as opened:
            yield opened
        return
    with tempfile.TemporaryFile() as collected:
        yield collected
        collected.seek(0)
        try:
            target = file_system.open(name, "wb", autocommit=False)
        except NotImplementedError:  # a web site, for one
            raise io.UnsupportedOperation(f"{url} cannot be written") from None
        try:
            with target:
                shutil.copyfileobj(collected, target, COPIED_AT_ONCE)
        except BaseException:
            target.discard()
            raise
        target.commit()


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
