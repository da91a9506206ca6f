"""Benchmark of the disks of a plan that is not built yet, or of the arrays of a finished run, as block devices."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from raidtui.bench.fio_load import RawWrites, written_regions
from raidtui.bench.plan import RAW, BenchFacts, BenchOptions, bench_plan, writes_of
from raidtui.bench.prepare import Prepared, sync_findings
from raidtui.bench.run import conditions
from raidtui.bench.targets import bench_disks, memory
from raidtui.engine import journal
from raidtui.engine.journal import Journal
from raidtui.engine.process import checked, findings_to_error
from raidtui.engine.runs import plan_in
from raidtui.engine.site import RealSite
from raidtui.machine.gauges.scene import scene_of
from raidtui.machine.system.ports import MachineReader
from raidtui.predict.design import assess_plan
from raidtui.steps.check_step import require
from raidtui.steps.trials import array_readings, check_step, require_no_volume
from raidtui.values.bench import Bench, BenchOrder, Conditions, Job, Profile, Target
from raidtui.values.errors import Refused, Stale
from raidtui.values.findings import Finding, note, refused
from raidtui.values.gauges import Scene
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.location import Location
from raidtui.values.plan import Plan, Reading, journal_mirrors

_DISKS = ("disk", "disks")
ZEROS = "zeros; all that is written read as zero before the first write and before each"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawAsk:
    """What is measured raw."""

    plan: Plan
    built: bool
    """True: the arrays of the plan exist and are measured; False: its disks"""
    writes: bool
    """True: zeros are written too"""

    @property
    def what(self) -> Literal["disks", "arrays"]:
        """What is measured."""
        return "arrays" if self.built else "disks"

    def allows(self, job: Job) -> bool:
        """True if the job runs: disks are written to before a build, arrays after it."""
        if job.target not in RAW or job.target == "volume":
            return False
        if job.target in _DISKS:
            return job.only_reads or (self.writes and not self.built)
        return self.built and (job.only_reads or self.writes)

    def profile(self, profile: Profile) -> tuple[Profile, tuple[Finding, ...]]:
        """The part of `profile` that runs, and a note on the rest. Raises Refused if nothing is left."""
        jobs = tuple(job for job in profile.jobs if self.allows(job))
        rest = ", ".join(job.name for job in profile.jobs if job not in jobs)
        if not jobs:
            raise Refused(
                f"no job of the profile '{profile.name}' measures the {self.what} of this plan as block devices",
                hint="--profile raw, or survey-raw for the arrays of a finished run; --raw write for jobs that write",
            )
        if not rest:
            return profile, ()
        way_out = "disks are written to before a build, arrays after it, with --raw write"
        return replace(profile, jobs=jobs), (note("job-left-out", f"jobs skipped: {rest}", way_out),)


def prepare_raw(
    ask: RawAsk, inventory: Inventory, reader: MachineReader, profile: Profile, options: BenchOptions,
    *, root_user: bool, during_sync: bool = False,
) -> Prepared:  # fmt: skip
    """A raw benchmark on this machine.

    Raises Refused without root, Stale if a disk or an array of the plan is missing.
    """
    if not root_user:
        raise Refused("block devices are measured as root", hint="run it as root")
    plan = ask.plan
    profile, notes = ask.profile(profile)
    there = {disk.id for disk in inventory.disks}
    if missing := [disk.path for disk in plan.disks if disk.id not in there]:
        raise Stale(f"{missing[0]} of the plan is missing", hint="plan again")
    disks, prediction = assess_plan(plan, inventory)
    whole = scene_of(inventory)
    scene = _only(whole, plan)
    targets = raw_targets(ask, reader, scene)
    speed = prediction.throughput
    facts = BenchFacts(
        memory_bytes=memory(),
        free_bytes=0,
        read_bytes_per_s=speed.seq_read.bytes_per_s if speed else 500e6,
        write_bytes_per_s=speed.seq_write.bytes_per_s if speed else 300e6,
    )
    made = bench_plan(profile, targets, facts, replace(options, raw_writes=ask.writes))
    below = bench_disks(targets, scene, disks)
    settings = conditions(scene, (disk.name for disk in below))
    settings["raw writes"] = ZEROS if writes_of(made.tasks) else "none"
    bench = Bench(
        id=secrets.token_hex(16), started=datetime.now(UTC).isoformat("T", "seconds"), host=inventory.name,
        machine_id=inventory.machine_id, simulated=False, profile=profile.name, tasks=made.tasks, disks=below,
        layout=prediction.layout, plan_digest=plan.digest, prediction=prediction,
        conditions=Conditions(settings=settings),
    )  # fmt: skip

    syncs = sync_findings(reader, (target.array for target in targets), during_sync)
    return Prepared(
        bench=bench, findings=(*notes, *on_flash(disks), *made.findings, *syncs), seconds=made.seconds, bytes_used=0,
        order=BenchOrder(during_sync=during_sync, raw=ask.what),
    )  # fmt: skip


def raw_targets(ask: RawAsk, reader: MachineReader, scene: Scene) -> tuple[Target, ...]:
    """The disks of the plan; of a built one also its arrays. Raises Stale if an array is not running."""
    plan = ask.plan
    watched = {disk.id: disk for disk in scene.disks}
    found = []
    for disk in plan.disks:
        place = Location.in_bench(watched[disk.id].slot, watched[disk.id].enclosure) if disk.id in watched else None
        name = place.text if place is not None and place.text else disk.serial or disk.path
        array = watched[disk.id].array if disk.id in watched else ""
        found.append(
            Target(
                kind="disk", name=name, paths=(disk.path,), disks=(disk.id,), size_bytes=disk.size_bytes, array=array
            )
        )
    mirrors = journal_mirrors(plan.arrays)
    beside = {disk for array in plan.arrays for disk in array.disks if array in mirrors or disk not in array.members}
    members = [target for target in found if not beside.intersection(target.disks)]
    if len(members) > 1:
        found.append(Target.at_once(members))
    if not ask.built:
        return tuple(found)
    arrays = []
    for made, geometry in zip(plan.arrays, plan.prediction.arrays, strict=False):
        pin = reader.pin(made.device)
        if pin is None or pin.kind != "array":
            raise Stale(f"{made.device} of the plan is not running", hint=f"mdadm --assemble {made.device}")
        _require_all(array_readings(plan, made), reader)
        arrays.append(
            Target(
                kind="array", name=made.device.rpartition("/")[2], paths=(made.device,), disks=made.members,
                size_bytes=geometry.array_bytes, array=pin.name,
            )
        )  # fmt: skip
    if len(arrays) > 1:
        found.append(Target.at_once(arrays))
    return (*found, *arrays)


def writes_in(folder: Path, bench: Bench, order: BenchOrder, lock: int) -> RawWrites:
    """Writes to the devices of the plan in the folder of a benchmark, after a last look; `lock`: the held run lock.

    Raises Stale or Refused unless the disks are as planned and blank, or the arrays hold nothing."""
    plan, site = plan_in(folder), RealSite()
    if plan.digest != bench.plan_digest:
        raise Stale(f"{folder} holds another plan than that of the benchmark", hint="start a new one")
    runner = site.runner(lock)
    if order.raw == "arrays":
        require_no_volume(plan)
        require_empty(plan, runner)
    elif refused(findings := checked(plan, site, "", during_sync=order.during_sync)):
        raise findings_to_error(findings)
    journal.add(folder)
    return RawWrites(plan, runner, Journal(folder, "build", runner.clock), written_regions(plan, bench.tasks))


def on_flash(disks: Iterable[Disk]) -> tuple[Finding, ...]:
    """A note on flash among the disks."""
    if not any(disk.rotational is False for disk in disks):
        return ()
    text = "Flash that was never written to, or holds zeros, may be faster than flash that holds data."
    return (note("zeros-on-flash", text, "for rates with data, measure files after the build: raidtui bench RUN"),)


def require_empty(plan: Plan, reader: MachineReader) -> None:
    """Raises Stale unless every array of the plan runs, holds nothing and has no user."""
    _require_all(check_step(plan, tuple(array.device for array in plan.data_arrays)).after, reader)


def _require_all(readings: Sequence[Reading], reader: MachineReader) -> None:
    for reading in readings:
        answer = reader.ask(reading.question.argv)
        require(reading, answer.exit, answer.stdout)


def _only(scene: Scene, plan: Plan) -> Scene:
    """The disks of the plan, and the arrays on them."""
    ids = {disk.id for disk in plan.disks}
    disks = tuple(disk for disk in scene.disks if disk.id in ids)
    names = {disk.name for disk in disks}
    return replace(scene, disks=disks, arrays=tuple(array for array in scene.arrays if names & {*array.members}))
