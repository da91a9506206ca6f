"""Top-level parser of the command line: global options and the list of verbs. Loads no verb."""

from __future__ import annotations

import argparse
from typing import Any

from raidtui import __version__
from raidtui.cli.options.design import add_design_verbs, add_recipe_options
from raidtui.cli.options.fleet import add_fleet_verbs
from raidtui.cli.options.run import add_measure_verbs, add_run_verbs
from raidtui.cli.options.shared import add_disk_options
from raidtui.cli.options.verb_parser import SafeParser, VerbParser, Verbs, add_color
from raidtui.values.choices import TOPICS
from raidtui.values.errors import Exit

_CODES = "\n".join(f"  {code.value:<5}{code.meaning}" for code in Exit)
EXAMPLES = f"""\
examples:
  raidtui                                    the app
  raidtui disks                              the disks, and what is on them
  raidtui propose --disks 60x2TB             the best layouts, with reasons
  raidtui model '4x(12+2)+4' --disks 60x2TB  capacity, speed, risk of a layout
  raidtui plan '4x(12+2)+4' --out build      plan, scripts, runbook in build/
  raidtui script build/plan.json             the script of that plan
  raidtui export kickstart build/plan.json   that plan for an installer
  raidtui build build/plan.json              build it, after a typed phrase
  raidtui watch                              live rates of every disk
  raidtui report                             a report to print and sign

A layout is written arrays x (data+parity) + spares: (41+2)+2, raid5(3+1),
raid10(8,f2), 6x raid1(2)+1, 2x(12+2)+3x(10+2)+2. Over disks of mixed size:
hybrid(5)+1. More: raidtui help notation. Without a screen: raidtui help plain

exit codes:
{_CODES}
"""


_DOCUMENTS = (
    "inventory", "arrays", "audit", "replacement", "extension", "prediction", "plan", "proposal", "profile", "bench",
    "bench-result", "bench-event", "report", "report-section", "run", "runs", "run-event", "watch-tick",
    "tune-result", "drill-result", "saved-design", "control", "findings", "bench-preview",
    "bench-list", "tuning-preview", "fleet-inventory", "fleet-look", "host-request", "host-answer",
    "script", "help", "recipe", "fleet-sheet", "export", "fleet-run", "build-order", "run-order", "host-run",
    "fleet-check", "host-check",
)  # fmt: skip
"""names of `cli.schemas.SCHEMAS`, which would load pydantic"""


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(f"raidtui {__version__}", flush=True)
        parser.exit()


def parser() -> SafeParser:
    """The parser of the whole command line; `verb` in its result is the name of a verb, "app" where none is given."""
    return _parsers()[0]


def complete_parser() -> tuple[SafeParser, dict[str, VerbParser]]:
    """`parser` and the parsers of all verbs that its --help lists, in that order, each with its options."""
    top, verbs = _parsers()
    return top, _completed({name: verbs.parsers[name] for name in verbs.lines})


def _completed(verbs: dict[str, VerbParser]) -> dict[str, VerbParser]:
    """The verbs with their options, each followed by its own verbs as `fleet disks`."""
    found: dict[str, VerbParser] = {}
    for name, each in verbs.items():
        each.complete()
        found[name] = each
        if each.verbs is not None:
            found |= _completed({f"{name} {verb}": parser for verb, parser in each.verbs.parsers.items()})
    return found


def _parsers() -> tuple[SafeParser, Verbs]:
    top = SafeParser(
        prog="raidtui",
        description="Designs Linux md arrays: predicts capacity to the byte, speed and risk;\ngenerates the commands.",
        epilog=EXAMPLES,
    )
    top.add_argument(
        "--version", action=_Version, nargs=0, default=argparse.SUPPRESS, help="show program's version number and exit"
    )
    add_color(top, default="auto")
    add_disk_options(top, top=True)
    top.add_argument(
        "--glyphs", choices=("ascii", "console", "unicode"), help="character set of the terminal (default: detected)"
    )
    top.add_argument(
        "--plain", action="store_true", help="questions and lines in place of screens: no cursor, no colour"
    )
    top.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal, which then selects text")
    top.add_argument("--design", metavar="NAME", help="open the app with the design that S on its Design screen saved")
    top.add_argument("--allow-writes", action="store_true", help="allow the app to build on this machine (root only)")
    verbs = top.add_verbs("commands", "verb")
    top.set_defaults(verb="app")
    add_design_verbs(verbs)
    add_run_verbs(verbs)
    add_measure_verbs(verbs)
    add_fleet_verbs(verbs, add_recipe_options)
    verbs.add_parser("schema", help="print the JSON Schema of a document type", add_options=_schema)
    verbs.add_parser("help", help="explain a topic or a command, without a network", add_options=_help)
    return top, verbs


def _help(parser: SafeParser) -> None:
    parser.add_argument(
        "topic", metavar="TOPIC", nargs="*", help=f"one of {', '.join(TOPICS)}, or a command (default: list the topics)"
    )
    parser.add_argument("--json", action="store_true", help="the text as JSON, with the topics and commands there are")


def _schema(parser: SafeParser) -> None:
    parser.add_argument(
        "value", metavar="DOCUMENT", nargs="?", choices=_DOCUMENTS,
        help=f"one of {', '.join(_DOCUMENTS)} (default: all, in one bundle)",
    )  # fmt: skip
