"""Where gauges come from: this machine, a simulated one, or a recording."""

from __future__ import annotations

from typing import Protocol

from raidtui.model.gauges import Scene, Tick


class Ticks(Protocol):
    """A source of ticks. Its owner calls `take` at the rate wanted; nothing happens in between."""

    scene: Scene
    """what the ticks are about"""

    def take(self) -> Tick | None:
        """The interval since the last call (the first one since the source was made); None when a recording ended."""
