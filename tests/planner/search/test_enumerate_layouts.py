"""Which layouts are looked at, and how many there are."""

from collections.abc import Sequence

from raidtui.advice.proposals.enumerate_layouts import KINDS, canonical_layouts, count_layouts, leaves_disks_idle
from raidtui.predict.checks.layout import check_design
from raidtui.values.design import Design
from raidtui.values.findings import refused
from raidtui.values.layout import LEVELS, Layout
from raidtui.values.notation import parse, show
from raidtui.values.proposal import Constraints

ANY = Constraints()


def canonical(classes: Sequence[int], constraints: Constraints = ANY, enough: int = 0) -> list[Layout]:
    return list(canonical_layouts(classes, constraints, lambda _: enough))


def test_three_equal_disks() -> None:
    assert [show(layout) for layout in canonical((3,))] == [
        "raid0(3)", "raid1(2)+1", "raid1(3)", "(2+1)", "raid10(3)", "raid10(3,f2)", "raid10(3,o2)",
    ]  # fmt: skip


def test_sixty_disks_have_the_layouts_that_people_build() -> None:
    """As wide as the number of arrays allows, without spares, with one or more, or with one an array."""
    found = {show(layout) for layout in canonical((60,), Constraints(levels=("raid6",)), 1)}
    assert {"4x(13+2)", "5x(10+2)", "4x(12+2)+4", "5x(9+2)+5", "6x(8+2)", "6x(7+2)+6", "15x(2+2)"} <= found
    assert "3x(12+2)+18" not in found
    assert len(found) == 24


def test_raid4_only_where_it_is_asked_for() -> None:
    assert not any(layout.level == "raid4" for layout in canonical((5,)))
    assert [show(layout) for layout in canonical((3,), Constraints(levels=("raid4",)))] == ["raid4(2+1)"]


def test_two_failures_leave_raid6_and_threefold_copies() -> None:
    found = {show(layout) for layout in canonical((5,), Constraints(survive=2))}
    assert found == {"raid1(3)+2", "raid1(4)+1", "(2+2)+1", "(3+2)", "raid10(5,n3)"}


def test_five_failures_need_six_copies() -> None:
    assert [show(layout) for layout in canonical((6,), Constraints(survive=5))] == ["raid1(6)"]


def test_the_kernel_ends_raid6_at_255_and_lvm_ends_at_128_arrays() -> None:
    raid6 = canonical((1000,), Constraints(levels=("raid6",)), 1)
    assert max(layout.first.members for layout in raid6) == 255
    assert max(layout.arrays for layout in raid6) == 128


def test_every_layout_is_one_that_md_takes() -> None:
    for stack in ("lvm", "md", "separate"):
        for layout in canonical((300,), Constraints(stack=stack), 1):
            assert not refused(tuple(check_design(Design(layout=layout, stack=stack)))), show(layout)


def test_the_count_is_that_of_writing_all_down() -> None:
    disks = 11
    written = set()
    for kind in KINDS:
        for members in range(1, disks + 1):
            for arrays in range(1, disks // members + 1):
                for spares in range(disks - arrays * members + 1):
                    layout = Layout.of(
                        level=kind.level, members=members, arrays=arrays, spares=spares,
                        copies=kind.copies, spread=kind.spread,
                    )  # fmt: skip
                    if not refused(tuple(check_design(Design(layout=layout)))):
                        written.add(layout)
    assert {layout.level for layout in written} == set(LEVELS)
    assert count_layouts(disks, "lvm") == len(written)


def test_spares_that_would_make_an_array_lie_idle() -> None:
    assert leaves_disks_idle(parse("3x(12+2)+18"), 60, 1)
    assert not leaves_disks_idle(parse("4x(12+2)+4"), 60, 1)
    assert not leaves_disks_idle(parse("5x(8+2)+10"), 60, 1)
    assert leaves_disks_idle(parse("raid10(42)+18"), 60, 1)
    assert leaves_disks_idle(parse("raid0(30)"), 60, 1)
