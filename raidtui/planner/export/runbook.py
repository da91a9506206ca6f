"""A plan as a Markdown document for those who approve, run and maintain it: `runbook`."""

from __future__ import annotations

from raidtui.model.counted import counted
from raidtui.model.paths import STATE_FOLDER
from raidtui.model.plan import Action, Command, Plan, Step, WriteFile
from raidtui.model.safe import safe
from raidtui.model.units import binary_size, decimal_size, grouped
from raidtui.planner.numbers import spares_text
from raidtui.planner.text.markdown_escape import fence, inline, table
from raidtui.planner.text.shell_quote import render_command


def runbook(plan: Plan) -> str:
    """The whole document in Markdown; text of disks and tools is escaped."""
    parts = [_head(plan), _what(plan), _disks(plan)]
    parts += [_step(step) for step in plan.steps]
    return "\n\n".join(parts) + "\n"


def _head(plan: Plan) -> str:
    warning = f"**{counted(len(plan.disks), 'disk')} will be erased.** Their current content cannot be recovered."
    if plan.simulated:
        warning += " The disks of this plan are simulated: the script refuses to run anywhere."
    lines = [
        f"# Runbook: {inline(plan.prediction.layout)} on {inline(plan.host)}",
        "",
        warning,
        "",
        f"- plan {inline(plan.name)}, run `{plan.run_id}`",
        f"- digest `{plan.digest}`",
        "- check first: `bash build.sh --check` writes nothing to a disk and shows the current content of each disk",
        "- build: `bash build.sh` in a terminal that survives a lost connection, such as tmux; "
        f"log and saved signatures go to `{STATE_FOLDER}/{plan.run_id}`",
        f"- to confirm, type `erase {len(plan.disks)} {plan.digest[-8:]}` and the serial number of each disk with "
        "content; the first lines of the script list its limits compared with raidtui",
        f"- undo: `bash undo.sh`. It lists users and files of the arrays, requires `undo {len(plan.disks)} "
        f"{plan.digest[-8:]}` typed, and refuses if something on the arrays does not belong to the plan",
    ]
    for finding in plan.findings:
        lines += [f"- {finding.severity}: {inline(finding.message)}", f"  Way out: {inline(finding.way_out)}"]
    return "\n".join(lines)


def _what(plan: Plan) -> str:
    rows = []
    for array, geometry in zip(plan.arrays, plan.prediction.arrays, strict=False):
        parts = (geometry.level, counted(geometry.members, "member"), spares_text(geometry.spares))
        rows.append((array.device, array.uuid, ", ".join((*parts, _bytes(geometry.array_bytes)))))
    for outer in plan.arrays[len(plan.prediction.arrays) :]:
        what = f"raid0 over the arrays, {_bytes(plan.prediction.volume_bytes)}"
        rows.append((outer.device, outer.uuid, what))
    for made, fs in zip(plan.filesystems, plan.prediction.filesystems, strict=True):
        what = f"{fs.type} on {made.mount_point}, df shows {_bytes(fs.total_bytes)}"
        rows.append((made.device, made.uuid, what))
    return f"## What will be built\n\n{table(('device', 'UUID', 'what'), rows)}"


def _disks(plan: Plan) -> str:
    rows = [
        (
            disk.place.text or "-",
            disk.serial or "-",
            disk.model or "-",
            decimal_size(disk.size_bytes),
            disk.role,
            disk.path,
        )
        for disk in plan.disks
    ]
    heads = ("place", "serial", "model", "size", "becomes", "path")
    return f"## Disks\n\n{table(heads, rows, right=frozenset({3}))}"


def _step(step: Step) -> str:
    parts = [f"## {step.number}. {inline(step.title)}", inline(step.purpose)]
    if step.destroys:
        parts.append(f"**This step erases {counted(len(step.destroys), 'disk')}.**")
    if step.locks:
        parts.append("The step holds the advisory locks (flock) of the disks, so that udev does not open them.")
    if step.actions:
        parts += ["Do:", fence("\n".join(_action(action) for action in step.actions), "sh")]
    if step.after:
        parts += ["Must be true:", "\n".join(f"- {inline(reading.what)}" for reading in step.after)]
    if step.undo:
        parts += ["Undo:", fence("\n".join(_action(action) for action in step.undo), "sh")]
    if step.undo_note:
        parts.append(inline(step.undo_note))
    return "\n\n".join(parts)


def _action(action: Action) -> str:
    match action:
        case Command(only_if=None):
            return render_command(action)
        case Command():
            assert action.only_if is not None
            return f"# only if {safe(action.only_if.what)}\n{render_command(action)}"
        case WriteFile(text=""):
            return f"# remove this plan's lines from {safe(action.path)}"
        case WriteFile():
            return f"# {'add to' if action.fenced else 'write'} {safe(action.path)}:\n{action.text}"


def _bytes(count: int) -> str:
    return f"{grouped(count)} bytes ({binary_size(count)})"
