"""Which readers of Parquet read which encodings.

Sources: Parquet's "Implementation status" page (arrow in C++, Go and Rust, cudf, duckdb, hyparquet, parquet-java,
polars), and what the entries below name. Where these leave a doubt, the encoding is left out.
"""

from collections.abc import Iterable
from typing import Final

from ._spec import Encoding

PLAIN_AND_DICTIONARY: Final = frozenset({Encoding.PLAIN, Encoding.RLE_DICTIONARY})
EVERY: Final = PLAIN_AND_DICTIONARY | {
    Encoding.DELTA_BINARY_PACKED,
    Encoding.DELTA_LENGTH_BYTE_ARRAY,
    Encoding.DELTA_BYTE_ARRAY,
}

READERS: Final[dict[str, frozenset[Encoding]]] = {
    "arrow-go": EVERY,
    "arrow-rs": EVERY,
    "cudf": EVERY,  # rapidsai/cudf#14101 and #14590
    "datafusion": EVERY,  # reads with arrow-rs
    "duckdb": EVERY,
    "fastparquet": PLAIN_AND_DICTIONARY | {Encoding.DELTA_BINARY_PACKED},  # fastparquet/core.py
    "hive": PLAIN_AND_DICTIONARY,  # vectorized, which is the default: HIVE-17381
    "hyparquet": EVERY,
    "iceberg": PLAIN_AND_DICTIONARY,  # its vectorized reader in Spark, the default there
    "impala": PLAIN_AND_DICTIONARY,  # RLE_DICTIONARY since 4.0: IMPALA-6434; parquet-column-readers.cc
    "parquet-java": EVERY,
    "polars": EVERY,  # polars#12602 and #12836 (2023)
    "pyarrow": EVERY,
    "spark": EVERY,  # vectorized: SPARK-36879 (3.3) and, for DELTA_LENGTH_BYTE_ARRAY alone, SPARK-40128 (2022)
    "trino": EVERY,  # io.trino.parquet.ParquetEncoding
    "velox": PLAIN_AND_DICTIONARY | {Encoding.DELTA_BINARY_PACKED},  # Presto's and Gluten's
}
"""What each reader has read for two years at least; installations are seldom newer than that everywhere."""

RECENT: Final[dict[tuple[str, Encoding], str]] = {
    ("iceberg", Encoding.DELTA_BINARY_PACKED): "iceberg#13391 (2025)",
    ("iceberg", Encoding.DELTA_LENGTH_BYTE_ARRAY): "1.11 (2026)",  # apache/iceberg#15362
    ("iceberg", Encoding.DELTA_BYTE_ARRAY): "1.11 (2026)",
    ("velox", Encoding.DELTA_BYTE_ARRAY): "velox#10589 (end of 2024)",
}
"""Since when a reader reads what has come to it later; not counted as read."""


def check_readers(readers: str | Iterable[str] | None) -> tuple[str, ...]:
    """Check names of readers.

    Parameters
    ----------
    readers : str, iterable of str or None
        A name or several; None for no reader in particular.

    Returns
    -------
    tuple of str
        The names.

    Raises
    ------
    ValueError
        If a name is not in :data:`READERS`.
    """
    names = (readers,) if isinstance(readers, str) else tuple(readers or ())
    for name in names:
        if name not in READERS:
            raise ValueError(f"unknown reader {name!r}; expected one of {', '.join(READERS)}")
    return names


def why_unreadable(encoding: Encoding, readers: Iterable[str]) -> str | None:
    """Tell why an encoding is not for these readers.

    Parameters
    ----------
    encoding : Encoding
        The encoding.
    readers : iterable of str
        Names that :func:`check_readers` has checked.

    Returns
    -------
    str or None
        Who does not read it, or only since when; None if all do.
    """
    for name in readers:
        if encoding not in READERS[name]:
            since = RECENT.get((name, encoding))
            return f"not read by {name}" if since is None else f"read by {name} only since {since}"
    return None


def count_readers(encoding: Encoding) -> int:
    """Count the readers of an encoding.

    Parameters
    ----------
    encoding : Encoding
        The encoding.

    Returns
    -------
    int
        How many of :data:`READERS` read it.
    """
    return sum(encoding in read for read in READERS.values())
