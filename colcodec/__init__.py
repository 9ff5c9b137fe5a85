"""Parquet's byte-array encodings for string columns.

>>> import colcodec as cc
>>> page = cc.encode(["axis", "axle", None, "babble"], "DELTA_BYTE_ARRAY")
>>> cc.decode(page).to_pylist()
['axis', 'axle', None, 'babble']

Parquet files are the business of ``cc.parquet``, which needs ``pip install "colcodec[parquet]"`` and is imported once
it is used.
"""

import importlib.util
import typing

from ._spec import Encoding, Status
from ._warmup import warmup
from .choice import Choice, Figure, choose
from .codec import column, decode, decode_indices, decoded_size, encode, encoded_size_bound
from .column_chunk import decode_pages, encode_pages
from .dictionary_column import DictionaryColumn
from .errors import (
    ColcodecError,
    DictionaryTooLarge,
    InvalidColumnError,
    InvalidTypeError,
    LimitError,
    MalformedFileError,
    MalformedPageError,
)
from .frame import EncodedFrame, decode_frame, encode_frame
from .levels import DecodedLevels, DecodedValidity, decode_levels, decode_validity, encode_levels, encode_validity
from .page import EncodedPage
from .stream import PageReader, PageWriter
from .string_column import StringColumn

__all__ = [
    "Choice",
    "ColcodecError",
    "DecodedLevels",
    "DecodedValidity",
    "DictionaryColumn",
    "DictionaryTooLarge",
    "EncodedFrame",
    "EncodedPage",
    "Encoding",
    "Figure",
    "InvalidColumnError",
    "InvalidTypeError",
    "LimitError",
    "MalformedFileError",
    "MalformedPageError",
    "PageReader",
    "PageWriter",
    "Status",
    "StringColumn",
    "choose",
    "column",
    "decode",
    "decode_frame",
    "decode_indices",
    "decode_levels",
    "decode_pages",
    "decode_validity",
    "decoded_size",
    "encode",
    "encode_frame",
    "encode_levels",
    "encode_pages",
    "encode_validity",
    "encoded_size_bound",
    "warmup",
]

if typing.TYPE_CHECKING:
    from . import parquet as parquet


def __getattr__(name: str) -> typing.Any:
    if name == "parquet":
        return importlib.import_module(".parquet", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    # Without what it needs it is not told of: help() gets each name that it is told.
    return sorted({*globals(), *(["parquet"] if importlib.util.find_spec("thrift") else [])})
