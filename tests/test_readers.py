"""What readers read: one table, which README repeats."""

from pathlib import Path

import pytest

from colcodec import Encoding
from colcodec.readers import READERS, RECENT, check_readers, count_readers, why_unreadable

README = (Path(__file__).parents[1] / "README.md").read_text()
TOLD = [encoding for encoding in Encoding if count_readers(encoding)]


def cell_of(encoding):
    recent = {name: since for (name, what), since in RECENT.items() if what is encoding}
    never = [name for name, read in READERS.items() if encoding not in read and name not in recent]
    parts = [f"not {', '.join(never)}"] if never else []
    parts += [f"{name} since {since}" for name, since in recent.items()]
    return "; ".join(parts) or "all"


@pytest.mark.parametrize("encoding", TOLD, ids=[encoding.name for encoding in TOLD])
def test_readme_says_the_same(encoding):
    row = next(line for line in README.splitlines() if line.startswith(f"| {encoding.name} ({encoding.value}) |"))
    assert row.split("|")[3].strip() == cell_of(encoding)


def test_readme_names_every_reader():
    assert ", ".join(READERS) in README.replace("\n", " ")


def test_plain_and_dictionaries_are_read_by_all():
    for encoding in (Encoding.PLAIN, Encoding.RLE_DICTIONARY):
        assert count_readers(encoding) == len(READERS)
        assert why_unreadable(encoding, READERS) is None


def test_what_is_recent_is_not_counted():
    assert all(encoding not in READERS[name] for name, encoding in RECENT)


def test_names_come_alone_in_lists_or_not_at_all():
    assert check_readers(None) == check_readers([]) == ()
    assert check_readers("spark") == check_readers(["spark"]) == ("spark",)
    assert check_readers(iter(["spark", "impala"])) == ("spark", "impala")
    with pytest.raises(ValueError, match=r"unknown reader 'Spark'; expected one of arrow-go, .*, velox"):
        check_readers(["impala", "Spark"])


def test_the_first_who_does_not_read_is_named():
    wanted = Encoding.DELTA_BYTE_ARRAY
    assert why_unreadable(wanted, ()) is why_unreadable(wanted, ("spark", "duckdb")) is None
    assert why_unreadable(wanted, ("spark", "impala", "hive")) == "not read by impala"
    assert why_unreadable(wanted, ("iceberg",)) == "read by iceberg only since 1.11 (2026)"
