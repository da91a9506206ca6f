"""The words of --mkfs."""

import pytest

from raidtui.programs.mkfs_options import REFUSED, WORDS, parse_mkfs
from raidtui.values.choices import MadeFileSystem
from raidtui.values.design import EXT4_FEATURES
from tests.regenerate_mkfs import TOPIC, topic


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("logdev=/dev/sdz", "logdev: an external log is a disk that the plan writes to"),
        ("quota=user", "quota: XFS takes quotas at the mount: --mount-options uquota,gquota,pquota"),
        ("reflink=yes", "reflink: invalid value 'yes'; expected 0 or 1"),
        ("reflink=1,reflink=0", "reflink is given twice"),
        ("inode=256", "inode: invalid value '256'; expected 512, 1K or 2K"),
        ("agcount=1", "agcount: invalid value '1'; expected 2 to 1000000"),
        ("-i size=1K,inode=1K", "inode is given twice"),
        ("-l sunit=8", "-l sunit: log_su=32K says it in bytes"),
        ("sunit=8", "sunit: mkfs gets the true stripe"),
        ("noaffinity=1", "unknown option 'noaffinity' of mkfs.xfs: raidtui help mkfs lists all"),
        ("crc=0", "crc: without checksums damage stays unseen, and kernels from 2030 on do not mount it"),
    ],
)
def test_what_xfs_refuses(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="") as refused:
        parse_mkfs(text, "xfs")
    assert str(refused.value).startswith(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("reserved=x", "reserved: invalid share 'x'"),
        ("quota=all", "quota: unknown kind 'all'; expected user, group, project, joined by ':'"),
        ("journal_dev=/dev/sdz", "journal_dev: an external log is a disk that the plan writes to"),
        ("features=mmp:casefold", "casefold: kernels without Unicode do not mount it"),
        ("features=^has_journal", "has_journal: every plan has it"),
        ("flex_bg=12", "flex_bg: invalid value '12'; expected 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024"),
        ("inodes=1e6", "inodes: invalid value '1e6'; expected 16 to 4294967295"),
        ("resize=9", "resize: every plan reserves what growth by 1024 times needs"),
        ("-T=news", "-T: it names ratios of the server's mke2fs.conf"),
        ("bigalloc", "bigalloc: ext4(5) calls bigalloc under development, with bugs in kernels"),
    ],
)
def test_what_ext4_refuses(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="") as refused:
        parse_mkfs(text, "ext4")
    assert str(refused.value).startswith(reason)


OF_MAN_PAGES: dict[MadeFileSystem, str] = {
    "xfs": "-b size|-c options|-m bigtime crc finobt inobtcount uuid rmapbt reflink metadir autofsck uquota gquota "
    "pquota|-d agcount agsize cowextsize name file size sunit su swidth sw noalign rtinherit projinherit extszinherit "
    "daxinherit concurrency max_atomic_write|-f|-i size perblock maxpct align attr projid32bit sparse nrext64 exchange"
    "|-l agnum internal logdev size version sunit su lazy-count concurrency|-n size version ftype parent|-p|-q"
    "|-r rtdev extsize size noalign rgcount rgsize concurrency zoned start reserved|-s size|-L|-N|-K|-V",
    "ext4": "-b|-c|-C|-d|-D|-e|-E encoding encoding_flags mmp_update_interval stride stripe_width offset resize "
    "lazy_itable_init lazy_journal_init assume_storage_prezeroed no_copy_xattrs num_backup_sb packed_meta_blocks "
    "root_owner test_fs orphan_file_size discard nodiscard quotatype|-F|-g|-G|-i|-I|-j|-J size fast_commit_size "
    "location device|-l|-L|-m|-M|-n|-N|-o|-O|-q|-r|-S|-t|-T|-U|-v|-V|-z",
}
"""options of xfsprogs 6.1 to 6.17, e2fsprogs 1.47"""
OF_EXT4 = (
    "64bit bigalloc casefold dir_index dir_nlink ea_inode encrypt ext_attr extent extra_isize fast_commit filetype "
    "flex_bg has_journal huge_file inline_data journal_dev large_dir large_file metadata_csum metadata_csum_seed "
    "meta_bg mmp orphan_file project quota resize_inode sparse_super sparse_super2 stable_inodes uninit_bg verity"
)
"""features of ext4(5)"""


@pytest.mark.parametrize("kind", ["xfs", "ext4"])
def test_every_option_of_the_man_page_is_accepted_or_refused_with_a_reason(kind: MadeFileSystem) -> None:
    accepted = {word.of for word in WORDS[kind]}
    for section in OF_MAN_PAGES[kind].split("|"):
        letter, *names = section.split()
        for name in [f"{letter} {each}" for each in names] or [letter]:
            assert (name in accepted) != (name in REFUSED[kind]), name


def test_every_feature_of_ext4_is_accepted_or_refused_with_a_reason() -> None:
    for name in OF_EXT4.split():
        known = name in EXT4_FEATURES or name in REFUSED["ext4"] or name in {word.name for word in WORDS["ext4"]}
        assert known, name


def test_the_page_of_the_topic_is_of_the_tables() -> None:
    assert TOPIC.read_text() == topic()
