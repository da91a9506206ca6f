"""A sync limit is set on the plan's own arrays alone, and every array has the limit of before afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.engine import journal
from raidtui.engine.builder import Builder
from raidtui.engine.executor import Stopped
from raidtui.engine.folders import ControlRequest
from raidtui.engine.sync import left_behind
from tests.machine.simulation import E2660, Run
from tests.planner.plans import plan_of
from tests.simulated.fault_model import Fault, Killed
from tests.simulated.machine import FaultyMachine

WAITING = ControlRequest(wait_for_sync=True)
LIMITED = replace(WAITING, sync_kib_per_s=6000)
OWN, THEIRS = "/sys/block/md126/md/sync_speed_max", "/sys/block/md127/md/sync_speed_max"


class Watched(FaultyMachine):
    """Records every limit that is written, and what all arrays show after each second that is waited."""

    written: list[tuple[str, int | None]]

    def set_sync_limit(self, device: str, kib_per_s: int | None) -> None:
        self.__dict__.setdefault("written", []).append((device, kib_per_s))
        super().set_sync_limit(device, kib_per_s)


def two(tmp_path: Path) -> tuple[Run, Watched]:
    """A run that is about to begin, on a machine where the array of somebody else syncs."""
    machine = Watched(E2660, speed_up=3600)
    other = plan_of("raid1(2)", E2660.disks[50:52], inventory=E2660, host=E2660.name, run_id="9" * 32, name="theirs",
                    mount_point="/srv/theirs")  # fmt: skip
    theirs = Run(tmp_path / "theirs", other, machine)
    machine.arm(Fault(kind="kill", words=("wipefs", "--all", "--lock=yes")))
    with pytest.raises(Killed):
        theirs.build()
    machine.revive()
    mine = plan_of("raid1(2)", E2660.disks[:2], inventory=E2660, host=E2660.name)
    assert [sync.device for sync in machine.syncing()] == ["md127"]
    return Run(tmp_path / "mine", mine, machine), machine


def build(run: Run, wish: Callable[[], ControlRequest] = lambda: LIMITED) -> None:
    """From the first step to the last, by a viewer's wish."""
    held = journal.Journal(run.folder, "build")
    try:
        Builder(run.plan, run.machine, held, wish).build(run.plan.steps)
    finally:
        held.close()


def test_the_limit_is_on_our_array_alone_and_is_gone_when_the_build_has_finished(tmp_path: Path) -> None:
    run, machine = two(tmp_path)
    build(run)
    assert run.last() == "finished"
    assert machine.written == [("md126", 6000), ("md126", None)]
    assert (machine.read_text(OWN), machine.read_text(THEIRS)) == ("200000 (system)\n", "200000 (system)\n")
    assert not (run.folder / "sync-limits.json").exists()


def test_a_limit_that_the_array_had_is_restored_as_that_value(tmp_path: Path) -> None:
    run, machine = two(tmp_path)
    looks = iter(range(10**6))

    def wish() -> ControlRequest:
        if next(looks) == 0:
            return WAITING
        if machine.read_text(OWN) == "200000 (system)\n":
            FaultyMachine.set_sync_limit(machine, "md126", 77777)  # an admin's own
        return LIMITED

    build(run, wish)
    assert machine.written == [("md126", 6000), ("md126", 77777)]
    assert machine.read_text(OWN) == "77777 (local)\n"


def test_the_limit_goes_with_the_wish(tmp_path: Path) -> None:
    run, machine = two(tmp_path)
    wishes = iter([*[LIMITED] * 14, *[replace(WAITING, sync_kib_per_s=9000)] * 2])
    build(run, lambda: next(wishes, WAITING))
    assert machine.written[-1] == ("md126", None)
    assert {limit for _, limit in machine.written} == {6000, 9000, None}
    assert {device for device, _ in machine.written} == {"md126"}


@pytest.mark.parametrize("words", [("mkfs.xfs",), ("update-initramfs",)])
def test_a_failure_restores_it(tmp_path: Path, words: tuple[str, ...]) -> None:
    run, machine = two(tmp_path)
    machine.arm(Fault(kind="fail", words=words))
    with pytest.raises(Exception, match="exit code"):
        build(run)
    assert (run.last(), machine.read_text(OWN)) == ("failed", "200000 (system)\n")
    assert not (run.folder / "sync-limits.json").exists()


def test_a_stop_restores_it(tmp_path: Path) -> None:
    run, machine = two(tmp_path)

    def wish() -> ControlRequest:
        return replace(LIMITED, stop=machine.read_text(OWN) == "6000 (local)\n")

    with pytest.raises(Stopped):
        build(run, wish)
    assert (run.last(), machine.read_text(OWN)) == ("stopped", "200000 (system)\n")


@pytest.mark.parametrize("next_one", ["resume", "undo"])
def test_the_next_executor_restores_what_a_killed_one_left(tmp_path: Path, next_one: str) -> None:
    run, machine = two(tmp_path)
    machine.arm(Fault(kind="kill", on="wait", at=2))
    with pytest.raises(Killed):
        build(run)
    assert left_behind(run.folder) == (
        "the sync of /dev/md/data (md126) may still be limited; until the next boot: "
        "echo system > /sys/block/md126/md/sync_speed_max",
    )
    machine.revive()
    assert machine.read_text(OWN) == "6000 (local)\n"
    assert left_behind(run.folder, boot="another") == ()
    before = json.loads((run.folder / "sync-limits.json").read_text())
    assert [(each["name"], each.get("kib_per_s")) for each in before["arrays"]] == [("md126", None)]
    assert (run.folder / "sync-limits.json").stat().st_mode & 0o777 == 0o600
    (run.resume if next_one == "resume" else run.undo)()
    assert machine.written == [("md126", 6000), ("md126", None)]
    assert machine.read_text(OWN) == ("200000 (system)\n" if next_one == "resume" else None)
    assert left_behind(run.folder) == ()


def test_after_a_boot_nothing_is_written_and_the_file_is_dropped(tmp_path: Path) -> None:
    run, machine = two(tmp_path)
    machine.arm(Fault(kind="power", on="wait", at=2))
    with pytest.raises(Killed):
        build(run)
    machine.revive()
    run.resume()
    assert machine.written == [("md126", 6000)]
    assert left_behind(run.folder) == ()


def test_a_kernel_that_does_not_take_the_value_ends_the_run_with_what_it_shows(tmp_path: Path) -> None:
    run, machine = two(tmp_path)
    machine.set_sync_limit = lambda *_: None  # type: ignore[method-assign]
    with pytest.raises(Exception, match=r"reads '200000 \(system\)' after '6000' was written"):
        build(run)


def test_an_array_of_somebody_else_under_our_name_is_not_written_to(tmp_path: Path) -> None:
    """The link leads to an array that reports another UUID."""
    run, machine = two(tmp_path)
    theirs = plan_of("raid1(2)", E2660.disks[:2], inventory=E2660, host=E2660.name, name="theirs",
                     mount_point="/srv/theirs")  # fmt: skip
    held = journal.Journal(run.folder, "build")
    executor = Builder(theirs, machine, held, lambda: LIMITED)
    executor._limits.apply(LIMITED.sync_kib_per_s)
    held.close()
    assert "written" not in machine.__dict__
    assert machine.read_text(THEIRS) == "200000 (system)\n"
