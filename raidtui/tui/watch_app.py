"""App of `raidtui watch`, with one screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from raidtui.tui.terminal.profile import TerminalProfile
from raidtui.tui.widgets.frame import OF_ANY_APP, Frame, PageApp


class AloneApp(PageApp):
    """App with one screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *OF_ANY_APP,
        Binding("q", "quit", "quit", tooltip="quit", id="app.quit"),
        Binding("question_mark", "help", "keys", tooltip="every key of this screen", id="app.help"),
    ]

    def __init__(self, profile: TerminalProfile, made: Callable[[], Frame]) -> None:
        """`made`: the screen, once the app runs."""
        super().__init__(profile)
        self._made = made

    def get_default_screen(self) -> Screen[Any]:
        """The screen."""
        return self._made()
