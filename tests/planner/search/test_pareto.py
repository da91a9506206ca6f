"""The front of offers whose order is known by eye."""

from raidtui.advice.proposals.scored_layout import pareto_front


def test_what_is_worse_in_everything_is_out() -> None:
    assert pareto_front([(3.0, 3.0), (2.0, 2.0), (1.0, 4.0)]) == [0, 2]


def test_better_in_one_and_equal_in_the_rest_beats() -> None:
    assert pareto_front([(3.0, 3.0), (3.0, 2.0)]) == [0]


def test_equal_offers_do_not_beat_each_other() -> None:
    assert pareto_front([(1.0, 1.0), (1.0, 1.0), (0.0, 1.0)]) == [0, 1]


def test_no_offers_have_no_front() -> None:
    assert pareto_front([]) == []


def test_minus_infinity_loses_to_any_figure() -> None:
    assert pareto_front([(1.0, float("-inf")), (1.0, -5.0)]) == [1]
