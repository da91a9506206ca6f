"""Entry point of `raidtui watch`: an app with only the gauges, which loads nothing else."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING

from raidtui.tui.start import run_app
from raidtui.tui.terminal.profile import TerminalProfile, Tier

if TYPE_CHECKING:
    from raidtui.machine.system.ports import Ticks
    from raidtui.tui.jobs.watch import LoadsOf
    from raidtui.tui.watch_app import AloneApp


def run_watch(
    ticks: Ticks,
    *,
    interval: float | None = None,
    loads: LoadsOf | None = None,
    glyphs: Tier | None = None,
    mouse: bool = True,
) -> int:
    """Runs the gauges; returns the exit code.

    `interval`: seconds between ticks; None: by kind of terminal. `loads`: what is expected of the disks. Raises
    BadInput if there is no usable terminal.
    """
    return run_app(
        lambda profile: make_watch(lambda: ticks, profile, interval=interval, loads=loads), glyphs=glyphs, mouse=mouse
    )


def make_watch(
    source: Callable[[], Ticks], profile: TerminalProfile, *, interval: float | None = None,
    loads: LoadsOf | None = None,
) -> AloneApp:  # fmt: skip
    """The app for a terminal with `profile`, which must have been applied. Loads Textual."""
    gc.disable()
    # Not before the profile is applied: Textual reads the environment when it loads
    from raidtui.tui.screens.watch import WatchScreen
    from raidtui.tui.watch_app import AloneApp

    return AloneApp(profile, lambda: WatchScreen(source, interval=interval, loads=loads))
