"""What the admin has decided so far, as one frozen value, and its undo history. Nothing here draws."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raidtui.model.assumptions import DEFAULTS, Assumptions, defaults_for
from raidtui.model.design import Design
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Layout

if TYPE_CHECKING:
    from raidtui.model.proposal import Constraints


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A design, the disks it may take, and what the plan is called."""

    design: Design
    left_out: frozenset[str] = frozenset()
    """identities of free disks that are not to be taken"""
    taken_over: frozenset[str] = frozenset()
    """identities of disks with old content that may be taken all the same"""
    spread: bool = False
    """True: spread over enclosures, controllers and expanders; False: in the inventory's order"""
    assumptions: Assumptions = DEFAULTS
    """what the speed and risk models take for granted"""
    constraints: Constraints | None = None
    """what layouts to compare must do; None: whatever there is"""
    plan_name: str = "data"
    """base name of arrays, volume group and labels"""
    mount_point: str = "/srv/data"
    """where the file system is mounted"""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Every decision of this session; nothing is executed, so all of it can be undone."""

    now: Decision
    past: tuple[Decision, ...] = ()
    future: tuple[Decision, ...] = ()

    def to(self, decision: Decision) -> History:
        """`decision` is the present; what was undone is gone."""
        return self if decision == self.now else History(now=decision, past=(*self.past, self.now))

    def undo(self) -> History:
        """One decision back; the same when there is none."""
        if not self.past:
            return self
        return History(now=self.past[-1], past=self.past[:-1], future=(self.now, *self.future))

    def redo(self) -> History:
        """One decision forward again."""
        if not self.future:
            return self
        return History(now=self.future[0], past=(*self.past, self.now), future=self.future[1:])


def chosen_disks(inventory: Inventory, decision: Decision) -> tuple[Disk, ...]:
    """The disks the design may take, in the inventory's order."""
    free = tuple(disk for disk in inventory.free if disk.id not in decision.left_out)
    if not decision.taken_over:
        return free
    wanted = {disk.id for disk in free} | decision.taken_over
    return tuple(disk for disk in inventory.disks if disk.selectable and disk.id in wanted)


def toggled(decision: Decision, disk: Disk) -> Decision:
    """`disk` left out or taken again; the same decision when it may not be chosen."""
    if not disk.selectable:
        return decision
    if disk.state == "blank":
        return replace(decision, left_out=decision.left_out ^ {disk.id})
    return replace(decision, taken_over=decision.taken_over ^ {disk.id})


def first_decision(inventory: Inventory, design: Design | None = None) -> Decision:
    """Where a session starts: `design`, or one that fits the free disks.

    Of unlike disks the most numerous kind is taken (the larger on a tie), the others are left out.
    """
    if design is not None:
        return Decision(design=design)
    kinds = Counter(_kind(disk) for disk in inventory.free)
    if not kinds:
        return Decision(design=Design(layout=sensible_layout(0)))
    (kind, count), *_ = sorted(kinds.items(), key=lambda item: (item[1], item[0][0]), reverse=True)
    others = frozenset(disk.id for disk in inventory.free if _kind(disk) != kind)
    taken = [disk for disk in inventory.free if disk.id not in others]
    return Decision(design=Design(layout=sensible_layout(count)), left_out=others, assumptions=defaults_for(taken))


def _kind(disk: Disk) -> tuple[int, int, bool]:
    return (disk.size_bytes, disk.logical_sector_bytes, bool(disk.rotational))


def sensible_layout(disks: int) -> Layout:
    """A layout to start from: double parity in arrays of up to 14, one spare an array where that leaves room.

    60 disks make 4x(12+2)+4. With fewer than two disks it is a mirror that cannot be built yet.
    """
    if disks < 4:
        return Layout(level="raid1", members=max(disks, 2))
    if disks < 6:
        return Layout(level="raid6", members=disks)
    arrays = max(1, -(-disks // 15))
    spares = arrays if disks >= 8 else 0
    return Layout(level="raid6", members=(disks - spares) // arrays, arrays=arrays, spares=spares)
