"""The simulated machine as one JSON document."""

from __future__ import annotations

from dataclasses import dataclass

from raidtui.machine.simulated.core.state import State
from raidtui.model.codec import from_json, to_json
from raidtui.model.inventory import Inventory


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A machine and the inventory it was made from."""

    inventory: Inventory
    state: State


def text_from(kept: Kept) -> str:
    """One line of JSON."""
    return to_json(kept, indent=None) + "\n"


def kept_from(text: str, source: str) -> Kept:
    """The value back. BadInput when the text is none."""
    return from_json(Kept, text, source=source)
