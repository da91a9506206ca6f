"""App of `raidtui fleet watch`, with its screen only."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from raidtui.tui.jobs.fleet_gauge_thread import FleetSource
from raidtui.tui.screens.watch.fleet import FleetWatchScreen
from raidtui.tui.terminal.profile import TerminalProfile
from raidtui.tui.watch_app import AloneApp


class FleetWatchApp(AloneApp):
    """App with the hosts only."""

    def __init__(self, source: FleetSource, profile: TerminalProfile, *, interval: float) -> None:
        super().__init__(profile)
        self._source, self._interval = source, interval

    def get_default_screen(self) -> Screen[Any]:
        """The hosts."""
        return FleetWatchScreen(self._source, interval=self._interval)
