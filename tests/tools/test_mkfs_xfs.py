from raidtui.programs import mkfs_xfs
from raidtui.values.prediction import XfsGeometry

REAL = XfsGeometry(
    blocks=20998860800, block_bytes=4096, sector_bytes=512, sunit_blocks=64, swidth_blocks=2752, agcount=79,
    agsize_blocks=268435392, log_blocks=521728, log_sunit_blocks=64, imaxpct=1, statfs_blocks=20998339072,
    statfs_available_blocks=20851926806, total_bytes=86009196838912, available_bytes=85409492197376,
)  # fmt: skip


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
