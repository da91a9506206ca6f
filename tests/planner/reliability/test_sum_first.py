"""The headline is the sum, with the figure to plan with; proposals and guide say it in the same words."""

from __future__ import annotations

import pytest

from raidtui.advice.proposals.pick_reasons import suggestion
from raidtui.advice.proposals.propose import propose
from raidtui.answers.design import strip
from raidtui.answers.figures import figure_groups, headline
from raidtui.answers.proposal import proposal_text
from raidtui.machine.inventory.shipped import load
from raidtui.predict.design import assess, predict
from raidtui.predict.placement.place import placed_disks
from raidtui.values.amounts import loss_words
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.design import Design
from raidtui.values.notation import LayoutText, parse
from raidtui.values.prediction import either, within
from raidtui.values.proposal import Constraints

E2660 = load("e2660")


def test_words() -> None:
    assert loss_words(1 / 7200, 1 / 2100) == "1 in 7 200 a year, at worst 1 in 2 100"
    assert loss_words(1 / 7200, 1 / 7200) == "1 in 7 200 a year"


def test_two_independent_events_and_several_years() -> None:
    assert either(0.5, 0.5) == 0.75
    assert within(0.5, 2) == pytest.approx(0.75)
    assert within(1.0, 5) == pytest.approx(1.0)


# By disks these are 1 in 51 000, 1 in 140 000 and less than 1 in a million; an enclosure's outage 1 in 10 000.
@pytest.mark.parametrize(
    ("layout", "whole", "worst", "disks"),
    [
        ("4x(12+2)+4", "1 in 8 400", "1 in 3 300", "1 in 51 000"),
        ("6x(7+2)+6", "1 in 9 300", "1 in 5 800", "1 in 140 000"),
        ("15x raid1(4)", "1 in 10 000", "1 in 9 200", "< 1 in 1 000 000"),
    ],
)
def test_model_and_strip_say_the_sum_first(layout: str, whole: str, worst: str, disks: str) -> None:
    design = Design(layout=parse(layout))
    chosen = placed_disks(design.layout, E2660.disks)
    found = assess(design, chosen, predict(design, chosen), E2660, DEFAULTS, spread=True)
    shown = (*headline(found, DEFAULTS), *figure_groups(found, DEFAULTS).causes)
    rows = {row.title: (row.value, row.notes) for row in shown}
    assert rows["Loss a year"] == (whole, (f"plan with {worst}", "the value for correlated failures"))
    assert rows["Array loss"][1][-1] == "a volume is gone"
    assert rows["Sector loss"][1][-1].startswith("4 KiB of a file, at 1e-15 errors a bit, assumed; ")
    assert rows["Sector loss"][1][-1].endswith(
        "1 in 1 000 000 at 3e-16, as measured" if "raid1" in layout else "0 at 3e-16, as measured"
    )
    assert rows["Enclosure loss"] == ("1 in 10 000", ("a year, assumed",))
    figures = {row.title: (row.value, row.notes) for row in strip(found, DEFAULTS, chosen, "streams")}
    assert figures["Loss a year"] == (whole, (f"plan with {worst}; by disks {disks}", f"plan with {worst}"))


def test_propose_and_guide_say_it_in_the_same_words() -> None:
    constraints = Constraints(compare=(LayoutText.read("4x(12+2)+4"),))
    proposal = propose(E2660, E2660.disks, constraints)
    text = " ".join(proposal_text(proposal, width=100).split())
    assert "LOSS ARRAY WORST" in text
    assert "Loss is the chance within a year that any data is lost, mostly 4 KiB of a file" in text
    asked = next(each.answer for each in proposal.why_not if each.question == "And 4x(12+2)+4?")
    assert "loss 1 in 8 400 a year, at worst 1 in 3 300" in asked
    facts = dict(suggestion(proposal, constraints, DEFAULTS).facts)
    assert (facts["of an array"], facts["of a sector"]) == (
        "< 1 in 1 000 000 a year: a volume", "1 in 51 000 a year: 4 KiB of a file",
    )  # fmt: skip
    assert facts["by an outage"] == "1 in 10 000 a year: of the enclosure"
    assert facts["loss of data"] == "1 in 8 400 a year, at worst 1 in 3 300"
