"""``python -m bench convert``: the ways in and out of Python, NumPy, Arrow and dataframes, beside pyarrow's."""

import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from numcodecs.vlen import VLenUTF8

import colcodec as cc

from .measure import Function, UnequalError, interleave, ratio
from .suite import OURS, Protocol

NUM_VALUES: Final = 1_000_000
QUICK_NUM_VALUES: Final = 1_000

Call = Callable[[], Any]

Table = tuple[str, list[list[str]]]
"""Title, and cells of which the first line is the head."""


@dataclass(frozen=True)
class Conversion:
    """One way in or out, by colcodec and by others.

    Parameters
    ----------
    kind : str
        What the values are, or become.
    way : str
        "in" or "out".
    ours : callable
        The call of colcodec.
    others : mapping
        The calls that do the same, by who and how; the fastest of them counts.
    """

    kind: str
    way: str
    ours: Call
    others: Mapping[str, Call] = field(default_factory=dict)


def texts(rng: np.random.Generator, num_values: int, shortest: int, longest: int, letters: str) -> list[str]:
    """Make random text.

    Parameters
    ----------
    rng : Generator
        Where chance comes from.
    num_values : int
        How many.
    shortest, longest : int
        Characters of the shortest and of the longest, all lengths between them being as likely.
    letters : str
        What they are made of.

    Returns
    -------
    list of str
        The values.
    """
    ends = np.cumsum(rng.integers(shortest, longest + 1, num_values))
    text = "".join(np.array(list(letters))[rng.integers(0, len(letters), ends[-1])])
    return [text[start:end] for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)]


def with_nulls(rng: np.random.Generator, values: list[str]) -> list[str | None]:
    """Make a tenth of the values null.

    Parameters
    ----------
    rng : Generator
        Where chance comes from.
    values : list of str
        The values.

    Returns
    -------
    list of str or None
        A new list.
    """
    return [None if null else value for value, null in zip(values, rng.random(len(values)) < 0.1, strict=True)]


LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC: Final = "абвгдежзиклмнопрстуфхцчшщыэюя"
COLUMNS: Final[dict[str, Callable[[np.random.Generator, int], list[Any]]]] = {
    "0 to 30 letters": lambda rng, count: texts(rng, count, 0, 30, LATIN),
    "0 to 30 letters, 10 % nulls": lambda rng, count: with_nulls(rng, texts(rng, count, 0, 30, LATIN)),
    "0 to 8 letters": lambda rng, count: texts(rng, count, 0, 8, LATIN),
    "20 to 100 letters": lambda rng, count: texts(rng, count, 20, 100, LATIN),
    "0 to 30 Cyrillic letters": lambda rng, count: texts(rng, count, 0, 30, CYRILLIC),
}
QUICK: Final = ("0 to 30 letters, 10 % nulls",)


def conversions(values: list[Any]) -> Iterator[Conversion]:
    """Give every way in and out for a column.

    Parameters
    ----------
    values : list of str or None
        The column.

    Yields
    ------
    Conversion
        One of them; what is converted is made before, and let go after.
    """
    column = cc.column(values)
    array = pa.array(values, pa.large_string())
    yield Conversion(
        "list", "in", partial(cc.column, values), {"pyarrow array": partial(pa.array, values, pa.large_string())}
    )
    yield Conversion("list", "out", column.to_pylist, {"pyarrow to_pylist": array.to_pylist})
    yield from _numpy(values, column, array)
    yield from _arrow(column, array)
    yield from _pandas(values, column, array)
    yield from _polars(values, column, array)
    objects = np.array(values, object)
    others = {"numcodecs VLenUTF8": lambda: VLenUTF8().decode(VLenUTF8().encode(objects))}
    yield Conversion("object", "to a page and back", lambda: _there_and_back(objects), others)


def _there_and_back(objects: Any) -> Any:
    return cc.decode(cc.encode(objects, "DELTA_LENGTH_BYTE_ARRAY")).to_numpy("O")


def _numpy(values: list[Any], column: cc.StringColumn, array: Any) -> Iterator[Conversion]:
    fill = "" if column.null_count else None
    filled = [value or "" for value in values]
    array_filled = array.fill_null("")
    for kind, source, result in (
        ("object", np.array(values, object), object),
        ("StringDType", np.array(values, np.dtypes.StringDType(na_object=None)), np.dtypes.StringDType(na_object=None)),
        ("U", np.array(filled, "U"), "U"),
        ("S", np.array([value.encode() for value in filled], "S"), "S"),
    ):
        type_ = pa.large_binary() if kind == "S" else pa.large_string()
        yield Conversion(kind, "in", partial(cc.column, source), {"pyarrow array": partial(pa.array, source, type_)})
        theirs = array if source.dtype.kind in "OT" else array_filled
        if kind == "S":
            theirs = theirs.cast(type_)
        others = {"pyarrow to_numpy": partial(_to_numpy, theirs, result)}
        if kind != "object":
            others["pyarrow to_pylist"] = partial(_to_pylist, theirs, result)
        ours = partial(column.to_numpy, source.dtype.kind, fill=fill if source.dtype.kind in "US" else None)
        yield Conversion(kind, "out", ours, others)


def _to_numpy(array: Any, dtype: Any) -> Any:
    objects = array.to_numpy(zero_copy_only=False)
    return objects if dtype is object else objects.astype(dtype)


def _to_pylist(array: Any, dtype: Any) -> Any:
    return np.array(array.to_pylist(), dtype)


def _arrow(column: cc.StringColumn, array: Any) -> Iterator[Conversion]:
    yield Conversion("Arrow large_string", "in", partial(cc.column, array))
    for name, source in (
        ("string", array.cast(pa.string())),
        ("string_view", array.cast(pa.string_view())),
        ("dictionary", array.dictionary_encode()),
    ):
        cast = partial(source.cast, pa.large_string())
        yield Conversion(f"Arrow {name}", "in", partial(cc.column, source), {"pyarrow cast": cast})
    yield Conversion("Arrow large_string", "out", partial(pa.array, column))


def _pandas(values: list[Any], column: cc.StringColumn, array: Any) -> Iterator[Conversion]:
    for name, dtype in (("str", "str"), ("string[python]", "string[python]"), ("category", "category")):
        series = pd.Series(values, dtype=dtype)
        others = {"pyarrow array": partial(pa.array, series, from_pandas=True)}
        if dtype == "category":
            others = {"pyarrow array": lambda series=series: pa.array(series).cast(pa.large_string())}
        yield Conversion(f"pandas {name}", "in", partial(cc.column, series), others)
    yield Conversion("pandas str", "out", column.to_pandas, {"pyarrow to_pandas": array.to_pandas})


def _polars(values: list[Any], column: cc.StringColumn, array: Any) -> Iterator[Conversion]:
    series = pl.Series(values, dtype=pl.String)
    others = {"polars to_arrow": lambda: series.to_arrow().cast(pa.large_string())}
    yield Conversion("polars String", "in", partial(cc.column, series), others)
    yield Conversion("polars String", "out", column.to_polars, {"polars from_arrow": lambda: pl.from_arrow(array)})


def check(conversion: Conversion, values: list[Any]) -> None:
    """Check that ours and the others come to the same values.

    Parameters
    ----------
    conversion : Conversion
        The conversion.
    values : list of str or None
        What they are.

    Raises
    ------
    UnequalError
        If one does not.
    """
    for who, call in {OURS: conversion.ours, **conversion.others}.items():
        if _as_list(call()) != _as_list(values):
            raise UnequalError(f"{who} makes something else of {conversion.kind}, {conversion.way}")


def _as_list(values: Any) -> list[str]:
    """Give plain text, so that U, which has no nulls, and S, which has bytes, can be compared."""
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(values, name):
            values = getattr(values, name)()
    return [value if isinstance(value, str) else value.decode() if isinstance(value, bytes) else "" for value in values]


def tables(protocol: Protocol, quick: bool) -> Iterator[Table]:
    """Measure, a column at a time.

    Parameters
    ----------
    protocol : Protocol
        How each conversion is measured.
    quick : bool
        Few columns of few values, to see that it works.

    Yields
    ------
    tuple
        Title, and cells of which the first line is the head.
    """
    for name in QUICK if quick else COLUMNS:
        values = COLUMNS[name](np.random.default_rng(5), QUICK_NUM_VALUES if quick else NUM_VALUES)
        cells = [["values", "way", f"{OURS} ns", "other ns", "other", f"other / {OURS}"]]
        for conversion in conversions(values):
            print(f"{name}: {conversion.kind} {conversion.way}", file=sys.stderr)
            check(conversion, values)
            cells.append(_line(conversion, len(values), protocol))
        yield f"{len(values):,} values of {name}", cells


def _line(conversion: Conversion, num_values: int, protocol: Protocol) -> list[str]:
    contenders = {OURS: Function(conversion.ours)} | {name: Function(call) for name, call in conversion.others.items()}
    times = interleave(contenders, protocol.rounds, protocol.seconds)
    medians = {name: statistics.median(rounds) / num_values for name, rounds in times.items()}
    ours = [conversion.kind, conversion.way, f"{medians.pop(OURS):.3g}"]
    if not medians:
        return [*ours, "-", "-", "-"]
    fastest = min(medians, key=medians.__getitem__)
    return [*ours, f"{medians[fastest]:.3g}", fastest, f"{ratio(times[fastest], times[OURS]):.2f} x"]
