"""Carries out a plan: journal, look again, act, read back. Builds, and takes back; what to do after an
interruption is decided in `resume`.

Order of one action: the wish of the viewers, the operands, the intent (durable), the command, its result (durable).
A step counts as done when everything that must be true after it has been read back.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from raidtui.machine.boot import look
from raidtui.machine.ports.host import Ran
from raidtui.machine.ports.runner import Runner, Syncing
from raidtui.machine.run.journal import Journal
from raidtui.machine.run.recovery import Found
from raidtui.machine.run.requests import Wish
from raidtui.machine.run.sync_limit import SyncLimit
from raidtui.machine.safety.operand_guard import Operands, called
from raidtui.machine.safety.ownership import contents
from raidtui.machine.safety.unused import check_unused
from raidtui.model.errors import MachineFailed, RaidtuiError, Refused, Stale
from raidtui.model.plan import Action, Command, Plan, Question, Reading, Stage, Step, WriteFile
from raidtui.model.safe import safe
from raidtui.planner.compile.check_step import identity_readings
from raidtui.planner.compile.managed_block import with_block, without_block
from raidtui.planner.compile.names import begin_line, end_line
from raidtui.planner.compile.postcondition import answer_value, value_of
from raidtui.planner.compile.step_builder import member_is_ours
from raidtui.planner.compile.wipe_step import blanking
from raidtui.planner.text.run import program_text
from raidtui.tools import identity, mdadm

DEVICES = "devices"
"""file in the directory of a run: path, major:minor, kernel name and diskseq of every disk, as they were proven"""
_TRIES = 5
_DISK_LIES = "the disk does not keep what is written to it; the kernel's log (dmesg) may say why"
_LINES = 3
_LONG = 300
"""lines and characters of the end of what a failed command said, told at once"""
_CLAIMS = "/run/mdadm"
_AFTER_ARRAYS: frozenset[Stage] = frozenset({"volume", "format"})
"""stages that write to the arrays, which had better be synced by then"""


class Stopped(Exception):
    """A viewer or a signal asked for it; nothing runs, nothing is half-done."""


class Executor:
    """One run of one plan, in one purpose; the caller holds the lock."""

    def __init__(self, plan: Plan, runner: Runner, journal: Journal, wish: Callable[[], Wish]) -> None:
        self._plan = plan
        self._runner = runner
        self._journal = journal
        self._wish = wish
        self._operands = Operands(plan, runner)
        self._answers: dict[Question, Ran] = {}
        self._limits = SyncLimit(plan, runner, journal)
        self._locks = contextlib.ExitStack()
        self._locked: tuple[str, ...] = ()
        self._ours = {array.uuid for array in plan.arrays}

    # Purposes.

    def build(self, steps: Iterable[Step]) -> None:
        """Carries out `steps` of the plan, in order. The journal says how it ended; failures are raised too."""
        with self._recorded():
            bound = False
            for step in steps:
                if not bound and step.stage != "check":
                    self._bind()
                    bound = True
                self._build_step(step)
            self._end_build()

    def resume(self, found: Iterable[Found], done: Iterable[Step] = ()) -> None:
        """Carries on: `found` are the steps left, each with what has to go first; the machine showed `done`."""
        with self._recorded():
            self._bind()
            self._drop_claims()
            self._note_done(done)
            left = tuple(found)
            for each in reversed(left):  # what stands on an array goes before the array
                if each.clean:
                    self._clean(each)
            for each in left:
                self._build_step(each.step, each.left_out)
            self._end_build()

    def undo(self, steps: Iterable[Step]) -> None:
        """Takes back `steps` in the order given, only what carries the plan's UUIDs.

        A disk without a superblock of the plan is not written to; where it holds anything, the end names it.
        """
        with self._recorded():
            self._bind(absent=True)
            self._drop_claims()
            self._hold(tuple(disk.id for disk, _ in self._operands.pinned()))
            ours = self._require_no_stranger_beside_ours()
            for step in steps:
                self.take_back(self._with_moved(step))
            self._drop_links()
            self._end_undo(ours)

    def prove_disks(self, *, absent: bool = False) -> None:
        """Pins every disk, proves through the pins that it is the one meant, compares the pins. Raises Stale.

        Before it, what a stable path leads to may be a disk of somebody else. With `absent` disks that are not here are
        left out.
        """
        self._operands.pin_disks(absent=absent)
        self._prove_identities()
        self._operands.compare_pins()

    def _bind(self, *, absent: bool = False) -> None:
        """Proves the disks, or that they are those proven, and keeps what each path leads to; see `prove_disks`."""
        if self._operands.devices:  # a pin names one attachment of one disk: who it is was proven through it
            self._operands.compare_pins()
        else:
            self.prove_disks(absent=absent)
        pins = (f"{disk.path} {pin.number} {pin.name} {pin.sequence}".rstrip() for disk, pin in self._operands.pinned())
        self._journal.keep(self._journal.folder / DEVICES, "\n".join((*pins, "")))

    def _end_build(self) -> None:
        """The disks are still the ones that were proven, and no other device got a superblock of the plan."""
        self._operands.compare_pins()
        self._prove_identities()
        if strays := self._carriers(beside=True):
            raise Stale(
                f"{', '.join(strays)} has a superblock of the plan but is not one of its disks",
                hint=f"check with mdadm --examine {strays[0]}; if not needed: mdadm --zero-superblock {strays[0]}",
            )
        self._journal.write("finished", text="every step is done and verified")

    def _require_no_stranger_beside_ours(self) -> frozenset[str]:
        """Paths of the disks with a superblock of the plan. Raises Refused when something else is on one of them."""
        found = contents(self._plan, self._runner, self._journal.records, self._operands.devices)
        if beside := [each for each in found if each.state == "beside"]:
            raise Refused(
                "; ".join(each.sentence for each in beside),
                hint="this content is not the plan's and is kept; if it is not needed, remove it by hand, then undo",
            )
        return frozenset(each.disk.path for each in found if each.state == "ours")

    def _end_undo(self, ours: frozenset[str]) -> None:
        """What carried the plan's superblock is blank, no device of the machine carries one, the rest is named."""
        found = contents(self._plan, self._runner, self._journal.records, self._operands.devices)
        left = [each for each in found if each.disk.path in ours and each.state != "blank"]
        if left:
            raise Stale("; ".join(each.sentence for each in left), hint="remove the cause, then raidtui undo again")
        if carriers := self._carriers():
            raise MachineFailed(
                f"{', '.join(carriers)} still has a superblock of the plan but is not one of its disks",
                hint=f"check with mdadm --examine {carriers[0]}; if it is not needed: "
                f"mdadm --zero-superblock {carriers[0]}, then undo again",
            )
        kept = [each for each in found if each.state != "blank"]
        for each in kept:
            self._journal.write("kept", text=each.sentence)
        missing = sum(each.state == "missing" for each in found)
        where = f" on the {len(found) - missing} disks that are here" if missing else ""
        others = f"; {len(kept)} of {len(found)} disks keep what is on them" if kept else ""
        self._journal.write("finished", text=f"nothing of the plan is left{where}{others}")

    def _carriers(self, *, beside: bool = False) -> tuple[str, ...]:
        """Every device of the machine with a superblock of the plan; with `beside` only those that are not its own."""
        answer = self._runner.ask(mdadm.search())
        if answer.exit != 0:
            raise MachineFailed(
                f"mdadm could not search the devices of this machine for superblocks (exit code {answer.exit})",
                hint=f"run {' '.join(mdadm.search())} to see the reason, then try again",
            )
        devices = [device for uuid, device in mdadm.searched(answer.stdout) if uuid in self._ours]
        if not beside:
            return tuple(devices)
        own = {pin.number for _, pin in self._operands.pinned()}
        arrays = [self._runner.pin(array.device) for array in self._plan.arrays]
        own |= {pin.number for pin in arrays if pin is not None}
        pins = ((device, self._runner.pin(device)) for device in devices)
        return tuple(device for device, pin in pins if pin is None or pin.number not in own)

    def _with_moved(self, step: Step) -> Step:
        """The step; that of the wipe with the disks that somebody moved to another array of the plan."""
        if step.stage != "wipe":
            return step
        arrays = {array.uuid: array for array in self._plan.arrays}
        spares = {disk for array in self._plan.arrays for disk in array.spares}  # the monitor may move these
        more: list[Command] = []
        for disk, _ in self._operands.pinned():
            array = arrays.get(self._uuid_on(disk.path) or "")
            if array is not None and disk.id not in (*array.members, *spares):
                ours = member_is_ours(disk.path, array)
                more += blanking(self._plan.prediction, disk, self._plan.design.metadata, ours)
        return replace(step, undo=(*step.undo, *more))

    def take_back(self, step: Step) -> None:
        """The undo of one step, each group of its commands behind the condition they share."""
        self._journal.write("step", step=step.number, text=f"undo: {step.title}")
        self._take_back(step, step.undo)
        self._journal.write("proven", step=step.number, text="taken back")

    def name_arrays(self) -> None:
        """Gives arrays of the plan that a boot assembled under another name the link that the plan knows them by.

        Until the initramfs has mdadm.conf and the host's name, they come up as those of a foreign host.
        """
        for array in self._plan.arrays:
            if self._runner.pin(array.device) is not None:
                continue
            others = (f"/dev/md/{name}" for name in self._runner.names("/dev/md"))
            found = next((path for path in others if self._uuid(mdadm.export(path)) == array.uuid), None)
            pin = self._runner.pin(found) if found else None
            if pin is not None:
                with self._journal.output() as (_, handle):
                    self._runner.run(identity.link(f"/dev/{pin.name}", array.device).argv, handle)

    def _drop_links(self) -> None:
        """Takes away the links of `name_arrays` whose array is stopped: udev does not know of them."""
        there = self._runner.names("/dev/md")
        for array in self._plan.arrays:
            if array.device.rpartition("/")[2] in there and not self._runs(array.device):
                with self._journal.output() as (_, handle):
                    self._runner.run(identity.remove((array.device,)).argv, handle)

    def _runs(self, device: str) -> bool:
        """Whether an array runs there; for a moment after it was stopped the kernel keeps its empty device."""
        pin = self._runner.pin(device)
        state = self._runner.read_text(f"/sys/block/{pin.name}/md/array_state") if pin is not None else None
        return (state or "clear").strip() != "clear"

    def _note_done(self, done: Iterable[Step]) -> None:
        """Steps that the machine shows to be done, and the journal does not: their end was not written any more."""
        proven = {record.step for record in self._journal.records if record.kind == "proven"}
        for step in done:
            if step.number not in proven and step.stage != "check":
                self._journal.write("step", step=step.number, text=step.title)
                self._journal.write("proven", step=step.number, text="found done")

    def _clean(self, found: Found) -> None:
        """Takes away what a step left that was interrupted; the locks keep udev from assembling it meanwhile."""
        step = found.step
        self._journal.write("step", step=step.number, text=f"clean up: {step.title}")
        self._release()
        self._hold(step.destroys)
        self._take_back(step, found.clean)
        self._release()
        self._journal.write("cleaned", step=step.number, text="nothing of the interrupted step is left")

    def _take_back(self, step: Step, undo: Sequence[Action]) -> None:
        check_unused(self._plan, self._runner, self._operands.devices)
        number = 0
        for condition, group in groupby(undo, _condition):
            actions = list(group)
            self._answers.clear()
            if condition is not None and not self._is_so(condition):
                continue
            for action in actions:
                number += 1
                if isinstance(action, Command) and action.effect == "destroy":
                    for path in action.devices:
                        self._stop_holders(step, path)
                self._act(step, number, action)

    # Steps.

    def _build_step(self, step: Step, left_out: Collection[int] = ()) -> None:
        self._journal.write("step", step=step.number, text=step.title)
        if step.locks != self._locked:
            self._release()
            self._hold(step.locks)
        self._wait_for_sync(step)
        if any(command.effect == "destroy" for command in step.commands):
            check_unused(self._plan, self._runner, self._operands.devices)
        if step.stage == "wipe":
            self._require_as_confirmed()
        for number, action in enumerate(step.actions, start=1):
            if number in left_out:
                continue
            if isinstance(action, Command) and action.only_if is not None and not self._is_so(action.only_if):
                continue
            if isinstance(action, Command) and self._has_joined(action):
                continue
            self._act(step, number, action)
        self._answers.clear()
        for reading in step.after:
            self._prove(reading)
        boot = look.prove(self._plan, self._runner) if step.stage == "verify" else ""
        held = f"{len(step.after)} readings hold"
        self._journal.write("proven", step=step.number, text=f"{held}; {boot}" if boot else held)

    def _require_as_confirmed(self) -> None:
        """Under the disks' locks, right before the wipe: each holds what was confirmed, or what a wipe left of it."""
        found = contents(self._plan, self._runner, self._journal.records, self._operands.devices)
        wrong = [each for each in found if each.state in ("foreign", "missing", "ours", "beside")]
        if wrong:
            raise Stale(
                "; ".join(each.sentence for each in wrong),
                hint="nothing was wiped; if the content is not needed, plan again",
            )

    def _has_joined(self, command: Command) -> bool:
        """True when the disks that the command adds to an array are in it: an earlier executor came as far."""
        array = self._runner.pin(command.joins) if command.joins else None
        return array is not None and all(array.name in self._runner.holders(disk) for disk in command.members)

    def _act(self, step: Step, number: int, action: Action) -> None:
        self._heed(step)
        self._answers.clear()
        match action:
            case Command():
                self._run(step, number, action, self._operands.check(action))
            case WriteFile():
                self._write(step, number, action)

    def _run(self, step: Step, number: int, command: Command, devices: Mapping[str, str]) -> None:
        tries = _TRIES if command.retry == "while busy" else 1
        for left in range(tries - 1, -1, -1):
            with self._journal.output() as (name, handle):
                self._journal.write(
                    "intent", step=step.number, action=number, stage=step.stage, devices=command.devices,
                    argv=command.argv, output=name,
                )  # fmt: skip
                code = self._runner.run(command.argv, handle, devices)
                self._journal.sync(handle)
            self._journal.write("result", step=step.number, action=number, argv=command.argv, exit=code, output=name)
            if code in command.good_exits:
                self._operands.check_disks(command)
                self._require_zeroed(command)
                return
            if command.done_if is not None and self._is_so_now(command.done_if):
                return
            output = self._journal.folder / name
            words = output.read_text(errors="replace")
            if not left or "busy" not in words.lower():
                end = f"{program_text(command.argv)} ended with exit code {code}"
                heard = "; ".join(line.strip() for line in words.splitlines()[-_LINES:] if line.strip())
                raise MachineFailed(
                    f"{end}: {safe(heard, longest=_LONG)}" if heard else end, hint=f"its output is in {output}"
                )
            self._runner.wait(1)

    def _require_zeroed(self, command: Command) -> None:
        """Reads back what the command is for where it zeroes an area; no exit code is believed."""
        if command.zeroed is None:
            return
        (path,) = command.devices
        at = self._runner.first_nonzero(self._operands.devices.get(path, path), (command.zeroed,))
        if at is not None:
            raise MachineFailed(f"{path} is not zero at byte {at} after it was zeroed", hint=_DISK_LIES)

    def _write(self, step: Step, number: int, action: WriteFile) -> None:
        plan = self._plan
        before = self._runner.read_text(action.path)
        if action.fenced:
            begin, end = begin_line(plan.run_id, plan.name), end_line(plan.run_id)
            old = before or ""
            text = with_block(old, begin, end, action.text) if action.text else without_block(old, begin, end)
            if before is None and not action.text:
                return
        else:
            text = action.text + "\n"
            if before is not None and before != text:
                raise Stale(f"{action.path} exists and is not the plan's file", hint="move it away, then resume")
        argv = ("write", action.path)
        self._journal.write(
            "intent", step=step.number, action=number, stage=step.stage, file=action.path, argv=argv
        )  # fmt: skip
        if before is not None:
            kept = "before" if self._journal.purpose != "undo" else "after"
            self._keep(f"{kept}-{Path(action.path).name}", before)
        self._runner.write_text(action.path, text, action.mode)
        if self._runner.read_text(action.path) != text:
            raise MachineFailed(
                f"verification failed after writing {action.path}", hint="check the disk that holds this file"
            )
        self._journal.write("result", step=step.number, action=number, file=action.path, argv=argv)

    def _keep(self, name: str, text: str) -> None:
        path = self._journal.folder / name
        if not path.exists():  # the first copy is the one from before the plan
            self._journal.keep(path, text)

    # Readings.

    def _ask(self, question: Question) -> Ran:
        if question not in self._answers:
            self._answers[question] = self._runner.ask(question.argv, self._operands.devices)
        return self._answers[question]

    def _is_so_now(self, reading: Reading) -> bool:
        """True when the reading holds, asked anew."""
        self._answers.pop(reading.question, None)
        return self._is_so(reading)

    def _is_so(self, reading: Reading) -> bool:
        answer = self._ask(reading.question)
        return answer_value(reading, answer.exit, answer.stdout) == reading.answer

    def _prove(self, reading: Reading) -> None:
        answer = self._ask(reading.question)
        got = answer_value(reading, answer.exit, answer.stdout)
        if got != reading.answer:
            what = "no answer" if got is None else f"'{got}', not '{reading.answer}'"
            raise Stale(f"not as planned: {reading.what}: {what}", hint=f"asked by: {' '.join(reading.question.argv)}")

    def _prove_identities(self) -> None:
        """Asked of the pinned devices, whatever the paths lead to."""
        self._answers.clear()
        for disk, _ in self._operands.pinned():
            for reading in identity_readings(disk, alone=True):
                try:
                    self._prove(reading)
                except Stale as problem:
                    raise Stale(f"{called(disk)} is {problem}", hint=problem.hint) from problem

    # Locks, wishes, the sync.

    def _hold(self, disks: tuple[str, ...]) -> None:
        if disks:
            paths = [self._operands.devices.get(disk.path, disk.path) for disk in self._plan.disks if disk.id in disks]
            self._locks.enter_context(self._runner.lock(paths))
        self._locked = disks

    def _release(self) -> None:
        self._locks.close()
        self._locks = contextlib.ExitStack()
        self._locked = ()

    def _heed(self, step: Step) -> None:
        """Stops or pauses as the viewers wish; returns when the next command may start."""
        wish = self._wish()
        if wish.pause and not wish.stop:
            self._journal.write("paused", step=step.number, text="paused by a viewer")
            while (wish := self._wish()).pause and not wish.stop:
                self._limit_sync(wish)
                self._runner.wait(1)
        if wish.stop:
            raise Stopped
        self._limit_sync(wish)

    def _wait_for_sync(self, step: Step) -> None:
        """Waits before a step that writes to the arrays until they are in sync, unless the admin wants it meanwhile."""
        told = False
        while step.stage in _AFTER_ARRAYS and (syncs := self._own_syncs()) and not (wish := self._wish()).during_sync:
            if wish.stop:
                raise Stopped
            for sync in syncs:
                if sync.action == "held":  # after a boot; nothing else would begin it before the step writes
                    self._runner.start_sync(sync.device)
            if not told:
                told = bool(self._journal.write("waiting", step=step.number, text="waits until the arrays are in sync"))
            self._limit_sync(wish)
            self._runner.wait(1)

    def _own_syncs(self) -> tuple[Syncing, ...]:
        return self._limits.own_syncs()

    def _limit_sync(self, wish: Wish) -> None:
        self._limits.apply(wish.sync_kib_per_s)

    def _stop_holders(self, step: Step, disk: str) -> None:
        """Stops what still holds a device whose superblock is the plan's; an array that never came up has no name."""
        if (of_disk := self._uuid_on(disk)) not in self._ours:
            return
        for holder in self._runner.holders(self._operands.devices.get(disk, disk)):
            device = f"/dev/{holder}"
            if self._uuid(mdadm.export(device)) not in (of_disk, None):
                raise Stale(
                    f"{disk} is held by {holder}, which does not belong to the plan",
                    hint="stop it by hand if it is not needed",
                )
            self._stop_holders(step, device)
            self._run(step, 0, mdadm.stop(device), {})

    def _drop_claims(self) -> None:
        """Removes the marks by which a killed mdadm --create keeps udev from its array (mdadm's udev.c).

        While one lies there, systemd takes the array of that name for unfinished. No mdadm of ours runs: it would hold
        the lock of the run.
        """
        for name in self._runner.names(_CLAIMS):
            if not name.startswith("creating-"):
                continue
            device = f"/dev/{name.removeprefix('creating-')}"
            if self._runner.pin(device) is None or self._uuid(mdadm.export(device)) in self._ours:
                with self._journal.output() as (_, handle):
                    self._runner.run(identity.remove((f"{_CLAIMS}/{name}",)).argv, handle)

    def _uuid_on(self, disk: str) -> str | None:
        """UUID in the md superblock of a disk of the plan."""
        return self._uuid(mdadm.examine_export(disk))

    def _uuid(self, question: tuple[str, ...]) -> str | None:
        answer = self._runner.ask(question, self._operands.devices)
        return value_of("MD_UUID", answer.exit, answer.stdout)

    @contextlib.contextmanager
    def _recorded(self) -> Iterator[None]:
        """Whatever happens, locks and sync limits are given back, and the journal has the reason if it can be had."""
        self._journal.write("begun", digest=self._plan.digest)
        try:
            self._restore_limits()  # what an executor left that was killed
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
            self._restore_limits()

    def _restore_limits(self) -> None:
        with contextlib.suppress(RaidtuiError):  # the file that names the array stays: status and resume read it
            self._limits.restore()


def _condition(action: Action) -> Reading | None:
    return action.only_if if isinstance(action, Command) else None
