"""The directory of our own: removed whole, found again after a kill, and never anything else removed."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from raidtui.bench import store
from raidtui.bench.store import Scratch, sweep
from raidtui.values.errors import MachineFailed

ID = "0123456789abcdef" * 2
NAME = f".raidtui-bench-{ID}"


def left_by_a_kill(place: Path, name: str = NAME, mark: str | None = ID) -> Path:
    """What is there after SIGKILL."""
    left = place / name
    left.mkdir()
    (left / "stream.0").write_bytes(b"x" * 100)
    (left / "tree-1" / "0" / "1").mkdir(parents=True)
    if mark is not None:
        (left / "made-by-raidtui").write_text(mark)
    return left


def test_made_emptied_and_removed(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path, ID)
    assert not scratch.there
    inside = Path(scratch.make())
    assert scratch.make() == str(inside)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o700
    (inside / "stream.0").write_text("x")
    (inside / "tree").mkdir()
    (inside / "tree" / "link").symlink_to(tmp_path)
    scratch.empty()
    assert [path.name for path in inside.iterdir()] == ["made-by-raidtui"]
    (inside / "again").write_text("x")
    scratch.remove()
    scratch.remove()
    assert list(tmp_path.iterdir()) == []


def test_another_benchmark_that_sweeps_right_then_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is locked and marked the directory looks as if a killed run had left it."""
    swept: list[Path] = []
    real = fcntl.flock

    def swept_first(handle: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", real)
        swept.extend(sweep([tmp_path]))
        real(handle, how)

    monkeypatch.setattr(fcntl, "flock", swept_first)
    scratch = Scratch(tmp_path, ID)
    scratch.make()
    assert swept == [tmp_path / NAME]
    assert (tmp_path / NAME / "made-by-raidtui").read_text() == ID
    scratch.remove()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_made_before_it_is_needed(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path, ID)
    scratch.check()
    scratch.empty()
    scratch.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_became_another_is_refused_and_what_was_made_is_still_removed(tmp_path: Path) -> None:
    """As when a file system is unmounted: the path leads elsewhere now. The handle still leads to what was made."""
    place, away = tmp_path / "mnt", tmp_path / "away"
    place.mkdir()
    scratch = Scratch(place, ID)
    inside = Path(scratch.make())
    (inside / "stream.0").write_text("x")
    place.rename(away)
    with pytest.raises(MachineFailed, match="is gone"):
        scratch.check()
    place.mkdir()
    (place / "stranger").write_text("x")
    with pytest.raises(MachineFailed, match="no longer the file system it was"):
        scratch.check()
    scratch.remove()
    assert list(away.iterdir()) == []
    assert [path.name for path in place.iterdir()] == ["stranger"]


@pytest.mark.parametrize("content", [(), ("precious",)])
def test_a_directory_that_took_its_name_survives(tmp_path: Path, content: tuple[str, ...]) -> None:
    scratch = Scratch(tmp_path, ID)
    inside = Path(scratch.make())
    (inside / "tree").mkdir()
    (inside / "tree" / "file").write_text("x")
    (tmp_path / NAME).rename(tmp_path / "moved")
    (tmp_path / NAME).mkdir()
    for name in content:
        (tmp_path / NAME / name).write_text("x")
    with pytest.raises(MachineFailed, match=f"{NAME} is another directory than the one that was created"):
        scratch.remove()
    assert [path.name for path in (tmp_path / NAME).iterdir()] == list(content)
    assert list((tmp_path / "moved").iterdir()) == []


def test_a_directory_that_takes_the_name_of_a_leftover_survives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is swapped in between the check of the leftover and its removal."""
    left_by_a_kill(tmp_path)

    def swap(_: Path) -> None:
        (tmp_path / NAME).rename(tmp_path / "moved")
        (tmp_path / NAME).mkdir()
        (tmp_path / NAME / "precious").write_text("x")

    monkeypatch.setattr(store, "_refuse_mounts", swap)
    assert sweep((tmp_path,)) == ()
    assert [path.name for path in (tmp_path / NAME).iterdir()] == ["precious"]


def test_it_is_never_made_in_a_place_that_became_another(tmp_path: Path) -> None:
    place = tmp_path / "mnt"
    place.mkdir()
    scratch = Scratch(place, ID)
    place.rename(tmp_path / "away")
    place.mkdir()
    with pytest.raises(MachineFailed):
        scratch.make()
    assert list(place.iterdir()) == []


def test_one_that_exists_already_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    scratch = Scratch(tmp_path, ID)
    with pytest.raises(MachineFailed, match="File exists"):
        scratch.make()
    scratch.remove()
    assert (tmp_path / NAME).is_dir()


@pytest.mark.parametrize("mark", [ID, ""])
def test_what_a_killed_run_left_is_removed(tmp_path: Path, mark: str) -> None:
    left = left_by_a_kill(tmp_path, mark=mark)
    assert sweep((tmp_path, tmp_path)) == (left,)
    assert list(tmp_path.iterdir()) == []


def test_killed_before_it_was_marked(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    assert sweep((tmp_path,)) == (tmp_path / NAME,)


def test_what_another_is_at_work_in_stays(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path, ID)
    scratch.make()
    assert sweep((tmp_path,)) == ()
    assert (tmp_path / NAME).is_dir()
    scratch.remove()


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    """Another name, another mark, none, a link of our name, a file of our name; a place that is not there."""
    away = tmp_path / "away"
    away.mkdir()
    (away / "precious").write_text("x")
    place = tmp_path / "place"
    place.mkdir()
    left_by_a_kill(place, name=".raidtui-bench-backup")
    left_by_a_kill(place, name=f".raidtui-bench-{'1' * 32}", mark="something else")
    left_by_a_kill(place, name=f".raidtui-bench-{'2' * 32}", mark=None)
    (place / f".raidtui-bench-{'3' * 32}").symlink_to(away)
    (place / f".raidtui-bench-{'4' * 32}").write_text("x")
    before = sorted(path.name for path in place.iterdir())
    assert sweep((place, tmp_path / "nowhere")) == ()
    assert sorted(path.name for path in place.iterdir()) == before
    assert (away / "precious").exists()


def test_another_users_directory_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = left_by_a_kill(tmp_path)
    me = os.geteuid()
    monkeypatch.setattr("raidtui.bench.store.os.geteuid", lambda: me + 1)
    assert sweep((tmp_path,)) == ()
    assert left.is_dir()
