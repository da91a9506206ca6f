"""How far a host is with its run."""

from __future__ import annotations

from raidtui.model.fleet.rollout import HostStage
from raidtui.model.run import RunStatus


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
