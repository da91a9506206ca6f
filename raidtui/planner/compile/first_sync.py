"""When a plan's file systems are mounted and when its arrays are in sync: one answer for pages, scripts and status."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raidtui.model.design import Design
from raidtui.model.geometry import Prediction
from raidtui.model.inventory import Disk
from raidtui.model.plan import Plan, Stage, Step
from raidtui.planner.numbers import hours
from raidtui.planner.performance.sync_time import counted_bytes, rewriting_hours, zeroing_hours
from raidtui.planner.performance.tunables import sync_min

_SECONDS: dict[Stage, float] = {"save": 0.1, "wipe": 0.1, "zero": 0.0, "configure": 40.0, "format": 10.0}
"""rough duration of a command of a stage: an initramfs is built, a file system made; zeroing is stated beside it"""
_OTHER_SECONDS = 0.5
FIRST_SYNC = "first-sync"
"""code of the finding that says when a plan is mounted and in sync"""
BARE_LEVELS = frozenset({"raid4", "raid5"})
"""levels without redundancy until the first sync ends: mdadm builds the last member as a spare (Create.c)"""


def bare_until_sync(plan: Plan) -> bool:
    """True if one failed disk loses an array of the plan until its first sync ends: its file systems wait for that."""
    return not plan.design.zeroes and any(shape.level in BARE_LEVELS for shape in plan.design.layout.shapes)


def mount_minutes(plan: Plan) -> int:
    """Minutes from the confirmation until the file systems are mounted, without any until the end, rounded up."""
    last = next((step.number for step in reversed(plan.steps) if step.stage == "mount"), len(plan.steps))
    return max(1, math.ceil(sum(map(step_seconds, plan.steps[:last])) / 60))


def step_seconds(step: Step) -> float:
    """Rough duration of a step, zeroing excepted."""
    return _SECONDS.get(step.stage, _OTHER_SECONDS) * len(step.commands)


def first_sync_text(plan: Plan, *, waits: bool = True) -> str:
    """Sentences with both times; empty for a plan whose arrays are not synced.

    `waits`: False for who makes file systems at once, whatever the level.
    """
    idle = plan.first_sync_hours
    if idle is None:
        return ""
    if plan.zeroing_hours is not None:
        return (
            f"{'Mounted' if plan.filesystems else 'Built'} about {mount_minutes(plan)} min after the confirmation and "
            f"{_zeroing(plan.zeroing_hours)}. All is in sync then: there is no first sync of about {hours(idle)}."
        )
    bare = bare_until_sync(plan)
    used = rewriting_hours(plan.design, idle)
    times = f"about {hours(idle)} on idle disks"
    if used is not None:
        least, expected, most = used
        times += f" that are zero; on used disks md rewrites parity, about {hours(expected)}"
        times += f" ({hours(least)} to {hours(most)}; --first-sync zeroes avoids that where drives have Write Zeroes)"
    times += f", at most {hours(_busy_hours(plan, used[2] if used else idle))} on busy ones"
    if plan.filesystems and bare and waits:
        return f"Mounted after the first sync, which takes {times}. {_BARE}"
    what = "Mounted" if plan.filesystems else "Built"
    return (
        f"{what} about {mount_minutes(plan)} min after the confirmation; the first sync takes {times}. "
        f"{_BARE if bare else 'What is written meanwhile is redundant at once.'}"
    )


def zeroes_text(design: Design, disks: Sequence[Disk], prediction: Prediction) -> str:
    """What zeroes in place of the first sync would take; empty unless every disk is known to have Write Zeroes."""
    time = zeroing_hours(design, disks, prediction)
    if time is None or design.trial is not None or not all(disk.write_zeroes_max_bytes for disk in disks):
        return ""
    return f"or plan with --first-sync zeroes, which replaces the first sync by {_zeroing(time)}"


def _zeroing(most: float) -> str:
    return (
        f"1 to {max(1, math.ceil(most * 60))} min of zeroing (not measured yet: at most as long as writing all of it "
        "where Write Zeroes is no slower; the build measures it first)"
    )


_BARE = "Until it ends, one failed disk loses a RAID4 or RAID5."


def _busy_hours(plan: Plan, idle: float) -> float:
    """Hours at the least rate that the plan's udev rule has md keep under load."""
    return max(idle, counted_bytes(plan.design, plan.prediction) / (sync_min(plan.design)) / 3600)
