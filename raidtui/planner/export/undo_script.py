"""The script that takes a plan back: only what carries the plan's UUIDs, last things first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raidtui.model.plan import Command, Plan, Step, WriteFile
from raidtui.planner.export.bash_functions import bash_text
from raidtui.planner.export.bash_loops import Line, Piece, Table, folded
from raidtui.planner.export.bash_parts import action_pieces, head, minted, tables
from raidtui.planner.text.shell_quote import comment, quote
from raidtui.tools import mdadm

_LIMITS = (
    "It keeps a log but no journal. It may be run again when it stopped: it goes by what is on the disks, and takes a "
    "disk's superblock, which shows whose the disk is, off last.",
    "It gives programs the disks' links under /dev/disk. It compares the link's device and the kernel's diskseq right "
    "before and after each command, which leaves a gap of milliseconds; kernels before 5.15 have no diskseq.",
    "What stands on the arrays is looked at when it starts and again after a typed answer, not before each command. "
    "What is on an array that does not run cannot be seen.",
    "Who uses an array is found by lsblk, by open files, mounts, swap, loop devices, NFS exports and the kernel's SCSI "
    "and NVMe targets. Other users are only found when a command fails because of them.",
    "It refuses while a disk of the plan is missing; raidtui undo PLAN goes on without it, and names it.",
    "Files are counted up to 100000. A disk that does not carry the plan's superblock is never written to.",
)
_USAGE = (
    "Usage: undo.sh [--check] [--lose-files COUNT] [--yes-undo DIGEST_TAIL]. --check writes to no disk. Without "
    "--yes-undo it asks for a phrase on the terminal, and for a second one where files are lost."
)
_WAY_BACK = "It may be run again when the reason is gone."


def undo_script(plan: Plan) -> str:
    """The whole script. It refuses when nothing of the plan is there, and blanks what carried its superblocks."""
    known = tables(plan)
    title = "Takes back what the build script made. What was on the disks before it is gone and stays gone."
    sentence = quote(f"The arrays of plan {plan.name} and all that was written to them will be lost.")
    parts = [
        head(plan, title, _USAGE, _LIMITS, _WAY_BACK, _programs(plan), content=False),
        _ours(plan),
        bash_text("common", "drop", "confirm", "undo", "start"),
        _check_text(plan),
        bash_text("undo_gate") + f"confirm undo {sentence}\n" + bash_text("undo_recheck"),
    ]
    creates = [step for step in plan.steps if step.stage == "create" and step.undo]
    for step in reversed(plan.steps):
        if step.stage == "create":
            if step is creates[-1]:
                parts.append(_arrays_text(creates, known))
        elif step.stage == "wipe":
            parts.append(_disks_text(plan, step, known))
        elif step.undo:
            lines = [
                f"step {quote(f'Undo {step.number}. {step.title}')}",
                *folded(action_pieces(step.undo, known), known),
            ]
            parts.append("\n".join([*lines, ""]))
    parts.append("step 'Read back'\nread_back\nunlock_disks")
    parts.append(f'say {quote(f"Undone: nothing of plan {plan.name} is left")}", ${{#blanked[@]}} disks are blank."')
    return "\n".join(parts) + "\n"


def _programs(plan: Plan) -> Iterable[Sequence[str]]:
    yield ("blkid",)
    yield ("findmnt",)
    yield ("mdadm",)
    yield ("mount",)
    yield ("swapon",)
    for step in plan.steps:
        for action in step.undo:
            if isinstance(action, Command):
                yield action.argv
                if action.only_if is not None:
                    yield action.only_if.question.argv


def _ours(plan: Plan) -> str:
    """What stands on the arrays and is the plan's."""
    names = minted(plan)
    lvm = plan.prediction.volume is not None and plan.prediction.volume.kind == "lvm"
    volumes = [names.volume_uuid(array) for array in names.arrays] if lvm else []
    outer = [array.uuid for array in plan.arrays[len(plan.prediction.arrays) :]]
    systems = [
        f"{made.uuid}|{made.mount_point}|{made.device}|{fs.type}"
        for made, fs in zip(plan.filesystems, plan.prediction.filesystems, strict=True)
    ]
    return "\n".join(
        (
            "# What the plan put on the arrays: physical volumes, the stripe over them, file systems, by their UUIDs.",
            f"readonly TAG={names.tag} SEES_THROUGH={'yes' if plan.design.metadata in mdadm.SEES_THROUGH else ''}",
            f"readonly VOLUMES=({' '.join(volumes)}) OUTER=({' '.join(outer)})",
            f"readonly FILE_SYSTEMS=({' '.join(quote(system) for system in systems)})",
            "",
        )
    )


def _check_text(plan: Plan) -> str:
    lines = ["check() {", "  step 'Check the disks, and look for what the plan made'", "  check_identities", "  survey"]
    paths = [action.path for step in plan.steps for action in step.undo if isinstance(action, WriteFile)]
    for path in dict.fromkeys(paths):
        grep = f'grep --quiet --line-regexp --fixed-strings -- "$BEGIN" {quote(path)} 2>/dev/null'
        lines.append(f"  if {grep}; then there {quote(f'lines in {path}')}; fi")
    for rule in _rules(plan):
        lines.append(f'  if grep --quiet --no-messages -- "${{TAG#*_}}" {quote(rule)}; then there {quote(rule)}; fi')
    return "\n".join([*lines, "}", ""])


def _rules(plan: Plan) -> list[str]:
    """Files of the plan's own."""
    actions = [action for step in plan.steps for action in step.actions if isinstance(action, WriteFile)]
    return [action.path for action in actions if not action.fenced]


def _arrays_text(steps: Sequence[Step], known: dict[str, Table]) -> str:
    pieces = []
    for number, step in enumerate(steps):
        lines = [line for piece in action_pieces(step.undo, known) for line in piece.lines]
        title = Line(words=("step", f"Undo: {step.title}"))
        pieces.append(Piece(table="arrays", row=number, lines=(title, *lines)))
    return "\n".join([*folded(pieces, known), ""])


def _disks_text(plan: Plan, step: Step, known: dict[str, Table]) -> str:
    """Blanks each disk that carries a superblock of the plan at this moment, the superblock last."""
    pieces = []
    for number, disk in enumerate(plan.disks):
        commands = [each for each in step.undo if isinstance(each, Command) and each.argv[-1] == disk.path]
        areas = list(dict.fromkeys(each.argv for each in commands))
        lines: tuple[Line | str, ...] = (
            Line(words=("plans_md", "--examine", "--export", disk.path), before="if ", after="; then"),
            Line(words=("stop_leftover", disk.path), indent=2),
            *(Line(words=("run", *argv), indent=2) for argv in areas),
            Line(words=("mark_blanked", disk.path), indent=2),
            "fi",
        )
        pieces.append(Piece(table="disks", row=number, lines=lines))
    text = [
        comment("Only a disk that carries a superblock of the plan now; its superblock goes last."),
        f"step {quote(f'Undo {step.number}. {step.title}')}",
        *folded(pieces, known),
        "",
    ]
    return "\n".join(text)
