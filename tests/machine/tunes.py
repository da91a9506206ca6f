"""Trials and drills on a simulated machine with bystanders, for tests: figures are made up, faults are counted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from raidtui.bench import prepare, tuning
from raidtui.bench.trials import MountedTrial
from raidtui.engine.folders import ControlRequest
from raidtui.engine.site import MACHINE, SimulatedSite
from raidtui.steps.trials import TrialRequest
from raidtui.steps.trials import tuning as planned
from raidtui.values.bench import Figure, Repeat
from raidtui.values.design import Design
from raidtui.values.notation import parse
from raidtui.values.plan import Plan
from raidtui.values.trials import TuneResult, Tuning, Workload
from raidtui.values.units import GIB, KIB
from tests.faults.scene import _SEATED, HOST, with_bystanders
from tests.simulated.fault_model import Fault
from tests.simulated.machine import FaultyMachine


@cache
def _machine(disks: int) -> str:
    return with_bystanders(_SEATED, targets=disks).to_json()


def figure(*values: float) -> Figure:
    """A figure of made-up repeats."""
    repeats = tuple(Repeat(value=value, began=0.0, ended=30.0) for value in values)
    return Figure(task=1, unit="B/s", repeats=repeats, median=sorted(values)[len(values) // 2], spread=0.02)


class Measured:
    """Implements Measure: the larger the chunk the better; remembers what it was asked."""

    def __init__(self, before: Callable[[MountedTrial], None] = lambda _: None) -> None:
        self.asked: list[MountedTrial] = []
        self.before = before

    def __call__(self, mounted: MountedTrial) -> tuple[Workload, ...]:
        self.asked.append(mounted)
        self.before(mounted)
        value = 1e6 * (100 + mounted.plan.design.chunk_bytes // KIB)
        return (Workload(job="write", title="write", figure=figure(0.99 * value, value, 1.01 * value)),)


class Tuned:
    """A tuning on a machine of its own, in an empty directory."""

    def __init__(self, root: Path, layout: str = "(2+1)+1", **more: Any) -> None:
        self.machine = FaultyMachine.from_json(_machine(parse(layout).disks))
        self.was = self.machine.hashes()
        self.writes = self.machine.writes()
        design = Design(layout=parse(layout), **more.pop("design", {}))
        given: dict[str, Any] = {
            "chunks": (64 * KIB, 512 * KIB), "file_systems": ("xfs",), "slice_bytes": 2 * GIB, "first_sync": False,
            "profile": "quick", "seconds": None,
        }  # fmt: skip
        found = self.machine.inventory()
        made = planned(TrialRequest(design=design, **{**given, **more}), found, found.disks, host=HOST)
        self.tuning: Tuning = made[0]
        self.plans: tuple[Plan, ...] = made[1]
        self.root = root
        self.folder = tuning.create(self.tuning, self.plans, SimulatedSite(root, self.machine), prepare.load("quick"))

    def arm(self, *faults: Fault) -> None:
        """Faults of the machine that the first trial meets."""
        machine = FaultyMachine.from_json((self.folder / MACHINE).read_text())
        machine.arm(*faults)
        (self.folder / MACHINE).write_text(machine.to_json())

    def carry_out(
        self, measure: Measured | None = None, wish: Callable[[], ControlRequest] = ControlRequest
    ) -> TuneResult:
        """All of it."""
        with mock.patch("raidtui.simulated.machine.SimulatedMachine", FaultyMachine):
            return tuning.carry_out_tuning(self.folder, self.tuning.digest, -1, measure or Measured(), wish)

    def left(self) -> FaultyMachine:
        """The machine as the last trial that was begun left it."""
        begun = [self.root / plan.run_id for plan in self.plans if (self.root / plan.run_id / MACHINE).exists()]
        place = begun[-1] if begun else self.folder
        return FaultyMachine.from_json((place / MACHINE).read_text())

    def bystanders_as_before(self, machine: FaultyMachine) -> bool:
        """True when nothing on them was written, not even the same again."""
        others = set(self.was) - set(self.tuning.disks)
        return all(machine.hashes()[disk] == self.was[disk] for disk in others) and all(
            machine.writes()[disk] == self.writes[disk] for disk in others
        )


def not_blank(machine: FaultyMachine, disks: tuple[str, ...]) -> list[str]:
    """Those of the disks that a fresh look does not find blank."""
    return [disk.id for disk in machine.inventory().disks if disk.id in disks and disk.state != "blank"]
