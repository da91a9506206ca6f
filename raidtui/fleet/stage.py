"""How far a host is: what its answer means, and what it means that no answer came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from raidtui.fleet.sheet import Sheet
from raidtui.fleet.values import ENDED_BADLY, HostEffect, HostStage, Rollout, RolloutDecision
from raidtui.values.run import RunStatus
from raidtui.values.units import counted

Deed = Literal["order", "ask", "change"]
"""`order`: begin. `ask`: how far it is; starts nothing. `change`: resume or undo what has begun"""
Known = Literal["waiting", "busy", "ended"]
"""what is known of a host before: that it has not begun, that it has begun or may have, or how it ended"""
NoAnswer = Literal["refused", "failed", "lost", "busy", "as before"]
"""`busy` lasts until a host was ordered too often, or did not answer for too long: then it is lost"""
TOLD: Mapping[tuple[Literal["order", "change"], HostEffect | None], NoAnswer] = {
    ("order", "none"): "refused",
    ("order", "part"): "failed",
    ("order", None): "busy",  # it may have begun: it is asked before it is ordered again
    ("change", "none"): "refused",
    ("change", "part"): "failed",
    ("change", None): "lost",
}
"""what a host is taken for that was told something and gave no answer, by what that did there (None: not known)"""
ASKED: Mapping[Known, NoAnswer] = {
    "waiting": "lost",  # whether it began is not known: it is not started
    "busy": "busy",
    "ended": "as before",
}
"""what a host is taken for that was asked and gave no answer, by what was known of it before"""


def stage_of(run: RunStatus | None) -> HostStage:
    """The stage that the state of the run means; None: it has not begun."""
    if run is None:
        return "waiting"
    match run.outcome:
        case "running":
            return "undoing" if run.purpose == "undo" else "building"
        case "finished":
            return "undone" if run.purpose == "undo" else "built"
        case "stopped" | "interrupted" | "failed":
            return run.outcome


# The order of a build of many hosts: a canary, then waves, and the rule that stops it.
# The decision depends on the stages of the hosts alone, which the hosts themselves report: whichever control host asks
# them next comes to the same decision, so nothing is lost with the one that began.


_BUSY: frozenset[HostStage] = frozenset({"building", "undoing"})


def rollout_of(sheet: Sheet, hosts: Sequence[str]) -> Rollout:
    """How these hosts of the sheet are built: by the order that was signed with it, and by nothing that a host says."""
    first = sheet.order.first if sheet.order.first in hosts else hosts[0]
    return Rollout(
        sheet_digest=sheet.digest, hosts=tuple(hosts), canary=first, wave_size=sheet.order.wave_size,
        stop_after=sheet.order.stop_after,
    )  # fmt: skip


def waves(rollout: Rollout) -> tuple[tuple[str, ...], ...]:
    """The hosts that build at a time, in order: the canary alone, then `wave_size` at a time."""
    rest = [host for host in rollout.hosts if host != rollout.canary]
    sizes = range(0, len(rest), rollout.wave_size)
    return ((rollout.canary,), *(tuple(rest[first : first + rollout.wave_size]) for first in sizes))


def decide(rollout: Rollout, stages: Mapping[str, HostStage]) -> RolloutDecision:
    """What is next. `stages`: of every host of the rollout.

    A wave starts only when no host of an earlier one builds any more. A stop starts no host; those that build finish.
    """
    bad = tuple(host for host in rollout.hosts if stages[host] in ENDED_BADLY)
    strangers = tuple(host for host in bad if stages[host] == "other-machine")
    if strangers:
        return RolloutDecision(kind="stop", hosts=strangers, reason="not the machine that was planned for")
    if rollout.canary in bad:
        return RolloutDecision(
            kind="stop", hosts=(rollout.canary,), reason=f"the first host ended {stages[rollout.canary]}"
        )
    if len(bad) >= rollout.stop_after:
        reason = f"{counted(len(bad), 'host')} ended badly, the limit is {rollout.stop_after}"
        return RolloutDecision(kind="stop", hosts=bad, reason=reason)
    for wave in waves(rollout):
        if waiting := tuple(host for host in wave if stages[host] == "waiting"):
            return RolloutDecision(kind="start", hosts=waiting)
        if busy := tuple(host for host in wave if stages[host] in _BUSY):
            return RolloutDecision(kind="wait", hosts=busy)
    return RolloutDecision(kind="done")
