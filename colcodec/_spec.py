"""The format's own numbers: encodings, limits, and the ways in which bytes can be wrong.

Everything here comes from the Apache Parquet format specification (``Encodings.md`` and ``parquet.thrift``).
"""

from enum import IntEnum
from typing import Final


class Encoding(IntEnum):
    """Parquet's encodings of byte arrays and of levels, with the numbers of ``parquet.thrift``."""

    PLAIN = 0
    PLAIN_DICTIONARY = 2
    """What old writers call the indices of RLE_DICTIONARY, and their dictionary; the bytes are the same."""
    RLE = 3
    """The encoding of definition and repetition levels."""
    DELTA_BINARY_PACKED = 5
    DELTA_LENGTH_BYTE_ARRAY = 6
    DELTA_BYTE_ARRAY = 7
    RLE_DICTIONARY = 8
    BYTE_STREAM_SPLIT = 9

    __hash__ = int.__hash__  # that of Enum is a Python function, in the way of every look-up


class Status(IntEnum):
    """What a kernel found in encoded bytes; everything but ``OK`` ends the decode."""

    OK = 0
    TRUNCATED = 1
    BAD_VARINT = 2
    BAD_HEADER = 3
    BIT_WIDTH = 4
    COUNT_MISMATCH = 5
    NEGATIVE_LENGTH = 6
    PREFIX = 7
    FIRST_PREFIX = 8
    LIMIT = 9
    BAD_RUN = 10
    INDEX_RANGE = 11
    LEVEL_RANGE = 12
    FIXED_LENGTH = 13


# DELTA_BINARY_PACKED geometry that we write, for int32 and int64 alike; readers take any legal one.
BLOCK_SIZE: Final = 128
MINIBLOCKS_PER_BLOCK: Final = 4
MINIBLOCK_SIZE: Final = BLOCK_SIZE // MINIBLOCKS_PER_BLOCK

# What the specification demands of every geometry ("Delta Encoding").
BLOCK_SIZE_MULTIPLE: Final = 128
MINIBLOCK_SIZE_MULTIPLE: Final = 32

# Lengths and counts are signed 32-bit integers in the format.
MAX_INT32: Final = 2**31 - 1
MAX_VALUE_LENGTH: Final = MAX_INT32
MAX_PAGE_SIZE: Final = MAX_INT32

MAX_INT64: Final = 2**63 - 1

# A page's size is an int32, so no honest page of PLAIN or DELTA_LENGTH_BYTE_ARRAY decodes to more; a
# DELTA_BYTE_ARRAY page can, and a hostile one of 64 KiB can claim gigabytes.
DEFAULT_MAX_DATA_SIZE: Final = MAX_INT32

# What parquet-java and Arrow C++ let a dictionary page grow to before they fall back to another encoding.
DEFAULT_MAX_DICTIONARY_SIZE: Final = 2**20

# Levels tell how deep a value lies; every implementation has them in 16 bits, though the format sets no limit.
MAX_LEVEL: Final = 2**15 - 1

# The indices of a dictionary, and runs of them, in the RLE / bit-packed hybrid ("Run Length Encoding").
MAX_INDEX_WIDTH: Final = 32
