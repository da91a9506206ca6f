"""An app whose screens are those of `base`, with dialogs over them."""

from __future__ import annotations

from raidtui.tui.screens.base import BaseScreen
from raidtui.tui.terminal.app_base import TerminalApp


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

    def action_help(self) -> None:
        """Every key of this screen."""
        from raidtui.tui.widgets.text_dialog import TextDialog  # not before one is shown

        page = self.page
        if self.screen is page:
            self.push_screen(TextDialog(f"Keys: {page.page_name}", page.help_lines()))
