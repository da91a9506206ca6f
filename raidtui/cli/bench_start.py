"""Start of a benchmark: shows the estimate, asks for confirmation, runs it, stores the disk speeds that it measured."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from raidtui.cli.bench_progress import run
from raidtui.cli.confirm import ask_to_start
from raidtui.cli.inventory import load_inventory
from raidtui.cli.output import narrate, show, wrapped_findings
from raidtui.machine.bench import store
from raidtui.machine.bench.fio_load import filling, measuring, require_fio, small_files_argv
from raidtui.machine.bench.prepare import Prepared
from raidtui.machine.bench.save_speeds import keep_measured
from raidtui.machine.bench.scratch_dir import PREFIX
from raidtui.machine.system.state_paths import benches_root, speeds_path
from raidtui.model.bench import Bench
from raidtui.model.codec import to_json
from raidtui.model.errors import Exit, RaidtuiError, Refused
from raidtui.model.finding import refused
from raidtui.model.previews import BenchPreview, StartedCommand
from raidtui.planner.measurement.bench_plan import file_layout, needs_fill
from raidtui.planner.text.bench import command_line, estimate_lines


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
