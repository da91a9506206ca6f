"""Four questions for someone who knows no RAID words, and what the answers ask of a layout. Nothing here draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from raidtui.model.assumptions import Assumptions
from raidtui.model.choices import OUTAGES, FileSystem, Outage, Wish
from raidtui.model.design import DEFAULT_CHUNK
from raidtui.model.inventory import Disk
from raidtui.model.layout import Level
from raidtui.model.proposal import Constraints
from raidtui.model.units import KIB, decimal_size
from raidtui.planner.reliability.vendor_rules import spares_wanted
from raidtui.tui.state.decision import Decision

Purpose = Literal["streams", "small", "databases", "backup"]
Breaks = Literal["one", "two", "shelf"]
Visit = Literal["week", "month", "half-year", "year"]
DAYS: dict[Visit, int] = {"week": 7, "month": 30, "half-year": 183, "year": 365}
"""days from a failure until somebody has changed the disk, at worst"""
_DOMAIN_WORDS: dict[Outage, tuple[str, str]] = {
    "enclosure": ("a whole shelf", "its power or its cable, and all disks in it"),
    "controller": ("a whole controller", "a card in the machine and all disks on it"),
    "expander": ("a whole row of disks", "what joins some of the disks to their cable"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What was answered; the defaults are what most people want."""

    purpose: Purpose = "streams"
    room_bytes: int = 0
    """at least so much room; 0: as much as possible"""
    breaks: Breaks = "two"
    visit: Visit = "month"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One answer to one question."""

    name: str
    words: str
    about: str
    possible: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StartQuestion:
    """One question with its answers."""

    field: str
    """of `Answers`"""
    words: str
    choices: tuple[Choice, ...]


def questions(disks: Sequence[Disk], answers: Answers) -> tuple[StartQuestion, ...]:
    """The four questions, for these disks."""
    raw = decimal_size(sum(disk.size_bytes for disk in disks))
    at_least = f"at least {decimal_size(answers.room_bytes)}" if answers.room_bytes else "at least ..."
    domain = domain_of(disks)
    shelf, about = (
        _DOMAIN_WORDS[domain] if domain else ("a whole shelf", "cannot be: all disks hang on the same one here")
    )
    return (
        StartQuestion(field="purpose", words="What is it for?", choices=(
            Choice(name="streams", words="big files", about="video, images, measurements"),
            Choice(name="small", words="many small files", about="mail, home directories, source code"),
            Choice(name="databases", words="databases, VMs", about="small reads and writes all over the place"),
            Choice(name="backup", words="backup", about="written every night, seldom read"),
        )),
        StartQuestion(field="room_bytes", words="How much room must there be?", choices=(
            Choice(name="most", words="as much as possible", about=f"the {len(disks)} disks hold {raw} in all"),
            Choice(name="least", words=at_least, about="Enter types it, such as 50 TB"),
        )),
        StartQuestion(field="breaks", words="What may break without anything being lost?", choices=(
            Choice(name="one", words="one disk", about="enough for what can be had again from elsewhere"),
            Choice(name="two", words="two disks", about="a second one while the first is made up for"),
            Choice(name="shelf", words=shelf, about=about, possible=domain is not None),
        )),
        StartQuestion(field="visit", words="When does somebody come to change a broken disk?", choices=(
            Choice(name="week", words="the same week", about="somebody looks after it"),
            Choice(name="month", words="within a month", about="a new disk must be bought and sent first"),
            Choice(name="half-year", words="twice a year", about="the machine stands far away"),
            Choice(name="year", words="not for a year", about="nobody comes; it must get along by itself"),
        )),
    )  # fmt: skip


def chosen(answers: Answers, field: str) -> str:
    """Name of the choice that was made."""
    if field == "room_bytes":
        return "least" if answers.room_bytes else "most"
    return str(getattr(answers, field))


def answered(answers: Answers, field: str, name: str) -> Answers:
    """`answers` with another choice; an amount of room is said apart, see `with_room`."""
    for known in (*get_args(Purpose), *get_args(Breaks), *get_args(Visit)):
        if known == name:
            return replace(answers, **{field: known})
    return replace(answers, room_bytes=0) if name == "most" else answers


def domain_of(disks: Sequence[Disk]) -> Outage | None:
    """The largest thing that may break whole: of several shelves one, else of controllers, else of expanders."""
    for kind in OUTAGES:
        if len({getattr(disk.place, kind) for disk in disks} - {None, ""}) > 1:
            return kind
    return None


def decided(answers: Answers, decision: Decision, disks: Sequence[Disk]) -> Decision:
    """`decision` with what the answers ask of a layout, and the chunk and file system that fit their purpose."""

    assumptions = replace(decision.assumptions, restock_days=float(DAYS[answers.visit]))
    wishes, levels, chunk, fs = _PURPOSES[answers.purpose]
    first: tuple[Wish, ...] = ("risk",) if answers.room_bytes else ("capacity",)
    constraints = Constraints(
        usable_bytes=answers.room_bytes,
        survive=2 if answers.breaks == "two" else 1,
        spares=spares_wanted(len(disks), assumptions),
        survive_domain=domain_of(disks) if answers.breaks == "shelf" else None,
        levels=levels,
        wishes=tuple(dict.fromkeys((*first, *wishes))),
    )
    return replace(
        decision,
        constraints=constraints,
        assumptions=assumptions,
        design=replace(decision.design, chunk_bytes=chunk, fs=fs),
    )


_PURPOSES: dict[Purpose, tuple[tuple[Wish, ...], tuple[Level, ...], int, FileSystem]] = {
    "streams": (("read", "write"), (), DEFAULT_CHUNK, "xfs"),
    "small": (("risk", "write"), (), 64 * KIB, "xfs"),
    "databases": (("write", "read"), ("raid1", "raid10"), DEFAULT_CHUNK, "xfs"),
    "backup": (("capacity", "risk"), (), DEFAULT_CHUNK, "xfs"),
}
"""wishes, levels, chunk, file system"""


def understood(constraints: Constraints, assumptions: Assumptions, chunk_bytes: int) -> tuple[str, ...]:
    """What is asked of a layout, a sentence each."""
    asked = constraints
    room = f"at least {decimal_size(asked.usable_bytes)} of room" if asked.usable_bytes else "as much room as there is"
    if asked.survive:
        count = {1: "any one disk", 2: "any two disks"}.get(asked.survive, f"any {asked.survive} disks")
        safe = f"nothing is lost when {count} of an array fail" + ("s" if asked.survive == 1 else "")
    else:
        safe = "nothing need survive a failed disk"
    domain = f", or any one {asked.survive_domain}" if asked.survive_domain else ""
    kept = {0: "no spare is asked for", 1: "a spare stands by"}.get(asked.spares, f"{asked.spares} spares stand by")
    found = [
        f"{room}; {safe}{domain}",
        f"a failed disk is replaced within {assumptions.restock_days:g} days, {kept} until then",
    ]
    if asked.levels:
        mirrors = set(asked.levels) <= {"raid1", "raid10"}
        why = (
            ": with parity a small write costs four or six disk operations, with mirrors one a copy" if mirrors else ""
        )
        found.append(f"only {', '.join(asked.levels)}{why}")
    if chunk_bytes < DEFAULT_CHUNK:
        found.append(f"chunk {chunk_bytes // KIB} KiB, so that small files fill whole stripes sooner")
    if asked.wishes:
        found.append(f"first comes {', then '.join(WISH_WORDS[wish] for wish in asked.wishes)}")
    return tuple(f"{sentence[0].upper()}{sentence[1:]}." for sentence in found)


WISH_WORDS: dict[Wish, str] = {
    "capacity": "room",
    "read": "reading",
    "write": "writing",
    "rebuild": "a quick rebuild",
    "risk": "safety",
    "cost": "cost",
}
