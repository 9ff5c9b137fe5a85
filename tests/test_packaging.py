"""The package as it is built and installed: what is in it, and that an upgrade runs no kernel of the version before."""

import configparser
import email
import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import conftest
import pytest

sdist = pytest.importorskip("hatchling.builders.sdist")
wheel = pytest.importorskip("hatchling.builders.wheel")

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
INFO = f"colcodec-{PROJECT['version']}.dist-info"


def build_wheel(root, folder):
    (built,) = wheel.WheelBuilder(str(root)).build(directory=str(folder), versions=["standard"])
    return Path(built)


@pytest.fixture(scope="module")
def built_wheel(tmp_path_factory):
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Return a folder with what the sdist has in it."""
    folder = tmp_path_factory.mktemp("sdist")
    (built,) = sdist.SdistBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11 has it from 3.11.4 on
    with tarfile.open(built) as archive:
        archive.extractall(folder, **safely)
    return folder / f"colcodec-{PROJECT['version']}"


def names_in(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def files_of(root, *folders):
    """Name what is written by hand in folders."""
    found = {path for folder in folders for path in (root / folder).rglob("*") if path.is_file()}
    return {path.relative_to(root).as_posix() for path in found if "__pycache__" not in path.parts}


def test_the_wheel_is_the_package_and_nothing_else(built_wheel):
    names = names_in(built_wheel)
    assert {name for name in names if not name.startswith(INFO)} == files_of(ROOT, "colcodec")
    assert {name for name in names if name.startswith(INFO)} == {
        f"{INFO}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")
    }
    assert "colcodec/py.typed" in names
    assert b"Root-Is-Purelib: true" in names[f"{INFO}/WHEEL"]


def test_the_metadata_is_complete(built_wheel):
    """What an index shows, what pip installs, and what other programs look for."""
    names = names_in(built_wheel)
    metadata = email.message_from_bytes(names[f"{INFO}/METADATA"])
    assert metadata["Name"] == "colcodec"
    assert metadata["Summary"] == PROJECT["description"]
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().startswith("# colcodec")
    assert set(metadata.get_all("Provides-Extra")) == set(PROJECT["optional-dependencies"])
    required = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert sorted(required) == sorted(PROJECT["dependencies"])
    entry_points = configparser.ConfigParser(delimiters=["="])
    entry_points.optionxform = str
    entry_points.read_string(names[f"{INFO}/entry_points.txt"].decode())
    groups = {name: dict(entry_points[name]) for name in entry_points.sections()}
    assert groups == {"console_scripts": PROJECT["scripts"], **PROJECT["entry-points"]}


def test_the_sdist_has_the_tests_and_makes_the_same_wheel(sources, built_wheel, tmp_path):
    folders = ("colcodec", "tests", "bench")
    assert files_of(sources, *folders) == files_of(ROOT, *folders)
    others = {"README.md", "pyproject.toml", "PKG-INFO", ".gitignore"}
    assert {path.name for path in sources.iterdir()} == {*folders, *others}
    assert names_in(build_wheel(sources, tmp_path)) == names_in(built_wheel)


READ_A_HEADER = """
import numpy as np
from colcodec._kernels.delta import read_header
print(*map(int, read_header(np.frombuffer(b"\\x80\\x01\\x04\\x7f\\x00", np.uint8), 0, 5, 32)))
print(sum(read_header.stats.cache_hits.values()))
"""


@pytest.mark.skipif(not conftest.JIT, reason="nothing is compiled")
def test_an_upgrade_runs_no_kernel_of_the_version_before(sources, built_wheel, tmp_path):
    """Compiled kernels outlive the files of a wheel: pip removes only what it has installed."""
    pytest.importorskip("pip")
    python = make_environment(tmp_path / "environment")
    install(python, built_wheel)
    assert call(python, READ_A_HEADER) == ["0 5 32 4 127 0", "0"]
    assert call(python, READ_A_HEADER) == ["0 5 32 4 127 0", "1"]
    varint = sources / "colcodec" / "_kernels" / "varint.py"  # read_header is in delta.py, which stays as it is
    text = varint.read_text("utf-8")
    varint.write_text(text.replace("LOW7 = np.uint64(0x7F)", "LOW7 = np.uint64(0x3F)"), "utf-8")
    install(python, build_wheel(sources, tmp_path / "upgrade"))
    assert call(python, READ_A_HEADER) == ["0 5 32 4 63 0", "0"]


def make_environment(folder):
    """Make an environment that finds all that this one has, but for colcodec."""
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return folder / "bin" / "python"


def install(python, built):
    """Install a wheel in the place of what is there."""
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", "--force-reinstall", built], check=True)


def call(python, source):
    """Run a program with what is installed; give the lines that it prints."""
    environment = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
    command = [python, "-W", "error", "-c", source]
    done = subprocess.run(command, env=environment, cwd=python.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
