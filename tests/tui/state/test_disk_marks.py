"""Marks of disks: what a disk is in an array comes before all else, by glyph, word and colour."""

from __future__ import annotations

import pytest

from raidtui.machine.inventory.shipped import load
from raidtui.tui.terminal.glyphs import ASCII, UNICODE
from raidtui.tui.terminal.text import Mark
from raidtui.tui.widgets.disk_marks import disk_marks
from raidtui.values.arrays import MemberState

NAS4 = load("nas4")
FIRST, SECOND, *_ = NAS4.disks


@pytest.mark.parametrize(
    ("state", "mark", "plain"),
    [
        ("faulty", Mark("✗", "faulty", "bad"), "X"),
        ("missing", Mark("✗", "missing", "bad"), "X"),
        ("rebuilding", Mark("◐", "filling", "warn"), "="),
        ("replacement", Mark("◐", "filling", "warn"), "="),
        ("dropped", Mark("▲", "dropped", "warn"), "!"),
        ("spare", Mark("+", "spare", "muted"), "+"),
        ("in-sync", Mark("■", "in array", "title"), "#"),
        ("journal", Mark("■", "in array", "title"), "#"),
    ],
)
def test_a_member_has_the_mark_of_its_part(state: MemberState, mark: Mark, plain: str) -> None:
    parts, held = {FIRST.id: state}, {FIRST.id}
    assert disk_marks(NAS4, None, UNICODE, held, parts)[FIRST.id] == mark
    assert disk_marks(NAS4, None, ASCII, held, parts)[FIRST.id] == mark._replace(glyph=plain)
    assert disk_marks(NAS4, None, UNICODE, held, parts)[SECOND.id] == Mark("●", "free", "good")
