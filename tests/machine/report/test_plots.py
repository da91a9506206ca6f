"""Plots: the same bytes for the same values, hostile labels as text, and no value that breaks them."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import matplotlib.font_manager  # noqa: F401  its first import asks fc-list, which tests may not
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from raidtui.answers.report.plots import Dots, HeatMap, OverTime, Plot, Ratios, Surface, plots_of
from raidtui.session.report_plots import drawn
from raidtui.values.report import DiskHistory, RateHistory
from raidtui.values.safe import safe
from tests.planner.hostile import NASTY, texts
from tests.planner.reports import report, result
from tests.suite import examples

FULL = plots_of(report(result(), result("survey", began=1_798_010_000.0), gauges=True))
SVG = "{http://www.w3.org/2000/svg}"


@cache
def pictures() -> dict[str, str]:
    """All of them, drawn once."""
    return drawn(FULL)


def words(svg: str) -> str:
    return "\n".join("".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text"))


def with_words(labels: tuple[str, ...]) -> tuple[Plot, ...]:
    """Plots with those texts wherever text goes."""
    line: tuple[int | None, ...] = (10**8, None, 2 * 10**8)
    past = RateHistory(
        began=0, seconds=1, read_bytes_per_s=line, write_bytes_per_s=line, ticks=3,
        disks=tuple(DiskHistory(name=str(number), bytes_per_s=line) for number in range(len(labels))),
    )  # fmt: skip
    first = labels[0]
    rows = tuple(
        Dots(label=label, low=0.5, high=1.2, ratios=((0.4, "low"),), repeats=(0.3, 0.5), verdict="low")
        for label in labels
    )
    slow = tuple(number % 2 == 0 for number in range(len(labels)))
    return (
        HeatMap(name="heat", title=first, history=past, labels=labels, slow=slow, spans=(), simulated=False),
        Surface(name="survey", title=first, pattern=first, regions=(1, 2), threads=(1, 2),
                values=((1e8, None), (2e8, 3e8)), simulated=False),
        Ratios(name="ratios", title=first, rows=rows, left_out=0, simulated=False),
    )  # fmt: skip


@pytest.mark.thorough
def test_the_same_values_give_the_same_bytes_in_any_order() -> None:
    assert drawn(tuple(reversed(FULL))) == pictures()
    assert sorted(pictures()) == sorted(plot.name for plot in FULL)


def test_what_is_simulated_says_so_in_the_picture() -> None:
    for plot in FULL:
        assert "SIMULATED" not in words(pictures()[plot.name])
        marked = replace(plot, simulated=True)
        assert "SIMULATED" in words(drawn((marked,))[plot.name])


def are_text(labels: tuple[str, ...]) -> None:
    for name, svg in drawn(with_words(labels)).items():
        tags = {element.tag for element in ElementTree.fromstring(svg).iter()}
        assert not {f"{SVG}script", f"{SVG}a", f"{SVG}foreignObject"} & tags
        if name in ("heat", "ratios"):
            said = " ".join(words(svg).split())
            for label in labels:
                assert " ".join(safe(label, longest=30).rstrip("~").split()) in said


def test_every_attempt_is_shown_as_text() -> None:
    are_text(NASTY)


@examples(8)
@given(st.lists(texts, min_size=12, max_size=12))
def test_labels_are_text_whatever_they_say(labels: list[str]) -> None:
    are_text(tuple(labels))


VALUE = st.one_of(st.none(), st.integers(0, 10**12))


@examples(12)
@example([None], 1.0, [5e-324])
@given(st.lists(VALUE, min_size=1, max_size=6), st.floats(1e-3, 1e4), st.lists(st.floats(0, 1e9), max_size=3))
def test_no_value_breaks_them(line: list[int | None], seconds: float, ratios: list[float]) -> None:
    values = tuple(line)
    past = RateHistory(
        began=1e9, seconds=seconds, read_bytes_per_s=values, write_bytes_per_s=values, ticks=1,
        disks=(DiskHistory(name="a", bytes_per_s=values),),
    )  # fmt: skip
    dots = Dots(
        label="x", low=0.0, high=0.0, ratios=tuple((each, "ok") for each in ratios), repeats=tuple(ratios), verdict="ok"
    )
    plots: tuple[Plot, ...] = (
        OverTime(name="t", title="", history=past, spans=(), simulated=False),
        HeatMap(name="h", title="", history=past, labels=("a",), slow=(False,), spans=(), simulated=False),
        Surface(name="s", title="", pattern="read", regions=(1,), threads=tuple(range(len(values))), values=(values,),
                simulated=False),
        Ratios(name="r", title="", rows=(dots,), left_out=0, simulated=False),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for svg in drawn(plots).values():
            ElementTree.fromstring(svg)
