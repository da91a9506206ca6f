"""The script that takes a plan back: only what carries the plan's UUIDs, last things first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from raidtui.model.plan import Action, Command, Plan, Reading, Step, WriteFile
from raidtui.planner.bash_fold import folded, subject
from raidtui.planner.bash_frame import action_text, head, question_text
from raidtui.planner.compile_check import identity_readings
from raidtui.planner.export_bash import readings_text
from raidtui.planner.shell import comment, quote
from raidtui.tools import mdadm

_STOP_LEFTOVER = """\
# stop_leftover DISK: stops what still holds a disk whose superblock is ours; an array that never came up has no name.
stop_leftover() {
  local disk holder
  disk=$(readlink -e -- "$1")
  for holder in "/sys/class/block/${disk##*/}/holders"/md*; do
    if [[ -e $holder ]]; then run mdadm --stop "/dev/${holder##*/}"; fi
  done
}
"""
_WAY_BACK = "It may be run again when the reason is gone."


def undo_script(plan: Plan) -> str:
    """The whole script. It refuses when nothing of the plan is there, and leaves every disk blank at both ends."""
    actions = tuple(action for step in plan.steps for action in step.undo)
    title = "Takes back what the build script made. What was on the disks before it is gone and stays gone."
    parts = [head(plan, title, _WAY_BACK, actions), _STOP_LEFTOVER, _check_text(plan), _gate(plan)]
    disks = [disk.path for disk in plan.disks]
    for step in reversed(plan.steps):
        if step.undo:
            parts.append(_step_text(step, disks))
    blank = [step for step in plan.steps if step.stage == "wipe"]
    parts.append(comment("Every disk is blank again."))
    parts.append("step 'Read back'")
    parts += readings_text([reading for step in blank for reading in step.after], disks)
    parts.append("unlock_disks")
    parts.append(f"say {quote(f'Undone: nothing of plan {plan.name} is left; its {len(plan.disks)} disks are blank.')}")
    return "\n".join(parts) + "\n"


def _check_text(plan: Plan) -> str:
    identities = [reading for disk in plan.disks for reading in identity_readings(disk, alone=True)]
    lines = [comment("The disks are the plan's, and something of the plan is there.")]
    lines += ["found=0", "check() {", "  step 'Check the disks'", "  one_disk_each"]
    lines += [question_text("must", reading, indent="  ") for reading in identities]
    lines.append("  step 'Look for what the plan made'")
    lines += [_look(reading) for reading in _evidence(plan)]
    lines += [_look_for_block(path) for path in _blocks(plan)]
    return "\n".join([*lines, "}", ""])


def _look(reading: Reading) -> str:
    question = question_text("ours", reading, indent="  ").lstrip()
    return f"  if {question}; then\n    found=$((found + 1))\n    say {quote(f'  there: {reading.what}')}\n  fi"


def _look_for_block(path: str) -> str:
    grep = f'grep --quiet --line-regexp --fixed-strings -- "$BEGIN" {quote(path)} 2>/dev/null'
    return f"  if {grep}; then\n    found=$((found + 1))\n    say {quote(f'  there: lines in {path}')}\n  fi"


def _gate(plan: Plan) -> str:
    sentence = quote(f"The arrays of plan {plan.name} and all that was written to them will be lost.")
    return "\n".join(
        (
            "checking=yes",
            "check",
            "checking=",
            'if [[ $wrong -gt 0 ]]; then stop 4 "$wrong checks failed; nothing was written"; fi',
            'if [[ $found -eq 0 ]]; then stop 1 "nothing of this plan is here; nothing was written"; fi',
            'if [[ -n $only_check ]]; then say "$found things of the plan are here; nothing was written."; exit 0; fi',
            f"confirm {sentence}",
            "exec {lock}>/run/raidtui.lock",
            'flock --nonblock "$lock" || stop 5 "another raidtui script is running"',
            "start_log",
            comment("udev would assemble the arrays again between their stop and the erasing of their superblocks."),
            "lock_disks",
            "",
        )
    )


def _step_text(step: Step, disks: Sequence[str]) -> str:
    """Neighbouring commands with the same condition stand behind one question."""
    pieces: list[tuple[str | None, str]] = []
    for condition, group in groupby(step.undo, _condition):
        actions = list(group)
        inner = "\n".join(_action_text(action, indent="  " if condition else "") for action in actions)
        words = [word for action in actions if isinstance(action, Command) for word in action.argv]
        if condition is None:
            pieces.append((subject(words, disks), inner))
        else:
            disk = subject([*words, *condition.question.argv], disks)
            pieces.append((disk, f"if {question_text('ours', condition)}; then\n{inner}\nfi"))
    return "\n".join([f"step {quote(f'undo {step.number}. {step.title}')}", *folded(pieces, disks), ""])


def _action_text(action: Action, *, indent: str) -> str:
    text = action_text(action, indent=indent)
    if isinstance(action, Command) and action.argv[:-1] == mdadm.zero_superblock("")[:-1]:
        return f"{indent}stop_leftover {quote(action.argv[-1])}\n{text}"
    return text


def _condition(action: Action) -> Reading | None:
    return action.only_if if isinstance(action, Command) else None


def _evidence(plan: Plan) -> list[Reading]:
    """Each proof once: arrays, volumes, mounts, superblocks; a disk without signature proves nothing."""
    guards = [
        action.only_if
        for step in plan.steps
        for action in step.undo
        if isinstance(action, Command) and action.only_if is not None and action.only_if.answer
    ]
    return list(dict.fromkeys(guards))


def _blocks(plan: Plan) -> list[str]:
    paths = [action.path for step in plan.steps for action in step.undo if isinstance(action, WriteFile)]
    return list(dict.fromkeys(paths))
