"""What stands on the arrays of a plan, surveyed on a simulated machine, and an undo that refuses what is not ours."""

from __future__ import annotations

import dataclasses
import errno
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from raidtui.answers.confirm import standing_blocks
from raidtui.answers.plain_text import plain_lines
from raidtui.engine import journal
from raidtui.engine import survey as accepted_loss
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out
from raidtui.engine.site import SimulatedSite
from raidtui.engine.standing import findings, lose_phrase
from raidtui.engine.survey import require_nothing_of_others, survey
from raidtui.machine.system.ports import AS_NAMED, Ran
from raidtui.machine.system.runner import SystemReader
from raidtui.simulated.state import DiskMark
from raidtui.simulated.storage import put
from raidtui.values.errors import MachineFailed, Refused, Stale
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan
from raidtui.values.run import FileSystemSeen, Foreign, RunPurpose, Standing, UnsignedData
from tests.faults.scene import FAST, canonical, map_of, plan_on, with_bystanders
from tests.machine.simulation import Files, files_in, planned, put_files
from tests.planner.plans import disks
from tests.simulated.fault_model import ON_TOP, Fault, OnTop
from tests.simulated.machine import FaultyMachine

LV, LEG, GROUP = "/dev/data/data", "/dev/md/data-0", "/dev/data"
UUID = "fe8a6386-2abf-5c44-8ecc-ef4963a9e2e7"
EMPTY = FileSystemSeen(device=LV, uuid=UUID, type="xfs", mount_point="/srv/data", used_bytes=0, files=0)


class Built:
    """A plan, carried out on a machine of its own with four bystanders: once by each worker, copied from there."""

    def __init__(self, root: Path, plan: Plan, machine: FaultyMachine) -> None:
        self.plan, self.machine = plan, machine
        self.site = SimulatedSite(root, machine)
        self.folder = journal.create(root, plan)
        key = plan, machine.to_json()
        if key not in _done:
            assert self.does("build") == 0
            _done[key] = machine.to_json(), files_in(self.folder)
        done, files = _done[key]
        self.machine = FaultyMachine.from_json(done, speed_up=FAST)
        self.site = SimulatedSite(root, self.machine)
        put_files(self.folder, files)

    def does(self, purpose: RunPurpose) -> int:
        """Exit code of one executor."""
        book = Journal(self.folder, purpose)
        try:
            return carry_out(self.plan, self.site, self.machine, book, ControlRequest)
        finally:
            book.close()

    def survey(self) -> Standing:
        return survey(self.plan, self.machine, journal.records(self.folder))

    def gives_up(self) -> None:
        """As the command line does it: what is there now is given up."""
        accepted_loss.write(self.folder, self.plan, self.survey())

    def writes(self, count: int) -> None:
        for number in range(count):
            self.machine.write_text(f"/srv/data/letter-{number:03}.txt", "x" * 5000, 0o644)

    @property
    def bystander(self) -> str:
        """Identity of a disk that is not the plan's."""
        ours = {disk.id for disk in self.plan.disks}
        return next(disk.id for disk in self.machine.inventory().disks if disk.id not in ours)


_done: dict[tuple[Plan, str], tuple[str, Files]] = {}
"""by the plan and the machine before: the machine afterwards, and what is in the folder of the run"""


@pytest.fixture
def root() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture
def built(root: Path) -> Built:
    return Built(root, canonical().plan, canonical().fresh())


def without_file_system(root: Path) -> Built:
    machine = with_bystanders(tuple(disks(16)), targets=3)
    return Built(root, plan_on(machine, "(2+1)", fs="none"), machine)


# What is seen.


def test_a_fresh_build_carries_nothing_and_needs_no_second_phrase(built: Built) -> None:
    assert built.survey() == Standing(filesystems=(EMPTY,))
    assert lose_phrase(built.plan, built.survey()) == ""


def test_files_are_counted_with_their_first_names(built: Built) -> None:
    built.writes(200)
    names = tuple(f"letter-00{number}.txt" for number in range(8))
    seen = FileSystemSeen(
        device=LV, uuid=UUID, type="xfs", mount_point="/srv/data", used_bytes=200 * 8192, files=200, names=names,
        entries=200,
    )  # fmt: skip
    assert built.survey() == Standing(filesystems=(seen,))
    assert lose_phrase(built.plan, built.survey()) == "lose 200 files"


def test_directories_count_too_and_names_are_harmless(built: Built) -> None:
    built.machine.write_text("/srv/data/a/b/c.txt", "x", 0o644)
    built.machine.write_text("/srv/data/\x1b[2J", "x", 0o644)
    (seen,) = built.survey().filesystems
    assert (seen.files, seen.names) == (4, ("\\e[2J", "a"))


@pytest.mark.parametrize(("fs", "used"), [("xfs", 3 * 8192), ("ext4", 3 * 8192)])
def test_what_is_not_mounted_is_counted_by_its_superblock(fs: str, used: int, root: Path) -> None:
    machine = with_bystanders(tuple(disks(16)), targets=3)
    built = Built(root, plan_on(machine, "(2+1)", fs=fs), machine)
    built.writes(3)
    with Path("/dev/null").open("wb") as nothing:
        assert built.machine.run(("umount", "/srv/data"), nothing.fileno()) == 0
    (seen,) = built.survey().filesystems
    assert (seen.device, seen.type, seen.mount_point) == ("/dev/md/data", fs, "")
    assert (seen.used_bytes, seen.files, seen.at_least, seen.names) == (used, 3, False, ())
    assert lose_phrase(built.plan, built.survey()) == "lose 3 files"
    built.machine.stand("/dev/md/data", "dirty-log")
    assert lose_phrase(built.plan, built.survey()) == "lose at least 3 files"
    built.gives_up()
    with Path("/dev/null").open("wb") as nothing:
        assert built.machine.run(("mount", "/srv/data"), nothing.fileno()) == 0
    assert lose_phrase(built.plan, built.survey()) == "lose 3 files"
    assert built.does("undo") == 0


ON_THE_VOLUME = {
    "logical-volume": Foreign(kind="logical-volume", device=GROUP, owner="data/second"),
    "snapshot": Foreign(kind="snapshot", device=GROUP, owner="data/snapshot of data"),
    "swap-on": Foreign(kind="swap", device=LV, owner="in use as swap at /dev/mapper/data-data"),
    "loop": Foreign(kind="loop", device=LV, owner="loop7 on /dev/mapper/data-data"),
    "lio": Foreign(kind="export", device=LV, owner="LIO iblock_0/shared on /dev/mapper/data-data"),
    "nvmet": Foreign(kind="export", device=LV, owner="NVMe nqn.x/namespaces/1 on /dev/mapper/data-data"),
    "device-mapper": Foreign(kind="device-mapper", device=LV, owner="cache0"),
    "bind": Foreign(kind="mount", device=LV, owner="mounted at /srv/other (its directory /letters)"),
    "second-mount": Foreign(kind="mount", device=LV, owner="mounted at /srv/other"),
    "hidden": Foreign(kind="mount", device=LV, owner="tmpfs of tmpfs mounted at /srv/data"),
    "namespace": Foreign(kind="namespace", device=LV, owner="process 4711 (containerd-shim) at /srv/data"),
}  # fmt: skip


@pytest.mark.parametrize("what", ON_THE_VOLUME)
def test_every_user_of_the_volume_is_named(what: OnTop, built: Built) -> None:
    built.machine.stand(LV, what)
    assert ON_THE_VOLUME[what] in built.survey().foreign


def test_a_namespace_that_follows_ours_is_no_obstacle(built: Built) -> None:
    built.machine.stand(LV, "namespace-slave")
    assert built.survey().foreign == ()


def test_a_loop_device_and_swap_on_a_file_of_ours_are_seen(built: Built) -> None:
    built.machine.stand(LV, "loop-file", "/srv/data/image")
    assert built.survey().foreign == (Foreign(kind="loop", device="/srv/data", owner="loop7 on /srv/data/image"),)


def test_a_disk_that_joined_our_group_is_named(built: Built) -> None:
    built.machine.stand(LV, "foreign-pv", built.bystander)
    (found,) = built.survey().foreign
    assert (found.kind, found.device) == ("physical-volume", GROUP)
    assert found.owner.startswith("/dev/sd")


def test_a_renamed_group_is_named(built: Built) -> None:
    built.machine.stand(LV, "vg-renamed")
    found = {(each.kind, each.device, each.owner) for each in built.survey().foreign}
    assert ("physical-volume", LEG, "now in the volume group other") in found


@pytest.mark.parametrize(
    ("what", "owner"),
    [
        ("grown", "devices 6 instead of 5"),
        ("renamed", "renamed to theirs"),
    ],
)
def test_an_array_that_was_changed_is_named(what: OnTop, owner: str, built: Built) -> None:
    built.machine.stand(LEG, what)
    assert Foreign(kind="array-changed", device=LEG, owner=owner) in built.survey().foreign


def test_a_member_that_is_not_the_plans_is_named(built: Built) -> None:
    built.machine.stand(LEG, "foreign-member", built.bystander)
    name = next(disk.kernel_name for disk in built.machine.inventory().disks if disk.id == built.bystander)
    assert built.survey().foreign == (Foreign(kind="member", device=LEG, owner=name or ""),)


def test_a_member_that_is_one_path_to_a_disk_of_the_plan_is_named_with_the_way_back_to_the_map(root: Path) -> None:
    """A reboot assembled the array from a path, before multipathd made the map."""
    targets = tuple(map(map_of, disks(3, 2**33), range(3)))
    path = dataclasses.replace(disks(1, 2**33)[0], id="path", by_id=(), kernel_name="sdq")
    machine = FaultyMachine(Inventory(origin="chassis", name="host", machine_id="f" * 32, disks=(*targets, path)))
    plan = planned("(2+1)", dataclasses.replace(machine.inventory(), disks=targets), fs="none")
    built = Built(root, plan, machine)
    built.machine.stand("/dev/md/data", "foreign-member", "path")
    assert built.survey().foreign == (Foreign(kind="path", device="/dev/md/data", owner="sdq"),)
    (said,) = findings(built.survey(), "then undo")
    assert said.message == "/dev/md/data has the member sdq, which is a single path to a multipath disk of the plan"
    assert said.way_out == (
        "name only the maps in a DEVICE line of mdadm.conf; rebuild the initramfs; then stop the array and run "
        "multipath -r, or reboot; then undo"
    )


ON_AN_ARRAY = {
    "volume-group": ("volume-group", "tank"),
    "pv": ("physical-volume", ""),
    "luks": ("luks", "crypto_LUKS at 0x0"),
    "luks-open": ("luks", "crypt-secret"),
    "swap": ("swap", "swap at 0xff6"),
    "xfs": ("file-system", "xfs at 0x0"),
    "ext4": ("file-system", "ext4 at 0x400"),
    "btrfs": ("file-system", "btrfs at 0x10040"),
    "gpt": ("partition", "gpt at 0x200"),
    "partition": ("partition", "p1"),
    "data": ("data", "no signature, but its first 1048576 bytes are not zero"),
    "md": ("array", "linux_raid_member at 0x1000"),
}


@pytest.mark.parametrize("what", ON_AN_ARRAY)
def test_what_others_put_on_an_array_without_a_file_system_refuses(what: OnTop, root: Path) -> None:
    built = without_file_system(root)
    assert built.survey() == Standing()
    built.machine.stand("/dev/md/data", what)
    kind, owner = ON_AN_ARRAY[what]
    found = [each for each in built.survey().foreign if (each.kind, each.device) == (kind, "/dev/md/data")]
    assert any(owner in each.owner for each in found), built.survey()
    refuses(built, "/dev/md/data")


def test_all_that_can_be_put_there_is_tried() -> None:
    of_the_array = {"grown", "renamed", "foreign-member"}
    apart = {"namespace-slave", "dirty-log", "loop-file", "foreign-pv", "vg-renamed", *of_the_array}
    assert set(ON_TOP) == {*ON_THE_VOLUME, *ON_AN_ARRAY, *apart}


def test_another_file_system_in_place_of_ours_is_not_ours(root: Path) -> None:
    machine = with_bystanders(tuple(disks(16)), targets=3)
    built = Built(root, plan_on(machine, "(2+1)"), machine)
    with Path("/dev/null").open("wb") as nothing:
        assert built.machine.run(("umount", "/srv/data"), nothing.fileno()) == 0
    built.machine.stand("/dev/md/data", "xfs")
    (found,) = built.survey().foreign
    assert (found.kind, found.device, found.owner[:4]) == ("file-system", "/dev/md/data", "xfs ")
    assert built.survey().filesystems == ()


def test_an_array_that_does_not_run_may_hold_anything(built: Built) -> None:
    built.writes(5)
    built.machine.reboot(without=built.plan.arrays[0].members[:3])
    found = built.survey()
    assert (found.filesystems, found.unseen) == ((), (LEG, LV))
    assert found.foreign == ()
    assert lose_phrase(built.plan, found) == "lose unknown files"


def test_an_array_over_arrays_that_does_not_run_may_hold_anything(root: Path) -> None:
    machine = with_bystanders(tuple(disks(16)), targets=6)
    built = Built(root, plan_on(machine, "2x(2+1)", stack="md"), machine)
    built.writes(5)
    with Path("/dev/null").open("wb") as nothing:
        for argv in (("umount", "/srv/data"), ("mdadm", "--stop", "/dev/md/data")):
            assert built.machine.run(argv, nothing.fileno()) == 0
    found = built.survey()
    assert (found.filesystems, found.unseen, found.foreign) == ((), ("/dev/md/data",), ())
    assert lose_phrase(built.plan, found) == "lose unknown files"


# What cannot be read refuses.


class Mute:
    """A machine on which some questions or files have no answer."""

    def __init__(self, machine: FaultyMachine, argv: tuple[str, ...] = (), path: str = "", code: int = 0) -> None:
        self._machine, self._argv, self._path, self._code = machine, argv, path, code

    def __getattr__(self, name: str) -> object:
        return getattr(self._machine, name)

    def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        if self._argv and argv[: len(self._argv)] == self._argv:
            if self._code:
                return Ran(exit=self._code, stdout="", stderr="broken")
            raise MachineFailed(f"{argv[0]} did not answer in 120 s")
        return self._machine.ask(argv, devices)

    def read_text(self, path: str) -> str | None:
        if path == self._path:
            raise MachineFailed(f"{path}: Permission denied")
        return self._machine.read_text(path)


@pytest.mark.parametrize("code", [0, 1, 5])
@pytest.mark.parametrize("program", ["lvs", "pvs", "wipefs", "lsblk", "stat"])
def test_a_program_without_an_answer_refuses(program: str, code: int, built: Built) -> None:
    found = survey(built.plan, Mute(built.machine, argv=(program,), code=code))  # type: ignore[arg-type]
    assert "unreadable" in {each.kind for each in found.foreign}


@pytest.mark.parametrize("mounted", [True, False])
def test_an_open_volume_is_named_where_no_known_user_explains_it(mounted: bool, built: Built) -> None:
    class Opened(Mute):
        def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
            ran = super().ask(argv, devices)
            closed, opened = '"lv_device_open": ""', '"lv_device_open": "open"'
            assert argv[0] != "lvs" or (closed in ran.stdout) is not mounted
            return dataclasses.replace(ran, stdout=ran.stdout.replace(closed, opened))

    if not mounted:
        with Path("/dev/null").open("wb") as nothing:
            assert built.machine.run(("umount", "/srv/data"), nothing.fileno()) == 0
        assert built.survey().foreign == ()
    found = survey(built.plan, Opened(built.machine))  # type: ignore[arg-type]
    opener = Foreign(kind="opener", device=LV, owner="it is open, but no mount or other user was found")
    assert found.foreign == (() if mounted else (opener,))
    assert [(each.device, each.mount_point) for each in found.filesystems] == [(LV, "/srv/data" if mounted else "")]


@pytest.mark.parametrize(
    ("printed", "said"),
    [('"type": "lvm"', '"type": 7'), ('"kname": "', '"kname": "../'), ('"log-sec": ', '"log-sec": -')],
)
def test_a_row_of_lsblk_without_a_meaning_refuses(printed: str, said: str, built: Built) -> None:
    """Whatever it is may stand on the arrays: an undo does not take it for nothing."""

    class Odd(Mute):
        def ask(self, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
            ran = super().ask(argv, devices)
            if argv[0] != "lsblk":
                return ran
            assert printed in ran.stdout
            return dataclasses.replace(ran, stdout=ran.stdout.replace(printed, said, 1))

    found = survey(built.plan, Odd(built.machine))  # type: ignore[arg-type]
    assert "unreadable" in {each.kind for each in found.foreign}


@pytest.mark.parametrize("path", ["/proc/self/mountinfo", "/proc/300/mountinfo", "/proc/swaps"])
def test_a_file_that_cannot_be_read_refuses(path: str, built: Built) -> None:
    found = survey(built.plan, Mute(built.machine, path=path))  # type: ignore[arg-type]
    assert "unreadable" in {each.kind for each in found.foreign}


def test_a_directory_that_cannot_be_read_is_not_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: str) -> list[str]:
        raise OSError(errno.EIO, "Input/output error")

    assert SystemReader().names("/proc/no/such/directory") == ()
    monkeypatch.setattr(os, "listdir", broken)
    with pytest.raises(MachineFailed, match="/srv/data: Input/output error"):
        SystemReader().names("/srv/data")


# The executor.


def refuses(built: Built, words: str) -> None:
    """An undo ends with a refusal that has `words`; no command ran and no byte changed."""
    commands, hashes, writes = built.machine.commands, built.machine.hashes(), built.machine.writes()
    with pytest.raises(Refused) as refused:
        built.does("undo")
    assert words in str(refused.value)
    assert refused.value.hint
    assert (built.machine.commands, built.machine.hashes(), built.machine.writes()) == (commands, hashes, writes)


def test_a_second_volume_refuses_before_anything_is_removed(built: Built) -> None:
    built.machine.stand(LV, "logical-volume")
    built.gives_up()
    refuses(built, "/dev/data has the logical volume data/second, which does not belong to the plan")


def test_files_are_only_lost_when_they_were_given_up(built: Built) -> None:
    built.writes(200)
    refuses(built, "/dev/data/data holds 200 files now; nothing was removed")
    built.gives_up()
    built.writes(201)
    refuses(built, "/dev/data/data holds 201 files now; 200 files were given up; nothing was removed")
    built.gives_up()
    assert built.does("undo") == 0
    assert stat.S_IMODE((built.folder / accepted_loss.FILE).stat().st_mode) == 0o600


def test_what_was_given_up_of_another_plan_counts_for_nothing(built: Built) -> None:
    built.writes(2)
    accepted_loss.write(built.folder, dataclasses.replace(built.plan, digest="0" * 64), built.survey())
    refuses(built, "holds 2 files now")


def test_an_empty_file_system_is_taken_back_without_more(built: Built) -> None:
    assert built.does("undo") == 0


def test_what_comes_after_the_page_was_read_refuses(built: Built) -> None:
    built.gives_up()
    built.machine.stand(LV, "snapshot")
    refuses(built, "snapshot data/snapshot of data")


def test_what_comes_while_the_executor_looks_refuses_too(built: Built) -> None:
    built.gives_up()
    built.machine.arm(Fault(kind="stand", device=LEG, what="loop", on="ask", words=("lsblk",)))
    refuses(built, "/dev/md/data-0 is used by a loop device: loop7 on /dev/md126")
    assert built.machine.fired[-1].startswith("stand /dev/md/data-0 loop before lsblk")


@pytest.mark.parametrize(
    ("device", "what", "after", "said"),
    [
        (LV, "logical-volume", ("umount",), "/dev/data has the logical volume data/second, which does not belong"),
        (LEG, "volume-group", ("pvremove", LEG), "/dev/md/data-0 holds the volume group tank, which does not belong"),
        (LEG, "ext4", ("pvremove", LEG), "/dev/md/data-0 holds content that the plan did not create: ext4"),
    ],
)
def test_what_comes_between_two_steps_of_an_undo_is_kept(
    built: Built, device: str, what: OnTop, after: tuple[str, ...], said: str
) -> None:
    built.gives_up()
    built.machine.arm(Fault(kind="stand", device=device, what=what, words=after, side="after"))
    with pytest.raises(Stale, match=said) as stopped:
        built.does("undo")
    assert stopped.value.hint.endswith("; then undo again")
    found = [(each.kind, each.device) for each in built.survey().foreign]
    assert found and all(where in (GROUP, LEG) for _, where in found)


def of_six_mirrors(root: Path) -> Built:
    machine = with_bystanders(tuple(disks(16)), targets=12)
    return Built(root, plan_on(machine, "6x raid1(2)", fs="none", stack="separate"), machine)


def test_a_step_of_an_undo_asks_about_its_own_array_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = of_six_mirrors(root)
    asked: dict[str, int] = {}
    ask = FaultyMachine.ask

    def counted(machine: FaultyMachine, argv: tuple[str, ...], devices: Mapping[str, str] = AS_NAMED) -> Ran:
        title = next(each.text for each in reversed(journal.records(built.folder)) if each.kind in ("begun", "step"))
        asked[title] = asked.get(title, 0) + 1
        return ask(machine, argv, devices)

    built.gives_up()
    monkeypatch.setattr(FaultyMachine, "ask", counted)
    assert built.does("undo") == 0
    each = [asked[f"undo: Create /dev/md/data-{number}: raid1 of 2 disks"] for number in range(6)]
    assert each == [6 + 12, 6, 6, 6, 6, 6]  # after the last, each of the 12 disks may have been moved


def test_what_comes_onto_an_array_is_met_by_its_own_step_of_an_undo(root: Path) -> None:
    built = of_six_mirrors(root)
    built.gives_up()
    first = ("mdadm", "--stop", "/dev/md/data-5")
    built.machine.arm(Fault(kind="stand", device="/dev/md/data-2", what="ext4", words=first, side="after"))
    with pytest.raises(Stale, match="/dev/md/data-2 holds content that the plan did not create: ext4 at 0x400"):
        built.does("undo")
    assert [name for name in built.machine.names("/dev/md") if name.startswith("data")] == [
        "data-0",
        "data-1",
        "data-2",
    ]


def test_an_array_that_cannot_be_read_between_two_steps_is_named(built: Built) -> None:
    mute = Mute(built.machine, argv=("wipefs",), code=1)
    with pytest.raises(Stale, match="/dev/md/data-0: its content cannot be read") as stopped:
        require_nothing_of_others(built.plan, mute, journal.records(built.folder), "then resume")  # type: ignore[arg-type]
    assert stopped.value.hint.endswith("; then resume")


def test_every_finding_names_the_device_and_a_way_out(root: Path) -> None:
    for what in ON_AN_ARRAY:
        with tempfile.TemporaryDirectory(dir=root) as folder:
            built = without_file_system(Path(folder))
            built.machine.stand("/dev/md/data", what)  # type: ignore[arg-type]
            for finding in findings(built.survey()):
                assert "/dev/md/data" in finding.message
                assert finding.way_out.endswith("; then undo again")


@pytest.mark.parametrize(
    ("at", "found"), [(1 << 30, True), ((1 << 30) + 4096, False)], ids=["a place", "just behind it"]
)
def test_data_between_the_ends_of_an_array_without_a_file_system_is_given_up_first(
    tmp_path: Path, at: int, found: bool
) -> None:
    """Somebody uses it raw. What is written behind a place that is read is not seen, which the page says."""
    machine = with_bystanders(disks(16), targets=12)
    built = Built(tmp_path, plan_on(machine, "2x(3+2)+2", fs="none", stack="separate"), machine)
    array = next(each for each in built.machine._state.arrays if each.link == "data-1")
    put(built.machine._state, array.name, DiskMark(kind="data", offset=at, length=512))
    standing = built.survey()
    held = (UnsignedData(device="/dev/md/data-1", at=1 << 30),) if found else ()
    assert (standing.held, standing.foreign) == (held, ())
    assert lose_phrase(built.plan, standing) == ("lose unknown files" if found else "")
    page = plain_lines(standing_blocks(built.plan, standing))
    if found:
        assert "  - /dev/md/data-1: data without a signature at byte 1073741824; its owner is unknown" in page
        before = built.machine.hashes()
        with pytest.raises(Refused, match="data without a signature at byte 1073741824; nothing was removed"):
            built.does("undo")
        assert built.machine.hashes() == before
        built.gives_up()
    else:
        assert page[1].startswith("  - nothing found: no signature, zeros at the start and some hundred places")
    assert built.does("undo") == 0
