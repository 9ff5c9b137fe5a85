"""``python -m bench pictures``: what ``--plot`` of the commands draws of columns that people have."""

from collections.abc import Iterator
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq

import colcodec as cc
from colcodec.compare import compare
from colcodec.plots import draw_comparison, draw_file, save

from . import corpora
from .peers.base import BUILD
from .suite import Protocol

Table = tuple[str, list[list[str]]]
"""Title, and cells of which the first line is the head."""

FOLDER = BUILD / "pictures"
COMPRESSION = "zstd"
COLUMNS = ("urls-sorted", "words", "sorted-keys", "distinct-100")
QUICK_NUM_VALUES = 2_000


def tables(protocol: Protocol, quick: bool) -> Iterator[Table]:
    """Draw a comparison of each column, and a file of all of them as pyarrow writes it.

    Parameters
    ----------
    protocol : Protocol
        How long each encoding is measured.
    quick : bool
        Few values, to see that it works.

    Yields
    ------
    tuple
        Title, and cells of which the first line is the head: each picture that was made.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    columns = {name: _strings(name)[: QUICK_NUM_VALUES if quick else None] for name in COLUMNS}
    cells = [["picture", "of"]]
    for name, column in columns.items():
        what = corpora.COLUMNS[name][1]
        measured = compare(column, compression=COMPRESSION, seconds=protocol.seconds * protocol.rounds)
        save(draw_comparison(measured, what, COMPRESSION), FOLDER / f"{name}.svg")
        cells.append([f"{name}.svg", what])
    num_rows = min(map(len, columns.values()))
    file = BytesIO()
    table = pa.table({name: column[:num_rows].to_arrow() for name, column in columns.items()})
    pq.write_table(table, file, compression=COMPRESSION)
    save(draw_file(cc.parquet.inspect(file, pages=True), "columns.parquet"), FOLDER / "file.svg")
    cells.append(["file.svg", f"a file of these columns, {num_rows:,} rows"])
    yield f"Pictures in {FOLDER}", cells


def _strings(name: str) -> cc.StringColumn:
    column = corpora.make(name)
    return cc.StringColumn(column.offsets, column.data, column.bitmap, utf8=True)
