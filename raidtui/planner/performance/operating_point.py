"""Input of the speed model: the arrays of a design, and the load that one workload puts on members and links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.model.assumptions import Assumptions
from raidtui.model.layout import Layout
from raidtui.model.machine_figures import MachineFigures
from raidtui.model.speed import DiskSpeed
from raidtui.planner.performance.raid_level_rates import (
    PAGE,
    copies_of,
    degraded_reads,
    parity_operations,
    random_read,
    random_write,
    sequential_read,
    sequential_write,
    wire_share,
)
from raidtui.planner.performance.shared_links import SharedLink, UnknownLink


@dataclass(frozen=True, slots=True)
class Work:
    """One workload of the speed model; `streams` None is as many as saturate the arrays."""

    kind: Literal["read", "write"]
    random: bool = False
    streams: int | None = None
    degraded: bool = False


@dataclass(frozen=True, slots=True)
class MemberRates:
    """Lowest rates among the members of one array; bytes and operations per second."""

    read: float
    write: float
    read_iops: float
    write_iops: float
    link: float | None
    rotational: bool


@dataclass(frozen=True, slots=True)
class ArraySet:
    """The arrays of a design with their members' rates and links: what bounds every workload."""

    layout: Layout
    striped: bool
    """True if data is striped over the arrays, so that the slowest array bounds all"""
    member_rates: tuple[MemberRates, ...]
    slowest: DiskSpeed
    links: tuple[SharedLink, ...]
    unknown_links: tuple[UnknownLink, ...]
    assumptions: Assumptions
    figures: MachineFigures
    """of the machine that they are in"""

    @property
    def rotational(self) -> bool:
        """True if any member is a rotating disk."""
        return any(rates.rotational for rates in self.member_rates)


def array_rate(layout: Layout, work: Work, speed: float, rotational: bool) -> float:
    """Rate of one array whose members each deliver `speed`, in bytes or operations per second."""
    if work.random:
        if work.kind == "read":
            return random_read(layout, speed, degraded=work.degraded)
        return random_write(layout, speed)
    if work.kind == "write":
        return sequential_write(layout, speed, rotational=rotational)
    return sequential_read(layout, speed, streams=work.streams, rotational=rotational, degraded=work.degraded)


def array_rates(array_set: ArraySet, work: Work) -> list[float]:
    """Member-bound rate of each array while all arrays run the same workload."""
    return concurrent_rates(
        array_set, work, [_members_rate(array_set.layout, work, rates) for rates in array_set.member_rates]
    )


def _members_rate(layout: Layout, work: Work, rates: MemberRates) -> float:
    if work.random:
        speed = rates.read_iops if work.kind == "read" else rates.write_iops
    else:
        speed = rates.read if work.kind == "read" else rates.write
    return array_rate(layout, work, speed, rates.rotational)


def concurrent_rates(array_set: ArraySet, work: Work, rates: Sequence[float]) -> list[float]:
    """Rate of each array under the same workload.

    Striped arrays all run at the lowest rate; a single stream on separate arrays uses only the slowest of them.
    """
    slowest = min(rates)
    if array_set.striped:
        return [slowest] * len(rates)
    if work.streams == 1:
        return [slowest if number == rates.index(slowest) else 0.0 for number in range(len(rates))]
    return list(rates)


def load_on(array_set: ArraySet, work: Work, rates: Sequence[float], below: Sequence[int], both_ways: bool) -> float:
    """Bytes per second over a link with `below` members of each array while the arrays run at `rates`."""
    used = {rate for rate, count in zip(rates, below, strict=True) if count}
    if len(used) == 1:
        members = used.pop() * sum(below)
    else:
        members = sum(rate * count for rate, count in zip(rates, below, strict=True))
    return members * wire_bytes(array_set.layout, work, both_ways) / array_set.layout.members


def wire_bytes(layout: Layout, work: Work, both_ways: bool) -> float:
    """Bytes over the members' links per user byte, or per random operation."""
    if not work.random:
        return wire_share(layout, work.kind)
    if work.kind == "read":
        return PAGE * degraded_reads(layout) if work.degraded else float(PAGE)
    if layout.parity:
        reads, writes = parity_operations(layout)
        return float(PAGE * (max(reads, writes) if both_ways else reads + writes))
    return float(PAGE * copies_of(layout))
