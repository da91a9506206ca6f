"""Arrays of the machine that come before a new one: those that lack a member or do not run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidtui.model.counted import counted
from raidtui.model.finding import Finding, gravest_first
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Inventory
from raidtui.model.safe import safe
from raidtui.planner.findings import warning


def with_arrays_first(prediction: Prediction, inventory: Inventory) -> Prediction:
    """`prediction` with these warnings: a plan that is compiled again from its machine copies the prediction's."""
    return replace(prediction, findings=gravest_first((*prediction.findings, *arrays_first(inventory))))


def arrays_first(inventory: Inventory) -> Iterator[Finding]:
    """A warning for each array of the machine that lacks a member or does not run: it comes before a new one."""
    for array in inventory.lacking:
        name = safe(array.name)
        if array.lacks is None:
            yield warning(
                "array-not-running",
                f"{name} ({safe(array.level)}) has failed."
                if array.level
                else f"{name} is assembled and does not run.",
                "raidtui arrays shows why; nothing that is done to its disks can be taken back",
                name,
            )
        else:
            yield warning(
                "array-lacks-member",
                f"{name} ({safe(array.level)}) lacks {array.lacks} of {counted(array.devices or 0, 'member')}.",
                f"replace that disk first (raidtui replace {name}), unless its rebuild runs",
                name,
            )
