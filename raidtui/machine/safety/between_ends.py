"""What is between the ends of a disk that a run is about to write: read where the blank check of an inventory reads.

A wipe leaves that as it is, so that old content which was confirmed stays there; a hash of it is in the run's journal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from raidtui.machine.ports.runner import MachineReader
from raidtui.machine.safety.things import Written
from raidtui.model.plan import Plan, PlanDisk, PlanMember
from raidtui.model.run import Record
from raidtui.planner.compile.wipe_step import member_areas, sampled_areas, wiped_areas


def samples(records: Sequence[Record]) -> Mapping[str, str]:
    """What the run last found between the ends of each member, by its path; see `written_between`."""
    return {path: record.text for record in records if record.kind == "sampled" for path in record.devices or ()}


def sampled_text(reader: MachineReader, device: str, areas: Sequence[tuple[int, int]]) -> str:
    """A hash of each of `areas` of the device, `-` where all is zero; empty if all of all are."""
    if not areas or reader.first_nonzero(device, areas) is None:
        return ""
    return " ".join(reader.fingerprint(device, (area,)) or _ZERO for area in areas)


def written_between(
    plan: Plan, reader: MachineReader, disk: PlanDisk, member: PlanMember, device: str, known: Mapping[str, str]
) -> int | None:
    """Byte of the disk at `device` where something was written in a member since the run last read it; None if each of
    the places that the blank check of an inventory reads, too, is zero or hashes to what is `known`."""
    areas = sampled_areas(plan.prediction, disk, member)
    at = reader.first_nonzero(device, areas)
    if at is None:
        return None
    words = known.get(member.path, "").split()
    if len(words) != len(areas):
        return at
    same = (reader.fingerprint(device, (area,)) in ("", word) for area, word in zip(areas, words, strict=True))
    return next((start for (start, _), held in zip(areas, same, strict=True) if not held), None)


def written_in_build(plan: Plan, reader: MachineReader, known: Callable[[], Mapping[str, str]]) -> Written:
    """How a member of a plan is proven blank: what the wipe zeroed, and the places between as they were before it.

    `known`: what the run last found between the ends; see `written_between`."""

    def written(path: str, device: str, disk: PlanDisk, of_disk: str) -> int | None:
        member = next(each for each in disk.members if path in (each.path, disk.path))
        whole = path == disk.path
        areas = wiped_areas(plan.prediction, disk) if whole else member_areas(plan.prediction, member)
        at = reader.first_nonzero(device, areas)
        for each in disk.members if whole else (member,):
            if at is None:
                at = written_between(plan, reader, disk, each, of_disk, known())
        return at

    return written


_ZERO = "-"
