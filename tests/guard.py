"""Every kernel and public function with its arrays beside pages that nobody may touch: `python tests/guard.py`.

A read or a write one byte outside of an array, or a write to an input, ends the process that runs the cases. It says
beforehand what it is about to run, so that the one that started it can tell, and goes on without that.
"""

import argparse
import faulthandler
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path

import conftest  # for the compile cache of the tests, before anything imports Numba
import guarded_memory

ROUND = 402
"""Cases in which each kernel has arrays of 0 to 200 elements, at the end of a page and at the beginning."""

NOTE_SIZE = 256
PATIENCE = 900  # seconds that a process may take beyond what it was given: if need be, it compiles all kernels

WHY_NOT = (
    ("plain Python touches nothing outside of an array", not conftest.JIT),
    ("pages are guarded with Linux's mmap and mprotect", not guarded_memory.IS_SUPPORTED),
)


@dataclass(frozen=True)
class Finding:
    """What was being run when a process ended that should not have, and how it ended."""

    name: str
    seed: int
    number: int
    how: str
    output: str

    def __str__(self) -> str:
        again = f"python tests/guard.py --only {self.name} --seed {self.seed} --first {self.number} --cases 1"
        return f"{self.name}, seed {self.seed}, case {self.number}: {self.how}; again: {again}\n{self.output}"


@dataclass
class Report:
    """How many cases were run, of how many kernels and functions, and what was found."""

    names: list[str]
    cases: int = 0
    findings: list[Finding] = field(default_factory=list)


def why_not() -> str | None:
    """Say why nothing can be run here, if so."""
    return next((reason for reason, holds in WHY_NOT if holds), None)


def everything() -> list[str]:
    """Name every kernel and public function that has cases."""
    import guarded_calls
    import guarded_kernels

    return [*guarded_kernels.CASES, *guarded_calls.CALLS]


# --- The process that runs the cases ---------------------------------------------------------------------------------


def find_runs():
    """Give what runs a case, by name: of kernels, of public functions, and of faults made on purpose."""
    import guarded_calls
    import guarded_faults
    import guarded_kernels

    def of_kernel(kernel, arguments):
        def run(case):
            result = kernel(*arguments(case))
            if case.after is not None:
                case.after(result)

        return run

    kernels = guarded_kernels.kernels()
    runs = {name: of_kernel(kernels[name], arguments) for name, arguments in guarded_kernels.CASES.items()}
    return runs | guarded_calls.CALLS | guarded_faults.FAULTS


def run_cases(names, seed, first, last, seconds, note):
    """Run cases of each of the names in turn, and note each of them beforehand; faults are not caught here."""
    from guarded_cases import Case

    memory, runs, cases = guarded_memory.GuardedMemory(), find_runs(), 0
    end = None
    for number in range(first, last):
        for name in names:
            note[:] = f"{cases} {number} {name}".encode().ljust(NOTE_SIZE)
            runs[name](Case(memory, name, seed, number))
            cases += 1
        if end is None:
            end = time.monotonic() + seconds  # from here on: what was to be compiled has been
        if time.monotonic() > end:
            break
    note[:] = f"{cases}".encode().ljust(NOTE_SIZE)


def child(arguments):
    """Do what the parent says, and leave without tidying up: arrays are still in memory that will be gone."""
    import guarded_calls

    faulthandler.enable()
    guarded_calls.make_tight()
    names = arguments.only or everything()
    code = 1
    with arguments.note.open("r+b") as file:
        try:
            note = mmap.mmap(file.fileno(), 0)
            run_cases(names, arguments.seed, arguments.first, arguments.last, arguments.seconds, note)
            code = 0
        except Exception:
            traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


# --- The process that starts it --------------------------------------------------------------------------------------


def run(names, *, seed=0, first=0, cases=ROUND, seconds=float("inf")) -> Report:
    """Run cases of kernels and functions, up to so many of each or for so long, in processes that may die of them."""
    report, left = Report(list(names)), list(names)
    last, end = first + cases, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "note"
        while left and first < last:
            note.write_bytes(b"".ljust(NOTE_SIZE))
            seconds = max(end - time.monotonic(), 0)
            done, how, output = _start(left, seed, first, last, seconds, note)
            found = done.split(" ")
            report.cases += int(found[0] or 0)
            if how is None:
                break
            if len(found) < 3:
                raise RuntimeError(f"the process ended before the first case: {how}\n{output}")
            first = int(found[1])
            report.findings.append(Finding(found[2], seed, first, how, output))
            left.remove(found[2])
    return report


def _start(names, seed, first, last, seconds, note):
    """Start a process and wait for it; give its last note, how it ended if not well, and the end of what it said."""
    command = [
        sys.executable,
        "-W",
        "error",
        __file__,
        "--note",
        note,
        "--seed",
        seed,
        "--first",
        first,
        "--last",
        last,
    ]
    command += ["--seconds", seconds, "--only", *names]
    patience = PATIENCE if seconds == float("inf") else seconds + PATIENCE
    # Python's own allocator then looks at what lies around objects, whose memory is not ours to guard.
    environment = os.environ | {"PYTHONMALLOC": "debug"}
    try:
        done = subprocess.run(
            [*map(str, command)], env=environment, capture_output=True, text=True, timeout=patience, check=False
        )
        how, output = _ending(done.returncode), done.stdout + done.stderr
    except subprocess.TimeoutExpired as error:
        how, output = f"no end within {error.timeout:.0f} seconds", ""
    return note.read_bytes().decode().rstrip(" \0"), how, output[-3000:]


def _ending(code):
    if code == 0:
        return None
    return signal.Signals(-code).name if code < 0 else "an exception"


def main() -> int:
    """Run for some seconds, and tell what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long; without it, --cases of each")
    parser.add_argument("--seed", type=int, default=0, help="what all numbers that are drawn follow from")
    parser.add_argument("--only", nargs="*", help="kernels and functions, as module.name; all without it")
    parser.add_argument("--first", type=int, default=0, help="the case to begin with")
    parser.add_argument("--cases", type=int, help=f"cases of each; {ROUND} without it, or as many as there is time for")
    parser.add_argument("--note", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--last", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.note is not None:
        child(arguments)
    if reason := why_not():
        parser.error(reason)
    cases = arguments.cases or (ROUND if arguments.seconds == float("inf") else sys.maxsize)
    names = arguments.only or everything()
    given = {"seed": arguments.seed, "first": arguments.first, "cases": cases, "seconds": arguments.seconds}
    report = run(names, **given)
    for finding in report.findings:
        sys.stdout.write(f"{finding}\n")
    found = len(report.findings)
    sys.stdout.write(f"{report.cases} cases of {len(names)} kernels and functions: {found} of these at fault\n")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
