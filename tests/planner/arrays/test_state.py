"""States of arrays and members from what the kernel and the superblocks say."""

import pytest

from raidtui.model.arrays import ArrayMember, MemberSuperblock, SyncNow
from raidtui.planner.arrays.state import array_states, member_state, missing, newest_roster

HELD = SyncNow(action="held", done_bytes=0, whole_bytes=1, bytes_per_s=0, seconds_left=None)
WHOLE = {"level": "raid5", "devices": 4, "lacks": 0, "metadata": "1.2", "sync": None, "made_for": "a", "host": "a"}


@pytest.mark.parametrize(
    ("kernel", "other", "states"),
    [
        ("clean", {}, ("clean",)),
        ("active-idle", {}, ("active",)),
        ("write-pending", {}, ("active",)),
        ("clean", {"lacks": 1}, ("degraded", "clean")),
        ("clean", {"lacks": 2}, ("failed", "clean")),
        ("clean", {"lacks": 2, "level": "raid6"}, ("degraded", "clean")),
        ("clean", {"lacks": 3, "level": "raid1"}, ("degraded", "clean")),
        ("clean", {"lacks": 4, "level": "raid1"}, ("failed", "clean")),
        ("broken", {"lacks": None, "level": "raid0"}, ("failed", "clean")),
        ("inactive", {}, ("inactive",)),
        ("inactive", {"lacks": 2}, ("incomplete", "inactive")),
        ("", {"lacks": 0}, ("stopped",)),
        ("", {"lacks": 1}, ("incomplete", "stopped")),
        ("read-auto", {}, ("auto-read-only",)),
        ("read-auto", {"sync": HELD}, ("pending", "auto-read-only")),
        ("readonly", {}, ("read-only",)),
        ("clean", {"made_for": "b"}, ("foreign", "clean")),
        ("clean", {"made_for": "any"}, ("clean",)),
        ("clean", {"made_for": ""}, ("clean",)),
        ("read-auto", {"made_for": "b", "sync": HELD, "lacks": 1},
         ("degraded", "pending", "foreign", "auto-read-only")),
        ("inactive", {"metadata": "external:imsm", "level": ""}, ("container",)),
    ],
)  # fmt: skip
def test_states_gravest_first(kernel: str, other: dict[str, object], states: tuple[str, ...]) -> None:
    assert array_states(kernel, **{**WHOLE, **other}) == states  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "slot", "state"),
    [
        ("in_sync", 0, "in-sync"),
        ("in_sync,write_error,want_replacement", 0, "in-sync"),
        ("spare", 0, "rebuilding"),
        ("spare", None, "spare"),
        ("spare,replacement", 2, "replacement"),
        ("faulty", None, "faulty"),
        ("in_sync,journal", None, "journal"),
    ],
)
def test_the_part_of_a_member(words: str, slot: int | None, state: str) -> None:
    assert member_state(frozenset(words.split(",")), slot, runs=True) == state


def test_a_member_of_an_array_that_does_not_run_is_idle_unless_it_is_faulty() -> None:
    assert member_state(frozenset({"spare"}), None, runs=False) == "idle"
    assert member_state(frozenset({"faulty"}), None, runs=False) == "faulty"


def test_a_slot_with_a_replacement_alone_is_missing() -> None:
    members = [ArrayMember(state="in-sync", slot=0), ArrayMember(state="replacement", slot=1)]
    assert missing(members, 3) == [ArrayMember(state="missing", slot=1), ArrayMember(state="missing", slot=2)]
    assert missing(members, None) == []


def block(role: int | None, events: int, devices: int = 3) -> ArrayMember:
    made = MemberSuperblock(
        level="raid5", devices=devices, role=role, events=events, updated="", clean=True, roster="AAA", features=0
    )
    return ArrayMember(state="idle", superblock=made)


def test_members_that_are_up_to_date_by_their_event_counts() -> None:
    assert newest_roster([block(0, 9), block(1, 9), block(2, 9)]) == ("raid5", 3, 0)
    assert newest_roster([block(0, 9), block(1, 7), block(2, 9)]) == ("raid5", 3, 1)
    assert newest_roster([block(0, 9), block(None, 9)]) == ("raid5", 3, 2)
    assert newest_roster([ArrayMember(state="idle")]) == ("", None, None)
