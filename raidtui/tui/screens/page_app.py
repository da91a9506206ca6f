"""An app whose screens are those of `base`, with dialogs over them."""

from __future__ import annotations

import gc

from textual.binding import Binding

from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.terminal.app_base import TerminalApp

LAST_KEYS = (
    Binding("ctrl+l", "redraw", "redraw", show=False, tooltip="draw the whole screen again", id="app.redraw"),
    Binding("q", "quit", "quit", show=False, tooltip="leave", id="app.quit"),
    Binding("ctrl+q", "quit", "quit", show=False, tooltip="leave", priority=True),
    Binding("question_mark", "help", "keys", tooltip="every key of this screen", id="app.help"),
)
"""keys of every app, after its own"""


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

    def action_help(self) -> None:
        """Every key of this screen."""
        from raidtui.tui.widgets.text_dialog import TextDialog  # not before one is shown

        page = self.page
        if self.screen is page:
            self.push_screen(TextDialog(f"Keys: {page.page_name}", page.help_lines()))
