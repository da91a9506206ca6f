"""Where members and spares go: on the shipped chassis, on shelves, with small, slow and worn disks among them."""

from __future__ import annotations

import random

import pytest

from raidtui.machine.inventory.shipped import load
from raidtui.predict.placement.place import place
from raidtui.values.location import Placement
from raidtui.values.members import array_label, groups_of, label_number
from raidtui.values.notation import parse
from tests.planner.topologies import TB, disk, picture, shelves


def verdicts(placement: Placement) -> dict[str, dict[str, int]]:
    """How many domains of each kind have which verdict."""
    found: dict[str, dict[str, int]] = {}
    for each in placement.certificates:
        counts = found.setdefault(each.kind, {})
        counts[each.verdict] = counts.get(each.verdict, 0) + 1
    return found


def words(placement: Placement) -> list[tuple[str, str, str, str]]:
    return [(each.severity, each.code, each.message, each.way_out) for each in placement.findings]


def test_twelve_plus_two_on_five_drawers_outlives_any_expander() -> None:
    layout, disks = parse("4x(12+2)+4"), load("e2660").disks
    chosen, placement = place(layout, disks)
    assert picture(layout, chosen, disks, 12) == [
        "A B B C C D D A A B + C",
        "D B A C B D C A D B A +",
        "C D D A A B B C C D + A",
        "B D C A D B A C B D C +",
        "A C B D C A D B A C B D",
    ]
    assert placement.disks == tuple(each.id for each in chosen)
    assert verdicts(placement) == {
        "enclosure": {"lost": 1}, "controller": {"lost": 2}, "drawer": {"lost": 5}, "expander": {"degraded": 10},
    }  # fmt: skip
    first, second, *_ = placement.certificates
    assert (first.kind, first.members_lost, first.spares_lost) == ("enclosure", (14, 14, 14, 14), 4)
    assert first.reason == "contains every disk"
    assert (second.domain, second.members_lost, second.spares_lost) == ("0000:03:00.0", (8, 7, 7, 6), 2)
    assert max(max(each.members_lost) for each in placement.certificates if each.kind == "expander") == 2


def test_the_spare_of_bands_is_the_largest_disk() -> None:
    """It has to hold a partition of each band that the disk it replaces is in."""
    pool = [disk(at, size_bytes=size * TB) for at, size in enumerate((4, 3, 2, 2))]
    chosen, _ = place(parse("hybrid(3)+1"), pool)
    assert [each.size_bytes // TB for each in chosen] == [3, 2, 2, 4]


def test_the_members_lost_are_counted_for_each_width() -> None:
    _, placement = place(parse("3x(6+2)+4x(7+2)"), load("e2660").disks)
    drawer = next(each for each in placement.certificates if each.kind == "drawer")
    assert drawer.reason == "at most 2 of 8 to 9 members, RAID6 survives 2"
    controller = next(each for each in placement.certificates if each.kind == "controller")
    assert controller.reason == "array E loses 5 of 9 members, RAID6 survives 2"


def test_where_nothing_survives_the_count_proves_it_and_the_nearest_layout_is_named() -> None:
    _, placement = place(parse("4x(12+2)+4"), load("e2660").disks)
    assert words(placement) == [
        (
            "warning", "domain-lost",
            "The loss of any of 2 controllers stops an array: "
            "it may have 2 members on each, 4 in all, but has 14.",
            "RAID6 of at most 4 members survives it; nearest on these disks: 14x(2+2)+4",
        ),
        (
            "warning", "domain-lost",
            "The loss of any of 5 drawers stops an array: "
            "it may have 2 members on each, 10 in all, but has 14.",
            "RAID6 of at most 10 members survives it; nearest on these disks: 6x(7+2)+4",
        ),
        (
            "note", "domain-single",
            "All disks are attached to one enclosure (0x3000000000e26600): no layout survives its loss.",
            "add a second one and spread every array over both",
        ),
    ]  # fmt: skip


def test_a_spare_fits_every_array_even_when_it_is_one_of_two_large_disks() -> None:
    layout, disks = parse("raid1(2)+1"), load("trio").disks
    chosen, placement = place(layout, disks)
    assert picture(layout, chosen, disks, 3) == ["A + A"]
    assert [each.verdict for each in placement.certificates] == ["lost", "lost"]
    assert words(placement) == [
        (
            "note", "domain-single",
            "All disks are attached to one enclosure (trio) and to one controller (0000:00:17.0): "
            "no layout survives its loss.",
            "add a second one and spread every array over both",
        ),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("layout", "counts", "where"),
    [
        ("raid10(6)", (3, 3), "ababab"),
        ("raid10(6,f2)", (3, 3), "ababab"),
        ("raid10(7,f2)", (3, 2, 2), "abacacb"),
        ("raid10(6,n3)", (4, 2), "aabaab"),
        ("raid10(8,f3)", (5, 3), "babaabaa"),
    ],
)
def test_copies_of_a_chunk_lie_in_different_enclosures(layout: str, counts: tuple[int, ...], where: str) -> None:
    chosen, placement = place(parse(layout), shelves(*counts))
    assert "".join(each.place.enclosure or "?" for each in chosen) == where
    assert {each.verdict for each in placement.certificates} == {"degraded"}


def test_like_goes_with_like_and_spares_are_no_smaller_than_any_member() -> None:
    disks = [disk(at, size_bytes=size * TB) for at, size in enumerate((4, 8, 4, 8, 8, 4, 8, 2))]
    chosen, _ = place(parse("2x raid1(2)+1"), disks)
    assert [each.size_bytes // TB for each in chosen] == [8, 8, 4, 4, 8]
    chosen, _ = place(parse("raid5(2+1)+1"), [disk(at, size_bytes=4 * TB + at) for at in range(4)])
    assert [each.size_bytes - 4 * TB for each in chosen] == [0, 1, 2, 3]


def test_failing_disks_stay_out_worn_ones_are_left_over_and_slow_ones_are_spares() -> None:
    disks = [
        disk(0, healthy=False), disk(1, reallocated=8), disk(2, sequential_bytes_per_s=100_000_000),
        *(disk(at, sequential_bytes_per_s=200_000_000) for at in range(3, 8)),
    ]  # fmt: skip
    layout = parse("(3+2)+1")
    chosen, placement = place(layout, disks)
    assert picture(layout, chosen, disks, 8) == [". . + A A A A A"]
    assert [finding.code for finding in placement.findings] == ["place-unknown"]


def test_a_worn_disk_is_the_spare_where_nothing_else_is_left() -> None:
    disks = [disk(0, hours=50_000), disk(1), disk(2, reallocated=3), disk(3)]
    chosen, placement = place(parse("raid1(2)+2"), disks)
    assert [each.id for each in chosen] == ["wwn-0001", "wwn-0003", "wwn-0000", "wwn-0002"]
    assert [finding.code for finding in placement.findings] == ["place-unknown"]


def test_laggards_and_worn_disks_that_stay_members_are_named_with_their_figures() -> None:
    disks = [
        disk(0, enclosure="a", controller="c", slot="bay 1", sequential_bytes_per_s=120_000_000),
        disk(1, enclosure="a", controller="c", slot="bay 2", reallocated=24, sequential_bytes_per_s=200_000_000),
        disk(2, enclosure="a", controller="c", slot="bay 3", hours=60_000),
        disk(3, enclosure="a", controller="c", slot="bay 4", sequential_bytes_per_s=200_000_000),
    ]
    _, placement = place(parse("raid5(3+1)"), disks, slow={"wwn-0002": 0.8})
    assert [each for each in words(placement) if each[0] == "warning"] == [
        (
            "warning", "laggard",
            "Below 90 % of the median speed in the array: bay 1 (serial S0) at 60 % (120 MB/s); "
            "bay 3 (serial S2) at 80 %; full stripes wait for the slowest.",
            "make it a spare or replace it",
        ),
        (
            "warning", "disk-worn",
            "Worn disks among the members: bay 2 (serial S1), 24 sectors reallocated; "
            "bay 3 (serial S2), 60000 power-on hours.",
            "replace them, or choose a layout that excludes them or makes them spares",
        ),
    ]  # fmt: skip


def test_the_laggard_of_three_desktop_disks() -> None:
    _, placement = place(parse("raid5(2+1)"), load("trio").disks)
    assert [finding.message for finding in placement.findings if finding.code == "laggard"] == [
        "Below 90 % of the median speed in the array: bay 1 (serial SIMTRIO0001) at 86 % (95.0 MB/s); "
        "full stripes wait for the slowest."
    ]


def test_unknown_places_are_said() -> None:
    _, placement = place(parse("(2+2)"), [disk(0), disk(1), disk(2, enclosure="a"), disk(3, controller="c")])
    assert [finding.message for finding in placement.findings] == [
        "Unknown, so not certified: the enclosure of 3 of 4 disks and the controller of 3 of 4 disks."
    ]
    assert placement.certificates == ()


def test_hostile_names_are_shown_and_not_obeyed() -> None:
    disks = [
        disk(0, enclosure="\x1b]0;x", slot="bay \x1b[2J1", serial="S\n", reallocated=1),
        disk(1, enclosure="\x1b]0;x"),
    ]
    _, placement = place(parse("raid1(2)"), disks)
    text = "".join(finding.message for finding in placement.findings)
    assert "bay \\e[2J1 (serial S\\n), 1 sectors reallocated" in text
    assert text.isprintable()


def test_the_order_of_the_inventory_plays_no_part() -> None:
    disks = list(load("e2660").disks)
    expected = place(parse("4x(12+2)+4"), disks)
    random.Random(3).shuffle(disks)
    assert place(parse("4x(12+2)+4"), disks) == expected


def test_too_few_disks() -> None:
    with pytest.raises(ValueError, match="expected at least 4 disks for the layout, found 3"):
        place(parse("(2+2)"), shelves(3))


def test_labels_are_never_the_same_for_two_arrays() -> None:
    assert [array_label(number) for number in (0, 25, 26, 51, 52, 103, 104)] == ["A", "Z", "a", "z", "A1", "z1", "A2"]
    labels = [array_label(number) for number in range(1000)]
    assert len(set(labels)) == 1000
    assert [label_number(label) for label in labels] == list(range(1000))
    assert list(groups_of(parse("2x raid1(2)+1"), shelves(6)).values()) == ["A", "A", "B", "B", "+"]
