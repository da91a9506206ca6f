"""All checks before the first write, on a new inventory of the machine. One error refuses the build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidtui.advice.boot.next_boot import check_boot, planned_arrays
from raidtui.predict.checks.file_system import WRITES
from raidtui.predict.checks.layout import MOST_ARRAYS
from raidtui.predict.checks.versions import differing
from raidtui.predict.disks.holds import container_uuids, held_by, holders, way_out
from raidtui.programs.features import PACKAGES, programs
from raidtui.steps.build import as_planned, differences, recompiled
from raidtui.steps.check_step import answer_value
from raidtui.steps.disk_binding import as_accepted, contents, path_of
from raidtui.values.choices import Scheduler
from raidtui.values.codec import by_key, document_digest
from raidtui.values.errors import RaidtuiError
from raidtui.values.facts import Answer, Facts
from raidtui.values.findings import LONGEST, Finding, error, warning
from raidtui.values.inventory import Disk, DiskContent, Inventory
from raidtui.values.layout import LEVEL_TRAITS
from raidtui.values.paths import place_fault, written_fault
from raidtui.values.plan import Plan, PlanDisk, Reading, meaning
from raidtui.values.safe import safe
from raidtui.values.target import TargetVersions
from raidtui.values.units import MIB, binary_size, grouped

# Preflight of the disks: each must be present, the planned one, unused, and unchanged since planning.
# Every error names the disk by place and serial number, its user, and the remedy.


_LONG = 80
_PLAN_AGAIN = "check it with raidtui disks, then plan again"


def check_disks(plan: Plan, inventory: Inventory) -> Iterator[Finding]:
    """Findings about every disk of the plan: errors, and a warning for each disk that a process reads."""
    known = {disk.id: disk for disk in inventory.disks if disk.id}
    for planned in plan.disks:
        disk = known.get(planned.id)
        if disk is None:
            yield _absent(plan, planned, inventory)
            continue
        found = [*_changed(planned, disk), *_held(planned, disk)]
        yield from found or _left(planned, disk)
        yield from _read(planned, disk)
    yield from _straddling(plan, inventory)


def check_identities(plan: Plan, inventory: Inventory) -> Iterator[Finding]:
    """Errors unless each disk of the plan is present once and is the planned one; content is not checked."""
    known = {disk.id: disk for disk in inventory.disks if disk.id}
    for planned in plan.disks:
        disk = known.get(planned.id)
        if disk is None:
            yield _absent(plan, planned, inventory)
        else:
            yield from _changed(planned, disk)


def display_name(planned: PlanDisk) -> str:
    """`slot 3, enclosure 0x500 (MODEL, serial S003)`."""
    model = safe(planned.model or "no model", longest=LONGEST)
    return f"{safe(planned.place.text or planned.path, longest=LONGEST)} ({model}, serial {_serial(planned)})"


def _serial(planned: PlanDisk) -> str:
    return safe(planned.serial or "unknown", longest=LONGEST)


def _absent(plan: Plan, planned: PlanDisk, inventory: Inventory) -> Finding:
    twins = [disk for disk in inventory.disks if not disk.id and _same_names(planned, disk)]
    if len(twins) > 1:
        names = ", ".join(safe(disk.kernel_name) for disk in twins)
        return error(
            "disk-duplicated",
            f"{len(twins)} devices claim to be the disk in {display_name(planned)}: {names}.",
            "disconnect the clone; where they are paths to one disk, start multipathd and plan again on its map",
            planned.id,
        )
    here = next((disk for disk in inventory.disks if _same_names(planned, disk)), None)
    if here is not None:
        name = safe(here.kernel_name or here.id)
        return error(
            "disk-changed",
            f"The disk in {display_name(planned)} is {name} by serial number, but its identity is no longer "
            f"{planned.id}.",
            _PLAN_AGAIN,
            planned.id,
        )
    ours = {disk.id for disk in plan.disks}
    if planned.bound_by_path:
        others = (disk for disk in inventory.disks if disk.bound_by_path and disk.id not in ours)
        equal = next((disk.path for disk in others if disk.size_bytes == planned.size_bytes), None)
        elsewhere = "" if equal is None else f"; an equal disk is at {safe(equal, longest=_LONG)}"
        return error(
            "disk-missing",
            f"No disk is at {safe(planned.path, longest=_LONG)}, by which alone the plan knows one{elsewhere}.",
            "attach it there again, or let udev restore the link: udevadm trigger --settle --subsystem-match=block; "
            "else plan again",
            planned.id,
        )
    other = next((disk for disk in inventory.disks if disk.id not in ours and _same_place(planned, disk)), None)
    if other is not None:
        serial = safe(other.serial or "unknown", longest=LONGEST)
        return error(
            "disk-missing",
            f"The disk in {display_name(planned)} is missing; in its place is another: "
            f"{safe(other.model or 'no model', longest=LONGEST)}, serial {serial}, "
            f"{grouped(other.size_bytes)} bytes, planned {grouped(planned.size_bytes)}.",
            "put the planned disk back, or plan again: sizes and bands of a plan are those of its own disks",
            planned.id,
        )
    return error(
        "disk-missing",
        f"The disk in {display_name(planned)} is missing.",
        "insert it and wait until raidtui disks lists it, or plan again without it",
        planned.id,
    )


def _same_place(planned: PlanDisk, disk: Disk) -> bool:
    where = planned.place
    here = (disk.place.slot, disk.place.enclosure or "")
    return bool(disk.place.slot) and here == (where.slot, where.enclosure)


def _same_names(planned: PlanDisk, disk: Disk) -> bool:
    if planned.own_wwn is not None and disk.own_wwn == planned.own_wwn:
        return True
    return bool(planned.serial) and (disk.serial, disk.model) == (planned.serial, planned.model)


def _changed(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    """Errors about changes of the disk itself: size, sector, serial number, model, WWN, path."""
    pairs: tuple[tuple[str, object, object], ...] = (
        ("bytes", grouped(planned.size_bytes), grouped(disk.size_bytes)),
        ("bytes per sector", planned.logical_sector_bytes, disk.logical_sector_bytes),
        ("serial number", planned.serial, disk.serial),
        ("model", planned.model, disk.model),
        ("world-wide name", planned.wwn, disk.wwn),
        ("path", planned.path, path_of(disk)),
    )
    for what, before, now in pairs:
        if before != now:
            yield error(
                "disk-changed",
                f"The disk in {display_name(planned)} is not as planned: {what} {_value(now)}, "
                f"planned {_value(before)}.",
                _PLAN_AGAIN,
                planned.id,
            )


def _value(value: object) -> str:
    return "none" if value is None else safe(str(value), longest=_LONG)


def _held(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    for use in holders(disk):
        yield error(f"disk-{use.kind}", _cannot_build(planned, held_by(use)), way_out(use), planned.id)


def _cannot_build(planned: PlanDisk, reason: str) -> str:
    return f"Cannot build on the disk in {display_name(planned)}: {safe(reason, longest=3 * _LONG)}."


def _read(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    """Warnings about processes that read the disk; they may report errors when it is erased."""
    readers = [each for each in disk.opened_by if not each.writing]
    if readers:
        names = ", ".join(dict.fromkeys(f"{each.command} (pid {each.process})" for each in readers))
        yield warning(
            "disk-read",
            f"The disk in {display_name(planned)} is open for reading by {safe(names, longest=_LONG)}.",
            "do not build if that process needs the disk's content; fuser --verbose shows it",
            planned.id,
        )


def _left(planned: PlanDisk, disk: Disk) -> Iterator[Finding]:
    """Errors if the content of an unused disk differs from the plan."""
    now = contents(as_accepted(planned, disk))
    if disk.state == "unknown":
        yield error(
            "disk-unknown",
            f"The content of the disk in {display_name(planned)} cannot be read; unknown does not count as blank.",
            f"{safe(disk.not_selectable or 'read it as root', longest=3 * _LONG)}; then build",
            planned.id,
        )
    elif now != planned.content:
        before = _listed(planned.content) or "blank"
        yield error(
            "disk-not-blank" if not planned.content else "disk-content-changed",
            f"The disk in {display_name(planned)} holds {_listed(now) or 'nothing'}; when the plan was made: {before}.",
            f"if that may be erased, {_PLAN_AGAIN}",
            planned.id,
        )
    elif disk.fingerprint != planned.fingerprint:
        yield error(
            "disk-content-changed",
            f"The content of the disk in {display_name(planned)} changed since the plan was made: {_listed(now)}.",
            f"if that may be erased, {_PLAN_AGAIN}",
            planned.id,
        )
    elif disk.not_selectable is not None:
        yield error(
            "disk-not-selectable",
            _cannot_build(planned, disk.not_selectable),
            "end that use with its own tool, then plan again",
            planned.id,
        )


def _listed(content: tuple[DiskContent, ...]) -> str:
    return safe("; ".join(map(str, content)), longest=2 * _LONG)


def _straddling(plan: Plan, inventory: Inventory) -> Iterator[Finding]:
    """Errors if the plan contains only some disks of an old array or multi-disk file system."""
    ours = {planned.id: planned for planned in plan.disks}
    pieces = by_key((uuid, disk) for disk in inventory.disks for uuid in container_uuids(disk))
    for uuid, disks in pieces.items():
        inside = [ours[disk.id] for disk in disks if disk.id in ours]
        outside = [disk for disk in disks if disk.id not in ours]
        if inside and outside:
            rest = ", ".join(f"{safe(disk.kernel_name)} (serial {safe(disk.serial or 'unknown')})" for disk in outside)
            yield error(
                "disk-straddles",
                f"The disk in {display_name(inside[0])} is part of {uuid}; the others are not in the plan: {rest}.",
                "include all of its disks in the plan, or none",
                inside[0].id,
            )


# Preflight of the machine: identity, privileges, kernel modules, tools, space, names, running syncs.


ROOM = 64 * MIB
"""free bytes required in the run's directory: journal, output of commands, saved signatures"""
_LONGEST = 80
_SCHEDULERS: dict[Scheduler, tuple[str, ...]] = {
    "none": (),
    "mq-deadline": ("mq-deadline",),
    "bfq": ("bfq",),
    "kyber": ("kyber-iosched",),
}
"""the kernel loads the module when its name is written to queue/scheduler"""


def check_machine(plan: Plan, inventory: Inventory, facts: Facts, *, during_sync: bool) -> Iterator[Finding]:
    """Findings about machine, tools, kernel, space and names; `during_sync`: syncs of other arrays are accepted."""
    yield from _where(plan, inventory, facts)
    yield from _versions(plan, facts)
    yield from _needs(facts)
    yield from _queues(plan, facts)
    yield from _zeroes(plan, facts)
    yield from _room(facts)
    if facts.holder:
        yield error(
            "locked",
            f"Another run holds the lock: {safe(facts.holder, longest=_LONGEST)}.",
            "raidtui status shows it, raidtui build --attach follows it; wait until it ends",
        )
    if facts.syncs and not during_sync:
        yield error(
            "sync-elsewhere",
            f"Other arrays are syncing: {safe(', '.join(facts.syncs), longest=_LONGEST)}; they and the build would "
            "slow each other down.",
            "wait until /proc/mdstat shows no sync, or use --during-sync",
        )
    if facts.arrays + len(plan.arrays) > MOST_ARRAYS:
        yield error(
            "no-minor-numbers",
            f"{facts.arrays} md devices exist and the plan needs {len(plan.arrays)} more; mdadm can number at most "
            f"{MOST_ARRAYS}.",
            "stop arrays that are not needed",
        )
    yield from _names(plan, facts.answers)
    yield from _paths(facts)
    if facts.boot is not None and plan.design.trial is None:  # a trial does not outlive a boot
        yield from check_boot(planned_arrays(plan, built=False), facts.boot)
    if facts.foreign_program and any(step.stage == "monitor" for step in plan.steps):
        yield error(
            "program-not-roots",
            f"mdadm's monitor would run as root what others can change: {safe(facts.foreign_program)}.",
            meaning("root's alone").way_out,
        )
    reported = plan.alert is not None and plan.alert.program
    if facts.no_alarm and not reported and any(step.stage == "monitor" for step in plan.steps):
        yield warning(
            "no-alarm",
            f"Disk failures will not be reported: {facts.no_alarm}.",
            "install a mail transfer agent (msmtp-mta, postfix), or set PROGRAM in mdadm.conf; the build can go on",
        )


def tools_of(plan: Plan) -> tuple[str, ...]:
    """Every program that the plan, its undo and their readings run, sorted."""
    names: set[str] = set()
    for step in plan.steps:
        commands = (*step.commands, *step.undo_commands)
        conditions = (command.only_if for command in commands if command.only_if is not None)
        calls = [*(command.argv for command in commands)]
        calls += [reading.question.argv for reading in (*step.after, *conditions)]
        names.update(program for argv in calls for program in programs(argv))
    return tuple(sorted(names))


def modules_of(plan: Plan) -> tuple[str, ...]:
    """Kernel modules that the plan needs, md first; none of md without arrays."""
    layout = plan.design.layout
    names = [] if layout.plain else ["md-mod", *(LEVEL_TRAITS[group.shape.level].module for group in layout.groups)]
    match plan.prediction.volume:
        case None:
            pass
        case volume:
            names.append("dm-mod" if volume.kind == "lvm" else "raid0")
    if plan.crypts:
        names += ["dm-mod", "dm-crypt"]
    if plan.design.io_scheduler is not None:
        names += _SCHEDULERS[plan.design.io_scheduler]
    return tuple(dict.fromkeys([*names, *(made.type for made in plan.prediction.filesystems)]))


def _paths(facts: Facts) -> Iterator[Finding]:
    """Files that root would write, and directories that it would mount on, which are not root's alone."""
    for seen in facts.files:
        if fault := written_fault(seen):
            yield error("file-not-roots", f"The build writes {safe(seen.path)}, but {fault.message}.", fault.way_out)
    for seen in facts.places:
        if fault := place_fault(seen, "choose another --mount and plan again"):
            message = f"The build mounts on {safe(seen.path)}, but {fault.message}."
            yield error("mount-point-not-roots", message, fault.way_out)


def _where(plan: Plan, inventory: Inventory, facts: Facts) -> Iterator[Finding]:
    if plan.simulated != inventory.simulated:
        kind = "simulated disks" if plan.simulated else "real disks"
        yield error("plan-simulated", f"The plan was made for {kind}.", "plan again on the disks of this machine")
    if plan.machine_id != inventory.machine_id:
        yield error(
            "other-machine",
            f"The plan was made for machine id {plan.machine_id or 'none'}, this machine has "
            f"{safe(inventory.machine_id or 'none', longest=_LONGEST)}.",
            meaning("machine").way_out,
        )
    if plan.host != facts.host:
        yield error(
            "other-host",
            f"The plan was made for host {safe(plan.host)}, this is {safe(facts.host, longest=_LONGEST)}.",
            meaning("host").way_out,
        )
    if not facts.root:
        yield error("not-root", "A build needs root privileges.", "run it as root: sudo raidtui ...")
    if facts.container:
        yield error(
            "in-container",
            f"This is a container ({safe(facts.container, longest=_LONGEST)}); disks belong to its host.",
            "run raidtui on the host itself",
        )


def _versions(plan: Plan, facts: Facts) -> Iterator[Finding]:
    """What this machine does otherwise than the one that the plan was made for."""
    if facts.target is None:
        return
    members = {member for array in plan.data_arrays for member in array.members}
    sizes = [disk.size_bytes for disk in plan.disks if disk.id in members]
    made_for = plan.design.target or TargetVersions()
    for found in differing(plan.design, sizes, facts.target):
        where = f"The plan was made for {safe(str(made_for))}; this is {safe(str(facts.target), longest=_LONGEST)}. "
        yield replace(found, message=where + found.message)


def _needs(facts: Facts) -> Iterator[Finding]:
    for name in facts.absent_modules:
        yield error(
            "module-absent",
            f"The running kernel has no module {name}.",
            f"modprobe {name} shows the reason; after a kernel update, reboot into the kernel with installed modules",
        )
    for name in facts.absent_tools:
        package = PACKAGES.get(name)
        yield error("tool-absent", f"{name} is not installed.", f"install {package or 'it'}")
    for feature in facts.absent_features:
        program, _, word = feature.partition(" ")
        yield error(
            "tool-too-old",
            f"The installed {program} does not support {word}, which the plan uses.",
            f"install a newer {PACKAGES.get(program, program)}",
        )


def _queues(plan: Plan, facts: Facts) -> Iterator[Finding]:
    depth = plan.design.queue_depth
    limits = {limit.path: limit.most for limit in facts.queue_limits}
    for disk in plan.disks:
        most = limits.get(disk.path)
        if depth is None or most is None or depth <= most:
            continue
        found = f"its controller takes at most {most} requests" if most else "its driver has none that can be set"
        yield error(
            "queue-depth-of-disk",
            f"The disk in {display_name(disk)} cannot get a queue depth of {depth}: {found}.",
            f"plan with --queue-depth {most} or less" if most else "plan without --queue-depth",
            disk.id,
        )


def _zeroes(plan: Plan, facts: Facts) -> Iterator[Finding]:
    for disk in plan.disks:
        if disk.path in facts.no_write_zeroes:
            yield error(
                "no-write-zeroes",
                f"The disk in {display_name(disk)} has no Write Zeroes: {WRITES}.",
                "plan with --first-sync resync",
                disk.id,
            )


def _room(facts: Facts) -> Iterator[Finding]:
    if facts.folder_problem:
        yield error(
            "no-journal",
            f"The journal cannot be written in {safe(facts.folder)}: {safe(facts.folder_problem, longest=_LONGEST)}.",
            "make the directory writable for root, on a disk that is not in the plan",
        )
    elif facts.room_bytes is not None and facts.room_bytes < ROOM:
        yield error(
            "no-room",
            f"{safe(facts.folder)} has {binary_size(facts.room_bytes)} free; a run may need {binary_size(ROOM)}.",
            "free space there",
        )


def _names(plan: Plan, answers: tuple[Answer, ...]) -> Iterator[Finding]:
    """Readings of the first step whose value differs from the plan."""
    given = {answer.question: answer for answer in answers}
    for reading in plan.steps[0].after if plan.steps else ():
        answer = given.get(reading.question)
        if answer is None:
            continue
        got = answer_value(reading, answer.exit, answer.stdout)
        if got != reading.answer:
            yield _not_so(plan, reading, got)


def _not_so(plan: Plan, reading: Reading, got: str | None) -> Finding:
    found = "" if got is None else f" (found '{safe(got, longest=_LONGEST)}')"
    asked_of = [display_name(disk) for disk in plan.disks if disk.path in reading.about]
    where = f"the disk in {asked_of[0]}, " if len(asked_of) == 1 else ""
    return error(reading.code, f"Requirement not met: {where}{safe(reading.what)}{found}.", reading.way_out)


STALE = frozenset(
    {
        "disk-missing", "disk-duplicated", "disk-changed", "disk-not-blank", "disk-content-changed", "other-machine",
        "other-host", "plan-changed", "plan-differs", "plan-simulated",
    }
)  # fmt: skip
"""codes of findings that only a new plan resolves"""


def preflight(
    plan: Plan, inventory: Inventory, facts: Facts, *, during_sync: bool = False,
    of_plan: tuple[Finding, ...] | None = None,
) -> tuple[Finding, ...]:  # fmt: skip
    """Findings about building `plan` on the machine of `inventory` and `facts`; errors refuse the build.

    `of_plan`: result of `check_plan`, if the caller has it, since that recompiles the whole plan.
    """
    return (
        *(check_plan(plan, inventory) if of_plan is None else of_plan),
        *check_machine(plan, inventory, facts, during_sync=during_sync),
    )


def check_plan(plan: Plan, inventory: Inventory) -> tuple[Finding, ...]:
    """Errors if `plan` is not, or no longer, the plan for these disks; needs only the inventory."""
    disks = tuple(check_disks(plan, inventory))
    return disks or tuple(_genuine(plan, inventory))


def check_begun(plan: Plan, inventory: Inventory) -> tuple[Finding, ...]:
    """Identity findings for a plan whose journal claims that it was started; disk content is not checked."""
    return check_plan(plan, as_planned(plan, inventory))


def questions(plan: Plan, of_plan: tuple[Finding, ...]) -> tuple[Reading, ...]:
    """The readings of the first step; none if `check_plan` found errors, since the commands cannot be trusted then."""
    return () if of_plan or not plan.steps else plan.steps[0].after


def _genuine(plan: Plan, inventory: Inventory) -> list[Finding]:
    """Errors unless recompiling the plan from its design on these disks gives a plan that does the same."""
    if document_digest(plan) != plan.digest:
        return [
            error("plan-changed", "The plan was changed after it was made: its digest does not match.", "plan again")
        ]
    try:
        fresh = recompiled(plan, inventory)
    except RaidtuiError as problem:
        way_out = safe(problem.hint or "plan again")
        return [error("plan-differs", f"The plan cannot be recompiled on this machine: {safe(str(problem))}.", way_out)]
    listed = "; ".join(differences(plan, fresh))
    if not listed:
        return []
    return [error("plan-differs", f"The plan differs from a new plan of its design: {listed}.", "plan again")]
