"""String columns of a Parquet file encoded anew, and all else copied as it is.

Pages stay what they were, one for one, with the same levels, so that column indexes and filters remain true. What is
not chosen is not decoded; offsets in the metadata follow. Row groups stream: a column chunk at a time is in memory.
"""

import os
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from .._spec import Encoding
from ..compare import Progress
from ..compression import as_compression
from ..errors import MalformedFileError
from ..page import as_writable_encoding, check_encoding
from ..readers import check_readers, why_unreadable
from .byte_arrays import as_byte_array_leaf
from .chunk_recoder import Options, RecodedColumn
from .files import File, open_file, replacing
from .footer import as_row_groups, file_size, read_footer
from .rewriter import Output, Rewriter, write_file
from .schema import Leaf, find_leaf, leaves
from .structs import FileMetaData, PhysicalType

KEEP: Final = "keep"
"""The compression that each column chunk has already."""

AUTO: Final = "auto"

STRING_TYPES: Final = (None, "STRING", "ENUM", "JSON")
"""What BYTE_ARRAYs mean that are encoded anew without being named: decimals are no strings."""


@dataclass(frozen=True, slots=True)
class RecodedFile:
    """A file whose columns were encoded anew.

    Parameters
    ----------
    size_before, size_after : int
        Bytes of the file.
    num_row_groups : int
        Number of the row groups that were written.
    columns : tuple of RecodedColumn
        The columns that were chosen.
    seconds : float
        How long it took, with the check.
    """

    size_before: int
    size_after: int
    num_row_groups: int
    columns: tuple[RecodedColumn, ...]
    seconds: float


def recode(
    source: File,
    target: str | os.PathLike[str] | BinaryIO | None = None,
    /,
    *,
    columns: str | Iterable[str] | None = None,
    encoding: Encoding | str = AUTO,
    compression: str = KEEP,
    readers: str | Iterable[str] | None = None,
    check: bool = True,
    dry_run: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RecodedFile:
    """Encode string columns of a Parquet file anew, and copy the rest byte for byte.

    A process that is killed may leave a hidden file beside the target, ".colcodec-....part", which can be deleted.

    Parameters
    ----------
    source : str, path or file object
        The file: a path, a URL that fsspec knows, or a binary file that can seek. It is only read.
    target : str, path or file object
        Where to write: a path or a URL, which can be that of `source` and gets the file once that is whole and checked;
        or a binary file, empty so far, that can be read. Not needed with `dry_run`.
    columns : str or iterable of str, optional
        Paths of columns in the schema, as "a.b.c": of BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY. By default each BYTE_ARRAY
        that is STRING, ENUM, JSON or of no logical type.
    encoding : Encoding or str, optional
        What each page of these columns is to have. "auto" finds for each column chunk what takes the least space, as
        :func:`colcodec.choose` does, and leaves the chunk as it is where nothing is saved. Where RLE_DICTIONARY would
        need a dictionary of more than 1 MiB, the chunk has what "auto" finds; one of nulls alone has PLAIN then.
    compression : str, optional
        What compresses the pages of these columns: "zstd", "snappy", "lz4", "gzip", "brotli" or "none", also with a
        level, as "zstd:9"; or "keep". The old LZ4 of Hadoop is not written: what has it is left alone by "keep". So is
        a column chunk of more than 2**31 bytes of values, or with a page that would become as large.
    readers : str or iterable of str, optional
        Who must be able to read these columns, such as "spark" or ["impala", "duckdb"].
    check : bool, optional
        Whether to read what was written again, and to compare it with the source, before it takes its name.
    dry_run : bool, optional
        Whether to write nothing, and only tell what would come of it.
    threads : int, optional
        Number of threads that encode and compress. By default one for each processor of this process.
    progress : callable, optional
        Called as ``progress(done, total, what comes next)`` with numbers of column chunks.

    Returns
    -------
    RecodedFile
        What was done.

    Raises
    ------
    KeyError
        If there is no such column.
    InvalidTypeError
        If a column is not of byte arrays.
    MalformedFileError, MalformedPageError
        If the file breaks the rules of the format, is encrypted, or has a page that does not fit its checksum.
    ColcodecError
        If the check finds a difference.
    TypeError, ValueError
        If an argument is not of its kind, or the encoding is not for these columns or not for these readers.
    OSError
        If the file cannot be read or written. After any error `target` is what it was before.

    Examples
    --------
    >>> import colcodec as cc
    >>> import io
    >>> file, smaller = io.BytesIO(), io.BytesIO()
    >>> words = [f"word {i:05}" for i in range(1000)]
    >>> cc.parquet.write_columns(file, {"word": words}, encodings="PLAIN", compression="none")
    >>> done = cc.parquet.recode(file, smaller, columns="word")
    >>> done.columns[0].encodings_before, done.columns[0].encodings_after
    ({'PLAIN': 1}, {'DELTA_BYTE_ARRAY': 1})
    """
    options = as_options(encoding, compression, readers, threads)
    writing = open_target(source, target, dry_run=dry_run)
    return rewrite(source, writing, columns, options, check=check and not dry_run, progress=progress)


def rewrite(
    source: File,
    writing: AbstractContextManager[Any],
    columns: str | Iterable[str] | None,
    options: Options,
    row_groups: Iterable[int] | None = None,
    *,
    check: bool,
    progress: Progress | None = None,
) -> RecodedFile:
    """Encode columns of a file, or of some of its row groups, anew.

    Parameters
    ----------
    source : str, path or file object
        The file.
    writing : context manager
        Gives the file to write to, and takes it back.
    columns : str, iterable of str or None
        As :func:`recode` takes them.
    options : Options
        How.
    row_groups : iterable of int, optional
        Which row groups are written, in that order; all by default. Others are not read.
    check : bool
        Whether to read what was written again.
    progress : callable, optional
        As :func:`recode` takes it.

    Returns
    -------
    RecodedFile
        What was done; `size_before` is that of the whole file.

    Raises
    ------
    KeyError, InvalidTypeError, MalformedFileError, MalformedPageError, ColcodecError, TypeError, ValueError, OSError
        As :func:`recode` does.
    """
    began = time.perf_counter()
    with open_file(source) as file:
        footer = read_footer(file)
        if footer.metadata.encryption_algorithm is not None:
            raise MalformedFileError("the file has encrypted columns, or a signed footer; colcodec does not decrypt")
        chosen = _choose_leaves(footer.metadata, columns, options)
        rewriter = Rewriter(file, footer, chosen, options, as_row_groups(row_groups, footer.metadata))
        with writing as out:
            output = Output(out)
            write_file([rewriter], output, progress, parts=2 if check else 1)
            if check:
                rewriter.check(out, progress)
        return RecodedFile(
            size_before=file_size(file),
            size_after=output.position,
            num_row_groups=len(rewriter.row_groups),
            columns=tuple(rewriter.reports[leaf.index].finished() for leaf in chosen),
            seconds=time.perf_counter() - began,
        )


# --- Arguments -------------------------------------------------------------------------------------------------------


class _Nowhere:
    """What takes the bytes of a dry run."""

    def write(self, data: Any) -> int:
        return len(data)


def as_options(
    encoding: Encoding | str, compression: str, readers: str | Iterable[str] | None, threads: int | None
) -> Options:
    """Check how columns are to be encoded anew.

    Parameters
    ----------
    encoding, compression, readers, threads
        As :func:`recode` takes them.

    Returns
    -------
    Options
        What they mean.

    Raises
    ------
    TypeError, ValueError
        If one is not of its kind, or the encoding is not for these readers.
    """
    names = check_readers(readers)
    known = None if encoding == AUTO else as_writable_encoding(encoding, _length_for(encoding))
    if known is Encoding.DELTA_BINARY_PACKED:
        raise ValueError("DELTA_BINARY_PACKED is for integers")
    if known is not None and (reason := why_unreadable(known, names)):
        raise ValueError(f"{known.name} is {reason}")
    if compression != KEEP:
        as_compression(compression)
    return Options(known, None if compression == KEEP else compression, names, threads)


def _length_for(encoding: Encoding | str) -> int | None:
    """Give the length of values for which an encoding can be; whether it is for a column is found out with that."""
    return 1 if encoding in (Encoding.BYTE_STREAM_SPLIT, Encoding.BYTE_STREAM_SPLIT.name) else None


def open_target(source: Any, target: Any, *, dry_run: bool) -> AbstractContextManager[Any]:
    """Find out what is written to.

    Parameters
    ----------
    source, target : str, path or file object
        As :func:`recode` takes them.
    dry_run : bool
        Whether nothing is to be written.

    Returns
    -------
    context manager
        Gives the file to write to, and takes it back.

    Raises
    ------
    TypeError
        If no target is given.
    ValueError
        If it is the file that is read.
    """
    if dry_run:
        return nullcontext(_Nowhere())
    if target is None:
        raise TypeError("a target is needed, but for a dry run")
    if target is source and hasattr(target, "write"):
        raise ValueError("the target is the file that is read; only a path or a URL can be replaced")
    return replacing(target)


def _choose_leaves(metadata: FileMetaData, columns: str | Iterable[str] | None, options: Options) -> list[Leaf]:
    if columns is None:
        chosen = [
            leaf
            for leaf in leaves(metadata)
            if leaf.type == PhysicalType.BYTE_ARRAY and leaf.logical_type in STRING_TYPES
        ]
    else:
        names = [columns] if isinstance(columns, str) else columns
        chosen = [as_byte_array_leaf(find_leaf(metadata, name)) for name in dict.fromkeys(names)]
    for leaf in chosen:
        if options.encoding is not None:
            check_encoding(options.encoding, leaf.type_length)
    return chosen
