"""Entry point of `raidtui fleet show`: an app with the screens of a fleet only."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from raidtui.tui.start import run_app
from raidtui.tui.terminal.profile import TerminalProfile, Tier

if TYPE_CHECKING:
    from raidtui.machine.fleet.survey.survey import FleetSurvey
    from raidtui.tui.fleet_app import FleetApp


def run_fleet(survey: FleetSurvey, *, interval: float, glyphs: Tier | None = None, mouse: bool = True) -> int:
    """Runs the screens; returns the exit code. `interval`: seconds between two rounds of questions.

    Raises BadInput if there is no usable terminal.
    """
    return run_app(lambda profile: make_fleet(survey, profile, interval=interval), glyphs=glyphs, mouse=mouse)


def make_fleet(survey: FleetSurvey, profile: TerminalProfile, *, interval: float) -> FleetApp:
    """The app for a terminal with `profile`, which must have been applied. Loads Textual."""
    gc.disable()
    # Not before the profile is applied: Textual reads the environment when it loads
    from raidtui.tui.fleet_app import FleetApp

    return FleetApp(survey, profile, interval=interval)
