"""Present users of a disk: mounts, swap, md, LVM, dm-crypt, bcache, loop devices, exports, processes, locks."""

from __future__ import annotations

from collections.abc import Iterator

from raidtui.machine.device_users.kernel_users import kernel_users
from raidtui.machine.inventory.block_tree import Tree
from raidtui.machine.inventory.mounts import DeviceClaim
from raidtui.machine.inventory.reading_log import Noting
from raidtui.machine.ports.host import Host, Look, Opener
from raidtui.model.inventory import Multipath, OpenedBy, Use, UseKind
from raidtui.tools import lvm, mdstat
from raidtui.tools.sysfs import word

Uses = dict[str, list[Use]]
_DM: tuple[tuple[str, UseKind], ...] = (("LVM-", "lvm-pv"), ("CRYPT-", "dm-crypt"), ("mpath-", "multipath"))


def active(host: Host, tree: Tree, claims: tuple[DeviceClaim, ...], openers: tuple[Opener, ...] = ()) -> Uses:
    """Users of each device, by kernel name; a whole disk has the users of its subtree."""
    uses, noting = _mounted(tree, claims), Noting.of(host)
    for name, use in (*_held(noting, tree), *_opened(noting, tree, openers), *_of_whole_disks(tree)):
        uses.setdefault(name, []).append(use)
    return uses


def _mounted(tree: Tree, claims: tuple[DeviceClaim, ...]) -> Uses:
    """Mounts and swap of every mount namespace; lsblk's mounts for a device without any."""
    uses: Uses = {}
    for claim in claims:
        kind: UseKind = "swap" if claim.kind == "swap" else "mounted"
        if claim.kind != "zfs":
            uses.setdefault(claim.device, []).append(Use(kind=kind, where=claim.where, active=True))
    for block in tree.blocks.values():
        if block.mount_point and block.name not in uses:
            kind = "swap" if block.mount_point == "[SWAP]" else "mounted"
            uses[block.name] = [Use(kind=kind, where=block.mount_point, active=True)]
    return uses


def _held(host: Noting, tree: Tree) -> Iterator[tuple[str, Use]]:
    """Members of running arrays, then devices with another holder."""
    # a partition of a multipath map is a device of kpartx on it
    known = {
        (name, part)
        for name, parts in tree.partitions.items()
        for part in parts
        if tree.partition_number(name, part) is not None
    }
    for array in mdstat.parse(host.text("/proc/mdstat") or ""):
        for member in array.members:
            yield member, Use(kind="md-member", where=array.words, active=True)
            known.add((member, array.name))
    for lower, uppers in tree.above.items():
        for upper in uppers:
            if (lower, upper) not in known:
                block = tree.blocks.get(upper)
                yield lower, _holder(host, upper, is_map=block is not None and block.type == "mpath")


def _opened(host: Noting, tree: Tree, openers: tuple[Opener, ...]) -> Iterator[tuple[str, Use]]:
    """Devices that a process writes to or the kernel uses."""
    names = tree.by_number()
    for opener in openers:
        if opener.writing and (name := names.get(opener.number)):
            yield name, Use(kind="open", where=opener.by, active=True)
    for path, use in kernel_users(host):
        if name := names.get(host.number(path) or ""):
            yield name, use


def _of_whole_disks(tree: Tree) -> Iterator[tuple[str, Use]]:
    for block in tree.disks:
        if "bcache" in tree.entries.get(block.name, ()):
            yield block.name, Use(kind="bcache", where="bcache", active=True)
        if block.read_only:
            yield block.name, Use(kind="read-only", where="the kernel refuses writes", active=True)


def of_disk(tree: Tree, uses: Uses, name: str, look: Look | None, opened: tuple[OpenedBy, ...] = ()) -> tuple[Use, ...]:
    """The active uses of the disk `name` and of everything on it, each once; `opened` by `opened_by`."""
    found = [use for device in tree.subtree(name) for use in uses.get(device, ())]
    record = tree.records.get(name)
    if record and record.properties.get("DM_MULTIPATH_DEVICE_PATH") == "1":
        found.append(Use(kind="multipath", where="that udev expects", active=True))
    if look and look.locked:
        found.append(Use(kind="locked", where="another process holds a BSD lock on it", active=True))
    if look and look.busy and not found:
        found.append(Use(kind="exclusive", where=_exclusive(opened), active=True))
    return tuple(dict.fromkeys(found))


def unclear(host: Noting, tree: Tree, name: str, joined: Multipath | None) -> tuple[Use, ...]:
    """What could not be read of the disk `name`, of its paths and of everything on it: it may be in use there."""
    below = [path.kernel_name for path in (joined.paths if joined else ())]
    devices = dict.fromkeys(each for device in (name, *below) for each in tree.subtree(device))
    return tuple(
        Use(kind="unclear", where=str(each), active=True) for device in devices for each in host.unread_of(device)
    )


def of_paths(tree: Tree, uses: Uses, name: str, joined: Multipath | None) -> tuple[Use, ...]:
    """Active uses of the paths of the multipath map `name`, and of what is on one of them beside the map."""
    own = frozenset(tree.subtree(name))
    devices = (each for path in (joined.paths if joined else ()) for each in tree.subtree(path.kernel_name))
    found = (use for device in devices if device not in own for use in uses.get(device, ()))
    return tuple(use for use in dict.fromkeys(found) if use.kind != "multipath")


def opened_by(tree: Tree, openers: tuple[Opener, ...], name: str) -> tuple[OpenedBy, ...]:
    """Processes that have the disk `name` or something on it open."""
    names = tree.by_number()
    devices = frozenset(tree.subtree(name))
    return tuple(
        OpenedBy(
            process=each.process, command=each.command, device=names[each.number], writing=each.writing,
            elsewhere=each.elsewhere,
        )
        for each in openers
        if names.get(each.number) in devices
    )  # fmt: skip


def _exclusive(opened: tuple[OpenedBy, ...]) -> str:
    where = "opened exclusively by a process or a driver"
    names = ", ".join(dict.fromkeys(f"{each.command} (pid {each.process})" for each in opened))
    return f"{where}; open in {names}" if names else where


def volume_group(host: Noting, name: str) -> str | None:
    """UUID, without dashes, of the volume group that the dm device `name` is a volume of."""
    uuid = _dm(host, name, "uuid")
    return uuid[4:36] if uuid.startswith("LVM-") else None


def _dm(host: Noting, name: str, what: str) -> str:
    return word(host.about(name).text(f"/sys/class/block/{name}/dm/{what}")) if name.startswith("dm-") else ""


def _holder(host: Noting, upper: str, *, is_map: bool) -> Use:
    uuid = "mpath-" if is_map else _dm(host, upper, "uuid")
    where = _dm(host, upper, "name") or upper
    for prefix, kind in _DM:
        if uuid.startswith(prefix):
            return Use(kind=kind, where=lvm.group_of(where) if kind == "lvm-pv" else where, active=True)
    if upper.startswith("md"):
        return Use(kind="md-member", where=upper, active=True)
    return Use(kind="bcache" if upper.startswith("bcache") else "holder", where=where, active=True)
