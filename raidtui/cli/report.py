"""`raidtui report`: a build and its benchmarks as a document to sign, and two of them held against each other."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from raidtui.model.errors import BadInput, Exit

if TYPE_CHECKING:
    from raidtui.machine.report.sources import Places
    from raidtui.model.report import Report


def add_verb(verbs: Any, add_disk_options: Callable[[argparse.ArgumentParser], None]) -> None:
    """Adds `report` to the subparsers `verbs`."""
    del add_disk_options  # a report is about what was recorded, never about the disks that are here now
    report = verbs.add_parser("report", help="build and benchmarks as Markdown, JSON and a page to print and sign")
    report.add_argument(
        "names", metavar="RUN|BENCH|FILE", nargs="*",
        help="runs, benchmarks, their folders, result or report files (default: the newest run and its benchmarks)",
    )  # fmt: skip
    report.add_argument("--out", metavar="DIR", help="write there (default: ./raidtui-REPORTID)")
    report.add_argument("--format", metavar="LIST", help="some of md,json,html (default: all)")
    report.add_argument(
        "--against", metavar="REPORT|BENCH", help="hold it against an earlier one, or another machine's"
    )
    report.add_argument("--json", action="store_true", help="the report as JSON; writes files only with --out")
    report.set_defaults(verb="report")


def report(options: argparse.Namespace) -> int:
    """Makes the report, says it in short, writes it."""
    from pathlib import Path

    from raidtui.machine.report import plots
    from raidtui.machine.report.files import FORMATS, write_report
    from raidtui.model.codec import to_json
    from raidtui.model.safe import safe
    from raidtui.planner.report.document import document
    from raidtui.planner.report.summary_text import summary

    formats = tuple(each.strip() for each in options.format.split(",")) if options.format else FORMATS
    for each in formats:
        if each not in FORMATS:
            raise BadInput(f"--format: '{each}' is none of them", hint=f"write some of {','.join(FORMATS)}")
    made = _made(options)
    if options.out or not options.json:
        directory = Path(options.out or f"raidtui-{made.id}")
        for path in write_report(made, directory, formats):
            print(f"raidtui: wrote {safe(str(path))}", file=sys.stderr)
        if not plots.available() and formats != ("json",):
            print(f"raidtui: {plots.MISSING}", file=sys.stderr)
    print(to_json(made) if options.json else summary(made, document(made)))
    return Exit.DONE


def _made(options: argparse.Namespace) -> Report:
    from datetime import UTC, datetime

    from raidtui import __version__
    from raidtui.machine.report.sources import material, newest, put_together
    from raidtui.planner.report.assemble import beside
    from raidtui.planner.report.compare_reports import versus

    places = _places()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    found = tuple(material(name, places) for name in options.names) or newest(places, _warn)
    made = put_together(found, made=now, version=__version__)
    if options.against is None:
        return made
    other = put_together((material(options.against, places),), made=now, version=__version__)
    return beside(made, versus(other, made))


def _warn(text: str) -> None:
    from raidtui.model.safe import safe

    print(f"raidtui: {safe(text, longest=600)}", file=sys.stderr)


def _places() -> Places:
    """Where this user's runs and benchmarks are kept."""
    from raidtui.machine.bench import store
    from raidtui.machine.report.sources import Places
    from raidtui.machine.run.site import REAL_ROOT, simulated_root

    benches = dict.fromkeys((store.root(), REAL_ROOT / "benches", simulated_root() / "benches"))
    return Places(runs=(REAL_ROOT, simulated_root()), benches=tuple(benches))
