"""Step 1: everything that can be looked at before anything is written."""

from __future__ import annotations

from raidtui.model.plan import PlanDisk, Reading, Step
from raidtui.planner.compile.step_builder import Build, fact, in_groups
from raidtui.tools import fstab, identity, initramfs, lvm, systemd, udev_rule, wipefs


def check_step(build: Build) -> Step:
    """These are the disks meant, nothing holds them, and every name is free."""
    readings = [*_machine(build), *_names_free(build)]
    for bound, disk in zip(build.disks, build.taken, strict=True):
        readings += _disk(bound, len(disk.partitions))
    unsigned = [bound.path for bound, disk in zip(build.disks, build.taken, strict=True) if disk.unsigned]
    for some in in_groups(unsigned):
        what = f"{len(some)} disks from {some[0]} on have no signature, as when they were planned"
        readings.append(fact("blank", what, wipefs.question(some), "", about=some))
    return Step(
        number=0,
        stage="check",
        title="Check the machine, the disks and the names",
        purpose=f"Nothing is written until all {len(build.disks)} disks are identified and unused, and every name "
        "in the plan is free.",
        actions=(),
        after=tuple(readings),
    )


def identity_readings(bound: PlanDisk, *, alone: bool) -> tuple[Reading, ...]:
    """The device behind the path is this disk, by all the plan knows; unless `alone`, nothing is on it either."""
    free = "" if alone else "; nothing holds it and it has no partitions"
    return (
        fact(
            "identity",
            f"{bound.role}: size, sector, writable",
            identity.numbers_question(bound.path),
            identity.numbers_answer(bound.logical_sector_bytes, bound.size_bytes),
            about=(bound.path,),
        ),
        fact(
            "identity",
            f"{bound.role}: model, serial number, world-wide name{free}",
            identity.disk_question(bound.path, alone=alone),
            identity.disk_answer(bound.model, bound.serial, bound.wwn),
            about=(bound.path,),
        ),
    )


def no_other_unit(place: str) -> Reading:
    """Nothing but fstab has systemd mount anything there."""
    what = f"no systemd unit or drop-in but fstab's is for {place}"
    return fact("unit free", what, systemd.other_units_question(place), "", 0, 1)


def _disk(bound: PlanDisk, partitions: int) -> tuple[Reading, ...]:
    if not partitions:
        return identity_readings(bound, alone=False)
    held = fact(
        "unused",
        f"{bound.role}: nothing holds it or its {partitions} partitions",
        identity.tree_question((bound.path,)),
        identity.tree_answer(1, partitions),
        about=(bound.path,),
    )
    return (*identity_readings(bound, alone=True), held)


def _machine(build: Build) -> tuple[Reading, ...]:
    here = fact("host", f"this machine is {build.names.host}", identity.host_question(), build.names.host)
    if build.machine_id is None:
        return (here,)
    same = fact(
        "machine", "this is the machine of the plan", identity.text_question("/etc/machine-id"), build.machine_id
    )
    return (here, same)


def _names_free(build: Build) -> tuple[Reading, ...]:
    names = build.names
    conf = initramfs.mdadm_conf(build.family)
    readings = []
    for array in build.arrays:
        readings.append(fact("name free", f"no {array.device} exists", identity.absent_question(array.device), ""))
        pattern = f"^ARRAY[[:blank:]]+(/dev/md/)?{array.name}[[:blank:]]"
        readings.append(
            fact(
                "name free", f"{conf} has no array {array.name}", identity.mention_question(pattern, conf), "", 0, 1, 2
            )
        )
    if build.lvm:
        readings.append(fact("name free", f"no volume group {names.name} exists", lvm.group_question(names.name), ""))
        folder = f"/dev/{names.name}"
        readings.append(fact("name free", f"no {folder} exists", identity.absent_question(folder), ""))
    rule = udev_rule.path(names.name)
    readings.append(fact("name free", f"no {rule} exists", identity.absent_question(rule), ""))
    for path in (conf, fstab.PATH):
        mine = identity.mention_question(names.begin, path)
        readings.append(fact("name free", f"{path} has no lines of this plan", mine, "", 0, 1, 2))
    for place in names.mount_points:
        readings += [
            fact("place free", f"nothing is mounted on {place}", fstab.mounted_question(place), "", 0, 1),
            fact("place free", f"{fstab.PATH} does not speak of {place}", fstab.planned_question(place), "", 0, 1),
            fact("place free", f"{place} is no symbolic link", identity.not_link_question(place), ""),
            fact("place free", f"{place} is empty or does not exist", fstab.content_question(place), "", 0, 1),
            *(() if build.design.trial else (no_other_unit(place),)),
        ]
    return tuple(readings)
