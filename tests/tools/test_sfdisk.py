"""sfdisk and blkid of util-linux 2.38 on a sparse file of 2 000 398 934 016 bytes."""

from __future__ import annotations

from raidtui.programs import sfdisk
from raidtui.values.plan import PlanDisk, PlanTable

TABLE = PlanTable(
    guid="0e7f7a5e-1111-5222-8333-444455556666",
    partition_guid="1e7f7a5e-1111-5222-8333-444455556666",
    name="data-0-m3",
    start_bytes=1_048_576,
    size_bytes=3_907_022_848 * 512,
)
DISK = PlanDisk(
    id="wwn-0x5000c50000000001",
    path="/dev/disk/by-id/wwn-0x5000c50000000001",
    size_bytes=2_000_398_934_016,
    logical_sector_bytes=512,
    role="member 3 of data-0",
    table=TABLE,
)
SCRIPT = """\
label: gpt
label-id: 0e7f7a5e-1111-5222-8333-444455556666
unit: sectors
table-length: 128
start=2048, size=3907022848, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=1e7f7a5e-1111-5222-8333-444455556666, \
name="data-0-m3"
"""
DUMP = """\
label: gpt
label-id: 0E7F7A5E-1111-5222-8333-444455556666
device: gptx.img
unit: sectors
first-lba: 2048
last-lba: 3907029134
sector-size: 512

gptx.img1 : start=        2048, size=  3907022848, type=A19D880F-05FC-4D3B-A006-743F0F84911E, \
uuid=1E7F7A5E-1111-5222-8333-444455556666, name="data-0-m3"
"""


def test_the_command_and_the_script_on_its_standard_input() -> None:
    command = sfdisk.create(DISK, TABLE)
    assert command.argv == (
        "sfdisk", "--lock=yes", "--wipe=never", "--wipe-partitions=never", "/dev/disk/by-id/wwn-0x5000c50000000001",
    )  # fmt: skip
    assert (command.effect, command.devices) == ("destroy", (DISK.path,))
    assert command.stdin == SCRIPT


def test_what_it_prints_of_the_script_is_the_planned_table() -> None:
    assert sfdisk.parse(DUMP) == sfdisk.planned(DISK, TABLE)


def test_another_partition_and_another_table_are_not_the_planned_one() -> None:
    second = DUMP.splitlines()[-1].replace("img1", "img2").replace("1E7F", "2E7F").replace("2048", "9999")
    assert len(sfdisk.parse(f"{DUMP}{second}\n").entries) == 2
    for old, new in (("0E7F", "0E7E"), ("3907022848", "3907022840"), ("A19D", "0FC6"), ("m3", "m4"), ("gpt", "dos")):
        assert sfdisk.parse(DUMP.replace(old, new)) != sfdisk.planned(DISK, TABLE)
    assert sfdisk.parse("") == sfdisk.Dump(label="", guid="", entries=())


def test_sectors_of_4096_bytes_are_counted_as_such_by_sfdisk_and_not_by_blkid() -> None:
    large = PlanDisk(
        id="x", path="/dev/disk/by-id/x", size_bytes=2_000_398_934_016, logical_sector_bytes=4096, role="", table=TABLE
    )
    assert "start=256, size=488377856," in sfdisk.script(sfdisk.planned(large, TABLE))
    answers = dict(sfdisk.entry_answers(TABLE, 1))
    assert (answers["PART_ENTRY_OFFSET"], answers["PART_ENTRY_SIZE"]) == ("2048", "3907022848")
