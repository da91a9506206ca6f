"""The one file: its shell script, and how its archive is unpacked."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from raidtui.values.errors import Refused
from tests.planner.export.script_machine import SHELLCHECK
from tests.release import unpack
from tests.release.one_file import build_one_file
from tests.release.source import ReleaseError

DAY = 1767225600
"""1 January 2026"""
HERE = EXTENSION_SUFFIXES[0]
TAG = f"cpython-{sys.version_info[0]}{sys.version_info[1]}"
OTHER_MACHINE = f".{TAG}-riscv64-linux-gnu.so"
OTHER_PYTHON = ".cpython-39-x86_64-linux-gnu.so"


@pytest.fixture
def one_file(tmp_path: Path) -> Callable[..., Path]:
    """Makes the file of a small wheel and of one that is compiled for the given suffixes."""

    def make(*suffixes: str) -> Path:
        wheel = tmp_path / "raidtui-9.1-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as packed:
            packed.writestr("raidtui/__init__.py", "YEAR = 2026\n")
            packed.writestr("raidtui-9.1.data/data/share/man/man1/raidtui.1", "a page")
            packed.writestr("raidtui-9.1.dist-info/METADATA", "Name: raidtui\n")
        house = tmp_path / "wheels"
        house.mkdir(exist_ok=True)
        for number, suffix in enumerate(suffixes):
            with zipfile.ZipFile(house / f"core-1-cp{number}-none-any.whl", "w") as packed:
                packed.writestr("core/__init__.py", "")
                packed.writestr(f"core/_core{suffix}", "machine code")
                packed.writestr("core-1.data/data/etc/core.conf", "a configuration")
                packed.writestr("core-1.dist-info/RECORD", f"of {number}")
        return build_one_file(tmp_path, wheel, house, DAY)

    return make


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where it is unpacked; does not exist yet."""
    return tmp_path / "cache"


def test_it_unpacks_what_this_python_needs_on_every_machine(
    one_file: Callable[..., Path], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", None)  # whoever runs the tests may keep elsewhere what is compiled
    unpack.provide(cache / "new", one_file(HERE, OTHER_MACHINE, OTHER_PYTHON))
    site = cache / f"new/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    assert {path.name for path in (site / "core").iterdir() if path.is_file()} == {
        "__init__.py", f"_core{HERE}", f"_core{OTHER_MACHINE}",
    }  # fmt: skip
    assert (cache / "new/share/man/man1/raidtui.1").read_text() == "a page"
    assert (site / f"raidtui/__pycache__/__init__.{TAG}.pyc").exists()
    assert (cache / "new/bin/python3").readlink() == Path(sys.executable).resolve()
    assert f"home = {Path(sys.executable).resolve().parent}\n" in (cache / "new/pyvenv.cfg").read_text()
    assert not (site / "__main__.py").exists()
    assert not (site / "etc").exists()
    assert cache.stat().st_mode & 0o777 == (cache / "new").stat().st_mode & 0o777 == 0o700
    assert {path.name for path in cache.iterdir()} == {"lock", "new"}


def test_what_an_interrupted_start_left_is_replaced(one_file: Callable[..., Path], cache: Path) -> None:
    (cache / "partial").mkdir(parents=True)
    cache.chmod(0o700)
    (cache / "partial/planted").write_text("half a file")
    unpack.provide(cache / "new", one_file(HERE))
    assert not (cache / "new/planted").exists()


def test_another_interpreter_takes_the_place_of_a_removed_one(one_file: Callable[..., Path], cache: Path) -> None:
    archive = one_file(HERE)
    unpack.provide(cache / "new", archive)
    program = cache / "new/bin/python3"
    program.unlink()
    program.symlink_to("/opt/removed/bin/python3.11")
    unpack.provide(cache / "new", archive)
    assert program.readlink() == Path(sys.executable).resolve()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o750])
def test_a_directory_open_to_others_is_refused(one_file: Callable[..., Path], cache: Path, mode: int) -> None:
    cache.mkdir()
    cache.chmod(mode)
    with pytest.raises(Refused, match=f"^{cache} is "):
        unpack.provide(cache / "new", one_file(HERE))
    assert not list(cache.iterdir())


def test_a_directory_of_another_user_is_refused(
    one_file: Callable[..., Path], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.mkdir(mode=0o700)
    real = os.lstat

    def of_another(path: str | Path) -> os.stat_result:
        found = real(path)
        return os.stat_result([*found[:4], 4711, *found[5:10]]) if Path(path) == cache else found

    monkeypatch.setattr(os, "lstat", of_another)
    with pytest.raises(Refused, match=f"^{cache} belongs to user 4711"):
        unpack.provide(cache / "new", one_file(HERE))


def test_a_link_is_refused(one_file: Callable[..., Path], cache: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    cache.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="is not a private directory"):
        unpack.provide(cache / "new", one_file(HERE))


def test_an_interpreter_without_modules_is_refused(one_file: Callable[..., Path], cache: Path) -> None:
    with pytest.raises(Refused) as refused:
        unpack.provide(cache / "new", one_file(OTHER_MACHINE, OTHER_PYTHON))
    assert str(refused.value) == f"raidtui-9.1.run has no modules for {sys.executable} ({HERE[1:-3]})"
    assert refused.value.hint.endswith(f": {TAG}-riscv64-linux-gnu, cpython-39-x86_64-linux-gnu; or install the wheel")
    assert not (cache / "new").exists()


def test_wheels_that_differ_in_a_module_are_refused(one_file: Callable[..., Path], tmp_path: Path) -> None:
    one_file(HERE, OTHER_PYTHON)
    with zipfile.ZipFile(tmp_path / "wheels/core-1-cp2-none-any.whl", "w") as packed:
        packed.writestr("core/__init__.py", "version = 2\n")
    with pytest.raises(ReleaseError, match=r"core/__init__.py differs between core-1-cp2-none-any.whl and another"):
        one_file(HERE)


@pytest.mark.process
def test_a_damaged_or_cut_copy_says_so(one_file: Callable[..., Path]) -> None:
    copy = one_file(HERE)
    whole = copy.read_bytes()
    for content in (whole[:-40], whole[:-400] + b"x" + whole[-399:]):
        copy.write_bytes(content)
        done = subprocess.run(["sh", str(copy)], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith(f"raidtui: the content of {copy} differs from the release: sha256 is not ")
        assert done.stderr.endswith("copy the file again\n")


@pytest.mark.process
def test_shellcheck_has_nothing_to_say(one_file: Callable[..., Path], tmp_path: Path) -> None:
    script = tmp_path / "header.sh"
    script.write_bytes(one_file(HERE).read_bytes().partition(b"PK\x03\x04")[0])
    done = subprocess.run([SHELLCHECK, script], capture_output=True, text=True, check=False)
    assert done.stdout == ""


def test_two_builds_are_equal_to_the_byte(one_file: Callable[..., Path]) -> None:
    first = one_file(HERE, OTHER_MACHINE).read_bytes()
    assert one_file(HERE, OTHER_MACHINE).read_bytes() == first
