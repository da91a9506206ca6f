"""What is to be said of each host: its machine, its line of the sheet, its check and build, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from raidtui.model.by_key import by_key
from raidtui.model.finding import warnings
from raidtui.model.fleet.check import CheckedHost, FleetCheck
from raidtui.model.fleet.fold import FleetLook
from raidtui.model.fleet.hosts import HostLook
from raidtui.model.fleet.overview import FleetOverview
from raidtui.model.fleet.rollout import ENDED_BADLY, FleetRunHost
from raidtui.model.fleet.sheet import SheetHost
from raidtui.model.safe import safe
from raidtui.planner.fleet.look_text import STATE_WORDS, change_text, machine_text
from raidtui.planner.fleet.rollout_text import STAGE_WORDS, stage_word, steps_of

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
