"""Reads every md array of a machine: sysfs, superblocks, what stands on it, what knows it.

Sources: Documentation/admin-guide/md.rst, mdadm --detail and --examine (as root), lsblk, mdadm.conf, /boot, fstab. A
file that cannot be read leaves its value unknown, and its reason in `unread`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from raidtui.machine.arrays.reads import Reads
from raidtui.machine.arrays.stack import NOTHING, ArrayTree, array_tree
from raidtui.machine.boot import look
from raidtui.machine.boot.initramfs_tool import initramfs_tool
from raidtui.machine.gauges.md import GONE
from raidtui.machine.ports.runner import MachineReader, Syncing
from raidtui.model.arrays import (
    ArrayBitmap,
    ArrayMember,
    KnownBy,
    MemberSuperblock,
    ObservedArray,
    ObservedArrays,
    OnArray,
    SyncNow,
    VolumeFacts,
)
from raidtui.model.boot import Boot, BootArrays, Configuration, Image, TextFile
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.paths import STATE_FOLDER
from raidtui.model.units import KIB, SECTOR
from raidtui.planner.arrays import known
from raidtui.planner.arrays.boot_arrays import observed_arrays
from raidtui.planner.arrays.state import array_states, member_state, missing, newest_roster
from raidtui.planner.boot.next_boot import check_boot
from raidtui.tools import fstab, md_sysfs, mdadm, sysfs, systemd, udevdb

_BLOCK = "/sys/block"


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
        self._carried = {
            sysfs.partition_name(disk.kernel_name, use.partition) if use.partition else disk.kernel_name: use.signature
            for disk in inventory.disks
            for use in disk.uses
            if use.kind == "md-member" and use.signature is not None
        }
        self._syncs: dict[str, Syncing] = {}
        self._superblocks: dict[str, tuple[MemberSuperblock | None, str]] = {}
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
        self._monitor: tuple[str | None, str] = (None, "")

    def take(self) -> ObservedArrays:
        """See `observe`."""
        self.reads.unread.clear()
        listed = self.reads.names(_BLOCK)
        states = {
            name: self.reads.word(md_sysfs.value_path(name, "array_state")) for name in listed if name[:2] == "md"
        }
        names = sorted((name for name, state in states.items() if state not in GONE), key=md_sysfs.by_number)
        stopped = self._stopped(names)
        arrays: list[ObservedArray] = []
        if names or stopped:
            nothing: tuple[Syncing, ...] = ()
            self._syncs = {each.device: each for each in self.reads.tried(self.reader.syncing, nothing)}
            tree = NOTHING
            if self._around:
                self._look_around()
                tree = array_tree(self.reads, [name for name in names if states[name] != "inactive"])
            arrays = [self._array(name, states[name], tree) for name in names]
            arrays += [self._stopped_array(uuid, devices) for uuid, devices in stopped.items()]
        seen = ObservedArrays(
            host=self.inventory.name,
            simulated=self.reader.simulated,
            time=self.reader.clock().isoformat(timespec="seconds"),
            arrays=tuple(arrays),
            volumes=self._volumes() if names else (),
            unread=tuple(dict.fromkeys(self.reads.unread)),
        )
        return self._with_boot(seen) if self._around and names else seen

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
            self._rules = look.udev_rules(self.reader) if self._rules is None else self._rules
            kernel = sysfs.word(self.reader.read_text(look.KERNEL))
            seen = Boot(
                configuration=self.conf, rules=self._rules, command_line=self.command_line, devices=(), kernel=kernel,
                images=self.images,
            )  # fmt: skip
            return look.with_names(arrays, self.reader, seen)
        except MachineFailed as problem:
            return str(problem)

    def _look_around(self) -> None:
        """What is read once for all arrays."""
        if self._looked:
            return
        self._looked = True
        try:
            self.conf = look.configuration(self.reader)
        except MachineFailed as problem:
            self.conf = str(problem)
        folders = Reads(self.reader).names(STATE_FOLDER)  # for root alone; for others the lines are left
        self._runs = known.runs_named(() if isinstance(self.conf, str) else self.conf.files, folders)
        self.images = self.reads.tried(lambda: look.images(self.reader), ())
        self.command_line = self.reads.text(look.COMMAND_LINE) or ""
        self._fstab = self.reads.text(fstab.PATH)
        self._monitor = self._watching()

    def _array(self, name: str, kernel: str, tree: ArrayTree) -> ObservedArray:
        def word(file: str) -> str:
            return self.reads.word(md_sysfs.value_path(name, file))

        def number(file: str) -> int | None:
            return self.reads.number(md_sysfs.value_path(name, file))

        before = len(self.reads.unread)
        runs = kernel != "inactive"
        members = self._members(name, runs=runs)
        uuid, label = self._identity(name, members)
        level, devices, lacks = word("level"), number("raid_disks") or None, number("degraded")
        lost = self._lost(uuid, members) if uuid else []
        troubled = not runs or bool(lacks) or any(member.state == "faulty" for member in members)
        if troubled or lost:
            members = [self._examined(member) for member in members]
        if runs:
            members += missing(members, devices)
        else:
            told, devices, lacks = newest_roster(members, lost)
            level = level or told
        sync = sync_now(self._syncs.get(name))
        metadata = word("metadata_version")
        made_for = _host_of(label)
        last = word("last_sync_action").replace("none", "").replace("idle", "")
        path = self._path(name)
        stack = tree.on(name)
        pin = self.reader.pin(f"/dev/{name}")
        return ObservedArray(
            name=name, label=label, made_for=made_for, path=path, uuid=uuid, level=level,
            devices=devices, lacks=lacks, metadata=metadata,
            states=array_states(
                kernel, level=level, devices=devices, lacks=lacks, metadata=metadata, sync=sync, made_for=made_for,
                host=self.inventory.name,
            ),
            chunk_bytes=number("chunk_size") or 0,
            layout=number("layout") or 0,
            size_bytes=pin.size_bytes if pin is not None and runs else 0,
            component_bytes=(number("component_size") or 0) * KIB,
            logical_sector_bytes=self.reads.number(f"{_BLOCK}/{name}/queue/logical_block_size"),
            stored_sector_bytes=number("logical_block_size"),
            sync_max_bytes_per_s=md_sysfs.limit(word("sync_speed_max")),
            consistency=word("consistency_policy"),
            members=tuple(sorted([*members, *(lost if troubled else ())], key=_place)),
            removed=() if troubled else tuple(sorted(lost, key=_place)),
            bitmap=self._bitmap(name) if runs else ArrayBitmap(kind="unknown"),
            sync=sync,
            last_action=last,
            mismatches=number("mismatch_cnt") if last in ("check", "repair") else None,
            stands_on_it=stack,
            built_by=known.built_by(self._runs, uuid, label),
            in_conf=self._known(lambda: self._in_conf(uuid, path, [member.device for member in members])),
            in_initramfs=self._known(lambda: known.in_initramfs(self.images, uuid, self.command_line)),
            in_fstab=self._known(lambda: self._in_fstab(stack)),
            monitored=self._known(lambda: known.monitored(self._monitor[0], level, self._monitor[1])),
            unread=tuple(self.reads.unread[before:]),
        )  # fmt: skip

    def _stopped_array(self, uuid: str, devices: Sequence[str]) -> ObservedArray:
        """An array of which only superblocks are there."""
        members = [self._examined(self._device(device)) for device in devices]
        level, count, lacks = newest_roster(members)
        label = next((found.label for device in devices if (found := self._carried[device]).label), "") or ""
        made_for = _host_of(label)
        return ObservedArray(
            name="", label=label, made_for=made_for, path="", uuid=uuid, level=level, devices=count,
            lacks=lacks, metadata="",
            states=array_states(
                "", level=level, devices=count, lacks=lacks, metadata="", sync=None, made_for=made_for,
                host=self.inventory.name,
            ),
            members=tuple(sorted(members, key=_place)),
            built_by=known.built_by(self._runs, uuid, label),
            in_conf=self._known(lambda: self._in_conf(uuid, "", devices)),
            in_initramfs=self._known(lambda: known.in_initramfs(self.images, uuid, self.command_line)),
            in_fstab=self._known(lambda: self._in_fstab(())),
            monitored=self._known(lambda: known.monitored(self._monitor[0], level, self._monitor[1])),
        )  # fmt: skip

    # Members.

    def _members(self, name: str, *, runs: bool) -> list[ArrayMember]:
        found = []
        for device in self._member_names(name):

            def file(what: str, device: str = device) -> str | None:
                return self.reads.text(md_sysfs.member_path(name, device, what))

            flags, slot = md_sysfs.flags(file("state")), sysfs.count(file("slot"))
            offset = sysfs.count(file("offset"))
            found.append(
                replace(
                    self._device(device), state=member_state(flags, slot, runs=runs), slot=slot,
                    flags=tuple(sorted(flags)), errors=sysfs.count(file("errors")),
                    data_offset_bytes=None if offset is None else offset * SECTOR,
                )
            )  # fmt: skip
        return found

    def _member_names(self, array: str) -> tuple[str, ...]:
        return md_sysfs.members(self.reads.names(md_sysfs.folder(array)))

    def _device(self, device: str) -> ArrayMember:
        """The device with the disk that it is on."""
        pin = self.reader.pin(f"/dev/{device.replace('!', '/')}")
        found = ArrayMember(device=device, state="idle", size_bytes=pin.size_bytes if pin else None)
        disk = self._disks.get(device)
        if disk is None:
            return found
        return replace(found, disk=disk.kernel_name, disk_id=disk.id, serial=disk.serial, place=disk.place)

    def _examined(self, member: ArrayMember) -> ArrayMember:
        """The member with its superblock, or the reason why that was not read; idle and dropped ones with its slot."""
        if not self._around:
            return member
        if member.device not in self._superblocks:
            self._superblocks[member.device] = self._superblock(member.device)
        block, why = self._superblocks[member.device]
        by_block = block is not None and member.state in ("idle", "dropped")
        return replace(member, superblock=block, unread=why, slot=block.role if by_block and block else member.slot)

    def _superblock(self, device: str) -> tuple[MemberSuperblock | None, str]:
        try:
            ran = self.reader.ask(mdadm.examine(f"/dev/{device.replace('!', '/')}"))
        except MachineFailed as problem:
            return None, str(problem)
        block = mdadm.superblock(ran.stdout)
        return block, "" if block else ran.stderr.strip().partition("\n")[0] or "it has no md superblock"

    def _lost(self, uuid: str, members: Sequence[ArrayMember]) -> list[ArrayMember]:
        """Devices with the superblock of a running array that are not in it.

        At the end of a disk the superblock of its last partition shows on both (0.90, 1.0): a disk is none of them that
        has a partition in the array.
        """
        there = {member.device for member in members} | {member.disk for member in members}
        lost = [name for name, found in self._carried.items() if _md(found.uuid) == uuid and name not in there]
        return [self._examined(replace(self._device(device), state="dropped")) for device in lost]

    def _stopped(self, assembled: Sequence[str]) -> dict[str, list[str]]:
        """Devices by the UUID of an array that is not assembled."""
        held = {device for name in assembled for device in self._member_names(name)}
        running = {_md(self._carried[device].uuid) for device in held if device in self._carried}
        found: dict[str, list[str]] = {}
        for device, signature in self._carried.items():
            uuid = _md(signature.uuid)
            if uuid and uuid not in running and device not in held:
                found.setdefault(uuid, []).append(device)
        return found

    # The array.

    def _identity(self, name: str, members: Sequence[ArrayMember]) -> tuple[str, str]:
        """(UUID, name in the superblock): of udev's record, of the members' signatures, or as mdadm says it to root."""
        record = self._record(name)
        found = udevdb.parse(record).properties if record else {}
        if not found.get("MD_UUID"):
            carried = [self._carried[member.device] for member in members if member.device in self._carried]
            if carried:
                return _md(carried[0].uuid), carried[0].label or ""
            found = mdadm.exported(self.reads.tried(lambda: self.reader.ask(mdadm.export(f"/dev/{name}")).stdout, ""))
        return _md(found.get("MD_UUID")), found.get("MD_NAME", "")

    def _record(self, name: str) -> str | None:
        return self.reads.text(udevdb.path(self.reads.word(f"{_BLOCK}/{name}/dev")))

    def _bitmap(self, name: str) -> ArrayBitmap:
        location = self.reads.word(md_sysfs.value_path(name, "bitmap/location"))
        kind = self.reads.word(md_sysfs.value_path(name, "bitmap/metadata"))
        if sysfs.active_scheduler(self.reads.word(md_sysfs.value_path(name, "bitmap_type"))) == "llbitmap":
            return ArrayBitmap(kind="lockless")
        if location in ("", "none"):
            return ArrayBitmap(kind="none")
        chunk = self.reads.number(md_sysfs.value_path(name, "bitmap/chunksize"))
        internal = location[0] in "+-0123456789"
        return ArrayBitmap(
            kind="clustered" if kind == "clustered" else "internal" if internal else "external", chunk_bytes=chunk
        )

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
        for name in self.reads.names(_BLOCK):
            if name[:3] == "dm-" and (below := self.reads.names(f"{_BLOCK}/{name}/slaves")):
                least, most = (
                    self.reads.number(f"{_BLOCK}/{name}/queue/{size}_io_size") or 0 for size in ("minimum", "optimal")
                )
                found.append(VolumeFacts(name=name, below=below, io_min_bytes=least, io_opt_bytes=most))
        return tuple(found)

    # What knows it.

    def _known(self, ask: Callable[[], KnownBy]) -> KnownBy:
        return ask() if self._around else KnownBy(answer="unknown", why="not asked for")

    def _in_conf(self, uuid: str, path: str, members: Sequence[str]) -> KnownBy:
        if isinstance(self.conf, str):
            return KnownBy(answer="unknown", why=self.conf)
        return known.in_conf(self.conf, uuid, path, [f"/dev/{device}" for device in members if device])

    def _in_fstab(self, stack: Sequence[OnArray]) -> KnownBy:
        if not stack:
            return KnownBy(answer="unknown", why="what stands on it was not read")
        if not any(each.content for each in stack) and not self.reader.simulated and not self._record(stack[0].device):
            return KnownBy(answer="unknown", why="udev has no record of it, so lsblk knows no file system")
        if self._fstab is None:
            return KnownBy(answer="unknown", why=f"{fstab.PATH} could not be read")
        return known.in_fstab(self._fstab, stack, self._node_name)

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
    )  # fmt: skip


def _place(member: ArrayMember) -> tuple[bool, int, int, str]:
    """By slot, then what has none; dropped ones last; vdz before vdaa."""
    none = member.slot is None or member.state == "dropped"
    return none, (member.slot or 0) if member.slot is not None else 1 << 20, len(member.device), member.device


def _md(uuid: str | None) -> str:
    """md's form of a UUID, however it is divided; empty when it is none."""
    digits = re.sub(r"[:-]", "", uuid or "").lower()
    return ":".join(digits[at : at + 8] for at in range(0, 32, 8)) if re.fullmatch(r"[0-9a-f]{32}", digits) else ""
