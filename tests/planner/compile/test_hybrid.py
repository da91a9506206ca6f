"""Plans of bands over disks of mixed size: what is written to which partition, word for word."""

from __future__ import annotations

from dataclasses import replace

from raidtui.programs import sfdisk
from raidtui.steps.build import recompiled
from raidtui.values.plan import Plan
from raidtui.values.units import MIB
from tests.planner.plans import commands, disk, machine, plan_of, step, undo_commands

TB = 10**12
D = "/dev/disk/by-id/wwn-0x5000c500000000"
DISKS = (disk(1, 2 * TB), disk(2, TB), disk(3, 2 * TB), disk(4, TB), disk(5, 2 * TB))
"""three members reach into the second band, in no order of size, and one is the spare"""
FIRST, SECOND = 953_673 * MIB, 953_674 * MIB
"""1 TB are 953 674.3 MiB, of which the first is before the partition, and 2 TB 1 907 348.6"""


def mixed() -> Plan:
    return plan_of("hybrid(4)+1", DISKS, chunk_bytes=64 * 1024)


def test_the_steps() -> None:
    assert [each.title for each in mixed().steps] == [
        "Check the machine, the disks and the names",
        "Save the signatures on the disks",
        "Wipe 5 disks",
        "Partition 5 disks",
        "Create /dev/md/data-0: raid5 of 4 disks",
        "Create /dev/md/data-1: raid1 of 2 disks",
        "Add 2 hot spares",
        "Add the arrays to mdadm.conf and the initramfs",
        "Monitor the arrays",
        "Create the volume /dev/data/data over 2 arrays",
        "Make xfs on /dev/data/data",
        "Mount on /srv/data",
        "Tune the arrays",
        "Verify everything",
    ]


def test_a_disk_gets_a_partition_for_each_band_that_it_reaches() -> None:
    plan = mixed()
    reached = {each.serial: [(part.start_bytes, part.size_bytes) for part in each.members] for each in plan.disks}
    both = [(MIB, FIRST), (MIB + FIRST, SECOND)]
    assert reached == {"S001": both, "S002": both[:1], "S003": both, "S004": both[:1], "S005": both}
    table = plan.disks[2].table
    assert table is not None
    assert [entry.name for entry in table.entries] == ["data-0-m2", "data-1-m2"]
    assert len({entry.partition_guid for each in plan.disks if each.table for entry in each.table.entries}) == 8
    assert sfdisk.script(sfdisk.planned(plan.disks[2], table)).splitlines()[4:] == [
        f"start=2048, size={FIRST // 512}, type={sfdisk.LINUX_RAID}, uuid={table.entries[0].partition_guid}, "
        'name="data-0-m2"',
        f"start={2048 + FIRST // 512}, size={SECOND // 512}, type={sfdisk.LINUX_RAID}, "
        f'uuid={table.entries[1].partition_guid}, name="data-1-m2"',
    ]


def test_arrays_of_partitions_in_a_linear_volume() -> None:
    plan = mixed()
    assert commands(step(plan, "Create /dev/md/data-0"))[0].endswith(
        f"--bitmap=internal {D}01-part1 {D}02-part1 {D}03-part1 {D}04-part1"
    )
    assert commands(step(plan, "Create /dev/md/data-1"))[0].endswith(
        f"--level=1 --raid-devices=2 --size=976430080 --bitmap=internal {D}01-part2 {D}03-part2"
    )
    assert commands(step(plan, "Add 2")) == [
        f"mdadm --manage /dev/md/data-0 --add-spare {D}05-part1",
        f"mdadm --manage /dev/md/data-1 --add-spare {D}05-part2",
    ]
    made = commands(step(plan, "Create the volume"))
    assert [words.split()[0] for words in made] == ["pvcreate", "pvcreate", "vgcreate", "lvcreate", "udevadm"]
    assert all("--dataalignment=1152k" in words for words in made[:2])  # six full stripes of 3 x 64 KiB
    assert "--physicalextentsize=4096k" in made[2]
    assert "--type=linear --extents=" in made[3]
    assert "--stripes" not in made[3]
    (asked,) = (each for each in step(plan, "Create the volume").after if "is linear" in each.what)
    assert asked.answer.startswith("linear,4194304,")
    assert asked.question.argv[-2:] == ("--options=lv_layout,vg_extent_size,lv_size", "data/data")


def test_arrays_share_no_spares_for_their_members_share_disks() -> None:
    """mdadm's monitor would put a second partition of one disk into an array."""
    plan = mixed()
    (conf,) = (action for action in step(plan, "Add the arrays").actions if hasattr(action, "text"))
    assert "spare-group" not in conf.text
    assert "moves spares" not in step(plan, "Monitor").purpose


def test_undo_blanks_each_partition_by_the_superblock_of_its_own_array() -> None:
    plan = mixed()
    of = {array.device: array.uuid for array in plan.arrays}
    undone = [each for each in step(plan, "Partition").undo if getattr(each, "only_if", None)]
    for number, device in enumerate(of, start=1):
        answers = {each.only_if.answer for each in undone if each.argv[-1] == f"{D}01-part{number}"}  # type: ignore[union-attr]
        assert answers == {of[device]}
    assert undo_commands(step(plan, "Wipe")) == []


def test_it_is_the_same_when_it_is_compiled_again() -> None:
    plan = mixed()
    assert recompiled(plan, machine(*DISKS)) == plan
    assert plan.design.layout.hybrid is not None
    assert plan.design.layout.hybrid.bands == plan.prediction.bands


def test_disks_of_one_size_have_one_array_and_no_volume() -> None:
    plan = plan_of("hybrid(3)", tuple(replace(each, size_bytes=TB) for each in DISKS[:3]))
    assert [array.device for array in plan.arrays] == ["/dev/md/data"]
    assert plan.prediction.volume is None
