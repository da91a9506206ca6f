"""What the members of the arrays that exist should move under a stated workload."""

from __future__ import annotations

from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.ports.runner import MachineReader
from raidtui.model.ask import WorkloadQuestion
from raidtui.model.gauges import Scene
from raidtui.model.inventory import Inventory
from raidtui.planner.arrays.layout import layout_of
from raidtui.planner.design.infer_from_arrays import InferredDesign
from raidtui.planner.gauges.expected_load import ExpectedLoads, parts_of, work_of


def asked_loads(ask: WorkloadQuestion, reader: MachineReader, inventory: Inventory, scene: Scene) -> ExpectedLoads:
    """The loads of the arrays of `scene` whose layout is known."""
    seen = ArraysLook(reader, inventory, around=False).take()
    parts = {}
    for array in seen.arrays:
        found = layout_of(array, seen.arrays, inventory)
        if isinstance(found, InferredDesign):
            spins = any(disk.rotational is not False for disk in found.disks)
            parts[array.name] = parts_of(found.design.layout.shapes[0], work_of(ask), rotational=spins)
    return ExpectedLoads(scene, parts)
