"""Levels in pages of both versions. Docstrings name the reports of the same fault elsewhere."""

import battery
import conftest
import duckdb
import naive
import numpy as np
import parquet_file
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import colcodec as cc

VERSIONS = (1, 2)
both_versions = pytest.mark.parametrize("version", VERSIONS)
max_levels = st.integers(1, 9) | st.sampled_from((15, 16, 255, 256, 2**15 - 1))


def as_bitmap(present):
    """Pack bools."""
    return np.packbits(np.array(present, bool), bitorder="little")


def as_bools(validity, num_values):
    """List a bitmap, or what None stands for."""
    if validity is None:
        return [True] * num_values
    assert validity.size == (num_values + 7) // 8
    assert not validity.flags.writeable
    assert not np.unpackbits(validity, bitorder="little")[num_values:].any()
    return np.unpackbits(validity, count=num_values, bitorder="little").astype(bool).tolist()


def levels_of(column):
    """List the definition levels of a flat optional column."""
    return [int(value is not None) for value in column]


def with_size(data, size=None):
    """Put a size before levels, the right one or another."""
    return (len(data) if size is None else size).to_bytes(4, "little", signed=True) + data


def check_rejects(data, num_values, max_level, status, version=1):
    """Check that bad levels are refused for the right reason, at a byte that is there; give the error."""
    with pytest.raises(cc.MalformedPageError) as caught:
        cc.decode_levels(data, num_values, max_level, page_version=version)
    error = caught.value
    assert (error.status.name, error.encoding) == (status, cc.Encoding.RLE)
    assert 0 <= error.position <= len(data)
    if max_level == 1:
        with pytest.raises(cc.MalformedPageError) as caught:
            cc.decode_validity(data, num_values, page_version=version)
        other = caught.value
        assert (other.status, other.position, other.index) == (error.status, error.position, error.index)
        assert str(other) == str(error)
    return error


def check_decodes(data, expected, max_level, version, consumed):
    """Check that levels are these, and that so many bytes are theirs."""
    found = cc.decode_levels(data, len(expected), max_level, page_version=version)
    assert (found.levels.tolist(), found.levels.dtype, found.consumed) == (expected, np.int16, consumed)
    if max_level == 1:
        validity, null_count, end = cc.decode_validity(data, len(expected), page_version=version)
        assert as_bools(validity, len(expected)) == [level == 1 for level in expected]
        assert (validity is None, null_count, end) == (all(expected), expected.count(0), consumed)


def check_agrees_with_naive(data, num_values, max_level, version):
    """Check that any bytes give what the format's letter gives, or an error where it gives nothing."""
    try:
        expected = naive.decode_levels(data, num_values, max_level, version)
    except naive.MalformedError as error:
        check_rejects(data, num_values, max_level, error.kind, version)
    else:
        check_decodes(data, expected.values, max_level, version, expected.consumed)


# --- Both ways -------------------------------------------------------------------------------------------------------


@given(st.data())
def test_any_levels(data):
    """Any levels have naive's bytes and come back, whatever follows them in a page of version 1."""
    most, version = data.draw(max_levels), data.draw(st.sampled_from(VERSIONS))
    levels = [level % (most + 1) for level in data.draw(strategies.repeating(most.bit_length()))]
    encoded = cc.encode_levels(levels, most, page_version=version)
    assert (encoded.dtype, encoded.tobytes()) == (np.uint8, naive.encode_levels(levels, most, version))
    behind = data.draw(st.binary(max_size=20))
    check_decodes(encoded.tobytes() + behind * (version == 1), levels, most, version, encoded.size)
    if version == 2:
        check_decodes(encoded.tobytes() + behind, levels, most, version, encoded.size + len(behind))


@both_versions
@given(strategies.byte_columns())
def test_any_validity(version, column):
    """The bitmap of any column, in every form that it may have, and back."""
    present = [value is not None for value in column]
    expected = naive.encode_levels(levels_of(column), 1, version)
    page = cc.encode(column, "PLAIN")
    spare = np.append(as_bitmap(present), np.uint8(255))
    for validity in (page.validity, present, np.array(present, bool), as_bitmap(present), spare.tobytes()):
        encoded = cc.encode_validity(validity, len(column), page_version=version)
        assert encoded.tobytes() == expected
    check_decodes(expected, levels_of(column), 1, version, len(expected))
    body = expected + page.data.tobytes() if version == 1 else expected
    validity, _, consumed = cc.decode_validity(body, len(column), page_version=version)
    values = body[consumed:] if version == 1 else page.data
    known = {"encoding": "PLAIN", "num_values": len(column), "validity": validity}
    assert cc.decode(values, **known).to_pylist() == column


@both_versions
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 63, 64, 65, 503, 504, 505, 100_000])
def test_all_present_and_none(version, count):
    """G7: a run of ones and a run of zeros; None stands for a bitmap of ones."""
    ones, zeros = [True] * count, [False] * count
    encoded = cc.encode_validity(None, count, page_version=version)
    assert encoded.tobytes() == cc.encode_validity(ones, count, page_version=version).tobytes()
    assert encoded.nbytes < 12
    assert cc.decode_validity(encoded, count, page_version=version) == (None, 0, encoded.nbytes)
    encoded = cc.encode_validity(zeros, count, page_version=version)
    assert encoded.tobytes() == naive.encode_levels([0] * count, 1, version)
    check_decodes(encoded.tobytes(), [0] * count, 1, version, encoded.nbytes)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", ">i4", "uint32", "int64", "uint64"])
def test_integers_of_any_dtype(dtype):
    """Levels may be of any integers, of any strides, writeable or not."""
    levels = np.array([0, 1, 2, 3, 3, 3, 0] * 5, dtype)
    expected = naive.encode_levels(levels[::-2].tolist(), 3, 1)
    assert cc.encode_levels(levels[::-2], 3).tobytes() == expected
    assert cc.encode_levels(levels[::-2].tolist(), 3).tobytes() == expected
    assert cc.encode_levels(levels[:0], 3).tobytes() == cc.encode_levels([], 3).tobytes() == bytes(4)


@both_versions
def test_a_highest_level_of_zero(version):
    """A required column that is in no list has no levels: not a byte of them, not even their size."""
    assert cc.encode_levels([0, 0, 0], 0, page_version=version).nbytes == 0
    for data in (b"", b"values", b"\xff" * 9):
        check_decodes(data, [0, 0, 0], 0, version, 0)
    with pytest.raises(cc.InvalidColumnError, match="level 1 is 1; expected 0 to 0"):
        cc.encode_levels([0, 1], 0)


@pytest.mark.parametrize("highest", [np.int8(127), np.uint8(255), np.int16(2**15 - 1)])
def test_a_highest_level_of_any_dtype(highest):
    """The highest that its type can hold has no next one."""
    levels = [0, int(highest), 1]
    assert cc.decode_levels(cc.encode_levels(levels, highest), 3, highest).levels.tolist() == levels


# --- Levels of other writers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("levels", "data"),
    [
        ([1] * 8, "1001"),  # pyarrow: a run
        ([0] * 5, "0300"),  # polars: a group, where all are null
        ([1, 1, 0, 0, 0, 1, 1, 1], "41e3" + "00" * 31),  # DuckDB: 32 groups for eight rows
        ([1] * 300, "d80401" + "00" * 3),  # fastparquet: zeros behind the last run (E8)
        ([1, 0, 1], "0305"),  # what fills up a group is zero when written
        ([1] * 9 + [0, 1, 1], "1201" + "0306"),  # a group that begins within a byte of the bitmap
    ],
)
def test_golden_levels(levels, data):
    """What other writers make of levels, worked out by hand."""
    data = bytes.fromhex(data)
    check_decodes(data, levels, 1, 2, len(data))
    check_decodes(with_size(data) + b"values", levels, 1, 1, 4 + len(data))


def columns_with_nulls():
    """Yield columns of all densities and patterns of nulls, each with a name."""
    rng = np.random.default_rng(7)
    for share in (0.0, 0.001, 0.03, 0.1, 0.3, 0.5, 0.9, 1.0):
        yield f"random {share}", (rng.random(5000) >= share).tolist()
    for few, many in ((1, 9), (8, 8), (3, 60), (15, 17), (100, 700)):
        yield f"runs of {few} to {many}", np.repeat(np.arange(200) % 2 == 0, rng.integers(few, many + 1, 200)).tolist()
    for count in (1, 2, 7, 8, 9, 15, 16, 17, 503, 504, 505, 511, 512, 513):
        yield f"{count} mixed", [i % 3 > 0 for i in range(count)]
        yield f"{count} mixed, then a run", [i % 3 > 0 for i in range(count)] + [True] * 9


def num_values_of(header):
    """Give the number of values, nulls included, that a page's header tells."""
    return header[8 if header[1] == parquet_file.DATA_PAGE_V2 else 5][1]


def levels_in(header, body, max_rep=0, max_def=1):
    """Cut the bytes of the levels out of a page: the version, and the bytes of each kind."""
    if header[1] == parquet_file.DATA_PAGE_V2:
        fields = header[8]
        return 2, body[: fields[6]], body[fields[6] : fields[6] + fields[5]]
    parts, pos = [], 0
    for highest in (max_rep, max_def):
        size = 4 + int.from_bytes(body[pos : pos + 4], "little") if highest else 0
        parts.append(body[pos : pos + size])
        pos += size
    return 1, *parts


@pytest.mark.parametrize("name", ["1.0", "2.0"])
def test_pyarrow_writes_the_same(tmp_path, name):
    """Our levels are those of Arrow C++, byte for byte, and mean what pyarrow reads."""
    path = tmp_path / "nulls.parquet"
    for title, present in columns_with_nulls():
        column = pa.array(np.arange(len(present)), mask=~np.array(present))
        pq.write_table(pa.table({"c": column}), path, compression="none", data_page_version=name, use_dictionary=False)
        assert pq.read_table(path)["c"].is_valid().to_pylist() == present
        start = 0
        for header, body, _ in parquet_file.raw_pages(path):
            version, none, data = levels_in(header, body)
            assert (version, none) == (int(name[0]), b"")
            part = present[start : start + num_values_of(header)]
            assert cc.encode_validity(part, len(part), page_version=version).tobytes() == data, title
            assert cc.encode_levels([*map(int, part)], 1, page_version=version).tobytes() == data, title
            check_decodes(data, [*map(int, part)], 1, version, len(data))
            start += len(part)
        assert start == len(present)


@pytest.mark.parametrize("writer", ["duckdb 1", "duckdb 2", "polars"])
def test_levels_of(writer, tmp_path):
    """E8, DuckDB's runs of 32 groups, polars' groups for nulls alone."""
    path = tmp_path / "nulls.parquet"
    for title, present in columns_with_nulls():
        column = pa.table({"c": pa.array(np.arange(len(present)), mask=~np.array(present))})
        if writer == "polars":
            pl.from_arrow(column).write_parquet(path, compression="uncompressed")
        else:
            with duckdb.connect() as connection:
                connection.register("nulls", column)
                options = f"FORMAT parquet, COMPRESSION uncompressed, PARQUET_VERSION V{writer[-1]}"
                connection.execute(f"COPY nulls TO '{path}' ({options})")
        assert pq.read_table(path)["c"].is_valid().to_pylist() == present
        found = []
        for header, body, _ in parquet_file.raw_pages(path):
            version, _, data = levels_in(header, body)
            count = num_values_of(header)
            validity, null_count, consumed = cc.decode_validity(data, count, page_version=version)
            assert consumed == len(data)
            assert null_count == as_bools(validity, count).count(False)
            found += as_bools(validity, count)
        assert found == present, title


NESTED = [[["a", None], []], None, [], [None, ["b"]], [["c"] * 20] * 3, [[None] * 9, ["d"]]] * 7
"""Lists of lists: repetition levels to 2; definition levels of a value 5, of a null 4, and so on down to no list, 0."""


@pytest.mark.parametrize("name", ["1.0", "2.0"])
def test_levels_of_lists(tmp_path, name):
    """What pyarrow writes for lists of lists: our bytes are the same, and the lists can be made from the levels."""
    path = tmp_path / "lists.parquet"
    table = pa.table({"c": pa.array(NESTED, pa.list_(pa.list_(pa.string())))})
    pq.write_table(table, path, compression="none", data_page_version=name, use_dictionary=False)
    ((header, body, _),) = parquet_file.raw_pages(path)
    version, repetition, definition = levels_in(header, body, 2, 5)
    count = num_values_of(header)
    levels = []
    for data, most in ((repetition, 2), (definition, 5)):
        found, consumed = cc.decode_levels(data, count, most, page_version=version)
        assert consumed == len(data)
        assert cc.encode_levels(found, most, page_version=version).tobytes() == data
        levels.append(found.tolist())
    data = body[len(repetition) + len(definition) :]
    values = cc.decode(data, encoding="PLAIN", num_values=levels[1].count(5), dtype="utf8").to_pylist()
    assert lists_from(*levels, iter(values)) == NESTED


def lists_from(repetition, definition, values):
    """Make lists of lists of levels and values."""
    rows = []
    for repeated, defined in zip(repetition, definition, strict=True):
        if repeated == 0:
            rows.append(None if defined == 0 else [])
        if repeated < 2 and defined > 1:
            rows[-1].append(None if defined == 2 else [])
        if defined > 3:
            rows[-1][-1].append(next(values) if defined == 5 else None)
    return rows


# --- Broken levels ---------------------------------------------------------------------------------------------------


RUN = b"\x1a\x01"  # 13 ones


def test_sizes_that_are_wrong():
    """The size of levels is a signed number, and no larger than what is left."""
    for size in range(4):
        assert check_rejects(bytes(size), 13, 1, "TRUNCATED").position == size
    for size in (-1, -2, -(2**31)):
        error = check_rejects(with_size(RUN, size), 13, 1, "NEGATIVE_LENGTH")
        assert f"{size} bytes of levels" in str(error)
    for size in (3, 2**31 - 1):
        error = check_rejects(with_size(RUN, size), 13, 1, "TRUNCATED")
        assert f"{size} bytes of levels, of which 2 are there" in str(error)
    for size in (0, 1):
        check_rejects(with_size(RUN, size), 13, 1, "TRUNCATED")


def test_sizes_tell_where_values_begin():
    """Wherever the last run ends, and whatever is between it and the values (E8)."""
    for padding in (b"", b"\x00", bytes(8), b"\xff" * 9):
        data = with_size(RUN + padding)
        check_decodes(data + b"values", [1] * 13, 1, 1, len(data))
        check_decodes(data + b"values", [], 1, 1, len(data))


@both_versions
def test_too_few_levels(version):
    """G2, G4: fewer levels than the page has values."""
    data = with_size(RUN) if version == 1 else RUN
    check_decodes(data, [1] * 13, 1, version, len(data))
    for count in (14, 15, 2**31 - 1):
        error = check_rejects(data, count, 1, "TRUNCATED", version)
        assert (error.index, error.position) == (13, len(data))
        check_rejects(data, count, 1, "TRUNCATED", version)
    check_rejects(bytes(4) if version == 1 else b"", 1, 1, "TRUNCATED", version)


@pytest.mark.parametrize("most", [2, 4, 5, 6, 8, 1000])
def test_levels_above_the_highest(most):
    """Levels that their width has, but not the column."""
    width = most.bit_length()
    for wild in {most + 1, (1 << width) - 1}:
        for levels in ([most, 0, wild, wild], [most] * 9 + [wild] * 9, [0] * 700 + [wild]):
            data = naive.encode_hybrid(levels, width)
            error = check_rejects(with_size(data), len(levels), most, "LEVEL_RANGE")
            assert (error.index, error.position) == (levels.index(wild), 4)
            assert f"level {wild} of at most {most}" in str(error)
            check_rejects(data, len(levels), most, "LEVEL_RANGE", 2)
            check_decodes(data, levels[: levels.index(wild)], most, 2, len(data))  # it may be padding


@both_versions
def test_runs_of_nothing(version):
    """E12: a run without levels would go on for ever."""
    for data in (b"\0\1\0\1", b"\1" * 9, bytes(40)):
        check_rejects(with_size(data) if version == 1 else data, 8, 1, "BAD_RUN", version)
        check_decodes(with_size(data) if version == 1 else data, [], 1, version, len(data) + 4 * (version == 1))


SMALL = naive.encode_levels([1] * 9 + [1, 0, 0, 1, 1, 1, 0] * 3 + [0] * 20 + [1, 0], 1, 1)
SMALL_NESTED = naive.encode_levels([3] * 9 + [1, 0, 2, 4, 5, 1, 0] * 3 + [0] * 20 + [1, 0], 5, 1)


@pytest.mark.parametrize(("data", "most"), [(SMALL, 1), (SMALL_NESTED, 5)])
def test_every_prefix(data, most):
    """Levels cut anywhere; the counts around the right one as well."""
    for size in range(len(data) + 1):
        for count in (0, 1, 9, 51, 52, 53, 60, 1000):
            check_agrees_with_naive(data[:size], count, most, 1)
            check_agrees_with_naive(data[4 : 4 + size], count, most, 2)


@pytest.mark.parametrize(("data", "most"), [(SMALL, 1), (SMALL_NESTED, 5)])
def test_every_single_byte_change(data, most):
    """Each byte in turn becomes every other byte."""
    for position in range(len(data)):
        for other in range(256):
            check_agrees_with_naive(data[:position] + bytes([other]) + data[position + 1 :], 52, most, 1)


@given(max_levels, st.sampled_from(VERSIONS), st.binary(max_size=40), st.integers(0, 60))
def test_random_bytes(most, version, data, count):
    """Random bytes, behind their size often enough."""
    check_agrees_with_naive(data, count, most, version)
    check_agrees_with_naive(with_size(data), count, most, 1)


# --- Limits, and misuse ----------------------------------------------------------------------------------------------


def test_little_memory():
    """A20: no room is made for levels that are not there, nor more than is allowed for those that are."""
    most = 2**31 - 1
    for data in (b"\x14\x01", b"\x14\x00", b"\x03\x55", b""):
        battery.check_little_memory(lambda data=data: check_rejects(data, most, 1, "TRUNCATED", 2))
    ones = naive.encode_uleb128(most << 1) + b"\1"
    assert battery.check_little_memory(lambda: cc.decode_validity(ones, most, page_version=2)) == (None, 0, 6)
    assert battery.check_little_memory(lambda: cc.encode_validity(None, most, page_version=2)).tobytes() == ones

    def refuse(decode, *args):
        with pytest.raises(cc.LimitError):
            decode(naive.encode_uleb128(most << 1) + b"\0", most, *args, page_version=2, max_data_size=10**6)

    battery.check_little_memory(lambda: refuse(cc.decode_validity))
    battery.check_little_memory(lambda: refuse(cc.decode_levels, 1))
    battery.check_little_memory(lambda: refuse(cc.decode_levels, 0))


@pytest.mark.parametrize("max_level", [1, 2**15 - 1])
def test_nothing_beside_the_levels(max_level):
    """Levels are decoded into the array that is given back."""
    levels = np.arange(100_000 if conftest.JIT else 10_000) % (max_level + 1)
    encoded = cc.encode_levels(levels, max_level)
    allowed = 2 * levels.size + 10_000
    found = battery.check_little_memory(lambda: cc.decode_levels(encoded, levels.size, max_level).levels, allowed)
    assert found.dtype == np.int16
    assert (found == levels).all()


def test_limits_are_exact():
    """As many bytes as are allowed are allowed."""
    data = cc.encode_levels([0, 2] * 50, 2)
    assert cc.decode_levels(data, 100, 2, max_data_size=200).levels.size == 100
    with pytest.raises(cc.LimitError, match="200 bytes, 199 bytes allowed"):
        cc.decode_levels(data, 100, 2, max_data_size=199)
    data = cc.encode_validity([True, False] * 50, 100)
    assert cc.decode_validity(data, 100, max_data_size=13).null_count == 50
    with pytest.raises(cc.LimitError, match="13 bytes, 12 bytes allowed"):
        cc.decode_validity(data, 100, max_data_size=12)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cc.encode_validity(None, 1, page_version=3), ValueError, "page_version must be 1 or 2, got 3"),
        (lambda: cc.decode_validity(b"", 1, page_version="1"), ValueError, "page_version must be 1 or 2, got '1'"),
        (lambda: cc.encode_levels([0], 0, page_version=0), ValueError, "page_version must be 1 or 2, got 0"),
        (lambda: cc.decode_levels(b"", 1, 0, page_version=0), ValueError, "page_version must be 1 or 2, got 0"),
        (lambda: cc.encode_validity(None, -1), ValueError, "num_values must not be negative"),
        (lambda: cc.decode_validity(b"", 2**31), ValueError, "num_values must be at most"),
        (lambda: cc.decode_levels(b"", 1.0, 1), TypeError, "num_values must be an integer"),
        (lambda: cc.encode_validity([True], 2), cc.InvalidColumnError, "a bool for each of 2 values"),
        (lambda: cc.encode_validity(b"\1", 9), cc.InvalidColumnError, "bitmap of 1 bytes; expected 2"),
        (lambda: cc.encode_validity([1, 0], 2), cc.InvalidTypeError, "a bitmap; or a bool for each value"),
        (lambda: cc.decode_validity("levels", 1), cc.InvalidTypeError, "buf is of type str"),
        (lambda: cc.encode_levels([0], -1), ValueError, "max_level must not be negative"),
        (lambda: cc.encode_levels([0], 2**15), ValueError, r"max_level must be 0 to 2\*\*15 - 1, got 32768"),
        (lambda: cc.decode_levels(b"", 0, 2**15), ValueError, r"max_level must be 0 to 2\*\*15 - 1"),
        (lambda: cc.encode_levels([0, 1, 3], 2), cc.InvalidColumnError, "level 2 is 3; expected 0 to 2"),
        (lambda: cc.encode_levels([0, -1], 2), cc.InvalidColumnError, "level 1 is -1; expected 0 to 2"),
        (
            lambda: cc.encode_levels([0.5], 2),
            cc.InvalidTypeError,
            "integers, got list of dtype float64",
        ),
        (
            lambda: cc.encode_levels([True], 2),
            cc.InvalidTypeError,
            "integers, got list of dtype bool",
        ),
        (lambda: cc.encode_levels([[1]], 2), cc.InvalidTypeError, "2-dimensional"),
        (lambda: cc.encode_levels([[1], [1, 2]], 2), cc.InvalidTypeError, "one-dimensional integers"),
        (lambda: cc.encode_levels(np.ma.array([1], mask=[True]), 2), cc.InvalidTypeError, "MaskedArray"),
        (lambda: cc.encode_levels(None, 2), cc.InvalidTypeError, "one-dimensional integers"),
    ],
)
def test_misuse(call, error, message):
    """Each is answered in words."""
    with pytest.raises(error, match=message):
        call()


def test_errors_tell_the_place():
    """In the bytes that the caller gave: the size of the levels included."""
    data = with_size(naive.encode_hybrid([1, 0, 1, 1, 1, 0, 0, 1], 1) + b"\x10\x02")
    error = check_rejects(data, 16, 1, "BIT_WIDTH")
    assert (error.position, error.index) == (7, 8)
    assert "RLE page, byte 7, value 8" in str(error)
