"""No byte outside of an array is read or written, and no input written to: every kernel beside guarded pages."""

import guard
import guarded_calls
import guarded_faults
import guarded_kernels
import pytest

from colcodec._kernels._jit import CHECKED

pytestmark = pytest.mark.skipif(guard.why_not() is not None, reason=str(guard.why_not()))


def check(names):
    report = guard.run(names)
    assert not report.findings, "\n".join(map(str, report.findings))
    assert report.cases == guard.ROUND * len(names)


def test_no_kernel_is_missing():
    """Each has cases, unless it takes nothing but numbers."""
    kernels = guarded_kernels.kernels()
    with_arrays = kernels.keys() - guarded_kernels.TOUCH_NOTHING
    assert with_arrays == guarded_kernels.CASES.keys()
    assert kernels.keys() > guarded_kernels.TOUCH_NOTHING


def test_kernels():
    """Lengths 0 to 200, flush with the end of a page and with the beginning."""
    check(list(guarded_kernels.CASES))


def test_public_functions():
    """The same of all arrays that are given, that come back, and that are made in between."""
    check(list(guarded_calls.CALLS))


# --- The harness itself ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", guarded_faults.BY_ONE_BYTE, ids=lambda function: function.__name__)
def test_one_byte_is_seen(function):
    """Which kernel it was is told, and with which numbers; what can be run is run."""
    bad, good = f"faults.{function.__name__}", "faults.nothing_wrong"
    report = guard.run([good, bad], seed=5, first=7, cases=3)
    (finding,) = report.findings
    assert (finding.name, finding.seed, finding.number) == (bad, 5, 7)
    is_checked = CHECKED and function is guarded_faults.wide_write  # before it is done
    assert finding.how in (("an exception",) if is_checked else ("SIGSEGV", "SIGBUS"))
    assert f"--only {bad} --seed 5 --first 7 --cases 1" in str(finding)
    assert report.cases == 1 + 3  # up to the fault, and without what was at fault


def test_exceptions_are_findings():
    """Those that no function should raise, with what Python says of them."""
    (finding,) = guard.run(["faults.an_error"]).findings
    assert finding.how == "an exception"
    assert "ValueError: no ColcodecError" in finding.output


def test_cases_follow_from_their_numbers():
    """The same bytes each time, and others for another seed."""
    from guarded_cases import LENGTHS, SHIFTS, Case
    from guarded_memory import GuardedMemory

    memory = GuardedMemory()
    assert Case(memory, "a", 0, 5).bytes(40) == Case(memory, "a", 0, 5).bytes(40)
    drawn = {Case(memory, name, seed, 5).random.randbytes(40) for name in "ab" for seed in (0, 1)}
    assert len(drawn) == 4
    numbers = range(2 * LENGTHS * SHIFTS)
    placed = set()
    for number in numbers:
        case = Case(memory, "a", 0, number)
        placed.add((case.length, case.shift, memory.at_end))
    assert len(placed) == len(numbers)
