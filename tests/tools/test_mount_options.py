"""Mount options: the table, what it refuses, and the words for fstab and findmnt."""

import pytest

from raidtui.model.file_system import MountOption
from raidtui.tools.fstab import line, mounted_with_question
from raidtui.tools.mount_options import conflicts, fstab_words, parse, quotas_of, shown


def test_options_as_fstab_and_the_kernel_have_them() -> None:
    options = parse("pquota, largeio,swalloc,allocsize=64m,inode64", "xfs")
    assert line("UUID-1", "/srv/data", "xfs", options) == (
        "UUID=UUID-1 /srv/data xfs noatime,nofail,x-systemd.device-timeout=5min,"
        "pquota,largeio,swalloc,allocsize=64m,inode64 0 0"
    )
    assert shown(options, "xfs") == ("prjquota", "largeio", "swalloc", "allocsize=65536k", "inode64")
    assert quotas_of(options) == {"project"}


def test_without_options_the_line_is_what_it_was() -> None:
    assert line("U", "/srv/data", "ext4") == "UUID=U /srv/data ext4 noatime,nofail,x-systemd.device-timeout=5min 0 2"


def test_the_plans_own_access_time_gives_way() -> None:
    assert fstab_words(parse("relatime", "ext4")) == "nofail,x-systemd.device-timeout=5min,relatime"


def test_findmnt_is_asked_for_each_word_as_it_is() -> None:
    """util-linux 2.38: without +, `noatime` means that `atime` is missing."""
    assert mounted_with_question("/srv/data", ("noexec", "commit=30")) == (
        "findmnt", "--noheadings", "--first-only", "--output=UUID", "--options=+noexec,+commit=30", "--mountpoint",
        "/srv/data",
    )  # fmt: skip


def test_quotas_have_one_spelling_a_file_system() -> None:
    assert [option.name for option in parse("quota,grpquota,prjquota", "xfs")] == ["uquota", "gquota", "pquota"]
    assert [option.name for option in parse("uquota,gquota,pquota", "ext4")] == ["usrquota", "grpquota", "prjquota"]


def test_values_that_the_kernel_does_not_show_are_not_asked_for() -> None:
    assert shown(parse("data=ordered,commit=5,nodiscard,strictatime,errors=remount-ro", "ext4"), "ext4") == (
        "errors=remount-ro",
    )


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("nobarrier", "xfs", "nobarrier: flushes are what makes the log survive a power failure"),
        ("barrier=0", "ext4", "barrier: flushes are what makes the log survive a power failure"),
        ("logdev=/dev/sdz", "xfs", "logdev: an external log is a disk that the plan writes to, and raidtui does not"),
        ("largeio", "ext4", "unknown mount option 'largeio' of ext4; raidtui knows noatime, "),
        ("commit=0", "ext4", "commit: invalid value '0'; expected"),
        ("commit", "ext4", "commit: invalid value ''; expected"),
        ("data=fast", "ext4", "data: invalid value 'fast'; expected journal, ordered, writeback"),
        ("pquota=1", "xfs", "pquota: invalid value '1'; expected no value"),
        ("noatime 0 0\n/dev/sda1 /", "xfs", "unknown mount option 'noatime 0 0\n/dev/sda1 /'"),
    ],
)
def test_what_is_refused(text: str, kind: str, reason: str) -> None:
    with pytest.raises(ValueError, match="") as refused:
        parse(text, kind)  # type: ignore[arg-type]
    assert str(refused.value).startswith(reason)


def test_options_that_exclude_each_other() -> None:
    assert conflicts(parse("inode32,inode64", "xfs"), "xfs") == (("inode32", "inode64"),)
    assert conflicts(parse("data=journal,delalloc", "ext4"), "ext4") == (("data=journal", "delalloc"),)
    assert conflicts(parse("uquota,uqnoenforce,gquota", "xfs"), "xfs") == (("uquota", "uqnoenforce"),)
    assert conflicts((MountOption(name="commit", value="9"), MountOption(name="commit", value="8")), "ext4")
    assert conflicts(parse("uquota,gquota,pquota,largeio,swalloc", "xfs"), "xfs") == ()
