"""The answer about a design: headline figures, groups that open, and what a change made better and worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidtui.answers.figures import capacity_rows, figure_groups, headline, survives, taken, usable
from raidtui.answers.findings import finding_items
from raidtui.answers.plain_text import Paint, columns, plain_lines, unpainted
from raidtui.answers.risk import loss_in_a_year, rebuild_row, risk_basis, spares_row, worst_in_a_year
from raidtui.answers.speed import asked_lines, both_limits, random_pair, read_and_write, speed_basis
from raidtui.predict.placement.certificate import certificate_text
from raidtui.predict.speed.tunables import tunables
from raidtui.values.amounts import any_failures, known_iops, known_pair, odds, spares_text
from raidtui.values.assumptions import Assumptions
from raidtui.values.blocks import Block, BlockTone, FigureRow, Figures, Group, Item, Items, Listing, Paragraph
from raidtui.values.choices import Purpose
from raidtui.values.design import Design
from raidtui.values.inventory import Disk
from raidtui.values.layout import Layout
from raidtui.values.location import DomainVerdict, Placement
from raidtui.values.prediction import ArrayGeometry, Durability, Prediction
from raidtui.values.speed import Throughput
from raidtui.values.units import counted, decimal_size

_RANDOM_USES: tuple[Purpose, ...] = ("small", "databases")
"""uses whose rate is that of random requests"""


def strip(
    prediction: Prediction, assumptions: Assumptions, disks: Sequence[Disk], purpose: Purpose
) -> tuple[FigureRow, ...]:
    """Usable size, failures survived, the pair of rates that the use asks for, loss by any cause, rebuild time.

    None of a refused design.
    """
    if not prediction.arrays:
        return ()
    risk = prediction.durability
    share = capacity_rows(prediction, disks)[0].value
    return (
        replace(usable(prediction), notes=(f"{share} of raw", f"{share} raw")),
        _survives(prediction.layout.layout),
        *((_rates(prediction.throughput, purpose),) if prediction.throughput else ()),
        *((_loss(risk, assumptions), rebuild_row(risk)) if risk else ()),
    )


def _survives(layout: Layout) -> FigureRow:
    row = survives(layout)
    return replace(row, notes=(*row.notes, *(("each array",) if layout.arrays > 1 else ())))


def _loss(risk: Durability, assumptions: Assumptions) -> FigureRow:
    """The loss by any cause, with the figure to plan with, and in a wide place the part of the disks."""
    row, worst = loss_in_a_year(risk, assumptions), odds(risk.any_loss_1y_correlated)
    plan, disks = f"plan with {worst}", f"by disks {odds(risk.disks_loss_1y)}"
    return replace(row, notes=(*((f"{plan}; {disks}",) if risk.annual_enclosure_loss_probability else ()), plan))


def _rates(speed: Throughput, purpose: Purpose) -> FigureRow:
    if purpose in _RANDOM_USES:
        return replace(random_pair(speed), notes=both_limits(speed.rand_read, speed.rand_write))
    return replace(read_and_write(speed), notes=both_limits(speed.seq_read, speed.seq_write))


def result_blocks(prediction: Prediction, assumptions: Assumptions, disks: Sequence[Disk]) -> tuple[Block, ...]:
    """All figures in groups: capacity, safety, speed, then the layers; of a refused design the number of disks."""
    if not prediction.arrays:
        return (Figures(rows=(taken(prediction, len(disks)),)),)
    found = figure_groups(prediction, assumptions, disks)
    share, used = found.capacity
    capacity = " ".join((share.value, *share.notes)), ", ".join((used.value, *used.notes))
    groups = [
        ("SAFETY", _safety(prediction), (*found.risk, *found.causes)),
        ("SPEED", _speed(prediction), (*found.asked, *found.speed)),
        ("CAPACITY", capacity, found.capacity),
        *found.layers,
    ]
    return tuple(
        Group(key=title, result=result, blocks=(Figures(rows=rows),), opens=bool(found.asked) and title == "SPEED")
        for title, result, rows in groups
    )


def compared_with(blocks: Sequence[Block], other: Sequence[Block]) -> tuple[Block, ...]:
    """`blocks` with the difference of each figure from that of the same name in `other`."""
    before = {row.label: row.number for row in figures_of(other)}

    def figures(block: Figures) -> Figures:
        return replace(block, before=tuple(before.get(row.label) for row in block.rows))

    def group(block: Group) -> Group:
        inner = compared_with(block.blocks, other)
        kinds = [
            found.kind for each in inner if isinstance(each, Figures)
            for row, number in zip(each.rows, each.before, strict=True) if (found := row.difference(number))
        ]  # fmt: skip
        told = tuple(f"{kinds.count(kind)} {kind}" for kind in ("better", "worse") if kind in kinds)
        return replace(block, blocks=inner, result=(*told, *block.result))

    return tuple(
        figures(each) if isinstance(each, Figures) else group(each) if isinstance(each, Group) else each
        for each in blocks
    )


def figures_of(blocks: Sequence[Block]) -> tuple[FigureRow, ...]:
    """All figures of `blocks`, those in groups too."""
    found: list[FigureRow] = []
    for each in blocks:
        found += each.rows if isinstance(each, Figures) else figures_of(each.blocks) if isinstance(each, Group) else ()
    return tuple(found)


def _safety(prediction: Prediction) -> tuple[str, ...]:
    risk = prediction.durability
    told = f"survives {any_failures(prediction.layout.layout.survives)}"
    if risk is None:
        return (told,)
    return told, f"plan with loss {odds(risk.any_loss_1y_correlated)}"


def _speed(prediction: Prediction) -> tuple[str, ...]:
    speed = prediction.throughput
    if speed is None:
        return ()
    return (
        known_pair(speed.seq_read.bytes_per_s, speed.seq_write.bytes_per_s),
        f"random {known_iops(speed.rand_read.iops).removesuffix(' IOPS')} / {known_iops(speed.rand_write.iops)}",
    )


def domain_blocks(placement: Placement) -> tuple[Block, ...]:
    """What the loss of each failure domain does, worst first."""
    if not placement.certificates:
        return (Paragraph(text="The inventory names no enclosure, controller or expander."),)
    tones: dict[DomainVerdict, BlockTone] = {"survives": "good", "degraded": "warn", "lost": "bad"}
    items = []
    for each in placement.certificates:
        named = each.domain if each.domain.startswith(each.kind) else f"{each.kind} {each.domain}"
        more = f"; also {spares_text(each.spares_lost)}" if each.spares_lost else ""
        items.append(Item(mark=each.verdict, text=f"{named}: {each.reason}{more}", tone=tones[each.verdict]))
    return (Items(items=tuple(items)),)


# What a change made better, worse, or left equal.


_NAMED = 3
"""most figures that moved within their error and are named"""


def weighed(
    prediction: Prediction, assumptions: Assumptions, disks: Sequence[Disk], purpose: Purpose
) -> tuple[FigureRow, ...]:
    """The figures by which a change is weighed: those on top, the other pair of rates, the loss at worst, spares."""
    figures = strip(prediction, assumptions, disks, purpose)
    speed, risk = prediction.throughput, prediction.durability
    if not figures or speed is None or risk is None:
        return figures
    other = read_and_write(speed) if purpose in _RANDOM_USES else random_pair(speed)
    return (
        *figures,
        other,
        worst_in_a_year(risk, assumptions),
        spares_row(prediction.layout.layout, risk, assumptions),
    )


def changes(before: Sequence[FigureRow], now: Sequence[FigureRow]) -> tuple[str, ...]:
    """What got worse, better or different, what moved within its error, and whether the rest is equal; empty where they
    are of no two designs."""
    numbers = {row.title: row.number for row in before}
    parts: dict[str, list[str]] = {"better": [], "worse": [], "other": []}
    equal: list[str] = []
    moved: list[str] = []
    for row in now:
        if found := row.difference(numbers.get(row.title)):
            if found.kind == "equal":
                (equal if row.number == numbers[row.title] else moved).append(row.title.lower())
            else:
                named = found.kind in ("better", "worse")
                parts[found.kind].append(f"{row.what or row.title.lower()} {found.words}" if named else found.words)
    words = {"worse": "Worse: ", "better": "Better: ", "other": ""}
    told = [f"{words[kind]}{', '.join(parts[kind])}" for kind in words if parts[kind]]
    if moved and (equal or told) and len(moved) <= _NAMED:
        told.append(f"About equal: {', '.join(moved)}")
        moved = []
    if equal or moved:
        told.append(f"{'The rest is' if told else 'All figures are'} {'about equal' if moved else 'equal'}")
    return tuple(told)


# A design as text, for `model` and `plan`.


def prediction_text(
    prediction: Prediction,
    assumptions: Assumptions,
    paint: Paint = unpainted,
    width: int | None = None,
    *,
    disks: Sequence[Disk] | None = None,
    design: Design | None = None,
) -> str:
    """The figures of a design: usable size, layers, speed, risk, then the findings; see `plain_lines`.

    `disks`: those available. `design`: shows what its plan tells the kernel.
    """
    findings = (*prediction.findings, *(prediction.placement.findings if prediction.placement else ()))
    blocks = model_blocks(prediction, assumptions, disks=disks, design=design)
    return "\n".join(plain_lines((*blocks, *finding_items(findings)), paint, width))


def model_blocks(
    prediction: Prediction, assumptions: Assumptions, *, disks: Sequence[Disk] | None, design: Design | None
) -> tuple[Block, ...]:
    """Usable size and capacity, the layers, speed, settings, risk, and what the loss of each failure domain does."""
    raw = decimal_size(prediction.raw_bytes)
    head = Paragraph(text=f"{prediction.layout}   {counted(len(prediction.disks), 'disk')}, {raw} raw")
    if not prediction.arrays:
        return (head,)
    found = figure_groups(prediction, assumptions, disks)
    speed, risk, placement = prediction.throughput, prediction.durability, prediction.placement
    sizes = (*headline(prediction, assumptions), *found.capacity)
    layers = tuple(row for layer in found.layers for row in layer.rows)
    rates = (*found.speed, *(speed_basis(speed) if speed else ()))
    losses = (*found.risk, *found.causes, *(risk_basis(risk) if risk else ()))
    told = (*asked_lines(prediction.asked or ()), *(tunable_lines(design, prediction.arrays) if design else ()))
    domains = certificate_text(placement.certificates) if placement is not None and placement.certificates else []
    return (
        head, *(Figures(rows=rows) for rows in (sizes, layers, rates) if rows), Listing(lines=told),
        *((Figures(rows=losses),) if losses else ()),
        Listing(lines=("", "effect of losing a failure domain", *(f"  {row}" for row in domains)) if domains else ()),
    )  # fmt: skip


def tunable_lines(design: Design, arrays: Sequence[ArrayGeometry]) -> list[str]:
    """What the plan of `design` tells the kernel of `arrays`, and the models assume, below a blank line."""
    found = tunables(design, arrays)
    rows = [("SETTING", "VALUE", "FROM")]
    rows += [
        (each.name, each.value, "stated" if each.stated else "plan" if each.installed else "kernel") for each in found
    ]
    return ["", *columns(rows)] if found else []
