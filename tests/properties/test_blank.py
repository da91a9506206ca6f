"""A disk is blank only when every witness says so, and what is known of one disk never lands on its namesake."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from raidtui.machine.inventory.capture import Capture
from raidtui.values.errors import RaidtuiError
from raidtui.values.inventory import Disk
from tests.recorded_machines.captures import capture, replay
from tests.suite import examples

Change = Callable[[Capture, str], None]
FREE = "sdj"
"""kernel name of the disk FREE of the machine `held`, which is blank"""


def rows(document: Capture) -> tuple[str, list[dict[str, Any]]]:
    key = next(key for key in document["runs"] if "lsblk" in key)
    return key, json.loads(document["runs"][key]["stdout"])["blockdevices"]


def number_of(document: Capture, name: str) -> str:
    return next(str(row["maj:min"]) for row in rows(document)[1] if row["kname"] == name)


def with_rows(document: Capture, change: Callable[[list[dict[str, Any]]], None]) -> None:
    key, found = rows(document)
    change(found)
    document["runs"][key]["stdout"] = json.dumps({"blockdevices": found})


def lsblk_says(field: str, value: str) -> Change:
    def change(document: Capture, name: str) -> None:
        with_rows(document, lambda found: next(row for row in found if row["kname"] == name).update({field: value}))

    return change


def udev_says(line: str) -> Change:
    def change(document: Capture, name: str) -> None:
        path = f"/run/udev/data/b{number_of(document, name)}"
        document["texts"][path] = (document["texts"][path] or "") + f"E:{line}\n"

    return change


def look_says(**facts: Any) -> Change:
    def change(document: Capture, name: str) -> None:
        key = next(key for key in document["looks"] if key.startswith(f"/dev/{name} "))
        document["looks"][key] |= facts

    return change


def sysfs_has(entry: str) -> Change:
    def change(document: Capture, name: str) -> None:
        document["names"][f"/sys/class/block/{name}"].append(entry.format(name))
        document["names"][f"/sys/class/block/{entry.format(name)}/holders"] = []

    return change


def held_by(holder: str) -> Change:
    def change(document: Capture, name: str) -> None:
        document["names"][f"/sys/class/block/{name}/holders"].append(holder)

    return change


def gone(table: str, path: str) -> Change:
    def change(document: Capture, name: str) -> None:
        key = path.format(name=name, number=number_of(document, name))
        document[table][key] = [] if table == "names" else None

    return change


DISAGREE: dict[str, Change] = {
    "lsblk: file system": lsblk_says("fstype", "xfs"),
    "lsblk: table": lsblk_says("pttype", "gpt"),
    "lsblk: mounted": lsblk_says("mountpoint", "/x"),
    "udev: file system": udev_says("ID_FS_TYPE=ext4"),
    "udev: usage alone": udev_says("ID_FS_USAGE=raid"),
    "udev: table": udev_says("ID_PART_TABLE_TYPE=dos"),
    "udev: several": udev_says("ID_FS_AMBIVALENT=filesystem:ext4 raid:linux_raid_member"),
    "udev: no record": gone("texts", "/run/udev/data/b{number}"),
    "ends: not zero": look_says(zero=False),
    "ends: signature": look_says(zero=False, signatures=[{"type": "zfs_member", "offset": 0}]),
    "ends: not read": look_says(zero=None, error="permission denied"),
    "ends: error that contradicts zero": look_says(error="reading it failed"),
    "kernel: partition": sysfs_has("{}1"),
    "kernel: bcache": sysfs_has("bcache"),
    "kernel: holder": held_by("md9"),
    "kernel: no link": gone("links", "/sys/class/block/{name}"),
    "kernel: no directory": gone("names", "/sys/class/block/{name}"),
}
"""one witness that contradicts or is silent"""


def disk_named(document: Capture, name: str) -> Disk:
    return next(disk for disk in replay(document).disks if disk.kernel_name == name)


def test_with_every_witness_agreeing_it_is_blank() -> None:
    disk = disk_named(capture("held"), FREE)
    assert (disk.state, disk.serial, disk.selectable) == ("blank", "FREE", True)


@given(st.sets(st.sampled_from(sorted(DISAGREE)), min_size=1))
def test_never_blank_when_any_witness_disagrees_or_is_silent(said: set[str]) -> None:
    document = capture("held")
    for each in sorted(said):
        DISAGREE[each](document, FREE)
    disk = disk_named(document, FREE)
    assert disk.state != "blank"
    assert not (disk.selectable and disk.state == "unknown")


MACHINES = ("held", "leftovers", "stack", "multipath", "sixty-as-nobody")
SOURCES = tuple(
    (machine, table, key)
    for machine in MACHINES
    for table in ("texts", "names", "links", "numbers", "looks")
    for key in capture(machine)[table]
)
SILENCE: dict[str, tuple[Any, ...]] = {
    "texts": (None, False, ""),
    "names": ([], False),
    "links": (None, False),
    "numbers": (None,),
    "looks": ({"error": "permission denied"}, {"error": "input/output error", "zero": None}),
}
BLANK_THERE = {
    machine: {disk.kernel_name for disk in replay(capture(machine)).disks if disk.state == "blank"}
    for machine in MACHINES
}


@examples(400)
@given(st.sampled_from(SOURCES), st.data())
def test_a_source_that_falls_silent_makes_nothing_blank(source: tuple[str, str, str], data: st.DataObject) -> None:
    machine, table, key = source
    document = capture(machine)
    document[table][key] = data.draw(st.sampled_from(SILENCE[table]))
    try:
        disks = replay(document).disks
    except RaidtuiError:
        return  # refusing to say anything is safe
    assert {disk.kernel_name for disk in disks if disk.state == "blank"} <= BLANK_THERE[machine]


def test_a_path_stays_content_when_the_kernel_hides_its_holder() -> None:
    document = capture("multipath")
    document["names"]["/sys/class/block/sda/holders"] = []
    document["looks"]["/dev/sda 8:0 1073741824"] = document["looks"]["/dev/dm-0 252:0 1073741824"]
    assert disk_named(document, "sda").state == "content"


FIELDS = ("fstype", "pttype", "label", "uuid", "mountpoint", "pkname")


@given(st.sets(st.sampled_from(FIELDS), min_size=1), st.sampled_from(sorted(BLANK_THERE)))
def test_nor_does_lsblk_that_knows_less(fields: set[str], machine: str) -> None:
    document = capture(machine)

    def forget(found: list[dict[str, Any]]) -> None:
        for row in found:
            row |= dict.fromkeys(fields)

    with_rows(document, forget)
    blank = {disk.kernel_name for disk in replay(document).disks if disk.state == "blank"}
    assert blank <= BLANK_THERE[machine]


def mounts(document: Capture, name: str) -> None:
    line = f"99 1 {number_of(document, name)} / /srv/{name} rw - ext4 /dev/{name} rw\n"
    document["texts"]["/proc/self/mountinfo"] += line


def swaps(document: Capture, name: str) -> None:
    document["texts"]["/proc/swaps"] += f"/dev/{name} partition 1 0 -2\n"
    document["numbers"][f"/dev/{name}"] = number_of(document, name)


def joins(document: Capture, name: str) -> None:
    document["texts"]["/proc/mdstat"] += f"md_{name} : inactive {name}[0](S)\n      1 blocks super 1.2\n"


HOLDS: dict[str, Change] = {
    "mounted": mounts,
    "swap": swaps,
    "md-member": joins,
    "partition": sysfs_has("{}1"),
    "holder": held_by("md7"),
    "locked": look_says(locked=True),
    "exclusive": look_says(busy=True),
    "signature": udev_says("ID_FS_TYPE=LVM2_member"),
}
SIXTY = sorted(disk.kernel_name for disk in replay(capture("sixty")).free)


@given(st.dictionaries(st.sampled_from(SIXTY), st.sampled_from(sorted(HOLDS)), max_size=8))
def test_of_sixty_disks_exactly_those_that_are_touched_change(touched: dict[str, str]) -> None:
    document = capture("sixty")
    for name, kind in touched.items():
        HOLDS[kind](document, name)
    changed = {disk.kernel_name for disk in replay(document).disks if disk.kernel_name in SIXTY and disk.uses}
    assert changed == set(touched)


def test_the_namesakes_are_there() -> None:
    assert {"sda", "sdaa", "sdb", "sdba"} <= set(SIXTY)
    assert len(SIXTY) == 60


def test_swap_on_sdaa_is_not_swap_on_sda() -> None:
    document = capture("sixty")
    swaps(document, "sdaa")
    mounts(document, "sdba")
    refused = {disk.kernel_name: disk.not_selectable for disk in replay(document).disks if not disk.selectable}
    assert refused == {
        "vda": "the running system uses it: /",
        "vdb": "the running system uses it: /boot",
        "sdaa": "the running system uses it: swap",
        "sdba": "in use: mounted at /srv/sdba",
    }


@given(st.lists(st.sampled_from(SIXTY), min_size=2, max_size=6, unique=True), st.sampled_from(("wwn", "serial")))
def test_disks_that_claim_one_identity_are_all_refused(names: list[str], by: str) -> None:
    document = capture("sixty")

    def collide(found: list[dict[str, Any]]) -> None:
        for row in found:
            if row["kname"] in names:
                row |= {"wwn": "0x5000000000000bad" if by == "wwn" else None, "serial": "SAME"}

    with_rows(document, collide)
    disks = {disk.kernel_name: disk for disk in replay(document).disks}
    assert {disks[name].not_selectable for name in names} == {
        "another disk has the same identity: a second path to it, or a clone"
    }
    assert {disks[name].id for name in names} == {""}
    assert sum(disk.selectable for disk in disks.values()) == 60 - len(names)
