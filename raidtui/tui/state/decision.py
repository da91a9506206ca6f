"""Undo history of the user's decisions, and what follows from one. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raidtui.model.assumptions import defaults_for
from raidtui.model.decision import Decision
from raidtui.model.design import Design
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Layout
from raidtui.planner.design.choose_disks import choose_disks

if TYPE_CHECKING:
    from raidtui.model.proposal import Constraints
    from raidtui.planner.design.guide_answers import Answers


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionHistory:
    """Every decision of this session. Decisions execute nothing, so all of them can be undone."""

    now: Decision
    past: tuple[Decision, ...] = ()
    future: tuple[Decision, ...] = ()

    def to(self, decision: Decision) -> DecisionHistory:
        """Appends `decision` as the present one and drops the undone ones."""
        return self if decision == self.now else DecisionHistory(now=decision, past=(*self.past, self.now))

    def undo(self) -> DecisionHistory:
        """Goes back one decision; unchanged if there is none."""
        if not self.past:
            return self
        return DecisionHistory(now=self.past[-1], past=self.past[:-1], future=(self.now, *self.future))

    def redo(self) -> DecisionHistory:
        """Goes forward one undone decision; unchanged if there is none."""
        if not self.future:
            return self
        return DecisionHistory(now=self.future[0], past=(*self.past, self.now), future=self.future[1:])


def chosen_disks(inventory: Inventory, decision: Decision) -> tuple[Disk, ...]:
    """The disks that the design may use, in inventory order."""
    free = tuple(disk for disk in choose_disks(inventory) if disk.id not in decision.left_out)
    if not decision.taken_over:
        return free
    wanted = {disk.id for disk in free} | decision.taken_over
    return tuple(disk for disk in inventory.disks if disk.selectable and disk.id in wanted)


def constraints_of(decision: Decision) -> Constraints:
    """The constraints of `decision`, with chunk, stack and file system of its design."""
    # after the first picture
    from raidtui.model.proposal import Constraints
    from raidtui.planner.design.options import with_format

    return with_format(decision.constraints or Constraints(), decision.design)


def with_answers(decision: Decision, answers: Answers, disks: Sequence[Disk]) -> Decision:
    """`decision` with what the answers of the guide ask of layouts of `disks`."""
    from raidtui.planner.design.guide_answers import wanted  # after the questions

    asked = wanted(answers, decision.assumptions, disks)
    return replace(
        decision,
        constraints=asked.constraints,
        assumptions=asked.assumptions,
        purpose=asked.purpose,
        design=replace(decision.design, chunk_bytes=asked.chunk_bytes, fs=asked.fs),
    )


def toggled(decision: Decision, disk: Disk) -> Decision:
    """Excludes or includes `disk`; unchanged if the disk cannot be used."""
    if not disk.selectable:
        return decision
    if disk.state == "blank":
        return replace(decision, left_out=decision.left_out ^ {disk.id})
    return replace(decision, taken_over=decision.taken_over ^ {disk.id})


def branch_toggled(decision: Decision, disks: Iterable[Disk]) -> Decision:
    """Excludes the free ones of `disks` if the design may use any of them; otherwise includes all of them.

    Disks with old content are never included this way: each of them is one decision.
    """
    free = frozenset(disk.id for disk in disks if is_free(disk))
    used = free - decision.left_out
    return replace(decision, left_out=decision.left_out | used if used else decision.left_out - free)


def is_free(disk: Disk) -> bool:
    """True if `disk` is usable and has no content."""
    return disk.selectable and disk.state == "blank"


def exclusion_reasons(decision: Decision, inventory: Inventory) -> dict[str, str]:
    """The reason of each excluded disk, by identity."""
    return {
        disk.id: "by you; Space uses it" for disk in inventory.disks if disk.id in decision.left_out and is_free(disk)
    }


def first_decision(inventory: Inventory, design: Design | None = None) -> Decision:
    """The first decision of a session: `design`, or one that fits the free disks, on the disks that verbs start from.

    Its layout is that for as many of the largest disks of one kind as hold most, each counted as the smallest of them.
    """
    if design is not None:
        return Decision(design=design)
    from raidtui.planner.placement.disk_pool import disk_pool  # beside the first placement

    free = choose_disks(inventory)
    layout = sensible_layout(len(disk_pool(free).used))
    return Decision(design=Design(layout=layout), assumptions=defaults_for(free))


def sensible_layout(disks: int) -> Layout:
    """An initial layout, one that the search picks too for like disks: double parity in arrays of up to 15 disks.

    One spare per array where enough disks remain: 60 disks give 4x(12+2)+4. Three disks are RAID5; with fewer than two
    it is a mirror that cannot be built yet.
    """
    if disks < 3:
        return Layout(level="raid1", members=2)
    if disks < 4:
        return Layout(level="raid5", members=disks)
    if disks < 6:
        return Layout(level="raid6", members=disks)
    arrays = max(1, -(-disks // 16))
    spares = arrays if disks >= 8 else 0
    return Layout(level="raid6", members=(disks - spares) // arrays, arrays=arrays, spares=spares)
