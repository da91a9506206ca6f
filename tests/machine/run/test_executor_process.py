"""What an executor does before its first command, on a simulated machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from raidtui.engine import folders, journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out, checked
from raidtui.engine.site import SimulatedSite
from raidtui.predict.stated_disks import purchase
from raidtui.values.errors import MachineFailed, RaidtuiError, Refused
from raidtui.values.plan import Plan
from raidtui.values.run import RunPurpose
from tests.planner.plans import plan_of
from tests.simulated.fault_model import IN_USE, LEFTOVERS, InUse, Leftover
from tests.simulated.machine import FaultyMachine

BOUGHT = purchase("3x2TB")
PLAN = plan_of("raid1(2)", BOUGHT.disks[:2], inventory=BOUGHT, host="purchase")
FIRST = PLAN.disks[0].id
CODES = {"zfs-exported": "disk-not-blank", "lvm-inactive": "disk-not-blank", "md-inactive": "disk-md-member"}
"""where it is not `disk-` and the kind"""


class Bench:
    """A machine, a run on it, and the executor's doings."""

    def __init__(self, root: Path, plan: Plan = PLAN) -> None:
        self.plan = plan
        self.machine = FaultyMachine(BOUGHT)
        self.site = SimulatedSite(root, self.machine)
        self.folder = journal.create(root, plan)

    def does(self, purpose: RunPurpose) -> int:
        """Exit code of one executor."""
        book = Journal(self.folder, purpose)
        try:
            return carry_out(self.plan, self.site, self.machine, book, lambda: ControlRequest(during_sync=True))
        finally:
            book.close()

    def written(self) -> list[tuple[str, int | None]]:
        """Kinds of all records and their exit codes."""
        return [(record.kind, record.exit) for record in journal.records(self.folder)]


def test_what_happens_between_confirmation_and_start_is_seen_under_the_lock(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.machine.occupy(FIRST, "mounted")
    before = bench.machine.writes()
    with pytest.raises(Refused, match="in use: mounted at"):
        bench.does("build")
    assert bench.written() == [("begun", None), ("failed", 1)]
    assert bench.machine.writes() == before
    said = journal.records(bench.folder)[-1].text
    assert "purchase-01" in said
    assert "unmount it" in said


def test_a_build_that_was_refused_is_begun_by_resume_once_it_may(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.machine.unplug(FIRST)
    with pytest.raises(RaidtuiError) as stale:
        bench.does("build")
    assert stale.value.exit_code == 4
    with pytest.raises(RaidtuiError):
        bench.does("resume")
    bench.machine.plug(FIRST)
    assert bench.does("resume") == 0
    assert bench.written()[-1][0] == "finished"


def test_what_was_built_is_found_without_its_journal(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert bench.does("build") == 0
    journal.renew(bench.folder)
    before = bench.machine.writes()
    assert bench.does("resume") == 0
    assert bench.machine.writes() == before
    journal.renew(bench.folder)
    assert bench.does("undo") == 0
    with pytest.raises(Refused, match="was undone"):
        bench.does("resume")


def test_a_run_that_was_undone_names_the_only_way_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.does("build")
    with pytest.raises(Refused) as begun:
        journal.create(tmp_path, PLAN)
    assert begun.value.hint == f"raidtui resume {PLAN.run_id[:8]}, or raidtui undo {PLAN.run_id[:8]}; or plan again"
    bench.does("undo")
    with pytest.raises(Refused) as again:
        journal.create(tmp_path, PLAN)
    assert again.value.hint == "it was undone; to build, plan again"
    with pytest.raises(Refused) as resumed:
        bench.does("resume")
    assert (str(resumed.value), resumed.value.hint) == ("this run was undone", "to build, plan again")


def test_outputs_that_were_removed_keep_no_run_from_being_undone(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.does("build")
    shutil.rmtree(bench.folder / "output")
    assert bench.does("undo") == 0
    assert (bench.folder / "output").stat().st_mode & 0o777 == 0o700
    assert list((bench.folder / "output").iterdir()) != []


def test_a_file_in_the_place_of_the_outputs_is_named(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.does("build")
    shutil.rmtree(bench.folder / "output")
    (bench.folder / "output").write_text("")
    with pytest.raises(MachineFailed) as problem:
        bench.does("undo")
    assert str(problem.value) == f"{bench.folder}/output: File exists"
    assert problem.value.hint == "move it away, then try again"


def test_a_directory_in_the_place_of_the_requests_is_named(tmp_path: Path) -> None:
    (tmp_path / "wish").mkdir()
    with pytest.raises(Refused) as problem:
        folders.write_request(tmp_path, ControlRequest())
    assert str(problem.value) == f"{tmp_path}/wish is a directory, not a regular file"
    assert problem.value.hint == "move it away"


def test_nothing_is_taken_back_where_nothing_is(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    before = bench.machine.writes()
    with pytest.raises(Refused, match="nothing of this plan is here"):
        bench.does("undo")
    assert bench.machine.writes() == before


@pytest.mark.parametrize("how", IN_USE)
def test_every_use_is_refused_and_names_disk_and_way_out(how: InUse, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.machine.occupy(FIRST, how)
    findings = checked(PLAN, bench.site, "", during_sync=False)
    about = [finding for finding in findings if finding.subject == FIRST]
    assert about, findings
    assert all("purchase-01" in finding.message and finding.way_out for finding in about)
    assert CODES.get(how, f"disk-{how}") in {finding.code for finding in about}


@pytest.mark.parametrize("what", LEFTOVERS)
def test_what_was_left_behind_since_makes_the_plan_stale(what: Leftover, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.machine.leave(FIRST, what)
    (finding,) = checked(PLAN, bench.site, "", during_sync=False)
    assert (finding.code, finding.subject) == ("disk-not-blank", FIRST)
    assert "when the plan was made: blank" in finding.message


@pytest.mark.parametrize("what", ["md-1.2", "gpt", "xfs", "swap", "data"])
def test_content_that_was_planned_on_is_no_surprise(what: Leftover, tmp_path: Path) -> None:
    machine = FaultyMachine(BOUGHT)
    machine.leave(FIRST, what)
    inventory = machine.inventory()
    plan = plan_of("raid1(2)", inventory.disks[:2], inventory=inventory, host="purchase")
    assert plan.disks[0].content
    assert checked(plan, SimulatedSite(tmp_path, machine), "", during_sync=False) == ()
