"""The one door for files: no link is followed, nothing else than a regular file is replaced, and nothing gets wider."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.machine.system import files
from raidtui.machine.system.files import half_written, new_file, write_durably, write_new, write_together
from raidtui.values.errors import MachineFailed, Refused
from tests.machine.owners import SOMEBODY, as_root, owned_by

HEX = "0123456789abcdef"


def permissions(path: Path) -> str:
    return f"{path.stat().st_mode & 0o7777:04o}"


@pytest.fixture
def foreseen(monkeypatch: pytest.MonkeyPatch) -> str:
    """What the temporary names end with, as if somebody had foreseen it."""
    monkeypatch.setattr(secrets, "token_hex", lambda _: HEX)
    return f".raidtui-{HEX}"


# What has the name.


def test_a_link_is_not_followed_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "null").write_text("as before")
    (tmp_path / "conf").symlink_to("null")
    with pytest.raises(Refused) as refused:
        write_durably(tmp_path / "conf", "ARRAY", mode=0o644)
    assert str(refused.value) == f"{tmp_path}/conf is a symbolic link to null, not a regular file"
    assert refused.value.hint == (
        f"move it away; if its content shall stay: cp --remove-destination {tmp_path}/null {tmp_path}/conf"
    )
    assert (tmp_path / "null").read_text() == "as before"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["conf", "null"]


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda path: os.mkfifo(path), "a pipe"),
        (lambda path: path.mkdir(), "a directory"),
        (lambda path: path.symlink_to("/dev/null"), "a symbolic link to /dev/null"),
    ],
)
def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path, make: Callable[[Path], None], what: str) -> None:
    make(tmp_path / "fstab")
    before = os.lstat(tmp_path / "fstab")
    for write in (write_durably, lambda path, text, mode: write_together({path: text}, mode=mode)):
        with pytest.raises(Refused, match=f"fstab is {what}, not a regular file"):
            write(tmp_path / "fstab", "text", mode=0o644)
    after = os.lstat(tmp_path / "fstab")
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="/dev/null is a character device, not a regular file"):
        write_durably(Path("/dev/null"), "text", mode=0o644)
    assert stat.S_ISCHR(os.lstat("/dev/null").st_mode)


@pytest.mark.parametrize("open_to", [0o666, 0o620, 0o602])
def test_a_file_that_others_may_write_is_not_taken_for_roots_own(tmp_path: Path, open_to: int) -> None:
    (tmp_path / "fstab").write_text("theirs")
    (tmp_path / "fstab").chmod(open_to)
    with pytest.raises(Refused, match=rf"fstab is writable by others than its owner \(mode {open_to:04o}\)"):
        write_durably(tmp_path / "fstab", "text", mode=0o644)
    assert (tmp_path / "fstab").read_text() == "theirs"


def test_a_file_of_another_user_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fstab").write_text("theirs")
    owned_by(monkeypatch, {tmp_path / "fstab": SOMEBODY})
    with pytest.raises(Refused, match="fstab belongs to user 4321"):
        write_durably(tmp_path / "fstab", "text", mode=0o644)


# What it becomes.


@pytest.mark.parametrize("umask", [0o000, 0o077])
@pytest.mark.parametrize(("before", "after"), [(0o600, "0600"), (0o640, "0640"), (0o755, "0755"), (None, "0644")])
def test_an_earlier_file_keeps_its_mode_a_new_one_has_that_of_the_plan(
    tmp_path: Path, before: int | None, after: str, umask: int
) -> None:
    path = tmp_path / "mdadm.conf"
    if before is not None:
        path.write_text("before")
        path.chmod(before)
    kept = os.umask(umask)
    try:
        write_durably(path, "after", mode=0o644)
    finally:
        os.umask(kept)
    assert (path.read_text(), permissions(path)) == ("after", after)


def test_it_is_never_wider_than_before_not_even_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    real = os.fsync

    def look(handle: int) -> None:
        seen.extend(permissions(each) for each in tmp_path.iterdir())
        real(handle)

    (tmp_path / "secret").write_text("before")
    (tmp_path / "secret").chmod(0o600)
    monkeypatch.setattr(os, "fsync", look)
    write_durably(tmp_path / "secret", "after", mode=0o644)
    assert set(seen) == {"0600"}


def test_owner_and_group_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fstab").write_text("before")
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "fchown", lambda _, owner, group: given.append((owner, group)))
    write_durably(tmp_path / "fstab", "after", mode=0o644)
    write_durably(tmp_path / "new", "after", mode=0o644)
    found = (tmp_path / "fstab").stat()
    assert given == [(found.st_uid, found.st_gid)]


def test_who_may_not_keep_the_group_gives_it_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("before")
    (tmp_path / "file").chmod(0o640)

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refuse)
    write_durably(tmp_path / "file", "after", mode=0o644)
    assert permissions(tmp_path / "file") == "0600"


def test_a_hard_link_keeps_its_content(tmp_path: Path) -> None:
    (tmp_path / "fstab").write_text("before")
    os.link(tmp_path / "fstab", tmp_path / "elsewhere")
    write_durably(tmp_path / "fstab", "after", mode=0o644)
    assert ((tmp_path / "elsewhere").read_text(), (tmp_path / "fstab").read_text()) == ("before", "after")


# What lies beside.


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("kept"), lambda path: path.hardlink_to])
def test_what_lies_beside_under_the_foreseen_name_is_not_opened(
    tmp_path: Path, make: Callable[[Path], object], foreseen: str
) -> None:
    (tmp_path / "kept").write_text("kept")
    beside = tmp_path / f"metrics.prom{foreseen}"
    made = make(beside)
    if callable(made):
        made(tmp_path / "kept")
    with pytest.raises(FileExistsError):
        write_durably(tmp_path / "metrics.prom", "new", mode=0o644)
    assert os.path.lexists(beside)
    assert (tmp_path / "kept").read_text() == "kept"
    assert not (tmp_path / "metrics.prom").exists()


def test_what_lies_beside_under_the_name_of_a_file_is_not_touched(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "metrics.prom.raidtui")
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "other.prom.raidtui").hardlink_to(tmp_path / "kept")
    for name in ("metrics.prom", "other.prom"):
        write_durably(tmp_path / name, "new", mode=0o644)
        assert (tmp_path / name).read_text() == "new"
    assert (tmp_path / "kept").read_text() == "kept"
    assert len(list(tmp_path.iterdir())) == 5


def test_nothing_is_left_of_a_file_that_could_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one").write_text("before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_together({tmp_path / "one": "after", tmp_path / "two": "after"}, mode=0o600)
    with pytest.raises(MachineFailed, match="No space left"):
        write_new(tmp_path / "three", "after")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("one", "before")]


def test_what_a_power_cut_leaves_is_known_by_its_name() -> None:
    foreseen = f".raidtui-{HEX}"
    assert half_written((f"fstab{foreseen}", "fstab", "fstab.raidtui", f"xfstab{foreseen}"), "fstab") == (
        f"fstab{foreseen}",
    )
    assert half_written((f"a+b{foreseen}", f"aab{foreseen}"), "a+b") == (f"a+b{foreseen}",)


# The directory.


@pytest.mark.parametrize("write", [write_durably, write_new], ids=["in place", "new"])
def test_the_whole_path_is_roots_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[..., object]
) -> None:
    folder = tmp_path / "theirs" / "node-exporter"
    folder.mkdir(parents=True)
    as_root(monkeypatch)
    owned_by(monkeypatch, {tmp_path / "theirs": SOMEBODY})
    with pytest.raises(Refused, match="theirs belongs to user 4321, who could change what is in it"):
        write(folder / "raidtui.prom", "text", mode=0o644)
    assert list(folder.iterdir()) == []
    as_root(monkeypatch, root=False)
    write(folder / "raidtui.prom", "text", mode=0o644)


def test_a_directory_that_others_may_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o1777)
    for write in (write_durably, write_new):
        with pytest.raises(Refused, match="shared is writable by others"):
            write(tmp_path / "shared" / "file", "text", mode=0o600)


def test_a_link_of_ones_own_leads_to_the_directory_where_that_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write_durably(tmp_path / "link" / "file", "text", mode=0o600)
    assert (tmp_path / "real" / "file").read_text() == "text"
    with pytest.raises(Refused, match="link is a symbolic link to real, not a directory"):
        write_durably(tmp_path / "link" / "file", "other", mode=0o600, follow=False)
    assert (tmp_path / "real" / "file").read_text() == "text"


def test_a_directory_that_is_swapped_meanwhile_does_not_lead_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "etc").mkdir()
    real = files._put

    def swap(handle: int, text: str) -> None:
        (tmp_path / "mine").rename(tmp_path / "aside")
        (tmp_path / "mine").symlink_to("etc")
        real(handle, text)

    monkeypatch.setattr(files, "_put", swap)
    write_durably(tmp_path / "mine" / "file", "text", mode=0o600)
    assert list((tmp_path / "etc").iterdir()) == []
    assert (tmp_path / "aside" / "file").read_text() == "text"


# New files.


def test_a_new_file_takes_no_name_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    for name in ("dangling", "pipe"):
        with pytest.raises(Refused, match=f"{name} exists already"):
            write_new(tmp_path / name, "text")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["dangling", "pipe"]


def test_a_new_file_goes_when_what_it_was_made_for_fails(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no"), new_file(tmp_path / "recording", 0o644):
        raise ValueError("no")
    assert list(tmp_path.iterdir()) == []
