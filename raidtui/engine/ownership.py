"""Ownership of each disk's content: shown by a superblock or by the run's journal, never by absence.

A missing signature proves nothing: plain dm-crypt, a detached LUKS header and a raw database have none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from raidtui.engine.things import Written, disk_label, disks_by_path
from raidtui.machine.system.ports import AS_NAMED, MachineReader, Ran
from raidtui.programs import identity, mdadm, sfdisk, wipefs
from raidtui.sizes.partitions import FIRST_BYTES, table_bytes
from raidtui.steps.check_step import value_of
from raidtui.steps.disk_binding import plain_marks
from raidtui.steps.disk_steps import member_areas, sampled_areas, wiped_areas, without
from raidtui.values.errors import Refused
from raidtui.values.plan import VOLUME, Plan, PlanArray, PlanDisk, PlanMember, PlanTable, mapped_name
from raidtui.values.prediction import LvmGeometry
from raidtui.values.run import Record
from raidtui.values.safe import safe
from raidtui.values.units import KIB

# What is between the ends of a disk that a run is about to write: read where the blank check of an inventory reads.
# A wipe leaves that as it is, so that old content which was confirmed stays there; a hash of it is in the run's
# journal.


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


DiskState = Literal[
    "ours",
    "table",
    "half made",
    "beside",
    "blank",
    "as planned",
    "half wiped",
    "half partitioned",
    "foreign",
    "missing",
]
_MD = "linux_raid_member"
_WITH_GPT = {sfdisk.PROTECTIVE}
"""lsblk does not show it"""
_LONG = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The present content of one disk of the plan."""

    disk: PlanDisk
    state: DiskState
    """ours: a superblock of the plan, on a disk without md its UUID; table: only the plan's partition table; half made:
    no signature, but on a disk without md the command that writes it was started and not verified; beside: one of the
    first two and something else; blank: no signature, and zero wherever a wipe writes; as planned: both ends are as
    confirmed; half wiped: only confirmed content, and its wipe was started; half partitioned: nothing but pieces of a
    partition table, whose writing was started; missing: the disk is not attached; foreign: anything else"""
    what: str = ""
    """content of a disk that is not blank; safe to show"""

    @property
    def sentence(self) -> str:
        """The disk and its content in a sentence."""
        return f"{disk_label(self.disk)} {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wipes:
    """Progress of the wipe according to the journal, by the paths of the disks."""

    begun: frozenset[str]
    """the start of a wipe command that names the disk was journalled"""
    done: frozenset[str]
    """every wipe command that names the disk succeeded, or the whole wipe was verified"""


def tables_begun(plan: Plan, records: Sequence[Record]) -> frozenset[str]:
    """Paths of the disks whose partition table was started to be written; an undo has the kernel read others too."""
    steps = {step.number for step in plan.steps if step.stage == "partition"}
    begun = (each for each in records if each.kind == "intent" and each.step in steps and each.purpose != "undo")
    return frozenset(path for record in begun for path in record.devices or ())


def wipes(plan: Plan, records: Sequence[Record]) -> Wipes:
    """Progress of the plan's wipe according to the journal of a run; records of an undo are ignored."""
    wipe = next(step for step in plan.steps if step.stage == "wipe")
    own = [record for record in records if record.step == wipe.number and record.purpose != "undo"]
    whole = disks_by_path(plan.disks)
    begun = {whole.get(path, path) for record in own if record.kind == "intent" for path in record.devices or ()}
    if any(record.kind == "proven" for record in own):
        return Wipes(begun=frozenset(begun), done=frozenset(disk.path for disk in plan.disks))
    ended = _ended(own)
    open_ended = {
        whole.get(path, path)
        for number, command in enumerate(wipe.commands, start=1)
        if (number, command.devices) not in ended
        for path in command.devices
    }
    return Wipes(begun=frozenset(begun), done=frozenset(begun - open_ended))


def half_made(plan: Plan, records: Sequence[Record]) -> frozenset[str]:
    """Paths of disks without md that the plan began to write to after their wipe, in steps that were not verified."""
    writing = {step.number for step in plan.steps if step.stage in ("volume", "format")}
    begun: dict[str, int] = {}
    marks = plain_marks(plan)
    for record in records:
        if record.purpose == "undo" or record.step not in writing:
            continue
        if record.kind == "intent":
            begun |= {path: record.step for path in record.devices or () if path in marks}
        elif record.kind == "proven":
            begun = {path: step for path, step in begun.items() if step != record.step}
    return frozenset(begun)


def _ended(records: Sequence[Record]) -> set[tuple[int, tuple[str, ...]]]:
    """Number and devices of every command that ended well; a resume leaves devices out that are gone."""
    devices: dict[int, tuple[str, ...]] = {}
    ended = set()
    for record in records:
        if record.kind == "intent":
            devices[record.action] = record.devices or ()
        elif record.kind == "result" and record.exit == 0:
            ended.add((record.action, devices.get(record.action, ())))
    return ended


def contents(
    plan: Plan,
    runner: MachineReader,
    records: Sequence[Record],
    devices: Mapping[str, str] = AS_NAMED,
    *,
    between: bool = False,
) -> tuple[Content, ...]:
    """The present content of every disk of the plan, in the plan's order; `devices`: the checked device of each path.

    `between`: before a disk is written again, the places between its ends are read too (`written_between`): an undo
    leaves what an array held there. Raises MachineFailed if a disk cannot be read.
    """
    begun = wipes(plan, records), half_made(plan, records), tables_begun(plan, records)
    look = _Look(plan, runner, *begun, devices, samples(records) if between else None)
    return runner.each(look.content, plan.disks)


def require_left_as_it_was(plan: Plan, runner: MachineReader, array: PlanArray, member: str, device: str) -> None:
    """Raises Refused where a member that left `array` holds something beside the superblock of it and what the array
    itself shows through: somebody uses the disk since. What he wrote without a signature behind the superblock cannot
    be told from the array's own."""

    def kinds(path: str, device: str) -> set[str]:
        answer = runner.ask(wipefs.question((path,)), {path: device})
        return {line.split()[-1] for line in (value_of("", answer.exit, answer.stdout) or "").splitlines()}

    found = kinds(member, device)
    if _MD not in found:  # nothing of it is zeroed, and it joins only where it is blank
        return
    found -= {_MD} | (kinds(array.device, array.device) if plan.design.metadata in mdadm.SEES_THROUGH else set())
    front = [(0, 4 * KIB)] if plan.design.metadata == "1.2" else []
    at = runner.first_nonzero(device, front) if front else None
    if found or at is not None:
        what = f"holds {_listed(found)}" if found else f"holds data at byte {at}"
        raise Refused(
            f"{member} {what} besides the superblock of {array.name}: somebody uses it since it was taken out",
            hint="this content is kept; if it is not needed, erase it by hand, then go on with raidtui drill",
        )


class _Look:
    """Reads the content of the disks once; each question is asked once."""

    def __init__(
        self,
        plan: Plan,
        runner: MachineReader,
        wiped: Wipes,
        half: frozenset[str],
        partitioned: frozenset[str],
        devices: Mapping[str, str],
        known: Mapping[str, str] | None,
    ) -> None:
        self._plan = plan
        self._runner = runner
        self._wipes = wiped
        self._half_made = half & wiped.done
        self._partitioned = partitioned
        self._devices = devices
        self._samples = known
        self._answers: dict[tuple[str, ...], Ran] = {}
        self._ours = {array.uuid for array in plan.arrays}
        self._marks = plain_marks(plan)
        self._volume = mapped_name(plan.name, VOLUME) if isinstance(plan.prediction.volume, LvmGeometry) else None

    def content(self, disk: PlanDisk) -> Content:
        """The content of a disk."""
        if self._runner.pin(self._device(disk)) is None:
            return Content(disk=disk, state="missing", what="is missing")
        kinds = self._kinds(disk.path)
        if disk.path in self._marks:
            return self._without_md(disk, kinds)
        if disk.table is not None and sfdisk.KIND in kinds and (dump := self._dump(disk)).guid == disk.table.guid:
            return self._with_table(disk, disk.table, dump, kinds)
        uuid = self._uuid(mdadm.examine_export(disk.path)) if _MD in kinds else None
        ours = uuid in self._ours
        if (user := self._foreign_holder(disk, ours)) is not None:
            return Content(disk=disk, state="foreign", what=f"is used by {safe(user)}")
        if ours:
            return self._beside_ours(disk, kinds - {_MD}, uuid)
        return self._without_superblock(disk, kinds)

    def _without_md(self, disk: PlanDisk, kinds: set[str]) -> Content:
        """The content of a disk of a plan without md: it is the plan's by its UUID, under the plan's volume at most."""
        ours = bool(kinds) and self._answer(identity.uuid_question(disk.path), "UUID") == self._marks[disk.path]
        for holder in self._runner.holders(self._device(disk)):
            name = (self._runner.read_text(f"/sys/block/{holder}/dm/name") or "").strip()
            if not ours or self._volume is None or name != self._volume:
                return Content(disk=disk, state="foreign", what=f"is used by {safe(name or holder)}")
        if not ours:
            found = self._without_superblock(disk, kinds)
            if found.state == "foreign" and not kinds and disk.path in self._half_made:
                return replace(found, state="half made")
            return found
        if len(kinds) > 1:
            return Content(disk=disk, state="beside", what=f"holds {_listed(kinds)}, of which one is the plan's")
        return Content(disk=disk, state="ours", what="has the UUID that the plan wrote")

    def _foreign_holder(self, disk: PlanDisk, ours: bool) -> str | None:
        """A device on the disk or its partitions that is no array of the plan; `ours`: it has a superblock of one."""
        for holder in self._runner.holders(self._device(disk)):
            owner = self._uuid(mdadm.export(f"/dev/{holder}")) if holder.startswith("md") else None
            if owner not in self._ours and not (owner is None and ours and holder.startswith("md")):
                return holder
        return None

    def _with_table(self, disk: PlanDisk, table: PlanTable, dump: sfdisk.Dump, kinds: set[str]) -> Content:
        """The content of a disk whose partition table has the plan's GUID: it is in the partition."""
        if more := kinds - {sfdisk.KIND, sfdisk.PROTECTIVE}:
            return Content(disk=disk, state="beside", what=f"holds {_listed(more)} besides the plan's partition table")
        if dump != sfdisk.planned(disk, table):
            planned = "one" if len(table.entries) == 1 else f"{len(table.entries)}"
            what = f"has {len(dump.entries)} partitions in the plan's table, which are not the planned {planned}"
            return Content(disk=disk, state="beside", what=what)
        inside = {member.path: self._kinds(member.path) for member in disk.members}
        uuids = {path: self._uuid(mdadm.examine_export(path)) for path, kinds in inside.items() if _MD in kinds}
        own = {path: uuid for path, uuid in uuids.items() if uuid in self._ours}
        if (user := self._foreign_holder(disk, bool(own))) is not None:
            return Content(disk=disk, state="beside", what=f"is used by {safe(user)} in the plan's partition")
        foreign = set().union(*(kinds for path, kinds in inside.items() if path not in own))
        if foreign:
            return Content(disk=disk, state="beside", what=f"holds {_listed(foreign)} in the plan's partition")
        for path, uuid in own.items():
            found = self._beside_ours(disk, inside[path] - {_MD}, uuid)
            if found.state != "ours":
                return found
        areas = _outside_table(disk, self._wiped_areas(disk))
        if own:
            areas = self._idle_areas(disk, own)
        at = self._runner.first_nonzero(self._device(disk), areas)
        if at is None:
            at = self._between(disk, [member for member in disk.members if member.path not in own])
        if at is not None:
            within = any(part.start_bytes <= at < part.start_bytes + part.size_bytes for part in disk.members)
            where = "in" if within else "beside"
            what = f"holds data without a known signature {where} the plan's partition, from byte {at} of the disk on"
            return Content(disk=disk, state="beside", what=what)
        if own:
            return Content(disk=disk, state="ours", what="has the plan's superblock")
        return Content(disk=disk, state="table", what="has the plan's partition table")

    def _idle_areas(self, disk: PlanDisk, own: Collection[str]) -> tuple[tuple[int, int], ...]:
        """(offset, length) of the areas of a disk that are zero in its partitions without a superblock of the plan."""
        return tuple(
            (member.start_bytes + offset, length)
            for member in disk.members
            if member.path not in own
            for offset, length in member_areas(self._plan.prediction, member)
        )

    def _wiped_areas(self, disk: PlanDisk) -> tuple[tuple[int, int], ...]:
        """(offset, length) of what a wipe zeroes; in an undo without the room that the plan leaves to others."""
        areas = wiped_areas(self._plan.prediction, disk)
        if disk.table is None or self._samples is not None:
            return areas
        return without(areas, FIRST_BYTES, disk.table.start_bytes - FIRST_BYTES)

    def _half_table(self, disk: PlanDisk, kinds: set[str]) -> bool:
        """True for a disk that holds nothing but pieces of a partition table, whose writing or erasing was started."""
        if disk.table is None or disk.path not in self._partitioned or kinds - {sfdisk.KIND, sfdisk.PROTECTIVE}:
            return False
        if self._answer(sfdisk.table_question(disk.path), "PTUUID") not in (None, disk.table.guid):
            return False
        areas = _outside_table(disk, self._wiped_areas(disk))
        return self._runner.first_nonzero(self._device(disk), areas) is None and self._between(disk) is None

    def _dump(self, disk: PlanDisk) -> sfdisk.Dump:
        return sfdisk.parse(self._answer(sfdisk.dump(disk.path), "") or "")

    def _beside_ours(self, disk: PlanDisk, kinds: set[str], uuid: str | None) -> Content:
        if kinds and (self._plan.design.metadata not in mdadm.SEES_THROUGH or self._is_out(disk, uuid)):
            return Content(disk=disk, state="beside", what=f"holds {_listed(kinds)} besides the plan's superblock")
        return Content(disk=disk, state="ours", what="has the plan's superblock")

    def _is_out(self, disk: PlanDisk, uuid: str | None) -> bool:
        """True if the array of the disk's superblock runs without it: then its signatures are its own."""
        runs = any(array.uuid == uuid == self._uuid(mdadm.export(array.device)) for array in self._plan.arrays)
        return runs and not self._runner.holders(self._device(disk))

    def _without_superblock(self, disk: PlanDisk, kinds: set[str]) -> Content:
        at = None if kinds else self._runner.first_nonzero(self._device(disk), self._wiped_areas(disk))
        between = self._between(disk)
        if not kinds and at is None:
            at = between
        what = f"holds {_listed(kinds)}" if kinds else f"holds data without a known signature, from byte {at} on"
        if not kinds and at is None:
            return Content(disk=disk, state="blank")
        if self._half_table(disk, kinds):
            return Content(disk=disk, state="half partitioned", what="has an unfinished partition table of the plan")
        if disk.path in self._wipes.done or not disk.content:
            return Content(disk=disk, state="foreign", what=what)
        if disk.path in self._wipes.begun and between is None and not self._appeared(disk, kinds):
            return Content(disk=disk, state="half wiped", what=what)
        if self._runner.fingerprint(self._device(disk)) == disk.fingerprint:
            return Content(disk=disk, state="as planned", what=what)
        return Content(disk=disk, state="foreign", what=f"{what}, which differs from its content when it was planned")

    def _between(self, disk: PlanDisk, members: Sequence[PlanMember] | None = None) -> int | None:
        """See `written_between`: of all members of the disk, or of `members`; None where that is not read."""
        if self._samples is None:
            return None
        of_each = (
            written_between(self._plan, self._runner, disk, member, self._device(disk), self._samples)
            for member in (disk.members if members is None else members)
        )
        return next((at for at in of_each if at is not None), None)

    def _appeared(self, disk: PlanDisk, kinds: set[str]) -> bool:
        """True if a disk whose wipe was started has a signature or a file system that was not confirmed."""
        planned = [content.signature for content in disk.content if content.signature is not None]
        types = {signature.type for signature in planned}
        if kinds - types - (_WITH_GPT if "gpt" in types else set()):
            return True
        uuid = self._answer(identity.uuid_question(disk.path), "UUID") if kinds and _MD not in kinds else None
        return uuid is not None and uuid not in {signature.uuid for signature in planned}

    def _device(self, disk: PlanDisk) -> str:
        return self._devices.get(disk.path, disk.path)

    def _kinds(self, path: str) -> set[str]:
        """Kinds of signatures on a whole disk or a partition. Read errors are found by later reads."""
        text = self._answer(wipefs.question((path,)), "") or ""
        return {line.split()[2] for line in text.splitlines() if len(line.split()) >= 3}

    def _uuid(self, question: tuple[str, ...]) -> str | None:
        return self._answer(question, "MD_UUID")

    def _answer(self, question: tuple[str, ...], key: str) -> str | None:
        if question not in self._answers:  # the array of many disks is one
            self._answers[question] = self._runner.ask(question, self._devices)
        answer = self._answers[question]
        return value_of(key, answer.exit, answer.stdout)


def _outside_table(disk: PlanDisk, areas: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """(offset, length) of the areas of a disk without its partition tables."""
    first, last = table_bytes(disk.logical_sector_bytes)
    ends = ((max(start, first), min(start + length, disk.size_bytes - last)) for start, length in areas)
    return tuple((start, end - start) for start, end in ends if start < end)


def _listed(kinds: set[str]) -> str:
    return safe(", ".join(sorted(kinds)), longest=_LONG)
