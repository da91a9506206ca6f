"""A benchmark as it runs on the command line: in a thread, printed line by line, stopped by signals."""

from __future__ import annotations

import argparse
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from raidtui.cli.output import label, narrate, room, show
from raidtui.machine.bench import events as happened
from raidtui.machine.bench.benchmark import Benchmark
from raidtui.machine.bench.events import Event
from raidtui.model.bench import Bench, BenchResult
from raidtui.model.codec import to_json
from raidtui.model.errors import Exit, MachineFailed
from raidtui.planner.amounts import rate
from raidtui.planner.text.bench import duration, figure_line, result_lines
from raidtui.planner.text.bench_result import WIDTH, measured_lines

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
        simulated = result.bench.simulated
        wide = room(simulated, sys.stdout)
        lines = [
            *measured_lines(replace(result, reason="") if failed else result, bands=wide is None or wide >= WIDTH),
            "",
            *result_lines(result, str(folder.absolute())),
        ]
        try:
            show(lines, sys.stdout, simulated=simulated, wrapped=True)
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
            case happened.PhaseStarted():
                number = f" {event.repeat}" if event.repeat else ""
                self._now = f"task {event.task} of {len(self._bench.tasks)}: {event.phase}{number}, "
                self._now += duration(event.seconds)
            case happened.Ticked(tick=tick) if self._live:
                read = rate(sum(gauge.read_bytes_per_s for gauge in tick.disks.values()))
                write = rate(sum(gauge.write_bytes_per_s for gauge in tick.disks.values()))
                sys.stderr.write(f"\r\x1b[K{label(self._bench.simulated)}{self._now}  disks read {read}, write {write}")
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
