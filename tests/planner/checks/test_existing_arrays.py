"""Arrays of the machine that come before a new one, in every answer about its disks."""

from dataclasses import replace
from pathlib import Path

import pytest

from raidtui.advice.proposals.propose import propose
from raidtui.predict.checks.disks import arrays_first, with_arrays_first
from raidtui.predict.design import predict
from raidtui.steps.build import as_planned, recompiled
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory, LackingArray
from raidtui.values.notation import parse
from raidtui.values.proposal import Constraints
from tests.machine.simulation import E2660, built_run, do

LACKING = (LackingArray(name="md0", level="raid5", devices=4, lacks=1), LackingArray(name="md1"))
MESSAGES = ["md0 (raid5): 1 of 4 members missing.", "md1 is assembled and does not run."]


def test_each_is_named_with_what_comes_first() -> None:
    lacks, stands = arrays_first(replace(E2660, lacking=LACKING))
    assert [lacks.message, stands.message] == MESSAGES
    assert lacks.way_out == "replace that disk first (raidtui replace md0), unless its rebuild runs"
    assert list(arrays_first(E2660)) == []


@pytest.mark.parametrize(
    ("level", "devices", "lacks", "message"),
    [
        ("raid6", 14, 3, "md0 (raid6) has failed."),
        ("raid6", 14, 2, "md0 (raid6): 2 of 14 members missing."),
        ("raid5", 4, 2, "md0 (raid5) has failed."),
        ("raid1", 3, 2, "md0 (raid1): 2 of 3 members missing."),
        ("raid10", 4, 2, "md0 (raid10): 2 of 4 members missing."),
    ],
)
def test_an_array_that_lost_more_than_its_level_survives_has_failed(
    level: str, devices: int, lacks: int, message: str
) -> None:
    """Two of four of a RAID10 may be one of each pair: only the kernel's word `broken` says that it failed."""
    (found,) = arrays_first(
        replace(E2660, lacking=(LackingArray(name="md0", level=level, devices=devices, lacks=lacks),))
    )
    assert found.message == message
    assert ("replace that disk first" in (found.way_out or "")) == ("missing" in message)


def test_proposals_and_plans_have_them() -> None:
    inventory = replace(E2660, lacking=LACKING)
    proposal = propose(inventory, inventory.disks[:4], Constraints())
    assert [each.message for each in proposal.findings][:2] == MESSAGES
    prediction = with_arrays_first(predict(Design(layout=parse("(2+1)")), inventory.disks[:3]), inventory)
    assert [each.message for each in prediction.findings if each.code.startswith("array-")] == MESSAGES


def test_a_plan_stays_what_it_is_while_its_own_array_lacks_a_member(tmp_path: Path) -> None:
    run = built_run(tmp_path, "raid5(2+1)")
    assert do(run.machine, tmp_path, "mdadm", "--manage", "/dev/md127", "--fail", "/dev/sda")[0] == 0
    inventory = run.machine.inventory()
    assert inventory.lacking
    assert recompiled(run.plan, as_planned(run.plan, inventory)) == run.plan


def test_a_machine_that_lost_a_disk_says_so_and_never_offers_it_again(tmp_path: Path) -> None:
    run = built_run(tmp_path, "raid5(2+1)")
    machine, lost = run.machine, run.plan.disks[1].id
    machine.unplug(lost)
    machine.advance(10)
    assert machine.inventory().lacking == (LackingArray(name="md127", level="raid5", devices=3, lacks=1),)
    machine.plug(lost)
    back = _disk(machine.inventory(), lost)
    assert (back.state, back.selectable) == ("content", False)
    assert (back.not_selectable or "").startswith("a lost member of md127")


def _disk(inventory: Inventory, identity: str) -> Disk:
    return next(disk for disk in inventory.disks if disk.id == identity)
