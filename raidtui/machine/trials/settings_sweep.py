"""Sweeps md's settings on an array that a run built, on its mounted file system, one setting after the other.

RUN/settings-1/                   0700
    settings.json                 the request
    journal, output/              of keeping the best values, like those of a build
    result.json                   with all previous values, written before the first change

All changes are in sysfs and are lost at a boot. The previous values are always restored at the end; if the process
was killed, the next sweep restores them first.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from raidtui.machine.ports.runner import MachineReader, Runner
from raidtui.machine.run import journal as journals
from raidtui.machine.run.executor import Executor
from raidtui.machine.run.executor_process import KEPT, kept_in
from raidtui.machine.run.journal import Journal
from raidtui.machine.run.requests import ControlRequest
from raidtui.machine.run.run_folders import is_alive
from raidtui.machine.system.durable_files import write_durably
from raidtui.machine.system.input_files import RUN_FILE, read_own
from raidtui.machine.trials.tuning import Interrupted, Measure, Mounted, OnProgress
from raidtui.model.codec import from_json, to_json
from raidtui.model.codec_rules import Value
from raidtui.model.errors import MachineFailed, RaidtuiError, Refused
from raidtui.model.plan import Plan
from raidtui.model.tune import Advice, Setting, SettingsResult, SettingTried, TuneProgress
from raidtui.planner.compile.boot_steps import mounted_reading
from raidtui.planner.compile.postcondition import holds
from raidtui.planner.compile.step_builder import array_is_ours
from raidtui.planner.compile.tuning_rule import keep_step, kept_rule
from raidtui.planner.measurement.settings_values import available_settings, candidate_values
from raidtui.planner.measurement.tune_advice import advise
from raidtui.tools import md_sysfs

_FREE_UNKNOWN = 64 * 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsAsk(Value):
    """Request for a sweep."""

    run_id: str
    """the run that built the arrays"""
    settings: tuple[Setting, ...]
    """in the order of the sweep"""
    keep: bool
    """keep the best values across boots"""
    seconds: float | None = None
    """of each measurement"""
    repeats: int | None = None
    """of each measurement"""


def create(run: Path, ask: SettingsAsk, plan: Plan, profile: str) -> Path:
    """Creates the directory of a sweep in the directory of the run."""
    number = 1 + sum(1 for _ in run.glob("settings-*"))
    folder = run / f"settings-{number}"
    journals.begin(folder, "settings.json", to_json(ask) + "\n")
    save(folder, SettingsResult(
        run_id=plan.run_id, plan_digest=plan.digest, simulated=plan.simulated, profile=profile, outcome="running",
    ))  # fmt: skip
    return folder


def load(folder: Path) -> SettingsResult:
    """Present result of a sweep."""
    alive = is_alive(folder)
    path = folder / "result.json"
    result = from_json(SettingsResult, read_own(path, RUN_FILE), source=str(path))
    if result.outcome == "running" and not alive:
        return replace(
            result, outcome="failed",
            reason="its process is gone; the next sweep or a boot restores the previous values",
        )  # fmt: skip
    return result


def left_behind(run: Path, boot: str = "") -> tuple[str, ...]:
    """One line per setting that a killed sweep of the run left changed, with the command that restores it.

    `boot`: present boot id; changes of another boot are gone. Empty: not compared.
    """
    found = []
    for folder in sorted(run.glob("settings-*")):
        if not (folder / "result.json").exists() or is_alive(folder):
            continue
        try:
            result = load(folder)
        except RaidtuiError as problem:
            found.append(f"settings may be left over: {problem}")
            continue
        if not (result.put_back or result.kept) and (not boot or result.boot == boot):
            found += [
                f"{folder.name} was ended before {path} was restored; until the next boot or sweep: "
                f"echo {value} > {path}"
                for path, value in result.before.items()
            ]
    return tuple(found)


def save(folder: Path, result: SettingsResult) -> None:
    """Writes the present result to the disk, atomically. Raises MachineFailed."""
    try:
        write_durably(folder / "result.json", to_json(result) + "\n", mode=0o600)
    except OSError as problem:
        raise MachineFailed(f"{folder}: {problem.strerror}", hint="make it writable for root") from problem


def paths_of(setting: Setting, plan: Plan, runner: MachineReader) -> tuple[str, ...]:
    """Files in sysfs of a setting. Raises Refused if an array is not running."""
    if setting == "read_ahead_kb":
        return (md_sysfs.read_ahead_path(_kernel_name(plan.filesystems[0].device, runner)),)
    legs = plan.arrays[: plan.design.layout.arrays]
    return tuple(md_sysfs.value_path(_kernel_name(leg.device, runner), setting) for leg in legs)


def _kernel_name(device: str, runner: MachineReader) -> str:
    pin = runner.pin(device)
    if pin is None:
        raise Refused(f"{device} is not running", hint="see /proc/mdstat")
    if pin.kind != "volume":
        return pin.name
    return f"dm-{pin.number.partition(':')[2]}"


def check_ready(plan: Plan, runner: MachineReader) -> None:
    """Raises Refused if no sweep is possible; writes nothing."""
    if not plan.filesystems:
        raise Refused("the plan makes no file system to measure on", hint="make one and use raidtui bench")
    for made in plan.filesystems:
        mounted = mounted_reading(made)
        answer = runner.ask(mounted.question.argv)
        if not holds(mounted, answer.exit, answer.stdout):
            raise Refused(f"{made.mount_point} is not mounted", hint=f"mount {made.mount_point}")
    names = {pin.name for array in plan.arrays if (pin := runner.pin(array.device)) is not None}
    if busy := [sync.device for sync in runner.syncing() if sync.device in names]:
        raise Refused(
            f"{', '.join(busy)} is resyncing; measurements would not be comparable",
            hint="wait for the end of the resync",
        )


class Sweep:
    """One sweep; the caller holds the run lock."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        runner: Runner,
        measure: Measure,
        on_progress: OnProgress,
        request: Callable[[], ControlRequest],
    ) -> None:
        self._folder = folder
        self._plan = plan
        self._runner = runner
        self._measure = measure
        self._on_progress = on_progress
        self._request = request
        path = folder / "settings.json"
        self._ask = from_json(SettingsAsk, read_own(path, RUN_FILE), source=str(path))
        self.result = replace(load(folder), outcome="running", reason="")

    def run(self) -> SettingsResult:
        """Runs the sweep. Always restores the previous values, unless the best values are kept."""
        try:
            self._put_back_earlier()
            check_ready(self._plan, self._runner)
            ended = {"outcome": "finished"}
            try:
                self._sweep()
            except Interrupted:
                ended = {"outcome": "stopped", "reason": "asked to stop"}
            finally:
                self._put_back()
            if self._ask.keep and ended["outcome"] == "finished" and self.result.best:
                self._keep_best()
            self._keep(**ended)
        except RaidtuiError as problem:
            reason = f"{problem}; {problem.hint}" if problem.hint else str(problem)
            self._keep(outcome="failed", reason=reason)
            raise
        self._keep(warnings=self._warnings())
        return self.result

    def _sweep(self) -> None:
        settings = available_settings(self._plan, self._ask.settings)
        paths = {setting: paths_of(setting, self._plan, self._runner) for setting in settings}
        before = {path: self._value(path) for each in paths.values() for path in each}
        self._keep(before=before, boot=self._boot())
        for setting in settings:
            present = before[paths[setting][0]]
            self._try(setting, paths[setting], present)

    def _try(self, setting: Setting, paths: tuple[str, ...], present: int) -> None:
        """Measures every value of one setting; the best is used for the following settings."""
        values = candidate_values(
            setting, self._plan, present=present, free_bytes=self._free(), processors=os.cpu_count() or 1
        )
        for value in values:
            if self._request().stop:
                raise Interrupted
            self._report(f"{setting}={value}")
            for path in paths:
                self._set(path, value)
            made = self._plan.filesystems[0]
            kept = self._folder / f"bench-{setting}-{value}"
            mounted = Mounted(plan=self._plan, mount_point=made.mount_point, device=made.device, folder=kept)
            tried = SettingTried(setting=setting, value=value, workloads=self._measure(mounted))
            self._keep(tried=(*self.result.tried, tried))
        found = {str(each.value): each.workloads for each in self.result.tried if each.setting == setting}
        overall = next((each for each in advise(found, usual=str(present), what="value") if not each.job), None)
        chosen = present
        if overall is not None and overall.best and str(present) not in (overall.best, *overall.ties):
            chosen = int(overall.best)
            self._keep(best={**self.result.best, setting: chosen})
        if overall is not None:
            advised = Advice(job=setting, best=overall.best, ties=overall.ties, reason=overall.reason)
            self._keep(advice=(*self.result.advice, advised))
        for path in paths:
            self._set(path, chosen)

    def _keep_best(self) -> None:
        """Writes a udev rule with the best values, through the executor of builds; the run's undo removes it."""
        best = {name: value for name, value in self.result.best.items() if name != "read_ahead_kb" or self._on_md()}
        if not best:
            return
        run = self._folder.parent
        kept, before = kept_rule(self._plan, best), kept_in(run)
        settings = available_settings(self._plan, tuple(best))
        values = {path: best[setting] for setting in settings for path in paths_of(setting, self._plan, self._runner)}
        journal = Journal(self._folder, "build", self._runner.clock)
        try:
            write_durably(run / KEPT, to_json(kept) + "\n", mode=0o600)
            step = keep_step(self._plan, kept, before, values)
            Executor(self._plan, self._runner, journal, self._request).build([step])
        finally:
            journal.close()
        self._keep(kept=True, put_back=False)

    def _on_md(self) -> bool:
        return self._plan.filesystems[0].device in {array.device for array in self._plan.arrays}

    def _put_back(self) -> None:
        before = self._own(self.result.before)
        _put_back(self._runner, before)
        self._keep(put_back=all(self._value(path) == value for path, value in before.items()))

    def _put_back_earlier(self) -> None:
        """Restores the changes of a killed sweep, unless the machine was booted since."""
        for folder in self._folder.parent.glob("settings-*"):
            if folder == self._folder or not (folder / "result.json").exists():
                continue
            earlier = from_json(SettingsResult, read_own(folder / "result.json", RUN_FILE), source=str(folder))
            if earlier.before and not (earlier.put_back or earlier.kept or is_alive(folder)):
                if earlier.boot == self._boot():
                    self._report(f"restores the previous values that {folder.name} changed")
                    _put_back(self._runner, self._own(earlier.before))
                save(folder, replace(earlier, outcome="failed", reason="its process is gone", put_back=True))

    def _boot(self) -> str:
        return (self._runner.read_text(journals.BOOT_ID) or "").strip()

    def _own(self, before: Mapping[str, int]) -> dict[str, int]:
        """The values of arrays that still belong to the plan: a kernel name may have been reused."""
        ours = set()
        for array in self._plan.arrays:
            mine = array_is_ours(array)
            answer = self._runner.ask(mine.question.argv)
            if holds(mine, answer.exit, answer.stdout):
                ours.add(_kernel_name(array.device, self._runner))
        with contextlib.suppress(Refused):
            ours.add(_kernel_name(self._plan.filesystems[0].device, self._runner))
        return {path: value for path, value in before.items() if path.split("/")[3] in ours}

    def _set(self, path: str, value: int) -> None:
        self._runner.set_value(path, value)
        if self._value(path) != value:
            raise MachineFailed(
                f"{path} reads {self._value(path)} after {value} was written", hint="the kernel limits it"
            )

    def _value(self, path: str) -> int:
        found = md_sysfs.number(self._runner.read_text(path))
        if found is None:
            raise MachineFailed(f"{path} cannot be read", hint="this kernel has no such setting")
        return found

    def _free(self) -> int:
        """Bytes of available memory (/proc/meminfo, MemAvailable)."""
        for line in (self._runner.read_text("/proc/meminfo") or "").splitlines():
            words = line.split()
            if words[:1] == ["MemAvailable:"] and words[1].isdecimal():
                return int(words[1]) * 1024
        return _FREE_UNKNOWN

    def _warnings(self) -> tuple[str, ...]:
        found = []
        if self.result.simulated:
            found.append("SIMULATED: every figure comes from the model, which ignores these settings")
        labels = {label for tried in self.result.tried for each in tried.workloads for label in each.figure.labels}
        if "short" in labels:
            found.append("measured for less than 30 s each: a large stripe cache absorbs much of such a short write")
        if "read_ahead_kb" in self.result.best and not self._on_md():
            found.append(
                "the udev rule does not set the read-ahead of a logical volume, LVM does: "
                f"lvchange --readahead {2 * self.result.best['read_ahead_kb']} {self._plan.filesystems[0].device}"
            )
        return tuple(found)

    def _report(self, text: str) -> None:
        now = self._runner.clock().isoformat(timespec="seconds")
        self._on_progress(TuneProgress(time=now, variant=0, phase="set", text=text, run_id=self._plan.run_id))

    def _keep(self, **changes: object) -> None:
        self.result = replace(self.result, **changes)  # type: ignore[arg-type]
        save(self._folder, self.result)


def _put_back(runner: Runner, before: Mapping[str, int]) -> None:
    """Restores every value whose file still exists, all of them even if one fails. Raises MachineFailed."""
    problems = []
    for path, value in before.items():
        if runner.read_text(path) is None:
            continue
        try:
            runner.set_value(path, value)
        except MachineFailed as problem:
            problems.append(str(problem))
    if problems:
        raise MachineFailed(f"not restored: {'; '.join(problems)}", hint="a boot resets them")
