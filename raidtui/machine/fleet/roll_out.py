"""Builds a fleet: starts hosts in the order of the rollout, asks how far they are, stops by its rule.

All state is on the hosts. A control host that is killed loses its view; another one asks the hosts and goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from raidtui.machine.fleet.follow import PATIENCE_S, HostFollower, HostProgress
from raidtui.machine.fleet.transport import Transport
from raidtui.model.errors import Refused
from raidtui.model.fleet.orders import BuildOrder, Claim, HostRun, RunOrder
from raidtui.model.fleet.rollout import FleetRun, FleetRunHost, Rollout, RolloutDecision
from raidtui.model.fleet.sheet import Sheet, SheetHost
from raidtui.model.safe import safe
from raidtui.planner.fleet.waves import decide

INTERVAL_S = 10.0
"""seconds between two questions to a host that builds"""


class RolloutFollower:
    """The view of one control host."""

    def __init__(
        self,
        *,
        transport: Transport,
        rollout: Rollout,
        orders: Callable[[str], BuildOrder],
        asks: Mapping[str, RunOrder],
        on_progress: Callable[[HostProgress], None] = lambda _: None,
        on_decision: Callable[[RolloutDecision], None] = lambda _: None,
        interval_s: float = INTERVAL_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`orders`: the build order of a host; `asks`: for each host of the rollout, how its run is asked for.

        `on_progress` gets each change; `on_decision` each new decision.
        """
        self.transport = transport
        self.rollout = rollout
        self._orders = orders
        self._asks = asks
        self._on_decision = on_decision
        self._hosts = HostFollower(
            transport=transport, question=asks.__getitem__, interval_s=interval_s, patience_s=patience_s,
            on_progress=on_progress, check=self._require_ours,
        )  # fmt: skip
        self.progress = self._hosts.progress

    @property
    def run(self) -> FleetRun:
        """How far every host is, as far as it is known."""
        return FleetRun(
            sheet_digest=self.rollout.sheet_digest,
            hosts=tuple(_run_host(self._hosts.known(host)) for host in self.rollout.hosts),
        )

    def look(self, hosts: Iterable[str] | None = None) -> None:
        """Asks hosts (None: all of the rollout) how far they are."""
        self._hosts.look(self.rollout.hosts if hosts is None else hosts)

    def resume(self, hosts: Iterable[str], claim: Claim) -> None:
        """Takes these runs over, and resumes those that do not run."""
        self._hosts.ask("resume", hosts, lambda host: _claiming(self._asks[host], claim))

    def count_files(self, hosts: Iterable[str]) -> None:
        """Asks what an undo of these runs would lose; a host that refuses an undo now becomes `refused`."""
        self._hosts.ask("undo-look", hosts, self._asks.__getitem__)

    def undo(self, hosts: Iterable[str], claim: Claim) -> None:
        """Takes these runs over and undoes them; the files that were counted are given up."""

        def order(host: str) -> RunOrder:
            return replace(_claiming(self._asks[host], claim), lose_files=self.progress[host].state.files or "0")

        self._hosts.ask("undo", hosts, order)

    def wait(self, *, pause: Callable[[float], None] = time.sleep) -> None:
        """Asks the hosts that build or undo until all have ended. Starts nothing."""
        self._hosts.wait(self.rollout.hosts, pause=pause)

    def follow(self, *, pause: Callable[[float], None] = time.sleep) -> RolloutDecision:
        """Goes on until every host has ended, or the stop rule holds and none builds. Returns the last decision.

        Raises Refused when another control host takes over.
        """
        last: RolloutDecision | None = None
        while True:
            decision = decide(self.rollout, {host: self._hosts.stage(host) for host in self.rollout.hosts})
            if decision != last:
                self._on_decision(decision)
                last = decision
            if decision.kind == "start":
                self._hosts.ask("build", decision.hosts, self._orders)
                continue
            if decision.kind in ("stop", "done"):
                self.wait(pause=pause)
                return decision
            pause(self._hosts.interval_s)
            self._hosts.look(self._hosts.busy(self.rollout.hosts))

    def _require_ours(self, host: str, state: HostRun) -> None:
        """Raises Refused when another control host has taken the run over."""
        ours, theirs = self._asks[host].claim, state.claim
        if ours is not None and theirs is not None and theirs.token != ours.token:
            raise Refused(
                f"{host}: control host {safe(theirs.control, longest=100)} follows its build since "
                f"{safe(theirs.since, longest=40)}; the builds go on",
                hint="look with raidtui fleet status; take over with raidtui fleet resume",
            )


def starts_nothing(sheet: Sheet, hosts: Sequence[SheetHost], transport: Transport) -> RolloutFollower:
    """A view of the build of a sheet that only asks: `look` asks these planned hosts how far they are."""
    names = tuple(host.host for host in hosts)
    return RolloutFollower(
        transport=transport,
        rollout=Rollout(sheet_digest=sheet.digest, hosts=names, canary=names[0], wave_size=1, stop_after=1),
        orders=_no_order,
        asks={host.host: RunOrder(run_id=host.run_id or "", digest=host.digest or "") for host in hosts},
    )


def _no_order(host: str) -> BuildOrder:
    raise Refused(f"{host}: this view starts nothing", hint="raidtui fleet build starts hosts")


def _run_host(progress: HostProgress) -> FleetRunHost:
    claim = progress.state.claim
    return FleetRunHost(
        host=progress.host, stage=progress.stage, reason=progress.detail, run=progress.state.run,
        control=claim.control if claim is not None else None,
    )  # fmt: skip


def _claiming(order: RunOrder, claim: Claim) -> RunOrder:
    return replace(order, claim=claim, take_over=True)
