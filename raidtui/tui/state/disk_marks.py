"""Marks of the disks on screen, derived from their content and the user's decision."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from raidtui.model.inventory import Inventory
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Mark, mark
from raidtui.tui.widgets.slot_map import disk_key

if TYPE_CHECKING:
    from raidtui.model.decision import Decision


def disk_marks(
    inventory: Inventory, decision: Decision | None, glyphs: Glyphs, held: Collection[str] = ()
) -> Mapping[str, Mark]:
    """The mark of every disk, by its key; without `decision` by what is on it alone. `held`: of a build."""
    left_out, taken_over = (decision.left_out, decision.taken_over) if decision is not None else ((), ())
    return {
        disk_key(disk): Mark(glyphs.busy, "in array", "title")
        if disk.id in held
        else mark(disk, glyphs, left_out=disk.id in left_out, taken_over=disk.id in taken_over)
        for disk in inventory.disks
    }
