"""Columns for the command line: from text, CSV, TSV, .npy and .npz files, and one that every machine has."""

import csv
import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .codec import column as as_column
from .errors import ColcodecError, InvalidColumnError
from .string_column import StringColumn

READABLE: Final = "text files (a value a line), .csv and .tsv with a header line, .npy and .npz"

# First bytes of formats that would otherwise pass for a text file with odd characters in it.
FOREIGN_MAGIC: Final = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\x1f\x8b": "compressed with gzip",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"PK\x03\x04": "a zip archive",
    b"\x93NUMPY": "a NumPy file without the suffix .npy",
    b"SQLite format 3": "an SQLite database",
}
UTF8_BOM: Final = b"\xef\xbb\xbf"

if TYPE_CHECKING:
    import _csv


class SourceError(ColcodecError):
    """A file, or a column of a file, that cannot be used; the message is one line for the user."""


class Source(NamedTuple):
    """A column and what to call it."""

    name: str
    column: StringColumn


def read_source(path: Path | None, name: str | None) -> Source:
    """Read one string column.

    Parameters
    ----------
    path : Path or None
        The file; its suffix decides how it is read. None for the paths of the running Python installation.
    name : str or None
        The column of a CSV or TSV file, or the array of an .npz file; needed where there are several.

    Returns
    -------
    Source
        The column with its name: `name`, or the file's own where a file holds one column without a name.

    Raises
    ------
    SourceError
        The file cannot be used.
    """
    if path is None:
        return Source(_the_only("the Python installation", name, "paths of this Python"), _read_own_paths())
    try:
        match path.suffix.lower():
            case ".csv":
                return _read_csv(path, name, ",")
            case ".tsv":
                return _read_csv(path, name, "\t")
            case ".npy" | ".npz":
                return _read_numpy(path, name)
            case _:
                return Source(_the_only(str(path), name, path.name), _read_text(path))
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error


def _the_only(where: str, name: str | None, own_name: str) -> str:
    if name is not None:
        raise SourceError(f"{where} holds one column without a name: leave --column {name!r} out")
    return own_name


def _choose(path: Path, names: list[str], name: str | None) -> str:
    listed = ", ".join(map(repr, names))
    if name is None:
        if len(names) != 1:
            raise SourceError(f"{path} has {len(names)} columns, name one with --column: {listed}")
        return names[0]
    if names.count(name) != 1:
        problem = "no column" if name not in names else "several columns"
        raise SourceError(f"{path} has {problem} {name!r}: {listed}")
    return name


def _read_own_paths() -> StringColumn:
    roots = {sysconfig.get_path(key) for key in ("stdlib", "purelib", "platlib")}
    # os.walk passes over folders that it may not list; one root can lie inside another, hence the set.
    paths = {str(Path(folder, file)) for root in roots for folder, _, files in os.walk(root) for file in files}
    return _from_strings(sorted(paths))


def _from_strings(values: list[str]) -> StringColumn:
    """Build a column from text in which bytes that are not UTF-8 stand as surrogates; such a column is binary."""
    try:
        return as_column(values)
    except InvalidColumnError:
        return as_column([value.encode("utf-8", "surrogateescape") for value in values])


def _read_text(path: Path) -> StringColumn:
    content = path.read_bytes()
    for magic, what in FOREIGN_MAGIC.items():
        if content.startswith(magic):
            raise SourceError(f"{path} is {what}; readable are {READABLE}")
    content = content.removeprefix(UTF8_BOM).replace(b"\r\n", b"\n")
    if content and not content.endswith(b"\n"):
        content += b"\n"
    text = np.frombuffer(content, np.uint8)
    is_newline = text == ord("\n")
    newlines = np.flatnonzero(is_newline)
    # The newlines are taken out of the data, so a value's end moves left by one for each value before it.
    offsets = np.zeros(len(newlines) + 1, np.int64)
    np.subtract(newlines, np.arange(len(newlines)), out=offsets[1:])
    return StringColumn(offsets, text[~is_newline], utf8=_is_utf8(content))


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _read_csv(path: Path, name: str | None, delimiter: str) -> Source:
    csv.field_size_limit(2**31 - 1)  # the default refuses fields over 128 KiB; this fits a C long everywhere
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        rows = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            header = next(rows, [])
            if not header:
                raise SourceError(f"{path} has no header line")
            name = _choose(path, header, name)
            return Source(name, _from_strings(list(_fields(path, rows, header, header.index(name)))))
        except csv.Error as error:
            raise SourceError(f"{path}, line {rows.line_num}: {error}") from error


def _fields(path: Path, rows: "_csv.Reader", header: list[str], index: int) -> Iterator[str]:
    for row in rows:
        if len(row) == len(header):
            yield row[index]
        elif row:  # an empty row is a blank line, which CSV readers pass over
            raise SourceError(f"{path}, line {rows.line_num}: {len(row)} fields, but the header has {len(header)}")


def _read_numpy(path: Path, name: str | None) -> Source:
    with path.open("rb") as file:  # np.load leaves a file that it opened itself open when it fails
        try:
            loaded = np.load(file, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                name, array = _the_only(str(path), name, path.name), loaded
            else:
                name = _choose(path, loaded.files, name)
                array = loaded[name]
        except (OSError, SourceError):
            raise
        except Exception as error:  # np.load lets out whatever a broken file makes its parts raise
            if "allow_pickle" in str(error):
                raise SourceError(f"{path}: pickled Python objects are not read; save dtype U or S") from error
            raise SourceError(f"{path}: not a NumPy file that can be read ({error})") from error
    return Source(name, _from_array(path, array))


def _from_array(path: Path, array: npt.NDArray[np.generic]) -> StringColumn:
    if array.ndim != 1 or array.dtype.kind not in "SUT":
        raise SourceError(
            f"{path}: expected a one-dimensional array of strings (dtype U, S or StringDType), "
            f"found dtype {array.dtype} and shape {array.shape}"
        )
    try:
        return as_column(array)
    except ColcodecError as error:
        raise SourceError(f"{path}: {error}") from error
