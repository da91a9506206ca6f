"""A plan as a bash script that an admin can read, check and run: `script`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from raidtui.model.counted import counted
from raidtui.model.errors import Refused
from raidtui.model.plan import Command, Plan, Reading, Step
from raidtui.planner.compile.first_sync import first_sync_text
from raidtui.planner.compile.queue_step import is_queue_step, sets_queue
from raidtui.planner.compile.zero_step import longest_seconds, rest_times
from raidtui.planner.export.bash_functions import bash_text
from raidtui.planner.export.bash_loops import BashLine, BashPiece, Table, folded, subject
from raidtui.planner.export.bash_parts import action_pieces, block_readings, head, reading_pieces, tables
from raidtui.planner.text.shell_quote import comment, quote
from raidtui.tools.features import HELP, programs, wanted_options

_LIMITS = (
    "It keeps a log but no journal. It cannot resume after it stopped: undo.sh removes what was built.",
    "It gives programs the disks' links under /dev/disk. It compares the link's device and the kernel's diskseq right "
    "before and after each command, which leaves a gap of milliseconds; kernels before 5.15 have no diskseq.",
    "A disk is blank when its first and last MiB and eight places of 4 KiB between them are zero. raidtui reads more.",
    "It finds users of a disk by lsblk, by the open files of all processes, and by opening it exclusively for wipefs. "
    "It does not look for export targets of the kernel that do not open disks exclusively.",
    "It does not wait for the first sync before the file systems, not with RAID4 and RAID5 either. "
    "It does not limit the sync, and cannot be paused.",
    "Of the boot configuration it checks fstab, mdadm.conf's ARRAY lines and mount units, not at DEVICE lines, "
    "udev's other rules or the inside of the initramfs.",
)
_MAPS = (
    "It does not check that multipathd will have joined the paths of the disks at the next boot. raidtui build does."
)
_USAGE = (
    "Usage: build.sh [--check] [--accept-content KIND|SERIAL]... [--yes-erase DIGEST_TAIL]. --check writes to no disk. "
    "Without --yes-erase it requires a phrase typed on the terminal."
)
_WAY_BACK = "To remove what was built, run the undo script of this plan; old content of wiped disks is lost."


def script(plan: Plan) -> str:
    """The whole script; it requires confirmation before the first write, and `--check` writes nothing."""
    if plan.design.trial is not None:
        raise Refused("a trial is carried out by raidtui tune only, which takes it back", hint="make a plan to keep")
    known = tables(plan)
    blocks = block_readings(plan)
    rest = plan.steps[1:]
    title = "Builds the arrays and file systems of a plan, step by step, and verifies them."
    sentence = quote(f"All content of {counted(len(plan.disks), 'disk')} will be lost.")
    queues = ("queues", "queues_build") if sets_queue(plan.design) else ()
    zeroes = ("zeroes",) if plan.design.zeroes else ()
    maps = any(disk.is_map for disk in plan.disks)
    parts = [
        head(plan, title, _USAGE, (*_LIMITS, _MAPS) if maps else _LIMITS, _WAY_BACK, _programs(plan), content=True),
        bash_text("common", "check", "blocks", "files", "confirm", *queues, *zeroes, "build", "start"),
        _check_text(plan, known),
        bash_text("build_gate") + f"confirm erase {sentence}\n" + bash_text("build_recheck"),
    ]
    for alike, group in groupby(zip((plan.steps[0], *rest), rest, (*rest[1:], None), strict=False), key=_is_create):
        steps = list(group)
        if alike:
            parts.append(_creates([step for _, step, _ in steps], known))
        else:
            parts += [_step_text(plan, before, step, after, known, blocks) for before, step, after in steps]
    parts.append(f"say {quote(f'Done: plan {plan.name}, digest {plan.digest[:8]}, is built and verified.')}")
    if text := first_sync_text(plan, waits=False):
        parts.append(f"say {quote(text)}")
    return "\n".join(parts) + "\n"


def _programs(plan: Plan) -> Iterable[Sequence[str]]:
    for step in plan.steps:
        commands = [action for action in step.actions if isinstance(action, Command)]
        yield from (command.argv for command in commands)
        yield from (reading.question.argv for reading in step.after)


def _check_text(plan: Plan, known: dict[str, Table]) -> str:
    """`check_disks` looks at the disks; the other questions are the plan's."""
    step = plan.steps[0]
    others = [reading for reading in step.after if not about_disks(reading, known)]
    lines = "\n".join(folded(reading_pieces(others, known, {}), known))
    calls = (f"step {quote(_heading(step))}", "check_disks", *_able(plan), *lines.split("\n"))
    body = "\n".join(f"  {line}" for line in calls)
    return f"{comment(f'Step {step.number}. {step.purpose}')}\ncheck() {{\n{body}\n}}\n"


def _able(plan: Plan) -> Iterator[str]:
    """Lines that check that disks, kernel and programs can do what the plan asks of them."""
    if sets_queue(plan.design):
        values = (plan.design.io_scheduler or "", str(plan.design.queue_depth or ""))
        yield f"check_queues {' '.join(map(quote, values))}"
    if plan.design.zeroes:
        yield "check_write_zeroes"
    started = {program for argv in _programs(plan) for program in programs(argv)}
    for program in sorted(started & HELP.keys()):
        options = wanted_options(program, plan.design).items()
        words = (word if word == spelled else f"{word}|{spelled}" for word, spelled in options)
        yield f"takes {' '.join(map(quote, words))} -- {' '.join(map(quote, HELP[program][0]))}"


def about_disks(reading: Reading, known: dict[str, Table]) -> bool:
    """True if the reading is about a disk: `look` of bash reads all disks at once."""
    return subject(reading.question.argv, known)[0] in ("disks", "groups") or any(
        row["path"] in reading.question.argv for row in known["disks"].rows
    )


def _row_of(reading: Reading, known: dict[str, Table]) -> int:
    return subject(reading.question.argv, known)[1] if about_disks(reading, known) else 0


def _is_create(each: tuple[Step, Step, Step | None]) -> bool:
    step = each[1]
    return step.stage == "create" and bool(step.destroys)


def _creates(steps: Sequence[Step], known: dict[str, Table]) -> str:
    """The steps that create arrays, one loop where they differ in nothing else."""
    pieces = []
    for number, step in enumerate(steps):
        inner = [*action_pieces(step.actions, known), *reading_pieces(step.after, known, {})]
        lines = [line for piece in inner for line in piece.lines]
        pieces.append(BashPiece(table="arrays", row=number, lines=(BashLine(words=("step", step.title)), *lines)))
    numbers = f"Step {steps[0].number}" if len(steps) == 1 else f"Steps {steps[0].number} to {steps[-1].number}"
    return "\n".join([comment(f"{numbers}. {steps[0].purpose}"), *folded(pieces, known), ""])


def _step_text(
    plan: Plan,
    before: Step,
    step: Step,
    after: Step | None,
    known: dict[str, Table],
    blocks: Mapping[Reading, str],
) -> str:
    lines = [comment(f"Step {step.number}. {step.purpose}"), f"step {quote(_heading(step))}"]
    if step.locks and step.locks != before.locks:
        lines.append("lock_disks")
    if step.stage == "wipe":
        lines.append("check_disks # once more, now under the locks: nothing was written to the disks since the checks")
    if is_queue_step(step, plan.name):
        lines.append("keep_queues")
    if step.stage == "zero":
        lines += _zeroing(plan, step, known)
    else:
        lines += folded(action_pieces(step.actions, known), known)
    if step.stage == "partition":
        lines.append("partitioned=yes # from here on the partitions of the disks are the plan's")
    readings = step.after
    if step.stage == "verify":  # disks after the rest, in their order: one loop over all of them
        readings = tuple(sorted(readings, key=lambda each: (about_disks(each, known), _row_of(each, known))))
    lines += folded(reading_pieces(readings, known, blocks), known)
    if step.locks and (after is None or step.locks != after.locks):
        lines.append("unlock_disks")
    return "\n".join(lines) + "\n"


def _zeroing(plan: Plan, step: Step, known: dict[str, Table]) -> Iterator[str]:
    """Zeroes all members at the same time; after the first of the steps says how long the rest takes."""
    yield "still_blank"
    yield from folded(action_pieces(step.actions, known, verb="begin"), known)
    yield "ended"
    if times := rest_times(plan, step):
        yield f"measured {math.ceil(times)} {longest_seconds(plan)}"


def _heading(step: Step) -> str:
    return f"{step.number}. {step.title}"
