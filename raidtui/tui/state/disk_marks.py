"""Marks of the disks on screen, derived from their content and the user's decision."""

from __future__ import annotations

from collections.abc import Mapping

from raidtui.model.decision import Decision
from raidtui.model.inventory import Inventory
from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Mark, mark
from raidtui.tui.widgets.slot_map import disk_key


def disk_marks(inventory: Inventory, decision: Decision, glyphs: Glyphs) -> Mapping[str, Mark]:
    """The mark of every disk, by its key."""
    return {
        disk_key(disk): mark(
            disk, glyphs, left_out=disk.id in decision.left_out, taken_over=disk.id in decision.taken_over
        )
        for disk in inventory.disks
    }
