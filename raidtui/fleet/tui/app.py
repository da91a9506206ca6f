"""App of `raidtui fleet show`: the fleet, and the disks and the build of one host."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import Any, ClassVar

from textual import on
from textual.binding import BindingType
from textual.screen import Screen

from raidtui.fleet.facts import host_facts
from raidtui.fleet.survey import FleetSurvey
from raidtui.fleet.tui.frame import FLEET_PAGES, AskingFailed, FleetDesk, FleetThread, News
from raidtui.fleet.tui.hosts import FleetScreen
from raidtui.fleet.values import FleetOverview
from raidtui.tui.jobs.files import copy_out
from raidtui.tui.screens.base import LAST_KEYS, PageApp
from raidtui.tui.start import run_app
from raidtui.tui.terminal.profile import TerminalProfile, Tier
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan


class FleetApp(PageApp, FleetDesk):
    """App that shows a survey and asks the hosts again; nothing is written on any host."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(page.binding("fleet") for page in FLEET_PAGES[1:]),
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

    def copy(self, text: str, what: str) -> None:
        """Copies `text` to the terminal's clipboard, or to a file if that cannot work, and shows the destination."""
        self.page.say(copy_out(self, text, what, otherwise=""))

    # Wiring.

    def get_default_screen(self) -> Screen[Any]:
        """All hosts."""
        return FleetScreen()

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
        """Disables the digits while a question or a dialog is open, where they are text."""
        if action == "show" and (self.screen is not self.page or self.page.asking or not self.host):
            return False
        return super().check_action(action, parameters)

    async def action_show(self, name: str) -> None:
        """Shows the fleet, or a screen of the chosen host over it."""
        page = next(page for page in FLEET_PAGES if page.name == name)
        if self.screen is not self.page or isinstance(self.page, page.kind):
            return
        if not isinstance(self.page, FleetScreen):
            await self.pop_screen()
        if name != "fleet":
            await self.push_screen(page.make())


# Entry point of `raidtui fleet show`: an app with the screens of a fleet only.


def run_fleet(survey: FleetSurvey, *, interval: float, glyphs: Tier | None = None, mouse: bool = True) -> int:
    """Runs the screens; returns the exit code. `interval`: seconds between two rounds of questions.

    Raises BadInput if there is no usable terminal.
    """
    return run_app(lambda profile: make_fleet(survey, profile, interval=interval), glyphs=glyphs, mouse=mouse)


def make_fleet(survey: FleetSurvey, profile: TerminalProfile, *, interval: float) -> FleetApp:
    """The app for a terminal with `profile`, which must have been applied. Loads Textual."""
    gc.disable()
    # Not before the profile is applied: Textual reads the environment when it loads

    return FleetApp(survey, profile, interval=interval)
