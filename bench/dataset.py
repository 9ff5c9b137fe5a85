"""``python -m bench dataset``: files encoded anew by one worker of Dask, and by more."""

import statistics
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

import colcodec as cc
from colcodec.column_chunk import processors
from colcodec.parquet.dataset import open_client

from . import corpora
from .measure import Function, UnequalError, interleave, ratio
from .suite import Protocol

COLUMN: Final = "urls-sorted"
NUM_FILES: Final = 8
QUICK_NUM_VALUES: Final = 1_000
HEAD: Final = ["workers", "seconds", "MB/s", "one worker / this"]

Table = tuple[str, list[list[str]]]
"""Title, and cells of which the first line is the head."""


def write(folder: Path, values: pa.Array) -> None:
    """Write a data set as pyarrow does where nothing else is asked for.

    Parameters
    ----------
    folder : Path
        Where to.
    values : pyarrow.Array
        A string column, which each file has, and a column of integers that is copied.
    """
    table = pa.table({"url": values, "hits": range(len(values))})
    for i in range(NUM_FILES):
        path = folder / f"part={i}" / "0.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(table, path, compression="zstd")


def recode(source: Path, target: Path, client: Any) -> cc.parquet.RecodedDataset:
    """Encode the data set anew.

    Parameters
    ----------
    source, target : Path
        Folders.
    client : Client
        The workers.

    Returns
    -------
    RecodedDataset
        What was done.

    Raises
    ------
    UnequalError
        If a file was not done.
    """
    done = cc.parquet.recode_dataset(source, target, client=client)
    if done.failures:
        raise UnequalError(f"files that failed: {done.failures}")
    return done


def contents(folder: Path) -> dict[Path, bytes]:
    """Read all files of a folder.

    Parameters
    ----------
    folder : Path
        The folder.

    Returns
    -------
    dict
        Their bytes by their names in it.
    """
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.parquet")}


def tables(protocol: Protocol, quick: bool) -> Iterator[Table]:
    """Measure with one worker, and with twice as many as long as there are processors.

    Parameters
    ----------
    protocol : Protocol
        How often.
    quick : bool
        Few values, to see that it works.

    Yields
    ------
    tuple
        Title, and cells of which the first line is the head.
    """
    column = corpora.make(COLUMN)
    strings = cc.StringColumn(column.offsets, column.data)[: QUICK_NUM_VALUES if quick else None]
    counts = [1 << i for i in range(processors().bit_length())]
    with TemporaryDirectory() as name, ExitStack() as stack:
        source, targets = Path(name) / "in", {count: Path(name) / str(count) for count in counts}
        write(source, pa.array(strings))
        size = sum(len(data) for data in contents(source).values())
        clients = {count: stack.enter_context(open_client(workers=count)) for count in counts}
        for count, client in clients.items():
            print(f"{count} workers", file=sys.stderr)
            client.run(cc.warmup)
            recode(source, targets[count], client)
            if contents(targets[count]) != contents(targets[1]):
                raise UnequalError(f"{count} workers write something else than one")
        contenders = {
            count: Function(partial(recode, source, targets[count], client)) for count, client in clients.items()
        }
        times = interleave(contenders, protocol.rounds, protocol.seconds)
    cells = [HEAD]
    for count in counts:
        seconds = statistics.median(times[count]) / 1e9
        cells.append(
            [f"{count}", f"{seconds:.2f}", f"{size / seconds / 1e6:.1f}", f"{ratio(times[1], times[count]):.2f} x"]
        )
    yield f"{NUM_FILES} files of {len(strings):,} URLs and integers, {size:,} bytes", cells
