"""Unequal arrays: groups that happen to be equal give the answers of the equal layout, member for member."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.predict.design import assess, predict
from raidtui.predict.placement.place import placed_disks
from raidtui.predict.purchase import purchase
from raidtui.predict.speed.raid_level_rates import mean_wire_share, wire_share
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import FILE_SYSTEMS, STACKS
from raidtui.values.codec import from_json, to_json
from raidtui.values.design import Design
from raidtui.values.errors import BadInput
from raidtui.values.findings import refused
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import AnyLayout, Layout, UnequalLayout, layout_of
from raidtui.values.notation import LayoutText
from raidtui.values.prediction import Prediction
from tests.properties.layouts import any_layouts, layouts, split
from tests.suite import examples


@st.composite
def pools(draw: st.DrawFn, disks: int) -> Inventory:
    """`disks` disks or a few more, of one or two sizes, in up to four enclosures."""
    count, extra, small = disks + draw(st.integers(0, 3)), draw(st.integers(0, 1)), draw(st.integers(0, 3))
    sizes = f"{count}x2TB" + (f",{small}x1990GB" if extra and small else "")
    bought = purchase(sizes)
    shelves = draw(st.integers(0, 4))

    def placed(number: int, disk: Disk) -> Disk:
        return replace(disk, place=replace(disk.place, enclosure=f"shelf {number % shelves}")) if shelves else disk

    return replace(bought, disks=tuple(placed(number, disk) for number, disk in enumerate(bought.disks)))


def answer(design: Design, inventory: Inventory, assumptions: Assumptions) -> Prediction:
    disks = placed_disks(design.layout, inventory.disks)
    return assess(design, disks, predict(design, disks), inventory, assumptions, spread=True)


def without_texts(prediction: Prediction) -> Prediction:
    """All figures of it: what is written out of them names the groups."""
    speed, risk = prediction.throughput, prediction.durability
    return replace(
        prediction,
        layout=LayoutText.read("disk"),
        throughput=None if speed is None else replace(speed, notes=()),
        durability=None if risk is None else replace(risk, formulas={}),
    )


@examples(80)
@given(layouts(most_members=16), st.sampled_from(STACKS), st.sampled_from(FILE_SYSTEMS), st.booleans(), st.data())
def test_groups_that_are_equal_give_the_answers_of_the_equal_layout(
    layout: Layout, stack: str, fs: str, monitor: bool, data: st.DataObject
) -> None:
    layout = replace(layout, arrays=max(layout.arrays % 7, 2), spares=0 if layout.level == "raid0" else layout.spares)
    inventory = data.draw(pools(layout.disks))
    groups = split(layout, data.draw(st.integers(1, layout.arrays - 1)))
    assumptions = Assumptions(monitor=monitor)
    one, two = (
        answer(Design(layout=each, stack=stack, fs=fs), inventory, assumptions)  # type: ignore[arg-type]
        for each in (layout, groups)
    )
    assert without_texts(two) == without_texts(one)


@examples(80)
@given(any_layouts(most_members=14), st.sampled_from(STACKS), st.data())
def test_arrays_are_as_wide_as_asked_and_no_disk_is_in_two(layout: AnyLayout, stack: str, data: st.DataObject) -> None:
    inventory = data.draw(pools(layout.disks))
    found = answer(Design(layout=layout, stack=stack), inventory, Assumptions())  # type: ignore[arg-type]
    assert len(set(found.disks)) == layout.disks
    if refused(found.findings):
        return
    assert [array.members for array in found.arrays] == [shape.members for shape in layout.shapes]
    assert sum(array.spares for array in found.arrays) == layout.spares
    if found.volume is None:
        assert found.volume_bytes == sum(array.array_bytes for array in found.arrays)
    else:
        assert 0 < found.volume_bytes <= sum(array.array_bytes for array in found.arrays)


@given(any_layouts())
def test_a_design_is_read_back_from_json(layout: AnyLayout) -> None:
    design = Design(layout=layout)
    assert from_json(Design, to_json(design), source="design") == design


def test_json_of_equal_arrays_has_no_groups() -> None:
    text = to_json(Design(layout=Layout(level="raid6", members=14, arrays=4, spares=4)).layout, indent=None)
    assert text == ('{"level": "raid6", "members": 14, "arrays": 4, "spares": 4, "copies": 2, "spread": "n"}')


def test_a_layout_without_arrays_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one array in each group"):
        UnequalLayout(level="raid6", array_groups=())
    with pytest.raises(BadInput, match="layout"):
        from_json(Design, '{"layout": {"level": "raid6", "array_groups": []}}', source="design")


def test_the_mean_bytes_on_the_wire_count_every_array_once() -> None:
    wide, narrow = Layout(level="raid6", members=10), Layout(level="raid6", members=6, arrays=3)
    assert wire_share(wide, "write") == 10 / 8
    assert mean_wire_share(narrow, "write") == 6 / 4
    assert mean_wire_share(layout_of([wide, narrow], 0), "write") == (10 / 8 + 3 * 6 / 4) / 4
