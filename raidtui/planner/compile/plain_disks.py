"""What marks a disk of a plan without md as the plan's: the UUID of its file system, or of its LVM physical volume.

An md superblock does that for members of arrays. Both lie at the start of the disk, so an undo zeroes that last.
"""

from __future__ import annotations

from collections.abc import Mapping

from raidtui.model.geometry import LvmGeometry
from raidtui.model.plan import Plan, Reading
from raidtui.planner.array_labels import part_names
from raidtui.planner.compile.names import Names
from raidtui.planner.compile.step_builder import fact
from raidtui.tools import identity

MARKED_BYTES = 4096
"""bytes at the start of a disk that hold the superblock of XFS and ext4 and LVM's label"""


def plain_marks(plan: Plan) -> Mapping[str, str]:
    """Path of each disk to the UUID that the plan writes on it; empty for a plan whose disks are members of arrays."""
    if not plan.design.layout.plain:
        return {}
    if isinstance(plan.prediction.volume, LvmGeometry):
        names = part_names(plan.name, plan.design.layout.arrays)
        minted = Names(run_id=plan.run_id, name=plan.name, host=plan.host, arrays=names, mount_points=(), outer="")
        return {disk.path: minted.volume_uuid(part) for disk, part in zip(plan.disks, names, strict=True)}
    return {made.device: made.uuid for made in plan.filesystems}


def marked(path: str, uuid: str) -> Reading:
    """The disk has the UUID that the plan wrote on it."""
    return fact("ours", f"{path} has UUID {uuid}", identity.uuid_question(path), uuid, key="UUID")
