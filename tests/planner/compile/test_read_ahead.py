"""A stated read-ahead: of the device below the file system, in the rule or the volume, and read back."""

from pathlib import Path

import pytest

from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out
from raidtui.engine.site import SimulatedSite
from raidtui.predict.checks.layout import check_design
from raidtui.values.design import Design
from raidtui.values.notation import parse
from raidtui.values.plan import Plan, WriteFile
from raidtui.values.units import MIB
from tests.faults.scene import plan_on, with_bystanders
from tests.planner.plans import disks, plan_of


def rule(plan: Plan) -> str:
    step = next(step for step in plan.steps if step.stage == "tune")
    return next(action.text for action in step.actions if isinstance(action, WriteFile))


def answers(plan: Plan, stage: str) -> dict[str, str]:
    return {reading.what: reading.answer for step in plan.steps if step.stage == stage for reading in step.after}


def test_one_array_has_it_in_the_rule() -> None:
    plan = plan_of("(4+2)", read_ahead_bytes=24 * MIB)
    assert 'ATTR{queue/read_ahead_kb}="24576"' in rule(plan)
    assert answers(plan, "tune")["the read-ahead of /dev/md/data is 24576 KiB"] == "49152"  # sectors of 512 bytes
    assert next(step for step in plan.steps if step.stage == "tune").purpose.startswith("Read-ahead of 24 MiB;")


def test_a_volume_has_it_and_its_arrays_keep_their_own() -> None:
    plan = plan_of("2x(4+2)", read_ahead_bytes=24 * MIB)
    step = next(step for step in plan.steps if step.stage == "volume")
    assert any("--readahead=49152" in command.argv for command in step.commands)
    assert answers(plan, "volume")["the read-ahead of /dev/data/data is 24576 KiB"] == "49152"
    assert rule(plan) == rule(plan_of("2x(4+2)"))


def test_the_outer_stripe_has_it() -> None:
    plan = plan_of("2x(4+2)", stack="md", read_ahead_bytes=24 * MIB)
    assert rule(plan).count('ATTR{queue/read_ahead_kb}="24576"') == 1
    assert answers(plan, "tune")["the read-ahead of /dev/md/data is 24576 KiB"] == "49152"


@pytest.mark.parametrize("layout", ["(2+2)", "2x raid1(2)"])
def test_built_and_undone(layout: str, tmp_path: Path) -> None:
    machine = with_bystanders(disks(16), targets=4)
    plan = plan_on(machine, layout, read_ahead_bytes=24 * MIB)
    site, folder = SimulatedSite(tmp_path, machine), journal.create(tmp_path, plan)
    for purpose in ("build", "undo"):
        book = Journal(folder, purpose)
        try:
            assert carry_out(plan, site, machine, book, ControlRequest) == 0
        finally:
            book.close()


@pytest.mark.parametrize(
    ("design", "code"),
    [
        (Design(layout=parse("(4+2)"), read_ahead_bytes=0), "read-ahead"),
        (Design(layout=parse("(4+2)"), read_ahead_bytes=5000), "read-ahead"),
        (Design(layout=parse("(4+2)"), read_ahead_bytes=2048 * MIB), "read-ahead"),
        (Design(layout=parse("(4+2)"), fs="none", read_ahead_bytes=MIB), "read-ahead-of-nothing"),
        (Design(layout=parse("disk"), read_ahead_bytes=MIB), "read-ahead-of-nothing"),
    ],
)
def test_what_is_refused(design: Design, code: str) -> None:
    assert [finding.code for finding in check_design(design) if finding.severity == "error"] == [code]
