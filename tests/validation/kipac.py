"""The KIPAC survey: a hardware array under sgpdd-survey, by queue and stream terms.

Three figures of each direction are fitted on the 20 lines of one LUN with 256 KiB segments: what an outstanding
byte brings, what a full group gives, what each further stream costs. The other 60 lines judge. Of the hardware two
ceilings are given: the host adapter's slot (the link table's PCIe 2.0 x8), and for writes to several LUNs the two
controllers' mirrored cache, 1550 MiB/s, which no md array has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import log
from typing import Literal

from raidtui.predict.speed.shared_links import slot_capacity
from raidtui.values.inventory import Controller
from tests.validation.rows import KIB, MIB, measured_table
from tests.validation.survey_rate import GroupRates, survey_rate

MIRRORED_CACHE = 1550 * MIB
"""bytes per second: input, read off the survey's own writes to two and four LUNs"""
_HOST = Controller(pci="host", pcie_speed_gts=5.0, pcie_width=8)

Kind = Literal["read", "write"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """One line of the KIPAC survey, both directions; bytes per second (the tables print MiB as MB)."""

    name: str
    luns: int
    segment_bytes: int
    regions: int
    """streams over all LUNs"""
    threads: int
    """requests of 1 MiB in flight over all LUNs"""
    read: float
    write: float
    fits: bool
    """True for the 20 lines of one LUN with 256 KiB segments: only they set constants"""


def survey() -> list[Survey]:
    """All 80 lines."""
    return [
        Survey(
            name=f"kipac {number}",
            luns=int(row["luns"]),
            segment_bytes=int(row["segment_kib"]) * KIB,
            regions=int(row["crg"]),
            threads=int(row["thr"]),
            read=float(row["read_mb_s"]) * MIB,
            write=float(row["write_mb_s"]) * MIB,
            fits=row["luns"] == "1" and row["segment_kib"] == "256",
        )
        for number, row in enumerate(measured_table("kipac_sgpdd.csv"), start=1)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the survey in one direction."""

    survey: Survey
    kind: Kind
    expected: float
    binds: str
    """the lowest ceiling; `queue` where too little is outstanding to fill it"""

    @property
    def measured(self) -> float:
        """Bytes per second."""
        return self.survey.read if self.kind == "read" else self.survey.write

    @property
    def error(self) -> float:
        """(predicted - measured) / measured."""
        return self.expected / self.measured - 1


def host_slot() -> float:
    """Bytes per second of the host adapter's slot, from the link table."""
    capacity = slot_capacity(_HOST)
    assert capacity is not None
    return capacity.point


def line(each: Survey, kind: Kind, terms: GroupRates) -> Line:
    """The model's answer to one line."""
    others = {"host slot": host_slot()}
    if kind == "write" and each.luns > 1:
        others["mirrored cache"] = MIRRORED_CACHE
    expected, binds = survey_rate(
        kind,
        terms,
        groups=each.luns,
        regions=each.regions,
        outstanding_bytes=each.threads * MIB,
        others=others,
        members="members" if kind == "read" else "controller",
    )
    return Line(survey=each, kind=kind, expected=expected, binds=binds)


@cache
def terms(kind: Kind) -> GroupRates:
    """Least squares of the logarithms over the 20 lines that fit, by coordinate steps that halve."""
    lines = [each for each in survey() if each.fits]

    def loss(values: tuple[float, ...]) -> float:
        guess = GroupRates(per_outstanding=values[0], group=values[1], slope=values[2])
        return sum(log(1 + line(each, kind, guess).error) ** 2 for each in lines)

    found = _descend(loss, (400.0, 1200.0 * MIB, 0.03))
    return GroupRates(per_outstanding=found[0], group=found[1], slope=found[2])


def _descend(loss: Callable[[tuple[float, ...]], float], start: tuple[float, ...]) -> tuple[float, ...]:
    best, lowest, step = start, loss(start), 0.2
    while step > 1e-4:
        better = False
        for number in range(len(best)):
            for factor in (1 + step, 1 / (1 + step)):
                tried = tuple(value * factor if at == number else value for at, value in enumerate(best))
                if (value := loss(tried)) < lowest:
                    best, lowest, better = tried, value, True
        if not better:
            step /= 2
    return best


@cache
def lines() -> tuple[Line, ...]:
    """All 80 lines in both directions."""
    return tuple(line(each, kind, terms(kind)) for kind in ("read", "write") for each in survey())
