"""The chain against a seeded simulation that knows nothing of it, at rates high enough to see losses.

Time is in years; a disk fails once a year, which makes rebuilds of minutes and restocking of hours out of real ones.
"""

import math
from dataclasses import replace
from random import Random

import pytest

from raidtui.predict.risk.loss_rates import hazards, loss_rates
from raidtui.values.assumptions import Assumptions
from raidtui.values.layout import Layout, Level, Spread
from raidtui.values.units import HOURS_PER_YEAR
from tests.planner.simulate_risk import Story, World, play


def random_layout(pick: Random) -> Layout:
    level: Level = pick.choice(("raid1", "raid4", "raid5", "raid5", "raid6", "raid6", "raid10", "raid10"))
    copies = pick.choice((2, 2, 3)) if level == "raid10" else 2
    spread: Spread = pick.choice(("n", "f", "o")) if level == "raid10" else "n"
    least, most = {"raid1": (2, 3), "raid6": (4, 8), "raid10": (copies, 8)}.get(level, (2, 8))
    return Layout.of(
        level=level,
        members=pick.randint(least, most),
        arrays=pick.randint(1, 5),
        spares=pick.choice((0, 1, 1, 2, 3)),
        copies=copies,
        spread=spread,
    )


def random_world(pick: Random) -> World:
    layout = random_layout(pick)
    hurry = 0.01 if layout.survives == 1 else 0.04
    width = layout.first.copies if layout.level == "raid10" else layout.first.members
    rebuild = hurry * pick.uniform(0.5, 1) / width
    return World(layout, 1.0, rebuild, rebuild * pick.uniform(1, 4), shared=layout.arrays == 1 or pick.random() < 0.6)


def stories(world: World, random: Random, failures: int = 40_000) -> list[Story]:
    """About as many lives as have so many failures in them, 50 at least."""
    found = [play(world, random) for _ in range(50)]
    life = sum(story.time for story in found) / len(found)
    more = failures / (world.layout.arrays * world.layout.first.members * world.failure * life)
    return found + [play(world, random) for _ in range(int(more) - len(found))]


def assumed(world: World) -> Assumptions:
    return Assumptions(afr=world.failure, restock_days=world.restock_time * 365, monitor=world.shared)


def deviation(found: list[Story], mean: float) -> float:
    """How many standard errors the mean life is off; lives are exponential, as near as can be."""
    life = sum(story.time for story in found) / len(found)
    return (life / mean - 1) * math.sqrt(len(found))


@pytest.mark.parametrize(
    ("numbers", "least", "most"),
    [(range(3, 10), 0.6, 25), pytest.param(range(50), 25, 85, marks=pytest.mark.long)],
    ids=["seven", "fifty"],
)
def test_layouts_live_as_long_as_the_chain_says(numbers: range, least: float, most: float) -> None:
    """`least` and `most`: of the sum of the squares of so many deviations. Seven live too short to cost much."""
    pick = Random(20250101)
    worlds = [random_world(pick) for _ in range(50)]
    deviations = []
    for number in numbers:
        world = worlds[number]
        found = stories(world, Random(number))
        rates = loss_rates(world.layout, world.rebuild_time * HOURS_PER_YEAR, assumed(world))
        off = deviation(found, 1 / (rates.array * HOURS_PER_YEAR))
        assert abs(off) < 4, (world, off, len(found))
        deviations.append(off)
        exhausted = sum(story.exhausted for story in found)
        seen = exhausted / sum(story.time for story in found) / (rates.critical * HOURS_PER_YEAR)
        assert 0.85 < seen < 1 + 4 / math.sqrt(exhausted), (world, seen)
    assert least < sum(off * off for off in deviations) < most
    assert abs(sum(deviations)) < 4 * math.sqrt(len(numbers))


@pytest.mark.parametrize(
    ("level", "members"),
    [("raid1", 2), *(pytest.param(level, 8, marks=pytest.mark.thorough) for level in ("raid5", "raid6"))],
)
def test_a_rebuild_of_fixed_length_is_as_dangerous(level: Level, members: int) -> None:
    """The pass starts over with each spare that joins, so a second missing member is not rebuilt in what is left."""
    layout = Layout.of(level=level, members=members, spares=3)
    hurry = 0.02 if layout.survives == 1 else 0.06
    world = World(layout, 1.0, hurry / members, hurry / members, exponential=False)
    found = stories(world, Random(7), failures=200_000)
    rates = loss_rates(layout, world.rebuild_time * HOURS_PER_YEAR, assumed(world))
    assert len(found) > 300
    assert abs(deviation(found, 1 / (rates.array * HOURS_PER_YEAR))) < 4


@pytest.mark.parametrize(("spares", "restock"), [(4, 0.5), (0, 3.0)], ids=["spares at hand", "each waits for a disk"])
def test_a_raid6_meets_unreadable_sectors_only_where_no_rebuild_has_been(spares: int, restock: float) -> None:
    """md reads a member that is being rebuilt up to where that came. To read all of it meets one sector on average.

    The simulation draws where each rebuild was; it is told a probability for what is left, no more. Ours counts
    failures after the second one too, which are a few of a hundred at these rates.
    """
    world = World(Layout.of(level="raid6", members=6, spares=spares), 1.0, 0.004, 0.004 * restock, exponential=False)
    found = stories(world, Random(11), failures=120_000)
    shares = [share for story in found for share in story.left]
    assert len(shares) > 2_000
    seen = sum(1 - math.exp(-share) for share in shares) / sum(story.time for story in found)
    assumptions = replace(assumed(world), ure_per_bit=1 / (8 * 4 * 1e12))
    rates = loss_rates(world.layout, world.rebuild_time * HOURS_PER_YEAR, assumptions)
    ours = hazards(rates, 10**12, 0, assumptions).sector
    assert seen / ours == pytest.approx(0.97, abs=0.03 + 4 / math.sqrt(len(shares)))
    if spares:
        assert sum(shares) / len(shares) == pytest.approx(0.5, abs=0.03)
    else:
        assert 0.8 < sum(shares) / len(shares) < 0.95
