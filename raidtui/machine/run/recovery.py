"""After an interruption: what the machine says of every step, whatever the journal remembers.

"Ours" is read from the UUIDs that the plan minted. A step is done when what lasts of its postconditions holds and it
was proven before, or all of them hold, or a later step stands on it; partial when something of it is there.
Whatever is neither blank nor ours is foreign, and then nothing is touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from raidtui.machine.ports.runner import MachineReader
from raidtui.machine.safety.ownership import contents
from raidtui.model.errors import Refused
from raidtui.model.plan import Action, Command, Plan, Question, Reading, Stage, Step
from raidtui.model.run import Record
from raidtui.planner.compile.names import partition_path
from raidtui.planner.compile.postcondition import answer_value
from raidtui.planner.compile.step_builder import only_if
from raidtui.tools import wipefs

State = Literal["untouched", "partial", "done"]
_STANDING: frozenset[Stage] = frozenset({"volume", "format"})
"""stages after which an array holds something that is not made anew by taking the array back"""
_MADE: frozenset[Stage] = _STANDING | {"create", "spare"}
"""stages that make something of the disks"""
_AGAIN: frozenset[Stage] = frozenset({"configure", "monitor", "tune", "verify"})
"""stages that may simply be carried out again"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One step and what the machine says of it."""

    step: Step
    state: State
    clean: tuple[Command, ...] = ()
    """what has to go before the step is carried out again, in order, each behind its condition"""
    left_out: frozenset[int] = frozenset()
    """numbers of its actions, from 1, whose devices are all gone"""


def look(plan: Plan, runner: MachineReader, records: Sequence[Record]) -> tuple[Found, ...]:
    """Every step of the plan with its state. Raises Refused when anything on the plan's disks is foreign."""
    proven = _proven(records)
    evidence = _Evidence(runner)
    carriers = _carriers(plan, runner, records)
    _refuse_all_lost(plan, proven, carriers)
    found: list[Found] = []
    later = False
    for step in reversed(plan.steps):
        state = _state(step, evidence, proven=step.number in proven, later=later, made=bool(carriers))
        later = later or (state == "done" and step.stage in _MADE)
        each = Found(step=step, state=state, clean=_clean(plan, step, state, carriers))
        found.append(_without_gone(each, plan, runner) if step.stage in ("save", "wipe") else each)
    found.reverse()
    _refuse_half_lost(found, proven, evidence)
    _refuse_changed(found, proven)
    return tuple(_spares_again(found))


def left_to_do(found: Sequence[Found]) -> tuple[Found, ...]:
    """The steps that are not done, in order; the last, which reads everything back, always. Checks are not repeated."""
    rest = [each for each in found if each.step.stage != "check" and each.state != "done"]
    wiping = any(each.step.stage == "wipe" for each in rest)
    return tuple(each for each in rest if each.step.stage != "save" or wiping)


class _Evidence:
    """Answers, each question asked once."""

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


def _carriers(plan: Plan, runner: MachineReader, records: Sequence[Record]) -> frozenset[str]:
    """Paths of disks with a superblock of the plan. Raises Refused when a disk carries or is held by something else."""
    found = contents(plan, runner, records)
    if foreign := [each.sentence for each in found if each.state in ("foreign", "beside")]:
        raise Refused("; ".join(foreign), hint=_FOREIGN)
    return frozenset(each.disk.path for each in found if each.state == "ours")


_FOREIGN = "that is not of this plan and stays; take it off by hand if it may go, then resume"


def _state(step: Step, evidence: _Evidence, *, proven: bool, later: bool, made: bool) -> State:
    if step.stage == "check":
        return "done"
    if step.stage in ("save", "wipe"):
        # once a disk carries a superblock of the plan, the wipe was over; one that failed is done again, though
        # the disks read as blank: a disk that cannot be written shows it then
        return "done" if made or later or (proven and all(map(evidence.so, step.after))) else "untouched"
    if step.stage == "verify":
        return "untouched"
    lasting = [reading for reading in step.after if reading.lasts]
    standing = bool(lasting) and all(map(evidence.so, lasting))
    if step.stage in _AGAIN:  # what they read does not show all they do: the initramfs, what the monitor has read
        return "done" if standing and proven else "partial"
    if standing and (proven or later or all(map(evidence.so, step.after))):
        return "done"
    return "partial" if any(map(evidence.so, lasting)) or made else "untouched"


def _without_gone(found: Found, plan: Plan, runner: MachineReader) -> Found:
    """The step without partitions that went with their table, in a wipe that was interrupted."""
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


def _clean(plan: Plan, step: Step, state: State, carriers: frozenset[str]) -> tuple[Command, ...]:
    """What a partial step left that would stop it from being carried out again."""
    if state != "partial" or step.stage in _AGAIN:
        return ()
    commands = list(step.undo_commands)
    if step.stage == "create":
        array = next(array for array in plan.arrays if array.device in step.makes)
        mine = carriers & {disk.path for disk in plan.disks if disk.id in (*array.members, *array.spares)}
        wipe = next(other for other in plan.steps if other.stage == "wipe")
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


def _proven(records: Sequence[Record]) -> frozenset[int]:
    """Numbers of the steps that were proven and neither begun again nor taken back since."""
    proven: set[int] = set()
    for record in records:
        if record.kind == "proven" and record.purpose != "undo":
            proven.add(record.step)
        elif record.kind in ("step", "cleaned"):
            proven.discard(record.step)
    return frozenset(proven)


def _spares_again(found: Sequence[Found]) -> list[Found]:
    """Spares belong to an array: where one is made anew, they are added anew."""
    anew = any(each.step.stage == "create" and each.state != "done" for each in found)
    return [replace(each, state="partial") if anew and each.step.stage == "spare" else each for each in found]


def _refuse_all_lost(plan: Plan, proven: frozenset[int], carriers: frozenset[str]) -> None:
    """Arrays that were made once, and of which no disk knows, were taken away by somebody: the disks may be his now."""
    made = next((step for step in plan.steps if step.stage in ("create", "spare") and step.number in proven), None)
    if made is not None and not carriers:
        raise Refused(
            f"'{made.title}' was done, but no disk has a superblock of the plan now",
            hint="raidtui undo ends this run; to build again, plan again",
        )


def _refuse_changed(found: Sequence[Found], proven: frozenset[int]) -> None:
    """What was done once may hold data: a volume that was extended, a file system that was grown, a stopped array."""
    for each in found:
        if each.step.stage in _MADE and each.step.number in proven and each.state != "done":
            raise Refused(
                f"'{each.step.title}' was done, but its result has changed",
                hint="a resume does not repeat finished steps: assemble or restore it as planned, then resume; or "
                "remove everything with raidtui undo",
            )


def _refuse_half_lost(found: Sequence[Found], proven: frozenset[int], evidence: _Evidence) -> None:
    """What is under something that is done, or was once and cannot be seen now, is never taken back.

    Lines of the plan in mdadm.conf or fstab tell so too: they are written when the file systems are made.
    """

    def was_done(each: Found) -> bool:
        if each.step.stage in _STANDING:
            return each.state == "done" or each.step.number in proven
        lines = [reading for reading in each.step.after if reading.role == "lines"]
        return each.step.stage in ("configure", "mount") and any(map(evidence.so, lines))

    for at, broken in enumerate(found):
        layer = broken.step.stage in _STANDING or broken.step.stage == "create"
        stands = next(filter(was_done, found[at + 1 :]), None)
        if layer and broken.state != "done" and stands is not None:
            raise Refused(
                f"'{broken.step.title}' has changed, and '{stands.step.title}' was built on it",
                hint="nothing is removed below data: see mdadm --detail, repair the array, then resume",
            )
