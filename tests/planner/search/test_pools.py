"""What the guide suggests for pools of disks that people have, beside what should be built of them.

About half of the layouts were named by a storage expert who reviewed earlier answers; the others follow the same rules:
two parities where a rebuild reads far, spares as restocking needs them, two copies for databases, no disk counted that
goes unused.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.model.assumptions import defaults_for
from raidtui.model.inventory import Inventory
from raidtui.planner.design.guide_answers import answered, first_answers, wanted
from raidtui.planner.design.purchase import purchase
from raidtui.planner.search.pick_reasons import suggestion
from raidtui.planner.search.propose import propose

POOLS: tuple[tuple[str, str, str, str], ...] = (
    ("4x18TB", "", "streams", "(2+2)"),
    ("12x20TB", "", "streams", "(9+2)+1"),
    ("60x2TB", "", "streams", "4x(12+2)+4"),
    ("84x10TB", "", "streams", "5x(14+2)+4"),
    ("36x16TB", "", "streams", "3x(9+2)+3"),
    ("3x1TB", "", "streams", "(2+1)"),
    ("6x8TB", "2x240GB", "streams", "(4+2)"),
    ("6x12TB", "2x960GB", "streams", "(4+2)"),
    ("1x250GB,6x4TB", "", "backup", "(4+2)"),
    ("", "24x7680GB", "databases", "raid10(22)+2"),
    ("", "8x1920GB", "databases", "raid10(6)+2"),
    ("6x12TB", "2x960GB", "databases", "raid10(6)"),
    ("6x8TB", "2x240GB", "databases", "raid10(6)"),
    ("12x20TB", "", "databases", "raid10(10)+2"),
    ("60x2TB", "", "databases", "raid10(58)+2"),
    ("4x18TB", "", "databases", "raid10(4)"),
)
"""hard disks, flash disks, what it is for, the layout; all other answers as they are picked at first"""


def machine(disks: str, flash: str) -> Inventory:
    """A machine with these disks; flash disks have names of their own."""
    bought = (*(purchase(disks).disks if disks else ()), *(purchase(flash, rotational=False).disks if flash else ()))
    named = tuple(replace(disk, id=f"d{at:02}", by_id=(f"d{at:02}",)) for at, disk in enumerate(bought))
    return Inventory(origin="chassis", name="pool", disks=named)


@pytest.mark.parametrize(("disks", "flash", "purpose", "layout"), POOLS)
def test_the_guide_suggests_what_should_be_built(disks: str, flash: str, purpose: str, layout: str) -> None:
    inventory = machine(disks, flash)
    answers = answered(first_answers(inventory.disks), "purpose", purpose)
    asked = wanted(answers, defaults_for(inventory.disks), inventory.disks)
    proposal = propose(inventory, inventory.disks, asked.constraints, asked.assumptions)
    found = suggestion(proposal, asked.constraints, asked.assumptions).candidate
    assert found is not None
    assert found.layout == layout
    assert found.spares >= found.spares_enough


def test_bands_are_suggested_where_they_hold_a_third_more() -> None:
    """Any two of five disks may fail: arrays of whole disks hold 10.8 TiB, bands 14.4 TiB."""
    inventory = machine("2x4TB,3x8TB", "")
    answers = answered(first_answers(inventory.disks), "breaks", "two")
    asked = wanted(answers, defaults_for(inventory.disks), inventory.disks)
    proposal = propose(inventory, inventory.disks, asked.constraints, asked.assumptions)
    found = suggestion(proposal, asked.constraints, asked.assumptions).candidate
    assert found is not None
    assert found.layout == "hybrid(5,2)"
    assert not any(each.picks for each in proposal.candidates if each.layout == "hybrid(5)")


@pytest.mark.parametrize(("disks", "flash", "most"), [("12x20TB", "", "raid10(10)+2"), ("60x2TB", "", "raid10(58)+2")])
def test_small_requests_alone_make_mirrors_the_fastest(disks: str, flash: str, most: str) -> None:
    """RAID10 of large disks is a pick, although a rebuild may meet an unreadable sector."""
    inventory = machine(disks, flash)
    asked = replace(wanted(first_answers(()), defaults_for(inventory.disks), ()).constraints, survive=1)
    asked = replace(asked, wishes=("random-write", "random-read"))
    picks = {pick.name: pick.layout for pick in propose(inventory, inventory.disks, asked).picks}
    assert picks["fastest"] == most
