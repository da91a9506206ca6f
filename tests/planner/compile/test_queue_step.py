"""I/O scheduler and queue depth of the disks: the udev rule, its readings, its undo, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out
from raidtui.engine.site import SimulatedSite
from raidtui.predict.design import predict
from raidtui.programs import udev
from raidtui.scripts.build_script import build_script
from raidtui.scripts.undo_script import undo_script
from raidtui.values.design import Design, Partitions
from raidtui.values.errors import BadInput, MachineFailed
from raidtui.values.notation import parse
from raidtui.values.plan import Plan, Reading, Step, WriteFile
from raidtui.values.run import RunPurpose
from tests.faults.scene import DAYS, plan_on, with_bystanders
from tests.planner.plans import commands, disks, plan_of, undo_commands
from tests.planner.plans import step as step_of
from tests.simulated.fault_model import Fault, Killed
from tests.simulated.machine import FaultyMachine

RULES = """\
# Disks of data, made by raidtui plan 0123456789abcdef0123456789abcdef.
SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", ACTION=="add|change", SYMLINK=="disk/by-id/wwn-0x5000c50000000001", \
ATTR{queue/scheduler}="mq-deadline", ATTR{device/queue_depth}="16"
SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", ACTION=="add|change", SYMLINK=="disk/by-id/wwn-0x5000c50000000002", \
ATTR{queue/scheduler}="mq-deadline", ATTR{device/queue_depth}="16"
SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", ACTION=="add|change", SYMLINK=="disk/by-id/wwn-0x5000c50000000003", \
ATTR{queue/scheduler}="mq-deadline", ATTR{device/queue_depth}="16\""""
PATH = "/etc/udev/rules.d/92-raidtui-data-disks.rules"
TITLE = "Set the I/O scheduler and queue depth of the disks"
LEFT = "the disks keep the running I/O scheduler and queue depth until the next boot"
AGAIN = "the disks have the I/O scheduler and queue depth from before the plan"


def both(layout: str = "raid1(2)+1") -> Plan:
    return plan_of(layout, io_scheduler="mq-deadline", queue_depth=16)


def files(step: Step) -> dict[str, str]:
    return {action.path: action.text for action in step.actions if isinstance(action, WriteFile)}


def asked(readings: tuple[Reading, ...]) -> list[tuple[str, str, str]]:
    return [(" ".join(reading.question.argv), reading.key, reading.answer) for reading in readings]


def test_rule_of_every_disk_spares_included() -> None:
    step = step_of(both(), TITLE)
    assert files(step) == {PATH: RULES}
    trigger = "udevadm trigger --action=change --settle --name-match=/dev/disk/by-id/wwn-0x5000c5000000000"
    assert commands(step) == ["udevadm control --reload", f"{trigger}1", f"{trigger}2", f"{trigger}3"]
    assert step.stage == "tune"
    assert step.purpose.startswith("I/O scheduler mq-deadline; Queue depth 16: for each of the 3 disks")


def test_values_are_read_back() -> None:
    assert asked(step_of(both(), TITLE).after)[1:3] == [
        (
            "lsblk --nodeps --noheadings --output=SCHED /dev/disk/by-id/wwn-0x5000c50000000001",
            "",
            "mq-deadline",
        ),
        (
            "udevadm info --attribute-walk /dev/disk/by-id/wwn-0x5000c50000000001",
            "ATTRS{queue_depth}=",
            '"16"',
        ),
    ]
    assert len(step_of(both(), TITLE).after) == 7


def test_undo_removes_the_rule_and_tells_what_it_restores() -> None:
    step = step_of(both(), TITLE)
    trigger = "udevadm trigger --action=change --settle --name-match=/dev/disk/by-id/wwn-0x5000c5000000000"
    assert undo_commands(step) == [
        f"rm -- {PATH}", "udevadm control --reload", f"{trigger}1", f"{trigger}2", f"{trigger}3",
    ]  # fmt: skip
    assert [command.only_if is None for command in step.undo_commands] == [False, True, False, False, False]
    assert step.undo_note == (
        "The I/O scheduler and queue depth that each disk had before is kept with the run. An undo sets it again "
        "unless another udev rule of the machine sets its own."
    )


def test_one_of_both() -> None:
    alone = step_of(plan_of("raid1(2)", queue_depth=1), "Set the queue depth of the disks")
    assert files(alone)[PATH].splitlines()[1] == (
        'SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", ACTION=="add|change", '
        'SYMLINK=="disk/by-id/wwn-0x5000c50000000001", ATTR{device/queue_depth}="1"'
    )
    assert len(alone.after) == 3
    alone = step_of(plan_of("raid1(2)", io_scheduler="none"), "Set the I/O scheduler of the disks")
    assert files(alone)[PATH].splitlines()[2] == (
        'SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", ACTION=="add|change", '
        'SYMLINK=="disk/by-id/wwn-0x5000c50000000002", ATTR{queue/scheduler}="none"'
    )


def test_disk_below_a_partition() -> None:
    plan = plan_of("raid1(2)", io_scheduler="bfq", partitions=Partitions())
    assert "part1" not in files(step_of(plan, "Set the I/O scheduler"))[PATH]


def test_disks_without_md() -> None:
    titles = [step.title for step in plan_of("disk", queue_depth=8).steps]
    assert titles[-3:] == ["Mount on /srv/data", "Set the queue depth of the disks", titles[-1]]


def test_nothing_without_the_options() -> None:
    assert not any("92-raidtui" in str(step) for step in plan_of("raid1(2)").steps)


def test_place_of_the_rule_is_free() -> None:
    assert ("test ! -e " + PATH, "", "") in asked(both().steps[0].after)


@pytest.mark.parametrize(
    ("link", "match"),
    [
        ("/dev/disk/by-id/ata-ST4000_Z30 1\\x22", "disk/by-id/ata-ST4000_Z30?1?x22"),
        ('/dev/disk/by-id/a", RUN+="/bin/sh', "disk/by-id/a???RUN+=?/bin/sh"),
        ("/dev/disk/by-id/a*[b]|c$env{X}%k\n", "disk/by-id/a??b??c?env?X??k?"),
    ],
)
def test_hostile_link_is_never_raw(link: str, match: str) -> None:
    assert f', SYMLINK=="{match}", ' in udev.disk_line(link, "none", None)
    assert udev.disk_line(link, "none", None).count('"') == 10


@pytest.mark.parametrize(
    ("disk", "depth", "sentence"),
    [
        ({}, 0, "Invalid queue depth: 0 is out of range: 1 to 10240."),
        ({}, 10_241, "Invalid queue depth: 10241 is out of range: 1 to 10240."),
        (
            {"transport": "nvme"},
            8,
            "No queue depth can be set for sd1, sd2: only SATA and SAS disks have one (device/queue_depth).",
        ),
        (
            {"transport": "virtio"},
            8,
            "No queue depth can be set for sd1, sd2: only SATA and SAS disks have one (device/queue_depth).",
        ),
        (
            {"transport": "sata"},
            33,
            "Invalid queue depth 33 for sd1, sd2: SATA disks take at most 32 requests at once (NCQ).",
        ),
        (
            {"transport": "sas", "vendor": "ATA     "},
            33,
            "Invalid queue depth 33 for sd1, sd2: SATA disks take at most 32 requests at once (NCQ).",
        ),
    ],
)
def test_refused_at_planning(disk: dict[str, Any], depth: int, sentence: str) -> None:
    found = predict(Design(layout=parse("raid1(2)"), queue_depth=depth), disks(2, **disk)).findings
    assert [finding.message for finding in found if finding.severity == "error"] == [sentence]


def test_scripts() -> None:
    plan = both()
    built, undone = build_script(plan).text, undo_script(plan).text
    assert RULES.splitlines()[1] in built
    assert "  is mq-deadline lsblk --nodeps --noheadings --output=SCHED " in built
    assert '  is 16 cat "$queue/../device/queue_depth"\n' in built
    (removed,) = re.findall(r"^rm --force (.*); udevadm", undone, re.MULTILINE)
    assert PATH in removed.split()
    assert undone.endswith("The disks keep I/O scheduler and queue depth until the next boot.'\n")


def queues(machine: FaultyMachine, plan: Plan) -> set[str]:
    return {
        machine.ask(("lsblk", "--nodeps", "--noheadings", "--output=SCHED", disk.path)).stdout.strip()
        + machine.ask(("udevadm", "info", "--attribute-walk", disk.path)).stdout.splitlines()[0].strip()
        for disk in plan.disks
    }


def queue_path(machine: FaultyMachine, plan: Plan, disk: int, name: str) -> str:
    pin = machine.pin(plan.disks[disk].path)
    assert pin is not None
    return f"/sys/block/{pin.name}/{name}"


def done(plan: Plan, site: SimulatedSite, machine: FaultyMachine, folder: Path, purpose: RunPurpose) -> str:
    """Text of the last record of a build or an undo that ended well."""
    book = Journal(folder, purpose)
    try:
        assert carry_out(plan, site, machine, book, ControlRequest) == 0
        return book.records[-1].text
    finally:
        book.close()


@pytest.mark.parametrize("booted", [False, True])
@pytest.mark.parametrize("layout", ["(2+2)+1", "disk", "2x raid1(2)"])
def test_built_kept_over_a_boot_and_restored(layout: str, booted: bool, tmp_path: Path) -> None:
    machine = with_bystanders(disks(16), targets=6)
    plan = plan_on(machine, layout, io_scheduler="kyber", queue_depth=7)
    site, folder = SimulatedSite(tmp_path, machine), journal.create(tmp_path, plan)
    machine.set_value(queue_path(machine, plan, 0, "queue/scheduler"), "none")
    machine.set_value(queue_path(machine, plan, 0, "device/queue_depth"), 3)
    first, chosen = queues(machine, plan), {'kyberATTRS{queue_depth}=="7"'}
    assert 'noneATTRS{queue_depth}=="3"' in first
    done(plan, site, machine, folder, "build")
    assert queues(machine, plan) == chosen
    if booted:
        machine.reboot()
        assert queues(machine, plan) == chosen
    assert AGAIN in done(plan, site, machine, folder, "undo")
    assert queues(machine, plan) == first
    assert machine.read_text(PATH) is None


def test_value_that_is_not_the_plans_is_left(tmp_path: Path) -> None:
    machine = with_bystanders(disks(16), targets=6)
    plan = plan_on(machine, "raid1(2)", io_scheduler="kyber", queue_depth=7)
    site, folder = SimulatedSite(tmp_path, machine), journal.create(tmp_path, plan)
    done(plan, site, machine, folder, "build")
    path = queue_path(machine, plan, 0, "queue/scheduler")
    machine.write_text(PATH.replace("92", "93"), udev.disk_line(plan.disks[0].path, "bfq", None), 0o644)
    machine.set_value(path, "bfq")
    lines = (folder / "disk-queues").read_text().splitlines()
    assert lines == [f"mq-deadline 32 {disk.path}" for disk in plan.disks]
    machine.arm(Fault(kind="kill", at=1, words=("set",), side="before"))
    with pytest.raises(Killed):
        done(plan, site, machine, folder, "undo")
    machine.revive()
    done(plan, site, machine, folder, "undo")
    first = 'mq-deadlineATTRS{queue_depth}=="32"'
    assert queues(machine, plan) == {first, first.replace("mq-deadline", "bfq")}


@pytest.mark.parametrize("how", ["no file", "rule kept"])
def test_nothing_is_restored_that_is_not_known(how: str, tmp_path: Path) -> None:
    """The values from before are missing, or somebody changed the rule: it stays, and what it says."""
    machine = with_bystanders(disks(16), targets=6)
    plan = plan_on(machine, "raid1(2)", io_scheduler="kyber", queue_depth=7)
    site, folder = SimulatedSite(tmp_path, machine), journal.create(tmp_path, plan)
    done(plan, site, machine, folder, "build")
    if how == "no file":
        (folder / "disk-queues").unlink()
    else:
        machine.write_text(PATH, (machine.read_text(PATH) or "") + "# mine\n", 0o644)
    assert LEFT in done(plan, site, machine, folder, "undo")
    assert queues(machine, plan) == {'kyberATTRS{queue_depth}=="7"'}


@pytest.mark.parametrize("text", ["mq-deadline 32", "mq-deadline 32 /a b", "MQ 32 /a", "none -1 /a"])
def test_damaged_file_is_refused(text: str, tmp_path: Path) -> None:
    machine = with_bystanders(disks(16), targets=6)
    plan = plan_on(machine, "raid1(2)", queue_depth=7)
    site, folder = SimulatedSite(tmp_path, machine), journal.create(tmp_path, plan)
    done(plan, site, machine, folder, "build")
    (folder / "disk-queues").write_text(f"{text}\n")
    with pytest.raises(BadInput, match="disk-queues: line 1 is not"):
        done(plan, site, machine, folder, "undo")
    (folder / "disk-queues").unlink()
    assert LEFT.replace("I/O scheduler and ", "") in done(plan, site, machine, folder, "undo")


def test_kernel_that_keeps_another_value_is_reported(tmp_path: Path) -> None:
    machine = with_bystanders(disks(16), targets=6)
    plan = plan_on(machine, "raid1(2)", queue_depth=7)
    site, folder = SimulatedSite(tmp_path, machine), journal.create(tmp_path, plan)
    done(plan, site, machine, folder, "build")
    machine.arm(Fault(kind="lie", at=1, words=("set",)))
    with pytest.raises(MachineFailed, match="reads 7 after 32 was written"):
        done(plan, site, machine, folder, "undo")
    assert AGAIN.replace("I/O scheduler and ", "") in done(plan, site, machine, folder, "undo")


def test_undone_without_one_disk(tmp_path: Path) -> None:
    machine = with_bystanders(disks(16), targets=6)
    plan = plan_on(machine, "(2+2)+1", queue_depth=7)
    site, folder = SimulatedSite(tmp_path, machine), journal.create(tmp_path, plan)
    for purpose in ("build", "undo"):
        done(plan, site, machine, folder, purpose)
        machine.advance(DAYS)  # an array that is not in sync and lacks a member does not start at boot
        machine.reboot(without=(plan.disks[1].id,))
    assert machine.read_text(PATH) is None


def test_nothing_but_a_disks_queue_can_be_set() -> None:
    machine = with_bystanders(disks(16), targets=6)
    for path in ("/sys/block/md126/md/sync_action", "/sys/block/sda/queue/nr_requests", "/etc/passwd",
                 "/sys/block/md126/md/stripe_cache_size", "/sys/block/sda/queue/scheduler/../nr_requests"):  # fmt: skip
        with pytest.raises(MachineFailed, match="not one of the values"):
            machine.set_value(path, 1)
