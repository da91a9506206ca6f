"""What is between the ends of a disk that a run is about to write: read where the blank check of an inventory reads.

A wipe leaves that as it is, so that old content which was confirmed stays there; a hash of it is in the run's journal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidtui.machine.ports.runner import MachineReader
from raidtui.model.plan import Plan, PlanDisk, PlanMember
from raidtui.model.run import Record
from raidtui.planner.compile.wipe_step import sampled_areas


def samples(records: Sequence[Record]) -> Mapping[str, str]:
    """What the run last found between the ends of each member, by its path; see `written_between`."""
    return {path: record.text for record in records if record.kind == "sampled" for path in record.devices or ()}


def written_between(
    plan: Plan, reader: MachineReader, disk: PlanDisk, member: PlanMember, device: str, known: Mapping[str, str]
) -> int | None:
    """Byte of the disk at `device` where something was written in a member since the run last read it; None if all
    places that the blank check of an inventory reads, too, are zero or hash to what is `known`."""
    areas = sampled_areas(plan.prediction, disk, member)
    at = reader.first_nonzero(device, areas)
    if at is None or reader.fingerprint(device, areas) == known.get(member.path):
        return None
    return at
