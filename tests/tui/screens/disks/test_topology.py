"""Controllers and what hangs on them."""

from __future__ import annotations

from raidtui.machine.inventory.shipped import load
from raidtui.tui.screens.disks.topology import tree, visible
from raidtui.values.inventory import Disk, Inventory, Place


def test_a_shelf_with_expanders_is_a_tree_of_two_levels() -> None:
    first, second = tree(load("e2660"))
    assert first.words == "03:00.0 SAS2 host adapter, two mini-SAS 6G ports"
    assert first.link == "5 GT/s x8"
    assert [len(branch.disks) for branch in first.branches] == [6, 6, 6, 6, 6]
    assert [branch.row for branch in first.branches] == ["drawer 1", "drawer 2", "drawer 3", "drawer 4", "drawer 5"]
    assert [len(list(visible((first, second), shut))) for shut in (frozenset(), frozenset({first.path}))] == [12, 7]


def test_disks_that_do_not_say_where_they_hang_come_last() -> None:
    disks = (Disk(id="a", size_bytes=1), Disk(id="b", size_bytes=1, place=Place(controller="0000:01:00.0")))
    found = tree(Inventory(origin="machine", name="m", disks=disks))
    assert [branch.words for branch in found] == ["01:00.0", "location unknown"]
    assert [[disk.id for disk in branch.disks] for branch in found] == [["b"], ["a"]]
