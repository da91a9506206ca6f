"""Who may write where: directories that raidtui makes are private, and it believes no others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from raidtui.engine import journal
from raidtui.engine.runs import load, plan_in
from raidtui.machine.system import files, places
from raidtui.machine.system.places import private_directory, require_private, require_trusted
from raidtui.predict.stated_disks import purchase
from raidtui.values.errors import MachineFailed, Refused
from tests.machine.owners import as_root, owned_by
from tests.planner.plans import plan_of

REAL = plan_of("raid1(2)")
BOUGHT = purchase("2x2TB")
SIMULATED = plan_of("raid1(2)", BOUGHT.disks, inventory=BOUGHT, host="purchase")


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything here belongs to somebody who is neither root nor this user."""
    for module in (places, files):
        monkeypatch.setattr(module, "trusted_owners", lambda: frozenset((12345,)))


def mode(path: Path) -> str:
    return oct(path.stat().st_mode & 0o7777)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_directories_are_made_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        private_directory(tmp_path / "one" / "two")
        private_directory(tmp_path / "one" / "two")
    finally:
        os.umask(before)
    assert [mode(tmp_path / "one"), mode(tmp_path / "one" / "two")] == ["0o700", "0o700"]


def test_the_names_of_all_directories_that_were_made_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(str(Path(f"/proc/self/fd/{handle}").readlink())))
    private_directory(tmp_path / "raidtui" / "runs")
    assert synced == [str(tmp_path), str(tmp_path / "raidtui")]
    private_directory(tmp_path / "raidtui" / "runs")
    assert len(synced) == 2


@pytest.mark.parametrize("open_to", [0o777, 0o770, 0o1777, 0o720, 0o702])
def test_a_directory_that_others_may_write_is_refused(tmp_path: Path, open_to: int) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(open_to)
    with pytest.raises(Refused, match="is writable by others") as refused:
        private_directory(shared)
    advice = "" if open_to & 0o1000 else f"check its content, then chmod go-w {shared}; or "
    below = f", or a new one below it: {shared}/raidtui" if open_to & 0o1000 and not os.getuid() else ""
    assert refused.value.hint == f"{advice}use another directory{below}"
    with pytest.raises(Refused, match="is writable by others"):
        require_trusted(shared)


def test_a_directory_that_only_others_may_read_is_fit_for_exports(tmp_path: Path) -> None:
    (tmp_path / "plans").mkdir(mode=0o755)
    private_directory(tmp_path / "plans")
    with pytest.raises(Refused, match="open to others"):
        require_private(tmp_path / "plans")


@pytest.mark.usefixtures("foreign")
def test_a_directory_of_another_user_is_refused(tmp_path: Path) -> None:
    for refuses in (private_directory, require_private, require_trusted):
        with pytest.raises(Refused, match=f"belongs to user {os.geteuid()}"):
            refuses(tmp_path)


@pytest.mark.parametrize("missing", ["new", "new/deeper"])
def test_root_makes_no_directory_below_one_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    as_root(monkeypatch)
    (tmp_path / "theirs").mkdir()
    owned_by(monkeypatch, {tmp_path / "theirs": 4321})
    with pytest.raises(Refused, match="theirs belongs to user 4321, who could change what is in it") as refused:
        private_directory(tmp_path / "theirs" / missing)
    assert refused.value.hint == (f"check its content, then chown root {tmp_path / 'theirs'}; or use another directory")
    assert list((tmp_path / "theirs").iterdir()) == []
    as_root(monkeypatch, root=False)
    private_directory(tmp_path / "theirs" / missing)


def test_a_file_where_a_directory_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for refuses in (private_directory, require_private, require_trusted):
        with pytest.raises(Refused, match=r"is not a private directory|, not a directory"):
            refuses(tmp_path / "file")
    with pytest.raises(MachineFailed, match="Not a directory"):
        private_directory(tmp_path / "file" / "below")
    with pytest.raises(MachineFailed, match="No such file"):
        require_trusted(tmp_path / "none")


def test_every_directory_above_is_looked_at(tmp_path: Path) -> None:
    deep = tmp_path / "shared" / "state" / "raidtui"
    deep.mkdir(parents=True, mode=0o700)
    require_trusted(deep)
    (tmp_path / "shared").chmod(0o777)
    with pytest.raises(Refused, match="shared is writable by others"):
        require_trusted(deep)


@pytest.mark.parametrize(("owner", "fine"), [(0, True), (4321, False)])
def test_a_sticky_directory_of_root_is_fine_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: int, fine: bool
) -> None:
    shared = tmp_path / "shared"
    deep = shared / "state" / "raidtui"
    deep.mkdir(parents=True, mode=0o700)
    shared.chmod(0o1777)
    monkeypatch.setattr(places, "trusted_owners", lambda: frozenset((0, 4321, os.geteuid())))
    owned_by(monkeypatch, {shared: owner})
    if fine:
        require_trusted(deep)
        with pytest.raises(Refused, match="shared is writable by others"):
            require_trusted(shared)
    else:
        with pytest.raises(Refused, match="shared is writable by others"):
            require_trusted(deep)


def test_what_somebody_put_into_a_sticky_directory_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    (tmp_path / "state").mkdir(mode=0o700)
    (shared / "theirs").mkdir(parents=True)
    (shared / "link").symlink_to(tmp_path / "state")
    shared.chmod(0o1777)
    owned_by(monkeypatch, {shared: 0, shared / "link": 4321, shared / "theirs": 4321})
    for name in ("link", "theirs"):
        with pytest.raises(Refused, match=f"{name} belongs to user 4321"):
            require_trusted(shared / name)


def test_what_a_link_leads_through_is_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "shared" / "state").mkdir(parents=True)
    (tmp_path / "link").symlink_to("shared/state")
    (tmp_path / "absolute").symlink_to(tmp_path / "shared" / ".." / "shared" / "state")
    for link in ("link", "absolute"):
        (tmp_path / "shared").chmod(0o755)
        require_trusted(tmp_path / link)
        (tmp_path / "shared").chmod(0o777)
        with pytest.raises(Refused, match="shared is writable by others"):
            require_trusted(tmp_path / link)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(Refused, match="too many symbolic links"):
        require_trusted(tmp_path / "loop")


def test_the_root_directory_is_looked_at_where_no_test_spares_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "SPARED", ())
    monkeypatch.setattr(places, "trusted_owners", lambda: frozenset((12345,)))
    with pytest.raises(Refused, match="/ belongs to user"):
        require_trusted(tmp_path)


# Runs.


def test_a_run_is_not_begun_where_a_directory_above_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_root(monkeypatch)
    root = tmp_path / "open" / "raidtui"
    root.mkdir(parents=True, mode=0o700)
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(Refused, match="open is writable by others"):
        journal.create(root, REAL)
    with pytest.raises(Refused, match="open is writable by others"):
        journal.create(root, SIMULATED)
    assert list(root.iterdir()) == []
    as_root(monkeypatch, root=False)
    journal.create(root, SIMULATED)  # of no disk of this machine, and nothing of root's


@pytest.mark.usefixtures("foreign")
def test_a_run_is_not_begun_in_a_directory_of_another_user(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="belongs to user"):
        journal.create(tmp_path, SIMULATED)


def test_a_run_is_not_read_once_others_may_write_above_it(tmp_path: Path) -> None:
    root = tmp_path / "state" / "raidtui"
    folder = journal.create(root, REAL)
    assert plan_in(folder) == REAL
    (tmp_path / "state").chmod(0o777)
    with pytest.raises(Refused, match="state is writable by others"):
        load(folder)


@pytest.mark.parametrize("open_to", [0o750, 0o755, 0o701, 0o770])
def test_the_directory_of_a_run_is_its_owners_alone(tmp_path: Path, open_to: int) -> None:
    folder = journal.create(tmp_path, SIMULATED)
    folder.chmod(open_to)
    with pytest.raises(Refused, match="others than its owner"):
        load(folder)


@pytest.mark.parametrize("name", ["plan.json", "journal"])
def test_files_of_a_run_are_regular_and_its_owners(tmp_path: Path, name: str) -> None:
    folder = journal.create(tmp_path, SIMULATED)
    (folder / name).chmod(0o606)
    with pytest.raises(Refused, match=f"{name} is writable by others"):
        load(folder)
    (folder / name).chmod(0o600)
    (folder / name).rename(tmp_path / name)
    (folder / name).symlink_to(tmp_path / name)
    with pytest.raises(Exception, match=f"{name} is a symbolic link"):
        load(folder)
