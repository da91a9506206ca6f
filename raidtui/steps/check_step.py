"""Step 1: all checks that are possible before the first write."""

from __future__ import annotations

import re

from raidtui.programs import identity, initramfs, lvm, mdadm, mount, multipath, systemd, udev, wipefs
from raidtui.steps.boot_steps import (
    alert_readings,
    conf_text,
    fstab_text,
    mounted_reading,
    option_readings,
    roots_alone,
)
from raidtui.steps.crypt_steps import crypt_readings, known_readings, names_free
from raidtui.steps.disk_binding import marked
from raidtui.steps.disk_steps import sets_queue, table_readings
from raidtui.steps.step_builder import (
    StepContext,
    block_facts,
    data_starts,
    devices_work,
    fact,
    group_text,
    in_groups,
    member_is_ours,
)
from raidtui.steps.volume_steps import geometry_readings
from raidtui.values.errors import Stale
from raidtui.values.plan import PlanArray, PlanDisk, Reading, Step


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
        named = fact("identity", what, multipath.uuid_question(bound.path), bound.id, about=(bound.path,))
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
    rule = udev.path(names.name)
    if not context.design.layout.plain:
        readings.append(fact("name free", f"{rule} does not exist", identity.absent_question(rule), ""))
    if sets_queue(context.design):
        rule = udev.disks_path(names.name)
        readings.append(fact("name free", f"{rule} does not exist", identity.absent_question(rule), ""))
    if context.alert is not None and context.alert.program:
        program = context.alert.program
        what = f"{program} is an executable file"
        readings.append(fact("setting", what, mdadm.program_question(program), program))
        readings.append(roots_alone(program))
    for path in (conf, mount.PATH):
        mine = identity.mention_question(names.begin, path)
        readings.append(fact("name free", f"{path} has no lines of this plan", mine, "", 0, 1, 2))
    readings += names_free(context)
    for place in names.mount_points:
        readings += [
            fact("place free", f"nothing is mounted on {place}", mount.mounted_question(place), "", 0, 1),
            fact("place free", f"{mount.PATH} has no entry for {place}", mount.planned_question(place), "", 0, 1),
            fact("place free", f"{place} is not a symbolic link", identity.not_link_question(place), ""),
            fact("place free", f"{place} is empty or does not exist", mount.content_question(place), "", 0, 1),
            *(() if context.design.trial else (no_other_unit(place),)),
        ]
    return tuple(readings)


# The value that the output of a reading's command has, by the same rules as `ask` in the scripts.


def answer_value(reading: Reading, exit_code: int, stdout: str) -> str | None:
    """The value of the reading's key; None if the exit code is not a good one or the output lacks the key."""
    found = values_of(reading.key, exit_code, stdout, reading.question.good_exits)
    return " ".join(found) if reading.every and found else next(iter(found), None)


def value_of(key: str, exit_code: int, stdout: str) -> str | None:
    """The value of `key` in the output, the whole output for an empty key; None if the key is missing."""
    return next(iter(values_of(key, exit_code, stdout)), None)


def values_of(key: str, exit_code: int, stdout: str, good_exits: tuple[int, ...] = (0,)) -> tuple[str, ...]:
    """The value of each line of the output with that `key`, the whole output for an empty key."""
    if exit_code not in good_exits:
        return ()
    if not key:
        return (stdout.strip(),)
    line = re.compile(rf"[ \t]*{re.escape(key)}[ \t]*[=:][ \t]*(.*[^ \t])[ \t]*")
    return tuple(match[1] for match in map(line.fullmatch, stdout.splitlines()) if match)


def holds(reading: Reading, exit_code: int, stdout: str) -> bool:
    """True if the value equals the reading's expected answer."""
    return answer_value(reading, exit_code, stdout) == reading.answer


def require(reading: Reading, exit_code: int, stdout: str) -> None:
    """Raises Stale unless the value equals the reading's expected answer."""
    got = answer_value(reading, exit_code, stdout)
    if got != reading.answer:
        what = "no answer" if got is None else f"'{got}', not '{reading.answer}'"
        raise Stale(f"not as planned: {reading.what}: {what}", hint=f"check with: {' '.join(reading.question.argv)}")


# The last step: verifies the finished build as a whole.


def verify_step(context: StepContext) -> Step:
    """Checks that members, roles, offsets, file systems, mounts and configuration equal the plan."""
    readings: list[Reading] = []
    for disk in context.disks:
        readings += table_readings(disk)
    for array, of_array in zip(context.data_arrays, context.md_geometries, strict=True):
        readings += _member_readings(context, array, of_array.data_offset_sectors)
    for mirror, of_mirror in context.journal_mirrors:
        readings += _member_readings(context, mirror, of_mirror.data_offset_sectors)
    if context.design.layout.plain and context.lvm:
        marks = [(device, context.names.volume_uuid(part)) for part, device in context.parts]
        readings += [marked(device, uuid) for device, uuid in marks]
    for number in range(len(context.crypts)):
        readings += crypt_readings(context, number)
    readings += known_readings(context)
    for number, made in enumerate(context.filesystems):
        geometry = context.prediction.filesystems[number]
        readings += geometry_readings(context, number)
        readings.append(mounted_reading(made))
        size = f"{geometry.block_bytes} {geometry.statfs_blocks}"
        readings.append(
            fact(
                "predicted",
                f"df shows {geometry.total_bytes} bytes on {made.mount_point}",
                mount.space_question(made.mount_point),
                size,
            )
        )
    if context.design.trial is None:
        if not context.design.layout.plain:
            readings.append(block_facts(context, initramfs.mdadm_conf(context.family), conf_text(context)))
        readings += alert_readings(context)
        if context.filesystems:
            readings.append(block_facts(context, mount.PATH, fstab_text(context)))
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
    roles += [(array.journal, "Journal")] if array.journal is not None else []
    for disk, role in roles:
        path = context.member_path(array, disk)
        readings.append(member_is_ours(path, array))
        if context.design.metadata == "0.90":
            continue
        readings.append(fact("predicted", f"{path} has the role {role}", mdadm.examine(path), role, key="Device Role"))
        if context.design.metadata == "1.2":
            readings.append(data_starts(path, offset))
    return readings
