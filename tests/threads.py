"""Columns and pages that threads share: `python -m tests.threads --seconds 60`.

First, threads encode, decode and convert the same columns in every way, while one more gives the memory that is kept
back to the system: all results are those that one thread has. Then others change, meanwhile, what is read: that is
an error or another value, and never the end of the process.
"""

import argparse
import faulthandler
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle, takewhile
from pathlib import Path
from random import Random

if str(Path(__file__).parent) not in sys.path:  # run as a module, nobody has put this folder there, as pytest does
    sys.path.insert(0, str(Path(__file__).parent))

import conftest  # for the compile cache of the tests, before anything imports Numba
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import colcodec as cc
from colcodec import _arrays

THREADS = 8
PATIENCE = 300  # seconds beyond those that were given: who waits longer waits for a lock
ENCODINGS = ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY")
FIXED_LENGTH_ENCODINGS = ("PLAIN", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT")
LARGE = {"max_dictionary_size": 2**31 - 1}


def texts(count, seed=0):
    """Draw sorted paths, some more than once, with some that are not ASCII, empty or null."""
    rng = Random(seed)
    names = [f"/{rng.randrange(count):x}/{rng.choice(('axle', 'äxle', 'ax' * 20, '語言', ''))}" for _ in range(count)]
    return [None if rng.random() < 0.1 else rng.choice((name, "", names[0])) for name in sorted(names)]


def told(result):
    """Make of a result what can be compared: all that is in it."""
    if isinstance(result, cc.EncodedPage):
        return result.data.tobytes(), told(result.validity), told(result.dictionary)
    if isinstance(result, cc.StringColumn):
        return result.offsets.tobytes(), result.data.tobytes(), result.null_count and result._is_valid().tobytes()
    if isinstance(result, np.ndarray):
        return result.tolist() if result.dtype.kind in "OT" else result.tobytes()
    if isinstance(result, (list, tuple)):
        return [told(part) for part in result]
    if isinstance(result, dict):
        return {name: told(part) for name, part in result.items()}
    if isinstance(result, pa.Array):
        return result.to_pylist()
    return result.to_list() if isinstance(result, (pd.Series, pl.Series)) else result


def calls(count, large):
    """Give what is called, by name, with inputs that all callers share: columns of `count` and of `large` values."""
    values = texts(count)
    column = cc.column(values)
    present = [value or "" for value in values]
    fixed = np.array([f"{i * 2**40:016x}".encode() for i in range(count)], "S16")
    integers = np.cumsum(np.arange(count) % 1000)
    frame = pd.DataFrame({"a": values, "b": present})
    found = {
        "integers": lambda: cc.decode(cc.encode(integers, "DELTA_BINARY_PACKED")),
        "levels": lambda: cc.decode_validity(cc.encode_validity(column.validity, count), count).validity,
        "choose": lambda: cc.choose(column).encoding.name,
        "equal": lambda: column == cc.column(values),
        "slices": lambda: (column[count // 3 :], column[::-3]),
        "frame": partial(cc.encode_frame, frame, "PLAIN"),
    }
    many = cc.column(texts(large))
    for encoding in ENCODINGS:
        page = cc.encode(column, encoding, **LARGE)
        pages = cc.encode_pages(column, encoding, rows_per_page=999, **LARGE)
        found |= {
            f"encode {encoding}": partial(cc.encode, column, encoding, **LARGE),
            f"decode {encoding}": partial(cc.decode, page),
            f"write {encoding}": partial(written, column, encoding),
            f"read {encoding}": partial(read, page),
            f"encode pages {encoding}": partial(
                cc.encode_pages, column, encoding, rows_per_page=count // 3 + 1, threads=2, **LARGE
            ),
            f"decode pages {encoding}": partial(cc.decode_pages, pages, threads=2),
            f"encode many {encoding}": partial(cc.encode, many, encoding, **LARGE),
            f"decode many {encoding}": partial(cc.decode, cc.encode(many, encoding, **LARGE)),
        }
    for encoding in FIXED_LENGTH_ENCODINGS:
        page = cc.encode(fixed, encoding, type_length=16, **LARGE)
        found |= {
            f"encode 16 {encoding}": partial(cc.encode, fixed, encoding, type_length=16, **LARGE),
            f"decode 16 {encoding}": partial(cc.decode, page),
        }
    found["decode indices"] = partial(cc.decode_indices, cc.encode(column, "RLE_DICTIONARY", **LARGE))
    for name, form in forms(values, present).items():
        found[f"from {name}"] = partial(cc.column, form)
    return found | {
        "to list": column.to_pylist,
        "to O": partial(column.to_numpy, "O"),
        "to T": partial(column.to_numpy, "T"),
        "to U": partial(column.to_numpy, "U", fill=""),
        "to S": partial(cc.StringColumn(column.offsets, column.data, utf8=False).to_numpy, "S"),
        "to Arrow": column.to_arrow,
        "to pandas": column.to_pandas,
        "to polars": column.to_polars,
    }


def forms(values, present):
    """Give values in all the forms that become a column."""
    encoded = [None if value is None else value.encode() for value in values]
    return {
        "text": values,
        "bytes": encoded,
        "O": np.array(values, object),
        "T": np.array(values, np.dtypes.StringDType(na_object=None)),
        "U": np.array(present, "U"),
        "S": np.array([value.encode() for value in present], "S"),
        "string": pa.array(values, pa.string()),
        "large_string": pa.array(values, pa.large_string()),
        "binary": pa.array(encoded, pa.binary()),
        "string_view": pa.array(values, pa.string_view()),
        "dictionary": pa.array(values, pa.string()).dictionary_encode(),
        "chunks": pa.chunked_array([values, values], pa.string()),
        "pandas": pd.Series(values, dtype="string"),
        "category": pd.Series(values, dtype="category"),
        "polars": pl.Series(values, dtype=pl.String),
    }


def written(column, encoding):
    """Write a page in batches."""
    writer = cc.PageWriter(encoding, **LARGE)
    for start in range(0, len(column), len(column) // 7 + 1):
        writer.write(column[start : start + len(column) // 7 + 1])
    return writer.finish()


def read(page):
    """Read a page in batches."""
    reader = cc.PageReader(page)
    return [reader.read(page.num_values // 5 + 1) for _ in range(6)]


class Crowd:
    """Threads that begin together and go on until the time is over, or one of them fails."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.is_over = threading.Event()

    def run(self, jobs):
        """Run each job, a function of this crowd, in a thread of its own; give what they return."""
        barrier = threading.Barrier(len(jobs) + 1)

        def work(job):
            barrier.wait()
            try:
                return job(self)
            except BaseException:
                self.is_over.set()
                raise

        faulthandler.dump_traceback_later(self.seconds + PATIENCE, exit=True)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)  # threads take turns as often as they can
        try:
            with ThreadPoolExecutor(len(jobs)) as pool:
                futures = [pool.submit(work, job) for job in jobs]
                barrier.wait()
                self.is_over.wait(self.seconds)
                self.is_over.set()
                return [future.result() for future in futures]
        finally:
            sys.setswitchinterval(interval)
            faulthandler.cancel_dump_traceback_later()


def call_all(names, call):
    """Give a job that calls everything in turn, in an order of its own, and counts."""

    def job(crowd):
        counts = Counter()
        for name in takewhile(lambda _: not crowd.is_over.is_set(), cycle(names)):
            counts[call(name)] += 1
        return counts

    return job


def shuffled(found, seed):
    """Give the names of calls in another order for each seed."""
    return Random(seed).sample(sorted(found), len(found))


def compare(found, seconds):
    """Call everything from all threads at once, and hold the results against those of one; count the calls."""
    expected = {name: told(call()) for name, call in found.items()}

    def call(name):
        assert told(found[name]()) == expected[name], name
        return name

    def release(crowd):
        released = 0
        while not crowd.is_over.is_set():
            _arrays.release()
            released += 1
            time.sleep(0.001)
        return Counter({"memory given back": released})

    counts = Crowd(seconds).run([*(call_all(shuffled(found, seed), call) for seed in range(THREADS)), release])
    assert not _arrays._lock.locked()
    return counts


class Restless:
    """Arrays that one thread goes on writing to while others read them."""

    def __init__(self):
        self.arrays = []

    def __call__(self, array, wrong=None):
        """Give a copy of an array that will be written to: what is drawn here, or of `wrong` values."""
        array = np.array(array)
        self.arrays.append((array, array.copy(), wrong))
        return array

    def write(self, crowd):
        """Put something wrong somewhere, again and again, and take it back."""
        written, random = 0, Random(threading.get_ident())
        while not crowd.is_over.is_set():
            for array, good, wrong in random.sample(self.arrays, len(self.arrays)):
                start = random.randrange(array.size)
                part = array[start : start + random.randint(1, 300)]
                if wrong is None:
                    part.view(np.uint8)[:] = np.frombuffer(random.randbytes(part.nbytes), np.uint8)
                else:
                    part[:] = random.choice(wrong)
                time.sleep(0)
                array[:] = good
                written += 1
        return Counter({"writes": written})


def restless_calls(count, restless):
    """Give what is called, by name, with inputs that change meanwhile."""
    values = cc.column(texts(count))
    present = cc.column([value or "" for value in values])
    wild = (-1, 2**40, 2**62, -(2**63), 2**31)
    offsets, data = restless(present.offsets, wild), restless(present.data)
    validity = restless(values.validity)
    lengths, indices = restless(np.diff(present.offsets), wild), restless(np.arange(count), wild)
    column = cc.StringColumn(present.offsets, data, values.validity)
    binary = cc.StringColumn(present.offsets, data, utf8=False)
    found = {
        "StringColumn": lambda: cc.StringColumn(offsets, data, validity).validate(),
        "DictionaryColumn": lambda: cc.column(cc.DictionaryColumn(indices, present)),
        "to list": binary.to_pylist,
        "to text": column.to_pylist,
        "to O": partial(column.to_numpy, "O"),
        "to T": partial(column.to_numpy, "T"),
        "to U": partial(column.to_numpy, "U", fill=""),
        "to S": partial(binary.to_numpy, "S"),
        "to Arrow": column.__arrow_c_array__,
        "choose": partial(cc.choose, binary),
        "equal": lambda: column == values,
    }
    for encoding in ENCODINGS:
        found |= {
            f"encode {encoding}": partial(cc.encode, column, encoding, **LARGE),
            f"encode slices {encoding}": partial(slices, encoding, data, offsets[:-1], lengths),
            f"new {encoding}": lambda encoding=encoding: cc.encode(
                cc.StringColumn(offsets, data, validity), encoding, **LARGE
            ),
        }
        found |= decodes(encoding, cc.encode(values, encoding, **LARGE), restless)
    fixed = np.array([f"{i * 2**40:016x}".encode() for i in range(count)], "S16")
    for encoding in FIXED_LENGTH_ENCODINGS:
        slots = restless(fixed.view(np.uint8)).view("S16")
        found[f"encode 16 {encoding}"] = partial(cc.encode, slots, encoding, type_length=16, **LARGE)
        found |= decodes(f"{encoding}", cc.encode(fixed, encoding, type_length=16, **LARGE), restless)
    integers = restless(np.arange(count) % 1000, wild)
    found["encode integers"] = partial(cc.encode, integers, "DELTA_BINARY_PACKED")
    found |= decodes("integers", cc.encode(np.arange(count) % 1000, "DELTA_BINARY_PACKED"), restless)
    levels = restless(cc.encode_validity(values.validity, count))
    found["decode levels"] = partial(cc.decode_validity, levels, count)
    for kind, wrong in (("S", None), ("U", None), ("O", ["x" * 99, 7, None]), ("T", ["x" * 99, ""])):
        form = restless(present.to_numpy(kind), wrong)
        found[f"from {kind}"] = partial(cc.column, form)
    return found


def slices(encoding, data, starts, lengths):
    """Write slices of bytes."""
    writer = cc.PageWriter(encoding, **LARGE)
    writer.write_slices(data, starts, lengths)
    return writer.finish()


def decodes(name, page, restless):
    """Give all that decodes a page."""
    known = {"encoding": page.encoding, "num_values": page.num_values, "dtype": page.dtype}
    known |= {"type_length": page.type_length, "validity": page.validity}
    if page.dictionary is not None:
        known["dictionary"] = restless(page.dictionary.data)
    restless_page = cc.EncodedPage(data=restless(page.data), **known)
    more = {} if page.holds_integers else {"decode pages": partial(cc.decode_pages, [restless_page] * 2, threads=1)}
    found = more | {"decode": partial(cc.decode, restless_page), "read": partial(read, restless_page)}
    return {f"{how} {name} {page.type_length or ''}": call for how, call in found.items()}


def disturb(found, restless, seconds):
    """Call everything while its inputs change: what is not refused may have any values."""

    def call(name):
        try:
            found[name]()
        except cc.ColcodecError:
            return f"{name}, refused"
        return name

    jobs = [call_all(shuffled(found, seed), call) for seed in range(THREADS - 2)]
    return Crowd(seconds).run([*jobs, restless.write, restless.write])


def report(title, counts, seconds):
    """Print how often everything was called."""
    *of_threads, _ = counts
    total = sum(counts, Counter())
    print(f"{title}: {sum(part.total() for part in of_threads):,} calls in {seconds:.0f} s")  # noqa: T201
    for name, count in sorted(total.items()):
        print(f"    {name:50}{count:10,}")  # noqa: T201


def main():
    """Run both parts."""
    parser = argparse.ArgumentParser(prog="python -m tests.threads", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long, for each part")
    parser.add_argument("--count", type=int, default=10_000, help="values of most columns")
    parser.add_argument("--large", type=int, default=200_000, help="values of columns whose memory is kept")
    args = parser.parse_args()
    report("shared", compare(calls(args.count, args.large), args.seconds), args.seconds)
    if not conftest.JIT:  # plain Python does one thing after another
        return
    restless = Restless()
    found = restless_calls(args.count, restless)
    report("changed meanwhile", disturb(found, restless, args.seconds), args.seconds)


if __name__ == "__main__":
    main()
