"""`raidtui report`: a build and its benchmarks as a document to sign; compares two reports."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from raidtui import __version__
from raidtui.answers.report.assemble import with_comparison
from raidtui.answers.report.compare import compare_reports
from raidtui.answers.report.document import document
from raidtui.answers.report.open_points import summary
from raidtui.cli.inputs import load_inventory, names_disks
from raidtui.cli.output import narrate, working
from raidtui.machine.system.places import all_benches_roots, run_roots
from raidtui.session import report_plots
from raidtui.session.report import (
    FORMATS,
    Places,
    is_file_of,
    material,
    newest,
    put_together,
    selected,
    write_file,
    write_report,
)
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit
from raidtui.values.report import Report
from raidtui.values.safe import safe


def report(options: argparse.Namespace) -> int:
    """Assembles the report, prints its summary, writes its files."""
    formats = tuple(each.strip() for each in options.format.split(",")) if options.format else FORMATS
    for each in formats:
        if each not in FORMATS:
            raise BadInput(f"--format: unknown format '{each}'", hint=f"write some of {','.join(FORMATS)}")
    one_file = options.out is not None and is_file_of(Path(options.out), FORMATS)
    if one_file and options.format and formats != (Path(options.out).suffix[1:],):
        raise BadInput(
            f"--out {options.out} is one file, --format asks for another", hint="name a directory with --out"
        )
    warnings: list[str] = []
    try:
        with working("reading runs and benchmarks"):
            made = _made(options, warnings.append)
    finally:
        for warning in warnings:
            print(f"raidtui: {safe(warning, longest=600)}", file=sys.stderr)
    if options.out or not options.json:
        where = Path(options.out or f"raidtui-{made.id}")
        with working("writing the report"):
            written = write_file(made, where) if one_file else write_report(made, where, formats)
        for path in written:
            narrate(f"wrote {path.absolute()}")
        if not report_plots.available() and formats != ("json",):
            print(f"raidtui: {report_plots.MISSING}", file=sys.stderr)
    print(to_json(made) if options.json else summary(made, document(made)))
    return Exit.DONE


def _made(options: argparse.Namespace, warn: Callable[[str], None]) -> Report:
    places = _places()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    named = load_inventory(options, as_left=False) if names_disks(options) else None
    found = selected(options.names, places, warn) or newest(places, warn, of=named)
    made = put_together(found, made=now, version=__version__)
    if options.against is None:
        return made
    other = put_together((material(options.against, places),), made=now, version=__version__)
    return with_comparison(made, compare_reports(other, made))


def _places() -> Places:
    """Where this user's runs and benchmarks are kept."""
    return Places(runs=run_roots(), benches=all_benches_roots())
