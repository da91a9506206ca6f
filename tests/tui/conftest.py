"""What tests of the screens share."""

from __future__ import annotations

import pytest

from raidtui.tui.screens.compare import screen
from tests.tui import proposals


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Compare screen finds the proposal made by hand, whose figures tests can write out."""
    monkeypatch.setattr(screen, "steps_of", proposals.steps)
    monkeypatch.setattr(screen, "present_candidate", proposals.present)
