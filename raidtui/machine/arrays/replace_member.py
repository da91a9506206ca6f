"""Carries a replacement out: one step after the other, each read back from md. What was begun goes on by the same call.

There is no journal: all state is in the superblocks. The only command that overwrites anything adds the new disk, which
is read once more right before. Links of both disks are pinned, and must lead to the same devices before each command.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.ports.runner import Pin, Runner
from raidtui.model.arrays import ArrayMember, ObservedArray
from raidtui.model.errors import MachineFailed, Stale
from raidtui.model.inventory import Inventory
from raidtui.model.replacement import Replacement, ReplacementStep
from raidtui.model.safe import safe
from raidtui.model.units import MIB
from raidtui.planner.arrays import words
from raidtui.tools.samples import LENGTH, sample_offsets

_READ_BACK_S = 60
_INTERVAL_S = 5.0
_GO_ON = "find out what changed (raidtui arrays); the same command goes on where it is"


class ReplacingMember:
    """One replacement, from its first step to its last."""

    def __init__(self, found: Replacement, runner: Runner, inventory: Inventory, tell: Callable[[str], None]) -> None:
        """`inventory`: of the machine, as `found` was made from; `tell` gets a line for each step and its progress."""
        if found.new is None or not found.steps:
            raise Stale("there is nothing to carry out", hint="raidtui replace says why")
        self._found, self._new, self._old = found, found.new, found.old
        self._runner, self._tell = runner, tell
        self._look = ArraysLook(runner, inventory, around=False)
        paths = [each.path for each in (found.new, found.old) if each is not None and each.path]
        self._pins: Mapping[str, Pin] = {path: self._pin(path) for path in paths}
        self._last = self._said = ""
        new = self._pins[found.new.path]
        if new.kind == "disk" and (new.name, new.size_bytes) != (found.new.device, found.new.size_bytes):
            raise Stale(f"{safe(found.new.path)} leads to another disk than when it was shown", hint=_GO_ON)

    def carry_out(self) -> int:
        """Members that the array lacks in the end, which failed meanwhile.

        Raises Stale where something is not as it was shown, MachineFailed where md does not do what it was told."""
        for step in self._found.steps:
            match step.act:
                case "add":
                    self._add(step)
                case "copy":
                    if self._new_state() == "spare":
                        self._run(step)
                        self._until(lambda: self._new_state() != "spare", step)
                case "wait":
                    self._follow()
                case "remove":
                    self._remove(step)
                case "locate":
                    self._tell(f"{step.title}: {step.proof}")
                case "check":
                    self._run(step)
        return self._array().lacks or 0

    def _add(self, step: ReplacementStep) -> None:
        if self._new_state():
            return
        path, size = self._new.path, self._pins[self._new.path].size_bytes
        areas = [(0, MIB), (size - MIB, MIB), *((offset, LENGTH) for offset in sample_offsets(size))]
        if self._runner.holders(path) or self._runner.users([path]):
            raise Stale(f"{safe(path)} is in use now; nothing was written", hint=_GO_ON)
        if (at := self._runner.first_nonzero(path, areas)) is not None:
            raise Stale(f"{safe(path)} is not blank any more (byte {at}); nothing was written", hint=_GO_ON)
        self._run(step)
        self._until(lambda: bool(self._new_state()), step)

    def _remove(self, step: ReplacementStep) -> None:
        old = self._member(self._old.device if self._old is not None else "")
        if old is None:
            return
        if old.state != "faulty" or self._new_state() != "in-sync":
            raise Stale(f"{safe(old.device)} still belongs to the array; it was not taken out", hint=_GO_ON)
        self._run(step)
        self._until(lambda: self._member(old.device) is None, step)

    def _follow(self) -> None:
        """Waits until the new disk is in sync; another member may have failed meanwhile."""
        while True:
            array = self._array()
            new = self._in(array, self._pins[self._new.path].name)
            state = "" if new is None else new.state
            if state in ("", "faulty"):
                raise MachineFailed(
                    f"the new disk {safe(self._new.device)} failed or is gone; the array has its other members",
                    hint="look at dmesg and the cable; take another disk, and begin again",
                )
            if state == "in-sync":
                return
            if array.state == "failed":
                raise MachineFailed(
                    f"{array.name} lost more members than it survives", hint="raidtui arrays tells what"
                )
            line = words.sync_words(array.sync) or "waits for md to begin"
            if line != self._last:
                self._tell(f"{words.name(array)}: {line}")
                self._last = line
            self._runner.wait(_INTERVAL_S)

    def _array(self) -> ObservedArray:
        arrays = self._look.take().arrays
        array = next((each for each in arrays if each.uuid == self._found.uuid and each.name), None)
        if array is None:
            raise Stale(f"{safe(self._found.array)} does not run any more", hint=_GO_ON)
        return array

    def _member(self, device: str) -> ArrayMember | None:
        return self._in(self._array(), device)

    @staticmethod
    def _in(array: ObservedArray, device: str) -> ArrayMember | None:
        found = (each for each in array.members if device and each.device == device and each.state != "dropped")
        return next(found, None)

    def _new_state(self) -> str:
        """State of the new disk in the array; empty where it is not in it."""
        name = self._pins[self._new.path].name
        found = self._member(name)
        return "" if found is None else found.state

    def _pin(self, path: str) -> Pin:
        pin = self._runner.pin(path)
        if pin is None or pin.kind not in ("disk", "partition"):
            raise Stale(f"{safe(path)} is no disk and no partition", hint=_GO_ON)
        return pin

    def _run(self, step: ReplacementStep) -> None:
        for path, pin in self._pins.items():
            if self._runner.pin(path) != pin and (path == self._new.path or step.act in ("copy", "remove")):
                raise Stale(f"{safe(path)} leads to another device than when it was shown", hint=_GO_ON)
        self._tell(step.title)
        handle = os.memfd_create("output", os.MFD_CLOEXEC)
        try:
            self._runner.run(step.argv, handle, {path: f"/dev/{pin.name}" for path, pin in self._pins.items()})
            os.lseek(handle, 0, os.SEEK_SET)
            self._said = os.read(handle, 4096).decode("utf-8", "replace").strip()
        finally:
            os.close(handle)

    def _until(self, done: Callable[[], bool], step: ReplacementStep) -> None:
        """Returns once `done`; the exit code of a command proves nothing."""
        for _ in range(_READ_BACK_S):
            if done():
                return
            self._runner.wait(1.0)
        said = safe(self._said.rpartition("\n")[2], longest=200)
        raise MachineFailed(f"{step.title}: md does not show it ({said or 'mdadm said nothing'})", hint=_GO_ON)
