"""States of arrays and members from what the kernel and the superblocks say."""

from dataclasses import replace

import pytest

from raidtui.advice.arrays.state import (
    array_states,
    by_superblocks,
    critical,
    left_to_lose,
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


def block(role: int | None, events: int, features: int = 0) -> ArrayMember:
    made = MemberSuperblock(
        level="raid5", devices=3, role=role, events=events, updated="", clean=True, roster="AAA", features=features
    )
    return ArrayMember(state="idle", superblock=made)


def roster(*members: ArrayMember) -> tuple[str, int | None, int | None]:
    found = by_superblocks(replace(WHOLE, level="", devices=None, lacks=None, members=members))
    return found.level, found.devices, found.lacks


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


def test_of_imsm_the_newest_disk_says_which_arrays_there_are() -> None:
    old = in_container("imsm", 3, (0, 0), (1, 0), device="sda")
    assert listed(old, in_container("imsm", 5, (0, 1), device="sdb")) == [("v0", ["sda", "sdb"])]
