"""Steps that combine the arrays into one volume, and that make the file systems."""

from __future__ import annotations

from dataclasses import replace

from raidtui.predict.speed.tunables import read_ahead_bytes
from raidtui.programs import file_systems, identity, lvm, systemd, udev, wipefs
from raidtui.steps.array_steps import outer_step
from raidtui.steps.step_builder import StepContext, fact, only_if
from raidtui.values.plan import VOLUME, Command, PlanFileSystem, Reading, Step, volume_of
from raidtui.values.prediction import Ext4Geometry, LvmGeometry, StripeGeometry, XfsGeometry
from raidtui.values.units import KIB, SECTOR, exact_binary


def volume_steps(context: StepContext) -> tuple[Step, ...]:
    """One step; none if there is one array, or a file system per array."""
    match context.prediction.volume:
        case LvmGeometry() as volume:
            return (_lvm_step(context, volume),)
        case StripeGeometry() as volume:
            return (outer_step(context, context.arrays[-1], volume),)
        case None:
            return ()


def format_steps(context: StepContext) -> tuple[Step, ...]:
    """One step per file system."""
    return tuple(_format_step(context, number) for number in range(len(context.filesystems)))


def geometry_readings(context: StepContext, number: int) -> tuple[Reading, ...]:
    """The superblock of the file system has the predicted values."""
    made, geometry = context.filesystems[number], context.prediction.filesystems[number]
    return tuple(
        fact("predicted", f"{made.device} has {key} {value}", question, value, key=key)
        for question, answers in file_systems.readings(made.device, geometry, context.design.options)
        for key, value in answers
    )


def read_ahead_reading(device: str, size: int) -> Reading:
    """The kernel reads `size` bytes ahead on the device."""
    what = f"the read-ahead of {device} is {size // KIB} KiB"
    return fact("setting", what, udev.read_ahead_question(device), str(size // SECTOR))


def volume_path(context: StepContext) -> str:
    """Device path of the logical volume."""
    return volume_of(context.names.name)


def _lvm_step(context: StepContext, volume: LvmGeometry) -> Step:
    group, device = context.names.name, volume_path(context)
    stated = context.design.read_ahead_bytes
    sectors = (stated or read_ahead_bytes(context.design, context.prediction.arrays, joined=volume.stripes)) // SECTOR
    ahead = "two full stripes of the whole volume" if stated is None else exact_binary(stated)
    plain = context.design.layout.plain
    pvs = [(device, context.names.volume_uuid(part)) for part, device in context.joined]
    ours = fact("ours", f"the volume group {group} is on {pvs[0][0]}", lvm.group_of_volume_question(pvs[0][1]), group)
    tagged = fact(
        "ours", f"{device} is the volume of this run", lvm.tagged_question(context.names.tag), f"{group}/{VOLUME}"
    )
    labels = {
        leg: fact("ours", f"{leg} has the physical volume {uuid}", lvm.uuid_question(leg), uuid) for leg, uuid in pvs
    }
    size = volume.extents * volume.extent_bytes
    if volume.stripes == 1:
        kind, question = f"is linear and has {size} bytes", lvm.linear_question(group, VOLUME)
        made = f"{lvm.LINEAR},{volume.extent_bytes}"
        ahead = "two full stripes of the widest array" if stated is None else ahead
    else:
        kind = f"has {volume.stripes} stripes of {volume.stripe_bytes} and {size} bytes"
        question = lvm.volume_question(group, VOLUME)
        made = ",".join(str(each) for each in (volume.stripes, volume.stripe_bytes, volume.extent_bytes))
    return Step(
        number=0,
        stage="volume",
        title=f"Create the volume {device} over {len(pvs)} {'disks' if plain else 'arrays'}",
        purpose=f"{_alignment(context, volume)}; read-ahead is {ahead}.",
        actions=(
            *(_on_blank(context, lvm.pvcreate(leg, uuid, volume.pe_start_bytes)) for leg, uuid in pvs),
            lvm.vgcreate(group, [leg for leg, _ in pvs], volume.extent_bytes),
            lvm.lvcreate(
                group,
                VOLUME,
                tag=context.names.tag,
                stripes=volume.stripes,
                stripe_bytes=volume.stripe_bytes,
                extents=volume.extents,
                read_ahead_sectors=sectors,
            ),
            systemd.settle(),
        ),
        after=(
            *(labels[leg] for leg, _ in pvs),
            *(
                fact(
                    "predicted",
                    f"extents start at {volume.pe_start_bytes} on {leg}",
                    lvm.start_question(leg),
                    str(volume.pe_start_bytes),
                )
                for leg, _ in pvs
            ),
            fact(
                "predicted",
                f"{device} {kind}",
                question,
                f"{made},{size}",
            ),
            *(() if stated is None else (read_ahead_reading(device, stated),)),
            fact("blank", f"{device} has no signature", wipefs.question((device,)), ""),
        ),
        destroys=tuple(disk.id for disk in context.disks) if plain else (),
        undo=(
            only_if(tagged, lvm.lvremove(group, VOLUME)),
            only_if(ours, lvm.vgremove(group)),
            # the label of a disk without md proves that it is the plan's until the undo of the wipe zeroes it
            *(() if plain else (only_if(labels[leg], lvm.pvremove(leg)) for leg, _ in pvs)),
        ),
        undo_note="All data on the volume is lost.",
    )


def _alignment(context: StepContext, volume: LvmGeometry) -> str:
    """How the volume lies on the arrays, and why."""
    if volume.stripes == 1:
        return (
            "Linear: the arrays share their disks, and a stripe over them would use every disk in several places at "
            f"once. The first extent starts at {exact_binary(volume.pe_start_bytes)}, a full stripe of the array that "
            "holds most"
        )
    return (
        f"The LVM stripe size is {_stripe_size(context, volume)}. Every extent starts on a full stripe, because data "
        f"offset and extent size are {exact_binary(volume.extent_bytes)}"
    )


def _on_blank(context: StepContext, command: Command) -> Command:
    """The command; its one device, if that is a disk of the plan, must be blank right before it, as for an array."""
    disks = {disk.path for disk in context.disks}
    return replace(command, members=tuple(path for path in command.devices if path in disks))


def _stripe_size(context: StepContext, volume: LvmGeometry) -> str:
    """The LVM stripe size and where it comes from."""
    size = exact_binary(volume.stripe_bytes)
    if not context.design.layout.plain:
        return f"the arrays' chunk, {size}"
    return f"the LUNs' chunk, {size}" if context.prediction.arrays[0].chunk_bytes else size


def _format_step(context: StepContext, number: int) -> Step:
    made, geometry = context.filesystems[number], context.prediction.filesystems[number]
    mkfs = file_systems.mkfs(made.device, made.uuid, geometry, context.design.options)
    return Step(
        number=0,
        stage="format",
        title=f"Make {geometry.type} on {made.device}",
        purpose=_format_purpose(context, geometry),
        actions=(_on_blank(context, mkfs),),
        destroys=tuple(disk.id for disk in context.disks if disk.path == made.device),
        after=(
            _fs_uuid_reading(made),
            *geometry_readings(context, number),
        ),
    )


def _fs_uuid_reading(made: PlanFileSystem) -> Reading:
    return fact(
        "ours", f"{made.device} has UUID {made.uuid}", identity.uuid_question(made.device), made.uuid, key="UUID"
    )


def _format_purpose(context: StepContext, geometry: XfsGeometry | Ext4Geometry) -> str:
    kind = geometry.type
    match geometry:
        case XfsGeometry():
            blocks, width = geometry.sunit_blocks, geometry.swidth_blocks
        case Ext4Geometry():
            blocks, width = geometry.stride_blocks, geometry.stripe_width_blocks
    unit = blocks * geometry.block_bytes
    if not unit:
        what = "single disk" if context.design.layout.plain else "single mirror"
        return f"A {what} has no stripe, so {kind} gets none; no discard, which takes hours on large arrays."
    stripe = f"{exact_binary(unit)} x {width // blocks}"
    return (
        f"{kind} gets the real stripe ({stripe}) as options, since it cannot always detect it. No discard, which "
        f"takes hours on large arrays."
    )
