"""`raidtui control`: asks the executor of a run to pause, stop or change its speed."""

from __future__ import annotations

import argparse
from dataclasses import replace

from raidtui.cli.runs import run_folder
from raidtui.machine.run import requests
from raidtui.machine.run.work_folder import is_alive
from raidtui.model.codec import to_json
from raidtui.model.errors import BadInput, Exit, Refused


def control(options: argparse.Namespace) -> int:
    """`raidtui control RUN REQUEST`: asks something of the executor at work."""
    folder = run_folder(options.run)
    if not is_alive(folder):
        raise Refused(f"no executor is running for run {folder.name[:8]}", hint="raidtui status shows what it came to")
    now = requests.read(folder)
    match options.request.partition("="):
        case ("pause", "", ""):
            now = replace(now, pause=True)
        case ("go", "", ""):
            now = replace(now, pause=False)
        case ("stop", "", ""):
            now = replace(now, stop=True)
        case ("during-sync", "", ""):
            now = requests.with_waiting(now, wait=False)
        case ("wait-for-sync", "", ""):
            now = requests.with_waiting(now, wait=True)
        case ("limit", "=", number) if number.isdecimal() and len(number) <= 10 and int(number) < 2**31:
            now = replace(now, sync_kib_per_s=int(number) or None)
        case _:
            raise BadInput(
                f"unknown request '{options.request}'",
                hint="pause, go, stop, wait-for-sync, during-sync, or limit=KIB_PER_S (0: no limit)",
            )
    requests.write(folder, now)
    if options.json:
        print(to_json(now))
    return Exit.DONE
