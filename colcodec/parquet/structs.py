"""The enums and the structs of ``parquet.thrift``, with its names and its numbers."""

from enum import IntEnum

from thrift.Thrift import TType

from ._thrift import Field, Struct

BOOL, I8, I16, I32, I64 = TType.BOOL, TType.BYTE, TType.I16, TType.I32, TType.I64
BINARY, STRUCT = TType.STRING, TType.STRUCT


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
