"""A layout with all its figures, their comparison with those of others, and the Pareto front with a sample of it.

Every objective is maximised. The sample is few layouts that cover the others within a tolerance, to fit a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt

from raidtui.values.amounts import LEAST_ODDS, RISK_ERROR
from raidtui.values.choices import WISHES, Outage, Wish
from raidtui.values.layout import Layout
from raidtui.values.notation import LayoutText
from raidtui.values.prediction import Durability, Prediction, either
from raidtui.values.proposal import Candidate, PickName, PickRule, layout_key
from raidtui.values.speed import UNKNOWN, Limit, Throughput

Vector = tuple[float, ...]


def pareto_front(vectors: Sequence[Vector]) -> list[int]:
    """Indices, ascending, of the layouts that no other dominates.

    One layout dominates another if it is at least as good in every objective and better in one: equal layouts do not
    dominate each other.
    """
    return [index for index, own in enumerate(vectors) if not any(dominates(other, own) for other in vectors)]


def dominates(one: Vector, other: Vector) -> bool:
    """True if `one` is at least as good in every objective and better in one."""
    return one != other and all(ours >= theirs for ours, theirs in zip(one, other, strict=True))


_NEVER_HOURS = 1e6

ERROR: dict[Wish, float] = {
    "capacity": 0.005, "read": 0.02, "write": 0.02, "random-read": 0.05, "random-write": 0.05, "rebuild": 0.05,
    "risk": RISK_ERROR, "cost": 0.02,
}  # fmt: skip
"""share by which a figure may be off between two layouts of the same disks: less is no difference"""


@dataclass(frozen=True, slots=True)
class Scored:
    """Any layout with every figure; losses are probabilities within a year."""

    layout: Layout
    text: LayoutText
    """the layout in canonical notation"""
    usable: int
    read: int
    write: int
    random_read: int
    random_write: int
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
    worst_loss: float
    """the same with correlated failures"""
    common_loss: float
    """the part of `enclosure_loss` that every layout on these disks bears: all of them are in one enclosure"""
    spares_enough: int
    """spares that suffice for its members"""
    outlives: tuple[Outage, ...]
    """kinds of domain of which data outlives any one"""
    cost: float | None

    @property
    def volume_loss(self) -> float:
        """Loss of a volume, by disks or an enclosure: what picks are chosen by. An unreadable sector costs a file."""
        return either(self.array_loss, self.enclosure_loss)

    @property
    def own_volume_loss(self) -> float:
        """The part of `volume_loss` that the choice of the layout decides."""
        return max(self.volume_loss - self.common_loss, 0.0)

    @property
    def own_loss(self) -> float:
        """The part of `loss` that the choice of the layout decides."""
        return max(self.loss - self.common_loss, 0.0)

    @property
    def vector(self) -> Vector:
        """The objectives of the front, larger is better.

        A level without rebuild ranks below the longest rebuild: only a backup restores it.
        """
        rebuild = -self.hours if self.hours > 0 else -inf
        speeds = map(float, (self.usable, self.read, self.write, self.random_read, self.random_write))
        return (*speeds, -self.loss, rebuild, -(self.cost or 0.0))


def as_scored(
    layout: Layout,
    prediction: Prediction,
    rates: Throughput,
    risk: Durability,
    outlives: tuple[Outage, ...],
    price: float | None,
    common_loss: float = 0.0,
) -> Scored:
    """`layout` with the figures of its prediction; `price`: of a disk."""
    return Scored(
        layout=layout,
        text=LayoutText(layout),
        usable=prediction.usable_bytes,
        read=rates.seq_read.bytes_per_s,
        write=rates.seq_write.bytes_per_s,
        random_read=rates.rand_read.iops,
        random_write=rates.rand_write.iops,
        read_limit=rates.seq_read.bottleneck,
        write_limit=rates.seq_write.bottleneck,
        hours=risk.rebuild_hours,
        rebuild_limit=UNKNOWN if risk.rebuild is None else risk.rebuild.limit,
        array_loss=risk.annual_array_loss_probability,
        sector_loss=risk.annual_sector_loss_probability,
        enclosure_loss=risk.annual_enclosure_loss_probability,
        loss=risk.any_loss_1y,
        worst_loss=risk.any_loss_1y_correlated,
        common_loss=common_loss,
        spares_enough=risk.spares_enough,
        outlives=outlives,
        cost=None if price is None else layout.disks * price,
    )


def log_objectives(scored: Scored) -> dict[Wish, float]:
    """The objectives as logarithms, larger is better: equal steps are equal ratios; tiny losses count as equal."""
    found: dict[Wish, float] = {
        "capacity": log(scored.usable),
        "read": log(max(scored.read, 1)),
        "write": log(max(scored.write, 1)),
        "random-read": log(max(scored.random_read, 1)),
        "random-write": log(max(scored.random_write, 1)),
        "risk": -log(max(scored.own_loss, LEAST_ODDS)),
        "rebuild": -log(scored.hours) if scored.hours > 0 else -log(_NEVER_HOURS),
    }
    if scored.cost is not None:
        found["cost"] = -log(max(scored.cost, 1e-9))
    return found


def clearly_better(scored: Scored, other: Scored) -> list[Wish]:
    """The objectives in which `scored` is better than `other` by more than the error."""
    own, others = log_objectives(scored), log_objectives(other)
    return [wish for wish in WISHES if wish in own and own[wish] >= others[wish] + log(1 + ERROR[wish])]


def distance(scored: Scored, other: Scored) -> float:
    """Distance of two layouts in log objectives; the loss has a weight of a quarter, since it spans decades."""
    own, others = log_objectives(scored), log_objectives(other)
    return sqrt(sum(((own[wish] - others[wish]) / (4 if wish == "risk" else 1)) ** 2 for wish in own))


def candidate(
    scored: Scored,
    *,
    on_front: bool = False,
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
        rand_read_iops=scored.random_read,
        rand_write_iops=scored.random_write,
        annual_array_loss_probability=scored.array_loss,
        annual_sector_loss_probability=scored.sector_loss,
        annual_enclosure_loss_probability=scored.enclosure_loss,
        any_loss_1y=scored.loss,
        any_loss_1y_correlated=scored.worst_loss,
        rebuild_hours=scored.hours,
        spares=scored.layout.spares,
        spares_enough=scored.spares_enough,
        disks=scored.layout.disks,
        outlives=scored.outlives,
        read_bottleneck=scored.read_limit,
        write_bottleneck=scored.write_limit,
        cost=scored.cost,
        on_front=on_front,
        shown=shown,
        picks=picks,
        breaks=breaks,
        asked=asked,
    )


MOST_SHOWN = 24
"""rows that fit a screen"""
_TOLERANCES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
LOSS_STEPS = 20
"""a tolerance of 5 % in room, speed and rebuild goes with 20 times that in the loss: a factor 2"""


def representative_sample(
    layouts: Sequence[Scored], kept: Sequence[Scored], rank: Callable[[Scored], float]
) -> tuple[list[Scored], float]:
    """The sample of `layouts`, and the tolerance needed to fit it on a screen.

    Each of `layouts` has one among them that is no worse than it by more than the tolerance in any objective. `kept`
    stand in any case; the others are tried in the order of `rank`, least first.
    """
    order = sorted(layouts, key=lambda scored: (rank(scored), layout_key(scored.layout)))
    texts = {scored.text for scored in kept}
    order = [scored for scored in order if scored.text in texts] + [
        scored for scored in order if scored.text not in texts
    ]
    known = {scored.text: log_objectives(scored) for scored in order}
    for tolerance in _TOLERANCES:
        steps = _steps(tolerance)
        standing: list[Scored] = []
        for scored in order:
            own = known[scored.text]
            if scored.text in texts or not any(_covers(known[other.text], own, steps) for other in standing):
                standing.append(scored)
        if len(standing) <= max(MOST_SHOWN, len(texts)):
            break
    return standing, tolerance


def _steps(tolerance: float) -> dict[Wish, float]:
    step = log(1 + tolerance)
    return {
        "capacity": step, "read": step, "write": step, "random-read": step, "random-write": step, "rebuild": step,
        "cost": step, "risk": log(1 + LOSS_STEPS * tolerance),
    }  # fmt: skip


def _covers(one: dict[Wish, float], other: dict[Wish, float], steps: dict[Wish, float]) -> bool:
    return all(one[wish] >= other[wish] - steps[wish] for wish in other)
