"""Runs cases: ours, memcpy and every peer in turn, each case a row."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

from .cases import Case, memcpy
from .measure import Contender, interleave, ratio
from .peers import MissingError, Peer

OURS = "colcodec"


@dataclass(frozen=True)
class Protocol:
    """How each case is measured.

    Parameters
    ----------
    rounds : int
        Number of rounds; each runs every contender once.
    seconds : float
        Time of a contender in a round.
    """

    rounds: int = 5
    seconds: float = 0.1


@dataclass(frozen=True)
class Row:
    """The times of a case.

    Parameters
    ----------
    case : Case
        What was measured.
    times : mapping
        For each contender the median time of a run in ns, round by round.
    """

    case: Case
    times: Mapping[str, Sequence[float]]

    def ns_per_value(self, name: str) -> float:
        """Give the time of a contender by the number of values, nulls included: the median of the rounds."""
        return median(self.times[name]) / max(1, self.case.subject.num_values)

    def gb_per_s(self, name: str) -> float:
        """Give decoded bytes by time, in 1e9 bytes a second."""
        return self.case.subject.data.size / median(self.times[name])

    def ratio(self, name: str) -> float:
        """Give the time of a contender by ours, above 1 where colcodec is faster: the median of the rounds' ratios."""
        return ratio(self.times[name], self.times[OURS])


def prepare(peers: Sequence[Peer]) -> tuple[dict[str, str], dict[str, str]]:
    """Make peers ready.

    Parameters
    ----------
    peers : sequence of Peer
        Those that are wanted.

    Returns
    -------
    versions : dict
        The version of each that can run, by name.
    missing : dict
        Why each of the others cannot, by name.
    """
    versions, missing = {}, {}
    for peer in peers:
        try:
            versions[peer.name] = peer.prepare()
        except MissingError as error:
            missing[peer.name] = str(error)
    return versions, missing


def run(case: Case, peers: Sequence[Peer], protocol: Protocol, more: Mapping[str, Contender] | None = None) -> Row:
    """Check that all results of a case are equal, and measure it.

    Parameters
    ----------
    case : Case
        What to measure.
    peers : sequence of Peer
        Peers that are ready.
    protocol : Protocol
        How long.
    more : mapping, optional
        Further contenders.

    Returns
    -------
    Row
        The times.
    """
    column = case.subject.column
    print(f"{column.name} {case.subject.encoding} {case.operation}", file=sys.stderr)
    case.subject.page  # noqa: B018 (ours is checked first)
    with ExitStack() as stack:
        contenders = {OURS: case.ours(), **(more or {}), **memcpy(case)}
        for peer in peers:
            contenders |= peer.contenders(case, stack)
        return Row(case, interleave(contenders, protocol.rounds, protocol.seconds))
