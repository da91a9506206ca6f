"""Thirteen arrays of the lab's machine in as many states, as root and as somebody else read them."""

from pathlib import Path

import pytest

from raidtui.advice.arrays.age import why
from raidtui.machine.arrays.read import observe
from raidtui.values.arrays import ObservedArray
from tests.machine.arrays.recorded import Recorded

HERE = Path(__file__).parent
STATES = {
    "stripe": ("clean",), "dirty": ("degraded", "clean"), "foreign": ("foreign", "clean"), "inactive": ("inactive",),
    "pending": ("pending", "auto-read-only"), "readauto": ("auto-read-only",), "incomplete": ("incomplete", "inactive"),
    "rebuilding": ("degraded", "clean"), "dropped": ("degraded", "clean"), "degraded": ("degraded", "clean"),
    "active": ("clean",), "clean": ("clean",), "stopped": ("stopped",),
}  # fmt: skip


def arrays(name: str) -> dict[str, ObservedArray]:
    machine = Recorded(HERE / f"{name}.json.gz")
    found = observe(machine, machine.inventory).arrays
    return {array.label.rpartition(":")[2]: array for array in found}


def test_root_tells_every_state_apart() -> None:
    found = arrays("thirteen")
    assert {name: array.states for name, array in found.items()} == STATES
    assert [array.unread for array in found.values()] == [()] * 13


def test_without_root_only_what_superblocks_say_is_unknown() -> None:
    found = arrays("thirteen-as-nobody")
    assert {name: array.states for name, array in found.items()} == {**STATES, "incomplete": ("inactive",)}
    assert found["incomplete"].lacks is found["stopped"].devices is None
    messages = [each.message for each in why(found["stopped"])]
    assert messages == [
        "raidlab:stopped: the superblocks of 2 members were not read: mdadm: cannot open /dev/vdz: Permission denied."
    ]


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("clean", []),
        ("rebuilding", []),
        ("dropped", ["member-dropped"]),
        ("incomplete", ["member-dropped", "member-dropped", "array-incomplete"]),
        ("inactive", ["array-not-started"]),
        ("stopped", ["array-not-started"]),
    ],
)
def test_why(name: str, codes: list[str]) -> None:
    assert [each.code for each in why(arrays("thirteen")[name])] == codes


def test_the_member_that_was_removed_is_behind() -> None:
    (found,) = why(arrays("thirteen")["dropped"])
    assert found.message.startswith(
        "vdj (serial LAB0010) has the superblock of md124 and is not in it: event count 0, the array's 5; last written "
    )
    assert found.message.endswith(
        "; slots AAAA by it, AA.A by the array. It is no blank disk: its content is older than the array's, and it may "
        "be failing."
    )


def test_mounts_swap_and_groups_of_the_machine() -> None:
    found = arrays("thirteen")
    assert [(each.content, each.mount_points) for each in found["clean"].stands_on_it] == [("ext4", ("/srv/clean",))]
    assert [(each.content, each.group, each.mount_points) for each in found["active"].stands_on_it] == [
        ("LVM2_member", "theirs", ()), ("swap", "", ("[SWAP]",)),
    ]  # fmt: skip


def test_where_udev_has_no_record_nothing_is_said_of_file_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    assert arrays("thirteen")["foreign"].in_fstab.answer == "not-needed"
    monkeypatch.setattr("raidtui.machine.arrays.read.ArraysLook._record", lambda *_: None)
    found = arrays("thirteen")
    assert found["foreign"].in_fstab.answer == "unknown"
    assert found["clean"].in_fstab.answer == "yes"  # it is mounted


def test_the_sector_size_in_superblocks_is_read_where_the_kernel_shows_it() -> None:
    shown = {"/sys/block/md127/md/logical_block_size": "512\n", "/sys/block/md126/md/logical_block_size": "0\n"}
    machine = Recorded(HERE / "thirteen.json.gz", now=shown)
    found = {array.name: array.stored_sector_bytes for array in observe(machine, machine.inventory).arrays}
    assert (found["md127"], found["md126"], found["md125"]) == (512, 0, None)


def test_an_array_without_superblocks_has_no_uuid_of_what_was_there_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """`mdadm --build` over disks that an earlier array left its superblocks on."""
    read_text = Recorded.read_text
    monkeypatch.setattr(
        Recorded, "read_text",
        lambda self, path: "none\n" if path.endswith("/md/metadata_version") else read_text(self, path),
    )  # fmt: skip
    machine = Recorded(HERE / "thirteen.json.gz")
    found = [array for array in observe(machine, machine.inventory).arrays if array.name]
    assert found
    assert {(array.uuid, array.label, array.metadata) for array in found} == {("", "", "none")}
