"""Reads the golden files."""

import json
from pathlib import Path
from typing import NamedTuple

import naive

GOLDEN = Path(__file__).with_name("golden")
PRODUCERS = ("pyarrow", "duckdb", "polars")


class GoldenPage(NamedTuple):
    """A page that somebody else wrote: `column` is what was put in, nulls included."""

    name: str
    encoding: str
    dtype: str
    data: bytes
    column: list
    validity: list[bool] | None
    dictionary: tuple[int, bytes] | None


def vectors():
    """Return the primitives and pages that were worked out by hand."""
    return json.loads((GOLDEN / "vectors.json").read_text(encoding="utf-8"))


def hand_made():
    """Return the pages that were worked out by hand."""
    pages = []
    for page in vectors()["pages"]:
        column = list(range(page["range"])) if "range" in page else page["values"]
        data = bytes.fromhex("".join(part for part, _ in page["parts"]))
        values = [value.encode() if isinstance(value, str) else value for value in column]
        pages.append(GoldenPage(f"by hand: {page['name']}", page["encoding"], page["dtype"], data, values, None, None))
    return pages


def produced(*producers):
    """Return the pages that were cut out of other writers' files."""
    columns = json.loads((GOLDEN / "columns.json").read_text(encoding="utf-8"))
    pages = []
    for producer in producers:
        for page in json.loads((GOLDEN / f"{producer}.json").read_text(encoding="utf-8"))["pages"]:
            dtype, column = columns[page["column"]]["dtype"], columns[page["column"]]["values"]
            if dtype == "binary" or isinstance(dtype, int):
                column = [None if value is None else value.encode("latin-1") for value in column]
            validity = page["validity"] and [bit == "1" for bit in page["validity"]]
            required = ["required"] if validity is None else []
            name = " ".join((producer, page["column"], page["encoding"], f"v{page['page_version']}", *required))
            data, dictionary = bytes.fromhex(page["data"]), None
            if "dictionary" in page:
                dictionary = (page["dictionary"][0], bytes.fromhex(page["dictionary"][1]))
            pages.append(GoldenPage(name, page["encoding"], dtype, data, column, validity, dictionary))
    return pages


class PeerColumn(NamedTuple):
    """A column and the pages that Arrow C++ and parquet-java wrote of it, by (peer, encoding); dictionaries by peer."""

    column: list[bytes | None]
    pages: dict[tuple[str, str], bytes]
    dictionaries: dict[str, bytes]


def peer_column(folder):
    """Read a column's folder, here or in the shared corpus.

    The values are those of Arrow's PLAIN page. DELTA_BINARY_PACKED pages hold their lengths, as int32.
    """
    pages = {
        (path.parent.name, path.name.partition(".")[0]): path.read_bytes()
        for peer in ("arrow-cpp", "parquet-java")
        for path in (folder / peer).glob("*.bin")
        if not path.name.endswith((".int64.bin", ".dict.bin"))
    }
    dictionaries = {path.parent.name: path.read_bytes() for path in folder.glob("*/*.dict.bin")}
    rest, values = pages["arrow-cpp", "PLAIN"], []
    while rest:
        (value,), size = naive.decode_plain(rest, 1)
        values.append(value)
        rest = rest[size:]
    for validity in folder.rglob("validity.u8"):
        present = iter(values)
        values = [next(present) if valid else None for valid in validity.read_bytes()]
    return PeerColumn(values, pages, dictionaries)
