"""`raidtui fleet watch`: what the disks of many hosts do, as a screen, a table or JSON lines."""

from __future__ import annotations

import argparse
import gc
import sys
import time

from raidtui.cli.fleet.hosts import named_hosts, transport_of
from raidtui.machine.fleet.gauges import FleetTicks
from raidtui.model.errors import Exit
from raidtui.planner.fleet.gauge_lines import fleet_line, fleet_table
from raidtui.planner.fleet.slow_hosts import SlowHosts

INTERVAL_S = 5.0
"""seconds between two polls: each starts a program on every host"""


def watch(options: argparse.Namespace) -> int:
    """Polls the hosts until `--count` is reached or Ctrl-C is pressed; MACHINE where one did not answer last."""
    hosts = named_hosts(options)
    ticks = FleetTicks(hosts, transport_of(options), options.carry)
    interval = INTERVAL_S if options.interval is None else options.interval
    screen = sys.stdout.isatty() and sys.stdin.isatty() and options.count is None
    if options.json or options.plain or not screen:
        return _print_all(ticks, options, interval)
    from raidtui.tui.start_watch import run_fleet_watch  # text output starts faster without Textual

    return run_fleet_watch(ticks, interval=interval, glyphs=options.glyphs, mouse=not options.no_mouse)


def _print_all(ticks: FleetTicks, options: argparse.Namespace, interval: float) -> int:
    """Prints every tick as it comes; the first one, which has no rates yet, is not one."""
    slow = SlowHosts()
    gc.freeze()  # what is loaded stays; no collection need look at it
    due = time.monotonic()
    tick = ticks.take()
    shown = 0
    while options.count is None or shown < options.count:
        due = max(due + interval, time.monotonic())
        time.sleep(max(due - time.monotonic(), 0.0))
        tick = ticks.take()
        slow.add(tick)
        if options.json:
            print(fleet_line(tick, slow, simulated=ticks.simulated), flush=True)
        else:
            print("\n".join([*fleet_table(tick, slow, simulated=ticks.simulated), ""]), flush=True)
        shown += 1
    return Exit.MACHINE if any(host.problem is not None for host in tick.hosts.values()) else Exit.DONE
