"""Top-level parser of the command line: global options and the list of verbs. Loads no verb."""

from __future__ import annotations

import argparse

from raidtui import __version__
from raidtui.cli.arguments.design import add_design_verbs
from raidtui.cli.arguments.measure import add_measure_verbs
from raidtui.cli.arguments.run import add_run_verbs
from raidtui.cli.arguments.shared import VerbParser, add_disk_options

EXAMPLES = """\
examples:
  raidtui                                              the app: disks, design, compare, commands
  raidtui disks                                        what disks there are, and what is on them
  raidtui propose --disks 60x2TB --restock-days 30     which layouts there are, the few worth having, and why
  raidtui model '4x(12+2)+4' --disks 60x2TB            what a layout will be: room, speed, risk
  raidtui plan '4x(12+2)+4' --chunk 256K --out build   plan, script, undo script and runbook into build/
  raidtui script build/plan.json                       the script again, from the plan
  raidtui watch                                        every disk live, on any machine
  raidtui build build/plan.json                        build it: checks everything, asks, survives the terminal
  raidtui report                                       what was built, proven and measured, to print and sign

A layout is written arrays x (data+parity) + spares: (41+2)+2, raid5(3+1), raid10(8,f2), 6x raid1(2)+1.
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; `verb` in its result is the name of a verb, "app" where none is given."""
    top = argparse.ArgumentParser(
        prog="raidtui",
        description="Design Linux md arrays to the byte, see what they will be, get the exact commands that make them.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"raidtui {__version__}")
    add_disk_options(top, top=True)
    top.add_argument("--glyphs", choices=("ascii", "console", "unicode"), help="characters the terminal can show")
    top.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    top.add_argument("--replay", metavar="FOLDER", help="the app plays a recorded benchmark back")
    top.add_argument("--allow-writes", action="store_true", help="the app may build on this machine, as root")
    verbs = top.add_subparsers(title="verbs", metavar="VERB", prog="raidtui", dest="verb", parser_class=VerbParser)
    top.set_defaults(verb="app")
    add_design_verbs(verbs)
    add_run_verbs(verbs)
    add_measure_verbs(verbs)
    verbs.add_parser("schema", help="the JSON Schema of a document", add_options=_schema)
    return top


def _schema(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "value",
        choices=(
            "inventory",
            "prediction",
            "plan",
            "proposal",
            "profile",
            "bench",
            "bench-result",
            "report",
            "report-section",
            "run",
            "runs",
            "run-event",
            "tune-result",
            "settings-result",
            "drill-result",
        ),
    )
