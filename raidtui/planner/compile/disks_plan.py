"""A plan that binds blank disks for a measurement that writes to them; it makes nothing and is never built."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from raidtui.model.design import Design, Trial
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Layout
from raidtui.model.plan import Plan
from raidtui.planner.compile.names import trial_mount_point
from raidtui.planner.compile.plan import compile_plan
from raidtui.planner.design.predict import predict


def disks_plan(inventory: Inventory, disks: Sequence[Disk], *, slice_bytes: int) -> Plan:
    """The plan of a trial on `disks` as they are; the same disks in the same state give the same digest.

    Raises Refused if one of them may not be used.
    """
    design = Design(
        layout=Layout(level="disk", members=1, arrays=len(disks)),
        fs="none",
        stack="separate",
        trial=Trial(slice_bytes=slice_bytes),
    )
    bound = [(disk.id, disk.size_bytes, disk.fingerprint) for disk in disks]
    known = json.dumps(["iocost", inventory.machine_id, bound])
    run_id = hashlib.sha256(known.encode()).hexdigest()[:32]
    return compile_plan(
        design, inventory, disks, predict(design, disks), run_id=run_id, name="iocost", host=inventory.name,
        mount_point=trial_mount_point(run_id),
    )  # fmt: skip
