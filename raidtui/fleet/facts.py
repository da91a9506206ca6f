"""What is to be said of each host: its machine, its line of the sheet, its check and build, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Literal, NamedTuple

from raidtui.fleet.machines import versions_of
from raidtui.fleet.sheet import SheetHost
from raidtui.fleet.ssh import fold_nodeset
from raidtui.fleet.texts import STAGE_WORDS, STATE_WORDS, change_text, machine_text, stage_word, steps_of, without_host
from raidtui.fleet.values import ENDED_BADLY, CheckedHost, FleetCheck, FleetLook, FleetOverview, FleetRunHost, HostLook
from raidtui.predict.checks.disks import arrays_first
from raidtui.values.amounts import hours
from raidtui.values.codec import by_key
from raidtui.values.findings import LONGEST, Finding, note, warning, warnings
from raidtui.values.safe import safe
from raidtui.values.units import counted

Concern = Literal["bad", "silent", "warn", "busy", "unknown", "good", "off", "plain", "none"]
"""gravest first: failed or refused; no answer; unlike the others; at work; not asked yet; built; left alone; as it
should be; nothing to say"""
_GRAVITY: Mapping[Concern, int] = {
    "bad": 0, "silent": 1, "warn": 2, "busy": 3, "unknown": 4, "good": 5, "off": 6, "plain": 7, "none": 8,
}  # fmt: skip
_LONGEST = 300
_SEEN_CHANGES = frozenset({"disk-gone", "disk-new", "disk-moved", "disk"})
"""changes that make another machine; content and versions change by building and installing"""


class Fact(NamedTuple):
    """One thing that is known of a host."""

    kind: str
    """word that is the same for all hosts of which it is said, such as `building`"""
    concern: Concern
    word: str = ""
    """with its figure, such as `step 3 of 46`; empty: the kind"""
    reason: str = ""
    """why, safe to show; empty where there is nothing to explain"""
    hint: str = ""
    """what to do, safe to show"""
    steps: tuple[int, int] | None = None
    """of a host that builds: the step at work, and how many there are"""

    @property
    def text(self) -> str:
        """The word that is shown."""
        return self.word or self.kind


NOTHING = Fact("", "none")


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What is known of one host."""

    host: str
    machine: Fact
    """whether its disks are those of most hosts"""
    sheet: Fact
    """whether it has a plan"""
    check: Fact
    """whether its plan is right for its disks; nothing once it builds"""
    build: Fact
    """how far it is"""
    machine_group: int | None = None
    """its place in `FleetLook.machines`"""
    plan_kind: int | None = None
    """its place in `Sheet.kinds`"""

    headline: Fact = field(init=False)
    """the gravest fact; of equally grave ones the latest"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "headline", min(reversed(self.facts), key=lambda fact: _GRAVITY[fact.concern]))

    @property
    def facts(self) -> tuple[Fact, Fact, Fact, Fact]:
        """All of them, in the order in which a host comes by them."""
        return self.machine, self.sheet, self.check, self.build


def gravity(concern: Concern) -> int:
    """0 for the gravest."""
    return _GRAVITY[concern]


def host_facts(overview: FleetOverview) -> tuple[HostFacts, ...]:
    """The facts of every host, in its order."""
    machines = dict(_machines(overview.look))
    planned = {each.host: each for each in overview.sheet.hosts} if overview.sheet is not None else {}
    checked = _checked(overview.check)
    runs = {each.host: each for each in overview.run.hosts} if overview.run is not None else {}
    begun = any(each.stage != "waiting" for each in runs.values())
    return tuple(
        _facts(host, machines.get(host), planned.get(host), checked.get(host), runs.get(host), begun=begun)
        for host in overview.hosts
    )


def _facts(
    host: str,
    machine: tuple[Fact, int | None] | None,
    planned: SheetHost | None,
    checked: CheckedHost | None,
    run: FleetRunHost | None,
    *,
    begun: bool,
) -> HostFacts:
    fact, group = machine or (Fact("not asked", "unknown"), None)
    started = run is not None and run.run is not None
    if started and fact.concern in ("warn", "unknown"):
        fact = fact._replace(concern="plain")
    return HostFacts(
        host,
        fact,
        _sheet(planned),
        NOTHING if started or checked is None else _check(checked),
        NOTHING if run is None else _build(run, begun=begun),
        group,
        planned.kind if planned is not None else None,
    )


def _machines(look: FleetLook | None) -> Iterator[tuple[str, tuple[Fact, int | None]]]:
    """For each host that was asked the fact, and its place among the distinct machines."""
    if look is None:
        return
    seen = (change for change in look.changes if change.kind in _SEEN_CHANGES)
    changed = by_key((host, change_text(change)) for change in seen for host in change.hosts)
    for number, group in enumerate(look.machines):
        text = machine_text(group, first=not number)
        for host in group.hosts:
            changes = f"changed since the last look: {'; '.join(changed[host])}" if host in changed else ""
            if number:
                fact = Fact("differs", "warn", reason="; ".join(part for part in (text, changes) if part))
            else:
                fact = Fact("changed", "warn", reason=changes) if changes else Fact("alike", "plain", reason=text)
            yield host, (fact, number)
    for each in look.inventory.problems:
        yield each.host, (_no_answer(each), None)


def _no_answer(look: HostLook) -> Fact:
    problem = look.problem
    assert problem is not None
    reason = f"{STATE_WORDS[problem.state]}: {safe(problem.sentence, longest=_LONGEST)}"
    return Fact("no answer", "silent", reason=reason, hint=safe(problem.hint, longest=_LONGEST))


def _sheet(planned: SheetHost | None) -> Fact:
    if planned is None:
        return NOTHING
    reason = safe(planned.reason or planned.differs, longest=_LONGEST)
    match planned.state:
        case "planned":
            return Fact("planned", "plain", reason=reason)
        case "left out":
            return Fact("left out", "off", reason=reason)
        case "refused":
            return Fact("refused", "bad", reason=reason)


def _checked(check: FleetCheck | None) -> Mapping[str, CheckedHost]:
    return {each.host: each for each in check.hosts} if check is not None else {}


def _check(checked: CheckedHost) -> Fact:
    codes = sorted({finding.code for finding in warnings(checked.findings)})
    reason, hint = safe(checked.sentence, longest=_LONGEST), safe(checked.hint, longest=_LONGEST)
    match checked.verdict:
        case "ready":
            return Fact("ready", "plain", reason=safe(f"warnings: {', '.join(codes)}") if codes else "")
        case "begun":
            return Fact("begun", "plain", reason=reason, hint=hint)
        case "no answer":
            return Fact("no answer", "silent", reason=reason, hint=hint)
        case "refused" | "stale":
            return Fact(checked.verdict, "bad", reason=reason, hint=hint)


def _build(run: FleetRunHost, *, begun: bool) -> Fact:
    kind, word = stage_word(run.stage), stage_word(run.stage, run.run)
    if run.stage in ENDED_BADLY:
        stage = STAGE_WORDS[run.stage]
        reason = ": ".join(
            part for part in (stage if stage != kind else "", safe(run.reason, longest=_LONGEST)) if part
        )
        return Fact(kind, "silent" if run.stage == "lost" else "bad", word, reason)
    match run.stage:
        case "building" | "undoing":
            return Fact(kind, "busy", word, steps=None if run.run is None else steps_of(run.run))
        case "built":
            return Fact(kind, "good", word)
        case "undone":
            return Fact(kind, "off", word)
        case _:
            return Fact(kind, "off" if begun else "none", word)


# Hosts folded by what is known of them: those of which the same is said are one group, the gravest first.


@dataclass(frozen=True, slots=True)
class HostGroup:
    """Hosts of which the same is known."""

    name: str
    """as one node set, `node[01-57]`"""
    hosts: tuple[HostFacts, ...]
    """in the order of the fleet"""
    facts: tuple[Fact, ...]
    """as `HostFacts.facts`; a reason that names its host says HOST where there are several"""
    headline: Fact


def host_groups(hosts: Sequence[HostFacts]) -> tuple[HostGroup, ...]:
    """Groups of `hosts`: gravest first, then the largest, then in the order of the fleet."""
    found: dict[object, list[HostFacts]] = {}
    for host in hosts:
        told = ((fact.kind, fact.concern, *_reason(fact, host.host)) for fact in host.facts)
        key = (host.machine_group, host.plan_kind, *told)
        found.setdefault(key, []).append(host)
    groups = [_group(tuple(members)) for members in found.values()]
    return tuple(sorted(groups, key=lambda group: (gravity(group.headline.concern), -len(group.hosts))))


def headline_counts(hosts: Sequence[HostFacts]) -> tuple[tuple[int, str, Concern], ...]:
    """How many hosts there are of each headline, with its word, the gravest first."""
    counts = Counter((host.headline.kind, host.headline.concern) for host in hosts)
    ordered = sorted(counts.items(), key=lambda item: (gravity(item[0][1]), -item[1]))
    return tuple((count, _plural(kind) if count > 1 else kind, concern) for (kind, concern), count in ordered)


def _plural(kind: str) -> str:
    return {"differs": "differ"}.get(kind, kind)


def _reason(fact: Fact, host: str) -> tuple[str, str]:
    if fact.steps is not None:
        return "", ""
    return without_host(fact.reason, host), without_host(fact.hint, host)


def _group(members: tuple[HostFacts, ...]) -> HostGroup:
    first = members[0]
    if len(members) == 1:
        return HostGroup(first.host, members, first.facts, first.headline)
    columns = zip(*(host.facts for host in members), strict=True)
    facts = tuple(_spanned(column, first.host) for column in columns)
    return HostGroup(fold_nodeset(host.host for host in members), members, facts, _headline(first, facts))


def _headline(first: HostFacts, facts: tuple[Fact, ...]) -> Fact:
    return facts[first.facts.index(first.headline)]


def _spanned(facts: tuple[Fact, ...], host: str) -> Fact:
    """The fact of all: its word where they have the same, else its kind with the steps between which they are.

    `host`: the first one, whose name is not in the reason of all.
    """
    reason, hint = _reason(facts[0], host)
    first = facts[0]._replace(reason=reason, hint=hint)
    if len({fact.word for fact in facts}) == 1:
        return first
    steps = [fact.steps for fact in facts if fact.steps is not None]
    if not steps:
        return first._replace(word="")
    now = [each for each, _ in steps]
    reason = f"at step {min(now)} to {max(now)} of {max(of for _, of in steps)}"
    return first._replace(word="", reason=reason)


# Findings about hosts as a set: versions and clocks that differ, slow hosts, one disk or machine seen twice.


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
