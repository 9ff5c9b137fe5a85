"""Files, wherever they are: paths, URLs that fsspec knows, and files that the caller has open."""

import os
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
    elif hasattr(file, "read") and hasattr(file, "seek"):
        yield file
    else:
        raise TypeError(f"expected a path, a URL or a binary file, got {type(file).__name__}")
