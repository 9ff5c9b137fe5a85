"""``python -m bench scale``: calls of one value to columns of ten million, memory, fresh and reused, and threads."""

import statistics
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import colcodec as cc

from .measure import Function, interleave, ratio

ENCODINGS = ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY")
SIZES = (1, 8, 64, 1024, 10_000, 100_000, 1_000_000, 10_000_000)
QUICK_SIZES = (1, 1024, 10_000)
ROUNDS = 5
SECONDS = 0.05

Table = tuple[str, list[list[str]]]
"""Title, and cells of which the first line is the head."""


def short_strings(num_values: int) -> cc.StringColumn:
    """Make strings of 2 to 10 letters, a tenth of them sharing a prefix with the one before.

    Parameters
    ----------
    num_values : int
        How many.

    Returns
    -------
    StringColumn
        The same for the same number.
    """
    rng = np.random.default_rng(num_values)
    offsets = np.zeros(num_values + 1, np.int64)
    np.cumsum(rng.integers(2, 11, num_values), out=offsets[1:])
    return cc.StringColumn(offsets, rng.integers(65, 91, offsets[-1], dtype=np.uint8))


def tables(quick: bool) -> Iterator[Table]:
    """Measure, a table at a time.

    Parameters
    ----------
    quick : bool
        Small sizes only, to see that it works.

    Yields
    ------
    tuple
        Title, and cells of which the first line is the head.
    """
    sizes = QUICK_SIZES if quick else SIZES
    columns = {size: short_strings(size) for size in sizes}
    yield from (_times(columns), _memory(columns), _reuse(columns[sizes[-1]]), _threads(columns[sizes[-1]]))


def _times(columns: dict[int, cc.StringColumn]) -> Table:
    heads = ["encoding", "operation", *(f"{size:,}" for size in columns)]
    cells = [heads]
    for encoding in ENCODINGS:
        for operation in ("encode", "decode"):
            times = []
            for size, column in columns.items():
                page = cc.encode(column, encoding)
                run = partial(cc.encode, column, encoding) if operation == "encode" else partial(cc.decode, page)
                best = statistics.median(Function(run).measure(SECONDS) for _ in range(ROUNDS))
                times.append(f"{best / 1000:.1f} us" if size <= 1024 else f"{best / size:.2f} ns")
            cells.append([encoding, operation, *times])
    return "short strings by number of values: a call up to 1,024 of them, a value above", cells


def _peak(run: Callable[[], object]) -> tuple[int, object]:
    run()
    tracemalloc.start()
    result = run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, result


def _memory(columns: dict[int, cc.StringColumn]) -> Table:
    large = {size: column for size, column in columns.items() if size >= 10_000}
    heads = ["encoding", "operation", *(f"{size:,}" for size in large)]
    cells = [heads]
    for encoding in ENCODINGS:
        encoded, decoded = [], []
        for size, column in large.items():
            peak, page = _peak(partial(cc.encode, column, encoding))
            encoded.append(f"{(peak - cc.encoded_size_bound(column, encoding)) / size:.1f}")
            peak, again = _peak(partial(cc.decode, page))
            decoded.append(f"{(peak - again.offsets.nbytes - again.data.nbytes) / size:.1f}")
        cells += [
            [encoding, "encode, beyond the page's bound", *encoded],
            [encoding, "decode, beyond the output", *decoded],
        ]
    return "largest memory of a call, bytes a value", cells


def _reuse(column: cc.StringColumn) -> Table:
    heads = ["encoding", "operation", "fresh ns", "reused ns", "fresh / reused"]
    cells = [heads]
    for encoding in ENCODINGS:
        page = cc.encode(column, encoding)
        buf = np.empty(cc.encoded_size_bound(column, encoding), np.uint8)
        out = np.empty(len(column) + 1, np.int64), np.empty(cc.decoded_size(page), np.uint8)
        for operation, fresh, reused in [
            ("encode", partial(cc.encode, column, encoding), partial(cc.encode, column, encoding, out=buf)),
            ("decode", partial(cc.decode, page), partial(cc.decode, page, out=out)),
        ]:
            times = interleave({"fresh": Function(fresh), "reused": Function(reused)}, ROUNDS, SECONDS)
            medians = (f"{statistics.median(times[name]) / len(column):.2f}" for name in times)
            cells.append([encoding, operation, *medians, f"{ratio(times['fresh'], times['reused']):.2f}"])
    return f"memory from the system and memory used again (out=): {len(column):,} values", cells


def _threads(column: cc.StringColumn) -> Table:
    heads = ["encoding", "operation", "1 thread, ms", "2 threads, ms", "1 / 2"]
    cells = [heads]
    for encoding in ENCODINGS:
        pages = cc.encode_pages(column, encoding)
        for operation, run in [
            ("encode_pages", partial(cc.encode_pages, column, encoding)),
            ("decode_pages", partial(cc.decode_pages, pages)),
        ]:
            contenders = {str(threads): Function(partial(run, threads=threads)) for threads in (1, 2)}
            times = interleave(contenders, ROUNDS, SECONDS)
            medians = (f"{statistics.median(times[name]) / 1e6:.2f}" for name in times)
            cells.append([encoding, operation, *medians, f"{ratio(times['1'], times['2']):.2f}"])
    return f"threads: {len(column):,} values in {len(pages)} pages", cells
