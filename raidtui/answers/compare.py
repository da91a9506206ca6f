"""Layouts against each other: every figure side by side with what is gained and lost, and the reasons of a proposal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from raidtui.advice.proposals.scored_layout import ERROR, dominates
from raidtui.answers.design import changes
from raidtui.answers.proposal import pick_blocks, picks_by_layout, points, why_blocks
from raidtui.values.amounts import (
    LEAST_ODDS,
    any_failures,
    cause_words,
    hours,
    known_iops,
    known_rate,
    listed,
    loss_words,
    odds,
    percent,
)
from raidtui.values.blocks import (
    EQUAL,
    Block,
    BlockTone,
    Cell,
    FigureRow,
    Grid,
    Paragraph,
    likelier,
    likelier_in_short,
    signed_count,
)
from raidtui.values.choices import Wish
from raidtui.values.proposal import Candidate, Proposal
from raidtui.values.units import binary_size, grouped

_TONES: dict[str, BlockTone] = {"better": "good", "worse": "warn"}


def candidate_rows(found: Candidate) -> tuple[FigureRow, ...]:
    """Every figure of a layout, with what makes it better than that of another one, beyond its error."""
    layout = found.layout.layout
    return (
        _amount("Usable", found.usable_bytes, binary_size, "capacity"),
        _amount("Reading", found.seq_read_bytes_per_s, known_rate, "read", str(found.read_bottleneck)),
        _amount("Writing", found.seq_write_bytes_per_s, known_rate, "write", str(found.write_bottleneck)),
        _amount("Random reads", found.rand_read_iops, known_iops, "random-read"),
        _amount("Random writes", found.rand_write_iops, known_iops, "random-write"),
        FigureRow(title="Survives", value=any_failures(layout.survives), number=layout.survives,
                  delta=signed_count("disk"), better="more"),
        FigureRow(title="Outlives", value=f"any one {listed(found.outlives)}" if found.outlives else "no unit",
                  number=len(found.outlives), delta=signed_count("unit"), better="more",
                  about="Units that hold several disks, such as a controller, any one of which may fail."),
        FigureRow(title="Rebuild", value=hours(found.rebuild_hours), number=found.rebuild_hours or math.inf,
                  delta=_hours, better="less"),
        _chance("Loss a year", found.any_loss_1y),
        _chance("Loss at worst", found.any_loss_1y_correlated),
        _chance("Array loss", found.annual_array_loss_probability),
        _chance("Sector loss", found.annual_sector_loss_probability),
        FigureRow(title="Spares", value=str(found.spares), number=found.spares, delta=_signed,
                  better="more"),
        FigureRow(title="Disks", value=str(found.disks), number=found.disks, delta=_signed, better="less"),
        *((_cost(found.cost),) if found.cost is not None else ()),
    )  # fmt: skip


def _amount(title: str, value: int, text: Callable[[int], str], error: Wish, *notes: str) -> FigureRow:
    """A figure that is compared by its ratio."""

    def share(difference: float) -> str:
        ratio = math.exp(difference) - 1
        return EQUAL if abs(ratio) < ERROR[error] else f"{'+' if ratio > 0 else '-'}{percent(abs(ratio))}"

    number = math.log(value) if value > 0 else None
    return FigureRow(title=title, value=text(value), notes=notes, number=number, delta=share, better="more")


def _chance(title: str, chance: float) -> FigureRow:
    return FigureRow(
        title=title, value=odds(chance), number=math.log(max(chance, LEAST_ODDS)), delta=likelier,
        short_delta=likelier_in_short, better="less",
    )  # fmt: skip


def _signed(difference: float) -> str:
    return f"{int(difference):+d}" if difference else EQUAL


def _hours(difference: float) -> str:
    if math.isnan(difference) or abs(difference) < 1 / 60:
        return EQUAL
    if math.isinf(difference):
        return "rebuilds nothing" if difference > 0 else "rebuilds"
    return f"{'+' if difference > 0 else '-'}{hours(abs(difference))}"


def _cost(cost: float) -> FigureRow:
    def gap(difference: float) -> str:
        return f"{'+' if difference > 0 else '-'}{grouped(round(abs(difference)))}" if difference else EQUAL

    return FigureRow(title="Cost", value=grouped(round(cost)), number=cost, delta=gap, better="less")


def difference(one: Candidate, other: Candidate) -> str:
    """What is worse and better about `one` in place of `other`, and that the rest is equal."""
    return " ".join(f"{part}." for part in changes(candidate_rows(other), candidate_rows(one)))


def comparison(candidates: Sequence[tuple[str, Candidate]]) -> tuple[Block, ...]:
    """Two or three named layouts in one table: each figure, and what it gains or loses against the first."""
    (name, first), *others = candidates
    rows = [candidate_rows(found) for _, found in candidates]
    grid = Grid(
        columns=("", *(each for each, _ in candidates)),
        rows=tuple(_compared(figures) for figures in zip(*rows, strict=False)),
    )
    told = (Paragraph(text=f"{each} in place of {name}. {difference(found, first)}") for each, found in others)
    return grid, *told


def _compared(figures: Sequence[FigureRow]) -> tuple[Cell, ...]:
    """One figure of each layout."""
    first, *others = figures
    cells = [Cell(text=first.title, tone="quiet"), Cell(text=first.value)]
    for figure in others:
        found = figure.difference(first.number, short=True)
        words = "" if found is None else f" ({found.words})" if found.words != EQUAL else f" {EQUAL}"
        cells.append(Cell(text=f"{figure.value}{words}", tone=_TONES.get(found.kind, "") if found else ""))
    return tuple(cells)


# Remarks on one layout, and the reasons of a proposal.


def remarks(
    found: Candidate, proposal: Proposal | None, present: tuple[str, Candidate] | None, *, is_present: bool
) -> tuple[str, ...]:
    """What there is to say of a layout: against the present design, why it was picked, what a loss is made of."""
    texts: list[str] = []
    if is_present:
        texts.append(_standing(found, proposal))
    elif present is not None:
        name, other = present
        same = found.layout == other.layout
        against = "The present layout, spread over the chassis" if same else f"Instead of the {name}"
        texts.append(f"{against}. {difference(found, other)}")
    for pick in proposal.picks if proposal is not None and found.picks else ():
        if pick.layout == found.layout:
            texts += [pick.reason, *([f"Alternatives: {pick.gives_up}"] if pick.gives_up else [])]
    causes = cause_words(
        found.annual_array_loss_probability, found.annual_sector_loss_probability,
        found.annual_enclosure_loss_probability,
    )  # fmt: skip
    texts.append(f"Loss {loss_words(found.any_loss_1y, found.any_loss_1y_correlated)}, by any cause: {causes}.")
    return tuple(texts)


def _standing(present: Candidate, proposal: Proposal | None) -> str:
    """Whether another layout is as good in everything and better in something."""
    if proposal is None:
        return "The search for other layouts is running."
    ahead = ahead_of(present, proposal.candidates)
    if ahead is None:
        return "No layout within the constraints is as good in every measure and better in one."
    return f"Behind {ahead.layout}, which is as good in every measure. {difference(ahead, present)}"


def ahead_of(candidate: Candidate, others: Sequence[Candidate]) -> Candidate | None:
    """The first of `others` that dominates `candidate`; None if it is on the Pareto front."""
    mine = _goodness(candidate)
    return next((other for other in others if dominates(_goodness(other), mine)), None)


def _goodness(found: Candidate) -> tuple[float, ...]:
    """The measures of the Pareto front, each with larger as better."""
    return (
        found.usable_bytes, found.seq_read_bytes_per_s, found.seq_write_bytes_per_s, found.rand_read_iops,
        found.rand_write_iops, -(found.rebuild_hours or math.inf), -found.any_loss_1y, -(found.cost or 0.0),
    )  # fmt: skip


def reasons(proposal: Proposal, asked: Sequence[str]) -> tuple[Block, ...]:
    """Why these layouts and not others: what was asked, the picks, questions, vendors' rules, findings."""
    picks = (block for layout in picks_by_layout(proposal) for block in pick_blocks(proposal, layout))
    return (*points("UNDERSTOOD", asked), *picks, *why_blocks(proposal))
