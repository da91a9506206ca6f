"""Asks the hosts of a fleet for all that can be shown of them, again and again. It writes nothing, here or there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from raidtui.fleet.engine import Transport
from raidtui.fleet.look import fleet_look, look_at_hosts
from raidtui.fleet.roll_out import RolloutFollower, starts_nothing
from raidtui.fleet.sheet import SheetHost
from raidtui.fleet.sheet_files import check_hosts, plan_of
from raidtui.fleet.values import CheckedHost, FleetCheck, FleetInventory, FleetOverview, HostLook
from raidtui.machine.system.host import utc_now
from raidtui.values.choices import Carry
from raidtui.values.errors import BadInput
from raidtui.values.plan import Plan

OnNews = Callable[[FleetOverview, str], None]
"""gets what is known now, and what is asked for at the moment"""
_LEAST_S = 1.0
"""seconds between two overviews while answers come in"""
_SHARE = 5
"""an overview that costs a second is made again after so many"""


@dataclass(slots=True, kw_only=True)
class FleetSurvey:
    """What is known of these hosts. Each method asks all of them, and tells `on_news` what it learnt on the way."""

    overview: FleetOverview
    transport: Transport | None = None
    """None: nothing is asked"""
    carry: Carry = "never"
    folder: Path | None = None
    """directory of the sheet"""
    last: Mapping[str, HostLook] = field(default_factory=dict)
    """earlier looks, to compare with"""
    _view: RolloutFollower | None = None

    @property
    def asks(self) -> bool:
        """False where only stored answers are shown."""
        return self.transport is not None

    def plan(self, host: str) -> Plan | None:
        """The plan of a host; None where it has none, or its file cannot be read any more."""
        found = next((each for each in self._planned() if each.host == host), None)
        if found is None or self.folder is None:
            return None
        try:
            return plan_of(self.folder, found)
        except BadInput:
            return None

    def ask_disks(self, on_news: OnNews) -> None:
        """Looks at every host."""
        assert self.transport is not None
        looks: dict[str, HostLook] = {}
        hosts = self.overview.hosts
        first = self.overview.look is None
        due = time.monotonic() + _LEAST_S

        def looked(look: HostLook) -> None:
            nonlocal due
            looks[look.host] = look
            began = time.monotonic()
            if began < due:
                return
            if first:
                self._show_looks([looks[host] for host in hosts if host in looks])
            on_news(self.overview, f"asking for disks: {len(looks)} of {len(hosts)} answered")
            spent = time.monotonic() - began
            due = began + max(_LEAST_S, _SHARE * spent)

        on_news(self.overview, f"asking {len(hosts)} hosts for their disks")
        self._show_looks(look_at_hosts(hosts, self.transport, self.carry, looked).hosts)
        on_news(self.overview, "")

    def ask_progress(self, on_news: OnNews) -> None:
        """How far each planned host is, as `raidtui fleet status` asks."""
        sheet, planned = self.overview.sheet, self._planned()
        if sheet is None or self.transport is None or not planned:
            return
        if self._view is None:
            self._view = starts_nothing(sheet, planned, self.transport)
            on_news(self.overview, f"asking {len(planned)} hosts how far they are")
        self._view.look()
        self.overview = replace(self.overview, run=self._view.run)
        on_news(self.overview, "")

    def ask_checks(self, on_news: OnNews) -> None:
        """Each planned host that has not begun checks its plan, as `raidtui fleet check` asks.

        Raises BadInput if a plan of the sheet cannot be read.
        """
        sheet, run = self.overview.sheet, self.overview.run
        if sheet is None or self.folder is None or self.transport is None:
            return
        waiting = {each.host for each in run.hosts if each.stage == "waiting"} if run is not None else set()
        asked = [host for host in self._planned() if host.host in waiting]
        if not asked:
            return
        on_news(self.overview, f"{len(asked)} hosts check their plans")
        found = check_hosts(sheet, self.folder, asked, self.transport)
        self.overview = replace(self.overview, check=_merged(self.overview.check, found))
        on_news(self.overview, "")

    def _planned(self) -> Sequence[SheetHost]:
        sheet, hosts = self.overview.sheet, set(self.overview.hosts)
        return [each for each in sheet.hosts if each.state == "planned" and each.host in hosts] if sheet else []

    def _show_looks(self, looks: Sequence[HostLook]) -> None:
        now = utc_now()
        found = FleetInventory(taken_at=now, hosts=tuple(looks))
        self.overview = replace(self.overview, look=fleet_look(found, self.last))


def _merged(before: FleetCheck | None, found: FleetCheck) -> FleetCheck:
    """The newest answer of each host."""
    if before is None:
        return found
    checked: dict[str, CheckedHost] = {each.host: each for each in before.hosts}
    return replace(found, hosts=tuple({**checked, **{each.host: each for each in found.hosts}}.values()))
