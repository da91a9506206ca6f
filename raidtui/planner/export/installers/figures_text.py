"""Figures of a loss as text: `sequential write 4.9 -> 4.4 GB/s`."""

from __future__ import annotations

from raidtui.model.export import AttributeCarriage, FigureChange
from raidtui.model.units import binary_size, grouped
from raidtui.planner.amounts import amounts, iops, rate
from raidtui.planner.numbers import hours, odds


def change_text(change: FigureChange) -> str:
    """One figure, as planned and as built."""
    planned, built = (_figure(change, value) for value in (change.planned, change.built))
    if planned == built and change.unit == "bytes":
        planned, built = (f"{grouped(int(value))} bytes" for value in (change.planned, change.built))
    if change.unit == "bytes/s":
        return f"{change.figure} {amounts((change.planned, change.built), 'B/s', ' -> ')}"
    return f"{change.figure} {planned} -> {built}"


def lost_text(loss: AttributeCarriage) -> str:
    """`chunk (256 KiB) becomes 512 KiB: sequential write 4.9 -> 4.4 GB/s. REASON`."""
    figures = ", ".join(change_text(change) for change in loss.figures)
    if loss.modelled and not figures:
        figures = "no predicted figure differs by 1 %"
    text = f"{loss.attribute} ({loss.planned}) becomes {loss.built}"
    return f"{text}: {figures}. {loss.reason}" if figures else f"{text}. {loss.reason}"


def _figure(change: FigureChange, value: float) -> str:
    match change.unit:
        case "bytes/s":
            return rate(value)
        case "1/s":
            return iops(value)
        case "bytes":
            return binary_size(round(value))
        case "hours":
            return hours(value) if value else "none"
        case "probability":
            return odds(value)
