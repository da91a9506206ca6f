"""States of arrays and members from what the kernel and the superblocks say."""

from dataclasses import replace

import pytest

from raidtui.advice.arrays.state import (
    array_states,
    by_superblocks,
    critical,
    gone_slots,
    left_to_lose,
    member_state,
    missing,
    reserved_slots,
    unknown_words,
    volumes_of,
)
from raidtui.values.arrays import (
    ArrayMember,
    ContainerSuperblock,
    MdShape,
    MemberSuperblock,
    ObservedArray,
    Reshape,
    SyncNow,
    VolumeOnMember,
)

HELD = SyncNow(action="held", done_bytes=0, whole_bytes=1, bytes_per_s=0, seconds_left=None)
WHOLE = ObservedArray(
    name="md0", label="a:data", made_for="a", path="/dev/md0", uuid="0:1:2:3", states=("clean",), level="raid5",
    devices=4, lacks=0, metadata="1.2",
)  # fmt: skip
GROWS = Reshape(before=MdShape(level="raid5", devices=3), position_bytes=2**20)


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
        ("", {"metadata": "external:imsm", "level": "container"}, ("stopped", "container")),
        ("inactive", {"metadata": "external:/md127/0", "lacks": 1}, ("incomplete", "inactive")),
        ("clean", {"reshape": GROWS}, ("reshaping", "clean")),
        ("readonly", {"consistency": "journal"}, ("journal-lost", "read-only")),
        ("clean", {"consistency": "journal", "members": (ArrayMember(state="journal"),)}, ("clean",)),
        ("clean", {"consistency": "journal", "members": (ArrayMember(state="faulty", flags=("faulty", "journal")),)},
         ("journal-lost", "clean")),
        ("broken", {"lacks": 1, "level": "raid1", "devices": 2}, ("failed", "clean")),
        ("pondering", {"lacks": 1}, ("degraded", "unknown")),
        ("suspended", {}, ("active",)),
    ],
)  # fmt: skip
def test_states_gravest_first(kernel: str, other: dict[str, object], states: tuple[str, ...]) -> None:
    array = replace(WHOLE, kernel_state=kernel, **other)  # type: ignore[arg-type]
    assert array_states(array, "a") == states


def ten(layout: int, devices: int, there: str) -> ObservedArray:
    """A RAID10 with members in these slots."""
    members = tuple(ArrayMember(state="in-sync", slot=int(slot), device=f"sd{slot}") for slot in there)
    lacks = devices - len(members)
    return replace(
        WHOLE, kernel_state="clean", level="raid10", layout=layout, devices=devices, lacks=lacks, members=members
    )


@pytest.mark.parametrize(
    ("array", "states", "left", "dangers"),
    [
        (ten(0x102, 4, "0123"), ("clean",), 1, ""),
        (ten(0x102, 4, "023"), ("degraded", "clean"), None, "0"),
        (ten(0x102, 4, "02"), ("degraded", "clean"), 0, "02"),
        (ten(0x102, 4, "23"), ("failed", "clean"), 0, "23"),
        (ten(0x201, 4, "123"), ("degraded", "clean"), None, "13"),
        (ten(0x10201, 4, "13"), ("degraded", "clean"), 0, "13"),
        (ten(0x103, 6, "0134"), ("degraded", "clean"), 1, ""),
        (ten(0x201, 4, "12"), ("failed", "clean"), 0, "12"),
    ],
)
def test_raid10_is_asked_for_a_copy_of_every_chunk(
    array: ObservedArray, states: tuple[str, ...], left: int | None, dangers: str
) -> None:
    assert array_states(array, "a") == states
    if "failed" not in states:
        assert (left_to_lose(array), "".join(str(each.slot) for each in critical(array))) == (left, dangers)


def test_during_a_reshape_both_shapes_must_hold() -> None:
    members = tuple(ArrayMember(state="in-sync", slot=slot) for slot in (0, 1, 2, 3))
    grows = replace(WHOLE, kernel_state="clean", reshape=GROWS, members=members)
    assert left_to_lose(grows) == 1
    to_raid6 = replace(grows, level="raid6", reshape=Reshape(before=MdShape(level="raid5", devices=3)))
    assert left_to_lose(to_raid6) == 1
    assert array_states(replace(to_raid6, lacks=2, members=members[:2]), "a") == ("degraded", "reshaping", "clean")
    assert array_states(replace(to_raid6, lacks=2, members=members[2:]), "a") == ("failed", "reshaping", "clean")


def test_slots_that_do_not_add_up_are_not_guessed() -> None:
    unread = replace(ten(0x102, 4, "01"), lacks=1)
    assert (gone_slots(unread), left_to_lose(unread), critical(unread)) == (None, None, ())
    assert gone_slots(replace(unread, level="raid5")) == frozenset({0})


def test_slots_in_reserve_are_the_empty_tail_of_a_wide_mirror() -> None:
    def mirror(devices: int, there: tuple[int, ...]) -> ObservedArray:
        members = tuple(ArrayMember(state="in-sync", slot=slot) for slot in there)
        return replace(WHOLE, level="raid1", devices=devices, lacks=devices - len(there), members=members)

    assert reserved_slots(mirror(32, (0, 1, 2, 3))) == frozenset(range(4, 32))
    assert reserved_slots(mirror(12, (0, 2))) == frozenset(range(3, 12))
    assert reserved_slots(mirror(24, (0,))) == frozenset()
    assert reserved_slots(mirror(3, (0, 1))) == frozenset()
    assert reserved_slots(replace(mirror(32, (0, 1)), level="raid6")) == frozenset()


def test_words_of_a_later_kernel_are_named() -> None:
    member = ArrayMember(state="in-sync", device="sda", flags=("in_sync", "quantum"))
    array = replace(WHOLE, kernel_state="pondering", members=(member,))
    assert list(unknown_words(array)) == ["array_state pondering", "dev-sda/state quantum"]
    assert list(unknown_words(replace(WHOLE, kernel_state="clean"))) == []


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
    assert missing([*members, ArrayMember(state="unknown", device="sdz")], 3) == []


def block(role: int | None, events: int, features: int = 0) -> ArrayMember:
    made = MemberSuperblock(
        level="raid5", devices=3, role=role, events=events, updated="", clean=True, roster="AAA", features=features
    )
    return ArrayMember(state="idle", superblock=made)


def roster(*members: ArrayMember) -> tuple[str, int | None, int | None]:
    found = by_superblocks(replace(WHOLE, level="", devices=None, lacks=None, members=members))
    return found.level, found.devices, found.lacks


def test_members_that_are_up_to_date_by_their_event_counts() -> None:
    assert roster(block(0, 9), block(1, 9), block(2, 9)) == ("raid5", 3, 0)
    assert roster(block(0, 9), block(1, 8), block(2, 9)) == ("raid5", 3, 0)
    assert roster(block(0, 9), block(1, 7), block(2, 9)) == ("raid5", 3, 1)
    assert roster(block(0, 9), block(None, 9)) == ("raid5", 3, 2)
    assert roster(block(0, 9), block(1, 9, features=0x2), block(2, 9, features=0x10)) == ("raid5", 3, 2)
    assert roster(ArrayMember(state="idle")) == ("", None, None)


def in_container(kind: str, generation: int, *volumes: tuple[int, int], device: str) -> ArrayMember:
    """A disk whose metadata lists (number, own slot) of arrays of two disks each."""
    made = ContainerSuperblock(
        kind=kind, identity="x", disks=4, generation=generation,  # type: ignore[arg-type]
        volumes=tuple(
            VolumeOnMember(number=number, name=f"v{number}", uuid=f"u{number}", level="raid1", devices=2, slot=slot)
            for number, slot in volumes
        ),
    )  # fmt: skip
    return ArrayMember(state="idle", device=device, container=made)


def listed(*members: ArrayMember) -> list[tuple[str, list[str]]]:
    return [(volume.name, [each.device for each in inside]) for volume, inside in volumes_of(members)]


def test_a_disk_of_ddf_lists_only_the_arrays_that_it_is_part_of() -> None:
    one, two = in_container("ddf", 7, (0, 1), device="sdb"), in_container("ddf", 7, (0, 0), device="sda")
    three, four = in_container("ddf", 9, (1, 0), device="sdc"), in_container("ddf", 9, (1, 1), device="sdd")
    assert listed(one, two, three, four) == [("v0", ["sda", "sdb"]), ("v1", ["sdc", "sdd"])]


def test_of_imsm_the_newest_disk_says_which_arrays_there_are() -> None:
    old = in_container("imsm", 3, (0, 0), (1, 0), device="sda")
    assert listed(old, in_container("imsm", 5, (0, 1), device="sdb")) == [("v0", ["sda", "sdb"])]
