"""Columns for the command line: from text, CSV, TSV, NumPy and Parquet files, and one that every machine has."""

import csv
import os
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .codec import column as as_column
from .errors import ColcodecError, InvalidColumnError, located
from .string_column import StringColumn

READABLE: Final = "text files (a value a line), .csv and .tsv with a header line, .npy, .npz and Parquet"

PARQUET_MAGIC: Final = (b"PAR1", b"PARE")
"""First bytes of Parquet files, the second of those whose footer is encrypted."""

# First bytes of formats that would otherwise pass for a text file with odd characters in it.
FOREIGN_MAGIC: Final = {
    b"PAR1": "a Parquet file, which cannot be read from a pipe",
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


class Stored(NamedTuple):
    """How a column of a Parquet file is stored there."""

    encodings: dict[str, int]
    """Of how many data pages each encoding is."""
    codecs: tuple[str, ...]
    encoded_size: int
    compressed_size: int


class Source(NamedTuple):
    """A column and what to call it, and how it is stored, if that is known."""

    name: str
    column: StringColumn
    stored: Stored | None = None


def read_source(path: Path | None, name: str | None) -> Source:
    """Read one string column.

    Parameters
    ----------
    path : Path or None
        The file; its suffix decides how it is read, but for Parquet files, which are known by their first bytes. None
        for the paths of the running Python installation.
    name : str or None
        The column of a CSV, TSV or Parquet file, or the array of an .npz file; needed where there are several.

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
    with errors_of(str(path)):
        if _is_parquet(path):
            return _read_parquet(path, name)
        match path.suffix.lower():
            case ".csv":
                return _read_csv(path, name, ",")
            case ".tsv":
                return _read_csv(path, name, "\t")
            case ".npy" | ".npz":
                return _read_numpy(path, name)
            case _:
                return Source(_the_only(str(path), name, path.name), _read_text(path))


@contextmanager
def errors_of(file: str) -> Iterator[None]:
    """Say of which file an error is.

    Parameters
    ----------
    file : str
        A path or a URL.

    Raises
    ------
    SourceError
        In place of an OSError, of a KeyError for a column, and of what fsspec says of a URL that it does not know.
    MalformedFileError, MalformedPageError
        What is raised inside, with another message.
    """
    try:
        with located(file):
            yield
    except OSError as error:
        raise SourceError(f"{file}: {error.strerror or error}") from error
    except KeyError as error:
        raise SourceError(f"{file} has {error.args[0]}") from error
    except ValueError as error:
        if isinstance(error, ColcodecError) or "://" not in file:
            raise
        raise SourceError(f"{file}: {error}") from error


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


def _is_parquet(path: Path) -> bool:
    if not path.is_file():  # a pipe can be read only once, and in order
        return False
    with path.open("rb") as file:
        return file.read(len(PARQUET_MAGIC[0])) in PARQUET_MAGIC


def _read_parquet(path: Path, name: str | None) -> Source:
    # Only here, for all other files are read without the extra that it needs.
    from .parquet import RepeatedColumn, inspect, read_column  # noqa: PLC0415

    name = _choose_leaf(path, name)
    values = read_column(path, name)
    own = inspect(path, columns=[name]).columns[0]
    stored = Stored(own.encodings, own.codecs, own.encoded_size, own.compressed_size)
    return Source(name, values.values if isinstance(values, RepeatedColumn) else values, stored)


def _choose_leaf(path: Path, name: str | None) -> str:
    from .parquet.footer import read_footer  # noqa: PLC0415
    from .parquet.schema import leaves  # noqa: PLC0415
    from .parquet.structs import PhysicalType  # noqa: PLC0415

    with path.open("rb") as file:
        known = leaves(read_footer(file).metadata)
    kinds = (PhysicalType.BYTE_ARRAY, PhysicalType.FIXED_LEN_BYTE_ARRAY)
    byte_arrays = [leaf.name for leaf in known if leaf.type in kinds]
    texts = [leaf.name for leaf in known if leaf.is_text]
    if name is None and len(texts) == 1:
        return texts[0]
    if name is None and not byte_arrays:
        raise SourceError(f"{path} has no column of strings")
    # That a column is there, but not of byte arrays, is told where it is read.
    return _choose(path, byte_arrays if name is None else [leaf.name for leaf in known], name)
