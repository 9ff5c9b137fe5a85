"""Columns like those that people have: URLs, words, UUIDs, log lines, keys. Made from a seed, never downloaded."""

import numpy as np
import numpy.typing as npt

from .columns import Arrays, as_data, fixed_width, from_list, gather, offsets_of

Rng = np.random.Generator

SYLLABLES = [
    "ka", "lo", "mi", "ra", "ne", "to", "su", "vi", "de", "pa", "ri", "co", "ma", "le", "bo", "ta", "ni", "sa", "fe",
    "lu", "dra", "stel", "mon", "tra", "gar", "pli", "ver", "nor", "shi", "cel", "bra", "quin", "tor", "wex", "jun",
]  # fmt: skip
TOP_LEVEL_DOMAINS = ["com", "com", "com", "org", "net", "io", "co.uk", "de"]
SECTIONS = [
    "products", "articles", "news", "blog", "category", "docs", "wiki", "user", "images", "shop", "help", "forum",
    "archive", "search", "events", "tags",
]  # fmt: skip
CONSONANTS = "bcdfghjklmnprstvwz"
VOWELS = "aeiou"
ACCENTED = "éèüöñçåøдежикαβγ中日語"
LEVELS = ["INFO", "INFO", "INFO", "INFO", "DEBUG", "DEBUG", "WARN", "ERROR"]
MODULES = [
    f"{package}.{name}"
    for package in ("storage", "server", "query", "auth", "net")
    for name in ("Pool", "BlockManager", "SessionHandler", "Planner", "Replicator", "Cache")
]


def made_up_words(rng: Rng, count: int, shortest: int, longest: int, syllables: tuple[int, int] = (1, 4)) -> list[str]:
    """Make distinct words of some syllables, cut to the longest length."""
    words: dict[str, None] = {}
    while len(words) < count:
        word = "".join(SYLLABLES[i] for i in rng.integers(0, len(SYLLABLES), rng.integers(*syllables)))[:longest]
        if len(word) >= shortest:
            words.setdefault(word)
    return list(words)


def zipf_index(rng: Rng, count: int, size: int, exponent: float = 1.0) -> npt.NDArray[np.int64]:
    """Draw indices below `size`, the early ones more often."""
    weights = 1.0 / np.arange(1, size + 1) ** exponent
    return np.minimum(np.searchsorted(np.cumsum(weights / weights.sum()), rng.random(count)), size - 1)


def urls(rng: Rng, count: int = 200_000) -> list[bytes]:
    """Make URLs of 40 to 120 bytes: few hosts, dates, slugs, numbers and tokens."""
    names = made_up_words(rng, 400, 4, 12, (2, 4))
    hosts = [
        f"https://{'www.' if rng.random() < 0.6 else ''}{name}.{TOP_LEVEL_DOMAINS[rng.integers(0, 8)]}"
        for name in names
    ]
    slugs = made_up_words(rng, 3000, 3, 14)
    host = zipf_index(rng, count, len(hosts), 0.9)
    section = zipf_index(rng, count, len(SECTIONS), 0.7)
    num_words = rng.integers(1, 5, count)
    slug = zipf_index(rng, count * 5, len(slugs), 0.6).reshape(count, 5)
    kind = rng.random(count)
    number = rng.integers(0, 10**7, count)
    page = rng.integers(1, 60, count)
    token = rng.integers(0, 16**8, count)
    made = []
    for i in range(count):
        words = "-".join(slugs[j] for j in slug[i, : num_words[i]])
        first, last = slugs[slug[i, 0]], slugs[slug[i, 4]]
        url = f"{hosts[host[i]]}/{SECTIONS[section[i]]}/"
        if kind[i] < 0.35:
            url += f"{2010 + number[i] % 16:04d}/{1 + number[i] % 12:02d}/{words}-{number[i]:07d}.html"
        elif kind[i] < 0.65:
            url += f"{words}/{number[i]:07d}?page={page[i]}&ref={last}"
        elif kind[i] < 0.85:
            url += f"{last}/{words}?id={number[i]}&utm_source={first}"
        else:
            url += f"{words}?session={token[i]:08x}&q={last}"
        if len(url) < 40:
            url += f"&token={token[i]:08x}{number[i]:08x}"
        made.append(url[:120].encode())
    return made


def uuids(rng: Rng, count: int = 200_000) -> Arrays:
    """Make random UUIDs, 36 bytes each."""
    raw = rng.integers(0, 256, (count, 16), dtype=np.uint8)
    raw[:, 6] = (raw[:, 6] & 0x0F) | 0x40
    raw[:, 8] = (raw[:, 8] & 0x3F) | 0x80
    digits = as_data(b"0123456789abcdef")
    nibbles = np.empty((count, 32), np.uint8)
    nibbles[:, 0::2] = digits[raw >> 4]
    nibbles[:, 1::2] = digits[raw & 15]
    text = np.full((count, 36), ord("-"), np.uint8)
    text[:, [i for i in range(36) if i not in (8, 13, 18, 23)]] = nibbles
    return fixed_width(text)


def words(rng: Rng, count: int = 1_000_000, vocabulary: int = 40_000) -> Arrays:
    """Draw words of 1 to 12 bytes of UTF-8 as often as in text; one in eight has a letter beyond ASCII."""
    known = {letter: letter.encode() for letter in "aiouyesn"}
    while len(known) < vocabulary:
        # Frequent words, which come first, are shorter.
        length = 2 + int(min(10, rng.gamma(2.0, 0.6) + 2.2 * np.log10(1 + len(known) / 50)))
        word = "".join(
            CONSONANTS[rng.integers(0, 18)] if i % 2 == 0 else VOWELS[rng.integers(0, 5)] for i in range(length)
        )
        if rng.random() < 0.125:
            place = int(rng.integers(0, len(word)))
            word = word[:place] + ACCENTED[rng.integers(0, len(ACCENTED))] + word[place + 1 :]
        while len(word.encode()) > 12:
            word = word[:-1]
        known.setdefault(word, word.encode())
    offsets, data, _ = from_list(list(known.values()))
    return gather(offsets, data, zipf_index(rng, count, vocabulary))


def drawn_words(rng: Rng, distinct: int, count: int = 65_536, in_order: bool = False) -> Arrays:
    """Draw words of 3 to 12 bytes, each of them as often as any other; one of each where there are as many as drawn."""
    offsets, data, _ = from_list([word.encode() for word in made_up_words(rng, distinct, 3, 12, (2, 6))])
    index = rng.permutation(count) if distinct == count else rng.integers(0, distinct, count)
    return gather(offsets, data, np.sort(index) if in_order else index)


def log_lines(rng: Rng, count: int = 100_000) -> Arrays:
    """Make lines of a log, 80 to 300 bytes, in order of time."""
    filler = made_up_words(rng, 800, 3, 14)
    times = 1_700_000_000_000 + np.cumsum(rng.integers(0, 40, count))
    lines = []
    for time in times.tolist():
        line = _log_head(rng, time) + _log_body(rng, filler)
        length = int(rng.integers(80, 301))
        while len(line) < length:
            line += " " + filler[int(rng.integers(0, 800))]
        lines.append(line[:300].encode())
    return from_list(lines)


def _log_head(rng: Rng, time: int) -> str:
    stamp = str(np.datetime64(time // 1000, "s")).replace("T", " ")
    level, worker, module = LEVELS[rng.integers(0, 8)], rng.integers(0, 32), MODULES[rng.integers(0, 30)]
    return f"{stamp},{time % 1000:03d} {level:<5} [worker-{worker:02d}] {module}: "


def _log_body(rng: Rng, filler: list[str]) -> str:
    kind = rng.integers(0, 6)
    a, b = int(rng.integers(0, 10**6)), int(rng.integers(0, 2**32))
    first, second, both = filler[a % 800], filler[b % 800], filler[(a + b) % 800]
    bodies = [
        f"Request id={b:08x} method=GET path=/api/v2/{first}/{a} status={(200, 200, 200, 304, 404, 500)[a % 6]} "
        f"bytes={b % 90000} time_ms={a % 900}",
        f"Block blk_{b:010d} replicated to 10.{a % 256}.{b % 256}.{(a >> 8) % 256}:9866 in {a % 500} ms, "
        f"{b} bytes remaining",
        f"Query {a} planned: {first} JOIN {second} USING ({both}), cost={b / 1e6:.3f} rows={a}",
        f"Session {b:08x} for user{a % 100000:05d} expired after {b % 7200}s; reason={second}",
        f"heartbeat ok seq={a:08d}",
        f"Cache miss for key '{first}/{second}/{b % 5000}', loading from tier {a % 4} (size={b % 10**6})",
    ]
    return bodies[kind]


def empty_and_long(rng: Rng, count: int = 50_000, num_long: int = 20, long_length: int = 100_000) -> Arrays:
    """Make a column of which half is empty, a few values are very long, and the rest has 1 to 30 bytes."""
    lengths = rng.integers(1, 31, count)
    lengths[rng.random(count) < 0.5] = 0
    lengths[rng.choice(count, num_long, replace=False)] = long_length
    offsets = offsets_of(lengths)
    return offsets, rng.integers(ord(" "), ord("~") + 1, offsets[-1], dtype=np.uint8), None


def sorted_keys(rng: Rng, count: int = 500_000) -> Arrays:
    """Make keys such as user:000000123, in order."""
    numbers = np.cumsum(rng.integers(1, 4, count))
    keys = np.empty((count, 14), np.uint8)
    keys[:, :5] = as_data(b"user:")
    for digit in range(9):
        keys[:, 13 - digit] = ord("0") + numbers % 10
        numbers //= 10
    return fixed_width(keys)
