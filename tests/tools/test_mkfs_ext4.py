from dataclasses import replace

from raidtui.programs import mkfs_ext4
from raidtui.values.prediction import Ext4Geometry

SMALL = Ext4Geometry(
    blocks=262144, block_bytes=4096, stride_blocks=16, stripe_width_blocks=48, reserved_blocks=13107, inodes=65536,
    journal_blocks=8192, statfs_blocks=249195, statfs_free_blocks=249189, statfs_available_blocks=231986,
    total_bytes=1020702720, available_bytes=950214656,
)  # fmt: skip


def test_every_feature_is_said() -> None:
    assert mkfs_ext4.mkfs("/dev/md/data", "UUID", SMALL).argv == (
        "mkfs.ext4", "-q", "-b", "4096", "-U", "UUID", "-O",
        "none,has_journal,ext_attr,dir_index,filetype,extent,64bit,flex_bg,sparse_super,large_file,huge_file,dir_nlink,"
        "extra_isize,metadata_csum,resize_inode",
        "-I", "256", "-N", "65536", "-m", "5", "-J", "size=32", "-E", "nodiscard,stride=16,stripe_width=48",
        "/dev/md/data", "262144",
    )  # fmt: skip


def test_above_16_tib_there_is_no_resize_inode() -> None:
    argv = mkfs_ext4.mkfs("/dev/md/data", "UUID", replace(SMALL, blocks=2**32)).argv
    assert argv[argv.index("-O") + 1].endswith(",metadata_csum")
