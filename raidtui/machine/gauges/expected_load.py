"""What each member of the arrays should move under a known workload, beside what it moves.

Compared are shares: what all members of an array move together, divided as md divides this work (`member_shares`), is
what is expected of each. So no rate has to be predicted, and a member that does more or less than its part shows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import add
from typing import NamedTuple

from raidtui.machine.gauges.rates import disk_figures
from raidtui.predict.speed.operating_point import MemberRates, MemberShare, SpeedWork, member_shares
from raidtui.values.amounts import percent
from raidtui.values.choices import Direction
from raidtui.values.gauges import Scene, Tick
from raidtui.values.layout import ArrayShape
from raidtui.values.speed import WorkloadQuestion

WINDOW = 10
"""ticks that are compared together: one tick proves nothing"""
OFF = 0.1
"""share by which a load is off its expected range before it is shown as a deviation"""
_LEAST = 100_000.0
"""bytes per second of each member on average below which an array is idle"""


class PresentWork(NamedTuple):
    """What users do: the part that reads, and how."""

    reads: float
    """share of the bytes that are read, 0 to 1"""
    random: bool
    streams: int | None
    """None: enough for all members"""
    alone: bool
    """True: one request in flight"""


def work_of(ask: WorkloadQuestion) -> PresentWork:
    """The work that is asked about."""
    reads = (ask.read_percent or 0) / 100 if ask.kind == "mixed" else float(ask.kind == "read")
    alone = ask.depth is not None and (ask.streams or 1) * ask.depth == 1
    return PresentWork(reads, ask.random, ask.streams, alone)


class MemberPart(NamedTuple):
    """Part of what all members of its array move."""

    point: float
    low: float
    """least, where md is free to read another copy"""
    high: float


@dataclass(frozen=True, slots=True)
class LoadSeen:
    """Bytes per second that one member moves, and that are expected of it."""

    seen: float
    expected: float
    low: float
    high: float

    @property
    def deviation(self) -> float:
        """How far it is from what is expected, as a share of that."""
        return self.seen / max(self.expected, 1.0) - 1

    @property
    def off(self) -> bool:
        """True outside of what md is free to do."""
        return not (1 - OFF) * self.low <= self.seen <= (1 + OFF) * self.high

    @property
    def words(self) -> str:
        """The deviation, `+4 %` or `-12 %`."""
        share = min(self.deviation, 9.99)
        return f"{'-' if round(100 * share) < 0 else '+'}{percent(abs(share), 0)}"


def parts_of(
    shape: ArrayShape, work: PresentWork, *, rotational: bool, serving: Sequence[float] = ()
) -> tuple[MemberPart, ...]:
    """The part of each member of one array, in role order; `serving`: the rate that each reads at by itself."""
    rates = MemberRates(0.0, 0.0, 0.0, 0.0, None, rotational, tuple(serving))
    ways: tuple[tuple[Direction, float], ...] = (("read", work.reads), ("write", 1 - work.reads))
    found = [MemberShare()] * shape.members
    for kind, weight in ways:
        if weight:
            asked = SpeedWork(kind, random=work.random, streams=work.streams)
            size = asked.request.size_bytes
            shares = member_shares(shape, asked, rates, work.streams, size, alone=work.alone)
            found = [_sum(one, two, weight) for one, two in zip(found, shares, strict=True)]
    total = sum(share.read + share.write for share in found)
    return tuple(
        MemberPart(*((read + share.write) / total for read in (share.read, share.read_low, share.read_high)))
        for share in found
    )


def _sum(one: MemberShare, two: MemberShare, weight: float) -> MemberShare:
    return MemberShare(*(first + weight * second for first, second in zip(one, two, strict=True)))


class ExpectedLoads:
    """Compares the members of a scene, whose arrays' `parts` are known, over the last ticks."""

    def __init__(self, scene: Scene, parts: Mapping[str, Sequence[MemberPart]]) -> None:
        """`parts` by kernel name of the array; those of another number of members than it has do not count."""
        self._arrays = [
            dict(zip(array.members, parts[array.name], strict=True))
            for array in scene.arrays
            if len(parts.get(array.name, ())) == len(array.members)
        ]
        self._moved: deque[dict[str, float]] = deque(maxlen=WINDOW)

    def add(self, tick: Tick) -> None:
        """Adds the next tick."""
        read, write = disk_figures(tick.disks, "read_bytes_per_s"), disk_figures(tick.disks, "write_bytes_per_s")
        self._moved.append(dict(zip(tick.disks, map(add, read, write), strict=True)))

    def now(self) -> dict[str, LoadSeen]:
        """The load of each member of the arrays that work, by kernel name."""
        found: dict[str, LoadSeen] = {}
        count = len(self._moved)
        for array in self._arrays:
            seen = {name: sum(each.get(name, 0.0) for each in self._moved) / max(count, 1) for name in array}
            total = sum(seen.values())
            if total >= _LEAST * len(array):
                found |= {
                    name: LoadSeen(seen[name], total * part.point, total * part.low, total * part.high)
                    for name, part in array.items()
                }
        return found
