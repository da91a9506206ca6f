"""A link that moves at any moment of a build leads to no byte on a disk that is not the plan's."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.machine.system.ports import Pin
from tests.faults.bench import bench
from tests.faults.judge import bystanders_changed
from tests.faults.scene import IN_MEMORY, canonical, member
from tests.simulated.machine import FaultyMachine


class MovingLink(FaultyMachine):
    """The stable link of one disk leads to a bystander from a counted look at it on, for good or for one look."""

    looks = 0
    """how often the executor looked at the link or named it, once it was armed"""
    at = 0
    """the look before which it moves; 0: never"""
    lasts = True
    """False: it is back right after that look"""
    link = ""
    to = ""
    armed = False

    def ask(self, argv: tuple[str, ...], *more: Any, **named: Any) -> Any:
        return self._looked(any(self.link in word for word in argv), super().ask, argv, *more, **named)

    def run(self, argv: tuple[str, ...], output: int, *more: Any, **named: Any) -> int:
        code: int = self._looked(any(self.link in word for word in argv), super().run, argv, output, *more, **named)
        return code

    def pin(self, path: str) -> Pin | None:
        found: Pin | None = self._looked(self.link in path, super().pin, path)
        return found

    def holders(self, path: str) -> tuple[str, ...]:
        found: tuple[str, ...] = self._looked(self.link in path, super().holders, path)
        return found

    def _looked(self, concerned: bool, door: Any, *arguments: Any, **named: Any) -> Any:
        if not (self.armed and concerned):
            return door(*arguments, **named)
        self.looks += 1
        if self.looks == self.at:
            self._move(there=True)
        result = door(*arguments, **named)
        if self.looks == self.at and not self.lasts:
            self._move(there=False)
        return result

    def _move(self, *, there: bool) -> None:
        """Of two disks that claim a link the one that came last has it (devices.py)."""
        drive = next(drive for drive in self._state.drives if drive.disk.id == self.to)
        names = tuple(name for name in drive.disk.by_id if name != self.link)
        drive.disk = replace(drive.disk, by_id=(*names, self.link) if there else names)
        drive.sequence = max(each.sequence for each in self._state.drives) + 1 if there else drive.sequence


def looks_of_a_build() -> int:
    """How often an undisturbed build looks at the link."""
    return _built(0, lasts=True)[0]


def _built(at: int, *, lasts: bool) -> tuple[int, int | None, int, int, str]:
    """Looks, exit code, writes and changed bytes on bystanders, and the problem of a build whose link moves."""
    scene = canonical()
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="raidtui-link-") as folder:
        made = bench(scene, Path(folder))
        machine = MovingLink.from_json(scene.machine, speed_up=1e7)
        assert isinstance(machine, MovingLink)
        made.machine = machine
        disk = next(disk for disk in scene.plan.disks if disk.id == member(scene.plan, "member-b"))
        machine.link, machine.at, machine.lasts = disk.path.rpartition("/")[2], at, lasts
        machine.to = next(each.id for each in machine.inventory().disks if each.id not in scene.targets)
        writes = machine.writes()[machine.to]
        check = next(step.number for step in scene.plan.steps if step.stage == "check")
        made.hooks[("after", "proven", check, 0)] = lambda: setattr(machine, "armed", True)
        ended = made.begin()
        machine.armed = False
        written = machine.writes()[machine.to] - writes
        machine._move(there=False)
        text = f"{ended.problem} {getattr(ended.problem, 'hint', '')}"
        return machine.looks, ended.code, written, bystanders_changed(scene, machine), text


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("lasts", [True, False], ids=["for good", "for one look"])
def test_wherever_the_link_moves_nothing_is_written_to_the_disk_it_leads_to(lasts: bool, every: int) -> None:
    looks = looks_of_a_build()
    assert looks >= 8
    harmed = {}
    for at in range(1, looks + 1, every):
        _, code, written, changed, text = _built(at, lasts=lasts)
        if written or changed:
            harmed[at] = f"exit code {code}, {written} writes, {changed} bytes changed: {text}"
    assert harmed == {}
