"""Carries out a tuning: every trial is built, measured and taken back by the executor of builds, one after the other.

ROOT/tunings/ID/                  0700
    tuning.json                   as it was confirmed
    plans/01.json                 the plan of each trial
    result.json                   rewritten after every trial
    progress                      a line for everything that begins or ends
ROOT/RUN_ID/                      each trial is a run like any other: its own plan, journal and output

A trial that failed or was stopped is taken back too; whatever could not be is named with `raidtui undo`.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from raidtui.machine.run import journal as journals
from raidtui.machine.run.executor_process import anything_done, carry_out
from raidtui.machine.run.journal import Journal
from raidtui.machine.run.plan_files import plan_from
from raidtui.machine.run.requests import Wish
from raidtui.machine.run.run_folders import at_work, is_alive
from raidtui.machine.run.site import MACHINE, RealSite, SimulatedSite, Site
from raidtui.machine.simulated.machine import SimulatedMachine
from raidtui.machine.system.durable_files import sync_folder, write_durably
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import MACHINE_FILE, RUN_FILE, read_own
from raidtui.machine.system.private_places import private_directory, require_private, require_trusted
from raidtui.model.codec import from_json, plain, to_json
from raidtui.model.errors import BadInput, Exit, RaidtuiError, Refused, Stale
from raidtui.model.plan import Plan
from raidtui.model.run import Purpose
from raidtui.model.tune import TrialResult, TuneProgress, TuneResult, Tuning, Variant, Workload
from raidtui.planner.compile.trial_plans import digest_of
from raidtui.planner.measurement.tune_advice import advice, warnings

FOLDER = "tunings"
_LEAST_PREFIX = 4
_WAY_OUT = "make it writable for root"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounted:
    """What is measured."""

    plan: Plan
    """of the array"""
    mount_point: str
    """where its file system is mounted"""
    device: str
    """what the file system is on"""
    folder: Path
    """empty or absent: for what the measurement keeps"""


class Measure(Protocol):
    """The user's workloads on a mounted file system; nothing of it is left there afterwards."""

    def __call__(self, mounted: Mounted) -> tuple[Workload, ...]:
        """A figure for each workload. Raises MachineFailed; Interrupted when `stop` was called meanwhile."""

    def stop(self) -> None:
        """Ends the measurement that runs, from another thread or a signal handler."""


class Interrupted(Exception):
    """Somebody asked to stop while it was measured."""


Told = Callable[[TuneProgress], None]


def create(root: Path, tuning: Tuning, plans: Sequence[Plan], site: Site) -> Path:
    """Makes the directory of a tuning in `root`. A tuning is carried out once: Refused when it is there already."""
    folder = root / FOLDER / tuning.id
    with failures(folder, _WAY_OUT):
        private_directory(root)
        private_directory(folder.parent)
        if not tuning.simulated:
            require_trusted(folder.parent)
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError as problem:
            raise Refused(
                f"the tuning {tuning.id[:8]} was started before; its journal is in {folder}",
                hint="say the same again: it then has another digest",
            ) from problem
        (folder / "plans").mkdir(mode=0o700)
        for variant, plan in zip(tuning.variants, plans, strict=True):
            write_durably(folder / "plans" / f"{variant.number:02d}.json", to_json(plan) + "\n", mode=0o600)
        write_durably(folder / "tuning.json", to_json(tuning) + "\n", mode=0o600)
        sync_folder(folder.parent)
    site.prepare(folder)
    save(folder, TuneResult(tuning=tuning, trials=_none(tuning), outcome="running"))
    return folder


def read(folder: Path, digest: str) -> tuple[Tuning, tuple[Plan, ...]]:
    """The tuning in a directory, and its plans. Raises Stale when they are not those that were confirmed.

    `digest`: of the tuning that was confirmed, which covers its plans.
    """
    require_private(folder)
    tuning = from_json(Tuning, _text(folder / "tuning.json"), source=str(folder / "tuning.json"))
    if tuning.digest != digest:
        raise Stale(f"{folder}/tuning.json is not the tuning that was confirmed: {digest}", hint="tune again")
    if not tuning.simulated:
        require_trusted(folder)
    paths = tuple(folder / "plans" / f"{variant.number:02d}.json" for variant in tuning.variants)
    plans = tuple(plan_from(_text(path), path) for path in paths)
    for variant, plan in zip(tuning.variants, plans, strict=True):
        if (plan.run_id, plan.digest) != (variant.run_id, variant.plan_digest) or plan.design.trial is None:
            raise Stale(f"{folder}: plan {variant.number} is not the one that was confirmed", hint="tune again")
    if digest_of(tuning) != tuning.digest:
        raise Stale(f"{folder}/tuning.json was changed after it was confirmed", hint="tune again")
    return tuning, plans


def load(folder: Path) -> TuneResult:
    """What a tuning came to so far."""
    alive = is_alive(folder)
    result = from_json(TuneResult, _text(folder / "result.json"), source=str(folder / "result.json"))
    if result.outcome != "running" or alive:
        return result
    left = [each for each in result.tuning.variants if left_behind(folder.parent.parent, each)]
    ways = ", ".join(f"raidtui undo {each.run_id[:8]}" for each in left)
    return replace(
        result, outcome="failed",
        reason="the process that carried it out is gone" + (f"; take back what it left: {ways}" if ways else ""),
    )  # fmt: skip


def left_behind(root: Path, variant: Variant) -> bool:
    """True when the run of a trial did something that was not taken back, by its journal."""
    run = root / variant.run_id
    if not (run / "journal").exists():
        return False
    records = journals.records(run)
    return anything_done(records) and (records[-1].purpose, records[-1].kind) != ("undo", "finished")


def folders(root: Path) -> tuple[Path, ...]:
    """Directories of tunings in `root`, newest first; none when there are none or they may not be seen."""
    try:
        found = [entry for entry in (root / FOLDER).iterdir() if (entry / "result.json").exists()]
        return tuple(sorted(found, key=lambda each: (each / "result.json").stat().st_mtime, reverse=True))
    except OSError:
        return ()


def find(roots: Sequence[Path], prefix: str) -> Path:
    """The tuning whose id starts so. Raises BadInput."""
    found = [folder for root in roots for folder in folders(root) if folder.name.startswith(prefix)]
    if len(prefix) < _LEAST_PREFIX or len(found) != 1:
        raise BadInput(f"{len(found)} tunings start with '{prefix}'", hint="raidtui tune --list shows them")
    return found[0]


def carry_out_tuning(
    folder: Path, digest: str, lock: int, measure: Measure, told: Told, wish: Callable[[], Wish], *,
    speed_up: float | None = None,
) -> TuneResult:  # fmt: skip
    """Every trial of the tuning in `folder`, in order, under the lock of the one run at a time. Returns the result.

    `digest`: of the tuning that was confirmed. `told` gets every event; `wish().stop` ends it, after the trial that
    runs is taken back.
    """
    tuning, plans = read(folder, digest)
    sites = _Sites(folder, tuning, speed_up)
    trials = list(_none(tuning))
    result = TuneResult(tuning=tuning, trials=tuple(trials), outcome="running")
    for place, (variant, plan) in enumerate(zip(tuning.variants, plans, strict=True)):
        if wish().stop:
            result = replace(result, outcome="stopped", reason="asked to stop; nothing is left of it")
            break
        trials[place] = _trial(variant, plan, sites, lock, measure, told, wish)
        result = replace(result, trials=tuple(trials))
        if trials[place].outcome != "measured" or not trials[place].undone:
            failed = trials[place].outcome == "failed" or not trials[place].undone
            result = replace(result, outcome="failed" if failed else "stopped", reason=trials[place].reason)
            break
        save(folder, result)
    else:
        result = replace(result, outcome="finished")
    result = replace(result, advice=advice(result), warnings=warnings(result, plans[0]))
    save(folder, result)
    return result


class _Sites:
    """Where each trial happens: this machine, or the simulated one as the trial before left it."""

    def __init__(self, folder: Path, tuning: Tuning, speed_up: float | None) -> None:
        self.folder = folder
        self.root = folder.parent.parent
        self._simulated = tuning.simulated
        self._speed_up = speed_up
        self._machine = folder / MACHINE

    def begin(self, run: Path) -> Site:
        """The site of a trial with the directory `run`."""
        if not self._simulated:
            return RealSite(self.root)
        write_durably(run / MACHINE, read_own(self._machine, MACHINE_FILE).decode("utf-8"), mode=0o600)
        self._machine = run / MACHINE
        speed_up, sleep = (1e9, None) if self._speed_up is None else (self._speed_up, time.sleep)
        return SimulatedSite(self.root, SimulatedMachine.kept(run / MACHINE, speed_up=speed_up, sleep=sleep))


def _trial(
    variant: Variant, plan: Plan, sites: _Sites, lock: int, measure: Measure, told: Told, wish: Callable[[], Wish]
) -> TrialResult:
    """Builds, measures, and takes back whatever happened. Only the death of the process leaves something."""
    result = TrialResult(variant=variant.number, outcome="failed")
    kept = sites.folder / f"bench-{variant.number:02d}"
    try:
        run = journals.create(sites.root, plan)
        site = sites.begin(run)
    except RaidtuiError as problem:
        return replace(result, reason=_words(problem))
    with at_work(run):
        try:
            _tell(told, variant, "build", f"builds {variant.name}")
            if _executed(plan, site, run, "build", lock, wish) != Exit.DONE:
                raise Interrupted
            _tell(told, variant, "measure", f"measures {variant.name}")
            made = plan.filesystems[0]
            mounted = Mounted(plan=plan, mount_point=made.mount_point, device=made.device, folder=kept)
            found = measure(mounted)
            result = replace(result, outcome="measured", workloads=found, bench=kept.name if kept.exists() else "")
        except Interrupted:
            result = replace(result, outcome="stopped", reason="asked to stop")
        except RaidtuiError as problem:
            result = replace(result, reason=_words(problem))
        return _taken_back(result, variant, plan, site, run, lock, told)


def _taken_back(
    result: TrialResult, variant: Variant, plan: Plan, site: Site, run: Path, lock: int, told: Told
) -> TrialResult:
    if not anything_done(journals.records(run)):
        return result
    _tell(told, variant, "undo", f"takes {variant.name} back")
    try:
        _executed(plan, site, run, "undo", lock, Wish)
    except RaidtuiError as problem:
        way_out = f"raidtui undo {variant.run_id[:8]} when the reason is gone"
        _tell(told, variant, "undo", f"not taken back: {problem}; {way_out}")
        reason = f"{result.reason}; " if result.reason else ""
        return replace(
            result, outcome="failed", undone=False, reason=f"{reason}not taken back: {_words(problem)}; {way_out}"
        )
    _tell(told, variant, "undo", f"{variant.name} is taken back, its disks are proven zero at both ends")
    return result


def _executed(plan: Plan, site: Site, run: Path, purpose: Purpose, lock: int, wish: Callable[[], Wish]) -> int:
    journal = Journal(run, purpose)
    try:
        return carry_out(plan, site, site.runner(lock), journal, wish)
    finally:
        journal.close()


def save(folder: Path, result: TuneResult) -> None:
    """Puts the result as it is now on disk, whole. Raises MachineFailed."""
    with failures(folder, _WAY_OUT):
        write_durably(folder / "result.json", to_json(result) + "\n", mode=0o600)


class ProgressFile:
    """Keeps what is told, for viewers of another process."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "progress"

    def __call__(self, progress: TuneProgress) -> None:
        """One line more. A full disk does not stop a trial from being taken back."""
        with contextlib.suppress(OSError), self._path.open("a") as file:
            file.write(json.dumps(plain(progress)) + "\n")


def progress_lines(folder: Path, after: int) -> tuple[TuneProgress, ...]:
    """What was told behind line `after`."""
    try:
        lines = (folder / "progress").read_text().splitlines(keepends=True)
    except OSError:
        return ()
    whole = [line for line in lines if line.endswith("\n")]
    return tuple(from_json(TuneProgress, line, source=str(folder / "progress")) for line in whole[after:])


def _tell(told: Told, variant: Variant, phase: str, text: str) -> None:
    told(
        TuneProgress(
            time=datetime.now(UTC).isoformat(timespec="seconds"), variant=variant.number, phase=phase, text=text,
            run_id=variant.run_id,
        )
    )  # fmt: skip


def _none(tuning: Tuning) -> tuple[TrialResult, ...]:
    return tuple(TrialResult(variant=variant.number, outcome="not run") for variant in tuning.variants)


def _words(problem: RaidtuiError) -> str:
    return f"{problem}; {problem.hint}" if problem.hint else str(problem)


def _text(path: Path) -> bytes:
    return read_own(path, RUN_FILE)
