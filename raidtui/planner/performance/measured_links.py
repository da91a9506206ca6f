"""Shared links of which this machine's disks were read at once: their capacity after that."""

from __future__ import annotations

from raidtui.model.limit import Limit
from raidtui.model.machine_figures import MachineFigures, MeasuredLink
from raidtui.model.safe import safe
from raidtui.planner.performance.link_capacity import LinkCapacity
from raidtui.planner.performance.posterior import Belief, cut_off, replaced


def updated_capacity(guess: LinkCapacity | None, found: MeasuredLink | None) -> LinkCapacity | None:
    """The capacity of a link after all its disks were read at once; `guess` is None where its rate was not known."""
    if found is None:
        return guess
    words = f"{len(found.disks)} disks at once on {when(found.day, found.kernel)}"
    if not found.at_least:
        own = replaced(found.bytes_per_s, found.error)
        return LinkCapacity(own.point, own.low, own.high, "measured", f"read by {words}")
    if guess is None:
        return None
    least = found.bytes_per_s / found.error
    own = cut_off(Belief(guess.point, guess.low, guess.high), least)
    if (own.point, own.low, own.high) == (guess.point, guess.low, guess.high):
        return guess
    if guess.source == "sysfs":  # the upper end of what is known of such links stays
        high = max(guess.high, least)
        own = Belief(min(own.point, high), min(own.low, high), min(own.high, high))
    formula = f"{guess.formula}; {words} read more than its lower end"
    return LinkCapacity(own.point, own.low, own.high, guess.source, formula, guess.unknown)


def links_by_limit(figures: MachineFigures) -> dict[Limit, MeasuredLink]:
    """The measured links by name."""
    return {each.limit: each for each in figures.links}


def when(day: str, kernel: str) -> str:
    """`2026-01-31, kernel 6.1.0`; texts of a file, made safe to show."""
    return f"{safe(day)}, kernel {safe(kernel)}" if kernel else safe(day)
