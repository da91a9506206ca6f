"""Chance of data loss of whole designs."""

import builtins
import math
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

import pytest

from raidtui.predict.risk import spare_pool, spares
from raidtui.predict.risk.durability import durability
from raidtui.values.assumptions import Assumptions
from raidtui.values.inventory import Disk, Place
from raidtui.values.layout import Layout
from raidtui.values.members import ArrayDisks, disks_by_array
from raidtui.values.notation import parse
from raidtui.values.prediction import Durability, Rebuild
from raidtui.values.speed import Limit

TB = 10**12


def shares(layout: Layout, enclosures: Sequence[str | None] = (None,)) -> tuple[ArrayDisks, ...]:
    """Disks dealt round the `enclosures`."""
    disks = [
        Disk(id=f"disk-{number}", size_bytes=20 * TB, place=Place(enclosure=enclosures[number % len(enclosures)]))
        for number in range(layout.disks)
    ]
    return disks_by_array(layout, disks)


def lasting(hours: float) -> Rebuild:
    return Rebuild(
        hours=hours, idle_hours=hours / 2, slow_hours=2 * hours, bytes_per_s=1, limit=Limit("member"), formula="said"
    )


def judged(
    text: str, *, hours: float = 62.4, assumptions: Assumptions | None = None, size: int = 20 * TB,
    enclosures: Sequence[str | None] = (None,), enclosure_survives: bool | None = None, joined: bool = True,
) -> Durability:  # fmt: skip
    layout = parse(text)
    rebuild = lasting(hours) if layout.survives else None
    return durability(
        layout, shares(layout, enclosures), size, rebuild, assumptions or Assumptions(),
        enclosure_survives=enclosure_survives, volume_joined=joined,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "hours", "array", "sector"),
    [
        ("4x(12+2)+4", 62.4, 1.49e-6, 6.49e-4),
        ("7x(6+2)+4", 58.7, 3.55e-7, 2.11e-4),
        ("4x(13+1)+4", 58.7, 1.09e-3, 0.521),
        ("14x(3+1)+4", 58.7, 2.53e-4, 0.274),
        ("28x(1+1)+4", 58.7, 8.44e-5, 0.117),
        ("28x raid1(2)+4", 58.7, 8.44e-5, 0.117),
        ("raid10(56)+4", 58.7, 8.44e-5, 0.117),
    ],
)
def test_sixty_disks_of_twenty_terabytes(text: str, hours: float, array: float, sector: float) -> None:
    """Worked examples with a week to restock; 28 mirrors and one RAID10 of near copies are the same pairs.

    Of RAID6 the examples have 9.96e-4 and 3.65e-4: they count all 240 and 120 TB, where the rebuild has restored some.
    With 1.92 and 0.96 sectors expected in them, 1 - (1 - exp(-1.92)) / 1.92 = 0.556 of 0.853, and 0.357 of 0.617.
    """
    found = judged(text, hours=hours, assumptions=Assumptions(restock_days=7))
    assert found.annual_array_loss_probability == pytest.approx(array, rel=0.01)
    assert found.annual_sector_loss_probability == pytest.approx(sector, rel=0.01)
    assert found.annual_enclosure_loss_probability == 0
    assert found.any_loss_1y == pytest.approx(1 - (1 - array) * (1 - sector), rel=0.01)
    assert found.any_loss_5y == pytest.approx(1 - (1 - array) ** 5 * (1 - sector) ** 5, rel=0.01)


def test_without_a_monitor_each_array_has_its_own_spares() -> None:
    """Six spares for four arrays: two have one, two have two. Restocking takes a year, so that it shows."""
    slow = Assumptions(restock_days=365)
    shared = judged("4x(12+2)+6", assumptions=slow)
    own = judged("4x(12+2)+6", assumptions=replace(slow, monitor=False))
    ones, twos = judged("(12+2)+1", assumptions=slow), judged("(12+2)+2", assumptions=slow)
    expected = 2 * ones.annual_array_loss_probability + 2 * twos.annual_array_loss_probability
    assert own.annual_array_loss_probability == pytest.approx(expected, rel=1e-3)
    assert own.annual_array_loss_probability > 10 * shared.annual_array_loss_probability
    assert (shared.spares_counted, own.spares_counted) == (6, 1)
    assert own.spares_run_out_probability > shared.spares_run_out_probability
    assert "2 arrays with 1 spare each and 2 arrays with 2 spares each" in own.formulas["spares_counted"]


@pytest.mark.parametrize(
    ("text", "enclosures", "fatal"),
    [
        ("(8+2)", ["one"], 1),
        ("(8+2)", ["one", "two"], 2),
        ("(8+2)", ["one", "two", "three", "four", "five"], 0),
        ("raid10(8)", ["one", "two"], 0),
        ("raid10(8)", ["one", "one", "two", "two"], 2),
        ("raid10(8,f2)", ["one", "one", "two", "two"], 2),
        ("raid1(2)", ["one", "two"], 0),
        ("raid0(4)", ["one", "two"], 2),
        ("(8+2)", [None], 0),
    ],
)
def test_enclosures_that_an_array_does_not_outlive(text: str, enclosures: list[str | None], fatal: int) -> None:
    """1 % outages a year and 1 % of them destroying data: 1e-4 each."""
    found = judged(text, enclosures=enclosures)
    assert found.annual_enclosure_loss_probability == pytest.approx(fatal * 1e-4, rel=1e-3)
    told = any("does not list" in limit for limit in found.limits)
    assert told == (enclosures == [None])


def test_who_knows_better_says_whether_an_enclosure_is_fatal() -> None:
    assert judged("(8+2)", enclosures=["one"], enclosure_survives=True).annual_enclosure_loss_probability == 0
    assert judged("(8+2)", enclosure_survives=False).annual_enclosure_loss_probability == pytest.approx(1e-4, rel=1e-3)


def test_disks_that_never_fail_lose_nothing() -> None:
    found = judged("4x(12+2)+4", assumptions=Assumptions(afr=0.0))
    assert (found.any_loss_1y, found.any_loss_5y_correlated, found.spares_run_out_probability) == (0, 0, 0)
    assert found.mttdl_hours == 1e30


@pytest.mark.parametrize("text", ["2x(4+2)+2", "4x(12+2)+4", "12x raid1(2)+2"])
def test_figures_are_the_same_on_every_python(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From 3.12 on `sum` of floats rounds once, as `fsum` does."""

    def forget() -> None:
        for module in (spares, spare_pool):
            for each in vars(module).values():
                getattr(each, "cache_clear", int)()

    def rounded_once(values: Iterable[float], start: float = 0) -> float:
        found = [*values]
        return start + math.fsum(found) if any(isinstance(value, float) for value in found) else start + total(found)

    total = sum
    forget()
    before = judged(text, enclosures=("a", "b"))
    forget()
    monkeypatch.setattr(builtins, "sum", rounded_once)
    assert judged(text, enclosures=("a", "b")) == before


def test_bytes_at_risk_of_unequal_arrays_are_a_mean_by_how_often_each_is_read() -> None:
    lost = {}
    for text in ("(4+1)", "(2+1)", "(4+1)+(2+1)"):
        layout = parse(text)
        lost[text] = durability(
            layout, shares(layout), 20 * TB, lasting(62.4), Assumptions()
        ).expected_bytes_lost_per_year
    assert lost["(4+1)+(2+1)"] == pytest.approx(lost["(4+1)"] + lost["(2+1)"], rel=1e-3)


@pytest.mark.parametrize("text", ["4x(12+2)+4", "raid0(8)", "raid1(3)", "raid10(7,o2)+1", "raid4(3+1)"])
def test_every_figure_has_its_formula_and_shows_two_digits(text: str) -> None:
    found = judged(text)
    names = {field.name for field in fields(found)} - {"rebuild", "rebuild_hours", "first_sync", "formulas", "limits"}
    assert set(found.formulas) == names


def test_formulas_carry_this_layouts_numbers() -> None:
    formulas = judged("4x(12+2)+4", enclosures=["one"]).formulas
    assert formulas["any_loss_1y"] == "1 - exp(-(1.5e-6 arrays + 6.5e-4 sectors + 1.0e-4 enclosures) a year x 1 year)"
    array = formulas["annual_array_loss_probability"]
    assert "1.5e-6 a year; 4 x a set of 14 disks that survives 2" in array
    assert "about 14 x 13 x 12 x AFR^3 x (rebuild / 8760 h)^2" in array
    assert "8 x 1e-15 x 240 TB" in formulas["annual_sector_loss_probability"]
    assert formulas["mttdl_hours"] == "1 / rate of array loss: 670 000 years"


@pytest.mark.parametrize(("joined", "words"), [(True, "loses all data"), (False, "leaves the other arrays' data")])
def test_what_one_arrays_loss_means(joined: bool, words: str) -> None:
    assert any(words in limit for limit in judged("4x(12+2)+4", joined=joined).limits)
    assert not any(words in limit for limit in judged("(12+2)+4", joined=joined).limits)
