"""A tick of many hosts as one line of JSON, and as a table."""

from __future__ import annotations

import json
from collections.abc import Sequence

from raidtui.model.codec import to_json
from raidtui.model.counted import counted
from raidtui.model.fleet.gauges import FleetTick, WatchedHost
from raidtui.model.safe import safe
from raidtui.planner.amounts import percent
from raidtui.planner.fleet.host_rows import HostRow, host_rows
from raidtui.planner.fleet.slow_hosts import SlowHosts
from raidtui.planner.gauges.json_lines import tick_json

_NAME = 20
_HEAD = f"{'host':<{_NAME}}{'disks':>6}{'MB/s rd':>9}{'wr':>9}{'IOPS':>9}{'util':>7}{'await':>8}{'queue':>8}"


def fleet_line(tick: FleetTick, slow: SlowHosts, *, simulated: bool) -> str:
    """The line of `raidtui fleet watch --json` for one tick: a `FleetWatchTick`."""
    hosts = ",".join(f"{json.dumps(row.host)}:{_host(tick, row)}" for row in host_rows(tick, slow))
    label = f'"schema":"raidtui/fleet-watch-tick/1","simulated":{str(simulated).lower()}'
    return f'{{{label},"time":{tick.time:.3f},"hosts":{{{hosts}}}}}'


def _host(tick: FleetTick, row: HostRow) -> str:
    gauges = tick.hosts[row.host]
    found = WatchedHost(
        state=row.problem.state if row.problem is not None else "answered",
        condition=row.condition,
        problem=safe(row.problem.sentence) if row.problem is not None else None,
        age_s=round(row.age_s, 3) if row.age_s is not None else None,
        below_peers=round(row.slow.share, 4) if row.slow is not None else None,
        slow_disks={each.name: round(each.share, 4) for each in row.slow_disks},
    )
    text = to_json(found, indent=None)
    return f'{text[:-1]},"tick":{tick_json(gauges.tick)}}}' if gauges.tick is not None and gauges.fresh else text


def fleet_table(tick: FleetTick, slow: SlowHosts, *, simulated: bool) -> list[str]:
    """A line for each host, the worst first."""
    rows = host_rows(tick, slow)
    label = "SIMULATED  " if simulated else ""
    answered = sum(row.problem is None for row in rows)
    lines = [f"{label}{tick.seconds:.1f} s, {answered} of {counted(len(rows), 'host')} answered", _HEAD]
    return [*lines, *(_line(row) for row in rows)]


def _line(row: HostRow) -> str:
    figures: Sequence[str] = ()
    if row.total is not None and not row.stale:
        total = row.total
        figures = (
            f"{total.read_bytes_per_s / 1e6:>9.1f}", f"{total.write_bytes_per_s / 1e6:>9.1f}",
            f"{total.read_iops + total.write_iops:>9.0f}", f"{percent(total.util):>7}", f"{total.await_ms:>8.2f}",
            f"{total.queue:>8.2f}",
        )  # fmt: skip
    disks = "" if row.disks is None else str(row.disks)
    text = f"{safe(row.host, longest=_NAME - 1):<{_NAME}}{disks:>6}{''.join(figures) or ' ' * 50}  {row.sentence}"
    return text.rstrip()
