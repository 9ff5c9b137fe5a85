"""Speed, beside others or for itself.

``python -m bench`` gives the main table, ``python -m bench seeds`` the two that the project started from,
``python -m bench scale`` what number of values, memory and threads do to a call, ``python -m bench convert`` the ways
in and out of NumPy, Arrow and dataframes, ``python -m bench parquet`` reading a column of a file,
``python -m bench numcodecs`` the codecs for numcodecs and zarr, ``python -m bench dataset`` files encoded anew by one
worker of Dask and by more, ``python -m bench sizes`` how many bytes each encoding takes, and ``python -m bench
pictures`` draws size against speed.
"""

import argparse
import importlib
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import colcodec as cc

from . import corpora, report, scale, sizes
from .cases import ENCODINGS, cases
from .peers import PEERS, Peer
from .seeds import Seed, seeds
from .suite import Protocol, Row, prepare, run

Table = tuple[str, tuple[str, ...], dict[tuple[str, ...], Row]]
"""Title, heads of the first cells, and rows by their first cells."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : list of str, optional
        The command line.

    Returns
    -------
    int
        Exit code.
    """
    options = _parse(arguments)
    if options.list:
        for name, (_, what) in corpora.COLUMNS.items():
            print(f"{name:26} {what}")
        return 0
    about = report.machine()
    print(f"compiling took {cc.warmup():.1f} s", file=sys.stderr)
    if options.what in ("scale", "sizes"):
        print(f"{about['processor']}, {about['cores']} cores, load {about['load']}")
        for title, cells in {"scale": scale, "sizes": sizes}[options.what].tables(options.quick):
            report.show(title, cells, options.markdown)
        return 0
    protocol = Protocol(1, 0.02) if options.quick else Protocol(options.rounds, options.seconds)
    if options.what in ("convert", "parquet", "numcodecs", "dataset", "pictures"):
        print(f"{about['processor']}, {about['cores']} cores, load {about['load']}; {report.versions(about)}")
        module = importlib.import_module(f".{options.what}", __package__)  # needs libraries that nothing else here does
        for title, cells in module.tables(protocol, options.quick):
            report.show(title, cells, options.markdown)
        return 0
    versions, missing = prepare([PEERS[name] for name in options.peers])
    peers = [PEERS[name] for name in versions]
    print(f"{about['processor']}, {about['cores']} cores, load {about['load']}; {', '.join(versions.values())}")
    for name, reason in missing.items():
        print(f"missing: {name}: {reason}")

    rows: list[Row] = []
    tables = _seed_tables(options, peers, protocol) if options.what == "seeds" else _tables(options, peers, protocol)
    for title, first, lines in tables:
        report.show(title, report.table(lines, first), options.markdown)
        rows += lines.values()
        if options.json:  # after each table: a long run that is stopped has not been for nothing
            options.json.write_text(report.as_json(rows, about, protocol, versions, missing) + "\n")
    if options.plot:
        report.plot(rows, options.plot)
    return 0


def _tables(options: argparse.Namespace, peers: list[Peer], protocol: Protocol) -> Iterator[Table]:
    for name in options.columns or (corpora.QUICK if options.quick else corpora.DEFAULT):
        column = corpora.make(name)
        lines = {
            (case.subject.encoding, case.operation): run(case, peers, protocol)
            for case in cases(column, options.encodings)
        }
        size = column.data.size / max(1, len(column))
        title = f"{name}: {corpora.COLUMNS[name][1]}; {size:.1f} bytes a value, {column.null_count} nulls"
        yield title, ("encoding", "operation"), lines


def _seed_tables(options: argparse.Namespace, peers: list[Peer], protocol: Protocol) -> Iterator[Table]:
    def table_of(seed: Seed) -> str:
        return seed.table

    for table, group in groupby(seeds(options.quick), table_of):
        lines = {(seed.name,): run(seed.case, peers, protocol, {"before": seed.before}) for seed in group}
        yield table, ("benchmark",), lines


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    known = ["table", "seeds", "scale", "convert", "parquet", "numcodecs", "dataset", "sizes", "pictures"]
    parser.add_argument("what", nargs="?", choices=known, default="table")
    parser.add_argument("--columns", type=_names(corpora.COLUMNS), help="names, or 'all'; --list tells them")
    parser.add_argument("--encodings", type=_names(ENCODINGS), default=ENCODINGS)
    parser.add_argument("--peers", type=_names(PEERS), default=tuple(PEERS), help="names, 'all' or 'none'")
    parser.add_argument("--rounds", type=int, default=Protocol.rounds)
    parser.add_argument("--seconds", type=float, default=Protocol.seconds, help="for each contender in each round")
    parser.add_argument("--quick", action="store_true", help="one short round, few columns: to see that it works")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw them (needs matplotlib)")
    parser.add_argument("--list", action="store_true", help="list the columns")
    return parser.parse_args(arguments)


def _names(known):  # noqa: ANN001, ANN202 (a type for argparse)
    def names(text: str) -> tuple[str, ...]:
        given = {"all": tuple(known), "none": ()}.get(text, tuple(text.split(",")))
        for name in given:
            if name not in known:
                raise argparse.ArgumentTypeError(f"no {name!r} in {', '.join(known)}")
        return given

    return names


if __name__ == "__main__":
    sys.exit(main())
