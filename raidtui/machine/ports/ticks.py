"""Port of gauges: this machine, or a simulated one."""

from __future__ import annotations

from typing import Protocol

from raidtui.model.gauges import Scene, Tick


class Ticks(Protocol):
    """A source of ticks. The caller sets the rate by calling `take`; nothing runs in between."""

    scene: Scene
    """disks and arrays of the ticks"""

    def take(self) -> Tick:
        """The interval since the last call (the first: since the creation)."""
