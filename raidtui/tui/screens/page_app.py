"""An app whose screens are those of `base`, with dialogs over them."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Any

from textual import events
from textual.binding import Binding
from textual.worker import Worker

from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.terminal.app_base import TerminalApp
from raidtui.tui.terminal.key_order import SteadyScreen

OF_ANY_APP = (
    Binding("ctrl+l", "redraw", "redraw", show=False, tooltip="draw the whole screen again", id="app.redraw",
            priority=True),
    Binding("ctrl+c", "interrupted", "interrupt", show=False, id="app.interrupt",
            tooltip="drop the keys that wait, and give up what is being opened"),
)  # fmt: skip
"""keys of every app, on screens and in dialogs"""
LAST_KEYS = (
    *OF_ANY_APP,
    Binding("q", "quit", "quit", show=False, tooltip="leave", id="app.quit"),
    Binding("ctrl+q", "quit", "quit", show=False, tooltip="leave", priority=True),
    Binding("question_mark", "help", "keys", tooltip="every key of this screen", id="app.help"),
)
"""keys of every app of several screens, after its own"""
_OPENS = frozenset({"build", "survey", "tune", "extend"})
"""groups of workers that end with a dialog: all keys are meant for it"""
_LEAVES = frozenset((*"123456789q", "ctrl+q", "ctrl+l"))
"""keys that never wait for what a screen loads"""


class PageApp(TerminalApp):
    """Knows the screen that is worked on, and shows its keys."""

    @property
    def has_page(self) -> bool:
        """False while the app closes: its screens go before its workers."""
        return any(isinstance(screen, BaseScreen) for screen in self.screen_stack)

    @property
    def page(self) -> BaseScreen:
        """The screen that is worked on, even while a dialog is open."""
        return next(screen for screen in reversed(self.screen_stack) if isinstance(screen, BaseScreen))

    def on_mount(self) -> None:
        """Freezes the garbage collector's objects: what was loaded until the first frame is never garbage."""
        self.call_after_refresh(gc.freeze)
        self.call_after_refresh(gc.enable)

    def awaited(self, event: events.Event, arrived: float) -> Iterable[Worker[Any]]:
        """What ends with a dialog; of a screen that is shown also what it loads, for the keys that need it."""
        screen, groups = self.screen, _OPENS
        if isinstance(screen, SteadyScreen) and not screen.asking and arrived < screen.shown_since:
            free = event.key in _LEAVES | screen.FREE if isinstance(event, events.Key) else False
            groups |= frozenset() if free or isinstance(event, events.MouseEvent) else screen.LOADS
        return [worker for worker in self.workers if worker.group in groups]

    def interrupt(self) -> bool:
        """Drops what was typed and waits, and gives up the dialog that is being opened."""
        opening = [worker for worker in self.workers if worker.group in _OPENS]
        for worker in opening:
            worker.cancel()
        if waited := super().interrupt() or bool(opening):
            self.page.say("interrupted: the keys that waited are dropped")
        return waited

    def action_interrupted(self) -> None:
        """Names the key that leaves: nothing waited."""
        self.page.say("q leaves")

    def action_help(self) -> None:
        """Every key of this screen."""
        from raidtui.tui.widgets.text_dialog import TextDialog  # not before one is shown

        page = self.page
        if self.screen is page:
            self.push_screen(TextDialog(f"Keys: {page.page_name}", page.help_lines()))
