"""md, mdadm and udev on the simulated machine do what was seen on real ones: refusals, recovery, spares, leftovers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raidtui.predict.stated_disks import purchase
from raidtui.values.inventory import Inventory
from tests.machine.simulation import E2660, YEAR, Run, do, planned, say
from tests.planner.plans import disk
from tests.simulated.fault_model import Fault, Killed
from tests.simulated.machine import FaultyMachine

PATHS = [f"/dev/disk/by-id/{disk.by_id[0]}" for disk in E2660.disks]
IDS = [disk.id for disk in E2660.disks]
UUID = "11111111:22222222:33333333:44444444"
PV = "aaaaaa-bbbb-cccc-dddd-eeee-ffff-gggggg"
GOLD = [
    json.loads(line)
    for line in (Path(__file__).parents[4] / "tests" / "real_geometry" / "geometry.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def create(level: str, count: int, *more: str, name: str = "data", first: int = 0, uuid: str = UUID) -> tuple[str, ...]:
    return (
        "mdadm", "--create", f"/dev/md/{name}", f"--name={name}", "--homehost=e2660", f"--uuid={uuid}",
        "--metadata=1.2", f"--level={level}", f"--raid-devices={count}", *more, *PATHS[first : first + count],
    )  # fmt: skip


def values(text: str) -> dict[str, str]:
    """`Name : value` and `NAME=value` lines."""
    pairs = [line.partition(" : " if " : " in line else "=") for line in text.splitlines()]
    return {name.strip(): value.strip() for name, mark, value in pairs if mark}


@pytest.fixture
def machine() -> FaultyMachine:
    return FaultyMachine(E2660)


def test_a_new_raid5_builds_its_last_member_in_as_real_mdadm_shows(machine: FaultyMachine, tmp_path: Path) -> None:
    """The answers are those of mdadm 4.2 on Linux 6.1 to the same commands."""
    raid5 = create("5", 4, "--layout=left-symmetric", "--chunk=512K", "--bitmap=internal")
    assert do(machine, tmp_path, *raid5) == (0, "mdadm: array data started.\n")
    assert do(machine, tmp_path, "mdadm", "--manage", "/dev/md/data", "--add-spare", PATHS[4])[0] == 0
    shown = values(say(machine, "mdadm", "--detail", "/dev/md/data"))
    wanted = {
        "Version": "1.2", "Raid Level": "raid5", "Array Size": "5860147200 (5.46 TiB 6.00 TB)",
        "Used Dev Size": "1953382400 (1862.89 GiB 2000.26 GB)", "Raid Devices": "4", "Total Devices": "5",
        "Intent Bitmap": "Internal", "State": "clean, degraded, recovering", "Active Devices": "3",
        "Working Devices": "5", "Failed Devices": "0", "Spare Devices": "2", "Layout": "left-symmetric",
        "Chunk Size": "512K", "Consistency Policy": "bitmap", "Rebuild Status": "0% complete", "UUID": UUID,
    }  # fmt: skip
    assert {name: shown[name] for name in wanted} == wanted
    exported = values(say(machine, "mdadm", "--detail", "--export", "/dev/md/data"))
    assert (exported["MD_LEVEL"], exported["MD_DEVICES"], exported["MD_DEVNAME"]) == ("raid5", "4", "data")
    assert exported["MD_DEVICE_dev_sde_ROLE"] == "spare"
    member = values(say(machine, "mdadm", "--examine", PATHS[3]))
    assert member["Avail Dev Size"] == "3906764976 sectors (1862.89 GiB 2000.26 GB)"
    assert (member["Data Offset"], member["Device Role"]) == ("264192 sectors", "Active device 3")
    assert member["Array State"] == "AAAA ('A' == active, '.' == missing, 'R' == replacing)"
    assert values(say(machine, "mdadm", "--examine", PATHS[4]))["Device Role"] == "spare"
    assert "md127 : active raid5 sda[0] sdb[1] sdc[2] sdd[3] sde[4](S)" in (machine.read_text("/proc/mdstat") or "")


@pytest.mark.parametrize("case", GOLD, ids=lambda case: f"{case['level']}-{case['members']}")
def test_arrays_have_the_size_that_mdadm_gave_them(case: dict[str, object], tmp_path: Path) -> None:
    """Measured: every array of the committed measurements, with its component said as plans say it."""
    result = case["result"]
    sizes = case["disk_bytes"]
    assert isinstance(result, dict) and isinstance(sizes, list) and isinstance(case["members"], int)
    members = sizes[: case["members"]]
    disks = tuple(disk(number + 1, size, kernel_name="") for number, size in enumerate(members))
    machine = FaultyMachine(Inventory(origin="purchase", name="e2660", disks=disks))
    more = [f"--layout={case['layout']}"] if case["layout"] and case["level"] != "raid0" else []
    more += [f"--chunk={case['chunk_kib']}K"] if case["chunk_kib"] and case["level"] != "raid1" else []
    more += [f"--size={result['component_kib']}"] if result.get("component_kib") and case["level"] != "raid0" else []
    argv = (
        "mdadm", "--create", "/dev/md/x", "--name=x", "--homehost=e2660", f"--uuid={UUID}",
        f"--metadata={case['metadata']}", f"--level={str(case['level']).removeprefix('raid')}",
        f"--raid-devices={len(members)}", *more, "--run", *(f"/dev/disk/by-id/{disk.by_id[0]}" for disk in disks),
    )  # fmt: skip
    code, said = do(machine, tmp_path, *argv)
    assert code == 0, said
    assert say(machine, "blockdev", "--getsize64", "/dev/md/x") == f"{result['array_sectors'] * 512}\n"


def test_a_removed_member_is_replaced_by_the_spare_and_by_none_twice(machine: FaultyMachine, tmp_path: Path) -> None:
    do(machine, tmp_path, *create("6", 5, "--layout=left-symmetric", "--chunk=512K"))
    do(machine, tmp_path, "mdadm", "--manage", "/dev/md/data", "--add-spare", PATHS[5])
    machine.advance(YEAR)
    machine.unplug(IDS[1])
    (sync,) = machine.syncing()
    assert sync.action == "recover"
    machine.advance(YEAR)
    assert values(say(machine, "mdadm", "--examine", PATHS[5]))["Device Role"] == "Active device 1"
    machine.unplug(IDS[2])
    shown = values(say(machine, "mdadm", "--detail", "/dev/md/data"))
    assert (shown["State"], shown["Active Devices"], shown["Failed Devices"]) == ("clean, degraded", "4", "0")
    assert say(machine, "mdadm", "--detail", "/dev/md/data").endswith(
        "       -        0        0        2      removed\n"
    )
    machine.plug(IDS[1])  # what flapped is not taken again by itself
    machine.advance(YEAR)
    assert values(say(machine, "mdadm", "--detail", "/dev/md/data"))["Total Devices"] == "4"


def test_a_spare_that_was_out_joins_its_running_array_by_itself(machine: FaultyMachine, tmp_path: Path) -> None:
    """Seen in the lab, and in Incremental.c: what is not in sync is added, what was in sync is not."""
    do(machine, tmp_path, *create("6", 5, "--layout=left-symmetric", "--chunk=512K"))
    do(machine, tmp_path, "mdadm", "--manage", "/dev/md/data", "--add-spare", PATHS[5])
    machine.advance(YEAR)
    machine.unplug(IDS[5])
    assert values(say(machine, "mdadm", "--detail", "/dev/md/data"))["Working Devices"] == "5"
    machine.plug(IDS[5])
    shown = values(say(machine, "mdadm", "--detail", "/dev/md/data"))
    assert (shown["Working Devices"], shown["Spare Devices"]) == ("6", "1")
    machine.unplug(IDS[5])
    machine.unplug(IDS[0])
    machine.plug(IDS[5])
    (sync,) = machine.syncing()
    assert sync.action == "recover"


def test_only_the_monitor_with_a_spare_group_moves_a_spare(tmp_path: Path) -> None:
    for group, moved in ((True, True), (False, False)):
        run = Run(tmp_path / str(group), planned("2x(2+1)+2"))
        machine = run.machine
        run.build()
        machine.advance(YEAR)
        if not group:
            conf = (machine.read_text("/etc/mdadm/mdadm.conf") or "").replace("spare-group", "other")
            machine.write_text("/etc/mdadm/mdadm.conf", conf, 0o644)
            do(machine, tmp_path, "systemctl", "restart", "mdmonitor.service")
        for lost in (0, 1):
            machine.unplug(IDS[lost])
            machine.advance(YEAR)
        shown = values(say(machine, "mdadm", "--detail", "/dev/md/data-0"))
        assert shown["Active Devices"] == ("3" if moved else "2")
        assert values(say(machine, "mdadm", "--detail", "/dev/md/data-1"))["Spare Devices"] == ("0" if moved else "1")


def test_a_stated_bitmap_chunk_is_on_every_member(machine: FaultyMachine, tmp_path: Path) -> None:
    """As mdadm 4.2 printed it; 1 MiB is refused, as there on members of 2 TB."""
    stated = ("--layout=left-symmetric", "--chunk=512K", "--data-offset=1024K", "--bitmap=internal")
    code, said = do(machine, tmp_path, *create("5", 3, *stated, "--bitmap-chunk=1024K"))
    assert (code, said) == (1, "mdadm: Given bitmap chunk size not supported.\n")
    assert do(machine, tmp_path, *create("5", 3, *stated, "--bitmap-chunk=262144K"))[0] == 0
    for path in PATHS[:3]:
        assert values(say(machine, "mdadm", "--examine-bitmap", path))["Chunksize"] == "256 MB"
        assert values(say(machine, "mdadm", "--examine", path))["Data Offset"] == "2048 sectors"


def test_the_question_about_old_content_is_answered_no(machine: FaultyMachine, tmp_path: Path) -> None:
    """It knows ext, md and partition tables, not XFS, LVM, LUKS or swap."""
    for number, what in enumerate(("ext4", "md-1.2", "gpt", "dos")):
        machine.leave(IDS[2 * number], what)  # type: ignore[arg-type]
        code, said = do(machine, tmp_path, *create("1", 2, first=2 * number))
        assert (code, "create aborted" in said) == (1, True), what
    for number, what in enumerate(("xfs", "lvm", "luks", "swap")):
        machine.leave(IDS[10 + 2 * number], what)  # type: ignore[arg-type]
        uuid = f"{number}{UUID[1:]}"
        code, said = do(machine, tmp_path, *create("1", 2, first=10 + 2 * number, name=f"x{number}", uuid=uuid))
        assert code == 0, (what, said)


def test_unequal_members_need_run(tmp_path: Path) -> None:
    bought = purchase("1x1TB,1x2TB")
    machine = FaultyMachine(bought)
    paths = [f"/dev/disk/by-id/{disk.by_id[0]}" for disk in bought.disks]
    argv = ("mdadm", "--create", "/dev/md/a", "--name=a", "--homehost=h", f"--uuid={UUID}", "--metadata=1.2",
            "--level=1", "--raid-devices=2")  # fmt: skip
    assert "by more than 1%" in do(machine, tmp_path, *argv, *paths)[1]
    assert machine.names("/dev/md") == ()
    assert do(machine, tmp_path, *argv, "--run", *paths)[0] == 0


def test_nobody_takes_what_somebody_holds(machine: FaultyMachine, tmp_path: Path) -> None:
    do(machine, tmp_path, *create("1", 2))
    for argv in (
        ("wipefs", "--all", PATHS[0]), ("env", "HOME=/root", "wipefs", "--all", "--no-act", "--backup", PATHS[0]),
        ("mdadm", "--zero-superblock", PATHS[0]), create("1", 2, name="b", uuid=f"9{UUID[1:]}"),
        ("blkdiscard", "--zeroout", "--offset=0", "--length=4096", PATHS[0]),
        ("pvcreate", "--dataalignment=1024k", f"--uuid={PV}", "--norestorefile", PATHS[0]),
        ("mdadm", "--manage", "/dev/md/data", "--add-spare", PATHS[0]),
    ):  # fmt: skip
        before = machine.hashes()
        code, said = do(machine, tmp_path, *argv)
        assert code != 0, argv
        assert said, argv
        assert machine.hashes() == before, argv


def test_an_old_file_system_shows_through_an_array_made_where_one_was(machine: FaultyMachine, tmp_path: Path) -> None:
    machine.leave(IDS[0], "fs-in-old-array")
    do(machine, tmp_path, *create("1", 2))
    question = ("wipefs", "--noheadings", "--output=DEVICE,OFFSET,TYPE", "/dev/md/data")
    assert say(machine, *question) == "md127 0x400 ext4\n"
    do(machine, tmp_path, "wipefs", "--all", "--lock=yes", "/dev/md/data")
    assert say(machine, *question) == ""


def test_wiped_where_its_data_starts_nothing_shows_through(machine: FaultyMachine, tmp_path: Path) -> None:
    machine.leave(IDS[0], "fs-in-old-array")
    do(machine, tmp_path, "blkdiscard", "--zeroout", "--offset=135266304", "--length=4194304", PATHS[0])
    do(machine, tmp_path, *create("1", 2))
    assert say(machine, "blkid", "--probe", "--output", "export", "/dev/md/data") == ""


def test_superblocks_at_both_ends_are_found_and_only_both_ends_make_blank(
    machine: FaultyMachine, tmp_path: Path
) -> None:
    size = E2660.disks[0].size_bytes
    for number, (what, offset) in enumerate(
        (
            ("md-1.2", 4096),
            ("md-1.1", 0),
            ("md-1.0", 2000398925824),
            ("md-0.90", 2000398843904),
            ("gpt-backup", size - 512),
        )
    ):
        machine.leave(IDS[number], what)  # type: ignore[arg-type]
        listed = say(machine, "wipefs", "--noheadings", "--output=DEVICE,OFFSET,TYPE", PATHS[number])
        assert listed.split()[1] == hex(offset), what
        do(machine, tmp_path, "wipefs", "--all", PATHS[number])
        assert say(machine, "wipefs", "--noheadings", "--output=DEVICE,OFFSET,TYPE", PATHS[number]) == ""
        ends = [say(machine, "cmp", "--bytes=4194304", f"--ignore-initial={at}:0", PATHS[number], "/dev/zero")
                for at in (0, size - 4194304)]  # fmt: skip
        assert any(ends), f"{what}: wipefs takes the magic string only"
        for at in (0, size - 4194304):
            do(machine, tmp_path, "blkdiscard", "--zeroout", f"--offset={at}", "--length=4194304", PATHS[number])
            question = ("cmp", "--bytes=4194304", f"--ignore-initial={at}:0", PATHS[number], "/dev/zero")
            assert machine.ask(question).exit == 0
    assert all(disk.state == "blank" for disk in machine.inventory().disks)


def test_udev_takes_stopped_members_again_unless_their_locks_are_held(machine: FaultyMachine, tmp_path: Path) -> None:
    """An array stays stopped until somebody writes to a member; under the locks all may be wiped."""
    do(machine, tmp_path, *create("1", 2))
    do(machine, tmp_path, "mdadm", "--stop", "/dev/md/data")
    assert machine.names("/dev/md") == ()
    zero = ("blkdiscard", "--zeroout", "--offset=1073741824", "--length=4096")
    do(machine, tmp_path, *zero, PATHS[0])
    do(machine, tmp_path, *zero, PATHS[1])
    assert machine.names("/dev/md") == ("data",)
    do(machine, tmp_path, "mdadm", "--stop", "/dev/md/data")
    with machine.lock(PATHS[:2]):
        for path in PATHS[:2]:
            do(machine, tmp_path, *zero, path)
        assert do(machine, tmp_path, "udevadm", "settle", "--timeout=180")[0] == 1
        assert machine.holders(PATHS[0]) == ()
        for path in PATHS[:2]:
            do(machine, tmp_path, "wipefs", "--all", path)
    assert machine.holders(PATHS[0]) == ()


@pytest.mark.parametrize(("share", "marked"), [(0.0, 0), (0.4, 2), (0.8, 4)])
def test_a_killed_create_leaves_some_superblocks_and_its_mark(share: float, marked: int, tmp_path: Path) -> None:
    run = Run(tmp_path, planned("(4+1)"))
    machine = run.machine
    machine.arm(Fault(kind="kill", words=("mdadm", "--create"), side="during", share=share))
    with pytest.raises(Killed):
        run.build()
    machine.revive()
    assert machine.names("/run/mdadm") == ("creating-md127",)
    found = [say(machine, "mdadm", "--examine", "--export", path) for path in PATHS[:5]]
    assert sum(bool(text) for text in found) == marked
    holders = {holder for path in PATHS[:5] for holder in machine.holders(path)}
    assert holders == ({"md127"} if marked else set())
    if marked:
        inactive = values(say(machine, "mdadm", "--detail", "--export", "/dev/md127"))
        assert "MD_LEVEL" not in inactive
        assert inactive["MD_UUID"] == run.plan.arrays[0].uuid
        assert machine.pin("/dev/md/data") is None


def test_after_a_boot_arrays_wait_for_the_first_write(machine: FaultyMachine, tmp_path: Path) -> None:
    """Debian loads md with start_ro=1; what mdadm --create makes runs at once all the same."""
    do(machine, tmp_path, *create("1", 2))
    assert [sync.action for sync in machine.syncing()] == ["resync"]
    machine.advance(3600)
    machine.reboot()
    assert [sync.action for sync in machine.syncing()] == ["held"]
    assert "(auto-read-only)" in (machine.read_text("/proc/mdstat") or "")
    (array,) = machine.names("/dev/md")
    do(machine, tmp_path, "pvcreate", "--dataalignment=1024k", "--uuid=aaaaaa-bbbb-cccc-dddd-eeee-ffff-gggggg",
       "--norestorefile", f"/dev/md/{array}")  # fmt: skip
    (sync,) = machine.syncing()
    assert 0.1 < sync.done_sectors / sync.all_sectors < 0.3


@pytest.mark.parametrize(("synced", "runs"), [(True, True), (False, False)])
def test_a_raid6_short_of_a_member_starts_only_when_it_was_in_sync(
    synced: bool, runs: bool, machine: FaultyMachine, tmp_path: Path
) -> None:
    do(machine, tmp_path, *create("6", 5, "--layout=left-symmetric", "--chunk=512K"))
    machine.advance(YEAR if synced else 60)
    machine.reboot(without=[IDS[2]])
    assert bool(machine.names("/dev/md")) == runs
    assert machine.holders(PATHS[0]) == ("md127",)


def test_names_of_strangers_keep_their_host(machine: FaultyMachine, tmp_path: Path) -> None:
    """Neither initramfs nor mdadm.conf know the array, and its host name is not yet known when it is assembled."""
    do(machine, tmp_path, *create("1", 2))
    machine.reboot()
    assert machine.names("/dev/md") == ("e2660:data",)
