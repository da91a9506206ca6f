"""Hosts that the options name, and how they are reached."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from raidtui.machine.fleet.groups import hosts_of
from raidtui.machine.fleet.transport import Transport
from raidtui.machine.system.input_files import HOSTS, is_directory, read_named
from raidtui.model.errors import BadInput
from raidtui.tools.nodeset import MOST_HOSTS, host_name


def named_hosts(options: argparse.Namespace) -> tuple[str, ...]:
    """Hosts of -w, --host and --hosts-file in this order, each once. Raises BadInput if there is none."""
    sets = [*options.nodes, *(_lines(Path(options.hosts_file)) if options.hosts_file is not None else ())]
    hosts = dict.fromkeys((*(host for text in sets for host in hosts_of(text)), *map(host_name, options.host)))
    if not hosts:
        raise BadInput("no hosts", hint="name them: -w 'node[01-60]', --host NAME or --hosts-file FILE")
    if len(hosts) > MOST_HOSTS:
        raise BadInput(f"{len(hosts)} hosts, more than {MOST_HOSTS}", hint="ask a part of them")
    return tuple(hosts)


def names_hosts(options: argparse.Namespace) -> bool:
    """True if an option names hosts."""
    return bool(options.nodes or options.host or options.hosts_file)


def transport_of(options: argparse.Namespace) -> Transport:
    """How --worker, --ssh, --sudo, --fanout and --timeout reach the hosts."""
    simulated = _simulated(options.worker)
    return Transport(
        simulated=simulated,
        ssh=options.ssh,
        sudo=options.sudo,
        fanout=options.fanout or (None if simulated is None else os.cpu_count()),
        timeout_s=options.timeout,
    )


def _simulated(worker: str) -> Path | None:
    if worker == "ssh":
        return None
    kind, _, folder = worker.partition(":")
    if kind != "local" or not is_directory(folder):
        raise BadInput(f"invalid --worker {worker}", hint="ssh, or local:DIR with the inventory of each host")
    return Path(folder)


def _lines(path: Path) -> list[str]:
    try:
        lines = read_named(path, HOSTS).decode("utf-8").splitlines()
    except UnicodeDecodeError as problem:
        raise BadInput(f"{path} is not UTF-8 text", hint=HOSTS.way_out) from problem
    return [line for line in (line.partition("#")[0].strip() for line in lines) if line]
