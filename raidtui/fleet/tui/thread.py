"""Fleet thread: asks the hosts of a fleet in rounds, beside the screens that show the answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from textual.message import Message
from textual.message_pump import MessagePump

from raidtui.fleet.engine import NobodyWaits
from raidtui.fleet.survey import FleetSurvey
from raidtui.fleet.values import FleetOverview
from raidtui.values.errors import RaidtuiError

DISKS_EVERY_S = 300.0
"""seconds between two looks at all disks, which cost a host some seconds of one core"""


@dataclass
class News(Message):
    """Message: what is known now, and what is asked for at the moment; empty when all have answered."""

    overview: FleetOverview
    asking: str


@dataclass
class AskingFailed(Message):
    """Message: the hosts cannot be asked."""

    reason: str


class FleetThread:
    """Thread that asks hosts at intervals and posts what it learns to `page`."""

    def __init__(self, page: MessagePump, survey: FleetSurvey, *, interval: float) -> None:
        """`interval`: seconds between the end of a round and the next one."""
        self._page = page
        self._interval = interval
        self._wake = threading.Event()
        self._over = threading.Event()
        self._everything = True
        self._paused = False
        if survey.transport is not None:
            survey.transport = replace(survey.transport, given_up=self._over.is_set)
        self.survey = survey
        self._thread = threading.Thread(target=self._run, name="fleet", daemon=True)

    def go(self) -> None:
        """Starts asking; does nothing where only stored answers are shown."""
        if self.survey.asks:
            self._thread.start()

    def ask_again(self) -> None:
        """Asks for everything as soon as the present round is over."""
        self._everything = True
        self._wake.set()

    def pause(self, paused: bool) -> None:
        """Asks no more after the present round, or asks again."""
        self._paused = paused
        self._wake.set()

    def stop(self) -> None:
        """Ends the thread and the processes that it started, and waits for that."""
        self._over.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def _run(self) -> None:
        looked = 0.0
        while not self._over.is_set():
            everything, self._everything = self._everything, False
            if not self._paused:
                everything = everything or time.monotonic() - looked > DISKS_EVERY_S
                self._round(everything)
                looked = time.monotonic() if everything else looked
            if not self._everything:
                self._wake.wait(None if self._paused else self._interval)
            self._wake.clear()

    def _round(self, everything: bool) -> None:
        survey = self.survey
        steps: tuple[Callable[..., None], ...] = (survey.ask_progress,)
        if everything:
            steps = (survey.ask_progress, survey.ask_disks, survey.ask_checks)
        try:
            for step in steps:
                step(self._tell)
        except NobodyWaits:
            return
        except RaidtuiError as error:
            self._page.post_message(AskingFailed(error.with_hint))

    def _tell(self, overview: FleetOverview, asking: str) -> None:
        self._page.post_message(News(overview, asking))
