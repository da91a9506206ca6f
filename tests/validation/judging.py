"""The rows of each class as they are judged: held out and with the shipped bands."""

from __future__ import annotations

from tests.validation.fit import held_out, judges, margin, outcomes
from tests.validation.predicted import GROUPS, Group, Outcome

BANDED: tuple[Group, ...] = (
    "flash, sequential", "flash, parity writes", "flash, random reads", "disks, random reads",
    "disks, random parity writes",
)  # fmt: skip
"""classes that are promised a band, not a figure"""


def judged(group: Group) -> list[Outcome]:
    """Judging rows of a class, each with a band made without its source."""
    return [held_out(each, margin(group)) for each in outcomes() if each.group == group and judges(each)]


def shipped(group: Group) -> list[Outcome]:
    """Judging rows of a class with the shipped band, which they helped to set."""
    return [each for each in outcomes() if each.group == group and judges(each)]


def banded() -> list[Outcome]:
    """Judging rows of all classes that are promised a band."""
    return [each for group in BANDED for each in judged(group)]


def outliers() -> list[Outcome]:
    """Judging rows outside the band made without their source."""
    return [each for group in GROUPS for each in judged(group) if not each.inside]
