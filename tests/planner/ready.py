"""A machine on which a plan is ready to be built, for tests that take one thing away from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from raidtui.steps.preflight import preflight
from raidtui.values.facts import Answer, Facts
from raidtui.values.inventory import Disk, Inventory, Place
from raidtui.values.plan import Plan
from raidtui.values.target import TargetVersions
from tests.planner.plans import disks, machine, plan_of

HOST = Facts(
    host="host",
    folder="/var/lib/raidtui",
    room_bytes=1 << 30,
    target=TargetVersions(kernel="6.1.0-50-amd64", mdadm="4.2", xfsprogs="6.1", e2fsprogs="1.47"),
)
SEATED = tuple(replace(each, place=Place(slot=str(number))) for number, each in enumerate(disks(5), start=1))
"""five blank disks in slots 1 to 5"""


def mirror(*found: Disk) -> Plan:
    """A mirror over the first two disks."""
    return plan_of("raid1(2)", found[:2], inventory=machine(*found))


def facts(plan: Plan, **more: Any) -> Facts:
    """A host that has everything, where every question of the plan is answered as the plan wants."""
    wanted = tuple(_wanted(plan))
    return replace(HOST, answers=wanted, **more)


def found(plan: Plan, now: Inventory, **more: Any) -> list[tuple[str, str, str]]:
    """Code, message and way out of every finding of the preflight."""
    findings = preflight(plan, now, facts(plan, **more))
    assert all(finding.severity == "error" for finding in findings)
    return [(finding.code, finding.message, finding.way_out) for finding in findings]


def _wanted(plan: Plan) -> list[Answer]:
    return [
        Answer(question=reading.question, exit=reading.question.good_exits[0], stdout=reading.answer)
        for reading in plan.steps[0].after
        if not reading.key
    ]
