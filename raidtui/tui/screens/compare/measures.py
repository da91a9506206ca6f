"""Measures of layouts: each is a column of the table and an axis of the scatter plot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from raidtui.model.proposal import Candidate
from raidtui.model.units import TIB
from raidtui.planner.numbers import hours, one_in

GB = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """One measure of a candidate."""

    key: str
    title: str
    """column heading"""
    axis: str
    """axis label with unit"""
    value: Callable[[Candidate], float]
    text: Callable[[float], str]
    """a value as short text"""
    log: bool = False
    """True if factors matter more than differences"""
    more: bool = True
    """True if more is better"""

    def merit(self, candidate: Candidate) -> float:
        """The value with larger as better; no rebuild at all is worse than the longest rebuild."""
        value = self.value(candidate)
        if self.key == "rebuild" and value == 0:
            return -math.inf
        return value if self.more else -value


def loss(candidate: Candidate) -> float:
    """Probability of data loss by disks within a year: what differs between layouts."""
    return candidate.disks_loss_1y


def loss_base(chance: float) -> str:
    """The N of a loss `1 in N`, in seven cells: `24 000`, `1.7M`; `none` for 0."""
    return one_in(chance) if chance > 0 else "none"


def _room(value: float) -> str:
    """Five cells: `0.38`, `86.71`, `872.9`, `1241`."""
    return f"{value:.2f}" if value < 99.995 else f"{value:.1f}" if value < 999.95 else f"{value:.0f}"


def _rate(value: float) -> str:
    """Four cells: `0.38`, `5.21`, `12.3`, `120`."""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def _time(value: float) -> str:
    """Seven cells: `12 h`, `7.3 d`, `never`."""
    return hours(value).replace(" days", " d")


def _whole(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ")


USABLE = Ranking(
    key="usable", title="TiB", axis="usable TiB", value=lambda found: found.usable_bytes / TIB, text=_room,
)  # fmt: skip
READ = Ranking(
    key="read", title="read", axis="read GB/s", value=lambda found: found.seq_read_bytes_per_s / GB, text=_rate
)
WRITE = Ranking(
    key="write", title="write", axis="write GB/s", value=lambda found: found.seq_write_bytes_per_s / GB, text=_rate
)
LOSS = Ranking(
    key="loss", title="loss 1 in", axis="loss a year (1 in ...)", value=loss, text=loss_base, log=True, more=False
)
REBUILD = Ranking(
    key="rebuild", title="rebuild", axis="rebuild", value=lambda found: found.rebuild_hours, text=_time, more=False
)
SPARES = Ranking(key="spares", title="sp", axis="spares", value=lambda found: found.spares, text=_whole)
COST = Ranking(key="cost", title="cost", axis="cost", value=lambda found: found.cost or 0.0, text=_whole, more=False)
MEASURES = (USABLE, READ, WRITE, REBUILD, LOSS, SPARES, COST)
