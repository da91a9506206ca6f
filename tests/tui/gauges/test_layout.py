"""The grid of disks: each has its short name above its value where the lines suffice."""

from __future__ import annotations

import pytest

from raidtui.tui.gauges.groups import GaugeGroup
from raidtui.tui.gauges.rows import evened, gridded, tags_of
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


@pytest.mark.parametrize(
    ("found", "tags"),
    [
        (disks("sda", "nvme0n1", bays=True), ("", ["b1", "b2"])),
        (disks("sda", "sdbh"), ("sd", ["a", "bh"])),
        (disks("sdabc"), ("sd", ["abc"])),
        (disks("sdabcd"), None),
        (disks("nvme0n1"), None),
    ],
)
def test_short_names_fit_above_a_value(found: tuple[WatchedDisk, ...], tags: tuple[str, list[str]] | None) -> None:
    made = tags_of(found)
    assert (made and (made[0], list(made[1].values()))) == tags


def test_each_array_takes_two_lines_where_those_suffice_and_one_without_names_where_not() -> None:
    four = groups(4, 15)
    named = gridded(four, None, (), 78, 8)
    assert (named.form, len(named.rows)) == ("tagged", 8)
    assert [row.tags[:2] for row in named.rows if row.tags] == [("aa", "ab"), ("ba", "bb"), ("ca", "cb"), ("da", "db")]
    assert gridded(four, None, (), 78, 7).form == "figures"


def test_names_stay_above_their_values_in_blocks_side_by_side() -> None:
    found = evened(gridded(groups(5, 4), None, (), 78, 4))
    assert (found.form, found.blocks, found.height) == ("tagged", 3, 4)
    assert all(found.rows[at].tags and not found.rows[at + 1].tags for at in range(0, len(found.rows), 2))
