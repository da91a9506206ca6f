"""Slow hosts and slow disks of a fleet, by the rule for the disks of one host (`planner.gauges.slow_disks`).

A host is compared with its peers: hosts with the same number of disks of the same models, three at least. It is slow if
its disks moved at least 15 % fewer bytes per busy second than those of the median peer, in nearly all busy ticks and
for 10 seconds and 5 ticks at least. A longer latency of the same requests is more busy time for the same bytes, so the
one rule covers both. Compared is the mean of the disks at work, so that hosts with unlike loads are comparable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from raidtui.model.fleet.gauges import FleetTick, HostGauges
from raidtui.model.gauges import Gauge, Scene, Tick, WatchedDisk
from raidtui.planner.gauges.iostat_rates import IDLE, disk_figures
from raidtui.planner.gauges.slow_disks import AT_WORK, Laggard, SlowDiskWindow

_WINDOW = 12
"""ticks: a minute at five seconds each; a thousand hosts of sixty disks take some 70 MB"""


class SlowHosts:
    """Compares the hosts, and the disks of each host, from tick to tick."""

    def __init__(self) -> None:
        self._peers: dict[str, str] = {}
        self._hosts = SlowDiskWindow(Scene(host="", disks=()), _WINDOW)
        self._disks: dict[str, tuple[Scene, SlowDiskWindow]] = {}

    def add(self, tick: FleetTick) -> None:
        """Adds the hosts whose figures are of this tick."""
        fresh = {host: gauges for host, gauges in tick.hosts.items() if gauges.fresh}
        self._line_up(tick)
        found: dict[str, Gauge] = {}
        for host, gauges in fresh.items():
            assert gauges.tick is not None
            found[host] = mean_at_work(gauges.tick.disks)
            if host in self._disks:
                self._disks[host][1].add(gauges.tick)
        self._hosts.add(Tick(time=tick.time, seconds=tick.seconds, disks=found))

    def hosts(self) -> Mapping[str, Laggard]:
        """Slow hosts by name, the slowest first."""
        return {each.name: each for each in self._hosts.laggards()}

    def disks(self, host: str) -> tuple[Laggard, ...]:
        """Slow disks of a host, the slowest first."""
        return self._disks[host][1].laggards() if host in self._disks else ()

    def _line_up(self, tick: FleetTick) -> None:
        """Starts comparisons of hosts and disks that are new or other ones."""
        for host, gauges in tick.hosts.items():
            scene = gauges.scene
            if scene is not None and (host not in self._disks or self._disks[host][0] != scene):
                self._disks[host] = scene, SlowDiskWindow(scene, _WINDOW)
        peers = {host: _kind(gauges) for host, gauges in tick.hosts.items() if gauges.scene is not None}
        if peers != self._peers:
            self._peers = peers
            flash = {host: _all_flash(scene) for host, (scene, _) in self._disks.items()}
            hosts = (
                WatchedDisk(name=host, model=kind, rotational=False if flash[host] else None)
                for host, kind in peers.items()
            )
            self._hosts = SlowDiskWindow(Scene(host="", disks=tuple(hosts)), _WINDOW)


def _kind(gauges: HostGauges) -> str:
    """What peers have in common: their disks."""
    disks = gauges.scene.disks if gauges.scene is not None else ()
    counts = Counter((disk.model, disk.size_bytes) for disk in disks)
    return ", ".join(f"{count} x {model} {size}" for (model, size), count in sorted(counts.items()))


def _all_flash(scene: Scene) -> bool:
    return bool(scene.disks) and all(disk.rotational is False for disk in scene.disks)


def mean_at_work(disks: Mapping[str, Gauge]) -> Gauge:
    """The mean disk of those that are at work; idle where none is."""
    utils = disk_figures(disks, "util")
    at_work = [at for at, util in enumerate(utils) if util >= AT_WORK]
    if not at_work:
        return IDLE
    reads, writes = disk_figures(disks, "read_bytes_per_s"), disk_figures(disks, "write_bytes_per_s")
    queues, count = disk_figures(disks, "queue"), len(at_work)
    return Gauge(
        read_bytes_per_s=sum(reads[at] for at in at_work) / count,
        write_bytes_per_s=sum(writes[at] for at in at_work) / count,
        read_iops=0.0,
        write_iops=0.0,
        util=sum(utils[at] for at in at_work) / count,
        await_ms=0.0,
        queue=sum(queues[at] for at in at_work) / count,
    )
