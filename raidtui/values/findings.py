"""Findings about a design or plan: errors, warnings and notes, each with a hint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from raidtui.values.codec_rules import TextValue, Value
from raidtui.values.inventory import Disk
from raidtui.values.safe import safe
from raidtui.values.units import counted

Severity = Literal["error", "warning", "note"]
"""gravest first: this is their one order"""
_ORDER: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Value):
    """One finding about a design or plan."""

    severity: Severity
    """error: refused until changed; warning: allowed but risky; note: information"""
    code: str
    """stable word for scripts and tests, such as `spare-too-small`"""
    message: str
    """what is wrong, with the figures, in one sentence"""
    way_out: str
    """what the admin can do about it"""
    subject: str = ""
    """what it is about: a disk's identity, an array's name, an option; empty when the whole"""


def gravest_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """`findings` by severity, those of one severity in the order they came."""
    return tuple(sorted(findings, key=lambda finding: _ORDER.index(finding.severity)))


def refused(findings: Sequence[Finding]) -> bool:
    """True if any finding is an error."""
    return bool(errors(findings))


def first_of(findings: Sequence[Finding]) -> str:
    """The message of the first finding, and how many more there are."""
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return f"{findings[0].message}{more}"


def errors(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings of severity error."""
    return tuple(finding for finding in findings if finding.severity == "error")


def warnings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those of them that allow going on and make it unwise."""
    return tuple(finding for finding in findings if finding.severity == "warning")


# Notes on a figure: sentences without a full stop, in the order of their weight.


_BETWEEN = "; "


@dataclass(frozen=True, slots=True)
class Notes(TextValue):
    """Several notes. In files they are one text, joined by a semicolon; none are an empty text."""

    each: tuple[str, ...] = ()
    """the notes; none is empty"""

    def __str__(self) -> str:
        """All of them in one line."""
        return _BETWEEN.join(self.each)

    def __iter__(self) -> Iterator[str]:
        """One note after the other."""
        return iter(self.each)

    @classmethod
    def of(cls, notes: Iterable[str]) -> Notes:
        """`notes` without the empty ones."""
        return cls(tuple(note for note in notes if note))

    @classmethod
    def read(cls, text: str) -> Notes:
        """The notes of this text."""
        return cls.of(text.split(_BETWEEN))


NO_NOTES = Notes()


# Constructors of Finding by severity, and text that names one or many disks.


_NAMED = 3
LONGEST = 40
"""maximum characters of outside text in one message"""


def error(code: str, message: str, way_out: str, subject: str = "") -> Finding:
    """An error: the design or plan is refused until it is changed."""
    return Finding(severity="error", code=code, message=message, way_out=way_out, subject=subject)


def warning(code: str, message: str, way_out: str, subject: str = "") -> Finding:
    """A warning: allowed but risky or wasteful."""
    return Finding(severity="warning", code=code, message=message, way_out=way_out, subject=subject)


def note(code: str, message: str, way_out: str, subject: str = "") -> Finding:
    """A note: information that needs no action."""
    return Finding(severity="note", code=code, message=message, way_out=way_out, subject=subject)


def name(disk: Disk) -> str:
    """A disk's kernel name, else its identity."""
    return safe(disk.kernel_name or disk.id, longest=LONGEST) or "a disk without identity"


def rounded_sizes(disks: Sequence[Disk]) -> Iterator[Finding]:
    """A note for each written size that is no whole number of sectors."""
    for nominal in dict.fromkeys(disk.nominal_size for disk in disks if disk.nominal_size):
        rounded = [disk for disk in disks if disk.nominal_size == nominal]
        size, sector = rounded[0].size_bytes, rounded[0].logical_sector_bytes
        yield note(
            "disk-size-rounded",
            f"{safe(nominal)} is no whole number of {sector}-byte sectors: "
            f"{counted(len(rounded), 'disk')} counted as {size} bytes.",
            "write the size in bytes from the data sheet, if it is known",
            subject(rounded),
        )


def names(disks: Sequence[Disk]) -> str:
    """See `some`."""
    return some([name(disk) for disk in disks])


def some(texts: Sequence[str], most: int = _NAMED) -> str:
    """`sda`, or `sda, sdb, sdc and 57 more`: the first `most` of them."""
    listed, more = ", ".join(texts[:most]), len(texts) - most
    return f"{listed} and {more} more" if more > 0 else listed


def subject(disks: Sequence[Disk]) -> str:
    """The identity if `disks` holds one disk; otherwise empty."""
    return disks[0].id if len(disks) == 1 else ""
