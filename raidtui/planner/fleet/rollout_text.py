"""A build of many hosts in words: the page that is confirmed, a line for each change, and the state of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from raidtui.model.by_key import by_key
from raidtui.model.counted import counted
from raidtui.model.fleet.rollout import HostStage, Rollout, RolloutDecision
from raidtui.model.fleet.sheet import Sheet
from raidtui.model.run import RunStatus
from raidtui.model.safe import safe
from raidtui.planner.fleet.waves import waves
from raidtui.tools.nodeset import fold_nodeset

RolloutWord = Literal["erase", "undo"]
_ORDER: tuple[HostStage, ...] = (
    "built", "building", "undone", "undoing", "waiting", "stopped", "interrupted", "failed", "refused", "other-machine",
    "lost",
)  # fmt: skip
STAGE_WORDS: Mapping[HostStage, str] = {
    "waiting": "not started",
    "building": "building",
    "built": "built",
    "stopped": "stopped by request",
    "interrupted": "interrupted",
    "failed": "failed",
    "refused": "refused, nothing was started",
    "other-machine": "not the machine of its plan, nothing was started",
    "lost": "no answer",
    "undoing": "undoing",
    "undone": "undone",
}


def stage_word(stage: HostStage, run: RunStatus | None = None) -> str:
    """The stage in one or two words, for a column; with the run of a host that builds, its step."""
    if stage == "building" and run is not None and run.steps:
        now, of = steps_of(run)
        return f"step {now} of {of}"
    return {"lost": "no answer", "other-machine": "other machine"}.get(stage, stage)


def steps_of(run: RunStatus) -> tuple[int, int]:
    """The step at work, else the last one that was proven, and how many there are."""
    now = next((step.number for step in run.steps if step.state == "running"), run.steps_done)
    return now, len(run.steps)


def fleet_phrase(word: RolloutWord, sheet: Sheet, hosts: Sequence[str]) -> str:
    """What is typed to confirm: word, number of disks, number of hosts, end of the digest."""
    return f"{word} {_disks(sheet, hosts)} on {len(hosts)} {sheet.digest[-8:]}"


def _disks(sheet: Sheet, hosts: Sequence[str]) -> int:
    wanted = set(hosts)
    return sum(len(host.erases) for host in sheet.hosts if host.host in wanted)


def rollout_page(sheet: Sheet, rollout: Rollout) -> tuple[str, ...]:
    """What is built where, in which order, and what stops it."""
    disks = _disks(sheet, rollout.hosts)
    order = waves(rollout)
    rest = len(order) - 1
    sizes = f", then {counted(rest, 'wave')} of up to {counted(rollout.wave_size, 'host')}" if rest else ""
    return (
        f"Build {counted(len(rollout.hosts), 'host')} of sheet {sheet.digest[:8]}: all content of "
        f"{counted(disks, 'disk')} will be lost.",
        "",
        f"Hosts: {fold_nodeset(rollout.hosts)}",
        f"Order: {rollout.canary} alone{sizes}",
        f"Stop:  no further host starts when {rollout.canary} or {counted(rollout.stop_after, 'host')} ended badly,",
        "       or when a host is not the machine that was planned for.",
        "Every host builds by itself; this program starts, asks and shows. When it ends,",
        "or a stop holds, hosts that build go on.",
        "",
        f"Digest of the sheet: {sheet.digest}",
    )


def undo_page(sheet: Sheet, hosts: Sequence[str], files: Mapping[str, str | None]) -> tuple[str, ...]:
    """What is removed where, and how many files are lost with it."""
    lost = [f"{host}: {count} files on its arrays will be lost" for host, count in files.items() if count]
    return (
        f"Undo the build of sheet {sheet.digest[:8]} on {counted(len(hosts), 'host')}, one after another:",
        "removes the devices that it created; all data on them will be lost.",
        "",
        f"Hosts: {fold_nodeset(hosts)}",
        *(lost or ["No files are on the arrays."]),
        "The content of the disks before the build cannot be restored.",
        "",
        f"Digest of the sheet: {sheet.digest}",
    )


def stages_lines(stages: Mapping[str, HostStage], details: Mapping[str, str]) -> tuple[str, ...]:
    """All hosts by their stage, folded; below each stage that ended badly its reasons."""
    lines = []
    for stage in _ORDER:
        hosts = [host for host, each in stages.items() if each == stage]
        if not hosts:
            continue
        for reason, same in by_key((details.get(host, ""), host) for host in hosts).items():
            lines.append(f"{fold_nodeset(same)}: {STAGE_WORDS[stage]}{f': {reason}' if reason else ''}")
    return tuple(lines)


def run_detail(run: RunStatus | None) -> str:
    """How far a run is: steps, and why it ended."""
    if run is None:
        return ""
    if run.outcome == "finished":
        return ""
    steps = f"{run.steps_done} of {counted(len(run.steps), 'step')} done"
    return f"{steps}: {safe(run.reason, longest=200)}" if run.reason else steps


def decision_line(decision: RolloutDecision) -> str:
    """What the rollout does next; empty where it only waits."""
    match decision.kind:
        case "start":
            return f"starting {fold_nodeset(decision.hosts)}"
        case "stop":
            return f"stop: {fold_nodeset(decision.hosts)}: {decision.reason}; no further host is started"
        case "done":
            return "all hosts have ended"
        case "wait":
            return ""
