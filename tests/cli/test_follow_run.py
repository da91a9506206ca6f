"""Following a run whose executor did not start: the reason is looked up."""

from __future__ import annotations

import pytest

from raidtui.cli import confirm, follow, main
from raidtui.engine import journal
from raidtui.engine.process import Launched
from raidtui.engine.runs import load
from raidtui.engine.site import locked
from raidtui.machine.system.places import simulated_root
from raidtui.scripts.files import write_plan
from raidtui.values.errors import Locked, MachineFailed, Stale
from tests.cli.left_runs import BOUGHT, PLAN, RUN, SURE, begin
from tests.planner.plans import plan_of


class Ended(Launched):
    """An executor in a unit: it ended, and its exit code is gone."""

    def running(self) -> bool:
        return False


def test_why_an_executor_never_began_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    begin(PLAN)
    begun = load(simulated_root() / PLAN.run_id)
    with locked(simulated_root() / "lock"), pytest.raises(Locked, match="took the lock first"):
        follow.watch(begun, Ended("", unit="raidtui.service"), as_json=False)
    with pytest.raises(MachineFailed, match="the executor ended before its first step: it wrote no output"):
        follow.watch(begun, Ended("", unit="raidtui.service"), as_json=False)
    write_plan(plan_of("raid1(2)", BOUGHT.disks, inventory=BOUGHT, host="purchase"), begun.folder / "x")
    (begun.folder / "x" / "plan.json").rename(begun.folder / "plan.json")
    with pytest.raises(Stale, match="is not the plan that was confirmed"):
        follow.watch(begun, Ended("", unit="raidtui.service"), as_json=False)


@pytest.mark.process
def test_who_loses_the_race_for_the_lock_hears_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begin(PLAN, "begun")
    monkeypatch.setattr(confirm, "holder_of", lambda _: "")  # the other took it right after this look
    with locked(simulated_root() / "lock"):
        assert main(["resume", RUN, *SURE]) == 5
    assert "took the lock first; nothing was written" in capsys.readouterr().err
    assert [record.kind for record in journal.records(folder)] == ["begun"]
