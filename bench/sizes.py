"""Sizes of the columns that people have, in each encoding, before and after compression."""

from collections.abc import Iterator

import colcodec as cc
from colcodec.compare import compare, data_size

from . import corpora
from .measure import UnequalError

Table = tuple[str, list[list[str]]]

COLUMNS = ["urls-sorted", "urls-shuffled", "words", "uuids", "log-lines", "sorted-keys", "distinct-100"]
QUICK_NUM_VALUES = 2_000


def tables(quick: bool) -> Iterator[Table]:
    """Encode each column once in each encoding.

    Parameters
    ----------
    quick : bool
        Few values, to see that it works.

    Yields
    ------
    tuple
        Title, and cells of which the first line is the head: percent of the bytes of the values, alone and with zstd.

    Raises
    ------
    UnequalError
        If a column does not come back.
    """
    head: list[str] = []
    cells: list[list[str]] = []
    for name in COLUMNS:
        column = corpora.make(name)
        strings = cc.StringColumn(column.offsets, column.data, column.bitmap)[: QUICK_NUM_VALUES if quick else None]
        raw = data_size(strings)
        measured = compare(strings, compression="zstd", seconds=0)
        if not all(one.equal for one in measured if one.reason is None):
            raise UnequalError(f"{name} does not come back")
        head = ["column", "bytes", *(one.encoding.name for one in measured)]
        shares = [
            "-"
            if one.size is None or one.compressed_size is None
            else f"{one.size / raw:.1%}, {one.compressed_size / raw:.1%}"
            for one in measured
        ]
        cells.append([corpora.COLUMNS[name][1], f"{raw:,}", *shares])
    yield "Bytes of a page by those of the values: encoded, and then compressed with zstd", [head, *cells]
