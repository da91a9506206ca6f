import pytest

from raidtui.programs.file_systems import Count, mounted, mounted_question, unmounted, unmounted_questions
from raidtui.values.errors import MachineFailed

XFS = "blocksize = 4096\ndblocks = 130048\nlogblocks = 16384\nfdblocks = 112960\nicount = 128\nifree = 25\n"
LOG = "xfs_logprint:\n    data device: 0x97f\n\n    log tail: 2 head: {} state: <{}>\n"
EXT4 = """Filesystem volume name:   <none>
Filesystem features:      has_journal ext_attr extent 64bit
Filesystem state:         clean
Inode count:              32768
Block count:              131072
Reserved block count:     6553
Overhead clusters:        12000
Free blocks:              118000
Free inodes:              32755
Block size:               4096
"""


def test_what_is_asked() -> None:
    assert mounted_question("/srv/data") == ("stat", "--file-system", "--format=%S %b %f %c %d", "/srv/data")
    assert unmounted_questions("/dev/md127", "ext4") == (("dumpe2fs", "-h", "/dev/md127"),)
    assert unmounted_questions("/dev/md127", "xfs") == (
        ("xfs_db", "-r", "-c", "sb 0", "-c", "print blocksize dblocks logblocks fdblocks icount ifree", "/dev/md127"),
        ("xfs_logprint", "-t", "/dev/md127"),
    )


def test_a_mounted_file_system() -> None:
    assert mounted("4096 1000 900 64 41\n", "xfs") == Count(used_bytes=409600, files=20)
    assert mounted("4096 1000 900 64 53\n", "ext4") == Count(used_bytes=409600, files=0)
    for text in ("", "4096 1000 900 64", "a b c d e", "4096 1000 900 64 -1"):
        with pytest.raises(MachineFailed, match="unexpected output of stat"):
            mounted(text, "xfs")


def test_a_superblock() -> None:
    used = (130048 - 16384 - 112960) * 4096
    assert unmounted((XFS, LOG.format(2, "CLEAN")), "xfs") == Count(used_bytes=used, files=100)
    assert unmounted((XFS, LOG.format(9, "DIRTY")), "xfs") == Count(used_bytes=used, files=100, clean=False)
    assert unmounted((XFS, ""), "xfs").clean is False
    assert unmounted((EXT4,), "ext4") == Count(used_bytes=(131072 - 12000 - 118000) * 4096, files=2)
    dirty = EXT4.replace("extent 64bit", "extent needs_recovery 64bit")
    assert unmounted((dirty,), "ext4").clean is False
    assert unmounted((EXT4.replace(" clean", " not clean"),), "ext4").clean is False


@pytest.mark.parametrize("lost", ["Block count", "Free inodes", "Filesystem state", "Filesystem features"])
def test_a_superblock_that_is_silent_is_no_answer(lost: str) -> None:
    text = "".join(line for line in EXT4.splitlines(keepends=True) if not line.startswith(lost))
    with pytest.raises(MachineFailed, match="is missing in the ext4 superblock"):
        unmounted((text,), "ext4")
    with pytest.raises(MachineFailed, match="'icount' is missing in the xfs superblock"):
        unmounted((XFS.replace("icount", "other"), LOG), "xfs")
