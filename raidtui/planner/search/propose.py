"""Every layout that some disks could become, judged: the front, the few worth naming, and why not the others.

Room is what `predict` says to the byte; speeds are those of members spread evenly over the pool's links (`Outlook`);
loss and rebuild are those of `RiskTable` and `rebuild`. First every layout is judged with bounds of its loss, which
decide for most; the exact loss is worked out for those that no other surely beats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

from raidtui.model.assumptions import DEFAULTS, Assumptions
from raidtui.model.choices import Outage
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.layout import Layout
from raidtui.model.proposal import Candidate, Constraints, Proposal, layout_key
from raidtui.model.ranges import MOST_SEARCHED
from raidtui.model.speed import DiskSpeed
from raidtui.planner.placement.failure_domains import domain_names
from raidtui.planner.placement.feasibility import can_survive
from raidtui.planner.reliability.vendor_rules import spares_wanted, vendor_sentences
from raidtui.planner.search.compare_named import SearchResult, compare_named
from raidtui.planner.search.disk_pool import DiskPool, disk_pool
from raidtui.planner.search.enumerate_layouts import count_layouts, enumerate_layouts, leaves_disks_idle
from raidtui.planner.search.evaluate import Evaluator, LayoutBounds
from raidtui.planner.search.findings import assumption_notes, no_disks, nothing_fits, sample_note, too_many_disks
from raidtui.planner.search.pareto import pareto_front
from raidtui.planner.search.pareto_sample import representative_sample
from raidtui.planner.search.pick_reasons import explain_picks
from raidtui.planner.search.picks import Picked, choose_picks, shortfalls
from raidtui.planner.search.scored_layout import ScoredLayout, candidate
from raidtui.planner.search.why_not import why_nots

_SLICE = 256
"""layouts judged between two signs of progress: some ten milliseconds"""


class SearchProgress(NamedTuple):
    """How far a search has come."""

    judged: int
    of: int


def propose(
    inventory: Inventory,
    disks: Sequence[Disk],
    constraints: Constraints,
    assumptions: Assumptions = DEFAULTS,
    *,
    measured: Mapping[str, DiskSpeed] = {},
    every: bool = False,
) -> Proposal:
    """The proposal for `disks` of `inventory`, the same for any order of them.

    `measured` gives disks' speeds by identity. With `every` the candidates are all that meet the constraints, else the
    front alone. Raises BadInput when `constraints.compare` names no layout.
    """
    steps = propose_in_slices(inventory, disks, constraints, assumptions, measured=measured, every=every)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            proposal: Proposal = done.value
            return proposal


def propose_in_slices(
    inventory: Inventory,
    disks: Sequence[Disk],
    constraints: Constraints,
    assumptions: Assumptions = DEFAULTS,
    *,
    measured: Mapping[str, DiskSpeed] = {},
    every: bool = False,
) -> Generator[SearchProgress, None, Proposal]:
    """`propose` in slices of some ten milliseconds, a few hundred at a thousand disks: yields after each, then returns.

    Raises BadInput as `propose` does, before the end.
    """
    known = disk_pool(disks)
    if not known.disks:
        return _empty(constraints, (*known.findings, no_disks()), 0)
    if len(known.disks) > MOST_SEARCHED:
        return _empty(constraints, (*known.findings, too_many_disks(len(known.disks))), 0)
    judge = Evaluator(inventory, known, constraints, assumptions, measured)
    enough = spares_wanted(len(known.disks), assumptions)
    wanted = list(enumerate_layouts(known.classes, constraints, enough))
    able = _Domains(known, constraints.survive_domain)
    sketches: list[LayoutBounds] = []
    refused: list[LayoutBounds] = []
    for number, layout in enumerate(wanted):
        if number % _SLICE == 0:
            yield SearchProgress(number, len(wanted))
        sketch = judge.sketch(layout)
        if sketch is not None:
            fits = _meets(sketch, constraints) and able.survives(layout)
            (sketches if fits else refused).append(sketch)
    yield SearchProgress(len(wanted), len(wanted))
    unbeaten = pareto_front([each.best for each in sketches], [each.worst for each in sketches])
    offers: list[ScoredLayout] = []
    for number, sketch in enumerate(sketches if every else [sketches[index] for index in unbeaten]):
        if number % _SLICE == 0:
            yield SearchProgress(len(wanted), len(wanted))
        offer = judge.offer(sketch)
        if constraints.max_annual_loss is None or offer.loss <= constraints.max_annual_loss:
            offers.append(offer)
        else:
            refused.append(sketch)
    yield SearchProgress(len(wanted), len(wanted))
    best = [offers[index] for index in pareto_front([offer.vector for offer in offers])]
    if not best:
        findings = (*known.findings, *nothing_fits(refused, constraints, able.counts(len(known.disks))))
        return _empty(constraints, findings, len(known.disks))
    return _proposal(known, judge, able, constraints, assumptions, offers, best, enough, every=every)


def _empty(constraints: Constraints, findings: Sequence[Finding], disks: int) -> Proposal:
    """Nothing to propose, and why."""
    return Proposal(
        disks=disks,
        constraints=constraints,
        considered=count_layouts(disks, constraints.stack),
        candidates=(),
        picks=(),
        why_not=(),
        vendors=(),
        findings=tuple(findings),
    )


def _meets(sketch: LayoutBounds, constraints: Constraints) -> bool:
    """Whether room and loss are as asked, as far as the bounds of the loss tell."""
    most = constraints.max_annual_loss
    return sketch.usable >= constraints.usable_bytes and (most is None or sketch.least_loss <= most)


class _Domains:
    """How many disks of the pool sit in each failure domain of the kind that must not take the data with it."""

    def __init__(self, known: DiskPool, kind: Outage | None) -> None:
        self._names = domain_names(known.disks, kind) if kind is not None else None
        self._counts: dict[int, tuple[int, ...]] = {}

    def counts(self, disks: int) -> tuple[int, ...]:
        """Disks in each domain among the `disks` largest; those whose domain nobody tells can only be spares."""
        if disks not in self._counts:
            found = Counter(name for name in (self._names or ())[:disks] if name is not None)
            self._counts[disks] = tuple(sorted(found.values()))
        return self._counts[disks]

    def survives(self, layout: Layout) -> bool:
        """True when some placement outlives the loss of any one domain, or none has to."""
        return self._names is None or can_survive(layout, self.counts(layout.disks))


def _proposal(
    known: DiskPool,
    judge: Evaluator,
    able: _Domains,
    constraints: Constraints,
    assumptions: Assumptions,
    offers: Sequence[ScoredLayout],
    best: Sequence[ScoredLayout],
    enough: int,
    *,
    every: bool,
) -> Proposal:
    disks = len(known.disks)
    named, eligible, findings = choose_picks(best, disks, constraints, enough)
    balanced = next((each.offer for each in named if each.name == "balanced"), None)
    busy = [offer for offer in best if not leaves_disks_idle(offer.layout, disks, enough)] or list(best)
    shown, tolerance = representative_sample(busy, [each.offer for each in named], shortfalls(busy, constraints.wishes))
    judged = SearchResult(judge.judge, able.survives, best, eligible, balanced, disks)
    asked = [compare_named(text, judged, constraints) for text in constraints.compare]
    answers = why_nots(balanced, judge.judge, constraints, assumptions, disks) if balanced is not None else ()
    return Proposal(
        disks=disks,
        constraints=constraints,
        considered=count_layouts(disks, constraints.stack),
        candidates=_candidates(offers if every else best, best, shown, named),
        picks=explain_picks(named, eligible),
        why_not=(*asked, *answers),
        vendors=vendor_sentences(disks, known.disks[0].rotational, assumptions),
        findings=(
            *known.findings,
            *findings,
            sample_note(len(best), len(best) - len(busy), len(shown), tolerance),
            assumption_notes(judge.slowest, assumptions),
        ),
    )


def _candidates(
    offers: Sequence[ScoredLayout], best: Sequence[ScoredLayout], shown: Sequence[ScoredLayout], named: Sequence[Picked]
) -> tuple[Candidate, ...]:
    """Most room first."""
    on_front = {offer.text for offer in best}
    few = {offer.text for offer in shown}
    order = sorted(offers, key=lambda offer: (-offer.usable, offer.loss, layout_key(offer.layout)))
    return tuple(
        candidate(
            offer,
            on_front=offer.text in on_front,
            shown=offer.text in few,
            picks=tuple(each.name for each in named if each.offer.text == offer.text),
        )
        for offer in order
    )
