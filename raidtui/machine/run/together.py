"""Runs several commands of a step at the same time, with each one's intent and end in the journal."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

from raidtui.machine.ports.runner import Runner
from raidtui.machine.run.journal import Journal
from raidtui.model.errors import MachineFailed
from raidtui.model.plan import Command, Step
from raidtui.model.safe import safe
from raidtui.planner.text.shell_quote import program_text

_LINES = 3
_LONG = 300
"""lines and characters of a failed command's output that its error shows"""
_BYTES = 16 * 1024
"""of its end, in which they are"""


def run_together(
    step: Step, commands: Mapping[int, Command], runner: Runner, journal: Journal, devices: Mapping[str, str]
) -> dict[str, float]:
    """Runs `commands`, by their number in the step, each on one device; returns the seconds of each, by its path.

    All intents are journaled before the first starts, and each end when it comes. Raises MachineFailed for the first
    that failed, after the last has ended.
    """
    failed: MachineFailed | None = None
    seconds: dict[str, float] = {}
    with contextlib.ExitStack() as outputs:
        opened: dict[int, tuple[str, int]] = {}
        for number, command in commands.items():
            opened[number] = name, _ = outputs.enter_context(journal.output())
            journal.write(
                "intent", step=step.number, action=number, stage=step.stage, devices=command.devices,
                argv=command.argv, output=name,
            )  # fmt: skip
        calls = [(number, command.argv, opened[number][1]) for number, command in commands.items()]
        for number, code, took in runner.run_together(calls, devices):
            command, (name, handle) = commands[number], opened[number]
            journal.sync(handle)
            journal.write("result", step=step.number, action=number, argv=command.argv, exit=code, output=name)
            if code not in command.good_exits:
                failed = failed or ended_badly(command, code, journal.folder / name)
            seconds[command.devices[0]] = took
    if failed is not None:
        raise failed
    return seconds


def ended_badly(command: Command, code: int, output: Path) -> MachineFailed:
    """The error of a command that failed, with the last lines of its `output`."""
    end = f"{program_text(command.argv)} ended with exit code {code}"
    last = "; ".join(last_lines(output, _LINES))
    said = f"{end}: {safe(last, longest=_LONG)}" if last else end
    return MachineFailed(said, hint=f"its output is in {output}")


def last_lines(output: Path, count: int) -> list[str]:
    """Those of the last lines of what a command printed that are not empty; of its end alone, however much that was."""
    with output.open("rb") as file:
        file.seek(max(0, output.stat().st_size - _BYTES))
        text = file.read().decode("utf-8", "surrogateescape")
    return [line.strip() for line in text.splitlines()[-count:] if line.strip()]
