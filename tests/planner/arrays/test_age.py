"""Which of two sides of an array is older: by event counts, update times and rosters together, else nobody can tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from raidtui.advice.arrays.age import age_of
from raidtui.values.arrays import ArrayMember, MemberSuperblock

BEFORE, NOW = "Thu Nov 26 10:05:17 2026", "Thu Nov 26 11:30:00 2026"
TOMORROW, YEAR_1970, YEAR_2037 = "Fri Nov 27 09:00:00 2026", "Thu Jan  1 00:04:12 1970", "Sun Nov 29 10:00:00 2037"
READ_AT = "2026-11-26T12:00:00+00:00"


def device(letter: str, role: int | None, events: int, updated: str, roster: str, **more: Any) -> ArrayMember:
    block = MemberSuperblock(
        level="raid1", devices=len(roster), role=role, events=events, updated=updated, roster=roster, features=0,
        clean=True,
    )  # fmt: skip
    return replace(ArrayMember(slot=role, state="in-sync", device=f"sd{letter}", superblock=block), **more)


def lost(role: int | None, events: int, updated: str, roster: str) -> ArrayMember:
    return device("z", role, events, updated, roster, state="dropped")


HALF = device("b", 1, 140, NOW, ".A")
"""what a mirror runs on since it lost the other half"""


def verdict(member: ArrayMember, *ours: ArrayMember, now: str = READ_AT) -> tuple[str, str]:
    found = age_of((*ours, member), member, now)
    return found.verdict, found.reason


def test_it_left_and_the_array_went_on() -> None:
    found = age_of((HALF, dropped := lost(0, 118, BEFORE, "AA")), dropped, READ_AT)
    assert (found.verdict, found.reason) == ("older", "")
    assert found.read == (
        "event count 118, the array's 140; last written Thu Nov 26 10:05:17 2026, the array Thu Nov 26 11:30:00 2026; "
        "slots AA by it, .A by the array"
    )


def test_dropped_a_moment_ago() -> None:
    """md writes that it failed to the other one: a count or two, in the same second."""
    assert verdict(lost(0, 138, NOW, "AA"), HALF) == ("older", "")
    assert verdict(lost(0, 140, NOW, ".A"), HALF) == ("same", "")  # the last write reached both
    three = device("c", 2, 140, NOW, ".AA")
    assert verdict(lost(0, 138, NOW, "AAA"), device("b", 1, 140, NOW, ".AA"), three) == ("older", "")


def test_a_member_that_was_replaced() -> None:
    """mdadm --replace: its own superblock says that its place was being taken, and another disk has it."""
    ours = (device("c", 0, 60, NOW, "AA"), device("d", 1, 60, NOW, "AA"))
    assert verdict(lost(0, 50, BEFORE, "RA"), *ours) == ("replaced", "")
    assert verdict(lost(0, 50, BEFORE, "AA"), *ours) == ("older", "")  # failed, and rebuilt onto another
    assert verdict(lost(0, 50, BEFORE, "RA"), ours[1]) == ("older", "")  # nobody is in its place


def test_same_count_and_another_time() -> None:
    """A boot started each half alone, and both counted the same number of changes."""
    assert verdict(lost(0, 140, BEFORE, "A."), HALF) == (
        "apart", "each lists itself and not the other: both were written alone",
    )  # fmt: skip
    assert verdict(lost(0, 140, BEFORE, "AA"), HALF) == (
        "unknown", "the counts are the same and the times are not: both were written since",
    )  # fmt: skip


def test_both_ran_alone_whatever_they_count() -> None:
    for events, updated in ((118, BEFORE), (118, TOMORROW), (155, BEFORE), (155, NOW)):
        found, reason = verdict(lost(0, events, updated, "A."), HALF)
        assert (found, reason) == ("apart", "each lists itself and not the other: both were written alone")


def test_more_events_than_the_array_that_runs() -> None:
    """The boot came up with the removed disks: what was in the array until the power cut is not in it now."""
    old = (device("a", 0, 51, TOMORROW, "AA"), device("b", 1, 51, TOMORROW, "AA"))
    new = tuple(device(letter, role, 56, NOW, "AA", state="dropped") for role, letter in enumerate("cd"))
    reason = "it counts more changes and was written earlier: a clock was wrong, or both were written alone"
    for each in new:
        found = age_of((*old, *new), each, "2026-11-27T12:00:00+00:00")
        assert (found.verdict, found.reason) == ("unknown", reason)
        assert found.read.startswith("event count 56, the array's 51; last written Thu Nov 26 11:30:00 2026, the array")


def test_written_after_the_array_that_runs_and_with_it() -> None:
    """More changes, later, and it lists the members that run: these missed what it got."""
    ours = (device("b", 1, 140, BEFORE, "AAA"), device("c", 2, 140, BEFORE, "AAA"))
    assert verdict(lost(0, 150, NOW, "AAA"), *ours) == ("newer", "")
    assert verdict(lost(0, 150, NOW, "AAA"), *(replace(each, superblock=HALF.superblock) for each in ours)) == (
        "unknown",
        "it counts more changes, and the array ran without it",
    )


@pytest.mark.parametrize("wrong", [YEAR_1970, YEAR_2037, "", "Do 26. Nov 10:05:17 2026"])
def test_a_clock_that_was_wrong_decides_nothing(wrong: str) -> None:
    reason = "its update time is no time of a working clock"
    assert verdict(lost(0, 118, wrong, "AA"), HALF) == ("unknown", reason)
    ours = replace(HALF, superblock=replace(HALF.superblock, updated=wrong))  # type: ignore[type-var]
    assert verdict(lost(0, 118, BEFORE, "AA"), ours) == (
        "unknown", "the array's update time is no time of a working clock",
    )  # fmt: skip


def test_fewer_events_and_a_later_time() -> None:
    assert verdict(lost(0, 118, NOW, "AA"), replace(HALF, superblock=replace(HALF.superblock, updated=BEFORE))) == (  # type: ignore[type-var]
        "unknown", "it counts fewer changes and was written later: a clock was wrong, or both were written alone",
    )  # fmt: skip


def test_what_was_not_read_decides_nothing() -> None:
    unread = ArrayMember(state="dropped", device="sdz", unread="mdadm: must be super-user")
    found = age_of((HALF, unread), unread, READ_AT)
    assert (found.verdict, found.read) == ("unknown", "its superblock was not read (mdadm: must be super-user)")
    dropped = lost(0, 118, BEFORE, "AA")
    assert verdict(dropped, ArrayMember(state="in-sync", device="sdb")) == (
        "unknown", "no superblock of the array's members was read",
    )  # fmt: skip
    assert verdict(lost(0, 118, BEFORE, ""), HALF) == ("unknown", "its metadata has no list of slots")
    spare = lost(None, 118, BEFORE, "AA")
    assert verdict(spare, HALF) == ("spare", "")
    assert verdict(lost(None, 999, BEFORE, "AA"), HALF) == (
        "unknown", "it has no slot, and counts more changes than the array",
    )  # fmt: skip


def test_without_a_time_of_the_look_only_the_past_is_checked() -> None:
    assert verdict(lost(0, 118, BEFORE, "AA"), HALF, now="") == ("older", "")
    assert verdict(lost(0, 118, YEAR_1970, "AA"), HALF, now="")[0] == "unknown"
    late = replace(HALF, superblock=replace(HALF.superblock, updated=YEAR_2037))  # type: ignore[type-var]
    assert verdict(lost(0, 118, BEFORE, "AA"), late, now="")[0] == "older"
    assert verdict(lost(0, 118, BEFORE, "AA"), late)[0] == "unknown"


def test_two_that_left_together_are_one_side() -> None:
    """Slots that they fill themselves say nothing about the array's members in them."""
    ours = (device("c", 0, 60, NOW, "AA"), device("d", 1, 60, NOW, "AA"))
    pair = tuple(device(letter, role, 50, BEFORE, "AA", state="dropped") for role, letter in enumerate("ab"))
    found = age_of((*ours, *pair), pair[0], READ_AT)
    assert (found.verdict, found.reason) == (
        "unknown", "what left with it has every slot of the array: they may have been written alone",
    )  # fmt: skip
    assert found.grave
