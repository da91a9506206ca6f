"""Steps that create the arrays, one per array, and the step that adds the spares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from raidtui.predict.speed.sync_time import counted_bytes, rewriting_hours, zeroing_hours
from raidtui.predict.speed.tunables import sync_min
from raidtui.programs import identity, mdadm, systemd, wipefs
from raidtui.steps.disk_steps import END_BYTES, sampled_areas
from raidtui.steps.step_builder import (
    StepContext,
    array_is_ours,
    data_starts,
    devices_work,
    fact,
    member_is_ours,
    only_if,
)
from raidtui.values.amounts import hours
from raidtui.values.design import Design
from raidtui.values.inventory import Disk
from raidtui.values.layout import LEVEL_TRAITS
from raidtui.values.plan import Command, Plan, PlanArray, PlanDisk, Reading, Stage, Step, journal_mirrors
from raidtui.values.prediction import ArrayGeometry, Prediction, StripeGeometry
from raidtui.values.units import GIB, MIB, SECTOR, counted, decimal_size, exact_binary

# Steps that zero the data areas of all members, where zeroes stand for the first sync: parity over zeroes is zero.
# Two steps: the beginning of each member is zeroed and timed first, so that slow drives end the build before the rest.


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
            purpose="Zeroing the beginning of each member's data area, all at the same time, shows how long the rest "
            "takes. The build ends here if that is longer than ten minutes and the first sync that it replaces.",
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
        f"zeroing the rest takes about {_duration(times[slowest])}; the members zeroed {decimal_size(rates[0])} to "
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


# When a plan's file systems are mounted and when its arrays are in sync: one answer for pages, scripts and status.


_SECONDS: dict[Stage, float] = {"save": 0.1, "wipe": 0.1, "zero": 0.0, "configure": 40.0, "format": 10.0}
"""rough duration of a command of a stage: an initramfs is built, a file system made; zeroing is stated beside it"""
_OTHER_SECONDS = 0.5
FIRST_SYNC = "first-sync"
"""code of the finding that says when a plan is mounted and in sync"""


def bare_until_sync(plan: Plan) -> bool:
    """True if one failed disk loses an array of the plan until its first sync ends: its file systems wait for that."""
    return not plan.design.zeroes and any(LEVEL_TRAITS[shape.level].bare for shape in plan.design.layout.shapes)


def mount_minutes(plan: Plan) -> int:
    """Minutes from the confirmation until the file systems are mounted, without any until the end, rounded up."""
    last = next((step.number for step in reversed(plan.steps) if step.stage == "mount"), len(plan.steps))
    return max(1, math.ceil(sum(map(step_seconds, plan.steps[:last])) / 60))


def step_seconds(step: Step) -> float:
    """Rough duration of a step, zeroing excepted."""
    return _SECONDS.get(step.stage, _OTHER_SECONDS) * len(step.commands)


def first_sync_text(plan: Plan) -> str:
    """Sentences with both times; empty for a plan whose arrays are not synced."""
    idle = plan.first_sync_hours
    if idle is None:
        return ""
    if plan.zeroing_hours is not None:
        synced = "All but the mirrors of write journals is" if journal_mirrors(plan.arrays) else "All is"
        return (
            f"{'Mounted' if plan.filesystems else 'Built'} about {mount_minutes(plan)} min after the confirmation and "
            f"{_zeroing(plan.zeroing_hours)}. {synced} in sync then: there is no first sync of about {hours(idle)}."
        )
    bare = bare_until_sync(plan)
    used = rewriting_hours(plan.design, idle)
    times = f"about {hours(idle)} on idle disks"
    if used is not None:
        least, expected, most = used
        times += f" that are zero; on used disks md rewrites parity, about {hours(expected)}"
        times += f" ({hours(least)} to {hours(most)}; --first-sync zeroes avoids that where drives have Write Zeroes)"
    times += f", at most {hours(_busy_hours(plan, used[2] if used else idle))} on busy ones"
    if plan.filesystems and bare:
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
        f"1 to {max(1, math.ceil(most * 60))} min of zeroing (an upper bound where Write Zeroes is no slower than "
        f"writing; the build measures it first)"
    )


_BARE = "Until it ends, one failed disk loses a RAID4 or RAID5."


def _busy_hours(plan: Plan, idle: float) -> float:
    """Hours at the least rate that the plan's udev rule has md keep under load."""
    return max(idle, counted_bytes(plan.design, plan.prediction) / (sync_min(plan.design)) / 3600)


def array_steps(context: StepContext) -> tuple[Step, ...]:
    """Creates every array of the layout, after the mirrors of the write journals."""
    arrays = zip(context.data_arrays, context.md_geometries, strict=True)
    return (
        *(_mirror_step(context, *mirror) for mirror in context.journal_mirrors),
        *(_array_step(context, array, geometry) for array, geometry in arrays),
    )


def _mirror_step(context: StepContext, mirror: PlanArray, geometry: ArrayGeometry) -> Step:
    """Creates the mirror that carries the write journal of an array."""
    ask = mirror_request(context.disks, mirror, geometry, host=context.names.host)
    unequal = " --run accepts disks of unequal size; both were just verified blank." if ask.accept_sizes else ""
    return Step(
        number=0,
        stage="create",
        title=f"Create {mirror.device}: a mirror for the write journal",
        purpose="Either of its disks may fail: the other has the journal. Its own bitmap has a crash sync only what "
        f"was being written.{unequal}",
        actions=(mdadm.create(ask), systemd.settle(), wipefs.wipe_locked(mirror.device)),
        destroys=mirror.members,
        after=_array_readings(mirror, geometry, ask.metadata, working=len(mirror.members)),
        undo=_undo(mirror),
        undo_note="The write journal on it is lost.",
    )


def mirror_request(disks: Sequence[PlanDisk], mirror: PlanArray, geometry: ArrayGeometry, *, host: str) -> mdadm.Create:
    """All values of a mirror that carries a write journal and whose members are on `disks`."""
    carriers = {disk.id: disk for disk in disks if disk.id in mirror.members}
    sizes = [disk.size_bytes for disk in carriers.values()]
    return mdadm.Create(
        device=mirror.device, name=mirror.name, homehost=host, uuid=mirror.uuid, level="raid1", metadata="1.2",
        members=tuple(carriers[member].path for member in mirror.members), bitmap="internal",
        size_bytes=geometry.component_bytes, accept_sizes=max(sizes) * 100 > 101 * min(sizes),
    )  # fmt: skip


def outer_step(context: StepContext, outer: PlanArray, volume: StripeGeometry) -> Step:
    """Creates the RAID0 over the arrays; its data offset is aligned to their full stripes."""
    geometry = volume.array
    ask = outer_request(
        outer, geometry, host=context.names.host, members=tuple(leg.device for leg in context.data_arrays)
    )
    return Step(
        number=0,
        stage="volume",
        title=f"Create {outer.device}: raid0 over {len(context.data_arrays)} arrays",
        purpose=f"RAID0 over the arrays; its chunk of {_size(geometry.chunk_bytes)} is a full stripe of an array.",
        actions=(mdadm.create(ask), systemd.settle(), wipefs.wipe_locked(outer.device)),
        after=(
            *_array_readings(outer, geometry, "1.2", working=len(context.data_arrays)),
            *(
                fact(
                    "predicted",
                    f"data offset of {leg.device} is {geometry.data_offset_sectors} sectors",
                    mdadm.examine(leg.device),
                    mdadm.shown_offset(geometry.data_offset_sectors),
                    key="Data Offset",
                )
                for leg in context.data_arrays
            ),
        ),
        undo=(*_undo(outer), *(_off_leg(leg, outer) for leg in context.data_arrays)),
    )


def _off_leg(leg: PlanArray, outer: PlanArray) -> Command:
    """Erases the superblock on an array of the one over it; one that was created only in part has no device name."""
    return only_if(member_is_ours(leg.device, outer), mdadm.zero_superblock(leg.device))


def spares_step(context: StepContext) -> Step:
    """Attaches the spares.

    They are added to the running arrays, not at creation: mdadm would reduce the member size to that of a smaller
    spare, and a new RAID5 treats its own last member as a spare until it is rebuilt.
    """
    actions = [
        mdadm.add_spare(array.device, context.member_path(array, spare))
        for array in context.data_arrays
        for spare in array.spares
    ]
    readings = [devices_work(array) for array in context.data_arrays if array.spares]
    readings += [
        fact(
            "predicted",
            f"{context.member_path(array, spare)} is a spare",
            mdadm.examine(context.member_path(array, spare)),
            "spare",
            key="Device Role",
        )
        for array in context.data_arrays
        for spare in array.spares
        if context.design.metadata != "0.90"  # its --examine prints no role (mdadm's super0.c)
    ]
    return Step(
        number=0,
        stage="spare",
        title=f"Add {counted(len(actions), 'hot spare')}",
        purpose=f"{_order(context)} Spares are added to running arrays, so that "
        "they affect neither member size nor order. A rebuild starts automatically when a member fails.",
        actions=tuple(actions),
        after=tuple(readings),
    )


def _order(context: StepContext) -> str:
    """Which array gets which spare."""
    if context.design.layout.hybrid is not None:
        return "Every array gets the partition of its band on each spare disk."
    return "One spare for each array first, then the rest in turn."


def _array_step(context: StepContext, array: PlanArray, geometry: ArrayGeometry) -> Step:
    members = tuple(context.member_path(array, member) for member in array.members)
    mirrors = [mirror for mirror, _ in context.journal_mirrors if mirror.device == array.journal]
    ask = requested(context.design, context.disks, array, geometry, host=context.names.host)
    return Step(
        number=0,
        stage="create",
        title=f"Create {array.device}: {geometry.level} of {len(members)} disks",
        purpose=_purpose(context.design, geometry, ask.accept_sizes),
        actions=(mdadm.create(ask), systemd.settle(), wipefs.wipe_locked(array.device)),
        destroys=tuple(disk for disk in array.disks if disk not in (*array.spares, *(each.device for each in mirrors))),
        after=(
            *_array_readings(array, geometry, context.design.metadata, working=len(members) + bool(array.journal)),
            *_journal_readings(array, ask.journal),
            *_stated_readings(context.design, members),
        ),
        undo=(*_undo(array), *(_off_leg(mirror, array) for mirror in mirrors)),
        undo_note="All data on the array is lost.",
    )


def requested(
    design: Design, disks: Sequence[PlanDisk], array: PlanArray, geometry: ArrayGeometry, *, host: str
) -> mdadm.Create:
    """What the plan asks of mdadm for an array whose members are on `disks`."""
    carriers = {disk.id: disk.member_of(array) for disk in disks if disk.id in array.members}
    sizes = [member.size_bytes for member in carriers.values()]
    limited = design.trial is not None or design.member_bytes is not None
    largest, smallest = max(sizes), min(sizes)
    # mdadm asks for confirmation if it would leave more than 1 % of a member unused
    unequal = geometry.level != "raid0" and largest * 100 > 101 * (
        min(smallest, geometry.component_bytes or smallest) if limited else smallest
    )
    members = tuple(carriers[member].path for member in array.members)
    journal = next((disk.path for disk in disks if disk.id == array.journal), array.journal)
    ask = create_request(design, array, geometry, host=host, members=members)
    return replace(ask, accept_sizes=unequal, assume_clean=_clean(design, geometry), journal=journal)


def create_request(
    design: Design, array: PlanArray, geometry: ArrayGeometry, *, host: str, members: tuple[str, ...]
) -> mdadm.Create:
    """All values of an array whose members are the devices `members`, for mdadm."""
    return mdadm.Create(
        device=array.device,
        name=array.name,
        homehost=host,
        uuid=array.uuid,
        level=geometry.level,
        metadata=design.metadata,
        members=members,
        chunk_bytes=geometry.chunk_bytes,
        layout=geometry.md_layout,
        bitmap=_bitmap(design, geometry),
        bitmap_chunk_bytes=design.bitmap_chunk_bytes,
        data_offset_bytes=design.data_offset_bytes,
        ppl=design.ppl,
        size_bytes=geometry.component_bytes,
    )


def outer_request(outer: PlanArray, geometry: ArrayGeometry, *, host: str, members: tuple[str, ...]) -> mdadm.Create:
    """All values of the RAID0 over the arrays `members`."""
    return mdadm.Create(
        device=outer.device, name=outer.name, homehost=host, uuid=outer.uuid, level="raid0", metadata="1.2",
        members=members, chunk_bytes=geometry.chunk_bytes, layout=geometry.md_layout,
        data_offset_bytes=mdadm.sectors_as_bytes(geometry.data_offset_sectors),
    )  # fmt: skip


def _clean(design: Design, geometry: ArrayGeometry) -> bool:
    """True if the first sync may be skipped; RAID0 has none."""
    trial = design.trial
    return geometry.level != "raid0" and (design.zeroes or (trial is not None and not trial.first_sync))


def _purpose(design: Design, geometry: ArrayGeometry, unequal: bool) -> str:
    trial, clean = design.trial, _clean(design, geometry)
    parts = ["Every value is explicit, so the array does not depend on the defaults of this mdadm version"]
    if clean and trial is None:
        parts.append("--assume-clean: all members are zero where data and parity are, so there is nothing to sync")
    elif clean:
        parts.append(
            "--assume-clean skips the initial resync: the array would not survive a failure, but holds no data to keep"
        )
    elif geometry.level != "raid0":
        parts.append("the first sync runs in the background; the array is usable meanwhile")
        if LEVEL_TRAITS[geometry.level].bare:
            parts.append("mdadm builds the last member as a spare, and until that ends one failed disk loses the array")
    if design.journal_disks:
        parts.append("all that is written goes to the write journal first, so a crash leaves no parity to sync")
    if unequal and trial is not None:
        parts.append("--run accepts that most of each member stays unused; all members were just verified blank")
    elif unequal and design.member_bytes is not None:
        parts.append(
            "--run accepts that the end of each member stays unused, as stated; all members were just verified blank"
        )
    elif unequal:
        parts.append(
            "--run accepts members of unequal size, whose excess stays unused; all members were just verified blank"
        )
    parts.append("wipefs then erases signatures of old content that reappear inside the new array")
    return "; ".join(parts) + "."


def _bitmap(design: Design, geometry: ArrayGeometry) -> Literal["internal", "none"] | None:
    if geometry.level == "raid0" or design.ppl:
        return None
    return "internal" if geometry.bitmap_chunk_bytes else "none"


def _array_readings(array: PlanArray, geometry: ArrayGeometry, metadata: str, *, working: int) -> tuple[Reading, ...]:
    exported = (
        ("MD_LEVEL", geometry.level),
        ("MD_DEVICES", str(geometry.members)),
        ("MD_METADATA", metadata),
    )
    shown: list[tuple[str, str]] = []
    if geometry.chunk_bytes is not None:
        shown.append(("Chunk Size", mdadm.shown_chunk(geometry.chunk_bytes)))
    if geometry.md_layout is not None and geometry.level != "raid0":
        shown.append(("Layout", mdadm.shown_layout(geometry.md_layout)))
    device = array.device
    return (
        fact("ours", f"{device} has MD_UUID={array.uuid}", mdadm.export(device), array.uuid, key="MD_UUID"),
        *(
            fact("predicted", f"{device} has {key}={value}", mdadm.export(device), value, key=key)
            for key, value in exported
        ),
        fact(
            "member count",
            f"{device} has Working Devices {working}",
            mdadm.detail(device),
            str(working),
            key="Working Devices",
        ),
        *(
            fact("predicted", f"{device} has {key} {value}", mdadm.detail(device), value, key=key)
            for key, value in shown
        ),
        fact(
            "predicted",
            f"{device} has {geometry.array_bytes} bytes",
            identity.size_question(device),
            str(geometry.array_bytes),
        ),
        fact("blank", f"{device} has no signature", wipefs.question((device,)), ""),
    )


def _stated_readings(design: Design, members: Sequence[str]) -> Iterator[Reading]:
    """Where data starts and what a bit of the bitmap covers, as written on every member; only what was stated."""
    if design.data_offset_bytes is not None:
        yield from (data_starts(path, design.data_offset_bytes // SECTOR) for path in members)
    if design.bitmap_chunk_bytes is not None:
        shown = mdadm.shown_bitmap_chunk(design.bitmap_chunk_bytes)
        for path in members:
            what = f"the bitmap of {path} has a chunk of {shown}"
            yield fact("predicted", what, mdadm.examine_bitmap(path), shown, key="Chunksize")


def _journal_readings(array: PlanArray, path: str | None) -> tuple[Reading, ...]:
    """The array at `array` writes to the journal at `path` first; none without."""
    if path is None:
        return ()
    policy = f"{array.device} has the consistency policy journal"
    role = fact("predicted", f"{path} is its journal", mdadm.examine(path), "Journal", key="Device Role")
    return (
        fact("setting", policy, mdadm.detail(array.device), "journal", key="Consistency Policy"),
        member_is_ours(path, array), role,
    )  # fmt: skip


def _undo(array: PlanArray) -> tuple[Command, ...]:
    ours = array_is_ours(array)
    return (only_if(ours, wipefs.wipe((array.device,))), only_if(ours, mdadm.stop(array.device)))


def _size(count: int | None) -> str:
    return exact_binary(count or 0)
