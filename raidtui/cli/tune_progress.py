"""Progress and result of trials, as their executor writes them."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from raidtui.cli.output import show
from raidtui.machine.run import requests
from raidtui.machine.run.launch import Launched
from raidtui.machine.run.work_folder import is_alive
from raidtui.machine.trials import tuning
from raidtui.model.codec import to_json
from raidtui.model.errors import Exit
from raidtui.model.safe import safe
from raidtui.model.tune import TuneResult

_POLL_SECONDS = 0.3


def follow(folder: Path, launched: Launched | None) -> None:
    """Prints progress until the executor has ended. Ctrl-C requests a stop, a second one ends the following."""
    shown, stopping = 0, False
    while True:
        try:
            busy = is_alive(folder) or (launched is not None and launched.running())
            lines = tuning.progress_lines(folder, shown)
            shown += len(lines)
            for line in lines:
                number = f"trial {line.variant}: " if line.variant else ""
                print(
                    f"raidtui: {line.time[11:19]} {number}{safe(line.text, longest=400)}", file=sys.stderr, flush=True
                )
            if not busy and not lines:
                return
            time.sleep(0 if lines else _POLL_SECONDS)
        except KeyboardInterrupt:
            if stopping:
                raise
            stopping = True
            requests.write(folder, replace(requests.read(folder), stop=True))
            print("\nraidtui: stopping: everything is restored first; Ctrl-C again stops following", file=sys.stderr)


def show_result(result: TuneResult, lines: Sequence[str], *, simulated: bool, as_json: bool) -> None:
    """Prints the result as JSON or as lines."""
    if as_json:
        print(to_json(result))
    else:
        show(lines, sys.stdout, simulated=simulated)


def exit_code(outcome: str) -> int:
    """Exit code for the outcome of trials."""
    return {"finished": Exit.DONE, "stopped": Exit.INTERRUPTED}.get(outcome, Exit.MACHINE)
