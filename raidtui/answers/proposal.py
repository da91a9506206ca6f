"""The answer of `raidtui propose`: picks, the front, answers to questions, vendor rules; and the guide's card."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raidtui.advice.proposals.guide import Answers, StartQuestion, chosen
from raidtui.advice.proposals.pick_reasons import Suggestion
from raidtui.answers.findings import finding_items
from raidtui.answers.plain_text import Paint, plain_lines, unpainted
from raidtui.values.amounts import (
    cause_words,
    hours,
    known_iops,
    known_rate,
    loss_words,
    odds_base,
    rate_figure,
    spares_text,
)
from raidtui.values.blocks import Block, BlockTone, Cell, Grid, Heading, Item, Items, Pairs, Paragraph, cells
from raidtui.values.codec import by_key
from raidtui.values.notation import LayoutText
from raidtui.values.proposal import Candidate, Pick, PickName, Proposal
from raidtui.values.units import binary_size, counted, grouped

WIDTH = 100
_ASKED, _BREAKS = "C", "x"
_RULES = ("picks-rules", "weights")
"""findings that say what the picks obey"""
_SENTENCE = re.compile(r"(?<=\.) (?=[A-Z])")
_WITH_UNITS = 96
"""columns from which rates in the table have their units"""
_MARKS: dict[PickName, str] = {
    "suggested": "G", "most room": "M", "balanced": "B", "fastest": "F", "safest": "S", "quickest rebuild": "Q",
}  # fmt: skip


def proposal_text(proposal: Proposal, *, width: int = WIDTH, paint: Paint = unpainted) -> str:
    """The proposal as lines of at most `width` columns (80 and more); `paint` colours the best and severities."""
    return "\n".join(plain_lines(proposal_blocks(proposal, wide=width >= _WITH_UNITS), paint, width))


def proposal_blocks(proposal: Proposal, *, wide: bool) -> tuple[Block, ...]:
    """How many layouts there are, the picks, the front as a table, reasons. `wide`: with units and the worst case."""
    shown = [each for each in proposal.candidates if each.shown] or list(proposal.candidates)
    on_front = sum(each.on_front for each in proposal.candidates)
    allow = "allows" if proposal.disks == 1 else "allow"
    head = (
        f"{counted(proposal.disks, 'disk')} {allow} {grouped(proposal.considered)} layouts; of "
        f"{grouped(proposal.compared)} that people build {on_front} are best trade-offs."
    )
    none = f"{counted(proposal.disks, 'disk')}: no proposal."
    rules = (Paragraph(text=each.message) for each in proposal.findings if each.code in _RULES)
    return (
        Paragraph(text=head if proposal.candidates else none), *rules,
        *(block for layout in picks_by_layout(proposal) for block in pick_blocks(proposal, layout)),
        *(_table(shown, wide=wide) if shown else ()), *why_blocks(proposal),
    )  # fmt: skip


def picks_by_layout(proposal: Proposal) -> dict[LayoutText, list[Pick]]:
    """Each picked layout once, with all its names."""
    return by_key((pick.layout, pick) for pick in proposal.picks)


def pick_blocks(proposal: Proposal, layout: LayoutText) -> tuple[Block, ...]:
    """Names, figures, reasons and alternatives of a picked layout."""
    own = picks_by_layout(proposal)[layout]
    sentences = dict.fromkeys(sentence for pick in own for sentence in _SENTENCE.split(pick.reason))
    found = next(each for each in proposal.candidates if each.layout == layout)
    names = ", ".join(pick.name for pick in own).upper()
    return (
        Heading(text=f"{names}: {layout}", level=3, tone="good"), Paragraph(text=_figures(found)),
        Paragraph(text=" ".join(sentences)), Paragraph(text=f"Alternatives: {own[0].gives_up}"),
    )  # fmt: skip


def why_blocks(proposal: Proposal) -> tuple[Block, ...]:
    """Why not another layout, what vendors recommend, what else there is to say."""
    blocks: list[Block] = []
    for each in proposal.why_not:
        blocks += [Heading(text=each.question, level=3), Paragraph(text=each.answer)]
    blocks += points("NUMBER OF SPARES AND WIDTH: COMPUTED, AND VENDOR RECOMMENDATIONS", proposal.vendors)
    if notes := finding_items([each for each in proposal.findings if each.code not in _RULES]):
        blocks += [Heading(text="NOTES"), *notes]
    return tuple(blocks)


def points(title: str, texts: Sequence[str]) -> tuple[Block, ...]:
    """A heading over a list of sentences; nothing where there is none."""
    items = tuple(Item(mark="", text=text) for text in texts)
    return (Heading(text=title), Items(items=items)) if items else ()


def _figures(found: Candidate) -> str:
    parts = [
        f"{binary_size(found.usable_bytes)} usable",
        f"reads {known_rate(found.seq_read_bytes_per_s)}",
        f"writes {known_rate(found.seq_write_bytes_per_s)}",
        f"random reads {known_iops(found.rand_read_iops)}",
        f"random writes {known_iops(found.rand_write_iops)}",
        f"loss {loss_words(found.any_loss_1y, found.any_loss_1y_correlated)}",
        cause_words(
            found.annual_array_loss_probability,
            found.annual_sector_loss_probability,
            found.annual_enclosure_loss_probability,
        ),
        f"rebuild {hours(found.rebuild_hours)}",
        spares_text(found.spares),
    ]
    if found.cost is not None:
        parts.append(f"cost {grouped(round(found.cost))}")
    return ", ".join(parts) + "."


def _table(shown: Sequence[Candidate], *, wide: bool) -> tuple[Block, ...]:
    priced = any(each.cost is not None for each in shown)
    worst, cost = (("WORST",) if wide else ()), (("COST",) if priced else ())
    heads = ("", "LAYOUT", "USABLE", "READ", "WRITE", "RAND R", "RAND W", "LOSS", "ARRAY", *worst, "REBUILD", *cost)
    grid = Grid(
        columns=heads, rows=tuple(cells(*_row(each, priced, wide=wide)) for each in shown),
        right=frozenset(range(2, len(heads))),
    )  # fmt: skip
    used_marks = {name for each in shown for name in each.picks}
    legend = [f"{mark} {name}" for name, mark in _MARKS.items() if name in used_marks]
    legend += [f"{_ASKED} compared"] if any(each.asked for each in shown) else []
    legend += [f"{_BREAKS} breaks a rule of the picks"] if any(each.breaks for each in shown) else []
    rates = "Read and write" if wide else "Read and write, in GB/s,"
    plan = "; plan with the worst, any loss with correlated failures" if wide else ""
    return Heading(text="LAYOUTS"), grid, Paragraph(text="; ".join(legend)), Paragraph(
        text="The table lists the front and what is compared with it. Usable is what df shows as available."
        f" {rates} are for many streams on empty disks (outer zone). Random reads and writes are of 4 KiB at depth, "
        f"per second. Loss is the chance within a year that any data is lost, mostly 4 KiB of a file. Array is that "
        f"of a volume, by disks{plan}. Rebuild is for one member.",
    )  # fmt: skip


def _row(found: Candidate, priced: bool, *, wide: bool) -> list[str]:
    rates = (found.seq_read_bytes_per_s, found.seq_write_bytes_per_s)
    operations = (found.rand_read_iops, found.rand_write_iops)
    return [
        "".join(_MARKS[name] for name in found.picks)
        + (_ASKED if found.asked else "")
        + (_BREAKS if found.breaks else ""),
        found.layout,
        binary_size(found.usable_bytes),
        *(known_rate(each) if wide else rate_figure(each / 1e9) for each in rates),
        *(known_iops(each).removesuffix(" IOPS") for each in operations),
        odds_base(found.any_loss_1y),
        odds_base(found.annual_array_loss_probability),
        *([odds_base(found.any_loss_1y_correlated)] if wide else []),
        hours(found.rebuild_hours),
        *([grouped(round(found.cost)) if found.cost is not None else "-"] if priced else []),
    ]


def card_blocks(card: Suggestion | None) -> tuple[Block, ...]:
    """The suggestion: its sentence, what is said of a high risk, its figures; without one that the search runs."""
    if card is None:
        return (Paragraph(text="Comparing all layouts of these disks ...", tone="quiet"),)
    risk = (Paragraph(text=card.warning, tone="bad"),) if card.warning else ()
    return Paragraph(text=card.sentence), *risk, *((Pairs(pairs=card.facts),) if card.facts else ())


DONE = "suggestion"
"""key of the row that shows the suggestion"""


def answer_key(question: str, answer: str) -> str:
    """Key of the row of an answer."""
    return f"{question} {answer}"


def questions_table(asked: Sequence[StartQuestion], answers: Answers) -> Grid:
    """The guide's questions, below each its answers with the picked one marked; the keys are those of `answer_key`."""
    rows: list[tuple[Cell, ...]] = []
    keys: list[str] = []
    for question in asked:
        rows.append((Cell(text=question.words, strong=True),))
        keys.append("")
        for choice in question.choices:
            picked = choice.name == chosen(answers, question.field)
            tone: BlockTone = "" if choice.possible else "quiet"
            words = Cell(text=f"({'*' if picked else ' '}) {choice.words}", strong=picked, tone=tone)
            rows.append((words, Cell(text=choice.about, tone="quiet")))
            keys.append(answer_key(question.field, choice.name))
    rows.append((Cell(text="[ show the suggestion ]", strong=True),))
    return Grid(columns=("", ""), rows=tuple(rows), keys=(*keys, DONE))
