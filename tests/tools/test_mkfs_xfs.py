from dataclasses import replace

from raidtui.programs import mkfs_xfs
from raidtui.values.prediction import XfsGeometry

REAL = XfsGeometry(
    blocks=20998860800, block_bytes=4096, sector_bytes=512, sunit_blocks=64, swidth_blocks=2752, agcount=79,
    agsize_blocks=268435392, log_blocks=521728, log_sunit_blocks=64, imaxpct=1, statfs_blocks=20998339072,
    statfs_available_blocks=20851926806, total_bytes=86009196838912, available_bytes=85409492197376,
)  # fmt: skip


def test_a_stripe_of_43_disks() -> None:
    assert mkfs_xfs.mkfs("/dev/md/data", "UUID", REAL).argv == (
        "mkfs.xfs", "-K", "-b", "size=4096", "-s", "size=512", "-m", "uuid=UUID,rmapbt=0,reflink=1",
        "-d", "agsize=268435392b,su=262144,sw=43", "-l", "size=521728b,su=262144", "-i", "maxpct=1", "/dev/md/data",
    )  # fmt: skip


def test_no_stripe_is_said_too() -> None:
    flat = replace(REAL, sunit_blocks=0, swidth_blocks=0, log_sunit_blocks=0)
    argv = mkfs_xfs.mkfs("/dev/md/data", "UUID", flat).argv
    assert "agsize=268435392b,noalign" in argv and "size=521728b" in argv


def test_the_superblock_must_say_the_same() -> None:
    assert mkfs_xfs.geometry_question("/dev/x") == (
        "xfs_db", "-r", "-c", "sb 0", "-c",
        "print blocksize dblocks agblocks agcount unit width logblocks sectsize inprogress", "/dev/x",
    )  # fmt: skip
    assert mkfs_xfs.geometry_answers(REAL) == (
        ("blocksize", "4096"), ("dblocks", "20998860800"), ("agblocks", "268435392"), ("agcount", "79"),
        ("unit", "64"), ("width", "2752"), ("logblocks", "521728"), ("sectsize", "512"),
        ("inprogress", "0"),
    )  # fmt: skip
