"""Mount options: the table, what it refuses, and the words for fstab and findmnt."""

import pytest

from raidtui.programs.mount import line
from raidtui.programs.mount_options import ALIASES, REFUSED, TABLE, conflicts, parse, quotas_of, shown
from raidtui.values.choices import MadeFileSystem
from raidtui.values.design import MountOption
from tests.regenerate_mount import TOPIC, topic

XFS: tuple[MadeFileSystem, ...] = ("xfs",)
EXT4: tuple[MadeFileSystem, ...] = ("ext4",)
BOTH = XFS + EXT4


def test_options_as_fstab_and_the_kernel_have_them() -> None:
    options = parse("pquota, largeio,swalloc,allocsize=64m,inode64", "xfs")
    assert line("UUID-1", "/srv/data", "xfs", options) == (
        "UUID=UUID-1 /srv/data xfs noatime,nofail,x-systemd.device-timeout=5min,"
        "pquota,largeio,swalloc,allocsize=64m,inode64 0 0"
    )
    assert shown(options, "xfs") == ("prjquota", "largeio", "swalloc", "allocsize=65536k", "inode64")
    assert quotas_of(options) == {"project"}


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("nobarrier", "xfs", "nobarrier: flushes are what makes the log survive a power failure"),
        ("barrier=0", "ext4", "barrier: flushes are what makes the log survive a power failure"),
        ("logdev=/dev/sdz", "xfs", "logdev: an external log is a disk that the plan writes to, and raidtui does not"),
        ("largeio", "ext4", "unknown mount option 'largeio' of ext4: raidtui help mount lists all"),
        ("commit=0", "ext4", "commit: invalid value '0'; expected"),
        ("commit", "ext4", "commit: invalid value ''; expected"),
        ("data=fast", "ext4", "data: invalid value 'fast'; expected journal, ordered, writeback"),
        ("min_batch_time=1k", "ext4", "min_batch_time: invalid value '1k'; expected a whole number"),
        ("barrier=1", "xfs", "barrier: flushes are what makes the log survive a power failure"),
        ("X-mount.mkdir", "xfs", "X-mount.mkdir: another program than mount reads it"),
        ("x-systemd.automount", "ext4", "x-systemd.automount: another program than mount reads it"),
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
    assert conflicts(parse("journal_async_commit", "ext4"), "ext4") == (("journal_async_commit", "data=ordered"),)
    assert conflicts(parse("journal_async_commit,data=writeback", "ext4"), "ext4") == ()


def test_the_line_of_a_published_report_is_understood() -> None:
    """Segfault, SW-Raid & performance, 2014; `nodiscard` stands there twice."""
    line = "noatime,async,barrier=1,nodiscard,journal_async_commit,nodiscard,nodelalloc,data=writeback"
    options = parse(line, "ext4")
    assert [option.text for option in options] == [
        "noatime", "async", "barrier=1", "nodiscard", "journal_async_commit", "nodelalloc", "data=writeback",
    ]  # fmt: skip
    assert conflicts(options, "ext4") == ()
    assert shown(options, "ext4") == ("noatime", "journal_async_commit", "nodelalloc", "data=writeback")


OF_MAN_PAGES = {
    "mount(8)": "async atime noatime auto noauto context fscontext defcontext rootcontext defaults dev nodev diratime "
    "nodiratime dirsync exec noexec group iversion noiversion mand nomand _netdev nofail relatime norelatime "
    "strictatime nostrictatime lazytime nolazytime suid nosuid silent loud owner remount ro rw sync user nouser users "
    "nosymfollow X-mount.mkdir X-mount.subdir x-initrd.mount bind rbind move loop offset sizelimit helper uhelper "
    "verity.hashdevice discard nodiscard",
    "xfs(5)": "allocsize attr2 noattr2 dax discard nodiscard grpid bsdgroups nogrpid sysvgroups filestreams ikeep "
    "noikeep inode32 inode64 largeio nolargeio logbufs logbsize logdev rtdev noalign norecovery nouuid noquota uquota "
    "usrquota quota uqnoenforce qnoenforce gquota grpquota gqnoenforce pquota prjquota pqnoenforce sunit swidth "
    "swalloc wsync lifetime nolifetime max_open_zones max_atomic_write barrier nobarrier",
    "ext4(5)": "journal_dev journal_path norecovery noload data commit orlov oldalloc user_xattr nouser_xattr acl "
    "noacl bsddf minixdf debug errors data_err grpid bsdgroups nogrpid sysvgroups resgid resuid sb quota "
    "noquota nouid32 grpquota usrquota usrjquota grpjquota jqfmt journal_checksum nojournal_checksum "
    "journal_async_commit barrier nobarrier inode_readahead_blks stripe delalloc nodelalloc "
    "max_batch_time min_batch_time journal_ioprio abort auto_da_alloc noauto_da_alloc noinit_itable "
    "init_itable discard nodiscard block_validity noblock_validity dioread_lock dioread_nolock "
    "max_dir_size_kb i_version nombcache no_mbcache prjquota dax",
}
"""options of util-linux 2.38 to 2.41, xfsprogs 6.1 to 6.17, e2fsprogs 1.47"""


def test_every_option_of_the_man_pages_is_accepted_or_refused_with_a_reason() -> None:
    for page, names in OF_MAN_PAGES.items():
        kinds: tuple[MadeFileSystem, ...] = {"xfs(5)": XFS, "ext4(5)": EXT4}.get(page, BOTH)
        for name in names.split():
            for kind in kinds:
                said = ALIASES[kind].get(name, name).partition("=")[0]
                listed = any(each.name == said and kind in each.types for each in TABLE)
                reasoned = said in REFUSED or said.lower().startswith(("x-", "verity"))
                assert listed or reasoned, (page, kind, name)


def test_the_page_of_the_topic_is_of_the_tables() -> None:
    assert TOPIC.read_text() == topic()


def test_a_size_that_no_unit_holds_is_refused_as_typed() -> None:
    with pytest.raises(ValueError, match="invalid value '131073'; expected a power of two from 64k to 1g"):
        parse("allocsize=131073", "xfs")
