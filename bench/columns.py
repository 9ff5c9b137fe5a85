"""A benchmark column: what it holds, how it is made from values, and the raw files in which peers read it."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import colcodec as cc

Bytes: TypeAlias = npt.NDArray[np.uint8]

Arrays: TypeAlias = tuple[npt.NDArray[np.int32], Bytes, Bytes | None]
"""Offsets int32[n + 1], data uint8[offsets[n]], and validity uint8[n] (1 where a value is present) or None."""


@dataclass(frozen=True, eq=False)
class Column:
    """A named column of byte strings.

    Parameters
    ----------
    name : str
        Name in the registry.
    offsets : ndarray
        int32[n + 1], the first 0.
    data : ndarray
        uint8[offsets[n]].
    validity : ndarray, optional
        uint8[n], 1 where a value is present; a null holds no bytes.
    """

    name: str
    offsets: npt.NDArray[np.int32]
    data: npt.NDArray[np.uint8]
    validity: npt.NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def crc32(self) -> str:
        """Checksum of offsets and data, in hexadecimal: a column is the same on every machine."""
        return f"{zlib.crc32(self.data.tobytes(), zlib.crc32(self.offsets.astype('<i4').tobytes())):08x}"

    @cached_property
    def null_count(self) -> int:
        """Number of nulls."""
        return 0 if self.validity is None else int(np.count_nonzero(self.validity == 0))

    @cached_property
    def bitmap(self) -> npt.NDArray[np.uint8] | None:
        """Validity as Arrow and colcodec hold it, even if it is all ones; None where the column has none."""
        return None if self.validity is None else np.packbits(self.validity, bitorder="little")

    @cached_property
    def strings(self) -> cc.StringColumn:
        """The column as colcodec holds it."""
        return cc.StringColumn(self.offsets, self.data, self.bitmap, utf8=False)

    @cached_property
    def lengths(self) -> npt.NDArray[np.int32]:
        """int32, the lengths of the values that are present: what DELTA_BINARY_PACKED is measured on."""
        lengths = np.diff(self.offsets)
        return lengths if self.validity is None else lengths[self.validity != 0]

    def write(self, folder: Path) -> Path:
        """Write the raw files that peers read: offsets.i32, data.u8 and, where there are nulls to tell, validity.u8.

        Parameters
        ----------
        folder : Path
            The folder that holds a folder for each column.

        Returns
        -------
        Path
            The column's own folder.
        """
        folder /= self.name
        folder.mkdir(parents=True, exist_ok=True)
        self.offsets.astype("<i4").tofile(folder / "offsets.i32")
        self.data.tofile(folder / "data.u8")
        (folder / "validity.u8").unlink(missing_ok=True)
        if self.validity is not None:
            self.validity.tofile(folder / "validity.u8")
        return folder


def from_list(values: Sequence[bytes]) -> Arrays:
    """Make a column of byte strings."""
    return offsets_of(np.fromiter(map(len, values), np.int64, len(values))), as_data(b"".join(values)), None


def fixed_width(matrix: npt.NDArray[np.uint8]) -> Arrays:
    """Make a column of the rows of uint8[n, width]."""
    count, width = matrix.shape
    return offsets_of(np.full(count, width)), matrix.reshape(-1), None


def gather(offsets: npt.NDArray[np.int32], data: npt.NDArray[np.uint8], index: npt.NDArray[np.int64]) -> Arrays:
    """Make a column of the values at `index`."""
    lengths = np.diff(offsets.astype(np.int64))[index]
    gathered = offsets_of(lengths)
    source = np.repeat(offsets[:-1][index] - gathered[:-1], lengths) + np.arange(gathered[-1])
    return gathered, data[source], None


def with_nulls(arrays: Arrays, rng: np.random.Generator, fraction: float) -> Arrays:
    """Make a `fraction` of the values null; a null holds no bytes."""
    offsets, data, _ = arrays
    valid = (rng.random(len(offsets) - 1) >= fraction).astype(np.uint8)
    lengths = np.diff(offsets)
    return offsets_of(lengths * valid), data[np.repeat(valid != 0, lengths)], valid


def all_valid(arrays: Arrays) -> Arrays:
    """Say of every value that it is present."""
    return arrays[0], arrays[1], np.ones(len(arrays[0]) - 1, np.uint8)


def offsets_of(lengths: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    """Sum lengths up to offsets, int32[n + 1]."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    if offsets[-1] > np.iinfo(np.int32).max:
        raise ValueError(f"a column of {offsets[-1]} bytes is more than the peers take")
    return offsets.astype(np.int32)


def as_data(data: bytes) -> npt.NDArray[np.uint8]:
    """View bytes as uint8."""
    return np.frombuffer(data, np.uint8)
