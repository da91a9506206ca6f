"""One run on a simulated machine as its operator sees it: begin, resume, undo, each an executor that may be struck."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from raidtui.answers.confirm import content_text, unaccepted
from raidtui.engine import folders
from raidtui.engine import journal as journals
from raidtui.engine import survey as accepted_loss
from raidtui.engine.folders import ControlRequest, at_work
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out, checked, findings_to_error, require_not_undone
from raidtui.engine.runs import confirmed_plan, read_plan
from raidtui.engine.site import SimulatedSite, holder_of, locked
from raidtui.engine.survey import survey
from raidtui.machine.system.files import write_new
from raidtui.values.codec import to_json
from raidtui.values.errors import RaidtuiError, Refused
from raidtui.values.findings import refused
from raidtui.values.plan import Plan, Stage
from raidtui.values.run import Record, RecordKind, RunPurpose
from tests.faults.scene import FAST, IN_MEMORY, Scene
from tests.machine.simulation import Files, files_in, put_files
from tests.simulated.fault_model import Killed
from tests.simulated.machine import FaultyMachine

Hook = Callable[[], None]
Watch = Callable[[str, RecordKind, tuple[str, ...]], None]
"""is told the side, the kind of record, and its command"""


@dataclass(slots=True)
class Done:
    """What a deed of somebody left for the end of its case."""

    before: str = ""
    """the machine before it"""
    kept: str = ""
    """identity of the disk that has content of somebody"""
    digest: str = ""
    """digest of that disk right after the deed"""
    back: Callable[[], object] | None = None
    """takes back what was done outside of the machine"""
    line: tuple[str, str] | None = None
    """file and line that somebody added"""


@dataclass(slots=True)
class Ended:
    """How an executor ended."""

    code: int | None
    """exit code; None: it was killed"""
    problem: RaidtuiError | None
    commands: int
    """commands and files it wrote, those that failed too"""


class StruckJournal(Journal):
    """A journal that lets something happen right before or after one of its records, or all of them."""

    def __init__(
        self, folder: Path, purpose: RunPurpose, hooks: dict[tuple[str, str, int, int], Hook], every: Watch | None
    ) -> None:
        super().__init__(folder, purpose)
        self._hooks = hooks
        self._every = every

    def write(
        self,
        kind: RecordKind,
        *,
        step: int = 0,
        action: int = 0,
        stage: Stage | None = None,
        devices: tuple[str, ...] | None = None,
        file: str | None = None,
        digest: str | None = None,
        argv: tuple[str, ...] = (),
        exit: int | None = None,
        output: str = "",
        text: str = "",
    ) -> Record:
        self._strike("before", kind, step, action)
        if self._every is not None:
            self._every("before", kind, argv)
        record = super().write(
            kind, step=step, action=action, stage=stage, devices=devices, file=file, digest=digest, argv=argv,
            exit=exit, output=output, text=text,
        )  # fmt: skip
        self._strike("after", kind, step, action)
        if self._every is not None:
            self._every("after", kind, argv)
        return record

    def _strike(self, side: str, kind: str, step: int, action: int) -> None:
        hook = self._hooks.pop((side, kind, step, action), None)
        if hook is not None:
            hook()


@dataclass(slots=True)
class Bench:
    """A machine, the directory of its runs, and what has happened so far."""

    scene: Scene
    machine: FaultyMachine
    root: Path
    plan_file: Path
    hooks: dict[tuple[str, str, int, int], Hook] = field(default_factory=dict)
    """side, kind of record, step, action: what happens then, once"""
    every: Watch | None = None
    """is told of every record"""
    notes: list[str] = field(default_factory=list)
    """proof of faults that are not the machine's"""
    ended: list[Ended] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """what was seen on the way and must not be"""
    again: list[Ended] = field(default_factory=list)
    """how attempts to begin the same plan anew ended"""
    accepted: bool = False
    """the content of every disk was given up"""
    wait_for_sync: bool = False
    """the build waits for the arrays before it makes file systems"""
    deed: Done = field(default_factory=Done)
    """what somebody did"""
    asked_to_stop: list[int] = field(default_factory=list)
    """signals that reached the executor"""
    boot_order: tuple[str, ...] = ()
    """when the executor is killed, the power goes with it, and disks are found in this order afterwards"""
    broken: ExitStack = field(default_factory=ExitStack)
    """what fails until this executor has ended"""
    surroundings: ExitStack = field(default_factory=ExitStack)
    """what is different until the end"""

    @property
    def plan(self) -> Plan:
        return self.scene.plan

    @property
    def folder(self) -> Path:
        """Directory of the run."""
        return self.root / self.plan.run_id

    @property
    def site(self) -> SimulatedSite:
        return SimulatedSite(self.root, self.machine)

    @property
    def last(self) -> Ended:
        return self.ended[-1]

    def begin(self) -> Ended:
        """`raidtui build PLAN`, confirmed."""
        return self._ended(self._begin)

    def resume(self) -> Ended:
        """`raidtui resume`."""
        return self._ended(lambda: self._again("resume"))

    def undo(self) -> Ended:
        """`raidtui undo`."""
        return self._ended(lambda: self._again("undo"))

    def _begin(self) -> int:
        plan = read_plan(self.plan_file)
        if journals.is_begun(self.root / plan.run_id):
            journals.create(self.root, plan)
        findings = checked(plan, self.site, holder_of(self.site), during_sync=False)
        if refused(findings):
            raise findings_to_error(findings)
        if not self.accepted and (disks := unaccepted(plan, ())):
            raise Refused(
                f"the disk with serial number {disks[0].serial} holds {content_text(disks[0])}",
                hint="--accept-content gives it up",
            )
        folder = journals.create(self.root, plan)
        folders.write_request(folder, ControlRequest(wait_for_sync=self.wait_for_sync))
        return self._execute(plan, folder, "build")

    def _again(self, purpose: RunPurpose) -> int:
        plan = confirmed_plan(self.folder, self.plan.digest)
        if purpose == "resume":
            require_not_undone(journals.records(self.folder))
        else:
            accepted_loss.write(self.folder, plan, survey(plan, self.machine, journals.records(self.folder)))
        folders.write_request(self.folder, ControlRequest(wait_for_sync=self.wait_for_sync))
        return self._execute(plan, self.folder, purpose)

    def _execute(self, plan: Plan, folder: Path, purpose: RunPurpose) -> int:
        with locked(self.site.lock_path), at_work(folder):
            journal = StruckJournal(folder, purpose, self.hooks, self.every)
            try:
                return carry_out(plan, self.site, self.machine, journal, self._wish)
            finally:
                journal.close()

    def _wish(self) -> ControlRequest:
        said = folders.read_request(self.folder)
        return ControlRequest(
            pause=said.pause, stop=said.stop or bool(self.asked_to_stop), wait_for_sync=said.wait_for_sync,
            sync_kib_per_s=said.sync_kib_per_s,
        )  # fmt: skip

    def _ended(self, work: Callable[[], int]) -> Ended:
        before = self.machine.commands
        try:
            code: int | None = work()
            problem = None
        except Killed:
            code, problem = None, None
        except RaidtuiError as error:
            code, problem = int(error.exit_code), error
        finally:
            self.broken.close()
        if code is None and problem is None and self.boot_order:
            self.machine.reboot(order=self.boot_order)
            self.boot_order = ()
        self.machine.revive()
        self.asked_to_stop.clear()
        self.ended.append(Ended(code=code, problem=problem, commands=self.machine.commands - before))
        return self.last


def bench(scene: Scene, root: Path) -> Bench:
    """A fresh machine and an empty directory of runs in `root`, with the plan's file beside it."""
    plan_file = write_new(root / "plan.json", to_json(scene.plan) + "\n")
    runs = root / "runs"
    runs.mkdir(mode=0o700)
    return Bench(scene=scene, machine=scene.fresh(), root=runs, plan_file=plan_file)


def built(scene: Scene, root: Path) -> Bench:
    """As `bench`, after `begin` ended well: built once by each worker, copied from there."""
    machine, files = _built(scene)
    made = bench(scene, root)
    made.machine = FaultyMachine.from_json(machine, speed_up=FAST)
    put_files(made.root, files)
    made.ended.append(Ended(code=0, problem=None, commands=made.machine.commands))
    return made


@cache
def _built(scene: Scene) -> tuple[str, Files]:
    """The machine, and what is in the directory of runs."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="raidtui-built-") as folder:
        made = bench(scene, Path(folder))
        ended = made.begin()
        assert ended.code == 0, ended.problem
        return made.machine.to_json(), files_in(made.root)
