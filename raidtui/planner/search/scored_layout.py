"""A layout with all its figures, their comparison with those of others, and its conversion to a Candidate."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt

from raidtui.model.choices import WISHES, Wish
from raidtui.model.durability import either
from raidtui.model.layout import AnyLayout
from raidtui.model.limit import Limit
from raidtui.model.proposal import Candidate, PickName, PickRule
from raidtui.model.text_values import LayoutText
from raidtui.planner.numbers import LEAST_ODDS
from raidtui.planner.search.pareto import Vector

_NEVER_HOURS = 1e6

CLEARLY: dict[Wish, float] = {
    "capacity": log(1.02), "read": log(1.02), "write": log(1.02), "rebuild": log(1.05), "risk": log(1.25),
    "cost": log(1.02),
}  # fmt: skip
"""least noteworthy difference: 2 % of capacity, speed and cost, 5 % of rebuild time, a quarter of the loss"""


@dataclass(frozen=True, slots=True)
class Scored:
    """Any layout with every figure; losses are probabilities within a year."""

    layout: AnyLayout
    text: LayoutText
    """the layout in canonical notation"""
    usable: int
    read: int
    write: int
    read_limit: Limit
    write_limit: Limit
    hours: float
    """rebuild time; 0 for a level without redundancy"""
    rebuild_limit: Limit
    array_loss: float
    sector_loss: float
    enclosure_loss: float
    loss: float
    """of any of these causes"""
    common_loss: float
    """the part of `enclosure_loss` that every layout on these disks bears: all of them are in one enclosure"""
    cost: float | None

    @property
    def disks_loss(self) -> float:
        """The loss without enclosure outages, which is shown first."""
        return either(self.array_loss, self.sector_loss)

    @property
    def own_loss(self) -> float:
        """The loss that the choice of the layout decides."""
        return max(self.loss - self.common_loss, 0.0)

    @property
    def vector(self) -> Vector:
        """The objectives of the front; larger is better."""
        return vector(self.usable, self.read, self.write, self.loss, self.hours, self.cost)


def vector(usable: int, read: int, write: int, loss: float, hours: float, cost: float | None) -> Vector:
    """The objectives of the front, larger is better: capacity, read, write, loss, rebuild, and cost if priced.

    A level without rebuild ranks below the longest rebuild: only a backup restores it.
    """
    figures = (float(usable), float(read), float(write), -loss, -hours if hours > 0 else -inf)
    return figures if cost is None else (*figures, -cost)


def log_objectives(scored: Scored) -> dict[Wish, float]:
    """The objectives as logarithms, larger is better: equal steps are equal ratios; tiny losses count as equal."""
    found: dict[Wish, float] = {
        "capacity": log(scored.usable),
        "read": log(max(scored.read, 1)),
        "write": log(max(scored.write, 1)),
        "risk": -log(max(scored.own_loss, LEAST_ODDS)),
        "rebuild": -log(scored.hours) if scored.hours > 0 else -log(_NEVER_HOURS),
    }
    if scored.cost is not None:
        found["cost"] = -log(max(scored.cost, 1e-9))
    return found


def clearly_better(scored: Scored, other: Scored) -> list[Wish]:
    """The objectives in which `scored` is noticeably better than `other`."""
    own, others = log_objectives(scored), log_objectives(other)
    return [wish for wish in WISHES if wish in own and own[wish] >= others[wish] + CLEARLY[wish]]


def distance(scored: Scored, other: Scored) -> float:
    """Distance of two layouts in log objectives; the loss has a weight of a quarter, since it spans decades."""
    own, others = log_objectives(scored), log_objectives(other)
    return sqrt(sum(((own[wish] - others[wish]) / (4 if wish == "risk" else 1)) ** 2 for wish in own))


def candidate(
    scored: Scored,
    *,
    on_front: bool,
    shown: bool = False,
    picks: tuple[PickName, ...] = (),
    breaks: PickRule | None = None,
    asked: bool = False,
) -> Candidate:
    """The layout as a Candidate of the proposal."""
    return Candidate(
        layout=scored.text,
        usable_bytes=scored.usable,
        seq_read_bytes_per_s=scored.read,
        seq_write_bytes_per_s=scored.write,
        annual_array_loss_probability=scored.array_loss,
        annual_sector_loss_probability=scored.sector_loss,
        annual_enclosure_loss_probability=scored.enclosure_loss,
        any_loss_1y=scored.loss,
        rebuild_hours=scored.hours,
        spares=scored.layout.spares,
        disks=scored.layout.disks,
        read_bottleneck=scored.read_limit,
        write_bottleneck=scored.write_limit,
        cost=scored.cost,
        on_front=on_front,
        shown=shown,
        picks=picks,
        breaks=breaks,
        asked=asked,
    )
