"""Steps that zero the data areas of all members, where zeroes stand for the first sync: parity over zeroes is zero.

Two steps: the beginning of each member is zeroed and timed first, so that slow drives end the build before the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from raidtui.model.geometry import ArrayGeometry
from raidtui.model.plan import Command, Plan, Reading, Step
from raidtui.model.units import GIB, MIB, SECTOR, decimal_size, exact_binary
from raidtui.planner.compile.step_builder import StepContext, fact
from raidtui.planner.compile.wipe_step import END_BYTES, sampled_areas
from raidtui.planner.numbers import hours
from raidtui.tools import wipefs

_FIRST_BYTES = GIB
_FIRST_SHARE = 8
"""at most the eighth part of a member is timed"""
LEAST_HOURS = 1 / 6
"""zeroing that takes no longer is never too slow"""
_PLACES = 4
"""between the ends of a data area, read as zeroes when all is zeroed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredZeroing:
    """What the beginning of each member took, and what follows from that."""

    sentence: str
    too_slow: bool
    """the rest would take longer than the first sync that it replaces, and than `LEAST_HOURS`"""
    way_out: str = "raidtui undo, then plan with --first-sync resync"


def data_area(geometry: ArrayGeometry) -> tuple[int, int]:
    """(offset, length) in bytes of what md uses of each member for data and parity."""
    return geometry.data_offset_sectors * SECTOR, geometry.component_bytes or 0


def zero_steps(context: StepContext) -> tuple[Step, ...]:
    """Zeroes the data areas of all members, spares excepted; none unless the design asks for that."""
    if not context.design.zeroes:
        return ()
    first: list[Command] = []
    rest: list[Command] = []
    after: list[Reading] = []
    for array, geometry in zip(context.data_arrays, context.md_geometries, strict=True):
        offset, length = data_area(geometry)
        timed = min(_FIRST_BYTES, max(MIB, length // _FIRST_SHARE // MIB * MIB))
        for member in (context.member_path(array, disk) for disk in array.members):
            first.append(_zero(member, offset, timed))
            rest.append(_zero(member, offset + timed, length - timed))
            after += _zero_readings(member, offset, length)
    everyone = tuple(disk.id for disk in context.disks)
    erased = tuple(dict.fromkeys(disk for array in context.data_arrays for disk in array.members))
    return (
        Step(
            number=0,
            stage="zero",
            title=f"Measure how fast {len(first)} members zero",
            purpose="The beginning of each member's data area, at the same time, says how long the rest takes; where "
            "that is longer than the first sync it replaces, and than ten minutes, the build ends here.",
            actions=tuple(first),
            destroys=erased,
            locks=everyone,
            after=tuple(_is_zero(command.devices[0], *command.zeroed) for command in first if command.zeroed),
        ),
        Step(
            number=0,
            stage="zero",
            title=f"Zero the data areas of {len(rest)} members",
            purpose="At the same time, by Write Zeroes and never by a discard. Parity over zeroes is zero, so the "
            f"arrays need no first sync. Read back of each member: {_read_text()}.",
            actions=tuple(rest),
            destroys=erased,
            locks=everyone,
            after=tuple(after),
        ),
    )


def _read_text() -> str:
    places = f"4 MiB at both ends of its data area and at {_PLACES} places between"
    return f"{places}; raidtui reads the places of a blank check, too"


def _zero(member: str, offset: int, length: int) -> Command:
    return replace(wipefs.zero(member, offset, length), members=(member,), sampled=True)


def _zero_readings(member: str, offset: int, length: int) -> tuple[Reading, ...]:
    """Both ends of a data area and places between them are zero."""
    return tuple(_is_zero(member, offset + start, length - start) for start in read_starts(length))


def read_starts(length: int) -> tuple[int, ...]:
    """Where in a data area of `length` bytes the areas start that are read when all is zeroed."""
    last = max(0, length - END_BYTES)
    return (*(last * part // (_PLACES + 1) // MIB * MIB for part in range(_PLACES + 1)), last)


def _is_zero(member: str, offset: int, length: int) -> Reading:
    span = min(length, END_BYTES)
    what = f"{exact_binary(span)} at byte {offset} of {member} are zero"
    return fact("blank", what, wipefs.zero_question(member, offset, span), "", about=(member,))


def read_back(plan: Plan, command: Command) -> tuple[tuple[int, int], ...]:
    """(offset, length) of what is read of an area that a `sampled` command zeroed: both ends, and the places."""
    assert command.zeroed is not None
    start, length = command.zeroed
    end = start + length
    disk, member = next(
        (disk, member) for disk in plan.disks for member in disk.members if member.path == command.devices[0]
    )
    places = ((at - member.start_bytes, size) for at, size in sampled_areas(plan.prediction, disk, member))
    inside = (place for place in places if start <= place[0] and place[0] + place[1] <= end)
    span = min(END_BYTES, length)
    return ((start, span), *inside, (end - span, span))


def longest_seconds(plan: Plan) -> int:
    """What the rest may take: as long as the first sync that it replaces, or `LEAST_HOURS`."""
    return round(max(plan.first_sync_hours or 0.0, LEAST_HOURS) * 3600)


def measured_zeroing(plan: Plan, step: Step, seconds: Mapping[str, float]) -> MeasuredZeroing | None:
    """What `step` took for each member, by its path, says about the rest; None after the last of the steps."""
    times = {path: seconds[path] * rest for path, rest in _rest(plan, step).items() if path in seconds}
    if not times:
        return None
    slowest = max(times, key=lambda path: times[path])
    lengths = _lengths(step)
    rates = sorted(round(lengths[path] / max(seconds[path], 1e-3)) for path in times)
    sentence = (
        f"zeroing the rest takes about {_duration(times[slowest])}: the members zeroed {decimal_size(rates[0])} to "
        f"{decimal_size(rates[-1])} a second at the same time, the slowest is {slowest}; the first sync that it "
        f"replaces would take about {_duration((plan.first_sync_hours or 0.0) * 3600)}"
    )
    return MeasuredZeroing(sentence=sentence, too_slow=times[slowest] > longest_seconds(plan))


def _rest(plan: Plan, step: Step) -> dict[str, float]:
    """How many times as much as `step` the later steps zero of each member, by its path."""
    first = _lengths(step)
    later = (_lengths(each) for each in plan.steps[step.number :] if each.stage == "zero")
    return {path: length / first[path] for lengths in later for path, length in lengths.items()}


def _lengths(step: Step) -> dict[str, int]:
    return {command.devices[0]: command.zeroed[1] for command in step.commands if command.zeroed is not None}


def _duration(seconds: float) -> str:
    return f"{math.ceil(seconds / 60)} min" if seconds < 2 * 3600 else hours(seconds / 3600)
