"""App of `raidtui fleet show`: what is known of a fleet, the frame of its screens, and its entry point."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.binding import Binding, BindingType

from raidtui.fleet.facts import host_facts
from raidtui.fleet.survey import FleetSurvey
from raidtui.fleet.tui.thread import AskingFailed, FleetThread, News
from raidtui.fleet.values import FleetOverview
from raidtui.tui.start import run_app
from raidtui.tui.terminal.profile import TerminalProfile, Tier
from raidtui.tui.terminal.text import KeySpan, Line, Span, line
from raidtui.tui.widgets.frame import LAST_KEYS, Frame, Page, PageApp
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan


class FleetApp(PageApp):
    """App that shows a survey and asks the hosts again; nothing is written on any host."""

    PAGES = (
        Page("fleet", "", "raidtui.fleet.tui.hosts", "FleetScreen"),
        Page("disks", "1", "raidtui.fleet.tui.host", "HostDisksScreen", " of the chosen host"),
        Page("build", "5", "raidtui.fleet.tui.host", "HostBuildScreen", " of the chosen host"),
    )
    """all hosts, then the screens of one host, with the digits that they have in the whole app"""
    BINDINGS: ClassVar[list[BindingType]] = [
        *(page.binding("fleet") for page in PAGES[1:]),
        *LAST_KEYS,
    ]

    def __init__(self, survey: FleetSurvey, profile: TerminalProfile, *, interval: float) -> None:
        """`interval`: seconds between two rounds of questions."""
        super().__init__(profile)
        self.survey = survey
        self.asking, self.problem, self.host = "", "", ""
        self.paused = False
        self._plan: tuple[str, Plan | None] = ("", None)
        self._learn(survey.overview)
        self.fleet_thread = FleetThread(self, survey, interval=interval)

    def _learn(self, overview: FleetOverview) -> None:
        self.overview = overview
        self.facts = host_facts(overview)
        look = overview.look
        self.inventories: Mapping[str, Inventory] = look.inventory.inventories if look is not None else {}

    # What the screens ask.

    @property
    def asks(self) -> bool:
        """False where only stored answers are shown."""
        return self.survey.asks

    def plan(self, host: str) -> Plan | None:
        """The plan of a host, read once."""
        if self._plan[0] != host:
            self._plan = (host, self.survey.plan(host))
        return self._plan[1]

    def pause(self) -> None:
        """Asks no host any more after the present round, or goes on."""
        self.paused = not self.paused
        self.fleet_thread.pause(self.paused)
        self._page_follows()

    def ask_again(self) -> None:
        """Asks every host for everything as soon as the present round is over."""
        self.problem = ""
        self.fleet_thread.ask_again()
        self.page.say("every host is asked again")

    # Wiring.

    def on_mount(self) -> None:
        """Starts asking."""
        self.call_after_refresh(self.fleet_thread.go)

    def on_unmount(self) -> None:
        """Ends the thread and what it started."""
        self.fleet_thread.stop()

    @on(News)
    def _news(self, event: News) -> None:
        if event.overview is not self.overview:
            self._learn(event.overview)
            self.problem = ""
        self.asking = event.asking
        self._page_follows()

    @on(AskingFailed)
    def _failed(self, event: AskingFailed) -> None:
        self.problem, self.asking = event.reason, ""
        self._page_follows()

    def _page_follows(self) -> None:
        if self.has_page:
            self.page.refresh_frame()
            self.page.follow_session()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables the screens of a host until one is chosen."""
        return False if action == "show" and not self.host else super().check_action(action, parameters)


class FleetFrame(Frame):
    """A screen that shows what is known of a fleet."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "freeze", "pause", show=False, tooltip="ask the hosts no more, or go on", id="fleet.pause"),
        Binding("R", "reread", "ask again", show=False, tooltip="ask every host again", id="fleet.reread"),
    ]  # fmt: skip

    @property
    def fleet(self) -> FleetApp:
        """The app of the fleet."""
        app = self.app
        assert isinstance(app, FleetApp)
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
        for page in self.fleet.PAGES[1:]:
            here, digit = isinstance(self, page.kind), page.digit
            text = f" {digit} {page.title} " if here or not short else f" {digit} "
            spans.append(KeySpan(text, "head-on" if here else "bar", digit))
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


# Entry point of `raidtui fleet show`: an app with the screens of a fleet only.


def run_fleet(survey: FleetSurvey, *, interval: float, glyphs: Tier | None = None, mouse: bool = True) -> int:
    """Runs the screens; returns the exit code. `interval`: seconds between two rounds of questions.

    Raises BadInput if there is no usable terminal.
    """
    return run_app(lambda profile: make_fleet(survey, profile, interval=interval), glyphs=glyphs, mouse=mouse)


def make_fleet(survey: FleetSurvey, profile: TerminalProfile, *, interval: float) -> FleetApp:
    """The app for a terminal with `profile`, which must have been applied. Loads Textual."""
    gc.disable()
    return FleetApp(survey, profile, interval=interval)
