"""Looks at many hosts at once: inventory, versions and clock of each."""

from __future__ import annotations

import fcntl
import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from raidtui.fleet.answers import read_answer
from raidtui.fleet.archive import look_carrier
from raidtui.fleet.engine import Output, Transport, run
from raidtui.fleet.facts import remarks
from raidtui.fleet.machines import changes, differences, structure_of
from raidtui.fleet.values import (
    DiskGroup,
    FleetInventory,
    FleetLook,
    HostAnswer,
    HostLook,
    HostProblem,
    HostRequest,
    MachineGroup,
    RequestKind,
)
from raidtui.machine.system.files import LAST_LOOKS, kept_document, save_document
from raidtui.machine.system.host import utc_now
from raidtui.machine.system.places import failures, measured_state, private_directory, simulated_root
from raidtui.machine.system.programs import closing
from raidtui.values.choices import Carry
from raidtui.values.codec import by_key, from_json, to_json
from raidtui.values.errors import RaidtuiError
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.safe import safe

# Asks many hosts at once, each with its own request; every host gives an answer or a problem.


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostReply:
    """How one host replied."""

    host: str
    answer: HostAnswer | HostProblem
    started_s: float
    """when it was asked, seconds since the epoch"""
    seconds: float
    """until the answer was complete, or the attempt ended"""

    @property
    def clock_ahead_s(self) -> float | None:
        """Seconds by which the host's clock is at least ahead, negative where behind; 0 where both may agree.

        None without an answer. The program there was started after the request went out, and answered before the
        answer was here.
        """
        if isinstance(self.answer, HostProblem):
            return None
        asked, answered = self.started_s, self.started_s + self.seconds
        started = self.answer.started_s if self.answer.started_s is not None else self.answer.time_s
        least, most = sorted((self.answer.time_s - answered, started - asked))
        return least if least > 0 else min(most, 0.0)


def new_request(kind: RequestKind, host: str, content: str = "") -> HostRequest:
    """A request with a nonce of its own. `content`: its document, JSON."""
    return HostRequest(kind=kind, host=host, nonce=secrets.token_hex(16), content=content)


def ask(requests: Mapping[str, HostRequest], transport: Transport, on_reply: Callable[[HostReply], None]) -> None:
    """Sends each host its request; `on_reply` gets every host once, as soon as it replied or failed."""

    def replied(output: Output) -> None:
        answer = read_answer(
            output, requests[output.host], most_output=transport.most_output, timeout_s=transport.timeout_s
        )
        on_reply(HostReply(host=output.host, answer=answer, started_s=output.started_s, seconds=output.seconds))

    run({host: request_bytes(request) for host, request in requests.items()}, transport, replied)


def request_bytes(request: HostRequest) -> bytes:
    """The request as the host reads it."""
    return to_json(request, indent=None).encode("ascii") + b"\n"


def ask_each(
    kind: RequestKind,
    hosts: Iterable[str],
    document: Callable[[str], object],
    transport: Transport,
    on_reply: Callable[[HostReply], None],
) -> None:
    """Sends each host a request with its document, as `ask`. Only the text of all documents is held in memory."""
    requests = {host: new_request(kind, host, to_json(document(host), indent=None)) for host in hosts}
    if requests:
        ask(requests, transport, on_reply)


def document_in(kind: type[_T], reply: HostReply) -> _T | HostProblem:
    """The document in an answer; a problem where it is none."""
    answer = reply.answer
    if isinstance(answer, HostProblem):
        return answer
    try:
        return from_json(kind, answer.content, source="its answer")
    except RaidtuiError as problem:
        return HostProblem(state="garbage", sentence=safe(str(problem), longest=200), hint=problem.hint)


def look_at_hosts(
    hosts: Sequence[str],
    transport: Transport,
    carry: Carry = "never",
    on_look: Callable[[HostLook], None] = lambda _: None,
) -> FleetInventory:
    """Every host of `hosts`, in that order. Where `carry` says so, what a look needs is carried to the host.

    `on_look` gets each look as it ends; a host to which something is carried twice.
    """
    asked_at = utc_now()
    if carry == "always" and transport.simulated is None:
        transport = replace(transport, carrier=look_carrier())
    looks = _looks(hosts, transport, asked_at, on_look)
    missing = [host for host, look in looks.items() if look.state == "absent"]
    if missing and carry == "missing":
        looks |= _looks(missing, replace(transport, carrier=look_carrier()), asked_at, on_look)
    return FleetInventory(taken_at=utc_now(), hosts=tuple(looks[host] for host in hosts))


def _looks(
    hosts: Sequence[str], transport: Transport, asked_at: str, on_look: Callable[[HostLook], None]
) -> dict[str, HostLook]:
    looks: dict[str, HostLook] = {}

    def replied(reply: HostReply) -> None:
        looks[reply.host] = _look(reply, asked_at, carried=transport.carrier is not None)
        on_look(looks[reply.host])

    ask({host: new_request("look", host) for host in hosts}, transport, replied)
    return looks


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


# The last good look at each host, in the state directory of the control host; one file, replaced as a whole.


_FILE = "inventory.json"
_LOCK = "inventory.lock"


def fleet_root(*, simulated: bool) -> Path:
    """Directory of what the control host keeps about hosts; simulated ones apart."""
    return (simulated_root() if simulated else measured_state()) / "fleet"


def last_looks(root: Path) -> Mapping[str, HostLook]:
    """The last good look at each host ever asked; none where nothing is stored."""
    found = kept_document(FleetInventory, root / _FILE, LAST_LOOKS)
    return {look.host: look for look in found.hosts} if found is not None else {}


def keep_looks(root: Path, found: FleetInventory) -> Mapping[str, HostLook]:
    """Stores the looks at hosts that answered, keeps those at all others; returns what was stored before.

    Raises MachineFailed if it cannot be written, Refused if others may write there, BadInput for a damaged file.
    """
    private_directory(root)
    with _locked(root / _LOCK):
        before = last_looks(root)
        merged = {**before, **{look.host: look for look in found.hosts if look.inventory is not None}}
        whole = FleetInventory(taken_at=found.taken_at, hosts=tuple(merged[host] for host in sorted(merged)))
        save_document(root / _FILE, whole, indent=None)
    return before


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Two looks at once store one after the other."""
    with failures(path, "make it writable"):
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with closing(handle):
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


# A look at many hosts, folded and compared with the last one.
# Hosts are folded to distinct machines: most have the same, few differ, and each difference is the smallest edit.


def fleet_look(found: FleetInventory, last: Mapping[str, HostLook]) -> FleetLook:
    """Distinct machines, what changed since `last`, and remarks. `last`: earlier looks at any hosts, by name."""
    return FleetLook(
        inventory=found,
        machines=fold_machines(found.inventories),
        changes=changes(last, {look.host: look for look in found.hosts}),
        compared=tuple(host for host in found.inventories if host in last),
        findings=remarks(found.hosts),
    )


def fold_machines(inventories: Mapping[str, Inventory]) -> tuple[MachineGroup, ...]:
    """Hosts that are alike as one group each, the largest first, compared with it; hosts keep their order."""
    structures = {host: structure_of(inventory) for host, inventory in inventories.items()}
    groups = by_key((structure.key, host) for host, structure in structures.items())
    ordered = sorted(groups.values(), key=len, reverse=True)
    return tuple(
        MachineGroup(
            hosts=tuple(hosts),
            disks=disk_groups(inventories[hosts[0]].disks),
            differences=differences(structures[ordered[0][0]], structures[hosts[0]]) if hosts is not ordered[0] else (),
        )
        for hosts in ordered
    )


def disk_groups(disks: tuple[Disk, ...]) -> tuple[DiskGroup, ...]:
    """Disks by size, model, firmware and transport, most first."""
    counts = Counter((disk.size_bytes, disk.model, disk.firmware, disk.transport) for disk in disks)
    return tuple(
        DiskGroup(count=count, size_bytes=size, model=model, firmware=firmware, transport=transport)
        for (size, model, firmware, transport), count in counts.most_common()
    )
