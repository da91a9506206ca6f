"""The app as jobs and screens see it. They cannot import the app itself, which is made of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from raidtui.tui.terminal.app_base import TerminalApp

if TYPE_CHECKING:
    from raidtui.session.session import Session
    from raidtui.tui.terminal.text import Tone
    from raidtui.tui.widgets.prompt import TextQuestion
    from raidtui.values.decision import Decision
    from raidtui.values.inventory import Inventory


class DeskPage(Protocol):
    """The screen that is worked on."""

    def say(self, text: str, tone: Tone = "strong") -> None:
        """Shows what happened, until something else does."""

    async def ask(self, question: TextQuestion) -> None:
        """Puts a question in the place of the hints; the answer goes to the question."""

    def refresh_frame(self) -> None:
        """Draws title and hints again."""

    def follow_session(self) -> None:
        """Shows the session if it is not what is shown already."""

    def call_after_refresh(self, callback: Callable[..., None], *args: object) -> bool:
        """Calls `callback` once the next picture is drawn."""

    def run_changed(self) -> None:
        """The run that the app follows is another one than at the last look."""

    def arrays_changed(self) -> None:
        """The md arrays of the machine are others than at the last look, or their members are."""

    def bench_changed(self) -> None:
        """The benchmark that the app plays got on."""


class Desk(TerminalApp):
    """What a job may ask of the app, besides what it may ask of every app: its session, its page, its actions."""

    session: Session

    @property
    @abstractmethod
    def has_page(self) -> bool:
        """False while the app closes: its screens go before its workers."""

    @property
    @abstractmethod
    def page(self) -> DeskPage:
        """The screen that is worked on, even while a dialog is open."""

    @abstractmethod
    def decide(self, decision: Decision) -> None:
        """The admin has decided; the current screen shows what follows."""

    @abstractmethod
    def replace_inventory(self, inventory: Inventory) -> None:
        """Replaces the disks of the session; the decisions stay."""

    @abstractmethod
    def copy(self, text: str, what: str) -> None:
        """Hands `text` to the terminal's clipboard, or to a file where that cannot work, and says which."""

    @abstractmethod
    async def guide(self) -> None:
        """Asks what is needed in plain words; the answers are a decision."""

    @abstractmethod
    async def action_show(self, name: str) -> None:
        """Shows another screen."""
