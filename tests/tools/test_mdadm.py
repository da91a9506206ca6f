from dataclasses import replace

import pytest

from raidtui.programs import mdadm
from raidtui.values.plan import Command

ASK = mdadm.Create(
    device="/dev/md/data",
    name="data",
    homehost="host",
    uuid="0:1:2:3",
    level="raid6",
    metadata="1.2",
    members=("/dev/a", "/dev/b", "/dev/c", "/dev/d"),
    chunk_bytes=262144,
    layout="left-symmetric",
    bitmap="internal",
    size_bytes=1024**3,
)
FRONT = ("mdadm", "--create", "/dev/md/data", "--name=data", "--homehost=host", "--uuid=0:1:2:3")
MEMBERS = ("/dev/a", "/dev/b", "/dev/c", "/dev/d")


def test_a_stated_bitmap_chunk_is_written_in_kib_and_read_in_binary_units() -> None:
    ask = replace(ASK, bitmap_chunk_bytes=256 * 1024**2, data_offset_bytes=1024**2)
    assert mdadm.create(ask).argv[-7:-4] == ("--data-offset=1024K", "--bitmap=internal", "--bitmap-chunk=262144K")
    assert mdadm.examine_bitmap("/dev/a") == ("mdadm", "--examine-bitmap", "/dev/a")
    shown = {4096: "4 KB", 64 * 1024**2: "64 MB", 1024**3: "1 GB", 2 * 1024**3: "2 GB"}
    assert {size: mdadm.shown_bitmap_chunk(size) for size in shown} == shown


def test_run_and_ppl_are_said_only_when_asked() -> None:
    argv = mdadm.create(replace(ASK, level="raid5", bitmap=None, ppl=True, accept_sizes=True)).argv
    assert argv[-6:] == ("--consistency-policy=ppl", "--run", *MEMBERS)
    assert "--run" not in mdadm.create(ASK).argv


@pytest.mark.parametrize(
    ("layout", "shown"),
    [("n2", "near=2"), ("f2", "far=2"), ("o3", "offset=3"), ("left-symmetric", "left-symmetric")],
)
def test_layouts_as_detail_shows_them(layout: str, shown: str) -> None:
    assert mdadm.shown_layout(layout) == shown


def test_small_commands() -> None:
    assert mdadm.add_spare("/dev/md/a", "/dev/b") == Command(
        argv=("mdadm", "--manage", "/dev/md/a", "--add-spare", "/dev/b"), effect="change",
        devices=("/dev/md/a", "/dev/b"), members=("/dev/b",), joins="/dev/md/a",
    )  # fmt: skip
    assert mdadm.stop("/dev/md/a") == Command(
        argv=("mdadm", "--stop", "/dev/md/a"), effect="change", devices=("/dev/md/a",), retry="while busy"
    )
    assert mdadm.zero_superblock("/dev/b") == Command(
        argv=("mdadm", "--zero-superblock", "/dev/b"), effect="destroy", devices=("/dev/b",)
    )
    assert mdadm.export("/dev/md/a") == ("mdadm", "--detail", "--export", "/dev/md/a")
    assert mdadm.examine_export("/dev/b") == ("mdadm", "--examine", "--export", "/dev/b")
    assert (mdadm.shown_chunk(262144), mdadm.shown_offset(264192)) == ("256K", "264192 sectors")
    assert mdadm.sectors_as_bytes(264192) == 135266304


def test_every_superblock_of_the_machine_is_searched_for() -> None:
    """As mdadm 4.2 prints it: spares count on the second line, and a name may hold anything but a NUL byte."""
    assert mdadm.search() == ("mdadm", "--examine", "--scan", "--verbose", "--config=partitions")
    ours, theirs = "0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9", "ffffffff:00000000:ffffffff:00000000"
    printed = (
        f"ARRAY /dev/md/data-0  level=raid6 metadata=1.2 num-devices=3 UUID={ours} name=host:data-0\n"
        "   spares=1   devices=/dev/sdb,/dev/sdc1,/dev/nvme0n1\n"
        f"ARRAY /dev/md/x  level=raid1 metadata=1.2 num-devices=2 UUID={theirs} name=y:x\n"
        "   devices=/dev/sdd\n"
    )
    assert mdadm.searched(printed) == (
        (ours, "/dev/sdb"), (ours, "/dev/sdc1"), (ours, "/dev/nvme0n1"), (theirs, "/dev/sdd"),
    )  # fmt: skip
    assert mdadm.searched("") == ()


@pytest.mark.parametrize("hostile", ["/dev/sda;reboot", "$(reboot)", "/dev/sda\x1b[2J", "--help", "/dev/../etc/passwd"])
def test_a_name_that_looks_like_a_device_list_names_no_device(hostile: str) -> None:
    uuid = "0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9"
    assert mdadm.searched(f"ARRAY /dev/md/x UUID={uuid} name=y:x\n devices={hostile},/dev/sdb\n") == (
        (uuid, "/dev/sdb"),
    )


@pytest.mark.parametrize(
    ("metadata", "size", "offset"),
    [
        ("1.2", 2_000_398_934_016, 4096),
        ("1.1", 2_000_398_934_016, 0),
        ("1.0", 2_000_398_934_016, 2_000_398_925_824),
        ("0.90", 2_000_398_934_016, 2_000_398_843_904),
    ],
)  # fmt: skip
def test_where_a_superblock_is(metadata: str, size: int, offset: int) -> None:
    """1.0: 8 KiB from the end, on 4 KiB; 0.90: in the last whole 64 KiB but one (md(4))."""
    assert mdadm.superblock_offset(metadata, size) == offset


def test_changes_of_running_arrays() -> None:
    assert mdadm.set_bitmap("/dev/md127", "none") == Command(
        argv=("mdadm", "--grow", "/dev/md127", "--bitmap=none"), effect="change", devices=("/dev/md127",)
    )
    assert mdadm.set_bitmap("/dev/md127", "internal", 64 * 2**20).argv == (
        "mdadm", "--grow", "/dev/md127", "--bitmap=internal", "--bitmap-chunk=65536K",
    )  # fmt: skip
    assert mdadm.use_whole_members("/dev/md127").argv == ("mdadm", "--grow", "/dev/md127", "--size=max")
    shape = mdadm.reshape("/dev/md127", level="raid6", devices=8, chunk_bytes=131072, backup_file="/root/b")
    assert shape.argv == (
        "mdadm", "--grow", "/dev/md127", "--level=6", "--raid-devices=8", "--chunk=128K", "--backup-file=/root/b",
    )  # fmt: skip
