"""Plans for tests: named disks of one size, a machine that has them, a plan compiled from both."""

from __future__ import annotations

from typing import Any

from raidtui.predict.design import predict
from raidtui.steps.build import compile_plan
from raidtui.values.design import Alert, Design
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.notation import parse
from raidtui.values.plan import Command, Plan, Question, Reading, Step

TWO_TB = 2_000_398_934_016
RUN_ID = "0123456789abcdef0123456789abcdef"


def disk(number: int, size: int = TWO_TB, **more: Any) -> Disk:
    """Disk `number`: identity, names and path follow from the number."""
    wwn = f"0x5000c500{number:08x}"
    named: dict[str, Any] = {
        "id": f"wwn-{wwn}",
        "size_bytes": size,
        "wwn": wwn,
        "serial": f"S{number:03d}",
        "model": "MODEL",
        "by_id": (f"wwn-{wwn}",),
        "kernel_name": f"sd{number}",
        "state": "blank",
    }
    return Disk(**{**named, **more})


def disks(count: int, size: int = TWO_TB, **more: Any) -> tuple[Disk, ...]:
    """Disks 1 to `count`."""
    return tuple(disk(number, size, **more) for number in range(1, count + 1))


def machine(*found: Disk) -> Inventory:
    """A real machine with these disks."""
    return Inventory(origin="machine", name="host", machine_id="f" * 32, disks=found)


def plan_of(
    layout: str,
    found: tuple[Disk, ...] | None = None,
    *,
    inventory: Inventory | None = None,
    run_id: str = RUN_ID,
    name: str = "data",
    mount_point: str = "/srv/data",
    host: str = "host",
    initramfs: Any = "debian",
    alert: Alert | None = None,
    **design: Any,
) -> Plan:
    """The plan of `layout` on `found` (as many 2 TB disks as it takes, unless said)."""
    asked = Design(layout=parse(layout), **design)
    taken = disks(asked.disks) if found is None else found
    return compile_plan(
        asked,
        inventory or machine(*taken),
        taken,
        predict(asked, taken),
        run_id=run_id,
        name=name,
        mount_point=mount_point,
        host=host,
        initramfs=initramfs,
        alert=alert,
    )


def step(plan: Plan, start: str) -> Step:
    """The one step whose title starts so."""
    (found,) = (each for each in plan.steps if each.title.startswith(start))
    return found


def commands(found: Step) -> list[str]:
    """The step's commands, words joined by blanks."""
    return [" ".join(action.argv) for action in found.actions if isinstance(action, Command)]


def undo_commands(found: Step) -> list[str]:
    """The step's undo, words joined by blanks."""
    return [" ".join(action.argv) for action in found.undo if isinstance(action, Command)]


def every_command(plan: Plan) -> list[Command | Question]:
    """All commands of a plan: to do, to ask, to undo, and what they depend on."""
    found: list[Command | Question] = []
    for each in plan.steps:
        actions = [action for action in (*each.actions, *each.undo) if isinstance(action, Command)]
        readings: list[Reading] = [*each.after, *(action.only_if for action in actions if action.only_if is not None)]
        found += [*actions, *(reading.question for reading in readings)]
    return found
