"""Results and findings of a decision, in reading order."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.finding import Finding, gravest_first
from raidtui.tui.screens.design.result import Result
from raidtui.tui.screens.design.results_capacity import exact_room, room_results, taken
from raidtui.tui.screens.design.results_layers import layer_results
from raidtui.tui.screens.design.results_risk import domain_result, risk_results, split_results
from raidtui.tui.screens.design.results_speed import speed_results
from raidtui.tui.state.session import Outcome


def results(outcome: Outcome) -> tuple[Result, ...]:
    """All results: capacity, speed, risk, then the layers; only the number of disks if the design is refused."""
    prediction, disks = outcome.prediction, len(outcome.disks)
    if not prediction.arrays:
        return (taken(prediction, disks),)
    decision = outcome.decision
    speed, risk, placement = outcome.throughput, outcome.durability, outcome.placement
    return (
        *room_results(prediction, disks),
        *(speed_results(speed) if speed else ()),
        *(risk_results(decision.design, risk, decision.assumptions) if risk else ()),
        *((domain_result(placement),) if placement else ()),
        *(split_results(risk, decision.assumptions) if risk else ()),
        exact_room(prediction),
        *layer_results(prediction),
    )


def findings(outcome: Outcome) -> Sequence[Finding]:
    """All findings, most severe first: sizes, placement, then deviations of md from the simple rule."""
    placed = outcome.placement.findings if outcome.placement else ()
    noted = outcome.throughput.notes if outcome.throughput else ()
    notes = (Finding(severity="note", code="throughput", message=words, way_out="") for words in noted)
    found = (*outcome.prediction.findings, *placed, *notes)
    return gravest_first(found)
