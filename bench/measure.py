"""Contenders, and their measurement in turn: every round runs each of them once, so that all see the same weather."""

import gc
import json
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self


class UnequalError(Exception):
    """Two contenders made different things of the same column, so that there is nothing to compare."""


class Contender(Protocol):
    """Something that can be run for some time and tells how long one run takes."""

    def measure(self, seconds: float) -> float:
        """Give the median time of a run in ns; at least 3 runs."""
        ...


class Function:
    """A contender in this process.

    Parameters
    ----------
    run : callable
        What is timed, without arguments. Its result is let go within the time, as a caller would in the end.
    """

    MIN_RUNS = 3

    def __init__(self, run: Callable[[], object]) -> None:
        self.run = run

    def measure(self, seconds: float) -> float:
        """Give the median time of a run in ns."""
        clock, run = time.perf_counter_ns, self.run
        times: list[int] = []
        end = now = clock()
        end += int(seconds * 1e9)
        while now < end or len(times) < self.MIN_RUNS:
            start = clock()
            run()
            now = clock()
            times.append(now - start)
        return statistics.median(times)


class Process:
    """Another program on the same column: a request a line in, a JSON object a line out.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    """

    def __init__(self, command: Sequence[str | Path]) -> None:
        self.command = [str(word) for word in command]
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.communicate()  # closes its input, which ends it

    def ask(self, *words: object) -> dict[str, Any]:
        """Send a request and wait for the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        request = " ".join(map(str, words))
        try:
            print(request, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise RuntimeError(f"{self.command[0]} ended with {self.process.wait()} at the request {request!r}")
        return json.loads(answer)


class Remote:
    """A contender in another process.

    Parameters
    ----------
    process : Process
        The program.
    *case : str
        Operation, encoding and way, as the program names them.
    """

    def __init__(self, process: Process, *case: str) -> None:
        self.process, self.case = process, case

    def measure(self, seconds: float) -> float:
        """Give the median time of a run in ns."""
        return self.process.ask("time", *self.case, round(seconds * 1000))["ns"]


def interleave(contenders: Mapping[str, Contender], rounds: int, seconds: float) -> dict[str, list[float]]:
    """Measure contenders in turn, round after round.

    Parameters
    ----------
    contenders : mapping
        Contenders by name.
    rounds : int
        Number of rounds.
    seconds : float
        Time for each contender in each round.

    Returns
    -------
    dict
        For each contender the median time of a run in ns, round by round.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    gc.disable()  # as timeit does
    try:
        for contender in contenders.values():
            contender.measure(0)
        for _ in range(rounds):
            for name, contender in contenders.items():
                times[name].append(contender.measure(seconds))
    finally:
        gc.enable()
    return times


def ratio(times: Sequence[float], ours: Sequence[float]) -> float:
    """Give the median over the rounds of another's time by ours."""
    return statistics.median(other / own for other, own in zip(times, ours, strict=True))
