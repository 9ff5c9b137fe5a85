"""Every kind of values that a column comes of, in every layout that it has, and the same out: against plain Python."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import colcodec as cc
from colcodec.convert.arrow import to_pyarrow
from colcodec.convert.pandas import to_pandas

PANDAS = tuple(map(int, pd.__version__.split(".")[:2]))
# pyarrow 18 makes views without a buffer of short strings, and crashes when somebody wants to have them.
ARE_VIEWS_SOUND = all(pa.array([""]).cast(pa.string_view()).buffers()[1:])
StringDType = np.dtypes.StringDType

# Short values lie within a StringDType and a view, longer ones elsewhere, the longest behind a longer header.
CELLS = {
    "nothing": [],
    "empty": ["", "", ""],
    "ASCII": ["axis", "b", "123456789012", "1234567890123", "fifteen bytes..", "sixteen bytes...", "x" * 300],
    "other scripts": ["é", "日本語", "🎈" * 20, "a" * 40 + "ü", "\x7f\x80߿ࠀ", "\ud7ff\ue000\uffff\U0010ffff", "zebra"],
    "NUL within": ["a\0b", "\0x", "\0\0é", "long " * 9 + "\0🎈"],
    "NUL at the end": ["a\0", "\0", "", "é\0\0", "long " * 9 + "\0"],
    "only nulls": [None, None, None],
    "nulls": [None, "axis", "", None, "é\0x", "x" * 40, "y", "z", "one in the next byte of a bitmap", None],
}
PADS = ["before", "", "ü"]
CATEGORIES = [*dict.fromkeys(value for values in [*CELLS.values(), PADS] for value in values if value is not None)]


def text(value):
    return value


def stripped(value):
    """What is left in an array of fixed width."""
    return value.rstrip("\0")


def stripped_bytes(value):
    return value.encode().rstrip(b"\0")


def slot(value):
    """Four bytes of it."""
    return value.encode()[:4].ljust(4, b"\0")


def swapped(array):
    return array.astype(array.dtype.newbyteorder())


def read_only(array):
    array.flags.writeable = False
    return array


def unaligned(array):
    table = np.empty(len(array), [("odd", "i1"), ("values", array.dtype)])
    table["values"] = array
    return table["values"]


def listed(found):
    """What other libraries themselves make of their values."""
    ways = ("to_pylist", "tolist", "to_list", "__iter__")
    values = getattr(found, next(way for way in ways if hasattr(found, way)))()
    return [None if pd.isna(value) else value for value in values]


@dataclass
class Kind:
    """A kind of values."""

    make: Callable[[list], Any]
    out: Callable[[cc.StringColumn], Any] | None = None  # None where a column does not become such values
    held: Callable[[str], str | bytes] = text  # what they keep of a str
    has_nulls: bool = True
    has_steps: bool = True
    layouts: tuple[Callable[[Any], Any], ...] = ()  # of their own
    concatenated: Callable[[list], Any] | None = None

    @property
    def utf8(self):
        return isinstance(self.held(""), str)

    def values(self, texts):
        return [None if value is None else self.held(value) for value in texts]


def objects(values, null=None):
    array = np.empty(len(values), object)
    array[:] = [null if value is None else value for value in values]
    return array


def strings(values, dtype):
    null = getattr(dtype, "na_object", None)
    return np.array([null if value is None else value for value in values], dtype)


def fixed(values, kind):
    """An array of fixed width, masked where it has nulls."""
    empty = "" if kind == "U" else b""
    array = np.array([empty if value is None else value for value in values], kind)
    return np.ma.MaskedArray(array, [value is None for value in values]) if None in values else array


def filled(column, kind):
    """Without nulls, which arrays of fixed width do not have, but for a mask."""
    is_null = [value is None for value in column]
    array = column.to_numpy(kind, fill="-")
    return np.ma.MaskedArray(array, is_null) if any(is_null) else array


def kinds_of_numpy():
    out = methodcaller("to_numpy", "O")
    for name, null in {"None": None, "NaN": np.nan, "NA": pd.NA, "NaT": pd.NaT}.items():
        yield f"object, {name}", Kind(partial(objects, null=null), out, layouts=(read_only,))
    yield "object of bytes", Kind(objects, out, str.encode, layouts=(read_only,))
    out = methodcaller("to_numpy", "T")
    for null in (None, np.nan, pd.NA, 7):
        make = partial(strings, dtype=StringDType(na_object=null))
        yield f"StringDType, {null}", Kind(make, out, layouts=(read_only,))
    for dtype in (StringDType(na_object="N/A"), StringDType(), StringDType(coerce=False)):
        yield repr(dtype), Kind(partial(strings, dtype=dtype), has_nulls=False, layouts=(read_only,))
    for kind, held, layouts in (
        ("U", stripped, (read_only, unaligned, swapped)),
        ("S", stripped_bytes, (read_only, unaligned)),
    ):
        yield kind, Kind(partial(fixed, kind=kind), partial(filled, kind=kind), held, layouts=layouts)


def kinds_of_arrow():
    types = dict.fromkeys([pa.string(), pa.large_string(), pa.string_view()], text)
    types |= dict.fromkeys([pa.binary(), pa.large_binary(), pa.binary_view()], str.encode)
    types |= {pa.binary(4): slot}
    types |= {pa.dictionary(pa.int8(), kind): held for kind, held in types.items() if "view" not in str(kind)}
    types |= {pa.dictionary(pa.uint32(), pa.string()): text, pa.dictionary(pa.int64(), pa.string()): text}
    for kind, held in types.items():
        made = Kind(partial(pa.array, type=kind), held=held, concatenated=partial(pa.chunked_array, type=kind))
        made.out = None if held is slot else partial(to_pyarrow, kind=kind)
        made.has_steps = "view" not in str(kind)  # of which pyarrow picks none
        yield f"Arrow {kind}", made


def kinds_of_pandas():
    dtypes = {
        "object": object,
        "string of python": pd.StringDtype("python"),
        "string of pyarrow": pd.StringDtype("pyarrow"),
        "category": "category",
        "category of all": pd.CategoricalDtype(CATEGORIES),
    }
    if PANDAS >= (2, 3):
        dtypes["str of python"] = pd.StringDtype("python", na_value=np.nan)
        dtypes["str of pyarrow"] = pd.StringDtype("pyarrow", na_value=np.nan)
    kinds = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int8(), pa.string()))
    dtypes |= {f"ArrowDtype {kind}": pd.ArrowDtype(kind) for kind in kinds}
    for name, dtype in dtypes.items():
        is_of_bytes, is_of_pyarrow = "binary" in name, "pyarrow" in name or "Arrow" in name
        out = None if "category" in name else partial(to_pandas, dtype=dtype)
        held, concatenated = str.encode if is_of_bytes else text, pd.concat if is_of_pyarrow else None
        for make in (pd.Series, pd.Index, pd.array):
            kind = Kind(partial(make, dtype=dtype), held=held, has_steps="view" not in name)
            if make is pd.Series:
                kind = replace(kind, out=out, concatenated=concatenated)
            yield f"pandas {make.__name__} of {name}", kind


def kinds_of_polars():
    def out(column, dtype):
        return column.to_polars().cast(dtype)

    for dtype in (pl.String, pl.Categorical, pl.Enum(CATEGORIES), pl.Binary):
        made = Kind(partial(pl.Series, dtype=dtype), partial(out, dtype=dtype))
        made.held = str.encode if dtype == pl.Binary else text
        made.concatenated = partial(pl.concat, rechunk=False)
        yield f"polars {str(dtype).partition('(')[0]}", made


KINDS = {
    "list": Kind(list, cc.StringColumn.to_pylist),
    "list of bytes": Kind(list, cc.StringColumn.to_pylist, str.encode),
    "tuple": Kind(tuple),
    **dict(kinds_of_numpy()),
    **dict(kinds_of_arrow()),
    **dict(kinds_of_pandas()),
    **dict(kinds_of_polars()),
}
CASES = [(name, cell) for name, kind in KINDS.items() for cell in CELLS if kind.has_nulls or None not in CELLS[cell]]

OUT_CASES = [(name, cell) for name, cell in CASES if KINDS[name].out and (ARE_VIEWS_SOUND or "view" not in name)]


def laid_out(kind, values):
    """The same values as they are; cut out; a step apart; backwards; in chunks; and as only this kind can be."""
    pads = kind.values(PADS)
    yield kind.make(values)
    yield kind.make([*pads, *values, *pads])[len(pads) : len(pads) + len(values)]
    if kind.has_steps:
        yield kind.make([each for value in values for each in (value, pads[0])])[::2]
        yield kind.make(values[::-1])[::-1]
    if kind.concatenated is not None:
        parts = (values[:1], [], values[1:3], values[3:])
        yield kind.concatenated([kind.make(part) for part in parts])
        yield kind.concatenated([kind.make([*pads, *part])[len(pads) :] for part in parts])
    for layout in kind.layouts:
        array = kind.make(values)
        if layout is not unaligned or not isinstance(array, np.ma.MaskedArray):
            yield layout(array)


@pytest.mark.parametrize(("name", "cell"), CASES)
def test_in(name, cell):
    """A column has what its values were."""
    kind = KINDS[name]
    values = kind.values(CELLS[cell])
    for source in laid_out(kind, values):
        column = cc.column(source)
        assert column.to_pylist() == values
        assert column.null_count == values.count(None)
        assert column.utf8 is kind.utf8 or column.null_count == len(column)
        column.validate()


@pytest.mark.parametrize(("name", "cell"), OUT_CASES)
def test_out(name, cell):
    """What a column becomes has its values, and makes the same column again."""
    kind = KINDS[name]
    values, pads = kind.values(CELLS[cell]), kind.values(PADS)
    cut = cc.column([*pads, *values, *pads])[len(pads) : len(pads) + len(values)]
    stepped = cc.column([*pads, *(value for value in values for _ in range(2))])[len(pads) :: 2]
    for column in (cut, copy.copy(cut), stepped):
        found = kind.out(column)
        assert listed(found) == values
        again = cc.column(found)
        assert again.to_pylist() == values
        assert again == column or again.null_count == len(again)
