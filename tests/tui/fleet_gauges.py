"""Gauges of many hosts for tests and pictures: every figure a plain function of host, disk and tick."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from raidtui.machine.fleet.transport import NobodyWaits
from raidtui.model.fleet.gauges import FleetTick, HostGauges
from raidtui.model.fleet.hosts import HostProblem
from raidtui.model.gauges import Scene, Tick
from raidtui.tui.screens.watch.fleet import FleetWatchScreen
from raidtui.tui.start_watch import make_fleet_watch
from raidtui.tui.terminal.profile import Tier
from raidtui.tui.watch_app import AloneApp
from tests.tui.fleets import FleetRobot
from tests.tui.gauge_scenes import START, gauge, scene, tick
from tests.tui.robot import profile_of

TICKS = 9
INTERVAL_S = 5.0
LATE = HostProblem(
    state="timed-out", sentence="no answer within 10 s", hint="look there: a disk that hangs holds up every look"
)
SILENT = HostProblem(
    state="unreachable", sentence="ssh: connect to host port 22: No route to host", hint="check that it runs"
)


class PlayedFleet:
    """Hosts with alike disks that all read; `wrong` names those of which something is to be seen."""

    def __init__(self, count: int = 60, disks: int = 12, *, most: int = TICKS, extra: Sequence[str] = ()) -> None:
        digits = len(str(count))
        self.hosts = (*(f"node{number:0{digits}}" for number in range(1, count + 1)), *extra)
        self.simulated = False
        self._scene = scene(disks, arrays=1)
        self._most, self._over = most, threading.Event()
        self.slow, self.late, self.degraded, self.slow_disk = (self.hosts[at] for at in (6, 11, 3, 9))
        self.silent = self.hosts[1]
        self.taken = 0

    def take(self) -> FleetTick:
        if self.taken >= self._most:
            self._over.wait()
            raise NobodyWaits
        self.taken += 1
        found = {host: self._host(at, host, self.taken) for at, host in enumerate(self.hosts)}
        return FleetTick(time=START + INTERVAL_S * self.taken, seconds=INTERVAL_S, hosts=found)

    def give_up(self) -> None:
        self._over.set()

    def _host(self, at: int, host: str, number: int) -> HostGauges:
        own = replace(self._scene, host=host)
        if host == self.silent:
            return HostGauges(host=host, problem=SILENT)
        last = min(number, 6) if host == self.late else number
        shown = self._tick(own, at, host, last)
        behind = number - last
        return HostGauges(host=host, scene=own, tick=shown, age_s=INTERVAL_S * behind, problem=LATE if behind else None)

    def _tick(self, own: Scene, at: int, host: str, number: int) -> Tick:
        rate = 95.0 + (at * 7 + number * 3) % 9

        def reads(disk: int, _: int) -> float:
            return rate * (0.7 if host == self.slow_disk and disk == 4 else 1.0)

        found = tick(own, number, reads, temperatures={})
        found = replace(found, seconds=INTERVAL_S)
        disks = {name: replace(each, util=0.9) for name, each in found.disks.items()}
        if host == self.slow:
            disks = {name: gauge(rate * 0.62, util=0.95) for name in disks}
        arrays = dict(found.arrays)
        if host == self.degraded:
            arrays = {name: replace(each, degraded=1) for name, each in arrays.items()}
        return replace(found, disks=disks, arrays=arrays)


class FleetWatchRobot(FleetRobot[AloneApp]):
    """What a test has in hand."""

    @property
    def page(self) -> FleetWatchScreen:
        assert isinstance(self.app.screen, FleetWatchScreen)
        return self.app.screen


@asynccontextmanager
async def watched_fleet(
    source: PlayedFleet, *, width: int = 80, height: int = 24, tier: Tier = "unicode", theme: str = "raidtui"
) -> AsyncIterator[FleetWatchRobot]:
    """The app after all ticks of `source`."""
    app = make_fleet_watch(source, profile_of(tier, theme), interval=0.001)
    async with app.run_test(size=(width, height)) as pilot:
        robot = FleetWatchRobot(app, pilot)
        while robot.page.polls < TICKS:
            await pilot.pause(0.02)
        await pilot.pause()
        yield robot
