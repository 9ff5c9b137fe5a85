"""Files that are written as a whole or not at all."""

import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import fsspec
import pytest

from colcodec.parquet.files import replacing

ROOT = Path(__file__).parents[2]
POSIX = os.name == "posix"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("kind", [str, Path])
def test_a_new_file_has_its_name_only_at_the_end(tmp_path, kind):
    target = tmp_path / "new"
    with replacing(kind(target)) as file:
        file.write(b"all of it")
        assert not target.exists()
        assert file.seek(0) == 0
        assert file.read() == b"all of it"
    assert target.read_bytes() == b"all of it"
    assert names(tmp_path) == ["new"]


def test_what_was_there_stays_until_then(tmp_path):
    target = tmp_path / "known"
    target.write_bytes(b"old")
    with replacing(target) as file:
        file.write(b"new")
        file.flush()
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt])
@pytest.mark.parametrize("is_there", [False, True])
def test_an_error_leaves_what_was_there(tmp_path, error, is_there):
    target = tmp_path / "known"
    if is_there:
        target.write_bytes(b"old")
    with pytest.raises(error), replacing(target) as file:  # noqa: PT012 - what happens inside is what is tested
        file.write(b"half")
        raise error
    assert names(tmp_path) == ["known"] * is_there
    assert not is_there or target.read_bytes() == b"old"


@pytest.mark.skipif(not POSIX, reason="needs permission bits")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_permissions_stay_and_hold_while_it_is_written(tmp_path, mode):
    target = tmp_path / "known"
    target.write_bytes(b"old")
    target.chmod(mode)
    with replacing(target) as file:
        (part,) = set(tmp_path.iterdir()) - {target}
        assert stat.S_IMODE(part.stat().st_mode) == mode
        file.write(b"new")
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert target.read_bytes() == b"new"


@pytest.mark.skipif(not POSIX, reason="needs links")
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "file", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with replacing(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names(tmp_path / "far") == ["file"]


@pytest.mark.skipif(not POSIX, reason="needs links")
def test_a_link_that_leads_nowhere_leads_to_the_file(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "file")
    with replacing(link) as file:
        file.write(b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert link.is_symlink()


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "none" / "file"):
        pass


@pytest.mark.skipif(not POSIX, reason="needs a device")
def test_a_device_is_written_to():
    with replacing("/dev/null") as file:
        file.write(b"gone")
    assert not Path("/dev/null").is_file()


def test_an_open_file_is_written_to_and_stays_open():
    file = io.BytesIO()
    with replacing(file) as opened:
        opened.write(b"all of it")
    assert file.getvalue() == b"all of it"


def test_a_url(tmp_path):
    target = tmp_path / "known"
    with replacing(f"file://{target}") as file:
        file.write(b"all of it")
        assert not target.exists()
    assert target.read_bytes() == b"all of it"
    with pytest.raises(KeyError), replacing(f"file://{target}") as file:  # noqa: PT012 - what happens inside is what is tested
        file.write(b"half")
        raise KeyError
    assert target.read_bytes() == b"all of it"


def test_a_url_of_this_machine_is_a_path(tmp_path):
    """What becomes of it lies beside it until then, and permissions stay."""
    target = tmp_path / "known"
    target.write_bytes(b"old")
    target.chmod(0o640)
    with replacing(f"file://{target}") as file:
        file.write(b"new")
        assert len(names(tmp_path)) == 2
    assert (names(tmp_path), target.read_bytes()) == (["known"], b"new")
    assert not POSIX or stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_url_elsewhere():
    store = fsspec.filesystem("memory")
    store.pipe("/replacing/known", b"old")
    with replacing("memory://replacing/known") as file:
        file.write(b"new")
        assert store.cat("/replacing/known") == b"old"
        file.seek(0)
        assert file.read() == b"new"
    assert store.cat("/replacing/known") == b"new"
    with pytest.raises(KeyError), replacing("memory://replacing/known") as file:  # noqa: PT012 - what happens inside is what is tested
        file.write(b"half")
        raise KeyError
    assert store.cat("/replacing/known") == b"new"


def test_neither_path_nor_file():
    with pytest.raises(TypeError, match="expected a path, a URL or a binary file, got int"), replacing(5):
        pass


@pytest.mark.skipif(not POSIX, reason="needs signals")
def test_killed_it_leaves_what_was_there(tmp_path):
    target = tmp_path / "known"
    target.write_bytes(b"old")
    script = (
        "import os, signal, sys\n"
        "from colcodec.parquet.files import replacing\n"
        "with replacing(sys.argv[1]) as file:\n"
        "    file.write(b'half')\n"
        "    file.flush()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, target], cwd=ROOT, check=False)
    assert ended.returncode == -9
    assert target.read_bytes() == b"old"
