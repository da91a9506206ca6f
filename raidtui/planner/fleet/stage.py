"""How far a host is: what its answer means, and what it means that no answer came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from raidtui.model.fleet.hosts import HostEffect
from raidtui.model.fleet.rollout import HostStage
from raidtui.model.run import RunStatus

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
