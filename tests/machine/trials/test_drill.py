"""A drill ends with every disk where the plan put it, from wherever it was cut off; it declines what it must."""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from raidtui.bench import drill
from raidtui.bench.drill import Drill, ask_for, check_ready
from raidtui.bench.trials import Interrupted, MountedTrial
from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.site import SimulatedSite
from raidtui.programs import mount
from raidtui.simulated.state import DiskMark, SimulatedMount
from raidtui.simulated.storage import put
from raidtui.steps.boot_steps import mounted_reading
from raidtui.values.design import Design, Partitions
from raidtui.values.errors import MachineFailed, RaidtuiError, Refused, Stale
from raidtui.values.plan import Plan
from raidtui.values.trials import DrillResult, Workload
from raidtui.values.units import GIB
from tests.faults.bench import bench
from tests.faults.scene import _SEATED, DAYS, HOST, IN_MEMORY, Scene, picture, plan_on, with_bystanders
from tests.machine.tunes import figure
from tests.simulated.fault_model import Fault, Killed, Leftover
from tests.simulated.machine import FaultyMachine

FAST = 3600.0


@cache
def built(layout: str = "(2+1)+1", **design: Any) -> tuple[str, Plan]:
    """A machine with a finished build on it, in sync."""
    from raidtui.values.notation import parse

    targets = Design(layout=parse(layout), **design).disks
    machine = with_bystanders(_SEATED, targets=targets)
    plan = plan_on(machine, layout, **design)
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        made = bench(Scene(machine=machine.to_json(), plan=plan), Path(folder))
        assert made.begin().code == 0
        made.machine.advance(DAYS)
        return made.machine.to_json(), plan


class Drilled:
    """A machine with arrays, and a drill on it."""

    def __init__(self, root: Path, layout: str = "(2+1)+1", design: tuple[tuple[str, Any], ...] = (), **ask: Any):
        text, self.plan = built(layout, **dict(design))
        self.machine = FaultyMachine.from_json(text, speed_up=FAST)
        self.site = SimulatedSite(root, self.machine)
        self.was = picture(self.machine, tuple(disk.id for disk in self.plan.disks))
        self.hashes = self.machine.hashes()
        self.run_folder = root / self.plan.run_id
        self.run_folder.mkdir(parents=True, exist_ok=True)
        self.folder = drill.create(self.run_folder, ask_for(self.plan, 0, **ask), self.machine)

    def run(self, wish: Callable[[], ControlRequest] = ControlRequest, measure: Any = None) -> DrillResult:
        """One executor."""
        clock = lambda: self.machine.now  # noqa: E731
        return Drill(self.folder, self.plan, self.site, -1, wish, clock=clock, measure=measure).run()

    def reloaded(self) -> None:
        """The machine after a kill: a new executor may start."""
        self.machine.revive()

    def as_before(self) -> list[str]:
        """What is not as it was built."""
        targets = tuple(disk.id for disk in self.plan.disks)
        now = picture(self.machine, targets)
        wrong = [name for name in self.was if name != "disks" and now[name] != self.was[name]]
        for disk in targets:
            if _seat(now["disks"][disk]) != _seat(self.was["disks"][disk]):
                wrong.append(disk)
        others = set(self.hashes) - set(targets)
        return wrong + [disk for disk in others if self.machine.hashes()[disk] != self.hashes[disk]]

    def commands(self) -> int:
        """Commands so far."""
        return sum(record.kind == "intent" for record in journal.records(self.folder))


def _seat(marks: list[dict[str, Any]]) -> list[Any]:
    """Of a member: what it belongs to, and its place."""
    return [
        (mark["kind"], mark["uuid"], mark.get("role"), mark.get("recovered")) for mark in marks if mark["depth"] == 0
    ]


@pytest.fixture
def memory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="raidtui-drill-") as folder:
        yield Path(folder)


def test_what_the_array_wrote_on_a_member_does_not_keep_it_from_coming_back(tmp_path: Path) -> None:
    """A drill zeroes the ends of the disks that it adds again; between them is what the array wrote."""
    drilled = Drilled(tmp_path, restore=True)
    for drive in drilled.machine._state.drives:
        if drive.disk.id in {disk.id for disk in drilled.plan.disks}:
            put(drilled.machine._state, drive.key, DiskMark(kind="data", offset=GIB, length=512))
    assert drilled.run().outcome == "finished"


@pytest.mark.parametrize("layout", ["(2+1)+1", "(3+2)+1", "raid1(2)+1", "raid10(4,n2)+2", "2x(2+1)+2"])
def test_failed_rebuilt_put_back_and_checked(memory: Path, layout: str) -> None:
    made = Drilled(memory, layout)
    result = made.run()
    assert (result.outcome, result.restored, result.mismatches) == ("finished", True, 0)
    assert [each.stage for each in result.passes] == ["rebuild", "replace", "check"]
    assert all(each.whole and each.bytes_per_s and each.watched_share > 0.5 for each in result.passes)
    assert result.failed_serial == "S001"
    assert made.as_before() == []
    (rate,) = result.compared
    assert 0.99 < rate.ratio < 1.01  # the simulated machine rebuilds as the model predicts


@pytest.mark.parametrize("journal", [1, 2])
def test_with_a_write_journal_the_journal_stays_as_it_is(memory: Path, journal: int) -> None:
    made = Drilled(memory, design=(("journal", journal),))
    result = made.run()
    assert (result.outcome, result.restored, result.mismatches) == ("finished", True, 0)
    assert made.as_before() == []


def test_a_member_on_a_partition_is_exchanged_and_restored(memory: Path) -> None:
    made = Drilled(memory, design=(("partitions", Partitions()),))
    result = made.run()
    assert (result.outcome, result.restored, result.mismatches) == ("finished", True, 0)
    assert made.as_before() == []
    assert all(len(drive.partitions) == 1 for drive in made.machine._state.drives[:4])


def test_without_restore_the_two_stay_exchanged(memory: Path) -> None:
    made = Drilled(memory, restore=False)
    result = made.run()
    assert (result.outcome, result.restored, result.mismatches) == ("finished", False, 0)
    assert [each.stage for each in result.passes] == ["rebuild", "check"]
    members = picture(made.machine, ())["arrays"]["data"]["members"]
    assert members[made.plan.arrays[0].members[0]] == (-1, "spare")
    assert members[made.plan.arrays[0].spares[0]] == (0, "active")


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    ("kind", "side"), [("kill", "before"), ("kill", "during"), ("kill", "after"), ("power", "during")]
)
def test_killed_at_any_command_it_goes_on_to_the_same_end(memory: Path, kind: str, side: str, every: int) -> None:
    (memory / "count").mkdir()
    whole = Drilled(memory / "count")
    whole.run()
    last = whole.commands()
    assert last == 17
    for at in range(1, last + 1, every):
        (memory / str(at)).mkdir()
        made = Drilled(memory / str(at))
        made.machine.arm(Fault(kind=kind, at=at, side=side))  # type: ignore[arg-type]
        with pytest.raises(Killed):
            made.run()
        made.reloaded()
        assert drill.load(made.folder).outcome == "interrupted"
        assert drill.open_drill(made.run_folder, 0) == made.folder
        result = made.run()
        assert (result.outcome, result.restored, result.mismatches) == ("finished", True, 0), at
        assert made.as_before() == [], at
        fails = [r for r in journal.records(made.folder) if r.kind == "result" and "--fail" in r.argv]
        assert len(fails) <= 1, at  # a member is failed once, however often the drill is begun again


@pytest.mark.parametrize("at", range(1, 40, 3))
def test_killed_while_it_waits_it_goes_on(memory: Path, at: int) -> None:
    made = Drilled(memory)
    made.machine.arm(Fault(kind="kill", on="wait", at=at))
    try:
        made.run()
    except Killed:
        made.reloaded()
        result = made.run()
        assert (result.outcome, result.restored, result.mismatches) == ("finished", True, 0)
    assert made.as_before() == []


@pytest.mark.parametrize("kind", ["fail", "lie"])
def test_a_command_that_fails_or_does_nothing_stops_it_and_it_can_go_on(memory: Path, kind: str) -> None:
    stopped = 0
    for at in range(1, 10):
        (memory / str(at)).mkdir()
        made = Drilled(memory / str(at))
        made.machine.arm(Fault(kind=kind, at=at))  # type: ignore[arg-type]
        try:
            made.run()
        except RaidtuiError as problem:
            stopped += 1
            assert isinstance(problem, (MachineFailed, Stale, Refused))
            assert "continues it" in drill.load(made.folder).reason
            made.run()
        assert made.as_before() == [], (at, kind)
    assert stopped >= 5


def test_a_wish_stops_it_between_commands_and_in_a_pass(memory: Path) -> None:
    made, asked = Drilled(memory), []

    def wish() -> ControlRequest:
        asked.append(1)
        return ControlRequest(stop=len(asked) == 4)

    assert made.run(wish).outcome == "stopped"
    assert "continues it" in drill.load(made.folder).reason
    assert made.run().restored
    assert made.as_before() == []


def test_workloads_run_during_the_rebuild(memory: Path) -> None:
    made = Drilled(memory, profile="quick")

    class Measure:
        def __call__(self, mounted: MountedTrial) -> tuple[Workload, ...]:
            state = json.loads(made.machine.to_json())["state"]
            assert [array["sync"]["action"] for array in state["arrays"] if array.get("sync")] == ["recover"]
            made.machine.advance(3600)
            return (Workload(job="read", title="read", figure=figure(1e8)),)

    result = made.run(measure=Measure())
    assert [each.job for each in result.workloads] == ["read"]
    assert result.passes[0].loaded_bytes_per_s is not None
    assert made.as_before() == []


def test_an_interrupted_measurement_stops_the_drill_and_it_goes_on(memory: Path) -> None:
    made = Drilled(memory, profile="quick")

    def interrupted(_: MountedTrial) -> tuple[Workload, ...]:
        raise Interrupted

    assert made.run(measure=interrupted).outcome == "stopped"
    assert made.run().restored


def test_mismatches_that_the_check_finds_fail_the_drill(memory: Path) -> None:
    made = Drilled(memory, restore=False)
    kept = json.loads(made.machine.to_json())
    for array in kept["state"]["arrays"]:
        array["unproven"] = True
    made.machine = FaultyMachine.from_json(json.dumps(kept), speed_up=FAST)
    made.site = SimulatedSite(memory, made.machine)
    with pytest.raises(Stale, match="the check found no mismatch"):
        made.run()
    assert drill.load(made.folder).mismatches == 8192


def test_a_second_member_that_fails_stops_the_drill(memory: Path) -> None:
    made = Drilled(memory, "(3+2)+1")
    made.machine.arm(Fault(kind="unplug", disk=made.plan.arrays[0].members[2], on="wait", at=2))
    with pytest.raises(Refused, match="no longer member 2"):
        made.run()
    said = drill.load(made.folder)
    assert said.outcome == "failed" and said.reason


# What it declines, before anything is written.


def _refusal(root: Path, change: Callable[[FaultyMachine, Plan], None], layout: str = "(2+1)+1", **ask: Any) -> str:
    text, plan = built(layout)
    machine = FaultyMachine.from_json(text)
    change(machine, plan)
    before = machine.writes()
    with pytest.raises(RaidtuiError) as caught:
        check_ready(plan, ask_for(plan, 0, **ask), SimulatedSite(root, machine), machine)
    assert machine.writes() == before
    assert caught.value.hint
    return str(caught.value)


def test_what_is_refused(tmp_path: Path) -> None:
    def degraded(machine: FaultyMachine, plan: Plan) -> None:
        machine.unplug(plan.arrays[0].spares[0])
        machine.run(("mdadm", "--manage", "/dev/md/data", "--fail", plan.disks[0].path), 2)

    def syncing(machine: FaultyMachine, plan: Plan) -> None:
        machine.run(("mdadm", "--misc", "--action=check", "/dev/md/data"), 2)

    def written(machine: FaultyMachine, plan: Plan) -> None:
        machine.write_text("/srv/data/letter", "mine", 0o644)

    def recovered(machine: FaultyMachine, plan: Plan) -> None:
        """What fsck found of a user's files."""
        machine.write_text("/srv/data/lost+found/#12", "mine", 0o644)

    def hidden(machine: FaultyMachine, plan: Plan) -> None:
        """A tmpfs over the files; findmnt still names the array first."""
        written(machine, plan)
        machine.stand("/dev/md/data", "hidden")
        assert machine.ask(mounted_reading(plan.filesystems[0]).question.argv).stdout == f"{plan.filesystems[0].uuid}\n"
        assert machine.ask(mount.user_content_question("/srv/data")).stdout == ""

    def other(machine: FaultyMachine, plan: Plan) -> None:
        """Another file system over the files."""
        written(machine, plan)
        drive = machine._state.drives[-1]
        machine._state.mounts.append(SimulatedMount(place="/srv/data", key=drive.key, uuid="other"))

    def part(machine: FaultyMachine, plan: Plan) -> None:
        """An empty directory of the file system over the whole of it."""
        written(machine, plan)
        machine.stand("/dev/md/data", "bind", "/srv/data")

    def below(machine: FaultyMachine, plan: Plan) -> None:
        """A tmpfs over what fsck found of a user's files, which are not looked for elsewhere."""
        recovered(machine, plan)
        machine.stand("/dev/md/data", "hidden", "/srv/data/lost+found")

    def elsewhere(machine: FaultyMachine, plan: Plan) -> None:
        machine.put_link("/srv/data", "/mnt")

    def unmounted(machine: FaultyMachine, plan: Plan) -> None:
        machine.run(("umount", "/srv/data"), 2)

    def nothing(machine: FaultyMachine, plan: Plan) -> None: ...

    assert "contains files" in _refusal(tmp_path, written)
    assert "contains files" in _refusal(tmp_path, recovered)
    assert _refusal(tmp_path, unmounted) == "/srv/data is not mounted, so its content cannot be checked"
    unseen = "so its content cannot be checked"
    assert _refusal(tmp_path, hidden) == f"device 0:77 is mounted on /srv/data, not 9:126 (/dev/md/data), {unseen}"
    assert re.match(r"device 8:\d+ is mounted on /srv/data, not 9:126 ", _refusal(tmp_path, other))
    assert _refusal(tmp_path, part) == f"only /letters of /dev/md/data is mounted on /srv/data, {unseen}"
    assert _refusal(tmp_path, below) == "/srv/data/lost+found is mounted below /srv/data and hides what is there"
    assert _refusal(tmp_path, elsewhere) == f"the path /srv/data has a symbolic link: /srv/data, {unseen}"
    assert "busy with a check" in _refusal(tmp_path, syncing)
    assert "is missing" in _refusal(tmp_path, degraded)
    assert "survives no failure" in _refusal(tmp_path, nothing, "raid0(3)")
    assert "has no spare of its own" in _refusal(tmp_path, nothing, "(2+1)")


def test_data_may_be_there_when_it_was_said_in_words(tmp_path: Path) -> None:
    text, plan = built()
    machine = FaultyMachine.from_json(text)
    machine.write_text("/srv/data/letter", "mine", 0o644)
    check_ready(plan, ask_for(plan, 0, with_data=True), SimulatedSite(tmp_path, machine), machine)


def test_a_degraded_array_is_refused(tmp_path: Path) -> None:
    def failed(machine: FaultyMachine, plan: Plan) -> None:
        machine.run(("mdadm", "--manage", "/dev/md/data", "--fail", plan.disks[1].path), 2)

    assert "is degraded" in _refusal(tmp_path, failed)


def test_a_drill_is_about_its_plan_only(tmp_path: Path) -> None:
    made = Drilled(tmp_path)
    _, other = built("(3+2)+1")
    with pytest.raises(Refused, match="belongs to another plan"):
        Drill(made.folder, other, made.site, -1, ControlRequest, clock=lambda: 0.0).run()
    assert made.commands() == 0
    assert made.plan.host == HOST


@pytest.mark.parametrize(
    ("what", "said"), [("dos", "kept|holds"), ("ext4", "kept|holds"), ("lvm", "kept|holds"), (None, "data at byte 512")]
)
def test_a_disk_that_somebody_used_while_the_drill_was_stopped_is_not_zeroed(
    memory: Path, what: Leftover | None, said: str
) -> None:
    """Its superblock may still be there: a partition table, or data, in front of it leaves it as it is."""
    drilled = Drilled(memory, restore=True)
    drilled.machine.arm(Fault(kind="kill", at=2, side="after"))
    with pytest.raises(Killed):
        drilled.run()
    drilled.reloaded()
    failed = drilled.plan.arrays[0].members[0]
    if what:
        drilled.machine.leave(failed, what)
    else:
        drive = next(drive for drive in drilled.machine._state.drives if drive.disk.id == failed)
        put(drilled.machine._state, drive.key, DiskMark(kind="data", offset=512, length=512))
    before = drilled.machine.hashes()[failed]
    with pytest.raises(RaidtuiError, match=said):
        drilled.run()
    assert drilled.machine.hashes()[failed] == before


def test_another_array_that_got_the_name_between_two_looks_gets_no_disk(memory: Path) -> None:
    """A drill holds its array open: nobody stops it and gives its name to another."""
    drilled = Drilled(memory, restore=True)
    held: list[str] = []

    @contextlib.contextmanager
    def hold(paths: Sequence[str], *, exclusive: bool = True) -> Iterator[None]:
        held.extend(paths)
        with type(drilled.machine).hold(drilled.machine, paths, exclusive=exclusive):
            yield
        held[:] = held[: -len(paths)]

    drilled.machine.hold = hold  # type: ignore[method-assign]
    array = drilled.machine.pin(drilled.plan.arrays[0].device)
    assert array is not None
    run = drilled.machine.run

    def watched(argv: tuple[str, ...], *more: Any, **named: Any) -> int:
        assert f"/dev/{array.name}" in held, argv
        return run(argv, *more, **named)

    drilled.machine.run = watched  # type: ignore[method-assign]
    assert drilled.run().outcome == "finished"
    assert drilled.as_before() == []


def test_a_name_that_moves_right_before_the_array_is_held_is_noticed(memory: Path) -> None:
    """The array under the held name may be another one by then."""
    drilled = Drilled(memory, restore=True)

    @contextlib.contextmanager
    def hold(paths: Sequence[str], *, exclusive: bool = True) -> Iterator[None]:
        for array in drilled.machine._state.arrays:
            array.name = "md77" if f"/dev/{array.name}" in paths else array.name
        yield

    drilled.machine.hold = hold  # type: ignore[method-assign]
    with pytest.raises(Refused, match="was renamed while the drill began"):
        drilled.run()
    assert drilled.commands() == 0
