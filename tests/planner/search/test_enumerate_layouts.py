"""Which layouts are looked at, and how many there are."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raidtui.model.design import Design
from raidtui.model.finding import refused
from raidtui.model.layout import LEVELS, Layout
from raidtui.model.notation import show
from raidtui.model.proposal import Constraints
from raidtui.planner.checks.design import check_design
from raidtui.planner.search.enumerate_layouts import KINDS, count_layouts, enumerate_shapes, leaves_disks_idle
from tests.planner.layouts import equal


def enumerate_layouts(classes: Sequence[int], constraints: Constraints, enough: int) -> Iterator[Layout]:
    for array, counts in enumerate_shapes(classes, constraints, enough):
        for arrays, spares in counts:
            yield replace(array, arrays=arrays, spares=spares)


def test_three_equal_disks() -> None:
    found = [show(layout) for layout in enumerate_layouts((3,), Constraints(), 0)]
    assert found == [
        "raid0(2)", "raid0(3)",
        "raid1(2)+1", "raid1(3)",
        "(2+1)",
        "raid10(3)", "raid10(3,f2)", "raid10(3,o2)",
    ]  # fmt: skip


def test_a_smaller_class_adds_spares() -> None:
    found = [show(layout) for layout in enumerate_layouts((2, 3), Constraints(levels=("raid1",)), 0)]
    assert found == ["raid1(2)+1", "raid1(2)", "raid1(3)"]


def test_with_a_price_fewer_spares_are_worth_a_look() -> None:
    asked = Constraints(levels=("raid6",), max_width=10, price_per_disk=100.0, spares=1)
    found = [show(layout) for layout in enumerate_layouts((24,), asked, 2) if layout.members == 10]
    assert found == ["(8+2)+14", "(8+2)+2", "(8+2)+1", "2x(8+2)+4", "2x(8+2)+2", "2x(8+2)+1"]


def test_raid4_only_where_it_is_asked_for() -> None:
    assert not any(layout.level == "raid4" for layout in enumerate_layouts((5,), Constraints(), 0))
    assert [show(layout) for layout in enumerate_layouts((3,), Constraints(levels=("raid4",)), 0)] == ["raid4(2+1)"]


def test_two_failures_leave_raid6_and_threefold_copies() -> None:
    found = {show(layout) for layout in enumerate_layouts((5,), Constraints(survive=2), 0)}
    assert found == {"raid1(3)+2", "raid1(4)+1", "(2+2)+1", "(3+2)", "raid10(4,n3)+1", "raid10(5,n3)"}


def test_five_failures_need_six_copies() -> None:
    assert [show(layout) for layout in enumerate_layouts((6,), Constraints(survive=5), 0)] == ["raid1(6)"]


def test_raid0_takes_no_spares() -> None:
    assert all(layout.level != "raid0" for layout in enumerate_layouts((6,), Constraints(spares=1), 0))


def test_the_kernel_ends_raid6_at_255_and_lvm_ends_at_128_arrays() -> None:
    raid6 = list(enumerate_layouts((1000,), Constraints(levels=("raid6",)), 1))
    assert max(layout.members for layout in raid6) == 255
    assert max(layout.arrays for layout in raid6) == 128


def test_every_layout_is_one_that_md_takes() -> None:
    for stack in ("lvm", "md", "separate"):
        for layout in enumerate_layouts((300,), Constraints(stack=stack), 1):
            assert not refused(tuple(check_design(Design(layout=layout, stack=stack)))), show(layout)


def test_the_count_is_that_of_writing_all_down() -> None:
    disks = 11
    written = set()
    for kind in KINDS:
        for members in range(1, disks + 1):
            for arrays in range(1, disks // members + 1):
                for spares in range(disks - arrays * members + 1):
                    layout = Layout(
                        level=kind.level, members=members, arrays=arrays, spares=spares,
                        copies=kind.copies, spread=kind.spread,
                    )  # fmt: skip
                    if not refused(tuple(check_design(Design(layout=layout)))):
                        written.add(layout)
    assert {layout.level for layout in written} == set(LEVELS)
    assert count_layouts(disks, "lvm") == len(written)


def test_sixty_disks_can_become_so_many_layouts() -> None:
    assert count_layouts(60, "lvm") == 39339


def test_spares_that_would_make_an_array_lie_idle() -> None:
    assert leaves_disks_idle(equal("3x(12+2)+18"), 60, 1)
    assert not leaves_disks_idle(equal("4x(12+2)+4"), 60, 1)
    assert not leaves_disks_idle(equal("5x(8+2)+10"), 60, 1)
    assert leaves_disks_idle(equal("raid10(42)+18"), 60, 1)
    assert leaves_disks_idle(equal("raid0(30)"), 60, 1)
