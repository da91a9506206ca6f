"""Ironic: target_raid_config for the agent's software RAID."""

from __future__ import annotations

from raidtui.model.errors import Refused
from raidtui.model.plan import PlanDisk
from raidtui.planner.export.installers.plan_view import PlanView, word
from raidtui.planner.export.installers.text import as_json

_PLAIN_WWN = 18
"""characters of a WWN without extension, 0x and 16 hex digits"""


def native(view: PlanView) -> str:
    """The configuration of the one RAID1 that the agent builds on whole disks."""
    disks = [
        {
            "controller": "software", "raid_level": array.level.removeprefix("raid"), "size_gb": "MAX",
            "volume_name": array.name, "physical_disks": [_hint(member.disk) for member in array.members],
        }
        for array in view.arrays
    ]  # fmt: skip
    return as_json({"logical_disks": disks})


def adopted(view: PlanView) -> str:
    """The property that keeps cleaning and deployment off the plan's arrays."""
    names = [array.name for array in (*view.arrays, *((view.outer,) if view.outer else ()))]
    return as_json({"skip_block_devices": [{"volume_name": name} for name in names]})


def _hint(disk: PlanDisk) -> dict[str, str]:
    if disk.wwn:
        key = "wwn" if len(disk.wwn) <= _PLAIN_WWN else "wwn_with_extension"
        return {key: f"s== {word(disk.wwn, 'WWN')}"}
    if disk.serial:
        return {"serial": f"s== {word(disk.serial, 'serial number')}"}
    raise Refused(
        f"disk {disk.path} has neither WWN nor serial number, by which Ironic would find it",
        hint="build it with raidtui build or raidtui script",
    )
