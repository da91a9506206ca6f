"""Layouts against each other: the table of all figures, what differs in words, the order of rows."""

from __future__ import annotations

from dataclasses import replace

from raidtui.answers.compare import ahead_of, comparison, difference, remarks
from raidtui.tui.screens.compare.table import LOSS, USABLE, candidates_of, rows_of, sorted_rows
from raidtui.values.amounts import odds_base
from raidtui.values.blocks import Grid
from raidtui.values.notation import LayoutText
from raidtui.values.proposal import Candidate
from tests.tui.proposals import BALANCED, CANDIDATES, MOST, PRESENT, PROPOSAL, SAFEST, WIDER


def table(*layouts: Candidate) -> dict[str, tuple[str, ...]]:
    """The lines of a comparison by their titles."""
    grid = comparison([(each.layout, each) for each in layouts])[0]
    assert isinstance(grid, Grid)
    return {row[0].text: tuple(cell.text for cell in row[1:]) for row in grid.rows}


def test_every_figure_stands_in_one_table_with_what_it_gains_or_loses() -> None:
    assert table(BALANCED, SAFEST, PRESENT) == {
        "Usable": ("90.75 TiB", "54.25 TiB (-40 %)", "86.75 TiB (-4.4 %)"),
        "Reading": ("4.61 GB/s", "4.61 GB/s =", "4.61 GB/s ="),
        "Writing": ("4.61 GB/s", "2.31 GB/s (-50 %)", "4.10 GB/s (-11 %)"),
        "Random reads": ("7.00k IOPS", "7.00k IOPS =", "7.00k IOPS ="),
        "Random writes": ("1.20k IOPS", "1.20k IOPS =", "1.20k IOPS ="),
        "Survives": ("any 2 disks", "any 1 disk (-1 disk)", "any 2 disks ="),
        "Outlives": ("no unit", "no unit =", "no unit ="),
        "Rebuild": ("12 h", "6.0 h (-5.6 h)", "12 h ="),
        "Loss a year": ("1 in 34 000", "1 in 330 000 (9.7x less)", "1 in 24 000 (1.4x more)"),
        "Loss at worst": ("1 in 8 600", "1 in 83 000 (9.7x less)", "1 in 6 100 (1.4x more)"),
        "Array loss": ("< 1 in 1 000 000", "1 in 1 000 000 =", "< 1 in 1 000 000 ="),
        "Sector loss": ("1 in 34 000", "1 in 500 000 (14x less)", "1 in 24 000 (1.4x more)"),
        "Spares": ("0", "0 =", "4 (+4)"),
        "Disks": ("60", "60 =", "60 ="),
    }


def test_what_differs_is_said_worse_first_and_nothing_that_is_worse_is_left_out() -> None:
    assert difference(BALANCED, PRESENT) == (
        "Worse: spares -4. Better: usable +4.6 %, writing +12 %, loss a year 1.4x less likely, loss at worst 1.4x less "
        "likely, sector loss 1.4x less likely. The rest is equal."
    )
    mirrors = replace(
        PRESENT, layout=LayoutText.read("raid10(60)"), rand_write_iops=3600, outlives=("controller",),
        usable_bytes=PRESENT.usable_bytes // 2,
    )  # fmt: skip
    assert difference(PRESENT, mirrors) == (
        "Worse: random writes -67 %, outlives -1 unit. Better: usable +100 %, survives +1 disk. The rest is equal."
    )


def test_what_is_within_the_error_of_a_figure_is_equal() -> None:
    near = replace(PRESENT, rand_write_iops=1180, any_loss_1y=PRESENT.any_loss_1y * 1.04)
    assert difference(near, PRESENT) == difference(MOST, MOST) == "All figures are equal."


def test_the_cost_is_compared_where_a_price_was_said() -> None:
    one, other = replace(MOST, cost=18_000.0), replace(BALANCED, cost=17_400.0)
    assert table(other, one)["Cost"] == ("17 400", "18 000 (+600)")
    assert "Cost" not in table(MOST, other)


def test_what_rebuilds_nothing_is_called_so() -> None:
    stripe = replace(MOST, layout=LayoutText.read("raid0(60)"), rebuild_hours=0.0, spares=0)
    assert table(BALANCED, stripe)["Rebuild"] == ("12 h", "never (rebuilds nothing)")
    assert table(stripe, BALANCED, stripe)["Rebuild"] == ("never", "12 h (rebuilds)", "never =")
    assert table(BALANCED, stripe)["Survives"] == ("any 2 disks", "no failure (-2 disks)")


def test_a_chance_has_two_digits_and_no_power_of_ten() -> None:
    chances = (0.0, 4.1e-5, 5.2e-4, 0.0052, 0.48, 1.0, 6e-7, 3e-8, 1e-11)
    assert [odds_base(chance) for chance in chances] == [
        "none", "24 000", "1 900", "190", "2.1", "1", "1.7M", "33M", "over 1G",
    ]  # fmt: skip


def test_the_present_design_and_the_picks_come_first_with_letters_in_order() -> None:
    rows = rows_of(CANDIDATES, PROPOSAL.picks, PRESENT)
    assert [(row.letter, row.candidate.layout) for row in rows] == [
        ("*", "4x(12+2)+4"), ("a", "2x(27+2)+2"), ("b", "5x(10+2)"), ("c", "30x raid1(2)"), ("d", "3x(17+2)+3"),
    ]  # fmt: skip
    assert [row.letter for row in rows_of(CANDIDATES, PROPOSAL.picks, None)] == list("abcd")


def test_a_present_design_that_was_found_too_is_one_row_with_the_figures_found() -> None:
    other = replace(MOST, picks=(), seq_read_bytes_per_s=round(MOST.seq_read_bytes_per_s * 0.98))
    rows = rows_of(CANDIDATES, PROPOSAL.picks, other)
    assert [row.letter for row in rows] == list("*abc")
    assert rows[0].candidate == MOST


def test_a_present_design_that_its_placement_makes_another_is_a_row_of_its_own() -> None:
    slower = replace(MOST, picks=(), seq_read_bytes_per_s=MOST.seq_read_bytes_per_s // 2)
    rows = rows_of(CANDIDATES, PROPOSAL.picks, slower)
    assert [(row.letter, row.candidate) for row in rows[:2]] == [("*", slower), ("a", MOST)]
    assert rows[0].key != rows[1].key
    first, *_ = remarks(rows[1].candidate, PROPOSAL, rows[0].named, is_present=False)
    assert first == "The present layout, spread over the chassis. Better: reading +100 %. The rest is equal."


def test_sorting_puts_the_best_first_and_letters_stay() -> None:
    rows = rows_of(CANDIDATES, PROPOSAL.picks, PRESENT)
    assert "".join(row.letter for row in sorted_rows(rows, USABLE, turned=False)) == "adb*c"
    assert "".join(row.letter for row in sorted_rows(rows, USABLE, turned=True)) == "c*bda"
    assert "".join(row.letter for row in sorted_rows(rows, LOSS, turned=False)) == "cb*da"
    assert "".join(row.letter for row in sorted_rows(rows, None, turned=False)) == "*abcd"


def test_what_beats_the_present_design_is_named() -> None:
    assert ahead_of(PRESENT, CANDIDATES) == BALANCED
    assert ahead_of(MOST, CANDIDATES) is None
    assert ahead_of(MOST, (MOST,)) is None


def test_the_few_stand_for_the_front_where_there_are_few() -> None:
    few = replace(PROPOSAL, candidates=(MOST, WIDER, replace(WIDER, layout=LayoutText.read("3x(16+2)+6"), shown=False)))
    assert [found.layout for found in candidates_of(few, "few")] == ["2x(27+2)+2", "3x(17+2)+3"]
    assert len(candidates_of(few, "front")) == 3
    beaten = replace(few, candidates=(replace(MOST, picks=(), on_front=False, shown=False), WIDER))
    assert candidates_of(beaten, "few") == (WIDER,)
    assert len(candidates_of(beaten, "every")) == 2
