"""Marks of the disks on screen, derived from their content and the user's decision."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from raidtui.tui.terminal.glyphs import Glyphs
from raidtui.tui.terminal.text import Mark, mark
from raidtui.tui.widgets.slot_map import disk_key
from raidtui.values.arrays import MemberState
from raidtui.values.inventory import Disk, Inventory

if TYPE_CHECKING:
    from raidtui.values.decision import Decision


def disk_marks(
    inventory: Inventory,
    decision: Decision | None,
    glyphs: Glyphs,
    held: Collection[str] = (),
    parts: Mapping[str, MemberState] = {},
) -> Mapping[str, Mark]:
    """The mark of every disk, by its key; without `decision` by what is on it alone. `held`: of a build; `parts`: what
    a disk is in an array."""
    left_out, taken_over = (decision.left_out, decision.taken_over) if decision is not None else ((), ())

    def of(disk: Disk) -> Mark:
        part = parts.get(disk.id, "in-sync")
        if part not in ("in-sync", "journal"):
            return member_mark(part, glyphs)
        if disk.id in held:
            return Mark(glyphs.busy, "in array", "title")
        return mark(disk, glyphs, left_out=disk.id in left_out, taken_over=disk.id in taken_over)

    return {disk_key(disk): of(disk) for disk in inventory.disks}


def member_mark(state: MemberState, glyphs: Glyphs) -> Mark:
    """The mark of a member of an array in its bay."""
    match state:
        case "faulty" | "missing":
            return Mark(glyphs.failed, state, "bad")
        case "dropped" | "idle" | "unknown":
            return Mark(glyphs.alert, state, "warn")
        case "rebuilding" | "replacement":
            return Mark(glyphs.held, "filling", "warn")
        case "spare":
            return Mark("+", state, "muted")
        case "in-sync" | "journal":
            return Mark(glyphs.good, state, "good")
