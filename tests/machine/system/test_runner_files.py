"""What root writes by the name that a plan gives: no link in the path is followed, only a file is replaced."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from raidtui.machine.system.runner import SystemReader, SystemRunner
from raidtui.values.errors import MachineFailed, Refused
from raidtui.values.paths import PathPart
from tests.machine.owners import SOMEBODY, owned_by

RUNNER = SystemRunner(-1)


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "mdadm.conf"
    path.write_text("before")
    path.chmod(0o640)
    RUNNER.write_text(str(path), "after", 0o644)
    assert (path.read_text(), path.stat().st_mode & 0o7777) == ("after", 0o640)
    RUNNER.write_text(str(tmp_path / "new.rules"), "text", 0o644)
    assert (tmp_path / "new.rules").stat().st_mode & 0o7777 == 0o644
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mdadm.conf", "new.rules"]


def test_a_link_to_a_device_leaves_both(tmp_path: Path) -> None:
    (tmp_path / "mdadm.conf").symlink_to("/dev/null")
    with pytest.raises(Refused, match=r"mdadm\.conf is a symbolic link to /dev/null, not a regular file"):
        RUNNER.write_text(str(tmp_path / "mdadm.conf"), "ARRAY", 0o644)
    assert (tmp_path / "mdadm.conf").is_symlink()
    assert Path("/dev/null").is_char_device()


def test_a_link_above_is_not_followed_not_even_ones_own(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "mdadm").symlink_to("real")
    with pytest.raises(Refused, match="mdadm is a symbolic link to real, not a directory") as refused:
        RUNNER.write_text(str(tmp_path / "mdadm" / "mdadm.conf"), "ARRAY", 0o644)
    assert refused.value.hint == (
        f"name the path without the link: {tmp_path / 'real'} in place of {tmp_path / 'mdadm'}"
    )
    assert list((tmp_path / "real").iterdir()) == []


def test_a_directory_of_somebody_else_is_refused_whoever_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "theirs" / "deep").mkdir(parents=True)
    owned_by(monkeypatch, {tmp_path / "theirs": SOMEBODY})
    with pytest.raises(Refused, match=f"theirs belongs to user {SOMEBODY}"):
        RUNNER.write_text(str(tmp_path / "theirs" / "deep" / "fstab"), "text", 0o644)
    assert list((tmp_path / "theirs" / "deep").iterdir()) == []


def test_a_directory_that_is_not_there_is_a_failure_of_the_machine(tmp_path: Path) -> None:
    with pytest.raises(MachineFailed, match="No such file or directory"):
        RUNNER.write_text(str(tmp_path / "no" / "fstab"), "text", 0o644)


def test_a_pipe_in_the_place_of_a_file_holds_no_reader_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mdadm.conf")
    assert SystemReader().read_text(str(tmp_path / "mdadm.conf")) == ""


def test_a_large_file_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("x" * 3_000_000 + "end")
    assert (SystemReader().read_text(str(tmp_path / "text")) or "").endswith("xend")


def test_the_parts_of_a_path_are_what_they_are_themselves(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o750)
    (tmp_path / "a" / "link").symlink_to("../b")
    os.mkfifo(tmp_path / "a" / "pipe", 0o600)

    def last(path: Path) -> PathPart:
        return SystemReader().path_parts(str(path))[-1]

    own = os.geteuid()
    assert SystemReader().path_parts("/")[0].path == "/"
    assert last(tmp_path / "a") == PathPart(path=f"{tmp_path}/a", kind="directory", owner=own, mode=0o750)
    assert last(tmp_path / "a" / "no" / "such") == last(tmp_path / "a")
    for below in ("link", "link/below"):
        found = last(tmp_path / "a" / below)
        assert (found.path, found.kind, found.target) == (f"{tmp_path}/a/link", "link", "../b")
    assert last(tmp_path / "a" / "pipe") == PathPart(path=f"{tmp_path}/a/pipe", kind="pipe", owner=own, mode=0o600)
    assert last(Path("/dev/null")).kind == "character device"


def test_each_of_a_thousand_disks_can_be_held_open_and_locked() -> None:
    _, hard = before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        SystemRunner(0)
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        assert soft == hard or soft >= 2500
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
