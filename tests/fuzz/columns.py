"""Random columns, integers, and legal pages of them as some writer may write them."""

from itertools import cycle, islice

import naive
import strategies

TYPE_LENGTHS = (1, 2, 3, 4, 7, 8, 12, 16, 17, 32, 40)


def count(rng):
    """Draw a number of values: often at the edge of a block, mostly few."""
    return rng.choice(strategies.EDGE_COUNTS) if rng.random() < 0.4 else rng.randint(0, 40)


def value(rng):
    """Draw one value."""
    length = rng.choice(strategies.EDGE_LENGTHS) if rng.random() < 0.3 else rng.randint(0, 12)
    return (rng.randbytes(rng.randint(1, 4)) * (length + 1))[:length]


def strings(rng):
    """Draw values: few that repeat, any, sorted, or such that share prefixes."""
    size, how = count(rng), rng.randrange(4)
    if how == 0:
        return list(islice(cycle([value(rng) for _ in range(rng.randint(1, 7))]), size))
    if how == 1:
        chain = [b""]
        for _ in range(size):
            chain.append(chain[-1][: rng.randint(0, len(chain[-1]))] + rng.randbytes(rng.randint(0, 5)))
        return chain[1:]
    some = [value(rng) for _ in range(size)]
    return sorted(some) if how == 2 else some


def fixed(rng, length):
    """Draw values of one length."""
    shared = rng.randbytes(rng.randint(0, length))
    few = [(shared + rng.randbytes(length))[:length] for _ in range(rng.randint(1, 20))]
    return list(islice(cycle(few), count(rng)))


def integers(rng, bits):
    """Draw integers: any, few, or equal steps that wrap around."""
    size, low = count(rng), -(1 << bits - 1)
    width = rng.choice((1, 3, 8, bits))
    if rng.random() < 0.3:
        step = naive.wrap(rng.getrandbits(width), bits)
        return [naive.wrap(low + step * i, bits) for i in range(size)]
    return [naive.wrap(rng.getrandbits(width), bits) for _ in range(size)]


def nulls(rng, values):
    """Put nulls into a column."""
    share = rng.choice((0, 0, 0.1, 0.5, 1))
    return [None if rng.random() < share else one for one in values]


def liberties(rng):
    """Draw what a writer may choose."""
    if rng.random() < 0.4:
        return naive.CANONICAL
    block_size, miniblocks = rng.choice(strategies.GEOMETRIES)
    return naive.Liberties(
        block_size,
        miniblocks,
        unused_widths=rng.choice(((0,), (255,), (3, 33, 65))),
        padding=rng.randint(0, 1),
        varint_size=rng.choice((1, 1, 2, 5)),
        spare_bits=rng.choice((0, 0, 1, 7, 64)),
        lower_min_delta=rng.choice((0, 0, 3)),
        prefix_cap=rng.choice((naive.MAX_INT32, naive.MAX_INT32, 0, 3)),
    )


def runs(rng, width):
    """Draw values of `width` bits and write them in runs of any kind: the bytes and the number of values."""
    data, total = b"", 0
    for _ in range(rng.randint(0, 6)):
        size = rng.choice((1, 1, 1, 2, 5))
        if rng.random() < 0.5:
            length = rng.choice((1, 7, 8, 9, 40, 300))
            data += naive.encode_uleb128(length << 1, size)
            data += rng.getrandbits(width or 1).to_bytes(5, "little")[: (width + 7) // 8]
        else:
            length = 8 * rng.choice((1, 1, 2, 3, 9))
            data += naive.encode_uleb128(length // 8 << 1 | 1, size) + rng.randbytes(length // 8 * width)
        total += length
    return data, total
