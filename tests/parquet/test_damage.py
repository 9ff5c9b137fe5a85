"""Copies of the corpus that are cut, or have other bits: right values, or an error of the file and no other file."""

import io
import random
import zlib
from contextlib import suppress

import battery
import conftest
import pytest

from colcodec import ColcodecError, MalformedFileError
from colcodec.parquet import RepeatedColumn, inspect, read_column, recode
from colcodec.parquet.footer import read_footer
from colcodec.parquet.pages import chunk_start
from colcodec.parquet.schema import column_metadata, leaves
from colcodec.parquet.structs import PhysicalType

LARGEST = 200_000 if conftest.JIT else 2_000  # bytes of a file
FLIPS = 4
CUTS = 4
STRINGS = (PhysicalType.BYTE_ARRAY, PhysicalType.FIXED_LEN_BYTE_ARRAY)


@pytest.fixture(scope="module")
def files(shared):
    """Read the files of the corpus that have a footer."""
    found = []
    for path in sorted((shared / "corpus").rglob("*")):
        if path.is_file() and path.suffix != ".json" and path.stat().st_size <= LARGEST:
            data = path.read_bytes()
            if data[-4:] == b"PAR1" and footer_of(data) is not None:
                found.append((path.name, data))
    return found


def footer_of(data):
    """Read a footer; None where it cannot be."""
    try:
        footer = read_footer(io.BytesIO(data))
        leaves(footer.metadata)
    except ColcodecError:
        return None
    return footer


def contents(column):
    """Give all that makes a column."""
    levels = ()
    if isinstance(column, RepeatedColumn):
        column, *levels = column
    validity = None if column.validity is None else column.validity.tobytes()
    return column.offsets.tobytes(), column.data.tobytes(), validity, *(level.tobytes() for level in levels)


def read(data):
    """Read each column of strings: its contents by its name, or None where it is refused."""
    footer = footer_of(data)
    if footer is None:
        return {}
    names = [leaf.name for leaf in leaves(footer.metadata) if leaf.type in STRINGS]
    found = {}
    for name in names:
        try:
            found[name] = contents(read_column(io.BytesIO(data), name, max_data_size=1 << 26))
        except ColcodecError:
            found[name] = None
        except KeyError:  # a name became that of another column
            assert [leaf.name for leaf in leaves(footer.metadata)].count(name) > 1
    return found


def ranges(data):
    """Find where the chunks of each column of strings are, by name."""
    footer = footer_of(data)
    found = {}
    for leaf in leaves(footer.metadata):
        try:
            columns = [column_metadata(row_group, leaf) for row_group in footer.metadata.row_groups]
            starts = [(chunk_start(column, footer), column.total_compressed_size) for column in columns]
        except ColcodecError:
            continue
        found[leaf.name] = [range(start, start + size + 100) for start, size in starts]
    return found


def check(data, target):
    """Look into a damaged file, read it and write it again: values of the new file are those of the damaged one."""
    with battery.limited_memory(6 << 30):
        with suppress(MalformedFileError):
            inspect(io.BytesIO(data))
        values = read(data)
        try:
            recode(io.BytesIO(data), target, encoding="DELTA_BYTE_ARRAY")
        except ColcodecError:
            assert [*target.parent.iterdir()] == []
            return values
        again = read(target.read_bytes())
        # Columns that are not chosen may be damaged, and are copied as they are.
        assert again.keys() == values.keys()
        for name, column in values.items():
            assert again[name] == column
        target.unlink()
    return values


def test_files_that_are_cut(files, tmp_path):
    """A byte short, in the footer, in a page: there is nothing behind the last row group to find columns by."""
    target = tmp_path / "out"
    for name, data in files:
        rng = random.Random(zlib.crc32(name.encode()))
        start = footer_of(data).start
        cuts = [len(data) - 1, (start + len(data)) // 2, start // 2, *(rng.randrange(len(data)) for _ in range(CUTS))]
        for end in cuts:
            for call in (inspect, lambda file: recode(file, target), read_footer):
                with pytest.raises(MalformedFileError):
                    call(io.BytesIO(data[:end]))
            assert [*tmp_path.iterdir()] == []
    assert len(files) > (100 if conftest.JIT else 20)


def test_pages_that_are_cut(files, tmp_path):
    """Bytes are missing between the beginning and a footer that knows nothing of it."""
    for name, data in files:
        rng = random.Random(zlib.crc32(name.encode()))
        start = footer_of(data).start
        if start > 5:
            first, last = sorted(rng.randrange(4, start) for _ in range(2))
            check(data[:first] + data[last + 1 :], tmp_path / "out")


def test_other_bits(files, tmp_path):
    """What a bit of the pages changes is its column alone."""
    unchanged = 0
    for name, data in files:
        rng = random.Random(zlib.crc32(name.encode()))
        start = footer_of(data).start
        expected, places = read(data), ranges(data)
        for i in range(FLIPS):
            flipped = bytearray(data)
            position = rng.randrange(start, len(data) - 8) if i == 0 or start <= 4 else rng.randrange(4, start)
            flipped[position] ^= 1 << rng.randrange(8)
            values = check(bytes(flipped), tmp_path / "out")
            if position >= start:
                continue
            for column, chunks in places.items():
                if column in expected and not any(position in chunk for chunk in chunks):
                    assert values[column] == expected[column], (name, position, column)
                    unchanged += 1
    assert unchanged > 20
