"""Runs a case of the matrix against the simulated machine: tier 1."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from raidtui.values.errors import RaidtuiError
from raidtui.values.plan import Plan
from tests.faults import deeds, injectors, judge
from tests.faults.bench import Bench, bench
from tests.faults.case import Act, Case, Result
from tests.faults.judge import Before, before
from tests.faults.scene import DAYS, IN_MEMORY, USER_FILE, USER_TEXT, Scene, canonical, member, plan_on

_LONGEST = 60
"""seconds that a case may take; the longest takes two"""
_MET_BY_A_SYNC = ("read-error", "slow", "suspend", "write-error")
"""faults that the build meets where it waits for the first sync"""


def run_all(cases: Sequence[Case]) -> Iterator[Result]:
    """What comes of each."""
    return map(run, cases)


def run(case: Case) -> Result:
    """What comes of the case. The machine's journal is a real one, in memory where that is to be had."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY, prefix="raidtui-fault-") as folder:
        try:
            signal.signal(signal.SIGALRM, _too_long)
            signal.alarm(_LONGEST)
            scene, refusal = _scene(case)
            if refusal is not None:
                return _refused_at_planning(case, scene, refusal)
            return _run(case, bench(scene, Path(folder)))
        except Exception as surprise:  # a crash of the code under test is a fault that did not survive
            return _result(case, "other", "", (), 0, (f"{type(surprise).__name__}: {surprise}",))
        finally:
            signal.alarm(0)


def _too_long(*_: object) -> None:
    raise RuntimeError(f"no end in {_LONGEST} s: something was waited for that does not come")


def _run(case: Case, made: Bench) -> Result:
    fired = len(made.machine.fired)
    made.accepted = case.fault == "leftover" or (case.fault, case.step) == ("deed", "plan")
    made.wait_for_sync = case.fault in _MET_BY_A_SYNC and case.when != "during sync"
    made.notes += _old_content(case, made)
    with made.surroundings:
        injectors.inject(case, made)
        since = before(made.machine)
        made.begin()
        acts = list(case.then)
        problems = _first(case, made, since, acts)
        since = _after_the_fault(case, made, since)
        for act in acts:
            since = before(made.machine)
            problems += _act(case, made, act, since)
        proof = [*made.machine.fired[fired:], *made.notes]
        codes = tuple(ended.code for ended in made.ended)
        refusals = [ended.problem for ended in made.ended if ended.problem is not None]
        if case.end == "refused":
            problems += judge.names_the_disk(case, made, made.last.problem)
        problems += judge.end_of(case.end, made, since)
        problems += judge.keeps(case, made)
    problems += made.wrong
    changed = judge.bystanders_changed(_base(case), made.machine)
    if changed:
        problems.append(f"{changed} bytes changed on bystanders")
    said = tuple(f"{refusal}; {refusal.hint}" for refusal in refusals)
    return _result(case, case.end, "; ".join(proof), codes, changed, tuple(problems), said)


def _first(case: Case, made: Bench, since: Before, acts: list[Act]) -> list[str]:
    """A build of what is not right from the start is itself the act; one without acts must end well."""
    if case.step in ("plan", "apply") and acts[:1] == ["refused"] and case.fault != "replayed":
        acts.pop(0)
        return [*judge.refused(made, made.last, since), *judge.names_the_disk(case, made, made.last.problem)]
    if case.step in ("plan", "apply") and case.end == "refused":
        return list(judge.refused(made, made.last, since))
    if case.fault == "deed" and case.step.startswith("S") and made.last.problem is not None:
        return list(judge.names_the_disk(case, made, made.last.problem))
    if (not acts or case.step == "done") and made.last.code != 0:
        return [f"the build ended with {made.last.code}: {made.last.problem}"]
    return []


def _after_the_fault(case: Case, made: Bench, since: Before) -> Before:
    """What belongs to the fault and comes after the executor's end."""
    machine, disks = made.machine, [disk.id for disk in made.machine.inventory().disks]
    if case.fault == "deed":
        if case.step == "undo":
            made.hooks[("after", "begun", 0, 0)] = lambda: deeds.do(case, made)
            made.undo()
        elif case.step == "done" or case.when == "stopped":
            machine.advance(DAYS)  # a first sync would change the disks while a refusal is held against them
            deeds.do(case, made)
        return before(machine)
    match case.fault, case.when if case.when == "during sync" else case.detail or case.when:
        case "torn", _:
            injectors.tear(made)
        case "tampered", "command" if case.when == "run directory":
            injectors.tamper(made.folder / "plan.json", made, case.detail)
        case "reboot", what:
            machine.write_text(USER_FILE, USER_TEXT, 0o644)
            machine.advance(DAYS)
            gone = made.plan.arrays[0].members[: int(what[0])] if what != "hostname" else ()
            machine.reboot(order=tuple(reversed(disks)), without=gone, host="renamed" if what == "hostname" else "")
            mounted = machine.read_text(USER_FILE) == USER_TEXT
            made.notes.append(f"booted anew: {what}")
            if mounted is (what == "3 missing"):
                made.wrong.append(f"after the boot with {what} the user's file is {'' if mounted else 'not '}there")
        case "replayed", "after it was taken back":
            made.undo()
        case "write-error", "during sync":
            machine.advance(DAYS)
        case _:
            return since
    return before(machine)


def _act(case: Case, made: Bench, act: Act, since: Before) -> list[str]:
    """Does one act. Returns what is wrong about its outcome."""
    machine = made.machine
    match act:
        case "resume" | "undo":
            ended = made.resume() if act == "resume" else made.undo()
            return [] if ended.code == 0 else [f"{act} ended with {ended.code}: {ended.problem}"]
        case "refused":
            ended = made.begin() if case.fault == "replayed" else made.resume()
            if case.fault == "replayed":
                made.notes.append(f"it was begun again, exit code {ended.code}")
                made.again.append(made.ended.pop())
            return [*judge.refused(made, ended, since), *judge.names_the_disk(case, made, ended.problem)]
        case "fails":
            problem = made.resume().problem
            gone_on = [] if problem is not None else ["a resume went through that must not"]
            return [*gone_on, *(judge.names_the_disk(case, made, problem) if case.fault == "deed" else ())]
        case "plug":
            for planned in made.plan.disks:
                if planned.id not in {disk.id for disk in machine.inventory().disks}:
                    machine.plug(planned.id)
        case "heal":
            machine.heal(member(made.plan, case.disk))
        case "put-back":
            wanted = member(made.plan, case.disk)
            known = set(_base(case).fresh().hashes())
            for disk in machine.inventory().disks:
                if disk.id not in known:
                    machine.unplug(disk.id)
            machine.plug(wanted)
        case "release":
            used = member(made.plan, case.disk)
            machine.release(used)
            with Path("/dev/null").open("wb") as nothing:
                machine.run(("wipefs", "--all", f"/dev/disk/by-id/{used}"), nothing.fileno())
        case "reboot":
            machine.reboot()
        case "undo-refused":
            ended = made.undo()
            return [*judge.refused(made, ended, since), *judge.names_the_disk(case, made, ended.problem)]
        case "tidy":
            deeds.tidy(case, made)
    return []


def _scene(case: Case) -> tuple[Scene, RaidtuiError | None]:
    """The machine and the plan of the case; the refusal where it cannot even be planned."""
    base = canonical()
    if case.fault == "other-host":
        machine = base.machine.replace('"' + "f" * 32, '"' + "e" * 32) if case.detail == "machine-id" else base.machine
        scene = replace(base, machine=machine)
        if case.detail == "host":
            other = scene.fresh()
            other.reboot(host="elsewhere")
            scene = replace(scene, machine=other.to_json())
        return scene, None
    if case.fault == "deed" and deeds.without_file_system(case):
        base = canonical("none")
    if case.step != "plan":
        return base, None
    machine_now = base.fresh()
    disk = member(base.plan, case.disk)
    if case.fault == "deed":
        deeds.before_planning(case.detail, machine_now, disk)
    elif case.fault == "in-use":
        machine_now.occupy(disk, case.detail)  # type: ignore[arg-type]
    else:
        machine_now.leave(disk, case.detail)  # type: ignore[arg-type]
    text = machine_now.to_json()
    try:
        plan: Plan = plan_on(machine_now, "2x(3+2)+2")
    except RaidtuiError as refusal:
        return replace(base, machine=text), refusal
    return Scene(machine=text, plan=plan), None


def _refused_at_planning(case: Case, scene: Scene, refusal: RaidtuiError) -> Result:
    """Nothing is planned, so nothing can be written: the machine is as it was."""
    machine = scene.fresh()
    proof = "; ".join(injectors.evidence(canonical().fresh().inventory(), machine.inventory()))
    problems = []
    name = next(disk.kernel_name for disk in machine.inventory().disks if disk.id == member(scene.plan, case.disk))
    if name not in str(refusal):
        problems.append(f"the refusal does not name {name}: {refusal}")
    if case.says not in str(refusal):
        problems.append(f"the refusal does not say {case.says}: {refusal}")
    if not refusal.hint:
        problems.append("no way out is named")
    end = case.end if case.end == "refused" else "other"
    said = (f"{refusal}; {refusal.hint}",)
    return _result(case, end, proof, (int(refusal.exit_code),), 0, tuple(problems), said)


def _old_content(case: Case, made: Bench) -> list[str]:
    """Proof that the disk is not as it was in the canonical machine."""
    if case.step != "plan" and case.fault != "other-host":
        return []
    here, there = made.machine, canonical().fresh()
    if case.fault == "other-host":
        same = here.to_json() == there.to_json()
        return [] if same else [f"this is another machine: {case.detail}"]
    disk = member(made.plan, case.disk)
    changed = here.hashes()[disk] != there.hashes()[disk]
    return [f"{case.detail} is on {disk}"] if changed else list(injectors.evidence(there.inventory(), here.inventory()))


def _base(case: Case) -> Scene:
    return _scene(case)[0]


def _result(
    case: Case, end: str, fired: str, codes: tuple[int | None, ...], changed: int, problems: tuple[str, ...],
    said: tuple[str, ...] = (),
) -> Result:  # fmt: skip
    void = not fired
    reached: str = "void" if void and end != "other" else end if not problems else "other"
    return Result(
        id=case.id, survived=not void and not problems and end == case.end, end=reached,  # type: ignore[arg-type]
        fired=fired[:500], codes=codes, bystander_bytes=changed, problems=problems, said=said,
    )  # fmt: skip
