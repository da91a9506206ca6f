"""Carries a replacement out: one step after the other, each read back from md. What was begun goes on by the same call.

There is no journal: all state is in the superblocks and the new disk's partition table. The commands that overwrite
anything write that table and add the new disk or its partition, which is read once more right before. Links of both
disks are pinned, and must lead to the same devices before each command.
"""

from __future__ import annotations

from collections.abc import Callable

from raidtui.machine.arrays.command_steps import GO_ON, INTERVAL_S, SyncWait, comes_true, require_blank, run_on
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.arrays.reads import Reads
from raidtui.machine.ports.runner import Pin, Runner
from raidtui.model.arrays import ArrayMember, ObservedArray
from raidtui.model.errors import MachineFailed, Stale
from raidtui.model.inventory import Inventory
from raidtui.model.replacement import Replacement, ReplacementStep
from raidtui.model.safe import safe
from raidtui.planner.arrays import words
from raidtui.tools import sfdisk

_PULL_S = 600
"""seconds for which the light of a bay is on at most"""
_ENCLOSURES = "/sys/class/enclosure"
"""bays with a file `locate` that switches a light (Linux drivers/misc/enclosure.c), where SES has one"""


class ReplacingMember:
    """One replacement, from its first step to its last."""

    def __init__(self, found: Replacement, runner: Runner, inventory: Inventory, tell: Callable[[str], None]) -> None:
        """`inventory`: of the machine, as `found` was made from; `tell` gets a line for each step and its progress."""
        if found.new is None or not found.steps:
            raise Stale("there is nothing to carry out", hint="raidtui replace shows why")
        self._steps, self._runner, self._tell = found.steps, runner, tell
        self._look = ArraysLook(runner, inventory, around=False)
        self._said = ""
        self._pins: dict[str, Pin] = {}
        self._new = self._pin(found.new.path)
        for path in dict.fromkeys(step.old for step in found.steps if step.old):
            self._pin(path)
        if (self._new.kind, self._new.name, self._new.size_bytes) != ("disk", found.new.device, found.new.size_bytes):
            raise Stale(f"{safe(found.new.path)} leads to another disk than when it was shown", hint=GO_ON)

    def carry_out(self) -> dict[str, int]:
        """Members that each array lacks in the end, which failed meanwhile, by its name.

        Raises Stale where something is not as it was shown, MachineFailed where md does not do what it was told."""
        for step in self._steps:
            match step.act:
                case "table":
                    self._partition(step)
                case "add":
                    self._add(step)
                case "copy":
                    self._copy(step)
                case "wait":
                    self._follow(step)
                case "remove":
                    self._remove(step)
                case "locate":
                    self._locate(step)
                case "check":
                    self._run(step)
        arrays = [self._array(uuid) for uuid in dict.fromkeys(step.array for step in self._steps if step.array)]
        return {words.name(array): array.lacks or 0 for array in arrays}

    def _partition(self, step: ReplacementStep) -> None:
        def written() -> bool:
            ran = self._runner.ask(sfdisk.dump(step.new), {step.new: f"/dev/{self._new.name}"})
            return sfdisk.script(sfdisk.parse(ran.stdout)) == step.stdin

        parts = [each.new for each in self._steps if each.act == "add"]
        if not written():
            self._prove_blank(step.new)
            self._run(step)
        self._until(lambda: written() and all(self._runner.pin(path) for path in parts), step)

    def _add(self, step: ReplacementStep) -> None:
        if not self._new_state(step):
            self._prove_blank(step.new)
            self._run(step)
            self._until(lambda: bool(self._new_state(step)), step)

    def _copy(self, step: ReplacementStep) -> None:
        if self._new_state(step) == "spare":
            self._run(step)
            self._until(lambda: self._new_state(step) != "spare", step)

    def _prove_blank(self, path: str) -> None:
        self._pin(path)
        require_blank(self._runner, path)

    def _remove(self, step: ReplacementStep) -> None:
        device = self._pins[step.old].name
        old = _in(self._array(step.array), device)
        if old is None:
            return
        if old.state != "faulty" or self._new_state(step) not in ("in-sync", "spare"):
            raise Stale(f"{safe(old.device)} still belongs to the array; it was not taken out", hint=GO_ON)
        self._run(step)
        self._until(lambda: _in(self._array(step.array), device) is None, step)

    def _follow(self, step: ReplacementStep) -> None:
        """Waits until the new disk is in sync; another member may have failed meanwhile."""
        name = self._pin(step.new).name
        wait = SyncWait(self._runner, self._array(step.array).name, self._tell)
        while True:
            array = self._array(step.array)
            new = _in(array, name)
            if new is None or new.state == "faulty":
                raise MachineFailed(
                    f"the new disk {safe(name)} failed or is gone; the array has its other members",
                    hint="look at dmesg and the cable; take another disk, and begin again",
                )
            if new.state == "in-sync":
                return
            if array.state == "failed":
                raise MachineFailed(
                    f"{array.name} lost more members than it survives", hint="raidtui arrays shows which"
                )
            wait.look()

    def _locate(self, step: ReplacementStep) -> None:
        """Shows which disk to pull; a light goes off once the disk is pulled, or after some minutes."""
        self._tell(f"{step.title}: {step.proof}")
        pin = self._runner.pin(step.old)
        lights = self._lights(pin.name) if pin is not None else []
        on = [self._switched(light, 1) for light in lights]
        looks = int(_PULL_S / INTERVAL_S) if any(on) else 0
        try:
            while looks and self._runner.pin(step.old) == pin:
                self._runner.wait(INTERVAL_S)
                looks -= 1
        finally:
            for light in lights:
                self._switched(light, 0)

    def _lights(self, disk: str) -> list[str]:
        """Files that switch the light of the bay of a disk; one for each way to its enclosure."""
        names = Reads(self._runner).names
        bays = [f"{_ENCLOSURES}/{each}/{bay}" for each in names(_ENCLOSURES) for bay in names(f"{_ENCLOSURES}/{each}")]
        return [f"{bay}/locate" for bay in bays if disk in names(f"{bay}/device/block")]

    def _switched(self, light: str, value: int) -> bool:
        """Switches a light: whether it reads back so. One that does not follow stops nothing."""
        try:
            self._runner.set_value(light, value)
            follows = (self._runner.read_text(light) or "").strip() == str(value)
        except MachineFailed:
            follows = False
        state = f"is {'on' if value else 'off'}" if follows else f"does not go {'on' if value else 'off'}"
        self._tell(f"the light of its bay {state} ({light})")
        return follows

    def _array(self, uuid: str) -> ObservedArray:
        array = next((each for each in self._look.take().arrays if each.uuid == uuid and each.name), None)
        if array is None:
            raise Stale(f"the array {safe(uuid)} does not run any more", hint=GO_ON)
        return array

    def _new_state(self, step: ReplacementStep) -> str:
        """State of the new disk in the array; empty where it is not in it."""
        found = _in(self._array(step.array), self._pin(step.new).name)
        return "" if found is None else found.state

    def _pin(self, path: str) -> Pin:
        """The device behind a path, the same at each call. A partition of the new disk is on that disk."""
        pin = self._runner.pin(path)
        if pin is None or pin.kind not in ("disk", "partition"):
            raise Stale(f"{safe(path)} is no disk and no partition", hint=GO_ON)
        parts = {step.new for step in self._steps if step.act == "add"}
        elsewhere = (
            path in parts and bool(self._pins) and (pin.disk, pin.sequence) != (self._new.disk, self._new.sequence)
        )
        if pin != self._pins.setdefault(path, pin) or elsewhere:
            raise Stale(f"{safe(path)} leads to another device than when it was shown", hint=GO_ON)
        return pin

    def _run(self, step: ReplacementStep) -> None:
        paths = (step.new, step.old if step.act in ("copy", "remove") else "")
        devices = {path: f"/dev/{self._pin(path).name}" for path in paths if path}
        self._tell(step.title)
        self._said = run_on(self._runner, step.argv, devices, stdin=step.stdin)

    def _until(self, done: Callable[[], bool], step: ReplacementStep) -> None:
        """Returns once `done`."""
        if not comes_true(self._runner, done):
            raise MachineFailed(f"{step.title}: it cannot be read back ({self._said or 'no output'})", hint=GO_ON)


def _in(array: ObservedArray, device: str) -> ArrayMember | None:
    return next((each for each in array.members if each.device == device and each.state != "dropped"), None)
