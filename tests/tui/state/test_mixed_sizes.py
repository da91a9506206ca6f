"""Disks of several sizes: Design says which it leaves idle and what a hybrid layout would hold, Compare offers it."""

from __future__ import annotations

from raidtui.machine.inventory.shipped import load
from raidtui.predict.stated_disks import purchase
from raidtui.session.decision import gain_words, idle_words, mixed_sizes
from raidtui.session.session import Session
from raidtui.values.notation import show
from tests.tui.robot import RUN_ID, robot


def session(disks: str) -> Session:
    return Session(purchase(disks), run_id=RUN_ID)


def test_disks_of_one_size_leave_nothing_idle() -> None:
    assert mixed_sizes(session("6x4TB").outcome) is None
    assert mixed_sizes(Session(load("e2660"), run_id=RUN_ID).outcome) is None


def test_a_small_third_disk_would_add_its_own_size() -> None:
    # Bands of 250 GB over three disks (RAID5: 500 GB) and of 750 GB over two (mirror) hold 250 GB more than a mirror.
    found = mixed_sizes(session("2x1TB,1x250GB").outcome)
    assert found is not None and found.layout is not None
    assert (show(found.layout), idle_words(found)) == ("hybrid(3)", "1 disk of 250 GB is idle")
    assert 245 <= found.more_bytes / 1e9 <= 250
    assert gain_words(found) == "hybrid(3) holds 230.8 GiB more"


def test_large_disks_that_count_as_small_ones_would_add_what_is_left_of_them() -> None:
    # (4+2) holds 8 TB; bands of 2 TB over six disks and of 2 TB over the two large ones, of which none would be left.
    found = mixed_sizes(session("4x2TB,3x4TB").outcome)
    assert found is not None and found.layout is not None
    assert (show(found.layout), idle_words(found)) == ("hybrid(7,2)", "")
    assert 1.9 <= found.more_bytes / 1e12 <= 2


def test_where_no_hybrid_layout_holds_more_only_the_disks_are_named() -> None:
    # One disk of 8 TB beside four of 4 TB: RAID6 of five would hold more, so would a hybrid layout of one band.
    found = mixed_sizes(session("4x4TB,1x500GB").outcome)
    assert found is not None
    assert idle_words(found) == "1 disk of 500 GB is idle"


async def test_design_says_what_is_idle_and_compare_offers_it() -> None:
    async with robot(purchase("2x1TB,1x250GB")) as user:
        await user.press("2")
        assert user.sees("1 disk of 250 GB is idle")
        await user.press("3")
        await user.settle()
        assert any("hybrid(3)" in text for text in user.lines()[:-2])
