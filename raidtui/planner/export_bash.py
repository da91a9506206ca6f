"""A plan as a bash script that an admin can read, check and run: `script`."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.errors import Refused
from raidtui.model.plan import Action, Command, Plan, Reading, Step
from raidtui.planner.bash_fold import folded, subject
from raidtui.planner.bash_frame import action_text, head, question_text
from raidtui.planner.shell import comment, quote

_WAY_BACK = "To take back what was done, run the undo script of this plan; old content of wiped disks is gone."


def script(plan: Plan) -> str:
    """The whole script. `--check` looks and writes nothing; it asks for a typed phrase before the first write."""
    if plan.design.trial is not None:
        raise Refused("a trial is carried out by raidtui tune only, which takes it back", hint="make a plan to keep")
    first, rest = plan.steps[0], plan.steps[1:]
    actions = tuple(action for step in plan.steps for action in step.actions)
    parts = [
        head(plan, "Builds what the plan says, step by step, and reads everything back.", _WAY_BACK, actions),
        _check_text(first),
        _gate(plan),
    ]
    disks = [disk.path for disk in plan.disks]
    for before, step, after in zip((first, *rest), rest, (*rest[1:], None), strict=False):
        parts.append(_step_text(before, step, after, disks))
    parts.append(f"say {quote(f'Done: plan {plan.name}, digest {plan.digest[:8]}, is built and read back.')}")
    return "\n".join(parts) + "\n"


def _check_text(step: Step) -> str:
    readings = "\n".join(question_text("must", reading, indent="  ") for reading in step.after)
    purpose = comment(f"Step {step.number}. {step.purpose}")
    return f"{purpose}\ncheck() {{\n  step {quote(_heading(step))}\n  one_disk_each\n{readings}\n}}\n"


def _gate(plan: Plan) -> str:
    sentence = quote(f"All content of {len(plan.disks)} disks will be lost.")
    return "\n".join(
        (
            "checking=yes",
            "check",
            "checking=",
            'if [[ $wrong -gt 0 ]]; then stop 4 "$wrong checks failed; nothing was written"; fi',
            'if [[ -n $only_check ]]; then say "All checks hold; nothing was written."; exit 0; fi',
            f"confirm {sentence}",
            comment("Between the checks and an answer typed by hand anything may have happened: look again."),
            "if [[ -z $given_tail ]]; then",
            "  checking=yes",
            "  check",
            "  checking=",
            '  if [[ $wrong -gt 0 ]]; then stop 4 "$wrong checks failed; nothing was written"; fi',
            "fi",
            "exec {lock}>/run/raidtui.lock",
            'flock --nonblock "$lock" || stop 5 "another raidtui script is running"',
            "start_log",
            "",
        )
    )


def _step_text(before: Step, step: Step, after: Step | None, disks: Sequence[str]) -> str:
    lines = [comment(f"Step {step.number}. {step.purpose}"), f"step {quote(_heading(step))}"]
    if step.locks and step.locks != before.locks:
        lines.append("lock_disks")
    lines += folded([(_about(action, disks), action_text(action)) for action in step.actions], disks)
    lines += readings_text(step.after, disks)
    if step.locks and (after is None or step.locks != after.locks):
        lines.append("unlock_disks")
    return "\n".join(lines) + "\n"


def readings_text(readings: Sequence[Reading], disks: Sequence[str]) -> list[str]:
    """What must be true, disk after disk."""
    pieces = [(subject(reading.question.argv, disks), question_text("must", reading)) for reading in readings]
    return folded(pieces, disks)


def _about(action: Action, disks: Sequence[str]) -> str | None:
    return subject(action.argv, disks) if isinstance(action, Command) else None


def _heading(step: Step) -> str:
    return f"{step.number}. {step.title}"
