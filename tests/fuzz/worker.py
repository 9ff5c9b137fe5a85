"""The child process: makes cases, runs them, and keeps what is wrong; what it runs is on disk before it does."""

import json
import re
import time
import warnings
from collections import Counter
from random import Random

import battery
import numpy as np

from .case import Case, Wrong
from .peer import Peer

POOL_SIZE = 64
MOST_MUTATIONS = 4
MEMORY = 6 << 30  # bytes of address space that a worker may take beyond what it begins with


class Worker:
    """Runs cases of some targets, and counts them."""

    def __init__(self, targets, seed, folder, peer_share):
        self.targets, self.seed, self.folder = targets, seed, folder
        self.executions, self.accepted, self.findings = Counter(), Counter(), set()
        self.current = (folder / "current").open("wb", buffering=0)
        self.peer = Peer(Random(f"{seed} peer"), peer_share, self.keep)

    def run(self, case):
        """Run one case: whether it was accepted."""
        dumped = case.dump()
        self.current.seek(0)
        self.current.write(len(dumped).to_bytes(8, "little") + dumped)
        self.executions[case.target] += 1
        outcome = "wrong"
        try:
            with np.errstate(over="ignore"), warnings.catch_warnings(action="error"):
                outcome = self.targets[case.target].check(case, self.peer)
        except Wrong as wrong:
            self.keep(case, wrong.kind, wrong.seen)
        except Exception as error:  # of the check itself, which expects what it calls to work
            self.keep(case, "error", f"{type(error).__name__}: {error}")
        self.accepted[case.target] += outcome == "accepted"
        return outcome == "accepted"

    def keep(self, case, kind, seen=""):
        """Save a case, once for each kind of fault."""
        last = seen.strip().splitlines()[-1] if seen.strip() else ""
        fault = (case.target, kind, re.sub(r"[\d\W]+", "", last)[:60])
        if fault not in self.findings and len(self.findings) < 200:
            self.findings.add(fault)
            name = f"{case.target}-{kind}-{self.seed}-{self.executions[case.target]}"
            case.save(self.folder.parent / name, seed=self.seed, kind=kind, seen=seen)

    def tell(self):
        """Write down how many cases there were, for the parent."""
        told = {"executions": self.executions, "accepted": self.accepted, "peer": self.peer.seen}
        path = self.folder / "stats.json.part"
        path.write_text(json.dumps(told))
        path.replace(self.folder / "stats.json")

    def close(self):
        """End."""
        self.tell()
        self.peer.close()


class Mutations:
    """The plain engine: a pool of cases of a target, mutated a few times; what is still accepted may join the pool."""

    def __init__(self, target, seed):
        self.target, self.rng = target, Random(f"{seed} {target.name}")
        self.pool = [target.seed(self.rng) for _ in range(POOL_SIZE)]

    def step(self, worker):
        """Make a case and run it."""
        rng, place = self.rng, self.rng.randrange(POOL_SIZE)
        if rng.random() < 0.1:
            self.pool[place] = self.target.seed(rng)
        case = self.pool[place]
        for _ in range(rng.randint(0, MOST_MUTATIONS)):
            case = self.target.mutate(rng, case, rng.choice(self.pool))
        if worker.run(case) and rng.random() < 0.05:
            self.pool[place] = case


def run_plain(worker, seconds):
    """Give each target its turns until the time is over."""
    engines = [Mutations(target, worker.seed) for target in worker.targets.values()]
    end = time.monotonic() + seconds
    with battery.limited_memory(MEMORY):
        while time.monotonic() < end:
            for engine in engines:
                turn = min(time.monotonic() + 0.2, end)
                while time.monotonic() < turn:
                    engine.step(worker)
            worker.tell()
    worker.close()


def run_atheris(worker, seconds):
    """Let libFuzzer choose what to mutate by the branches that it reaches; ends the process."""
    import atheris

    corpus = worker.folder / "corpus"
    corpus.mkdir()
    rng = Random(worker.seed)
    targets = list(worker.targets.values())
    for i in range(POOL_SIZE * len(targets)):
        (corpus / str(i)).write_bytes(targets[i % len(targets)].seed(rng).dump())
    recent = []

    def run(dumped):
        case = parsed(dumped)
        if case is not None:
            worker.run(case)
            if sum(worker.executions.values()) % 100 == 0:
                worker.tell()

    def parsed(dumped):
        try:
            case = Case.parse(dumped)
        except (ValueError, TypeError):
            return None
        return case if case.target in worker.targets else None

    def mutated(dumped, max_size, seed):
        chance = Random(seed)
        case = parsed(dumped) or chance.choice(targets).seed(chance)
        alike = [one for one in recent if one.target == case.target] or [case]
        for _ in range(chance.randint(1, MOST_MUTATIONS)):
            case = worker.targets[case.target].mutate(chance, case, chance.choice(alike))
        recent[:] = [*recent[-POOL_SIZE:], case]
        dumped = case.dump()
        return dumped if len(dumped) <= max_size else case.dump()[:max_size]

    bounds = [f"-max_total_time={seconds:.0f}", "-rss_limit_mb=0", "-timeout=120", "-max_len=100000"]
    atheris.Setup(["fuzz", *bounds, f"-seed={worker.seed + 1}", str(corpus)], run, custom_mutator=mutated)
    atheris.Fuzz()
