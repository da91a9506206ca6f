"""Arrays that exist as the next boot is to find them: the other source of what planner/boot judges, beside a plan."""

from __future__ import annotations

from collections.abc import Collection

from raidtui.model.arrays import ArrayMember, MemberState, ObservedArray, ObservedArrays
from raidtui.model.boot import BootArray, BootArrays, BootMember
from raidtui.model.choices import Initramfs
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.plan import partition_path
from raidtui.model.safe import safe
from raidtui.planner.arrays import words

_MEMBERS: tuple[MemberState, ...] = ("in-sync", "rebuilding", "replacement", "idle")
_BESIDE: tuple[MemberState, ...] = ("spare", "journal")
_GONE: tuple[MemberState, ...] = ("dropped", "faulty")
"""md writes no superblock to a faulty member any more: a boot finds it as it finds one that was removed"""


def observed_arrays(
    seen: ObservedArrays, inventory: Inventory, family: Initramfs, uuids: Collection[str] = ()
) -> BootArrays:
    """The arrays that run, those of `uuids` where some are named; of IMSM and DDF none, whose containers hold disks.

    `family`: what rebuilds the machine's initramfs.
    """
    disks = {disk.kernel_name: disk for disk in inventory.disks if disk.kernel_name}
    arrays = [
        each
        for each in seen.arrays
        if each.size_bytes and each.uuid and not each.metadata.startswith("external") and "container" not in each.states
    ]
    return BootArrays(
        host=seen.host,
        family=family,
        lines="as-found",
        arrays=tuple(_array(each, disks) for each in arrays if not uuids or each.uuid in uuids),
    )


def _array(array: ObservedArray, disks: dict[str, Disk]) -> BootArray:
    def those(states: Collection[MemberState]) -> tuple[BootMember, ...]:
        found = (each for each in (*array.members, *array.removed) if each.device and each.state in states)
        return tuple(_member(each, disks) for each in found)

    slots = [each.slot for each in array.members if each.slot is not None]
    return BootArray(
        name=words.name(array), uuid=array.uuid, device=array.path, label=array.label, metadata=array.metadata,
        level=array.level, devices=array.devices or len(set(slots)), layout=array.layout,
        members=those(_MEMBERS), spares=those(_BESIDE), removed=those(_GONE),
    )  # fmt: skip


def _member(member: ArrayMember, disks: dict[str, Disk]) -> BootMember:
    disk, node = disks.get(member.disk), f"/dev/{member.device.replace('!', '/')}"
    number = member.device.removeprefix(member.disk).removeprefix("p") if member.disk else ""
    part = int(number) if number.isdecimal() else 0
    if disk is None or (member.device != member.disk and not part):
        return BootMember(
            id=node, path=node, device=member.device, words="" if member.device[:2] == "md" else _words(None, None),
            superblock=member.superblock,
        )  # fmt: skip
    path = (partition_path(disk.path, part) if part else disk.path) if disk.path else node
    return BootMember(
        id=disk.id, path=path, disk_path=disk.path if part else "", number=part, device=member.device,
        words=_words(member.place.slot, member.serial), superblock=member.superblock,
    )  # fmt: skip


def _words(slot: str | None, serial: str | None) -> str:
    bay = f"bay {safe(slot, longest=40)}, " if slot else ""
    return f"{bay}serial {safe(serial or 'unknown', longest=40)}"
