"""A judged layout: its figures in full, how they compare with others', and the value that leaves for outside."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt

from raidtui.model.choices import WISHES, Wish
from raidtui.model.layout import Layout
from raidtui.model.limit import Limit
from raidtui.model.notation import show
from raidtui.model.proposal import Candidate, PickName
from raidtui.planner.numbers import LEAST_ODDS
from raidtui.planner.search.pareto import Vector

_NEVER_HOURS = 1e6

CLEARLY: dict[Wish, float] = {
    "capacity": log(1.02), "read": log(1.02), "write": log(1.02), "rebuild": log(1.05), "risk": log(1.25),
    "cost": log(1.02),
}  # fmt: skip
"""how much more is worth a word: 2 % of room, speed and money, 5 % of a rebuild, a quarter of the loss"""


@dataclass(frozen=True, slots=True)
class Offer:
    """One layout with every figure."""

    layout: Layout
    usable: int
    read: int
    write: int
    read_limit: Limit
    write_limit: Limit
    hours: float
    """of a rebuild; 0 where the level rebuilds nothing"""
    rebuild_limit: Limit
    array_loss: float
    sector_loss: float
    cost: float | None

    @property
    def loss(self) -> float:
        """Chance of array or sector loss in a year, added up to at most 1."""
        return min(1.0, self.array_loss + self.sector_loss)

    @property
    def text(self) -> str:
        """Canonical notation."""
        return show(self.layout)

    @property
    def vector(self) -> Vector:
        """The objectives, larger is better."""
        return vector(self.usable, self.read, self.write, self.loss, self.hours, self.cost)


def vector(usable: int, read: int, write: int, loss: float, hours: float, cost: float | None) -> Vector:
    """The objectives of the front, larger is better: room, read, write, loss, rebuild, and cost where disks have one.

    What never rebuilds is worse than the longest rebuild: only a backup brings it back.
    """
    figures = (float(usable), float(read), float(write), -loss, -hours if hours > 0 else -inf)
    return figures if cost is None else (*figures, -cost)


def merits(offer: Offer) -> dict[Wish, float]:
    """The objectives as logarithms, larger is better: equal steps are equal ratios; tiny losses are alike."""
    found: dict[Wish, float] = {
        "capacity": log(offer.usable),
        "read": log(max(offer.read, 1)),
        "write": log(max(offer.write, 1)),
        "risk": -log(max(offer.loss, LEAST_ODDS)),
        "rebuild": -log(offer.hours) if offer.hours > 0 else -log(_NEVER_HOURS),
    }
    if offer.cost is not None:
        found["cost"] = -log(max(offer.cost, 1e-9))
    return found


def clearly_better(offer: Offer, other: Offer) -> list[Wish]:
    """The objectives in which `offer` is worth a word more than `other`."""
    own, others = merits(offer), merits(other)
    return [wish for wish in WISHES if wish in own and own[wish] >= others[wish] + CLEARLY[wish]]


def apart(offer: Offer, other: Offer) -> float:
    """How unlike two offers are: the distance of their merits, a loss counting a quarter, since it spans decades."""
    own, others = merits(offer), merits(other)
    return sqrt(sum(((own[wish] - others[wish]) / (4 if wish == "risk" else 1)) ** 2 for wish in own))


def candidate(offer: Offer, *, on_front: bool, shown: bool = False, picks: tuple[PickName, ...] = ()) -> Candidate:
    """The offer as it leaves for outside."""
    return Candidate(
        layout=offer.text,
        usable_bytes=offer.usable,
        seq_read_bytes_per_s=offer.read,
        seq_write_bytes_per_s=offer.write,
        annual_array_loss_probability=offer.array_loss,
        annual_sector_loss_probability=offer.sector_loss,
        rebuild_hours=offer.hours,
        spares=offer.layout.spares,
        disks=offer.layout.disks,
        read_bottleneck=offer.read_limit,
        write_bottleneck=offer.write_limit,
        cost=offer.cost,
        on_front=on_front,
        shown=shown,
        picks=picks,
    )
