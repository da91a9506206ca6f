"""What holds a disk right now: mounts, swap, md, LVM, dm-crypt, bcache, loops, exports, and who locked it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from raidtui.machine.host import Host, Look
from raidtui.machine.mounts import Claim
from raidtui.machine.tree import Tree
from raidtui.model.inventory import Use, UseKind
from raidtui.tools import mdstat

Uses = dict[str, list[Use]]
_DM: tuple[tuple[str, UseKind], ...] = (("LVM-", "lvm-pv"), ("CRYPT-", "dm-crypt"), ("mpath-", "multipath"))


class Files(Protocol):
    """Text files and directories of a machine; see `Host`."""

    def text(self, path: str, /) -> str | None:
        """Content of a file; None when there is none."""

    def names(self, path: str, /) -> tuple[str, ...]:
        """Names in a directory, sorted."""


def active(host: Host, tree: Tree, claims: tuple[Claim, ...]) -> Uses:
    """What holds each device, by kernel name; of a whole disk the uses of its subtree count."""
    uses: Uses = {}
    for claim in claims:
        kind: UseKind = "swap" if claim.kind == "swap" else "mounted"
        if claim.kind != "zfs":
            uses.setdefault(claim.device, []).append(Use(kind=kind, where=claim.where, active=True))
    for block in tree.blocks.values():
        if block.mount_point and block.name not in uses:
            kind = "swap" if block.mount_point == "[SWAP]" else "mounted"
            uses[block.name] = [Use(kind=kind, where=block.mount_point, active=True)]
    told = {(name, part) for name, parts in tree.partitions.items() for part in parts}
    for array in mdstat.parse(host.text("/proc/mdstat") or ""):
        for member in array.members:
            uses.setdefault(member, []).append(Use(kind="md-member", where=array.words, active=True))
            told.add((member, array.name))
    for lower, uppers in tree.above.items():
        for upper in uppers:
            if (lower, upper) not in told:
                uses.setdefault(lower, []).append(_holder(host, upper))
    names = tree.by_number()
    for path, use in (*_loops(host, tree), *exports(host)):
        if name := names.get(host.number(path) or ""):
            uses.setdefault(name, []).append(use)
    for block in tree.disks:
        if "bcache" in tree.entries[block.name]:
            uses.setdefault(block.name, []).append(Use(kind="bcache", where="bcache", active=True))
        if block.read_only:
            uses.setdefault(block.name, []).append(
                Use(kind="read-only", where="the kernel refuses writes", active=True)
            )
    return uses


def of_disk(tree: Tree, uses: Uses, name: str, look: Look | None) -> tuple[Use, ...]:
    """The active uses of the disk `name` and of everything on it, each once."""
    found = [use for device in tree.subtree(name) for use in uses.get(device, ())]
    record = tree.records.get(name)
    if record and record.properties.get("DM_MULTIPATH_DEVICE_PATH") == "1":
        found.append(Use(kind="multipath", where="udev: a path of a multipath device", active=True))
    if look and look.locked:
        found.append(Use(kind="locked", where="another process holds a BSD lock on it", active=True))
    if look and look.busy and not found:
        found.append(Use(kind="exclusive", where="opened exclusively by a process or a driver", active=True))
    return tuple(dict.fromkeys(found))


def volume_group(host: Host, name: str) -> str | None:
    """UUID, without dashes, of the volume group that the dm device `name` is a volume of."""
    uuid = _dm(host, name, "uuid")
    return uuid[4:36] if uuid.startswith("LVM-") else None


def _dm(host: Host, name: str, what: str) -> str:
    return (host.text(f"/sys/class/block/{name}/dm/{what}") or "").strip() if name.startswith("dm-") else ""


def _holder(host: Host, upper: str) -> Use:
    uuid = _dm(host, upper, "uuid")
    where = _dm(host, upper, "name") or upper
    for prefix, kind in _DM:
        if uuid.startswith(prefix):
            return Use(kind=kind, where=_group_name(where) if kind == "lvm-pv" else where, active=True)
    if upper.startswith("md"):
        return Use(kind="md-member", where=upper, active=True)
    return Use(kind="bcache" if upper.startswith("bcache") else "holder", where=where, active=True)


def _group_name(name: str) -> str:
    """`vg-a` of the dm name `vg--a-lv`: hyphens inside names are doubled (lvm2 libdm-string.c)."""
    return name.replace("--", "\0").split("-")[0].replace("\0", "-")


def loops(host: Files, names: Iterable[str]) -> list[tuple[str, Use]]:
    """What backs each of the loop devices `names` (kernel names): the path of a device or a file."""
    paths = {name: (host.text(f"/sys/class/block/{name}/loop/backing_file") or "").rstrip("\n") for name in names}
    return [(path, Use(kind="loop", where=name, active=True)) for name, path in paths.items() if path.startswith("/")]


def exports(host: Files) -> list[tuple[str, Use]]:
    """Devices and files that the LIO target or the NVMe target hands to other machines, each by its path."""
    return [*_lio(host), *_nvmet(host)]


def _loops(host: Host, tree: Tree) -> list[tuple[str, Use]]:
    """Devices that back a loop device directly: it neither shows as their holder nor opens them exclusively."""
    names = (block.name for block in tree.blocks.values() if block.type == "loop")
    return [found for found in loops(host, names) if found[0].startswith("/dev/")]


def _lio(host: Files) -> list[tuple[str, Use]]:
    """Devices that the LIO target hands to other machines (configfs)."""
    core = "/sys/kernel/config/target/core"
    stores = [f"{hba}/{store}" for hba in host.names(core) for store in host.names(f"{core}/{hba}")]
    return [
        (path, Use(kind="exported", where=f"LIO {store}", active=True))
        for store in stores
        if (path := _path(host, f"{core}/{store}/udev_path"))
    ]


def _nvmet(host: Files) -> list[tuple[str, Use]]:
    """Devices that the NVMe target hands to other machines (configfs)."""
    top = "/sys/kernel/config/nvmet/subsystems"
    spaces = [
        f"{each}/namespaces/{space}" for each in host.names(top) for space in host.names(f"{top}/{each}/namespaces")
    ]
    return [
        (path, Use(kind="exported", where=f"NVMe {space}", active=True))
        for space in spaces
        if (path := _path(host, f"{top}/{space}/device_path"))
    ]


def _path(host: Files, path: str) -> str:
    """The absolute path that a file holds; empty when it holds none."""
    text = (host.text(path) or "").strip()
    return text if text.startswith("/") else ""
