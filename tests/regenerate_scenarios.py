"""`python -m tests.regenerate_scenarios` writes what `raidtui propose` answers to every scenario, as text.

A scenario is `tests/scenarios/NAME.json`: what somebody asks of which disks, and what they may expect of the answer.
It is written by hand; `NAME.txt` beside it is the answer in full, for reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from raidtui.advice.proposals.propose import propose
from raidtui.answers.proposal import proposal_text
from raidtui.machine.inventory.shipped import load, names
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import Assumptions
from raidtui.values.codec import from_json
from raidtui.values.proposal import Constraints, Proposal

FOLDER = Path(__file__).resolve().parent / "scenarios"


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What the answer must hold; what is left out is not looked at."""

    picks: Mapping[str, str] = field(default_factory=dict)
    """name to layout"""
    on_front: tuple[str, ...] = ()
    """layouts that must be on the front"""
    off_front: tuple[str, ...] = ()
    """layouts that must not be"""
    questions: tuple[str, ...] = ()
    """questions that must be answered"""
    findings: tuple[str, ...] = ()
    """codes of all findings, in order"""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Somebody's requirements and disks."""

    title: str
    """who asks what"""
    disks: str
    """a shipped chassis, or a purchase such as 60x2TB"""
    constraints: Constraints = field(default_factory=Constraints)
    """what is asked"""
    assumptions: Assumptions = field(default_factory=Assumptions)
    """what is said of the disks"""
    expected: Expected = field(default_factory=Expected)
    """what the answer must hold"""


def scenarios() -> dict[str, Scenario]:
    """Every scenario by name."""
    return {path.stem: read(path) for path in sorted(FOLDER.glob("*.json"))}


def read(path: Path) -> Scenario:
    """The scenario in one file."""
    return from_json(Scenario, path.read_text("ascii"), source=path.name)


def answered(scenario: Scenario) -> Proposal:
    """What the search says."""
    inventory = load(scenario.disks) if scenario.disks in names() else purchase(scenario.disks)
    return propose(inventory, inventory.free, scenario.constraints, scenario.assumptions)


def text(scenario: Scenario, proposal: Proposal) -> str:
    """The committed text: the question, then the answer."""
    return f"{scenario.title}\n\n{proposal_text(proposal)}\n"


def main() -> None:
    """Writes every text."""
    for name, scenario in scenarios().items():
        (FOLDER / f"{name}.txt").write_text(text(scenario, answered(scenario)), encoding="ascii")


if __name__ == "__main__":
    main()
