"""A simulated machine has its own time: its build, its benchmarks and their report follow each other in it."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from raidtui.bench import store
from raidtui.bench.prepare import begins_after, disks_of_plan
from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out
from raidtui.engine.runs import load
from raidtui.engine.site import SimulatedSite, site_of_run
from raidtui.machine.arrays.read import observe
from raidtui.session.report import syncs_of
from raidtui.session.run_view import RunWatch
from raidtui.simulated.machine import SimulatedMachine
from raidtui.values.errors import Refused
from tests.machine.simulation import E2660, Run, built_run, planned
from tests.planner.reports import result

PLAN = planned("raid1(2)")


def built(root: Path) -> tuple[Path, SimulatedMachine]:
    """The folder of a finished run and its machine; a simulated hour passes in every second waited."""
    machine = SimulatedMachine(E2660, speed_up=3600)
    site = SimulatedSite(root, machine)
    folder = journal.create(root, PLAN)
    site.prepare(folder)
    book = Journal(folder, "build", machine.clock)
    try:
        assert carry_out(PLAN, site, machine, book, ControlRequest) == 0
    finally:
        book.close()
    return folder, machine


def test_a_journal_is_in_the_time_of_its_machine(tmp_path: Path) -> None:
    before = datetime.now(UTC)
    folder, machine = built(tmp_path / "runs")
    machine.advance(7200)
    first, last = (datetime.fromisoformat(load(folder).records[place].time) for place in (0, -1))
    assert timedelta(0) <= first - before < timedelta(minutes=1)
    assert abs((machine.clock() - last).total_seconds() - 7200) < 1
    assert abs((machine.clock() - first).total_seconds() - machine.now) < 1
    file = folder / "machine.json"
    file.write_text(machine.to_json())
    os.utime(file, (0, time.time() - 6))
    later = (site_of_run(folder, PLAN).reader().clock() - machine.clock()).total_seconds()
    assert 3600 <= later < 7200, "the first sync goes on after the build, for whoever looks"
    (syncing,) = RunWatch(folder).look().arrays.values()
    assert syncing is not None
    assert syncs_of(load(folder))[0].done == pytest.approx(syncing.done_sectors / syncing.all_sectors, abs=0.05)


def test_a_wait_takes_no_longer_than_the_sync_it_waits_for(tmp_path: Path) -> None:
    hours = []
    for speed_up in (60, 1e6):
        machine = SimulatedMachine(E2660, speed_up=speed_up)
        run = Run(tmp_path / f"{speed_up}", PLAN, machine)  # type: ignore[arg-type]
        run.build()
        while machine.syncing():
            machine.wait(1)
        hours.append(machine.now / 3600)
    assert hours[0] > 1
    assert abs(hours[1] - hours[0]) < 0.05  # of a minute a wait, the last one may be too long


def test_a_benchmark_begins_after_its_build_and_the_benchmarks_before_it(tmp_path: Path) -> None:
    benches = tmp_path / "benches"
    assert abs(begins_after(tmp_path / "none", benches, PLAN) - time.time()) < 60
    folder, machine = built(tmp_path / "runs")
    machine.advance(1e6)
    book = Journal(folder, "undo", machine.clock)
    ended = datetime.fromisoformat(book.write("begun", digest=PLAN.digest).time).timestamp()
    book.close()
    assert begins_after(folder, benches, PLAN) == ended
    done = result()
    later = (machine.clock() + timedelta(hours=1)).isoformat(timespec="seconds")
    for number, (digest, end) in enumerate(((PLAN.digest, later), ("0" * 64, "2999-01-01T00:00:00+00:00"))):
        bench = replace(done.bench, id=f"{number:032x}", plan_digest=digest)
        store.save(store.create_at(benches / bench.id, bench), replace(done, bench=bench, ended=end))
    assert begins_after(folder, benches, PLAN) == datetime.fromisoformat(later).timestamp()


def test_a_disk_that_was_replaced_is_measured_by_the_one_in_its_slot(tmp_path: Path) -> None:
    """One that has failed in it, or waits beside it, is no member."""
    machine = built_run(tmp_path, "raid1(2)").machine
    (array,) = observe(machine, E2660).arrays
    first, second, other = E2660.disks[0], E2660.disks[1], E2660.disks[40]
    without = replace(E2660, disks=tuple(disk for disk in E2660.disks if disk != second))
    assert disks_of_plan(PLAN, [array], E2660) == (first, second)
    there = next(member for member in array.members if member.disk_id == second.id)
    for state in ("in-sync", "rebuilding", "faulty"):
        new = replace(there, disk_id=other.id, state=state)
        now = replace(array, members=tuple(new if member == there else member for member in array.members))
        if state != "faulty":
            assert disks_of_plan(PLAN, [now], without) == (first, other)
        else:
            with pytest.raises(Refused, match=f"{second.id} of the plan is missing"):
                disks_of_plan(PLAN, [now], without)


def test_an_array_that_does_not_run_leaves_the_others_their_own_disks(tmp_path: Path) -> None:
    run = built_run(tmp_path, "2x raid1(2)", stack="separate")
    found = {array.uuid: array for array in observe(run.machine, E2660).arrays}
    assert disks_of_plan(run.plan, [found[run.plan.arrays[1].uuid]], E2660) == E2660.disks[:4]
