"""Arrow C++ as a third opinion, in a process of its own: what it does to itself is no finding of ours."""

import json
import select
import subprocess
import sys
from collections import Counter

import parquet_file

from . import TESTS

SECONDS = 10  # that an answer may take


class Peer:
    """A process that reads files of one page; `seen` counts what came of it.

    Where colcodec agrees with `naive` and not with it, that is its matter: counted, and kept by `note`.
    """

    def __init__(self, rng, share, note):
        self.rng, self.share, self.note = rng, share, note
        self.seen = Counter()
        self.process = None

    def page(self, case, encoding, values):
        """Hold a page, of which these are the values, None where it is refused, against what the peer finds."""
        params = case.params
        if self.rng.random() >= self.share or not 0 < params["count"] < 10_000:
            return
        file = parquet_file.file_of(case.data, encoding, params["dtype"], params["count"], None, case.dictionary)
        found = self.ask(file)
        if not isinstance(found, list):
            outcome = found
        elif values is None:
            outcome = "lenient"
        else:
            shown = [value.hex() if isinstance(value, bytes) else value for value in values]
            outcome = "equal" if found == shown else "differs"
        self.seen[outcome] += 1
        if outcome in ("differs", "died"):
            self.note(case, f"peer-{outcome}")

    def ask(self, file):
        """Give the values that it finds, or "refused" or "died"."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.peer"],
                cwd=TESTS.parent,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        try:
            self.process.stdin.write(len(file).to_bytes(4, "little") + file)
            self.process.stdin.flush()
            ready = select.select([self.process.stdout], [], [], SECONDS)[0]
            line = self.process.stdout.readline() if ready else b""
        except BrokenPipeError:
            line = b""
        if not line:
            self.close()
            return "died"
        return json.loads(line)

    def close(self):
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def answer():
    """Read files from the standard input, and write what is in each as a line."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    while head := sys.stdin.buffer.read(4):
        file = sys.stdin.buffer.read(int.from_bytes(head, "little"))
        try:
            values = pq.read_table(pa.BufferReader(file), use_threads=False)["c"].to_pylist()
            found = [value.hex() if isinstance(value, bytes) else value for value in values]
        except (pa.ArrowException, OSError, ValueError):
            found = "refused"
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    answer()
