"""What stands on what: lsblk's tree of the machine, names of device-mapper, volume groups, mounts and swap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raidtui.machine.arrays.reads import Reads
from raidtui.model.arrays import OnArray
from raidtui.model.by_key import by_key
from raidtui.model.errors import MachineFailed
from raidtui.model.safe import safe
from raidtui.tools import lsblk, lvm, lvm_report, mountinfo
from raidtui.tools.lsblk import BlockDevice
from raidtui.tools.mountinfo import Mount

_DEEPEST = 16
_LONG = 100
"""characters of a line that are shown"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceTree:
    """Block devices of a machine."""

    blocks: dict[str, BlockDevice]
    """by kernel name"""
    above: dict[str, list[str]]
    """kernel names directly on each"""
    below: dict[str, list[str]]
    """kernel names directly below each"""
    mounts: dict[str, list[Mount]]
    """by major:minor"""
    mapped: dict[str, str]
    """device-mapper name by kernel name"""
    groups: dict[str, str]
    """volume group by the name that its physical volume's pin has"""

    def on(self, name: str) -> tuple[OnArray, ...]:
        """The array `name` and everything on it."""
        return tuple(self._walk(name, 0)) if name in self.blocks else ()

    def _walk(self, name: str, depth: int) -> Iterator[OnArray]:
        block = self.blocks[name]
        uppers = [upper for upper in self.above.get(name, []) if upper in self.blocks]
        mounts = self.mounts.get(block.number, [])
        points = [*(mount.point for mount in mounts), *([block.mount_point] if block.mount_point else [])]
        # lsblk has signatures from udev, which may be behind; what is mounted or swapped on has one for certain
        used = next((mount.fstype for mount in mounts), "swap" if block.mount_point == "[SWAP]" else "")
        volumes = [self.mapped[upper] for upper in uppers if self.blocks[upper].type == "lvm" and upper in self.mapped]
        pv = block.fstype == "LVM2_member" or bool(volumes)
        group = self.groups.get(self.mapped.get(name, name), lvm.group_of(volumes[0]) if volumes else "")
        yield OnArray(
            device=name, name=f"mapper/{self.mapped[name]}" if name in self.mapped else name, type=block.type,
            depth=depth, content="LVM2_member" if pv else block.fstype or used, label=block.label or "",
            uuid=block.uuid or "", group=group,
            mount_points=tuple(dict.fromkeys(points)), size_bytes=block.size,
        )  # fmt: skip
        for upper in uppers if depth < _DEEPEST else ():
            yield from self._walk(upper, depth + 1)


NOTHING = DeviceTree(blocks={}, above={}, below={}, mounts={}, mapped={}, groups={})


def device_tree(reads: Reads) -> DeviceTree:
    """Every block device of the machine."""
    reader, unread = reads.reader, reads.unread
    try:
        ran = reader.ask(lsblk.ARGV)
        listed, edges = lsblk.parse(ran.stdout)
        mounts, torn = mountinfo.parsed(reader.read_text("/proc/self/mountinfo") or "")
    except MachineFailed as problem:
        unread.append(f"what stands on the arrays: {problem}")
        return NOTHING
    unread += [f"a line of /proc/self/mountinfo: {safe(line, longest=_LONG)}" for line in torn]
    unread += [f"lsblk's row of {block.name or 'a device'}: {block.problem}" for block in listed if block.problem]
    found = [block for block in listed if block.name]
    blocks = {block.name: block for block in found}
    volumes = (name for name in blocks if name.startswith("dm-"))  # lsblk lists one below one of its arrays alone
    more = {(lower, name) for name in volumes for lower in reads.names(f"/sys/block/{name}/slaves") if lower in blocks}
    all_edges = sorted(edges | more)
    above, below = by_key(all_edges), by_key((upper, lower) for lower, upper in all_edges)
    points = by_key((mount.number, mount) for mount in mounts)
    mapped = {
        name: dm for name in blocks if name.startswith("dm-") and (dm := reads.word(f"/sys/block/{name}/dm/name"))
    }
    groups: dict[str, str] = {}
    if any(block.fstype == "LVM2_member" for block in found):
        try:
            for volume in lvm_report.physical_volumes(reader.ask(lvm_report.PHYSICAL).stdout or '{"report": []}'):
                if (pin := reader.pin(volume.path)) is not None:
                    groups[pin.name] = volume.group
        except MachineFailed as problem:
            unread.append(f"volume groups: {problem}")
    return DeviceTree(blocks=blocks, above=above, below=below, mounts=points, mapped=mapped, groups=groups)
