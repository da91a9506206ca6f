"""The grid of disks: each has its short name above its value where the lines suffice."""

from __future__ import annotations

from raidtui.tui.gauges.groups import GaugeGroup
from raidtui.tui.gauges.rows import evened, gridded
from raidtui.values.gauges import WatchedDisk


def disks(*names: str, bays: bool = False) -> tuple[WatchedDisk, ...]:
    return tuple(
        WatchedDisk(name=name, id=name, size_bytes=1, slot=f"bay {number}" if bays else "", role="member")
        for number, name in enumerate(names, start=1)
    )


def groups(arrays: int, members: int) -> list[GaugeGroup]:
    return [
        GaugeGroup(key=f"md{number}", name=f"md{number}", title=f"md{number}",
              disks=disks(*(f"sd{chr(97 + number)}{chr(97 + at)}" for at in range(members))))
        for number in range(arrays)
    ]  # fmt: skip


def test_each_array_takes_two_lines_where_those_suffice_and_one_without_names_where_not() -> None:
    four = groups(4, 15)
    named = gridded(four, None, (), 80, 8)
    assert (named.form, len(named.rows)) == ("tagged", 8)
    assert [row.tags[:2] for row in named.rows if row.tags] == [
        ("sdaa", "sdab"), ("sdba", "sdbb"), ("sdca", "sdcb"), ("sdda", "sddb"),
    ]  # fmt: skip
    assert gridded(four, None, (), 80, 7).form == "figures"


def test_bars_take_the_lines_that_there_are_with_the_name_below_each() -> None:
    four = groups(4, 15)
    high = gridded(four, None, (), 130, 24, bars=True)
    assert (high.form, len(high.rows), high.rows[1].of) == ("bars", 24, 3)
    first = [row for row in high.rows if row.group is four[0]]
    assert [(row.level, len(row.bars), len(row.disks), row.tags[:1]) for row in first] == [
        (0, 0, 0, ()), (2, 15, 0, ()), (1, 15, 0, ()), (0, 15, 0, ()), (0, 0, 15, ()), (0, 0, 0, ("sdaa",)),
    ]  # fmt: skip
    low = gridded(four, None, (), 130, 16, bars=True)
    assert [(row.level, len(row.bars), len(row.disks)) for row in low.rows[:4]] == [
        (0, 0, 0), (1, 15, 0), (0, 15, 0), (-1, 0, 15),
    ]  # fmt: skip
    assert gridded(four, None, (), 130, 15, bars=True).form == "named"


def test_names_stay_above_their_values_in_blocks_side_by_side() -> None:
    found = evened(gridded(groups(5, 4), None, (), 78, 4))
    assert (found.form, found.blocks, found.height) == ("tagged", 3, 4)
    assert all(found.rows[at].tags and not found.rows[at + 1].tags for at in range(0, len(found.rows), 2))
