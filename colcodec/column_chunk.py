"""Columns of many pages: cut, encoded and put together again by several threads."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import accumulate, pairwise
from typing import Any, Protocol, TypeVar

import numpy as np

from ._arrays import empty
from ._checks import as_count, as_size, as_type_length, max_length_bits, raise_for_status
from ._spec import DEFAULT_MAX_DATA_SIZE, DEFAULT_MAX_DICTIONARY_SIZE, Encoding, Status
from .codec import column, encode, fixed_length_column
from .dictionary import Dictionary
from .encodings import Bytes, Reader
from .encodings.rle_dictionary import Known, encode_indices
from .errors import DictionaryTooLarge, InvalidColumnError, InvalidTypeError, located
from .page import (
    DType,
    EncodedPage,
    as_writable_encoding,
    fill,
    known_values,
    make_dictionary_page,
    measure,
)
from .string_column import StringColumn

DEFAULT_ROWS_PER_PAGE = 65_536

Item = TypeVar("Item")
Result = TypeVar("Result")


class Run(Protocol):
    """What maps a function over items in several threads."""

    def __call__(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Give the results in the order of the items."""


def encode_pages(
    values: Any,
    encoding: Encoding | str,
    /,
    *,
    rows_per_page: int = DEFAULT_ROWS_PER_PAGE,
    threads: int | None = None,
    type_length: int | None = None,
    max_dictionary_size: int = DEFAULT_MAX_DICTIONARY_SIZE,
) -> list[EncodedPage]:
    """Encode a column in pages of so many rows.

    Parameters
    ----------
    values : array_like
        Whatever `column` takes.
    encoding : Encoding or str
        The encoding, or its name in the format; not DELTA_BINARY_PACKED.
    rows_per_page : int, optional
        Number of values, nulls included, in each page but the last.
    threads : int, optional
        Number of threads that encode; kernels hold no lock. By default one for each processor of this process.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.
    max_dictionary_size : int, optional
        The most bytes that the dictionary page of RLE_DICTIONARY may have.

    Returns
    -------
    list of EncodedPage
        The pages, one at least; the same whatever the number of threads. Those of RLE_DICTIONARY have one dictionary.

    Raises
    ------
    DictionaryTooLarge
        If the dictionary page would exceed `max_dictionary_size`.
    InvalidTypeError, InvalidColumnError, TypeError, ValueError
        As `encode` does.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.encode_pages(["axis", "axle", "babble"], "PLAIN", rows_per_page=2)
    [EncodedPage(PLAIN, 2 utf8 values, 16 bytes), EncodedPage(PLAIN, 1 utf8 values, 10 bytes)]
    """
    type_length = as_type_length(type_length)
    encoding = as_writable_encoding(encoding, type_length)
    if encoding is Encoding.DELTA_BINARY_PACKED:
        raise InvalidTypeError("encode_pages takes strings; encode integers with encode")
    rows_per_page = as_count(rows_per_page, "rows_per_page")
    if rows_per_page == 0:
        raise ValueError("rows_per_page must be at least 1, got 0")
    strings = column(values) if type_length is None else fixed_length_column(values, type_length)
    ends = [*range(0, max(len(strings), 1), rows_per_page), len(strings)]
    limit = as_size(max_dictionary_size, "max_dictionary_size")
    return encode_slices(strings, ends, encoding, threads=threads, type_length=type_length, max_dictionary_size=limit)


def encode_slices(
    strings: StringColumn,
    ends: Sequence[int],
    encoding: Encoding,
    *,
    threads: int | None = None,
    type_length: int | None = None,
    max_dictionary_size: int = DEFAULT_MAX_DICTIONARY_SIZE,
) -> list[EncodedPage]:
    """Encode slices of a column, each as a page.

    Parameters
    ----------
    strings : StringColumn
        The column.
    ends : sequence of int
        0, and where each slice ends.
    encoding : Encoding
        The encoding, one that is written.
    threads : int, optional
        Number of threads that encode. By default one for each processor of this process.
    type_length : int, optional
        Bytes of each value of a FIXED_LEN_BYTE_ARRAY.
    max_dictionary_size : int, optional
        The most bytes that the dictionary page of RLE_DICTIONARY may have.

    Returns
    -------
    list of EncodedPage
        The pages. Those of RLE_DICTIONARY have one dictionary.

    Raises
    ------
    DictionaryTooLarge
        If the dictionary page would exceed `max_dictionary_size`.
    InvalidColumnError
        If a value is too large for a page.
    """
    slices = [strings[start:end] for start, end in pairwise(ends)]

    def encode_slice(part: StringColumn) -> EncodedPage:
        try:
            return encode(part, encoding, type_length=type_length)
        except InvalidColumnError:
            max_length_bits(strings.offsets, strings.data)  # which tells where the value is in the column
            raise

    with workers(threads) as run:
        if encoding is Encoding.RLE_DICTIONARY:
            return _encode_indices(strings, slices, Dictionary(max_dictionary_size, type_length), run)
        return run(encode_slice, slices)


def _encode_indices(
    strings: StringColumn, slices: Sequence[StringColumn], dictionary: Dictionary, run: Run
) -> list[EncodedPage]:
    """Encode slices of a column as pages of one dictionary."""
    offsets, data = strings._present()
    max_length_bits(offsets, data)
    indices = empty(offsets.size - 1, np.uint32)
    try:
        dictionary.add(offsets, data, indices)
    except DictionaryTooLarge as error:
        raise strings._counting_nulls(error) from None
    dtype: DType = "utf8" if strings.utf8 else "binary"
    page = make_dictionary_page(dictionary, dtype)
    ends = [0, *accumulate(len(part) - part.null_count for part in slices)]
    # As in a writer that goes page by page, indices are as wide as the dictionary needs at the end of their page.
    known = [*accumulate((int(indices[i:j].max(initial=0)) for i, j in pairwise(ends)), max)]

    def encode_slice(i: int) -> EncodedPage:
        own = indices[ends[i] : ends[i + 1]]
        encoded = encode_indices(own, known[i] + 1 if ends[i + 1] else 0)
        validity = slices[i].validity if slices[i].null_count else None
        return EncodedPage._trusted(
            Encoding.RLE_DICTIONARY,
            encoded,
            len(slices[i]),
            validity,
            dtype,
            dictionary=page,
            type_length=dictionary.type_length,
        )

    return run(encode_slice, range(len(slices)))


def decode_pages(
    pages: Iterable[EncodedPage], /, *, threads: int | None = None, max_data_size: int = DEFAULT_MAX_DATA_SIZE
) -> StringColumn:
    """Decode pages into one column.

    Parameters
    ----------
    pages : iterable of EncodedPage
        Pages of one column, in order; their encodings may differ, as in files whose writer changed its mind.
    threads : int, optional
        Number of threads that decode, each into a range of the column's arrays of its own. By default one for each
        processor of this process.
    max_data_size : int, optional
        The most bytes that the values of all pages together may have.

    Returns
    -------
    StringColumn
        All values.

    Raises
    ------
    MalformedPageError
        If the bytes of a page are no such page.
    LimitError
        If the values have more than `max_data_size` bytes.
    InvalidTypeError
        If the pages are not all of text, or all of bytes.

    Examples
    --------
    >>> import colcodec as cc
    >>> cc.decode_pages(cc.encode_pages(["axis", None, "axle"], "DELTA_BYTE_ARRAY", rows_per_page=2)).to_pylist()
    ['axis', None, 'axle']
    """
    pages = list(pages)
    utf8 = _are_text(pages)
    max_data_size = as_size(max_data_size, "max_data_size")
    rows = [0, *accumulate(page.num_values for page in pages)]
    with workers(threads) as run:
        known = _known_dictionaries(pages)

        def measure_page(i: int) -> Reader:
            with located(f"page {i}"):
                return measure(pages[i], max_data_size, known.get(id(pages[i].dictionary)))

        measured = run(measure_page, range(len(pages)))
        starts = [0, *accumulate(part.data_size for part in measured)]
        if starts[-1] > max_data_size:
            found = f"{starts[-1]} bytes in {len(pages)} pages"
            raise_for_status(pages[0].encoding, Status.LIMIT, 0, found=found, limit=max_data_size)
        offsets = empty(rows[-1] + 1, np.int64)
        offsets[0] = 0
        data = empty(starts[-1], np.uint8)

        def fill_page(i: int) -> int:
            own = offsets[rows[i] : rows[i + 1] + 1]  # the first element is the last of the page before, and left alone
            with located(f"page {i}"):
                size = fill(pages[i], measured[i], own, data[starts[i] : starts[i + 1]])
            own[1:] += starts[i]
            return size

        sizes = run(fill_page, range(len(pages)))
    total = 0
    for i, size in enumerate(sizes):  # close the gaps behind PLAIN pages that go on behind their last value
        if starts[i] > total:
            data[total : total + size] = data[starts[i] : starts[i] + size]
            offsets[rows[i] + 1 : rows[i + 1] + 1] -= starts[i] - total
        total += size
    return StringColumn._trusted(offsets, data[:total], _join_validity(pages), utf8=utf8)


def _known_dictionaries(pages: Sequence[EncodedPage]) -> dict[int, Known]:
    """Read each dictionary once, for all pages that have it."""
    owners = {id(page.dictionary): page for page in pages if page.dictionary is not None}
    return {key: known_values(page) for key, page in owners.items()}


def _are_text(pages: Sequence[EncodedPage]) -> bool:
    dtypes = {page.dtype for page in pages}
    if not dtypes <= {"utf8"} and not dtypes <= {"binary"}:
        raise InvalidTypeError(
            f"decode_pages takes pages that are all utf8 or all binary, got {', '.join(sorted(dtypes))}"
        )
    return dtypes != {"binary"}


def _join_validity(pages: Sequence[EncodedPage]) -> Bytes | None:
    if all(page.validity is None for page in pages):
        return None
    bits = np.ones(sum(page.num_values for page in pages), np.uint8)
    end = 0
    for page in pages:
        start, end = end, end + page.num_values
        if page.validity is not None:
            bits[start:end] = np.unpackbits(page.validity, count=page.num_values, bitorder="little")
    return np.packbits(bits, bitorder="little")


def processors() -> int:
    """Count the processors of this process.

    Returns
    -------
    int
        Their number.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def workers(threads: int | None) -> Iterator[Run]:
    """Give a function that maps another over items in so many threads, of which this one is the first.

    Parameters
    ----------
    threads : int or None
        Number of threads; None for one for each processor of this process.

    Yields
    ------
    callable
        Takes a function and items.

    Raises
    ------
    TypeError, ValueError
        If it is no number of threads.
    """
    if threads is None:
        threads = processors()
    if as_count(threads, "threads") == 0:
        raise ValueError("threads must be at least 1, got 0")
    if threads == 1:
        yield lambda function, items: [*map(function, items)]
        return
    with ThreadPoolExecutor(threads - 1) as pool:

        def run(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
            todo = deque(enumerate(items))
            results: dict[int, Result] = {}

            def work() -> None:
                # One task a thread that takes item after item: a future for each item would fight for the GIL with the
                # short calls between kernels, and undo what the second thread brings.
                while True:
                    try:
                        i, item = todo.popleft()
                    except IndexError:
                        return
                    results[i] = function(item)

            others = [pool.submit(work) for _ in range(min(threads, len(todo)) - 1)]
            try:
                work()
            finally:
                todo.clear()
                for other in others:
                    other.result()
            return [results[i] for i in range(len(results))]

        yield run
