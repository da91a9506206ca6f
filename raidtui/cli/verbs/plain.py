"""`raidtui --plain`: guide, proposals, plan and build as questions and lines, without colours or cursor addressing."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from raidtui.advice.proposals.guide import (
    Answers,
    StartQuestion,
    answered,
    chosen,
    first_answers,
    questions,
    understood,
)
from raidtui.advice.proposals.pick_reasons import Suggestion, suggestion
from raidtui.advice.proposals.propose import propose
from raidtui.answers.design import prediction_text
from raidtui.answers.plain_text import plain_lines, unpainted
from raidtui.answers.proposal import pick_blocks, picks_by_layout
from raidtui.cli.confirm import WIDTH, ask, ask_number, ask_yes, tell, tell_choices
from raidtui.cli.inputs import load_inventory
from raidtui.cli.options.parser import parser
from raidtui.cli.output import label
from raidtui.cli.verbs.run import build
from raidtui.machine.arrays.boot import initramfs_tool
from raidtui.machine.system.host import utc_now
from raidtui.scripts.build_script import plan_text
from raidtui.scripts.files import write_plan
from raidtui.session.decision import DesignOutcome, constraints_of, with_answers
from raidtui.session.session import Session
from raidtui.steps.build import compile_plan
from raidtui.values.decision import Decision
from raidtui.values.errors import Exit, RaidtuiError, Refused
from raidtui.values.findings import Finding, errors
from raidtui.values.inventory import Inventory
from raidtui.values.layout import Layout
from raidtui.values.notation import LayoutText, parse, show
from raidtui.values.plan import RISK_WORDS, Plan
from raidtui.values.proposal import Proposal
from raidtui.values.safe import safe
from raidtui.values.units import counted, decimal_size, parse_size

_NONE = "none"
"""answer that names no directory"""


def plain(options: argparse.Namespace) -> int:
    """Asks four questions, proposes layouts, plans the chosen one, and builds it after the typed phrase of `build`."""
    inventory = load_inventory(options)
    session = Session(inventory, run_id=secrets.token_hex(16))
    disks = session.outcome.disks
    raw = decimal_size(sum(disk.size_bytes for disk in disks))
    tell(f"{label(inventory.simulated)}{inventory.name}: {counted(len(disks), 'free disk')}, {raw} in all.")
    if not disks:
        raise Refused("no disk here is free", hint="--inventory e2660 plans for a simulated chassis")
    tell("Enter takes the answer in brackets, Ctrl-D ends. Nothing is written to a disk before a phrase is typed.")
    answers = _asked(session)
    session.decide(with_answers(session.decision, answers, disks))
    outcome = _layout(session)
    if ask_yes("Show every figure of this layout?"):
        tell()
        print(prediction_text(outcome.assessed, outcome.decision.assumptions, disks=outcome.disks))
    plan = _plan(outcome, inventory)
    folder = _written(plan)
    if folder is None or not ask_yes("Build it now? A phrase is asked first."):
        tell("Nothing was built.")
        return Exit.DONE
    return build(_build_options(options, folder / "plan.json"))


def _asked(session: Session) -> Answers:
    """The answers to the questions of the guide."""
    disks = session.outcome.disks
    answers = first_answers(disks)
    for number, question in enumerate(questions(disks, answers), 1):
        tell()
        tell(f"Question {number} of 4: {question.words}")
        tell_choices([f"{choice.words}: {choice.about}" for choice in question.choices])
        answers = _answered(question, answers)
    return answers


def _answered(question: StartQuestion, answers: Answers) -> Answers:
    names = [choice.name for choice in question.choices]
    while True:
        number = ask_number(f"1 to {len(names)}", len(names), names.index(chosen(answers, question.field)) + 1)
        choice = question.choices[number - 1]
        if not choice.possible:
            tell(choice.about)
        elif choice.name == "least":
            return replace(answers, room_bytes=ask("At least how much, such as 50TB", "", parse_size))
        else:
            return answered(answers, question.field, choice.name)


def _layout(session: Session) -> DesignOutcome:
    """The outcome of the layout that is chosen. Raises Refused if no layout meets the answers."""
    decision = session.decision
    constraints = constraints_of(decision)
    tell()
    for sentence in understood(constraints, decision.assumptions, decision.design.chunk_bytes):
        tell(sentence)
    tell("Searching all layouts ...")
    proposal = propose(session.inventory, session.outcome.disks, constraints, decision.assumptions)
    card = suggestion(proposal, constraints, decision.assumptions)
    if card.candidate is None:
        tell(card.sentence)
        raise Refused("no layout is suggested", hint="raidtui --plain asks again")
    layouts = _tell_proposals(proposal, card, card.candidate.layout)
    while True:
        tell()
        layout = ask(f"1 to {len(layouts)}, or a layout such as {layouts[0]}", "1", lambda text: _read(text, layouts))
        outcome = DesignOutcome(_with(decision, layout), session.inventory)
        problems = errors(outcome.prediction.findings)
        _tell_findings(outcome.prediction.findings)
        if not problems:
            return outcome


def _tell_findings(findings: Sequence[Finding]) -> None:
    for finding in findings:
        tell()
        tell(f"{finding.severity}: {finding.message}")
        tell(finding.way_out, indent="    ")


def _tell_proposals(proposal: Proposal, card: Suggestion, first: LayoutText) -> list[LayoutText]:
    """Prints the picks; the layouts in that order, of which `first` is the suggestion."""
    picks = picks_by_layout(proposal)
    layouts = list(picks)
    for number, layout in enumerate(layouts, 1):
        tell()
        tell(f"Proposal {number}: {layout}, {', '.join(pick.name for pick in picks[layout])}")
        if layout == first:
            tell(card.sentence, indent="  ")
            for name, words in card.facts:
                tell(f"{name}: {words}", indent="  ")
            if card.warning:
                tell(card.warning, indent="  ")
        else:
            print("\n".join(plain_lines(pick_blocks(proposal, layout)[1:], unpainted, WIDTH)))
    return layouts


def _read(text: str, layouts: list[LayoutText]) -> Layout:
    """The layout of that number, or in that notation. Raises ValueError with the reason."""
    if text.isdecimal():
        if not (len(text) < 4 and 1 <= int(text) <= len(layouts)):
            raise ValueError(f"'{text}' is none of the numbers 1 to {len(layouts)}.")
        return layouts[int(text) - 1].layout
    try:
        return parse(text)
    except RaidtuiError as wrong:
        raise ValueError(f"{wrong}. {wrong.hint}") from wrong


def _with(decision: Decision, layout: Layout) -> Decision:
    return replace(decision, design=replace(decision.design, layout=layout), spread=True)


def _plan(outcome: DesignOutcome, inventory: Inventory) -> Plan:
    """The plan of `outcome` under the name that is typed."""
    decision = outcome.decision
    tell()
    while True:
        name = ask("Name of arrays and volume", decision.plan_name, str)
        mount = ask("Mount point", f"/srv/{name}", str)
        try:
            plan = compile_plan(
                outcome.design, inventory, outcome.disks, outcome.prediction, run_id=secrets.token_hex(16), name=name,
                mount_point=mount, host=inventory.name, initramfs=initramfs_tool(inventory), made=utc_now(),
            )  # fmt: skip
        except RaidtuiError as wrong:
            tell(f"{wrong}. {wrong.hint}")
            continue
        tell()
        tell(f"{show(decision.design.layout)}: {counted(len(plan.steps), 'step')}, in this order.")
        tell_choices([f"{step.title} ({RISK_WORDS[step.risk]})" for step in plan.steps])
        if ask_yes("Show the plan with its findings?"):
            print(plan_text(plan))
        return plan


def _written(plan: Plan) -> Path | None:
    """The directory that the plan was written to; None if that was not wanted."""

    def read(text: str) -> Path | None:
        if text == _NONE:
            return None
        try:
            for path in write_plan(plan, Path(text)):
                tell(f"wrote {safe(str(path.absolute()))}")
        except RaidtuiError as wrong:
            raise ValueError(f"{wrong}. {wrong.hint}") from wrong
        return Path(text)

    return ask(f"Directory for plan, scripts and runbook, or {_NONE}", f"raidtui-{plan.run_id[:8]}", read)


def _build_options(options: argparse.Namespace, plan: Path) -> argparse.Namespace:
    """The options of `raidtui build PLAN --plain` for the same disks."""
    defaults = vars(parser().parse_args(["build", str(plan), "--plain"]))
    same = {name: value for name, value in vars(options).items() if name in defaults and name != "verb"}
    return argparse.Namespace(**{**defaults, **same})
