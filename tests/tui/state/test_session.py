"""Results of decisions: kept while they are likely to be asked for again."""

from dataclasses import replace

from raidtui.predict.purchase import purchase
from raidtui.session.session import Session
from raidtui.values.design import Design
from raidtui.values.notation import parse


def test_a_value_taken_back_is_not_computed_again_and_a_new_inventory_is() -> None:
    session = Session(purchase("12x4TB"), run_id="a run", design=Design(layout=parse("(8+2)+2")))
    first, start = session.outcome, session.decision
    session.decide(replace(start, design=Design(layout=parse("(7+2)+3"))))
    assert session.outcome is not first
    session.decide(replace(session.decision, design=Design(layout=parse("(8+2)+2"))))
    assert session.decision == start
    assert session.outcome is first
    session.replace_inventory(purchase("12x8TB"))
    assert session.outcome.prediction.usable_bytes > 1.9 * first.prediction.usable_bytes


def test_only_the_latest_results_are_kept() -> None:
    session = Session(purchase("24x4TB"), run_id="a run", design=Design(layout=parse("(2+2)+2")))
    first = session.outcome
    for data in range(3, 14):
        session.decide(replace(session.decision, design=Design(layout=parse(f"({data}+2)+2"))))
        assert session.outcome.decision == session.decision
    session.decide(replace(session.decision, design=Design(layout=parse("(2+2)+2"))))
    assert session.outcome is not first
