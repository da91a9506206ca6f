"""Reads every md array of a machine: sysfs, superblocks, what stands on it, what knows it.

Sources: Documentation/admin-guide/md.rst, mdadm --detail and --examine (as root), lsblk, mdadm.conf, /boot, fstab. A
file that cannot be read leaves its value unknown, and its reason in `unread`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from raidtui.machine.arrays.stack import ArrayTree, array_tree
from raidtui.machine.boot import look
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
)
from raidtui.model.boot import Image, TextFile
from raidtui.model.errors import MachineFailed
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.units import KIB, SECTOR
from raidtui.planner.arrays import known
from raidtui.planner.arrays.state import array_states, member_state, missing, newest_roster
from raidtui.tools import fstab, md_sysfs, mdadm, sysfs, systemd, udevdb

T = TypeVar("T")
_BLOCK = "/sys/block"
_MONITOR = re.compile(r"(?:[^\0]*/)?mdadm\0(?:.*\0)?(?:--monitor|--follow|-F)\0", re.DOTALL)
"""command line of a monitor"""


def observe(reader: MachineReader, inventory: Inventory) -> ObservedArrays:
    """Every md array of the machine behind `reader`, whose disks are those of `inventory`."""
    return ArraysLook(reader, inventory).take()


class ArraysLook:
    """Looks at a machine. What only an admin changes, and superblocks, are read by the first `take` alone."""

    def __init__(self, reader: MachineReader, inventory: Inventory) -> None:
        self._reader = reader
        self._inventory = inventory
        self._unread: list[str] = []
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
        self._conf: tuple[TextFile, ...] | str = ""
        self._images: tuple[Image, ...] = ()
        self._fstab: str | None = None
        self._monitor: tuple[str | None, str] = (None, "")

    def take(self) -> ObservedArrays:
        """See `observe`."""
        self._unread.clear()
        listed = self._names(_BLOCK)
        states = {name: self._word(md_sysfs.value_path(name, "array_state")) for name in listed if name[:2] == "md"}
        names = sorted((name for name, state in states.items() if state not in GONE), key=_number)
        stopped = self._stopped(names)
        arrays: list[ObservedArray] = []
        if names or stopped:
            nothing: tuple[Syncing, ...] = ()
            self._syncs = {each.device: each for each in self._tried(self._reader.syncing, nothing)}
            self._look_around()
            running = [name for name in names if states[name] != "inactive"]
            tree = array_tree(self._reader, running, self._unread)
            arrays = [self._array(name, states[name], tree) for name in names]
            arrays += [self._stopped_array(uuid, devices) for uuid, devices in stopped.items()]
        return ObservedArrays(
            host=self._inventory.name,
            simulated=self._reader.simulated,
            time=self._reader.clock().isoformat(timespec="seconds"),
            arrays=tuple(arrays),
            unread=tuple(dict.fromkeys(self._unread)),
        )

    def _look_around(self) -> None:
        """What is read once for all arrays."""
        if self._looked:
            return
        self._looked = True
        try:
            self._conf = look.configuration(self._reader)
        except MachineFailed as problem:
            self._conf = str(problem)
        self._images = self._tried(lambda: look.images(self._reader), ())
        self._fstab = self._text(fstab.PATH)
        self._monitor = self._watching()

    def _array(self, name: str, kernel: str, tree: ArrayTree) -> ObservedArray:
        def word(file: str) -> str:
            return self._word(md_sysfs.value_path(name, file))

        def number(file: str) -> int | None:
            return md_sysfs.number(word(file))

        before = len(self._unread)
        runs = kernel != "inactive"
        members = self._members(name, runs=runs)
        uuid, label = self._identity(name, members)
        level, devices, lacks = word("level"), number("raid_disks") or None, number("degraded")
        troubled = not runs or bool(lacks) or any(member.state == "faulty" for member in members)
        if troubled:
            members = [self._examined(member) for member in members]
        lost = self._lost(uuid, {member.device for member in members}) if uuid and troubled else []
        if runs:
            members += missing(members, devices)
        else:
            told, devices, lacks = newest_roster(members, lost)
            level = level or told
        sync = _sync(self._syncs.get(name))
        metadata = word("metadata_version")
        made_for = _host_of(label)
        last = word("last_sync_action").replace("none", "").replace("idle", "")
        path = self._path(name)
        stack = tree.on(name)
        pin = self._reader.pin(f"/dev/{name}")
        return ObservedArray(
            name=name, label=label, made_for=made_for, path=path, uuid=uuid, level=level,
            devices=devices, lacks=lacks, metadata=metadata,
            states=array_states(
                kernel, level=level, devices=devices, lacks=lacks, metadata=metadata, sync=sync, made_for=made_for,
                host=self._inventory.name,
            ),
            chunk_bytes=number("chunk_size") or 0,
            layout=number("layout") or 0,
            size_bytes=pin.size_bytes if pin is not None and runs else 0,
            component_bytes=(number("component_size") or 0) * KIB,
            logical_sector_bytes=md_sysfs.number(self._word(f"{_BLOCK}/{name}/queue/logical_block_size")),
            consistency=word("consistency_policy"),
            members=tuple(sorted([*members, *lost], key=_place)),
            bitmap=self._bitmap(name) if runs else ArrayBitmap(kind="unknown"),
            sync=sync,
            last_action=last,
            mismatches=number("mismatch_cnt") if last in ("check", "repair") else None,
            stands_on_it=stack,
            in_conf=self._in_conf(uuid, path, [f"/dev/{member.device}" for member in members if member.device]),
            in_initramfs=known.in_initramfs(self._images, uuid),
            in_fstab=self._in_fstab(stack),
            monitored=known.monitored(self._monitor[0], level, self._monitor[1]),
            unread=tuple(self._unread[before:]),
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
                host=self._inventory.name,
            ),
            members=tuple(sorted(members, key=_place)),
            in_conf=self._in_conf(uuid, "", [f"/dev/{device}" for device in devices]),
            in_initramfs=known.in_initramfs(self._images, uuid),
            in_fstab=self._in_fstab(()),
            monitored=known.monitored(self._monitor[0], level, self._monitor[1]),
        )  # fmt: skip

    # Members.

    def _members(self, name: str, *, runs: bool) -> list[ArrayMember]:
        found = []
        for device in self._member_names(name):

            def file(what: str, device: str = device) -> str | None:
                return self._text(md_sysfs.member_path(name, device, what))

            flags, slot = md_sysfs.flags(file("state")), md_sysfs.slot(file("slot"))
            offset = md_sysfs.number(file("offset"))
            found.append(
                replace(
                    self._device(device), state=member_state(flags, slot, runs=runs), slot=slot,
                    flags=tuple(sorted(flags)), errors=md_sysfs.number(file("errors")),
                    data_offset_bytes=None if offset is None else offset * SECTOR,
                )
            )  # fmt: skip
        return found

    def _member_names(self, array: str) -> tuple[str, ...]:
        return md_sysfs.members(self._names(md_sysfs.folder(array)))

    def _device(self, device: str) -> ArrayMember:
        """The device with the disk that it is on."""
        pin = self._reader.pin(f"/dev/{device.replace('!', '/')}")
        found = ArrayMember(device=device, state="idle", size_bytes=pin.size_bytes if pin else None)
        disk = self._disks.get(device)
        if disk is None:
            return found
        return replace(found, disk=disk.kernel_name, disk_id=disk.id, serial=disk.serial, place=disk.place)

    def _examined(self, member: ArrayMember) -> ArrayMember:
        """The member with its superblock, or the reason why that was not read; idle and dropped ones with its slot."""
        if member.device not in self._superblocks:
            self._superblocks[member.device] = self._superblock(member.device)
        block, why = self._superblocks[member.device]
        by_block = block is not None and member.state in ("idle", "dropped")
        return replace(member, superblock=block, unread=why, slot=block.role if by_block and block else member.slot)

    def _superblock(self, device: str) -> tuple[MemberSuperblock | None, str]:
        try:
            ran = self._reader.ask(mdadm.examine(f"/dev/{device.replace('!', '/')}"))
        except MachineFailed as problem:
            return None, str(problem)
        block = mdadm.superblock(ran.stdout)
        return block, "" if block else ran.stderr.strip().partition("\n")[0] or "it has no md superblock"

    def _lost(self, uuid: str, there: set[str]) -> list[ArrayMember]:
        """Devices with the superblock of a running array that are not in it."""
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
            found = mdadm.exported(self._tried(lambda: self._reader.ask(mdadm.export(f"/dev/{name}")).stdout, ""))
        return _md(found.get("MD_UUID")), found.get("MD_NAME", "")

    def _record(self, name: str) -> str | None:
        return self._text(udevdb.path(self._word(f"{_BLOCK}/{name}/dev")))

    def _bitmap(self, name: str) -> ArrayBitmap:
        location = self._word(md_sysfs.value_path(name, "bitmap/location"))
        kind = self._word(md_sysfs.value_path(name, "bitmap/metadata"))
        if sysfs.active_scheduler(self._word(md_sysfs.value_path(name, "bitmap_type"))) == "llbitmap":
            return ArrayBitmap(kind="lockless")
        if location in ("", "none"):
            return ArrayBitmap(kind="none")
        chunk = md_sysfs.number(self._word(md_sysfs.value_path(name, "bitmap/chunksize")))
        internal = location[0] in "+-0123456789"
        return ArrayBitmap(
            kind="clustered" if kind == "clustered" else "internal" if internal else "external", chunk_bytes=chunk
        )

    def _path(self, name: str) -> str:
        for title in self._names("/dev/md"):
            if not title.isdecimal() and self._node_name(f"/dev/md/{title}") == name:
                return f"/dev/md/{title}"
        return f"/dev/{name}"

    def _node_name(self, path: str) -> str:
        """Kernel name of the device behind a path, of a volume its device-mapper name; empty for none."""
        pin = self._reader.pin(path)
        return pin.name if pin is not None else ""

    # What knows it.

    def _in_conf(self, uuid: str, path: str, members: Sequence[str]) -> KnownBy:
        if isinstance(self._conf, str):
            return KnownBy(answer="unknown", why=self._conf)
        return known.in_conf(self._conf, uuid, path, members)

    def _in_fstab(self, stack: Sequence[OnArray]) -> KnownBy:
        if not stack:
            return KnownBy(answer="unknown", why="what stands on it was not read")
        if not any(each.content for each in stack) and not self._reader.simulated and not self._record(stack[0].device):
            return KnownBy(answer="unknown", why="udev has no record of it, so lsblk knows no file system")
        if self._fstab is None:
            return KnownBy(answer="unknown", why=f"{fstab.PATH} could not be read")
        return known.in_fstab(self._fstab, stack, self._node_name)

    def _watching(self) -> tuple[str | None, str]:
        """(the monitor that runs, why that is unknown)."""
        try:
            if self._reader.ask(systemd.active_question(systemd.MONITOR)).stdout.strip() == "active":
                return f"{systemd.MONITOR} is active", ""
        except MachineFailed:  # a machine without systemd: its processes say it
            pass
        pids = [name for name in self._names("/proc") if name.isdecimal()]
        for pid in pids:
            try:
                line = self._reader.read_text(f"/proc/{pid}/cmdline") or ""
            except MachineFailed:
                continue  # it has ended
            if _MONITOR.match(line):
                return f"process {pid}: {line.replace(chr(0), ' ').strip()}", ""
        return None, "" if pids else "/proc lists no processes"

    # Reading.

    def _tried(self, ask: Callable[[], T], otherwise: T) -> T:
        try:
            return ask()
        except MachineFailed as problem:
            self._unread.append(str(problem))
            return otherwise

    def _names(self, path: str) -> tuple[str, ...]:
        nothing: tuple[str, ...] = ()
        return self._tried(lambda: self._reader.names(path), nothing)

    def _text(self, path: str) -> str | None:
        return self._tried(lambda: self._reader.read_text(path), None)

    def _word(self, path: str) -> str:
        return (self._text(path) or "").strip()


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


def _sync(found: Syncing | None) -> SyncNow | None:
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


def _number(name: str) -> tuple[int, str]:
    """Sorts md2 before md10."""
    match = re.fullmatch(r"md(\d+)", name, re.ASCII)
    return int(match[1]) if match else 1 << 30, name


def _md(uuid: str | None) -> str:
    """md's form of a UUID, however it is divided; empty when it is none."""
    digits = re.sub(r"[:-]", "", uuid or "").lower()
    return ":".join(digits[at : at + 8] for at in range(0, 32, 8)) if re.fullmatch(r"[0-9a-f]{32}", digits) else ""
