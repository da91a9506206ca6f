"""What was confirmed is what runs: another plan under the same run id is refused everywhere, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raidtui.cli import main
from raidtui.cli.verbs import run
from raidtui.engine import journal
from raidtui.engine.journal import Journal
from raidtui.engine.process import Launched
from raidtui.engine.site import site_for
from raidtui.machine.system.places import simulated_root
from raidtui.predict.stated_disks import purchase
from raidtui.scripts.files import write_plan
from raidtui.session import jobs
from raidtui.values.codec import to_json
from raidtui.values.plan import Plan
from tests.cli.commands import raidtui
from tests.machine.tunes import Tuned
from tests.planner.plans import plan_of

MINE, OTHERS = purchase("5x2TB"), purchase("5x4TB")
PLAN = plan_of("(3+1)+1", MINE.disks, inventory=MINE, host="purchase", fs="ext4")
OTHER = plan_of("(3+1)+1", OTHERS.disks, inventory=OTHERS, host="purchase", fs="ext4")
"""of the same run id, on other disks, with a digest of its own"""
SURE = ["--yes", "--confirm", OTHER.digest]
ONE = ["--yes", "--confirm", PLAN.digest]


@pytest.fixture
def begun() -> Path:
    """A run of PLAN whose executor wrote its first record and died."""
    folder = journal.create(simulated_root(), PLAN)
    site_for(PLAN, MINE).prepare(folder)
    book = Journal(folder, "build")
    book.write("begun", digest=PLAN.digest)
    book.close()
    return folder


@pytest.fixture
def other(tmp_path: Path) -> str:
    """A plan file that is genuine, and not the run's."""
    assert (OTHER.run_id, OTHER.digest != PLAN.digest) == (PLAN.run_id, True)
    write_plan(OTHER, tmp_path / "other")
    return str(tmp_path / "other" / "plan.json")


def swap(folder: Path, plan: Plan = OTHER) -> None:
    (folder / "plan.json").write_text(to_json(plan) + "\n")


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("verb", ["undo", "resume"])
@pytest.mark.parametrize("sure", [SURE, ONE, []])
def test_a_plan_file_that_is_not_the_runs_is_refused(
    verb: str, sure: list[str], begun: Path, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = content(begun)
    assert main([verb, other, *sure]) == 4
    said = capsys.readouterr()
    assert said.out == "", "the page of a plan that does not run is not shown"
    assert f"its digest is {OTHER.digest}, that of the run is {PLAN.digest}; nothing was written" in said.err
    assert "name the run instead: 01234567" in said.err
    assert content(begun) == before


@pytest.mark.parametrize("verb", ["undo", "resume"])
def test_the_plan_is_compared_again_once_it_is_confirmed(
    verb: str, begun: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def swapping(folder: Path, *rest: Any, **more: Any) -> Launched:
        swap(folder)
        launched: Launched = jobs.go_on(folder, *rest, **more)
        return launched

    monkeypatch.setattr(run, "go_on", swapping)
    assert main([verb, "01234567", *ONE]) == 4
    assert f"is not the plan that was confirmed, whose digest is {PLAN.digest}" in capsys.readouterr().err
    assert [record.kind for record in journal.records(begun)] == ["begun"]


@pytest.mark.process
@pytest.mark.parametrize(
    "purpose", ["undo", *(pytest.param(purpose, marks=pytest.mark.thorough) for purpose in ("build", "resume"))]
)
def test_an_executor_refuses_what_was_not_confirmed(purpose: str, begun: Path) -> None:
    swap(begun)
    before = content(begun)
    ended = raidtui("execute", str(begun), purpose, PLAN.digest)
    assert ended.returncode == 4, ended.stderr
    assert "is not the plan that was confirmed" in ended.stderr
    assert content(begun) == before
    assert raidtui("execute", str(begun), purpose).returncode == 2, "no digest, no start"


@pytest.mark.process
def test_a_drill_compares_it_too(begun: Path) -> None:
    journal.begin(begun / "drill-0-1", "drill.json", '{"run_id": "x"}', simulated=True)
    swap(begun)
    before = content(begun)
    ended = raidtui("execute", str(begun / "drill-0-1"), "drill", PLAN.digest)
    assert ended.returncode == 4, ended.stderr
    assert "is not the plan that was confirmed" in ended.stderr
    assert content(begun) == before


@pytest.mark.process
def test_a_tuning_compares_its_own(tmp_path: Path) -> None:
    made, another = Tuned(simulated_root()), Tuned(tmp_path / "another", "(3+1)+1")
    folder = made.folder
    (folder / "tuning.json").write_text(to_json(another.tuning))
    for variant, plan in zip(another.tuning.variants, another.plans, strict=True):
        (folder / "plans" / f"{variant.number:02d}.json").write_text(to_json(plan))
    before = content(folder)
    ended = raidtui("execute", str(folder), "tune", made.tuning.digest)
    assert ended.returncode == 4, ended.stderr
    assert f"is not the confirmed tuning: expected the digest {made.tuning.digest}" in ended.stderr
    assert content(folder) == before


def test_the_app_compares_what_it_showed(begun: Path) -> None:
    from raidtui.values.errors import Stale

    swap(begun)
    started: list[object] = []

    def launch(*arguments: object, **_: object) -> Callable[[], bool]:
        started.append(arguments)
        return bool

    with pytest.raises(Stale, match="is not the plan that was confirmed"):
        jobs.go_on(begun, "undo", launch, PLAN)  # type: ignore[type-var]
    assert started == []
