"""The two tables that the project started from: Arrow's BM_ArrowBinaryPlain and parquet-java's BinaryEncodingBenchmark.

Each has "before" beside ours: a builder that grows and a slice for each value (before.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import colcodec as cc

from . import before
from .cases import Case, Subject
from .corpora import make
from .measure import Contender, Function, UnequalError

PLAIN_COUNTS = (1024, 4096, 32768, 65536)
LENGTHS = {"short": 10, "medium": 100, "long": 1000}
ENCODERS = {
    "encodeDeltaByteArray": ("DELTA_BYTE_ARRAY", before.encode_delta_byte_array),
    "encodeDeltaLengthByteArray": ("DELTA_LENGTH_BYTE_ARRAY", before.encode_delta_length_byte_array),
}


@dataclass(frozen=True)
class Seed:
    """A line of one of the benchmarks.

    Parameters
    ----------
    table : str
        The benchmark.
    name : str
        The line as it is called there.
    case : Case
        What it measures.
    before : Contender
        The slow way to the same result, which was checked.
    """

    table: str
    name: str
    case: Case
    before: Contender


def seeds(quick: bool = False) -> Iterator[Seed]:
    """Give the lines of both benchmarks.

    Parameters
    ----------
    quick : bool, optional
        Only the small columns.

    Yields
    ------
    Seed
        A line.
    """
    yield from arrow_binary_plain(PLAIN_COUNTS[:1] if quick else PLAIN_COUNTS)
    yield from binary_encoding({"short": 10} if quick else LENGTHS)


def arrow_binary_plain(counts: tuple[int, ...]) -> Iterator[Seed]:
    """Give the lines of BM_ArrowBinaryPlain: with a bitmap of ones DecodeArrow, without one DecodeArrowNonNull."""
    for name in ("DecodeArrow_Dense", "DecodeArrowNonNull_Dense"):
        for count in counts:
            column = make(f"seed-arrow-{count}")
            if name == "DecodeArrowNonNull_Dense":
                column = replace(column, name=f"{column.name}-nonnull", validity=None)
            yield plain_decoding(f"{name}/{count}", Case(Subject(column, "PLAIN"), "decode"))


def plain_decoding(name: str, case: Case) -> Seed:
    """Check the slow decoder of PLAIN, and give it beside the case."""
    page, bitmap = case.subject.page, case.subject.column.bitmap
    case.subject.check(cc.StringColumn(*before.decode_plain(page.data, page.num_values), bitmap, utf8=False), "before")
    run = Function(lambda: before.decode_plain(page.data, page.num_values))
    return Seed("Arrow C++ BM_ArrowBinaryPlain", name, case, run)


def binary_encoding(lengths: dict[str, int]) -> Iterator[Seed]:
    """Give the lines of BinaryEncodingBenchmark: 100,000 values, LOW 100 distinct ones, HIGH each drawn anew."""
    for size, length in lengths.items():
        for cardinality in ("low", "high"):
            column = make(f"java-{size}-{cardinality}")
            for name, (encoding, encode) in ENCODERS.items():
                strings = column.strings
                case = Case(Subject(column, encoding), "encode")
                if not np.array_equal(encode(strings.offsets, strings.data), case.subject.page.data):
                    raise UnequalError(f"before encodes {column.name} to something else")
                run = Function(lambda encode=encode, strings=strings: encode(strings.offsets, strings.data))
                line = f"{name} {length} {cardinality.upper()}"
                yield Seed("parquet-java BinaryEncodingBenchmark", line, case, run)
