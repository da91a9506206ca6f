"""Content that came after a command was announced, and superblocks of the plan that are not where the plan put them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from raidtui.engine import journal
from raidtui.engine.ownership import contents
from raidtui.engine.process import traces
from raidtui.machine.system.ports import AS_NAMED, Ran
from raidtui.simulated.state import DiskMark
from raidtui.simulated.storage import put
from raidtui.values.errors import MachineFailed, Refused, Stale
from raidtui.values.inventory import DiskContent, Signature
from raidtui.values.notation import parse
from raidtui.values.units import KIB, MIB
from tests.faults.bench import Bench, bench, built
from tests.faults.scene import OTHER_RUN_ID, Scene, canonical, member, other, plan_on, with_bystanders
from tests.machine.safety.test_ownership import person
from tests.planner.plans import disks
from tests.simulated.fault_model import Fault, FaultSide, Leftover, OnTop
from tests.simulated.machine import FaultyMachine
from tests.suite import few

OWNER = "wwn-0x5000c50000000002"
BY_ID = "/dev/disk/by-id/"


def on_old_content(folder: Path, old: Leftover) -> Bench:
    machine = with_bystanders(disks(16), targets=12)
    machine.leave(OWNER, old)
    made = bench(Scene(machine=machine.to_json(), plan=plan_on(machine, "2x(3+2)+2")), folder)
    made.accepted = True
    return made


@pytest.mark.parametrize(("old", "new"), [("ext4", "xfs"), ("xfs", "luks"), ("data", "ext4"), ("gpt", "ext4")])
@pytest.mark.parametrize("side", ["before", "after"])
def test_another_content_on_a_disk_whose_wipe_was_begun_stops_a_resume(
    tmp_path: Path, old: Leftover, new: Leftover, side: str
) -> None:
    made = on_old_content(tmp_path, old)
    made.machine.arm(Fault(kind="kill", words=("wipefs", "--all"), side=side))  # type: ignore[arg-type]
    assert made.begin().code is None
    made.machine.arm()
    person(made, "wipefs", "--all", BY_ID + OWNER)
    made.machine.leave(OWNER, new)
    before = made.machine.hashes()
    ended = made.resume()
    assert isinstance(ended.problem, Refused)
    assert "(serial S002, slot unknown) holds " in str(ended.problem)
    assert "which differs from its content when it was planned" in str(ended.problem)
    assert ended.commands == 0
    assert made.machine.hashes() == before


def test_a_new_file_system_of_the_same_kind_is_not_the_one_that_was_confirmed(tmp_path: Path) -> None:
    made = on_old_content(tmp_path, "ext4")
    plan = made.plan
    signature = Signature(type="ext4", uuid="0d7b8ec1-30d2-4a19-8a3e-3c1d9e1f7a55")
    other = DiskContent(kind="file-system", where=str(signature), signature=signature)
    held = tuple(replace(disk, content=(other,), fingerprint="0" * 32) if disk.content else disk for disk in plan.disks)
    made.machine.arm(Fault(kind="kill", words=("wipefs", "--all")))
    assert made.begin().code is None
    found = contents(plan, made.machine, journal.records(made.folder))
    assert {each.state for each in found if each.disk.content} == {"half wiped"}
    found = contents(replace(plan, disks=held), made.machine, journal.records(made.folder))
    assert {each.state for each in found if each.disk.content} == {"foreign"}


@pytest.mark.parametrize(("layout", "metadata"), [("raid1(2)+1", "1.0"), ("(3+2)+1", "1.0"), ("raid1(3)", "0.90")])
def test_a_file_system_on_a_disk_that_was_taken_out_is_beside_a_superblock_at_the_end(
    tmp_path: Path, layout: str, metadata: str
) -> None:
    """A member shows what is on its array; a disk that was taken out of a running array shows its own content."""
    machine = with_bystanders(disks(16), targets=parse(layout).disks)
    plan = plan_on(machine, layout, metadata=metadata, fs="ext4")
    made = built(Scene(machine=machine.to_json(), plan=plan), tmp_path)
    array = made.plan.arrays[0]
    out = (array.spares or array.members)[0]
    if not array.spares:
        person(made, "mdadm", "--manage", array.device, "--fail", BY_ID + out)
    person(made, "mdadm", "--manage", array.device, "--remove", BY_ID + out)
    made.machine.leave(out, "ext4")
    before = made.machine.hashes()
    ended = made.undo()
    assert isinstance(ended.problem, Refused)
    assert "holds ext4 besides the plan's superblock" in str(ended.problem)
    assert made.machine.hashes() == before
    person(made, "wipefs", "--all", BY_ID + out)
    assert made.undo().code == 0


def test_a_member_that_somebody_moved_to_another_array_of_the_plan_is_taken_back(tmp_path: Path) -> None:
    made = built(canonical(), tmp_path)
    moved = member(made.plan, "member-a")
    person(made, "mdadm", "--manage", "/dev/md/data-0", "--fail", BY_ID + moved)
    person(made, "mdadm", "--manage", "/dev/md/data-0", "--remove", BY_ID + moved)
    person(made, "mdadm", "--zero-superblock", BY_ID + moved)
    person(made, "mdadm", "--manage", "/dev/md/data-1", "--add-spare", BY_ID + moved)
    assert made.undo().code == 0
    assert {each.state for each in made.machine.inventory().disks if each.id in made.scene.targets} == {"blank"}
    assert journal.records(made.folder)[-1].text == "no signature or line of the plan is left"


def with_moved_spare(folder: Path) -> Bench:
    """A finished build whose spare of data-0 is one of data-1 now, as mdadm's monitor moves it."""
    made = built(canonical(), folder)
    (spare,) = made.plan.arrays[0].spares
    person(made, "mdadm", "--manage", "/dev/md/data-0", "--remove", BY_ID + spare)
    person(made, "mdadm", "--zero-superblock", BY_ID + spare)
    person(made, "mdadm", "--manage", "/dev/md/data-1", "--add-spare", BY_ID + spare)
    return made


@pytest.mark.parametrize(("at", "side"), few(((at, side) for at in (1, 2, 3, 4, 5) for side in ("before", "after")), 3))
def test_a_moved_spare_is_blank_after_an_undo_that_was_killed_while_it_blanked_it(
    tmp_path: Path, at: int, side: Literal["before", "after"]
) -> None:
    """Its five areas come first, then those of the other disks."""
    made = with_moved_spare(tmp_path)
    made.machine.arm(Fault(kind="kill", words=("blkdiscard",), at=at, side=side))
    assert made.undo().code is None
    made.machine.arm()
    assert made.undo().code == 0
    assert {each.state for each in made.machine.inventory().disks if each.id in made.scene.targets} == {"blank"}
    assert journal.records(made.folder)[-1].text == "no signature or line of the plan is left"


def test_without_a_journal_a_moved_spare_alone_is_a_trace_of_the_plan(tmp_path: Path) -> None:
    made = with_moved_spare(tmp_path)
    (spare,) = made.plan.arrays[0].spares
    assert traces(made.plan, made.machine)
    for disk in made.plan.disks:
        if disk.id != spare:
            made.machine.unplug(disk.id)
    assert traces(made.plan, made.machine)


def test_a_search_for_superblocks_that_failed_is_no_proof_that_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = built(canonical(), tmp_path)
    ask = FaultyMachine.ask

    def killed(machine: FaultyMachine, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        answer = ask(machine, argv, devices)
        return replace(answer, exit=137, stdout="") if argv[:3] == ("mdadm", "--examine", "--scan") else answer

    monkeypatch.setattr(FaultyMachine, "ask", killed)
    ended = made.undo()
    assert isinstance(ended.problem, MachineFailed)
    assert "mdadm could not search the devices of this machine for superblocks" in str(ended.problem)
    monkeypatch.undo()
    assert made.undo().code == 0


def test_a_run_that_was_taken_back_has_no_say_in_the_volume_of_the_next(tmp_path: Path) -> None:
    """The next plan on the same disks has the same names, and other UUIDs."""
    first = built(canonical(), tmp_path)
    assert first.undo().code == 0
    plan = plan_on(first.machine, "2x(3+2)+2", run_id=OTHER_RUN_ID)
    folder = tmp_path / "next"
    folder.mkdir()
    second = bench(Scene(machine=first.machine.to_json(), plan=plan), folder)
    second.machine = first.machine
    assert second.begin().code == 0
    before = first.machine.hashes()
    assert first.undo().code == 0
    assert (
        journal.records(first.folder)[-1].text
        == "no signature or line of the plan is left; 12 of 12 disks keep what is on them"
    )
    assert first.machine.hashes() == before
    assert second.undo().code == 0


@pytest.mark.parametrize("left", ["data-middle", "data"])
def test_arrays_that_were_made_and_are_gone_are_not_made_anew_by_a_resume(tmp_path: Path, left: Leftover) -> None:
    """By undo.sh, by hand, or by an undo that a restored copy of the journal does not know of."""
    machine = with_bystanders(disks(16), targets=6)
    made = built(Scene(machine=machine.to_json(), plan=plan_on(machine, "(3+2)+1", fs="none")), tmp_path)
    book = made.folder / "journal"
    text = book.read_bytes()
    assert made.undo().code == 0
    book.write_bytes(text)
    made.machine.leave(OWNER, left)
    before = made.machine.hashes()
    ended = made.resume()
    assert isinstance(ended.problem, Refused)
    assert ended.commands == 0
    assert made.machine.hashes() == before
    assert made.undo().code == 0
    assert made.machine.hashes() == before


@pytest.mark.parametrize("lost", ["", "journal lost"])
@pytest.mark.parametrize("what", ["file system", "volume"])
def test_what_was_finished_and_changed_since_is_not_made_anew_by_a_resume(tmp_path: Path, what: str, lost: str) -> None:
    """xfs_growfs, tune2fs, lvextend: what an admin does with a volume in use."""
    made = built(canonical(), tmp_path)
    made.machine.write_text("/srv/data/letter.txt", "text\n", 0o600)
    person(made, "umount", "/srv/data")
    state = made.machine._state
    if what == "volume":
        state.groups[0].volumes[0].extents -= 10
    else:
        for mark in (mark for drive in state.drives for mark in drive.marks if mark.kind == "xfs"):
            mark.facts["agcount"] = int(mark.facts["agcount"]) + 1
    made.machine._changed()
    before = made.machine.hashes()
    if lost:
        (made.folder / "journal").write_bytes(b"")
    ended = made.resume()
    assert isinstance(ended.problem, Refused)
    assert "has changed" in str(ended.problem)
    assert ended.commands == 0
    assert made.machine.hashes() == before


LV = "/dev/data/data"


@pytest.mark.parametrize(
    ("words", "side", "device", "what", "found"),
    [
        (("mdadm", "--create", "/dev/md/data-0"), "after", "/dev/md/data-0", "xfs",
         "/dev/md/data-0 holds content that the plan did not create: xfs at 0x0"),
        (("mdadm", "--create", "/dev/md/data-1"), "after", "/dev/md/data-1", "volume-group",
         "/dev/md/data-1 holds the volume group tank, which does not belong to the plan"),
        (("lvcreate",), "after", LV, "luks", f"{LV} holds encrypted content (LUKS) that the plan did not create: "
         "crypto_LUKS at 0x0"),
        (("mkfs.xfs",), "during", LV, "btrfs", f"{LV} holds content that the plan did not create: btrfs at 0x10040"),
        (("mkfs.xfs",), "during", LV, "xfs", f"{LV} holds content that the plan did not create: xfs 1097f7fe-"),
    ],
)  # fmt: skip
def test_what_came_onto_something_half_made_is_kept_by_a_resume(
    tmp_path: Path, words: tuple[str, ...], side: FaultSide, device: str, what: OnTop, found: str
) -> None:
    """A resume removes the remains of the interrupted step; it reads first what is on them."""
    made = bench(canonical(), tmp_path)
    made.machine.arm(Fault(kind="kill", words=words, side=side, share=0.7))
    assert made.begin().code is None
    made.machine.stand(device, what)
    before = made.machine.hashes()
    ended = made.resume()
    assert isinstance(ended.problem, Stale)
    assert str(ended.problem).startswith(found)
    assert ended.problem.hint.endswith("; then resume")
    assert made.machine.hashes() == before


def test_what_came_onto_an_outer_array_that_is_half_made_is_kept_by_a_resume(tmp_path: Path) -> None:
    made = bench(other("stack"), tmp_path)
    made.machine.arm(Fault(kind="kill", words=("mdadm", "--create", "/dev/md/data", "--name=data"), side="after"))
    assert made.begin().code is None
    made.machine.stand("/dev/md/data", "ext4")
    before = made.machine.hashes()
    ended = made.resume()
    assert str(ended.problem) == "/dev/md/data holds content that the plan did not create: ext4 at 0x400"
    assert made.machine.hashes() == before


@pytest.mark.parametrize(
    ("what", "found"),
    [
        ("ext4", "holds content that the plan did not create: ext4 at 0x400"),
        ("data", "holds data of an unknown kind: no signature, but its first 1048576 bytes are not zero"),
        ("md", "holds an md array or a member of one that the plan did not create: linux_raid_member "),
    ],
)
def test_what_came_onto_a_mirror_is_not_made_a_write_journal(tmp_path: Path, what: OnTop, found: str) -> None:
    made = bench(other("mirror"), tmp_path)
    made.accepted = True
    (step,) = [each.number for each in made.plan.steps if each.title == "Create /dev/md/data-1: raid5 of 3 disks"]
    before: list[Mapping[str, str]] = []

    def somebody() -> None:
        made.machine.stand("/dev/md/data-1-log", what)
        before.append(made.machine.hashes())

    made.hooks["before", "step", step, 0] = somebody
    ended = made.begin()
    assert isinstance(ended.problem, Stale)
    assert str(ended.problem).startswith(f"/dev/md/data-1-log {found}")
    assert [made.machine.hashes()] == before


def test_what_came_onto_a_mirror_during_an_undo_is_kept(tmp_path: Path) -> None:
    machine = with_bystanders(disks(16), targets=10)
    made = built(Scene(machine=machine.to_json(), plan=plan_on(machine, "2x(2+1)", journal=2)), tmp_path)
    (step,) = [each.number for each in made.plan.steps if "Create /dev/md/data-0-log:" in each.title]
    made.hooks["before", "step", step, 0] = lambda: made.machine.stand("/dev/md/data-0-log", "ext4")
    ended = made.undo()
    assert str(ended.problem) == "/dev/md/data-0-log holds content that the plan did not create: ext4 at 0x400"
    assert "data-0-log" in made.machine.names("/dev/md")
    assert "data-1-log" not in made.machine.names("/dev/md")


def test_another_array_with_the_name_of_a_mirror_is_kept_and_its_disks_are_blanked_by_their_own_uuid(
    tmp_path: Path,
) -> None:
    machine = with_bystanders(disks(16), targets=12)
    made = built(Scene(machine=machine.to_json(), plan=plan_on(machine, "(2+1)", fs="none", journal=2)), tmp_path)
    person(made, "mdadm", "--stop", "/dev/md/data")
    person(made, "mdadm", "--stop", "/dev/md/data-log")
    spare = [f"{BY_ID}{disk.id}" for disk in made.machine.inventory().disks[6:8]]
    person(
        made, "mdadm", "--create", "/dev/md/data-log", "--name=data-log", "--homehost=host",
        "--uuid=12345678:12345678:12345678:12345678", "--metadata=1.2", "--level=1", "--raid-devices=2",
        "--bitmap=none", *spare,
    )  # fmt: skip
    others = {each: made.machine.hashes()[each.removeprefix(BY_ID)] for each in spare}
    ended = made.undo()
    assert (ended.code, ended.problem) == (0, None)
    assert "data-log" in made.machine.names("/dev/md")
    assert {each: made.machine.hashes()[each.removeprefix(BY_ID)] for each in spare} == others
    own = {disk.id for disk in made.plan.disks}
    assert {each.state for each in made.machine.inventory().disks if each.id in own} == {"blank"}


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_what_mkfs_left_is_made_again(tmp_path: Path, share: float) -> None:
    made = bench(canonical(), tmp_path)
    made.machine.arm(Fault(kind="kill", words=("mkfs.xfs",), side="during", share=share))
    assert made.begin().code is None
    assert made.resume().code == 0


def test_at_the_start_of_a_half_made_array_over_old_content_is_nothing_old(tmp_path: Path) -> None:
    """A wipe zeroes that of every member."""
    made = on_old_content(tmp_path, "ext4")
    made.machine.arm(Fault(kind="kill", words=("mdadm", "--create", "/dev/md/data-0"), side="after"))
    assert made.begin().code is None
    made.machine.stand("/dev/md/data-0", "xfs")
    before = made.machine.hashes()
    ended = made.resume()
    assert str(ended.problem) == "/dev/md/data-0 holds content that the plan did not create: xfs at 0x0"
    assert made.machine.hashes() == before


def in_a_stack(folder: Path, *, old: bool, fs: str = "xfs") -> Bench:
    """A RAID0 over two RAID5; `old`: a disk holds ext4 and, where the RAID0 begins on it, other content that was given
    up."""
    machine = with_bystanders(disks(16), targets=7)
    if old:
        machine.leave("wwn-0x5000c50000000001", "ext4")
        put(machine._state, "d0", DiskMark(kind="data", offset=2 * 135266304, length=64 * KIB))
    made = bench(Scene(machine=machine.to_json(), plan=plan_on(machine, "2x(2+1)+1", stack="md", fs=fs)), folder)
    made.accepted = True
    return made


@pytest.mark.parametrize("fs", ["xfs", "none"])
def test_old_content_that_was_given_up_shows_at_the_start_of_an_array_over_arrays(tmp_path: Path, fs: str) -> None:
    """A wipe zeroes where the arrays begin on the disks; the array over them begins behind that."""
    made = in_a_stack(tmp_path, old=True, fs=fs)
    ended = made.begin()
    assert (ended.code, ended.problem) == (0, None)
    ended = made.undo()
    assert (ended.code, ended.problem) == (0, None)


@pytest.mark.parametrize(
    ("old", "what", "found"),
    [
        (True, "ext4", "/dev/md/data holds content that the plan did not create: ext4 at 0x400"),
        (False, "ext4", "/dev/md/data holds content that the plan did not create: ext4 at 0x400"),
        (False, "data", "/dev/md/data holds data of an unknown kind: no signature, but its first 1048576 bytes are not "
         "zero"),
    ],
)  # fmt: skip
def test_what_came_onto_an_array_over_arrays_is_not_formatted(
    tmp_path: Path, old: bool, what: OnTop, found: str
) -> None:
    made = in_a_stack(tmp_path, old=old)
    (step,) = [each.number for each in made.plan.steps if each.stage == "format"]
    made.hooks["before", "step", step, 0] = lambda: made.machine.stand("/dev/md/data", what)
    ended = made.begin()
    assert isinstance(ended.problem, Stale)
    assert str(ended.problem) == found


def test_files_on_a_file_system_that_the_journal_does_not_call_finished_are_kept_by_a_resume(tmp_path: Path) -> None:
    """Somebody mounted it after the build was killed, and changed it with tune2fs."""
    made = bench(canonical("ext4"), tmp_path)
    made.machine.arm(Fault(kind="kill", words=("mkfs.ext4",), side="after"))
    assert made.begin().code is None
    for mark in (mark for drive in made.machine._state.drives for mark in drive.marks if mark.kind == "ext4"):
        mark.texts["letter.txt"] = "text"
        mark.facts["reserved"] = 1
    before = made.machine.hashes()
    ended = made.resume()
    assert isinstance(ended.problem, Stale)
    assert str(ended.problem) == f"{LV} holds content that the plan did not create: 1 file"
    assert ended.problem.hint == (
        f"save what is on it, unmount it, and erase it: wipefs --all {LV}, and zero its start: blkdiscard --zeroout "
        f"--length=1048576 {LV}; then resume"
    )
    assert made.machine.hashes() == before


@pytest.mark.parametrize(("words", "side"), [(("mkfs.xfs",), "during"), (("lvcreate",), "after")])
def test_bytes_without_a_signature_on_something_half_made_are_not_seen(
    tmp_path: Path, words: tuple[str, ...], side: FaultSide
) -> None:
    """What mkfs wrote before it was killed has none either."""
    made = bench(canonical(), tmp_path)
    made.machine.arm(Fault(kind="kill", words=words, side=side))
    assert made.begin().code is None
    put(made.machine._state, "data/data", DiskMark(kind="data", offset=MIB, length=512))
    assert made.resume().code == 0


@pytest.mark.parametrize(
    ("scene", "below", "above"), [("mirror", "data-0-log", "data-0"), ("stack", "data-0", "data")]
)  # fmt: skip
@pytest.mark.parametrize("what", ["ext4", "data"])
def test_what_came_onto_an_array_before_a_resume_makes_another_of_it_stops_that(
    what: OnTop, scene: str, below: str, above: str, tmp_path: Path
) -> None:
    """The command that makes the other was announced: of what has no signature only the array's start can tell."""
    made = bench(other(scene), tmp_path)
    made.accepted = True
    made.machine.arm(Fault(kind="kill", words=("mdadm", "--create", f"/dev/md/{above}")))
    assert made.begin().code is None
    made.machine.stand(f"/dev/md/{below}", what, "theirs")
    before = made.machine.hashes()
    ended = made.resume()
    assert isinstance(ended.problem, (Refused, Stale))
    assert made.machine.hashes() == before
