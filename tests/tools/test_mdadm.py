from dataclasses import replace

import pytest

from raidtui.tools import mdadm

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


def test_create_says_every_figure() -> None:
    assert mdadm.create(ASK) == (
        *FRONT, "--metadata=1.2", "--level=6", "--raid-devices=4", "--layout=left-symmetric", "--chunk=256K",
        "--size=1048576", "--bitmap=internal", *MEMBERS,
    )  # fmt: skip


def test_create_leaves_out_what_a_level_has_not() -> None:
    ask = replace(ASK, level="raid0", layout=None, bitmap=None, size_bytes=None, data_offset_bytes=3 * 1024**2)
    assert mdadm.create(ask) == (
        *FRONT, "--metadata=1.2", "--level=0", "--raid-devices=4", "--chunk=256K", "--data-offset=3072K", *MEMBERS,
    )  # fmt: skip


def test_run_and_ppl_are_said_only_when_asked() -> None:
    argv = mdadm.create(replace(ASK, level="raid5", bitmap=None, ppl=True, accept_sizes=True))
    assert argv[-6:] == ("--consistency-policy=ppl", "--run", *MEMBERS)
    assert "--run" not in mdadm.create(ASK)


@pytest.mark.parametrize(
    ("layout", "shown"),
    [("n2", "near=2"), ("f2", "far=2"), ("o3", "offset=3"), ("left-symmetric", "left-symmetric")],
)
def test_layouts_as_detail_shows_them(layout: str, shown: str) -> None:
    assert mdadm.shown_layout(layout) == shown


def test_lines_of_the_configuration() -> None:
    line = mdadm.array_line("/dev/md/data", "1.2", "0:1:2:3", "pool")
    assert line == "ARRAY /dev/md/data metadata=1.2 UUID=0:1:2:3 spare-group=pool"
    assert mdadm.array_line("/dev/md/data", "1.2", "0:1:2:3") == "ARRAY /dev/md/data metadata=1.2 UUID=0:1:2:3"
    assert mdadm.conf_text([line]) == f"{line}\nMAILADDR root"


def test_small_commands() -> None:
    assert mdadm.add_spare("/dev/md/a", "/dev/b") == ("mdadm", "--manage", "/dev/md/a", "--add-spare", "/dev/b")
    assert mdadm.stop("/dev/md/a") == ("mdadm", "--stop", "/dev/md/a")
    assert mdadm.zero_superblock("/dev/b") == ("mdadm", "--zero-superblock", "/dev/b")
    assert mdadm.export("/dev/md/a") == ("mdadm", "--detail", "--export", "/dev/md/a")
    assert mdadm.examine_export("/dev/b") == ("mdadm", "--examine", "--export", "/dev/b")
    assert (mdadm.shown_chunk(262144), mdadm.shown_offset(264192)) == ("256K", "264192 sectors")
    assert mdadm.sectors_as_bytes(264192) == 135266304
