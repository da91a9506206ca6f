"""What holds for every search, on small pools where everything can be compared with everything."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from raidtui.advice.proposals.enumerate_layouts import count_layouts
from raidtui.advice.proposals.propose import SearchProgress, propose, propose_in_slices
from raidtui.advice.proposals.scored_layout import pareto_front
from raidtui.predict.stated_disks import purchase
from raidtui.values.findings import refused
from raidtui.values.inventory import Inventory
from raidtui.values.notation import parse
from raidtui.values.proposal import Candidate, Constraints
from tests.suite import examples

Figures = tuple[float, ...]


@st.composite
def pools(draw: st.DrawFn, most: int = 9) -> Inventory:
    """Up to `most` disks of up to three sizes."""
    sizes = draw(st.lists(st.sampled_from(("500GB", "1TB", "2TB", "1990GB", "20TB")), min_size=1, max_size=3))
    counts = [draw(st.integers(1, max(1, most // len(sizes)))) for _ in sizes]
    text = ",".join(f"{count}x{size}" for count, size in zip(counts, sizes, strict=True))
    return purchase(text, rotational=draw(st.booleans()))


@st.composite
def demands(draw: st.DrawFn) -> Constraints:
    return Constraints(
        survive=draw(st.integers(0, 2)),
        spares=draw(st.integers(0, 2)),
        max_width=draw(st.sampled_from((None, 3, 5))),
        usable_bytes=draw(st.sampled_from((0, 10**12, 5 * 10**12))),
        max_annual_loss=draw(st.sampled_from((None, 0.5, 1e-3, 1e-5))),
        price_per_disk=draw(st.sampled_from((None, 250.0))),
        stack=draw(st.sampled_from(("lvm", "md", "separate"))),
        fs=draw(st.sampled_from(("xfs", "ext4", "none"))),
    )


def figures(candidate: Candidate) -> Figures:
    """The objectives from the outside value, larger is better."""
    return (
        candidate.usable_bytes,
        candidate.seq_read_bytes_per_s,
        candidate.seq_write_bytes_per_s,
        candidate.rand_read_iops,
        candidate.rand_write_iops,
        -candidate.any_loss_1y,
        -candidate.rebuild_hours if candidate.rebuild_hours else -1e9,
        -(candidate.cost or 0),
    )


def beats(one: Figures, other: Figures) -> bool:
    return one != other and all(ours >= theirs for ours, theirs in zip(one, other, strict=True))


@examples(40)
@given(pools(), demands())
def test_the_front_is_that_of_comparing_all_pairs(inventory: Inventory, asked: Constraints) -> None:
    found = propose(inventory, inventory.disks, asked, every=True).candidates
    all_figures = [figures(each) for each in found]
    for candidate, own in zip(found, all_figures, strict=True):
        assert candidate.on_front == (not any(beats(other, own) for other in all_figures)), candidate.layout


@examples(40)
@given(pools(), demands())
def test_without_every_the_candidates_are_the_front(inventory: Inventory, asked: Constraints) -> None:
    everything = propose(inventory, inventory.disks, asked, every=True)
    few = propose(inventory, inventory.disks, asked)
    assert few.candidates == tuple(each for each in everything.candidates if each.on_front)
    assert few.picks == everything.picks


@examples(40)
@given(pools(), demands())
def test_every_candidate_meets_the_demands(inventory: Inventory, asked: Constraints) -> None:
    proposal = propose(inventory, inventory.disks, asked, every=True)
    for candidate in proposal.candidates:
        layout = parse(candidate.layout)
        assert layout.survives >= asked.survive
        assert candidate.spares == layout.spares >= asked.spares
        assert candidate.disks == layout.disks <= len(inventory.disks)
        assert asked.max_width is None or max(each.members for each in layout.shapes) <= asked.max_width
        assert candidate.usable_bytes >= asked.usable_bytes
        assert asked.max_annual_loss is None or candidate.any_loss_1y <= asked.max_annual_loss
    named = {pick.layout for pick in proposal.picks}
    assert named == {each.layout for each in proposal.candidates if each.picks}
    assert all(each.on_front for each in proposal.candidates if each.picks)
    assert bool(proposal.candidates) != refused(proposal.findings)


@examples(30)
@given(pools(), demands(), st.randoms(use_true_random=False))
def test_the_order_of_the_disks_plays_no_part(inventory: Inventory, asked: Constraints, random: object) -> None:
    shuffled = list(inventory.disks)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert propose(inventory, shuffled, asked) == propose(inventory, inventory.disks, asked)


@examples(30)
@given(pools(), demands())
def test_more_room_or_less_loss_asked_for_never_finds_more(inventory: Inventory, asked: Constraints) -> None:
    asked = replace(asked, price_per_disk=None)  # a price adds pools of fewer disks
    strict = propose(inventory, inventory.disks, asked, every=True).candidates
    free = propose(inventory, inventory.disks, replace(asked, usable_bytes=0, max_annual_loss=None), every=True)
    known = {each.layout for each in free.candidates}
    for layout in (parse(each.layout) for each in strict if each.layout not in known):
        # bands are offered where nothing else holds as much
        assert layout.hybrid, layout


def test_hybrid_offers_keep_as_many_spares_as_are_asked_for() -> None:
    inventory = purchase("3x1TB,2x500GB")
    offered = {
        spares: [
            each.layout
            for each in propose(inventory, inventory.disks, Constraints(spares=spares), every=True).candidates
            if parse(each.layout).hybrid
        ]
        for spares in (0, 1)
    }
    assert offered == {0: ["hybrid(5)", "hybrid(5,2)"], 1: ["hybrid(4)+1"]}


@examples(20)
@given(pools(), demands())
def test_slices_end_in_the_same_proposal(inventory: Inventory, asked: Constraints) -> None:
    steps = propose_in_slices(inventory, inventory.disks, asked)
    seen: list[SearchProgress] = []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as done:
            assert done.value == propose(inventory, inventory.disks, asked)
            break
    assert [each.judged for each in seen] == sorted(each.judged for each in seen)
    assert not seen or seen[-1].judged == seen[-1].of


@examples(20)
@given(pools(), demands())
def test_rows_that_come_in_early_are_those_of_the_proposal(inventory: Inventory, asked: Constraints) -> None:
    early: dict[str, Candidate] = {}
    kept: set[str] = set()
    steps = propose_in_slices(inventory, inventory.disks, asked, every=True)
    while True:
        try:
            found = next(steps).found
        except StopIteration as done:
            proposal = done.value
            break
        if found is not None:
            rows = found.sample(kept)
            assert [row.usable_bytes for row in rows] == sorted((row.usable_bytes for row in rows), reverse=True)
            kept = {row.layout for row in rows}
            early |= {row.layout: row for row in rows}
    final = {each.layout: each for each in proposal.candidates}
    for row in early.values():
        assert figures(row) == figures(final[row.layout])


@examples(60)
@given(st.lists(st.tuples(*[st.integers(0, 4)] * 4), max_size=40))
def test_the_bit_sets_agree_with_pairs(offers: list[tuple[int, ...]]) -> None:
    vectors = [tuple(map(float, offer)) for offer in offers]
    pairs = [
        index for index, own in enumerate(vectors) if not any(beats(other, own) for other in vectors)
    ]  # fmt: skip
    assert pareto_front(vectors) == pairs


@given(st.integers(0, 400))
def test_there_are_never_fewer_layouts_on_more_disks(disks: int) -> None:
    assert count_layouts(disks, "lvm") <= count_layouts(disks + 1, "lvm")
