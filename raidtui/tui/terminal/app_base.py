"""Base class of all apps: terminal profile, glyphs, themes, order of keys."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.driver import Driver
from textual.filter import LineFilter

from raidtui.tui.terminal.glyphs import GLYPHS, TierFilter
from raidtui.tui.terminal.key_order import KeyOrderApp
from raidtui.tui.terminal.profile import TerminalProfile
from raidtui.tui.terminal.restore import stop_in_background
from raidtui.tui.terminal.themes import ANSI, THEMES, tones

# Faults of Textual that raidtui works around, each with its number among Textual's issues and pull requests.
# | number | what happens without this | where | | --- | --- | --- | | 6605 | keys that arrive together act in another
# order | `key_order` | | 1582, 6298 | SIGTSTP is handled while the shell takes the terminal back: it stays raw, `fg`
# continues nothing | here | | 1582 | a stray SIGCONT starts a second thread that reads keys | here | | none | a paste
# whose end is lost on a noisy line takes all keys from then on | `keyboard` | | none | a byte that is no UTF-8, or a
# key whose number is no character, ends the thread that reads keys | `keyboard` | | 6706 | a terminal of 0 x 0 pixels
# ends the thread that reads keys, at the next movement of the mouse | `keyboard` | | 4325 | an error of that thread
# ends the app with exit code 0 | here | | 6153 | COLUMNS and LINES are believed against the terminal's own size |
# `profile` |


INTERRUPTED = 128 + signal.SIGINT
"""exit code after SIGINT"""


_TUI = Path(__file__).parents[1]


class SoundApp(App[int]):
    """An app that stops and continues as shells expect, and whose exit code says that it failed."""

    @property
    def exit_code(self) -> int:
        """After it has run: 0 if it was left, 1 after an unexpected error, for which some threads set none."""
        return 1 if self.return_code is None else self.return_code

    def on_mount(self) -> None:
        """Takes over the signals of Textual's driver."""
        if not self.is_headless and signal.SIGTSTP in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
            threading.Thread(target=self._await_stops, name="stops", daemon=True).start()
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGCONT, self._continued)
            loop.add_signal_handler(signal.SIGINT, partial(self.exit, return_code=INTERRUPTED))

    def _await_stops(self) -> None:
        """Stops at each SIGTSTP, which is blocked: one that comes meanwhile is dropped when the process continues."""
        with suppress(RuntimeError):  # the app has ended
            while True:
                signal.sigwait({signal.SIGTSTP})
                self.call_from_thread(self._stop)

    def _stop(self) -> None:
        if self.is_running:  # else it ends, and would take the terminal again
            with self.suspend():
                os.kill(os.getpid(), signal.SIGSTOP)
                stop_in_background()

    def _continued(self) -> None:
        """After a stop: takes the terminal, which a shell may have reset, or draws what it may have drawn over."""
        if not self.is_running:
            return
        stop_in_background()
        if termios.tcgetattr(sys.stdin.fileno())[3] & termios.ICANON:
            with self.suspend():
                pass
        self.refresh(repaint=True, layout=True)


_QUIT = ("q", "ctrl+q", "ctrl+c")
LEAST = (60, 18)
"""columns and lines of the smallest terminal"""
WIDE = ((0, "-cramped"), (LEAST[0], "-narrow"), (110, "-wide"))
TALL = ((0, "-low"), (LEAST[1], "-short"), (32, "-tall"))
"""classes of screens by columns and lines of the terminal"""


class TerminalApp(KeyOrderApp, SoundApp):
    """An app for a terminal with `profile`."""

    TITLE = "raidtui"
    ENABLE_COMMAND_PALETTE = False
    CSS_PATH = [_TUI / "app.tcss", _TUI / "screens" / "later.tcss"]  # noqa: RUF012
    HORIZONTAL_BREAKPOINTS = list(WIDE)  # noqa: RUF012
    VERTICAL_BREAKPOINTS = list(TALL)  # noqa: RUF012

    def __init__(self, profile: TerminalProfile) -> None:
        self.glyphs = GLYPHS[profile.tier]
        self._gate = TierFilter(self.glyphs)
        # Textual decides here whether NO_COLOR means no colour codes or greys, before our themes are registered.
        super().__init__(ansi_color=True if profile.theme == ANSI.name else None)
        self.set_reactive(App.ansi_color, None)
        self.animation_level = "none"
        self.profile = profile
        for theme in THEMES:
            self.register_theme(theme)
        self.set_reactive(App.theme, profile.theme)
        self.stylesheet.set_variables(self.get_css_variables())
        self.tone_styles = tones(self.current_theme)

    @property
    def too_small(self) -> bool:
        """True if the terminal shows nothing but the size that is needed."""
        return self.size.width < LEAST[0] or self.size.height < LEAST[1]

    def may_quit_unseen(self) -> bool:
        """True if quitting asks nothing, so that it works on a terminal that is too small for the question."""
        return True

    def keep_what_is_lost(self) -> str:
        """Called after an unexpected end: saves what the user would lose, and returns where, in words."""
        return ""

    async def act(self, event: events.Event) -> None:
        """Drops keys, pastes and clicks on a terminal that is too small to show what they do; q and Ctrl-Q quit."""
        if not self.too_small:
            await super().act(event)
        elif isinstance(event, events.Key) and event.key in _QUIT and self.may_quit_unseen():
            await self.run_action("quit")

    def get_driver_class(self) -> type[Driver]:
        """Replaces Textual's Linux driver by one that no byte ends."""
        found = super().get_driver_class()
        if found.__name__ != "LinuxDriver":
            return found
        from raidtui.tui.terminal.keyboard import SoundDriver  # only where Textual drives a terminal

        return SoundDriver

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Adds the filter that replaces characters outside the tier."""
        if self._gate.glyphs is not self.glyphs:
            self._gate = TierFilter(self.glyphs)
        return [*super().get_line_filters(), self._gate]

    def repaint(self) -> None:
        """Redraws every widget."""
        for screen in self.screen_stack:
            for widget in screen.walk_children():
                widget.refresh()

    def watch_theme(self, theme: str) -> None:
        """Redraws the panes in the new theme's styles."""
        if theme in self.available_themes and self.is_running:
            self.tone_styles = tones(self.available_themes[theme])
            self.repaint()

    def action_redraw(self) -> None:
        """Redraws the screen, for terminals with lost or garbled characters."""
        self.refresh(repaint=True, layout=True)
        self.screen.refresh(repaint=True)


def terminal_of(node: DOMNode) -> TerminalApp:
    """The app that shows `node`."""
    app = node.app
    assert isinstance(app, TerminalApp)
    return app
