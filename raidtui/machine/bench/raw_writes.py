"""Writes of a benchmark to blank disks or empty arrays of a plan, by the executor of builds.

The executor pins and identifies every disk, reads that each is blank and that nobody uses it, before each command,
journals the command, and reads after it that everything still is blank. fio writes zeros only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from raidtui.machine.ports.load import Measured
from raidtui.machine.ports.runner import Runner
from raidtui.machine.run.executor import Executor
from raidtui.machine.run.journal import Journal
from raidtui.machine.run.requests import ControlRequest
from raidtui.model.bench import Task
from raidtui.model.errors import MachineFailed, RaidtuiError
from raidtui.model.plan import Plan, Reading
from raidtui.planner.compile.raw_steps import check_step, write_steps
from raidtui.tools.fio import FioWorkload

Read = Callable[[str], Measured]
"""measurement in what fio printed; `began` is ignored"""


class RawWrites:
    """Writes zeros to devices of `plan`; the caller holds the run lock."""

    def __init__(self, plan: Plan, runner: Runner, journal: Journal) -> None:
        self._plan = plan
        self._journal = journal
        self._stop = False
        self._executor = Executor(plan, runner, journal, self._request)
        self._proven = 0

    def _request(self) -> ControlRequest:
        return ControlRequest(stop=self._stop)

    def start(self, task: Task, workload: FioWorkload, raw: Path, read: Read) -> Writing:
        """Starts fio on the target of `task`; its output goes to the file `raw`."""
        self._stop = False
        verb = "Read" if task.job.only_reads else "Write zeros"
        title = f"{verb}: {task.job.title}, {task.target.name}"
        steps = write_steps(self._plan, workload.argv(), task.target.paths, title)
        seconds = task.job.warm_up_seconds + task.job.seconds

        def work() -> Measured:
            self._executor.build(steps)
            result = next(each for each in reversed(self._journal.records) if each.kind == "result")
            intent = next(each for each in reversed(self._journal.records) if each.kind == "intent")
            printed = (self._journal.folder / result.output).read_text(errors="replace")
            raw.write_text(printed)
            found = read(printed)
            began = datetime.fromisoformat(intent.time).timestamp() + task.job.warm_up_seconds
            return replace(found, began=began, ended=began + found.ended)

        return Writing(work, self.stop, seconds)

    def stop(self) -> None:
        """Lets the running command end and starts no other."""
        self._stop = True

    def prove_blank(self, more: Sequence[Reading] = ()) -> None:
        """Reads that everything is blank that a command was started on since the last proof. Raises MachineFailed.

        `more`: what must hold too, if a command was started.
        """
        intents = [record for record in self._journal.records[self._proven :] if record.kind == "intent"]
        written = dict.fromkeys(path for record in intents for path in record.devices or ())
        if not written:
            return
        self._stop = False
        try:
            step = check_step(self._plan, tuple(written))
            self._executor.build((replace(step, after=(*step.after, *more)),))
        except RaidtuiError as problem:
            raise MachineFailed(f"after the benchmark: {problem}", hint=problem.hint) from problem
        self._proven = len(self._journal.records)


class Writing:
    """See Running. A command that was started runs to its end."""

    phase = "repeat"

    def __init__(self, work: Callable[[], Measured], stop: Callable[[], None], seconds: float) -> None:
        self.seconds = seconds
        self._stop = stop
        self._work = work
        self._found: Measured | None = None
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="writes", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._work()
        except BaseException as problem:
            self._problem = problem

    def ended(self) -> bool:
        """See Running."""
        return not self._thread.is_alive()

    def kill(self) -> None:
        """See Running: waits until the running command has ended."""
        self._stop()
        self._thread.join()

    def outcome(self) -> Measured:
        """See Running."""
        self._thread.join()
        if self._found is None:
            raise self._problem or MachineFailed("fio gave no result")
        return self._found
