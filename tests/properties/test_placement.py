"""Placements in random machines, each certificate held against md's own rules, counted another way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from raidtui.predict.placement.certificate import certify
from raidtui.predict.placement.domains import can_survive, nearest_surviving
from raidtui.predict.placement.place import place
from raidtui.values.inventory import Disk
from raidtui.values.layout import LEVELS, Layout
from raidtui.values.location import DomainKind
from tests.planner.outlives import survives_loss
from tests.planner.topologies import TB, disk
from tests.suite import examples

KINDS: tuple[DomainKind, ...] = get_args(DomainKind)


@st.composite
def small_layouts(draw: st.DrawFn, most: int = 24) -> Layout:
    level = draw(st.sampled_from(LEVELS))
    copies = draw(st.integers(2, 3)) if level == "raid10" else 2
    least = {"raid6": 4, "raid10": copies}.get(level, 2)
    members = draw(st.integers(least, max(least, min(10, most))))
    arrays = draw(st.integers(1, max(1, min(5, most // members))))
    return Layout.of(
        level=level, members=members, arrays=arrays, copies=copies,
        spares=draw(st.integers(0, max(0, min(4, most - arrays * members)))),
        spread=draw(st.sampled_from(("n", "f", "o"))) if level == "raid10" else "n",
    )  # fmt: skip


@st.composite
def machines(draw: st.DrawFn, layout: Layout, *, sizes: Sequence[int] = (4,), known: bool = False) -> list[Disk]:
    """Enough disks for `layout`, anywhere."""
    count = layout.disks + draw(st.integers(0, 4))
    nowhere: tuple[str | None, ...] = () if known else (None,)
    return [
        disk(
            number,
            enclosure=draw(st.sampled_from(("e1", "e2", "e3", *nowhere))),
            controller=draw(st.sampled_from(("c1", "c2", *nowhere))),
            expander=draw(st.sampled_from(("x1", "x2", "x3", "x4", None))),
            slot=f"drawer {draw(st.integers(1, 3))} slot {number}",
            size_bytes=draw(st.sampled_from(sizes)) * TB,
            healthy=draw(st.sampled_from((True, True, True, False))),
            reallocated=draw(st.sampled_from((0, 0, 5))),
            sequential_bytes_per_s=draw(st.sampled_from((None, 200_000_000, 100_000_000))),
        )
        for number in range(count)
    ]


def domain_of(one: Disk, kind: DomainKind) -> str | None:
    where = one.place
    if kind == "drawer":
        return f"{where.enclosure}/{(where.slot or '').split(' slot')[0]}"
    return {"enclosure": where.enclosure, "controller": where.controller, "expander": where.expander}[kind]


def nobody_tells(one: Disk, kind: DomainKind) -> bool:
    if kind == "expander":
        return one.place.expander is None and one.place.controller is None
    return kind != "drawer" and domain_of(one, kind) is None


def keeps_its_data(layout: Layout, gone: Iterable[bool]) -> bool:
    """md's rules for one array, member by member; RAID10 by writing every chunk to its places, stripe by stripe."""
    dead = list(gone)
    count = len(dead)
    match layout.level:
        case "raid0" | "disk":
            return not any(dead)
        case "raid1":
            return not all(dead)
        case "raid4" | "raid5":
            return sum(dead) <= 1
        case "raid6":
            return sum(dead) <= 2
        case "raid10":
            for chunk in range(count * layout.first.copies):
                if layout.first.spread == "n":
                    cells = range(chunk * layout.first.copies, (chunk + 1) * layout.first.copies)
                    on = [cell % count for cell in cells]
                else:
                    on = [(chunk % count + copy) % count for copy in range(layout.first.copies)]
                if all(dead[member] for member in on):
                    return False
            return True


def all_keep(layout: Layout, gone: Sequence[bool]) -> bool:
    width = layout.first.members
    return all(keeps_its_data(layout, gone[at * width : (at + 1) * width]) for at in range(layout.arrays))


@given(st.data())
@examples(250)
def test_every_certificate_is_what_the_loss_of_its_domain_costs(data: st.DataObject) -> None:
    layout = data.draw(small_layouts())
    disks = data.draw(machines(layout))
    order = data.draw(st.permutations(disks))[: layout.disks]
    members = layout.arrays * layout.first.members
    found = {(each.kind, each.domain): each for each in certify(layout, order)}
    several = len({one.place.enclosure for one in order}) > 1
    for kind in KINDS:
        for name in {domain_of(one, kind) for one in order} - {None}:
            inside = [domain_of(one, kind) == name for one in order]
            hidden = [there or nobody_tells(one, kind) for there, one in zip(inside, order, strict=True)]
            called = str(name)
            if kind == "drawer":
                where, _, drawer = called.partition("/")
                called = f"{drawer} of {where}" if several and where != "None" else drawer
            certificate = found.pop((kind, called), None)
            if kind != "drawer" and all_keep(layout, inside) and not all_keep(layout, hidden):
                assert certificate is None
                continue
            if kind == "drawer" and any(one.place.enclosure is None for one in order):
                continue  # drawers of an unknown enclosure share their number's name
            assert certificate is not None
            width = layout.first.members
            lost = tuple(sum(inside[at * width : (at + 1) * width]) for at in range(layout.arrays))
            assert certificate.members_lost == lost
            assert certificate.spares_lost == sum(inside[members:])
            if not all_keep(layout, inside):
                assert certificate.verdict == "lost"
            else:
                assert certificate.verdict == ("degraded" if any(hidden[:members]) else "survives")
    assert all(kind == "drawer" for kind, _ in found)


@given(st.data())
@examples(250)
def test_a_placement_takes_each_disk_once_in_any_order_and_spares_fit(data: st.DataObject) -> None:
    layout = data.draw(small_layouts())
    disks = data.draw(machines(layout, sizes=(2, 4, 8)))
    chosen, placement = place(layout, disks)
    assert len(chosen) == layout.disks
    assert len({one.id for one in chosen}) == layout.disks
    assert {one.id for one in chosen} <= {one.id for one in disks}
    assert placement.disks == tuple(one.id for one in chosen)
    assert placement.certificates == certify(layout, chosen)
    assert place(layout, data.draw(st.permutations(disks))) == (chosen, placement)
    members = layout.arrays * layout.first.members
    for start in range(0, members, layout.first.members):
        least = min(one.size_bytes for one in chosen[start : start + layout.first.members])
        assert all(one.size_bytes >= least for one in chosen[members:])


@given(st.data())
@examples(150)
def test_failing_disks_are_taken_only_where_there_are_not_enough_others(data: st.DataObject) -> None:
    layout = data.draw(small_layouts())
    disks = data.draw(machines(layout))
    failing = sum(one.smart is not None and one.smart.healthy is False for one in disks)
    taken = [one for one in place(layout, disks)[0] if one.smart is not None and one.smart.healthy is False]
    if len(disks) - failing >= layout.disks:
        assert not taken
    else:
        assert len(taken) == layout.disks - (len(disks) - failing)


@given(st.data())
@examples(250)
def test_the_gravest_kind_is_met_whenever_the_count_allows(data: st.DataObject) -> None:
    layout = data.draw(small_layouts())
    disks = [
        disk(number, enclosure=name, controller=data.draw(st.sampled_from(("c1", "c2"))))
        for number, name in enumerate(
            data.draw(st.lists(st.sampled_from("abcde"), min_size=layout.disks, max_size=layout.disks + 4))
        )
    ]
    counts = [sum(one.place.enclosure == name for one in disks) for name in "abcde"]
    chosen, _ = place(layout, disks)
    assert survives_loss(layout, chosen, "enclosure") == can_survive(layout, counts)


@given(st.data())
@examples(120)
def test_no_placement_at_all_survives_where_ours_does_not(data: st.DataObject) -> None:
    """Every order of up to seven disks tried."""
    layout = data.draw(small_layouts(most=7))
    names = data.draw(st.lists(st.sampled_from("abc"), min_size=layout.disks, max_size=7))
    disks = [disk(number, enclosure=name, controller="c") for number, name in enumerate(names)]
    chosen, _ = place(layout, disks)

    def survives(order: Sequence[str | None]) -> bool:
        return all(all_keep(layout, [each == name for each in order]) for name in "abc")

    best = any(survives(order[: layout.disks]) for order in set(permutations(names)))
    assert survives([one.place.enclosure for one in chosen]) == best


@given(st.data())
@examples(150)
def test_the_nearest_layout_fits_and_survives(data: st.DataObject) -> None:
    layout = data.draw(small_layouts())
    counts = data.draw(st.lists(st.integers(1, 30), min_size=1, max_size=6))
    other = nearest_surviving(layout, counts)
    if other is not None:
        disks = [
            disk(at * 100 + n, enclosure=f"e{at}", controller="c")
            for at, count in enumerate(counts)
            for n in range(count)
        ]
        assert other.disks <= len(disks)
        chosen, _ = place(other, disks)
        assert survives_loss(other, chosen, "enclosure")
