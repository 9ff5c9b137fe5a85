"""``python -m bench parquet``: one string column out of a file, beside whoever else reads Parquet files in Python."""

import os
import statistics
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import numpy as np

import colcodec as cc

os.environ["POLARS_MAX_THREADS"] = "1"  # read when polars is imported, and there is no other way to tell it

import arro3.io
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from . import corpora
from .measure import Function, UnequalError, interleave, ratio
from .suite import OURS, Protocol

COLUMNS: Final = ("urls-sorted", "words")
ENCODINGS: Final = ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN", "RLE_DICTIONARY")
COMPRESSIONS: Final = ("none", "zstd")
QUICK_NUM_VALUES: Final = 1_000

Reader = Callable[[], Any]

Table = tuple[str, list[list[str]]]
"""Title, and cells of which the first line is the head."""


class Case(NamedTuple):
    """A file of one column, and how it was written."""

    encoding: str
    compression: str
    path: Path


def write(folder: Path, values: pa.Array, encoding: str, compression: str) -> Path:
    """Write a file as pyarrow does where nothing else is asked for: pages of a megabyte or 20,000 rows.

    Parameters
    ----------
    folder : Path
        Where to.
    values : pyarrow.Array
        The column.
    encoding : str
        Its encoding; RLE_DICTIONARY falls back to PLAIN where the dictionary becomes too large.
    compression : str
        "none" or "zstd".

    Returns
    -------
    Path
        The file.
    """
    path = folder / f"{encoding}-{compression}.parquet"
    how: dict[str, Any] = {"use_dictionary": True}
    if encoding != "RLE_DICTIONARY":
        how = {"use_dictionary": False, "column_encoding": {"c": encoding}}
    pq.write_table(pa.table({"c": values}), path, compression=compression, **how)
    return path


def readers(path: Path) -> dict[str, Reader]:
    """Give a call for each library that reads the file, in one thread.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    dict
        The calls, colcodec's first.
    """
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    query = f"SELECT c FROM read_parquet('{path}')"
    return {
        OURS: partial(cc.parquet.read_column, path, "c", threads=1),
        "pyarrow": partial(pq.read_table, path, columns=["c"], use_threads=False),
        "polars": partial(pl.read_parquet, path, columns=["c"]),
        "duckdb": lambda: connection.sql(query).to_arrow_table(),
        "arro3": lambda: arro3.io.read_parquet(path).read_all(),
    }


def check(case: Case, calls: dict[str, Reader], values: pa.Array) -> None:
    """Check that every reader comes to the column.

    Parameters
    ----------
    case : Case
        The file.
    calls : dict
        What :func:`readers` gave.
    values : pyarrow.Array
        What was written.

    Raises
    ------
    UnequalError
        If one does not.
    """
    for who, call in calls.items():
        read = call()
        column = pa.chunked_array([pa.array(read)]) if who == OURS else pa.table(read)["c"]
        if column.cast(pa.large_string()).combine_chunks() != values:
            raise UnequalError(f"{who} reads something else from {case.encoding}, {case.compression}")


def tables(protocol: Protocol, quick: bool) -> Iterator[Table]:
    """Measure, a column at a time.

    Parameters
    ----------
    protocol : Protocol
        How each file is measured.
    quick : bool
        Few values, to see that it works.

    Yields
    ------
    tuple
        Title, and cells of which the first line is the head.
    """
    for name in COLUMNS:
        column = corpora.make(name)
        strings = cc.StringColumn(column.offsets, column.data, column.bitmap)[: QUICK_NUM_VALUES if quick else None]
        values = pa.array(strings)
        head: list[str] = []
        cells: list[list[str]] = []
        with TemporaryDirectory() as folder:
            for encoding in ENCODINGS:
                for compression in COMPRESSIONS:
                    case = Case(encoding, compression, write(Path(folder), values, encoding, compression))
                    print(f"{name}: {encoding}, {compression}", file=sys.stderr)
                    calls = readers(case.path)
                    check(case, calls, values)
                    head = ["encoding", "compression", *(f"{who} ns" for who in calls), "fastest other", "other / ours"]
                    cells.append(_line(case, calls, len(strings), protocol))
        size = np.diff(strings.offsets).mean()
        yield f"{name}: {len(strings):,} values of {size:.1f} bytes, read from a file of pyarrow's", [head, *cells]


def _line(case: Case, calls: dict[str, Reader], num_values: int, protocol: Protocol) -> list[str]:
    contenders = {who: Function(call) for who, call in calls.items()}
    times = interleave(contenders, protocol.rounds, protocol.seconds)
    medians = {who: statistics.median(rounds) / num_values for who, rounds in times.items()}
    fastest = min((who for who in medians if who != OURS), key=medians.__getitem__)
    shown = [f"{median:.3g}" for median in medians.values()]
    return [case.encoding, case.compression, *shown, fastest, f"{ratio(times[fastest], times[OURS]):.2f} x"]
