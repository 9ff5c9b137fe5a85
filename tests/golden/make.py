"""Makes the golden files again: pages of pyarrow, DuckDB, polars, and the pages that Arrow C++ and parquet-java wrote.

From the top of the repository, with those three installed::

    PYTHONPATH=tests python tests/golden/make.py
    PYTHONPATH=tests python tests/golden/make.py --peers ../shared/corpus/pages

The first writes ``columns.json`` and a JSON file for each producer, named with its version; the second copies the
dumps that programs of Arrow C++ and parquet-java made of the same columns (see ``README.md``). Values are chosen here,
pages are what the producer wrote: nothing comes from colcodec. Running it again with newer producers is a way to
learn whether they changed; look at the difference before keeping it.
"""

import argparse
import json
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path

import duckdb
import parquet_file
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

GOLDEN = Path(__file__).parent
PEER_COLUMNS = ("arrow-delta-8-2048-90", "dev-allsame", "dev-empty", "dev-nulls", "dev-one", "seed-arrow-1024")
PEER_ENCODINGS = ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY")
FIXED_LENGTH_ENCODINGS = ("PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT")
ARROW_TYPES = {"utf8": pa.string(), "binary": pa.binary(), "int32": pa.int32(), "int64": pa.int64()}


def columns() -> dict[str, tuple[str | int, list]]:
    """Return the columns: name -> (dtype, values); the dtype of values of one length is that length."""
    urls = sorted(f"https://www.example.org/{'abc'[i % 3] * (i % 5 + 1)}/{i * i % 7919:04d}" for i in range(200))
    stairs = [0, 5, 5, 4, 7, 3, 60_000, -60_000, 1, 2]
    low, high = {bits: -(2 ** (bits - 1)) for bits in (32, 64)}, {bits: 2 ** (bits - 1) - 1 for bits in (32, 64)}
    strings = {
        "words": ("utf8", ["axis", "axle", "babble", "babyhood", "", "bab", "babyhood", "日本語", "日本", "naïve", ""]),
        "nulls": ("utf8", ["Hello", None, "World", "", None, None, "Foobar", "ABCDEF", None]),
        "late": ("utf8", [None] * 140 + ["first", "value", "after", "more", "than", "a", "block", "of", "nulls"]),
        "all_null": ("utf8", [None] * 20),
        "one": ("utf8", ["solo"]),
        "empties": ("utf8", [""] * 130),
        "urls": ("utf8", urls),
        "binary": (
            "binary",
            [b"\xff\x00\xfe", b"\xff\x00", b"\0", b"", b"\x80" * 40, b"\x80" * 41, b"q" * 300, b"q" * 301],
        ),
    }
    ints = {}
    for bits in (32, 64):
        wrapping = [low[bits], high[bits], low[bits], 0, -1, high[bits], high[bits], low[bits], 1]
        for name, values in {
            "stairs": stairs,
            "wrapping": wrapping,
            "full_block": list(range(129)),
            "two_blocks": [i * i % 1009 - 500 for i in range(258)],
            "with_nulls": [7, None, 5, 3, None, 1],
            "no_value": [None, None],
        }.items():
            ints[f"{name}_int{bits}"] = (f"int{bits}", values)
    uuids = [bytes((i * i * 31 + j * 7) % 256 for j in range(15)) + b"\0" for i in range(70)]
    fixed = {
        "uuids": (16, sorted(uuids)),
        "uuids_with_nulls": (16, [None if i % 3 == 1 else value for i, value in enumerate(uuids)]),
        "decimals": (5, [(i * i * 7919 - 100_000).to_bytes(5, "big", signed=True) for i in range(130)]),
        "pairs": (2, [b"ab", b"ab", b"a\0", b"\0\0", b"\xff\xfe"]),
        "bytes": (1, [b"a", b"a", b"\0", b"c"]),
        "fixed_no_value": (3, [None, None]),
    }
    return strings | ints | fixed


def encodings_of(dtype: str | int) -> tuple[str, ...]:
    """Return the encodings of a dtype."""
    if isinstance(dtype, int):
        return FIXED_LENGTH_ENCODINGS
    return PEER_ENCODINGS if dtype in ("utf8", "binary") else ("DELTA_BINARY_PACKED",)


def arrow_type(dtype: str | int) -> pa.DataType:
    """Return the Arrow type of a dtype."""
    return pa.binary(dtype) if isinstance(dtype, int) else ARROW_TYPES[dtype]


def readable(values: list) -> list:
    """Write bytes as text in which each character is one byte (Latin-1)."""
    return [value.decode("latin-1") if isinstance(value, bytes) else value for value in values]


def record(column: str, path: Path) -> list[dict]:
    """Describe the pages of a file; a page of indices with its dictionary."""
    described = []
    for page in parquet_file.cut_pages(path):
        validity = None if page.is_valid is None else "".join("01"[valid] for valid in page.is_valid)
        described.append(
            {
                "column": column,
                "encoding": page.encoding,
                "page_version": page.version,
                "num_values": page.num_values,
                "validity": validity,
                "data": page.data.hex(),
            }
        )
        if page.dictionary is not None:
            described[-1]["dictionary"] = [page.dictionary.num_values, page.dictionary.data.hex()]
    return described


def write_pages(producer: str, pages: list[dict]) -> None:
    """Write the pages of one producer, a line each."""
    lines = ",\n  ".join(json.dumps(page) for page in pages)
    head = json.dumps(f"{producer} {version(producer)}")
    (GOLDEN / f"{producer}.json").write_text(f'{{"producer": {head},\n "pages": [\n  {lines}\n]}}\n')


def pyarrow_pages(path: Path) -> list[dict]:
    """Write each column in every encoding of its type, in v1 and v2 pages, optional, and required where it can be."""
    pages = []
    for name, (dtype, values) in columns().items():
        for encoding in encodings_of(dtype):
            for page_version, nullable in (("1.0", True), ("2.0", True), ("1.0", False)):
                if not nullable and (None in values or name not in ("words", "full_block_int32", "uuids")):
                    continue
                if page_version == "2.0" and None not in values:
                    continue  # the same values section as v1
                schema = pa.schema([pa.field("c", arrow_type(dtype), nullable=nullable)])
                pq.write_table(
                    pa.table({"c": values}, schema=schema),
                    path,
                    use_dictionary=False,
                    column_encoding={"c": encoding},
                    compression="none",
                    data_page_version=page_version,
                )
                pages += record(name, path)
        if dtype in ("utf8", "binary"):
            pq.write_table(pa.table({"c": pa.array(values, ARROW_TYPES[dtype])}), path, compression="none")
            pages += record(name, path)
    return pages


def duckdb_pages(path: Path) -> list[dict]:
    """Write each column with the V2 encodings, and strings with a dictionary as well, where DuckDB makes one."""
    pages, connection = [], duckdb.connect()
    for name, (dtype, values) in columns().items():
        if name == "wrapping_int32" or isinstance(dtype, int):
            continue  # deltas of more than 32 bits in an INT32 page: a test of its own, made by hand; no fixed lengths
        connection.register("t", pa.table({"c": pa.array(values, ARROW_TYPES[dtype])}))
        options = "FORMAT parquet, PARQUET_VERSION V2, COMPRESSION uncompressed"
        connection.execute(f"COPY t TO '{path}' ({options}, DICTIONARY_SIZE_LIMIT 1)")
        pages += record(name, path)
        if dtype in ("utf8", "binary"):
            connection.execute(f"COPY t TO '{path}' ({options})")
            pages += [page for page in record(name, path) if page["encoding"] == "RLE_DICTIONARY"]
    return pages


def polars_pages(path: Path) -> list[dict]:
    """Write each string column; polars chooses PLAIN where a dictionary does not pay."""
    pages = []
    for name, (dtype, values) in columns().items():
        if dtype in ("utf8", "binary"):
            frame = pl.DataFrame({"c": pl.Series(values, dtype=pl.String if dtype == "utf8" else pl.Binary)})
            frame.write_parquet(path, compression="uncompressed")
            pages += record(name, path)
    return pages


def copy_peers(source: Path) -> None:
    """Copy the page bodies of Arrow C++ and parquet-java, and which slots are valid; PLAIN, the same in both, once."""
    for column in PEER_COLUMNS:
        target = GOLDEN / "peers" / column
        for peer, suffix in (("arrow-cpp", ".int32"), ("parquet-java", "")):
            (target / peer).mkdir(parents=True, exist_ok=True)
            for encoding in (*PEER_ENCODINGS[peer == "parquet-java" :], "RLE_DICTIONARY", "RLE_DICTIONARY.dict"):
                shutil.copyfile(source / column / peer / f"{encoding}.bin", target / peer / f"{encoding}.bin")
            lengths = f"DELTA_BINARY_PACKED{suffix}.bin"
            shutil.copyfile(source / column / peer / lengths, target / peer / "DELTA_BINARY_PACKED.bin")
        if (source / column / "input" / "validity.u8").exists():
            shutil.copyfile(source / column / "input" / "validity.u8", target / "validity.u8")


def main() -> None:
    """Make what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peers", type=Path, help="copy from this folder of dumps instead")
    arguments = parser.parse_args()
    if arguments.peers:
        copy_peers(arguments.peers)
        return
    described = ",\n".join(
        f" {json.dumps(name)}: " + json.dumps({"dtype": dtype, "values": readable(values)}, ensure_ascii=False)
        for name, (dtype, values) in columns().items()
    )
    (GOLDEN / "columns.json").write_text(f"{{\n{described}\n}}\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.parquet"
        write_pages("pyarrow", pyarrow_pages(path))
        write_pages("duckdb", duckdb_pages(path))
        write_pages("polars", polars_pages(path))


if __name__ == "__main__":
    main()
