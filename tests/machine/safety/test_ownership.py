"""Not one byte that is not the plan's: what was built is shown by what was written, never inferred from absence."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from raidtui.answers.confirm import undo_page
from raidtui.answers.plain_text import plain_lines
from raidtui.engine import journal
from raidtui.engine.executor import DEVICES
from raidtui.engine.ownership import sampled_text, written_between
from raidtui.engine.survey import survey
from raidtui.machine.system.ports import handed
from raidtui.programs import wipefs
from raidtui.simulated.state import DiskMark, Hold, Partition
from raidtui.simulated.storage import put
from raidtui.steps.disk_steps import sampled_areas
from raidtui.values.errors import MachineFailed, Refused, Stale
from raidtui.values.units import GIB, MIB
from tests.faults.bench import Bench, bench, built
from tests.faults.scene import Scene, canonical, member, plan_on, with_bystanders
from tests.planner.changed_lines import CHANGES
from tests.planner.plans import disks
from tests.simulated.fault_model import Fault
from tests.simulated.machine import FaultyMachine

SPARE_PATH = "/dev/disk/by-id/wwn-0x5000c5000000000b"
OTHER = "wwn-0x5000c5000000000d"
"""a disk of somebody else, with ext4 on it"""


def made_in(folder: Path, scene: Scene | None = None) -> Bench:
    return bench(scene or canonical(), folder)


def built_in(folder: Path) -> Bench:
    return built(canonical(), folder)


def kept(made: Bench) -> list[str]:
    return [record.text for record in journal.records(made.folder) if record.kind == "kept"]


def person(made: Bench, *argv: str) -> None:
    """Somebody types a command."""
    with Path(os.devnull).open("wb") as nothing:
        assert made.machine.run(argv, nothing.fileno()) == 0, argv


def stop_before(made: Bench, *words: str) -> None:
    made.machine.arm(Fault(kind="kill", words=words))


def test_unsigned_content_is_not_erased_by_an_undo_of_a_build_that_never_wiped(tmp_path: Path) -> None:
    machine = with_bystanders(disks(16), targets=12)
    unsigned = [f"wwn-0x5000c500{number:08x}" for number in (1, 2, 3, 6, 7, 11)]
    for disk in unsigned:
        machine.leave(disk, "data")
    made = made_in(tmp_path, Scene(machine=machine.to_json(), plan=plan_on(machine, "2x(3+2)+2")))
    made.accepted = True
    before = made.machine.hashes()
    stop_before(made, "wipefs", "--all")
    assert made.begin().code is None
    assert made.undo().code == 0
    assert made.machine.hashes() == before
    assert [text.split()[0].removeprefix("/dev/disk/by-id/") for text in kept(made)] == unsigned
    assert kept(made)[0] == (
        "/dev/disk/by-id/wwn-0x5000c50000000001 (serial S001, slot unknown) holds data without a known signature, "
        "from byte 65536 on"
    )
    assert journal.records(made.folder)[-1].text == (
        "no signature or line of the plan is left; 6 of 12 disks keep what is on them"
    )


def test_a_spare_that_was_taken_out_and_used_otherwise_is_kept(tmp_path: Path) -> None:
    made = built_in(tmp_path)
    spare = member(made.plan, "spare")
    person(made, "mdadm", "--manage", "/dev/md/data-0", "--remove", SPARE_PATH)
    person(made, "mdadm", "--zero-superblock", SPARE_PATH)
    made.machine.leave(spare, "data")
    before = made.machine.hashes()[spare]
    assert made.undo().code == 0
    assert made.machine.hashes()[spare] == before
    assert [text.split()[0] for text in kept(made)] == [SPARE_PATH]


def test_a_spare_that_was_taken_out_and_is_used_without_a_signature_is_kept_and_its_user_named(tmp_path: Path) -> None:
    """A table of device-mapper leaves nothing on the disk: the kernel alone tells of it."""
    made = built_in(tmp_path)
    spare = member(made.plan, "spare")
    person(made, "mdadm", "--manage", "/dev/md/data-0", "--remove", SPARE_PATH)
    person(made, "mdadm", "--zero-superblock", SPARE_PATH)
    (drive,) = [drive for drive in made.machine._state.drives if drive.disk.id == spare]
    drive.marks.clear()
    drive.holds.append(Hold(how="lvm-pv", name="dm-9"))
    assert made.undo().code == 0
    assert kept(made) == [f"{SPARE_PATH} (serial S011, slot 11) is used by dm-9"]


@pytest.mark.parametrize("what", ["data", "xfs"])
def test_what_appeared_on_a_wiped_disk_stops_a_resume(tmp_path: Path, what: str) -> None:
    made = made_in(tmp_path)
    made.machine.arm(Fault(kind="fail", words=("mdadm", "--create")))
    assert made.begin().code == 3
    owner = member(made.plan, "member-b")
    made.machine.leave(owner, what)  # type: ignore[arg-type]
    before = made.machine.hashes()
    ended = made.resume()
    assert isinstance(ended.problem, Refused)
    assert "serial S006, slot 6" in str(ended.problem)
    assert ended.commands == 0
    assert made.machine.hashes() == before


def plant(machine: FaultyMachine, disk: str, at: int) -> None:
    """Somebody writes 512 bytes without a signature to a disk."""
    key = next(drive.key for drive in machine._state.drives if drive.disk.id == disk)
    put(machine._state, key, DiskMark(kind="data", offset=at, length=512))


def wiped_and_not_created(folder: Path, *, content: bool) -> Bench:
    """A build that failed between the wipe and the first array; `content`: member-b had unsigned data at 1 GiB."""
    machine = with_bystanders(disks(16), targets=12)
    if content:
        plant(machine, member(plan_on(machine, "2x(3+2)+2"), "member-b"), GIB)
    made = made_in(folder, Scene(machine=machine.to_json(), plan=plan_on(machine, "2x(3+2)+2")))
    made.accepted = content
    made.machine.arm(Fault(kind="fail", words=("mdadm", "--create")))
    assert made.begin().code == 3
    return made


@pytest.mark.parametrize("content", [False, True], ids=["was blank", "held data"])
def test_data_between_the_ends_of_a_wiped_disk_stops_a_resume(tmp_path: Path, content: bool) -> None:
    """128 MiB is a place that is read, and no wipe writes there."""
    made = wiped_and_not_created(tmp_path, content=content)
    plant(made.machine, member(made.plan, "member-b"), GIB // 8)
    before = made.machine.hashes()
    ended = made.resume()
    assert isinstance(ended.problem, Refused), ended
    assert "(serial S006, slot unknown) holds data without a known signature, from byte 134217728 on" in str(
        ended.problem
    )
    assert (ended.commands, made.machine.hashes()) == (0, before)
    assert made.undo().code == 0
    assert made.machine.hashes() == before


def test_data_that_was_confirmed_and_that_a_wipe_leaves_does_not_stop_a_resume(tmp_path: Path) -> None:
    made = wiped_and_not_created(tmp_path, content=True)
    assert made.resume().code == 0


def test_each_place_is_zero_or_as_it_was_when_it_was_read(tmp_path: Path) -> None:
    made = wiped_and_not_created(tmp_path, content=True)
    owner = made.plan.disks[0]
    areas = sampled_areas(made.plan.prediction, owner, owner.members[0])
    for at in (GIB // 8, GIB):
        plant(made.machine, owner.id, at)
    known = {owner.path: sampled_text(made.machine, owner.path, areas)}
    assert sorted(set(known[owner.path].split()))[0] == "-"
    zero = ("blkdiscard", "--zeroout", f"--offset={GIB // 8}", "--length=4096", owner.path)
    with Path(os.devnull).open("wb") as nothing:
        assert made.machine.run(zero, nothing.fileno()) == 0
    assert written_between(made.plan, made.machine, owner, owner.members[0], owner.path, known) is None
    plant(made.machine, owner.id, 10 * GIB)
    assert written_between(made.plan, made.machine, owner, owner.members[0], owner.path, known) == 10 * GIB


@pytest.mark.parametrize("killed", [False, True])
def test_a_signature_between_the_ends_that_the_wipe_erases_does_not_stop_the_build(
    tmp_path: Path, killed: bool
) -> None:
    """A system's disk: its file system begins behind an EFI partition of 512 MiB, where the places are."""
    machine = with_bystanders(disks(16), targets=7)
    machine.leave("wwn-0x5000c50000000001", "gpt")
    machine._state.drives[0].partitions = [
        Partition(number=1, start=MIB, size=512 * MIB),
        Partition(number=2, start=513 * MIB, size=GIB),
    ]
    put(machine._state, "d0p2", DiskMark(kind="ext4", offset=1024, length=1024))
    made = made_in(tmp_path, Scene(machine=machine.to_json(), plan=plan_on(machine, "2x(2+1)+1")))
    made.accepted = True
    if killed:
        made.machine.arm(Fault(kind="kill", words=("wipefs", "--all"), side="after"))
        assert made.begin().code is None
        made.machine.arm()
    ended = made.resume() if killed else made.begin()
    assert (ended.code, ended.problem) == (0, None)


def test_what_an_array_of_the_run_wrote_between_the_ends_does_not_stop_a_resume(tmp_path: Path) -> None:
    """As a sync that had begun when mdadm was killed: the array is removed and made again."""
    made = made_in(tmp_path)
    made.machine.arm(Fault(kind="kill", words=("mdadm", "--create"), side="during"))
    assert made.begin().code is None
    plant(made.machine, member(made.plan, "member-a"), GIB)
    assert made.resume().code == 0
    sampled = [record for record in journal.records(made.folder) if record.kind == "sampled"]
    assert [record.devices for record in sampled] == [("/dev/disk/by-id/wwn-0x5000c50000000001",)]


def test_data_between_the_ends_that_appears_right_before_a_disk_becomes_a_member_stops_the_build(
    tmp_path: Path,
) -> None:
    made = made_in(tmp_path)
    owner = member(made.plan, "member-b")
    number = next(step.number for step in made.plan.steps if owner in step.destroys and step.stage == "create")
    made.hooks[("after", "step", number, 0)] = lambda: plant(made.machine, owner, GIB)
    ended = made.begin()
    assert isinstance(ended.problem, Stale)
    assert "serial S006, slot 6) was written to at byte 1073741824 since it was wiped" in str(ended.problem)


def test_data_between_the_places_that_are_read_is_not_seen(tmp_path: Path) -> None:
    """What the promise does not claim: 4096 bytes behind a place, nothing is read."""
    made = wiped_and_not_created(tmp_path, content=False)
    plant(made.machine, member(made.plan, "member-b"), GIB + 4096)
    assert made.resume().code == 0


def test_what_appears_on_a_disk_right_before_it_becomes_a_member_stops_the_build(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    owner = member(made.plan, "member-b")
    made.machine.arm(
        Fault(kind="re-sign", words=("wipefs", "--all", "--lock=yes", "/dev/md/data-0"), side="after", disk=owner,
              what="data")
    )  # fmt: skip
    ended = made.begin()
    assert isinstance(ended.problem, Stale)
    assert "serial S006, slot 6) was written to at byte 65536 since it was wiped" in str(ended.problem)


@pytest.mark.parametrize(
    ("before", "device", "said"),
    [
        ("volume", "/dev/md/data-0", "no signature, but its first 1048576 bytes are not zero"),
        ("format", "/dev/data/data", "no signature, but its first 4096 bytes are not zero"),
    ],
)
def test_data_on_an_array_or_the_volume_stops_the_build_before_something_is_made_on_it(
    tmp_path: Path, before: str, device: str, said: str
) -> None:
    """A first sync takes hours, and mkfs and pvcreate look for signatures only."""
    made = made_in(tmp_path)
    number = next(step.number for step in made.plan.steps if step.stage == before)
    made.hooks["after", "step", number, 0] = lambda: made.machine.stand(device, "data")
    for ended in (made.begin(), made.resume()):
        assert isinstance(ended.problem, Stale)
        assert str(ended.problem).startswith(device) and said in str(ended.problem)
        assert ended.problem.hint.endswith("; then resume")
    assert made.machine.ask(wipefs.question((device,))).stdout == ""
    person(made, *wipefs.zero(device, 0, 1 << 20).argv)  # the way out that the refusal names
    assert made.resume().code == 0


def test_what_appears_on_a_disk_between_preflight_and_wipe_stops_the_build(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    owner = member(made.plan, "member-b")
    made.machine.arm(Fault(kind="re-sign", words=("env",), side="after", disk=owner, what="data"))
    ended = made.begin()
    assert isinstance(ended.problem, Stale)
    assert "holds data without a known signature, from byte 65536 on" in str(ended.problem)
    assert made.machine.writes() == canonical().fresh().writes()


def test_content_that_was_confirmed_and_changed_since_is_not_wiped(tmp_path: Path) -> None:
    machine = with_bystanders(disks(16), targets=12)
    owner = "wwn-0x5000c50000000002"
    machine.leave(owner, "xfs")
    made = made_in(tmp_path, Scene(machine=machine.to_json(), plan=plan_on(machine, "2x(3+2)+2")))
    made.accepted = True
    made.machine.arm(Fault(kind="re-sign", words=("env",), side="after", disk=owner, what="data"))
    ended = made.begin()
    assert isinstance(ended.problem, Stale)
    assert "holds xfs, which differs from its content when it was planned" in str(ended.problem)
    made.machine.arm()
    assert made.undo().code == 0
    assert [text.partition(") ")[2] for text in kept(made)] == [
        "holds xfs, which differs from its content when it was planned"
    ]


def test_a_wipe_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    machine = with_bystanders(disks(16), targets=12)
    machine.leave("wwn-0x5000c50000000002", "xfs")
    machine.leave("wwn-0x5000c50000000003", "gpt")
    made = made_in(tmp_path, Scene(machine=machine.to_json(), plan=plan_on(machine, "2x(3+2)+2")))
    made.accepted = True
    made.machine.arm(Fault(kind="kill", words=("wipefs", "--all"), side="after"))
    assert made.begin().code is None
    assert made.resume().code == 0


@pytest.mark.parametrize("between", ["check and pin", "pin and proof"])
def test_a_link_that_moves_while_disks_are_proven_stops_the_build(tmp_path: Path, between: str) -> None:
    made = made_in(tmp_path)
    disk = next(each for each in made.plan.disks if each.id == member(made.plan, "member-a"))
    before = made.machine.writes()
    moved = Fault(kind="lead", on="ask", words=("lsblk",), disk=OTHER, what=disk.path)

    def move() -> None:
        if between == "check and pin":
            made.machine.lead(disk.path, OTHER)
        else:
            made.machine.arm(moved)

    made.hooks[("after", "proven", 1, 0)] = move
    ended = made.begin()
    assert isinstance(ended.problem, Stale)
    if between == "pin and proof":
        assert (
            str(ended.problem) == f"{disk.path} (serial S001, slot 1) points to another device than when it was pinned"
        )
    assert made.machine.writes() == before


@pytest.mark.parametrize("words", [("mdadm", "--create"), ("wipefs", "--all"), ("blkdiscard",)])
def test_a_link_that_moves_leads_no_command_to_another_disk(tmp_path: Path, words: tuple[str, ...]) -> None:
    made = made_in(tmp_path)
    disk = next(each for each in made.plan.disks if each.id == member(made.plan, "member-a"))
    before = made.machine.hashes()[OTHER], made.machine.writes()[OTHER]
    made.machine.arm(Fault(kind="lead", words=words, disk=OTHER, what=disk.path))
    ended = made.begin()
    assert isinstance(ended.problem, Stale), ended
    assert made.machine.fired == [fired for fired in made.machine.fired if fired.startswith("lead")] != []
    assert (made.machine.hashes()[OTHER], made.machine.writes()[OTHER]) == before


def test_a_link_that_moves_within_a_command_is_found_and_the_build_taken_back(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    disk = next(each for each in made.plan.disks if each.id == member(made.plan, "member-a"))
    made.machine.arm(Fault(kind="lead", words=("mdadm", "--create"), disk=OTHER, what=disk.path))
    ended = made.begin()
    assert str(ended.problem) == f"{disk.path} (serial S001, slot 1) was replaced while it was written to"
    refused = made.undo()
    assert str(refused.problem).startswith(f"{disk.path} (serial S001, slot 1) is not as planned: member 0 of data-0: ")
    assert refused.commands == 0
    made.machine.lead(disk.path, disk.id)
    assert made.undo().code == 0
    assert {each.state for each in made.machine.inventory().disks if each.id in made.scene.targets} == {"blank"}


def test_a_disk_that_somebody_added_to_an_array_of_the_plan_is_named(tmp_path: Path) -> None:
    made = built_in(tmp_path)
    person(made, "wipefs", "--all", f"/dev/disk/by-id/{OTHER}")
    person(made, "mdadm", "--manage", "/dev/md/data-0", "--add-spare", f"/dev/disk/by-id/{OTHER}")
    ended = made.undo()
    assert str(ended.problem).startswith("/dev/md/data-0 has the member sdm, which is not a disk of the plan")
    assert ended.commands == 0
    person(made, "mdadm", "--manage", "/dev/md/data-0", "--remove", f"/dev/disk/by-id/{OTHER}")
    ended = made.undo()
    assert isinstance(ended.problem, MachineFailed)
    assert str(ended.problem) == "/dev/sdm still has a superblock of the plan but is not one of its disks"
    person(made, "mdadm", "--zero-superblock", "/dev/sdm")
    assert made.undo().code == 0


def test_what_is_beside_the_superblock_of_the_plan_stops_an_undo(tmp_path: Path) -> None:
    made = built_in(tmp_path)
    owner = member(made.plan, "spare")
    made.machine.leave(owner, "dos")
    before = made.machine.hashes()
    ended = made.undo()
    assert isinstance(ended.problem, Refused)
    assert "holds dos besides the plan's superblock" in str(ended.problem)
    assert ended.commands == 0
    assert made.machine.hashes() == before


def test_the_page_of_an_undo_names_the_disks_that_are_left_as_they_are(tmp_path: Path) -> None:
    made = built_in(tmp_path)
    spare, gone = member(made.plan, "spare"), member(made.plan, "member-a")
    person(made, "mdadm", "--manage", "/dev/md/data-0", "--remove", SPARE_PATH)
    person(made, "mdadm", "--zero-superblock", SPARE_PATH)
    made.machine.leave(spare, "luks")
    made.machine.unplug(gone)
    standing = survey(made.plan, made.machine, journal.records(made.folder))
    assert standing.foreign == ()
    lines = plain_lines(undo_page(made.plan, standing), width=100)
    at = lines.index("Not changed, because they do not have the plan's superblock:")
    assert lines[at + 1 : at + 3] == [
        f"  - /dev/disk/by-id/{gone} (serial S001, slot 1) is missing",
        f"  - {SPARE_PATH} (serial S011, slot 11) holds crypto_LUKS",
    ]


def test_an_undo_goes_on_without_a_disk_that_is_gone_and_names_it(tmp_path: Path) -> None:
    made = built_in(tmp_path)
    gone = member(made.plan, "member-a")
    made.machine.unplug(gone)
    assert made.undo().code == 0
    assert kept(made) == [f"/dev/disk/by-id/{gone} (serial S001, slot 1) is missing"]
    assert journal.records(made.folder)[-1].text == (
        "no signature or line of the plan is left on the 11 disks that are here; 1 of 12 disks keep what is on them"
    )


@pytest.mark.parametrize("every", [12, pytest.param(3, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("side", ["before", "during", "after"])
def test_an_undo_that_is_killed_leaves_nothing_that_is_not_known_as_its_own(
    tmp_path: Path, side: str, every: int
) -> None:
    """The superblock goes last, so that at every moment either it proves whose the rest is, or there is no rest."""
    for at in range(1, 40, every):
        folder = tmp_path / str(at)
        folder.mkdir()
        made = built_in(folder)
        made.machine.arm(Fault(kind="kill", words=("blkdiscard",), at=at, side=side))  # type: ignore[arg-type]
        assert made.undo().code is None
        assert made.undo().code == 0
        assert kept(made) == []
        assert {each.state for each in made.machine.inventory().disks if each.id in made.scene.targets} == {"blank"}


def test_the_devices_that_paths_led_to_are_written_down(tmp_path: Path) -> None:
    made = built_in(tmp_path)
    lines = (made.folder / DEVICES).read_text().splitlines()
    assert len(lines) == 12
    assert lines[0] == "/dev/disk/by-id/wwn-0x5000c50000000001 8:0 sda 20"


def test_programs_get_the_device_that_was_proven(tmp_path: Path) -> None:
    """Arrays by their kernel's name, disks by their number; what names files after disks gets the plan's paths."""
    made = made_in(tmp_path)
    given: list[tuple[str, ...]] = []
    run = made.machine._carry_out

    def watched(argv: tuple[str, ...], devices: Mapping[str, str], stdin: str) -> tuple[int, str]:
        given.append(handed(argv, devices))
        return run(argv, devices, stdin)

    made.machine._carry_out = watched  # type: ignore[method-assign,assignment]
    assert made.begin().code == 0
    shown = {argv[0]: argv for argv in given if argv[0] not in ("mdadm", "wipefs")}
    assert shown["blkdiscard"][-1] == "/dev/block/8:176"
    assert shown["mkfs.xfs"][-1] == "/dev/block/254:0"
    assert shown["pvcreate"][-1] == "/dev/md125"
    assert shown["env"][-1] == "/dev/disk/by-id/wwn-0x5000c5000000000c"
    create = next(argv for argv in given if argv[:2] == ("mdadm", "--create"))
    assert create[-5:] == tuple(f"/dev/block/8:{minor}" for minor in (0, 16, 32, 48, 64))


@pytest.mark.parametrize(
    "what", ["the end is gone and lines follow", "lines end in CR LF", "a line of others is between"]
)
def test_lines_in_fstab_that_are_not_as_they_were_written_stop_an_undo_before_it_removes_anything(
    tmp_path: Path, what: str
) -> None:
    made = made_in(tmp_path)
    assert made.begin().code == 0
    before = made.machine.read_text("/etc/fstab") or ""
    own = [line for line in before.splitlines(keepends=True) if "raidtui" in line or "/srv/data" in line]
    text = before.replace("".join(own), "".join(CHANGES[what](own)))
    made.machine.write_text("/etc/fstab", text, 0o644)
    ended = made.undo()
    assert str(ended.problem).startswith(
        "/etc/fstab does not have the plan's lines as they were written; expected <# raidtui"
    )
    assert (ended.commands, made.machine.read_text("/etc/fstab")) == (0, text)
    made.machine.write_text("/etc/fstab", before, 0o644)
    assert made.undo().code == 0
    assert made.machine.read_text("/etc/fstab") == before.replace("".join(own), "")


def test_lines_that_are_changed_while_an_undo_runs_are_kept(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    assert made.begin().code == 0
    text = (made.machine.read_text("/etc/fstab") or "").replace(" end\n", " end\r\n")
    mount = next(step.number for step in made.plan.steps if step.stage == "mount")
    made.hooks[("after", "step", mount, 0)] = lambda: made.machine.write_text("/etc/fstab", text, 0o644)
    ended = made.undo()
    assert isinstance(ended.problem, Stale)
    assert made.machine.read_text("/etc/fstab") == text


def test_a_rule_that_somebody_changed_is_kept_and_named(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    assert made.begin().code == 0
    path = "/etc/udev/rules.d/90-raidtui-data.rules"
    text = f"{made.machine.read_text(path)}# a line of others\n"
    made.machine.write_text(path, text, 0o644)
    assert made.undo().code == 0
    assert made.machine.read_text(path) == text
    assert kept(made) == [f"{path} was changed since the plan wrote it"]
    assert journal.records(made.folder)[-1].text == (
        f"no signature or line of the plan is left; {path} is not as the plan wrote it and is kept"
    )


BESIDE = ".raidtui-0123456789abcdef"
"""what the name of a file ends with until it is whole"""


@pytest.mark.parametrize("written", [0, 40, 10_000])
def test_what_a_cut_left_of_a_rule_that_was_being_written_is_removed(tmp_path: Path, written: int) -> None:
    """Found after a flush on real md: the file beside the rule, which a rename would have put in its place."""
    made = made_in(tmp_path)
    assert made.begin().code == 0
    path = "/etc/udev/rules.d/90-raidtui-data.rules"
    text = made.machine.read_text(path) or ""
    with Path(os.devnull).open("wb") as nothing:
        made.machine.run(("rm", "--", path), nothing.fileno())
    made.machine.write_text(f"{path}{BESIDE}", text[:written], 0o644)
    assert made.undo().code == 0
    assert made.machine.read_text(f"{path}{BESIDE}") is None
    assert kept(made) == []


@pytest.mark.parametrize("written", [0, 40, 10_000])
def test_what_a_cut_left_of_a_shared_file_that_was_being_written_is_removed(tmp_path: Path, written: int) -> None:
    made = made_in(tmp_path)
    before = made.machine.read_text("/etc/fstab")
    assert made.begin().code == 0
    text = made.machine.read_text("/etc/fstab") or ""
    assert made.plan.run_id in text
    made.machine.write_text("/etc/fstab", before or "", 0o644)
    made.machine.write_text(f"/etc/fstab{BESIDE}", text[:written], 0o644)
    assert made.undo().code == 0
    assert made.machine.read_text(f"/etc/fstab{BESIDE}") is None
    assert made.machine.read_text("/etc/fstab") == (before or "")


def test_a_file_beside_a_rule_that_the_plan_did_not_write_is_kept(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    assert made.begin().code == 0
    path = f"/etc/udev/rules.d/90-raidtui-data.rules{BESIDE}"
    made.machine.write_text(path, "of others\n", 0o644)
    assert made.undo().code == 0
    assert made.machine.read_text(path) == "of others\n"


def test_an_undo_leaves_the_name_of_an_array_that_somebody_made_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = with_bystanders(disks(16), targets=2)
    made = built(Scene(machine=machine.to_json(), plan=plan_on(machine, "raid1(2)")), tmp_path)
    theirs = [f"/dev/disk/by-id/{disk.id}" for disk in machine.inventory().disks[3:5]]
    person(made, "umount", "/srv/data")
    person(made, "mdadm", "--stop", "/dev/md/data")
    person(made, "mdadm", "--stop", "/dev/md127")
    for path in (*(disk.path for disk in made.plan.disks), *theirs):
        person(made, "mdadm", "--zero-superblock", path)
    create = "mdadm --create /dev/md/data --name=data --homehost=host --uuid=01234567:89abcdef:01234567:89abcdef"
    shape = "--metadata=1.2 --level=1 --raid-devices=2 --bitmap=none"
    person(made, *create.split(), *shape.split(), *theirs)
    ran: list[tuple[str, ...]] = []
    run = made.machine.run

    def watched(argv: tuple[str, ...], *more: Any, **named: Any) -> int:
        ran.append(argv)
        return run(argv, *more, **named)

    monkeypatch.setattr(made.machine, "run", watched)
    assert made.undo().code == 0
    assert ran
    assert [argv for argv in ran if "/dev/md/data" in argv] == []


def test_the_disks_of_a_plan_are_looked_at_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the wipe all twelve, for what they hold and what is kept of it; then the members of each array."""
    seen: list[int] = []
    each = FaultyMachine.each

    def counted(machine: FaultyMachine, look: Any, items: Any) -> Any:
        seen.append(len(items))
        return each(machine, look, items)

    monkeypatch.setattr(FaultyMachine, "each", counted)
    assert made_in(tmp_path).begin().code == 0
    assert [count for count in seen if count > 1] == [12, 12, 5, 5]
