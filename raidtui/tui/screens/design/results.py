"""Results and findings of a decision, in reading order."""

from __future__ import annotations

from collections.abc import Sequence

from raidtui.model.finding import Finding, gravest_first
from raidtui.model.units import exact_binary
from raidtui.planner.design.chunk_advice import MEASURE, advised_chunk
from raidtui.planner.figures.capacity import taken
from raidtui.planner.figures.row import FigureRow
from raidtui.planner.figures.rows import figure_groups
from raidtui.planner.findings import note, subject
from raidtui.tui.fields.build import PURPOSE_WORDS
from raidtui.tui.state.mixed_sizes import gain_words, idle_words, mixed_sizes
from raidtui.tui.state.outcome import DesignOutcome


def results(outcome: DesignOutcome) -> tuple[FigureRow, ...]:
    """All rows: capacity, speed, risk, then the layers; only the number of disks if the design is refused."""
    prediction, disks = outcome.prediction, outcome.disks
    if not prediction.arrays:
        return (taken(prediction, len(disks)),)
    found = figure_groups(outcome.assessed, outcome.decision.assumptions, disks)
    return (*found.asked, *found.capacity, *found.speed, *found.risk, *found.causes, *found.layers)


def _chunk_advice(outcome: DesignOutcome) -> Sequence[Finding]:
    """A note where another chunk suits the use of the file system."""
    design, purpose = outcome.decision.design, outcome.decision.purpose
    advice = advised_chunk(purpose)
    if not outcome.prediction.true_sunit_bytes or design.chunk_bytes == advice.chunk_bytes:
        return ()
    advised = exact_binary(advice.chunk_bytes)
    return (
        note(
            "chunk-advice", f"Chunk {advised} is advised for {PURPOSE_WORDS[purpose]}: {advice.reason}.", MEASURE
        ),
    )  # fmt: skip


def _mixed_sizes(outcome: DesignOutcome) -> Sequence[Finding]:
    """A note where the design does not use all of disks of several sizes."""
    mixed = mixed_sizes(outcome)
    if mixed is None:
        return ()
    idle, gain = idle_words(mixed), gain_words(mixed)
    why = f"{idle}: the design's disks have another size." if idle else "The disks have several sizes."
    way_out = f"{gain}; Compare offers it" if gain else "Compare also offers layouts for mixed sizes"
    return (note("disks-of-several-sizes", why, way_out, subject(mixed.idle)),)


def findings(outcome: DesignOutcome) -> Sequence[Finding]:
    """All findings, most severe first: sizes, placement, then deviations of md from the simple rule."""
    placed = outcome.placement.findings if outcome.placement else ()
    noted = outcome.throughput.notes if outcome.throughput else ()
    notes = (Finding(severity="note", code="throughput", message=words, way_out="") for words in noted)
    found = (*_mixed_sizes(outcome), *_chunk_advice(outcome), *outcome.prediction.findings, *placed, *notes)
    return gravest_first(found)
