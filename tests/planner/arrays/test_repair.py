"""What an array needs that lost a member: the line above every screen, the rows of Arrays, the order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidtui.advice.arrays.repair import gravest, heading, in_sync_words, line_words, repairs, row_words, state_words
from raidtui.values.arrays import ArrayMember, MdShape, MemberState, ObservedArray, Reshape, SyncNow
from raidtui.values.inventory import Place


def member(slot: int | None, state: MemberState, bay: int, **more: object) -> ArrayMember:
    place = Place(slot=f"drawer 1 slot {bay:02d}")
    return ArrayMember(
        slot=slot, state=state, device=f"sd{bay}", disk_id=f"id{bay}", serial=f"S{bay}", place=place,
        **more,  # type: ignore[arg-type]
    )  # fmt: skip


WHOLE = ObservedArray(
    name="md126", label="a:data-1", made_for="a", path="/dev/md/data-1", uuid="0:1:2:3", states=("clean",),
    level="raid6", devices=4, lacks=0, metadata="1.2", kernel_state="clean",
    members=tuple(member(slot, "in-sync", slot + 1) for slot in range(4)),
)  # fmt: skip
FAILED = member(None, "faulty", 2)
LOST = replace(
    WHOLE, states=("degraded", "clean"), lacks=1,
    members=(WHOLE.members[0], ArrayMember(slot=1, state="missing"), *WHOLE.members[2:], FAILED),
)  # fmt: skip
RECOVERS = SyncNow(action="recover", done_bytes=28, whole_bytes=100, bytes_per_s=1, seconds_left=15_120)
FILLS = replace(
    LOST, sync=RECOVERS,
    members=(WHOLE.members[0], member(1, "rebuilding", 12), *WHOLE.members[2:], FAILED),
)  # fmt: skip
JOURNAL = replace(
    WHOLE, states=("journal-lost", "clean"), consistency="journal",
    members=(*WHOLE.members, member(None, "faulty", 9, flags=("faulty", "journal"))),
)  # fmt: skip
GROWS = replace(
    WHOLE, states=("reshaping", "active"), devices=5,
    reshape=Reshape(before=MdShape(level="raid6", devices=4), position_bytes=2**20),
)  # fmt: skip


def rows(array: ObservedArray) -> list[tuple[str, str]]:
    return [(row, row_words(each, row, member)) for each in repairs((array,)) for row, member in each.rows]


@pytest.mark.parametrize(
    ("array", "line", "state", "found"),
    [
        (LOST, "drawer 1 slot 02 of data-1 is missing: 9 shows what to do", "DEGRADED: survives 1 more",
         [("pull", "faulty")]),
        (FILLS, "drawer 1 slot 02 of data-1 is missing; drawer 1 slot 12 fills, 28 %, 4.2 h left: 9 shows what to do",
         "DEGRADED: survives 1 more", [("pull", "faulty"), ("filling", "28 %, 4.2 h left")]),
        (replace(FILLS, members=FILLS.members[:-1]),
         "data-1: drawer 1 slot 12 fills, 28 %, 4.2 h left: 9 shows what to do",
         "DEGRADED: survives 1 more", [("filling", "28 %, 4.2 h left")]),
        (replace(LOST, members=LOST.members[:-1]), "member 1 of data-1 is missing: 9 shows what to do",
         "DEGRADED: survives 1 more", [("gone", "nothing fills this slot")]),
        (JOURNAL, "data-1 lost its journal drawer 1 slot 09: 9 shows what to do", "JOURNAL-LOST: survives 2 more",
         [("pull", "journal failed: every write fails")]),
        (replace(JOURNAL, members=WHOLE.members), "data-1 lost its journal: 9 shows what to do",
         "JOURNAL-LOST: survives 2 more", []),
        (GROWS, "", "RESHAPING: survives 2 more", [("reshape", "4 to 5 members, up to 1 MiB of the array")]),
        (replace(WHOLE, members=(*WHOLE.members, FAILED)), "", "WHOLE: survives 2 more", [("pull", "faulty")]),
        (replace(WHOLE, states=("failed", "clean"), level="raid0", lacks=None, kernel_state="broken"),
         "data-1 has failed: 9 shows what to do", "FAILED", []),
    ],
)  # fmt: skip
def test_each_state_has_its_line_and_rows(
    array: ObservedArray, line: str, state: str, found: list[tuple[str, str]]
) -> None:
    (each,) = repairs((array,))
    assert line_words((each,)) == line
    assert state_words(each) == state
    assert rows(array) == found


def test_a_reshape_and_a_first_sync_are_no_repair() -> None:
    built = [each.disk_id for each in WHOLE.members]
    (first,) = repairs((replace(WHOLE, sync=replace(RECOVERS, action="resync"), members=(
        *WHOLE.members[:3], member(3, "rebuilding", 4))),), {WHOLE.uuid: built})  # fmt: skip
    (grows,), (lost,) = repairs((GROWS,)), repairs((LOST,))
    (both,) = repairs((replace(GROWS, lacks=1, members=LOST.members),))
    assert [each.reshapes for each in (first, grows, lost, both)] == [False, True, False, False]
    assert heading((grows,)) == "Reshape"
    assert heading((first,)) == "First sync"
    assert heading((first, grows)) == "First sync, Reshape"
    assert heading((lost, grows)) == heading((both,)) == "To repair"


def test_a_whole_array_needs_nothing_and_a_spare_is_no_repair() -> None:
    assert repairs((WHOLE, replace(WHOLE, members=(*WHOLE.members, member(None, "spare", 5))))) == ()
    assert line_words(()) == ""


def test_the_worst_array_comes_first_and_the_line_counts_the_others() -> None:
    worse = replace(
        LOST, path="/dev/md/data-2", lacks=2, members=(*LOST.members[2:4], FAILED, member(None, "faulty", 7))
    )
    assert [each.path for each in gravest((WHOLE, LOST, worse))] == [
        "/dev/md/data-2",
        "/dev/md/data-1",
        "/dev/md/data-1",
    ]
    data = [replace(WHOLE, path=f"/dev/md/data-{number}") for number in (10, 2, 0)]
    assert [each.path[-2:] for each in gravest((*data, LOST))] == ["-1", "-0", "-2", "10"], "the kernel counts down"
    line = line_words(repairs((WHOLE, LOST, worse)), short=True)
    assert line == "d1s02 and 1 more of data-2 are missing (and 1 array): 9 shows what to do"


def test_an_array_that_does_not_run_says_what_comes_first() -> None:
    stopped = replace(LOST, states=("incomplete", "inactive"), kernel_state="inactive")
    assert in_sync_words(LOST) == "3 of 4 members in sync"
    assert in_sync_words(stopped) == "it does not run: read below why, and write nothing to its disks"
