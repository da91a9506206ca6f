"""The simulated machine as one JSON document."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.machine.simulated.core.state import State
from raidtui.model.codec import from_json, to_json
from raidtui.model.inventory import Inventory


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A machine and the inventory it was made from."""

    inventory: Inventory
    state: State


def text_from(snapshot: Snapshot) -> str:
    """One line of JSON."""
    return to_json(snapshot, indent=None) + "\n"


def kept_from(text: str, source: str) -> Snapshot:
    """The value back. BadInput when the text is none."""
    return from_json(Snapshot, text, source=source)
