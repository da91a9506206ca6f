"""The script that undoes a plan, last step first; it removes only what has the plan's UUIDs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from raidtui.model.plan import Command, Plan, PlanDisk, Step, WriteFile
from raidtui.model.units import MIB
from raidtui.planner.compile.managed_block import blocks_of
from raidtui.planner.compile.plain_disks import plain_marks
from raidtui.planner.compile.queue_step import is_queue_step, sets_queue
from raidtui.planner.export.bash_functions import bash_text
from raidtui.planner.export.bash_loops import BashLine, BashPiece, Table, folded
from raidtui.planner.export.bash_parts import action_pieces, head, minted, tables
from raidtui.planner.text.shell_quote import comment, quote
from raidtui.tools import identity, mdadm, udev_rule

_LIMITS = (
    "It keeps a log but no journal. It may be run again after it stopped: it reads the state from the disks, and "
    "erases last what identifies a disk: its superblock, without md the UUID on it.",
    "It gives programs the disks' links under /dev/disk. It compares the link's device and the kernel's diskseq right "
    "before and after each command, which leaves a gap of milliseconds; kernels before 5.15 have no diskseq.",
    "It checks users and content of the arrays at its start and after a typed answer, and of an array again right "
    "before it removes what is on it or stops it, not before each command. It counts files the first two times only.",
    "It cannot read the content of an array that is not running. Of one without a signature, in a plan without a file "
    "system, it reads the first MiB and eight places of 4 KiB, where all disks were blank; of one below a volume not "
    "again after it has removed that.",
    "It finds users of an array by lsblk, open files, mounts, swap, loop devices, NFS exports and the kernel's SCSI "
    "and NVMe targets. Other users show only when a command fails because of them.",
    "It stops if a disk of the plan is missing; raidtui undo PLAN goes on without that disk and names it.",
    "Files are counted up to 100000. A disk that has neither the plan's superblock nor, without md, its UUID is "
    "never written to.",
)
_USAGE = (
    "Usage: undo.sh [--check] [--lose-files COUNT] [--yes-undo DIGEST_TAIL]. --check writes to no disk. Without "
    "--yes-undo it requires a phrase typed on the terminal, and a second one if files will be lost."
)
_WAY_BACK = "Remove the reason and run it again."


def undo_script(plan: Plan) -> str:
    """The whole script. It refuses when nothing of the plan is there, and blanks what carried its superblocks."""
    known = tables(plan)
    title = "Removes what the build script made. The content that the disks had before the build is lost."
    built = "file systems" if plan.design.layout.plain else "arrays"
    sentence = quote(f"The {built} of plan {plan.name} and all that was written to them will be lost.")
    queues = ("queues", "queues_undo") if sets_queue(plan.design) else ()
    parts = [
        head(plan, title, _USAGE, _LIMITS, _WAY_BACK, _programs(plan), content=False),
        _ours(plan),
        bash_text("common", "blocks", "drop", "confirm", *queues, "undo", "start"),
        _check_text(plan),
        bash_text("undo_gate") + f"confirm undo {sentence}\n" + bash_text("undo_recheck"),
    ]
    creates = [step for step in plan.steps if step.stage == "create" and step.undo]
    for step in reversed(plan.steps):
        if step.stage == "create":
            if step is creates[-1]:
                parts.append(_arrays_text(creates, known))
        elif step.stage == ("wipe" if not plan.design.on_partitions else "partition"):
            parts.append(_disks_text(plan, step, known))
        elif step.undo:
            lines = [
                f"step {quote(f'Undo {step.number}. {step.title}')}",
                *(("still_ours",) if step.stage == "volume" else ()),
                *folded(action_pieces(step.undo, known), known),
                *(_restore_queues(plan) if is_queue_step(step, plan.name) else ()),
            ]
            parts.append("\n".join([*lines, ""]))
    parts.append("step 'Read back'\nread_back\nunlock_disks")
    for rule in _rules(plan):
        kept = quote(f"KEPT: {rule} is not as the plan wrote it. If it is not needed: rm {rule}")
        parts.append(f'if grep --quiet --no-messages -- "${{TAG#*_}}" {quote(rule)}; then say {kept}; fi')
    undone = quote(f"Undone: no signature or line of plan {plan.name} is left")
    parts.append(f'say {undone}", ${{#blanked[@]}} disks are zero at both ends."')
    return "\n".join(parts) + "\n"


def _restore_queues(plan: Plan) -> tuple[str]:
    design = plan.design
    words = (udev_rule.disks_path(plan.name), design.io_scheduler or "", str(design.queue_depth or ""))
    return (f"restore_queues {' '.join(map(quote, words))}",)


def _programs(plan: Plan) -> Iterable[Sequence[str]]:
    yield ("blkid",)
    yield ("findmnt",)
    yield ("mdadm",)
    yield ("mount",)
    yield ("swapon",)
    if plan.design.on_partitions:
        yield ("sfdisk",)
    for step in plan.steps:
        for action in step.undo:
            if isinstance(action, Command):
                yield action.argv
                if action.only_if is not None:
                    yield action.only_if.question.argv


def _ours(plan: Plan) -> str:
    """bash constants: UUIDs and devices that the plan puts on its arrays."""
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
            *(("partitioned=yes # the partitions of the disks are the plan's",) if plan.design.on_partitions else ()),
            f"readonly SIGN={quote(_sign(plan))} # what a disk of the plan has",
            f"readonly TAG={names.tag} SEES_THROUGH={'yes' if plan.design.metadata in mdadm.SEES_THROUGH else ''}",
            f"readonly VOLUMES=({' '.join(volumes)}) OUTER=({' '.join(outer)})",
            f"readonly FILE_SYSTEMS=({' '.join(quote(system) for system in systems)})",
            "",
        )
    )


def _sign(plan: Plan) -> str:
    """By what a disk is known as the plan's."""
    return "the UUID that the plan wrote" if plan.design.layout.plain else "a superblock of the plan"


def _check_text(plan: Plan) -> str:
    written = (f"blocks[{quote(block.path)}]={quote(block.text)}" for block in blocks_of(plan))
    lines = [
        "# The plan's lines in files that others write too.",
        *written,
        "check() {",
        "  step 'Check the disks and find the parts of the plan'",
        "  check_identities",
        "  survey",
    ]
    lines += [f"  survey_block {quote(block.path)}" for block in blocks_of(plan)]
    for rule in _rules(plan):
        lines.append(f'  if grep --quiet --no-messages -- "${{TAG#*_}}" {quote(rule)}; then there {quote(rule)}; fi')
    return "\n".join([*lines, "}", ""])


def _rules(plan: Plan) -> list[str]:
    """Paths of the files that belong to the plan alone."""
    actions = [action for step in plan.steps for action in step.actions if isinstance(action, WriteFile)]
    return [action.path for action in actions if not action.fenced]


def _arrays_text(steps: Sequence[Step], known: dict[str, Table]) -> str:
    pieces = []
    for number, step in enumerate(steps):
        lines = [line for piece in action_pieces(step.undo, known) for line in piece.lines]
        title = BashLine(words=("step", f"Undo: {step.title}"))
        again = BashLine(words=("still_ours", str(known["arrays"].rows[number]["uuid"])))
        pieces.append(BashPiece(table="arrays", row=number, lines=(title, again, *lines)))
    return "\n".join([*folded(pieces, known), ""])


def _table_lines(disk: PlanDisk, step: Step) -> Iterable[BashLine | str]:
    """Erases the partition table if it has the plan's GUID; the kernel then reads the table again."""
    if disk.table is None:
        return
    commands = [each for each in step.undo if isinstance(each, Command) and each.devices == (disk.path,)]
    for condition, group in groupby(commands, lambda each: each.only_if):
        assert condition is not None
        question = condition.question
        yield BashLine(words=("is", condition.key, condition.answer, "0", *question.argv), before="if ", after="; then")
        for command in group:
            yield BashLine(words=("run", *command.argv), indent=2)
            if command.zeroed == (0, MIB):
                yield BashLine(words=("mark_blanked", disk.path), indent=2)
        yield "fi"


def _member_lines(plan: Plan, disk: PlanDisk, member: str, step: Step) -> Iterable[BashLine | str]:
    """Blanks a member that has the plan's superblock now, without md its UUID."""
    commands = [each for each in step.undo if isinstance(each, Command) and each.devices == (member,)]
    if plan.design.layout.plain:
        mark = ("UUID", plain_marks(plan)[disk.path], "0", *identity.uuid_question(disk.path))
        yield BashLine(words=("is", *mark), before="if ", after="; then")
        yield BashLine(words=("still_ours", mark[1]), indent=2)
        verb = "run"
    else:
        yield BashLine(words=("plans_md", "--examine", "--export", member), before="if ", after="; then")
        verb = "erase"
    for argv in dict.fromkeys(each.argv for each in commands):
        yield BashLine(words=(verb, *argv), indent=2)
    if disk.table is None:
        yield BashLine(words=("mark_blanked", disk.path), indent=2)
    yield "fi"


def _disks_text(plan: Plan, step: Step, known: dict[str, Table]) -> str:
    """Blanks each disk that has a superblock of the plan now, without md its UUID, which is erased last."""
    pieces = []
    for number, disk in enumerate(plan.disks):
        lines = [line for member in disk.members for line in _member_lines(plan, disk, member.path, step)]
        pieces.append(BashPiece(table="disks", row=number, lines=(*lines, *_table_lines(disk, step))))
    text = [
        comment(
            f"Only disks that have {_sign(plan)} now; it is erased last."
            + (" Then the partition tables that have the plan's GUID." if plan.design.on_partitions else "")
        ),
        f"step {quote(f'Undo {step.number}. {step.title}')}",
        *folded(pieces, known),
        "",
    ]
    return "\n".join(text)
