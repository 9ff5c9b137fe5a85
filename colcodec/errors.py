"""What can go wrong with data. Misuse of the API (an unknown encoding, a missing argument) is a plain Python error."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._spec import Encoding, Status


class ColcodecError(Exception):
    """Base of every error that colcodec raises about data."""

    def __reduce__(self) -> tuple[Any, ...]:
        # BaseException would make a copy of the message alone, without the keywords that constructors here want.
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[ColcodecError], args: tuple[Any, ...], attributes: dict[str, Any]) -> ColcodecError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class MalformedPageError(ColcodecError, ValueError):
    """A page whose bytes break the rules of its encoding.

    Parameters
    ----------
    message : str
        What was found and what the format allows.
    encoding : Encoding
        The encoding that was being read.
    status : Status
        The kind of fault.
    position : int
        The byte of the page at which it was found.
    index : int, optional
        The value (nulls not counted) that could not be read, where the fault has one.
    """

    def __init__(
        self, message: str, *, encoding: Encoding, status: Status, position: int, index: int | None = None
    ) -> None:
        super().__init__(message)
        self.encoding = encoding
        self.status = status
        self.position = position
        self.index = index


class LimitError(MalformedPageError):
    """A page that decodes to more bytes than the caller's ``max_data_size`` allows."""


class DictionaryTooLarge(ColcodecError, ValueError):  # noqa: N818 - no fault of anybody: a reason to fall back
    """A column whose dictionary outgrows `max_dictionary_size`: to be encoded in another way.

    Parameters
    ----------
    message : str
        How large the dictionary may be.
    index : int
        The value of the column, or of the batch, that no longer fitted; nulls are counted.
    """

    def __init__(self, message: str, *, index: int) -> None:
        super().__init__(message)
        self.index = index


class MalformedFileError(ColcodecError, ValueError):
    """A Parquet file whose metadata or page headers break the rules of the format, or that this reader cannot read."""


class InvalidColumnError(ColcodecError, ValueError):
    """A column, or a value on its way into one, that cannot be a string column.

    Parameters
    ----------
    message : str
        What was found and what was expected.
    index : int, optional
        The value at fault, where there is one.
    """

    def __init__(self, message: str, *, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


class InvalidTypeError(ColcodecError, TypeError):
    """A value or an array of a type that a string column cannot hold.

    Parameters
    ----------
    message : str
        What was found and what was expected.
    index : int, optional
        The value at fault, where there is one.
    """

    def __init__(self, message: str, *, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


@contextmanager
def located(where: str) -> Iterator[None]:
    """Say in an error of a file or of a page where that is.

    Parameters
    ----------
    where : str
        What to put before the message.

    Raises
    ------
    MalformedFileError, MalformedPageError
        What is raised inside, with another message.
    """
    try:
        yield
    except (MalformedFileError, MalformedPageError) as error:
        error.args = (f"{where}: {error}",)
        raise


@contextmanager
def naming(name: Any) -> Iterator[None]:
    """Say in an error about a column which that is.

    Parameters
    ----------
    name : str
        The name of the column.

    Raises
    ------
    TypeError, ValueError
        What is raised inside, with another message; all errors about data are one or the other.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        error.args = (f"column {name!r}: {error}",)
        raise
