"""App of `raidtui watch`, with the Watch screen only, and its base."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from raidtui.tui.screens.page_app import PageApp
from raidtui.tui.screens.watch.screen import WatchScreen
from raidtui.tui.terminal.profile import TerminalProfile

if TYPE_CHECKING:
    from raidtui.machine.ports.ticks import Ticks
    from raidtui.tui.jobs.gauge_thread import LoadsOf


class AloneApp(PageApp):
    """App with one screen."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+l", "redraw", "redraw", show=False, tooltip="draw the whole screen again", id="app.redraw"),
        Binding("q", "quit", "quit", tooltip="leave", id="app.quit"),
        Binding("question_mark", "help", "keys", tooltip="every key of this screen", id="app.help"),
    ]


class WatchApp(AloneApp):
    """App with the Watch screen only."""

    def __init__(
        self, source: Callable[[], Ticks], profile: TerminalProfile, *, interval: float | None = None,
        loads: LoadsOf | None = None,
    ) -> None:  # fmt: skip
        super().__init__(profile)
        self._loads = loads
        self._ticks = source
        self._interval = interval

    def get_default_screen(self) -> Screen[Any]:
        """The gauges."""
        return WatchScreen(self._ticks, interval=self._interval, loads=self._loads)
