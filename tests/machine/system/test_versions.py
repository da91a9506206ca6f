"""Versions of installed programs: they run while something else does, and none is left behind."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.machine.system import programs, versions
from raidtui.values.target import TargetVersions

pytestmark = pytest.mark.process


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An mdadm and a mkfs.ext4 that print as Debian's do; the latter waits for a line in `asked`. No mkfs.xfs."""
    os.mkfifo(tmp_path / "asked")
    texts = {
        "mdadm": "echo 'mdadm - v4.2 - 2021-12-30 - Debian 4.2-5' >&2",
        "mkfs.ext4": f"read go < {tmp_path}/asked; echo 'mke2fs 1.47.0 (5-Feb-2023)' >&2",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(programs, "find", lambda name: str(tmp_path / name) if name in texts else None)
    return tmp_path


def test_the_programs_run_while_something_else_does(installed: Path) -> None:
    with versions.asked_versions() as answers:
        (installed / "asked").write_text("go\n")
        found = answers()
    assert (found.mdadm, found.xfsprogs, found.e2fsprogs) == ("4.2", None, "1.47")


def test_a_program_is_ended_with_the_work_beside_it(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[programs.Process] = []
    start = programs.start

    def kept(argv: Sequence[str]) -> programs.Process:
        started.append(start(argv))
        return started[-1]

    monkeypatch.setattr(programs, "start", kept)
    with pytest.raises(RuntimeError), versions.asked_versions():
        raise RuntimeError("the probe failed")
    assert [process.returncode is None for process in started] == [False, False]


def test_a_program_that_does_not_end_has_no_version(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "_SECONDS", 0.2)
    assert versions.found_versions() == TargetVersions(kernel=os.uname().release, mdadm="4.2")
