"""A short round of the fuzzer, and what longer ones have found."""

import subprocess
import sys
import warnings
from pathlib import Path
from random import Random

import conftest
import numpy as np
import pytest

from . import TESTS, mutate
from .case import Case, Wrong, attempt
from .peer import Peer
from .targets import TARGETS

SECONDS = 20 if conftest.JIT else 8
REGRESSIONS = sorted(path for path in (Path(__file__).parent / "regressions").iterdir() if path.suffix != ".json")


def test_a_round(tmp_path):
    """Every target has its turns, and nothing is found."""
    for target in TARGETS.values():  # compiling, on a new machine, would take the turns of those that come last
        target.check(target.seed(Random(1)), Peer(Random(1), 0, None))
    options = ["--seconds", str(SECONDS), "--seed", "7", "--peer", "0", "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *options], cwd=TESTS.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = [line.split() for line in done.stdout.splitlines()]
    executed = {line[0]: int(line[1].replace(",", "")) for line in told if line and line[0] in TARGETS}
    assert executed.keys() == TARGETS.keys()
    assert all(count > 0 for count in executed.values())


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in REGRESSIONS])
def test_what_was_found(path):
    """Each case that was a finding once is none any more."""
    case = Case.load(path)
    TARGETS[case.target].check(case, Peer(Random(0), 0, None))


@pytest.mark.parametrize("name", TARGETS)
def test_seeds(name, tmp_path):
    """What a target begins with is legal or refused without a finding, and survives being saved."""
    rng = Random(name)
    with np.errstate(over="ignore"), warnings.catch_warnings(action="error"):
        outcomes = []
        for _ in range(5):
            case = TARGETS[name].seed(rng)
            case.save(tmp_path / "case", seed=0)
            assert Case.load(tmp_path / "case") == case == Case.parse(case.dump())
            outcomes.append(TARGETS[name].check(case, Peer(rng, 0, None)))
    assert "accepted" in outcomes


def test_fields_of_a_page():
    """The fields of a page of DELTA_BYTE_ARRAY are next to each other and leave out nothing."""
    case = TARGETS["delta_byte_array"].seed(Random(5))
    count = case.params["count"]
    fields = sorted(
        mutate.listed(mutate.page_fields(case.data, "DELTA_BYTE_ARRAY", "binary", count), len(case.data)),
        key=lambda field: field.start,  # a width comes with the miniblock that it is of
    )
    assert [field.start for field in fields] == [0, *(field.end for field in fields[:-1])]
    assert fields[-1].end == len(case.data)


def test_what_is_a_finding():
    """Too much memory, and errors that are none of the data, are told of."""
    with pytest.raises(Wrong, match="memory"):
        attempt(lambda: np.empty(1 << 20, np.uint8), 1000)
    with pytest.raises(Wrong, match="ZeroDivisionError"):
        attempt(lambda: 1 // 0, 0)
    assert attempt(lambda: 5, 0) == (5, None)
