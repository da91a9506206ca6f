"""Findings about hosts as a set: versions and clocks that differ, slow hosts, one disk or machine seen twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from raidtui.model.by_key import by_key
from raidtui.model.counted import counted
from raidtui.model.finding import Finding
from raidtui.model.fleet.hosts import HostLook
from raidtui.model.safe import safe
from raidtui.planner.checks.existing_arrays import arrays_first
from raidtui.planner.findings import LONGEST, note, warning
from raidtui.planner.fleet.changes import versions_of
from raidtui.planner.numbers import hours
from raidtui.tools.nodeset import fold_nodeset

_CLOCK_S = 30
"""seconds by which a clock may be off before it is named"""
_SLOW_TIMES, _SLOW_S = 4, 5
"""a slow host takes so many times the median, and so many seconds more"""


def remarks(looks: Sequence[HostLook]) -> tuple[Finding, ...]:
    """What an admin should know before building on these hosts."""
    answered = [look for look in looks if look.inventory is not None]
    return (
        *_same_machine(answered),
        *_same_disks(answered),
        *_clocks(answered),
        *_arrays(answered),
        *_versions(answered),
        *_unread(answered),
        *_slow(answered),
    )


def _versions(looks: Sequence[HostLook]) -> Iterator[Finding]:
    found: dict[str, dict[str, list[str]]] = {}
    for look in looks:
        for name, version in versions_of(look).items():
            text = "not installed or unknown" if version is None else safe(version, longest=LONGEST)
            found.setdefault(name, {}).setdefault(text, []).append(look.host)
    for name, hosts in found.items():
        if len(hosts) > 1:
            most = sorted(hosts.items(), key=lambda each: -len(each[1]))
            parts = "; ".join(f"{version}: {fold_nodeset(names)}" for version, names in most)
            yield warning(
                "fleet-versions", f"Hosts differ in {name}: {parts}.",
                "install the same version, or expect plans that differ",
            )  # fmt: skip


def _clocks(looks: Sequence[HostLook]) -> Iterator[Finding]:
    for look in looks:
        ahead = look.clock_ahead_s or 0.0
        if abs(ahead) >= _CLOCK_S:
            off = f"{abs(ahead):.0f} s" if abs(ahead) < 120 else hours(abs(ahead) / 3600)
            yield warning(
                "fleet-clock",
                f"The clock of {look.host} is {off} {'ahead' if ahead > 0 else 'behind'}.",
                "set it: journals and reports of hosts are compared by time",
                look.host,
            )


def _arrays(looks: Sequence[HostLook]) -> Iterator[Finding]:
    """Arrays that lack a member or do not run, those of one kind once."""
    asked = ((look.host, look.inventory) for look in looks if look.inventory is not None)
    for each, hosts in by_key((each, host) for host, inventory in asked for each in arrays_first(inventory)).items():
        yield replace(each, message=f"{fold_nodeset(hosts)}: {each.message}")


def _slow(looks: Sequence[HostLook]) -> Iterator[Finding]:
    if len(looks) < 3:
        return
    usual = median(look.answered_in_s for look in looks)
    slow = [look for look in looks if look.answered_in_s > max(_SLOW_TIMES * usual, usual + _SLOW_S)]
    if slow:
        worst = max(look.answered_in_s for look in slow)
        yield note(
            "fleet-slow",
            f"{fold_nodeset(look.host for look in slow)} answered late, after up to {worst:.0f} s; "
            f"half of all within {usual:.1f} s.",
            "look for a disk that answers slowly: raidtui watch there",
        )


def _same_machine(looks: Sequence[HostLook]) -> Iterator[Finding]:
    hosts = _by_key((look.inventory.machine_id, look.host) for look in looks if look.inventory is not None)
    for names in hosts.values():
        if len(names) > 1:
            yield warning(
                "fleet-same-machine",
                f"{fold_nodeset(names)} have one /etc/machine-id: one machine with several names, or copies of an "
                "image.",
                "name it once; on copies run systemd-machine-id-setup",
            )


def _same_disks(looks: Sequence[HostLook]) -> Iterator[Finding]:
    """Disks that several hosts see: building on both would destroy one of the builds."""
    seen = _by_key(
        (disk.id, look.host) for look in looks if look.inventory is not None for disk in look.inventory.disks
    )
    shared: dict[tuple[str, ...], int] = {}
    for names in seen.values():
        if len(names) > 1:
            shared[tuple(names)] = shared.get(tuple(names), 0) + 1
    for hosts, count in shared.items():
        yield warning(
            "fleet-same-disk",
            f"{fold_nodeset(hosts)} see the same {counted(count, 'disk')}.",
            "build on them from one host only",
        )


def _unread(looks: Sequence[HostLook]) -> Iterator[Finding]:
    asked = ((look.host, look.inventory) for look in looks if look.inventory is not None)
    found = by_key((safe(text, longest=160), host) for host, inventory in asked for text in inventory.unread)
    for sentence, names in found.items():
        yield warning("fleet-unread", f"{fold_nodeset(names)}: not read: {sentence}.", "ask as root, or with --sudo")


def _by_key(pairs: Iterator[tuple[str | None, str]]) -> Mapping[str, list[str]]:
    """Names of each key that is not empty, each once, in order."""
    found: dict[str, dict[str, None]] = {}
    for key, name in pairs:
        if key:
            found.setdefault(key, {})[name] = None
    return {key: list(names) for key, names in found.items()}
