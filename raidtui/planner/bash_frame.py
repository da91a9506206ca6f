"""How the pieces of a plan are written as bash: the head with its table of disks, an action, a question."""

from __future__ import annotations

from collections import Counter
from typing import assert_never

from raidtui.model.plan import Action, Command, Plan, Reading, WriteFile
from raidtui.model.units import decimal_size
from raidtui.planner.bash_functions import FUNCTIONS, SETTINGS
from raidtui.planner.compile_names import STATE_FOLDER, begin_line, end_line
from raidtui.planner.shell import ascii_text, comment, quote, render

_OWN_TOOLS = ("cat", "cp", "flock", "grep", "install", "mv", "readlink", "sed", "sort", "sync", "wc")


def head(plan: Plan, title: str, way_back: str, actions: tuple[Action, ...]) -> str:
    """Everything before the first step."""
    return "\n".join(
        (
            "#!/bin/bash",
            comment(f"{title} Made by raidtui for {plan.host}, plan {plan.name}, run {plan.run_id}."),
            comment(f"Digest of the plan: {plan.digest}."),
            "#",
            *disk_table(plan),
            "",
            SETTINGS,
            f"readonly STATE={STATE_FOLDER}/{plan.run_id}",
            f"readonly DIGEST={quote(plan.digest)}",
            f"readonly BEGIN={quote(begin_line(plan.run_id, plan.name))}",
            f"readonly END={quote(end_line(plan.run_id))}",
            f"readonly WAY_BACK={quote(way_back)}",
            "readonly DISKS=(",
            *(f"  {quote(disk.path)}" for disk in plan.disks),
            ")",
            f"readonly TOOLS=({' '.join(_tools(plan, actions))})",
            FUNCTIONS,
        )
    )


def disk_table(plan: Plan) -> list[str]:
    """Comment lines: where each disk is, who it is, what it becomes."""
    rows = [("place", "serial", "model", "size", "becomes", "path")]
    rows += [
        (
            ascii_text(disk.place) or "-",
            ascii_text(disk.serial or "-"),
            ascii_text(disk.model or "-"),
            decimal_size(disk.size_bytes),
            ascii_text(disk.role),
            ascii_text(disk.path),
        )
        for disk in plan.disks
    ]
    widths = [min(max(len(row[column]) for row in rows), 40) for column in range(5)]
    return [
        f"# DISKS: {len(plan.disks)}, all of them erased",
        *("#   " + "  ".join((*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[5])) for row in rows),
    ]


def action_text(action: Action, *, indent: str = "") -> str:
    """One action as bash, its condition left to the caller."""
    match action:
        case Command():
            return render(("run", *action.argv), indent=indent)
        case WriteFile(fenced=True, text=""):
            return f"{indent}drop_block {quote(action.path)}"
        case WriteFile():
            verb = "put_block" if action.fenced else "put_file"
            return f"{indent}{verb} {quote(action.path)} {action.mode:04o} <<'END_OF_TEXT'\n{action.text}\nEND_OF_TEXT"
        case _:
            assert_never(action)


def question_text(verb: str, reading: Reading, *, indent: str = "") -> str:
    """One reading as bash: `must` or `ours`."""
    exits = ",".join(str(code) for code in reading.question.good_exits)
    words = (verb, ascii_text(reading.what), reading.key, reading.answer, exits)
    front = indent + " ".join(quote(word) for word in words)
    return f"{front} \\\n{render(reading.question.argv, indent=f'{indent}    ')}"


def _tools(plan: Plan, actions: tuple[Action, ...]) -> list[str]:
    """Every program the script calls."""
    commands = [action for action in actions if isinstance(action, Command)]
    readings = [reading for step in plan.steps for reading in step.after]
    readings += [command.only_if for command in commands if command.only_if is not None]
    names = Counter([*_OWN_TOOLS, *(command.argv[0] for command in commands)])
    names.update(reading.question.argv[0] for reading in readings)
    return [quote(name) for name in sorted(names)]
