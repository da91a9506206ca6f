"""Machines that strangers published, as `raidtui disks`, `arrays` and `audit` take them."""

from typing import Any, cast

import pytest

from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.arrays.settings import audit_facts
from raidtui.machine.inventory.probe import probe
from raidtui.machine.ports.runner import MachineReader
from raidtui.model.arrays import ArrayMember, ObservedArray
from raidtui.planner.arrays.audit.all_rules import audit
from tests.recorded_machines.from_mdstat import PublicMachine, machines

MACHINES = machines()


def words(array: ObservedArray) -> str:
    """An array in a line: what is there of it, its states and syncs, its members in the order of slots."""

    def member(each: ArrayMember) -> str:
        return f"{each.device} {each.state}".strip()

    states = ", ".join(
        [
            *([each for each in array.states if each != "clean"] or array.states),
            *([array.sync.action] if array.sync and array.sync.bytes_per_s else []),
        ]
    )
    there = (array.devices or 0) - (array.lacks or 0)
    members = ", ".join(member(each) for each in array.members)
    return f"{array.name} {array.level} {there} of {array.devices or 0}, {states}: {members}"


@pytest.mark.parametrize("name", MACHINES)
def test_every_array_is_told_as_its_owner_did(name: str) -> None:
    given: dict[str, Any] = dict(MACHINES[name])
    machine = PublicMachine(given)
    inventory = probe(machine)
    look = ArraysLook(cast(MachineReader, machine), inventory)
    seen = look.take()
    assert [words(array) for array in seen.arrays] == given["arrays"]
    assert all(disk.state == "content" and disk.not_selectable for disk in inventory.disks)
    found = audit(audit_facts(look, seen)).findings
    assert sorted(f"{each.code} {each.subject}" for each in found) == given["findings"]
