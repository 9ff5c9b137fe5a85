"""What is measured: an operation of an encoding on a column, by colcodec, and by memcpy of the same bytes."""

import ctypes
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

import colcodec as cc

from .columns import Bytes, Column
from .measure import Contender, Function, UnequalError

MAX_DICTIONARY_SIZE = 2**31 - 1
"""Bytes of a dictionary page: as many as a file can hold, so that columns without repeats are measured as well."""

Operations: TypeAlias = dict[str, Callable[[], Any]]
"""What is timed, by name. The first word is what peers do: encode or decode."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A column under an encoding: what every operation starts from. This one is of strings, the others derive from it.

    Parameters
    ----------
    column : Column
        The column.
    encoding : str
        Name of the encoding.
    """

    column: Column
    encoding: str

    @staticmethod
    def has(column: Column) -> bool:
        """Tell whether a column has something to encode."""
        return column.null_count < len(column)

    @property
    def values(self) -> Any:
        """What is encoded."""
        return self.column.strings

    @property
    def num_values(self) -> int:
        """Number of values, nulls included."""
        return len(self.column)

    @property
    def null_count(self) -> int:
        """Number of nulls among them."""
        return self.column.null_count

    @property
    def data(self) -> Bytes:
        """The decoded values, without offsets: what GB/s count and memcpy copies."""
        return self.column.data

    @property
    def encode(self) -> Callable[[], Any]:
        """The call that encodes."""
        return partial(cc.encode, self.values, self.encoding)

    @cached_property
    def page(self) -> Any:
        """What is decoded, and checked to decode to what was encoded."""
        page = self.prepared(self.encode())
        for decode in self.decoding(page).values():
            self.check(decode(), "colcodec")
        return page

    def prepared(self, page: Any) -> Any:
        """Give a page a bitmap if the column has one, even of all ones."""
        return replace(page, validity=self.column.bitmap)

    def decoding(self, page: Any) -> Operations:
        """Give every way to decode a page; only DELTA_LENGTH_BYTE_ARRAY has a view to give."""
        ways: Operations = {"decode": partial(cc.decode, page)}
        if self.encoding == "DELTA_LENGTH_BYTE_ARRAY":
            ways["decode view"] = partial(cc.decode, page, copy=False)
        return ways

    @property
    def operations(self) -> Operations:
        """The operations of colcodec."""
        return {"encode": self.encode, **self.decoding(self.page)}

    @property
    def sections(self) -> dict[str, Bytes]:
        """The bytes that go into a file, each with what a peer appends to the name under which it dumps them."""
        return {"": self.page.data}

    def page_of(self, sections: Mapping[str, Bytes]) -> Any:
        """Make a page of the bytes that another has encoded."""
        return replace(self.page, data=sections[""])

    def equals(self, decoded: Any) -> bool:
        """Tell whether something decoded is what was encoded."""
        return bool(decoded == self.values)

    def check(self, decoded: Any, who: str) -> None:
        """Check that what was decoded is the column.

        Parameters
        ----------
        decoded : StringColumn, ndarray, DictionaryColumn or DecodedValidity
            What was decoded.
        who : str
            Who decoded it.

        Raises
        ------
        UnequalError
            If it is not.
        """
        if not self.equals(decoded):
            raise UnequalError(f"{who} decodes {self.encoding} of {self.column.name} to something else")


class Integers(Subject):
    """The lengths of the values that are present, under DELTA_BINARY_PACKED."""

    @property
    def values(self) -> npt.NDArray[np.int32]:
        """The lengths."""
        return self.column.lengths

    @property
    def num_values(self) -> int:
        """Number of lengths."""
        return self.values.size

    @property
    def null_count(self) -> int:
        """None of them is null."""
        return 0

    @property
    def data(self) -> Bytes:
        """Bytes of the lengths."""
        return self.values.view(np.uint8)

    def prepared(self, page: cc.EncodedPage) -> cc.EncodedPage:
        """Leave the page as it is."""
        return page

    def equals(self, decoded: Any) -> bool:
        """Tell whether integers are the lengths."""
        return np.array_equal(decoded, self.values)


class Indices(Subject):
    """A column under RLE_DICTIONARY, however large the dictionary."""

    @property
    def encode(self) -> Callable[[], cc.EncodedPage]:
        """The call that encodes, and never gives up."""
        return partial(cc.encode, self.values, self.encoding, max_dictionary_size=MAX_DICTIONARY_SIZE)

    def decoding(self, page: cc.EncodedPage) -> Operations:
        """Give the ways to decode a page: to values, and to their indices."""
        return {"decode": partial(cc.decode, page), "decode indices": partial(cc.decode_indices, page)}

    @property
    def sections(self) -> dict[str, Bytes]:
        """The page of indices, and that of the dictionary."""
        return {"": self.page.data, ".dictionary": self.page.dictionary.data}

    def page_of(self, sections: Mapping[str, Bytes]) -> cc.EncodedPage:
        """Make a page of indices and dictionary."""
        dictionary = replace(self.page.dictionary, data=sections[".dictionary"])
        return replace(self.page, data=sections[""], dictionary=dictionary)

    def equals(self, decoded: Any) -> bool:
        """Tell whether values, or indices with their dictionary, are the column."""
        if not isinstance(decoded, cc.DictionaryColumn):
            return super().equals(decoded)
        known = np.append(decoded.dictionary.to_numpy("O"), None)  # -1, the index of a null, is its place
        return np.array_equal(known[decoded.indices], self.values.to_numpy("O"))


class Levels(Subject):
    """The definition levels of a column that has validity, with their length before them, as in a page of version 1."""

    @staticmethod
    def has(column: Column) -> bool:
        """Tell whether a column has levels."""
        return column.validity is not None

    @property
    def values(self) -> Bytes:
        """The bitmap."""
        return cast("Bytes", self.column.bitmap)

    @property
    def data(self) -> Bytes:
        """The bitmap."""
        return self.values

    @property
    def encode(self) -> Callable[[], Bytes]:
        """The call that encodes."""
        return partial(cc.encode_validity, self.values, self.num_values, page_version=1)

    def prepared(self, page: Bytes) -> Bytes:
        """Leave the bytes as they are."""
        return page

    def decoding(self, page: Bytes) -> Operations:
        """Give the way to decode."""
        return {"decode": partial(cc.decode_validity, page, self.num_values, page_version=1)}

    @property
    def sections(self) -> dict[str, Bytes]:
        """The bytes."""
        return {"": self.page}

    def page_of(self, sections: Mapping[str, Bytes]) -> Bytes:
        """Give the bytes."""
        return sections[""]

    def equals(self, decoded: Any) -> bool:
        """Tell whether a bitmap, or None where all values are present, is that of the column."""
        if decoded.validity is None:
            return self.null_count == 0
        return np.array_equal(decoded.validity, self.values)


ENCODINGS: dict[str, type[Subject]] = {
    "PLAIN": Subject,
    "DELTA_LENGTH_BYTE_ARRAY": Subject,
    "DELTA_BYTE_ARRAY": Subject,
    "RLE_DICTIONARY": Indices,
    "DELTA_BINARY_PACKED": Integers,
    "levels": Levels,
}
"""Every encoding, and what it is of."""


@dataclass(frozen=True)
class Case:
    """An operation on a subject.

    Parameters
    ----------
    subject : Subject
        Column and encoding.
    operation : str
        One of the subject's operations.
    """

    subject: Subject
    operation: str

    @property
    def verb(self) -> str:
        """What peers do: encode or decode."""
        return self.operation.split()[0]

    def ours(self) -> Contender:
        """Give colcodec as a contender, which has been checked."""
        return Function(self.subject.operations[self.operation])


def cases(column: Column, encodings: Iterable[str] = ENCODINGS) -> Iterator[Case]:
    """List the cases of a column.

    Parameters
    ----------
    column : Column
        The column.
    encodings : iterable of str, optional
        The encodings wanted.

    Yields
    ------
    Case
        Every operation of every encoding that has something to encode.
    """
    for encoding in encodings:
        kind = ENCODINGS[encoding]
        if kind.has(column):
            subject = kind(column, encoding)
            yield from (Case(subject, operation) for operation in subject.operations)


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
    source = case.subject.data
    target = np.ones(source.size + 128, np.uint8)
    aligned = target.ctypes.data + -target.ctypes.data % 64
    move, size, start = ctypes.memmove, source.size, source.ctypes.data
    return {
        "memcpy fresh": Function(source.copy),
        "memcpy": Function(lambda _=target: move(aligned, start, size)),
        "memcpy misaligned": Function(lambda _=target: move(aligned + 1, start, size)),
    }
