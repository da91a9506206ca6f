"""The arrays of the session's machine, read again and again: this machine's, or those of the simulated run followed."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from raidtui.machine.arrays.read import ArraysLook
from raidtui.model.arrays import ArrayMember, ObservedArray, ObservedArrays

if TYPE_CHECKING:
    from raidtui.machine.ports.runner import MachineReader
    from raidtui.model.audit import Audit
    from raidtui.model.inventory import Inventory
    from raidtui.tui.jobs.run_view import RunView

_AROUND_EVERY = 60.0
"""seconds after which configuration, images and superblocks are read again, though no state has changed"""


class ArrayWatch:
    """Takes looks; remembers which disk a slot had, so that a missing member is named and shown in its bay."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._look: ArraysLook | None = None
        self._since = 0.0
        self._shape: object = None
        self._last: dict[tuple[str, int], ArrayMember] = {}
        self._judged: object = None
        self.audit: Audit | None = None
        """of the arrays as they last changed"""

    def take(self, inventory: Inventory, run: RunView | None) -> tuple[ObservedArrays, Inventory]:
        """The arrays now, and the disks that they are on; `inventory`: the session's disks, `run`: what a simulated
        machine is at. May block on disks."""
        if inventory is not self._inventory:
            self._inventory, self._look = inventory, None
        if self._look is None or inventory.simulated or time.monotonic() > self._since + _AROUND_EVERY:
            self._look, self._since = ArraysLook(*machine_of(inventory, run)), time.monotonic()
        look, seen = self._look, self._look.take()
        shape = [(array.uuid, array.states, [member.state for member in array.members]) for array in seen.arrays]
        if shape != self._shape:
            self._shape = shape
            self._look = None  # superblocks and configuration may have changed with it
        self._judge(look, seen)
        return self._with_lost_disks(seen), look.inventory

    def _judge(self, look: ArraysLook, seen: ObservedArrays) -> None:
        """Audits them when a state has changed: it asks each disk for its error recovery."""
        shape = [(array.uuid, array.states, array.lacks) for array in seen.arrays]
        if shape != self._judged:
            from raidtui.machine.arrays.settings import audit_facts  # only where the screen is shown
            from raidtui.planner.arrays.audit.all_rules import audit  # beside it

            self.audit, self._judged = audit(audit_facts(look, seen)), shape

    def _with_lost_disks(self, seen: ObservedArrays) -> ObservedArrays:
        return replace(seen, arrays=tuple(replace(each, members=self._members(each)) for each in seen.arrays))

    def _members(self, array: ObservedArray) -> tuple[ArrayMember, ...]:
        """Members with the disk that a missing one was on, where this watch has seen it."""
        found = []
        for member in array.members:
            key = (array.uuid, -1 if member.slot is None else member.slot)
            before = self._last.get(key)
            if member.state == "in-sync":
                self._last[key] = member
            elif member.state == "missing" and before is not None:
                member = replace(member, serial=before.serial, place=before.place, disk_id=before.disk_id)
            found.append(member)
        return tuple(found)


def machine_of(inventory: Inventory, run: RunView | None) -> tuple[MachineReader, Inventory]:
    """The machine with the session's disks, `inventory`, and its disks as they are now; see `ArrayWatch.take`."""
    if not inventory.simulated:
        from raidtui.machine.system.runner import SystemReader  # a simulated machine needs none

        return SystemReader(), inventory
    from raidtui.machine.run.site import site_of_run  # a real machine needs no simulator
    from raidtui.machine.simulated.machine import SimulatedMachine  # beside it

    if run is None or not run.plan.simulated:
        return SimulatedMachine(inventory), inventory
    site = site_of_run(run.folder, run.plan)
    return site.reader(), site.inventory(run.plan)
