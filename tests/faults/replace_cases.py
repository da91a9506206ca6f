"""Faults of a replacement on the simulated machine: each layout and way, each command, each fault at it.

The operator calls `raidtui replace` again until the array is whole: with the same words, or with another new disk where
the first one is gone. Nothing but the members and the new disks may have changed.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from raidtui.engine import living
from raidtui.engine.changes import asked_replacement
from raidtui.engine.folders import CHANGES_FOLDER, ControlRequest
from raidtui.machine.arrays.read import observe
from raidtui.values.acts import Replacement
from raidtui.values.arrays import ObservedArray
from raidtui.values.design import Partitions
from raidtui.values.errors import RaidtuiError
from tests.faults.scene import IN_MEMORY
from tests.machine.living import told_in
from tests.machine.simulation import Run, planned, say
from tests.simulated.fault_model import Fault, Killed
from tests.simulated.machine import FaultyMachine

Way = Literal["copy", "rebuild"]
Kind = Literal[
    "kill before", "kill during", "kill after", "power before", "power during", "power after", "fails",
    "fails half-way", "lies", "busy", "new disk pulled", "member pulled", "new disk in use",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)
LAYOUTS = {"raid6(4+2)": 2, "raid5(3+1)": 1, "raid10(4,n2)": 1, "raid1(3)": 2, "partitions": 1}
"""what each survives"""
COMMANDS = {"copy": 5, "rebuild": 2}
"""that a replacement runs; one more, for the table, where members are partitions"""
OLD, OTHER, NEW, SECOND = "sdb", "sdc", "sdx", "sdy"
_MOST_CALLS = 4


@dataclass(frozen=True, slots=True)
class ReplaceCase:
    """One fault."""

    layout: str
    way: Way
    command: int
    kind: Kind

    @property
    def id(self) -> str:
        """For a list of tests."""
        return f"{self.layout} {self.way}, command {self.command}: {self.kind}"


def cases() -> Iterator[ReplaceCase]:
    """All of them; a second member is pulled only where the array survives it."""
    for layout, survived in LAYOUTS.items():
        for way in get_args(Way):
            count = COMMANDS[way] + (layout == "partitions")
            for command, kind in itertools.product(range(1, count + 1), KINDS):
                if kind == "member pulled" and (survived < 2 or layout == "raid10(4,n2)"):
                    continue
                yield ReplaceCase(layout, way, command, kind)


@cache
def _built(layout: str) -> str:
    """A machine with the array."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="raidtui-replace-") as folder:
        made = Run(
            Path(folder),
            planned("(3+1)", partitions=Partitions(), name="data")
            if layout == "partitions"
            else planned(layout, name="data"),
        )
        made.build()
        made.machine.advance(1e7)
        return made.machine.to_json()


@dataclass(slots=True)
class Went:
    """What came of a case."""

    calls: int
    fired: bool
    problems: tuple[str, ...]


def run(case: ReplaceCase) -> Went:
    """The fault, and calls of the same words until the array is whole."""
    machine = FaultyMachine.from_json(_built(case.layout), speed_up=1e6)
    disks = {disk.kernel_name: disk for disk in machine.inventory().disks}
    if case.way == "rebuild":
        machine.unplug(disks[OLD].id)
        machine.advance(10)
    old, first, second = (disks[name] for name in (OLD, NEW, SECOND))
    before, touched = machine.hashes(), {first.id, second.id, *(each.disk_id for each in _array(machine).members)}
    _arm(machine, case, {name: disk.id for name, disk in disks.items()})
    member = None if case.way == "rebuild" else old.serial
    fired, calls, new, said = len(machine.fired), 0, first.serial or "", ""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="raidtui-replace-") as folder:
        while calls < _MOST_CALLS:
            calls += 1
            said = _called(machine, member, new, old.id, Path(folder))
            if not said:
                break
            if case.kind in ("new disk pulled", "new disk in use", "member pulled") or "new-not-blank" in said:
                new = second.serial or ""  # half a partition table is no blank disk
            if _array(machine).lacks:
                member = None
        told = told_in(Path(folder)) if (Path(folder) / CHANGES_FOLDER).exists() else []
    machine.advance(1e7)
    problems = [*_wrong(machine, said, old.id, before, touched)]
    if case.way == "copy" and not any("still have a superblock" in line for line in told):
        problems += _carriers(machine, old.kernel_name)
    return Went(calls, len(machine.fired) > fired, tuple(problems))


def _arm(machine: FaultyMachine, case: ReplaceCase, ids: dict[str, str]) -> None:
    word, _, side = case.kind.partition(" ")
    at = case.command
    match case.kind:
        case "fails":
            machine.arm(Fault(kind="fail", at=at))
        case "fails half-way":
            machine.arm(Fault(kind="fail-partly", at=at))
        case "lies":
            machine.arm(Fault(kind="lie", at=at))
        case "busy":
            machine.arm(Fault(kind="busy", at=at))
        case "new disk pulled":
            machine.arm(Fault(kind="unplug", at=at, disk=ids[NEW]))
        case "new disk in use":
            machine.arm(Fault(kind="use", at=at, disk=ids[NEW], what="open"))
        case "member pulled":
            machine.arm(Fault(kind="unplug", at=at, disk=ids[OTHER]))
        case _:
            machine.arm(Fault(kind=word, at=at, side=side))  # type: ignore[arg-type]


def _called(machine: FaultyMachine, member: str | None, new: str, old: str, root: Path) -> str:
    """`raidtui replace data [--member M] --with N --begin`: empty where all is well then, else why not."""
    try:
        inventory = machine.inventory()
        begun = living.unfinished(root, Replacement)
        found = asked_replacement(machine, inventory, "data", member=member, new=new, begun=begun)
        if not found.steps:
            return "" if _whole(machine, old) else f"refused: {_findings(found)}"
        living.go_on(found, root, machine, ControlRequest)
    except Killed:
        machine.revive()
        return "killed"
    except RaidtuiError as problem:
        return str(problem)
    lacks = _array(machine).lacks
    return f"lacks {lacks}" if lacks else ""


def _carriers(machine: FaultyMachine, disk: str) -> Iterator[str]:
    """Where the old disk, or a partition of it, still has a superblock and nobody was told."""
    names = [each.kernel_name for each in machine.inventory().disks]
    for device in (disk, f"{disk}1") if disk in names else ():
        if "MD_UUID" in say(machine, "mdadm", "--examine", "--export", f"/dev/{device}"):
            yield f"{device} still has a superblock of the array"


def _findings(found: Replacement) -> str:
    return ", ".join(f"{each.code}: {each.message}" for each in found.findings)


def _array(machine: FaultyMachine) -> ObservedArray:
    (array,) = observe(machine, machine.inventory()).arrays
    return array


def _whole(machine: FaultyMachine, old: str) -> bool:
    """Whether the array has all members, and the old disk is none of them."""
    array = _array(machine)
    return not array.lacks and old not in {each.disk_id for each in array.members if each.state != "dropped"}


def _wrong(machine: FaultyMachine, said: str, old: str, before: dict[str, str], touched: set[str]) -> Iterator[str]:
    array = _array(machine)
    if said:
        yield f"it did not end well: {said}"
    if not _whole(machine, old) or sum(each.state == "in-sync" for each in array.members) != array.devices:
        yield f"{array.states}: {[(each.device, each.state) for each in array.members]}"
    for disk, digest in machine.hashes().items():
        if disk not in touched and before[disk] != digest:
            yield f"{disk} has changed"
