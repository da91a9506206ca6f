"""Builds a plan, resumes a build and takes it back: what the stages of a plan need besides the executor of all acts.

The caller decides which steps are left after an interruption.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from raidtui.engine import survey
from raidtui.engine.executor import Executor, Stopped
from raidtui.engine.folders import ControlRequest, waits
from raidtui.engine.journal import Journal
from raidtui.engine.ownership import (
    DiskState,
    contents,
    require_left_as_it_was,
    sampled_text,
    samples,
    written_in_build,
)
from raidtui.engine.preflight_facts import DiskQueues
from raidtui.engine.recovery import RecoveredStep, without_mark
from raidtui.engine.standing import AGAIN
from raidtui.engine.survey import require_nothing_of_others
from raidtui.engine.survey_layers import names_of, opened_from_ours
from raidtui.engine.sync import run_together
from raidtui.engine.things import RESUME, Things, check_unused, disk_label, disks_by_path
from raidtui.machine.arrays import boot as look
from raidtui.machine.gauges.kernel_arrays import GONE, FilesOf, members_now, state_word
from raidtui.machine.system.files import half_written
from raidtui.machine.system.passphrase import Passphrase
from raidtui.machine.system.ports import Runner, Syncing
from raidtui.programs import cryptsetup, identity, lvm, mdadm, systemd
from raidtui.steps.array_steps import measured_zeroing, read_back
from raidtui.steps.boot_steps import blocks_of, with_block, without_block
from raidtui.steps.check_step import value_of, values_of
from raidtui.steps.crypt_steps import header_is_ours, key_readings, mapping_is_ours
from raidtui.steps.disk_steps import blanking, queue_undone_text, sampled_areas, table_zeroed
from raidtui.steps.step_builder import array_is_ours, member_is_ours, only_if
from raidtui.values.errors import MachineFailed, Refused, Stale
from raidtui.values.plan import (
    Action,
    Command,
    Plan,
    PlanCrypt,
    PlanDisk,
    Question,
    Reading,
    Stage,
    Step,
    WriteFile,
    volume_of,
)
from raidtui.values.prediction import LvmGeometry
from raidtui.values.run import Record
from raidtui.values.units import counted

_LOST_MEMBER = (
    "the kernel's log (dmesg) says why; if the disk works, put it back, then raidtui resume, or raidtui undo; if not, "
    "raidtui undo and plan without it"
)
_CLAIMS = "/run/mdadm"
_BEFORE_TABLES: frozenset[Stage] = frozenset({"save", "wipe"})
"""stages whose partitions are those that the disks had before the plan"""
_IN_SYNC: frozenset[Stage] = frozenset({"encrypt", "format", "verify"})
"""stages that wait for the end of the sync where that was requested; verify, where a plan has no file system"""

_OVER_CRYPTS: frozenset[Stage] = frozenset({"volume", "format"})
"""stages whose commands write through LVM to what is open on encrypted arrays, which they do not name"""


class Builder(Executor):
    """Executor of one plan for one purpose (build, resume, undo, drill, benchmark); the caller holds the run lock."""

    def __init__(
        self,
        plan: Plan,
        runner: Runner,
        journal: Journal,
        request: Callable[[], ControlRequest],
        guard: Callable[[Command, Mapping[str, str]], None] | None = None,
        passphrase: Passphrase | None = None,
    ) -> None:
        """`passphrase`: what commands of the plan read, forgotten once the last of them is proven."""
        on_disks = plan.design.layout.plain and isinstance(plan.prediction.volume, LvmGeometry)
        written = written_in_build(plan, runner, lambda: samples(journal.records))
        things = Things(plan, runner, written, by_name=on_disks)
        super().__init__(plan, runner, journal, request, things=things, guard=guard)
        self._plan = plan
        self._passphrase = passphrase
        self._last_asking = 0
        self._queues = DiskQueues(plan, runner, journal)
        self._ours = {array.uuid for array in plan.arrays}
        self._half_made: frozenset[str] = frozenset()

    # Purposes.

    def build(self, steps: Iterable[Step]) -> None:
        """Runs `steps` of the plan, in order. The journal records the end; failures are raised too."""
        with self._recorded():
            bound = False
            for step in steps:
                if not bound and step.stage != "check":
                    self._bind()
                    bound = True
                self._do(step)
            self._end_build()

    def resume(self, found: Iterable[RecoveredStep], done: Iterable[Step] = ()) -> None:
        """Continues a run. `found`: the remaining steps with their cleanup; `done`: the finished steps."""
        with self._recorded():
            self._bind()
            self._drop_claims()
            self._note_done(done)
            left = tuple(found)
            for each in reversed(left):  # upper layers are removed before the array
                if each.clean:
                    self._clean(each)
            for each in left:
                self._do(each.step, each.left_out)
            self._end_build()

    def undo(self, steps: Iterable[Step]) -> None:
        """Undoes `steps` in the given order, only on devices with the plan's UUIDs.

        Never writes to a disk without a superblock of the plan; such a disk with content is named in a last record.
        """
        with self._recorded():
            self._bind(absent=True)
            self._drop_claims()
            self._hold(tuple(disk.id for disk, _ in self._things.pinned()))
            ours = self._require_no_stranger_beside_ours()
            for step in steps:
                self.undo_step(self._with_moved(self._with_half(step, ours)))
            self._drop_links()
            self._drop_half_written()
            self._end_undo(ours, queues_restored=self._queues.restore(self._things.pinned()))

    def _end_build(self) -> None:
        """Raises Stale if a disk was exchanged or another device has a superblock of the plan; ends the build."""
        self._things.compare_pins()
        self._prove_identities()
        if strays := self._carriers(beside=True):
            raise Stale(
                f"{', '.join(strays)} has a superblock of the plan but is not one of its disks",
                hint=f"check with mdadm --examine {strays[0]}; if not needed: mdadm --zero-superblock {strays[0]}",
            )
        self._start_held(self._limits.own_syncs())
        self._journal.write("finished", text="; ".join(("every step is done and verified", *self._still_syncing())))

    def _still_syncing(self) -> tuple[str, ...]:
        """A clause about the arrays that are not in sync yet."""
        syncs = self._limits.own_syncs()
        return (f"{counted(len(syncs), 'array')} in the first sync, see raidtui status",) if syncs else ()

    def _require_no_stranger_beside_ours(self) -> Mapping[str, DiskState]:
        """State of the disks with a superblock or a table of the plan, by path. Raises Refused if one of them has other
        content too."""
        found = contents(self._plan, self._runner, self._journal.records, self._things.devices)
        if beside := [each for each in found if each.state == "beside"]:
            raise Refused(
                "; ".join(each.sentence for each in beside),
                hint="this content is not the plan's and is kept; if it is not needed, remove it by hand, then undo",
            )
        self._half_made = frozenset(each.disk.path for each in found if each.state == "half made")
        own = ("ours", "half made", "table", "half partitioned")
        return {each.disk.path: each.state for each in found if each.state in own}

    def _end_undo(self, ours: Collection[str], *, queues_restored: bool) -> None:
        """Checks that the plan's disks are blank and no device has a superblock of the plan; names what is kept."""
        found = contents(self._plan, self._runner, self._journal.records, self._things.devices)
        left = [each for each in found if each.disk.path in ours and each.state != "blank"]
        if left:
            raise Stale("; ".join(each.sentence for each in left), hint="remove the cause, then raidtui undo again")
        if carriers := self._carriers():
            raise MachineFailed(
                f"{', '.join(carriers)} still has a superblock of the plan but is not one of its disks",
                hint=f"check with mdadm --examine {carriers[0]}; if it is not needed: "
                f"mdadm --zero-superblock {carriers[0]}, {AGAIN}",
            )
        kept = [each for each in found if each.state != "blank"]
        for each in kept:
            self._journal.write("kept", text=each.sentence)
        files = self._changed_files()
        for path in files:
            self._journal.write("kept", text=f"{path} was changed since the plan wrote it")
        missing = sum(each.state == "missing" for each in found)
        where = f" on the {len(found) - missing} disks that are here" if missing else ""
        others = f"; {len(kept)} of {len(found)} disks keep what is on them" if kept else ""
        values = queue_undone_text(self._plan.design, restored=queues_restored)
        running = f"; {values}" if values else ""
        lines = f"; {', '.join(files)} is not as the plan wrote it and is kept" if files else ""
        self._journal.write("finished", text=f"no signature or line of the plan is left{where}{others}{lines}{running}")

    def _changed_files(self) -> list[str]:
        """Files of the plan alone that name its run after an undo, which removes them only as they were written."""
        own = (action.path for action in self._files() if not action.fenced)
        return [path for path in own if self._plan.run_id in (self._runner.read_text(path) or "")]

    def _files(self) -> Iterator[WriteFile]:
        actions = (action for step in self._plan.steps for action in step.actions)
        return (action for action in actions if isinstance(action, WriteFile))

    def _drop_half_written(self) -> None:
        """Removes what a cut left of a file while the plan wrote it, before it had its name."""
        for action in self._files():
            folder, _, name = action.path.rpartition("/")
            for beside in half_written(self._runner.names(folder), name):
                path = f"{folder}/{beside}"
                there = self._runner.read_text(path)
                if there is not None and self._text(action, self._runner.read_text(action.path)).startswith(there):
                    with self._journal.output() as (_, handle):
                        self._runner.run(identity.remove((path,)).argv, handle)

    def _carriers(self, *, beside: bool = False) -> tuple[str, ...]:
        """Devices of this machine with a superblock of the plan; with `beside` only those outside of the plan."""
        answer = self._runner.ask(mdadm.search())
        if answer.exit != 0:
            raise MachineFailed(
                f"mdadm could not search the devices of this machine for superblocks (exit code {answer.exit})",
                hint=f"run {' '.join(mdadm.search())} to see the reason, then try again",
            )
        devices = [device for uuid, device in mdadm.searched(answer.stdout) if uuid in self._ours]
        if not beside:
            return tuple(devices)
        own = self._things.carriers()
        pins = ((device, self._runner.pin(device)) for device in devices)
        return tuple(device for device, pin in pins if pin is None or pin.number not in own)

    def _with_half(self, step: Step, ours: Mapping[str, DiskState]) -> Step:
        """The step; the one that removes the tables also erases those that the run did not finish."""
        if step.stage != "partition":
            return step
        half = (disk for disk, _ in self._things.pinned() if ours.get(disk.path) == "half partitioned")
        return replace(step, undo=(*step.undo, *(command for disk in half for command in table_zeroed(disk))))

    def _with_moved(self, step: Step) -> Step:
        """The step; the one that blanks the members also blanks disks that were moved to another array of the plan, as
        mdadm's monitor moves spares, and half made disks without md."""
        if step.stage != ("wipe" if not self._plan.design.on_partitions else "partition"):
            return step
        if self._plan.design.layout.plain:
            return replace(step, undo=tuple(without_mark(each, self._half_made) for each in step.undo_commands))
        arrays = {array.uuid: array for array in self._plan.arrays}
        more: list[Command] = []
        for disk, member in ((each, member) for each, _ in self._things.pinned() for member in each.members):
            array = arrays.get(self._uuid_on(member.path) or "")
            if array is None:
                continue
            if disk.id not in array.disks or disk.member_of(array) != member:
                ours = member_is_ours(member.path, array)
                more += blanking(self._plan.prediction, member, self._plan.design.metadata, ours)
        return replace(step, undo=(*more, *step.undo))

    def undo_step(self, step: Step) -> None:
        """Undoes one step; commands that share a condition are one group."""
        self._journal.write("step", step=step.number, text=f"undo: {step.title}")
        if step.stage in ("create", "volume", "encrypt"):
            self._require_nothing_of_others(step, self._journal.records, AGAIN)
        elif step.stage in ("wipe", "partition"):
            self._require_no_stranger_beside_ours()
        self._run_undo(step, step.undo)
        self._journal.write("proven", step=step.number, text="undone")

    def name_arrays(self) -> None:
        """Links arrays of the plan that a boot assembled under another name to their planned names.

        Until the initramfs has mdadm.conf and the host name, they are assembled as arrays of a foreign host.
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

    def open_encrypted(self) -> None:
        """Opens encrypted volumes of the plan that the boot did not: before crypttab has them, nothing else does. The
        LVM volume over them gets its device here: LVM's own activation by udev ends some time after udev.

        One that cannot be opened is found by the look at its step. Raises Refused for a passphrase that opens none.
        """
        for crypt in self._plan.crypts or ():
            if not self._holds_now(header_is_ours(crypt)):
                continue
            if self._passphrase is not None:
                self._try_passphrase(crypt)
            if self._runner.pin(crypt.path) is not None:
                continue
            self._require_key_file()
            opened = next(
                command for step in self._plan.steps for command in step.commands if command.makes == crypt.path
            )
            self._require_typed(opened)
            with self._journal.output() as (_, handle):
                self._runner.run(opened.argv, handle, self._things.check(opened), stdin=self._input(opened))
        if self._plan.design.encrypts_arrays and self._runner.pin(volume_of(self._plan.name)) is None:
            tag = names_of(self._plan).tag
            with self._journal.output() as (_, handle):
                for command in (systemd.settle(), lvm.activate(tag)):
                    self._runner.run(command.argv, handle)

    def require_passphrase(self, steps: Iterable[Step]) -> None:
        """Raises Refused where a command of these steps reads a passphrase and none was typed."""
        asking = [(step.number, command) for step in steps for command in step.commands if command.passphrase]
        for _, command in asking:
            self._require_typed(command)
        self._last_asking = max((number for number, _ in asking), default=0)
        if self._passphrase is not None and not asking:
            self._passphrase.forget()

    def _require_typed(self, command: Command) -> None:
        if command.passphrase and self._passphrase is None:
            raise Refused(
                f"no passphrase was typed for {command.devices[0]}; nothing was written",
                hint="begin at a terminal, which asks for it; or plan with --key-file PATH",
            )

    def _try_passphrase(self, crypt: PlanCrypt) -> None:
        """Raises Refused if no key slot of the volume opens with what was typed, once all of its slots are written."""
        assert self._plan.design.encryption is not None and self._passphrase is not None
        dumped = self._ask(Question(argv=cryptsetup.dump_question(crypt.device)))
        if len(values_of(cryptsetup.SLOT, dumped.exit, dumped.stdout)) < self._plan.design.encryption.slots:
            return
        argv = cryptsetup.try_passphrase(crypt.device)
        with self._journal.output() as (_, handle):
            code = self._runner.run(argv, handle, self._things.devices_in(argv), stdin=self._passphrase.text)
        if code == cryptsetup.NO_KEY:
            raise Refused(
                f"this passphrase does not open {crypt.device}; nothing was written",
                hint="the same command asks for it again",
            )

    def _input(self, command: Command) -> str:
        if not command.passphrase:
            return super()._input(command)
        self._require_typed(command)
        assert self._passphrase is not None
        return self._passphrase.text

    def _require_key_file(self) -> None:
        """Raises Stale unless the key file is root's alone: nobody else can put another in its place."""
        self._answers.clear()
        if self._plan.design.encryption is not None:
            for reading in key_readings(self._plan.design.encryption):
                self._require(reading)

    def _drop_links(self) -> None:
        """Removes the links of `name_arrays` to stopped arrays: udev does not manage them."""
        there = self._runner.names("/dev/md")
        for array in self._plan.arrays:
            if array.device.rpartition("/")[2] in there and not self._runs(array.device):
                with self._journal.output() as (_, handle):
                    self._runner.run(identity.remove((array.device,)).argv, handle)

    def _runs(self, device: str) -> bool:
        """True if an array runs at `device`; the kernel keeps the empty device for a moment after a stop."""
        pin = self._runner.pin(device)
        return pin is not None and state_word(FilesOf(self._runner), pin.name) not in GONE

    def _note_done(self, done: Iterable[Step]) -> None:
        """Journals finished steps whose end is missing in the journal."""
        proven = {record.step for record in self._journal.records if record.kind == "proven"}
        for step in done:
            if step.number not in proven and step.stage != "check":
                self._journal.write("step", step=step.number, text=step.title)
                self._journal.write("proven", step=step.number, text="already done, found on the machine")

    def _clean(self, found: RecoveredStep) -> None:
        """Removes the remains of an interrupted step; the disks' locks keep udev from assembling them meanwhile.

        Raises Stale if they hold something of others.
        """
        step = found.step
        if step.stage in ("create", "volume", "encrypt", "format"):
            self._require_nothing_of_others(step, self._journal.records, "then resume")
        self._journal.write("step", step=step.number, text=f"clean up: {step.title}")
        self._release()
        self._hold(step.destroys)
        self._run_undo(step, found.clean)
        self._keep_samples(step, {path for command in found.clean for path in command.devices})
        self._release()
        self._journal.write("cleaned", step=step.number, text="the remains of the interrupted step are removed")

    def _run_undo(self, step: Step, undo: Sequence[Action]) -> None:
        check_unused(self._plan.disks, self._runner, self._things.devices)
        number = 0
        for condition, group in groupby(undo, _condition):
            actions = list(group)
            self._answers.clear()
            if condition is not None and not self._holds(condition):
                continue
            if condition is not None and condition.role == "mounted":
                survey.require_ours_on_top(self._plan, self._runner, condition)
            for action in actions:
                number += 1
                if isinstance(action, Command) and action.effect == "destroy":
                    for path in action.devices:
                        self._stop_holders(step, path)
                    action = replace(action, retry="while busy")
                self._carry_out(step, number, action)
        if step.stage == "mount":
            survey.require_unmounted(self._plan, self._runner)

    def _look_before(self, step: Step, before: tuple[Record, ...]) -> None:
        self._wait_for_sync(step)
        super()._look_before(step, before)
        if step.stage == "encrypt":
            self._require_key_file()
        below = {array.device for array in self._plan.arrays} - step.makes
        over = step.stage == "create" and any(below.intersection(command.devices) for command in step.commands)
        # hours after its array was made, where that syncs first
        if over or step.stage in ("volume", "encrypt", "format"):
            self._require_nothing_of_others(step, before, "then resume")
        if step.stage == "wipe":
            self._require_as_confirmed()
            members = {member.path for disk in self._plan.disks for member in disk.members}
            self._keep_samples(step, members.difference(samples(self._journal.records)))
        if step.stage == "exchange":  # what the array wrote stays on a member whose superblock is still its own
            self._require_left_as_they_were(step)
            ours = [each for each in step.commands if each.only_if is not None and self._holds_now(each.only_if)]
            self._keep_samples(step, {path for command in ours for path in command.devices})
        self._queues.keep(step, self._things.pinned())

    def _require_left_as_they_were(self, step: Step) -> None:
        """Raises Refused for a disk that comes back to an array and that somebody uses since it was taken out."""
        arrays = {array.device: array for array in self._plan.arrays}
        for command in step.commands:
            if (array := arrays.get(command.joins)) is not None:
                devices = self._things.devices_in(command.members)
                for path in command.members:
                    require_left_as_it_was(self._plan, self._runner, array, path, devices.get(path, path))

    def _actions(self, step: Step, left_out: Collection[int]) -> None:
        if step.stage == "zero":
            self._zero(step, left_out)
        else:
            super()._actions(step, left_out)

    def _carry_out(self, step: Step, number: int, action: Action) -> None:
        if step.stage == "mount":
            survey.require_places(self._plan, self._runner)
        super()._carry_out(step, number, action)

    def _after_action(self, step: Step, action: Action) -> None:
        if step.stage == "wipe" and isinstance(action, Command) and action.zeroed is None:
            self._keep_erased(step, action)

    def _proof(self, step: Step) -> str:
        held = super()._proof(step)
        if any(reading.role == "mounted" for reading in step.after):  # read from the mount itself
            survey.require_mounted(self._plan, self._runner)
        boot = look.prove(self._plan, self._runner) if step.stage == "verify" else ""
        if self._passphrase is not None and step.number == self._last_asking:
            self._passphrase.forget()
        return f"{held}; {boot}" if boot else held

    def _check(self, step: Step, command: Command) -> Mapping[str, str]:
        if command.without_sync and self._plan.design.trial is None and not self._plan.design.zeroes:
            raise Stale("--assume-clean is for trials and zeroed members, and this plan has neither", hint="plan again")
        devices = self._things.check(command, old_partitions=step.stage in _BEFORE_TABLES)
        over = self._plan.design.encrypts_arrays and step.stage in _OVER_CRYPTS
        for crypt in self._plan.crypts or ():  # a name in device-mapper is anybody's
            if crypt.path in command.devices:
                self._require(mapping_is_ours(crypt))
            elif not over or self._runner.pin(crypt.path) is None or not self._holds_now(mapping_is_ours(crypt)):
                continue
            if not opened_from_ours(self._runner, crypt):
                raise Stale(
                    f"{crypt.path} is open from another device than {crypt.device}: a copy with the same header?",
                    hint=f"see lsblk -o NAME,TYPE,UUID; cryptsetup close {crypt.name}, then raidtui resume",
                )
        if command.without_sync:
            self._check_zeroed(command, devices)
        return devices

    def _check_zeroed(self, command: Command, devices: Mapping[str, str]) -> None:
        """Raises Stale unless the members of an array that is created in sync read as the plan zeroed them."""
        for zero in (each for step in self._plan.steps if step.stage == "zero" for each in step.commands):
            (path,) = zero.devices
            if path not in command.members:
                continue
            at = self._runner.first_nonzero(devices[path], read_back(self._plan, zero))
            if at is not None:
                raise Stale(f"{self._things.label(path)} is no longer zero at byte {at}", hint=RESUME)

    def _zeroed_areas(self, command: Command) -> tuple[tuple[int, int], ...]:
        return read_back(self._plan, command) if command.sampled else super()._zeroed_areas(command)

    def _before_retry(self, step: Step, command: Command) -> None:
        if command.effect == "destroy":
            self._free(step, command)

    def _may_be_mounted(self, disk: PlanDisk) -> bool:
        return any(disk.path == made.device for made in self._plan.filesystems)

    def _text(self, action: WriteFile, before: str | None) -> str:
        if not action.fenced:
            return super()._text(action, before)
        block = next(block for block in blocks_of(self._plan) if block.path == action.path)
        old = before or ""
        return with_block(old, block, first=action.first is True) if action.text else without_block(old, block)

    def _require(self, reading: Reading) -> None:
        try:
            super()._require(reading)
        except Stale as problem:
            if reading.role == "member count" and (lost := self._lost_members(reading)):
                raise Stale(f"{problem}; it works without {', '.join(lost)}", hint=_LOST_MEMBER) from problem
            raise

    def _zero(self, step: Step, left_out: Collection[int]) -> None:
        """Zeroes members at the same time. Raises Refused if what follows would take too long at the rates of this."""
        left = {number: command for number, command in enumerate(step.commands, start=1) if number not in left_out}
        self._apply_requests(step)
        self._answers.clear()
        devices: dict[str, str] = {}
        for command in left.values():
            devices |= self._things.check(command)
            if self._guard is not None:
                self._guard(command, devices)
        seconds = run_together(step, left, self._runner, self._journal, devices)
        for command in left.values():
            self._things.check_after(command)
            self._require_zeroed(command, devices)
        found = measured_zeroing(self._plan, step, seconds)
        if found is not None:
            self._journal.write("progress", step=step.number, text=found.sentence)
            if found.too_slow:
                raise Refused(f"{found.sentence}: too slow for zeroes", hint=found.way_out)

    def _keep_samples(self, step: Step, members: Collection[str]) -> None:
        """Journals what is between the ends of `members`, which the step does not erase; see `written_between`."""
        asked = [
            (member.path, self._things.devices[disk.path], sampled_areas(self._plan.prediction, disk, member))
            for disk, _ in self._things.pinned()
            for member in disk.members
            if member.path in members
        ]
        texts = self._runner.each(lambda one: sampled_text(self._runner, one[1], one[2]), asked)
        for (path, _, _), found in zip(asked, texts, strict=True):
            if found:
                self._journal.write("sampled", step=step.number, devices=(path,), text=found)

    def _keep_erased(self, step: Step, command: Command) -> None:
        """Journals again what is between the ends of members after wipefs, which erases signatures there too."""
        disk_of = disks_by_path(self._plan.disks)
        named = {disk_of[path] for path in command.devices}
        self._keep_samples(step, {path for path in samples(self._journal.records) if disk_of[path] in named})

    def _require_as_confirmed(self) -> None:
        """Right before the wipe, under the disks' locks. Raises Stale for content that was not confirmed."""
        found = contents(self._plan, self._runner, self._journal.records, self._things.devices, between=True)
        wrong = [each for each in found if each.state in ("foreign", "missing", "ours", "table", "beside")]
        if wrong:
            raise Stale(
                "; ".join(each.sentence for each in wrong),
                hint="nothing was wiped; if the content is not needed, plan again",
            )

    def _require_nothing_of_others(self, step: Step, records: Sequence[Record], then: str) -> None:
        """Raises Stale if something of others is on what the step makes or formats; a volume touches all arrays."""
        paths = {path for command in step.commands for path in (*command.devices, command.makes)}
        own = {*(array.device for array in self._plan.arrays), *(disk.path for disk in self._plan.disks)}
        only = paths & own if step.stage in ("create", "format") else ()
        require_nothing_of_others(self._plan, self._runner, records, then, only)

    def _has_joined(self, command: Command) -> bool:
        """True if an earlier executor has already added the command's disks to the array."""
        array = self._runner.pin(command.joins) if command.joins else None
        return array is not None and all(array.name in self._runner.holders(disk) for disk in command.members)

    def _lost_members(self, reading: Reading) -> tuple[str, ...]:
        """Labels of the disks of the array that `reading` is about which do not work in it."""
        asked = reading.question
        array = next((each for each in self._plan.arrays if asked == Question(argv=mdadm.detail(each.device))), None)
        running = self._runner.pin(array.device) if array is not None else None
        if array is None or running is None:
            return ()
        found = members_now(FilesOf(self._runner), running.name, started=True)
        working = {each.device for each in found if each.state != "faulty"}
        later = () if reading.answer == str(len(array.disks)) else array.spares
        disks = (disk for disk in self._plan.disks if disk.id in array.disks and disk.id not in later)
        pins = ((disk, self._runner.pin(disk.member_of(array).path)) for disk in disks)
        return tuple(disk_label(disk) for disk, pin in pins if pin is None or pin.name not in working)

    def _wait_for_sync(self, step: Step) -> None:
        """Waits until the arrays are in sync before a file system that one failed disk would lose until then, or where
        that was requested.
        """
        trial = self._plan.design.trial
        always = trial is not None and trial.first_sync
        noted = False
        while step.stage in _IN_SYNC and (syncs := self._limits.own_syncs()):
            request = self._request()
            asked = request.wait_for_sync if step.stage == "verify" else waits(self._plan, request)
            if not (always or asked):
                return
            if request.stop:
                raise Stopped
            self._start_held(syncs)
            if not noted:
                noted = bool(
                    self._journal.write("waiting", step=step.number, text="waits until the arrays are in sync")
                )
            self._limits.apply(request.sync_kib_per_s)
            self._runner.wait(1)

    def _start_held(self, syncs: Sequence[Syncing]) -> None:
        """Starts syncs that are held since a boot: an array is auto-read-only until its first write."""
        for sync in syncs:
            if sync.action == "held":
                self._runner.start_sync(sync.device)

    def _free(self, step: Step, command: Command) -> None:
        """Stops arrays that udev assembled of members that an undo has half erased: it ignores the lock of a multipath
        map (systemd's udev-worker.c). Raises Stale if a device is no longer the plan's."""
        for path in command.devices:
            self._stop_holders(step, path)
        self._things.check(command)

    def _stop_holders(self, step: Step, disk: str) -> None:
        """Stops the arrays of the plan that hold a device with its superblock. Raises Stale for any other holder."""
        path = self._things.devices.get(disk, disk)
        holders = self._runner.holders(path)
        if not holders or (of_disk := self._uuid_on(disk)) not in self._ours:
            return
        for holder in holders:
            device = f"/dev/{holder}"
            found = self._uuid(mdadm.export(device))
            if found != of_disk:
                if holder not in self._runner.holders(path):
                    continue
                whose = "which does not belong to the plan" if found else "whose array UUID cannot be read"
                raise Stale(f"{disk} is held by {holder}, {whose}", hint="stop it by hand if it is not needed")
            self._stop_holders(step, device)
            array = next(each for each in self._plan.arrays if each.uuid == of_disk)
            self._run(step, 0, only_if(array_is_ours(replace(array, device=device)), mdadm.stop(device)), {})

    def _drop_claims(self) -> None:
        """Removes marker files of a killed mdadm --create, which keep udev from its array (mdadm's udev.c).

        With a marker, systemd treats the array as unfinished. No mdadm of this run is active: it would hold the run
        lock.
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
        answer = self._runner.ask(question, self._things.devices)
        return value_of("MD_UUID", answer.exit, answer.stdout)


def _condition(action: Action) -> Reading | None:
    return action.only_if if isinstance(action, Command) else None
