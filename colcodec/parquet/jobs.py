"""Files that are recoded by workers: as one task each, or a large one in parts that are joined."""

import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import replace
from typing import Any, NamedTuple

from ..compare import Progress
from ..errors import ColcodecError
from .chunk_recoder import RecodedColumn
from .dataset_files import Task
from .parts import Part, join_parts, recode_part, remove, split
from .recode import RecodedFile, recode

Outcome = RecodedFile | str
"""What was done, or why it could not be."""


class Call(NamedTuple):
    """What a worker is to do.

    Parameters
    ----------
    function : callable
        What is called with `arguments`.
    arguments : tuple
        What can be sent to another process.
    source : str
        The file that it is about.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    source: str


class Job:
    """A file on its way.

    Parameters
    ----------
    task : Task
        The file.
    options : dict
        All that :func:`colcodec.parquet.recode` takes beside files.
    part_size : int
        Bytes above which it is divided.
    """

    def __init__(self, task: Task, options: dict[str, Any], part_size: int) -> None:
        self.task = task
        self.options = options
        self.parts = split(task, part_size)
        self.outcome: Outcome | None = None
        self._done: dict[Part, Outcome] = {}

    def begin(self) -> list[Call]:
        """Give what can be done at once.

        Returns
        -------
        list of Call
            At least one.
        """
        source = self.task.source
        if not self.parts:
            return [Call(recode_whole, (self.task, self.options), source)]
        return [Call(recode_part, (part, self.options), source) for part in self.parts]

    def go_on(self, call: Call, result: Any) -> list[Call]:
        """Take what came of a call; `outcome` is set with the last.

        Parameters
        ----------
        call : Call
            The call.
        result : RecodedFile, int or str
            What it returned, or why it could not be done.

        Returns
        -------
        list of Call
            What can be done now.
        """
        if call.function is join_parts:
            self.outcome = result if isinstance(result, str) else replace(self._sum(), size_after=result)
        elif not self.parts:
            self.outcome = result
        else:
            self._done[call.arguments[0]] = result
            if len(self._done) == len(self.parts):
                return self._join()
        return []

    def end(self) -> None:
        """Remove the parts."""
        remove(self.parts)

    def _join(self) -> list[Call]:
        reasons = [outcome for outcome in self._done.values() if isinstance(outcome, str)]
        if reasons:
            self.outcome = reasons[0]
        elif any(part.size_before != self.task.size for part in self._recoded()):
            self.outcome = "the file was changed meanwhile"
        elif self.task.target is None:
            self.outcome = self._sum()
        else:
            names = [part.target for part in self.parts]
            check = self.options["check"]
            return [Call(join_parts, (self.task.target, names, check), self.task.source)]
        return []

    def _recoded(self) -> list[RecodedFile]:
        """Give what the parts have become, in their order."""
        return [done for done in map(self._done.get, self.parts) if isinstance(done, RecodedFile)]

    def _sum(self) -> RecodedFile:
        parts = self._recoded()
        columns = zip(*(part.columns for part in parts), strict=True)
        return RecodedFile(
            self.task.size,
            sum(part.size_after for part in parts),
            sum(part.num_row_groups for part in parts),
            tuple(add_up([("", column) for column in same], several=False) for same in columns),
            sum(part.seconds for part in parts),
        )


def add_up(parts: Sequence[tuple[str, RecodedColumn]], *, several: bool) -> RecodedColumn:
    """Add up what became of a column.

    Parameters
    ----------
    parts : sequence of (str, RecodedColumn)
        Files, or parts of one, with what became of the column there.
    several : bool
        Whether notes are to name the files.

    Returns
    -------
    RecodedColumn
        The sums.
    """
    before, after = Counter[str](), Counter[str]()
    for _, column in parts:
        before.update(column.encodings_before)
        after.update(column.encodings_after)
    return RecodedColumn(
        parts[0][1].name,
        sum(column.size_before for _, column in parts),
        sum(column.size_after for _, column in parts),
        dict(before),
        dict(after),
        tuple(f"{source}, {note}" if several else note for source, column in parts for note in column.notes),
    )


def run(jobs: Sequence[Job], client: Any, progress: Progress | None) -> Iterator[tuple[str, Outcome]]:
    """Have all jobs done.

    Parameters
    ----------
    jobs : sequence of Job
        The files, each to be begun.
    client : Client or Executor
        Who does it.
    progress : callable or None
        Called as ``progress(done, total, what is not done yet)`` with numbers of files.

    Yields
    ------
    str
        A file that is done.
    RecodedFile or str
        What became of it.
    """
    workers = _Workers(client)
    left = list(jobs)
    try:
        for job in jobs:
            for call in job.begin():
                workers.submit(job, call)
        for job, call, result in workers.results(lambda source: _tell(progress, len(jobs) - len(left), jobs, source)):
            for then in job.go_on(call, result):
                workers.submit(job, then)
            if job.outcome is not None:
                left.remove(job)
                job.end()
                yield call.source, job.outcome
    finally:
        workers.cancel()
        for job in left:
            job.end()


def _tell(progress: Progress | None, done: int, jobs: Sequence[Job], source: str) -> None:
    if progress is not None:
        progress(done, len(jobs), posixpath.basename(source))


class _Workers:
    """What is being done, and who does it."""

    def __init__(self, client: Any) -> None:
        self._executor: Executor = client if isinstance(client, Executor) else client.get_executor(pure=False)
        self._running: dict[Future[Any], tuple[Job, Call]] = {}
        self._lost: list[tuple[Job, Call]] = []

    def submit(self, job: Job, call: Call) -> None:
        """Have something done."""
        try:
            future = self._executor.submit(_do, call)
        except BrokenExecutor as error:  # since one of its processes was killed, it takes nothing any more
            future = Future()
            future.set_exception(error)
        self._running[future] = job, call

    def results(self, tell: Callable[[str], None]) -> Iterator[tuple[Job, Call, Any]]:
        """Give what comes of all, in the order in which it is done, and tell of a file that is not done yet."""
        alone = False
        while self._running or self._lost:
            if not self._running:  # alone: it may be that another file killed the workers at which this one was waiting
                alone = True
                self.submit(*self._lost.pop())
            tell(next(iter(self._running.values()))[1].source)
            for future in wait(self._running, return_when=FIRST_COMPLETED).done:
                job, call = self._running.pop(future)
                if not alone and _killed_workers(future):
                    self._lost.append((job, call))
                else:
                    yield job, call, _result(future, call)

    def cancel(self) -> None:
        """Have nothing more done."""
        for future in self._running:
            future.cancel()


def recode_whole(task: Task, options: dict[str, Any]) -> RecodedFile:
    """Recode a file.

    Parameters
    ----------
    task : Task
        The file.
    options : dict
        All that :func:`colcodec.parquet.recode` takes beside files.

    Returns
    -------
    RecodedFile
        What was done.
    """
    return recode(task.source, task.target, **options)


def _do(call: Call) -> Any:
    """Do what a worker is to do; all errors of a file end here, so that others go on."""
    try:
        return call.function(*call.arguments)
    except Exception as error:
        return _reason(error, call.source)


def _reason(error: Exception, source: str) -> str:
    match error:
        case BrokenExecutor():
            return "its process was ended from elsewhere"
        case MemoryError():
            return "not enough memory"
        case OSError():
            where = error.filename not in (None, source)
            return f"{error.strerror or error}{f': {error.filename}' if where else ''}"
        case KeyError():
            return str(error.args[0])
        case ColcodecError() | ValueError() | TypeError() | ImportError():
            return str(error)
        case _:
            return f"{type(error).__name__}: {error}"


def _killed_workers(future: Future[Any]) -> bool:
    """Whether Dask has given a task up, since each worker that had it died."""
    return not future.cancelled() and type(future.exception()).__name__ == "KilledWorker"


def _result(future: Future[Any], call: Call) -> Any:
    try:
        return future.result()
    except Exception as error:  # workers that die, above all
        return _reason(error, call.source)
