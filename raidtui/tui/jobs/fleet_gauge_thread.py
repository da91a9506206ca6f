"""Fleet gauge thread: polls the hosts and judges their figures, beside the screen that shows them."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from textual.message import Message
from textual.message_pump import MessagePump

from raidtui.machine.fleet.transport import NobodyWaits
from raidtui.model.errors import RaidtuiError
from raidtui.model.fleet.gauges import FleetTick
from raidtui.planner.fleet.host_rows import HostRow, host_rows
from raidtui.planner.fleet.slow_hosts import SlowHosts


class FleetSource(Protocol):
    """A source of ticks of many hosts. The caller sets the rate by calling `take`."""

    @property
    def hosts(self) -> Sequence[str]:
        """The hosts that are asked."""

    @property
    def simulated(self) -> bool:
        """True if no host is real."""

    def take(self) -> FleetTick:
        """Every host once. Raises GivenUp after `give_up`."""

    def give_up(self) -> None:
        """Ends a `take` that runs in another thread."""


@dataclass
class FleetTicked(Message):
    """Message: every host was asked once more."""

    tick: FleetTick
    rows: Sequence[HostRow]
    """the worst first"""


@dataclass
class FleetFailed(Message):
    """Message: the hosts cannot be asked."""

    reason: str


class FleetGaugeThread:
    """Thread that polls at intervals and posts each tick to `page`."""

    def __init__(self, page: MessagePump, source: FleetSource, *, interval: float) -> None:
        """`interval`: seconds from the begin of a poll to the next one, which waits for the last host."""
        self._page, self._source, self._interval = page, source, interval
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fleet gauges", daemon=True)

    def go(self) -> None:
        """Starts polling."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread and the processes that it started, and waits for that."""
        self._over.set()
        self._source.give_up()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def _run(self) -> None:
        slow = SlowHosts()
        due = time.monotonic()
        try:
            while not self._over.wait(max(due - time.monotonic(), 0.0)):
                due = time.monotonic() + self._interval
                tick = self._source.take()
                slow.add(tick)
                self._page.post_message(FleetTicked(tick, host_rows(tick, slow)))
        except NobodyWaits:
            return
        except RaidtuiError as error:
            self._page.post_message(FleetFailed(error.with_hint))
