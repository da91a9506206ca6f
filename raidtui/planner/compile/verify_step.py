"""The last step: everything is asked once more, of the finished build."""

from __future__ import annotations

from raidtui.model.plan import PlanArray, Reading, Step
from raidtui.planner.compile.boot_steps import conf_text, fstab_text, mounted_reading
from raidtui.planner.compile.check_step import no_other_unit
from raidtui.planner.compile.step_builder import Build, block_facts, fact, member_is_ours
from raidtui.planner.compile.volume_steps import geometry_readings
from raidtui.tools import fstab, initramfs, mdadm, systemd


def verify_step(build: Build) -> Step:
    """Members, places, offsets, file systems, mounts and configuration equal the plan."""
    readings: list[Reading] = []
    for array in build.legs:
        readings += _member_readings(build, array)
    for number, made in enumerate(build.filesystems):
        geometry = build.prediction.filesystems[number]
        readings += geometry_readings(build, number)
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
    if build.design.trial is None:
        readings.append(block_facts(build, initramfs.mdadm_conf(build.family), conf_text(build)))
        if build.filesystems:
            readings.append(block_facts(build, fstab.PATH, fstab_text(build)))
        for made in build.filesystems:
            place = made.mount_point
            readings.append(no_other_unit(place))
            readings.append(
                fact(
                    "mounted",
                    f"systemd mounts {place} by the unit made of fstab",
                    systemd.fragment_question(place),
                    systemd.fragment_of_fstab(place),
                )
            )
    return Step(
        number=0,
        stage="verify",
        title="Verify everything",
        purpose="An exit code proves nothing: the state of the disks, the kernel and the files must equal the plan.",
        actions=(),
        after=tuple(readings),
    )


def _member_readings(build: Build, array: PlanArray) -> list[Reading]:
    offset = build.prediction.arrays[0].data_offset_sectors
    working = str(len(array.members) + len(array.spares))
    members = f"{array.device} has {working} working devices"
    readings = [fact("member count", members, mdadm.detail(array.device), working, key="Working Devices")]
    roles = [(disk, f"Active device {number}") for number, disk in enumerate(array.members)]
    roles += [(disk, "spare") for disk in array.spares]
    for disk, role in roles:
        path = build.path(disk)
        readings.append(member_is_ours(path, array))
        if build.design.metadata == "0.90":
            continue
        readings.append(fact("predicted", f"{path} is there as {role}", mdadm.examine(path), role, key="Device Role"))
        if build.design.metadata == "1.2":
            shown = mdadm.shown_offset(offset)
            starts = f"data starts {shown} into {path}"
            readings.append(fact("predicted", starts, mdadm.examine(path), shown, key="Data Offset"))
    return readings
