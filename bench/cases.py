"""What is measured: an operation of an encoding on a column, by colcodec, and by memcpy of the same bytes."""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

import colcodec as cc

from .columns import Column
from .measure import Contender, Function, UnequalError

STRING_ENCODINGS = ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY")
INTEGER_ENCODING = "DELTA_BINARY_PACKED"
ENCODINGS = (*STRING_ENCODINGS, INTEGER_ENCODING)


@dataclass(frozen=True, eq=False)
class Subject:
    """A column under an encoding: what every operation starts from.

    Parameters
    ----------
    column : Column
        The column. DELTA_BINARY_PACKED encodes the lengths of its values.
    encoding : str
        Name of the encoding.
    """

    column: Column
    encoding: str

    @property
    def is_integer(self) -> bool:
        """Whether integers are encoded."""
        return self.encoding == INTEGER_ENCODING

    @property
    def values(self) -> cc.StringColumn | npt.NDArray[np.int32]:
        """What is encoded."""
        return self.column.lengths if self.is_integer else self.column.strings

    @cached_property
    def page(self) -> cc.EncodedPage:
        """The page, checked to decode to what was encoded. It has a bitmap if the column has one, even of all ones."""
        page = cc.encode(self.values, self.encoding)
        if not self.is_integer:
            page = replace(page, validity=self.column.bitmap)
        for copy in (True, False):
            self.check(cc.decode(page, copy=copy), "colcodec")
        return page

    @property
    def num_values(self) -> int:
        """Number of values, nulls included."""
        return len(self.values)

    @property
    def size(self) -> int:
        """Bytes of the decoded values, without offsets: what GB/s count."""
        return self.column.lengths.nbytes if self.is_integer else self.column.data.size

    def check(self, decoded: object, who: str) -> None:
        """Check that what was decoded is the column.

        Parameters
        ----------
        decoded : StringColumn or ndarray
            What was decoded.
        who : str
            Who decoded it.

        Raises
        ------
        UnequalError
            If it is not.
        """
        same = np.array_equal(decoded, self.values) if self.is_integer else decoded == self.values
        if not same:
            raise UnequalError(f"{who} decodes {self.encoding} of {self.column.name} to something else")


OPERATIONS: dict[str, Callable[[Subject], Callable[[], object]]] = {
    "encode": lambda subject: lambda values=subject.values: cc.encode(values, subject.encoding),
    "decode": lambda subject: lambda page=subject.page: cc.decode(page),
    "decode view": lambda subject: lambda page=subject.page: cc.decode(page, copy=False),
}
"""The operations of colcodec, each made ready for a subject."""


@dataclass(frozen=True)
class Case:
    """An operation on a subject.

    Parameters
    ----------
    subject : Subject
        Column and encoding.
    operation : str
        A key of `OPERATIONS`.
    """

    subject: Subject
    operation: str

    @property
    def verb(self) -> str:
        """What peers do: encode or decode."""
        return self.operation.split()[0]

    def ours(self) -> Contender:
        """Give colcodec as a contender."""
        return Function(OPERATIONS[self.operation](self.subject))


def cases(column: Column, encodings: tuple[str, ...] = ENCODINGS) -> Iterator[Case]:
    """List the cases of a column.

    Parameters
    ----------
    column : Column
        The column.
    encodings : tuple of str, optional
        The encodings wanted.

    Yields
    ------
    Case
        Every operation of every encoding; only DELTA_LENGTH_BYTE_ARRAY has a view to give.
    """
    for encoding in encodings:
        subject = Subject(column, encoding)
        for operation in OPERATIONS:
            if operation != "decode view" or encoding == "DELTA_LENGTH_BYTE_ARRAY":
                yield Case(subject, operation)


def memcpy(case: Case) -> dict[str, Contender]:
    """Give copies of the decoded bytes by the C library: into fresh memory, and into memory used before.

    Parameters
    ----------
    case : Case
        The case whose bytes are copied.

    Returns
    -------
    dict
        "memcpy fresh" allocates as a decoder must; "memcpy" and "memcpy misaligned" have a destination that is aligned
        to 64 bytes, and one byte off that, where some processors are many times slower.
    """
    source = case.subject.column.lengths.view(np.uint8) if case.subject.is_integer else case.subject.column.data
    target = np.ones(source.size + 128, np.uint8)
    aligned = target.ctypes.data + -target.ctypes.data % 64
    move, size, start = ctypes.memmove, source.size, source.ctypes.data
    return {
        "memcpy fresh": Function(source.copy),
        "memcpy": Function(lambda _=target: move(aligned, start, size)),
        "memcpy misaligned": Function(lambda _=target: move(aligned + 1, start, size)),
    }
