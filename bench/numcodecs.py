"""``python -m bench numcodecs``: chunks of strings by the codecs for numcodecs and zarr, beside VLenUTF8."""

import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import zarr
from numcodecs.vlen import VLenUTF8
from numcodecs.zstd import Zstd
from zarr.codecs import ZstdCodec

import colcodec as cc
from colcodec.compare import data_size
from colcodec.plugins.numcodecs import Strings
from colcodec.plugins.zarr import StringsCodec

from . import corpora
from .measure import Function, UnequalError, interleave, ratio
from .suite import Protocol

DELTAS: Final = ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY")
COLUMNS: Final = {
    "urls-sorted": DELTAS,
    "urls-shuffled": DELTAS,
    "words": (*DELTAS, "RLE_DICTIONARY"),
    "sorted-keys": DELTAS,
}
"""Columns, and the encodings that are for such."""

QUICK: Final = ("words", "sorted-keys")
QUICK_NUM_VALUES: Final = 100
LEVEL: Final = 3
"""Of zstd, what zarr takes where nothing else is asked for."""

THEIRS: Final = "VLenUTF8"
COMPRESSED: Final = " + zstd"
ENCODE, DECODE, BOTH = "encode", "decode", "both"
HEAD: Final = ["array", "codec", "bytes", *(f"{what} MB/s" for what in (ENCODE, DECODE, BOTH)), f"{THEIRS} / this"]

Table = tuple[str, list[list[str]]]
"""Title, and cells of which the first line is the head."""


class Way(NamedTuple):
    """A way to make bytes of an array, and an array of these."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def ways(dtype: str, encodings: Sequence[str]) -> dict[str, Way]:
    """Give the ways of numcodecs for arrays of a dtype, each alone and with zstd behind it.

    Parameters
    ----------
    dtype : str
        "O" or "T". VLenUTF8 gives objects, of which zarr makes StringDType, and so do we.
    encodings : sequence of str
        Those of colcodec.

    Returns
    -------
    dict
        The ways by name, those of VLenUTF8 first.
    """
    vlen, zstd = VLenUTF8(), Zstd(LEVEL)
    found = {THEIRS: Way(vlen.encode, lambda data: vlen.decode(data).astype(dtype, copy=False))}
    for encoding in encodings:
        codec = Strings(encoding, dtype)
        found[encoding] = Way(codec.encode, codec.decode)
    for name, way in list(found.items()):
        found[name + COMPRESSED] = Way(
            lambda values, way=way: zstd.encode(way.encode(values)), lambda data, way=way: way.decode(zstd.decode(data))
        )
    return found


def ways_of_zarr(encodings: Sequence[str]) -> dict[str, Way]:
    """Give the ways to write an array of zarr format 3 in memory, one chunk, and to read it.

    Parameters
    ----------
    encodings : sequence of str
        Those of colcodec, behind zarr's own vlen-utf8.

    Returns
    -------
    dict
        The ways by name, that without colcodec first.
    """
    zstd = ZstdCodec(level=LEVEL)
    codecs: dict[str, list[Any]] = {THEIRS + COMPRESSED: [zstd]}
    codecs |= {encoding + COMPRESSED: [StringsCodec(encoding), zstd] for encoding in encodings}
    return {name: Way(partial(_write, compressors=compressors), _read) for name, compressors in codecs.items()}


def _write(values: Any, compressors: list[Any]) -> dict[str, Any]:
    store: dict[str, Any] = {}
    zarr.create_array(store, data=values, chunks=values.shape, compressors=compressors)
    return store


def _read(store: dict[str, Any]) -> Any:
    return zarr.open_array(store, mode="r")[:]


def encode(values: Any, known: Mapping[str, Way]) -> dict[str, Any]:
    """Encode an array in every way, and check that each gives it back.

    Parameters
    ----------
    values : ndarray
        The array.
    known : mapping
        The ways by name.

    Returns
    -------
    dict
        What each made of it.

    Raises
    ------
    UnequalError
        If one gives back something else.
    """
    encoded = {name: way.encode(values) for name, way in known.items()}
    for name, way in known.items():
        decoded = way.decode(encoded[name])
        if decoded.dtype != values.dtype or not np.array_equal(decoded, values):
            raise UnequalError(f"{name} gives something else back")
    return encoded


def tables(protocol: Protocol, quick: bool) -> Iterator[Table]:
    """Measure, a column at a time.

    Parameters
    ----------
    protocol : Protocol
        How each array is measured.
    quick : bool
        Few columns of few values, to see that it works.

    Yields
    ------
    tuple
        Title, and cells of which the first line is the head.
    """
    for name in QUICK if quick else COLUMNS:
        encodings = COLUMNS[name]
        column = corpora.make(name)
        strings = cc.StringColumn(column.offsets, column.data)[: QUICK_NUM_VALUES if quick else None]
        raw = data_size(strings)
        objects = strings.to_numpy("O")
        array = objects.astype("T")
        cells = [HEAD]
        for kind, values, known in (
            ("object", objects, ways("O", encodings)),
            ("StringDType", array, ways("T", encodings)),
            ("zarr", array, ways_of_zarr(encodings)),
        ):
            print(f"{name}: {kind}", file=sys.stderr)
            cells += _lines(kind, values, known, raw, protocol)
        yield f"{name}: {len(strings):,} values, {raw:,} bytes", cells


def _lines(kind: str, values: Any, known: Mapping[str, Way], raw: int, protocol: Protocol) -> Iterator[list[str]]:
    """Time all ways of a kind of array in turn."""
    encoded = encode(values, known)
    calls = {(name, ENCODE): partial(way.encode, values) for name, way in known.items()}
    calls |= {(name, DECODE): partial(way.decode, encoded[name]) for name, way in known.items()}
    contenders = {name: Function(call) for name, call in calls.items()}
    times: dict[Any, list[float]] = dict(interleave(contenders, protocol.rounds, protocol.seconds))
    for name in known:
        times[name, BOTH] = [sum(pair) for pair in zip(times[name, ENCODE], times[name, DECODE], strict=True)]
        yield [
            kind,
            name,
            f"{_nbytes(encoded[name]):,}",
            *(f"{1e3 * raw / statistics.median(times[name, what]):.0f}" for what in (ENCODE, DECODE, BOTH)),
            f"{ratio(times[_beside(name), BOTH], times[name, BOTH]):.2f} x",
        ]


def _beside(name: str) -> str:
    """Name the way of VLenUTF8 that a way stands beside."""
    return THEIRS + COMPRESSED if name.endswith(COMPRESSED) else THEIRS


def _nbytes(encoded: Any) -> int:
    """Count what a way made: a buffer, or a store with the metadata of zarr beside the chunk."""
    return len(encoded["c/0"]) if isinstance(encoded, dict) else len(encoded)
