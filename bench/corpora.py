"""The registry of benchmark columns, and those that Arrow's and parquet-java's own benchmarks use.

Every column is made from a seed that its name gives, and is the same on every machine.
"""

import zlib
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from . import realistic
from .columns import Arrays, Column, all_valid, fixed_width, from_list, gather, offsets_of, with_nulls

Maker = Callable[[np.random.Generator], Arrays]


def make(name: str) -> Column:
    """Make a column of the registry.

    Parameters
    ----------
    name : str
        A key of `COLUMNS`.

    Returns
    -------
    Column
        The column.
    """
    return Column(name, *COLUMNS[name][0](generator(name)))


def generator(name: str) -> np.random.Generator:
    """Give the random numbers of a column."""
    return np.random.Generator(np.random.PCG64(zlib.crc32(name.encode())))


def string_with_repeats(rng: np.random.Generator, count: int) -> Arrays:
    """Make the input of Arrow's BM_ArrowBinaryPlain: count / 8 distinct strings of 2 to 10 letters, drawn evenly.

    The distribution is Arrow's StringWithRepeats, the stream of random numbers is not.
    """
    distinct = count // 8
    offsets = offsets_of(rng.integers(2, 11, distinct))
    data = rng.integers(ord("A"), ord("z") + 1, offsets[-1], dtype=np.uint8)
    return gather(offsets, data, rng.integers(0, distinct, count))


def prefixed_strings(rng: np.random.Generator, max_length: int, percent: int, count: int = 2048) -> Arrays:
    """Make the input of Arrow's BM_DeltaDecodingByteArray: random bytes, and prefixes in `percent` of the values."""
    values = []
    value = b""
    for i in range(count):
        length = int(rng.integers(0, max_length + 1))
        prefix = 0
        if i and rng.random() < percent / 100:
            prefix = int(np.ceil(min(length, len(value)) * rng.random()))
        value = value[:prefix] + rng.integers(0, 256, length - prefix, dtype=np.uint8).tobytes()
        values.append(value)
    return from_list(values)


class JavaRandom:
    """The nextInt(bound) of java.util.Random for bounds that are not powers of two, a million draws at a time.

    Parameters
    ----------
    seed : int
        Seed as given to Java.
    """

    MULTIPLIER = 0x5DEECE66D
    INCREMENT = 0xB
    MASK = (1 << 48) - 1
    BATCH = 1 << 20

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ self.MULTIPLIER) & self.MASK
        self.pending = np.empty(0, np.int64)  # 31-bit draws, not yet used
        self.multipliers = np.empty(self.BATCH, np.uint64)  # of 1, 2, 3, ... steps at once
        self.increments = np.empty(self.BATCH, np.uint64)
        self.multipliers[0], self.increments[0] = self.MULTIPLIER, self.INCREMENT
        have = 1
        while have < self.BATCH:
            last = slice(have, 2 * have)
            multiplier, increment = self.multipliers[have - 1], self.increments[have - 1]
            self.multipliers[last] = (self.multipliers[:have] * multiplier) & np.uint64(self.MASK)
            self.increments[last] = (self.multipliers[:have] * increment + self.increments[:have]) & np.uint64(
                self.MASK
            )
            have *= 2

    def integers(self, count: int, bound: int) -> npt.NDArray[np.int64]:
        """Draw integers below a bound."""
        drawn = np.empty(count, np.int64)
        done = 0
        while done < count:
            if not self.pending.size:
                states = (self.multipliers * np.uint64(self.state) + self.increments) & np.uint64(self.MASK)
                self.state = int(states[-1])
                self.pending = (states >> np.uint64(17)).astype(np.int64)
            bits, self.pending = self.pending[: count - done], self.pending[count - done :]
            values = bits % bound
            values = values[bits - values + (bound - 1) <= 0x7FFFFFFF]  # Java draws again where this would be uneven
            drawn[done : done + len(values)] = values
            done += len(values)
        return drawn


def java_binary(length: int, distinct: int, count: int = 100_000, seed: int = 42) -> Arrays:
    """Make what generateBinaryData of parquet-java's TestDataFactory makes: strings of `length` letters a to z.

    `distinct` is the number of strings that the values are drawn from; 0 draws each anew.
    """
    rng = JavaRandom(seed)
    letters = rng.integers((distinct or count) * length, 26).astype(np.uint8) + np.uint8(ord("a"))
    strings = letters.reshape(-1, length)
    return fixed_width(strings[rng.integers(count, distinct)] if distinct else strings)


def _sorted_urls() -> Arrays:
    return from_list(sorted(realistic.urls(generator("urls"))))


def _shuffled_urls(rng: np.random.Generator) -> Arrays:
    urls = realistic.urls(generator("urls"))
    return from_list([urls[i] for i in rng.permutation(len(urls))])


def _registry() -> dict[str, tuple[Maker, str]]:
    columns: dict[str, tuple[Maker, str]] = {}
    for count in (1024, 4096, 32768, 65536):
        columns[f"seed-arrow-{count}"] = (
            lambda rng, count=count: all_valid(string_with_repeats(rng, count)),
            f"BM_ArrowBinaryPlain: {count} strings of 2 to 10 bytes, {count // 8} distinct, validity all ones",
        )
    columns["seed-arrow-65536-nulls10"] = (
        lambda rng: with_nulls(string_with_repeats(rng, 65536), rng, 0.10),
        "the same distribution with 10 % nulls",
    )
    for size, length in (("short", 10), ("medium", 100), ("long", 1000)):
        for cardinality, distinct in (("low", 100), ("high", 0)):
            columns[f"java-{size}-{cardinality}"] = (
                lambda rng, length=length, distinct=distinct: java_binary(length, distinct),  # noqa: ARG005 (own seed)
                f"BinaryEncodingBenchmark: 100,000 strings of {length} letters, {distinct or 'all'} distinct",
            )
    columns |= {
        "urls-sorted": (lambda _: _sorted_urls(), "200,000 sorted URLs of 40 to 120 bytes"),
        "urls-sorted-nulls10": (lambda rng: with_nulls(_sorted_urls(), rng, 0.10), "urls-sorted with 10 % nulls"),
        "urls-shuffled": (_shuffled_urls, "the same URLs, shuffled"),
        "uuids": (realistic.uuids, "200,000 random UUIDs of 36 bytes"),
        "words": (realistic.words, "1,000,000 words of 1 to 12 bytes of UTF-8"),
        "log-lines": (realistic.log_lines, "100,000 lines of a log, 80 to 300 bytes"),
        "sorted-keys": (realistic.sorted_keys, "500,000 keys such as user:000000123, in order"),
        "distinct-100": (partial(realistic.drawn_words, distinct=100), "65,536 words of 3 to 12 bytes, 100 distinct"),
        "distinct-100-nulls10": (
            lambda rng: with_nulls(realistic.drawn_words(rng, 100), rng, 0.10),
            "distinct-100 with 10 % nulls",
        ),
        "distinct-100-sorted": (
            partial(realistic.drawn_words, distinct=100, in_order=True),
            "65,536 words of 3 to 12 bytes, 100 distinct, in order",
        ),
        "distinct-10000": (
            partial(realistic.drawn_words, distinct=10_000),
            "65,536 words of 3 to 12 bytes, about 10,000 distinct",
        ),
        "distinct-all": (
            partial(realistic.drawn_words, distinct=65_536),
            "65,536 words of 3 to 12 bytes, all distinct",
        ),
        "all-null": (lambda rng: with_nulls(realistic.drawn_words(rng, 100), rng, 1.0), "65,536 nulls"),
        "empty-and-long": (realistic.empty_and_long, "50,000 values: half empty, 20 of 100 kB, the rest 1 to 30 bytes"),
    }
    for max_length, percent in ((8, 90), (64, 10), (64, 90), (64, 99), (1024, 90)):
        columns[f"arrow-delta-{max_length}-2048-{percent}"] = (
            partial(prefixed_strings, max_length=max_length, percent=percent),
            f"BM_DeltaDecodingByteArray: 2,048 values up to {max_length} bytes, {percent} % with a prefix",
        )
    return columns


COLUMNS: dict[str, tuple[Maker, str]] = _registry()
"""Every column: how it is made from its random numbers, and what it is."""

DEFAULT = [
    "seed-arrow-1024", "seed-arrow-65536", "seed-arrow-65536-nulls10", "java-short-low", "java-short-high",
    "java-long-low", "java-long-high", "urls-sorted", "urls-sorted-nulls10", "urls-shuffled", "uuids", "words",
    "log-lines", "sorted-keys", "empty-and-long", "distinct-100", "distinct-10000", "distinct-all", "all-null",
]  # fmt: skip
"""The columns of the main table."""

QUICK = ["seed-arrow-1024", "seed-arrow-65536"]
"""The columns of ``--quick``."""
