"""Input shared by all parts of the compiler, and helpers that build readings and conditional commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from raidtui.programs import identity, mdadm
from raidtui.programs.names import Names
from raidtui.values.choices import Initramfs
from raidtui.values.design import Alert, Design
from raidtui.values.inventory import Disk
from raidtui.values.members import ArrayDisks
from raidtui.values.plan import (
    Command,
    PlanArray,
    PlanCrypt,
    PlanDisk,
    PlanFileSystem,
    Question,
    Reading,
    Role,
    WriteFile,
    journal_mirrors,
)
from raidtui.values.prediction import ArrayGeometry, Prediction, StripeGeometry


@dataclass(frozen=True, slots=True, kw_only=True)
class StepContext:
    """What the steps of one plan are compiled from: design, prediction, names, bound disks, arrays, file systems."""

    design: Design
    prediction: Prediction
    names: Names
    shares: tuple[ArrayDisks, ...]
    disks: tuple[PlanDisk, ...]
    arrays: tuple[PlanArray, ...]
    """in order of the layout; then the mirrors of their journals; the RAID0 over them, if any, last"""
    filesystems: tuple[PlanFileSystem, ...]
    machine_id: str | None
    family: Initramfs
    alert: Alert | None = None
    crypts: tuple[PlanCrypt, ...] = ()
    """below the file systems, or on the arrays below LVM, in their order; none where nothing is encrypted"""

    @property
    def data_arrays(self) -> tuple[PlanArray, ...]:
        """The arrays whose members are disks; none without md."""
        return () if self.design.layout.plain else self.arrays[: self.design.layout.arrays]

    @property
    def journal_mirrors(self) -> tuple[tuple[PlanArray, ArrayGeometry], ...]:
        """The mirrors that carry write journals, with their geometries."""
        return tuple(zip(journal_mirrors(self.arrays), self.prediction.journals or (), strict=True))

    @property
    def outer(self) -> PlanArray | None:
        """The RAID0 over the arrays."""
        return self.arrays[-1] if isinstance(self.prediction.volume, StripeGeometry) else None

    @property
    def md_geometries(self) -> tuple[ArrayGeometry, ...]:
        """The geometry of each of `data_arrays`."""
        return () if self.design.layout.plain else self.prediction.arrays

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """(name, device) of each array whose members are disks, without md of each disk."""
        if self.design.layout.plain:
            return tuple(zip(self.names.arrays, (disk.path for disk in self.disks), strict=True))
        return tuple((array.name, array.device) for array in self.data_arrays)

    @property
    def joined(self) -> tuple[tuple[str, str], ...]:
        """(name, device) of each of `parts` that LVM joins: of an encrypted array what is opened on it."""
        if not self.design.encrypts_arrays:
            return self.parts
        return tuple((name, crypt.path) for (name, _), crypt in zip(self.parts, self.crypts, strict=True))

    @property
    def inventory_disks(self) -> tuple[Disk, ...]:
        """The inventory's disks in the order of `disks`."""
        members = [disk for share in self.shares for disk in share.members]
        others = [disk for share in self.shares for disk in share.spares]
        others += [disk for share in self.shares for disk in share.journal]
        return tuple({disk.id: disk for disk in (*members, *others)}.values())

    @property
    def lvm(self) -> bool:
        """True if an LVM volume combines the arrays."""
        return self.prediction.volume is not None and self.prediction.volume.kind == "lvm"

    def member_path(self, array: PlanArray, disk_id: str) -> str:
        """Path of the member of `array` on the disk with this identity: the disk, or a partition; a path is one."""
        return next((disk.member_of(array).path for disk in self.disks if disk.id == disk_id), disk_id)


AT_ONCE = 16
"""most disks per call of a program"""


def in_groups(paths: Sequence[str]) -> list[tuple[str, ...]]:
    """`paths` in order, in groups of at most `AT_ONCE`."""
    return [tuple(paths[start : start + AT_ONCE]) for start in range(0, len(paths), AT_ONCE)]


def group_text(paths: Sequence[str]) -> str:
    """A group by its first path: `/dev/disk/by-id/wwn-1`, `16 disks from /dev/disk/by-id/wwn-1 on`."""
    return paths[0] if len(paths) == 1 else f"{len(paths)} disks from {paths[0]} on"


def fact(
    role: Role,
    what: str,
    question: Sequence[str],
    answer: str,
    *good_exits: int,
    key: str = "",
    every: bool | None = None,
    about: Sequence[str] = (),
) -> Reading:
    """A reading: `what` holds if the output of `question` (or the value of `key` in it) is `answer`."""
    asked = Question(argv=tuple(question), good_exits=good_exits or (0,))
    return Reading(role=role, what=what, question=asked, key=key, every=every, answer=answer, about=tuple(about))


def only_if(reading: Reading, command: Command) -> Command:
    """The command on condition that the reading holds right before it; otherwise it is skipped."""
    return replace(command, only_if=reading)


def array_is_ours(array: PlanArray) -> Reading:
    """The array running under that name has the plan's UUID."""
    return fact("ours", f"{array.device} has UUID {array.uuid}", mdadm.export(array.device), array.uuid, key="MD_UUID")


def member_is_ours(path: str, array: PlanArray) -> Reading:
    """The device has a superblock of the array."""
    return fact("ours", f"{path} belongs to {array.name}", mdadm.examine_export(path), array.uuid, key="MD_UUID")


def devices_work(array: PlanArray) -> Reading:
    """All members and spares of the array work, and its journal."""
    working = str(len(array.disks))
    what = f"{array.device} has {working} working devices"
    return fact("member count", what, mdadm.detail(array.device), working, key="Working Devices")


def data_starts(path: str, sectors: int) -> Reading:
    """The data offset in the superblock of a member."""
    shown = mdadm.shown_offset(sectors)
    return fact("predicted", f"the data offset of {path} is {shown}", mdadm.examine(path), shown, key="Data Offset")


def block_facts(context: StepContext, path: str, text: str) -> Reading:
    """A file shared with other writers contains the plan's lines."""
    lines = "\n".join((context.names.begin, text, context.names.end))
    return fact(
        "lines",
        f"{path} has the lines of the plan",
        identity.block_question(context.names.begin, context.names.end, path),
        lines,
    )


def block(path: str, text: str, *, first: bool = False) -> WriteFile:
    """Writes the plan's lines to the end of a shared file, or to its beginning; an empty text removes them."""
    return WriteFile(path=path, text=text, fenced=True, first=True if first else None)
