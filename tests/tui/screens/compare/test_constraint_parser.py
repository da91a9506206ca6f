"""What a layout must do, typed on one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.tui.screens.compare.constraints import HELP, read, show
from raidtui.values.choices import OUTAGES, WISHES
from raidtui.values.layout import LEVELS
from raidtui.values.notation import LayoutText
from raidtui.values.proposal import Constraints

NONE = Constraints()
subsets = st.lists(st.sampled_from(WISHES), unique=True).map(tuple)
levels = st.sets(st.sampled_from(LEVELS)).map(lambda names: tuple(level for level in LEVELS if level in names))
asked = st.builds(
    Constraints,
    usable_bytes=st.just(0) | st.integers(10**6, 10**18), survive=st.integers(0, 9), spares=st.integers(0, 999),
    max_width=st.none() | st.integers(2, 999), survive_domain=st.none() | st.sampled_from(OUTAGES), levels=levels,
    max_annual_loss=st.none() | st.floats(1e-300, 1.0), price_per_disk=st.none() | st.floats(1e-300, 1e9),
    wishes=subsets, chunk_bytes=st.sampled_from([65536, 524288]), fs=st.sampled_from(["xfs", "ext4"]),
)  # fmt: skip


def test_a_line_as_people_type_it() -> None:
    assert read(">=800TB survive 2 spares 1 width 16", NONE) == Constraints(
        usable_bytes=800_000_000_000_000, survive=2, spares=1, max_width=16
    )
    assert read(">= 1.5 TiB  LEVEL RAID6, raid10", NONE) == Constraints(
        usable_bytes=1_649_267_441_664, levels=("raid6", "raid10")
    )
    assert read("loss 1 in 10 000 spares 1", NONE) == Constraints(max_annual_loss=0.0001, spares=1)
    assert show(Constraints(max_annual_loss=0.0001, spares=1)) == "spares 1 loss 1 in 10000"
    assert read("loss 0.1% price 300 wish write,capacity outlive enclosure", NONE) == Constraints(
        max_annual_loss=0.001, price_per_disk=300.0, wishes=("write", "capacity"), survive_domain="enclosure"
    )


def test_layouts_of_your_own() -> None:
    saved = {"mine": LayoutText.read("4x(12+2)+4")}
    own = (LayoutText.read("5x(10+2)"), LayoutText.read("raid10(8,f2)"), LayoutText.read("30x raid1(2)"))
    assert read("5x(10+2), raid10(8,f2),30x raid1(2)", NONE) == Constraints(compare=own)
    assert read("mine", Constraints(survive=2, compare=own), saved.get) == Constraints(
        survive=2, compare=(*own, saved["mine"])
    )
    line = "survive 2 compare 5x(10+2), raid10(8,f2), 30x raid1(2)"
    assert read(line, NONE) == Constraints(survive=2, compare=own)
    assert show(Constraints(survive=2, compare=own)) == line
    assert read("survive 2", Constraints(compare=own)) == Constraints(survive=2)
    assert read("5x(10+2) raid10(8,f2)  30xraid1(2)", NONE) == Constraints(compare=own)
    assert read("survive 2 5x(10+2) mine", NONE, saved.get) == Constraints(survive=2, compare=(own[0], saved["mine"]))
    with pytest.raises(ValueError, match="column 6"):
        read("compare 5x(10", NONE)


def test_an_empty_line_asks_for_nothing_and_keeps_what_the_design_says() -> None:
    base = Constraints(survive=2, chunk_bytes=65536, fs="ext4")
    assert read("", base) == Constraints(chunk_bytes=65536, fs="ext4")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("survve 2", "'survve' is neither a layout nor one of >=, survive, spares, width"),
        ("4x(12+2)+4 5x(10+2) raid10", "'raid10' is no layout; write for example 4x(12+2)+4 or raid10(60)"),
        ("4x(12+2)+4, raid66", "'raid66' is no layout; write for example"),
        ("survive", "'survive' needs a value, for example survive 2"),
        ("survive two", "survive: 'two' is not a whole number"),
        ("survive 1 survive 2", "'survive' is given twice"),
        (">=lots", ">=: invalid size 'lots'"),
        ("width 0", "width: 0 is out of range: 1 to 4096"),
        ("outlive drawer", "outlive: 'drawer' is none of enclosure, controller, expander"),
        ("outlive ,", "outlive: ',' is none of enclosure, controller, expander"),
        ("level raid7", "level: 'raid7' is none of raid0, raid1, raid4, raid5, raid6, raid10"),
        ("loss often", "loss: invalid share 'often': write for example 1.5%, 0.015, 1e-15 or 1 in 10 000"),
        ("loss 2", "loss: invalid share '2': expected 0 to 1 (or 0% to 100%)"),
        ("loss nan", "loss: invalid share 'nan': expected 0 to 1 (or 0% to 100%)"),
        ("price many", "price: 'many' is not a number"),
        ("loss 1 in 0", "loss: invalid share '1in0': write for example 1.5%, 0.015, 1e-15 or 1 in 10 000"),
        (
            "wish speed",
            "wish: 'speed' is none of capacity, read, write, random-read, random-write, rebuild, risk, cost",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(ValueError) as refusal:
        read(text, NONE)
    assert str(refusal.value).startswith(problem)


@given(asked)
def test_reading_what_is_shown_gives_the_same(constraints: Constraints) -> None:
    assert read(show(constraints), constraints) == constraints


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_with_words(text: str) -> None:
    try:
        found = read(text, NONE)
    except ValueError as problem:
        assert str(problem)
    else:
        assert read(show(found), NONE) == found


def test_every_example_can_be_typed() -> None:
    for example, meaning in HELP:
        assert read(example, NONE) != NONE
        assert meaning
