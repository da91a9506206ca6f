"""Base of the screens over a fleet: title, keys and state of `raidtui fleet show`."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.message_pump import MessagePump

from raidtui.fleet.engine import NobodyWaits
from raidtui.fleet.facts import HostFacts
from raidtui.fleet.values import FleetOverview
from raidtui.tui.screens.base import PAGES, BaseScreen, Page
from raidtui.tui.terminal.app_base import TerminalApp
from raidtui.tui.terminal.text import KeySpan, Line, Span, line
from raidtui.values.errors import RaidtuiError
from raidtui.values.inventory import Inventory
from raidtui.values.plan import Plan

if TYPE_CHECKING:
    from raidtui.fleet.survey import FleetSurvey


# The app of `raidtui fleet show` as its screens see it.


class FleetDesk(TerminalApp):
    """What is known of the fleet, and the host that was chosen last."""

    overview: FleetOverview
    facts: tuple[HostFacts, ...]
    """of every host"""
    inventories: Mapping[str, Inventory]
    """of every host that answered"""
    asking: str
    """what is asked for at the moment; empty when all have answered"""
    problem: str
    """why hosts could not be asked"""
    paused: bool
    """True while no host is asked"""
    host: str
    """name of the host whose disks and build are shown"""

    @property
    @abstractmethod
    def asks(self) -> bool:
        """False where only stored answers are shown."""

    @abstractmethod
    def pause(self) -> None:
        """Asks no host any more after the present round, or goes on."""

    @abstractmethod
    def ask_again(self) -> None:
        """Asks every host for everything as soon as the present round is over."""

    @abstractmethod
    def plan(self, host: str) -> Plan | None:
        """The plan of a host; None where it has none."""

    @abstractmethod
    def copy(self, text: str, what: str) -> None:
        """Hands `text` to the terminal's clipboard, or to a file where that cannot work, and says which."""

    @abstractmethod
    async def action_show(self, name: str) -> None:
        """Shows another screen."""


_OF_HOST = {"disks": "HostDisksScreen", "build": "HostBuildScreen"}
FLEET_PAGES = (
    Page("fleet", "", "raidtui.fleet.tui.hosts", "FleetScreen"),
    *(
        page._replace(module="raidtui.fleet.tui.host", class_name=_OF_HOST[page.name], more=" of the chosen host")
        for page in PAGES
        if page.name in _OF_HOST
    ),
)
"""all hosts, then the screens of one host, with the digits that they have in the whole app"""


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
        for page in FLEET_PAGES[1:]:
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


# Fleet thread: asks the hosts of a fleet in rounds, beside the screens that show the answers.


DISKS_EVERY_S = 300.0
"""seconds between two looks at all disks, which cost a host some seconds of one core"""


@dataclass
class News(Message):
    """Message: what is known now, and what is asked for at the moment; empty when all have answered."""

    overview: FleetOverview
    asking: str


@dataclass
class AskingFailed(Message):
    """Message: the hosts cannot be asked."""

    reason: str


class FleetThread:
    """Thread that asks hosts at intervals and posts what it learns to `page`."""

    def __init__(self, page: MessagePump, survey: FleetSurvey, *, interval: float) -> None:
        """`interval`: seconds between the end of a round and the next one."""
        self._page = page
        self._interval = interval
        self._wake = threading.Event()
        self._over = threading.Event()
        self._everything = True
        self._paused = False
        if survey.transport is not None:
            survey.transport = replace(survey.transport, given_up=self._over.is_set)
        self.survey = survey
        self._thread = threading.Thread(target=self._run, name="fleet", daemon=True)

    def go(self) -> None:
        """Starts asking; does nothing where only stored answers are shown."""
        if self.survey.asks:
            self._thread.start()

    def ask_again(self) -> None:
        """Asks for everything as soon as the present round is over."""
        self._everything = True
        self._wake.set()

    def pause(self, paused: bool) -> None:
        """Asks no more after the present round, or asks again."""
        self._paused = paused
        self._wake.set()

    def stop(self) -> None:
        """Ends the thread and the processes that it started, and waits for that."""
        self._over.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def _run(self) -> None:
        looked = 0.0
        while not self._over.is_set():
            everything, self._everything = self._everything, False
            if not self._paused:
                everything = everything or time.monotonic() - looked > DISKS_EVERY_S
                self._round(everything)
                looked = time.monotonic() if everything else looked
            if not self._everything:
                self._wake.wait(None if self._paused else self._interval)
            self._wake.clear()

    def _round(self, everything: bool) -> None:
        survey = self.survey
        steps: tuple[Callable[..., None], ...] = (survey.ask_progress,)
        if everything:
            steps = (survey.ask_progress, survey.ask_disks, survey.ask_checks)
        try:
            for step in steps:
                step(self._tell)
        except NobodyWaits:
            return
        except RaidtuiError as error:
            self._page.post_message(AskingFailed(error.with_hint))

    def _tell(self, overview: FleetOverview, asking: str) -> None:
        self._page.post_message(News(overview, asking))
