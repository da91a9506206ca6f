"""`raidtui model`: predicted capacity, speed and risk of one layout."""

from __future__ import annotations

import argparse

from raidtui.cli.inputs import assumptions, chosen, design_of
from raidtui.cli.inventory import load_inventory
from raidtui.model.codec import to_json
from raidtui.model.errors import Exit
from raidtui.model.finding import refused
from raidtui.planner.design.assess import assessed
from raidtui.planner.design.predict import predict
from raidtui.planner.text.summary import prediction_text


def model(options: argparse.Namespace) -> int:
    """Prints the prediction; exit code 1 when one of its findings is an error."""
    design, inventory = design_of(options), load_inventory(options)
    disks = chosen(inventory, options, design)
    prediction = assessed(
        design, disks, predict(design, disks), inventory, assumptions(options, disks), spread=options.spread
    )
    print(to_json(prediction) if options.json else prediction_text(prediction))
    return Exit.REFUSED if refused(prediction.findings) else Exit.DONE
