"""Questions of the guide for users who know no RAID terms, and the constraints of the answers. Nothing here draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from raidtui.predict.design import advised_chunk
from raidtui.predict.placement.disk_pool import disk_pool
from raidtui.predict.risk.spares import spares_wanted
from raidtui.values.amounts import any_failures
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import OUTAGES, PURPOSES, FileSystem, Outage, Purpose, Wish
from raidtui.values.design import DEFAULT_CHUNK
from raidtui.values.inventory import Disk
from raidtui.values.layout import Level
from raidtui.values.proposal import Constraints
from raidtui.values.units import KIB, counted, decimal_size

Breaks = Literal["one", "two", "shelf"]
Visit = Literal["week", "month", "half-year", "year"]
DAYS: dict[Visit, int] = {"week": 7, "month": 30, "half-year": 183, "year": 365}
"""days from a failure until the disk is replaced, at worst"""
_DOMAIN_WORDS: dict[Outage, tuple[str, str]] = {
    "enclosure": ("a whole shelf", "its power or its cable fails"),
    "controller": ("a whole controller", "a card and all its disks"),
    "expander": ("a whole row of disks", "an expander and its disks"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers; the defaults suit most users."""

    purpose: Purpose = "streams"
    room_bytes: int = 0
    """minimum usable capacity; 0: as much as possible"""
    breaks: Breaks | None = None
    """None: what suits the purpose and the number of disks"""
    few: bool = False
    """True if so few disks can be used that two failures would cost two thirds of them"""
    visit: Visit = "month"

    @property
    def may_fail(self) -> Breaks:
        """The answer picked, else one disk for databases, whose every copy costs a whole disk, and for few disks."""
        return self.breaks or ("one" if self.few or self.purpose == "databases" else "two")


def safer(answers: Answers) -> Answers | None:
    """The answers with the one that lowers a high risk: disks are replaced sooner; None if they already are."""
    return None if answers.visit == "week" else replace(answers, visit="week")


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideQuestion:
    """What the answers ask of the layouts and of the file system."""

    constraints: Constraints
    assumptions: Assumptions
    purpose: Purpose
    chunk_bytes: int
    fs: FileSystem


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerChoice:
    """One answer to one question."""

    name: str
    words: str
    about: str
    possible: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StartQuestion:
    """One question with its answers."""

    field: str
    """name of the field of `Answers`"""
    words: str
    choices: tuple[AnswerChoice, ...]


def questions(disks: Sequence[Disk], answers: Answers) -> tuple[StartQuestion, ...]:
    """The four questions for these disks."""
    used = usable(disks)
    raw = decimal_size(sum(disk.size_bytes for disk in used))
    hold = f"{counted(len(used), 'disk')} hold {raw}"
    if len(used) < len(disks):
        hold = f"{len(used)} of {len(disks)} disks, {raw}"
    at_least = f"at least {decimal_size(answers.room_bytes)}" if answers.room_bytes else "at least ..."
    databases = answers.purpose == "databases"
    one = "two copies of everything" if databases else "enough if a copy exists"
    two = "three copies of everything" if databases else "one more during replacement"
    domain = domain_of(used)
    shelf, about = _DOMAIN_WORDS[domain] if domain else ("a whole shelf", "not possible: only one here")
    return (
        StartQuestion(field="purpose", words="What is it for?", choices=(
            AnswerChoice(name="streams", words="big files", about="video, images, measurements"),
            AnswerChoice(name="small", words="many small files", about="mail, home directories, code"),
            AnswerChoice(name="databases", words="databases, VMs", about="small random reads, writes"),
            AnswerChoice(name="backup", words="backup", about="written nightly, rarely read"),
        )),
        StartQuestion(field="room_bytes", words="How much capacity do you need?", choices=(
            AnswerChoice(name="most", words="as much as possible", about=hold),
            AnswerChoice(name="least", words=at_least, about="Enter, then a size: 50 TB"),
        )),
        StartQuestion(field="breaks", words="What may fail without loss of data?", choices=(
            AnswerChoice(name="one", words="one disk", about=one),
            AnswerChoice(
                name="two", words="two disks", possible=len(used) > 2,
                about=two if len(used) > 2 else f"not possible with {counted(len(used), 'disk')}",
            ),
            AnswerChoice(name="shelf", words=shelf, about=about, possible=domain is not None),
        )),
        StartQuestion(field="visit", words="How soon is a failed disk replaced?", choices=(
            AnswerChoice(name="week", words="within a week", about="somebody is on site"),
            AnswerChoice(name="month", words="within a month", about="a new disk is bought first"),
            AnswerChoice(name="half-year", words="twice a year", about="a remote site"),
            AnswerChoice(name="year", words="not for a year", about="no visits for that long"),
        )),
    )  # fmt: skip


def first_answers(disks: Sequence[Disk]) -> Answers:
    """The answers that are picked at first: those that suit most users and are possible with these disks."""
    return Answers(few=survived(len(usable(disks))) < 2)


def survived(disks: int) -> int:
    """Failures that a layout of `disks` usable disks should survive where nobody says: of three two are two thirds."""
    return 2 if disks > 3 else 1


def usable(disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """The disks that the answers are about: those of one kind that mix well, and no others."""
    return disk_pool(disks).used


def chosen(answers: Answers, field: str) -> str:
    """Name of the chosen answer."""
    if field == "room_bytes":
        return "least" if answers.room_bytes else "most"
    if field == "breaks":
        return answers.may_fail
    return str(getattr(answers, field))


def answered(answers: Answers, field: str, name: str) -> Answers:
    """`answers` with another choice; a capacity is set by `with_room`."""
    for known in (*PURPOSES, *get_args(Breaks), *get_args(Visit)):
        if known == name:
            return replace(answers, **{field: known})
    return replace(answers, room_bytes=0) if name == "most" else answers


def domain_of(disks: Sequence[Disk]) -> Outage | None:
    """The largest failure domain with more than one member: enclosure, else controller, else expander."""
    for kind in OUTAGES:
        if len({getattr(disk.place, kind) for disk in disks} - {None, ""}) > 1:
            return kind
    return None


def wanted(answers: Answers, assumptions: Assumptions, disks: Sequence[Disk]) -> GuideQuestion:
    """The constraints of the answers on layouts of `disks`, and chunk and file system for their purpose.

    `assumptions`: the present ones; the answers replace the restocking time.
    """
    said, used = replace(assumptions, restock_days=float(DAYS[answers.visit])), usable(disks)
    wishes, levels, fs = _PURPOSES[answers.purpose]
    first: tuple[Wish, ...] = ("risk",) if answers.room_bytes else ("capacity",)
    constraints = Constraints(
        usable_bytes=answers.room_bytes,
        survive=2 if answers.may_fail == "two" else 1,
        spares=spares_wanted(len(used), said),
        survive_domain=domain_of(used) if answers.may_fail == "shelf" else None,
        levels=levels,
        wishes=tuple(dict.fromkeys((*first, *wishes))),
    )
    chunk = advised_chunk(answers.purpose).chunk_bytes
    return GuideQuestion(constraints=constraints, assumptions=said, purpose=answers.purpose, chunk_bytes=chunk, fs=fs)


_PURPOSES: dict[Purpose, tuple[tuple[Wish, ...], tuple[Level, ...], FileSystem]] = {
    "streams": (("read", "write"), (), "xfs"),
    "small": (("random-read", "random-write", "risk"), (), "xfs"),
    "databases": (("random-write", "random-read"), ("raid1", "raid10"), "xfs"),
    "backup": (("capacity", "risk"), (), "xfs"),
}
"""goals, levels, file system"""


def understood(constraints: Constraints, assumptions: Assumptions, chunk_bytes: int) -> tuple[str, ...]:
    """The constraints on a layout, a sentence each."""
    asked = constraints
    room = f"at least {decimal_size(asked.usable_bytes)} usable" if asked.usable_bytes else "maximum capacity"
    if asked.survive:
        safe = f"{any_failures(asked.survive)} of an array may fail without loss of data"
    else:
        safe = "a failed disk may lose data"
    domain = f", or any one {asked.survive_domain}" if asked.survive_domain else ""
    kept = f"{counted(asked.spares, 'hot spare')} until then" if asked.spares else "no spare is required until then"
    found = [
        f"{room}; {safe}{domain}",
        f"a failed disk is replaced within {assumptions.restock_days:g} days, {kept}",
    ]
    if asked.levels:
        mirrors = set(asked.levels) <= {"raid1", "raid10"}
        why = (
            ": with parity a small write costs four or six disk operations, with mirrors one per copy"
            if mirrors
            else ""
        )
        found.append(f"only {', '.join(asked.levels)}{why}")
    if chunk_bytes < DEFAULT_CHUNK:
        found.append(f"chunk {chunk_bytes // KIB} KiB, so that small files fill whole stripes sooner")
    if asked.wishes:
        found.append(f"first priority: {', then '.join(WISH_WORDS[wish] for wish in asked.wishes)}")
    return tuple(f"{sentence[0].upper()}{sentence[1:]}." for sentence in found)


WISH_WORDS: dict[Wish, str] = {
    "capacity": "room",
    "read": "reading",
    "write": "writing",
    "random-read": "random reads",
    "random-write": "random writes",
    "rebuild": "fast rebuild",
    "risk": "safety",
    "cost": "cost",
}
