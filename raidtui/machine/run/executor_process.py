"""The executor's process: lock, preflight once more, then build, resume or undo, whatever happens to any terminal."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType

from raidtui.machine.ports.runner import MachineReader, Runner
from raidtui.machine.run import requests
from raidtui.machine.run.executor import Executor, Stopped
from raidtui.machine.run.journal import Journal
from raidtui.machine.run.recovery import left_to_do, look
from raidtui.machine.run.requests import Wish
from raidtui.machine.run.run_folders import at_work, confirmed_plan
from raidtui.machine.run.site import SPEED_UP, Site, locked, site_of_run
from raidtui.machine.safety import given_up
from raidtui.machine.system.input_files import RUN_FILE, read_own
from raidtui.machine.system.state_paths import REAL_LOCK
from raidtui.model.codec import from_json
from raidtui.model.errors import Exit, Refused, Stale
from raidtui.model.finding import Finding, errors, first_of, refused
from raidtui.model.plan import Plan
from raidtui.model.run import Purpose, Record
from raidtui.planner.compile.postcondition import holds
from raidtui.planner.compile.tuning_rule import Kept, with_kept
from raidtui.planner.preflight.disks import check_identities
from raidtui.planner.preflight.preflight import STALE, check_begun, check_plan, preflight, questions

Work = Callable[[], None]


def execute(folder: Path, purpose: Purpose, digest: str, *, simulated: bool, speed_up: float = SPEED_UP) -> int:
    """Does `purpose` for the run in `folder`. Returns the exit code; the journal tells viewers everything else.

    `digest`: of the plan that was confirmed. Raises Stale, before anything is written, when `folder` holds another.

    SIGTERM and SIGINT mean: end before the next command. SIGHUP means nothing.
    """
    os.umask(0o077)
    asked_to_stop = heed_signals()
    with locked(folder.parent / "lock" if simulated else REAL_LOCK) as lock, at_work(folder):
        plan = confirmed_plan(folder, digest)
        if plan.simulated != simulated:
            raise Refused("the plan is not for this kind of machine", hint="raidtui build PLAN begins it")
        site = site_of_run(folder, simulated=simulated, speed_up=speed_up)
        journal = Journal(folder, purpose)

        def wish() -> Wish:
            said = requests.read(folder)
            return replace(said, stop=said.stop or bool(asked_to_stop))

        try:
            return carry_out(plan, site, site.runner(lock), journal, wish)
        finally:
            journal.close()


def carry_out(plan: Plan, site: Site, runner: Runner, journal: Journal, wish: Callable[[], Wish]) -> int:
    """What the journal is for, by an executor under a held lock. Returns the exit code, raises what went wrong."""
    executor = Executor(plan, runner, journal, wish)
    try:
        work = _work(plan, site, runner, executor, journal, during_sync=wish().during_sync)
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
    """The preflight of `plan` on a fresh look at its site; `holder` has the lock now."""
    inventory = site.inventory()
    of_plan = check_plan(plan, inventory)
    facts = site.facts(plan, questions(plan, of_plan), holder)
    return preflight(plan, inventory, facts, during_sync=during_sync, of_plan=of_plan)


KEPT = "kept-rule.json"
"""file in the directory of a run: the rule that settings were kept in"""


def kept_in(run: Path) -> Kept | None:
    """The rule that was kept beside the plan's own; None when there is none."""
    path = run / KEPT
    return from_json(Kept, read_own(path, RUN_FILE), source=str(path)) if path.exists() else None


def anything_done(records: Sequence[Record]) -> bool:
    """True when a command was begun: from then on the machine says how far it came."""
    return any(record.kind == "intent" for record in records)


def refuse_undone(records: Sequence[Record]) -> None:
    """Raises Refused when an undo of the run did anything: from then on there is no way forward."""
    if any(record.purpose == "undo" and record.kind == "step" for record in records):
        raise Refused("this run was taken back, or its undo was begun", hint="end it by undo; to build, plan again")


def problem_of(findings: Sequence[Finding]) -> Refused | Stale:
    """The refusal of a preflight, of its errors, as one."""
    findings = errors(findings)
    kind = Stale if any(finding.code in STALE for finding in findings) else Refused
    return kind(first_of(findings), hint=findings[0].way_out)


def _work(plan: Plan, site: Site, runner: Runner, executor: Executor, journal: Journal, *, during_sync: bool) -> Work:
    """What has to be done, decided before anything is."""
    done = anything_done(journal.records)
    _refuse_another(plan, journal)
    if journal.purpose != "build":
        # before anything was done the plan is proven to be our own: its commands are not even looked with
        check = check_begun if not done else check_identities
        findings = check(plan, site.inventory())
        # an undo takes back what is here; what is not is named at its end
        if wrong := [each for each in findings if journal.purpose != "undo" or each.code != "disk-missing"]:
            raise problem_of(wrong)
        executor.prove_disks(absent=journal.purpose == "undo")
        if journal.purpose == "undo":
            given_up.require(plan, runner, journal.folder, journal.records)
        executor.name_arrays()
    if journal.purpose == "undo":
        if not done and not _traces(plan, runner):
            raise Refused("nothing of this plan is here; nothing was written", hint="there is nothing to take back")
        kept = kept_in(journal.folder)
        steps = [with_kept(step, kept) for step in plan.steps if step.undo]
        return lambda: executor.undo(reversed(steps))
    refuse_undone(journal.records)
    if journal.purpose == "resume" and (done or _traces(plan, runner)):
        found = look(plan, runner, journal.records)
        return lambda: executor.resume(left_to_do(found), [each.step for each in found if each.state == "done"])
    if refused(findings := checked(plan, site, "", during_sync=during_sync)):
        raise problem_of(findings)
    return lambda: executor.build(plan.steps)


def _refuse_another(plan: Plan, journal: Journal) -> None:
    """The journal names the plan that was confirmed; no other is carried out in its directory."""
    begun = next((record.digest for record in journal.records if record.kind == "begun"), plan.digest) or "not recorded"
    if begun != plan.digest:
        raise Stale(
            f"{journal.folder / 'plan.json'} is not the plan of this run: expected the digest {begun}",
            hint="restore the confirmed plan.json; it must be byte-identical",
        )


def _traces(plan: Plan, runner: MachineReader) -> bool:
    """True when anything here carries a UUID of the plan: for a run whose journal is lost."""
    conditions = (command.only_if for step in plan.steps for command in step.undo_commands)
    proofs = dict.fromkeys(each for each in conditions if each is not None and each.answer)
    found = (runner.ask(proof.question.argv) for proof in proofs)
    return any(holds(proof, answer.exit, answer.stdout) for proof, answer in zip(proofs, found, strict=True))


def heed_signals() -> list[int]:
    """Grows when somebody asks the process to end; the command that runs is waited for."""
    seen: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        seen.append(number)

    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, note)
    return seen
