"""build.sh keeps its log where a run keeps its journal: what either began, the other's verbs can end."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from raidtui.cli import main
from raidtui.engine import journal
from raidtui.machine.system.places import simulated_root
from raidtui.predict.stated_disks import purchase
from raidtui.scripts.files import write_plan
from raidtui.values.errors import Refused
from tests.faults.bench import bench
from tests.faults.scene import canonical
from tests.planner.plans import plan_of

MINE = purchase("5x2TB")
PLAN = plan_of("(3+1)+1", MINE.disks, inventory=MINE, host="purchase", fs="ext4")
SURE = ["--yes", "--confirm", PLAN.digest]


@pytest.fixture
def plan(tmp_path: Path) -> str:
    """File of a plan whose script left its log."""
    folder = simulated_root() / PLAN.run_id
    folder.mkdir(mode=0o700, parents=True)
    folder.parent.chmod(0o700)
    (folder / "log").write_text("run of build.sh\n")
    write_plan(PLAN, tmp_path / "plan")
    return str(tmp_path / "plan" / "plan.json")


@pytest.mark.process
def test_an_undo_looks_at_the_disks(plan: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["undo", plan, *SURE]) == 1
    said = capfd.readouterr()
    assert "nothing of this plan is here; nothing was written" in said.out + said.err


@pytest.mark.process
def test_a_build_begins(plan: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["build", plan, *SURE, "--speed-up", "1e9"]) == 0
    assert (simulated_root() / PLAN.run_id / "log").read_text() == "run of build.sh\n"
    assert main(["build", plan, *SURE]) == 1
    assert "was started before" in capfd.readouterr().err


def test_what_the_script_built_is_taken_back(tmp_path: Path) -> None:
    made = bench(canonical(), tmp_path)
    assert made.begin().code == 0
    shutil.rmtree(made.folder)
    made.folder.mkdir(mode=0o700)
    (made.folder / "log").write_text("run of build.sh\n")
    assert journal.create(made.root, made.plan) == made.folder
    assert made.undo().code == 0
    assert journal.records(made.folder)[-1].text == "no signature or line of the plan is left"


def test_a_directory_that_others_may_read_is_not_taken(tmp_path: Path) -> None:
    made = bench(canonical(), tmp_path)
    made.folder.mkdir()
    made.folder.chmod(0o755)
    with pytest.raises(Refused, match="open to others"):
        journal.create(made.root, made.plan)
