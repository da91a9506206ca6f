"""The order of a build of many hosts: a canary, then waves, and the rule that stops it.

The decision depends on the stages of the hosts alone, which the hosts themselves report: whichever control host asks
them next comes to the same decision, so nothing is lost with the one that began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidtui.model.counted import counted
from raidtui.model.fleet.rollout import ENDED_BADLY, HostStage, Rollout, RolloutDecision
from raidtui.model.fleet.sheet import Sheet

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
