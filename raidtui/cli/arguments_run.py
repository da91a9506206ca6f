"""What may be written after the verbs that run a plan. Loads nothing but words."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from raidtui.cli.arguments_numbers import SPEED_UP, number


def add_run_verbs(verbs: Any, add_disk_options: Callable[[argparse.ArgumentParser], None]) -> None:
    """Adds build, resume, undo, status, wish and the hidden execute to the subparsers `verbs`."""
    build = verbs.add_parser("build", help="carry out a plan, or follow the build that runs")
    build.add_argument("plan", metavar="PLAN", nargs="?", help="a plan's .json file; with --attach a run")
    build.add_argument("--attach", action="store_true", help="only follow the run that is at work")
    build.add_argument("--during-sync", action="store_true", help="go on while arrays sync, here or elsewhere")
    _add_confirmation(build, content=True)
    _add_view(build)
    add_disk_options(build)
    build.set_defaults(verb="build")

    resume = verbs.add_parser("resume", help="go on with an interrupted build, by what the disks say")
    resume.add_argument("run", metavar="RUN|PLAN", help="a run (raidtui status), or the plan's .json file")
    resume.add_argument("--during-sync", action="store_true", help="go on while arrays sync, here or elsewhere")
    _add_confirmation(resume, content=True)
    _add_view(resume)
    add_disk_options(resume)
    resume.set_defaults(verb="resume")

    undo = verbs.add_parser("undo", help="take back what a build made; wiped data stays gone")
    undo.add_argument("run", metavar="RUN|PLAN", help="a run (raidtui status), or the plan's .json file")
    _add_confirmation(undo, content=False).add_argument(
        "--lose-files", metavar="COUNT", help="give up the files on it: as many as the page shows, or 'unknown'"
    )
    _add_view(undo)
    add_disk_options(undo)
    undo.set_defaults(verb="undo")

    status = verbs.add_parser("status", help="what every run came to, or one in full")
    status.add_argument("run", metavar="RUN", nargs="?", help="first digits of a run")
    status.add_argument("--json", action="store_true", help="the answer as JSON")
    status.set_defaults(verb="status")

    wish = verbs.add_parser("wish", help="pause, stop or throttle the run that is at work")
    wish.add_argument("run", metavar="RUN", help="first digits of a run")
    wish.add_argument("wish", metavar="WISH", help="pause, go, stop, during-sync, limit=KIB_PER_S (0: no limit)")
    wish.set_defaults(verb="wish")

    execute = verbs.add_parser("execute")
    execute.add_argument("folder")
    execute.add_argument("purpose", choices=("build", "resume", "undo", "tune", "settings", "drill"))
    execute.add_argument("digest")
    execute.add_argument("--simulated", action="store_true")
    _add_speed_up(execute)
    execute.set_defaults(verb="execute")


def _add_confirmation(parser: argparse.ArgumentParser, *, content: bool) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("confirmation without a terminal")
    group.add_argument("--yes", action="store_true", help="confirmed; counts only with --confirm")
    group.add_argument("--confirm", metavar="DIGEST", help="the whole digest of the plan; counts only with --yes")
    if content:
        group.add_argument(
            "--accept-content",
            metavar="KIND|SERIAL",
            action="append",
            help="give up what is on this disk, or what is of this kind, such as file-system (may be repeated)",
        )
    return group


def _add_view(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the journal as it comes, one JSON object a line")
    parser.add_argument("--detach", action="store_true", help="start it and do not follow")
    _add_speed_up(parser)


def _add_speed_up(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--speed-up",
        metavar="N",
        type=number(*SPEED_UP),
        default=600.0,
        help="simulated disks: time passes N times as fast",
    )
