"""Answers to stated workloads as text: rate and band, limit, what one request uses, what backs the figure."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.ask import AskedRate
from raidtui.planner.amounts import amounts, ends, iops, rate
from raidtui.planner.figures.band_width import width_driver_of, width_remedy_of

_MOST_WIDTH = 10
"""a band whose ends differ by more is no prediction"""


def asked_lines(answers: Sequence[AskedRate]) -> list[str]:
    """A block of lines per answer."""
    return [line for answer in answers for line in ("", *_lines(answer))]


def is_predicted(answer: AskedRate) -> bool:
    """False where the band is too wide for a prediction."""
    return _width(answer) <= _MOST_WIDTH


def _width(answer: AskedRate) -> float:
    return answer.high / max(answer.low, 1)


def _lines(answer: AskedRate) -> list[str]:
    if not is_predicted(answer):
        band = amounts((answer.low, answer.high), "B/s", " to ")
        measured = f"not predicted, somewhere from {band}: raidtui bench measures it"
        return [f"asked: {answer.ask}", f"  {measured}", f"  held against: {answer.evidence}", *_notes(answer)]
    width = _width(answer)
    figures = [f"{rate(answer.bytes_per_s)} ({ends(answer.bytes_per_s, answer.low, answer.high, 'B/s')}, x{width:.1f})"]
    if answer.requests_per_s is not None:
        figures.append(iops(answer.requests_per_s))
    if answer.ask.streams is not None and answer.ask.streams > 1:
        figures.append(f"{rate(round(answer.bytes_per_s / answer.ask.streams))} each")
    if answer.latency_s is not None:
        figures.append(f"{1e3 * answer.latency_s:.3g} ms a request")
    lines = [f"asked: {answer.ask}", f"  {', '.join(figures)}"]
    limit = answer.ceilings[0]
    lines.append(f"  limit: {answer.bottleneck}: {limit.formula}" + (f"; {limit.remedy}" if limit.remedy else ""))
    if answer.touches:
        lines.append(f"  a request uses {answer.touches}")
    if answer.spread is not None:
        lines.append(f"  width: {width_driver_of(answer.spread)}: {width_remedy_of(answer.spread)}")
    lines.append(f"  held against: {answer.evidence}")
    return [*lines, *_notes(answer)]


def _notes(answer: AskedRate) -> list[str]:
    return [f"  {note}" for note in answer.notes]
