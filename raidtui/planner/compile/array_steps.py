"""Steps that create the arrays, one per array, and the step that adds the spares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from raidtui.model.counted import counted
from raidtui.model.design import Design
from raidtui.model.geometry import ArrayGeometry, StripeGeometry
from raidtui.model.layout import HybridLayout
from raidtui.model.plan import Command, PlanArray, PlanDisk, Reading, Step
from raidtui.model.units import SECTOR, exact_binary
from raidtui.planner.compile.first_sync import BARE_LEVELS
from raidtui.planner.compile.step_builder import (
    StepContext,
    array_is_ours,
    data_starts,
    devices_work,
    fact,
    member_is_ours,
    only_if,
)
from raidtui.tools import identity, mdadm, systemd, wipefs


def array_steps(context: StepContext) -> tuple[Step, ...]:
    """Creates every array of the layout."""
    return tuple(
        _array_step(context, array, geometry)
        for array, geometry in zip(context.data_arrays, context.md_geometries, strict=True)
    )


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
    """Erases the superblock of the RAID0 on an array; a RAID0 that was created only in part has no device name."""
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
    if isinstance(context.design.layout, HybridLayout):
        return "Every array gets the partition of its band on each spare disk."
    return "One spare for each array first, then the rest in turn."


def _array_step(context: StepContext, array: PlanArray, geometry: ArrayGeometry) -> Step:
    members = tuple(context.member_path(array, member) for member in array.members)
    ask = requested(context.design, context.disks, array, geometry, host=context.names.host)
    return Step(
        number=0,
        stage="create",
        title=f"Create {array.device}: {geometry.level} of {len(members)} disks",
        purpose=_purpose(context.design, geometry, ask.accept_sizes),
        actions=(mdadm.create(ask), systemd.settle(), wipefs.wipe_locked(array.device)),
        destroys=array.members,
        after=(
            *_array_readings(array, geometry, context.design.metadata, working=len(members)),
            *_stated_readings(context.design, members),
        ),
        undo=_undo(array),
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
    ask = create_request(design, array, geometry, host=host, members=members)
    return replace(ask, accept_sizes=unequal, assume_clean=_clean(design, geometry))


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
        if geometry.level in BARE_LEVELS:
            parts.append("mdadm builds the last member as a spare, and until that ends one failed disk loses the array")
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


def _undo(array: PlanArray) -> tuple[Command, ...]:
    ours = array_is_ours(array)
    return (only_if(ours, wipefs.wipe((array.device,))), only_if(ours, mdadm.stop(array.device)))


def _size(count: int | None) -> str:
    return exact_binary(count or 0)
