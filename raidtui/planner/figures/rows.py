"""The answer about a design as rows: what `raidtui model` prints, and what the screen Design shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from raidtui.model.assumptions import Assumptions
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk
from raidtui.planner.figures.capacity import capacity_rows, full_stripe, survives, usable
from raidtui.planner.figures.layers import layer_rows
from raidtui.planner.figures.risk import cause_rows, domain_row, loss_in_a_year, risk_rows
from raidtui.planner.figures.row import FigureRow
from raidtui.planner.figures.speed import asked_rows, read_and_write, speed_rows


class FigureGroups(NamedTuple):
    """The rows of an accepted design, by what they are about."""

    capacity: tuple[FigureRow, ...]
    speed: tuple[FigureRow, ...]
    risk: tuple[FigureRow, ...]
    causes: tuple[FigureRow, ...]
    """the loss within a year by its causes"""
    layers: tuple[FigureRow, ...]
    asked: tuple[FigureRow, ...]


def figure_groups(
    prediction: Prediction, assumptions: Assumptions, disks: Sequence[Disk] | None = None
) -> FigureGroups:
    """All rows, as far as speed, risk and placement are predicted; `disks`: those available."""
    speed, risk, layout = prediction.throughput, prediction.durability, prediction.layout.layout
    return FigureGroups(
        capacity=capacity_rows(prediction, disks),
        speed=speed_rows(speed) if speed else (),
        risk=(
            *(risk_rows(layout, risk, assumptions) if risk else ()),
            *((domain_row(prediction.placement),) if prediction.placement else ()),
        ),
        causes=cause_rows(risk, assumptions) if risk else (),
        layers=(full_stripe(prediction), *layer_rows(prediction)),
        asked=tuple(row for answer in prediction.asked or () for row in asked_rows(answer)),
    )


def headline(prediction: Prediction, assumptions: Assumptions) -> tuple[FigureRow, ...]:
    """Usable size, failures survived, reading and writing, loss within a year, as far as they are predicted."""
    speed, risk = prediction.throughput, prediction.durability
    return (
        usable(prediction),
        survives(prediction.layout.layout),
        *((read_and_write(speed),) if speed else ()),
        *((loss_in_a_year(risk, assumptions),) if risk else ()),
    )
