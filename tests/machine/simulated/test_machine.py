"""Whole runs on the simulated machine: built, read back, taken back, killed anywhere and resumed, kept in a file."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.recovery import look
from raidtui.machine.inventory import shipped
from raidtui.machine.system.ports import AS_NAMED, Pin
from raidtui.predict.speed.tunables import SYNC_MIN
from raidtui.simulated.machine import SimulatedMachine
from raidtui.values.errors import BadInput, MachineFailed, Refused
from tests.machine.simulation import E2660, Run, do, end_state, planned, say
from tests.simulated.fault_model import Fault, FaultKind, FaultSide, Killed
from tests.simulated.machine import FaultyMachine
from tests.suite import few

LAYOUTS: list[tuple[str, str, dict[str, Any]]] = [
    ("e2660", "4x(12+2)+4", {"chunk_bytes": 256 * 1024}),
    ("e2660", "2x(4+2)+2", {"stack": "md", "fs": "ext4"}),
    ("e2660", "2x(3+1)+1", {"stack": "separate"}),
    ("e2660", "raid10(8)+1", {}),
    ("e2660", "3x raid1(2)", {}),
    ("e2660", "raid10(5,f2)", {"fs": "ext4"}),
    ("e2660", "raid10(4,o2)", {"bitmap": "none"}),
    ("e2660", "raid4(3+1)", {"fs": "none"}),
    ("e2660", "(3+1)", {"metadata": "1.0"}),
    ("e2660", "(3+1)", {"ppl": True}),
    ("e2660", "raid0(4)", {}),
    ("e2660", "2x raid0(2)", {}),
    ("nas4", "(3+1)", {"fs": "ext4"}),
    ("trio", "raid5(2+1)", {}),
    ("trio", "raid10(3,f2)", {}),
    ("nvme24", "raid10(24)", {}),
    ("nvme24", "(10+2)", {"first_sync": "zeroes"}),
    ("pod45", "(41+2)+2", {"chunk_bytes": 256 * 1024}),
    ("jbod84", "7x(10+2)", {}),
    ("e2660", "disk", {}),
    ("nas4", "disk", {"fs": "ext4"}),
    ("e2660", "4x disk", {"chunk_bytes": 256 * 1024}),
    ("e2660", "3x disk", {"stack": "separate", "fs": "ext4"}),
    ("nvme24", "2x disk", {"fs": "none"}),
    ("e2660-luns", "4x disk", {}),
    ("e2660-luns", "raid0(4)", {"chunk_bytes": 3 * 1024 * 1024}),
]


@pytest.mark.parametrize(("where", "layout", "asked"), few(LAYOUTS, 12))
def test_every_layout_is_built_and_taken_back_to_blank_disks(
    where: str, layout: str, asked: dict[str, Any], tmp_path: Path
) -> None:
    inventory = shipped.load(where)
    plan = planned(layout, inventory, **asked)
    machine = FaultyMachine(inventory, speed_up=3600)
    run = Run(tmp_path, plan, machine)
    taken = {disk.id for disk in plan.disks}
    before = machine.hashes()
    assert machine.inventory() == inventory or where == "nvme24"

    run.build()
    assert run.last() == "finished"
    assert {array.device.rpartition("/")[2] for array in plan.arrays} == set(machine.names("/dev/md"))
    assert {disk.id for disk in machine.inventory().disks if disk.state == "content"} == taken
    assert {each for each, digest in machine.hashes().items() if digest != before[each]} == taken
    assert all(count == 0 for each, count in machine.writes().items() if each not in taken)

    run.undo()
    assert run.last() == "finished"
    assert machine.names("/dev/md") == ()
    assert all(disk.state == "blank" and disk.selectable for disk in machine.inventory().disks)
    assert "raidtui" not in (machine.read_text("/etc/mdadm/mdadm.conf") or "")
    assert "raidtui" not in (machine.read_text("/etc/fstab") or "")
    assert machine.names("/etc/udev/rules.d") == ()


def test_sixty_disks_end_with_the_figures_of_the_field(tmp_path: Path) -> None:
    run = Run(tmp_path, planned("4x(12+2)+4", chunk_bytes=256 * 1024))
    machine = run.machine
    run.build()
    assert say(machine, "blockdev", "--getsize64", "/dev/data/data") == "96012639141888\n"
    assert say(machine, "blockdev", "--getsize64", "/dev/md/data-3") == "24003162931200\n"
    columns = "--options=stripes,stripe_size,vg_extent_size,lv_size"
    volume = say(machine, "lvs", "--noheadings", "--nosuffix", "--units=b", "--separator=,", columns, "data/data")
    assert volume == "  4,262144,3145728,96012639141888\n"
    member = E2660.disks[13].by_id[0]
    assert "   Device Role : Active device 13\n" in say(machine, "mdadm", "--examine", f"/dev/disk/by-id/{member}")
    spare = E2660.disks[56].by_id[0]
    assert "   Device Role : spare\n" in say(machine, "mdadm", "--examine", f"/dev/disk/by-id/{spare}")
    assert say(machine, "blockdev", "--getra", "/dev/md/data-0") == "12288\n"
    assert SYNC_MIN == 10_240_000


def test_a_sync_takes_as_long_as_the_planner_predicts(tmp_path: Path) -> None:
    """2 TB at the mean of a 7200 rpm disk of 140 MB/s at its rim: 5.8 hours."""
    run = Run(tmp_path, planned("raid1(2)"))
    run.machine.arm(Fault(kind="kill", words=("wipefs", "--all", "--lock=yes")))
    with pytest.raises(Killed):
        run.build()
    run.machine.revive()
    (sync,) = run.machine.syncing()
    assert (sync.device, sync.action, sync.all_sectors) == ("md127", "resync", 3906764928)
    left = (sync.all_sectors - sync.done_sectors) * 512 / sync.bytes_per_s
    run.machine.advance(left - 60)
    assert run.machine.syncing()[0].done_sectors > 0.99 * sync.all_sectors
    run.machine.set_sync_limit("md127", 1000)
    assert run.machine.syncing()[0].bytes_per_s == 1_024_000
    run.machine.set_sync_limit("md127", None)
    run.machine.advance(120)
    assert run.machine.syncing() == ()
    assert 5 < left / 3600 < 7


@pytest.mark.parametrize("layout", ["(3+2)", "(3+1)"])
def test_a_first_sync_that_a_boot_interrupted_is_ended_before_the_file_system_where_that_was_asked_for(
    layout: str, tmp_path: Path
) -> None:
    """Nothing would begin it but the file system's own writes."""
    run = Run(tmp_path, planned(layout))
    run.request = ControlRequest(wait_for_sync=True)
    run.machine.arm(Fault(kind="power", on="wait", at=3))
    with pytest.raises(Killed):
        run.build()
    run.machine.revive()
    (held,) = run.machine.syncing()
    assert held.action == "held"
    began = [record.argv[:1] for record in journal.records(run.folder)]
    assert ("mkfs.xfs",) not in began
    run.machine.arm(Fault(kind="kill", words=("mkfs.xfs",)))
    with pytest.raises(Killed):
        run.resume()
    run.machine.revive()
    assert run.machine.syncing() == ()
    run.resume()
    assert run.last() == "finished"


class QuickSystemd:
    """A machine whose systemd mounts what fstab names right before anybody else can."""

    def __init__(self, machine: FaultyMachine, uuid: str) -> None:
        self._machine = machine
        self._uuid = uuid

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)

    def ask(self, argv: tuple[str, ...], devices: Any = AS_NAMED) -> Any:
        said = self._machine.ask(argv, devices)
        return replace(said, stdout=f"{self._uuid}\n") if argv[0] == "findmnt" and said.stdout else said

    def run(self, argv: tuple[str, ...], output: int, devices: Any = AS_NAMED, *, stdin: str = "") -> int:
        code = self._machine.run(argv, output, devices)
        if argv[0] != "mount":
            return code
        os.write(output, b"mount: /srv/data: /dev/mapper/data-data already mounted or mount point busy.\n")
        return 32


@pytest.mark.parametrize("right", [True, False])
def test_what_systemd_mounted_first_is_mounted_if_it_is_ours(right: bool, tmp_path: Path) -> None:
    plan = planned("(3+1)")
    machine = FaultyMachine(E2660, speed_up=3600)
    made = plan.filesystems[0]
    uuid = made.uuid if right else "11111111-2222-4333-8444-555555555555"
    run = Run(tmp_path, plan, QuickSystemd(machine, uuid))  # type: ignore[arg-type]
    if right:
        run.build()
        assert run.last() == "finished"
    else:
        with pytest.raises(MachineFailed, match=r"mount /srv/data ended with exit code 32"):
            run.build()


class Loud:
    """A machine on which mkfs fails and says much."""

    def __init__(self, machine: FaultyMachine) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> object:
        return getattr(self._machine, name)

    def run(self, argv: tuple[str, ...], output: int, devices: Any = AS_NAMED, *, stdin: str = "") -> int:
        if not argv[0].startswith("mkfs"):
            return self._machine.run(argv, output, devices)
        os.write(output, b"first\nsecond\n\x1b]0;owned\x07 third \n\n" + b"x" * 1000 + b"\n")
        return 1


def test_of_a_failed_command_the_last_lines_are_told_and_none_is_obeyed(tmp_path: Path) -> None:
    run = Run(tmp_path, planned("(3+1)"), Loud(FaultyMachine(E2660, speed_up=3600)))  # type: ignore[arg-type]
    with pytest.raises(MachineFailed) as told:
        run.build()
    head, _, words = str(told.value).partition(": ")
    assert head == "mkfs.xfs -K ended with exit code 1"
    assert words.startswith("\\e]0;owned\\x07 third; xxx") and len(words) == 300
    assert told.value.hint.startswith("its output is in ")


class Lingering:
    """A machine on which the empty device of a stopped array, and our link to it, are still there for a moment."""

    def __init__(self, machine: FaultyMachine) -> None:
        self._machine = machine
        self.state = "clear\n"
        self.empty = replace(machine.pin("/dev/md/data"), name="md127")  # type: ignore[type-var]
        self.removed: list[str] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._machine, name)

    def pin(self, path: str) -> Pin | None:
        there = self._machine.pin(path)
        return self.empty if there is None and path == "/dev/md/data" else there

    def names(self, path: str) -> tuple[str, ...]:
        return ("data",) if path == "/dev/md" else self._machine.names(path)

    def read_text(self, path: str) -> str | None:
        return self.state if path == "/sys/block/md127/md/array_state" else self._machine.read_text(path)

    def run(self, argv: tuple[str, ...], output: int, devices: Any = AS_NAMED, *, stdin: str = "") -> int:
        if argv[0] != "rm" or not argv[-1].startswith("/dev/md/"):
            return self._machine.run(argv, output, devices)
        self.removed.append(argv[-1])
        return 0


@pytest.mark.parametrize(("state", "removed"), [("clear\n", ["/dev/md/data"]), ("active\n", [])])
def test_a_link_to_an_array_that_was_stopped_does_not_stay(state: str, removed: list[str], tmp_path: Path) -> None:
    machine = FaultyMachine(E2660, speed_up=3600)
    run = Run(tmp_path, planned("(3+1)"), machine)
    run.build()
    lingering = Lingering(machine)
    lingering.state = state
    run.machine = lingering  # type: ignore[assignment]
    run.undo()
    assert lingering.removed == removed


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about the machine; the journal's own care for this one's disk takes most of their time."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    monkeypatch.setattr(journal, "ROOM", 64 * 1024)


EVERY = pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.thorough)])
"""which commands are struck"""
KILLS: list[tuple[FaultSide, float]] = [
    ("before", 1.0),
    ("during", 0.0),
    ("during", 0.5),
    ("during", 0.99),
    ("after", 1.0),
]


@EVERY
@pytest.mark.parametrize(("side", "share"), KILLS)
@pytest.mark.parametrize("layout", ["raid10(4)+1", "2x(2+1)", "disk", "2x disk"])
def test_killed_at_any_command_and_resumed_it_ends_as_if_nothing_had_been(
    layout: str, side: FaultSide, share: float, every: int, tmp_path: Path
) -> None:
    plan = planned(layout)
    whole = Run(tmp_path / "whole", plan)
    whole.build()
    wanted = end_state(whole.machine)
    assert whole.machine.commands == sum(len(step.actions) for step in plan.steps)
    for at in range(1, whole.machine.commands + 1, every):
        run = Run(tmp_path / str(at), plan)
        run.machine.arm(Fault(kind="kill", at=at, side=side, share=share))
        with pytest.raises(Killed):
            run.build()
        assert len(run.machine.fired) == 1
        with pytest.raises(Killed):
            run.machine.ask(("uname", "--nodename"))
        run.machine.revive()
        run.resume()
        assert end_state(run.machine) == wanted, run.machine.fired
        assert all(count == 0 for count in list(run.machine.writes().values())[len(plan.disks) :])


@EVERY
@pytest.mark.parametrize("kind", ["kill", "power"])
@pytest.mark.parametrize(
    ("layout", "asked"),
    [
        ("(2+1)+1", {"stack": "md", "fs": "ext4"}),
        ("2x raid1(2)", {"stack": "md", "fs": "ext4"}),
        ("disk", {}),
        ("2x disk", {"stack": "separate", "fs": "ext4"}),
        ("2x disk", {}),
    ],
)
def test_stopped_at_any_command_it_can_be_taken_back(
    layout: str, asked: dict[str, Any], kind: FaultKind, every: int, tmp_path: Path
) -> None:
    plan = planned(layout, **asked)
    for at in range(1, sum(len(step.actions) for step in plan.steps) + 1, every):
        run = Run(tmp_path / str(at), plan)
        run.machine.arm(Fault(kind=kind, at=at, side="during"))
        with pytest.raises(Killed):
            run.build()
        run.machine.revive()
        run.undo()
        assert run.machine.names("/dev/md") == (), run.machine.fired
        assert all(disk.state == "blank" for disk in run.machine.inventory().disks), run.machine.fired


@EVERY
def test_a_power_cut_at_any_command_is_resumed_after_the_boot(every: int, tmp_path: Path) -> None:
    """Until the initramfs knows the arrays they come up under other names, and are linked to their own again."""
    plan = planned("(2+1)+1")
    whole = Run(tmp_path / "whole", plan)
    whole.build()
    wanted = end_state(whole.machine)
    for at in range(1, whole.machine.commands + 1, every):
        run = Run(tmp_path / str(at), plan)
        run.machine.arm(Fault(kind="power", at=at, side="during"))
        with pytest.raises(Killed):
            run.build()
        run.machine.revive()
        run.resume()
        assert end_state(run.machine) == wanted, run.machine.fired


@pytest.mark.parametrize("journal_lost", [False, True])
@pytest.mark.parametrize("layout", ["(2+1)", "2x(2+1)"])
def test_what_was_built_is_never_taken_back_by_resume_when_its_names_are_lost(
    layout: str, journal_lost: bool, tmp_path: Path
) -> None:
    run = Run(tmp_path, planned(layout))
    run.build()
    run.machine.write_text("/etc/mdadm/mdadm.conf", "MAILADDR root\n", 0o644)
    do(run.machine, tmp_path, "update-initramfs", "-u")
    run.machine.reboot()
    assert run.machine.pin(run.plan.arrays[0].device) is None
    if journal_lost:
        journal.renew(run.folder)
    before = run.machine.writes()
    with pytest.raises(Refused, match="has changed"):
        look(run.plan, run.machine, journal.records(run.folder))
    assert run.machine.writes() == before


def test_built_it_survives_a_reboot_with_other_names(tmp_path: Path) -> None:
    run = Run(tmp_path, planned("2x(3+1)+1"))
    machine = run.machine
    run.build()
    machine.write_text("/srv/data/marker", "still here\n", 0o644)
    wanted = end_state(machine)["mounts"]
    first = machine.pin(run.plan.disks[0].path)
    machine.reboot(order=[disk.id for disk in reversed(E2660.disks)], host="renamed")
    second = machine.pin(run.plan.disks[0].path)
    assert first is not None and second is not None
    assert (first.name, second.name) == ("sda", "sdbh")
    assert first.sequence != second.sequence
    assert machine.names("/dev/md") == ("data-0", "data-1")
    assert machine.read_text("/srv/data/marker") == "still here\n"
    assert end_state(machine)["mounts"] == wanted
    assert say(machine, "blockdev", "--getra", "/dev/md/data-0") == "6144\n"
    assert say(machine, "systemctl", "is-active", "mdmonitor.service") == "active\n"
    assert say(machine, "uname", "--nodename") == "renamed\n"


def test_it_is_kept_in_a_file_and_goes_on_from_there(tmp_path: Path) -> None:
    keep = tmp_path / "machine.json"
    plan = planned("(2+1)")
    run = Run(tmp_path, plan, FaultyMachine(E2660, speed_up=3600, keep=keep))
    run.machine.arm(Fault(kind="kill", words=("mount",)))
    with pytest.raises(Killed):
        run.build()
    assert json.loads(keep.read_text())["state"]["commands"] == run.machine.commands
    run.machine = FaultyMachine.kept(keep, speed_up=3600)
    assert run.machine.fired == ["kill before mount /srv/data"]
    run.resume()
    assert say(run.machine, "findmnt", "--noheadings", "--first-only", "--output=UUID", "--mountpoint",
               "/srv/data") == f"{plan.filesystems[0].uuid}\n"  # fmt: skip
    again = FaultyMachine.kept(keep)
    assert again.to_json() == run.machine.to_json()
    assert again.hashes() == run.machine.hashes()


def test_what_is_no_machine_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the simulated machine"):
        SimulatedMachine.from_json("{}")
    with pytest.raises(MachineFailed):
        SimulatedMachine.kept(tmp_path / "nothing")


def test_what_another_version_kept_beside_is_left_out() -> None:
    kept = json.loads(SimulatedMachine(E2660).to_json())
    kept["state"] |= {"commands": 3, "armed": [{"fault": {"kind": "kill"}, "seen": 1}], "fired": ["kill before mount"]}
    assert SimulatedMachine.from_json(json.dumps(kept)).to_json() == SimulatedMachine(E2660).to_json()


def test_real_time_passes_only_when_told_so(tmp_path: Path) -> None:
    slept: list[float] = []
    machine = SimulatedMachine(E2660, speed_up=60, sleep=slept.append)
    machine.wait(2)
    assert (machine.now, slept) == (120, [2])
    do(machine, tmp_path, "update-initramfs", "-u")
    assert slept[1] == pytest.approx(25 / 60)


@pytest.mark.parametrize(
    "argv",
    [
        ("mdadm", "--create", "/dev/md/x", "--force", "--level=1", "--raid-devices=2", "/dev/sda", "/dev/sdb"),
        ("mdadm", "--assemble", "--scan"),
        ("wipefs", "--all", "--force", "/dev/sda"),
        ("mkfs.xfs", "-f", "/dev/sda"),
        ("blkdiscard", "--offset=0", "--length=4096", "/dev/sda"),
        ("mount", "-a"),
        ("systemctl", "stop", "mdmonitor.service"),
        ("udevadm", "trigger"),
        ("dd", "if=/dev/zero", "of=/dev/sda"),
    ],
)
def test_what_no_plan_says_is_never_guessed(argv: tuple[str, ...], tmp_path: Path) -> None:
    machine = FaultyMachine(E2660)
    with pytest.raises(MachineFailed, match="the simulated machine does not know"):
        do(machine, tmp_path, *argv)
    assert set(machine.writes().values()) == {0}


@pytest.mark.parametrize(
    "argv",
    [
        ("lsblk", "--json"), ("blkid",), ("mdadm", "--stop", "/dev/md/data"), ("wipefs", "--all", "/dev/sda"),
        ("grep", "x", "/etc/fstab"), ("sed", "--quiet", "1p", "/etc/fstab"), ("stat", "/srv"), ("test", "-e", "/srv"),
    ],
)  # fmt: skip
def test_no_other_question_is_answered(argv: tuple[str, ...]) -> None:
    with pytest.raises(MachineFailed, match="the simulated machine does not know"):
        SimulatedMachine(E2660).ask(argv)
