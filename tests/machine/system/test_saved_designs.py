"""Names and files of saved designs, hostile ones among them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from raidtui.session.saved_designs import design_names, read_design, valid_name, write_design
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.design import Design
from raidtui.values.errors import BadInput, MachineFailed, RaidtuiError, Refused
from raidtui.values.layout import Layout
from raidtui.values.saved_design import SavedDesign

DESIGN = SavedDesign(
    host="stor01", design=Design(layout=Layout.of(level="raid6", members=14, arrays=4, spares=4)),
    left_out=("wwn-0x1",), taken_over=(), spread=True, assumptions=DEFAULTS, plan_name="data", mount_point="/srv/data",
)  # fmt: skip
HOSTILE = [
    "", ".", "..", "../x", "a/b", "/etc/passwd", ".hidden", "-rf", "a b", "a\nb", "a\0b", "\x1b[2J", "\u202egnp", "é",
    "x" * 65, "A!",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_refused_before_any_file_is_touched(tmp_path: Path, name: str) -> None:
    root = tmp_path / "designs"
    for act in (lambda: valid_name(name), lambda: write_design(root, name, DESIGN), lambda: read_design(root, name)):
        with pytest.raises(BadInput, match="is not a name for a design") as caught:
            act()
        assert str(caught.value).isprintable()
    assert not root.exists()


@pytest.mark.parametrize("name", ["A", "raid60-of_2026.11", "0", "x" * 64])
def test_a_name_of_letters_digits_dots_dashes_and_underscores_is_kept(tmp_path: Path, name: str) -> None:
    path = write_design(tmp_path / "new" / "designs", name, DESIGN)
    assert path == tmp_path / "new" / "designs" / f"{name}.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_design(path.parent, name) == DESIGN
    assert design_names(path.parent) == (name,)


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no design 'B'") as caught:
        read_design(tmp_path, "B")
    assert caught.value.hint == "S on the Design screen saves one"
    write_design(tmp_path, "A", DESIGN)
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / ".x.json").write_text("")
    with pytest.raises(BadInput) as caught:
        read_design(tmp_path, "B")
    assert caught.value.hint == "designs: A"


def test_a_failed_write_leaves_the_earlier_design(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_design(tmp_path, "A", DESIGN)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MachineFailed, match="No space left on device"):
        write_design(tmp_path, "A", DESIGN)
    assert path.read_bytes() == before


def test_a_link_and_a_directory_of_others_are_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.json").write_text("{}")
    root = tmp_path / "designs"
    root.mkdir(mode=0o700)
    (root / "A.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(RaidtuiError):
        read_design(root, "A")
    root.chmod(0o777)
    with pytest.raises(Refused):
        write_design(root, "B", DESIGN)
    assert not (root / "B.json").exists()
