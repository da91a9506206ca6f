"""Carries out the steps of an act: a build, its undo, a drill, a benchmark that writes, a replacement, an extension.

Order of one action: apply viewers' requests, check the things that it names, journal the intent (durable), run the
command, journal its result (durable), check the things again. A step is done when all that must be true after it has
been read back. What differs between acts is their list of steps and what is asked before.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.site import BayLight
from raidtui.engine.sync import SyncLimit, SyncWait, ended_badly, last_lines
from raidtui.engine.things import Things, check_unused, disk_label, lost_too_many
from raidtui.machine.system.places import started_by
from raidtui.machine.system.ports import Ran, Runner
from raidtui.steps.check_step import holds, identity_readings, require
from raidtui.values.amounts import listed
from raidtui.values.errors import MachineFailed, RaidtuiError, Stale
from raidtui.values.plan import Act, Action, Command, PartInArray, PlanDisk, Question, Reading, Step, WriteFile
from raidtui.values.run import Record, RecordKind
from raidtui.values.safe import safe

DEVICES = "devices"
"""file in the directory of an act: path, major:minor, kernel name and diskseq of every disk when it was verified"""
_TRIES = 5
_PATIENCE = 60
"""seconds in which what a command did shows where others use the array meanwhile"""
_READS_OTHERWISE = (
    "another program wrote there meanwhile, or the disk does not store what is written to it; see who has it open "
    "(fuser --verbose {}) and the kernel's log (dmesg)"
)


class Stopped(Exception):
    """Stopped by a viewer or a signal, between two commands."""


class Executor:
    """Executor of one act; the caller holds the run lock."""

    def __init__(
        self,
        act: Act,
        runner: Runner,
        journal: Journal,
        request: Callable[[], ControlRequest],
        *,
        things: Things | None = None,
        guard: Callable[[Command, Mapping[str, str]], None] | None = None,
    ) -> None:
        """`guard`: called before each command with the device of each path that it names; an error stops the act."""
        self._act = act
        self._runner = runner
        self._journal = journal
        self._request = request
        self._guard = guard
        self._things = things or Things(act, runner)
        self._answers: dict[Question, Ran] = {}
        self._limits = SyncLimit(act, runner, journal)
        self._locks = contextlib.ExitStack()
        self._locked: tuple[str, ...] = ()

    # Acts.

    def go_on(self, steps: Iterable[Step], end: Callable[[], str] = lambda: "") -> None:
        """Carries out, of an act on arrays that run, the steps that are not done by what is read now: superblocks,
        partition tables, LVM's metadata and file systems hold all its state. `end`: a last look, with what it found.

        Raises Stale where something is not as it was confirmed, MachineFailed where it cannot be done, Stopped."""
        with self._recorded(), self._things.held():
            self.prove_disks()
            left = [step.number for step in steps if not (self._is_done(step) or self._do(step))]
            found = end()
            but = f" but {listed([str(number) for number in left])}" if left else ""
            done = f"every step{but} is done and read back"
            self._journal.write("finished", text="; ".join(filter(None, (done, found))))

    def prove_disks(self, *, absent: bool = False) -> None:
        """Pins every disk, checks its identity through the pin, then compares the pins. Raises Stale.

        Until then a stable path may point to a foreign disk. With `absent`, missing disks are skipped.
        """
        self._things.pin_disks(absent=absent)
        self._prove_identities()
        self._things.compare_pins()

    def _bind(self, *, absent: bool = False) -> None:
        """Verifies the disks, or that the pins are unchanged, and saves the device of each path; see `prove_disks`."""
        if self._things.devices:  # a pin is one attachment of one disk, identified before
            self._things.keep_open()
            self._things.compare_pins()
        else:
            self.prove_disks(absent=absent)
        pins = (f"{disk.path} {pin.number} {pin.name} {pin.sequence}".rstrip() for disk, pin in self._things.pinned())
        self._journal.keep(self._journal.folder / DEVICES, "\n".join((*pins, "")))

    # Steps.

    def _do(self, step: Step, left_out: Collection[int] = ()) -> bool:
        """False: it ended without its proof, which the step allows (`otherwise`)."""
        before = self._journal.records
        self._journal.write("step", step=step.number, text=step.title)
        if step.locks != self._locked:
            self._release()
            self._hold(step.locks)
        try:
            self._look_before(step, before)
            self._actions(step, left_out)
            proof = self._proof(step)
        except (MachineFailed, Stale) as problem:
            if step.otherwise is None:
                raise
            self._say("progress", step, f"{step.otherwise} ({problem})")
            return False
        self._journal.write("proven", step=step.number, text=proof)
        return True

    def _look_before(self, step: Step, before: tuple[Record, ...]) -> None:
        """Looks before anything of the step is written; `before`: the records before it. Raises Stale."""
        del before
        for asked in step.before or ():
            if (part := self._things.part_of(asked)) not in asked.parts:
                raise Stale(
                    f"{safe(asked.device)} is {part} in {safe(asked.array)}, not {' or '.join(asked.parts)}; "
                    f"'{step.title}' was not begun",
                    hint="raidtui arrays shows the members; the same command goes on where it is",
                )
        if any(command.effect == "destroy" for command in step.commands) and not self._act.lives:
            check_unused(self._act.disks, self._runner, self._things.devices)

    def _actions(self, step: Step, left_out: Collection[int]) -> None:
        for number, action in enumerate(step.actions, start=1):
            if number in left_out:
                continue
            if isinstance(action, Command) and action.only_if is not None and not self._holds_now(action.only_if):
                continue
            if isinstance(action, Command) and self._has_joined(action):
                continue
            self._carry_out(step, number, action)
            self._after_action(step, action)
        if step.waits_for is not None:
            self._follow(step, step.waits_for)
        if step.light is not None:
            BayLight(self._runner, partial(self._say, "progress", step)).shine(step.light)

    def _after_action(self, step: Step, action: Action) -> None:
        """After each action of a step."""

    def _proof(self, step: Step) -> str:
        """Reads back what must be true after the step; text for the journal. Raises Stale, MachineFailed."""
        self._answers.clear()
        if not self._act.lives:
            for reading in step.after:
                self._require(reading)
        elif not self._comes_true(step):
            unmet = next((each.what for each in step.after if not self._holds_now(each)), "")
            unmet = unmet or next((self._not_so(each) for each in step.then or () if not self._is_part(each)), "")
            raise MachineFailed(
                f"{step.title}: it is not so: {unmet}{self._last_output(step)}", hint=self._things.way_out
            )
        count = len(step.after) + len(step.then or ())
        return f"{count} {'check' if count == 1 else 'checks'} passed"

    def _comes_true(self, step: Step) -> bool:
        """True once the step is done by what is read, False where a minute after its last command does not bring it."""
        if not step.after and not step.then:
            return True
        for _ in range(_PATIENCE if self._results(step) else 0):
            if self._is_done(step):
                return True
            self._runner.wait(1.0)
        return self._is_done(step)

    def _is_done(self, step: Step) -> bool:
        """True if all that must be true after the step is so now; never of a step that nothing proves."""
        self._answers.clear()
        if not step.after and not step.then:
            return False
        return all(map(self._is_part, step.then or ())) and all(map(self._holds, step.after))

    def _is_part(self, asked: PartInArray) -> bool:
        return self._things.part_of(asked) in asked.parts

    def _not_so(self, asked: PartInArray) -> str:
        return f"{safe(asked.device)} is {self._things.part_of(asked)} in {safe(asked.array)}"

    def _results(self, step: Step) -> list[Record]:
        """The results of the commands of the step since it was begun."""
        records = self._journal.records
        begun = max((at for at, each in enumerate(records) if each.kind == "step"), default=0)
        return [each for each in records[begun:] if (each.kind, each.step) == ("result", step.number)]

    def _last_output(self, step: Step) -> str:
        """The last line that the last command of the step printed, in brackets."""
        ended = next((each for each in reversed(self._results(step)) if each.output), None)
        if ended is None:
            return ""
        lines = last_lines(self._journal.folder / ended.output, 2)
        return f" ({safe(lines[-1] if lines else 'no output', longest=200)})"

    def _follow(self, step: Step, path: str) -> None:
        """Waits for the sync of an array until the step is done. Raises MachineFailed where that cannot come any more.

        Another member may fail meanwhile; the array goes on as long as it survives that."""
        array = self._things.name_of(path)
        wait = SyncWait(self._runner, array, partial(self._say, "waiting", step))
        while not self._is_done(step):
            for asked in step.then or ():
                if self._things.part_of(asked) in ("missing", "faulty"):
                    raise MachineFailed(
                        f"the new disk {safe(self._things.name_of(asked.device))} failed or is gone; the array has its "
                        "other members",
                        hint="look at dmesg and the cable; take another disk, and begin again",
                    )
            if lost_too_many(self._runner, array):
                raise MachineFailed(
                    f"{safe(array)} lost more members than it survives", hint="raidtui arrays shows which"
                )
            self._apply_requests(step)
            wait.look()

    def _say(self, kind: RecordKind, step: Step, text: str) -> None:
        """Journals a line about a step."""
        self._journal.write(kind, step=step.number, text=text)

    # Actions.

    def _has_joined(self, command: Command) -> bool:
        """True if an earlier executor has already added the command's disks to the array."""
        array = self._runner.pin(command.joins) if command.joins else None
        return array is not None and all(array.name in self._runner.holders(disk) for disk in command.members)

    def _carry_out(self, step: Step, number: int, action: Action) -> None:
        self._apply_requests(step)
        self._answers.clear()
        match action:
            case Command():
                devices = self._check(step, action)
                if self._guard is not None:
                    self._guard(action, {**self._things.devices, **devices})
                    devices = self._check(step, action)
                self._run(step, number, action, devices)
            case WriteFile():
                self._write(step, number, action)

    def _check(self, step: Step, command: Command) -> Mapping[str, str]:
        """The device of each path that a command names. Raises Stale; see `Things.check`."""
        del step
        return self._things.check(command)

    def _run(self, step: Step, number: int, command: Command, devices: Mapping[str, str]) -> None:
        tries = _TRIES if command.retry == "while busy" else 1
        for left in range(tries - 1, -1, -1):
            with self._journal.output() as (name, handle):
                self._journal.write(
                    "intent", step=step.number, action=number, stage=step.stage, devices=command.devices,
                    argv=command.argv, output=name,
                )  # fmt: skip
                code = self._runner.run(command.argv, handle, devices, stdin=self._input(command))
                self._journal.sync(handle)
            self._journal.write("result", step=step.number, action=number, argv=command.argv, exit=code, output=name)
            if code in command.good_exits:
                self._things.check_after(command)
                self._require_zeroed(command, devices)
                return
            if self._counts_as_done(step, command):
                return
            output = self._journal.folder / name
            if not left:
                raise ended_badly(command, code, output)
            self._runner.wait(1)
            self._answers.clear()
            if command.only_if is not None:  # another array may have the name by now
                self._require(command.only_if)
            self._before_retry(step, command)

    def _input(self, command: Command) -> str:
        """What the command reads from standard input."""
        return command.stdin or ""

    def _counts_as_done(self, step: Step, command: Command) -> bool:
        """True if a command that failed has done its work, or somebody else has."""
        if command.done_if is not None:
            return self._holds_now(command.done_if)
        return self._act.lives and self._is_done(step)

    def _before_retry(self, step: Step, command: Command) -> None:
        """Before a command that failed is tried again."""

    def _require_zeroed(self, command: Command, devices: Mapping[str, str]) -> None:
        """Reads back the area that the command zeroes: an exit code is no proof."""
        if command.zeroed is None:
            return
        (path,) = command.devices
        at = self._runner.first_nonzero(devices.get(path, path), self._zeroed_areas(command))
        if at is not None:
            raise MachineFailed(
                f"{path} is not zero at byte {at} after it was zeroed", hint=_READS_OTHERWISE.format(path)
            )

    def _zeroed_areas(self, command: Command) -> tuple[tuple[int, int], ...]:
        """(offset, length) of what is read back of that area."""
        return () if command.zeroed is None else (command.zeroed,)

    def _write(self, step: Step, number: int, action: WriteFile) -> None:
        before = self._runner.read_text(action.path)
        text = self._text(action, before)
        if action.fenced and before is None and not action.text:
            return
        if not action.fenced and before is not None and before != text:
            raise Stale(f"{action.path} exists and is not the plan's file", hint="move it away, then resume")
        argv = ("write", action.path)
        self._journal.write("intent", step=step.number, action=number, stage=step.stage, file=action.path, argv=argv)
        if before is not None:
            kept = "before" if self._journal.purpose != "undo" else "after"
            self._keep(f"{kept}-{Path(action.path).name}", before)
        self._runner.write_text(action.path, text, action.mode)
        if self._runner.read_text(action.path) != text:
            raise MachineFailed(
                f"verification failed after writing {action.path}", hint="check the disk that holds this file"
            )
        self._journal.write("result", step=step.number, action=number, file=action.path, argv=argv)

    def _text(self, action: WriteFile, before: str | None) -> str:
        """What a file with the text `before` is to hold; None: there is none."""
        del before
        return f"{action.text}\n"

    def _keep(self, name: str, text: str) -> None:
        path = self._journal.folder / name
        if not path.exists():  # the first copy is the one from before the plan
            self._journal.keep(path, text)

    # Readings.

    def _ask(self, question: Question) -> Ran:
        if question not in self._answers:
            self._answers[question] = self._runner.ask(question.argv, self._things.devices_in(question.argv))
        return self._answers[question]

    def _holds_now(self, reading: Reading) -> bool:
        """True if the reading holds now; queries the machine again."""
        self._answers.pop(reading.question, None)
        return self._holds(reading)

    def _holds(self, reading: Reading) -> bool:
        answer = self._ask(reading.question)
        return holds(reading, answer.exit, answer.stdout)

    def _require(self, reading: Reading) -> None:
        answer = self._ask(reading.question)
        require(reading, answer.exit, answer.stdout)

    def _prove_identities(self) -> None:
        """Checks the identity of the pinned devices, not of the paths. Raises Stale."""
        self._answers.clear()
        for disk, _ in self._things.pinned():
            for reading in identity_readings(disk, alone=True, mounted=self._may_be_mounted(disk)):
                try:
                    self._require(reading)
                except Stale as problem:
                    raise Stale(f"{disk_label(disk)} is {problem}", hint=problem.hint) from problem

    def _may_be_mounted(self, disk: PlanDisk) -> bool:
        """True for a disk that carries a file system of the act itself."""
        del disk
        return False

    # Locks, requests.

    def _hold(self, disks: tuple[str, ...]) -> None:
        if disks:
            paths = [self._things.devices.get(disk.path, disk.path) for disk in self._act.disks if disk.id in disks]
            self._locks.enter_context(self._runner.lock(paths))
        self._locked = disks

    def _release(self) -> None:
        self._locks.close()
        self._locks = contextlib.ExitStack()
        self._locked = ()

    def _apply_requests(self, step: Step) -> None:
        """Returns when the next command may start; waits while paused. Raises Stopped."""
        request = self._request()
        if request.pause and not request.stop:
            self._journal.write("paused", step=step.number, text="paused by a viewer")
            while (request := self._request()).pause and not request.stop:
                self._limits.apply(request.sync_kib_per_s)
                self._runner.wait(1)
        if request.stop:
            raise Stopped
        self._limits.apply(request.sync_kib_per_s)

    @contextlib.contextmanager
    def _recorded(self) -> Iterator[None]:
        """Journals the start and a failure; always releases the locks and restores the sync limits."""
        self._journal.write("begun", digest=self._act.digest, text=started_by())
        try:
            self._restore_limits()  # left by a killed executor
            yield
        except Stopped:
            self._journal.write("stopped", text="asked to stop; nothing runs")
            raise
        except Exception as problem:
            with contextlib.suppress(MachineFailed):
                self._journal.failed(problem)
            raise
        finally:
            self._release()
            self._things.release()
            self._restore_limits()

    def _restore_limits(self) -> None:
        with contextlib.suppress(RaidtuiError):  # the file stays on an error: status and resume read it
            self._limits.restore()
