"""String columns of Parquet files: read and written, looked into, and encoded anew."""

try:
    import cramjam  # noqa: F401
    import fsspec  # noqa: F401
    import thrift  # noqa: F401 -- an extra, as all of this package is
except ModuleNotFoundError as missing:
    message = f'colcodec.parquet needs {missing.name}: pip install "colcodec[parquet]"'
    raise ModuleNotFoundError(message, name=missing.name) from None

from .checks import Finding, PageInfo
from .chunk_recoder import RecodedColumn
from .dataset import RecodedDataset, recode_dataset
from .inspect import ChunkInfo, ColumnInfo, FileInfo, inspect
from .reader import RepeatedColumn, iter_column, read_column
from .recode import RecodedFile, recode
from .writer import write_columns

__all__ = [
    "ChunkInfo",
    "ColumnInfo",
    "FileInfo",
    "Finding",
    "PageInfo",
    "RecodedColumn",
    "RecodedDataset",
    "RecodedFile",
    "RepeatedColumn",
    "inspect",
    "iter_column",
    "read_column",
    "recode",
    "recode_dataset",
    "write_columns",
]
