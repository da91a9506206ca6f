"""Tree of block devices, joined by the kernel's links and device numbers, never by name prefix."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from raidtui.machine.ports.host import Host
from raidtui.model.errors import MachineFailed
from raidtui.tools import lsblk, udevdb
from raidtui.tools.lsblk import BlockDevice
from raidtui.tools.udevdb import UdevRecord

NOT_DISKS = re.compile(r"(?:ram|zram|loop|fd|sr|md|mtdblock|bcache|drbd|zd|dm-)\d.*")


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
        end = part.removeprefix(name).removeprefix("p")
        return int(end) if end.isdigit() else None

    def by_number(self) -> dict[str, str]:
        """Kernel names by major:minor."""
        return {block.number: name for name, block in self.blocks.items()}


def is_disk(block: BlockDevice) -> bool:
    """True for a disk or a multipath map: a possible member of an array."""
    return block.type == "mpath" or (block.type == "disk" and not NOT_DISKS.fullmatch(block.name))


def read(host: Host) -> Tree:
    """Tree of this machine, from one lsblk, sysfs and udev's records. Raises MachineFailed."""
    ran = host.run(lsblk.ARGV)
    if ran is None:
        raise MachineFailed("lsblk is not installed", hint="install util-linux")
    if ran.exit not in (0, 64):  # 64: some of the devices went away meanwhile
        raise MachineFailed(
            f"lsblk failed: {ran.stderr.strip()}", hint="lsblk reads /sys, and raidtui needs that of util-linux 2.34 on"
        )
    found, lsblk_edges = lsblk.parse(ran.stdout)
    blocks = {block.name: block for block in found}
    edges = set(lsblk_edges)
    disks = tuple(block for block in found if is_disk(block))
    ways: dict[str, str] = {}
    entries: dict[str, tuple[str, ...]] = {}
    partitions: dict[str, tuple[str, ...]] = {}
    for name in (disk.name for disk in disks):
        if (target := host.link(f"/sys/class/block/{name}")) is not None:
            ways[name] = target
        entries[name] = host.names(f"/sys/class/block/{name}")
        partitions[name] = _partitions(name, entries[name], found)
        edges.update((name, part) for part in partitions[name])
    for name in blocks:
        edges.update((name, holder) for holder in host.names(f"/sys/class/block/{name}/holders"))
    return Tree(
        blocks=blocks,
        disks=disks,
        above=_grouped(edges),
        partitions=partitions,
        records=_records(host, found),
        ways=ways,
        entries=entries,
    )


def _records(host: Host, blocks: Iterable[BlockDevice]) -> dict[str, UdevRecord]:
    texts = ((block.name, host.text(udevdb.path(block.number))) for block in blocks)
    return {name: udevdb.parse(text) for name, text in texts if text is not None}


def _partitions(name: str, entries: Iterable[str], blocks: Iterable[BlockDevice]) -> tuple[str, ...]:
    """Partitions by lsblk's parents and by the sysfs directory, where each is a directory of its own.

    sysfs names a partition after its disk (kernel block/partitions/core.c), so inside the
    directory of `sda` an entry `sda1` can only be its own.
    """
    known = {block.name for block in blocks if block.parent == name and block.type == "part"}
    own = {entry for entry in entries if entry.startswith(name) and entry[len(name) :].removeprefix("p").isdigit()}
    return tuple(sorted(known | own))


def _grouped(edges: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    above: dict[str, tuple[str, ...]] = {}
    for lower, upper in sorted(edges):
        above[lower] = (*above.get(lower, ()), upper)
    return above
