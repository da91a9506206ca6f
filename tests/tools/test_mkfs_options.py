"""The words of --mkfs."""

import pytest

from raidtui.model.file_system import Ext4Options, XfsOptions
from raidtui.tools.mkfs_options import measurable, parse_ext4, parse_xfs


def test_words_of_xfs() -> None:
    assert parse_xfs("rmapbt=1, reflink=0,bigtime=1") == XfsOptions(rmapbt=True, reflink=False, bigtime=True)
    assert parse_xfs("") == XfsOptions()


def test_words_of_ext4() -> None:
    text = "block=1K,reserved=0.5%,inode_ratio=64K,quota=prjquota:user,lazy_itable_init=0,lazy_journal_init=1"
    assert parse_ext4(text) == Ext4Options(
        block_bytes=1024, reserved_percent=0.5, inode_ratio=65536, quotas=("user", "project"), lazy_itable_init=False,
        lazy_journal_init=True,
    )  # fmt: skip


def test_a_benchmark_keeps_what_was_said() -> None:
    assert measurable(Ext4Options()) == Ext4Options(lazy_itable_init=False, lazy_journal_init=False)
    assert measurable(Ext4Options(lazy_itable_init=True)).lazy_itable_init is True


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("logdev=/dev/sdz", "logdev: an external log is a disk that the plan writes to"),
        ("quota=user", "quota: XFS takes quotas at the mount: --mount-options uquota,gquota,pquota"),
        ("reflink=yes", "reflink: invalid value 'yes'; expected 0 or 1"),
        ("reflink=1,reflink=0", "reflink is given twice"),
        ("crc=0", "unknown option 'crc' of mkfs.xfs; raidtui knows reflink=0|1, rmapbt=0|1, bigtime=0|1"),
    ],
)
def test_what_xfs_refuses(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="") as refused:
        parse_xfs(text)
    assert str(refused.value).startswith(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("reserved=x", "reserved: invalid share 'x'"),
        ("quota=all", "quota: unknown kind 'all'; expected user, group, project, joined by ':'"),
        ("journal_dev=/dev/sdz", "journal_dev: an external log is a disk that the plan writes to"),
        ("bigalloc", "unknown option 'bigalloc' of mkfs.ext4"),
    ],
)
def test_what_ext4_refuses(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="") as refused:
        parse_ext4(text)
    assert str(refused.value).startswith(reason)
