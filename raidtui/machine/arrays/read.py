"""Reads every md array of a machine: sysfs, superblocks, what stands on it, what knows it.

Sources: Documentation/admin-guide/md.rst, mdadm --detail and --examine (as root), lsblk, mdadm.conf, /boot, fstab. A
file that cannot be read leaves its value unknown, and its reason in `unread`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from raidtui.advice.arrays import known
from raidtui.advice.arrays.known import observed_arrays
from raidtui.advice.arrays.state import array_states, by_superblocks, is_container, journal_lost, missing, volumes_of
from raidtui.advice.boot.configuration import files_read, statements_of
from raidtui.advice.boot.next_boot import check_boot
from raidtui.machine.arrays import boot
from raidtui.machine.arrays.boot import initramfs_tool
from raidtui.machine.gauges.kernel_arrays import BLOCK, array_now, assembled, runs
from raidtui.machine.system.ports import MachineReader, Ran, Syncing
from raidtui.programs import cryptsetup, lsblk, lvm, md, mdadm, mdadm_examine, sfdisk, sysfs, systemd, udevdb
from raidtui.programs import mount as fstab
from raidtui.programs import mount as mountinfo
from raidtui.programs.cryptsetup import CrypttabLine
from raidtui.programs.lsblk import BlockDevice
from raidtui.programs.mount import Mount
from raidtui.values.arrays import (
    ArrayMember,
    ContainerSuperblock,
    KnownBy,
    MemberSuperblock,
    ObservedArray,
    ObservedArrays,
    OnArray,
    SyncNow,
    VolumeFacts,
)
from raidtui.values.codec import by_key
from raidtui.values.errors import MachineFailed
from raidtui.values.facts import Boot, BootArrays, Configuration, Image, TextFile
from raidtui.values.inventory import Disk, Inventory, Signature
from raidtui.values.paths import STATE_FOLDER
from raidtui.values.plan import partition_path
from raidtui.values.safe import safe
from raidtui.values.units import SECTOR

# Reads of a machine that may fail: what could not be read is a note, and the look goes on.


T = TypeVar("T")


class Reads:
    """Files, directories and programs of one machine."""

    def __init__(self, reader: MachineReader) -> None:
        self.reader = reader
        self.unread: list[str] = []
        """why each of them could not be read"""

    def tried(self, ask: Callable[[], T], otherwise: T) -> T:
        """The answer of `ask`; `otherwise` where the machine fails."""
        try:
            return ask()
        except MachineFailed as problem:
            self.unread.append(str(problem))
            return otherwise

    def names(self, path: str) -> tuple[str, ...]:
        """Names in a directory."""
        nothing: tuple[str, ...] = ()
        return self.tried(lambda: self.reader.names(path), nothing)

    def text(self, path: str) -> str | None:
        """Content of a file; None where there is none, or it could not be read."""
        return self.tried(lambda: self.reader.read_text(path), None)

    def word(self, path: str) -> str:
        """Content of a file without spaces around it; empty where there is none."""
        return sysfs.word(self.text(path))

    def number(self, path: str) -> int | None:
        """The number in a file; None where there is none."""
        return sysfs.count(self.text(path))


def tables_of(reader: MachineReader, inventory: Inventory) -> dict[str, sfdisk.Dump]:
    """Partition tables by kernel name of the disk; of what cannot be read an empty one."""
    reads, nothing = Reads(reader), Ran(exit=1, stdout="", stderr="")
    names = [disk.kernel_name for disk in inventory.disks if disk.partitions and disk.kernel_name]
    return {
        name: sfdisk.parse(reads.tried(partial(reader.ask, sfdisk.dump(f"/dev/{name}")), nothing).stdout)
        for name in names
    }


# What stands on what: lsblk's tree of the machine, names of device-mapper, volume groups, mounts and swap.


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
            for volume in lvm.physical_volumes(reader.ask(lvm.PHYSICAL).stdout or '{"report": []}'):
                if (pin := reader.pin(volume.path)) is not None:
                    groups[pin.name] = volume.group
        except MachineFailed as problem:
            unread.append(f"volume groups: {problem}")
    return DeviceTree(blocks=blocks, above=above, below=below, mounts=points, mapped=mapped, groups=groups)


MD = "linux_raid_member"
CONTAINERS = {"isw_raid_member": "imsm", "ddf_raid_member": "ddf"}
"""libblkid's names of what disks of containers hold"""
_NAMED_BY_DISK = ("disk", "part", "rom")
"""types of devices that the inventory has, but for those of device-mapper"""


def observe(reader: MachineReader, inventory: Inventory) -> ObservedArrays:
    """Every md array of the machine behind `reader`, whose disks are those of `inventory`."""
    return ArraysLook(reader, inventory).take()


class ArraysLook:
    """Looks at a machine. What only an admin changes, and superblocks, are read by the first `take` alone."""

    def __init__(self, reader: MachineReader, inventory: Inventory, *, around: bool = True) -> None:
        """`around`: also superblocks, what stands on the arrays and what knows them."""
        self.reader, self.inventory = reader, inventory
        self.reads = Reads(reader)
        self._around = around
        self._disks = dict(_devices(inventory))
        self._signatures = {
            sysfs.partition_name(disk.kernel_name, use.partition) if use.partition else disk.kernel_name: use.signature
            for disk in inventory.disks
            for use in disk.uses
            if use.signature is not None and use.signature.type in (MD, *CONTAINERS)
        }
        self._carried = self._signatures
        self._tree: DeviceTree = NOTHING
        self._syncs: dict[str, Syncing] = {}
        self._superblocks: dict[str, tuple[MemberSuperblock | None, ContainerSuperblock | None, str]] = {}
        self._looked = False
        self.conf: Configuration | str = "not read: there is no array"
        """mdadm.conf and the files of its .d directory; why they could not be read"""
        self.images: tuple[Image, ...] = ()
        """initramfs images"""
        self.command_line = ""
        """of the kernel"""
        self.family = initramfs_tool(inventory)
        """what rebuilds the images"""
        self.boot: Boot | str = "no array runs"
        """what the next boot goes by; why that could not be read"""
        self._rules: tuple[TextFile, ...] | None = None
        self._runs: tuple[str, ...] = ()
        self._fstab: str | None = None
        self._crypttab: tuple[str | None] | None = None
        self._monitor: tuple[str | None, str] = (None, "")

    def take(self) -> ObservedArrays:
        """See `observe`."""
        self.reads.unread.clear()
        words = assembled(self.reads)
        held = {device for name in words for device in self._member_names(name)}
        arrays: list[ObservedArray] = []
        if self._around:
            self._look_up()
        if words or self._carried:
            nothing: tuple[Syncing, ...] = ()
            self._syncs = {each.device: each for each in self.reads.tried(self.reader.syncing, nothing)}
            if self._around:
                self._look_around()
            found = (self._array(name, held, self._tree) for name in words)
            arrays = [array for array in found if array is not None]
            stopped = self._stopped(held, {array.uuid for array in arrays})
            arrays = self._with_containers(arrays, held) if self._around else arrays
            arrays += [self._stopped_array(uuid, devices) for uuid, devices in stopped.items()]
        seen = ObservedArrays(
            host=self.inventory.name,
            simulated=self.reader.simulated,
            time=self.reader.clock().isoformat(timespec="seconds"),
            arrays=tuple(arrays),
            volumes=self._volumes() if words else (),
            unread=tuple(dict.fromkeys(self.reads.unread)),
        )
        return self._with_boot(seen) if self._around and words else seen

    def _member_names(self, array: str) -> tuple[str, ...]:
        return md.members(self.reads.names(md.folder(array)))

    def _look_up(self) -> None:
        """What is on the machine's block devices: also superblocks on devices that are no disks, such as encrypted
        ones."""
        self._tree = device_tree(self.reads)
        self._carried = self._signatures | {
            block.name: Signature(type=block.fstype, label=block.label, uuid=block.uuid)
            for block in self._tree.blocks.values()
            if block.fstype in (MD, *CONTAINERS) and (block.type not in _NAMED_BY_DISK or block.name[:3] == "dm-")
        }

    def _with_boot(self, seen: ObservedArrays) -> ObservedArrays:
        """`seen` with what the next boot does with each array."""
        at_boot = observed_arrays(seen, self.inventory, self.family)
        self.boot = self._boot(at_boot)
        if isinstance(self.boot, str):
            unknown = KnownBy(answer="unknown", why=self.boot)
            return replace(seen, arrays=tuple(replace(each, at_boot=unknown) for each in seen.arrays))
        findings = tuple(check_boot(at_boot, self.boot))
        judged = {each.uuid: known.at_boot(findings, each.name) for each in at_boot.arrays}
        none = KnownBy(answer="not-needed", why="it does not run, or its container is what a boot assembles")
        return replace(
            seen, arrays=tuple(replace(each, at_boot=judged.get(each.uuid, none)) for each in seen.arrays)
        )  # fmt: skip

    def _boot(self, arrays: BootArrays) -> Boot | str:
        """What the next boot goes by, or why it could not be read."""
        if isinstance(self.conf, str):
            return self.conf
        try:
            self._rules = boot.udev_rules(self.reader) if self._rules is None else self._rules
            kernel = sysfs.word(self.reader.read_text(boot.KERNEL))
            seen = Boot(
                configuration=self.conf, rules=self._rules, command_line=self.command_line, devices=(), kernel=kernel,
                images=self.images,
            )  # fmt: skip
            return boot.with_names(arrays, self.reader, seen)
        except MachineFailed as problem:
            return str(problem)

    def _look_around(self) -> None:
        """What is read once for all arrays."""
        if self._looked:
            return
        self._looked = True
        try:
            self.conf = boot.configuration(self.reader)
        except MachineFailed as problem:
            self.conf = str(problem)
        folders = Reads(self.reader).names(STATE_FOLDER)  # for root alone; for others the lines are left
        self._runs = known.runs_named(() if isinstance(self.conf, str) else self.conf.files, folders)
        self.images = self.reads.tried(lambda: boot.images(self.reader), ())
        self.command_line = self.reads.text(boot.COMMAND_LINE) or ""
        self._fstab = self.reads.text(fstab.PATH)
        self._monitor = self._watching()

    def _array(self, name: str, held: Collection[str], tree: DeviceTree) -> ObservedArray | None:
        """An assembled array; None for one that was stopped meanwhile."""
        before = len(self.reads.unread)
        found = array_now(self.reads, name)
        if found is None:
            return None
        started = runs(found.kernel_state)
        members = [self._placed(member) for member in found.members]
        uuid, label = self._identity(name, found.metadata, [member.device for member in members])
        lost = self._lost(uuid, held, members) if uuid else []
        troubled = not started or bool(found.lacks) or found.reshape is not None or journal_lost(found)
        troubled = troubled or any(member.state == "faulty" for member in members)
        if troubled or lost:
            members = [self._examined(member) for member in members]
        if started:
            members += missing(members, found.devices)
        path, stack, pin = self._path(name), tree.on(name) if started else (), self.reader.pin(f"/dev/{name}")
        found = replace(
            found, label=label, made_for=_host_of(label), path=path, uuid=uuid,
            members=tuple(sorted([*members, *(lost if troubled else ())], key=_place)),
            removed=() if troubled else tuple(sorted(lost, key=_place)),
            size_bytes=pin.size_bytes if pin is not None and started else 0,
            sync=sync_now(self._syncs.get(name)), stands_on_it=stack,
        )  # fmt: skip
        found = by_superblocks(found) if found.metadata[:8] != "external" else found
        return replace(self._surrounded(found), unread=tuple(self.reads.unread[before:]))

    def _surrounded(self, array: ObservedArray) -> ObservedArray:
        """The array with what knows it, and with its states."""
        array = self._known(array) if self._around else array
        return replace(array, states=array_states(array, self._home_of(array)))

    def _home_of(self, array: ObservedArray) -> str:
        """The host whose arrays are at home here; that of an array that an ARRAY line names is its own."""
        if array.in_conf.answer == "yes" or isinstance(self.conf, str):
            return array.made_for if array.in_conf.answer == "yes" else self.inventory.name
        lines = (each for each in statements_of(files_read(self.conf)) if each.keyword == "homehost")
        words = next((each.words for each in lines), ())
        if any(word.lower() == "<ignore>" for word in words):
            return array.made_for
        named = next((word for word in words if word[:1] != "<"), "")
        return named or self.inventory.name

    def _known(self, array: ObservedArray) -> ObservedArray:
        return replace(
            array,
            built_by=known.built_by(self._runs, array.uuid, array.label),
            in_conf=self._in_conf(array),
            in_initramfs=known.in_initramfs(self.images, array.uuid, self.command_line),
            in_fstab=self._in_fstab(array.stands_on_it),
            in_crypttab=self._in_crypttab((*self._luks_below(array), *array.stands_on_it)),
            monitored=known.monitored(self._monitor[0], array.level, self._monitor[1]),
        )

    def _stopped_array(self, uuid: str, devices: Sequence[str]) -> ObservedArray:
        """An array of which only superblocks are there."""
        members = [self._examined(self._placed(ArrayMember(device=device, state="idle"))) for device in devices]
        label = next((label for device in devices if (label := self._carried[device].label)), "")
        found = ObservedArray(
            name="", label=label, made_for=_host_of(label), path="", uuid=uuid, level="", metadata="",
            states=("stopped",), members=tuple(sorted(members, key=_place)),
        )  # fmt: skip
        return self._surrounded(by_superblocks(found))

    def _of_container(
        self, name: str, members: Sequence[ArrayMember], there: Collection[int | None]
    ) -> list[ObservedArray]:
        """The arrays that the disks of a container list and that are not assembled; `there`: numbers of those that are.

        `name`: its kernel name, empty for a container that is not assembled itself."""
        found = []
        for volume, inside in volumes_of(members):
            if volume.number in there:
                continue
            kind = next(each.container.kind for each in members if each.container is not None)
            array = ObservedArray(
                name="", label=volume.name, made_for="", path="", uuid=volume.uuid, level=volume.level,
                devices=volume.devices, lacks=max(volume.devices - len(inside), 0), metadata=f"external:{kind}",
                chunk_bytes=volume.chunk_bytes, container=name, states=("stopped",), members=inside,
            )  # fmt: skip
            found.append(self._surrounded(array))
        return found

    def _with_containers(self, arrays: Sequence[ObservedArray], held: Collection[str]) -> list[ObservedArray]:
        """The arrays with those that disks of IMSM and DDF list and that are not assembled; `held`: devices in arrays.

        A disk of a container that is assembled without it was left out of that."""
        found = list(arrays)
        for group in self._loose_containers(held):
            there = next((each for each in found if group.uuid and each.uuid == group.uuid), None)
            if there is None:
                found += [self._surrounded(group), *self._of_container("", group.members, ())]
            else:
                left = tuple(replace(each, state="dropped") for each in group.members)
                found[found.index(there)] = replace(there, removed=left)
        for array in (each for each in arrays if is_container(each)):
            numbers = (md.container(each.metadata) for each in arrays)
            started = {number for name, number in numbers if name == array.name}
            found += self._of_container(array.name, array.members, started)
        return found

    def _loose_containers(self, held: Collection[str]) -> Iterator[ObservedArray]:
        """A container for each group of disks that carry its metadata and are in none."""
        disks = [
            (self._examined(self._placed(ArrayMember(device=device, state="idle"))), signature)
            for device, signature in self._carried.items()
            if signature.type in CONTAINERS and device not in held
        ]
        for (kind, identity), members in by_key((_container_of(*each), each[0]) for each in disks).items():
            yield ObservedArray(
                name="", label="", made_for="", path="", uuid=md.md_uuid(identity), level="container",
                metadata=f"external:{kind}", states=("stopped", "container"), members=tuple(members),
            )  # fmt: skip

    # Members.

    def _placed(self, member: ArrayMember) -> ArrayMember:
        """The member with its size, and the disk that it is on."""
        pin = self.reader.pin(f"/dev/{member.device.replace('!', '/')}")
        node = f"/dev/{member.device.replace('!', '/')}"
        found = replace(member, size_bytes=pin.size_bytes if pin else None, path=node)
        own = self._disks.get(member.device)
        disk = own or self._disks.get(self._below(member.device))
        if disk is None:
            return found
        found = replace(found, disk=disk.kernel_name, disk_id=disk.id, serial=disk.serial, place=disk.place)
        if not own:
            return found
        part = member.device.removeprefix(disk.kernel_name).removeprefix("p")
        start = 0 if not part else self.reads.number(sysfs.start_path(member.device))
        path = partition_path(disk.path, int(part)) if part.isdecimal() else disk.path
        return replace(found, path=path if disk.path else node, start_bytes=None if start is None else start * SECTOR)

    def _below(self, device: str) -> str:
        """The one device below a device-mapper device, such as an encrypted one; empty for none, or several."""
        below = self._tree.below.get(device, ()) if device[:3] == "dm-" else ()
        return below[0] if len(below) == 1 else ""

    def _examined(self, member: ArrayMember) -> ArrayMember:
        """The member with its superblock, or why that was not read; one that is in no slot with its own."""
        if not self._around or not member.device:
            return member
        if member.device not in self._superblocks:
            self._superblocks[member.device] = self._superblock(member.device)
        block, container, why = self._superblocks[member.device]
        by_block = block is not None and member.state in ("idle", "dropped", "faulty") and member.slot is None
        return replace(
            member, superblock=block, container=container, unread=why,
            slot=block.role if by_block and block else member.slot,
        )  # fmt: skip

    def _superblock(self, device: str) -> tuple[MemberSuperblock | None, ContainerSuperblock | None, str]:
        path = f"/dev/{device.replace('!', '/')}"
        try:
            ran = self.reader.ask(mdadm.examine(path))
            block = mdadm_examine.superblock(ran.stdout)
            container = None
            if block is None and (container := mdadm_examine.container(ran.stdout)) is not None:
                brief = Reads(self.reader).tried(lambda: self.reader.ask(mdadm.examine_brief(path)).stdout, "")
                container = mdadm_examine.container(ran.stdout, brief)
        except MachineFailed as problem:
            return None, None, str(problem)
        why = ran.stderr.strip().partition("\n")[0] or "it has no md superblock"
        return block, container, "" if block or container else why

    def _lost(self, uuid: str, held: Collection[str], members: Sequence[ArrayMember]) -> list[ArrayMember]:
        """Devices with the superblock of an assembled array that are in no array; `held`: devices that are in one.

        At the end of a disk the superblock of its last partition shows on both (0.90, 1.0): a disk is none of them that
        has a partition in the array.
        """
        there = {*held, *(member.disk for member in members)}
        lost = [
            name for name, found in self._carried.items() if md.md_uuid(found.uuid or "") == uuid and name not in there
        ]
        return [self._examined(self._placed(ArrayMember(device=device, state="dropped"))) for device in lost]

    def _stopped(self, held: Collection[str], running: Collection[str]) -> dict[str, list[str]]:
        """Devices by the UUID of an array that is not assembled; `running`: UUIDs of those that are."""
        found: dict[str, list[str]] = {}
        for device, signature in self._carried.items():
            uuid = md.md_uuid(signature.uuid or "") if signature.type == MD else ""
            if uuid and uuid not in running and device not in held:
                found.setdefault(uuid, []).append(device)
        return found

    # The array.

    def _identity(self, name: str, metadata: str, members: Sequence[str]) -> tuple[str, str]:
        """(UUID, name in the superblock): what the kernel has, else udev's record where it is about these members, else
        their own signatures, else what mdadm says to root. An array without superblocks has none, whatever an earlier
        array left on its members."""
        if metadata == "none":
            return "", ""
        record = self._record(name)
        found = udevdb.parse(record).properties if record else {}
        shown, label = md.md_uuid(found.get("MD_UUID", "")), found.get("MD_NAME", "")
        signatures = (self._carried[device] for device in members if device in self._carried)
        carried = {md.md_uuid(each.uuid or ""): each.label or "" for each in signatures if each.type == MD}
        uuid = md.kernel_uuid(self.reads.word(md.value_path(name, "uuid")), metadata)
        if not uuid and shown and (not carried or shown in carried):
            uuid = shown
        if not uuid and len(carried) == 1:
            uuid = next(iter(carried))
        if not uuid:
            found = mdadm.exported(self.reads.tried(lambda: self.reader.ask(mdadm.export(f"/dev/{name}")).stdout, ""))
            uuid = shown = md.md_uuid(found.get("MD_UUID", ""))
            label = found.get("MD_NAME", "")
        return uuid, (label if shown == uuid and label else carried.get(uuid, "")) if uuid else ""

    def _record(self, name: str) -> str | None:
        return self.reads.text(udevdb.path(self.reads.word(f"{BLOCK}/{name}/dev")))

    def _path(self, name: str) -> str:
        for title in self.reads.names("/dev/md"):
            if not title.isdecimal() and self._node_name(f"/dev/md/{title}") == name:
                return f"/dev/md/{title}"
        return f"/dev/{name}"

    def _node_name(self, path: str) -> str:
        """Kernel name of the device behind a path, of a volume its device-mapper name; empty for none."""
        pin = self.reader.pin(path)
        return pin.name if pin is not None else ""

    def _volumes(self) -> tuple[VolumeFacts, ...]:
        """Every device-mapper device with what it is on."""
        found = []
        for name in self.reads.names(BLOCK):
            if name[:3] == "dm-" and (below := self.reads.names(f"{BLOCK}/{name}/slaves")):
                least, most = (
                    self.reads.number(f"{BLOCK}/{name}/queue/{size}_io_size") or 0 for size in ("minimum", "optimal")
                )
                found.append(VolumeFacts(name=name, below=below, io_min_bytes=least, io_opt_bytes=most))
        return tuple(found)

    # What knows it.

    def _in_conf(self, array: ObservedArray) -> KnownBy:
        if isinstance(self.conf, str):
            return KnownBy(answer="unknown", why=self.conf)
        members = [f"/dev/{member.device}" for member in array.members if member.device]
        minor = md.by_number(array.name)[0] if array.name and array.metadata[:3] == "0.9" else None
        return known.in_conf(self.conf, array.uuid, array.path, members, array.label, minor)

    def _in_fstab(self, stack: Sequence[OnArray]) -> KnownBy:
        if not stack:
            return KnownBy(answer="unknown", why="what stands on it was not read")
        if not any(each.content for each in stack) and not self.reader.simulated and not self._record(stack[0].device):
            return KnownBy(answer="unknown", why="udev has no record of it, so lsblk knows no file system")
        if self._fstab is None:
            return KnownBy(answer="unknown", why=f"{fstab.PATH} could not be read")
        return known.in_fstab(self._fstab, stack, self._node_name)

    def _in_crypttab(self, stack: Sequence[OnArray]) -> KnownBy | None:
        if not any(each.content == cryptsetup.KIND for each in stack):
            return None
        return known.in_crypttab(self._crypttab_text(), stack, self._node_name)

    def _luks_below(self, array: ObservedArray) -> Iterator[OnArray]:
        """The LUKS volumes that members are opened from: disks, or their partitions."""
        for member in array.members:
            found = self._tree.on(self._below(member.device))
            if found and found[0].content == cryptsetup.KIND:
                yield found[0]

    def crypttab_line(self, volume: OnArray) -> CrypttabLine | None:
        """The line of crypttab about a LUKS volume; None where there is none, or it could not be read."""
        return known.crypttab_line(self._crypttab_text() or "", volume, self._node_name)

    def _crypttab_text(self) -> str | None:
        """Text of crypttab, empty without such a file; None where it could not be read."""
        if self._crypttab is None:
            before = len(self.reads.unread)
            text = self.reads.text(cryptsetup.PATH)
            self._crypttab = (text if len(self.reads.unread) > before else text or "",)
        return self._crypttab[0]

    def _watching(self) -> tuple[str | None, str]:
        """(the monitor that runs, why that is unknown)."""
        try:
            if self.reader.ask(systemd.active_question(systemd.MONITOR)).stdout.strip() == "active":
                return f"{systemd.MONITOR} is active", ""
        except MachineFailed:  # a machine without systemd: its processes say it
            pass
        for pid, line in self.monitors().items():
            return f"process {pid}: {line.replace(chr(0), ' ').strip()}", ""
        return None, "" if self.reads.names("/proc") else "/proc lists no processes"

    def monitors(self) -> dict[str, str]:
        """Command line, with its zero bytes, of each mdadm --monitor by process."""
        reads = Reads(self.reader)  # a process that has ended is no note
        lines = {pid: reads.text(f"/proc/{pid}/cmdline") for pid in reads.names("/proc") if pid.isdecimal()}
        return {pid: line for pid, line in lines.items() if line and mdadm.is_monitor(line)}


def _devices(inventory: Inventory) -> list[tuple[str, Disk]]:
    """Kernel names of the disks and of their partitions, with the disk."""
    found = []
    for disk in inventory.disks:
        names = (disk.kernel_name, *(sysfs.partition_name(disk.kernel_name, number) for number in disk.partitions))
        found += [(name, disk) for name in names if disk.kernel_name]
    return found


def _container_of(member: ArrayMember, signature: Signature) -> tuple[str, str]:
    """Format and identity of the container that a disk is in; without its metadata, which root reads, the format."""
    if member.container is not None:
        return member.container.kind, member.container.identity
    return CONTAINERS[signature.type], ""


def _host_of(label: str) -> str:
    """`node1` of the name `node1:data`."""
    host, colon, _ = label.partition(":")
    return host if colon else ""


def sync_now(found: Syncing | None) -> SyncNow | None:
    """A sync with the time that it takes; None for none."""
    if found is None:
        return None
    left = (found.all_sectors - found.done_sectors) * SECTOR
    return SyncNow(
        action=found.action, done_bytes=found.done_sectors * SECTOR, whole_bytes=found.all_sectors * SECTOR,
        bytes_per_s=found.bytes_per_s, seconds_left=left // found.bytes_per_s if found.bytes_per_s else None,
        of=found.of,
    )  # fmt: skip


def _place(member: ArrayMember) -> tuple[bool, int, int, str]:
    """By slot, then what has none, or had one; vdz before vdaa."""
    none = member.slot is None or member.state in ("dropped", "faulty")
    return none, (member.slot or 0) if member.slot is not None else 1 << 20, len(member.device), member.device
