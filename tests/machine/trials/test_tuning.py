"""A tuning ends with every trial measured and taken back, or with the one that was not named; whatever strikes."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from raidtui.bench import prepare, tuning
from raidtui.bench.trials import Interrupted, MountedTrial
from raidtui.engine import journal
from raidtui.engine.builder import Builder
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out
from raidtui.engine.site import MACHINE, SimulatedSite
from raidtui.values.codec import to_json
from raidtui.values.design import Design
from raidtui.values.errors import Exit, MachineFailed, RaidtuiError, Refused, Stale
from raidtui.values.notation import parse
from raidtui.values.plan import Command, Step
from raidtui.values.units import KIB
from tests.faults.scene import IN_MEMORY, plan_on
from tests.machine.tunes import Measured, Tuned, not_blank
from tests.simulated.fault_model import Fault, FaultSide, Killed
from tests.simulated.machine import FaultyMachine
from tests.suite import few

ONE: dict[str, Any] = {"chunks": (64 * KIB,)}


def commands_of(made: Tuned) -> int:
    """Commands and files of the first trial, undo included."""
    made.carry_out()
    run = made.root / made.plans[0].run_id
    return sum(record.kind == "intent" for record in journal.records(run))


def test_every_trial_is_measured_while_mounted_and_then_blank(tmp_path: Path) -> None:
    made, seen = Tuned(tmp_path), []

    def look(mounted: MountedTrial) -> None:
        machine = FaultyMachine.from_json((made.root / mounted.plan.run_id / MACHINE).read_text())
        state = json.loads(machine.to_json())["state"]
        array = next(each for each in state["arrays"] if each["link"] == "trial")
        seen.append((
            [mount["place"] for mount in state["mounts"]] == [mounted.plan.filesystems[0].mount_point],
            mounted.plan.filesystems[0].device,
            array["config"]["component_sectors"], array.get("sync"), array["in_sync"], array["unproven"],
        ))  # fmt: skip

    result = made.carry_out(Measured(look))
    assert seen == [(True, "/dev/md/trial", 4194304, None, True, True)] * 2
    assert result.outcome == "finished"
    assert [(trial.outcome, trial.undone) for trial in result.trials] == [("measured", True)] * 2
    assert result.advice[-1].best == "512 KiB xfs"
    left = made.left()
    assert not_blank(left, made.tuning.disks) == []
    assert made.bystanders_as_before(left)
    state = json.loads(left.to_json())["state"]
    assert state["mounts"] == [] and not [path for path in state["files"] if "raidtui" in path]
    kinds = [record.kind for record in journal.records(made.folder)]
    assert kinds == ["begun", *["step", "progress", "proven", "progress", "progress"] * 2, "finished"]
    assert tuning.load(made.folder) == result
    assert "only the first 2 GiB" in " ".join(result.warnings)
    assert result.warnings[0].startswith("all figures come from the model")


@pytest.mark.parametrize(
    ("layout", "warning"), [("4x disk", "only the first 2 GiB of each disk"), ("disk", "whole disks were used")]
)
def test_disks_without_md_are_tried_and_then_blank(tmp_path: Path, layout: str, warning: str) -> None:
    made = Tuned(tmp_path, layout=layout, **ONE)
    result = made.carry_out()
    assert (result.outcome, [trial.undone for trial in result.trials]) == ("finished", [True])
    assert not_blank(made.left(), made.tuning.disks) == []
    assert warning in " ".join(result.warnings)


def test_what_somebody_put_on_a_trial_is_not_taken_back_but_named(tmp_path: Path) -> None:
    made = Tuned(tmp_path, **ONE)
    made.arm(Fault(kind="stand", device="/dev/md/trial", what="loop", words=("mount",), side="after"))
    result = made.carry_out()
    (trial,) = result.trials
    assert (result.outcome, trial.undone) == ("failed", False)
    assert "not undone: /dev/md/trial is used by a loop device: loop7 on /dev/md126" in result.reason
    assert f"fix the cause, then raidtui undo {made.plans[0].run_id[:8]}" in result.reason
    assert made.bystanders_as_before(made.left())


def test_with_first_sync_the_arrays_are_in_sync_when_measured(tmp_path: Path) -> None:
    made, seen = Tuned(tmp_path, first_sync=True), []

    def look(mounted: MountedTrial) -> None:
        machine = FaultyMachine.from_json((made.root / mounted.plan.run_id / MACHINE).read_text())
        array = next(each for each in json.loads(machine.to_json())["state"]["arrays"] if each["link"] == "trial")
        seen.append(
            (array.get("sync"), array["in_sync"], array["unproven"], [each["state"] for each in array["members"]])
        )

    assert made.carry_out(Measured(look)).outcome == "finished"
    assert seen == [(None, True, False, ["active"] * 3)] * 2


@pytest.fixture
def memory() -> Iterator[Path]:
    """A directory that no disk has to be waited for: these tests write journals by the hundred."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="raidtui-tune-") as folder:
        yield Path(folder)


EVERY = pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.thorough)])
"""which commands are struck"""


@EVERY
@pytest.mark.parametrize("kind", ["fail", "fail-partly"])
def test_a_command_that_fails_ends_it_with_the_trial_taken_back(memory: Path, kind: str, every: int) -> None:
    last = commands_of(Tuned(_folder(memory, "count"), **ONE))
    ended = set()
    for at in range(1, last + 1, every):
        made = Tuned(_folder(memory, str(at)), **ONE)
        made.arm(Fault(kind=kind, at=at))  # type: ignore[arg-type]
        result = made.carry_out()
        left = made.left()
        assert any(line.startswith(kind) for line in left.fired), at
        assert made.bystanders_as_before(left), at
        first = result.trials[0]
        ended.add((result.outcome, first.undone))
        if first.undone:
            assert not_blank(left, made.tuning.disks) == [], at
            continue
        assert f"raidtui undo {made.plans[0].run_id[:8]}" in result.reason, at
        _undone(made, left)
    few = {("failed", True), ("finished", True)}
    """finished: what failed once in taking it back is tried again"""
    assert ended == (few if every > 1 else few | {("failed", False)})


@EVERY
@pytest.mark.parametrize(
    ("kind", "side"), few([("kill", "before"), ("kill", "after"), ("power", "during"), ("kill", "during")], 2)
)
def test_after_a_kill_at_any_command_undo_leaves_blank_disks(memory: Path, kind: str, side: str, every: int) -> None:
    last = commands_of(Tuned(_folder(memory, "count"), **ONE))
    struck = range(1, last + 1, every)
    hinted = 0
    for at in struck:
        made = Tuned(_folder(memory, str(at)), **ONE)
        made.arm(Fault(kind=kind, at=at, side=side))  # type: ignore[arg-type]
        with pytest.raises(Killed):
            made.carry_out()
        left = made.left()
        assert made.bystanders_as_before(left), at
        told = tuning.load(made.folder)
        assert told.outcome == "failed"
        if f"raidtui undo {made.plans[0].run_id[:8]}" in told.reason:
            hinted += 1
            _undone(made, left)
        else:
            assert not_blank(left, made.tuning.disks) == [], at
    assert hinted >= len(struck) - 2


@pytest.mark.parametrize("error", [MachineFailed("fio is gone", hint="install it"), Interrupted()])
def test_a_measurement_that_fails_or_is_stopped_is_taken_back(tmp_path: Path, error: Exception) -> None:
    def fails(_: MountedTrial) -> None:
        raise error

    made = Tuned(tmp_path)
    result = made.carry_out(Measured(fails))
    stopped = isinstance(error, Interrupted)
    assert result.outcome == ("stopped" if stopped else "failed")
    assert [trial.outcome for trial in result.trials] == ["stopped" if stopped else "failed", "not run"]
    assert result.reason == ("asked to stop" if stopped else "fio is gone; install it")
    assert not_blank(made.left(), made.tuning.disks) == []


def test_a_wish_to_stop_ends_it_between_commands_and_before_the_next_trial(tmp_path: Path) -> None:
    asked = []

    def wish() -> ControlRequest:
        asked.append(1)
        return ControlRequest(stop=len(asked) > 12)

    made = Tuned(tmp_path)
    assert made.carry_out(wish=wish).outcome == "stopped"
    assert not_blank(made.left(), made.tuning.disks) == []
    untouched = Tuned(_folder(tmp_path, "other"))
    assert untouched.carry_out(wish=lambda: ControlRequest(stop=True)).outcome == "stopped"
    assert untouched.left().writes() == untouched.writes


def test_a_disk_that_somebody_uses_before_the_next_trial_refuses_it(tmp_path: Path) -> None:
    made = Tuned(tmp_path)
    path = made.root / made.plans[0].run_id / MACHINE

    def undone() -> ControlRequest:
        if journal.records(made.folder)[-1].text.endswith("proven zero at both ends"):
            machine = FaultyMachine.from_json(path.read_text())
            machine.occupy(made.tuning.disks[0], "mounted")
            path.write_text(machine.to_json())
        return ControlRequest()

    result = tuning.carry_out_tuning(made.folder, made.tuning.digest, -1, Measured(), undone)
    assert [(each.outcome, each.undone) for each in result.trials] == [("measured", True), ("failed", True)]
    assert "in use: mounted at" in result.reason
    before = FaultyMachine.from_json(path.read_text())
    assert made.left().writes() == before.writes()


def test_it_is_carried_out_once_and_only_as_it_was_confirmed(tmp_path: Path) -> None:
    made = Tuned(tmp_path)
    made.carry_out()
    with pytest.raises(Refused, match="started before"):
        tuning.create(made.tuning, made.plans, SimulatedSite(made.root, made.machine), prepare.load("quick"))
    again = made.carry_out()
    assert (again.outcome, "started before" in again.reason) == ("failed", True)
    path = made.folder / "tuning.json"
    path.write_text(to_json(replace(made.tuning, slice_bytes=4 << 30)))
    with pytest.raises(Stale, match="changed after it was confirmed"):
        tuning.read(made.folder, made.tuning.digest)


def test_a_plan_that_is_no_trial_is_not_carried_out_as_one(tmp_path: Path) -> None:
    made = Tuned(tmp_path)
    real = plan_on(made.machine, "(2+1)")
    variant = replace(made.tuning.variants[0], run_id=real.run_id, plan_digest=real.digest)
    (made.folder / "plans" / "01.json").write_text(to_json(real))
    (made.folder / "tuning.json").write_text(to_json(replace(made.tuning, variants=(variant,))))
    with pytest.raises(Stale):
        tuning.read(made.folder, made.tuning.digest)


def test_assume_clean_is_refused_right_before_it_runs_unless_the_plan_is_a_trial(tmp_path: Path) -> None:
    made = Tuned(tmp_path)
    argv = ("mdadm", "--create", "/dev/md/x", "--assume-clean")
    command = Command(argv=argv, effect="destroy", devices=("/dev/md/x",), without_sync=True)
    real = plan_on(made.machine, "(2+1)")
    assert real.design == Design(layout=parse("(2+1)"))
    step = Step(number=1, stage="create", title="Create", purpose="", actions=(command,))
    run = journal.create(made.root, real)
    with (
        contextlib.closing(Journal(run, "build")) as book,
        pytest.raises(Stale, match="for trials and zeroed members, and this plan has neither"),
    ):
        Builder(real, made.machine, book, ControlRequest).build([step])


def _undone(made: Tuned, machine: FaultyMachine) -> None:
    """`raidtui undo RUN`, as the hint says."""
    plan = made.plans[0]
    run = made.root / plan.run_id
    machine.revive()
    book = Journal(run, "undo")
    try:
        code = carry_out(plan, SimulatedSite(made.root, machine), machine, book, ControlRequest)
    except RaidtuiError as problem:
        raise AssertionError(str(problem)) from problem
    finally:
        book.close()
    assert code == Exit.DONE
    assert not_blank(machine, made.tuning.disks) == []
    assert made.bystanders_as_before(machine)


def _folder(root: Path, name: str) -> Path:
    (root / name).mkdir()
    return root / name


def test_sets_of_options_share_the_array_of_a_chunk(tmp_path: Path) -> None:
    sets: dict[str, Any] = {"mkfs": ("", "block=1K"), "mount_options": ("", "data=writeback,nodelalloc")}
    made, measured = Tuned(tmp_path, file_systems=("ext4",), **sets), Measured()
    result = made.carry_out(measured)
    assert (result.outcome, result.reason) == ("finished", "")
    assert [variant.name for variant in made.tuning.variants[:4]] == [
        "64 KiB ext4", "64 KiB ext4 data=writeback,nodelalloc", "64 KiB ext4 block=1K",
        "64 KiB ext4 block=1K data=writeback,nodelalloc",
    ]  # fmt: skip
    assert [(trial.outcome, trial.undone) for trial in result.trials] == [("measured", True)] * 8
    assert made.tuning.arrays == 2
    argvs = [
        record.argv
        for plan in made.plans[::4]
        for record in journal.records(made.root / plan.run_id)
        if record.kind == "intent" and record.argv
    ]
    assert [argv[:2] for argv in argvs].count(("mdadm", "--create")) == 2
    assert [argv[argv.index("-b") + 1] for argv in argvs if argv[0] == "mkfs.ext4"] == ["4096", "1024"] * 2
    mounts = [argv[2].removeprefix("--options=") for argv in argvs if argv[0] == "mount"]
    plain = "noatime,nodev,nosuid,noexec"
    assert mounts == [plain, f"{plain},data=writeback,nodelalloc"] * 4
    assert [argv[0] for argv in argvs].count("umount") == 8
    left = made.left()
    assert not_blank(left, made.tuning.disks) == []
    assert made.bystanders_as_before(left)


@pytest.mark.parametrize("side", ["before", "during", "after"])
@pytest.mark.parametrize(("program", "at"), [("umount", 1), ("wipefs", 3), ("mkfs.ext4", 2), ("mount", 2)])
def test_after_a_kill_between_two_file_systems_undo_leaves_blank_disks(
    memory: Path, program: str, at: int, side: FaultSide
) -> None:
    made = Tuned(memory, file_systems=("ext4",), mkfs=("", "block=1K"), **ONE)
    made.arm(Fault(kind="kill", at=at, words=(program,), side=side))
    with pytest.raises(Killed):
        made.carry_out()
    told = tuning.load(made.folder)
    assert told.trials[0].outcome == "measured"
    assert told.reason == f"its process is gone; undo what it left: raidtui undo {made.plans[0].run_id[:8]}"
    left = made.left()
    assert made.bystanders_as_before(left)
    _undone(made, left)


@pytest.mark.parametrize("stopped_at", [2, 3])
def test_a_stop_between_trials_of_one_array_undoes_it(tmp_path: Path, stopped_at: int) -> None:
    made, measured = (
        Tuned(tmp_path, file_systems=("ext4",), mkfs=("", "block=1K"), mount_options=("", "lazytime")),
        Measured(),
    )
    result = made.carry_out(measured, lambda: ControlRequest(stop=len(measured.asked) >= stopped_at))
    outcomes = ["measured"] * stopped_at + ["stopped"] + ["not run"] * (7 - stopped_at)
    assert [trial.outcome for trial in result.trials] == outcomes
    assert (result.outcome, result.reason) == ("stopped", "asked to stop")
    assert all(trial.undone for trial in result.trials)
    assert not_blank(made.left(), made.tuning.disks) == []
