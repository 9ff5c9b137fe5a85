"""Hostile pages and files: right results, within a second and little memory, and nothing but a ColcodecError."""

import battery
import conftest
import hostile
import pytest

STEP = 1 if conftest.JIT else 20
PAGES = [
    *(f"DELTA_BINARY_PACKED INT{bits}{heavy}" for bits in (32, 64) for heavy in ("", ", heavy")),
    *(f"{name} BYTE_ARRAY{heavy}" for name in ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY") for heavy in ("", ", heavy")),
    *(f"PLAIN FIXED_LEN_BYTE_ARRAY{heavy}" for heavy in ("", ", heavy")),
    "DELTA_BYTE_ARRAY BYTE_ARRAY",
    "DELTA_BYTE_ARRAY FIXED_LEN_BYTE_ARRAY",
    "RLE_DICTIONARY",
    "RLE_HYBRID",
    "RLE_HYBRID, heavy",
    "LEVELS_V1",
    "LEVELS_V2",
]
FILES = hostile.made_files()


@pytest.fixture(scope="module")
def pages(shared, tmp_path_factory):
    """Make the corpus of pages: its cases, by group."""
    return hostile.make_pages(tmp_path_factory.mktemp("hostile"))


def check(cases):
    """Check that nothing is wrong with what comes of any case."""
    with battery.limited_memory(4 << 30):
        assert hostile.faults(hostile.run(case) for case in cases) == {}


@pytest.mark.parametrize("group", PAGES)
def test_hostile_pages(pages, group):
    """No wrong value, no page refused that is legal, none accepted that is not."""
    if "heavy" in group and not conftest.JIT:
        pytest.skip("needs compiled kernels: walks billions of values")
    check(pages[group][::STEP])


def test_every_page_is_run(pages):
    """No group of the corpus is left out."""
    assert set(pages) == set(PAGES)
    assert sum(map(len, pages.values())) > 19_000


@pytest.mark.parametrize("group", FILES)
def test_hostile_files(group):
    """E18, F8, G3, I15: footers and page headers of our own making."""
    check(FILES[group][::STEP])


def test_bad_files_of_the_corpus(shared):
    """D14, G2: each column of each file, and each file looked into; little, however much a file claims."""
    for cases in hostile.corpus_files().values():
        check(cases[:: 5 * STEP])
