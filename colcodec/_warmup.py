"""`warmup`: every kernel compiled before somebody waits for it, or measures it."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import nanoarrow as na
import numpy as np

from ._spec import Encoding
from .codec import column, decode, decode_indices, encode
from .dictionary import FIRST_ROOM
from .levels import decode_levels, decode_validity, encode_levels, encode_validity
from .page import BYTE_ARRAY_ENCODINGS, FIXED_LEN_BYTE_ARRAY_ENCODINGS, INTEGER_DTYPES
from .stream import PageReader, PageWriter
from .string_column import StringColumn


def warmup(progress: Callable[[int, int, str], None] | None = None) -> float:
    """Compile every kernel, or load it from the cache on disk, so that no later call has to.

    Parameters
    ----------
    progress : callable, optional
        Called as ``progress(done, total, what)`` before each step, and once at the end with ``done == total``.

    Returns
    -------
    float
        Seconds that it took: some tens the first time on a machine, less than one after that.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.warmup() < 300
    True
    """
    started = time.perf_counter()
    bytes_under_a_null = StringColumn([0, 4, 9], b"warmnever", [True, False])
    samples: list[tuple[Any, Encoding, int | None]]
    samples = [(bytes_under_a_null, encoding, None) for encoding in BYTE_ARRAY_ENCODINGS]
    many = [None, *map(str, range(FIRST_ROOM + 1))]  # so that the dictionary has to grow
    samples.append((many, Encoding.RLE_DICTIONARY, None))
    samples += [(np.arange(3, dtype=dtype), Encoding.DELTA_BINARY_PACKED, None) for dtype in INTEGER_DTYPES]
    samples += [([b"warm"], encoding, 4) for encoding in FIXED_LEN_BYTE_ARRAY_ENCODINGS]
    for done, (values, encoding, type_length) in enumerate(samples):
        if progress is not None:
            progress(done, len(samples), encoding.name)
        page = encode(values, encoding, type_length=type_length)
        decode(page)
        reader = PageReader(page)
        reader.skip(1)
        reader.read(1)
        writer = PageWriter(encoding, type_length=type_length)
        writer.write(values)
        if not page.holds_integers:
            writer.write_slices(b"warm", [0], [4])
        if writer.size:
            writer.finish()
        if page.dictionary is not None:
            bare = page.dictionary.data  # whose values have to be counted
            indices = decode_indices(
                page.data, encoding=encoding, num_values=page.num_values, validity=page.validity, dictionary=bare
            )
            decode(replace(page, dictionary=indices.dictionary))
    column(np.array(["warm", None], np.dtypes.StringDType(na_object=None))).to_numpy("T")
    column(np.array(["warm"])).to_numpy("U")
    column(np.array([b"warm"])).to_numpy("S")
    bytes_under_a_null.to_pylist()
    for validity in (None, [True, False]):
        decode_validity(encode_validity(validity, 2), 2)
    decode_levels(encode_levels([0, 1], 1), 2, 1)
    column(na.c_array(["warm", None, "warm in a buffer"], na.string_view()))
    if progress is not None:
        progress(len(samples), len(samples), "done")
    return time.perf_counter() - started
