"""What tests of the screens share."""

from __future__ import annotations

import pytest

from raidtui.tui import compare_page
from tests.tui import proposals


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Compare screen finds the proposal made by hand, whose figures tests can write out."""
    monkeypatch.setattr(compare_page, "steps_of", proposals.steps)
    monkeypatch.setattr(compare_page, "present_candidate", proposals.present)
