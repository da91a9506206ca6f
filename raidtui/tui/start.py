"""Entry point of the app for the command line: chooses the terminal's profile, then loads Textual."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.tui.terminal.profile import TerminalProfile, Tier, choose, refusal
from raidtui.tui.terminal.restore import guarded
from raidtui.values.errors import BadInput
from raidtui.values.inventory import Disk, Inventory, Smart

if TYPE_CHECKING:
    from raidtui.tui.app import RaidtuiApp
    from raidtui.tui.terminal.app_base import TerminalApp
    from raidtui.values.saved_design import SavedDesign


def run(
    inventory: Inventory,
    *,
    saved: SavedDesign | None = None,
    rescan: Callable[[], Inventory] | None = None,
    smart: Callable[[Disk], Smart | None] | None = None,
    glyphs: Tier | None = None,
    mouse: bool = True,
    allow_writes: bool = False,
) -> int:
    """Runs the app; returns its exit code.

    `saved` is the design to begin with. `rescan` reads the machine again, `smart` queries one drive; both run in the
    background. Raises BadInput if there is no usable terminal.
    """
    profile = terminal_profile(glyphs=glyphs, mouse=mouse)

    made: list[RaidtuiApp] = []

    def app() -> int:
        shown = make(inventory, profile, saved=saved, rescan=rescan, smart=smart, allow_writes=allow_writes)
        made.append(shown)
        return _code_of(shown)

    return guarded(app, lambda: [shown.keep_what_is_lost() for shown in made])


def run_app(made: Callable[[TerminalProfile], TerminalApp], *, glyphs: Tier | None, mouse: bool) -> int:
    """Runs the app that `made` makes for this process's terminal; returns its exit code.

    Raises BadInput if there is no usable terminal.
    """
    profile = terminal_profile(glyphs=glyphs, mouse=mouse)

    return guarded(lambda: _code_of(made(profile)))


def _code_of(app: TerminalApp) -> int:
    """Runs `app`; returns its exit code. If nobody left it, the last lines name what it has kept."""
    try:
        app.run(mouse=app.profile.mouse)
    finally:
        if app.exit_code and (kept := app.keep_what_is_lost()):
            print(kept, file=sys.stderr)
    return app.exit_code


def terminal_profile(*, glyphs: Tier | None, mouse: bool) -> TerminalProfile:
    """The profile of this process's terminal, applied. Raises BadInput if there is no usable terminal."""
    isatty = sys.stdin.isatty() and sys.stdout.isatty()
    reason = refusal(os.environ, isatty=isatty)
    if reason is not None:
        raise BadInput(reason, hint="raidtui --help lists the commands")
    profile = choose(
        os.environ, ttyname=_ttyname(), encoding=sys.stdout.encoding or "ascii", override=glyphs, mouse=mouse
    )
    profile.apply(os.environ, os.get_terminal_size(sys.stdout.fileno()))
    return profile


def _ttyname() -> str:
    """The terminal's device; empty if it has no name, as in a container."""
    try:
        return os.ttyname(sys.stdin.fileno())
    except OSError:
        return ""


def make(
    inventory: Inventory,
    profile: TerminalProfile,
    *,
    saved: SavedDesign | None = None,
    rescan: Callable[[], Inventory] | None = None,
    smart: Callable[[Disk], Smart | None] | None = None,
    allow_writes: bool = False,
) -> RaidtuiApp:
    """The app for a terminal with `profile`, which must have been applied. Loads Textual.

    Garbage collection is off while modules load, which leaves no garbage; the app turns it on after its first frame.
    """
    gc.disable()
    gc.set_threshold(7_000)  # of objects that one key in Design makes, most are gone before the next
    from raidtui.machine.system.places import designs_root  # not before the app is made

    # Not before the profile is applied: Textual reads the environment when it loads
    from raidtui.tui.app import RaidtuiApp

    return RaidtuiApp(
        inventory,
        profile=profile,
        run_id=os.urandom(16).hex(),
        saved=saved,
        designs=designs_root(),
        rescan=rescan,
        smart=smart,
        roots=_roots,
        allow_writes=allow_writes,
    )


def _roots() -> Sequence[Path]:
    """Directories of runs: those of this machine, and the simulated ones of this user."""
    from raidtui.machine.system.places import run_roots  # not before runs are looked for

    return run_roots()
