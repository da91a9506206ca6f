"""Two layouts against each other in words; every sentence is written out."""

from __future__ import annotations

from dataclasses import replace

from raidtui.tui.screens.compare.table import LOSS, USABLE, ahead_of, candidates_of, rows_of, sorted_rows
from raidtui.tui.screens.compare.words import difference, in_short, trade, words_for
from raidtui.values.amounts import odds_base
from raidtui.values.notation import LayoutText
from tests.tui.proposals import BALANCED, CANDIDATES, MOST, PRESENT, PROPOSAL, SAFEST, WIDER


def test_every_figure_has_a_sentence() -> None:
    assert difference(SAFEST, BALANCED) == (
        ("usable", "54.25 TiB against 90.75 TiB: 36.50 TiB less, 40 %"),
        ("reading", "4.61 against 4.61 GB/s: the same"),
        ("", "bound by members, the other one by PCIe slot 0000:03:00.0"),
        ("writing", "2.31 against 4.61 GB/s: 50 % slower"),
        ("", "bound by md thread, the other one by PCIe slot 0000:03:00.0"),
        ("random reads", "7.00 against 7.00k IOPS: the same"),
        ("random writes", "1.20 against 1.20k IOPS: the same"),
        ("survives", "any 1 disk of an array; the other one any 2 disks"),
        ("rebuild", "6.0 h against 12 h: 5.6 h shorter"),
        ("loss per year", "1 in 330 000 against 1 in 34 000: 9.7x less likely"),
        ("of an array", "1 in 1 000 000 against < 1 in 1 000 000: the same risk"),
        ("of a sector", "1 in 500 000 against 1 in 34 000: 14x less likely"),
        ("at worst", "1 in 83 000 against 1 in 8 600: 9.7x less likely"),
        ("spares", "0 against 0: the same"),
        ("disks", "60 against 60: the same"),
    )  # fmt: skip


def test_in_short_only_what_differs_is_said() -> None:
    assert in_short(BALANCED, PRESENT) == (
        "4.6 % larger, 12 % faster to write, loss of a sector 1.4x less likely, loss at worst 1.4x less likely;"
        " 0 spares instead of 4: rebuilds wait for a new disk"
    )
    assert in_short(MOST, BALANCED) == (
        "7.4 % larger, 48 % slower to write, rebuild 1.8 h longer, loss of a sector 18x as likely, loss at worst 18x as"
        " likely; 2 spares instead of 0"
    )


def test_what_is_given_up_is_every_figure_that_is_worse_beyond_its_error() -> None:
    """RAID6 of sixty disks against RAID10 of them: a third of the random writes, and a controller."""
    mirrors = replace(
        PRESENT, layout=LayoutText.read("raid10(60)"), rand_write_iops=3600, outlives=("controller",), spares=4,
        rand_read_iops=7200, usable_bytes=PRESENT.usable_bytes // 2,
    )  # fmt: skip
    gained, given_up = trade(PRESENT, mirrors)
    assert gained == "100 % larger, survives any 2 disks instead of any 1 disk"
    assert given_up == "67 % fewer random writes, does not survive any one controller"
    assert trade(replace(PRESENT, rand_write_iops=1180), PRESENT) == ("", "")  # within the error


def test_a_risk_within_its_error_is_the_same() -> None:
    fewer = replace(PRESENT, spares=2, any_loss_1y=PRESENT.any_loss_1y * 1.04)
    assert ("loss per year", "1 in 23 000 against 1 in 24 000: the same risk") in difference(fewer, PRESENT)
    assert trade(fewer, PRESENT) == ("", "2 spares instead of 4")


def test_a_layout_does_not_differ_from_itself() -> None:
    assert in_short(MOST, MOST) == "no differences; reading is bound by members in both"
    assert [words for title, words in difference(MOST, MOST) if title == "usable"] == [
        "97.50 TiB against 97.50 TiB: the same"
    ]


def test_the_cost_is_compared_where_a_price_was_said() -> None:
    one, other = replace(MOST, cost=18_000.0), replace(BALANCED, cost=17_400.0)
    assert difference(one, other)[-1] == ("cost", "18 000 against 17 400: 600 more")
    assert difference(MOST, other)[-1][0] == "disks"


def test_what_rebuilds_nothing_is_called_so() -> None:
    stripe = replace(MOST, layout=LayoutText.read("raid0(60)"), rebuild_hours=0.0, spares=0)
    assert ("rebuild", "never against 12 h: rebuilds nothing") in difference(stripe, BALANCED)
    assert ("survives", "no failure; the other one any 2 disks") in difference(stripe, BALANCED)
    assert ("rebuild", "12 h against never: rebuilds in 12 h") in difference(BALANCED, stripe)


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
    (*_, words, _) = words_for(rows[1], PROPOSAL, rows[0])
    assert words == "The present layout, spread over the chassis: 100 % faster to read."


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
