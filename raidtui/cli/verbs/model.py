"""`raidtui model`: predicted capacity, speed and risk of one layout."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace

from raidtui.cli.inputs import assumptions, chosen, decision_of, for_machine, read_option
from raidtui.cli.inventory import load_inventory
from raidtui.cli.output import columns, paint, working
from raidtui.model.ask import parse_ask
from raidtui.model.codec import to_json
from raidtui.model.counted import counted
from raidtui.model.errors import Exit
from raidtui.model.finding import refused
from raidtui.planner.design.assess import answers, assess
from raidtui.planner.design.predict import predict
from raidtui.planner.text.shell_quote import quote
from raidtui.planner.text.summary import prediction_text


def _next(options: argparse.Namespace) -> Iterator[str]:
    """Three commands: other layouts of these disks, every command of this one, and its build."""
    disks = [
        words for words in (("--inventory", options.inventory), ("--disks", options.disks)) if words[1] is not None
    ]
    named = " ".join(f"{option} {quote(str(value))}" for option, value in disks)
    yield f"  raidtui propose {named}".rstrip()
    yield f"  raidtui plan {quote(options.layout)} {named} --out new".replace("  --out", " --out")
    yield "  raidtui build new/plan.json"


def model(options: argparse.Namespace) -> int:
    """Prints the prediction; exit code 1 when one of its findings is an error."""
    decision, inventory = decision_of(options), load_inventory(options)
    decision = for_machine(decision, inventory)
    design, disks = decision.design, chosen(inventory, options, decision)
    said = assumptions(options, disks)
    with working(f"predicting {counted(len(disks), 'disk')}"):
        prediction = assess(design, disks, predict(design, disks), inventory, said, spread=decision.spread)
    asks = [read_option(options, "--ask", text, parse_ask, None) for text in options.ask or ()]
    if asks:
        asked = answers([ask for ask in asks if ask], design, disks, prediction, inventory, said)
        prediction = replace(prediction, asked=asked)
    if options.json:
        print(to_json(replace(prediction, schema="raidtui/prediction/1")))
    else:
        print(prediction_text(prediction, said, paint(sys.stdout), columns(sys.stdout), disks=disks, design=design))
        if not refused(prediction.findings):
            print("\n".join(["", "What follows, with the other options given here", *_next(options)]))
    return Exit.REFUSED if refused(prediction.findings) else Exit.DONE
