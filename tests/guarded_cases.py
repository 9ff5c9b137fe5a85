"""What a guarded case is made of: numbers that follow from its place in a run, and data of friends and of enemies."""

import random

import naive
import numpy as np

import colcodec as cc

LENGTHS = 201
"""Every case has a length of 0 to 200; of what, is its own affair."""

SHIFTS = 64
BLOCKS = ((128, 4), (128, 1), (256, 4), (1024, 32), (2048, 8))
GAPS = (0, 0, 0, 0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 72, 100)
"""Bytes behind what is used: often none, and around those that wide copies and loads look for."""

HUGE = (0, 1, 127, 128, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)


class Case:
    """One call of one kernel or function: its random numbers, and the memory of its arrays.

    Cases are numbered: 201 lengths with arrays at the end of a page, then at the beginning, and so on; each length
    meets each of the 64 alignments at both, as 201 and 64 have no common divisor.
    """

    def __init__(self, memory, name, seed, number):
        self.length = number % LENGTHS
        self.shift = number // 2 % SHIFTS
        memory.at_end = number // LENGTHS % 2 == 0
        self.input, self.output = memory.input, memory.output
        self.memory = memory
        self.random = random.Random(f"{seed} {name} {number}")
        self.below = self.random.randrange
        self.choose = self.random.choice
        self.kept = []  # what has to live as long as the call
        self.after = None  # what is to be done with the result

    # ---------------------------------------------------------------------------------------------- plain data

    def bytes(self, size):
        """Give bytes of one kind or another."""
        kind = self.below(6)
        if kind == 0:
            return bytes([self.choose((0, 0x80, 0xFF))]) * size
        if kind == 1:
            return bytes(self.random.choices(b"ab", k=size))
        if kind == 2:
            return self.text(size)
        return self.random.randbytes(size)

    def text(self, size):
        """Give UTF-8 of exactly so many bytes."""
        out = b""
        while len(out) < size:
            left = size - len(out)
            character = self.choose(("a", "\0", "é", "€", "🪓", "ascii text, some of it")).encode()
            out += character if len(character) <= left else b"x" * left
        return out

    def numbers(self, count, bits):
        """Give unsigned integers below ``2**bits``: small, alike, or any."""
        kind = self.below(4)
        if kind == 0:
            return [self.below(1 << bits)] * count
        most = 1 << (self.below(bits) + 1 if kind < 3 else bits)
        return [self.below(most) for _ in range(count)]

    def gap(self):
        """Give some number of bytes that lie behind what is used."""
        return self.choose(GAPS)

    def bitmap(self, count, gap=0):
        """Give a validity bitmap, and the bits of it."""
        kind = self.below(3)
        bits = [kind] * count if kind < 2 else [self.below(2) for _ in range(count)]
        if self.below(2):  # in runs
            bits = [bits[i & ~15] for i in range(count)]
        return self.input(np.packbits(np.array(bits, np.uint8), bitorder="little").tobytes() + bytes(gap)), bits

    # ---------------------------------------------------------------------------------------------- columns

    def lengths(self, size):
        """Cut so many bytes into values, of which some are empty."""
        count = self.choose((1, 2, 3, 8, 30, 70, size + 1))
        cuts = sorted(self.below(size + 1) for _ in range(count - 1))
        return [end - start for start, end in zip([0, *cuts], [*cuts, size], strict=True)]

    def values(self, size=None):
        """Give values of so many bytes in all, some of which begin alike; none at all now and then."""
        size = self.length if size is None else size
        if size == 0 and self.below(2):
            return []
        data, values, pos = self.bytes(size), [], 0
        for length in self.lengths(size):
            values.append(data[pos : pos + length])
            pos += length
        if self.below(3) == 0:
            values.sort()
        elif self.below(3) == 0:
            values = [(values[0] + value)[: len(value)] for value in values]
        return values

    def column(self, values=None, shift=None, gap=None):
        """Give offsets and data of values, with bytes before and behind them."""
        values = self.values() if values is None else values
        shift = self.shift if shift is None else shift
        gap = self.gap() if gap is None else gap
        data = self.random.randbytes(shift) + b"".join(values) + self.random.randbytes(gap)
        return self.offsets(values, shift), self.input(data)

    def offsets(self, values, shift=0):
        """Give the offsets of values."""
        return self.input(np.cumsum([shift, *map(len, values)]), np.int64)

    def slices(self, values=None):
        """Give the starts and ends of values that lie anywhere in the data, and the data; and their number of bytes."""
        offsets, data = self.column(values)
        order = self.random.choices(range(offsets.size - 1), k=offsets.size - 1)
        if self.below(2):
            order.sort()
        starts, ends = offsets[:-1][order], offsets[1:][order]
        return self.input(starts, np.int64), self.input(ends, np.int64), data, int((ends - starts).sum())

    # ---------------------------------------------------------------------------------------------- encoded data

    def harm(self, data, count):
        """Leave encoded data as it is, or do it some harm, or put any bytes in its place; give it and a count."""
        kind = self.below(8)
        data = bytearray(data)
        at = self.below(len(data) + 1)
        if kind == 0:
            del data[at:]
        elif kind == 1 and data:
            data[at % len(data)] = self.choose((0, 1, 0x7F, 0x80, 0xFF, self.below(256)))
        elif kind == 2:
            data[at:at] = self.random.randbytes(1 + self.below(4))
        elif kind == 3:
            data[at:] = naive.encode_uleb128(self.choose(HUGE)) + data[at + 1 :]
        elif kind == 4:
            data = self.random.randbytes(self.length)
        elif kind == 5:
            count = self.choose((0, 1, max(count - 1, 0), count + 1, count + 33))
        return bytes(data), count

    def buffer(self, data, gap=0):
        """Give a buffer that holds encoded data; where it begins, and where it ends."""
        buf = self.input(self.random.randbytes(self.shift) + data + self.random.randbytes(gap))
        return buf, self.shift, self.shift + len(data)

    def liberties(self):
        """Give one of the ways in which a writer may write a stream of differences."""
        block_size, miniblocks = self.choose(BLOCKS)
        return naive.Liberties(
            block_size=block_size,
            miniblocks_per_block=miniblocks,
            unused_widths=self.choose(((0,), (255, 3))),
            padding=self.below(2),
            varint_size=self.choose((1, 1, 5)),
            spare_bits=self.choose((0, 0, 1, 7, 64)),
            prefix_cap=self.choose((naive.MAX_INT32, 3)),
        )

    def integers(self, count, bits):
        """Give signed integers."""
        return [naive.wrap(number, bits) for number in self.numbers(count, bits)]

    def delta_stream(self, bits, values=None):
        """Give a stream of differences, as another writer may write it, and its number of values."""
        values = self.integers(self.length, bits) if values is None else values
        if self.below(4) == 0:
            return naive.encode_delta_binary_packed(values, bits, self.liberties()), len(values)
        return cc.encode(np.array(values, f"i{bits // 8}"), "DELTA_BINARY_PACKED").data.tobytes(), len(values)

    def hybrid(self, width, count=None):
        """Give runs of values of `width` bits, as no writer may have thought of them, and how many values they hold."""
        count = self.length if count is None else count
        data, done = b"", 0
        while done < count:
            size = self.choose((1, 1, 3, 5))
            if self.below(2):
                run, value = 1 + self.below(60), self.below(1 << width)
                data += naive.encode_uleb128(run << 1, size) + value.to_bytes((width + 7) // 8, "little")
            else:
                groups = 1 + self.below(9)
                run = 8 * groups
                data += naive.encode_uleb128(groups << 1 | 1, size) + self.random.randbytes(groups * width)
            done += run
        return data, count

    def page(self, encoding, values=None, type_length=None):
        """Give a page of values and their number."""
        values = self.values() if values is None else values
        if self.below(4) == 0:
            dtype = "binary" if type_length is None else type_length
            return naive.encode(values, encoding, dtype, self.liberties()), len(values)
        return cc.encode(values, encoding, type_length=type_length).data.tobytes(), len(values)
