"""State of a `FaultyMachine`: that of the simulated machine, the faults that wait, and what was met of them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from raidtui.simulated.state import Drive, State
from raidtui.values.codec import from_json
from raidtui.values.inventory import Inventory
from tests.simulated.fault_model import Fault


@dataclass(slots=True, kw_only=True)
class WatchedDrive(Drive):
    """A drive that notes where it failed."""

    met: list[str] = field(default_factory=list)

    def fails(self, start: int, length: int, *, writing: bool) -> bool:
        failed = Drive.fails(self, start, length, writing=writing)
        if failed:
            self.met.append(f"{'write' if writing else 'read'}-error on {self.disk.id} at {start}")
        return failed


@dataclass(slots=True, kw_only=True)
class Armed:
    """A fault that waits, and how many events it has seen."""

    fault: Fault
    seen: int = 0


@dataclass(slots=True, kw_only=True)
class FaultyState(State):
    """Everything, as `SimulatedMachine` reads it, which leaves out what only this class has."""

    drives: list[WatchedDrive] = field(default_factory=list)  # type: ignore[assignment]
    commands: int = 0
    """commands run and files written so far, those that failed too"""
    armed: list[Armed] = field(default_factory=list)
    fired: list[str] = field(default_factory=list)
    """every fault that took effect, in order"""

    def gather(self) -> None:
        """Takes over what drives have noted."""
        for drive in self.drives:
            self.fired += drive.met
            drive.met.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultySnapshot:
    """A machine and the inventory it was made from."""

    inventory: Inventory
    state: FaultyState


def state_of(state: State) -> FaultyState:
    """`state` where no fault is armed."""
    drives = [WatchedDrive(**_values(drive)) for drive in state.drives]
    return FaultyState(**{**_values(state), "drives": drives})


def kept_from(text: str, source: str) -> FaultySnapshot:
    """The value back. BadInput when the text is none."""
    return from_json(FaultySnapshot, text, source=source)


def _values(value: Drive | State) -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in fields(value)}
