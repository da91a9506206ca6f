"""What holds for the throughput of every layout on every pool of equal disks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from raidtui.predict.speed.speed import WORKS, band_of
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import STACKS
from raidtui.values.design import Design
from raidtui.values.inventory import Disk, Inventory, Link, Place
from raidtui.values.layout import Layout
from raidtui.values.speed import MEMBERS, Iops, Rate, Throughput
from tests.planner.pools import SLOT, adapter, headline
from tests.properties.layouts import layouts

MB = 10**6
SIDES = (SLOT, "0000:81:00.0")
STEP = 1
"""rounding of a figure"""


@st.composite
def pools(draw: st.DrawFn, layout: Layout, *, one_place: bool) -> Inventory:
    """As many equal disks as the layout takes, dealt evenly round equal expanders of one or two equal adapters.

    `one_place`: all behind the same expander.
    """
    members = layout.member_disks
    counts = [(1, 1)] if one_place else [(1, 1), (1, 2), (1, 3), (1, 5), (2, 1), (2, 2), (2, 3), (2, 5)]
    even = [(sides, each) for sides, each in counts if members % (sides * each) == 0]
    sides, each = draw(st.sampled_from(even))
    expanders = sides * each
    kind = draw(st.sampled_from(("nearline", "flash", "bare")))
    names = [f"expander-{number}" for number in range(expanders)]
    lanes, gbit = draw(st.sampled_from((2, 4, 8))), draw(st.sampled_from((6, 12)))
    card = adapter(SLOT, speed=draw(st.sampled_from((5.0, 8.0))), width=draw(st.sampled_from((4, 8))))
    controllers = (card, replace(card, pci=SIDES[1]))[:sides]
    speed = draw(st.integers(20, 8000)) * MB
    disks = tuple(
        Disk(
            id=f"disk-{number}",
            size_bytes=4 * 10**12,
            rotational=kind != "flash",
            transport="sas",
            link_bits_per_s=12 * 10**9,
            place=Place() if kind == "bare" else place(names, number, sides),
            sequential_bytes_per_s=speed,
        )
        for number in range(layout.disks)
    )
    links = tuple(Link(name=name, kind="expander", lanes=lanes, bits_per_s=gbit * 10**9) for name in names)
    if kind == "bare":
        return Inventory(origin="purchase", name="bare", disks=disks)
    return Inventory(origin="purchase", name="pool", controllers=controllers, links=links, disks=disks)


def place(names: list[str], number: int, sides: int) -> Place:
    at = number % len(names)
    return Place(controller=SIDES[at % sides], expander=names[at])


@st.composite
def cases(draw: st.DrawFn, *, most_spares: int = 20, one_place: bool = False) -> tuple[Design, Inventory, Assumptions]:
    layout = draw(layouts(most_members=40, most_arrays=8, most_spares=most_spares))
    assumptions = Assumptions(
        parity_threads=draw(st.sampled_from((0, 4))),
        link_bytes_per_s=draw(st.none() | st.integers(100 * MB, 10_000 * MB)),
        rebuild_share=draw(st.sampled_from((0.25, 0.5, 1.0))),
    )
    stack = draw(st.sampled_from(STACKS))
    return Design(layout=layout, stack=stack), draw(pools(layout, one_place=one_place)), assumptions


def found(design: Design, inventory: Inventory, assumptions: Assumptions) -> Throughput:
    return headline(design, inventory, assumptions)


def rates(throughput: Throughput) -> dict[str, Rate | Iops]:
    return {field: rate for field in WORKS if (rate := getattr(throughput, field)) is not None}


def figure(rate: Rate | Iops) -> int:
    return rate.bytes_per_s if isinstance(rate, Rate) else rate.iops


@given(cases())
def test_the_bottleneck_is_the_lowest_ceiling_and_the_next_one_the_second(
    case: tuple[Design, Inventory, Assumptions],
) -> None:
    result = found(*case)
    for field, rate in rates(result).items():
        ordered = sorted(rate.ceilings.values())
        assert rate.ceilings[rate.bottleneck] == ordered[0]
        assert rate.next != rate.bottleneck
        if rate.next:
            assert rate.ceilings[rate.next] == ordered[1]
        assert [ceiling.rate for ceiling in result.explained[field]] == ordered
        assert {ceiling.name for ceiling in result.explained[field]} == set(rate.ceilings)


@given(cases())
def test_the_figure_is_inside_its_band_and_below_every_ceiling(case: tuple[Design, Inventory, Assumptions]) -> None:
    design, inventory, _ = case
    result = found(*case)
    rotational = inventory.disks[0].rotational is not False
    for field, rate in rates(result).items():
        band = band_of(WORKS[field], rotational=rotational, parity=design.layout.parity > 0)
        assert 0 <= rate.low <= figure(rate) <= rate.high
        assert all(figure(rate) <= band.point * ceiling + STEP for ceiling in rate.ceilings.values())


@given(cases(), st.integers(1, 10))
def test_faster_disks_never_make_it_slower(case: tuple[Design, Inventory, Assumptions], times: int) -> None:
    design, inventory, assumptions = case
    slow = replace(assumptions, disk_bytes_per_s=50 * MB, disk_iops=100)
    fast = replace(assumptions, disk_bytes_per_s=50 * MB * times, disk_iops=100 * times)
    before, after = found(design, inventory, slow), found(design, inventory, fast)
    faster = rates(after)
    for field, rate in rates(before).items():
        assert figure(rate) <= figure(faster[field]) + STEP
        assert rate.high <= faster[field].high + STEP
        if not after.unknown:  # faster disks may reach what is unknown, which lowers the low end
            assert rate.low <= faster[field].low + STEP


@given(st.sampled_from(("raid0", "raid5", "raid6", "raid10")), st.integers(4, 40), st.integers(100, 5000))
def test_more_members_never_make_it_slower(level: str, members: int, link: int) -> None:
    """Behind one link that all share, whatever their number."""
    disks = tuple(Disk(id=f"disk-{at}", size_bytes=10**12, rotational=True, rpm=7200) for at in range(members + 1))
    inventory = Inventory(origin="purchase", name="pool", disks=disks)
    said = Assumptions(link_bytes_per_s=link * MB)
    few, more = (
        rates(found(Design(layout=Layout.of(level=level, members=count)), inventory, said))  # type: ignore[arg-type]
        for count in (members, members + 1)
    )
    for field, rate in few.items():
        assert figure(rate) <= figure(more[field]) + STEP


@given(cases())
def test_a_said_link_leaves_nothing_unknown(case: tuple[Design, Inventory, Assumptions]) -> None:
    design, inventory, assumptions = case
    said = replace(assumptions, link_bytes_per_s=500 * MB)
    assert found(design, inventory, said).unknown == ()


@given(cases())
def test_what_is_unknown_is_named(case: tuple[Design, Inventory, Assumptions]) -> None:
    design, inventory, assumptions = case
    hidden = tuple(replace(disk, place=Place()) for disk in inventory.disks)
    unsaid = replace(assumptions, link_bytes_per_s=None)
    bare = found(design, Inventory(origin="purchase", name="bare", disks=hidden), unsaid)
    fast = bare.seq_read.bytes_per_s > 2_208_000_000
    assert not fast or "one SAS 6G cable" in bare.unknown[0]


@given(cases())
def test_no_band_ends_above_what_links_carry_or_members_deliver(case: tuple[Design, Inventory, Assumptions]) -> None:
    result = found(*case)
    for field in ("seq_read", "seq_write"):
        rate = getattr(result, field)
        for ceiling in result.explained[field]:
            if ceiling.name == MEMBERS:
                assert rate.high <= 1.03 * result.disk.high * ceiling.rate + STEP
            elif ceiling.name.kind == "stated link":
                assert rate.high <= ceiling.rate + STEP
            elif ceiling.name.kind == "PCIe slot":
                assert rate.high <= ceiling.rate * 0.86 / 0.56 + STEP


@given(cases())
def test_what_widens_a_band_most_is_named_with_how_much(case: tuple[Design, Inventory, Assumptions]) -> None:
    for rate in rates(found(*case)).values():
        if rate.spread is not None and rate.low > 1000:
            assert 1.1 <= rate.spread.factor <= rate.high / rate.low * 1.001
