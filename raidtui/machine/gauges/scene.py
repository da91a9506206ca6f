"""The disks and arrays to watch: names, places and membership, read once, without root.

Reads sysfs and udev's records only, so that a watch starts at once on any Linux machine, also without md; runs no
program. With an inventory, its disks are used and only the arrays are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from raidtui.machine.gauges.md import Membership, memberships
from raidtui.machine.gauges.sampler import is_disk
from raidtui.machine.inventory import topology
from raidtui.machine.inventory.block_tree import Tree
from raidtui.machine.inventory.capture import Noting
from raidtui.machine.inventory.identity import identities
from raidtui.machine.system.host import SystemHost
from raidtui.predict.speed.shared_links import LinkCapacity, shared_capacity, slot_capacity
from raidtui.programs import udevdb
from raidtui.programs.lsblk import BlockDevice
from raidtui.programs.sysfs import count, word
from raidtui.programs.udevdb import UdevRecord
from raidtui.values.errors import BadInput
from raidtui.values.gauges import Scene, WatchedArray, WatchedDisk
from raidtui.values.inventory import Controller, Disk, Inventory, Link, Place
from raidtui.values.speed import Ceiling, Limit

_BLOCK = "/sys/block"
_ESCAPED = re.compile(r"\\x([0-9a-f]{2})")
_LONG_NAME = re.compile(r"(?:naa\.|0x)([0-9a-f]{16}(?:[0-9a-f]{16})?)")


def scene_of(inventory: Inventory | None = None, root: str = "/") -> Scene:
    """The scene to watch; `inventory`: its disks, if known, possibly simulated ones."""
    if inventory is not None and inventory.simulated:
        return _scene(inventory, {}, ())
    host = Noting(_Rooted(root.rstrip("/")))
    found = memberships(host)
    return _scene(inventory or _light_inventory(host), found.disks, found.arrays)


def _scene(inventory: Inventory, member_of: Mapping[str, Membership], arrays: tuple[WatchedArray, ...]) -> Scene:
    disks = [_watched(disk, member_of.get(disk.kernel_name)) for disk in inventory.disks]
    return Scene(
        host=inventory.name,
        simulated=inventory.simulated,
        disks=tuple(sorted(disks, key=_position)),
        arrays=arrays,
        ceilings=ceilings(inventory.links, inventory.controllers, inventory.disks),
    )


def _watched(disk: Disk, membership: Membership | None) -> WatchedDisk:
    return WatchedDisk(
        name=disk.kernel_name or disk.id,
        id=disk.id,
        serial=disk.serial,
        model=disk.model,
        slot=disk.place.slot or "",
        enclosure=disk.place.enclosure or "",
        controller=disk.place.controller or "",
        link=disk.place.expander or "",
        array=membership.array if membership else "",
        role=membership.role if membership else "idle",
        size_bytes=disk.size_bytes,
        rotational=disk.rotational,
    )


def _position(disk: WatchedDisk) -> tuple[object, ...]:
    """Sort key: array (none last), controller, enclosure, slot; sda2 before sda10."""
    words = (disk.array, disk.controller, disk.enclosure, disk.slot, disk.name)
    return (not disk.array, disk.role == "spare", *(natural(word) for word in words))


def natural(text: str) -> tuple[tuple[bool, int, str], ...]:
    """Sorts bay 2 before bay 10, sdz before sdaa."""
    parts = re.findall(r"\d+|\D+", text)
    return tuple((False, int(part), "") if part.isdecimal() else (True, len(part), part) for part in parts)


def ceilings(
    links: Iterable[Link], controllers: Iterable[Controller], disks: Iterable[Disk]
) -> dict[str, tuple[Ceiling, ...]]:
    """Bandwidth of each shared link and each controller's slot, by name, if the bus reports it."""
    rates = {disk.place.expander: disk.link_bits_per_s for disk in disks}
    found: dict[str, tuple[Ceiling, ...]] = {}
    found |= {link.name: (_ceiling(_limit(link), shared_capacity(link, rates.get(link.name))),) for link in links}
    for controller in controllers:
        capacity = slot_capacity(controller)
        if capacity is not None:
            found[controller.pci] = (_ceiling(Limit("PCIe slot", controller.pci), capacity),)
    return found


def _limit(link: Link) -> Limit:
    return Limit("port multiplier" if link.kind == "port-multiplier" else link.kind, link.name)


def _ceiling(limit: Limit, capacity: LinkCapacity) -> Ceiling:
    return Ceiling(name=limit, rate=round(capacity.point), source=capacity.source, formula=capacity.formula)


def _light_inventory(host: Noting) -> Inventory:
    """The disks from sysfs and udev; their content is not read."""
    names = [name for name in host.names(_BLOCK) if is_disk(name)]
    records = {name: _record(host, name) for name in names}
    sizes = {name: (count(host.about(name).text(f"{_BLOCK}/{name}/size")) or 0) * 512 for name in names}
    blocks = tuple(_block(host, name, records[name], sizes[name]) for name in names if sizes[name])
    ways = {block.name: host.link(f"/sys/class/block/{block.name}") or "" for block in blocks}
    tree = Tree(
        blocks={block.name: block for block in blocks}, disks=blocks, above={}, partitions={}, records=records,
        ways=ways, entries={},
    )  # fmt: skip
    seats, ids = topology.seats(host, tree), identities(tree)
    disks = tuple(
        Disk(
            id=ids[block.name],
            size_bytes=block.size,
            kernel_name=block.name.replace("!", "/"),
            serial=block.serial,
            model=block.model,
            rotational=block.rotational,
            place=seats[block.name].place if block.name in seats else Place(),
            link_bits_per_s=seats[block.name].link_bits_per_s if block.name in seats else None,
        )
        for block in blocks
    )
    name = word(host.text("/proc/sys/kernel/hostname"))
    return Inventory(
        origin="machine",
        name=name or "this machine",
        controllers=topology.controllers(host, seats),
        links=topology.links(host, tree, seats),
        disks=disks,
    )


def _record(host: Noting, name: str) -> UdevRecord:
    number = word(host.text(f"{_BLOCK}/{name}/dev"))
    return udevdb.parse(host.text(udevdb.path(number)) or "" if number else "")


def _block(host: Noting, name: str, record: UdevRecord, size: int) -> BlockDevice:
    """The block device like lsblk's output, from udev's record, else from sysfs."""
    properties, folder = record.properties, f"{_BLOCK}/{name}"
    model = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), properties.get("ID_MODEL_ENC", "")).strip()
    serial = next(
        (properties[key] for key in ("SCSI_IDENT_SERIAL", "ID_SCSI_SERIAL", "ID_SERIAL_SHORT") if properties.get(key)),
        "",
    )
    wwn = properties.get("ID_WWN_WITH_EXTENSION") or properties.get("ID_WWN") or ""
    if not wwn:
        wwid = word(host.text(f"{folder}/wwid")) or word(host.text(f"{folder}/device/wwid"))
        match = _LONG_NAME.fullmatch(wwid.lower())
        wwn = f"0x{match[1]}" if match else wwid
    spins = word(host.text(f"{folder}/queue/rotational"))
    return BlockDevice(
        name=name, parent=None, number=word(host.text(f"{folder}/dev")), type="disk", size=size, read_only=False,
        rotational={"0": False, "1": True}.get(spins), logical_sector=512, physical_sector=512, optimal_io=0,
        zoned="none", model=model or word(host.text(f"{folder}/device/model")) or None,
        serial=serial or word(host.text(f"{folder}/device/serial")) or word(host.text(f"{folder}/serial")) or None,
        wwn=wwn or None, vendor=None, revision=None, transport=None, hctl=None, fstype=None, label=None, uuid=None,
        table=None, mount_point=None,
    )  # fmt: skip


class _Rooted(SystemHost):
    """This machine, or a copy of its /sys, /proc and /run below `root`."""

    def __init__(self, root: str) -> None:
        super().__init__()
        self._root = root

    def text(self, path: str) -> str | None:
        return super().text(self._root + path)

    def names(self, path: str) -> tuple[str, ...]:
        return super().names(self._root + path)

    def link(self, path: str) -> str | None:
        return super().link(self._root + path)


# Selects disks and arrays of a scene by name.


def selected(scene: Scene, names: Sequence[str]) -> tuple[Scene, frozenset[str] | None]:
    """The part of `scene` selected by `names`, and its kernel names; all of it and None without names.

    A disk is named by kernel name, identity, serial number or slot, an array by kernel name or title; an array includes
    its members, spares and lower arrays. Raises BadInput for an unknown name.
    """
    if not names:
        return scene, None
    only: set[str] = set()
    for name in names:
        short = name.removeprefix("/dev/").removeprefix("md/")
        found = {array.name for array in scene.arrays if short and short in (array.name, array.title)}
        found |= {disk.name for disk in scene.disks if short in _names(disk)}
        if not found:
            raise BadInput(f"no disk or array is named {name}", hint="raidtui watch --plain --count 1 lists them")
        only |= found
    for array in reversed(scene.arrays):  # outer ones first
        if array.name in only:
            only |= {*array.members, *array.spares, *_hangers_on(scene, array)}
    part = replace(
        scene,
        disks=tuple(disk for disk in scene.disks if disk.name in only),
        arrays=tuple(array for array in scene.arrays if array.name in only),
    )
    return part, frozenset(only)


def _names(disk: WatchedDisk) -> set[str]:
    return {disk.name, disk.id, disk.serial or "", disk.slot} - {""}


def _hangers_on(scene: Scene, array: WatchedArray) -> set[str]:
    """Disks of the array that are neither members nor spares, such as a failed one."""
    return {disk.name for disk in scene.disks if disk.array == array.name}
