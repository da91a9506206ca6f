"""The last step: verifies the finished build as a whole."""

from __future__ import annotations

from raidtui.model.plan import PlanArray, Reading, Step
from raidtui.planner.compile.boot_steps import alert_readings, conf_text, fstab_text, mounted_reading, option_readings
from raidtui.planner.compile.check_step import no_other_unit
from raidtui.planner.compile.partition_step import table_readings
from raidtui.planner.compile.plain_disks import marked
from raidtui.planner.compile.step_builder import (
    StepContext,
    block_facts,
    data_starts,
    devices_work,
    fact,
    member_is_ours,
)
from raidtui.planner.compile.volume_steps import geometry_readings
from raidtui.tools import fstab, initramfs, mdadm, systemd


def verify_step(context: StepContext) -> Step:
    """Checks that members, roles, offsets, file systems, mounts and configuration equal the plan."""
    readings: list[Reading] = []
    for disk in context.disks:
        readings += table_readings(disk)
    for array, of_array in zip(context.data_arrays, context.md_geometries, strict=True):
        readings += _member_readings(context, array, of_array.data_offset_sectors)
    if context.design.layout.plain and context.lvm:
        marks = [(device, context.names.volume_uuid(part)) for part, device in context.parts]
        readings += [marked(device, uuid) for device, uuid in marks]
    for number, made in enumerate(context.filesystems):
        geometry = context.prediction.filesystems[number]
        readings += geometry_readings(context, number)
        readings.append(mounted_reading(made))
        size = f"{geometry.block_bytes} {geometry.statfs_blocks}"
        readings.append(
            fact(
                "predicted",
                f"df shows {geometry.total_bytes} bytes on {made.mount_point}",
                fstab.space_question(made.mount_point),
                size,
            )
        )
    if context.design.trial is None:
        if not context.design.layout.plain:
            readings.append(block_facts(context, initramfs.mdadm_conf(context.family), conf_text(context)))
        readings += alert_readings(context)
        if context.filesystems:
            readings.append(block_facts(context, fstab.PATH, fstab_text(context)))
        for made in context.filesystems:
            place = made.mount_point
            readings.append(no_other_unit(place))
            readings.append(
                fact(
                    "mounted",
                    f"systemd mounts {place} by the unit generated from fstab",
                    systemd.fragment_question(place),
                    systemd.fragment_of_fstab(place),
                )
            )
        readings += option_readings(context)
    return Step(
        number=0,
        stage="verify",
        title="Verify everything",
        purpose="Exit codes are no proof: the state read from disks, kernel and files must equal the plan.",
        actions=(),
        after=tuple(readings),
    )


def _member_readings(context: StepContext, array: PlanArray, offset: int) -> list[Reading]:
    readings = [devices_work(array)]
    roles = [(disk, f"Active device {number}") for number, disk in enumerate(array.members)]
    roles += [(disk, "spare") for disk in array.spares]
    for disk, role in roles:
        path = context.member_path(array, disk)
        readings.append(member_is_ours(path, array))
        if context.design.metadata == "0.90":
            continue
        readings.append(fact("predicted", f"{path} has the role {role}", mdadm.examine(path), role, key="Device Role"))
        if context.design.metadata == "1.2":
            readings.append(data_starts(path, offset))
    return readings
