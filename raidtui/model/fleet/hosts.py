"""What is known about each host that was asked, and the inventories of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from raidtui.model.codec_rules import Value
from raidtui.model.inventory import Inventory

HostState = Literal[
    "answered", "refused", "unreachable", "key-changed", "timed-out", "half", "too-large", "garbage", "other-host",
    "other-version", "absent", "failed", "other-machine", "claimed",
]  # fmt: skip
"""`answered`: in full and in time. `refused`: access or request, see the problem. `half`: the answer ends in the
middle. `garbage`: it is no answer of raidtui. `other-host`: the answer to another request. `absent`: raidtui is not
installed there. `failed`: the program there ended without an answer. `other-machine`: not the
machine that the plan is for. `claimed`: another control host follows the run"""

HostEffect = Literal["none", "part"]
"""`none`: the host has done nothing; `part`: it began, and something broke"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProblem(Value):
    """Why a host gave no answer that can be used."""

    state: HostState
    """never `answered`"""
    sentence: str
    """what happened; may quote raw text of the host"""
    hint: str = ""
    """what to do"""
    effect: HostEffect | None = None
    """what the request did there; None: not known"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLook(Value):
    """One host as it was looked at."""

    host: str
    """name by which the control host reaches it"""
    asked_at: str
    """when the look at all hosts began, as 2026-01-31T12:00:00Z, by the control host's clock"""
    answered_in_s: float
    """seconds until the answer was complete, or the attempt ended"""
    problem: HostProblem | None = None
    """why there is no inventory; None when it answered"""
    inventory: Inventory | None = None
    """its disks and versions; None when it did not answer"""
    raidtui: str | None = None
    """version of raidtui that answered"""
    carried: bool = False
    """raidtui was carried over for this look and removed again"""
    clock_ahead_s: float | None = None
    """seconds by which the host's clock is at least ahead of the control host's, negative where behind; 0 where both
    may agree; None when it did not answer"""

    @property
    def state(self) -> HostState:
        """How it ended."""
        return self.problem.state if self.problem is not None else "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetInventory(Value):
    """Every host that was asked, with its disks or the reason why there are none."""

    schema: Literal["raidtui/fleet-inventory/1"] = "raidtui/fleet-inventory/1"
    """format of this document"""
    taken_at: str
    """when the last answer was complete, as 2026-01-31T12:00:00Z"""
    hosts: tuple[HostLook, ...]
    """in the order of the node set, each host once"""

    @property
    def inventories(self) -> Mapping[str, Inventory]:
        """Inventory of each host that answered."""
        return {look.host: look.inventory for look in self.hosts if look.inventory is not None}

    @property
    def free_disks(self) -> Mapping[str, tuple[int, int]]:
        """Disks that are free, and all disks, of each host that answered."""
        return {host: (len(found.free), len(found.disks)) for host, found in self.inventories.items()}

    @property
    def problems(self) -> tuple[HostLook, ...]:
        """Hosts that did not answer."""
        return tuple(look for look in self.hosts if look.problem is not None)
