"""Answers to stated workloads as text: rate and band, limit, what one request uses, what backs the figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from raidtui.model.ask import AskedRate, MemberLoad
from raidtui.model.by_key import by_key
from raidtui.model.counted import counted
from raidtui.model.units import exact_binary
from raidtui.planner.amounts import amount, amounts, ends, iops, rate, with_band
from raidtui.planner.figures.band_width import width_driver_of, width_remedy_of

if TYPE_CHECKING:
    from raidtui.model.bench import Unit

_MOST_WIDTH = 10
"""a band whose ends differ by more is no prediction"""


_MOST_ROLES = 8


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
        lines = [f"asked: {answer.ask}", f"  {measured}", *_width_lines(answer), f"  held against: {answer.evidence}"]
        return [*lines, *_notes(answer), *_bitmap_lines(answer)]
    if not answer.high:
        return [f"asked: {answer.ask}", f"  nothing: {answer.ceilings[0].formula}"]
    width = _width(answer)
    figures = [f"{rate(answer.bytes_per_s)} ({ends(answer.bytes_per_s, answer.low, answer.high, 'B/s')}, x{width:.1f})"]
    if answer.requests_per_s:
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
    lines += [*_width_lines(answer), f"  held against: {answer.evidence}"]
    return [*lines, *_member_lines(answer.members), *_notes(answer), *_bitmap_lines(answer)]


def _width_lines(answer: AskedRate) -> list[str]:
    """What widens the band most."""
    found = answer.spread
    return [] if found is None else [f"  width: {width_driver_of(found)}: {width_remedy_of(found)}"]


def _bitmap_lines(answer: AskedRate) -> list[str]:
    """A line for the bitmaps that give the same: `with a bitmap of 64 MiB, 256 MiB: 94.6 IOPS (11.2-104 IOPS)`."""
    alike: dict[str, list[str]] = {}
    size = answer.size_bytes or 1
    unit: Unit = "IOPS" if answer.size_bytes else "B/s"
    for found in answer.bitmaps:
        value, low, high = (each / size for each in (found.bytes_per_s, found.low, found.high))
        text = with_band(value, low, high, unit)
        if high > _MOST_WIDTH * low:
            text = f"not predicted, {amount(low, unit)} to {amount(high, unit)}"
        alike.setdefault(text, []).append(exact_binary(found.chunk_bytes) if found.chunk_bytes else "none")
    return [f"  with bitmap {', '.join(chunks)}: {text}" for text, chunks in alike.items()]


def _member_lines(members: Sequence[MemberLoad]) -> list[str]:
    """A line for the members of each array that have the same load."""
    alike = by_key((", ".join(_loads(load)) or "idle", load) for load in members)
    arrays = len({load.array for load in members})
    lines = []
    for text, loads in alike.items():
        roles = sorted({load.member for load in loads})
        which = "each member" if len(loads) == len(members) else f"{counted(len(loads), 'member')} of {len(members)}"
        if len(alike) > 1 and len(loads) == len(roles) * arrays and len(roles) <= _MOST_ROLES:
            each = " of each array" if arrays > 1 else ""
            which = f"member{'s' * (len(roles) > 1)} {', '.join(map(str, roles))}{each}"
        lines.append(f"  {which}: {text}")
    return lines


def _loads(load: MemberLoad) -> list[str]:
    """`reads 45.1 MB/s (0 to 90.2 MB/s, as md chooses copies)`, `writes 448 kB/s, 109 IOPS`."""
    found = []
    if load.read_bytes_per_s or load.read_high:
        free = load.read_low < load.read_high
        band = f" ({amounts((load.read_low, load.read_high), 'B/s', ' to ')}, as md chooses copies)" if free else ""
        found.append(f"reads {rate(load.read_bytes_per_s)}{_in_requests(load.reads_per_s)}{band}")
    if load.write_bytes_per_s:
        found.append(f"writes {rate(load.write_bytes_per_s)}{_in_requests(load.writes_per_s)}")
    return found


def _in_requests(per_s: int | None) -> str:
    return "" if per_s is None else f", {iops(per_s)}"


def _notes(answer: AskedRate) -> list[str]:
    return [f"  {note}" for note in answer.notes]
