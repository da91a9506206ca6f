"""Prepares a benchmark of one directory on several hosts."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from raidtui.machine.bench.benchmark import Benchmark
from raidtui.machine.bench.hosts.load import HOSTS_MEMORY, HostsLoad
from raidtui.machine.bench.prepare import Prepared, gauges_path
from raidtui.machine.gauges.recording import Recorder
from raidtui.model.bench import Bench, Job, Profile, Target
from raidtui.model.conditions import Conditions
from raidtui.model.errors import BadInput
from raidtui.model.finding import Finding
from raidtui.model.gauges import Scene, Tick
from raidtui.model.units import GIB, MIB, round_down
from raidtui.planner.measurement.bench_plan import BenchFacts, BenchOptions, bench_plan
from raidtui.tools.fio_hosts import HostAddress

ROOM = 8 * GIB
"""default limit of bytes used on each host"""


class NoGauges:
    """Ticks without disks: the gauges of other hosts are not read."""

    def __init__(self, host: str) -> None:
        self.scene = Scene(host=host, disks=())

    def take(self) -> Tick | None:
        """See Ticks."""
        return Tick(time=datetime.now(UTC).timestamp(), seconds=1.0, disks={})


def _stream(job: Job, room_bytes: int) -> int:
    """Bytes of each stream such that all fit `room_bytes`."""
    unit = max(MIB, job.block_bytes)
    return max(round_down(room_bytes // job.streams, unit), unit)


def prepare_hosts(
    hosts: Sequence[HostAddress],
    directory: str,
    profile: Profile,
    ask: BenchOptions,
    *,
    room_bytes: int = ROOM,
    on_notice: Callable[[str], None] = lambda _: None,
) -> Prepared:
    """A benchmark of `directory`, which every host has, on all hosts at the same time.

    Only fio jobs on files are run: an fio server has neither device nor small-files jobs. Nothing is predicted: the
    hosts' disks are not inspected.
    """
    if not directory.startswith("/") or not directory.isprintable():
        raise BadInput(f"{directory!r} is not an absolute path", hint="name a directory that every host has")
    names = ", ".join(host.name for host in hosts)
    target = Target(
        kind="files", name=f"{directory} on {names}", paths=(directory,), disks=(), size_bytes=room_bytes
    )  # fmt: skip
    jobs = tuple(job for job in profile.jobs if job.target == "files" and job.pattern != "small-files")
    sized = tuple(replace(job, stream_bytes=job.stream_bytes or _stream(job, room_bytes)) for job in jobs)
    facts = BenchFacts(memory_bytes=HOSTS_MEMORY, free_bytes=room_bytes + GIB, root=False)
    plan = bench_plan(replace(profile, jobs=sized), (target,), facts, ask)
    left_out = [job.name for job in profile.jobs if job not in jobs]
    findings = [finding for finding in plan.findings if finding.code != "not-root"]
    if left_out:
        findings.append(
            Finding(
                severity="note", code="job-left-out", message=f"left out on several hosts: {', '.join(left_out)}",
                way_out="run raidtui bench on the host itself for them",
            )
        )  # fmt: skip
    bench = Bench(
        id=secrets.token_hex(16),
        started=datetime.now(UTC).isoformat("T", "seconds"),
        host=names,
        simulated=False,
        profile=profile.name,
        tasks=plan.tasks,
        disks=(),
        conditions=Conditions(hosts=names, settings={"gauges": "none: the disks of other hosts are not watched"}),
    )

    def begin(folder: Path) -> Benchmark:
        ticks = NoGauges(names)
        recorder = Recorder(gauges_path(folder), ticks.scene)
        return Benchmark(bench, folder, ticks, HostsLoad(bench, hosts, on_notice=on_notice), recorder=recorder)

    return Prepared(
        bench=bench, findings=tuple(findings), seconds=plan.seconds, bytes_used=plan.bytes_used, begin=begin
    )  # fmt: skip
