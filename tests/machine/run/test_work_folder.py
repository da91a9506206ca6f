"""Folders of work: one that cannot be read hides no other, whatever its kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.engine.folders import BENCHES, RUNS, TUNINGS, WorkFolder, readable
from raidtui.values.errors import BadInput, MachineFailed

KINDS = pytest.mark.parametrize("kind", [RUNS, BENCHES, TUNINGS], ids=["run", "bench", "tune"])
WHOLE, CLOSED = "1" * 32, "2" * 32


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A whole folder, one that this user may not enter, and a directory that is none; nothing below `closed` reads."""
    for name in (WHOLE, CLOSED, "other"):
        (tmp_path / name).mkdir()
    for name in {name for kind in (RUNS, BENCHES, TUNINGS) for name in kind.files}:
        (tmp_path / WHOLE / name).write_text("{}")
    exists, iterdir = Path.exists, Path.iterdir

    def allowed(path: Path) -> Path:
        if CLOSED in path.parts[:-1] or path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return path

    monkeypatch.setattr(Path, "exists", lambda path: exists(allowed(path)))
    monkeypatch.setattr(Path, "iterdir", lambda path: iterdir(allowed(path)))
    return tmp_path


@KINDS
def test_one_that_this_user_may_not_enter_is_listed_beside_the_others(kind: WorkFolder, root: Path) -> None:
    assert {folder.name for folder in kind.folders(root)} == {WHOLE, CLOSED}
    assert kind.find((root,), "1111") == root / WHOLE
    with pytest.raises(BadInput, match=f"no {kind.noun} starts with '3333'"):
        kind.find((root,), "3333")
    with pytest.raises(BadInput, match=f"'..' is not a {kind.noun} id"):
        kind.find((root,), "..")


@KINDS
def test_a_root_that_cannot_be_read_hides_no_other_and_is_named(kind: WorkFolder, root: Path) -> None:
    with pytest.raises(MachineFailed, match="closed: Permission denied"):
        kind.folders(root / "closed")
    told: list[str] = []
    found = kind.all_folders((root / "missing", root / "closed", root), told.append)
    assert {folder.name for folder in found} == {WHOLE, CLOSED}
    assert told == [f"not read: {root}/closed: Permission denied; run it as root"]
    with pytest.raises(BadInput) as refused:
        kind.find((root / "closed", root), "3333")
    assert refused.value.hint.endswith(f"not read: {root}/closed: Permission denied; run it as root")


def test_what_cannot_be_read_is_skipped_with_its_reason(tmp_path: Path) -> None:
    def read(path: Path) -> str:
        if path.name == "deep":
            raise RecursionError("too deep")
        return path.name

    told: list[str] = []
    paths = [tmp_path / name for name in ("one", "deep", "two")]
    assert [name for _, name in readable(paths, read, told.append)] == ["one", "two"]
    assert told == [
        f"not read: {tmp_path}/deep cannot be read: RecursionError: too deep; compare its files with a copy; nothing "
        "else is affected"
    ]
