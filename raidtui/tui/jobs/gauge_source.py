"""Source of ticks for the Watch screen: this machine, or on a simulated chassis the design under load."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from raidtui.machine.gauges.scene import scene_of
from raidtui.model.inventory import Inventory
from raidtui.planner.array_labels import part_names
from raidtui.planner.members import disks_of

if TYPE_CHECKING:
    from raidtui.machine.ports.ticks import Ticks
    from raidtui.model.ask import WorkloadQuestion
    from raidtui.model.gauges import Scene
    from raidtui.planner.gauges.expected_load import ExpectedLoads
    from raidtui.tui.state.outcome import DesignOutcome


def session_ticks(
    inventory: Inventory, outcome: DesignOutcome, plan_name: str, clock: Callable[[], float] = time.time
) -> Ticks:
    """Ticks of the session's machine; `clock`: seconds since 1970, for a simulated one.

    Raises MachineFailed if /proc/diskstats is not readable.
    """

    if not inventory.simulated:
        from raidtui.machine.gauges.sampler import SystemTicks  # a simulated machine has no such files

        return SystemTicks(scene_of(inventory))
    scene = scene_of(inventory)
    layout, speed = outcome.design.layout, outcome.throughput
    if speed is None:
        from raidtui.machine.simulated.ticks import SimulatedTicks, demonstration  # a real machine needs no simulator

        return SimulatedTicks(scene, demonstration(scene), clock=clock)
    from raidtui.machine.simulated.planned_load import at_work, planned_scene  # a real machine needs no simulator

    names = part_names(plan_name, layout.arrays)
    return at_work(planned_scene(scene, layout, disks_of(layout, outcome.disks), names), layout, speed, clock)


def session_loads(ask: WorkloadQuestion, inventory: Inventory) -> Callable[[Scene], ExpectedLoads]:
    """What makes the expected loads of this machine under `ask`."""
    from raidtui.machine.arrays.asked_loads import asked_loads  # only where a workload is stated
    from raidtui.machine.system.runner import SystemReader  # beside it

    return partial(asked_loads, ask, SystemReader(), inventory)
