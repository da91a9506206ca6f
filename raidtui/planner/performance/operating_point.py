"""The arrays of a design as the speed model sees them, and what one kind of work asks of members and links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from raidtui.model.layout import Layout
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
from raidtui.planner.performance.shared_links import Hidden, Way


@dataclass(frozen=True, slots=True)
class Work:
    """One question: what is done to the arrays."""

    kind: Literal["read", "write"]
    random: bool = False
    streams: int | None = None
    degraded: bool = False


@dataclass(frozen=True, slots=True)
class Pace:
    """The slowest figures among the members of one array."""

    read: float
    write: float
    read_iops: float
    write_iops: float
    link: float | None
    rotational: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """What bounds the arrays, whatever is asked of them."""

    layout: Layout
    joined: bool
    """True where data is striped over the arrays, so that the slowest sets the pace of all"""
    paces: tuple[Pace, ...]
    slowest: DiskSpeed
    ways: tuple[Way, ...]
    hidden: tuple[Hidden, ...]
    parity_threads: int
    memory_bytes_per_s: int | None

    @property
    def rotational(self) -> bool:
        """True when any member spins: that one is waited for."""
        return any(pace.rotational for pace in self.paces)


def array_rate(layout: Layout, work: Work, speed: float, rotational: bool) -> float:
    """What the members of one array give when each gives `speed`, bytes or operations per second."""
    if work.random:
        if work.kind == "read":
            return random_read(layout, speed, degraded=work.degraded)
        return random_write(layout, speed)
    if work.kind == "write":
        return sequential_write(layout, speed, rotational=rotational)
    return sequential_read(layout, speed, streams=work.streams, rotational=rotational, degraded=work.degraded)


def members_rates(setting: Setting, work: Work) -> list[float]:
    """What the members of each array give while all arrays do the same."""
    return active(setting, work, [_members_rate(setting.layout, work, pace) for pace in setting.paces])


def _members_rate(layout: Layout, work: Work, pace: Pace) -> float:
    if work.random:
        speed = pace.read_iops if work.kind == "read" else pace.write_iops
    else:
        speed = pace.read if work.kind == "read" else pace.write
    return array_rate(layout, work, speed, pace.rotational)


def active(setting: Setting, work: Work, rates: Sequence[float]) -> list[float]:
    """Rate of each array when all do the same: joined ones as the slowest, a lone stream on apart ones on one."""
    slowest = min(rates)
    if setting.joined:
        return [slowest] * len(rates)
    if work.streams == 1:
        return [slowest if number == rates.index(slowest) else 0.0 for number in range(len(rates))]
    return list(rates)


def load_on(setting: Setting, work: Work, rates: Sequence[float], below: Sequence[int], both_ways: bool) -> float:
    """Bytes per second over a link with `below` members of each array when the arrays run at `rates`."""
    used = {rate for rate, count in zip(rates, below, strict=True) if count}
    if len(used) == 1:
        members = used.pop() * sum(below)
    else:
        members = sum(rate * count for rate, count in zip(rates, below, strict=True))
    return members * wire_bytes(setting.layout, work, both_ways) / setting.layout.members


def wire_bytes(layout: Layout, work: Work, both_ways: bool) -> float:
    """Bytes over the members' links for a user byte, or for one random operation."""
    if not work.random:
        return wire_share(layout, work.kind)
    if work.kind == "read":
        return PAGE * degraded_reads(layout) if work.degraded else float(PAGE)
    if layout.parity:
        reads, writes = parity_operations(layout)
        return float(PAGE * (max(reads, writes) if both_ways else reads + writes))
    return float(PAGE * copies_of(layout))
