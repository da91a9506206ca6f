"""Machines that strangers published, as `raidtui disks`, `arrays` and `audit` take them."""

from typing import Any, Literal, cast

import pytest

from raidtui.advice.arrays.state import reserved_slots
from raidtui.advice.audit.rules import audit
from raidtui.answers.arrays import machine_blocks
from raidtui.answers.audit import audit_blocks
from raidtui.answers.plain_text import plain_lines
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.arrays.settings import audit_facts
from raidtui.machine.inventory.probe import probe
from raidtui.machine.system.ports import MachineReader
from raidtui.values.arrays import ArrayMember, KnownBy, ObservedArray
from raidtui.values.inventory import LackingArray
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
    reserve = reserved_slots(array)
    shown = [member(each) for each in array.members if each.state != "missing" or each.slot not in reserve]
    members = ", ".join([*shown, *([f"{len(reserve)} missing"] if reserve else [])])
    return f"{array.name} {array.level} {there} of {array.devices or 0}, {states}: {members}"


def lacks(array: LackingArray) -> str:
    """`md1 raid10 2 of 4`, and without counts where it has none."""
    counts = f" {array.lacks} of {array.devices}" if array.lacks else ""
    return f"{array.name} {array.level}{counts}"


@pytest.mark.parametrize("name", MACHINES)
def test_every_array_is_told_as_its_owner_did(name: str) -> None:
    given: dict[str, Any] = dict(MACHINES[name])
    machine = PublicMachine(given)
    inventory = probe(machine)
    look = ArraysLook(cast(MachineReader, machine), inventory)
    seen = look.take()
    assert [words(array) for array in seen.arrays] == given["arrays"]
    assert all(disk.state == "content" and disk.not_selectable for disk in inventory.disks)
    found = audit(audit_facts(look, seen))
    assert sorted(f"{each.code} {each.subject}" for each in found.findings) == given["findings"]
    if "lacking" in given:
        assert [lacks(each) for each in inventory.lacking] == given["lacking"]
    blocks = (*machine_blocks(seen, inventory), *audit_blocks(found))
    text = "\n".join(plain_lines(blocks, lambda words, _: words))
    assert [each for each in given.get("says", ()) if each not in text] == []


@pytest.mark.parametrize(
    ("crypttab", "answer", "why"),
    [
        ("a UUID=a-1 none luks\nb UUID=b-2 none luks\n", "yes", "/etc/crypttab line 1, /etc/crypttab line 2"),
        ("a UUID=a-1 none luks\n", "no", "no line for /dev/sdb2"),
    ],
)
def test_a_boot_opens_encrypted_members_by_crypttab(crypttab: str, answer: Literal["yes", "no"], why: str) -> None:
    headers = [
        {"name": name, "fstype": "crypto_LUKS", "uuid": uuid} for name, uuid in (("sda2", "a-1"), ("sdb2", "b-2"))
    ]
    given = {**MACHINES["mirror-of-encrypted-disks"], "disk": headers, "texts": {"/etc/crypttab": crypttab}}
    machine = PublicMachine(given)
    look = ArraysLook(cast(MachineReader, machine), probe(machine))
    (array,) = look.take().arrays
    assert array.in_crypttab == KnownBy(answer=answer, why=why)
    found = {each.code: each.evidence for each in audit(audit_facts(look, look.take())).findings}
    assert ("not-in-crypttab" in found) == (answer == "no")
