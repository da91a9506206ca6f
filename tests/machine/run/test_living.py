"""A replacement that its own process carries out: found again, stopped, gone on with, refused where things changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.answers.run import jobs_table
from raidtui.engine import journal, living
from raidtui.engine.changes import asked_replacement, extension
from raidtui.engine.folders import ControlRequest
from raidtui.engine.site import MACHINE, SimulatedSite
from raidtui.session import job_list
from raidtui.values.acts import Replacement
from raidtui.values.blocks import Grid
from raidtui.values.errors import BadInput, Exit, Refused, Stale
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Act
from tests.machine.simulation import Run, built_run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """An array in sync that has lost its second disk."""
    built = built_run(tmp_path, "raid6(4+2)", name="data", after=100_000)
    assert built.machine.fail(built.plan.disks[1].id) == ("md127",)
    (built.folder / MACHINE).write_text(built.machine.to_json())
    return built


def site_of(run: Run) -> SimulatedSite:
    return SimulatedSite(run.folder.parent, run.machine)


def confirmed(run: Run) -> Replacement:
    return asked_replacement(run.machine, run.machine.inventory(), "md127", new="sdx")


def test_it_is_carried_out_and_found_again(run: Run) -> None:
    act = confirmed(run)
    folder = living.prepare(act, run.folder.parent)
    assert folder == run.folder.parent / "changes" / f"replace-{act.digest[:12]}"
    assert living.act_in(folder) == act
    assert living.run_of(act, run.folder.parent)[0] == run.folder
    assert living.carry_on(act, site_of(run), ControlRequest) == Exit.DONE
    records = journal.records(folder)
    assert (records[0].kind, records[-1].kind, records[-1].purpose) == ("begun", "finished", "replace")
    assert run.machine.read_text("/sys/block/md127/md/degraded") == "0\n"


def test_until_its_first_record_it_is_not_called_interrupted(run: Run) -> None:
    folder = living.prepare(confirmed(run), run.folder.parent)
    table = jobs_table([job_list.CHANGE.read(folder)])
    assert isinstance(table, Grid)
    assert [cell.text for cell in table.rows[0]][3:] == ["replace", "not started", "0/6", "-"]

    class Looks(SimulatedSite):
        def inventory(self, act: Act) -> Inventory:
            seen.append(job_list.CHANGE.read(folder).outcome)
            return super().inventory(act)

    seen: list[str] = []
    living.carry_on(confirmed(run), Looks(run.folder.parent, run.machine), ControlRequest)
    assert seen == ["running"]


def test_a_stop_ends_it_between_two_commands_and_it_goes_on(run: Run) -> None:
    act = confirmed(run)
    folder = living.prepare(act, run.folder.parent)
    assert living.carry_on(act, site_of(run), lambda: ControlRequest(stop=True)) == Exit.INTERRUPTED
    assert journal.records(folder)[-1].kind == "stopped"
    assert run.machine.read_text("/sys/block/md127/md/degraded") == "1\n"
    assert living.carry_on(act, site_of(run), ControlRequest) == Exit.DONE
    assert journal.records(folder)[-1].kind == "finished"


def test_an_array_that_changed_meanwhile_is_left_and_the_journal_says_so(run: Run) -> None:
    act = confirmed(run)
    run.machine.fail(run.plan.disks[2].id)
    with pytest.raises(Refused, match="the array or the disks changed meanwhile; nothing was written"):
        living.carry_on(act, site_of(run), ControlRequest)
    records = journal.records(living.prepare(act, run.folder.parent))
    assert [record.kind for record in records] == ["begun", "failed"]


def test_another_digest_and_a_machine_without_the_array(run: Run, tmp_path: Path) -> None:
    act = confirmed(run)
    folder = living.prepare(act, run.folder.parent)
    with pytest.raises(Stale, match="is not what was confirmed"):
        living.confirmed_act(folder, "0" * 64)
    with pytest.raises(BadInput, match="no simulated run has these arrays"):
        living.run_of(act, tmp_path / "empty")


def test_a_file_whose_steps_are_not_those_of_its_digest_is_not_carried_out(run: Run) -> None:
    act = confirmed(run)
    folder = living.prepare(act, run.folder.parent)
    file = folder / "act.json"
    file.write_text(file.read_text().replace('"mdadm"', '"reboot"'))
    with pytest.raises(BadInput, match=r"act\.json was changed after it was written: its digest does not match"):
        living.confirmed_act(folder, act.digest)


def test_a_spare_joins_in_a_process_stopped_and_gone_on_with(tmp_path: Path) -> None:
    run = built_run(tmp_path, "raid6(4+2)", name="data", after=100_000)
    act = extension(run.machine, run.machine.inventory(), "md127", "spare", ["sdx"])
    folder = living.prepare(act, run.folder.parent)
    assert (folder.name, living.act_in(folder)) == (f"extend-{act.digest[:12]}", act)
    assert living.carry_on(act, site_of(run), lambda: ControlRequest(stop=True)) == Exit.INTERRUPTED
    assert living.carry_on(act, site_of(run), ControlRequest) == Exit.DONE
    records = journal.records(folder)
    assert (records[-1].kind, records[-1].purpose) == ("finished", "extend")
    assert "sdx" in (run.machine.read_text("/proc/mdstat") or "")


def test_an_extension_of_an_array_that_changed_meanwhile_is_left(run: Run) -> None:
    act = extension(run.machine, run.machine.inventory(), "md127", "spare", ["sdx"])
    run.machine.fail(run.plan.disks[2].id)
    with pytest.raises(Refused):
        living.carry_on(act, site_of(run), ControlRequest)
    assert journal.records(living.prepare(act, run.folder.parent))[-1].kind == "failed"
