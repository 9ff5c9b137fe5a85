"""A short round of threads that share columns, and of inputs that change during calls; writers and readers shared."""

import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import conftest
import numpy as np
import pytest
import threads

import colcodec as cc

COUNT = 20_000 if conftest.JIT else 400
BATCH = 97


def test_a_round():
    """In a process of its own: what goes wrong may end it."""
    sizes = ["--count", "3000", "--large", "100000"] if conftest.JIT else ["--count", "20", "--large", "30"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.threads", "--seconds", "4", *sizes],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" calls in 4 s") == (2 if conftest.JIT else 1)


@pytest.fixture
def pool():
    """Give threads that take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    with ThreadPoolExecutor(threads.THREADS) as pool:
        yield pool
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("encoding", threads.ENCODINGS)
def test_a_writer_and_a_reader_of_many_threads(pool, encoding):
    """Batches come in any order, each whole; and each value is read once."""
    values = threads.texts(COUNT)
    column = cc.column(values)
    writer = cc.PageWriter(encoding, **threads.LARGE)
    starts = range(0, COUNT, BATCH)
    assert all(size > 0 for size in pool.map(lambda i: (writer.write(column[i : i + BATCH]), writer.size)[1], starts))
    page = writer.finish()
    written = cc.decode(page).to_pylist()
    reader = cc.PageReader(page)
    parts = [*pool.map(lambda i: reader.skip(1) and reader.read(BATCH).to_pylist(), range(len(starts) + 1))]
    assert reader.position == COUNT
    read = Counter(value for part in parts if part for value in part)
    assert read <= Counter(written) == Counter(values)
    assert read.total() >= COUNT - len(parts)


def test_a_writer_of_slices_and_integers_of_many_threads(pool):
    values = np.arange(COUNT)
    writer = cc.PageWriter("DELTA_BINARY_PACKED")
    batches = [values[i : i + BATCH] for i in range(0, COUNT, BATCH)]
    assert [*pool.map(writer.write, batches)] == [None] * len(batches)
    assert sorted(cc.decode(writer.finish()).tolist()) == values.tolist()
    writer = cc.PageWriter("PLAIN")
    data = values.astype("S8").view(np.uint8)
    assert {*pool.map(lambda part: writer.write_slices(data, 8 * part, np.full(part.size, 8)), batches)} == {None}
    assert Counter(cc.decode(writer.finish()).to_pylist()) == Counter(f"{i}".ljust(8, "\0").encode() for i in values)
