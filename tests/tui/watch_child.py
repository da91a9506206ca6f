"""The Watch app on its terminal, given ticks one at a time: a process for tests that count what it writes.

`python -m tests.tui.watch_child DISKS CHANGE GATE` takes a tick for every byte on the file descriptor GATE.
"""

from __future__ import annotations

import os
import sys

from raidtui.values.errors import MachineFailed
from raidtui.values.gauges import Tick
from tests.tui.gauge_scenes import Played, scene


def everything(disk: int, number: int) -> float:
    """Every disk does something else in every tick."""
    return float((disk * 7 + number * 37) % 190 + 3)


def a_tenth(disk: int, number: int) -> float:
    """In every tick another tenth of the disks does something else."""
    return float((disk * 7 + (number + disk) // 10 * 37) % 190 + 3)


def nothing(disk: int, number: int) -> float:
    """All is as it was."""
    return float((disk * 7) % 190 + 3)


class Gated(Played):
    """Ticks when a byte says so."""

    gate = 0

    def take(self) -> Tick:
        if not os.read(self.gate, 1):
            raise MachineFailed("the test is over", hint="")
        return super().take()


def main() -> None:
    """The app on this terminal."""
    from raidtui.tui.terminal.profile import choose

    count, change = int(sys.argv[1]), sys.argv[2]
    profile = choose(os.environ, ttyname="/dev/pts/0")
    profile.apply(os.environ)
    from raidtui.tui.start_watch import make_watch

    source = Gated(scene(count), {"all": everything, "tenth": a_tenth, "none": nothing}[change])
    source.gate = int(sys.argv[3])
    app = make_watch(lambda: source, profile, interval=0.0)
    app.run(mouse=profile.mouse)


if __name__ == "__main__":
    main()
