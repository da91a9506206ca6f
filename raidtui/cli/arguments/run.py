"""Options of the verbs that execute a plan: build, resume, undo, status, control and the hidden execute."""

from __future__ import annotations

import argparse
from typing import Any

from raidtui.cli.arguments.shared import add_disk_options, add_speed_up, add_sync_options


def add_run_verbs(verbs: Any) -> None:
    """Adds build, resume, undo, status, control and execute to the subparsers `verbs`."""
    verbs.add_parser("build", help="execute a plan, or follow a running build", add_options=_build)
    verbs.add_parser("resume", help="continue an interrupted build from the state of the disks", add_options=_resume)
    verbs.add_parser("undo", help="remove what a build created; wiped data is not restored", add_options=_undo)
    verbs.add_parser("status", help="list all runs and their results, or show one in full", add_options=_status)
    verbs.add_parser("control", help="pause, stop or throttle a build that runs", add_options=_control)
    verbs.add_parser("execute", add_options=_execute)


def _build(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="a plan's .json file; with --attach a run")
    parser.add_argument("--attach", action="store_true", help="only follow a run that is in progress")
    add_sync_options(parser)
    _add_confirmation(parser, content=True)
    _add_view(parser)
    add_disk_options(parser)


def _resume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN|PLAN", help="a run (raidtui status), or the plan's .json file")
    add_sync_options(parser)
    _add_confirmation(parser, content=True)
    _add_view(parser)
    add_disk_options(parser)


def _undo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN|PLAN", help="a run (raidtui status), or the plan's .json file")
    _add_confirmation(parser, content=False).add_argument(
        "--lose-files", metavar="COUNT", help="accept the loss of COUNT files: the number on the page, or 'unknown'"
    )
    _add_view(parser)
    add_disk_options(parser)


def _status(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="first digits of a run's id (default: list all runs)")
    parser.add_argument("--json", action="store_true", help="the result as JSON")


def _control(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="first digits of a run's id")
    parser.add_argument(
        "request",
        metavar="REQUEST",
        help="pause, go (on after a pause), stop (after the command that runs), wait-for-sync (before the file "
        "systems), during-sync (do not wait), or limit=KIB_PER_S (of a sync; 0: none)",
    )
    parser.add_argument("--json", action="store_true", help="the requests in force as JSON")


def _execute(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder")
    parser.add_argument("purpose", choices=("build", "resume", "undo", "tune", "drill", "replace"))
    parser.add_argument("digest")
    add_speed_up(parser)


def _add_confirmation(parser: argparse.ArgumentParser, *, content: bool) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("confirmation without a terminal")
    group.add_argument("--yes", action="store_true", help="confirm; requires --confirm")
    group.add_argument("--confirm", metavar="DIGEST", help="full digest of the plan; requires --yes")
    if content:
        group.add_argument(
            "--accept-content",
            metavar="KIND|SERIAL",
            action="append",
            help="erase the content of this disk, or all of this kind, for example file-system (may be repeated)",
        )
    return group


def _add_view(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="journal records as JSON, one object per line")
    parser.add_argument("--plain", action="store_true", help="whole lines only: progress of a sync once a minute")
    parser.add_argument("--detach", action="store_true", help="start and exit; do not follow")
    add_speed_up(parser)
