"""The four figures at the top of Design: room, failures survived, speed, loss. Nothing here draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.model.durability import Durability
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk
from raidtui.model.layout import AnyLayout
from raidtui.model.speed import Throughput
from raidtui.planner.figures.capacity import capacity_rows, survives, usable
from raidtui.planner.figures.risk import loss_in_a_year
from raidtui.planner.figures.row import FigureRow
from raidtui.planner.figures.speed import read_and_write
from raidtui.planner.numbers import at_worst, odds
from raidtui.tui.state.outcome import DesignOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadlineFigure:
    """One of the four figures."""

    result: FigureRow
    """its name, meaning and derivation, and the number to compare with a saved design"""
    before: str = ""
    """words before the number: `1 in`"""
    number: str = ""
    """the number itself, which is shown large where there is room; empty if words say it all"""
    after: str = ""
    """its unit, or all of its words"""
    details: tuple[str, ...] = ()
    """the line below, the longest text first"""

    @property
    def text(self) -> str:
        """The figure in one line."""
        return " ".join(part for part in (self.before, self.number, self.after) if part)


def answers(outcome: DesignOutcome) -> tuple[HeadlineFigure, ...]:
    """The four figures of a design; none of a refused one."""
    prediction = outcome.prediction
    if not prediction.arrays:
        return ()
    speed, risk = outcome.throughput, outcome.durability
    return (
        _room(prediction, outcome.disks),
        _survives(outcome.decision.design.layout),
        *((_speed(speed),) if speed else ()),
        *((_loss(risk, outcome),) if risk else ()),
    )


def _room(prediction: Prediction, disks: Sequence[Disk]) -> HeadlineFigure:
    room = usable(prediction)
    number, _, unit = room.value.rpartition(" ")
    share = capacity_rows(prediction, disks)[0].value
    return HeadlineFigure(result=room, number=number, after=unit, details=(f"{share} of raw", f"{share} raw"))


def _survives(layout: AnyLayout) -> HeadlineFigure:
    result = survives(layout)
    if not layout.survives:
        return HeadlineFigure(result=result, after=result.value, details=("one loses data", "one ends it"))
    before, number, after = result.value.split()
    details = ("of each array", "each array") if layout.arrays > 1 else ("of the array", "the array")
    return HeadlineFigure(result=result, before=before, number=number, after=after, details=details)


def _speed(speed: Throughput) -> HeadlineFigure:
    read, write = speed.seq_read, speed.seq_write
    result = read_and_write(speed)
    number, _, unit = result.value.rpartition(" ")
    limits = (read.bottleneck.short, write.bottleneck.short)
    words = dict.fromkeys(limit or "unknown" for limit in limits)
    return HeadlineFigure(
        result=result, number=number, after=unit, details=(" / ".join(words), next(iter(words))),
    )  # fmt: skip


def _loss(risk: Durability, outcome: DesignOutcome) -> HeadlineFigure:
    result = loss_in_a_year(risk, outcome.decision.assumptions)
    before, one_in, number = result.value.rpartition("1 in ")
    details = _beside(risk)
    if not one_in:
        return HeadlineFigure(result=result, after=result.value, details=details)
    return HeadlineFigure(result=result, before=f"{before}1 in", number=number, details=details)


def _beside(risk: Durability) -> tuple[str, ...]:
    """The line below the loss: the figure to plan with, and the part of the disks."""
    worst = at_worst(risk.any_loss_1y, risk.any_loss_1y_correlated)
    if not risk.annual_enclosure_loss_probability:
        return (*worst, "by cause: F1")
    disks = f"by disks {odds(risk.disks_loss_1y)}"
    return ("; ".join((*worst, disks)), *worst, disks, "by cause: F1")


def saved_numbers(figures: Sequence[HeadlineFigure]) -> dict[str, float]:
    """Numbers of a saved design's figures, by name."""
    return {figure.result.title: figure.result.number for figure in figures if figure.result.number is not None}
