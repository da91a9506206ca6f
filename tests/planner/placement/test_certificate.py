"""A certificate says what the loss of a domain costs: counted here by hand, on placements made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from raidtui.predict.placement.certificate import certificate_text, certify, chunks_lost
from raidtui.values.inventory import Disk
from raidtui.values.location import Certificate
from raidtui.values.notation import parse
from tests.planner.outlives import survives_loss
from tests.planner.topologies import disk


def enclosures(letters: str) -> list[Disk]:
    """A disk in each of these enclosures, in this order; `?` for one that nobody tells."""
    return [disk(at, enclosure=None if letter == "?" else letter) for at, letter in enumerate(letters)]


def said(found: Sequence[Certificate]) -> list[tuple[str, str, tuple[int, ...], int, str]]:
    return [(each.domain, each.verdict, each.members_lost, each.spares_lost, each.reason) for each in found]


def test_the_worst_comes_first_and_every_domain_has_its_line() -> None:
    assert said(certify(parse("2x(2+2)+2"), enclosures("aaab" "aabb" "cc"))) == [
        ("a", "lost", (3, 2), 0, "array A loses 3 of 4 members, RAID6 survives 2"),
        ("b", "degraded", (1, 2), 0, "at most 2 of 4 members, RAID6 survives 2"),
        ("c", "survives", (0, 0), 2, "contains only spares"),
    ]  # fmt: skip


def test_mirrors_live_on_one_member_and_stripes_on_none_less() -> None:
    assert said(certify(parse("raid1(3)"), enclosures("aab"))) == [
        ("a", "degraded", (2,), 0, "at most 2 of 3 members, RAID1 survives 2"),
        ("b", "degraded", (1,), 0, "at most 1 of 3 members, RAID1 survives 2"),
    ]
    assert [each.verdict for each in certify(parse("raid0(3)"), enclosures("aab"))] == ["lost", "lost"]


@pytest.mark.parametrize(
    ("layout", "where", "a"),
    [
        ("raid10(4)", "abab", "degraded"),
        ("raid10(4)", "aabb", "lost"),
        ("raid10(4)", "abba", "degraded"),  # neighbours round the corner hold no common chunk with near copies
        ("raid10(4,f2)", "abba", "lost"),  # with far copies they do
        ("raid10(4,o2)", "abba", "lost"),
        ("raid10(4,f2)", "abab", "degraded"),
        ("raid10(5)", "ababa", "lost"),  # chunk 2 of an odd number of members: its copies are on the last and the first
        ("raid10(5)", "ababc", "degraded"),
        ("raid10(6,n3)", "aabaab", "degraded"),
        ("raid10(6,n3)", "aaabbb", "lost"),
        ("raid10(6,n4)", "aabaab", "degraded"),
        ("raid10(6,n4)", "aabaaa", "lost"),  # chunks lie on 0-3, on 4, 5, 0, 1 and on 2-5: the second is gone
    ],
)
def test_of_raid10_it_counts_which_members_are_neighbours(layout: str, where: str, a: str) -> None:
    assert next(each.verdict for each in certify(parse(layout), enclosures(where)) if each.domain == "a") == a


def test_of_raid10_it_says_how_many_chunks_are_gone() -> None:
    found = certify(parse("2x raid10(6)"), enclosures("abababaaaabb"))
    assert said(found)[0] == ("a", "lost", (3, 4), 0, "array B loses every copy of 2 in 3 chunks")
    assert chunks_lost(parse("raid10(6,f2)").first, frozenset({0, 1, 2, 5})) == (3, 6)


def test_what_is_not_known_is_not_certified() -> None:
    layout = parse("(3+2)")
    assert said(certify(layout, enclosures("abcd?"))) == [
        (
            "a",
            "degraded",
            (1,),
            0,
            "at most 1 of 5 members, RAID6 survives 2, even with 1 disk of unknown enclosure",
        ),
        (
            "b",
            "degraded",
            (1,),
            0,
            "at most 1 of 5 members, RAID6 survives 2, even with 1 disk of unknown enclosure",
        ),
        (
            "c",
            "degraded",
            (1,),
            0,
            "at most 1 of 5 members, RAID6 survives 2, even with 1 disk of unknown enclosure",
        ),
        (
            "d",
            "degraded",
            (1,),
            0,
            "at most 1 of 5 members, RAID6 survives 2, even with 1 disk of unknown enclosure",
        ),
    ]
    assert [each.domain for each in certify(layout, enclosures("aab??"))] == []
    assert survives_loss(layout, enclosures("abcd?"), "enclosure")
    assert not survives_loss(layout, enclosures("aab??"), "enclosure")
    assert not survives_loss(layout, enclosures("aaabb"), "enclosure")
    assert not survives_loss(layout, enclosures("?????"), "enclosure")


def test_as_many_disks_as_the_layout_takes() -> None:
    with pytest.raises(ValueError, match="expected 5 disks for the layout, found 4"):
        certify(parse("(3+2)"), enclosures("abcd"))


def test_the_table_for_people_joins_what_costs_the_same_and_hides_nothing_hostile() -> None:
    disks = [disk(at, enclosure=name) for at, name in enumerate(("a", "b", "c\x1b[31m", "d", "d", "d"))]
    assert certificate_text(certify(parse("(4+2)"), disks)) == [
        "LOSS OF                         VERDICT   OF EACH ARRAY  SPARES  WHY",
        "enclosure d                     lost      3                   0  it takes 3 of 6 members, RAID6 survives 2",
        "any of 3 enclosures: a, b, ...  degraded  1                   0  at most 1 of 6 members, RAID6 survives 2",
    ]
