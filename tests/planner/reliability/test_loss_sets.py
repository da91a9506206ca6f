"""Sets of disks whose loss is an array's, against the layout of chunks as md(4) draws it."""

from itertools import combinations

import pytest

from raidtui.predict.risk.loss_rates import loss_sets
from raidtui.values.layout import ArrayShape, Spread
from raidtui.values.notation import parse
from tests.planner.simulate_risk import data_sets


@pytest.mark.parametrize("spread", ["n", "f", "o"])
@pytest.mark.parametrize(
    ("members", "copies"), [(members, copies) for copies in (2, 3, 4) for members in range(copies, 10)]
)
def test_raid10_sets_are_those_that_hold_all_copies_of_a_chunk(members: int, copies: int, spread: Spread) -> None:
    layout = ArrayShape(level="raid10", members=members, copies=copies, spread=spread)
    sets = loss_sets(layout)
    assert sets.count == len(data_sets(layout))
    assert (sets.width, sets.tolerance) == (copies, copies - 1)
    assert sets.count * sets.read_share == pytest.approx(members / copies)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [("raid10(4)", 2), ("raid10(5)", 5), ("raid10(4,f2)", 4), ("raid10(4,o2)", 4), ("raid10(2,f2)", 1)],
)
def test_pairs_that_kill_a_raid10(text: str, pairs: int) -> None:
    """Near copies of an even array pair it off; far, offset and uneven ones share each disk with two neighbours."""
    layout = parse(text).first
    fatal = [
        pair
        for pair in combinations(range(layout.members), 2)
        if any(disks <= set(pair) for disks, _ in data_sets(layout))
    ]
    assert len(fatal) == pairs == loss_sets(layout).count
