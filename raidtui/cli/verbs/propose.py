"""`raidtui propose`: the layouts worth considering for these disks, with reasons."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from raidtui.cli.inputs import assumptions, decided, pool
from raidtui.cli.inventory import load_inventory
from raidtui.cli.output import columns, paint, working
from raidtui.model.codec import to_json
from raidtui.model.counted import counted
from raidtui.model.errors import Exit
from raidtui.model.finding import refused
from raidtui.model.notation import parse
from raidtui.model.options.constraints import CONSTRAINTS
from raidtui.model.options.design import FORMAT
from raidtui.model.proposal import Constraints
from raidtui.model.text_values import LayoutText
from raidtui.planner.design.options import UNDECIDED, with_format
from raidtui.planner.search import propose as search
from raidtui.planner.text.proposal import WIDTH, proposal_text

_NARROWEST = 80
"""columns that the table needs"""


def propose(options: argparse.Namespace) -> int:
    """Prints the proposal; exit code 1 when no layout meets the constraints."""
    inventory = load_inventory(options)
    disks = pool(inventory, options)
    constraints, said = _constraints(options), assumptions(options, disks)
    with working(f"comparing layouts of {counted(len(disks), 'disk')}"):
        proposal = search.propose(inventory, disks, constraints, said, every=options.every)
    if options.json:
        print(to_json(proposal))
    else:
        wide = min(max(columns(sys.stdout) or WIDTH, _NARROWEST), WIDTH)
        print(proposal_text(proposal, width=wide, paint=paint(sys.stdout)))
    return Exit.REFUSED if refused(proposal.findings) else Exit.DONE


def _constraints(options: argparse.Namespace) -> Constraints:
    """What a proposal must fulfil, and what it should prefer."""
    compare = tuple(LayoutText(parse(layout)) for layout in options.compare or ())
    asked = decided(options, CONSTRAINTS, replace(UNDECIDED, constraints=Constraints(compare=compare))).constraints
    assert asked is not None
    return with_format(asked, decided(options, FORMAT).design)
