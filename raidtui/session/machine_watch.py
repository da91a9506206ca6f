"""The machine of the session, this one or a simulated one: its ticks, and its md arrays, read again and again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from raidtui.values.arrays import ArrayMember, ObservedArray, ObservedArrays
from raidtui.values.errors import RaidtuiError
from raidtui.values.gauges import Scene
from raidtui.values.inventory import Inventory, Place
from raidtui.values.members import disks_of, part_names

if TYPE_CHECKING:
    from raidtui.engine.site import Site
    from raidtui.machine.arrays.read import ArraysLook
    from raidtui.machine.gauges.expected_load import ExpectedLoads
    from raidtui.machine.system.ports import MachineReader, Ticks
    from raidtui.session.decision import DesignOutcome
    from raidtui.session.run_view import RunView
    from raidtui.values.arrays import Audit
    from raidtui.values.plan import Plan
    from raidtui.values.speed import Throughput, WorkloadQuestion


# Source of ticks for the Watch screen: this machine, or on a simulated chassis the design under load.


def session_ticks(
    inventory: Inventory, outcome: DesignOutcome, plan_name: str, clock: Callable[[], float] = time.time,
    built: tuple[Plan, Sequence[ObservedArray]] | None = None,
) -> Ticks:  # fmt: skip
    """Ticks of the session's machine; `clock`: seconds since 1970, for a simulated one, on which `built` stands: a
    plan, and its arrays as they are.

    Raises MachineFailed if /proc/diskstats is not readable.
    """

    from raidtui.machine.gauges.scene import scene_of  # after the first picture

    if not inventory.simulated:
        from raidtui.machine.gauges.sampler import SystemTicks  # a simulated machine has no such files

        return SystemTicks(scene_of(inventory))
    from raidtui.engine import simulation  # a real machine needs none

    scene = scene_of(inventory)
    if built is not None and (speed := _speed_of(*built, inventory)) is not None:
        plan, found = built
        shapes = {array.uuid: shape for array, shape in zip(plan.data_arrays, plan.design.layout.shapes, strict=True)}
        at_work = [array for array in found if array.uuid in shapes]
        return simulation.arrays_at_work(scene, at_work, [shapes[array.uuid] for array in at_work], speed, clock)
    layout, speed = outcome.design.layout, outcome.throughput
    if speed is None:
        return simulation.demonstration(scene, clock)
    names = part_names(plan_name, layout.arrays)
    return simulation.design_at_work(scene, layout, disks_of(layout, outcome.disks), names, speed, clock)


def _speed_of(plan: Plan, found: Sequence[ObservedArray], inventory: Inventory) -> Throughput | None:
    """Speed of what a plan built, on the disks that it has now; None where one is not known."""
    from raidtui.bench.prepare import disks_of_plan  # only where something was built
    from raidtui.predict.design import speed  # beside it
    from raidtui.values.assumptions import defaults_for  # beside it

    try:
        disks = disks_of_plan(plan, found, inventory)
    except RaidtuiError:
        return None
    return speed(plan.design, disks, plan.prediction, inventory, defaults_for(disks))


def session_loads(ask: WorkloadQuestion, inventory: Inventory) -> Callable[[Scene], ExpectedLoads]:
    """What makes the expected loads of this machine under `ask`."""
    from raidtui.machine.arrays.settings import asked_loads  # only where a workload is stated
    from raidtui.machine.system.runner import SystemReader  # beside it

    return partial(asked_loads, ask, SystemReader(), inventory)


# Its arrays.


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

    def take(
        self, inventory: Inventory, run: RunView | None, *, around: bool = True
    ) -> tuple[ObservedArrays, Inventory]:
        """The arrays now, and the disks that they are on; `inventory`: the session's disks, `run`: what a simulated
        machine is at. `around`: also superblocks, what stands on them, what knows them, and the audit. May block on
        disks."""
        from raidtui.machine.arrays.read import ArraysLook  # only where a machine is looked at

        if not around:
            below = ArraysLook(*machine_of(inventory, run), around=False)
            return self._with_lost_disks(below.take(), run), below.inventory
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
        return self._with_lost_disks(seen, run), look.inventory

    def _judge(self, look: ArraysLook, seen: ObservedArrays) -> None:
        """Audits them when a state has changed: it asks each disk for its error recovery."""
        shape = [(array.uuid, array.states, array.lacks) for array in seen.arrays]
        if shape != self._judged:
            from raidtui.advice.audit.rules import audit  # beside it
            from raidtui.machine.arrays.settings import audit_facts  # only where the screen is shown

            self.audit, self._judged = audit(audit_facts(look, seen)), shape

    def _with_lost_disks(self, seen: ObservedArrays, run: RunView | None) -> ObservedArrays:
        """The arrays, with the disk that a missing member was on: where this watch has seen it, else by the plan."""
        planned = {} if run is None else _planned(run.plan)
        return replace(seen, arrays=tuple(replace(each, members=self._members(each, planned)) for each in seen.arrays))

    def _members(self, array: ObservedArray, planned: Mapping[tuple[str, int], ArrayMember]) -> tuple[ArrayMember, ...]:
        found, here = [], {member.disk_id for member in array.members if member.disk_id}
        for member in array.members:
            key = (array.uuid, -1 if member.slot is None else member.slot)
            before = self._last.get(key) or planned.get(key)
            if member.state == "in-sync":
                self._last[key] = member
            elif member.state == "missing" and before is not None and before.disk_id not in here:
                member = replace(member, serial=before.serial, place=before.place, disk_id=before.disk_id)
            found.append(member)
        return tuple(found)


def _planned(plan: Plan) -> dict[tuple[str, int], ArrayMember]:
    """The members that a plan gave its arrays, by the array's UUID and slot."""
    disks = {disk.id: disk for disk in plan.disks}
    return {
        (array.uuid, slot): ArrayMember(
            slot=slot, state="missing", disk_id=disk.id, serial=disk.serial,
            place=Place(enclosure=disk.place.enclosure or None, slot=disk.place.slot or None),
        )
        for array in plan.arrays
        for slot, disk in enumerate(disks[each] for each in array.members if each in disks)
    }  # fmt: skip


def machine_of(inventory: Inventory, run: RunView | None) -> tuple[MachineReader, Inventory]:
    """The machine with the session's disks, `inventory`, and its disks as they are now; see `ArrayWatch.take`."""
    if not inventory.simulated:
        from raidtui.machine.system.runner import SystemReader  # a simulated machine needs none

        return SystemReader(), inventory
    from raidtui.engine.site import LeftMachine, left_on  # a real machine needs no simulator

    followed = run is not None and run.plan.simulated
    left = LeftMachine(run.folder, run.plan) if run is not None and followed else left_on(inventory)
    if left is None:
        from raidtui.engine import simulation  # beside it

        return simulation.machine(inventory), inventory
    return left.site().reader(), left.inventory(inventory.name)


def site_of(run: RunView | None) -> Site:
    """What is worked on: the simulated machine of a run, else this machine."""
    from raidtui.engine.site import (
        RealSite,
        site_of_run,  # only where a machine is looked at
    )

    return RealSite() if run is None or not run.plan.simulated else site_of_run(run.folder, run.plan)
