"""The cache of compiled kernels: what it may be trusted with, and that it is never in the way."""

import os
import shutil

import conftest
import pytest
from processes import PACKAGE, run_python

pytestmark = pytest.mark.skipif(not conftest.JIT, reason="nothing is compiled")

READ_ONLY = """
import os, sys
folders = tuple(filter(None, os.environ["READ_ONLY"].split(os.pathsep)))
def refuse(event, arguments):
    writes = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR) or event == "os.mkdir"
    if writes and str(arguments[0]).startswith(folders):
        raise PermissionError(f"{event}: {arguments}")
"""
REFUSED = "sys.addaudithook(refuse)"  # root, as whom tests may run, is not bound by permissions
READ_A_VARINT = """
import numpy as np
from colcodec._kernels.varint import read_uleb128
print(read_uleb128(np.array([0xac, 2], np.uint8), 0, 2, 32)[2], sum(read_uleb128.stats.cache_hits.values()))
"""
COMPILED, FROM_CACHE = "300 0", "300 1"


@pytest.fixture
def site(tmp_path):
    """Return a folder with a copy of the package."""
    shutil.copytree(PACKAGE, tmp_path / "site" / "colcodec", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "site"


@pytest.fixture
def read_a_varint(site, tmp_path):
    """Call a small kernel in a new process: NUMBA_CACHE_DIR, folders that cannot be written to -> what is printed."""
    home = tmp_path / "home"
    home.mkdir()

    def call(chosen="", *read_only, source=READ_ONLY + REFUSED + READ_A_VARINT):
        variables = {"XDG_CACHE_HOME": home, "NUMBA_CACHE_DIR": chosen, "PYTHONDONTWRITEBYTECODE": 1}
        variables["READ_ONLY"] = os.pathsep.join(map(str, read_only))
        return run_python(source, tmp_path, site, **{name: str(value) for name, value in variables.items()}).strip()

    return call


# --- Never stale -----------------------------------------------------------------------------------------------------


def test_edits_in_other_files_are_noticed(tmp_path, site):
    """Numba alone would run the old code: its stamp of a cached kernel is that of the kernel's own file."""
    source = """
import numpy as np
from colcodec._kernels.delta import read_header
header = np.frombuffer(b"\\x80\\x01\\x04\\x7f\\x00", np.uint8)
print(*map(int, read_header(header, 0, 5, 32)))
print(sum(read_header.stats.cache_hits.values()))
"""
    found = "0 5 32 4 127 0"
    assert run_python(source, tmp_path, site).splitlines() == [found, "0"]
    assert run_python(source, tmp_path, site).splitlines() == [found, "1"]
    for file, old, new in (
        ("_kernels/varint.py", "LOW7 = np.uint64(0x7F)", "LOW7 = np.uint64(0x3F)"),  # a constant of the callee
        ("_kernels/varint.py", "return OK, pos + 1, value", "return OK, pos + 1, value + ONE"),  # the callee itself
        ("_spec.py", "BLOCK_SIZE_MULTIPLE: Final = 128", "BLOCK_SIZE_MULTIPLE: Final = 96"),  # from outside of them
    ):
        path = site / "colcodec" / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        after, hits = run_python(source, tmp_path, site).splitlines()
        assert after != found
        assert hits == "0"
        path.write_text(text)


def test_bounds_checks_have_a_cache_of_their_own(tmp_path):
    """A kernel that was cached without checks is compiled again with them, and the reverse."""
    source = """
import numpy as np
from colcodec._kernels._jit import CHECKED
from colcodec._kernels.memory import copy_bytes
whole = np.zeros(64, np.uint8)
page = np.zeros(8, np.uint8)
page.flags.writeable = False
try:
    copy_bytes(page, 0, whole[:16], 0, 12)
    print(CHECKED, "no check")
except IndexError as error:
    print(CHECKED, error)
"""
    off, on = ("0", "False no check"), ("1", "True access outside of an array")
    for flag, expected in [off, on, off]:
        assert run_python(source, tmp_path, NUMBA_BOUNDSCHECK=flag).strip() == expected


def test_functions_of_python_are_found_from_the_cache(tmp_path):
    """A kernel that calls them is compiled in one process and used in the next."""
    source = """
import colcodec as cc
from colcodec._kernels.objects import make_objects, read_objects
print(cc.column(["a", "text", None, "\u00e9\u20ac"]).to_pylist())
print(*(sum(kernel.stats.cache_hits.values()) for kernel in (make_objects, read_objects)))
"""
    for hits in ("0 0", "1 1"):
        assert run_python(source, tmp_path).splitlines() == [str(["a", "text", None, "é€"]), hits]


# --- Never in the way ------------------------------------------------------------------------------------------------


def test_the_users_cache_is_used_where_the_package_cannot_be_written_to(read_a_varint, site, tmp_path):
    """And an upgrade in the same place, of a callee in another file, does not run what was compiled before."""
    assert read_a_varint("", site) == COMPILED
    assert read_a_varint("", site) == FROM_CACHE
    assert list((tmp_path / "home" / "numba").rglob("*.nbc"))
    upgraded = site / "colcodec" / "_kernels" / "memory.py"
    upgraded.write_text(upgraded.read_text() + "\n")
    assert read_a_varint("", site) == COMPILED


@pytest.mark.parametrize("chosen", ["", "cache"])
def test_kernels_are_compiled_each_time_where_nothing_can_be_written(read_a_varint, tmp_path, chosen):
    """Without a word."""
    chosen = chosen and tmp_path / chosen
    assert read_a_varint(chosen, tmp_path) == COMPILED
    assert not list(tmp_path.rglob("*.nb?"))


@pytest.mark.parametrize("chosen", ["", "cache"])
def test_what_was_compiled_where_a_container_was_made_is_used_in_it(read_a_varint, site, tmp_path, chosen):
    """Whether or not its user has a home to write to, and only by the package that has compiled it."""
    chosen = chosen and tmp_path / chosen
    assert read_a_varint(chosen) == COMPILED
    if chosen:
        assert read_a_varint(chosen, tmp_path) == FROM_CACHE
    else:
        assert read_a_varint(chosen, site) == FROM_CACHE
        edited = site / "colcodec" / "_kernels" / "memory.py"
        edited.write_text(edited.read_text() + "\n")
        assert read_a_varint(chosen, tmp_path) == COMPILED


def test_a_cache_that_can_be_written_to_no_more_is_done_without(read_a_varint, tmp_path):
    """As by a server that gives up its rights once it has begun, or on a disk that is full."""
    after_import = READ_ONLY + "import colcodec\n" + REFUSED + READ_A_VARINT
    assert read_a_varint("", tmp_path, source=after_import) == COMPILED
    assert not list(tmp_path.rglob("*.nb?"))


def test_a_damaged_cache_is_made_anew(read_a_varint, site):
    assert read_a_varint() == COMPILED
    for kind, damage in (("nbi", b""), ("nbc", b"damage")):
        (damaged,) = site.rglob(f"varint.read_uleb128-*.{kind}")
        damaged.write_bytes(damage)
        assert read_a_varint() == COMPILED
    assert read_a_varint() == FROM_CACHE
