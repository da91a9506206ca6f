"""Answers to stated workloads as text: rate and band, limit, what one request uses, what backs the figure."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.ask import AskedRate
from raidtui.planner.amounts import ends, iops, rate
from raidtui.planner.figures.band_width import width_driver_of, width_remedy_of


def asked_lines(answers: Sequence[AskedRate]) -> list[str]:
    """A block of lines per answer."""
    return [line for answer in answers for line in ("", *_lines(answer))]


def _lines(answer: AskedRate) -> list[str]:
    width = answer.high / max(answer.low, 1)
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
    return lines + [f"  {note}" for note in answer.notes]
