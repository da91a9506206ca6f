"""Failure domains are what the inventory says, and nothing is made up where it says nothing."""

from __future__ import annotations

import pytest

from raidtui.machine.inventory.shipped import load
from raidtui.predict.placement.domains import SPOTS, domain_names, drawer_of
from tests.planner.topologies import disk


@pytest.mark.parametrize(
    ("slot", "drawer"),
    [
        ("drawer 3 slot 04", "drawer 3"), ("backplane 1 slot 1", "backplane 1"), ("Tray 02, Disk 7", "Tray 02"),
        ("slot 01", ""), ("bay 12", ""), ("A07", ""), ("drawer 3", ""), ("ArrayDevice07", ""), ("0:1:3", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_drawer_is_one_only_where_the_slot_says_so(slot: str, drawer: str) -> None:
    assert drawer_of(slot) == drawer


def test_every_kind_of_domain_of_a_chassis() -> None:
    disks = load("e2660").disks
    assert domain_names(disks[:2], "enclosure") == ("0x3000000000e26600", "0x3000000000e26600")
    assert domain_names(disks[:2], "controller") == ("0000:03:00.0", "0000:04:00.0")
    assert domain_names(disks[:2], "expander") == ("expander-0:0", "expander-1:0")
    assert domain_names(disks[11:13], "drawer") == ("drawer 1", "drawer 2")


def test_drawers_of_several_enclosures_are_told_apart() -> None:
    disks = [disk(1, enclosure="a", slot="drawer 1 slot 1"), disk(2, enclosure="b", slot="drawer 1 slot 1")]
    assert domain_names(disks, "drawer") == ("drawer 1 of a", "drawer 1 of b")


def test_a_disk_without_an_expander_hangs_on_its_controller_and_one_without_either_is_unknown() -> None:
    assert SPOTS.of(disk(1)).unknown == {"enclosure", "controller", "expander", "drawer"}
    assert SPOTS.of(disk(1, controller="c")).unknown == {"enclosure", "drawer"}
    assert SPOTS.of(disk(1, enclosure="a")).unknown == {"controller", "expander"}
