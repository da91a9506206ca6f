"""Ubuntu autoinstall: storage actions of Subiquity, which hands them on to curtin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from raidtui.installers.built import mkfs_by_curtin
from raidtui.installers.plan_view import MemberView, PlanView, word
from raidtui.installers.text import adoption_check, as_json, blank_check
from raidtui.values.errors import Refused

_SHORTEST_SERIAL = 4
"""characters; a pattern with a shorter one could match other disks"""
_NAA = 18
"""characters of 0x and 16 hex digits"""


def native(view: PlanView) -> str:
    """Actions with which curtin creates arrays, volume and file systems."""
    return _document(blank_check(view, serials=True), list(_actions(view, preserve=False)))


def adopted(view: PlanView) -> str:
    """Actions with which curtin verifies and mounts what is there."""
    return _document(adoption_check(view), list(_actions(view, preserve=True)))


def _document(check: str, actions: list[dict[str, Any]]) -> str:
    early = [["bash", "-uc", check]]
    return as_json({"autoinstall": {"version": 1, "early-commands": early, "storage": {"config": actions}}})


def matches(member: MemberView) -> list[dict[str, str]]:
    """Match specifications for ID_SERIAL of udev, tried in order: that of SCSI, of ATA and NVMe, of newer NVMe.

    An entry with a WWN alone matches any disk (Subiquity, apply_autoinstall_config). Raises Refused without a serial
    number that identifies the disk.
    """
    disk = member.disk
    found = []
    if (wwn := disk.own_wwn) and wwn.startswith("0x") and len(wwn) >= _NAA:
        found.append({"serial": f"3{word(wwn, 'WWN').removeprefix('0x')}"})
    if disk.serial and len(disk.serial) >= _SHORTEST_SERIAL:
        serial = word(disk.serial, "serial number")
        found += [{"serial": f"*_{serial}"}, {"serial": f"*_{serial}_1"}]
    if not found:
        raise Refused(
            f"disk {disk.path} has no serial number by which Subiquity could tell it from others",
            hint="build first, and export with --adopt",
        )
    return found


def _actions(view: PlanView, *, preserve: bool) -> Iterator[dict[str, Any]]:
    kept = {"preserve": True} if preserve else {}
    ids = {}
    for number, member in enumerate(view.disks):
        disk = f"disk-{number:02}"
        made = {"ptable": "gpt"} if view.on_partitions else {}
        yield {
            "type": "disk", "id": disk, "match": matches(member), **made,
            **(kept or {"wipe": "superblock-recursive"}),
        }  # fmt: skip
        ids[member.disk.id] = disk
        table = member.disk.table
        if table is not None:
            ids[member.disk.id] = f"{disk}-part1"
            yield {
                "type": "partition", "id": f"{disk}-part1", "device": disk, "number": 1, "size": table.size_bytes,
                "flag": "raid", **(kept or {"wipe": "superblock"}),
            }  # fmt: skip
    for number, array in enumerate(view.arrays):
        spares = {"spare_devices": [ids[spare.disk.id] for spare in array.spares]} if array.spares else {}
        yield {
            "type": "raid", "id": f"array-{number}", "name": array.name, "raidlevel": array.level,
            "metadata": array.metadata, "devices": [ids[member.disk.id] for member in array.members], **spares, **kept,
        }  # fmt: skip
    arrays = [f"array-{number}" for number in range(len(view.arrays))]
    if view.outer is not None:
        yield {
            "type": "raid", "id": "volume", "name": view.outer.name, "raidlevel": "raid0", "metadata": "1.2",
            "devices": arrays, **kept,
        }  # fmt: skip
    if view.volume is not None:
        yield {"type": "lvm_volgroup", "id": "group", "name": view.name, "devices": arrays, **kept}
        yield {"type": "lvm_partition", "id": "volume", "name": view.logical_volume, "volgroup": "group", **kept}
    yield from _file_systems(view, kept)


def _file_systems(view: PlanView, kept: dict[str, bool]) -> Iterator[dict[str, Any]]:
    stated = not mkfs_by_curtin(view) and not kept
    for number, made in enumerate(view.filesystems):
        options = {"extra_options": list(made.mkfs_options)} if stated else {}
        volume = "volume" if made.array is None else f"array-{made.array}"
        yield {
            "type": "format", "id": f"format-{number}", "fstype": made.type, "volume": volume, "uuid": made.uuid,
            **options, **kept,
        }  # fmt: skip
        yield {
            "type": "mount", "id": f"mount-{number}", "device": f"format-{number}", "path": made.mount_point,
            "options": made.mount_options,
        }  # fmt: skip
