"""The Watch screen at a known moment: ticks of a clock that only they move, and none after the last."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from raidtui.machine.system.ports import Ticks
from raidtui.session import machine_watch
from raidtui.session.decision import DesignOutcome
from raidtui.tui.jobs import watch
from raidtui.tui.screens.watch import WatchScreen
from raidtui.values.errors import MachineFailed
from raidtui.values.gauges import Tick
from raidtui.values.inventory import Inventory
from tests.tui.gauge_scenes import START
from tests.tui.robot import Robot

SECONDS = 2.0
TICKS = 20


class Still:
    """`TICKS` ticks at once, then nothing until the test is over."""

    def __init__(self, ticks: Ticks, clock: list[float], over: threading.Event) -> None:
        self.scene = ticks.scene
        self._ticks, self._clock, self._over = ticks, clock, over
        self._left = TICKS

    def take(self) -> Tick:
        if not self._left:
            self._over.wait()
            raise MachineFailed("the test is over", hint="")
        self._left -= 1
        self._clock[0] += SECONDS
        return self._ticks.take()


@contextmanager
def stills() -> Iterator[None]:
    """Whatever is watched meanwhile is a still."""
    over = threading.Event()
    real = machine_watch.session_ticks

    def still(inventory: Inventory, outcome: DesignOutcome, plan_name: str, **more: Any) -> Still:
        clock = [START]
        return Still(real(inventory, outcome, plan_name, lambda: clock[0], **more), clock, over)

    pace = dict.fromkeys(watch.PACE, 0.0)
    with patch.object(machine_watch, "session_ticks", still), patch.dict(watch.PACE, pace):
        try:
            yield
        finally:
            over.set()


async def taken(user: Robot) -> WatchScreen:
    """The Watch screen of `user` once the last tick is drawn."""
    page = user.app.screen
    assert isinstance(page, WatchScreen)
    while page.gauges.picture.history.count < TICKS:
        await user.pilot.pause(0.02)
    await user.pilot.pause()
    return page
