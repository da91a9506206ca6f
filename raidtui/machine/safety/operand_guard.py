"""Operand guard: before each command that changes anything, every device it names is resolved and checked again.

A disk is pinned first and identified through its pin, so that a changed link has no effect: programs get the pinned
device, and the link must still point to it before and after each command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from raidtui.machine.ports.runner import Pin, Runner
from raidtui.machine.safety.between_ends import written_between
from raidtui.model.errors import Stale
from raidtui.model.geometry import LvmGeometry
from raidtui.model.plan import Command, Plan, PlanDisk, PlanMember, partition_path
from raidtui.model.safe import safe
from raidtui.planner.compile.names import mapped_name, volume_of
from raidtui.planner.compile.postcondition import value_of
from raidtui.planner.compile.wipe_step import member_areas, wiped_areas
from raidtui.planner.compile.zero_step import read_back
from raidtui.tools import mdadm, sfdisk, sysfs, wipefs

_WAY_OUT = "nothing further was started; find out what changed, then raidtui resume or raidtui undo"


class Operands:
    """The devices that a plan may use, each pinned to the device that its path pointed to when it was identified."""

    def __init__(self, plan: Plan, runner: Runner, known: Callable[[], Mapping[str, str]]) -> None:
        """`known`: what the run last found between the ends of the members; see `written_between`."""
        self._plan = plan
        self._runner = runner
        self._samples = known
        self._pins: dict[str, Pin] = {}
        self._devices: dict[str, str] = {}
        self._disk_of = disks_by_path(plan)
        self._lvm_on_disks = plan.design.layout.plain and isinstance(plan.prediction.volume, LvmGeometry)

    @property
    def devices(self) -> Mapping[str, str]:
        """Device that a program gets for each pinned disk, by the disk's path."""
        return MappingProxyType(self._devices)

    def pin_disks(self, *, absent: bool = False) -> None:
        """Pins the device of every disk's path; its identity is checked next, through `devices`.

        With `absent` a disk may be missing. Raises Stale otherwise, and if two paths point to one disk.
        """
        seen: dict[str, str] = {}
        for disk in self._plan.disks:
            pin = self._runner.pin(disk.path)
            if pin is None and absent:
                continue
            if pin is None or pin.kind != "disk" or pin.size_bytes != disk.size_bytes:
                raise Stale(
                    f"{disk.path} ({disk.place.text or 'no slot known'}) is not the disk in the plan", hint=_WAY_OUT
                )
            if pin.number in seen:
                raise Stale(f"{disk.path} and {seen[pin.number]} point to the same disk", hint=_WAY_OUT)
            seen[pin.number] = disk.path
            self._pins[disk.path] = pin
            self._devices[disk.path] = self._device(pin, disk.path)

    def pinned(self) -> Iterable[tuple[PlanDisk, Pin]]:
        """The pinned disks, in the plan's order."""
        return ((disk, self._pins[disk.path]) for disk in self._plan.disks if disk.path in self._pins)

    def carriers(self) -> frozenset[str]:
        """major:minor of every device on which a superblock of the plan may be read: members, each path of one that
        is a multipath map, and arrays below another."""
        names = [member.path for disk, _ in self.pinned() for member in disk.members]
        names += [array.device for array in self._plan.arrays]
        for disk, pin in self.pinned():
            if disk.is_map:
                names += [f"/dev/{path}" for path in self._runner.names(sysfs.slaves_path(pin.name))]
        pins = map(self._runner.pin, names)
        return frozenset(pin.number for pin in pins if pin is not None)

    def compare_pins(self) -> None:
        """Raises Stale if a path no longer points to its pinned device."""
        for disk, pin in self.pinned():
            if self._runner.pin(disk.path) != pin or self._runner.pin(self._devices[disk.path]) != pin:
                raise Stale(f"{self._label(disk.path)} points to another device than when it was pinned", hint=_WAY_OUT)

    def check(self, command: Command, *, old_partitions: bool = False) -> Mapping[str, str]:
        """The device that the program gets for each path of the command.

        `old_partitions`: partitions are those that the disks had before the plan, not the plan's own.
        Raises Stale if the command names a device that does not, or no longer, belong to the plan.
        """
        if command.without_sync and self._plan.design.trial is None and not self._plan.design.zeroes:
            raise Stale("--assume-clean is for trials and zeroed members, and this plan has neither", hint="plan again")
        if command.effect == "destroy" and not command.devices:
            raise Stale("a command that destroys names no device", hint="plan again")
        found = {path: self._checked(path, command) for path in command.devices}
        if not old_partitions:
            for path, device in found.items():
                self._check_partition(path, device)
        self._check_blank({path: found[path] for path in command.members if self._disk_of.get(path) in self._pins})
        if command.without_sync:
            self._check_zeroed({path: found[path] for path in command.members})
        return {} if command.by_name else {path: device for path, device in found.items() if device}

    def check_disks(self, command: Command) -> None:
        """Raises Stale if a disk that the command named was replaced while it ran."""
        for path in dict.fromkeys(self._disk_of.get(device, device) for device in command.devices):
            if path in self._pins and (
                self._runner.pin(path) != self._pins[path] or self._runner.pin(self._devices[path]) != self._pins[path]
            ):
                raise Stale(f"{self._label(path)} was replaced while it was written to", hint=_WAY_OUT)

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
                    hint=_WAY_OUT,
                )

    def _check_blank(self, members: Mapping[str, str]) -> None:
        """Raises Stale for content that appeared since the wipe: mdadm recognises only a few kinds."""
        for path, device in members.items():
            question = wipefs.question((path,))
            answer = self._runner.ask(question, {path: device})
            if found := value_of("", answer.exit, answer.stdout):
                kinds = ", ".join(sorted({line.split()[-1] for line in found.splitlines()}))
                raise Stale(f"{self._label(path)} holds {kinds}, written since it was wiped", hint=_WAY_OUT)
            disk = self._disk(self._disk_of[path])
            member = next(each for each in disk.members if each.path == path or path == disk.path)
            whole = path == disk.path
            areas = wiped_areas(self._plan.prediction, disk) if whole else member_areas(self._plan.prediction, member)
            at = self._runner.first_nonzero(device, areas)
            for each in disk.members if whole else (member,):
                if at is None:
                    at = self._between(disk, each)
            if at is not None:
                raise Stale(f"{self._label(path)} was written to at byte {at} since it was wiped", hint=_WAY_OUT)

    def _check_zeroed(self, members: Mapping[str, str]) -> None:
        """Raises Stale unless the members of an array that is created in sync read as the plan zeroed them."""
        for command in (each for step in self._plan.steps if step.stage == "zero" for each in step.commands):
            (path,) = command.devices
            if path not in members:
                continue
            at = self._runner.first_nonzero(members[path], read_back(self._plan, command))
            if at is not None:
                raise Stale(f"{self._label(path)} is no longer zero at byte {at}", hint=_WAY_OUT)

    def _between(self, disk: PlanDisk, member: PlanMember) -> int | None:
        device = self._devices[disk.path]
        return written_between(self._plan, self._runner, disk, member, device, self._samples())

    def _label(self, path: str) -> str:
        return disk_label(self._disk(self._disk_of.get(path, path)))

    def _disk(self, path: str) -> PlanDisk:
        return next(disk for disk in self._plan.disks if disk.path == path)

    def _checked(self, path: str, command: Command) -> str:
        """The device that a program gets for the path; empty for a device that the command creates."""
        now = self._runner.pin(path)
        disk = self._disk_of.get(path, path)
        if disk in self._pins:
            pinned = self._pins[disk]
            if now is None or (now.disk, now.sequence) != (pinned.disk, pinned.sequence):
                raise Stale(f"{self._label(disk)} points to another device than when it was checked", hint=_WAY_OUT)
            if path == disk and (now != pinned or self._runner.pin(self._devices[path]) != pinned):
                raise Stale(f"{self._label(disk)} changed since it was checked", hint=_WAY_OUT)
            return self._device(now, path)
        array = next((array for array in self._plan.arrays if array.device == path), None)
        if array is not None:
            return self._checked_array(path, array.uuid, now, command)
        if path != volume_of(self._plan.name):
            raise Stale(f"{path} is not a device of the plan", hint=_WAY_OUT)
        if now is None or now.kind != "volume" or now.name != mapped_name(self._plan.name):
            raise Stale(f"{path} is not the volume of the plan", hint=_WAY_OUT)
        return self._device(now, path)

    def _checked_array(self, path: str, uuid: str, now: Pin | None, command: Command) -> str:
        if path == command.makes:
            if now is not None:
                raise Stale(f"{path} exists already", hint=_WAY_OUT)
            return ""
        if now is None or now.kind != "array":
            raise Stale(f"{path} is not the array of the plan", hint=_WAY_OUT)
        device = f"/dev/{now.name}"  # LVM knows arrays by this name, not by their number
        answer = self._runner.ask(mdadm.export(path), {path: device})
        if self._runner.pin(device) != now or value_of("MD_UUID", answer.exit, answer.stdout) != uuid:
            raise Stale(f"{path} is not the array of the plan", hint=_WAY_OUT)
        return device

    def _device(self, pin: Pin, path: str) -> str:
        """The path of the pinned device by its number: udev's link, else the kernel's name (devtmpfs).

        LVM knows disks by the kernel's name only.
        """
        by_number, by_name = f"/dev/block/{pin.number}", f"/dev/{pin.name}"
        for device in (by_name, by_number) if self._lvm_on_disks else (by_number, by_name):
            if self._runner.pin(device) == pin:
                return device
        raise Stale(f"{path}: the kernel has no device {pin.number}", hint=_WAY_OUT)


def disk_label(disk: PlanDisk) -> str:
    """`/dev/disk/by-id/... (serial S003, slot 3)`."""
    return f"{disk.path} (serial {safe(disk.serial or 'unknown')}, {safe(disk.place.text or 'slot unknown')})"


def disks_by_path(plan: Plan) -> Mapping[str, str]:
    """Path of every disk of the plan, of every partition that it had, and of its members, to the path of the disk."""
    parts = {
        partition_path(disk.path, partition.number): disk.path for disk in plan.disks for partition in disk.partitions
    }
    members = {member.path: disk.path for disk in plan.disks for member in disk.members}
    return {**parts, **members, **{disk.path: disk.path for disk in plan.disks}}
