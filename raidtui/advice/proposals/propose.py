"""Proposal for some disks: the layouts that people build, each with all its figures, the picks, and answers.

First the sizes of all of them (`canonical_layouts`), then rates, rebuild and losses of those that are large enough,
each as `raidtui model` has it: there is one model, and no estimate.

Beside them hybrid layouts: bands over all disks where they are of mixed size and that gains capacity.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from raidtui.advice.proposals.enumerate_layouts import (
    RequiredDomains,
    canonical_layouts,
    count_layouts,
    fewer_arrays,
    leaves_disks_idle,
    widened,
)
from raidtui.advice.proposals.evaluate import Evaluator, NamedLayouts
from raidtui.advice.proposals.findings import (
    assumption_notes,
    luns_not_compared,
    no_disks,
    nothing_fits,
    sample_note,
    too_many_disks,
    weights_note,
)
from raidtui.advice.proposals.pick_reasons import explain_picks
from raidtui.advice.proposals.picks import (
    Picked,
    Rule,
    broken,
    choose_picks,
    eligible_picks,
    rules_of,
    shortfalls,
    weights_of,
)
from raidtui.advice.proposals.scored_layout import Scored, candidate, pareto_front, representative_sample
from raidtui.advice.proposals.why_not import SearchResult, compare_named, unmet_constraints, why_nots
from raidtui.predict.checks.disks import arrays_first
from raidtui.predict.placement.disk_pool import DiskPool, disk_pool
from raidtui.predict.risk.spares import spares_wanted, vendor_sentences
from raidtui.values.amounts import hours, odds, rate, ratio_text
from raidtui.values.assumptions import DEFAULTS, Assumptions
from raidtui.values.choices import Stack
from raidtui.values.findings import Finding
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import ArrayShape, HybridDisks, Layout
from raidtui.values.proposal import Candidate, Constraints, PickName, Proposal, WhyNot, layout_key
from raidtui.values.units import MOST_SEARCHED, binary_size

_SLICE = 4
"""layouts between two progress reports: some ten milliseconds"""


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
    every: bool = False,
) -> Proposal:
    """The proposal for `disks` of `inventory`; their order does not matter.

    Candidates are the front, or with `every` all layouts compared that meet the constraints.
    """
    steps = propose_in_slices(inventory, disks, constraints, assumptions, every=every)
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
    every: bool = False,
) -> Generator[SearchProgress, None, Proposal]:
    """`propose` as a generator that yields progress every ten milliseconds or so.

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
    evaluator = Evaluator(inventory, known, constraints, assumptions)
    able = RequiredDomains(known.disks, constraints.survive_domain)
    enough = spares_wanted(len(known.used), assumptions)
    suffice = partial(spares_wanted, assumptions=assumptions)
    rotational = known.disks[0].rotational is not False
    asked = list(canonical_layouts(known.classes, constraints, suffice, rotational=rotational))
    sized: list[tuple[Layout, int]] = []
    for number, layout in enumerate(asked):
        if number % _SLICE == 0:
            yield SearchProgress(0, len(asked))
        surviving = next((each for each in fewer_arrays(layout) if able.survives(each)), layout)
        if (prediction := evaluator.sizes(surviving)) is not None:
            sized.append((surviving, prediction.usable_bytes))
    fit = [each for each in sized if each[1] >= constraints.usable_bytes and able.survives(each[0])]
    worth = _cheapest(fit, known.classes) if constraints.price_per_disk is not None else [layout for layout, _ in fit]
    found = FoundSoFar(constraints, len(known.used), enough)
    refused: list[Scored] = []
    for number, layout in enumerate(sorted(worth, key=_promise)):
        if number % _SLICE == 0:
            yield SearchProgress(number, len(worth), found)
        scored = evaluator.evaluate(layout)
        if scored is not None:
            (refused if unmet_constraints(scored, constraints) else found.layouts).append(scored)
    yield SearchProgress(len(worth), len(worth), found)
    layouts = sorted(found.layouts, key=_largest_first)
    layouts += list(_unequal(layouts, evaluator, able, constraints, enough))
    if not layouts:
        largest = max((usable for _, usable in sized), default=0)
        none = nothing_fits(refused, largest, constraints, able.counts(len(known.disks)))
        return _empty(constraints, (*known.findings, *none), len(known.disks))
    named = NamedLayouts(disks, known, evaluator, able, constraints.survive_domain)
    return _proposal(known, evaluator, able, named, constraints, assumptions, layouts, enough, every=every)


def _cheapest(fit: Sequence[tuple[Layout, int]], classes: Sequence[int]) -> list[Layout]:
    """Those that use all disks of a class, and of the others those of fewest disks for each shape and few spares."""
    few: dict[tuple[ArrayShape, int], Layout] = {}
    for layout, _ in sorted(fit, key=lambda each: each[0].disks):
        few.setdefault((layout.first, min(layout.spares, 2)), layout)
    kept = {*few.values()}
    return [layout for layout, _ in fit if layout in kept or layout.disks in classes]


def _promise(layout: Layout) -> tuple[bool, int]:
    """Sort key: layouts that may be picked before others, narrow ones before wide ones."""
    return layout.survives == 0, layout.first.members


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
        compared=0,
        candidates=(),
        picks=(),
        why_not=(),
        vendors=(),
        findings=tuple(findings),
    )


def _proposal(
    known: DiskPool,
    evaluator: Evaluator,
    able: RequiredDomains,
    named_layouts: NamedLayouts,
    constraints: Constraints,
    assumptions: Assumptions,
    layouts: Sequence[Scored],
    enough: int,
    *,
    every: bool,
) -> Proposal:
    disks = len(known.used)
    offers = [
        (scored, rival)
        for scored, rival in hybrid_offers(known, evaluator.evaluate, constraints, layouts, assumptions)
        if able.survives(scored.layout) and not unmet_constraints(scored, constraints)
    ]
    usual, _ = eligible_picks(layouts, rules_of(disks, constraints, enough))
    worth = frozenset(scored.text for scored, _ in offers if holds_much_more(scored, usual))
    rules = rules_of(disks, constraints, enough, worth)
    layouts = [*layouts, *(scored for scored, _ in offers)]
    best = [layouts[at] for at in pareto_front([scored.vector for scored in layouts])]
    named, eligible, findings = choose_picks(best, rules, constraints, disks)
    suggested = next((each.scored for each in named if each.name == "suggested"), None)
    busy = [scored for scored in best if not leaves_disks_idle(scored.layout, disks, enough)] or list(best)
    kept = [*(each.scored for each in named), *(scored for scored, _ in offers if scored in best)]
    shown, tolerance = representative_sample(busy, kept, shortfalls(busy, constraints.wishes))
    result = SearchResult(named_layouts, best, eligible, suggested)
    asked = [compare_named(text, result, constraints) for text in constraints.compare]
    asked += [hybrid_answer(scored, rival, picked=scored.text in worth) for scored, rival in offers]
    answers = why_nots(suggested, evaluator.evaluate, constraints, assumptions) if suggested is not None else ()
    return Proposal(
        disks=len(known.disks),
        constraints=constraints,
        considered=count_layouts(len(known.disks), constraints.stack),
        compared=len(layouts),
        candidates=_candidates(
            layouts if every else best, best, shown, named, _asked(constraints, named_layouts), rules
        ),
        picks=explain_picks(named, eligible),
        why_not=(*asked, *answers),
        vendors=vendor_sentences(disks, known.disks[0].rotational, assumptions),
        findings=(
            *known.findings,
            *findings,
            weights_note(weights_of(constraints.wishes), priced=constraints.price_per_disk is not None),
            sample_note(len(best), len(best) - len(busy), len(shown), tolerance),
            assumption_notes(evaluator.slowest, assumptions),
        ),
    )


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


_STACK: Stack = "lvm"
"""the one stack that joins arrays of unequal width and level one after another"""
_GAIN = 1.02
"""least noteworthy gain of capacity"""
_MUCH = 1.3
"""gain of capacity from which bands may be a pick: a rebuild takes them one after the other"""


def hybrid_offers(
    known: DiskPool,
    evaluate: Callable[[Layout], Scored | None],
    constraints: Constraints,
    plain: Sequence[Scored],
    assumptions: Assumptions,
) -> tuple[tuple[Scored, Scored], ...]:
    """Hybrid layouts that hold clearly more than the largest of `plain` that survives as many failures.

    Each with that layout. Over all disks of the pool, with as many spares as required and with as many as cover
    restocking; the one with fewer spares only where both are offered for the same failures and differ.
    """
    if len(known.classes) < 2 or constraints.stack != _STACK:
        return ()
    found = []
    enough = spares_wanted(len(known.disks), assumptions)
    for layout in _layouts(len(known.disks), constraints, enough):
        rivals = [
            each for each in plain if each.layout.survives >= layout.survives and each.layout.spares >= layout.spares
        ]
        scored = evaluate(layout)
        if scored is None or not rivals:
            continue
        best = max(rivals, key=lambda each: (each.usable, -each.loss))
        if scored.usable >= _GAIN * best.usable:
            found.append((scored, best))
    return tuple(found)


def _layouts(disks: int, constraints: Constraints, enough: int) -> Iterator[Layout]:
    for failures in (1, 2):
        for spares in sorted({constraints.spares, max(constraints.spares, enough)}):
            if failures >= constraints.survive and disks - spares > failures + 1:
                yield Layout.over(HybridDisks(disks=disks - spares, failures=failures), spares)


def holds_much_more(scored: Scored, usual: Sequence[Scored]) -> bool:
    """True if the bands hold so much more than any of `usual`, which may be picked, that they may be a pick too."""
    rivals = [each.usable for each in usual if each.layout.survives >= scored.layout.survives]
    return scored.usable >= _MUCH * max(rivals, default=0)


def hybrid_answer(scored: Scored, best: Scored, *, picked: bool) -> WhyNot:
    """What the bands gain over the plain layout with most capacity, and what they cost."""
    return WhyNot(
        question=f"And bands over the disks of mixed size, {scored.text}?",
        answer=(
            f"It holds {binary_size(scored.usable)} where {best.text} holds {binary_size(best.usable)}"
            f" ({ratio_text(scored.usable, best.usable)}): what larger disks have more becomes arrays of its own."
            f" Its slowest band reads {rate(scored.read)} and writes {rate(scored.write)}, against {rate(best.read)}"
            f" and {rate(best.write)}. A failed disk rebuilds its bands one after the other, {hours(scored.hours)}"
            f" against {hours(best.hours)}. It loses data with {odds(scored.loss)} a year against {odds(best.loss)}."
            f"{'' if picked else ' For less than a third more room bands are not a pick.'}"
        ),
    )
