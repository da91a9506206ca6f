"""Runs a tuning: the executor of builds creates every trial's array, which is measured and undone, one by one.

ROOT/tunings/ID/                  0700
    tuning.json                   the confirmed tuning
    plans/01.json                 the plan of each trial
    result.json                   rewritten after every trial
    journal                       what is done, a step for each trial
ROOT/RUN_ID/                      run of each trial: its own plan, journal and output

A failed or stopped trial is undone too; if that fails, the result names `raidtui undo RUN`.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from math import exp, log
from pathlib import Path

from raidtui.bench import store
from raidtui.bench.store import keep_array_figures
from raidtui.bench.trials import Interrupted, MeasureMounted, MountedTrial, exit_of, kept_profile, measure_in
from raidtui.engine import journal as journals
from raidtui.engine import simulation
from raidtui.engine.builder import Builder
from raidtui.engine.executor import Stopped
from raidtui.engine.folders import ControlRequest, at_work, is_alive, make_folder
from raidtui.engine.journal import Journal
from raidtui.engine.process import Requests, anything_done, carry_out, requests_to
from raidtui.engine.runs import plan_from
from raidtui.engine.site import MACHINE, RealSite, SimulatedSite, Site, lock_in, locked, site_for
from raidtui.machine.arrays.boot import initramfs_tool
from raidtui.machine.system.files import (
    MACHINE_FILE,
    RUN_FILE,
    read_document,
    read_own,
    save_document,
    sync_folder,
    write_durably,
)
from raidtui.machine.system.places import failures, require_private, require_trusted, speeds_path
from raidtui.steps.trials import TrialRequest, remade
from raidtui.steps.trials import tuning as trials_of
from raidtui.values.amounts import listed, percent, two_digits
from raidtui.values.bench import Figure, Profile
from raidtui.values.codec import document_digest
from raidtui.values.errors import Exit, MachineFailed, RaidtuiError, Refused, Stale
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.plan import Plan
from raidtui.values.run import RecordKind, RunPurpose
from raidtui.values.speed import NO_FIGURES
from raidtui.values.trials import Advice, TrialResult, TuneResult, Tuning, Variant, Workload
from raidtui.values.units import KIB, exact_binary

# Recommendation of a chunk and file system, and whether its lead exceeds the spread of the measurements.


UNPROVEN_SHARE = 0.05
"""assumed spread of a single repeat, relative, to both sides"""
_USUAL_CHUNK = 512 * KIB
"""mdadm's default chunk, kept unless another is better"""


def interval(figure: Figure) -> tuple[float, float]:
    """(lowest, highest) repeat, widened for a single one."""
    values = [repeat.value for repeat in figure.repeats]
    if len(values) < 2:
        return figure.median * (1 - UNPROVEN_SHARE), figure.median * (1 + UNPROVEN_SHARE)
    return min(values), max(values)


def beats(one: Figure, other: Figure) -> bool:
    """True if every repeat of `one` is above every repeat of `other`."""
    return interval(one)[0] > interval(other)[1]


def best_of(found: Mapping[str, Figure]) -> tuple[str, tuple[str, ...]]:
    """(name of the highest median, names that it does not beat)."""
    best = max(found, key=lambda name: found[name].median)
    return best, tuple(name for name in found if name != best and not beats(found[best], found[name]))


def advise(tried: Mapping[str, Sequence[Workload]], *, usual: str = "") -> tuple[Advice, ...]:
    """Advice per job, then over all jobs. `tried` maps variants to their workloads.

    `usual` is kept if there is no significant difference.
    """
    jobs = list(dict.fromkeys(workload.job for workloads in tried.values() for workload in workloads))
    figures = {
        job: {name: each.figure for name, workloads in tried.items() for each in workloads if each.job == job}
        for job in jobs
    }
    complete = [name for name in tried if all(name in figures[job] for job in jobs)]
    if len(complete) < 2 or not jobs:
        return ()
    each = tuple(_for_job(job, {name: figures[job][name] for name in complete}) for job in jobs)
    return (*each, _overall(figures, complete, usual))


def advice(result: TuneResult) -> tuple[Advice, ...]:
    """Advice from the measured trials of `result`."""
    names = {variant.number: variant.name for variant in result.tuning.variants}
    tried = {names[trial.variant]: trial.workloads for trial in result.trials if trial.outcome == "measured"}
    usual = [each for each in result.tuning.variants if each.name in tried and each.chunk_bytes == _USUAL_CHUNK]
    usual.sort(key=lambda variant: variant.fs != "xfs")
    return advise(tried, usual=usual[0].name if usual else "")


def warnings(result: TuneResult, plan: Plan) -> tuple[str, ...]:
    """Limitations of these measurements, one sentence each."""
    tuning = result.tuning
    found = []
    if tuning.simulated:
        found.append("all figures come from the model, which hardly depends on the chunk; nothing was measured")
    if tuning.whole_disks:
        found.append(
            "nothing limits the size of one RAID0 or of one disk without md, so whole disks were used; where on them "
            "the files are is up to the file system"
        )
    else:
        found.append(
            f"only the first {exact_binary(tuning.slice_bytes)} of each disk were used; on rotating disks that is the "
            "outer zone with the shortest seeks; the inner zone has about half the rate, and random access over a "
            "whole disk is slower; compare the variants with each other, not with the final array"
        )
    if plan.design.layout.survives and not tuning.first_sync:
        found.append("the initial resync was skipped; use --first-sync to wait for it")
    labels = {label for trial in result.trials for each in trial.workloads for label in each.figure.labels}
    if "short" in labels:
        found.append("measured for less than 30 s each: caches of drives and of md have more effect than in production")
    if "cached" in labels:
        found.append("some files fit into memory, so the page cache may have served requests")
    if any(len(each.figure.repeats) < 2 for trial in result.trials for each in trial.workloads):
        found.append(
            f"figures of one repeat have no spread; differences below {percent(UNPROVEN_SHARE)} are not significant"
        )
    return tuple(found)


def _for_job(job: str, found: dict[str, Figure]) -> Advice:
    best, ties = best_of(found)
    if len(ties) == len(found) - 1:
        return Advice(
            job=job,
            best=best,
            ties=ties,
            reason="no significant difference between the trials: all overlap",
        )
    worst = min(found, key=lambda name: found[name].median)
    times = _times(found[best].median, found[worst].median)
    same = f"; {listed(ties)} {_overlap(ties)} with it" if ties else ""
    return Advice(job=job, best=best, ties=ties, reason=f"{best} is best, {times} of {worst}{same}")


def _overall(figures: dict[str, dict[str, Figure]], names: list[str], usual: str) -> Advice:
    tops = {job: max(found[name].median for name in names) for job, found in figures.items()}
    score = {
        name: exp(sum(log(max(found[name].median, 1e-9) / max(tops[job], 1e-9)) for job, found in figures.items())
                  / len(figures))
        for name in names
    }  # fmt: skip
    best = max(names, key=lambda name: score[name])
    ties = tuple(
        name
        for name in names
        if name != best and not any(beats(found[best], found[name]) for found in figures.values())
    )
    share = f"on average {percent(score[best])} of the best value over all {len(figures)} workloads"
    if usual in ties:
        rest = tuple(name for name in (best, *ties) if name != usual)
        return Advice(
            job="", best=usual, ties=rest,
            reason=f"keep {usual}: {best} is not significantly better in any workload",
        )  # fmt: skip
    if len(ties) == len(names) - 1:
        return Advice(job="", best=best, ties=ties, reason="no significant difference between the trials")
    same = f"; {listed(ties)} {_overlap(ties)} with it in every workload, so either is fine" if ties else ""
    return Advice(job="", best=best, ties=ties, reason=f"{best}: {share}{same}")


def _overlap(names: Sequence[str]) -> str:
    return "overlaps" if len(names) == 1 else "overlap"


def _times(best: float, worst: float) -> str:
    return f"{two_digits(best / worst)} times the figure" if worst > 0 else "against 0"


FOLDER = "tunings"
_WAY_OUT = "make it writable for root"


def unused(ask: TrialRequest, inventory: Inventory, disks: Sequence[Disk]) -> tuple[Tuning, tuple[Plan, ...], Site]:
    """The trials of `ask` with a digest that was not used here before, their plans, and the site of the first."""
    family, count = initramfs_tool(inventory), 0
    while True:
        made, plans = trials_of(ask, inventory, disks, host=inventory.name, before=count, initramfs=family)
        site = site_for(plans[0], inventory if plans[0].simulated else None)
        if not _exists(site.root / FOLDER / made.id):
            return made, plans, site
        count += 1


def _exists(folder: Path) -> bool:
    try:
        return folder.exists()
    except OSError:  # the directory belongs to root, and this is another user
        return False


def create(tuning: Tuning, plans: Sequence[Plan], site: Site, profile: Profile) -> Path:
    """Creates the directory of a tuning beside the runs of `site`. Raises Refused if it exists: it is run once."""
    folder = site.root / FOLDER / tuning.id
    try:
        make_folder(folder, simulated=tuning.simulated)
    except FileExistsError as problem:
        raise Refused(
            f"the tuning {tuning.id[:8]} was started before; its journal is in {folder}",
            hint="run the same command again; the tuning gets a new id",
        ) from problem
    with failures(folder, _WAY_OUT):
        (folder / "plans").mkdir(mode=0o700)
        for variant, plan in zip(tuning.variants, plans, strict=True):
            save_document(folder / "plans" / f"{variant.number:02d}.json", plan, way_out=_WAY_OUT)
        save_document(folder / "tuning.json", tuning, way_out=_WAY_OUT)
        journals.add(folder)
        sync_folder(folder.parent)
    site.prepare(folder)
    kept_profile(folder, profile)
    save(folder, TuneResult(tuning=tuning, trials=_none(tuning), outcome="running"))
    return folder


def read(folder: Path, digest: str) -> tuple[Tuning, tuple[Plan, ...]]:
    """The tuning in a directory, and its plans. Raises Stale if they are not the confirmed ones.

    `digest`: of the confirmed tuning; it covers the plans.
    """
    require_private(folder)
    tuning = read_document(Tuning, folder / "tuning.json", RUN_FILE)
    if tuning.digest != digest:
        raise Stale(
            f"{folder}/tuning.json is not the confirmed tuning: expected the digest {digest}", hint="tune again"
        )
    if not tuning.simulated:
        require_trusted(folder)
    paths = tuple(folder / "plans" / f"{variant.number:02d}.json" for variant in tuning.variants)
    plans = tuple(plan_from(read_own(path, RUN_FILE), path) for path in paths)
    for variant, plan in zip(tuning.variants, plans, strict=True):
        if (plan.run_id, plan.digest) != (variant.run_id, variant.plan_digest) or plan.design.trial is None:
            raise Stale(f"{folder}: plan {variant.number} is not the one that was confirmed", hint="tune again")
    if document_digest(tuning) != tuning.digest:
        raise Stale(f"{folder}/tuning.json was changed after it was confirmed", hint="tune again")
    return tuning, plans


def load(folder: Path) -> TuneResult:
    """Present result of a tuning."""
    alive = is_alive(folder)
    result = read_document(TuneResult, folder / "result.json", RUN_FILE)
    if result.outcome != "running" or alive:
        return result
    left = [each for each in result.tuning.variants if left_behind(folder.parent.parent, each)]
    ways = ", ".join(dict.fromkeys(f"raidtui undo {each.run_id[:8]}" for each in left))
    return replace(
        result, outcome="failed",
        reason="its process is gone" + (f"; undo what it left: {ways}" if ways else ""),
    )  # fmt: skip


def left_behind(root: Path, variant: Variant) -> bool:
    """True if the run of a trial has changes that were not undone, according to its journal."""
    run = root / variant.run_id
    if not (run / "journal").exists():
        return False
    records = journals.records(run)
    return anything_done(records) and not journals.is_undone(records)


def roots(of_runs: Iterable[Path]) -> tuple[Path, ...]:
    """Directories of all tunings; `of_runs`: directories of all runs."""
    return tuple(root / FOLDER for root in of_runs)


def carry_out_tuning(
    folder: Path, digest: str, lock: int, measure: MeasureMounted, request: Requests, *,
    speed_up: float | None = None,
) -> TuneResult:  # fmt: skip
    """Runs every trial of the tuning in `folder`, in order; `lock` is the held run lock. Returns the result.

    `digest`: of the tuning that was confirmed. `request().stop` ends the tuning after the running trial is undone.
    """
    tuning, plans = read(folder, digest)
    sites = _Sites(folder, tuning, speed_up)
    trials = list(_none(tuning))
    result = TuneResult(tuning=tuning, trials=tuple(trials), outcome="running")
    journal = Journal(folder, "tune", sites.clock)
    note = _Notes(journal)
    note("begun", 0, f"{len(plans)} trials of {tuning.layout}")

    def keep(trial: TrialResult) -> None:
        trials[trial.variant - 1] = trial
        save(folder, replace(result, trials=tuple(trials)))

    for _, pairs in groupby(zip(tuning.variants, plans, strict=True), key=lambda pair: pair[0].run_id):
        if request().stop:
            result = replace(result, outcome="stopped", reason="asked to stop; everything is undone")
            break
        trial = _trials(tuple(pairs), sites, lock, measure, note, request, keep)
        keep(trial)
        result = replace(result, trials=tuple(trials))
        if trial.outcome != "measured" or not trial.undone:
            failed = trial.outcome == "failed" or not trial.undone
            result = replace(result, outcome="failed" if failed else "stopped", reason=trial.reason)
            break
    else:
        result = replace(result, outcome="finished")
    result = replace(result, advice=advice(result), warnings=warnings(result, plans[0]))
    save(folder, result)
    assert result.outcome != "running"
    note(result.outcome, 0, result.reason or f"{len(trials)} trials measured")
    journal.close()
    return result


def execute(folder: Path, digest: str, *, speed_up: float) -> int:
    """The executor of the tuning in `folder`, whose digest was confirmed. Returns the exit code.

    SIGTERM and SIGINT stop it once what stands is undone. SIGHUP is ignored."""
    request = requests_to(folder)
    made, _ = read(folder, digest)
    measure = measure_in(folder, request, seconds=made.seconds, repeats=made.repeats)
    with locked(lock_in(folder.parent.parent, made)) as lock, at_work(folder):
        result = carry_out_tuning(
            folder, digest, lock, measure, request, speed_up=speed_up if made.simulated else None
        )  # fmt: skip
    return exit_of(result.outcome)


class _Notes:
    """Notes what is done. A journal that cannot be written does not keep a trial from being undone."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def __call__(self, kind: RecordKind, variant: int, text: str) -> None:
        with contextlib.suppress(MachineFailed):
            self._journal.write(kind, step=variant, text=text)


class _Sites:
    """Sites of the trials: this machine, or the simulated machine in the state after the previous trial."""

    def __init__(self, folder: Path, tuning: Tuning, speed_up: float | None) -> None:
        self.folder = folder
        self.root = folder.parent.parent
        self._simulated = tuning.simulated
        self._speed_up = speed_up
        self._machine = folder / MACHINE
        self.clock: Callable[[], datetime] = lambda: datetime.now(UTC)
        """present time of the machine, for the journal"""

    def begin(self, run: Path) -> Site:
        """The site of a trial with the directory `run`."""
        if not self._simulated:
            return RealSite(self.root)
        write_durably(run / MACHINE, read_own(self._machine, MACHINE_FILE).decode("utf-8"), mode=0o600)
        self._machine = run / MACHINE
        speed_up, sleep = (1e9, None) if self._speed_up is None else (self._speed_up, time.sleep)
        machine = simulation.kept(run / MACHINE, speed_up=speed_up, sleep=sleep)
        self.clock = machine.clock
        return SimulatedSite(self.root, machine)


def _trials(
    pairs: Sequence[tuple[Variant, Plan]],
    sites: _Sites,
    lock: int,
    measure: MeasureMounted,
    note: _Notes,
    request: Requests,
    keep: Callable[[TrialResult], None],
) -> TrialResult:
    """Builds the array of trials that share it, measures each until one fails, and always undoes the array unless the
    process is killed. Returns the last result; `keep` gets each that was measured before.
    """
    variant, plan = pairs[0]
    result = TrialResult(variant=variant.number, outcome="failed")
    try:
        run = journals.create(sites.root, plan)
        site = sites.begin(run)
    except RaidtuiError as problem:
        return replace(result, reason=problem.with_hint)
    with at_work(run):
        before: Plan | None = None
        for variant, own in pairs:
            result = TrialResult(variant=variant.number, outcome="failed")
            kept = sites.folder / f"bench-{variant.number:02d}"
            try:
                note("step", variant.number, f"builds {variant.name}")
                if before is not None:
                    _remade(before, own, site, run, lock, request)
                elif _executed(own, site, run, "build", lock, request) != Exit.DONE:
                    raise Interrupted
                before = own
                note("progress", variant.number, f"measures {variant.name}")
                found = measure(MountedTrial(plan=own, folder=kept))
                result = replace(result, outcome="measured", workloads=found, bench=kept.name if kept.exists() else "")
                if result.bench and not own.simulated:
                    note("progress", variant.number, _learnt(kept))
                note("proven", variant.number, f"measured {variant.name}")
                keep(result)
            except (Interrupted, Stopped):
                result = replace(result, outcome="stopped", reason="asked to stop")
            except RaidtuiError as problem:
                result = replace(result, outcome="failed", reason=problem.with_hint)
            if result.outcome != "measured":
                break
        return _undone(result, variant, plan, site, run, lock, note)


def _remade(before: Plan, plan: Plan, site: Site, run: Path, lock: int, request: Requests) -> None:
    """Makes the file systems and mounts of `plan` on the array of `before`. Raises Stopped."""
    runner = site.runner(lock)
    with contextlib.closing(Journal(run, "build", runner.clock)) as journal:
        Builder(plan, runner, journal, request).build(remade(before, plan))


def _learnt(folder: Path) -> str:
    """Stores for the planner what the benchmark in `folder` says about arrays of this machine; what came of it."""
    try:
        found = keep_array_figures(store.load(folder), speeds_path())
    except RaidtuiError as problem:
        return f"what was measured was not stored for the planner: {problem}"
    return "stored for the planner" if found != NO_FIGURES else "says nothing about other arrays"


def _undone(
    result: TrialResult, variant: Variant, plan: Plan, site: Site, run: Path, lock: int, note: _Notes
) -> TrialResult:
    if not anything_done(journals.records(run)):
        return result
    note("progress", variant.number, f"undoes {variant.name}")
    try:
        _executed(plan, site, run, "undo", lock, ControlRequest)
    except RaidtuiError as problem:
        way_out = f"fix the cause, then raidtui undo {variant.run_id[:8]}"
        note("progress", variant.number, f"not undone: {problem}; {way_out}")
        reason = f"{result.reason}; " if result.reason else ""
        return replace(
            result, outcome="failed", undone=False, reason=f"{reason}not undone: {problem.with_hint}; {way_out}"
        )
    note("progress", variant.number, f"{variant.name} is undone, its disks are proven zero at both ends")
    return result


def _executed(plan: Plan, site: Site, run: Path, purpose: RunPurpose, lock: int, request: Requests) -> int:
    runner = site.runner(lock)
    with contextlib.closing(Journal(run, purpose, runner.clock)) as journal:
        return carry_out(plan, site, runner, journal, request)


def save(folder: Path, result: TuneResult) -> None:
    """Writes the present result to the disk, atomically. Raises MachineFailed."""
    save_document(folder / "result.json", result, way_out=_WAY_OUT)


def _none(tuning: Tuning) -> tuple[TrialResult, ...]:
    return tuple(TrialResult(variant=variant.number, outcome="not run") for variant in tuning.variants)
