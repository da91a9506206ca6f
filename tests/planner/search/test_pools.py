"""What the guide suggests for pools of disks that people have, beside what should be built of them.

The pools, their layouts and the guides that name them stand in `tests/validation/pools.py`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.advice.proposals.guide import answered, first_answers, wanted
from raidtui.advice.proposals.pick_reasons import suggestion
from raidtui.advice.proposals.propose import propose
from raidtui.values.assumptions import defaults_for
from tests.validation.pools import PAGE, POOLS, Pool, machine, page


@pytest.mark.parametrize(
    "pool", [pool for pool in POOLS if pool.expected], ids=lambda pool: f"{pool.disks} {pool.purpose}"
)
def test_the_guide_suggests_what_should_be_built(pool: Pool) -> None:
    found = pool.suggested()
    assert found.layout == pool.expected
    assert found.spares >= found.spares_enough


def test_forty_pools_each_have_a_guide_or_say_that_none_was_found() -> None:
    assert len(POOLS) == 40
    assert len({(pool.disks, pool.purpose) for pool in POOLS}) == 40
    assert all(bool(pool.guide) == bool(pool.source[1]) for pool in POOLS)
    assert all(pool.expected or pool.why for pool in POOLS)


def test_the_committed_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.validation`"


def test_bands_are_suggested_where_they_hold_a_third_more() -> None:
    """Any two of five disks may fail: arrays of whole disks hold 10.8 TiB, bands 14.4 TiB."""
    inventory = machine("2x4TB,3x8TB")
    answers = answered(first_answers(inventory.disks), "breaks", "two")
    asked = wanted(answers, defaults_for(inventory.disks), inventory.disks)
    proposal = propose(inventory, inventory.disks, asked.constraints, asked.assumptions)
    found = suggestion(proposal, asked.constraints, asked.assumptions).candidate
    assert found is not None
    assert found.layout == "hybrid(5,2)"
    assert not any(each.picks for each in proposal.candidates if each.layout == "hybrid(5)")


@pytest.mark.parametrize(("disks", "most"), [("12x20TB", "raid10(10)+2"), ("60x2TB", "raid10(58)+2")])
def test_small_requests_alone_make_mirrors_the_fastest(disks: str, most: str) -> None:
    """RAID10 of large disks is a pick, although a rebuild may meet an unreadable sector."""
    inventory = machine(disks)
    asked = replace(wanted(first_answers(()), defaults_for(inventory.disks), ()).constraints, survive=1)
    asked = replace(asked, wishes=("random-write", "random-read"))
    picks = {pick.name: pick.layout for pick in propose(inventory, inventory.disks, asked).picks}
    assert picks["fastest"] == most
