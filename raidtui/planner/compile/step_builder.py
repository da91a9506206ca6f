"""What every part of the compiler looks at, and how steps are written down briefly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from raidtui.model.choices import Initramfs
from raidtui.model.design import Design
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk
from raidtui.model.plan import Command, PlanArray, PlanDisk, PlanFileSystem, Question, Reading, WriteFile
from raidtui.model.role import Role
from raidtui.planner.compile.names import Names
from raidtui.planner.members import ArrayDisks
from raidtui.tools import identity, mdadm


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One plan in the making."""

    design: Design
    prediction: Prediction
    names: Names
    shares: tuple[ArrayDisks, ...]
    disks: tuple[PlanDisk, ...]
    arrays: tuple[PlanArray, ...]
    """with the stripe over them, which is last"""
    filesystems: tuple[PlanFileSystem, ...]
    machine_id: str | None
    family: Initramfs

    @property
    def legs(self) -> tuple[PlanArray, ...]:
        """The arrays made of disks."""
        return self.arrays[: self.design.layout.arrays]

    @property
    def taken(self) -> tuple[Disk, ...]:
        """The disks as the inventory has them, in the order of `disks`."""
        members = [disk for share in self.shares for disk in share.members]
        return (*members, *(disk for share in self.shares for disk in share.spares))

    @property
    def lvm(self) -> bool:
        """True when LVM joins the arrays."""
        return self.prediction.volume is not None and self.prediction.volume.kind == "lvm"

    def path(self, disk_id: str) -> str:
        """Device path of a disk."""
        return next(disk.path for disk in self.disks if disk.id == disk_id)


AT_ONCE = 16
"""disks in one call of a program that takes many"""


def in_groups(paths: Sequence[str]) -> list[tuple[str, ...]]:
    """`paths` in order, at most sixteen together."""
    return [tuple(paths[start : start + AT_ONCE]) for start in range(0, len(paths), AT_ONCE)]


def fact(
    role: Role,
    what: str,
    question: Sequence[str],
    answer: str,
    *good_exits: int,
    key: str = "",
    about: Sequence[str] = (),
) -> Reading:
    """A reading with the sentence that it proves."""
    asked = Question(argv=tuple(question), good_exits=good_exits or (0,))
    return Reading(role=role, what=what, question=asked, key=key, answer=answer, about=tuple(about))


def only_if(reading: Reading, command: Command) -> Command:
    """The command, left out unless the reading holds right before it."""
    return replace(command, only_if=reading)


def array_is_ours(array: PlanArray) -> Reading:
    """The running array under that name carries our UUID."""
    return fact("ours", f"{array.device} has UUID {array.uuid}", mdadm.export(array.device), array.uuid, key="MD_UUID")


def member_is_ours(path: str, array: PlanArray) -> Reading:
    """The device carries a superblock of the array."""
    return fact("ours", f"{path} belongs to {array.name}", mdadm.examine_export(path), array.uuid, key="MD_UUID")


def block_facts(build: Build, path: str, text: str) -> Reading:
    """The plan's lines stand in a file that others write too."""
    lines = "\n".join((build.names.begin, text, build.names.end))
    return fact(
        "lines",
        f"{path} has the lines of the plan",
        identity.block_question(build.names.begin, build.names.end, path),
        lines,
    )


def block(path: str, text: str) -> WriteFile:
    """The plan's lines in such a file; empty text takes them out."""
    return WriteFile(path=path, text=text, fenced=True)
