"""Proposal for some disks: every layout evaluated, the Pareto front, the picks, and answers to likely questions.

Every layout is first estimated in microseconds: capacity as `predict` gives it, speed with members spread evenly over
the pool's links (`FastThroughput`), rebuild, and bounds of the loss (`RiskTable`). Those that no other dominates by
these estimates are evaluated as `raidtui model` does, and only these figures are in the proposal. Where members of one
layout are slower than the estimate, another that it seemed to dominate by less than that may be missing.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from raidtui.model.assumptions import DEFAULTS, Assumptions
from raidtui.model.finding import Finding
from raidtui.model.inventory import Disk, Inventory
from raidtui.model.proposal import Candidate, Constraints, PickName, Proposal, layout_key
from raidtui.model.ranges import MOST_SEARCHED
from raidtui.model.speed import DiskSpeed
from raidtui.planner.checks.existing_arrays import arrays_first
from raidtui.planner.placement.disk_pool import DiskPool, disk_pool
from raidtui.planner.reliability.spare_shortage import spares_wanted
from raidtui.planner.reliability.vendor_rules import vendor_sentences
from raidtui.planner.search.compare_named import SearchResult, compare_named, unmet_constraints
from raidtui.planner.search.enumerate_layouts import Shape, count_layouts, enumerate_shapes, leaves_disks_idle, widened
from raidtui.planner.search.evaluate import Evaluator, LayoutBounds
from raidtui.planner.search.findings import (
    assumption_notes,
    luns_not_compared,
    no_disks,
    nothing_fits,
    sample_note,
    too_many_disks,
)
from raidtui.planner.search.hybrid_offers import hybrid_answer, hybrid_offers
from raidtui.planner.search.named_layouts import NamedLayouts
from raidtui.planner.search.pareto import pareto_front
from raidtui.planner.search.pareto_sample import representative_sample
from raidtui.planner.search.pick_reasons import explain_picks
from raidtui.planner.search.picks import MOST_LOSS, Picked, Rule, broken, choose_picks, rules_of, shortfalls
from raidtui.planner.search.required_domains import RequiredDomains
from raidtui.planner.search.rivals import Rivals, scouts
from raidtui.planner.search.scored_layout import Scored, candidate
from raidtui.planner.search.why_not import why_nots

_SLICE = 256
"""layouts estimated between two progress reports: about ten milliseconds"""
_ALL = 300
"""up to so many layouts, those of some fifteen disks, are all evaluated"""
_MANY = 2000
"""from so many layouts on it pays to look for rivals first"""
_EXACT_SLICE = 4
"""layouts evaluated between two progress reports: about as long"""


class FoundSoFar:
    """Layouts whose figures are known while the search goes on, the more promising ones first."""

    def __init__(self, constraints: Constraints, disks: int, enough: int) -> None:
        self.layouts: list[Scored] = []
        self._wishes = constraints.wishes
        self._disks, self._enough = disks, enough

    def sample(self, kept: Collection[str]) -> tuple[Candidate, ...]:
        """Those that stand for all of them so far, the largest capacity first; `kept` stay unless another beats them.

        Layouts that leave disks idle are omitted, as in the table of a proposal.
        """
        used = [each for each in self.layouts if not leaves_disks_idle(each.layout, self._disks, self._enough)]
        best = [used[index] for index in pareto_front([scored.vector for scored in used])]
        if not best:
            return ()
        shown, _ = representative_sample(
            best, [scored for scored in best if scored.text in kept], shortfalls(best, self._wishes)
        )
        return tuple(candidate(scored, on_front=True, shown=True) for scored in sorted(shown, key=_largest_first))


class SearchProgress(NamedTuple):
    """Progress of a search."""

    judged: int
    of: int
    found: FoundSoFar | None = None
    """None until the first layouts have all their figures"""


def propose(
    inventory: Inventory,
    disks: Sequence[Disk],
    constraints: Constraints,
    assumptions: Assumptions = DEFAULTS,
    *,
    measured: Mapping[str, DiskSpeed] = {},
    every: bool = False,
) -> Proposal:
    """The proposal for `disks` of `inventory`; their order does not matter.

    `measured` maps identities to measured speeds. Candidates are the front, or with `every` all layouts that meet the
    constraints.
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
    """`propose` as a generator that yields progress every ten milliseconds or so (hundreds with a thousand disks).

    Returns the proposal. Raises BadInput as `propose` does.
    """
    known = disk_pool(disks)
    known = replace(known, findings=(*arrays_first(inventory), *known.findings))
    if not known.disks:
        return _empty(constraints, (*known.findings, no_disks()), 0)
    if luns := sum(disk.lun is not None for disk in known.disks):
        return _empty(constraints, (*known.findings, luns_not_compared(luns)), 0)
    if len(known.disks) > MOST_SEARCHED:
        return _empty(constraints, (*known.findings, too_many_disks(len(known.disks))), 0)
    evaluator = Evaluator(inventory, known, constraints, assumptions, measured)
    enough = spares_wanted(len(known.disks), assumptions)
    shapes = list(enumerate_shapes(known.classes, constraints, enough))
    wanted = sum(len(shape.counts) for shape in shapes)
    able = RequiredDomains(known.disks, constraints.survive_domain)
    bounded: list[LayoutBounds] = []
    refused: list[LayoutBounds] = []
    rivals = _rivals(scouts(shapes) if wanted > _MANY and not every else (), evaluator, constraints, able)
    done = told = 0
    for shape in shapes:
        if done >= told:
            yield SearchProgress(done, wanted)
            told = done + _SLICE
        done += len(shape.counts)
        for bounds in evaluator.bounds(shape, rivals.dominate if len(bounded) > _ALL else None):
            fits = _meets(bounds, constraints) and (able.any or able.survives(bounds.layout))
            (bounded if fits else refused).append(bounds)
    yield SearchProgress(wanted, wanted)
    found = FoundSoFar(constraints, len(known.disks), enough)
    apart = not every and len(bounded) > _ALL
    worth = _worth_evaluating(bounded, evaluator) if apart else bounded
    figures: dict[int, Scored] = {}
    for number, at in enumerate(sorted(range(len(worth)), key=lambda at: _promise(worth[at], enough))):
        if number % _EXACT_SLICE == 0:
            yield SearchProgress(wanted, wanted, found)
        scored = evaluator.evaluate(worth[at].layout)
        if scored is not None and not unmet_constraints(scored, constraints):
            figures[at] = scored
            found.layouts.append(scored)
    layouts = [figures[at] for at in sorted(figures)]
    refused += [bounds for at, bounds in enumerate(worth) if at not in figures]
    for number, unequal in enumerate(_unequal(layouts, evaluator, able, constraints, enough)):
        if number % _EXACT_SLICE == 0:
            yield SearchProgress(wanted, wanted)
        layouts.append(unequal)
    yield SearchProgress(wanted, wanted)
    settled = apart and len(layouts) == len(figures) and _as_estimated(figures, worth, evaluator)
    best = layouts if settled else [layouts[at] for at in pareto_front([scored.vector for scored in layouts])]
    if not best:
        findings = (*known.findings, *nothing_fits(refused, constraints, able.counts(len(known.disks))))
        return _empty(constraints, findings, len(known.disks))
    named = NamedLayouts(disks, known, evaluator, able, constraints.survive_domain)
    return _proposal(known, evaluator, able, named, constraints, assumptions, layouts, best, enough, every=every)


def _promise(bounds: LayoutBounds, enough: int) -> tuple[bool, bool, bool, int]:
    """Sort key: layouts that may be picked before others, larger ones before smaller ones."""
    idle = bounds.spares >= bounds.array.members + enough
    return bounds.array.survives == 0, bounds.least_loss > MOST_LOSS, idle, -bounds.usable


def _worth_evaluating(bounded: Sequence[LayoutBounds], evaluator: Evaluator) -> list[LayoutBounds]:
    """Those that no other dominates: by the bounds of the loss, then by the loss."""
    left = _largest_of_alike(bounded)
    unbeaten = [left[at] for at in pareto_front([each.best for each in left], [each.worst for each in left])]
    return [unbeaten[at] for at in pareto_front([evaluator.estimate(each) for each in unbeaten])]


def _rivals(found: Iterable[Shape], evaluator: Evaluator, constraints: Constraints, able: RequiredDomains) -> Rivals:
    """Rivals among the layouts of the shapes `found` that meet the constraints."""
    judged = (bounds for shape in found for bounds in evaluator.bounds(shape))
    return Rivals(bounds for bounds in judged if _meets(bounds, constraints) and able.survives(bounds.layout))


def _as_estimated(figures: Mapping[int, Scored], worth: Sequence[LayoutBounds], evaluator: Evaluator) -> bool:
    """True if all figures are the estimates by which none of `worth` dominates another."""
    return all(scored.vector == evaluator.estimate(worth[at]) for at, scored in figures.items())


def _largest_of_alike(bounded: Sequence[LayoutBounds]) -> list[LayoutBounds]:
    """Without those that differ from another in nothing but less capacity."""
    most: dict[tuple[object, ...], int] = {}
    keys = [(each.read, each.write, each.hours, each.cost, each.risk) for each in bounded]
    for key, each in zip(keys, bounded, strict=True):
        if each.usable > most.get(key, -1):
            most[key] = each.usable
    return [each for key, each in zip(keys, bounded, strict=True) if each.usable == most[key]]


def _unequal(
    layouts: Sequence[Scored], evaluator: Evaluator, able: RequiredDomains, constraints: Constraints, enough: int
) -> Iterator[Scored]:
    """Layouts of unequal arrays that use the idle spares of `layouts`, and meet the constraints."""
    for equal in tuple(layouts):
        layout = widened(equal.layout, constraints, enough)
        scored = evaluator.evaluate(layout) if layout is not None and able.survives(layout) else None
        if scored is not None and not unmet_constraints(scored, constraints):
            yield scored


def _empty(constraints: Constraints, findings: Sequence[Finding], disks: int) -> Proposal:
    """A proposal without candidates, with the findings that explain it."""
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


def _meets(bounds: LayoutBounds, constraints: Constraints) -> bool:
    """True unless capacity or the bounds of the loss violate the constraints."""
    most = constraints.max_annual_loss
    return bounds.usable >= constraints.usable_bytes and (most is None or bounds.least_loss <= most)


def _proposal(
    known: DiskPool,
    evaluator: Evaluator,
    able: RequiredDomains,
    named_layouts: NamedLayouts,
    constraints: Constraints,
    assumptions: Assumptions,
    layouts: Sequence[Scored],
    best: Sequence[Scored],
    enough: int,
    *,
    every: bool,
) -> Proposal:
    disks = len(known.disks)
    named, eligible, findings = choose_picks(best, disks, constraints, enough)
    balanced = next((each.scored for each in named if each.name == "balanced"), None)
    busy = [scored for scored in best if not leaves_disks_idle(scored.layout, disks, enough)] or list(best)
    shown, tolerance = representative_sample(
        busy, [each.scored for each in named], shortfalls(busy, constraints.wishes)
    )
    result = SearchResult(named_layouts, best, eligible, balanced)
    asked = [compare_named(text, result, constraints) for text in constraints.compare]
    offers = hybrid_offers(known, evaluator.evaluate, constraints, layouts, enough)
    offers = tuple(
        (scored, rival)
        for scored, rival in offers
        if able.survives(scored.layout) and not unmet_constraints(scored, constraints)
    )
    asked += [hybrid_answer(scored, rival) for scored, rival in offers]
    rules = rules_of(disks, constraints, enough)
    answers = why_nots(balanced, evaluator.evaluate, constraints, assumptions, disks) if balanced is not None else ()
    return Proposal(
        disks=disks,
        constraints=constraints,
        considered=count_layouts(disks, constraints.stack),
        candidates=(
            *_hybrids(offers, best),
            *_candidates(layouts if every else best, best, shown, named, _asked(constraints, named_layouts), rules),
        ),
        picks=explain_picks(named, eligible),
        why_not=(*asked, *answers),
        vendors=vendor_sentences(disks, known.disks[0].rotational, assumptions),
        findings=(
            *known.findings,
            *findings,
            sample_note(len(best), len(best) - len(busy), len(shown), tolerance),
            assumption_notes(evaluator.slowest, assumptions),
        ),
    )


def _hybrids(offers: Sequence[tuple[Scored, Scored]], best: Sequence[Scored]) -> Iterator[Candidate]:
    """Hybrid layouts as candidates, the largest first; they hold more than any plain one that survives as much."""
    for scored, _ in sorted(offers, key=lambda offer: (-offer[0].usable, offer[0].text)):
        beaten = any(
            all(theirs >= ours for theirs, ours in zip(other.vector, scored.vector, strict=True)) for other in best
        )
        yield candidate(scored, on_front=not beaten, shown=True)


def _asked(constraints: Constraints, named_layouts: NamedLayouts) -> list[Scored]:
    """The layouts that the admin names, as far as these disks make them."""
    layouts = [text.layout for text in constraints.compare]
    scored = [named_layouts.evaluate(layout) for layout in layouts if layout.disks <= named_layouts.disks]
    return [each for each in scored if each is not None]


def _largest_first(scored: Scored) -> tuple[object, ...]:
    """Sort key of candidates."""
    return -scored.usable, scored.loss, layout_key(scored.layout)


def _candidates(
    layouts: Sequence[Scored],
    best: Sequence[Scored],
    shown: Sequence[Scored],
    named: Sequence[Picked],
    asked: Sequence[Scored],
    rules: Sequence[Rule],
) -> tuple[Candidate, ...]:
    """Candidates with those `asked` for, the largest capacity first."""
    on_front = {scored.text for scored in best}
    few = {scored.text for scored in shown}
    picks: dict[str, tuple[PickName, ...]] = {}
    for each in named:
        picks[each.scored.text] = (*picks.get(each.scored.text, ()), each.name)
    ours = {scored.text: scored for scored in asked}
    order = sorted({**ours, **{scored.text: scored for scored in layouts}}.values(), key=_largest_first)
    return tuple(
        candidate(
            scored,
            on_front=scored.text in on_front,
            shown=scored.text in few or scored.text in ours,
            picks=picks.get(scored.text, ()),
            breaks=broken(scored, rules),
            asked=scored.text in ours,
        )
        for scored in order
    )
