"""The step that sets I/O scheduler and queue depth of the disks, by a udev rule file of the plan."""

from __future__ import annotations

from raidtui.model.design import Design
from raidtui.model.plan import PlanDisk, Reading, Step, WriteFile
from raidtui.planner.compile.step_builder import StepContext, fact, only_if
from raidtui.tools import identity, lsblk, udev_rule

QUEUES = "disk-queues"
"""file in the run's directory: I/O scheduler and queue depth of each disk before the plan"""


def sets_queue(design: Design) -> bool:
    """True if the plan sets the I/O scheduler or the queue depth of its disks."""
    return design.io_scheduler is not None or design.queue_depth is not None


def queue_text(design: Design) -> str:
    """`I/O scheduler` and `queue depth`, those that the plan sets."""
    named = (("I/O scheduler", design.io_scheduler), ("queue depth", design.queue_depth))
    return " and ".join(name for name, value in named if value is not None)


def is_queue_step(step: Step, name: str) -> bool:
    """True for the step that writes the rule of the plan with this name."""
    path = udev_rule.disks_path(name)
    return any(isinstance(action, WriteFile) and action.path == path for action in step.actions)


def queue_undone_text(design: Design, *, restored: bool) -> str:
    """What the disks have after an undo; empty if the plan sets nothing of the kind."""
    if not sets_queue(design):
        return ""
    if restored:
        return f"the disks have the {queue_text(design)} from before the plan"
    return f"the disks keep the running {queue_text(design)} until the next boot"


def queue_step(context: StepContext) -> Step:
    """Writes a udev rule that sets the values of each disk, spares included, now and whenever it appears."""
    design, path, text = context.design, udev_rule.disks_path(context.names.name), _rule_text(context)
    same = fact("setting", f"{path} is as planned", identity.digest_question(path), identity.digest_answer(path, text))
    named = (("I/O scheduler", design.io_scheduler), ("Queue depth", design.queue_depth))
    values = "; ".join(f"{name} {value}" for name, value in named if value is not None)
    return Step(
        number=0,
        stage="tune",
        title=f"Set the {queue_text(design)} of the disks",
        purpose=f"{values}: for each of the {len(context.disks)} disks, spares included, by a udev rule that finds "
        "them by their identity, now and at every boot.",
        actions=(
            WriteFile(path=path, text=text),
            udev_rule.reload(),
            *(udev_rule.trigger(disk.path) for disk in context.disks),
        ),
        after=(same, *(reading for disk in context.disks for reading in _readings(design, disk))),
        undo=(
            only_if(same, identity.remove((path,))),
            udev_rule.reload(),
            # other rules of the machine may set values of their own; a disk that is absent is left out
            *(only_if(_readings(design, disk)[0], udev_rule.trigger(disk.path)) for disk in context.disks),
        ),
        undo_note=f"The {queue_text(design)} that each disk had before is kept with the run; an undo sets it again "
        "unless another udev rule of the machine sets its own.",
    )


def _rule_text(context: StepContext) -> str:
    design = context.design
    return "\n".join(
        (
            f"# Disks of {context.names.name}, made by raidtui plan {context.names.run_id}.",
            *(udev_rule.disk_line(disk.path, design.io_scheduler, design.queue_depth) for disk in context.disks),
        )
    )


def _readings(design: Design, disk: PlanDisk) -> tuple[Reading, ...]:
    """The kernel shows the planned values; at least one."""
    found = []
    if design.io_scheduler is not None:
        what = f"the I/O scheduler of {disk.path} is {design.io_scheduler}"
        found.append(
            fact("setting", what, lsblk.scheduler_question(disk.path), design.io_scheduler, about=(disk.path,))
        )
    if design.queue_depth is not None:
        found.append(
            fact(
                "setting",
                f"the queue depth of {disk.path} is {design.queue_depth}",
                udev_rule.attributes_question(disk.path),
                udev_rule.attribute_answer(str(design.queue_depth)),
                key=udev_rule.QUEUE_DEPTH_KEY,
                about=(disk.path,),
            )
        )
    return tuple(found)
