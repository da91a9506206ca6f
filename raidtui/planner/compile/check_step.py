"""Step 1: all checks that are possible before the first write."""

from __future__ import annotations

from raidtui.model.plan import PlanDisk, Reading, Step
from raidtui.planner.compile.boot_steps import roots_alone
from raidtui.planner.compile.queue_step import sets_queue
from raidtui.planner.compile.step_builder import StepContext, fact, group_text, in_groups
from raidtui.tools import dmsetup, fstab, identity, initramfs, lvm, mdadm, systemd, udev_rule, wipefs


def check_step(context: StepContext) -> Step:
    """Checks that the disks are the planned ones and unused, and that every name is free."""
    readings = [*_machine(context), *_names_free(context)]
    for bound, disk in zip(context.disks, context.inventory_disks, strict=True):
        readings += _disk(bound, len(disk.partitions))
    unsigned = [bound.path for bound, disk in zip(context.disks, context.inventory_disks, strict=True) if disk.unsigned]
    for some in in_groups(unsigned):
        what = f"{group_text(some)}: no signature, as when the plan was made"
        readings.append(fact("blank", what, wipefs.question(some), "", about=some))
    return Step(
        number=0,
        stage="check",
        title="Check the machine, the disks and the names",
        purpose=f"Nothing is written until all {len(context.disks)} disks are identified and unused, and every name "
        "in the plan is free.",
        actions=(),
        after=tuple(readings),
    )


def identity_readings(bound: PlanDisk, *, alone: bool, mounted: bool = False) -> tuple[Reading, ...]:
    """The path leads to the planned disk: size, sector, model, serial, WWN; unless `alone`, it is unused as well.

    Of a multipath map the kernel shows none of these names, but the identity by which multipathd joins its paths.
    `mounted`: the disk itself carries a file system of the plan, so that it may be mounted.
    """
    free = "" if alone else "; unused and without partitions"
    if bound.is_map:
        what = f"{bound.role}: the map of the planned multipath disk"
        named = fact("identity", what, dmsetup.uuid_question(bound.path), bound.id, about=(bound.path,))
        return (_numbers(bound), named, *(() if alone or mounted else (_unused(bound, 0),)))
    if mounted:
        question, answer = identity.names_question(bound.path), identity.names_answer
    else:
        question, answer = identity.disk_question(bound.path, alone=alone), identity.disk_answer
    return (
        _numbers(bound),
        fact(
            "identity",
            f"{bound.role}: model, serial number, world-wide name{free}",
            question,
            answer(bound.model, bound.serial, bound.wwn),
            about=(bound.path,),
        ),
    )


def no_other_unit(place: str) -> Reading:
    """No systemd unit except the one generated from fstab mounts anything there."""
    what = f"no systemd unit or drop-in except fstab's is for {place}"
    return fact("unit free", what, systemd.other_units_question(place), "", 0, 1)


def _disk(bound: PlanDisk, partitions: int) -> tuple[Reading, ...]:
    if not partitions:
        return identity_readings(bound, alone=False)
    return (*identity_readings(bound, alone=True), _unused(bound, partitions))


def _numbers(bound: PlanDisk) -> Reading:
    return fact(
        "identity",
        f"{bound.role}: size, sector, writable",
        identity.numbers_question(bound.path),
        identity.numbers_answer(bound.path, bound.logical_sector_bytes, bound.size_bytes),
        about=(bound.path,),
    )


def _unused(bound: PlanDisk, partitions: int) -> Reading:
    return fact(
        "unused",
        f"{bound.role}: the disk and its {partitions} partitions are unused",
        identity.tree_question((bound.path,)),
        identity.tree_answer((bound.path,), partitions),
        about=(bound.path,),
    )


def _machine(context: StepContext) -> tuple[Reading, ...]:
    here = fact("host", f"this machine is {context.names.host}", identity.host_question(), context.names.host)
    if context.machine_id is None:
        return (here,)
    same = fact(
        "machine", "this is the machine of the plan", identity.text_question("/etc/machine-id"), context.machine_id
    )
    return (here, same)


def _names_free(context: StepContext) -> tuple[Reading, ...]:
    names = context.names
    conf = initramfs.mdadm_conf(context.family)
    readings = []
    for array in context.arrays:
        readings.append(fact("name free", f"{array.device} does not exist", identity.absent_question(array.device), ""))
        pattern = f"^ARRAY[[:blank:]]+(/dev/md/)?{array.name}[[:blank:]]"
        readings.append(
            fact(
                "name free", f"{conf} has no array {array.name}", identity.mention_question(pattern, conf), "", 0, 1, 2
            )
        )
    if context.lvm:
        readings.append(
            fact("name free", f"volume group {names.name} does not exist", lvm.group_question(names.name), "")
        )
        folder = f"/dev/{names.name}"
        readings.append(fact("name free", f"{folder} does not exist", identity.absent_question(folder), ""))
    rule = udev_rule.path(names.name)
    if not context.design.layout.plain:
        readings.append(fact("name free", f"{rule} does not exist", identity.absent_question(rule), ""))
    if sets_queue(context.design):
        rule = udev_rule.disks_path(names.name)
        readings.append(fact("name free", f"{rule} does not exist", identity.absent_question(rule), ""))
    if context.alert is not None and context.alert.program:
        program = context.alert.program
        what = f"{program} is an executable file"
        readings.append(fact("setting", what, mdadm.program_question(program), program))
        readings.append(roots_alone(program))
    for path in (conf, fstab.PATH):
        mine = identity.mention_question(names.begin, path)
        readings.append(fact("name free", f"{path} has no lines of this plan", mine, "", 0, 1, 2))
    for place in names.mount_points:
        readings += [
            fact("place free", f"nothing is mounted on {place}", fstab.mounted_question(place), "", 0, 1),
            fact("place free", f"{fstab.PATH} has no entry for {place}", fstab.planned_question(place), "", 0, 1),
            fact("place free", f"{place} is not a symbolic link", identity.not_link_question(place), ""),
            fact("place free", f"{place} is empty or does not exist", fstab.content_question(place), "", 0, 1),
            *(() if context.design.trial else (no_other_unit(place),)),
        ]
    return tuple(readings)
