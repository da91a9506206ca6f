"""Preflight of the machine: identity, privileges, kernel modules, tools, space, names, running syncs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidtui.model.choices import Scheduler
from raidtui.model.facts import Answer, Facts
from raidtui.model.finding import Finding
from raidtui.model.inventory import Inventory
from raidtui.model.layout import MdLevel
from raidtui.model.path_parts import place_fault, written_fault
from raidtui.model.plan import Plan, Reading
from raidtui.model.role import meaning
from raidtui.model.safe import safe
from raidtui.model.target import TargetVersions
from raidtui.model.units import MIB, binary_size
from raidtui.planner.boot.arrays import planned_arrays
from raidtui.planner.boot.next_boot import check_boot
from raidtui.planner.checks.design import MOST_ARRAYS
from raidtui.planner.checks.first_sync import WRITES
from raidtui.planner.checks.versions import differing
from raidtui.planner.compile.postcondition import answer_value
from raidtui.planner.findings import error, warning
from raidtui.planner.preflight.disks import display_name
from raidtui.tools.features import PACKAGES, programs

ROOM = 64 * MIB
"""free bytes required in the run's directory: journal, output of commands, saved signatures"""
_LONG = 80
_MODULES: dict[MdLevel, str] = {
    "raid4": "raid456",
    "raid5": "raid456",
    "raid6": "raid456",
    "raid10": "raid10",
    "raid1": "raid1",
    "raid0": "raid0",
}
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
            f"Another run holds the lock: {safe(facts.holder, longest=_LONG)}.",
            "raidtui status shows it, raidtui build --attach follows it; wait until it ends",
        )
    if facts.syncs and not during_sync:
        yield error(
            "sync-elsewhere",
            f"Other arrays are syncing: {safe(', '.join(facts.syncs), longest=_LONG)}; they and the build would "
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
    names = [] if layout.plain else ["md-mod", *(_MODULES[group.md_level] for group in layout.groups)]
    match plan.prediction.volume:
        case None:
            pass
        case volume:
            names.append("dm-mod" if volume.kind == "lvm" else "raid0")
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
            f"{safe(inventory.machine_id or 'none', longest=_LONG)}.",
            meaning("machine").way_out,
        )
    if plan.host != facts.host:
        yield error(
            "other-host",
            f"The plan was made for host {safe(plan.host)}, this is {safe(facts.host, longest=_LONG)}.",
            meaning("host").way_out,
        )
    if not facts.root:
        yield error("not-root", "A build needs root privileges.", "run it as root: sudo raidtui ...")
    if facts.container:
        yield error(
            "in-container",
            f"This is a container ({safe(facts.container, longest=_LONG)}); disks belong to its host.",
            "run raidtui on the host itself",
        )


def _versions(plan: Plan, facts: Facts) -> Iterator[Finding]:
    """What this machine does otherwise than the one that the plan was made for."""
    if facts.target is None:
        return
    members = {member for array in plan.arrays for member in array.members}
    sizes = [disk.size_bytes for disk in plan.disks if disk.id in members]
    made_for = plan.design.target or TargetVersions()
    for found in differing(plan.design, sizes, facts.target):
        where = f"The plan was made for {safe(str(made_for))}; this is {safe(str(facts.target), longest=_LONG)}. "
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
            f"The journal cannot be written in {safe(facts.folder)}: {safe(facts.folder_problem, longest=_LONG)}.",
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
    found = "" if got is None else f" (found '{safe(got, longest=_LONG)}')"
    asked_of = [display_name(disk) for disk in plan.disks if disk.path in reading.about]
    where = f"the disk in {asked_of[0]}, " if len(asked_of) == 1 else ""
    return error(reading.code, f"Requirement not met: {where}{safe(reading.what)}{found}.", reading.way_out)
