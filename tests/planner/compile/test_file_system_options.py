"""Options of mkfs and mount from the design to commands, readings and findings; built on the simulated machine."""

import os
from pathlib import Path

import pytest

from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out
from raidtui.engine.site import SimulatedSite
from raidtui.engine.survey import survey
from raidtui.predict.design import predict
from raidtui.programs.mount_options import parse as mounted
from raidtui.values.design import Design, Ext4Options, FileSystemOptions, MountOption, XfsOptions
from raidtui.values.errors import Refused
from raidtui.values.findings import Finding
from raidtui.values.notation import parse
from raidtui.values.plan import Plan, Step
from raidtui.values.run import RunPurpose
from tests.faults.scene import plan_on, with_bystanders
from tests.planner.plans import disks, plan_of

XFS = FileSystemOptions(
    xfs=XfsOptions(rmapbt=True, reflink=False, bigtime=True), mount=mounted("uquota,pquota,largeio", "xfs")
)
EXT4 = FileSystemOptions(
    ext4=Ext4Options(
        block_bytes=2048, reserved_percent=0.5, inode_ratio=1048576, quotas=("user", "project"), lazy_itable_init=False
    ),
    mount=mounted("usrquota,data=writeback,commit=30", "ext4"),
)


MORE_XFS = FileSystemOptions(
    xfs=XfsOptions(
        block_bytes=2048, sector_bytes=512, inode_bytes=1024, finobt=False, sparse=False, nrext64=True, imaxpct=10,
        agcount=20, log_bytes=512 * 2**20, log_sunit_bytes=32768, directory_bytes=8192, cowextsize_blocks=64,
        extszinherit_blocks=16,
    )
)  # fmt: skip
MORE_EXT4 = FileSystemOptions(
    ext4=Ext4Options(
        inode_bytes=512, inodes=4_000_000, journal_bytes=2**29, flex_bg=32, packed_meta_blocks=True,
        quotas=("project",), features=("inline_data", "mmp", "orphan_file"),
    )
)  # fmt: skip


def step(plan: Plan, stage: str) -> Step:
    return next(step for step in plan.steps if step.stage == stage)


def findings(fs: str, options: FileSystemOptions, layout: str = "(4+2)") -> dict[str, Finding]:
    design = Design(layout=parse(layout), fs=fs, fs_options=options)  # type: ignore[arg-type]
    return {finding.code: finding for finding in predict(design, disks(design.layout.disks)).findings}


def test_xfs_gets_its_features_and_they_are_read_back() -> None:
    made = step(plan_of("(4+2)", fs_options=XFS), "format")
    argv = made.commands[0].argv
    assert argv[argv.index("-m") + 1].partition(",")[2] == "rmapbt=1,reflink=0,finobt=1,inobtcount=1,bigtime=1"
    answers = {reading.key: reading.answer for reading in made.after}
    assert (answers["features_ro_compat"], answers["v3.bigtime"]) == ("0xb", "1")  # xfs_db of xfsprogs 6.1


def test_ext4_gets_its_options_and_they_are_read_back() -> None:
    made = step(plan_of("(4+2)", fs="ext4", fs_options=EXT4), "format")
    argv = made.commands[0].argv
    assert (argv[argv.index("-b") + 1], argv[argv.index("-m") + 1]) == ("2048", "0.5")
    assert argv[argv.index("-O") + 1].endswith(",quota,project")
    assert argv[argv.index("-E") + 1] == (
        "nodiscard,stride=256,stripe_width=1024,lazy_itable_init=0,quotatype=usrquota:prjquota"
    )
    answers = {reading.key: reading.answer for reading in made.after}
    assert (answers["User quota inode"], answers["Project quota inode"]) == ("3", "12")  # dumpe2fs 1.47.0
    assert answers["Block size"] == "2048"


def test_every_word_of_xfs_is_stated_and_read_back() -> None:
    made = step(plan_of("(4+2)", fs_options=MORE_XFS), "format")
    argv = made.commands[0].argv
    assert (argv[:6], argv[8:]) == (
        ("mkfs.xfs", "-K", "-b", "size=2048", "-s", "size=512"),
        (
            "-d", "agsize=195338240b,su=524288,sw=4,cowextsize=64,extszinherit=16", "-l", "size=262144b,su=32768",
            "-i", "maxpct=10,size=1024,sparse=0,nrext64=1", "-n", "size=8192", "/dev/md/data",
        ),
    )  # fmt: skip
    assert argv[7].partition(",")[2] == "rmapbt=0,reflink=1,finobt=0,inobtcount=0"
    answers = {reading.key: reading.answer for reading in made.after}
    assert {key: answers[key] for key in answers if key not in {"UUID", "blocksize", "dblocks", "width"}} == {
        "agblocks": "195338240", "agcount": "20", "unit": "256", "logblocks": "262144", "sectsize": "512",
        "inprogress": "0", "features_ro_compat": "0x4", "inodesize": "1024", "imax_pct": "10", "logsunit": "32768",
        "dirblklog": "2", "spino_align": "0", "core.extsize": "16", "v3.cowextsize": "64", "v3.nrext64": "1",
    }  # fmt: skip


def test_every_word_of_ext4_is_stated_and_read_back() -> None:
    made = step(plan_of("(4+2)", fs="ext4", fs_options=MORE_EXT4), "format")
    argv = made.commands[0].argv
    assert argv[argv.index("-O") + 1].endswith(",quota,project,inline_data,mmp,orphan_file")
    assert argv[argv.index("-I") + 1 : argv.index("-m")] == ("512", "-G", "32", "-N", "4292136")
    assert argv[argv.index("-J") + 1 : -2] == (
        "size=512", "-E", "nodiscard,stride=128,stripe_width=512,packed_meta_blocks=1,quotatype=prjquota",
    )  # fmt: skip
    answers = {reading.key: reading.answer for reading in made.after}
    assert {key: answers[key] for key in answers if not key.endswith("count") and key[:5] not in ("UUID", "Block")} == {
        "RAID stride": "128", "RAID stripe width": "512", "Inode size": "512", "Flex block group size": "32",
        "Total journal blocks": "131072", "MMP update interval": "5", "Orphan file inode": "13",
        "Project quota inode": "12",
    }  # fmt: skip


def test_without_options_nothing_is_asked_for() -> None:
    made = step(plan_of("(4+2)"), "format")
    argv = made.commands[0].argv
    assert argv[argv.index("-m") + 1].partition(",")[2] == "rmapbt=0,reflink=1"
    assert "features_ro_compat" not in {reading.key for reading in made.after}
    assert plan_of("(4+2)").design.fs_options is None


@pytest.mark.parametrize(("fs", "options"), [("xfs", XFS), ("ext4", EXT4), ("xfs", MORE_XFS), ("ext4", MORE_EXT4)])
def test_built_verified_counted_and_undone(fs: str, options: FileSystemOptions, tmp_path: Path) -> None:
    """The files of quotas are none of the user's: a fresh file system has none, and its undo asks for nothing more."""
    machine = with_bystanders(disks(16), targets=6)
    plan = plan_on(machine, "(4+2)", fs=fs, fs_options=options)
    site, folder = SimulatedSite(tmp_path, machine), journal.create(tmp_path, plan)

    def does(purpose: RunPurpose) -> int:
        book = Journal(folder, purpose)
        try:
            return carry_out(plan, site, machine, book, ControlRequest)
        finally:
            book.close()

    assert does("build") == 0
    assert [seen.files for seen in survey(plan, machine).filesystems] == [0]
    with Path(os.devnull).open("wb") as null:
        assert machine.run(("umount", "/srv/data"), null.fileno()) == 0
    assert [seen.files for seen in survey(plan, machine).filesystems] == [0]
    assert does("undo") == 0


def test_each_mount_option_says_what_it_costs() -> None:
    assert findings("xfs", XFS)["mount-option"].severity == "note"
    said = predict(Design(layout=parse("(4+2)"), fs_options=XFS), disks(6)).findings
    assert "Mount option pquota: project quotas, limits for directories: every write is accounted." in {
        finding.message for finding in said
    }


def test_what_cannot_be_combined_is_an_error() -> None:
    both = FileSystemOptions(mount=mounted("inode32,inode64", "xfs"))
    assert findings("xfs", both)["mount-options-conflict"].message == (
        "Mount options inode32 and inode64 exclude each other."
    )
    bare = FileSystemOptions(mount=mounted("prjquota", "ext4"))
    assert findings("ext4", bare)["mount-option-quota"].way_out == "add --mkfs quota=project"
    mirror = FileSystemOptions(mount=mounted("swalloc", "xfs"))
    assert findings("xfs", mirror, "raid1(2)")["mount-option-stripe"].severity == "error"


def test_a_plan_file_cannot_smuggle_words_into_fstab() -> None:
    hostile = FileSystemOptions(mount=(MountOption(name="noatime 0 0\n/dev/sda1 / ext4 rw"),))
    with pytest.raises(Refused):
        plan_of("(4+2)", fs_options=hostile)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (Ext4Options(block_bytes=8192), "ext4-block-size"),
        (Ext4Options(inode_ratio=2048), "ext4-inode-ratio"),
        (Ext4Options(reserved_percent=51), "ext4-reserved"),
        (Ext4Options(inode_bytes=300), "mkfs-option"),
        (Ext4Options(inode_bytes=128, quotas=("project",)), "ext4-options"),
        (Ext4Options(journal_bytes=2**40), "ext4-options"),
        (Ext4Options(inodes=2**32 - 1, inode_bytes=4096), "ext4-options"),
    ],
)
def test_values_that_mke2fs_refuses(options: Ext4Options, code: str) -> None:
    assert findings("ext4", FileSystemOptions(ext4=options))[code].severity == "error"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (XfsOptions(block_bytes=8192), "block=8 KiB: every kernel mounts 1, 2 and 4 KiB only"),
        (XfsOptions(block_bytes=1024, inode_bytes=1024), "a sector and two inodes must fit into a block, 1 KiB"),
        (XfsOptions(finobt=False, inobtcount=True), "inobtcount=1 needs finobt=1"),
        (XfsOptions(reflink=False, cowextsize_blocks=8), "cowextsize needs reflink=1"),
        (XfsOptions(agcount=8, agsize_bytes=2**30), "agcount and agsize exclude each other"),
        (XfsOptions(log_bytes=2**31), "log=2 GiB: expected 64 MiB to 2038 MiB"),
        (
            XfsOptions(log_bytes=2**30 + 4096, log_sunit_bytes=65536),
            "log must be a multiple of the log's stripe unit, 64 KiB",
        ),
        (XfsOptions(agcount=2), "2 groups of 3.638 TiB: it needs two or more, of 16 MiB to 1 TiB"),
    ],
)
def test_options_that_mkfs_xfs_refuses(options: XfsOptions, reason: str) -> None:
    found = findings("xfs", FileSystemOptions(xfs=options))["xfs-options"]
    assert (found.severity, found.message) == ("error", f"mkfs.xfs refuses these options: {reason}.")


def test_groups_that_start_on_the_same_disk_are_a_warning() -> None:
    found = findings("xfs", FileSystemOptions(xfs=XfsOptions(agsize_bytes=2**39)))["xfs-groups-on-one-disk"]
    assert found.severity == "warning"
    assert found.message == (
        "Allocation groups of whole stripes: all of them start on the same disk, which holds their metadata."
    )
    assert "xfs-groups-on-one-disk" not in findings("xfs", FileSystemOptions())


def test_each_mkfs_option_says_what_it_costs() -> None:
    design = Design(layout=parse("(4+2)"), fs="ext4", fs_options=MORE_EXT4)
    said = [each.message for each in predict(design, disks(6)).findings]
    assert "mkfs option inodes=4000000: most files that it can hold, for ever." in said
    assert (
        "mkfs option features=inline_data: tiny files are in their inodes, without a block; larger inodes hold more of "
        "them."
    ) in said


def test_inode_tables_that_mkfs_writes_are_announced() -> None:
    told = findings("ext4", FileSystemOptions(ext4=Ext4Options(lazy_itable_init=False)))["ext4-eager-init"]
    assert told.message == (
        "mkfs.ext4 writes 58.22 GiB of inode tables before it ends; later no background thread of the kernel writes "
        "them, which would lower the rates of a benchmark."
    )
