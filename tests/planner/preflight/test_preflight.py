"""Each refusal of a machine that is not the plan's, and of a plan that is not ours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from raidtui.steps.preflight import check_begun, check_plan, modules_of, preflight, questions, tools_of
from raidtui.values.codec import document_digest
from raidtui.values.design import Encryption
from raidtui.values.facts import Answer, QueueLimit
from raidtui.values.findings import Finding
from raidtui.values.inventory import Inventory
from raidtui.values.paths import PathPart, SeenPath
from raidtui.values.plan import Command, Plan, Question
from raidtui.values.target import TargetVersions
from tests.planner.plans import disk, disks, machine, plan_of
from tests.planner.ready import SEATED, facts, found, mirror

PLAN = mirror(*SEATED)
HERE = machine(*SEATED)
SLASH = PathPart(path="/", kind="directory", owner=0, mode=0o755)


def resealed(plan: Plan, **changes: Any) -> Plan:
    """A plan changed by somebody who can compute a digest too."""
    changed = replace(plan, **changes)
    return replace(changed, digest=document_digest(changed))


def test_a_machine_as_the_plan_found_it_is_ready() -> None:
    assert found(PLAN, HERE) == []


@pytest.mark.parametrize(
    ("layout", "design", "initramfs"),
    [
        ("4x(12+2)+4", {}, "debian"),
        ("2x(5+2)", {"stack": "md"}, "dracut"),
        ("2x raid1(2)+1", {"stack": "separate", "fs": "ext4"}, "debian"),
        ("(3+1)", {"fs": "none"}, "debian"),
        ("disk", {"fs": "ext4"}, "debian"),
        ("3x disk", {}, "debian"),
    ],
)
def test_every_kind_of_plan_is_made_again_to_the_last_character(
    layout: str, design: dict[str, Any], initramfs: str
) -> None:
    plan = plan_of(layout, initramfs=initramfs, **design)
    assert found(plan, machine(*disks(len(plan.disks)))) == []


def test_disks_that_were_left_over_and_other_names_of_the_day_do_not_matter() -> None:
    plan = plan_of("raid1(2)", SEATED, inventory=HERE)
    renamed = tuple(replace(each, kernel_name=f"nvme{number}n1") for number, each in enumerate(SEATED))
    assert found(plan, machine(*reversed(renamed))) == []


@pytest.mark.parametrize(
    ("change", "code", "message", "way_out"),
    [
        ({"root": False}, "not-root", "root privileges", "sudo"),
        ({"container": "docker"}, "in-container", "docker", "on the host itself"),
        ({"host": "other"}, "other-host", "host host, this is other", "plan again"),
        ({"absent_modules": ("raid1",)}, "module-absent", "no module raid1", "modprobe raid1"),
        ({"absent_tools": ("mkfs.xfs",)}, "tool-absent", "mkfs.xfs is not installed", "install xfsprogs"),
        ({"absent_features": ("wipefs --lock",)}, "tool-too-old", "wipefs does not support --lock", "newer util-linux"),
        ({"room_bytes": 1 << 20}, "no-room", "/var/lib/raidtui has 1.000 MiB free", "free space"),
        ({"folder_problem": "mounted read-only"}, "no-journal", "mounted read-only", "make the directory writable"),
        ({"holder": "run 01234567"}, "locked", "run 01234567", "--attach"),
        ({"syncs": ("md9 resync",)}, "sync-elsewhere", "md9 resync", "--during-sync"),
        ({"arrays": 511}, "no-minor-numbers", "511 md devices", "stop arrays"),
        (
            {"files": (SeenPath(path="/etc/fstab", parts=(SLASH, replace(SLASH, path="/etc", owner=7))),)},
            "file-not-roots",
            "The build writes /etc/fstab, but /etc belongs to user 7, who could change what is in it.",
            "check its content, then chown root /etc",
        ),
        (
            {"places": (SeenPath(path="/home/u/x", parts=(SLASH, replace(SLASH, path="/home", mode=0o770))),)},
            "mount-point-not-roots",
            "The build mounts on /home/u/x, but /home is writable by others than its owner (mode 0770).",
            "check its content, then chmod go-w /home; or choose another --mount and plan again",
        ),
    ],
)
def test_what_the_machine_lacks(change: dict[str, Any], code: str, message: str, way_out: str) -> None:
    ((said_code, said, way),) = found(PLAN, HERE, **change)
    assert said_code == code
    assert message in said
    assert way_out in way


def test_a_program_that_others_can_change_refuses_a_build_that_is_watched() -> None:
    (found,) = preflight(PLAN, HERE, facts(PLAN, foreign_program="/usr/sbin/sendmail is of user 1000"))
    assert (found.code, found.severity) == ("program-not-roots", "error")
    assert found.message == (
        "mdadm's monitor would run as root what others can change: /usr/sbin/sendmail is of user 1000."
    )


def test_an_alarm_that_nobody_would_hear_is_a_warning_and_forbids_nothing() -> None:
    (heard_by_none,) = preflight(PLAN, HERE, facts(PLAN, no_alarm="no sendmail"))
    assert (heard_by_none.severity, heard_by_none.code) == ("warning", "no-alarm")
    assert "no sendmail" in heard_by_none.message and "PROGRAM" in heard_by_none.way_out
    unwatched = plan_of("raid0(2)")
    assert preflight(unwatched, machine(*disks(2)), facts(unwatched, no_alarm="no sendmail")) == ()


def test_a_machine_of_other_versions_warns_where_they_matter_and_is_refused_where_they_harm() -> None:
    planned = plan_of("(4+2)", target=TargetVersions(kernel="6.1.0-50-amd64", mdadm="4.2"))
    here = machine(*disks(6))
    assert preflight(planned, here, facts(planned, target=TargetVersions(kernel="6.12.5", mdadm="4.6"))) == ()
    (newer,) = preflight(planned, here, facts(planned, target=TargetVersions(kernel="6.19.1", mdadm="4.2")))
    assert (newer.severity, newer.code) == ("warning", "kernel-one-way")
    assert newer.message.startswith(
        "The plan was made for Linux 6.1.0-50-amd64, mdadm 4.2; this is Linux 6.19.1, mdadm 4.2. Linux up to 6.18"
    )
    old = plan_of("raid5(2+1)", ppl=True, metadata="1.0", target=TargetVersions(kernel="6.1", mdadm="4.2"))
    (refused,) = preflight(old, machine(*disks(3)), facts(old, target=TargetVersions(kernel="6.1", mdadm="4.6")))
    assert (refused.severity, refused.code) == ("error", "ppl-with-metadata-1.0")


def test_a_sync_elsewhere_may_be_accepted() -> None:
    assert preflight(PLAN, HERE, facts(PLAN, syncs=("md9 resync",)), during_sync=True) == ()


def test_another_machine_is_refused_by_its_id() -> None:
    ((code, message, _),) = [
        each for each in found(PLAN, replace(HERE, machine_id="0" * 32)) if each[0] == "other-machine"
    ]
    assert (code, message) == (
        "other-machine",
        f"The plan was made for machine id {'f' * 32}, this machine has {'0' * 32}.",
    )


def test_a_plan_for_disks_that_are_attached_nowhere_is_not_built_on_real_ones() -> None:
    chassis = Inventory(origin="chassis", name="host", machine_id="f" * 32, disks=SEATED)
    plan = plan_of("raid1(2)", SEATED[:2], inventory=chassis)
    assert "plan-simulated" in {code for code, _, _ in found(plan, HERE)}
    assert "plan-simulated" in {code for code, _, _ in found(PLAN, chassis)}


@pytest.mark.parametrize(
    ("start", "answer", "code", "words"),
    [
        (("test", "!", "-e", "/dev/md/data"), (1, ""), "name-taken", "/dev/md/data does not exist"),
        (("grep",), (0, "/etc/mdadm/mdadm.conf\n"), "name-taken", "/etc/mdadm/mdadm.conf has no array data"),
        (("test", "!", "-e", "/etc/udev"), (1, ""), "name-taken", "90-raidtui-data.rules does not exist"),
        (("findmnt", "--noheadings"), (0, "1234\n"), "mount-point-taken", "nothing is mounted on /srv/data"),
        (("findmnt", "--fstab"), (0, "UUID=1\n"), "mount-point-taken", "has no entry for /srv/data"),
        (("test", "!", "-L"), (1, ""), "mount-point-taken", "/srv/data is not a symbolic link"),
        (("find",), (0, "/srv/data/letters\n"), "mount-point-taken", "found '/srv/data/letters'"),
        (("lsblk", "--nodeps"), (0, "disk 1 512 0\n"), "check-failed", "found 'disk 1 512 0'"),
    ],
)
def test_names_that_are_taken(start: tuple[str, ...], answer: tuple[int, str], code: str, words: str) -> None:
    questions = [reading.question for reading in PLAN.steps[0].after]
    question = next(each for each in questions if "".join(each.argv).startswith("".join(start)))
    now = replace(facts(PLAN), answers=(Answer(question=question, exit=answer[0], stdout=answer[1]),))
    (finding,) = preflight(PLAN, HERE, now)
    assert finding.code == code
    assert words in finding.message
    assert finding.way_out


def test_a_volume_group_of_that_name_is_named() -> None:
    plan = plan_of("2x raid1(2)")
    question = next(each.question for each in plan.steps[0].after if each.question.argv[0] == "vgs")
    now = replace(facts(plan), answers=(Answer(question=question, exit=0, stdout="  data\n"),))
    (finding,) = preflight(plan, machine(*disks(4)), now)
    assert (finding.code, finding.message) == (
        "name-taken",
        "Requirement not met: volume group data does not exist (found 'data').",
    )
    assert "--name" in finding.way_out


def tampered() -> list[tuple[str, Plan]]:
    wipe = PLAN.steps[2]
    elsewhere = Command(argv=("wipefs", "--all", "/dev/disk/by-id/wwn-0x5000c50000000005"), effect="destroy")
    asks = replace(PLAN.steps[0].after[0], question=Question(argv=("mdadm", "--stop", "/dev/md0")))
    return [
        ("a command", resealed(PLAN, steps=(*PLAN.steps[:2], replace(wipe, actions=(elsewhere,)), *PLAN.steps[3:]))),
        ("a question", resealed(PLAN, steps=(replace(PLAN.steps[0], after=(asks,)), *PLAN.steps[1:]))),
        ("no steps", resealed(PLAN, steps=())),
        ("no disks", resealed(PLAN, disks=())),
        ("other array", resealed(PLAN, arrays=(replace(PLAN.arrays[0], uuid="0:0:0:0"),))),
        ("other run", resealed(PLAN, run_id="f" * 32)),
        ("odd run", resealed(PLAN, run_id="../../etc")),
        ("other name", resealed(PLAN, name="else")),
        ("system mount", resealed(PLAN, filesystems=(replace(PLAN.filesystems[0], mount_point="/etc"),))),
        ("other chunk", resealed(PLAN, design=replace(PLAN.design, chunk_bytes=1 << 16, metadata="1.0"))),
    ]


@pytest.mark.parametrize(("what", "plan"), tampered(), ids=[name for name, _ in tampered()])
def test_a_plan_that_its_design_does_not_give_is_refused_and_nothing_of_it_is_run(what: str, plan: Plan) -> None:
    codes = {finding.code for finding in preflight(plan, HERE, facts(PLAN))}
    assert codes == {"plan-differs"}
    assert questions(plan, check_plan(plan, HERE)) == ()
    assert [finding.code for finding in check_begun(plan, HERE)] == ["plan-differs"]


def test_a_plan_that_an_earlier_version_words_otherwise_is_the_same() -> None:
    earlier = (replace(PLAN.steps[0], title="Look at the machine"), *PLAN.steps[1:])
    plan = resealed(PLAN, made="2026-11-30T10:17:59Z", raidtui="0.0.9", steps=earlier)
    assert found(plan, HERE) == []


def test_what_differs_is_named() -> None:
    _, plan = tampered()[0]
    (finding,) = preflight(plan, HERE, facts(PLAN))
    assert "steps.2.actions is 1 entries in the plan, 7 entries on this machine" in finding.message


def test_a_changed_plan_with_its_old_digest_is_refused() -> None:
    ((code, message, _),) = found(replace(PLAN, name="else"), HERE)
    assert (code, message) == ("plan-changed", "The plan was changed after it was made: its digest does not match.")


def test_a_warning_that_the_plan_does_not_have_is_not_hidden() -> None:
    mixed = (replace(SEATED[0], rotational=True), replace(SEATED[1], rotational=False))
    plan = plan_of("raid1(2)", mixed, inventory=machine(*mixed))
    assert "mixed-rotation" in {finding.code for finding in plan.findings}
    quiet = resealed(plan, prediction=replace(plan.prediction, findings=()), findings=())
    ((code, message, _),) = found(quiet, machine(*mixed))
    assert code == "plan-differs"
    assert "1 rotating disk and 1 flash disk" in message
    assert not message.endswith("..")


def test_queue_depth_that_a_disk_cannot_get() -> None:
    plan = plan_of("raid1(2)", SEATED[:2], inventory=HERE, queue_depth=64)
    first, second = (disk.path for disk in plan.disks)
    assert found(plan, HERE) == []
    assert found(plan, HERE, queue_limits=(QueueLimit(path=first, most=64), QueueLimit(path=second, most=65))) == []
    limits = (QueueLimit(path=first, most=0), QueueLimit(path=second, most=63))
    assert found(plan, HERE, queue_limits=limits) == [
        (
            "queue-depth-of-disk",
            "The disk in slot 1 (MODEL, serial S001) cannot get a queue depth of 64: its driver has none that can be "
            "set.",
            "plan without --queue-depth",
        ),
        (
            "queue-depth-of-disk",
            "The disk in slot 2 (MODEL, serial S002) cannot get a queue depth of 64: its controller takes at most 63 "
            "requests.",
            "plan with --queue-depth 63 or less",
        ),
    ]


def test_a_begun_plan_is_still_proven_by_its_design() -> None:
    arrays = tuple(replace(each, state="content", not_selectable="in use: md127", partitions=(7,)) for each in SEATED)
    assert check_begun(PLAN, machine(*arrays)) == ()


def test_what_a_plan_needs() -> None:
    plan = plan_of("2x(5+2)")
    assert modules_of(plan) == ("md-mod", "raid456", "dm-mod", "xfs")
    assert modules_of(plan_of("2x raid1(2)", stack="md", fs="ext4")) == ("md-mod", "raid1", "raid0", "ext4")
    assert modules_of(plan_of("disk", fs="ext4")) == ("ext4",)
    assert modules_of(plan_of("2x disk")) == ("dm-mod", "xfs")
    encrypted = plan_of("raid1(2)", encryption=Encryption(key_file="/etc/keys/data.key"))
    assert modules_of(encrypted) == ("md-mod", "raid1", "dm-mod", "dm-crypt", "xfs")
    assert modules_of(plan_of("disk", io_scheduler="kyber")) == ("kyber-iosched", "xfs")
    assert modules_of(plan_of("disk", io_scheduler="bfq")) == ("bfq", "xfs")
    assert modules_of(plan_of("disk", io_scheduler="mq-deadline")) == ("mq-deadline", "xfs")
    assert modules_of(plan_of("disk", io_scheduler="none")) == ("xfs",)
    tools = tools_of(plan)
    assert {"mdadm", "wipefs", "mkfs.xfs", "xfs_db", "lvcreate", "env", "update-initramfs", "sed"} <= set(tools)
    assert not [name for name in tools if "/" in name or "=" in name]


def test_findings_are_findings() -> None:
    assert all(isinstance(each, Finding) for each in preflight(PLAN, machine(disk(9)), facts(PLAN, root=False)))
