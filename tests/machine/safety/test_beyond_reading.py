"""A byte just outside of what is read changes nothing: the words `blank`, `as confirmed` and `left` claim no more.

CONTRIBUTING.md has the table of these words. Between 1 GiB and the next place that is read nothing is.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from raidtui.bench.raw import require_empty
from raidtui.engine import journal
from raidtui.simulated.state import DiskMark
from raidtui.simulated.storage import put
from raidtui.values.errors import Stale
from raidtui.values.units import GIB, MIB
from tests.faults.bench import Bench, bench
from tests.faults.scene import Scene, canonical, member, plan_on, with_bystanders
from tests.machine.safety.test_ownership import plant
from tests.planner.plans import disks

BEYOND = GIB + 4096


def made_in(folder: Path) -> Bench:
    return bench(canonical(), folder)


@pytest.mark.parametrize(
    ("at", "state"), [(MIB - 1, "content"), (GIB, "content"), (GIB + 4095, "content"), (BEYOND, "blank")]
)
def test_a_disk_is_blank_where_it_was_read(at: int, state: str) -> None:
    machine = with_bystanders(disks(16), targets=12)
    disk = machine.inventory().disks[0].id
    plant(machine, disk, at)
    assert next(each.state for each in machine.inventory().disks if each.id == disk) == state


@pytest.mark.parametrize(("at", "stops"), [(GIB, True), (BEYOND, False)])
def test_a_disk_is_as_confirmed_before_the_wipe_where_it_was_read(tmp_path: Path, at: int, stops: bool) -> None:
    made = made_in(tmp_path)
    wipe = next(step.number for step in made.plan.steps if step.stage == "wipe")
    made.hooks[("after", "step", wipe, 0)] = lambda: plant(made.machine, member(made.plan, "member-b"), at)
    ended = made.begin()
    assert isinstance(ended.problem, Stale) == stops, ended


@pytest.mark.parametrize(("at", "stops"), [(4 * MIB - 512, True), (4 * MIB, False)])
def test_an_empty_array_was_read_at_its_ends_alone_until_it_is_written(tmp_path: Path, at: int, stops: bool) -> None:
    """What the check before the confirmation of a raw benchmark reads; the rest is read before the first write."""
    machine = with_bystanders(disks(16), targets=12)
    plan = plan_on(machine, "2x(3+2)+2", fs="none", stack="separate")
    made = bench(Scene(machine=machine.to_json(), plan=plan), tmp_path)
    assert made.begin().code == 0
    made.machine.advance(1e6)
    array = next(each for each in made.machine._state.arrays if each.link == "data-1")
    put(made.machine._state, array.name, DiskMark(kind="data", offset=at, length=512))
    if stops:
        with pytest.raises(Stale, match="the first 4 MiB of /dev/md/data-1 are zero"):
            require_empty(plan, made.machine)
    else:
        require_empty(plan, made.machine)


def test_an_undo_leaves_what_is_between_the_ends_and_does_not_call_it_gone(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    assert made.begin().code == 0
    disk = member(made.plan, "member-a")
    plant(made.machine, disk, GIB)
    assert made.undo().code == 0
    assert next(each.state for each in made.machine.inventory().disks if each.id == disk) == "content"
    assert journal.records(made.folder)[-1].text == "no signature or line of the plan is left"
