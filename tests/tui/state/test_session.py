"""Results of decisions: kept while they are likely to be asked for again."""

from dataclasses import replace

from raidtui.predict.purchase import purchase
from raidtui.session.session import Session
from raidtui.values.design import Design
from raidtui.values.notation import parse


def test_an_outcome_is_of_the_present_decision_and_inventory() -> None:
    session = Session(purchase("12x4TB"), run_id="a run", design=Design(layout=parse("(8+2)+2")))
    first = session.outcome
    assert session.outcome is first
    session.decide(replace(session.decision, design=Design(layout=parse("(7+2)+3"))))
    assert session.outcome.prediction.layout == "(7+2)+3"
    session.undo()
    session.replace_inventory(purchase("12x8TB"))
    assert session.outcome.prediction.usable_bytes > 1.9 * first.prediction.usable_bytes
