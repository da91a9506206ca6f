"""State of every step after an interruption, read from the machine.

Devices of the plan are recognised by the UUIDs in the plan. A step is done if its lasting postconditions hold and it
was verified before, or all postconditions hold, or a later step depends on it; partial if some of its result exists.
Content that is neither blank nor the plan's is foreign: then nothing is changed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from raidtui.engine import journal
from raidtui.engine.ownership import Content, contents
from raidtui.machine.system.ports import MachineReader
from raidtui.programs import wipefs
from raidtui.steps.check_step import answer_value
from raidtui.steps.step_builder import only_if
from raidtui.values.errors import Refused
from raidtui.values.plan import Action, Command, Plan, Question, Reading, Stage, Step, partition_path
from raidtui.values.run import Record

StepWrites = Literal["untouched", "partial", "done"]
_STANDING: frozenset[Stage] = frozenset({"volume", "encrypt", "format"})
"""stages after which an array has content that cannot be recreated"""
_MADE: frozenset[Stage] = _STANDING | {"partition", "create", "spare"}
"""stages that create partitions, arrays and layers on them"""
_AGAIN: frozenset[Stage] = frozenset({"configure", "monitor", "tune", "verify"})
"""stages that can be repeated as they are"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredStep:
    """A step and its present state on the machine."""

    step: Step
    state: StepWrites
    clean: tuple[Command, ...] = ()
    """commands that clean up before the step is repeated, in order, each with its condition"""
    left_out: frozenset[int] = frozenset()
    """numbers of its actions, from 1, whose devices no longer exist"""


def look(plan: Plan, runner: MachineReader, records: Sequence[Record]) -> tuple[RecoveredStep, ...]:
    """Every step of the plan with its state. Raises Refused for foreign content on the plan's disks."""
    proven = _proven(records)
    evidence = _Evidence(runner)
    found_on = _ours(plan, runner, records)
    half = frozenset(each.disk.path for each in found_on if each.state == "half made")
    carriers = half.union(each.disk.path for each in found_on if each.state == "ours")
    _refuse_all_lost(plan, proven, carriers)
    found: list[RecoveredStep] = []
    later = False
    for step in reversed(plan.steps):
        if step.stage == "zero":
            found.append(_zeroed(plan, step, evidence, records, found))
            continue
        state = _state(step, evidence, proven=step.number in proven, later=later, made=bool(found_on))
        later = later or (state == "done" and step.stage in _MADE)
        each = RecoveredStep(step=step, state=state, clean=_clean(plan, step, state, carriers, half))
        found.append(_without_gone(each, plan, runner) if step.stage in ("save", "wipe") else each)
    found.reverse()
    _refuse_half_lost(found, proven, evidence)
    _refuse_changed(found, proven)
    return tuple(_spares_again(found))


def left_to_do(found: Sequence[RecoveredStep]) -> tuple[RecoveredStep, ...]:
    """The steps that are not done, in order, always with the final verification. Checks are not repeated."""
    rest = [each for each in found if each.step.stage != "check" and each.state != "done"]
    wiping = any(each.step.stage == "wipe" for each in rest)
    return tuple(each for each in rest if each.step.stage != "save" or wiping)


def asks_again(plan: Plan, runner: MachineReader, records: Sequence[Record]) -> bool:
    """True if a resume makes an encrypted volume of the plan with a passphrase, or opens one with it."""
    proven = _proven(records)
    made = all(step.number in proven for step in plan.steps if any(each.passphrase for each in step.commands))
    opened = any(
        command.passphrase and command.makes and runner.pin(command.makes) is None
        for step in plan.steps
        for command in step.commands
    )
    return not made or opened


class _Evidence:
    """Answers of the machine; each question is queried once."""

    def __init__(self, runner: MachineReader) -> None:
        self.runner = runner
        self._known: dict[Question, tuple[int, str]] = {}

    def value(self, reading: Reading) -> str | None:
        question = reading.question
        if question not in self._known:
            answer = self.runner.ask(question.argv)
            self._known[question] = (answer.exit, answer.stdout)
        return answer_value(reading, *self._known[question])

    def so(self, reading: Reading) -> bool:
        return self.value(reading) == reading.answer


def _ours(plan: Plan, runner: MachineReader, records: Sequence[Record]) -> tuple[Content, ...]:
    """Disks with content or a table of the plan. Raises Refused if a disk has foreign content or a foreign user."""
    found = contents(plan, runner, records, between=True)
    if foreign := [each.sentence for each in found if each.state in ("foreign", "beside")]:
        raise Refused("; ".join(foreign), hint=_FOREIGN)
    return tuple(each for each in found if each.state in ("ours", "half made", "table"))


_FOREIGN = "this content is not the plan's and is kept; if it is not needed, remove it by hand, then resume"


def _state(step: Step, evidence: _Evidence, *, proven: bool, later: bool, made: bool) -> StepWrites:
    if step.stage == "check":
        return "done"
    if step.stage in ("save", "wipe"):
        # a superblock or a table of the plan on a disk means that the wipe was complete; a failed wipe is repeated even
        # if the disks read as blank: this finds a disk that cannot be written
        return "done" if made or later or (proven and all(map(evidence.so, step.after))) else "untouched"
    if step.stage == "verify":
        return "untouched"
    lasting = [reading for reading in step.after if reading.lasts]
    standing = bool(lasting) and all(map(evidence.so, lasting))
    if step.stage in _AGAIN:  # their readings do not show all effects: the initramfs, the monitor's configuration
        return "done" if standing and proven else "partial"
    if standing and (proven or later or all(map(evidence.so, step.after))):
        return "done"
    return "partial" if any(map(evidence.so, lasting)) or made else "untouched"


def _zeroed(
    plan: Plan, step: Step, evidence: _Evidence, records: Sequence[Record], later: Sequence[RecoveredStep]
) -> RecoveredStep:
    """The step that zeroes, without the members of arrays that are done: they may hold data. It is done if it was
    verified in this boot, nothing was created on its members since, and it still reads as zeroes.

    A power cut takes what the cache of a drive held: md flushes it only when it writes the superblocks.
    """
    unmade = {command.makes for each in later if each.step.stage == "create" and each.state != "done"
              for command in each.step.commands}  # fmt: skip
    members = {
        disk.member_of(array).path
        for array in plan.arrays
        if array.device in unmade
        for disk in plan.disks
        if disk.id in array.members
    }
    own = replace(step, after=tuple(reading for reading in step.after if members.issuperset(reading.about)))
    left_out = {number for number, each in enumerate(step.commands, 1) if not members.issuperset(each.devices)}
    ends = [record for record in records if record.kind == "proven" and record.step == step.number]
    since = records[ends[-1].sequence :] if ends and ends[-1].purpose != "undo" else ()
    created = any(record.stage == "create" and record.purpose != "undo" for record in since)
    begun = any(record.kind == "step" and record.step == step.number for record in since)
    kept = bool(ends) and ends[-1].boot == journal.boot_id()
    done = not members or (kept and not created and not begun and all(map(evidence.so, own.after)))
    return RecoveredStep(step=own, state="done" if done else "untouched", left_out=frozenset(left_out))


def _without_gone(found: RecoveredStep, plan: Plan, runner: MachineReader) -> RecoveredStep:
    """The step without partitions whose table an interrupted wipe has erased."""
    parts = (partition_path(disk.path, part.number) for disk in plan.disks for part in disk.partitions)
    gone = {part for part in parts if runner.pin(part) is None}
    actions: list[Action] = []
    left_out: set[int] = set()
    for number, action in enumerate(found.step.actions, start=1):
        if isinstance(action, Command) and gone.intersection(action.devices):
            rest = wipefs.without(action, gone)
            left_out |= {number} if rest is None else set()
            actions.append(rest or action)
        else:
            actions.append(action)
    return replace(found, step=replace(found.step, actions=tuple(actions)), left_out=frozenset(left_out))


def _clean(
    plan: Plan, step: Step, state: StepWrites, carriers: frozenset[str], half: frozenset[str]
) -> tuple[Command, ...]:
    """Commands that remove the remains of a partial step which would make its repetition fail."""
    if state != "partial" or step.stage in _AGAIN:
        return ()
    commands = list(step.undo_commands)
    wipe = next(other for other in plan.steps if other.stage == "wipe")
    written = {path for command in step.commands for path in command.devices} & {disk.path for disk in plan.disks}
    if plan.design.layout.plain and written:
        blanked = [command for command in wipe.undo_commands if (written & carriers).issuperset(command.devices)]
        return (*commands, *(without_mark(command, half) for command in blanked))
    if step.stage == "create":
        array = next(array for array in plan.arrays if array.device in step.makes)
        mine = {disk.member_of(array).path for disk in plan.disks if disk.id in array.disks and disk.path in carriers}
        blanks = "wipe" if not plan.design.on_partitions else "partition"
        wipe = next(other for other in plan.steps if other.stage == blanks)
        commands += [
            command
            for command in wipe.undo_commands
            if mine.issuperset(command.devices)
            if command.only_if is not None and command.only_if.answer == array.uuid
        ]
    if step.stage == "format":
        ours = next(reading for reading in step.after if reading.role == "ours")
        commands += [
            only_if(ours, wipefs.wipe_locked(device)) for command in step.commands for device in command.devices
        ]
    return tuple(commands)


def without_mark(command: Command, half: Collection[str]) -> Command:
    """The command that blanks a disk without md; if it is one of `half`, it has no mark of the plan yet to ask for."""
    return replace(command, only_if=None) if set(command.devices) <= set(half) else command


def _proven(records: Sequence[Record]) -> frozenset[int]:
    """Numbers of the verified steps that were neither started again nor undone since."""
    proven: set[int] = set()
    for record in records:
        if record.kind == "proven" and record.purpose != "undo":
            proven.add(record.step)
        elif record.kind in ("step", "cleaned"):
            proven.discard(record.step)
    return frozenset(proven)


def _spares_again(found: Sequence[RecoveredStep]) -> list[RecoveredStep]:
    """The steps; spares are added again if an array is created again."""
    recreated = any(each.step.stage == "create" and each.state != "done" for each in found)
    return [replace(each, state="partial") if recreated and each.step.stage == "spare" else each for each in found]


def _refuse_all_lost(plan: Plan, proven: frozenset[int], carriers: frozenset[str]) -> None:
    """Raises Refused if arrays were created and no disk has their superblock: the disks may be used otherwise now."""
    made = next((step for step in plan.steps if step.stage in ("create", "spare") and step.number in proven), None)
    if made is not None and not carriers:
        raise Refused(
            f"'{made.title}' was done, but no disk has a superblock of the plan any longer",
            hint="raidtui undo ends this run; to build again, plan again",
        )


def _refuse_changed(found: Sequence[RecoveredStep], proven: frozenset[int]) -> None:
    """Raises Refused if the result of a finished step has changed (extended, grown, stopped): it may hold data."""
    for each in found:
        if each.step.stage in _MADE and each.step.number in proven and each.state != "done":
            raise Refused(
                f"'{each.step.title}' was done, but its result has changed",
                hint="a resume does not repeat finished steps: assemble or restore it as planned, then resume; or "
                "remove everything with raidtui undo",
            )


def _refuse_half_lost(found: Sequence[RecoveredStep], proven: frozenset[int], evidence: _Evidence) -> None:
    """Raises Refused if a step has changed that a finished later step was built on, even if that is not visible now.

    Lines of the plan in mdadm.conf or fstab prove it too: they are written after the file systems.
    """

    def was_done(each: RecoveredStep) -> bool:
        if each.step.stage in _STANDING:
            return each.state == "done" or each.step.number in proven
        lines = [reading for reading in each.step.after if reading.role == "lines"]
        return each.step.stage in ("configure", "mount") and any(map(evidence.so, lines))

    for at, broken in enumerate(found):
        layer = broken.step.stage in _STANDING or broken.step.stage == "create"
        upper = next(filter(was_done, found[at + 1 :]), None)
        if layer and broken.state != "done" and upper is not None:
            raise Refused(
                f"'{broken.step.title}' has changed, and '{upper.step.title}' was built on it",
                hint="nothing is removed below data: see mdadm --detail, repair the array, then resume",
            )
