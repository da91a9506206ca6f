"""Files on a file system that is not mounted, by the superblock: who reads "none" may undo it without being asked."""

from __future__ import annotations

import pytest

from raidtui.programs.file_systems import unmounted

XFS = "blocksize = 4096\ndblocks = 1000\nlogblocks = 100\nfdblocks = 880\nicount = 64\nifree = 58\n"
CLEAN = "xfs_logprint:\n    data device: 0x900\n    log device: 0x900 daddr: 4096 length: 800\n\n log state: <CLEAN>\n"


@pytest.mark.parametrize(
    ("quotas", "files"),
    [
        ("", 3),
        ("uquotino = null\ngquotino = null\npquotino = null\n", 3),
        ("uquotino = 0\ngquotino = 0\npquotino = 0\n", 3),
        ("uquotino = 131\ngquotino = 0\npquotino = null\n", 2),
        ("uquotino = 131\ngquotino = 132\npquotino = 133\n", 0),
    ],
)
def test_quota_files_that_there_are_count_as_none_of_somebody(quotas: str, files: int) -> None:
    """Six inodes are in use; three of them a fresh file system has, and one each quota file."""
    found = unmounted((XFS + quotas, CLEAN), "xfs")
    assert (found.files, found.used_bytes, found.clean) == (files, 4096 * (1000 - 100 - 880), True)
