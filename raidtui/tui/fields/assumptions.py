"""Fields of the model assumptions: disk speed, failure rates, replacement time, rebuild load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from raidtui.model.ask import ask_words, parse_ask
from raidtui.model.assumptions import DEFAULTS, out_of_range
from raidtui.model.decision import Decision
from raidtui.model.ranges import LONGEST_NUMBER, MOST_THREADS
from raidtui.model.speed import DiskSpeed
from raidtui.model.units import parse_rate, parse_share
from raidtui.planner.amounts import known_rate
from raidtui.tui.fields.field import Field, named

AFRS = (0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.1)
URES = (1e-17, 1e-16, 3e-16, 1e-15, 1e-14)
RESTOCK_DAYS = (1.0, 3.0, 7.0, 14.0, 30.0, 60.0, 90.0, 180.0, 365.0)
SYNC_LIMITS = (50_000_000, 100_000_000, 204_800_000, 400_000_000, 1_000_000_000, 4_000_000_000)
OUTAGES = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1)
CORRELATIONS = (1.0, 3.0, 10.0, 30.0, 100.0)
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)


def placement_field(decision: Decision) -> Field:
    """The field that chooses how disks are assigned to arrays."""
    return named(
        "placement", "Placement", "spread" if decision.spread else "in order", ("in order", "spread"),
        change=lambda value: replace(decision, spread=value == "spread"),
        about="How disks are assigned to arrays: in order follows the inventory; spread distributes every array over "
        "enclosures, controllers and expanders, so that the loss of one removes as few members as possible, and uses "
        "slow or worn disks as spares.",
    )  # fmt: skip


def assumption_fields(decision: Decision, speed: DiskSpeed | None) -> tuple[Field, ...]:
    """A workload to ask for, then every assumption; `speed` is the known speed of the slowest disk."""
    return (
        _workload(decision),
        _disk_speed(decision, speed),
        _stated(
            decision, "disk_write_bytes_per_s", "Disk writes", "as it reads",
            "Sequential writing speed of every disk at its outer zone.",
        ),
        _counted(
            decision, "disk_iops", "Disk IOPS", "known",
            "Random operations per second of every disk. Known: measured, from the table of families, or its class.",
        ),
        _stated(
            decision, "link_bytes_per_s", "Shared link", "as found",
            "Rate of one link that all members share, such as 750MB/s. As found: only the links in the inventory.",
        ),
        _stated(
            decision, "memory_bytes_per_s", "Memory", "estimated",
            "Memory bandwidth, reads and writes together, such as 40GB/s.",
        ),
        _stated(
            decision, "md_write_bytes_per_s", "md writes", "typical",
            "What md's thread of one parity array writes, such as 900MB/s. raidtui bench finds it.",
        ),
        _counted(
            decision, "parity_threads", "md threads", "one",
            "group_thread_cnt of parity arrays. One: the kernel's default, a single thread for each array.",
        ),
        named(
            "monitor", "Monitor", "runs" if decision.assumptions.monitor else "not", ("runs", "not"),
            change=lambda value: _with(decision, "Monitor", monitor=value == "runs"),
            about="Whether mdadm --monitor runs, which the plan enables: without it no spare moves between arrays.",
        ),
        _stepped(
            decision, "afr", "AFR", AFRS, _percent, parse_share, "a year",
            "Annual failure rate of a disk. Backblaze measured about 1.5 % over the years (Drive Stats, lifetime "
            "1.4 to 1.6 %); data sheets promise half of it, old disks and bad batches reach 4 % and more.",
        ),
        _stepped(
            decision, "ure_per_bit", "URE", URES, lambda value: f"{value:g}", parse_share, "per bit",
            "Unrecoverable read errors per bit read. Data sheets give 1e-15 for nearline and 1e-14 for desktop disks; "
            "Gray and van Ingen measured about 3e-16.",
        ),
        _stepped(
            decision, "restock_days", "Restock", RESTOCK_DAYS, lambda value: f"{value:g} days", _days, "",
            "Days from a disk failure until a replacement is installed as a spare. The default 30 is an estimate for "
            "ordering, shipping and a visit on site.",
        ),
        _stepped(
            decision, "rebuild_share", "Rebuild at", SHARES, _percent, parse_share, "of time",
            "Share of the members' time that a rebuild gets beside user load: 100 % on an idle array, half is typical "
            "under moderate load.",
        ),
        _stepped(
            decision, "sync_max_bytes_per_s", "Sync limit", SYNC_LIMITS, lambda value: known_rate(int(value)),
            parse_rate, "per member",
            "md's sync_speed_max in bytes per second per member; the kernel's default is 200000 KiB/s, below what "
            "newer disks reach.",
        ),
        _stepped(
            decision, "enclosure_afr", "Enclosure", OUTAGES, _percent, parse_share, "outages a year",
            "Outages of an enclosure per year. An estimate: no published figures exist. They count only if an array "
            "does not survive one.",
        ),
        _stepped(
            decision, "enclosure_loss", "  destroys", OUTAGES, _percent, parse_share, "of outages",
            "Share of these outages that destroy data, by inconsistent writes to several members or by a power fault. "
            "An estimate: 1 to 5 %.",
        ),
        _stepped(
            decision, "correlation", "Correlation", CORRELATIONS, lambda value: f"{value:g} x", _factor, "",
            "Factor by which a further failure is more likely in an array that has lost a member: same batch, "
            "temperature and age. Risk results show both 1 and this factor (Schroeder and Gibson, FAST 2007).",
        ),
    )  # fmt: skip


def assumptions_line(decision: Decision) -> Field:
    """The line that opens the page of the assumptions."""
    assumptions = decision.assumptions
    changed = sum(getattr(assumptions, field.name) != getattr(DEFAULTS, field.name) for field in fields(assumptions))
    return Field(
        key="assumptions", title="Assumptions", shown=f"{changed} changed" if changed else "defaults",
        opens="assumptions",
        about="What the speed and risk models use, and a workload whose rate is asked. Right or Enter opens them.",
    )  # fmt: skip


def _workload(decision: Decision) -> Field:
    ask = decision.ask

    def read(text: str) -> Decision:
        return replace(decision, ask=parse_ask(text.strip()) if text.strip() else None)

    return Field(
        key="ask", title="Workload", shown=str(ask) if ask else "none asked", typed=ask_words(ask) if ask else "",
        read=read,
        about="A workload whose rate is shown first among the results: read,streams=8,size=128K,depth=1, or write, "
        "random. Empty: none.",
    )  # fmt: skip


def _stated(decision: Decision, key: str, title: str, unset: str, about: str) -> Field:
    """A rate that can be stated; `unset` is shown without it."""
    value = getattr(decision.assumptions, key)

    def read(text: str) -> Decision:
        return _with(decision, title, **{key: parse_rate(text) if text.strip() else None})

    return Field(
        key=key, title=title, shown=unset if value is None else known_rate(value), read=read,
        typed="" if value is None else known_rate(value).replace(" ", ""), about=f"{about} Empty: {unset}.",
    )  # fmt: skip


def _counted(decision: Decision, key: str, title: str, unset: str, about: str) -> Field:
    """A whole number that can be stated; `unset` is shown for the default."""
    value, default = getattr(decision.assumptions, key), getattr(DEFAULTS, key)

    def read(text: str) -> Decision:
        said = text.strip()
        if said and not (said.isascii() and said.isdecimal() and len(said) <= LONGEST_NUMBER):
            raise ValueError(f"{title}: '{said[:LONGEST_NUMBER]}' is not a whole number")
        most = MOST_THREADS if key == "parity_threads" else None
        if said and most is not None and int(said) > most:
            raise ValueError(f"{title}: expected 0 to {most}")
        return _with(decision, title, **{key: int(said) if said else default})

    set_by_hand = value != default
    return Field(
        key=key, title=title, shown=str(value) if set_by_hand else unset, typed=str(value) if set_by_hand else "",
        read=read, about=f"{about} Empty: {unset}.",
    )  # fmt: skip


def _disk_speed(decision: Decision, speed: DiskSpeed | None) -> Field:
    said = decision.assumptions.disk_bytes_per_s
    known = f"{known_rate(speed.read_bytes_per_s)} {speed.source}" if speed else "unknown"
    basis = f" Here: {speed.basis}." if speed else ""

    def read(text: str) -> Decision:
        return _with(decision, "Disk speed", disk_bytes_per_s=parse_rate(text) if text.strip() else None)

    return Field(
        key="disk_bytes_per_s", title="Disk speed", shown=known if said is None else f"{known_rate(said)} typed",
        typed="" if said is None else known_rate(said).replace(" ", ""), read=read,
        about="Sequential speed of every disk at its outer zone. Empty: use the best known value, from a measurement, "
        f"the inventory, a table of drive families, or the disk's class.{basis}",
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
        raise ValueError(f"{title}: expected {least:g} to {most:g}")
    return replace(decision, assumptions=assumptions)


def _percent(value: float) -> str:
    return f"{100 * value:.4g} %"


def _factor(text: str) -> float:
    try:
        return float(text.strip().removesuffix("x").strip())
    except ValueError as problem:
        raise ValueError(f"'{text.strip()}' is not a factor; expected a number such as 2") from problem


def _days(text: str) -> float:
    number = text.strip().removesuffix("days").removesuffix("day").removesuffix("d").strip()
    try:
        return float(number)
    except ValueError as problem:
        raise ValueError(f"'{text.strip()}' is not a number of days; expected a number such as 30") from problem
