"""The executor's process: lock, preflight, then build, resume or undo; independent of any terminal."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from raidtui.engine import folders, survey
from raidtui.engine.builder import Builder
from raidtui.engine.executor import Stopped
from raidtui.engine.folders import ControlRequest, at_work, is_alive, is_id
from raidtui.engine.journal import Journal, is_undone
from raidtui.engine.recovery import left_to_do, look
from raidtui.engine.runs import confirmed_plan
from raidtui.engine.site import SPEED_UP, Site, lock_in, locked, site_of_run
from raidtui.machine.system import programs
from raidtui.machine.system.passphrase import Passphrase, handed, received
from raidtui.machine.system.ports import MachineReader, Runner
from raidtui.steps.check_step import answer_value
from raidtui.steps.preflight import STALE, check_begun, check_identities, check_plan, preflight, questions
from raidtui.values.errors import Exit, Locked, MachineFailed, Refused, Stale
from raidtui.values.findings import Finding, errors, first_of, refused
from raidtui.values.plan import Plan
from raidtui.values.run import JobPurpose, Record, RunPurpose

ExecutorCall = Callable[[], None]
Requests = Callable[[], ControlRequest]
"""the present request"""


def execute(folder: Path, purpose: RunPurpose, digest: str, *, speed_up: float = SPEED_UP) -> int:
    """Runs `purpose` for the run in `folder`. Returns the exit code; viewers read everything else in the journal.

    `digest`: of the confirmed plan. Raises Stale, before anything is written, if `folder` holds another plan.

    SIGTERM and SIGINT end it before the next command. SIGHUP is ignored.
    """
    request = requests_to(folder)
    plan = confirmed_plan(folder, digest)
    passphrase = received() if plan.asks_passphrase and purpose != "undo" else None
    with locked(lock_in(folder.parent, plan)) as lock, at_work(folder):
        site = site_of_run(folder, plan, speed_up=speed_up)
        runner = site.runner(lock)
        with contextlib.closing(Journal(folder, purpose, runner.clock)) as journal:
            return carry_out(plan, site, runner, journal, request, passphrase)


def requests_to(folder: Path) -> Requests:
    """What viewers ask of the executor of `folder`, which this process is from now on: it installs signal handlers.

    SIGTERM and SIGINT are requests to stop. SIGHUP is ignored."""
    os.umask(0o077)
    signals = install_signal_handlers()

    def request() -> ControlRequest:
        current = folders.read_request(folder)
        return replace(current, stop=current.stop or bool(signals))

    return request


def carry_out(
    plan: Plan, site: Site, runner: Runner, journal: Journal, request: Requests, passphrase: Passphrase | None = None
) -> int:
    """Runs the journal's purpose under the held run lock. Returns the exit code; raises and journals any failure."""
    executor = Builder(plan, runner, journal, request, passphrase=passphrase)
    try:
        work = _work(plan, site, runner, executor, journal, during_sync=request().during_sync)
    except Exception as problem:
        journal.write("begun", digest=plan.digest)
        journal.failed(problem)
        raise
    try:
        work()
    except Stopped:
        return Exit.INTERRUPTED
    return Exit.DONE


def checked(plan: Plan, site: Site, holder: str, *, during_sync: bool) -> tuple[Finding, ...]:
    """Preflight findings of `plan` from a fresh inventory of its site; `holder`: present holder of the run lock."""
    inventory = site.inventory(plan)
    of_plan = check_plan(plan, inventory)
    facts = site.facts(plan, questions(plan, of_plan), holder)
    return preflight(plan, inventory, facts, during_sync=during_sync, of_plan=of_plan)


def anything_done(records: Sequence[Record]) -> bool:
    """True if a command was started: from then on the state is read from the machine."""
    return any(record.kind == "intent" for record in records)


def require_not_undone(records: Sequence[Record]) -> None:
    """Raises Refused if an undo of the run was started: then it can only be undone."""
    if is_undone(records):
        raise Refused("this run was undone", hint="to build, plan again")
    if any(record.purpose == "undo" and record.kind == "step" for record in records):
        raise Refused("an undo of this run was started", hint="finish it with raidtui undo; to build then, plan again")


def findings_to_error(findings: Sequence[Finding]) -> Refused | Stale:
    """One error from the preflight's errors: Stale if any of them is, else Refused."""
    findings = errors(findings)
    kind = Stale if any(finding.code in STALE for finding in findings) else Refused
    return kind(first_of(findings), hint=findings[0].way_out)


def _work(
    plan: Plan, site: Site, runner: Runner, executor: Builder, journal: Journal, *, during_sync: bool
) -> ExecutorCall:
    """Decides what to run before anything is written. Raises Refused or Stale."""
    done = anything_done(journal.records)
    _refuse_another(plan, journal)
    if journal.purpose != "build":
        # before the first command the plan itself is checked: none of its commands is run, not even queries
        check = check_begun if not done else check_identities
        findings = check(plan, site.inventory(plan))
        # an undo skips missing disks and names them at its end
        if wrong := [each for each in findings if journal.purpose != "undo" or each.code != "disk-missing"]:
            raise findings_to_error(wrong)
        executor.prove_disks(absent=journal.purpose == "undo")
        if journal.purpose == "undo":
            survey.require(plan, runner, journal.folder, journal.records)
        executor.name_arrays()
    if journal.purpose == "resume":
        executor.open_encrypted()
    if journal.purpose == "undo":
        if not done and not traces(plan, runner):
            raise Refused("nothing of this plan is here; nothing was written", hint="no undo is needed")
        steps = [step for step in plan.steps if step.undo]
        return lambda: executor.undo(reversed(steps))
    require_not_undone(journal.records)
    if journal.purpose == "resume" and (done or traces(plan, runner)):
        found = look(plan, runner, journal.records)
        executor.require_passphrase(each.step for each in left_to_do(found))
        return lambda: executor.resume(left_to_do(found), [each.step for each in found if each.state == "done"])
    if refused(findings := checked(plan, site, "", during_sync=during_sync)):
        raise findings_to_error(findings)
    executor.require_passphrase(plan.steps)
    return lambda: executor.build(plan.steps)


def _refuse_another(plan: Plan, journal: Journal) -> None:
    """Raises Stale if the journal was started with another plan."""
    begun = next((record.digest for record in journal.records if record.kind == "begun"), plan.digest) or "not recorded"
    if begun != plan.digest:
        raise Stale(
            f"{journal.folder / 'plan.json'} is not the plan of this run: expected the digest {begun}",
            hint="restore the confirmed plan.json; it must be byte-identical",
        )


def traces(plan: Plan, runner: MachineReader) -> bool:
    """True if a device has a UUID of the plan, its own or that of another array; used when the journal is lost."""
    conditions = (command.only_if for step in plan.steps for command in step.undo_commands)
    proofs = dict.fromkeys(each for each in conditions if each is not None and each.answer)
    arrays = {array.uuid for array in plan.arrays}
    found = ((proof, runner.ask(proof.question.argv)) for proof in proofs)
    values = ((proof, answer_value(proof, answer.exit, answer.stdout)) for proof, answer in found)
    return any(value == proof.answer or value in arrays for proof, value in values)


def install_signal_handlers() -> list[int]:
    """Returns a list that receives each SIGTERM and SIGINT; the running command finishes first. Ignores SIGHUP."""
    seen: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        seen.append(number)

    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, note)
    return seen


# Starts the executor where the end of the terminal does not reach it: a transient systemd unit, else a new session.


_SYSTEMD = Path("/run/systemd/system")
_OWN_NAME = re.compile(r"(replace|extend|drill)-[0-9a-f-]+")
EXECUTOR_OUTPUT = "executor"
"""file in the run's directory: stdout and stderr of its executors"""


@dataclass(slots=True)
class Launched:
    """A started executor."""

    how: str
    """how it was started and what ends it, a clause"""
    unit: str = ""
    """its systemd unit; empty for a process in a session of its own"""
    process: programs.Process | None = None

    def lost_the_lock(self) -> bool:
        """True if it exited because another executor holds a lock; False for a unit, whose exit code is unknown."""
        return self.process is not None and self.process.poll() == Exit.LOCKED

    def running(self) -> bool:
        """True while it starts or runs."""
        if self.process is not None:
            return self.process.poll() is None
        answer = programs.ask([_program("systemctl"), "is-active", self.unit])
        return answer.stdout.strip() in ("active", "activating", "reloading")


def executor_argv(folder: Path, purpose: JobPurpose, digest: str, speed_up: float | None = None) -> list[str]:
    """Command of the executor, isolated (-I): neither the environment nor the working directory selects its code.

    `digest`: of the confirmed plan; the executor refuses a directory with any other. `speed_up`: of simulated time.
    """
    argv = [sys.executable, "-I", "-m", "raidtui", "execute", str(folder), purpose, digest]
    return argv if speed_up is None else [*argv, f"--speed-up={speed_up:g}"]


def unit_argv(folder: Path, purpose: JobPurpose, digest: str, stdin: int | None = None) -> list[str]:
    """systemd-run(1) with `executor_argv`: stopping the unit signals the executor only, not its running command.

    `stdin`: descriptor of this process that it reads; None: nothing."""
    source = "null" if stdin is None else f"file:/proc/{os.getpid()}/fd/{stdin}"
    output = folder / EXECUTOR_OUTPUT
    return [
        _program("systemd-run"),
        f"--unit={unit_of(folder, digest)}",
        "--collect",
        "--quiet",
        f"--description=raidtui {purpose} {folder.name[:8]}",
        "--property=Type=exec",
        "--property=KillMode=process",
        "--property=SendSIGKILL=no",
        "--property=UMask=0077",
        "--property=WorkingDirectory=/",
        f"--property=StandardInput={source}",
        f"--property=StandardOutput=append:{output}",
        f"--property=StandardError=append:{output}",
        "--",
        *(word.replace("$", "$$") for word in executor_argv(folder, purpose, digest)),  # systemd expands variables
    ]


def unit_of(folder: Path, digest: str) -> str:
    """Name of the unit of a job: as its folder is called, if raidtui called it so."""
    if is_id(folder.name):
        return f"raidtui-{folder.name[:8]}.service"
    return f"raidtui-{folder.name if _OWN_NAME.fullmatch(folder.name) else digest[:12]}.service"


def launch(
    folder: Path, purpose: JobPurpose, digest: str, *, simulated: bool, speed_up: float = 1,
    passphrase: Passphrase | None = None,
) -> Launched:  # fmt: skip
    """Starts the executor of the run in `folder`; `digest`: of the confirmed plan.

    `passphrase`: handed to it by a pipe, and forgotten here.

    Raises MachineFailed if it cannot be started, Locked if an executor of this run is active.
    """
    _check_isolated()
    with handed(passphrase) as stdin:
        if not simulated and _SYSTEMD.is_dir() and os.geteuid() == 0:
            return _unit(folder, purpose, digest, stdin)
        argv = executor_argv(folder, purpose, digest, speed_up if simulated else None)
        try:
            with open(folder / EXECUTOR_OUTPUT, "ab", opener=_private) as output:
                process = programs.start_executor(argv, output, stdin)
        except OSError as problem:
            raise MachineFailed(f"the executor cannot be started: {problem}", hint="see raidtui status") from problem
    how = "it runs in its own session and continues when this terminal closes"
    if not simulated:
        how += "; it is no unit of systemd, so a logout that kills the user's processes ends it too"
    return Launched(how, process=process)


def await_start(launched: Launched, folder: Path, has_begun: Callable[[], bool], patience: float, way_out: str) -> None:
    """Returns when `has_begun`. Raises MachineFailed if the executor ends before, or after `patience` seconds."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        running = launched.running()
        if has_begun():
            return
        if not running:
            break
        time.sleep(0.05)
    raise MachineFailed("its executor did not begin", hint=f"look there at {folder / EXECUTOR_OUTPUT}{way_out}")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _unit(folder: Path, purpose: JobPurpose, digest: str, stdin: int | None) -> Launched:
    argv = unit_argv(folder, purpose, digest, stdin)
    done = programs.ask(argv)
    if done.exit:
        if is_alive(folder):
            raise Locked(f"another executor is running for {folder}", hint="raidtui status shows it")
        reason = done.stderr.strip()
        raise MachineFailed(
            f"systemd-run did not start the executor: {reason}", hint="fix the cause, then raidtui resume the run"
        )
    unit = unit_of(folder, digest)
    return Launched(f"it runs as the systemd unit {unit} and continues when this terminal closes", unit=unit)


def _check_isolated() -> None:
    """Raises MachineFailed if raidtui is importable only through PYTHONPATH or the working directory."""
    probe = [sys.executable, "-I", "-c", "import raidtui, sys; sys.stdout.write(raidtui.__file__)"]
    found = programs.ask(probe).stdout
    here = sys.modules["raidtui"].__file__
    if not found or here is None or not Path(found).samefile(here):
        raise MachineFailed(
            "raidtui is not installed for this Python, so the executor cannot be started outside of this directory",
            hint=f"in the checkout: {sys.executable} -m pip install .",
        )


def _program(name: str) -> str:
    return programs.require(name, "install systemd")
