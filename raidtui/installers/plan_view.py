"""A plan as installers see it: arrays and their disks by stable identity, the volume, the file systems.

Every text in it was held against an allow-list, because formats are read by shells, Nix and parsers of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raidtui.installers.exported import Attribute
from raidtui.programs import file_systems, mdadm
from raidtui.programs.mount_options import fstab_words
from raidtui.sizes.partitions import FIRST_BYTES, start_bytes
from raidtui.steps.array_steps import create_request, outer_request
from raidtui.values.amounts import listed
from raidtui.values.choices import MadeFileSystem, MdLevel
from raidtui.values.design import NOBODY, Design
from raidtui.values.errors import Refused
from raidtui.values.plan import VOLUME, Plan, PlanArray, PlanDisk, Stage, WriteFile
from raidtui.values.prediction import ArrayGeometry, LvmGeometry, StripeGeometry
from raidtui.values.units import counted, exact_binary

_WORD = re.compile(r"[A-Za-z0-9_/][A-Za-z0-9_/.:+=,@-]*")
_BY_ID = re.compile(r"/dev/disk/by-id/[A-Za-z0-9][A-Za-z0-9_.:+=-]*")


@dataclass(frozen=True, slots=True)
class MemberView:
    """A device that becomes a member or spare of an array."""

    disk: PlanDisk
    path: str
    """link below /dev/disk/by-id: of the disk, or of its partition"""


@dataclass(frozen=True, slots=True)
class ArrayView:
    """An array that the plan creates."""

    name: str
    device: str
    """path under /dev/md"""
    uuid: str
    level: MdLevel
    metadata: str
    geometry: ArrayGeometry
    members: tuple[MemberView, ...]
    """in order; empty for the RAID0 over the arrays"""
    spares: tuple[MemberView, ...]
    create_options: tuple[str, ...]
    """mdadm's options for all values but level, metadata, number of members, names and UUID"""


@dataclass(frozen=True, slots=True)
class FileSystemView:
    """A file system that the plan creates."""

    device: str
    array: int | None
    """number of the array that it is on; None: on the volume"""
    type: MadeFileSystem
    uuid: str
    mount_point: str
    mount_options: str
    """fourth field of fstab"""
    mkfs_options: tuple[str, ...]
    """all options of mkfs but the UUID"""
    mkfs_options_with_uuid: tuple[str, ...]

    @property
    def uuid_option(self) -> tuple[str, ...]:
        """The option of mkfs for the UUID alone."""
        match self.type:
            case "xfs":
                return ("-m", f"uuid={self.uuid}")
            case "ext4":
                return ("-U", self.uuid)


@dataclass(frozen=True, slots=True)
class PlanView:
    """What every renderer gets."""

    plan: Plan
    name: str
    """base name: volume group, or the RAID0 over the arrays"""
    arrays: tuple[ArrayView, ...]
    """whose members are disks"""
    outer: ArrayView | None
    """the RAID0 over the arrays"""
    volume: LvmGeometry | None
    logical_volume: str
    """its name"""
    filesystems: tuple[FileSystemView, ...]

    @property
    def disks(self) -> tuple[MemberView, ...]:
        """Members, then spares, array by array."""
        return tuple(member for array in self.arrays for member in (*array.members, *array.spares))

    @property
    def on_partitions(self) -> bool:
        """True if members are partitions that the plan makes."""
        return self.plan.design.on_partitions

    def written(self, stage: Stage) -> tuple[WriteFile, ...]:
        """The files, or parts of files, that the plan's steps of this stage write."""
        steps = (step for step in self.plan.steps if step.stage == stage)
        return tuple(action for step in steps for action in step.actions if isinstance(action, WriteFile))


def view_of(plan: Plan) -> PlanView:
    """`plan` for installers. Raises Refused for a plan that none of them can name the disks or values of."""
    if plan.design.trial is not None:
        raise Refused("a trial is carried out by raidtui tune only", hint="make a plan to keep")
    if plan.design.layout.plain:
        raise Refused("the plan has no md arrays to export", hint="use raidtui plan and raidtui script")
    if plan.crypts:
        raise Refused(
            "installers would get no key file, and this plan is encrypted",
            hint="build it with raidtui build or raidtui script, or plan without --encrypt",
        )
    if plan.design.journal_disks:
        raise Refused(
            "installers make no array with a write journal, which this plan has",
            hint="build it with raidtui build or raidtui script, or plan without --journal",
        )
    if plan.design.layout.hybrid is not None:
        raise Refused(
            "installers have no hybrid layouts: bands of partitions that arrays of several levels share",
            hint="build it with raidtui build or raidtui script",
        )
    if maps := [disk.path for disk in plan.disks if disk.is_map]:
        raise Refused(
            f"{counted(len(maps), 'multipath disk')} in the plan, {maps[0]} first: no export was tried with an "
            "installer's own multipathd",
            hint="build it on the installed system with raidtui build or raidtui script",
        )
    disks = {disk.id: disk for disk in plan.disks}
    _unique(plan.disks)
    geometries = plan.prediction.arrays
    volume = plan.prediction.volume
    arrays = tuple(
        _array(plan, array, geometry, disks) for array, geometry in zip(plan.arrays, geometries, strict=False)
    )
    return PlanView(
        plan=plan,
        name=word(plan.name, "plan name"),
        arrays=arrays,
        outer=_outer(plan.arrays[-1], volume) if isinstance(volume, StripeGeometry) else None,
        volume=volume if isinstance(volume, LvmGeometry) else None,
        logical_volume=VOLUME,
        filesystems=_filesystems(plan),
    )


def word(text: str, what: str) -> str:
    """`text`, which no shell or parser takes for anything else than one word. Raises Refused for any other."""
    if not _WORD.fullmatch(text):
        raise Refused(
            f"{what} {text!r} has characters that installers would not take literally",
            hint="make the plan again with letters, digits and . _ + - alone",
        )
    return text


def _unique(disks: Sequence[PlanDisk]) -> None:
    """Raises Refused where two disks share what installers know them by."""
    wwns = [disk.own_wwn for disk in disks if disk.own_wwn]
    for field, values in (("path", [disk.path for disk in disks]), ("WWN", wwns)):
        twice = sorted({value for value in values if values.count(value) > 1})
        if twice:
            raise Refused(f"two disks of the plan have the {field} {twice[0]!r}", hint="an installer could mix them up")


def _stable(path: str, disk: PlanDisk) -> str:
    if not _BY_ID.fullmatch(path):
        raise Refused(
            f"disk {disk.id!r} has no stable identity for an installer: its path is {path!r}",
            hint="kernel names change between boots; build this plan with raidtui build or raidtui script",
        )
    return path


def _array(plan: Plan, array: PlanArray, geometry: ArrayGeometry, disks: dict[str, PlanDisk]) -> ArrayView:
    def seen(ids: Sequence[str]) -> tuple[MemberView, ...]:
        found = ((disks[each], disks[each].member_of(array).path) for each in ids)
        return tuple(MemberView(disk, _stable(path, disk)) for disk, path in found)

    members = seen(array.members)
    request = create_request(
        plan.design, array, geometry, host=plan.host, members=tuple(member.path for member in members)
    )
    assert geometry.level != "disk"
    return ArrayView(
        name=word(array.name, "array name"),
        device=word(array.device, "array device"),
        uuid=word(array.uuid, "array UUID"),
        level=geometry.level,
        metadata=plan.design.metadata,
        geometry=geometry,
        members=members,
        spares=seen(array.spares),
        create_options=mdadm.value_options(request),
    )


def _outer(outer: PlanArray, volume: StripeGeometry) -> ArrayView:
    geometry = volume.array
    return ArrayView(
        name=word(outer.name, "array name"),
        device=word(outer.device, "array device"),
        uuid=word(outer.uuid, "array UUID"),
        level="raid0",
        metadata="1.2",
        geometry=geometry,
        members=(),
        spares=(),
        create_options=mdadm.value_options(outer_request(outer, geometry, host="", members=())),
    )


def _filesystems(plan: Plan) -> tuple[FileSystemView, ...]:
    separate = len(plan.prediction.filesystems) > 1 or plan.prediction.volume is None
    found = []
    for number, (made, geometry) in enumerate(zip(plan.filesystems, plan.prediction.filesystems, strict=True)):
        stated = plan.design.options
        options, named = (file_systems.value_options(uuid, geometry, stated) for uuid in (None, made.uuid))
        found.append(
            FileSystemView(
                device=word(made.device, "device"),
                array=number if separate else None,
                type=geometry.type,
                uuid=word(made.uuid, "file system UUID"),
                mount_point=word(made.mount_point, "mount point"),
                mount_options=word(fstab_words(plan.design.options.mount), "mount options"),
                mkfs_options=options,
                mkfs_options_with_uuid=named,
            )
        )
    return tuple(found)


# What a plan states of each attribute, as text; empty where it has none.


MDADM_OWN = "mdadm's own"
_MINTED = "minted with the plan"


def planned_values(view: PlanView) -> Mapping[Attribute, str]:
    """The value of every attribute."""
    plan, design, geometry = view.plan, view.plan.design, view.arrays[0].geometry
    redundant = geometry.level != "raid0"
    disks = counted(len(plan.disks), "disk")
    lvm = view.volume
    return {
        "level": geometry.level,
        "members": f"{disks} by WWN or serial number",
        "member order": "copies spread over failure domains" if geometry.level == "raid10" else "",
        "member device": partitions_text(view) if view.on_partitions else "whole disks",
        "spares": str(len(plan.disks) - design.layout.member_disks) if design.layout.spares else "",
        "chunk": exact_binary(geometry.chunk_bytes) if geometry.chunk_bytes else "",
        "layout": geometry.md_layout or "" if redundant else "",
        "bitmap": bitmap_text(view) if redundant else "",
        "metadata version": design.metadata,
        "array UUID": _MINTED,
        "array name": listed([array.device for array in view.arrays]),
        "size and data offset": _size(design),
        "first sync": "none, zeroes on all members" if design.zeroes else "",
        "spare group": view.name if design.layout.spares and len(view.arrays) > 1 else "",
        "volume": _volume(view),
        "extent size": ""
        if lvm is None
        else f"{exact_binary(lvm.extent_bytes)}, from {exact_binary(lvm.pe_start_bytes)}",
        "mkfs options": _mkfs(view),
        "file system UUID": _MINTED if view.filesystems else "",
        "mount": ", ".join(made.mount_point for made in view.filesystems),
        "alert": ((plan.alert or NOBODY).mail or (plan.alert or NOBODY).program or "root") if redundant else "",
        "tuning": "read-ahead, stripe cache and least rebuild rate" if view.written("tune") else "",
        "content check": "only disks that are blank or were accepted",
    }


def _size(design: Design) -> str:
    stated = (("a stated size", design.member_bytes), ("a stated data offset", design.data_offset_bytes))
    texts = [text for text, size in stated if size is not None]
    return listed(texts) if texts else MDADM_OWN


def partitions_text(view: PlanView) -> str:
    """The partitions that the plan makes."""
    sizes = sorted({member.size_bytes for disk in view.plan.disks for member in disk.members})
    start = start_bytes(view.plan.design)
    behind = f", from {exact_binary(start)} on" if start > FIRST_BYTES else ""
    return f"partitions of {listed([exact_binary(size) for size in sizes])}{behind}"


def bitmap_text(view: PlanView) -> str:
    """`PPL`, `internal`, `internal, 256 MiB per bit` or `none`."""
    design = view.plan.design
    if design.ppl:
        return "PPL"
    if view.arrays[0].geometry.bitmap_chunk_bytes is None:
        return "none"
    stated = design.bitmap_chunk_bytes
    return "internal" if stated is None else f"internal, {exact_binary(stated)} per bit"


def _volume(view: PlanView) -> str:
    arrays = counted(len(view.arrays), "array")
    if view.outer is not None:
        return f"RAID0 over {arrays}, chunk {exact_binary(view.outer.geometry.chunk_bytes or 0)}"
    if view.volume is not None:
        return f"LVM stripe over {arrays}, {exact_binary(view.volume.stripe_bytes)}"
    return ""


def _mkfs(view: PlanView) -> str:
    return f"mkfs.{view.filesystems[0].type} with stripe, sizes and features" if view.filesystems else ""
