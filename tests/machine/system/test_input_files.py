"""Nothing but a regular file of a bearable size is read, whatever is named."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.bench import prepare, store
from raidtui.cli import main
from raidtui.engine import folders, journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.runs import read_plan
from raidtui.machine.gauges.sampler import read_recording
from raidtui.machine.inventory import measure_disks, shipped
from raidtui.machine.system import files
from raidtui.machine.system.files import PLAN, InputKind, is_named, read_named, read_own
from raidtui.session.report import Places, material
from raidtui.values.errors import BadInput, MachineFailed, Refused

SMALL = replace(PLAN, most=1000)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    """Bound by a relative name: the path of a test is too long for an address."""
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)


def zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


FOUND: list[tuple[Callable[[Path], object], str]] = [
    (pipe, "is a pipe"),
    (a_socket, "is a socket"),
    (zero, "is a character device"),
    (Path.mkdir, "is a directory"),
]
READERS: dict[str, Callable[[Path], Any]] = {
    "plan": read_plan,
    "inventory": lambda path: shipped.load_file(str(path)),
    "profile": lambda path: prepare.load(str(path)),
    "recording": read_recording,
    "benchmark": lambda path: store.load(path.parent),
    "speeds": measure_disks.kept,
}


@pytest.mark.parametrize(("make", "words"), FOUND)
@pytest.mark.parametrize("what", READERS)
def test_what_is_no_regular_file_is_not_opened(
    what: str, make: Callable[[Path], object], words: str, tmp_path: Path
) -> None:
    path = tmp_path / ("result.json" if what == "benchmark" else "given.json")
    make(path)
    expected = "is a symbolic link" if what == "speeds" and make is zero else words
    with pytest.raises(BadInput, match=expected) as refused:
        READERS[what](path)
    assert str(path) in str(refused.value)
    assert refused.value.hint


@pytest.mark.parametrize("what", READERS)
def test_what_is_too_large_is_not_read(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / ("result.json" if what == "benchmark" else "given.json")
    with path.open("wb") as file:
        file.truncate(1 << 42)
    with pytest.raises(BadInput, match=r"is too large: .* has at most [0-9]+ [MG]iB"):
        READERS[what](path)


def test_the_size_is_counted_where_the_file_has_none_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path("/proc/self/status")
    assert path.stat().st_size == 0
    assert read_named(path, PLAN).startswith(b"Name:")
    with pytest.raises(BadInput, match="too large"):
        read_named(path, SMALL)


def test_size_at_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "given"
    path.write_bytes(b"x" * 1000)
    assert len(read_named(path, SMALL)) == 1000
    path.write_bytes(b"x" * 1001)
    with pytest.raises(BadInput, match="has at most 1000 B"):
        read_named(path, SMALL)


@pytest.mark.parametrize("name", ["", "n" * 5000, "a\0b", "none/there"])
def test_names_that_cannot_be(name: str) -> None:
    assert not is_named(name)
    with pytest.raises(BadInput):
        read_named(Path(name), PLAN)


def test_report_takes_no_pipe_for_a_document(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "report.json")
    with pytest.raises(BadInput):
        material(str(tmp_path / "report.json"), Places(runs=(), benches=()))


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "PATH"],
        ["resume", "PATH"],
        ["undo", "PATH"],
        ["script", "PATH"],
        ["plan", "PATH"],
        ["disks", "--inventory", "PATH"],
        ["report", "PATH"],
        ["tune", "raid1(2)", "--disks", "2x2TB", "--profile", "PATH", "--dry-run"],
        ["bench", "PATH", "--dry-run"],
        ["status", "PATH"],
        ["control", "PATH", "pause"],
        ["build", "--attach", "PATH"],
    ],
)
@pytest.mark.parametrize("make", [pipe, zero])
def test_no_verb_hangs_or_eats_memory(
    make: Callable[[Path], object], arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "given.json"
    make(path)
    assert main([str(path) if word == "PATH" else word for word in arguments]) == 2
    assert capsys.readouterr().err.startswith("raidtui: ")


@pytest.mark.parametrize("verb", ["resume", "undo", "script", "report", "status", "build", "bench", "plan"])
def test_a_name_longer_than_any_file_is_no_traceback(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("n" * 5000 + ".json", "n/" * 3000 + "n.json"):
        assert main([verb, name]) == 2


# What raidtui keeps itself.

KEPT = InputKind(name="a test's file", most=1000, way_out="none")


def test_own_files_are_opened_by_no_link_and_belong_to_their_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"text")
    assert read_own(path, KEPT) == b"text"
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(BadInput, match="is a symbolic link"):
        read_own(tmp_path / "link", KEPT)
    with pytest.raises(MachineFailed, match="No such file"):
        read_own(tmp_path / "none", KEPT)
    path.chmod(0o620)
    with pytest.raises(Refused, match="is writable by others"):
        read_own(path, KEPT)
    path.chmod(0o600)
    tmp_path.chmod(0o770)
    with pytest.raises(Refused, match="is writable by others"):
        read_own(path, KEPT)
    tmp_path.chmod(0o700)
    monkeypatch.setattr(files, "trusted_owners", lambda: frozenset((12345,)))
    with pytest.raises(Refused, match="belongs to user"):
        read_own(path, KEPT)


def test_requests_that_are_no_requests_ask_for_nothing(tmp_path: Path) -> None:
    for text in (b"", b"[]", b'{"pause": true, "more": 1}', b"[" * 100_000, b'"' + b"x" * 70_000 + b'"'):
        (tmp_path / "wish").write_bytes(text)
        assert folders.read_request(tmp_path) == ControlRequest()
    (tmp_path / "wish").unlink()
    os.mkfifo(tmp_path / "wish")
    assert folders.read_request(tmp_path) == ControlRequest()


def test_a_journal_that_is_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "journal")
    with pytest.raises(BadInput, match="is a pipe"):
        journal.records(tmp_path)
