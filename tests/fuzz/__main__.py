"""Fuzz colcodec, or run again what was found.

What is found becomes a file in a folder, with its target, seed, parameters and what was seen in a JSON beside it.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from . import TESTS
from .case import Case

PATIENCE = 120  # seconds without a new case: kernels may have to be compiled for one


def parse_arguments():
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long")
    parser.add_argument("--target", action="append", help="what; several times for several; all by default")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the mutations")
    parser.add_argument("--out", type=Path, default=Path(".fuzz"), help="a folder for what is found")
    parser.add_argument("--engine", choices=("plain", "atheris"), default="plain", help="atheris: led by branches")
    parser.add_argument("--peer", type=float, default=0.02, help="share of the pages that pyarrow is asked about")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run one case again")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def work(args):
    """Be the child process."""
    if args.engine == "atheris":
        import atheris

        with atheris.instrument_imports(include=["colcodec"]):
            from .targets import TARGETS
    else:
        from .targets import TARGETS
    from .worker import Worker, run_atheris, run_plain

    targets = {name: TARGETS[name] for name in args.target or TARGETS}
    run = run_atheris if args.engine == "atheris" else run_plain
    run(Worker(targets, args.seed, args.worker, args.peer), args.seconds)


def fuzz(args):
    """Run children until the time is over; a new one after each that died."""
    args.out.mkdir(parents=True, exist_ok=True)
    known, total = set(args.out.glob("*.json")), {"executions": Counter(), "accepted": Counter(), "peer": Counter()}
    start, number = time.monotonic(), 0
    while (left := args.seconds - (time.monotonic() - start)) > min(1, args.seconds / 2):
        seed = args.seed + 1000 * number
        folder = (args.out / f"worker-{os.getpid()}-{number}").absolute()
        folder.mkdir()
        watch(args, folder, seed, left)
        if (folder / "stats.json").exists():
            for name, counts in json.loads((folder / "stats.json").read_text()).items():
                total[name].update(counts)
        number += 1
    return report(total, sorted(set(args.out.glob("*.json")) - known), time.monotonic() - start)


def watch(args, folder, seed, seconds):
    """Run a child, and save what it ran last if it dies or stands still."""
    command = [sys.executable, "-m", "tests.fuzz", "--worker", str(folder), "--seed", str(seed)]
    command += ["--seconds", str(seconds), "--engine", args.engine, "--peer", str(args.peer)]
    command += [part for name in args.target or [] for part in ("--target", name)]
    environment = os.environ | ({"NUMBA_DISABLE_JIT": "1"} if args.engine == "atheris" else {})
    log, current = folder / "log", folder / "current"
    with log.open("wb") as output:
        child = subprocess.Popen(command, cwd=TESTS.parent, stdout=output, stderr=output, env=environment)
        while child.poll() is None:
            time.sleep(0.1)
            if current.exists() and current.stat().st_size and time.time() - current.stat().st_mtime > PATIENCE:
                child.kill()
                child.wait()
    if child.returncode != 0:
        dumped = current.read_bytes() if current.exists() else b""
        if not dumped:
            raise RuntimeError(log.read_text())
        case = Case.parse(dumped[8 : 8 + int.from_bytes(dumped[:8], "little")])
        seen = f"the process ended with {child.returncode}: {log.read_text()[-2000:]}"
        case.save(args.out / f"{case.target}-crash-{seed}", seed=seed, kind="crash", seen=seen)


def report(total, found, seconds):
    """Print what was run and found: whether anything is wrong."""
    executions, accepted = total["executions"], total["accepted"]
    print(f"{'target':26}{'executions':>12}{'accepted':>12}{'findings':>10}")  # noqa: T201
    told = [(path, json.loads(path.read_text())) for path in found]
    wrong = [(path, beside) for path, beside in told if not beside["kind"].startswith("peer")]
    findings = Counter(beside["target"] for _, beside in wrong)
    for name in executions:
        print(f"{name:26}{executions[name]:12,}{accepted[name]:12,}{findings[name]:10}")  # noqa: T201
    print(f"{'in all':26}{sum(executions.values()):12,}{sum(accepted.values()):12,}{len(wrong):10}  in {seconds:.0f} s")  # noqa: T201
    print("pyarrow:", ", ".join(f"{count} {name}" for name, count in total["peer"].items()) or "not asked")  # noqa: T201
    for path, beside in wrong:
        print(f"{path.with_suffix('')}: {beside['kind']}: {beside['seen'][-300:]}")  # noqa: T201
    return 1 if wrong or not executions else 0


def replay(path):
    """Run a case again."""
    from random import Random

    from .peer import Peer
    from .targets import TARGETS

    case = Case.load(path)
    outcome = TARGETS[case.target].check(case, Peer(Random(0), 0, None))
    print(f"{case.target}: {outcome}")  # noqa: T201


if __name__ == "__main__":
    args = parse_arguments()
    if args.replay is not None:
        replay(args.replay)
    elif args.worker is not None:
        work(args)
    else:
        sys.exit(fuzz(args))
