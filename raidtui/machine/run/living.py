"""Carries out an act on arrays that run: a replacement, an extension.

ROOT/changes/replace-0123456789ab/    0700; the same for each call of what was confirmed
    act.json                          what was confirmed
    journal, output/                  like those of a build

The machine itself holds what is done; the journal holds what was written, and why.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TypeVar

from raidtui.machine.ports.runner import MachineReader, Runner
from raidtui.machine.run import journal as journals
from raidtui.machine.run.executor import Executor, Stopped
from raidtui.machine.run.journal import Journal
from raidtui.machine.run.requests import ControlRequest
from raidtui.machine.run.site import Site, locked
from raidtui.machine.run.work_folder import at_work
from raidtui.machine.system.documents import read_document
from raidtui.machine.system.file_errors import whatever_is_wrong
from raidtui.machine.system.input_files import RUN_FILE
from raidtui.model.codec import to_json
from raidtui.model.errors import RaidtuiError, Refused
from raidtui.model.extension import Extension
from raidtui.model.replacement import Replacement
from raidtui.model.run import RunPurpose

FOLDER = "changes"
ACT = "act.json"
LivingAct = Replacement | Extension
A = TypeVar("A", Replacement, Extension)
_PURPOSES: Mapping[type[LivingAct], RunPurpose] = {Replacement: "replace", Extension: "extend"}
OnRequest = Callable[[], ControlRequest]


def carry_out(
    found: LivingAct,
    site: Site,
    again: Callable[[MachineReader], LivingAct],
    tell: Callable[[str], None],
    end: Callable[[MachineReader], str] = lambda _: "",
) -> None:
    """Carries out what was confirmed, under the run lock. `again`: the same answer from a fresh look; `end`: see
    `Executor.go_on`.

    Raises Refused, before anything is written, where that has another digest; KeyboardInterrupt after a signal; as
    `go_on`."""
    with locked(site.lock_path) as lock, _stopped_by_signals() as request:
        runner = site.runner(lock)
        if again(runner).digest != found.digest:
            raise Refused("the array or the disks changed meanwhile; nothing was written", hint="run it again")
        try:
            go_on(found, site.root, runner, request, tell, partial(end, runner))
        except Stopped:
            tell("stopped between two commands; md goes on by itself, and the same command goes on where it is")
            raise KeyboardInterrupt from None


def unfinished(root: Path, kind: type[A]) -> tuple[A, ...]:
    """The acts of a kind that were begun and are not finished, the last one first. `root`: directory of all runs.

    What cannot be read is left out: the machine itself holds what is done."""
    found: list[tuple[float, A]] = []
    with contextlib.suppress(OSError):
        for folder in (root / FOLDER).glob(f"{_PURPOSES[kind]}-*"):
            with contextlib.suppress(RaidtuiError, OSError), whatever_is_wrong(folder):
                records = journals.records(folder)
                act = read_document(kind, folder / ACT, RUN_FILE)
                if records and records[-1].kind != "finished":
                    found.append(((folder / "journal").stat().st_mtime, act))
    return tuple(act for _, act in sorted(found, key=lambda each: each[0], reverse=True))


def go_on(
    act: LivingAct,
    root: Path,
    runner: Runner,
    request: OnRequest,
    tell: Callable[[str], None] = lambda _: None,
    end: Callable[[], str] = lambda: "",
) -> None:
    """Carries out the steps that are not done yet; see `Executor.go_on`. `root`: directory of all runs."""
    if not act.steps:
        raise Refused("there is nothing to carry out", hint="the answer without --begin shows why")
    purpose = _PURPOSES[type(act)]
    folder = root / FOLDER / f"{purpose}-{act.digest[:12]}"
    if not folder.exists():
        journals.begin(folder, ACT, to_json(act) + "\n", simulated=act.simulated)
    with at_work(folder), contextlib.closing(Journal(folder, purpose, runner.clock)) as journal:
        Executor(act, runner, journal, request, tell=tell).go_on(act.steps, end)


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[OnRequest]:
    """A signal to end stops between two commands, or while md is waited for; md itself goes on."""
    seen: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        seen.append(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, note) for number in numbers]
    try:
        yield lambda: ControlRequest(stop=bool(seen))
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
