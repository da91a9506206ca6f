"""Options of mkfs and mount from the design to commands, readings and findings; built on the simulated machine."""

import os
from pathlib import Path

import pytest

from raidtui.machine.run import journal as journals
from raidtui.machine.run.executor_process import carry_out
from raidtui.machine.run.journal import Journal
from raidtui.machine.run.requests import ControlRequest
from raidtui.machine.run.site import SimulatedSite
from raidtui.machine.safety.survey import survey
from raidtui.model.design import Design
from raidtui.model.errors import Refused
from raidtui.model.file_system import Ext4Options, FileSystemOptions, MountOption, XfsOptions
from raidtui.model.finding import Finding
from raidtui.model.notation import parse
from raidtui.model.plan import Plan, Step
from raidtui.model.run import RunPurpose
from raidtui.planner.design.predict import predict
from raidtui.tools.mount_options import parse as mounted
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


def test_without_options_nothing_is_asked_for() -> None:
    made = step(plan_of("(4+2)"), "format")
    argv = made.commands[0].argv
    assert argv[argv.index("-m") + 1].partition(",")[2] == "rmapbt=0,reflink=1"
    assert "features_ro_compat" not in {reading.key for reading in made.after}
    assert plan_of("(4+2)").design.fs_options is None


@pytest.mark.parametrize(("fs", "options"), [("xfs", XFS), ("ext4", EXT4)])
def test_built_verified_counted_and_undone(fs: str, options: FileSystemOptions, tmp_path: Path) -> None:
    """The files of quotas are none of the user's: a fresh file system has none, and its undo asks for nothing more."""
    machine = with_bystanders(disks(16), targets=6)
    plan = plan_on(machine, "(4+2)", fs=fs, fs_options=options)
    site, folder = SimulatedSite(tmp_path, machine), journals.create(tmp_path, plan)

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
    ],
)
def test_values_that_mke2fs_refuses(options: Ext4Options, code: str) -> None:
    assert findings("ext4", FileSystemOptions(ext4=options))[code].severity == "error"


def test_inode_tables_that_mkfs_writes_are_announced() -> None:
    told = findings("ext4", FileSystemOptions(ext4=Ext4Options(lazy_itable_init=False)))["ext4-eager-init"]
    assert told.message == (
        "mkfs.ext4 writes 58.22 GiB of inode tables before it ends; later no background thread of the kernel writes "
        "them, which would lower the rates of a benchmark."
    )
