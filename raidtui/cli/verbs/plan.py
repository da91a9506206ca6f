"""`raidtui plan`: every step of a build with its commands. It executes nothing."""

from __future__ import annotations

import argparse
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from raidtui.advice.proposals import propose as search
from raidtui.answers.design import prediction_text
from raidtui.answers.proposal import WIDTH, proposal_text
from raidtui.cli.inputs import assumptions, chosen, decided, decision_of, for_machine, load_inventory, pool, read_option
from raidtui.cli.output import columns, narrate, paint, show, working, wrapped_findings
from raidtui.machine.arrays.boot import initramfs_tool
from raidtui.machine.system.host import utc_now
from raidtui.predict.checks.disks import with_arrays_first
from raidtui.predict.design import answers, assess, predict
from raidtui.predict.options import UNDECIDED, with_format
from raidtui.programs.shell_quote import quote
from raidtui.scripts.build_script import build_script, plan_text
from raidtui.scripts.runbook import runbook
from raidtui.scripts.undo_script import undo_script
from raidtui.steps.build import compile_plan
from raidtui.values.codec import to_json
from raidtui.values.errors import BadInput, Exit
from raidtui.values.findings import refused, warnings
from raidtui.values.notation import LayoutText, parse
from raidtui.values.options import CONSTRAINTS, FORMAT
from raidtui.values.plan import Plan
from raidtui.values.printed import ScriptForm, ScriptText
from raidtui.values.proposal import Constraints
from raidtui.values.safe import safe
from raidtui.values.speed import parse_ask
from raidtui.values.units import counted


def plan(options: argparse.Namespace) -> int:
    """Prints the plan, or writes it and its scripts to the directory of --out."""
    made = planned_by(options)
    if options.out is not None:
        from pathlib import Path  # a plan that is only printed starts faster without these two

        from raidtui.scripts.files import write_plan  # only to write a file

        with working("writing plan, scripts and runbook"):
            written = write_plan(made, Path(options.out))
        for path in written:
            narrate(f"wrote {path.absolute()}")
        show(wrapped_findings(warnings(made.findings), sys.stderr, simulated=False), sys.stderr, simulated=False)
        if not options.json:
            return Exit.DONE
    print(to_json(made) if options.json else plan_text(made, paint(sys.stdout), columns(sys.stdout)))
    return Exit.DONE


def planned_by(options: argparse.Namespace) -> Plan:
    """The plan in the file that is named, or a new one for the layout that is given."""
    if options.layout.endswith(".json") or os.path.isdir(options.layout):  # noqa: PTH112 - without pathlib
        from raidtui.cli.inputs import named_plan  # only to read a file

        with working("reading the plan"):
            return named_plan(options.layout)
    _refuse_missing(options.layout)
    decision = decision_of(options)
    with working("reading the disks"):
        inventory = load_inventory(options)
    decision = for_machine(decision, inventory)
    design = decision.design
    with working(f"planning {counted(design.disks, 'disk')}"):
        disks = chosen(inventory, options, decision)
        return compile_plan(
            design,
            inventory,
            disks,
            with_arrays_first(predict(design, disks), inventory),
            run_id=secrets.token_hex(16),
            name=decision.plan_name,
            mount_point=decision.mount_point,
            host=decision.homehost or inventory.name,
            initramfs=decision.initramfs or initramfs_tool(inventory),
            alert=decision.alert,
            made=utc_now(),
        )


def _refuse_missing(word: str) -> None:
    """Raises BadInput for a word that can only be meant as a file, of which there is none."""
    if not re.fullmatch(r"\S+\.[A-Za-z]\w*", word):
        return
    from pathlib import Path  # only for a mistake

    from raidtui.cli.options.mistakes import meant  # only for a mistake

    path = Path(word)
    beside = [each.name for each in path.parent.glob("*.json")] if path.parent.is_dir() else []
    if path.exists():
        raise BadInput(f"{safe(word)} is not a plan", hint="name a plan.json, or a layout: 4x(12+2)+4")
    like = meant(path.name, beside)
    raise BadInput(f"there is no file {safe(word)}{like}", hint="name a plan.json, or a layout: 4x(12+2)+4")


# `raidtui script`: a plan as a bash script or as a Markdown document. It executes nothing.


def script(options: argparse.Namespace) -> int:
    """Prints the build script, the undo script or the runbook of a plan."""
    form: ScriptForm = "undo" if options.undo else "runbook" if options.runbook else "build"
    plan = planned_by(options)
    with working(_WORK[form]):
        text = _WRITERS[form](plan)
    if options.json:
        print(to_json(ScriptText(form=form, plan_digest=plan.digest, text=text)))
    else:
        print(text, end="")
    return Exit.DONE


_WORK: Mapping[ScriptForm, str] = {
    "build": "writing the script", "undo": "writing the undo script", "runbook": "writing the runbook",
}  # fmt: skip
_WRITERS: Mapping[ScriptForm, Callable[[Plan], str]] = {
    "build": lambda plan: build_script(plan).text, "undo": lambda plan: undo_script(plan).text, "runbook": runbook,
}  # fmt: skip


# `raidtui model`: predicted capacity, speed and risk of one layout.


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


# `raidtui propose`: the layouts worth considering for these disks, with reasons.


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
