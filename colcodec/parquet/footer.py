"""The footer of a Parquet file, and its bytes by their place."""

import struct
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import BinaryIO, Final, NamedTuple

import numpy as np

from .._arrays import empty
from .._checks import as_size, read_only
from ..encodings import Bytes
from ..errors import MalformedFileError
from .structs import FileMetaData

MAGIC: Final = b"PAR1"
ENCRYPTED_MAGIC: Final = b"PARE"
CACHE_LINE: Final = 64
TAIL_SIZE: Final = 8
"""Bytes behind the footer: its size, and the magic again."""


def file_size(file: BinaryIO) -> int:
    """Find the size of a file.

    Parameters
    ----------
    file : file object
        Binary, seekable.

    Returns
    -------
    int
        Bytes.
    """
    return file.seek(0, 2)


def read_range(file: BinaryIO, start: int, size: int, what: str) -> bytes:
    """Read so many bytes of a file.

    Parameters
    ----------
    file : file object
        Binary, seekable.
    start, size : int
        Which bytes. They come from a file, so they are held against its size before anything is allocated.
    what : str
        What to call them in an error.

    Returns
    -------
    bytes
        All of them.

    Raises
    ------
    MalformedFileError
        If they are not in the file.
    """
    return read_array(file, start, size, what).tobytes()


def read_array(file: BinaryIO, start: int, size: int, what: str) -> Bytes:
    """Read so many bytes of a file, as an array.

    Parameters
    ----------
    file : file object
        Binary, seekable.
    start, size : int
        Which bytes, held against the size of the file before anything is allocated.
    what : str
        What to call them in an error.

    Returns
    -------
    ndarray
        uint8[size], read-only.

    Raises
    ------
    MalformedFileError
        If they are not in the file.
    """
    total = file_size(file)
    if start < 0 or size < 0 or start + size > total:
        raise MalformedFileError(f"{what}: {size} bytes at byte {start} are not in a file of {total} bytes")
    # As far into a cache line as in the file: processors of AMD copy eight times slower to a place that is a few bytes
    # further into a page of 4 KiB.
    array = empty(size, np.uint8, start % CACHE_LINE)
    file.seek(start)
    done = 0
    while done < size:
        count = file.readinto(array[done:])  # type: ignore[attr-defined] # all binary files that can seek have it
        if not count:
            raise MalformedFileError(f"{what}: {size} bytes at byte {start}, of which {done} could be read")
        done += count
    return read_only(array)


class Footer(NamedTuple):
    """The footer, and where it is.

    Parameters
    ----------
    metadata : FileMetaData
        What it says.
    start : int
        The byte at which it begins: pages and indexes are before it.
    """

    metadata: FileMetaData
    start: int


def read_footer(file: BinaryIO, *, known: bool = False) -> Footer:
    """Read the footer of a Parquet file.

    Parameters
    ----------
    file : file object
        Binary, seekable.
    known : bool, optional
        Whether to leave out the fields that no struct here knows: for those who do not write the footer again.

    Returns
    -------
    Footer
        The footer.

    Raises
    ------
    MalformedFileError
        If it is no Parquet file, or one with an encrypted footer.
    """
    total = file_size(file)
    least = len(MAGIC) + TAIL_SIZE
    if total < least:
        raise MalformedFileError(f"not a Parquet file: {total} bytes, of {least} at least")
    size, magic = struct.unpack("<I4s", read_range(file, total - TAIL_SIZE, TAIL_SIZE, "the end of the file"))
    if magic == ENCRYPTED_MAGIC:
        raise MalformedFileError("the file is encrypted, footer included; colcodec does not decrypt")
    if magic != MAGIC:
        raise MalformedFileError(f"not a Parquet file: it ends in {magic!r}, not in {MAGIC!r}")
    if size > total - least:
        raise MalformedFileError(f"the footer has {size} bytes by its size, but the file {total}")
    start = total - TAIL_SIZE - size
    metadata, _ = FileMetaData.read(read_range(file, start, size, "the footer"), known=known)
    if not metadata.schema:
        raise MalformedFileError("the schema is empty: it lacks its root")
    return Footer(metadata, start)


def as_row_groups(row_groups: Iterable[int] | None, metadata: FileMetaData) -> Sequence[int]:
    """Find out which row groups are meant.

    Parameters
    ----------
    row_groups : iterable of int or None
        Their numbers; None for all.
    metadata : FileMetaData
        What there is.

    Returns
    -------
    sequence of int
        The same numbers.

    Raises
    ------
    TypeError, ValueError
        If one is no number of a row group.
    """
    count = len(metadata.row_groups)
    if row_groups is None:
        return range(count)
    wanted = list(row_groups)
    for i in wanted:
        if as_size(i, "row_groups") >= count:
            raise ValueError(f"row group {i} of a file that has {count}")
    return wanted


def created_by() -> bytes:
    """Name what writes a file, in the form that readers look for faults of old writers by.

    Returns
    -------
    bytes
        As b"colcodec version 0.1.0 (build numba-0.68.1)": without a version that they can parse, some readers do not
        believe statistics. What compiles the kernels is what builds them.
    """
    try:
        own = version("colcodec")
    except PackageNotFoundError:  # its sources alone, not installed
        own = "0.0.0"
    return f"colcodec version {own} (build numba-{version('numba')})".encode()
