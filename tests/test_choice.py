"""Choosing an encoding: columns for which each is the best, estimates beside full measurements, limits, determinism."""

import sys
from itertools import pairwise

import cramjam
import numpy as np
import pytest

import colcodec as cc
from colcodec.choice import STRING_ENCODINGS, _spread_runs
from colcodec.readers import READERS

PAGE_SIZE, PAGE_ROWS = 2**20, 65_536


def sizes(choice):
    return {figure.encoding.name: (figure.size, figure.compressed_size) for figure in choice.figures}


def states(count, seed=0):
    names = np.array([f"State of {i}" for i in range(50)])
    return names[np.minimum(np.random.default_rng(seed).zipf(1.3, count) - 1, 49)]


def hexes(count, length=32, seed=0):
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    return digits[np.random.default_rng(seed).integers(0, 16, (count, length))].view(f"S{length}")[:, 0]


def urls(count, seed=0):
    ids = np.sort(np.random.default_rng(seed).integers(0, 10**8, count))
    return np.array([f"https://www.example.com/articles/{i // 1000:05}/item-{i % 1000}.html" for i in ids])


def texts(count, seed=0):
    words = np.array([value.decode() for value in hexes(3000, 6)])
    drawn = np.minimum(np.random.default_rng(seed).zipf(1.2, (count, 12)) - 1, 2999)
    return np.array([" ".join(words[row][: 3 + i % 9]) for i, row in enumerate(drawn)])


# --- Which encoding it is

COLUMNS = {
    "few distinct values": (states, "RLE_DICTIONARY"),
    "sorted urls": (urls, "DELTA_BYTE_ARRAY"),
    "random digits": (hexes, "DELTA_LENGTH_BYTE_ARRAY"),
}


@pytest.mark.parametrize(("make", "best"), COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("compression", ["zstd", "snappy", "lz4", "gzip", "none"])
def test_each_encoding_is_the_best_for_some_column(make, best, compression):
    choice = cc.choose(make(12_000), compression=compression, sample=4_000)
    assert choice.encoding.name == best
    usable = [figure for figure in choice.figures if figure.reason is None]
    assert min(usable, key=lambda figure: figure.compressed_size).encoding is choice.encoding
    assert [figure.encoding for figure in choice.figures] == list(STRING_ENCODINGS)
    assert choice.num_sampled == 4_000


@pytest.mark.parametrize(
    "values", [[], [None] * 1000, ["a"], [""]], ids=["empty", "all null", "one value", "one empty"]
)
@pytest.mark.parametrize("sample", [None, 1, 65_536])
def test_plain_is_the_best_for_next_to_nothing(values, sample):
    choice = cc.choose(values, sample=sample)
    assert choice.encoding is cc.Encoding.PLAIN
    assert choice.num_sampled == len([value for value in values if value is not None])
    assert all(figure.compressed_size > 0 for figure in choice.figures)


def test_of_the_same_size_that_which_more_readers_know(monkeypatch):
    monkeypatch.setattr("colcodec.choice.find_compressor", lambda _: lambda page: page[:0])
    choice = cc.choose(["axis", "axle"])
    assert {figure.compressed_size for figure in choice.figures} == {0}
    assert choice.encoding is cc.Encoding.PLAIN
    monkeypatch.setattr("colcodec.choice.find_compressor", lambda _: lambda page: page[: page.size == 24])
    assert cc.choose(["axis", "axle", "axle"]).encoding is cc.Encoding.RLE_DICTIONARY  # PLAIN alone has 24 bytes


# --- How large it says they are


@pytest.mark.parametrize("make", [states, urls, hexes, texts])
def test_estimates_are_close_to_what_the_column_takes(make):
    values = make(50_000)
    estimated = sizes(cc.choose(values, sample=16_384))
    measured = sizes(cc.choose(values, sample=None))
    for name, (size, compressed_size) in measured.items():
        if size is None:
            assert estimated[name] == (None, None)
        else:
            assert estimated[name] == pytest.approx((size, compressed_size), rel=0.05)
    assert estimated["PLAIN"][0] == measured["PLAIN"][0]


def test_estimates_allow_for_values_of_other_lengths_elsewhere():
    values = np.concatenate([states(20_000), hexes(10_000, 64).astype("U"), texts(10_000)])
    estimated = sizes(cc.choose(values, sample=16_384))
    measured = sizes(cc.choose(values, sample=None))
    for name in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"):
        assert estimated[name] == pytest.approx(measured[name], rel=0.05)


def test_sizes_of_a_short_column_are_those_of_its_page():
    values = ["axis", "axle", None, "axis", "babble"]
    for name, (size, compressed_size) in sizes(cc.choose(values, compression="none")).items():
        page = cc.encode(values, name)
        assert size == compressed_size == page.nbytes + (0 if page.dictionary is None else page.dictionary.nbytes)


def pages_of(column, encoding, num_pages):
    ends = [len(column) * i // num_pages for i in range(num_pages + 1)]
    return [cc.encode(column[start:end], encoding).data for start, end in pairwise(ends)]


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
@pytest.mark.parametrize(
    ("values", "num_pages"),
    [(["axis", "axle"] * (PAGE_ROWS // 2), 1), (["axis"] * (PAGE_ROWS + 1), 2), (hexes(3, PAGE_SIZE), 3)],
    ids=["rows of one page", "rows of two pages", "a MiB a value"],
)
def test_pages_are_cut_by_rows_and_by_size(encoding, values, num_pages):
    column = cc.column(values)
    pages = pages_of(column, encoding, num_pages)
    compressed = [cramjam.zstd.compress(page.tobytes(), level=3) for page in pages]
    assert sizes(cc.choose(column, sample=None))[encoding] == (sum(map(len, pages)), sum(map(len, compressed)))


def test_a_page_holds_fewer_values_where_most_are_null():
    sparse = ["axis" if i % 4 == 0 else None for i in range(2 * PAGE_ROWS)]
    present = cc.column(["axis"] * (PAGE_ROWS // 2))
    assert sizes(cc.choose(sparse, compression="none"))["DELTA_LENGTH_BYTE_ARRAY"][0] == sum(
        map(len, pages_of(present, "DELTA_LENGTH_BYTE_ARRAY", 2))
    )


def test_the_dictionary_is_that_of_the_whole_column():
    values = [f"key-{i % 5000:04}" for i in range(100_000)]
    distinct = cc.encode(values, "RLE_DICTIONARY").dictionary.nbytes
    size = sizes(cc.choose(values, compression="none", sample=1000))["RLE_DICTIONARY"][0]
    indices = 100_000 * 13 // 8  # bits for 5000
    assert size == pytest.approx(distinct + indices, rel=0.01)


def test_a_dictionary_that_outgrows_its_limit_is_no_candidate():
    values = states(10_000)
    assert cc.choose(values).encoding is cc.Encoding.RLE_DICTIONARY
    choice = cc.choose(values, max_dictionary_size=100)
    assert choice.encoding is not cc.Encoding.RLE_DICTIONARY
    figure = choice.figures[-1]
    assert (figure.encoding, figure.size, figure.compressed_size) == (cc.Encoding.RLE_DICTIONARY, None, None)
    assert "the dictionary takes more than 100 bytes" in figure.reason


def test_bytes_under_nulls_and_outside_of_a_slice_do_not_count():
    plain = ["axis", "axle", "babble"] * 100
    column = cc.StringColumn([0, 4, 9, 13, 19], b"axisNEVERaxlebabble", [True, False, True, True])
    choice = cc.choose(column, compression="none")
    assert sizes(choice)["PLAIN"] == (26, 26)
    whole = cc.column(["before", *plain, "behind"])
    assert cc.choose(whole[1:-1]) == cc.choose(plain)


# --- The sample


@pytest.mark.parametrize(
    ("count", "most"), [(0, 5), (1, 1), (5, 5), (6, 5), (100, 3), (1000, 16), (1000, 999), (10**6, 65_536)]
)
def test_runs_are_apart_and_reach_both_ends(count, most):
    runs = _spread_runs(count, most)
    assert all(end <= start for (_, end), (start, _) in pairwise(runs))
    assert runs[0][0] == 0
    assert sum(end - start for start, end in runs) <= most
    if len(runs) > 1 or count <= most:
        assert runs[-1][1] == count


def test_the_same_column_gives_the_same_choice():
    column = cc.column(texts(20_000))
    assert cc.choose(column, sample=5000) == cc.choose(column, sample=5000)
    assert cc.choose(column.to_pylist(), sample=5000) == cc.choose(column, sample=5000)


def test_a_sample_may_be_one_value():
    choice = cc.choose(["axis"] * 1000, sample=1)
    assert choice.num_sampled == 1
    assert sizes(choice)["PLAIN"][0] == 8000


def test_a_sample_may_be_a_small_integer_of_numpy():
    assert cc.choose(["axis"] * 1000, sample=np.uint8(160)).num_sampled == 160


# --- Readers


@pytest.mark.parametrize("readers", ["impala", "fastparquet", ["spark", "hive"], ("duckdb", "velox")])
def test_readers_limit_the_candidates(readers):
    assert cc.choose(urls(3_000)).encoding is cc.Encoding.DELTA_BYTE_ARRAY
    choice = cc.choose(urls(3_000), readers=readers)
    names = [readers] if isinstance(readers, str) else readers
    for figure in choice.figures:
        assert (figure.reason is None or "dictionary" in figure.reason) == all(
            figure.encoding in READERS[name] for name in names
        )
    assert choice.encoding is cc.Encoding.PLAIN


def test_who_is_no_reader_is_told():
    with pytest.raises(ValueError, match="unknown reader 'excel'; expected one of arrow-go, "):
        cc.choose(["a"], readers="excel")


# --- Misuse


def test_arguments_are_checked(monkeypatch):
    with pytest.raises(ValueError, match="one of zstd, snappy, lz4, gzip, brotli, none, not 'lzo'"):
        cc.choose(["a"], compression="lzo")
    with pytest.raises(ValueError, match="sample must be at least 1, got 0"):
        cc.choose(["a"], sample=0)
    with pytest.raises(ValueError, match="sample"):
        cc.choose(["a"], sample=-1)
    with pytest.raises(TypeError, match="sample"):
        cc.choose(["a"], sample=1.5)
    with pytest.raises(ValueError, match="max_dictionary_size"):
        cc.choose(["a"], max_dictionary_size=-1)
    with pytest.raises(cc.InvalidTypeError):
        cc.choose(np.arange(3))
    monkeypatch.setitem(sys.modules, "cramjam", None)
    with pytest.raises(ImportError, match=r'pip install "colcodec\[parquet\]"'):
        cc.choose(["a"])
    assert cc.choose(["a"], compression="none").encoding is cc.Encoding.PLAIN


def test_a_column_that_was_written_to_is_refused():
    offsets = np.array([0, 1, 2], np.int64)
    column = cc.StringColumn._trusted(offsets, np.frombuffer(b"ab", np.uint8))
    offsets[1] = 99
    with pytest.raises(cc.InvalidColumnError):
        cc.choose(column)
