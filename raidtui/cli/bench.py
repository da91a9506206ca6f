"""Start of a benchmark: shows the estimate, asks for confirmation, runs it, stores the disk speeds that it measured."""

from __future__ import annotations

import argparse
import contextlib
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
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
from raidtui.bench.run import Benchmark
from raidtui.bench.store import PREFIX, keep_measured
from raidtui.cli.confirm import ask_to_start, confirm_word, refuse_content, refuse_locked, refuse_unready
from raidtui.cli.inputs import load_inventory, named_inventory, named_plan, names_disks, names_plan, run_folder
from raidtui.cli.output import label, narrate, show, show_blocks, width, wrapped_findings
from raidtui.engine import journal
from raidtui.engine.runs import load
from raidtui.engine.site import Site, locked, site_for, site_of_run
from raidtui.machine.system.places import benches_root, speeds_path
from raidtui.steps.trials import require_no_volume
from raidtui.values.amounts import rate
from raidtui.values.bench import Bench, BenchResult, Profile, Task
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit, MachineFailed, RaidtuiError, Refused
from raidtui.values.findings import refused
from raidtui.values.plan import Plan
from raidtui.values.printed import BenchPreview, StartedCommand

# A benchmark as it runs on the command line: in a thread, printed line by line, stopped by signals.


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run(begin: Callable[[Path], Benchmark], bench: Bench, folder: Path, options: argparse.Namespace) -> int:
    """Runs it in a thread of its own, prints its events, stops it on a signal or when the output is closed."""
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    caught: list[int] = []
    problems: list[BaseException] = []
    results: list[BenchResult] = []

    def note(number: int, _: object) -> None:
        caught.append(number)

    before = {each: signal.signal(each, note) for each in _SIGNALS}
    try:
        running = begin(folder)

        def work() -> None:
            try:
                results.append(running.run(events.put))
            except BaseException as problem:
                problems.append(problem)
            finally:
                events.put(None)

        thread = threading.Thread(target=work, name="benchmark")
        thread.start()
        printer = _Printer(bench, options)
        _follow(events, printer, running, caught)
        thread.join()
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    if problems:
        raise problems[0]
    return _ended(results[0], folder, bool(caught), printer.named, options)


def _follow(events: queue.SimpleQueue[Event | None], printer: _Printer, running: Benchmark, caught: list[int]) -> None:
    disconnected = stopped = False
    while True:
        if (caught or disconnected) and not stopped:
            running.stop()
            stopped = True
        try:
            event = events.get(timeout=0.2)
        except queue.Empty:
            continue
        if event is None:
            break
        if disconnected:
            continue
        try:
            printer.show(event)
        except OSError:  # the terminal or the pipe is gone; the benchmark stops and cleans up
            disconnected = True
            caught.append(signal.SIGHUP)
            _let_go()


def _let_go() -> None:
    """Discards what is still written to a terminal or pipe that is gone; otherwise Python would exit with 120."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(nowhere, sys.stderr.fileno())


def _ended(result: BenchResult, folder: Path, signalled: bool, named: bool, options: argparse.Namespace) -> int:
    failed = result.outcome != "finished" and not (result.outcome == "stopped" and signalled)
    if not options.json:
        shown = replace(result, reason="") if failed else result
        try:
            show_blocks(result_blocks(shown, str(folder.absolute())), simulated=result.bench.simulated)
        except OSError:
            _let_go()
    if failed:
        why = "the lines above name each test that failed" if named else result.reason
        raise MachineFailed(f"the benchmark {result.outcome}: {why}", hint=f"its results are in {folder.absolute()}")
    return Exit.DONE if result.outcome == "finished" else Exit.INTERRUPTED


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
                self._clear()
                lines = [figure_line(self._bench, figure)]
                show(lines, sys.stdout, simulated=self._bench.simulated, wrapped=True)
            case happened.Waiting(reason=reason):
                self._clear()
                narrate(reason)
            case happened.TaskFailed(fatal=False):
                self._clear()
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
                self._clear()
                self.named = named
            case _:
                pass

    def _clear(self) -> None:
        if self._live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def start(
    prepared: Prepared, options: argparse.Namespace, *, keep_speeds: bool, confirm: Callable[[], None] | None = None
) -> int:
    """Runs a benchmark once it is confirmed; with `keep_speeds` the planner uses the disk speeds that it measured.

    `confirm` returns when it may start; without it a yes is enough.
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
    folder = _folder(options, prepared.bench)
    try:
        return run(prepared.begin, prepared.bench, folder, options)
    finally:
        if keep_speeds and not prepared.bench.simulated:
            _keep_speeds(folder, options)


def ask_unless_simulated(options: argparse.Namespace, bench: Bench) -> None:
    """Returns when the benchmark may start; --yes and simulated disks need no answer.

    Raises MachineFailed before it asks where fio is not installed.
    """
    require_fio(bench)
    if not options.yes and not bench.simulated:
        ask_to_start("nothing was written")


def _folder(options: argparse.Namespace, bench: Bench) -> Path:
    if options.out is not None:
        return store.create_at(Path(options.out), bench)
    return store.create(benches_root(simulated=bench.simulated), bench)


def _keep_speeds(folder: Path, options: argparse.Namespace) -> None:
    """Stores what was measured of single disks and of arrays for the planner; a failure does not fail the benchmark."""
    try:
        result = store.load(folder)
    except RaidtuiError as problem:
        narrate(f"what was measured was not stored for the planner: {problem}")
        return
    for line in keep_measured(result, lambda: load_inventory(options), speeds_path()):
        narrate(line)


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
    held: list[int] = []
    prepared = _prepared(ask, site, profile, wanted, options, held)
    with contextlib.ExitStack() as stack:

        def confirm() -> None:
            if not writes_of(prepared.bench.tasks):
                ask_unless_simulated(options, prepared.bench)
                return
            out = sys.stderr if options.json else sys.stdout
            page = raw_page(plan, built=built, width=width(plan.simulated, out))
            show(page, out, simulated=plan.simulated)
            confirm_word(plan, options, word="write")
            held.append(stack.enter_context(locked(site.lock_path)))

        return start(prepared, options, keep_speeds=False, confirm=confirm)


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


def _prepared(
    ask: RawAsk, site: Site, profile: Profile, wanted: BenchOptions, options: argparse.Namespace, held: Sequence[int]
) -> Prepared:
    """The benchmark; `held`: descriptor of the run lock, once it is taken."""
    plan = ask.plan
    if not plan.simulated:
        if names_disks(options):
            raise BadInput("a real target can only be measured on this machine", hint="remove --inventory and --disks")
        return prepare_raw(
            ask, load_inventory(options), site.reader(), profile, wanted,
            runner=lambda: site.runner(held[0]), root_user=os.geteuid() == 0, during_sync=options.during_sync,
        )  # fmt: skip
    profile, notes = ask.profile(profile)
    inventory = site.inventory(plan)
    prepared = prepare_plan(
        plan, inventory, profile, replace(wanted, raw_writes=ask.writes), speed_up=options.speed_up,
        start=begins_after(site.root / plan.run_id, benches_root(simulated=True), plan),
    )  # fmt: skip
    own = (disk for disk in inventory.disks if disk.id in plan.prediction.disks)
    return replace(prepared, findings=(*notes, *on_flash(own), *prepared.findings))
