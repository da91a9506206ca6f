"""Unequal arrays: groups that happen to be equal give the answers of the equal layout, member for member."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.predict.design import assess, predict
from raidtui.predict.placement.place import placed_disks
from raidtui.predict.speed.raid_level_rates import mean_wire_share, wire_share
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import Assumptions
from raidtui.values.choices import FILE_SYSTEMS, STACKS
from raidtui.values.codec import from_json, to_json
from raidtui.values.design import Design
from raidtui.values.errors import BadInput
from raidtui.values.findings import refused
from raidtui.values.inventory import Disk, Inventory
from raidtui.values.layout import ArrayShape, Layout
from raidtui.values.notation import LayoutText, parse
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
    shapes = [layout.first] * max(layout.arrays % 7, 2)
    layout = Layout.joined(shapes, spares=0 if layout.level == "raid0" else layout.spares)
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
def test_arrays_are_as_wide_as_asked_and_no_disk_is_in_two(layout: Layout, stack: str, data: st.DataObject) -> None:
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
def test_a_design_is_read_back_from_json(layout: Layout) -> None:
    design = Design(layout=layout)
    assert from_json(Design, to_json(design), source="design") == design


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        ("4x(12+2)+4", '{"level": "raid6", "members": 14, "arrays": 4, "spares": 4, "copies": 2, "spread": "n"}'),
        ("raid10(5,f3)", '{"level": "raid10", "members": 5, "arrays": 1, "spares": 0, "copies": 3, "spread": "f"}'),
        ("2x(3+1)+(4+1)+1", '{"level": "raid5", "array_groups": [{"members": 4, "arrays": 2}, {"members": 5, "arrays": '
                            '1}], "spares": 1, "copies": 2, "spread": "n"}'),
        ("hybrid(5,2)+1", '{"hybrid_disks": 5, "failures": 2, "spares": 1}'),
    ],
)  # fmt: skip
def test_each_kind_of_layout_has_a_form_of_its_own_in_json(notation: str, text: str) -> None:
    assert to_json(parse(notation), indent=None) == text
    assert from_json(Layout, text, source="layout") == parse(notation)


@pytest.mark.parametrize(
    "text",
    [
        "{}", '{"level": "raid5"}', '{"members": 4}', '{"level": "raid5", "members": 4, "failures": 1}',
        '{"level": "raid5", "members": 4, "array_groups": [{"members": 4}]}', '{"hybrid_disks": 4, "level": "raid5"}',
        '{"hybrid_disks": 4, "failures": 0}', '{"level": "raid5", "members": 4, "arrays": 0}',
    ],
)  # fmt: skip
def test_a_form_of_several_kinds_or_of_none_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="expected"):
        from_json(Layout, text, source="layout")


def test_a_layout_without_arrays_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one array in each group"):
        Layout(groups=())
    with pytest.raises(BadInput, match="layout"):
        from_json(Design, '{"layout": {"level": "raid6", "array_groups": []}}', source="design")


def test_the_mean_bytes_on_the_wire_count_every_array_once() -> None:
    wide, narrow = ArrayShape(level="raid6", members=10), ArrayShape(level="raid6", members=6)
    assert wire_share(wide, "write") == 10 / 8
    assert mean_wire_share(Layout.joined([narrow] * 3), "write") == 6 / 4
    assert mean_wire_share(Layout.joined([wide, narrow, narrow, narrow]), "write") == (10 / 8 + 3 * 6 / 4) / 4
