"""`raidtui audit`: what is wrong, or will be, with the md arrays that exist."""

from __future__ import annotations

import argparse
from pathlib import Path

from raidtui.cli.inventory import capture_of, save_capture
from raidtui.cli.output import narrate, show_blocks, working
from raidtui.cli.runs import run_folders
from raidtui.cli.verbs.arrays import machine_of
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.arrays.settings import audit_facts
from raidtui.machine.system.durable_files import write_durably
from raidtui.machine.system.file_errors import failures
from raidtui.machine.system.input_files import BASELINE, read_named
from raidtui.model.audit import Audit
from raidtui.model.codec import from_json, to_json
from raidtui.model.errors import Exit, RaidtuiError
from raidtui.model.plan import Plan
from raidtui.planner.arrays.audit.all_rules import audit as judged


def audit(options: argparse.Namespace) -> int:
    """Prints what the rules find; exit code 1 where one of the findings is an error or a warning."""
    known = frozenset() if options.baseline is None else _baseline(Path(options.baseline))
    capture = capture_of(options)
    with working("auditing the arrays"):
        look = ArraysLook(*machine_of(options, capture))
        seen = look.take()
        plans = () if seen.simulated else _plans()
        found = judged(audit_facts(look, seen, plans), known)
    if capture is not None:
        narrate(save_capture(capture, options, look.inventory))
    if options.metrics is not None:
        from raidtui.planner.arrays.audit.text import metrics  # only where they are asked for

        path = Path(options.metrics)
        with failures(path, "name a file in a folder that can be written"):
            write_durably(path, metrics(found, seen), mode=0o644)
    if options.json:
        print(to_json(found))
    elif options.metrics is None:
        _show(found)
    return Exit.REFUSED if any(each.severity != "note" for each in found.findings) else Exit.DONE


def _baseline(path: Path) -> frozenset[tuple[str, str]]:
    """Findings of an earlier `raidtui audit --json`."""
    earlier = from_json(Audit, read_named(path, BASELINE), source=str(path), hint=BASELINE.way_out)
    return frozenset(each.key for each in earlier.findings)


def _plans() -> tuple[Plan, ...]:
    """Plans of the runs of this machine; one that cannot be read is named."""
    folders, found = run_folders(), []
    if folders:
        from raidtui.machine.run.run_folders import load  # only where a run was begun: it can compile plans
    for folder in folders:
        try:
            begun = load(folder)
        except RaidtuiError as problem:
            narrate(f"not read: run {folder.name[:8]}: {problem}")
            continue
        if not begun.plan.simulated:
            found.append(begun.plan)
    return tuple(found)


def _show(found: Audit) -> None:
    from raidtui.planner.arrays.audit.text import audit_blocks  # --json, which cron calls, starts without it

    show_blocks(audit_blocks(found), simulated=found.simulated)
