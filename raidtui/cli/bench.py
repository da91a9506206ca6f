"""Start of a benchmark: shows the estimate, asks for confirmation, begins it, follows it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from raidtui.answers.bench import command_line, estimate_lines, figure_line, progress_words, result_blocks
from raidtui.answers.confirm import raw_page
from raidtui.bench import events as happened
from raidtui.bench import store
from raidtui.bench.events import Event
from raidtui.bench.fio_load import filling, measuring, require_fio, small_files_argv
from raidtui.bench.plan import BenchOptions, file_layout, needs_fill, writes_of
from raidtui.bench.prepare import Prepared, begins_after, prepare_plan
from raidtui.bench.raw import RawAsk, on_flash, prepare_raw, require_empty
from raidtui.bench.store import PREFIX, EventReader
from raidtui.bench.trials import exit_of
from raidtui.cli.confirm import ask_to_start, confirm_word, refuse_content, refuse_locked, refuse_unready
from raidtui.cli.follow import follow, said, written_by_executor
from raidtui.cli.inputs import load_inventory, named_inventory, named_plan, names_disks, names_plan, run_folder
from raidtui.cli.output import label, narrate, show, show_blocks, wrapped_findings
from raidtui.engine import journal
from raidtui.engine.process import Launched, launch
from raidtui.engine.runs import load
from raidtui.engine.site import Site, site_for, site_of_run
from raidtui.machine.system.places import benches_root
from raidtui.session.jobs import begin_job
from raidtui.steps.trials import require_no_volume
from raidtui.values.amounts import rate
from raidtui.values.bench import Bench, BenchOrder, BenchResult, Profile, Task
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit, MachineFailed, Refused
from raidtui.values.findings import refused
from raidtui.values.plan import Plan
from raidtui.values.printed import BenchPreview, StartedCommand

# A benchmark as it is followed on the command line: printed line by line. It does not depend on it.


def begin(
    made: Callable[[], Path], order: BenchOrder, options: argparse.Namespace, *, simulated: bool, start: int = 1,
    free: Site | None = None,
) -> int:  # fmt: skip
    """Starts the executor in the folder that `made` makes, and follows its start number `start`.

    `free`: the machine, for one that writes to its block devices."""
    folder, launched = begin_job(
        made, "bench", order.digest, launch, free=free, simulated=simulated, speed_up=options.speed_up
    )
    narrate(f"benchmark {store.named(folder)}: {launched.how}", simulated=simulated)
    return Exit.DONE if options.detach else followed(folder, launched, options, start)


def followed(folder: Path, launched: Launched | None, options: argparse.Namespace, start: int | None = None) -> int:
    """Prints the events of a start, by default the newest, until its executor has ended. Ctrl-C leaves it alone."""
    bench, known = store.load(folder).bench, len(written_by_executor(folder))
    name, simulated = store.named(folder), bench.simulated
    printer = _Printer(bench, options)
    again = f"raidtui bench --attach {name} follows it again, raidtui control {name} stop stops it"
    new = EventReader(folder, start).new
    shown = new if options.json else partial(new, 1)  # a line shows the newest tick; of days there are many
    try:
        follow(folder, launched, shown, printer.show, what="benchmark", again=again, simulated=simulated)
    finally:
        printer.clear()
    result = store.load(folder)
    _show_result(result, folder, options)
    for line in written_by_executor(folder)[known:] if result.figures and result.ended else ():
        narrate(line, simulated=simulated)  # what was stored for the planner
    if result.outcome == "interrupted":
        raise MachineFailed(f"the executor of the benchmark ended unexpectedly: {said(folder)}", hint=result.reason)
    if result.outcome == "failed":
        why = "the lines above name each test that failed" if printer.named else result.reason
        raise MachineFailed(f"the benchmark failed: {why}", hint=f"its results are in {folder.absolute()}")
    return exit_of(result.outcome)


def _show_result(result: BenchResult, folder: Path, options: argparse.Namespace) -> None:
    if options.json:
        return
    failed = result.outcome not in ("finished", "stopped")
    shown = replace(result, reason="") if failed else result
    show_blocks(result_blocks(shown, str(folder.absolute())), simulated=result.bench.simulated)


class _Printer:
    """Prints events: lines on stdout, a status line on a terminal; JSON lines with --json."""

    def __init__(self, bench: Bench, options: argparse.Namespace) -> None:
        self._bench = bench
        self._json = options.json
        self._live = sys.stderr.isatty() and not options.json
        self._now = ""
        self._task: Task | None = None
        self._began = 0.0
        self.named = False
        """True: every reason of a failure was printed"""

    def show(self, event: Event) -> None:
        """Raises OSError when the terminal or the pipe is gone."""
        if self._json:
            line = happened.BenchEvent(simulated=self._bench.simulated, event=event)
            print(to_json(line, indent=None), flush=True)
            return
        match event:
            case happened.FigureDone(figure=figure):
                self.clear()
                lines = [figure_line(self._bench, figure)]
                show(lines, sys.stdout, simulated=self._bench.simulated, wrapped=True)
            case happened.Waiting(reason=reason):
                self.clear()
                narrate(reason)
            case happened.TaskFailed(fatal=False):
                self.clear()
                task = next(task for task in self._bench.tasks if task.number == event.task)
                narrate(f"{task.job.name} on {task.target.name}: {event.reason}", simulated=self._bench.simulated)
            case happened.TaskStarted(task=task, now=began):
                self._task, self._began = task, began
            case happened.PhaseStarted():
                number = f" {event.repeat}" if event.repeat else ""
                self._now = f"task {event.task} of {len(self._bench.tasks)}: {event.phase}{number}"
            case happened.Ticked(tick=tick) if self._live:
                read = rate(sum(gauge.read_bytes_per_s for gauge in tick.disks.values()))
                write = rate(sum(gauge.write_bytes_per_s for gauge in tick.disks.values()))
                words = f"{self._now}, {progress_words(self._bench, self._task, self._began, tick.time)}"
                sys.stderr.write(f"\r\x1b[K{label(self._bench.simulated)}{words}  disks read {read}, write {write}")
                sys.stderr.flush()
            case happened.Ended(named=named):
                self.clear()
                self.named = named
            case _:
                pass

    def clear(self) -> None:
        """Removes the line of the gauges."""
        if self._live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def start(
    prepared: Prepared, options: argparse.Namespace, *, confirm: Callable[[], None] | None = None,
    plan: Plan | None = None, free: Site | None = None,
) -> int:  # fmt: skip
    """Begins a benchmark once it is confirmed, and follows it.

    `confirm` returns when it may start; without it a yes is enough. `plan`: of a raw one; `free`: see `begin`.
    """
    _show_estimate(prepared, options)
    if refused(prepared.findings):
        raise Refused(
            "not ready to measure; nothing was written", hint="the lines above name each problem and its remedy"
        )
    if options.dry_run:
        return Exit.DONE
    if confirm is not None:
        confirm()
    else:
        ask_unless_simulated(options, prepared.bench)
    bench, order = prepared.bench, store.ordered(prepared.order, prepared.bench)
    folder = benches_root(simulated=bench.simulated) / bench.id if options.out is None else Path(options.out).absolute()
    made = partial(store.create_at, folder, bench, order, plan)
    return begin(made, order, options, simulated=bench.simulated, free=free)


def ask_unless_simulated(options: argparse.Namespace, bench: Bench) -> None:
    """Returns when the benchmark may start; --yes and simulated disks need no answer.

    Raises MachineFailed before it asks where fio is not installed.
    """
    require_fio(bench)
    if not options.yes and not bench.simulated:
        ask_to_start("nothing was written")


def _show_estimate(prepared: Prepared, options: argparse.Namespace) -> None:
    bench = prepared.bench
    commands = _commands(bench, precondition=options.precondition) if options.dry_run else []
    if options.json:
        if options.dry_run or refused(prepared.findings):
            preview = BenchPreview(
                bench=bench, seconds=prepared.seconds, bytes_used=prepared.bytes_used,
                findings=tuple(prepared.findings), simulated=bench.simulated, commands=tuple(commands),
            )  # fmt: skip
            print(to_json(preview, indent=None))
        return
    lines = estimate_lines(bench, prepared.seconds, prepared.bytes_used)
    lines += [f"  {command_line(command.argv, command.folder)}" for command in commands]
    show(lines, sys.stdout, simulated=bench.simulated, wrapped=not options.dry_run)
    findings = wrapped_findings(prepared.findings, sys.stderr, simulated=bench.simulated)[1:]
    show(findings, sys.stderr, simulated=bench.simulated)


def _commands(bench: Bench, *, precondition: bool) -> list[StartedCommand]:
    """Every command that would be started, once for each task, with the directory it is started in."""
    if bench.simulated:
        return []
    found: list[StartedCommand] = []
    laid: tuple[object, ...] = ()
    for task in bench.tasks:
        folder = f"{task.target.paths[0].rstrip('/')}/{PREFIX}{bench.id}" if task.target.kind == "files" else ""
        job = task.job
        shape = (folder, *file_layout(job)) if needs_fill(job) else ()
        if shape and shape != laid:
            fill = filling(task, 2 if precondition else 1)
            found.append(StartedCommand(task=task.number, folder=folder, argv=tuple(fill.argv())))
        small = job.pattern == "small-files"
        argv = small_files_argv(job, "tree-1", drop=True) if small else tuple(measuring(task, 1).argv())
        found.append(StartedCommand(task=task.number, folder=folder, argv=argv))
        laid = shape if folder else laid
    return found


# `raidtui bench PLAN|RUN --raw`: disks of a plan before its build, or arrays of a finished run, as block devices.


def bench_raw(options: argparse.Namespace, profile: Profile, wanted: BenchOptions) -> int:
    """Measures block devices; writes are confirmed like a build and hold the run lock."""
    plan, site, built = _located(options)
    ask = RawAsk(plan=plan, built=built, writes=options.raw == "write")
    if ask.writes:
        _require_ready(ask, site, options)
    prepared = _prepared(ask, site, profile, wanted, options)
    writes = bool(writes_of(prepared.bench.tasks))

    def confirm() -> None:
        if not writes:
            ask_unless_simulated(options, prepared.bench)
            return
        out = sys.stderr if options.json else sys.stdout
        show_blocks(raw_page(plan, built=built), simulated=plan.simulated, out=out)
        confirm_word(plan, options, word="write")

    return start(prepared, options, confirm=confirm, plan=plan, free=site if writes else None)


def _located(options: argparse.Namespace) -> tuple[Plan, Site, bool]:
    """Plan, site, and whether its arrays exist. Raises Refused for a run that is no finished build."""
    if names_plan(options.target):
        plan = named_plan(options.target)
        site = site_for(plan, named_inventory(options))
        folder = site.root / plan.run_id
        if not journal.is_begun(folder):
            return plan, site, False
    else:
        folder = run_folder(options.target)
    begun = load(folder)
    if begun.run.outcome != "finished" or begun.run.purpose == "undo":
        raise Refused(
            f"run {folder.name[:8]} is not a finished build",
            hint="raidtui status shows it; to measure its disks after an undo, plan again",
        )
    return begun.plan, site_of_run(folder, begun.plan), True


def _require_ready(ask: RawAsk, site: Site, options: argparse.Namespace) -> None:
    """Raises Refused unless the disks are blank, or the arrays carry nothing, as far as the plan tells."""
    refuse_locked(site)
    if ask.built:
        require_no_volume(ask.plan)
        require_empty(ask.plan, site.reader())
        return
    refuse_unready(ask.plan, site, options)
    refuse_content(ask.plan)


def _prepared(ask: RawAsk, site: Site, profile: Profile, wanted: BenchOptions, options: argparse.Namespace) -> Prepared:
    plan = ask.plan
    if not plan.simulated:
        if names_disks(options):
            raise BadInput("a real target can only be measured on this machine", hint="remove --inventory and --disks")
        return prepare_raw(
            ask, load_inventory(options), site.reader(), profile, wanted, root_user=os.geteuid() == 0,
            during_sync=options.during_sync,
        )  # fmt: skip
    profile, notes = ask.profile(profile)
    inventory = site.inventory(plan)
    prepared = prepare_plan(
        plan, inventory, profile, replace(wanted, raw_writes=ask.writes),
        start=begins_after(site.root / plan.run_id, benches_root(simulated=True), plan),
    )  # fmt: skip
    own = (disk for disk in inventory.disks if disk.id in plan.prediction.disks)
    return replace(prepared, findings=(*notes, *on_flash(own), *prepared.findings))
