"""The executor's process: lock, preflight, then build, resume or undo; independent of any terminal."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType

from raidtui.machine.ports.runner import MachineReader, Runner
from raidtui.machine.run import requests
from raidtui.machine.run.builder import Builder
from raidtui.machine.run.executor import Stopped
from raidtui.machine.run.journal import Journal, is_undone
from raidtui.machine.run.recovery import left_to_do, look
from raidtui.machine.run.requests import ControlRequest
from raidtui.machine.run.run_folders import confirmed_plan
from raidtui.machine.run.site import SPEED_UP, Site, lock_in, locked, site_of_run
from raidtui.machine.run.work_folder import at_work
from raidtui.machine.safety import accepted_loss
from raidtui.model.errors import Exit, Refused, Stale
from raidtui.model.finding import Finding, errors, first_of, refused
from raidtui.model.plan import Plan
from raidtui.model.run import Record, RunPurpose
from raidtui.planner.compile.postcondition import answer_value
from raidtui.planner.preflight.disks import check_identities
from raidtui.planner.preflight.preflight import STALE, check_begun, check_plan, preflight, questions

ExecutorCall = Callable[[], None]


def execute(folder: Path, purpose: RunPurpose, digest: str, *, speed_up: float = SPEED_UP) -> int:
    """Runs `purpose` for the run in `folder`. Returns the exit code; viewers read everything else in the journal.

    `digest`: of the confirmed plan. Raises Stale, before anything is written, if `folder` holds another plan.

    SIGTERM and SIGINT end it before the next command. SIGHUP is ignored.
    """
    os.umask(0o077)
    signals = install_signal_handlers()
    plan = confirmed_plan(folder, digest)
    with locked(lock_in(folder.parent, plan)) as lock, at_work(folder):
        site = site_of_run(folder, plan, speed_up=speed_up)
        runner = site.runner(lock)
        with contextlib.closing(Journal(folder, purpose, runner.clock)) as journal:
            return carry_out(plan, site, runner, journal, lambda: present_request(folder, signals))


def present_request(folder: Path, signals: Sequence[int]) -> ControlRequest:
    """The request in `folder`; one of `signals` is a request to stop."""
    current = requests.read(folder)
    return replace(current, stop=current.stop or bool(signals))


def carry_out(plan: Plan, site: Site, runner: Runner, journal: Journal, request: Callable[[], ControlRequest]) -> int:
    """Runs the journal's purpose under the held run lock. Returns the exit code; raises and journals any failure."""
    executor = Builder(plan, runner, journal, request)
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
            accepted_loss.require(plan, runner, journal.folder, journal.records)
        executor.name_arrays()
    if journal.purpose == "undo":
        if not done and not traces(plan, runner):
            raise Refused("nothing of this plan is here; nothing was written", hint="no undo is needed")
        steps = [step for step in plan.steps if step.undo]
        return lambda: executor.undo(reversed(steps))
    require_not_undone(journal.records)
    if journal.purpose == "resume" and (done or traces(plan, runner)):
        found = look(plan, runner, journal.records)
        return lambda: executor.resume(left_to_do(found), [each.step for each in found if each.state == "done"])
    if refused(findings := checked(plan, site, "", during_sync=during_sync)):
        raise findings_to_error(findings)
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
