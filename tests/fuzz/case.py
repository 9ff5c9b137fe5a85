"""A case, what can be wrong with it, and the bounds of time and memory in which it is run."""

import json
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import battery
import conftest
import naive
import parquet_file

from colcodec import ColcodecError

MAX_SECONDS = 1.0 if conftest.JIT else 60.0  # of the processor; interpreted, every byte costs microseconds
OVERHEAD = 1 << 17  # bytes of Python objects that are made for any call, however small
VALUE_SIZE = 16  # bytes beside its data that a value may take: its offset and what is known before its data is read


class Wrong(AssertionError):  # noqa: N818 -- what is found, no error of the fuzzer
    """What must not be: its kind, one of "error", "disagreement", "slow" and "memory", and what was seen."""

    def __init__(self, kind: str, seen: str) -> None:
        super().__init__(f"{kind}: {seen}")
        self.kind, self.seen = kind, seen


@dataclass(frozen=True)
class Case:
    """Bytes for a target, and what that has to know beside them, in the terms of JSON."""

    target: str
    params: dict[str, Any]
    data: bytes

    @property
    def words(self) -> list[bytes]:
        """The values of its dictionary."""
        return [bytes.fromhex(word) for word in self.params["dictionary"]]

    @property
    def dictionary(self) -> parquet_file.Dictionary | None:
        """The page of its dictionary, if it has one."""
        if "dictionary" not in self.params:
            return None
        return parquet_file.Dictionary(len(self.words), naive.encode(self.words, "PLAIN", self.params["dtype"]))

    def dump(self) -> bytes:
        """Write it as one piece: a line of JSON, and the bytes."""
        return json.dumps([self.target, self.params]).encode() + b"\n" + self.data

    @classmethod
    def parse(cls, dumped: bytes) -> "Case":
        """Read what `dump` wrote; a ValueError if it is none."""
        head, _, data = dumped.partition(b"\n")
        target, params = json.loads(head)
        return cls(target, params, data)

    def save(self, path: Path, **told: Any) -> None:
        """Write the bytes to a file, and all else to one beside it with ``.json`` behind its name."""
        path.write_bytes(self.data)
        beside = {"target": self.target, **told, "params": self.params}
        path.with_name(path.name + ".json").write_text(json.dumps(beside, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> "Case":
        """Read what `save` wrote."""
        beside = json.loads(path.with_name(path.name + ".json").read_text())
        return cls(beside["target"], beside["params"], path.read_bytes())


def attempt(call, allowed):
    """Give what a call returns and None, or None and the error of the data; it may take `allowed` bytes of memory.

    What takes too much does it again before it is told of: the first call compiles and imports what it needs.
    """
    for is_last in (False, True):
        with battery.measured() as cost:
            result, error = outcome(call)
        if cost.seconds <= MAX_SECONDS and cost.memory <= allowed + OVERHEAD:
            break
        if is_last:
            kind = "memory" if cost.seconds <= MAX_SECONDS else "slow"
            raise Wrong(kind, f"{cost.seconds:.2f} s, {cost.memory} bytes, {allowed} allowed ({error})")
    return result, error


def outcome(call):
    """Give what a call returns and None, or None and the error of the data."""
    try:
        return call(), None
    except ColcodecError as refused:
        return None, refused
    except Exception as unexpected:
        seen = "".join(traceback.format_exception(unexpected))
        raise Wrong("memory" if isinstance(unexpected, MemoryError) else "error", seen) from None


def same(found, expected, what):
    """Require two results to be equal."""
    if found != expected:
        raise Wrong("disagreement", f"{what}: found {shown(found)}, expected {shown(expected)}")


def shown(value):
    """Show the beginning of a value."""
    text = repr(value)
    return text if len(text) <= 300 else text[:300] + " ..."
