"""Hosts folded by what is known of them: those of which the same is said are one group, the gravest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from raidtui.planner.fleet.host_facts import Concern, Fact, HostFacts, gravity
from raidtui.planner.fleet.look_text import without_host
from raidtui.tools.nodeset import fold_nodeset


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
