"""Ten sessions on a push, 200 before a release; and the monkey itself finds what is broken, and makes it short."""

from __future__ import annotations

import random

import pytest

from tests.monkey.acts import Act, Session, drawn
from tests.monkey.session import play
from tests.monkey.shrink import shrunk
from tests.suite import SUITE

pytestmark = pytest.mark.process
SEED = str(random.randrange(10**6)) if SUITE == "long" else "2026"
"""new sessions in each release, the same ones on each push"""


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(10))
def test_a_session_on_a_push(number: int) -> None:
    assert play(drawn(f"2026 {number}")) is None


@pytest.mark.long
@pytest.mark.parametrize("number", range(200))
def test_a_session_before_a_release(number: int) -> None:
    assert play(drawn(f"{SEED} {number}")) is None, (
        f"python -m tests.monkey --seed {SEED} --first {number} --sessions 1"
    )


def test_a_session_is_drawn_again_from_its_seed() -> None:
    assert drawn("7 3") == drawn("7 3")
    assert drawn("7 3") != drawn("7 4")
    kinds = {kind for number in range(60) for kind, _ in drawn(f"7 {number}").acts}
    assert kinds == {"type", "drip", "resize", "signal", "stop", "wait", "stall", "phrase"}


def test_a_fault_is_shrunk_to_the_acts_and_keys_that_it_needs() -> None:
    acts: tuple[Act, ...] = (
        ("wait", 0.1),
        ("type", b"abcsde"),
        ("resize", (28, 12)),
        ("stall", 1.0),
        ("type", b"xyzu"),
    )
    plays: list[Session] = []

    def fails(session: Session) -> bool:
        plays.append(session)
        typed = [value for kind, value in session.acts if kind == "type" and isinstance(value, bytes)]
        return any(b"s" in keys for keys in typed) and ("resize", (28, 12)) in session.acts

    assert shrunk(Session(acts=acts), fails).acts == (("type", b"s"), ("resize", (28, 12)))
    assert len(plays) < 40


BROKEN = """
import sys
from raidtui.cli.main import main
from raidtui.tui.screens.disks.screen import DisksScreen
def action_sort(self):
    {does}
DisksScreen.action_sort = action_sort
sys.exit(main())
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("does", "what"),
    [
        ("raise KeyError(0)", "it ended with code 1"),
        ("import os; os._exit(0)", "ended, it leaves"),
        ("import time; time.sleep(3600)", "it does not show Design and its keys"),
    ],
    ids=["crash", "terminal", "freeze"],
)
def test_what_is_planted_is_found(does: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.monkey.session.PATIENCE", 15.0)
    session = Session(acts=(("type", b"j"), ("resize", (132, 43)), ("type", b"s")))
    fault = play(session, program=("-c", BROKEN.format(does=does)))
    assert fault is not None
    assert fault.what.startswith(what)
