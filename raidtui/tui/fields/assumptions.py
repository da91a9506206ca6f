"""The fields of what the models take for granted: disk speed, failure rates, restocking, rebuild load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from raidtui.model.assumptions import DEFAULTS, Assumptions, out_of_range
from raidtui.model.speed import DiskSpeed
from raidtui.model.units import parse_rate, parse_share
from raidtui.tui.fields.field import Field, named
from raidtui.tui.state.decision import Decision
from raidtui.tui.widgets.rate_text import rate_text

AFRS = (0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.1)
URES = (1e-17, 1e-16, 3e-16, 1e-15, 1e-14)
RESTOCK_DAYS = (1.0, 3.0, 7.0, 14.0, 30.0, 60.0, 90.0, 180.0, 365.0)
SYNC_LIMITS = (50_000_000, 100_000_000, 204_800_000, 400_000_000, 1_000_000_000, 4_000_000_000)
OUTAGES = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1)
CORRELATIONS = (1.0, 3.0, 10.0, 30.0, 100.0)
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)


def placement_field(decision: Decision) -> Field:
    """Which disk becomes a member of which array."""
    return named(
        "placement", "Placement", "spread" if decision.spread else "in order", ("in order", "spread"),
        change=lambda value: replace(decision, spread=value == "spread"),
        about="Which disk goes to which array: in order takes them as the inventory lists them, spread deals every "
        "array over enclosures, controllers and expanders, so that the loss of one costs it as few members as can be, "
        "and makes slow or worn disks spares.",
    )  # fmt: skip


def assumption_fields(decision: Decision, speed: DiskSpeed | None) -> tuple[Field, ...]:
    """A heading, then every assumption; `speed` is what is known of the slowest disk."""
    return (
        _heading(decision.assumptions),
        _disk_speed(decision, speed),
        _stepped(
            decision, "afr", "AFR", AFRS, _percent, parse_share, "a year",
            "Disks that fail in a year, as a share of all. 1.5 % is what Backblaze saw over the years (Drive Stats, "
            "lifetime 1.4 to 1.6 %); data sheets promise half of it, old disks and bad batches reach 4 % and more.",
        ),
        _stepped(
            decision, "ure_per_bit", "URE", URES, lambda value: f"{value:g}", parse_share, "per bit",
            "Unreadable sectors for each bit read. 1e-15 stands in the data sheets of nearline disks, 1e-14 in those "
            "of desktop disks; Gray and van Ingen measured about 3e-16.",
        ),
        _stepped(
            decision, "restock_days", "Restock", RESTOCK_DAYS, lambda value: f"{value:g} days", _days, "",
            "Days from a failure until a new disk lies in the bay as a spare. 30 is a guess at ordering, shipping and "
            "somebody who walks there.",
        ),
        _stepped(
            decision, "rebuild_share", "Rebuild at", SHARES, _percent, parse_share, "of time",
            "Share of the members' time that a rebuild gets beside the work of users: 100 % on an idle array, half is "
            "usual under moderate work.",
        ),
        _stepped(
            decision, "sync_max_bytes_per_s", "Sync limit", SYNC_LIMITS, lambda value: rate_text(int(value)),
            parse_rate, "a member",
            "md's sync_speed_max, bytes per second of each member; the kernel's own is 200000 KiB/s, below what newer "
            "disks can do.",
        ),
        _stepped(
            decision, "enclosure_afr", "Enclosure", OUTAGES, _percent, parse_share, "outages a year",
            "Outages of an enclosure in a year. Judgement: nobody publishes it. They count only where an array does "
            "not outlive one.",
        ),
        _stepped(
            decision, "enclosure_loss", "  destroys", OUTAGES, _percent, parse_share, "of outages",
            "Share of such outages that destroy data: several members written out of step, or power at fault. "
            "Judgement: 1 to 5 %.",
        ),
        _stepped(
            decision, "correlation", "Correlation", CORRELATIONS, lambda value: f"{value:g} x", _factor, "",
            "How many times likelier a further failure is in a group that has lost a member: one batch, one heat, one "
            "age. The figures say what comes out for 1 and for this (Schroeder and Gibson, FAST 2007).",
        ),
    )  # fmt: skip


def _heading(assumptions: Assumptions) -> Field:
    changed = sum(getattr(assumptions, field.name) != getattr(DEFAULTS, field.name) for field in fields(assumptions))
    return Field(
        key="assumptions", title="Assumptions", shown=f"{changed} changed" if changed else "as they come",
        about="What the figures of speed and risk rest on: the lines below. mdadm --monitor is taken to run, since the "
        "plan arms it: without it no spare would move between arrays.",
    )  # fmt: skip


def _disk_speed(decision: Decision, speed: DiskSpeed | None) -> Field:
    said = decision.assumptions.disk_bytes_per_s
    known = f"{rate_text(speed.read_bytes_per_s)} {speed.source}" if speed else "as known"
    basis = f" Here: {speed.basis}." if speed else ""

    def read(text: str) -> Decision:
        return _with(decision, "Disk speed", disk_bytes_per_s=parse_rate(text) if text.strip() else None)

    return Field(
        key="disk_bytes_per_s", title="Disk speed", shown=known if said is None else f"{rate_text(said)} said",
        typed="" if said is None else rate_text(said).replace(" ", ""), read=read,
        about="Sequential speed of every disk at its outer zone; nothing typed takes what is known: a measurement, the "
        f"inventory, a table of drive families, or what its class does.{basis}",
    )  # fmt: skip


def _stepped(
    decision: Decision, key: str, title: str, steps: tuple[float, ...], shown: Callable[[float], str],
    parse: Callable[[str], float], aside: str, about: str,
) -> Field:  # fmt: skip
    value = getattr(decision.assumptions, key)
    choices = tuple(sorted({*steps, value}))
    return Field(
        key=key, title=title, shown=shown(value), typed=shown(value).replace(" ", ""), aside=aside, about=about,
        choices=choices, at=choices.index(value), change=lambda other: _with(decision, title, **{key: other}),
        read=lambda text: _with(decision, title, **{key: parse(text)}), stop="other values can be typed",
    )  # fmt: skip


def _with(decision: Decision, title: str, **changes: Any) -> Decision:
    assumptions = replace(decision.assumptions, **changes)
    wrong = out_of_range(assumptions)
    if wrong:
        _, least, most = wrong
        raise ValueError(f"{title}: {least:g} to {most:g} are possible")
    return replace(decision, assumptions=assumptions)


def _percent(value: float) -> str:
    return f"{100 * value:.4g} %"


def _factor(text: str) -> float:
    try:
        return float(text.strip().removesuffix("x").strip())
    except ValueError as problem:
        raise ValueError(f"'{text.strip()}' is no factor") from problem


def _days(text: str) -> float:
    number = text.strip().removesuffix("days").removesuffix("day").removesuffix("d").strip()
    try:
        return float(number)
    except ValueError as problem:
        raise ValueError(f"'{text.strip()}' is no number of days") from problem
