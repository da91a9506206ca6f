"""All jobs of this machine: runs, replacements, extensions, benchmarks, trials, drills; what each came to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from raidtui.answers.bench import result_blocks
from raidtui.answers.run import outcome_words
from raidtui.answers.trials import drill_blocks, tune_blocks
from raidtui.bench import drill, store, tuning
from raidtui.engine import journal, living
from raidtui.engine.folders import (
    BENCHES,
    CHANGES,
    CHANGES_FOLDER,
    DRILLS,
    RUNS,
    TUNINGS,
    OnSkipped,
    WorkFolder,
    is_alive,
    is_prefix,
)
from raidtui.engine.journal import replay
from raidtui.engine.runs import Begun
from raidtui.machine.system.places import all_benches_roots, run_roots, whatever_is_wrong
from raidtui.values.blocks import Block, Grid, Paragraph, cells
from raidtui.values.codec_rules import Value
from raidtui.values.errors import BadInput, RaidtuiError
from raidtui.values.plan import Plan
from raidtui.values.run import JobStatus, Record, Run, RunPurpose, RunUnread


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """Jobs of one kind."""

    word: str
    """what they are called in a table"""
    work: WorkFolder
    """what their folders are like"""
    roots: Callable[[Sequence[Path]], Iterable[Path]]
    """directories of their folders, from those of runs"""
    read: Callable[[Path], JobStatus]
    """what the job in a folder came to; raises RaidtuiError"""


def of_run(begun: Begun) -> JobStatus:
    """What a run came to."""
    plan, run = begun.plan, begun.run
    return _of_act(run.purpose, plan.run_id, plan.name, plan, begun.folder, run, begun.records)


def _of_change(folder: Path) -> JobStatus:
    alive = is_alive(folder)
    act, records = living.act_in(folder), journal.records(folder)
    run = replay(len(act.steps), records, alive=alive)
    return _of_act(act.purpose, folder.name, act.array, act, folder, run, records)


def _of_act(
    kind: RunPurpose, id: str, name: str, act: Plan | living.LivingAct, folder: Path, run: Run,
    records: Sequence[Record],
) -> JobStatus:  # fmt: skip
    """What the journal in `folder` says of an act."""
    return JobStatus(
        kind=kind, id=id, name=name, host=act.host, simulated=act.simulated, folder=str(folder), outcome=run.outcome,
        reason=run.reason, of=len(run.steps), done=sum(step.state == "done" for step in run.steps),
        last=records[-1].time if records else "",
    )  # fmt: skip


def _of_bench(folder: Path) -> JobStatus:
    found = store.load(folder)
    bench, begun = found.bench, found.outcome != "interrupted" or store.starts(folder) > 0
    return JobStatus(
        kind="bench", id=bench.id, name=bench.profile, host=bench.host, simulated=bench.simulated, folder=str(folder),
        outcome=found.outcome, reason=found.reason, done=len(found.figures), of=len(bench.tasks),
        last=_written(BENCHES, folder) if begun else "",
    )  # fmt: skip


def _of_tuning(folder: Path) -> JobStatus:
    found = tuning.load(folder)
    made = found.tuning
    return JobStatus(
        kind="tune", id=made.id, name=made.asked_layout, host=made.host, simulated=made.simulated, folder=str(folder),
        outcome=found.outcome, reason=found.reason, of=len(found.trials), last=_written(TUNINGS, folder),
        done=sum(trial.outcome == "measured" for trial in found.trials),
    )  # fmt: skip


def _of_drill(folder: Path) -> JobStatus:
    found = drill.load(folder)
    return JobStatus(
        kind="drill", id=_drill_id(folder), name=found.ask.device, host="",
        simulated=found.simulated, folder=str(folder), outcome=found.outcome, reason=found.reason,
        done=len(found.passes), of=3 if found.ask.restore else 2, last=_written(DRILLS, folder),
    )  # fmt: skip


def _written(work: WorkFolder, folder: Path) -> str:
    return datetime.fromtimestamp(work.written(folder), UTC).isoformat(timespec="seconds")


CHANGE = JobKind(
    word="change", work=CHANGES, roots=lambda runs: [root / CHANGES_FOLDER for root in runs], read=_of_change
)
BENCH = JobKind(word="bench", work=BENCHES, roots=lambda _: all_benches_roots(), read=_of_bench)
TUNING = JobKind(word="tune", work=TUNINGS, roots=tuning.roots, read=_of_tuning)
DRILL = JobKind(word="drill", work=DRILLS, roots=RUNS.all_folders, read=_of_drill)
KINDS = (CHANGE, BENCH, TUNING, DRILL)
"""all but runs, whose list has more to say"""


def jobs(on_skipped: OnSkipped) -> tuple[tuple[JobStatus, ...], tuple[RunUnread, ...]]:
    """The jobs of this machine but for runs, and those that cannot be read; directories of them are skipped and
    named."""
    found: list[JobStatus] = []
    unread: list[RunUnread] = []
    for kind in KINDS:
        for folder in kind.work.all_folders(kind.roots(run_roots()), on_skipped):
            try:
                with whatever_is_wrong(folder):
                    found.append(kind.read(folder))
            except RaidtuiError as problem:
                unread.append(RunUnread(kind=kind.word, folder=str(folder), reason=str(problem), way_out=problem.hint))
    return tuple(found), tuple(unread)


def find(name: str) -> tuple[JobKind, Path] | None:
    """The job, but for runs, whose id begins with `name`, and its kind; None if there is none.

    A benchmark is found by the path of its folder too. Raises BadInput if several have it, or a run too."""
    if (folder := store.by_path(name)) is not None:
        return BENCH, folder
    found = [(kind, folder) for kind in KINDS for folder in _named(kind, name)]
    runs = [folder for folder in RUNS.all_folders(run_roots()) if folder.name.startswith(name)] if found else []
    if len(found) + len(runs) > 1:
        count = len(found) + len(runs)
        raise BadInput(f"{count} jobs start with '{name}'", hint="write more digits; raidtui status lists them")
    return found[0] if found else None


def _named(kind: JobKind, name: str) -> Iterator[Path]:
    """Folders of this kind; the id of a drill begins with that of its run, which alone means the run."""
    if (kind is DRILL) != ("/" in name) or not (is_prefix(name) or kind in (CHANGE, DRILL)):
        return
    for folder in kind.work.all_folders(kind.roots(run_roots())):
        if (_drill_id(folder) if kind is DRILL else folder.name).startswith(name):
            yield folder


def _drill_id(folder: Path) -> str:
    """Run and directory."""
    return f"{folder.parent.name[:8]}/{folder.name}"


def shown(kind: JobKind, folder: Path) -> tuple[Value, Sequence[Block], bool]:
    """The document of a job, as blocks too, and True if it is simulated."""
    match kind.work:
        case work if work is BENCHES:
            result = store.load(folder)
            return result, result_blocks(result, str(folder)), result.bench.simulated
        case work if work is TUNINGS:
            tried = tuning.load(folder)
            return tried, tune_blocks(tried), tried.tuning.simulated
        case work if work is DRILLS:
            drilled = drill.load(folder)
            return drilled, drill_blocks(drilled), drilled.simulated
    job = kind.read(folder)
    steps = living.act_in(folder).steps
    rows = tuple(cells(str(step.number), step.title) for step in steps)
    return (
        job,
        (
            Paragraph(text=f"{job.kind} of {job.name}: {outcome_words(job)}, {job.done} of {job.of} steps"),
            Grid(columns=("", ""), rows=rows, right=frozenset({0})),
            *((Paragraph(text=f"reason: {job.reason}"),) if job.reason else ()),
        ),
        job.simulated,
    )
