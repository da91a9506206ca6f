"""This machine's inventory with what was measured on it."""

from pathlib import Path

import pytest

from raidtui.machine.inventory.probe import with_stored_speeds
from raidtui.machine.system import places
from raidtui.values.inventory import Inventory


def test_a_place_that_cannot_be_looked_at_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Path("/", "x" * 300)
    monkeypatch.setattr(places, "speeds_path", lambda: place)
    (unread,) = with_stored_speeds(Inventory(origin="machine", name="host")).unread
    assert unread == f"what was measured, in {place} (file name too long): set HOME to your own directory"
