"""Parquet files of flat columns: strings in any encoding, and integers; with statistics, page indexes and checksums."""

import struct
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, Final

import numpy as np

from .._checks import as_size
from .._spec import Encoding
from ..choice import MAX_PAGE_SIZE
from ..codec import Integers, as_integers, column
from ..column_chunk import workers
from ..compression import Compression, as_compression, find_compressor
from ..errors import InvalidColumnError, InvalidTypeError, naming
from ..page import as_writable_encoding
from ..readers import check_readers, why_unreadable
from ..string_column import StringColumn
from ._thrift import Struct
from .chunk_writer import Options, make_chunk, type_of
from .files import File, replacing
from .footer import MAGIC, created_by
from .structs import (
    ColumnChunk,
    ColumnIndex,
    ColumnMetaData,
    ColumnOrder,
    ConvertedType,
    FileMetaData,
    KeyValue,
    LogicalType,
    OffsetIndex,
    PageLocation,
    Repetition,
    RowGroup,
    SchemaElement,
)

DEFAULT_ROW_GROUP_SIZE: Final = 2**20

VERSION: Final = 2
"""Of the format, in the footer: that which has the delta encodings."""

MAX_USUAL_PAGE_SIZE: Final = 2**30
"""Bytes at which pages end at last, however large they may be: far from the 2**31 that a page cannot have."""

MAX_VALUE_SIZE: Final = 3 * 2**29
"""Bytes of the largest value: that with what its page adds, and compression can add, the page stays below 2**31."""

INTEGER_ENCODINGS: Final = (Encoding.DELTA_BINARY_PACKED, Encoding.PLAIN)
INTEGER_NAMES: Final = " and ".join(encoding.name for encoding in INTEGER_ENCODINGS)


def write_columns(
    file: File,
    columns: Mapping[str, Any],
    /,
    *,
    encodings: Encoding | str | Mapping[str, Encoding | str] = "auto",
    compression: str = Compression.ZSTD,
    readers: str | Iterable[str] | None = None,
    row_group_size: int = DEFAULT_ROW_GROUP_SIZE,
    page_size: int = MAX_PAGE_SIZE,
    page_version: int = 1,
    key_value_metadata: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> None:
    """Write columns of strings, and of integers, to a Parquet file.

    A column of strings is optional in the schema, whether or not it has nulls, so that files of a data set agree; one
    of integers is required. Pages have checksums, and column chunks statistics and page indexes, in which values are
    cut to 64 bytes.

    Parameters
    ----------
    file : str, path or file object
        A path, which gets the file once it is whole; a URL that fsspec knows; or a binary file, empty so far.
    columns : mapping of str to array_like
        Columns of the same length by their names. Each is whatever `column` takes, of text (STRING in the schema) or of
        bytes; or int32[n] or int64[n], whatever NumPy makes such an array of, and lists of integers. Of a dataframe of
        pandas `dict` makes such a mapping, of one of polars ``to_dict()``.
    encodings : Encoding, str or mapping, optional
        An encoding, or its name in the format, of all columns of strings; or by the names of columns, which can be
        DELTA_BINARY_PACKED and PLAIN for those of integers. "auto", as for every column that is not named, finds what
        takes the least space in each row group, as :func:`colcodec.choose` does; for integers it is
        DELTA_BINARY_PACKED, or PLAIN for readers that do not know it. Where a dictionary would take more than 1 MiB,
        a row group has what "auto" finds in place of RLE_DICTIONARY; one of nulls alone is PLAIN.
    compression : str, optional
        What compresses pages: "zstd", "snappy", "lz4", "gzip", "brotli" or "none", also with a level, as "zstd:9".
    readers : str or iterable of str, optional
        Who must be able to read the file, such as "spark" or ["impala", "duckdb"].
    row_group_size : int, optional
        Rows of each row group but the last.
    page_size : int, optional
        Bytes of encoded values, before they are compressed, at which a page ends; it has one row at least, and 20,000
        at most.
    page_version : int, optional
        1 or 2, of the data pages; all readers know those of version 1.
    key_value_metadata : mapping of str to str, optional
        What the footer is to hold beside that.
    threads : int, optional
        Number of threads that encode and compress. By default one for each processor of this process.

    Raises
    ------
    InvalidTypeError, InvalidColumnError
        If a column is none of strings or of integers, its text is not UTF-8, or a value has more than 1.5 GiB.
    KeyError
        If `encodings` has a name that `columns` does not have.
    TypeError, ValueError
        If there are no columns, these have different lengths, or an argument is not of its kind.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import colcodec as cc
    >>> import io
    >>> file = io.BytesIO()
    >>> cc.parquet.write_columns(file, {"word": ["axis", "axle", None], "id": [1, 2, 3]})
    >>> cc.parquet.read_column(file, "word").to_pylist()
    ['axis', 'axle', None]
    """
    taken = _as_columns(columns)
    names = check_readers(readers)
    compressor = find_compressor(compression)
    wanted = _as_encodings(encodings, taken, names)
    row_group_size, page_size = as_size(row_group_size, "row_group_size"), as_size(page_size, "page_size")
    if row_group_size == 0 or page_size == 0:
        raise ValueError(f"{'row_group_size' if row_group_size == 0 else 'page_size'} must be at least 1, got 0")
    if page_version not in (1, 2):
        raise ValueError(f"page_version must be 1 or 2, got {page_version!r}")
    metadata = FileMetaData(
        version=VERSION,
        schema=_make_schema(taken),
        num_rows=len(next(iter(taken.values()))),
        key_value_metadata=_as_key_values(key_value_metadata),
        created_by=created_by(),
        column_orders=[ColumnOrder(type_order=Struct())] * len(taken),
    )
    with workers(threads) as run, replacing(file) as opened:
        codec, _ = as_compression(compression)
        page_size = min(page_size, MAX_USUAL_PAGE_SIZE)
        writer = _FileWriter(opened, Options(compression, codec, compressor, names, page_size, page_version, run))
        for start in range(0, metadata.num_rows, row_group_size):
            part = {name: values[start : start + row_group_size] for name, values in taken.items()}
            writer.write_row_group(part, wanted)
        writer.write_footer(metadata)


# --- Arguments -------------------------------------------------------------------------------------------------------


def _as_columns(columns: Mapping[str, Any]) -> dict[str, StringColumn | Integers]:
    if not isinstance(columns, Mapping):
        raise TypeError(f"expected values by the names of their columns, got a {type(columns).__name__}")
    if not columns:
        raise ValueError("no columns; a file has one at least")
    taken: dict[str, StringColumn | Integers] = {}
    for name, values in columns.items():
        if not isinstance(name, str):
            raise TypeError(f"the name of a column must be a str, got {name!r}")
        with naming(name):
            _encoded_text(name)
            taken[name] = _as_values(values)
    first, *others = taken
    for name in others:
        if len(taken[name]) != len(taken[first]):
            lengths = f"{first!r} has {len(taken[first])} values, {name!r} {len(taken[name])}"
            raise ValueError(f"columns of different lengths: {lengths}")
    return taken


def _as_values(values: Any) -> StringColumn | Integers:
    try:
        strings = column(values)
    except InvalidTypeError as error:
        try:
            return as_integers(values)
        except InvalidTypeError:
            raise error from None
    strings.validate()
    lengths = np.diff(strings.offsets)
    if lengths.max(initial=0) > MAX_VALUE_SIZE:
        index = int(np.argmax(lengths))
        found = f"value {index} has {lengths[index]} bytes"
        raise InvalidColumnError(f"{found}; a value of a file has at most {MAX_VALUE_SIZE}", index=index)
    return strings


def _as_encodings(
    encodings: Any, columns: Mapping[str, StringColumn | Integers], readers: tuple[str, ...]
) -> dict[str, Encoding | None]:
    """Find the encoding of each column: None for one that is to be found."""
    if isinstance(encodings, Mapping):
        for name in encodings:
            if name not in columns:
                raise KeyError(f"encodings has {name!r}; the columns are {', '.join(map(repr, columns))}")
        asked = dict(encodings)
    else:
        asked = {name: encodings for name, values in columns.items() if isinstance(values, StringColumn)}
        if not asked:
            _as_encoding(encodings)
    found = {}
    for name, values in columns.items():
        with naming(name):
            encoding = _as_encoding(asked.get(name, "auto"))
            if isinstance(values, StringColumn):
                if encoding is Encoding.DELTA_BINARY_PACKED:
                    raise InvalidTypeError("DELTA_BINARY_PACKED is for integers")
            elif encoding is None:
                usable = [known for known in INTEGER_ENCODINGS if not why_unreadable(known, readers)]
                encoding = usable[0]
            elif encoding not in INTEGER_ENCODINGS:
                raise InvalidTypeError(f"{encoding.name} is for strings; of integers are written {INTEGER_NAMES}")
            if encoding is not None and (reason := why_unreadable(encoding, readers)):
                raise ValueError(f"{encoding.name} is {reason}")
            found[name] = encoding
    return found


def _as_encoding(encoding: Any) -> Encoding | None:
    return None if encoding == "auto" else as_writable_encoding(encoding)


def _as_key_values(pairs: Mapping[str, str] | None) -> list[KeyValue] | None:
    if pairs is None:
        return None
    if not isinstance(pairs, Mapping):
        raise TypeError(f"key_value_metadata must be a mapping, got a {type(pairs).__name__}")
    for key, value in pairs.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(f"key_value_metadata must be of str to str, got {key!r}: {value!r}")
    return [KeyValue(key=_encoded_text(key), value=_encoded_text(value)) for key, value in pairs.items()] or None


def _encoded_text(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} has a lone surrogate, and cannot be UTF-8") from None


# --- The schema ------------------------------------------------------------------------------------------------------


def _make_schema(columns: Mapping[str, StringColumn | Integers]) -> list[SchemaElement]:
    leaves = [_make_leaf(name, values) for name, values in columns.items()]
    return [SchemaElement(name=b"schema", num_children=len(leaves)), *leaves]


def _make_leaf(name: str, values: StringColumn | Integers) -> SchemaElement:
    is_string = isinstance(values, StringColumn)
    is_text = isinstance(values, StringColumn) and values.utf8
    return SchemaElement(
        type=int(type_of(values)),
        repetition_type=int(Repetition.OPTIONAL if is_string else Repetition.REQUIRED),
        name=name.encode(),
        converted_type=int(ConvertedType.UTF8) if is_text else None,
        logical_type=LogicalType(STRING=Struct()) if is_text else None,
    )


# --- The file --------------------------------------------------------------------------------------------------------


class _FileWriter:
    """Writes row groups one after another, then their indexes and the footer."""

    def __init__(self, file: BinaryIO, options: Options) -> None:
        self._file = file
        self._options = options
        self._position = 0
        self._row_groups: list[RowGroup] = []
        self._indexes: list[tuple[ColumnIndex | None, OffsetIndex]] = []
        self._write(MAGIC)

    def _write(self, data: bytes) -> int:
        """Write bytes, and tell where they begin."""
        self._file.write(data)
        start = self._position
        self._position += len(data)
        return start

    def write_row_group(
        self, columns: Mapping[str, StringColumn | Integers], encodings: Mapping[str, Encoding | None]
    ) -> None:
        """Write a column chunk of each column."""
        start = self._position
        chunks = []
        for name, values in columns.items():
            with naming(name):
                chunks.append(self._write_chunk(name, values, encodings[name]))
        row_group = RowGroup(
            columns=[ColumnChunk(file_offset=0, meta_data=chunk) for chunk in chunks],
            total_byte_size=sum(chunk.total_uncompressed_size for chunk in chunks),
            num_rows=chunks[0].num_values,
            file_offset=start,
            total_compressed_size=self._position - start,
        )
        self._row_groups.append(row_group)

    def _write_chunk(self, name: str, column: StringColumn | Integers, encoding: Encoding | None) -> ColumnMetaData:
        chunk = make_chunk(name, column, encoding, self._options)
        metadata = chunk.metadata
        if chunk.dictionary is not None:
            metadata.dictionary_page_offset = self._write(chunk.dictionary.data)
        locations, row = [], 0
        for page in chunk.pages:
            size = len(page.data)
            locations.append(
                PageLocation(offset=self._write(page.data), compressed_page_size=size, first_row_index=row)
            )
            row += page.num_rows
        metadata.data_page_offset = locations[0].offset
        self._indexes.append((chunk.column_index, OffsetIndex(page_locations=locations)))
        return metadata

    def write_footer(self, metadata: FileMetaData) -> None:
        """Write the indexes, and behind them the footer."""
        chunks = [chunk for row_group in self._row_groups for chunk in row_group.columns]
        for chunk, (column_index, _) in zip(chunks, self._indexes, strict=True):
            if column_index is not None:
                data = bytes(column_index)
                chunk.column_index_offset, chunk.column_index_length = self._write(data), len(data)
        for chunk, (_, offset_index) in zip(chunks, self._indexes, strict=True):
            data = bytes(offset_index)
            chunk.offset_index_offset, chunk.offset_index_length = self._write(data), len(data)
        metadata.row_groups = self._row_groups
        footer = bytes(metadata)
        self._write(footer + struct.pack("<I4s", len(footer), MAGIC))
