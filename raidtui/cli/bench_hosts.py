"""`raidtui bench --hosts`: one directory on several hosts at once, by fio's client and server mode."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence

from raidtui.cli.bench_start import start
from raidtui.cli.inventory import names_disks
from raidtui.cli.output import narrate, show, wrapped_findings
from raidtui.machine.bench.hosts.agents import agents, require
from raidtui.machine.bench.hosts.load import job_text
from raidtui.machine.bench.hosts.prepare import ROOM, prepare_hosts
from raidtui.machine.bench.prepare import Prepared
from raidtui.model.bench import Profile
from raidtui.model.codec import plain
from raidtui.model.errors import BadInput, Exit
from raidtui.model.units import parse_size
from raidtui.planner.measurement.bench_plan import BenchOptions
from raidtui.planner.text.bench import estimate_lines
from raidtui.tools.fio_hosts import HostAddress, parse_hosts


def bench_hosts(options: argparse.Namespace, profile: Profile, ask: BenchOptions) -> int:
    """Runs the benchmark on fio's agents; --ssh starts them first."""
    if names_disks(options) or options.resume is not None:
        raise BadInput("--hosts cannot be combined with --inventory, --disks or --resume", hint="remove those options")
    if options.target is None:
        raise BadInput("no target", hint="name a directory that exists on every host: raidtui bench /srv --hosts a,b")
    try:
        room = parse_size(options.room) if options.room else ROOM
    except ValueError as problem:
        raise BadInput(f"--room: {problem}", hint="for example --room 8GiB") from problem
    hosts = parse_hosts(options.hosts, ssh=options.ssh)
    with contextlib.ExitStack() as stack:
        if not options.dry_run:
            hosts = stack.enter_context(agents(hosts)) if options.ssh else hosts
            require(hosts)
        prepared = prepare_hosts(hosts, options.target, profile, ask, room_bytes=room, on_notice=narrate)
        if options.dry_run:
            return _shown(prepared, hosts, options)
        return start(prepared, options, keep_speeds=False)


def _shown(prepared: Prepared, hosts: Sequence[HostAddress], options: argparse.Namespace) -> int:
    """Prints the job file of each host, task by task."""
    bench = prepared.bench
    jobs = [
        {"task": task.number, "host": host.name, "job_file": job_text(bench, task, number)}
        for task in bench.tasks
        for number, host in enumerate(hosts, start=1)
    ]
    if options.json:
        print(json.dumps({"bench": plain(bench), "findings": plain(prepared.findings), "jobs": jobs}))
        return Exit.DONE
    lines = estimate_lines(bench, prepared.seconds, prepared.bytes_used)
    for job in jobs:
        lines += ["", f"# task {job['task']} on {job['host']}", *str(job["job_file"]).splitlines()]
    print("\n".join(lines))
    show(wrapped_findings(prepared.findings, sys.stderr, simulated=False), sys.stderr, simulated=False)
    return Exit.DONE
