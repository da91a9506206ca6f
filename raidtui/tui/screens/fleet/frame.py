"""Base of the screens over a fleet: title, keys and state of `raidtui fleet show`."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType

from raidtui.tui.jobs.fleet_desk import FleetDesk
from raidtui.tui.screens.base import PAGES, BaseScreen
from raidtui.tui.terminal.text import KeySpan, Line, Span, line

HOST_PAGES = tuple(page for page in PAGES if page[1] in ("Disks", "Build"))
"""screens of one host, with the digits that they have in the whole app"""


class FleetFrame(BaseScreen):
    """A screen that shows what is known of a fleet."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "freeze", "pause", show=False, tooltip="ask the hosts no more, or go on", id="fleet.pause"),
        Binding("R", "reread", "ask again", show=False, tooltip="ask every host again", id="fleet.reread"),
    ]  # fmt: skip

    @property
    def fleet(self) -> FleetDesk:
        """The app of the fleet."""
        app = self.app
        assert isinstance(app, FleetDesk)
        return app

    @property
    def simulated(self) -> bool:
        """True if no real host is shown."""
        return self.fleet.overview.simulated

    # Provided by subclasses.

    def show_fleet(self) -> None:
        """Shows what is known now."""

    def subject(self) -> str:
        """What the screen is about, for the title; safe."""
        return ""

    def summary(self) -> Line:
        """Text of the note line while nothing else is said."""
        return ()

    # The frame.

    def follow_session(self) -> None:
        """Shows the fleet if it, the size or the glyphs have changed."""
        stamp = (self.fleet.overview, self.app.size, self.fleet.glyphs, self.fleet.host)
        if stamp != self._shown:
            self._shown = stamp
            self.show_fleet()
        self.rest(self._state())

    def refresh_frame(self) -> None:
        """The screens of a host by their digits, and that nothing is changed."""
        state = [Span(" SIMULATED ", "simulated")] if self.simulated else []
        state.append(Span(" READ ONLY ", "calm"))
        room = self.app.size.width - cell_len(self.subject()) - sum(cell_len(span.text) for span in state)
        title = self._title(short=False)
        if sum(len(span.text) for span in title) > room:
            title = self._title(short=True)
        self.put_title(title, self.subject(), state)

    def _title(self, *, short: bool) -> Line:
        """`short`: without the names of screens that are not shown."""
        spans = [Span(" raidtui fleet ", "bar-on")]
        for digit, name in HOST_PAGES:
            here = name == self.page_name
            spans.append(
                KeySpan(f" {digit} {name} " if here or not short else f" {digit} ", "head-on" if here else "bar", digit)
            )
        return tuple(spans)

    def _state(self) -> Line:
        fleet = self.fleet
        if fleet.problem:
            return line(fleet.problem, "bad")
        if fleet.paused:
            return line("PAUSED: no host is asked; p continues", "warn")
        if fleet.asking:
            return line(f"{fleet.asking} ...", "muted")
        return self.summary()

    def action_freeze(self) -> None:
        """Asks no host any more, or goes on."""
        if not self.fleet.asks:
            self.say("stored answers are shown: no host is asked")
            return
        self.fleet.pause()

    def action_reread(self) -> None:
        """Asks every host again."""
        if not self.fleet.asks:
            self.say("stored answers are shown: no host is asked")
            return
        self.fleet.ask_again()
