"""Tree of block devices, joined by the kernel's links and device numbers, never by name prefix."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from raidtui.machine.inventory.capture import Noting
from raidtui.predict.disks.holds import in_virtual_machine, refusal, without_lost_members
from raidtui.programs import lsblk, multipath, sysfs, udevdb
from raidtui.programs.lsblk import NO_ROW, BlockDevice
from raidtui.programs.udevdb import UdevRecord
from raidtui.values.errors import MachineFailed
from raidtui.values.inventory import BY_PATH, Disk, Inventory
from raidtui.values.plan import Act
from raidtui.values.units import SECTOR

NOT_DISKS = re.compile(r"(?:ram|zram|loop|fd|sr|md|mtdblock|bcache|drbd|zd|dm-)\d.*")
_TYPES = frozenset(
    {"disk", "part", "path", "tape", "printer", "processor", "worm", "rom", "scanner", "mo-disk", "changer", "comm",
     "raid", "enclosure", "rbc", "osd", "no-lun"}
)  # fmt: skip
"""what lsblk calls a device whose name may be that of a disk (lsblk.c get_type, blkdev.c blkdev_scsi_type_to_name)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Every block device with its upper devices and udev's record."""

    blocks: dict[str, BlockDevice]
    """by kernel name"""
    disks: tuple[BlockDevice, ...]
    """disks and multipath maps, in lsblk's order"""
    above: dict[str, tuple[str, ...]]
    """kernel names of partitions and holders directly on a device"""
    partitions: dict[str, tuple[str, ...]]
    """kernel names of the partitions of a disk"""
    records: dict[str, UdevRecord]
    """udev's records; no entry where udev has none"""
    ways: dict[str, str]
    """target of /sys/class/block/<name>; no entry where the kernel has none"""
    entries: dict[str, tuple[str, ...]]
    """names in the sysfs directory of each disk"""

    def subtree(self, name: str) -> tuple[str, ...]:
        """`name` and all devices on it, directly or not."""
        found, waiting = [name], [name]
        while waiting:
            for upper in self.above.get(waiting.pop(), ()):
                if upper not in found:
                    found.append(upper)
                    waiting.append(upper)
        return tuple(found)

    def partition_numbers(self, name: str) -> tuple[int, ...]:
        """Numbers of the partitions of the disk `name`, in order."""
        numbers = (self.partition_number(name, part) for part in self.partitions.get(name, ()))
        return tuple(sorted(number for number in numbers if number is not None))

    def partition_number(self, name: str, part: str) -> int | None:
        """Number of the partition `part` of the disk `name`, which sysfs names after its disk."""
        return sysfs.count(part.removeprefix(name).removeprefix("p"))

    def by_number(self) -> dict[str, str]:
        """Kernel names by major:minor."""
        return {block.number: name for name, block in self.blocks.items() if block.number}


def is_disk(block: BlockDevice) -> bool:
    """True for a disk or a multipath map: a possible member of an array."""
    return block.type == "mpath" or (block.type == "disk" and not NOT_DISKS.fullmatch(block.name))


def read(host: Noting) -> Tree:
    """Tree of this machine, from one lsblk, sysfs and udev's records. Raises MachineFailed.

    A device that lsblk leaves out or misrepresents, and one whose files cannot be read, is there; `host` notes why.
    """
    ran = host.run(lsblk.ARGV)
    if ran is None:
        raise MachineFailed("lsblk is not installed", hint="install util-linux")
    if ran.exit not in (0, 64):  # 64: some of the devices went away meanwhile
        raise MachineFailed(
            f"lsblk failed: {ran.stderr.strip()}", hint="lsblk reads /sys, and raidtui needs that of util-linux 2.34 on"
        )
    listed, lsblk_edges = lsblk.parse(ran.stdout)
    blocks = {block.name: block for block in listed if block.name}
    entries = {name: _entries(host, name) for name, block in blocks.items() if is_disk(block)}
    partitions = {name: _partitions(name, inside, blocks.values()) for name, inside in entries.items()}
    parts = {part for own in partitions.values() for part in own}
    for block in (*_misnamed(blocks.values(), parts), *_left_out(host, {*blocks, *parts})):
        blocks[block.name], entries[block.name] = block, _entries(host, block.name)
        partitions[block.name] = _partitions(block.name, entries[block.name], blocks.values())
        parts.update(partitions[block.name])
    _note_rows(host, listed, blocks, parts)
    edges = {*lsblk_edges, *((name, part) for name, own in partitions.items() for part in own)}
    for name in {*blocks, *parts}:
        edges.update((name, holder) for holder in host.about(name).names(f"{_sysfs(name)}/holders"))
    disks = tuple(block for block in blocks.values() if block.name in entries)
    ways = {block.name: host.about(block.name).link(_sysfs(block.name)) for block in disks}
    return Tree(
        blocks=blocks,
        disks=disks,
        above=_grouped(edges),
        partitions=partitions,
        records=_records(host, blocks.values()),
        ways={name: way for name, way in ways.items() if way is not None},
        entries=entries,
    )


def _sysfs(name: str) -> str:
    return f"/sys/class/block/{name}"


def _entries(host: Noting, name: str) -> tuple[str, ...]:
    return host.about(name).names(_sysfs(name))


def _misnamed(blocks: Iterable[BlockDevice], parts: Collection[str]) -> list[BlockDevice]:
    """Devices with the name of a disk that lsblk calls something else, as disks with that problem."""
    return [
        replace(block, type="disk", problem=block.problem or f"TYPE: {block.type!r:.40} is none of a disk")
        for block in blocks
        if not is_disk(block) and block.name not in parts and not NOT_DISKS.fullmatch(block.name)
        if block.type not in _TYPES or (block.type == "part" and block.parent is None)
    ]


def _left_out(host: Noting, known: Collection[str]) -> list[BlockDevice]:
    """Disks and multipath maps that the kernel has and lsblk does not list; empty drives are none."""
    found = []
    for name in (each for each in host.names("/sys/class/block") if each not in known):
        mapped = name.startswith("dm-")
        if NOT_DISKS.fullmatch(name) and not mapped:
            continue
        about = host.about(name)
        if mapped and not (about.text(f"{_sysfs(name)}/dm/uuid") or "").startswith(multipath.PREFIX):
            continue
        size = sysfs.count(about.text(f"{_sysfs(name)}/size"))
        hidden = sysfs.word(about.text(f"{_sysfs(name)}/hidden")) == "1"
        if size != 0 and not hidden and "partition" not in about.names(_sysfs(name)):
            number = sysfs.word(about.text(f"{_sysfs(name)}/dev"))
            found.append(lsblk.left_out(name, number, "mpath" if mapped else "disk", (size or 0) * SECTOR))
    return found


def _note_rows(host: Noting, listed: Iterable[BlockDevice], blocks: Mapping[str, BlockDevice], parts: set[str]) -> None:
    """Notes for rows of lsblk that are missing or have no meaning."""
    for block in blocks.values():
        if block.problem:
            host.about(block.name).note(f"lsblk's row of {block.name}", block.problem)
    for name in sorted(parts - blocks.keys()):
        host.about(name).note(f"lsblk's row of {name}", NO_ROW)
    for block in listed:
        if not block.name:
            host.beside().note("a row of lsblk", block.problem)


def _records(host: Noting, blocks: Iterable[BlockDevice]) -> dict[str, UdevRecord]:
    asked = (block for block in blocks if block.number)
    texts = ((block.name, host.about(block.name).text(udevdb.path(block.number))) for block in asked)
    return {name: udevdb.parse(text) for name, text in texts if text is not None}


def _partitions(name: str, entries: Iterable[str], blocks: Iterable[BlockDevice]) -> tuple[str, ...]:
    """Partitions by lsblk's parents and by the sysfs directory, where each is a directory of its own.

    sysfs names a partition after its disk (kernel block/partitions/core.c), so inside the
    directory of `sda` an entry `sda1` can only be its own.
    """
    known = {block.name for block in blocks if block.parent == name and block.type == "part"}
    ends = ((entry, entry[len(name) :].removeprefix("p")) for entry in entries if entry.startswith(name))
    own = {entry for entry, end in ends if sysfs.count(end) is not None}
    return tuple(sorted(known | own))


def _grouped(edges: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    above: dict[str, tuple[str, ...]] = {}
    for lower, upper in sorted(edges):
        above[lower] = (*above.get(lower, ()), upper)
    return above


# Disks of a virtual machine that have no names: bound by their path, size, content and attachment.


def bound_by_path(inventory: Inventory) -> Inventory:
    """`inventory` where virtio disks without WWN and serial number are known by their link under /dev/disk/by-path.

    Whatever else forbids such a disk still does; nothing is bound where users of the disks could not be read.
    """
    claims = Counter(disk.by_path for disk in inventory.disks)

    def bound(disk: Disk) -> Disk:
        if disk.id or disk.wwn or disk.serial or not disk.by_path or claims[disk.by_path] > 1 or inventory.users_unread:
            return disk
        if not in_virtual_machine(disk):
            return disk
        named = replace(disk, id=f"{BY_PATH}{disk.by_path}", not_selectable=None)
        because = disk.not_selectable or "its content is unknown"
        return replace(named, not_selectable=refusal(named, twin=False, unknown_because=because))

    return replace(inventory, disks=tuple(without_lost_members([bound(disk) for disk in inventory.disks])))


def bound_as(act: Act, inventory: Inventory) -> Inventory:
    """`inventory` as `act` knows its disks: by their paths where it has a disk that only its path names."""
    return bound_by_path(inventory) if any(disk.bound_by_path for disk in act.disks) else inventory
