"""Looks at many hosts at once: inventory, versions and clock of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from raidtui.machine.fleet.ask import HostReply, ask, new_request
from raidtui.machine.fleet.transport import Transport
from raidtui.model.fleet.hosts import FleetInventory, HostLook, HostProblem


def look_at_hosts(
    hosts: Sequence[str], transport: Transport, on_look: Callable[[HostLook], None] = lambda _: None
) -> FleetInventory:
    """Every host of `hosts`, in that order; `on_look` gets each as soon as it answered or failed."""
    looks: dict[str, HostLook] = {}
    asked_at = _utc_now()

    def replied(reply: HostReply) -> None:
        looks[reply.host] = _look(reply, asked_at, carried=transport.carrier is not None)
        on_look(looks[reply.host])

    ask({host: new_request("look", host) for host in hosts}, transport, replied)
    return FleetInventory(taken_at=_utc_now(), hosts=tuple(looks[host] for host in hosts))


def look_again(
    found: FleetInventory, transport: Transport, on_look: Callable[[HostLook], None] = lambda _: None
) -> FleetInventory:
    """`found` with another look at the hosts without raidtui, by `transport`, which carries it there."""
    missing = [look.host for look in found.problems if look.state == "absent"]
    again = look_at_hosts(missing, transport, on_look)
    looks = {look.host: look for look in (*found.hosts, *again.hosts)}
    return FleetInventory(taken_at=again.taken_at, hosts=tuple(looks[look.host] for look in found.hosts))


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
