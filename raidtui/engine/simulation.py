"""Port to simulated machines and their gauges, which the satellite `simulated` makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from raidtui.machine.system.ports import Runner, Ticks
from raidtui.values.arrays import ObservedArray
from raidtui.values.gauges import Scene
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import ArrayShape, Layout
from raidtui.values.satellites import part
from raidtui.values.speed import Throughput
from raidtui.values.target import TargetVersions


class SimulatedRunner(Runner, Protocol):
    """A machine without disks: what can be done to it besides running a plan."""

    @property
    def now(self) -> float:
        """Its time, seconds."""

    def begin(self) -> None:
        """Its time begins now, unless it began before."""

    def target(self) -> TargetVersions:
        """Versions of its kernel and programs."""

    def inventory(self) -> Inventory:
        """Inventory that a probe would return."""

    def made_of(self) -> Inventory:
        """The inventory that it was made from, all of its disks as they were then."""

    def to_json(self) -> str:
        """Its complete state; `restored` reads it."""

    def advance(self, seconds: float) -> None:
        """Lets simulated seconds pass at once."""

    def fail(self, disk: str) -> tuple[str, ...]:
        """The drive with the identity `disk` breaks. Kernel names of the arrays that lose it."""

    def swap(self, disk: str) -> Disk | None:
        """That drive is pulled and a new one put into its bay: that one. None where there is no such drive."""


def machine(inventory: Inventory) -> SimulatedRunner:
    """A machine with the disks of `inventory`."""
    made: SimulatedRunner = part("simulated", "machine").SimulatedMachine(inventory)
    return made


def restored(text: str) -> SimulatedRunner:
    """The machine of a state. Raises BadInput for an invalid text."""
    made: SimulatedRunner = part("simulated", "machine").SimulatedMachine.from_json(text)
    return made


def kept(path: Path, *, speed_up: float, sleep: Callable[[float], None] | None) -> SimulatedRunner:
    """The machine in the file `path`, which it keeps up to date. Raises MachineFailed if it is missing."""
    made: SimulatedRunner = part("simulated", "machine").SimulatedMachine.kept(path, speed_up=speed_up, sleep=sleep)
    return made


def demonstration(scene: Scene, clock: Callable[[], float] | None = None) -> Ticks:
    """Ticks of a load for looking at. `clock`: seconds since 1970; None: this machine's."""
    loads = part("simulated", "loads")
    made: Ticks = loads.SimulatedTicks(scene, loads.demonstration(scene), clock=clock)
    return made


def design_at_work(
    scene: Scene, layout: Layout, disks: Sequence[Disk], names: Sequence[str], speed: Throughput,
    clock: Callable[[], float],
) -> Ticks:  # fmt: skip
    """Ticks of the arrays of `layout` on `disks`, called `names`, under load."""
    loads = part("simulated", "loads")
    made: Ticks = loads.at_work(loads.planned_scene(scene, layout, disks, names), layout.shapes, speed, clock)
    return made


def arrays_at_work(
    scene: Scene, found: Sequence[ObservedArray], shapes: Sequence[ArrayShape], speed: Throughput,
    clock: Callable[[], float],
) -> Ticks:  # fmt: skip
    """Ticks of arrays that exist, of these `shapes`, as they are, under load."""
    loads = part("simulated", "loads")
    made: Ticks = loads.at_work(loads.standing_scene(scene, found), shapes, speed, clock, found)
    return made
