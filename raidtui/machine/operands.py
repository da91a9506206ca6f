"""Right before a command that changes anything: every device it names is looked up again and must be the plan's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidtui.machine.runner import Pin, Runner
from raidtui.model.errors import Stale
from raidtui.model.plan import Command, Plan
from raidtui.planner.compile_build import fact
from raidtui.planner.compile_names import VOLUME
from raidtui.planner.reading import said
from raidtui.tools import mdadm, wipefs

TAKES = frozenset({"--create", "--add-spare"})
"""words of mdadm that make disks members of an array"""
PARTITION = re.compile(r"-part\d+$")
"""end of the stable path of a partition"""
_WAY_OUT = "nothing further was started; look what was changed, then raidtui resume or raidtui undo"


class Operands:
    """The devices that a plan may touch, each pinned to what its path led to when its identity was proven."""

    def __init__(self, plan: Plan, runner: Runner) -> None:
        self._plan = plan
        self._runner = runner
        self._pins: dict[str, Pin] = {}

    def pin_disks(self) -> None:
        """Remembers what every disk's path leads to. Raises Stale when a path leads nowhere or two lead to one disk."""
        seen: dict[str, str] = {}
        for disk in self._plan.disks:
            pin = self._runner.pin(disk.path)
            if pin is None or pin.kind != "disk" or pin.size_bytes != disk.size_bytes:
                raise Stale(f"{disk.path} ({disk.place or 'no slot known'}) is not the disk of the plan", hint=_WAY_OUT)
            if pin.number in seen:
                raise Stale(f"{disk.path} and {seen[pin.number]} lead to the same disk", hint=_WAY_OUT)
            seen[pin.number] = disk.path
            self._pins[disk.path] = pin

    def check(self, command: Command) -> None:
        """Raises Stale when the command names a device that is not, or no longer, the plan's."""
        if "--assume-clean" in command.argv and self._plan.design.trial is None:
            raise Stale("--assume-clean is for trials only, and this is none", hint="plan again")
        for path in device_operands(command.argv):
            self._check(path, command.argv)
        if command.argv[0] == "mdadm" and TAKES & set(command.argv):
            self._check_blank([path for path in device_operands(command.argv[2:]) if path in self._pins])

    def check_disks(self, command: Command) -> None:
        """Raises Stale when a disk that the command named is no longer what it was right before it."""
        for path in device_operands(command.argv):
            if path in self._pins and self._runner.pin(path) != self._pins[path]:
                raise Stale(f"{self._called(path)} was exchanged while it was written to", hint=_WAY_OUT)

    def _check_blank(self, members: Sequence[str]) -> None:
        """mdadm knows but a few kinds of content; what appeared on a disk since it was wiped is somebody's."""
        for path in members:
            answer = self._runner.ask(wipefs.question((path,)))
            found = said(fact("", wipefs.question((path,)), ""), answer.exit, answer.stdout)
            if found:
                kinds = ", ".join(sorted({line.split()[-1] for line in found.splitlines()}))
                raise Stale(f"{self._called(path)} carries {kinds} since it was wiped", hint=_WAY_OUT)

    def _called(self, path: str) -> str:
        disk = next(disk for disk in self._plan.disks if disk.path == path)
        return f"{path} (serial {disk.serial or 'unknown'}, {disk.place or 'slot unknown'})"

    def _check(self, path: str, argv: tuple[str, ...]) -> None:
        now = self._runner.pin(path)
        disk = PARTITION.sub("", path)
        if disk in self._pins:
            pinned = self._pins[disk]
            if now is None or (now.disk, now.sequence) != (pinned.disk, pinned.sequence):
                raise Stale(f"{path} leads to another device than when it was checked", hint=_WAY_OUT)
            if path == disk and now != pinned:
                raise Stale(f"{path} changed since it was checked", hint=_WAY_OUT)
            return
        array = next((array for array in self._plan.arrays if array.device == path), None)
        if array is not None:
            self._check_array(path, array.uuid, now, argv)
        elif path == f"/dev/{self._plan.name}/{VOLUME}":
            name = f"{self._plan.name.replace('-', '--')}-{VOLUME}"
            if now is None or now.kind != "volume" or now.name != name:
                raise Stale(f"{path} is not the volume of the plan", hint=_WAY_OUT)
        else:
            raise Stale(f"{path} is no device of the plan", hint=_WAY_OUT)

    def _check_array(self, path: str, uuid: str, now: Pin | None, argv: tuple[str, ...]) -> None:
        if argv[:3] == ("mdadm", "--create", path):
            if now is not None:
                raise Stale(f"{path} exists already", hint=_WAY_OUT)
            return
        reading = fact(f"{path} has UUID {uuid}", mdadm.export(path), uuid, key="MD_UUID")
        answer = self._runner.ask(reading.question.argv)
        if now is None or now.kind != "array" or said(reading, answer.exit, answer.stdout) != uuid:
            raise Stale(f"{path} is not the array of the plan", hint=_WAY_OUT)


def device_operands(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Every device that an argument names, also behind an option's `=`."""
    words = [word.partition("=")[2] if word.startswith("-") else word for word in argv[1:]]
    return tuple(word for word in words if word.startswith("/dev/"))
