"""The app of `raidtui fleet show` as its screens see it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from raidtui.model.fleet.overview import FleetOverview
from raidtui.model.inventory import Inventory
from raidtui.model.plan import Plan
from raidtui.planner.fleet.host_facts import HostFacts
from raidtui.tui.terminal.app_base import TerminalApp


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
