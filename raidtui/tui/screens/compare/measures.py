"""Measures of layouts: each is a column of the table and an axis of the scatter plot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from raidtui.model.proposal import Candidate
from raidtui.model.units import TIB
from raidtui.planner.amounts import known_iops, rate_figure
from raidtui.planner.numbers import hours, odds_base

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


def _room(value: float) -> str:
    """Five cells: `0.38`, `86.71`, `872.9`, `1241`."""
    return f"{value:.2f}" if value < 99.995 else f"{value:.1f}" if value < 999.95 else f"{value:.0f}"


def _operations(value: float) -> str:
    """Five cells: `812`, `3.60k`, `1.25M`."""
    return known_iops(value).removesuffix(" IOPS")


def _time(value: float) -> str:
    """Seven cells: `12 h`, `7.3 d`, `never`."""
    return hours(value).replace(" days", " d")


def _whole(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ")


USABLE = Ranking(
    key="usable", title="TiB", axis="usable TiB", value=lambda found: found.usable_bytes / TIB, text=_room,
)  # fmt: skip
READ = Ranking(
    key="read", title="read", axis="read GB/s", value=lambda found: found.seq_read_bytes_per_s / GB, text=rate_figure
)
WRITE = Ranking(
    key="write",
    title="write",
    axis="write GB/s",
    value=lambda found: found.seq_write_bytes_per_s / GB,
    text=rate_figure,
)
RANDOM_READ = Ranking(
    key="random-read",
    title="r4k",
    axis="random read IOPS",
    value=lambda found: found.rand_read_iops,
    text=_operations,
    log=True,
)
RANDOM_WRITE = Ranking(
    key="random-write",
    title="w4k",
    axis="random write IOPS",
    value=lambda found: found.rand_write_iops,
    text=_operations,
    log=True,
)
LOSS = Ranking(
    key="loss",
    title="loss 1 in",
    axis="loss a year (1 in ...)",
    value=lambda found: found.any_loss_1y,
    text=odds_base,
    log=True,
    more=False,
)
ARRAY = Ranking(
    key="array",
    title="array",
    axis="array loss (1 in ...)",
    value=lambda found: found.annual_array_loss_probability,
    text=odds_base,
    log=True,
    more=False,
)
SECTOR = Ranking(
    key="sector",
    title="sector",
    axis="sector loss (1 in ...)",
    value=lambda found: found.annual_sector_loss_probability,
    text=odds_base,
    log=True,
    more=False,
)
WORST = Ranking(
    key="worst",
    title="worst",
    axis="loss at worst (1 in ...)",
    value=lambda found: found.any_loss_1y_correlated,
    text=odds_base,
    log=True,
    more=False,
)
REBUILD = Ranking(
    key="rebuild", title="rebuild", axis="rebuild", value=lambda found: found.rebuild_hours, text=_time, more=False
)
SPARES = Ranking(key="spares", title="sp", axis="spares", value=lambda found: found.spares, text=_whole)
COST = Ranking(key="cost", title="cost", axis="cost", value=lambda found: found.cost or 0.0, text=_whole, more=False)
MEASURES = (USABLE, READ, WRITE, RANDOM_READ, RANDOM_WRITE, REBUILD, LOSS, ARRAY, SECTOR, WORST, SPARES, COST)
RISKS = (LOSS, ARRAY, SECTOR, WORST)
"""probabilities of a loss within a year"""
