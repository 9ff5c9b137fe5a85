"""What a Parquet file says of itself: the structs of ``parquet.thrift``, the footer, and the leaves of the schema."""

import struct
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import BinaryIO, Final, NamedTuple

import numpy as np
from thrift.Thrift import TType

from .._arrays import empty
from .._checks import read_only
from ..encodings import Bytes
from ..errors import MalformedFileError
from ._thrift import Field, Struct

BOOL, I8, I16, I32, I64 = TType.BOOL, TType.BYTE, TType.I16, TType.I32, TType.I64
BINARY, STRUCT = TType.STRING, TType.STRUCT

MAGIC: Final = b"PAR1"
ENCRYPTED_MAGIC: Final = b"PARE"
CACHE_LINE: Final = 64
TAIL_SIZE: Final = 8
"""Bytes behind the footer: its size, and the magic again."""

MAX_DEPTH: Final = 100
"""Fields on the way to a column. Paths that grow with each element of a schema would take the square of its size."""


class PhysicalType(IntEnum):
    """How values are stored; ``Type`` of ``parquet.thrift``."""

    BOOLEAN = 0
    INT32 = 1
    INT64 = 2
    INT96 = 3
    FLOAT = 4
    DOUBLE = 5
    BYTE_ARRAY = 6
    FIXED_LEN_BYTE_ARRAY = 7


class Repetition(IntEnum):
    """How often a field is there; ``FieldRepetitionType`` of ``parquet.thrift``."""

    REQUIRED = 0
    OPTIONAL = 1
    REPEATED = 2


class PageType(IntEnum):
    """What a page holds."""

    DATA_PAGE = 0
    INDEX_PAGE = 1
    DICTIONARY_PAGE = 2
    DATA_PAGE_V2 = 3


class BoundaryOrder(IntEnum):
    """How the pages of a column chunk are sorted, by their least values and by their greatest."""

    UNORDERED = 0
    ASCENDING = 1
    DESCENDING = 2


class ConvertedType(IntEnum):
    """What values mean, as old writers say it."""

    UTF8 = 0
    MAP = 1
    MAP_KEY_VALUE = 2
    LIST = 3
    ENUM = 4
    DECIMAL = 5
    DATE = 6
    TIME_MILLIS = 7
    TIME_MICROS = 8
    TIMESTAMP_MILLIS = 9
    TIMESTAMP_MICROS = 10
    UINT_8 = 11
    UINT_16 = 12
    UINT_32 = 13
    UINT_64 = 14
    INT_8 = 15
    INT_16 = 16
    INT_32 = 17
    INT_64 = 18
    JSON = 19
    BSON = 20
    INTERVAL = 21


# --- The structs, with the names and the numbers of parquet.thrift ---------------------------------------------------


class Statistics(Struct):
    """The least and the greatest value, and the number of nulls."""

    max = Field[bytes | None](1, BINARY)
    min = Field[bytes | None](2, BINARY)
    null_count = Field[int | None](3, I64)
    distinct_count = Field[int | None](4, I64)
    max_value = Field[bytes | None](5, BINARY)
    min_value = Field[bytes | None](6, BINARY)
    is_max_value_exact = Field[bool | None](7, BOOL)
    is_min_value_exact = Field[bool | None](8, BOOL)


class DataPageHeader(Struct):
    """Of a data page of version 1."""

    num_values = Field[int](1, I32, required=True)
    encoding = Field[int](2, I32, required=True)
    definition_level_encoding = Field[int](3, I32, required=True)
    repetition_level_encoding = Field[int](4, I32, required=True)
    statistics = Field[Statistics | None](5, STRUCT, Statistics)


class DictionaryPageHeader(Struct):
    """Of a dictionary page."""

    num_values = Field[int](1, I32, required=True)
    encoding = Field[int](2, I32, required=True)
    is_sorted = Field[bool | None](3, BOOL)


class DataPageHeaderV2(Struct):
    """Of a data page of version 2."""

    num_values = Field[int](1, I32, required=True)
    num_nulls = Field[int](2, I32, required=True)
    num_rows = Field[int](3, I32, required=True)
    encoding = Field[int](4, I32, required=True)
    definition_levels_byte_length = Field[int](5, I32, required=True)
    repetition_levels_byte_length = Field[int](6, I32, required=True)
    is_compressed = Field[bool | None](7, BOOL)
    statistics = Field[Statistics | None](8, STRUCT, Statistics)


class PageHeader(Struct):
    """What stands before each page."""

    type = Field[int](1, I32, required=True)
    uncompressed_page_size = Field[int](2, I32, required=True)
    compressed_page_size = Field[int](3, I32, required=True)
    crc = Field[int | None](4, I32)
    data_page_header = Field[DataPageHeader | None](5, STRUCT, DataPageHeader)
    dictionary_page_header = Field[DictionaryPageHeader | None](7, STRUCT, DictionaryPageHeader)
    data_page_header_v2 = Field[DataPageHeaderV2 | None](8, STRUCT, DataPageHeaderV2)


class IntType(Struct):
    """How wide integers are, and whether they have a sign."""

    bit_width = Field[int](1, I8, required=True)
    is_signed = Field[bool](2, BOOL, required=True)


class LogicalType(Struct):
    """What values mean: a union, of which one field is set."""

    STRING = Field[Struct | None](1, STRUCT, Struct)
    MAP = Field[Struct | None](2, STRUCT, Struct)
    LIST = Field[Struct | None](3, STRUCT, Struct)
    ENUM = Field[Struct | None](4, STRUCT, Struct)
    DECIMAL = Field[Struct | None](5, STRUCT, Struct)
    DATE = Field[Struct | None](6, STRUCT, Struct)
    TIME = Field[Struct | None](7, STRUCT, Struct)
    TIMESTAMP = Field[Struct | None](8, STRUCT, Struct)
    INTEGER = Field[IntType | None](10, STRUCT, IntType)
    UNKNOWN = Field[Struct | None](11, STRUCT, Struct)
    JSON = Field[Struct | None](12, STRUCT, Struct)
    BSON = Field[Struct | None](13, STRUCT, Struct)
    UUID = Field[Struct | None](14, STRUCT, Struct)
    FLOAT16 = Field[Struct | None](15, STRUCT, Struct)
    VARIANT = Field[Struct | None](16, STRUCT, Struct)
    GEOMETRY = Field[Struct | None](17, STRUCT, Struct)
    GEOGRAPHY = Field[Struct | None](18, STRUCT, Struct)


class SchemaElement(Struct):
    """A node of the schema's tree; the tree is a list of them, each before its children."""

    type = Field[int | None](1, I32)
    type_length = Field[int | None](2, I32)
    repetition_type = Field[int | None](3, I32)
    name = Field[bytes](4, BINARY, required=True)
    num_children = Field[int | None](5, I32)
    converted_type = Field[int | None](6, I32)
    scale = Field[int | None](7, I32)
    precision = Field[int | None](8, I32)
    field_id = Field[int | None](9, I32)
    logical_type = Field[LogicalType | None](10, STRUCT, LogicalType)


class KeyValue(Struct):
    """A pair of what writers put into a file beside its data."""

    key = Field[bytes](1, BINARY, required=True)
    value = Field[bytes | None](2, BINARY)


class SortingColumn(Struct):
    """How the rows of a row group are sorted."""

    column_idx = Field[int](1, I32, required=True)
    descending = Field[bool](2, BOOL, required=True)
    nulls_first = Field[bool](3, BOOL, required=True)


class PageEncodingStats(Struct):
    """How many pages of a kind have an encoding."""

    page_type = Field[int](1, I32, required=True)
    encoding = Field[int](2, I32, required=True)
    count = Field[int](3, I32, required=True)


class SizeStatistics(Struct):
    """How large values are before they are encoded, and how many there are of each level."""

    unencoded_byte_array_data_bytes = Field[int | None](1, I64)
    repetition_level_histogram = Field[list[int] | None](2, I64, many=True)
    definition_level_histogram = Field[list[int] | None](3, I64, many=True)


class ColumnMetaData(Struct):
    """Of a column chunk."""

    type = Field[int](1, I32, required=True)
    encodings = Field[list[int]](2, I32, many=True, required=True)
    path_in_schema = Field[list[bytes]](3, BINARY, many=True, required=True)
    codec = Field[int](4, I32, required=True)
    num_values = Field[int](5, I64, required=True)
    total_uncompressed_size = Field[int](6, I64, required=True)
    total_compressed_size = Field[int](7, I64, required=True)
    key_value_metadata = Field[list[KeyValue] | None](8, STRUCT, KeyValue, many=True)
    data_page_offset = Field[int](9, I64, required=True)
    index_page_offset = Field[int | None](10, I64)
    dictionary_page_offset = Field[int | None](11, I64)
    statistics = Field[Statistics | None](12, STRUCT, Statistics)
    encoding_stats = Field[list[PageEncodingStats] | None](13, STRUCT, PageEncodingStats, many=True)
    bloom_filter_offset = Field[int | None](14, I64)
    bloom_filter_length = Field[int | None](15, I32)
    size_statistics = Field[SizeStatistics | None](16, STRUCT, SizeStatistics)


class ColumnChunk(Struct):
    """Where a column chunk is, and what is in it."""

    file_path = Field[bytes | None](1, BINARY)
    file_offset = Field[int](2, I64, required=True)
    meta_data = Field[ColumnMetaData | None](3, STRUCT, ColumnMetaData)
    offset_index_offset = Field[int | None](4, I64)
    offset_index_length = Field[int | None](5, I32)
    column_index_offset = Field[int | None](6, I64)
    column_index_length = Field[int | None](7, I32)
    crypto_metadata = Field[Struct | None](8, STRUCT, Struct)
    encrypted_column_metadata = Field[bytes | None](9, BINARY)


class RowGroup(Struct):
    """The column chunks of some rows."""

    columns = Field[list[ColumnChunk]](1, STRUCT, ColumnChunk, many=True, required=True)
    total_byte_size = Field[int](2, I64, required=True)
    num_rows = Field[int](3, I64, required=True)
    sorting_columns = Field[list[SortingColumn] | None](4, STRUCT, SortingColumn, many=True)
    file_offset = Field[int | None](5, I64)
    total_compressed_size = Field[int | None](6, I64)
    ordinal = Field[int | None](7, I16)


class ColumnOrder(Struct):
    """The union that says how the least and the greatest value of a column were found: by the order of its type."""

    type_order = Field[Struct | None](1, STRUCT, Struct)


class FileMetaData(Struct):
    """The footer."""

    version = Field[int](1, I32, required=True)
    schema = Field[list[SchemaElement]](2, STRUCT, SchemaElement, many=True, required=True)
    num_rows = Field[int](3, I64, required=True)
    row_groups = Field[list[RowGroup]](4, STRUCT, RowGroup, many=True, required=True)
    key_value_metadata = Field[list[KeyValue] | None](5, STRUCT, KeyValue, many=True)
    created_by = Field[bytes | None](6, BINARY)
    column_orders = Field[list[ColumnOrder] | None](7, STRUCT, ColumnOrder, many=True)
    encryption_algorithm = Field[Struct | None](8, STRUCT, Struct)


class PageLocation(Struct):
    """Where a data page is, and which row is its first."""

    offset = Field[int](1, I64, required=True)
    compressed_page_size = Field[int](2, I32, required=True)
    first_row_index = Field[int](3, I64, required=True)


class OffsetIndex(Struct):
    """Where the data pages of a column chunk are."""

    page_locations = Field[list[PageLocation]](1, STRUCT, PageLocation, many=True, required=True)
    unencoded_byte_array_data_bytes = Field[list[int] | None](2, I64, many=True)


class ColumnIndex(Struct):
    """The least and the greatest value of each data page of a column chunk."""

    null_pages = Field[list[bool]](1, BOOL, many=True, required=True)
    min_values = Field[list[bytes]](2, BINARY, many=True, required=True)
    max_values = Field[list[bytes]](3, BINARY, many=True, required=True)
    boundary_order = Field[int](4, I32, required=True)
    null_counts = Field[list[int] | None](5, I64, many=True)


class BloomFilterHeader(Struct):
    """What stands before the bits of a bloom filter."""

    num_bytes = Field[int](1, I32, required=True)


# --- The footer ------------------------------------------------------------------------------------------------------


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


# --- The schema ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """A column of the schema: a leaf of its tree.

    Parameters
    ----------
    index : int
        Which leaf it is, and which column chunk of a row group.
    path : tuple of str
        Names from the root, which is not among them, to the leaf.
    element : SchemaElement
        The leaf itself.
    max_definition_level : int
        How many of the path's fields may be absent.
    max_repetition_level : int
        How many of them are repeated.
    """

    index: int
    path: tuple[str, ...]
    element: SchemaElement
    max_definition_level: int
    max_repetition_level: int

    @cached_property
    def name(self) -> str:
        """The path with dots."""
        return ".".join(self.path)

    @cached_property
    def type(self) -> int:
        """The physical type's number, a PhysicalType where the format knows it."""
        return self.element.type if self.element.type is not None else -1

    @property
    def physical_type(self) -> str:
        """The name of the physical type, or its number where there is no such type."""
        return PhysicalType(self.type).name if self.type in tuple(PhysicalType) else f"type {self.type}"

    @cached_property
    def type_length(self) -> int | None:
        """Bytes of each value of a FIXED_LEN_BYTE_ARRAY."""
        return self.element.type_length if self.type == PhysicalType.FIXED_LEN_BYTE_ARRAY else None

    @cached_property
    def logical_type(self) -> str | None:
        """The name of what values mean, as "STRING" or "DECIMAL"; None where nothing is said."""
        if self.element.logical_type is not None:
            for name in self.element.logical_type.names():
                return name
        converted = self.element.converted_type
        if converted is None:
            return None
        names = {int(kind): kind.name for kind in ConvertedType} | {int(ConvertedType.UTF8): "STRING"}
        return names.get(converted, f"ConvertedType {converted}")

    @property
    def is_unsigned(self) -> bool:
        """Whether the values are integers without a sign."""
        logical = self.element.logical_type
        if logical is not None and logical.INTEGER is not None:
            return not logical.INTEGER.is_signed
        return self.element.converted_type in range(ConvertedType.UINT_8, ConvertedType.UINT_64 + 1)

    @cached_property
    def is_text(self) -> bool:
        """Whether the values are UTF-8."""
        return self.type == PhysicalType.BYTE_ARRAY and self.logical_type in ("STRING", "ENUM", "JSON")


def leaves(metadata: FileMetaData) -> list[Leaf]:
    """List the columns of a file.

    Parameters
    ----------
    metadata : FileMetaData
        The footer.

    Returns
    -------
    list of Leaf
        In the order of the column chunks.

    Raises
    ------
    MalformedFileError
        If the schema is no tree.
    """
    elements = metadata.schema
    found: list[Leaf] = []
    # What is open on the way down: children still to come, path, and levels.
    opened: list[tuple[int, tuple[str, ...], int, int]] = [(_num_children(elements[0]), (), 0, 0)]
    for element in elements[1:]:
        while opened and opened[-1][0] == 0:
            opened.pop()
        if not opened:
            raise MalformedFileError(f"the schema has {len(elements)} elements, more than its root says")
        children, path, definition, repetition = opened.pop()
        opened.append((children - 1, path, definition, repetition))
        kind = element.repetition_type or Repetition.REQUIRED
        path = (*path, element.name.decode("utf-8", "backslashreplace"))
        if kind not in tuple(Repetition):
            raise MalformedFileError(f"element {path[-1]!r} of the schema has repetition type {kind}")
        definition += kind != Repetition.REQUIRED
        repetition += kind == Repetition.REPEATED
        if len(path) > MAX_DEPTH:
            raise MalformedFileError(f"the schema is nested more than {MAX_DEPTH} deep")
        if children := _num_children(element):
            opened.append((children, path, definition, repetition))
        elif element.type is not None:
            found.append(Leaf(len(found), path, element, definition, repetition))
    if any(children > 0 for children, *_ in opened):
        raise MalformedFileError(f"the schema ends after {len(elements)} elements, before all that they announce")
    return found


def _num_children(element: SchemaElement) -> int:
    count = element.num_children or 0
    if count < 0:
        raise MalformedFileError(f"an element of the schema has {count} children")
    return count


def find_leaf(metadata: FileMetaData, name: str) -> Leaf:
    """Find a column by its path with dots.

    Parameters
    ----------
    metadata : FileMetaData
        The footer.
    name : str
        As "a.b.c"; a part may have dots itself.

    Returns
    -------
    Leaf
        The column.

    Raises
    ------
    KeyError
        If there is no such column, or more than one.
    """
    known = leaves(metadata)
    found = [leaf for leaf in known if leaf.name == name]
    if len(found) != 1:
        problem = "no column" if not found else f"{len(found)} columns"
        raise KeyError(f"{problem} {name!r}; there are {_listed([leaf.name for leaf in known])}")
    return found[0]


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:20]))
    return shown + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def column_metadata(row_group: RowGroup, leaf: Leaf) -> ColumnMetaData:
    """Get the metadata of a column chunk.

    Parameters
    ----------
    row_group : RowGroup
        The row group.
    leaf : Leaf
        The column.

    Returns
    -------
    ColumnMetaData
        What it says.

    Raises
    ------
    MalformedFileError
        If it is missing, encrypted, in another file, or of another type than the schema's.
    """
    if leaf.index >= len(row_group.columns):
        raise MalformedFileError(f"column {leaf.name}: the row group has only {len(row_group.columns)} columns")
    chunk = row_group.columns[leaf.index]
    if chunk.crypto_metadata is not None or chunk.encrypted_column_metadata is not None:
        raise MalformedFileError(f"column {leaf.name} is encrypted; colcodec does not decrypt")
    if chunk.file_path is not None:
        raise MalformedFileError(f"column {leaf.name} is in another file, {chunk.file_path!r}, which is not read")
    metadata = chunk.meta_data
    if metadata is None:
        raise MalformedFileError(f"column {leaf.name} has no metadata")
    if metadata.type != leaf.type:
        raise MalformedFileError(f"column {leaf.name} is of type {metadata.type}, but of {leaf.type} in the schema")
    return metadata
