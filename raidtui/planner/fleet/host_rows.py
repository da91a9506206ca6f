"""The hosts of a tick as rows, the worst first: what is to be seen to, then what runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from raidtui.model.counted import counted
from raidtui.model.fleet.gauges import FleetTick, HostCondition, HostGauges
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.gauges import Gauge
from raidtui.model.safe import safe
from raidtui.planner.amounts import percent
from raidtui.planner.fleet.host_rates import total_gauge
from raidtui.planner.fleet.slow_hosts import SlowHosts
from raidtui.planner.gauges.slow_disks import Laggard

_ORDER = {condition: number for number, condition in enumerate(get_args(HostCondition))}
_LONGEST = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRow:
    """One host."""

    host: str
    condition: HostCondition
    disks: int | None
    """number of its disks; None until it answered"""
    total: Gauge | None
    """all its disks together (`total_gauge`): its last figures; None until it answered twice"""
    age_s: float | None
    """of the figures; 0 where they are of this tick"""
    problem: HostProblem | None
    slow: Laggard | None
    """how far it is below its peers"""
    slow_disks: Sequence[Laggard]
    missing: int
    """members that its arrays lack"""
    syncs: int
    """arrays that sync"""

    @property
    def stale(self) -> bool:
        """True if the figures are not of this tick."""
        return self.age_s != 0

    @property
    def sentence(self) -> str:
        """What is to be known beside the figures; empty where all is well."""
        parts = []
        if self.problem is not None:
            since = f" for {self.age_s:.0f} s" if self.age_s else ""
            parts.append(f"no answer{since}: {safe(self.problem.sentence, longest=_LONGEST)}")
        elif self.condition == "first answer":
            parts.append("answered once")
        if self.slow is not None:
            parts.append(f"{percent(self.slow.share)} below its peers for {self.slow.seconds:.0f} s")
        if self.missing:
            parts.append(f"{counted(self.missing, 'member')} missing")
        if self.slow_disks:
            worst = self.slow_disks[0]
            parts.append(
                f"{counted(len(self.slow_disks), 'slow disk')}, {safe(worst.name)} {percent(worst.share)} below"
            )
        if self.syncs:
            parts.append(f"{counted(self.syncs, 'array')} in sync")
        return "; ".join(parts)


def host_rows(tick: FleetTick, slow: SlowHosts) -> list[HostRow]:
    """Every host of `tick`, the worst first, those in one condition by how far they are behind, then in their order."""
    behind = slow.hosts()
    rows = [_row(gauges, behind.get(host), slow.disks(host)) for host, gauges in tick.hosts.items()]
    return sorted(rows, key=lambda row: (_ORDER[row.condition], -_share(row)))


def _share(row: HostRow) -> float:
    if row.slow is not None:
        return row.slow.share
    return row.slow_disks[0].share if row.slow_disks else 0.0


def _row(gauges: HostGauges, slow: Laggard | None, slow_disks: Sequence[Laggard]) -> HostRow:
    arrays = list(gauges.tick.arrays.values()) if gauges.tick is not None else []
    missing = sum(array.degraded for array in arrays)
    condition: HostCondition = (
        "no answer" if gauges.problem is not None
        else "slow" if slow is not None
        else "degraded" if missing
        else "slow disks" if slow_disks
        else "running" if gauges.tick is not None
        else "first answer"
    )  # fmt: skip
    return HostRow(
        host=gauges.host,
        condition=condition,
        disks=len(gauges.scene.disks) if gauges.scene is not None else None,
        total=total_gauge(gauges.tick.disks) if gauges.tick is not None else None,
        age_s=gauges.age_s,
        problem=gauges.problem,
        slow=slow,
        slow_disks=slow_disks,
        missing=missing,
        syncs=sum(array.sync_done is not None for array in arrays),
    )
