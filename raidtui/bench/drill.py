"""Runs a drill on an array that a run built. The executor of builds runs every command; the present state of the
array selects the next step, also after an interruption.

RUN/drill-0-1/                    0700; first drill of array 0
    drill.json                    the request
    journal, output/              like those of a build
    result.json                   rewritten after every stage
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from raidtui.bench.trials import (
    Interrupted,
    MeasureMounted,
    MountedTrial,
    exit_of,
    kept_profile,
    measure_in,
    patterns_in,
)
from raidtui.engine import journal
from raidtui.engine.builder import Builder
from raidtui.engine.executor import Stopped
from raidtui.engine.folders import at_work, is_alive
from raidtui.engine.journal import Journal
from raidtui.engine.process import Requests, findings_to_error, requests_to
from raidtui.engine.runs import confirmed_plan
from raidtui.engine.site import Site, lock_in, locked, site_of_run
from raidtui.engine.survey import mount_problem, mounted_below
from raidtui.machine.gauges.kernel_arrays import FilesOf, array_now
from raidtui.machine.system.files import RUN_FILE, read_document, save_document
from raidtui.machine.system.ports import MachineReader, Syncing
from raidtui.predict.design import risk, speed
from raidtui.programs import md, mdadm, mount, sysfs
from raidtui.steps.drill import move_step, next_move
from raidtui.steps.preflight import check_identities
from raidtui.values.amounts import percent, stated_percent
from raidtui.values.arrays import ObservedArray
from raidtui.values.assumptions import defaults_for
from raidtui.values.bench import Pattern, Profile
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, MachineFailed, RaidtuiError, Refused
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan, Step, journal_mirrors
from raidtui.values.safe import safe
from raidtui.values.trials import DrillAsk, DrillCompared, DrillResult, DrillStage, Move, Pass

# Compares the figures of a drill with the model's.


_READS: tuple[Pattern, ...] = ("read", "randread")
BAND = (0.59, 1.22)
"""measured over predicted rebuild rates of a member: the 12 validation reports of tests/validation without unknown
load range from 0.69 to 1.06; the ends are 15 % further out, as with the throughput bands"""


def compare_drill(
    plan: Plan, inventory: Inventory, result: DrillResult, patterns: Mapping[str, Pattern]
) -> tuple[DrillCompared, ...]:
    """Rebuild rate, hours, and read rate during the rebuild; figures that model or drill lack are omitted.

    `patterns`: of each job of the profile, by its name.
    """
    known = {disk.id: disk for disk in inventory.disks}
    if any(disk not in known for disk in plan.prediction.disks):
        return ()
    disks = [known[disk] for disk in plan.prediction.disks]
    assumptions = defaults_for(disks)
    found: list[DrillCompared] = []
    lost = risk(plan.design, disks, plan.prediction, inventory, assumptions)
    done = next((each for each in result.passes if each.stage == "rebuild"), None)
    model = lost.rebuild if lost is not None else None
    if done is not None and model is not None and done.bytes_per_s and model.bytes_per_s:
        note = f"predicted limit: {model.limit}"
        if done.watched_share < 0.9:
            note += f"; measured over {percent(done.watched_share)} of the rebuild, which starts in the outer zone"
        found.append(_row("rebuild rate of a member, idle array", "B/s", done.bytes_per_s, model.bytes_per_s, note))
    if done is not None and model is not None and done.loaded_bytes_per_s and model.bytes_per_s:
        predicted = model.bytes_per_s * assumptions.rebuild_share
        share = stated_percent(assumptions.rebuild_share)
        note = f"the model assumes {share} of the members' time for a rebuild under load"
        found.append(_row("rebuild rate of a member under load", "B/s", done.loaded_bytes_per_s, predicted, note))
    rates = speed(plan.design, disks, plan.prediction, inventory, assumptions)
    reading = rates.rebuilding_seq_read if rates is not None else None
    for each in () if result.simulated else result.workloads:  # simulated ones come from the same model
        rebuilding = "syncing" in each.figure.labels  # a short rebuild may have ended before
        if reading is not None and rebuilding and each.figure.unit == "B/s" and patterns.get(each.job) in _READS:
            found.append(
                DrillCompared(
                    name=f"{each.job} during the rebuild", unit="B/s", measured=each.figure.median,
                    predicted=reading.bytes_per_s, low=reading.low, high=reading.high,
                    ratio=each.figure.median / reading.bytes_per_s,
                    note="the model assumes many streams of whole stripes" + _one_of(plan),
                )
            )  # fmt: skip
    return tuple(found)


def _one_of(plan: Plan) -> str:
    arrays = plan.design.layout.arrays
    return f", one member of each of the {arrays} arrays rebuilding; here one array did" if arrays > 1 else ""


def _row(name: str, unit: str, measured: float, predicted: float, note: str) -> DrillCompared:
    low, high = BAND
    return DrillCompared(
        name=name, unit="B/s" if unit == "B/s" else "h", measured=measured, predicted=predicted, low=predicted * low,
        high=predicted * high, ratio=measured / predicted, note=note,
    )  # fmt: skip


PATIENCE = 60.0
"""seconds within which md must start the pass that follows a command"""
POLL = 0.5
"""seconds between two readings of a pass"""
_WAITS: dict[Move, DrillStage] = {"await-rebuild": "rebuild", "await-replace": "replace", "await-check": "check"}
WITH_DATA = "I know that the array holds data"
"""confirmation for a drill on an array with files"""


def array_seen(plan: Plan, array: int, runner: MachineReader) -> ObservedArray:
    """Present state of the array, its members with the identities of the plan's disks. Raises Refused if it is not
    running."""
    device = plan.arrays[array].device
    pin = runner.pin(device)
    if pin is None or pin.kind != "array":
        raise Refused(f"{device} is not running", hint="see raidtui status and /proc/mdstat")
    answer = runner.ask(mdadm.export(device))
    if not any(line == f"MD_UUID={plan.arrays[array].uuid}" for line in answer.stdout.splitlines()):
        raise Refused(f"{device} is not the array of the plan", hint="raidtui status RUN shows what it built")
    own = plan.arrays[array].disks
    pins = {
        disk.id: runner.pin(disk.member_of(plan.arrays[array]).path)
        for disk in plan.disks
        if disk.id in own or plan.arrays[array].partition is None
    }
    for mirror in journal_mirrors(plan.arrays):
        if mirror.device in own:
            pins[mirror.device] = runner.pin(mirror.device)
    names = {found.name: disk for disk, found in pins.items() if found is not None}
    seen = array_now(FilesOf(runner), pin.name)
    if seen is None:
        raise Refused(f"{device} is not running", hint="see raidtui status and /proc/mdstat")
    members = (replace(each, disk_id=names.get(each.device, "")) for each in seen.members)
    return replace(seen, members=tuple(members), action=seen.action or "idle")


def check_ready(plan: Plan, ask: DrillAsk, site: Site, runner: MachineReader) -> None:
    """Raises Refused with the reason if the drill must not start; writes nothing."""
    array, level = plan.arrays[ask.array], plan.design.layout.level
    if level == "raid0":
        raise Refused("RAID0 survives no failure: a drill would destroy it", hint="drill an array with redundancy")
    if plan.design.trial is not None:
        raise Refused("the array of a trial has no parity to rebuild from", hint="drill the final array")
    if findings := tuple(check_identities(plan, site.inventory(plan))):
        raise findings_to_error(findings)
    seen = array_seen(plan, ask.array, runner)
    hint = f"wait until raidtui arrays {plan.run_id[:8]} shows every member in place and no sync"
    if seen.lacks or any(each.state == "faulty" for each in seen.members):
        raise Refused(f"{array.device} is degraded: failing another member could destroy it", hint=hint)
    if seen.action != "idle":
        raise Refused(f"{array.device} is busy with a {seen.action}", hint=hint)
    if not any(each.state == "spare" for each in seen.members):
        raise Refused(
            f"{array.device} has no spare of its own: it would stay degraded",
            hint="name an array that has one (--array N), or add one: mdadm --manage DEVICE --add-spare DISK",
        )
    if not ask.with_data:
        _check_empty(plan, runner)
    next_move(ask, plan, seen, past=False, checked=False)


def _check_empty(plan: Plan, runner: MachineReader) -> None:
    with_data = f"or pass --with-data '{WITH_DATA}': redundancy is reduced until the rebuild ends"
    if not plan.filesystems:
        raise Refused("the array has no file system, so it cannot be checked that it is empty", hint=with_data)
    for made in plan.filesystems:
        place, seen = made.mount_point, runner.mount_at(made.mount_point)
        if problem := mount_problem(made, runner):
            raise Refused(
                f"{problem}, so its content cannot be checked", hint=f"mount {made.device} there, {with_data}"
            )
        if hidden := mounted_below(place, runner):
            raise Refused(
                f"{safe(hidden[0])} is mounted below {place} and hides what is there", hint=f"unmount it, {with_data}"
            )
        files = runner.ask(mount.user_content_question(place))
        if files.exit != 0 or files.stdout.strip():
            raise Refused(f"{place} contains files; a drill needs an empty array", hint=f"move them, {with_data}")
        if runner.mount_at(place) != seen or mounted_below(place, runner):
            raise Refused(
                f"what is mounted on {place} changed meanwhile", hint=f"find out who mounts there, {with_data}"
            )


def create(run: Path, ask: DrillAsk, machine: MachineReader, profile: Profile | None = None) -> Path:
    """Creates the directory of a drill of `machine` in the directory of the run that built the array.

    `profile`: measured during the rebuild."""
    began = machine.clock().isoformat(timespec="seconds")
    number = 1 + sum(1 for _ in run.glob(f"drill-{ask.array}-*"))
    folder = run / f"drill-{ask.array}-{number}"
    journal.begin(folder, "drill.json", to_json(ask) + "\n", simulated=machine.simulated)
    if profile is not None:
        kept_profile(folder, profile)
    save(folder, DrillResult(ask=ask, simulated=machine.simulated, outcome="running", began=began))
    return folder


def open_drill(run: Path, array: int) -> Path | None:
    """Directory of the array's unfinished drill; None if there is none."""
    for folder in sorted(run.glob(f"drill-{array}-*"), key=lambda each: int(each.name.rpartition("-")[2])):
        if (folder / "result.json").exists() and load(folder).outcome != "finished" and anything_done(folder):
            return folder
    return None


def anything_done(folder: Path) -> bool:
    """True if a command of the drill was started."""
    return any(record.kind == "intent" for record in journal.records(folder))


def load(folder: Path) -> DrillResult:
    """Result of a drill; `interrupted` if its process is gone."""
    alive = is_alive(folder)
    result = read_document(DrillResult, folder / "result.json", RUN_FILE)
    if result.outcome == "running" and not alive:
        again = f"raidtui drill {result.ask.run_id[:8]} --array {result.ask.array}"
        return replace(result, outcome="interrupted", reason=f"its process is gone; {again} continues it")
    return result


def save(folder: Path, result: DrillResult) -> None:
    """Writes the present result to the disk, atomically. Raises MachineFailed."""
    save_document(folder / "result.json", result, way_out="make it writable for root")


def ask_for(plan: Plan, array: int, **more: object) -> DrillAsk:
    """Request for a drill of array `array`. Raises BadInput if the plan has no such array, Refused without md."""
    if plan.design.layout.plain:
        raise Refused("disks without md survive no failure", hint="drill an array with redundancy")
    legs = plan.design.layout.arrays
    if not 0 <= array < legs:
        raise BadInput(f"the plan has arrays 0 to {legs - 1}, not {array}", hint="--array N")
    made = plan.arrays[array]
    return DrillAsk(
        run_id=plan.run_id,
        plan_digest=plan.digest,
        array=array,
        device=made.device,
        failed=made.members[0],
        role=0,
        **more,  # type: ignore[arg-type]
    )


class Drill:
    """Executor of one drill; the caller holds the run lock."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        site: Site,
        lock: int,
        request: Requests,
        *,
        clock: Callable[[], float],
        measure: MeasureMounted | None = None,
    ) -> None:
        self._folder = folder
        self._plan = plan
        self._site = site
        self._runner = site.runner(lock)
        self._request = request
        self._clock = clock
        self._measure = measure
        self._ask = read_document(DrillAsk, folder / "drill.json", RUN_FILE)
        self._journal = Journal(folder, "drill", self._runner.clock)
        self.result = replace(load(folder), outcome="running", reason="")

    def run(self) -> DrillResult:
        """Runs or continues the drill from the array's present state. Returns the result; raises any failure."""
        executor = Builder(self._plan, self._runner, self._journal, self._request)
        try:
            self._begin(executor)
            name = array_seen(self._plan, self._ask.array, self._runner).name
            with self._runner.hold([f"/dev/{name}"], exclusive=False):  # nobody gives its name to another array
                if array_seen(self._plan, self._ask.array, self._runner).name != name:
                    raise Refused("the array was renamed while the drill began", hint="start it again")
                executor.build(self._steps())
            self._keep(outcome="finished", ended=self._now())
        except Stopped:
            self._keep(outcome="stopped", reason=self._continued_by("asked to stop"), ended=self._now())
        except RaidtuiError as problem:
            self._keep(outcome="failed", reason=self._continued_by(problem.with_hint), ended=self._now())
            raise
        finally:
            self._journal.close()
        return self.result

    def _now(self) -> str:
        return self._runner.clock().isoformat(timespec="seconds")

    def _begin(self, executor: Builder) -> None:
        """Raises Refused if the drill must not start or continue."""
        if self._ask.plan_digest != self._plan.digest:
            raise Refused("the drill belongs to another plan", hint="start a new drill")
        executor.name_arrays()
        if not any(record.kind == "intent" for record in self._journal.records):
            check_ready(self._plan, self._ask, self._site, self._runner)

    def _continued_by(self, why: str) -> str:
        if not any(record.kind == "intent" for record in self._journal.records):
            return why
        return f"{why}; raidtui drill {self._plan.run_id[:8]} --array {self._ask.array} continues it"

    def _steps(self) -> Iterator[Step]:
        """Steps of the drill, each selected by the array's present state; waits for the passes between them."""
        number = max((record.step for record in self._journal.records), default=0)
        while True:
            seen = array_seen(self._plan, self._ask.array, self._runner)
            past = any(record.stage == "exchange" for record in self._journal.records)
            checked = self.result.mismatches is not None
            move, spare = next_move(self._ask, self._plan, seen, past=past, checked=checked)
            self._note_spare(spare)
            if move in _WAITS:
                self._await(move, began=self._clock(), whole=False)
                continue
            number += 1
            step = move_step(move, number, self._ask, self._plan, seen, spare)
            assert step is not None
            yield step
            if move == "verify":
                self._keep(restored=self._ask.restore)
                return
            following: dict[Move, Move] = {"fail": "await-rebuild", "replace": "await-replace", "check": "await-check"}
            if move in following:
                self._await(following[move], began=self._clock(), whole=True)

    def _await(self, move: Move, *, began: float, whole: bool) -> None:
        """Waits for the end of a pass and measures it. Raises Stopped, MachineFailed."""
        stage = _WAITS[move]
        self._note("waiting", f"waits for the {_WORDS[stage]}")
        watched = _Watched(self._clock)
        noted = self._now()
        started: float | None = None
        while True:
            if self._request().stop:
                raise Stopped
            seen = array_seen(self._plan, self._ask.array, self._runner)
            sync = next((each for each in self._runner.syncing() if each.device == seen.name), None)
            over, spare = self._over(move, seen)
            self._note_spare(spare)
            if over and sync is None:
                break
            if sync is not None:
                started = self._clock() if started is None else started
                watched.look(sync)
                if stage == "rebuild" and self._measure is not None and not self.result.workloads and spare:
                    self._under_load(watched)
            elif started is None and self._clock() - began > PATIENCE and not over:
                raise MachineFailed(
                    f"md did not start the {_WORDS[stage]} within {PATIENCE:.0f} s",
                    hint="see mdadm --detail and the kernel's log",
                )
            self._runner.wait(POLL)
        ended = self._clock()
        start = ended if started is None else started
        size = self._plan.prediction.arrays[self._ask.array].component_bytes or 0
        made = Pass(
            stage=stage, began=noted, started_after_seconds=start - began, seconds=ended - start, component_bytes=size,
            bytes_per_s=watched.rate, loaded_bytes_per_s=watched.loaded, watched_share=watched.share, whole=whole,
        )  # fmt: skip
        self._keep(passes=(*self.result.passes, made))
        self._note("progress", f"the {_WORDS[stage]} ended after {made.seconds:.0f} s")
        if stage == "rebuild":
            inventory = self._site.inventory(self._plan)
            self._keep(compared=compare_drill(self._plan, inventory, self.result, patterns_in(self._folder)))
        if stage == "check":
            text = self._runner.read_text(md.value_path(seen.name, "mismatch_cnt"))
            self._keep(mismatches=sysfs.count(text))

    def _over(self, move: Move, seen: ObservedArray) -> tuple[bool, str]:
        if move == "await-check":
            return seen.action != "check", ""
        now, spare = next_move(self._ask, self._plan, seen, past=move == "await-replace", checked=False)
        return now != move, spare

    def _under_load(self, watched: _Watched) -> None:
        """Measures the user's workloads during the rebuild; its rate under load is kept apart."""
        assert self._measure is not None
        mounted = MountedTrial(plan=self._plan, folder=self._folder / "bench")
        with watched.under_load(self._runner):
            try:
                self._keep(workloads=self._measure(mounted))
            except Interrupted as asked:
                raise Stopped from asked
        self._note("progress", f"measured {len(self.result.workloads)} workloads during the rebuild")

    def _note_spare(self, spare: str) -> None:
        if spare and not self.result.spare:
            serials = {disk.id: disk.serial or "" for disk in self._plan.disks}
            self._keep(spare=spare, spare_serial=serials[spare], failed_serial=serials[self._ask.failed])

    def _note(self, kind: Literal["waiting", "progress"], text: str) -> None:
        step = max((record.step for record in self._journal.records), default=0)
        self._journal.write(kind, step=step, text=text)

    def _keep(self, **changes: object) -> None:
        self.result = replace(self.result, **changes)  # type: ignore[arg-type]
        save(self._folder, self.result)


def execute(folder: Path, digest: str, *, speed_up: float) -> int:
    """The executor of the drill in `folder`, on the run whose plan was confirmed by its digest. Returns the exit code.

    SIGTERM and SIGINT stop it before the next command. SIGHUP is ignored."""
    request = requests_to(folder)
    run = folder.parent
    plan = confirmed_plan(run, digest)
    seconds, with_load = load(folder).ask.seconds, (folder / "profile.json").exists()
    measure = measure_in(folder, request, seconds=seconds, repeats=1, during_sync=True) if with_load else None
    with locked(lock_in(run.parent, plan)) as lock, at_work(folder):
        site = site_of_run(run, plan, speed_up=speed_up)
        machine = site.reader()
        clock = (lambda: machine.clock().timestamp()) if machine.simulated else time.monotonic
        return exit_of(Drill(folder, plan, site, lock, request, clock=clock, measure=measure).run().outcome)


_WORDS: dict[DrillStage, str] = {"rebuild": "rebuild", "replace": "copy back", "check": "check"}


class _Watched:
    """Rates of a pass: bytes of each member over the time between two readings."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last: tuple[float, int] | None = None
        self._device = ""
        self._all = 0
        self._seconds = {False: 0.0, True: 0.0}
        self._sectors = {False: 0, True: 0}

    def look(self, sync: Syncing, *, loaded: bool = False) -> None:
        """Adds a reading; a pass that md restarted counts from there."""
        now = self._clock()
        if self._last is not None and sync.done_sectors > self._last[1]:
            self._seconds[loaded] += now - self._last[0]
            self._sectors[loaded] += sync.done_sectors - self._last[1]
        if self._last is None or sync.done_sectors != self._last[1] or loaded:
            self._last = (now, sync.done_sectors)
        self._device, self._all = sync.device, sync.all_sectors

    @contextlib.contextmanager
    def under_load(self, runner: MachineReader) -> Iterator[None]:
        """Readings inside of it count as under load; takes one at its start and its end."""
        self.look_now(runner, loaded=False)
        try:
            yield
        finally:
            self.look_now(runner, loaded=True)

    def look_now(self, runner: MachineReader, *, loaded: bool) -> None:
        """Adds a reading if the pass is still running."""
        for sync in runner.syncing():
            if sync.device == self._device:
                self.look(sync, loaded=loaded)

    @property
    def rate(self) -> float | None:
        """Bytes per second of each member without load."""
        return _rate(self._sectors[False], self._seconds[False])

    @property
    def loaded(self) -> float | None:
        """The same under load."""
        return _rate(self._sectors[True], self._seconds[True])

    @property
    def share(self) -> float:
        """Share of the pass that was watched, 0 to 1."""
        return min(1.0, sum(self._sectors.values()) / self._all) if self._all else 0.0


def _rate(sectors: int, seconds: float) -> float | None:
    return sectors * 512 / seconds if seconds > 0 and sectors > 0 else None
