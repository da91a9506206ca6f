"""Looks at many hosts at once: inventory, versions and clock of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from raidtui.machine.fleet.archive import look_carrier
from raidtui.machine.fleet.ask import HostReply, ask, new_request
from raidtui.machine.fleet.transport import Transport
from raidtui.model.choices import Carry
from raidtui.model.fleet.hosts import FleetInventory, HostLook, HostProblem


def look_at_hosts(
    hosts: Sequence[str],
    transport: Transport,
    carry: Carry = "never",
    on_look: Callable[[HostLook], None] = lambda _: None,
) -> FleetInventory:
    """Every host of `hosts`, in that order. Where `carry` says so, what a look needs is carried to the host.

    `on_look` gets each look as it ends; a host to which something is carried twice.
    """
    asked_at = _utc_now()
    if carry == "always" and transport.simulated is None:
        transport = replace(transport, carrier=look_carrier())
    looks = _looks(hosts, transport, asked_at, on_look)
    missing = [host for host, look in looks.items() if look.state == "absent"]
    if missing and carry == "missing":
        looks |= _looks(missing, replace(transport, carrier=look_carrier()), asked_at, on_look)
    return FleetInventory(taken_at=_utc_now(), hosts=tuple(looks[host] for host in hosts))


def _looks(
    hosts: Sequence[str], transport: Transport, asked_at: str, on_look: Callable[[HostLook], None]
) -> dict[str, HostLook]:
    looks: dict[str, HostLook] = {}

    def replied(reply: HostReply) -> None:
        looks[reply.host] = _look(reply, asked_at, carried=transport.carrier is not None)
        on_look(looks[reply.host])

    ask({host: new_request("look", host) for host in hosts}, transport, replied)
    return looks


def _utc_now() -> str:
    """The time as 2026-01-31T12:00:00Z."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _look(reply: HostReply, asked_at: str, *, carried: bool) -> HostLook:
    seconds = round(reply.seconds, 3)
    answer = reply.answer
    if not isinstance(answer, HostProblem) and answer.inventory is None:
        answer = HostProblem(state="garbage", sentence="its answer holds no inventory", hint="ask it again")
    if isinstance(answer, HostProblem):
        return HostLook(host=reply.host, asked_at=asked_at, answered_in_s=seconds, problem=answer, carried=carried)
    return HostLook(
        host=reply.host,
        asked_at=asked_at,
        answered_in_s=seconds,
        inventory=answer.inventory,
        raidtui=answer.raidtui,
        carried=carried,
        clock_ahead_s=reply.clock_ahead_s,
    )
