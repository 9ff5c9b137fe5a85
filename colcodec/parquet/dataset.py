"""Data sets: many Parquet files, whose string columns are encoded anew by several processes or machines.

A file is a task, or some row groups of a large one: what becomes of it takes its name once it is whole, so that a task
can be done again at any time.
"""

import inspect
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Final, TypedDict, Unpack

from .._checks import as_size
from .._spec import Encoding
from ..column_chunk import processors
from ..compare import Progress
from .chunk_recoder import RecodedColumn
from .dataset_files import AnyPath, make_folders, plan
from .jobs import Job, add_up, run
from .recode import RecodedFile, as_options, recode

PART_SIZE: Final = 1 << 30


class RecodeOptions(TypedDict, total=False):
    """What :func:`colcodec.parquet.recode` takes beside files."""

    columns: str | Iterable[str] | None
    encoding: Encoding | str
    compression: str
    readers: str | Iterable[str] | None
    check: bool
    dry_run: bool
    threads: int | None


@dataclass(frozen=True, slots=True, repr=False)
class RecodedDataset:
    """Files whose columns were encoded anew.

    Parameters
    ----------
    files : dict of str to RecodedFile
        What was done, by the URLs or absolute paths of the sources.
    failures : dict of str to str
        Why a file could not be recoded, likewise; its target is what it was before.
    seconds : float
        How long all of it took.
    """

    files: dict[str, RecodedFile]
    failures: dict[str, str]
    seconds: float

    @property
    def size_before(self) -> int:
        """Bytes of the files that were recoded."""
        return sum(file.size_before for file in self.files.values())

    @property
    def size_after(self) -> int:
        """Bytes of what they became."""
        return sum(file.size_after for file in self.files.values())

    @property
    def columns(self) -> tuple[RecodedColumn, ...]:
        """The columns that were chosen, each with the sums over all files."""
        parts: dict[str, list[tuple[str, RecodedColumn]]] = {}
        for source, file in self.files.items():
            for column in file.columns:
                parts.setdefault(column.name, []).append((source, column))
        return tuple(add_up(found, several=len(self.files) > 1) for found in parts.values())

    def __repr__(self) -> str:
        sizes = f"{self.size_before} bytes became {self.size_after}"
        return f"RecodedDataset({len(self.files)} files, {sizes}, {len(self.failures)} failed)"


def recode_dataset(
    source: AnyPath | Iterable[AnyPath],
    target: AnyPath | None = None,
    /,
    *,
    in_place: bool = False,
    client: Any = None,
    progress: Progress | None = None,
    part_size: int = PART_SIZE,
    **options: Unpack[RecodeOptions],
) -> RecodedDataset:
    """Encode string columns of many Parquet files anew, each as :func:`recode` does, several at a time.

    Each file is a task, or each part of a large one, which Dask gives to another worker where one dies. A file takes
    its name once it is whole and checked; what is killed leaves at most hidden files ".colcodec-....part" beside it.

    Parameters
    ----------
    source : str, path or iterable of these
        Folders, for all files in them that end in ".parquet", ".parq" or ".pq"; patterns, as "sales/year=*/*.parquet";
        or files. Of this machine, or URLs that fsspec knows. In folders and patterns, names that begin with a dot or an
        underscore are left out, as by those who read data sets, and so are folders, but for "_column=value".
    target : str or path
        The folder to write to, or its URL, neither that of `source` nor inside it. Files have the names there that they
        have in the folder of `source`, or in that where the pattern begins. Nothing else is written: a _SUCCESS would
        tell of others' work, and a _metadata would not fit. Not needed with `in_place` or `dry_run`.
    in_place : bool, optional
        Whether each file is replaced by what it becomes. Not where a _metadata or _delta_log knows places or sizes.
    client : Client or Executor, optional
        Who does it: a client of dask.distributed, whose workers must have the same files and URLs before them; or an
        executor of concurrent.futures. By default a cluster of Dask on this machine, with a worker for each processor,
        for which a script needs its ``if __name__ == "__main__":``.
    progress : callable, optional
        Called as ``progress(done, total, what is not done yet)`` with numbers of files.
    part_size : int, optional
        Bytes above which a file is recoded in several tasks, each of as many row groups as have that many bytes. What
        they make lies beside the target until it is joined, which a last task does.
    **options
        What :func:`recode` takes: `columns`, `encoding`, `compression`, `readers`, `check`, `dry_run` and `threads`,
        which is 1 here.

    Returns
    -------
    RecodedDataset
        What was done, and which files failed and why: none of them keeps the others from being recoded.

    Raises
    ------
    FileNotFoundError
        If a folder or a pattern has no files, or a file is not there.
    ImportError
        If `client` is not given, and Dask is not installed; or a package that a URL needs.
    OSError
        If a folder cannot be listed or made.
    TypeError, ValueError
        If an argument is not of its kind; if two files would have the same target, or one that is read would be
        replaced; if the workers have no part in the memory in which files are. Nothing has been done then.

    Examples
    --------
    >>> import colcodec as cc
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> for i in range(3):
    ...     words = [f"word {i}-{k:05}" for k in range(1000)]
    ...     cc.parquet.write_columns(f"memory://words/part={i}/0.parquet", {"word": words}, encodings="PLAIN")
    >>> with ThreadPoolExecutor(2) as executor:  # in place of Dask, whose processes do not see memory://
    ...     done = cc.parquet.recode_dataset("memory://words", "memory://smaller", client=executor)
    >>> done.columns[0].encodings_after, done.failures
    ({'DELTA_BYTE_ARRAY': 3}, {})
    """
    began = time.perf_counter()
    settled = _settle(options)
    part_size = as_size(part_size, "part_size")
    tasks = plan(source, target, in_place=in_place, dry_run=settled["dry_run"])
    if any(name.startswith("memory:") for task in tasks for name in task[:2] if name) and not _shares_memory(client):
        raise ValueError("what is in memory:// is known to this process alone, not to the workers")
    if not settled["dry_run"]:
        make_folders(tasks)
    jobs = [Job(task, settled, part_size) for task in tasks]
    count = min(sum(len(job.begin()) for job in jobs), processors())
    with open_client(workers=count) if client is None else nullcontext(client) as opened:
        results = dict(run(jobs, opened, progress))
    return RecodedDataset(
        {name: result for name, result in sorted(results.items()) if isinstance(result, RecodedFile)},
        {name: result for name, result in sorted(results.items()) if isinstance(result, str)},
        time.perf_counter() - began,
    )


@contextmanager
def open_client(scheduler: str | None = None, workers: int | None = None) -> Iterator[Any]:
    """Open a client of dask.distributed.

    Parameters
    ----------
    scheduler : str, optional
        The address of a scheduler. By default a cluster is started on this machine, and ended afterwards.
    workers : int, optional
        Number of processes of that cluster, each of one thread. By default one for each processor of this process.

    Yields
    ------
    Client
        The client.

    Raises
    ------
    ImportError
        If Dask is not installed.
    OSError
        If there is no scheduler at the address.
    """
    try:
        import distributed  # noqa: PLC0415 - an extra of its own, which takes a second to load
    except ModuleNotFoundError as missing:
        message = f'Dask needs {missing.name}: pip install "colcodec[dask]"'
        raise ModuleNotFoundError(message, name=missing.name) from None
    if scheduler is not None:
        with distributed.Client(scheduler) as client:
            yield client
        return
    count = processors() if workers is None else workers
    with (
        distributed.LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


# --- Tasks -----------------------------------------------------------------------------------------------------------


def _settle(options: RecodeOptions) -> dict[str, Any]:
    """Check options once for all files, and make them what can be sent to other processes."""
    given: dict[str, Any] = {"threads": 1, **options}
    for name in ("columns", "readers"):
        value = given.get(name)
        if value is not None and not isinstance(value, str):
            given[name] = tuple(value)
    bound = inspect.signature(recode).bind(b"", **given)
    bound.apply_defaults()
    settled = {name: bound.arguments[name] for name in RecodeOptions.__annotations__}
    as_options(*(settled[name] for name in ("encoding", "compression", "readers", "threads")))
    return settled


def _shares_memory(client: Any) -> bool:
    if isinstance(client, Executor):
        return not isinstance(client, ProcessPoolExecutor)
    return client is not None and str(client.scheduler.address).startswith("inproc:")
