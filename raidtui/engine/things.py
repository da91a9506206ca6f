"""The things that an act may use: disks by identity, arrays by UUID, volumes, what is mounted at a mount point.

Each is resolved once and pinned, a disk identified through its pin, so that a changed link or name has no effect:
programs get the pinned device, and the name must still lead to it right before and right after each command. What is
pinned is held open: the kernel gives its number and its name to no other disk, whatever is pulled and put in.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from raidtui.machine.gauges.kernel_arrays import FilesOf, array_now, member_now
from raidtui.machine.system.ports import AS_NAMED, MachineReader, Pin, Runner
from raidtui.programs import mdadm, mdadm_examine, sfdisk, sysfs, wipefs
from raidtui.programs.signatures import LENGTH, sample_offsets
from raidtui.steps.check_step import value_of
from raidtui.steps.preflight import display_name
from raidtui.values.arrays import MemberState
from raidtui.values.errors import MachineFailed, Stale
from raidtui.values.plan import Act, Command, PartInArray, PlanArray, PlanDisk, partition_path
from raidtui.values.safe import safe
from raidtui.values.units import KIB, MIB, counted

# Check before a destructive command: nothing else writes to the disks of an act or to devices on them.


_LOOKS, _PAUSE = 5, 0.1
"""number of checks before a writer counts, and seconds between them: programs started by udev exit soon"""
_LONG = 80
WAY_OUT = "raidtui resume or raidtui undo"
"""of a plan"""


def check_unused(used: Iterable[PlanDisk], runner: Runner, devices: Mapping[str, str] = AS_NAMED) -> None:
    """Raises Stale if a process or the kernel has one of the disks, a partition of it, or a device on it open for
    writing; this includes arrays and volumes of the act itself.

    `devices`: the checked device of each disk's path. Readers do not count. Raises MachineFailed if some process
    could not be inspected.
    """
    names = {devices.get(disk.path, disk.path): f"The disk in {display_name(disk)}" for disk in used}
    require_unused(names, runner, "disk", then=WAY_OUT)


def require_unused(names: Mapping[str, str], runner: Runner, noun: str, *, then: str) -> None:
    """The same for devices, each with its name for people."""
    for look in range(_LOOKS):
        writers = [user for user in runner.users(tuple(names)) if user.writing]
        if not writers:
            return
        if look < _LOOKS - 1:
            runner.wait(_PAUSE)
    first = writers[0]
    others = sorted({user.path for user in writers} - {first.path})
    are = "is" if len(others) == 1 else "are"
    more = f", and {counted(len(others), f'more {noun}')} of the plan {are} in use" if others else ""
    raise Stale(
        f"{names[first.path]} is open for writing by {safe(first.by, longest=_LONG)}{more}",
        hint=f"nothing further was started; stop that process if possible, then {then}",
    )


RESUME = "nothing further was started; find out what changed, then raidtui resume or raidtui undo"
GO_ON = "nothing further was started; find out what changed (raidtui arrays); the same command goes on where it is"
"""ways out: of a build, and of an act that goes on by what it reads"""

Written = Callable[[str, str, PlanDisk, str], int | None]
"""Offset of a byte that shows that a device is not blank; None: it is, where it was read. Takes the path that a
command names, its device, the disk that it is, or is on, and that disk's device"""


class Things:
    """The devices that an act may use, each pinned to what its path led to when it was identified."""

    def __init__(self, act: Act, runner: Runner, written: Written | None = None, *, by_name: bool = False) -> None:
        """`written`: how a member is proven blank; None: at both ends and in places between them. `by_name`: programs
        get disks by kernel name, as LVM knows them."""
        self._act = act
        self._runner = runner
        self._pins: dict[str, Pin] = {}
        self._devices: dict[str, str] = {}
        self._running: dict[str, Pin] = {}
        self._open = contextlib.ExitStack()
        self._mounts: dict[str, int] = {}
        self._disk_of = disks_by_path(act.disks)
        self._written = written or self._written_anywhere
        self._by_name = by_name
        self._hint = GO_ON if act.lives else RESUME

    @property
    def devices(self) -> Mapping[str, str]:
        """Device that a program gets for each pinned disk, and for each member and volume of arrays that live, by its
        path."""
        return MappingProxyType(self._devices)

    def devices_in(self, paths: Iterable[str]) -> Mapping[str, str]:
        """`devices`, and the device of each partition of a pinned disk that is among `paths`. Raises Stale for a
        partition whose path leads to another disk."""
        found = dict(self._devices)
        for path in paths:
            disk = self._disk_of.get(path, path)
            if disk != path and disk in self._pins and (now := self._runner.pin(path)) is not None:
                self._require_on(disk, now)
                found[path] = self._device(now, path)
        return found

    @property
    def way_out(self) -> str:
        """What can be done where something is not as it was confirmed."""
        return self._hint

    # Pinning.

    def pin_disks(self, *, absent: bool = False) -> None:
        """Pins the device of every disk's path; its identity is checked next, through `devices`.

        With `absent` a disk may be missing. Raises Stale otherwise, and if two paths point to one disk.
        """
        seen: dict[str, str] = {}
        for disk in self._act.disks:
            pin = self._runner.pin(disk.path)
            if pin is None and absent:
                continue
            if pin is None or pin.kind != "disk" or pin.size_bytes != disk.size_bytes:
                raise Stale(
                    f"{disk.path} ({disk.place.text or 'no slot known'}) is not the disk that was confirmed",
                    hint=self._hint,
                )
            if pin.number in seen:
                raise Stale(f"{disk.path} and {seen[pin.number]} point to the same disk", hint=self._hint)
            seen[pin.number] = disk.path
            self._pins[disk.path] = pin
            self._devices[disk.path] = self._device(pin, disk.path)
        self.keep_open()

    def keep_open(self) -> None:
        """Holds what is pinned open until `release`. What cannot be opened is checked as the rest is."""
        self.release()
        for device in self._devices.values():
            with contextlib.suppress(MachineFailed):
                self._open.enter_context(self._runner.hold([device], exclusive=False))

    def release(self) -> None:
        """Closes what `keep_open` opened."""
        self._open.close()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Pins arrays that live, their volumes and the members that may leave them; holds them open, so that nobody
        stops an array and gives its name to another. Raises Stale for one that is another than was confirmed."""
        if not self._act.lives:
            yield
            return
        arrays = {array.device: self._runner.pin(array.device) for array in self._act.arrays}
        paths = (*self._act.volumes, *self._act.members)
        others = {path: pin for path in paths if (pin := self._runner.pin(path)) is not None}
        with self._runner.hold([path for path, pin in arrays.items() if pin is not None], exclusive=False):
            for array in self._act.arrays:
                pin = arrays[array.device]
                if pin is None or pin != self._runner.pin(array.device):
                    raise Stale(f"{array.device} does not run any more", hint=self._hint)
                self._require_uuid(array, array.device, pin)
                self._running[array.device] = pin
            self._running |= others
            for path, pin in others.items():
                with contextlib.suppress(Stale):  # it is gone, and found so where it is named
                    self._devices[path] = self._device(pin, path)
            yield

    def pinned(self) -> Iterable[tuple[PlanDisk, Pin]]:
        """The pinned disks, in the act's order."""
        return ((disk, self._pins[disk.path]) for disk in self._act.disks if disk.path in self._pins)

    def name_of(self, path: str) -> str:
        """Kernel name of what was pinned at a path, of a partition of a pinned disk its present one; empty for none."""
        pin = self._running.get(path) or self._pins.get(path) or self._runner.pin(path)
        disk = self._pins.get(self._disk_of.get(path, path))
        return pin.name if pin is not None and (disk is None or pin.sequence == disk.sequence) else ""

    def part_of(self, asked: PartInArray) -> MemberState:
        """The part of a device in an array now; missing where it has none. Raises Stale for another array."""
        if (pinned := self._running.get(asked.array)) is not None:
            self._same(asked.array, self._runner.pin(asked.array), pinned)
        array, device = self.name_of(asked.array), self.name_of(asked.device)
        member = member_now(FilesOf(self._runner), array, device) if device else None
        return "missing" if member is None else member.state

    def carriers(self) -> frozenset[str]:
        """major:minor of every device on which a superblock of the act's arrays may be read: members, each path of one
        that is a multipath map, and arrays below another."""
        names = [member.path for disk, _ in self.pinned() for member in disk.members]
        names += [array.device for array in self._act.arrays]
        for disk, pin in self.pinned():
            if disk.is_map:
                names += [f"/dev/{path}" for path in self._runner.names(sysfs.slaves_path(pin.name))]
        pins = map(self._runner.pin, names)
        return frozenset(pin.number for pin in pins if pin is not None)

    def compare_pins(self) -> None:
        """Raises Stale if a path no longer points to its pinned device."""
        for disk, pin in self.pinned():
            if self._runner.pin(disk.path) != pin or self._runner.pin(self._devices[disk.path]) != pin:
                raise Stale(
                    f"{self.label(disk.path)} points to another device than when it was pinned", hint=self._hint
                )

    # Around a command.

    def check(self, command: Command, *, old_partitions: bool = False) -> Mapping[str, str]:
        """The device that the program gets for each path of the command.

        `old_partitions`: partitions are those that the disks had before the plan, not the plan's own.
        Raises Stale if the command names a device that does not, or no longer, belong to the act, or that is not blank
        although it has to be.
        """
        if command.effect == "destroy" and not command.devices:
            raise Stale("a command that destroys names no device", hint="plan again")
        found = {path: self._checked(path, command) for path in command.devices}
        if not old_partitions:
            for path, device in found.items():
                self._check_partition(path, device)
        self._check_place(command)
        known = self._running.keys() | {array.device for array in self._act.arrays}
        members = [path for path in command.members if self._disk_of.get(path) in self._pins or path in known]
        self._runner.each(lambda path: self._check_blank(path, found[path], command.spare_of), members)
        self._require_no_users({found[path]: self.label(path) for path in members}, command.spare_of)
        return {} if command.by_name else {path: device for path, device in found.items() if device}

    def check_after(self, command: Command) -> None:
        """Raises Stale if something that the command named was replaced by something else while it ran."""
        for path in dict.fromkeys(self._disk_of.get(device, device) for device in command.devices):
            if path in self._pins and (
                self._runner.pin(path) != self._pins[path] or self._runner.pin(self._devices[path]) != self._pins[path]
            ):
                raise Stale(f"{self.label(path)} was replaced while it was written to", hint=self._hint)
            if (pin := self._running.get(path)) is not None and path not in self._act.members:
                self._same(path, self._runner.pin(path), pin)  # a member that was taken out may be pulled
        self._check_place(command)

    def _check_place(self, command: Command) -> None:
        """Raises Stale unless what is mounted at the place that the command names is its device, by the same mount as
        when it was looked at first."""
        if command.place is None:
            return
        path = command.devices[0]
        pin, there = self._running.get(path) or self._runner.pin(path), self._runner.mount_at(command.place)
        mount = 0 if there is None else self._mounts.setdefault(command.place, there.mount_id)
        if pin is None or there is None or not there.is_whole(pin.number) or there.mount_id != mount:
            raise Stale(
                f"what is mounted at {safe(command.place)} is not the file system on {safe(path)}",
                hint=f"see findmnt {safe(command.place)}, and unmount what hides it; {self._hint}",
            )

    def _check_partition(self, path: str, device: str) -> None:
        """Raises Stale unless the path of a member's partition leads to the plan's: GUID, type, place and size."""
        disk = self._disk(self._disk_of[path]) if path in self._disk_of else None
        paths = [] if disk is None else [member.path for member in disk.members]
        if disk is None or disk.table is None or path not in paths:
            return
        number = paths.index(path) + 1
        answer = self._runner.ask(sfdisk.table_question(path), {path: device})
        for key, value in sfdisk.entry_answers(disk.table, number):
            if (got := value_of(key, answer.exit, answer.stdout)) != value:
                shown = "none" if got is None else safe(got)
                raise Stale(
                    f"partition {number} of {disk_label(disk)} is not the plan's: {key} {shown}, planned {value}",
                    hint=self._hint,
                )

    def _check_blank(self, path: str, device: str, spare_of: str | None) -> None:
        """Raises Stale for content, but for the superblock of a spare of the array `spare_of`."""
        answer = self._runner.ask(wipefs.question((path,)), {path: device})
        lines = (value_of("", answer.exit, answer.stdout) or "").splitlines()
        kinds = sorted({line.split()[-1] for line in lines} - ({wipefs.MD_MEMBER} if spare_of else set()))
        if kinds:
            since = "which was not there when it was confirmed" if self._act.lives else "written since it was wiped"
            raise Stale(f"{self.label(path)} holds {', '.join(kinds)}, {since}", hint=self._hint)
        if spare_of is not None:
            at = self._written_beside_spare(path, device, spare_of)
        elif path in self._disk_of:
            disk = self._disk(self._disk_of[path])
            at = self._written(path, device, disk, self._devices[disk.path])
        elif path in self._running:
            at = self._written_anywhere(path, device)
        else:  # an array below the one that is made: behind its start old content of its disks shows through
            at = self._runner.first_nonzero(device, [(0, MIB)])
        if at is not None:
            what = (
                f"is not blank any more (byte {at})"
                if self._act.lives
                else f"was written to at byte {at} since it was wiped"
            )
            raise Stale(f"{self.label(path)} {what}", hint=self._hint)

    def _require_no_users(self, labels: Mapping[str, str], spare_of: str | None) -> None:
        """Raises Stale for a device on one of these, or a process that has one open for writing; of a spare of the
        array `spare_of` those of the array are none. After what they hold was read: who opened one before that, and has
        it still, is seen."""
        alone: dict[str, str] = {}
        for device, label in labels.items():
            holders = self._runner.holders(device)
            if holders and not spare_of:
                raise Stale(f"{label} is in use by {safe(holders[0])}", hint=self._hint)
            if not holders:
                alone[device] = label
        if alone:
            then = "the same command goes on" if self._act.lives else WAY_OUT
            require_unused(alone, self._runner, "device", then=then)

    def _written_anywhere(self, _path: str, device: str, *_: object) -> int | None:
        size = self._size(device)
        places = ((offset, LENGTH) for offset in sample_offsets(size))
        return self._runner.first_nonzero(device, [(0, MIB), (size - MIB, MIB), *places])

    def _written_beside_spare(self, path: str, device: str, array: str) -> int | None:
        """A byte beside md's own area of a spare of the array. Raises Stale for what is no such spare: a member that
        was taken out may be somebody's copy."""
        exported = self._runner.ask(mdadm.examine_export(path), {path: device})
        shown = self._runner.ask(mdadm.examine(path), {path: device}).stdout
        block = mdadm_examine.superblock(shown)
        spare = block is not None and block.role is None and not block.journal
        if not spare or value_of("MD_UUID", exported.exit, exported.stdout) != array:
            raise Stale(f"{self.label(path)} is no spare of the array {array} any more", hint=self._hint)
        size, first = self._size(device), value_of("Version", 0, shown) in ("1.1", "1.2")
        ends = [(0, 4 * KIB), (size - MIB, MIB)] if first else [(0, MIB)]
        return self._runner.first_nonzero(device, [*ends, *((offset, LENGTH) for offset in sample_offsets(size))])

    def _size(self, device: str) -> int:
        pin = self._runner.pin(device)
        return 0 if pin is None else pin.size_bytes

    def label(self, path: str) -> str:
        """A disk, or the disk that a partition is on, or an array, for people."""
        if path not in self._disk_of:
            return safe(path)
        disk = self._disk(self._disk_of[path])
        return disk_label(disk).replace(disk.path, path, 1)

    def _disk(self, path: str) -> PlanDisk:
        return next(disk for disk in self._act.disks if disk.path == path)

    def _checked(self, path: str, command: Command) -> str:
        """The device that a program gets for the path; empty for a device that the command creates."""
        now = self._runner.pin(path)
        disk = self._disk_of.get(path, path)
        if disk in self._pins:
            pinned = self._pins[disk]
            now = self._require_on(disk, now)
            if path == disk and (now != pinned or self._runner.pin(self._devices[path]) != pinned):
                raise Stale(f"{self.label(disk)} changed since it was checked", hint=self._hint)
            return self._device(now, path)
        array = next((array for array in self._act.arrays if array.device == path), None)
        if array is not None:
            return self._checked_array(array, now, command)
        if path in self._act.members:
            return self._device(self._same(path, now, self._running.get(path)), path)
        if (mapped := self._act.volumes.get(path)) is None:
            raise Stale(f"{path} is not a device of the plan", hint=self._hint)
        if now is None or now.kind != "volume" or now.name != mapped:
            raise Stale(f"{path} is not the volume of the plan", hint=self._hint)
        if path in self._running:
            self._same(path, now, self._running[path])
        return self._device(now, path)

    def _require_on(self, disk: str, now: Pin | None) -> Pin:
        """The pin of a disk or of a partition of it. Raises Stale for a device that is not on the pinned disk."""
        pinned = self._pins[disk]
        if now is None or (now.disk, now.sequence) != (pinned.disk, pinned.sequence):
            raise Stale(f"{self.label(disk)} points to another device than when it was checked", hint=self._hint)
        return now

    def _checked_array(self, array: PlanArray, now: Pin | None, command: Command) -> str:
        path = array.device
        if path == command.makes:
            if now is not None:
                raise Stale(f"{path} exists already", hint=self._hint)
            return ""
        if path in self._running:
            self._same(path, now, self._running[path])
        return self._require_uuid(array, path, now)

    def _require_uuid(self, array: PlanArray, path: str, pin: Pin | None) -> str:
        """The array's device by its kernel name: LVM knows arrays by this name, not by their number."""
        if pin is None or pin.kind != "array":
            raise Stale(f"{path} is not the array {array.uuid}", hint=self._hint)
        device = f"/dev/{pin.name}"
        answer = self._runner.ask(mdadm.export(path), {path: device})
        if self._runner.pin(device) != pin or value_of("MD_UUID", answer.exit, answer.stdout) != array.uuid:
            raise Stale(f"{path} is not the array {array.uuid}", hint=self._hint)
        return device

    def _same(self, path: str, now: Pin | None, pinned: Pin | None) -> Pin:
        """The pin of a path; its size may have changed. Raises Stale where it leads to another device."""
        if now is None or pinned is None or (now.kind, now.number, now.sequence, now.name) != (
            pinned.kind, pinned.number, pinned.sequence, pinned.name,
        ):  # fmt: skip
            raise Stale(f"{safe(path)} leads to another device than when it was shown", hint=self._hint)
        return now

    def _device(self, pin: Pin, path: str) -> str:
        """The path of the pinned device by its number: udev's link, else the kernel's name (devtmpfs).

        LVM knows disks by the kernel's name only.
        """
        by_number, by_name = f"/dev/block/{pin.number}", f"/dev/{pin.name}"
        for device in (by_name, by_number) if self._by_name else (by_number, by_name):
            if self._runner.pin(device) == pin:
                return device
        raise Stale(f"{path}: the kernel has no device {pin.number}", hint=self._hint)


def disk_label(disk: PlanDisk) -> str:
    """`/dev/disk/by-id/... (serial S003, slot 3)`."""
    return f"{disk.path} (serial {safe(disk.serial or 'unknown')}, {safe(disk.place.text or 'slot unknown')})"


def disks_by_path(disks: Collection[PlanDisk]) -> Mapping[str, str]:
    """Path of every disk, of every partition that it had, and of its members, to the path of the disk."""
    parts = {partition_path(disk.path, part.number): disk.path for disk in disks for part in disk.partitions}
    members = {member.path: disk.path for disk in disks for member in disk.members}
    return {**parts, **members, **{disk.path: disk.path for disk in disks}}


def lost_too_many(reader: MachineReader, array: str) -> bool:
    """True if the array (kernel name) lost more members than its layout survives; False where md alone knows that."""
    found = array_now(FilesOf(reader), array)
    return found is not None and "failed" in found.states
